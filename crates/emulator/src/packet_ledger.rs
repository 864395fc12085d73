//! The ledger of an emulator: every packet that comes in, and every copy, has one outcome.

use std::collections::BTreeMap;

use base::{Direction, Duration, Time, words};
use hdrhistogram::Histogram;
use link::Drops;
use observe::{DropReason, Observe, PacketEvent, PacketFact};
use schemars::JsonSchema;
use serde::Serialize;

use crate::recorder::{PacketOutcome, Row, Tape};

/// Packets and their bytes at the IP layer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
pub struct Traffic {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Traffic {
    fn add(&mut self, bytes: u32) {
        self.packets += 1;
        self.bytes += u64::from(bytes);
    }

    fn remove(&mut self, bytes: u32) {
        self.packets -= 1;
        self.bytes -= u64::from(bytes);
    }
}

/// The ledger of both directions.
#[derive(Debug)]
pub(crate) struct PacketLedger {
    lanes: [Lane; 2],
    /// For how long packets may have waited before they were seen, and how long after their due
    /// time they left.
    pub(crate) lateness: Histogram<u64>,
    /// Packets that came in so far, whatever their direction.
    numbers: u64,
    pub(crate) tape: Tape,
}

/// The ledger of one direction.
#[derive(Debug)]
pub(crate) struct Lane {
    pub(crate) entered: Traffic,
    pub(crate) left: Traffic,
    /// Copies that links made.
    pub(crate) duplicated: Traffic,
    /// Dropped within the world, by the facts.
    pub(crate) dropped: Drops,
    /// Not taken in, since too much was held.
    pub(crate) memory: u64,
    /// Not taken by the kernel.
    pub(crate) refused: u64,
    pub(crate) unreadable: u64,
    pub(crate) delay: Histogram<u64>,
    /// What is in the world, by its number there.
    entries: BTreeMap<u64, Arrival>,
    /// The sum of it.
    pub(crate) held: Traffic,
    /// The sum of the delays of all that left, in ns.
    delays: u128,
    /// What each reader has read.
    read: [Mark; Reader::ALL.len()],
}

/// A packet as it came in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) at: Time,
    /// For how long it may have waited by then.
    pub(crate) unseen: Duration,
    pub(crate) bytes: u32,
    /// IP's number of what it carries; `None` if it cannot be read.
    pub(crate) protocol: Option<u8>,
    pub(crate) number: u64,
    pub(crate) backlog: u32,
    /// Outcome if it leaves.
    pub(crate) delivery: PacketOutcome,
}

/// How far a reader has read: what had left by when.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    at: Time,
    left: Traffic,
    delays: u128,
}

words! {
    /// Who reads a meter: rates and delays are those since it read last.
    pub enum Reader {
        /// What watches the run itself.
        Run = "run",
        /// A page that shows it.
        Page = "page",
        /// Whoever else asks.
        Guest = "guest",
    }
}

/// One direction at a moment, for a meter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Reading {
    /// What has left so far.
    pub left: Traffic,
    /// What left since the reading before, in bit/s.
    pub rate_bps: f64,
    /// What is held.
    pub queue: Traffic,
    /// The mean delay of what left since the reading before.
    pub delay_s: Option<f64>,
    /// Packets dropped so far, for whatever reason.
    pub drops: u64,
}

/// What a packet weighs in memory beside its bytes, at most: its entries here, in queues and in
/// RLC, which grow by doubling.
const WEIGHT: u64 = 512;

impl PacketLedger {
    pub(crate) fn new(tape: Tape) -> Self {
        Self { lanes: [Lane::new(), Lane::new()], lateness: histogram(), numbers: 0, tape }
    }

    pub(crate) fn lane(&self, direction: Direction) -> &Lane {
        &self.lanes[direction as usize]
    }

    /// The memory that all that is held takes, and one more packet of `bytes`, in bytes.
    pub(crate) fn weight_with(&self, bytes: u32) -> u64 {
        let held = self.lanes.iter().map(|lane| lane.held.bytes + lane.held.packets * WEIGHT);
        held.sum::<u64>() + u64::from(bytes) + WEIGHT
    }

    /// A packet came in, after it may have waited for `unseen`.
    pub(crate) fn arrive(
        &mut self,
        at: Time,
        unseen: Duration,
        direction: Direction,
        bytes: u32,
        protocol: Option<u8>,
    ) -> Arrival {
        let number = self.numbers;
        self.numbers += 1;
        let lane = &mut self.lanes[direction as usize];
        lane.entered.add(bytes);
        lane.unreadable += u64::from(protocol.is_none());
        let (backlog, delivery) = (lane.held.packets as u32, PacketOutcome::Delivered);
        Arrival { at, unseen, bytes, protocol, number, backlog, delivery }
    }

    /// It is the world's next, number `uid` there.
    pub(crate) fn enter(&mut self, direction: Direction, uid: u64, arrival: Arrival) {
        let lane = &mut self.lanes[direction as usize];
        lane.held.add(arrival.bytes);
        lane.entries.insert(uid, arrival);
    }

    /// It is not taken in, since too much is held.
    pub(crate) fn turn_away(&mut self, direction: Direction, arrival: Arrival) {
        self.lanes[direction as usize].memory += 1;
        self.tape.row(|| Row::new(direction, &arrival, None, None, PacketOutcome::Memory));
    }

    /// Packet `uid` of the world, due at `due`, left at `now`.
    pub(crate) fn deliver(&mut self, now: Time, direction: Direction, uid: u64, due: Time) {
        let lane = &mut self.lanes[direction as usize];
        let arrival = lane.take(uid).expect("what leaves came in");
        lane.left.add(arrival.bytes);
        let delay = now.saturating_since(arrival.at);
        lane.delay.saturating_record(delay.as_nanos());
        lane.delays += u128::from(delay.as_nanos());
        let lateness = arrival.unseen + now.saturating_since(due);
        self.lateness.saturating_record(lateness.as_nanos());
        self.tape.row(|| Row::new(direction, &arrival, Some(due), Some(now), arrival.delivery));
    }

    /// The kernel did not take packet `uid` of the world, due at `due`.
    pub(crate) fn reject(&mut self, direction: Direction, uid: u64, due: Time) {
        let lane = &mut self.lanes[direction as usize];
        let arrival = lane.take(uid).expect("what leaves came in");
        lane.refused += 1;
        self.tape.row(|| Row::new(direction, &arrival, Some(due), None, PacketOutcome::Refused));
    }

    /// Closes the ledger: what is still held stays so.
    pub(crate) fn close(&mut self) {
        for direction in Direction::BOTH {
            let lane = &self.lanes[direction as usize];
            for arrival in lane.entries.values() {
                self.tape.row(|| Row::new(direction, arrival, None, None, PacketOutcome::Queued));
            }
        }
    }

    /// What a meter shows `reader` at `now`.
    pub(crate) fn read(&mut self, now: Time, direction: Direction, reader: Reader) -> Reading {
        let lane = &mut self.lanes[direction as usize];
        let Mark { at, left, delays } = lane.read[reader as usize];
        lane.read[reader as usize] = Mark { at: now, left: lane.left, delays: lane.delays };
        let elapsed = now.saturating_since(at).as_secs_f64();
        let (bytes, packets) = (lane.left.bytes - left.bytes, lane.left.packets - left.packets);
        let delay = (lane.delays - delays) as f64 / 1e9;
        Reading {
            left: lane.left,
            rate_bps: if elapsed > 0.0 { bytes as f64 * 8.0 / elapsed } else { 0.0 },
            queue: lane.held,
            delay_s: (packets > 0).then(|| delay / packets as f64),
            drops: lane.drops(),
        }
    }

    /// The 99th percentile of lateness so far, in seconds.
    pub(crate) fn late_s(&self) -> Option<f64> {
        let nanos = self.lateness.value_at_quantile(0.99);
        (!self.lateness.is_empty()).then(|| Duration::from_nanos(nanos).as_secs_f64())
    }

    /// A link made a copy, number `uid`, of packet `of` of the world.
    fn double(&mut self, of: u64, uid: u64) {
        for lane in &mut self.lanes {
            if let Some(arrival) = lane.entries.get(&of).copied() {
                lane.duplicated.add(arrival.bytes);
                lane.held.add(arrival.bytes);
                let delivery = PacketOutcome::Duplicate;
                lane.entries.insert(uid, Arrival { delivery, ..arrival });
            }
        }
    }

    /// A bit of packet `uid` of the world is wrong.
    fn damage(&mut self, uid: u64) {
        for lane in &mut self.lanes {
            if let Some(arrival) = lane.entries.get_mut(&uid) {
                arrival.delivery = PacketOutcome::Corrupted;
            }
        }
    }

    fn drop_one(&mut self, uid: u64, reason: DropReason) {
        for direction in Direction::BOTH {
            let lane = &mut self.lanes[direction as usize];
            if let Some(arrival) = lane.take(uid) {
                lane.dropped.count(reason);
                self.tape.row(|| {
                    Row::new(direction, &arrival, None, None, PacketOutcome::Dropped(reason))
                });
                return;
            }
        }
    }
}

impl Lane {
    fn new() -> Self {
        Self {
            entered: Traffic::default(),
            left: Traffic::default(),
            duplicated: Traffic::default(),
            dropped: Drops::default(),
            memory: 0,
            refused: 0,
            unreadable: 0,
            delay: histogram(),
            entries: BTreeMap::new(),
            held: Traffic::default(),
            delays: 0,
            read: [Mark::default(); Reader::ALL.len()],
        }
    }

    /// Packets dropped, for whatever reason.
    pub(crate) const fn drops(&self) -> u64 {
        self.dropped.total() + self.memory + self.refused
    }

    /// Takes packet `uid` of the world off the list of what is held.
    fn take(&mut self, uid: u64) -> Option<Arrival> {
        let arrival = self.entries.remove(&uid)?;
        self.held.remove(arrival.bytes);
        Some(arrival)
    }
}

impl Observe for PacketLedger {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Dropped(reason) => self.drop_one(fact.uid, reason),
            PacketEvent::Duplicated(of) => self.double(of, fact.uid),
            PacketEvent::Corrupted => self.damage(fact.uid),
            PacketEvent::Departed
            | PacketEvent::Arrived
            | PacketEvent::Entered
            | PacketEvent::Left => {}
        }
    }
}

/// A histogram of times in ns, to three digits and up to an hour; it never grows.
fn histogram() -> Histogram<u64> {
    const HOUR: u64 = 3_600_000_000_000;
    Histogram::new_with_bounds(1, HOUR, 3).expect("the bounds are valid")
}
