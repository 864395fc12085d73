//! Who sends next on a medium.

use std::collections::VecDeque;

use base::{Stream, Time};

use super::airtime::SLOT;
use super::keys::{Access, WlanKeys};

/// Who sends next. Senders go by their numbers on the medium.
#[derive(Debug)]
pub(super) enum Turns {
    /// One entry for each frame that waits, in the order of arrival.
    Order(VecDeque<u32>),
    /// By back-off.
    Slots(Slots),
}

impl Turns {
    /// For `senders`, with the random stream called `name`.
    pub(super) fn new(config: &WlanKeys, senders: usize, seed: u64, name: &str) -> Self {
        match config.access {
            Access::ContentionFree => Self::Order(VecDeque::new()),
            Access::CsmaCa => Self::Slots(Slots {
                windows: [config.cw_min, config.cw_max],
                elapsed: 0,
                backoffs: vec![Backoff::default(); senders],
                waiting: Vec::new(),
                chance: Stream::named(seed, &format!("{name} back-off")),
            }),
        }
    }

    /// `sender` has one more frame; the medium can be used since `idle_since`, or is busy.
    pub(super) fn join(&mut self, now: Time, sender: u32, idle_since: Option<Time>) {
        match self {
            Self::Order(order) => order.push_back(sender),
            Self::Slots(slots) => slots.join(now, sender, idle_since),
        }
    }

    /// When the next turn begins on a medium that can be used from `idle_from` on.
    pub(super) fn start(&self, idle_from: Time) -> Option<Time> {
        match self {
            Self::Order(order) => order.front().map(|_| idle_from),
            Self::Slots(slots) => {
                let slot = slots.next()? - slots.elapsed;
                Some(Time::from_nanos(idle_from.as_nanos() + slot * SLOT.as_nanos()))
            }
        }
    }

    /// The senders whose turn begins: if there are several, they collide.
    pub(super) fn take(&mut self, senders: &mut Vec<u32>) {
        match self {
            Self::Order(order) => senders.extend(order.pop_front()),
            Self::Slots(slots) => {
                let Some(next) = slots.next() else { return };
                slots.elapsed = next;
                let begins = |sender: &u32| slots.backoffs[*sender as usize].due == next;
                senders.extend(slots.waiting.iter().copied().filter(begins));
            }
        }
    }

    /// `sender` retransmits its frame, after `retries` failed transmissions.
    pub(super) fn again(&mut self, sender: u32, retries: u32) {
        match self {
            Self::Order(order) => order.push_front(sender),
            Self::Slots(slots) => slots.back_off(sender, retries),
        }
    }

    /// `sender` is done with its frame.
    pub(super) fn done(&mut self, sender: u32) {
        match self {
            Self::Order(_) => {}
            Self::Slots(slots) => slots.back_off(sender, 0),
        }
    }

    /// `sender` has nothing more to send.
    pub(super) fn leave(&mut self, sender: u32) {
        match self {
            Self::Order(_) => {}
            Self::Slots(slots) => {
                slots.backoffs[sender as usize].is_waiting = false;
                slots.waiting.retain(|other| *other != sender);
            }
        }
    }
}

/// Turns by back-off, as slots in which the medium is idle: a sender may send in slot `due`, and
/// while the medium is busy no slot passes, which freezes the counters.
#[derive(Debug)]
pub(super) struct Slots {
    /// The contention windows at first and at most, in slots.
    windows: [u32; 2],
    /// Slots that had passed when the medium was last taken.
    elapsed: u64,
    backoffs: Vec<Backoff>,
    /// Which senders have something to send.
    waiting: Vec<u32>,
    chance: Stream,
}

/// A sender's back-off.
#[derive(Clone, Copy, Default, Debug)]
struct Backoff {
    due: u64,
    is_waiting: bool,
}

impl Slots {
    fn join(&mut self, now: Time, sender: u32, idle_since: Option<Time>) {
        if self.backoffs[sender as usize].is_waiting {
            return;
        }
        let due = self.backoffs[sender as usize].due;
        match idle_since {
            // Its back-off has run meanwhile; if it is over, the frame is sent at once, here in the
            // next slot.
            Some(since) => {
                let passed = (now - since).as_nanos().div_ceil(SLOT.as_nanos());
                self.backoffs[sender as usize].due = due.max(self.elapsed + passed);
            }
            None if due <= self.elapsed => self.back_off(sender, 0),
            None => {}
        }
        self.backoffs[sender as usize].is_waiting = true;
        self.waiting.push(sender);
    }

    /// The slot of the next turn.
    fn next(&self) -> Option<u64> {
        self.waiting.iter().map(|sender| self.backoffs[*sender as usize].due).min()
    }

    /// The contention window after `retries` failed transmissions, in slots.
    fn window(&self, retries: u32) -> u32 {
        let [first, most] = self.windows;
        let doubled = (u64::from(first) + 1) << retries.min(32);
        (doubled - 1).min(u64::from(most.max(first))) as u32
    }

    fn back_off(&mut self, sender: u32, retries: u32) {
        let slots = self.chance.below(self.window(retries).saturating_add(1));
        self.backoffs[sender as usize].due = self.elapsed + u64::from(slots);
    }
}
