//! A connection that a scheme follows.

use base::{Flags, Seq, Time};
use tcp::{Payload, Segment};

use super::{Follow, Load};
use crate::side::{Pair, Side};
use crate::syn::Syn;
use crate::table::{Name, Named};
use crate::{Address, Connection, MiddleboxLimits, Reserve};

/// A connection that is followed.
#[derive(Debug)]
pub(super) struct Followed<F> {
    pub(super) name: Name,
    /// Its number among those that were established.
    pub(super) number: u32,
    pub(super) stage: Stage,
    pub(super) ends: Pair<End<F>>,
    pub(super) heard: Time,
}

impl<F> Named for Followed<F> {
    fn name(&self) -> &Name {
        &self.name
    }
}

/// The state of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// The caller has not acknowledged the callee.
    Opening,
    /// It has: the connection is established.
    Established,
    /// It has, but the budget has no room for it.
    Refused,
}

/// One end of a connection.
#[derive(Debug)]
pub(super) struct End<F> {
    /// Its SYN, as it first passed.
    pub(super) syn: Option<Syn>,
    /// The number after its FIN.
    pub(super) fin: Option<Seq>,
    pub(super) fin_acked: bool,
    /// Data towards it, if it is a mobile; boxed, since usually one end is not.
    pub(super) toward: Option<Box<Toward<F>>>,
}

/// One direction towards a mobile.
#[derive(Debug)]
pub(super) struct Toward<F> {
    pub(super) mobile: u32,
    pub(super) follow: F,
    /// As counted in the sum of the mobile.
    pub(super) load: Load,
}

impl<F> Followed<F> {
    pub(super) fn deadlines<P: Payload>(&self) -> [Option<Time>; 2]
    where
        F: Follow<P>,
    {
        self.ends
            .0
            .each_ref()
            .map(|end| end.toward.as_ref().and_then(|toward| toward.follow.poll_timeout()))
    }

    /// The host on `side`.
    pub(super) const fn host(&self, side: Side) -> Address {
        let Connection { source, destination, .. } = self.name.connection();
        match side {
            Side::Caller => source,
            Side::Callee => destination,
        }
    }

    /// What the box can come to keep of both directions.
    pub(super) fn reserve<P: Payload>(&self) -> Reserve
    where
        F: Follow<P>,
    {
        let toward = self.ends.0.iter().filter_map(|end| end.toward.as_ref());
        let per_flow = toward.map(|toward| toward.follow.reserve()).sum();
        Reserve { per_mobile: 0, per_flow }
    }

    /// Bytes that the box keeps of both directions.
    pub(super) fn held(&self) -> u64 {
        self.ends
            .0
            .iter()
            .filter_map(|end| end.toward.as_ref())
            .map(|toward| toward.load.held)
            .sum()
    }

    pub(super) fn idle_at(&self, limits: &MiddleboxLimits) -> Time {
        let goes_on = self.ends.0.iter().all(|end| end.fin.is_none());
        self.heard
            + match self.stage {
                Stage::Established if goes_on => limits.idle,
                Stage::Established | Stage::Opening | Stage::Refused => limits.transitory,
            }
    }

    /// `segment`, which is not a SYN, came from `side`: true if it is the first with which the
    /// caller acknowledges the callee.
    pub(super) fn stands_with<P: Payload>(&self, side: Side, segment: &Segment<P>) -> bool {
        self.stage == Stage::Opening
            && side == Side::Caller
            && segment.has(Flags::ACK)
            && self.ends.0.iter().all(|end| end.syn.is_some())
    }

    /// `segment` came from `side`: true once both directions are over.
    pub(super) fn is_over_with<P: Payload>(&mut self, side: Side, segment: &Segment<P>) -> bool {
        if segment.has(Flags::FIN) {
            self.ends[side].fin = Some(segment.header.seq + segment.numbers());
        }
        if segment.has(Flags::ACK) {
            let end = &mut self.ends[side.other()];
            end.fin_acked |= end.fin.is_some_and(|fin| fin.before_or_at(segment.header.ack));
        }
        self.ends.0.iter().all(|end| end.fin_acked)
    }
}

impl<F> End<F> {
    pub(super) const NEW: Self = Self { syn: None, fin: None, fin_acked: false, toward: None };
}
