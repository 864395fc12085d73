//! A connection that a scheme follows.

use base::{Flags, Seq, Time};
use tcp::{Payload, Segment};

use super::offer::Offer;
use super::table::Side;
use super::{Follow, Load};
use crate::{MiddleboxLimits, Reserve};

/// A connection that is followed.
#[derive(Debug)]
pub(super) struct Followed<F> {
    pub(super) number: u32,
    pub(super) caller: Side,
    pub(super) stage: Stage,
    pub(super) sides: [End<F>; 2],
    pub(super) heard: Time,
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
    pub(super) offer: Option<Offer>,
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
    pub(super) fn side(&mut self, side: Side) -> &mut End<F> {
        &mut self.sides[side as usize]
    }

    pub(super) fn deadlines<P: Payload>(&self) -> [Option<Time>; 2]
    where
        F: Follow<P>,
    {
        [&self.sides[0], &self.sides[1]]
            .map(|end| end.toward.as_ref().and_then(|toward| toward.follow.poll_timeout()))
    }

    /// What the box can come to keep of both directions.
    pub(super) fn reserve<P: Payload>(&self) -> Reserve
    where
        F: Follow<P>,
    {
        let toward = self.sides.iter().filter_map(|end| end.toward.as_ref());
        let per_flow = toward.map(|toward| toward.follow.reserve()).sum();
        Reserve { per_mobile: 0, per_flow }
    }

    /// Bytes that the box keeps of both directions.
    pub(super) fn held(&self) -> u64 {
        self.sides.iter().filter_map(|end| end.toward.as_ref()).map(|toward| toward.load.held).sum()
    }

    pub(super) fn idle_at(&self, limits: &MiddleboxLimits) -> Time {
        let goes_on = self.sides.iter().all(|end| end.fin.is_none());
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
            && side == self.caller
            && segment.has(Flags::ACK)
            && self.sides.iter().all(|end| end.offer.is_some())
    }

    /// `segment` came from `side`: true once both directions are over.
    pub(super) fn is_over_with<P: Payload>(&mut self, side: Side, segment: &Segment<P>) -> bool {
        if segment.has(Flags::FIN) {
            self.side(side).fin = Some(segment.header.seq + segment.numbers());
        }
        if segment.has(Flags::ACK) {
            let end = self.side(side.opposite());
            end.fin_acked |= end.fin.is_some_and(|fin| fin.before_or_at(segment.header.ack));
        }
        self.sides.iter().all(|end| end.fin_acked)
    }
}

impl<F> End<F> {
    pub(super) const NEW: Self = Self { offer: None, fin: None, fin_acked: false, toward: None };
}
