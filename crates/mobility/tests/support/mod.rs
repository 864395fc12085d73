//! A small network of agents: HA (also the home network's access router), MAP, CN, access routers
//! and mobiles, a fixed or random delay from node to node, and losses of messages.
//!
//! A packet goes to the node at whose links the prefix of its destination is, and from an access
//! router over the air to a mobile that can be heard there. What starts at a mobile goes through
//! the access router of its source.

pub(crate) mod script;
pub(crate) mod setup;

use std::collections::{BTreeMap, BTreeSet};

use base::{Duration, Stream, Time};
use mobility::binding::{
    Address, Agent, AgentRequest, Header, LinkEvent, Message, Mobile, MobilityAgent, Outer,
    Outgoing, PacketAction, Status, Wrap,
};
use observe::{Context, MobilityFact, Observe};

/// Nodes in order: the correspondent, the home agent, the MAP, access routers from 1, mobiles.
pub(crate) const CN: Address = Address(0);
pub(crate) const HA: Address = Address(1);
pub(crate) const MAP: Address = Address(2);

/// Access router 0 is the home agent.
pub(crate) const fn access_router(number: u32) -> Address {
    if number == 0 { HA } else { Address(2 + number) }
}

pub(crate) const fn home(mobile: u32) -> Address {
    Address(100 + mobile)
}

pub(crate) const fn rcoa(mobile: u32) -> Address {
    Address(200 + mobile)
}

pub(crate) const fn lcoa(mobile: u32, router: u32) -> Address {
    if router == 0 { home(mobile) } else { Address(1000 + 10 * mobile + router) }
}

/// Whose an address is, and by which access router it is reached there.
fn mobile_of(address: Address) -> Option<(u32, Option<u32>)> {
    match address.0 {
        100..200 => Some((address.0 - 100, Some(0))),
        200..300 => Some((address.0 - 200, None)),
        1000..2000 => Some(((address.0 - 1000) / 10, Some((address.0 - 1000) % 10))),
        _ => None,
    }
}

/// The node at whose links the prefix of an address is.
fn prefix_of(address: Address) -> Address {
    match mobile_of(address) {
        Some((_, Some(router))) => access_router(router),
        Some((_, None)) => MAP,
        None => address,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Body {
    Message(Message),
    Data(u32),
}

#[derive(Clone, Debug)]
struct Packet {
    source: Address,
    destination: Address,
    /// What stands around it, with the addresses within, outermost last.
    wraps: Vec<(Wrap, Address, Address)>,
    body: Body,
    /// From node to node so far.
    hops: u32,
}

impl Packet {
    const fn new(source: Address, destination: Address, body: Body) -> Self {
        Self { source, destination, wraps: Vec::new(), body, hops: 0 }
    }

    fn header(&self) -> Header {
        Header {
            source: self.source,
            destination: self.destination,
            wrap: self.wraps.last().map(|(wrap, ..)| *wrap),
            is_message: matches!(self.body, Body::Message(_)),
        }
    }

    fn wrap(&mut self, outer: Outer) {
        self.wraps.push((outer.wrap, self.source, self.destination));
        (self.source, self.destination) = (outer.source, outer.destination);
        assert!(self.wraps.len() <= 4, "wrapped too often: {self:?}");
    }

    fn unwrap(&mut self) {
        let (_, source, destination) = self.wraps.pop().expect("there is something around it");
        (self.source, self.destination) = (source, destination);
    }
}

/// What was seen.
#[derive(Default, Debug)]
pub(crate) struct Seen {
    pub(crate) facts: Vec<(Time, u32, MobilityFact)>,
}

impl Observe for Seen {
    fn mobility(&mut self, now: Time, machine: u32, fact: MobilityFact) {
        self.facts.push((now, machine, fact));
    }
}

impl Seen {
    /// How often `message` was sent.
    pub(crate) fn sent(&self, name: &str) -> usize {
        let sent = self.facts.iter().filter_map(|(_, _, fact)| match fact {
            MobilityFact::Sent { message, .. } => Some(*message),
            _ => None,
        });
        sent.filter(|message| *message == name).count()
    }

    /// The last facts, for messages.
    pub(crate) fn last(&self, count: usize) -> Vec<String> {
        let skip = self.facts.len().saturating_sub(count);
        self.facts[skip..].iter().map(|fact| format!("{fact:?}")).collect()
    }

    /// When something happened, each time.
    pub(crate) fn times(&self, sought: MobilityFact) -> Vec<Time> {
        self.facts.iter().filter(|(_, _, fact)| *fact == sought).map(|(time, ..)| *time).collect()
    }
}

/// The nodes and their agents.
pub(crate) type Nodes = BTreeMap<Address, Option<Agent>>;

/// A packet on its way to a node.
#[derive(Debug)]
struct Transit {
    node: Address,
    packet: Packet,
}

pub(crate) struct Network {
    pub(crate) now: Time,
    pub(crate) seen: Seen,
    nodes: Nodes,
    transits: BTreeMap<(Time, u64), Transit>,
    count: u64,
    /// From node to node, and up to that more.
    pub(crate) delay: Duration,
    pub(crate) jitter: Duration,
    /// The share of messages that are lost, and those lost by name and place in the order sent.
    pub(crate) loss: f64,
    pub(crate) losses: Vec<(&'static str, usize)>,
    sent: BTreeMap<&'static str, usize>,
    chance: Stream,
    /// Who can be heard where.
    links: BTreeSet<(u32, u32)>,
    /// Access routers and homes of mobiles for which packets are held there, and those packets.
    held: BTreeMap<(Address, Address), Vec<Packet>>,
    /// Data that came to its destination: number and time, once for each copy.
    pub(crate) delivered: Vec<(u32, Time)>,
    /// The deepest that a packet was wrapped.
    pub(crate) depth: usize,
    /// Until when each anchor and correspondent may send to a care-of address, from its answers.
    valid: BTreeMap<(Address, Address), Time>,
    /// What access routers had their links do.
    pub(crate) requests: Vec<(Time, AgentRequest)>,
}

impl Network {
    pub(crate) fn new(nodes: Nodes, seed: u64) -> Self {
        Self {
            now: Time::ZERO,
            seen: Seen::default(),
            nodes,
            transits: BTreeMap::new(),
            count: 0,
            delay: Duration::from_millis(10),
            jitter: Duration::ZERO,
            loss: 0.0,
            losses: Vec::new(),
            sent: BTreeMap::new(),
            chance: Stream::named(seed, "network"),
            links: BTreeSet::new(),
            held: BTreeMap::new(),
            delivered: Vec::new(),
            depth: 0,
            valid: BTreeMap::new(),
            requests: Vec::new(),
        }
    }

    pub(crate) fn mobile(&self, number: u32) -> &Mobile {
        match self.nodes.get(&home(number)) {
            Some(Some(Agent::Mobile(mobile))) => mobile,
            _ => panic!("there is no mobile {number}"),
        }
    }

    /// The link of mobile 0 to an access router comes up.
    pub(crate) fn up(&mut self, router: u32) {
        self.link(0, LinkEvent::Up { router });
    }

    pub(crate) fn down(&mut self, router: u32) {
        self.link(0, LinkEvent::Down { router });
    }

    pub(crate) fn fading(&mut self, next: u32) {
        self.link(0, LinkEvent::Fading { next });
    }

    pub(crate) fn is_up(&self, mobile: u32, router: u32) -> bool {
        self.links.contains(&(mobile, router))
    }

    pub(crate) fn link(&mut self, mobile: u32, event: LinkEvent) {
        match event {
            LinkEvent::Up { router } => {
                self.links.insert((mobile, router));
            }
            LinkEvent::Down { router } => {
                self.links.remove(&(mobile, router));
            }
            LinkEvent::Fading { .. } => {}
        }
        let now = self.now;
        let agent = self.nodes.get_mut(&home(mobile)).and_then(Option::as_mut).expect("a mobile");
        agent.handle_link(&mut Context { now, observe: &mut self.seen }, event);
        self.drain(home(mobile));
    }

    /// Data `number` starts at a node.
    pub(crate) fn send(&mut self, source: Address, destination: Address, number: u32) {
        self.look(source, Packet::new(source, destination, Body::Data(number)));
    }

    /// Data `number` starts at `node` within `outer`.
    pub(crate) fn send_within(
        &mut self,
        node: Address,
        source: Address,
        destination: Address,
        outer: Outer,
        number: u32,
    ) {
        let mut packet = Packet::new(source, destination, Body::Data(number));
        packet.wrap(outer);
        self.look(node, packet);
    }

    /// A message starts at its source, whatever the agent there knows of it.
    pub(crate) fn say(&mut self, source: Address, destination: Address, message: Message) {
        self.look(source, Packet::new(source, destination, Body::Message(message)));
    }

    /// How many copies of data `number` came.
    pub(crate) fn copies(&self, number: u32) -> usize {
        self.delivered.iter().filter(|(other, _)| *other == number).count()
    }

    /// Lets time pass.
    pub(crate) fn run(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let packet = self.transits.keys().next().map(|(time, _)| *time);
            let timers = self
                .nodes
                .iter()
                .filter_map(|(address, agent)| Some((agent.as_ref()?.poll_timeout()?, *address)));
            let timer = timers.min();
            let next = Time::earlier(packet, timer.map(|(time, _)| time));
            let Some(time) = next.filter(|time| *time <= end) else { break };
            assert!(time >= self.now, "a deadline in the past: {time:?} at {:?}", self.now);
            self.now = time;
            if packet == Some(time) {
                let (_, Transit { node, packet }) = self.transits.pop_first().expect("a packet");
                self.look(node, packet);
            } else if let Some((_, address)) = timer {
                self.wake(address);
            }
        }
        self.now = end;
    }

    fn wake(&mut self, address: Address) {
        let now = self.now;
        let Some(Some(agent)) = self.nodes.get_mut(&address) else { return };
        agent.handle_timeout(&mut Context { now, observe: &mut self.seen });
        let next = agent.poll_timeout();
        assert!(next.is_none_or(|next| next > now), "{address:?} does not get on at {now:?}");
        self.drain(address);
    }

    fn drain(&mut self, node: Address) {
        loop {
            let Some(Some(agent)) = self.nodes.get_mut(&node) else { return };
            if let Some(outgoing) = agent.poll_output() {
                self.note(node, &outgoing);
                let Outgoing { source, destination, message } = outgoing;
                self.look(node, Packet::new(source, destination, Body::Message(message)));
            } else if let Some(request) = agent.poll_request() {
                self.obey(node, request);
            } else {
                return;
            }
        }
    }

    /// What an agent has granted.
    fn note(&mut self, node: Address, outgoing: &Outgoing) {
        if let Message::BindingAcknowledgement(answer) = outgoing.message
            && answer.status == Status::Accepted
        {
            let until = self.now + answer.lifetime;
            let of_it = (node, outgoing.destination);
            self.valid.insert(of_it, until);
            // A second address beside it lives as long.
            let mobile = mobile_of(outgoing.destination).map(|(mobile, _)| mobile);
            for ((other, care_of), end) in &mut self.valid {
                let is_same = mobile_of(*care_of).map(|(mobile, _)| mobile) == mobile;
                if *other == node && is_same && *end > self.now {
                    *end = (*end).max(until);
                }
            }
        }
    }

    fn obey(&mut self, node: Address, request: AgentRequest) {
        match request {
            AgentRequest::Moved => return,
            AgentRequest::Hold { mobile } => {
                self.held.entry((node, mobile)).or_default();
            }
            AgentRequest::Release { mobile } => {
                for packet in self.held.remove(&(node, mobile)).unwrap_or_default() {
                    self.over_the_air(node, packet);
                }
            }
        }
        self.requests.push((self.now, request));
    }

    /// Shows a packet to the agent of a node until it is clear what becomes of it.
    fn look(&mut self, node: Address, mut packet: Packet) {
        let mut questions = 0;
        while let Some(Some(agent)) = self.nodes.get_mut(&node) {
            questions += 1;
            assert!(questions <= 8, "{node:?} never ends with {packet:?}");
            match agent.look(self.now, &packet.header()) {
                PacketAction::Pass => break,
                PacketAction::Wrap(outer) => self.put(node, &mut packet, outer),
                PacketAction::Both([one, other]) => {
                    let mut copy = packet.clone();
                    self.put(node, &mut copy, other);
                    self.onward(node, copy);
                    self.put(node, &mut packet, one);
                }
                PacketAction::Unwrap => packet.unwrap(),
                PacketAction::Take => {
                    let Body::Message(message) = packet.body else { panic!("took {packet:?}") };
                    assert!(packet.wraps.is_empty(), "took {packet:?}");
                    let Packet { source, destination, .. } = packet;
                    let incoming = Outgoing { source, destination, message };
                    let cx = &mut Context { now: self.now, observe: &mut self.seen };
                    agent.handle_message(cx, &incoming);
                    return self.drain(node);
                }
                PacketAction::Drop => return self.drain(node),
            }
        }
        self.onward(node, packet);
    }

    fn put(&mut self, node: Address, packet: &mut Packet, outer: Outer) {
        let is_anchor = node == HA || node == MAP;
        if is_anchor || outer.wrap == Wrap::Routing {
            let valid = self.valid.get(&(node, outer.destination));
            assert!(
                valid.is_some_and(|until| self.now < *until),
                "{node:?} sends to {:?} at {:?}, bound until {valid:?}",
                outer.destination,
                self.now
            );
        }
        packet.wrap(outer);
        self.depth = self.depth.max(packet.wraps.len());
    }

    /// Onward from a node that lets a packet pass.
    fn onward(&mut self, node: Address, packet: Packet) {
        let is_mobile = mobile_of(node).is_some();
        let owner = prefix_of(packet.destination);
        if packet.destination == node && !is_mobile {
            return self.deliver(&packet);
        }
        if is_mobile {
            let own = mobile_of(packet.destination).map(|(mobile, _)| mobile);
            if own == mobile_of(node).map(|(mobile, _)| mobile) {
                return self.deliver(&packet);
            }
            // Out by the access router of its source, if it can be heard there.
            let Some((mobile, Some(router))) = mobile_of(packet.source) else { return };
            if self.is_up(mobile, router) {
                self.transit(access_router(router), packet);
            }
        } else if packet.destination == Address::ALL_NODES {
            let router = (0..9).find(|number| access_router(*number) == node);
            for (mobile, _) in self.links.clone().iter().filter(|(_, at)| Some(*at) == router) {
                self.transit(home(*mobile), packet.clone());
            }
        } else if owner != node {
            self.transit(owner, packet);
        } else {
            self.over_the_air(node, packet);
        }
    }

    fn over_the_air(&mut self, node: Address, packet: Packet) {
        let Some((mobile, Some(router))) = mobile_of(packet.destination) else { return };
        if let Some(held) = self.held.get_mut(&(node, home(mobile))) {
            held.push(packet);
        } else if access_router(router) == node && self.is_up(mobile, router) {
            self.transit(home(mobile), packet);
        }
    }

    fn deliver(&mut self, packet: &Packet) {
        assert!(packet.wraps.is_empty(), "delivered {packet:?}");
        if let Body::Data(number) = packet.body {
            self.delivered.push((number, self.now));
        }
    }

    fn transit(&mut self, node: Address, mut packet: Packet) {
        if let Body::Message(message) = packet.body
            && self.is_lost(&packet, message.name())
        {
            return;
        }
        packet.hops += 1;
        let more = Duration::from_secs_f64(self.jitter.as_secs_f64() * self.chance.next_f64());
        self.count += 1;
        self.transits.insert((self.now + self.delay + more, self.count), Transit { node, packet });
    }

    /// Lost at random, or as listed on its first way.
    fn is_lost(&mut self, packet: &Packet, name: &'static str) -> bool {
        let place = self.sent.entry(name).or_default();
        *place += usize::from(packet.hops == 0);
        let is_listed = packet.hops == 0 && self.losses.contains(&(name, *place));
        is_listed || (self.loss > 0.0 && self.chance.next_f64() < self.loss)
    }
}
