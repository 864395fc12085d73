//! What arriving data do to the receiving half (RFC 9293 §3.10.7.4, seventh check; RFC 5681
//! §4.2).

use base::{Ecn, Seq, Time};
use observe::{Context, Observe, TcpFact};

use crate::receiver::AckDue;
use crate::{Payload, Receiver};

/// The part of a segment that concerns the receiving half.
#[derive(Clone, Debug, Default)]
pub struct Arrival<P> {
    /// The number of its first byte.
    pub seq: Seq,
    /// The payload.
    pub payload: P,
    /// True if a FIN follows the payload.
    pub fin: bool,
    /// What the IP header said of congestion.
    pub ecn: Ecn,
    /// True if the peer says that it reduced its window (RFC 3168 §6.1.2).
    pub cwr: bool,
}

impl<P: Payload> Receiver<P> {
    /// Takes in data, a FIN, or both.
    pub fn handle_data(&mut self, cx: &mut Context<'_, impl Observe>, arrival: &Arrival<P>) {
        let length = arrival.payload.length();
        if length == 0 && !arrival.fin {
            return;
        }
        let before = self.next();
        let start = before as i64 + i64::from(arrival.seq.distance(self.first + before as u32));
        let end = start + length as i64;
        let from = start.max(before as i64) as u64;
        let to = end.min(self.edge as i64).max(from as i64) as u64;
        let gap = !self.early.is_empty();
        self.twice = self.duplicate(start, end);
        let fresh = if from < to {
            let skip = (from as i64 - start) as u64;
            self.keep(from, arrival.payload.keep(skip, skip + (to - from)))
        } else {
            0
        };
        if arrival.fin && end >= 0 && end as u64 <= self.edge.max(before) {
            self.fin.get_or_insert(end as u64);
        }
        if length > 0 {
            let fact = TcpFact::Data {
                offset: start.max(0) as u64,
                length: length as u32,
                fresh: fresh as u32,
                delivered: self.next(),
            };
            cx.tcp(self.id, fact);
            // The length of several segments is not that of one.
            if !self.is_run(length) {
                self.largest = self.largest.max(length as u32);
            }
            self.note_congestion(arrival);
        }
        if self.next() > before {
            self.open_further(length);
        }
        self.unacknowledged += self.next() - before;
        let in_order = self.next() > before && !gap && self.twice.is_none() && !self.is_at_fin();
        let due = if in_order { self.in_order_ack(cx.now) } else { self.out_of_order_ack(before) };
        self.ack = self.ack.or_sooner(due);
    }

    /// Keeps fresh bytes, in order or for later; says how many were new.
    fn keep(&mut self, from: u64, payload: P) -> u64 {
        if from > self.next() {
            return self.early.insert(from, &payload);
        }
        let to = from + payload.length();
        let held = if self.early.is_empty() { 0 } else { self.early.held(from, to) };
        self.ready.push(payload);
        while !self.early.is_empty()
            && let Some(next) = self.early.take_at(self.next())
        {
            self.ready.push(next);
        }
        to - from - held
    }

    /// RFC 9293 §3.8.6.3: at once for every second full segment, else after the delay. A receiver
    /// that offloads waits for what else the instant brings.
    fn in_order_ack(&self, now: Time) -> AckDue {
        match self.delay {
            Some(delay) if self.unacknowledged < 2 * u64::from(self.largest) => {
                AckDue::At(now + delay)
            }
            _ if self.offloads => AckDue::At(now),
            _ => AckDue::Now,
        }
    }

    /// RFC 5681 §4.2: acknowledge at once what leaves a gap, fills one, or had come before. Where
    /// RCV.NXT does not move, the acknowledgement must count as a duplicate; and full segments have
    /// no room for SACK blocks.
    fn out_of_order_ack(&self, before: u64) -> AckDue {
        let moved = self.next() > before || self.is_at_fin();
        if moved && !self.has_blocks() { AckDue::Now } else { AckDue::Alone }
    }
}
