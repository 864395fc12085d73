//! Lanes, in which packets of a mobile wait that are not TCP: one for each flow.
//!
//! A flow's packets stay in order. `CoDel` (RFC 8289) marks or drops those that have waited for too
//! long, as in RFC 8290 §4.2; when all lanes together hold too much, the longest loses half of what
//! it has, 64 packets at most (RFC 8290 §4.1).

use std::collections::VecDeque;

use aqm::{CoDel, Departure, Verdict};
use base::{Ecn, Time};
use rustc_hash::FxHashMap;

use super::config::{AtcpConfig, Share};
use super::schedule::StrideState;
use crate::{Address, Aside, Opaque, Release};

/// Number of lanes of a mobile. Flows that a hash sends to the same one share it (RFC 8290 §5.2.5).
const LANES: u32 = 1_024;

/// Bytes that wait in a sparse lane, as of a call, an echo or a question of DNS: half a packet.
const SPARSE: u64 = 750;

/// Packets that the longest lane loses at once, at most (RFC 8290 §4.1).
const BATCH: usize = 64;

/// Queue of what leaves a box beside segments.
pub(super) type Released = VecDeque<Aside>;

/// Packets of a mobile that are not TCP and wait.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    of_flows: FxHashMap<u32, Lane>,
    /// Source and destination of the latest packet.
    ends: Option<[Address; 2]>,
    /// Bytes of the largest so far.
    pub(super) largest: u64,
    /// Bytes that wait.
    pub(super) waiting: u64,
}

/// The packets of a flow.
#[derive(Debug)]
pub(super) struct Lane {
    packets: VecDeque<Waiting>,
    bytes: u64,
    pub(super) stride: StrideState,
    codel: CoDel,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    number: u32,
    bytes: u32,
    since: Time,
    ecn: Ecn,
}

impl Lanes {
    /// The lane of a flow.
    pub(super) const fn lane(packet: &Opaque) -> u32 {
        packet.flow % LANES
    }

    /// A host that the mobile talks to, and the address by which it does.
    pub(super) const fn ends(&self) -> Option<[Address; 2]> {
        self.ends
    }

    /// The state in the schedule of a lane that has packets or had some.
    pub(super) fn stride(&mut self, lane: u32) -> Option<&mut StrideState> {
        self.of_flows.get_mut(&lane).map(|lane| &mut lane.stride)
    }

    /// A packet waits; others may be dropped for it.
    pub(super) fn push(
        &mut self,
        now: Time,
        config: &AtcpConfig,
        packet: &Opaque,
        released: &mut Released,
    ) {
        let share = || config.class(packet.ports.as_ref().map_or(&[], |ports| ports), packet.dscp);
        let lane =
            self.of_flows.entry(Self::lane(packet)).or_insert_with(|| Lane::new(share(), config));
        let Opaque { number, bytes, ecn, .. } = *packet;
        self.ends = Some([packet.source, packet.destination]);
        self.largest = self.largest.max(bytes.into());
        lane.packets.push_back(Waiting { number, bytes, since: now, ecn });
        lane.bytes += u64::from(bytes);
        self.waiting += u64::from(bytes);
        if self.waiting > config.budget {
            self.shorten(released);
        }
    }

    /// Drops half of the longest lane, from its head.
    fn shorten(&mut self, released: &mut Released) {
        let longest = self.of_flows.iter_mut().max_by_key(|(key, lane)| (lane.bytes, **key));
        let Some((_, lane)) = longest else { return };
        let batch = lane.packets.len().div_ceil(2).min(BATCH);
        for packet in lane.packets.drain(..batch) {
            lane.bytes -= u64::from(packet.bytes);
            self.waiting -= u64::from(packet.bytes);
            released.push_back(Aside::Packet(packet.number, Release::Crowded));
        }
    }

    /// Bytes of the first packet of a lane, and whether the lane is sparse.
    pub(super) fn first(&self, lane: u32) -> Option<(u64, bool)> {
        let lane = self.of_flows.get(&lane)?;
        let bytes = lane.packets.front().map(|packet| u64::from(packet.bytes))?;
        Some((bytes, lane.bytes <= SPARSE))
    }

    /// Lets the next packet of a lane go that `CoDel` does not drop. Its bytes; `None` if none is
    /// left.
    pub(super) fn pop(&mut self, now: Time, lane: u32, released: &mut Released) -> Option<u64> {
        let lane = self.of_flows.get_mut(&lane)?;
        while let Some(packet) = lane.packets.pop_front() {
            let Waiting { number, bytes, since, mut ecn } = packet;
            lane.bytes -= u64::from(bytes);
            self.waiting -= u64::from(bytes);
            let departure = Departure { sojourn: now - since, bytes_behind: lane.bytes };
            let release = match lane.codel.on_departure(now, departure) {
                Verdict::Pass => Release::Sent,
                Verdict::Marked => Release::Marked,
                Verdict::Notify if ecn.mark() => Release::Marked,
                Verdict::Notify | Verdict::Drop => Release::Late,
            };
            released.push_back(Aside::Packet(number, release));
            if !release.is_loss() {
                return Some(u64::from(bytes));
            }
        }
        lane.codel.on_empty();
        None
    }

    /// Bytes and packets that wait.
    #[cfg(test)]
    pub(super) fn waits(&self) -> (u64, usize) {
        (self.waiting, self.of_flows.values().map(|lane| lane.packets.len()).sum())
    }

    /// Lets all go at once. Lanes stay, as their turns do.
    pub(super) fn clear(&mut self, released: &mut Released) {
        let mut lanes: Vec<_> = self.of_flows.iter_mut().collect();
        lanes.sort_unstable_by_key(|(key, _)| **key);
        for (_, lane) in lanes {
            lane.bytes = 0;
            let packets = lane.packets.drain(..);
            released.extend(packets.map(|packet| Aside::Packet(packet.number, Release::Sent)));
        }
        self.waiting = 0;
    }
}

impl Lane {
    fn new(share: Share, config: &AtcpConfig) -> Self {
        Self {
            packets: VecDeque::new(),
            bytes: 0,
            stride: StrideState::of_lane(share),
            codel: CoDel::new(config.codel()),
        }
    }
}
