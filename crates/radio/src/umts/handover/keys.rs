//! `[radio.mobility]`: how mobiles go from cell to cell.

use base::Duration;
use settings::{Along, Count, Decibels, Flag, OfTime, Word, section};

use super::Diversity;

section! {
    /// `[radio.mobility]`: how mobiles go from cell to cell. Defaults: our choice among what
    /// TS 25.331 §10.3.7 allows, where no other source is given.
    #[derive(Copy)]
    pub struct Mobility {
        /// Soft, with several cells at a time, or hard, from one to the other.
        pub handover: Diversity as Word<Diversity> = Diversity::Allowed;
        /// A hard handover: how long nothing is sent.
        pub gap: Duration as OfTime = Duration::from_millis(200);
        /// Whether RNCs are connected (Iur). If not, a handover between them is hard and relocates.
        pub iur: bool as Flag = true;
        /// A cell joins if it is at most so much below the best.
        pub add_range: f64 as Along<Decibels> = 3.0;
        /// A cell leaves if it is more than so much below the best.
        pub remove_range: f64 as Along<Decibels> = 5.0;
        /// Hysteresis of both.
        pub hysteresis: f64 as Along<Decibels> = 0.0;
        /// How much better a cell must be for a hard handover or a new choice of cell.
        pub hard_hysteresis: f64 as Along<Decibels> = 3.0;
        /// How long each condition must hold (time to trigger).
        pub time_to_trigger: Duration as OfTime = Duration::from_millis(320);
        /// Cells at a time, at most.
        pub cells: u32 as Count<u32, 1, 8> = 3;
        /// After how long without a cell of its serving RNC a mobile is relocated to another.
        pub relocation_time: Duration as OfTime = Duration::from_secs(5);
        /// The weakest pilot that is heard, Ec/I0. Default: TS 25.133 §4.2.2, Ec/I0 of −18 dB.
        pub pilot_min: f64 as Along<Decibels> = -18.0;
        /// Frames out of sync in a row that start the timer (N313).
        pub n313: u32 as Count<u32, 1, 200> = 20;
        /// Frames in sync in a row that stop it (N315).
        pub n315: u32 as Count<u32, 1, 200> = 1;
        /// From then until radio link failure (T313).
        pub t313: Duration as OfTime = Duration::from_secs(3);
    }
}
