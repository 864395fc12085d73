//! What an agent has to send, and what it tells of itself.

use std::collections::VecDeque;

use base::Time;
use observe::{MobilityFact, Observe};

use super::{Address, Message, Outgoing};

/// The messages of machine `machine` that wait to be polled.
#[derive(Debug)]
pub(super) struct Outbox {
    machine: u32,
    queue: VecDeque<Outgoing>,
}

impl Outbox {
    pub(super) fn new(machine: u32) -> Self {
        Self { machine, queue: VecDeque::new() }
    }

    pub(super) fn tell(&self, now: Time, fact: MobilityFact, observe: &mut impl Observe) {
        observe.mobility(now, self.machine, fact);
    }

    /// A message that is sent once.
    pub(super) fn send(&mut self, now: Time, outgoing: Outgoing, observe: &mut impl Observe) {
        self.send_again(now, outgoing, 1, observe);
    }

    /// A message sent for the `attempt`th time.
    pub(super) fn send_again(
        &mut self,
        now: Time,
        outgoing: Outgoing,
        attempt: u32,
        observe: &mut impl Observe,
    ) {
        let (message, to) = (outgoing.message.name(), outgoing.destination.0);
        self.tell(now, MobilityFact::Sent { message, to, attempt }, observe);
        self.queue.push_back(outgoing);
    }

    /// A message of which there is nothing to tell: there are many.
    pub(super) fn send_quietly(&mut self, source: Address, destination: Address, body: Message) {
        self.queue.push_back(Outgoing { source, destination, message: body });
    }

    /// A message came.
    pub(super) fn received(&self, now: Time, incoming: &Outgoing, observe: &mut impl Observe) {
        let (message, from) = (incoming.message.name(), incoming.source.0);
        self.tell(now, MobilityFact::Received { message, from }, observe);
    }

    pub(super) fn pop(&mut self) -> Option<Outgoing> {
        self.queue.pop_front()
    }
}
