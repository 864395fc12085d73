//! The tail loss probe (RFC 8985 §7): when the last segments of a flight are lost, nothing that
//! arrives later reveals it; a probe does, before the retransmission timer runs out.

use base::{Duration, Time};

/// RFC 8985 §7.2, `TLP.max_ack_delay`: how long a peer may hold the acknowledgement of a single
/// segment back, as common implementations do.
const MAX_ACK_DELAY: Duration = Duration::from_millis(200);

/// The timeout before any round-trip time is known (RFC 8985 §7.2).
const INITIAL: Duration = Duration::from_secs(1);

/// How long a probe waits (RFC 8985 §7.2), for a segment that may be `alone` in flight.
pub(crate) fn timeout(smoothed: Option<Duration>, alone: bool) -> Duration {
    let patience = if alone { MAX_ACK_DELAY } else { Duration::ZERO };
    smoothed.map_or(INITIAL, |srtt| srtt * 2 + patience)
}

/// A probe, to be sent or on its way.
#[derive(Debug, Default)]
pub(crate) struct TailProbe {
    deadline: Option<Time>,
    /// True if it is to be sent at once.
    due: bool,
    in_flight: Option<ProbeInFlight>,
    /// True until a round-trip time is measured after the last probe (RFC 8985 §7.3).
    unmeasured: bool,
}

#[derive(Clone, Copy, Debug)]
struct ProbeInFlight {
    /// `TLP.end_seq`: what had been sent when the probe had.
    end: u64,
    content: Content,
}

/// `TLP.is_retrans`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Content {
    NewData,
    LastSegment,
}

impl TailProbe {
    pub(crate) const fn deadline(&self) -> Option<Time> {
        self.deadline
    }

    /// Recovery or the retransmission timer has taken over.
    pub(crate) const fn cancel(&mut self) {
        self.deadline = None;
        self.in_flight = None;
    }

    pub(crate) const fn on_round_trip(&mut self) {
        self.unmeasured = false;
    }

    /// RFC 8985 §7.2: new data left, or something was acknowledged. `timer` is when the
    /// retransmission timer runs out.
    pub(crate) fn arm(&mut self, probe: Time, timer: Option<Time>) {
        let may_start = self.in_flight.is_none() && !self.unmeasured;
        self.due = false;
        self.deadline = may_start.then(|| timer.map_or(probe, |timer| timer.min(probe)));
    }

    /// No need to probe: nothing is in flight, losses are being repaired, or selections reveal one.
    pub(crate) const fn disarm(&mut self) {
        self.due = false;
        self.deadline = None;
    }

    /// RFC 8985 §7.3: true if the time of a probe has come, which is sent if anything is in flight.
    pub(crate) fn handle_timeout(&mut self, now: Time, in_flight: u64) -> bool {
        let expired = self.deadline.is_some_and(|deadline| deadline <= now);
        if expired {
            self.deadline = None;
            self.due = in_flight > 0;
        }
        expired
    }

    /// True once for each probe to send.
    pub(crate) fn take_due(&mut self) -> bool {
        std::mem::take(&mut self.due)
    }

    /// A probe left, when everything up to `end` had been sent.
    pub(crate) const fn on_sent(&mut self, end: u64, content: Content) {
        self.deadline = None;
        self.in_flight = Some(ProbeInFlight { end, content });
        self.unmeasured = true;
    }

    /// RFC 8985 §7.4.2: `TLP_process_ack`. True if the probe repaired a loss that nothing else
    /// revealed.
    pub(crate) fn on_ack(&mut self, una: u64, sign: Sign) -> bool {
        let Some(ProbeInFlight { end, content }) =
            self.in_flight.filter(|in_flight| una >= in_flight.end)
        else {
            return false;
        };
        let arrived_twice = match sign {
            Sign::Twice(twice) => twice == end,
            Sign::Bare => una == end,
            Sign::None => false,
        };
        let arrived_once = content == Content::LastSegment && !arrived_twice;
        if arrived_once && una == end {
            return false;
        }
        self.in_flight = None;
        arrived_once
    }
}

/// How an acknowledgement may show that both a probe and the segment it repeated arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sign {
    None,
    /// It reports a duplicate that ends there (RFC 2883).
    Twice(u64),
    /// It is a plain duplicate.
    Bare,
}
