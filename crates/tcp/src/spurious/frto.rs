//! F-RTO (RFC 5682): after a timeout the oldest segment is sent again, and then new data instead
//! of more old. If what comes back acknowledges something that was sent once only, before the
//! timeout, that had been under way all the time.

use super::{Evidence, Finding, Test};
use crate::recovery::Order;
use crate::{Payload, Sender};

/// How far it has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// RFC 5682 §2.1 steps 1 and 2: the oldest is sent again, and nothing else.
    Waiting,
    /// Step 3: new data may be sent, up to so many bytes in the network.
    Probing { allowance: u64 },
}

/// Segments of new data in step 2b.
const PROBES: u64 = 2;

impl<P: Payload> Sender<P> {
    /// RFC 5682 §2.1 steps 2 and 3, and §3.1 likewise, on an acknowledgement of something new;
    /// before the timeout everything up to `recover` had been sent.
    ///
    /// Another timeout of the same segment starts over, where RFC 5682 gives up: nothing else was
    /// sent again by then, and step 3 counts only what was sent once. Linux does the same.
    pub(super) fn frto_new_ack(
        &mut self,
        step: Step,
        recover: u64,
        evidence: &Evidence,
    ) -> Finding {
        match step {
            Step::Waiting if self.una >= recover => Finding::Genuine,
            Step::Waiting => self.probe_with_new_data(),
            Step::Probing { .. } if evidence.once.is_some_and(|once| once < recover) => {
                Finding::Spurious
            }
            Step::Probing { .. } => self.give_in(),
        }
    }

    /// The same on a duplicate acknowledgement. Where the scoreboard rules, what it selects
    /// tells (§3.1 steps 2 and 3); else it is the end (§2.1 steps 2a and 3a).
    pub(super) fn frto_duplicate_ack(
        &mut self,
        step: Step,
        recover: u64,
        evidence: &Evidence,
    ) -> Finding {
        match (step, self.recovery.order(&self.board)) {
            (Step::Waiting, Order::Stream) => Finding::Genuine,
            (Step::Waiting, Order::Lost { .. }) => Finding::Open(Test::FRto(step)),
            (Step::Probing { .. }, Order::Lost { .. })
                if evidence.once.is_some_and(|once| once < recover) =>
            {
                Finding::Spurious
            }
            (Step::Probing { .. }, Order::Stream | Order::Lost { .. }) => self.give_in(),
        }
    }

    /// Step 2b. Without new data that may leave at once, there is nothing to find out with.
    fn probe_with_new_data(&mut self) -> Finding {
        let mss = u64::from(self.mss);
        let waiting = self.buffer.end().saturating_sub(self.max).min(mss);
        let outstanding = self.max - self.una;
        let room = self.peer.size.min(self.cap).saturating_sub(outstanding);
        if waiting == 0 || waiting > room || self.waits_for_more(waiting) {
            return Finding::Genuine;
        }
        if self.recovery.order(&self.board) == Order::Stream {
            self.nxt = self.max;
        }
        let allowance = self.pipe() + (PROBES * mss).min(room);
        Finding::Open(Test::FRto(Step::Probing { allowance }))
    }

    /// The loss was one: everything is sent again after all.
    fn give_in(&mut self) -> Finding {
        if self.recovery.order(&self.board) == Order::Stream {
            self.go_back();
        }
        Finding::Genuine
    }
}
