//! What is measured of mobiles that move.

use std::collections::BTreeMap;

use base::{Duration, Time};
use mobility::binding::Address;
use observe::{DropReason, MobilityFact};
use schemars::JsonSchema;
use serde::Serialize;
use world::{Body, Directory, Hop, Machine, NodeId, World};

use crate::Distribution;

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

/// What happened at agents.
#[derive(Debug, Default)]
pub struct MobilityMetrics {
    /// All that happened, in order of time.
    pub rows: Vec<MobilityRow>,
    /// By machine number: hosts and agents drop packets for reasons that no link has, and the WLAN
    /// for one of them.
    lost: BTreeMap<u32, LostSummary>,
}

impl MobilityMetrics {
    pub(crate) fn fact(&mut self, time: Time, machine: u32, fact: MobilityFact) {
        self.rows.push(MobilityRow { time, machine, fact });
    }

    /// `machine` dropped a packet, which counts if that is a host or an agent.
    pub(crate) fn dropped(&mut self, machine: u32, reason: DropReason) {
        let counter: fn(&mut LostSummary) -> &mut u64 = match reason {
            DropReason::Unreachable => |lost| &mut lost.unreachable,
            DropReason::Incomplete => |lost| &mut lost.incomplete,
            DropReason::TooBig => |lost| &mut lost.too_big,
            // No host or agent has these reasons.
            DropReason::Queue
            | DropReason::Aqm
            | DropReason::Loss
            | DropReason::List
            | DropReason::Outage
            | DropReason::Discarded
            | DropReason::Corrupt => return,
        };
        *counter(self.lost.entry(machine).or_default()) += 1;
    }
}

/// Packets dropped by hosts or agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Lost")]
pub struct LostSummary {
    /// The mobile was bound nowhere, or not where the packet came from.
    pub unreachable: u64,
    /// Fragments whose other fragments did not come.
    pub incomplete: u64,
    /// Larger than a tunnel takes; its entry notified the source.
    pub too_big: u64,
}

/// How mobiles moved through the network.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Mobility")]
pub struct MobilitySummary {
    /// The names of the access routers, by their numbers.
    pub routers: Vec<String>,
    /// Each change of a mobile to another access router, in order of time.
    pub handovers: Vec<HandoverSummary>,
    /// Their latencies.
    pub latency_s: Distribution,
    /// Bindings that agents and correspondents made or renewed.
    pub bindings: u64,
    /// Bindings that ended.
    pub unbindings: u64,
    /// How often a mobile gave up having an address bound.
    pub given_up: u64,
    /// Packets dropped by hosts or agents; drops of links are counted there.
    pub lost: LostSummary,
}

/// A change of a mobile to another access router. What did not happen in the run is `null`.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Handover")]
pub struct HandoverSummary {
    /// The mobile's name.
    pub mobile: String,
    /// The access router's number, from 0.
    pub router: u32,
    /// That of the one before, if there was one.
    pub router_before: Option<u32>,
    /// When the last link before was lost, if that was before the new one came up.
    pub link_down_s: Option<f64>,
    /// When the new link came up.
    pub link_up_s: f64,
    /// When its router's advertisement came.
    pub advertised_s: Option<f64>,
    /// When an address there could be used.
    pub address_s: Option<f64>,
    /// When the mobile learnt that the first agent reaches it by another address: the MAP, where
    /// there is one.
    pub registered_s: Option<f64>,
    /// When it learnt the same of the home agent, if that had to be updated.
    pub home_registered_s: Option<f64>,
    /// From the loss of the link before, or with two links from when the new one came up, to when
    /// the last of these agents reached it.
    pub latency_s: Option<f64>,
}

impl MobilitySummary {
    /// The summary of the mobiles of `world`, whose home agent is at node `home_agent`.
    pub(crate) fn of<B: Body>(
        world: &World<B>,
        metrics: &MobilityMetrics,
        home_agent: &str,
    ) -> Self {
        let mut rows: BTreeMap<u32, Vec<&MobilityRow>> = BTreeMap::new();
        for row in &metrics.rows {
            rows.entry(row.machine).or_default().push(row);
        }
        let directory = world.machines().find_map(|(_, _, machine)| {
            let Some(Hop::Wlan { directory, .. }) = machine.hop() else { return None };
            Some(&**directory)
        });
        let routers = directory.map_or(&[][..], Directory::routers);
        let router_of = &|address| directory?.access_point_of(Address(address));
        let is_home = &|agent| world.node(NodeId(agent)).name() == home_agent;
        let numbers = Numbers { router_of, is_home };
        let (mut handovers, mut latencies) = (Vec::new(), Vec::new());
        let mut lost = LostSummary::default();
        for (id, _, machine) in world.machines() {
            if let Machine::Agent { at, .. } = machine {
                let rows = rows.remove(&id.0).unwrap_or_default();
                let changes = changes(&rows, &numbers);
                latencies.extend(changes.iter().filter_map(RouterChange::latency));
                let mobile = world.node(*at).name();
                handovers.extend(changes.iter().map(|change| change.summary(mobile)));
            } else if !matches!(machine, Machine::Reassembly(_)) {
                continue;
            }
            if let Some(of) = metrics.lost.get(&id.0) {
                lost.unreachable += of.unreachable;
                lost.incomplete += of.incomplete;
                lost.too_big += of.too_big;
            }
        }
        handovers.sort_by(|one, other| one.link_up_s.total_cmp(&other.link_up_s));
        let count = |wanted: fn(&MobilityFact) -> bool| {
            metrics.rows.iter().filter(|row| wanted(&row.fact)).count() as u64
        };
        let name = |router: &NodeId| world.node(*router).name().to_owned();
        Self {
            routers: routers.iter().map(name).collect(),
            handovers,
            latency_s: Distribution::of(latencies.into_iter()),
            bindings: count(|fact| matches!(fact, MobilityFact::Bound { .. })),
            unbindings: count(|fact| matches!(fact, MobilityFact::Unbound { .. })),
            given_up: count(|fact| matches!(fact, MobilityFact::GivenUp { .. })),
            lost,
        }
    }
}

/// A change of a mobile to another access router.
#[derive(Clone, Copy, Debug)]
struct RouterChange {
    routers: [Option<u32>; 2],
    down: Option<Time>,
    up: Time,
    advertised: Option<Time>,
    usable: Option<Time>,
    registered: Option<Time>,
    home_registered: Option<Time>,
}

impl RouterChange {
    const fn new(routers: [Option<u32>; 2], down: Option<Time>, up: Time) -> Self {
        let [advertised, usable, registered, home_registered] = [None; 4];
        Self { routers, down, up, advertised, usable, registered, home_registered }
    }

    fn latency(&self) -> Option<Duration> {
        let reached = self.home_registered.max(self.registered)?;
        Some(reached.saturating_since(self.down.unwrap_or(self.up)))
    }

    fn summary(&self, mobile: &str) -> HandoverSummary {
        let seconds = |time: Option<Time>| time.map(Time::as_secs_f64);
        let [before, router] = self.routers;
        HandoverSummary {
            mobile: mobile.to_owned(),
            router: router.unwrap_or_default(),
            router_before: before,
            link_down_s: seconds(self.down),
            link_up_s: self.up.as_secs_f64(),
            advertised_s: seconds(self.advertised),
            address_s: seconds(self.usable),
            registered_s: seconds(self.registered),
            home_registered_s: seconds(self.home_registered),
            latency_s: self.latency().map(Duration::as_secs_f64),
        }
    }
}

/// The meaning of numbers in facts, as far as handovers need it.
struct Numbers<'a> {
    /// The access router at which an address is reached; `None` for a regional one.
    router_of: &'a dyn Fn(u32) -> Option<u32>,
    /// Whether an agent is the home agent.
    is_home: &'a dyn Fn(u32) -> bool,
}

/// The changes of a mobile, from all that happened to it. A link that it has at the start does not
/// count.
fn changes(rows: &[&MobilityRow], numbers: &Numbers<'_>) -> Vec<RouterChange> {
    let mut changes: Vec<RouterChange> = Vec::new();
    let mut links = Vec::new();
    let (mut down, mut before) = (None, None);
    for &&MobilityRow { time, fact, .. } in rows {
        match fact {
            MobilityFact::LinkDown { router } => {
                links.retain(|link| *link != router);
                if links.is_empty() {
                    down = Some(time);
                }
            }
            MobilityFact::LinkUp { router } => {
                let down = down.take().filter(|_| links.is_empty());
                links.push(router);
                let routers = [before.replace(router), Some(router)];
                if time > Time::ZERO {
                    changes.push(RouterChange::new(routers, down, time));
                }
            }
            MobilityFact::Advertised { router } => {
                if let Some(change) = last_to(&mut changes, router) {
                    change.advertised.get_or_insert(time);
                }
            }
            MobilityFact::Usable { address } => {
                let router = (numbers.router_of)(address);
                if let Some(change) = router.and_then(|router| last_to(&mut changes, router)) {
                    change.usable.get_or_insert(time);
                }
            }
            MobilityFact::Registered { agent, care_of } => {
                let change = match (numbers.router_of)(care_of) {
                    Some(router) => last_to(&mut changes, router),
                    // The mobile has told the MAP first.
                    None => changes.iter_mut().rfind(|change| change.registered.is_some()),
                };
                if let Some(change) = change {
                    change.registered.get_or_insert(time);
                    if (numbers.is_home)(agent) {
                        change.home_registered.get_or_insert(time);
                    }
                }
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
    changes
}

/// The last change to an access router, which may not be the last of all: what follows from one may
/// come after the next has begun.
fn last_to(changes: &mut [RouterChange], router: u32) -> Option<&mut RouterChange> {
    changes.iter_mut().rfind(|change| change.routers[1] == Some(router))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAP: u32 = 4;
    const HOME_AGENT: u32 = 5;
    /// The regional address; local ones have the numbers of their routers.
    const REGIONAL: u32 = 9;

    /// The changes that follow from facts at times in ms, as one line each.
    fn lines(facts: &[(u64, MobilityFact)]) -> Vec<String> {
        let at = |millis| Time::from_nanos(millis * 1_000_000);
        let row = |&(millis, fact)| MobilityRow { time: at(millis), machine: 0, fact };
        let rows: Vec<_> = facts.iter().map(row).collect();
        let rows: Vec<_> = rows.iter().collect();
        let millis = |time: Option<Time>| {
            time.map_or("-".to_owned(), |time| (time.as_nanos() / 1_000_000).to_string())
        };
        let line = |change: &RouterChange| {
            let [before, router] = change
                .routers
                .map(|number| number.map_or("-".to_owned(), |number| number.to_string()));
            let parts = [
                change.down,
                Some(change.up),
                change.usable,
                change.registered,
                change.home_registered,
            ];
            let latency = change.latency().map_or(0, |latency| latency.as_nanos() / 1_000_000);
            format!("{before}>{router} {} = {latency}", parts.map(millis).join(" "))
        };
        let router_of = &|address| (address != REGIONAL).then_some(address);
        let numbers = Numbers { router_of, is_home: &|agent| agent == HOME_AGENT };
        changes(&rows, &numbers).iter().map(line).collect()
    }

    const fn up(router: u32) -> MobilityFact {
        MobilityFact::LinkUp { router }
    }

    const fn down(router: u32) -> MobilityFact {
        MobilityFact::LinkDown { router }
    }

    const fn usable(address: u32) -> MobilityFact {
        MobilityFact::Usable { address }
    }

    const fn at(agent: u32, care_of: u32) -> MobilityFact {
        MobilityFact::Registered { agent, care_of }
    }

    #[test]
    fn a_link_that_is_lost_while_another_is_there_delays_nothing() {
        let facts = [
            (0, up(0)),
            (10, up(1)),
            (11, usable(1)),
            (12, at(MAP, 1)),
            (20, down(0)),
            (30, up(2)),
            (31, usable(2)),
            (32, at(MAP, 2)),
            (40, down(1)),
            // Nowhere for a while.
            (50, down(2)),
            (60, up(1)),
            (61, usable(1)),
            (63, at(MAP, 1)),
        ];
        assert_eq!(
            lines(&facts),
            ["0>1 - 10 11 12 - = 2", "1>2 - 30 31 32 - = 2", "2>1 50 60 61 63 - = 13"]
        );
    }

    #[test]
    fn a_mobile_is_reached_when_the_last_agent_knows() {
        // From nowhere into a domain.
        let into = [
            (5, up(1)),
            (6, usable(1)),
            (7, at(MAP, 1)),
            (9, at(HOME_AGENT, REGIONAL)),
            (15, at(MAP, 1)),
        ];
        assert_eq!(lines(&into), ["->1 - 5 6 7 9 = 4"]);
        // Without a MAP.
        let alone = [(0, up(0)), (3, down(0)), (5, up(1)), (6, usable(1)), (9, at(HOME_AGENT, 1))];
        assert_eq!(lines(&alone), ["0>1 3 5 6 9 9 = 6"]);
        // What the run does not show.
        assert_eq!(lines(&[(0, up(0)), (5, up(1)), (6, usable(1))]), ["0>1 - 5 6 - - = 0"]);
        assert_eq!(lines(&[(0, up(0)), (6, usable(0)), (7, at(MAP, 0))]), [""; 0]);
    }

    #[test]
    fn what_follows_from_a_change_may_come_after_the_next() {
        let facts = [
            (0, up(0)),
            (10, up(1)),
            (20, up(2)),
            (21, usable(1)),
            (22, at(MAP, 1)),
            (23, at(HOME_AGENT, REGIONAL)),
            (30, usable(2)),
            (31, at(MAP, 2)),
        ];
        assert_eq!(lines(&facts), ["0>1 - 10 21 22 23 = 13", "1>2 - 20 30 31 - = 11"]);
    }
}
