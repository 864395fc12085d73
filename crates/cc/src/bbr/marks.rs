//! Marks, which the draft counts as losses (§3.7), answered by their share as in Google's code
//! (`tcp_bbr.c` of google/bbr, branch v3). Names in `bbr_` are of that.

use base::Duration;
use settings::{NoKey, OfTime, Word, section, words};

use super::{Bbr, State};
use crate::Ack;
use crate::marked_share::MarkedShare;

/// `bbr_ecn_alpha_gain`.
const GAIN: f64 = 1.0 / 16.0;
/// `bbr_ecn_alpha_init`: a flow that begins in a congested queue answers at once.
const FIRST_ALPHA: f64 = 1.0;
/// `bbr_ecn_factor`: share of α by which the short-term bound on what is in flight falls.
const FACTOR: f64 = 1.0 / 3.0;
/// `bbr_ecn_thresh`: share of a round at which what is in flight is too much.
const THRESHOLD: f64 = 0.5;
/// `bbr_full_ecn_cnt`: rounds above it that end Startup.
const FULL_ROUNDS: u32 = 2;
/// `bbr_ecn_reprobe_gain`: share of the long-term bound that the first round after marks adds.
const REPROBE_GAIN: f64 = 0.5;

words! {
    /// Answer to marks.
    pub enum MarkAnswer {
        /// As to a loss in the same round (draft-ietf-ccwg-bbr-06 §3.7).
        AsLoss = "as-loss",
        /// By their share, as Google's code where a route has `ecn_low`.
        Share = "share",
        /// The same, with data that carry ECT(1), to be in the queue for L4S.
        L4s = "l4s",
    }
}

section! {
    /// `[tcp.bbr]`: what a mark means.
    #[derive(Copy)]
    pub struct BbrParameters {
        /// Seed of its chance.
        pub seed: u64 as NoKey<u64> = 0;
        /// Answer to marks: as to a loss, by their share (`share`), or so with ECT(1) (`l4s`). The
        /// latter two need tcp.ecn = accurate. Default: draft-ietf-ccwg-bbr-06 §3.7.
        pub marks: MarkAnswer as Word<MarkAnswer> = MarkAnswer::AsLoss;
        /// The longest minimum round trip at which their share counts; 0 s is any. Default:
        /// Google's `bbr_ecn_max_rtt_us`.
        pub ecn_max_rtt: Duration as OfTime = Duration::from_millis(5);
    }
}

/// Marks of this connection, and what they mean to it.
#[derive(Debug)]
pub(super) struct Marks {
    /// True if their share is to count, and the peer tells of it.
    is_on: bool,
    parameters: BbrParameters,
    /// `ecn_eligible`: the path is short enough.
    is_eligible: bool,
    /// `ecn_alpha`.
    share: MarkedShare,
    /// `ecn_in_round`, of loss rounds.
    pub(super) in_round: bool,
    /// `ecn_in_cycle`.
    in_cycle: bool,
    /// True if there were none since the last round began.
    has_ceased: bool,
    /// True if the present acknowledgement ends a round with too many.
    pub(super) is_too_high: bool,
    /// `startup_ecn_rounds`.
    startup_rounds: u32,
}

impl Marks {
    pub(super) const fn new(parameters: BbrParameters) -> Self {
        Self {
            is_on: false,
            parameters,
            is_eligible: false,
            share: MarkedShare::new(FIRST_ALPHA, GAIN),
            in_round: false,
            in_cycle: false,
            has_ceased: true,
            is_too_high: false,
            startup_rounds: 0,
        }
    }

    /// The peer tells of all marks, or not.
    pub(super) fn agree(&mut self, is_accurate: bool) {
        self.is_on = is_accurate && self.parameters.marks != MarkAnswer::AsLoss;
    }

    /// True if data are to be in the queue for L4S.
    pub(super) fn is_l4s(&self) -> bool {
        self.is_on && self.parameters.marks == MarkAnswer::L4s
    }

    /// True if their share counts in the place of the first of a window.
    pub(super) const fn counts(&self) -> bool {
        self.is_eligible
    }

    /// `bbr_reset_congestion_signals`.
    pub(super) const fn reset(&mut self) {
        (self.in_round, self.in_cycle) = (false, false);
    }

    /// `bbr_ecn_lower_bounds`: what is left of `inflight`.
    pub(super) fn cut(&self, inflight: f64) -> f64 {
        inflight * (1.0 - FACTOR * self.share.alpha)
    }
}

impl Bbr {
    /// `bbr_update_ecn_alpha`, and what `bbr_main` notes of marks. The share of a round is looked
    /// at when it ends; Google's code looks at that of the last flight with each acknowledgement.
    pub(super) fn hear_of_marks(&mut self, ack: &Ack) {
        if !self.marks.is_on {
            return;
        }
        self.marks.share.note(ack);
        self.marks.is_too_high = false;
        if self.round.starts {
            self.end_round_of_marks();
        }
        let is_marked = ack.marked.packets > 0;
        self.marks.in_round |= self.marks.is_eligible && is_marked;
        self.marks.in_cycle |= is_marked;
        self.marks.has_ceased &= !is_marked;
    }

    fn end_round_of_marks(&mut self) {
        let longest = self.marks.parameters.ecn_max_rtt;
        let is_short = self.min_rtt.get().is_some_and(|rtt| rtt <= longest);
        self.marks.is_eligible |= is_short || longest == Duration::ZERO;
        if !self.marks.is_eligible {
            return;
        }
        let share = self.marks.share.end_window();
        self.marks.is_too_high = share > THRESHOLD;
        self.marks.has_ceased = share == 0.0;
        self.marks.startup_rounds =
            if share >= THRESHOLD { self.marks.startup_rounds + 1 } else { 0 };
        let is_full = self.marks.startup_rounds >= FULL_ROUNDS;
        if is_full && self.state == State::Startup && !self.full_pipe.reached {
            self.full_pipe.reached = true;
            let bdp = self.inflight(self.max_bw.get(), 1.0);
            self.bounds.inflight_long = bdp.max(self.bounds.inflight_latest);
        }
    }

    /// `bbr_check_time_to_probe_bw`: marks of this cycle, without losses, have ceased: others may
    /// have left. Tells how steep the probe is to begin.
    pub(super) fn reprobe_slope(&self, recovering: bool) -> Option<u32> {
        let marks = &self.marks;
        let is_time = marks.is_eligible
            && marks.in_cycle
            && marks.has_ceased
            && !self.bounds.loss_in_cycle
            && !recovering;
        let segments = self.bounds.inflight_long * REPROBE_GAIN / self.cwnd.segment;
        is_time.then(|| (segments as u32).max(1).ilog2())
    }
}
