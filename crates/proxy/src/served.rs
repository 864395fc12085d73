//! A box with its profile and stats.

use crate::config::Profile;
use base::Time;
use bytes::Bytes;
use middlebox::{Connection, Leg, Managed, Role, SchemeKeys};
use observe::BoxContext;

use crate::journal_places::BoxPlaces;
use crate::stats::{OthersTally, Stats};

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
        let keys = profile.middlebox.keys().filter(|keys| keys.schedules_others());
        let classes = keys.map(SchemeKeys::classes);
        Self {
            profile,
            machine,
            stats: Stats::new(OthersTally::new(classes)),
            places: BoxPlaces::default(),
            status: ProfileStatus::Current,
        }
    }

    /// True if packets of this way that no box reads wait for their turn with it.
    pub(crate) fn schedules(&self, connection: &Connection) -> bool {
        let Connection { source, destination, .. } = connection;
        match self.profile.role() {
            Role::Network => destination.leg == Leg::Radio && self.profile.schedules_others(),
            Role::Subscriber => (source.leg, destination.leg) == (Leg::Radio, Leg::Wired),
        }
    }

    /// True if the source of such packets answers the echo requests of its box.
    pub(crate) fn asks(&self, connection: &Connection) -> bool {
        match self.profile.role() {
            Role::Network => connection.source.leg == Leg::Radio,
            Role::Subscriber => connection.destination.leg == Leg::Radio,
        }
    }

    /// Place among the classes of the profile of the one that a packet is in.
    pub(crate) fn class_of(&self, ports: Option<[u16; 2]>, dscp: u8) -> Option<u32> {
        let ports = ports.as_ref().map_or(&[][..], |ports| ports);
        self.profile.middlebox.keys().and_then(|keys| keys.class_of(ports, dscp))
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
