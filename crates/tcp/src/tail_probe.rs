//! The tail loss probe (RFC 8985 §7): when the last segments of a flight are lost, nothing that
//! arrives later tells of it, and a probe brings news before the retransmission timer runs out.

use base::{Duration, Time};
use cc::{Loss, LossKind};
use observe::Observe;

use crate::ack_in::Acknowledgement;
use crate::data_out::Departure;
use crate::recovery::Recovery;
use crate::{Payload, Sender};

/// RFC 8985 §7.2, `TLP.max_ack_delay`: how long a peer may hold the acknowledgement of a single
/// segment back, as common implementations do.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

/// The timeout before any round-trip time is known (RFC 8985 §7.2).
const INITIAL: Duration = Duration::from_secs(1);

/// A probe, to be sent or on its way.
#[derive(Debug, Default)]
pub(crate) struct TailProbe {
    deadline: Option<Time>,
    /// True if it is to be sent at once.
    due: bool,
    flying: Option<Flying>,
    /// True until a round-trip time is measured after the last probe (RFC 8985 §7.3).
    unmeasured: bool,
}

#[derive(Clone, Copy, Debug)]
struct Flying {
    /// `TLP.end_seq`: what had been sent when the probe had.
    end: u64,
    content: Content,
}

/// `TLP.is_retrans`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    NewData,
    LastSegment,
}

/// What an acknowledgement tells of a probe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ProbeNews {
    Nothing,
    /// The probe repaired a loss that nothing else told of.
    RepairedLoss,
}

impl TailProbe {
    pub(crate) const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Everything in doubt is dealt with in another way.
    pub(crate) const fn cancel(&mut self) {
        self.deadline = None;
        self.flying = None;
    }

    pub(crate) const fn on_round_trip(&mut self) {
        self.unmeasured = false;
    }

    const fn may_start(&self) -> bool {
        self.flying.is_none() && !self.unmeasured
    }

    /// RFC 8985 §7.4.2: `TLP_process_ack`.
    fn on_ack(&mut self, una: u64, sign: Sign) -> ProbeNews {
        let Some(Flying { end, content }) = self.flying.filter(|flying| una >= flying.end) else {
            return ProbeNews::Nothing;
        };
        let arrived_twice = match sign {
            Sign::Twice(twice) => twice == end,
            Sign::Bare => una == end,
            Sign::None => false,
        };
        match content {
            Content::NewData => self.flying = None,
            Content::LastSegment if arrived_twice => self.flying = None,
            Content::LastSegment if una > end => {
                self.flying = None;
                return ProbeNews::RepairedLoss;
            }
            Content::LastSegment => {}
        }
        ProbeNews::Nothing
    }
}

/// How an acknowledgement may tell that a probe arrived beside what it repeated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    None,
    /// It reports a duplicate that ends there (RFC 2883).
    Twice(u64),
    /// It says nothing at all.
    Bare,
}

impl<P: Payload> Sender<P> {
    /// RFC 8985 §7.2: new data left, or something was acknowledged. While losses are repaired, or
    /// selections tell of one, there is no need to probe.
    pub(crate) fn arm_probe(&mut self, now: Time) {
        let Recovery::Rack(rack) = &mut self.recovery else { return };
        let needed = rack.tail.may_start()
            && !rack.is_repairing()
            && self.board.forward_most().is_none()
            && self.nxt > self.una;
        rack.tail.due = false;
        if !needed {
            rack.tail.deadline = None;
            return;
        }
        let alone = self.nxt - self.una <= u64::from(self.mss);
        let patience = if alone { MAX_ACK_DELAY } else { Duration::ZERO };
        let wait = self.rto.smoothed().map_or(INITIAL, |srtt| srtt * 2 + patience);
        rack.tail.deadline = Some(self.timer.map_or(now + wait, |timer| timer.min(now + wait)));
    }

    /// Time has passed: RACK's reordering timer (RFC 8985 §6.2 step 5) and the probe's (§7.3),
    /// which the retransmission timer starts anew for.
    pub(crate) fn early_timeout<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let Recovery::Rack(rack) = &mut self.recovery else { return };
        let reordering = rack.is_due(now);
        if rack.tail.deadline.is_some_and(|deadline| deadline <= now) {
            rack.tail.deadline = None;
            rack.tail.due = self.nxt > self.una;
            self.restart_timer(now);
        }
        if reordering {
            self.look_again(now, observe);
        }
    }

    fn look_again<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let Recovery::Rack(rack) = &mut self.recovery else { return };
        let verdict = rack.detect(now, self.max, u64::from(self.mss), &mut self.board);
        self.tell_losses(now);
        self.follow(verdict, now, observe);
        self.update_window(now, observe);
    }

    /// RFC 8985 §7.3: a probe that is due carries new data, whatever the congestion window says,
    /// or else the last segment once more.
    pub(crate) fn send_probe<O: Observe>(
        &mut self,
        now: Time,
        observe: &mut O,
    ) -> Option<Departure<P>> {
        let Recovery::Rack(rack) = &mut self.recovery else { return None };
        if !std::mem::take(&mut rack.tail.due) || rack.is_repairing() {
            return None;
        }
        let allowance = std::mem::replace(&mut self.allowance, u64::MAX / 2);
        let fresh = self.send_new(now, observe);
        self.allowance = allowance;
        let content = if fresh.is_some() { Content::NewData } else { Content::LastSegment };
        let departure = match fresh {
            Some(departure) => departure,
            None => self.send_again(now, self.board.last()?.offset, observe),
        };
        let end = self.max;
        if let Recovery::Rack(rack) = &mut self.recovery {
            rack.tail.deadline = None;
            rack.tail.flying = Some(Flying { end, content });
            rack.tail.unmeasured = true;
        }
        Some(departure)
    }

    /// What an acknowledgement of everything below `una` tells of a probe; `twice` is what it
    /// reports as duplicate. A loss that the probe repaired is one all the same (RFC 8985 §7.4.2).
    pub(crate) fn hear_of_probe(
        &mut self,
        now: Time,
        una: u64,
        arrival: &Acknowledgement,
        twice: Option<[u64; 2]>,
    ) {
        let Recovery::Rack(rack) = &mut self.recovery else { return };
        let bare = una == self.una && arrival.pure && arrival.sack.is_empty();
        let sign = match twice {
            Some([_, end]) => Sign::Twice(end),
            None if bare => Sign::Bare,
            None => Sign::None,
        };
        match rack.tail.on_ack(una, sign) {
            ProbeNews::Nothing => {}
            ProbeNews::RepairedLoss => {
                self.ecn.on_reduction(self.max);
                self.controller.on_loss(&Loss {
                    now,
                    kind: LossKind::DuplicateAcks,
                    in_flight: self.in_flight(),
                    sent: now,
                    transmissions: 1,
                });
            }
        }
    }
}
