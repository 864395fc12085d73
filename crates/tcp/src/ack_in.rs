//! What an acknowledgement does to the sending half (RFC 9293 §3.10.7.4, fifth check).

use base::{Duration, Observe, RttSample, Seq, TcpFact, Time};
use cc::Ack;

use crate::recovery::{Standing, Verdict};
use crate::sent::Sent;
use crate::{Payload, RttSampling, Sender};

/// The acknowledgement and the window of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acknowledgement {
    /// The segment's own sequence number.
    pub seq: Seq,
    /// The next number that the peer expects.
    pub ack: Seq,
    /// The peer's window in bytes, scaled.
    pub window: u64,
    /// True if the segment carries nothing else: only then can it count as a duplicate
    /// (RFC 5681 §2).
    pub pure: bool,
}

/// What became of an acknowledgement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AckOutcome {
    /// It was taken in, or was harmlessly old.
    Accepted,
    /// It is about something never sent, or older than any window (RFC 5961 §5): answer with an
    /// acknowledgement and look no further.
    Unacceptable,
}

impl<P: Payload> Sender<P> {
    /// The peer acknowledged.
    pub fn handle_ack<O: Observe>(
        &mut self,
        now: Time,
        arrival: &Acknowledgement,
        observe: &mut O,
    ) -> AckOutcome {
        let ahead = i64::from(arrival.ack.distance(self.seq(self.una)));
        let sent = (self.max - self.una) as i64;
        if ahead > sent || ahead < -(self.peer.largest as i64) {
            return AckOutcome::Unacceptable;
        }
        if ahead < 0 {
            return AckOutcome::Accepted;
        }
        let same_window = arrival.window == self.peer.size;
        self.update_peer_window(arrival);
        if ahead > 0 {
            self.new_ack(now, self.una + ahead as u64, observe);
        } else if arrival.pure && same_window && self.nxt > self.una {
            self.duplicate_ack(now, observe);
        }
        AckOutcome::Accepted
    }

    /// The window of the newest segment counts (RFC 9293 §3.10.7.4: by its number, then by its
    /// acknowledgement). An acknowledgement of something new is newer than all before it, even on
    /// a segment that was sent again and whose number is old.
    fn update_peer_window(&mut self, arrival: &Acknowledgement) {
        let newer = self.peer.source.is_none_or(|(seq, ack)| {
            ack.before(arrival.ack)
                || seq.before(arrival.seq)
                || (seq == arrival.seq && ack == arrival.ack)
        });
        if newer {
            self.peer.source = Some((arrival.seq, arrival.ack));
            self.peer.size = arrival.window;
            self.peer.largest = self.peer.largest.max(arrival.window);
        }
    }

    fn new_ack<O: Observe>(&mut self, now: Time, una: u64, observe: &mut O) {
        let data_end = una.min(self.buffer.end());
        let acked = data_end - self.una.min(data_end);
        self.una = una;
        self.nxt = self.nxt.max(una);
        self.buffer.drop_below(una);
        self.timeouts = 0;
        self.resend = false;
        let rtt = self.take_acknowledged(now, observe);
        if acked > 0 {
            observe.tcp(now, self.id, TcpFact::Acked { offset: data_end });
        }
        self.sample_rto(now, rtt);
        let standing = Standing { now, una, max: self.max, oldest: self.outstanding.oldest() };
        let verdict = self.recovery.on_new_ack(&standing, rtt);
        if acked > 0 {
            self.controller.on_ack(&Ack { now, acked, una, nxt: self.nxt, rtt });
        }
        self.restart_timer(now);
        self.follow(verdict, now, observe);
        self.update_window(now, observe);
    }

    fn duplicate_ack<O: Observe>(&mut self, now: Time, observe: &mut O) {
        let standing =
            Standing { now, una: self.una, max: self.max, oldest: self.outstanding.oldest() };
        let verdict = self.recovery.on_duplicate_ack(&standing);
        self.follow(verdict, now, observe);
        self.update_window(now, observe);
    }

    fn follow<O: Observe>(&mut self, verdict: Verdict, now: Time, observe: &mut O) {
        match verdict {
            Verdict::Wait => return,
            Verdict::Retransmit(kind) => {
                self.lose(now, kind);
                self.timed = None;
                self.restart_timer(now);
            }
            Verdict::Repair => {}
        }
        self.resend = true;
        observe.tcp(now, self.id, TcpFact::FastRetransmit { offset: self.una });
    }

    /// Takes what is acknowledged off the list; the round-trip time is that of the newest
    /// segment, if it was sent once.
    fn take_acknowledged<O: Observe>(&mut self, now: Time, observe: &mut O) -> Option<Duration> {
        let mut newest = None;
        while let Some(segment) = self.outstanding.pop_below(self.una) {
            newest = round_trip(&segment, now);
            if O::ON
                && segment.offset < self.buffer.end()
                && let Some(rtt) = newest
            {
                let sample = RttSample { offset: segment.offset, rtt };
                observe.tcp(now, self.id, TcpFact::Rtt(sample));
            }
        }
        newest
    }

    fn sample_rto(&mut self, now: Time, newest: Option<Duration>) {
        let sample = match self.policy.rtt_sampling {
            RttSampling::EverySegment => newest,
            RttSampling::OnePerWindow => {
                let timed = self.timed.filter(|&(end, _)| end <= self.una);
                timed.map(|(_, sent)| {
                    self.timed = None;
                    now - sent
                })
            }
        };
        if let Some(rtt) = sample {
            self.rto.sample(rtt);
        }
    }
}

/// Karn's algorithm: a segment sent again tells no round-trip time.
fn round_trip(segment: &Sent, now: Time) -> Option<Duration> {
    (segment.transmissions == 1).then(|| now - segment.first_at)
}
