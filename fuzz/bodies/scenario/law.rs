//! The law of every run.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::thread;

use base::{Duration, Time};
use observe::{DropReason, Observe, PacketEvent, PacketFact};
use scenario::{Key, Part, Scenario, keys};
use sim::{Outcome, Recording, Threads, Unfinished, simulate};
use tcp::Length;
use world::{Body, Ipv4, Ipv6, World};

use super::case::Case;

/// Calls of `pulse`, each after 2^15 events, after which a run is left as it is: more than a run
/// makes whose time stands still.
const PULSES: u32 = 20;

/// Time that so many events take at least: less would be a run that hardly gets on.
const LEAST: Duration = Duration::from_micros(400);

/// Stack that a run may take, with as much again to spare: what is handed on from within its own
/// answers takes more with each packet.
const STACK: usize = 1 << 19;

/// Events between two counts of the packets that are held.
const EVENTS_PER_COUNT: u64 = 1 << 10;

/// Outcome of a case that breaks no law.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Verdict {
    /// It was refused in one line.
    Refused,
    /// It would have taken long.
    Long,
    /// It ran to its end.
    Ran,
}

/// Runs a case: it says which law it breaks. A stack that overflows ends the program, with a line
/// that has the thread's name: the case.
pub(crate) fn judge(case: &Case) -> Result<Verdict, String> {
    let run = thread::Builder::new().name(case.to_string()).stack_size(STACK);
    let judged = thread::scope(|scope| {
        run.spawn_scoped(scope, || lawful(case)).expect("there are threads").join()
    });
    judged.unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().cloned();
        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|&said| said.to_owned()));
        Err(format!("a panic: {}", said.unwrap_or_default()))
    })
}

fn lawful(case: &Case) -> Result<Verdict, String> {
    let scenario = match case.scenario() {
        Ok(scenario) => scenario,
        Err(error) if error.to_string().lines().count() == 1 => return Ok(Verdict::Refused),
        Err(error) => return Err(format!("an error of several lines: {error}")),
    };
    let first = match run(&scenario, 1) {
        Ok(outcome) => outcome,
        Err((Unfinished::Standstill(_), _)) => return Ok(Verdict::Refused),
        Err((Unfinished::Interrupted, at)) if at >= Time::ZERO + LEAST => return Ok(Verdict::Long),
        Err((Unfinished::Interrupted, at)) => return Err(format!("{at:?} after so many events")),
    };
    parts_are_within_wholes(&scenario, &first)?;
    let first = results(&first);
    for threads in [1, 2, 8] {
        let again = run(&scenario, threads).map_err(|(error, _)| format!("again: {error}"))?;
        difference(&first, &results(&again))
            .map_or(Ok(()), |line| Err(format!("on {threads} threads another result: {line}")))?;
        if Part::all(&scenario).len() == 0 {
            break;
        }
    }
    match scenario.mobile_ip {
        None => conserved::<Ipv4<Length>>(&scenario)?,
        Some(_) => conserved::<Ipv6<Length>>(&scenario)?,
    }
    Ok(Verdict::Ran)
}

/// Runs a scenario, or says why not to its end, and how far.
fn run(scenario: &Scenario, threads: usize) -> Result<Outcome, (Unfinished, Time)> {
    let threads = Threads::new(threads).expect("there are some");
    let (mut pulses, mut latest) = (0, Time::ZERO);
    let outcome = simulate(scenario, Recording::Series, threads, &mut |now| {
        pulses += 1;
        latest = latest.max(now);
        if pulses > PULSES { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    outcome.map_err(|error| (error, latest))
}

/// All that is told of a run.
fn results(outcome: &Outcome) -> String {
    let Outcome { summary, metrics, capacity, .. } = outcome;
    let flows = metrics.flows().iter().map(|flow| {
        let series = (flow.rtt.rows(), flow.cwnd(), &flow.base_rtt, &flow.events, &flow.pages);
        format!("{series:?}\n{:?}\n{:?}\n", flow.datagrams(), (&flow.echoes, &flow.probes))
    });
    let flows: String = flows.collect();
    let middlebox = &metrics.middlebox;
    let (backlog, rtt) = (middlebox.backlog.rows(), middlebox.rtt.rows());
    format!("{summary:#?}\n{capacity:?}\n{flows}{backlog:?}\n{rtt:?}\n{:?}", middlebox.events)
}

fn difference(one: &str, other: &str) -> Option<String> {
    let cut = |line: &str| line.chars().take(300).collect::<String>();
    let mut lines = one.lines().zip(other.lines());
    let line = lines.find(|(line, other)| line != other);
    line.map(|(line, other)| format!("{} is not {}", cut(line), cut(other)))
}

/// Numbers are numbers, and no part is above what it is a part of.
fn parts_are_within_wholes(scenario: &Scenario, outcome: &Outcome) -> Result<(), String> {
    let summary = &outcome.summary;
    let may_exceed = scenario.values().iter().any(may_exceed_the_rate);
    let told = format!("{summary:?}");
    if let Some(at) = told.find("NaN").or_else(|| told.find("inf,")) {
        let from = told[..at].rfind(", ").unwrap_or(0);
        return Err(format!("no number: {}", &told[from..(at + 40).min(told.len())]));
    }
    let share = |what: &str, share: Option<f64>| match share {
        Some(share) if !(0.0..=1.0 + 1e-9).contains(&share) => Err(format!("{what} is {share}")),
        Some(_) | None => Ok(()),
    };
    share("Jain's index", summary.total.jain_index)?;
    for link in &summary.links {
        share(&format!("the utilization of {}", link.name), link.utilization)?;
    }
    for flow in &summary.flows {
        let id = flow.id;
        let most = [
            ("repeated segments", flow.retransmits, flow.segments_sent),
            ("spurious timeouts", flow.spurious_timeouts, flow.timeouts),
        ];
        for (what, part, whole) in most {
            if part > whole {
                return Err(format!("flow {id}: {part} {what} of {whole}"));
            }
        }
        if let (Some(call), Some(datagrams)) = (&flow.voip, &flow.datagrams) {
            let frames = call.played + call.late + call.lost + call.pending;
            if frames != datagrams.sent {
                return Err(format!("flow {id}: {} frames, of which {frames}", datagrams.sent));
            }
        }
        let throughput = flow.normalized_throughput.filter(|_| !may_exceed);
        share(&format!("flow {id}: throughput"), throughput)?;
    }
    if let Some(radio) = &summary.radio {
        for blocks in [&radio.downlink, &radio.uplink] {
            if blocks.blocks_in_error > blocks.blocks_sent
                || blocks.harq_given_up > blocks.blocks_in_error
                || blocks.harq_repeats > blocks.blocks_sent
            {
                return Err(format!("blocks: {blocks:?}"));
            }
        }
    }
    Ok(())
}

/// True for a key with which throughput may exceed the rate that it is compared with: it counts
/// headers, which may be compressed; a radio's rate is that in the mean over fading and over time,
/// and a radio that is measured seldom keeps the ratio that was measured last.
fn may_exceed_the_rate(key: &Key) -> bool {
    let (name, value) = (key.name.as_str(), key.value.as_str());
    name.ends_with("header_compression") && value == "true"
        || name == "radio.fading.deviation" && value != "0 dB"
        || name.ends_with(".report_period") && !keys().iter().any(|usual| is_same(usual, key))
}

fn is_same(one: &Key, other: &Key) -> bool {
    (&one.name, &one.value) == (&other.name, &other.value)
}

/// What came into each machine, less what went out of it and was dropped there.
#[derive(Debug, Default)]
struct Census {
    within: BTreeMap<u32, i64>,
}

impl Observe for Census {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        let change = match fact.event {
            PacketEvent::Entered | PacketEvent::Duplicated(_) => 1,
            // Receivers drop what is corrupt, behind the link.
            PacketEvent::Departed
            | PacketEvent::Arrived
            | PacketEvent::Corrupted
            | PacketEvent::Dropped(DropReason::Corrupt) => return,
            PacketEvent::Left | PacketEvent::Dropped(_) => -1,
        };
        *self.within.entry(fact.machine).or_default() += change;
    }
}

/// Packets are conserved at every place, throughout the run.
fn conserved<B: Body<Payload = Length>>(scenario: &Scenario) -> Result<(), String> {
    let mut world = scenario::build_over::<B>(scenario).world;
    let mut census = Census::default();
    let until = Time::ZERO + scenario.duration;
    let mut counted = 0;
    while let Some(now) = world.step(until, &mut census) {
        if world.events() >= counted + EVENTS_PER_COUNT {
            counted = world.events();
            census.compare(&world).map_err(|told| format!("{told} at {now:?}"))?;
        }
    }
    census.compare(&world)
}

impl Census {
    /// Each place holds the packets that are within it.
    fn compare<B: Body<Payload = Length>>(&self, world: &World<B>) -> Result<(), String> {
        for (id, name, machine) in world.machines() {
            // In others packets become other ones, or begin.
            if machine.hop().is_none() {
                continue;
            }
            let held = machine.held().count() as i64;
            let within = self.within.get(&id.0).copied().unwrap_or(0);
            if held != within {
                return Err(format!("{name} holds {held} packets, where {within} are within"));
            }
        }
        Ok(())
    }
}
