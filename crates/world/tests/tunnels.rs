//! What becomes of packets at the entries of tunnels, by their size (RFC 2473 §7.1).

use base::{Duration, TcpHeader, Time};
use mobility::binding::{
    Address, Agent, Anchor, AnchorConfig, Authority, Extent, Message, MobilityAgent, Outgoing,
    Policy, Role, Sequence, Update, Wrap,
};
use observe::{Context, DropReason, Observe, PacketEvent, PacketFact};
use tcp::{Length, Segment};
use world::{Body, Ends, Fragmentation, Ipv6, MachineId, NodeId, World};

const HOUR: Duration = Duration::from_secs(3_600);

/// What comes of a packet.
#[derive(PartialEq, Eq, Debug)]
enum Fate {
    /// So many bytes go over the last link, in each packet.
    Arrives(Vec<u32>),
    /// Its source is told that so many bytes are the most.
    TooBig(u32),
    /// The same, but it has gone away: it is told where it is, within this.
    TooBigWithin(Wrap),
}

/// Who sends to a mobile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sender {
    /// A fixed host.
    Fixed,
    /// Another mobile that is bound at the same home agent.
    Mobile,
}

/// CN ─ HA ─ MAP ─ MN; the mobile has its home address, the regional and the local one.
struct Net {
    world: World<Ipv6<Length>>,
    correspondent: NodeId,
    home_agent: NodeId,
    map: NodeId,
    home: NodeId,
    regional: NodeId,
    local: NodeId,
    seen: Seen,
}

struct Seen {
    last: MachineId,
    entered: Vec<u32>,
    departed: u32,
    dropped: u32,
}

impl Observe for Seen {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Entered if fact.machine == self.last.0 => self.entered.push(fact.bytes),
            PacketEvent::Departed => self.departed += 1,
            PacketEvent::Dropped(reason) => {
                assert_eq!(reason, DropReason::TooBig);
                self.dropped += 1;
            }
            PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Arrived
            | PacketEvent::Duplicated(_)
            | PacketEvent::Corrupted => {}
        }
    }
}

fn anchor(at: NodeId, role: Role, bindings: &[(NodeId, NodeId)]) -> Agent {
    let address = Address(at.0);
    let config = AnchorConfig {
        address,
        role,
        lifetime_max: HOUR,
        detection: None,
        taken: Vec::new(),
        policy: Policy::One,
        access: None,
    };
    let mut anchor = Agent::Anchor(Box::new(Anchor::new(0, config, 1)));
    for (home, care_of) in bindings {
        let [home, source] = [home, care_of].map(|node| Address(node.0));
        let message = Message::BindingUpdate(Update {
            home,
            care_of: source,
            sequence: Sequence(1),
            lifetime: HOUR,
            extent: Extent::Only,
            authority: Authority::Agent,
        });
        let update = Outgoing { source, destination: address, message };
        anchor.handle_message(&mut Context { now: Time::ZERO, observe: &mut () }, &update);
    }
    while anchor.poll_output().is_some() {}
    anchor
}

impl Net {
    /// Links take packets of `mtu`; packets for the mobile go through so many `tunnels`.
    fn new(mtu: u32, tunnels: u32, sender: Sender) -> Self {
        let mut world = World::new();
        world.fragment(Fragmentation::Mtu(mtu), mtu);
        let names = ["CN", "HA", "MAP", "MN", "MN@MAP", "MN@AR"];
        let nodes = names.map(|name| world.add_node(name));
        let [correspondent, home_agent, map, home, regional, local] = nodes;
        let link = link::Config { rate: None, delay: Duration::from_millis(1), queue_limit: None };
        let mut pipe = |from: usize, to: usize| {
            let id = world.add_pipe("pipe", &link, nodes[to]);
            let (forth, back) = ([3, 4, 5, 2, 1].as_slice(), [0, 1].as_slice());
            for destination in if from < to { forth } else { back } {
                if *destination != from && (from < to) == (from < *destination) {
                    world.set_route(nodes[from], Some(nodes[*destination]), id);
                }
            }
            id
        };
        for (one, other) in [(0, 1), (1, 2)] {
            pipe(one, other);
            pipe(other, one);
        }
        let last = pipe(2, 5);
        match tunnels {
            0 => {}
            1 => {
                // Who sends is as a mobile that is bound to a node on the way.
                let bindings = [(home, local), (correspondent, map)];
                let bindings = &bindings[..if sender == Sender::Fixed { 1 } else { 2 }];
                world.add_agent(home_agent, |_| anchor(home_agent, Role::HomeAgent, bindings));
                world.open(map);
            }
            _ => {
                let bindings = &[(home, regional)];
                world.add_agent(home_agent, |_| anchor(home_agent, Role::HomeAgent, bindings));
                world.add_agent(map, |_| anchor(map, Role::Map, &[(regional, local)]));
            }
        }
        world.open(correspondent);
        world.open(local);
        let seen = Seen { last, entered: Vec::new(), departed: 0, dropped: 0 };
        let home = if tunnels == 0 { local } else { home };
        Self { world, correspondent, home_agent, map, home, regional, local, seen }
    }

    /// What comes of a packet of `bytes` from the correspondent to the mobile.
    fn send(&mut self, bytes: u32) -> Fate {
        let now = Time::ZERO;
        let payload = Length(u64::from(bytes - 60));
        let segment = Segment { header: TcpHeader::default(), payload, ..Segment::default() };
        let ends = Ends { source: self.correspondent, destination: self.home };
        let body = Ipv6::from_segment(segment, ends);
        let cx = &mut Context { now, observe: &mut self.seen };
        self.world.handle_packet(cx, ends.source, ends.destination, body);
        while self.world.step(now + Duration::from_secs(1), &mut self.seen).is_some() {}
        let mut fate = Fate::Arrives(std::mem::take(&mut self.seen.entered));
        while let Some(delivery) = self.world.poll_packet() {
            if delivery.at == self.map {
                fate = Fate::TooBigWithin(delivery.packet.body.wrap().expect("a tunnel"));
            } else if delivery.at == self.correspondent {
                let too_big = delivery.packet.body.too_big().expect("nothing else comes back");
                assert_eq!(delivery.packet.bytes, 1_280);
                assert_eq!((too_big.quote.ends, too_big.quote.bytes), (ends, bytes));
                fate = Fate::TooBig(too_big.mtu);
            }
        }
        fate
    }

    fn path_mtu(&self, source: NodeId, destination: NodeId) -> u32 {
        self.world.path_mtu(Time::ZERO, Ends { source, destination })
    }
}

#[test]
fn tunnels_pass_cut_or_refuse() {
    let check = |mtu, tunnels, bytes, expected: Fate| {
        let fate = Net::new(mtu, tunnels, Sender::Fixed).send(bytes);
        assert_eq!(fate, expected, "{bytes} B through {tunnels} of {mtu} B");
    };
    let arrives = |bytes: &[u32]| Fate::Arrives(bytes.to_vec());
    check(1_500, 0, 1_500, arrives(&[1_500]));
    check(1_500, 1, 1_460, arrives(&[1_500]));
    check(1_500, 1, 1_461, Fate::TooBig(1_460));
    check(1_500, 2, 1_420, arrives(&[1_500]));
    // Refused by the second, of which the first tells the source; and by the first.
    check(1_500, 2, 1_421, Fate::TooBig(1_420));
    check(1_500, 2, 1_460, Fate::TooBig(1_420));
    check(1_500, 2, 1_461, Fate::TooBig(1_460));
    // What all links take is cut: 1232 bytes and a fragment header, then what is left.
    check(1_280, 1, 1_240, arrives(&[1_280]));
    check(1_280, 1, 1_241, arrives(&[1_280, 57]));
    check(1_280, 1, 1_280, arrives(&[1_280, 96]));
    check(1_280, 1, 1_281, Fate::TooBig(1_280));
    check(1_280, 2, 1_200, arrives(&[1_280]));
    check(1_280, 2, 1_201, arrives(&[1_280, 57]));
    // The first cuts 1280 and 96, of which the second cuts one and puts 40 around the other.
    check(1_280, 2, 1_280, arrives(&[1_280, 96, 136]));
    check(1_280, 2, 1_281, Fate::TooBig(1_280));
    // No source is told less than all links take.
    check(1_300, 1, 1_280, arrives(&[1_296, 80]));
    check(1_300, 1, 1_281, Fate::TooBig(1_280));
}

#[test]
fn a_tunnel_entry_learns_of_the_tunnel_within_its_own() {
    let mut net = Net::new(1_500, 2, Sender::Fixed);
    assert_eq!(net.send(1_460), Fate::TooBig(1_420));
    assert_eq!(net.path_mtu(net.home_agent, net.regional), 1_460);
    assert_eq!(net.path_mtu(net.map, net.local), 1_500);
    assert_eq!(net.seen.dropped, 1);
    // Now it refuses by itself: the one packet more that departs is its message.
    let before = net.seen.departed;
    assert_eq!(net.send(1_460), Fate::TooBig(1_420));
    assert_eq!((net.seen.departed - before, net.seen.dropped), (1, 2));
    assert_eq!(net.send(1_420), Fate::Arrives(vec![1_500]));
}

#[test]
fn what_an_entry_cut_too_large_it_cuts_smaller_and_tells_nobody() {
    let mut net = Net::new(1_300, 2, Sender::Fixed);
    // 1296 and 70 bytes leave the first, and the larger is more than the second has to take.
    assert_eq!(net.send(1_270), Fate::Arrives(vec![110]));
    assert_eq!(net.path_mtu(net.home_agent, net.regional), 1_280);
    assert_eq!(net.send(1_270), Fate::Arrives(vec![1_296, 80, 126]));
}

#[test]
fn a_mobile_is_told_where_it_is() {
    let mut net = Net::new(1_500, 1, Sender::Mobile);
    assert_eq!(net.send(1_461), Fate::TooBigWithin(Wrap::Tunnel));
}
