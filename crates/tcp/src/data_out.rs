//! What the sending half sends next (RFC 9293 §3.8.6.2.1; RFC 5681 §3).

use base::{Ecn, Flags, Seq, Time};
use observe::{Observe, TcpFact};

use crate::recovery::Order;
use crate::scoreboard::{Fate, Sent};
use crate::{Payload, RttSampling, Sender, are_crumbs};

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
    pub fn poll_output<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
        if self.pacer.holds(now) {
            self.note_pacing();
            return None;
        }
        if std::mem::take(&mut self.resend) {
            // ns-2's Vegas takes the next segment for one that is lost, and then sends it in its
            // turn.
            if self.una == self.max {
                let departure = self.send_new(now, observe);
                self.nxt = self.una;
                return departure;
            }
            let offset = self.first_to_repair();
            return Some(self.send_again(now, offset, observe));
        }
        if let Some(departure) = self.send_probe(now, observe) {
            return Some(departure);
        }
        if self.nxt == self.max && self.nxt == self.una {
            self.restart_after_idle(now, observe);
        }
        let departure = if self.nxt < self.max {
            self.repeat(now, observe)
        } else {
            self.send_lost(now, observe).or_else(|| self.send_new(now, observe))
        };
        if departure.is_some() {
            self.persist.stop();
            return departure;
        }
        self.note_idleness();
        self.probe(now, observe)
    }

    /// Data wait for their time. A window that is spread over the round trip is what holds them
    /// back, or it would not grow while acknowledgements come before the next may leave.
    fn note_pacing(&mut self) {
        let waits = self.nxt < self.buffer.end() && self.nxt < self.peer_edge();
        self.window_limited |= waits && self.controller.pacing_rate().is_none();
    }

    /// Nothing could be sent: for want of data, if the window has room.
    fn note_idleness(&mut self) {
        if self.delivery.is_none() || self.nxt < self.buffer.end() {
            return;
        }
        let pipe = self.pipe();
        if let Some(delivery) = &mut self.delivery
            && pipe < self.allowance
        {
            delivery.on_nothing_to_send(pipe);
        }
    }

    /// The end of what congestion control and the configured window let fly.
    const fn window_edge(&self) -> u64 {
        self.una + self.allowance
    }

    fn peer_edge(&self) -> u64 {
        self.una + self.peer.size
    }

    /// The end of the stream with its FIN, once it is known.
    fn fin_end(&self) -> Option<u64> {
        self.closed.then(|| self.buffer.end() + 1)
    }

    /// What is sent at once on a loss: the lowest that is lost.
    pub(crate) fn first_to_repair(&mut self) -> u64 {
        self.board.next_lost().map_or(self.una, |lost| lost.offset)
    }

    /// A segment leaves: what repairs losses takes note.
    fn follow_departure(&mut self, now: Time, segment: &Sent) {
        self.recovery.on_departure(segment, u64::from(self.mss));
        if let Some(prr) = &mut self.prr {
            prr.on_sent(u64::from(segment.length));
        }
        if segment.transmissions == 1 {
            self.arm_probe(now);
        } else if let Some(doubt) = &mut self.doubt {
            doubt.on_resent(now, segment);
        }
    }

    /// What the scoreboard holds for lost comes first; then new data.
    fn send_lost<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
        let Order::Lost { pipe } = self.recovery.order(&self.board) else { return None };
        if self.frto_probes() {
            return None;
        }
        let &Sent { offset, length, .. } = self.board.next_lost()?;
        // A FIN takes no room.
        let data = (offset + u64::from(length)).min(self.buffer.end()).saturating_sub(offset);
        if pipe + data > self.allowance || offset >= self.peer_edge() {
            return None;
        }
        self.recovery.on_sent(offset, offset + u64::from(length));
        Some(self.send_again(now, offset, observe))
    }

    /// After going back: what had been sent before, in the same segments.
    fn repeat<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
        let segment = *self.board.at(self.nxt);
        let edge = self.window_edge().min(self.peer_edge());
        let fits =
            segment.end().min(self.buffer.end()) <= edge && segment.offset < self.peer_edge();
        if !fits {
            self.window_limited = segment.end() > self.window_edge();
            return None;
        }
        self.nxt = segment.end();
        Some(self.send_again(now, segment.offset, observe))
    }

    /// Sends the outstanding segment at `offset` once more. The last one, if it is short, is
    /// filled up with what has been written since: a window probe grows into a segment.
    pub(crate) fn send_again<O: Observe>(
        &mut self,
        now: Time,
        offset: u64,
        observe: &mut O,
    ) -> Departure<P> {
        let edge = self.window_edge().min(self.peer_edge());
        let full = (offset + u64::from(self.mss)).min(self.buffer.end()).min(edge);
        let &Sent { length, .. } = self.board.at(offset);
        let grown = offset + u64::from(length) == self.max && full > self.max;
        let length = if grown { (full - offset) as u32 } else { length };
        let segment = self.board.sent_again(now, offset, length);
        self.max = self.max.max(segment.end());
        if self.nxt > offset {
            self.nxt = self.nxt.max(segment.end());
        }
        self.depart(now, &segment, observe)
    }

    pub(crate) fn send_new<O: Observe>(
        &mut self,
        now: Time,
        observe: &mut O,
    ) -> Option<Departure<P>> {
        let length = self.sendable();
        let data_end = self.nxt + length;
        let fin = self
            .fin_end()
            .filter(|&end| data_end + 1 == end && self.nxt < end && end <= self.peer_edge());
        let end = fin.unwrap_or(data_end);
        if end == self.nxt {
            return None;
        }
        Some(self.send_first(now, end, observe))
    }

    /// Sends the numbers from `nxt` up to `end` for the first time.
    fn send_first<O: Observe>(&mut self, now: Time, end: u64, observe: &mut O) -> Departure<P> {
        let segment = Sent {
            offset: self.nxt,
            length: (end - self.nxt) as u32,
            transmissions: 1,
            fate: Fate::Flying,
            first_at: now,
            last_at: now,
        };
        self.board.push(segment);
        self.recovery.on_sent(self.nxt, end);
        if self.timed.is_none() && self.policy.rtt_sampling == RttSampling::OnePerWindow {
            self.timed = Some(end);
            self.timed_from = now;
        }
        self.nxt = end;
        self.max = end;
        self.depart(now, &segment, observe)
    }

    /// How many bytes of new data to send now: a full segment, or all there is, or as much as
    /// makes half of the largest window that the peer ever had (the silly window syndrome:
    /// RFC 9293 §3.8.6.2.1). With many small segments under way short ones wait as by Nagle's
    /// algorithm (§3.7.4).
    fn sendable(&mut self) -> u64 {
        let waiting = self.buffer.end().saturating_sub(self.nxt);
        let length = waiting.min(u64::from(self.mss));
        self.window_limited =
            if length > 0 { !self.congestion_allows(length) } else { self.lost_waits() };
        if length == 0 || self.window_limited {
            return 0;
        }
        let room = self.peer_edge().saturating_sub(self.nxt);
        if length <= room {
            return if self.waits_for_more(length) { 0 } else { length };
        }
        if room > 0 && room >= self.peer.largest / 2 { room } else { 0 }
    }

    /// True if `length` bytes are too few to leave before more is written or everything is
    /// acknowledged.
    pub(crate) fn waits_for_more(&self, length: u64) -> bool {
        let short = length < u64::from(self.mss) && !self.closed && self.una < self.max;
        let crumbs = || are_crumbs(self.board.len() + 1, self.max - self.una + length);
        short && (self.policy.nagle || crumbs())
    }

    /// True if something that is lost waits for room in the window.
    fn lost_waits(&mut self) -> bool {
        matches!(self.recovery.order(&self.board), Order::Lost { .. })
            && self.board.next_lost().is_some()
    }

    /// True if the congestion window and the configured one let `length` more bytes of new data
    /// fly.
    fn congestion_allows(&self, length: u64) -> bool {
        match self.recovery.order(&self.board) {
            Order::Stream => self.nxt + length <= self.window_edge(),
            Order::Lost { pipe } => {
                pipe + length <= self.allowance && self.nxt + length <= self.una + self.cap
            }
        }
    }

    /// Nothing else may go: when something waits and nothing is in flight, the peer's window is
    /// in the way, and from time to time a byte is sent all the same.
    fn probe<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
        let stream_end = self.fin_end().unwrap_or(self.buffer.end());
        if self.nxt > self.una || self.nxt == stream_end {
            self.persist.stop();
            return None;
        }
        let due = self.persist.take_due();
        self.persist.start(now, &self.rto);
        if !due {
            return None;
        }
        let room = self.peer.size.min(stream_end - self.nxt).min(u64::from(self.mss));
        let departure = if self.nxt < self.max {
            self.send_again(now, self.una, observe)
        } else if room > 0 {
            // RFC 9293 §3.8.6.2.1: the small segment that was not worth it must go after a while.
            return Some(self.send_first(now, self.nxt + room, observe));
        } else {
            self.send_first(now, self.nxt + 1, observe)
        };
        // It is not in flight: the persist timer, not the retransmission timer, waits for it.
        self.nxt = self.una;
        self.timer = None;
        self.timed = None;
        Some(departure)
    }

    fn restart_after_idle<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let idle =
            self.last_sent.is_some_and(|sent| now.saturating_since(sent) > self.rto.current());
        // Whom the peer's closed window held back had enough to send: no idleness, as in BSD.
        if !idle || self.nxt >= self.buffer.end() || self.persist.is_running() {
            return;
        }
        self.controller.on_idle(now);
        if self.policy.slow_start_restart {
            self.controller.on_restart(now);
        }
        self.update_window(now, observe);
    }

    fn depart<O: Observe>(&mut self, now: Time, segment: &Sent, observe: &mut O) -> Departure<P> {
        self.last_sent = Some(now);
        if let Some(pace) = self.pace() {
            self.pacer.on_sent(now, u64::from(segment.length), &pace);
        }
        if self.delivery.is_some() {
            let pipe = self.pipe();
            self.delivery.iter_mut().for_each(|delivery| delivery.on_sent(now, segment, pipe));
        }
        if self.timer.is_none() {
            self.timer = Some(now + self.rto.current());
        }
        self.follow_departure(now, segment);
        let data_end = segment.end().min(self.buffer.end());
        let mut flags = Flags::NONE;
        if segment.end() > self.buffer.end() {
            flags = flags | Flags::FIN;
        }
        if segment.offset < data_end {
            if data_end == self.buffer.end() {
                flags = flags | Flags::PSH;
            }
            let fact = TcpFact::Sent {
                offset: segment.offset,
                length: (data_end - segment.offset) as u32,
                transmission: u32::from(segment.transmissions),
            };
            observe.tcp(now, self.id, fact);
        }
        let payload = self.buffer.slice(segment.offset.min(data_end), data_end);
        let mut ecn = Ecn::NotCapable;
        if segment.transmissions == 1 && segment.offset < data_end {
            ecn = self.ecn.codepoint();
            if self.ecn.take_cwr() {
                flags = flags | Flags::CWR;
            }
        }
        Departure { seq: self.seq(segment.offset), flags, payload, ecn }
    }
}
