//! Any frames at any times into a network: each comes out once, as it was, or is dropped openly.
//!
//! An input is the number of a network, a seed, and records: milliseconds since the last one; flags
//! (1: uplink, 2: behind an Ethernet header); the frame's length in two bytes, the lower one first;
//! its bytes, up to the next record or, if the input ends sooner, zeros in their place.

use base::{Direction, Duration, Probability, Rate, Schedule, Time};
use bytes::Bytes;
use link::disorder::jitter::{self, Distribution, Order};
use link::loss::{self, gilbert_elliott, outage::Outage};
use link::queue::{self, Discipline, Notice, codel, droptail, red};
use link::{LinkConfig, Service, Trace, disorder};
use observe::{Context, Observe, PacketEvent, PacketFact};
use radio::umts::rlc::RlcConfig;
use radio::umts::rlc::am::{OnLimit, Repetition};
use radio::umts::{Bearer, BlockErrorRate, Channel, DchConfig, Limit, PdcpConfig};
use world::{Datagram, Delivery, NodeId, World};

/// Runs `input` until nothing is under way and checks that nothing was lost silently.
pub(crate) fn check(input: &[u8]) {
    let [network, seed, records @ ..] = input else { return };
    let mut run = Run::new(*network, u64::from(*seed));
    for record in Records(records) {
        run.take(record);
    }
    run.finish();
}

/// One frame and when it comes.
struct Record {
    since: Duration,
    direction: Direction,
    link_header_bytes: usize,
    frame: Bytes,
}

struct Records<'a>(&'a [u8]);

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        let [since, flags, low, high, rest @ ..] = self.0 else { return None };
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        let mut frame = rest[..length.min(rest.len())].to_vec();
        self.0 = &rest[frame.len()..];
        frame.resize(length, 0);
        Some(Record {
            since: Duration::from_millis(u64::from(*since)),
            direction: if flags & 1 == 0 { Direction::Downlink } else { Direction::Uplink },
            link_header_bytes: if flags & 2 == 0 { 0 } else { 14 },
            frame: frame.into(),
        })
    }
}

/// A packet that was taken in.
struct Sent {
    record: Record,
    at: Time,
    fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Held,
    Delivered,
    Dropped,
}

/// A world between two open nodes, and what became of each packet, by number.
struct Run {
    world: World<Datagram>,
    ends: [NodeId; 2],
    now: Time,
    sent: Vec<Sent>,
    dropped: Drops,
}

/// The numbers of the packets that were dropped.
#[derive(Default)]
struct Drops(Vec<u64>);

impl Observe for Drops {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        if matches!(fact.event, PacketEvent::Dropped(_)) {
            self.0.push(fact.uid);
        }
    }
}

impl Run {
    fn new(network: u8, seed: u64) -> Self {
        let mut world = World::new();
        let ends = [world.add_node("network"), world.add_node("mobile")];
        for node in ends {
            world.open(node);
        }
        match network % 8 {
            kind @ 0..5 => {
                for (name, from, to) in [("down", ends[0], ends[1]), ("up", ends[1], ends[0])] {
                    let link = world.add_link(name, &link_config(kind), to, seed);
                    world.set_route(from, None, link);
                }
            }
            kind => {
                let make = |id| {
                    radio::Cell::UmtsDch(Box::new(Bearer::new(id, &dch(kind - 5), seed, "Uu")))
                };
                let bearer = world.add_radio("Uu", ends[0], vec![ends[1]], make);
                for node in ends {
                    world.set_route(node, None, bearer);
                }
            }
        }
        Self { world, ends, now: Time::ZERO, sent: Vec::new(), dropped: Drops::default() }
    }

    fn take(&mut self, record: Record) {
        self.now += record.since;
        self.run(self.now);
        let [network, mobile] = self.ends;
        let (from, to) = match record.direction {
            Direction::Downlink => (network, mobile),
            Direction::Uplink => (mobile, network),
        };
        let body = Datagram::new(record.frame.clone(), record.link_header_bytes);
        assert_eq!(self.world.next_uid(), self.sent.len() as u64);
        self.sent.push(Sent { record, at: self.now, fate: Fate::Held });
        let cx = &mut Context { now: self.now, observe: &mut self.dropped };
        self.world.handle_packet(cx, from, to, body);
        self.collect();
        let held = self.sent.iter().filter(|sent| sent.fate == Fate::Held).count();
        assert_eq!(self.world.held().count(), held, "in = out + dropped + held");
    }

    fn run(&mut self, until: Time) {
        let mut steps = 0;
        while let Some(now) = self.world.step(until, &mut self.dropped) {
            assert!(now <= until);
            self.collect();
            steps += 1;
            assert!(steps < MOST_STEPS, "it never comes to rest");
        }
    }

    /// Takes down what came out and what was dropped.
    fn collect(&mut self) {
        while let Some(Delivery { due, at, packet }) = self.world.poll_packet() {
            let sent = &mut self.sent[packet.uid as usize];
            assert_eq!(sent.fate, Fate::Held, "nothing comes twice");
            sent.fate = Fate::Delivered;
            assert_eq!(at == self.ends[1], sent.record.direction == Direction::Downlink);
            assert!(due >= sent.at);
            assert_frame(&sent.record, packet.body.frame());
        }
        for uid in self.dropped.0.drain(..) {
            let sent = &mut self.sent[uid as usize];
            assert_eq!(sent.fate, Fate::Held, "nothing is dropped twice or after it came");
            sent.fate = Fate::Dropped;
        }
    }

    fn finish(mut self) {
        self.run(Time::from_nanos(u64::MAX / 2));
        assert!(self.sent.iter().all(|sent| sent.fate != Fate::Held));
        assert_eq!((self.world.unroutable(), self.world.poll_timeout()), (0, None));
    }
}

/// More than the longest input needs.
const MOST_STEPS: u32 = 10_000_000;

/// What comes out is what went in, but for a mark.
fn assert_frame(record: &Record, frame: &[u8]) {
    if record.frame == frame {
        return;
    }
    let mut marked = record.frame.to_vec();
    let packet = record.link_header_bytes.min(marked.len());
    assert!(wire::mark(&mut marked[packet..]), "only what can carry a mark is changed");
    assert_eq!(marked, frame);
}

/// A pipe, RED and `CoDel` with marks and without, losses of all kinds, packets out of order, a
/// trace.
fn link_config(kind: u8) -> LinkConfig {
    let rate = Rate::from_bps(384_000);
    let millis = Duration::from_millis;
    let at = |ms| Time::ZERO + millis(ms);
    let chance = |share| Probability::new(share).expect("a probability");
    let red = Discipline::Red(red::Config {
        min_threshold: 1.0,
        max_threshold: 3.0,
        max_probability: chance(0.5),
        weight: chance(0.5),
        gentle: true,
        mean_packet: 500,
        ..red::Config::default()
    });
    let codel =
        Discipline::CoDel(codel::Config { target: millis(5), interval: millis(20), mtu: 1500 });
    let faulty = loss::Config {
        bernoulli: Some(Schedule::new(chance(0.1), vec![(at(500), chance(0.3))])),
        gilbert_elliott: Some(gilbert_elliott::Config {
            p: chance(0.2),
            r: chance(0.5),
            loss_good: chance(0.01),
            loss_bad: chance(0.9),
        }),
        outages: vec![Outage { from: at(20), to: at(60) }],
    };
    let plain = LinkConfig {
        service: Service::Rate(Schedule::new(Some(rate), vec![])),
        delay: Schedule::new(millis(60), vec![]),
        queue: queue::Config::UNLIMITED,
        drop_arrivals: vec![],
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    let queue = |discipline, notice| {
        let limit = droptail::Limit { packets: Some(20), bytes: Some(30_000) };
        queue::Config { limit, discipline, notice }
    };
    match kind {
        0 => plain,
        1 => LinkConfig { queue: queue(red, Notice::Mark), ..plain },
        2 => LinkConfig { queue: queue(codel, Notice::Mark), loss: faulty, ..plain },
        3 => LinkConfig {
            service: Service::Rate(Schedule::new(None, vec![(at(100), Some(rate))])),
            delay: Schedule::new(millis(300), vec![(at(400), millis(5))]),
            queue: queue(red, Notice::Drop),
            drop_arrivals: vec![0, 3, 4],
            disorder: disorder::Config {
                jitter: jitter::Config {
                    extent: Schedule::new(millis(5), vec![]),
                    distribution: Distribution::Uniform,
                    order: Order::Free,
                },
                reorder: Schedule::new(chance(0.1), vec![]),
                ..disorder::Config::default()
            },
            ..plain
        },
        _ => LinkConfig {
            service: Service::Trace(Trace::parse(b"3\n3\n40\n").expect("a trace")),
            queue: queue(codel, Notice::Drop),
            ..plain
        },
    }
}

/// Bearers with header compression: one without errors, one that repeats until all has arrived
/// and one that gives up soon, out of order.
fn dch(kind: u8) -> DchConfig {
    let millis = Duration::from_millis;
    let gives_up = kind == 2;
    let tbler = Probability::new(if kind == 0 { 0.0 } else { 0.3 }).expect("a probability");
    let channel = |kbps: u64, tti| Channel {
        rate: Rate::from_bps(kbps * 1000).into(),
        tti: millis(tti),
        tbler: BlockErrorRate::Constant(tbler).into(),
        limit: Limit::packets(20),
    };
    let pdcp = PdcpConfig { header_bytes: 1, header_compression: true };
    let rlc = RlcConfig {
        window: if gives_up { 64 } else { 4095 },
        in_order: !gives_up,
        max_retransmissions: gives_up.then_some(1),
        on_limit: OnLimit::Discard,
        discard_timer: gives_up.then_some(millis(500)),
        reset: Repetition { timer: millis(300), max: None },
        move_window: Repetition { timer: millis(200), max: None },
        ..RlcConfig::default()
    };
    DchConfig::new(channel(384, 10), channel(64, 20), pdcp, rlc)
}
