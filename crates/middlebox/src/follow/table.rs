//! A table of connections, by their ends.

use std::cmp::Ordering;

use base::{Agenda, Time};

use crate::map::Map;
use crate::{Address, Connection, Leg};

/// One of the two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// The first in the name of the connection.
    One,
    /// The other.
    Other,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::One, Self::Other];

    pub(super) const fn opposite(self) -> Self {
        match self {
            Self::One => Self::Other,
            Self::Other => Self::One,
        }
    }
}

/// The name of a connection that packets of both directions have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Key(Connection);

impl Key {
    /// The name, and from which side packets that call it `connection` come.
    pub(super) fn of(connection: Connection) -> (Self, Side) {
        match rank(connection.source, connection.source_port)
            .cmp(&rank(connection.destination, connection.destination_port))
        {
            Ordering::Less | Ordering::Equal => (Self(connection), Side::One),
            Ordering::Greater => (Self(connection.reversed()), Side::Other),
        }
    }

    /// As packets of the caller name the connection.
    pub(super) const fn called_by(&self, caller: Side) -> Connection {
        match caller {
            Side::One => self.0,
            Side::Other => self.0.reversed(),
        }
    }

    /// The host on `side`.
    pub(super) const fn host(&self, side: Side) -> Address {
        match side {
            Side::One => self.0.source,
            Side::Other => self.0.destination,
        }
    }
}

fn rank(address: Address, port: u16) -> (u128, u16, bool) {
    (address.host, port, address.leg == Leg::Radio)
}

/// Entries by name and by number, and when they are due; numbers of removed entries are reused.
#[derive(Debug)]
pub(super) struct Table<T> {
    numbers: Map<Key, u32>,
    entries: Vec<Option<(Key, T)>>,
    free: Vec<u32>,
    agenda: Agenda,
}

impl<T> Table<T> {
    pub(super) fn new() -> Self {
        Self {
            numbers: Map::default(),
            entries: Vec::new(),
            free: Vec::new(),
            agenda: Agenda::default(),
        }
    }

    pub(super) fn find(&self, key: &Key) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    pub(super) fn insert(&mut self, key: Key, entry: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.entries.push(None);
            self.agenda.add()
        });
        self.entries[number as usize] = Some((key, entry));
        let before = self.numbers.insert(key, number);
        assert!(before.is_none(), "{key:?} has entry {before:?}");
        number
    }

    /// # Panics
    /// If there is no entry of that number.
    pub(super) fn get_mut(&mut self, number: u32) -> (&Key, &mut T) {
        let (key, entry) = self.entries[number as usize].as_mut().expect("an entry that is there");
        (key, entry)
    }

    /// # Panics
    /// If there is no entry of that number.
    pub(super) fn remove(&mut self, number: u32) -> (Key, T) {
        let (key, entry) = self.entries[number as usize].take().expect("an entry that is there");
        self.numbers.remove(&key);
        self.agenda.set(number, None);
        self.free.push(number);
        (key, entry)
    }

    /// The numbers of all entries.
    pub(super) fn numbers(&self) -> Vec<u32> {
        let taken = self.entries.iter().zip(0..).filter(|(entry, _)| entry.is_some());
        taken.map(|(_, number)| number).collect()
    }

    /// How many entries there have been at once, at most.
    #[cfg(test)]
    pub(super) const fn places(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn set_deadline(&mut self, number: u32, deadline: Time) {
        self.agenda.set(number, Some(deadline));
    }

    /// The next entry that is due.
    pub(super) fn due(&mut self, now: Time) -> Option<u32> {
        self.agenda.next(now).map(|(_, number)| number)
    }

    /// When the next entry is due.
    pub(super) fn next_deadline(&mut self) -> Option<Time> {
        self.agenda.peek()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn connection(leg: Leg, port: u16) -> Connection {
        Connection {
            source: Address { leg: Leg::Wired, host: 7 },
            destination: Address { leg, host: 7 },
            source_port: 80,
            destination_port: port,
        }
    }

    #[test]
    fn both_directions_have_one_name() {
        for named in [(Leg::Radio, 80), (Leg::Radio, 9), (Leg::Wired, 99)] {
            let named = connection(named.0, named.1);
            let (there, from) = Key::of(named);
            let (back, to) = Key::of(named.reversed());
            assert_eq!((there, from), (back, to.opposite()));
            assert_eq!(there.host(from), named.source);
            assert_eq!(there.host(to), named.destination);
        }
    }

    #[test]
    fn numbers_of_entries_are_used_again() {
        let mut table = Table::new();
        let [a, b] = [1, 2].map(|port| Key::of(connection(Leg::Radio, port)).0);
        assert_eq!((table.insert(a, 'a'), table.insert(b, 'b')), (0, 1));
        assert_eq!(table.remove(0).1, 'a');
        assert_eq!((table.find(&a), table.find(&b)), (None, Some(1)));
        assert_eq!(table.insert(a, 'c'), 0);
    }
}
