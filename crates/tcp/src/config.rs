//! What an endpoint can be told to do.

use base::Duration;
use cc::{Algorithm, Controller, Limits, RenoParameters};

use crate::{Freeze, ShareState, WindowOpening};

/// An endpoint's configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// How it finds its window.
    pub congestion_control: Algorithm,
    /// How it repairs losses.
    pub recovery: RecoveryKind,
    /// Payload bytes of a full segment: offered to the peer, and the most that is sent.
    pub mss: u32,
    /// A peer that takes less, options included, is sent segments of this size all the same, in
    /// bytes: or a SYN could have a packet sent for each byte.
    pub min_mss: u32,
    /// The most that may be in flight, in segments.
    pub window: u32,
    /// The congestion window to start with, in segments (RFC 5681 §3.1).
    pub initial_window: u32,
    /// The slow-start threshold to start with, in segments; `None` is the window.
    pub initial_ssthresh: Option<u32>,
    /// Bytes that may wait for the application, and hence the advertised window.
    pub receive_buffer: u32,
    /// How the advertised window comes to that size.
    pub window_opening: WindowOpening,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// Feed the retransmission timer with the round-trip time of the handshake (RFC 6298 §2.2).
    pub times_handshake: bool,
    /// Which round-trip times the retransmission timer is fed with.
    pub rtt_sampling: RttSampling,
    /// What the SYN offers.
    pub offers: Offers,
    /// How long an acknowledgement may wait for a second segment (RFC 9293 §3.8.6.3: at most
    /// 500 ms); `None` acknowledges each segment at once.
    pub delayed_ack: Option<Duration>,
    /// Tell of what arrives twice (RFC 2883), where selective acknowledgements are agreed upon.
    pub dsack: bool,
    /// Send new data on the first two duplicate acknowledgements (RFC 3042).
    pub limited_transmit: bool,
    /// Fall back to the initial window after an idle timeout (RFC 5681 §4.1).
    pub slow_start_restart: bool,
    /// No second fast retransmit until what was sent before the last loss is acknowledged
    /// (RFC 6582 §3.2 step 2; ns-2's `bugFix_`). Off: Reno as of 1990 (Fall and Floyd 1996).
    pub recover_guard: bool,
    /// Reduce the window step by step during recovery (RFC 9937), where recovery counts what is
    /// in the network.
    pub proportional_rate_reduction: bool,
    /// Whether and how a timeout is found to have been in vain.
    pub spurious_timeouts: SpuriousTimeouts,
    /// When segments are spread over the round trip.
    pub pacing: Pacing,
    /// Which round trip they are spread over.
    pub pacing_rtt: PacingRtt,
    /// Hold a small segment back while anything is in flight (RFC 9293 §3.7.4).
    pub nagle: bool,
    /// What a receiver tells before and after a disconnection that it is warned of.
    pub freeze: Freeze,
    /// From which connections to the same host it learns at its start.
    pub share_state: ShareState,
    /// How long TIME-WAIT lasts: twice the maximum segment lifetime (RFC 9293 §3.4.2: 4 minutes).
    pub time_wait: Duration,
}

impl Config {
    /// An endpoint with everything switched off that can be: Reno as of RFC 5681 with the timer of
    /// RFC 6298, to build others from.
    pub const PLAIN: Self = Self {
        congestion_control: Algorithm::Reno(RenoParameters::PLAIN),
        recovery: RecoveryKind::Reno,
        mss: 536,
        min_mss: 1,
        window: 64,
        initial_window: 2,
        initial_ssthresh: None,
        receive_buffer: 65_535,
        window_opening: WindowOpening::Whole,
        rto: RtoConfig {
            tick: Duration::ZERO,
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            initial: Duration::from_secs(3),
            back_off: BackOff::Exponential,
            max_retransmissions: None,
        },
        times_handshake: true,
        rtt_sampling: RttSampling::OnePerWindow,
        offers: Offers { sack: false, timestamps: false, ecn: false },
        delayed_ack: None,
        dsack: false,
        limited_transmit: false,
        slow_start_restart: false,
        recover_guard: true,
        proportional_rate_reduction: false,
        spurious_timeouts: SpuriousTimeouts::Unseen,
        pacing: Pacing::Off,
        pacing_rtt: PacingRtt::Smoothed,
        nagle: false,
        freeze: Freeze::ONCE,
        share_state: ShareState::Off,
        time_wait: Duration::from_secs(60),
    };

    /// A controller for segments of `mss` bytes that starts with `initial_window` segments.
    pub fn controller(&self, mss: u32, initial_window: u32) -> Box<dyn Controller> {
        self.congestion_control.controller(&self.limits(mss, initial_window))
    }

    /// The frame in which such a controller moves its window.
    pub(crate) fn limits(&self, mss: u32, initial_window: u32) -> Limits {
        Limits {
            mss,
            initial_window,
            initial_ssthresh: self.initial_ssthresh.unwrap_or(self.window),
            maximum_window: self.window,
        }
    }
}

/// What a SYN offers; each is used if the peer offers it as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offers {
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323 §3).
    pub timestamps: bool,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
}

impl Offers {
    /// Nothing.
    pub const NONE: Self = Self { sack: false, timestamps: false, ecn: false };

    /// What is offered here and in `other`.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            sack: self.sack && other.sack,
            timestamps: self.timestamps && other.timestamps,
            ecn: self.ecn && other.ecn,
        }
    }
}

/// A way of repairing losses. Those that need selective acknowledgements work as `NewReno` where
/// the peer does not offer them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryKind {
    /// Fast retransmit on the third duplicate, and everything after it once more (Jacobson 1988).
    Tahoe,
    /// Fast retransmit on the third duplicate, and Reno's fast recovery (RFC 5681 §3.2).
    Reno,
    /// Reno's, which a partial acknowledgement does not end (RFC 6582).
    NewReno(NewReno),
    /// From a scoreboard of selective acknowledgements (RFC 6675).
    Sack,
    /// The first of them: Sack1 of Fall and Floyd 1996, which ns-2 has.
    Sack1,
    /// From the forward-most selective acknowledgement (Mathis and Mahdavi 1996).
    Fack(FackWindow),
    /// Reno's, and a fine-grained timer that is looked at on acknowledgements (Brakmo and
    /// Peterson 1995 §III-A).
    Vegas(VegasRecords),
    /// From the time that passed since later segments arrived, with a probe of the tail
    /// (RFC 8985).
    Rack,
}

impl RecoveryKind {
    /// True if it needs selective acknowledgements.
    pub const fn is_selective(self) -> bool {
        match self {
            Self::Sack | Self::Sack1 | Self::Fack(_) | Self::Rack => true,
            Self::Tahoe | Self::Reno | Self::NewReno(_) | Self::Vegas(_) => false,
        }
    }
}

/// What `NewReno` does on a partial acknowledgement, beside repairing the next loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NewReno {
    /// To the retransmission timer.
    pub timer: PartialAckTimer,
    /// To the window.
    pub window: PartialAckWindow,
    /// How many new segments an acknowledgement may release during recovery (Fall and Floyd 1996:
    /// two; RFC 6582 §3.2 step 3 asks for a limit in other words); `None` is any number.
    pub burst: Option<u32>,
}

impl NewReno {
    /// RFC 6582 as it recommends.
    pub const RFC_6582: Self =
        Self { timer: PartialAckTimer::Impatient, window: PartialAckWindow::Deflates, burst: None };
}

/// What a partial acknowledgement does to the retransmission timer (RFC 6582 §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartialAckTimer {
    /// The first one restarts it, later ones do not: many losses end in a timeout soon.
    Impatient,
    /// Each one restarts it: a loss per round trip, as long as it takes.
    SlowButSteady,
}

/// What a partial acknowledgement does to the window that duplicates have inflated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartialAckWindow {
    /// It shrinks by what was acknowledged, less one segment (RFC 6582 §3.2 step 3).
    Deflates,
    /// It is what it was when recovery began (Fall and Floyd 1996).
    Closes,
}

/// What the vegas recovery remembers of segments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VegasRecords {
    /// When each was sent, and how often.
    Exact,
    /// The same in a ring of as many places as the window has segments, which is not always
    /// emptied, with what comes of it (ns-2).
    Ring,
}

/// What a loss does to the window in the fack recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FackWindow {
    /// It is halved, and stands still during recovery (Mathis and Mahdavi 1996).
    Halves,
    /// It starts over from one segment, and each acknowledgement opens it from the first
    /// retransmission on; duplicates before that release nothing (ns-2).
    Restarts,
}

/// The retransmission timer (RFC 6298).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RtoConfig {
    /// Granularity of round-trip times, RFC 6298's G; zero measures exactly.
    pub tick: Duration,
    /// The timeout is no shorter, before back-off.
    pub min: Duration,
    /// The timeout is no longer, after back-off.
    pub max: Duration,
    /// The timeout before the first round-trip time is known.
    pub initial: Duration,
    /// How it grows when it runs out.
    pub back_off: BackOff,
    /// Timeouts in a row after which the connection is given up (RFC 9293 §3.8.3, R2); `None`
    /// never gives up.
    pub max_retransmissions: Option<u32>,
}

/// How the timeout grows each time that it runs out in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BackOff {
    /// It doubles (RFC 6298 §5.5).
    Exponential,
    /// It grows by itself: 1, 2, 3, … times the first.
    Linear,
    /// Not at all.
    Constant,
}

/// Which round-trip times the retransmission timer is fed with. Segments that were sent more
/// than once never count (Karn's algorithm, RFC 6298 §3), unless timestamps tell which
/// transmission was acknowledged (RFC 7323 §4.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RttSampling {
    /// One segment is timed at a time (RFC 6298 §3: at least one sample per round trip; ns-2).
    OnePerWindow,
    /// The newest segment that each acknowledgement covers.
    EverySegment,
}

/// Whether and how a timeout is found to have been in vain, and then undone (RFC 4015).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpuriousTimeouts {
    /// It never is.
    Unseen,
    /// New data sent after it tell (RFC 5682).
    FRto,
    /// The timestamp of the first acknowledgement after it tells (RFC 3522).
    Eifel,
}

/// When segments are spread over the round trip at cwnd / RTT instead of sent in bursts. A
/// controller that names a rate is paced always, at that.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pacing {
    /// Never.
    Off,
    /// In slow start only.
    SlowStart,
    /// Always.
    Always,
}

/// The round-trip time of a paced sender's rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PacingRtt {
    /// SRTT of RFC 6298 (Aggarwal, Savage and Anderson 2000 §III).
    Smoothed,
    /// The latest sample: packet spacing (Yew, Ong and Ahmad 2012, equation 3).
    Current,
    /// The smallest sample, or what the controller holds for it.
    Base,
}
