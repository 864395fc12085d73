//! Vegas (Brakmo and Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet",
//! IEEE JSAC 13(8), 1995), with the habits of its ns-2 version, on which the papers' results rest.

use base::{Duration, Time};
use settings::{Factor, NoKey, Word, section, words};

use crate::window::{Window, controlled_window};
use crate::{Ack, Controller, Limits, Loss, LossKind};

words! {
    /// How the difference between expected and actual throughput is used.
    pub enum Delta {
        /// Rounded to whole segments: ns-2. Only so does a window of 6 shrink from a round-trip
        /// time of 0.3 s on, over a base of 0.12 s.
        Rounded = "rounded",
        /// As it is: Brakmo and Peterson.
        Exact = "exact",
    }
}

words! {
    /// What happens to baseRTT when the path to the peer changes.
    pub enum BaseRtt {
        /// Nothing: the sender does not know (Brakmo and Peterson; ns-2).
        Kept = "kept",
        /// It is forgotten, and learned anew from what is sent over the new path.
        RenewedAtHandover = "renewed-at-handover",
    }
}

words! {
    /// Round-trip time of a round that gave no sample, as where everything acknowledged had been
    /// retransmitted.
    pub enum Unmeasured {
        /// None: ∆ is unknown, and the window stays.
        Skipped = "skipped",
        /// Time that the round took, though it may be shorter than the path: ns-2.
        RoundTime = "round-time",
    }
}

/// Which window duplicate acknowledgements open during fast recovery.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inflation {
    /// An inflation on top of the congestion window, which loss recovery keeps (RFC 5681 §3.2).
    Beside,
    /// The congestion window itself, which the next loss cuts inflated. The end of recovery sets it
    /// to what the last cut left, and to zero if that was a timeout; then it waits for another
    /// timeout (ns-2).
    Window,
}

section! {
    /// `[tcp.vegas]`: thresholds in segments that a flow may keep in queues. Defaults: ns-2;
    /// α and β also of lo2005 §2.
    #[derive(Copy)]
    pub struct VegasParameters {
        /// α: below this the window grows.
        pub alpha: f64 as Factor = 1.0;
        /// β: above this the window shrinks.
        pub beta: f64 as Factor = 3.0;
        /// γ: above this slow start ends.
        pub gamma: f64 as Factor = 1.0;
        /// How the difference between expected and actual throughput is used. Default: ns-2, on
        /// which lo2005's numbers rest.
        pub delta: Delta as Word<Delta> = Delta::Rounded;
        /// What becomes of baseRTT, the smallest round-trip time, when a handover of the mobile is
        /// complete: nothing, or it is learned anew from what is sent from then on. Default:
        /// Brakmo and Peterson 1995, ns-2.
        pub base_rtt: BaseRtt as Word<BaseRtt> = BaseRtt::Kept;
        /// Round-trip time of a round that gave no sample: none, so that the window stays, or the
        /// time that the round took, which may make baseRTT shorter than the path. Default:
        /// Brakmo and Peterson 1995; ns-2 has the latter.
        pub unmeasured: Unmeasured as Word<Unmeasured> = Unmeasured::Skipped;
        /// Which window duplicates open, set by loss recovery.
        pub inflation: Inflation as NoKey<Inflation> = Inflation::Beside;
    }
    in_order(alpha, beta)
}

/// Delay-based congestion avoidance.
///
/// Once per round trip (when the acknowledgement passes what was next to send at the last look)
///
/// ```text
///     ∆ = (expected − actual) · baseRTT,   expected = window / baseRTT,   actual = sent / RTT
/// ```
///
/// with the window as the bytes in flight just before this acknowledgement, `sent` as the bytes
/// sent during the round trip, and RTT as the mean of the round trip's samples. (Brakmo and
/// Peterson §III-B; equation 1 of the UMTS paper `lo2005`.)
///
/// * Congestion avoidance: ∆ > β, one segment less, at least 2; ∆ < α, 1/cwnd more for each
///   acknowledgement during the next round trip; else no change (§III-B).
/// * Slow start: doubles in every other round trip only, and ends when ∆ > γ, with an eighth off
///   the window (§III-C; the eighth and ssthresh = 2 are ns-2's).
/// * The window grows only while the flight keeps up with it: within 2 segments (ns-2).
/// * baseRTT is the smallest round-trip time seen, but starts anew from the current one whenever at
///   most one segment was sent in the round trip (ns-2). Where it is so wished, a change of the
///   path to the peer ends it, since the base of a shorter path would keep the window too small for
///   ever. A round without samples leaves the window as it is, or counts with the time that it took
///   (ns-2).
/// * A loss found by duplicate acknowledgements or the fine-grained timer takes a quarter off the
///   window, a half if that segment had been sent again already, and leaves 2 of 3 or less; nothing
///   if the window was cut since that segment was last sent (§III-A; the sizes are ns-2's).
///   Slow start is over then.
/// * Timeout: ssthresh becomes half of the window, at least 2, and cwnd 2 (ns-2).
#[derive(Debug)]
pub struct Vegas {
    window: Window,
    parameters: VegasParameters,
    /// Growth per acknowledgement, in segments.
    increment: f64,
    /// In slow start: true if the present round trip is one of those that may double.
    doubling: bool,
    base_rtt: Option<Duration>,
    /// When the path last changed: samples of what was sent before do not count.
    path_since: Time,
    round: Round,
    /// When the window was last cut for a loss.
    cut: Option<Time>,
    /// What it is when it deflates, in segments.
    deflated: u32,
}

/// The round trip being measured.
#[derive(Debug, Default)]
struct Round {
    /// It ends when this offset is passed.
    mark: u64,
    start: Time,
    sum: Duration,
    samples: u64,
}

impl Round {
    /// Mean round-trip time, if it is known and not zero.
    fn mean_rtt(&self, now: Time, unmeasured: Unmeasured) -> Option<Duration> {
        let mean = match unmeasured {
            _ if self.samples > 0 => self.sum / self.samples,
            Unmeasured::Skipped => return None,
            Unmeasured::RoundTime => now - self.start,
        };
        (mean > Duration::ZERO).then_some(mean)
    }
}

impl Vegas {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: VegasParameters) -> Self {
        Self {
            window: Window::new(limits),
            parameters,
            increment: 0.0,
            doubling: true,
            base_rtt: None,
            path_since: Time::ZERO,
            round: Round::default(),
            cut: None,
            deflated: 0,
        }
    }

    /// Forgets baseRTT, and counts no sample of what was sent before `now`. Until there is one of
    /// what was sent later, there is no ∆.
    pub fn renew_base_rtt(&mut self, now: Time) {
        self.base_rtt = None;
        self.path_since = now;
        self.round.sum = Duration::ZERO;
        self.round.samples = 0;
    }

    /// The flight with the segment whose acknowledgement has just arrived, in segments: what the
    /// window had in flight.
    fn flight(&self, ack: &Ack) -> f64 {
        self.window.segments(ack.in_flight()) + 1.0
    }

    fn end_round(&mut self, ack: &Ack) {
        match self.delta(ack) {
            Some(delta) if self.window.slow_start() => self.slow_start(delta),
            Some(delta) => self.avoid_congestion(delta),
            None => {}
        }
        self.round = Round { mark: ack.nxt, start: ack.now, ..Round::default() };
    }

    /// ∆ in segments, zero on the first acknowledgement; `None` if the round gave no sample, and
    /// the window is to stay as it is.
    fn delta(&mut self, ack: &Ack) -> Option<f64> {
        let Some(base) = self.base_rtt else { return Some(0.0) };
        let rtt = self.round.mean_rtt(ack.now, self.parameters.unmeasured)?;
        let sent = self.window.segments(ack.nxt - self.round.mark.min(ack.nxt));
        let base = if rtt < base || sent <= 1.0 { rtt } else { base };
        self.base_rtt = Some(base);
        let delta = self.flight(ack) - sent * (base.as_nanos() as f64 / rtt.as_nanos() as f64);
        Some(match self.parameters.delta {
            Delta::Rounded => f64::from((delta + 0.5) as i32),
            Delta::Exact => delta,
        })
    }

    fn slow_start(&mut self, delta: f64) {
        self.doubling = !self.doubling;
        self.increment = 0.0;
        if !self.doubling {
            return;
        }
        if delta > self.parameters.gamma {
            self.window.ssthresh = 2.0;
            self.window.cwnd = (self.window.cwnd - self.window.cwnd / 8.0).max(2.0);
        } else {
            self.increment = 1.0;
        }
    }

    fn avoid_congestion(&mut self, delta: f64) {
        self.increment = 0.0;
        if delta > self.parameters.beta {
            self.window.cwnd = (self.window.cwnd - 1.0).max(2.0);
        } else if delta < self.parameters.alpha {
            self.increment = 1.0 / self.window.cwnd;
        }
    }

    fn grow(&mut self, ack: &Ack) {
        let doubling = self.increment >= 1.0;
        if doubling && !self.window.slow_start() {
            self.increment = 0.0;
        }
        if self.increment > 0.0 && self.window.cwnd - self.flight(ack) <= 2.0 {
            self.window.grow(self.increment * self.window.earned(ack));
        }
    }

    fn sample(&mut self, now: Time, rtt: Duration) {
        if now < self.path_since + rtt {
            return;
        }
        self.round.sum += rtt;
        self.round.samples += 1;
        self.base_rtt = Some(self.base_rtt.map_or(rtt, |base| base.min(rtt)));
    }

    /// The window after a loss of a segment that had been sent `transmissions` times.
    fn reduced(&self, transmissions: u32) -> u32 {
        let whole = self.window.whole();
        match (whole, transmissions) {
            (0..=3, _) => 2,
            (_, 0..=1) => whole - whole / 4,
            (_, 2..) => whole / 2,
        }
    }
}

impl Controller for Vegas {
    fn on_ack(&mut self, ack: &Ack) {
        if !self.window.opens_with(ack) {
            return;
        }
        if ack.una > self.round.mark {
            self.end_round(ack);
        }
        self.grow(ack);
        if let Some(rtt) = ack.rtt {
            self.sample(ack.now, rtt);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if self.window.keeps_after_mark(loss) {
            return;
        }
        self.window.remember();
        match loss.kind {
            LossKind::DuplicateAcks | LossKind::FineTimeout | LossKind::Ecn => {
                if self.parameters.inflation == Inflation::Beside {
                    self.window.ssthresh = 2.0;
                }
                if self.cut.is_some_and(|cut| cut >= loss.sent) {
                    return;
                }
                self.deflated = self.reduced(loss.transmissions);
                self.window.cwnd = f64::from(self.deflated);
            }
            LossKind::Timeout => {
                self.window.ssthresh = self.window.half();
                self.window.cwnd = 2.0;
                self.deflated = 0;
            }
        }
        self.cut = Some(loss.now);
    }

    fn inflate(&mut self, segments: u32) -> bool {
        match self.parameters.inflation {
            Inflation::Beside => false,
            Inflation::Window => {
                self.window.cwnd += f64::from(segments);
                true
            }
        }
    }

    fn deflate(&mut self) {
        let deflated = f64::from(self.deflated);
        if self.window.cwnd > deflated {
            self.window.cwnd = deflated;
            self.window.ssthresh = 2.0;
        }
    }

    fn on_path_change(&mut self, now: Time) {
        match self.parameters.base_rtt {
            BaseRtt::Kept => {}
            BaseRtt::RenewedAtHandover => self.renew_base_rtt(now),
        }
    }

    fn base_rtt(&self) -> Option<Duration> {
        self.base_rtt
    }

    controlled_window!();
}
