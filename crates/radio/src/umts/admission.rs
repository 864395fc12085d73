//! Admission control: may a UE have dedicated channels, and how fast?
//!
//! Asked before channels are set up, for the cells that they would be in. In each direction the
//! wanted spreading factor is tried, then each higher one with half the rate; the first under which
//! every cell stays below its limits is given (Holma and Toskala, §9.5).

use std::fmt;

use base::{Direction, Probability};
use settings::{Along, Decibels, Share, section};

use super::channels::spreading::{Sf, SpreadingFactor, SpreadingTable};
use super::interference::Interference;
use super::rrc::Dedicated;

section! {
    /// `[radio.admission]`: how much load dedicated channels may bring.
    pub struct AdmissionLimits {
        /// Limit of the noise rise uplink, where error rates depend on positions. Default: TR
        /// 25.942.
        pub noise_rise: f64 as Along<Decibels> = 6.0;
        /// Limit of the share of a cell's power in use, where error rates depend on positions.
        pub power_share: Probability as Share = Probability::ALWAYS;
        /// If the wanted spreading factor is not available, the next ones up to this are tried,
        /// downlink.
        pub downlink_sf: SpreadingFactor as Sf = SpreadingFactor::ALL[2];
        /// The same for the uplink.
        pub uplink_sf: SpreadingFactor as Sf = SpreadingFactor::ALL[2];
    }
}

/// Why a UE gets no dedicated channels.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Refusal {
    /// The uplink's noise rise would be too high.
    NoiseRise {
        /// In this cell.
        cell: u32,
        /// The noise rise at the lowest rate, in dB.
        after_db: f64,
    },
    /// The downlink lacks power.
    Power {
        /// In this cell.
        cell: u32,
        /// The share it would send at the lowest rate; infinite if it exceeds the limit of one
        /// link.
        after: f64,
    },
    /// The downlink's code tree has no free code.
    Codes {
        /// In this cell.
        cell: u32,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoiseRise { cell, after_db } => {
                write!(f, "cell {cell}: noise rise would be {after_db:.1} dB")
            }
            Self::Power { cell, after } => {
                write!(f, "cell {cell}: would send {:.0} % of its power", after * 100.0)
            }
            Self::Codes { cell } => write!(f, "cell {cell}: no code is free"),
        }
    }
}

/// A request for dedicated channels.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The cells that the channels would be in.
    pub cells: &'a [u32],
    /// Where the UE is: [`Interference::gains`].
    pub gains: &'a [f64],
    /// The channels that it wants.
    pub wanted: Dedicated,
}

impl AdmissionLimits {
    /// The channels that `request` may have: those it wants, or slower ones. `is_free` says whether
    /// a cell has a downlink code of a spreading factor; without `radio` only codes are limited.
    ///
    /// # Errors
    /// Why not even the slowest channels are possible.
    pub fn admit(
        &self,
        request: &Request<'_>,
        spreading: SpreadingTable,
        radio: Option<&Interference>,
        is_free: impl Fn(u32, SpreadingFactor) -> bool,
    ) -> Result<Dedicated, Refusal> {
        let downlink = first_fit(request.wanted.downlink, self.downlink_sf, |sf| {
            for cell in request.cells {
                if !is_free(*cell, sf) {
                    return Err(Refusal::Codes { cell: *cell });
                }
                self.check_power(*cell, request.gains, spreading, radio, sf)?;
            }
            Ok(())
        })?;
        let uplink = first_fit(request.wanted.uplink, self.uplink_sf, |sf| {
            let mut cells = request.cells.iter();
            cells.try_for_each(|cell| self.check_noise(*cell, spreading, radio, sf))
        })?;
        Ok(Dedicated { downlink, uplink })
    }

    fn check_power(
        &self,
        cell: u32,
        gains: &[f64],
        spreading: SpreadingTable,
        radio: Option<&Interference>,
        sf: SpreadingFactor,
    ) -> Result<(), Refusal> {
        let rate = spreading.rate_of(Direction::Downlink, sf).expect("a factor of the downlink");
        let after = radio.map_or(0.0, |radio| radio.power_share_after(cell, gains, rate));
        if after > self.power_share.value() { Err(Refusal::Power { cell, after }) } else { Ok(()) }
    }

    fn check_noise(
        &self,
        cell: u32,
        spreading: SpreadingTable,
        radio: Option<&Interference>,
        sf: SpreadingFactor,
    ) -> Result<(), Refusal> {
        let rate = spreading.rate_of(Direction::Uplink, sf).expect("a factor of the uplink");
        let after_db = radio.map_or(0.0, |radio| radio.noise_rise_after_db(cell, rate));
        if after_db > self.noise_rise {
            return Err(Refusal::NoiseRise { cell, after_db });
        }
        Ok(())
    }
}

/// The first spreading factor from `wanted` up to `thinnest` that passes, or why the last one
/// failed.
fn first_fit(
    wanted: SpreadingFactor,
    thinnest: SpreadingFactor,
    passes: impl Fn(SpreadingFactor) -> Result<(), Refusal>,
) -> Result<SpreadingFactor, Refusal> {
    let slower = |sf: &SpreadingFactor| *sf > wanted && *sf <= thinnest;
    let candidates = SpreadingFactor::ALL.into_iter().rev().filter(slower);
    let mut result = passes(wanted).map(|()| wanted);
    for sf in candidates {
        if result.is_ok() {
            break;
        }
        result = passes(sf).map(|()| sf);
    }
    result
}

#[cfg(test)]
mod tests;
