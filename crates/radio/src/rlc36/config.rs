//! The parameters of radio link control.

use base::Duration;
use settings::{Bytes, Count, NoKey, OfTime, Off, Or, Word, section, words};

words! {
    /// How SDUs are carried.
    pub enum Mode {
        /// Acknowledged: what is lost is sent again.
        Am = "am",
        /// Unacknowledged: what is lost stays lost.
        Um = "um",
        /// Transparent: an SDU is a PDU, without a header.
        Tm = "tm",
    }
}

words! {
    /// How SDUs of more than a block are carried (TS 38.322 §4.2.1).
    pub enum RlcMode {
        /// Acknowledged: what is lost is sent again.
        Am = "am",
        /// Unacknowledged: what is lost stays lost.
        Um = "um",
    }
}

impl RlcMode {
    pub(crate) const fn mode(self) -> Mode {
        match self {
            Self::Am => Mode::Am,
            Self::Um => Mode::Um,
        }
    }
}

/// What has a sequence number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Numbered {
    /// What link control puts into a block (TS 36.322 §6.2.1.4). SDUs are delivered in order.
    Pdus,
    /// An SDU, of which a block may carry a segment (TS 38.322 §6.2.2.4). It is delivered when it
    /// is complete.
    Sdus,
}

section! {
    /// `[radio.lte.rlc]`: radio link control. Defaults: an example of srsRAN 4G for a bearer of QCI
    /// 9.
    pub struct Rlc36Config {
        /// How SDUs are carried.
        pub mode: Mode as Word<Mode> = Mode::Am;
        /// AM: a PDU asks for a status report after so many PDUs (TS 36.322 §5.2.2.1).
        pub poll_pdus: Option<u32> as Or<Off, Count<u32, 1, 65_536>> = Some(64);
        /// AM: the same after so many bytes.
        pub poll_bytes: Option<u32> as Or<Off, Bytes<u32, 1, 100_000_000>> = None;
        /// AM: after so long without an answer a PDU asks again (t-PollRetransmit).
        pub poll_retransmit: Duration as OfTime<1> = Duration::from_millis(120);
        /// AM: how often a PDU is sent again before the radio link fails (maxRetxThreshold).
        pub max_retransmissions: u32 as Count<u32, 1, 255> = 16;
        /// How long a receiver waits for HARQ to fill a gap before it counts as lost
        /// (t-Reordering). Default: AM; the example for UM has 45 ms.
        pub reordering: Duration as OfTime<1> = Duration::from_millis(50);
        /// AM: from one status report to the next at least (t-StatusProhibit).
        pub status_prohibit: Duration as OfTime = Duration::from_millis(50);
        /// AM: how many PDUs may be without acknowledgement: half the sequence numbers (TS 36.322
        /// §7.2).
        pub window: u32 as Count<u32, 1, 131_072> = 512;
        /// What has a sequence number.
        pub numbered: Numbered as NoKey<Numbered> = Numbered::Pdus;
    }
}
