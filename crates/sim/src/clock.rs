//! The virtual clock.

use std::ops::ControlFlow;

use base::Time;
use observe::Observe;
use scenario::{Network, NetworkFlow, Scenario};
use tcp::Length;
use world::{Application, Body, Ipv4, Ipv6, World};

use crate::capacity::capacity;
use crate::{CapacityRow, Flow, Metrics, Summary, Trace, Vantage};

/// How many events pass between two calls of `pulse`.
const EVENTS_PER_PULSE: u64 = 1 << 15;

/// A run that was told to stop before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interrupted;

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
    /// The names of nodes and of mobiles' addresses by their number.
    pub nodes: Vec<String>,
    /// Where captures can be taken.
    pub vantages: Vec<Vantage>,
}

/// Whether a run keeps a [`Trace`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recording {
    /// Numbers and series only.
    Series,
    /// Every segment, hop and block as well.
    Everything,
    /// All this, and what a trace file of ns-2 tells of packets at links.
    Ns2,
}

/// Runs `scenario` to its duration. `pulse` is called now and then with the simulated time and
/// may end the run.
///
/// # Errors
/// [`Interrupted`], if `pulse` ended it.
///
/// # Panics
/// If a packet had no route, which cannot happen in a built network.
pub fn simulate(
    scenario: &Scenario,
    recording: Recording,
    pulse: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Outcome, Interrupted> {
    match scenario.mobile_ip {
        None => simulate_over::<Ipv4<Length>>(scenario, recording, pulse),
        Some(_) => simulate_over::<Ipv6<Length>>(scenario, recording, pulse),
    }
}

/// As [`simulate`], where `B` is what packets carry.
fn simulate_over<B: Body<Payload = Length>>(
    scenario: &Scenario,
    recording: Recording,
    pulse: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<Outcome, Interrupted> {
    let mut network = scenario::build_over::<B>(scenario);
    let until = Time::ZERO + scenario.duration;
    let mut metrics = Metrics::new(flows(scenario, &network));
    let (events, trace) = match recording {
        Recording::Series => (run_world(&mut network.world, until, &mut metrics, pulse)?, None),
        Recording::Everything | Recording::Ns2 => {
            let is_ns2 = recording == Recording::Ns2;
            let mut observers = (metrics, Trace::new(&network.world, is_ns2));
            let events = run_world(&mut network.world, until, &mut observers, pulse)?;
            metrics = observers.0;
            let mut trace = observers.1;
            trace.end(until);
            (events, Some(trace))
        }
    };
    assert_eq!(network.world.unroutable(), 0, "every packet finds its way in a built network");
    let summary = Summary::of(scenario, &network, &metrics, events);
    let vantages = Vantage::all(&network.world, scenario.mobile_ip.as_ref());
    let capacity = capacity(scenario, &network);
    let [machines, nodes] = network.world.into_names();
    Ok(Outcome { summary, metrics, trace, capacity, machines, nodes, vantages })
}

/// Wakes machines in order until nothing is left to do by `until`, and says how many it woke.
/// `tests/costs` counts what happens in here.
#[inline(never)]
fn run_world<B: Body>(
    world: &mut World<B>,
    until: Time,
    observe: &mut impl Observe,
    pulse: &mut dyn FnMut(Time) -> ControlFlow<()>,
) -> Result<u64, Interrupted> {
    let mut events = 0;
    while let Some(now) = world.step(until, observe) {
        events += 1;
        if events % EVENTS_PER_PULSE == 0 && pulse(now).is_break() {
            return Err(Interrupted);
        }
    }
    Ok(events)
}

/// The flows of a built network, as measurements know them.
fn flows<B: Body>(scenario: &Scenario, network: &Network<B>) -> Vec<Flow> {
    let flow = |flow: &NetworkFlow| Flow {
        sender: flow.ends[0].0,
        receiver: flow.ends[1].0,
        variant: if flow.application == Application::Udp {
            Application::Udp.name().to_owned()
        } else {
            scenario.tcp.variant_name()
        },
        mss: scenario.tcp.mss,
        window_bytes: scenario.tcp.window_bytes(),
        bytes: flow.bytes,
        group: flow.group.clone(),
        application: flow.application,
    };
    network.flows.iter().map(flow).collect()
}
