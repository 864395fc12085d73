//! One end of a link, in whichever mode.

use base::{Duration, Time};

use super::segmentation::Sdus;
use super::{Arq, Mode, RlcConfig, Sn, am, next_expected, tm, um};
use crate::umts::Blocks;
use crate::umts::mac::TransportBlocks;

/// One end: it sends the SDUs of one direction and receives those of the other.
#[derive(Debug)]
pub(crate) enum Entity {
    /// Boxed, as it is ten times as large as the others.
    Acknowledged(Box<am::Entity>),
    NextExpected(next_expected::Entity),
    /// With the number of the next PDU.
    Unacknowledged(Sn),
    /// With the number of the next block.
    Transparent(Sn),
}

/// The peer's channel: how fast it can send.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PeerChannel {
    pub(crate) tti: Duration,
    pub(crate) blocks: Blocks,
}

/// The SDUs that an entity sends and those that its peer does.
#[derive(Debug)]
pub(crate) struct Traffic<'a> {
    pub(crate) own: &'a mut Sdus,
    pub(crate) peer: &'a mut Sdus,
}

/// Whether an entity can go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Health {
    /// It can.
    Well,
    /// Resets remained unanswered: the bearer must be established anew.
    UnrecoverableError,
}

impl Entity {
    /// An end that sends over `own` and hears its peer over `peer`.
    pub(crate) fn new(config: &RlcConfig, own: PeerChannel, peer: PeerChannel) -> Self {
        match (config.mode, config.arq) {
            (Mode::Am, Arq::SelectiveRepeat) => {
                Self::Acknowledged(Box::new(am::Entity::new(config, own, peer)))
            }
            (Mode::Am, Arq::NextExpected) => Self::NextExpected(next_expected::Entity::new(config)),
            (Mode::Um, _) => Self::Unacknowledged(Sn::ZERO),
            (Mode::Tm, _) => Self::Transparent(Sn::ZERO),
        }
    }

    /// How often it began a reset.
    pub(crate) const fn resets(&self) -> u64 {
        match self {
            Self::Acknowledged(entity) => entity.resets,
            Self::NextExpected(_) | Self::Unacknowledged(_) | Self::Transparent(_) => 0,
        }
    }

    /// How many PDUs wait to be sent again.
    pub(crate) fn to_send_again(&self) -> u32 {
        match self {
            Self::Acknowledged(entity) => entity.to_send_again(),
            Self::NextExpected(entity) => entity.to_send_again(),
            Self::Unacknowledged(_) | Self::Transparent(_) => 0,
        }
    }

    /// The channel over which it hears its peer has changed.
    pub(crate) const fn set_peer(&mut self, peer: PeerChannel) {
        match self {
            Self::Acknowledged(entity) => entity.set_peer(peer),
            Self::NextExpected(_) | Self::Unacknowledged(_) | Self::Transparent(_) => {}
        }
    }

    /// Fills the TTI that begins.
    pub(crate) fn fill(
        &mut self,
        traffic: &mut Traffic<'_>,
        blocks: &mut TransportBlocks,
    ) -> Health {
        match self {
            Self::Acknowledged(entity) => return entity.fill(traffic, blocks),
            Self::NextExpected(entity) => entity.fill(traffic, blocks),
            Self::Unacknowledged(next) => um::fill(next, traffic.own, blocks),
            Self::Transparent(next) => tm::fill(next, traffic.own, blocks),
        }
        Health::Well
    }

    /// Takes in a TTI that ended at `now`, without the blocks in error.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        blocks: &TransportBlocks,
        traffic: &mut Traffic<'_>,
    ) {
        match self {
            Self::Acknowledged(entity) => entity.receive(now, blocks, traffic),
            Self::NextExpected(entity) => entity.receive(now, blocks, traffic),
            Self::Unacknowledged(_) | Self::Transparent(_) => um::receive(blocks, traffic.peer),
        }
    }

    /// When there will be something to send, `now` at the earliest.
    pub(crate) fn poll_timeout(&self, now: Time, own: &Sdus, peer: &Sdus) -> Option<Time> {
        match self {
            Self::Acknowledged(entity) => entity.poll_timeout(now, own, peer),
            Self::NextExpected(entity) => entity.poll_timeout(now, own),
            Self::Unacknowledged(_) | Self::Transparent(_) => own.has_data().then_some(now),
        }
    }

    /// Re-establishes the entity, as after establishment of the bearer.
    pub(crate) fn establish(&mut self, now: Time, traffic: &mut Traffic<'_>) {
        match self {
            Self::Acknowledged(entity) => entity.establish(now, traffic),
            Self::NextExpected(entity) => entity.establish(now, traffic),
            Self::Unacknowledged(next) | Self::Transparent(next) => {
                traffic.own.reset(now);
                *next = Sn::ZERO;
            }
        }
    }

    /// Re-establishes the entity after a relocation. In acknowledged mode what has not been
    /// delivered is retransmitted whole; else what has been sent in part is discarded.
    pub(crate) fn relocate(&mut self, now: Time, traffic: &mut Traffic<'_>) {
        match self {
            Self::Acknowledged(_) | Self::NextExpected(_) => traffic.own.restart(now),
            Self::Unacknowledged(_) | Self::Transparent(_) => {}
        }
        self.establish(now, traffic);
    }
}
