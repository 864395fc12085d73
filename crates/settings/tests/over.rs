//! Tables that lie over others.

use settings::{
    Always, Count, Fault, Flat, Form, Over, Parents, Scope, Section, Table, join, section,
    take_over,
};

section! {
    /// A table that others lie over.
    #[derive(Copy)]
    pub struct Base {
        /// The number that the others have by default.
        pub profile: u32 as Count<u32, 0, 100> = 0;
        /// What the heir does not take over.
        pub own: u32 as Count<u32, 0, 100> = 1;
        /// What it takes over.
        pub first: u32 as Count<u32, 0, 100> = 2;
        /// The same.
        pub second: u32 as Count<u32, 0, 100> = 3;
    }
    profile(Self::lay)
    heir(of Self as "base": all but own)
}

impl Base {
    fn lay(&mut self, table: &Table, at: &str) -> Result<(), Fault> {
        let Some(item) = table.get("profile") else { return Ok(()) };
        let number = Count::<u32, 0, 100>::read(item, &join(at, "profile"), &0)?;
        (self.own, self.first, self.second) = (number, number, number);
        Ok(())
    }
}

section! {
    /// What is like it in one key.
    pub struct Part {
        /// Taken over.
        pub first: u32 as Count<u32, 0, 100> = 9;
    }
    heir(of Base as "base": first)
}

section! {
    /// Two heirs beside each other.
    pub struct Heirs {
        /// All of it, apart from one.
        pub whole: Base as Over<Base, Base> = Base { own: 7, ..Base::default() };
        /// One key alone.
        pub part: Part as Over<Base, Part> = Part::default();
    }
}

section! {
    /// A file.
    pub struct File {
        /// The parent.
        pub base: Base as Always<Base> = Base::default();
        /// The heirs, with a default of their own.
        pub inner: Heirs as Flat<Heirs> =
            Heirs { whole: Base { own: 8, ..Base::default() }, ..Heirs::default() };
    }
}

fn read(text: &str) -> ([u32; 3], u32) {
    let tree = Table::parse(text).expect("it is TOML");
    let mut file = File::default();
    file.read(&tree, "").expect("it fits");
    let base = file.base;
    file.inherit(&File::default(), &tree, "", Parents(&[&base])).expect("it fits");
    let Base { own, first, second, .. } = file.inner.whole;
    ([own, first, second], file.inner.part.first)
}

#[test]
fn a_table_lies_over_its_parent() {
    let check = |text, whole, part| assert_eq!(read(text), (whole, part), "{text}");
    check("", [8, 2, 3], 2);
    check("base.first = 20", [8, 20, 3], 20);
    check("base.profile = 50\nbase.second = 30", [8, 50, 30], 50);
    check("base.second = 30\nwhole.profile = 60", [60, 60, 60], 2);
    check("base.first = 20\nwhole.profile = 60\nwhole.own = 4", [4, 60, 60], 20);
    check("base.first = 20\nwhole.first = 5\npart.first = 6", [8, 5, 3], 6);
}

#[test]
fn a_key_of_it_is_listed_with_the_value_that_it_takes_over() {
    let mut keys = Vec::new();
    File::default().visit("", Scope::Every, &mut |key| keys.push(key));
    let parents = keys.clone();
    take_over(&mut keys, &parents);
    let listed = |name: &str| keys.iter().find(|key| key.name == name).expect("it is there");
    let check = |name, value: &str, parent: Option<&str>| {
        let key = listed(name);
        assert_eq!((&*key.value, key.inherits.as_deref()), (value, parent), "{name}");
    };
    check("whole.own", "8", None);
    check("whole.first", "2", Some("base.first"));
    check("part.first", "2", Some("base.first"));
    check("base.first", "2", None);
}
