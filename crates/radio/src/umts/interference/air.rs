//! `[radio.interference]`: powers, noise and path loss.

use settings::{Along, Dbm, Decibels, Distance, Factor, Fraction, Word, section, words};

section! {
    /// `[radio.interference]`: powers, noise and path loss. Defaults: 3GPP TR 25.942, macro cells.
    #[derive(Copy)]
    pub struct Air {
        /// Where block error rates of dedicated channels come from.
        pub error_rates: ErrorRates as Word<ErrorRates> = ErrorRates::Given;
        /// Gain of both antennas together, without cable losses.
        pub antenna_gain: f64 as Along<Decibels> = 11.0;
        /// Standard deviation of shadowing. Default: none, unlike TR 25.942 (10 dB).
        pub shadowing: f64 as Along<Decibels> = 0.0;
        /// The correlation distance of shadowing, in metres.
        pub shadowing_grid: f64 as Distance = 50.0;
        /// Thermal noise in a base station.
        pub uplink_noise: f64 as Along<Dbm> = -103.0;
        /// Thermal noise in a mobile.
        pub downlink_noise: f64 as Along<Dbm> = -99.0;
        /// Orthogonality: the share of a cell's own power that does not interfere. Default: Holma
        /// and Toskala.
        pub orthogonality: f64 as Fraction = 0.6;
        /// The maximum power of a mobile.
        pub ue_power: f64 as Along<Dbm> = 21.0;
        /// The maximum power of a cell.
        pub cell_power: f64 as Along<Dbm> = 43.0;
        /// The maximum power of a cell to one mobile.
        pub link_power: f64 as Along<Dbm> = 38.0;
        /// The constant power of a cell: pilot, broadcast, FACH.
        pub common_power: f64 as Along<Dbm> = 36.0;
        /// The pilot's share of it.
        pub pilot_power: f64 as Along<Dbm> = 33.0;
        /// Activity factor: the share of time in which a channel is on.
        pub activity: f64 as Factor = 1.0;
        /// The block error rate that power control aims at, in both directions.
        pub target: f64 as Fraction = 0.1;
        /// Eb/N0 downlink at which a tenth of the blocks is in error.
        pub downlink_ebn0: f64 as Along<Decibels> = 5.0;
        /// Eb/N0 uplink at which a tenth of the blocks is in error.
        pub uplink_ebn0: f64 as Along<Decibels> = 1.5;
        /// The increase of Eb/N0 that makes errors ten times as rare.
        pub decade: f64 as Along<Decibels> = 2.0;
    }
}

words! {
    /// Where block error rates come from.
    pub enum ErrorRates {
        /// From `tbler`, independent of position.
        Given = "given",
        /// From Eb/N0 at the mobile's position.
        FromPlace = "from-place",
    }
}
