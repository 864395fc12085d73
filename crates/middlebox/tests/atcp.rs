//! Whole connections through the aggregating proxy, on networks at random.

use std::sync::Arc;

use base::{Duration, Flags, Probability, Rate, Time};
use bytes::Bytes;
use middlebox::{
    Atcp, AtcpConfig, BothWays, Class, Estimation, Leg, Managed, PerFlow, SocketBuffers,
    SplitConfig, Splitter, Uplink,
};
use observe::MiddleboxFact;
use proptest::prelude::*;
use tcp::{Config, Payload};

use crate::support::{
    self, Network, Opening, Outage, OutageFate, Passage, Passing, PeerId, Way, aggregating, fixed,
    mobile, modern,
};

fn config() -> AtcpConfig {
    AtcpConfig { coalescing: true, deference: Some(0.9), ..aggregating() }
}

fn network(seed: u64, config: AtcpConfig) -> Network<Bytes> {
    Network::new(seed, Box::new(Splitter::new(SplitConfig::PLAIN, Atcp::new(config))))
}

fn network_both_ways(seed: u64, config: AtcpConfig) -> Network<Bytes> {
    let split = SplitConfig { uplink: Uplink::Split, ..SplitConfig::PLAIN };
    let buffers = SocketBuffers::fixed(20_000, 20_000);
    let wired = PerFlow::new(&Arc::new(modern()), buffers);
    Network::new(seed, Box::new(Splitter::new(split, BothWays::new(Atcp::new(config), wired))))
}

/// The radio of level 0: 4150 B/s after 0.8 s, 1400 B/s after 0.6 s.
fn radio(net: &mut Network<Bytes>) {
    for (way, rate, millis) in [(Way::Out, 4_150, 800), (Way::In, 1_400, 600)] {
        let path = net.path(mobile(0), way);
        path.rate = Some(rate);
        path.delay = Duration::from_millis(millis);
    }
}

fn laws(log: &[Passage<Bytes>]) {
    support::edges_never_move_back(log, |_| true);
    support::nothing_unreceived_is_acknowledged(log);
    support::fins_are_acknowledged_by_their_receiver(log);
}

/// Waits until the mobile has read all that the host wrote and closed.
fn whole(net: &mut Network<Bytes>, flows: &[(PeerId, PeerId)], limit: u64) {
    for &(client, server) in flows {
        net.close(server);
        net.close(client);
    }
    let done = |net: &Network<Bytes>| {
        flows.iter().all(|&(client, server)| net.is_at_end(client) && net.is_at_end(server))
    };
    if !net.run_while(Duration::from_secs(limit), done) {
        for &(client, server) in flows {
            if !(net.is_at_end(client) && net.is_at_end(server)) {
                let about = |peer| {
                    let unacknowledged = net.endpoint(peer).sender().unacknowledged();
                    (net.state(peer), net.read(peer), unacknowledged)
                };
                eprintln!("{client:?} {:?} {:?}", about(client), about(server));
            }
        }
        panic!("not whole at {:?}", net.now);
    }
    laws(&net.log);
}

fn stalls(net: &Network<Bytes>) -> usize {
    net.facts.iter().filter(|fact| matches!(fact.1, MiddleboxFact::Stalled { .. })).count()
}

#[test]
fn a_second_connection_opens_at_once_and_has_its_half() {
    let mut net = network(1, config());
    radio(&mut net);
    let first = net.open(&Opening::of(5_000));
    net.write(first.1, 600_000);
    net.run_for(Duration::from_secs(20));
    let from = net.now;
    let second = net.open(&Opening::of(5_001));
    net.write(second.1, 600_000);
    let stands = |net: &Network<Bytes>| net.state(second.0) == tcp::State::Established;
    assert!(net.run_while(Duration::from_secs(3), stands), "P2: in less than 3 s");
    net.run_for(Duration::from_secs(10));
    let before = [first, second].map(|flow| net.read(flow.0) as f64);
    net.run_for(Duration::from_secs(60));
    let shares = [0, 1].map(|index| net.read([first, second][index].0) as f64 - before[index]);
    let jain = shares.iter().sum::<f64>().powi(2)
        / (2.0 * shares.iter().map(|share| share * share).sum::<f64>());
    assert!(jain > 0.98, "{shares:?} since {from:?}");
    let syns = net.log.iter().filter(|passage| {
        passage.way == Way::In && passage.has(Flags::SYN) && !passage.has(Flags::ACK)
    });
    assert_eq!((syns.count(), stalls(&net)), (2, 0));
    whole(&mut net, &[first, second], 400);
}

/// A page is there as soon as without the proxy, however much of its last segment is filled.
#[test]
fn the_end_of_a_page_does_not_wait() {
    for bytes in (500..9_000).step_by(250) {
        let took = |middlebox: Box<dyn Managed<Bytes>>| {
            let mut net = Network::new(1, middlebox);
            let (client, server) = net.open(&Opening::of(5_000));
            net.run_for(Duration::from_secs(2));
            for page in 1..=3 {
                net.write(server, bytes);
                let whole = |net: &Network<Bytes>| net.read(client) == page * bytes;
                assert!(net.run_while(Duration::from_secs(10), whole));
                net.run_for(Duration::from_millis(500));
            }
            net.read_at(client)
        };
        let proxy = Splitter::new(SplitConfig::PLAIN, Atcp::new(config()));
        let [with, without] = [took(Box::new(proxy)), took(Box::<Passing<Bytes>>::default())];
        assert!(with <= without, "{bytes} B: {with:?}, {without:?} without");
    }
}

/// The budget holds without a stall; a window is zero only once a sender's persist timer has sent
/// less than a segment.
#[test]
fn nothing_stalls_and_the_budget_is_kept() {
    for flows in [1, 4, 16, 64] {
        let mut net = network(3, config());
        radio(&mut net);
        let peers: Vec<_> = (0..flows).map(|port| net.open(&Opening::of(6_000 + port))).collect();
        for &(_, server) in &peers {
            net.write(server, 400_000 / u64::from(flows));
        }
        net.run_for(Duration::from_secs(60));
        let counters = net.middlebox.counters();
        assert!(counters.held_max <= config().budget, "{flows}: {}", counters.held_max);
        assert_eq!(stalls(&net), 0, "{flows} flows");
        if flows == 1 {
            assert_eq!(counters.zero_windows, 0);
        }
        whole(&mut net, &peers, 600);
    }
}

/// A reset: what waits is thrown away, and the radio is soon free.
#[test]
fn a_reset_discards_what_waits() {
    let mut net = network(4, config());
    radio(&mut net);
    let (client, server) = net.open(&Opening::of(7_000));
    net.write(server, 600_000);
    net.run_for(Duration::from_secs(20));
    assert!(net.middlebox.counters().held_bytes > 10_000);
    net.abort(client);
    net.run_for(Duration::from_secs(3));
    let counters = net.middlebox.counters();
    assert_eq!(counters.held_bytes, 0);
    assert!(counters.discarded_bytes > 10_000, "{counters:?}");
    let from = net.now;
    net.run_for(Duration::from_secs(30));
    let late = net.log.iter().filter(|passage| {
        passage.at >= from && passage.way == Way::Out && passage.host().leg == Leg::Radio
    });
    assert_eq!(late.count(), 0);
}

/// Telnet under a bulk download: an echo takes little more than without one.
#[test]
fn an_interactive_flow_keeps_its_echo() {
    let echo = |bulk: bool| {
        let classes = vec![Class { port: Some(23), priority: 1, ..Class::default() }];
        // A clamp of what the radio holds: what is beyond waits before it, whatever the class.
        let mut net = network(5, AtcpConfig { classes, clamp: 6_500, ..config() });
        radio(&mut net);
        if bulk {
            let (_, server) = net.open(&Opening::of(8_000));
            net.write(server, 600_000);
        }
        let telnet = net.open(&Opening { server_port: 23, ..Opening::of(8_001) });
        net.run_for(Duration::from_secs(30));
        let mut total = 0.0;
        for index in 1..=10 {
            let from = net.now;
            net.write(telnet.0, 1);
            let heard = |net: &Network<Bytes>| net.read(telnet.1) == index;
            assert!(net.run_while(Duration::from_secs(20), heard));
            net.write(telnet.1, 1);
            let back = |net: &Network<Bytes>| net.read(telnet.0) == index;
            assert!(net.run_while(Duration::from_secs(20), back));
            total += (net.now - from).as_secs_f64();
            net.run_for(Duration::from_millis(3_700));
        }
        total / 10.0
    };
    let (alone, under) = (echo(false), echo(true));
    let segment = 1_040.0 / 4_150.0;
    assert!(under <= 1.2 * alone + segment, "{under} s, alone {alone} s");
}

#[derive(Clone, Debug)]
struct Weather {
    loss: f64,
    outages: Vec<(u64, u64, bool)>,
    rate: Option<u64>,
}

fn weather() -> impl Strategy<Value = Weather> {
    let outage = (0_u64..60_000, 1_u64..40_000, any::<bool>());
    let rate = prop_oneof![Just(None), (2_000_u64..50_000).prop_map(Some)];
    (0.0..0.08, prop::collection::vec(outage, 0..3), rate)
        .prop_map(|(loss, outages, rate)| Weather { loss, outages, rate })
}

fn set(net: &mut Network<Bytes>, weather: &Weather) {
    for host in [fixed(0), mobile(0), mobile(1)] {
        for way in [Way::In, Way::Out] {
            let path = net.path(host, way);
            path.loss = Probability::new(weather.loss).unwrap_or_default();
            if host.leg == Leg::Radio {
                path.rate = weather.rate;
                for &(from, lasts, held) in &weather.outages {
                    let from = Time::ZERO + Duration::from_millis(from);
                    let to = from + Duration::from_millis(lasts);
                    let fate = if held { OutageFate::Held } else { OutageFate::Lost };
                    path.outages.push(Outage { from, to, fate });
                }
                path.outages.sort_by_key(|outage| outage.from);
            }
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Write(u32),
    Abort,
    Pause,
    Resume,
    Wait(u32),
}

fn operations() -> impl Strategy<Value = Vec<(usize, Operation)>> {
    let operation = prop_oneof![
        8 => (1_u32..40_000).prop_map(Operation::Write),
        1 => Just(Operation::Abort),
        1 => Just(Operation::Pause),
        2 => Just(Operation::Resume),
        4 => (1_u32..8_000).prop_map(Operation::Wait),
    ];
    prop::collection::vec((0_usize..256, operation), 1..40)
}

fn settings() -> impl Strategy<Value = AtcpConfig> {
    let estimator =
        prop_oneof![Just(Estimation::Static), Just(Estimation::Westwood), Just(Estimation::Radio),];
    (500_u64..40_000, estimator, any::<[bool; 4]>(), 8_000_u64..200_000).prop_map(
        |(clamp, estimator, [patient, shaped, plain, timed], budget)| AtcpConfig {
            clamp,
            estimator,
            budget,
            patience: Duration::from_millis(if patient { 300 } else { 0 }),
            shaping: shaped.then_some(Rate::from_bps(30_000)),
            fractions: timed,
            coalescing: plain,
            ..config()
        },
    )
}

/// From a fixed host to a mobile, or between mobiles; with and without SACK.
fn opening(number: usize, kind: u8) -> Opening {
    let (sack, timestamps) = (Some(kind & 1 == 0), kind & 2 == 0);
    let receive_buffer = Some(if kind & 4 == 0 { 60_000 } else { 5_392 });
    let own = Config { sack, timestamps, receive_buffer, window: 32, ..modern() };
    let (client, server) = match kind >> 3 {
        0 => (fixed(0), mobile(0)),
        1 => (mobile(0), mobile(1)),
        _ => (mobile(0), fixed(0)),
    };
    let port = 5_000 + number as u16;
    Opening { client, server, client_config: own.clone(), server_config: own, ..Opening::of(port) }
}

/// Many flows over a slow radio that loses, and a budget of less than a segment for each.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    flows: u16,
    budget: u64,
    loss: f64,
    rate: u64,
    sack: bool,
    coalescing: bool,
    patient: bool,
}

/// How often each byte is sent over the radio on average, once all of 200 kB have arrived. No
/// connection is given up: the mobile is heard of.
fn transmissions(seed: u64, crowd: Crowd) -> f64 {
    let Crowd { flows, budget, loss, rate, sack, coalescing, patient } = crowd;
    let settings = AtcpConfig {
        clamp: budget.min(26_000),
        budget,
        coalescing,
        patience: Duration::from_millis(if patient { 300 } else { 0 }),
        ..config()
    };
    let mut net = network(seed, settings);
    set(&mut net, &Weather { loss, outages: Vec::new(), rate: Some(rate) });
    let own = Config { sack: Some(sack), window: 32, ..modern() };
    let (client_config, server_config) = (own.clone(), own);
    let opening = Opening { client_config, server_config, ..Opening::of(0) };
    let open = |client_port| net.open(&Opening { client_port, ..opening.clone() });
    let peers: Vec<_> = (5_000..5_000 + flows).map(open).collect();
    let each = 200_000 / u64::from(flows);
    for &(_, server) in &peers {
        net.write(server, each);
    }
    whole(&mut net, &peers, 2_000);
    let sent = |passage: &&Passage<Bytes>| {
        assert!(!passage.has(Flags::RST), "{crowd:?} at {:?}", passage.at);
        passage.way == Way::Out && passage.host().leg == Leg::Radio
    };
    let sent = net.log.iter().filter(sent).map(|passage| passage.segment().payload.length());
    sent.sum::<u64>() as f64 / (each * u64::from(flows)) as f64
}

/// A duplicate acknowledgement that a packet sent needlessly brought says nothing of others, and
/// one that was retransmitted may have arrived the first time: else each would make more be sent
/// needlessly, until a full queue looks like silence.
#[test]
fn what_is_sent_in_vain_makes_nothing_more_be_sent_in_vain() {
    for (flows, budget) in [(16, 32_000), (42, 16_000), (42, 32_000), (42, 128_000)] {
        for (loss, most) in [(0.0, 1.001), (0.02, 1.2), (0.06, 1.5)] {
            for [sack, coalescing] in [[false; 2], [false, true], [true, false], [true; 2]] {
                let rest =
                    Crowd { flows, budget, loss, rate: 3_116, sack, coalescing, patient: true };
                let mean = transmissions(7, rest);
                assert!(mean <= most, "{rest:?}: {mean}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// No byte is lost, doubled or out of order, no ACK is ahead, no FIN is acknowledged early, no
    /// edge moves back, and the budget holds: with 1 to 64 flows, losses, disorder, stalls and
    /// resets.
    #[test]
    fn laws_hold_on_any_network(
        seed in any::<u64>(),
        kinds in prop_oneof![
            4 => prop::collection::vec(0_u8..32, 1..5),
            1 => prop::collection::vec(0_u8..32, 5..65),
        ],
        operations in operations(),
        weather in weather(),
        settings in settings(),
        both_ways in any::<bool>(),
    ) {
        // What the wired leg holds of 64 connections at most is its own.
        let budget = settings.budget.max(if both_ways { 64 * 2 * 20_000 } else { 0 });
        let mut net =
            if both_ways { network_both_ways(seed, settings) } else { network(seed, settings) };
        set(&mut net, &weather);
        let flows: Vec<_> = kinds
            .iter()
            .enumerate()
            .map(|(number, &kind)| net.open(&opening(number, kind)))
            .collect();
        let mut aborted = vec![false; flows.len()];
        for (which, operation) in operations {
            let index = which / 2 % flows.len();
            let peer = if which % 2 == 0 { flows[index].0 } else { flows[index].1 };
            match operation {
                Operation::Write(bytes) => net.write(peer, u64::from(bytes)),
                Operation::Abort => {
                    net.abort(peer);
                    aborted[index] = true;
                }
                Operation::Pause => net.pause(peer),
                Operation::Resume => net.resume(peer),
                Operation::Wait(millis) => net.run_for(Duration::from_millis(u64::from(millis))),
            }
        }
        let mut left = Vec::new();
        for (index, &flow) in flows.iter().enumerate() {
            net.resume(flow.0);
            net.resume(flow.1);
            if !aborted[index] {
                left.push(flow);
            }
        }
        whole(&mut net, &left, 20_000);
        let counters = net.middlebox.counters();
        prop_assert!(counters.held_max <= budget, "{} of {budget}", counters.held_max);
        net.run_for(Duration::from_secs(4 * 3_600));
        prop_assert_eq!(net.middlebox.counters().held_bytes, 0);
        prop_assert_eq!(net.middlebox.poll_timeout(), None);
    }
    /// All arrives, whatever the budget, the number of flows and the losses, and no connection is
    /// given up.
    #[test]
    fn crowds_are_served(
        seed in any::<u64>(),
        flows in 1_u16..48,
        budget in 8_000_u64..130_000,
        loss in 0.0..0.08,
        rate in 2_000_u64..50_000,
        [sack, coalescing, patient] in any::<[bool; 3]>(),
    ) {
        let crowd = Crowd { flows, budget, loss, rate, sack, coalescing, patient };
        let mean = transmissions(seed, crowd);
        prop_assert!(mean <= 2.0, "{}", mean);
    }
}
