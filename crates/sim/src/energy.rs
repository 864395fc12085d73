//! What the radios of mobiles have used.

use std::collections::{BTreeMap, BTreeSet};

use base::{Duration, Energy, Power, Time};
use observe::PowerFact;
use radio::{EnergyUse, StateUse};
use scenario::NetworkFlow;
use schemars::JsonSchema;
use serde::Serialize;
use world::{Body, Machine, MachineId, NodeId, World};

use crate::FlowMetrics;

/// The energy of the radios of all mobiles.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Energy")]
pub struct EnergySummary {
    /// What the radios of all mobiles used together, in J.
    pub total_j: f64,
    /// What the radio of a mobile drew in the mean, in W; `null` if no time passed.
    pub mean_w: Option<f64>,
    /// How long it lives on a battery of 1 Wh, in s; `null` if it draws nothing.
    pub life_per_wh_s: Option<f64>,
    /// What all used over the payload that flows to or from a mobile delivered, in J for each
    /// 1,000,000 bytes; `null` if nothing was, or if that is not known.
    pub per_megabyte_j: Option<f64>,
    /// By state that they were or could have been in.
    pub states: Vec<StateEnergySummary>,
}

/// The energy of the radio of a mobile.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mobile")]
pub struct MobileSummary {
    /// Its node.
    pub name: String,
    /// What its radio used, in J.
    pub energy_j: f64,
    /// What its radio drew in the mean, in W; `null` if no time passed.
    pub mean_w: Option<f64>,
    /// How long it lives on a battery of 1 Wh, in s; `null` if it draws nothing.
    pub life_per_wh_s: Option<f64>,
    /// What it used over the payload of its flows, in either direction, in J for each 1,000,000
    /// bytes; `null` if nothing was delivered.
    pub per_megabyte_j: Option<f64>,
    /// By state that it was in.
    pub states: Vec<StateEnergySummary>,
}

/// The energy of a state of mobiles' radios.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "StateEnergy")]
pub struct StateEnergySummary {
    /// What the state is called.
    pub name: String,
    /// What a mobile draws in it, in W, without what it carries.
    pub power_w: f64,
    /// How long mobiles were in it, all together.
    pub time_s: f64,
    /// What they used in it, in J, with what they carried.
    pub energy_j: f64,
}

/// A mobile whose use of energy is known.
#[derive(Clone, Debug)]
pub(crate) struct MobileUse {
    name: String,
    used: EnergyUse,
    /// The payload of its flows.
    delivered: u64,
}

/// A mobile's radio draws another power, or begins to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PowerRow {
    /// When.
    pub time: Time,
    /// The mobile, as an index into the mobiles of the run's summary.
    pub mobile: u32,
    /// What its state is called.
    pub state: &'static str,
    /// What it draws there, without what it carries.
    pub power: Power,
    /// What it has used since the start.
    pub energy: Energy,
}

/// The powers of all mobiles over time.
#[derive(Debug, Default)]
pub(crate) struct PowerTrace {
    pub(crate) rows: Vec<PowerRow>,
    /// For each machine that has mobiles, by its number, how many those before it have.
    before: BTreeMap<u32, u32>,
}

impl PowerTrace {
    /// Of a `world` that begins.
    pub(crate) fn new<B: Body>(world: &World<B>) -> Self {
        let mut trace = Self::default();
        for (place, (id, used)) in (0..).zip(uses(world, Time::ZERO)) {
            let before = *trace.before.entry(id.0).or_insert(place);
            trace.add(Time::ZERO, used.fact(id.0, place - before));
        }
        trace
    }

    pub(crate) fn add(&mut self, time: Time, fact: PowerFact) {
        let PowerFact { machine, mobile, state, power, energy } = fact;
        let mobile = self.before[&machine] + mobile;
        self.rows.push(PowerRow { time, mobile, state, power, energy });
    }
}

/// What the mobiles of `world` had used by `now`, in the order of their machines.
fn uses<B: Body>(world: &World<B>, now: Time) -> impl Iterator<Item = (MachineId, EnergyUse)> {
    world
        .machines()
        .filter_map(|(id, _, machine)| Some((id, machine.radio()?)))
        .flat_map(move |(id, radio)| radio.cell.energy(now).map(move |used| (id, used)))
}

/// The nodes of mobiles of machine `id`, in order.
fn nodes<B: Body>(world: &World<B>, id: MachineId) -> &[NodeId] {
    world.machine(id).radio().map_or(&[], |radio| &*radio.mobiles)
}

/// The mobiles of `world` whose use of energy is known, at its `end`, with what `flows` delivered:
/// a flow is that of the mobiles at its ends. And what all flows delivered that have one.
pub(crate) fn mobiles<'a, B: Body>(
    world: &World<B>,
    flows: impl Iterator<Item = (&'a NetworkFlow, &'a FlowMetrics)>,
    end: Time,
) -> (Vec<MobileUse>, u64) {
    let machines: BTreeSet<MachineId> = uses(world, end).map(|(id, _)| id).collect();
    let nodes = || machines.iter().flat_map(|id| nodes(world, *id));
    let mobile = |(node, (_, used)): (&NodeId, _)| {
        let name = world.node(*node).name().to_owned();
        MobileUse { name, used, delivered: 0 }
    };
    let mut mobiles: Vec<MobileUse> = nodes().zip(uses(world, end)).map(mobile).collect();
    let places: BTreeMap<NodeId, usize> = nodes().copied().zip(0..).collect();
    let mut delivered = 0;
    for (flow, of) in flows {
        let [sender, receiver] = ends(world, flow).map(|node| places.get(&node));
        let receiver = receiver.filter(|place| Some(*place) != sender);
        if sender.or(receiver).is_some() {
            delivered += of.bytes_delivered;
        }
        for place in [sender, receiver].into_iter().flatten() {
            mobiles[*place].delivered += of.bytes_delivered;
        }
    }
    (mobiles, delivered)
}

/// The nodes at the ends of a flow.
fn ends<B: Body>(world: &World<B>, flow: &NetworkFlow) -> [NodeId; 2] {
    flow.ends.map(|end| match world.machine(end) {
        Machine::Browser(browser) => browser.fetching().reader,
        endpoint => endpoint.node().expect("a flow ends at endpoints"),
    })
}

impl EnergySummary {
    /// Of the mobiles of `world` at its `end`, if their use of energy is known. What has been
    /// delivered to whom is not.
    pub fn of<B: Body>(world: &World<B>, end: Time) -> Option<Self> {
        Self::sum(&mobiles(world, std::iter::empty(), end).0, 0)
    }

    /// Of `mobiles`, whose flows delivered so many bytes of payload.
    pub(crate) fn sum(mobiles: &[MobileUse], delivered: u64) -> Option<Self> {
        let mut states: Vec<Sum> = Vec::new();
        for StateUse { name, power, time, energy } in mobiles.iter().flat_map(MobileUse::states) {
            let place = states.iter().position(|state| state.name == *name).unwrap_or_else(|| {
                states.push(Sum { name, power: *power, nanos: 0, energy: Energy::ZERO });
                states.len() - 1
            });
            states[place].nanos += u128::from(time.as_nanos());
            states[place].energy += *energy;
        }
        let total: Energy = mobiles.iter().map(|mobile| mobile.used.total()).sum();
        let mean_w = mean(total, states.iter().map(|state| state.nanos).sum());
        (!mobiles.is_empty()).then(|| Self {
            total_j: total.as_joules_f64(),
            mean_w,
            life_per_wh_s: mean_w.and_then(life_per_wh),
            per_megabyte_j: per_megabyte(total, delivered),
            states: states.into_iter().map(Sum::summary).collect(),
        })
    }
}

/// A state of several mobiles: the time of fifty thousand may be longer than a [`Duration`].
struct Sum {
    name: &'static str,
    power: Power,
    nanos: u128,
    energy: Energy,
}

impl Sum {
    fn summary(self) -> StateEnergySummary {
        StateEnergySummary {
            name: self.name.to_owned(),
            power_w: self.power.as_watts_f64(),
            time_s: self.nanos as f64 / 1e9,
            energy_j: self.energy.as_joules_f64(),
        }
    }
}

impl MobileUse {
    fn states(&self) -> &[StateUse] {
        self.used.states()
    }

    pub(crate) fn summary(&self) -> MobileSummary {
        let was_in = |state: &&StateUse| state.time > Duration::ZERO || state.energy > Energy::ZERO;
        let states = self.states().iter().filter(was_in).map(|state| StateEnergySummary {
            name: state.name.to_owned(),
            power_w: state.power.as_watts_f64(),
            time_s: state.time.as_secs_f64(),
            energy_j: state.energy.as_joules_f64(),
        });
        let total = self.used.total();
        let nanos = self.states().iter().map(|state| u128::from(state.time.as_nanos())).sum();
        let mean_w = mean(total, nanos);
        MobileSummary {
            name: self.name.clone(),
            energy_j: total.as_joules_f64(),
            mean_w,
            life_per_wh_s: mean_w.and_then(life_per_wh),
            per_megabyte_j: per_megabyte(total, self.delivered),
            states: states.collect(),
        }
    }
}

/// Watts of an energy over so many nanoseconds, if there are any.
fn mean(energy: Energy, nanos: u128) -> Option<f64> {
    (nanos > 0).then(|| energy.as_joules_f64() / (nanos as f64 / 1e9))
}

/// Seconds that 3600 J last at so many watts.
fn life_per_wh(watts: f64) -> Option<f64> {
    (watts > 0.0).then(|| 3600.0 / watts)
}

/// Joules for each 1,000,000 of so many bytes, if there are any.
fn per_megabyte(energy: Energy, bytes: u64) -> Option<f64> {
    (bytes > 0).then(|| energy.as_joules_f64() / (bytes as f64 / 1e6))
}
