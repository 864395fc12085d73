//! From `[flow]` and `[[flow.group]]` to connections.

use std::sync::Arc;

use base::{Seq, Stream, Time};
use tcp::Length;
use wire::Arrival;
use world::{
    Body, Connection, Exchange, Fetching, MachineId, NodeId, Pages, Protocol, Side, Traffic,
    UdpFlow,
};

use crate::build::Chain;
use crate::{Content, Flow, FlowDirection, Hosts, Opener, Scenario};

/// More than any run can transfer: what a flow without end has to send.
const ENDLESS: Length = Length(1 << 60);

/// A flow of a built network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NetworkFlow {
    /// The name of its group.
    pub group: String,
    /// The sender's and the receiver's endpoint, of TCP or UDP; both the browser of pages that are
    /// fetched over several connections, which it names as it opens them.
    pub ends: [MachineId; 2],
    /// Bytes to transfer; `None` without end.
    pub bytes: Option<u64>,
    /// What it transfers.
    pub content: Content,
}

/// Adds a connection, a browser or a UDP source for each flow of `scenario`.
pub(crate) fn add<B: Body<Payload = Length>>(
    chain: &mut Chain<B>,
    scenario: &Scenario,
) -> Vec<NetworkFlow> {
    let mut flows = Flows {
        chain,
        scenario,
        isn: Stream::named(scenario.seed, "initial sequence numbers"),
        chance: Stream::named(scenario.seed, "congestion control"),
        added: Vec::new(),
    };
    for group in scenario.groups() {
        for within in 0..group.number() {
            let flow = flows.flow(group, within);
            flows.added.push(flow);
        }
    }
    flows.added
}

struct Flows<'a, B: Body> {
    chain: &'a mut Chain<B>,
    scenario: &'a Scenario,
    isn: Stream,
    chance: Stream,
    added: Vec<NetworkFlow>,
}

impl<B: Body<Payload = Length>> Flows<'_, B> {
    /// Adds flow number `within` of `group`.
    fn flow(&mut self, group: &Flow, within: u32) -> NetworkFlow {
        let (index, mss) = (self.added.len(), self.scenario.tcp.mss);
        let arrival = group.arrivals.as_ref().map(|capture| &capture.arrivals()[within as usize]);
        let content = group.content(within.into());
        let [sender, receiver] = self.nodes(group, arrival.map_or(within, |of| of.client));
        let start = Time::ZERO
            + group.start
            + arrival.map_or(group.interval * u64::from(within), |arrival| arrival.start);
        let bytes = bytes_of(group, content, arrival, mss);
        let port = group.port.unwrap_or_else(|| port(content, arrival));
        let Some(traffic) = self.traffic(group, content, arrival, index) else {
            let chance = self.named(index, "on and off times");
            let flow = UdpFlow { sender, receiver, port, udp: group.udp, bytes, start, chance };
            let ends = self.chain.world.add_udp(flow);
            return NetworkFlow { group: group.name.clone(), ends, bytes, content };
        };
        let connection = Connection {
            sender,
            receiver,
            tcp: &Arc::new(self.scenario.tcp.seeded(u64::from(self.chance.next_u32()))),
            data: group.payload(mss).filter(|_| content == Content::File).map_or(ENDLESS, Length),
            traffic,
            server: server(group, content),
            port,
            opener: opener(group, content),
            start,
            abort: group.abort.map(|abort| start + abort),
            isn: [Seq::new(self.isn.next_u32()), Seq::new(self.isn.next_u32())],
        };
        let fetches = content == Content::Web && group.web.protocol == Protocol::PerObject;
        let ends = if fetches {
            [self.browser(group, &connection, index); 2]
        } else {
            self.connect(&connection)
        };
        NetworkFlow { group: group.name.clone(), ends, bytes: bytes.filter(|_| !fetches), content }
    }

    /// Adds a connection. If its receiver is a mobile that is warned of disconnections, it will be.
    fn connect(&mut self, connection: &Connection<'_, Length>) -> [MachineId; 2] {
        let ends = self.chain.world.add_connection(connection);
        let index = self.chain.mobile_number(connection.receiver);
        let is_fixed = connection.receiver == self.chain.first;
        if let Some(disconnections) = self.scenario.disconnections(index).filter(|_| !is_fixed) {
            self.chain.world.foretell(ends[1], &disconnections);
        }
        ends
    }

    /// Where the data of a flow of `group` come from and where they go; its turn is that of mobile
    /// number `turn`.
    fn nodes(&mut self, group: &Flow, turn: u32) -> [NodeId; 2] {
        let turn = u64::from(turn);
        let [host, mobile] = match group.hosts {
            Hosts::Shared => [self.chain.first, self.chain.receiver(turn)],
            Hosts::Own => self.chain.add_hosts(self.added.len() as u64),
        };
        match group.direction {
            FlowDirection::Downlink => [host, mobile],
            FlowDirection::Uplink => [mobile, host],
            FlowDirection::BetweenMobiles => [mobile, self.chain.receiver(turn + 1)],
        }
    }

    /// The source of chance of flow number `index` called `what`.
    fn named(&self, index: usize, what: &str) -> Stream {
        Stream::named(self.scenario.seed, &format!("flow {index}/{what}"))
    }

    /// What the connection of flow number `index` is for; `None` if it needs none.
    fn traffic(
        &self,
        group: &Flow,
        content: Content,
        arrival: Option<&Arrival>,
        index: usize,
    ) -> Option<Traffic> {
        let named = |what| self.named(index, what);
        Some(match content {
            Content::File => match (arrival, group.payload(self.scenario.tcp.mss)) {
                (Some(&Arrival { request, answer, .. }), _) => {
                    Traffic::Exchange(Exchange { request, answer })
                }
                (None, Some(_)) => Traffic::File,
                (None, None) => Traffic::Stream,
            },
            Content::Web => Traffic::Web(self.pages(group, index)),
            Content::Telnet => Traffic::Telnet(Arc::new(group.telnet.clone()), named("keystrokes")),
            Content::Probe => Traffic::Probes(Arc::new(group.probe.clone()), named("probes")),
            Content::Udp => return None,
        })
    }

    fn pages(&self, group: &Flow, index: usize) -> Pages {
        let web = Arc::new(group.web.clone());
        Pages::named(&web, self.scenario.seed, &format!("flow {index}"))
    }

    /// The browser that has the pages of flow number `index` in the place of `connection`.
    fn browser(
        &mut self,
        group: &Flow,
        connection: &Connection<'_, Length>,
        index: usize,
    ) -> MachineId {
        let name = format!("flow {index}/initial sequence numbers");
        let fetching = Fetching {
            server: connection.sender,
            reader: connection.receiver,
            port: connection.port,
            tcp: Arc::clone(connection.tcp),
            pages: self.pages(group, index),
            data: connection.data,
            connections: group.web.connections,
            isn: Stream::named(self.scenario.seed, &name),
            start: connection.start,
            abort: connection.abort,
        };
        self.chain.world.add_browser(&format!("browser-{index}"), fetching)
    }
}

/// Bytes that the sender of a flow has to send; `None` without end.
fn bytes_of(group: &Flow, content: Content, arrival: Option<&Arrival>, mss: u32) -> Option<u64> {
    match content {
        Content::File => arrival.map(|arrival| arrival.answer).or_else(|| group.payload(mss)),
        Content::Web | Content::Udp => group.payload(mss),
        Content::Telnet => group.telnet.count.map(|count| count * u64::from(group.telnet.echo)),
        Content::Probe => Some(group.probe.total()),
    }
}

/// Which side has the port that is known beforehand.
const fn server(group: &Flow, content: Content) -> Side {
    match (content, group.direction) {
        (Content::Udp, _) | (Content::File | Content::Probe, FlowDirection::Uplink) => {
            Side::Receiver
        }
        (
            Content::File | Content::Probe,
            FlowDirection::Downlink | FlowDirection::BetweenMobiles,
        )
        | (Content::Web | Content::Telnet, _) => Side::Sender,
    }
}

/// That port, by application (IANA): ftp-data, discard (RFC 863), http, telnet; or as captured.
fn port(content: Content, arrival: Option<&Arrival>) -> u16 {
    match content {
        Content::File => arrival.map_or(20, |arrival| arrival.port),
        Content::Web => 80,
        Content::Telnet => 23,
        Content::Probe | Content::Udp => 9,
    }
}

/// Which side opens the connection.
const fn opener(group: &Flow, content: Content) -> Side {
    match (content, group.opened_by) {
        (Content::File | Content::Probe, Opener::Sender) if group.arrivals.is_none() => {
            Side::Sender
        }
        (Content::File | Content::Probe, Opener::Sender | Opener::Receiver)
        | (Content::Web | Content::Telnet, _) => Side::Receiver,
        (Content::Udp, _) => Side::Sender,
    }
}
