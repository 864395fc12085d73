//! Keys of `[radio]` of every cell whose mobiles share a channel.

use base::{Duration, Probability, Schedule, Time};
use settings::{
    Along, Always, Chance, Count, Decibels, Label, Off, Or, Perhaps, Spans, Steps, Timed, as_key,
    named, section,
};

use super::quality::Step;
use super::{Fading, Radio, UeConfig};

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
        /// From when it is another one.
        pub snrs: Vec<Step> as Steps<Step> = Vec::new();
        /// How many blocks err that are sent for the first time, in place of what the ratio says.
        pub bler: Option<Probability> as Or<Off, Chance> = None;
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
        /// From when it is another one.
        pub snrs: Vec<Step> as Steps<Step> = Vec::new();
        /// How many blocks err that are sent for the first time, in place of what the ratio says.
        pub bler: Option<Probability> as Or<as_key::Radio, Chance> = None;
    }
}

named!(UeKeys);

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
            let name = |index| match count {
                1 => name.to_owned(),
                _ => format!("{name}-{index}"),
            };
            ues.extend(
                (0..count).map(|index| UeConfig { name: name(index), radios: radios.clone() }),
            );
        }
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
        course(self.snr, &self.snrs).at(now)
    }

    /// From `at` on the ratio is `snr`, until a later step.
    pub fn change_snr(&mut self, at: Duration, snr: f64) {
        put(&mut self.snrs, Step { at, snr });
    }

    /// The radio of one of `mobiles`, as [`Mobiles::radio`].
    pub(crate) fn radio(&self, mobiles: &Mobiles, reports: [Duration; 2]) -> Radio {
        mobiles.radio(course(self.snr, &self.snrs), self.bler, reports)
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
    fn over(&self, others: &Radio) -> Radio {
        let snr = match (self.snr, self.snrs.is_empty()) {
            (None, true) => others.snr.clone(),
            (snr, _) => course(snr.unwrap_or_else(|| others.snr.at(Time::ZERO)), &self.snrs),
        };
        Radio { snr, bler: self.bler.map(Probability::value).or(others.bler), ..others.clone() }
    }
}

/// Puts `step` into its place in a schedule, behind those of its time.
pub(crate) fn put<S: Timed>(schedule: &mut Vec<S>, step: S) {
    let place = schedule.partition_point(|other| other.at() <= step.at());
    schedule.insert(place, step);
}

/// The course of a ratio that is `first` at the start.
fn course(first: f64, steps: &[Step]) -> Schedule<f64> {
    let steps = steps.iter().map(|step| (Time::ZERO + step.at, step.snr));
    Schedule::new(first, steps.collect())
}
