//! `[tcp.vegas]`, `[tcp.westwood]` and so on: the parameters of a congestion control.

use base::Duration;

use settings::{
    Count, Factor, Fault, Flag, Fraction, OfTime, Or, Positive, Table, Word, as_key, section, words,
};

section! {
    /// `[tcp.reno]`: how the window opens, and what a loss leaves of it.
    pub struct Reno {
        /// What half of a window is: as many whole segments, or exactly half. ns-2.35 has the
        /// latter. Default: whole segments.
        pub halving: Halving as Word<Halving> = Halving::WholeSegments;
        /// What the window grows by: acknowledgements, or the bytes that they acknowledge. Default:
        /// ns-2.
        pub growth: Growth as Word<Growth> = Growth::Acknowledgements;
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
        /// The congestion window to start with, in segments, if it is another than that of the
        /// other algorithms: ns-2's Vegas opens no connection, and starts otherwise.
        pub initial_window: Option<u32> as Or<as_key::InitialWindow, Count<u32, 1, 1_073_741_824>> =
            None;
        /// New data on the first two duplicate acknowledgements in the vegas recovery, if that is
        /// not as in the others: ns-2's has none.
        pub limited_transmit: Option<bool> as Or<as_key::LimitedTransmit, Flag> = None;
        /// Feed the retransmission timer with the handshake's round-trip time. Default: RFC 6298
        /// §2.2.
        pub times_handshake: bool as Flag = true;
        /// What the vegas recovery remembers of when and how often each segment was sent: that, or
        /// what ns-2's ring of `window` places still holds of it. With the ring, a retransmission
        /// also backs the timer off, duplicates open cwnd itself, and a segment that is
        /// not outstanding counts as lost. Default: Brakmo and Peterson 1995.
        pub records: VegasRecords as Word<VegasRecords> = VegasRecords::Exact;
        /// What becomes of baseRTT, the smallest round-trip time, when a handover of the mobile is
        /// complete: nothing, or it is learned anew from what is sent from then on. Default:
        /// Brakmo and Peterson 1995, ns-2.
        pub base_rtt: BaseRtt as Word<BaseRtt> = BaseRtt::Kept;
    }
    check(Self::thresholds_in_order)
}

impl Vegas {
    fn thresholds_in_order(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.alpha > self.beta {
            let message = format!("{at}.alpha must not be above {at}.beta");
            return tree.clash_at(at, &["alpha", "beta"], message);
        }
        Ok(())
    }
}

section! {
    /// `[tcp.westwood]`: the estimate of the bandwidth.
    pub struct Westwood {
        /// α: the share that the estimate keeps of itself at each sample, one a round trip.
        /// Default: Grieco and Mascolo 2004.
        pub alpha: f64 as Fraction = 0.9;
        /// Which round-trip times `RTTmin` is the smallest of: all, or those since the last
        /// timeout, as in Linux. Default: Grieco and Mascolo 2004.
        pub minimum_rtt: MinimumRtt as Word<MinimumRtt> = MinimumRtt::Ever;
        /// A sample takes a round trip, and no less than this. Default: Grieco and Mascolo 2004;
        /// Linux has 50 ms.
        pub shortest_sample: Duration as OfTime = Duration::ZERO;
    }
}

section! {
    /// `[tcp.cubic]`: the curve.
    pub struct Cubic {
        /// C: how steep it is, in segments/s³. Default: RFC 9438 §5.1.
        pub c: f64 as Positive = 0.4;
        /// β: what a loss leaves of the window. Default: RFC 9438 §4.6.
        pub beta: f64 as Fraction = 0.7;
        /// Release more when a loss came below the last one's window. Default: RFC 9438 §4.7.
        pub fast_convergence: bool as Flag = true;
        /// Never be slower than Reno. Default: RFC 9438 §4.3.
        pub reno_friendly: bool as Flag = true;
        /// How the first slow start ends: at ssthresh or with a loss, or also when the round-trip
        /// time rises, by `HyStart++` (RFC 9406). Default: RFC 5681.
        pub slow_start: SlowStart as Word<SlowStart> = SlowStart::Standard;
    }
}

words! {
    /// What half of a window is.
    pub enum Halving {
        /// As many whole segments.
        WholeSegments = "whole-segments",
        /// Exactly half.
        Exact = "exact",
    }
}

words! {
    /// What Reno's window grows by.
    pub enum Growth {
        /// One step for each acknowledgement (RFC 5681 equations 2 and 3).
        Acknowledgements = "acknowledgements",
        /// By the segments that are acknowledged (RFC 3465).
        Bytes = "bytes",
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

words! {
    /// What the vegas recovery remembers of segments.
    pub enum VegasRecords {
        /// When each was sent, and how often.
        Exact = "exact",
        /// What a ring of places holds of it: ns-2.
        Ring = "ring",
    }
}

words! {
    /// What becomes of Vegas's baseRTT at a handover.
    pub enum BaseRtt {
        /// Nothing.
        Kept = "kept",
        /// It is learned anew.
        RenewedAtHandover = "renewed-at-handover",
    }
}

words! {
    /// How the first slow start ends.
    pub enum SlowStart {
        /// At ssthresh or with a loss (RFC 5681).
        Standard = "standard",
        /// When the round-trip time rises as well: `HyStart++` (RFC 9406).
        Hystart = "hystart",
    }
}

words! {
    /// Which round-trip times `RTTmin` is the smallest of.
    pub enum MinimumRtt {
        /// All.
        Ever = "ever",
        /// Those since the last timeout.
        SinceTimeout = "since-timeout",
    }
}
