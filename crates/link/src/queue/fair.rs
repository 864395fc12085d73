//! A fair queue: a turn for each flow in its order, by deficit round robin (RFC 8290 §4.1 and
//! §4.2; Shreedhar and Varghese, "Efficient Fair Queueing using Deficit Round Robin", SIGCOMM
//! 1995).
//!
//! Simplified against RFC 8290: no `CoDel` within a flow, a queue for each flow rather than for
//! each value of a hash, and one packet at a time is dropped when all is full.

use std::collections::{BTreeMap, VecDeque};

use base::Stream;
use settings::{Bytes, section};

use super::{Parameters, Start};

section! {
    /// `[queue.fair]`: turns of flows, by deficit round robin.
    #[derive(Copy, Eq)]
    pub struct Config {
        /// Bytes that a flow may send in a turn. Default: RFC 8290 §5.2.4.
        pub quantum: u32 as Bytes<u32, 1, 1_000_000> = 1514;
    }
}

impl Parameters for Config {
    fn start(&self, _: &dyn Fn(&str) -> Stream) -> Start {
        Start { judge: None, turns: Some(*self) }
    }
}

/// Items in a queue for each flow.
#[derive(Debug)]
pub(crate) struct Fair<T> {
    quantum: i64,
    flows: Vec<Flow<T>>,
    /// The index of each flow that is on a list.
    places: BTreeMap<u64, usize>,
    /// Indices of flows that are on no list.
    free: Vec<usize>,
    /// New flows, which have not had a turn since they were empty, and old ones; the first of a
    /// list is next.
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    items: usize,
}

#[derive(Debug)]
struct Flow<T> {
    key: u64,
    /// What it may still send in this turn.
    credits: i64,
    bytes: u64,
    waiting: VecDeque<(u32, T)>,
}

impl<T> Fair<T> {
    pub(crate) const fn new(config: Config) -> Self {
        Self {
            quantum: config.quantum as i64,
            flows: Vec::new(),
            places: BTreeMap::new(),
            free: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            items: 0,
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.items
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.flows.iter().flat_map(|flow| flow.waiting.iter().map(|(_, item)| item))
    }

    /// Puts `item` of `bytes` behind what its flow has. A flow that had nothing is new.
    pub(crate) fn push(&mut self, key: u64, bytes: u32, item: T) {
        let place = self.places.get(&key).copied().unwrap_or_else(|| self.enlist(key));
        let flow = &mut self.flows[place];
        flow.bytes += u64::from(bytes);
        flow.waiting.push_back((bytes, item));
        self.items += 1;
    }

    /// The next item: of the first new flow, else of the first old one, that has credits left.
    pub(crate) fn pop(&mut self) -> Option<T> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let place = *list.front()?;
            let flow = &mut self.flows[place];
            if flow.credits > 0
                && let Some((bytes, item)) = flow.waiting.pop_front()
            {
                flow.credits -= i64::from(bytes);
                flow.bytes -= u64::from(bytes);
                self.items -= 1;
                return Some(item);
            }
            list.pop_front();
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                self.old.push_back(place);
            } else if is_new {
                // Or it could come back as new at once, ahead of all old ones (§4.2).
                self.old.push_back(place);
            } else {
                self.places.remove(&flow.key);
                self.free.push(place);
            }
        }
    }

    /// Takes the oldest item out of the flow with the most bytes, to make room for `bytes` of the
    /// flow `key`; `None` if that flow has the most, and nothing there yet.
    pub(crate) fn evict(&mut self, key: u64, bytes: u32) -> Option<T> {
        let arriving = |flow: &Flow<T>| if flow.key == key { u64::from(bytes) } else { 0 };
        let (mut longest, mut most) = (None, 0);
        for &place in self.new.iter().chain(&self.old) {
            let flow = &self.flows[place];
            let length = flow.bytes + arriving(flow);
            if length > most {
                (longest, most) = (Some(place), length);
            }
        }
        if most < u64::from(bytes) {
            return None;
        }
        let flow = &mut self.flows[longest?];
        let (bytes, item) = flow.waiting.pop_front()?;
        flow.bytes -= u64::from(bytes);
        self.items -= 1;
        Some(item)
    }

    fn enlist(&mut self, key: u64) -> usize {
        let place = self.free.pop().unwrap_or(self.flows.len());
        let credits = self.quantum;
        if place == self.flows.len() {
            self.flows.push(Flow { key, credits, bytes: 0, waiting: VecDeque::new() });
        } else {
            (self.flows[place].key, self.flows[place].credits) = (key, credits);
        }
        self.places.insert(key, place);
        self.new.push_back(place);
        place
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn of(quantum: u32, items: &[(u64, u32)]) -> Fair<(u64, usize)> {
        let mut fair = Fair::new(Config { quantum });
        for (number, &(key, bytes)) in items.iter().enumerate() {
            fair.push(key, bytes, (key, number));
        }
        fair
    }

    fn drain(fair: &mut Fair<(u64, usize)>) -> Vec<usize> {
        std::iter::from_fn(|| fair.pop()).map(|(_, number)| number).collect()
    }

    #[test]
    fn flows_take_turns_by_bytes() {
        let check = |quantum, items: &[(u64, u32)], expect: &[usize]| {
            assert_eq!(drain(&mut of(quantum, items)), expect, "{items:?}");
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
        let mut fair = of(100, &[(1, 50); 6]);
        assert_eq!([(); 3].map(|()| fair.pop()), [0, 1, 2].map(|number| Some((1, number))));
        fair.push(2, 100, (2, 9));
        assert_eq!(fair.pop(), Some((2, 9)), "ahead of what is left of the other's turn");
        fair.push(2, 100, (2, 10));
        assert_eq!(drain(&mut fair), [3, 10, 4, 5]);
    }

    #[test]
    fn the_longest_flow_gives_way() {
        let mut fair = of(100, &[(1, 100), (1, 100), (2, 150)]);
        assert_eq!(fair.evict(3, 100), Some((1, 0)));
        assert_eq!(fair.evict(2, 20), Some((2, 2)));
        assert_eq!(fair.evict(3, 101), None, "it is the longest itself");
        assert_eq!(fair.evict(3, 100), Some((1, 1)));
        assert_eq!((fair.len(), fair.pop()), (0, None));
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
        fn each_flow_is_a_queue(steps in steps()) {
            let mut fair = Fair::new(Config { quantum: 150 });
            let mut model: BTreeMap<u64, VecDeque<(u32, usize)>> = BTreeMap::new();
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    Step::Push(key, bytes) => {
                        fair.push(key, bytes, (key, number));
                        model.entry(key).or_default().push_back((bytes, number));
                    }
                    Step::Pop => match fair.pop() {
                        Some((key, number)) => {
                            let first = model.get_mut(&key).and_then(VecDeque::pop_front);
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
                        if let Some((of, number)) = fair.evict(key, bytes) {
                            prop_assert_eq!(length(of), most);
                            let first = model.get_mut(&of).and_then(VecDeque::pop_front);
                            prop_assert_eq!(first.map(|(_, number)| number), Some(number));
                        } else {
                            prop_assert_eq!(length(key), most);
                        }
                    }
                }
                let held: usize = model.values().map(VecDeque::len).sum();
                prop_assert_eq!((fair.len(), fair.iter().count()), (held, held));
            }
        }

        /// While flows have something waiting, what they got differs by no more than a quantum and
        /// a packet each way (Shreedhar and Varghese 1995, theorem 2).
        #[test]
        fn shares_are_even(
            sizes in prop::collection::vec(prop::collection::vec(1_u32..1_500, 60), 2..6),
        ) {
            let mut fair = Fair::new(Config { quantum: 1_500 });
            for (key, sizes) in sizes.iter().enumerate() {
                for &bytes in sizes {
                    fair.push(key as u64, bytes, (key, bytes));
                }
            }
            let (mut got, mut left) = (vec![0_i64; sizes.len()], vec![60; sizes.len()]);
            while left.iter().all(|&left| left > 0) {
                let (key, bytes) = fair.pop().expect("all have something");
                got[key] += i64::from(bytes);
                left[key] -= 1;
                let (low, high) = (got.iter().min(), got.iter().max());
                prop_assert!(high.zip(low).is_some_and(|(high, low)| high - low <= 4_500));
            }
        }
    }
}
