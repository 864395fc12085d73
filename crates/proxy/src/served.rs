//! A box with its profile and stats.

use crate::config::Profile;
use base::Time;
use bytes::Bytes;
use middlebox::Managed;
use observe::BoxContext;

use crate::journal_places::BoxPlaces;
use crate::stats::Stats;

/// The mobiles of one profile, as long as they have connections.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) profile: Profile,
    pub(crate) machine: Box<dyn Managed<Bytes>>,
    pub(crate) stats: Stats,
    pub(crate) places: BoxPlaces,
    pub(crate) status: ProfileStatus,
}

/// Whether a profile gets new connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProfileStatus {
    /// It is in the configuration.
    Current,
    /// It was, and is kept for the connections that it still has.
    Retired,
}

impl Served {
    pub(crate) fn new(profile: Profile, machine: Box<dyn Managed<Bytes>>) -> Self {
        Self {
            profile,
            machine,
            stats: Stats::default(),
            places: BoxPlaces::default(),
            status: ProfileStatus::Current,
        }
    }

    /// Calls the box, and notes the facts that it reports.
    pub(crate) fn with<R>(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut dyn Managed<Bytes>, &mut BoxContext<'_>) -> R,
    ) -> R {
        let Self { machine, stats, .. } = self;
        let observe = &mut |fact| stats.note(now, fact);
        act(&mut **machine, &mut BoxContext { now, observe })
    }
}
