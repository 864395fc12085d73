//! Lanes, in which packets of a mobile wait that are not TCP: one for each flow.
//!
//! A flow's packets stay in order. `CoDel` (RFC 8289) marks or drops those that have waited for too
//! long, as in RFC 8290 §4.2; when all lanes together hold too much, the longest loses half of what
//! it has, 64 packets at most (RFC 8290 §4.1). It is found to a factor of two, so that a flood of
//! flows costs no more than one.

use std::collections::{BinaryHeap, VecDeque};

use aqm::{CoDel, Departure, Verdict};
use base::{Ecn, Time};
use observe::MiddleboxFact;
use rustc_hash::FxHashMap;

use super::config::AtcpConfig;
use super::schedule::StrideState;
use crate::{Address, Aside, Opaque, Release};

/// Number of lanes of each class of a mobile. Flows that come later share them by their hash (RFC
/// 8290 §5.2.5).
const LANES: usize = 1_024;

/// Bytes that wait in a sparse lane, as of a call, an echo or a question of DNS: half a packet.
const SPARSE: u64 = 750;

/// Packets for which an empty lane keeps room: those of a sender that sends two at a time wait
/// without an allocation for each, and a flood leaves little behind.
const ROOM: usize = 16;

/// Packets that the longest lane loses at once, at most (RFC 8290 §4.1).
const BATCH: usize = 64;

/// Queue of what leaves a box beside segments.
pub(super) type Released = VecDeque<Aside>;

/// Way out of the lanes of a mobile, under the eyes of an observer.
pub(super) struct Exit<'a> {
    pub(super) mobile: u32,
    pub(super) released: &'a mut Released,
    pub(super) watch: &'a mut dyn FnMut(MiddleboxFact),
}

impl Exit<'_> {
    /// A packet of a class waits no longer.
    fn release(&mut self, now: Time, class: Option<u32>, packet: &Waiting, release: Release) {
        let (mobile, Waiting { number, bytes, since, .. }) = (self.mobile, *packet);
        self.released.push_back(Aside::Packet(number, release));
        let waited = now - since;
        (self.watch)(MiddleboxFact::Released { mobile, class, bytes, waited, release });
    }
}

/// Packets of a mobile that are not TCP and wait.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// In the order in which they came, which nothing but the traffic decides.
    all: Vec<Lane>,
    /// The lane of each flow of a class that has one of its own.
    of_flows: FxHashMap<(Option<u32>, u32), u32>,
    /// The lanes of each class: its own, so that no flow has the share of another.
    of_classes: FxHashMap<Option<u32>, Vec<u32>>,
    /// Lanes by magnitudes of their lengths: each with packets has an entry of its own magnitude
    /// or of a higher one.
    by_length: BinaryHeap<(u32, u32)>,
    /// Source and destination of the latest packet.
    ends: Option<[Address; 2]>,
    /// Bytes of the largest so far.
    pub(super) largest: u64,
    /// Bytes that wait, and the most that did so far.
    pub(super) waiting: u64,
    pub(super) waiting_max: u64,
}

/// The packets of a flow.
#[derive(Debug)]
pub(super) struct Lane {
    packets: VecDeque<Waiting>,
    bytes: u64,
    /// Magnitudes of its entries, a bit each.
    entries: u64,
    /// Place of its class among those of the box, if it is in one.
    class: Option<u32>,
    pub(super) stride: StrideState,
    codel: CoDel,
    /// Source and destination of its latest packet.
    ends: [Address; 2],
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u32,
    bytes: u32,
    since: Time,
    ecn: Ecn,
}

impl Lanes {
    /// Ends of the latest packet: a host that is talked to, and the address by which it is.
    pub(super) const fn ends(&self) -> Option<[Address; 2]> {
        self.ends
    }

    /// Ends of the latest packet of a lane.
    pub(super) fn ends_of(&self, lane: u32) -> Option<[Address; 2]> {
        self.all.get(lane as usize).map(|lane| lane.ends)
    }

    /// The state in the schedule of a lane that has packets or had some.
    pub(super) fn stride(&mut self, lane: u32) -> Option<&mut StrideState> {
        self.all.get_mut(lane as usize).map(|lane| &mut lane.stride)
    }

    /// A packet waits; others may be dropped for it. Returns its lane.
    pub(super) fn push(
        &mut self,
        now: Time,
        config: &AtcpConfig,
        packet: &Opaque,
        exit: &mut Exit<'_>,
    ) -> u32 {
        let ports = packet.ports.as_ref().map_or(&[][..], |ports| ports);
        let class = config.class_of(ports, packet.dscp).map(|place| place as u32);
        let number = self.lane_of(class, config, packet);
        let lane = &mut self.all[number as usize];
        let Opaque { bytes, ecn, .. } = *packet;
        (exit.watch)(MiddleboxFact::Waits { mobile: exit.mobile, class, bytes });
        lane.ends = [packet.source, packet.destination];
        self.ends = Some(lane.ends);
        self.largest = self.largest.max(bytes.into());
        lane.packets.push_back(Waiting { number: packet.number, bytes, since: now, ecn });
        lane.bytes += u64::from(bytes);
        let magnitude = magnitude(lane.bytes);
        if lane.enter(magnitude) {
            self.by_length.push((magnitude, number));
        }
        self.waiting += u64::from(bytes);
        self.waiting_max = self.waiting_max.max(self.waiting);
        while self.waiting > config.budget && self.shorten(now, exit) {}
        number
    }

    /// The lane of a packet of a class: one of its own for the first flows, later flows share them.
    fn lane_of(&mut self, class: Option<u32>, config: &AtcpConfig, packet: &Opaque) -> u32 {
        let flow = (class, packet.flow);
        if let Some(&lane) = self.of_flows.get(&flow) {
            return lane;
        }
        let of_class = self.of_classes.entry(class).or_default();
        if of_class.len() == LANES {
            return of_class[packet.flow as usize % LANES];
        }
        let lane = self.all.len() as u32;
        of_class.push(lane);
        self.of_flows.insert(flow, lane);
        self.all.push(Lane::new(class, config, packet));
        lane
    }

    /// Drops half of the longest lane, from its head. False if nothing waits.
    fn shorten(&mut self, now: Time, exit: &mut Exit<'_>) -> bool {
        let longest = self.longest();
        let Some(lane) = longest.and_then(|lane| self.all.get_mut(lane as usize)) else {
            return false;
        };
        let batch = lane.packets.len().div_ceil(2).min(BATCH);
        for packet in lane.packets.drain(..batch) {
            lane.bytes -= u64::from(packet.bytes);
            self.waiting -= u64::from(packet.bytes);
            exit.release(now, lane.class, &packet, Release::Crowded);
        }
        true
    }

    /// A lane than which none is twice as long.
    fn longest(&mut self) -> Option<u32> {
        while let Some(&(then, number)) = self.by_length.peek() {
            let lane = &mut self.all[number as usize];
            let now = magnitude(lane.bytes);
            if then == now {
                return Some(number);
            }
            self.by_length.pop();
            lane.entries &= !(1 << then);
            if now > 0 && lane.enter(now) {
                self.by_length.push((now, number));
            }
        }
        None
    }

    /// Bytes of the first packet of a lane, and whether the lane is sparse.
    pub(super) fn first(&self, lane: u32) -> Option<(u64, bool)> {
        let lane = self.all.get(lane as usize)?;
        let bytes = lane.packets.front().map(|packet| u64::from(packet.bytes))?;
        Some((bytes, lane.bytes <= SPARSE))
    }

    /// Lets the next packet of a lane go that `CoDel` does not drop. Its bytes; `None` if none is
    /// left.
    pub(super) fn pop(&mut self, now: Time, lane: u32, exit: &mut Exit<'_>) -> Option<u64> {
        let lane = self.all.get_mut(lane as usize)?;
        while let Some(packet) = lane.packets.pop_front() {
            let Waiting { bytes, since, mut ecn, .. } = packet;
            lane.bytes -= u64::from(bytes);
            self.waiting -= u64::from(bytes);
            let departure = Departure { sojourn: now - since, bytes_behind: lane.bytes };
            let release = match lane.codel.on_departure(now, departure) {
                Verdict::Pass => Release::Sent,
                Verdict::Marked => Release::Marked,
                Verdict::Notify if ecn.mark() => Release::Marked,
                Verdict::Notify | Verdict::Drop => Release::Late,
            };
            exit.release(now, lane.class, &packet, release);
            if !release.is_loss() {
                return Some(u64::from(bytes));
            }
        }
        lane.codel.on_empty();
        lane.release_memory();
        None
    }

    /// Bytes and packets that wait.
    #[cfg(test)]
    pub(super) fn waits(&self) -> (u64, usize) {
        (self.waiting, self.all.iter().map(|lane| lane.packets.len()).sum())
    }

    /// Lets all go at once. Lanes stay, as their turns do.
    pub(super) fn clear(&mut self, released: &mut Released) {
        for lane in &mut self.all {
            lane.bytes = 0;
            let packets = lane.packets.drain(..);
            released.extend(packets.map(|packet| Aside::Packet(packet.number, Release::Sent)));
            lane.release_memory();
        }
        self.waiting = 0;
    }
}

/// Magnitude of a length: its bits. Lengths of one magnitude differ by less than a factor of two.
const fn magnitude(bytes: u64) -> u32 {
    u64::BITS - bytes.leading_zeros()
}

impl Lane {
    /// Entry of a magnitude. True if there was none yet.
    const fn enter(&mut self, magnitude: u32) -> bool {
        let is_new = self.entries >> magnitude & 1 == 0;
        self.entries |= 1 << magnitude;
        is_new
    }

    /// Nothing waits in it: the memory of what did is free.
    fn release_memory(&mut self) {
        if self.packets.capacity() > ROOM {
            self.packets = VecDeque::new();
        }
    }

    fn new(class: Option<u32>, config: &AtcpConfig, first: &Opaque) -> Self {
        let share = config.share_of(class.map(|place| place as usize));
        Self {
            packets: VecDeque::new(),
            bytes: 0,
            entries: 0,
            class,
            stride: StrideState::of_lane(share),
            codel: CoDel::new(config.codel()),
            ends: [first.source, first.destination],
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Class, Leg};

    fn packet(number: u32, flow: u32, bytes: u32) -> Opaque {
        let host = |leg, host| Address { leg, host };
        Opaque {
            number,
            source: host(Leg::Wired, 1),
            destination: host(Leg::Radio, 2),
            flow,
            ports: None,
            dscp: 0,
            bytes,
            ecn: Ecn::NotCapable,
        }
    }

    /// Flows whose hashes are the same share a lane only if they are of one class.
    #[test]
    fn no_flow_has_the_share_of_another() {
        let name = "voice".to_owned();
        let voice = Class { name, dscp: Some(46), priority: 1, ..Class::default() };
        let config = AtcpConfig { classes: vec![voice], ..AtcpConfig::default() };
        let (mut lanes, mut released) = (Lanes::default(), Released::new());
        let mut exit = Exit { mobile: 0, released: &mut released, watch: &mut |_| {} };
        let mut of = |number, dscp| {
            let packet = Opaque { dscp, ..packet(number, 7, 100) };
            let lane = lanes.push(Time::ZERO, &config, &packet, &mut exit);
            (lane, lanes.stride(lane).expect("it has a packet").share.priority)
        };
        let [plain, voice, again] = [of(0, 0), of(1, 46), of(2, 0)];
        assert_eq!((plain.1, voice.1), (0, 1));
        assert_eq!(plain, again);
    }

    /// Each of many flows fills a lane with the smallest packets, one after the other. Once all is
    /// quiet there is no more memory than for the lanes that there may be.
    #[test]
    fn a_flood_leaves_no_memory_behind() {
        let config = AtcpConfig::default();
        let (mut lanes, mut released) = (Lanes::default(), Released::new());
        let mut most = 0;
        for flow in 0..10_000 {
            let watch = &mut |_| {};
            let mut exit = Exit { mobile: 0, released: &mut released, watch };
            let mut lane = 0;
            for number in 0..200 {
                lane = lanes.push(Time::ZERO, &config, &packet(number, flow, 20), &mut exit);
            }
            most = most.max(lanes.all[lane as usize].packets.capacity());
            while lanes.pop(Time::ZERO, lane, &mut exit).is_some() {}
            released.clear();
        }
        assert!(most >= 200, "{most}: it was a flood");
        assert_eq!(lanes.waits(), (0, 0));
        let room: usize = lanes.all.iter().map(|lane| lane.packets.capacity()).sum();
        assert!(room <= LANES * ROOM, "{room} packets");
        assert!(lanes.all.len() <= LANES && lanes.of_flows.len() <= LANES);
        let entries = LANES * magnitude(config.budget) as usize;
        assert!(lanes.by_length.len() <= entries, "{}", lanes.by_length.len());
    }

    proptest! {
        /// Whatever comes and goes, the lane that is found is longer than half of the longest, and
        /// there are no more entries than lanes have had magnitudes.
        #[test]
        fn none_is_twice_as_long_as_the_one_that_is_found(
            steps in prop::collection::vec((0_u32..6, 1_u32..3_000, 0_u32..3), 1..400),
        ) {
            let config = AtcpConfig { budget: 40_000, ..AtcpConfig::default() };
            let now = Time::ZERO;
            let (mut lanes, mut released) = (Lanes::default(), Released::new());
            for (number, (flow, bytes, pops)) in (0..).zip(steps) {
                let watch = &mut |_| {};
                let mut exit = Exit { mobile: 0, released: &mut released, watch };
                lanes.push(now, &config, &packet(number, flow, bytes), &mut exit);
                prop_assert!(lanes.waiting <= config.budget);
                for _ in 0..pops {
                    lanes.pop(now, (flow + 1) % 6, &mut exit);
                }
                let most = lanes.all.iter().map(|lane| lane.bytes).max().unwrap_or(0);
                let found = lanes.longest().map_or(0, |lane| lanes.all[lane as usize].bytes);
                prop_assert!(2 * found > most || most == 0, "{} of {}", found, most);
                let magnitudes = magnitude(config.budget) as usize;
                prop_assert!(lanes.by_length.len() <= lanes.all.len() * magnitudes);
            }
        }
    }
}
