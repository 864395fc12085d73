//! From `[flow]` and `[[flow.group]]` to connections.

use std::ops::Range;
use std::sync::Arc;

use base::{Rate, Stream, Time};
use settings::{Item, Node, Table, nearest};
use tcp::Length;
use world::{
    AddedFlow, Application, Body, Exchange, MachineId, NewFlow, NodeId, Side, TcpSource, Traffic,
};

use crate::build::Chain;
use crate::{Flow, FlowDirection, Hosts, Opener, Part, Scenario};

/// A flow of a built network.
#[derive(Clone, PartialEq, Debug)]
pub struct NetworkFlow {
    /// Its number among all flows of the scenario, from 0.
    pub number: usize,
    /// The name of its group.
    pub group: String,
    /// The sender's and the receiver's endpoint, of TCP or UDP; both the browser of pages that are
    /// fetched over several connections, which it names as it opens them.
    pub ends: [MachineId; 2],
    /// Bytes to transfer; `None` without end.
    pub bytes: Option<u64>,
    /// Settings of the end that sends, where it is one of TCP.
    pub tcp: Arc<tcp::Config>,
    /// What it transfers.
    pub application: Application,
    /// The rate that its throughput is compared with: of its direction of the radio or the link.
    pub bottleneck: Option<Rate>,
}

/// True where there are groups, and `[flow]` has no key of its own: it has no flows then.
pub(crate) fn are_in_groups_alone(tree: &Table) -> bool {
    let is_list = |item: &Item| matches!(&item.node, Node::List(groups) if !groups.is_empty());
    let says = |table: &Table| table.iter().any(|(key, _)| key != "group");
    tree.find("flow.group").is_some_and(is_list) && !tree.table("flow").is_some_and(says)
}

/// A line for each group of the `tree` that settings made, whose name may be mistaken for that of
/// another; and for `flow` itself, where the `file` has others alone: its keys are not theirs.
pub(crate) fn made(flow: &Flow, tree: &Table, file: &Table) -> Vec<String> {
    let Some(Node::List(groups)) = tree.find("flow.group").map(|item| &item.node) else {
        return Vec::new();
    };
    let of = |is_set: bool| groups.iter().filter(move |group| group.is_set() == is_set);
    let line = |name: &str| {
        let near = nearest(name, of(false).filter_map(|group| group.name()));
        let meant = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        format!("flow.group.{name} is made by a setting: the scenario has none of that name{meant}")
    };
    let common = (flow.count > 0 && are_in_groups_alone(file)).then(|| {
        "flow is made by a setting, as a group of its own: the scenario has flows in its \
         [[flow.group]] alone"
            .to_owned()
    });
    common.into_iter().chain(of(true).filter_map(|group| group.name().map(line))).collect()
}

/// Adds a connection, a browser or a UDP source for each flow of `scenario`.
pub(crate) fn add<B: Body<Payload = Length>>(
    chain: &mut Chain<B>,
    scenario: &Scenario,
) -> Vec<NetworkFlow> {
    let mut flows = Flows {
        chain,
        scenario,
        hosts: Arc::new(scenario.tcp.clone()),
        bottlenecks: bottlenecks(scenario),
        own_hosts: [None; 2],
        begun: 0,
        added: Vec::new(),
    };
    for (index, group) in (0..).zip(scenario.groups()) {
        let tcp = flows.source(index, group);
        flows.own_hosts = match group.hosts {
            Hosts::Shared if group.number() > 0 => flows.chain.add_own_hosts(group, scenario.seed),
            Hosts::Shared | Hosts::Own => [None; 2],
        };
        flows.add(group, &tcp);
    }
    flows.added
}

struct Flows<'a, B: Body> {
    chain: &'a mut Chain<B>,
    scenario: &'a Scenario,
    /// Settings of the endpoints that do not differ.
    hosts: Arc<tcp::Config>,
    /// What throughput is compared with, of flows to a mobile and of those from one: of mobiles
    /// that are alike, by their numbers.
    bottlenecks: Vec<(Range<usize>, [Option<Rate>; 2])>,
    /// The hosts that the flows of the group being added have for themselves, if they do.
    own_hosts: [Option<NodeId>; 2],
    /// Flows of the groups before.
    begun: usize,
    added: Vec<NetworkFlow>,
}

/// The rates of the radio or of the link, to mobiles that are alike and from them.
fn bottlenecks(scenario: &Scenario) -> Vec<(Range<usize>, [Option<Rate>; 2])> {
    let all = 0..usize::MAX;
    match (&scenario.radio, &scenario.link) {
        (Some(radio), _) => {
            let (keys, context) = (radio.keys(), scenario.radio_context());
            let of = |range: Range<usize>| {
                let rates = keys.bottlenecks(&context, range.start).map(Some);
                (range, rates)
            };
            keys.ranges().into_iter().map(|(_, range)| of(range)).collect()
        }
        (None, Some(link)) => vec![(all, link.mean_rates(scenario.duration))],
        (None, None) => vec![(all, [None; 2])],
    }
}

impl<B: Body<Payload = Length>> Flows<'_, B> {
    /// Source of the connections of `group`, the one with that number.
    fn source(&self, index: u32, group: &Flow) -> TcpSource {
        let own = |config: &Option<tcp::Config>| config.clone().map(Arc::new);
        let sender = own(&group.tcp).unwrap_or_else(|| Arc::clone(&self.hosts));
        let receiver = own(&group.peer.tcp).unwrap_or_else(|| Arc::clone(&sender));
        TcpSource {
            configs: [sender, receiver],
            group: index,
            isn: Stream::named(self.scenario.seed, "initial sequence numbers"),
            chance: Stream::named(self.scenario.seed, "congestion control"),
        }
    }

    /// Adds the flows of `group`: of a part of the network those that are its mobile's turn.
    fn add(&mut self, group: &Flow, tcp: &TcpSource) {
        let (count, mobiles) = (group.number(), self.chain.mobiles_of(group, self.scenario));
        match (self.chain.part, &group.arrivals) {
            (None, _) => (0..count).for_each(|within| self.flow(group, tcp, within, &mobiles)),
            (Some(Part { mobile, of }), None) => {
                let mine = (mobile..count).step_by(of as usize);
                mine.for_each(|within| self.flow(group, tcp, within, &mobiles));
            }
            (Some(part), Some(capture)) => {
                let clients = (0..).zip(&capture.content().0);
                clients
                    .filter(|(_, arrival)| part.has_turn(arrival.client))
                    .for_each(|(within, _)| self.flow(group, tcp, within, &mobiles));
            }
        }
        self.begun += count as usize;
    }

    /// Adds flow number `within` of `group`, to or from one of `mobiles`. If its receiver is a
    /// mobile that is warned of disconnections, it will be.
    fn flow(&mut self, group: &Flow, tcp: &TcpSource, within: u32, mobiles: &Range<usize>) {
        let number = self.begun + within as usize;
        let arrival = group.arrivals.as_ref().map(|capture| &capture.content().0[within as usize]);
        let turn = arrival.map_or(within, |of| of.client);
        let turn = turn as usize;
        let place = |turn: usize| mobiles.start + turn % mobiles.len();
        let [sender, receiver] = self.nodes(group, number, [turn, turn + 1].map(place));
        let after = arrival.map_or(group.interval * u64::from(within), |arrival| arrival.start);
        let seed = self.scenario.seed;
        let chance = || Stream::named(seed, &format!("flow {number}/start"));
        let start = Time::ZERO + group.start.draw(chance) + after;
        let flow = NewFlow {
            world: &mut self.chain.world,
            number,
            within,
            seed,
            sender,
            receiver,
            server: server(group),
            port: group.port.or(arrival.map(|arrival| arrival.port)),
            opener: opener(group),
            bytes: group.payload(tcp.configs[0].mss),
            dscp: group.dscp,
            is_encrypted: group.encrypted,
            start,
            stop: group.stop.map(|stop| start + stop),
            abort: group.abort.map(|abort| start + abort),
            tcp,
        };
        let AddedFlow { application, bytes, ends } = match arrival {
            None => group.application.add(&group.applications, flow),
            Some(arrival) => {
                let exchange = Exchange { request: arrival.request, answer: arrival.answer };
                exchange.start(Application::File, flow)
            }
        };
        if group.direction != FlowDirection::Uplink {
            self.foretell(receiver, ends[1]);
        }
        self.added.push(NetworkFlow {
            number,
            group: group.name.clone(),
            ends,
            bytes,
            tcp: Arc::clone(&tcp.configs[0]),
            application,
            bottleneck: self.bottleneck(group, place(turn)),
        });
    }

    /// What the throughput of a flow of `group` to or from mobile number `ue` is compared with.
    fn bottleneck(&self, group: &Flow, ue: usize) -> Option<Rate> {
        if group.to.is_some() {
            return None; // they leave ahead of it
        }
        let (_, rates) = self.bottlenecks.iter().find(|(range, _)| range.contains(&ue))?;
        rates[usize::from(group.direction == FlowDirection::Uplink)]
    }

    fn foretell(&mut self, receiver: NodeId, end: MachineId) {
        let index = self.chain.mobile_number(receiver);
        if let Some(disconnections) = self.scenario.disconnections(index) {
            self.chain.world.foretell(end, &disconnections);
        }
    }

    /// Where the data of flow `number`, of `group`, come from and where they go: mobile number `ue`
    /// takes part, and of two the `next`.
    fn nodes(&mut self, group: &Flow, number: usize, [ue, next]: [usize; 2]) -> [NodeId; 2] {
        let [host, mobile] = match group.hosts {
            Hosts::Shared => {
                let [host, receiver] = self.own_hosts;
                let mobile = || self.chain.receiver(ue);
                [host.unwrap_or(self.chain.first), receiver.unwrap_or_else(mobile)]
            }
            Hosts::Own => self.chain.add_hosts(number, group, self.scenario.seed),
        };
        match group.direction {
            FlowDirection::Downlink => [host, mobile],
            FlowDirection::Uplink => [mobile, host],
            FlowDirection::BetweenMobiles => [mobile, self.chain.receiver(next)],
        }
    }
}

/// Which side has the port that is known beforehand, where nobody asks: the fixed host, between
/// mobiles the sender.
const fn server(group: &Flow) -> Side {
    match group.direction {
        FlowDirection::Uplink => Side::Receiver,
        FlowDirection::Downlink | FlowDirection::BetweenMobiles => Side::Sender,
    }
}

/// Which side opens the connection, where nobody asks.
const fn opener(group: &Flow) -> Side {
    match group.opened_by {
        Opener::Sender => Side::Sender,
        Opener::Receiver => Side::Receiver,
    }
}
