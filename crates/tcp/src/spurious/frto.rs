//! F-RTO (RFC 5682): after a timeout the oldest segment is retransmitted, and then new data are
//! sent instead of more old. If an acknowledgement then covers something that was sent only once,
//! before the timeout, that had been in flight all the time.

use super::{Evidence, Finding};
use crate::recovery::RepairOrder;

/// Its step (RFC 5682 §2.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FRtoStep {
    /// RFC 5682 §2.1 steps 1 and 2: the oldest is retransmitted, and nothing else.
    Waiting,
    /// Step 3: new data may be sent, up to so many bytes in the network.
    Probing { allowance: u64 },
}

/// Segments of new data in step 2b.
pub(crate) const PROBES: u64 = 2;

/// RFC 5682 §2.1 steps 2 and 3, and §3.1 likewise, on an acknowledgement of something new; before
/// the timeout everything up to `recover` had been sent.
///
/// Another timeout of the same segment starts over, where RFC 5682 gives up: nothing else was sent
/// again by then, and step 3 counts only what was sent once. Linux does the same.
pub(super) fn on_new_ack(step: FRtoStep, recover: u64, evidence: &Evidence) -> Finding {
    match step {
        FRtoStep::Waiting if evidence.una >= recover => Finding::Genuine,
        FRtoStep::Waiting => Finding::Probe,
        FRtoStep::Probing { .. } => evidence.of_first_transmission(recover),
    }
}

/// The same on a duplicate acknowledgement. With a scoreboard, what it selects decides (§3.1 steps
/// 2 and 3); else the timeout was genuine (§2.1 steps 2a and 3a).
pub(super) fn on_duplicate_ack(
    step: FRtoStep,
    order: RepairOrder,
    recover: u64,
    evidence: &Evidence,
) -> Finding {
    match (step, order) {
        (FRtoStep::Waiting, RepairOrder::Stream) => Finding::Genuine,
        (FRtoStep::Waiting, RepairOrder::Lost { .. }) => Finding::Open,
        (FRtoStep::Probing { .. }, RepairOrder::Lost { .. }) => {
            evidence.of_first_transmission(recover)
        }
        (FRtoStep::Probing { .. }, RepairOrder::Stream) => Finding::GoBack,
    }
}

impl Evidence {
    /// Step 3: whether it covers something below `recover` that was sent once.
    fn of_first_transmission(&self, recover: u64) -> Finding {
        let arrived = self.once.is_some_and(|once| once < recover);
        if arrived { Finding::Spurious } else { Finding::GoBack }
    }
}
