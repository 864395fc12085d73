//! What a measurement sees of how good a radio is.

use base::Direction;

/// A block met another ratio of signal to noise than the one before it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RatioFact {
    /// The mobile among those of its cell, from 0.
    pub ue: u32,
    /// The way that blocks go.
    pub direction: Direction,
    /// The ratio in decibels.
    pub snr: f64,
}
