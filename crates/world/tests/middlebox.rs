//! A box in the chain: what it is handed, what it hands out, and that nothing is lost on the way.

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Duration, Rate, Seq, Time};
use link::Config as PipeConfig;
use middlebox::{Counters, Leg, Middlebox, Packet};
use observe::{BoxContext, MiddleboxFact, Observe, PacketEvent, PacketFact, TcpFact};
use tcp::{Length, Segment};
use world::{Connection, MachineId, NodeId, Side, Sink, Source, World};

type Net = World<Segment<Length>>;

const MSS: u32 = 500;
const WAIT: Duration = Duration::from_millis(40);

/// Passes on what comes; keeps every third pure acknowledgement to itself, sends every fifth data
/// segment twice, and holds back what comes from the radio for a while.
#[derive(Debug, Default)]
struct Meddler {
    out: VecDeque<Packet<Length>>,
    waiting: VecDeque<(Time, Packet<Length>)>,
    data: u64,
    acknowledgements: u64,
    counters: Counters,
}

impl Middlebox<Length> for Meddler {
    fn handle_packet(&mut self, cx: &mut BoxContext<'_>, packet: Packet<Length>) {
        self.counters.packets_in += 1;
        assert_ne!(packet.source.leg, packet.destination.leg, "{packet:?}");
        match packet.source.leg {
            Leg::Wired => {
                self.data += 1;
                if self.data.is_multiple_of(5) {
                    cx.tell(MiddleboxFact::Stalled { mobile: 0 });
                    self.out.push_back(packet.clone());
                }
                self.out.push_back(packet);
            }
            Leg::Radio => {
                self.acknowledgements += 1;
                if self.acknowledgements.is_multiple_of(3) && packet.segment.payload.0 == 0 {
                    self.counters.suppressed += 1;
                } else {
                    self.waiting.push_back((cx.now + WAIT, packet));
                }
            }
        }
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        while self.waiting.front().is_some_and(|(due, _)| *due <= cx.now)
            && let Some((_, packet)) = self.waiting.pop_front()
        {
            self.out.push_back(packet);
        }
    }

    fn poll_output(&mut self, _cx: &mut BoxContext<'_>) -> Option<Packet<Length>> {
        let packet = self.out.pop_front()?;
        self.counters.packets_out += 1;
        Some(packet)
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.waiting.front().map(|(due, _)| *due)
    }

    fn counters(&self) -> Counters {
        self.counters
    }
}

/// What observers hear.
#[derive(Debug, Default)]
struct Census {
    departed: u64,
    arrived: u64,
    dropped: u64,
    /// At the box alone.
    in_and_out: [u64; 2],
    uids: Vec<u64>,
    stalls: u64,
    delivered: u64,
    middlebox: u32,
}

impl Observe for Census {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        let is_box = u64::from(fact.machine == self.middlebox);
        match fact.event {
            PacketEvent::Departed => {
                self.departed += 1;
                self.in_and_out[1] += is_box;
                self.uids.push(fact.uid);
            }
            PacketEvent::Arrived => {
                self.arrived += 1;
                self.in_and_out[0] += is_box;
            }
            PacketEvent::Dropped(_) => self.dropped += 1,
            PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Duplicated(_)
            | PacketEvent::Corrupted => {}
        }
    }

    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        if let TcpFact::Data { delivered, .. } = fact {
            self.delivered = delivered;
        }
    }

    fn middlebox(&mut self, _now: Time, machine: u32, fact: MiddleboxFact) {
        assert_eq!(machine, self.middlebox);
        self.stalls += u64::from(fact == MiddleboxFact::Stalled { mobile: 0 });
    }
}

const fn pipe(kbps: Option<u64>, delay_ms: u64, queue_limit: Option<u32>) -> PipeConfig {
    let rate = match kbps {
        Some(kbps) => Some(Rate::from_bps(kbps * 1000)),
        None => None,
    };
    PipeConfig { rate, delay: Duration::from_millis(delay_ms), queue_limit }
}

/// Host, gateway with a box, mobile; the wired link takes no time at all.
fn network(bytes: u64) -> (Net, MachineId) {
    let mut world = Net::new();
    let [host, gateway, mobile] = ["host", "gateway", "mobile"].map(|name| world.add_node(name));
    let link = |world: &mut Net, from: NodeId, to: NodeId, config: &PipeConfig| {
        let down = world.add_pipe("down", config, to);
        let up = world.add_pipe("up", config, from);
        world.set_route(from, None, down);
        world.set_route(to, Some(host), up);
    };
    link(&mut world, host, gateway, &pipe(None, 0, None));
    link(&mut world, gateway, mobile, &pipe(Some(100), 30, Some(6)));
    world.set_mobile(mobile);
    let middlebox = world.add_middlebox(gateway, Box::new(Meddler::default()));
    let tcp = Arc::new(tcp::Config { mss: MSS, window: 32, ..tcp::Config::plain() });
    let connection = Connection {
        sender: host,
        receiver: mobile,
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
    world.add_connection(&connection, [Source::file(Length(bytes)).into(), Sink.into()]);
    (world, middlebox)
}

fn run(world: &mut Net, middlebox: MachineId, seconds: u64) -> Census {
    let mut census = Census { middlebox: middlebox.0, ..Census::default() };
    while world.step(Time::ZERO + Duration::from_secs(seconds), &mut census).is_some() {}
    census
}

fn counters(world: &Net, middlebox: MachineId) -> Counters {
    let (middlebox, at) = world.machine(middlebox).middlebox().expect("it was added as one");
    assert_eq!(world.node(at).name(), "gateway");
    middlebox.counters()
}

#[test]
fn a_box_sees_all_of_both_legs_and_its_own_packets_are_counted() {
    let (mut world, middlebox) = network(60_000);
    let census = run(&mut world, middlebox, 300);
    assert_eq!(census.delivered, 60_000);
    let counted = counters(&world, middlebox);
    assert_eq!(census.in_and_out, [counted.packets_in, counted.packets_out]);
    assert!(counted.suppressed > 10 && census.stalls > 10 && census.dropped > 0, "{census:?}");
    assert_eq!(world.unroutable(), 0);
}

#[test]
fn at_any_moment_what_departed_has_arrived_or_was_dropped_or_is_under_way() {
    for seconds in [1, 2, 5, 300] {
        let (mut world, middlebox) = network(60_000);
        let census = run(&mut world, middlebox, seconds);
        let under_way = world.held().count() as u64;
        assert_eq!(census.departed, census.arrived + census.dropped + under_way, "{seconds} s");
    }
}

#[test]
fn what_a_box_sends_is_a_packet_of_its_own() {
    let (mut world, middlebox) = network(20_000);
    let census = run(&mut world, middlebox, 300);
    let count = census.uids.len() as u64;
    assert_eq!(census.uids, (0..count).collect::<Vec<_>>());
    assert_eq!(world.next_uid(), count);
}

#[test]
#[should_panic(expected = "a node has one middlebox")]
fn a_node_has_one_box() {
    let (mut world, _) = network(1);
    world.add_middlebox(NodeId(1), Box::new(Meddler::default()));
}
