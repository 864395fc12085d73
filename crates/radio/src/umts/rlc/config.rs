//! How a bearer's link control behaves.

use base::Duration;
use settings::{
    Always, Bytes, Count, Flag, Leaf, OfTime, Off, Or, Scalar, Standard, Takes, Unlimited, Word,
    section, words,
};

use super::am::{self, OnLimit, Poll, Repetition, Status};
use super::segmentation::Segmentation;
use super::{next_expected, tm, um};

section! {
    /// `[radio.rlc]`: the link control of a bearer, alike at both ends and in both directions.
    pub struct RlcConfig {
        /// The mode of the link control. Default: lo2005 Table 3.
        pub mode: Mode as Word<Mode> = Mode::Am;
        /// How acknowledged mode recovers. Default: lo2005 §2.
        pub arq: Arq as Word<Arq> = Arq::SelectiveRepeat;
        // The minimum fits a status report with a list of four gaps; the maximum is what 15-bit
        // length indicators can address.
        /// Bytes that a PDU carries after its header. Default: lo2005 Table 3, 320 bit.
        pub pdu_payload: u32 as Bytes<u32, 10, 32_000> = 40;
        /// A header that tells where a packet ends and that the channel's `rate` has to carry too,
        /// for `um` and `next-expected`. Default: TS 25.322 §9.2, with length indicators, and a
        /// `rate` without headers.
        pub header: Option<u32> as Or<Standard, Bytes<u32, 0, 16>> = None;
        /// Most PDUs on the way to acknowledgement. Sequence numbers have 12 bits, so 4095 is the
        /// most (TS 25.322 §9.2.2.3); lo2005's 4096 is taken for it.
        pub window: u16 as Window = 4095;
        /// Whether one PDU may carry parts of several SDUs; else segmentation only. Default: fits
        /// lo2005; EURANE.
        pub concatenation: bool as Flag = true;
        /// Whether SDUs are delivered in sequence. Default: lo2005 Table 3.
        pub in_order: bool as Flag = true;
        /// How often a PDU may be sent again, for a report or for its poll (`MaxDAT` − 2); with
        /// `next-expected`, how often it is asked for until its packet is discarded. Default:
        /// EURANE.
        pub max_retransmissions: Option<u32> as Or<Unlimited, Count<u32, 0, 1_000_000>> = None;
        /// What happens when a PDU has been sent again that often. Default: TS 25.322 §9.7.3.4.
        pub on_limit: OnLimit as Word<OnLimit> = OnLimit::Reset;
        /// Age at which an SDU that is not acknowledged is discarded (`Timer_Discard`,
        /// TS 25.322 §9.7.3.1). Default: EURANE.
        pub discard_timer: Option<Duration> as Or<Off, OfTime<1>> = None;
        /// With `next-expected`: from a request to its repetition, and from a PDU to the request
        /// for the next of its packet. Default: hynderick2004 §VI.C.
        pub recovery_timeout: Duration as OfTime<1> = Duration::from_millis(60);
        /// Whether retransmissions go before the rest of the packet that is being sent; the choice
        /// is that of `next-expected`. Default: as selective repeat always does.
        pub retransmissions_first: bool as Flag = true;
        /// When the sender asks for a status report.
        pub poll: Poll as Always<Poll> = Poll::default();
        /// When the receiver gives one.
        pub status: Status as Always<Status> = Status::default();
        /// RESET PDUs (`Timer_RST`, `MaxRST`).
        pub reset: Repetition as Always<Repetition> = Repetition::default();
        /// Commands to move the receiving window (`Timer_MRW`, `MaxMRW`).
        pub move_window: Repetition as Always<Repetition> = Repetition::default();
    }
}

words! {
    /// A mode of the link control.
    pub enum Mode {
        /// Transparent mode: no headers, no recovery, a packet a TTI (TS 25.322 §11.1).
        Tm = "tm",
        /// Unacknowledged mode: numbers, but no recovery (TS 25.322 §11.2).
        Um = "um",
        /// Acknowledged mode: what is lost is retransmitted (TS 25.322 §11.3).
        Am = "am",
    }
}

words! {
    /// A way of recovering what was lost.
    pub enum Arq {
        /// Polls and status reports that name each PDU (TS 25.322).
        SelectiveRepeat = "selective-repeat",
        /// Feedback that names the PDU expected next, and a timeout (hynderick2004 §III.B).
        NextExpected = "next-expected",
    }
}

/// A window of up to 4095 PDUs, which may be called 4096.
struct Window;

type WindowCount = Count<u16, 1, 4096>;

impl Leaf for Window {
    type Value = u16;

    fn expected() -> String {
        format!("{} (4096 counts as 4095)", WindowCount::expected())
    }

    fn takes() -> Takes {
        WindowCount::takes()
    }

    fn parse(scalar: &Scalar) -> Result<u16, String> {
        let most_with_12_bits = 4095;
        WindowCount::parse(scalar).map(|window| window.min(most_with_12_bits))
    }

    fn show(value: &u16) -> String {
        value.to_string()
    }
}

impl RlcConfig {
    /// Bytes of the channel's rate that a block takes: those after the PDU's header, and the header
    /// if the rate has to carry it too.
    pub(crate) const fn block_bytes(&self) -> u32 {
        let header = match (self.mode, self.arq) {
            (Mode::Um, _) | (Mode::Am, Arq::NextExpected) => self.header,
            (Mode::Tm, _) | (Mode::Am, Arq::SelectiveRepeat) => None,
        };
        match header {
            Some(counted) => self.pdu_payload + counted,
            None => self.pdu_payload,
        }
    }

    /// How SDUs are cut and delivered.
    pub(crate) const fn segmentation(&self) -> Segmentation {
        match (self.mode, self.arq) {
            (Mode::Tm, _) => tm::segmentation(self),
            (Mode::Um, _) => um::segmentation(self),
            (Mode::Am, Arq::NextExpected) => next_expected::segmentation(self),
            (Mode::Am, Arq::SelectiveRepeat) => am::segmentation(self),
        }
    }
}
