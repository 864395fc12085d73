//! How fast data are delivered (draft-ietf-ccwg-bbr, "Delivery Rate Samples").

use std::collections::VecDeque;

use base::Time;
use cc::{LostSegment, RateSample};

use crate::scoreboard::Sent;

/// Tracks each outstanding segment, so that its acknowledgement yields the delivery rate of its
/// flight.
#[derive(Debug, Default)]
pub(crate) struct Delivery {
    /// Bytes delivered (C.delivered) and when the last of them were (`C.delivered_time`).
    total: u64,
    delivered_at: Time,
    /// When the segment was sent that was delivered last (`C.first_send_time`).
    first_sent_at: Time,
    /// Bytes found lost (C.lost).
    lost: u64,
    /// The sender is application-limited until so many bytes are delivered (`C.app_limited`).
    app_limited_until: u64,
    /// The outstanding segments, in the order of the stream.
    flights: VecDeque<Flight>,
    /// The newest of the segments that the present acknowledgement covers.
    newest: Option<Flight>,
}

/// The state when a segment was last sent.
#[derive(Clone, Copy, Debug)]
struct Flight {
    /// The end of the segment.
    end: u64,
    sent_at: Time,
    prior: u64,
    delivered_at: Time,
    first_sent_at: Time,
    pipe: u64,
    lost: u64,
    app_limited: bool,
}

impl Delivery {
    /// `segment` leaves with `pipe` bytes in the network, itself included.
    pub(crate) fn on_sent(&mut self, now: Time, segment: &Sent, pipe: u64) {
        if pipe <= u64::from(segment.length) {
            // Nothing else was in flight: a rate is measured from here on.
            (self.first_sent_at, self.delivered_at) = (now, now);
        }
        let flight = Flight {
            end: segment.end(),
            sent_at: now,
            prior: self.total,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            pipe,
            lost: self.lost,
            app_limited: self.app_limited_until > self.total,
        };
        match self.place(segment) {
            Some(index) => self.flights[index] = flight,
            None => self.flights.push_back(flight),
        }
    }

    /// `segment` arrived.
    pub(crate) fn on_arrived(&mut self, now: Time, segment: &Sent) {
        self.total += u64::from(segment.length);
        self.delivered_at = now;
        let Some(index) = self.place(segment) else { return };
        let flight = self.flights[index];
        let newer = self.newest.is_none_or(|newest| {
            (flight.prior, flight.sent_at, flight.end) > (newest.prior, newest.sent_at, newest.end)
        });
        if newer {
            self.newest = Some(flight);
            self.first_sent_at = flight.sent_at;
        }
    }

    /// Everything below `una` was acknowledged.
    pub(crate) fn forget_below(&mut self, una: u64) {
        while self.flights.front().is_some_and(|flight| flight.end <= una) {
            self.flights.pop_front();
        }
    }

    /// The rate that follows from the present acknowledgement.
    pub(crate) fn take_sample(&mut self) -> Option<RateSample> {
        let newest = self.newest.take()?;
        let sending = newest.sent_at.saturating_since(newest.first_sent_at);
        let acknowledging = self.delivered_at.saturating_since(newest.delivered_at);
        if self.total >= self.app_limited_until {
            self.app_limited_until = 0;
        }
        Some(RateSample {
            total: self.total,
            prior: newest.prior,
            interval: sending.max(acknowledging),
            app_limited: newest.app_limited,
            pipe_at_send: newest.pipe,
            lost: self.lost - newest.lost,
        })
    }

    /// `segment` was found lost.
    pub(crate) fn on_lost(&mut self, now: Time, segment: &Sent) -> Option<LostSegment> {
        let bytes = u64::from(segment.length);
        self.lost += bytes;
        let flight = self.flights[self.place(segment)?];
        Some(LostSegment {
            now,
            bytes,
            prior: flight.prior,
            pipe_at_send: flight.pipe,
            lost: self.lost - flight.lost,
            app_limited: flight.app_limited,
        })
    }

    /// There was nothing to send, though the window had room for more than the `pipe` bytes in it.
    pub(crate) fn on_nothing_to_send(&mut self, pipe: u64) {
        let until = self.total + pipe;
        self.app_limited_until = until.max(1);
    }

    /// Segments were cut: these are outstanding now.
    pub(crate) fn cut<'a>(&mut self, segments: impl Iterator<Item = &'a Sent>) {
        let flight = |segment: &Sent| {
            Some(Flight { end: segment.end(), ..self.flights[self.place(segment)?] })
        };
        self.flights = segments.filter_map(flight).collect();
    }

    fn place(&self, segment: &Sent) -> Option<usize> {
        // Most segments are sent at one end and arrive at the other.
        if self.flights.back()?.end <= segment.offset {
            return None;
        }
        if self.flights.front()?.end > segment.offset {
            return Some(0);
        }
        let index = self.flights.partition_point(|flight| flight.end <= segment.offset);
        (index < self.flights.len()).then_some(index)
    }
}
