//! A mobile and its bearer.

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Direction, Duration, Time};
use observe::Observe;

use super::channel::HsChannel;
use super::config::HsConfig;
use super::formats::{self, TTI};
use super::lane::HsLane;
use super::node_b::FlowControl;
use super::pdus::{self, Item};
use crate::channel::{Radio, UeConfig};
use crate::kit::roster::CellMobile;
use crate::kit::slots::SlotMobile;
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::{Entity, Health, PeerChannel, Traffic};
use crate::{Counters, Output, Sdu};

/// Both directions, from the RNC to the mobile.
#[derive(Debug)]
pub(crate) struct HsMobile<T> {
    pub(super) lanes: [HsLane<T>; 2],
    pub(super) channels: [HsChannel; 2],
    /// Where each direction begins: the RNC and the mobile.
    ends: [Entity; 2],
    /// Between RNC and `NodeB` downlink.
    pub(super) flow: FlowControl,
    /// What is on its way from `NodeB` to RNC.
    iub: VecDeque<(u64, Item)>,
    payload: u32,
    /// The format that its last report allowed.
    pub(super) format: Option<u8>,
}

impl<T: Sdu> HsMobile<T> {
    pub(super) fn new(config: &HsConfig, ue: &UeConfig, seed: u64) -> Self {
        let [down, up] = config.timings;
        let peer = |pdus: u32, tti: u64| PeerChannel {
            tti: TTI * (tti + config.iub.delay),
            blocks: pdus.into(),
        };
        let ways = [peer(config.formats.most(), down.tti), peer(config.grant, up.tti)];
        let channel = |direction: Direction| {
            let timing = config.timings[direction as usize];
            HsChannel::new(direction, timing, config.reordering, ue, seed)
        };
        let mut mobile = Self {
            lanes: Direction::BOTH.map(|direction| HsLane::new(direction, config, ue, seed)),
            channels: Direction::BOTH.map(channel),
            ends: [
                Entity::new(&config.rlc, ways[0], ways[1]),
                Entity::new(&config.rlc, ways[1], ways[0]),
            ],
            flow: FlowControl::new(0),
            iub: VecDeque::new(),
            payload: config.rlc.pdu_payload,
            format: None,
        };
        let target = mobile.target(Time::ZERO, config, 1);
        mobile.flow = FlowControl::new(target);
        mobile
    }

    /// The format that the last report of the mobile allows, if any.
    pub(super) fn allowed(&mut self, now: Time, config: &HsConfig) -> Option<u8> {
        let quality = &mut self.channels[0].quality;
        if quality.is_out(now) {
            return None;
        }
        config.formats.of_cqi(formats::cqi(quality.reported(now)))
    }

    /// How many PDUs the `NodeB` wants to have of it, which shares the cell with all of `sharers`.
    /// Some always, so that its RNC can begin when the radio is well again.
    pub(super) fn target(&mut self, now: Time, config: &HsConfig, sharers: u64) -> u64 {
        let format = self.allowed(now, config);
        let pdus = format.map_or(0, |format| u64::from(config.formats.pdus(format)));
        (pdus * config.iub.target / sharers.max(1)).max(LEAST_TARGET)
    }

    /// Link control fills `blocks` where `direction` begins, at most `most` of them.
    pub(super) fn fill(
        &mut self,
        now: Time,
        direction: Direction,
        most: u32,
        blocks: &mut TransportBlocks,
    ) -> Health {
        // One byte more, so that it knows that others wait behind.
        let bytes = u64::from(most) * u64::from(self.payload) + 1;
        self.lanes[direction as usize].top_up(now, bytes);
        blocks.begin(now, most);
        let (end, mut traffic) = self.end(direction);
        end.fill(&mut traffic, blocks)
    }

    /// Gives `items`, which came in `direction`, to the other end of link control.
    pub(super) fn deliver(
        &mut self,
        now: Time,
        direction: Direction,
        items: &mut Vec<Item>,
        blocks: &mut TransportBlocks,
    ) {
        if !items.is_empty() {
            let (end, mut traffic) = self.end(direction.of(Direction::Uplink, Direction::Downlink));
            pdus::deliver(now, items, blocks, end, &mut traffic);
        }
    }

    /// When link control will have something to send in `direction`, `now` at the earliest.
    pub(super) fn wants_from(&mut self, now: Time, direction: Direction) -> Option<Time> {
        self.lanes[direction as usize].top_up(now, 1);
        let (end, traffic) = self.end(direction);
        end.poll_timeout(now, traffic.own, traffic.peer)
    }

    /// The end where `direction` begins, and what it and its peer send.
    fn end(&mut self, direction: Direction) -> (&mut Entity, Traffic<'_>) {
        let [down, up] = &mut self.lanes;
        let [network, mobile] = &mut self.ends;
        match direction {
            Direction::Downlink => (network, Traffic { own: &mut down.sdus, peer: &mut up.sdus }),
            Direction::Uplink => (mobile, Traffic { own: &mut up.sdus, peer: &mut down.sdus }),
        }
    }

    /// `items` that came uplink arrive at the RNC in slot `at`.
    pub(super) fn forward(&mut self, at: u64, items: &mut Vec<Item>) {
        self.iub.extend(items.drain(..).map(|item| (at, item)));
    }

    /// What has come to the RNC by `slot`.
    pub(super) fn take_forwarded(&mut self, slot: u64, items: &mut Vec<Item>) {
        while self.iub.front().is_some_and(|(at, _)| *at <= slot) {
            items.extend(self.iub.pop_front().map(|(_, item)| item));
        }
    }

    /// When something comes to the RNC.
    pub(super) fn forwarded_from(&self) -> Option<u64> {
        self.iub.front().map(|(at, _)| *at)
    }

    /// After an unrecoverable error both ends of link control begin anew at once, and all that is
    /// under way is lost.
    pub(super) fn establish(&mut self, now: Time, failed: Direction) {
        self.lanes[failed as usize].count_failure();
        self.channels.iter_mut().for_each(HsChannel::flush);
        self.flow.flush();
        self.iub.clear();
        for direction in Direction::BOTH {
            let (end, mut traffic) = self.end(direction);
            end.establish(now, &mut traffic);
        }
    }

    /// Reports the SDUs of `direction` that have been sent in part at least.
    pub(super) fn tell_dequeued(
        &mut self,
        now: Time,
        direction: Direction,
        machine: u32,
        observe: &mut impl Observe,
    ) {
        self.lanes[direction as usize].tell_dequeued(now, machine, observe);
    }
}

impl<T: Sdu> SlotMobile<T> for HsMobile<T> {
    fn push(&mut self, now: Time, direction: Direction, sdu: T, before: u32) -> Result<(), T> {
        self.lanes[direction as usize].push(now, sdu, before)
    }

    fn queued(&self, direction: Direction) -> u32 {
        self.lanes[direction as usize].queued()
    }

    fn waiting(&self, direction: Direction) -> u32 {
        self.lanes[direction as usize].waiting()
    }

    fn has_output(&self) -> bool {
        self.lanes.iter().any(HsLane::has_output)
    }

    fn reconfigure(&mut self, radios: &[Arc<Radio>; 2]) {
        for (channel, radio) in self.channels.iter_mut().zip(radios) {
            channel.quality.reconfigure(radio.clone());
        }
    }
}

impl<T: Sdu> CellMobile<T> for HsMobile<T> {
    fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        let mut lanes = Direction::BOTH.into_iter().zip(&mut self.lanes);
        lanes.find_map(|(direction, lane)| Some((direction, lane.poll_output()?)))
    }

    fn held<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a T>
    where
        T: 'a,
    {
        self.lanes[direction as usize].held()
    }

    fn counters(&self, direction: Direction) -> Counters {
        let place = direction as usize;
        let resets = self.ends[place].resets();
        *self.channels[place].counters() + Counters { resets, ..self.lanes[place].counters() }
    }

    fn waited(&self, direction: Direction, now: Time) -> Duration {
        self.lanes[direction as usize].waited(now)
    }
}

/// How many PDUs a `NodeB` always wants. Our choice.
const LEAST_TARGET: u64 = 8;
