//! What is left of a network, or of a part of it, that has run to its end.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

use base::{Direction, Time};
use radio::umts::channels::CodeTree;
use scenario::{Network, Scenario};
use world::{Body, Machine};

use crate::capacity::{Course, capacity, courses};
use crate::energy::{MobileUse, mobiles};
use crate::{
    CellSummary, FlowSummary, LinkSummary, Metrics, MobilitySummary, Outcome, RadioSummary, Summary,
};

/// What was measured of a network, without its world.
#[derive(Debug)]
pub(crate) struct Measured {
    /// What has happened, as a world counts it.
    pub(crate) events: u64,
    /// Series.
    pub(crate) metrics: Metrics,
    /// By number in the scenario.
    pub(crate) flows: Vec<FlowSummary>,
    /// One entry for each direction of each link or bearer.
    pub(crate) links: Vec<LinkSummary>,
    /// What each of these could carry over time.
    pub(crate) courses: Vec<Course>,
    /// The blocks of bearers, down and up.
    pub(crate) radio: Option<[radio::Counters; 2]>,
    /// The mobiles whose use of energy is known.
    pub(crate) mobiles: Vec<MobileUse>,
    /// The payload that flows to or from mobiles delivered.
    pub(crate) delivered: u64,
    pub(crate) cell: Option<CellSummary>,
    /// The nodes of middleboxes, and what these have counted together.
    pub(crate) middlebox: Option<(Nodes, middlebox::Counters)>,
    pub(crate) mobility: Option<MobilitySummary>,
    /// The names of machines by their number.
    pub(crate) machines: Vec<String>,
    /// How many of them, from the first on, hold all that may drop packets.
    pub(crate) droppers: usize,
    /// The names of nodes and addresses by their number.
    pub(crate) nodes: Vec<String>,
}

impl Measured {
    /// Of `network`, which is that of `scenario` or a part of it.
    pub(crate) fn of<B: Body>(scenario: &Scenario, network: Network<B>, metrics: Metrics) -> Self {
        let Network { world, flows } = network;
        let end = Time::ZERO + scenario.duration;
        let machines = || world.machines().map(|(_, _, machine)| machine);
        let (mobiles, delivered) = mobiles(&world, flows.iter().zip(metrics.flows()), end);
        let mut measured = Self {
            events: world.events(),
            flows: flows
                .iter()
                .zip(metrics.flows())
                .map(|(flow, of)| FlowSummary::of(flow.number, of, scenario, flow.bottleneck))
                .collect(),
            links: world
                .machines()
                .flat_map(|(_, name, machine)| LinkSummary::of(name, machine, end))
                .collect(),
            courses: courses(scenario, &world),
            radio: RadioSummary::blocks(machines()),
            mobiles,
            delivered,
            cell: machines().find_map(|machine| cell(scenario, &metrics, machine)),
            middlebox: machines()
                .filter_map(Machine::middlebox)
                .map(|(middlebox, at)| (Nodes::of(world.node(at).name()), middlebox.counters()))
                .reduce(add),
            mobility: scenario.mobile_ip.as_ref().map(|mobile_ip| {
                MobilitySummary::of(&world, &metrics.mobility, &mobile_ip.home_agent)
            }),
            metrics,
            droppers: world
                .machines()
                .filter(|(.., machine)| machine.may_drop())
                .last()
                .map_or(0, |(id, ..)| id.0 as usize + 1),
            machines: Vec::new(),
            nodes: Vec::new(),
        };
        [measured.machines, measured.nodes] = world.into_names();
        measured
    }

    /// The results of the run of `scenario`, without what is recorded besides.
    pub(crate) fn outcome(mut self, scenario: &Scenario) -> Outcome {
        let end = Time::ZERO + scenario.duration;
        self.metrics.middlebox.finish(end);
        let summary = Summary::of(scenario, &mut self);
        let Self { metrics, courses, machines, droppers, nodes, .. } = self;
        let (capacity, vantages) = (capacity(courses), Vec::new());
        Outcome { summary, metrics, trace: None, capacity, machines, droppers, nodes, vantages }
    }
}

/// Nodes, by the names of the first and of the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Nodes([String; 2]);

impl Nodes {
    fn of(name: &str) -> Self {
        Self([(); 2].map(|()| name.to_owned()))
    }
}

impl Display for Nodes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self([first, last]) = self;
        if first == last { write!(f, "{first}") } else { write!(f, "{first} to {last}") }
    }
}

/// Sum of what boxes have counted, and those that come after them.
fn add(
    (Nodes([first, _]), mut sum): (Nodes, middlebox::Counters),
    (Nodes([_, last]), more): (Nodes, middlebox::Counters),
) -> (Nodes, middlebox::Counters) {
    sum += more;
    (Nodes([first, last]), sum)
}

/// What was measured of a network, joined from its parts. What all parts have comes first in each.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The parts so far.
    whole: Option<Measured>,
    /// How many flows all parts have together.
    flows: usize,
    /// Number of parts in all.
    of: u32,
    /// How many parts there are so far.
    mobiles: u32,
    /// Names of the boxes, of which all parts may have the same one.
    boxes: Vec<String>,
    /// How many directions of wires all parts have.
    wires: usize,
    /// How many nodes all parts have.
    nodes: usize,
}

impl Joined {
    /// For so many flows and parts.
    pub(crate) const fn new(flows: usize, of: u32) -> Self {
        Self { whole: None, flows, of, mobiles: 0, boxes: Vec::new(), wires: 0, nodes: 0 }
    }

    /// Adds the part of the next mobile.
    pub(crate) fn take(&mut self, mut part: Measured) {
        self.wires = part.links.len() - Direction::BOTH.len();
        self.renumber(&mut part);
        self.mobiles += 1;
        let Some(whole) = &mut self.whole else { return self.begin(part) };
        whole.events += part.events;
        whole.metrics.take(part.metrics);
        whole.flows.extend(part.flows);
        let mut links = part.links.into_iter();
        for (wire, more) in whole.links.iter_mut().zip(links.by_ref().take(self.wires)) {
            wire.add(&more);
        }
        whole.links.extend(links);
        whole.courses.extend(part.courses.into_iter().skip(self.wires));
        if let (Some(sum), Some(more)) = (&mut whole.radio, part.radio) {
            for (sum, more) in sum.iter_mut().zip(more) {
                *sum = *sum + more;
            }
        }
        whole.mobiles.extend(part.mobiles);
        whole.delivered += part.delivered;
        whole.middlebox =
            whole.middlebox.take().zip(part.middlebox).map(|(sum, more)| add(sum, more));
        whole.machines.extend(part.machines.into_iter().nth(self.wires));
        whole.nodes.extend(part.nodes.into_iter().nth(self.nodes));
    }

    /// Gives the machines of `part` that may drop packets their numbers in the whole: wires, the
    /// bearers of all mobiles, boxes.
    fn renumber(&mut self, part: &mut Measured) {
        let bearer = self.wires;
        if let Some(name) = part.machines[..part.droppers].get(bearer + 1)
            && self.boxes.last() != Some(name)
        {
            self.boxes.push(name.clone());
        }
        let bearer = bearer as u32;
        let its_own = bearer + self.mobiles;
        let its_box = bearer + self.of + (self.boxes.len() as u32).saturating_sub(1);
        part.metrics.renumber(&|machine: u32| match machine.cmp(&bearer) {
            Ordering::Less => machine,
            Ordering::Equal => its_own,
            Ordering::Greater => its_box,
        });
    }

    /// Makes `part`, the first, the whole so far.
    fn begin(&mut self, part: Measured) {
        self.nodes = part.nodes.len() - 1;
        let whole = self.whole.insert(part);
        whole.flows.reserve_exact(self.flows - whole.flows.len());
        whole.metrics.reserve(self.flows);
        // Middleboxes and endpoints come after the bearer.
        whole.machines.truncate(self.wires + 1);
    }

    /// The whole.
    ///
    /// # Panics
    /// If it has no parts.
    pub(crate) fn whole(self) -> Measured {
        let mut whole = self.whole.expect("a network has parts");
        whole.machines.extend(self.boxes);
        whole.droppers = whole.machines.len();
        whole.flows.sort_unstable_by_key(|flow| flow.id);
        whole.metrics.sort();
        whole
    }
}

/// The summary of a network of cells, if `machine` is one.
fn cell<B: Body>(
    scenario: &Scenario,
    metrics: &Metrics,
    machine: &Machine<B>,
) -> Option<CellSummary> {
    let radio::Cell::UmtsCell(cell) = &machine.radio()?.cell else { return None };
    let states: Vec<_> = cell.states().collect();
    let cells = scenario.radio.as_ref().and_then(|radio| radio.keys().cells());
    let fach = cells.map(|cells| cells.fach.sf);
    let codes = CodeTree::of_cell(fach.as_slice()).expect("the cells have it");
    let end = Time::ZERO + scenario.duration;
    Some(CellSummary::of(&metrics.cell, &states, (cell.cells(), &codes), end))
}
