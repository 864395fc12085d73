//! COBALT: `CoDel` for flows that heed it, and BLUE (Feng, Shin, Kandlur and Saha, "The BLUE Active
//! Queue Management Algorithms", IEEE/ACM Transactions on Networking 10(4), 2002) for those that do
//! not. As in `sch_cake`; draft-morton-tsvwg-codel-approx has this `CoDel`.

use base::{Duration, Rate, Stream, Time};

use super::MTU;
use crate::queue::Verdict;

/// By how much BLUE's probability grows when all is full, in units of 2⁻³²: 1/256 (`sch_cake`).
const P_INC: u32 = 1 << 24;
/// By how much it falls when a flow has nothing left: 1/4096 (`sch_cake`).
const P_DEC: u32 = 1 << 20;

/// Parameters of the queues of a tin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Parameters {
    /// The wait that is acceptable permanently.
    target: Duration,
    /// Time for which the wait must stay above it; a round-trip time.
    interval: Duration,
    /// Time that the largest packet takes.
    mtu_time: Duration,
}

impl Parameters {
    /// Parameters of a tin at `rate`, for round trips of `rtt`.
    pub(super) fn new(rate: Option<Rate>, rtt: Duration) -> Self {
        let nanos = |rate: Rate| u64::from(MTU) * 8_000_000_000 / rate.as_bps();
        let mtu_time = Duration::from_nanos(rate.map_or(0, nanos));
        let usual = rtt / 20;
        let target = usual.max(mtu_time * 3 / 2);
        Self { target, interval: (rtt + target - usual).max(target * 2), mtu_time }
    }
}

/// The state of a queue.
#[derive(Debug)]
pub(super) struct Cobalt {
    /// Count of `CoDel`: the square of its pace.
    count: u32,
    /// Time of its next notice, or until which the queue is not at rest.
    drop_next: Time,
    /// True while packets wait too long.
    is_dropping: bool,
    /// Time of the last change of BLUE's probability.
    blue_timer: Time,
    /// BLUE's probability, in units of 2⁻³².
    p_drop: u32,
}

/// A packet that leaves its queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaving {
    /// Time that it has waited.
    pub(super) sojourn: Duration,
    /// True if nothing waits behind it.
    pub(super) is_last: bool,
}

impl Cobalt {
    /// At a queue that was never used.
    pub(super) const fn new() -> Self {
        Self {
            count: 0,
            drop_next: Time::ZERO,
            is_dropping: false,
            blue_timer: Time::ZERO,
            p_drop: 0,
        }
    }

    /// A packet of the queue has gone to make room (`cobalt_queue_full`).
    pub(super) fn on_full(&mut self, of: &Parameters, now: Time) {
        if now.saturating_since(self.blue_timer) > of.target {
            self.p_drop = self.p_drop.saturating_add(P_INC);
            self.blue_timer = now;
        }
        self.is_dropping = true;
        self.drop_next = now;
        self.count = self.count.max(1);
    }

    /// Turn of the queue, which has nothing (`cobalt_queue_empty`).
    pub(super) fn on_empty(&mut self, of: &Parameters, now: Time) {
        if self.p_drop > 0 && now.saturating_since(self.blue_timer) > of.target {
            self.p_drop = self.p_drop.saturating_sub(P_DEC);
            self.blue_timer = now;
        }
        self.is_dropping = false;
        if self.is_due(now) {
            self.slow_down(of);
        }
    }

    /// True if a new state would be the same.
    pub(super) fn is_at_rest(&self, now: Time) -> bool {
        self.p_drop == 0 && self.count == 0 && self.drop_next <= now
    }

    /// Verdict on a packet, which `mark` marks if it can be (`cobalt_should_drop`). The last
    /// one is not dropped.
    pub(super) fn on_departure(
        &mut self,
        of: &Parameters,
        now: Time,
        leaving: Leaving,
        chance: &mut Stream,
        mark: impl FnOnce() -> bool,
    ) -> Verdict {
        let Leaving { sojourn, is_last } = leaving;
        let is_due = self.is_due(now);
        let mut is_past = now > self.drop_next;
        let is_late = sojourn > of.target && sojourn > of.mtu_time * 4;
        if is_late {
            if !self.is_dropping {
                self.drop_next = self.control(now, of);
            }
            self.count = self.count.max(1);
        }
        self.is_dropping = is_late;
        let mut drops = self.p_drop > 0 && chance.next_u32() < self.p_drop;
        let mut is_marked = false;
        if is_due && is_late {
            is_marked = (!drops || is_last) && mark();
            drops |= !is_marked;
            self.count = self.count.saturating_add(1);
            self.drop_next = self.control(self.drop_next, of);
            is_past = now > self.drop_next;
        } else if is_due {
            while self.is_due(now) {
                self.slow_down(of);
            }
            is_past = now > self.drop_next;
        }
        if self.count == 0 {
            self.drop_next = now + of.interval;
        } else if is_past && !drops {
            self.drop_next = now;
        }
        match (drops && !is_last, is_marked) {
            (true, _) => Verdict::Drop,
            (false, true) => Verdict::Marked,
            (false, false) => Verdict::Pass,
        }
    }

    fn is_due(&self, now: Time) -> bool {
        self.count > 0 && now >= self.drop_next
    }

    /// A notice fewer.
    fn slow_down(&mut self, of: &Parameters) {
        self.count -= 1;
        self.drop_next = self.control(self.drop_next, of);
    }

    /// The control law of RFC 8289 §5.3; no notice counts as one.
    fn control(&self, time: Time, of: &Parameters) -> Time {
        let interval = of.interval.as_nanos() as f64;
        time + Duration::from_nanos((interval / f64::from(self.count.max(1)).sqrt()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(100);
    const LATE: Leaving = Leaving { sojourn: Duration::from_millis(20), is_last: false };
    const EARLY: Leaving = Leaving { sojourn: Duration::from_millis(5), is_last: false };

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    fn usual() -> Parameters {
        Parameters::new(None, RTT)
    }

    /// The milliseconds of `millis` at which a packet each, all of them `leaving`, is dropped.
    fn drops(cobalt: &mut Cobalt, millis: std::ops::Range<u64>, leaving: Leaving) -> Vec<u64> {
        let mut chance = Stream::named(1, "test");
        let mut drops = |now: &u64| {
            let verdict = cobalt.on_departure(&usual(), at(*now), leaving, &mut chance, || false);
            verdict == Verdict::Drop
        };
        millis.filter(|now| drops(now)).collect()
    }

    /// Packets of 1514 B take 1.2112, 12.112 and 189.25 ms.
    #[test]
    fn thin_links_have_longer_waits() {
        let check = |bps: Option<u64>, nanos: [u64; 3]| {
            let [target, interval, mtu_time] = nanos.map(Duration::from_nanos);
            let expect = Parameters { target, interval, mtu_time };
            assert_eq!(Parameters::new(bps.map(Rate::from_bps), RTT), expect);
        };
        check(None, [5_000_000, 100_000_000, 0]);
        check(Some(10_000_000), [5_000_000, 100_000_000, 1_211_200]);
        check(Some(1_000_000), [18_168_000, 113_168_000, 12_112_000]);
        check(Some(64_000), [283_875_000, 567_750_000, 189_250_000]);
    }

    /// 100 ms above the target, then 100/√2, 100/√3, … ms apart, each at the next packet: so the
    /// first gap of `CoDel`, 100/√1 ms, is the wait for the first drop.
    #[test]
    fn notices_come_faster_with_the_root_of_their_number() {
        let mut cobalt = Cobalt::new();
        assert_eq!(drops(&mut cobalt, 0..1, EARLY), [0; 0]);
        assert_eq!(drops(&mut cobalt, 1..410, LATE), [101, 172, 230, 280, 325, 365, 403]);
    }

    /// From a count of 4 the next notice would be at 325 ms; instead the count is 3 then, 2 after
    /// 100/√3 ms, 1 after 100/√2 ms, and 0 after 100 ms. At 400 ms the count is 2, and the wait
    /// for the first notice 100/√2 ms.
    #[test]
    fn the_pace_falls_as_it_has_grown() {
        let prepared = || {
            let mut cobalt = Cobalt::new();
            drops(&mut cobalt, 0..1, EARLY);
            assert_eq!(drops(&mut cobalt, 1..281, LATE).len(), 4);
            assert_eq!(cobalt.count, 5);
            cobalt
        };
        let mut cobalt = prepared();
        drops(&mut cobalt, 281..325, EARLY);
        assert_eq!(cobalt.count, 5);
        drops(&mut cobalt, 325..326, EARLY);
        assert_eq!(cobalt.count, 4);
        assert_eq!(drops(&mut cobalt, 326..420, LATE), [376]);
        let mut idle = prepared();
        for _ in 0..5 {
            assert!(!idle.is_at_rest(at(2_000)));
            idle.on_empty(&usual(), at(2_000));
        }
        assert!(idle.is_at_rest(at(2_000)));
    }

    #[test]
    fn the_last_packet_is_marked_but_not_dropped() {
        let check = |is_last, is_capable, expect| {
            let mut cobalt = Cobalt { count: 1, is_dropping: true, ..Cobalt::new() };
            let (leaving, mut chance) = (Leaving { is_last, ..LATE }, Stream::named(1, "test"));
            let verdict = cobalt.on_departure(&usual(), at(1), leaving, &mut chance, || is_capable);
            assert_eq!((verdict, cobalt.count), (expect, 2));
        };
        check(false, true, Verdict::Marked);
        check(false, false, Verdict::Drop);
        check(true, true, Verdict::Marked);
        check(true, false, Verdict::Pass);
    }

    /// The probability of BLUE grows by 1/256 in a target at most, and falls by 1/4096; it drops
    /// also what waits for a short time and could be marked.
    #[test]
    fn blue_answers_a_full_queue() {
        let mut cobalt = Cobalt::new();
        for now in [6, 7, 11, 12, 18] {
            cobalt.on_full(&usual(), at(now));
        }
        assert_eq!(cobalt.p_drop, 3 * P_INC);
        cobalt.on_empty(&usual(), at(23));
        assert_eq!(cobalt.p_drop, 3 * P_INC);
        cobalt.on_empty(&usual(), at(24));
        assert_eq!(cobalt.p_drop, 3 * P_INC - P_DEC);
        let mut cobalt = Cobalt { p_drop: 64 * P_INC, ..Cobalt::new() };
        let dropped = drops(&mut cobalt, 0..10_000, EARLY).len();
        assert!((2_300..2_700).contains(&dropped), "about a quarter: {dropped}");
        let mut sure = Cobalt { p_drop: u32::MAX, count: 1, ..Cobalt::new() };
        let mut chance = Stream::named(1, "test");
        let verdict = sure.on_departure(&usual(), at(1), LATE, &mut chance, || true);
        assert_eq!(verdict, Verdict::Drop);
    }
}
