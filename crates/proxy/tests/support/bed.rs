//! A gateway ahead of a thin pipe, in virtual time: packets that are not read wait in it.

use std::collections::BTreeMap;

use base::{Duration, Time};
use etherparse::PacketBuilder;
use proxy::{ClassStats, Config, Gateway, ProfileStats};

use super::{HOST, HOST6};

/// Bytes a second of the pipe.
pub const RATE: u64 = 48_000;

/// The side of the gateway on which the thin pipe is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Thin {
    /// A radio, to mobiles.
    Down,
    /// A modem, to hosts.
    Up,
}

/// A gateway ahead of a pipe that serves one packet after the other; the far end answers echo
/// requests.
pub struct Bed {
    pub gateway: Gateway,
    pub now: Time,
    thin: Thin,
    /// Time that the pipe takes for a packet without length.
    one_way: Duration,
    /// Packets on their way to the gateway.
    coming: BTreeMap<(Time, u64), Vec<u8>>,
    count: u64,
    /// Time at which the pipe is free.
    pub free: Time,
    /// Packets that reached the far end of the pipe, each with its time.
    pub arrived: Vec<(Time, Vec<u8>)>,
    /// Packets that left on the other side.
    pub back: Vec<Vec<u8>>,
    /// Echo requests.
    pub asked: u32,
    /// True if they are answered.
    pub answers: bool,
}

impl Bed {
    pub fn new(config: &Config, thin: Thin, one_way: Duration) -> Self {
        Self {
            gateway: Gateway::new(config, [1_500, 1_500], 1),
            now: Time::ZERO,
            thin,
            one_way,
            coming: BTreeMap::new(),
            count: 0,
            free: Time::ZERO,
            arrived: Vec::new(),
            back: Vec::new(),
            asked: 0,
            answers: true,
        }
    }

    pub fn send_at(&mut self, at: Time, packet: Vec<u8>) {
        self.count += 1;
        self.coming.insert((at, self.count), packet);
    }

    /// Takes what leaves the gateway.
    pub fn settle(&mut self) {
        let mut packet = Vec::new();
        while self.gateway.poll_packet(self.now, &mut packet) {
            let headers = wire::headers(&packet).expect("an IP packet");
            let is_up = [HOST, HOST6].contains(&headers.addresses.destination());
            if is_up != (self.thin == Thin::Up) {
                self.back.push(packet.clone());
                continue;
            }
            let serving = Duration::from_nanos(packet.len() as u64 * 1_000_000_000 / RATE);
            self.free = self.free.max(self.now) + serving;
            let at = self.free + self.one_way;
            if [1, 58].contains(&headers.protocol) && packet.len() <= 60 {
                self.asked += 1;
                if self.answers {
                    self.send_at(at + self.one_way, answer(&packet));
                }
            } else {
                self.arrived.push((at, packet.clone()));
            }
        }
    }

    pub fn run_until(&mut self, end: Time) {
        loop {
            let packet = self.coming.keys().next().map(|key| key.0);
            let next = Time::earlier(packet, self.gateway.poll_timeout());
            let Some(next) = next.filter(|next| *next <= end) else { break };
            self.now = next.max(self.now);
            while let Some(entry) = self.coming.first_entry().filter(|it| it.key().0 <= self.now) {
                let packet = entry.remove();
                self.gateway.handle_packet(self.now, &packet);
                self.settle();
            }
            self.gateway.handle_timeout(self.now);
            self.settle();
        }
        self.now = end;
    }

    /// Statistics of the one profile.
    pub fn profile(&self) -> ProfileStats {
        let [profile] = &self.gateway.snapshot(self.now).profiles[..] else {
            panic!("one profile")
        };
        profile.clone()
    }

    /// Packets of all classes together: received, sent, dropped, waiting.
    pub fn counts(&self) -> [u64; 4] {
        let sum = |count: fn(&ClassStats) -> u64| self.profile().others.iter().map(count).sum();
        [
            sum(|it| it.received.packets),
            sum(|it| it.sent.packets),
            sum(|it| it.late + it.crowded),
            sum(|it| it.waiting.packets),
        ]
    }

    /// Packets that a reason counts.
    pub fn tally(&self, reason: &str) -> u64 {
        let snapshot = self.gateway.snapshot(self.now);
        let all = snapshot.bypassed.iter().chain(&snapshot.dropped).chain(&snapshot.icmp);
        all.filter(|it| it.reason == reason).map(|it| it.packets).sum()
    }
}

/// Answer to an echo request.
fn answer(request: &[u8]) -> Vec<u8> {
    let ip = if request[0] >> 4 == 4 { 20 } else { 40 };
    let word = |at: usize| u16::from_be_bytes([request[ip + at], request[ip + at + 1]]);
    let mut reply = Vec::new();
    let data = &request[ip + 8..];
    match wire::headers(request).expect("an IP packet").addresses {
        wire::Addresses::V4 { source, destination } => {
            PacketBuilder::ipv4(destination.octets(), source.octets(), 64)
                .icmpv4_echo_reply(word(4), word(6))
                .write(&mut reply, data)
        }
        wire::Addresses::V6 { source, destination } => {
            PacketBuilder::ipv6(destination.octets(), source.octets(), 64)
                .icmpv6_echo_reply(word(4), word(6))
                .write(&mut reply, data)
        }
    }
    .expect("to memory");
    reply
}
