//! Two lanes of which one is for L4S (RFC 9332, appendix A).

use base::Time;

use super::dualpi2::{Config, Pi2, Scheduler};
use super::lane::Lane;
use super::{Queued, Verdict};
use crate::Load;

/// Packets of L4S that wait, and all others.
#[derive(Debug)]
pub(super) struct Dual<T> {
    config: Config,
    pi2: Pi2,
    l4s: Lane<T>,
    classic: Lane<T>,
    /// The lane of the packet that came out last.
    served: Served,
    /// Bytes that the classic lane may send, by its share of what was sent while both waited.
    credits: f64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Served {
    L4s,
    Classic,
}

impl<T: Load> Dual<T> {
    pub(super) fn new(config: Config) -> Self {
        Self {
            config,
            pi2: Pi2::new(config),
            l4s: Lane::new(),
            classic: Lane::new(),
            served: Served::L4s,
            credits: 0.0,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.l4s.iter().chain(self.classic.iter())
    }

    /// Makes the updates that are due by `now`, ahead of whatever happens then.
    pub(super) fn catch_up(&mut self, now: Time) {
        let oldest = Time::earlier(self.l4s.since(), self.classic.since());
        self.pi2.catch_up(now, oldest);
    }

    /// `dualpi2_enqueue`: a packet of ECT(1) or CE goes to the L4S lane.
    pub(super) fn push(&mut self, queued: Queued<T>) {
        let lane = if queued.packet.is_l4s() { &mut self.l4s } else { &mut self.classic };
        lane.push(queued);
    }

    /// `dualpi2_dequeue`: the next packet, and what is decided on it. If it goes on,
    /// [`Self::sent`] is to be called.
    pub(super) fn pop(&mut self, free: Time) -> Option<(Queued<T>, Verdict)> {
        self.served = self.scheduled()?;
        let since = match self.served {
            Served::L4s => self.l4s.since()?,
            Served::Classic => self.classic.since()?,
        };
        let start = free.max(since);
        self.catch_up(start);
        let backlog = self.l4s.bytes() + self.classic.bytes();
        match self.served {
            Served::L4s => {
                let queued = self.l4s.pop()?;
                let wait = self.l4s.since().map(|since| start.saturating_since(since));
                let verdict = self.pi2.on_l4s(backlog, self.l4s.len(), wait.unwrap_or_default());
                Some((queued, verdict))
            }
            Served::Classic => Some((self.classic.pop()?, self.pi2.on_classic(backlog))),
        }
    }

    /// The packet that came out last, of `bytes`, goes on. What one lane sends while the other is
    /// empty is not held against it.
    pub(super) fn sent(&mut self, bytes: u32) {
        let share = self.config.classic_protection.value();
        let is_alone = self.l4s.len() == 0 || self.classic.len() == 0;
        self.credits += match self.served {
            Served::L4s => share * f64::from(bytes),
            Served::Classic => (share - 1.0) * f64::from(bytes),
        };
        if is_alone {
            self.credits = 0.0;
        }
    }

    /// `scheduler`: which lane is next.
    fn scheduled(&self) -> Option<Served> {
        let (l4s, classic) = match (self.l4s.head(), self.classic.head()) {
            (None, None) => return None,
            (Some(_), None) => return Some(Served::L4s),
            (None, Some(_)) => return Some(Served::Classic),
            (Some(l4s), Some(classic)) => (l4s, classic),
        };
        let is_classic = match self.config.scheduler {
            Scheduler::TimeShifted => classic.since + self.config.time_shift < l4s.since,
            Scheduler::Wrr => {
                let share = self.config.classic_protection.value();
                let costs = (1.0 - share) * f64::from(classic.packet.bytes());
                self.credits >= costs
            }
        };
        Some(if is_classic { Served::Classic } else { Served::L4s })
    }
}
