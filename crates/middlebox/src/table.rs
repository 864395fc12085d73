//! Connections by their names and numbers.

use std::hash::BuildHasher;
use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use crate::side::Side;
use crate::{Address, Connection, Leg};

/// What a table has of a connection, with its name as the caller's packets have it.
pub(crate) trait Named {
    fn name(&self) -> &Name;
}

/// Connections by their numbers, and found by their names. A name is kept once, by its connection.
#[derive(Debug)]
pub(crate) struct Table<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
    index: HashTable<u32>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), index: HashTable::new() }
    }
}

impl<T: Named> Table<T> {
    /// The number of a connection, and the end whose packets name it so.
    pub(crate) fn find(&self, connection: Connection) -> Option<(u32, Side)> {
        let name = Name::of(connection);
        let reversed = name.reversed();
        let is_it = |&slot: &u32| {
            let other = name_at(&self.slots, slot);
            *other == name || *other == reversed
        };
        let slot = *self.index.find(name.hash(), is_it)?;
        let is_caller = *name_at(&self.slots, slot) == name;
        Some((slot, if is_caller { Side::Caller } else { Side::Callee }))
    }

    /// Adds a connection that is not there yet.
    pub(crate) fn insert(&mut self, flow: T) -> u32 {
        let hash = flow.name().hash();
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[slot as usize] = Some(flow);
        let slots = &self.slots;
        self.index.insert_unique(hash, slot, |&slot| name_at(slots, slot).hash());
        slot
    }

    /// Removes a connection. Its number may be reused from now on.
    pub(crate) fn remove(&mut self, slot: u32) -> Option<T> {
        let flow = self[slot].take()?;
        if let Ok(entry) = self.index.find_entry(flow.name().hash(), |&other| other == slot) {
            entry.remove();
        }
        self.free.push(slot);
        Some(flow)
    }

    /// Above every number in use.
    pub(crate) const fn bound(&self) -> u32 {
        self.slots.len() as u32
    }
}

impl<T> Index<u32> for Table<T> {
    type Output = Option<T>;

    fn index(&self, slot: u32) -> &Self::Output {
        &self.slots[slot as usize]
    }
}

impl<T> IndexMut<u32> for Table<T> {
    fn index_mut(&mut self, slot: u32) -> &mut Self::Output {
        &mut self.slots[slot as usize]
    }
}

fn name_at<T: Named>(slots: &[Option<T>], slot: u32) -> &Name {
    slots[slot as usize].as_ref().expect("only connections that are there are indexed").name()
}

/// A connection's name in half the memory of [`Connection`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Name([End; 2]);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct End {
    /// High and low half, which have a smaller alignment than the whole.
    host: [u64; 2],
    port: u16,
    leg: Leg,
}

impl End {
    const fn new(address: Address, port: u16) -> Self {
        let Address { leg, host } = address;
        Self { host: [(host >> 64) as u64, host as u64], port, leg }
    }

    const fn address(self) -> Address {
        let [high, low] = self.host;
        Address { leg: self.leg, host: (high as u128) << 64 | low as u128 }
    }
}

impl Name {
    pub(crate) const fn of(connection: Connection) -> Self {
        let Connection { source, destination, source_port, destination_port } = connection;
        Self([End::new(source, source_port), End::new(destination, destination_port)])
    }

    pub(crate) const fn connection(&self) -> Connection {
        let Self([source, destination]) = *self;
        Connection {
            source: source.address(),
            destination: destination.address(),
            source_port: source.port,
            destination_port: destination.port,
        }
    }

    /// As packets the other way name it.
    pub(crate) const fn reversed(&self) -> Self {
        let Self([source, destination]) = *self;
        Self([destination, source])
    }

    /// The same for both ways.
    fn hash(&self) -> u64 {
        let [one, other] = self.0.map(|end| {
            let [high, low] = end.host;
            let rest = u64::from(end.port) << 1 | u64::from(end.leg == Leg::Radio);
            FxBuildHasher.hash_one([high, low, rest])
        });
        one.wrapping_add(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Named for Name {
        fn name(&self) -> &Name {
            self
        }
    }

    const fn connection(leg: Leg, port: u16) -> Connection {
        Connection {
            source: Address { leg: Leg::Wired, host: 7 },
            destination: Address { leg, host: 7 },
            source_port: 80,
            destination_port: port,
        }
    }

    #[test]
    fn either_direction_names_it() {
        for (leg, port) in [(Leg::Radio, 80), (Leg::Radio, 9), (Leg::Wired, 99)] {
            let (mut table, connection) = (Table::default(), connection(leg, port));
            let slot = table.insert(Name::of(connection));
            assert_eq!(table.find(connection), Some((slot, Side::Caller)));
            assert_eq!(table.find(connection.reversed()), Some((slot, Side::Callee)));
            assert_eq!(Name::of(connection).connection(), connection);
        }
    }

    #[test]
    fn numbers_of_connections_are_used_again() {
        let mut table = Table::default();
        let [a, b] = [1, 2].map(|port| connection(Leg::Radio, port));
        assert_eq!([a, b].map(|it| table.insert(Name::of(it))), [0, 1]);
        assert_eq!(table.remove(0), Some(Name::of(a)));
        assert_eq!((table.find(a), table.find(b)), (None, Some((1, Side::Caller))));
        assert_eq!(table.insert(Name::of(a)), 0);
    }
}
