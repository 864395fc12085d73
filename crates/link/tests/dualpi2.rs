//! `DualPI2` beside the pseudo-code of RFC 9332, appendix A, line by line with a timer.

use std::collections::VecDeque;

use base::{Duration, Ecn, Probability, Time};
use link::queue::dualpi2::{self, Scheduler};
use link::queue::{Config, Discipline, Notice, Queue, Queued, Transmission, droptail::Limit};
use link::{Counters, Load};
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packet {
    number: usize,
    bytes: u32,
    ecn: Ecn,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn mark(&mut self) -> bool {
        self.ecn.mark()
    }

    fn is_l4s(&self) -> bool {
        self.ecn.is_l4s()
    }
}

/// A queue of the pseudo-code: times of arrival in ns, and `count` of `recur`.
#[derive(Default)]
struct Lq {
    packets: VecDeque<(u64, Packet)>,
    count: f64,
}

impl Lq {
    /// The sojourn time of the head, in seconds.
    fn time(&self, now: u64) -> f64 {
        self.packets.front().map_or(0.0, |(since, _)| (now - since) as f64 / 1e9)
    }

    fn recur(&mut self, likelihood: f64) -> bool {
        self.count += likelihood;
        if self.count > 1.0 {
            self.count -= 1.0;
            return true;
        }
        false
    }
}

/// What the pseudo-code has, with its names; `eighths` are those of bytes that the classic queue is
/// owed, by weighted round robin with an eighth for it.
struct Literal {
    lq: Lq,
    cq: Lq,
    k: f64,
    alpha: f64,
    beta: f64,
    target: f64,
    tupdate: u64,
    min_th: f64,
    range: f64,
    th_len: usize,
    /// Below twice as much of both queues neither is coupled, as in Linux (appendix A.1).
    mtu: u32,
    /// In ns, if the scheduler is a time-shifted FIFO.
    tshift: Option<u64>,
    limit: usize,
    p: f64,
    prevq: f64,
    eighths: i64,
    timer: u64,
}

/// What became of packets, in order: those dropped on departure, and the one that was sent.
type Departed = (Vec<usize>, Option<(usize, Ecn)>);

impl Literal {
    fn wait_until(&mut self, now: u64) {
        while self.timer + self.tupdate <= now {
            self.timer += self.tupdate;
            self.update();
        }
    }

    fn update(&mut self) {
        let curq = self.cq.time(self.timer).max(self.lq.time(self.timer));
        let p = self.p + self.alpha * (curq - self.target) + self.beta * (curq - self.prevq);
        self.p = p.clamp(0.0, 1.0);
        self.prevq = curq;
    }

    fn enqueue(&mut self, now: u64, packet: Packet) -> bool {
        if self.lq.packets.len() + self.cq.packets.len() >= self.limit {
            return false;
        }
        let is_odd = matches!(packet.ecn, Ecn::L4s | Ecn::Experienced);
        let queue = if is_odd { &mut self.lq } else { &mut self.cq };
        queue.packets.push_back((now, packet));
        true
    }

    /// True for `lq`.
    fn scheduler(&self, now: u64) -> bool {
        let (Some((l4s_since, _)), Some((classic_since, classic))) =
            (self.lq.packets.front(), self.cq.packets.front())
        else {
            return self.cq.packets.is_empty();
        };
        match self.tshift {
            Some(tshift) => now - l4s_since + tshift >= now - classic_since,
            None => self.eighths < 7 * i64::from(classic.bytes),
        }
    }

    fn laqm(&self, qdelay: f64) -> f64 {
        if qdelay >= self.min_th + self.range {
            1.0
        } else if qdelay > self.min_th {
            (qdelay - self.min_th) / self.range
        } else {
            0.0
        }
    }

    fn bytes(&self) -> u32 {
        self.lq.packets.iter().chain(&self.cq.packets).map(|(_, packet)| packet.bytes).sum()
    }

    fn dequeue(&mut self, now: u64) -> Departed {
        let mut dropped = Vec::new();
        let p_cmax = (1.0 / (self.k * self.k)).min(1.0);
        while self.lq.packets.len() + self.cq.packets.len() > 0 {
            let p = if self.bytes() < 2 * self.mtu { 0.0 } else { self.p };
            let (p_cl, p_c) = ((self.k * p).min(1.0), p * p);
            let is_lq = self.scheduler(now);
            let queue = if is_lq { &mut self.lq } else { &mut self.cq };
            let (_, mut packet) = queue.packets.pop_front().expect("the scheduler chose it");
            if is_lq {
                if p_cl < 1.0 {
                    let is_queue = self.lq.packets.len() > self.th_len;
                    let native = if is_queue { self.laqm(self.lq.time(now)) } else { 0.0 };
                    if self.lq.recur(native.max(p_cl)) {
                        packet.ecn = Ecn::Experienced;
                    }
                } else {
                    if self.lq.recur(p_c) {
                        dropped.push(packet.number);
                        continue;
                    }
                    if self.lq.recur(p_cl) {
                        packet.ecn = Ecn::Experienced;
                    }
                }
            } else if self.cq.recur(p_c) {
                if packet.ecn == Ecn::NotCapable || p_c >= p_cmax {
                    dropped.push(packet.number);
                    continue;
                }
                packet.ecn = Ecn::Experienced;
            }
            let are_both = !self.lq.packets.is_empty() && !self.cq.packets.is_empty();
            let share = if is_lq { 1 } else { -7 };
            let owed = self.eighths + share * i64::from(packet.bytes);
            self.eighths = if are_both { owed } else { 0 };
            return (dropped, Some((packet.number, packet.ecn)));
        }
        (dropped, None)
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Arrives(u32, Ecn),
    Leaves,
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let ecn = select(vec![Ecn::NotCapable, Ecn::Capable, Ecn::L4s, Ecn::L4s, Ecn::Experienced]);
    let arrives = (1_u32..1_500, ecn).prop_map(|(bytes, ecn)| Step::Arrives(bytes, ecn));
    let step = prop_oneof![5 => arrives, 4 => Just(Step::Leaves)];
    // In ns: mostly close together, sometimes so far apart that the queues are long at rest.
    let pause = prop_oneof![
        30 => 0_u64..3_000_000,
        3 => 0_u64..100_000_000,
        1 => 0_u64..30_000_000_000,
    ];
    prop::collection::vec((pause, step), 1..800)
}

prop_compose! {
    fn config()(
        rtt_max in prop::option::of(10_u64..300),
        target in prop::option::of(0_u64..30),
        coupling in select(vec![0.5, 1.0, 2.0, 3.0]),
        (step, ramp) in select(vec![(1000_u64, 0_u64), (800, 400), (0, 0), (5000, 20_000)]),
        step_packets in 0_u32..3,
        mtu in select(vec![0, 200, 1500]),
        shift in prop::option::of(0_u64..60),
    ) -> dualpi2::Config {
        dualpi2::Config {
            rtt_max: rtt_max.map(Duration::from_millis),
            target: target.map(Duration::from_millis),
            coupling,
            step: Duration::from_micros(step),
            ramp: Duration::from_micros(ramp),
            step_packets,
            mtu,
            scheduler: if shift.is_some() { Scheduler::TimeShifted } else { Scheduler::Wrr },
            classic_protection: Probability::new(0.125).expect("in range"),
            time_shift: Duration::from_millis(shift.unwrap_or_default()),
            ..dualpi2::Config::default()
        }
    }
}

/// The same parameters, derived once more: without `RTT_max` those of Linux.
fn literal(config: &dualpi2::Config, limit: usize) -> Literal {
    let rtt = config.rtt_max.map(Duration::as_nanos);
    let typical = rtt.map_or(15_000_000, |rtt| rtt / 6);
    let tupdate = rtt.map_or(16_000_000, |rtt| typical.min(rtt / 3));
    let seconds = |nanos: u64| nanos as f64 / 1e9;
    let target = config.target.map_or(typical, Duration::as_nanos);
    let square = |rtt: u64| seconds(rtt) * seconds(rtt);
    Literal {
        lq: Lq::default(),
        cq: Lq::default(),
        k: config.coupling,
        alpha: rtt.map_or(0.16, |rtt| seconds(tupdate) / (10.0 * square(rtt))),
        beta: rtt.map_or(3.2, |rtt| 3.0 / (10.0 * seconds(rtt))),
        target: seconds(target),
        tupdate,
        min_th: config.step.as_secs_f64(),
        range: config.ramp.as_secs_f64(),
        th_len: config.step_packets as usize,
        mtu: config.mtu,
        tshift: (config.scheduler == Scheduler::TimeShifted).then(|| config.time_shift.as_nanos()),
        limit,
        p: 0.0,
        prevq: 0.0,
        eighths: 0,
        timer: 0,
    }
}

fn compare(config: dualpi2::Config, limit: u32, steps: &[(u64, Step)]) -> Counters {
    let queue = Config {
        limit: Limit { packets: Some(limit), bytes: None },
        discipline: Discipline::DualPi2(config),
        notice: Notice::Drop,
    };
    let mut queue: Queue<Packet> = Queue::new(&queue, 1, "test");
    let mut literal = literal(&config, limit as usize);
    let (mut counters, mut now) = (Counters::default(), 0);
    for (number, &(pause, step)) in steps.iter().enumerate() {
        now += pause;
        literal.wait_until(now);
        let at = Time::from_nanos(now);
        if let Step::Arrives(bytes, ecn) = step {
            let packet = Packet { number, bytes, ecn };
            let pushed = queue.push(at, packet, Transmission::default(), &mut counters);
            assert_eq!(pushed.is_ok(), literal.enqueue(now, packet), "{number}");
        } else {
            let sent = queue.pop(at, &mut counters);
            let sent = sent.map(|Queued { packet, .. }| (packet.number, packet.ecn));
            let gone = std::iter::from_fn(|| queue.poll_gone()).map(|gone| gone.packet.number);
            assert_eq!((gone.collect::<Vec<_>>(), sent), literal.dequeue(now), "{number}");
        }
    }
    counters
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Packet by packet the same, whatever the parameters, and over pauses of any length.
    #[test]
    fn it_is_the_pseudo_code(config in config(), limit in 1_u32..300, steps in steps()) {
        compare(config, limit, &steps);
    }
}

/// A long overload, in which every branch is taken.
#[test]
fn overload_comes_and_goes() {
    let ecns = [Ecn::NotCapable, Ecn::L4s, Ecn::Capable, Ecn::L4s, Ecn::L4s];
    let burst = |count: usize| {
        let arrival = |number: usize| (10_000, Step::Arrives(1000, ecns[number % ecns.len()]));
        (0..count).map(arrival)
    };
    let leaves = |count, pause| std::iter::repeat_n((pause, Step::Leaves), count);
    let steps: Vec<_> = burst(600).chain(leaves(500, 1_000_000)).chain(burst(9)).collect();
    let classic_protection = Probability::new(0.125).expect("in range");
    let config = dualpi2::Config { classic_protection, ..dualpi2::Config::default() };
    let counters = compare(config, 10_000, &steps);
    assert!(counters.drops.aqm > 20 && counters.marks > 100, "{counters:?}");
}
