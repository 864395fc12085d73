//! A radio leg of one TCP sender a connection.

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Agenda, Time};
use observe::{BoxContext, Context, MiddleboxFact, Observe, RepairReason, TcpFact};
use tcp::{Acknowledgement, Agreement, Config, Departure, Payload, Sender};

use super::sockets::Sockets;
use super::{FlowId, Numbers, RadioLeg, SocketBuffers, Terms};
use crate::due::take_due;
use crate::{
    Address, Admission, Counters, Leg, Load, MiddleboxLimits, RadioReport, Repairs, Reserve,
};

/// A TCP sender for each connection, and between it and the host what a relay over two sockets has:
/// a receive buffer that is moved to a send buffer as there is room. Only full buffers slow a host
/// down.
#[derive(Debug)]
pub struct PerFlow<P> {
    config: Arc<Config>,
    buffers: SocketBuffers,
    /// Where buffers get room to grow.
    admission: Admission,
    lines: Vec<Option<Box<Line<P>>>>,
    agenda: Agenda,
    /// Slots of connections whose time has come, while these are served.
    due: Vec<(Time, u32)>,
    /// Flows that may have something to send.
    ready: VecDeque<FlowId>,
    /// Flows whose right edge is to be announced.
    widened: VecDeque<FlowId>,
    given_up: VecDeque<FlowId>,
    /// By their numbers.
    mobiles: Vec<Mobile>,
    /// The most bytes that were ever held for one.
    held_max: u64,
    repairs: Repairs,
    deadline: Option<Time>,
}

/// What is known of a mobile.
#[derive(Clone, Copy, Debug, Default)]
struct Mobile {
    /// Of all its connections.
    load: Load,
    /// When something last came from it.
    heard_at: Time,
    /// Whether a timer ran out and nothing has come since.
    stalled: bool,
}

/// One connection's.
#[derive(Debug)]
struct Line<P> {
    sender: Sender<P>,
    /// Bytes taken in.
    written: u64,
    /// The right edge that was last announced to the host.
    announced: u64,
    sockets: Sockets,
    /// Payload bytes of a segment that every path takes, while larger ones may vanish.
    small_segment: Option<u32>,
    /// Timeouts since something was acknowledged, and whether a large segment was sent since.
    silent: u32,
    sent_large: bool,
    notes: Notes,
    /// Its part of what is under way to the mobile.
    load: Load,
    /// When it last received something, or began to wait.
    since: Time,
    /// Whether it is in the queue of those that may send.
    ready: bool,
    /// Whether it is in the queue of those whose right edge is to be announced.
    widened: bool,
}

/// What the sender of a connection has reported.
#[derive(Debug)]
struct Notes {
    numbers: Numbers,
    cwnd: u64,
    /// Why it retransmits.
    reason: RepairReason,
}

/// Turns the facts of a TCP sender into those of a box.
struct SenderObserver<'a> {
    notes: &'a mut Notes,
    repairs: &'a mut Repairs,
    watch: &'a mut dyn FnMut(MiddleboxFact),
}

impl Observe for SenderObserver<'_> {
    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        let Numbers { mobile, connection } = self.notes.numbers;
        match fact {
            TcpFact::Sent { offset, transmission, .. } if transmission > 1 => {
                self.repairs.retransmissions += 1;
                let reason = self.notes.reason;
                (self.watch)(MiddleboxFact::Retransmitted { mobile, connection, offset, reason });
            }
            TcpFact::Rtt(sample) => {
                (self.watch)(MiddleboxFact::Rtt { mobile, connection, rtt: sample.rtt });
            }
            TcpFact::Window { cwnd, .. } => self.notes.cwnd = cwnd,
            TcpFact::Timeout { .. } => {
                self.repairs.timeouts += 1;
                self.notes.reason = RepairReason::Timeout;
            }
            TcpFact::FastRetransmit { .. } => self.notes.reason = RepairReason::Duplicates,
            TcpFact::Sent { .. }
            | TcpFact::Acked { .. }
            | TcpFact::Established { .. }
            | TcpFact::BaseRtt { .. }
            | TcpFact::Data { .. }
            | TcpFact::Limited { .. }
            | TcpFact::Closed { .. } => {}
        }
    }
}

impl<P: Payload + Send> PerFlow<P> {
    /// Senders as `config` says, of which the number of segments in flight and the timers count,
    /// and sockets with `buffers`.
    pub fn new(config: &Arc<Config>, buffers: SocketBuffers) -> Self {
        Self {
            config: Arc::clone(config),
            buffers,
            admission: Admission::new(MiddleboxLimits::NONE),
            lines: Vec::new(),
            agenda: Agenda::default(),
            due: Vec::new(),
            ready: VecDeque::new(),
            widened: VecDeque::new(),
            given_up: VecDeque::new(),
            mobiles: Vec::new(),
            held_max: 0,
            repairs: Repairs::default(),
            deadline: None,
        }
    }

    /// Runs `act` on a flow's sender.
    fn on<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        flow: FlowId,
        act: impl FnOnce(&mut Line<P>, &mut Context<'_, SenderObserver<'_>>) -> R,
    ) -> Option<R> {
        let line = self.lines.get_mut(flow.0 as usize)?.as_mut()?;
        let mut notes = Notes { ..line.notes };
        let (repairs, watch) = (&mut self.repairs, &mut *cx.observe);
        let observe = &mut SenderObserver { notes: &mut notes, repairs, watch };
        let result = act(line, &mut Context { now: cx.now, observe });
        line.notes = notes;
        Some(result)
    }

    /// Runs `act` on a flow's sender, and has it looked at again.
    fn with<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        flow: FlowId,
        act: impl FnOnce(&mut Line<P>, &mut Context<'_, SenderObserver<'_>>) -> R,
    ) -> Option<R> {
        let result = self.on(cx, flow, act)?;
        let line = self.lines[flow.0 as usize].as_mut()?;
        if !std::mem::replace(&mut line.ready, true) {
            self.ready.push_back(flow);
        }
        Some(result)
    }

    /// Reports what is under way to the mobile of `flow` if that has changed.
    fn report_backlog(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) {
        let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) else { return };
        let held = line.sender.unacknowledged();
        let in_flight = line.sender.in_flight().min(held);
        let (queued, cwnd) = (held - in_flight, line.notes.cwnd);
        let now = Load { queued, in_flight, cwnd, held, stalled: false };
        let before = std::mem::replace(&mut line.load, now);
        let mobile = line.notes.numbers.mobile;
        self.count_backlog(cx, mobile, &before, &now);
    }

    fn count_backlog(&mut self, cx: &mut BoxContext<'_>, mobile: u32, before: &Load, now: &Load) {
        if before == now {
            return;
        }
        let whole = &mut self.mobiles[mobile as usize].load;
        whole.replace(before, now);
        self.held_max = self.held_max.max(whole.held);
        let Load { queued, in_flight, cwnd, .. } = *whole;
        cx.tell(MiddleboxFact::Backlog { mobile, queued, in_flight, cwnd });
    }

    /// Something came from a mobile.
    fn hear(&mut self, cx: &mut BoxContext<'_>, mobile: u32) {
        let known = &mut self.mobiles[mobile as usize];
        known.heard_at = cx.now;
        if std::mem::replace(&mut known.stalled, false) {
            cx.tell(MiddleboxFact::Recovered { mobile });
        }
    }

    /// The time of a connection has come.
    fn expire(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) {
        let missed = self.repairs.timeouts;
        let hopeless = self.with(cx, flow, |line, cx| {
            line.sender.handle_timeout(cx);
            line.sender.is_hopeless()
        });
        if self.repairs.timeouts > missed {
            self.miss(cx, flow);
            self.suspect_black_hole(cx, flow);
        }
        if hopeless == Some(true) {
            self.given_up.push_back(flow);
        }
    }

    /// The timer of `flow` ran out: the mobile has stalled, unless others have heard of it.
    fn miss(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) {
        let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) else { return };
        let (mobile, since) = (line.notes.numbers.mobile, line.since);
        line.since = cx.now;
        let known = &mut self.mobiles[mobile as usize];
        if known.heard_at <= since && !std::mem::replace(&mut known.stalled, true) {
            cx.tell(MiddleboxFact::Stalled { mobile });
        }
    }

    fn grow(&mut self, now: Time, flow: FlowId) {
        let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) else { return };
        let (delivered, in_flight) = (line.delivered(), line.sender.in_flight());
        line.sockets.grow(now, delivered, in_flight, &self.admission);
    }

    /// The timer of `flow` ran out. After two timeouts in a row of large segments it sends small
    /// ones, as Linux does with `tcp_mtu_probing` (RFC 4821 §7.7).
    fn suspect_black_hole(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) {
        let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) else { return };
        line.silent += 1;
        if line.silent >= 2
            && line.sent_large
            && let Some(small) = line.small_segment.take()
        {
            self.limit_segment(cx, flow, small);
        }
    }

    /// A host that sees a small window is told when it has grown enough: by two segments or half
    /// the buffer, as with any receiver (RFC 9293 §3.8.6.2.2).
    fn note_widening(&mut self, flow: FlowId) {
        let mss = u64::from(self.config.mss);
        let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) else { return };
        let half = line.sockets.receive / 2;
        let wanted = line.announced <= line.written + half;
        let worth = (2 * mss).min(half);
        let wide = line.edge() >= line.announced + worth;
        if wanted && wide && !std::mem::replace(&mut line.widened, true) {
            self.widened.push_back(flow);
        }
    }
}

impl<P: Payload> Line<P> {
    fn delivered(&self) -> u64 {
        self.written - self.sender.unacknowledged()
    }

    fn edge(&self) -> u64 {
        self.sockets.edge(self.written, self.delivered())
    }
}

impl<P: Payload + Send> RadioLeg<P> for PerFlow<P> {
    fn syn_window(&self, _mobile: Address) -> u64 {
        self.buffers.receive().first
    }

    fn reserve(&self, _leg: Leg) -> Reserve {
        Reserve { per_mobile: 0, per_flow: self.buffers.first_bytes() }
    }

    fn draw_from(&mut self, admission: &Admission) {
        self.admission = admission.clone();
    }

    fn open(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, terms: &Terms) {
        let (index, mobile) = (flow.0 as usize, terms.numbers.mobile as usize);
        if self.mobiles.len() <= mobile {
            self.mobiles.resize(mobile + 1, Mobile::default());
        }
        while self.lines.len() <= index {
            self.lines.push(None);
            self.agenda.add();
        }
        let mss = terms.mss.min(self.config.mss);
        let sender_rtt = terms.sender_rtt.unwrap_or(self.config.initial_rto);
        self.lines[index] = Some(Box::new(Line {
            sender: Sender::new(flow.0, &self.config, terms.first),
            written: 0,
            announced: terms.promised,
            sockets: Sockets::new(self.buffers, cx.now, sender_rtt, mss.into()),
            small_segment: terms.small_segment,
            silent: 0,
            sent_large: false,
            notes: Notes { numbers: terms.numbers, cwnd: 0, reason: RepairReason::Duplicates },
            load: Load::default(),
            since: cx.now,
            ready: false,
            widened: false,
        }));
        self.hear(cx, terms.numbers.mobile);
        let agreement = Agreement {
            mss,
            window: terms.window,
            initial_window: self.config.first_window(),
            sack: terms.sack,
            ecn: terms.ecn,
        };
        let rtt = terms.rtt.filter(|_| self.config.times_handshake());
        self.with(cx, flow, |line, cx| {
            if let Some(rtt) = rtt {
                line.sender.know_round_trip(cx.now, rtt);
            }
            line.sender.start(cx, &agreement);
        });
    }

    fn write(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, payload: P) {
        let length = payload.length();
        self.with(cx, flow, |line, _| {
            line.written += length;
            line.sender.write(payload);
        });
        self.note_widening(flow);
        self.report_backlog(cx, flow);
    }

    fn close(&mut self, now: Time, flow: FlowId) {
        let cx = &mut BoxContext { now, observe: &mut |_| {} };
        self.with(cx, flow, |line, _| line.sender.close());
    }

    fn remove(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) -> u64 {
        let line = self.lines.get_mut(flow.0 as usize).and_then(Option::take);
        let Some(line) = line else { return 0 };
        self.count_backlog(cx, line.notes.numbers.mobile, &line.load, &Load::default());
        self.agenda.set(flow.0, None);
        self.admission.take_back(line.sockets.grown());
        line.sender.unacknowledged()
    }

    fn handle_ack(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, ack: &Acknowledgement) {
        let freed = self.with(cx, flow, |line, cx| {
            let before = line.sender.unacknowledged();
            // The box has looked at its number already.
            line.sender.handle_ack(cx, ack);
            let freed = before - line.sender.unacknowledged();
            if freed > 0 {
                line.since = cx.now;
                (line.silent, line.sent_large) = (0, false);
            }
            (freed, line.notes.numbers.mobile)
        });
        let Some((freed, mobile)) = freed else { return };
        self.hear(cx, mobile);
        if freed > 0 {
            self.grow(cx.now, flow);
            self.note_widening(flow);
        }
        self.report_backlog(cx, flow);
    }

    fn limit_segment(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, bytes: u32) {
        self.with(cx, flow, |line, cx| {
            cx.observe.notes.reason = RepairReason::TooLarge;
            line.sender.limit_segment(cx, bytes);
        });
        self.report_backlog(cx, flow);
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        let mut due = std::mem::take(&mut self.due);
        loop {
            let lines = &self.lines;
            let connection = |line: &Line<P>| line.notes.numbers.connection;
            let number = |id| lines[id as usize].as_deref().map_or(0, connection);
            take_due(&mut self.agenda, cx.now, &mut due, number);
            if due.is_empty() {
                break;
            }
            for (_, id) in &due {
                self.expire(cx, FlowId(*id));
            }
        }
        self.due = due;
    }

    /// Takes no notice.
    fn handle_report(&mut self, _: &mut BoxContext<'_>, _: Address, _: RadioReport) {}

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<(FlowId, Departure<P>)> {
        while let Some(&flow) = self.ready.front() {
            // A place that an earlier flow of this number left must not enter the flow once more.
            let departure = self.on(cx, flow, |line, cx| {
                let departure = line.sender.poll_output(cx)?;
                if line.load.in_flight == 0 {
                    line.since = cx.now;
                }
                let bytes = departure.payload.length();
                line.sent_large |= line.small_segment.is_some_and(|small| bytes > small.into());
                Some(departure)
            });
            let departure = departure.flatten();
            if let Some(departure) = departure {
                self.report_backlog(cx, flow);
                return Some((flow, departure));
            }
            self.ready.pop_front();
            if let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) {
                line.ready = false;
                self.agenda.set(flow.0, line.sender.poll_timeout());
            }
        }
        self.deadline = self.agenda.peek();
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadline
    }

    fn right_edge(&mut self, _now: Time, flow: FlowId) -> u64 {
        let mss = u64::from(self.config.mss);
        let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) else { return 0 };
        // RFC 9293 §3.8.6.2.2: by enough to be announced.
        let worth = mss.min(line.sockets.receive / 2);
        let edge = line.edge();
        if edge >= line.announced + worth {
            line.announced = edge;
        }
        line.announced
    }

    fn poll_window_update(&mut self) -> Option<FlowId> {
        let flow = self.widened.pop_front()?;
        if let Some(Some(line)) = self.lines.get_mut(flow.0 as usize) {
            line.widened = false;
        }
        Some(flow)
    }

    fn poll_given_up(&mut self) -> Option<FlowId> {
        self.given_up.pop_front()
    }

    fn acknowledged(&self, flow: FlowId) -> u64 {
        let line = self.lines.get(flow.0 as usize).and_then(Option::as_ref);
        line.map_or(0, |line| line.sender.acknowledged())
    }

    /// Its number may be reused from now on.
    fn forget(&mut self, number: u32, _mobile: Address) {
        if let Some(mobile) = self.mobiles.get_mut(number as usize) {
            *mobile = Mobile::default();
        }
    }

    fn held_bytes(&self, flow: FlowId) -> u64 {
        let line = self.lines.get(flow.0 as usize).and_then(Option::as_ref);
        line.map_or(0, |line| self.mobiles[line.notes.numbers.mobile as usize].load.held)
    }

    fn count(&self, counters: &mut Counters) {
        counters.held_bytes += self.mobiles.iter().map(|mobile| mobile.load.held).sum::<u64>();
        counters.held_max = counters.held_max.max(self.held_max);
        counters.add(self.repairs);
    }
}

#[cfg(test)]
mod tests {
    use base::Seq;
    use bytes::Bytes;
    use tcp::EcnFeedback;

    use super::*;
    use crate::Connection;

    /// A flow that ends while it has something to send leaves its number, and its place in the
    /// queue, to the next.
    #[test]
    fn a_number_used_again_is_looked_at_once() {
        let mobile = Address { leg: Leg::Radio, host: 1 };
        let source = Address { leg: Leg::Wired, host: 1 };
        let terms = Terms {
            mobile,
            connection: Connection {
                source,
                destination: mobile,
                source_port: 80,
                destination_port: 5_000,
            },
            dscp: 0,
            first: Seq::new(7),
            mss: 1_000,
            small_segment: None,
            window: 60_000,
            scale: 0,
            sack: true,
            ecn: EcnFeedback::Off,
            promised: 60_000,
            numbers: Numbers { mobile: 0, connection: 0 },
            rtt: None,
            sender_rtt: None,
        };
        let buffers = SocketBuffers::fixed(80_000, 20_000);
        let mut leg = PerFlow::<Bytes>::new(&Arc::new(Config::plain()), buffers);
        let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
        let flow = FlowId(0);
        for _ in 0..3 {
            leg.open(cx, flow, &terms);
            leg.write(cx, flow, Bytes::from_static(b"first"));
            leg.remove(cx, flow);
        }
        leg.open(cx, flow, &terms);
        leg.write(cx, flow, Bytes::from_static(b"last"));
        let departures: Vec<_> = std::iter::from_fn(|| leg.poll_output(cx)).collect();
        let payloads: Vec<_> = departures.iter().map(|(_, it)| it.payload.as_ref()).collect();
        assert_eq!(payloads, [b"last"]);
        assert!(leg.ready.is_empty());
    }
}
