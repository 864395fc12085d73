//! DCTCP (RFC 8257).

use settings::{Fraction, section};

use crate::marked_share::MarkedShare;
use crate::window::{Window, controlled_window};
use crate::{Ack, Controller, EcnFeedback, Limits, Loss, LossKind};

/// α before anything was marked: the first mark halves the window (RFC 8257 §3.3, §4).
const FIRST_ALPHA: f64 = 1.0;

section! {
    /// `[tcp.dctcp]`: how marks are averaged.
    #[derive(Copy)]
    pub struct DctcpParameters {
        /// g: weight of the newest window of data in the average share of marked bytes. Default:
        /// RFC 8257 §4.
        pub gain: f64 as Fraction = 0.0625;
    }
}

/// A window that gives up as much as the queue is too long.
///
/// * α, the average share of bytes with a mark: α ← (1 − g) · α + g · M once a window of data,
///   M being the share in that window (RFC 8257 §3.3).
/// * Mark: ssthresh and cwnd become cwnd · (1 − α/2), at least 2 segments, once a window of data
///   (§3.3). An acknowledgement with a mark does not open the window (RFC 3168 §6.1.2).
/// * Growth and losses: as in Reno (§3.4 and §3.5).
///
/// Where the peer tells of one mark in a window of data (RFC 3168), each halves the window, as in
/// Reno.
#[derive(Debug)]
pub struct Dctcp {
    window: Window,
    share: MarkedShare,
    is_accurate: bool,
    /// Lowest offset not acknowledged.
    una: u64,
    /// The end of the window of data over which marks are counted (`WindowEnd`).
    end: u64,
    /// The end of the window of data in which cwnd was last reduced.
    reduced: Option<u64>,
}

impl Dctcp {
    /// A connection's controller at its start.
    pub fn new(limits: &Limits, parameters: DctcpParameters) -> Self {
        Self {
            window: Window::new(limits),
            share: MarkedShare::new(FIRST_ALPHA, parameters.gain),
            is_accurate: false,
            una: 0,
            end: 0,
            reduced: None,
        }
    }

    /// RFC 8257 §3.3, in its order.
    fn hear_of_marks(&mut self, ack: &Ack) {
        self.una = ack.una;
        self.share.note(ack);
        if ack.una > self.end {
            self.share.end_window();
            self.end = ack.nxt;
        }
        let is_news = self.reduced.is_none_or(|reduced| ack.una > reduced);
        if ack.marked.packets > 0 && is_news && !ack.recovering {
            self.reduced = Some(ack.nxt);
            self.window.give_up(self.share.alpha / 2.0);
        }
    }
}

impl Controller for Dctcp {
    fn on_feedback(&mut self, feedback: EcnFeedback) {
        self.is_accurate = feedback == EcnFeedback::Accurate;
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.hear_of_marks(ack);
        if self.window.opens_with(ack) && ack.marked.packets == 0 {
            self.window.grow_additively(ack);
        }
    }

    fn on_loss(&mut self, loss: &Loss) {
        if loss.kind == LossKind::Ecn && self.is_accurate {
            return;
        }
        if !self.is_accurate && self.window.keeps_after_mark(loss) {
            return;
        }
        self.window.remember();
        self.reduced = Some(self.una + loss.in_flight);
        self.window.ssthresh = self.window.half();
        let left = self.window.ssthresh.min(self.window.cwnd);
        self.window.cwnd = if loss.kind == LossKind::Timeout { 1.0 } else { left };
    }

    controlled_window!();
}
