//! Legs that take packets of different sizes, and paths behind them that take less (RFC 1191,
//! RFC 8201): streams arrive whole, and nothing larger is sent once that is known.

use std::sync::Arc;

use base::{Duration, Probability, Rate, Time};
use bytes::Bytes;
use middlebox::{
    Address, Atcp, AtcpConfig, BothWays, Connection, DelayedDupacks, DelayedDupacksConfig, FdaLike,
    FdaLikeKeys, FlowControl, LargePackets, Leg, MTcp, MTcpConfig, Managed, PerFlow, PerFlowSplit,
    PmtuHandler, Snoop, SnoopConfig, SocketBuffers, SplitConfig, Splitter, Uplink, WTcp,
    WTcpConfig,
};
use observe::{BoxContext, MiddleboxFact, RepairReason};
use proptest::prelude::*;
use tcp::Config;

use crate::support::{
    self, Network, Opening, Outage, OutageFate, PeerId, Way, aggregating, modern,
};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(30_000, 30_000);

/// IPv4.
const MOBILE: Address = Address { leg: Leg::Radio, host: 0xFFFF_0A2D_0002 };
const HOST: Address = Address { leg: Leg::Wired, host: 0xFFFF_C633_6402 };

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn atcp() -> AtcpConfig {
    AtcpConfig {
        rate: Rate::from_bps(40_000),
        round_trip: Duration::from_millis(900),
        c: Some(1_700.0),
        coalescing: true,
        deference: Some(0.9),
        ..aggregating()
    }
}

fn endpoint() -> Config {
    Config { mss: 1_448, ..modern() }
}

fn senders() -> PerFlow<Bytes> {
    PerFlow::new(&Arc::new(endpoint()), BUFFERS)
}

fn opening() -> Opening {
    Opening {
        client: MOBILE,
        server: HOST,
        client_config: endpoint(),
        server_config: endpoint(),
        ..Opening::of(5_000)
    }
}

fn splitters(split: SplitConfig) -> Vec<Box<dyn Managed<Bytes>>> {
    let both = SplitConfig { uplink: Uplink::Split, ..split };
    vec![
        Box::new(Splitter::new(split, Atcp::new(atcp()))),
        Box::new(PerFlowSplit::per_flow(split, &Arc::new(endpoint()), BUFFERS)),
        Box::new(Splitter::new(both, BothWays::new(Atcp::new(atcp()), senders()))),
        Box::new(Splitter::new(both, BothWays::new(senders(), senders()))),
    ]
}

fn followers() -> Vec<Box<dyn Managed<Bytes>>> {
    let tick = Duration::from_millis(500);
    let snoop = SnoopConfig { cache_segments: 60, tick, max_tries: 10, threshold: 0 };
    let threshold = 3;
    vec![
        Box::new(Snoop::new(snoop)),
        Box::new(FdaLike::new(FdaLikeKeys { snoop, fda: FlowControl { target_queue: 8_000 } })),
        Box::new(DelayedDupacks::new(DelayedDupacksConfig { delay: tick })),
        Box::new(MTcp::new(MTcpConfig { timeout: seconds(2), release: tick })),
        Box::new(WTcp::new(WTcpConfig { window: 8_000, buffer_segments: 400, tick, threshold })),
    ]
}

fn whole(net: &mut Network<Bytes>, (client, server): (PeerId, PeerId), limit: u64) {
    net.close(client);
    net.close(server);
    let done = |net: &Network<Bytes>| net.is_at_end(client) && net.is_at_end(server);
    assert!(net.run_while(seconds(limit), done), "{:?}", net.middlebox.counters());
    support::nothing_unreceived_is_acknowledged(&net.log);
    support::fins_are_acknowledged_by_their_receiver(&net.log);
}

/// The times and sizes of packets to a host.
fn sizes(net: &Network<Bytes>, to: Address) -> Vec<(Time, u64)> {
    let bytes = |segment: &tcp::Segment<Bytes>| {
        u64::from(20 + segment.header.bytes()) + segment.payload.len() as u64
    };
    net.passed(to, Way::Out).map(|passage| (passage.at, bytes(passage.segment()))).collect()
}

/// Large packets vanish, from the start or from the midst of a transfer on, and nobody says so:
/// segments become small, towards the mobile and, where uploads are split, towards the host.
#[test]
fn where_large_packets_vanish_small_ones_go() {
    let config = SplitConfig { large_packets: LargePackets::Vanish, ..SplitConfig::PLAIN };
    for from in [0, 4] {
        for (index, middlebox) in splitters(config).into_iter().enumerate() {
            let mut net = Network::new(1, middlebox);
            net.path(MOBILE, Way::Out).rate = Some(5_000);
            let flow = net.open(&opening());
            net.write(flow.1, 60_000);
            net.write(flow.0, 30_000);
            net.run_for(seconds(from));
            let splits_uploads = index >= 2;
            let narrow = if splits_uploads { vec![MOBILE, HOST] } else { vec![MOBILE] };
            for host in narrow {
                let path = net.path(host, Way::Out);
                (path.mtu, path.vanish) = (1_100, true);
            }
            whole(&mut net, flow, 90);
            // A later connection is as quick, or quicker where the mobile is known.
            let later = net.open(&Opening { client_port: 5_001, ..opening() });
            net.write(later.1, 60_000);
            whole(&mut net, later, 90);
        }
    }
}

/// An outage is no such path: the aggregate's segments stay large.
#[test]
fn an_outage_leaves_segments_large() {
    let config = SplitConfig { large_packets: LargePackets::Vanish, ..SplitConfig::PLAIN };
    for lasts in [5, 8, 20, 60] {
        for fate in [OutageFate::Held, OutageFate::Lost] {
            let mut net = Network::new(1, Box::new(Splitter::new(config, Atcp::new(atcp()))));
            for way in [Way::In, Way::Out] {
                let (from, to) = (Time::ZERO + seconds(10), Time::ZERO + seconds(10 + lasts));
                let path = net.path(MOBILE, way);
                path.rate = Some(5_000);
                path.outages = vec![Outage { from, to, fate }];
            }
            let flow = net.open(&opening());
            net.write(flow.1, 200_000);
            whole(&mut net, flow, 200);
            let tail = sizes(&net, MOBILE).into_iter().rev().skip(10).take(30);
            assert!(tail.map(|it| it.1).min() == Some(1_500), "{lasts} s {fate:?}");
        }
    }
}

/// A path of 576 bytes, from the start and from the midst of a transfer on: what the box itself
/// sends is smaller from the first message on, and leaves with it; nothing else is retransmitted.
#[test]
fn what_the_box_sends_fits_as_soon_as_it_knows() {
    for from in [0, 4] {
        for middlebox in splitters(SplitConfig::PLAIN) {
            let mut net = Network::new(1, middlebox);
            net.path(MOBILE, Way::Out).rate = Some(5_000);
            let flow = net.open(&opening());
            net.write(flow.1, 120_000);
            net.write(flow.0, 5_000);
            net.run_for(seconds(from));
            net.path(MOBILE, Way::Out).mtu = 576;
            let full = |&(at, bytes): &(Time, u64)| bytes > 576 && at.as_secs_f64() >= from as f64;
            whole(&mut net, flow, 120);
            let sizes = sizes(&net, MOBILE);
            let first = sizes.iter().find(|it| full(it)).expect("it does not know").0;
            // The path is 300 ms long.
            let known = first + Duration::from_millis(600);
            assert!(!sizes.iter().any(|it| it.0 > known && full(it)), "{:?}", net.middlebox);
            assert!(sizes.iter().any(|it| it.0 == known && it.1 == 576), "{:?}", net.middlebox);
            let counters = net.middlebox.counters();
            assert_eq!(counters.timeouts, 0, "{:?}", net.middlebox);
            let told = net.facts.iter().filter_map(|(_, fact)| match fact {
                MiddleboxFact::Retransmitted { reason, .. } => Some(*reason),
                _ => None,
            });
            let reasons: Vec<_> = told.collect();
            assert!(!reasons.is_empty() && counters.retransmissions == reasons.len() as u64);
            assert!(reasons.iter().all(|&it| it == RepairReason::TooLarge), "{reasons:?}");
        }
    }
}

/// Two limits, the second below the first, and data the other way whose sender has to heed its own.
#[test]
fn limits_may_fall_further_and_either_way() {
    for middlebox in splitters(SplitConfig::PLAIN).into_iter().chain(followers()) {
        let mut net = Network::new(2, middlebox);
        net.path(MOBILE, Way::Out).rate = Some(10_000);
        net.path(HOST, Way::Out).mtu = 1_400;
        let flow = net.open(&opening());
        net.write(flow.1, 150_000);
        net.write(flow.0, 60_000);
        net.run_for(seconds(3));
        net.path(MOBILE, Way::Out).mtu = 1_280;
        net.run_for(seconds(5));
        net.path(MOBILE, Way::Out).mtu = 296;
        let from = net.now;
        whole(&mut net, flow, 300);
        let late = |&(at, bytes): &(Time, u64)| at > from + seconds(2) && bytes > 296;
        assert!(!sizes(&net, MOBILE).iter().any(late), "{:?}", net.middlebox);
    }
}

/// What follows connections tells their senders, and sends nothing again that is too large.
#[test]
fn what_is_kept_and_too_large_is_forgotten() {
    for middlebox in followers() {
        let mut net = Network::new(3, middlebox);
        net.path(MOBILE, Way::Out).rate = Some(5_000);
        let flow = net.open(&opening());
        net.write(flow.1, 80_000);
        net.run_for(seconds(4));
        net.path(MOBILE, Way::Out).mtu = 576;
        let from = net.now;
        whole(&mut net, flow, 200);
        let sizes = sizes(&net, MOBILE);
        let full = |&&(at, bytes): &&(Time, u64)| at >= from && bytes > 576;
        let first = sizes.iter().find(full).map_or(from, |it| it.0);
        // What was under way on the wire when the sender heard of it.
        let heard = first + Duration::from_millis(600 + 40);
        assert!(!sizes.iter().any(|it| it.0 > heard && it.1 > 576), "{:?}", net.middlebox);
    }
}

/// RFC 791 and RFC 8200 say what every path takes: less is not believed. Nor is a message about
/// nothing.
#[test]
fn what_no_path_takes_so_little_of_is_not_believed() {
    let way =
        Connection { source: HOST, destination: MOBILE, source_port: 80, destination_port: 5_000 };
    let strange = Connection { source_port: 81, ..way };
    for (connection, mtu, most) in [(way, 67, 1_500), (strange, 576, 1_500), (way, 68, 68)] {
        for middlebox in splitters(SplitConfig::PLAIN) {
            let mut net = Network::new(4, middlebox);
            let flow = net.open(&opening());
            net.run_for(seconds(3));
            let cx = &mut BoxContext { now: net.now, observe: &mut |_| {} };
            let heeds = net.middlebox.handle_path_mtu(cx, connection, mtu);
            assert_eq!(
                heeds,
                if connection == way { PmtuHandler::Box } else { PmtuHandler::Sender }
            );
            net.write(flow.1, 20_000);
            whole(&mut net, flow, 60);
            assert_eq!(sizes(&net, MOBILE).iter().map(|it| it.1).max(), Some(most));
        }
    }
}

/// Its ends do not know what the box knows.
#[test]
fn a_flow_whose_path_takes_less_is_not_handed_back() {
    let way =
        Connection { source: HOST, destination: MOBILE, source_port: 80, destination_port: 5_000 };
    for (mtu, released) in [(1_400, 0), (0, 1)] {
        for middlebox in splitters(SplitConfig::PLAIN) {
            let mut net = Network::new(5, middlebox);
            net.open(&opening());
            net.run_for(seconds(3));
            let cx = &mut BoxContext { now: net.now, observe: &mut |_| {} };
            net.middlebox.handle_path_mtu(cx, way, mtu);
            net.middlebox.drain(cx);
            net.run_for(seconds(60));
            assert_eq!(net.middlebox.counters().released, released, "{mtu}");
        }
    }
}

proptest! {
    /// Losses, and limits that fall at any time, on any leg.
    #[test]
    fn streams_arrive_whole(
        seed in any::<u64>(),
        kind in 0_usize..9,
        loss in 0.0..0.05,
        rate in prop_oneof![Just(None), (3_000_u64..50_000).prop_map(Some)],
        limits in prop::collection::vec((0_u64..20_000, any::<bool>(), 120_u64..1_500), 1..4),
        bytes in [0_u64..80_000, 0_u64..40_000],
    ) {
        let middlebox = splitters(SplitConfig::PLAIN).into_iter().chain(followers()).nth(kind);
        let mut net = Network::new(seed, middlebox.expect("there are nine"));
        for host in [HOST, MOBILE] {
            for way in [Way::In, Way::Out] {
                net.path(host, way).loss = Probability::new(loss).unwrap_or_default();
            }
        }
        net.path(MOBILE, Way::Out).rate = rate;
        let flow = net.open(&opening());
        net.write(flow.1, bytes[0]);
        net.write(flow.0, bytes[1]);
        let mut limits = limits;
        limits.sort_unstable();
        for (millis, to_mobile, mtu) in limits {
            net.run_until((Time::ZERO + Duration::from_millis(millis)).max(net.now));
            let host = if to_mobile { MOBILE } else { HOST };
            let path = net.path(host, Way::Out);
            path.mtu = path.mtu.min(mtu);
        }
        whole(&mut net, flow, 20_000);
    }
    /// Losses, and large packets that vanish from some time on where the box repairs what is lost.
    #[test]
    fn streams_arrive_whole_where_large_packets_vanish(
        seed in any::<u64>(),
        kind in 0_usize..4,
        loss in 0.0..0.05,
        rate in prop_oneof![Just(None), (3_000_u64..50_000).prop_map(Some)],
        (from, mtu) in (0_u64..20_000, 1_064_u64..1_500),
        bytes in [0_u64..80_000, 0_u64..40_000],
    ) {
        let config = SplitConfig { large_packets: LargePackets::Vanish, ..SplitConfig::PLAIN };
        let mut net = Network::new(seed, splitters(config).swap_remove(kind));
        for (host, way) in [(MOBILE, Way::In), (MOBILE, Way::Out), (HOST, Way::In)] {
            net.path(host, way).loss = Probability::new(loss).unwrap_or_default();
        }
        net.path(MOBILE, Way::Out).rate = rate;
        let flow = net.open(&opening());
        net.write(flow.1, bytes[0]);
        net.write(flow.0, bytes[1]);
        net.run_for(Duration::from_millis(from));
        let splits_uploads = kind >= 2;
        for host in [MOBILE, HOST].into_iter().take(1 + usize::from(splits_uploads)) {
            let path = net.path(host, Way::Out);
            (path.mtu, path.vanish) = (mtu, true);
        }
        whole(&mut net, flow, 20_000);
    }
}
