//! What is measured of one flow.

use std::collections::VecDeque;

use base::{Duration, Time, UdpDatagram, words};
use observe::{Closing, EchoFact, PageFact, RttSample, SendLimit, TcpFact};
use world::Application;

use crate::connection::ConnectionProgress;
use crate::crossing::Crossing;
use crate::cwnd::{CwndRow, Windows};
use crate::datagrams::{DatagramRow, Datagrams};
use crate::limits::{LimitedBySummary, TimeLimited};
use crate::series::{Keep, Series};
use crate::statistics::{Distribution, Totals};

/// A flow to be measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flow {
    /// Its number in the scenario, from 0.
    pub number: usize,
    /// Machine number of the sender's endpoint.
    pub sender: u32,
    /// Machine number of the receiver's endpoint.
    pub receiver: u32,
    /// The name of its TCP variant; of a UDP flow that of UDP.
    pub variant: String,
    /// Bytes of payload in a segment.
    pub mss: u32,
    /// The most that is allowed in flight, in bytes.
    pub window_bytes: u64,
    /// Bytes to transfer; `None` without end.
    pub bytes: Option<u64>,
    /// The name of its group.
    pub group: String,
    /// Its application.
    pub application: Application,
}

/// What happened, and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timed<T> {
    /// When.
    pub time: Time,
    /// What.
    pub fact: T,
}

words! {
    /// What can happen to a flow.
    pub enum Event {
        /// The sender's handshake is done.
        Established = "established",
        /// The retransmission timer fired before that: the SYN, or the answer to it, is sent again.
        HandshakeTimeout = "handshake_timeout",
        /// The retransmission timer fired, and the segment had been lost.
        Timeout = "timeout",
        /// The retransmission timer fired, but the segment had arrived or was still to arrive.
        SpuriousTimeout = "spurious_timeout",
        /// A segment was sent again on duplicate acknowledgements.
        FastRetransmit = "fast_retransmit",
        /// The last byte was acknowledged.
        Completed = "completed",
        /// The connection ended before that: given up, or reset.
        GivenUp = "given_up",
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

/// A packet at the receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reached<'a> {
    pub(crate) uid: u64,
    pub(crate) header_bytes: u32,
    pub(crate) payload: u32,
    pub(crate) departed: Option<Time>,
    /// The UDP datagram, where it is one.
    pub(crate) udp: Option<&'a UdpDatagram>,
}

/// The running measurements of one flow. Series are in order of time.
#[derive(Debug)]
pub struct FlowMetrics {
    /// The flow.
    pub flow: Flow,
    /// Round-trip times, as acknowledgements came.
    pub rtt: Series<Timed<RttSample>>,
    /// What is known of all of them.
    rtt_totals: Totals,
    /// Windows.
    cwnd: Windows,
    /// Its controller's estimate of the round-trip time without queues, after each change, if it
    /// has one.
    pub base_rtt: Vec<Timed<Duration>>,
    /// Events.
    pub events: Vec<EventRow>,
    /// Pages, as the last byte of each came.
    pub pages: Vec<Timed<PageFact>>,
    /// Echoes of what was typed, as they were whole.
    pub echoes: Vec<Timed<EchoFact>>,
    /// One-way delay of each probe, from its first transmission until it and all before it had
    /// arrived.
    pub probes: Vec<Timed<Duration>>,
    pub(crate) datagrams: Datagrams,
    pub(crate) started: Option<Time>,
    pub(crate) established: Option<Time>,
    pub(crate) completed: Option<Time>,
    pub(crate) given_up: Option<Time>,
    /// When the receiver's application had the last byte.
    pub(crate) received: Option<Time>,
    pub(crate) segments_sent: u64,
    pub(crate) retransmits: u64,
    pub(crate) bytes_acked: u64,
    pub(crate) bytes_delivered: u64,
    /// Bytes of the segments accepted in order, with their TCP and IP headers.
    pub(crate) wire_bytes_delivered: u64,
    /// Its data packets on their way through the network.
    pub(crate) crossing: Crossing,
    /// For how long what has kept its senders from sending more, in spans that are over.
    limited: TimeLimited,
    /// Congestion windows of the connections that are open.
    window: u64,
    /// The progress of each of its connections.
    connections: Vec<ConnectionProgress>,
    /// Probes on their way: the offset after each, and when it was first sent.
    under_way: VecDeque<(u64, Time)>,
}

impl FlowMetrics {
    pub(crate) fn new(flow: Flow, keep: Keep) -> Self {
        Self {
            connections: vec![ConnectionProgress::new(flow.bytes)],
            datagrams: Datagrams::new(keep, flow.application),
            flow,
            rtt: Series::new(keep),
            rtt_totals: Totals::default(),
            cwnd: Windows::new(keep),
            base_rtt: Vec::new(),
            events: Vec::new(),
            pages: Vec::new(),
            echoes: Vec::new(),
            probes: Vec::new(),
            started: None,
            established: None,
            completed: None,
            given_up: None,
            received: None,
            segments_sent: 0,
            retransmits: 0,
            bytes_acked: 0,
            bytes_delivered: 0,
            wire_bytes_delivered: 0,
            crossing: Crossing::default(),
            limited: TimeLimited::default(),
            window: 0,
            under_way: VecDeque::new(),
        }
    }

    /// Its windows.
    pub fn cwnd(&self) -> &[CwndRow] {
        self.cwnd.series.rows()
    }

    /// The distribution of its round-trip times.
    pub(crate) const fn rtt_totals(&self) -> Totals {
        self.rtt_totals
    }

    /// End of its transfer at both ends, or the `end` of the run: a middlebox may acknowledge
    /// what the receiver does not have yet.
    pub(crate) fn last(&self, end: Time) -> Time {
        if self.flow.application.has_datagrams() {
            return self.crossing.last.unwrap_or(end);
        }
        self.completed.map_or(end, |completed| completed.max(self.received.unwrap_or(end)))
    }

    /// Payload delivered over the time from its first packet until it was over.
    pub(crate) fn goodput_bps(&self, end: Time) -> Option<f64> {
        let seconds = self.last(end).saturating_since(self.started?).as_secs_f64();
        (seconds > 0.0).then(|| self.bytes_delivered as f64 * 8.0 / seconds)
    }

    pub(crate) fn rtt_distribution(&self) -> Distribution {
        let sample = self.rtt.sample().iter().map(|row| row.fact.rtt);
        Distribution::of_share(self.rtt_totals, sample)
    }

    /// Its UDP datagrams, in the order in which they were sent.
    pub fn datagrams(&self) -> &[DatagramRow] {
        self.datagrams.rows.rows()
    }

    /// A packet left the sender, which may be a UDP datagram.
    pub(crate) fn departed(&mut self, now: Time, datagram: Option<&UdpDatagram>) {
        self.started.get_or_insert(now);
        if let Some(datagram) = datagram {
            self.datagrams.sent(now, datagram.payload);
        }
    }

    /// One more connection, which is to carry so many bytes; says its number.
    pub(crate) fn open(&mut self, bytes: u64) -> usize {
        self.connections.push(ConnectionProgress::new(Some(bytes)));
        self.connections.len() - 1
    }

    /// A packet reached the receiver of a connection.
    #[inline(never)]
    pub(crate) fn arrived(&mut self, now: Time, connection: usize, packet: &Reached<'_>) {
        if packet.payload > 0 {
            self.crossing.arrived(now, packet.departed, packet.payload);
        }
        match packet.udp {
            None => self.connections[connection].arrived(packet.uid, packet.header_bytes),
            Some(datagram) if self.datagrams.arrived(now, packet.departed, datagram.number) => {
                self.wire_bytes_delivered += u64::from(packet.header_bytes + packet.payload);
                self.delivered(now, packet.payload.into());
            }
            Some(_) => {}
        }
    }

    /// So many bytes more have been delivered.
    fn delivered(&mut self, now: Time, bytes: u64) {
        self.bytes_delivered += bytes;
        if self.received.is_none()
            && self.flow.bytes.is_some_and(|bytes| self.bytes_delivered >= bytes)
        {
            self.received = Some(now);
        }
    }

    pub(crate) fn count(&self, event: Event) -> u64 {
        self.events.iter().filter(|row| row.event == event).count() as u64
    }

    /// A fact of the sender's endpoint of a connection; `next_uid` is the next packet's number.
    #[expect(clippy::inline_always, reason = "where it is called, all but one kind compile away")]
    #[inline(always)]
    pub(crate) fn sender_fact(
        &mut self,
        now: Time,
        connection: usize,
        fact: TcpFact,
        next_uid: u64,
    ) {
        match fact {
            TcpFact::Established { .. } => {
                self.established.get_or_insert(now);
                self.connections[connection].established = true;
                self.event(now, Event::Established, 0);
            }
            TcpFact::Sent { offset, length, transmission } => {
                self.segments_sent += 1;
                self.retransmits += u64::from(transmission > 1);
                if transmission == 1 && self.flow.application == Application::Probes {
                    self.under_way.push_back((offset + u64::from(length), now));
                }
            }
            TcpFact::Acked { offset } => self.acked(now, connection, offset),
            TcpFact::Rtt(sample) => {
                self.rtt_totals.add(sample.rtt);
                self.rtt.push(Timed { time: now, fact: sample });
            }
            TcpFact::BaseRtt { rtt } => self.base_rtt.push(Timed { time: now, fact: rtt }),
            TcpFact::Window { cwnd, ssthresh } => self.window(now, connection, cwnd, ssthresh),
            TcpFact::Timeout { offset, .. } => self.timed_out(now, connection, offset, next_uid),
            TcpFact::FastRetransmit { offset } => self.event(now, Event::FastRetransmit, offset),
            TcpFact::Limited { by } => self.limited(now, connection, by),
            TcpFact::Closed { how } => self.closed(now, connection, how),
            TcpFact::Data { .. } => {}
        }
    }

    /// A fact of the receiver's endpoint of a connection.
    #[inline]
    pub(crate) fn receiver_fact(&mut self, now: Time, connection: usize, fact: TcpFact) {
        if let TcpFact::Data { offset, length, fresh, delivered } = fact {
            self.data(now, connection, offset, length, fresh, delivered);
        }
    }

    /// A segment of `length` bytes from `offset` on brought `fresh` ones; everything below
    /// `delivered` is there now.
    fn data(
        &mut self,
        now: Time,
        connection: usize,
        offset: u64,
        length: u32,
        fresh: u32,
        delivered: u64,
    ) {
        let progress = &mut self.connections[connection];
        if !progress.undecided.is_empty() {
            progress.decide(offset, offset + u64::from(length), &mut self.events);
        }
        let more = delivered - progress.delivered;
        self.wire_bytes_delivered += progress.deliver(offset, fresh, delivered);
        self.delivered(now, more);
        while let Some(&(end, sent)) = self.under_way.front()
            && end <= delivered
        {
            self.under_way.pop_front();
            self.probes.push(Timed { time: now, fact: now.saturating_since(sent) });
        }
    }

    fn event(&mut self, time: Time, event: Event, offset: u64) {
        self.events.push(EventRow { time, event, offset });
    }

    fn acked(&mut self, now: Time, connection: usize, offset: u64) {
        let progress = &mut self.connections[connection];
        self.bytes_acked += offset - progress.acked;
        progress.acked = offset;
        if progress.is_whole() {
            progress.limit.change(now, None, &mut self.limited);
        }
        if self.flow.bytes.is_some_and(|bytes| self.bytes_acked >= bytes) {
            self.complete(now);
        }
    }

    fn limited(&mut self, now: Time, connection: usize, by: SendLimit) {
        let progress = &mut self.connections[connection];
        let next = (!progress.is_whole()).then_some(by);
        progress.limit.change(now, next, &mut self.limited);
    }

    /// What kept its senders from sending more, up to `end`.
    pub(crate) fn limited_by(&self, end: Time) -> Option<LimitedBySummary> {
        let mut limited = self.limited;
        self.connections.iter().for_each(|each| limited.add(each.limit, end));
        limited.shares()
    }

    fn complete(&mut self, now: Time) {
        if self.completed.is_none() {
            self.completed = Some(now);
            self.event(now, Event::Completed, self.bytes_acked);
        }
    }

    fn window(&mut self, now: Time, connection: usize, cwnd: u64, ssthresh: u64) {
        let progress = &mut self.connections[connection];
        let of_one = cwnd.min(self.flow.window_bytes);
        self.window = self.window - progress.window + of_one;
        progress.window = of_one;
        self.cwnd.set(CwndRow { time: now, cwnd: self.window, ssthresh });
    }

    /// A connection is over: given up, unless everything has arrived or its ends stopped.
    fn closed(&mut self, now: Time, connection: usize, how: Closing) {
        let progress = &mut self.connections[connection];
        self.window -= std::mem::take(&mut progress.window);
        progress.limit.change(now, None, &mut self.limited);
        if !progress.is_whole() {
            if how == Closing::Aborted {
                self.given_up = Some(now);
                self.event(now, Event::GivenUp, self.bytes_acked);
            }
        } else if self.flow.bytes == Some(0) {
            self.complete(now);
        }
    }

    fn timed_out(&mut self, now: Time, connection: usize, offset: u64, next_uid: u64) {
        let row = self.events.len();
        let progress = &mut self.connections[connection];
        if !progress.established {
            return self.event(now, Event::HandshakeTimeout, offset);
        }
        self.event(now, Event::Timeout, offset);
        let progress = &mut self.connections[connection];
        if offset < progress.delivered {
            self.events[row].event = Event::SpuriousTimeout;
            return;
        }
        progress.doubt(offset, next_uid, row);
    }

    /// Time-weighted mean and maximum of the congestion window, in bytes, up to `end`.
    pub(crate) fn cwnd_mean_and_max(&self, end: Time) -> Option<(f64, u64)> {
        self.cwnd.mean_and_max(end)
    }
}

#[cfg(test)]
mod tests {
    use base::Seq;

    use super::*;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    fn metrics() -> FlowMetrics {
        let variant = "reno".to_owned();
        let flow = Flow {
            number: 0,
            sender: 0,
            receiver: 1,
            variant,
            mss: 500,
            window_bytes: 2000,
            bytes: None,
            group: "flow".to_owned(),
            application: Application::File,
        };
        FlowMetrics::new(flow, Keep::Sample)
    }

    fn arrive(flow: &mut FlowMetrics, uid: u64) {
        let (header_bytes, payload) = (40, 500);
        let packet = Reached { uid, header_bytes, payload, departed: None, udp: None };
        flow.arrived(at(9), 0, &packet);
    }

    fn data(offset: u64, delivered: u64) -> TcpFact {
        TcpFact::Data { offset, length: 500, fresh: 500, delivered }
    }

    /// A flow whose handshake is done.
    fn open() -> FlowMetrics {
        let mut flow = metrics();
        flow.sender_fact(at(0), 0, ESTABLISHED, 3);
        flow
    }

    #[test]
    fn a_timeout_of_the_handshake_counts_apart() {
        let mut flow = metrics();
        flow.sender_fact(at(1), 0, TIMEOUT, 5);
        flow.sender_fact(at(2), 0, ESTABLISHED, 6);
        flow.sender_fact(at(3), 0, TIMEOUT, 7);
        assert_eq!((flow.count(Event::HandshakeTimeout), flow.count(Event::Timeout)), (1, 1));
    }

    const ESTABLISHED: TcpFact = TcpFact::Established { local_isn: Seq::new(0) };

    const TIMEOUT: TcpFact = TcpFact::Timeout { offset: 0, rto: Duration::from_secs(1) };

    #[test]
    fn a_timeout_is_spurious_if_the_original_turns_up() {
        let mut flow = open();
        flow.sender_fact(at(1), 0, TIMEOUT, 5);
        arrive(&mut flow, 4);
        flow.receiver_fact(at(9), 0, data(0, 500));
        assert_eq!(flow.count(Event::SpuriousTimeout), 1);
    }

    #[test]
    fn a_timeout_is_spurious_if_only_the_acknowledgement_is_late() {
        let mut flow = open();
        arrive(&mut flow, 4);
        flow.receiver_fact(at(9), 0, data(0, 500));
        flow.sender_fact(at(1), 0, TIMEOUT, 5);
        assert_eq!(flow.count(Event::SpuriousTimeout), 1);
    }

    #[test]
    fn a_timeout_is_real_if_only_the_retransmission_arrives() {
        let mut flow = open();
        flow.sender_fact(at(1), 0, TIMEOUT, 5);
        arrive(&mut flow, 5);
        flow.receiver_fact(at(9), 0, data(0, 500));
        assert_eq!((flow.count(Event::Timeout), flow.count(Event::SpuriousTimeout)), (1, 0));
    }

    #[test]
    fn segments_count_with_their_headers_once_they_are_in_order() {
        let mut flow = metrics();
        arrive(&mut flow, 0);
        flow.receiver_fact(at(9), 0, data(500, 0));
        assert_eq!(flow.wire_bytes_delivered, 0);
        flow.receiver_fact(at(9), 0, data(0, 1000));
        assert_eq!((flow.wire_bytes_delivered, flow.bytes_delivered), (1080, 1000));
    }

    #[test]
    fn cwnd_is_weighted_by_time_and_capped() {
        let mut flow = metrics();
        flow.sender_fact(at(1), 0, TcpFact::Window { cwnd: 1000, ssthresh: 9 }, 0);
        flow.sender_fact(at(4), 0, TcpFact::Window { cwnd: 9000, ssthresh: 9 }, 0);
        assert_eq!(flow.cwnd_mean_and_max(at(5)), Some((1250.0, 2000)));
    }
}
