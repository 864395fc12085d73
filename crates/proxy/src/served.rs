//! A box and what goes with it.

use crate::config::Profile;
use base::Time;
use bytes::Bytes;
use middlebox::{Managed, Watch};

use crate::places::Lent;
use crate::stats::Stats;

/// The mobiles of one profile, as long as they have connections.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) profile: Profile,
    pub(crate) machine: Box<dyn Managed<Bytes>>,
    pub(crate) stats: Stats,
    pub(crate) lent: Lent,
    pub(crate) standing: Standing,
}

/// Whether a profile gets new connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// It is in the configuration.
    Current,
    /// It was, and is kept for the connections that it has.
    Retired,
}

impl Served {
    pub(crate) fn new(profile: Profile, machine: Box<dyn Managed<Bytes>>) -> Self {
        Self {
            profile,
            machine,
            stats: Stats::default(),
            lent: Lent::default(),
            standing: Standing::Current,
        }
    }

    /// Has the box do something, and notes what it tells meanwhile.
    pub(crate) fn with<R>(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut dyn Managed<Bytes>, Watch<'_>) -> R,
    ) -> R {
        let Self { machine, stats, .. } = self;
        act(&mut **machine, &mut |fact| stats.note(now, fact))
    }
}
