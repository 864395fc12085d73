//! Proportional Integral controller Enhanced (RFC 8033): some packets are dropped on arrival, with
//! a probability that a controller of the wait adjusts.

use base::{Duration, Probability, Stream, Time};
use settings::{Bytes, Chance, Factor, OfTime, section};

use super::ticks::Ticks;
use super::{Arrival, Departure, Judge, LONGEST_WAIT, Parameters, Start, Verdict};

section! {
    /// `[queue.pie]`: a controller of the wait (RFC 8033).
    #[derive(Copy)]
    pub struct Config {
        /// `QDELAY_REF`: the wait that is aimed at. Default: RFC 8033 §4.2.
        pub target: Duration as OfTime<1_000, LONGEST_WAIT> = Duration::from_millis(15);
        /// `T_UPDATE`: how often the probability is adjusted. Default: RFC 8033 §4.2.
        pub update: Duration as OfTime<1_000_000> = Duration::from_millis(15);
        /// How much the probability grows, per second of wait beyond the target, with each
        /// adjustment. Default: RFC 8033 §4.2.
        pub alpha: f64 as Factor = 0.125;
        /// How much it grows, per second that the wait has grown, with each adjustment. Default:
        /// RFC 8033 §4.2.
        pub beta: f64 as Factor = 1.25;
        /// `MAX_BURST`: for how long a queue that was short loses nothing. Default: RFC 8033 §4.4.
        pub max_burst: Duration as OfTime = Duration::from_millis(150);
        /// `mark_ecnth`: from this probability on, packets are dropped rather than marked.
        /// Default: RFC 8033 §5.1.
        pub ecn_threshold: Probability as Chance = Probability::new(0.1).unwrap_or_default();
        /// `MEAN_PKTSIZE`: where no more than twice as much waits, nothing is dropped. Default: a
        /// packet of 1500 B, as in Linux.
        pub mean_packet: u32 as Bytes<u32, 1, 65_535> = 1500;
    }
}

impl Parameters for Config {
    const NOTIFIES: bool = true;
    /// Linux's `pie`; the RFC leaves it open.
    const PACKETS: u32 = 1000;

    fn start(&self, chance: &dyn Fn(&str) -> Stream) -> Start {
        Start::judged(Pie::new(*self, chance("PIE")))
    }
}

/// §4.2: the smaller the probability is, the smaller are its steps.
const TUNING: [(f64, f64); 6] = [
    (0.000_001, 2048.0),
    (0.000_01, 512.0),
    (0.000_1, 128.0),
    (0.001, 32.0),
    (0.01, 8.0),
    (0.1, 2.0),
];

/// §4.2: what is left of the probability with each update of an idle queue.
const DECAY: f64 = 0.98;

/// §5.5: from this probability on it grows by no more than this.
const CAP: (f64, f64) = (0.1, 0.02);

/// §4.1: below this probability a short wait is let alone.
const SAFE: f64 = 0.2;

/// §5.4: below the first sum of probabilities since the last drop none is dropped, from the second
/// on one is.
const DERANDOMIZED: (f64, f64) = (0.85, 8.5);

/// The state of PIE, with the names of RFC 8033, appendix A.
#[derive(Debug)]
struct Pie {
    config: Config,
    chance: Stream,
    ticks: Ticks,
    /// The wait of the packet that left last; zero if it left nothing behind (§4.3).
    qdelay: Duration,
    control: Control,
    accu_prob: f64,
}

/// State that an update changes.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Control {
    drop_prob: f64,
    qdelay_old: Duration,
    burst_allowance: Duration,
}

impl Pie {
    /// At an empty queue, with its own source of `chance`.
    fn new(config: Config, chance: Stream) -> Self {
        let (qdelay, burst_allowance) = (Duration::ZERO, config.max_burst);
        let control = Control { drop_prob: 0.0, qdelay_old: qdelay, burst_allowance };
        Self { config, chance, ticks: Ticks::new(config.update), qdelay, control, accu_prob: 0.0 }
    }

    /// Makes the updates that are due by `now`. The wait has been the same since the last event, so
    /// that once one changes nothing, none does.
    fn catch_up(&mut self, now: Time) {
        while self.ticks.due(now).is_some() {
            let before = self.control;
            self.control = self.updated();
            if self.control == before {
                self.ticks.skip(now);
            }
        }
    }

    /// `calculate_drop_prob` (§4.2, §4.4, §5.5).
    fn updated(&self) -> Control {
        let Config { target, alpha, beta, update, .. } = self.config;
        let Control { drop_prob, qdelay_old, burst_allowance } = self.control;
        let [wait, old, target] = [self.qdelay, qdelay_old, target].map(Duration::as_secs_f64);
        let step = alpha * (wait - target) + beta * (wait - old);
        let tuning = TUNING.iter().find(|(below, _)| drop_prob < *below);
        let step = tuning.map_or(step, |(_, divisor)| step / divisor);
        let (high, most) = CAP;
        let grown = drop_prob + if drop_prob >= high { step.min(most) } else { step };
        let is_idle = self.qdelay == Duration::ZERO && qdelay_old == Duration::ZERO;
        let decayed = if is_idle { grown * DECAY } else { grown };
        Control {
            drop_prob: decayed.clamp(0.0, 1.0),
            qdelay_old: self.qdelay,
            burst_allowance: burst_allowance.saturating_sub(update),
        }
    }

    /// True if both waits are below half of the target.
    fn is_short(&self) -> bool {
        let half = self.config.target / 2;
        self.qdelay < half && self.control.qdelay_old < half
    }

    /// `drop_early` (§4.1, §5.4).
    fn drops(&mut self, waiting_bytes: u64) -> bool {
        let Control { drop_prob, qdelay_old, .. } = self.control;
        let is_safe = qdelay_old < self.config.target / 2 && drop_prob < SAFE;
        if is_safe || waiting_bytes <= 2 * u64::from(self.config.mean_packet) {
            return false;
        }
        if drop_prob <= 0.0 {
            self.accu_prob = 0.0;
        }
        self.accu_prob += drop_prob;
        let (least, most) = DERANDOMIZED;
        if self.accu_prob < least {
            return false;
        }
        self.accu_prob >= most || self.chance.next_f64() < drop_prob
    }
}

impl Judge for Pie {
    fn on_arrival(&mut self, now: Time, arrival: Arrival) -> Verdict {
        self.catch_up(now);
        if self.control.drop_prob <= 0.0 && self.is_short() {
            self.control.burst_allowance = self.config.max_burst;
        }
        let is_burst = self.control.burst_allowance > Duration::ZERO;
        if is_burst || !self.drops(arrival.waiting_bytes) {
            return Verdict::Pass;
        }
        self.accu_prob = 0.0;
        let marks = self.control.drop_prob < self.config.ecn_threshold.value();
        if marks { Verdict::Notify } else { Verdict::Drop }
    }

    /// §5.4.
    fn on_refusal(&mut self) {
        self.accu_prob = 0.0;
    }

    fn on_departure(&mut self, now: Time, departure: Departure) -> Verdict {
        self.catch_up(now);
        let is_last = departure.bytes_behind == 0;
        self.qdelay = if is_last { Duration::ZERO } else { departure.sojourn };
        Verdict::Pass
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Backlog;
    use super::*;

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    const fn waits(bytes: u64) -> Arrival {
        Arrival { backlog: Backlog { packets: 0, bytes }, waiting_bytes: bytes, idle_bytes: 0 }
    }

    /// One that has left `millis` after it came, with much behind it.
    const fn after(millis: u64) -> Departure {
        Departure { sojourn: Duration::from_millis(millis), bytes_behind: 100_000 }
    }

    fn pie() -> Pie {
        Pie::new(Config::default(), Stream::named(1, "pie"))
    }

    /// PIE with this probability, no burst, and this wait now and before.
    fn steady(drop_prob: f64, millis: u64) -> Pie {
        let wait = Duration::from_millis(millis);
        let control = Control { drop_prob, qdelay_old: wait, burst_allowance: Duration::ZERO };
        Pie { qdelay: wait, control, ..pie() }
    }

    fn close(value: f64, expect: f64) {
        assert!((value - expect).abs() < 1e-12, "{value} is not {expect}");
    }

    /// 10 ms beyond the target are 0.125 · 0.01 = 0.00125, of which §4.2 takes a part.
    #[test]
    fn steps_are_tuned_to_the_probability() {
        let check = |drop_prob, divisor: f64| {
            let grown = steady(drop_prob, 25).updated().drop_prob;
            close(grown - drop_prob, 0.00125 / divisor);
        };
        check(0.0, 2048.0);
        check(0.000_000_999, 2048.0);
        check(0.000_001, 512.0);
        check(0.000_01, 128.0);
        check(0.000_1, 32.0);
        check(0.001, 8.0);
        check(0.01, 2.0);
        check(0.1, 1.0);
        check(0.5, 1.0);
    }

    /// 0.125 · (0.04 − 0.015) + 1.25 · (0.04 − 0.03) = 0.003125 + 0.0125.
    #[test]
    fn the_probability_follows_wait_and_trend() {
        let mut pie = steady(0.1, 30);
        pie.qdelay = Duration::from_millis(40);
        close(pie.updated().drop_prob, 0.1 + 0.015_625);
        assert_eq!(pie.updated().qdelay_old, Duration::from_millis(40));
    }

    /// §5.5: a wait of a second would be 0.125 · 0.985 + 1.25 · 0.97 = 1.335625.
    #[test]
    fn a_great_step_is_capped_where_the_probability_is_high() {
        let step = |drop_prob| {
            let mut pie = steady(drop_prob, 30);
            pie.qdelay = Duration::from_secs(1);
            pie.updated().drop_prob - drop_prob
        };
        close(step(0.1), 0.02);
        close(step(0.09), 1.335_625 / 2.0);
        close(steady(0.999, 500).updated().drop_prob, 1.0);
    }

    /// (0.5 − 0.125 · 0.015) · 0.98; after a wait, 0.5 − 0.125 · 0.015 − 1.25 · 0.03.
    #[test]
    fn an_idle_queue_forgets() {
        close(steady(0.5, 0).updated().drop_prob, 0.488_162_5);
        let mut drained = steady(0.5, 30);
        drained.qdelay = Duration::ZERO;
        close(drained.updated().drop_prob, 0.460_625);
        close(steady(0.000_000_1, 0).updated().drop_prob, 0.0);
    }

    /// From 1 it takes 0.98ⁿ and the steps below 0.1 less than 300 updates; then no time matters.
    #[test]
    fn a_long_pause_ends_at_rest() {
        let mut pie = steady(1.0, 0);
        pie.catch_up(at(4_500));
        close(pie.control.drop_prob, 0.0);
        pie.catch_up(Time::from_nanos(u64::MAX / 2));
        assert_eq!(pie.control, Control { drop_prob: 0.0, ..steady(0.0, 0).control });
    }

    /// §4.4: nothing is dropped for 150 ms, however long the wait is; thereafter some are.
    #[test]
    fn a_burst_goes_through() {
        let mut pie = pie();
        let mut lost = Vec::new();
        for now in 1..1000 {
            pie.on_departure(at(now), after(200));
            if pie.on_arrival(at(now), waits(100_000)) != Verdict::Pass {
                lost.push(now);
            }
        }
        assert!(lost.len() > 5 && lost[0] > 150, "{lost:?}");
    }

    /// §4.4: after that the allowance is there again once all is short and the probability zero.
    #[test]
    fn the_allowance_comes_back_with_a_short_queue() {
        let check = |drop_prob, millis, expect| {
            let mut pie = steady(drop_prob, millis);
            pie.on_arrival(at(1), waits(0));
            assert_eq!(pie.control.burst_allowance, Duration::from_millis(expect));
        };
        check(0.0, 7, 150);
        check(0.0, 8, 0);
        check(0.1, 7, 0);
    }

    /// §4.1.
    #[test]
    fn a_short_queue_loses_nothing() {
        let lost = |drop_prob, millis, bytes| {
            let mut pie = steady(drop_prob, millis);
            (0..1000).filter(|_| pie.on_arrival(at(1), waits(bytes)) != Verdict::Pass).count()
        };
        assert_eq!(lost(0.19, 7, 100_000), 0);
        assert!(lost(0.19, 8, 100_000) > 100);
        assert!(lost(0.2, 7, 100_000) > 100);
        assert_eq!(lost(0.9, 30, 3000), 0);
        assert!(lost(0.9, 30, 3001) > 100);
    }

    /// §5.4: with 20 %, 0.85 is passed with the fifth packet since the last, 8.5 with the 43rd.
    #[test]
    fn drops_are_neither_close_nor_far_apart() {
        let mut pie = steady(0.2, 30);
        let lost: Vec<u32> =
            (0..100_000).filter(|_| pie.on_arrival(at(1), waits(9000)) != Verdict::Pass).collect();
        let gaps: Vec<u32> = lost.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(gaps.iter().all(|gap| (5..=43).contains(gap)), "{gaps:?}");
        // Four pass; then each goes with a chance of one in five.
        let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
        assert!((mean - 9.0).abs() < 0.2, "{mean}");
    }

    /// The sum begins anew also when a full queue takes the packet (appendix A).
    #[test]
    fn a_full_queue_counts_as_a_drop() {
        let mut pie = steady(0.2, 30);
        for _ in 0..1000 {
            for _ in 0..4 {
                assert_eq!(pie.on_arrival(at(1), waits(9000)), Verdict::Pass);
            }
            pie.on_refusal();
        }
    }

    /// §5.1.
    #[test]
    fn high_probabilities_drop_what_can_be_marked() {
        let verdicts = |drop_prob| {
            let mut pie = steady(drop_prob, 30);
            let verdicts: Vec<_> = (0..1000).map(|_| pie.on_arrival(at(1), waits(9000))).collect();
            let count = |verdict| verdicts.iter().filter(|&&other| other == verdict).count();
            (count(Verdict::Notify) > 10, count(Verdict::Drop) > 10)
        };
        assert_eq!(verdicts(0.099), (true, false));
        assert_eq!(verdicts(0.1), (false, true));
    }

    /// The pseudo-code of RFC 8033, appendix A, with a timer of `T_UPDATE` and times in seconds.
    struct Literal {
        random: Stream,
        drop_prob: f64,
        accu_prob: f64,
        qdelay: f64,
        qdelay_old: f64,
        burst_ms: u64,
    }

    impl Literal {
        fn timer(&mut self) {
            let mut p = 0.125 * (self.qdelay - 0.015) + 1.25 * (self.qdelay - self.qdelay_old);
            if self.drop_prob < 0.000_001 {
                p /= 2048.0;
            } else if self.drop_prob < 0.000_01 {
                p /= 512.0;
            } else if self.drop_prob < 0.000_1 {
                p /= 128.0;
            } else if self.drop_prob < 0.001 {
                p /= 32.0;
            } else if self.drop_prob < 0.01 {
                p /= 8.0;
            } else if self.drop_prob < 0.1 {
                p /= 2.0;
            }
            if self.drop_prob >= 0.1 && p > 0.02 {
                p = 0.02;
            }
            self.drop_prob += p;
            if self.qdelay <= 0.0 && self.qdelay_old <= 0.0 {
                self.drop_prob *= 0.98;
            }
            self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
            self.qdelay_old = self.qdelay;
            self.burst_ms = self.burst_ms.saturating_sub(15);
        }

        /// Whether a packet is dropped, and whether it could be marked instead.
        fn enqueue(&mut self, byte_length: u64) -> Verdict {
            if self.drop_prob <= 0.0 && self.qdelay < 0.0075 && self.qdelay_old < 0.0075 {
                self.burst_ms = 150;
            }
            if self.burst_ms > 0 || !self.drop_early(byte_length) {
                return Verdict::Pass;
            }
            self.accu_prob = 0.0;
            if self.drop_prob < 0.1 { Verdict::Notify } else { Verdict::Drop }
        }

        fn drop_early(&mut self, byte_length: u64) -> bool {
            if (self.qdelay_old < 0.0075 && self.drop_prob < 0.2) || byte_length <= 2 * 1500 {
                return false;
            }
            if self.drop_prob <= 0.0 {
                self.accu_prob = 0.0;
            }
            self.accu_prob += self.drop_prob;
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
            self.random.next_f64() < self.drop_prob
        }
    }

    proptest! {
        /// Decision by decision what the pseudo-code decides, over pauses of any length.
        #[test]
        fn it_is_the_pseudo_code(
            steps in prop::collection::vec(
                (prop_oneof![9 => 0_u64..20, 1 => 0_u64..3_000], 0_u64..90, any::<bool>()),
                1..600,
            )
        ) {
            let mut pie = pie();
            let mut literal = Literal {
                random: Stream::named(1, "pie"),
                drop_prob: 0.0,
                accu_prob: 0.0,
                qdelay: 0.0,
                qdelay_old: 0.0,
                burst_ms: 150,
            };
            let mut now = 0;
            for (pause, wait, is_arrival) in steps {
                for _ in now / 15..(now + pause) / 15 {
                    literal.timer();
                }
                now += pause;
                if is_arrival {
                    let bytes = wait * 100;
                    prop_assert_eq!(pie.on_arrival(at(now), waits(bytes)), literal.enqueue(bytes));
                } else {
                    let departure = Departure { bytes_behind: wait / 10, ..after(wait) };
                    pie.on_departure(at(now), departure);
                    literal.qdelay = if wait < 10 { 0.0 } else { wait as f64 / 1000.0 };
                }
                pie.catch_up(at(now));
                prop_assert_eq!(pie.control.drop_prob.to_bits(), literal.drop_prob.to_bits());
            }
        }
    }
}
