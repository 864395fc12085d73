//! What a mobile uploads through a clamp: how long others wait meanwhile, and how long it takes.

use std::collections::BTreeMap;

use base::{Duration, Flags, Seq, Time};
use middlebox::{Atcp, SplitConfig, Splitter};
use proptest::prelude::*;
use tcp::{Config, Length};

use crate::support::{FIRST_MOBILE, Network, Opening, PeerId, Way, aggregating, fixed, modern};

/// An ICMP echo and its answer, in bytes.
const PING: u64 = 84;

const MSS: u64 = 1_448;

/// A radio, and what a mobile may have under way towards hosts.
#[derive(Clone, Copy, Debug)]
struct Radio {
    /// Bytes/s and one-way delay, down and up.
    down: (u64, u64),
    up: (u64, u64),
    clamp: u32,
    /// What a ping beside an upload may take, in seconds.
    ping: f64,
}

/// As `umts-384` and `gprs-live-40` are, with the clamp that their rates and round trips give.
const RADIOS: [Radio; 2] = [
    Radio { down: (48_000, 100), up: (8_000, 100), clamp: 5_725, ping: 1.0 },
    Radio { down: (5_000, 330), up: (1_750, 270), clamp: 4_815, ping: 2.2 },
];

fn network(radio: &Radio, clamp: Option<u32>, wire: u64) -> Network<Length> {
    let config = SplitConfig { uplink_clamp: clamp, ..SplitConfig::PLAIN };
    let atcp = Atcp::new(middlebox::AtcpConfig { clamp: 8_000, ..aggregating() });
    let mut net = Network::new(1, Box::new(Splitter::new(config, atcp)));
    for (way, (rate, millis)) in [(Way::Out, radio.down), (Way::In, radio.up)] {
        let path = net.path(FIRST_MOBILE, way);
        (path.rate, path.delay) = (Some(rate), Duration::from_millis(millis));
        net.path(fixed(0), way).delay = Duration::from_millis(wire);
    }
    net
}

/// The mobile and the host of a connection that the mobile opens.
fn open(net: &mut Network<Length>, port: u16) -> (PeerId, PeerId) {
    let config = Config {
        mss: MSS as u32,
        window: 500,
        initial_window: 10,
        receive_buffer: Some(700_000),
        ..modern()
    };
    net.open(&Opening { client_config: config.clone(), server_config: config, ..Opening::of(port) })
}

fn upload(net: &mut Network<Length>, port: u16, bytes: u64) -> PeerId {
    let (client, server) = open(net, port);
    net.write(client, bytes);
    net.close(client);
    server
}

/// The mean of pings each second for so many seconds.
fn ping(net: &mut Network<Length>, seconds: u64) -> f64 {
    let (mut sum, mut count, end) = (0.0, 0.0, net.now + Duration::from_secs(seconds));
    while net.now < end {
        let from = net.now;
        let there = net.path(FIRST_MOBILE, Way::In).carry(from, PING).expect("it gets through");
        net.run_until(there);
        let back = net.path(FIRST_MOBILE, Way::Out).carry(there, PING).expect("it gets through");
        (sum, count) = (sum + (back - from).as_secs_f64(), count + 1.0);
        net.run_until((from + Duration::from_secs(1)).max(net.now));
    }
    sum / count
}

fn seconds(net: &Network<Length>, reader: PeerId, bytes: u64) -> f64 {
    assert_eq!(net.read(reader), bytes);
    (net.read_at(reader).expect("it is through") - Time::ZERO).as_secs_f64()
}

/// However far the host is: a ping is short, and the upload as quick as without a clamp.
#[test]
fn an_upload_leaves_room_for_a_ping_and_is_no_slower() {
    for radio in RADIOS {
        for wire in [5, 20, 300] {
            let [plain, clamped] = [None, Some(radio.clamp)].map(|clamp| {
                let mut net = network(&radio, clamp, wire);
                let host = upload(&mut net, 5_000, 100_000);
                net.run_for(Duration::from_secs(100));
                assert!(edges_advance(&net), "{radio:?}, {wire} ms");
                seconds(&net, host, 100_000)
            });
            let [before, after] = [None, Some(radio.clamp)].map(|clamp| {
                let mut net = network(&radio, clamp, wire);
                upload(&mut net, 5_000, 2_000_000);
                net.run_for(Duration::from_secs(3));
                ping(&mut net, 50)
            });
            let case = format!("{radio:?}, {wire} ms: {plain} → {clamped} s, {before} → {after} s");
            assert!(clamped < 1.05 * plain && clamped > 0.95 * plain, "{case}");
            assert!(before > 5.0 * radio.ping && after < radio.ping, "{case}");
        }
    }
}

/// As many as there are segments in the clamp share it; more have a segment each.
#[test]
fn uploads_share_the_clamp() {
    for radio in RADIOS {
        for number in [1, 2, 3, 4, 8] {
            let mut net = network(&radio, Some(radio.clamp), 20);
            let hosts: Vec<_> =
                (0..number).map(|n| upload(&mut net, 5_000 + n, 2_000_000)).collect();
            net.run_for(Duration::from_secs(40));
            let read = |net: &Network<Length>| {
                hosts.iter().map(|&host| net.read(host)).collect::<Vec<_>>()
            };
            let (from, before) = (net.now, read(&net));
            let mean = ping(&mut net, 100);
            let got: Vec<_> = read(&net).iter().zip(before).map(|(&at, from)| at - from).collect();
            let segments = (u64::from(radio.clamp) / MSS + 1).max(u64::from(number));
            let full = (segments * 1_500) as f64 / radio.up.0 as f64 + radio.ping;
            let rate = got.iter().sum::<u64>() as f64 / (net.now - from).as_secs_f64();
            let case = format!("{number} over {radio:?}: {got:?}, {rate} B/s, {mean} s");
            assert!(mean < full, "{case}");
            assert!(rate > 0.65 * radio.up.0 as f64, "{case}");
            let fair = got.iter().sum::<u64>() / u64::from(number);
            assert!(got.iter().all(|&one| one.abs_diff(fair) <= fair / 10 + MSS), "{case}");
        }
    }
}

/// What one that ends, or that sends no more, leaves, another takes.
#[test]
fn idle_uploads_give_their_share_back() {
    for radio in RADIOS {
        let mut net = network(&radio, Some(radio.clamp), 20);
        let first = upload(&mut net, 5_000, 50_000);
        let second = upload(&mut net, 5_001, 150_000);
        // One that stays open.
        let third = open(&mut net, 5_002);
        net.write(third.0, 10_000);
        net.run_for(Duration::from_secs(200));
        let took = [seconds(&net, first, 50_000), seconds(&net, second, 150_000)];
        let alone = 210_000.0 * (1_500.0 / MSS as f64) / radio.up.0 as f64;
        assert!(took[1] < 1.1 * alone + 2.0 && took[0] < 0.65 * took[1], "{radio:?}: {took:?}");
        assert!(edges_advance(&net), "{radio:?}");
    }
}

/// Requests and acknowledgements of a download pass the upload: without a clamp they wait for it.
#[test]
fn a_download_goes_on_beside_an_upload() {
    for radio in RADIOS {
        let [before, after] = [None, Some(radio.clamp)].map(|clamp| {
            let mut net = network(&radio, clamp, 20);
            upload(&mut net, 5_000, 1_000_000);
            net.run_for(Duration::from_secs(5));
            let (client, server) = open(&mut net, 5_001);
            net.write(server, 40_000);
            let from = net.now;
            net.run_while(Duration::from_secs(300), |net| net.read(client) == 40_000);
            (net.now - from).as_secs_f64()
        });
        assert!(after < before / 4.0 && after < 8.0 * radio.ping, "{radio:?}: {before}, {after}");
    }
}

/// The smallest window of `bytes` or more that a shift of `scale` can say.
const fn rounded_up(bytes: u64, scale: u32) -> u64 {
    bytes.div_ceil(1 << scale) << scale
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever the unit in which the host tells its window: the mobile may have the clamp in
    /// whole segments under way over the radio and a quarter of one, or one segment rounded up to
    /// the unit if that is more. A right edge that was told does not move back, so that it may be
    /// a part of a unit further.
    #[test]
    fn a_window_is_rounded_to_within_the_clamp(
        scale in 0_u32..=14,
        clamp in 1_000_u32..30_000,
        wire in 1_u64..400,
        mss in 500_u32..1_460,
        uploads in 1_u16..=3,
    ) {
        let radio = Radio { clamp, ..RADIOS[1] };
        let mut net = network(&radio, Some(clamp), wire);
        let config = Config {
            mss,
            window: 500,
            initial_window: 10,
            receive_buffer: Some(65_535 << scale),
            ..modern()
        };
        for port in 5_000..5_000 + uploads {
            let configs = (config.clone(), config.clone());
            let opening = Opening {
                client_config: configs.0,
                server_config: configs.1,
                ..Opening::of(port)
            };
            let (client, _) = net.open(&opening);
            net.write(client, 200_000);
        }
        net.run_for(Duration::from_secs(60));
        prop_assert!(edges_advance(&net));
        let segment = u64::from(mss);
        let whole = (u64::from(clamp) + segment / 2) / segment * segment;
        let most = (whole + segment / 4).max(rounded_up(segment, scale));
        for port in 5_000..5_000 + uploads {
            let (mut first, mut passed, mut told) = (Seq::new(0), 0, most);
            for passage in &net.log {
                let segment = passage.segment();
                let header = &segment.header;
                let uphill = passage.host() == FIRST_MOBILE && passage.way == Way::In;
                let downhill = passage.host() == FIRST_MOBILE && passage.way == Way::Out;
                if uphill && header.source_port == port {
                    if passage.has(Flags::SYN) {
                        first = header.seq + 1;
                    }
                    let end = header.seq.distance(first) + segment.numbers() as i32;
                    passed = passed.max(end.max(0) as u64);
                } else if downhill && header.destination_port == port {
                    let syn = passage.has(Flags::SYN);
                    let acked = header.ack.distance(first) as u64;
                    let window = u64::from(header.window) << if syn { 0 } else { scale };
                    let kept = rounded_up(told - acked.min(told), scale);
                    prop_assert!(window <= (passed - acked + most).max(kept), "{passage:?}");
                    prop_assert!(window >= u64::from(mss), "{passage:?}");
                    told = told.max(acked + window);
                }
            }
        }
    }
}

/// Whether no right edge that the mobile is told of moves back, on any connection.
fn edges_advance(net: &Network<Length>) -> bool {
    let mut edges: BTreeMap<u16, (u8, Option<Seq>)> = BTreeMap::new();
    net.passed(FIRST_MOBILE, Way::Out).all(|passage| {
        let header = &passage.segment().header;
        let (scale, edge) = edges.entry(header.destination_port).or_default();
        if passage.has(Flags::SYN) {
            *scale = header.options.window_scale.unwrap_or(0);
            return true;
        }
        let told = header.ack + (u32::from(header.window) << *scale);
        edge.replace(told).is_none_or(|edge| edge.before_or_at(told))
    })
}
