//! How an acknowledged-mode entity behaves: the paper's Tables 1 and 2 and the rest of TS 25.322.

use base::{Duration, Probability};

use crate::umts::rlc::config::{check_payload, check_times};
use crate::umts::rlc::segmentation::Segmentation;
use crate::umts::rlc::{Concatenation, ConfigError};

/// The parameters of one acknowledged-mode entity; both ends have the same.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    /// Bytes that a PDU carries after its two bytes of header: data, length indicators, padding.
    pub pdu_payload: u32,
    /// The largest number of PDUs on the way to acknowledgement, at most 4095 (`VT(WS)`).
    pub window: u16,
    /// Whether one PDU may carry parts of several SDUs.
    pub concatenation: Concatenation,
    /// Whether SDUs are delivered in sequence.
    pub in_order: bool,
    /// How often a PDU is retransmitted before `on_limit` applies (`MaxDAT` − 2, TS 25.322
    /// §9.6); `None` is for ever.
    pub max_retransmissions: Option<u32>,
    /// What happens when a PDU has been retransmitted that often.
    pub on_limit: OnLimit,
    /// An SDU that is not acknowledged this long after it was handed in is discarded
    /// (`Timer_Discard`, TS 25.322 §9.7.3.1).
    pub discard_timer: Option<Duration>,
    /// When the sender asks for a status report.
    pub poll: Poll,
    /// When the receiver gives one.
    pub status: Status,
    /// Repetition of RESET PDUs.
    pub reset: Repetition,
    /// Repetition of move-receiving-window commands.
    pub move_window: Repetition,
}

/// What happens when a PDU has reached its limit of retransmissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnLimit {
    /// Both ends start anew (TS 25.322 §9.7.3.4).
    Reset,
    /// The SDUs up to that PDU's last are discarded (TS 25.322 §9.7.3.3).
    Discard,
}

/// Triggers of the poll bit (TS 25.322 §9.7.1; the paper's Table 1).
#[derive(Clone, PartialEq, Debug)]
pub struct Poll {
    /// On the last PDU of the transmission buffer. (The standard also counts the PDU that closes
    /// the window as the last; here that is a `window_utilization` of 1.)
    pub last_in_buffer: bool,
    /// On the last PDU of the retransmission buffer.
    pub last_in_retransmission_buffer: bool,
    /// On every so many PDUs, retransmissions included (`Poll_PDU`).
    pub every_pdus: Option<u32>,
    /// On the end of every so many SDUs (`Poll_SDU`).
    pub every_sdus: Option<u32>,
    /// On the PDU with which this share of the window is in use, and on the PDU that closes the
    /// window (`Poll_Window`; the standard would poll on all between these two as well).
    pub window_utilization: Option<Probability>,
    /// A poll is repeated this long after the last one unless everything sent before that has
    /// been acknowledged (`Timer_Poll`).
    pub timer: Option<Duration>,
    /// No poll follows another sooner (`Timer_Poll_Prohibit`). A poll held back is sent after.
    pub prohibit: Option<Duration>,
}

/// Triggers of status reports (TS 25.322 §9.7.2; the paper's Table 2). A poll always is one.
#[derive(Clone, PartialEq, Debug)]
pub struct Status {
    /// When a PDU arrives and some before it have not: on each new gap.
    pub missing: bool,
    /// Every so often (`Timer_Status_Periodic`), as long as the peer waits for anything.
    pub periodic: Option<Duration>,
    /// No report follows another sooner (`Timer_Status_Prohibit`). A report held back is built
    /// and sent after.
    pub prohibit: Option<Duration>,
    /// The estimated PDU counter (up to release 6; here a trigger only): this long after a report
    /// that named missing PDUs, and after as many TTIs as those need, what is still missing is
    /// reported again (`Timer_EPC`).
    pub estimated_pdu_counter: Option<Duration>,
}

/// How a command is repeated until it is answered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Repetition {
    /// Between one and the next (`Timer_RST`, `Timer_MRW`).
    pub timer: Duration,
    /// How many are sent in all (`MaxRST` − 1, `MaxMRW`); `None` is without limit. Beyond it, a
    /// window move turns into a reset, and a reset into an establishment of the bearer anew.
    pub max: Option<u32>,
}

impl Config {
    /// Refuses what no entity can work with.
    pub(crate) fn check(&self) -> Result<(), ConfigError> {
        if !(1..=4095).contains(&self.window) {
            return Err(ConfigError::Window(self.window));
        }
        check_payload(self.pdu_payload)?;
        for (trigger, count) in
            [("every_pdus", self.poll.every_pdus), ("every_sdus", self.poll.every_sdus)]
        {
            if count == Some(0) {
                return Err(ConfigError::ZeroCount(trigger));
            }
        }
        check_times(&[
            ("poll timer", self.poll.timer),
            ("periodic status", self.status.periodic),
            ("reset timer", Some(self.reset.timer)),
            ("move-window timer", Some(self.move_window.timer)),
        ])
    }

    /// How SDUs are cut and delivered.
    pub(crate) fn segmentation(&self) -> Segmentation {
        let discards = self.discard_timer.is_some()
            || (self.max_retransmissions.is_some() && self.on_limit == OnLimit::Discard);
        Segmentation {
            payload: self.pdu_payload,
            length_indicator: self.length_indicator_bytes(),
            concatenation: self.concatenation,
            max_ends: if discards { MAX_ENDS } else { u32::MAX },
            in_order: self.in_order,
        }
    }

    /// Bytes of a PDU with its header.
    pub(crate) const fn pdu_bytes(&self) -> u32 {
        self.pdu_payload + HEADER_BYTES
    }

    /// Bytes of a length indicator: 7 bits and an extension bit where no PDU is larger than 126
    /// bytes, else 15 and one (TS 25.322 §9.2.2.8).
    pub(crate) const fn length_indicator_bytes(&self) -> u32 {
        if self.pdu_bytes() <= 126 { 1 } else { 2 }
    }
}

/// Bytes of an acknowledged-mode data PDU's header (TS 25.322 §9.2.1.4).
pub(crate) const HEADER_BYTES: u32 = 2;

/// With explicit discard no more SDUs end in one PDU (TS 25.322 §9.2.2.8), so that a window move
/// can point at each.
const MAX_ENDS: u32 = 15;
