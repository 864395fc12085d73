//! `[radio.interference]`, `[radio.admission]`, `[radio.mobility]`: what places and loads do.

use base::{Duration, Probability};
use radio::umts::channels::SpreadingFactor;

use crate::schema::channel::Sf;
use settings::{
    Along, Count, Dbm, Decibels, Distance, Factor, Flag, Fraction, OfTime, Share, Word, section,
    words,
};

section! {
    /// `[radio.interference]`: powers, noise and path loss. Defaults: 3GPP TR 25.942, macro cells.
    pub struct Air {
        /// Where block error rates of dedicated channels come from.
        pub error_rates: ErrorRatesName as Word<ErrorRatesName> = ErrorRatesName::Given;
        /// Gain of both antennas together, without cable losses.
        pub antenna_gain: f64 as Along<Decibels> = 11.0;
        /// Standard deviation of shadowing. Default: none, unlike TR 25.942 (10 dB).
        pub shadowing: f64 as Along<Decibels> = 0.0;
        /// Over how many metres shadows change.
        pub shadowing_grid: f64 as Distance = 50.0;
        /// Thermal noise in a base station.
        pub uplink_noise: f64 as Along<Dbm> = -103.0;
        /// Thermal noise in a mobile.
        pub downlink_noise: f64 as Along<Dbm> = -99.0;
        /// The share of a cell's own power that does not disturb. Default: Holma and Toskala.
        pub orthogonality: f64 as Fraction = 0.6;
        /// The most that a mobile sends.
        pub ue_power: f64 as Along<Dbm> = 21.0;
        /// The most that a cell sends.
        pub cell_power: f64 as Along<Dbm> = 43.0;
        /// The most that a cell sends to one mobile.
        pub link_power: f64 as Along<Dbm> = 38.0;
        /// What a cell always sends: pilot, broadcast, FACH.
        pub common_power: f64 as Along<Dbm> = 36.0;
        /// The pilot's part of it.
        pub pilot_power: f64 as Along<Dbm> = 33.0;
        /// The share of time in which a channel is on.
        pub activity: f64 as Factor = 1.0;
        /// The block error rate that power control aims at, in both directions.
        pub target: f64 as Fraction = 0.1;
        /// Eb/N0 downlink at which a tenth of the blocks is in error.
        pub downlink_ebn0: f64 as Along<Decibels> = 5.0;
        /// Eb/N0 uplink at which a tenth of the blocks is in error.
        pub uplink_ebn0: f64 as Along<Decibels> = 1.5;
        /// Eb/N0 that makes errors ten times as rare.
        pub decade: f64 as Along<Decibels> = 2.0;
    }
}

words! {
    /// Where block error rates come from.
    pub enum ErrorRatesName {
        /// From `tbler`, wherever the mobile is.
        Given = "given",
        /// From Eb/N0 at its place.
        FromPlace = "from-place",
    }
}

section! {
    /// `[radio.admission]`: how much load dedicated channels may bring.
    pub struct Admission {
        /// Noise rise uplink, where places decide error rates. Default: TR 25.942.
        pub noise_rise: f64 as Along<Decibels> = 6.0;
        /// Share of a cell's power, where places decide error rates.
        pub power_share: Probability as Share = Probability::ALWAYS;
        /// Where the factor wanted is not to be had, the next ones up to this, downlink.
        pub downlink_sf: SpreadingFactor as Sf = SpreadingFactor::ALL[2];
        /// The same, uplink.
        pub uplink_sf: SpreadingFactor as Sf = SpreadingFactor::ALL[2];
    }
}

section! {
    /// `[radio.mobility]`: how mobiles go from cell to cell. Defaults: our choice among what
    /// TS 25.331 §10.3.7 allows, where no other source is given.
    pub struct Mobility {
        /// Soft, with several cells at a time, or hard, from one to the other.
        pub handover: HandoverName as Word<HandoverName> = HandoverName::Soft;
        /// A hard handover: how long nothing is sent.
        pub gap: Duration as OfTime = Duration::from_millis(200);
        /// Whether RNCs are joined (Iur). If not, a handover between them is hard and relocates.
        pub iur: bool as Flag = true;
        /// A cell joins that is at most so much below the best.
        pub add_range: f64 as Along<Decibels> = 3.0;
        /// A cell leaves that is more than so much below the best.
        pub remove_range: f64 as Along<Decibels> = 5.0;
        /// Hysteresis of both.
        pub hysteresis: f64 as Along<Decibels> = 0.0;
        /// How much better a cell must be for a hard handover or a new choice of cell.
        pub hard_hysteresis: f64 as Along<Decibels> = 3.0;
        /// How long each must hold.
        pub time_to_trigger: Duration as OfTime = Duration::from_millis(320);
        /// Cells at a time, at most.
        pub cells: u32 as Count<u32, 1, 8> = 3;
        /// After how long without a cell of its serving RNC a mobile gets another.
        pub relocation_time: Duration as OfTime = Duration::from_secs(5);
        /// The weakest pilot that is heard, Ec/I0. Default: TS 25.133 §4.2.2, Ec/I0 of −18 dB.
        pub pilot_min: f64 as Along<Decibels> = -18.0;
        /// Frames out of sync in a row that start the timer (N313).
        pub n313: u32 as Count<u32, 1, 200> = 20;
        /// Frames in sync in a row that stop it (N315).
        pub n315: u32 as Count<u32, 1, 200> = 1;
        /// From then until the radio link has failed (T313).
        pub t313: Duration as OfTime = Duration::from_secs(3);
    }
}

words! {
    /// How mobiles on dedicated channels are handed over.
    pub enum HandoverName {
        /// Several cells at a time.
        Soft = "soft",
        /// One cell at a time, with a gap between.
        Hard = "hard",
    }
}
