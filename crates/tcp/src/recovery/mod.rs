//! Loss recovery: which segment is sent again, and when. How much the window then shrinks is
//! congestion control, another choice.

mod reno;
mod vegas;

use base::{Duration, Time};
use cc::LossKind;

use crate::sent::Sent;
use crate::{Config, RecoveryKind};

/// Duplicate acknowledgements that count as a loss (RFC 5681 §3.2).
pub(crate) const DUPLICATE_THRESHOLD: u32 = 3;

/// Where the stream stands when an acknowledgement has come in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing<'a> {
    pub(crate) now: Time,
    pub(crate) una: u64,
    /// The end of what was ever sent.
    pub(crate) max: u64,
    pub(crate) oldest: Option<&'a Sent>,
}

/// What to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// Nothing is lost.
    Wait,
    /// Send the oldest segment again, and tell congestion control of its loss.
    Retransmit(LossKind),
    /// Send the oldest segment again as part of a recovery that congestion control knows of.
    Repair,
}

/// A way of repairing losses.
#[derive(Debug)]
pub(crate) enum Recovery {
    Reno(reno::Reno),
    Vegas(vegas::Vegas),
}

impl Recovery {
    pub(crate) fn new(config: &Config) -> Self {
        match config.variant.recovery {
            RecoveryKind::Reno => Self::Reno(reno::Reno::new(config.recover_guard)),
            RecoveryKind::Vegas => Self::Vegas(vegas::Vegas::new(config.recover_guard)),
        }
    }

    pub(crate) fn on_duplicate_ack(&mut self, standing: &Standing<'_>) -> Verdict {
        match self {
            Self::Reno(reno) => reno.on_duplicate_ack(standing),
            Self::Vegas(vegas) => vegas.on_duplicate_ack(standing),
        }
    }

    /// Something new was acknowledged; `rtt` is that of the newest segment, if it was sent once.
    pub(crate) fn on_new_ack(&mut self, standing: &Standing<'_>, rtt: Option<Duration>) -> Verdict {
        match self {
            Self::Reno(reno) => reno.on_new_ack(),
            Self::Vegas(vegas) => vegas.on_new_ack(standing, rtt),
        }
    }

    /// The retransmission timer ran out when everything up to `max` had been sent.
    pub(crate) fn on_timeout(&mut self, max: u64) {
        match self {
            Self::Reno(reno) => reno.on_timeout(max),
            Self::Vegas(vegas) => vegas.on_timeout(max),
        }
    }

    /// Segments by which the window is larger while duplicate acknowledgements tell of segments
    /// that left the network.
    pub(crate) fn inflation(&self) -> u32 {
        match self {
            Self::Reno(reno) => reno.inflation,
            Self::Vegas(vegas) => vegas.inflation,
        }
    }

    /// Duplicate acknowledgements in a row.
    pub(crate) fn duplicates(&self) -> u32 {
        match self {
            Self::Reno(reno) => reno.duplicates,
            Self::Vegas(vegas) => vegas.duplicates,
        }
    }
}
