//! Careful resume (RFC 9959): a connection begins with half of what an earlier one used, and makes
//! sure that the path carries it.

use base::{Duration, Ecn, Rate, Time};

use crate::{Ack, Clocks, Controller, EcnFeedback, Limits, Loss, LossKind, LostSegment};

/// Initial windows below which nothing is kept of a path (RFC 9959 §3.1).
const LEAST_SAVED: u64 = 4;
/// The share of `saved_cwnd` to jump to is one of these (RFC 9959 §3.3).
const JUMP: u64 = 2;
/// A round trip of `saved_rtt` over this, or shorter, is of another path (RFC 9959 §4.2.1).
const SHORTER: u64 = 2;
/// So is one longer than `saved_rtt` times this (RFC 9959 §4.2.1).
const LONGER: u64 = 10;
/// Share of `PipeSize` that is left in Safe Retreat, of the window at once and of ssthresh at its
/// end (RFC 9959 §3.5, Beta): one of these.
const RETREAT: u64 = 2;
/// The window in Safe Retreat is no less than these segments (RFC 5681 §3.1).
const LEAST_WINDOW: u64 = 2;

/// Parameters of a path that a connection used (RFC 9959 §3.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SavedPath {
    /// Time at which they were observed.
    pub at: Time,
    /// Bytes that arrived in a round trip (`saved_cwnd`).
    pub cwnd: u64,
    /// The shortest round trip (`saved_rtt`).
    pub rtt: Duration,
}

/// Knowledge that a connection leaves to the next one over its path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Retained {
    /// None: it observed nothing.
    #[default]
    Nothing,
    /// None any more: what was saved turned out to be too much (RFC 9959 §3.5).
    Deleted,
    /// Path that it observed, or used.
    Path(SavedPath),
}

/// The phases of RFC 9959 §3. The one of observing is that of every other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Reconnaissance(SavedPath),
    Unvalidated { first: u64, since: Time },
    Validating { last: u64 },
    SafeRetreat { last: u64 },
    Normal,
}

/// Any controller, with a careful start.
///
/// * Reconnaissance: as without. Once the initial window is acknowledged without congestion and
///   more is waiting, the window jumps to half of what was saved, unless that is too old or the
///   round trips are those of another path (RFC 9959 §3.2).
/// * Unvalidated: that window, paced over a round trip, until the first segment that left in it is
///   acknowledged or a round trip has passed (§3.3).
/// * Validating: the controller goes on from what is in flight, until all that left before is
///   acknowledged (§3.4).
/// * Safe Retreat, at a loss or mark in either: half of what the path is known to have carried, and
///   half of that as ssthresh once the rest is acknowledged (§3.5).
///
/// A retransmission timeout ends it (§3.7). Where nothing was saved, it observes and changes
/// nothing.
#[derive(Debug)]
pub struct CarefulResume {
    inner: Box<dyn Controller>,
    phase: Phase,
    retained: Retained,
    observer: Observer,
    lifetime: Duration,
    /// The window in bytes and the pace, where they are not the inner controller's.
    held: Option<(u64, Rate)>,
    /// Bytes that the path is known to have carried at once (`PipeSize`).
    pipe_size: u64,
    una: u64,
    mss: u64,
    /// In bytes.
    initial_window: u64,
    maximum_window: u64,
}

impl CarefulResume {
    /// A controller at the start of a connection, and what an earlier one saved less than
    /// `lifetime` ago.
    pub fn new(
        inner: Box<dyn Controller>,
        limits: &Limits,
        lifetime: Duration,
        saved: Option<SavedPath>,
    ) -> Self {
        let mss = u64::from(limits.mss);
        Self {
            inner,
            phase: saved.map_or(Phase::Normal, Phase::Reconnaissance),
            retained: saved.map_or(Retained::Nothing, Retained::Path),
            observer: Observer::default(),
            lifetime,
            held: None,
            pipe_size: 0,
            una: 0,
            mss,
            initial_window: u64::from(limits.initial_window) * mss,
            maximum_window: u64::from(limits.maximum_window) * mss,
        }
    }

    fn observe(&mut self, ack: &Ack) {
        self.una = ack.una;
        let observed = self.observer.observe(ack);
        if let Some(path) = observed.filter(|path| path.cwnd >= LEAST_SAVED * self.initial_window) {
            self.retained = Retained::Path(path);
        }
    }

    fn advance(&mut self, ack: &Ack) {
        match self.phase {
            Phase::Normal => {}
            Phase::Reconnaissance(saved) => self.reconnoitre(ack, saved),
            Phase::Unvalidated { first, since } => {
                self.pipe_size += ack.delivered;
                let is_over = ack.now.saturating_since(since) > self.observer.latest;
                if ack.una > first || is_over {
                    self.validate(ack);
                }
            }
            Phase::Validating { last } => {
                self.pipe_size += ack.delivered;
                if ack.una >= last {
                    self.phase = Phase::Normal;
                }
            }
            Phase::SafeRetreat { last } => {
                self.pipe_size += ack.delivered;
                if ack.una >= last {
                    self.end_retreat();
                }
            }
        }
    }

    /// RFC 9959 §3.2.
    fn reconnoitre(&mut self, ack: &Ack, saved: SavedPath) {
        let (shortest, latest) = (self.observer.shortest, self.observer.latest);
        let is_other =
            shortest.is_some_and(|rtt| rtt * SHORTER <= saved.rtt) || latest > saved.rtt * LONGER;
        let jump = (saved.cwnd / JUMP).min(self.maximum_window);
        let is_old = ack.now.saturating_since(saved.at) > self.lifetime;
        if is_other || is_old || jump <= self.inner.window() {
            self.phase = Phase::Normal;
        } else if self.has_begun(ack) {
            self.phase = Phase::Unvalidated { first: ack.nxt, since: ack.now };
            self.pipe_size = ack.pipe;
            self.hold(jump);
        }
    }

    /// True if the initial window has arrived and the sender would send more.
    fn has_begun(&self, ack: &Ack) -> bool {
        ack.una >= self.initial_window && is_held_back(ack) && self.observer.latest > Duration::ZERO
    }

    /// RFC 9959 §3.3, at its end. That all of the window is in flight need not be looked for:
    /// nothing leaves until one of the other ends comes.
    fn validate(&mut self, ack: &Ack) {
        self.held = None;
        let is_used = ack.pipe > self.pipe_size && ack.pipe >= self.initial_window;
        let cwnd = if is_used { ack.pipe } else { self.pipe_size.max(self.initial_window) };
        self.phase = if is_used { Phase::Validating { last: ack.nxt } } else { Phase::Normal };
        self.inner.on_resume(cwnd, self.inner.ssthresh());
    }

    /// RFC 9959 §3.5: what left up to `last` may be too much.
    fn retreat(&mut self, last: u64) {
        self.retained = Retained::Deleted;
        self.phase = Phase::SafeRetreat { last };
        let left = (self.pipe_size / RETREAT).min(self.window());
        self.hold(left.max(LEAST_WINDOW * self.mss));
    }

    fn end_retreat(&mut self) {
        let cwnd = self.window();
        (self.phase, self.held) = (Phase::Normal, None);
        self.inner.on_resume(cwnd, (self.pipe_size / RETREAT).max(LEAST_WINDOW * self.mss));
    }

    /// Pacing by the present round trip (RFC 9959 §4.3).
    fn hold(&mut self, window: u64) {
        let rtt = u128::from(self.observer.latest.as_nanos().max(1));
        let bps = u128::from(window) * 8_000_000_000 / rtt;
        self.held = Some((window, Rate::from_bps((bps as u64).max(1))));
    }

    fn resign(&mut self) {
        (self.phase, self.held) = (Phase::Normal, None);
    }

    /// True if what left may be more than the path carries.
    const fn is_unsure(&self) -> bool {
        matches!(self.phase, Phase::Unvalidated { .. } | Phase::Validating { .. })
    }
}

impl Controller for CarefulResume {
    fn on_feedback(&mut self, feedback: EcnFeedback) {
        self.inner.on_feedback(feedback);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.observe(ack);
        self.inner.on_ack(ack);
        self.advance(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.inner.on_loss(loss);
        if loss.kind == LossKind::Timeout || matches!(self.phase, Phase::Reconnaissance(_)) {
            self.resign();
        } else if self.is_unsure() {
            self.retreat(self.una + loss.in_flight);
        }
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        self.inner.on_lost_segment(lost);
    }

    fn on_clocks(&mut self, clocks: &Clocks) {
        self.inner.on_clocks(clocks);
    }

    fn on_idle(&mut self, now: Time) {
        self.inner.on_idle(now);
    }

    /// Nothing is in flight any more: all was carried.
    fn on_restart(&mut self, now: Time) {
        if self.is_unsure() {
            self.resign();
        }
        self.inner.on_restart(now);
    }

    /// Normal phase: what was taken for lost was not, so that the path carries it.
    fn on_undo(&mut self, now: Time) {
        self.resign();
        self.inner.on_undo(now);
    }

    fn inflate(&mut self, segments: u32) -> bool {
        self.inner.inflate(segments)
    }

    fn deflate(&mut self) {
        self.inner.deflate();
    }

    /// RFC 9959 §3.2 and §3.3: what was saved is another path's.
    fn on_path_change(&mut self, now: Time) {
        self.inner.on_path_change(now);
        if let Phase::Unvalidated { first: last, .. } | Phase::Validating { last } = self.phase {
            self.retreat(last);
        } else if matches!(self.phase, Phase::Reconnaissance(_)) {
            self.resign();
        }
        (self.observer, self.retained) = (Observer::default(), Retained::Deleted);
    }

    fn window(&self) -> u64 {
        self.held.map_or_else(|| self.inner.window(), |(window, _)| window)
    }

    fn ssthresh(&self) -> u64 {
        self.inner.ssthresh()
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.held.map_or_else(|| self.inner.pacing_rate(), |(_, rate)| Some(rate))
    }

    fn paces_window(&self) -> bool {
        self.held.is_some() || self.inner.paces_window()
    }

    fn base_rtt(&self) -> Option<Duration> {
        self.inner.base_rtt()
    }

    fn codepoint(&self) -> Ecn {
        self.inner.codepoint()
    }

    fn wants_rate(&self) -> bool {
        self.inner.wants_rate()
    }

    fn retained(&self) -> Retained {
        self.retained
    }
}

/// Measurement of what a connection uses (RFC 9959 §3.1 and §4.1): bytes that arrived within a
/// round trip whose window held the sender back. The newest such round trip counts.
#[derive(Debug, Default)]
struct Observer {
    since: Time,
    delivered: u64,
    shortest: Option<Duration>,
    latest: Duration,
}

impl Observer {
    /// Path that the round trip showed which was over before `ack`.
    fn observe(&mut self, ack: &Ack) -> Option<SavedPath> {
        if let Some(rtt) = ack.rtt {
            self.latest = rtt;
            self.shortest = Some(self.shortest.map_or(rtt, |shortest| shortest.min(rtt)));
        }
        let is_over = ack.now.saturating_since(self.since) >= self.latest;
        let cwnd = self.delivered;
        if is_over {
            (self.since, self.delivered) = (ack.now, 0);
        }
        self.delivered += ack.delivered;
        let path = self.shortest.map(|rtt| SavedPath { at: ack.now, cwnd, rtt });
        path.filter(|_| is_over && is_held_back(ack))
    }
}

/// True if the window or the controller's pace, not the application, held the sender back.
fn is_held_back(ack: &Ack) -> bool {
    ack.window_limited || ack.rate.is_some_and(|sample| !sample.app_limited)
}
