//! When a direction may send.

use base::{Duration, Rate, Time};

use super::assignment::Frames;
use super::beam::Beam;
use super::config::Access;

/// The times at which a lane may send.
#[derive(Debug)]
pub(crate) enum Turns {
    Own,
    Shared(Beam),
    OnDemand(Frames),
}

impl Turns {
    pub(crate) fn new(access: Access, seed: u64, name: &str) -> Self {
        match access {
            Access::Own => Self::Own,
            Access::Shared(background) => Self::Shared(Beam::new(background, seed, name)),
            Access::OnDemand(assignment) => Self::OnDemand(Frames::new(assignment)),
        }
    }

    /// The first turn at or after `at`.
    pub(crate) fn next(&self, at: Time) -> Time {
        match self {
            Self::Own => at,
            Self::Shared(beam) => beam.after(at, Duration::ZERO),
            Self::OnDemand(frames) => frames.from(at),
        }
    }

    /// The rate of a packet that is sent whole, if `mean` is that over all time.
    pub(crate) fn rate(&self, mean: Rate) -> Rate {
        match self {
            Self::Shared(beam) => beam.rate(mean),
            Self::Own | Self::OnDemand(_) => mean,
        }
    }

    /// When what is sent whole has been sent, if it begins at `at` and takes so long.
    pub(crate) fn after(&self, at: Time, takes: Duration) -> Time {
        match self {
            Self::Shared(beam) => beam.after(at, takes),
            Self::Own | Self::OnDemand(_) => at + takes,
        }
    }

    /// Whether frames to come were granted something.
    pub(crate) fn is_promised(&self) -> bool {
        match self {
            Self::Own | Self::Shared(_) => false,
            Self::OnDemand(frames) => frames.is_promised(),
        }
    }
}
