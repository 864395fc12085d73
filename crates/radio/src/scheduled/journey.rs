//! A journey past several base stations: how good the radio is on the way, and which cell serves.

use base::{Duration, Probability, Schedule, Stream, Time};
use mobility::motion::{Motion, Position};
use settings::{
    Along, Decibels, Deviation, Distance, Fault, Label, Metres, MetresPerSecond, OfTime, Pair,
    Part, Table, named, section,
};

use super::handover::{Move, Reason};
use crate::channel::Radio;
use crate::kit::decibel::{from_db, log10, to_db};
use crate::kit::propagation::Shadowing;

section! {
    /// `[[radio.site]]`: a base station that `[radio.journey]` leads past.
    pub struct Site {
        /// Its name in settings (`radio.site.NAME.position`); required.
        pub name: String as Label = String::new();
        /// Its position.
        pub position: [f64; 2] as Pair<Metres> = [0.0; 2];
    }
}

named!(Site);

section! {
    /// `[radio.journey]`: the way of the mobile of a cell past `[[radio.site]]`, to and fro. What
    /// `snr` says of each direction is then its ratio near a site, without other sites.
    pub struct Journey {
        /// Where it begins.
        pub from: [f64; 2] as Pair<Metres> = [0.0; 2];
        /// Where it turns round.
        pub to: [f64; 2] as Pair<Metres> = [1000.0, 0.0];
        /// How fast it goes.
        pub speed: f64 as Along<MetresPerSecond> = 15.0;
        /// The distance from a site at which the ratio is `snr`.
        pub near: f64 as Distance = 100.0;
        /// By how many decibels the ratio falls in ten times the distance (TR 25.942 §4.5.1.1).
        pub decade: f64 as Along<Decibels> = 37.6;
        /// The standard deviation of shadowing, of each site's by itself.
        pub shadowing: f64 as Along<Deviation> = 6.0;
        /// How far apart places are that have little of their shadowing in common. Default: our
        /// choice; TR 36.814 table A.2.1.1-2 has 50 m.
        pub correlation: f64 as Distance = 50.0;
        /// The part of the resource blocks that other sites send in, which interfere downlink.
        pub load: Probability as Part = Probability::new(0.5).unwrap_or_default();
        /// How often the mobile measures. Default: our choice.
        pub measures: Duration as OfTime<1_000_000> = Duration::from_millis(40);
        /// The standard deviation of the error of a measurement. Default: our choice; TS 36.133
        /// §9.1.3 allows 3 dB between cells of a carrier.
        pub error: f64 as Along<Deviation> = 1.0;
        /// How much better another cell must be than the serving one (event A3, TS 36.331
        /// §5.5.4.4: Off).
        pub offset: f64 as Along<Decibels> = 0.0;
        /// By how much more for the event to begin, or to end (Hys). Default: our choice.
        pub hysteresis: f64 as Along<Decibels> = 3.0;
        /// How long that must hold. Default: our choice among those of TS 36.331 §6.3.5.
        pub time_to_trigger: Duration as OfTime = Duration::from_millis(160);
        /// A ratio below which the radio link is out of sync (TS 36.133 §7.6: Qout, where a tenth
        /// of the blocks of a control channel errs). Default: our choice.
        pub out_of_sync: f64 as Along<Decibels> = -8.0;
        /// How long it must be out of sync, without being 2 dB better in between, for it to fail
        /// (T310); the mobile then finds the best cell. Default: TS 36.331 §6.3.2 has 0 to 2 s.
        pub t310: Duration as OfTime = Duration::from_secs(1);
    }
    check(Self::check)
}

/// The decibels by which the ratio must be better for the link to be in sync again (Qin).
const IN_SYNC: f64 = 2.0;

/// A way has no more measurements: it is known before the run begins.
const MOST_MEASUREMENTS: u64 = 200_000;

/// No place is nearer to a site.
const LEAST_METRES: f64 = 10.0;

impl Journey {
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        let above_zero = [("speed", self.speed, "m/s"), ("decade", self.decade, "dB")];
        if let Some((key, _, unit)) = above_zero.iter().find(|(_, value, _)| *value <= 0.0) {
            return tree.clash_at(at, &[key], format!("{at}.{key} must be above 0 {unit}"));
        }
        // TS 36.331 §6.3.5: a3-Offset, Hysteresis.
        let ranges = [("offset", self.offset, -15.0), ("hysteresis", self.hysteresis, 0.0)];
        if let Some((key, _, least)) =
            ranges.iter().find(|(_, value, least)| !(*least..=15.0).contains(value))
        {
            return tree.clash_at(at, &[key], format!("{at}.{key} must be {least} to 15 dB"));
        }
        if place(self.from).distance(place(self.to)) <= 0.0 {
            let message = format!("{at}.from and {at}.to must be two places");
            return tree.clash_at(at, &["from", "to"], message);
        }
        Ok(())
    }

    /// Refuses more measurements in `duration` than a way may have. The keys stand under `at`.
    pub(super) fn check_length(
        &self,
        duration: Duration,
        tree: &Table,
        at: &str,
    ) -> Result<(), Fault> {
        let count = duration.whole(self.measures);
        if count <= MOST_MEASUREMENTS {
            return Ok(());
        }
        let message = format!(
            "{at}.measures makes {count} measurements of the run, at most {MOST_MEASUREMENTS} are \
             possible: measure less often, or end the run earlier"
        );
        tree.clash_at(at, &["measures"], message)
    }

    /// Sets the ratios of `radios` over the first `duration` on a way past `sites`, and says when
    /// the mobile goes from cell to cell. Chance is drawn from `seed`.
    pub(crate) fn lead(
        &self,
        sites: &[Site],
        radios: &mut [Radio; 2],
        duration: Duration,
        seed: u64,
    ) -> Vec<Move> {
        let mut way = Way::new(self, sites, seed);
        let mut moves = Vec::new();
        let mut courses = [Vec::new(), Vec::new()];
        let near = radios.each_ref().map(|radio| radio.snr.at(Time::ZERO));
        let mut time = Time::ZERO;
        while time <= Time::ZERO + duration {
            let levels = way.levels(time);
            let reason = way.measure(time, near[0], &levels);
            let cell = way.serving as u32;
            moves.extend(reason.map(|reason| Move { time, cell, reason }));
            let [down, up] = &mut courses;
            down.push((time, way.downlink(near[0], &levels)));
            up.push((time, near[1] + levels[way.serving]));
            time += self.measures;
        }
        for (radio, course) in radios.iter_mut().zip(courses) {
            let first = course[0].1;
            radio.snr = Schedule::new(first, course);
        }
        moves
    }
}

const fn place([x, y]: [f64; 2]) -> Position {
    Position::new(x, y)
}

/// A journey under way.
struct Way<'a> {
    keys: &'a Journey,
    motion: Motion,
    sites: Vec<Position>,
    shadowing: Shadowing,
    errors: Stream,
    /// The site that serves.
    serving: usize,
    /// The site for which the event holds, and since when.
    better: Option<(usize, Time)>,
    /// Since when the link is out of sync.
    out: Option<Time>,
}

impl<'a> Way<'a> {
    fn new(keys: &'a Journey, sites: &[Site], seed: u64) -> Self {
        let [from, to] = [keys.from, keys.to].map(place);
        let mut way = Self {
            keys,
            motion: Motion::to_and_fro(from, [from, to], keys.speed),
            sites: sites.iter().map(|site| place(site.position)).collect(),
            shadowing: Shadowing::new(seed, "journey/shadowing", keys.shadowing, keys.correlation),
            errors: Stream::named(seed, "journey/measurements"),
            serving: 0,
            better: None,
            out: None,
        };
        way.serving = best(&way.levels(Time::ZERO));
        way
    }

    /// The level of each site at `time`, in decibels above that near it.
    fn levels(&self, time: Time) -> Vec<f64> {
        let place = self.motion.at(time);
        let level = |(number, site): (u32, &Position)| {
            let distance = site.distance(place).max(LEAST_METRES) / self.keys.near;
            -self.keys.decade * log10(distance) - self.shadowing.loss_db(number, place)
        };
        (0..).zip(&self.sites).map(level).collect()
    }

    /// The ratio of the serving site downlink, beside noise and what others send.
    fn downlink(&self, near: f64, levels: &[f64]) -> f64 {
        let others = (0..levels.len()).filter(|site| *site != self.serving);
        let sent: f64 = others.map(|site| from_db(near + levels[site])).sum();
        near + levels[self.serving] - to_db(1.0 + self.keys.load.value() * sent)
    }

    /// The mobile measures at `time`. Returns the reason if it goes to another cell.
    fn measure(&mut self, time: Time, near: f64, levels: &[f64]) -> Option<Reason> {
        let ratio = self.downlink(near, levels);
        let measured: Vec<_> = levels.iter().map(|level| level + self.error()).collect();
        if ratio < self.keys.out_of_sync {
            let since = *self.out.get_or_insert(time);
            if time >= since + self.keys.t310 {
                self.go(best(levels));
                return Some(Reason::Failure);
            }
        } else if ratio >= self.keys.out_of_sync + IN_SYNC {
            self.out = None;
        }
        let Journey { offset, hysteresis, time_to_trigger, .. } = *self.keys;
        let least = measured[self.serving] + offset;
        let holds = |site: usize, change: f64| measured[site] + change > least;
        self.better = self.better.filter(|(site, _)| holds(*site, hysteresis));
        let others = (0..measured.len()).filter(|site| *site != self.serving);
        let next = others.max_by(|one, other| measured[*one].total_cmp(&measured[*other]));
        if self.better.is_none() {
            let next = next.filter(|site| holds(*site, -hysteresis));
            self.better = next.map(|site| (site, time));
        }
        let (site, _) = self.better.filter(|(_, since)| time >= *since + time_to_trigger)?;
        self.go(site);
        Some(Reason::Handover)
    }

    fn go(&mut self, site: usize) {
        (self.serving, self.better, self.out) = (site, None, None);
    }

    /// A draw of the error of a measurement, near a normal one.
    fn error(&mut self) -> f64 {
        let sum: f64 = (0..12).map(|_| self.errors.next_f64()).sum();
        self.keys.error * (sum - 6.0)
    }
}

/// The first of those with the highest level.
fn best(levels: &[f64]) -> usize {
    let better = |best: usize, site: usize| if levels[site] > levels[best] { site } else { best };
    (0..levels.len()).fold(0, better)
}
