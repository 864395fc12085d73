//! The window that the peer advertises.

use base::Seq;

/// The window that the peer advertises, in bytes from SND.UNA on.
#[derive(Debug, Default)]
pub(crate) struct PeerWindow {
    size: u64,
    /// The largest seen.
    largest: u64,
    /// What was sent below here was in flight when it last closed.
    closed_over: u64,
    /// Number and acknowledgement of the segment that it was taken from (RFC 9293's SND.WL1 and
    /// SND.WL2).
    source: Option<(Seq, Seq)>,
}

impl PeerWindow {
    pub(crate) const fn new(size: u64) -> Self {
        Self { size, largest: size, closed_over: 0, source: None }
    }

    pub(crate) const fn size(&self) -> u64 {
        self.size
    }

    pub(crate) const fn largest(&self) -> u64 {
        self.largest
    }

    /// Segment `seq` acknowledges `ack` and says `size`. The window of the newest segment counts
    /// (RFC 9293 §3.10.7.4: by its number, then by its acknowledgement). An acknowledgement of
    /// something new is newer than all before it, even on a segment that was sent again and whose
    /// number is old.
    #[inline]
    pub(crate) fn update(&mut self, seq: Seq, ack: Seq, size: u64) {
        let newer = self.source.is_none_or(|(last_seq, last_ack)| {
            last_ack.before(ack) || last_seq.before(seq) || (last_seq == seq && last_ack == ack)
        });
        if newer {
            self.source = Some((seq, ack));
            self.size = size;
            self.largest = self.largest.max(size);
        }
    }

    /// It is closed, with everything below `nxt` in flight.
    pub(crate) const fn close_over(&mut self, nxt: u64) {
        self.closed_over = nxt;
    }

    /// The end of what was in flight when it last closed.
    pub(crate) const fn closed_over(&self) -> u64 {
        self.closed_over
    }
}
