//! Operations at random over networks at random, through a box that splits: laws hold of every
//! log, and every stream that is not reset arrives whole.

use std::slice::from_ref;
use std::sync::Arc;

use base::{Duration, Flags};
use bytes::Bytes;
use middlebox::{BothWays, Managed, PerFlow, SocketBuffers, SplitConfig, Splitter, Uplink};
use observe::BoxContext;
use proptest::prelude::*;
use tcp::{Config, EcnFeedback, Offers};

use crate::support::random::{
    Flow, Operation, Weather, Who, flow, opening, operation, set_weather, weather,
};
use crate::support::{self, Network, Passage, PeerId, Shared, Way, modern};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(20_000, 10_000);

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

fn check_laws(log: &[Passage<Bytes>], uplink: Uplink) {
    // What passes untouched may have been overtaken on its way to the box.
    let mut words: Vec<_> = log.first().cloned().into_iter().collect();
    let pairs = log.windows(2).filter(|pair| !is_untouched(&pair[0], &pair[1]));
    words.extend(pairs.map(|pair| pair[1].clone()));
    match uplink {
        Uplink::Rides => support::edges_never_move_back(&words, |_| true),
        Uplink::Split => support::edges_never_move_back_either_way(&words),
    }
    support::a_repeated_syn_takes_no_window_back(log);
    support::clocks_are_somebodys(log);
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
    let senders = || PerFlow::new(&tcp, BUFFERS);
    let shared = Shared::new(Splitter::new(config, BothWays::new(senders(), senders())));
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
            shared.get().drain(&mut BoxContext { now: net.now, observe: &mut |_| {} });
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
            uplink: if clamps[0] { Uplink::Split } else { Uplink::Rides },
            uplink_clamp: clamps[1].then_some(3_000),
            delayed_ack: clamps[2].then_some(Duration::from_millis(100)),
            ..SplitConfig::PLAIN
        };
        let mut net = run(seed, config, &flows, &operations, &weather, drained_at);
        check_laws(&net.log, config.uplink);
        // Everything is forgotten after a while, and nothing is held.
        // Most that a mobile can be owed: both buffers of each direction that ends at it, and less
        // than a unit of the scale of its window more.
        let counters = net.middlebox.counters();
        let budget = |flow: &Flow| {
            let whole = |buffer: u32| BUFFERS.first_bytes() + unit(buffer) - 1;
            let [client, server] = flow.receive_buffers;
            match flow.who {
                Who::MobileCallsHost if config.uplink == Uplink::Rides => whole(client),
                Who::HostCallsMobile if config.uplink == Uplink::Rides => whole(server),
                Who::MobileCallsHost | Who::HostCallsMobile | Who::MobileCallsMobile => {
                    whole(client).max(whole(server))
                }
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
        offers: [Offers { sack: true, timestamps: true, ecn: EcnFeedback::Off }; 2],
        receive_buffers: [60_000; 2],
        mss: [1_000; 2],
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
