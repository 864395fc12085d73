//! What a controller is given and what it answers.

use std::fmt::Debug;

use base::{Duration, Ecn, Rate, Time};
use settings::words;

use crate::{Retained, WindowRules};

words! {
    /// Feedback of a peer about marks, from none to all.
    #[derive(PartialOrd, Ord)]
    pub enum EcnFeedback {
        /// None: data are not ECN-capable.
        Off = "off",
        /// One mark for each window of data (RFC 3168).
        Classic = "classic",
        /// Counts of marked packets and bytes (RFC 9768).
        Accurate = "accurate",
    }
}

/// A congestion controller of one connection.
///
/// Its sender calls [`Controller::on_loss`] and [`Controller::on_undo`] before the
/// [`Controller::on_ack`] of the same acknowledgement, and reads [`Controller::window`] and
/// [`Controller::pacing_rate`] after any of them.
pub trait Controller: Debug + Send {
    /// The handshake has agreed upon how the peer says what was marked. Called once, before
    /// anything else.
    fn on_feedback(&mut self, _feedback: EcnFeedback) {}

    /// Bytes arrived at the peer: they were acknowledged or selected for the first time.
    fn on_ack(&mut self, ack: &Ack);

    /// A congestion episode begins: a segment counts as lost, or the network marked one.
    fn on_loss(&mut self, loss: &Loss);

    /// One segment was found lost, whether or not it begins an episode.
    fn on_lost_segment(&mut self, _lost: &LostSegment) {}

    /// An acknowledgement carried both ends' clocks. Called before its [`Controller::on_ack`].
    fn on_clocks(&mut self, _clocks: &Clocks) {}

    /// Nothing was sent for longer than a retransmission timeout: measurements must not count that
    /// time.
    fn on_idle(&mut self, _now: Time) {}

    /// The same, where windows are to start over then (RFC 5681 §4.1).
    fn on_restart(&mut self, now: Time);

    /// The last loss was spurious: the window becomes what it was before (RFC 4015 §3.2).
    fn on_undo(&mut self, now: Time);

    /// Careful resume moves the window and the slow-start threshold to so many bytes (RFC 9959). A
    /// controller whose window follows from what it measures keeps its own.
    fn on_resume(&mut self, _cwnd: u64, _ssthresh: u64) {}

    /// Duplicate acknowledgements open the window itself by `segments`, until [`Self::deflate`]:
    /// ns-2's Vegas. False if it stays as it is, and loss recovery adds the inflation itself.
    fn inflate(&mut self, _segments: u32) -> bool {
        false
    }

    /// Something new is acknowledged after more duplicates than a fast retransmit takes.
    fn deflate(&mut self) {}

    /// The path to the peer has changed: earlier measurements belong to the old one.
    fn on_path_change(&mut self, _now: Time) {}

    /// The congestion window in bytes. A sender keeps no more than this in flight, in whole
    /// segments: the fraction shows how close the next segment is.
    fn window(&self) -> u64;

    /// The slow-start threshold in bytes.
    fn ssthresh(&self) -> u64;

    /// How fast to send; `None` leaves that to the sender.
    fn pacing_rate(&self) -> Option<Rate> {
        None
    }

    /// True if that rate is its window in a round trip: to wait for it is to wait for the window.
    fn paces_window(&self) -> bool {
        false
    }

    /// Its estimate of the round-trip time without queues, if it uses one.
    fn base_rtt(&self) -> Option<Duration> {
        None
    }

    /// Codepoint of new data where ECN was agreed upon: ECT(1) from a controller that answers marks
    /// as L4S asks (RFC 9331 §4.1), else ECT(0).
    fn codepoint(&self) -> Ecn {
        Ecn::Capable
    }

    /// Knowledge that a later connection over the same path may begin with (RFC 9959 §3.1).
    fn retained(&self) -> Retained {
        Retained::Nothing
    }

    /// True if [`Ack::rate`] is to be measured.
    fn wants_rate(&self) -> bool {
        false
    }
}

/// An acknowledgement of something new. Offsets count bytes of the stream from 0.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ack {
    /// When it arrived.
    pub now: Time,
    /// Bytes that it acknowledges cumulatively for the first time; none if it only selects.
    pub acked: u64,
    /// Bytes that are known to have arrived only now: acknowledged or selected.
    pub delivered: u64,
    /// The lowest offset not acknowledged, after it.
    pub una: u64,
    /// The next offset to send, before anything is sent in answer to it.
    pub nxt: u64,
    /// Bytes in the network after it, as loss recovery counts them: RFC 6675's pipe with
    /// selective acknowledgements, else from `una` to `nxt`.
    pub pipe: u64,
    /// The round-trip time of the newest segment it covers, if that segment was sent once.
    pub rtt: Option<Duration>,
    /// True while losses are being repaired, this acknowledgement included: windows that grow with
    /// acknowledgements are frozen (RFC 5681 §3.2).
    pub recovering: bool,
    /// True if the congestion window, and nothing else, held the sender back at some time in the
    /// last window of data (`C.is_cwnd_limited` of draft-ietf-ccwg-bbr).
    pub window_limited: bool,
    /// Bytes in flight at most in the last window of data.
    pub most_in_flight: u64,
    /// How fast data were delivered, where [`Controller::wants_rate`] asks for it.
    pub rate: Option<RateSample>,
    /// Marks told of by it, and by acknowledgements of nothing new since the one before; nothing
    /// without accurate ECN (RFC 9768).
    pub marked: Marked,
}

/// Packets and bytes that arrived with a mark.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marked {
    /// Packets.
    pub packets: u64,
    /// Bytes of their payload: as counted by the peer, or estimated from the packets.
    pub bytes: u64,
}

impl Marked {
    /// Nothing.
    pub const NONE: Self = Self { packets: 0, bytes: 0 };
}

impl Ack {
    /// Bytes from `una` to `nxt`, after it.
    pub const fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }
}

/// The delivery rate over the flight of one segment, the newest that an acknowledgement covers
/// (draft-ietf-ccwg-bbr, "Delivery Rate Samples").
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateSample {
    /// Bytes ever delivered on this connection (`C.delivered`).
    pub total: u64,
    /// Bytes ever delivered when the segment was sent (`P.delivered`).
    pub prior: u64,
    /// How long the delivery of `total` − `prior` took: the longer of the times of sending and of
    /// acknowledging them.
    pub interval: Duration,
    /// True if the application, not the window, held the sender back when the segment was sent.
    pub app_limited: bool,
    /// Bytes in the network when the segment was sent, itself included (`P.tx_in_flight`).
    pub pipe_at_send: u64,
    /// Bytes found lost since the segment was sent (`RS.lost`).
    pub lost: u64,
}

/// Both ends' clocks from the timestamps of an acknowledgement (RFC 7323 §3), which wrap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clocks {
    /// This side's in ticks, when it sent what is acknowledged: `TSecr`.
    pub sent: u32,
    /// The peer's in its own ticks, when it acknowledged that: `TSval`.
    pub received: u32,
    /// The number acknowledged.
    pub ack: u32,
}

impl Clocks {
    /// How long a tick lasts at either end, as far as is known.
    pub const TICK: Duration = Duration::from_millis(1);
}

/// How a loss was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LossKind {
    /// By acknowledgements: duplicates, selections, or the time that passed since others arrived.
    DuplicateAcks,
    /// By Vegas's fine-grained timer, on an acknowledgement.
    FineTimeout,
    /// By the retransmission timer.
    Timeout,
    /// None was lost, but a queue marked a packet (RFC 3168 §6.1.2: react as to a loss), the first
    /// of its window of data. A controller that goes by [`Ack::marked`] need not listen.
    Ecn,
}

/// A loss, or what counts as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// When it was found.
    pub now: Time,
    /// How.
    pub kind: LossKind,
    /// Bytes outstanding at that time: from the lowest not acknowledged to the next to send.
    pub in_flight: u64,
    /// When the lost segment was last sent.
    pub sent: Time,
    /// How often it had been sent.
    pub transmissions: u32,
    /// True if a mark of the same window of data has been told of before it: one reduction is for
    /// both, unless what was lost is a retransmission (RFC 3168 §6.1.2).
    pub after_mark: bool,
}

/// A segment found lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LostSegment {
    /// When that was found.
    pub now: Time,
    /// Its bytes.
    pub bytes: u64,
    /// Bytes ever delivered when it was sent (`P.delivered`).
    pub prior: u64,
    /// Bytes in the network when it was sent, itself included (`P.tx_in_flight`).
    pub pipe_at_send: u64,
    /// Bytes found lost since it was sent, itself included.
    pub lost: u64,
    /// True if the application held the sender back when it was sent.
    pub app_limited: bool,
}

/// The limits within which a controller moves its window.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Payload bytes of a full segment.
    pub mss: u32,
    /// Window to start with, in segments.
    pub initial_window: u32,
    /// Slow-start threshold to start with, in segments.
    pub initial_ssthresh: u32,
    /// The window never grows beyond this, in segments.
    pub maximum_window: u32,
    /// Rules of its growth and of what a mark leaves of it.
    pub rules: WindowRules,
}
