//! How a table is declared.

use super::{Scope, Section, join};
use crate::error::Fault;
use crate::tree::Table;

/// Declares a table: for each key its type, its form and its default. The doc comments are the
/// documentation of the keys. Behind the fields stand rules, in this order, with keys of the table
/// and dotted ones of tables in it:
///
/// - `profile(Self::…)`: a method with the arguments of [`Section::overlay`], which lays a named
///   set of defaults below the keys;
/// - `heir(of P as "table": …)`: what it takes over where it lies over that table
///   ([`Over`](crate::Over)), as [`heir!`](crate::heir) reads it;
/// - `means(key: Self::…)`: a method that lists the words which count beside the value of the key;
/// - `in_order(low, high)`: of two keys of numbers the first must not be above the second;
/// - `supersedes(key: others)`: a setting of the key takes away what the file says under others;
/// - `only_with(key: other is [words])`, or `not "word"`, or a table that has to be there: without
///   that, the key or table does nothing, so that a file must not have it. A setting may, with a
///   note: in a sweep it stands beside one value of the other key after the next;
/// - `waits_for(key: …)`: the same, but a file may have it as well, for settings of the other key;
/// - `check(Self::…)`: a method with the arguments of [`Section::check`] that has any other rule by
///   which values go together.
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
///         /// How far, in steps.
///         pub steps: u32 as Count<u32, 1, 100> = 1;
///     }
///     in_order(size, most)
///     supersedes(most: size)
///     only_with(steps: moves is ["true"])
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
        $(profile($profile:path))?
        $(heir($($heir:tt)+))?
        $(means($meaning:ident: $means:path))?
        $(in_order($low:ident, $high:ident))*
        $(supersedes($($by:ident).+: $($($over:ident).+),+))*
        $(only_with(
            $($subject:ident).+: $($($key:ident).+),+ $(is $words:tt)? $(not $word:literal)?
        ))*
        $(waits_for($waiting:ident: $($awaited:ident),+ is $choices:tt))*
        $(check($check:path))?
    ) => {
        $($crate::heir! { $name $($heir)+ })?

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
                $($profile(self, table, at)?;)?
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
                let rules: Vec<$crate::Rule> = vec![
                    $($crate::Rule::means(at, stringify!($meaning), $means(self)),)?
                    $($crate::Rule::supersedes(
                        at,
                        $crate::dotted!($($by).+),
                        &[$($crate::dotted!($($over).+)),+],
                    ),)*
                    $($crate::Rule::only_with(
                        at,
                        $crate::dotted!($($subject).+),
                        &[$($crate::dotted!($($key).+)),+],
                        $crate::test!($(is $words)? $(not $word)?),
                    ),)*
                    $($crate::Rule::waits_for(
                        at,
                        stringify!($waiting),
                        &[$(stringify!($awaited)),+],
                        $crate::test!(is $choices),
                    ),)*
                ];
                let visit = &mut |key: $crate::Key| visit(key.under(&rules));
                $({
                    let doc = match scope {
                        $crate::Scope::Values => "",
                        $crate::Scope::Present | $crate::Scope::Every => concat!($($doc, "\n"),*),
                    };
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

            fn inherit(
                &mut self,
                default: &Self,
                tree: &$crate::Table,
                at: &str,
                parents: $crate::Parents<'_>,
            ) -> Result<(), $crate::Fault> {
                $({
                    let (value, default) = (&mut self.$field, &default.$field);
                    let key = (at, stringify!($field));
                    <$form as $crate::Field>::inherit(value, default, tree, key, parents)?;
                })*
                Ok(())
            }
        }
    };
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
    section.visit(at, Scope::Values, &mut |key| {
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
