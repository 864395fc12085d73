//! Which mobiles the box knows, and for how long.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use base::{Duration, Time};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::Address;

/// Mobiles by their numbers. One without connections keeps its number for a while, and what the
/// radio leg has learned of it; then it is forgotten, and the number is another's.
#[derive(Debug, Default)]
pub(crate) struct Mobiles {
    numbers: HashTable<u32>,
    known: Vec<Mobile>,
    free: Vec<u32>,
    /// Mobiles to be looked at, none before this time: each at most once, whatever becomes of it.
    quiet: VecDeque<(Time, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Mobile {
    address: Address,
    /// Directions of connections that end at it.
    flows: u32,
    /// When it last had one.
    last: Time,
    queued: bool,
}

impl Mobiles {
    /// The number of a mobile that is known.
    pub(crate) fn find(&self, address: Address) -> Option<u32> {
        let is_it = |&number: &u32| self.known[number as usize].address == address;
        self.numbers.find(FxBuildHasher.hash_one(address), is_it).copied()
    }

    /// One more flow to a mobile: its number.
    pub(crate) fn join(&mut self, address: Address) -> u32 {
        let number = self.find(address).unwrap_or_else(|| self.add(address));
        self.known[number as usize].flows += 1;
        number
    }

    fn add(&mut self, address: Address) -> u32 {
        let mobile = Mobile { address, flows: 0, last: Time::ZERO, queued: false };
        let number = if let Some(number) = self.free.pop() {
            self.known[number as usize] = mobile;
            number
        } else {
            self.known.push(mobile);
            self.known.len() as u32 - 1
        };
        let hash = |number: u32| FxBuildHasher.hash_one(self.known[number as usize].address);
        self.numbers.insert_unique(hash(number), number, |&number| hash(number));
        number
    }

    /// One less; without any it is forgotten after `patience`.
    pub(crate) fn leave(&mut self, now: Time, number: u32, patience: Duration) {
        let mobile = &mut self.known[number as usize];
        mobile.flows -= 1;
        mobile.last = now;
        if mobile.flows == 0 && !std::mem::replace(&mut mobile.queued, true) {
            self.quiet.push_back((now + patience, number));
        }
    }

    /// The next mobile that is forgotten.
    pub(crate) fn forget(&mut self, now: Time, patience: Duration) -> Option<(u32, Address)> {
        while let Some(&(due, number)) = self.quiet.front()
            && due <= now
        {
            self.quiet.pop_front();
            let mobile = &mut self.known[number as usize];
            let due = mobile.last + patience;
            mobile.queued = mobile.flows == 0 && due > now;
            if mobile.queued {
                self.quiet.push_back((due, number));
            } else if mobile.flows == 0 {
                let address = mobile.address;
                let hash = FxBuildHasher.hash_one(address);
                if let Ok(entry) = self.numbers.find_entry(hash, |&other| other == number) {
                    entry.remove();
                }
                self.free.push(number);
                return Some((number, address));
            }
        }
        None
    }
}
