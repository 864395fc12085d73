//! What is not TCP shares a mobile's pipe: each flow waits in a lane of its own, and lanes take
//! turns with connections (`schedule.rs`) for the room in the one window.
//!
//! *In flight.* Nobody acknowledges these packets to the box. One has left the pipe once a segment
//! that was sent after it has arrived, as nothing overtakes on the radio, or when it has been in
//! the pipe for as long as segments are now; without segments in flight, when the pipe would have
//! carried it at the rate at which it is known to drain.
//!
//! *Lanes.* A flow's packets stay in order. `CoDel` (RFC 8289) marks or drops those that have
//! waited for too long, as in RFC 8290 §4.2; when all lanes together hold too much, the longest
//! loses half of what it has, 64 packets at most (RFC 8290 §4.1).

use std::collections::VecDeque;

use aqm::{CoDel, Departure, Verdict};
use base::{Duration, Ecn, Time};
use rustc_hash::FxHashMap;

use super::config::{AtcpConfig, Share};
use super::schedule::StrideState;
use crate::{Address, Aside, Opaque, Release};

/// Lanes of a mobile. Flows that a hash sends to the same one share it (RFC 8290 §5.2.5).
const LANES: u32 = 1_024;

/// Bytes that wait in a sparse lane, as of a call, an echo or a question of DNS: half a packet.
const SPARSE: u64 = 750;

/// Packets that the longest lane loses at once, at most (RFC 8290 §4.1).
const BATCH: usize = 64;

/// What leaves a box beside segments.
pub(super) type Released = VecDeque<Aside>;

/// The packets of a mobile that are not TCP.
#[derive(Debug, Default)]
pub(super) struct Others {
    lanes: FxHashMap<u32, Lane>,
    /// Where the latest packet comes from and where it goes.
    ends: Option<[Address; 2]>,
    /// Bytes of the largest so far.
    pub(super) largest: u64,
    /// Bytes that wait.
    pub(super) waiting: u64,
    pipe: VecDeque<InPipe>,
    /// Bytes in the pipe, as far as is known.
    pub(super) in_flight: u64,
    /// Bytes that have left it without an answer that tells so yet.
    expired: u64,
    /// When the pipe has carried all that was let go.
    drained_at: Time,
    pub(super) counted: Counted,
}

/// What became of packets that are not TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Counted {
    pub(super) sent: u64,
    pub(super) marked: u64,
    pub(super) dropped: u64,
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

/// A packet that was let go.
#[derive(Clone, Copy, Debug)]
struct InPipe {
    /// Its place in the order of sending.
    position: u64,
    bytes: u32,
    at: Time,
    /// When the pipe would have carried it.
    due: Time,
}

impl Others {
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
        self.lanes.get_mut(&lane).map(|lane| &mut lane.stride)
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
            self.lanes.entry(Self::lane(packet)).or_insert_with(|| Lane::new(share(), config));
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
        let longest = self.lanes.iter_mut().max_by_key(|(key, lane)| (lane.bytes, **key));
        let Some((_, lane)) = longest else { return };
        let batch = lane.packets.len().div_ceil(2).min(BATCH);
        for packet in lane.packets.drain(..batch) {
            lane.bytes -= u64::from(packet.bytes);
            self.waiting -= u64::from(packet.bytes);
            self.counted.dropped += 1;
            released.push_back(Aside::Packet(packet.number, Release::Dropped));
        }
    }

    /// Bytes of the first packet of a lane, and whether the lane is sparse.
    pub(super) fn first(&self, lane: u32) -> Option<(u64, bool)> {
        let lane = self.lanes.get(&lane)?;
        let bytes = lane.packets.front().map(|packet| u64::from(packet.bytes))?;
        Some((bytes, lane.bytes <= SPARSE))
    }

    /// Lets the next packet of a lane go that `CoDel` does not drop. Its bytes; `None` if none is
    /// left.
    pub(super) fn pop(&mut self, now: Time, lane: u32, released: &mut Released) -> Option<u64> {
        let lane = self.lanes.get_mut(&lane)?;
        while let Some(packet) = lane.packets.pop_front() {
            let Waiting { number, bytes, since, mut ecn } = packet;
            lane.bytes -= u64::from(bytes);
            self.waiting -= u64::from(bytes);
            let departure = Departure { sojourn: now - since, bytes_behind: lane.bytes };
            let release = match lane.codel.on_departure(now, departure) {
                Verdict::Pass => Release::Sent,
                Verdict::Marked => Release::Marked,
                Verdict::Notify if ecn.mark() => Release::Marked,
                Verdict::Notify | Verdict::Drop => Release::Dropped,
            };
            released.push_back(Aside::Packet(number, release));
            match release {
                Release::Sent => self.counted.sent += 1,
                Release::Marked => self.counted.marked += 1,
                Release::Dropped => {
                    self.counted.dropped += 1;
                    continue;
                }
            }
            return Some(u64::from(bytes));
        }
        lane.codel.on_empty();
        None
    }

    /// A packet that was let go at `position` is in a pipe that takes `empty` for a packet without
    /// length, and then `bytes` at `rate` bytes/s.
    pub(super) fn enter(
        &mut self,
        now: Time,
        position: u64,
        bytes: u64,
        (rate, empty): (f64, Duration),
    ) {
        let time = Duration::from_secs_f64(bytes as f64 / rate);
        let due = self.drained_at.max(now + empty) + time;
        self.drained_at = due;
        self.in_flight += bytes;
        self.pipe.push_back(InPipe { position, bytes: bytes as u32, at: now, due });
    }

    /// What was let go before `position` has left the pipe. Returns how many bytes have since the
    /// last call.
    pub(super) fn leave_below(&mut self, position: u64) -> u64 {
        self.leave(|packet| packet.position < position) + std::mem::take(&mut self.expired)
    }

    /// What has been in the pipe for `time`, or without that, what the pipe has carried by now has
    /// left it. Returns whether that is anything.
    pub(super) fn expire(&mut self, now: Time, time: Option<Duration>) -> bool {
        let bytes = self.leave(|packet| packet.leaves(time) <= now);
        self.expired += bytes;
        bytes > 0
    }

    fn leave(&mut self, has_left: impl Fn(&InPipe) -> bool) -> u64 {
        let before = self.in_flight;
        while self.pipe.front().is_some_and(&has_left) {
            let packet = self.pipe.pop_front();
            self.in_flight -= packet.map_or(0, |packet| u64::from(packet.bytes));
        }
        before - self.in_flight
    }

    /// When the next packet will have left a pipe in which packets are for `time`, or else by what
    /// the pipe can carry, if no segment tells it before.
    pub(super) fn due(&self, time: Option<Duration>) -> Option<Time> {
        self.pipe.front().map(|packet| packet.leaves(time))
    }

    /// Bytes and packets that wait.
    #[cfg(test)]
    pub(super) fn waits(&self) -> (u64, usize) {
        (self.waiting, self.lanes.values().map(|lane| lane.packets.len()).sum())
    }

    /// Lets all go at once.
    pub(super) fn clear(&mut self, released: &mut Released) {
        let mut lanes: Vec<_> = std::mem::take(&mut self.lanes).into_iter().collect();
        lanes.sort_unstable_by_key(|&(key, _)| key);
        for packet in lanes.into_iter().flat_map(|(_, lane)| lane.packets) {
            self.counted.sent += 1;
            released.push_back(Aside::Packet(packet.number, Release::Sent));
        }
        self.waiting = 0;
    }
}

impl InPipe {
    fn leaves(&self, time: Option<Duration>) -> Time {
        time.map_or(self.due, |time| self.at + time)
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
