//! Captures of what a node would see on its interfaces.

mod addresses;
mod ipv6;
mod messages;
mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::sync::Arc;

use base::Ecn;
use mobility::binding::MobileIp;
use observe::PacketEvent;
use tcp::Length;
use wire::{Addresses, Capture, IpFields, Passage, Payload, Sense};
use world::{Body, Hop, Ipv6, Machine, MachineId, NodeId, World};

use crate::trace::{DatagramPassage, PassageRow, SegmentRow};
use crate::{Metrics, Trace};
use addresses::AddressBook;
use names::FlowNames;

/// A point to capture at: a node with endpoints or a middlebox, or any node of a mobile network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vantage {
    /// The node's name.
    pub name: String,
    sees: Sees,
}

/// What is captured there.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Sees {
    /// Segments over IPv4 at the endpoints and the middlebox of a node, and its datagrams.
    Segments(Ends),
    /// All packets at the interfaces of a node in a mobile network.
    Packets(Interfaces),
}

/// The endpoints and the middlebox of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Ends {
    node: u32,
    /// The numbers of its endpoints and of its middlebox.
    machines: Vec<u32>,
}

/// The interfaces of a node: one for each wired link, and one for all access points.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Interfaces {
    node: u32,
    names: Vec<String>,
    /// The number of its interface, by number of the machine.
    numbers: BTreeMap<u32, u32>,
    book: Arc<AddressBook>,
}

impl Vantage {
    /// Every node of `world` where captures can be taken; with `mobile_ip` it is a mobile network.
    pub(crate) fn all<B: Body>(world: &World<B>, mobile_ip: Option<&MobileIp>) -> Vec<Self> {
        match mobile_ip {
            Some(mobile_ip) => Self::all_mobile(world, mobile_ip),
            None => Self::all_ends(world),
        }
    }

    /// Every node that has endpoints or a middlebox.
    fn all_ends<B: Body>(world: &World<B>) -> Vec<Self> {
        let mut by_node: Vec<(NodeId, Vec<u32>)> = Vec::new();
        let mut places = BTreeMap::new();
        for (id, _, machine) in world.machines() {
            let Some(node) = machine.node() else { continue };
            let place = *places.entry(node).or_insert_with(|| {
                by_node.push((node, Vec::new()));
                by_node.len() - 1
            });
            by_node[place].1.push(id.0);
        }
        let vantage = |(node, machines): (NodeId, _)| {
            let name = world.node(node).name().to_owned();
            Self { name, sees: Sees::Segments(Ends { node: node.0, machines }) }
        };
        by_node.into_iter().map(vantage).collect()
    }

    /// Every node from which packets leave: addresses of mobiles are nodes as well.
    fn all_mobile<B: Body>(world: &World<B>, mobile_ip: &MobileIp) -> Vec<Self> {
        let book = Arc::new(AddressBook::of(world, mobile_ip));
        let links: Vec<_> = world.machines().filter_map(CaptureLink::of).collect();
        let of_node = |(number, node): (u32, &world::Node)| {
            let hops: BTreeSet<u32> = node.hops().map(|hop| hop.0).collect();
            let mut names: Vec<String> = Vec::new();
            let mut numbers = BTreeMap::new();
            let is_here = |way: &&CaptureLink<'_>| {
                way.to == Some(NodeId(number)) || hops.contains(&way.machine)
            };
            for way in links.iter().filter(is_here) {
                let known = names.iter().position(|name| name == way.link);
                let interface = known.unwrap_or_else(|| {
                    names.push(way.link.to_owned());
                    names.len() - 1
                });
                numbers.insert(way.machine, interface as u32);
            }
            let interfaces = Interfaces { node: number, names, numbers, book: Arc::clone(&book) };
            let name = node.name().to_owned();
            let has_any = !interfaces.names.is_empty();
            has_any.then_some(Self { name, sees: Sees::Packets(interfaces) })
        };
        (0..).zip(world.nodes()).filter_map(of_node).collect()
    }
}

/// One direction of a wired link, or a WLAN.
struct CaptureLink<'a> {
    machine: u32,
    /// The name of both directions.
    link: &'a str,
    /// Where it ends, if that is one node.
    to: Option<NodeId>,
}

impl<'a> CaptureLink<'a> {
    fn of<B: Body>((id, name, of): (MachineId, &'a str, &Machine<B>)) -> Option<Self> {
        let to = match of.hop()? {
            Hop::Pipe { to, .. } | Hop::Link { to, .. } => Some(*to),
            Hop::Wlan { .. } => None,
            Hop::Radio(_) => return None,
        };
        let link = name.rsplit_once('/').map_or(name, |(link, _)| link);
        Some(Self { machine: id.0, link, to })
    }
}

/// What a vantage captured.
#[derive(Debug)]
pub struct NodeCapture<'a> {
    vantage: &'a Vantage,
    trace: &'a Trace,
    names: Arc<FlowNames>,
    /// The rows of the trace that it saw, in order, with the number of the flow.
    segments: Vec<(&'a SegmentRow, u32)>,
    datagrams: Vec<(&'a DatagramPassage, u32)>,
    passages: Vec<&'a PassageRow>,
}

/// What each of `vantages` captured, in their order. The trace is read once for all of them. Of
/// flows in several groups, as `metrics` knows them, captures say whose each packet is.
pub fn captures<'a>(
    trace: &'a Trace,
    metrics: &Metrics,
    vantages: &'a [Vantage],
) -> Vec<NodeCapture<'a>> {
    let flows = trace.flows(metrics);
    let names = Arc::new(FlowNames::of(trace, metrics, &flows));
    let (mut by_node, mut by_machine) = (BTreeMap::new(), BTreeMap::new());
    for (place, vantage) in vantages.iter().enumerate() {
        match &vantage.sees {
            Sees::Segments(Ends { node, machines }) => {
                by_node.insert(*node, place);
                by_machine.extend(machines.iter().map(|machine| (*machine, place)));
            }
            Sees::Packets(interfaces) => drop(by_node.insert(interfaces.node, place)),
        }
    }
    let capture = |vantage| NodeCapture {
        vantage,
        trace,
        names: Arc::clone(&names),
        segments: Vec::new(),
        datagrams: Vec::new(),
        passages: Vec::new(),
    };
    let mut captures: Vec<_> = vantages.iter().map(capture).collect();
    for (row, (flow, _)) in trace.segments.iter().zip(&flows) {
        if let Some(&place) = by_machine.get(&row.endpoint) {
            captures[place].segments.push((row, *flow));
        }
    }
    for row in &trace.datagrams {
        if let Some(&place) = by_node.get(&row.node) {
            let flow = metrics.flow_of(row.datagram.sender).map_or(u32::MAX, |of| of.0 as u32);
            captures[place].datagrams.push((row, flow));
        }
    }
    for row in &trace.passages {
        if let Some(&place) = by_node.get(&row.node) {
            captures[place].passages.push(row);
        }
    }
    captures
}

impl NodeCapture<'_> {
    /// The node's name.
    pub fn name(&self) -> &str {
        &self.vantage.name
    }

    /// Writes it as pcapng, of each packet the first `snap` bytes, or all. Payloads are zeros: a
    /// simulation carries their lengths only.
    ///
    /// # Errors
    /// The writer's.
    pub fn write(&self, writer: impl Write, snap: Option<u32>) -> io::Result<()> {
        match &self.vantage.sees {
            Sees::Segments(_) => self.write_segments(writer, snap),
            Sees::Packets(interfaces) => self.write_packets(interfaces, writer, snap),
        }
    }

    fn write_segments(&self, writer: impl Write, snap: Option<u32>) -> io::Result<()> {
        let mut capture = Capture::at_all(writer, &[self.name().to_owned()], snap)?;
        let mut datagrams = self.datagrams.iter().peekable();
        let write_datagram = |capture: &mut Capture<_>, (row, flow): &(&DatagramPassage, u32)| {
            capture.comment(self.names.name(*flow));
            capture.write_udp(row.time, &row.datagram, service(row.dscp), &addresses(row.nodes))
        };
        for (row, flow) in &self.segments {
            while let Some(before) = datagrams.next_if(|(datagram, _)| datagram.time < row.time) {
                write_datagram(&mut capture, before)?;
            }
            let payload = Payload::Zeros(row.payload as usize);
            let addresses = addresses(row.way.nodes);
            let ip = IpFields { ecn: row.ecn, ..service(row.dscp) };
            capture.comment(self.names.name(*flow));
            capture.write(row.time, &row.header, ip, &addresses, payload)?;
        }
        for row in datagrams {
            write_datagram(&mut capture, row)?;
        }
        capture.finish().map(drop)
    }

    fn write_packets(
        &self,
        of: &Interfaces,
        writer: impl Write,
        snap: Option<u32>,
    ) -> io::Result<()> {
        let mut capture = Capture::at_all(writer, &of.names, snap)?;
        for row in &self.passages {
            let Some(&interface) = of.numbers.get(&row.machine) else { continue };
            let sense = if row.event == PacketEvent::Left { Sense::In } else { Sense::Out };
            let form = &self.trace.forms[row.form];
            let packet = ipv6::packet(&of.book, form.ends, &form.body)
                .map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error))?;
            capture.comment(self.names.of_ports(ports(&form.body)));
            capture.write_passing(row.time, Passage { interface, sense }, packet.bytes())?;
        }
        capture.finish().map(drop)
    }
}

/// The ports of a packet of a mobile network; zeros of one that has none.
fn ports(body: &Ipv6<Length>) -> [u16; 2] {
    if let Some(header) = body.header() {
        return [header.source_port, header.destination_port];
    }
    body.udp().map_or([0; 2], |datagram| [datagram.source_port, datagram.destination_port])
}

/// Fields of the IP header of a packet that asks for a service.
fn service(dscp: u8) -> IpFields {
    IpFields { dscp, ..Ecn::NotCapable.into() }
}

/// The addresses of a simulated network of IPv4: `10.0.0.1` is its first node.
fn addresses(nodes: [u32; 2]) -> Addresses {
    let first = Ipv4Addr::new(10, 0, 0, 1).to_bits();
    let [source, destination] = nodes.map(|node| Ipv4Addr::from_bits(first + node));
    Addresses::V4 { source, destination }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::ops::ControlFlow;

    use scenario::Scenario;

    use super::*;
    use crate::{Outcome, Recording, Threads, simulate};

    /// The scenario of mobile IPv6 that ships, under `settings`.
    pub(crate) fn hmipv6_handover(settings: &[(&str, &str)]) -> Scenario {
        shipped("hmipv6-handover", settings)
    }

    fn shipped(name: &str, settings: &[(&str, &str)]) -> Scenario {
        let shipped = scenario::shipped().iter().find(|shipped| shipped.name == name);
        let settings: Vec<_> =
            settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Scenario::parse(shipped.expect("it ships").text, name, &settings).expect("it is valid")
    }

    fn run(scenario: &Scenario) -> Outcome {
        let pulse = &mut |_| ControlFlow::Continue(());
        simulate(scenario, Recording::Everything, Threads::MIN, pulse)
            .expect("nobody interrupts it")
    }

    fn book(outcome: &Outcome) -> &AddressBook {
        match &outcome.vantages[0].sees {
            Sees::Packets(interfaces) => &interfaces.book,
            Sees::Segments(_) => panic!("packets of mobile networks are seen whole"),
        }
    }

    /// What was seen in 140 s: names of messages, and of each packet its encapsulation, and where
    /// in it it was fragmented. Each was written as long as it was on the links.
    fn seen(settings: &[(&str, &str)]) -> BTreeSet<String> {
        let mut settings = settings.to_vec();
        settings.extend([("duration", "140 s"), ("wlan.loss", "none")]);
        let outcome = run(&hmipv6_handover(&settings));
        let trace = outcome.trace.as_ref().expect("it was recorded");
        let mut seen = BTreeSet::new();
        for form in &trace.forms {
            let body = &form.body;
            let packet = ipv6::packet(book(&outcome), form.ends, body).expect("it fits");
            assert_eq!(packet.bytes().len(), form.bytes as usize, "{settings:?} {form:?}");
            seen.extend(body.message().map(|message| message.name().to_owned()));
            seen.extend(body.too_big().map(|_| world::TooBig::NAME.to_owned()));
            let mut around: Vec<_> =
                body.wraps().iter().map(|(_, wrap)| format!("{wrap:?}")).collect();
            for piece in body.pieces().iter().rev() {
                around.insert(piece.depth.into(), "Piece".to_owned());
            }
            seen.insert(around.join(" "));
        }
        seen
    }

    #[test]
    fn a_capture_has_the_rows_of_its_node() {
        for (name, settings) in [
            (
                "gprs-3+1",
                &[("radio.ues", "3"), ("flow.count", "6"), ("middlebox.kind", "split")][..],
            ),
            ("gprs-3+1", &[("radio.ues", "3"), ("flow.count", "6"), ("flow.application", "udp")]),
            ("hmipv6-handover", &[("wlan.mobiles", "2")]),
        ] {
            let settings = [settings, &[("duration", "10 s")]].concat();
            let outcome = run(&shipped(name, &settings));
            let trace = outcome.trace.as_ref().expect("it was recorded");
            for capture in captures(trace, &outcome.metrics, &outcome.vantages) {
                let (node, machines) = match &capture.vantage.sees {
                    Sees::Segments(Ends { node, machines }) => (*node, &machines[..]),
                    Sees::Packets(Interfaces { node, .. }) => (*node, &[][..]),
                };
                let segments = trace.segments.iter().filter(|row| machines.contains(&row.endpoint));
                let seen: Vec<_> = capture.segments.iter().map(|(row, _)| *row).collect();
                assert_eq!(seen, segments.collect::<Vec<_>>(), "{settings:?}");
                let datagrams = trace.datagrams.iter().filter(|row| row.node == node);
                let seen: Vec<_> = capture.datagrams.iter().map(|(row, _)| *row).collect();
                assert_eq!(seen, datagrams.collect::<Vec<_>>(), "{settings:?}");
                let passages = trace.passages.iter().filter(|row| row.node == node);
                assert_eq!(capture.passages, passages.collect::<Vec<_>>(), "{settings:?}");
                let rows =
                    [capture.segments.len(), capture.datagrams.len(), capture.passages.len()];
                assert_ne!(rows, [0; 3], "{settings:?}: {}", capture.name());
            }
        }
    }

    #[test]
    fn packets_are_as_long_as_on_the_links() {
        let check = |settings: &[(&str, &str)], expected: &[&str]| {
            let seen = seen(settings);
            for kind in expected {
                assert!(seen.contains(*kind), "{kind:?} with {settings:?}: {seen:#?}");
            }
        };
        check(&[], &["", "Tunnel", "Tunnel Tunnel", "router advertisement", "binding update"]);
        check(&[("ftp.packet_size", "1440")], &["packet too big"]);
        let cap = [("ftp.packet_size", "1024"), ("ftp.cap", "1000")];
        check(&cap, &["Piece", "Piece Tunnel", "Piece Tunnel Tunnel"]);
        let small = [("ftp.packet_size", "1220"), ("mobile_ip.mtu", "1280")];
        check(&small, &["Tunnel Piece", "Tunnel Piece Tunnel"]);
        let optimized = ("mobile_ip.route_optimization", "true");
        let tests = ["home test init", "care-of test init", "home test", "care-of test"];
        check(&[optimized], &tests);
        check(&[optimized], &["Routing", "Routing Tunnel", "HomeAddress"]);
        let between = [optimized, ("flow.direction", "between-mobiles"), ("wlan.mobiles", "1")];
        check(&between, &["HomeAddress Routing Tunnel"]);
        let fast = [
            ("mobile_ip.fast_handovers", "true"),
            ("wlan.anticipation", "200 ms"),
            ("wlan.handover", "break-before-make"),
            ("wlan.hysteresis", "3 dB"),
        ];
        check(&fast, &["proxy router advertisement", "handover initiate", "handover acknowledge"]);
        check(&fast, &["fast binding update", "fast binding acknowledgement"]);
        check(&fast, &["Tunnel Tunnel Tunnel"]);
    }
}
