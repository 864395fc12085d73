//! `[tcp]`: the endpoints.

use base::Duration;

use super::control::{Cubic, Reno, Vegas, Westwood};
use super::endpoint::{Freeze, Receiver, ShareState};
use super::variant::{CongestionControl, Controlled, Recovery, Variant};
use crate::profile::Profile;
use settings::{
    Always, Bytes, Count, Fault, Flag, Leaf, Nothing, OfTime, Off, Or, Scalar, Table, Unlimited,
    Word, as_key, join, section, words,
};

section! {
    /// `[tcp]`: the endpoints, alike for all flows.
    pub struct Tcp {
        /// A named set of defaults for this table. Keys that the scenario or a setting gives count
        /// more. Default: the defaults listed here.
        pub profile: Option<Profile> as Or<Nothing, Word<Profile>> = None;
        /// Congestion control and loss recovery, a named pair: tahoe, reno and vegas have both of
        /// that name; newreno, sack and fack are loss recoveries with Reno's congestion control;
        /// westwood comes with newreno, cubic with sack, bbr and wtcp with rack. wtcp needs
        /// tcp.timestamps. Default: Reno (RFC 5681).
        pub variant: Variant as Word<Variant> = Variant::Reno;
        /// How the window is found. `variant` is the half of tcp.variant.
        pub congestion_control: Option<CongestionControl> as Or<as_key::Variant, Controlled> =
            None;
        /// How losses are repaired. `variant` is the half of tcp.variant; sack, fack and rack need
        /// selective acknowledgements, and work as newreno with a peer that offers none.
        pub recovery: Option<Recovery> as Or<as_key::Variant, Word<Recovery>> = None;
        /// Payload bytes of a full segment. Default: RFC 9293 §3.7.1 over IPv4. At most what fits
        /// in a packet of 65,535 B.
        pub mss: u32 as Bytes<u32, 1, 65_495> = 536;
        /// A peer whose SYN names less, options included, is sent segments of this size all the
        /// same: or it could have a packet sent for each byte. Default: Linux's `tcp_min_snd_mss`.
        pub min_mss: u32 as Bytes<u32, 1, 65_495> = 48;
        /// The most that may be in flight, in segments. Default: lo2005 Table 3.
        pub window: u32 as Count<u32, 1, 1_073_741_824> = 64;
        /// The congestion window to start with, in segments. Default: ns-2; RFC 5681 §3.1 allows
        /// it for every MSS.
        pub initial_window: u32 as Count<u32, 1, 1_073_741_824> = 2;
        /// The slow-start threshold to start with, in segments. Default: the window, as in ns-2.
        pub initial_ssthresh: Option<u32> as Or<as_key::Window, Count<u32, 2, 1_073_741_824>> =
            None;
        /// How a receiver's window begins and grows, and how large it is if `receive_buffer` is
        /// not given: of hosts of around 2002, for full segments of `mss`.
        pub receiver: Receiver as Word<Receiver> = Receiver::Plain;
        /// Bytes that may wait for the application. Default: the receiver's own, of a plain one the
        /// window, so that it limits no more than the sender.
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
        /// How the retransmission timeout grows each time that it runs out in a row: to twice as
        /// long, or by as much as the first, or not at all, as with wtcp always. Default:
        /// RFC 6298 (5.5).
        pub back_off: BackOff as Word<BackOff> = BackOff::Exponential;
        /// How a timeout is found to have been in vain, and then undone (RFC 4015): not at all, by
        /// F-RTO (RFC 5682) or by Eifel (RFC 3522), which needs tcp.timestamps. Default: ns-2.
        pub spurious_timeouts: SpuriousTimeouts as Word<SpuriousTimeouts> =
            SpuriousTimeouts::Unseen;
        /// Which round-trip times the retransmission timer is fed with. Default: RFC 6298 §3,
        /// ns-2.
        pub rtt_sampling: RttSampling as Word<RttSampling> = RttSampling::OnePerWindow;
        /// Offer timestamps (RFC 7323 §3), 12 B in each segment. Default: off, as in ns-2.
        pub timestamps: bool as Flag = false;
        /// Offer selective acknowledgements (RFC 2018). `recovery` offers them if the loss recovery
        /// needs them.
        pub sack: Option<bool> as Or<as_key::Recovery, Flag> = None;
        /// How the sack recovery counts what is in the network: as RFC 6675 does, or as the first
        /// of its kind (Fall and Floyd 1996), which ns-2 has. Default: RFC 6675.
        pub sack_rule: SackRule as Word<SackRule> = SackRule::Rfc6675;
        /// Tell of what arrives twice (RFC 2883), where selective acknowledgements are agreed upon.
        /// Default: off, as in ns-2.
        pub dsack: bool as Flag = false;
        /// Reduce the window step by step (proportional rate reduction, RFC 9937) in the sack, fack
        /// and rack recoveries. Default: off, as in ns-2.
        pub prr: bool as Flag = false;
        /// Offer explicit congestion notification (RFC 3168): queues that can mark packets need not
        /// drop them. Default: off, as in ns-2.
        pub ecn: bool as Flag = false;
        /// When segments are spread over the round trip, at cwnd / srtt. A congestion control that
        /// names a rate, such as bbr, is paced always. Default: ns-2.
        pub pacing: Pacing as Word<Pacing> = Pacing::Off;
        /// When segments leave RTT / cwnd apart, by the round trip of `spacing_rtt`: packet spacing
        /// (Yew, Ong and Ahmad 2012, equation 3). The same pacing by another round trip than
        /// `pacing` goes by, and not beside it. Default: ns-2.
        pub spacing: Pacing as Word<Pacing> = Pacing::Off;
        /// The round trip of `spacing`: the latest sample, or the smallest (Vegas's baseRTT, where
        /// that is the congestion control; else kept at handovers). Default: Yew, Ong and Ahmad
        /// 2012.
        pub spacing_rtt: SpacingRtt as Word<SpacingRtt> = SpacingRtt::Current;
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
        /// From which connections between the same hosts a new one learns round-trip times and
        /// windows (RFC 9040). Default: each on its own.
        pub share_state: ShareState as Word<ShareState> = ShareState::Off;
        /// How long TIME-WAIT lasts. Default: two maximum segment lifetimes (RFC 9293 §3.4.2).
        pub time_wait: Duration as OfTime = Duration::from_secs(240);
        /// Reno's congestion control.
        pub reno: Reno as Always<Reno> = Reno::default();
        /// The fack recovery.
        pub fack: Fack as Always<Fack> = Fack::default();
        /// The newreno recovery.
        pub newreno: NewReno as Always<NewReno> = NewReno::default();
        /// Vegas.
        pub vegas: Vegas as Always<Vegas> = Vegas::default();
        /// Westwood+.
        pub westwood: Westwood as Always<Westwood> = Westwood::default();
        /// CUBIC.
        pub cubic: Cubic as Always<Cubic> = Cubic::default();
        /// What receivers do about disconnections.
        pub freeze: Freeze as Always<Freeze> = Freeze::default();
    }
    check(Self::goes_together)
}

impl Tcp {
    fn goes_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        self.bounds_go_together(tree, at)?;
        self.schemes_go_together(tree, at)
    }

    fn bounds_go_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.window_bytes() > LARGEST_WINDOW {
            let message =
                format!("{at}.window times {at}.mss must be at most 1 GiB (RFC 7323 §2.3)");
            return tree.clash_at(at, &["window", "mss"], message);
        }
        if self.receive_buffer.is_some_and(|bytes| bytes < self.mss) {
            let message = format!("must hold at least one segment of {at}.mss");
            return tree.clash_at(at, &["receive_buffer", "mss"], message);
        }
        if self.min_rto > self.max_rto {
            let message = format!("{at}.min_rto must not be longer than {at}.max_rto");
            return tree.clash_at(at, &["min_rto", "max_rto"], message);
        }
        if self.initial_rto > self.max_rto {
            let message = format!("{at}.initial_rto must not be longer than {at}.max_rto");
            return tree.clash_at(at, &["initial_rto", "max_rto"], message);
        }
        Ok(())
    }

    fn schemes_go_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.needs_sack() && self.sack == Some(false) {
            let message = format!(
                "{at}.recovery repairs from selective acknowledgements: {at}.sack must not be false"
            );
            return tree.clash_at(at, &["sack", "recovery", "variant"], message);
        }
        if self.spurious_timeouts == SpuriousTimeouts::Eifel && !self.timestamps {
            let message =
                format!("eifel looks at timestamps: {at}.timestamps must be true (RFC 3522)");
            return tree.clash_at(at, &["spurious_timeouts", "timestamps"], message);
        }
        if self.halves().0.is_wtcp() && !self.timestamps {
            let message =
                format!("wtcp reads separations off timestamps: {at}.timestamps must be true");
            return tree.clash_at(at, &["congestion_control", "variant", "timestamps"], message);
        }
        if self.pacing != Pacing::Off && self.spacing != Pacing::Off {
            let message = format!(
                "give {at}.pacing or {at}.spacing, not both: they are one pacing by two round trips"
            );
            return tree.clash_at(at, &["spacing", "pacing"], message);
        }
        if self.spacing == Pacing::Off
            && self.spacing_rtt != SpacingRtt::Current
            && !tree.is_overruled(&join(at, "spacing_rtt"), &join(at, "spacing"))
        {
            let message = format!("{at}.spacing_rtt does nothing while {at}.spacing is off");
            return tree.clash_at(at, &["spacing_rtt", "spacing"], message);
        }
        Ok(())
    }
}

/// The largest window that a header can express with scaling (RFC 7323 §2.3).
const LARGEST_WINDOW: u64 = 1 << 30;

section! {
    /// `[tcp.newreno]`: what a partial acknowledgement does in the newreno recovery, beside
    /// repairing the next loss. Defaults: RFC 6582; ns-2 since 2003.
    pub struct NewReno {
        /// To the retransmission timer: only the first one restarts it, or each one does
        /// (RFC 6582 §4).
        pub timer: PartialAckTimer as Word<PartialAckTimer> = PartialAckTimer::Impatient;
        /// To the window that duplicates have inflated: it shrinks by what was acknowledged, less
        /// one segment (RFC 6582 §3.2 step 3), or to what it was when recovery began (Fall and
        /// Floyd 1996).
        pub window: PartialAckWindow as Word<PartialAckWindow> = PartialAckWindow::Deflates;
        /// How many new segments an acknowledgement may release during recovery. Default: RFC 6582
        /// sets no number; ns-2 has 2.
        pub burst: Option<u32> as Or<Unlimited, Count<u32, 1, 1_073_741_824>> = None;
    }
}

section! {
    /// `[tcp.fack]`: the window in the fack recovery.
    pub struct Fack {
        /// What a loss does to it: it is halved and stands still during recovery; or it starts
        /// over from one segment, opens with each acknowledgement from the first retransmission
        /// on, and duplicates before that release nothing. Default: Mathis and Mahdavi 1996.
        pub window: FackWindow as Word<FackWindow> = FackWindow::Halves;
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
    /// Which round-trip times the retransmission timer is fed with.
    pub enum RttSampling {
        /// One segment is timed at a time.
        OnePerWindow = "one-per-window",
        /// The newest segment that each acknowledgement covers.
        EverySegment = "every-segment",
    }
}

words! {
    /// How the retransmission timeout grows each time that it runs out in a row.
    pub enum BackOff {
        /// It doubles (RFC 6298 §5.5).
        Exponential = "exponential",
        /// It grows by itself: 1, 2, 3, … times the first.
        Linear = "linear",
        /// It stays as it is.
        Constant = "constant",
    }
}

words! {
    /// How a timeout is found to have been in vain.
    pub enum SpuriousTimeouts {
        /// Not at all.
        Unseen = "unseen",
        /// New data sent after it tell (RFC 5682).
        FRto = "f-rto",
        /// The timestamp of the first acknowledgement after it tells (RFC 3522).
        Eifel = "eifel",
    }
}

words! {
    /// How the sack recovery counts what is in the network.
    pub enum SackRule {
        /// RFC 6675 §4.
        Rfc6675 = "rfc6675",
        /// Fall and Floyd 1996 §3; ns-2.
        Sack1 = "sack1",
    }
}

words! {
    /// What a partial acknowledgement does to the retransmission timer (RFC 6582 §4).
    pub enum PartialAckTimer {
        /// Only the first one restarts it.
        Impatient = "impatient",
        /// Each one restarts it.
        SlowButSteady = "slow-but-steady",
    }
}

words! {
    /// What a partial acknowledgement does to the window that duplicates have inflated.
    pub enum PartialAckWindow {
        /// It shrinks by what was acknowledged, less one segment (RFC 6582 §3.2 step 3).
        Deflates = "deflates",
        /// It is what it was when recovery began (Fall and Floyd 1996).
        Closes = "closes",
    }
}

words! {
    /// What a loss does to the window in the fack recovery.
    pub enum FackWindow {
        /// It is halved (Mathis and Mahdavi 1996).
        Halves = "halves",
        /// It starts over: ns-2.
        Restarts = "restarts",
    }
}

words! {
    /// When segments are spread over the round trip.
    pub enum Pacing {
        /// Never.
        Off = "off",
        /// In slow start.
        SlowStart = "slow-start",
        /// Always.
        Always = "always",
    }
}

words! {
    /// Which round trip packet spacing goes by.
    pub enum SpacingRtt {
        /// The latest sample.
        Current = "current",
        /// The smallest.
        Base = "base",
    }
}
