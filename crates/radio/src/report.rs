//! What the base station reports of a mobile's downlink.

use base::Rate;

/// What a mobile's downlink can carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DownlinkReport {
    /// Payload of the blocks that arrive, per time; `None` while nothing gets through.
    pub rate: Option<Rate>,
}
