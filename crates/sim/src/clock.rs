//! The virtual clock.

use std::fmt;
use std::num::NonZero;
use std::ops::ControlFlow;

use base::Time;
use observe::Observe;
use scenario::{Network, NetworkFlow, Part, Scenario};
use tcp::Length;
use world::{Application, Body, Ipv4, Ipv6, World};

use crate::measured::{Joined, Measured};
use crate::parts::side_by_side;
use crate::series::Keep;
use crate::{CapacityRow, Flow, Metrics, Summary, Trace, Vantage};

/// Events between two calls of `pulse`, and a few more of the same instant.
const EVENTS_PER_PULSE: u64 = 1 << 15;

/// How many threads run the mobiles of one simulation; more than one changes no result.
pub type Threads = NonZero<usize>;

/// What is called with the simulated time, and may end the run.
pub(crate) type Pulse<'a> = &'a mut dyn FnMut(Time) -> ControlFlow<()>;

/// Calls of `pulse` in a row at one time after which time counts as standing still: an endless
/// transfer whose round trip takes no time never ends. A file of 500 MB comes through.
const PULSES_AT_ONE_TIME: u64 = 1 << 4;

/// Reason for which a run did not reach its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unfinished {
    /// It was told to stop.
    Interrupted,
    /// It did more in one instant than a run can.
    Standstill(Time),
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("the run was told to stop"),
            Self::Standstill(at) => write!(
                f,
                "time stands still at {} s, after more than {} events in one instant: a link of \
                 each path needs a rate or a delay, or flow.bytes an end",
                at.as_secs_f64(),
                PULSES_AT_ONE_TIME * EVENTS_PER_PULSE,
            ),
        }
    }
}

/// The results of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Its numbers.
    pub summary: Summary,
    /// Its series.
    pub metrics: Metrics,
    /// Everything that happened, where that was asked for.
    pub trace: Option<Trace>,
    /// What links and bearers could carry.
    pub capacity: Vec<CapacityRow>,
    /// The names of links, bearers and endpoints by their number.
    pub machines: Vec<String>,
    /// How many of them, from the first on, hold all that may drop packets.
    pub droppers: usize,
    /// The names of nodes and of mobiles' addresses by their number.
    pub nodes: Vec<String>,
    /// Where captures can be taken, if everything was recorded.
    pub vantages: Vec<Vantage>,
}

/// Whether a run keeps a [`Trace`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recording {
    /// Numbers and series only, of series of many rows a random share.
    Series,
    /// Every segment, hop and block as well.
    Everything,
    /// All this, and what a trace file of ns-2 tells of packets at links.
    Ns2,
}

/// Runs `scenario` to its duration. `pulse` is called now and then with the simulated time and
/// may end the run. Mobiles that share nothing are run apart from each other, on as many `threads`,
/// unless everything is recorded. The results are those of one world with all mobiles.
///
/// # Errors
/// If `pulse` ended it, or time stands still.
///
/// # Panics
/// If a packet had no route, which cannot happen in a built network.
pub fn simulate(
    scenario: &Scenario,
    recording: Recording,
    threads: Threads,
    pulse: Pulse<'_>,
) -> Result<Outcome, Unfinished> {
    match scenario.mobile_ip {
        None => simulate_over::<Ipv4<Length>>(scenario, recording, threads, pulse),
        Some(_) => simulate_over::<Ipv6<Length>>(scenario, recording, threads, pulse),
    }
}

/// As [`simulate`], where `B` is what packets carry.
fn simulate_over<B: Body<Payload = Length>>(
    scenario: &Scenario,
    recording: Recording,
    threads: Threads,
    pulse: Pulse<'_>,
) -> Result<Outcome, Unfinished> {
    let parts = Part::all(scenario);
    if recording != Recording::Series {
        let is_ns2 = recording == Recording::Ns2;
        trace(scenario, scenario::build_over::<B>(scenario), is_ns2, pulse)
    } else if parts.len() == 0 {
        let measured = measure(scenario, scenario::build_over::<B>(scenario), pulse)?;
        Ok(measured.outcome(scenario))
    } else {
        let run = |part, pulse: Pulse<'_>| {
            measure(scenario, scenario::build_part::<B>(scenario, part), pulse)
        };
        let flows = scenario.groups().map(|group| group.number() as usize).sum();
        let mut joined = Joined::new(flows, parts.len() as u32);
        side_by_side(scenario, parts, threads, run, |part| joined.take(part), pulse)?;
        Ok(joined.whole().outcome(scenario))
    }
}

/// Runs a network to its end, and keeps everything that happens.
fn trace<B: Body>(
    scenario: &Scenario,
    mut network: Network<B>,
    is_ns2: bool,
    pulse: Pulse<'_>,
) -> Result<Outcome, Unfinished> {
    let until = Time::ZERO + scenario.duration;
    let metrics = Metrics::new(flows(&network), Keep::All);
    let mut observers = (metrics, Trace::new(&network.world, is_ns2));
    run_world(&mut network.world, until, &mut observers, pulse)?;
    let (metrics, mut trace) = observers;
    trace.end(until);
    let vantages = Vantage::all(&network.world, scenario.mobile_ip.as_ref());
    let measured = Measured::of(scenario, network, metrics);
    Ok(Outcome { trace: Some(trace), vantages, ..measured.outcome(scenario) })
}

/// Runs a network to its end, and keeps numbers and series only.
fn measure<B: Body>(
    scenario: &Scenario,
    mut network: Network<B>,
    pulse: Pulse<'_>,
) -> Result<Measured, Unfinished> {
    let mut metrics = Metrics::new(flows(&network), Keep::Sample);
    let until = Time::ZERO + scenario.duration;
    run_world(&mut network.world, until, &mut metrics, pulse)?;
    Ok(Measured::of(scenario, network, metrics))
}

/// Wakes machines in order until nothing is left to do by `until`. `tests/costs` counts what
/// happens in here.
#[inline(never)]
fn run_world<B: Body>(
    world: &mut World<B>,
    until: Time,
    observe: &mut impl Observe,
    pulse: Pulse<'_>,
) -> Result<(), Unfinished> {
    let mut next_pulse = EVENTS_PER_PULSE;
    let mut still = (Time::ZERO, 0);
    while let Some(now) = world.step(until, observe) {
        if world.events() < next_pulse {
            continue;
        }
        next_pulse = world.events() + EVENTS_PER_PULSE;
        if pulse(now).is_break() {
            return Err(Unfinished::Interrupted);
        }
        still = (now, if still.0 == now { still.1 + 1 } else { 1 });
        if still.1 == PULSES_AT_ONE_TIME {
            return Err(Unfinished::Standstill(now));
        }
    }
    assert_eq!(world.unroutable(), 0, "every packet finds its way in a built network");
    Ok(())
}

/// The flows of a built network, as measurements know them.
fn flows<B: Body>(network: &Network<B>) -> Vec<Flow> {
    let flow = |flow: &NetworkFlow| Flow {
        number: flow.number,
        sender: flow.ends[0].0,
        receiver: flow.ends[1].0,
        variant: if flow.application.has_datagrams() {
            Application::Udp.name().to_owned()
        } else {
            flow.tcp.variant_name()
        },
        mss: flow.tcp.mss,
        window_bytes: flow.tcp.window_bytes(),
        bytes: flow.bytes,
        group: flow.group.clone(),
        application: flow.application,
    };
    network.flows.iter().map(flow).collect()
}
