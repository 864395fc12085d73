//! Losses and stalls of an aggregate (§IV.E).
//!
//! *Losses.* What [`super::unacked`] finds lost is retransmitted at once; the window stays as it
//! is.
//!
//! *Patience.* Each flow delays its acknowledgements independently, so that a packet may be
//! acknowledged after three later ones of other flows although nothing is lost. The paper accepts
//! that risk; [`super::AtcpConfig::patience`] is how long a packet skipped often enough may still
//! be acknowledged before it counts as lost.
//!
//! *Stalls.* When nothing arrives for a conservative time, the radio has stalled: the window
//! becomes one packet, right edges stop, and after 1.5 round-trip times, or [`LEAST_PAUSE`] if that
//! is longer, a probe leaves: a packet that was already found lost if there is one, or else the one
//! that was sent longest ago. Each time it is a different one, since a mobile may be silent about
//! one connection only; once it has been retransmitted [`PROBES`] times, a new packet goes in its
//! place where one waits. ([`AtcpConfig::single_probe`] is the paper's rule: the same packet each
//! time.) The first acknowledgement restores everything. So does the end of the
//! connections of all that was in flight: nothing is left to probe with, the senders of others may
//! not send, and no answer will come.
//!
//! *Back-off.* The first eight intervals between probes are even, the paper's "linear back-off".
//! Then each is an eighth of the time since the stall began: they grow exponentially (RFC 1122
//! §4.2.3.1), but by an eighth where RFC 6298 §5.5 doubles them, since the paper wants "quick
//! detection". So the return of the radio is noticed after an eighth of the time that it was away,
//! a minute at most.
//!
//! *After a stall* what was in flight may be lost, or may only have waited in the network. If what
//! arrives was sent before the stall, it had only waited, and nothing more is retransmitted (F-RTO,
//! RFC 5682; Eifel, RFC 3522, with send times for timestamps). Otherwise up to `skip_threshold` new
//! packets are sent beyond the window: if they overtake what was in flight, that was lost. Where
//! there is nothing new to send, it is lost when nothing arrives for 1.5 round-trip times.
//!
//! Round-trip times of packets that were in flight during a stall are not measured: they include
//! the stall.

use std::collections::VecDeque;

use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};
use tcp::Payload;

use super::aggregate::{Acked, Aggregate, Context};
use super::config::AtcpConfig;
use super::flow::Flow;
use super::unacked::Slot;
use crate::FlowId;

/// How long a mobile may be silent, or acknowledge nothing new of a connection, before its
/// connections are given up (RFC 1122 §4.2.3.5: 100 s at least; as long as Linux' 15
/// retransmissions take).
const PATIENCE_WITH_MOBILE: Duration = Duration::from_secs(924);

/// How often a packet is retransmitted before a new packet may be the probe instead.
const PROBES: u32 = 3;

/// The minimum time between probes of a stall: over a fast link, 1.5 round-trip times would flood
/// it.
const LEAST_PAUSE: Duration = Duration::from_millis(100);

/// The maximum time between them, unless 1.5 round-trip times are longer (RFC 6298 §2.5).
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long it may be silent about one connection while it acknowledges others (RFC 1122 §4.2.3.5:
/// R2).
const PATIENCE_WITH_FLOW: Duration = Duration::from_secs(100);

/// Losses and stalls of an aggregate.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    state: RecoveryState,
    /// When the timer runs out.
    pub(super) timer: Option<Time>,
    /// Packets below each position count as lost at its time, unless they have arrived by then.
    doubts: VecDeque<(u64, Time)>,
    /// Orphans below this position have left the pipe by then.
    orphans_until: Option<(u64, Time)>,
    /// Packets below this position were sent before the last stall.
    stalled_from: u64,
    /// When the last stall ended.
    back_at: Time,
    /// Packets below this position were in flight during a stall.
    pub(super) timed_from: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum RecoveryState {
    /// Packets arrive.
    #[default]
    Steady,
    /// None has for long.
    Stalled {
        since: Time,
        /// True if a probe is to be sent now.
        due: bool,
        /// Probes sent so far.
        probes: u32,
    },
    /// One has arrived after a stall; packets at positions below `until` may be lost.
    Doubtful { until: u64 },
}

/// What to send before anything new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Repair {
    /// This packet again.
    Packet(Slot, RepairReason),
    /// A new packet as a probe, or else this one again.
    NewProbe(Option<Slot>),
    /// Nothing at all may be sent.
    Silence,
    /// There is nothing to repair.
    Nothing,
}

impl Recovery {
    pub(super) const fn is_stalled(&self) -> bool {
        matches!(self.state, RecoveryState::Stalled { .. })
    }

    /// True if what was sent at `position` was sent before the last stall.
    pub(super) const fn is_before_stall(&self, position: u64) -> bool {
        position < self.stalled_from
    }

    /// Probes sent in the present stall.
    pub(super) const fn stall_probes(&self) -> u32 {
        match self.state {
            RecoveryState::Stalled { probes, .. } => probes,
            RecoveryState::Steady | RecoveryState::Doubtful { .. } => 0,
        }
    }

    /// The next probe of a stall need not wait.
    pub(super) const fn hurry(&mut self) {
        if let RecoveryState::Stalled { due, .. } = &mut self.state {
            *due = true;
        }
    }

    /// Packets that may be sent beyond the window, to test for losses.
    pub(super) const fn tests(&self, config: &AtcpConfig) -> u32 {
        match self.state {
            RecoveryState::Doubtful { .. } => config.skip_threshold,
            RecoveryState::Steady | RecoveryState::Stalled { .. } => 0,
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
    /// The present timeout.
    ///
    /// §IV.E wants it "relatively conservative", so that only a stall makes it run out: it is no
    /// less than a configured minimum and the time in which a full window passes the radio at half
    /// its rate.
    pub(super) fn timeout(&self, now: Time, config: &AtcpConfig) -> Duration {
        let round_trip = self.round_trip.smoothed().unwrap_or(config.round_trip);
        let pause = (round_trip * 3 / 2).max(LEAST_PAUSE);
        match self.recovery.state {
            RecoveryState::Steady => {
                let least = config.min_rto.max(config.drain(self.estimator.clamp));
                self.round_trip.own_timeout().unwrap_or(Duration::ZERO).max(least)
            }
            RecoveryState::Stalled { since, .. } => {
                let lasted = now - since;
                let left = PATIENCE_WITH_MOBILE.saturating_sub(lasted);
                (lasted / 8).min(LONGEST_PAUSE).min(left).max(pause)
            }
            RecoveryState::Doubtful { .. } => pause,
        }
    }

    /// Something arrived at the mobile.
    pub(super) fn heard<P: Payload>(&mut self, cx: &mut Context<'_, P>, acked: &Acked) {
        let now = cx.now;
        self.unacked.remove_orphans(acked.beyond);
        if cx.config.patience == Duration::ZERO {
            self.skip_below(acked.bound, cx);
        } else if self.recovery.doubts.back().is_none_or(|&(bound, _)| bound < acked.bound) {
            self.recovery.doubts.push_back((acked.bound, now + cx.config.patience));
        }
        match self.recovery.state {
            RecoveryState::Stalled { .. } => self.recover(cx, acked.waited),
            RecoveryState::Doubtful { .. } if acked.waited => {
                self.recovery.state = RecoveryState::Steady;
            }
            RecoveryState::Steady | RecoveryState::Doubtful { .. } => {}
        }
        self.settle_doubt();
        self.restart_timer(now, cx.config);
    }

    /// Packets below `bound` have been skipped often enough to be lost. Of a flow without SACK only
    /// the first packet is known not to have arrived; its acknowledgement decides about the others
    /// (RFC 6582 §3.2, step 3). If those were retransmitted too, each that had arrived would bring
    /// a duplicate acknowledgement, which would be taken for another arrival. Packets that were in
    /// flight during a stall are all lost.
    fn skip_below<P: Payload>(&mut self, bound: u64, cx: &Context<'_, P>) {
        let (flows, timed_from) = (&*cx.flows, self.recovery.timed_from);
        self.unacked.lose_below(bound, RepairReason::Skipped, |sent| {
            let flow = &flows[sent.flow];
            flow.sack || flow.una == sent.offset || sent.position < timed_from
        });
    }

    /// The mobile answers again.
    fn recover<P: Payload>(&mut self, cx: &mut Context<'_, P>, waited: bool) {
        let until = self.unacked.next_position;
        self.recovery.timed_from = until;
        self.recovery.back_at = cx.now;
        self.recovery.state =
            if waited { RecoveryState::Steady } else { RecoveryState::Doubtful { until } };
        self.settle_doubt();
        (cx.watch)(MiddleboxFact::Recovered { mobile: self.mobile });
        for index in 0..self.members.len() {
            self.reopen_window(self.members[index], cx);
        }
    }

    /// Ends a stall, if there is one, although nothing was acknowledged: a handshake with the
    /// mobile has succeeded, so the radio works; or nothing is left that could be acknowledged.
    pub(super) fn end_stall<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        if self.recovery.is_stalled() {
            self.recover(cx, false);
            self.restart_timer(cx.now, cx.config);
        }
    }

    /// The doubt is over once nothing is left of what was in flight.
    fn settle_doubt(&mut self) {
        if let RecoveryState::Doubtful { until } = self.recovery.state {
            let oldest = self.unacked.oldest().map(|slot| self.unacked.get(slot).position);
            if oldest.is_none_or(|position| position >= until) {
                self.recovery.state = RecoveryState::Steady;
            }
        }
    }

    pub(super) fn restart_timer(&mut self, now: Time, config: &AtcpConfig) {
        let waits = self.unacked.oldest().is_some() || self.unacked.first_lost().is_some();
        self.recovery.timer = waits.then(|| now + self.timeout(now, config));
    }

    /// A connection has been removed. Its packets in flight have left the pipe after 1.5 round-trip
    /// times, whether or not a later arrival shows it.
    pub(super) fn await_orphans(&mut self, now: Time, config: &AtcpConfig) {
        if self.recovery.orphans_until.is_none() && self.unacked.has_orphans() {
            let round_trip = self.round_trip.smoothed().unwrap_or(config.round_trip) * 3 / 2;
            let due = now + round_trip.max(config.transmission(self.unacked.in_flight));
            self.recovery.orphans_until = Some((self.unacked.next_position, due));
        }
    }

    /// Time has passed.
    pub(super) fn expire<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        let now = cx.now;
        if let Some((bound, due)) = self.recovery.orphans_until
            && due <= now
        {
            self.recovery.orphans_until = None;
            self.unacked.remove_orphans(bound);
            self.await_orphans(now, cx.config);
        }
        while let Some(&(bound, due)) = self.recovery.doubts.front()
            && due <= now
        {
            self.recovery.doubts.pop_front();
            self.skip_below(bound, cx);
            self.settle_doubt();
        }
        if self.recovery.timer.is_some_and(|timer| timer <= now) {
            self.recovery.timer = None;
            self.run_out(cx);
        }
    }

    /// The timer ran out.
    fn run_out<P: Payload>(&mut self, cx: &mut Context<'_, P>) {
        let now = cx.now;
        match self.recovery.state {
            RecoveryState::Steady => {
                self.unacked.remove_orphans(u64::MAX);
                if self.unacked.oldest().or(self.unacked.first_lost()).is_none() {
                    return;
                }
                self.recovery.stalled_from = self.unacked.next_position;
                self.recovery.state = RecoveryState::Stalled { since: now, due: true, probes: 0 };
                self.note_stall(cx);
                self.repairs.timeouts += 1;
                self.estimator.interrupt();
                (cx.watch)(MiddleboxFact::Stalled { mobile: self.mobile });
            }
            RecoveryState::Stalled { .. } => self.recovery.hurry(),
            RecoveryState::Doubtful { until } => {
                self.unacked.lose_below(until, RepairReason::Timeout, |_| true);
                self.recovery.state = RecoveryState::Steady;
                self.restart_timer(now, cx.config);
            }
        }
    }

    /// Gives up flows whose mobile has been silent for too long.
    pub(super) fn give_up<P: Payload>(&mut self, cx: &Context<'_, P>) {
        let RecoveryState::Stalled { since, .. } = self.recovery.state else { return };
        if cx.now - since >= PATIENCE_WITH_MOBILE {
            let in_flight = |id: &&u32| !cx.flows[**id].chain.is_empty();
            self.given_up.extend(self.members.iter().filter(in_flight).map(|&id| FlowId(id)));
        }
    }

    /// True if the mobile answers, but has been silent about a flow or made no progress with it for
    /// too long.
    pub(super) fn is_dead<P: Payload>(&self, now: Time, flow: &Flow<P>) -> bool {
        let since = |at: Time| now.saturating_since(at.max(self.recovery.back_at));
        !self.recovery.is_stalled()
            && (since(flow.heard_at) > PATIENCE_WITH_FLOW
                || since(flow.moved_at) > PATIENCE_WITH_MOBILE)
    }

    /// What is to be sent before anything new.
    pub(super) fn repair(&mut self, config: &AtcpConfig) -> Repair {
        match self.recovery.state {
            RecoveryState::Stalled { due: false, .. } => Repair::Silence,
            RecoveryState::Stalled { due: true, probes, .. } => {
                self.unacked.remove_orphans(u64::MAX);
                if config.single_probe
                    && probes > 0
                    && let Some(slot) = self.unacked.newest()
                {
                    return Repair::Packet(slot, RepairReason::Timeout);
                }
                let slot = self.unacked.first_lost().or(self.unacked.oldest());
                match slot.filter(|&slot| self.unacked.get(slot).transmissions <= PROBES) {
                    Some(slot) => Repair::Packet(slot, RepairReason::Timeout),
                    None => Repair::NewProbe(slot),
                }
            }
            RecoveryState::Steady | RecoveryState::Doubtful { .. } => {
                let Some(slot) = self.unacked.first_lost() else { return Repair::Nothing };
                let lost = self.unacked.get(slot);
                let in_flight = self.in_flight();
                if in_flight > 0 && in_flight + u64::from(lost.length) > self.cwnd(config) {
                    return Repair::Silence;
                }
                Repair::Packet(slot, lost.reason)
            }
        }
    }

    /// A packet left.
    pub(super) fn departed(&mut self, now: Time, config: &AtcpConfig) {
        if let RecoveryState::Stalled { due, probes, .. } = &mut self.recovery.state {
            *due = false;
            *probes += 1;
            self.recovery.timer = Some(now + self.timeout(now, config));
        }
        if self.recovery.timer.is_none() {
            self.recovery.timer = Some(now + self.timeout(now, config));
        }
    }
}
