//! From a scenario to the world that it describes.

use std::fmt::Debug;
use std::ops::Range;

use base::Duration;
use link::disorder::jitter;
use link::queue::Queues;
use link::{Bottleneck, LinkConfig};
use middlebox::{Managed, Role, Setup};
use radio::{Radio, RadioContext};
use tcp::Length;
use world::{Body, Ipv4, MachineId, NodeId, World};

use crate::flows::{self, NetworkFlow};
use crate::schema::wire;
use crate::{Flow, Middlebox, Part, Scenario, Wired, mobile_network};

/// A world built from a scenario, with what an observer needs to know of it.
#[derive(Debug)]
pub struct Network<B: Body = Ipv4<Length>> {
    /// The world, at time zero.
    pub world: World<B>,
    /// Each flow, in the order of their numbers.
    pub flows: Vec<NetworkFlow>,
}

/// Builds the network that `scenario` describes: the fixed host, its wired links, and the link or
/// radio bearer to the receiver, with a connection or a UDP source for each flow.
///
/// # Panics
/// If its mobiles move through an IPv6 network: such is built over [`world::Ipv6`].
pub fn build(scenario: &Scenario) -> Network {
    assert!(scenario.mobile_ip.is_none(), "packets of mobile networks are IPv6");
    build_over(scenario)
}

/// As [`build`], where `B` is what packets carry.
pub fn build_over<B: Body<Payload = Length>>(scenario: &Scenario) -> Network<B> {
    complete(scenario, mobile_network::chain(scenario).unwrap_or_else(|| Chain::of(scenario, None)))
}

/// As [`build_over`], of `part` of that network alone. Everything in it has the name and the random
/// draws that it has in the whole.
pub fn build_part<B: Body<Payload = Length>>(scenario: &Scenario, part: Part) -> Network<B> {
    complete(scenario, Chain::of(scenario, Some(part)))
}

/// Adds to the network the middlebox and the flows.
fn complete<B: Body<Payload = Length>>(scenario: &Scenario, mut chain: Chain<B>) -> Network<B> {
    chain.add_middlebox(scenario);
    let flows = flows::add(&mut chain, scenario);
    Network { world: chain.world, flows }
}

/// Builds the same chain without connections, for packets from outside: those for its first or its
/// last node, which it names in this order, leave the world there.
///
/// # Panics
/// If its mobiles move through an IPv6 network, which has no last node.
pub fn build_open<B: Body>(scenario: &Scenario) -> (World<B>, [NodeId; 2]) {
    assert!(scenario.mobile_ip.is_none(), "what mobiles move through is no chain");
    let Chain { mut world, first, last, .. } = Chain::of(scenario, None);
    world.open(first);
    world.open(last);
    (world, [first, last])
}

impl<B: Body<Payload = Length>> Chain<B> {
    /// The middlebox, where there is one.
    fn add_middlebox(&mut self, scenario: &Scenario) {
        let Some(config) = &scenario.middlebox else { return };
        if config.role() == Role::Subscriber {
            return self.add_subscriber_boxes(config, scenario.seed);
        }
        let Some(middlebox) = middlebox(config, scenario.seed, 0) else { return };
        let last = scenario.places().last().copied();
        let at = config.at.as_deref().or(last).expect("a scenario is validated when it is parsed");
        let at = self.node(at);
        self.world.set_mobile(self.last);
        self.world.add_middlebox(at, middlebox);
    }

    /// A box for the home of each mobile, or of the receiver.
    fn add_subscriber_boxes(&mut self, config: &Middlebox, seed: u64) {
        let homes = if self.mobiles.is_empty() { vec![self.last] } else { self.mobiles.clone() };
        for (home, number) in homes.into_iter().zip(0..) {
            if let Some(middlebox) = middlebox(config, seed, number) {
                self.world.add_subscriber_box(home, self.first, middlebox);
            }
        }
    }
}

/// The middlebox of that configuration. It is alike for all networks, and so no part of what is
/// generic: that is compiled once more in each crate that builds one.
fn middlebox(config: &Middlebox, seed: u64, number: u32) -> Option<Box<dyn Managed<Length>>> {
    config.scheme.build(Setup { number, ..Setup::unlimited(seed) })
}

/// A wire that takes no time.
const INSTANT: link::Config = link::Config { rate: None, delay: Duration::ZERO, queue_limit: None };

/// Both directions of one.
fn instant() -> [LinkConfig; 2] {
    [(); 2].map(|()| wire(Duration::ZERO, jitter::Keys::default()))
}

/// Where a middlebox stands in a network without wires: a node beside the fixed host, and the wire
/// that leads there.
pub(crate) const PROXY: &str = "proxy";

/// A row of nodes from the fixed host to wherever it has been built so far.
pub(crate) struct Chain<B: Body> {
    pub(crate) world: World<B>,
    pub(crate) first: NodeId,
    last: NodeId,
    /// From each node but the first, where it leads back to the first.
    back: Vec<(NodeId, MachineId)>,
    /// The mobiles, where there are several.
    mobiles: Vec<NodeId>,
    /// Of a part of a network, whose mobile is then the only one.
    pub(crate) part: Option<Part>,
}

impl<B: Body> Chain<B> {
    /// The whole of it, or that part.
    fn of(scenario: &Scenario, part: Option<Part>) -> Self {
        let mut chain = Self { part, ..Self::from(&scenario.wired, scenario.seed) };
        if scenario.wired.is_empty() && scenario.middlebox_role() == Some(Role::Network) {
            chain.add_pipes(PROXY, PROXY, &INSTANT);
        }
        if let Some(link) = &scenario.link {
            chain.add_link(link, &scenario.queue, scenario.seed);
        }
        if let Some(radio) = &scenario.radio {
            let context = scenario.radio_context();
            match radio.sharers(&context) {
                Some(mobiles) => chain.add_cell(radio, &context, &mobiles),
                None => chain.add_bearers(radio, &context),
            }
        }
        chain
    }

    /// Of a network that leads from `first` to `mobiles`, however it does.
    pub(crate) fn between(world: World<B>, first: NodeId, mobiles: Vec<NodeId>) -> Self {
        Self { world, first, last: mobiles[0], back: Vec::new(), mobiles, part: None }
    }

    /// The fixed host and what its wired links lead to.
    fn from(wired: &[Wired], seed: u64) -> Self {
        let mut world = World::new();
        let name = wired.first().map_or("sender", |wired| wired.between[0].as_str());
        let first = world.add_node(name);
        let (back, mobiles) = (Vec::new(), Vec::new());
        let mut chain = Self { world, first, last: first, back, mobiles, part: None };
        for wire in wired {
            chain.add_wire(wire, seed);
        }
        chain
    }

    /// A wired link and the node that it leads to.
    fn add_wire(&mut self, wire: &Wired, seed: u64) {
        let (from, to) = (self.last, self.world.add_node(&wire.between[1]));
        let [down, up] = wire.ways(&Queues::unlimited());
        let down = self.world.add_link(&format!("{}/down", wire.name), &down, to, seed);
        let up = self.world.add_link(&format!("{}/up", wire.name), &up, from, seed);
        self.append(to, down, up);
    }

    /// The bottleneck, with the queue ahead of it, and the receiver.
    fn add_link(&mut self, link: &Bottleneck, queue: &Queues, seed: u64) {
        let (from, to) = (self.last, self.world.add_node("receiver"));
        let name = &link.name;
        let down = self.world.add_link(&format!("{name}/down"), &link.down(queue), to, seed);
        let up = self.world.add_link(&format!("{name}/up"), &link.up(queue), from, seed);
        self.append(to, down, up);
    }

    /// A radio bearer and its mobile; of several mobiles each has a bearer of its own.
    fn add_bearers(&mut self, radio: &Radio, context: &RadioContext<'_>) {
        let network = self.last;
        let (ues, interface) = (radio.keys().mobiles(), radio.keys().interface());
        let mut add = |mobile: &str, name: &str| {
            let mobile = self.world.add_node(mobile);
            let bearer = |id| radio.cell(id, context, name);
            (mobile, self.world.add_radio(name, network, vec![mobile], bearer))
        };
        if ues == 0 {
            let (mobile, bearer) = add("UE", interface);
            return self.append(mobile, bearer, bearer);
        }
        let numbers = match self.part {
            Some(Part { mobile, .. }) => mobile as usize..mobile as usize + 1,
            None => 0..ues,
        };
        let names = numbers.map(|index| (format!("UE-{index}"), format!("{interface}-{index}")));
        let ends: Vec<_> = names.map(|(mobile, name)| add(&mobile, &name)).collect();
        for (mobile, bearer) in ends {
            self.world.set_route(mobile, None, bearer);
            self.world.set_route(network, Some(mobile), bearer);
            self.mobiles.push(mobile);
        }
        self.last = self.mobiles[0];
    }

    /// What mobiles share, and the mobiles called `names`.
    fn add_cell(&mut self, radio: &Radio, context: &RadioContext<'_>, names: &[String]) {
        self.mobiles = names.iter().map(|name| self.world.add_node(name)).collect();
        let interface = radio.keys().interface();
        let make = |id| radio.cell(id, context, interface);
        let cell = self.world.add_radio(interface, self.last, self.mobiles.clone(), make);
        for mobile in &self.mobiles {
            self.world.set_route(*mobile, None, cell);
        }
        self.world.set_route(self.last, None, cell);
        self.last = self.mobiles[0];
    }

    /// A link to a new node, alike in both directions.
    fn add_pipes(&mut self, name: &str, to: &str, config: &link::Config) {
        let (from, to) = (self.last, self.world.add_node(to));
        let down = self.world.add_pipe(&format!("{name}/down"), config, to);
        let up = self.world.add_pipe(&format!("{name}/up"), config, from);
        self.append(to, down, up);
    }

    /// Makes `node` the last: everything leaves towards it through `down` by default, and
    /// everything for the fixed host the other way through `up`.
    fn append(&mut self, node: NodeId, down: MachineId, up: MachineId) {
        self.world.set_route(self.last, None, down);
        self.world.set_route(node, Some(self.first), up);
        self.back.push((node, up));
        self.last = node;
    }

    /// The node called `name`.
    fn node(&self, name: &str) -> NodeId {
        let mut nodes = (self.first.0..=self.last.0).map(NodeId);
        let node = nodes.find(|id| self.world.node(*id).name() == name);
        node.expect("a scenario is validated when it is parsed")
    }

    /// The numbers of the mobiles that flows of `group` run to or from.
    pub(crate) fn mobiles_of(&self, group: &Flow, scenario: &Scenario) -> Range<usize> {
        group.mobiles_of(scenario.radio.as_ref(), self.mobiles.len().max(1))
    }

    /// Mobile number `ue`, or the last node.
    pub(crate) fn receiver(&self, ue: usize) -> NodeId {
        if self.mobiles.is_empty() || self.part.is_some() {
            return self.last;
        }
        self.mobiles[ue]
    }

    /// The number of the mobile at `node`, where there are several.
    pub(crate) fn mobile_number(&self, node: NodeId) -> Option<usize> {
        let first = self.part.map_or(0, |part| part.mobile as usize);
        self.mobiles.iter().position(|mobile| *mobile == node).map(|place| first + place)
    }

    /// A sender of `group` beside the first node, with a wire of its own, and a receiver beside the
    /// last.
    pub(crate) fn add_hosts(&mut self, index: usize, group: &Flow, seed: u64) -> [NodeId; 2] {
        let sender = self.add_host(&format!("sender-{index}"), self.first, &group.wire(), seed);
        let receiver = self.add_host(&format!("receiver-{index}"), self.last, &instant(), seed);
        self.world.set_mobile(receiver);
        [sender, receiver]
    }

    /// The hosts that the flows of `group` have for themselves in the place of the fixed host and
    /// of the mobile.
    pub(crate) fn add_own_hosts(&mut self, group: &Flow, seed: u64) -> [Option<NodeId>; 2] {
        let mut add = |role: &str, beside: &Option<String>, wire: [LinkConfig; 2]| {
            let at = beside.as_deref().map_or(self.first, |name| self.node(name));
            self.add_host(&format!("{role}-{}", group.name), at, &wire, seed)
        };
        let sender = group.has_own_host().then(|| add("sender", &group.from, group.wire()));
        let receiver = group.to.is_some().then(|| add("receiver", &group.to, instant()));
        [sender, receiver]
    }

    /// A host called `name` beside the node `at`, with the directions of its `wire` away from it
    /// and towards it.
    fn add_host(
        &mut self,
        name: &str,
        at: NodeId,
        [out, to]: &[LinkConfig; 2],
        seed: u64,
    ) -> NodeId {
        let node = self.world.add_node(name);
        let out = self.world.add_link(&format!("{name}/out"), out, at, seed);
        let to = self.world.add_link(&format!("{name}/in"), to, node, seed);
        self.world.set_route(node, None, out);
        self.world.set_route(at, Some(node), to);
        for &(behind, up) in self.back.iter().filter(|(behind, _)| *behind > at) {
            self.world.set_route(behind, Some(node), up);
        }
        node
    }
}
