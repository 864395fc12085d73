//! From a scenario to the world that it describes.

use std::sync::Arc;

use base::{Duration, Rate, Seq, Stream, Time};
use radio::umts::Bearer;
use radio::umts::cell::{Cell, CellConfig, UeConfig};
use tcp::{Length, Segment};
use world::{Body, Connection, MachineId, NodeId, Pages, Traffic, Web, World};

use crate::{Hosts, Link, Queue, Radio, RadioKind, Scenario, Wired};

/// More than any run can transfer: what a flow without end has to send.
const ENDLESS: Length = Length(1 << 60);

/// A world built from a scenario, with what an observer needs to know of it.
#[derive(Debug)]
pub struct Network {
    /// The world, at time zero.
    pub world: World<Segment<Length>>,
    /// The sender's and the receiver's endpoint of each flow.
    pub connections: Vec<[MachineId; 2]>,
    /// The rate that throughput is compared with: the radio's downlink, or the link's.
    pub bottleneck: Option<Rate>,
}

/// Builds the chain that `scenario` describes: the fixed host, its wired links, and the link or
/// radio bearer to the receiver, with a connection for each flow.
pub fn build(scenario: &Scenario) -> Network {
    let mut chain = Chain::of(scenario);
    let link = scenario.link.as_ref().and_then(|link| link.mean_rate(scenario.duration));
    let bottleneck = scenario.radio.as_ref().map(|radio| radio.downlink.rate).or(link);
    let bytes = scenario.flow.payload(scenario.tcp.mss);
    let web = Arc::new(scenario.flow.web.config());
    let mut isn = Stream::named(scenario.seed, "initial sequence numbers");
    let mut chance = Stream::named(scenario.seed, "congestion control");
    let connections = (0..u64::from(scenario.flow.count)).map(|index| {
        let [sender, receiver] = match scenario.flow.hosts {
            Hosts::Shared => [chain.first, chain.receiver(index)],
            Hosts::Own => chain.add_hosts(index),
        };
        chain.world.add_connection(&Connection {
            sender,
            receiver,
            tcp: &Arc::new(scenario.tcp.config_of(u64::from(chance.next_u32()))),
            data: bytes.map_or(ENDLESS, Length),
            traffic: traffic(scenario, index, &web),
            start: Time::ZERO + scenario.flow.start + scenario.flow.interval * index,
            isn: [Seq::new(isn.next_u32()), Seq::new(isn.next_u32())],
        })
    });
    let connections = connections.collect();
    Network { world: chain.world, connections, bottleneck }
}

/// What flow number `index` is for.
fn traffic(scenario: &Scenario, index: u64, web: &Arc<Web>) -> Traffic {
    let flow = &scenario.flow;
    match flow.payload(scenario.tcp.mss) {
        _ if flow.has_pages(index) => {
            Traffic::Web(Pages::named(web, scenario.seed, &format!("flow {index}")))
        }
        Some(_) => Traffic::File,
        None => Traffic::Stream,
    }
}

/// Builds the same chain without connections, for packets from outside: those for its first or its
/// last node, which it names in this order, leave the world there.
pub fn build_open<B: Body>(scenario: &Scenario) -> (World<B>, [NodeId; 2]) {
    let Chain { mut world, first, last, .. } = Chain::of(scenario);
    world.open(first);
    world.open(last);
    (world, [first, last])
}

/// A row of nodes from the fixed host to wherever it has been built so far.
struct Chain<B: Body> {
    world: World<B>,
    first: NodeId,
    last: NodeId,
    /// From each node but the first, where it leads back to the first.
    back: Vec<(NodeId, MachineId)>,
    /// Of a network of cells: the mobiles.
    mobiles: Vec<NodeId>,
}

impl<B: Body> Chain<B> {
    /// The whole of it.
    fn of(scenario: &Scenario) -> Self {
        let mut chain = Self::from(&scenario.wired);
        if let Some(link) = &scenario.link {
            chain.add_link(link, &scenario.queue, scenario.seed);
        }
        if let Some(radio) = &scenario.radio {
            match radio.kind {
                RadioKind::UmtsDch => chain.add_radio(radio, &scenario.queue, scenario.seed),
                RadioKind::UmtsCell => chain.add_cell(&scenario.cells(radio), scenario.seed),
            }
        }
        chain
    }

    /// The fixed host and what its wired links lead to.
    fn from(wired: &[Wired]) -> Self {
        let mut world = World::new();
        let name = wired.first().map_or("sender", |wired| wired.between[0].as_str());
        let first = world.add_node(name);
        let mut chain = Self { world, first, last: first, back: Vec::new(), mobiles: Vec::new() };
        for Wired { name, between: [_, to], rate, delay } in wired {
            let config = link::Config { rate: *rate, delay: *delay, queue_limit: None };
            chain.add_pipes(name, to, &config);
        }
        chain
    }

    /// The bottleneck, with the queue ahead of it, and the receiver.
    fn add_link(&mut self, link: &Link, queue: &Queue, seed: u64) {
        let (from, to) = (self.last, self.world.add_node("receiver"));
        let name = &link.name;
        let down = self.world.add_link(&format!("{name}/down"), &link.down(queue), to, seed);
        let up = self.world.add_link(&format!("{name}/up"), &link.up(queue), from, seed);
        self.append(to, down, up);
    }

    /// The radio bearer and the mobile.
    fn add_radio(&mut self, radio: &Radio, queue: &Queue, seed: u64) {
        let mobile = self.world.add_node("UE");
        let config = radio.config(queue);
        let bearer = self
            .world
            .add_bearer("Uu", self.last, mobile, |id| Bearer::new(id, &config, seed, "Uu"))
            .expect("a scenario is validated when it is parsed");
        self.append(mobile, bearer, bearer);
    }

    /// The network of cells and its mobiles.
    fn add_cell(&mut self, config: &CellConfig, seed: u64) {
        let add = |ue: &UeConfig| self.world.add_node(&ue.name);
        self.mobiles = config.ues.iter().map(add).collect();
        let cell = self
            .world
            .add_cell("Uu", self.last, self.mobiles.clone(), |id| Cell::new(id, config, seed))
            .expect("a scenario is validated when it is parsed");
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

    /// Where flow number `index` ends: the last node, or the mobile whose turn it is.
    fn receiver(&self, index: u64) -> NodeId {
        if self.mobiles.is_empty() {
            return self.last;
        }
        self.mobiles[(index % self.mobiles.len() as u64) as usize]
    }

    /// A sender beside the first node and a receiver beside the last.
    fn add_hosts(&mut self, index: u64) -> [NodeId; 2] {
        let instant = link::Config { rate: None, delay: Duration::ZERO, queue_limit: None };
        let host = |role: &str, at: NodeId, world: &mut World<B>| {
            let name = format!("{role}-{index}");
            let node = world.add_node(&name);
            let out = world.add_pipe(&format!("{name}/out"), &instant, at);
            let to = world.add_pipe(&format!("{name}/in"), &instant, node);
            world.set_route(node, None, out);
            world.set_route(at, Some(node), to);
            node
        };
        let sender = host("sender", self.first, &mut self.world);
        let receiver = host("receiver", self.last, &mut self.world);
        for &(node, up) in &self.back {
            self.world.set_route(node, Some(sender), up);
        }
        [sender, receiver]
    }
}
