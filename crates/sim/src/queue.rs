//! The queues ahead of links and bearers, packet by packet.

use std::collections::BTreeMap;

use base::{Duration, Time};
use observe::{DropReason, PacketEvent, PacketFact};
use world::{Body, Hop, Machine, NodeId, World};

/// A queue after a packet came, left or was dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueueRow {
    /// When.
    pub time: Time,
    /// The packet's number.
    pub uid: u64,
    /// The direction of a link or bearer, as an index into the links of the run's summary.
    pub link: u32,
    /// What happened.
    pub event: QueueEvent,
    /// Packets that wait now. One that is being sent waits no longer; one in the core network of
    /// GPRS does.
    pub packets: u32,
    /// Their bytes at the IP layer.
    pub bytes: u64,
}

/// What happened to a packet at a queue.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum QueueEvent {
    /// It came.
    Entered,
    /// Its first bit is sent: it had waited for so long.
    Dequeued(Duration),
    /// It was dropped: on arrival, or later, in the queue or behind it.
    Dropped(DropReason),
}

/// Records what comes to queues and leaves them.
#[derive(Debug, Default)]
pub(crate) struct Queues {
    /// By number of the machine.
    places: Vec<Option<Place>>,
    /// In the order in which they became known.
    changes: Vec<Change>,
    /// Packets that wait or are being sent, by machine and packet.
    held: BTreeMap<(u32, u64), Held>,
}

/// Which entries of the summary's links a machine is.
#[derive(Debug)]
struct Place {
    /// The first; where it has two directions, that towards mobiles.
    link: u32,
    /// The nodes from which packets go towards mobiles; empty if it has one direction.
    above: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Change {
    time: Time,
    uid: u64,
    link: u32,
    event: QueueEvent,
    /// What it does to the number of packets that wait: one more, one less or nothing.
    packets: i32,
    bytes: u32,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    since: Time,
    link: u32,
    bytes: u32,
    /// Its first change.
    change: usize,
    /// A radio may begin anew with an SDU: the first time counts.
    is_dequeued: bool,
}

impl Place {
    /// That of a machine whose first link is `link`; `None` if nothing waits there.
    fn of<B: Body>(machine: &Machine<B>, link: u32) -> Option<Self> {
        let above = match machine.hop()? {
            Hop::Pipe { pipe, .. } if pipe.rate().is_none() => return None,
            Hop::Pipe { .. } | Hop::Link { .. } => Vec::new(),
            Hop::Radio(radio) => vec![radio.network.0],
            Hop::Wlan { directory, .. } => {
                directory.pairs().map(|(NodeId(router), _)| router).collect()
            }
        };
        Some(Self { link, above })
    }

    /// How many entries of the summary's links a machine is.
    const fn links_of<B: Body>(machine: &Machine<B>) -> u32 {
        match machine.hop() {
            Some(Hop::Pipe { .. } | Hop::Link { .. }) => 1,
            Some(Hop::Radio(_) | Hop::Wlan { .. }) => 2,
            None => 0,
        }
    }

    /// The link of what enters at `node`.
    fn link(&self, node: u32) -> u32 {
        self.link + u32::from(!self.above.is_empty() && !self.above.contains(&node))
    }
}

impl Queues {
    /// Those of `world`, in which nothing waits yet.
    pub(crate) fn new<B: Body>(world: &World<B>) -> Self {
        let mut link = 0;
        let place = |(_, _, machine): (_, _, &Machine<B>)| {
            let place = Place::of(machine, link);
            link += Place::links_of(machine);
            place
        };
        Self { places: world.machines().map(place).collect(), ..Self::default() }
    }

    /// A packet was handed to a machine, came out of it, or was dropped there.
    pub(crate) fn packet(&mut self, now: Time, fact: &PacketFact<'_>) {
        let Some(Some(place)) = self.places.get(fact.machine as usize) else { return };
        match fact.event {
            PacketEvent::Departed
            | PacketEvent::Arrived
            | PacketEvent::Duplicated(_)
            | PacketEvent::Corrupted => {}
            PacketEvent::Entered => {
                let link = place.link(fact.node.unwrap_or(fact.source));
                self.enter(now, link, fact);
            }
            PacketEvent::Left => {
                self.dequeued(now, fact.machine, fact.uid);
                self.held.remove(&(fact.machine, fact.uid));
            }
            PacketEvent::Dropped(reason) => self.drop(now, fact, reason),
        }
    }

    /// It leaves the queue at `time`, which may be still to come.
    pub(crate) fn dequeued(&mut self, time: Time, machine: u32, uid: u64) {
        let Some(held) = self.held.get_mut(&(machine, uid)) else { return };
        if !std::mem::replace(&mut held.is_dequeued, true) {
            let event = QueueEvent::Dequeued(time.saturating_since(held.since));
            let Held { link, bytes, .. } = *held;
            self.changes.push(Change { time, uid, link, event, packets: -1, bytes });
        }
    }

    fn enter(&mut self, time: Time, link: u32, fact: &PacketFact<'_>) {
        // A copy of a packet that is still there takes its place.
        self.dequeued(time, fact.machine, fact.uid);
        let (bytes, change) = (fact.bytes, self.changes.len());
        let held = Held { since: time, link, bytes, change, is_dequeued: false };
        self.held.insert((fact.machine, fact.uid), held);
        let event = QueueEvent::Entered;
        self.changes.push(Change { time, uid: fact.uid, link, event, packets: 1, bytes });
    }

    fn drop(&mut self, time: Time, fact: &PacketFact<'_>, reason: DropReason) {
        let Some(held) = self.held.remove(&(fact.machine, fact.uid)) else { return };
        let Held { since, link, bytes, change, is_dequeued } = held;
        let uid = fact.uid;
        let event = QueueEvent::Dropped(reason);
        if since == time && !is_dequeued {
            // It never waited.
            self.changes[change] = Change { time, uid, link, event, packets: 0, bytes };
        } else {
            let packets = if is_dequeued { 0 } else { -1 };
            self.changes.push(Change { time, uid, link, event, packets, bytes });
        }
    }

    /// What has happened by `until`, in order of time.
    pub(crate) fn rows(mut self, until: Time) -> Vec<QueueRow> {
        self.changes.retain(|change| change.time <= until);
        self.changes.sort_by_key(|change| change.time);
        let mut waiting: BTreeMap<u32, (u32, u64)> = BTreeMap::new();
        let row = |Change { time, uid, link, event, packets: step, bytes: size }| {
            let (packets, bytes) = waiting.entry(link).or_default();
            *packets = packets.saturating_add_signed(step);
            *bytes = bytes.saturating_add_signed(i64::from(step) * i64::from(size));
            QueueRow { time, uid, link, event, packets: *packets, bytes: *bytes }
        };
        self.changes.into_iter().map(row).collect()
    }
}
