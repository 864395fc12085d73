//! How a network is set up.

use base::{Direction, Duration, Probability, Rate, Schedule};

use super::bearer::BearerConfig;
use super::handover::Handovers;
use super::lane::Assignment;
use super::power::POWER_STATES;
use super::{drx, rrc};
use crate::PowerModel;
use crate::channel::{Frame, Part, Scheme, Sizes, UeConfig, harq, scheduler};
use crate::kit::decibel::to_db;
use crate::rlc36::Mode;

/// A cell and its mobiles, which share its resource blocks.
#[derive(Clone, PartialEq, Debug)]
pub struct ScheduledConfig {
    /// How long a slot is.
    pub slot: Duration,
    /// Which slots are of which direction.
    pub(crate) frame: Frame,
    /// When a mobile receives and when it sends, if it cannot do both at once: each mobile begins
    /// at a place of its own.
    pub(crate) half_duplex: Option<Frame>,
    /// Downlink and uplink.
    pub(crate) carriers: [Carrier; 2],
    /// Hybrid ARQ.
    pub(crate) harq: harq::HarqConfig,
    /// Bearers of each mobile, those that are first ahead; one of them is the default one.
    pub bearers: Vec<BearerConfig>,
    /// How PDCP puts SDUs in order where link control does not; `None` where it does.
    pub(crate) reordering: Option<Wait>,
    /// What part of the resource blocks of each direction other users take.
    pub(crate) background: Background,
    /// Who sends.
    pub(crate) scheduler: scheduler::SchedulerConfig,
    /// How a mobile comes to send.
    pub(crate) access: Access,
    /// What headers take.
    pub(crate) headers: Headers,
    /// When a connected mobile listens; `None` is always.
    pub(crate) drx: Option<drx::Keys>,
    /// When a mobile is connected; `None` is always.
    pub(crate) rrc: Option<rrc::Times>,
    /// What the radio of a mobile draws.
    pub power: PowerModel<POWER_STATES>,
    /// Handovers, if there are any.
    pub(crate) handover: Option<Handovers>,
    /// The number of slots in which nothing is sent after a radio link has failed.
    pub(crate) failure_gap: u64,
    /// The mobiles.
    pub ues: Vec<UeConfig>,
}

impl ScheduledConfig {
    /// The rates of both directions for mobile number `ue` if the cell is its own, in the mean over
    /// fading, with nothing in the way.
    pub(crate) fn rates(&self, ue: usize) -> [Schedule<Rate>; 2] {
        let frame = self.frame_of_mobile();
        Direction::BOTH.map(|way| {
            let rate = |snr| self.rate(frame, way, snr);
            self.ues[ue].radios[way as usize].mean_rate(rate)
        })
    }

    /// The rate of the carrier of `direction` in slots of a `frame` at a ratio of `snr` decibels,
    /// beside others.
    pub(super) fn rate(&self, frame: &Frame, direction: Direction, snr: f64) -> Rate {
        let carrier = &self.carriers[direction as usize];
        let bits = |part| {
            let most = |left| carrier.assign(part, snr, [0, u64::MAX], left).bytes;
            let bytes = self.background.mean_left(carrier.sizes.width(), most);
            bytes * 8.0 * frame.count(direction, part) as f64
        };
        let period = (self.slot.as_nanos() * frame.period()) as f64;
        let bits = bits(Part::Special) + bits(Part::Whole);
        Rate::from_bps(((bits * 1e9 / period) as u64).max(1))
    }

    /// The largest packet that `bearer` can send in `direction`: where a block is a whole one, that
    /// of the largest block.
    pub(super) fn largest(&self, direction: Direction, bearer: &BearerConfig) -> u64 {
        let carrier = &self.carriers[direction as usize];
        let scheme = carrier.scheme_at(f64::INFINITY);
        let bytes = carrier.sizes.bytes(scheme, carrier.sizes.width());
        let room = bytes.saturating_sub(self.headers.block);
        if bearer.rlc.mode == Mode::Tm { u64::from(room) } else { u64::MAX }
    }

    /// Which slots of which direction a mobile can use.
    pub(crate) fn frame_of_mobile(&self) -> &Frame {
        self.half_duplex.as_ref().unwrap_or(&self.frame)
    }
}

/// The part of a cell's resource blocks that users take who are not simulated, in millionths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Background(u64);

impl Background {
    const WHOLE: u64 = 1_000_000;

    pub(crate) fn new(part: Probability) -> Self {
        Self((part.value() * Self::WHOLE as f64).round() as u64)
    }

    /// The number of `width` resource blocks left in `slot`: others take theirs evenly.
    pub(super) const fn left(self, width: u16, slot: u64) -> u16 {
        let (each, slot) = (width as u64 * self.0, slot % Self::WHOLE);
        let taken = (slot + 1) * each / Self::WHOLE - slot * each / Self::WHOLE;
        width - taken as u16
    }

    /// The mean of `bytes` over slots, of as many of `width` resource blocks as are left.
    fn mean_left(self, width: u16, bytes: impl Fn(u16) -> u32) -> f64 {
        let left = f64::from(width) * (Self::WHOLE - self.0) as f64 / Self::WHOLE as f64;
        let (fewer, part) = (left.floor() as u16, left.fract());
        let more = if part > 0.0 { f64::from(bytes(fewer + 1)) } else { 0.0 };
        f64::from(bytes(fewer)) * (1.0 - part) + more * part
    }
}

/// One direction of a cell.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Carrier {
    /// The sizes of transport blocks where it has as much of a slot as it ever has.
    pub(crate) sizes: Sizes,
    /// The same in special slots, if there are any.
    pub(crate) special: Option<Sizes>,
    /// True if there are other slots than these.
    pub(crate) has_whole: bool,
    /// The ratio of signal to noise that each scheme needs, in decibels, growing.
    pub(crate) needed: Vec<f64>,
    /// By how many decibels the ratio is lower where a block takes so many resource blocks, from
    /// none: growing.
    pub(crate) loss: Vec<f64>,
}

/// The decibels by which a ratio is too low where 999 of 1000 blocks err.
const HOPELESS: f64 = 3.0;

impl Carrier {
    /// One of these `schemes` in growing order, a single one if it is fixed, with these sizes of
    /// its blocks. The sender has `headroom` decibels more power than one resource block takes, or
    /// any.
    pub(crate) fn new(
        schemes: &[Scheme],
        sizes: Sizes,
        special: Option<Sizes>,
        headroom: Option<f64>,
    ) -> Self {
        let loss =
            |blocks: u16| (to_db(f64::from(blocks)) - headroom.unwrap_or(f64::INFINITY)).max(0.0);
        Self {
            needed: schemes.iter().map(|scheme| scheme.needed).collect(),
            loss: (0..=sizes.width()).map(loss).collect(),
            sizes,
            special,
            has_whole: true,
        }
    }

    /// What is got for up to `wanted` bytes of `left` resource blocks of a slot of which the
    /// direction has `part`, at a ratio of `snr` decibels: a block of most bytes, over no more
    /// resource blocks than there is power for, but so many that `least` bytes fit.
    pub(super) fn assign(
        &self,
        part: Part,
        snr: f64,
        [least, wanted]: [u64; 2],
        left: u16,
    ) -> Assignment {
        let sizes = self.sizes_of(part);
        let lowest = sizes.scheme_for(least);
        let highest = self.scheme_at(snr).max(lowest);
        let mut most = Assignment { scheme: highest, width: 0, bytes: 0, part };
        for scheme in (lowest..=highest).rev() {
            let powered = self.widest(scheme, snr);
            let widest = if powered < left {
                powered.max(sizes.width_for(scheme, least)).min(left)
            } else {
                left
            };
            let (width, bytes) = sizes.least_within(scheme, wanted, widest);
            if bytes > most.bytes {
                most = Assignment { scheme, width, bytes, part };
            }
            if widest == left || u64::from(bytes) >= wanted {
                break;
            }
        }
        // A base station leaves it to a whole slot.
        let missing = self.needed_over(most.scheme, most.width) - snr;
        if part == Part::Special && self.has_whole && missing > HOPELESS {
            return Assignment { width: 0, bytes: 0, ..most };
        }
        most
    }

    /// Over how many resource blocks there is power for `scheme`, or for as much as in one.
    fn widest(&self, scheme: u8, snr: f64) -> u16 {
        let margin = (snr - self.needed[usize::from(scheme)]).max(0.0);
        let last = self.loss.len() - 1;
        if self.loss[last] <= margin {
            return last as u16;
        }
        self.loss.partition_point(|loss| *loss <= margin).saturating_sub(1) as u16
    }

    /// The ratio that a block of `scheme` over `width` resource blocks needs, in decibels.
    pub(super) fn needed_over(&self, scheme: u8, width: u16) -> f64 {
        self.needed[usize::from(scheme)] + self.loss[usize::from(width)]
    }

    /// The sizes of blocks in a slot of which it has `part`.
    pub(crate) fn sizes_of(&self, part: Part) -> &Sizes {
        self.special.as_ref().filter(|_| part == Part::Special).unwrap_or(&self.sizes)
    }

    /// The scheme for a ratio of `snr` decibels: the best one that may err as often as is aimed at.
    pub(crate) fn scheme_at(&self, snr: f64) -> u8 {
        self.needed.partition_point(|needed| *needed <= snr).saturating_sub(1) as u8
    }
}

/// How a mobile comes to send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Access {
    /// A mobile may request to send every so many slots.
    pub(crate) request_every: u64,
    /// From a grant to the first slot that it may be for.
    pub(crate) grant_delay: u64,
    /// How many bytes a mobile is granted that has made a request.
    pub(crate) first_grant: u64,
}

/// How long PDCP waits for a gap to be filled: `None` is for ever.
type Wait = Option<Duration>;

/// What headers take, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Headers {
    /// Those of an SDU: PDCP, and its length in the PDU.
    pub(crate) sdu: u32,
    /// Those of a block: MAC and RLC.
    pub(crate) block: u32,
}
