//! A box and what goes with it.

use crate::config::Profile;
use base::Time;
use bytes::Bytes;
use middlebox::{Connection, Managed, Packet, PmtuHandler};

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

    pub(crate) fn handle_packet(&mut self, now: Time, packet: Packet<Bytes>) {
        let Self { machine, stats, .. } = self;
        machine.handle_packet(now, packet, &mut |fact| stats.note(now, fact));
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        let Self { machine, stats, .. } = self;
        machine.handle_timeout(now, &mut |fact| stats.note(now, fact));
    }

    pub(crate) fn handle_path_mtu(
        &mut self,
        now: Time,
        connection: Connection,
        mtu: u16,
    ) -> PmtuHandler {
        let Self { machine, stats, .. } = self;
        machine.handle_path_mtu(now, connection, mtu, &mut |fact| stats.note(now, fact))
    }

    pub(crate) fn drain(&mut self, now: Time) {
        let Self { machine, stats, .. } = self;
        machine.drain(now, &mut |fact| stats.note(now, fact));
    }

    pub(crate) fn end(&mut self, now: Time) {
        let Self { machine, stats, .. } = self;
        machine.reset_all(now, &mut |fact| stats.note(now, fact));
    }

    pub(crate) fn poll_output(&mut self, now: Time) -> Option<Packet<Bytes>> {
        let Self { machine, stats, .. } = self;
        machine.poll_output(now, &mut |fact| stats.note(now, fact))
    }
}
