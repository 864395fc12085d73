//! The share of bytes that are marked, averaged over windows of data (RFC 8257 §3.3).

use crate::Ack;

/// Average that a scalable controller answers: by how much a queue is too long, not whether.
#[derive(Clone, Debug)]
pub(crate) struct MarkedShare {
    /// The average, from 0 to 1: α.
    pub(crate) alpha: f64,
    /// The weight of the newest window: g.
    gain: f64,
    /// Bytes that arrived in the present window, and those of them that were marked.
    arrived: u64,
    marked: u64,
}

impl MarkedShare {
    pub(crate) const fn new(alpha: f64, gain: f64) -> Self {
        Self { alpha, gain, arrived: 0, marked: 0 }
    }

    /// An acknowledgement within the present window.
    pub(crate) const fn note(&mut self, ack: &Ack) {
        self.arrived += ack.delivered;
        self.marked += ack.marked.bytes;
    }

    /// The present window ends, the next begins: its share, or none if nothing arrived in it.
    pub(crate) fn end_window(&mut self) -> f64 {
        let mut share = 0.0;
        if self.arrived > 0 {
            // Marks whose acknowledgement was lost may come with fewer bytes than they are.
            share = (self.marked as f64 / self.arrived as f64).min(1.0);
            self.alpha += self.gain * (share - self.alpha);
        }
        (self.arrived, self.marked) = (0, 0);
        share
    }
}

/// The part of `ack` that came without a mark, from 0 to 1: only that opens the window.
pub(crate) fn unmarked(ack: &Ack) -> f64 {
    let marked = ack.marked.bytes.min(ack.delivered);
    if ack.delivered == 0 { 0.0 } else { 1.0 - marked as f64 / ack.delivered as f64 }
}
