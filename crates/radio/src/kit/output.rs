//! What comes out of a bearer, and what its base station reports.

use base::Rate;
use link::Dropped;

/// What comes out of a bearer: every SDU that it took in, in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<T> {
    /// An SDU at the far end.
    Delivered(T),
    /// An SDU that the link control gave up, or whose headers could not be restored.
    Discarded(T),
    /// An SDU that the queue ahead of the radio dropped after the bearer had taken it in.
    Dropped(Dropped<T>),
}

/// Rate that a direction of a mobile's radio can carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateReport {
    /// Payload of the blocks that arrive, per time; `None` while nothing gets through.
    pub rate: Option<Rate>,
}
