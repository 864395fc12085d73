//! Vegas's retransmission (Brakmo and Peterson 1995 §III-A), as ns-2 has it.

use base::{Duration, Time};
use cc::{Controller, Inflation, LossKind};
use settings::{Count, Flag, Or, Word, as_key, section, words};

use super::{AckInfo, DUPLICATE_THRESHOLD, Guard, Recovery, RecoveryAction};
use crate::Config;
use crate::scoreboard::{Scoreboard, Sent};

section! {
    /// The keys of `[tcp.vegas]` that belong to loss recovery.
    #[derive(Copy)]
    pub struct VegasRules {
        /// The congestion window to start with, in segments, if it differs from that of the other
        /// algorithms: ns-2's Vegas has no handshake, and starts with a window of its own.
        pub initial_window: Option<u32> as Or<as_key::InitialWindow, Count<u32, 1, 1_073_741_824>> =
            None;
        /// Limited Transmit in the vegas recovery, if it differs from the others: ns-2's Vegas has
        /// none.
        pub limited_transmit: Option<bool> as Or<as_key::LimitedTransmit, Flag> = None;
        /// Feed the retransmission timer with the handshake's round-trip time. Default: RFC 6298
        /// §2.2.
        pub times_handshake: bool as Flag = true;
        /// What the vegas recovery remembers of when and how often each segment was sent: that, or
        /// what ns-2's ring of `window` slots still holds of it. With the ring, a retransmission
        /// also backs the timer off, duplicates open cwnd itself, and a segment that is not
        /// outstanding counts as lost. Default: Brakmo and Peterson 1995.
        pub records: VegasRecords as Word<VegasRecords> = VegasRecords::Exact;
    }
}

words! {
    /// What the vegas recovery remembers of segments.
    pub enum VegasRecords {
        /// When each was sent, and how often.
        Exact = "exact",
        /// The same in a ring with a slot for each segment of the window, which is not always
        /// emptied, as in ns-2.
        Ring = "ring",
    }
}

impl VegasRules {
    /// What duplicates open.
    pub(crate) const fn inflation(&self) -> Inflation {
        match self.records {
            VegasRecords::Exact => Inflation::Beside,
            VegasRecords::Ring => Inflation::Window,
        }
    }
}

/// Reno's, and a fine-grained timer that is checked when acknowledgements come: on each duplicate,
/// and on the first two new ones after a retransmission. If the oldest segment is older than the
/// timeout, it is sent again at once.
///
/// With ns-2's [`Ring`] also: a retransmission backs the coarse timer off; duplicates open the
/// controller's own window ([`cc::Inflation::Window`]), which stays as it is if none follows the
/// retransmission; and a timeout does not end the checks.
#[derive(Debug)]
pub(crate) struct Vegas {
    /// After a timeout, no retransmission until everything sent before it is acknowledged, or
    /// duplicates signal another loss.
    guard: Guard,
    timer: FineTimer,
    ring: Option<Ring>,
    duplicates: u32,
    inflation: u32,
    /// When the window was last cut: what was sent before is no reason to cut it once more.
    cut: Option<Time>,
    /// New acknowledgements that still check the timer.
    worried: u64,
}

impl Vegas {
    pub(super) fn boxed(config: &Config) -> Box<dyn Recovery> {
        let ring = match config.repair.vegas.records {
            VegasRecords::Exact => None,
            VegasRecords::Ring => Some(config.window),
        };
        Box::new(Self::new(config.recover_guard, ring))
    }

    /// `ring` is the number of segments that the window allows in flight, if they are remembered as
    /// in ns-2.
    fn new(guard: bool, ring: Option<u32>) -> Self {
        Self {
            guard: Guard::new(guard),
            timer: FineTimer::default(),
            ring: ring.map(Ring::new),
            duplicates: 0,
            inflation: 0,
            cut: None,
            worried: 0,
        }
    }

    fn next_has_expired(&self, ack: &AckInfo, oldest: Option<&Sent>) -> bool {
        let sent = match (&self.ring, oldest) {
            // An empty slot is older than any timeout: what follows is sent once more than needed.
            (Some(ring), _) => match ring.slot(number(ack.una, ack.mss)).sent {
                Some(sent) => sent,
                None => return true,
            },
            (None, Some(oldest)) => oldest.last_at,
            (None, None) => return false,
        };
        self.timer.has_expired(ack.now, sent)
    }
}

impl Recovery for Vegas {
    fn on_duplicate_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.duplicates += 1;
        let Some(oldest) = board.oldest() else { return RecoveryAction::Wait };
        let transmissions = self.transmissions(oldest, ack.mss);
        let expired = self.timer.has_expired(ack.now, oldest.last_at);
        if !expired && self.duplicates != DUPLICATE_THRESHOLD {
            let heard = self.ring.is_some() || !self.guard.is_set();
            if self.duplicates > DUPLICATE_THRESHOLD && heard {
                self.inflation += 1;
            }
            return RecoveryAction::Wait;
        }
        if !self.guard.allows(ack.una) {
            return RecoveryAction::Wait;
        }
        self.guard.clear();
        if self.cut.is_none_or(|cut| cut < oldest.last_at) {
            self.inflation = self.duplicates;
            self.cut = Some(ack.now);
        }
        self.worried = 2.min((ack.nxt - ack.una).div_ceil(ack.mss));
        self.timer.back_off(transmissions);
        if transmissions == 1 {
            self.duplicates = DUPLICATE_THRESHOLD;
        }
        let kind = if expired { LossKind::FineTimeout } else { LossKind::DuplicateAcks };
        RecoveryAction::Retransmit(kind)
    }

    fn on_new_ack(&mut self, ack: &AckInfo, board: &mut Scoreboard) -> RecoveryAction {
        self.duplicates = 0;
        self.inflation = 0;
        if let Some(rtt) = ack.rtt {
            self.timer.sample(rtt);
        }
        if self.worried == 0 {
            return RecoveryAction::Wait;
        }
        self.worried -= 1;
        if !self.next_has_expired(ack, board.oldest()) {
            self.worried = 0;
            return RecoveryAction::Wait;
        }
        self.duplicates = DUPLICATE_THRESHOLD;
        RecoveryAction::Repair
    }

    fn on_departure(&mut self, segment: &Sent, mss: u64) {
        if let Some(ring) = &mut self.ring {
            ring.send(number(segment.offset, mss), segment.last_at);
        }
    }

    fn take_round_trip(
        &mut self,
        now: Time,
        [from, una]: [u64; 2],
        mss: u64,
        rtt: Option<Duration>,
    ) -> Option<Duration> {
        let Some(ring) = &mut self.ring else { return rtt };
        let next = number(una.next_multiple_of(mss), mss);
        ring.acknowledge(number(from, mss), next, now)
    }

    fn transmissions(&self, oldest: &Sent, mss: u64) -> u16 {
        match &self.ring {
            Some(ring) => ring.slot(number(oldest.offset, mss)).transmissions,
            None => oldest.transmissions,
        }
    }

    fn hand_inflation_to(&mut self, controller: &mut dyn Controller) {
        if self.ring.is_some() && self.inflation > 0 && controller.inflate(self.inflation) {
            self.inflation = 0;
        }
    }

    fn deflates(&self) -> bool {
        self.ring.is_some() && self.duplicates > DUPLICATE_THRESHOLD
    }

    fn backs_off(&self) -> bool {
        self.ring.is_some()
    }

    fn on_timeout(&mut self, now: Time, max: u64, _: u64, _: &mut Scoreboard) {
        self.guard.set(max);
        self.duplicates = 0;
        self.inflation = 0;
        self.cut = Some(now);
        if self.ring.is_none() {
            self.worried = 0;
        }
    }

    fn duplicates(&self) -> u32 {
        self.duplicates
    }

    fn window(&self, cwnd: u64, mss: u64) -> u64 {
        cwnd + u64::from(self.inflation) * mss
    }

    fn on_undo(&mut self, _: &Scoreboard) {
        self.guard.clear();
        self.duplicates = 0;
        self.inflation = 0;
        self.worried = 0;
    }
}

/// What ns-2 remembers of segments: a slot for each that the window allows in flight, which the
/// next segment of that slot finds as it was left. Where several are acknowledged at once and the
/// first of them has a higher slot than the last, none is emptied.
#[derive(Debug)]
struct Ring {
    /// Slots in all.
    window: u64,
    /// Slots used so far: the window may be larger than any sender needs.
    slots: Vec<Slot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    sent: Option<Time>,
    transmissions: u16,
}

/// Segments that ns-2's Vegas sends in place of a handshake.
const OPENING: u64 = 2;

/// ns-2's number of the segment at `offset`.
fn number(offset: u64, mss: u64) -> u64 {
    offset / mss + OPENING
}

impl Ring {
    fn new(window: u32) -> Self {
        Self { window: u64::from(window.max(1)), slots: Vec::new() }
    }

    const fn place(&self, number: u64) -> usize {
        (number % self.window) as usize
    }

    fn slot(&self, number: u64) -> Slot {
        self.slots.get(self.place(number)).copied().unwrap_or_default()
    }

    fn send(&mut self, number: u64, now: Time) {
        let place = self.place(number);
        self.slots.resize(self.slots.len().max(place + 1), Slot::default());
        let slot = &mut self.slots[place];
        slot.sent = Some(now);
        slot.transmissions = slot.transmissions.saturating_add(1);
    }

    /// Everything from the segment `from` up to, but without, `next` was acknowledged: the newest
    /// one's round-trip time, if it was sent once.
    fn acknowledge(&mut self, from: u64, next: u64, now: Time) -> Option<Duration> {
        let newest = self.slot(next - 1);
        let (first, last) = (self.place(from), self.place(next - 1));
        if first <= last && next - from <= self.window {
            let filled = self.slots.len();
            self.slots[first.min(filled)..(last + 1).min(filled)].fill(Slot::default());
        }
        newest.sent.filter(|_| newest.transmissions == 1).map(|sent| now - sent)
    }
}

/// No timeout grows longer, so that doubling it never overflows: a century.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The fine-grained timeout: exact round-trip times of every segment sent once.
#[derive(Debug, Default)]
struct FineTimer {
    /// Smoothed round-trip time (gain 1/8) and mean deviation (gain 1/4).
    smoothed: Option<(Duration, Duration)>,
    timeout: Option<Duration>,
}

impl FineTimer {
    /// ns-2: (srtt + 2 · deviation) · 17/16, the deviation starting from a quarter of the first
    /// sample.
    fn sample(&mut self, rtt: Duration) {
        let (srtt, deviation) = self.smoothed.unwrap_or((rtt, rtt / 4));
        let error = rtt.abs_diff(srtt);
        let srtt = (srtt * 7 + rtt) / 8;
        let deviation = (deviation * 3 + error) / 4;
        self.smoothed = Some((srtt, deviation));
        self.timeout = Some((srtt + deviation * 2) * 17 / 16);
    }

    fn has_expired(&self, now: Time, sent: Time) -> bool {
        self.timeout.is_some_and(|timeout| now.saturating_since(sent) >= timeout)
    }

    /// Longer by an eighth, or twice as long if the segment had been sent again already.
    fn back_off(&mut self, transmissions: u16) {
        self.timeout = self
            .timeout
            .map(|timeout| if transmissions > 1 { timeout * 2 } else { timeout + timeout / 8 })
            .map(|timeout| timeout.min(FOR_EVER));
    }
}

#[cfg(test)]
mod tests {
    use cc::{Limits, Reno, RenoParameters, VegasParameters, WindowRules};

    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    /// The inflation by duplicates stays out of the window of a controller that does not keep it.
    #[test]
    fn inflation_is_lost_with_no_controller() {
        let limits = Limits {
            mss: 1_000,
            initial_window: 8,
            initial_ssthresh: 64,
            maximum_window: 8,
            rules: WindowRules::default(),
        };
        let inflation = Inflation::Window;
        let parameters = VegasParameters { inflation, ..VegasParameters::default() };
        let check = |controller: &mut dyn Controller, expect| {
            let mut recovery = Vegas::new(false, Some(8));
            recovery.inflation = 3;
            recovery.hand_inflation_to(controller);
            let window = controller.window() / 1_000;
            assert_eq!((window, recovery.inflation), expect);
        };
        check(&mut cc::Vegas::new(&limits, parameters), (11, 0));
        check(&mut Reno::new(&limits, RenoParameters::default()), (8, 3));
    }

    /// A ring takes the memory of the segments that were sent, not of its window.
    #[test]
    fn the_largest_window_takes_no_memory() {
        let mut ring = Ring::new(u32::MAX);
        (2..6).for_each(|number| ring.send(number, at(number)));
        assert_eq!(ring.slots.len(), 6);
        assert_eq!(ring.acknowledge(2, 4, at(103)), Some(Duration::from_millis(100)));
        assert_eq!((ring.slot(3).sent, ring.slot(4).sent), (None, Some(at(4))));
        assert_eq!(ring.slot(1_000_000).sent, None);
    }

    /// ns-2 empties no slot when what is acknowledged wraps around the ring.
    #[test]
    fn the_end_of_the_ring_empties_nothing() {
        let mut ring = Ring::new(4);
        (2..6).for_each(|number| ring.send(number, at(number)));
        assert_eq!(ring.acknowledge(2, 5, at(104)), Some(Duration::from_millis(100)));
        assert_eq!([0, 1, 2, 3].map(|number| ring.slot(number).transmissions), [1, 1, 1, 1]);
        ring.send(6, at(6));
        assert_eq!(ring.acknowledge(6, 7, at(106)), None);
    }
}
