//! The numbers of a run, as `thinpipe run --json` prints them. Times are seconds, rates bit/s,
//! sizes bytes; what does not apply is `null`.

use base::{Direction, Duration, Rate, Time};
use link::disorder::Counts;
use link::{Counters, Drops};
use scenario::Scenario;
use schemars::JsonSchema;
use serde::Serialize;
use world::{Application, Body, Hop, Machine, Voip};

use crate::energy::MobileUse;
use crate::flow::{Event, FlowMetrics};
use crate::groups::{GroupSummary, groups};
use crate::hints::hints;
use crate::measured::Measured;
use crate::{
    CallSummary, CellSummary, DatagramSummary, Distribution, EnergySummary, LimitedBySummary,
    MiddleboxSummary, MobileSummary, MobilitySummary, NetworkSummary, RadioSummary,
};

/// The numbers of a run.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of all chance.
    pub seed: u64,
    /// Simulated time.
    pub duration_s: f64,
    /// Packets that came out of wires and middleboxes, and wakes of all other machines.
    pub events: u64,
    /// What explains the numbers and is easily overlooked, in a line each.
    pub hints: Vec<String>,
    /// A line for each group of flows that a setting made.
    pub made: Vec<String>,
    /// All flows together.
    pub total: GroupSummary,
    /// One entry for each group of flows.
    pub groups: Vec<GroupSummary>,
    /// One entry for each flow.
    pub flows: Vec<FlowSummary>,
    /// One entry for each direction of each link or bearer.
    pub links: Vec<LinkSummary>,
    /// The radio's blocks, where there is a radio.
    pub radio: Option<RadioSummary>,
    /// The energy of the radios of mobiles, where their kind of radio has powers.
    pub energy: Option<EnergySummary>,
    /// One entry for each mobile whose radio's energy is known.
    pub mobiles: Vec<MobileSummary>,
    /// The network of cells, where there is one.
    pub cell: Option<CellSummary>,
    /// The middlebox, where there is one.
    pub middlebox: Option<MiddleboxSummary>,
    /// How mobiles moved, where they do.
    pub mobility: Option<MobilitySummary>,
}

/// The numbers of a flow.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Flow")]
pub struct FlowSummary {
    /// From 0.
    pub id: u32,
    /// The name of its group.
    pub group: String,
    /// TCP variant; `udp` of datagrams.
    pub variant: String,
    /// Payload that the sender knows to have arrived.
    pub bytes_acked: u64,
    /// Payload delivered, by TCP in order, over the time from the first packet to completion at
    /// both ends or the end of the run; of datagrams to the last arrival.
    pub goodput_bps: Option<f64>,
    /// Segments accepted in order, or datagrams, with their headers and those of IP, over the rate
    /// of its direction of the radio (or of the bottleneck) in the mean of the run; `null` where
    /// sending takes no time.
    pub normalized_throughput: Option<f64>,
    /// Data segments sent, retransmissions included.
    pub segments_sent: u64,
    /// Data segments retransmitted.
    pub retransmits: u64,
    /// Retransmission timeouts once the handshake is done.
    pub timeouts: u64,
    /// Retransmission timeouts of the handshake.
    pub handshake_timeouts: u64,
    /// Timeouts whose segment had not been lost.
    pub spurious_timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Round-trip times of data segments sent once whose acknowledgement did not wait for a
    /// retransmission.
    pub rtt_s: Distribution,
    /// What the network did to its data packets.
    pub network: NetworkSummary,
    /// Congestion window, at most the window cap.
    pub cwnd_segments: CwndSummary,
    /// What kept its sender from sending more, where there is a connection.
    pub limited_by: Option<LimitedBySummary>,
    /// First packet sent.
    pub started_s: Option<f64>,
    /// Handshake done.
    pub established_s: Option<f64>,
    /// Last byte acknowledged.
    pub completed_s: Option<f64>,
    /// The sender gave the connection up, or it was reset, before that.
    pub given_up_s: Option<f64>,
    /// When the receiver's application had the last byte.
    pub received_s: Option<f64>,
    /// Pages, where the flow has them.
    pub pages: Option<PageSummary>,
    // Few flows have what follows: in the others it takes no room.
    /// Echoes, from a keystroke to the last byte of its echo, where the flow has them.
    pub echo_s: Option<Box<Distribution>>,
    /// Probes, one-way delay from the first transmission, where the flow has them.
    pub probe_s: Option<Box<Distribution>>,
    /// Datagrams, where the flow has them.
    pub datagrams: Option<Box<DatagramSummary>>,
    /// Quality at its receiver, where it is a call.
    pub voip: Option<Box<CallSummary>>,
}

/// The pages of a flow that arrived whole.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Pages")]
pub struct PageSummary {
    /// How many.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From request to last byte.
    pub response_s: Distribution,
}

/// The congestion window over time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct CwndSummary {
    /// Weighted by time.
    pub mean: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

/// One direction of a link or bearer.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Link")]
pub struct LinkSummary {
    /// `Gi/down`, `Uu/up`.
    pub name: String,
    /// Packets dropped or discarded.
    pub drops: u64,
    /// The same by what dropped them.
    pub drops_by_reason: DropsSummary,
    /// Packets marked instead of dropped (RFC 3168).
    pub marks: u64,
    /// Packets that it disordered, where it may.
    pub disorder: Option<DisorderSummary>,
    /// Busy share of the time (a bearer: of the blocks; by satellite: of the bytes that its rates
    /// carry; a trace: of its opportunities). Of a WLAN that of the media of its access points, on
    /// average, which both directions share.
    pub utilization: Option<f64>,
    /// Packets waiting or in transmission.
    pub queue_packets: QueueSummary,
    /// How long a packet that was taken in waited or was in transmission, on average; `null` if
    /// there was none.
    pub queue_delay_s: Option<f64>,
}

/// Packets dropped, by what dropped them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "Drops")]
pub struct DropsSummary {
    /// The queue was full.
    pub queue: u64,
    /// RED or `CoDel`.
    pub aqm: u64,
    /// Lost at random.
    pub loss: u64,
    /// On the list of packets to drop.
    pub list: u64,
    /// Sent during an outage, or on the way when one satellite followed another.
    pub outage: u64,
    /// Given up by RLC or PDCP.
    pub discarded: u64,
    /// Heard by nobody: its mobile was elsewhere.
    pub unreachable: u64,
}

/// Packets that came out of a link otherwise than they went in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Disorder")]
pub struct DisorderSummary {
    /// Arrived behind one that was sent later (RFC 4737 §3.3).
    pub reordered: u64,
    /// Arrived twice.
    pub duplicated: u64,
    /// Arrived with a wrong bit, for which their receiver discards them.
    pub corrupted: u64,
}

/// A queue over time.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct QueueSummary {
    /// Weighted by time.
    pub mean: f64,
    /// The longest.
    pub max: u32,
}

impl Summary {
    /// The summary of a run of `scenario` that has ended, of which that was measured; and the
    /// series of it.
    pub(crate) fn of(scenario: &Scenario, measured: &mut Measured) -> Self {
        let duration = scenario.duration;
        let end = Time::ZERO + duration;
        let flows = std::mem::take(&mut measured.flows);
        let middlebox = measured.middlebox.as_ref().map(|(at, counters)| {
            let scheme = scenario.middlebox.as_ref().map(|of| &of.scheme);
            let kind = scheme.map_or("none", |scheme| scheme.name());
            let keys = scheme.and_then(middlebox::Scheme::keys);
            let classes = keys.map(middlebox::SchemeKeys::classes).unwrap_or_default();
            let metrics = &measured.metrics.middlebox;
            MiddleboxSummary::of((kind, &classes), at, *counters, metrics, end)
        });
        let (total, groups) = groups(measured.metrics.flows(), &flows, end);
        Self {
            scenario: scenario.name.clone(),
            seed: scenario.seed,
            duration_s: duration.as_secs_f64(),
            events: measured.events,
            hints: hints(scenario, &flows, &measured.links, middlebox.as_ref()),
            made: scenario.made.clone(),
            total,
            groups,
            flows,
            links: std::mem::take(&mut measured.links),
            radio: measured.radio.map(RadioSummary::from),
            energy: EnergySummary::sum(&measured.mobiles, measured.delivered),
            mobiles: measured.mobiles.iter().map(MobileUse::summary).collect(),
            cell: measured.cell.take(),
            middlebox,
            mobility: measured.mobility.take(),
        }
    }
}

impl Summary {
    /// The same without the flows, which may be many.
    #[must_use]
    pub fn without_flows(&self) -> Self {
        let Self { scenario, hints, made, total, groups, links, energy, .. } = self;
        let Self { mobiles, cell, middlebox, mobility, .. } = self;
        Self {
            scenario: scenario.clone(),
            hints: hints.clone(),
            made: made.clone(),
            total: total.clone(),
            groups: groups.clone(),
            flows: Vec::new(),
            links: links.clone(),
            energy: energy.clone(),
            mobiles: mobiles.clone(),
            cell: cell.clone(),
            middlebox: middlebox.clone(),
            mobility: mobility.clone(),
            ..*self
        }
    }
}

impl FlowSummary {
    /// Of flow number `id`; its throughput is compared with the rate of the `bottleneck`.
    pub(crate) fn of(
        id: usize,
        flow: &FlowMetrics,
        scenario: &Scenario,
        bottleneck: Option<Rate>,
    ) -> Self {
        let duration = scenario.duration;
        let end = Time::ZERO + duration;
        let has = |application| flow.flow.application == application;
        let bps = |bytes: u64, seconds: f64| bytes as f64 * 8.0 / seconds;
        let cwnd = flow.cwnd_mean_and_max(flow.last(end));
        let segments = |bytes: f64| bytes / f64::from(flow.flow.mss);
        let seconds = |time: Option<Time>| time.map(Time::as_secs_f64);
        let spurious = flow.count(Event::SpuriousTimeout);
        Self {
            id: id as u32,
            group: flow.flow.group.clone(),
            variant: flow.flow.variant.clone(),
            bytes_acked: flow.bytes_acked,
            goodput_bps: flow.goodput_bps(end),
            normalized_throughput: bottleneck.map(|rate| {
                bps(flow.wire_bytes_delivered, duration.as_secs_f64()) / rate.as_bps() as f64
            }),
            segments_sent: flow.segments_sent,
            retransmits: flow.retransmits,
            timeouts: flow.count(Event::Timeout) + spurious,
            handshake_timeouts: flow.count(Event::HandshakeTimeout),
            spurious_timeouts: spurious,
            fast_retransmits: flow.count(Event::FastRetransmit),
            rtt_s: flow.rtt_distribution(),
            network: NetworkSummary::of(flow, duration.as_secs_f64()),
            cwnd_segments: CwndSummary {
                mean: cwnd.map(|(mean, _)| segments(mean)),
                max: cwnd.map(|(_, max)| segments(max as f64)),
            },
            limited_by: flow.limited_by(end),
            started_s: seconds(flow.started),
            established_s: seconds(flow.established),
            completed_s: seconds(flow.completed),
            given_up_s: seconds(flow.given_up),
            received_s: seconds(flow.received),
            pages: has(Application::Web).then(|| PageSummary {
                count: flow.pages.len() as u64,
                bytes: flow.pages.iter().map(|row| row.fact.bytes).sum(),
                response_s: Distribution::of(flow.pages.iter().map(|row| row.fact.response)),
            }),
            echo_s: has(Application::Telnet).then(|| {
                Box::new(Distribution::of(flow.echoes.iter().map(|row| row.fact.response)))
            }),
            probe_s: has(Application::Probes)
                .then(|| Box::new(Distribution::of(flow.probes.iter().map(|row| row.fact)))),
            datagrams: (flow.flow.application.has_datagrams())
                .then(|| Box::new(flow.datagrams.summary())),
            voip: has(Application::Voip).then(|| Box::new(call(flow, scenario, end))),
        }
    }
}

/// Quality at the receiver of a call of `scenario`, by the keys of its group.
fn call(flow: &FlowMetrics, scenario: &Scenario, end: Time) -> CallSummary {
    let group = scenario.groups().find(|group| group.name == flow.flow.group);
    let voip = group.map_or_else(Voip::default, |group| group.applications.voip);
    CallSummary::of(&voip, flow.started.unwrap_or(end), &flow.datagrams.fates(), end)
}

impl LinkSummary {
    /// The links that `machine` is, from time zero to `end`; none for an endpoint.
    pub fn of<B: Body>(name: &str, machine: &Machine<B>, end: Time) -> Vec<Self> {
        let elapsed = end.as_secs_f64();
        let both = |of: &dyn Fn(Direction, String) -> Self| {
            DIRECTIONS.map(|(direction, way)| of(direction, format!("{name}/{way}"))).to_vec()
        };
        let Some(hop) = machine.hop() else { return Vec::new() };
        match hop {
            Hop::Pipe { pipe, .. } => {
                let counters = pipe.counters(end);
                let utilization = pipe.rate().map(|_| counters.busy.as_secs_f64() / elapsed);
                vec![Self::wired(name, &counters, utilization, elapsed)]
            }
            Hop::Link { link, .. } => {
                let wired = Self::wired(name, &link.counters(end), link.utilization(end), elapsed);
                vec![Self { disorder: link.disorder().map(DisorderSummary::from), ..wired }]
            }
            Hop::Radio(radio) => both(&|direction, name| {
                let share = radio.cell.utilization(direction, end.saturating_since(Time::ZERO));
                let (total, waited) =
                    (radio.cell.total(direction), radio.cell.waited(direction, end));
                Self::radio(name, &total, waited, share, elapsed)
            }),
            Hop::Wlan { wlan, .. } => both(&|direction, name| {
                let counters = wlan.counters(direction);
                let waiting = Waiting {
                    packets: counters.sdus - counters.drops.queue,
                    time: wlan.waited(direction, end),
                    most: counters.queue_max,
                };
                // Both directions share the media.
                let utilization = wlan.utilization(end);
                Self::new(name, (counters.drops, counters.marks), utilization, waiting, elapsed)
            }),
        }
    }

    /// Adds what passed the same wire in another part of the network: it has no rate, so that
    /// nothing waits there.
    pub(crate) fn add(&mut self, more: &Self) {
        self.queue_packets.max = self.queue_packets.max.max(more.queue_packets.max);
        self.queue_delay_s = self.queue_delay_s.or(more.queue_delay_s);
    }

    /// The summary of a link that dropped and marked so many packets.
    fn new(
        name: String,
        (drops, marks): (Drops, u64),
        utilization: Option<f64>,
        Waiting { packets, time, most }: Waiting,
        elapsed: f64,
    ) -> Self {
        let waited = time.as_secs_f64();
        Self {
            name,
            drops: drops.total(),
            drops_by_reason: drops.into(),
            marks,
            disorder: None,
            utilization,
            queue_packets: QueueSummary { mean: waited / elapsed, max: most },
            queue_delay_s: (packets > 0).then(|| waited / packets as f64),
        }
    }

    fn radio(
        name: String,
        counters: &radio::Counters,
        waited: Duration,
        utilization: Option<f64>,
        elapsed: f64,
    ) -> Self {
        let radio::Counters { dropped: queue, managed: aqm, lost: loss, .. } = *counters;
        let radio::Counters { cut_off: outage, discarded, .. } = *counters;
        let drops = Drops { queue, aqm, loss, outage, discarded, ..Drops::default() };
        let waiting = Waiting {
            packets: counters.sdus - queue - aqm,
            time: waited,
            most: counters.queue_max,
        };
        Self::new(name, (drops, 0), utilization, waiting, elapsed)
    }

    fn wired(name: &str, counters: &Counters, utilization: Option<f64>, elapsed: f64) -> Self {
        let waiting = Waiting {
            packets: counters.accepted,
            time: counters.queue_integral,
            most: counters.queue_max,
        };
        let dropped = (counters.drops, counters.marks);
        Self::new(name.to_owned(), dropped, utilization, waiting, elapsed)
    }
}

/// The packets that were taken in, the time that all of them waited or were in transmission, and
/// the most at once.
struct Waiting {
    packets: u64,
    time: Duration,
    most: u32,
}

const DIRECTIONS: [(Direction, &str); 2] =
    [(Direction::Downlink, "down"), (Direction::Uplink, "up")];

impl From<Counts> for DisorderSummary {
    fn from(Counts { reordered, duplicated, corrupted }: Counts) -> Self {
        Self { reordered, duplicated, corrupted }
    }
}

impl From<Drops> for DropsSummary {
    fn from(drops: Drops) -> Self {
        let Drops { queue, aqm, loss, list, outage, discarded, unreachable } = drops;
        Self { queue, aqm, loss, list, outage, discarded, unreachable }
    }
}
