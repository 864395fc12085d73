//! The queue of a `NodeB` for one mobile, and what it grants the RNC: flow control with credits
//! (capacity allocation, TS 25.435 §5.9).

use std::collections::VecDeque;

use super::pdus::{Item, PduQueue};

/// Both sides of the flow control of one mobile.
#[derive(Debug)]
pub(super) struct FlowControl {
    /// What waits in the `NodeB`.
    pub(super) queue: PduQueue,
    /// How many PDUs the RNC may send.
    pub(super) credits: u64,
    /// Grants on their way to the RNC, each with the slot in which it comes.
    grants: VecDeque<(u64, u64)>,
    /// PDUs on their way to the `NodeB`.
    iub: VecDeque<(u64, Item)>,
    on_iub: u64,
    /// Whether the `NodeB` has something to decide at its next occasion.
    pub(super) is_open: bool,
    granted: u64,
    received: u64,
}

/// What the flow control of a mobile has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NodeBUse {
    /// PDUs that wait in the `NodeB`.
    pub queued: u64,
    /// How many PDUs it has granted since the start.
    pub granted: u64,
    /// How many have come.
    pub received: u64,
}

impl FlowControl {
    /// One whose RNC may send `credits` PDUs at the start.
    pub(super) fn new(credits: u64) -> Self {
        Self {
            queue: PduQueue::default(),
            credits,
            grants: VecDeque::new(),
            iub: VecDeque::new(),
            on_iub: 0,
            is_open: false,
            granted: credits,
            received: 0,
        }
    }

    /// The RNC sends `item`, which arrives in slot `at`.
    pub(super) fn send(&mut self, at: u64, item: Item) {
        let pdus = u64::from(item.pdus());
        debug_assert!(pdus <= self.credits, "an RNC sends what it was granted");
        self.credits -= pdus;
        self.on_iub += pdus;
        self.iub.push_back((at, item));
    }

    /// What has come by `slot` joins the queue.
    pub(super) fn take_arrived(&mut self, slot: u64) {
        while self.iub.front().is_some_and(|(at, _)| *at <= slot) {
            let Some((_, item)) = self.iub.pop_front() else { return };
            let pdus = u64::from(item.pdus());
            self.on_iub -= pdus;
            self.received += pdus;
            self.queue.push(item);
            self.is_open = true;
        }
    }

    /// Grants that have come by `slot` are credits.
    pub(super) fn take_grants(&mut self, slot: u64) {
        while let Some((_, pdus)) = self.grants.front().filter(|(at, _)| *at <= slot) {
            self.credits += pdus;
            self.grants.pop_front();
        }
    }

    /// Grants what is missing to have `target` PDUs in the queue or on their way; the grant arrives
    /// in slot `at`. It closes when nothing waits, for then all that can be is granted.
    pub(super) fn grant(&mut self, at: u64, target: u64) {
        let missing = target.saturating_sub(self.queue.pdus() + self.outstanding());
        if missing > 0 {
            self.granted += missing;
            self.grants.push_back((at, missing));
        }
        self.is_open = self.queue.pdus() > 0;
    }

    /// What was granted and has not come.
    fn outstanding(&self) -> u64 {
        let under_way: u64 = self.grants.iter().map(|(_, pdus)| pdus).sum();
        self.credits + under_way + self.on_iub
    }

    /// When something arrives at either side.
    pub(super) fn poll_timeout(&self) -> Option<u64> {
        let arrives = self.iub.front().map(|(at, _)| *at);
        arrives.into_iter().chain(self.grants.front().map(|(at, _)| *at)).min()
    }

    /// Loses all PDUs; those on their way count as received.
    pub(super) fn flush(&mut self) {
        self.received += self.on_iub;
        self.on_iub = 0;
        self.iub.clear();
        self.queue.clear();
        self.is_open = true;
    }

    pub(super) const fn usage(&self) -> NodeBUse {
        NodeBUse { queued: self.queue.pdus(), granted: self.granted, received: self.received }
    }
}
