//! Which algorithm, with its parameters.

use std::fmt;
use std::sync::Arc;

use crate::{
    Bbr, BbrParameters, Controller, Cubic, CubicParameters, Limits, Reno, RenoParameters, Tahoe,
    Vegas, VegasParameters, Westwood, WestwoodParameters, Wtcp,
};

/// A congestion control and its parameters: makes one [`Controller`] for each connection.
#[derive(Clone, Debug)]
pub enum Algorithm {
    /// [`Tahoe`].
    Tahoe,
    /// [`Reno`].
    Reno(RenoParameters),
    /// [`Vegas`].
    Vegas(VegasParameters),
    /// [`Westwood`].
    Westwood(WestwoodParameters),
    /// [`Cubic`].
    Cubic(CubicParameters),
    /// [`Bbr`].
    Bbr(BbrParameters),
    /// [`Wtcp`].
    Wtcp,
    /// One that is not ours.
    Custom(Custom),
}

impl Algorithm {
    /// A controller for a connection that begins.
    pub fn controller(&self, limits: &Limits) -> Box<dyn Controller> {
        match self {
            Self::Tahoe => Box::new(Tahoe::new(limits)),
            Self::Reno(parameters) => Box::new(Reno::new(limits, *parameters)),
            Self::Vegas(parameters) => Box::new(Vegas::new(limits, *parameters)),
            Self::Westwood(parameters) => Box::new(Westwood::new(limits, *parameters)),
            Self::Cubic(parameters) => Box::new(Cubic::new(limits, *parameters)),
            Self::Bbr(parameters) => Box::new(Bbr::new(limits, *parameters)),
            Self::Wtcp => Box::new(Wtcp::new(limits)),
            Self::Custom(custom) => (custom.make)(limits),
        }
    }
}

/// An algorithm from outside this room, by what makes its controllers.
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

/// One and the same.
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
