//! Which mobiles the box knows, and for how long.

use std::collections::VecDeque;
use std::hash::BuildHasher;

use base::{Duration, Time};
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::{Address, MiddleboxLimits};

/// Mobiles by their numbers, each with all its addresses. One without connections keeps its number,
/// and what the radio leg has learned of it, for a while; then it is forgotten, and its number
/// reused.
#[derive(Debug, Default)]
pub(crate) struct Mobiles {
    numbers: HashTable<u32>,
    known: Vec<Mobile>,
    free: Vec<u32>,
    /// Mobiles to be looked at, each not before its time and at most once.
    quiet: VecDeque<(Time, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct Mobile {
    handset: Address,
    /// Directions of connections that end at it.
    flows: u32,
    /// When it last had one.
    last: Time,
    queued: bool,
}

impl Mobiles {
    /// The number of a mobile that is known.
    pub(crate) fn find(&self, address: Address) -> Option<u32> {
        let handset = address.handset();
        let is_it = |&number: &u32| self.known[number as usize].handset == handset;
        self.numbers.find(FxBuildHasher.hash_one(handset), is_it).copied()
    }

    /// One more flow to a mobile: its number.
    pub(crate) fn join(&mut self, address: Address) -> u32 {
        let number = self.find(address).unwrap_or_else(|| self.add(address));
        self.known[number as usize].flows += 1;
        number
    }

    /// Something comes to a mobile that is no flow: its number. Without any flow it is forgotten
    /// `patience` after the last.
    pub(crate) fn meet(&mut self, now: Time, address: Address, patience: Duration) -> u32 {
        let number = self.find(address).unwrap_or_else(|| self.add(address));
        let mobile = &mut self.known[number as usize];
        mobile.last = now;
        if mobile.flows == 0 && !std::mem::replace(&mut mobile.queued, true) {
            self.quiet.push_back((now + patience, number));
        }
        number
    }

    fn add(&mut self, address: Address) -> u32 {
        let handset = address.handset();
        let mobile = Mobile { handset, flows: 0, last: Time::ZERO, queued: false };
        let number = if let Some(number) = self.free.pop() {
            self.known[number as usize] = mobile;
            number
        } else {
            self.known.push(mobile);
            self.known.len() as u32 - 1
        };
        let hash = |number: u32| FxBuildHasher.hash_one(self.known[number as usize].handset);
        self.numbers.insert_unique(hash(number), number, |&number| hash(number));
        number
    }

    /// One flow less; without any the mobile is forgotten after `patience`.
    pub(crate) fn leave(&mut self, now: Time, number: u32, patience: Duration) {
        let mobile = &mut self.known[number as usize];
        mobile.flows -= 1;
        mobile.last = now;
        if mobile.flows == 0 && !std::mem::replace(&mut mobile.queued, true) {
            self.quiet.push_back((now + patience, number));
        }
    }

    /// The next mobile to be forgotten: it has had no connections for long, or for longer than
    /// others if more mobiles are without than may have some.
    pub(crate) fn forget(&mut self, now: Time, limits: &MiddleboxLimits) -> Option<(u32, Address)> {
        while let Some(&(looked, number)) = self.quiet.front()
            && (looked <= now || self.quiet.len() > limits.flows as usize)
        {
            self.quiet.pop_front();
            let mobile = &mut self.known[number as usize];
            let due = mobile.last + limits.idle;
            mobile.queued = mobile.flows == 0 && due > looked.max(now);
            if mobile.queued {
                self.quiet.push_back((due, number));
            } else if mobile.flows == 0 {
                let handset = mobile.handset;
                let hash = FxBuildHasher.hash_one(handset);
                if let Ok(entry) = self.numbers.find_entry(hash, |&other| other == number) {
                    entry.remove();
                }
                self.free.push(number);
                return Some((number, handset));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Leg;

    const LIMITS: MiddleboxLimits = MiddleboxLimits { flows: 10, ..MiddleboxLimits::NONE };

    const fn mobile(host: u128) -> Address {
        Address { leg: Leg::Radio, host }
    }

    fn come_and_go(mobiles: &mut Mobiles, now: Time, host: u128) -> Option<Address> {
        let forgotten = mobiles.forget(now, &LIMITS);
        let number = mobiles.join(mobile(host));
        mobiles.leave(now, number, LIMITS.idle);
        forgotten.map(|(_, address)| address)
    }

    /// However many come and go, no more are kept without connections than may have some: those go
    /// first that have been without for longest.
    #[test]
    fn quiet_mobiles_are_bounded() {
        let mut mobiles = Mobiles::default();
        let mut now = Time::ZERO;
        for host in 1..1_000 {
            now += Duration::from_millis(1);
            let gone = come_and_go(&mut mobiles, now, host);
            assert_eq!(gone, host.checked_sub(11).filter(|&host| host > 0).map(mobile));
        }
        assert_eq!(mobiles.known.len(), 11);
        // The one whose turn it is comes back.
        assert_eq!(come_and_go(&mut mobiles, now, 990), Some(mobile(989)));
        let number = mobiles.join(mobile(991));
        assert_eq!(come_and_go(&mut mobiles, now, 1_000), None);
        assert_eq!(come_and_go(&mut mobiles, now, 1_001), None);
        assert_eq!(come_and_go(&mut mobiles, now, 1_002), Some(mobile(992)));
        assert_eq!(mobiles.find(mobile(991)), Some(number));
        now += LIMITS.idle;
        let left = std::iter::from_fn(|| mobiles.forget(now, &LIMITS)).count();
        assert_eq!((left, mobiles.numbers.len()), (11, 1));
        mobiles.leave(now, number, LIMITS.idle);
        assert_eq!(mobiles.forget(now, &LIMITS), None);
        now += LIMITS.idle;
        assert_eq!(mobiles.forget(now, &LIMITS), Some((number, mobile(991))));
    }

    #[test]
    fn addresses_of_one_handset_have_one_number() {
        let mut mobiles = Mobiles::default();
        let prefix = 0x2001_0DB8_0045_0001 << 64;
        let number = mobiles.join(mobile(prefix | 1));
        assert_eq!(mobiles.join(mobile(prefix | 2)), number);
        assert_eq!(mobiles.find(mobile(prefix | 3)), Some(number));
        assert_ne!(mobiles.join(mobile((prefix + (1 << 64)) | 1)), number);
    }
}
