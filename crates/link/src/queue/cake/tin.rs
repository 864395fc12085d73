//! A tin: flows that take turns, those of a host with a share of its turns (`sch_cake`: DRR++ and
//! triple isolation).

use std::mem;

use base::{Rate, Stream, Time};
use rustc_hash::FxHashMap;

use super::cobalt::{Cobalt, Leaving, Parameters};
use super::diffserv::Share;
use super::list::{Links, List};
use super::{Config, MTU};
use crate::Load;
use crate::queue::lane::Lane;
use crate::queue::{Queued, Verdict};

/// Parts of a byte in which credits are counted, so that shares of a turn are exact.
const PARTS: i64 = 1 << 16;

/// A turn is what the rate carries in 1/4096 s, but no less and no more than so many bytes
/// (`sch_cake`).
const LEAST_QUANTUM: u64 = 300;

/// Flows of one class of service.
#[derive(Debug)]
pub(super) struct Tin<T> {
    cobalt: Parameters,
    /// Parts of a byte that a flow may send in a turn, if it has it to itself.
    quantum: i64,
    /// True for those among whom turns are fair: hosts that send, hosts that receive.
    among: [bool; 2],
    flows: Vec<Flow<T>>,
    /// The index of each flow that has a lane, by its key.
    places: FxHashMap<u64, u32>,
    /// Indices of lanes that no flow has.
    free: Vec<u32>,
    hosts: Hosts,
    new: List,
    old: List,
    /// Flows that have nothing, but whose AQM is not at rest.
    decaying: List,
    /// Number of flows on the other two lists.
    active: u32,
    /// The index of the flow whose packet came out last.
    served: u32,
}

#[derive(Debug)]
pub(super) struct Flow<T> {
    key: u64,
    /// The places of its hosts, of which the first sends.
    hosts: [u32; 2],
    set: Set,
    pub(super) links: Links,
    /// Parts of a byte that it may still send in this turn.
    credits: i64,
    lane: Lane<T>,
    cobalt: Cobalt,
}

/// State of a flow in its tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Set {
    /// On no list.
    None,
    /// New: it has not yet had a turn.
    Sparse,
    /// Old without having been a burden: it was empty at its second turn.
    SparseWait,
    /// Old, and counted as a burden of its hosts.
    Bulk,
    Decaying,
}

/// Hosts, and the flows that are a burden to each.
#[derive(Debug, Default)]
struct Hosts {
    places: FxHashMap<u32, u32>,
    /// The bulk flows that each sends and receives.
    bulk: Vec<[u32; 2]>,
}

impl Hosts {
    fn place(&mut self, host: u32) -> u32 {
        let next = self.bulk.len() as u32;
        let place = *self.places.entry(host).or_insert(next);
        if place == next {
            self.bulk.push([0, 0]);
        }
        place
    }

    fn add(&mut self, [source, destination]: [u32; 2]) {
        self.bulk[source as usize][0] += 1;
        self.bulk[destination as usize][1] += 1;
    }

    fn remove(&mut self, [source, destination]: [u32; 2]) {
        self.bulk[source as usize][0] -= 1;
        self.bulk[destination as usize][1] -= 1;
    }

    /// Among how many flows a turn is shared.
    fn load(&self, [source, destination]: [u32; 2], among: [bool; 2]) -> u32 {
        let sends = if among[0] { self.bulk[source as usize][0] } else { 1 };
        let receives = if among[1] { self.bulk[destination as usize][1] } else { 1 };
        sends.max(receives).max(1)
    }
}

impl<T: Load> Flow<T> {
    /// Oldest packet, and the verdict on it.
    fn pop(
        &mut self,
        of: &Parameters,
        now: Time,
        chance: &mut Stream,
    ) -> Option<(Queued<T>, Verdict)> {
        let mut queued = self.lane.pop()?;
        let sojourn = now.saturating_since(queued.since);
        let leaving = Leaving { sojourn, is_last: self.lane.len() == 0 };
        let mark = || queued.packet.mark();
        let verdict = self.cobalt.on_departure(of, now, leaving, chance, mark);
        Some((queued, verdict))
    }
}

impl<T: Load> Tin<T> {
    pub(super) fn new(config: &Config, share: Share) -> Self {
        let most = u64::from(MTU);
        let turn = |rate: Rate| (rate.as_bps() / 8 / 4096).clamp(LEAST_QUANTUM, most);
        Self {
            cobalt: Parameters::new(share.rate, config.rtt),
            quantum: share.rate.map_or(most, turn) as i64 * PARTS,
            among: config.isolation.among(),
            flows: Vec::new(),
            places: FxHashMap::default(),
            free: Vec::new(),
            hosts: Hosts::default(),
            new: List::EMPTY,
            old: List::EMPTY,
            decaying: List::EMPTY,
            active: 0,
            served: 0,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.flows.iter().flat_map(|flow| flow.lane.iter())
    }

    /// True if a flow is on a list of those that may have something.
    pub(super) const fn is_active(&self) -> bool {
        self.active > 0
    }

    /// Puts a packet behind what is in the queue with `key`, which becomes a new one if it has had
    /// nothing.
    pub(super) fn push(&mut self, key: u64, queued: Queued<T>) {
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => self.settle(key, queued.packet.hosts()),
        };
        let flow = &mut self.flows[place as usize];
        flow.lane.push(queued);
        let (hosts, set) = (flow.hosts, flow.set);
        match set {
            Set::None | Set::Decaying => {
                flow.set = Set::Sparse;
                flow.credits = self.quantum / i64::from(self.hosts.load(hosts, self.among));
                if set == Set::Decaying {
                    self.decaying.remove(&mut self.flows, place);
                }
                self.new.push(&mut self.flows, place);
                self.active += 1;
            }
            Set::SparseWait => {
                flow.set = Set::Bulk;
                self.hosts.add(hosts);
            }
            Set::Sparse | Set::Bulk => {}
        }
    }

    /// The next packet: of the first new flow, else of the first old one, that has credits left.
    /// `None` if that has nothing, which is then no longer among them. If the packet goes on,
    /// [`Self::sent`] is to be called; if it is dropped, [`Self::pop_again`].
    ///
    /// A decaying flow `is_due` first, if there is one: once for each packet.
    pub(super) fn pop(
        &mut self,
        now: Time,
        is_due: &mut bool,
        chance: &mut Stream,
    ) -> Option<(Queued<T>, Verdict)> {
        if mem::take(is_due)
            && let Some(place) = self.decaying.first()
        {
            self.leave(place, now);
            return None;
        }
        loop {
            let place = self.new.first().or_else(|| self.old.first())?;
            let flow = &mut self.flows[place as usize];
            if flow.credits <= 0 {
                self.renew(place);
                continue;
            }
            let Some(turn) = flow.pop(&self.cobalt, now, chance) else {
                self.leave(place, now);
                return None;
            };
            self.served = place;
            return Some(turn);
        }
    }

    /// The next packet of the flow whose packet was just dropped.
    pub(super) fn pop_again(
        &mut self,
        now: Time,
        chance: &mut Stream,
    ) -> Option<(Queued<T>, Verdict)> {
        self.flows[self.served as usize].pop(&self.cobalt, now, chance)
    }

    /// The packet that came out last goes on and counts for `bytes`: its flow pays for it.
    pub(super) fn sent(&mut self, bytes: u32) {
        self.flows[self.served as usize].credits -= i64::from(bytes) * PARTS;
    }

    /// The index of the flow with most bytes and how many, a packet of `bytes` that arrives for
    /// `key` with them.
    pub(super) fn longest(&self, arriving: Option<(u64, u32)>) -> Option<(u32, u64)> {
        let waiting = (0..).zip(&self.flows).filter(|(_, flow)| flow.lane.len() > 0);
        let length = |(place, flow): (u32, &Flow<T>)| {
            let more = arriving.filter(|(key, _)| *key == flow.key).map_or(0, |(_, bytes)| bytes);
            (place, flow.lane.bytes() + u64::from(more))
        };
        let longest =
            |one: (u32, u64), other: (u32, u64)| if other.1 > one.1 { other } else { one };
        waiting.map(length).reduce(longest)
    }

    /// The oldest packet of the flow at `place`, which goes to make room.
    pub(super) fn evict(&mut self, place: u32, now: Time) -> Option<Queued<T>> {
        let flow = &mut self.flows[place as usize];
        let queued = flow.lane.pop()?;
        flow.cobalt.on_full(&self.cobalt, now);
        Some(queued)
    }

    /// Gives the queue with `key` a lane.
    fn settle(&mut self, key: u64, hosts: [u32; 2]) -> u32 {
        let hosts = hosts.map(|host| self.hosts.place(host));
        let place = self.free.pop().unwrap_or(self.flows.len() as u32);
        if let Some(flow) = self.flows.get_mut(place as usize) {
            (flow.key, flow.hosts, flow.cobalt) = (key, hosts, Cobalt::new());
        } else {
            let (lane, cobalt) = (Lane::new(), Cobalt::new());
            let (set, links, credits) = (Set::None, Links::NONE, 0);
            self.flows.push(Flow { key, hosts, set, links, credits, lane, cobalt });
        }
        self.places.insert(key, place);
        place
    }

    /// The flow at `place` has had its turn, and waits for the next.
    fn renew(&mut self, place: u32) {
        let flow = &mut self.flows[place as usize];
        let (set, hosts) = (flow.set, flow.hosts);
        if set == Set::Sparse {
            let is_empty = flow.lane.len() == 0;
            flow.set = if is_empty { Set::SparseWait } else { Set::Bulk };
            if !is_empty {
                self.hosts.add(hosts);
            }
        }
        flow.credits += self.quantum / i64::from(self.hosts.load(hosts, self.among));
        let list = if set == Set::Sparse { &mut self.new } else { &mut self.old };
        list.pop(&mut self.flows, place);
        self.old.push(&mut self.flows, place);
    }

    /// Turn of the flow at `place`, which has nothing.
    fn leave(&mut self, place: u32, now: Time) {
        let flow = &mut self.flows[place as usize];
        flow.cobalt.on_empty(&self.cobalt, now);
        let is_at_rest = flow.cobalt.is_at_rest(now);
        let set = mem::replace(&mut flow.set, if is_at_rest { Set::None } else { Set::Decaying });
        let (key, hosts) = (flow.key, flow.hosts);
        let list = match set {
            Set::Sparse => &mut self.new,
            Set::SparseWait | Set::Bulk => &mut self.old,
            Set::Decaying | Set::None => &mut self.decaying,
        };
        list.pop(&mut self.flows, place);
        self.active -= u32::from(set != Set::Decaying);
        if set == Set::Bulk {
            self.hosts.remove(hosts);
        }
        if is_at_rest {
            self.places.remove(&key);
            self.free.push(place);
        } else {
            self.decaying.push(&mut self.flows, place);
        }
    }
}
