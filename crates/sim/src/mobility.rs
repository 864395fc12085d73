//! What is measured of mobiles that move.

use base::{MobilityFact, Time};
use mobility::binding::Message;
use serde::Serialize;
use world::{Body, Machine, NodeId, World};

/// Something that happened at an agent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MobilityRow {
    /// When.
    pub time: Time,
    /// The agent's machine number.
    pub machine: u32,
    /// What.
    pub fact: MobilityFact,
}

/// All that happened at agents, in order of time.
#[derive(Debug, Default)]
pub struct MobilityMetrics {
    rows: Vec<MobilityRow>,
}

impl MobilityMetrics {
    /// All that happened, in order of time.
    pub fn rows(&self) -> &[MobilityRow] {
        &self.rows
    }

    pub(crate) fn fact(&mut self, time: Time, machine: u32, fact: MobilityFact) {
        self.rows.push(MobilityRow { time, machine, fact });
    }
}

/// How mobiles moved through the network.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MobilitySummary {
    /// The names of the access routers, by their numbers.
    pub routers: Vec<String>,
    /// Each change of a mobile to another access router, in order of time.
    pub handovers: Vec<HandoverSummary>,
    /// Bindings that agents and correspondents made or renewed.
    pub bindings: u64,
    /// Bindings that ended.
    pub unbindings: u64,
    /// How often a mobile gave up to have an address bound.
    pub given_up: u64,
}

/// A change of a mobile to another access router. What did not happen in the run is `null`.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HandoverSummary {
    /// The mobile's name.
    pub mobile: String,
    /// The access router's number, from 0.
    pub router: u32,
    /// When the link before was lost, if that was ahead of the new one.
    pub link_down_s: Option<f64>,
    /// When the new link came up.
    pub link_up_s: f64,
    /// When its router was heard of.
    pub advertised_s: Option<f64>,
    /// When an address there could be used.
    pub address_s: Option<f64>,
    /// When the first agent had bound it, as the mobile learnt.
    pub registered_s: Option<f64>,
    /// From the loss of the link before, or where there were two from the new one, to then.
    pub latency_s: Option<f64>,
}

impl MobilitySummary {
    /// Of the mobiles of `world`; `None` if it has no agents.
    pub(crate) fn of<B: Body>(world: &World<B>, metrics: &MobilityMetrics) -> Option<Self> {
        let is_agent = |machine: &Machine<B>| matches!(machine, Machine::Agent { .. });
        if !world.machines().any(|(_, _, machine)| is_agent(machine)) {
            return None;
        }
        let mut handovers = Vec::new();
        for (id, _, machine) in world.machines() {
            if let Machine::Agent { at, .. } = machine {
                let rows = metrics.rows.iter().filter(|row| row.machine == id.0);
                changes(world.node(*at).name(), rows, &mut handovers);
            }
        }
        for change in &mut handovers {
            let since = change.link_down_s.unwrap_or(change.link_up_s);
            change.latency_s = change.registered_s.map(|registered| registered - since);
        }
        handovers.sort_by(|one, other| one.link_up_s.total_cmp(&other.link_up_s));
        let count = |wanted: fn(&MobilityFact) -> bool| {
            metrics.rows.iter().filter(|row| wanted(&row.fact)).count() as u64
        };
        let routers = world.machines().find_map(|(_, _, machine)| match machine {
            Machine::Wlan { directory, .. } => Some(directory.routers()),
            Machine::Pipe { .. }
            | Machine::Link { .. }
            | Machine::Bearer { .. }
            | Machine::Cell { .. }
            | Machine::Middlebox { .. }
            | Machine::Agent { .. }
            | Machine::Reassembly(_)
            | Machine::Host(_)
            | Machine::Browser(_) => None,
        });
        let name = |router: &NodeId| world.node(*router).name().to_owned();
        Some(Self {
            routers: routers.unwrap_or_default().iter().map(name).collect(),
            handovers,
            bindings: count(|fact| matches!(fact, MobilityFact::Bound { .. })),
            unbindings: count(|fact| matches!(fact, MobilityFact::Unbound { .. })),
            given_up: count(|fact| matches!(fact, MobilityFact::GivenUp { .. })),
        })
    }
}

/// The changes of `mobile`, from all that happened to it. A link that it has at the start is none.
fn changes<'a>(
    mobile: &str,
    rows: impl Iterator<Item = &'a MobilityRow>,
    handovers: &mut Vec<HandoverSummary>,
) {
    let mut down: Option<f64> = None;
    let mut current: Option<HandoverSummary> = None;
    for row in rows {
        let time = row.time.as_secs_f64();
        match row.fact {
            MobilityFact::LinkDown { .. } => down = Some(time),
            MobilityFact::LinkUp { router } => {
                handovers.extend(current.take());
                let known = (row.time > Time::ZERO).then(|| HandoverSummary {
                    mobile: mobile.to_owned(),
                    router,
                    link_down_s: down.take(),
                    link_up_s: time,
                    advertised_s: None,
                    address_s: None,
                    registered_s: None,
                    latency_s: None,
                });
                current = known;
            }
            MobilityFact::Advertised { .. } => {
                set(&mut current, time, |change| &mut change.advertised_s);
            }
            MobilityFact::Usable { .. } => set(&mut current, time, |change| &mut change.address_s),
            MobilityFact::Received { message: Message::BINDING_ACKNOWLEDGEMENT, .. } => {
                set(&mut current, time, |change| &mut change.registered_s);
            }
            MobilityFact::LinkFading { .. }
            | MobilityFact::Tentative { .. }
            | MobilityFact::Duplicate { .. }
            | MobilityFact::Removed { .. }
            | MobilityFact::Sent { .. }
            | MobilityFact::Received { .. }
            | MobilityFact::Bound { .. }
            | MobilityFact::Unbound { .. }
            | MobilityFact::GivenUp { .. } => {}
        }
    }
    handovers.extend(current);
}

/// The first time counts.
fn set(
    current: &mut Option<HandoverSummary>,
    time: f64,
    field: impl FnOnce(&mut HandoverSummary) -> &mut Option<f64>,
) {
    if let Some(change) = current {
        field(change).get_or_insert(time);
    }
}
