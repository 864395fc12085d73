//! The works whose costs are counted.

use std::ops::ControlFlow;

use link::queue::Kind;
use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

use crate::gateway::{Datagrams, FRAME, Flow, Frames};
use crate::queue::Stream;

/// One of the works.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Its name.
    pub name: &'static str,
    /// What its cost is divided by.
    pub unit: &'static str,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// A scenario with settings and a duration in milliseconds, and how to count its units.
    Simulation(&'static str, &'static [(&'static str, &'static str)], u32, fn(&Outcome) -> u64),
    /// So many pairs of segments through a gateway with a box of that kind.
    Gateway(&'static str, u32),
    /// So many frames of segments, in the same way.
    InFrames(&'static str, u32),
    /// Datagrams of so many flows through a gateway in which they wait.
    Others(u32),
    /// Packets of so many flows through a queue of that kind, in which so many wait.
    Queued(Kind, u32, usize),
}

use What::{Gateway, InFrames, Others, Queued, Simulation};

const MSS: u64 = 512;

/// Frames that are not counted: the first ones go where memory was never used, which costs what
/// the lengths of paths and of the environment make of it.
const FIRST: u32 = 10;

/// Packets that are counted, after as many that are not: by then all flows have been seen.
const PACKETS: u32 = 20_000;

/// So many mobiles and flows of pages behind a middlebox.
macro_rules! web {
    ($mobiles:literal, $flows:literal) => {
        [
            ("radio.ues", $mobiles),
            ("flow.count", $flows),
            ("flow.application", "web"),
            ("flow.interval", "10 ms"),
            ("middlebox.kind", "atcp"),
        ]
    };
}

/// All works. The first ones are of one flow over a link, of many, and over each radio; then come
/// middleboxes and their growth, and queues.
pub const WORKS: &[Work] = &[
    work("reno", "segment", Simulation("plain-384", &[MSS_512], 10_000, segments)),
    work("bbr", "segment", Simulation("plain-384", &[MSS_512, variant("bbr")], 10_000, segments)),
    work(
        "modern",
        "segment",
        Simulation("plain-384", &[MSS_512, ("tcp.profile", "modern")], 10_000, segments),
    ),
    work("100 flows", "segment", Simulation("dumbbell-100", &[MSS_512], 300, segments)),
    work("umts, reno", "TTI", Simulation("umts-dch-384", &[tbler("0 %")], 4_000, ttis)),
    work(
        "umts, vegas",
        "TTI",
        Simulation("umts-dch-384", &[tbler("5 %"), variant("vegas")], 8_000, ttis),
    ),
    work("gprs", "block period", Simulation("gprs-3+1", &[], 20_000, block_periods)),
    work(
        "handover",
        "segment",
        Simulation("hmipv6-handover", &[("wlan.access", "csma-ca")], 2_000, segments),
    ),
    work(
        "10 mobiles",
        "packet at the box",
        Simulation("gprs-3+1", &web!("10", "80"), 4_000, boxed),
    ),
    work(
        "100 mobiles",
        "packet at the box",
        Simulation("gprs-3+1", &web!("100", "800"), 4_000, boxed),
    ),
    work("gateway, atcp", "segment", Gateway("atcp", 200)),
    work("gateway, snoop", "segment", Gateway("snoop", 200)),
    work("gateway, frames", "segment", InFrames("atcp", 100)),
    work("gateway, others", "datagram", Others(10)),
    work("others, 10,000", "datagram", Others(10_000)),
    work("queue, droptail", "packet", Queued(Kind::DropTail, 10, 20)),
    work("queue, codel", "packet", Queued(Kind::CoDel, 10, 20)),
    work("queue, pie", "packet", Queued(Kind::Pie, 10, 20)),
    work("queue, fq-codel", "packet", Queued(Kind::FqCoDel, 10, 20)),
    work("queue, 1000 flows", "packet", Queued(Kind::FqCoDel, 1000, 20)),
    work("queue, cake", "packet", Queued(Kind::Cake, 10, 20)),
    work("queue, dualpi2", "packet", Queued(Kind::DualPi2, 10, 20)),
];

const MSS_512: (&str, &str) = ("tcp.mss", "512 B");

const fn work(name: &'static str, unit: &'static str, what: What) -> Work {
    Work { name, unit, what }
}

const fn variant(name: &'static str) -> (&'static str, &'static str) {
    ("tcp.variant", name)
}

const fn tbler(share: &'static str) -> (&'static str, &'static str) {
    ("radio.tbler", share)
}

impl Work {
    /// Does it, and says of how many units the work was.
    ///
    /// # Panics
    /// If the scenario or the gateway refuses what it is given.
    pub fn run(&self) -> u64 {
        match self.what {
            Simulation(scenario, settings, duration_ms, units) => {
                units(&simulated(scenario, settings, duration_ms))
            }
            Gateway(scheme, pairs) => {
                let mut flow = Flow::new(scheme);
                run_gateway(&mut flow, pairs);
                2 * u64::from(pairs)
            }
            InFrames(scheme, count) => {
                let (mut flow, mut frames) = (Flow::new(scheme), Frames::default());
                (0..FIRST).for_each(|_| flow.frame(frames.make()));
                (0..count).for_each(|_| run_gateway_frame(&mut flow, frames.make()));
                u64::from(count * FRAME)
            }
            Others(flows) => {
                let mut datagrams = Datagrams::new(flows);
                (0..PACKETS).for_each(|_| datagrams.next());
                run_gateway_others(&mut datagrams, PACKETS);
                u64::from(PACKETS)
            }
            Queued(kind, flows, waiting) => {
                let mut stream = Stream::new(kind, flows, waiting);
                (0..PACKETS).for_each(|_| stream.packet());
                run_queue(&mut stream, PACKETS);
                u64::from(PACKETS)
            }
        }
    }
}

fn simulated(name: &str, settings: &[(&str, &str)], duration_ms: u32) -> Outcome {
    let text = scenario::shipped().iter().find(|shipped| shipped.name == name);
    let duration = ("duration", &*format!("{duration_ms} ms"));
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().chain([&duration]).map(owned).collect();
    let scenario = Scenario::parse(text.expect("it ships").text, name, &settings);
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// Pairs of segments: valgrind counts from here on (see [`crate::counts`]).
#[inline(never)]
fn run_gateway(flow: &mut Flow, pairs: u32) {
    (0..pairs).for_each(|_| {
        flow.pair();
    });
}

/// A frame, in the same way.
#[inline(never)]
fn run_gateway_frame(flow: &mut Flow, frame: &mut [u8]) {
    flow.frame(frame);
}

/// Datagrams through a gateway, in the same way.
#[inline(never)]
fn run_gateway_others(datagrams: &mut Datagrams, count: u32) {
    (0..count).for_each(|_| datagrams.next());
}

/// Packets through a queue, in the same way.
#[inline(never)]
fn run_queue(stream: &mut Stream, packets: u32) {
    (0..packets).for_each(|_| stream.packet());
}

fn segments(outcome: &Outcome) -> u64 {
    outcome.summary.flows.iter().map(|flow| flow.bytes_acked / MSS).sum()
}

/// Of 10 ms (TS 25.302), in which each direction of a dedicated channel sends.
fn ttis(outcome: &Outcome) -> u64 {
    (outcome.summary.duration_s / 0.010).round() as u64
}

/// Of 20 ms (TS 43.064 §6.2).
fn block_periods(outcome: &Outcome) -> u64 {
    (outcome.summary.duration_s / 0.020).round() as u64
}

fn boxed(outcome: &Outcome) -> u64 {
    let middlebox = outcome.summary.middlebox.as_ref().expect("there is one");
    middlebox.packets_in + middlebox.packets_out
}
