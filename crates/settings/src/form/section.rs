//! Tables with a schema, and how they stand in each other.

use std::marker::PhantomData;

use super::{Form, Key, MEMBER, Parents, Scope, join, refuse_unknown, table};
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

    /// Lays the tables in it that lie over others ([`Over`](super::Over)) over `parents`. It was
    /// read from `tree`, where it stands under `at`; `default` is what it was declared to be.
    fn inherit(
        &mut self,
        _default: &Self,
        _tree: &Table,
        _at: &str,
        _parents: Parents<'_>,
    ) -> Result<(), Fault> {
        Ok(())
    }

    /// Takes over the keys that `table` has, and refuses those that are not its own.
    fn read(&mut self, table: &Table, at: &str) -> Result<(), Fault> {
        self.overlay(table, at)?;
        let mut names = Vec::new();
        self.names(&mut names);
        refuse_unknown(table, at, &names)
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

    /// Lays the tables in it over `parents`, as [`Section::inherit`].
    fn inherit(
        _value: &mut Self::Value,
        _default: &Self::Value,
        _tree: &Table,
        (_at, _name): (&str, &'static str),
        _parents: Parents<'_>,
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

    fn inherit(
        value: &mut F::Value,
        default: &F::Value,
        tree: &Table,
        (at, name): (&str, &'static str),
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        F::inherit(value, default, tree, &join(at, name), parents)
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

    fn inherit(
        value: &mut S,
        default: &S,
        tree: &Table,
        (at, _): (&str, &'static str),
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        value.inherit(default, tree, at, parents)
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

    fn inherit(
        value: &mut S,
        default: &S,
        tree: &Table,
        (at, name): (&str, &'static str),
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        value.inherit(default, tree, &join(at, name), parents)
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

    fn inherit(
        value: &mut S,
        default: &S,
        tree: &Table,
        key: &str,
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        value.inherit(default, tree, key, parents)
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
        let mut visit = |inner: Key| visit(inner.within(key));
        match (value, scope) {
            (Some(section), _) => section.visit(key, scope, &mut visit),
            (None, Scope::Every) => S::default().visit(key, scope, &mut visit),
            (None, Scope::Present | Scope::Values) => {}
        }
    }

    fn check(value: &Option<S>, tree: &Table, key: &str) -> Result<(), Fault> {
        value.as_ref().map_or(Ok(()), |section| section.check(tree, key))
    }

    fn inherit(
        value: &mut Option<S>,
        default: &Option<S>,
        tree: &Table,
        key: &str,
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        let Some(section) = value else { return Ok(()) };
        section.inherit(&default.clone().unwrap_or_default(), tree, key, parents)
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
            let message = match &item.node {
                Node::Table(_) if item.is_set() => {
                    format!("no [[{key}]] of that name: the scenario lists none")
                }
                _ => format!("expected a list of tables, [[{key}]]"),
            };
            return Err(item.fault(key, message));
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
            let mut visit = |inner: Key| visit(inner.within(key));
            section.visit(&join(key, section.name()), scope, &mut visit);
        }
    }

    fn check(value: &Vec<S>, tree: &Table, key: &str) -> Result<(), Fault> {
        value.iter().try_for_each(|section| section.check(tree, &join(key, section.name())))
    }

    fn inherit(
        value: &mut Vec<S>,
        _: &Vec<S>,
        tree: &Table,
        key: &str,
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        value.iter_mut().try_for_each(|section| {
            let at = join(key, section.name());
            section.inherit(&S::default(), tree, &at, parents)
        })
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
