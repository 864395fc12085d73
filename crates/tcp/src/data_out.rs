//! What the sending half sends next (RFC 9293 §3.8.6.2.1; RFC 5681 §3).

use base::{Flags, Observe, Seq, TcpFact, Time};

use crate::sent::Sent;
use crate::{Payload, RttSampling, Sender};

/// What a sender hands out: a segment without the receiving half's part of the header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Departure<P> {
    /// The number of its first byte.
    pub seq: Seq,
    /// PSH if it ends all that was written, FIN if it ends the stream.
    pub flags: Flags,
    /// The payload, empty for a FIN alone.
    pub payload: P,
}

impl<P: Payload> Sender<P> {
    /// The next segment to send now, if any.
    #[must_use]
    pub fn poll_output<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
        if std::mem::take(&mut self.resend) {
            return Some(self.send_again(now, self.una, observe));
        }
        if self.nxt == self.max && self.nxt == self.una {
            self.restart_after_idle(now, observe);
        }
        let departure = if self.nxt < self.max {
            self.repeat(now, observe)
        } else {
            self.send_new(now, observe)
        };
        if departure.is_some() {
            self.persist.stop();
            return departure;
        }
        self.probe(now, observe)
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

    /// After a timeout: what had been sent before, in the same segments.
    fn repeat<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
        let segment = *self.outstanding.at(self.nxt);
        let edge = self.window_edge().min(self.peer_edge());
        let fits =
            segment.end().min(self.buffer.end()) <= edge && segment.offset < self.peer_edge();
        if !fits {
            return None;
        }
        self.nxt = segment.end();
        Some(self.send_again(now, segment.offset, observe))
    }

    /// Sends the outstanding segment at `offset` once more. The last one, if it is short, is
    /// filled up with what has been written since: a window probe grows into a segment.
    fn send_again<O: Observe>(&mut self, now: Time, offset: u64, observe: &mut O) -> Departure<P> {
        let edge = self.window_edge().min(self.peer_edge());
        let full = (offset + u64::from(self.mss)).min(self.buffer.end()).min(edge);
        let last = self.max;
        let segment = self.outstanding.at(offset);
        if segment.end() == last && full > last {
            segment.length = (full - offset) as u32;
        }
        segment.sent_again(now);
        let segment = *segment;
        self.max = self.max.max(segment.end());
        if self.nxt > offset {
            self.nxt = self.nxt.max(segment.end());
        }
        self.depart(now, &segment, observe)
    }

    fn send_new<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Departure<P>> {
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
            first_at: now,
            last_at: now,
        };
        self.outstanding.push(segment);
        if self.timed.is_none() && self.policy.rtt_sampling == RttSampling::OnePerWindow {
            self.timed = Some((end, now));
        }
        self.nxt = end;
        self.max = end;
        self.depart(now, &segment, observe)
    }

    /// How many bytes of new data to send now: a full segment, or all there is, or as much as
    /// makes half of the largest window that the peer ever had (the silly window syndrome:
    /// RFC 9293 §3.8.6.2.1).
    fn sendable(&self) -> u64 {
        let waiting = self.buffer.end().saturating_sub(self.nxt);
        let length = waiting.min(u64::from(self.mss));
        if length == 0 || self.nxt + length > self.window_edge() {
            return 0;
        }
        let room = self.peer_edge().saturating_sub(self.nxt);
        if length <= room {
            let held = length < u64::from(self.mss)
                && self.policy.nagle
                && !self.closed
                && self.una < self.max;
            return if held { 0 } else { length };
        }
        if room > 0 && room >= self.peer.largest / 2 { room } else { 0 }
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
        if self.policy.slow_start_restart && idle && self.nxt < self.buffer.end() {
            self.controller.on_idle();
            self.update_window(now, observe);
        }
    }

    fn depart<O: Observe>(&mut self, now: Time, segment: &Sent, observe: &mut O) -> Departure<P> {
        self.last_sent = Some(now);
        if self.timer.is_none() {
            self.timer = Some(now + self.rto.current());
        }
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
                transmission: segment.transmissions,
            };
            observe.tcp(now, self.id, fact);
        }
        let payload = self.buffer.slice(segment.offset.min(data_end), data_end);
        Departure { seq: self.seq(segment.offset), flags, payload }
    }
}
