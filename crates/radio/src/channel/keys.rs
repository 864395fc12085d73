//! Keys of `[radio]` of every cell whose mobiles share a channel.

use base::{Duration, Probability, Schedule, Time};
use settings::{Along, Chance, Count, Decibels, Off, Or, Perhaps, Spans, Steps, section};

use super::{Fading, Radio, Step, UeConfig};

section! {
    /// `[radio]`: the mobiles of a cell, and what befalls their radio.
    pub struct Mobiles {
        /// From when to when nothing gets through.
        pub outages: Vec<[Duration; 2]> as Spans = Vec::new();
        /// How the ratio of signal to noise varies. Without it, it does not.
        pub fading: Option<Fading> as Perhaps<Fading> = None;
        /// How many mobiles there are in the cell; 0 is one called UE. Flows are assigned in turn.
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

impl Mobiles {
    /// The mobiles, all with such `radios`.
    pub(crate) fn ues(&self, radios: &[Radio; 2]) -> Vec<UeConfig> {
        let ue = |name| UeConfig { name, radios: radios.clone() };
        match self.ues {
            0 => vec![ue("UE".to_owned())],
            ues => (0..ues).map(|index| ue(format!("UE-{index}"))).collect(),
        }
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
    /// The radio of one of `mobiles`, as [`Mobiles::radio`].
    pub(crate) fn radio(&self, mobiles: &Mobiles, reports: [Duration; 2]) -> Radio {
        let steps = self.snrs.iter().map(|step| (Time::ZERO + step.at, step.snr)).collect();
        mobiles.radio(Schedule::new(self.snr, steps), self.bler, reports)
    }
}
