//! Senders that always have something, a box, a radio with a rate and a queue, and mobiles.

use std::collections::{BTreeMap, BTreeSet};

use base::{Duration, Seq, Time};
use observe::{BoxContext, Context, MiddleboxFact};
use tcp::{
    AckDue, Acknowledgement, Arrival, Departure, EcnFeedback, Length, Payload, Receiver, Reports,
};

use super::sources::{Offered, Source};
use crate::atcp::aggregate::Aggregate;
use crate::atcp::{Atcp, AtcpConfig};
use crate::{Address, Connection, FlowId, Leg, Numbers, RadioLeg, Terms};

pub(super) const MSS: u64 = 1_348;

/// A flow that is to be.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) port: u16,
    /// Bytes that its sender has; after them it closes.
    pub(super) bytes: u64,
    /// Between the sender and the box, one way.
    pub(super) wire: Duration,
    pub(super) sack: bool,
    pub(super) delayed_ack: Option<Duration>,
    /// The mobile's buffer in bytes.
    pub(super) buffer: u64,
    /// The shift of the sender's windows.
    pub(super) scale: u8,
    /// How long a sender waits for room for a full segment before it sends less.
    pub(super) persist: Duration,
}

impl Plan {
    pub(super) fn of(bytes: u64) -> Self {
        Self {
            port: 80,
            bytes,
            wire: Duration::from_millis(20),
            sack: true,
            delayed_ack: Some(Duration::from_millis(200)),
            buffer: 65_535,
            scale: 0,
            persist: Duration::from_secs(1),
        }
    }
}

pub(super) enum Event {
    /// A segment reaches the mobile.
    Down(u32, Departure<Length>),
    /// An acknowledgement reaches the box.
    Up(u32, Acknowledgement),
    /// Bytes reach the box.
    Written(u32, u64),
    /// The sender hears of its right edge.
    Edge(u32, u64),
    /// A mobile's delayed acknowledgement.
    Delayed(u32),
    /// A sender has waited for long, if it has not sent more than this.
    Persist(u32, u64),
    /// A source sends a packet that the box does not read.
    Offered(u32),
    /// An answer to an echo request reaches the box.
    Echo(u32),
}

struct Ends {
    plan: Plan,
    first: Seq,
    receiver: Receiver<Length>,
    /// The sender's: what it sent, and may send.
    sent: u64,
    edge: u64,
    arrived: u64,
    /// Where the segments began that reached the mobile.
    came: BTreeSet<u64>,
    /// Bytes that the mobile read.
    pub(super) read: u64,
    pauses: bool,
    silent: bool,
}

/// The radio.
pub(super) struct Radio {
    pub(super) rate: u64,
    pub(super) delay: Duration,
    pub(super) uplink_rate: u64,
    pub(super) uplink_delay: Duration,
    /// Nothing passes either way; packets wait, or are lost.
    pub(super) outage: Option<(Time, Time)>,
    pub(super) flushed: bool,
    /// Data segments that are lost, counted from 0.
    pub(super) lost: BTreeSet<u64>,
    free_at: Time,
    uplink_free_at: Time,
    segments: u64,
    /// How long it had nothing to send although the box had.
    pub(super) idle: Duration,
}

/// All of it.
pub(super) struct Pipe {
    pub(super) leg: Atcp<Length>,
    pub(super) now: Time,
    pub(super) radio: Radio,
    pub(super) facts: Vec<(Time, MiddleboxFact)>,
    /// What the box sent over the radio: when, of which flow, offset, bytes.
    pub(super) sent: Vec<(Time, u32, u64, u64)>,
    /// Segments that reached a mobile that had them.
    pub(super) in_vain: u64,
    /// Zero windows advertised, outside stalls and in them.
    pub(super) zero_windows: Vec<Time>,
    /// True if the mobile answers echo requests, and how many there were.
    pub(super) answers: bool,
    pub(super) echoes: u64,
    pub(super) sources: Vec<Source>,
    /// Packets that the box does not read, by their numbers.
    pub(super) offered: Vec<Offered>,
    ends: Vec<Option<Ends>>,
    events: BTreeMap<(Time, u64), Event>,
    serial: u64,
    /// ∫ queued dt in byte·s, since `measured_from`.
    area: f64,
    measured_from: Time,
    pub(super) committed_max: u64,
}

impl Pipe {
    pub(super) fn new(config: AtcpConfig) -> Self {
        Self {
            leg: Atcp::new(config),
            now: Time::ZERO,
            radio: Radio {
                rate: 4_150,
                delay: Duration::from_millis(800),
                uplink_rate: 1_400,
                uplink_delay: Duration::from_millis(600),
                outage: None,
                flushed: false,
                lost: BTreeSet::new(),
                free_at: Time::ZERO,
                uplink_free_at: Time::ZERO,
                segments: 0,
                idle: Duration::ZERO,
            },
            facts: Vec::new(),
            sent: Vec::new(),
            in_vain: 0,
            zero_windows: Vec::new(),
            ends: Vec::new(),
            events: BTreeMap::new(),
            serial: 0,
            area: 0.0,
            measured_from: Time::ZERO,
            committed_max: 0,
            answers: true,
            echoes: 0,
            sources: Vec::new(),
            offered: Vec::new(),
        }
    }

    pub(super) fn open(&mut self, plan: Plan) -> u32 {
        let id = self.ends.len() as u32;
        let first = Seq::new(u32::MAX - 5_000);
        let mut receiver = Receiver::new(id, MSS as u32, plan.buffer, plan.delayed_ack);
        receiver.start(first);
        if plan.sack {
            receiver.agree_on_sack(Reports::BlocksAndDuplicates);
        }
        let mobile = Address { leg: Leg::Radio, host: 9 };
        let terms = Terms {
            mobile,
            connection: Connection {
                source: Address { leg: Leg::Wired, host: 1 },
                destination: mobile,
                source_port: plan.port,
                destination_port: 10_000 + id as u16,
            },
            dscp: 0,
            first,
            mss: MSS as u32,
            small_segment: None,
            window: plan.buffer,
            scale: plan.scale,
            sack: plan.sack,
            ecn: EcnFeedback::Off,
            promised: self.leg.syn_window(mobile),
            numbers: Numbers { mobile: 0, connection: id },
            rtt: Some(Duration::from_millis(1_450)),
            sender_rtt: None,
        };
        self.call(|leg, cx| leg.open(cx, FlowId(id), &terms));
        self.ends.push(Some(Ends {
            plan,
            first,
            receiver,
            sent: 0,
            edge: terms.promised,
            arrived: 0,
            came: BTreeSet::new(),
            read: 0,
            pauses: false,
            silent: false,
        }));
        self.advertise(id);
        self.settle();
        id
    }

    /// Arrival at the mobile of a packet that is sent now.
    pub(super) fn carry(&mut self, bytes: u64) -> Option<Time> {
        let start = self.radio.start(self.now, self.radio.free_at)?;
        self.radio.free_at = start + Duration::from_nanos(bytes * 1_000_000_000 / self.radio.rate);
        Some(self.radio.free_at + self.radio.delay)
    }

    /// Calls the box, and notes the facts that it reports.
    pub(super) fn call<R>(
        &mut self,
        act: impl FnOnce(&mut Atcp<Length>, &mut BoxContext<'_>) -> R,
    ) -> R {
        let Self { leg, now, facts, .. } = self;
        let now = *now;
        act(leg, &mut BoxContext { now, observe: &mut |fact| facts.push((now, fact)) })
    }

    /// The connection is reset.
    pub(super) fn remove(&mut self, id: u32) -> u64 {
        self.ends[id as usize] = None;
        let held = self.call(|leg, cx| leg.remove(cx, FlowId(id)));
        self.settle();
        held
    }

    /// The mobile forgets the connection, and says nothing.
    pub(super) fn silence(&mut self, id: u32) {
        self.ends[id as usize].as_mut().expect("it is open").silent = true;
    }

    pub(super) fn pause(&mut self, id: u32, pauses: bool) {
        let ends = self.ends[id as usize].as_mut().expect("it is open");
        ends.pauses = pauses;
        self.acknowledge(id);
        self.settle();
    }

    /// `bytes` come from the sender now, whatever its window.
    pub(super) fn write(&mut self, id: u32, bytes: u64) {
        self.written(id, bytes);
        self.settle();
    }

    pub(super) fn read(&self, id: u32) -> u64 {
        self.ends[id as usize].as_ref().map_or(0, |ends| ends.read)
    }

    /// The mean of what was queued since [`Pipe::measure`].
    pub(super) fn mean_queue(&self) -> f64 {
        self.area / (self.now - self.measured_from).as_secs_f64()
    }

    pub(super) fn measure(&mut self) {
        (self.area, self.measured_from) = (0.0, self.now);
        self.radio.idle = Duration::ZERO;
    }

    pub(super) fn queued(&self) -> u64 {
        self.leg.aggregates.iter().map(|aggregate| aggregate.totals.queued).sum()
    }

    pub(super) fn in_flight(&self) -> u64 {
        self.leg.aggregates.iter().map(Aggregate::in_flight).sum()
    }

    pub(super) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        while let Some(next) = self.next().filter(|&next| next <= end) {
            self.step(next);
        }
        self.pass(end);
    }

    /// Until all that was planned has been read.
    pub(super) fn finish(&mut self, limit: Duration) -> Time {
        let end = self.now + limit;
        while !self.is_done() {
            let next = self.next().expect("something is to come");
            assert!(next <= end, "not done at {next:?}");
            self.step(next);
        }
        self.now
    }

    fn is_done(&self) -> bool {
        self.ends.iter().flatten().all(|ends| ends.receiver.is_finished())
    }

    fn next(&self) -> Option<Time> {
        let event = self.events.keys().next().map(|&(time, _)| time);
        [event, self.leg.poll_timeout()].into_iter().flatten().min()
    }

    /// Time passes.
    fn pass(&mut self, now: Time) {
        let queued = self.queued();
        self.area += queued as f64 * (now - self.now).as_secs_f64();
        if queued > 0 && self.radio.free_at < now {
            self.radio.idle += now - self.now.max(self.radio.free_at);
        }
        self.now = now;
    }

    fn step(&mut self, next: Time) {
        let now = next.max(self.now);
        self.pass(now);
        while let Some(entry) = self.events.first_entry().filter(|entry| entry.key().0 <= now) {
            match entry.remove() {
                Event::Down(id, departure) => self.down(id, &departure),
                Event::Up(id, acknowledgement) => {
                    if self.ends[id as usize].is_some() {
                        self.call(|leg, cx| {
                            leg.handle_ack(cx, FlowId(id), &acknowledgement);
                        });
                    }
                }
                Event::Written(id, bytes) => self.written(id, bytes),
                Event::Edge(id, edge) => {
                    if let Some(ends) = &mut self.ends[id as usize] {
                        ends.edge = ends.edge.max(edge);
                        if ends.sent < ends.plan.bytes && ends.sent == ends.arrived {
                            let (at, sent) = (self.now + ends.plan.persist, ends.sent);
                            self.post(at, Event::Persist(id, sent));
                        }
                    }
                }
                Event::Persist(id, sent) => {
                    if let Some(ends) = &mut self.ends[id as usize]
                        && ends.sent == sent
                    {
                        let length = MSS.min(ends.plan.bytes - sent).min(ends.edge - sent);
                        self.send(id, length);
                    }
                }
                Event::Offered(number) => self.offered(number),
                Event::Echo(number) => {
                    let mobile = Address { leg: Leg::Radio, host: 9 };
                    self.call(|leg, cx| leg.handle_echo(cx, mobile, number));
                }
                Event::Delayed(id) => {
                    if let Some(ends) = &mut self.ends[id as usize] {
                        ends.receiver.handle_timeout(now);
                    }
                    self.acknowledge(id);
                }
            }
        }
        if self.leg.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.call(|leg, cx| leg.handle_timeout(cx));
        }
        self.settle();
    }

    fn settle(&mut self) {
        for id in 0..self.ends.len() as u32 {
            self.supply(id);
        }
        loop {
            let output = self.call(Atcp::poll_output);
            self.released();
            let Some((FlowId(id), departure)) = output else { break };
            self.transmit(id, departure);
        }
        while let Some(FlowId(id)) = self.leg.poll_window_update() {
            self.advertise(id);
        }
        let committed = self.leg.aggregates.iter().map(|aggregate| aggregate.totals.committed());
        self.committed_max = self.committed_max.max(committed.sum());
    }

    /// The sender sends full segments as its window allows (or what is left).
    fn supply(&mut self, id: u32) {
        while let Some(ends) = &mut self.ends[id as usize] {
            let length = MSS.min(ends.plan.bytes - ends.sent);
            if length == 0 || ends.sent + length > ends.edge {
                return;
            }
            self.send(id, length);
        }
    }

    fn send(&mut self, id: u32, length: u64) {
        let Some(ends) = self.ends[id as usize].as_mut().filter(|_| length > 0) else { return };
        ends.sent += length;
        let at = self.now + ends.plan.wire;
        self.post(at, Event::Written(id, length));
    }

    fn written(&mut self, id: u32, bytes: u64) {
        let Some(ends) = &mut self.ends[id as usize] else { return };
        ends.arrived += bytes;
        let done = ends.arrived == ends.plan.bytes;
        self.call(|leg, cx| leg.write(cx, FlowId(id), Length(bytes)));
        if done {
            self.leg.close(self.now, FlowId(id));
        }
        self.advertise(id);
    }

    /// The box acknowledges to the sender.
    fn advertise(&mut self, id: u32) {
        let edge = self.leg.right_edge(self.now, FlowId(id));
        let Some(ends) = &mut self.ends[id as usize] else { return };
        assert!(edge >= ends.edge, "an edge moved back");
        let closed = (edge - ends.arrived) >> ends.plan.scale == 0;
        if closed && ends.arrived < ends.plan.bytes {
            self.zero_windows.push(self.now);
        }
        let at = self.now + ends.plan.wire;
        self.post(at, Event::Edge(id, edge));
    }

    fn transmit(&mut self, id: u32, departure: Departure<Length>) {
        let bytes = departure.payload.length();
        let Some(ends) = &self.ends[id as usize] else { return };
        let offset = u64::from(departure.seq - ends.first);
        self.sent.push((self.now, id, offset, bytes));
        let ordinal = self.radio.segments;
        self.radio.segments += 1;
        let Some(at) = self.carry(bytes + 40) else { return };
        if !self.radio.lost.contains(&ordinal) {
            self.post(at, Event::Down(id, departure));
        }
    }

    fn down(&mut self, id: u32, departure: &Departure<Length>) {
        let Some(ends) = self.ends[id as usize].as_mut().filter(|ends| !ends.silent) else {
            return;
        };
        let fin = departure.flags.contains(base::Flags::FIN);
        let Departure { seq, payload, ecn, .. } = *departure;
        let arrival = Arrival { seq, payload, fin, ecn, cwr: false };
        self.in_vain += u64::from(!ends.came.insert((seq - ends.first).into()));
        ends.receiver.handle_data(&mut Context { now: self.now, observe: &mut () }, &arrival);
        self.acknowledge(id);
    }

    fn acknowledge(&mut self, id: u32) {
        let now = self.now;
        let Some(ends) = &mut self.ends[id as usize] else { return };
        while !ends.pauses
            && let Some(piece) = ends.receiver.read()
        {
            ends.read += piece.length();
        }
        match ends.receiver.ack_due() {
            AckDue::No => {}
            AckDue::At(at) => self.post(at, Event::Delayed(id)),
            AckDue::Now | AckDue::Alone => {
                let sack = ends.receiver.blocks();
                let (ack, window) = ends.receiver.acknowledge();
                let window = u64::from(window);
                let acknowledgement =
                    Acknowledgement { ack, window, pure: true, sack, ..Acknowledgement::default() };
                let Some(start) = self.radio.start(now, self.radio.uplink_free_at) else { return };
                let nanos = 40 * 1_000_000_000 / self.radio.uplink_rate;
                self.radio.uplink_free_at = start + Duration::from_nanos(nanos);
                let at = self.radio.uplink_free_at + self.radio.uplink_delay;
                self.post(at, Event::Up(id, acknowledgement));
            }
        }
    }

    pub(super) fn post(&mut self, at: Time, event: Event) {
        self.serial += 1;
        self.events.insert((at, self.serial), event);
    }
}

impl Radio {
    /// When a packet that comes now begins to be sent; `None` if an outage swallows it.
    fn start(&self, now: Time, free_at: Time) -> Option<Time> {
        let start = now.max(free_at);
        match self.outage {
            Some((from, to)) if start >= from && start < to => (!self.flushed).then_some(to),
            _ => Some(start),
        }
    }
}
