//! A receiving half in the middle of a path: what it receives goes to a next leg, which limits how
//! much that may be.

use crate::{AckDue, Payload, Receiver};

impl<P: Payload> Receiver<P> {
    /// The window ends at offset `edge`, whatever room there is here; never before where it ended
    /// already.
    pub fn limit_window(&mut self, edge: u64) {
        self.limit = Some(edge);
    }

    /// What the header's window shall be: up to `limit` in whole units of the scale. Where that is
    /// too little to advertise, as much as keeps the edge where it is; as arriving data need not
    /// come in whole units, that may be up to a unit more (RFC 7323 §2.4 has a receiver round up).
    /// But it ends less than a unit beyond the limit, or segments smaller than a unit would keep
    /// the window open for ever: there the edge steps back, by less than a unit (RFC 7323 appendix
    /// F), and what the peer had been told is still taken in.
    pub(crate) fn advertise_up_to(&mut self, limit: u64) -> u16 {
        let unit = 1 << self.scale;
        let room = |edge: u64| edge.saturating_sub(self.next());
        // A window of zero opens by whatever the limit has: the caller decides how much is enough.
        let wide = if self.has_wider_window() { room(limit) / unit } else { 0 };
        let granted = self.promised.max(limit);
        let kept = room(self.edge.min(granted)).div_ceil(unit);
        let field = wide.max(kept).min(u64::from(u16::MAX));
        self.edge = self.edge.max(self.next() + field * unit);
        self.promised = granted;
        field as u16
    }

    /// True if the peer may be told of a wider window: by a segment or half of the first window
    /// (RFC 9293 §3.8.6.2.2), or of one above zero if the caller wants that.
    pub fn has_wider_window(&self) -> bool {
        let least = self.next() + (1 << self.scale);
        let opens = self.edge <= self.next() && self.limit.is_some_and(|limit| limit >= least);
        opens || self.can_widen()
    }

    /// An acknowledgement is due, besides what arriving data call for.
    pub fn owe_ack(&mut self, due: AckDue) {
        self.ack = self.ack.or_sooner(due);
    }

    /// The offset below which everything has arrived.
    pub const fn received(&self) -> u64 {
        self.next()
    }

    /// The offset at which the window ends, as the peer reads it.
    pub const fn edge(&self) -> u64 {
        self.edge
    }

    /// True if `bytes` are more than a segment has: several came together.
    pub fn is_run(&self, bytes: u64) -> bool {
        bytes > u64::from(self.mss)
    }

    /// True if nothing waits behind a gap.
    pub fn is_contiguous(&self) -> bool {
        self.early.is_empty()
    }
}
