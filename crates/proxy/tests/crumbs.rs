//! A host that sends byte by byte.

use base::{Flags, Time};
use middlebox::Scheme;
use proxy::Config;
use proxy::Gateway;

use crate::support::{config, from_host, from_mobile, profiled};

/// Without anything acknowledged, few of them go on to the mobile one by one: a box takes note of
/// each packet under way.
#[test]
fn few_single_bytes_are_under_way() {
    let check = |config: &Config, what: &str| {
        let mut gateway = Gateway::new(config, [1500, 1500], 1);
        let mut sent = Vec::new();
        let mut pass = |packet: &[u8]| {
            gateway.handle_packet(Time::ZERO, packet);
            let mut packet = Vec::new();
            while gateway.poll_packet(Time::ZERO, &mut packet) {
                while gateway.poll_exposure().is_some() {}
                let segment = wire::parse(&packet).expect("a segment");
                sent.push((segment.header.source_port == 80, segment.payload.len()));
            }
        };
        pass(&from_mobile(Flags::SYN, 100, 0, b""));
        pass(&from_host(Flags::SYN | Flags::ACK, 500, 101, b""));
        pass(&from_mobile(Flags::ACK, 101, 501, b""));
        for number in 0..1_000 {
            pass(&from_host(Flags::ACK, 501 + number, 101, b"x"));
        }
        let singles = sent.iter().filter(|&&(down, length)| down && length == 1).count();
        assert!((1..=64).contains(&singles), "{what}: {singles}");
    };
    let mut uncoalesced = profiled("atcp", "rate = '10 Mbit/s'\nround_trip = '600 ms'");
    let Scheme::Atcp { keys } = &mut uncoalesced.profile[0].middlebox else { unreachable!() };
    keys.atcp.coalescing = false;
    check(&uncoalesced, "atcp");
    check(&config("split"), "split");
}
