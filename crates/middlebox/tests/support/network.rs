//! Hosts, paths and the box between them.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Duration, Flags, Seq, Time};
use middlebox::{Address, Connection, IpFields, Leg, Managed, Packet, PmtuHandler, RadioReport};
use observe::{BoxContext, Context, MiddleboxFact};
use tcp::{Config, Endpoint, RttSampling, Segment, State, Variant};

use super::{Path, Pattern};

/// A mobile.
pub const fn mobile(number: u32) -> Address {
    Address { leg: Leg::Radio, host: 1_000 + number as u128 }
}

/// The mobile that most tests mean.
pub const FIRST_MOBILE: Address = mobile(0);

/// A host on the wire.
pub const fn fixed(number: u32) -> Address {
    Address { leg: Leg::Wired, host: number as u128 }
}

/// An endpoint as one finds it today: CUBIC, SACK, timestamps, 64 segments of 1000 bytes.
pub fn modern() -> Config {
    Config {
        variant: Variant::Cubic,
        mss: 1_000,
        window: 64,
        initial_window: 4,
        receive_buffer: Some(60_000),
        rtt_sampling: RttSampling::EverySegment,
        sack: None,
        timestamps: true,
        delayed_ack: Some(Duration::from_millis(100)),
        limited_transmit: true,
        ..Config::plain()
    }
}

/// One end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PeerId(pub usize);

/// Which way a packet crosses the box's border.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    /// From a host into the box.
    In,
    /// From the box to a host.
    Out,
}

/// A packet crossed the box's border.
#[derive(Clone, Debug)]
pub struct Passage<P> {
    /// When.
    pub at: Time,
    /// Which way.
    pub way: Way,
    /// The packet.
    pub packet: Packet<P>,
}

/// How a connection is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Who opens.
    pub client: Address,
    /// Whom it calls.
    pub server: Address,
    /// The client's port.
    pub client_port: u16,
    /// The server's port.
    pub server_port: u16,
    /// The client's initial sequence number.
    pub client_isn: Seq,
    /// The server's.
    pub server_isn: Seq,
    /// The client's endpoint.
    pub client_config: Config,
    /// The server's.
    pub server_config: Config,
}

impl Opening {
    /// A mobile calls a fixed host's web server from `client_port`.
    pub fn of(client_port: u16) -> Self {
        Self {
            client: FIRST_MOBILE,
            server: fixed(0),
            client_port,
            server_port: 80,
            client_isn: Seq::new(1_000_000 + u32::from(client_port)),
            server_isn: Seq::new(2_000_000 + u32::from(client_port)),
            client_config: modern(),
            server_config: modern(),
        }
    }
}

/// Hosts, their paths, and the box.
#[derive(Debug)]
pub struct Network<P> {
    /// The present.
    pub now: Time,
    /// The box.
    pub middlebox: Box<dyn Managed<P>>,
    /// What the box told.
    pub facts: Vec<(Time, MiddleboxFact)>,
    /// All that crossed its border.
    pub log: Vec<Passage<P>>,
    seed: u64,
    peers: Vec<Peer<P>>,
    paths: BTreeMap<(u8, u128, Way), Path>,
    flying: BTreeMap<(Time, u64), (Way, Packet<P>)>,
    /// ICMP messages on their way: of which connection, and how large its packets may be.
    complaints: BTreeMap<(Time, u64), (Connection, u16)>,
    packets: u64,
}

#[derive(Debug)]
struct Peer<P> {
    /// As its packets name it.
    connection: Connection,
    dscp: u8,
    endpoint: Endpoint<P>,
    opposite: PeerId,
    written: u64,
    read: u64,
    read_at: Option<Time>,
    pauses: bool,
    /// It is to close as soon as it can.
    closes: bool,
    /// It has been told to close or to reset.
    closed: bool,
}

impl<P: Pattern> Network<P> {
    /// A network around `middlebox`. Paths on the wire take 20 ms, those on the radio 300 ms.
    pub fn new(seed: u64, middlebox: Box<dyn Managed<P>>) -> Self {
        Self {
            now: Time::ZERO,
            middlebox,
            facts: Vec::new(),
            log: Vec::new(),
            seed,
            peers: Vec::new(),
            paths: BTreeMap::new(),
            flying: BTreeMap::new(),
            complaints: BTreeMap::new(),
            packets: 0,
        }
    }

    /// The path between `host` and the box.
    pub fn path(&mut self, host: Address, way: Way) -> &mut Path {
        let (leg, millis) = match host.leg {
            Leg::Wired => (0, 20),
            Leg::Radio => (1, 300),
        };
        let seed = self.seed;
        self.paths.entry((leg, host.host, way)).or_insert_with(|| {
            let name = format!("path {leg} {} {way:?}", host.host);
            Path::new(seed, &name, Duration::from_millis(millis))
        })
    }

    /// Opens a connection now: the client, the server.
    pub fn open(&mut self, opening: &Opening) -> (PeerId, PeerId) {
        let Opening { client, server, client_port, server_port, .. } = *opening;
        let ids = (PeerId(self.peers.len()), PeerId(self.peers.len() + 1));
        let connection = Connection {
            source: client,
            destination: server,
            source_port: client_port,
            destination_port: server_port,
        };
        let (number, config) = (ids.0.0 as u32, Arc::new(opening.client_config.clone()));
        let caller =
            Endpoint::connect(number, &config, client_port, server_port, opening.client_isn);
        let config = Arc::new(opening.server_config.clone());
        let listener =
            Endpoint::listen(number + 1, &config, server_port, client_port, opening.server_isn);
        self.peers.push(Peer::new(connection, caller, ids.1));
        self.peers.push(Peer::new(connection.reversed(), listener, ids.0));
        self.settle();
        ids
    }

    /// `peer` writes the next `bytes` of its stream; nothing once it has closed.
    pub fn write(&mut self, peer: PeerId, bytes: u64) {
        let Peer { endpoint, written, closed, .. } = &mut self.peers[peer.0];
        if *closed {
            return;
        }
        endpoint.write(P::pattern(peer.0 as u64, *written, *written + bytes));
        *written += bytes;
        self.settle();
    }

    /// `peer` closes its side, if need be once it has been called.
    pub fn close(&mut self, peer: PeerId) {
        let Peer { closes, closed, .. } = &mut self.peers[peer.0];
        *closes |= !std::mem::replace(closed, true);
        self.settle();
    }

    /// `peer` resets the connection.
    pub fn abort(&mut self, peer: PeerId) {
        let Peer { endpoint, closed, .. } = &mut self.peers[peer.0];
        *closed = true;
        endpoint.abort(&mut Context { now: self.now, observe: &mut () });
        self.settle();
    }

    /// `peer` reads no more for now.
    pub fn pause(&mut self, peer: PeerId) {
        self.peers[peer.0].pauses = true;
    }

    /// `peer` reads on.
    pub fn resume(&mut self, peer: PeerId) {
        self.peers[peer.0].pauses = false;
        self.settle();
    }

    /// What `peer` sends bears this code point.
    pub fn set_dscp(&mut self, peer: PeerId, dscp: u8) {
        self.peers[peer.0].dscp = dscp;
    }

    /// Bytes that `peer` has read: whole, in order and unharmed, or the test has failed.
    pub fn read(&self, peer: PeerId) -> u64 {
        self.peers[peer.0].read
    }

    /// When `peer` last read something.
    pub fn read_at(&self, peer: PeerId) -> Option<Time> {
        self.peers[peer.0].read_at
    }

    /// The state of `peer`.
    pub fn state(&self, peer: PeerId) -> State {
        self.peers[peer.0].endpoint.state()
    }

    /// The endpoint of `peer`.
    pub fn endpoint(&self, peer: PeerId) -> &Endpoint<P> {
        &self.peers[peer.0].endpoint
    }

    /// True if `peer` has read all that the other wrote, and knows that it was all.
    pub fn is_at_end(&self, peer: PeerId) -> bool {
        let Peer { endpoint, opposite, read, .. } = &self.peers[peer.0];
        endpoint.is_at_end() && *read == self.peers[opposite.0].written
    }

    /// Whether `peer` has read all that the other wrote so far.
    pub fn has_all(&self, peer: PeerId) -> bool {
        let Peer { opposite, read, .. } = self.peers[peer.0];
        read == self.peers[opposite.0].written
    }

    /// A packet comes to the box now, from wherever.
    pub fn inject(&mut self, packet: Packet<P>) {
        self.reach_box(packet);
        self.settle();
    }

    /// A packet leaves from where the box is.
    pub fn emit(&mut self, packet: Packet<P>) {
        self.send(Way::Out, packet.destination, packet);
    }

    /// The radio says how `mobile` fares.
    pub fn report(&mut self, mobile: Address, report: RadioReport) {
        self.call(|middlebox, cx| middlebox.handle_report(cx, mobile, report));
        self.settle();
    }

    /// Goes on for `span`.
    pub fn run_for(&mut self, span: Duration) {
        self.run_until(self.now + span);
    }

    /// Goes on until `end`.
    pub fn run_until(&mut self, end: Time) {
        while let Some(next) = self.next_event().filter(|&next| next <= end) {
            self.step(next);
        }
        self.now = end;
    }

    /// Goes on until `done`, `limit` at most; says whether it came to that.
    pub fn run_while(&mut self, limit: Duration, mut done: impl FnMut(&Self) -> bool) -> bool {
        let end = self.now + limit;
        while !done(self) {
            match self.next_event().filter(|&next| next <= end) {
                Some(next) => self.step(next),
                None => return false,
            }
        }
        true
    }

    /// Packets that crossed the border that way, to or from `host`.
    pub fn passed(&self, host: Address, way: Way) -> impl Iterator<Item = &Passage<P>> {
        self.log.iter().filter(move |passage| passage.way == way && passage.host() == host)
    }

    fn next_event(&self) -> Option<Time> {
        let timers = self.peers.iter().filter_map(|peer| peer.endpoint.poll_timeout());
        let packets = self.flying.keys().next().map(|&(time, _)| time);
        let complaints = self.complaints.keys().next().map(|&(time, _)| time);
        timers.chain(packets).chain(complaints).chain(self.middlebox.poll_timeout()).min()
    }

    fn step(&mut self, next: Time) {
        let now = next.max(self.now);
        self.now = now;
        while let Some(entry) = self.flying.first_entry().filter(|entry| entry.key().0 <= now) {
            let (way, packet) = entry.remove();
            match way {
                Way::In => self.reach_box(packet),
                Way::Out => self.reach_host(&packet),
            }
        }
        while let Some(entry) = self.complaints.first_entry().filter(|entry| entry.key().0 <= now) {
            let (connection, mtu) = entry.remove();
            self.complain(connection, mtu);
        }
        if self.middlebox.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.call(|middlebox, cx| middlebox.handle_timeout(cx));
        }
        for peer in &mut self.peers {
            if peer.endpoint.poll_timeout().is_some_and(|deadline| deadline <= now) {
                peer.endpoint.handle_timeout(&mut Context { now, observe: &mut () });
            }
        }
        self.settle();
    }

    /// All that can be sent now is under way, and all that can be read is read.
    fn settle(&mut self) {
        let now = self.now;
        for index in 0..self.peers.len() {
            self.read_all(index);
            let Peer { endpoint, closes, .. } = &mut self.peers[index];
            if *closes && endpoint.state() != State::Listen {
                *closes = false;
                endpoint.close();
            }
            while let Some(segment) =
                self.peers[index].endpoint.poll_output(&mut Context { now, observe: &mut () })
            {
                let Peer { connection, dscp, .. } = self.peers[index];
                let (source, destination) = (connection.source, connection.destination);
                self.send(
                    Way::In,
                    source,
                    Packet {
                        source,
                        destination,
                        ip: IpFields { dscp, ..<_>::default() },
                        segment,
                    },
                );
            }
        }
        while let Some(packet) = self.call(|middlebox, cx| middlebox.poll_output(cx)) {
            self.log.push(Passage { at: now, way: Way::Out, packet: packet.clone() });
            self.send(Way::Out, packet.destination, packet);
        }
    }

    fn read_all(&mut self, index: usize) {
        let Peer { endpoint, opposite, read, read_at, pauses, .. } = &mut self.peers[index];
        while !*pauses && let Some(piece) = endpoint.read() {
            let from = *read;
            assert!(piece.is_pattern(opposite.0 as u64, from), "peer {index} at {from}: {piece:?}");
            *read += piece.length();
            *read_at = Some(self.now);
        }
        let (read, opposite) = (self.peers[index].read, self.peers[index].opposite);
        assert!(read <= self.peers[opposite.0].written, "peer {index} read {read}");
    }

    fn send(&mut self, way: Way, host: Address, packet: Packet<P>) {
        let now = self.now;
        let bytes = u64::from(20 + packet.segment.header.bytes()) + packet.segment.payload.length();
        self.packets += 1;
        let Path { mtu, vanish, delay, .. } = *self.path(host, way);
        if bytes > mtu && vanish {
            return;
        }
        if bytes > mtu {
            let complaint = (packet.connection(), mtu as u16);
            self.complaints.insert((now + delay * 2, self.packets), complaint);
            return;
        }
        let segment = &packet.segment;
        let path = self.path(host, way);
        let arrival = path.carry(now, bytes);
        let carries = segment.numbers() > 0 && !segment.has(Flags::SYN);
        let late = match &mut path.losses {
            Some(losses) if carries => losses.delay(segment.header.seq),
            Some(_) | None => Some(Duration::ZERO),
        };
        if let (Some(arrival), Some(late)) = (arrival, late) {
            self.flying.insert((arrival + late, self.packets), (way, packet));
        }
    }

    fn reach_box(&mut self, packet: Packet<P>) {
        self.log.push(Passage { at: self.now, way: Way::In, packet: packet.clone() });
        self.call(|middlebox, cx| middlebox.handle_packet(cx, packet));
    }

    /// Calls the box, and notes the facts that it reports.
    fn call<R>(&mut self, act: impl FnOnce(&mut dyn Managed<P>, &mut BoxContext<'_>) -> R) -> R {
        let Self { middlebox, now, facts, .. } = self;
        let now = *now;
        act(&mut **middlebox, &mut BoxContext { now, observe: &mut |fact| facts.push((now, fact)) })
    }

    /// An ICMP message says that packets of `connection` are too large: the box may be whom it is
    /// for.
    fn complain(&mut self, connection: Connection, mtu: u16) {
        let now = self.now;
        match self.call(|middlebox, cx| middlebox.handle_path_mtu(cx, connection, mtu)) {
            PmtuHandler::Box => {}
            PmtuHandler::Sender => {
                let peer = self.peers.iter_mut().rfind(|peer| peer.connection == connection);
                if let Some(Peer { endpoint, .. }) = peer {
                    // IPv4, and timestamps.
                    endpoint
                        .limit_segment(&mut Context { now, observe: &mut () }, u32::from(mtu) - 52);
                }
            }
        }
    }

    /// To the peer of that connection: the newest where ports are used again.
    fn reach_host(&mut self, packet: &Packet<P>) {
        let (now, connection) = (self.now, packet.connection().reversed());
        let found = self.peers.iter().rposition(|peer| peer.connection == connection);
        if let Some(index) = found {
            self.peers[index]
                .endpoint
                .handle_segment(&mut Context { now, observe: &mut () }, &packet.segment);
            self.read_all(index);
        }
    }
}

impl<P> Peer<P> {
    const fn new(connection: Connection, endpoint: Endpoint<P>, opposite: PeerId) -> Self {
        Self {
            connection,
            dscp: 0,
            endpoint,
            opposite,
            written: 0,
            read: 0,
            read_at: None,
            pauses: false,
            closes: false,
            closed: false,
        }
    }
}

impl<P> Passage<P> {
    /// The host beyond the border.
    pub const fn host(&self) -> Address {
        match self.way {
            Way::In => self.packet.source,
            Way::Out => self.packet.destination,
        }
    }

    /// The segment.
    pub const fn segment(&self) -> &Segment<P> {
        &self.packet.segment
    }

    /// True if every bit of `flags` is set.
    pub const fn has(&self, flags: Flags) -> bool {
        self.packet.segment.header.flags.contains(flags)
    }
}
