//! Two endpoints over a pipe that loses, duplicates and reorders: the bytes arrive whole, both
//! ways, and both sides close. At any round-trip time, across the wrap of the sequence numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Duration, Ecn, Flags, Seq, Stream, Time};
use bytes::Bytes;
use observe::{Context, Observe, TcpFact};
use proptest::prelude::*;
use tcp::{BackOff, Config, EcnFeedback, Endpoint, FackWindow, Payload, Segment, State};

use crate::draw::config;

/// What happens to segments on their way. Probabilities in 1/256.
#[derive(Clone, Debug)]
struct Weather {
    seed: u64,
    loss: u32,
    duplication: u32,
    marking: u32,
    /// An acknowledgement selects what has not come in, as from a peer that then gives it up.
    reneging: u32,
    delay: Duration,
    /// A segment is late by up to this many delays.
    jitter: u32,
}

#[derive(Clone, Debug)]
struct Plan {
    weather: Weather,
    configs: [Config; 2],
    isns: [u32; 2],
    /// Segments to send, and the bytes of the last, short one.
    segments: [u64; 2],
    tail: u64,
    /// Bytes of one write.
    chunk: usize,
    /// Reads once in so many delays; none reads at once.
    slow_reader: Option<u32>,
    /// How often each side is warned of a disconnection that then does not come, and for how many
    /// delays it freezes the other and does not.
    freezes: (u32, u32),
}

fn plan() -> impl Strategy<Value = Plan> {
    let delay = prop_oneof![
        Just(Duration::from_nanos(1)),
        Just(Duration::from_millis(1)),
        Just(Duration::from_millis(100)),
        Just(Duration::from_secs(3_600)),
        Just(Duration::from_secs(30 * 86_400)),
    ];
    let mishaps = (0_u32..80, 0_u32..40, 0_u32..80, prop_oneof![3 => Just(0), 1 => 0_u32..80]);
    let weather = (any::<u64>(), mishaps, delay, 0_u32..4).prop_map(
        |(seed, (loss, duplication, marking, reneging), delay, jitter)| Weather {
            seed,
            loss,
            duplication,
            marking,
            reneging,
            delay,
            jitter,
        },
    );
    let isn = prop_oneof![any::<u32>(), (u32::MAX - 20_000)..=u32::MAX];
    let work = ([0_u64..80, 0_u64..80], 0_u64..1_500, 1_usize..4_000);
    let pauses = (prop::option::of(1_u32..20), (0_u32..5, 1_u32..20));
    (weather, [config(), config()], [isn.clone(), isn], work, pauses).prop_map(
        |(weather, mut configs, isns, (segments, tail, chunk), (slow_reader, freezes))| {
            for config in &mut configs {
                config.max_rto = config.max_rto.max(weather.delay * 10);
                if config.back_off() == BackOff::Constant {
                    config.initial_rto = config.initial_rto.max(weather.delay * 4);
                    // ns-2's Fack expects the ages of segments: no round trip without a back-off.
                    if config.repair.fack.window == FackWindow::Restarts {
                        config.min_rto = config.min_rto.max(weather.delay * 4);
                    }
                }
            }
            Plan { weather, configs, isns, segments, tail, chunk, slow_reader, freezes }
        },
    )
}

/// What each side's facts must add up to.
#[derive(Debug, Default)]
struct Laws {
    sent: [u64; 2],
    fresh: [u64; 2],
    delivered: [u64; 2],
    acked: [u64; 2],
    closes: [u32; 2],
    /// The shortest round trip that there can be.
    least_rtt: Duration,
}

impl Observe for Laws {
    fn tcp(&mut self, _now: Time, endpoint: u32, fact: TcpFact) {
        let side = endpoint as usize;
        match fact {
            TcpFact::Sent { offset, length, transmission } => {
                let end = offset + u64::from(length);
                if transmission == 1 {
                    assert_eq!(offset, self.sent[side], "new data follow on");
                } else {
                    assert!(offset < self.sent[side], "only what was sent is sent again");
                }
                self.sent[side] = self.sent[side].max(end);
            }
            TcpFact::Data { length, fresh, delivered, .. } => {
                assert!(fresh <= length && delivered >= self.delivered[side]);
                self.fresh[side] += u64::from(fresh);
                self.delivered[side] = delivered;
            }
            TcpFact::Acked { offset } => {
                assert!(offset > self.acked[side] && offset <= self.sent[side]);
                self.acked[side] = offset;
            }
            TcpFact::Closed { .. } => self.closes[side] += 1,
            TcpFact::Rtt(sample) => assert!(sample.rtt >= self.least_rtt, "{sample:?}"),
            TcpFact::Established { .. }
            | TcpFact::BaseRtt { .. }
            | TcpFact::Window { .. }
            | TcpFact::Timeout { .. }
            | TcpFact::FastRetransmit { .. }
            | TcpFact::Limited { .. } => {}
        }
    }
}

/// The right edge of the window that a side has been told, and the shift it has been told with.
#[derive(Clone, Copy, Debug, Default)]
struct AdvertisedWindow {
    edge: Option<Seq>,
    syn_scale: Option<u8>,
}

struct Run {
    plan: Plan,
    chance: Stream,
    sides: [Endpoint<Bytes>; 2],
    advertised: [AdvertisedWindow; 2],
    way: BTreeMap<(Time, u64), (usize, Segment<Bytes>)>,
    segments: u64,
    received: [Vec<u8>; 2],
    /// The offsets that have come in at each side, in order or not.
    arrived: [Vec<bool>; 2],
    next_read: Time,
    /// How often the sides were frozen or thawed, and when they are next.
    turns: u32,
    next_turn: Time,
    laws: Laws,
    now: Time,
}

impl Run {
    fn new(plan: Plan) -> Self {
        let [one, other] = &plan.configs;
        let mut sides = [
            Endpoint::connect(0, &Arc::new(one.clone()), 1, 2, Seq::new(plan.isns[0])),
            Endpoint::listen(1, &Arc::new(other.clone()), 2, 1, Seq::new(plan.isns[1])),
        ];
        for (side, endpoint) in sides.iter_mut().enumerate() {
            for chunk in text(&plan, side).chunks(plan.chunk) {
                endpoint.write(Bytes::copy_from_slice(chunk));
            }
            if side == 0 {
                endpoint.close();
            }
        }
        Self {
            chance: Stream::named(plan.weather.seed, "weather"),
            sides,
            advertised: [AdvertisedWindow::default(); 2],
            way: BTreeMap::new(),
            segments: 0,
            received: [Vec::new(), Vec::new()],
            arrived: [1, 0].map(|side| vec![false; text(&plan, side).len()]),
            next_read: Time::ZERO,
            turns: 0,
            next_turn: Time::ZERO,
            // What a peer selects before it has come in is no round trip.
            laws: Laws {
                least_rtt: plan.weather.delay * if plan.weather.reneging == 0 { 2 } else { 0 },
                ..Laws::default()
            },
            now: Time::ZERO,
            plan,
        }
    }

    /// Until both sides are done; panics if that takes for ever.
    fn finish(&mut self) {
        self.pump();
        for _ in 0..400_000 {
            if self.sides.iter().all(|side| is_over(side.state())) {
                return;
            }
            self.step();
        }
        panic!("it stalls at {:?}: {:?}", self.now, self.sides.each_ref().map(Endpoint::state));
    }

    fn step(&mut self) {
        let arrival = self.way.keys().next().map(|&(time, _)| time);
        let timers = self.sides.each_ref().map(Endpoint::poll_timeout);
        let waiting = self.sides.iter().any(|side| side.receiver().readable() > 0);
        let read = self.plan.slow_reader.filter(|_| waiting).map(|_| self.next_read);
        let turn = (self.turns < 2 * self.plan.freezes.0).then_some(self.next_turn);
        let next = [arrival, timers[0], timers[1], read, turn].into_iter().flatten().min();
        self.now = self.now.max(next.expect("something is to happen"));
        if arrival == Some(self.now)
            && let Some((_, (side, segment))) = self.way.pop_first()
        {
            self.note_window(side, &segment);
            self.note_arrival(side, &segment);
            self.sides[side]
                .handle_segment(&mut Context { now: self.now, observe: &mut self.laws }, &segment);
        }
        for side in &mut self.sides {
            side.handle_timeout(&mut Context { now: self.now, observe: &mut self.laws });
        }
        if turn.is_some_and(|turn| turn <= self.now) {
            self.turn();
        }
        self.pump();
    }

    /// Both sides are frozen by their peers, or go on.
    fn turn(&mut self) {
        for side in &mut self.sides {
            if self.turns.is_multiple_of(2) { side.freeze() } else { side.thaw() }
        }
        self.turns += 1;
        self.next_turn = self.now + self.plan.weather.delay * u64::from(self.plan.freezes.1);
    }

    fn pump(&mut self) {
        let reads = match self.plan.slow_reader {
            None => true,
            Some(delays) => {
                let due = self.now >= self.next_read;
                if due {
                    let wait = self.plan.weather.delay * u64::from(delays);
                    self.next_read = self.now + wait.max(Duration::from_millis(1));
                }
                due
            }
        };
        for side in 0..2 {
            while reads && let Some(bytes) = self.sides[side].read() {
                self.received[side].extend_from_slice(&bytes);
            }
            // The listener closes once the other side has.
            if side == 1 && self.sides[side].is_at_end() {
                self.sides[side].close();
            }
            while let Some(segment) = self.sides[side]
                .poll_output(&mut Context { now: self.now, observe: &mut self.laws })
            {
                self.check_window(side, &segment);
                self.check_options(side, &segment);
                self.send(1 - side, &segment);
            }
        }
    }

    fn send(&mut self, to: usize, segment: &Segment<Bytes>) {
        let weather = self.plan.weather.clone();
        let copies = if self.chance.below(256) < weather.duplication { 2 } else { 1 };
        for _ in 0..copies {
            if self.chance.below(256) < weather.loss {
                continue;
            }
            let late = weather.delay * u64::from(self.chance.below(weather.jitter * 64 + 1)) / 64;
            self.segments += 1;
            let arrival = self.now + weather.delay + late;
            let mut segment = segment.clone();
            if self.chance.below(256) < weather.marking {
                segment.ecn.mark();
            }
            if self.chance.below(256) < weather.reneging {
                self.renege(to, &mut segment);
            }
            self.way.insert((arrival, self.segments), (to, segment));
        }
    }

    /// Lets an acknowledgement to `side` select what is still missing.
    fn renege(&mut self, side: usize, segment: &mut Segment<Bytes>) {
        let acked = self.offset(side, segment.header.ack) as u64;
        let beyond = self.laws.sent[side].saturating_sub(acked + 1) as u32;
        let sack = &mut segment.header.options.sack;
        let room = (1..3).contains(&sack.as_slice().len());
        if !room || beyond == 0 || self.plan.configs.iter().any(|config| !config.offers().sack) {
            return;
        }
        let left = 1 + self.chance.below(beyond);
        let right = left + 1 + self.chance.below(beyond + 1 - left);
        sack.push(segment.header.ack + left, segment.header.ack + right);
    }

    /// Notes the window that `segment` tells `side`.
    fn note_window(&mut self, side: usize, segment: &Segment<Bytes>) {
        let mut scale = 0;
        if segment.has(Flags::SYN) {
            self.advertised[side].syn_scale = segment.header.options.window_scale;
        } else if self.advertised[1 - side].syn_scale.is_some() {
            scale = self.advertised[side].syn_scale.unwrap_or(0);
        }
        if segment.has(Flags::ACK) {
            let edge = segment.header.ack + (u32::from(segment.header.window) << scale);
            let told = &mut self.advertised[side].edge;
            *told = Some(told.filter(|&old| edge.before(old)).unwrap_or(edge));
        }
    }

    fn note_arrival(&mut self, side: usize, segment: &Segment<Bytes>) {
        let first = self.offset(1 - side, segment.header.seq);
        let bytes = segment.payload.len();
        self.arrived[side].iter_mut().skip(first).take(bytes).for_each(|byte| *byte = true);
    }

    /// Where `seq`, a number of `side`'s, lies in what it sends.
    fn offset(&self, side: usize, seq: Seq) -> usize {
        (seq - self.plan.isns[side]).to_u32().wrapping_sub(1) as usize
    }

    /// What was agreed upon is there, the rest is not; and blocks tell only of what has come in.
    fn check_options(&self, side: usize, segment: &Segment<Bytes>) {
        let options = &segment.header.options;
        let [one, other] = self.plan.configs.each_ref().map(Config::offers);
        let agreed = one.and(other);
        if segment.has(Flags::SYN) || segment.has(Flags::RST) {
            return;
        }
        assert_eq!(options.timestamps.is_some(), agreed.timestamps);
        assert!(agreed.sack || options.sack.is_empty());
        let ecn = [Flags::ECE, Flags::CWR].iter().any(|flag| segment.has(*flag));
        let capable = agreed.ecn != EcnFeedback::Off;
        assert!(capable || !ecn && segment.ecn == Ecn::NotCapable);
        assert!(agreed.ecn == EcnFeedback::Accurate || options.ecn_bytes.is_none());
        assert!(!segment.payload.is_empty() || segment.ecn == Ecn::NotCapable);
        for block in options.sack.as_slice() {
            let [left, right] = block.map(|edge| self.offset(1 - side, edge));
            assert!(left < right && self.arrived[side][left..right].iter().all(|byte| *byte));
        }
    }

    /// Nothing goes beyond the window, but for the one byte of a probe.
    fn check_window(&self, side: usize, segment: &Segment<Bytes>) {
        if segment.payload.is_empty() {
            return;
        }
        let end = segment.header.seq + segment.payload.length() as u32;
        let edge = self.advertised[side].edge.expect("data follow the handshake");
        assert!(end.before_or_at(edge + 1), "{segment:?} goes beyond {edge:?}");
    }
}

fn is_over(state: State) -> bool {
    state == State::Closed || state == State::TimeWait
}

/// What `side` sends.
fn text(plan: &Plan, side: usize) -> Vec<u8> {
    let mss = plan.configs[0].mss.min(plan.configs[1].mss);
    let length = plan.segments[side] * u64::from(mss) + plan.tail.min(u64::from(mss));
    (0..length).map(|index| (index * 7 + index / 251 + side as u64) as u8).collect()
}

fn check(plan: Plan) {
    let mut run = Run::new(plan);
    run.finish();
    for side in 0..2 {
        while let Some(bytes) = run.sides[side].read() {
            run.received[side].extend_from_slice(&bytes);
        }
        let expect = text(&run.plan, 1 - side);
        assert!(run.received[side] == expect, "side {side} received other bytes");
        let length = expect.len() as u64;
        let laws = &run.laws;
        assert_eq!((laws.fresh[side], laws.delivered[side]), (length, length));
        assert_eq!(laws.sent[1 - side], length);
        assert_eq!(laws.closes[side], 1, "the end is reported once");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // `PROPTEST_CASES` may ask for more.
        cases: ProptestConfig::default().cases.max(2_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn bytes_arrive_whole_both_ways(plan in plan()) {
        check(plan);
    }
}
