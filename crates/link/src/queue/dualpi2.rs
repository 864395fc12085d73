//! `DualPI2` (RFC 9332, appendix A): a queue for L4S and one for all else, whose probabilities a
//! controller of the wait couples.

use base::{Duration, Probability, Stream, Time};
use settings::{Bytes, Count, Factor, Fault, Nothing, OfTime, Or, Part, Positive, Table, Word};
use settings::{section, words};

use super::ticks::Ticks;
use super::{LONGEST_WAIT, Parameters, Start, Verdict};

words! {
    /// Which of the two queues is served while both have something.
    pub enum Scheduler {
        /// The classic one has its share of the bytes: weighted round robin.
        Wrr = "wrr",
        /// That whose head has waited longer, with a head start for L4S: a time-shifted FIFO.
        TimeShifted = "ts-fifo",
    }
}

settings::absent! {
    ByRttMax = "by rtt_max",
    SixthOfRttMax = "a sixth of rtt_max",
}

section! {
    /// `[queue.dualpi2]`: two coupled queues (RFC 9332, appendix A).
    #[derive(Copy)]
    pub struct Config {
        /// `RTT_max`: the greatest round-trip time of flows, from which what is not given follows
        /// by the rules of appendix A. Default: none, and the values of Linux.
        pub rtt_max: Option<Duration> as Or<Nothing, OfTime<6_000_000>> = None;
        /// The usual round-trip time of flows, which becomes the target. Default: Linux.
        pub rtt_typical: Option<Duration> as Or<SixthOfRttMax, OfTime<1_000_000>> = None;
        /// The wait in the classic queue that is aimed at. Default: `rtt_typical`, or 15 ms.
        pub target: Option<Duration> as Or<ByRttMax, OfTime<1_000, LONGEST_WAIT>> = None;
        /// `Tupdate`: how often the probability is adjusted. Default: the lesser of `rtt_typical`
        /// and a third of `rtt_max`, or 16 ms.
        pub update: Option<Duration> as Or<ByRttMax, OfTime<1_000_000>> = None;
        /// How much the probability grows, per second of wait beyond the target, with each
        /// adjustment. Default: a tenth of `update` over the square of `rtt_max`, or 0.16.
        pub alpha: Option<f64> as Or<ByRttMax, Factor> = None;
        /// How much it grows, per second that the wait has grown, with each adjustment. Default:
        /// 0.3 over `rtt_max`, or 3.2.
        pub beta: Option<f64> as Or<ByRttMax, Factor> = None;
        /// `k`: the coupled probability of L4S over the square root of the classic one. Default:
        /// RFC 9332 §2.1.
        pub coupling: f64 as Positive = 2.0;
        /// `minTh`: the wait in the L4S queue beyond which its packets are marked, whatever is
        /// coupled. Default: Linux.
        pub step: Duration as OfTime = Duration::from_millis(1);
        /// `range`: over how much more wait the chance of that grows to 1. Default: Linux, at
        /// once; the RFC has 400 us, and a step of 800 us.
        pub ramp: Duration as OfTime = Duration::ZERO;
        /// `Th_len`: only if more packets than this wait in the L4S queue. Default: RFC 9332,
        /// appendix A.
        pub step_packets: u32 as Count<u32, 0, 1_000_000_000> = 1;
        /// Where less than twice as much waits in both queues, nothing is dropped, and L4S is
        /// marked by its own wait alone; 0 B leaves that out. Default: a packet of 1500 B, as in
        /// Linux (RFC 9332, appendix A.1).
        pub mtu: u32 as Bytes<u32, 0, 65_535> = 1500;
        /// Which queue is served while both have something. Default: RFC 9332, appendix A.
        pub scheduler: Scheduler as Word<Scheduler> = Scheduler::Wrr;
        /// The share of the bytes that the classic queue then has with wrr. Default: Linux.
        pub classic_protection: Probability as Part = Probability::new(0.1).unwrap_or_default();
        /// `tshift`: the head start of L4S with ts-fifo. Default: RFC 9332, appendix A.
        pub time_shift: Duration as OfTime = Duration::from_millis(50);
    }
    only_with(classic_protection: scheduler is ["wrr"])
    only_with(time_shift: scheduler is ["ts-fifo"])
    check(Self::rtts)
}

impl Config {
    fn rtts(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        for (key, value) in [("rtt_typical", self.rtt_typical), ("target", self.target)] {
            if value.zip(self.rtt_max).is_some_and(|(value, max)| value > max) {
                let message = format!("{at}.{key} must not be above {at}.rtt_max");
                return tree.clash_at(at, &[key, "rtt_max"], message);
            }
        }
        Ok(())
    }

    /// The controller's parameters, each as given, by `RTT_max` (appendix A), or as in Linux.
    fn control(&self) -> Control {
        let usual = self.rtt_max.map_or(Control::LINUX, |max| {
            let typical = self.rtt_typical.unwrap_or(max / 6);
            let update = self.update.unwrap_or_else(|| typical.min(max / 3));
            let rtt = max.as_secs_f64();
            let alpha = update.as_secs_f64() / (10.0 * rtt * rtt);
            Control { target: typical, update, alpha, beta: 3.0 / (10.0 * rtt) }
        });
        Control {
            target: self.target.or(self.rtt_typical).unwrap_or(usual.target),
            update: self.update.unwrap_or(usual.update),
            alpha: self.alpha.unwrap_or(usual.alpha),
            beta: self.beta.unwrap_or(usual.beta),
        }
    }
}

impl Parameters for Config {
    /// Linux.
    const PACKETS: u32 = 10_000;

    fn start(&self, _: &dyn Fn(&str) -> Stream) -> Start {
        Start::Dual(*self)
    }
}

/// The parameters of the controller.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Control {
    target: Duration,
    update: Duration,
    /// In Hz.
    alpha: f64,
    beta: f64,
}

impl Control {
    const LINUX: Self = Self {
        target: Duration::from_millis(15),
        update: Duration::from_millis(16),
        alpha: 0.16,
        beta: 3.2,
    };
}

/// The probabilities, with the names of RFC 9332, appendix A.
#[derive(Debug)]
pub(super) struct Pi2 {
    config: Config,
    control: Control,
    ticks: Ticks,
    /// `p'`, the base probability.
    base: f64,
    /// `p_CL`, coupled to it: that of a mark for L4S.
    p_cl: f64,
    /// `p_C`, its square: that of a mark or a drop for all else.
    p_c: f64,
    prevq: Duration,
    l_count: f64,
    c_count: f64,
}

/// `p_Lmax`: once the coupled probability is as high, L4S loses packets like all else.
const P_L_MAX: f64 = 1.0;

impl Pi2 {
    /// At empty queues.
    pub(super) fn new(config: Config) -> Self {
        let control = config.control();
        Self {
            config,
            control,
            ticks: Ticks::new(control.update),
            base: 0.0,
            p_cl: 0.0,
            p_c: 0.0,
            prevq: Duration::ZERO,
            l_count: 0.0,
            c_count: 0.0,
        }
    }

    /// Makes the updates that are due by `now`, if the older head has waited since `oldest` all the
    /// while; `None` if nothing waits.
    pub(super) fn catch_up(&mut self, now: Time, oldest: Option<Time>) {
        let wait = |tick: Time| oldest.map_or(Duration::ZERO, |since| tick.saturating_since(since));
        while let Some(tick) = self.ticks.due(now) {
            let before = (self.base, self.prevq);
            self.update(wait(tick));
            // All further updates leave an idle queue at rest, and the probability at its most.
            let is_at_rest = oldest.is_none() && (self.base, self.prevq) == before;
            let is_at_most = self.base >= 1.0 && wait(tick) >= self.control.target;
            if (is_at_rest || is_at_most)
                && let Some(last) = self.ticks.skip(now)
            {
                self.prevq = wait(last);
            }
        }
    }

    /// `dualpi2_update`; `curq` is the longer of both waits, as where overload is provided for.
    fn update(&mut self, curq: Duration) {
        let Control { target, alpha, beta, .. } = self.control;
        let [wait, target, before] = [curq, target, self.prevq].map(Duration::as_secs_f64);
        let base = self.base + alpha * (wait - target) + beta * (wait - before);
        self.base = base.clamp(0.0, 1.0);
        self.p_cl = (self.config.coupling * self.base).min(P_L_MAX);
        self.p_c = self.base * self.base;
        self.prevq = curq;
    }

    /// True if the coupled probabilities spare a packet, where with it so many bytes wait in both
    /// queues: a link that is thin makes each packet wait.
    fn spares(&self, backlog: u64) -> bool {
        backlog < 2 * u64::from(self.config.mtu)
    }

    /// Decides on a packet of L4S, where so many `packets` are behind it, of which the first has
    /// waited for `wait`. With it `backlog` bytes waited.
    pub(super) fn on_l4s(&mut self, backlog: u64, packets: usize, wait: Duration) -> Verdict {
        let is_spared = self.spares(backlog);
        if is_spared || self.p_cl < P_L_MAX {
            let is_queue = packets > self.config.step_packets as usize;
            let native = if is_queue { self.native(wait) } else { 0.0 };
            let coupled = if is_spared { 0.0 } else { self.p_cl };
            return notified(recur(&mut self.l_count, native.max(coupled)));
        }
        if recur(&mut self.l_count, self.p_c) {
            return Verdict::Drop;
        }
        notified(recur(&mut self.l_count, self.p_cl))
    }

    /// Decides on another packet. With it `backlog` bytes waited.
    pub(super) fn on_classic(&mut self, backlog: u64) -> Verdict {
        if self.spares(backlog) {
            return Verdict::Pass;
        }
        let k = self.config.coupling;
        let p_c_max = (1.0 / (k * k)).min(1.0);
        let is_hit = recur(&mut self.c_count, self.p_c);
        if is_hit && self.p_c >= p_c_max { Verdict::Drop } else { notified(is_hit) }
    }

    /// `laqm`: the probability of a mark by the L4S queue's own `wait`.
    fn native(&self, wait: Duration) -> f64 {
        let Config { step, ramp, .. } = self.config;
        if wait >= step + ramp {
            return 1.0;
        }
        let beyond = wait.saturating_sub(step);
        if beyond == Duration::ZERO { 0.0 } else { beyond.as_secs_f64() / ramp.as_secs_f64() }
    }
}

const fn notified(is_hit: bool) -> Verdict {
    if is_hit { Verdict::Notify } else { Verdict::Pass }
}

/// True as often as `likelihood` says, evenly.
fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    let is_hit = *count > 1.0;
    if is_hit {
        *count -= 1.0;
    }
    is_hit
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    fn close(value: f64, expect: f64) {
        assert!((value - expect).abs() < 1e-12, "{value} is not {expect}");
    }

    fn pi2(config: Config, base: f64) -> Pi2 {
        let mut pi2 = Pi2 { base, prevq: millis(15), ..Pi2::new(config) };
        pi2.update(millis(15));
        pi2
    }

    /// In 1/256 Hz, as Linux keeps them: its own values, and those that its `tc` derives. Each with
    /// a typical round-trip time of 20 ms, and of a sixth of 300 ms.
    #[test]
    fn the_parameters_follow_from_round_trip_times() {
        let check = |rtts: Option<(u64, Option<u64>)>, times: [u64; 2], alpha: f64, beta: f64| {
            let rtt_max = rtts.map(|(max, _)| millis(max));
            let rtt_typical = rtts.and_then(|(_, typical)| typical.map(millis));
            let control = Config { rtt_max, rtt_typical, ..Config::default() }.control();
            assert_eq!([control.target, control.update], times.map(millis));
            close(256.0 * control.alpha, alpha);
            close(256.0 * control.beta, beta);
        };
        // Rounded 41 and 819; cut off 12 and 384, 14 and 256.
        check(None, [15, 16], 40.96, 819.2);
        check(Some((200, Some(20))), [20, 20], 12.8, 384.0);
        check(Some((300, None)), [50, 50], 128.0 / 9.0, 256.0);
        // Where a third of the greatest is less than the typical one.
        check(Some((30, Some(15))), [15, 10], 256.0 * 0.1 * 0.01 / 0.0009, 2560.0);
    }

    #[test]
    fn what_is_given_is_taken() {
        let given = Config {
            rtt_max: Some(millis(200)),
            target: Some(millis(1)),
            update: Some(millis(2)),
            beta: Some(7.0),
            ..Config::default()
        };
        let control = given.control();
        assert_eq!((control.target, control.update), (millis(1), millis(2)));
        close(control.alpha, 0.1 * 0.002 / 0.04);
        close(control.beta, 7.0);
        let alpha = Config { alpha: Some(0.5), ..Config::default() }.control();
        assert_eq!(alpha, Control { alpha: 0.5, ..Control::LINUX });
        let typical = Config { rtt_typical: Some(millis(5)), ..Config::default() }.control();
        assert_eq!(typical, Control { target: millis(5), ..Control::LINUX });
    }

    /// 0.1 + 0.16 · (0.025 − 0.015) + 3.2 · (0.025 − 0.015) = 0.1 + 0.0016 + 0.032.
    #[test]
    fn one_probability_gives_both() {
        let mut pi2 = pi2(Config::default(), 0.1);
        pi2.update(millis(25));
        close(pi2.base, 0.1336);
        close(pi2.p_cl, 0.2672);
        close(pi2.p_c, 0.1336 * 0.1336);
        pi2.update(millis(500));
        assert_eq!([pi2.base, pi2.p_cl, pi2.p_c].map(f64::to_bits), [1.0_f64.to_bits(); 3]);
        pi2.update(Duration::ZERO);
        assert_eq!([pi2.base, pi2.p_cl, pi2.p_c].map(f64::to_bits), [0; 3]);
    }

    #[test]
    fn hits_are_even() {
        let mut count = 0.0;
        let hits: Vec<_> = (1..=14).filter(|_| recur(&mut count, 0.25)).collect();
        assert_eq!(hits, [5, 9, 13], "a whole one is not above one");
        let mut sure = 0.0;
        assert_eq!([(); 3].map(|()| recur(&mut sure, 1.0)), [false, true, true]);
    }

    #[test]
    fn a_step_or_a_ramp_marks_l4s() {
        let check = |step, ramp, micros, expect| {
            let (step, ramp) = (Duration::from_micros(step), Duration::from_micros(ramp));
            let pi2 = Pi2::new(Config { step, ramp, ..Config::default() });
            close(pi2.native(Duration::from_micros(micros)), expect);
        };
        check(1000, 0, 999, 0.0);
        check(1000, 0, 1000, 1.0);
        check(800, 400, 800, 0.0);
        check(800, 400, 900, 0.25);
        check(800, 400, 1199, 0.9975);
        check(800, 400, 1200, 1.0);
        let mut pi2 = Pi2::new(Config::default());
        let mut behind = |packets| [(); 2].map(|()| pi2.on_l4s(9000, packets, millis(5)));
        assert_eq!(behind(1), [Verdict::Pass; 2]);
        assert_eq!(behind(2), [Verdict::Pass, Verdict::Notify]);
    }

    /// Of a base of 0.49 the classic probability is 0.2401 and the coupled one 0.98: at the fifth
    /// packet and at the second the sum is above one. At a base of one both add to one sum at once.
    #[test]
    fn a_short_backlog_is_spared() {
        let first = |base, mtu, backlog, is_l4s: bool| {
            let mut pi2 = pi2(Config { mtu, ..Config::default() }, base);
            let mut verdict = || {
                if is_l4s { pi2.on_l4s(backlog, 0, millis(9)) } else { pi2.on_classic(backlog) }
            };
            (1..=1000).map(|_| verdict()).position(|verdict| verdict != Verdict::Pass)
        };
        for (base, is_l4s, place) in
            [(0.49, false, 4), (0.49, true, 1), (1.0, false, 1), (1.0, true, 0)]
        {
            assert_eq!(first(base, 1500, 2999, is_l4s), None);
            assert_eq!(first(base, 1500, 3000, is_l4s), Some(place));
            assert_eq!(first(base, 1000, 1999, is_l4s), None);
            assert_eq!(first(base, 0, 0, is_l4s), Some(place), "that is left out");
        }
        let mut pi2 = pi2(Config::default(), 1.0);
        let own = [(); 2].map(|()| pi2.on_l4s(100, 2, millis(5)));
        assert_eq!(own, [Verdict::Pass, Verdict::Notify], "its own wait marks L4S");
    }

    /// From a base of a half on the coupled probability is one, and the classic one a quarter, so
    /// that no mark spares a packet. Of 4000 the sums exceed an integer one time less than
    /// 4000 · 0.25 and 4000 · 0.98, which are whole.
    #[test]
    fn overload_drops() {
        let verdicts = |base, is_l4s: bool| {
            let mut pi2 = pi2(Config::default(), base);
            let mut of =
                |_| if is_l4s { pi2.on_l4s(9000, 9, millis(0)) } else { pi2.on_classic(9000) };
            let verdicts: Vec<_> = (0..4000).map(&mut of).collect();
            let count = |verdict| verdicts.iter().filter(|&&other| other == verdict).count();
            [count(Verdict::Pass), count(Verdict::Notify), count(Verdict::Drop)]
        };
        assert_eq!(verdicts(0.49, false), [3040, 960, 0]);
        assert_eq!(verdicts(0.5, false), [3001, 0, 999]);
        assert_eq!(verdicts(0.49, true), [81, 3919, 0]);
        let [passed, marked, dropped] = verdicts(0.5, true);
        assert!(passed <= 1 && dropped.abs_diff(1000) <= 1, "{passed} {marked} {dropped}");
    }
}
