//! The ratio of signal to noise of one direction over time, and what is known of it.

use std::sync::Arc;

use base::float::{exp, nearest, sines};
use base::{Direction, Duration, Philox, Probability, Rate, Schedule, Stream, Time};
use observe::{Observe, RatioFact};
use settings::{Along, Decibels, Deviation, OfTime, Timed, section};

use super::blockage::{Blockage, Blocker};
use super::curve::{TARGET, block_error_rate, combining_gain, margin_of};
use crate::kit::moment::Moment;

/// How good the radio of one direction is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Radio {
    /// The mean ratio of signal to noise, in decibels.
    pub(crate) snr: Schedule<f64>,
    /// How it varies around the mean.
    pub(crate) fading: Option<Fading>,
    /// When something stands in the way.
    pub(crate) blockage: Option<Blockage>,
    /// In place of that ratio: how many blocks err that are sent for the first time.
    pub(crate) bler: Option<f64>,
    /// When nothing gets through.
    pub(crate) outages: Vec<[Time; 2]>,
    /// How often the ratio is measured and reported.
    pub(crate) report_every: Duration,
    /// How old a report is when it is used.
    pub(crate) report_age: Duration,
}

/// A mobile.
#[derive(Clone, PartialEq, Debug)]
pub struct UeConfig {
    /// Its name; its random streams are named after it.
    pub name: String,
    /// Radio, downlink and uplink, which many mobiles may share.
    pub(crate) radios: [Arc<Radio>; 2],
}

impl Radio {
    /// What `rate` says of the ratio of signal to noise, in the mean over its fading.
    pub(crate) fn mean_rate(&self, rate: impl Fn(f64) -> Rate) -> Schedule<Rate> {
        let deviation = self.fading.map_or(0.0, |fading| fading.deviation);
        // The sum of waves is nearly normal: each distance from the mean has the weight of a normal
        // distribution.
        let places = (-30..=30).map(|tenths| f64::from(tenths) / 10.0);
        let weights: Vec<_> = places.map(|place| (place, exp(-0.5 * place * place))).collect();
        let whole: f64 = weights.iter().map(|(_, weight)| weight).sum();
        self.snr.map(|snr| {
            let at = |place: f64| rate(snr + place * deviation).as_bps() as f64;
            let sum: f64 = weights.iter().map(|(place, weight)| weight * at(*place)).sum();
            Rate::from_bps((sum / whole).round() as u64)
        })
    }
}

section! {
    /// `[radio.fading]`: how the ratio of signal to noise varies, by a sum of waves.
    #[derive(Copy)]
    pub struct Fading {
        /// Its standard deviation in decibels.
        pub deviation: f64 as Along<Deviation> = 4.0;
        /// The period of its longest wave.
        pub period: Duration as OfTime<1_000_000> = Duration::from_secs(2);
    }
}

section! {
    /// A member of `radio.downlink.snrs`.
    #[derive(Copy)]
    pub struct Step {
        /// From when; required.
        pub at: Duration as OfTime = Duration::ZERO;
        /// The ratio of signal to noise; required.
        pub snr: f64 as Along<Decibels> = 25.0;
    }
}

impl Timed for Step {
    const NEEDED: &'static [(&'static str, &'static str)] =
        &[("at", "\"20 s\""), ("snr", "\"10 dB\"")];

    fn at(&self) -> Duration {
        self.at
    }
}

/// How many waves make up a fading: their sum is nearly normal.
const WAVES: usize = 8;

/// One direction's radio of one mobile. Its value at a time does not depend on when it is asked
/// for, so that a mobile without traffic costs nothing.
#[derive(Debug)]
pub(crate) struct Quality {
    radio: Arc<Radio>,
    /// The waves: turns per second, and where each begins.
    waves: [(f64, f64); WAVES],
    /// What stands in the way at present, and what did when the last report was made.
    blockers: Option<Box<[Blocker; 2]>>,
    /// The ratio at present, as it was asked for last.
    present: Measured,
    /// The one that was reported last.
    reported: Measured,
    /// The time of the last measurement, and the ratio with nothing in the way: it is often what
    /// the next report is of.
    clear: Option<(Time, f64)>,
    /// By how many decibels reports are taken to be better than they say: so many, in the mean,
    /// that as many blocks err as are aimed at.
    correction: f64,
    /// The ratio that facts told last.
    told: Option<f64>,
    odds: Odds,
    chance: Philox,
}

/// A ratio, and the number of the measurement that it is of.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    sample: Option<u64>,
    snr: f64,
}

/// The probability that a block errs whose scheme needs a ratio, at a ratio of signal to noise,
/// when it has been sent so many times: it is mostly asked for the same again.
#[derive(Clone, Copy, Debug)]
struct Odds {
    needed: f64,
    snr: f64,
    transmissions: u32,
    rate: Probability,
}

impl Odds {
    /// True if both are of the same kind of block under the same conditions.
    fn is_of(&self, other: &Self) -> bool {
        let key = |odds: &Self| (odds.needed.to_bits(), odds.snr.to_bits(), odds.transmissions);
        key(self) == key(other)
    }
}

impl Quality {
    /// The radio of a direction called `name` of the mobile `ue`.
    pub(crate) fn new(radio: Arc<Radio>, seed: u64, name: &str, ue: &str) -> Self {
        let mut chance = Stream::named(seed, &format!("{name}/fading"));
        let longest = radio.fading.map_or(1.0, |fading| fading.period.as_secs_f64());
        // From the longest wave to one of a quarter, unrelated to each other.
        let waves = std::array::from_fn(|_| {
            let (turns, place) = (1.0 + 3.0 * chance.next_f64(), chance.next_f64());
            (turns / longest, place)
        });
        let blocker = radio.blockage.map(|blockage| Blocker::new(blockage, seed, ue));
        let blockers = blocker.map(|blocker| Box::new([blocker.clone(), blocker]));
        Self {
            radio,
            waves,
            blockers,
            present: Measured::default(),
            reported: Measured::default(),
            clear: None,
            told: None,
            correction: 0.0,
            odds: Odds { needed: f64::NAN, snr: 0.0, transmissions: 0, rate: Probability::NEVER },
            chance: Philox::named(seed, &format!("{name}/blocks")),
        }
    }

    /// From now on it is what `radio` says, with the same waves and blockage.
    pub(crate) fn reconfigure(&mut self, radio: Arc<Radio>) {
        self.radio = radio;
        (self.present, self.reported, self.clear) = Default::default();
        self.odds.transmissions = 0;
    }

    /// The ratio that was reported last, in decibels.
    pub(crate) fn reported(&mut self, now: Time) -> f64 {
        let (sample, at) = self.sample(now);
        if self.reported.sample != Some(sample) {
            let age = self.radio.report_age;
            let before = Time::ZERO + at.saturating_since(Time::ZERO).saturating_sub(age);
            let known = self.clear.filter(|(time, _)| *time == before);
            let mut snr = known.map_or_else(|| self.at(before), |(_, snr)| snr);
            if let Some(blockers) = &mut self.blockers {
                snr -= blockers[1].loss(before);
            }
            self.reported = Measured { sample: Some(sample), snr };
        }
        self.reported.snr
    }

    /// The ratio at present.
    fn present(&mut self, now: Time) -> f64 {
        let (sample, at) = self.sample(now);
        if self.present.sample != Some(sample) {
            let mut snr = self.at(at);
            self.clear = Some((at, snr));
            if let Some(blockers) = &mut self.blockers {
                snr -= blockers[0].loss(at);
            }
            self.present = Measured { sample: Some(sample), snr };
        }
        self.present.snr
    }

    /// The time of the measurement that is the next one after `now`.
    pub(crate) fn measured_next(&self, now: Time) -> Time {
        self.sample(now).1 + self.radio.report_every
    }

    /// The number and the time of the measurement that is the last one at `now`.
    fn sample(&self, now: Time) -> (u64, Time) {
        let every = self.radio.report_every;
        let sample = now.saturating_since(Time::ZERO).whole(every);
        (sample, Time::ZERO + every * sample)
    }

    /// The ratio that link adaptation counts on.
    pub(crate) fn counted_on(&mut self, now: Time) -> f64 {
        self.reported(now) + self.correction
    }

    /// Outer loop of link adaptation: what became of a block that was sent once. One step down for
    /// an error, and so much up for a success that both balance at the share of errors that is
    /// aimed at. Where the share is given, whatever the scheme, there is nothing to learn from it.
    fn learn(&mut self, errs: bool) {
        const STEP: f64 = 0.5;
        const MOST: f64 = 5.0;
        if self.radio.bler.is_none() {
            let step = if errs { -STEP } else { STEP * TARGET / (1.0 - TARGET) };
            self.correction = (self.correction + step).clamp(-2.0 * MOST, MOST);
        }
    }

    /// The fate of a block of a direction of mobile number `ue` that is sent now, for the
    /// `transmissions`th time, with a scheme that needs a ratio of `needed`: true if it errs. Link
    /// adaptation learns from the first time.
    pub(crate) fn draw<O: Observe>(
        &mut self,
        moment: &mut Moment<'_, O>,
        (ue, direction): (u32, Direction),
        needed: f64,
        transmissions: u32,
    ) -> bool {
        let (now, slot) = (moment.now, moment.slot);
        let draw = self.chance.at([slot as u32, (slot >> 32) as u32, 0, 0])[0];
        let errs = self.odds(now, needed, transmissions).hit(draw);
        if O::ON {
            let snr = self.present(now);
            if self.told.replace(snr) != Some(snr) {
                moment.observe.ratio(now, RatioFact { ue, direction, snr });
            }
        }
        if transmissions == 1 {
            self.learn(errs);
        }
        errs
    }

    fn odds(&mut self, now: Time, needed: f64, transmissions: u32) -> Probability {
        if self.is_out(now) {
            return Probability::ALWAYS;
        }
        let snr = self.present(now);
        let same = Odds { needed, snr, transmissions, rate: self.odds.rate };
        if !same.is_of(&self.odds) {
            let rate = Probability::new(self.error_rate(now, needed, transmissions));
            self.odds = Odds { rate: rate.unwrap_or(Probability::ALWAYS), ..same };
        }
        self.odds.rate
    }

    /// The share of blocks in error that have been sent `transmissions` times, with a scheme that
    /// needs a ratio of `needed`.
    fn error_rate(&mut self, now: Time, needed: f64, transmissions: u32) -> f64 {
        if self.is_out(now) {
            return 1.0;
        }
        let margin = match self.radio.bler {
            Some(rate) if rate <= 0.0 => return 0.0,
            Some(rate) if rate >= 1.0 => return 1.0,
            Some(rate) => margin_of(rate),
            None => self.present(now) - needed,
        };
        block_error_rate(margin + combining_gain(transmissions))
    }

    /// Whether nothing gets through.
    pub(crate) fn is_out(&self, now: Time) -> bool {
        self.radio.outages.iter().any(|[from, to]| (*from..*to).contains(&now))
    }

    /// The ratio at `time`, with nothing in the way.
    fn at(&self, time: Time) -> f64 {
        let mean = self.radio.snr.at(time);
        let Some(Fading { deviation, .. }) = self.radio.fading else { return mean };
        let seconds = time.as_secs_f64();
        let angles = self.waves.map(|(speed, place)| {
            let turns = seconds * speed + place;
            (turns - nearest(turns)) * std::f64::consts::TAU
        });
        let sum: f64 = sines(angles).iter().sum();
        // A wave's power is one half.
        mean + deviation * sum / (WAVES as f64 / 2.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, close};

    fn radio() -> Radio {
        Radio {
            snr: 20.0.into(),
            fading: None,
            blockage: None,
            bler: None,
            outages: Vec::new(),
            report_every: Duration::from_millis(5),
            report_age: Duration::from_millis(5),
        }
    }

    #[test]
    fn a_report_is_older_than_the_radio() {
        let snr = Schedule::new(20.0, vec![(at(100), 5.0)]);
        let mut quality = Quality::new(Arc::new(Radio { snr, ..radio() }), 1, "x", "x");
        for (millis, snr) in [(99, 20.0), (100, 20.0), (104, 20.0), (105, 5.0)] {
            close(quality.reported(at(millis)), snr, 1e-9);
        }
        close(quality.error_rate(at(108), 5.0, 1), 0.1, 1e-9);
    }

    #[test]
    fn a_blockage_is_of_both_directions_and_reported_late() {
        let blockage = Blockage {
            clear: Duration::from_millis(50),
            blocked: Duration::from_millis(50),
            ..Blockage::default()
        };
        let radio = Radio { blockage: Some(blockage), ..radio() };
        let mut ways =
            ["UE/down", "UE/up"].map(|name| Quality::new(Arc::new(radio.clone()), 1, name, "UE"));
        let mut ratios: [Vec<_>; 2] = [Vec::new(), Vec::new()];
        for step in 0..1000 {
            let [down, up] =
                ways.each_mut().map(|way| (way.present(at(step * 5)), way.reported(at(step * 5))));
            assert_eq!(down, up);
            ratios[0].push(down.0);
            ratios[1].push(down.1);
        }
        assert_eq!(ratios[0][..999], ratios[1][1..], "a report is 5 ms old");
        let blocked = ratios[0].iter().filter(|ratio| **ratio < 0.0).count();
        assert!((300..700).contains(&blocked), "{blocked}");
    }

    #[test]
    fn fading_has_its_mean_and_deviation_whenever_it_is_asked_for() {
        let fading = Fading { deviation: 4.0, period: Duration::from_millis(500) };
        let quality =
            || Quality::new(Arc::new(Radio { fading: Some(fading), ..radio() }), 7, "x", "x");
        let mut one = quality();
        let values: Vec<_> = (0..40_000).map(|step| one.reported(at(step * 25))).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let square =
            values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        close(mean, 20.0, 0.3);
        close(square.sqrt(), 4.0, 0.4);
        let mut other = quality();
        assert_eq!(other.reported(at(30_000 * 25)).to_bits(), values[30_000].to_bits());
    }

    #[test]
    fn a_given_rate_holds_for_first_transmissions_only() {
        let mut quality = Quality::new(Arc::new(Radio { bler: Some(0.3), ..radio() }), 1, "x", "x");
        close(quality.error_rate(at(0), 99.0, 1), 0.3, 1e-9);
        assert!(quality.error_rate(at(0), 99.0, 2) < 0.001);
        (0..99).for_each(|_| quality.learn(false));
        close(quality.counted_on(at(0)), quality.reported(at(0)), 0.0);
        let mut all = Quality::new(Arc::new(Radio { bler: Some(1.0), ..radio() }), 1, "x", "x");
        close(all.error_rate(at(0), 0.0, 4), 1.0, 0.0);
    }
}
