//! What is let pass, by each reason, and what comes back when connections end.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use base::{Flags, Time};
use proxy::Config;
use proxy::Gateway;

use crate::support::{
    HOST, HOST6, bypassed, config, configured, cut_up, header, one_more, pass, profiled, segment,
};

const MTU: [u16; 2] = [1500, 1500];
const SYN_ACK: Flags = Flags::from_bits(0x12);

fn mobile(number: u32) -> IpAddr {
    Ipv4Addr::from_bits(0x0A2D_0000 + number).into()
}

fn mobile6(prefix: u64, interface: u64) -> IpAddr {
    Ipv6Addr::from_bits(u128::from(0x2001_0DB8_0045_0000 + prefix) << 64 | u128::from(interface))
        .into()
}

fn host(mobile: IpAddr) -> IpAddr {
    if mobile.is_ipv4() { HOST } else { HOST6 }
}

/// A segment without data.
fn between(ends: [IpAddr; 2], ports: [u16; 2], flags: Flags, [seq, ack]: [u32; 2]) -> Vec<u8> {
    segment(ends, &header(ports, flags, seq, ack), b"")
}

fn call(gateway: &mut Gateway, ends: [IpAddr; 2], port: u16) {
    let [one, other] = ends;
    pass(gateway, &between(ends, [port, 80], Flags::SYN, [100, 0]));
    pass(gateway, &between([other, one], [80, port], SYN_ACK, [500, 101]));
    pass(gateway, &between(ends, [port, 80], Flags::ACK, [101, 501]));
}

fn open(gateway: &mut Gateway, mobile: IpAddr, port: u16) {
    call(gateway, [mobile, host(mobile)], port);
}

/// The callee resets a connection.
fn reset(gateway: &mut Gateway, [one, other]: [IpAddr; 2], port: u16) {
    pass(gateway, &between([other, one], [80, port], Flags::RST, [501, 0]));
}

/// As many mobiles are served as `bytes` has room for budgets of the new configuration.
#[track_caller]
fn serves_as_many_as_before(gateway: &mut Gateway, most: u32) {
    assert_eq!(gateway.flows(), 0);
    (0..most + 2).for_each(|number| open(gateway, mobile(1_000 + number), 4_000));
    assert_eq!(gateway.flows(), most.into());
}

fn budget(config: &Config, profile: usize) -> u64 {
    let keys = config.profile[profile].middlebox.keys();
    keys.and_then(middlebox::SchemeKeys::budget).expect("it has one").1
}

/// A mobile has connections in the boxes of two configurations, in either order of their ends and
/// of their budgets.
#[test]
fn a_reload_leaves_the_books_in_order() {
    let rates = ["rate = '2 Mbit/s'\nround_trip = '900 ms'", "rate = '40 kbit/s'\nbdp = '4 kB'"];
    let configs = |bytes: u64| {
        rates.map(|rate| {
            let mut config = profiled("atcp", rate);
            config.limits.bytes = bytes;
            config
        })
    };
    let budgets = configs(0).map(|config| budget(&config, 0));
    assert!(budgets[0] > 2 * budgets[1], "{budgets:?}");
    let bytes = 3 * budgets[0] + budgets[1];
    let [large, small] = configs(bytes);
    for [before, after] in [[&large, &small], [&small, &large]] {
        for order in [[4_000, 4_001], [4_001, 4_000]] {
            let mut gateway = Gateway::new(before, MTU, 1);
            open(&mut gateway, mobile(2), 4_000);
            gateway.reload(Time::ZERO, after);
            open(&mut gateway, mobile(2), 4_001);
            assert_eq!(gateway.flows(), 2);
            for port in order {
                reset(&mut gateway, [mobile(2), HOST], port);
            }
            serves_as_many_as_before(&mut gateway, (bytes / budget(after, 0)) as u32);
        }
    }
}

/// A connection between mobiles of two profiles is in one box, whatever else each of them has.
#[test]
fn mobiles_of_two_profiles_may_call_each_other() {
    let text = "[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n\
                [[profile]]\nname = 'slow'\nmobiles = ['10.45.0.0/16']\nrate = '40 kbit/s'\n\
                bdp = '4 kB'\n[[profile]]\nname = 'quick'\nmobiles = ['10.46.1.0/24']\n\
                rate = '2 Mbit/s'\nround_trip = '900 ms'\n";
    let mut config = Config::parse(text, "proxy.toml").expect("a configuration");
    let budgets = [0, 1].map(|number| budget(&config, number));
    config.limits.bytes = 2 * budgets[1] + budgets[0];
    let quick: IpAddr = [10, 46, 1, 9].into();
    for calls in [[mobile(2), quick], [quick, mobile(2)]] {
        for other in [mobile(2), quick] {
            let mut gateway = Gateway::new(&config, MTU, 1);
            for _ in 0..20 {
                open(&mut gateway, other, 4_000);
                call(&mut gateway, calls, 5_000);
                assert_eq!(gateway.flows(), 2);
                reset(&mut gateway, [other, HOST], 4_000);
                reset(&mut gateway, calls, 5_000);
            }
            serves_as_many_as_before(&mut gateway, (config.limits.bytes / budgets[0]) as u32);
        }
    }
}

/// What a limit lets pass: its reason is told once for each connection, of which the packet that it
/// falls on goes out as it came and is in no leg's stats.
#[test]
fn each_reason_of_a_box_is_told() {
    #[track_caller]
    fn check(limit: fn(&mut Config), reason: &str, expected: u64, act: fn(&mut Gateway)) {
        for scheme in ["atcp", "split", "snoop"] {
            let mut config = config(scheme);
            limit(&mut config);
            let mut gateway = Gateway::new(&config, MTU, 1);
            act(&mut gateway);
            let stats = gateway.snapshot(Time::ZERO);
            assert_eq!(bypassed(&stats, reason), expected, "{scheme} {reason}");
            let profile = &stats.profiles[0];
            assert_eq!(profile.connections.bypassed, expected, "{scheme} {reason}");
            let untouched: u64 = stats.bypassed.iter().map(|each| each.packets).sum();
            let taken = profile.wired.received.packets + profile.radio.received.packets;
            assert_eq!(stats.received.packets, untouched + taken, "{scheme} {reason}");
        }
    }
    let many = |gateway: &mut Gateway| (0..5).for_each(|each| open(gateway, mobile(each), 4_000));
    let one = |gateway: &mut Gateway| (0..5).for_each(|port| open(gateway, mobile(2), port));
    check(|config| config.limits.flows = 3, "limit_flows", 2, many);
    check(|config| config.limits.flows_per_mobile = 3, "limit_flows_per_mobile", 2, one);
    // The only place is a mobile's own, which makes no room for others.
    check(
        |config| config.limits.opening = 1,
        "limit_opening",
        2,
        |gateway| {
            for ends in [[mobile(1), HOST], [HOST, mobile(2)], [HOST, mobile(3)]] {
                pass(gateway, &between(ends, [4_000, 80], Flags::SYN, [100, 0]));
            }
        },
    );
    check(
        |config| config.limits.opening_per_mobile = 1,
        "limit_opening_per_mobile",
        2,
        |gateway| {
            for ends in [[mobile(2), HOST], [HOST, mobile(2)], [HOST, mobile(2)]] {
                pass(gateway, &between(ends, [4_000, 80], Flags::SYN, [100, 0]));
            }
        },
    );
    check(|config| config.limits.bytes = 1_000, "limit_bytes", 5, many);
}

/// Whatever its reason, what a box hands back goes on in the pieces in which it came.
#[test]
fn pieces_of_what_a_box_hands_back_stay_pieces() {
    let mut config = config("atcp");
    config.limits.flows = 0;
    let mut gateway = Gateway::new(&config, MTU, 1);
    let syn = between([mobile(2), HOST], [4_000, 80], Flags::SYN, [100, 0]);
    let [first, second] = cut_up(&syn, 16);
    assert_eq!(pass(&mut gateway, &first), Vec::<Vec<u8>>::new());
    assert_eq!(pass(&mut gateway, &second), [one_more(&first), one_more(&second)]);
    let stats = gateway.snapshot(Time::ZERO);
    assert_eq!((bypassed(&stats, "limit_flows"), stats.sent.packets), (2, 2));
    assert_eq!(stats.profiles[0].connections.bypassed, 1);
}

/// A callee that answers what nobody has asked: both ends see to that.
#[test]
fn a_handshake_that_is_none_is_told() {
    for scheme in ["atcp", "split"] {
        let mut gateway = Gateway::new(&config(scheme), MTU, 1);
        let ends = [mobile(2), HOST];
        pass(&mut gateway, &between(ends, [4_000, 80], Flags::SYN, [100, 0]));
        let answer = between([HOST, mobile(2)], [80, 4_000], SYN_ACK, [500, 105]);
        let out = pass(&mut gateway, &answer);
        assert_eq!(out.len(), 1);
        assert_eq!(
            wire::parse(&out[0]).map(|it| it.header),
            wire::parse(&answer).map(|it| it.header)
        );
        let stats = gateway.snapshot(Time::ZERO);
        assert_eq!((gateway.flows(), bypassed(&stats, "handshake")), (0, 1), "{scheme}");
        assert_eq!(stats.profiles[0].connections.bypassed, 1, "{scheme}");
        assert_eq!(stats.profiles[0].wired.received.packets, 0, "{scheme}");
    }
}

/// A SYN on a connection that was reset while the gateway drains: it opens another one.
#[test]
fn a_box_that_drains_says_so() {
    let mut gateway = Gateway::new(&config("atcp"), MTU, 1);
    let ends = [mobile(2), HOST];
    open(&mut gateway, mobile(2), 4_000);
    let data = header([80, 4_000], Flags::ACK, 501, 101);
    pass(&mut gateway, &segment([HOST, mobile(2)], &data, &[7; 1_000]));
    gateway.drain(Time::ZERO);
    pass(&mut gateway, &between([HOST, mobile(2)], [80, 4_000], Flags::RST, [1_501, 0]));
    pass(&mut gateway, &between(ends, [4_000, 80], Flags::SYN, [9_000, 0]));
    let stats = gateway.snapshot(Time::ZERO);
    assert_eq!((gateway.flows(), bypassed(&stats, "draining")), (0, 1));
}

/// However many addresses a mobile has, it has its share.
#[test]
fn addresses_of_one_mobile_count_together() {
    let limits = "[limits]\nflows_per_mobile = 3\nopening_per_mobile = 2\n";
    let mut gateway = Gateway::new(&configured("atcp", limits), MTU, 1);
    (1..9).for_each(|interface| open(&mut gateway, mobile6(1, interface), 4_000));
    assert_eq!(gateway.flows(), 3);
    (1..9).for_each(|prefix| open(&mut gateway, mobile6(1 + prefix, 1), 4_000));
    assert_eq!(gateway.flows(), 11);
    let stats = gateway.snapshot(Time::ZERO);
    assert_eq!(bypassed(&stats, "limit_flows_per_mobile"), 5);
    assert_eq!(stats.profiles[0].mobiles, 9);
    let mobiles = gateway.mobiles(Time::ZERO, 100);
    let flows = |address| mobiles.iter().find(|it| it.address == address).map(|it| it.flows);
    assert_eq!((flows(mobile6(1, 3)), flows(mobile6(2, 1))), (Some(3), Some(1)));
    for interface in 1..4 {
        reset(&mut gateway, [mobile6(1, interface), HOST6], 4_000);
    }
    assert_eq!(gateway.snapshot(Time::ZERO).profiles[0].mobiles, 8);
}

/// Reasons of the page about the proxy are those that there are.
#[test]
fn the_page_names_every_reason() {
    let page = include_str!("../../../docs/proxy.md");
    let table = page.split("| reason | what |").nth(1).expect("a table");
    let table = table.split("\n\n").next().expect("its end");
    let cells = table.lines().filter_map(|line| line.split('|').nth(1));
    let mut named: Vec<_> = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let stats = Gateway::new(&config("atcp"), MTU, 1).snapshot(Time::ZERO);
    let mut told: Vec<_> = stats.bypassed.iter().map(|each| &*each.reason).collect();
    named.sort_unstable();
    told.sort_unstable();
    assert_eq!(named, told);
}
