//! One end.

use base::Time;

use super::receiver::Receiver;
use super::sender::Sender;
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::Config;
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::{Control, Traffic};

/// One end: it sends the SDUs of one direction and receives those of the other.
#[derive(Debug)]
pub(crate) struct Entity {
    sender: Sender,
    receiver: Receiver,
}

impl Entity {
    pub(crate) fn new(config: &Config) -> Self {
        Self { sender: Sender::new(config), receiver: Receiver::new(config) }
    }

    /// How many PDUs wait to be sent again.
    pub(crate) fn to_send_again(&self) -> u32 {
        self.sender.to_send_again()
    }

    /// Fills a TTI: feedback, then data.
    pub(crate) fn fill(&mut self, traffic: &mut Traffic<'_>, blocks: &mut TransportBlocks) {
        self.receiver.fill(traffic.peer, blocks);
        self.sender.fill(traffic.own, blocks);
    }

    /// Takes in a TTI that ended at `now`, without the blocks in error.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        blocks: &TransportBlocks,
        traffic: &mut Traffic<'_>,
    ) {
        for (place, control) in (0..).zip(&blocks.control) {
            if let Control::Expected(expected) = control
                && blocks.errors.from(place) & 1 == 0
            {
                self.sender.handle_feedback(expected);
            }
        }
        for (place, run) in blocks.runs() {
            self.receiver.handle_data(now, run, blocks.errors.from(place), traffic.peer);
        }
    }

    /// When there will be something to send, `now` at the earliest.
    pub(crate) fn poll_timeout(&self, now: Time, own: &Sdus) -> Option<Time> {
        Time::earlier(self.sender.poll_timeout(now, own), self.receiver.poll_timeout(now))
    }

    /// Re-establishes the entity: what has been sent in part is given up.
    pub(crate) fn establish(&mut self, now: Time, traffic: &mut Traffic<'_>) {
        traffic.own.reset(now);
        self.sender.reset();
        self.receiver.reset();
    }
}
