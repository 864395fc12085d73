//! The sending half: new data, and what the receiver asks for.

use std::collections::VecDeque;

use base::Time;

use super::Expected;
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::{RlcConfig, Sn};

/// What has been sent, and what is to be sent again.
#[derive(Debug)]
pub(super) struct Sender {
    retransmissions_first: bool,
    /// The next new PDU.
    next: Sn,
    /// Requested PDUs, in the order of the requests.
    again: VecDeque<Sn>,
}

impl Sender {
    pub(super) const fn new(config: &RlcConfig) -> Self {
        Self {
            retransmissions_first: config.retransmissions_first,
            next: Sn::ZERO,
            again: VecDeque::new(),
        }
    }

    /// How many PDUs wait to be sent again.
    pub(super) fn to_send_again(&self) -> u32 {
        self.again.len() as u32
    }

    /// Fills what is left of a TTI.
    pub(super) fn fill(&mut self, sdus: &mut Sdus, blocks: &mut TransportBlocks) {
        while blocks.room() > 0 {
            if (self.retransmissions_first || !sdus.has_begun())
                && let Some(sn) = self.again.pop_front()
            {
                blocks.push_again(sn, false);
            } else if sdus.has_data() {
                let cut = sdus.segment(blocks.start, self.next, blocks.room().min(64), 1);
                blocks.push_new(self.next, cut.pdus, false);
                self.next = self.next + u64::from(cut.pdus);
            } else {
                return;
            }
        }
    }

    /// Takes in what the receiver has and requests. A PDU that waits to be sent again is not queued
    /// twice, and none is retransmitted before it has been sent.
    pub(super) fn handle_feedback(&mut self, expected: &Expected) {
        self.again.retain(|sn| *sn >= expected.next);
        for sn in &expected.asked {
            if *sn < self.next && !self.again.contains(sn) {
                self.again.push_back(*sn);
            }
        }
    }

    /// When there will be something to send.
    pub(super) fn poll_timeout(&self, now: Time, sdus: &Sdus) -> Option<Time> {
        (!self.again.is_empty() || sdus.has_data()).then_some(now)
    }

    /// Forgets all.
    pub(super) fn reset(&mut self) {
        self.next = Sn::ZERO;
        self.again.clear();
    }
}
