//! What an endpoint can be told to do: `[tcp]`.

use base::Duration;
use cc::{Algorithm, CongestionControl, Controlled, Controller, EcnFeedback, Limits};
use settings::{
    Always, Bytes, Count, Fault, Flag, Flat, Form, Leaf, NoKey, Nothing, OfTime, Off, Or, Scalar,
    Table, Takes, Unlimited, Word, as_key, join, section, words,
};

pub use crate::freeze::Freeze;
pub use crate::pacing::{Pacing, SpacingRtt};
pub use crate::profile::Profile;
pub use crate::recovery::prr::PrrUnit;
pub use crate::retransmission_timer::BackOff;
pub use crate::shared::ShareState;
pub use crate::spurious::SpuriousTimeouts;
pub use crate::variant::Variant;
pub use crate::window_opening::ReceiverKind;

use crate::{RecoveryKind, RecoveryRules, SackRule};

section! {
    /// `[tcp]`: an endpoint.
    pub struct Config {
        /// A named set of defaults for this table. Keys that the scenario or a setting gives take
        /// precedence. Default: the defaults listed here.
        pub profile: Option<Profile> as Or<Nothing, Word<Profile>> = None;
        /// Congestion control and loss recovery, a named pair: tahoe, reno and vegas have both of
        /// that name; newreno, sack and fack are loss recoveries with Reno's congestion control;
        /// westwood comes with newreno, cubic and dctcp with sack, bbr, copa, prague and wtcp with
        /// rack.
        /// wtcp needs tcp.timestamps, dctcp and prague need tcp.ecn to be accurate. Default: Reno
        /// (RFC 5681).
        pub variant: Variant as Word<Variant> = Variant::Reno;
        /// How the congestion window is controlled. `variant` is the half of tcp.variant. In a
        /// simulation tcp.congestion_control also takes a class in Python: FILE.py:CLASS.
        pub congestion_control: Option<CongestionControl> as Or<as_key::Variant, Controlled> =
            None;
        /// How losses are repaired. `variant` is the half of tcp.variant; sack, fack and rack need
        /// selective acknowledgements, and work as newreno with a peer that offers none.
        pub recovery: Option<RecoveryKind> as Or<as_key::Variant, Word<RecoveryKind>> = None;
        /// Payload bytes of a full segment. Default: RFC 9293 §3.7.1 over IPv4. At most what fits
        /// in a packet of 65,535 B.
        pub mss: u32 as Bytes<u32, 1, 65_495> = 536;
        /// The smallest MSS, options included, that a peer's SYN can set: a smaller one is raised
        /// to it, or it could force a packet for each byte. Default: Linux's `tcp_min_snd_mss`.
        pub min_mss: u32 as Bytes<u32, 1, 65_495> = 48;
        /// The most that is allowed in flight, in segments. Default: lo2005 Table 3.
        pub window: u32 as Count<u32, 1, 1_073_741_824> = 64;
        /// The congestion window to start with, in segments. Default: ns-2; RFC 5681 §3.1 allows
        /// it for every MSS.
        pub initial_window: u32 as Count<u32, 1, 1_073_741_824> = 2;
        /// The slow-start threshold to start with, in segments. Default: the window, as in ns-2.
        pub initial_ssthresh: Option<u32> as Or<as_key::Window, Count<u32, 2, 1_073_741_824>> =
            None;
        /// How a receiver's window begins and grows, and how large it is if `receive_buffer` is
        /// not given: of hosts of around 2002, for full segments of `mss`.
        pub receiver: ReceiverKind as Word<ReceiverKind> = ReceiverKind::Plain;
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
        /// How the retransmission timeout grows with each timeout in a row: it doubles, or grows by
        /// the first one's length, or does not grow, as always with wtcp. Default: RFC 6298 (5.5).
        pub back_off: BackOff as Word<BackOff> = BackOff::Exponential;
        /// How a timeout is detected to have been spurious, and then undone (RFC 4015): not at all,
        /// by F-RTO (RFC 5682) or by Eifel (RFC 3522), which needs tcp.timestamps. Default: ns-2.
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
        /// Report what arrives twice (RFC 2883), where selective acknowledgements are agreed upon.
        /// Default: off, as in ns-2.
        pub dsack: bool as Flag = false;
        /// Reduce the window step by step (proportional rate reduction, RFC 9937) in the sack, fack
        /// and rack recoveries. Default: off, as in ns-2.
        pub prr: bool as Flag = false;
        /// Reduce the window step by step after a mark as well, as in Linux, rather than at once.
        /// Default: RFC 3168 §6.1.2.
        pub prr_after_marks: bool as Flag = false;
        /// Unit in which `prr` lets data out: bytes, or whole segments, rounded up, as in Linux.
        /// Default: RFC 9937 §6.2.
        pub prr_unit: PrrUnit as Word<PrrUnit> = PrrUnit::Bytes;
        /// Offer explicit congestion notification: queues that can mark packets need not drop them.
        /// `classic`, or `true`, tells the sender of one mark in each window of data (RFC 3168),
        /// `accurate` of all (RFC 9768), or as `classic` with a peer that knows no more. Default:
        /// off, as in ns-2.
        pub ecn: EcnFeedback as EcnChoice = EcnFeedback::Off;
        /// When segments are spread over the round trip, at cwnd / srtt. A congestion control that
        /// names a rate, such as bbr, is paced always. Default: ns-2.
        pub pacing: Pacing as Word<Pacing> = Pacing::Off;
        /// When segments leave RTT / cwnd apart, by the round trip of `spacing_rtt`: packet spacing
        /// (Yew, Ong and Ahmad 2012, equation 3). It excludes `pacing`, which paces by the smoothed
        /// round trip. Default: ns-2.
        pub spacing: Pacing as Word<Pacing> = Pacing::Off;
        /// The round trip of `spacing`: the latest sample, or the smallest (Vegas's baseRTT, where
        /// that is the congestion control; else kept at handovers). Default: Yew, Ong and Ahmad
        /// 2012.
        pub spacing_rtt: SpacingRtt as Word<SpacingRtt> = SpacingRtt::Current;
        /// Send new data on the first two duplicate acknowledgements (Limited Transmit). Default:
        /// RFC 3042, ns-2.
        pub limited_transmit: bool as Flag = true;
        /// Return to the initial window after being idle for a timeout. Default: RFC 5681 §4.1.
        pub slow_start_restart: bool as Flag = true;
        /// How long an acknowledgement may wait for a second segment: at most 500 ms
        /// (RFC 9293 §3.8.6.3); `true` is ns-2's 100 ms. Default: an acknowledgement per segment,
        /// as in ns-2 and lo2005.
        pub delayed_ack: Option<Duration> as DelayedAck = None;
        /// Acknowledge segments that arrive in the same instant as one, however many, such as those
        /// of an LTE transport block: generic receive offload, or a host that reads when all are
        /// there. A window that opens by much is told at once. Slow start takes longer where it
        /// counts acknowledgements: see `tcp.growth`. Default: off, as in ns-2.
        pub receive_offload: bool as Flag = false;
        /// No second fast retransmit until what was sent before the last loss is acknowledged.
        /// Default: RFC 6582 §3.2, ns-2's `bugFix_`.
        pub recover_guard: bool as Flag = true;
        /// When a small segment is held back: never, while anything is in flight (RFC 9293 §3.7.4),
        /// or only while an earlier small one is (Minshall; RFC 9293 appendix A.3), as in Linux.
        /// Browsers and servers of pages never hold one back. Default: off, as in ns-2.
        pub nagle: Nagle as Word<Nagle> = Nagle::Off;
        /// From which connections between the same hosts a new one learns round-trip times and
        /// windows (RFC 9040), or by careful resume half of a window (RFC 9959). Default: each on
        /// its own.
        pub share_state: ShareState as Word<ShareState> = ShareState::Off;
        /// How long careful resume may use what was observed. Default: RFC 7661 §4.1, the time that
        /// RFC 9959 §4.3.1 names.
        pub resume_lifetime: Duration as OfTime = Duration::from_secs(300);
        /// How long TIME-WAIT lasts. Default: two maximum segment lifetimes (RFC 9293 §3.4.2).
        pub time_wait: Duration as OfTime = Duration::from_secs(240);
        /// Rules that congestion controls share.
        pub rules: cc::WindowRules as Flat<cc::WindowRules> = cc::WindowRules::default();
        /// Parameters of congestion controls.
        pub control: cc::Parameters as Flat<cc::Parameters> = cc::Parameters::default();
        /// Parameters of loss recoveries.
        pub repair: RecoveryRules as Flat<RecoveryRules> = RecoveryRules::default();
        /// What receivers do about disconnections.
        pub freeze: Freeze as Always<Freeze> = Freeze::default();
        /// Feed the retransmission timer with the round-trip time of the handshake (RFC 6298 §2.2),
        /// unless `[tcp.vegas]` says otherwise.
        pub times_handshake: bool as NoKey<bool> = true;
    }
    profile(Self::lay_profile)
    // Whether a peer acknowledges selectively, it says itself.
    heir(of Self as "tcp": all but variant, congestion_control, recovery, sack)
    means(variant: Self::schemes)
    in_order(min_rto, max_rto)
    in_order(initial_rto, max_rto)
    supersedes(variant: congestion_control, recovery)
    only_with(prr_after_marks: prr is ["true"])
    only_with(prr_unit: prr is ["true"])
    only_with(spacing_rtt: spacing not "off")
    only_with(resume_lifetime: share_state is ["careful"])
    check(Self::goes_together)
}

impl Config {
    /// Lays the profile that `table` asks for below its keys.
    fn lay_profile(&mut self, table: &Table, at: &str) -> Result<(), Fault> {
        let asked = table.get("profile").map_or(Ok(None), |item| {
            Or::<Nothing, Word<Profile>>::read(item, &join(at, "profile"), &None)
        })?;
        if let Some(profile) = asked {
            *self = profile.over(self);
        }
        Ok(())
    }

    /// Forgets the congestion control and the loss recovery of the table that it lies over, if its
    /// own `table` names a pair, itself or by a profile.
    pub fn yield_to(&mut self, table: &Table) {
        if ["profile", "variant"].into_iter().any(|key| table.get(key).is_some()) {
            (self.congestion_control, self.recovery) = (None, None);
        }
    }

    /// The names of its congestion control and its loss recovery.
    fn schemes(&self) -> Vec<String> {
        vec![self.algorithm().name().to_owned(), self.recovery_kind().name().to_owned()]
    }

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
        Ok(())
    }

    fn schemes_go_together(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.recovery_kind().needs_sack() && self.sack == Some(false) {
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
        if self.is_controlled_by(Algorithm::Wtcp) && !self.timestamps {
            let message = format!(
                "wtcp reads separations off timestamps: {at}.timestamps must be true{}",
                another(tree, at)
            );
            return tree.clash_at(at, &["congestion_control", "variant", "timestamps"], message);
        }
        if (self.is_controlled_by(Algorithm::Dctcp) || self.is_controlled_by(Algorithm::Prague))
            && self.ecn != EcnFeedback::Accurate
        {
            let name = self.algorithm().name().to_owned();
            let message = format!(
                "{name} answers the share of marks: {at}.ecn must be accurate (RFC 9768){}",
                another(tree, at)
            );
            return tree.clash_at(at, &["congestion_control", "variant", "ecn"], message);
        }
        let counts_marks = self.control.bbr.marks != cc::MarkAnswer::AsLoss;
        if self.is_controlled_by(Algorithm::Bbr)
            && counts_marks
            && self.ecn != EcnFeedback::Accurate
        {
            let message =
                format!("{at}.bbr.marks by their share needs {at}.ecn = accurate (RFC 9768)");
            return tree.clash_at(at, &["bbr.marks", "ecn"], message);
        }
        if self.pacing != Pacing::Off && self.spacing != Pacing::Off {
            let message = format!(
                "{at}.pacing and {at}.spacing exclude each other: both pace, from different RTTs"
            );
            return tree.clash_at(at, &["spacing", "pacing"], message);
        }
        Ok(())
    }
}

/// The other remedy where the table `at` inherits its congestion control: one of its own, as a
/// receiver has that differs from its sender in `ecn`.
fn another(tree: &Table, at: &str) -> String {
    let mut own = ["variant", "congestion_control", "profile"].into_iter();
    if own.any(|key| tree.find(&join(at, key)).is_some()) {
        return String::new();
    }
    format!(", or {at}.variant another")
}

/// The largest window that a header can express with scaling (RFC 7323 §2.3).
const LARGEST_WINDOW: u64 = 1 << 30;

/// How long an acknowledgement may wait, or whether it may.
#[derive(Debug)]
pub struct DelayedAck;

type Wait = Or<Off, OfTime<1, 500_000_000>>;

impl Leaf for DelayedAck {
    type Value = Option<Duration>;

    fn expected() -> String {
        format!("{}, true or false", Wait::expected())
    }

    fn takes() -> Takes {
        Wait::takes().or(Flag::takes().words)
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

/// Feedback about marks: a word, or whether there is any.
#[derive(Debug)]
pub struct EcnChoice;

impl Leaf for EcnChoice {
    type Value = EcnFeedback;

    fn expected() -> String {
        format!("{}, true or false", Word::<EcnFeedback>::expected())
    }

    fn takes() -> Takes {
        Word::<EcnFeedback>::takes().or(Flag::takes().words)
    }

    fn parse(scalar: &Scalar) -> Result<Self::Value, String> {
        match Flag::parse(scalar) {
            Ok(true) => Ok(EcnFeedback::Classic),
            Ok(false) => Ok(EcnFeedback::Off),
            Err(_) => Word::<EcnFeedback>::parse(scalar),
        }
    }

    fn show(value: &Self::Value) -> String {
        Word::<EcnFeedback>::show(value)
    }
}

words! {
    /// When a small segment is held back.
    pub enum Nagle {
        /// Never.
        Off = "off",
        /// While anything is in flight (RFC 9293 §3.7.4).
        Classic = "classic",
        /// While an earlier small segment is in flight (RFC 9293 appendix A.3).
        Minshall = "minshall",
    }
}

words! {
    /// Which round-trip times the retransmission timer is fed with. Segments that were sent more
    /// than once never count (Karn's algorithm, RFC 6298 §3), unless timestamps show which
    /// transmission was acknowledged (RFC 7323 §4.1).
    pub enum RttSampling {
        /// One segment is timed at a time (RFC 6298 §3: at least one sample per round trip; ns-2).
        OnePerWindow = "one-per-window",
        /// The newest segment that each acknowledgement covers.
        EverySegment = "every-segment",
    }
}

impl Config {
    /// An endpoint with everything switched off that can be: Reno as of RFC 5681 with the timer of
    /// RFC 6298, to build others from.
    #[must_use]
    pub fn plain() -> Self {
        Self {
            min_mss: 1,
            receive_buffer: Some(65_535),
            initial_rto: Duration::from_secs(3),
            tick: Duration::ZERO,
            sack: Some(false),
            limited_transmit: false,
            slow_start_restart: false,
            freeze: Freeze::ONCE,
            time_wait: Duration::from_secs(60),
            ..Self::default()
        }
    }

    /// Whether its congestion control takes chances, by its seed.
    pub fn takes_chances(&self) -> bool {
        self.is_controlled_by(Algorithm::Bbr)
    }

    /// The same with a `seed` for the chance of its congestion control: of several connections that
    /// share a network, each needs its own.
    #[must_use]
    pub fn seeded(&self, seed: u64) -> Self {
        let bbr = cc::BbrParameters { seed, ..self.control.bbr };
        Self { control: cc::Parameters { bbr, ..self.control }, ..self.clone() }
    }

    /// The most that is allowed in flight, in bytes.
    pub const fn window_bytes(&self) -> u64 {
        self.window as u64 * self.mss as u64
    }

    /// The congestion window to start with, in segments.
    pub fn first_window(&self) -> u32 {
        let of_vegas = self.repair.vegas.initial_window;
        of_vegas.filter(|_| self.is_controlled_by(Algorithm::Vegas)).unwrap_or(self.initial_window)
    }

    /// Whether the retransmission timer is fed with the round-trip time of the handshake (RFC 6298
    /// §2.2).
    pub fn times_handshake(&self) -> bool {
        let of_vegas = self.repair.vegas.times_handshake;
        self.times_handshake && (of_vegas || !self.is_controlled_by(Algorithm::Vegas))
    }

    /// Whether new data are sent on the first two duplicate acknowledgements (RFC 3042).
    pub fn has_limited_transmit(&self) -> bool {
        let of_vegas = self.repair.vegas.limited_transmit;
        let of_vegas = of_vegas.filter(|_| self.recovery_kind() == RecoveryKind::Vegas);
        of_vegas.unwrap_or(self.limited_transmit)
    }

    /// Bytes that may wait for the application, and hence the advertised window.
    pub fn receive_bytes(&self) -> u32 {
        let own = self.receiver.buffer(self.mss);
        let of_window = || self.window.saturating_mul(self.mss);
        self.receive_buffer.or(own).unwrap_or_else(of_window)
    }

    /// What the SYN offers.
    pub fn offers(&self) -> Offers {
        Offers {
            sack: self.sack.unwrap_or(self.recovery_kind().needs_sack()),
            timestamps: self.timestamps,
            ecn: self.ecn,
        }
    }

    /// How the timeout grows: WTCP probes at even intervals.
    pub fn back_off(&self) -> BackOff {
        if self.is_controlled_by(Algorithm::Wtcp) { BackOff::Constant } else { self.back_off }
    }

    /// When segments are spread, and by which round trip, if not by the smoothed one.
    pub fn pace(&self) -> (Pacing, Option<SpacingRtt>) {
        match self.spacing {
            Pacing::Off => (self.pacing, None),
            Pacing::SlowStart | Pacing::Always => (self.spacing, Some(self.spacing_rtt)),
        }
    }

    /// A controller for segments of `mss` bytes that starts with `initial_window` segments.
    pub fn controller(&self, mss: u32, initial_window: u32) -> Box<dyn Controller> {
        self.controller_within(&self.limits(mss, initial_window))
    }

    /// The limits within which such a controller moves its window.
    pub(crate) fn limits(&self, mss: u32, initial_window: u32) -> Limits {
        Limits {
            mss,
            initial_window,
            initial_ssthresh: self.initial_ssthresh.unwrap_or(self.window),
            maximum_window: self.window,
            rules: self.rules,
        }
    }

    pub(crate) fn controller_within(&self, limits: &Limits) -> Box<dyn Controller> {
        let mut parameters = self.control;
        parameters.vegas.inflation = self.repair.vegas.inflation();
        self.algorithm().controller(limits, &parameters)
    }
}

/// What a SYN offers; each is used if the peer offers it as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offers {
    /// Selective acknowledgements (RFC 2018).
    pub sack: bool,
    /// Timestamps (RFC 7323 §3).
    pub timestamps: bool,
    /// Explicit congestion notification, and how marks are told of.
    pub ecn: EcnFeedback,
}

impl Offers {
    /// Nothing.
    pub const NONE: Self = Self { sack: false, timestamps: false, ecn: EcnFeedback::Off };

    /// What is offered here and in `other`.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            sack: self.sack && other.sack,
            timestamps: self.timestamps && other.timestamps,
            ecn: self.ecn.min(other.ecn),
        }
    }
}
