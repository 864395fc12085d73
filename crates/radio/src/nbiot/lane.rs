//! One direction of one mobile's bearer.

use base::{Direction, Time};
use observe::Observe;

use super::config::NbIotConfig;
use super::format::Format;
use crate::Sdu;
use crate::channel::Quality;
use crate::kit::moment::Moment;
use crate::rlc36::{Contents, Dtch, DtchConfig, SentBlock};

/// PDCP with short numbers (TS 36.323 §6.2.4), and a length field of RLC (TS 36.322 §6.2.1.4).
const SDU_HEADER: u32 = 3;

/// RLC (TS 36.322 §6.2.1.4), and MAC with a report of what waits (TS 36.321 §6.1.2).
pub(super) const BLOCK_HEADER: u64 = 5;

/// Its traffic, and the radio.
#[derive(Debug)]
pub(super) struct NbIotLane<T> {
    pub(super) dtch: Dtch<T>,
    pub(super) quality: Quality,
}

/// A block that has been told of, or that failed and is to be sent again.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Block {
    pub(super) direction: Direction,
    /// What it carries of the bearer; nothing if it is one of the messages by which a mobile
    /// connects.
    pub(super) contents: Contents,
    pub(super) is_signalling: bool,
    pub(super) format: Format,
    /// How often it has been sent.
    pub(super) transmissions: u32,
    /// Uplink: how much the mobile has yet to send.
    pub(super) backlog: u64,
}

impl<T: Sdu> NbIotLane<T> {
    pub(super) fn new(direction: Direction, config: &NbIotConfig, ue: usize, seed: u64) -> Self {
        let rlc = config.link_control(ue);
        let ue = &config.ues[ue];
        let name = format!("{}/{}", ue.name, direction.name());
        let place = direction as usize;
        let dtch = DtchConfig {
            queue: &config.queues[place],
            rlc,
            sdu_header: SDU_HEADER,
            discard: None,
            largest: u64::MAX,
            reordering: None,
        };
        Self {
            dtch: Dtch::new(direction, dtch, seed, &name),
            quality: Quality::new(ue.radios[place].clone(), seed, &name, &ue.name),
        }
    }

    /// Whether nothing waits, and nothing is left to be acknowledged or reported.
    pub(super) fn is_quiet(&self) -> bool {
        let Dtch { transmitter, receiver, .. } = &self.dtch;
        self.dtch.is_empty() && transmitter.is_settled() && receiver.report_from().is_none()
    }

    /// The ratio of signal to noise that link adaptation counts on.
    pub(super) fn snr(&mut self, now: Time) -> f64 {
        self.quality.counted_on(now)
    }

    /// Whether nothing gets through.
    pub(super) fn is_out(&self, now: Time) -> bool {
        self.quality.is_out(now)
    }

    /// The fate of `block` of mobile number `ue`, which ends now: true if it errs.
    pub(super) fn draw(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        ue: u32,
        block: &Block,
    ) -> bool {
        let (bytes, transmissions) = (block.format.bytes, block.transmissions);
        let needed = block.format.needed;
        let error = self.quality.draw(moment, (ue, block.direction), needed, transmissions);
        self.dtch.tell(moment, block.contents.label(), SentBlock { bytes, transmissions, error });
        error
    }

    /// Both ends of link control begin anew.
    pub(super) fn establish(&mut self, now: Time) {
        if self.dtch.has_failed() {
            self.dtch.count_failure();
        }
        self.dtch.establish(now);
    }
}
