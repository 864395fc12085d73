//! A network at time zero, for a drawing or a list. Rates are in bit/s, times in seconds, positions
//! in metres; `null` means no limit, or no single value.

use std::collections::{BTreeMap, BTreeSet};

use base::{Duration, Rate, Schedule, Time};
use link::queue::droptail::Limit;
use mobility::motion::Position;
use radio::umts::cell::{CellKeys, NodeB, Ue};
use radio::wlan::{AccessPoint, WlanKeys};
use scenario::{Route, Scenario};
use serde::Serialize;
use tcp::Length;
use world::{Body, Hop, Ipv6, MachineId, NodeId, RadioHop, World};

/// A scenario's network at time zero.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Layout {
    /// Hosts and routers, in the order of their numbers.
    pub nodes: Vec<NodeLayout>,
    /// Each direction of each link, bearer or cell.
    pub links: Vec<LinkLayout>,
    /// Base stations with a position.
    pub stations: Vec<StationLayout>,
    /// Mobiles with a position.
    pub walks: Vec<WalkLayout>,
    /// Static routes, other than those of minimum delay.
    pub routes: Vec<RouteLayout>,
}

/// A host or router.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct NodeLayout {
    /// `host`, `RNC`, `UE`.
    pub name: String,
    /// The kind of the middlebox here.
    pub middlebox: Option<String>,
}

/// One direction of a link, or of a bearer or cell for one mobile.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LinkLayout {
    /// `Gi/down`, `Uu/up`.
    pub name: String,
    /// What it is.
    pub kind: LinkKind,
    /// The number of the node that packets come from; `None` if no route leads into it.
    pub from: Option<u32>,
    /// The number of the node that packets go to.
    pub to: u32,
    /// Bits a second at the start; `None` takes no time to send, or has time slots.
    pub rate_bps: Option<u64>,
    /// Seconds one way at the start; `None` for a radio, where it varies.
    pub delay_s: Option<f64>,
    /// The most packets that wait or are being sent.
    pub queue_packets: Option<u32>,
    /// The most bytes that wait or are being sent.
    pub queue_bytes: Option<u64>,
}

/// What a link is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkKind {
    /// A wire, or whatever a plain link models.
    Wired,
    /// A radio bearer of one mobile.
    Bearer,
    /// Radio cells, which mobiles share.
    Cell,
    /// Access points of a wireless LAN, which mobiles share where they are.
    Wlan,
}

/// A base station or access point.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StationLayout {
    /// Its name.
    pub name: String,
    /// East and north.
    pub position_m: [f64; 2],
    /// How far it reaches, where that is a circle.
    pub range_m: Option<f64>,
}

/// Where a mobile goes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct WalkLayout {
    /// The mobile's name.
    pub name: String,
    /// Time, east and north at each bend of its path and at the end of the run; in between it moves
    /// straight.
    pub course: Vec<[f64; 3]>,
}

/// A static route, by the names of nodes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RouteLayout {
    /// The node that has it.
    pub at: String,
    /// Where its packets go.
    pub to: String,
    /// By which neighbour.
    pub via: String,
}

impl Layout {
    /// The layout of the network that `scenario` describes.
    pub fn of(scenario: &Scenario) -> Self {
        match scenario.mobile_ip {
            None => Self::of_world(&scenario::build(scenario).world, scenario),
            Some(_) => {
                Self::of_world(&scenario::build_over::<Ipv6<Length>>(scenario).world, scenario)
            }
        }
    }

    fn of_world<B: Body>(world: &World<B>, scenario: &Scenario) -> Self {
        let mut links = links(world, scenario);
        // Nodes are what routes lead to. Addresses have numbers too, but are no nodes.
        let nodes: BTreeSet<u32> = links.iter().map(|(_, link)| link.to).collect();
        let numbers: BTreeMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let sources = sources(world, &nodes);
        for (machine, link) in &mut links {
            let from = link.from.or_else(|| sources.get(machine).copied());
            link.from = from.map(|id| numbers[&id]);
            link.to = numbers[&link.to];
        }
        let cells = scenario.radio.as_ref().and_then(|radio| radio.keys().cells());
        let wlan = scenario.wlan.as_ref();
        let mut stations = cells.map_or_else(Vec::new, stations);
        stations.extend(wlan.into_iter().flat_map(access_points));
        let mut walks = cells.map_or_else(Vec::new, |cells| walks(&cells.ue, scenario.duration));
        walks.extend(ways(scenario));
        let route = |Route { at, to, via, .. }: &Route| RouteLayout {
            at: at.clone(),
            to: to.clone(),
            via: via.clone(),
        };
        Self {
            nodes: nodes.iter().map(|id| node(world, *id, scenario)).collect(),
            links: links.into_iter().map(|(_, link)| link).collect(),
            stations,
            walks,
            routes: scenario.route.iter().map(route).collect(),
        }
    }
}

/// The node with a number, and its middlebox.
fn node<B: Body>(world: &World<B>, id: u32, scenario: &Scenario) -> NodeLayout {
    let node = world.node(NodeId(id));
    let middlebox = scenario.middlebox.as_ref().filter(|_| node.middlebox().is_some());
    NodeLayout {
        name: node.name().to_owned(),
        middlebox: middlebox.map(|middlebox| middlebox.scheme.name().to_owned()),
    }
}

/// The node from which packets enter a link that a route leads into.
fn sources<B: Body>(world: &World<B>, nodes: &BTreeSet<u32>) -> BTreeMap<MachineId, u32> {
    let hops = |id: &u32| {
        let id = *id;
        world.node(NodeId(id)).hops().map(move |hop| (hop, id))
    };
    nodes.iter().flat_map(hops).collect()
}

/// Both directions of all that carries packets, in the order of machines.
fn links<B: Body>(world: &World<B>, scenario: &Scenario) -> Vec<(MachineId, LinkLayout)> {
    let mut links = Vec::new();
    for (id, name, machine) in world.machines() {
        let Some(hop) = machine.hop() else { continue };
        let of_it: Vec<_> = match hop {
            Hop::Pipe { pipe, to } => vec![LinkLayout {
                rate_bps: pipe.config().rate.map(Rate::as_bps),
                delay_s: Some(pipe.config().delay.as_secs_f64()),
                queue_packets: pipe.config().queue_limit,
                ..LinkLayout::new(name, LinkKind::Wired, *to)
            }],
            Hop::Link { link, to } => vec![LinkLayout {
                rate_bps: link.rate(Time::ZERO).map(Rate::as_bps),
                delay_s: Some(link.delay(Time::ZERO).as_secs_f64()),
                queue_packets: link.limit().packets,
                queue_bytes: link.limit().bytes,
                ..LinkLayout::new(name, LinkKind::Wired, *to)
            }],
            Hop::Radio(radio) => {
                let RadioHop { cell, network, mobiles } = &**radio;
                let kind = if cell.is_shared() { LinkKind::Cell } else { LinkKind::Bearer };
                let ends = mobiles.iter().map(|mobile| [*network, *mobile]);
                ends.zip(first_rates(scenario))
                    .flat_map(|(ends, rates)| LinkLayout::both(name, kind, ends, rates, scenario))
                    .collect()
            }
            Hop::Wlan { directory, .. } => {
                let ends = directory.pairs().map(|(router, mobile)| [router, mobile]);
                ends.flat_map(|ends| LinkLayout::wlan(name, ends, scenario)).collect()
            }
        };
        links.extend(of_it.into_iter().map(|link| (id, link)));
    }
    links
}

/// The rates of the channels of each mobile of `[radio]` at the start, in order.
fn first_rates(scenario: &Scenario) -> impl Iterator<Item = [Option<u64>; 2]> {
    let keys = scenario.radio.as_ref().expect("a bearer comes from [radio]").keys();
    let (context, ranges) = (scenario.radio_context(), keys.ranges());
    let first = |rate: Schedule<Option<Rate>>| rate.at(Time::ZERO).map(Rate::as_bps);
    ranges.into_iter().flat_map(move |(_, range)| {
        let rates = keys.rates(&context, range.start).map(|rates| rates.map(first));
        range.map(move |_| rates.unwrap_or_default())
    })
}

impl LinkLayout {
    /// With no more known yet.
    fn new(name: &str, kind: LinkKind, to: NodeId) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            from: None,
            to: to.0,
            rate_bps: None,
            delay_s: None,
            queue_packets: None,
            queue_bytes: None,
        }
    }

    /// The same of `[wlan]`, between an access router and a mobile.
    fn wlan(name: &str, ends: [NodeId; 2], scenario: &Scenario) -> [Self; 2] {
        let rate = scenario.wlan.as_ref().map(WlanKeys::rate_bps);
        Self::both(name, LinkKind::Wlan, ends, [rate; 2], scenario)
    }

    /// Down and up, with the queues of `[queue]`.
    fn both(
        name: &str,
        kind: LinkKind,
        [network, mobile]: [NodeId; 2],
        [down, up]: [Option<u64>; 2],
        scenario: &Scenario,
    ) -> [Self; 2] {
        let way = |suffix: &str, from: NodeId, to: NodeId, rate_bps, queue: Limit| Self {
            from: Some(from.0),
            rate_bps,
            queue_packets: queue.packets,
            queue_bytes: queue.bytes,
            ..Self::new(&format!("{name}/{suffix}"), kind, to)
        };
        [
            way("down", network, mobile, down, scenario.queue.forth().limit),
            way("up", mobile, network, up, scenario.queue.back().limit),
        ]
    }
}

/// The base stations that are given, or the one at the origin.
fn stations(cells: &CellKeys) -> Vec<StationLayout> {
    let station =
        |name: &str, position_m| StationLayout { name: name.to_owned(), position_m, range_m: None };
    if cells.node_b.is_empty() && !cells.ue.is_empty() {
        return vec![station("NodeB", [0.0; 2])];
    }
    cells.node_b.iter().map(|NodeB { name, position, .. }| station(name, *position)).collect()
}

/// The access points of a wireless LAN.
fn access_points(wlan: &WlanKeys) -> impl Iterator<Item = StationLayout> {
    wlan.access_point.iter().map(|AccessPoint { name, position, .. }| StationLayout {
        name: name.clone(),
        position_m: *position,
        range_m: Some(wlan.range),
    })
}

/// The most bends that are drawn of a mobile that walks back and forth through a very long run.
const MOST_BENDS: usize = 1_000;

/// Where the mobiles of a wireless LAN go within the run.
fn ways(scenario: &Scenario) -> impl Iterator<Item = WalkLayout> {
    let end = Time::ZERO + scenario.duration;
    scenario.motions().into_iter().map(move |(name, motion)| {
        let place = |time: Time| {
            let Position { x, y } = motion.at(time);
            [time.as_secs_f64(), x, y]
        };
        let bends = motion.bends(end).take(MOST_BENDS).map(place);
        let mut course: Vec<_> = std::iter::once(place(Time::ZERO)).chain(bends).collect();
        course.push(place(end));
        course.dedup();
        WalkLayout { name, course }
    })
}

/// Where the mobiles that are given go within `duration`.
fn walks(ues: &[Ue], duration: Duration) -> Vec<WalkLayout> {
    let course = |Ue { position: [x, y], velocity: [east, north], .. }: &Ue| {
        let (start, end) = ([0.0, *x, *y], duration.as_secs_f64());
        if *east == 0.0 && *north == 0.0 {
            return vec![start];
        }
        vec![start, [end, x + east * end, y + north * end]]
    };
    ues.iter().map(|ue| WalkLayout { name: ue.name.clone(), course: course(ue) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::tests::hmipv6_handover;

    fn layout(text: &str) -> Layout {
        Layout::of(&Scenario::parse(text, "test", &[]).expect("it is valid"))
    }

    fn ways(layout: &Layout) -> Vec<(&str, Option<u32>, u32)> {
        layout.links.iter().map(|link| (link.name.as_str(), link.from, link.to)).collect()
    }

    #[test]
    fn every_link_of_what_ships_leads_from_one_node_to_another() {
        for shipped in scenario::shipped() {
            let layout = layout(shipped.text);
            assert!(layout.nodes.len() > 1, "{}", shipped.name);
            for link in &layout.links {
                let from = link.from.expect("a route leads into it");
                assert_ne!(from, link.to, "{} of {}", link.name, shipped.name);
                let back = |other: &&LinkLayout| other.from == Some(link.to) && other.to == from;
                assert!(layout.links.iter().any(|other| back(&other)), "{}", shipped.name);
            }
        }
    }

    #[test]
    fn a_wire_and_a_link() {
        let text = "[[wired]]\nname = \"LAN\"\nbetween = [\"host\", \"router\"]\ndelay = \"1 ms\"\n\
             [link]\nrate = \"2 Mbit/s\"\ndelay = \"50 ms\"\n[queue]\npackets = 50\n";
        let layout = layout(text);
        let names: Vec<_> = layout.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["host", "router", "receiver"]);
        let expected = [
            ("LAN/down", Some(0), 1),
            ("LAN/up", Some(1), 0),
            ("bottleneck/down", Some(1), 2),
            ("bottleneck/up", Some(2), 1),
        ];
        assert_eq!(ways(&layout), expected);
        let link = &layout.links[2];
        assert_eq!(link.rate_bps, Some(2_000_000));
        assert_eq!(link.delay_s, Some(0.05));
        assert_eq!(link.queue_packets, Some(50));
    }

    #[test]
    fn addresses_are_no_nodes() {
        let layout = Layout::of(&hmipv6_handover(&[("wlan.mobiles", "2")]));
        let names: Vec<_> = layout.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names[6..], ["MN", "MN-0", "MN-1"]);
        let air = layout.links.iter().filter(|link| link.kind == LinkKind::Wlan);
        assert_eq!(air.count(), 3 * 3 * 2);
        assert_eq!(layout.stations.len(), 3);
        assert_eq!(layout.walks.len(), 3);
    }

    #[test]
    fn static_routes_are_told() {
        let mut scenario = hmipv6_handover(&[]);
        assert!(Layout::of(&scenario).routes.is_empty());
        let [name, at, to, via] = ["a", "N1", "AR1", "MAP"].map(str::to_owned);
        let told = RouteLayout { at: at.clone(), to: to.clone(), via: via.clone() };
        scenario.route.push(Route { name, at, to, via });
        assert_eq!(Layout::of(&scenario).routes, [told]);
    }

    #[test]
    fn a_box_stands_at_its_node_and_walkers_have_a_course() {
        let text = "duration = \"10 s\"\n[radio]\nkind = \"umts-cell\"\nrncs = [\"RNC\"]\n\
             [[radio.node_b]]\nname = \"A\"\nposition = [\"5 m\", \"0 m\"]\nrnc = \"RNC\"\n\
             [[radio.ue]]\nname = \"walker\"\nvelocity = [\"2 m/s\", \"0 m/s\"]\n\
             [[radio.ue]]\nname = \"sitter\"\n";
        let layout = layout(text);
        assert_eq!(format!("{:?}", layout.stations[0].position_m), "[5.0, 0.0]");
        let courses: Vec<_> = layout.walks.iter().map(|walk| walk.course.clone()).collect();
        assert_eq!(courses[0], [[0.0, 0.0, 0.0], [10.0, 20.0, 0.0]]);
        assert_eq!(courses[1], [[0.0, 0.0, 0.0]]);
        let with_box = "[[wired]]\nname = \"LAN\"\nbetween = [\"host\", \"proxy\"]\n\
             delay = \"1 ms\"\n[link]\nrate = \"2 Mbit/s\"\n\
             [middlebox]\nkind = \"snoop\"\nat = \"proxy\"\n";
        let boxes: Vec<_> = self::layout(with_box).nodes.into_iter().map(|n| n.middlebox).collect();
        assert_eq!(boxes, [None, Some("snoop".to_owned()), None]);
    }
}
