//! Tables with a schema, and how they stand in each other.

use std::marker::PhantomData;

use super::{Form, Key, MEMBER, Scope, join, refuse_unknown, table};
use crate::error::Fault;
use crate::tree::{Item, Node, Table};

/// A table with a schema: what [`section!`](crate::section) and [`kinds!`](crate::kinds) declare.
pub trait Section: Clone + Default {
    /// Takes over the keys that `table`, which stands under `at`, has; those that are not its own
    /// do nothing.
    fn overlay(&mut self, table: &Table, at: &str) -> Result<(), Fault>;

    /// Adds the names of its keys to `names`; of a [`Shared`] table those in it, dotted.
    fn names(&self, names: &mut Vec<String>);

    /// Shows the keys of the `scope` to `visit`.
    fn visit(&self, at: &str, scope: Scope, visit: &mut dyn FnMut(Key));

    /// Whether values go together: by its own rule, and those of the tables in it. It stands under
    /// `at` in `tree`, which has what was written.
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault>;

    /// Takes over the keys that `table` has, and refuses those that are not its own.
    fn read(&mut self, table: &Table, at: &str) -> Result<(), Fault> {
        self.overlay(table, at)?;
        let mut names = Vec::new();
        self.names(&mut names);
        refuse_unknown(table, at, &names)
    }
}

/// The keys of the table `at` that say something, as `section` was read from `tree`: what stands
/// there and is not the default, and is not overruled by one of the keys `by`, which was set.
pub fn changed_keys<S: Section>(section: &S, tree: &Table, at: &str, by: &[&str]) -> Vec<String> {
    let mut usual = Vec::new();
    S::default().visit(at, Scope::Every, &mut |key| usual.push((key.name, key.value)));
    let mut changed = Vec::new();
    section.visit(at, Scope::Present, &mut |Key { name, value, .. }| {
        let is_said =
            tree.find(&name).is_some() && !by.iter().any(|by| tree.is_overruled(&name, by));
        let said = (name, value);
        if is_said && !usual.contains(&said) {
            changed.push(said.0);
        }
    });
    changed
}

/// Refuses a value of the key `low` of the table `at` that is above that of `high`. A word in the
/// place of a number is in order with any other.
///
/// # Errors
/// If it is above.
pub fn in_order<S: Section>(
    section: &S,
    tree: &Table,
    at: &str,
    [low, high]: [&str; 2],
) -> Result<(), Fault> {
    let keys = [join(at, low), join(at, high)];
    let mut found = keys.each_ref().map(|_| None);
    section.visit(at, Scope::Present, &mut |key| {
        if let Some(index) = keys.iter().position(|name| *name == key.name) {
            found[index] = key.takes.number(&key.value).map(|number| (number, key));
        }
    });
    match found {
        [Some((least, low)), Some((most, high))] if least > most => {
            let [low, high] = [low, high].map(|key| format!("{}, {}", key.name, key.value));
            let message = format!("{low}, must not be above {high}");
            tree.clash(&keys.each_ref().map(String::as_str), message)
        }
        [_, _] => Ok(()),
    }
}

/// How a field of a section stands in its table: under its own name, whatever [`Form`] it has, or
/// as several keys beside the others ([`Flat`]).
pub trait Field {
    /// What is read.
    type Value;

    /// Takes over what the table `at` has of the field called `name`.
    fn overlay(
        value: &mut Self::Value,
        table: &Table,
        at: &str,
        name: &'static str,
    ) -> Result<(), Fault>;

    /// Adds the names of its keys to `names`.
    fn names(value: &Self::Value, name: &'static str, names: &mut Vec<String>);

    /// Shows the keys of the `scope` to `visit`. `key` is the dotted key of the table and the name.
    fn visit(
        value: &Self::Value,
        key: (&str, &'static str),
        doc: &str,
        scope: Scope,
        visit: &mut dyn FnMut(Key),
    );

    /// Whether values go together, as [`Section::check`]. `name` is the field's in the table `at`.
    fn check(
        _value: &Self::Value,
        _tree: &Table,
        (_at, _name): (&str, &'static str),
    ) -> Result<(), Fault> {
        Ok(())
    }
}

impl<F: Form> Field for F {
    type Value = F::Value;

    fn overlay(
        value: &mut F::Value,
        table: &Table,
        at: &str,
        name: &'static str,
    ) -> Result<(), Fault> {
        if let Some(item) = table.get(name) {
            *value = F::read(item, &join(at, name), value)?;
        }
        Ok(())
    }

    fn names(_: &F::Value, name: &'static str, names: &mut Vec<String>) {
        names.push(name.to_owned());
    }

    fn visit(
        value: &F::Value,
        (at, name): (&str, &'static str),
        doc: &str,
        scope: Scope,
        visit: &mut dyn FnMut(Key),
    ) {
        F::visit(value, &join(at, name), doc, scope, visit);
    }

    fn check(
        value: &F::Value,
        tree: &Table,
        (at, name): (&str, &'static str),
    ) -> Result<(), Fault> {
        F::check(value, tree, &join(at, name))
    }
}

/// A section whose keys stand beside those of the table that it is a field of.
pub struct Flat<S>(PhantomData<S>);

impl<S: Section> Field for Flat<S> {
    type Value = S;

    fn overlay(value: &mut S, table: &Table, at: &str, _: &'static str) -> Result<(), Fault> {
        value.overlay(table, at)
    }

    fn names(value: &S, _: &'static str, names: &mut Vec<String>) {
        value.names(names);
    }

    fn visit(
        value: &S,
        (at, _): (&str, &'static str),
        _: &str,
        scope: Scope,
        visit: &mut dyn FnMut(Key),
    ) {
        value.visit(at, scope, visit);
    }

    fn check(value: &S, tree: &Table, (at, _): (&str, &'static str)) -> Result<(), Fault> {
        value.check(tree, at)
    }
}

/// A table to which other sections add keys of their own under the same name.
pub struct Shared<S>(PhantomData<S>);

impl<S: Section> Field for Shared<S> {
    type Value = S;

    fn overlay(value: &mut S, outer: &Table, at: &str, name: &'static str) -> Result<(), Fault> {
        let Some(item) = outer.get(name) else { return Ok(()) };
        let key = join(at, name);
        value.overlay(table(item, &key)?, &key)
    }

    fn names(value: &S, name: &'static str, names: &mut Vec<String>) {
        let mut own = Vec::new();
        value.names(&mut own);
        names.extend(own.iter().map(|own| join(name, own)));
    }

    fn visit(
        value: &S,
        (at, name): (&str, &'static str),
        _: &str,
        scope: Scope,
        visit: &mut dyn FnMut(Key),
    ) {
        value.visit(&join(at, name), scope, visit);
    }

    fn check(value: &S, tree: &Table, (at, name): (&str, &'static str)) -> Result<(), Fault> {
        value.check(tree, &join(at, name))
    }
}

/// A value that is no key: whoever makes the section sets it.
pub struct NoKey<T>(PhantomData<T>);

impl<T> Field for NoKey<T> {
    type Value = T;

    fn overlay(_: &mut T, _: &Table, _: &str, _: &'static str) -> Result<(), Fault> {
        Ok(())
    }

    fn names(_: &T, _: &'static str, _: &mut Vec<String>) {}

    fn visit(_: &T, _: (&str, &'static str), _: &str, _: Scope, _: &mut dyn FnMut(Key)) {}
}

/// A table that is always there.
pub struct Always<S>(PhantomData<S>);

impl<S: Section> Form for Always<S> {
    type Value = S;

    fn read(item: &Item, key: &str, default: &S) -> Result<S, Fault> {
        let mut section = default.clone();
        section.read(table(item, key)?, key)?;
        Ok(section)
    }

    fn visit(value: &S, key: &str, _: &str, scope: Scope, visit: &mut dyn FnMut(Key)) {
        value.visit(key, scope, visit);
    }

    fn check(value: &S, tree: &Table, key: &str) -> Result<(), Fault> {
        value.check(tree, key)
    }
}

/// A table that may be left out.
pub struct Perhaps<S>(PhantomData<S>);

impl<S: Section> Form for Perhaps<S> {
    type Value = Option<S>;

    fn read(item: &Item, key: &str, default: &Option<S>) -> Result<Option<S>, Fault> {
        Always::<S>::read(item, key, &default.clone().unwrap_or_default()).map(Some)
    }

    fn visit(value: &Option<S>, key: &str, _: &str, scope: Scope, visit: &mut dyn FnMut(Key)) {
        match (value, scope) {
            (Some(section), _) => section.visit(key, scope, visit),
            (None, Scope::Every) => S::default().visit(key, scope, visit),
            (None, Scope::Present) => {}
        }
    }

    fn check(value: &Option<S>, tree: &Table, key: &str) -> Result<(), Fault> {
        value.as_ref().map_or(Ok(()), |section| section.check(tree, key))
    }
}

/// The member of a list that has a name.
pub trait Named {
    /// The name.
    fn name(&self) -> &str;

    /// The same under another `name`.
    #[must_use]
    fn renamed(self, name: String) -> Self;
}

/// A list of tables, `[[…]]`, whose members go by name.
pub struct Each<S>(PhantomData<S>);

impl<S: Section + Named> Form for Each<S> {
    type Value = Vec<S>;

    fn read(item: &Item, key: &str, _default: &Vec<S>) -> Result<Vec<S>, Fault> {
        let Node::List(items) = &item.node else {
            return Err(item.fault(key, format!("expected a list of tables, [[{key}]]")));
        };
        let member = |(index, item): (usize, &Item)| {
            let at = item.name().map_or_else(|| format!("{key}[{index}]"), |name| join(key, name));
            Always::<S>::read(item, &at, &S::default())
        };
        items.iter().enumerate().map(member).collect()
    }

    fn visit(value: &Vec<S>, key: &str, _: &str, scope: Scope, visit: &mut dyn FnMut(Key)) {
        // A list in a member of itself stays empty.
        let list = key.rsplit('.').next().unwrap_or_default();
        let is_inner = key.contains(&format!("{list}.{MEMBER}."));
        let is_wanted = scope == Scope::Every && value.is_empty() && !is_inner;
        let example = is_wanted.then(|| S::default().renamed(MEMBER.to_owned()));
        for section in value.iter().chain(&example) {
            section.visit(&join(key, section.name()), scope, visit);
        }
    }

    fn check(value: &Vec<S>, tree: &Table, key: &str) -> Result<(), Fault> {
        value.iter().try_for_each(|section| section.check(tree, &join(key, section.name())))
    }
}

/// Implements [`Named`] for sections with a field called `name`.
#[macro_export]
macro_rules! named {
    ($($section:ty),*) => {
        $(impl $crate::Named for $section {
            fn name(&self) -> &str {
                &self.name
            }

            fn renamed(mut self, name: String) -> Self {
                self.name = name;
                self
            }
        })*
    };
}

/// Declares a table: for each key its type, its form and its default. The doc comments are the
/// documentation of the keys. Behind the fields, `in_order(low, high)` names two keys of numbers of
/// which the first must not be above the second, and `check(Self::…)` a method with the arguments
/// of [`Section::check`] that has any other rule by which values go together.
///
/// ```
/// use settings::{Count, Flag, section};
///
/// section! {
///     /// `[toy]`: an example.
///     pub struct Toy {
///         /// How many there are. Default: our choice.
///         pub size: u32 as Count<u32, 1, 100> = 3;
///         /// The most that there can be.
///         pub most: u32 as Count<u32, 1, 100> = 8;
///         /// Whether they move.
///         pub moves: bool as Flag = false;
///     }
///     in_order(size, most)
/// }
/// assert_eq!(Toy::default().size, 3);
/// ```
#[macro_export]
macro_rules! section {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            $($(#[doc = $doc:literal])* pub $field:ident: $type:ty as $form:ty = $default:expr;)*
        }
        $(in_order($low:ident, $high:ident))*
        $(check($check:path))?
    ) => {
        $(#[$attribute])*
        #[derive(Clone, PartialEq, Debug)]
        pub struct $name {
            $($(#[doc = $doc])* pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $default,)* }
            }
        }

        impl $crate::Section for $name {
            fn overlay(
                &mut self,
                table: &$crate::Table,
                at: &str,
            ) -> Result<(), $crate::Fault> {
                $(<$form as $crate::Field>::overlay(
                    &mut self.$field, table, at, stringify!($field),
                )?;)*
                Ok(())
            }

            fn names(&self, names: &mut Vec<String>) {
                $(<$form as $crate::Field>::names(&self.$field, stringify!($field), names);)*
            }

            fn visit(
                &self,
                at: &str,
                scope: $crate::Scope,
                visit: &mut dyn FnMut($crate::Key),
            ) {
                $({
                    let doc = concat!($($doc, "\n"),*);
                    let key = (at, stringify!($field));
                    <$form as $crate::Field>::visit(&self.$field, key, doc, scope, visit);
                })*
            }

            fn check(&self, tree: &$crate::Table, at: &str) -> Result<(), $crate::Fault> {
                $($crate::in_order(
                    self, tree, at, [stringify!($low), stringify!($high)],
                )?;)*
                $($check(self, tree, at)?;)?
                $({
                    let key = (at, stringify!($field));
                    <$form as $crate::Field>::check(&self.$field, tree, key)?;
                })*
                Ok(())
            }
        }
    };
}
