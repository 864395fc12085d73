//! From `[flow]` and `[[flow.group]]` to connections.

use std::ops::Range;
use std::sync::Arc;

use base::{Rate, Stream, Time};
use tcp::Length;
use world::{
    AddedFlow, Application, Body, Exchange, MachineId, NewFlow, NodeId, Side, TcpSource, Traffic,
};

use crate::build::Chain;
use crate::{Flow, FlowDirection, Hosts, Opener, Part, Scenario};

/// A flow of a built network.
#[derive(Clone, PartialEq, Eq, Debug)]
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
    /// What it transfers.
    pub application: Application,
    /// The rate that its throughput is compared with: of its direction of the radio or the link.
    pub bottleneck: Option<Rate>,
}

/// Adds a connection, a browser or a UDP source for each flow of `scenario`.
pub(crate) fn add<B: Body<Payload = Length>>(
    chain: &mut Chain<B>,
    scenario: &Scenario,
) -> Vec<NetworkFlow> {
    let mut flows = Flows {
        chain,
        scenario,
        tcp: TcpSource {
            config: Arc::new(scenario.tcp.clone()),
            isn: Stream::named(scenario.seed, "initial sequence numbers"),
            chance: Stream::named(scenario.seed, "congestion control"),
        },
        bottlenecks: bottlenecks(scenario),
        begun: 0,
        added: Vec::new(),
    };
    for group in scenario.groups() {
        flows.add(group);
    }
    flows.added
}

struct Flows<'a, B: Body> {
    chain: &'a mut Chain<B>,
    scenario: &'a Scenario,
    tcp: TcpSource,
    /// What throughput is compared with, of flows to a mobile and of those from one: of mobiles
    /// that are alike, by their numbers.
    bottlenecks: Vec<(Range<usize>, [Option<Rate>; 2])>,
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
    /// Adds the flows of `group`: of a part of the network those that are its mobile's turn.
    fn add(&mut self, group: &Flow) {
        let (count, mobiles) = (group.number(), self.chain.mobiles_of(group, self.scenario));
        match (self.chain.part, &group.arrivals) {
            (None, _) => (0..count).for_each(|within| self.flow(group, within, &mobiles)),
            (Some(Part { mobile, of }), None) => {
                let mine = (mobile..count).step_by(of as usize);
                mine.for_each(|within| self.flow(group, within, &mobiles));
            }
            (Some(part), Some(capture)) => {
                let clients = (0..).zip(&capture.content().0);
                clients
                    .filter(|(_, arrival)| part.has_turn(arrival.client))
                    .for_each(|(within, _)| self.flow(group, within, &mobiles));
            }
        }
        self.begun += count as usize;
    }

    /// Adds flow number `within` of `group`, to or from one of `mobiles`. If its receiver is a
    /// mobile that is warned of disconnections, it will be.
    fn flow(&mut self, group: &Flow, within: u32, mobiles: &Range<usize>) {
        let number = self.begun + within as usize;
        let arrival = group.arrivals.as_ref().map(|capture| &capture.content().0[within as usize]);
        let turn = arrival.map_or(within, |of| of.client);
        let turn = turn as usize;
        let place = |turn: usize| mobiles.start + turn % mobiles.len();
        let [sender, receiver] = self.nodes(group, number, [turn, turn + 1].map(place));
        let after = arrival.map_or(group.interval * u64::from(within), |arrival| arrival.start);
        let start = Time::ZERO + group.start + after;
        let flow = NewFlow {
            world: &mut self.chain.world,
            number,
            within,
            seed: self.scenario.seed,
            sender,
            receiver,
            server: server(group),
            port: group.port.or(arrival.map(|arrival| arrival.port)),
            opener: opener(group),
            bytes: group.payload(self.scenario.tcp.mss),
            dscp: group.dscp,
            start,
            abort: group.abort.map(|abort| start + abort),
            tcp: &self.tcp,
        };
        let AddedFlow { application, bytes, ends } = match arrival {
            None => group.application.add(&group.applications, flow),
            Some(arrival) => {
                let exchange = Exchange { request: arrival.request, answer: arrival.answer };
                exchange.start(Application::File, flow)
            }
        };
        self.foretell(receiver, ends[1]);
        self.added.push(NetworkFlow {
            number,
            group: group.name.clone(),
            ends,
            bytes,
            application,
            bottleneck: self.bottleneck(group, place(turn)),
        });
    }

    /// What the throughput of a flow of `group` to or from mobile number `ue` is compared with.
    fn bottleneck(&self, group: &Flow, ue: usize) -> Option<Rate> {
        let (_, rates) = self.bottlenecks.iter().find(|(range, _)| range.contains(&ue))?;
        rates[usize::from(group.direction == FlowDirection::Uplink)]
    }

    fn foretell(&mut self, receiver: NodeId, end: MachineId) {
        let index = self.chain.mobile_number(receiver);
        let is_fixed = receiver == self.chain.first;
        if let Some(disconnections) = self.scenario.disconnections(index).filter(|_| !is_fixed) {
            self.chain.world.foretell(end, &disconnections);
        }
    }

    /// Where the data of flow `number`, of `group`, come from and where they go: mobile number `ue`
    /// takes part, and of two the `next`.
    fn nodes(&mut self, group: &Flow, number: usize, [ue, next]: [usize; 2]) -> [NodeId; 2] {
        let [host, mobile] = match group.hosts {
            Hosts::Shared => [self.chain.first, self.chain.receiver(ue)],
            Hosts::Own => self.chain.add_hosts(number as u64),
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
