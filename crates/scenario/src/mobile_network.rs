//! From `[mobile_ip]`, `[wlan]` and `[[wired]]` to a network through which mobiles move.

use base::Duration;
use mobility::binding::{
    Access, AccessRouter, AccessRouterConfig, Address, Anchor, AnchorConfig, Correspondent,
    Detection, FastRouterConfig, Interval, MobileConfig, MobileIp, Neighbor, Network, Optimization,
    Overlap, Policy, Reach, Regional, RegistrationConfig, Role,
};
use radio::wlan::{self, AccessPoint, WlanKeys};
use tcp::Length;
use world::{Body, Fragmentation, MachineId, NodeId, WlanNodes, World};

use crate::build::Chain;
use crate::routes::Graph;
use crate::wlan::ACCESS;
use crate::{FlowDirection, Scenario, Wired};

/// The longest lifetime that correspondents grant (RFC 6275 §12: `MAX_RR_BINDING_LIFETIME`).
const OPTIMIZED_LIFETIME: Duration = Duration::from_secs(420);

/// The network of `scenario`, if its mobiles move: its chain runs from the correspondent to the
/// first mobile.
pub(crate) fn chain<B: Body<Payload = Length>>(scenario: &Scenario) -> Option<Chain<B>> {
    let mobile_ip = scenario.mobile_ip.as_ref()?;
    let wlan = scenario.wlan.as_ref()?;
    let mut builder = Builder::new(scenario, mobile_ip, wlan);
    builder.add_links();
    builder.add_mobiles();
    builder.route();
    builder.add_agents();
    let mtu = mobile_ip.mtu;
    let how = scenario.ftp.cap.map_or(Fragmentation::Mtu(mtu), Fragmentation::Payload);
    builder.world.fragment(how, mtu);
    let first = builder.node(&mobile_ip.correspondent);
    Some(Chain::between(builder.world, first, builder.mobiles.iter().map(|it| it.node).collect()))
}

/// A mobile and its addresses.
struct Mobile {
    node: NodeId,
    regional: Option<Address>,
    /// By number of the access point; its home address where that is home.
    local: Vec<Address>,
}

struct Builder<'a, B: Body> {
    scenario: &'a Scenario,
    mobile_ip: &'a MobileIp,
    wlan: &'a WlanKeys,
    world: World<B>,
    /// Its nodes have the same numbers in the world.
    graph: Graph<'a>,
    /// For each wired link its two directions.
    links: Vec<[MachineId; 2]>,
    access: Option<MachineId>,
    mobiles: Vec<Mobile>,
}

impl<'a, B: Body<Payload = Length>> Builder<'a, B> {
    fn new(scenario: &'a Scenario, mobile_ip: &'a MobileIp, wlan: &'a WlanKeys) -> Self {
        let mut world = World::new();
        let graph = Graph::of(scenario);
        for name in graph.nodes() {
            world.add_node(name);
        }
        Self {
            scenario,
            mobile_ip,
            wlan,
            world,
            graph,
            links: Vec::new(),
            access: None,
            mobiles: Vec::new(),
        }
    }

    /// Whether the link of an access point is the mobiles' home.
    fn is_home(&self, point: &AccessPoint) -> bool {
        point.name == self.mobile_ip.home_agent
    }

    fn node(&self, name: &str) -> NodeId {
        let number = self.graph.number(name);
        NodeId(number.expect("a scenario is validated when it is parsed") as u32)
    }

    /// Both directions of every wired link, each with a queue.
    fn add_links(&mut self) {
        let Scenario { wired, queue, seed, .. } = self.scenario;
        for wire in wired {
            let Wired { name, between: [one, other], .. } = wire;
            let ([down, up], [from, to]) = (wire.ways(queue), [self.node(one), self.node(other)]);
            let down = self.world.add_link(&format!("{name}/down"), &down, to, *seed);
            let up = self.world.add_link(&format!("{name}/up"), &up, from, *seed);
            self.links.push([down, up]);
        }
    }

    /// Mobiles with their addresses, and the WLAN.
    fn add_mobiles(&mut self) {
        let stations = self.wlan.stations(&self.mobile_ip.home_agent, self.scenario.seed);
        let has_map = self.mobile_ip.kind == Reach::Hierarchical;
        for (name, _) in &stations {
            let node = self.world.add_node(name);
            let address =
                |world: &mut World<B>, of: &str| world.add_address(&format!("{name}@{of}"));
            let regional = has_map.then(|| address(&mut self.world, &self.mobile_ip.map));
            let local = self.wlan.access_point.iter().map(|point| {
                let is_home = self.is_home(point);
                if is_home { Address(node.0) } else { address(&mut self.world, &point.name) }
            });
            let local = local.collect();
            self.mobiles.push(Mobile { node, regional, local });
        }
        let routers = self.wlan.access_point.iter().map(|point| self.node(&point.name));
        let mut addresses = Vec::new();
        for (mobile, station) in self.mobiles.iter().zip(0..) {
            for (address, access_point) in mobile.local.iter().zip(0..) {
                addresses.push((*address, station, Some(access_point)));
            }
        }
        let nodes = WlanNodes {
            routers: routers.collect(),
            mobiles: self.mobiles.iter().map(|mobile| mobile.node).collect(),
            addresses,
            triangular: !self.mobile_ip.reverse_tunnel,
        };
        let stations: Vec<_> = stations.into_iter().map(|(_, station)| station).collect();
        let queue = &self.scenario.queue;
        let queues = [queue.forth(), queue.back()];
        let machine = wlan::Wlan::new(self.wlan, queues, &stations, self.scenario.seed);
        self.access = Some(self.world.add_wlan(ACCESS, machine, nodes));
    }

    /// The ways to nodes, and to addresses by the router of their prefix.
    fn route(&mut self) {
        let Some(access) = self.access else { return };
        for destination in 0..self.graph.nodes().len() {
            let addresses = self.behind(NodeId(destination as u32));
            for (node, hop) in self.graph.towards(destination).into_iter().enumerate() {
                let Some(number) = hop else { continue };
                let forth = self.scenario.wired[number].between[0] == self.graph.nodes()[node];
                let link = self.links[number][usize::from(!forth)];
                for address in &addresses {
                    self.world.set_route(NodeId(node as u32), Some(*address), link);
                }
            }
        }
        for point in &self.wlan.access_point {
            self.world.set_route(self.node(&point.name), None, access);
        }
        for mobile in &self.mobiles {
            self.world.set_route(mobile.node, None, access);
        }
    }

    /// A node and the addresses of mobiles whose prefix is at its links.
    fn behind(&self, node: NodeId) -> Vec<NodeId> {
        let mut addresses = vec![node];
        let of_node = |address: &Address| NodeId(address.0);
        if node == self.node(&self.mobile_ip.home_agent) {
            addresses.extend(self.mobiles.iter().map(|mobile| mobile.node));
        }
        if self.mobile_ip.kind == Reach::Hierarchical && node == self.node(&self.mobile_ip.map) {
            addresses
                .extend(self.mobiles.iter().filter_map(|it| it.regional.map(|it| of_node(&it))));
        }
        for (number, point) in self.wlan.access_point.iter().enumerate() {
            if !self.is_home(point) && self.node(&point.name) == node {
                addresses.extend(self.mobiles.iter().map(|mobile| of_node(&mobile.local[number])));
            }
        }
        addresses
    }

    /// Home agent, MAP, access routers, the correspondent and the mobiles.
    fn add_agents(&mut self) {
        let seed = self.scenario.seed;
        let home_agent = self.node(&self.mobile_ip.home_agent);
        let home = self.wlan.access_point.iter().position(|point| self.is_home(point));
        let of_home = self.anchor(home_agent, Role::HomeAgent, home);
        self.world.add_agent(home_agent, |id| Anchor::new(id, of_home, seed));
        if self.mobile_ip.kind == Reach::Hierarchical {
            let map = self.node(&self.mobile_ip.map);
            let of_map = self.anchor(map, Role::Map, None);
            self.world.add_agent(map, |id| Anchor::new(id, of_map, seed));
        }
        for (number, point) in self.wlan.access_point.iter().enumerate() {
            if !self.is_home(point) {
                let config = self.access_router(number);
                let node = self.node(&point.name);
                self.world.add_agent(node, |id| AccessRouter::new(id, config, seed));
            }
        }
        let correspondent = self.node(&self.mobile_ip.correspondent);
        if self.mobile_ip.route_optimization {
            let address = Address(correspondent.0);
            self.world.add_agent(correspondent, |id| Correspondent::new(id, address));
        }
        for number in 0..self.mobiles.len() {
            let config = self.mobile(number);
            let node = self.mobiles[number].node;
            self.world.add_agent(node, |id| mobility::binding::Mobile::new(id, config));
        }
    }

    fn anchor(&self, node: NodeId, role: Role, home: Option<usize>) -> AnchorConfig {
        AnchorConfig {
            address: Address(node.0),
            role,
            lifetime_max: self.mobile_ip.lifetime,
            detection: match (role, self.mobile_ip.duplicate_address_detection) {
                (Role::Map, Detection::Standard) => Some(self.mobile_ip.dad_time),
                // A home address has been the mobile's all along.
                (Role::HomeAgent, _) | (Role::Map, Detection::Off | Detection::Optimistic) => None,
            },
            taken: Vec::new(),
            policy: match self.mobile_ip.two_addresses {
                Overlap::Newest => Policy::One,
                Overlap::Both => Policy::Both,
            },
            access: home.map(|number| self.access_router(number)),
        }
    }

    fn access_router(&self, number: usize) -> AccessRouterConfig {
        let MobileIp { kind, advertisement_interval, fast_handovers, .. } = *self.mobile_ip;
        let point = &self.wlan.access_point[number];
        let is_away = !self.is_home(point);
        let address = |name: &str| Address(self.node(name).0);
        let others = self.wlan.access_point.iter().zip(0_u32..);
        let neighbors =
            others.filter(|(other, _)| other.name != point.name && !self.is_home(other));
        let neighbors = neighbors
            .map(|(other, router)| Neighbor { router, address: address(&other.name) })
            .collect();
        AccessRouterConfig {
            router: number as u32,
            address: address(&point.name),
            map: (kind == Reach::Hierarchical && is_away).then(|| address(&self.mobile_ip.map)),
            interval: Some(Interval { min: advertisement_interval, max: advertisement_interval }),
            answer_delay_max: self.mobile_ip.answer_delay,
            taken: Vec::new(),
            fast: (fast_handovers && is_away)
                .then_some(FastRouterConfig { neighbors, forward: self.mobile_ip.forward_time }),
        }
    }

    /// Whom mobile number `number` tells where it is: the fixed host, if mobiles have flows with
    /// it, and mobiles with which it has flows itself.
    fn correspondents(&self, number: usize) -> Vec<Address> {
        let count = self.mobiles.len();
        let mut others = Vec::new();
        for group in self.scenario.groups().filter(|group| group.number() > 0) {
            match group.direction {
                FlowDirection::Downlink | FlowDirection::Uplink => {
                    others.push(self.node(&self.mobile_ip.correspondent));
                }
                FlowDirection::BetweenMobiles => {
                    let before = (number + count - 1) % count;
                    let flows = group.number() as usize;
                    let sends = (number < flows).then_some((number + 1) % count);
                    let receives = (before < flows).then_some(before);
                    let peers = sends.into_iter().chain(receives);
                    others.extend(peers.map(|peer| self.mobiles[peer].node));
                }
            }
        }
        others.sort_unstable();
        others.dedup();
        others.into_iter().map(|node| Address(node.0)).collect()
    }

    fn mobile(&self, number: usize) -> MobileConfig {
        let of = &self.mobiles[number];
        let MobileIp { route_optimization, two_addresses, fast_handovers, .. } = *self.mobile_ip;
        let registration =
            |lifetime: Duration| RegistrationConfig { lifetime, refresh_ahead: lifetime / 10 };
        let access = self.wlan.access_point.iter().zip(&of.local).map(|(point, local)| Access {
            router: Address(self.node(&point.name).0),
            care_of: *local,
            network: if self.is_home(point) { Network::Home } else { Network::Foreign },
        });
        let lifetime = self.mobile_ip.lifetime;
        MobileConfig {
            home: Address(of.node.0),
            home_agent: Address(self.node(&self.mobile_ip.home_agent).0),
            registration: registration(lifetime),
            regional: of.regional.map(|care_of| Regional {
                map: Address(self.node(&self.mobile_ip.map).0),
                care_of,
            }),
            access: access.collect(),
            solicits: self.mobile_ip.solicits,
            detection: self.mobile_ip.duplicate_address_detection,
            retransmit_timer: self.mobile_ip.dad_time,
            reverse_tunnel: self.mobile_ip.reverse_tunnel,
            overlap: two_addresses,
            optimization: route_optimization.then(|| Optimization {
                correspondents: self.correspondents(number),
                registration: registration(lifetime.min(OPTIMIZED_LIFETIME)),
            }),
            keeps_bindings: route_optimization,
            fast_handovers,
        }
    }
}
