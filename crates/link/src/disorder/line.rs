//! The wire of a link that disorders packets, from the end of their transmission on.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use base::{Duration, Philox, Time};
use observe::DropReason;

use super::{Config, Counts};
use crate::Output;
use crate::link::Dropped;

/// Packets on the wire. All chance is a function of (seed, name, number of the packet), so that a
/// chance that changes finds the draws of a run in which it was so from the start.
#[derive(Debug)]
pub(crate) struct Line<T> {
    config: Config,
    chance: Philox,
    /// The number of the next packet.
    next: u64,
    /// The last arrival so far of packets that keep their order.
    last: Time,
    on_way: BinaryHeap<Reverse<OnWay<T>>>,
    /// Those that are held back, the oldest first.
    held: Vec<Held<T>>,
    /// One more than the greatest number that has arrived.
    reached: u64,
    counts: Counts,
}

/// A packet that has left the transmitter.
#[derive(Debug)]
pub(crate) struct Sent<T> {
    pub(crate) departs: Time,
    /// How long it takes without jitter.
    pub(crate) delay: Duration,
    pub(crate) packet: T,
    pub(crate) lost: Option<DropReason>,
}

#[derive(Debug)]
struct OnWay<T> {
    arrives: Time,
    number: u64,
    is_held_back: bool,
    fate: Fate,
    packet: T,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Whole,
    Twice,
    /// With the wrong bit that this draw picks.
    Damaged(u32),
    Lost(DropReason),
}

#[derive(Debug)]
struct Held<T> {
    until: Time,
    /// Later packets that are still to arrive ahead of it.
    ahead: u32,
    packet: OnWay<T>,
}

impl<T> OnWay<T> {
    const fn key(&self) -> (Time, u64) {
        (self.arrives, self.number)
    }
}

impl<T> PartialEq for OnWay<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<T> Eq for OnWay<T> {}

impl<T> PartialOrd for OnWay<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for OnWay<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl<T> Line<T> {
    /// An empty wire of the link called `name`, into which `sent` packets have gone before.
    pub(crate) fn new(config: &Config, seed: u64, name: &str, sent: u64) -> Self {
        Self {
            config: config.clone(),
            chance: Philox::named(seed, &format!("{name} disorder")),
            next: sent,
            last: Time::ZERO,
            on_way: BinaryHeap::new(),
            held: Vec::new(),
            reached: sent,
            counts: Counts::default(),
        }
    }

    /// What departs from now on is treated as `config` says.
    pub(crate) fn change(&mut self, config: &Config) {
        self.config = config.clone();
    }

    /// Takes in the next packet.
    pub(crate) fn send(&mut self, sent: Sent<T>) {
        let Sent { departs, delay, packet, lost } = sent;
        let number = self.next;
        let block = |which| self.chance.at([number as u32, (number >> 32) as u32, 0, which]);
        let [stray, held, twice, damaged] = block(0);
        let Config { jitter, reorder, duplicate, corrupt, .. } = &self.config;
        let delay = jitter.delay((number, departs), delay, (stray, self.chance));
        let fate = match lost {
            Some(reason) => Fate::Lost(reason),
            None if corrupt.at(departs).hit(damaged) => Fate::Damaged(block(1)[0]),
            None if duplicate.at(departs).hit(twice) => Fate::Twice,
            None => Fate::Whole,
        };
        let is_held_back = lost.is_none() && reorder.at(departs).hit(held);
        let earliest = if jitter.keeps_order(departs) { self.last } else { Time::ZERO };
        let arrives = (departs + delay).max(earliest);
        self.put(OnWay { arrives, number, is_held_back, fate, packet });
    }

    /// Takes in a packet that left before the wire disordered any, and arrives at `arrives`.
    pub(crate) fn take_over(&mut self, arrives: Time, packet: T, lost: Option<DropReason>) {
        let (arrives, number) = (arrives.max(self.last), self.next);
        let fate = lost.map_or(Fate::Whole, Fate::Lost);
        self.put(OnWay { arrives, number, is_held_back: false, fate, packet });
    }

    fn put(&mut self, packet: OnWay<T>) {
        self.next += 1;
        self.last = self.last.max(packet.arrives);
        self.on_way.push(Reverse(packet));
    }

    /// When the next packet arrives, is held back or let go.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let arrival = self.on_way.peek().map(|Reverse(packet)| packet.arrives);
        let release = self.held.iter().map(|held| held.until).min();
        [arrival, release].into_iter().flatten().min()
    }

    /// The next packet that has come to its end by `now`.
    pub(crate) fn poll_output(&mut self, now: Time) -> Option<Output<T>> {
        loop {
            let due = self.poll_timeout().filter(|&due| due <= now)?;
            // What waits for those that have passed goes ahead of the next.
            let released = self.held.iter().position(|held| held.until == due);
            if let Some(place) = released {
                let Held { packet, .. } = self.held.remove(place);
                return Some(self.hand_on(due, packet));
            }
            let Reverse(packet) = self.on_way.pop()?;
            if !packet.is_held_back {
                return Some(self.hand_on(due, packet));
            }
            let until = due + self.config.hold;
            self.held.push(Held { until, ahead: self.config.distance, packet });
        }
    }

    /// Hands on `packet`, which comes to its end at `now`.
    fn hand_on(&mut self, now: Time, packet: OnWay<T>) -> Output<T> {
        let OnWay { number, fate, packet, .. } = packet;
        if let Fate::Lost(reason) = fate {
            return Output::Dropped(Dropped { packet, reason });
        }
        self.counts.reordered += u64::from(number < self.reached);
        self.reached = self.reached.max(number + 1);
        for held in self.held.iter_mut().filter(|held| held.packet.number < number) {
            held.ahead = held.ahead.saturating_sub(1);
            if held.ahead == 0 {
                held.until = now;
            }
        }
        match fate {
            Fate::Twice => {
                self.counts.duplicated += 1;
                Output::Duplicated(packet)
            }
            Fate::Damaged(draw) => {
                self.counts.corrupted += 1;
                Output::Corrupted(packet, draw)
            }
            Fate::Whole | Fate::Lost(_) => Output::Delivered(packet),
        }
    }

    /// What came out otherwise than it went in.
    pub(crate) const fn counts(&self) -> Counts {
        self.counts
    }

    /// Packets on it.
    pub(crate) fn len(&self) -> usize {
        self.on_way.len() + self.held.len()
    }

    /// The packets on it, each once.
    pub(crate) fn packets(&self) -> impl Iterator<Item = &T> {
        let on_way = self.on_way.iter().map(|Reverse(packet)| &packet.packet);
        on_way.chain(self.held.iter().map(|held| &held.packet.packet))
    }
}
