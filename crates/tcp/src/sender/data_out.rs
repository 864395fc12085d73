//! What the sending half sends next (RFC 9293 §3.8.6.2.1; RFC 5681 §3).

use base::{Ecn, Flags, Seq, Time};
use observe::{Context, Observe, TcpFact};

use super::Sender;
use crate::recovery::RepairOrder;
use crate::scoreboard::Sent;
use crate::{Nagle, Payload, are_tiny_segments};

/// What a sender hands out: a segment without the receiving half's part of the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure<P> {
    /// The number of its first byte.
    pub seq: Seq,
    /// PSH if it ends all that was written, FIN if it ends the stream.
    pub flags: Flags,
    /// The payload, empty for a FIN alone.
    pub payload: P,
    /// What its IP header says of congestion.
    pub ecn: Ecn,
}

impl<P: Payload> Sender<P> {
    /// The next segment to send now, if any.
    #[must_use]
    pub fn poll_output(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Departure<P>> {
        if self.pacer.holds(cx.now) {
            self.note_pacing();
            self.note_usage();
            self.tell_limit(cx, true);
            return None;
        }
        if self.buffer.take_resend() {
            // ns-2's Vegas considers the next segment lost, and then sends it in its turn.
            if self.buffer.outstanding() == 0 {
                let departure = self.send_new(cx);
                self.buffer.go_back();
                return departure;
            }
            let offset = self.buffer.first_to_repair();
            return Some(self.send_again(cx, offset));
        }
        if self.buffer.is_drained() {
            // As always where this side only receives: what there is not, no window holds back.
            self.window_limited = false;
        } else if let Some(departure) = self.send_next(cx) {
            self.persist.stop();
            return Some(departure);
        }
        self.note_idleness();
        self.note_usage();
        self.tell_limit(cx, false);
        self.probe(cx)
    }

    /// A probe, or what the windows let go: what was sent before, what is lost, or new data.
    fn send_next(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Departure<P>> {
        if let Some(departure) = self.send_probe(cx) {
            return Some(departure);
        }
        if self.buffer.outstanding() == 0 {
            self.restart_after_idle(cx);
        }
        if self.buffer.nxt() < self.buffer.max() {
            self.repeat(cx)
        } else {
            self.send_lost(cx).or_else(|| self.send_new(cx))
        }
    }

    /// Data wait for the pacer. This counts as limited by the window, or the window would not grow
    /// while acknowledgements come before the next segment may leave.
    fn note_pacing(&mut self) {
        let nxt = self.buffer.nxt();
        let waits = nxt < self.buffer.end() && nxt < self.peer_edge();
        let is_of_window =
            self.controller.pacing_rate().is_none() || self.controller.paces_window();
        self.window_limited |= waits && is_of_window;
    }

    fn note_usage(&mut self) {
        self.usage.note(self.buffer.una(), self.buffer.nxt(), self.window_limited);
    }

    /// Nothing could be sent: for lack of data, if the window has room.
    fn note_idleness(&mut self) {
        if self.delivery.is_none() || self.buffer.nxt() < self.buffer.end() {
            return;
        }
        let pipe = self.pipe();
        if let Some(delivery) = &mut self.delivery
            && pipe < self.allowance
        {
            delivery.on_nothing_to_send(pipe);
        }
    }

    /// The end of what congestion control and the configured window allow in flight.
    const fn window_edge(&self) -> u64 {
        self.buffer.una() + self.allowance
    }

    /// A segment leaves: loss recovery records it.
    fn follow_departure(&mut self, now: Time, segment: &Sent) {
        self.recovery.on_departure(segment, u64::from(self.mss));
        if let Some(prr) = &mut self.prr {
            prr.on_sent(u64::from(segment.length));
        }
        if segment.transmissions == 1 {
            self.arm_probe(now);
        } else if let Some(spurious) = &mut self.spurious {
            spurious.on_resent(now, segment);
        }
    }

    /// What the scoreboard considers lost comes first; then new data.
    fn send_lost(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Departure<P>> {
        let RepairOrder::Lost { pipe } = self.order() else { return None };
        if self.spurious.as_ref().is_some_and(|spurious| spurious.probes()) {
            return None;
        }
        let &Sent { offset, length, .. } = self.buffer.board.next_lost()?;
        // A FIN takes no room.
        let data = (offset + u64::from(length)).min(self.buffer.end()).saturating_sub(offset);
        if pipe + data > self.allowance || offset >= self.peer_edge() {
            return None;
        }
        self.recovery.on_sent(offset, offset + u64::from(length));
        Some(self.send_again(cx, offset))
    }

    /// After going back: what had been sent before, in the same segments.
    fn repeat(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Departure<P>> {
        let segment = *self.buffer.board.at(self.buffer.nxt());
        let edge = self.window_edge().min(self.peer_edge());
        let fits =
            segment.end().min(self.buffer.end()) <= edge && segment.offset < self.peer_edge();
        if !fits {
            self.window_limited = segment.end() > self.window_edge();
            return None;
        }
        self.buffer.go_on_from(segment.end());
        Some(self.send_again(cx, segment.offset))
    }

    /// Sends the outstanding segment at `offset` once more.
    pub(super) fn send_again(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        offset: u64,
    ) -> Departure<P> {
        let edge = self.window_edge().min(self.peer_edge());
        let segment = self.buffer.send_again(cx.now, offset, self.mss, edge);
        self.depart(cx, &segment)
    }

    pub(super) fn send_new(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Departure<P>> {
        let data_end = self.buffer.nxt() + self.sendable();
        let fin = self.is_closed() && data_end == self.buffer.end() && data_end < self.peer_edge();
        let end = data_end + u64::from(fin);
        (end > self.buffer.nxt()).then(|| self.send_first(cx, end))
    }

    /// Sends the numbers from the next up to `end` for the first time.
    fn send_first(&mut self, cx: &mut Context<'_, impl Observe>, end: u64) -> Departure<P> {
        let segment = self.buffer.send_first(cx.now, end);
        if segment.length < self.mss {
            self.short_end = end;
        }
        self.recovery.on_sent(segment.offset, end);
        self.timer.time(cx.now, end);
        self.depart(cx, &segment)
    }

    /// How many bytes of new data to send now: a full segment, or all there is, or as much as
    /// makes half of the largest window that the peer ever had (the silly window syndrome:
    /// RFC 9293 §3.8.6.2.1). With many small segments under way short ones wait as by Nagle's
    /// algorithm (§3.7.4).
    fn sendable(&mut self) -> u64 {
        let waiting = self.buffer.end().saturating_sub(self.buffer.nxt());
        let length = waiting.min(u64::from(self.mss));
        self.window_limited =
            if length > 0 { !self.congestion_allows(length) } else { self.lost_waits() };
        if length == 0 || self.window_limited {
            return 0;
        }
        let room = self.peer_edge().saturating_sub(self.buffer.nxt());
        if length <= room {
            return if self.waits_for_more(length) { 0 } else { length };
        }
        if room > 0 && room >= self.peer.largest() / 2 { room } else { 0 }
    }

    /// True if `length` bytes are too few to leave before more is written or what is in flight is
    /// acknowledged.
    pub(super) fn waits_for_more(&self, length: u64) -> bool {
        let outstanding = self.buffer.outstanding();
        let short = length < u64::from(self.mss) && !self.is_closed() && outstanding > 0;
        let are_tiny = || are_tiny_segments(self.buffer.board.len() + 1, outstanding + length);
        let held = match self.config.nagle {
            Nagle::Off => false,
            Nagle::Classic => true,
            Nagle::Minshall => self.short_end > self.buffer.una(),
        };
        short && ((held && !self.no_delay) || are_tiny())
    }

    /// True if something that is lost waits for room in the window.
    pub(super) fn lost_waits(&mut self) -> bool {
        matches!(self.order(), RepairOrder::Lost { .. }) && self.buffer.board.next_lost().is_some()
    }

    /// True if the congestion window and the configured one allow `length` more bytes of new data
    /// in flight.
    fn congestion_allows(&self, length: u64) -> bool {
        match self.order() {
            RepairOrder::Stream => self.in_flight() + length <= self.allowance,
            RepairOrder::Lost { pipe } => {
                pipe + length <= self.allowance && self.in_flight() + length <= self.cap
            }
        }
    }

    /// Nothing else may be sent: when something waits and nothing is in flight, the peer's window
    /// prevents it, and is probed with a byte from time to time.
    fn probe(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Departure<P>> {
        let waiting = self.buffer.stream_end() - self.buffer.nxt();
        if self.in_flight() > 0 || waiting == 0 {
            self.persist.stop();
            return None;
        }
        let due = self.persist.take_due();
        self.persist.start(cx.now, &self.timer);
        if !due {
            return None;
        }
        let room = self.peer.size().min(waiting).min(u64::from(self.mss));
        let departure = if self.buffer.outstanding() > 0 {
            self.send_again(cx, self.buffer.una())
        } else if room > 0 {
            // RFC 9293 §3.8.6.2.1: a small segment that was held back must be sent after a while.
            return Some(self.send_first(cx, self.buffer.nxt() + room));
        } else {
            self.send_first(cx, self.buffer.nxt() + 1)
        };
        // It is not in flight: the persist timer, not the retransmission timer, waits for it.
        self.go_back();
        self.timer.stop();
        Some(departure)
    }

    fn restart_after_idle(&mut self, cx: &mut Context<'_, impl Observe>) {
        let idle =
            self.last_sent.is_some_and(|sent| cx.now.saturating_since(sent) > self.timer.current());
        // A sender held back by the peer's closed window was not idle, as in BSD.
        if !idle || self.buffer.nxt() >= self.buffer.end() || self.persist.is_running() {
            return;
        }
        self.controller.on_idle(cx.now);
        if self.config.slow_start_restart {
            self.controller.on_restart(cx.now);
        }
        self.update_window(cx);
    }

    fn depart(&mut self, cx: &mut Context<'_, impl Observe>, segment: &Sent) -> Departure<P> {
        self.last_sent = Some(cx.now);
        if let Some(pace) = self.pace() {
            self.pacer.on_sent(cx.now, u64::from(segment.length), &pace);
        }
        if self.delivery.is_some() {
            let pipe = self.pipe();
            self.delivery.iter_mut().for_each(|delivery| delivery.on_sent(cx.now, segment, pipe));
        }
        self.timer.start(cx.now);
        self.follow_departure(cx.now, segment);
        let (payload, mut flags) = self.buffer.contents(segment);
        let length = payload.length() as u32;
        let mut ecn = Ecn::NotCapable;
        if length > 0 {
            let transmission = u32::from(segment.transmissions);
            let fact = TcpFact::Sent { offset: segment.offset, length, transmission };
            cx.tcp(self.id, fact);
            if segment.transmissions == 1 {
                ecn = self.ecn.codepoint();
                if self.ecn.take_cwr() {
                    flags = flags | Flags::CWR;
                }
            }
        }
        Departure { seq: self.buffer.seq(segment.offset), flags, payload, ecn }
    }
}
