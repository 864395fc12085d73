//! Tables that lie over another: what they leave out is as in that one.

use std::any::Any;
use std::marker::PhantomData;

use super::{Field, Key, Scope, Section, Shared, join};
use crate::error::Fault;
use crate::tree::Table;

/// A section that may lie over a table `P`.
pub trait Heir<P>: Section {
    /// The table.
    const PARENT: &'static str;

    /// True if it takes over the key `name` of the table.
    fn inherits(name: &str) -> bool;

    /// The section without keys of its own: what it takes over of `parent`, else its `default`.
    fn heir(parent: &P, default: &Self) -> Self;
}

/// The tables that others lie over, by their types.
#[derive(Clone, Copy, Debug)]
pub struct Parents<'a>(pub &'a [&'a dyn Any]);

impl Parents<'_> {
    fn get<P: 'static>(&self) -> Option<&P> {
        self.0.iter().find_map(|parent| parent.downcast_ref())
    }
}

/// The keys of `S` in a table that lies over the table `P`. A key that it does not have is as in
/// `P`, or as declared if `S` does not take it over.
pub struct Over<P, S>(PhantomData<(P, S)>);

impl<P: 'static, S: Heir<P>> Field for Over<P, S> {
    type Value = S;

    fn overlay(value: &mut S, outer: &Table, at: &str, name: &'static str) -> Result<(), Fault> {
        Shared::<S>::overlay(value, outer, at, name)
    }

    fn names(value: &S, name: &'static str, names: &mut Vec<String>) {
        Shared::<S>::names(value, name, names);
    }

    fn visit(
        value: &S,
        (at, name): (&str, &'static str),
        doc: &str,
        scope: Scope,
        visit: &mut dyn FnMut(Key),
    ) {
        let table = join(at, name);
        Shared::<S>::visit(value, (at, name), doc, scope, &mut |mut key| {
            let own = key.name.strip_prefix(&table).and_then(|rest| rest.strip_prefix('.'));
            let parent = own.filter(|own| S::inherits(own)).map(|own| join(S::PARENT, own));
            key.inherits = parent.or(key.inherits);
            visit(key);
        });
    }

    fn check(value: &S, tree: &Table, key: (&str, &'static str)) -> Result<(), Fault> {
        Shared::<S>::check(value, tree, key)
    }

    fn inherit(
        value: &mut S,
        default: &S,
        tree: &Table,
        (at, name): (&str, &'static str),
        parents: Parents<'_>,
    ) -> Result<(), Fault> {
        let Some(parent) = parents.get::<P>() else { return Ok(()) };
        *value = S::heir(parent, default);
        if let Some(outer) = tree.table(at) {
            Self::overlay(value, outer, at, name)?;
        }
        Shared::<S>::inherit(value, default, tree, (at, name), parents)
    }
}

/// Gives the `keys` that lie over a table the values of the `parents` that they take over.
pub fn take_over(keys: &mut [Key], parents: &[Key]) {
    for key in keys.iter_mut() {
        let parent = parents.iter().find(|parent| Some(&parent.name) == key.inherits.as_ref());
        if let Some(parent) = parent {
            key.value.clone_from(&parent.value);
        }
    }
}

/// Declares what a section takes over of a table: all but some keys, of a table of its own type, or
/// some alone.
#[macro_export]
macro_rules! heir {
    ($name:ident of $parent:ty as $table:literal: all but $($own:ident),+) => {
        impl $crate::Heir<$parent> for $name {
            const PARENT: &'static str = $table;

            fn inherits(name: &str) -> bool {
                ![$(stringify!($own)),+].contains(&name)
            }

            fn heir(parent: &$parent, default: &Self) -> Self {
                Self { $($own: default.$own.clone(),)+ ..parent.clone() }
            }
        }
    };
    ($name:ident of $parent:ty as $table:literal: $($taken:ident),+) => {
        impl $crate::Heir<$parent> for $name {
            const PARENT: &'static str = $table;

            fn inherits(name: &str) -> bool {
                [$(stringify!($taken)),+].contains(&name)
            }

            fn heir(parent: &$parent, default: &Self) -> Self {
                let mut heir = default.clone();
                $(heir.$taken.clone_from(&parent.$taken);)+
                heir
            }
        }
    };
}
