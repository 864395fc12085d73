//! What explains the numbers of a run and is easily overlooked, in a line each.

use middlebox::{Role, Scheme};
use scenario::{Flow, Middlebox, Scenario};
use world::Application;

use crate::hints::waits::Waited;
use crate::{FlowSummary, LimitedBySummary, LinkSummary, MiddleboxSummary};

mod waits;

/// A limit that holds for so much of the time decides the result.
const MOST: f64 = 0.5;

/// Flows that carry so much of the rate of their bottleneck together fill it.
const FULL: f64 = 0.85;

/// A transfer that takes no more of a run says little of what is measured over the whole run.
const EARLY: f64 = 0.1;

/// The hints for `flows`, `links` and the middlebox, each of which says what it is about, and for
/// settings.
pub(crate) fn hints(
    scenario: &Scenario,
    flows: &[FlowSummary],
    links: &[LinkSummary],
    middlebox: Option<&MiddleboxSummary>,
) -> Vec<String> {
    let waited = middlebox.map(|middlebox| Waited { scenario, flows, links, middlebox });
    let waited = waited.into_iter().flat_map(|waited| waited.hints());
    let idle = scenario.idle.iter().cloned();
    of_flows(scenario, flows).into_iter().chain(waited).chain(idle).collect()
}

/// The hints for `flows`.
fn of_flows(scenario: &Scenario, flows: &[FlowSummary]) -> Vec<String> {
    let duration = scenario.duration.as_secs_f64();
    let share = |of: fn(&LimitedBySummary) -> f64| {
        move |flow: &FlowSummary| flow.limited_by.as_ref().map(of).filter(|share| *share >= MOST)
    };
    let is = |holds: bool| holds.then_some(());
    let silent = about(flows, |flow| is(flow.started_s.is_none()))
        .map(|of| format!("{}: sent nothing before the end of the run at {duration} s", of.whose));
    let has_none = |flow: &FlowSummary| {
        let none = flow.goodput_bps.map_or(flow.bytes_acked == 0, |bps| bps == 0.0);
        flow.started_s.is_some() && none
    };
    let given_up = about(flows, |flow| flow.given_up_s.filter(|_| has_none(flow))).map(|of| {
        let last = of.values.iter().copied().fold(0.0, f64::max);
        format!("{}: given up by {last:.3} s, before anything arrived", of.whose)
    });
    let in_vain = about(flows, |flow| is(flow.given_up_s.is_none() && has_none(flow))).map(|of| {
        format!("{}: nothing arrived before the end of the run at {duration} s", of.whose)
    });
    let at_once = about(flows, |flow| is(flow.goodput_bps.is_none() && flow.bytes_acked > 0))
        .map(|of| format!("{}: all arrived in no time, so that there is no goodput", of.whose));
    let window = windows(scenario).into_iter().filter_map(|window| {
        let by_window = share(|limited| limited.window);
        let of = about(flows, |flow| by_window(flow).filter(|_| window.has(flow)))?;
        let (whose, time, Window { key, segments, .. }) = (&of.whose, of.percent(), &window);
        Some(format!(
            "{whose}: limited by {key} ({segments} segments) for {time} of the time, not by \
             congestion control"
        ))
    });
    let by_receiver = share(|limited| limited.receiver);
    let receiver = by_key(scenario, window_key).into_iter().filter_map(|keyed| {
        let of = about(flows, |flow| by_receiver(flow).filter(|_| keyed.has(flow)))?;
        let (whose, time, key) = (&of.whose, of.percent(), &keyed.key);
        if scenario.middlebox.as_ref().and_then(middlebox_window).is_none() {
            return Some(format!(
                "{whose}: limited by the receiver's window ({key}) for {time} of the time"
            ));
        }
        let carried: f64 = flows.iter().filter_map(|flow| flow.normalized_throughput).sum();
        let why = if carried < FULL { key.as_str() } else { "the link behind it is full" };
        Some(format!(
            "{whose}: limited by the window of the middlebox ({why}) for {time} of the time"
        ))
    });
    let early = by_key(scenario, |_, table, group| end_key(table, group)).into_iter();
    let early = early.filter_map(|keyed| {
        let of = about(flows, |flow| {
            let end = flow.completed_s.filter(|end| (1e-9..EARLY * duration).contains(end));
            end.filter(|_| keyed.has(flow))
        })?;
        let last = of.values.iter().copied().fold(0.0, f64::max);
        Some(format!(
            "{}: complete at {last:.3} s of {duration} s, as {} says: utilization, queues and \
             normalized throughput are over the whole run",
            of.whose, keyed.key
        ))
    });
    let late = about(flows, |flow| is(2 * flow.spurious_timeouts > flow.timeouts))
        .map(|of| format!("{}: most timeouts are spurious: segments are late, not lost", of.whose));
    let first = [silent, given_up, in_vain, at_once].into_iter().flatten();
    let last = [late, of_bbr(flows), of_unknown_pipe(scenario)].into_iter().flatten();
    first.chain(window).chain(receiver).chain(early).chain(last).collect()
}

/// A window that endpoints are given, and the groups of flows that have it.
struct Window {
    key: String,
    segments: u32,
    groups: Vec<String>,
}

impl Window {
    fn has(&self, flow: &FlowSummary) -> bool {
        self.groups.contains(&flow.group)
    }
}

/// The windows that senders are given: in `[tcp]`, and in the tables of groups that have their own.
fn windows(scenario: &Scenario) -> Vec<Window> {
    let window = |key: String, segments| Window { key, segments, groups: Vec::new() };
    let mut windows = vec![window("tcp.window".to_owned(), scenario.tcp.window)];
    for (table, group) in scenario.groups_by_table() {
        if let Some(tcp) = &group.tcp {
            windows.push(window(format!("{table}.tcp.window"), tcp.window));
        }
        let of = if group.tcp.is_some() { windows.len() - 1 } else { 0 };
        windows[of].groups.push(group.name.clone());
    }
    windows
}

/// A key, and the groups of flows that it is about.
struct Keyed {
    key: String,
    groups: Vec<String>,
}

impl Keyed {
    fn has(&self, flow: &FlowSummary) -> bool {
        self.groups.contains(&flow.group)
    }
}

/// The keys that `key` names for groups, each once; it is told the table of each.
fn by_key(scenario: &Scenario, key: impl Fn(&Scenario, &str, &Flow) -> String) -> Vec<Keyed> {
    let mut found: Vec<Keyed> = Vec::new();
    for (table, group) in scenario.groups_by_table() {
        let key = key(scenario, &table, group);
        let place = found.iter().position(|keyed| keyed.key == key).unwrap_or_else(|| {
            found.push(Keyed { key, groups: Vec::new() });
            found.len() - 1
        });
        found[place].groups.push(group.name.clone());
    }
    found
}

/// The key that ends the flows of a group.
fn end_key(table: &str, group: &Flow) -> String {
    let key = if group.application == Application::Probes {
        "probe.count"
    } else if group.application == Application::Telnet {
        "telnet.count"
    } else if group.segments.is_some() {
        "segments"
    } else {
        "bytes"
    };
    format!("{table}.{key}")
}

/// The keys of the window that the senders of a group see: of a middlebox, where one answers or
/// changes it, or of the receivers, of these where they differ.
fn window_key(scenario: &Scenario, table: &str, group: &Flow) -> String {
    if let Some(keys) = scenario.middlebox.as_ref().and_then(middlebox_window) {
        return keys.to_owned();
    }
    let [sender, receiver] = group.endpoints(&scenario.tcp).map(|tcp| tcp.receive_buffer);
    let whose = match (receiver == sender, sender == scenario.tcp.receive_buffer) {
        (false, _) => format!("{table}.peer."),
        (true, false) => format!("{table}."),
        (true, true) => String::new(),
    };
    format!("{whose}tcp.receive_buffer")
}

fn middlebox_window(middlebox: &Middlebox) -> Option<&'static str> {
    if middlebox.role() == Role::Subscriber {
        return None;
    }
    Some(match middlebox.scheme.name() {
        "atcp" => "middlebox.atcp.rate, round_trip, clamp and budget",
        "i-tcp" | "split" => {
            "middlebox.split.receive_buffer and send_buffer, middlebox.tcp.window, \
             tcp.receive_buffer"
        }
        "fda-like" => "middlebox.fda.target_queue",
        "w-tcp" => "middlebox.w_tcp.window",
        _ => return None,
    })
}

/// A hint for a subscriber's box that is told nothing of its pipe.
fn of_unknown_pipe(scenario: &Scenario) -> Option<String> {
    let Scheme::Atcp { keys } = &scenario.middlebox.as_ref()?.scheme else { return None };
    let is_unknown = keys.atcp.role == Role::Subscriber && !keys.atcp.learns_its_pipe();
    is_unknown.then(|| {
        "the middlebox lets all packets pass at once: middlebox.atcp.uplink_rate is not given"
            .to_owned()
    })
}

/// A hint for flows whose round trip is so long that BBR hardly gets beyond its start.
fn of_bbr(flows: &[FlowSummary]) -> Option<String> {
    let interval = cc::Bbr::PROBE_INTERVAL.as_secs_f64();
    let long = about(flows, |flow| {
        let is_longer = flow.rtt_s.min.is_some_and(|rtt| rtt >= interval);
        (flow.variant.starts_with("bbr") && is_longer).then_some(())
    })?;
    let whose = &long.whose;
    Some(format!(
        "{whose}: bbr empties the path every {interval} s to measure its round-trip time, which is \
         longer than that here: it hardly gets beyond its start"
    ))
}

/// What holds for some flows.
struct About<T> {
    /// These, in words.
    whose: String,
    values: Vec<T>,
}

/// The flows of which `value` says something; `None` if there are none.
fn about<T>(flows: &[FlowSummary], value: impl Fn(&FlowSummary) -> Option<T>) -> Option<About<T>> {
    let found = flows.iter().filter_map(|flow| Some((flow.id, value(flow)?)));
    About::of(found, ["flow", "flows"], flows.len())
}

impl<T> About<T> {
    /// What holds for those that are `found` among `all`, with one and many of them in words.
    fn of(
        found: impl Iterator<Item = (u32, T)>,
        [one, many]: [&str; 2],
        all: usize,
    ) -> Option<Self> {
        let (ids, values): (Vec<u32>, Vec<T>) = found.unzip();
        let whose = match ids[..] {
            [] => return None,
            [id] => format!("{one} {id}"),
            _ => format!("{} of {all} {many}", ids.len()),
        };
        Some(Self { whose, values })
    }
}

impl About<f64> {
    /// The shares in per cent: one, or from the least to the most.
    fn percent(&self) -> String {
        let percent = |share: f64| (100.0 * share).round() as u32;
        let least = percent(self.values.iter().copied().fold(f64::INFINITY, f64::min));
        let most = percent(self.values.iter().copied().fold(0.0, f64::max));
        if least == most { format!("{most} %") } else { format!("{least} % to {most} %") }
    }
}
