//! What is to be sent: written and not yet acknowledged.

use base::{Flags, Seq, Time};

use crate::Payload;
use crate::pieces::Pieces;
use crate::scoreboard::{Scoreboard, SegmentStatus, Sent};

/// One direction of a stream from SND.UNA on, and how far it was sent.
///
/// Offsets count bytes of the stream from 0; a FIN takes the offset after the last byte.
#[derive(Debug)]
pub(crate) struct SendBuffer<P> {
    /// The sequence number of offset 0.
    first: Seq,
    written: Pieces<P>,
    /// True once nothing more will be written.
    closed: bool,
    /// RFC 9293 §3.3.1: SND.UNA and SND.NXT. Where losses are repaired in the order of the stream,
    /// `nxt` falls back to `una` after a timeout.
    una: u64,
    nxt: u64,
    /// The end of what was ever sent.
    max: u64,
    /// True if the oldest outstanding segment is to be sent again at once.
    resend: bool,
    /// The segments from `una` to `max`.
    pub(crate) board: Scoreboard,
}

impl<P: Payload> SendBuffer<P> {
    pub(crate) fn new(first: Seq) -> Self {
        Self {
            first,
            written: Pieces::new(),
            closed: false,
            una: 0,
            nxt: 0,
            max: 0,
            resend: false,
            board: Scoreboard::default(),
        }
    }

    /// Takes in bytes, unless it is closed.
    pub(crate) fn write(&mut self, payload: P) {
        if !self.closed {
            self.written.push(payload);
        }
    }

    /// Nothing more will be written: a FIN follows the last byte.
    pub(crate) const fn close(&mut self) {
        self.closed = true;
    }

    /// Takes back bytes that were never sent; nothing more will be written.
    pub(crate) fn break_off(&mut self) {
        self.written.truncate(self.max);
        self.close();
    }

    pub(crate) const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Bytes written and not yet acknowledged.
    pub(crate) const fn length(&self) -> u64 {
        self.written.length()
    }

    /// The offset after the last byte written.
    pub(crate) const fn end(&self) -> u64 {
        self.written.end()
    }

    /// The same with the FIN, once there is one.
    pub(crate) const fn stream_end(&self) -> u64 {
        self.written.end() + self.closed as u64
    }

    /// True if the FIN was acknowledged.
    pub(crate) const fn is_finished(&self) -> bool {
        self.closed && self.una > self.written.end()
    }

    /// True if nothing waits to be sent or to be acknowledged.
    pub(crate) const fn is_drained(&self) -> bool {
        self.una == self.stream_end()
    }

    pub(crate) const fn una(&self) -> u64 {
        self.una
    }

    pub(crate) const fn nxt(&self) -> u64 {
        self.nxt
    }

    pub(crate) const fn max(&self) -> u64 {
        self.max
    }

    /// Bytes from SND.UNA to SND.NXT.
    pub(crate) const fn in_flight(&self) -> u64 {
        self.nxt - self.una
    }

    /// Bytes from SND.UNA to the end of what was ever sent.
    pub(crate) const fn outstanding(&self) -> u64 {
        self.max - self.una
    }

    /// The sequence number at `offset`.
    pub(crate) fn seq(&self, offset: u64) -> Seq {
        self.first + offset as u32
    }

    /// By how many bytes `ack` acknowledges more than has been.
    pub(crate) fn ahead(&self, ack: Seq) -> i64 {
        i64::from(ack.distance(self.seq(self.una)))
    }

    /// A block that was selected beyond `una`, as offsets. Anything else is old, or nonsense.
    pub(crate) fn offsets_of(&self, una: u64, block: [Seq; 2]) -> Option<[u64; 2]> {
        let base = self.seq(una);
        let [from, to] = block.map(|edge| una as i64 + i64::from(edge.distance(base)));
        let within = from >= una as i64 && from < to && to <= self.max as i64;
        within.then_some([from as u64, to as u64])
    }

    /// Everything below `una` was acknowledged: returns from where to where data are newly
    /// acknowledged.
    pub(crate) fn acknowledge(&mut self, una: u64) -> [u64; 2] {
        let end = una.min(self.written.end());
        let acked = [self.una.min(end), end];
        self.una = una;
        self.nxt = self.nxt.max(una);
        self.resend = false;
        self.written.drop_below(una);
        acked
    }

    /// Sends from the oldest outstanding segment on (go-back-N).
    pub(crate) const fn go_back(&mut self) {
        self.resend = false;
        self.nxt = self.una;
    }

    /// What was sent below `offset` need not be retransmitted in order.
    pub(crate) fn go_on_from(&mut self, offset: u64) {
        self.nxt = self.nxt.max(offset);
    }

    /// Whether the oldest outstanding segment, or the lowest that is lost, is to be sent again at
    /// once.
    pub(crate) const fn set_resend(&mut self, resend: bool) {
        self.resend = resend;
    }

    /// True once for each such segment.
    pub(crate) fn take_resend(&mut self) -> bool {
        std::mem::take(&mut self.resend)
    }

    /// What is sent at once on a loss: the lowest that is lost.
    pub(crate) fn first_to_repair(&mut self) -> u64 {
        self.board.next_lost().map_or(self.una, |lost| lost.offset)
    }

    /// The numbers from `nxt` up to `end` leave for the first time.
    pub(crate) fn send_first(&mut self, now: Time, end: u64) -> Sent {
        let segment = Sent {
            offset: self.nxt,
            length: (end - self.nxt) as u32,
            transmissions: 1,
            status: SegmentStatus::InFlight,
            first_at: now,
            last_at: now,
        };
        self.board.push(segment);
        self.nxt = end;
        self.max = end;
        segment
    }

    /// The outstanding segment at `offset` is retransmitted. The last one, if it is short, is
    /// filled up to `mss` bytes, but not beyond `edge`, with what has been written since: a window
    /// probe grows into a segment.
    pub(crate) fn send_again(&mut self, now: Time, offset: u64, mss: u32, edge: u64) -> Sent {
        let full = (offset + u64::from(mss)).min(self.written.end()).min(edge);
        let &Sent { length, .. } = self.board.at(offset);
        let grown = offset + u64::from(length) == self.max && full > self.max;
        let length = if grown { (full - offset) as u32 } else { length };
        let segment = self.board.sent_again(now, offset, length);
        self.max = self.max.max(segment.end());
        if self.nxt > offset {
            self.nxt = self.nxt.max(segment.end());
        }
        segment
    }

    /// What `segment` carries, with PSH if that ends all that was written and FIN if it ends the
    /// stream.
    pub(crate) fn contents(&self, segment: &Sent) -> (P, Flags) {
        let written = self.written.end();
        let end = segment.end().min(written);
        let start = segment.offset.min(end);
        let mut flags = Flags::NONE;
        if segment.end() > written {
            flags = flags | Flags::FIN;
        }
        if start < end && end == written {
            flags = flags | Flags::PSH;
        }
        (self.written.slice(start, end), flags)
    }
}
