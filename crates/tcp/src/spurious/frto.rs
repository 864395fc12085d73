//! F-RTO (RFC 5682): after a timeout the oldest segment is sent again, and then new data instead
//! of more old. If what comes back acknowledges something that was sent once only, before the
//! timeout, that had been under way all the time.

use super::{Evidence, Finding};
use crate::recovery::Order;

/// How far it has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// RFC 5682 §2.1 steps 1 and 2: the oldest is sent again, and nothing else.
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
pub(super) fn on_new_ack(step: Step, recover: u64, evidence: &Evidence) -> Finding {
    match step {
        Step::Waiting if evidence.una >= recover => Finding::Genuine,
        Step::Waiting => Finding::Probe,
        Step::Probing { .. } => evidence.of_first_transmission(recover),
    }
}

/// The same on a duplicate acknowledgement. Where the scoreboard rules, what it selects tells (§3.1
/// steps 2 and 3); else it is the end (§2.1 steps 2a and 3a).
pub(super) fn on_duplicate_ack(
    step: Step,
    order: Order,
    recover: u64,
    evidence: &Evidence,
) -> Finding {
    match (step, order) {
        (Step::Waiting, Order::Stream) => Finding::Genuine,
        (Step::Waiting, Order::Lost { .. }) => Finding::Open,
        (Step::Probing { .. }, Order::Lost { .. }) => evidence.of_first_transmission(recover),
        (Step::Probing { .. }, Order::Stream) => Finding::GoBack,
    }
}

impl Evidence {
    /// Step 3: whether it tells of something below `recover` that was sent once.
    fn of_first_transmission(&self, recover: u64) -> Finding {
        let arrived = self.once.is_some_and(|once| once < recover);
        if arrived { Finding::Spurious } else { Finding::GoBack }
    }
}
