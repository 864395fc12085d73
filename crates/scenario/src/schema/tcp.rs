//! `[tcp]`: the endpoints.

use base::Duration;

use crate::form::{
    Always, Bytes, Count, Factor, Flag, Leaf, OfTime, Off, Or, Unlimited, Word, as_key, section,
    words,
};
use crate::tree::Scalar;

section! {
    /// `[tcp]`: the endpoints, alike for all flows.
    pub struct Tcp {
        /// Congestion control and loss recovery. Default: Reno (RFC 5681).
        pub variant: Variant as Word<Variant> = Variant::Reno;
        /// Payload bytes of a full segment. Default: RFC 9293 §3.7.1 over IPv4. At most what fits
        /// in a packet of 65,535 B.
        pub mss: u32 as Bytes<u32, 1, 65_495> = 536;
        /// The most that may be in flight, in segments. Default: lo2005 Table 3.
        pub window: u32 as Count<u32, 1, 1_073_741_824> = 64;
        /// The congestion window to start with, in segments. Default: ns-2; RFC 5681 §3.1 allows
        /// it for every MSS.
        pub initial_window: u32 as Count<u32, 1, 1_073_741_824> = 2;
        /// The slow-start threshold to start with, in segments. Default: the window, as in ns-2.
        pub initial_ssthresh: Option<u32> as Or<as_key::Window, Count<u32, 2, 1_073_741_824>> =
            None;
        /// Bytes that may wait for the application. Default: the window, so that the receiver
        /// limits no more than the sender.
        pub receive_buffer: Option<u32> as Or<as_key::Window, Bytes<u32, 1, 1_073_741_824>> = None;
        /// Retransmission timeout before the first round-trip time is known. Default: RFC 6298
        /// (2.1); it was 3 s before 2011 (RFC 2988), as in ns-2.
        pub initial_rto: Duration as OfTime<1> = Duration::from_secs(1);
        /// The retransmission timeout is no shorter. Default: RFC 6298 (2.4).
        pub min_rto: Duration as OfTime = Duration::from_secs(1);
        /// The retransmission timeout is no longer, back-off included. Default: RFC 6298 (2.5),
        /// ns-2.
        pub max_rto: Duration as OfTime<1> = Duration::from_secs(60);
        /// Granularity of measured round-trip times, G of RFC 6298; 0 s measures exactly. Default:
        /// ns-2.
        pub tick: Duration as OfTime = Duration::from_millis(10);
        /// Timeouts in a row after which a connection is given up (RFC 9293 §3.8.3, R2). Default:
        /// never, as in ns-2.
        pub max_retransmissions: Option<u32> as Or<Unlimited, Count<u32, 1, 1_000_000>> = None;
        /// Which round-trip times the retransmission timer is fed with. Default: RFC 6298 §3,
        /// ns-2.
        pub rtt_sampling: RttSampling as Word<RttSampling> = RttSampling::OnePerWindow;
        /// New data on the first two duplicate acknowledgements. Default: RFC 3042, ns-2.
        pub limited_transmit: bool as Flag = true;
        /// Back to the initial window after an idle timeout. Default: RFC 5681 §4.1.
        pub slow_start_restart: bool as Flag = true;
        /// How long an acknowledgement may wait for a second segment: at most 500 ms
        /// (RFC 9293 §3.8.6.3); `true` is ns-2's 100 ms. Default: an acknowledgement per segment,
        /// as in ns-2 and lo2005.
        pub delayed_ack: Option<Duration> as DelayedAck = None;
        /// No second fast retransmit until what was sent before the last loss is acknowledged.
        /// Default: RFC 6582 §3.2, ns-2's `bugFix_`.
        pub recover_guard: bool as Flag = true;
        /// Hold a small segment back while anything is in flight (RFC 9293 §3.7.4). Default: off,
        /// as in ns-2.
        pub nagle: bool as Flag = false;
        /// How long TIME-WAIT lasts. Default: two maximum segment lifetimes (RFC 9293 §3.4.2).
        pub time_wait: Duration as OfTime = Duration::from_secs(240);
        /// Vegas.
        pub vegas: Vegas as Always<Vegas> = Vegas::default();
    }
}

section! {
    /// `[tcp.vegas]`: thresholds in segments that a flow may keep in queues. Defaults: ns-2;
    /// α and β also of lo2005 §2.
    pub struct Vegas {
        /// α: below this the window grows.
        pub alpha: f64 as Factor = 1.0;
        /// β: above this the window shrinks.
        pub beta: f64 as Factor = 3.0;
        /// γ: above this slow start ends.
        pub gamma: f64 as Factor = 1.0;
        /// How the difference of expected and actual throughput is used. Default: ns-2, on which
        /// lo2005's numbers rest.
        pub delta: Delta as Word<Delta> = Delta::Rounded;
    }
}

/// How long an acknowledgement may wait, or whether it may.
pub(crate) struct DelayedAck;

type Wait = Or<Off, OfTime<1, 500_000_000>>;

impl Leaf for DelayedAck {
    type Value = Option<Duration>;

    fn expected() -> String {
        format!("{}, true or false", Wait::expected())
    }

    fn parse(scalar: &Scalar) -> Result<Self::Value, String> {
        let interval_of_ns2 = Duration::from_millis(100);
        match Flag::parse(scalar) {
            Ok(waits) => Ok(waits.then_some(interval_of_ns2)),
            Err(_) => Wait::parse(scalar),
        }
    }

    fn show(value: &Self::Value) -> String {
        Wait::show(value)
    }
}

words! {
    /// Congestion control and loss recovery by name.
    pub enum Variant {
        /// RFC 5681.
        Reno = "reno",
        /// Brakmo and Peterson 1995.
        Vegas = "vegas",
    }
}

words! {
    /// Which round-trip times the retransmission timer is fed with.
    pub enum RttSampling {
        /// One segment is timed at a time.
        OnePerWindow = "one-per-window",
        /// The newest segment that each acknowledgement covers.
        EverySegment = "every-segment",
    }
}

words! {
    /// How Vegas uses the difference of expected and actual throughput.
    pub enum Delta {
        /// Rounded to whole segments: ns-2.
        Rounded = "rounded",
        /// As it is: Brakmo and Peterson.
        Exact = "exact",
    }
}
