//! Tables of several owners, values without a key, and rules.

use settings::{Count, Fault, Flat, NoKey, Section, Shared, Table, section};

section! {
    /// What one owner has in the table.
    pub struct Low {
        /// Below high.
        pub low: u32 as Count<u32, 0, 100> = 1;
    }
}

section! {
    /// What another owner has in it.
    pub struct High {
        /// Above low.
        pub high: u32 as Count<u32, 0, 100> = 2;
        /// What no text says.
        pub seed: u64 as NoKey<u64> = 7;
    }
    check(Self::is_even)
}

section! {
    /// One half of a table.
    pub struct One {
        /// A table.
        pub band: Low as Shared<Low> = Low::default();
    }
}

section! {
    /// A file.
    pub struct File {
        /// A part of it.
        pub one: One as Flat<One> = One::default();
        /// The other half of that table.
        pub band: High as Shared<High> = High::default();
    }
}

impl High {
    fn is_even(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.high.is_multiple_of(2) {
            return Ok(());
        }
        tree.clash_at(at, &["high"], format!("{at}.high must be even"))
    }
}

fn read(text: &str) -> Result<[u32; 2], String> {
    let table = Table::parse(text).expect("it is TOML");
    let mut file = File::default();
    let fault = |fault: Fault| format!("{}: {}", fault.subject, fault.message);
    file.read(&table, "").and_then(|()| file.check(&table, "")).map_err(fault)?;
    assert_eq!(file.band.seed, 7);
    Ok([file.one.band.low, file.band.high])
}

#[test]
fn a_table_may_have_several_owners() {
    assert_eq!(read("[band]\nlow = 3\nhigh = 4"), Ok([3, 4]));
    assert_eq!(read("[band]\nhigh = 4"), Ok([1, 4]));
    for (text, expect) in [
        ("[band]\nmiddle = 3", "band.middle: "),
        ("[band]\nseed = 3", "band.seed: "),
        ("band = 3", "band = 3: expected a table"),
        ("seed = 3", "seed: "),
    ] {
        let error = read(text).expect_err("it is wrong");
        assert!(error.starts_with(expect), "{error}");
    }
}

#[test]
fn a_rule_knows_where_its_table_stands() {
    let error = read("[band]\nhigh = 3").expect_err("it is odd");
    assert_eq!(error, "band.high: band.high must be even");
}
