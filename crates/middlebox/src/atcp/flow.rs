//! One connection's data towards its mobile.

use base::{Duration, Ecn, Flags, Seq, Time};
use tcp::{Acknowledgement, Departure, Payload, Pieces};

use super::flow_control::{Position, Window};
use super::schedule::StrideState;
use super::unacked::Chain;

/// What is known of a flow. All that concerns the radio belongs to its aggregate.
#[derive(Debug)]
pub(super) struct Flow<P> {
    /// The number of its aggregate, and its place among that one's flows.
    pub(super) aggregate: u32,
    pub(super) member: u32,
    /// What facts call the connection.
    pub(super) connection: u32,
    first: Seq,
    /// Payload bytes of a full segment: of those sent to the mobile, which a path may make smaller,
    /// and of those of its sender.
    pub(super) mss: u32,
    pub(super) sender_mss: u32,
    pub(super) sack: bool,
    /// RFC 7323: the shift of the windows announced to its sender.
    scale: u8,
    /// Written and not acknowledged.
    pub(super) buffer: Pieces<P>,
    pub(super) closed: bool,
    /// RFC 9293 §3.3.1: SND.UNA and SND.NXT, as offsets.
    pub(super) una: u64,
    pub(super) nxt: u64,
    /// The end of what was sent into a closed window, beyond `nxt`.
    probed: u64,
    peer: PeerWindow,
    pub(super) chain: Chain,
    pub(super) stride: StrideState,
    pub(super) window: Window,
    /// When its mobile last acknowledged something of it or asked for more, and when it last
    /// acknowledged something new; or when something was sent with nothing else in flight.
    pub(super) heard_at: Time,
    pub(super) moved_at: Time,
    /// Since when unsent data wait.
    waiting_since: Time,
    /// The end of the last segment that was less than a full one.
    short_end: u64,
    /// Whether its window is to be announced to its sender.
    pub(super) window_update: WindowUpdate,
}

/// The window that the mobile advertises.
#[derive(Clone, Copy, Debug)]
struct PeerWindow {
    /// In bytes from `una` on.
    size: u32,
    largest: u32,
    /// Number and acknowledgement of the segment that it was taken from (SND.WL1 and SND.WL2).
    source: Option<(Seq, Seq)>,
}

/// Whether a window is to be announced to a sender that has sent nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WindowUpdate {
    /// The sender knows it.
    Known,
    /// It is queued to be announced.
    Due,
    /// It waits until there is room in the budget.
    AwaitsBudget,
}

/// What a flow could send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Next {
    /// A segment of so many numbers.
    Segment(u64),
    /// A short segment, but not before.
    Hold(Time),
    /// The mobile's window is closed.
    Blocked,
    Nothing,
}

/// What an acknowledgement says of a flow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heard {
    /// The offset below which all is acknowledged.
    pub(super) una: u64,
    /// Whether it is a duplicate (RFC 5681 §2).
    pub(super) duplicate: bool,
}

impl<P: Payload> Flow<P> {
    pub(super) fn new(
        aggregate: u32,
        member: u32,
        terms: &crate::Terms,
        stride: StrideState,
        window: Window,
    ) -> Self {
        Self {
            aggregate,
            member,
            connection: terms.numbers.connection,
            first: terms.first,
            mss: terms.mss,
            sender_mss: terms.mss,
            sack: terms.sack,
            scale: terms.scale,
            buffer: Pieces::default(),
            closed: false,
            una: 0,
            nxt: 0,
            probed: 0,
            peer: PeerWindow::new(terms.window),
            chain: Chain::EMPTY,
            stride,
            window,
            heard_at: Time::ZERO,
            moved_at: Time::ZERO,
            waiting_since: Time::ZERO,
            short_end: 0,
            window_update: WindowUpdate::Known,
        }
    }

    /// Bytes that wait to be sent.
    pub(super) fn queued(&self) -> u64 {
        self.buffer.end().saturating_sub(self.nxt)
    }

    /// Bytes that the sender may send, and has not said that it will not.
    pub(super) fn credit(&self) -> u64 {
        if self.closed { 0 } else { self.window.edge.saturating_sub(self.buffer.end()) }
    }

    pub(super) fn position(&self) -> Position {
        let received = self.buffer.end();
        let (mss, unit) = (u64::from(self.sender_mss), 1 << self.scale);
        Position { sent: self.nxt.min(received), received, mss, unit }
    }

    /// The end of the stream, with its FIN.
    fn end(&self) -> u64 {
        self.buffer.end() + u64::from(self.closed)
    }

    pub(super) fn write(&mut self, now: Time, payload: P) {
        if self.queued() == 0 {
            self.waiting_since = now;
        }
        self.buffer.push(payload);
    }

    /// What it could send. Less than a full segment waits for more for `coalescing` while another
    /// such one is in flight: the end of a page does not wait (Minshall, as in Linux; RFC 9293
    /// §3.7.4 would have it wait behind full segments, too).
    pub(super) fn next(&self, now: Time, coalescing: Option<Duration>) -> Next {
        if self.nxt == self.end() {
            return Next::Nothing;
        }
        let (queued, mss) = (self.queued(), u64::from(self.mss));
        let length = queued.min(mss);
        let room = (self.una + u64::from(self.peer.size)).saturating_sub(self.nxt);
        if room == 0 || length > room {
            // RFC 9293 §3.8.6.2.1: half of the largest window is worth a segment.
            let worth = room > 0 && room >= u64::from(self.peer.largest) / 2;
            return if worth { Next::Segment(room) } else { Next::Blocked };
        }
        if self.closed && length == queued {
            return Next::Segment(if length < room { length + 1 } else { length });
        }
        if let Some(delay) = coalescing
            && length < mss
            && self.una < self.short_end
            && now < self.waiting_since + delay
        {
            return Next::Hold(self.waiting_since + delay);
        }
        Next::Segment(length)
    }

    /// `numbers` more were sent.
    pub(super) fn advance(&mut self, now: Time, numbers: u64) {
        self.nxt += numbers;
        if numbers < u64::from(self.mss) {
            self.short_end = self.nxt;
        }
        self.probed = self.probed.max(self.nxt);
        self.waiting_since = now;
    }

    /// The segment from offset `from` up to `to`.
    pub(super) fn segment(&self, from: u64, to: u64) -> Departure<P> {
        let end = self.buffer.end();
        let data_end = to.min(end);
        let mut flags = Flags::NONE;
        if to > end {
            flags = flags | Flags::FIN;
        }
        if from < data_end && data_end == end {
            flags = flags | Flags::PSH;
        }
        let payload = self.buffer.slice(from.min(data_end), data_end);
        // Marks of the radio would change nothing: the window is fixed by the radio.
        Departure { seq: self.first + from as u32, flags, payload, ecn: Ecn::NotCapable }
    }

    /// A byte into a closed window, to hear whether it has opened (RFC 9293 §3.8.6.1). It does not
    /// count as sent.
    pub(super) fn probe(&mut self) -> Departure<P> {
        self.probed = self.probed.max(self.nxt + 1);
        self.segment(self.nxt, self.nxt + 1)
    }

    /// Takes in the window of an acknowledgement. `None` if it is old, or of something never sent.
    pub(super) fn hear(&mut self, now: Time, arrival: &Acknowledgement) -> Option<Heard> {
        let ahead = i64::from(arrival.ack.distance(self.first + self.una as u32));
        if ahead < 0 || ahead > (self.probed - self.una) as i64 {
            return None;
        }
        let same_window = arrival.window == u64::from(self.peer.size);
        let newer = self.peer.source.is_none_or(|(seq, ack)| {
            ack.before(arrival.ack)
                || seq.before(arrival.seq)
                || (seq == arrival.seq && ack == arrival.ack)
        });
        if newer {
            self.peer.source = Some((arrival.seq, arrival.ack));
            self.peer.size = window_bytes(arrival.window);
            self.peer.largest = self.peer.largest.max(self.peer.size);
        }
        self.heard_at = now;
        let duplicate = ahead == 0 && arrival.pure && same_window && arrival.sack.is_empty();
        Some(Heard { una: self.una + ahead as u64, duplicate })
    }

    /// Everything below `una` is acknowledged.
    pub(super) fn acknowledge(&mut self, now: Time, una: u64) {
        self.moved_at = now;
        self.una = una;
        self.nxt = self.nxt.max(una);
        self.buffer.drop_below(una);
    }

    /// A block of numbers as offsets, if it lies above what is acknowledged and was sent. A block
    /// up to the last byte includes the FIN that was sent with it: some receivers leave its number
    /// out.
    pub(super) fn block(&self, [left, right]: [Seq; 2]) -> Option<[u64; 2]> {
        let base = self.first + self.una as u32;
        let [from, to] = [left, right].map(|edge| self.una as i64 + i64::from(edge.distance(base)));
        let sent = from > self.una as i64 && from < to && to <= self.nxt as i64;
        let last = self.closed && to == self.buffer.end() as i64;
        sent.then_some([from as u64, if last { self.nxt } else { to as u64 }])
    }
}

impl PeerWindow {
    const fn new(size: u64) -> Self {
        let size = window_bytes(size);
        Self { size, largest: size, source: None }
    }
}

/// No window is larger than 1 GiB (RFC 7323 §2.3).
const fn window_bytes(window: u64) -> u32 {
    if window > u32::MAX as u64 { u32::MAX } else { window as u32 }
}
