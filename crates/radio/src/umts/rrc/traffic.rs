//! What one direction of a UE carries.

use base::{Direction, Rate, Time};

use crate::umts::channels::spreading::{SpreadingFactor, SpreadingTable};

/// The traffic of one direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Traffic {
    /// The sum of what flows ask for, in bit/s.
    pub(super) asked: u64,
    /// Bytes in RLC.
    pub(super) waiting: u64,
    /// Since when they have been more than the threshold.
    pub(super) above_since: Option<Time>,
}

impl Traffic {
    /// The highest spreading factor that carries what flows ask for in `direction`; factor 4 where
    /// none does, and `None` if no flow asks for a rate.
    pub(super) fn demand(
        &self,
        direction: Direction,
        spreading: SpreadingTable,
    ) -> Option<SpreadingFactor> {
        let asked = (self.asked > 0).then(|| Rate::from_bps(self.asked))?;
        Some(spreading.least_for(direction, asked).unwrap_or(SpreadingFactor::MIN))
    }
}
