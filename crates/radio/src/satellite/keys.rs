//! `[radio]` with `kind = "leo"` or `kind = "geo"`.

use base::{Direction, Duration, Probability, Rate, Schedule, Time};
use settings::{
    Always, Count, Distance, Fault, File, Flag, Flat, OfTime, Off, Or, Part, Perhaps, Share, Spans,
    Speed, Steps, Table, Timed, section,
};

use super::config::{
    self, Access, Air, Background, Carrier, Change, Passing, Path, SatelliteConfig,
};
use super::orbit::Orbit;
use super::recording::Recording;
use crate::gprs::RadioBursts;
use crate::keys::{Keys, Queues, RadioContext};

/// Above the equator, where a satellite stays over one place.
const GEOSTATIONARY: f64 = 35_786_000.0;

section! {
    /// `[radio]` of satellites in a low orbit.
    pub struct LeoKeys {
        /// What any satellite has.
        pub satellite: Satellite as Flat<Satellite> = Satellite::default();
        /// The orbit, and how one satellite follows the other.
        pub leo: Leo as Always<Leo> = Leo::default();
    }
    check(Self::check)
}

section! {
    /// `[radio]` of a geostationary satellite.
    pub struct GeoKeys {
        /// What any satellite has.
        pub satellite: Satellite as Flat<Satellite> = Satellite::default();
        /// Where it stands.
        pub geo: Geo as Always<Geo> = Geo::default();
    }
}

section! {
    /// What any satellite has.
    pub struct Satellite {
        /// Towards the terminal.
        pub downlink: Beam as Always<Beam> = Beam::default();
        /// From the terminal.
        pub uplink: UpBeam as Always<UpBeam> = UpBeam::default();
        /// Who has the frames of the beam.
        pub beam: Frames as Always<Frames> = Frames::default();
        /// One way behind the gateway, and in modems. Default: our choice.
        pub ground: Duration as OfTime = Duration::from_millis(10);
        /// From when other gateways serve, each with a way of its own behind it.
        pub gateways: Vec<Gateway> as Steps<Gateway> = Vec::new();
        /// From when which share of the rates is left: modulation and coding follow the rain.
        pub rain: Vec<Rain> as Steps<Rain> = Vec::new();
        /// From when to when nothing gets through, such as behind a building or a mountain.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// Losses in bursts: a good and a bad state.
        pub gilbert_elliott: Option<RadioBursts> as Perhaps<RadioBursts> = None;
        /// Delays as they were recorded, in place of those of an orbit.
        pub recorded: Vec<Recorded> as Steps<Recorded> = Vec::new();
        /// Round-trip times and rates as they were recorded, in place of those of an orbit, of
        /// `radio.ground` and of the rates that the file has.
        pub trace: Option<File<Recording>> as Or<Off, File<Recording>> = None;
        /// How many terminals there are, each with a bearer of its own; 0 is one called UE. Flows
        /// are assigned in turn.
        pub ues: u32 as Count<u32, 0, 50_000> = 0;
    }
    supersedes(trace: recorded, gateways)
    supersedes(recorded: trace)
    check(Self::check)
}

section! {
    /// `[radio.beam]`: who has the frames of the beam, in each direction. Each is one user's, drawn
    /// anew, and a packet waits for one of its terminal.
    pub struct Frames {
        /// What part of the frames other users have, up to 99 %. Recorded rates are those that they
        /// leave.
        pub background: Probability as Part = Probability::NEVER;
        /// How long a frame is. Default: of Starlink, 1/750 s (Humphreys et al., "Signal Structure
        /// of the Starlink Ku-Band Downlink", IEEE TAES 2023).
        pub frame: Duration as OfTime<100_000, 1_000_000_000> =
            Duration::from_nanos(1_333_333);
    }
    check(Self::check)
}

section! {
    /// `[radio.downlink]`.
    pub struct Beam {
        /// What the beam carries to a terminal without other users, IP headers included.
        pub rate: Rate as Speed = Rate::from_bps(100_000_000);
    }
}

section! {
    /// `[radio.uplink]`.
    pub struct UpBeam {
        /// What the beam carries from a terminal without other users, IP headers included.
        pub rate: Rate as Speed = Rate::from_bps(12_000_000);
        /// Capacity on demand; without it the terminal may always send.
        pub assignment: Option<Demand> as Perhaps<Demand> = None;
    }
}

section! {
    /// `[radio.uplink.assignment]`: a terminal asks for what it wants to send at the beginning of a
    /// frame, and is given later frames (ETSI EN 301 545-2, DVB-RCS2).
    pub struct Demand {
        /// How long a frame is. Default: our choice.
        pub frame: Duration as OfTime<100_000> = Duration::from_millis(26);
        /// From a request to the first frame that it may be given: there and back through the air,
        /// and what the scheduler takes. Default: of a geostationary satellite.
        pub wait: Duration as OfTime = Duration::from_millis(560);
        /// What each frame carries without being asked for.
        pub committed: Option<Rate> as Or<Off, Speed> = None;
    }
}

section! {
    /// `[radio.leo]`: one shell of satellites, and a gateway that both ends see.
    pub struct Leo {
        /// Above the ground. Default: the first shell of Starlink.
        pub altitude: f64 as Distance = 550_000.0;
        /// The least elevation at which a satellite is used, in degrees.
        pub elevation: u32 as Count<u32, 5, 85> = 25;
        /// From the terminal to the gateway. Default: our choice.
        pub gateway: f64 as Distance = 300_000.0;
        /// How often satellites are assigned anew. Default: of Starlink (arXiv 2310.09242).
        pub slot: Duration as OfTime<100_000_000> = Duration::from_secs(15);
        /// The most that one way behind a satellite is longer, by other satellites and gateways.
        /// Each slot draws its own, evenly from none to this. Huston (APNIC 2024) saw round-trip
        /// times step by up to 50 ms.
        pub detour: Duration as OfTime = Duration::ZERO;
        /// For how long nothing is sent at the beginning of each slot but the first. Huston (APNIC
        /// 2024) saw spikes of 30 to 50 ms there.
        pub pause: Duration as OfTime = Duration::ZERO;
        /// Whether what is in the air at the end of a slot is lost.
        pub loses: bool as Flag = false;
        /// Whether each slot but the first begins in the bad state of `radio.gilbert_elliott`:
        /// losses cluster where satellites change (Huston, APNIC 2024).
        pub begins_bad: bool as Flag = false;
        /// Whether a packet may arrive before one that was sent before it, when the way becomes
        /// shorter. After a `pause` longer than the step none does, but for one that is being sent
        /// as the slot begins.
        pub reorders: bool as Flag = false;
    }
}

section! {
    /// `[radio.geo]`: where the satellite stands.
    pub struct Geo {
        /// Its elevation at the terminal, in degrees.
        pub elevation: u32 as Count<u32, 0, 90> = 30;
        /// Its elevation at the gateway, in degrees.
        pub gateway_elevation: u32 as Count<u32, 0, 90> = 30;
    }
}

section! {
    /// A member of `radio.gateways`.
    #[derive(Copy)]
    pub struct Gateway {
        /// From when; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// One way behind it; required.
        pub ground: Duration as OfTime = Duration::ZERO;
    }
}

section! {
    /// A member of `radio.rain`.
    #[derive(Copy)]
    pub struct Rain {
        /// From when; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The share of the rates that is left; where nothing is, `radio.outages`.
        pub share: Probability as Share = Probability::ALWAYS;
    }
}

section! {
    /// A member of `radio.recorded`.
    #[derive(Copy)]
    pub struct Recorded {
        /// From when; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// One way through the air, both directions alike; required.
        pub delay: Duration as OfTime = Duration::ZERO;
    }
}

impl Timed for Gateway {
    const NEEDED: &'static [(&'static str, &'static str)] =
        &[("at", "\"20 s\""), ("ground", "\"10 ms\"")];

    fn at(&self) -> Duration {
        self.at
    }
}

impl Timed for Rain {
    fn at(&self) -> Duration {
        self.at
    }
}

impl Timed for Recorded {
    const NEEDED: &'static [(&'static str, &'static str)] =
        &[("at", "\"20 s\""), ("delay", "\"10 ms\"")];

    fn at(&self) -> Duration {
        self.at
    }
}

impl Frames {
    /// When a direction without assignments may send.
    fn access(&self) -> Access {
        let left = self.left();
        if left == Probability::ALWAYS {
            return Access::Own;
        }
        Access::Shared(Background { frame: self.frame, left })
    }

    /// What other users leave.
    fn left(&self) -> Probability {
        Probability::new(1.0 - self.background.value()).unwrap_or_default()
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.background.value() > MOST_BACKGROUND {
            let message = format!("{at}.background must be at most 99 %");
            return tree.clash_at(at, &["background"], message);
        }
        Ok(())
    }
}

impl Satellite {
    fn config(
        &self,
        context: &RadioContext<'_>,
        air: Air,
        change: Change,
        reorders: bool,
    ) -> SatelliteConfig {
        let shared = self.beam.access();
        let on_demand = self.uplink.assignment.as_ref().map(|demand| {
            Access::OnDemand(config::Assignment {
                frame: demand.frame,
                wait: demand.wait,
                committed: demand.committed,
            })
        });
        let [down, up] = self.rates();
        let first = self.recorded.first().map(|one| one.delay);
        let air =
            first.map_or(air, |first| Air::Recorded(steps(first, &self.recorded, |one| one.delay)));
        let ground = steps(self.ground, &self.gateways, |one| one.ground);
        // What was recorded has the way on the ground in it.
        let (air, ground) = self.recording().map_or((air, ground), |recording| {
            (Air::Recorded(recording.delay.clone()), Schedule::constant(Duration::ZERO))
        });
        SatelliteConfig {
            carriers: [
                Carrier { rate: down, access: shared },
                Carrier { rate: up, access: on_demand.unwrap_or(shared) },
            ],
            queues: context.queues,
            path: Path { air, ground, reorders },
            gaps: self.gaps(),
            bursts: self.gilbert_elliott.clone(),
            change,
        }
    }

    fn recording(&self) -> Option<&Recording> {
        self.trace.as_ref().map(File::content)
    }

    /// The rates over time that other users leave, down and up.
    fn rates(&self) -> [Schedule<Option<Rate>>; 2] {
        let rain = steps(Probability::ALWAYS, &self.rain, |rain| rain.share);
        Direction::BOTH.map(|direction| {
            let rate = self.clear_sky(direction);
            let at = |time| part(rate.at(time)?, rain.at(time));
            let mut times: Vec<_> = rate.changes().chain(rain.changes()).collect();
            times.sort_unstable();
            times.dedup();
            Schedule::new(at(Time::ZERO), times.into_iter().map(|time| (time, at(time))).collect())
        })
    }

    /// The rate of `direction` without rain.
    fn clear_sky(&self, direction: Direction) -> Schedule<Option<Rate>> {
        let recorded = self.recording().and_then(|it| it.rates[direction as usize].clone());
        recorded.unwrap_or_else(|| Schedule::constant(part(self.rate(direction), self.beam.left())))
    }

    /// The rate of the beam in `direction` without rain, where none was recorded.
    pub const fn rate(&self, direction: Direction) -> Rate {
        match direction {
            Direction::Downlink => self.downlink.rate,
            Direction::Uplink => self.uplink.rate,
        }
    }

    /// Gives the beam another rate in `direction`.
    pub const fn set_rate(&mut self, direction: Direction, rate: Rate) {
        match direction {
            Direction::Downlink => self.downlink.rate = rate,
            Direction::Uplink => self.uplink.rate = rate,
        }
    }

    /// Whether the rate of `direction` is a recorded one.
    pub fn is_recorded(&self, direction: Direction) -> bool {
        self.recording().is_some_and(|recording| recording.has_rate(direction as usize))
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let others = [
            ("recorded", !self.recorded.is_empty(), ""),
            ("gateways", !self.gateways.is_empty(), ": a recorded round trip has their way in it"),
        ];
        let other = others.into_iter().find(|(_, is_given, _)| *is_given && self.trace.is_some());
        other.map_or(Ok(()), |(key, _, why)| {
            let message = format!("give {at}.trace or {at}.{key}, not both{why}");
            tree.clash_at(at, &["trace", key], message)
        })
    }

    /// When nothing gets through, joined where that overlaps.
    fn gaps(&self) -> Vec<[Time; 2]> {
        let mut gaps: Vec<_> =
            self.outages.iter().map(|span| span.map(|time| Time::ZERO + time)).collect();
        gaps.sort_unstable();
        let mut joined: Vec<[Time; 2]> = Vec::new();
        for [from, to] in gaps {
            match joined.last_mut() {
                Some([_, end]) if from <= *end => *end = to.max(*end),
                _ => joined.push([from, to]),
            }
        }
        joined
    }
}

/// A terminal has one frame of a hundred at least: a packet looks for its own one by one.
const MOST_BACKGROUND: f64 = 0.99;

/// A share of a rate.
fn part(rate: Rate, share: Probability) -> Option<Rate> {
    let bps = (rate.as_bps() as f64 * share.value()).round() as u64;
    (bps > 0).then(|| Rate::from_bps(bps))
}

/// `first`, then what each step says from its time on.
fn steps<S: Timed, V: Copy>(first: V, steps: &[S], of: impl Fn(&S) -> V) -> Schedule<V> {
    Schedule::new(first, steps.iter().map(|step| (Time::ZERO + step.at(), of(step))).collect())
}

impl LeoKeys {
    /// How a bearer behaves.
    pub fn config(&self, context: &RadioContext<'_>, _name: &str) -> SatelliteConfig {
        let Leo { slot, detour, pause, loses, begins_bad, .. } = self.leo;
        let air = Air::Passing(Passing { orbit: self.orbit(), slot, detour });
        let change = Change { pause, loses, begins_bad };
        self.satellite.config(context, air, change, self.leo.reorders)
    }

    fn orbit(&self) -> Orbit {
        let Leo { altitude, elevation, gateway, .. } = self.leo;
        Orbit { altitude, elevation: f64::from(elevation), gateway }
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let most = self.orbit().farthest() * NEAR;
        if self.leo.gateway > most {
            let most = (most / 1000.0).floor();
            let message = format!(
                "{at}.leo.gateway must be at most {most} km, so that both ends see a satellite"
            );
            return tree.clash_at(at, &["leo.gateway", "leo.altitude", "leo.elevation"], message);
        }
        if self.leo.pause >= self.leo.slot {
            let message = format!("{at}.leo.pause must be less than {at}.leo.slot");
            return tree.clash_at(at, &["leo.pause", "leo.slot"], message);
        }
        if self.leo.begins_bad && self.satellite.gilbert_elliott.is_none() {
            let message = format!("{at}.leo.begins_bad needs {at}.gilbert_elliott");
            return tree.clash_at(at, &["leo.begins_bad"], message);
        }
        Ok(())
    }
}

/// Of the largest distance at which both ends see one satellite: for that to last for a slot.
const NEAR: f64 = 0.8;

impl GeoKeys {
    /// How a bearer behaves.
    pub fn config(&self, context: &RadioContext<'_>, _name: &str) -> SatelliteConfig {
        let orbit = Orbit { altitude: GEOSTATIONARY, elevation: 0.0, gateway: 0.0 };
        let Geo { elevation, gateway_elevation } = self.geo;
        let delay = orbit.by(f64::from(elevation), f64::from(gateway_elevation));
        self.satellite.config(context, Air::Fixed(delay), Change::default(), false)
    }
}

macro_rules! satellites {
    ($($keys:ty),*) => {
        $(impl Keys for $keys {
            fn interface(&self) -> &'static str {
                "Sat"
            }

            fn satellite(&self) -> Option<&Satellite> {
                Some(&self.satellite)
            }

            fn satellite_mut(&mut self) -> Option<&mut Satellite> {
                Some(&mut self.satellite)
            }

            fn queues(&self) -> Queues {
                Queues::Together("satellites")
            }

            fn mobiles(&self) -> usize {
                self.satellite.ues as usize
            }

            fn rates(&self, _: &RadioContext<'_>, _: usize) -> Option<[Schedule<Option<Rate>>; 2]> {
                Some(self.satellite.rates())
            }

            fn outages(&self, _context: &RadioContext<'_>, _name: &str) -> Vec<[Time; 2]> {
                self.satellite.gaps()
            }

            fn cut(&mut self, span: [Duration; 2]) -> bool {
                self.satellite.outages.push(span);
                true
            }
        })*
    };
}

satellites!(LeoKeys, GeoKeys);
