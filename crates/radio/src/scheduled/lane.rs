//! One direction of one mobile's bearer.

use base::{Direction, Time};
use observe::Observe;

use super::config::{Carrier, ScheduledConfig};
use crate::Sdu;
use crate::channel::harq::{Block, Harq};
use crate::channel::scheduler::Past;
use crate::channel::{Part, Quality, UeConfig};
use crate::kit::moment::Moment;
use crate::rlc36::{Dtch, DtchConfig, Mode, Reordering, SentBlock, Status};

/// Its traffic, the radio, and the blocks in flight.
#[derive(Debug)]
pub(super) struct ScheduledLane<T> {
    pub(super) dtch: Dtch<T>,
    /// Bytes of the headers of a block.
    block_header: u32,
    pub(super) harq: Harq,
    pub(super) quality: Quality,
    pub(super) past: Past,
}

/// The largest packet that can be sent: where a block is a whole one, that of the largest block.
fn largest(carrier: &Carrier, config: &ScheduledConfig) -> u64 {
    let sizes = &carrier.sizes;
    let scheme = carrier.scheme_at(f64::INFINITY);
    let bytes = sizes.bytes(scheme, sizes.width()).saturating_sub(config.headers.block);
    if config.rlc.mode == Mode::Tm { u64::from(bytes) } else { u64::MAX }
}

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
        let place = direction as usize;
        let dtch = DtchConfig {
            queue: &config.queues[place],
            rlc: &config.rlc,
            sdu_header: config.headers.sdu,
            discard: config.discard,
            largest: largest(&config.carriers[place], config),
            reordering: config.reordering.map(Reordering::new),
        };
        Self {
            dtch: Dtch::new(direction, dtch, seed, &name),
            block_header: config.headers.block,
            harq: Harq::new(config.harq.processes),
            quality: Quality::new(ue.radios[place].clone(), seed, &name, &ue.name),
            past: Past::default(),
        }
    }

    /// Whether nothing is under way, and nothing could be.
    pub(super) fn is_quiet(&self) -> bool {
        self.harq.is_quiet() && self.dtch.is_empty()
    }

    /// The best scheme that what was reported allows.
    pub(super) fn scheme(&mut self, now: Time, carrier: &Carrier) -> u8 {
        if let Some(scheme) = carrier.scheme {
            return scheme;
        }
        carrier.scheme_at(self.quality.counted_on(now))
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
        let sizes = carrier.sizes_of(part);
        let headers = u64::from(self.block_header);
        // Where nothing fits nothing is sent, and link adaptation would learn nothing.
        let scheme = self.scheme(now, carrier);
        let scheme = carrier.scheme.unwrap_or_else(|| scheme.max(sizes.scheme_for(headers + 1)));
        let wanted = wanted + headers;
        let width = sizes.width_for(scheme, wanted).min(left);
        Assignment { scheme, width, bytes: sizes.bytes(scheme, width), part }
    }

    /// The block of an assignment, with the `status` of the other direction.
    pub(super) fn build(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        assigned: Assignment,
        status: Option<Status>,
    ) -> Block {
        Block {
            contents: self.dtch.fill(moment, self.room(assigned), status),
            scheme: assigned.scheme,
            width: assigned.width,
            bytes: assigned.bytes,
            part: assigned.part,
            transmissions: 1,
            backlog: self.dtch.waiting(),
            built: moment.slot,
            slot: moment.slot,
        }
    }

    /// Room that a block has for link control.
    pub(super) fn room(&self, assigned: Assignment) -> u64 {
        u64::from(assigned.bytes.saturating_sub(self.block_header))
    }

    /// Whether `block`, which is sent now, errs.
    pub(super) fn draw(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        carrier: &Carrier,
        block: &Block,
    ) -> bool {
        let (bytes, transmissions) = (block.bytes, block.transmissions.into());
        let needed = carrier.needed[block.scheme as usize];
        let error = self.quality.draw((moment.now, moment.slot), needed, transmissions);
        self.dtch.tell(moment, &block.contents, SentBlock { bytes, transmissions, error });
        error
    }

    /// Both ends of link control begin anew.
    pub(super) fn establish(&mut self, now: Time) {
        self.harq.flush();
        self.dtch.establish(now);
    }

    /// Everything that waits or was sent in part is lost.
    pub(super) fn abandon(&mut self, now: Time) {
        self.harq.flush();
        self.dtch.abandon(now);
    }
}
