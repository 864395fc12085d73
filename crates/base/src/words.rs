//! Enums whose values can be listed and have names.

/// A value out of a list of names.
pub trait Words: Copy + 'static {
    /// All of them.
    const ALL: &'static [Self];

    /// As it is written.
    fn name(self) -> &'static str;
}

/// The names of all values of `W`, in order.
pub fn names<W: Words>() -> Vec<&'static str> {
    W::ALL.iter().map(|word| word.name()).collect()
}

/// Declares an enum whose values can be listed.
#[macro_export]
macro_rules! listed {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $value:ident,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($(#[$doc])* $value,)*
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$(stringify!($value)),*].len()] = [$(Self::$value),*];
        }
    };
}

/// Declares an enum whose values are written as words.
#[macro_export]
macro_rules! words {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident { $($(#[$doc:meta])* $value:ident = $word:literal,)* }
    ) => {
        $crate::listed! {
            $(#[$attribute])*
            pub enum $name { $($(#[$doc])* $value,)* }
        }

        impl $name {
            /// As it is written.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)*
                }
            }
        }

        impl $crate::Words for $name {
            const ALL: &'static [Self] = &Self::ALL;

            fn name(self) -> &'static str {
                self.name()
            }
        }
    };
}
