//! The journal that a dead worker leaves behind: the connections that would hang without it.

use std::sync::atomic::{AtomicU64, Ordering};

use base::Seq;
use middlebox::{Address, Connection, Exposure, Leg};

use super::memory::SharedWords;

/// A slot for each connection there can be, in memory that the supervisor shares, and behind a
/// header of which all but one word is for the file that it is ([`super::journal_file`]).
///
/// A worker may be killed between any two of its writes. A packet leaves only after its
/// consequences were noted, so that a slot is usable whichever writes were done: a connection is
/// named first and made valid last, and the numbers of either direction are one word.
#[derive(Debug)]
pub(super) struct Journal {
    words: SharedWords,
}

/// Words of a slot, and of the header: 64 bytes, a line of the cache.
pub(super) const SLOT: usize = 8;

/// The position in the header of one past the highest slot that was ever written.
const USED: usize = SLOT - 1;

/// Their positions in it: the head with flags and ports; two words of either address; the numbers
/// of the caller's direction and of the callee's.
const HEAD: usize = 0;
const SOURCE: usize = 1;
const DESTINATION: usize = 3;
const CALLER: usize = 5;
const CALLEE: usize = 6;

/// The flags in the head: whether it is valid, and which addresses are mobiles.
const VALID: u64 = 1;
const SOURCE_IS_RADIO: u64 = 2;
const DESTINATION_IS_RADIO: u64 = 4;
const PORTS: u32 = 32;
const UNUSED: u64 = ((1 << PORTS) - 1) & !(VALID | SOURCE_IS_RADIO | DESTINATION_IS_RADIO);

impl Journal {
    /// In words that are all zero behind the first ones of the header.
    pub(super) const fn new(words: SharedWords) -> Self {
        Self { words }
    }

    /// How many words a journal with `places` has.
    pub(super) const fn words(places: u32) -> usize {
        (1 + places as usize) * SLOT
    }

    fn used(&self) -> &AtomicU64 {
        &self.words[USED]
    }

    fn slots(&self) -> &[AtomicU64] {
        &self.words[SLOT..]
    }

    /// Notes what would become of the connection at `place`; true if that was exposed before.
    pub(super) fn note(&self, place: u32, exposure: Option<&Exposure>) -> bool {
        let slot = self.slot(place);
        let was = slot[HEAD].load(Ordering::Relaxed);
        let Some(exposure) = exposure else {
            slot[HEAD].store(0, Ordering::Release);
            return was & VALID != 0;
        };
        let connection = &exposure.connection;
        let head = head(connection);
        let is_same = was == head
            && read_host(slot, SOURCE) == connection.source.host
            && read_host(slot, DESTINATION) == connection.destination.host;
        if !is_same {
            slot[HEAD].store(0, Ordering::Release);
            self.used().fetch_max(u64::from(place) + 1, Ordering::Release);
            write_host(slot, SOURCE, connection.source.host);
            write_host(slot, DESTINATION, connection.destination.host);
        }
        for (at, pair) in numbers(exposure) {
            slot[at].store(pair, Ordering::Release);
        }
        slot[HEAD].store(head, Ordering::Release);
        was & VALID != 0
    }

    /// All that is noted. While a worker writes, one may have its ends from two connections.
    pub(super) fn exposed(&self) -> impl Iterator<Item = Exposure> {
        exposed(&self.words)
    }

    /// Forgets everything, while nobody writes.
    pub(super) fn clear(&self) {
        let used = self.used().swap(0, Ordering::AcqRel) as usize;
        for slot in self.slots().chunks_exact(SLOT).take(used) {
            slot[HEAD].store(0, Ordering::Release);
        }
    }

    fn slot(&self, place: u32) -> &[AtomicU64] {
        let start = place as usize * SLOT;
        &self.slots()[start..start + SLOT]
    }
}

/// All that is noted in the words of a journal.
fn exposed(words: &[AtomicU64]) -> impl Iterator<Item = Exposure> {
    let (header, slots) = words.split_at(SLOT);
    let used = header[USED].load(Ordering::Acquire) as usize;
    slots.chunks_exact(SLOT).take(used).filter_map(read)
}

/// All connections in a journal that was left behind; `None` if it is not a valid journal.
pub(super) fn left_in(words: &[AtomicU64]) -> Option<Vec<Exposure>> {
    let (header, slots) = words.split_at_checked(SLOT)?;
    let used = header[USED].load(Ordering::Relaxed);
    let is_sound = |slot: &[AtomicU64]| {
        let head = slot[HEAD].load(Ordering::Relaxed);
        let has_mobile = head & (SOURCE_IS_RADIO | DESTINATION_IS_RADIO) != 0;
        head == 0 || head & VALID != 0 && has_mobile && head & UNUSED == 0
    };
    let fits = used <= (slots.len() / SLOT) as u64;
    let is_whole = fits && slots.chunks(SLOT).all(|slot| slot.len() == SLOT && is_sound(slot));
    is_whole.then(|| exposed(words).collect())
}

fn head(connection: &Connection) -> u64 {
    let source = if connection.source.leg == Leg::Radio { SOURCE_IS_RADIO } else { 0 };
    let destination =
        if connection.destination.leg == Leg::Radio { DESTINATION_IS_RADIO } else { 0 };
    let ports = u64::from(connection.source_port) << 16 | u64::from(connection.destination_port);
    VALID | source | destination | ports << PORTS
}

/// The numbers of either direction, and where they stand.
fn numbers(exposure: &Exposure) -> [(usize, u64); 2] {
    let pair = |next: Seq, acked: Seq| u64::from(next.to_u32()) << 32 | u64::from(acked.to_u32());
    [
        (CALLER, pair(exposure.caller_next, exposure.caller_acked)),
        (CALLEE, pair(exposure.callee_next, exposure.callee_acked)),
    ]
}

fn write_host(slot: &[AtomicU64], at: usize, host: u128) {
    slot[at].store((host >> 64) as u64, Ordering::Release);
    slot[at + 1].store(host as u64, Ordering::Release);
}

fn read_host(slot: &[AtomicU64], at: usize) -> u128 {
    let [high, low] = [0, 1].map(|word| u128::from(slot[at + word].load(Ordering::Acquire)));
    high << 64 | low
}

fn read(slot: &[AtomicU64]) -> Option<Exposure> {
    let head = slot[HEAD].load(Ordering::Acquire);
    if head & VALID == 0 {
        return None;
    }
    let address = |at, radio| Address {
        leg: if head & radio == 0 { Leg::Wired } else { Leg::Radio },
        host: read_host(slot, at),
    };
    let ports = (head >> PORTS) as u32;
    let number =
        |at: usize, shift: u32| Seq::new((slot[at].load(Ordering::Acquire) >> shift) as u32);
    Some(Exposure {
        connection: Connection {
            source: address(SOURCE, SOURCE_IS_RADIO),
            destination: address(DESTINATION, DESTINATION_IS_RADIO),
            source_port: (ports >> 16) as u16,
            destination_port: ports as u16,
        },
        caller_next: number(CALLER, 32),
        caller_acked: number(CALLER, 0),
        callee_next: number(CALLEE, 32),
        callee_acked: number(CALLEE, 0),
    })
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

    use super::*;
    use crate::fixtures;

    fn journal(places: u32) -> Journal {
        Journal::new(SharedWords::new(Journal::words(places)).expect("memory"))
    }

    fn exposure(port: u16, number: u32) -> Exposure {
        let acked = number.wrapping_sub(1);
        fixtures::exposure(port, [number, acked, number.wrapping_add(2), number ^ 0xffff])
    }

    #[test]
    fn what_is_noted_is_read_back() {
        let journal = journal(8);
        let (one, other) = (exposure(1, 0xffff_ffff), exposure(65_535, 5));
        assert!(!journal.note(7, Some(&one)));
        assert!(!journal.note(2, Some(&other)));
        assert_eq!(journal.exposed().collect::<Vec<_>>(), [other, one]);
        assert!(journal.note(7, Some(&other)), "another connection may take the place");
        assert!(journal.note(2, None));
        assert!(!journal.note(2, None));
        assert_eq!(journal.exposed().collect::<Vec<_>>(), [other]);
        journal.clear();
        assert_eq!(journal.exposed().count(), 0);
    }

    /// A journal is read back as it was written, and an invalid one is refused.
    #[test]
    fn what_is_damaged_is_none() {
        let journal = journal(4);
        let of = exposure(1, 5);
        assert_eq!(left_in(&journal.words), Some(Vec::new()));
        journal.note(1, Some(&of));
        assert_eq!(left_in(&journal.words), Some(vec![of]));
        assert_eq!(left_in(&journal.words[..SLOT - 1]), None);
        assert_eq!(left_in(&journal.words[..Journal::words(4) - 1]), None);
        assert_eq!(left_in(&journal.words[..SLOT]), None, "a place is missing");
        for (at, word) in [(USED, 5), (SLOT + HEAD, 2), (SLOT + HEAD, 9), (SLOT + HEAD, 1)] {
            let before = journal.words[at].swap(word, Ordering::Relaxed);
            assert_eq!(left_in(&journal.words), None, "{word} at {at}");
            journal.words[at].store(before, Ordering::Relaxed);
        }
    }

    /// Whichever writes of a slot are done before the worker is killed, no connection appears that
    /// never existed, and none that goes on disappears.
    #[test]
    fn a_torn_write_is_an_old_slot_or_a_new_one() {
        let (old, new) = (exposure(1, 100), exposure(1, 200));
        let stranger = exposure(2, 300);
        let words = |exposure: Option<&Exposure>| {
            let journal = journal(1);
            journal.note(0, exposure);
            journal.slots().iter().map(|word| word.load(Ordering::Relaxed)).collect::<Vec<_>>()
        };
        let order = [SOURCE, SOURCE + 1, DESTINATION, DESTINATION + 1, CALLER, CALLEE, HEAD];
        for (before, after) in [(Some(&old), Some(&new)), (None, Some(&stranger))] {
            let (from, to) = (words(before), words(after));
            for torn in 0..=order.len() {
                let journal = journal(1);
                journal.used().store(1, Ordering::Relaxed);
                for (slot, word) in journal.slots().iter().zip(&from) {
                    slot.store(*word, Ordering::Relaxed);
                }
                for at in &order[..torn] {
                    journal.slots()[*at].store(to[*at], Ordering::Relaxed);
                }
                let read: Vec<_> = journal.exposed().collect();
                let connections: Vec<_> = read.iter().map(|each| each.connection).collect();
                let expected =
                    if torn == order.len() { after } else { before }.map(|each| each.connection);
                assert_eq!(connections, expected.into_iter().collect::<Vec<_>>(), "{torn} words");
                let ok = |next: Seq| [100, 200, 300].contains(&next.to_u32());
                assert!(read.iter().all(|each| ok(each.caller_next)), "{torn} words");
            }
        }
    }

    /// A process that is killed at any moment leaves slots of which every number was written by it.
    #[test]
    #[expect(unsafe_code, reason = "another process writes, and is killed")]
    fn a_killed_writer_leaves_whole_slots() {
        let journal = journal(16);
        for round in 0..20_u32 {
            journal.clear();
            // SAFETY: the child touches shared memory only, and never returns.
            let child = unsafe { libc::fork() };
            if child == 0 {
                for number in 0.. {
                    let exposure = exposure((number % 5) as u16, number);
                    journal.note(number % 16, (number % 7 > 0).then_some(&exposure));
                }
            }
            let child = Pid::from_raw(child).expect("a child");
            while journal.exposed().count() == 0 {
                std::hint::spin_loop();
            }
            for _ in 0..round * 1000 {
                std::hint::spin_loop();
            }
            kill_process(child, Signal::KILL).expect("it may be");
            waitpid(Some(child), WaitOptions::empty()).expect("it is ours");
            for found in journal.exposed() {
                let sent = found.caller_next.to_u32();
                assert_eq!(found.caller_acked.to_u32(), sent.wrapping_sub(1));
                let sent = found.callee_next.to_u32().wrapping_sub(2);
                assert_eq!(found.callee_acked.to_u32(), sent ^ 0xffff);
                let host = u128::MAX - u128::from(found.connection.source_port);
                assert_eq!(found.connection.source.host, host);
            }
        }
    }
}
