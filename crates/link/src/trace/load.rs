//! What of a recorded link depends on its load. A saturated link is not what a short burst meets:
//! replayed for all traffic, its opportunities are optimistic for bursts, and one constant delay is
//! too short (Sentosa, Chandrasekaran, Godfrey, Hassanieh: `CellReplay`: Towards accurate
//! record-and-replay for cellular networks, NSDI 2025). So there are opportunities of a light load,
//! in trains, beside those of a heavy one, and a delay over time.
//!
//! A burst begins with a packet that finds the link empty and idle for a time. It is sent by the
//! train that was recorded last before it, and once that is at its end as a saturated link sends.

use base::{Duration, Time};

/// What depends on load.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Load {
    /// After so long without a packet a burst begins.
    pub idle: Duration,
    /// The trains by the times of their recording, within the period; none, or the first at 0.
    pub trains: Vec<Recorded>,
    /// The opportunities of all trains.
    pub opportunities: Vec<LightOpportunity>,
    /// The base delay from each time on, within the period; none, or the first at 0.
    pub delays: Vec<(Duration, Duration)>,
}

/// A train of opportunities that was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Recorded {
    /// When its burst began.
    pub at: Duration,
    /// Its place among the opportunities.
    pub first: usize,
    /// The place behind its last.
    pub end: usize,
}

/// An opportunity of a train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LightOpportunity {
    /// How long after the beginning of its burst.
    pub after: Duration,
    /// What it carries.
    pub bytes: u32,
}

impl Load {
    /// The base delay at `within` the period.
    pub(super) fn delay(&self, within: Duration) -> Duration {
        let begun = self.delays.partition_point(|(at, _)| *at <= within);
        begun.checked_sub(1).map_or(Duration::ZERO, |last| self.delays[last].1)
    }

    /// The train of a burst that begins at `start`, which is `within` the period.
    pub(super) fn train(&self, within: Duration, start: Time) -> Train {
        let begun = self.trains.partition_point(|train| train.at <= within);
        let none = Recorded { at: Duration::ZERO, first: 0, end: 0 };
        let Recorded { first, end, .. } = begun.checked_sub(1).map_or(none, |at| self.trains[at]);
        Train { start, last_sent: None, next: first, end, used: 0 }
    }
}

/// A burst's position in its train.
#[derive(Debug, Default)]
pub(super) struct Train {
    /// When the burst began.
    start: Time,
    /// When its last packet left; `None` if there was none.
    last_sent: Option<Time>,
    /// The place of the next opportunity, and the one behind the last.
    next: usize,
    end: usize,
    /// What of the next one is used, in bytes.
    used: u32,
}

impl Train {
    /// Whether a packet that comes at `since` begins another burst.
    pub(super) fn is_over(&self, load: &Load, since: Time) -> bool {
        self.last_sent.is_none_or(|last| since >= last + load.idle)
    }

    /// When the last of `bytes` leaves that are sent from `start` on. What comes at the very time
    /// of an opportunity, `since`, is too late for it, except for that with which the burst begins.
    ///
    /// # Errors
    /// The rest in bytes, where the train ends before.
    pub(super) fn transmit(
        &mut self,
        load: &Load,
        since: Time,
        start: Time,
        mut bytes: u32,
    ) -> Result<Time, u32> {
        let begins = since == self.start;
        let from = if begins { start } else { start.max(since + Duration::from_nanos(1)) };
        while self.next < self.end {
            let LightOpportunity { after, bytes: carried } = load.opportunities[self.next];
            let time = self.start + after;
            if time >= from {
                let taken = bytes.min(carried - self.used);
                self.used += taken;
                bytes -= taken;
                if bytes == 0 {
                    return Ok(time);
                }
            }
            (self.next, self.used) = (self.next + 1, 0);
        }
        Err(bytes)
    }

    /// When its last opportunity is.
    pub(super) fn end(&self, load: &Load) -> Time {
        let last = self.end.checked_sub(1).and_then(|last| load.opportunities.get(last));
        last.map_or(self.start, |last| self.start + last.after)
    }

    /// Its last packet leaves at `departs`.
    pub(super) const fn sent(&mut self, departs: Time) {
        self.last_sent = Some(departs);
    }
}
