//! Parameters of acknowledged mode with selective repeat: polls, reports and repetitions.

use base::{Duration, Probability};
use settings::{Count, Flag, OfTime, Off, Or, Share, Unlimited, section, words};

use crate::umts::rlc::RlcConfig;
use crate::umts::rlc::segmentation::Segmentation;

section! {
    /// `[radio.rlc.poll]`: triggers of the poll bit (TS 25.322 §9.7.1; lo2005 Table 1). Defaults:
    /// the set that fits lo2005's results, since its text does not say which were chosen.
    pub struct Poll {
        /// On the last PDU of the transmission buffer.
        pub last_in_buffer: bool as Flag = true;
        /// On the last PDU of the retransmission buffer.
        pub last_in_retransmission_buffer: bool as Flag = true;
        /// On every so many PDUs, retransmissions included (`Poll_PDU`).
        pub every_pdus: Option<u32> as Or<Off, Count<u32, 1, 1_000_000>> = None;
        /// On the last PDU of every so many SDUs (`Poll_SDU`).
        pub every_sdus: Option<u32> as Or<Off, Count<u32, 1, 1_000_000>> = None;
        /// On the PDU with which this share of the window is in use (`Poll_Window`). Default: the
        /// PDU that closes the window, without which a loaded bearer stalls.
        pub window_utilization: Option<Probability> as Or<Off, Share> = Probability::new(1.0);
        /// From an unanswered poll to its repetition (`Timer_Poll`).
        pub timer: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_millis(80));
        /// No poll follows another sooner (`Timer_Poll_Prohibit`).
        pub prohibit: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
}

section! {
    /// `[radio.rlc.status]`: triggers of status reports (TS 25.322 §9.7.2; lo2005 Table 2); a poll
    /// always triggers one. Defaults: as for the poll.
    pub struct Status {
        /// On each new gap in what was received.
        pub missing: bool as Flag = true;
        /// Every so often (`Timer_Status_Periodic`).
        pub periodic: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// No report follows another sooner (`Timer_Status_Prohibit`). Default: the round trip of
        /// the link control.
        pub prohibit: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_millis(60));
        /// The estimated PDU counter: this long after a report, and after as many TTIs as the PDUs
        /// it named need, those still missing are reported again (`Timer_EPC`).
        pub estimated_pdu_counter: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
}

section! {
    /// `[radio.rlc.reset]`, `[radio.rlc.move_window]`: how a command is repeated until it is
    /// answered. Defaults: our choice; TS 25.322 leaves them to the network.
    #[derive(Copy, Eq)]
    pub struct Repetition {
        /// The interval of repetitions.
        pub timer: Duration as OfTime<1> = Duration::from_millis(200);
        /// How many times in all.
        pub max: Option<u32> as Or<Unlimited, Count<u32, 1, 1_000_000>> = Some(8);
    }
}

words! {
    /// What happens when a PDU has reached its limit of retransmissions.
    pub enum OnLimit {
        /// Both ends are reset (TS 25.322 §9.7.3.4).
        Reset = "reset",
        /// Its SDUs are discarded (TS 25.322 §9.7.3.3).
        Discard = "discard",
    }
}

/// How SDUs are cut and delivered.
pub(crate) const fn segmentation(config: &RlcConfig) -> Segmentation {
    let discards = config.discard_timer.is_some()
        || (config.max_retransmissions.is_some() && matches!(config.on_limit, OnLimit::Discard));
    Segmentation {
        payload: config.pdu_payload,
        // 7 bits and an extension bit where no PDU is larger than 126 bytes, else 15 and one
        // (TS 25.322 §9.2.2.8).
        length_indicator: if pdu_bytes(config) <= 126 { 1 } else { 2 },
        concatenation: config.concatenation,
        max_ends: if discards { MAX_ENDS } else { u32::MAX },
        in_order: config.in_order,
    }
}

/// Bytes of a PDU with its header.
pub(crate) const fn pdu_bytes(config: &RlcConfig) -> u32 {
    config.pdu_payload + HEADER_BYTES
}

/// Bytes of an acknowledged-mode data PDU's header (TS 25.322 §9.2.1.4).
pub(crate) const HEADER_BYTES: u32 = 2;

/// With explicit discard no more SDUs end in one PDU (TS 25.322 §9.2.2.8), so that a window move
/// can point at each.
const MAX_ENDS: u32 = 15;
