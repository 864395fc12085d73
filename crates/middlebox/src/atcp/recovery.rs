//! Losses and stalls of an aggregate (§IV.E).
//!
//! *Losses.* What [`super::unacked`] finds lost is sent again at once; the window stays as it is.
//!
//! *Patience.* Flows delay their acknowledgements each for itself, so that one flow's packet may be
//! acknowledged after three later ones of other flows although nothing is lost. The paper takes its
//! chance; [`super::AtcpConfig::patience`] is how long a packet skipped often enough may still be
//! acknowledged before it counts as lost.
//!
//! *Stalls.* When nothing arrives for a conservative time, the radio has stalled: the window
//! becomes one packet, right edges stop, and every 1.5 round-trip times, or [`LEAST_PAUSE`] if that
//! is longer, a probe leaves: a packet that was found lost before if there is one, or else the one
//! that was sent longest ago. It is another one each time, since a mobile may be silent about one
//! connection only; once it has been sent again [`PROBES`] times, a new packet goes in its place
//! where one waits. ("Linear back-off": the n-th probe leaves n·1.5·RTT after the first. Intervals
//! that grew would find the radio back later the longer it was away, and the paper wants "quick
//! detection".) The first acknowledgement of something restores everything. So does having nothing
//! to ask with, once the connections of all that was in flight are no more: the others' senders may
//! not send, and no answer will come.
//!
//! *After a stall* what was in flight may be lost, or may only have waited in the network. If what
//! arrives was sent before the stall, it waited, and nothing more is sent again (F-RTO, RFC 5682;
//! Eifel, RFC 3522, with send times for timestamps). Else up to as many new packets as a loss
//! takes skips are sent beyond the window: if they overtake what was in flight, that was lost.
//! Where there is nothing new to send, it is lost when nothing arrives for 1.5 round-trip times.
//!
//! Round-trip times of packets that lived through a stall are not measured: they tell how long the
//! stall was.

use std::collections::VecDeque;

use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};
use tcp::Payload;

use super::aggregate::{Aggregate, Context, News};
use super::config::AtcpConfig;
use super::flow::Flow;
use super::unacked::Slot;
use crate::FlowId;

/// For how long a mobile may be silent before its connections are given up, or hear of one without
/// getting further (RFC 1122 §4.2.3.5: 100 s at least; as long as Linux' 15 retransmissions take).
const PATIENCE_WITH_MOBILE: Duration = Duration::from_secs(924);

/// How often a packet is sent again before a new one may be the probe in its place.
const PROBES: u32 = 3;

/// Between probes of a stall at least: over a quick link, 1.5 round-trip times would make a storm
/// of them.
const LEAST_PAUSE: Duration = Duration::from_millis(100);

/// For how long it may be silent about one connection, while others are heard of (RFC 1122
/// §4.2.3.5: R2).
const PATIENCE_WITH_FLOW: Duration = Duration::from_secs(100);

/// Where an aggregate stands.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    standing: Standing,
    /// When the timer runs out.
    pub(super) timer: Option<Time>,
    /// What is below these positions is lost at these times, if it has not arrived by then.
    doubts: VecDeque<(u64, Time)>,
    /// What is below this position, of connections that are no more, has left the pipe by then.
    orphans_until: Option<(u64, Time)>,
    /// Packets below this position were sent before the last stall.
    stalled_from: u64,
    /// When the last stall ended.
    back_at: Time,
    /// Packets below this position lived through a stall.
    pub(super) timed_from: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Standing {
    /// Packets arrive.
    #[default]
    Steady,
    /// None did for long.
    Stalled {
        since: Time,
        /// True if a probe is to be sent now.
        due: bool,
    },
    /// One has arrived after a stall; what has a position below `until` may be lost.
    Doubtful { until: u64 },
}

/// What to send before anything new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repair {
    /// This packet again.
    Packet(Slot, RepairReason),
    /// One new packet, to see whether the radio is back, or else this one again.
    NewProbe(Option<Slot>),
    /// Nothing at all may be sent.
    Silence,
    /// There is nothing to repair.
    Nothing,
}

impl Recovery {
    pub(super) const fn is_stalled(&self) -> bool {
        matches!(self.standing, Standing::Stalled { .. })
    }

    /// True if what was sent at `position` was sent before the last stall.
    pub(super) const fn is_before_stall(&self, position: u64) -> bool {
        position < self.stalled_from
    }

    /// The next probe of a stall need not wait.
    pub(super) const fn hurry(&mut self) {
        if let Standing::Stalled { due, .. } = &mut self.standing {
            *due = true;
        }
    }

    /// Packets that may be sent beyond the window.
    pub(super) const fn tests(&self, config: &AtcpConfig) -> u32 {
        match self.standing {
            Standing::Doubtful { .. } => config.skip_threshold,
            Standing::Steady | Standing::Stalled { .. } => 0,
        }
    }

    /// The next deadline.
    pub(super) fn deadline(&self) -> Option<Time> {
        let doubt = self.doubts.front().map(|&(_, due)| due);
        let orphans = self.orphans_until.map(|(_, due)| due);
        [self.timer, doubt, orphans].into_iter().flatten().min()
    }
}

impl Aggregate {
    /// What the timer is set to now.
    ///
    /// §IV.E wants it "relatively conservative", so that only a stall makes it run out: it is no
    /// less than a configured minimum and the time in which a full window passes the radio at half
    /// its rate.
    pub(super) fn timeout(&self, config: &AtcpConfig) -> Duration {
        match self.recovery.standing {
            Standing::Steady => {
                let least = config.min_rto.max(config.drain(self.estimator.clamp()));
                self.round_trip.own_timeout().unwrap_or(Duration::ZERO).max(least)
            }
            Standing::Stalled { .. } | Standing::Doubtful { .. } => {
                let round_trip = self.round_trip.smoothed().unwrap_or(config.round_trip);
                (round_trip * 3 / 2).max(LEAST_PAUSE)
            }
        }
    }

    /// Something arrived at the mobile.
    pub(super) fn heard<P: Payload>(&mut self, context: &mut Context<'_, P>, news: &News) {
        let now = context.now;
        self.unacked.remove_orphans(news.beyond);
        if context.config.patience == Duration::ZERO {
            self.skip_below(news.bound, context);
        } else if self.recovery.doubts.back().is_none_or(|&(bound, _)| bound < news.bound) {
            self.recovery.doubts.push_back((news.bound, now + context.config.patience));
        }
        match self.recovery.standing {
            Standing::Stalled { .. } => self.recover(context, news.waited),
            Standing::Doubtful { .. } if news.waited => {
                self.recovery.standing = Standing::Steady;
            }
            Standing::Steady | Standing::Doubtful { .. } => {}
        }
        self.settle_doubt();
        self.restart_timer(now, context.config);
    }

    /// What lies below `bound` has been skipped often enough. Of a flow that does not select, only
    /// the first packet is known not to have arrived: of the others its acknowledgement will tell
    /// (RFC 6582 §3.2, step 3). Sent again all the same, each that had arrived would bring a
    /// duplicate acknowledgement, which says that another one arrived. What lived through a stall
    /// is lost as a whole.
    fn skip_below<P: Payload>(&mut self, bound: u64, context: &Context<'_, P>) {
        let (flows, timed_from) = (&*context.flows, self.recovery.timed_from);
        self.unacked.lose_below(bound, RepairReason::Skipped, |sent| {
            let flow = &flows[sent.flow];
            flow.sack || flow.una == sent.offset || sent.position < timed_from
        });
    }

    /// The mobile has been heard from.
    fn recover<P: Payload>(&mut self, context: &mut Context<'_, P>, waited: bool) {
        let until = self.unacked.next_position();
        self.recovery.timed_from = until;
        self.recovery.back_at = context.now;
        self.recovery.standing =
            if waited { Standing::Steady } else { Standing::Doubtful { until } };
        self.settle_doubt();
        (context.watch)(MiddleboxFact::Recovered { mobile: self.mobile });
        for index in 0..self.members.len() {
            self.tell(self.members[index], context);
        }
    }

    /// If there is a stall, it is over although nothing was acknowledged: a handshake with the
    /// mobile has succeeded, so that the radio works; or nothing is left that an answer could come
    /// to.
    pub(super) fn end_stall<P: Payload>(&mut self, context: &mut Context<'_, P>) {
        if self.recovery.is_stalled() {
            self.recover(context, false);
            self.restart_timer(context.now, context.config);
        }
    }

    /// The doubt is over once nothing is left of what was in flight.
    fn settle_doubt(&mut self) {
        if let Standing::Doubtful { until } = self.recovery.standing {
            let oldest = self.unacked.oldest().map(|slot| self.unacked.get(slot).position);
            if oldest.is_none_or(|position| position >= until) {
                self.recovery.standing = Standing::Steady;
            }
        }
    }

    pub(super) fn restart_timer(&mut self, now: Time, config: &AtcpConfig) {
        let waits = self.unacked.oldest().is_some() || self.unacked.first_lost().is_some();
        self.recovery.timer = waits.then(|| now + self.timeout(config));
    }

    /// A connection is no more. What is in flight of it has left the pipe after 1.5 round-trip
    /// times, whether or not anything later tells so.
    pub(super) fn await_orphans(&mut self, now: Time, config: &AtcpConfig) {
        if self.recovery.orphans_until.is_none() && self.unacked.has_orphans() {
            let round_trip = self.round_trip.smoothed().unwrap_or(config.round_trip) * 3 / 2;
            let due = now + round_trip.max(config.transmission(self.unacked.in_flight()));
            self.recovery.orphans_until = Some((self.unacked.next_position(), due));
        }
    }

    /// Time has passed.
    pub(super) fn expire<P: Payload>(&mut self, context: &mut Context<'_, P>) {
        let now = context.now;
        if let Some((bound, due)) = self.recovery.orphans_until
            && due <= now
        {
            self.recovery.orphans_until = None;
            self.unacked.remove_orphans(bound);
            self.await_orphans(now, context.config);
        }
        while let Some(&(bound, due)) = self.recovery.doubts.front()
            && due <= now
        {
            self.recovery.doubts.pop_front();
            self.skip_below(bound, context);
            self.settle_doubt();
        }
        if self.recovery.timer.is_some_and(|timer| timer <= now) {
            self.recovery.timer = None;
            self.run_out(context);
        }
    }

    /// The timer ran out.
    fn run_out<P: Payload>(&mut self, context: &mut Context<'_, P>) {
        let now = context.now;
        match self.recovery.standing {
            Standing::Steady => {
                self.unacked.remove_orphans(u64::MAX);
                if self.unacked.oldest().or(self.unacked.first_lost()).is_none() {
                    return;
                }
                self.recovery.stalled_from = self.unacked.next_position();
                self.recovery.standing = Standing::Stalled { since: now, due: true };
                self.tally.timeouts += 1;
                self.estimator.interrupt();
                (context.watch)(MiddleboxFact::Stalled { mobile: self.mobile });
            }
            Standing::Stalled { since, .. } => {
                self.recovery.standing = Standing::Stalled { since, due: true };
            }
            Standing::Doubtful { until } => {
                self.unacked.lose_below(until, RepairReason::Timeout, |_| true);
                self.recovery.standing = Standing::Steady;
                self.restart_timer(now, context.config);
            }
        }
    }

    /// Gives flows up whose mobile has been silent for too long.
    pub(super) fn give_up<P: Payload>(&mut self, context: &Context<'_, P>) {
        let Standing::Stalled { since, .. } = self.recovery.standing else { return };
        if context.now - since > PATIENCE_WITH_MOBILE {
            let in_flight = |id: &&u32| !context.flows[**id].chain.is_empty();
            self.given_up.extend(self.members.iter().filter(in_flight).map(|&id| FlowId(id)));
        }
    }

    /// True if the mobile is heard of, but has been silent about a flow for too long, or has got
    /// nowhere with it.
    pub(super) fn is_dead<P: Payload>(&self, now: Time, flow: &Flow<P>) -> bool {
        let since = |at: Time| now.saturating_since(at.max(self.recovery.back_at));
        !self.recovery.is_stalled()
            && (since(flow.heard_at) > PATIENCE_WITH_FLOW
                || since(flow.moved_at) > PATIENCE_WITH_MOBILE)
    }

    /// What is to be sent before anything new.
    pub(super) fn repair(&mut self, config: &AtcpConfig) -> Repair {
        match self.recovery.standing {
            Standing::Stalled { due: false, .. } => Repair::Silence,
            Standing::Stalled { due: true, .. } => {
                self.unacked.remove_orphans(u64::MAX);
                let slot = self.unacked.first_lost().or(self.unacked.oldest());
                match slot.filter(|&slot| self.unacked.get(slot).transmissions <= PROBES) {
                    Some(slot) => Repair::Packet(slot, RepairReason::Timeout),
                    None => Repair::NewProbe(slot),
                }
            }
            Standing::Steady | Standing::Doubtful { .. } => {
                let Some(slot) = self.unacked.first_lost() else { return Repair::Nothing };
                let lost = self.unacked.get(slot);
                let in_flight = self.unacked.in_flight();
                if in_flight > 0 && in_flight + u64::from(lost.length) > self.cwnd(config) {
                    return Repair::Silence;
                }
                Repair::Packet(slot, lost.reason)
            }
        }
    }

    /// A packet left.
    pub(super) fn departed(&mut self, now: Time, config: &AtcpConfig) {
        if let Standing::Stalled { due, .. } = &mut self.recovery.standing {
            *due = false;
            self.recovery.timer = Some(now + self.timeout(config));
        }
        if self.recovery.timer.is_none() {
            self.recovery.timer = Some(now + self.timeout(config));
        }
    }
}
