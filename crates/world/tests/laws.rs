//! Laws of a whole world: packets are conserved, ties have a law, nothing takes for ever.

use std::sync::Arc;

use base::{Duration, Probability, Rate, Schedule, Seq, Time};
use link::disorder::{self, Counts};
use link::queue::{self, Discipline, codel};
use link::{Config as PipeConfig, Counters, LinkConfig, Service, loss};
use observe::{DropReason, Observe, PacketEvent, PacketFact, TcpFact};
use radio::umts::rlc::RlcConfig;
use radio::umts::rlc::am::{self, Repetition};
use radio::umts::{Bearer, BlockErrorRate, Channel, DchConfig, Limit, PdcpConfig};
use tcp::{Length, Segment};
use world::{Connection, Hop, MachineId, NodeId, Side, Sink, Source, World};

type Net = World<Segment<Length>>;

const MSS: u32 = 500;

fn tcp_config() -> tcp::Config {
    tcp::Config {
        mss: MSS,
        window: 32,
        receive_buffer: Some(32 * MSS),
        tick: Duration::from_millis(10),
        initial_rto: Duration::from_secs(1),
        limited_transmit: true,
        time_wait: Duration::from_secs(1),
        ..tcp::Config::plain()
    }
}

fn link(kbps: u64, delay_ms: u64, queue_limit: Option<u32>) -> PipeConfig {
    let rate = (kbps > 0).then(|| Rate::from_bps(kbps * 1000));
    PipeConfig { rate, delay: Duration::from_millis(delay_ms), queue_limit }
}

/// A row of nodes joined by `links`, alike both ways, with routes to its two ends.
fn chain(links: &[PipeConfig]) -> (Net, Vec<NodeId>) {
    let mut world = World::new();
    let mut nodes = vec![world.add_node("n0")];
    for (index, config) in links.iter().enumerate() {
        let (from, to) = (nodes[index], world.add_node(&format!("n{}", index + 1)));
        let down = world.add_pipe("down", config, to);
        let up = world.add_pipe("up", config, from);
        world.set_route(from, None, down);
        world.set_route(to, Some(nodes[0]), up);
        nodes.push(to);
    }
    (world, nodes)
}

fn connect(world: &mut Net, ends: [NodeId; 2], bytes: u64) -> [MachineId; 2] {
    let tcp = Arc::new(tcp_config());
    let connection = Connection {
        sender: ends[0],
        receiver: ends[1],
        tcp: [&tcp; 2],
        group: 0,
        server: Side::Sender,
        port: 20,
        opener: Side::Sender,
        no_delay: false,
        dscp: 0,
        is_encrypted: false,
        start: Time::ZERO,
        abort: None,
        isn: [Seq::new(u32::MAX - 700), Seq::new(9)],
    };
    world.add_connection(&connection, [Source::file(Length(bytes)).into(), Sink.into()])
}

/// Counts packets by what happened to them, and the bytes that arrived in order.
#[derive(Default, Debug)]
struct Census {
    departed: u64,
    arrived: u64,
    entered: u64,
    left: u64,
    dropped: u64,
    duplicated: u64,
    corrupted: u64,
    /// By a receiver, for the checksum.
    discarded: u64,
    delivered: Vec<(u32, u64)>,
    order: Vec<u32>,
}

impl Observe for Census {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed => {
                self.departed += 1;
                self.order.push(fact.machine);
            }
            PacketEvent::Arrived => self.arrived += 1,
            PacketEvent::Entered => self.entered += 1,
            PacketEvent::Left => self.left += 1,
            PacketEvent::Dropped(DropReason::Corrupt) => self.discarded += 1,
            PacketEvent::Dropped(_) => self.dropped += 1,
            PacketEvent::Duplicated(_) => self.duplicated += 1,
            PacketEvent::Corrupted => self.corrupted += 1,
        }
    }

    fn tcp(&mut self, _now: Time, endpoint: u32, fact: TcpFact) {
        if let TcpFact::Data { delivered, .. } = fact {
            self.delivered.retain(|(id, _)| *id != endpoint);
            self.delivered.push((endpoint, delivered));
        }
    }
}

fn run(world: &mut Net, seconds: u64) -> Census {
    let mut census = Census::default();
    let end = Time::ZERO + Duration::from_secs(seconds);
    let mut last = Time::ZERO;
    while let Some(now) = world.step(end, &mut census) {
        assert!(last <= now && now <= end, "time went from {last:?} to {now:?}");
        last = now;
    }
    census
}

#[test]
fn packets_are_conserved_and_every_byte_arrives() {
    let links = [link(10_000, 5, None), link(200, 30, Some(4)), link(0, 0, None), link(0, 1, None)];
    let (mut world, nodes) = chain(&links);
    let [_, receiver] = connect(&mut world, [nodes[0], nodes[4]], 300_000);
    let census = run(&mut world, 600);
    assert_eq!(census.delivered, [(receiver.0, 300_000)]);
    assert!(census.dropped > 0, "the short queue never overflowed");
    assert_eq!(census.departed, census.arrived + census.dropped);
    assert_eq!(census.entered, census.left + census.dropped);
    assert_eq!(world.poll_timeout(), None, "a closed connection leaves nothing to do");
    assert_eq!(world.unroutable(), 0);
}

#[test]
fn a_network_without_any_delay_comes_to_an_end() {
    let (mut world, nodes) = chain(&[link(0, 0, None), link(0, 0, None)]);
    let [_, receiver] = connect(&mut world, [nodes[0], nodes[2]], 5_000_000);
    let census = run(&mut world, 10);
    assert_eq!(census.delivered, [(receiver.0, 5_000_000)]);
}

#[test]
fn equal_times_run_in_the_order_of_the_machines() {
    let (mut world, nodes) = chain(&[link(1000, 10, None)]);
    let pairs: Vec<_> = (0..5).map(|_| connect(&mut world, [nodes[0], nodes[1]], 100)).collect();
    let census = run(&mut world, 1);
    let senders: Vec<_> = pairs.iter().map(|[sender, _]| sender.0).collect();
    assert_eq!(census.order[..5], senders);
}

#[test]
fn flows_between_the_same_nodes_keep_apart() {
    let (mut world, nodes) = chain(&[link(1000, 10, Some(20))]);
    let sizes = [1_000, 70_000, 5, 33_333];
    let receivers: Vec<_> =
        sizes.iter().map(|&bytes| connect(&mut world, [nodes[0], nodes[1]], bytes)[1].0).collect();
    let mut delivered = run(&mut world, 120).delivered;
    delivered.sort_unstable();
    assert_eq!(delivered, receivers.into_iter().zip(sizes).collect::<Vec<_>>());
}

fn dch(tbler: f64, queue_limit: Option<u32>) -> DchConfig {
    let tbler = Probability::new(tbler).expect("a probability");
    let channel = |kbps: u64, tti| Channel {
        rate: Rate::from_bps(kbps * 1000).into(),
        tti: Duration::from_millis(tti),
        tbler: BlockErrorRate::Constant(tbler).into(),
        limit: Limit { packets: queue_limit, ..Limit::NONE },
    };
    let repetition = Repetition { timer: Duration::from_millis(200), max: None };
    let pdcp = PdcpConfig { header_bytes: 1, header_compression: true };
    let rlc = RlcConfig {
        window: 1024,
        poll: am::Poll { window_utilization: Probability::new(0.5), ..am::Poll::default() },
        reset: repetition,
        move_window: repetition,
        ..RlcConfig::default()
    };
    DchConfig::new(channel(384, 10), channel(64, 20), pdcp, rlc)
}

#[test]
fn a_radio_hop_drops_openly_or_not_at_all() {
    let check = |tbler, queue_limit, drops: bool| {
        let (mut world, nodes) = chain(&[link(0, 20, None)]);
        let mobile = world.add_node("UE");
        let config = dch(tbler, queue_limit);
        let make = |id| radio::Cell::UmtsDch(Box::new(Bearer::new(id, &config, 3, "Uu")));
        let bearer = world.add_radio("Uu", nodes[1], vec![mobile], make);
        world.set_route(nodes[1], Some(mobile), bearer);
        world.set_route(mobile, None, bearer);
        let [_, receiver] = connect(&mut world, [nodes[0], mobile], 200_000);
        let census = run(&mut world, 600);
        assert_eq!(census.delivered, [(receiver.0, 200_000)]);
        assert_eq!(census.dropped > 0, drops, "at {tbler} with {queue_limit:?}: {census:?}");
        assert_eq!(census.departed, census.arrived + census.dropped);
        let radio = world.machine(bearer).radio().expect("it was added as one");
        assert_eq!(radio.cell.poll_timeout(), None);
    };
    check(0.0, None, false);
    check(0.3, None, false);
    check(0.1, Some(5), true);
}

/// A link that loses packets in all ways and disorders that share of them, both ways, for 600 s.
fn lossy(share: f64) -> (Census, [Counters; 2], [Option<Counts>; 2]) {
    let chance = Probability::new(share).expect("in range");
    let codel = codel::Config {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(50),
        mtu: 1500,
    };
    let config = LinkConfig {
        service: Service::Rate(Schedule::constant(Some(Rate::from_bps(400_000)))),
        delay: Schedule::constant(Duration::from_millis(30)),
        queue: queue::Config { discipline: Discipline::CoDel(codel), ..queue::Config::UNLIMITED },
        drop_arrivals: vec![0, 7],
        loss: loss::Config {
            bernoulli: Probability::new(0.02).map(Schedule::constant),
            ..loss::Config::default()
        },
        disorder: disorder::Keys {
            reorder: chance,
            duplicate: chance,
            corrupt: chance,
            ..disorder::Keys::default()
        }
        .config(),
    };
    let (mut world, nodes) = chain(&[link(0, 5, None)]);
    let end = world.add_node("end");
    let down = world.add_link("lossy/down", &config, end, 4);
    let up = world.add_link("lossy/up", &config, nodes[1], 4);
    world.set_route(nodes[1], None, down);
    world.set_route(end, Some(nodes[0]), up);
    let [_, receiver] = connect(&mut world, [nodes[0], end], 200_000);
    let census = run(&mut world, 600);
    assert_eq!(census.delivered, [(receiver.0, 200_000)]);
    let links = [down, up].map(|id| {
        let Some(Hop::Link { link, .. }) = world.machine(id).hop() else { unreachable!() };
        assert_eq!((link.in_flight(), link.poll_timeout()), (0, None));
        (link.counters(Time::ZERO + Duration::from_secs(600)), link.disorder())
    });
    (census, links.map(|link| link.0), links.map(|link| link.1))
}

/// What is lost on the wire, dropped when its turn comes or on a list is dropped openly, and all
/// the same every byte arrives.
#[test]
fn a_link_that_loses_drops_openly() {
    let (census, [forth, back], _) = lossy(0.0);
    let (forth, back) = (forth.drops, back.drops);
    assert_eq!(census.departed, census.arrived + census.dropped);
    assert_eq!(census.dropped, forth.total() + back.total());
    assert!(forth.list == 2 && forth.aqm > 0 && forth.loss > 0 && back.loss > 0, "{forth:?}");
}

/// So is what comes late, twice or with a wrong bit.
#[test]
fn a_link_that_disorders_packets_does_so_openly() {
    let (census, [forth, back], disorder) = lossy(0.03);
    let gone = census.arrived + census.dropped + census.discarded;
    assert_eq!(census.departed + census.duplicated, gone);
    assert_eq!(census.entered + census.duplicated, census.left + census.dropped);
    assert_eq!(census.dropped, forth.drops.total() + back.drops.total());
    let [forth, back] = disorder.map(|counts| counts.expect("it may"));
    assert_eq!(census.duplicated, forth.duplicated + back.duplicated);
    assert_eq!(census.corrupted, forth.corrupted + back.corrupted);
    assert_eq!(census.corrupted, census.discarded);
    assert!(forth.reordered > 0 && forth.duplicated > 0 && forth.corrupted > 0, "{forth:?}");
}
