//! CUBIC (RFC 9438).

use base::{Duration, Time};
use settings::{Flag, Fraction, Positive, Word, section, words};

use crate::ack_trains::AckTrains;
use crate::cube_root::cube_root;
use crate::hystart::Hystart;
use crate::window::Window;
use crate::{Ack, Controller, Limits, Loss, LossKind};

section! {
    /// `[tcp.cubic]`: the curve.
    #[derive(Copy)]
    pub struct CubicParameters {
        /// C: how steep it is, in segments/s³. Default: RFC 9438 §5.1.
        pub c: f64 as Positive = 0.4;
        /// β: what a loss leaves of the window. Default: RFC 9438 §4.6.
        pub beta: f64 as Fraction = 0.7;
        /// Whether parts of a segment count when the window is reduced; in Linux they do not.
        /// Default: RFC 9438 §4.6.
        pub reduction: Reduction as Word<Reduction> = Reduction::Exact;
        /// Release more when a loss came below the last one's window. Default: RFC 9438 §4.7.
        pub fast_convergence: bool as Flag = true;
        /// Never be slower than Reno. Default: RFC 9438 §4.3.
        pub reno_friendly: bool as Flag = true;
        /// α of the window that Reno would have: 1 from the window before the last loss on, or
        /// constant, as in Linux and ns-3. Default: RFC 9438 §4.3.
        pub alpha: Alpha as Word<Alpha> = Alpha::Rises;
        /// End of slow start: at ssthresh or with a loss; also, in the first one, when the
        /// round-trip time rises, by `HyStart++` (RFC 9406); or in any, when it rises or a train of
        /// acknowledgements is long (Ha and Rhee 2011), as in Linux. Default: RFC 5681.
        pub slow_start: SlowStart as Word<SlowStart> = SlowStart::Standard;
    }
}

words! {
    /// Reduction of the window at a loss.
    pub enum Reduction {
        /// The window, to β of it.
        Exact = "exact",
        /// The whole segments of the window, to the whole segments of β of them: Linux.
        WholeSegments = "whole-segments",
    }
}

words! {
    /// End of slow start (RFC 9438 §4.10).
    pub enum SlowStart {
        /// At ssthresh or with a loss (RFC 5681).
        Standard = "standard",
        /// When the round-trip time rises as well: `HyStart++` (RFC 9406).
        Hystart = "hystart",
        /// By a longer round trip or a long train of acknowledgements as well: Linux.
        AckTrains = "ack-trains",
    }
}

words! {
    /// Growth of the window that Reno would have (RFC 9438 §4.3).
    pub enum Alpha {
        /// 1 from the window before the last loss on.
        Rises = "rises",
        /// 3 · (1 − β)/(1 + β) throughout: Linux, ns-3.
        Constant = "constant",
    }
}

/// Share of the window that a mark leaves (RFC 8511 §3).
const ABE: f64 = 0.85;

/// Watch over slow start.
#[derive(Clone, Debug)]
enum Watch {
    /// None, or no longer.
    Off,
    Hystart(Hystart),
    AckTrains(AckTrains),
}

/// A window that is a cubic function of the time since the last loss.
///
/// ```text
///     W_cubic(t) = C · (t − K)³ + W_max,   K = ∛((W_max − cwnd_epoch) / C)
/// ```
///
/// with t in seconds and windows in segments (figures 1 and 2).
///
/// * Congestion avoidance: (target − cwnd)/cwnd more for each acknowledgement, or for each segment
///   that it acknowledges (`tcp.growth`), where the target is `W_cubic` one smoothed round trip
///   ahead, from cwnd to 1.5 · cwnd (§4.2, §4.4, §4.5).
/// * While `W_cubic`(t) is below `W_est`, what Reno would have reached, cwnd is that: `W_est` grows
///   by α/cwnd for each segment acknowledged, α = 3 · (1 − β)/(1 + β), and α = 1 from the window
///   before the last loss on (§4.3) unless it is constant.
/// * Loss: ssthresh and cwnd become β · cwnd, both at least 2 segments; after a mark cwnd may be
///   one (§4.6), and leaves 0.85 of it where RFC 8511 is asked for. The window grows only while it
///   holds the sender back, so it is equivalent to the flight.
/// * Fast convergence: `W_max` is cwnd · (1 + β)/2 if cwnd is below the last `W_max` (§4.7).
/// * Timeout: ssthresh likewise, cwnd one segment; the congestion avoidance that follows starts
///   with K = 0 and `W_max` = cwnd (§4.8), as does one that follows slow start without a loss
///   (§4.10). If the same segment is lost again, ssthresh holds (RFC 5681 §3.1).
/// * A spurious loss: everything is restored (§4.9).
/// * Time in which the window did not limit the sender does not count in t (§4.2, §5.8).
#[derive(Debug)]
pub struct Cubic {
    window: Window,
    parameters: CubicParameters,
    /// α of equation (4).
    alpha: f64,
    watch: Watch,
    /// Smoothed round-trip time (RFC 6298 §2).
    srtt: Option<Duration>,
    curve: Curve,
    /// The curve before the last loss.
    before: Curve,
}

/// What the window follows.
#[derive(Clone, Debug, Default)]
struct Curve {
    /// The window before the last loss, less after fast convergence; `None` if the window at which
    /// congestion avoidance starts takes its place.
    w_max: Option<f64>,
    /// The window when ssthresh was last set: `cwnd_prior`.
    prior: f64,
    /// The present congestion avoidance, if there is one.
    epoch: Option<Epoch>,
}

/// A congestion avoidance.
#[derive(Clone, Debug)]
struct Epoch {
    /// When it began, shifted by the time that does not count: `t_epoch`.
    start: Time,
    /// The last acknowledgement.
    last: Time,
    w_max: f64,
    /// In seconds.
    k: f64,
    w_est: f64,
}

impl Cubic {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: CubicParameters) -> Self {
        let watch = match parameters.slow_start {
            SlowStart::Standard => Watch::Off,
            SlowStart::Hystart => Watch::Hystart(Hystart::default()),
            SlowStart::AckTrains => Watch::AckTrains(AckTrains::default()),
        };
        Self {
            window: Window::new(limits),
            parameters,
            alpha: 3.0 * (1.0 - parameters.beta) / (1.0 + parameters.beta),
            watch,
            srtt: None,
            curve: Curve::default(),
            before: Curve::default(),
        }
    }

    fn smooth(&mut self, rtt: Duration) {
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| {
            Duration::from_nanos(srtt.as_nanos() - srtt.as_nanos() / 8 + rtt.as_nanos() / 8)
        }));
    }

    fn slow_start(&mut self, ack: &Ack) {
        let growth = match &mut self.watch {
            Watch::Off => Some(self.window.earned(ack)),
            Watch::Hystart(hystart) => hystart.growth(ack, self.window.newly_acked(ack)),
            Watch::AckTrains(trains) => {
                let is_over = trains.end_slow_start(ack, self.window.cwnd);
                (!is_over).then(|| self.window.earned(ack))
            }
        };
        if let Some(growth) = growth {
            self.window.grow(growth);
        } else {
            self.window.ssthresh = self.window.cwnd;
            self.end_first_slow_start();
        }
    }

    /// RFC 9406 §4.3: the next slow start is an ordinary one. Linux watches each.
    fn end_first_slow_start(&mut self) {
        if matches!(self.watch, Watch::Hystart(_)) {
            self.watch = Watch::Off;
        }
    }

    fn avoid_congestion(&mut self, ack: &Ack) {
        let cwnd = self.window.cwnd;
        let mut epoch = self.curve.epoch.take().unwrap_or_else(|| self.begin(ack.now));
        if !ack.window_limited {
            epoch.start += ack.now.saturating_since(epoch.last);
        }
        epoch.last = ack.now;
        if ack.window_limited {
            let t = ack.now.saturating_since(epoch.start).as_secs_f64();
            let rtt = self.srtt.unwrap_or(Duration::ZERO).as_secs_f64();
            let target = self.at(&epoch, t + rtt).clamp(cwnd, 1.5 * cwnd);
            let mut next = cwnd + (target - cwnd) / cwnd * self.window.earned(ack);
            epoch.w_est += self.alpha(epoch.w_est) * self.window.newly_acked(ack) / cwnd;
            if self.parameters.reno_friendly && self.at(&epoch, t) < epoch.w_est {
                next = epoch.w_est.max(cwnd);
            }
            self.window.grow(next - cwnd);
        }
        self.curve.epoch = Some(epoch);
    }

    fn begin(&self, now: Time) -> Epoch {
        let cwnd = self.window.cwnd;
        let w_max = self.curve.w_max.unwrap_or(cwnd).max(cwnd);
        let k = cube_root((w_max - cwnd) / self.parameters.c);
        Epoch { start: now, last: now, w_max, k, w_est: cwnd }
    }

    /// `W_cubic` at `t` seconds (figure 1).
    fn at(&self, epoch: &Epoch, t: f64) -> f64 {
        let offset = t - epoch.k;
        self.parameters.c * (offset * offset * offset) + epoch.w_max
    }

    fn alpha(&self, w_est: f64) -> f64 {
        match self.parameters.alpha {
            Alpha::Rises if w_est >= self.curve.prior => 1.0,
            Alpha::Rises | Alpha::Constant => self.alpha,
        }
    }

    fn reduce(&mut self, kind: LossKind) {
        let beta = if self.window.backs_off_less(kind) { ABE } else { self.parameters.beta };
        let left = match self.parameters.reduction {
            Reduction::Exact => self.window.cwnd * beta,
            Reduction::WholeSegments => (self.window.cwnd.floor() * beta).floor(),
        };
        let floor = if kind == LossKind::Ecn { 1.0 } else { 2.0 };
        self.curve.w_max = Some(self.w_max());
        self.curve.prior = self.window.cwnd;
        self.window.cwnd = left.max(floor);
        self.window.ssthresh = left.max(2.0);
    }

    /// The next `W_max` (§4.7).
    fn w_max(&self) -> f64 {
        let cwnd = self.window.cwnd;
        match self.curve.w_max {
            Some(last) if self.parameters.fast_convergence && cwnd < last => {
                cwnd * (1.0 + self.parameters.beta) / 2.0
            }
            Some(_) | None => cwnd,
        }
    }
}

impl Controller for Cubic {
    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.smooth(rtt);
        }
        if !self.window.opens_with(ack) {
            return;
        }
        if !self.window.slow_start() {
            self.avoid_congestion(ack);
        } else if self.window.is_used(ack) {
            self.slow_start(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.window.keeps_after_mark(loss) {
            return;
        }
        if self.window.remember() {
            self.before = self.curve.clone();
            self.reduce(loss.kind);
        }
        if loss.kind == LossKind::Timeout {
            self.window.cwnd = 1.0;
            self.curve.w_max = None;
        }
        self.curve.epoch = None;
        self.end_first_slow_start();
    }

    fn on_restart(&mut self, _now: Time) {
        self.window.restart();
        self.curve.epoch = None;
    }

    fn on_undo(&mut self, _now: Time) {
        if self.window.undo() {
            self.curve = self.before.clone();
        }
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.window.resume(cwnd, ssthresh);
        self.curve.epoch = None;
    }

    fn window(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }
}
