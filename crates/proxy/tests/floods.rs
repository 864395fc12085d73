//! Bare SYNs, however many and from whomever, keep no connection from the proxy.

use std::net::{IpAddr, Ipv4Addr};

use base::{Duration, Flags, Time};
use proptest::prelude::*;
use proxy::Gateway;

use crate::support::{HOST, MOBILE, config, configured, drain, header, segment};

const MTU: [u16; 2] = [1500, 1500];
const SYN_ACK: Flags = Flags::from_bits(0x12);

/// `limits.opening`, and the room for those whom fixed hosts call if mobiles take their half.
const OPENING: usize = 4_096;
const OPENING_FROM_HOSTS: usize = OPENING / 2;

/// Half of `limits.opening_per_mobile`, as many as `limits.opening_per_host`.
const SHARE: usize = 32;

/// Who sends bare SYNs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sender {
    /// One fixed host.
    One,
    /// Another address each time.
    Spoofed,
    /// A mobile, or many.
    Mobiles(u32),
}

/// Whom they call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    /// Addresses of the prefix that nobody has.
    Unused,
    /// The very mobile that others talk to.
    Used,
    /// Now this, now that.
    Both,
}

#[derive(Clone, Copy, Debug)]
struct Flood {
    sender: Sender,
    target: Target,
    /// SYNs so far.
    sent: u32,
    /// From one to the next.
    gap: Duration,
}

struct Run {
    gateway: Gateway,
    now: Time,
    flood: Flood,
}

impl Run {
    fn show(&mut self, ends: [IpAddr; 2], ports: [u16; 2], flags: Flags, [seq, ack]: [u32; 2]) {
        let packet = segment(ends, &header(ports, flags, seq, ack), b"");
        self.gateway.handle_packet(self.now, &packet);
        assert_eq!(drain(&mut self.gateway, self.now).len(), 1, "each packet goes on");
    }

    /// So many more bare SYNs.
    fn attack(&mut self, count: usize) {
        for _ in 0..count {
            let Flood { sender, target, sent: number, gap } = self.flood;
            let unused = Ipv4Addr::from_bits(0x0A2D_1000 + number % 50_000).into();
            let callee = match target {
                Target::Unused => unused,
                Target::Used => MOBILE,
                Target::Both => [MOBILE, unused][number as usize % 2],
            };
            let ends = match sender {
                Sender::One => [[203, 0, 113, 9].into(), callee],
                Sender::Spoofed => [Ipv4Addr::from_bits(0xCB00_0000 + number).into(), callee],
                Sender::Mobiles(many) => {
                    [Ipv4Addr::from_bits(0x0A2D_F000 + number % many).into(), HOST]
                }
            };
            self.flood.sent += 1;
            self.show(ends, [1_024 + (number % 60_000) as u16, 443], Flags::SYN, [number, 0]);
            self.now += gap;
            if self.gateway.poll_timeout().is_some_and(|due| due <= self.now) {
                self.gateway.handle_timeout(self.now);
            }
            let flows = self.gateway.flows();
            assert!(flows <= OPENING as u64 + 8, "{flows} are kept");
        }
    }

    /// A handshake with as many SYNs between its segments: whether the connection is proxied.
    fn opens(&mut self, [one, other]: [IpAddr; 2], port: u16, between: usize) -> bool {
        let before = self.gateway.snapshot(self.now).profiles[0].flows.open;
        self.show([one, other], [port, 80], Flags::SYN, [100, 0]);
        self.attack(between);
        self.show([other, one], [80, port], SYN_ACK, [500, 101]);
        self.attack(between);
        self.show([one, other], [port, 80], Flags::ACK, [101, 501]);
        self.gateway.snapshot(self.now).profiles[0].flows.open == before + 1
    }
}

/// How many SYNs there may be within a round trip, if the connection is one of a fixed host: what
/// cannot be told from it has as much room as it has.
fn most_between(flood: Flood) -> usize {
    match (flood.sender, flood.target) {
        (Sender::Spoofed, Target::Unused) => OPENING_FROM_HOSTS / 2 - 1,
        (Sender::Spoofed, Target::Used | Target::Both) => SHARE / 2 - 1,
        (Sender::One | Sender::Mobiles(_), _) => usize::MAX,
    }
}

fn any_flood() -> impl Strategy<Value = Flood> {
    let sender = prop_oneof![
        Just(Sender::One),
        Just(Sender::Spoofed),
        prop_oneof![Just(1_u32), 2..20_u32].prop_map(Sender::Mobiles),
    ];
    let target = prop_oneof![Just(Target::Unused), Just(Target::Used), Just(Target::Both)];
    // 5,000 of them are over before `limits.transitory` ends a handshake.
    (sender, target, 0..10_000_u64).prop_map(|(sender, target, micros)| {
        let gap = Duration::from_nanos(micros * 1_000);
        Flood { sender, target, sent: 0, gap }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever bare SYNs came before and come meanwhile, a connection that a mobile opens is
    /// proxied, and so is one that a fixed host opens; what is kept of half-open ones is bounded.
    #[test]
    fn a_flood_keeps_nobody_from_the_proxy(
        scheme in prop_oneof![Just("atcp"), Just("split"), Just("snoop")],
        flood in any_flood(),
        before in prop_oneof![0..200_usize, 4_090..5_000_usize],
        between in prop_oneof![0..100_usize, 4_000..5_000_usize],
    ) {
        let gateway = Gateway::new(&config(scheme), MTU, 1);
        let mut run = Run { gateway, now: Time::ZERO, flood };
        run.attack(before);
        prop_assert!(run.opens([MOBILE, HOST], 4_000, between), "of a mobile");
        let between = between.min(most_between(flood));
        prop_assert!(run.opens([HOST, MOBILE], 4_001, between), "of a host");
        prop_assert!(run.opens([HOST, [10, 45, 0, 3].into()], 4_002, between), "of a host");
        let stats = &run.gateway.snapshot(run.now).profiles[0];
        let kept = u64::from(run.flood.sent) - stats.flows.opening;
        prop_assert!(stats.syns.displaced <= kept);
        prop_assert_eq!(stats.connections.bypassed, stats.syns.displaced);
    }
}

/// 17 SYN/s from one host to unused addresses for five minutes: no more of them are kept than are
/// its share, and all the others are told of.
#[test]
fn a_slow_scan_holds_its_share() {
    let flood = Flood {
        sender: Sender::One,
        target: Target::Unused,
        sent: 0,
        gap: Duration::from_secs(1) / 17,
    };
    let mut run = Run { gateway: Gateway::new(&config("atcp"), MTU, 1), now: Time::ZERO, flood };
    run.attack(5 * 60 * 17);
    let stats = &run.gateway.snapshot(run.now).profiles[0];
    assert_eq!((stats.flows.opening, stats.syns.displaced), (32, 5 * 60 * 17 - 32));
    assert_eq!(run.gateway.displaced(), stats.syns.displaced);
}

/// The oldest makes room, and a connection that made room goes on as without the proxy.
#[test]
fn who_makes_room_goes_on() {
    for scheme in ["atcp", "split", "snoop"] {
        let flood =
            Flood { sender: Sender::One, target: Target::Unused, sent: 0, gap: Duration::ZERO };
        let config = configured(scheme, "[limits]\nopening_per_mobile = 2\n");
        let mut run = Run { gateway: Gateway::new(&config, MTU, 1), now: Time::ZERO, flood };
        for port in [4_000, 4_001, 4_002] {
            run.show([MOBILE, HOST], [port, 80], Flags::SYN, [100, 0]);
        }
        // Not by its repetition.
        run.show([MOBILE, HOST], [4_001, 80], Flags::SYN, [100, 0]);
        for port in [4_000, 4_001, 4_002] {
            run.show([HOST, MOBILE], [80, port], SYN_ACK, [500, 101]);
            run.show([MOBILE, HOST], [port, 80], Flags::ACK, [101, 501]);
        }
        let stats = &run.gateway.snapshot(run.now).profiles[0];
        assert_eq!((stats.flows.open, stats.syns.displaced), (2, 1), "{scheme}");
    }
}
