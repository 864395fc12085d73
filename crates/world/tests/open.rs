//! Worlds with open nodes: packets from outside go through, and each has one outcome.

use base::{Duration, Ecn, Flags, Probability, Rate, Schedule, Seq, Stream, TcpHeader, Time};
use bytes::Bytes;
use link::queue::{self, Discipline, Notice, codel, droptail, red};
use link::{LinkConfig, Service, disorder, loss};
use observe::{Context, DropReason, Observe, PacketEvent, PacketFact};
use proptest::prelude::*;
use radio::umts::rlc::RlcConfig;
use radio::umts::rlc::am::{self, OnLimit, Repetition};
use radio::umts::{Bearer, BlockErrorRate, Channel, DchConfig, Limit, PdcpConfig};
use tcp::{Length, Segment};
use wire::{Addresses, Payload, emit};
use world::{Body, Datagram, Delivery, NodeId, World};

/// What lies between the two open nodes, behind a wired hop.
#[derive(Clone, Debug)]
enum Hop {
    Link(LinkConfig),
    Radio(DchConfig),
}

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn at(time: u64) -> Time {
    Time::ZERO + millis(time)
}

fn percent(percent: f64) -> Probability {
    Probability::new(percent / 100.0).expect("at most 100 %")
}

fn plain(kbps: u64, delay_ms: u64, packets: Option<u32>) -> LinkConfig {
    let limit = droptail::Limit { packets, bytes: None };
    LinkConfig {
        service: Service::Rate(Schedule::constant(Some(Rate::from_bps(kbps * 1000)))),
        delay: Schedule::constant(millis(delay_ms)),
        queue: queue::Config { limit, ..queue::Config::UNLIMITED },
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    }
}

/// A link that drops for every reason that a link has, and marks where it can.
fn troubled(discipline: Discipline) -> LinkConfig {
    let outage = loss::outage::Outage { from: at(500), to: at(700) };
    let plain = plain(800, 20, Some(20));
    LinkConfig {
        queue: queue::Config { discipline, notice: Notice::Mark, ..plain.queue },
        drop_arrivals: vec![0, 3, 4, 30],
        loss: loss::Config {
            bernoulli: Some(Schedule::constant(percent(5.0))),
            outages: vec![outage],
            ..loss::Config::default()
        },
        ..plain
    }
}

fn red() -> Discipline {
    Discipline::Red(red::Config {
        min_threshold: 3.0,
        max_threshold: 9.0,
        max_probability: percent(20.0),
        weight: percent(10.0),
        gentle: true,
        mean_packet: 500,
        ..Default::default()
    })
}

fn codel() -> Discipline {
    Discipline::CoDel(codel::Config { target: millis(5), interval: millis(50), mtu: 1500 })
}

/// 384 kbit/s down and 64 kbit/s up; with `max` RLC gives an SDU up after so many repetitions.
fn radio(tbler: f64, max: Option<u32>, header_compression: bool) -> DchConfig {
    let channel = |kbps: u64, tti| Channel {
        rate: Rate::from_bps(kbps * 1000).into(),
        tti: millis(tti),
        tbler: BlockErrorRate::Constant(percent(tbler)).into(),
        limit: Limit::packets(40),
    };
    let repetition = Repetition { timer: millis(200), max: None };
    let pdcp = PdcpConfig { header_bytes: 1, header_compression };
    let rlc = RlcConfig {
        window: 1024,
        max_retransmissions: max,
        on_limit: OnLimit::Discard,
        poll: am::Poll { window_utilization: Probability::new(0.5), ..am::Poll::default() },
        reset: repetition,
        move_window: repetition,
        ..RlcConfig::default()
    };
    DchConfig::new(channel(384, 10), channel(64, 20), pdcp, rlc)
}

fn world<B: Body>(hop: &Hop) -> (World<B>, [NodeId; 2]) {
    let mut world = World::new();
    let nodes = ["network", "middle", "mobile"].map(|name| world.add_node(name));
    let [network, middle, mobile] = nodes;
    let wire = link::Config { rate: None, delay: millis(5), queue_limit: None };
    let down = world.add_pipe("wire/down", &wire, middle);
    let up = world.add_pipe("wire/up", &wire, network);
    let (on, back) = match hop {
        Hop::Link(config) => (
            world.add_link("link/down", config, mobile, 7),
            world.add_link("link/up", config, middle, 7),
        ),
        Hop::Radio(config) => {
            let make = |id| radio::Cell::UmtsDch(Box::new(Bearer::new(id, config, 7, "Uu")));
            let bearer = world.add_radio("Uu", middle, vec![mobile], make);
            (bearer, bearer)
        }
    };
    world.set_route(network, None, down);
    world.set_route(middle, None, on);
    world.set_route(mobile, Some(network), back);
    world.set_route(middle, Some(network), up);
    world.open(network);
    world.open(mobile);
    (world, [network, mobile])
}

/// Packets dropped, by reason.
#[derive(Default, Debug)]
struct Drops(Vec<(u64, DropReason)>);

impl Observe for Drops {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        if let PacketEvent::Dropped(reason) = fact.event {
            self.0.push((fact.uid, reason));
        }
    }
}

/// A packet that comes in at an end.
#[derive(Clone, Debug)]
struct Arrival<B> {
    time: Time,
    end: usize,
    body: B,
}

/// Two flows of TCP, one each way, with packets of the other kinds among them.
fn flood(seed: u64, count: usize, gap: Duration) -> Vec<Arrival<Datagram>> {
    let mut chance = Stream::named(seed, "flood");
    let (mut time, mut seq) = (Time::ZERO, [0_u32; 2]);
    let mut draw = || {
        time += Duration::from_nanos((gap.as_nanos() as f64 * chance.next_f64()) as u64);
        let end = chance.below(2) as usize;
        let kind = chance.below(8);
        let length = chance.below(1400) as usize;
        let frame = match kind {
            0 => vec![chance.next_u32() as u8; length / 10],
            1 => {
                let mut udp = segment(0, 0, Ecn::NotCapable, length);
                udp[9] = 17;
                udp
            }
            _ => {
                let length = if kind < 4 { 0 } else { length };
                let ecn = if kind.is_multiple_of(2) { Ecn::Capable } else { Ecn::NotCapable };
                let packet = segment(seq[end], seq[1 - end], ecn, length);
                seq[end] += length as u32;
                packet
            }
        };
        Arrival { time, end, body: Datagram::new(frame.into(), 0) }
    };
    (0..count).map(|_| draw()).collect()
}

fn header(seq: u32, ack: u32) -> TcpHeader {
    TcpHeader {
        source_port: 1,
        destination_port: 2,
        seq: Seq::new(seq),
        ack: Seq::new(ack),
        flags: Flags::ACK,
        window: 9000,
        ..TcpHeader::default()
    }
}

fn segment(seq: u32, ack: u32, ecn: Ecn, length: usize) -> Vec<u8> {
    let (source, destination) = ([10, 0, 0, 1].into(), [10, 0, 0, 3].into());
    let mut packet = Vec::new();
    let addresses = Addresses::V4 { source, destination };
    emit(&header(seq, ack), ecn, &addresses, Payload::Zeros(length), &mut packet).expect("short");
    packet
}

/// The outcome of a run: what left, what was dropped, and what is still held after `seconds`.
struct Outcome<B> {
    out: Vec<Delivery<B>>,
    drops: Drops,
    held: Vec<u64>,
}

/// Lets `arrivals` through. The clock is looked at when one comes, and otherwise at most once
/// every `rest`.
fn run<B: Body + Clone>(hop: &Hop, arrivals: &[Arrival<B>], rest: Duration) -> Outcome<B> {
    let (mut world, ends) = world(hop);
    let (mut out, mut drops) = (Vec::new(), Drops::default());
    let mut advance = |world: &mut World<B>, now: Time, drops: &mut Drops| {
        while world.step(now, drops).is_some() {}
        out.extend(std::iter::from_fn(|| world.poll_packet()));
    };
    let mut now = Time::ZERO;
    for (number, Arrival { time, end, body }) in arrivals.iter().enumerate() {
        while now + rest < *time {
            now += rest;
            advance(&mut world, now, &mut drops);
        }
        now = *time;
        advance(&mut world, now, &mut drops);
        assert_eq!(world.next_uid(), number as u64);
        let [from, to] = [ends[*end], ends[1 - end]];
        let cx = &mut Context { now, observe: &mut drops };
        world.handle_packet(cx, from, to, body.clone());
    }
    let held = world.held().map(|packet| packet.uid).collect();
    for _ in 0..100_000 {
        let Some(next) = world.poll_timeout() else { break };
        now = now.max(next) + rest;
        advance(&mut world, now, &mut drops);
    }
    assert_eq!((world.poll_timeout(), world.held().count(), world.unroutable()), (None, 0, 0));
    Outcome { out, drops, held }
}

/// Every packet has one outcome, whatever was held in between.
fn check_conserved(hop: &Hop, arrivals: &[Arrival<Datagram>]) -> Outcome<Datagram> {
    let outcome = run(hop, arrivals, millis(1));
    let out = outcome.out.iter().map(|delivery| delivery.packet.uid);
    let dropped = outcome.drops.0.iter().map(|(uid, _)| *uid);
    let mut fates: Vec<_> = out.chain(dropped).collect();
    fates.sort_unstable();
    assert!(fates.iter().copied().eq(0..arrivals.len() as u64), "{hop:?}");
    let mut held = outcome.held.clone();
    held.sort_unstable();
    held.dedup();
    assert_eq!(held.len(), outcome.held.len(), "each is held once");
    outcome
}

/// What came out is what went in, but for marks.
fn check_unaltered(arrivals: &[Arrival<Datagram>], outcome: &Outcome<Datagram>) -> usize {
    let mut marks = 0;
    for Delivery { due, at, packet } in &outcome.out {
        let Arrival { time, end, body } = &arrivals[packet.uid as usize];
        assert!(due >= time && (*at == packet.ends.destination) && (at.0 == 0) == (*end == 1));
        let mut marked = body.clone();
        let is_same = packet.body.frame() == body.frame();
        assert!(is_same || marked.mark() && packet.body.frame() == marked.frame());
        marks += usize::from(!is_same);
    }
    marks
}

#[test]
fn floods_are_conserved_for_every_reason() {
    let seen = |hop: Hop, reasons: &[DropReason]| {
        let arrivals = flood(1, 3000, millis(1));
        let outcome = check_conserved(&hop, &arrivals);
        assert!(outcome.held.len() > 10 && outcome.out.len() > 50, "{hop:?}");
        for reason in reasons {
            assert!(outcome.drops.0.iter().any(|(_, it)| it == reason), "{reason:?} at {hop:?}");
        }
        check_unaltered(&arrivals, &outcome)
    };
    let of_links = [DropReason::Queue, DropReason::Loss, DropReason::List, DropReason::Outage];
    assert_eq!(seen(Hop::Link(plain(800, 20, Some(30))), &of_links[..1]), 0);
    assert_eq!(seen(Hop::Link(troubled(Discipline::DropTail)), &of_links), 0);
    assert!(seen(Hop::Link(troubled(red())), &[DropReason::Aqm, DropReason::List]) > 0);
    assert!(seen(Hop::Link(troubled(codel())), &[DropReason::Aqm, DropReason::List]) > 0);
    let of_radio = [DropReason::Queue, DropReason::Discarded];
    assert_eq!(seen(Hop::Radio(radio(10.0, Some(1), false)), &of_radio), 0);
    assert_eq!(seen(Hop::Radio(radio(10.0, Some(1), true)), &of_radio), 0);
}

/// Headers of real packets are compressed and restored; what cannot be compressed passes as well.
#[test]
fn compression_changes_when_packets_arrive_and_nothing_else() {
    let arrivals = flood(3, 600, millis(80));
    let lasts = [false, true].map(|compression| {
        let outcome = check_conserved(&Hop::Radio(radio(10.0, None, compression)), &arrivals);
        assert_eq!(outcome.out.len(), arrivals.len(), "{:?}", outcome.drops);
        assert_eq!(check_unaltered(&arrivals, &outcome), 0);
        let total = |sum: Duration, it: &Delivery<Datagram>| {
            sum + it.due.saturating_since(arrivals[it.packet.uid as usize].time)
        };
        outcome.out.iter().fold(Duration::ZERO, total)
    });
    assert!(lasts[1] < lasts[0], "shorter headers take less time: {lasts:?}");
}

/// Real packets fare as the segments of a simulation do, however late the clock is.
#[test]
fn due_times_are_those_of_a_simulation() {
    let (mut chance, mut seq) = (Stream::named(5, "sizes"), 0);
    let mut time = Time::ZERO;
    let mut draw = || {
        time += Duration::from_micros(u64::from(chance.below(20_000)));
        let (length, end) = (u64::from(chance.below(1400)), chance.below(2) as usize);
        let payload = Length(length);
        let segment = Segment { header: header(seq, 1), payload, ecn: Ecn::Capable };
        let bytes = self::segment(seq, 1, Ecn::Capable, length as usize);
        seq += length as u32;
        let datagram = Datagram::new([vec![0; 14], bytes].concat().into(), 14);
        (Arrival { time, end, body: segment }, Arrival { time, end, body: datagram })
    };
    let (segments, datagrams): (Vec<_>, Vec<_>) = (0..400).map(|_| draw()).unzip();
    let hops = [
        Hop::Link(plain(800, 20, Some(8))),
        Hop::Link(troubled(red())),
        Hop::Link(troubled(codel())),
        Hop::Radio(radio(20.0, None, false)),
        Hop::Radio(radio(20.0, Some(1), true)),
    ];
    for hop in hops {
        let simulated = run(&hop, &segments, millis(1));
        for rest in [millis(1), millis(37), millis(5000)] {
            let real = run(&hop, &datagrams, rest);
            assert_eq!(real.drops.0, simulated.drops.0, "{hop:?} at {rest:?}");
            assert_eq!(times(&real), times(&simulated), "{hop:?} at {rest:?}");
        }
    }
}

fn times<B>(outcome: &Outcome<B>) -> Vec<(u64, Time)> {
    outcome.out.iter().map(|delivery| (delivery.packet.uid, delivery.due)).collect()
}

#[test]
fn a_packet_for_nobody_is_counted() {
    let (mut world, [network, mobile]) = world::<Datagram>(&Hop::Link(plain(800, 20, None)));
    let body = Datagram::new(Bytes::from_static(b"lost"), 0);
    for (from, to) in [(mobile, NodeId(9)), (network, NodeId(9)), (mobile, NodeId(1))] {
        world.handle_packet(
            &mut Context { now: Time::ZERO, observe: &mut () },
            from,
            to,
            body.clone(),
        );
    }
    while world.step(at(60_000), &mut ()).is_some() {}
    assert_eq!(world.unroutable(), 3);
    assert!(world.poll_packet().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Conservation holds for any flood through anything.
    #[test]
    fn any_flood_is_conserved(
        seed in any::<u64>(),
        gap in 0_u64..20_000,
        hop in prop::sample::select(vec![
            Hop::Link(plain(64, 300, Some(3))),
            Hop::Link(troubled(red())),
            Hop::Link(troubled(codel())),
            Hop::Radio(radio(50.0, Some(2), true)),
            Hop::Radio(radio(2.0, None, false)),
        ]),
    ) {
        let arrivals = flood(seed, 300, Duration::from_micros(gap));
        check_unaltered(&arrivals, &check_conserved(&hop, &arrivals));
    }
}
