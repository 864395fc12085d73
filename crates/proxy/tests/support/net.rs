//! Hosts and mobiles, what lies between them and the gateway, and all that passed.

use observe::Context;
use std::collections::BTreeMap;
use std::net::IpAddr;

use base::{Duration, Stream, Time};
use bytes::Bytes;
use proxy::{Config, Gateway};
use tcp::State;

use super::packets::hops_less;
use super::{Peer, PeerId};

/// Which way a packet crosses the gateway's border.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Way {
    In,
    Out,
}

/// A packet crossed the border.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crossing {
    pub at: Time,
    pub way: Way,
    pub packet: Vec<u8>,
}

/// One router and a gateway in it. Everything the gateway sends is held against the laws.
#[derive(Debug)]
pub struct Net {
    pub now: Time,
    pub gateway: Gateway,
    pub mtu: [u16; 2],
    /// One way, on the wire and over the radio.
    pub delay: [Duration; 2],
    /// Losses in a thousand, on the wire and over the radio.
    pub losses: [u32; 2],
    pub peers: Vec<Peer>,
    pub log: Vec<Crossing>,
    /// What came out for nobody.
    pub strays: Vec<Vec<u8>>,
    /// Exposures by their places.
    pub journal: BTreeMap<u32, middlebox::Exposure>,
    flying: BTreeMap<(Time, u64), (Way, Vec<u8>)>,
    packets: u64,
    chance: Stream,
}

impl Net {
    pub fn new(config: &Config, mtu: [u16; 2]) -> Self {
        Self {
            now: Time::ZERO,
            gateway: Gateway::new(config, mtu, 1),
            mtu,
            delay: [Duration::from_millis(20), Duration::from_millis(300)],
            losses: [0; 2],
            peers: Vec::new(),
            log: Vec::new(),
            strays: Vec::new(),
            journal: BTreeMap::new(),
            flying: BTreeMap::new(),
            packets: 0,
            chance: Stream::named(1, "losses"),
        }
    }

    /// Opens a connection: the client, the server.
    pub fn open(
        &mut self,
        configs: [&tcp::Config; 2],
        client: (IpAddr, u16),
        server: (IpAddr, u16),
    ) -> [PeerId; 2] {
        let first = self.peers.len();
        self.peers.extend(Peer::pair(configs, client, server, first as u32));
        self.settle();
        [PeerId(first), PeerId(first + 1)]
    }

    pub fn peer(&self, id: PeerId) -> &Peer {
        &self.peers[id.0]
    }

    pub fn state(&self, id: PeerId) -> State {
        self.peer(id).endpoint.state()
    }

    /// Has `id` write bytes that only it writes.
    pub fn write(&mut self, id: PeerId, bytes: usize) {
        self.peers[id.0].endpoint.write(Bytes::from(pattern(id, bytes)));
        self.settle();
    }

    pub fn close(&mut self, id: PeerId) {
        self.peers[id.0].closes = true;
        self.settle();
    }

    pub fn abort(&mut self, id: PeerId) {
        let now = self.now;
        self.peers[id.0].endpoint.abort(&mut Context { now, observe: &mut () });
        self.settle();
    }

    /// Whether `id` has read what `from` wrote, `bytes` of it and nothing else.
    #[track_caller]
    pub fn assert_read(&self, id: PeerId, from: PeerId, bytes: usize) {
        let read = &self.peer(id).read;
        assert_eq!(read.len(), bytes, "{id:?} of {from:?}");
        assert!(*read == pattern(from, bytes), "{id:?} of {from:?}: other bytes");
    }

    /// A packet that nobody's endpoint made comes to the gateway now.
    pub fn inject(&mut self, packet: &[u8]) {
        self.reach_gateway(packet.to_vec());
        self.settle();
    }

    pub fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
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

    /// Packets that crossed the border that way to or from `host`.
    pub fn crossed(&self, way: Way, host: IpAddr) -> impl Iterator<Item = &Crossing> {
        self.log.iter().filter(move |crossing| {
            let [source, destination] = ends(&crossing.packet);
            crossing.way == way && host == if way == Way::In { source } else { destination }
        })
    }

    /// Lets the gateway and the peers do what they can now.
    pub fn settle(&mut self) {
        let now = self.now;
        for index in 0..self.peers.len() {
            for packet in self.peers[index].act(now) {
                let leg = leg(self.peers[index].local.0);
                // The kernel takes a hop before the gateway sees it.
                self.carry(leg, Way::In, hops_less(packet, 1));
            }
        }
        let mut packet = Vec::new();
        loop {
            let is_any = self.gateway.poll_packet(now, &mut packet);
            while let Some((place, exposure)) = self.gateway.poll_exposure() {
                assert!(place < self.gateway.journal_places());
                match exposure {
                    Some(exposure) => self.journal.insert(place, exposure),
                    None => self.journal.remove(&place),
                };
            }
            if !is_any {
                break;
            }
            self.check(&packet);
            self.log.push(Crossing { at: now, way: Way::Out, packet: packet.clone() });
            let [_, destination] = ends(&packet);
            // And another one behind it.
            self.carry(leg(destination), Way::Out, hops_less(packet.clone(), 1));
        }
    }

    /// A packet that is not one that came is whole, right and not too large.
    #[track_caller]
    fn check(&self, packet: &[u8]) {
        let came =
            |crossing: &Crossing| crossing.way == Way::In && is_same(&crossing.packet, packet);
        let recent = self.log.iter().rev().take(4_000);
        if recent.into_iter().any(came) {
            return;
        }
        let segment = wire::parse(packet).expect("what the gateway makes can be read");
        let [_, destination] = ends(packet);
        let mtu = usize::from(self.mtu[leg(destination)]);
        assert!(packet.len() <= mtu, "{} bytes of {mtu}: {segment:?}", packet.len());
    }

    fn next_event(&self) -> Option<Time> {
        let timers = self.peers.iter().filter_map(|peer| peer.endpoint.poll_timeout());
        let packets = self.flying.keys().next().map(|&(time, _)| time);
        timers.chain(packets).chain(self.gateway.poll_timeout()).min()
    }

    fn step(&mut self, next: Time) {
        let now = next.max(self.now);
        self.now = now;
        while let Some(entry) = self.flying.first_entry().filter(|entry| entry.key().0 <= now) {
            let (way, packet) = entry.remove();
            match way {
                Way::In => self.reach_gateway(packet),
                Way::Out => self.reach_peer(packet),
            }
        }
        if self.gateway.poll_timeout().is_some_and(|deadline| deadline <= now) {
            self.gateway.handle_timeout(now);
        }
        for peer in &mut self.peers {
            if peer.endpoint.poll_timeout().is_some_and(|deadline| deadline <= now) {
                peer.endpoint.handle_timeout(&mut Context { now, observe: &mut () });
            }
        }
        self.settle();
    }

    fn carry(&mut self, leg: usize, way: Way, packet: Vec<u8>) {
        if self.losses[leg] > 0 && self.chance.below(1_000) < self.losses[leg] {
            return;
        }
        self.packets += 1;
        self.flying.insert((self.now + self.delay[leg], self.packets), (way, packet));
    }

    fn reach_gateway(&mut self, packet: Vec<u8>) {
        self.gateway.handle_packet(self.now, &packet);
        self.log.push(Crossing { at: self.now, way: Way::In, packet });
    }

    fn reach_peer(&mut self, packet: Vec<u8>) {
        match self.peers.iter_mut().rev().find(|peer| peer.is_for(&packet)) {
            Some(peer) => peer.handle_packet(self.now, &packet),
            None => self.strays.push(packet),
        }
    }
}

/// The same but for the hop limit.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let plain = |packet: &[u8]| {
        let mut packet = packet.to_vec();
        wire::set_hop_limit(&mut packet, 1);
        packet
    };
    plain(one) == plain(other)
}

/// Source and destination of an IP packet.
fn ends(packet: &[u8]) -> [IpAddr; 2] {
    let v4 = |at: usize| {
        let bytes: [u8; 4] = packet[at..at + 4].try_into().expect("four");
        IpAddr::from(bytes)
    };
    let v6 = |at: usize| {
        let bytes: [u8; 16] = packet[at..at + 16].try_into().expect("sixteen");
        IpAddr::from(bytes)
    };
    if packet[0] >> 4 == 4 { [v4(12), v4(16)] } else { [v6(8), v6(24)] }
}

/// 0 is wired, 1 is radio.
fn leg(address: IpAddr) -> usize {
    let mobiles = ["10.45.0.0/16", "2001:db8:45::/48"].map(str::parse::<ipnet::IpNet>);
    usize::from(mobiles.into_iter().any(|prefix| prefix.expect("a prefix").contains(&address)))
}

fn pattern(of: PeerId, bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at.wrapping_mul(31) >> 3 ^ at ^ of.0.wrapping_mul(97)) as u8).collect()
}
