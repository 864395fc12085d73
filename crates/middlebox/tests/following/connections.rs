//! Whole connections: nothing is lost, nothing is acknowledged early, and each scheme does what it
//! is for.

use std::collections::BTreeMap;

use base::{Duration, Flags, Probability, Seq, Time};
use bytes::Bytes;
use middlebox::{
    DelayedDupacks, DelayedDupacksConfig, FdaLike, FdaLikeKeys, FlowControl, Leg, MTcp, MTcpConfig,
    Managed, Snoop, SnoopConfig, WTcp, WTcpConfig,
};
use proptest::prelude::*;
use tcp::{Config, Variant};

use crate::support::{
    FIRST_MOBILE, Network, Opening, Outage, OutageFate, Passage, PeerId, Way,
    edges_never_move_back, fixed, mobile, modern, nothing_unreceived_is_acknowledged,
};

const SNOOP: SnoopConfig = SnoopConfig {
    cache_segments: 100,
    tick: Duration::from_millis(100),
    max_tries: 10,
    threshold: 1,
};

/// It passes everything on: a Snoop that keeps nothing.
const NO_HELP: SnoopConfig = SnoopConfig { cache_segments: 0, ..SNOOP };

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scheme {
    Snoop,
    Fda,
    DelayedDupacks,
    MTcp,
    WTcp,
}

const SCHEMES: [Scheme; 5] =
    [Scheme::Snoop, Scheme::Fda, Scheme::DelayedDupacks, Scheme::MTcp, Scheme::WTcp];

fn boxed(scheme: Scheme) -> Box<dyn Managed<Bytes>> {
    let delay = Duration::from_millis(900);
    match scheme {
        Scheme::Snoop => Box::new(Snoop::new(SNOOP)),
        Scheme::Fda => Box::new(FdaLike::new(FdaLikeKeys {
            snoop: SNOOP,
            fda: FlowControl { target_queue: 6_000 },
        })),
        Scheme::DelayedDupacks => Box::new(DelayedDupacks::new(DelayedDupacksConfig { delay })),
        Scheme::MTcp => Box::new(MTcp::new(MTcpConfig {
            timeout: Duration::from_secs(4),
            release: Duration::from_millis(200),
        })),
        Scheme::WTcp => Box::new(WTcp::new(WTcpConfig {
            window: 14_000,
            buffer_segments: 100,
            tick: Duration::from_millis(100),
            threshold: 1,
        })),
    }
}

/// Of no direction towards a mobile is more acknowledged to its sender than the mobile has.
fn nothing_is_acknowledged_early(log: &[Passage<Bytes>]) {
    let mut acked: BTreeMap<(u128, u16), Seq> = BTreeMap::new();
    let of_mobile = |passage: &&Passage<Bytes>| {
        passage.packet.source.leg == Leg::Radio && passage.has(Flags::ACK)
    };
    for passage in log.iter().filter(of_mobile) {
        let header = &passage.segment().header;
        let highest =
            acked.entry((passage.packet.source.host, header.source_port)).or_insert(header.ack);
        match passage.way {
            Way::In if highest.before(header.ack) => *highest = header.ack,
            Way::In => {}
            Way::Out => assert!(header.ack.before_or_at(*highest), "{passage:?}"),
        }
    }
}

/// 200 bytes up, 150 kB down, over a radio of 20 kB/s.
fn download(
    seed: u64,
    scheme: Box<dyn Managed<Bytes>>,
    opening: &Opening,
) -> (Network<Bytes>, [PeerId; 2]) {
    let mut net = Network::new(seed, scheme);
    net.path(FIRST_MOBILE, Way::Out).rate = Some(20_000);
    let (client, server) = net.open(opening);
    net.write(client, 200);
    net.write(server, 150_000);
    net.close(server);
    net.close(client);
    (net, [client, server])
}

fn finish(net: &mut Network<Bytes>, [client, server]: [PeerId; 2]) -> f64 {
    let whole = |net: &Network<Bytes>| net.is_at_end(client) && net.is_at_end(server);
    assert!(net.run_while(Duration::from_secs(3_600), whole), "{:?}", net.middlebox);
    net.run_for(Duration::from_secs(3_600));
    nothing_is_acknowledged_early(&net.log);
    net.read_at(client).map_or(0.0, Time::as_secs_f64)
}

/// Segments that the host sent twice.
fn repetitions(net: &Network<Bytes>) -> usize {
    let mut seen: Vec<Seq> = Vec::new();
    let from_host = net.passed(fixed(0), Way::In).filter(|passage| passage.segment().numbers() > 0);
    from_host
        .filter(|passage| {
            let seq = passage.segment().header.seq;
            let again = seen.contains(&seq);
            seen.push(seq);
            again
        })
        .count()
}

/// An endpoint of the schemes' own time: Reno, without options.
fn period() -> Config {
    Config {
        variant: Variant::Reno,
        sack: Some(false),
        timestamps: false,
        limited_transmit: false,
        ..modern()
    }
}

/// Over ten seeds, in a network that `harm`s: seconds, segments that the host sent twice, segments
/// that the box retransmitted.
fn harmed(
    scheme: impl Fn() -> Box<dyn Managed<Bytes>>,
    host: &Config,
    harm: impl Fn(&mut Network<Bytes>),
) -> (f64, usize, u64) {
    let opening =
        Opening { client_config: host.clone(), server_config: host.clone(), ..Opening::of(5_000) };
    let runs = (1..=10).map(|seed| {
        let (mut net, peers) = download(seed, scheme(), &opening);
        harm(&mut net);
        let seconds = finish(&mut net, peers);
        (seconds, repetitions(&net), net.middlebox.counters().retransmissions)
    });
    runs.fold((0.0, 0, 0), |sum, run| (sum.0 + run.0, sum.1 + run.1, sum.2 + run.2))
}

fn loses(net: &mut Network<Bytes>) {
    net.path(FIRST_MOBILE, Way::Out).loss = Probability::new(0.03).expect("a probability");
}

/// What Snoop was made for: a short, fast radio at the end of a long wire.
fn loses_at_the_end_of_a_long_wire(net: &mut Network<Bytes>) {
    loses(net);
    for way in [Way::In, Way::Out] {
        net.path(FIRST_MOBILE, way).delay = Duration::from_millis(5);
        net.path(FIRST_MOBILE, way).rate = Some(250_000);
        net.path(fixed(0), way).delay = Duration::from_millis(100);
    }
}

#[test]
fn losses_of_the_radio_are_repaired_at_the_border() {
    for host in [period(), modern()] {
        let (_, repeated, _) = harmed(|| Box::new(Snoop::new(NO_HELP)), &host, loses);
        for scheme in [Scheme::Snoop, Scheme::Fda, Scheme::WTcp] {
            let (_, few, repaired) = harmed(|| boxed(scheme), &host, loses);
            assert!(2 * few < repeated, "{scheme:?}: {few} instead of {repeated}");
            assert!(repaired >= 20, "{scheme:?}: {repaired}");
        }
    }
}

/// On a long thin radio it takes as long to repair at the border as at the host. Here it does not.
#[test]
fn a_short_radio_at_the_end_of_a_long_wire_gains() {
    let harm = loses_at_the_end_of_a_long_wire;
    for host in [period(), modern()] {
        let (slow, repeated, _) = harmed(|| Box::new(Snoop::new(NO_HELP)), &host, harm);
        for scheme in [Scheme::Snoop, Scheme::WTcp] {
            let (seconds, few, _) = harmed(|| boxed(scheme), &host, harm);
            assert!(seconds < 0.8 * slow, "{scheme:?}: {seconds} s instead of {slow}");
            assert!(5 * few < repeated, "{scheme:?}: {few} instead of {repeated}");
        }
    }
}

#[test]
fn without_losses_no_scheme_sends_again_or_holds_up() {
    let (mut net, peers) = download(1, Box::new(Snoop::new(NO_HELP)), &Opening::of(5_000));
    let plain = finish(&mut net, peers);
    for scheme in SCHEMES {
        let (mut net, peers) = download(1, boxed(scheme), &Opening::of(5_000));
        let seconds = finish(&mut net, peers);
        let counters = net.middlebox.counters();
        assert_eq!((repetitions(&net), counters.timeouts), (0, 0), "{scheme:?}");
        assert!(seconds < 1.15 * plain, "{scheme:?}: {seconds} s instead of {plain}");
        assert_eq!((counters.held_bytes, counters.retransmissions), (0, 0), "{scheme:?}");
    }
}

#[test]
fn flow_control_keeps_the_queue_short() {
    let waiting = |scheme| {
        let (mut net, peers) = download(1, scheme, &Opening::of(5_000));
        finish(&mut net, peers);
        let (mut under_way, mut most) = (0_i64, 0);
        for passage in &net.log {
            let down = passage.packet.source.leg == Leg::Wired;
            if down && passage.way == Way::Out {
                under_way += i64::from(passage.segment().numbers());
                most = most.max(under_way);
            }
            if !down && passage.way == Way::In {
                let acked = passage.segment().header.ack - (Opening::of(5_000).server_isn + 1);
                under_way = most_sent(&net, passage.at) - i64::from(acked);
            }
        }
        most
    };
    let (plain, short) = (waiting(boxed(Scheme::Snoop)), waiting(boxed(Scheme::Fda)));
    // The radio itself holds 20 kB/s times 0.65 s; the target is 6 kB on top, the wire 0.8 kB.
    assert!(plain > 45_000, "{plain}");
    assert!((13_000..24_000).contains(&short), "{short}");
}

/// The offset up to which data had left the box for the mobile by `at`.
fn most_sent(net: &Network<Bytes>, at: Time) -> i64 {
    let first = Opening::of(5_000).server_isn + 1;
    let sent = net.passed(FIRST_MOBILE, Way::Out).take_while(|passage| passage.at <= at);
    let data = sent.filter(|passage| passage.segment().numbers() > 0 && !passage.has(Flags::SYN));
    data.map(|passage| {
        i64::from((passage.segment().header.seq + passage.segment().numbers()).distance(first))
    })
    .max()
    .unwrap_or(0)
}

#[test]
fn duplicates_of_a_disordered_radio_do_not_reach_the_sender() {
    let disorders = |net: &mut Network<Bytes>| {
        net.path(FIRST_MOBILE, Way::Out).jitter = Duration::from_millis(400);
    };
    let (slow, repeated, _) = harmed(|| Box::new(Snoop::new(NO_HELP)), &period(), disorders);
    let (seconds, few, _) = harmed(|| boxed(Scheme::DelayedDupacks), &period(), disorders);
    assert!(2 * few < repeated, "{few} instead of {repeated}");
    assert!(seconds < slow, "{seconds} s instead of {slow}");
}

#[test]
fn a_stall_stops_the_sender_and_the_mobile_wakes_it() {
    for fate in [OutageFate::Held, OutageFate::Lost] {
        let (mut net, peers) = download(1, boxed(Scheme::MTcp), &Opening::of(5_000));
        let [from, to] = [4, 34].map(|secs| Time::ZERO + Duration::from_secs(secs));
        for way in [Way::In, Way::Out] {
            net.path(FIRST_MOBILE, way).outages.push(Outage { from, to, fate });
        }
        finish(&mut net, peers);
        assert_eq!(net.middlebox.counters().zero_windows, 1);
    }
}

/// With W-TCP's clock the host does not see how long data wait at the border for room.
#[test]
fn the_senders_round_trip_has_no_waiting_in_it() {
    let echoes = |scheme| {
        let (mut net, peers) = download(1, scheme, &Opening::of(5_000));
        finish(&mut net, peers);
        let stamped =
            net.passed(fixed(0), Way::Out).filter(|passage| passage.at.as_secs_f64() > 3.0);
        let ages: Vec<f64> = stamped
            .filter_map(|passage| {
                let stamps = passage.segment().header.options.timestamps?;
                Some(passage.at.as_secs_f64() - f64::from(stamps.echo) / 1_000.0)
            })
            .collect();
        ages.iter().sum::<f64>() / ages.len() as f64
    };
    let (plain, hidden) = (echoes(boxed(Scheme::Snoop)), echoes(boxed(Scheme::WTcp)));
    assert!(plain > 1.0, "{plain}");
    assert!((0.6..0.8).contains(&hidden), "{hidden} s: 14 kB at 20 kB/s");
}

#[test]
fn mobiles_among_themselves() {
    for scheme in SCHEMES {
        let opening = Opening { server: mobile(1), ..Opening::of(5_000) };
        let mut net = Network::new(3, boxed(scheme));
        let (client, server) = net.open(&opening);
        for number in 0..2 {
            net.path(mobile(number), Way::Out).loss = Probability::new(0.02).expect("one");
        }
        net.write(client, 40_000);
        net.write(server, 40_000);
        net.close(client);
        net.close(server);
        finish(&mut net, [client, server]);
    }
}

fn endpoint() -> impl Strategy<Value = Config> {
    (any::<bool>(), any::<bool>(), any::<bool>(), 3_000_u32..200_000).prop_map(
        |(sack, timestamps, delayed, receive_buffer)| Config {
            sack: Some(sack),
            timestamps,
            delayed_ack: delayed.then(|| Duration::from_millis(100)),
            receive_buffer: Some(receive_buffer),
            ..modern()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Whatever is lost, disordered or delayed: both streams arrive whole, nothing is acknowledged
    /// early, right edges stay, and what is kept stays within bounds.
    #[test]
    fn laws(
        scheme in prop::sample::select(&SCHEMES[..]),
        seed in any::<u64>(),
        isns in any::<[u32; 2]>(),
        configs in (endpoint(), endpoint()),
        losses in prop::array::uniform4(0.0..0.1_f64),
        jitter in 0_u64..50,
        stall in prop::option::of((1_u64..20, 1_u64..30, any::<bool>())),
        bytes in (0_u64..20_000, 1_u64..80_000),
    ) {
        let mut net = Network::new(seed, boxed(scheme));
        let ways = [fixed(0), FIRST_MOBILE].map(|host| [(host, Way::In), (host, Way::Out)]);
        for ((host, way), loss) in ways.into_iter().flatten().zip(losses) {
            let path = net.path(host, way);
            path.loss = Probability::new(loss).expect("a probability");
            path.jitter = Duration::from_millis(jitter);
            if let Some((from, lasts, held)) = stall && host == FIRST_MOBILE {
                let from = Time::ZERO + Duration::from_secs(from);
                let fate = if held { OutageFate::Held } else { OutageFate::Lost };
                path.outages.push(Outage { from, to: from + Duration::from_secs(lasts), fate });
            }
        }
        net.path(FIRST_MOBILE, Way::Out).rate = Some(20_000);
        let [client_isn, server_isn] = isns.map(Seq::new);
        let (client_config, server_config) = configs;
        let opening = Opening::of(5_000);
        let (client, server) = net
            .open(&Opening { client_isn, server_isn, client_config, server_config, ..opening });
        net.write(client, bytes.0);
        net.write(server, bytes.1);
        net.close(client);
        net.close(server);
        finish(&mut net, [client, server]);
        nothing_unreceived_is_acknowledged(&net.log);
        // M-TCP closes windows that were open: that is its way.
        if scheme != Scheme::MTcp && jitter == 0 {
            edges_never_move_back(&net.log, |host| host.leg == Leg::Wired);
        }
        let counters = net.middlebox.counters();
        prop_assert_eq!(counters.held_bytes, 0);
        prop_assert!(counters.held_max <= 100 * 1_000);
        let left = net.log.iter().filter(|passage| passage.way == Way::Out).count();
        prop_assert_eq!(counters.packets_out, left as u64);
    }
}
