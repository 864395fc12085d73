//! Tables that have one of several sets of keys.

use super::choice::{find_word, one_of};
use super::{Key, Needs, Scope, Takes, join};
use crate::error::Fault;
use crate::tree::Table;

/// Declares a table in which the key `kind` says which other keys there are. A key of another kind
/// is unknown, as any key that is none; a setting of `kind` takes those of the others away from the
/// file. The first kind is the default. A rule may stand behind them, as with
/// [`section!`](crate::section).
///
/// ```
/// use settings::{Count, Section, Table, kinds};
///
/// kinds! {
///     /// Who is next.
///     pub enum Order {
///         /// Who came first.
///         First = "first",
///         /// Each in turn.
///         Turns {
///             /// How long a turn is.
///             pub length: u32 as Count<u32, 1, 100> = 1;
///         } = "turns",
///     }
/// }
/// let mut order = Order::default();
/// let turns = Table::parse("kind = \"turns\"\nlength = 7").expect("it is TOML");
/// order.read(&turns, "toy").expect("it fits");
/// assert_eq!(order, Order::Turns { length: 7 });
/// let first = Table::parse("kind = \"first\"\nlength = 7").expect("it is TOML");
/// assert!(order.read(&first, "toy").is_err());
/// ```
#[macro_export]
macro_rules! kinds {
    (
        $(#[doc = $about:literal])*
        pub enum $name:ident {
            $(
                $(#[doc = $kind_doc:literal])*
                $kind:ident $({
                    $($(#[doc = $doc:literal])*
                    pub $field:ident: $type:ty as $form:ty = $default:expr;)*
                })? = $word:literal,
            )*
        }
        $(check($check:path))?
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, PartialEq, Debug)]
        pub enum $name {
            $(
                $(#[doc = $kind_doc])*
                $kind $({ $($(#[doc = $doc])* $field: $type,)* })?,
            )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::all().swap_remove(0)
            }
        }

        impl $name {
            /// All kinds, each with the defaults of its keys.
            pub fn all() -> Vec<Self> {
                vec![$(Self::$kind $({ $($field: $default),* })?),*]
            }

            /// As its kind is written.
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind { .. } => $word,)*
                }
            }
        }

        impl $crate::Section for $name {
            fn overlay(
                &mut self,
                table: &$crate::Table,
                at: &str,
            ) -> Result<(), $crate::Fault> {
                let mut all = Self::all();
                let names: Vec<_> = all.iter().map(Self::name).collect();
                if let Some(index) = $crate::kind_of(table, at, &names)?
                    && names[index] != self.name()
                {
                    *self = all.swap_remove(index);
                }
                match self {
                    $(Self::$kind $({ $($field),* })? => {
                        $($(<$form as $crate::Field>::overlay(
                            $field, table, at, stringify!($field),
                        )?;)*)?
                    })*
                }
                Ok(())
            }

            fn names(&self, names: &mut Vec<String>) {
                names.push("kind".to_owned());
                match self {
                    $(Self::$kind $({ $($field),* })? => {
                        $($(<$form as $crate::Field>::names($field, stringify!($field), names);)*)?
                    })*
                }
            }

            fn visit(
                &self,
                at: &str,
                scope: $crate::Scope,
                visit: &mut dyn FnMut($crate::Key),
            ) {
                let own = |kind: &Self, visit: &mut dyn FnMut($crate::Key)| match kind {
                    $(Self::$kind $({ $($field),* })? => {
                        $($({
                            let doc = concat!($($doc, "\n"),*);
                            let key = (at, stringify!($field));
                            <$form as $crate::Field>::visit($field, key, doc, scope, visit);
                        })*)?
                    })*
                };
                let about = concat!($($about, "\n"),*);
                let present = (self, self.name());
                let every: Vec<_> = Self::all()
                    .into_iter()
                    .map(|kind| if kind.name() == self.name() { self.clone() } else { kind })
                    .map(|kind| { let name = kind.name(); (kind, name) })
                    .collect();
                $crate::visit_kinds(present, &every, (at, about), scope, &own, visit);
            }

            fn check(&self, tree: &$crate::Table, at: &str) -> Result<(), $crate::Fault> {
                $($check(self, tree, at)?;)?
                match self {
                    $(Self::$kind $({ $($field),* })? => {
                        $($({
                            let key = (at, stringify!($field));
                            <$form as $crate::Field>::check($field, tree, key)?;
                        })*)?
                    })*
                }
                Ok(())
            }

            fn inherit(
                &mut self,
                _: &Self,
                tree: &$crate::Table,
                at: &str,
                parents: $crate::Parents<'_>,
            ) -> Result<(), $crate::Fault> {
                match self {
                    $(Self::$kind $({ $($field),* })? => {
                        $($({
                            let (default, key): ($type, _) = ($default, (at, stringify!($field)));
                            <$form as $crate::Field>::inherit(
                                $field, &default, tree, key, parents,
                            )?;
                        })*)?
                    })*
                }
                Ok(())
            }
        }
    };
}

/// Which of `names` the key `kind` of the table `at` has; `None` if it is not there.
///
/// # Errors
/// If it is none of them.
pub fn kind_of(table: &Table, at: &str, names: &[&str]) -> Result<Option<usize>, Fault> {
    let Some(item) = table.get("kind") else { return Ok(None) };
    let scalar = item.scalar().ok_or_else(|| format!("expected {}", one_of(names)));
    let found = scalar.and_then(|scalar| find_word(&scalar.text, names));
    found.map(Some).map_err(|message| item.fault(&join(at, "kind"), message))
}

/// What is shown each key.
type Visit<'a> = &'a mut dyn FnMut(Key);

/// Shows the key `kind` of the table `at`, which is `about` it, and then what `own` shows of the
/// kind `present`, or of `every` kind: keys that several kinds have are shown once.
pub fn visit_kinds<K>(
    present: (&K, &'static str),
    every: &[(K, &'static str)],
    (at, about): (&str, &str),
    scope: Scope,
    own: &dyn Fn(&K, Visit<'_>),
    visit: Visit<'_>,
) {
    let names: Vec<_> = every.iter().map(|(_, name)| *name).collect();
    let key = join(at, "kind");
    let takes = Takes::choice(names.iter().copied());
    visit(Key::new(&key, present.1.to_owned(), one_of(&names), takes, about));
    if scope != Scope::Every {
        return own(present.0, visit);
    }
    let mut keys: Vec<(Key, Vec<&'static str>)> = Vec::new();
    for (kind, name) in every {
        own(kind, &mut |key| match keys.iter_mut().find(|(known, _)| known.name == key.name) {
            Some((known, kinds)) => {
                kinds.push(name);
                known.add_kind(name, key);
            }
            None => keys.push((key, vec![name])),
        });
    }
    for (mut shown, kinds) in keys {
        if kinds.len() < every.len() {
            shown.needs.push(Needs { key: key.clone(), kinds });
        }
        visit(shown);
    }
}
