//! One direction of one mobile's bearer.

use base::{Direction, Philox, Probability, Time};
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
    chance: Philox,
    odds: Odds,
}

/// The largest packet that can be sent: where a block is a whole one, that of the largest block.
fn largest(carrier: &Carrier, config: &ScheduledConfig) -> u64 {
    let sizes = &carrier.sizes;
    let scheme = carrier.scheme_at(f64::INFINITY);
    let bytes = sizes.bytes(scheme, sizes.width()).saturating_sub(config.headers.block);
    if config.rlc.mode == Mode::Tm { u64::from(bytes) } else { u64::MAX }
}

/// How often a block errs whose scheme needs a ratio, at a ratio of signal to noise, when it has
/// been sent so many times: it is mostly asked for the same again.
#[derive(Clone, Copy, Debug)]
struct Odds {
    needed: f64,
    snr: f64,
    transmissions: u8,
    rate: Probability,
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
            chance: Philox::named(seed, &format!("{name}/blocks")),
            odds: Odds { needed: f64::NAN, snr: 0.0, transmissions: 0, rate: Probability::NEVER },
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
        let slot = moment.slot;
        let needed = carrier.needed[block.scheme as usize];
        let error = self
            .rate(moment.now, needed, block.transmissions)
            .hit(self.chance.at([slot as u32, (slot >> 32) as u32, 0, 0])[0]);
        if block.transmissions == 1 {
            self.quality.learn(error);
        }
        let (bytes, transmissions) = (block.bytes, block.transmissions.into());
        self.dtch.tell(moment, &block.contents, SentBlock { bytes, transmissions, error });
        error
    }

    fn rate(&mut self, now: Time, needed: f64, transmissions: u8) -> Probability {
        if self.quality.is_out(now) {
            return Probability::ALWAYS;
        }
        let snr = self.quality.present(now);
        let same = Odds { needed, snr, transmissions, rate: self.odds.rate };
        if !same.is_of(&self.odds) {
            let rate = self.quality.error_rate(now, needed, u32::from(transmissions));
            self.odds =
                Odds { rate: Probability::new(rate).unwrap_or(Probability::ALWAYS), ..same };
        }
        self.odds.rate
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

impl Odds {
    /// Whether both are of the same kind of block under the same conditions.
    fn is_of(&self, other: &Self) -> bool {
        let key = |odds: &Self| (odds.needed.to_bits(), odds.snr.to_bits(), odds.transmissions);
        key(self) == key(other)
    }
}
