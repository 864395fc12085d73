//! Operations at random over networks at random, through a box that splits: laws hold of every
//! log, and every stream that is not reset arrives whole.

mod support;

use std::slice::from_ref;
use std::sync::Arc;

use base::{Duration, Flags, Probability, Seq, Time};
use bytes::Bytes;
use middlebox::{Leg, PerFlowSplit, SocketBuffers, SplitConfig};
use proptest::prelude::*;
use support::{
    Network, Opening, Outage, OutageFate, Passage, PeerId, Shared, Way, fixed, mobile, modern,
};
use tcp::{Config, Offers};

const BUFFERS: SocketBuffers = SocketBuffers { receive: 20_000, send: 10_000 };

#[derive(Clone, Copy, Debug)]
enum Who {
    MobileCallsHost,
    HostCallsMobile,
    MobileCallsMobile,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Write(u32),
    Close,
    Abort,
    Pause,
    Resume,
    Wait(u32),
}

#[derive(Clone, Debug)]
struct Flow {
    who: Who,
    host: u8,
    isns: [u32; 2],
    offers: [Offers; 2],
    receive_buffers: [u32; 2],
}

#[derive(Clone, Debug)]
struct Weather {
    loss: f64,
    jitter_millis: u64,
    outages: Vec<(u64, u64, bool)>,
    rate: Option<u64>,
}

fn offers() -> impl Strategy<Value = Offers> {
    any::<[bool; 2]>().prop_map(|[sack, timestamps]| Offers { sack, timestamps, ecn: false })
}

fn isn() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (u32::MAX - 60_000)..=u32::MAX]
}

fn flow() -> impl Strategy<Value = Flow> {
    let who = prop_oneof![
        3 => Just(Who::MobileCallsHost),
        1 => Just(Who::HostCallsMobile),
        1 => Just(Who::MobileCallsMobile),
    ];
    let buffer = prop_oneof![Just(5_392_u32), Just(60_000), Just(1_000_000)];
    (who, 0_u8..3, [isn(), isn()], [offers(), offers()], [buffer.clone(), buffer]).prop_map(
        |(who, host, isns, offers, receive_buffers)| Flow {
            who,
            host,
            isns,
            offers,
            receive_buffers,
        },
    )
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (1_u32..40_000).prop_map(Operation::Write),
        2 => Just(Operation::Close),
        1 => Just(Operation::Abort),
        1 => Just(Operation::Pause),
        2 => Just(Operation::Resume),
        4 => (1_u32..5_000).prop_map(Operation::Wait),
    ]
}

fn weather() -> impl Strategy<Value = Weather> {
    let outage = (0_u64..30_000, 1_u64..20_000, any::<bool>());
    let rate = prop_oneof![Just(None), (2_000_u64..50_000).prop_map(Some)];
    (0.0..0.08, 0_u64..40, prop::collection::vec(outage, 0..3), rate).prop_map(
        |(loss, jitter_millis, outages, rate)| Weather { loss, jitter_millis, outages, rate },
    )
}

fn opening(number: usize, flow: &Flow) -> Opening {
    let config = |side: usize| Config {
        offers: flow.offers[side],
        receive_buffer: flow.receive_buffers[side],
        window: 32,
        ..modern()
    };
    let other = mobile(10 + u32::from(flow.host));
    let (client, server) = match flow.who {
        Who::MobileCallsHost => (mobile(0), fixed(0)),
        Who::HostCallsMobile => (fixed(0), mobile(0)),
        Who::MobileCallsMobile => (mobile(0), other),
    };
    Opening {
        client,
        server,
        client_isn: Seq::new(flow.isns[0]),
        server_isn: Seq::new(flow.isns[1]),
        client_config: config(0),
        server_config: config(1),
        ..Opening::of(5_000 + number as u16)
    }
}

fn set_weather(net: &mut Network<Bytes>, weather: &Weather) {
    for host in [fixed(0), mobile(0), mobile(10), mobile(11), mobile(12)] {
        for way in [Way::In, Way::Out] {
            let path = net.path(host, way);
            path.loss = Probability::new(weather.loss).unwrap_or_default();
            path.jitter = Duration::from_millis(weather.jitter_millis);
            if host.leg == Leg::Radio {
                path.rate = weather.rate;
                path.outages.extend(weather.outages.iter().map(|&(from, lasts, held)| {
                    let from = Time::ZERO + Duration::from_millis(from);
                    let to = from + Duration::from_millis(lasts);
                    Outage {
                        from,
                        to,
                        fate: if held { OutageFate::Held } else { OutageFate::Lost },
                    }
                }));
                path.outages.sort_by_key(|outage| outage.from);
            }
        }
    }
}

/// The unit of the window of an endpoint with such a receive buffer: the field has 16 bits.
fn unit(receive_buffer: u32) -> u64 {
    (0..=14)
        .map(|scale| 1 << scale)
        .find(|unit| receive_buffer / unit <= 65_535)
        .unwrap_or(1)
        .into()
}

/// Whether `out` is `inward` as it came.
fn is_untouched(inward: &Passage<Bytes>, out: &Passage<Bytes>) -> bool {
    (inward.way, out.way) == (Way::In, Way::Out) && inward.packet == out.packet
}

fn check_laws(log: &[Passage<Bytes>]) {
    // What passes untouched may have been overtaken on its way to the box.
    let mut words: Vec<_> = log.first().cloned().into_iter().collect();
    let pairs = log.windows(2).filter(|pair| !is_untouched(&pair[0], &pair[1]));
    words.extend(pairs.map(|pair| pair[1].clone()));
    support::edges_never_move_back(&words, |_| true);
    support::nothing_unreceived_is_acknowledged(log);
    support::fins_are_acknowledged_by_their_receiver(log);
}

fn run(
    seed: u64,
    config: SplitConfig,
    flows: &[Flow],
    operations: &[(usize, Operation)],
    weather: &Weather,
    drained_at: Option<usize>,
) -> Network<Bytes> {
    let tcp = Arc::new(Config { mss: 700, ..modern() });
    let shared = Shared::new(PerFlowSplit::per_flow(config, &tcp, BUFFERS));
    let mut net = Network::new(seed, Box::new(shared.clone()));
    set_weather(&mut net, weather);
    let mut peers: Vec<PeerId> = Vec::new();
    for (number, flow) in flows.iter().enumerate() {
        let (client, server) = net.open(&opening(number, flow));
        peers.extend([client, server]);
    }
    let mut aborted = vec![false; flows.len()];
    for (nth, &(which, operation)) in operations.iter().enumerate() {
        if drained_at == Some(nth) {
            shared.get().drain(net.now, &mut |_| {});
        }
        let index = which % peers.len();
        let peer = peers[index];
        match operation {
            Operation::Write(bytes) => net.write(peer, u64::from(bytes)),
            Operation::Close => net.close(peer),
            Operation::Abort => {
                net.abort(peer);
                aborted[index / 2] = true;
            }
            Operation::Pause => net.pause(peer),
            Operation::Resume => net.resume(peer),
            Operation::Wait(millis) => net.run_for(Duration::from_millis(u64::from(millis))),
        }
    }
    for (index, &peer) in peers.iter().enumerate() {
        net.resume(peer);
        if !aborted[index / 2] {
            net.close(peer);
        }
    }
    let whole = |net: &Network<Bytes>| {
        let done = |index: usize| aborted[index / 2] || net.is_at_end(peers[index]);
        (0..peers.len()).all(done)
    };
    if !net.run_while(Duration::from_secs(5_000), whole) {
        for (index, &peer) in peers.iter().enumerate() {
            if !aborted[index / 2] && !net.is_at_end(peer) {
                eprintln!("{index} {:?} has {}", net.state(peer), net.read(peer));
            }
        }
        let resets = net.log.iter().filter(|passage| passage.has(Flags::RST)).count();
        panic!("not whole; {resets} resets");
    }
    net
}

proptest! {

    #[test]
    fn streams_arrive_whole_and_laws_hold(
        seed in any::<u64>(),
        flows in prop_oneof![
            9 => prop::collection::vec(flow(), 1..4),
            1 => prop::collection::vec(flow(), 4..64),
        ],
        operations in prop::collection::vec((0_usize..1_000, operation()), 0..60),
        weather in weather(),
        clamps in any::<[bool; 3]>(),
        drained_at in prop_oneof![2 => Just(None), 1 => (0_usize..60).prop_map(Some)],
    ) {
        let config = SplitConfig {
            mss: clamps[0].then_some(600),
            uplink_clamp: clamps[1].then_some(3_000),
            delayed_ack: clamps[2].then_some(Duration::from_millis(100)),
            ..SplitConfig::PLAIN
        };
        let mut net = run(seed, config, &flows, &operations, &weather, drained_at);
        check_laws(&net.log);
        // Everything is forgotten after a while, and nothing is held.
        // Most that a mobile can be owed: both buffers of each direction that ends at it, and less
        // than a unit of the scale of its window more.
        let counters = net.middlebox.counters();
        let budget = |flow: &Flow| {
            let whole = |buffer: u32| BUFFERS.receive + BUFFERS.send + unit(buffer) - 1;
            let [client, server] = flow.receive_buffers;
            match flow.who {
                Who::MobileCallsHost => whole(client),
                Who::HostCallsMobile => whole(server),
                Who::MobileCallsMobile => whole(client).max(whole(server)),
            }
        };
        prop_assert!(counters.held_max <= flows.iter().map(budget).sum());
        net.run_for(Duration::from_secs(4 * 3_600));
        prop_assert_eq!(net.middlebox.counters().held_bytes, 0);
        prop_assert_eq!(net.middlebox.poll_timeout(), None);
    }
}

#[test]
fn equal_seeds_give_equal_logs() {
    let flow = Flow {
        who: Who::MobileCallsHost,
        host: 0,
        isns: [7, u32::MAX - 5_000],
        offers: [Offers { sack: true, timestamps: true, ecn: false }; 2],
        receive_buffers: [60_000; 2],
    };
    let weather = Weather { loss: 0.05, jitter_millis: 20, outages: Vec::new(), rate: Some(9_000) };
    let operations = [(1, Operation::Write(90_000)), (0, Operation::Write(9_000))];
    let log = |seed| {
        let net = run(seed, SplitConfig::PLAIN, from_ref(&flow), &operations, &weather, None);
        net.log.iter().map(|passage| format!("{passage:?}")).collect::<Vec<_>>()
    };
    assert_eq!(log(3), log(3));
    assert_ne!(log(3), log(4));
}
