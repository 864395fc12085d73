//! Keys of `[radio]` of every cell whose mobiles share a channel.

use std::sync::Arc;

use base::{Direction, Duration, Probability, Schedule, Time};
use settings::{
    Along, Always, Chance, Count, Decibels, Fault, File, Label, Off, Or, Perhaps, Spans, Steps,
    Table, Timed, as_key, join, named, section,
};

use super::quality::Step;
use super::{Drive, Fading, Radio, UeConfig};

section! {
    /// `[radio]`: the mobiles of a cell, and what befalls their radio.
    pub struct Mobiles {
        /// From when to when nothing gets through.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// How the ratio of signal to noise varies. Without it, it does not.
        pub fading: Option<Fading> as Perhaps<Fading> = None;
        /// How many mobiles there are in the cell, in addition to those of `[[radio.ue]]`; 0 is one
        /// called UE if those are none. Flows are assigned in turn.
        pub ues: u32 as Count<u32, 0, 50_000> = 0;
    }
}

section! {
    /// `[radio.downlink]`, `[radio.uplink]`: how good the radio of one direction is.
    pub struct Reception {
        /// The mean ratio of signal to noise and interference.
        pub snr: f64 as Along<Decibels> = 25.0;
        /// From when it is another one, whatever is recorded.
        pub snrs: Vec<Step> as Steps<Step> = Vec::new();
        /// A recording of a drive, in place of `snr`: the ratio, or else the CQI or the MCS over
        /// time, as G-NetTrack writes them. Each line holds from its time on, the last for ever. A
        /// path in a scenario file is relative to that file; `shipped:NAME` is one that ships.
        pub trace: Option<File<Drive>> as Or<Off, File<Drive>> = None;
        /// How many blocks err that are sent for the first time, in place of what the ratio says.
        pub bler: Option<Probability> as Or<Off, Chance> = None;
    }
    supersedes(trace: snr, snrs)
    supersedes(snr: trace)
    check(Self::check)
}

section! {
    /// `[radio.uplink]`: the power of a mobile.
    #[derive(Copy)]
    pub struct UplinkPower {
        /// How many decibels more power a mobile can send with than it does in one resource block
        /// (power headroom, TS 36.213 §5.1.1, TS 38.213 §7.7): where a block takes more of them
        /// than that is for, the ratio of signal to noise is lower. `off` is no limit.
        pub headroom: Option<f64> as Or<Off, Along<Decibels>> = None;
    }
}

section! {
    /// `[[radio.ue]]`: mobiles whose radio is not that of the others.
    pub struct UeKeys {
        /// Its name in settings (`radio.ue.NAME.downlink.snr`) and results; required. Several are
        /// called NAME-0, NAME-1 and so on.
        pub name: String as Label = String::new();
        /// How many are alike.
        pub count: u32 as Count<u32, 1, 50_000> = 1;
        /// Towards the mobile.
        pub downlink: OwnReception as Always<OwnReception> = OwnReception::default();
        /// From the mobile.
        pub uplink: OwnReception as Always<OwnReception> = OwnReception::default();
        /// How the ratio of signal to noise varies. Default: as that of the others.
        pub fading: Option<Fading> as Perhaps<Fading> = None;
    }
}

section! {
    /// `[radio.ue.downlink]`, `[radio.ue.uplink]`: the radio of one direction of such mobiles.
    pub struct OwnReception {
        /// The mean ratio of signal to noise and interference; where it is given, steps of the
        /// others do not count.
        pub snr: Option<f64> as Or<as_key::Radio, Along<Decibels>> = None;
        /// From when it is another one, whatever is recorded.
        pub snrs: Vec<Step> as Steps<Step> = Vec::new();
        /// A recording of a drive, in place of `snr`, likewise.
        pub trace: Option<File<Drive>> as Or<as_key::Radio, File<Drive>> = None;
        /// How many blocks err that are sent for the first time, in place of what the ratio says.
        pub bler: Option<Probability> as Or<as_key::Radio, Chance> = None;
    }
    supersedes(trace: snr, snrs)
    supersedes(snr: trace)
    check(Self::check)
}

named!(UeKeys);

/// A recording of a drive that a radio names.
pub struct Driven<'a> {
    /// The key that names it, below that of the radio.
    pub key: String,
    /// The direction whose ratio it has.
    pub direction: Direction,
    /// The file itself.
    pub file: &'a mut File<Drive>,
}

/// The recordings that are named for all mobiles and for those that are listed.
pub(crate) fn drives<'a>(
    of_all: impl IntoIterator<Item = (Direction, &'a mut Reception)>,
    ues: &'a mut [UeKeys],
) -> Vec<Driven<'a>> {
    let of_all = of_all.into_iter().map(|(way, it)| (String::new(), way, &mut it.trace));
    let own = ues.iter_mut().flat_map(|ue| {
        let table = format!("ue.{}.", ue.name);
        let down = (table.clone(), Direction::Downlink, &mut ue.downlink.trace);
        [down, (table, Direction::Uplink, &mut ue.uplink.trace)]
    });
    let driven = |(table, direction, file): (String, Direction, &'a mut Option<File<Drive>>)| {
        let key = format!("{table}{}.trace", direction.name());
        Some(Driven { key, direction, file: file.as_mut()? })
    };
    of_all.chain(own).filter_map(driven).collect()
}

/// Mobiles that are alike.
pub(crate) struct Alike<'a> {
    pub(crate) name: &'a str,
    pub(crate) count: u32,
    pub(crate) radios: [Radio; 2],
}

impl Mobiles {
    /// The mobiles: those that are `listed`, then the others, which have such `radios`.
    pub(crate) fn ues<'a>(
        &self,
        listed: impl IntoIterator<Item = Alike<'a>>,
        radios: &[Radio; 2],
    ) -> Vec<UeConfig> {
        let mut ues = Vec::new();
        for Alike { name, count, radios } in listed {
            let radios = radios.map(Arc::new);
            let name = |index| match count {
                1 => name.to_owned(),
                _ => format!("{name}-{index}"),
            };
            ues.extend(
                (0..count).map(|index| UeConfig { name: name(index), radios: radios.clone() }),
            );
        }
        let radios = radios.clone().map(Arc::new);
        let other = |name| UeConfig { name, radios: radios.clone() };
        match (ues.len(), self.ues as usize) {
            (0, 0) => ues.push(other("UE".to_owned())),
            (first, count) => {
                ues.extend((first..first + count).map(|it| other(format!("UE-{it}"))));
            }
        }
        ues
    }

    /// From when to when nothing gets through.
    pub(crate) fn outages(&self) -> Vec<[Time; 2]> {
        self.outages.iter().map(|span| span.map(|time| Time::ZERO + time)).collect()
    }

    /// The radio of a mobile with a ratio of `snr`, of whose blocks `bler` err, which reports every
    /// so often what it was so long before.
    pub(crate) fn radio(
        &self,
        snr: Schedule<f64>,
        bler: Option<Probability>,
        [report_every, report_age]: [Duration; 2],
    ) -> Radio {
        Radio {
            snr,
            fading: self.fading,
            blockage: None,
            bler: bler.map(Probability::value),
            outages: self.outages(),
            report_every,
            report_age,
        }
    }
}

impl Reception {
    /// The ratio at `now`.
    pub fn snr_at(&self, now: Time) -> f64 {
        self.course().at(now)
    }

    /// True if the ratio changes over time.
    pub(crate) fn has_course(&self) -> bool {
        !self.snrs.is_empty() || self.trace.is_some()
    }

    /// From `at` on the ratio is `snr`, until a later step.
    pub fn change_snr(&mut self, at: Duration, snr: f64) {
        put(&mut self.snrs, Step { at, snr });
    }

    /// The radio of one of `mobiles`, as [`Mobiles::radio`].
    pub(crate) fn radio(&self, mobiles: &Mobiles, reports: [Duration; 2]) -> Radio {
        mobiles.radio(self.course(), self.bler, reports)
    }

    fn course(&self) -> Schedule<f64> {
        let recorded = self.trace.as_ref().map(|file| file.content().0.clone());
        course(recorded.unwrap_or_else(|| self.snr.into()), &self.snrs)
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        // A ratio from settings is no clash: the recording counts.
        let snr = join(at, "snr");
        let is_in_file = tree.find(&snr).is_some() && !tree.is_set(&snr);
        check_one(is_in_file, self.trace.is_some(), tree, at)
    }
}

impl UeKeys {
    /// The mobiles, where the others have such `radios`.
    pub(crate) fn alike(&self, radios: &[Radio; 2]) -> Alike<'_> {
        let [down, up] = radios;
        let radios = [self.downlink.over(down), self.uplink.over(up)];
        let faded = |radio: Radio| Radio { fading: self.fading.or(radio.fading), ..radio };
        Alike { name: &self.name, count: self.count, radios: radios.map(faded) }
    }
}

impl OwnReception {
    /// True if it says what the ratio is.
    pub(crate) fn has_ratio(&self) -> bool {
        self.snr.is_some() || !self.snrs.is_empty() || self.trace.is_some()
    }

    fn over(&self, others: &Radio) -> Radio {
        let recorded = self.trace.as_ref().map(|file| file.content().0.clone());
        let first = recorded.or_else(|| self.snr.map(Schedule::constant));
        let snr = match (first, self.snrs.is_empty()) {
            (None, true) => others.snr.clone(),
            (None, false) => course(others.snr.at(Time::ZERO).into(), &self.snrs),
            (Some(first), _) => course(first, &self.snrs),
        };
        Radio { snr, bler: self.bler.map(Probability::value).or(others.bler), ..others.clone() }
    }

    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        check_one(self.snr.is_some(), self.trace.is_some(), tree, at)
    }
}

/// Puts `step` into its place in a schedule, behind those of its time.
pub(crate) fn put<S: Timed>(schedule: &mut Vec<S>, step: S) {
    let place = schedule.partition_point(|other| other.at() <= step.at());
    schedule.insert(place, step);
}

/// The course of a ratio that is as `first` says until the first of `steps`.
fn course(first: Schedule<f64>, steps: &[Step]) -> Schedule<f64> {
    first.then(steps.iter().map(|step| (Time::ZERO + step.at, step.snr)).collect())
}

/// Refuses a ratio in the table `at` that also has a recording.
fn check_one(has_snr: bool, has_trace: bool, tree: &Table, at: &str) -> Result<(), Fault> {
    if has_snr && has_trace {
        let message = format!("give {at}.snr or {at}.trace, not both");
        return tree.clash_at(at, &["snr", "trace"], message);
    }
    Ok(())
}
