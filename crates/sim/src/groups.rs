//! Flows together: those of a group, and all.

use std::collections::BTreeSet;

use base::{Duration, Time};
use schemars::JsonSchema;
use serde::Serialize;

use crate::flow::{Event, FlowMetrics};
use crate::series::Series;
use crate::statistics::{Totals, jain_index};
use crate::{CallsSummary, Distribution, FlowSummary};

/// Flows together.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Group")]
pub struct GroupSummary {
    /// Name in the scenario; `all` of all flows.
    pub name: String,
    /// Number of them.
    pub flows: u32,
    /// Their TCP variant; `mixed` of several.
    pub variant: String,
    /// Payload delivered by all, over the time from the first packet of any to the end of the last:
    /// its completion at both ends, or the end of the run.
    pub goodput_bps: Option<f64>,
    /// Share of the payload delivered by all flows of the run that was theirs.
    pub share: Option<f64>,
    /// Jain's fairness index of the goodputs of its flows (Jain, Chiu and Hawe 1984): 1 if all are
    /// equal, 1/n if one of n has everything. `null` with fewer than two flows, or if nothing
    /// arrived.
    pub jain_index: Option<f64>,
    /// Round-trip times of data segments sent once whose acknowledgement did not wait for a
    /// retransmission.
    pub rtt_s: Distribution,
    /// One-way delay of each data packet.
    pub delay_s: Distribution,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments retransmitted.
    pub retransmits: u64,
    /// Retransmission timeouts once the handshake is done.
    pub timeouts: u64,
    /// From the first packet sent to the last byte acknowledged, of flows that completed.
    pub completion_s: Distribution,
    /// Quality at the receivers of its calls, where there are calls.
    pub voip: Option<CallsSummary>,
}

/// Name of all flows together.
const ALL: &str = "all";

/// All flows, and those of each group, in the order of the scenario; and what is known of each.
pub(crate) fn groups(
    flows: &[FlowMetrics],
    known: &[FlowSummary],
    end: Time,
) -> (GroupSummary, Vec<GroupSummary>) {
    let mut names: Vec<&str> = flows.iter().map(|flow| &*flow.flow.group).collect();
    names.dedup();
    let every: Vec<_> = flows.iter().collect();
    let payload = delivered(&every);
    let calls = |is_own: &dyn Fn(&FlowSummary) -> bool| {
        let own = known.iter().filter(|flow| is_own(flow));
        CallsSummary::of(own.filter_map(|flow| flow.voip.as_deref()))
    };
    let of = |name: &str| {
        let own: Vec<_> = flows.iter().filter(|flow| flow.flow.group == name).collect();
        let voip = calls(&|flow| flow.group == name);
        GroupSummary { voip, ..GroupSummary::of(name, &own, payload, end) }
    };
    let voip = calls(&|_| true);
    let all = GroupSummary { voip, ..GroupSummary::of(ALL, &every, payload, end) };
    let parts = match *names {
        [name] => vec![GroupSummary { name: name.to_owned(), ..all.clone() }],
        _ => names.into_iter().map(of).collect(),
    };
    (all, parts)
}

fn delivered(flows: &[&FlowMetrics]) -> u64 {
    flows.iter().map(|flow| flow.bytes_delivered).sum()
}

impl GroupSummary {
    /// Of the `flows` called `name`, but their calls; all flows of the run delivered `payload`.
    fn of(name: &str, flows: &[&FlowMetrics], payload: u64, end: Time) -> Self {
        let variants: BTreeSet<_> = flows.iter().map(|flow| &*flow.flow.variant).collect();
        let variant = match variants.into_iter().collect::<Vec<_>>()[..] {
            [variant] => variant,
            _ => "mixed",
        };
        let first = flows.iter().filter_map(|flow| flow.started).min();
        let last = flows.iter().map(|flow| flow.last(end)).max();
        let seconds = first.zip(last).map(|(first, last)| last.saturating_since(first));
        let seconds = seconds.map(Duration::as_secs_f64).filter(|seconds| *seconds > 0.0);
        let own = delivered(flows);
        let goodputs: Vec<_> =
            flows.iter().map(|flow| flow.goodput_bps(end).unwrap_or_default()).collect();
        let completions = flows.iter().filter_map(|flow| {
            flow.started.zip(flow.completed).map(|(start, end)| end.saturating_since(start))
        });
        let count = |event| flows.iter().map(|flow| flow.count(event)).sum::<u64>();
        Self {
            name: name.to_owned(),
            flows: flows.len() as u32,
            variant: variant.to_owned(),
            goodput_bps: seconds.map(|seconds| own as f64 * 8.0 / seconds),
            share: (payload > 0).then(|| own as f64 / payload as f64),
            jain_index: jain_index(&goodputs),
            rtt_s: together(flows, |flow| (flow.rtt_totals(), &flow.rtt), |row| row.fact.rtt),
            delay_s: together(
                flows,
                |flow| (flow.crossing.totals(), &flow.crossing.delays),
                |delay| *delay,
            ),
            segments_sent: flows.iter().map(|flow| flow.segments_sent).sum(),
            retransmits: flows.iter().map(|flow| flow.retransmits).sum(),
            timeouts: count(Event::Timeout) + count(Event::SpuriousTimeout),
            completion_s: Distribution::of(completions),
            voip: None,
        }
    }
}

/// The distribution of the times of several flows. Of series that hold a random share of their rows
/// each gives as many as the one with the smallest share.
fn together<T: Copy>(
    flows: &[&FlowMetrics],
    of: impl Fn(&FlowMetrics) -> (Totals, &Series<T>),
    time: impl Fn(&T) -> Duration,
) -> Distribution {
    let mut totals = Totals::default();
    for flow in flows {
        totals.join(of(flow).0);
    }
    let fewest = flows.iter().map(|flow| of(flow).1.halvings()).max().unwrap_or_default();
    let share = flows.iter().flat_map(|flow| {
        let series = of(flow).1;
        let step = 1 << (fewest - series.halvings());
        series.sample().iter().step_by(step).map(&time)
    });
    Distribution::of_many(totals, share)
}
