//! What an endpoint can be told to do.

use base::Duration;
use cc::{Controller, Limits, Reno, Vegas, VegasParameters};

/// An endpoint's configuration.
#[derive(Clone, Debug)]
pub struct Config {
    /// How it finds its window and how it repairs losses.
    pub variant: Variant,
    /// Payload bytes of a full segment: offered to the peer, and the most that is sent.
    pub mss: u32,
    /// The most that may be in flight, in segments.
    pub window: u32,
    /// The congestion window to start with, in segments (RFC 5681 §3.1).
    pub initial_window: u32,
    /// The slow-start threshold to start with, in segments; `None` is the window.
    pub initial_ssthresh: Option<u32>,
    /// Bytes that may wait for the application, and hence the advertised window.
    pub receive_buffer: u32,
    /// The retransmission timer.
    pub rto: RtoConfig,
    /// Which round-trip times the retransmission timer is fed with.
    pub rtt_sampling: RttSampling,
    /// How long an acknowledgement may wait for a second segment (RFC 9293 §3.8.6.3: at most
    /// 500 ms); `None` acknowledges each segment at once.
    pub delayed_ack: Option<Duration>,
    /// Send new data on the first two duplicate acknowledgements (RFC 3042).
    pub limited_transmit: bool,
    /// Fall back to the initial window after an idle timeout (RFC 5681 §4.1).
    pub slow_start_restart: bool,
    /// No second fast retransmit until what was sent before the last loss is acknowledged
    /// (RFC 6582 §3.2 step 2; ns-2's `bugFix_`). Off: Reno as of 1990 (Fall and Floyd 1996).
    pub recover_guard: bool,
    /// Hold a small segment back while anything is in flight (RFC 9293 §3.7.4).
    pub nagle: bool,
    /// How long TIME-WAIT lasts: twice the maximum segment lifetime (RFC 9293 §3.4.2: 4 minutes).
    pub time_wait: Duration,
}

impl Config {
    /// A controller for segments of `mss` bytes that starts with `initial_window` segments.
    pub fn controller(&self, mss: u32, initial_window: u32) -> Box<dyn Controller> {
        let limits = Limits {
            mss,
            initial_window,
            initial_ssthresh: self.initial_ssthresh.unwrap_or(self.window),
            maximum_window: self.window,
        };
        match self.variant.congestion_control {
            CongestionControl::Reno => Box::new(Reno::new(&limits)),
            CongestionControl::Vegas(parameters) => Box::new(Vegas::new(&limits, parameters)),
        }
    }
}

/// Congestion control and loss recovery are two choices that combine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Variant {
    /// How much may be in flight.
    pub congestion_control: CongestionControl,
    /// What is sent again, and when.
    pub recovery: RecoveryKind,
}

impl Variant {
    /// Reno: its congestion control and its fast recovery.
    pub const RENO: Self =
        Self { congestion_control: CongestionControl::Reno, recovery: RecoveryKind::Reno };

    /// Vegas: its congestion control and its fine-grained retransmission.
    pub const fn vegas(parameters: VegasParameters) -> Self {
        Self {
            congestion_control: CongestionControl::Vegas(parameters),
            recovery: RecoveryKind::Vegas,
        }
    }
}

/// A congestion control and its parameters.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CongestionControl {
    /// [`cc::Reno`].
    Reno,
    /// [`cc::Vegas`].
    Vegas(VegasParameters),
}

/// A way of repairing losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecoveryKind {
    /// Fast retransmit on the third duplicate, and Reno's fast recovery (RFC 5681 §3.2).
    Reno,
    /// The same, and a fine-grained timer that is looked at on acknowledgements (Brakmo and
    /// Peterson 1995 §III-A).
    Vegas,
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
    /// Timeouts in a row after which the connection is given up (RFC 9293 §3.8.3, R2); `None`
    /// never gives up.
    pub max_retransmissions: Option<u32>,
}

/// Which round-trip times the retransmission timer is fed with. Segments that were sent more
/// than once never count (Karn's algorithm, RFC 6298 §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RttSampling {
    /// One segment is timed at a time (RFC 6298 §3: at least one sample per round trip; ns-2).
    OnePerWindow,
    /// The newest segment that each acknowledgement covers.
    EverySegment,
}
