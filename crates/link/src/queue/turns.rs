//! Flows that take turns in their order, by deficit round robin (RFC 8290 §4.1 and §4.2; Shreedhar
//! and Varghese, "Efficient Fair Queueing using Deficit Round Robin", SIGCOMM 1995).

use base::Time;
use rustc_hash::FxHashMap;

use super::codel::{self, CoDel};
use super::fq_codel::Backlog;
use super::lane::Lane;
use super::{Queued, Verdict};
use crate::Load;

/// Parameters of turns.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Config {
    /// Bytes that a flow may send in a turn.
    pub(super) quantum: u32,
    pub(super) lanes: Lanes,
    /// The most packets that the longest lane loses at once when all is full.
    pub(super) batch: u32,
    /// `CoDel` of each lane, if they have it.
    pub(super) codel: Option<codel::Config>,
    /// Bytes that it sees behind a packet.
    pub(super) backlog: Backlog,
}

/// Sharing of lanes among flows.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Lanes {
    /// None. A lane is forgotten once its flow has had nothing for a round.
    Each,
    /// Flows whose hash with this salt has the same value below `count` (RFC 8290 §4.1.1).
    /// Each lane keeps its judge.
    Hashed { count: u32, salt: u64 },
}

impl Lanes {
    /// The key of the lane of a flow.
    const fn key(self, flow: u64) -> u64 {
        match self {
            Self::Each => flow,
            Self::Hashed { count, salt } => ((mix(flow ^ salt) >> 32) * count as u64) >> 32,
        }
    }
}

/// A bijection in which each bit of the argument sways each of the result: the last step of
/// `SplitMix` (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014), with the constants of Stafford's variant 13.
const fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// Packets in a lane for each flow.
#[derive(Debug)]
pub(super) struct Turns<T> {
    config: Config,
    flows: Vec<Flow<T>>,
    places: Places,
    /// Indices of lanes that no flow has.
    free: Vec<u32>,
    /// New flows, which have not had a turn since they were empty, and old ones.
    new: List,
    old: List,
    /// The index of the flow whose packet came out last.
    served: u32,
}

/// The index of each flow that has a lane, by its key.
#[derive(Debug)]
enum Places {
    Each(FxHashMap<u64, u32>),
    /// With a place for each key, once there is one.
    Hashed(Vec<u32>),
}

/// In the place of an index, that there is none.
const NONE: u32 = u32::MAX;

/// Flows of which each knows the next; the first is the next to be served.
#[derive(Debug)]
struct List {
    first: u32,
    last: u32,
}

#[derive(Debug)]
struct Flow<T> {
    key: u64,
    is_listed: bool,
    /// The index of the next on its list.
    next: u32,
    /// Bytes that it may still send in this turn.
    credits: i64,
    lane: Lane<T>,
    codel: Option<CoDel>,
}

impl<T: Load> Flow<T> {
    /// Oldest packet, and the verdict on it. All flows have `bytes`, if `CoDel` sees those.
    fn pop(&mut self, free: Time, bytes: Option<u64>) -> Option<(Queued<T>, Verdict)> {
        let queued = self.lane.pop();
        let Some(codel) = &mut self.codel else { return queued.map(|it| (it, Verdict::Pass)) };
        let Some(queued) = queued else {
            codel.on_empty();
            return None;
        };
        let (start, mut departure) = self.lane.departure(&queued, free);
        if let Some(bytes) = bytes {
            departure.bytes_behind = bytes - u64::from(queued.packet.bytes());
        }
        Some((queued, codel.on_departure(start, departure)))
    }
}

impl<T: Load> Turns<T> {
    pub(super) fn new(config: Config) -> Self {
        Self {
            config,
            flows: Vec::new(),
            places: match config.lanes {
                Lanes::Each => Places::Each(FxHashMap::default()),
                Lanes::Hashed { .. } => Places::Hashed(Vec::new()),
            },
            free: Vec::new(),
            new: List::EMPTY,
            old: List::EMPTY,
            served: 0,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.flows.iter().flat_map(|flow| flow.lane.iter())
    }

    /// Puts a packet behind what its flow has. A flow that is on no list becomes a new one (§4.1).
    pub(super) fn push(&mut self, queued: Queued<T>) {
        let key = self.config.lanes.key(queued.packet.flow());
        let place = match self.places.get(key) {
            NONE => self.settle(key),
            place => place,
        };
        let flow = &mut self.flows[place as usize];
        flow.lane.push(queued);
        if !flow.is_listed {
            (flow.is_listed, flow.credits) = (true, i64::from(self.config.quantum));
            self.new.push(&mut self.flows, place);
        }
    }

    /// The next packet: of the first new flow, else of the first old one, that has credits left
    /// (§4.2). All flows have `bytes`. If it goes on, [`Self::sent`] is to be called.
    pub(super) fn pop(&mut self, free: Time, bytes: u64) -> Option<(Queued<T>, Verdict)> {
        let seen = (self.config.backlog == Backlog::All).then_some(bytes);
        loop {
            let is_new = self.new.first != NONE;
            let list = if is_new { &mut self.new } else { &mut self.old };
            let place = list.first;
            let flow = self.flows.get_mut(place as usize)?;
            if flow.credits > 0
                && let Some(turn) = flow.pop(free, seen)
            {
                self.served = place;
                return Some(turn);
            }
            list.pop(flow.next);
            if flow.credits <= 0 {
                flow.credits += i64::from(self.config.quantum);
                self.old.push(&mut self.flows, place);
            } else if is_new {
                // Or it could come back as new at once, ahead of all old ones (§4.2).
                self.old.push(&mut self.flows, place);
            } else {
                flow.is_listed = false;
                if let Places::Each(places) = &mut self.places {
                    places.remove(&flow.key);
                    self.free.push(place);
                }
            }
        }
    }

    /// The packet that came out last, of `bytes`, goes on: its flow pays for it.
    pub(super) fn sent(&mut self, bytes: u32) {
        self.flows[self.served as usize].credits -= i64::from(bytes);
    }

    /// Flow with most bytes, that of a packet of `bytes` that arrives for `flow` with it, and
    /// how many of its packets go at once: half of them, at least one. `None` if that is the packet
    /// itself.
    pub(super) fn longest(&self, flow: u64, bytes: u32) -> Option<(u32, u32)> {
        let key = self.config.lanes.key(flow);
        let arriving = |flow: &Flow<T>| if flow.key == key { u64::from(bytes) } else { 0 };
        let (mut longest, mut most) = (None, 0);
        for place in self.new.iter(&self.flows).chain(self.old.iter(&self.flows)) {
            let flow = &self.flows[place as usize];
            let length = flow.lane.bytes() + arriving(flow);
            if length > most {
                (longest, most) = (Some(place), length);
            }
        }
        if most < u64::from(bytes) {
            return None;
        }
        let place = longest?;
        let flow = &self.flows[place as usize];
        let packets = flow.lane.len() as u32 + u32::from(flow.key == key);
        let is_there = flow.lane.len() > 0;
        is_there.then(|| (place, (packets / 2).clamp(1, self.config.batch)))
    }

    /// The oldest packet of the flow at `place`.
    pub(super) fn evict(&mut self, place: u32) -> Option<Queued<T>> {
        self.flows[place as usize].lane.pop()
    }

    /// Gives a flow a lane.
    fn settle(&mut self, key: u64) -> u32 {
        let place = self.free.pop().unwrap_or(self.flows.len() as u32);
        if let Some(flow) = self.flows.get_mut(place as usize) {
            flow.key = key;
        } else {
            let (lane, codel) = (Lane::new(), self.config.codel.map(CoDel::new));
            self.flows.push(Flow { key, is_listed: false, next: NONE, credits: 0, lane, codel });
        }
        match (&mut self.places, self.config.lanes) {
            (Places::Each(places), _) => drop(places.insert(key, place)),
            (Places::Hashed(places), Lanes::Hashed { count, .. }) => {
                places.resize(count as usize, NONE);
                places[key as usize] = place;
            }
            (Places::Hashed(_), Lanes::Each) => {}
        }
        place
    }
}

impl Places {
    fn get(&self, key: u64) -> u32 {
        let place = match self {
            Self::Each(places) => places.get(&key),
            Self::Hashed(places) => places.get(key as usize),
        };
        place.copied().unwrap_or(NONE)
    }
}

impl List {
    const EMPTY: Self = Self { first: NONE, last: NONE };

    /// Puts the flow at `place` behind all.
    fn push<T>(&mut self, flows: &mut [Flow<T>], place: u32) {
        flows[place as usize].next = NONE;
        match flows.get_mut(self.last as usize) {
            Some(last) => last.next = place,
            None => self.first = place,
        }
        self.last = place;
    }

    /// Takes off the first, behind which is `next`.
    const fn pop(&mut self, next: u32) {
        self.first = next;
        if next == NONE {
            self.last = NONE;
        }
    }

    fn iter<T>(&self, flows: &[Flow<T>]) -> impl Iterator<Item = u32> {
        let some = |place: u32| (place != NONE).then_some(place);
        std::iter::successors(some(self.first), move |&place| some(flows[place as usize].next))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, VecDeque};

    use base::{Duration, Stream};
    use proptest::prelude::*;

    use super::super::Departure;
    use super::*;

    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    struct Packet {
        flow: u64,
        number: usize,
        bytes: u32,
    }

    impl Load for Packet {
        fn bytes(&self) -> u32 {
            self.bytes
        }

        fn flow(&self) -> u64 {
            self.flow
        }
    }

    const fn fair(quantum: u32) -> Config {
        Config { quantum, lanes: Lanes::Each, batch: 1, codel: None, backlog: Backlog::Own }
    }

    fn push(turns: &mut Turns<Packet>, flow: u64, bytes: u32, number: usize) {
        turns.push(Queued { since: Time::ZERO, packet: Packet { flow, number, bytes } });
    }

    /// The next packet, which goes on.
    fn pop(turns: &mut Turns<Packet>) -> Option<Packet> {
        let (Queued { packet, .. }, verdict) = turns.pop(Time::ZERO, 0)?;
        assert_eq!(verdict, Verdict::Pass);
        turns.sent(packet.bytes);
        Some(packet)
    }

    fn evict(turns: &mut Turns<Packet>, flow: u64, bytes: u32) -> Option<Packet> {
        let (place, packets) = turns.longest(flow, bytes)?;
        assert_eq!(packets, 1);
        turns.evict(place).map(|queued| queued.packet)
    }

    fn of(config: Config, packets: &[(u64, u32)]) -> Turns<Packet> {
        let mut turns = Turns::new(config);
        for (number, &(flow, bytes)) in packets.iter().enumerate() {
            push(&mut turns, flow, bytes, number);
        }
        turns
    }

    fn drain(turns: &mut Turns<Packet>) -> Vec<usize> {
        std::iter::from_fn(|| pop(turns)).map(|packet| packet.number).collect()
    }

    #[test]
    fn flows_take_turns_by_bytes() {
        let check = |quantum, packets: &[(u64, u32)], expect: &[usize]| {
            assert_eq!(drain(&mut of(fair(quantum), packets)), expect, "{packets:?}");
        };
        check(100, &[], &[]);
        check(100, &[(1, 100), (1, 100), (1, 100)], &[0, 1, 2]);
        check(100, &[(1, 100), (1, 100), (2, 100), (2, 100)], &[0, 2, 1, 3]);
        // Two small ones for each large one.
        check(100, &[(1, 100), (1, 100), (2, 50), (2, 50), (2, 50), (2, 50)], &[0, 2, 3, 1, 4, 5]);
        // What exceeds the quantum is paid for over the next turns.
        check(100, &[(1, 300), (1, 300), (2, 100), (2, 100), (2, 100)], &[0, 2, 3, 4, 1]);
    }

    #[test]
    fn a_new_flow_goes_ahead_once() {
        let mut turns = of(fair(100), &[(1, 50); 6]);
        assert_eq!(
            [(); 3].map(|()| pop(&mut turns).map(|packet| packet.number)),
            [Some(0), Some(1), Some(2)]
        );
        push(&mut turns, 2, 100, 9);
        let ahead = pop(&mut turns).map(|packet| packet.number);
        assert_eq!(ahead, Some(9), "ahead of what is left of the other's turn");
        push(&mut turns, 2, 100, 10);
        assert_eq!(drain(&mut turns), [3, 10, 4, 5]);
    }

    #[test]
    fn the_longest_flow_gives_way() {
        let mut turns = of(fair(100), &[(1, 100), (1, 100), (2, 150)]);
        let number = |packet: Option<Packet>| packet.map(|packet| packet.number);
        assert_eq!(number(evict(&mut turns, 3, 100)), Some(0));
        assert_eq!(number(evict(&mut turns, 2, 20)), Some(2));
        assert_eq!(evict(&mut turns, 3, 101), None, "it is the longest itself");
        assert_eq!(number(evict(&mut turns, 3, 100)), Some(1));
        assert_eq!(pop(&mut turns), None);
    }

    /// §4.1: half of the packets of the flow with most bytes, that which arrives among them, but no
    /// more than 64 and no fewer than one.
    #[test]
    fn half_of_the_longest_flow_goes_at_once() {
        let check = |there: usize, arriving: u64, expect: u32| {
            let batched = Config { batch: 64, ..fair(100) };
            let packets = [vec![(1, 100); there], vec![(2, 50)]].concat();
            let longest = of(batched, &packets).longest(arriving, 100);
            assert_eq!(longest, Some((0, expect)), "{there} there");
        };
        check(1, 3, 1);
        check(2, 3, 1);
        check(3, 3, 1);
        check(3, 1, 2);
        check(100, 3, 50);
        check(127, 1, 64);
        check(1000, 3, 64);
    }

    /// Each of 4 lanes gets about a quarter of 1024 flows, with another salt others; and what meets
    /// is one FIFO.
    #[test]
    fn a_hash_distributes_flows() {
        let lanes = |salt| {
            let lanes = Lanes::Hashed { count: 4, salt };
            (0..1024).map(|flow| lanes.key(flow)).collect::<Vec<_>>()
        };
        for salt in [0, 1, 0xFEDC_BA98_7654_3210] {
            let flows = |lane| lanes(salt).iter().filter(|&&other| other == lane).count();
            assert!((0..4).map(flows).all(|count| (200..312).contains(&count)), "{salt}");
        }
        let moved = lanes(0).iter().zip(lanes(1)).filter(|(lane, other)| **lane != *other).count();
        assert!((700..836).contains(&moved), "about three quarters of them: {moved}");
        let one = Config { lanes: Lanes::Hashed { count: 1, salt: 5 }, ..fair(100) };
        assert_eq!(drain(&mut of(one, &[(1, 300), (2, 40), (1, 300), (3, 40)])), [0, 1, 2, 3]);
    }

    /// One flow drops as alone, the other, which has waited less long, not at all; what is dropped
    /// costs no credits.
    #[test]
    fn each_lane_has_a_judge_of_its_own() {
        let codel = codel::Config::default();
        let lanes = Lanes::Hashed { count: 1024, salt: 0 };
        let mut turns = Turns::new(Config { lanes, codel: Some(codel), ..fair(100) });
        for number in 0..90 {
            push(&mut turns, 1 + u64::from(number % 3 == 2), 100, number);
        }
        let (mut alone, mut now) = (CoDel::new(codel), 0);
        let (mut got, mut left) = ([0_u32; 2], 60_u64);
        while left > 0 {
            now += 10_000_000;
            let at = Time::from_nanos(now);
            let Some((Queued { packet, .. }, verdict)) = turns.pop(at, 0) else { break };
            if packet.flow == 1 {
                left -= 1;
                let sojourn = Duration::from_nanos(now);
                let departure = Departure { sojourn, bytes_behind: left * 100 };
                assert_eq!(verdict, alone.on_departure(at, departure), "{now}");
            }
            if verdict == Verdict::Pass {
                turns.sent(packet.bytes);
                got[packet.flow as usize - 1] += 1;
                // While both have something, what they got is even.
                assert!(left == 0 || got[0].abs_diff(got[1]) <= 1 || got[1] > 20, "{got:?}");
            }
        }
        assert!(got[0] < 60, "{got:?}");
    }

    /// Packets of a flow that are late, but wait alone beside those of another: its judge acts if
    /// it sees the bytes of all, as one alone that sees these.
    #[test]
    fn a_judge_may_see_the_bytes_of_all() {
        let verdicts = |backlog| {
            let (codel, lanes) = (codel::Config::default(), Lanes::Hashed { count: 1024, salt: 0 });
            let mut turns = Turns::new(Config { lanes, codel: Some(codel), backlog, ..fair(100) });
            let (mut alone, mut bytes) = (CoDel::new(codel), 100 * 100);
            (0..100).for_each(|number| push(&mut turns, 2, 100, number));
            let mut of_first = Vec::new();
            for millis in (20..1_000).step_by(20) {
                let at = |millis: u64| Time::from_nanos(millis * 1_000_000);
                let (since, now) = (at(millis - 20), at(millis));
                turns.push(Queued { since, packet: Packet { flow: 1, number: 0, bytes: 100 } });
                bytes += 100;
                let mut is_served = false;
                while !is_served {
                    let (Queued { packet, .. }, verdict) = turns.pop(now, bytes).unwrap();
                    bytes -= 100;
                    turns.sent(packet.bytes);
                    is_served = packet.flow == 1;
                    if is_served {
                        let sojourn = Duration::from_millis(20);
                        let departure = Departure { sojourn, bytes_behind: bytes };
                        of_first.push((verdict, alone.on_departure(now, departure)));
                    }
                }
            }
            of_first
        };
        assert!(verdicts(Backlog::Own).iter().all(|&(verdict, _)| verdict == Verdict::Pass));
        let all = verdicts(Backlog::All);
        assert!(all.iter().all(|(verdict, alone)| verdict == alone), "{all:?}");
        assert!(all.iter().filter(|&&(verdict, _)| verdict == Verdict::Notify).count() > 5);
    }

    /// §4.2: a flow that leaves all lists has its judge for the next time, if a hash gave it its
    /// lane.
    #[test]
    fn a_lane_outlives_its_turns() {
        let check = |lanes, expect: usize| {
            let mut turns = of(Config { lanes, ..fair(100) }, &[(1, 100), (2, 100)]);
            assert_eq!(drain(&mut turns).len(), 2);
            let lanes = [1, 2].map(|flow| turns.places.get(lanes.key(flow)));
            assert_eq!(lanes.iter().filter(|&&place| place != NONE).count(), expect);
            assert!(turns.flows.iter().all(|flow| !flow.is_listed));
            push(&mut turns, 1, 100, 3);
            assert_eq!((drain(&mut turns), turns.flows.len()), (vec![3], 2));
        };
        check(Lanes::Each, 0);
        check(Lanes::Hashed { count: 1024, salt: 0 }, 2);
    }

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Push(u64, u32),
        Pop,
        Evict(u64, u32),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let push = || (0_u64..5, 1_u32..300).prop_map(|(key, bytes)| Step::Push(key, bytes));
        let evict = (0_u64..5, 1_u32..300).prop_map(|(key, bytes)| Step::Evict(key, bytes));
        prop::collection::vec(prop_oneof![push(), push(), Just(Step::Pop), evict], 1..300)
    }

    proptest! {
        /// Against a queue for each flow in a map: each flow in order, all of it, and what is
        /// evicted is the oldest of a flow than which none is longer.
        #[test]
        fn each_flow_is_a_queue(steps in steps(), is_hashed in any::<bool>()) {
            let salt = u64::from(Stream::named(1, "test").next_u32());
            // So many lanes that none of the five flows meet.
            let hashed = Lanes::Hashed { count: 65_536, salt };
            let lanes = if is_hashed { hashed } else { Lanes::Each };
            let mut turns = Turns::new(Config { lanes, ..fair(150) });
            let mut model: BTreeMap<u64, VecDeque<(u32, usize)>> = BTreeMap::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push(key, bytes) => {
                        push(&mut turns, key, bytes, number);
                        model.entry(key).or_default().push_back((bytes, number));
                    }
                    Step::Pop => match pop(&mut turns) {
                        Some(Packet { flow, number, .. }) => {
                            let first = model.get_mut(&flow).and_then(VecDeque::pop_front);
                            prop_assert_eq!(first.map(|(_, number)| number), Some(number));
                        }
                        None => prop_assert!(model.values().all(VecDeque::is_empty)),
                    },
                    Step::Evict(key, bytes) => {
                        let length = |of: u64| {
                            let waits = model.get(&of).into_iter().flatten();
                            let there: u64 = waits.map(|&(bytes, _)| u64::from(bytes)).sum();
                            there + if of == key { u64::from(bytes) } else { 0 }
                        };
                        let most = (0..5).map(length).max().unwrap_or_default();
                        if let Some(Packet { flow, number, .. }) = evict(&mut turns, key, bytes) {
                            prop_assert_eq!(length(flow), most);
                            let first = model.get_mut(&flow).and_then(VecDeque::pop_front);
                            prop_assert_eq!(first.map(|(_, number)| number), Some(number));
                        } else {
                            prop_assert_eq!(length(key), most);
                        }
                    }
                }
                let held: usize = model.values().map(VecDeque::len).sum();
                prop_assert_eq!(turns.iter().count(), held);
            }
        }

        /// While flows have something waiting, what they got differs by no more than a quantum and
        /// a packet each way (Shreedhar and Varghese 1995, theorem 2).
        #[test]
        fn shares_are_even(
            sizes in prop::collection::vec(prop::collection::vec(1_u32..1_500, 60), 2..6),
        ) {
            let mut turns = Turns::new(fair(1_500));
            for (key, sizes) in sizes.iter().enumerate() {
                for &bytes in sizes {
                    push(&mut turns, key as u64, bytes, 0);
                }
            }
            let (mut got, mut left) = (vec![0_i64; sizes.len()], vec![60; sizes.len()]);
            while left.iter().all(|&left| left > 0) {
                let Packet { flow, bytes, .. } = pop(&mut turns).expect("all have something");
                got[flow as usize] += i64::from(bytes);
                left[flow as usize] -= 1;
                let (low, high) = (got.iter().min(), got.iter().max());
                prop_assert!(high.zip(low).is_some_and(|(high, low)| high - low <= 4_500));
            }
        }
    }
}
