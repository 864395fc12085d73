//! What an emulator says of its run. Times are seconds, sizes bytes, rates bit/s; what does not
//! apply is `null`.

use base::{Direction, Duration, Time};
use hdrhistogram::Histogram;
use schemars::JsonSchema;
use serde::Serialize;
use sim::{DropsSummary, EnergySummary, LinkSummary, RadioSummary};

use crate::emulator::Emulator;
use crate::packet_ledger::{Lane, Reading, Traffic};
use os::Scheduling;

/// A moment of a run, for a meter.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Moment {
    /// Since the start.
    pub at_s: f64,
    /// Towards the mobile.
    pub down: Reading,
    /// From the mobile.
    pub up: Reading,
    /// The 99th percentile of lateness so far, for readers beside the run.
    pub late_s: Option<f64>,
}

/// A run that has ended.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "EmulationRecord")]
pub struct Record {
    /// The scenario's name.
    pub scenario: String,
    /// The seed of all chance.
    pub seed: u64,
    /// Date and time in UTC (RFC 3339).
    pub started: String,
    /// How long it ran.
    pub wall_s: f64,
    /// The largest IP packet; between two interfaces each has its own limit.
    pub mtu: Option<u16>,
    /// How the packet thread was scheduled.
    pub scheduling: Scheduling,
    /// Processes that had been left behind and were ended.
    pub left_behind: u32,
    /// What ran behind it; `null` where that may be many programs, or none.
    pub command: Option<Vec<String>>,
    /// The exit status of that.
    pub exit_status: Option<i32>,
    /// What became of the packets.
    #[serde(flatten)]
    pub directions: Directions,
    /// One entry for each direction of each link or bearer.
    pub links: Vec<LinkSummary>,
    /// The radio's blocks, where there is a radio.
    pub radio: Option<RadioSummary>,
    /// The energy of the radios of mobiles, where their kind of radio has powers.
    pub energy: Option<EnergySummary>,
    /// How punctual the emulator was.
    pub lateness_s: Lateness,
}

/// Both directions.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Directions {
    /// Towards the mobile.
    pub down: DirectionRecord,
    /// From the mobile.
    pub up: DirectionRecord,
}

/// What became of the packets of a direction: in + duplicated = out + dropped + queued.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Direction")]
pub struct DirectionRecord {
    /// What came in.
    pub entered: Traffic,
    /// What left.
    pub left: Traffic,
    /// Copies that links made of it on the way.
    pub duplicated: Traffic,
    /// Packets dropped, by reason.
    pub dropped: Dropped,
    /// What was still held at the end.
    pub queued: Traffic,
    /// Packets that the kernel had dropped ahead of the emulator.
    pub dropped_before: u64,
    /// Packets that are neither IPv4 nor IPv6; they pass all the same.
    pub unreadable: u64,
    /// From entry to exit.
    pub delay_s: Percentiles,
}

/// Packets dropped, by reason.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "DroppedPackets")]
pub struct Dropped {
    /// All of them.
    pub total: u64,
    /// By the model.
    #[serde(flatten)]
    pub model: DropsSummary,
    /// By the emulator: it held too much.
    pub memory: u64,
    /// By the kernel: it did not take them.
    pub refused: u64,
}

/// Times in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Delay")]
pub struct Percentiles {
    /// The median.
    pub p50: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
    /// The largest.
    pub max: Option<f64>,
}

/// How punctual packets left. Counts from when the model named, and for how long each may have
/// waited before it was seen.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Lateness {
    /// How many packets.
    pub samples: u64,
    /// The distribution.
    #[serde(flatten)]
    pub percentiles: Percentiles,
    /// What the 99th percentile may be.
    pub bound: f64,
    /// Whether it is.
    pub within_bound: bool,
}

/// A run whose 99th percentile of lateness is above is beyond its bound.
const BOUND: Duration = Duration::from_millis(5);

impl Directions {
    /// Of an emulator that has ended; the kernel dropped so many packets ahead of its ports.
    pub(crate) fn of(emulator: &Emulator, dropped_before: [u64; 2]) -> Self {
        let of = |direction, dropped_before| {
            let lane = emulator.ledger.lane(direction);
            DirectionRecord::of(lane, emulator.held(direction), dropped_before)
        };
        let [network, mobile] = dropped_before;
        Self { down: of(Direction::Downlink, network), up: of(Direction::Uplink, mobile) }
    }
}

impl DirectionRecord {
    fn of(lane: &Lane, queued: Traffic, dropped_before: u64) -> Self {
        Self {
            entered: lane.entered,
            left: lane.left,
            duplicated: lane.duplicated,
            dropped: Dropped {
                total: lane.drops(),
                model: lane.dropped.into(),
                memory: lane.memory,
                refused: lane.refused,
            },
            queued,
            dropped_before,
            unreadable: lane.unreadable,
            delay_s: Percentiles::of(&lane.delay),
        }
    }
}

impl Percentiles {
    fn of(nanos: &Histogram<u64>) -> Self {
        let seconds = |nanos| Duration::from_nanos(nanos).as_secs_f64();
        let at = |quantile| (!nanos.is_empty()).then(|| seconds(nanos.value_at_quantile(quantile)));
        Self { p50: at(0.5), p99: at(0.99), max: at(1.0) }
    }
}

impl Lateness {
    pub(crate) fn of(nanos: &Histogram<u64>) -> Self {
        Self {
            samples: nanos.len(),
            percentiles: Percentiles::of(nanos),
            bound: BOUND.as_secs_f64(),
            within_bound: nanos.value_at_quantile(0.99) <= BOUND.as_nanos(),
        }
    }
}

/// What links and the radio of `emulator` did up to `end`, and what its mobiles used.
pub(crate) fn machines(
    emulator: &Emulator,
    end: Time,
) -> (Vec<LinkSummary>, Option<RadioSummary>, Option<EnergySummary>) {
    let machines = || emulator.world.machines();
    let links = machines().flat_map(|(_, name, machine)| LinkSummary::of(name, machine, end));
    let radio = RadioSummary::of(machines().map(|(_, _, machine)| machine));
    (links.collect(), radio, EnergySummary::of(&emulator.world, end))
}
