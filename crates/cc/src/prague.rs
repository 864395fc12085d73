//! Prague (draft-briscoe-iccrg-prague-congestion-control-04): what L4S asks of a sender (RFC 9331
//! §4.3).

use base::{Duration, Ecn, Rate, Time};
use settings::{Count, Flag, Fraction, OfTime, section};

use crate::classic_queue::ClassicQueue;
use crate::marked_share::{MarkedShare, unmarked};
use crate::window::Window;
use crate::{Ack, Controller, EcnFeedback, Limits, Loss, LossKind};

section! {
    /// `[tcp.prague]`: how marks are averaged, and how much the round trip counts.
    #[derive(Copy)]
    pub struct PragueParameters {
        /// g: weight of the newest round trip in the average share of marked bytes. Default: draft
        /// §2.4, as RFC 8257 §4.
        pub gain: f64 as Fraction = 0.0625;
        /// A shorter round trip grows as slowly as one of this length; 0 s lets each grow at its
        /// own pace. Default: draft §2.4.4.
        pub virtual_rtt: Duration as OfTime = Duration::from_millis(25);
        /// Round trips after which it does, so that short flows are not slowed down. Default: draft
        /// §2.4.4.
        pub transition: u32 as Count<u32, 0, 1_000_000> = 500;
        /// Look for a queue that marks as RFC 3168 asks, by the variation and the depth of its
        /// delay, and there give up as much as others do (arXiv 1911.00710). Default: off, as in
        /// `tcp_prague` of Linux.
        pub classic_fallback: bool as Flag = false;
    }
}

/// A window with about two marks in each round trip, at any rate.
///
/// * α, the average share of bytes with a mark: 1 with the first mark, then
///   α ← (1 − g) · α + g · M each virtual round trip, M being the share in that time. A virtual
///   round trip is a smoothed one, but at least `virtual_rtt` (draft §2.4.4).
/// * Mark: ssthresh and cwnd become cwnd · (1 − α/2), at least 2 segments, once a round trip
///   (draft §2.4.2).
/// * Growth: as in Reno with what came without a mark, also in the round trip after a mark. After
///   `transition` round trips congestion avoidance grows by (srtt / virtual round trip)² segments
///   in each, so that rates grow alike at any shorter round trip (draft §2.4.4).
/// * Where `classic_fallback` is on and the queue seems to be a classic one, a mark counts with
///   an α of 0.625 at least.
/// * Loss: as in Reno, of the window before a mark of the same round trip, which the loss stands
///   for as well.
/// * Data leave at cwnd / srtt, in slow start at twice that.
///
/// Data carry ECT(1) where the peer tells of all marks (RFC 9768). Where it does not, they carry
/// ECT(0) at most, a mark counts as a loss, and growth is Reno's.
#[derive(Debug)]
pub struct Prague {
    window: Window,
    parameters: PragueParameters,
    /// Detector of a classic queue, where one is looked for.
    classic: Option<ClassicQueue>,
    /// Since the first mark.
    share: Option<MarkedShare>,
    is_scalable: bool,
    srtt: Option<Duration>,
    una: u64,
    /// The end of the present round trip, and how many there were.
    round_end: u64,
    rounds: u32,
    /// Beginning of the present virtual round trip.
    virtual_start: Time,
    reduction: Option<Reduction>,
}

/// Reduction of the window for a mark.
#[derive(Clone, Copy, Debug)]
struct Reduction {
    /// Marks of data up to here are answered.
    end: u64,
    /// Both windows before it; none if it was for a loss.
    before: Option<(f64, f64)>,
}

impl Prague {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: PragueParameters) -> Self {
        Self {
            window: Window::new(limits),
            classic: parameters.classic_fallback.then(ClassicQueue::default),
            parameters,
            share: None,
            is_scalable: false,
            srtt: None,
            una: 0,
            round_end: 0,
            rounds: 0,
            virtual_start: Time::ZERO,
            reduction: None,
        }
    }

    /// RFC 6298 §2.
    fn smooth(&mut self, rtt: Duration) {
        self.srtt = Some(self.srtt.map_or(rtt, |srtt| {
            Duration::from_nanos(srtt.as_nanos() - srtt.as_nanos() / 8 + rtt.as_nanos() / 8)
        }));
    }

    fn virtual_rtt(&self) -> Duration {
        self.srtt.unwrap_or(Duration::ZERO).max(self.parameters.virtual_rtt)
    }

    fn count_rounds(&mut self, ack: &Ack) {
        self.una = ack.una;
        if ack.una > self.round_end {
            self.round_end = ack.nxt;
            self.rounds = self.rounds.saturating_add(1);
        }
    }

    fn average_marks(&mut self, ack: &Ack) {
        let is_marked = ack.marked.packets > 0;
        let over = ack.now.saturating_since(self.virtual_start) >= self.virtual_rtt();
        match &mut self.share {
            None if is_marked => {
                let mut share = MarkedShare::new(1.0, self.parameters.gain);
                share.note(ack);
                self.share = Some(share);
                self.virtual_start = ack.now;
            }
            None => {}
            Some(share) => {
                share.note(ack);
                if over {
                    if let Some(classic) = &mut self.classic {
                        classic.end_round();
                    }
                    share.end_window();
                    self.virtual_start = ack.now;
                }
            }
        }
    }

    fn reduce(&mut self, ack: &Ack) {
        let is_news = self.reduction.is_none_or(|reduction| ack.una > reduction.end);
        let Some(share) = &self.share else { return };
        if ack.marked.packets == 0 || !is_news || ack.recovering {
            return;
        }
        let before = Some((self.window.cwnd, self.window.ssthresh));
        self.reduction = Some(Reduction { end: ack.nxt, before });
        let least = self.classic.as_ref().map_or(0.0, ClassicQueue::least_alpha);
        self.window.give_up(share.alpha.max(least) / 2.0);
    }

    fn grow(&mut self, ack: &Ack) {
        let earned = self.window.earned(ack) * unmarked(ack);
        let step = if self.window.slow_start() {
            earned
        } else {
            self.growth() * earned / self.window.cwnd
        };
        self.window.grow(step);
    }

    /// Segments by which congestion avoidance grows in a round trip.
    fn growth(&self) -> f64 {
        let virtual_rtt = self.virtual_rtt().as_secs_f64();
        let srtt = self.srtt.map_or(virtual_rtt, Duration::as_secs_f64);
        let is_early = self.rounds < self.parameters.transition || virtual_rtt == 0.0;
        if is_early || !self.is_scalable {
            return 1.0;
        }
        let ratio = srtt / virtual_rtt;
        ratio * ratio
    }
}

impl Controller for Prague {
    fn on_feedback(&mut self, feedback: EcnFeedback) {
        self.is_scalable = feedback == EcnFeedback::Accurate;
    }

    fn on_ack(&mut self, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.smooth(rtt);
            if let Some(classic) = &mut self.classic {
                classic.hear(rtt, self.window.ssthresh);
            }
        }
        self.count_rounds(ack);
        if self.is_scalable {
            self.average_marks(ack);
            self.reduce(ack);
        }
        if self.window.opens_with(ack) {
            self.grow(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.kind == LossKind::Ecn && self.is_scalable {
            return;
        }
        if !self.is_scalable && self.window.keeps_after_mark(loss) {
            return;
        }
        self.window.remember();
        if let Some(Reduction { end, before: Some((cwnd, ssthresh)) }) = self.reduction
            && self.una <= end
        {
            (self.window.cwnd, self.window.ssthresh) = (cwnd, ssthresh);
        }
        self.reduction = Some(Reduction { end: self.una + loss.in_flight, before: None });
        self.window.ssthresh = self.window.half();
        let left = self.window.ssthresh.min(self.window.cwnd);
        self.window.cwnd = if loss.kind == LossKind::Timeout { 1.0 } else { left };
    }

    fn on_restart(&mut self, _now: Time) {
        self.window.restart();
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn on_resume(&mut self, cwnd: u64, ssthresh: u64) {
        self.window.resume(cwnd, ssthresh);
        self.reduction = None;
    }

    fn on_path_change(&mut self, _now: Time) {
        self.srtt = None;
        self.classic = self.classic.take().map(|_| ClassicQueue::default());
    }

    fn window(&self) -> u64 {
        self.window.cwnd_bytes()
    }

    fn ssthresh(&self) -> u64 {
        self.window.ssthresh_bytes()
    }

    fn codepoint(&self) -> Ecn {
        if self.is_scalable { Ecn::L4s } else { Ecn::Capable }
    }

    fn paces_window(&self) -> bool {
        true
    }

    fn pacing_rate(&self) -> Option<Rate> {
        let srtt = self.srtt.filter(|srtt| *srtt > Duration::ZERO)?;
        let gain = if self.window.slow_start() { 2 } else { 1 };
        let bits = u128::from(self.window() * 8 * gain) * 1_000_000_000;
        Some(Rate::from_bps((bits / u128::from(srtt.as_nanos())).max(1) as u64))
    }
}
