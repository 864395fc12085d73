//! One direction of one mobile's radio.

use base::{Direction, Time};
use observe::Observe;

use super::bearer::{Bearer, BearerConfig};
use super::config::{Carrier, ScheduledConfig};
use crate::Sdu;
use crate::channel::harq::{Block, Harq};
use crate::channel::scheduler::Past;
use crate::channel::{Part, Quality, UeConfig};
use crate::kit::moment::Moment;
use crate::rlc36::{Label, SentBlock};

/// The bearers of one direction, the radio, and the blocks in flight.
#[derive(Debug)]
pub(super) struct ScheduledLane<T> {
    /// The bearers, those that are first ahead.
    pub(super) bearers: Box<[Bearer<T>]>,
    /// Bytes of the headers of a block.
    block_header: u32,
    pub(super) harq: Harq<Told>,
    pub(super) quality: Quality,
    pub(super) past: Past,
}

/// The words of a sender about a block, besides what its bearers have in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// The contents, as facts tell them.
    pub(super) label: Label,
    /// Uplink: how much the mobile has yet to send (its buffer status report).
    pub(super) backlog: u64,
    /// Uplink: the priority of what is first of that.
    pub(super) priority: u8,
}

/// A block, as hybrid ARQ keeps it.
pub(super) type SentTold = Block<Told>;

/// What a mobile gets in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) scheme: u8,
    pub(super) width: u16,
    pub(super) bytes: u32,
    pub(super) part: Part,
}

impl<T: Sdu> ScheduledLane<T> {
    pub(super) fn new(
        direction: Direction,
        config: &ScheduledConfig,
        ue: &UeConfig,
        seed: u64,
    ) -> Self {
        let name = format!("{}/{}", ue.name, direction.name());
        let radio = ue.radios[direction as usize].clone();
        let bearers = config.bearers.iter();
        let bearers = bearers.map(|of| Bearer::new(direction, config, of, ue, seed)).collect();
        Self {
            bearers,
            block_header: config.headers.block,
            harq: Harq::new(config.harq.processes),
            quality: Quality::new(radio, seed, &name, &ue.name),
            past: Past::default(),
        }
    }

    /// Whether nothing is under way, and nothing could be.
    pub(super) fn is_quiet(&self) -> bool {
        self.harq.is_quiet() && self.bearers.iter().all(|bearer| bearer.dtch.is_empty())
    }

    /// What it gets for `wanted` bytes of `left` resource blocks of a slot of which its direction
    /// has `part`.
    pub(super) fn assign(
        &mut self,
        now: Time,
        carrier: &Carrier,
        part: Part,
        wanted: u64,
        left: u16,
    ) -> Assignment {
        let headers = u64::from(self.block_header);
        // Where nothing fits nothing is sent, and link adaptation would learn nothing.
        let bytes = [headers + 1, wanted.saturating_add(headers)];
        carrier.assign(part, self.quality.counted_on(now), bytes, left)
    }

    /// Room that a block has for link control.
    pub(super) fn room(&self, assigned: Assignment) -> u64 {
        u64::from(assigned.bytes.saturating_sub(self.block_header))
    }

    /// Bytes of the headers of a block, and of what each further bearer has in it.
    pub(super) fn header(&self) -> u64 {
        u64::from(self.block_header)
    }

    /// The fate of `block` of mobile number `ue`, which is sent now: true if it errs.
    pub(super) fn draw(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        ue: u32,
        carrier: &Carrier,
        block: &SentTold,
    ) -> bool {
        let (bytes, transmissions) = (block.bytes, block.transmissions.into());
        let needed = carrier.needed_over(block.scheme, block.width);
        let way = (ue, self.bearers[0].dtch.direction);
        let error = self.quality.draw(moment, way, needed, transmissions);
        let sent = SentBlock { bytes, transmissions, error };
        self.first().dtch.tell(moment, block.label.label, sent);
        error
    }

    /// The bearers that have their priority in `slot`, a bit each.
    pub(super) fn due(&self, slot: u64) -> u32 {
        let due = self.bearers.iter().enumerate().filter(|(_, bearer)| bearer.is_due(slot));
        due.fold(0, |bits, (place, _)| bits | 1 << place)
    }

    /// The bearer of packets with `code`: the default one if no other is for it.
    pub(super) fn bearer_for(&mut self, code: u8) -> &mut Bearer<T> {
        let place = |of: Option<u8>| self.bearers.iter().position(|bearer| bearer.dscp == of);
        let place = place(Some(code)).or_else(|| place(None)).unwrap_or(0);
        &mut self.bearers[place]
    }

    /// The words about a block that was built in `slot` with contents of this `label`.
    pub(super) fn told(&self, label: Label, slot: u64) -> Told {
        let waiting = self.bearers.iter().filter(|bearer| bearer.dtch.waiting() > 0);
        let first = waiting.map(|bearer| bearer.priority(slot)).min();
        Told {
            label,
            backlog: self.bearers.iter().map(|bearer| bearer.dtch.waiting()).sum(),
            priority: first.unwrap_or(BearerConfig::DEFAULT_PRIORITY),
        }
    }

    /// True if nothing that was sent is left to be acknowledged.
    pub(super) fn is_settled(&self) -> bool {
        self.bearers.iter().all(|bearer| bearer.dtch.transmitter.is_settled())
    }

    /// The bearer with which what all have in common is counted.
    pub(super) fn first(&mut self) -> &mut Bearer<T> {
        &mut self.bearers[0]
    }

    /// Hybrid ARQ has given up the block of `process`.
    pub(super) fn lose(&mut self, now: Time, process: u32) {
        self.first().dtch.count_given_up();
        for bearer in &mut self.bearers {
            bearer.dtch.lose(now, &bearer.parts[process as usize]);
        }
    }

    /// Both ends of link control begin anew.
    pub(super) fn establish(&mut self, now: Time) {
        self.harq.flush();
        self.bearers.iter_mut().for_each(|bearer| bearer.dtch.establish(now));
    }

    /// Everything that waits or was sent in part is lost.
    pub(super) fn abandon(&mut self, now: Time) {
        self.harq.flush();
        self.bearers.iter_mut().for_each(|bearer| bearer.dtch.abandon(now));
    }
}
