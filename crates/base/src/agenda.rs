//! Who wakes next.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::Time;

/// The deadlines of a set of machines, numbered from 0. Equal times wake in the order of the
/// numbers, so the law of ties is the order in which machines were made, whoever sets them.
///
/// A machine has at most two live entries in the heap. A deadline that moves later leaves the entry
/// where it is and is put right when it comes up: most timers are pushed back far more often than
/// they fire. One that moves earlier leaves it there as well: a timer of seconds outlives many
/// short waits.
#[derive(Debug, Default)]
pub struct Agenda {
    heap: BinaryHeap<Reverse<Key>>,
    machines: Vec<Entry>,
}

/// A time and a machine's number, in one word that compares at once.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Key(u128);

impl Key {
    const fn new(time: Time, id: u32) -> Self {
        Self((time.as_nanos() as u128) << 32 | id as u128)
    }

    const fn time(self) -> Time {
        Time::from_nanos((self.0 >> 32) as u64)
    }

    const fn id(self) -> u32 {
        self.0 as u32
    }
}

/// After every deadline: one comparison asks whether there is one, and whether it is earlier.
const NEVER: Time = Time::from_nanos(u64::MAX);

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// When the machine wants to wake.
    deadline: Time,
    /// The time of its live entry in the heap, never after the deadline.
    armed: Time,
    /// The time of another, no earlier, which takes its place.
    behind: Time,
}

impl Entry {
    const NONE: Self = Self { deadline: NEVER, armed: NEVER, behind: NEVER };

    /// Forgets the live entry in the heap.
    const fn disarm(&mut self) {
        self.armed = self.behind;
        self.behind = NEVER;
    }

    /// Whether the deadline needs an entry in the heap of its own, which then is the live one.
    fn arm(&mut self) -> bool {
        let earlier = self.deadline < self.armed;
        if earlier {
            self.behind = self.armed;
            self.armed = self.deadline;
        }
        earlier
    }
}

impl Agenda {
    /// An agenda for machines 0..`machines`, none of which wants to wake.
    pub fn new(machines: usize) -> Self {
        Self { machines: vec![Entry::NONE; machines], ..Self::default() }
    }

    /// Takes in one more machine and says its number.
    pub fn add(&mut self) -> u32 {
        self.machines.push(Entry::NONE);
        self.machines.len() as u32 - 1
    }

    /// Machine `id` wakes at `deadline`; `None` is never, and so is the end of time.
    #[inline]
    pub fn set(&mut self, id: u32, deadline: Option<Time>) {
        let entry = &mut self.machines[id as usize];
        entry.deadline = deadline.unwrap_or(NEVER);
        if entry.arm() {
            let (key, behind) = (Key::new(entry.deadline, id), entry.behind);
            self.push(key, behind);
        }
    }

    /// The next machine to wake at or before `until`, and its deadline, which is cleared. Its entry
    /// stays in the heap until another takes its place, or it comes up again.
    #[inline]
    pub fn next(&mut self, until: Time) -> Option<(Time, u32)> {
        let key = self.settle(until)?;
        let entry = &mut self.machines[key.id() as usize];
        entry.deadline = NEVER;
        entry.disarm();
        Some((key.time(), key.id()))
    }

    /// The earliest deadline of any machine, in the time that the heap takes.
    pub fn peek(&mut self) -> Option<Time> {
        self.settle(NEVER).map(Key::time)
    }

    /// Puts entries right until the one on top is a deadline, if that is at or before `until`.
    #[inline]
    fn settle(&mut self, until: Time) -> Option<Key> {
        while let Some(mut top) = self.heap.peek_mut() {
            let Reverse(key) = *top;
            let (time, id) = (key.time(), key.id());
            if time > until {
                return None;
            }
            let entry = &mut self.machines[id as usize];
            if entry.armed != time {
                PeekMut::pop(top);
            } else if entry.deadline == time {
                return Some(key);
            } else {
                entry.disarm();
                if entry.arm() {
                    *top = Reverse(Key::new(entry.deadline, id));
                } else {
                    PeekMut::pop(top);
                }
            }
        }
        None
    }

    /// Puts in a live entry. `behind` is the time of the machine's other one: any other entry of
    /// that machine on top is dead, such as the one that fired last, and gives its place, which
    /// takes one sift instead of two.
    fn push(&mut self, key: Key, behind: Time) {
        if let Some(mut top) = self.heap.peek_mut()
            && top.0.id() == key.id()
            && top.0.time() != behind
        {
            *top = Reverse(key);
            return;
        }
        self.heap.push(Reverse(key));
    }

    /// The earliest deadline of any machine.
    pub fn earliest(&self) -> Option<Time> {
        self.machines.iter().map(|entry| entry.deadline).filter(|each| *each < NEVER).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn at(nanos: u64) -> Time {
        Time::from_nanos(nanos)
    }

    #[test]
    fn equal_times_wake_in_machine_order() {
        let mut agenda = Agenda::new(3);
        for id in [2, 0, 1] {
            agenda.set(id, Some(at(5)));
        }
        let order: Vec<_> = std::iter::from_fn(|| agenda.next(at(5))).map(|(_, id)| id).collect();
        assert_eq!(order, [0, 1, 2]);
    }

    #[test]
    fn a_deadline_moves_later_earlier_and_away() {
        let mut agenda = Agenda::new(2);
        agenda.set(0, Some(at(5)));
        agenda.set(0, Some(at(9)));
        agenda.set(1, Some(at(7)));
        assert_eq!(agenda.earliest(), Some(at(7)));
        assert_eq!(agenda.next(at(8)), Some((at(7), 1)));
        assert_eq!(agenda.next(at(8)), None);
        agenda.set(0, Some(at(8)));
        assert_eq!(agenda.next(at(8)), Some((at(8), 0)));
        agenda.set(0, Some(at(20)));
        agenda.set(0, None);
        assert_eq!(agenda.next(at(100)), None);
    }

    proptest! {
        /// Against a plain table searched from end to end.
        #[test]
        fn wakes_as_a_plain_table_would(
            operations in prop::collection::vec((0_u32..6, prop::option::of(0_u64..40)), 1..300)
        ) {
            let (mut agenda, mut table) = (Agenda::new(6), [None; 6]);
            let mut now = 0;
            for (id, wait) in operations {
                let deadline = wait.map(|wait| at(now + wait));
                agenda.set(id, deadline);
                table[id as usize] = deadline;
                now += 3;
                loop {
                    prop_assert_eq!(agenda.peek(), table.iter().copied().flatten().min());
                    let due = (0..6_u32).filter_map(|id| Some((table[id as usize]?, id))).min();
                    let expect = due.filter(|&(time, _)| time <= at(now));
                    prop_assert_eq!(agenda.next(at(now)), expect);
                    let Some((_, id)) = expect else { break };
                    table[id as usize] = None;
                }
            }
        }
    }
}
