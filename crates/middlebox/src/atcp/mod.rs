//! Flow aggregation (Chakravorty, Katti, Crowcroft, Pratt: *Flow Aggregation for Enhanced TCP over
//! Wide-Area Wireless*, INFOCOM 2003, §IV): all connections of a mobile share one congestion
//! window, one round-trip time and one list of what is unacknowledged.
//!
//! | file | what |
//! |---|---|
//! | `aggregate.rs` | the aggregate control block; what acknowledgements do |
//! | `unacked.rs` | the list of unacknowledged packets, and `skipack` |
//! | `recovery.rs` | losses, stalls, probes |
//! | `sending.rs`, `schedule.rs`, `deference.rs`, `shaper.rs` | what is sent next |
//! | `flow_control.rs` | the windows that senders see |
//! | `estimator.rs` | what may be in flight |
//! | `others.rs`, `lanes.rs`, `pipe.rs`, `echoes.rs` | what is not TCP |
//! | `subscriber.rs`, `nearest.rs` | the same for all that goes up, at the subscriber's side |
//!
//! The paper is silent about the following, which is decided here: mobiles without selective
//! acknowledgements (a duplicate acknowledgement says that one later packet of its flow arrived),
//! ECN on the radio (data are sent as not capable of it: a fixed window would not react to a mark),
//! and mobiles that are never heard from again (given up after a quarter of an hour). Other
//! reconstructions are described where they are made, and in `docs/models/atcp.md`.

mod aggregate;
mod black_hole;
mod config;
mod deference;
mod echoes;
mod estimator;
mod flow;
mod flow_control;
mod keys;
mod lanes;
mod nearest;
mod others;
mod pipe;
mod recent_rtt;
mod recovery;
mod reporting;
mod schedule;
mod sending;
mod shaper;
mod subscriber;
mod unacked;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use base::{Agenda, Rate, Time};
use observe::BoxContext;
use tcp::{Acknowledgement, Departure, Payload};

use aggregate::{Aggregate, Context};
use black_hole::BlackHole;
use flow::{Flow, WindowUpdate};
use flow_control::Window;
use lanes::Released;
use schedule::StrideState;

use crate::{
    Address, Aside, Connection, Counters, FlowId, Leg, Opaque, RadioLeg, RadioReport, Reception,
    Repairs, Reserve, Terms,
};

pub use config::{AtcpConfig, Class, Estimation, Others, Role};
pub use keys::AtcpKeys;

/// The mobile-facing half of an aggregating proxy.
#[derive(Debug)]
pub struct Atcp<P> {
    config: Arc<AtcpConfig>,
    aggregates: Aggregates,
    flows: Flows<P>,
    agenda: Agenda,
    /// The earliest deadline, as of the last poll.
    next: Option<Time>,
    /// Aggregates that may have something to send.
    polled: VecDeque<u32>,
    /// Flows whose windows are to be announced to their senders.
    updates: VecDeque<u32>,
    /// Packets that are not TCP and wait no longer.
    released: Released,
    given_up: Vec<FlowId>,
}

/// Aggregates by their numbers.
#[derive(Debug, Default)]
struct Aggregates {
    slots: Vec<Option<Box<Aggregate>>>,
    free: Vec<u32>,
    /// The aggregate of each mobile.
    of: BTreeMap<u128, u32>,
    /// Counters of those that were forgotten.
    repairs: Repairs,
    held_max: u64,
}

impl Aggregates {
    fn iter(&self) -> impl Iterator<Item = &Aggregate> {
        self.slots.iter().flatten().map(AsRef::as_ref)
    }

    /// The number of a new one.
    fn add(&mut self, host: u128, aggregate: Aggregate) -> u32 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() as u32 - 1
        });
        self.slots[index as usize] = Some(Box::new(aggregate));
        self.of.insert(host, index);
        index
    }

    /// Removes the aggregate of a mobile without flows.
    fn remove(&mut self, host: u128) -> Option<u32> {
        let index = self.of.remove(&host)?;
        let Aggregate { repairs, totals, .. } = *self.slots[index as usize].take()?;
        self.repairs += repairs;
        self.held_max = self.held_max.max(totals.held_max);
        self.free.push(index);
        Some(index)
    }
}

impl Index<u32> for Aggregates {
    type Output = Aggregate;

    fn index(&self, index: u32) -> &Aggregate {
        self.slots[index as usize].as_ref().expect("an aggregate is spoken of while it is there")
    }
}

impl IndexMut<u32> for Aggregates {
    fn index_mut(&mut self, index: u32) -> &mut Aggregate {
        self.slots[index as usize].as_mut().expect("an aggregate is spoken of while it is there")
    }
}

/// Flows by their numbers.
#[derive(Debug)]
struct Flows<P>(Vec<Option<Box<Flow<P>>>>);

impl<P> Index<u32> for Flows<P> {
    type Output = Flow<P>;

    fn index(&self, id: u32) -> &Flow<P> {
        self.0[id as usize].as_ref().expect("a flow is open while it is spoken of")
    }
}

impl<P> IndexMut<u32> for Flows<P> {
    fn index_mut(&mut self, id: u32) -> &mut Flow<P> {
        self.0[id as usize].as_mut().expect("a flow is open while it is spoken of")
    }
}

impl<P: Payload> Atcp<P> {
    /// No mobile yet.
    pub fn new(config: AtcpConfig) -> Self {
        Self {
            config: Arc::new(config.of_pipe()),
            aggregates: Aggregates::default(),
            flows: Flows(Vec::new()),
            agenda: Agenda::new(0),
            next: None,
            polled: VecDeque::new(),
            updates: VecDeque::new(),
            released: Released::new(),
            given_up: Vec::new(),
        }
    }

    /// Calls the aggregate `index`, which may have something to send afterwards.
    fn with<R>(
        &mut self,
        cx: &mut BoxContext<'_>,
        index: u32,
        act: impl FnOnce(&mut Aggregate, &mut Context<'_, P>) -> R,
    ) -> R {
        let aggregate = &mut self.aggregates[index];
        if !std::mem::replace(&mut aggregate.polled, true) {
            self.polled.push_back(index);
        }
        let (flows, updates, released) = (&mut self.flows, &mut self.updates, &mut self.released);
        let (now, config, watch) = (cx.now, &self.config, &mut *cx.observe);
        act(aggregate, &mut Context { now, config, flows, updates, released, watch })
    }

    /// The key of the aggregate for packets to `address`: its mobile, or the one pipe.
    fn place(&self, address: Address) -> u128 {
        match self.config.role {
            Role::Network => address.handset().host,
            Role::Subscriber => 0,
        }
    }

    /// Has the aggregate of the one pipe of a subscriber, which facts call `number`.
    fn open_pipe(&mut self, number: u32) {
        self.aggregate_of(Address { leg: Leg::Radio, host: 0 }, number);
    }

    /// True if the rate of a subscriber's pipe is known.
    fn knows_its_pipe(&self) -> bool {
        let is_estimated = |aggregate: &Aggregate| aggregate.estimator.rate().is_some();
        self.config.uplink_rate.is_some() || self.aggregates.iter().all(is_estimated)
    }

    /// Bytes that wait of packets that are not read, and the most of them for one mobile so far.
    fn waiting(&self) -> (u64, u64) {
        let of = |aggregate: &Aggregate| (aggregate.lanes.waiting, aggregate.lanes.waiting_max);
        let add = |sum: (u64, u64), of: (u64, u64)| (sum.0 + of.0, sum.1.max(of.1));
        self.aggregates.iter().map(of).fold((0, 0), add)
    }

    /// The aggregate of `mobile`, which facts call `number`.
    fn aggregate_of(&mut self, mobile: Address, number: u32) -> u32 {
        let host = self.place(mobile);
        if let Some(&index) = self.aggregates.of.get(&host) {
            return index;
        }
        let bound = self.aggregates.slots.len() as u32;
        let index = self.aggregates.add(host, Aggregate::new(number, &self.config));
        if index == bound {
            self.agenda.add();
        }
        index
    }
}

#[cfg(test)]
impl<P> Atcp<P> {
    /// Bytes and packets that wait of what is not TCP.
    fn waits(&self) -> (u64, usize) {
        let of = |aggregate: &Aggregate| aggregate.lanes.waits();
        self.aggregates.iter().map(of).fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    }
}

impl<P: Payload + Send> RadioLeg<P> for Atcp<P> {
    fn syn_window(&self, _mobile: Address) -> u64 {
        flow_control::syn_window(self.config.budget)
    }

    fn reserve(&self, _leg: Leg) -> Reserve {
        Reserve { per_mobile: self.config.budget, per_flow: 0 }
    }

    fn open(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, terms: &Terms) {
        let index = self.aggregate_of(terms.mobile, terms.numbers.mobile);
        let Connection { source_port, destination_port, .. } = terms.connection;
        let share = self.config.share(&[source_port, destination_port], terms.dscp);
        let stride = StrideState::new(share, terms.numbers.connection);
        let slot = flow.0 as usize;
        if self.flows.0.len() <= slot {
            self.flows.0.resize_with(slot + 1, || None);
        }
        self.with(cx, index, |aggregate, cx| {
            let mss = u64::from(terms.mss);
            aggregate.totals.connections += 1;
            let (totals, promised) = (&aggregate.totals, terms.promised);
            let window = Window::new(cx.now, cx.config, totals, mss, promised);
            let member = aggregate.members.len() as u32;
            aggregate.members.push(flow.0);
            let mut opened = Flow::new(index, member, terms, stride, window);
            aggregate.small_segment = terms.small_segment;
            if let (BlackHole::Found, Some(small)) = (aggregate.black_hole, terms.small_segment) {
                opened.mss = opened.mss.min(small);
            }
            aggregate.mss = aggregate.mss.max(u64::from(opened.mss));
            aggregate.totals.credit += opened.credit();
            cx.flows.0[slot] = Some(Box::new(opened));
            if let Some(rtt) = terms.rtt {
                aggregate.round_trip.sample(rtt);
            }
            aggregate.note_small_arrival();
            aggregate.end_stall(cx);
        });
    }

    fn write(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, payload: P) {
        let index = self.flows[flow.0].aggregate;
        self.with(cx, index, |aggregate, cx| {
            aggregate.write(flow.0, payload, cx);
        });
    }

    fn close(&mut self, now: Time, flow: FlowId) {
        let index = self.flows[flow.0].aggregate;
        self.with(&mut BoxContext { now, observe: &mut |_| {} }, index, |aggregate, cx| {
            aggregate.close(flow.0, cx);
        });
    }

    fn remove(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) -> u64 {
        let index = self.flows[flow.0].aggregate;
        self.with(cx, index, |aggregate, cx| aggregate.remove(flow.0, cx))
    }

    fn handle_ack(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, ack: &Acknowledgement) {
        let index = self.flows[flow.0].aggregate;
        self.with(cx, index, |aggregate, cx| {
            aggregate.handle_ack(flow.0, ack, cx);
        });
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        while let Some((_, index)) = self.agenda.next(cx.now) {
            self.with(cx, index, |aggregate, cx| {
                aggregate.expire(cx);
                aggregate.wake(cx);
                aggregate.give_up(cx);
            });
        }
    }

    fn limit_segment(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, bytes: u32) {
        let index = self.flows[flow.0].aggregate;
        self.with(cx, index, |aggregate, cx| {
            aggregate.limit_segment(flow.0, bytes, cx);
        });
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport) {
        let Some(&index) = self.aggregates.of.get(&self.place(mobile)) else { return };
        self.with(cx, index, |aggregate, cx| {
            aggregate.reported_bps = Some(report.rate.map_or(0, Rate::as_bps));
            aggregate.handle_report(report.rate, cx.config);
        });
    }

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<(FlowId, Departure<P>)> {
        while let Some(&index) = self.polled.front() {
            let output = self.with(cx, index, Aggregate::next_output);
            if let Some((flow, departure)) = output {
                return Some((FlowId(flow), departure));
            }
            self.polled.pop_front();
            let aggregate = &mut self.aggregates[index];
            aggregate.polled = false;
            aggregate.report(cx, &self.config);
            self.given_up.append(&mut aggregate.given_up);
            self.agenda.set(index, aggregate.deadline(cx.now, &self.config));
        }
        self.next = self.agenda.peek();
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    fn right_edge(&mut self, now: Time, flow: FlowId) -> u64 {
        let index = self.flows[flow.0].aggregate;
        let (flows, updates, released) = (&mut self.flows, &mut self.updates, &mut self.released);
        let (config, watch) = (&self.config, &mut |_| {});
        let mut cx = Context { now, config, flows, updates, released, watch };
        self.aggregates[index].right_edge(flow.0, &mut cx)
    }

    fn poll_window_update(&mut self) -> Option<FlowId> {
        let flows = &self.flows.0;
        let due = |id: u32| {
            flows[id as usize].as_ref().is_some_and(|flow| flow.window_update == WindowUpdate::Due)
        };
        std::iter::from_fn(|| self.updates.pop_front()).find(|&id| due(id)).map(FlowId)
    }

    fn poll_given_up(&mut self) -> Option<FlowId> {
        let flows = &self.flows.0;
        let is_open = |flow: &FlowId| flows[flow.0 as usize].is_some();
        std::iter::from_fn(|| self.given_up.pop()).find(is_open)
    }

    fn acknowledged(&self, flow: FlowId) -> u64 {
        self.flows[flow.0].una
    }

    fn held_bytes(&self, flow: FlowId) -> u64 {
        self.aggregates[self.flows[flow.0].aggregate].totals.held
    }

    fn handle_opaque(
        &mut self,
        cx: &mut BoxContext<'_>,
        mobile: u32,
        packet: &Opaque,
    ) -> Reception {
        match self.config.others {
            Others::Around => return Reception::Passes,
            Others::Scheduled => {}
        }
        let index = self.aggregate_of(packet.destination, mobile);
        self.with(cx, index, |aggregate, cx| aggregate.wait(packet, cx));
        Reception::Waits
    }

    fn handle_echo(&mut self, cx: &mut BoxContext<'_>, mobile: Address, number: u32) {
        if let Some(&index) = self.aggregates.of.get(&self.place(mobile)) {
            self.with(cx, index, |aggregate, cx| aggregate.handle_echo(number, cx));
        }
    }

    fn poll_aside(&mut self) -> Option<Aside> {
        self.released.pop_front()
    }

    fn release_opaque(&mut self) {
        for aggregate in self.aggregates.slots.iter_mut().flatten() {
            aggregate.lanes.clear(&mut self.released);
        }
    }

    fn forget(&mut self, _number: u32, mobile: Address) {
        let host = self.place(mobile);
        if let Some(&index) = self.aggregates.of.get(&host) {
            self.aggregates[index].lanes.clear(&mut self.released);
        }
        if let Some(index) = self.aggregates.remove(host) {
            self.agenda.set(index, None);
            self.polled.retain(|&other| other != index);
        }
    }

    fn count(&self, counters: &mut Counters) {
        counters.add(self.aggregates.repairs);
        counters.held_max = counters.held_max.max(self.aggregates.held_max);
        for Aggregate { totals, repairs, .. } in self.aggregates.iter() {
            counters.held_bytes += totals.held;
            counters.held_max = counters.held_max.max(totals.held_max);
            counters.add(*repairs);
        }
    }
}
