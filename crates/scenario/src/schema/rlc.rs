//! `[radio.rlc]`: the radio link control (TS 25.322).

use base::{Duration, Probability};

use settings::Scalar;
use settings::{
    Always, Bytes, Count, Flag, Leaf, OfTime, Off, Or, Share, Standard, Unlimited, Word, section,
    words,
};

section! {
    /// `[radio.rlc]`: the link control.
    pub struct Rlc {
        /// What the link control does about losses. Default: lo2005 Table 3.
        pub mode: Mode as Word<Mode> = Mode::Am;
        /// How acknowledged mode recovers. Default: lo2005 §2.
        pub arq: Arq as Word<Arq> = Arq::SelectiveRepeat;
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
        /// How often a PDU may be sent again, for a report or for the sake of its poll
        /// (`MaxDAT` − 2); with `next-expected`, how often it is asked for until its packet is
        /// discarded. Default: EURANE.
        pub max_retransmissions: Option<u32> as Or<Unlimited, Count<u32, 0, 1_000_000>> = None;
        /// What happens when a PDU has been sent again that often. Default: TS 25.322 §9.7.3.4.
        pub on_limit: Limit as Word<Limit> = Limit::Reset;
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

section! {
    /// `[radio.rlc.poll]`: triggers of the poll bit (TS 25.322 §9.7.1; lo2005 Table 1). Defaults:
    /// the set that fits lo2005's results, of which the text does not say which were chosen.
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
        /// PDU that closes the window, without which a loaded bearer comes to a standstill.
        pub window_utilization: Option<Probability> as Or<Off, Share> = Probability::new(1.0);
        /// From an unanswered poll to its repetition (`Timer_Poll`).
        pub timer: Option<Duration> as Or<Off, OfTime<1>> = Some(Duration::from_millis(80));
        /// No poll follows another sooner (`Timer_Poll_Prohibit`).
        pub prohibit: Option<Duration> as Or<Off, OfTime<1>> = None;
    }
}

section! {
    /// `[radio.rlc.status]`: triggers of status reports (TS 25.322 §9.7.2; lo2005 Table 2); a poll
    /// always is one. Defaults: as for the poll.
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
    pub struct Repetition {
        /// From one to the next.
        pub timer: Duration as OfTime<1> = Duration::from_millis(200);
        /// How many in all.
        pub max: Option<u32> as Or<Unlimited, Count<u32, 1, 1_000_000>> = Some(8);
    }
}

words! {
    /// A mode of the link control.
    pub enum Mode {
        /// Transparent mode: no headers, no recovery, a packet a TTI (TS 25.322 §11.1).
        Tm = "tm",
        /// Unacknowledged mode: numbers, but no recovery (TS 25.322 §11.2).
        Um = "um",
        /// Acknowledged mode: what is lost is sent again (TS 25.322 §11.3).
        Am = "am",
    }
}

words! {
    /// A way of recovering what was lost.
    pub enum Arq {
        /// Polls and status reports that name each PDU (TS 25.322).
        SelectiveRepeat = "selective-repeat",
        /// Feedback that names the PDU expected next, and a time-out (hynderick2004 §III.B).
        NextExpected = "next-expected",
    }
}

words! {
    /// What happens when a PDU has been sent again as often as it may.
    pub enum Limit {
        /// Both ends start anew (TS 25.322 §9.7.3.4).
        Reset = "reset",
        /// Its SDUs are discarded (TS 25.322 §9.7.3.3).
        Discard = "discard",
    }
}

/// A window of up to 4095 PDUs, which may be called 4096.
pub(crate) struct Window;

type WindowCount = Count<u16, 1, 4096>;

impl Leaf for Window {
    type Value = u16;

    fn expected() -> String {
        format!("{} (4096 counts as 4095)", WindowCount::expected())
    }

    fn parse(scalar: &Scalar) -> Result<u16, String> {
        let most_with_12_bits = 4095;
        WindowCount::parse(scalar).map(|window| window.min(most_with_12_bits))
    }

    fn show(value: &u16) -> String {
        value.to_string()
    }
}
