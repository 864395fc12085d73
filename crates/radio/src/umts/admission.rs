//! Admission control: may a UE have dedicated channels, and how fast?
//!
//! Asked before channels are set up, for the cells that they would be in. In each direction the
//! wanted spreading factor is tried, then each higher one with half the rate; the first under which
//! every cell stays below its limits is given (Holma and Toskala, §9.5).

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
pub(super) enum Refusal {
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

/// A request for dedicated channels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    /// The cells that the channels would be in.
    pub(super) cells: &'a [u32],
    /// Where the UE is: [`Interference::gains`].
    pub(super) gains: &'a [f64],
    /// The channels that it wants.
    pub(super) wanted: Dedicated,
}

impl AdmissionLimits {
    /// The channels that `request` may have: those it wants, or slower ones. `is_free` says whether
    /// a cell has a downlink code of a spreading factor; without `radio` only codes are limited.
    ///
    /// # Errors
    /// Why not even the slowest channels are possible.
    ///
    /// # Panics
    /// If the request or the limits have factors that the direction has not.
    pub(super) fn admit(
        &self,
        request: &Request<'_>,
        spreading: SpreadingTable,
        radio: Option<&Interference>,
        is_free: impl Fn(u32, SpreadingFactor) -> bool,
    ) -> Result<Dedicated, Refusal> {
        let rate = |direction, sf| {
            spreading.rate_of(direction, sf).expect("a factor of the channel's direction")
        };
        let downlink = first_fit(request.wanted.downlink, self.downlink_sf, |sf| {
            let rate = rate(Direction::Downlink, sf);
            for &cell in request.cells {
                if !is_free(cell, sf) {
                    return Err(Refusal::Codes { cell });
                }
                let after =
                    radio.map_or(0.0, |radio| radio.power_share_after(cell, request.gains, rate));
                if after > self.power_share.value() {
                    return Err(Refusal::Power { cell, after });
                }
            }
            Ok(())
        })?;
        let uplink = first_fit(request.wanted.uplink, self.uplink_sf, |sf| {
            let rate = rate(Direction::Uplink, sf);
            for &cell in request.cells {
                let after_db = radio.map_or(0.0, |radio| radio.noise_rise_after_db(cell, rate));
                if after_db > self.noise_rise {
                    return Err(Refusal::NoiseRise { cell, after_db });
                }
            }
            Ok(())
        })?;
        Ok(Dedicated { downlink, uplink })
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
