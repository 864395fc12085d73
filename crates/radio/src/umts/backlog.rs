//! The queue ahead of the radio and its limit.

use std::collections::VecDeque;

use link::queue::Backlog as Share;
use link::queue::droptail;

use crate::Sdu;

/// The most SDUs that may wait for the end of their first transmission.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// How many; `None` is without limit.
    pub packets: Option<u32>,
    /// How many bytes at the IP layer, including all of the one being sent; `None` is without
    /// limit.
    pub bytes: Option<u64>,
    /// What is counted.
    pub scope: Scope,
}

/// What a limit applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// All SDUs of a direction together.
    Direction,
    /// Those of each flow separately.
    Flow,
}

impl Limit {
    /// No limit.
    pub const NONE: Self = Self { packets: None, bytes: None, scope: Scope::Direction };

    /// At most `packets` in all.
    pub const fn packets(packets: u32) -> Self {
        Self { packets: Some(packets), ..Self::NONE }
    }

    /// True if an SDU of `bytes` fits in addition to what waits.
    pub(crate) fn admits(&self, waiting: Share, bytes: u32) -> bool {
        let Self { packets, bytes: most, scope: _ } = *self;
        droptail::Limit { packets, bytes: most }.admits(waiting, bytes)
    }

    /// True if counting SDUs is enough to decide what fits.
    pub(crate) fn is_count(&self) -> bool {
        self.bytes.is_none() && self.scope == Scope::Direction
    }
}

/// What waits, with its flow and size: kept only if a limit needs it.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    /// The number of the first SDU that waits.
    first: u64,
    waiting: VecDeque<Waiting>,
    total: Share,
    /// One entry for each flow that ever waited.
    flows: Vec<(u64, Share)>,
}

/// An SDU that waits.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Waiting {
    pub(crate) flow: u64,
    pub(crate) bytes: u32,
}

impl Waiting {
    pub(crate) fn of(sdu: &impl Sdu) -> Self {
        Self { flow: sdu.flow(), bytes: sdu.bytes() }
    }
}

impl Backlog {
    /// How much of what waits counts for an SDU of `flow`.
    pub(crate) fn share(&self, scope: Scope, flow: u64) -> Share {
        match scope {
            Scope::Direction => self.total,
            Scope::Flow => self
                .flows
                .iter()
                .find(|(known, _)| *known == flow)
                .map_or_else(Share::default, |(_, share)| *share),
        }
    }

    /// How many flows waited before `flow` first did.
    pub(crate) fn place(&self, flow: u64) -> usize {
        self.flows.iter().position(|(known, _)| *known == flow).unwrap_or(self.flows.len())
    }

    /// How many flows have something waiting, `flow` counted among them.
    pub(crate) fn flows_with(&self, flow: u64) -> u32 {
        let waits = |(known, share): &&(u64, Share)| *known == flow || share.packets > 0;
        let known = self.flows.iter().any(|(known, _)| *known == flow);
        self.flows.iter().filter(waits).count() as u32 + u32::from(!known)
    }

    /// One more waits.
    pub(crate) fn enter(&mut self, sdu: Waiting) {
        self.count(sdu, add);
    }

    /// One of those that wait gets the next number.
    pub(crate) fn number(&mut self, sdu: Waiting) {
        self.waiting.push_back(sdu);
    }

    /// The SDUs below number `first` wait no more.
    pub(crate) fn forget_below(&mut self, first: u64) {
        while self.first < first {
            let sdu = self.waiting.pop_front().expect("what has left was waiting");
            self.count(sdu, remove);
            self.first += 1;
        }
    }

    /// Those from number `first` on wait again; `sdu` knows each.
    pub(crate) fn wait_again(&mut self, first: u64, sdu: impl Fn(u64) -> Waiting) {
        while self.first > first {
            self.first -= 1;
            let sdu = sdu(self.first);
            self.count(sdu, add);
            self.waiting.push_front(sdu);
        }
    }

    fn count(&mut self, sdu: Waiting, change: fn(&mut Share, u32)) {
        change(&mut self.total, sdu.bytes);
        let index = self.flows.iter().position(|(flow, _)| *flow == sdu.flow);
        let index = index.unwrap_or_else(|| {
            self.flows.push((sdu.flow, Share::default()));
            self.flows.len() - 1
        });
        change(&mut self.flows[index].1, sdu.bytes);
    }
}

fn add(share: &mut Share, bytes: u32) {
    share.packets += 1;
    share.bytes += u64::from(bytes);
}

fn remove(share: &mut Share, bytes: u32) {
    share.packets -= 1;
    share.bytes -= u64::from(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_flow_has_its_share() {
        let mut backlog = Backlog::default();
        let sdus = [(7, 100), (9, 200), (7, 300), (9, 400)];
        let sdus = sdus.map(|(flow, bytes)| Waiting { flow, bytes });
        for sdu in sdus {
            backlog.enter(sdu);
            backlog.number(sdu);
        }
        assert_eq!([7, 9, 8].map(|flow| backlog.place(flow)), [0, 1, 2]);
        let check = |backlog: &Backlog, scope, flow, packets, bytes| {
            assert_eq!(backlog.share(scope, flow), Share { packets, bytes }, "{scope:?} {flow}");
        };
        check(&backlog, Scope::Flow, 7, 2, 400);
        check(&backlog, Scope::Flow, 9, 2, 600);
        check(&backlog, Scope::Flow, 8, 0, 0);
        backlog.forget_below(3);
        check(&backlog, Scope::Flow, 7, 0, 0);
        check(&backlog, Scope::Direction, 7, 1, 400);
        backlog.wait_again(1, |number| sdus[number as usize]);
        check(&backlog, Scope::Flow, 7, 1, 300);
        check(&backlog, Scope::Flow, 9, 2, 600);
        backlog.forget_below(4);
        check(&backlog, Scope::Direction, 0, 0, 0);
    }
}
