//! The timers of RACK-TLP (RFC 8985): for reordering, and for a probe of the tail.

use base::Time;
use cc::LossKind;
use observe::{Context, Observe};

use super::{Acknowledgement, Departure, Sender};
use crate::Payload;
use crate::recovery::tail_probe::{self, Content, Sign};

impl<P: Payload> Sender<P> {
    /// RFC 8985 §7.2: new data left, or something was acknowledged. While losses are repaired, or
    /// selections reveal one, there is no need to probe.
    pub(super) fn arm_probe(&mut self, now: Time) {
        let Some(rack) = self.recovery.rack() else { return };
        let in_flight = self.buffer.in_flight();
        let selected = self.buffer.board.forward_most().is_some();
        if in_flight == 0 || selected || rack.is_repairing() {
            rack.tail.disarm();
            return;
        }
        // A FIN takes a number, but no segment of its own where it goes with data.
        let alone = self.buffer.board.len() == 1;
        let wait = tail_probe::timeout(self.timer.smoothed(), alone);
        rack.tail.arm(now + wait, self.timer.deadline());
    }

    /// Time has passed: RACK's reordering timer (RFC 8985 §6.2 step 5) and the probe's (§7.3),
    /// which restarts the retransmission timer.
    pub(super) fn early_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        let Some(rack) = self.recovery.rack() else { return };
        let reordering = rack.is_due(cx.now);
        if rack.tail.handle_timeout(cx.now, self.buffer.in_flight()) {
            self.restart_timer(cx.now);
        }
        if reordering {
            self.look_again(cx);
        }
    }

    fn look_again(&mut self, cx: &mut Context<'_, impl Observe>) {
        let Some(rack) = self.recovery.rack() else { return };
        let (max, mss) = (self.buffer.max(), u64::from(self.mss));
        let action = rack.detect(cx.now, max, mss, &mut self.buffer.board);
        self.tell_losses(cx.now);
        self.follow(cx, action);
        self.update_window(cx);
    }

    /// RFC 8985 §7.3: a probe that is due carries new data, whatever the congestion window says,
    /// or else the last segment once more.
    pub(super) fn send_probe(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
    ) -> Option<Departure<P>> {
        let rack = self.recovery.rack()?;
        if !rack.tail.take_due() || rack.is_repairing() {
            return None;
        }
        let allowance = std::mem::replace(&mut self.allowance, u64::MAX / 2);
        let fresh = self.send_new(cx);
        self.allowance = allowance;
        let content = if fresh.is_some() { Content::NewData } else { Content::LastSegment };
        let departure = match fresh {
            Some(departure) => departure,
            None => self.send_again(cx, self.buffer.board.last()?.offset),
        };
        if let Some(rack) = self.recovery.rack() {
            rack.tail.on_sent(self.buffer.max(), content);
        }
        Some(departure)
    }

    /// What an acknowledgement of everything below `una` shows about a probe; `twice` is what it
    /// reports as duplicate. A loss that the probe repaired counts all the same (RFC 8985 §7.4.2).
    pub(super) fn hear_of_probe(
        &mut self,
        now: Time,
        una: u64,
        arrival: &Acknowledgement,
        twice: Option<[u64; 2]>,
    ) {
        let Some(rack) = self.recovery.rack() else { return };
        let bare = una == self.buffer.una() && arrival.pure && arrival.sack.is_empty();
        let sign = match twice {
            Some([_, end]) => Sign::Twice(end),
            None if bare => Sign::Bare,
            None => Sign::None,
        };
        if rack.tail.on_ack(una, sign) {
            self.tell_loss(now, LossKind::DuplicateAcks, now, 1);
        }
    }
}
