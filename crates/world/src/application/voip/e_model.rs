//! The E-model of ITU-T G.107 (06/2015): how people would rate a conversation, from what the
//! network, the codec, the telephones and the rooms do to it. Numbers in brackets are those of its
//! equations, and names those of its quantities; levels in dB, delays in ms.

use base::{Duration, float};
use settings::{Count, Level, Nothing, Or, Within, Word, section, words};

section! {
    /// `[flow.voip.e_model]`: telephones, lines and rooms at both ends. Defaults and ranges:
    /// ITU-T G.107 (06/2015) table 3, whose telephone on a line without delay and loss rates 93.2.
    #[derive(Copy)]
    pub struct EModel {
        /// Send loudness rating (SLR).
        pub slr: f64 as Level<0, 18> = 8.0;
        /// Receive loudness rating (RLR).
        pub rlr: f64 as Level<-5, 14> = 2.0;
        /// Sidetone masking rating (STMR).
        pub stmr: f64 as Level<10, 20> = 15.0;
        /// D-value of the telephone at the sending side (Ds).
        pub ds: f64 as Level<-3, 3> = 3.0;
        /// D-value of the telephone at the receiving side (Dr).
        pub dr: f64 as Level<-3, 3> = 3.0;
        /// Talker echo loudness rating (TELR): the higher, the less of an echo; or `none`, as with
        /// a perfect echo canceller.
        pub telr: Option<f64> as Or<Nothing, Level<5, 65>> = Some(65.0);
        /// Weighted echo path loss of the listener's echo (WEPL).
        pub wepl: f64 as Level<5, 110> = 110.0;
        /// Quantizing distortion units (qdu).
        pub qdu: u32 as Count<u32, 1, 14> = 1;
        /// Circuit noise (Nc) referred to 0 dBr, over 1 mW, psophometrically weighted.
        pub nc: f64 as Level<-80, -40> = -70.0;
        /// Noise floor at the receiving side (Nfor), over 1 mW, psophometrically weighted.
        pub nfor: f64 as Level<-100, -40> = -64.0;
        /// Room noise at the sending side (Ps), A-weighted.
        pub ps: f64 as Level<35, 85> = 35.0;
        /// Room noise at the receiving side (Pr), A-weighted.
        pub pr: f64 as Level<35, 85> = 35.0;
        /// Advantage factor (A): how much more people forgive, as 5 in a building, 10 in a vehicle,
        /// 20 where no wire reaches.
        pub advantage: f64 as Within<0, 20> = 0.0;
        /// Sensitivity of a conversation to delay (G.107 table 1): of people in business, or of
        /// those who take turns.
        pub delay_sensitivity: DelaySensitivity as Word<DelaySensitivity> =
            DelaySensitivity::Default;
    }
}

words! {
    /// Sensitivity of a conversation to delay.
    pub enum DelaySensitivity {
        /// Usual: carriers and companies plan for it.
        Default = "default",
        /// Less: people seldom interrupt each other.
        Low = "low",
        /// Least: they take turns.
        VeryLow = "very-low",
    }
}

impl DelaySensitivity {
    /// sT, and mT in ms (G.107 table 1).
    const fn factors(self) -> [f64; 2] {
        match self {
            Self::Default => [1.0, 100.0],
            Self::Low => [0.55, 120.0],
            Self::VeryLow => [0.4, 150.0],
        }
    }
}

/// E-model of a call with a codec.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    model: EModel,
    ie: f64,
    bpl: f64,
    /// Noise (No).
    no: f64,
    /// Basic signal-to-noise ratio (Ro).
    ro: f64,
}

impl Rating {
    /// The rating by `model` of a codec with the factors `ie` and `bpl`.
    pub(super) fn new(model: EModel, ie: f64, bpl: f64) -> Self {
        let no = model.noise();
        Self { model, ie, bpl, no, ro: 15.0 - 1.5 * (model.slr + no) } // (7-2)
    }

    /// The transmission rating factor (R) of a call with a mean one-way delay of `delay` from mouth
    /// to ear, and in packets of which a share of `loss` was not heard, in runs that were
    /// `burst_ratio` times as long as if each had been lost by itself. Of a call that nobody would
    /// bear it is below zero.
    pub fn r_factor(&self, delay: Duration, loss: f64, burst_ratio: f64) -> f64 {
        self.unimpaired(delay) - self.equipment(loss, burst_ratio) // (7-1)
    }

    /// Rating R without the impairments of codec and loss.
    pub fn unimpaired(&self, delay: Duration) -> f64 {
        let delay = delay.as_secs_f64() * 1e3;
        self.ro - self.simultaneous(delay) - self.delayed(delay) + self.model.advantage
    }

    /// Effective equipment impairment factor (Ie,eff). G.107 has no burst ratio below 1: losses
    /// that are evener than random ones are taken as these.
    pub fn equipment(&self, loss: f64, burst_ratio: f64) -> f64 {
        let ppl = 100.0 * loss;
        self.ie + (95.0 - self.ie) * ppl / (ppl / burst_ratio.max(1.0) + self.bpl) // (7-29)
    }

    /// Impairments at the same time as the voice (Is): loudness, sidetone and quantizing.
    fn simultaneous(&self, delay: f64) -> f64 {
        let EModel { slr, rlr, stmr, telr, qdu, .. } = self.model;
        let loudness = slr + rlr + 0.2 * (64.0 + self.no - rlr); // (7-9)
        let iolr = 20.0 * (norm(loudness / 8.0, 8) - loudness / 8.0); // (7-8)
        let echo = telr.map_or(0.0, |telr| float::exp(-delay / 4.0) * from_db(-telr));
        let stmro = -to_db(from_db(-stmr) + echo); // (7-12)
        let ist = 12.0 * norm((stmro - 13.0) / 6.0, 8)
            - 28.0 * norm((stmro + 1.0) / 19.4, 35)
            - 13.0 * norm((stmro - 3.0) / 33.0, 13)
            + 29.0; // (7-11)
        let q = 37.0 - 1.5 * to_db(f64::from(qdu)); // (7-17)
        let g = 1.07 + 0.258 * q + 0.0602 * q * q; // (7-16)
        let y = (self.ro - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0; // (7-14)
        let z = 46.0 / 30.0 - g / 40.0; // (7-15)
        let iq = 1.5 * to_db(1.0 + from_db(10.0 * y) + from_db(10.0 * z)); // (7-13)
        iolr + ist + iq // (7-7)
    }

    /// Impairments by delay (Id): the talker's echo, the listener's, and too long a delay. The echo
    /// returns after twice the one-way delay, which is that of both directions.
    fn delayed(&self, delay: f64) -> f64 {
        self.talker_echo(delay) + self.listener_echo(2.0 * delay) + self.too_long(delay) // (7-18)
    }

    /// Idte. Below 1 ms the echo is sidetone; a few ms later the equation falls below zero.
    fn talker_echo(&self, delay: f64) -> f64 {
        let Some(telr) = self.model.telr.filter(|_| delay >= 1.0) else { return 0.0 };
        let masked = 4.0 * to_db((1.0 + delay / 10.0) / (1.0 + delay / 150.0));
        let terv = telr - masked + 6.0 * float::exp(-0.3 * delay * delay); // (7-22)
        let roe = -1.5 * (self.no - self.model.rlr); // (7-20)
        let re = 80.0 + 2.5 * (terv - 14.0); // (7-21)
        let idte = (above(roe - re, 100.0) - 1.0) * (1.0 - float::exp(-delay)); // (7-19)
        idte.max(0.0)
    }

    /// Idle, of an echo after `delay`.
    fn listener_echo(&self, delay: f64) -> f64 {
        let rle = 10.5 * (self.model.wepl + 7.0) / (delay + 1.0).sqrt().sqrt(); // (7-26)
        above(self.ro - rle, 169.0) // (7-25)
    }

    /// Idd.
    fn too_long(&self, delay: f64) -> f64 {
        let [sensitivity, least] = self.model.delay_sensitivity.factors();
        if delay <= least {
            return 0.0;
        }
        let x = float::ln(delay / least) / std::f64::consts::LN_2; // (7-28)
        let sum = |x: f64| root(1.0 + power(x, 6.0 * sensitivity), 6.0 * sensitivity);
        25.0 * (sum(x) - 3.0 * sum(x / 3.0) + 2.0) // (7-27)
    }
}

impl EModel {
    /// Sum of all noise, where the circuit has 0 dBr (No).
    fn noise(&self) -> f64 {
        let Self { slr, rlr, stmr, ds, dr, nc, nfor, ps, pr, .. } = *self;
        let send = ps - (slr + rlr) - ds - 14.0;
        let nos = ps - slr - ds - 100.0 + 0.004 * send * send; // (7-4)
        let pre = pr + to_db(1.0 + from_db(10.0 - (stmr + dr))); // (7-6), with LSTR = STMR + Dr
        let nor = rlr - 121.0 + pre + 0.008 * (pre - 35.0) * (pre - 35.0); // (7-5)
        to_db([nc, nos, nor, nfor + rlr].map(from_db).iter().sum()) // (7-3)
    }
}

/// The mean opinion score of a conversation (MOS-CQE) that is rated `r` (G.107 Annex B), from 1 to
/// 4.5. Below 6.5 its curve dips under 1, where no opinion is.
pub fn mos(r: f64) -> f64 {
    let r = r.clamp(0.0, 100.0);
    (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0)
}

/// Distance of `x` above zero, rounded off where it is near: half of it and the root of its square
/// and `width`.
fn above(x: f64, width: f64) -> f64 {
    x / 2.0 + (x * x / 4.0 + width).sqrt()
}

/// (1 + |x|ⁿ)^(1/n).
fn norm(x: f64, n: u32) -> f64 {
    root(1.0 + float::power(x.abs(), n.into()), n.into())
}

/// x to the power of `exponent`, for x above zero.
fn power(x: f64, exponent: f64) -> f64 {
    if x > 0.0 { float::exp(exponent * float::ln(x)) } else { 0.0 }
}

fn root(x: f64, n: f64) -> f64 {
    power(x, 1.0 / n)
}

fn from_db(db: f64) -> f64 {
    float::exp(db / 10.0 * std::f64::consts::LN_10)
}

fn to_db(ratio: f64) -> f64 {
    10.0 * float::ln(ratio) / std::f64::consts::LN_10
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Codec, Voip};
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn of(codec: Codec) -> Rating {
        Voip { codec, ..Voip::default() }.rating()
    }

    fn near(value: f64, expect: f64, within: f64) {
        assert!((value - expect).abs() <= within, "{value}, not {expect}");
    }

    /// G.107 §7.7: with all defaults R = 93.2, which is a MOS of 4.41. No and Is, where no sidetone
    /// is echo, are those of the ITU's calculator.
    #[test]
    fn defaults_rate_as_published() {
        let rating = of(Codec::G711);
        near(rating.no, -61.179_214_386_241_69, 1e-12);
        near(rating.simultaneous(500.0), 1.413_568_081_343_861_6, 1e-12);
        near(rating.ro, 94.77, 0.005);
        let r = rating.r_factor(Duration::ZERO, 0.0, 1.0);
        near(r, 93.2, 0.05);
        near(mos(r), 4.41, 0.005);
    }

    /// G.107 Annex B, table B.1.
    #[test]
    fn opinions_are_those_of_the_table() {
        let table = [(90.0, 4.34), (80.0, 4.03), (70.0, 3.6), (60.0, 3.1), (50.0, 2.58)];
        for (r, expect) in table {
            near(mos(r), expect, 0.01);
        }
        for (r, expect) in [(-1.0, 1.0), (0.0, 1.0), (5.0, 1.0), (100.0, 4.5), (101.0, 4.5)] {
            near(mos(r), expect, 0.0);
        }
    }

    /// G.107 (7-27), worked out by hand; and the line that Cole and Rosenbluth (2001) laid through
    /// the whole of Id.
    #[test]
    fn delay_impairs_as_published() {
        let rating = of(Codec::G711);
        let by_hand = [(0, 0.0), (100, 0.0), (150, 0.163), (200, 3.044)];
        for (delay, expect) in by_hand.into_iter().chain([(300, 14.76), (400, 24.07)]) {
            near(rating.too_long(f64::from(delay)), expect, 0.01);
        }
        let none = rating.unimpaired(Duration::ZERO);
        for delay in [50, 100, 150, 200, 250, 300] {
            let line = 0.024 * delay as f64 + 0.11 * (delay as f64 - 177.3).max(0.0);
            near(none - rating.unimpaired(ms(delay)), line, 1.0);
        }
    }

    /// A conversation that is less sensitive to delay bears more of it, and an echo that is
    /// cancelled disturbs nobody.
    #[test]
    fn parameters_of_the_model_count() {
        let with = |model: EModel| Rating::new(model, 0.0, 25.1).unimpaired(ms(250));
        let default = with(EModel::default());
        let low = EModel { delay_sensitivity: DelaySensitivity::Low, ..EModel::default() };
        let least = EModel { delay_sensitivity: DelaySensitivity::VeryLow, ..low };
        assert!(default < with(low) && with(low) < with(least));
        assert!(default < with(EModel { telr: None, ..EModel::default() }));
        assert!(default > with(EModel { telr: Some(45.0), ..EModel::default() }));
        assert!(default > with(EModel { pr: 60.0, ..EModel::default() }));
        assert!(default > with(EModel { qdu: 4, ..EModel::default() }));
        near(with(EModel { advantage: 10.0, ..EModel::default() }) - default, 10.0, 1e-9);
    }

    /// ITU-T G.113 (02/2001) table I.2: what was measured of G.729A with silence suppression, and
    /// with 2 % of loss of the others. Bursts of twice the length by (7-29).
    #[test]
    fn loss_impairs_as_measured() {
        let measured = [(0.0, 11.0), (0.01, 15.0), (0.02, 19.0), (0.04, 26.0), (0.08, 36.0)];
        for (loss, expect) in measured {
            near(of(Codec::G729a).equipment(loss, 1.0), expect, 0.5);
        }
        near(of(Codec::G711).equipment(0.02, 1.0), 7.0, 0.5);
        near(of(Codec::G7231).equipment(0.02, 1.0), 24.0, 0.5);
        near(of(Codec::G711).equipment(0.05, 1.0), 95.0 * 5.0 / 30.1, 1e-9);
        near(of(Codec::G711WithoutPlc).equipment(0.05, 2.0), 95.0 * 5.0 / 6.8, 1e-9);
        near(of(Codec::Amr122).equipment(0.05, 1.0), 5.0 + 90.0 * 5.0 / 15.0, 1e-9);
    }

    proptest! {
        /// A call that is later, or lost more often or in longer runs, is rated no higher.
        #[test]
        fn worse_is_rated_no_higher(
            delays in [20_u64..2000, 0..2000],
            losses in [0.0..1.0, 0.0..1.0_f64],
            bursts in [0.2..50.0, 0.0..50.0_f64],
            codec in prop::sample::select(&Codec::ALL[..]),
            telr in prop::option::of(5.0..65.0),
            delay_sensitivity in prop::sample::select(&DelaySensitivity::ALL[..]),
            stmr in 10.0..20.0,
        ) {
            let model = EModel { stmr, telr, delay_sensitivity, ..EModel::default() };
            let coding = codec.coding();
            let rating = Rating::new(model, coding.ie, coding.bpl);
            let [delay, later] = [ms(delays[0]), ms(delays[0] + delays[1])];
            let [loss, more] = [losses[0], losses[0].max(losses[1])];
            let [burst, longer] = [bursts[0], bursts[0] + bursts[1]];
            let r = rating.r_factor(delay, loss, burst);
            for worse in [(later, loss, burst), (delay, more, burst), (delay, loss, longer)] {
                let (delay, loss, burst) = worse;
                let less = rating.r_factor(delay, loss, burst);
                prop_assert!(less <= r + 1e-9, "{worse:?}: {less}, {r}");
                prop_assert!(mos(less) <= mos(r) + 1e-9);
            }
            prop_assert!((1.0..=4.5).contains(&mos(r)));
        }
    }
}
