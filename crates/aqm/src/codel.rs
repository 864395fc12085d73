//! Controlled Delay (RFC 8289).

use base::{Duration, Time};
use settings::{Bytes, OfTime, section};

use crate::{Departure, Verdict};

section! {
    /// `[queue.codel]`: Controlled Delay. Defaults: RFC 8289 §4.
    #[derive(Copy, Eq)]
    pub struct Config {
        /// TARGET: the wait that is acceptable permanently; no longer than INTERVAL.
        pub target: Duration as OfTime = Duration::from_millis(5);
        /// INTERVAL: how long the wait must stay above it; a round-trip time.
        pub interval: Duration as OfTime<1> = Duration::from_millis(100);
        /// A packet that leaves no more than this behind is not dropped.
        pub mtu: u32 as Bytes<u32, 1, 65_535> = 1500;
    }
    in_order(target, interval)
}

/// The state of `CoDel`, with the names of RFC 8289 §5.
#[derive(Debug)]
pub struct CoDel {
    config: Config,
    /// Time at which the wait will have been above the target for an interval.
    first_above_time: Option<Time>,
    /// Phase: whether packets are being dropped.
    phase: Phase,
    /// Time of the next drop.
    drop_next: Time,
    /// Drops since dropping began.
    count: u32,
    /// The count with which it last began.
    last_count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    Passing,
    /// A packet was just dropped; the time of the next drop is set at the next departure.
    Dropped,
    Dropping,
}

impl CoDel {
    /// At an empty queue.
    pub const fn new(config: Config) -> Self {
        Self {
            config,
            first_above_time: None,
            phase: Phase::Passing,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
        }
    }

    /// §5.5 and §5.6, where there is no packet. It changes something only if what waited left
    /// without the judge.
    pub const fn on_empty(&mut self) {
        self.first_above_time = None;
        self.phase = Phase::Passing;
    }

    /// `dodequeue` (§5.6): true once packets have waited longer than the target for an interval.
    fn is_late(&mut self, now: Time, departure: Departure) -> bool {
        let Departure { sojourn, bytes_behind } = departure;
        if sojourn < self.config.target || bytes_behind <= u64::from(self.config.mtu) {
            self.first_above_time = None;
            return false;
        }
        let due = *self.first_above_time.get_or_insert(now + self.config.interval);
        now >= due
    }

    /// Begins to drop, at the former pace if that ended not long ago (§5.5).
    fn begin(&mut self, now: Time) {
        let delta = self.count - self.last_count;
        let is_recent = now.saturating_since(self.drop_next) < self.config.interval * 16;
        self.count = if delta > 1 && is_recent { delta } else { 1 };
        self.last_count = self.count;
        self.phase = Phase::Dropping;
        self.drop_next = self.control_law(now);
    }

    /// §5.3: drops lie an interval over the square root of their number apart.
    fn control_law(&self, time: Time) -> Time {
        let interval = self.config.interval.as_nanos() as f64;
        time + Duration::from_nanos((interval / f64::from(self.count).sqrt()).round() as u64)
    }

    /// Verdict on the packet whose turn it is (§5.5). If it is dropped, ask about the next.
    pub fn on_departure(&mut self, now: Time, departure: Departure) -> Verdict {
        if !self.is_late(now, departure) {
            self.phase = Phase::Passing;
            return Verdict::Pass;
        }
        match self.phase {
            Phase::Passing => {
                self.begin(now);
                return Verdict::Notify;
            }
            Phase::Dropped => self.drop_next = self.control_law(self.drop_next),
            Phase::Dropping => {}
        }
        if now < self.drop_next {
            self.phase = Phase::Dropping;
            return Verdict::Pass;
        }
        self.count = self.count.saturating_add(1);
        self.phase = Phase::Dropped;
        Verdict::Notify
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    const CONFIG: Config = Config {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        mtu: 1500,
    };

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    const LATE: Departure = Departure { sojourn: Duration::from_millis(20), bytes_behind: 30_000 };
    const EARLY: Departure = Departure { sojourn: Duration::from_millis(4), bytes_behind: 30_000 };
    const SHORT: Departure = Departure { sojourn: Duration::from_millis(20), bytes_behind: 1500 };

    /// The milliseconds at which a packet a millisecond, all of them `departure`, is dropped.
    fn drops(codel: &mut CoDel, millis: std::ops::Range<u64>, departure: Departure) -> Vec<u64> {
        millis
            .filter(|&now| codel.on_departure(at(now), departure) == Verdict::Notify)
            .collect::<Vec<_>>()
    }

    /// 100 ms above the target, then 100/√1, 100/√2, 100/√3, … ms apart, each at the next packet.
    #[test]
    fn drops_come_faster_with_the_root_of_their_number() {
        let mut codel = CoDel::new(CONFIG);
        assert_eq!(drops(&mut codel, 0..500, LATE), [100, 200, 271, 329, 379, 424, 464]);
    }

    #[test]
    fn the_control_law() {
        let check = |count, expect_nanos| {
            let codel = CoDel { count, ..CoDel::new(CONFIG) };
            assert_eq!(codel.control_law(Time::ZERO), Time::from_nanos(expect_nanos));
        };
        check(1, 100_000_000);
        check(2, 70_710_678);
        check(3, 57_735_027);
        check(4, 50_000_000);
        check(100, 10_000_000);
    }

    #[test]
    fn a_short_wait_or_a_short_queue_begins_anew() {
        for good in [EARLY, SHORT] {
            let mut codel = CoDel::new(CONFIG);
            assert_eq!(drops(&mut codel, 0..100, LATE), [0; 0]);
            assert_eq!(codel.on_departure(at(100), good), Verdict::Pass);
            assert_eq!(drops(&mut codel, 101..300, LATE), [201]);
        }
    }

    /// Drops come at 100, 200, 271 and 329 ms, the last with count 4: soon afterwards it begins
    /// with 4 − 1 = 3, long afterwards with 1.
    #[test]
    fn the_pace_is_kept_for_a_while() {
        let resume = |pause: u64| {
            let mut codel = CoDel::new(CONFIG);
            assert_eq!(drops(&mut codel, 0..330, LATE).len(), 4);
            assert_eq!(codel.on_departure(at(330), EARLY), Verdict::Pass);
            let from = 330 + pause;
            let drops = drops(&mut codel, from..from + 160, LATE);
            (drops[0] - from, drops[1] - drops[0])
        };
        assert_eq!(resume(10), (100, 58));
        assert_eq!(resume(1400), (100, 58));
        let mut codel = CoDel::new(CONFIG);
        assert_eq!(drops(&mut codel, 0..330, LATE).len(), 4);
        assert_eq!(codel.on_departure(at(330), EARLY), Verdict::Pass);
        assert_eq!(drops(&mut codel, 2000..2250, LATE), [2100, 2200]);
    }

    /// The pseudo-code of RFC 8289 §5.5 and §5.6, line by line, over a queue of arrival times of
    /// packets of 1000 B.
    struct Literal {
        queue: VecDeque<u64>,
        first_above_time: u64,
        drop_next: u64,
        count: u32,
        lastcount: u32,
        dropping: bool,
    }

    impl Literal {
        fn dodequeue(&mut self, now: u64) -> (Option<u64>, bool) {
            let Some(packet) = self.queue.pop_front() else {
                self.first_above_time = 0;
                return (None, false);
            };
            if now - packet < 5_000_000 || self.queue.len() * 1000 <= 1500 {
                self.first_above_time = 0;
            } else if self.first_above_time == 0 {
                self.first_above_time = now + 100_000_000;
            } else if now >= self.first_above_time {
                return (Some(packet), true);
            }
            (Some(packet), false)
        }

        fn law(&self, time: u64) -> u64 {
            time + (100_000_000.0 / f64::from(self.count).sqrt()).round() as u64
        }

        /// The packet to send and how many were dropped before it.
        fn dequeue(&mut self, now: u64) -> (Option<u64>, u32) {
            let (mut packet, mut ok_to_drop) = self.dodequeue(now);
            let mut dropped = 0;
            if self.dropping {
                self.dropping &= ok_to_drop;
                while now >= self.drop_next && self.dropping {
                    dropped += 1;
                    self.count += 1;
                    (packet, ok_to_drop) = self.dodequeue(now);
                    if ok_to_drop {
                        self.drop_next = self.law(self.drop_next);
                    } else {
                        self.dropping = false;
                    }
                }
            } else if ok_to_drop {
                dropped += 1;
                (packet, _) = self.dodequeue(now);
                self.dropping = true;
                let delta = self.count - self.lastcount;
                let is_recent = now.saturating_sub(self.drop_next) < 1_600_000_000;
                self.count = if delta > 1 && is_recent { delta } else { 1 };
                self.drop_next = self.law(now);
                self.lastcount = self.count;
            }
            (packet, dropped)
        }
    }

    proptest! {
        /// Packet by packet what the pseudo-code of the RFC does, at a link that sends one each
        /// 10 ms and gets bursts.
        #[test]
        fn it_is_the_pseudo_code(
            bursts in prop::collection::vec((0_usize..20, 1_u64..20), 1..300)
        ) {
            let mut codel = CoDel::new(CONFIG);
            let mut queue: VecDeque<u64> = VecDeque::new();
            let mut literal = Literal {
                queue: VecDeque::new(),
                first_above_time: 0,
                drop_next: 0,
                count: 0,
                lastcount: 0,
                dropping: false,
            };
            let mut now = 0;
            for (packets, turns) in bursts {
                queue.extend(std::iter::repeat_n(now, packets));
                literal.queue.extend(std::iter::repeat_n(now, packets));
                for _ in 0..turns {
                    now += 10_000_000;
                    let (mut sent, mut dropped) = (None, 0);
                    while let Some(since) = queue.pop_front() {
                        let sojourn = Duration::from_nanos(now - since);
                        let departure =
                            Departure { sojourn, bytes_behind: queue.len() as u64 * 1000 };
                        match codel.on_departure(Time::from_nanos(now), departure) {
                            Verdict::Notify | Verdict::Drop => dropped += 1,
                            Verdict::Pass | Verdict::Marked => {
                                sent = Some(since);
                                break;
                            }
                        }
                    }
                    prop_assert_eq!((sent, dropped), literal.dequeue(now), "at {} ns", now);
                }
            }
        }
    }
}
