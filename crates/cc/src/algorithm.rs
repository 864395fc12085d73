//! Which algorithm, with its parameters: the registry of those that ship, and others.

use std::fmt;
use std::sync::Arc;

use settings::{Leaf, Scalar, Takes, Word};

use crate::{Algorithm, Controller, Limits, Parameters};

/// Registers algorithms, a line for each: its type, what its constructor takes besides [`Limits`]
/// (a field of [`Parameters`]), and its word.
macro_rules! algorithms {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident $(($field:ident: $type:ty as $form:ty))? = $word:literal,
    )*) => {
        settings::words! {
            /// A congestion control that ships.
            pub enum Algorithm {
                $($(#[doc = $doc])* $name = $word,)*
            }
        }

        settings::section! {
            /// Parameters of all congestion controls besides [`Limits`], including those that are
            /// not in use.
            #[derive(Copy)]
            pub struct Parameters {
                $($(
                    /// Parameters of the algorithm of that name.
                    pub $field: $type as $form = Default::default();
                )?)*
            }
            $($(waits_for($field: variant, congestion_control, recovery is [$word]))?)*
        }

        impl Algorithm {
            /// A controller for a connection that begins.
            pub fn controller(
                self,
                limits: &Limits,
                parameters: &Parameters,
            ) -> Box<dyn Controller> {
                match self {
                    $(Self::$name => Box::new($name::new(limits $(, parameters.$field)?)),)*
                }
            }
        }
    };
}
pub(crate) use algorithms;

/// A congestion control: makes a [`Controller`] for each connection.
#[derive(Clone, PartialEq, Debug)]
pub enum CongestionControl {
    /// One that ships.
    Shipped(Algorithm),
    /// A custom one.
    Custom(Custom),
}

impl CongestionControl {
    /// As it is written.
    pub fn name(&self) -> &str {
        match self {
            Self::Shipped(algorithm) => algorithm.name(),
            Self::Custom(custom) => custom.name(),
        }
    }

    /// A controller for a connection that begins.
    pub fn controller(&self, limits: &Limits, parameters: &Parameters) -> Box<dyn Controller> {
        match self {
            Self::Shipped(algorithm) => algorithm.controller(limits, parameters),
            Self::Custom(custom) => (custom.make)(limits),
        }
    }
}

impl From<Algorithm> for CongestionControl {
    fn from(algorithm: Algorithm) -> Self {
        Self::Shipped(algorithm)
    }
}

impl From<Custom> for CongestionControl {
    fn from(custom: Custom) -> Self {
        Self::Custom(custom)
    }
}

/// The form of [`CongestionControl`]. Custom ones are looked up before the text is read.
#[derive(Debug)]
pub struct Controlled;

impl Leaf for Controlled {
    type Value = CongestionControl;

    fn expected() -> String {
        Word::<Algorithm>::expected()
    }

    fn takes() -> Takes {
        Word::<Algorithm>::takes()
    }

    fn parse(scalar: &Scalar) -> Result<CongestionControl, String> {
        Word::<Algorithm>::parse(scalar).map(CongestionControl::Shipped)
    }

    fn show(value: &CongestionControl) -> String {
        value.name().to_owned()
    }
}

/// An algorithm from outside this crate, by what makes its controllers.
#[derive(Clone)]
pub struct Custom {
    name: Arc<str>,
    make: Arc<Make>,
}

type Make = dyn Fn(&Limits) -> Box<dyn Controller> + Send + Sync;

impl Custom {
    /// The algorithm called `name`, whose controllers `make` makes.
    pub fn new(
        name: &str,
        make: impl Fn(&Limits) -> Box<dyn Controller> + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.into(), make: Arc::new(make) }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// True if both are the same.
impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.make, &other.make)
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Custom({})", self.name)
    }
}
