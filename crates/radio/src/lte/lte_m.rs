//! LTE-M: mobiles that do not receive and send at once, and blocks that are repeated as one.

use base::{Duration, EnergyPerBit, Power};
use settings::words;

use super::keys::{PSM, SUBFRAME};
use crate::channel::{Frame, Part, harq};
use crate::scheduled::power;

words! {
    /// Whether a mobile receives and sends at once (TS 36.211 §6.2.5).
    pub enum Duplex {
        /// It does.
        Full = "full",
        /// It does not.
        Half = "half",
    }
}

/// A mobile of LTE-M whose blocks are sent `repetitions` times as one. Its radio has the powers of
/// one of NB-IoT; our choice. It draws 90 mW while it listens or receives, so that a bit takes
/// nothing more. It draws 543 mW while it sends, so that each of the 1000 bits of a subframe takes
/// 453 nJ more in each repetition. Of 1.28 s without a connection it listens for 40 ms, and of
/// 40 ms in the tail for 10 (both our choice); in the rest it draws 2.4 mW.
pub(super) const fn device(repetitions: u32) -> power::Device {
    const LISTENS: Power = Power::from_milliwatts(90);
    power::Device {
        idle: Power::from_milliwatts(5),
        promotion: LISTENS,
        active: LISTENS,
        tail: Power::from_milliwatts(25),
        psm: PSM,
        downlink: EnergyPerBit::from_nanojoules(0),
        uplink: EnergyPerBit::from_nanojoules(453 * repetitions as u64),
    }
}

const IDLE: [Part; 2] = [Part::None; 2];
const DOWN: [Part; 2] = [Part::Whole, Part::None];
const UP: [Part; 2] = [Part::None, Part::Whole];

/// Three blocks each way in ten subframes. Between a message and its block lies one subframe,
/// between the block and its answer lie three, and three more before the next message. To turn
/// from one direction to the other takes one (TS 36.213 §7.1.11, §10.2; TS 36.211 §6.2.5).
const TURNS: [[Part; 2]; 10] = [IDLE, IDLE, DOWN, DOWN, DOWN, IDLE, UP, UP, UP, IDLE];

/// With repetitions: a message, a block, and a block the other way with the answer.
const REPEATED: [[Part; 2]; 3] = [IDLE, DOWN, UP];

/// Subframes between them, a third of all: one lies after a message, three after a block, and two,
/// our choice, after an answer.
const BETWEEN: u64 = 2;

/// When what is sent in a cell of LTE is answered and sent again.
pub(super) struct Timing {
    /// How long a slot is: as long as a block takes.
    pub(super) slot: Duration,
    /// When a mobile receives and when it sends, if not at once.
    pub(super) half_duplex: Option<Frame>,
    /// From a grant to its slot, in slots.
    pub(super) grant_delay: u64,
    /// Hybrid ARQ; its times are in slots.
    pub(super) harq: harq::HarqConfig,
}

impl Timing {
    /// That of a cell whose blocks are sent `repetitions` times as one. The times of `harq`, its
    /// `round_trip` and the `grant_delay` are in subframes.
    pub(super) fn new(
        duplex: Duplex,
        repetitions: u64,
        harq: harq::HarqConfig,
        round_trip: u32,
        grant_delay: u64,
    ) -> Self {
        if duplex == Duplex::Half && repetitions > 1 {
            return Self {
                slot: SUBFRAME * (repetitions + BETWEEN),
                half_duplex: Some(Frame::new(&REPEATED)),
                // From the message.
                grant_delay: 2,
                harq: harq::HarqConfig { decoding: 0, feedback: granted(1), ..harq },
            };
        }
        // From the first subframe of a block to what begins so many after its last.
        let slots = |subframes: u64| (repetitions - 1 + subframes).div_ceil(repetitions);
        Self {
            slot: SUBFRAME * repetitions,
            half_duplex: (duplex == Duplex::Half).then(|| Frame::new(&TURNS)),
            grant_delay: slots(grant_delay),
            harq: harq::HarqConfig {
                decoding: u64::from(harq.decoding).div_ceil(repetitions) as u32,
                feedback: granted(slots(u64::from(round_trip).div_ceil(2)) as u32),
                ..harq
            },
        }
    }
}

/// A block is answered after so many slots, and sent again after as many more: uplink too, it is
/// granted (TS 36.321 §5.4.2.1).
const fn granted(after: u32) -> harq::Feedback {
    harq::Feedback::Granted { after, then: after }
}
