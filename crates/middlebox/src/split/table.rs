//! Connections by their names and numbers, and the flows of each.

use std::hash::BuildHasher;
use std::ops::{Index, IndexMut};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::FlowId;
use super::machine::Flow;
use super::side::Side;
use crate::{Address, Connection, Leg};

/// Connections by their numbers, and found by their names. A name is kept once, by its connection.
#[derive(Debug)]
pub(super) struct Table<P> {
    slots: Vec<Option<Box<Flow<P>>>>,
    free: Vec<u32>,
    index: HashTable<u32>,
}

impl<P> Default for Table<P> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new(), index: HashTable::new() }
    }
}

impl<P> Table<P> {
    /// The number of a connection, whichever way it is named.
    pub(super) fn find(&self, name: &Name) -> Option<u32> {
        let reversed = name.reversed();
        let is_it = |&slot: &u32| {
            let other = name_at(&self.slots, slot);
            other == name || *other == reversed
        };
        self.index.find(name.hash(), is_it).copied()
    }

    /// Adds a connection that is not there yet.
    pub(super) fn insert(&mut self, flow: Box<Flow<P>>) -> u32 {
        let hash = flow.name.hash();
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
    pub(super) fn remove(&mut self, slot: u32) -> Option<Box<Flow<P>>> {
        let flow = self[slot].take()?;
        if let Ok(entry) = self.index.find_entry(flow.name.hash(), |&other| other == slot) {
            entry.remove();
        }
        self.free.push(slot);
        Some(flow)
    }

    /// Above every number in use.
    pub(super) const fn bound(&self) -> u32 {
        self.slots.len() as u32
    }
}

impl<P> Index<u32> for Table<P> {
    type Output = Option<Box<Flow<P>>>;

    fn index(&self, slot: u32) -> &Self::Output {
        &self.slots[slot as usize]
    }
}

impl<P> IndexMut<u32> for Table<P> {
    fn index_mut(&mut self, slot: u32) -> &mut Self::Output {
        &mut self.slots[slot as usize]
    }
}

fn name_at<P>(slots: &[Option<Box<Flow<P>>>], slot: u32) -> &Name {
    &slots[slot as usize].as_ref().expect("only connections that are there are indexed").name
}

/// A connection's name in half the memory of [`Connection`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Name([End; 2]);

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
    pub(super) const fn of(connection: Connection) -> Self {
        let Connection { source, destination, source_port, destination_port } = connection;
        Self([End::new(source, source_port), End::new(destination, destination_port)])
    }

    pub(super) const fn connection(&self) -> Connection {
        let Self([source, destination]) = *self;
        Connection {
            source: source.address(),
            destination: destination.address(),
            source_port: source.port,
            destination_port: destination.port,
        }
    }

    /// As packets the other way name it.
    pub(super) const fn reversed(&self) -> Self {
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

/// Numbers of the directions that end at a mobile: consecutive, whichever they are.
#[derive(Debug, Default)]
pub(super) struct Directions {
    /// Twice the number of its connection, and one for the callee's data.
    of: Vec<u32>,
    free: Vec<u32>,
}

impl Directions {
    /// A number for the data of side `from` of connection `slot`.
    pub(super) fn add(&mut self, slot: u32, from: Side) -> FlowId {
        let direction = slot * 2 + from as u32;
        FlowId(if let Some(id) = self.free.pop() {
            self.of[id as usize] = direction;
            id
        } else {
            self.of.push(direction);
            self.of.len() as u32 - 1
        })
    }

    pub(super) fn remove(&mut self, flow: FlowId) {
        self.free.push(flow.0);
    }

    /// The connection, and whose data they are.
    pub(super) fn of(&self, flow: FlowId) -> (u32, Side) {
        let direction = self.of[flow.0 as usize];
        (direction / 2, if direction.is_multiple_of(2) { Side::Caller } else { Side::Callee })
    }
}
