//! What links could carry over time.

use base::{Direction, Duration, Rate, Schedule, Time};
use scenario::Scenario;
use world::{Body, Hop, World};

/// What a direction of a link or bearer could carry from a time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CapacityRow {
    /// From when.
    pub time: Time,
    /// The direction of a link or bearer, as an index into the links of the run's summary.
    pub link: u32,
    /// Bits a second, zero in an outage of a radio; `None` without limit.
    pub bps: Option<u64>,
}

/// In so many intervals of a run a trace's opportunities are counted.
const INTERVALS: u64 = 1_000;

/// The shortest such interval.
const SHORTEST: Duration = Duration::from_millis(100);

/// What a direction of a link or bearer could carry: bits a second from each time on, without limit
/// if `None`.
pub(crate) type Course = Vec<(Time, Option<u64>)>;

/// The capacity of each link and bearer that has a limit of its own, link by link in order of time.
/// That of a radio is the rate of its channel, with errors and headers; mobiles of a cell and of a
/// WLAN share theirs.
pub(crate) fn capacity(courses: Vec<Course>) -> Vec<CapacityRow> {
    let is_limited = |course: &Course| course.iter().any(|(_, bps)| bps.is_some());
    let rows = |(link, course): (u32, Course)| {
        course.into_iter().map(move |(time, bps)| CapacityRow { time, link, bps })
    };
    (0..).zip(courses).filter(|(_, course)| is_limited(course)).flat_map(rows).collect()
}

/// The courses of the links and bearers of `world`, in order.
pub(crate) fn courses<B: Body>(scenario: &Scenario, world: &World<B>) -> Vec<Course> {
    let until = Time::ZERO + scenario.duration;
    let mut courses: Vec<Course> = Vec::new();
    for (_, name, machine) in world.machines() {
        let Some(hop) = machine.hop() else { continue };
        match hop {
            Hop::Pipe { pipe, .. } => {
                courses.push(vec![(Time::ZERO, pipe.rate().map(Rate::as_bps))]);
            }
            Hop::Link { link, .. } => {
                courses.push(link.capacity(until, interval(scenario.duration)));
            }
            Hop::Radio(radio) if !radio.cell.is_shared() => courses.extend(bearer(scenario, name)),
            Hop::Radio(_) | Hop::Wlan { .. } => courses.extend([Vec::new(), Vec::new()]),
        }
    }
    courses
}

/// The interval in which a trace's opportunities are counted, in whole milliseconds.
fn interval(duration: Duration) -> Duration {
    let millis = duration.as_nanos() / INTERVALS / 1_000_000;
    SHORTEST.max(Duration::from_millis(millis))
}

/// The rates of the bearer called `name`, down and up; empty where none is known.
fn bearer(scenario: &Scenario, name: &str) -> [Course; 2] {
    let keys = scenario.radio.as_ref().expect("a bearer comes from [radio]").keys();
    let context = scenario.radio_context();
    let outages = keys.outages(&context, name);
    let down_alone = || [Some(Schedule::constant(Some(keys.bottlenecks(&context, 0)[0]))), None];
    let rates = keys.rates(&context, 0).map_or_else(down_alone, |rates| rates.map(Some));
    let until = Time::ZERO + scenario.duration;
    Direction::BOTH.map(|direction| {
        let [down, up] = &rates;
        let Some(rate) = direction.of(down, up) else { return Vec::new() };
        let edges = outages.iter().flatten().copied();
        let mut times: Vec<_> =
            std::iter::once(Time::ZERO).chain(rate.changes()).chain(edges).collect();
        times.sort_unstable();
        times.dedup();
        let is_out = |time: Time| outages.iter().any(|[from, to]| (*from..*to).contains(&time));
        let bps = |time: Time| if is_out(time) { 0 } else { rate.at(time).map_or(0, Rate::as_bps) };
        let within = times.into_iter().take_while(|time| *time < until);
        let mut course: Vec<_> = within.map(|time| (time, Some(bps(time)))).collect();
        course.dedup_by_key(|(_, bps)| *bps);
        course
    })
}
