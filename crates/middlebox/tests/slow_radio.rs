//! A radio of 40 kbit/s and 0.6 s, on which a packet of 1500 bytes takes 0.3 s (the link
//! `gprs-live-40`): how much an aggregate may have in flight so that the radio is never idle, and
//! yet nobody waits long.

use base::{Duration, Rate, Time};
use bytes::Bytes;
use middlebox::{Atcp, AtcpConfig, Class, SplitConfig, Splitter};
use tcp::Config;

use crate::support::{FIRST_MOBILE, Network, Opening, PeerId, Way, aggregating, modern};

/// An ICMP echo and its answer.
const PING: u64 = 84;

/// The largest MSS with which four segments just fill the radio, and 10 kB take eight.
const MSS: u16 = 1_272;

/// What full segments need where parts of one count.
const CLAMP: u64 = 5_000;

fn network(clamp: u64, fractions: bool, tickets: u32) -> Network<Bytes> {
    let atcp = AtcpConfig {
        clamp,
        rate: Rate::from_bps(40_000),
        round_trip: Duration::from_millis(900),
        c: Some(1_687.5),
        coalescing: true,
        deference: Some(0.9),
        fractions,
        classes: vec![Class { port: Some(8_080), tickets, ..Class::default() }],
        ..aggregating()
    };
    let mut net = Network::new(1, Box::new(Splitter::new(SplitConfig::PLAIN, Atcp::new(atcp))));
    for (way, rate, millis) in [(Way::Out, 5_000, 330), (Way::In, 1_750, 270)] {
        let path = net.path(FIRST_MOBILE, way);
        path.rate = Some(rate);
        path.delay = Duration::from_millis(millis);
    }
    net
}

/// A mobile calls a host, which sends `bytes` and closes, like kernels of today. SYNs say `mss`,
/// of which timestamps take 12 bytes.
fn download(net: &mut Network<Bytes>, port: u16, bytes: u64, mss: u16) -> (PeerId, PeerId) {
    download_with(net, port, bytes, mss, Some(Duration::from_millis(40)))
}

fn download_with(
    net: &mut Network<Bytes>,
    port: u16,
    bytes: u64,
    mss: u16,
    delayed_ack: Option<Duration>,
) -> (PeerId, PeerId) {
    let mss = u32::from(mss) - 12;
    let config = Config { mss, initial_window: 10, delayed_ack, ..modern() };
    let (client_config, server_config) = (config.clone(), config);
    let server_port = if port == 5_000 { 80 } else { 8_080 };
    let flow =
        net.open(&Opening { server_port, client_config, server_config, ..Opening::of(port) });
    net.write(flow.1, bytes);
    net.close(flow.1);
    flow
}

/// Pings once a second until `end`, which pass the radio like all else: the mean in seconds.
fn ping(net: &mut Network<Bytes>, end: Time) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    while net.now < end {
        let from = net.now;
        let there = net.path(FIRST_MOBILE, Way::Out).carry(from, PING).expect("it gets through");
        net.run_until(there);
        let back = net.path(FIRST_MOBILE, Way::In).carry(there, PING).expect("it gets through");
        (sum, count) = (sum + (back - from).as_secs_f64(), count + 1.0);
        net.run_until((from + Duration::from_secs(1)).max(net.now));
    }
    sum / count
}

fn seconds(at: Option<Time>, from: Time) -> f64 {
    (at.expect("it is through") - from).as_secs_f64()
}

/// 600 kB alone: how long, and how long a ping takes meanwhile.
#[test]
fn four_segments_fill_the_radio_and_a_ping_takes_less_than_a_second() {
    let check = |clamp, mss, fractions, most: f64, pings: std::ops::Range<f64>| {
        let alone = {
            let mut net = network(clamp, fractions, 1);
            let flow = download(&mut net, 5_000, 600_000, mss);
            net.run_for(Duration::from_secs(200));
            seconds(net.read_at(flow.0), Time::ZERO)
        };
        let mut net = network(clamp, fractions, 1);
        download(&mut net, 5_000, 600_000, mss);
        net.run_for(Duration::from_secs(5));
        let mean = ping(&mut net, Time::ZERO + Duration::from_secs(110));
        assert!(alone <= most && pings.contains(&mean), "{clamp} of {mss}: {alone} s, {mean} s");
        assert_eq!(net.middlebox.counters().retransmissions, 0);
    };
    check(4 * u64::from(MSS), MSS, false, 126.5, 0.85..0.99);
    // Four full segments queue for longer, three leave gaps, and in between neither.
    check(4 * 1_460, 1_460, false, 126.0, 1.02..1.15);
    check(3 * 1_460, 1_460, false, 136.0, 0.75..0.85);
    check(CLAMP, 1_460, true, 126.0, 0.75..0.92);
    // As long as it waits for a packet in service, 0.15 s on average, and not for another.
    check(4_700, 1_460, true, 126.0, 0.75..0.83);
}

/// With a ping a second beside it, which takes 1.7 % of the radio, and whether a mobile delays its
/// acknowledgements or not.
#[test]
fn parts_of_a_segment_count_where_a_whole_one_is_too_much() {
    let small = [4_700, CLAMP, 5_200];
    let cases = [(0, small, 1.0), (40, small, 1.0), (200, [5_400, 5_500, 5_600], 0.9)];
    for (delayed_ack, clamps, most) in cases {
        for clamp in clamps {
            let mut net = network(clamp, true, 1);
            let delay = (delayed_ack > 0).then(|| Duration::from_millis(delayed_ack));
            let flow = download_with(&mut net, 5_000, 600_000, 1_460, delay);
            let mean = ping(&mut net, Time::ZERO + Duration::from_secs(130));
            let took = seconds(net.read_at(flow.0), Time::ZERO);
            assert!(took <= 128.0 && mean <= most, "{clamp} {delayed_ack} ms: {took} s, {mean} s");
        }
    }
}

/// 300 kB, 100 kB after 8 s, 10 kB after 16 s, with a ping beside them: connections open at once,
/// and have their share.
#[test]
fn who_comes_later_waits_for_nobody() {
    let boxes = [(4 * u64::from(MSS), MSS, false), (CLAMP, 1_460, true)];
    let targets = [(1, [1.2, 47.0, 6.5]), (2, [1.2, 40.0, 6.5])];
    let each = boxes.into_iter().flat_map(|it| targets.map(|target| (it, target)));
    for ((clamp, mss, fractions), (tickets, most)) in each {
        let mut net = network(clamp, fractions, tickets);
        download(&mut net, 5_000, 300_000, mss);
        let mut stands = None;
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        ping(&mut net, at(8));
        let (from, second) = (net.now, download(&mut net, 5_001, 100_000, mss));
        let stood = |net: &Network<Bytes>| net.state(second.0) == tcp::State::Established;
        if net.run_while(Duration::from_secs(3), stood) {
            stands = Some(net.now);
        }
        ping(&mut net, at(16));
        let (later, third) = (net.now, download(&mut net, 5_002, 10_000, mss));
        let mean = ping(&mut net, at(80));
        let took = [
            seconds(stands, from),
            seconds(net.read_at(second.0), from),
            seconds(net.read_at(third.0), later),
        ];
        assert!(took.iter().zip(most).all(|(took, most)| *took <= most), "{tickets}: {took:?}");
        assert!(mean <= 1.0, "{tickets}: {mean}");
    }
}
