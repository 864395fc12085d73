//! What is measured of one flow.

use std::collections::VecDeque;

use base::{Duration, PageFact, RttSample, TcpFact, Time};

/// A flow to be measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Machine number of the sender's endpoint.
    pub sender: u32,
    /// Machine number of the receiver's endpoint.
    pub receiver: u32,
    /// The name of its TCP variant.
    pub variant: String,
    /// Bytes of payload in a segment.
    pub mss: u32,
    /// The most that may be in flight, in bytes.
    pub window_bytes: u64,
    /// Bytes to transfer; `None` without end.
    pub bytes: Option<u64>,
}

/// One round-trip time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RttRow {
    /// When the acknowledgement came.
    pub time: Time,
    /// The sample.
    pub sample: RttSample,
}

/// A page that has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PageRow {
    /// When its last byte came.
    pub time: Time,
    /// Its size, and how long it took.
    pub fact: PageFact,
}

/// The window after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CwndRow {
    /// When it changed.
    pub time: Time,
    /// Congestion window in bytes, at most what may be in flight at all.
    pub cwnd: u64,
    /// Slow-start threshold in bytes.
    pub ssthresh: u64,
}

/// What can happen to a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The sender's handshake is done.
    Established,
    /// The retransmission timer fired, and the segment had been lost.
    Timeout,
    /// The retransmission timer fired, but the segment had arrived or was still to arrive.
    SpuriousTimeout,
    /// A segment was sent again on duplicate acknowledgements.
    FastRetransmit,
    /// The last byte was acknowledged.
    Completed,
    /// The connection ended before that: given up, or reset.
    GivenUp,
}

impl Event {
    /// Every event, in the order of their numbers.
    pub const ALL: [Self; 6] = [
        Self::Established,
        Self::Timeout,
        Self::SpuriousTimeout,
        Self::FastRetransmit,
        Self::Completed,
        Self::GivenUp,
    ];

    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Established => "established",
            Self::Timeout => "timeout",
            Self::SpuriousTimeout => "spurious_timeout",
            Self::FastRetransmit => "fast_retransmit",
            Self::Completed => "completed",
            Self::GivenUp => "given_up",
        }
    }
}

/// Something that happened to a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventRow {
    /// When.
    pub time: Time,
    /// What.
    pub event: Event,
    /// Stream offset of the segment that it concerns.
    pub offset: u64,
}

/// The running measurements of one flow.
#[derive(Debug)]
pub(crate) struct FlowMetrics {
    pub(crate) flow: Flow,
    pub(crate) rtt: Vec<RttRow>,
    pub(crate) cwnd: Vec<CwndRow>,
    pub(crate) events: Vec<EventRow>,
    pub(crate) pages: Vec<PageRow>,
    pub(crate) started: Option<Time>,
    pub(crate) established: Option<Time>,
    pub(crate) completed: Option<Time>,
    pub(crate) given_up: Option<Time>,
    pub(crate) segments_sent: u64,
    pub(crate) retransmits: u64,
    pub(crate) bytes_acked: u64,
    pub(crate) bytes_delivered: u64,
    /// Bytes of the segments accepted in order, with their TCP and IP headers.
    pub(crate) wire_bytes_delivered: u64,
    /// The packet that the receiver is looking at.
    arrival: Arrival,
    /// Segments accepted out of order: offset and size with headers.
    out_of_order: Vec<(u64, u64)>,
    /// Time-outs whose original may still turn up.
    undecided: VecDeque<Undecided>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Arrival {
    uid: u64,
    header_bytes: u64,
}

/// A time-out until it is known whether it was spurious.
#[derive(Clone, Copy, Debug)]
struct Undecided {
    offset: u64,
    /// Packets below this number were sent before the time-out.
    next_uid: u64,
    /// Its row among the events.
    row: usize,
}

/// An original later than this many time-outs is not waited for.
const UNDECIDED_MAX: usize = 64;

impl FlowMetrics {
    pub(crate) fn new(flow: Flow) -> Self {
        Self {
            flow,
            rtt: Vec::new(),
            cwnd: Vec::new(),
            events: Vec::new(),
            pages: Vec::new(),
            started: None,
            established: None,
            completed: None,
            given_up: None,
            segments_sent: 0,
            retransmits: 0,
            bytes_acked: 0,
            bytes_delivered: 0,
            wire_bytes_delivered: 0,
            arrival: Arrival::default(),
            out_of_order: Vec::new(),
            undecided: VecDeque::new(),
        }
    }

    pub(crate) fn departed(&mut self, now: Time) {
        self.started.get_or_insert(now);
    }

    pub(crate) fn arrived(&mut self, uid: u64, header_bytes: u32) {
        self.arrival = Arrival { uid, header_bytes: u64::from(header_bytes) };
    }

    pub(crate) fn count(&self, event: Event) -> u64 {
        self.events.iter().filter(|row| row.event == event).count() as u64
    }

    /// A fact of the sender's endpoint; `next_uid` is the number of the next packet.
    pub(crate) fn sender_fact(&mut self, now: Time, fact: TcpFact, next_uid: u64) {
        match fact {
            TcpFact::Established { .. } => {
                self.established = Some(now);
                self.event(now, Event::Established, 0);
            }
            TcpFact::Sent { transmission, .. } => {
                self.segments_sent += 1;
                self.retransmits += u64::from(transmission > 1);
            }
            TcpFact::Acked { offset } => self.acked(now, offset),
            TcpFact::Rtt(sample) => self.rtt.push(RttRow { time: now, sample }),
            TcpFact::Window { cwnd, ssthresh } => {
                let cwnd = cwnd.min(self.flow.window_bytes);
                if self.cwnd.last().is_none_or(|row| (row.cwnd, row.ssthresh) != (cwnd, ssthresh)) {
                    self.cwnd.push(CwndRow { time: now, cwnd, ssthresh });
                }
            }
            TcpFact::Timeout { offset, .. } => self.timed_out(now, offset, next_uid),
            TcpFact::FastRetransmit { offset } => self.event(now, Event::FastRetransmit, offset),
            TcpFact::Closed if self.completed.is_none() => {
                self.given_up = Some(now);
                self.event(now, Event::GivenUp, self.bytes_acked);
            }
            TcpFact::Data { .. } | TcpFact::Closed => {}
        }
    }

    /// A fact of the receiver's endpoint.
    pub(crate) fn receiver_fact(&mut self, fact: TcpFact) {
        let TcpFact::Data { offset, length, fresh, delivered } = fact else { return };
        if !self.undecided.is_empty() {
            self.decide(offset, offset + u64::from(length));
        }
        self.bytes_delivered = delivered;
        if fresh > 0 {
            let bytes = u64::from(fresh) + self.arrival.header_bytes;
            if offset >= delivered {
                self.out_of_order.push((offset, bytes));
            } else {
                self.wire_bytes_delivered += bytes;
            }
        }
        if !self.out_of_order.is_empty() {
            self.deliver_waiting();
        }
    }

    /// Counts the segments that had arrived out of order and are in order now.
    fn deliver_waiting(&mut self) {
        let (delivered, total) = (self.bytes_delivered, &mut self.wire_bytes_delivered);
        self.out_of_order.retain(|&(offset, bytes)| {
            let waits = offset >= delivered;
            *total += if waits { 0 } else { bytes };
            waits
        });
    }

    fn event(&mut self, time: Time, event: Event, offset: u64) {
        self.events.push(EventRow { time, event, offset });
    }

    fn acked(&mut self, now: Time, offset: u64) {
        self.bytes_acked = offset;
        if self.completed.is_none() && self.flow.bytes.is_some_and(|bytes| offset >= bytes) {
            self.completed = Some(now);
            self.event(now, Event::Completed, offset);
        }
    }

    fn timed_out(&mut self, now: Time, offset: u64, next_uid: u64) {
        let row = self.events.len();
        self.event(now, Event::Timeout, offset);
        if offset < self.bytes_delivered {
            self.events[row].event = Event::SpuriousTimeout;
            return;
        }
        if self.undecided.len() == UNDECIDED_MAX {
            self.undecided.pop_front();
        }
        self.undecided.push_back(Undecided { offset, next_uid, row });
    }

    /// The packet at hand carries `from..to`: time-outs of those bytes after it was sent were
    /// spurious.
    fn decide(&mut self, from: u64, to: u64) {
        let (uid, events) = (self.arrival.uid, &mut self.events);
        self.undecided.retain(|timeout| {
            let spurious = uid < timeout.next_uid && (from..to).contains(&timeout.offset);
            if spurious {
                events[timeout.row].event = Event::SpuriousTimeout;
            }
            !spurious
        });
    }

    /// Time-weighted mean and maximum of the congestion window, in bytes, up to `end`.
    pub(crate) fn cwnd_mean_and_max(&self, end: Time) -> Option<(f64, u64)> {
        let first = self.cwnd.first()?;
        let until = self.cwnd.iter().skip(1).map(|row| row.time).chain([end]);
        let spans = self.cwnd.iter().zip(until);
        let integral: f64 = spans
            .map(|(row, until)| row.cwnd as f64 * until.saturating_since(row.time).as_secs_f64())
            .sum();
        let span = end.saturating_since(first.time);
        let mean =
            if span == Duration::ZERO { first.cwnd as f64 } else { integral / span.as_secs_f64() };
        Some((mean, self.cwnd.iter().map(|row| row.cwnd).max()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn metrics() -> FlowMetrics {
        let variant = "reno".to_owned();
        let flow =
            Flow { sender: 0, receiver: 1, variant, mss: 500, window_bytes: 2000, bytes: None };
        FlowMetrics::new(flow)
    }

    fn data(offset: u64, delivered: u64) -> TcpFact {
        TcpFact::Data { offset, length: 500, fresh: 500, delivered }
    }

    const TIMEOUT: TcpFact = TcpFact::Timeout { offset: 0, rto: Duration::from_secs(1) };

    #[test]
    fn a_timeout_is_spurious_if_the_original_turns_up() {
        let mut flow = metrics();
        flow.sender_fact(at(1), TIMEOUT, 5);
        flow.arrived(4, 40);
        flow.receiver_fact(data(0, 500));
        assert_eq!(flow.count(Event::SpuriousTimeout), 1);
    }

    #[test]
    fn a_timeout_is_spurious_if_only_the_acknowledgement_is_late() {
        let mut flow = metrics();
        flow.arrived(4, 40);
        flow.receiver_fact(data(0, 500));
        flow.sender_fact(at(1), TIMEOUT, 5);
        assert_eq!(flow.count(Event::SpuriousTimeout), 1);
    }

    #[test]
    fn a_timeout_is_real_if_only_the_retransmission_arrives() {
        let mut flow = metrics();
        flow.sender_fact(at(1), TIMEOUT, 5);
        flow.arrived(5, 40);
        flow.receiver_fact(data(0, 500));
        assert_eq!((flow.count(Event::Timeout), flow.count(Event::SpuriousTimeout)), (1, 0));
    }

    #[test]
    fn segments_count_with_their_headers_once_they_are_in_order() {
        let mut flow = metrics();
        flow.arrived(0, 40);
        flow.receiver_fact(data(500, 0));
        assert_eq!(flow.wire_bytes_delivered, 0);
        flow.receiver_fact(data(0, 1000));
        assert_eq!((flow.wire_bytes_delivered, flow.bytes_delivered), (1080, 1000));
    }

    #[test]
    fn cwnd_is_weighted_by_time_and_capped() {
        let mut flow = metrics();
        flow.sender_fact(at(1), TcpFact::Window { cwnd: 1000, ssthresh: 9 }, 0);
        flow.sender_fact(at(4), TcpFact::Window { cwnd: 9000, ssthresh: 9 }, 0);
        assert_eq!(flow.cwnd_mean_and_max(at(5)), Some((1250.0, 2000)));
    }
}
