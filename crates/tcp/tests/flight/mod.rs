//! A sender and a receiver over a path that loses segments, those sent again more often, and brings
//! some late; and a book of what is under way, kept by what leaves and what comes back alone.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use base::{Duration, SackBlocks, Seq, Stream, Time};
use observe::{Context, Observe, RttSample, TcpFact};
use proptest::prelude::*;
use tcp::{
    Acknowledgement, Agreement, Arrival, Config, Departure, EcnFeedback, Length, Payload, Receiver,
    Reports, Sender,
};

/// One way.
const DELAY: Duration = Duration::from_millis(50);

/// The most that a segment comes late.
const LATENESS: u32 = 40;

/// No round trip takes less time.
pub(crate) const SHORTEST: Duration = Duration::from_millis(100);

/// No round trip takes longer.
pub(crate) const LONGEST: Duration = Duration::from_millis(100 + LATENESS as u64);

/// Large enough never to be in the way.
const PEER_WINDOW: u32 = 10_000_000;

const FIRST: Seq = Seq::new(u32::MAX - 5_000);

/// What happens on the way. Probabilities in 1/256.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) config: Config,
    /// Whether the peer acknowledges selectively, and what it reports then.
    pub(crate) sack: bool,
    reports: Reports,
    seed: u64,
    loss: u32,
    loss_again: u32,
    loss_back: u32,
    late: u32,
    /// Bytes written at the start, and then one write an instant.
    bytes: u64,
    writes: Vec<(u32, u64)>,
}

pub(crate) fn plan(config: impl Strategy<Value = Config>) -> impl Strategy<Value = Plan> {
    let chances = (0_u32..50, 0_u32..150, 0_u32..50, prop_oneof![Just(0), 0_u32..60]);
    // Small segments stand between full ones, or there are none.
    let writes =
        prop_oneof![Just(Vec::new()), prop::collection::vec((0_u32..60, 1_u64..1_500), 0..80),];
    let work = (any::<u64>(), any::<bool>(), 1_u64..120, writes);
    (config, chances, work).prop_map(
        |(config, (loss, loss_again, loss_back, late), (seed, sack, segments, writes))| {
            let bytes = segments * u64::from(config.mss);
            let sack = sack && config.recovery_kind().needs_sack();
            let reports = Reports::Blocks;
            Plan { config, sack, reports, seed, loss, loss_again, loss_back, late, bytes, writes }
        },
    )
}

impl Plan {
    /// The same with full segments only.
    pub(crate) fn evenly(self) -> Self {
        Self { writes: Vec::new(), ..self }
    }

    /// The same where segments are lost, but none is late, no acknowledgement is lost, and the peer
    /// acknowledges selectively.
    pub(crate) fn in_order(self) -> Self {
        Self { late: 0, loss_back: 0, sack: true, ..self }
    }

    /// The same with another configuration.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// The same with a peer that reports so.
    pub(crate) fn reporting(&self, reports: Reports) -> Self {
        Self { reports, ..self.clone() }
    }
}

/// A segment that is not acknowledged.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outstanding {
    pub(crate) offset: u64,
    pub(crate) end: u64,
    pub(crate) transmissions: u32,
    /// The turn in which it left last, and when that was.
    pub(crate) turn: u32,
    pub(crate) at: Time,
    pub(crate) selected: bool,
}

/// What happened, before what then left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    /// Something was written.
    Write,
    /// An acknowledgement came: of something new, with something newly selected.
    Ack { advances: bool, selects: bool },
    /// The retransmission timer ran out.
    Timeout,
    /// Another timer ran out.
    Timer,
}

/// What is known from outside.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) segments: VecDeque<Outstanding>,
    pub(crate) una: u64,
    pub(crate) max: u64,
    /// The congestion window, as it is reported and configured.
    pub(crate) cwnd: u64,
    cap: u64,
    /// Turns so far, and what left in this one: offsets and ends.
    pub(crate) turn: u32,
    pub(crate) left: Vec<[u64; 2]>,
    /// When the newest of those left that arrived and were sent once.
    pub(crate) newest: Time,
    /// The same of all, if it was the last transmission that arrived.
    pub(crate) newest_perhaps: Time,
    /// The longest round trip that the sender has told of.
    pub(crate) longest: Duration,
    /// The least baseRTT that congestion control had.
    pub(crate) least_base: Option<Duration>,
    timeouts: u32,
}

impl Observe for Book {
    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        match fact {
            TcpFact::Window { cwnd, .. } => self.cwnd = cwnd.min(self.cap),
            TcpFact::Timeout { .. } => self.timeouts += 1,
            TcpFact::Rtt(RttSample { rtt, .. }) => self.longest = self.longest.max(rtt),
            TcpFact::BaseRtt { rtt } => {
                self.longest = self.longest.max(rtt);
                self.least_base = Some(self.least_base.map_or(rtt, |least| least.min(rtt)));
            }
            TcpFact::Established { .. }
            | TcpFact::Sent { .. }
            | TcpFact::Data { .. }
            | TcpFact::Acked { .. }
            | TcpFact::FastRetransmit { .. }
            | TcpFact::Limited { .. }
            | TcpFact::Closed { .. } => {}
        }
    }
}

impl Book {
    /// Those that the peer has not selected.
    pub(crate) fn missing(&self) -> impl Iterator<Item = &Outstanding> {
        self.segments.iter().filter(|segment| !segment.selected)
    }

    /// True if the segment at `offset` left in this turn.
    pub(crate) fn has_left(&self, offset: u64) -> bool {
        self.left.iter().any(|&[from, _]| from == offset)
    }

    /// `offset..end` leaves; true if it does so again.
    fn depart(&mut self, now: Time, offset: u64, end: u64) -> bool {
        let turn = self.turn;
        self.left.push([offset, end]);
        self.max = self.max.max(end);
        let known = self.segments.iter_mut().find(|segment| segment.offset == offset);
        let again = known.is_some();
        match known {
            Some(segment) => {
                segment.transmissions += 1;
                (segment.end, segment.turn, segment.at) = (end, turn, now);
            }
            None => self.segments.push_back(Outstanding {
                offset,
                end,
                transmissions: 1,
                turn,
                at: now,
                selected: false,
            }),
        }
        again
    }

    fn acknowledge(&mut self, una: u64, blocks: &SackBlocks) -> Cause {
        let advances = una > self.una;
        self.una = self.una.max(una);
        while let Some(oldest) = self.segments.front()
            && oldest.end <= self.una
        {
            let oldest = *oldest;
            self.arrives(&oldest);
            self.segments.pop_front();
        }
        // What has grown since may be there in part.
        if let Some(oldest) = self.segments.front_mut() {
            oldest.offset = oldest.offset.max(self.una);
        }
        let mut selects = false;
        for &[left, right] in blocks.as_slice() {
            let [from, to] = [left, right].map(|edge| u64::from(edge - FIRST));
            for index in 0..self.segments.len() {
                let segment = self.segments[index];
                if from <= segment.offset && segment.end <= to && !segment.selected {
                    self.arrives(&segment);
                    (self.segments[index].selected, selects) = (true, true);
                }
            }
        }
        Cause::Ack { advances, selects }
    }

    fn arrives(&mut self, segment: &Outstanding) {
        self.newest_perhaps = self.newest_perhaps.max(segment.at);
        if segment.transmissions == 1 {
            self.newest = self.newest.max(segment.at);
        }
    }
}

enum Packet {
    Data(Departure<Length>),
    Ack(Seq, SackBlocks),
}

/// A law sees every turn.
pub(crate) trait Law {
    /// A timer is about to run out, of which `book` does not know yet.
    fn before_timer(&mut self, now: Time, book: &Book);

    /// This happened, and `book` has what left at once; `max` had been sent before.
    fn after(&mut self, now: Time, cause: Cause, max: u64, book: &Book);
}

struct Run<'a, L> {
    sender: Sender<Length>,
    receiver: Receiver<Length>,
    way: BTreeMap<(Time, u64), Packet>,
    sent: u64,
    chance: Stream,
    writes: VecDeque<(Time, u64)>,
    book: Book,
    plan: &'a Plan,
    law: &'a mut L,
    now: Time,
}

/// The whole transfer under `law`; panics if it comes to no end.
pub(crate) fn run<L: Law>(plan: &Plan, law: &mut L) {
    let config = Arc::new(plan.config.clone());
    let mss = config.mss;
    let mut receiver = Receiver::new(1, mss, u64::from(PEER_WINDOW), None);
    receiver.start(FIRST);
    if plan.sack {
        receiver.agree_on_sack(plan.reports);
    }
    let mut at = Time::ZERO;
    let later = plan.writes.iter().map(|&(wait, bytes)| {
        at += Duration::from_millis(u64::from(wait));
        (at, bytes)
    });
    let mut run = Run {
        sender: Sender::new(0, &config, FIRST),
        receiver,
        way: BTreeMap::new(),
        sent: 0,
        chance: Stream::named(plan.seed, "path"),
        writes: std::iter::once((Time::ZERO, plan.bytes)).chain(later).collect(),
        book: Book { cap: u64::from(config.window * mss), ..Book::default() },
        plan,
        law,
        now: Time::ZERO,
    };
    let agreement = Agreement {
        mss,
        window: u64::from(PEER_WINDOW),
        initial_window: config.first_window(),
        sack: plan.sack,
        ecn: EcnFeedback::Off,
    };
    run.sender.start(&mut Context { now: Time::ZERO, observe: &mut run.book }, &agreement);
    for _ in 0..100_000 {
        if run.writes.is_empty() && run.sender.unacknowledged() == 0 {
            return;
        }
        run.step();
    }
    panic!("it stalls at {:?}", run.now);
}

impl<L: Law> Run<'_, L> {
    fn step(&mut self) {
        let arrival = self.way.keys().next().map(|&(at, _)| at);
        let write = self.writes.front().map(|&(at, _)| at);
        let timer = self.sender.poll_timeout();
        let next = [arrival, write, timer].into_iter().flatten().min();
        self.now = self.now.max(next.expect("something is to happen"));
        let max = self.book.max;
        let cause = if write == Some(self.now) {
            self.write()
        } else if arrival == Some(self.now) {
            let Some(cause) = self.arrive() else { return };
            cause
        } else {
            self.run_out()
        };
        self.pump();
        self.law.after(self.now, cause, max, &self.book);
    }

    fn write(&mut self) -> Cause {
        let (_, bytes) = self.writes.pop_front().expect("a write is due");
        self.sender.write(Length(bytes));
        Cause::Write
    }

    fn arrive(&mut self) -> Option<Cause> {
        let (_, packet) = self.way.pop_first().expect("a packet is due");
        match packet {
            Packet::Data(Departure { seq, payload, .. }) => {
                let arrival = Arrival { seq, payload, ..Arrival::default() };
                self.receiver
                    .handle_data(&mut Context { now: self.now, observe: &mut () }, &arrival);
                while self.receiver.read().is_some() {}
                let blocks = self.receiver.blocks();
                let ack = Packet::Ack(self.receiver.acknowledge().0, blocks);
                self.send(ack, self.plan.loss_back, 0);
                None
            }
            Packet::Ack(ack, sack) => {
                let acknowledgement = Acknowledgement {
                    ack,
                    window: u64::from(PEER_WINDOW),
                    pure: true,
                    sack,
                    ..Acknowledgement::default()
                };
                let una = u64::from(ack - FIRST);
                let cause = self.book.acknowledge(una, &sack);
                self.sender.handle_ack(
                    &mut Context { now: self.now, observe: &mut self.book },
                    &acknowledgement,
                );
                Some(cause)
            }
        }
    }

    fn run_out(&mut self) -> Cause {
        self.law.before_timer(self.now, &self.book);
        let before = self.book.timeouts;
        self.sender.handle_timeout(&mut Context { now: self.now, observe: &mut self.book });
        if self.book.timeouts > before { Cause::Timeout } else { Cause::Timer }
    }

    fn pump(&mut self) {
        self.book.turn += 1;
        self.book.left.clear();
        while let Some(departure) =
            self.sender.poll_output(&mut Context { now: self.now, observe: &mut self.book })
        {
            let offset = u64::from(departure.seq - FIRST);
            let again = self.book.depart(self.now, offset, offset + departure.payload.length());
            let loss = if again { self.plan.loss_again } else { self.plan.loss };
            self.send(Packet::Data(departure), loss, self.plan.late);
        }
    }

    fn send(&mut self, packet: Packet, loss: u32, late: u32) {
        if self.chance.below(256) < loss {
            return;
        }
        let late = if self.chance.below(256) < late { self.chance.below(LATENESS) } else { 0 };
        self.sent += 1;
        let at = self.now + DELAY + Duration::from_millis(u64::from(late));
        self.way.insert((at, self.sent), packet);
    }
}
