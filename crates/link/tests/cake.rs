//! Laws of CAKE: its shaper, fairness among hosts, sparse flows, and classes of service.

use std::collections::BTreeMap;

use base::{Duration, Rate, Schedule, Time};
use link::queue::cake::{Config, Framing, Isolation, Tins};
use link::queue::{self, Discipline, Notice, droptail::Limit};
use link::{Link, LinkConfig, Load, Output, Service, disorder, loss};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packet {
    hosts: [u32; 2],
    port: u16,
    bytes: u32,
    dscp: u8,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn flow(&self) -> u64 {
        let [source, destination] = self.hosts.map(u64::from);
        source << 48 | destination << 32 | u64::from(self.port)
    }

    fn hosts(&self) -> [u32; 2] {
        self.hosts
    }

    fn dscp(&self) -> u8 {
        self.dscp
    }
}

const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// CAKE at `bps` ahead of a link that takes no time.
fn shaped(bps: u64) -> Config {
    Config { rate: Some(Rate::from_bps(bps)), ..Config::default() }
}

fn link(config: Config, rate: Option<Rate>) -> Link<Packet> {
    let queue = queue::Config {
        limit: Limit { packets: None, bytes: None },
        discipline: Discipline::Cake(config),
        notice: Notice::Drop,
    };
    let config = LinkConfig {
        service: Service::Rate(Schedule::from(rate)),
        delay: Schedule::from(Duration::ZERO),
        queue,
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    Link::new(&config, 1, "test")
}

/// A source that keeps so many packets like `packet` in the queue, and what it got.
struct Source {
    packet: Packet,
    waits: usize,
}

fn source(hosts: [u32; 2], port: u16) -> Source {
    Source { packet: Packet { hosts, port, bytes: 1500, dscp: 0 }, waits: 20 }
}

/// Bytes that each source gets over ten seconds, of which the first does not count: whatever
/// comes out or is dropped is replaced at once.
fn bytes(config: Config, rate: Option<Rate>, sources: &[Source]) -> Vec<u64> {
    let mut link = link(config, rate);
    let mut got: BTreeMap<(u64, u8), u64> = BTreeMap::new();
    for Source { packet, waits } in sources {
        (0..*waits).for_each(|_| assert_eq!(link.handle_input(Time::ZERO, *packet), Ok(())));
    }
    while let Some(now) = link.poll_timeout().filter(|now| *now < at(10_000)) {
        while let Some(output) = link.poll_output(now) {
            let packet = match output {
                Output::Delivered(packet) => {
                    let counts = if now < at(1_000) { 0 } else { u64::from(packet.bytes) };
                    *got.entry((packet.flow(), packet.dscp)).or_default() += counts;
                    packet
                }
                Output::Dropped(dropped) => dropped.packet,
                Output::Duplicated(_) | Output::Corrupted(..) => unreachable!("a plain link"),
            };
            assert_eq!(link.handle_input(now, packet), Ok(()));
        }
    }
    sources.iter().map(|of| got[&(of.packet.flow(), of.packet.dscp)]).collect()
}

/// Over nine seconds a packet more or fewer is 0.01 %: the rate is that of what packets count for.
#[test]
fn the_rate_is_kept_with_what_packets_count_for() {
    let check = |size: u32, counted: u64, overhead, mpu, framing| {
        let config = Config { overhead, mpu, framing, ..shaped(10_000_000) };
        let mut source = source([1, 2], 1);
        source.packet.bytes = size;
        let expect = 10_000_000 / 8 * 9 / counted;
        let [got] = bytes(config, None, &[source])[..] else { unreachable!("one source") };
        assert!((got / u64::from(size)).abs_diff(expect) <= 1, "{got} B of {size} B packets");
    };
    check(1500, 1500, 0, 0, Framing::NoAtm);
    check(1500, 1538, 38, 84, Framing::NoAtm);
    check(40, 84, 38, 84, Framing::NoAtm);
    // 1500 + 40 B in 33 cells, 40 + 8 B in one, and 40 + 9 B in two.
    check(1500, 33 * 53, 40, 0, Framing::Atm);
    check(40, 53, 8, 0, Framing::Atm);
    check(40, 106, 9, 0, Framing::Atm);
    // 1530 B are 24 blocks of 64 B.
    check(1500, 1554, 30, 68, Framing::Ptm);
}

/// Neither a slower link nor time without packets leaves credit for more than the rate.
#[test]
fn a_shaper_saves_nothing_while_it_is_empty() {
    let mut link = link(shaped(12_000_000), None);
    let packet = source([1, 2], 1).packet;
    let mut out = Vec::new();
    for start in [0, 1_000] {
        (0..5).for_each(|_| assert_eq!(link.handle_input(at(start), packet), Ok(())));
        while let Some(now) = link.poll_timeout() {
            while link.poll_output(now).is_some() {
                out.push(now.as_nanos() / 1_000_000 - start);
            }
        }
    }
    assert_eq!(out, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
}

/// The share in percent of each source.
fn shares(config: Config, sources: &[Source]) -> Vec<f64> {
    let got = bytes(config, None, sources);
    let total: u64 = got.iter().sum();
    got.iter().map(|bytes| *bytes as f64 * 100.0 / total as f64).collect()
}

/// Host 1 sends four flows to host 9, host 2 one to host 9, and host 2 one to host 8.
#[test]
fn hosts_are_equals_and_flows_of_a_host() {
    let check = |isolation, expect: [f64; 6]| {
        let mut sources: Vec<_> = (1..5).map(|port| source([1, 9], port)).collect();
        sources.extend([source([2, 9], 5), source([2, 8], 6)]);
        let found = shares(Config { isolation, ..shaped(20_000_000) }, &sources);
        let is_near = found.iter().zip(expect).all(|(found, expect)| (found - expect).abs() < 0.5);
        assert!(is_near, "{isolation:?}: {found:.1?} for {expect:?}");
    };
    check(Isolation::Flows, [100.0 / 6.0; 6]);
    check(Isolation::DualSrcHost, [12.5, 12.5, 12.5, 12.5, 25.0, 25.0]);
    check(Isolation::DualDstHost, [10.0, 10.0, 10.0, 10.0, 10.0, 50.0]);
    // By the busier of both hosts: 1/5 of a turn to the flows to host 9, 1/2 to that to host 8.
    let turns = 5.0 / 5.0 + 1.0 / 2.0;
    let [crowded, free] = [100.0 / 5.0 / turns, 100.0 / 2.0 / turns];
    check(Isolation::TripleIsolate, [crowded, crowded, crowded, crowded, crowded, free]);
    check(Isolation::SrcHost, [12.5, 12.5, 12.5, 12.5, 25.0, 25.0]);
    check(Isolation::DstHost, [10.0, 10.0, 10.0, 10.0, 10.0, 50.0]);
    check(
        Isolation::Hosts,
        [25.0 / 3.0, 25.0 / 3.0, 25.0 / 3.0, 25.0 / 3.0, 100.0 / 3.0, 100.0 / 3.0],
    );
    check(Isolation::Flowblind, [100.0 / 6.0; 6]);
}

/// Fifty flows of one host get as much as the one of another, with and without a shaper.
#[test]
fn many_flows_of_a_host_get_as_much_as_one_of_another() {
    for (config, rate) in
        [(shaped(20_000_000), None), (Config::default(), Some(Rate::from_bps(20_000_000)))]
    {
        let mut sources: Vec<_> = (0..50).map(|port| source([1, 9], port)).collect();
        sources.push(source([2, 9], 99));
        let config = Config { isolation: Isolation::DualSrcHost, ..config };
        let got = bytes(config, rate, &sources);
        let (many, one) = (got[..50].iter().sum::<u64>(), got[50]);
        assert!((0.97..1.03).contains(&(many as f64 / one as f64)), "{many} B beside {one} B");
    }
}

/// Packets of a flow that has nothing waiting go ahead of thirty flows that have.
#[test]
fn sparse_flows_go_ahead() {
    let mut link = link(shaped(12_000_000), None);
    for port in 0..30 {
        let packet = source([1, 2], port).packet;
        (0..20).for_each(|_| assert_eq!(link.handle_input(Time::ZERO, packet), Ok(())));
    }
    let sparse = Packet { bytes: 100, ..source([1, 2], 99).packet };
    for entered in (100..400).step_by(20).map(at) {
        while let Some(now) = link.poll_timeout().filter(|now| *now < entered) {
            while link.poll_output(now).is_some() {}
        }
        assert_eq!(link.handle_input(entered, sparse), Ok(()));
        let left = loop {
            let now = link.poll_timeout().expect("much waits");
            match link.poll_output(now) {
                Some(Output::Delivered(packet)) if packet == sparse => break now,
                _ => {}
            }
        };
        // What is being paid for takes a millisecond.
        assert!(left <= entered + Duration::from_millis(1), "{entered:?}: {left:?}");
    }
}

/// A class that keeps within its rate gets all that it asks for, and goes first; one that asks for
/// more shares what is left by weights.
#[test]
fn classes_have_priority_up_to_their_rates() {
    let of = |dscp: u8| {
        let mut source = source([u32::from(dscp), 9], 1);
        source.packet.dscp = dscp;
        source
    };
    let config = Config { tins: Tins::Diffserv3, ..shaped(16_000_000) };
    // All ask for everything: background has 1/16 and voice 1/4, which leaves 11/16.
    let [rest, background, voice] = shares(config, &[of(0), of(8), of(46)])[..] else {
        unreachable!("three sources")
    };
    for (found, expect) in [(background, 100.0 / 16.0), (voice, 25.0), (rest, 100.0 * 11.0 / 16.0)]
    {
        assert!((found - expect).abs() < 0.5, "{found} for {expect}");
    }
    let unlimited = Config { rate: None, ..config };
    let got = bytes(unlimited, Some(Rate::from_bps(16_000_000)), &[of(0), of(8), of(46)]);
    let total: u64 = got.iter().sum();
    // Without a shaper by weights of 1024, 64 and 256.
    for (found, weight) in got.iter().zip([1024.0, 64.0, 256.0]) {
        let (found, expect) = (*found as f64 / total as f64, weight / 1344.0);
        assert!((found - expect).abs() < 0.01, "{found} for {expect}");
    }
}
