//! What an agent has to send, and the facts that it reports.

use std::collections::VecDeque;

use observe::{Context, MobilityFact, Observe};

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

    pub(super) fn tell(&self, cx: &mut Context<'_, impl Observe>, fact: MobilityFact) {
        cx.mobility(self.machine, fact);
    }

    /// A message that is sent once.
    pub(super) fn send(&mut self, cx: &mut Context<'_, impl Observe>, outgoing: Outgoing) {
        self.send_again(cx, outgoing, 1);
    }

    /// A message sent for the `attempt`th time.
    pub(super) fn send_again(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        outgoing: Outgoing,
        attempt: u32,
    ) {
        let (message, to) = (outgoing.message.name(), outgoing.destination.0);
        self.tell(cx, MobilityFact::Sent { message, to, attempt });
        self.queue.push_back(outgoing);
    }

    /// A message that is not reported, since there are many.
    pub(super) fn send_quietly(&mut self, source: Address, destination: Address, body: Message) {
        self.queue.push_back(Outgoing { source, destination, message: body });
    }

    /// A message came.
    pub(super) fn received(&self, cx: &mut Context<'_, impl Observe>, incoming: &Outgoing) {
        let (message, from) = (incoming.message.name(), incoming.source.0);
        self.tell(cx, MobilityFact::Received { message, from });
    }

    pub(super) fn pop(&mut self) -> Option<Outgoing> {
        self.queue.pop_front()
    }
}
