//! Laws of every queue, loss, schedule and trace together, and the pipe as a special case.

use std::collections::VecDeque;

use base::{Duration, Probability, Rate, Schedule, Time};
use link::disorder;
use link::disorder::jitter::{self, Distribution, Order};
use link::loss::{self, gilbert_elliott, outage::Outage};
use link::queue::dualpi2::Scheduler;
use link::queue::fq_codel::Backlog;
use link::queue::{
    self, Discipline, Disciplines, Kind, Notice, cake, codel, droptail::Limit, dualpi2, fair,
    fq_codel, pie, red,
};
use link::{Config, Link, LinkConfig, Load, Output, Pipe, Service, Trace};
use observe::DropReason;
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packet {
    number: usize,
    bytes: u32,
    is_capable: bool,
    is_marked: bool,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }

    fn is_pure_ack(&self) -> bool {
        self.bytes <= 40
    }

    fn mark(&mut self) -> bool {
        self.is_marked |= self.is_capable;
        self.is_capable
    }

    fn is_l4s(&self) -> bool {
        self.is_capable && self.number.is_multiple_of(4)
    }

    fn flow(&self) -> u64 {
        self.number as u64 % 3
    }

    fn hosts(&self) -> [u32; 2] {
        [self.number as u32 % 3 / 2, 0]
    }

    fn dscp(&self) -> u8 {
        [0, 46, 8][self.number % 3]
    }
}

const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

fn probability(value: f64) -> Probability {
    Probability::new(value).expect("in range")
}

fn schedule<V: Copy + std::fmt::Debug>(
    value: impl Strategy<Value = V> + Clone,
) -> impl Strategy<Value = Schedule<V>> {
    let steps = prop::collection::vec((0_u64..2_000, value.clone()), 0..4);
    (value, steps).prop_map(|(first, mut steps)| {
        steps.sort_by_key(|step| step.0);
        Schedule::new(first, steps.into_iter().map(|(ms, value)| (at(ms), value)).collect())
    })
}

fn service() -> impl Strategy<Value = Service> {
    let rate = prop::option::of((8_000_u64..800_000).prop_map(Rate::from_bps));
    let trace = prop::collection::vec(0_u64..60, 1..12).prop_map(|mut stamps| {
        stamps.sort_unstable();
        stamps.push(60);
        let lines: Vec<_> = stamps.iter().map(u64::to_string).collect();
        Service::Trace(Trace::parse(lines.join("\n").as_bytes()).expect("valid"))
    });
    prop_oneof![schedule(rate).prop_map(Service::Rate), trace, load_trace()]
}

/// A trace that depends on load.
fn load_trace() -> impl Strategy<Value = Service> {
    let after = |most| prop::collection::vec((0_u64..most, 1_u32..4), 1..6);
    let trains = prop::collection::vec(after(80), 1..4);
    let delays = prop::collection::vec(0_u64..40, 0..4);
    (1_u64..60, trains, delays, after(60)).prop_map(|(idle, trains, delays, mut heavy)| {
        let mut table = vec![format!("series,at_ms,ms,packets\nidle,,{idle},")];
        for (number, mut train) in trains.into_iter().enumerate() {
            train.sort_unstable();
            for (after, packets) in train {
                table.push(format!("light,{},{after}.5,{packets}", number * 15));
            }
        }
        for (number, delay) in delays.into_iter().enumerate() {
            table.push(format!("delay,{},{delay},", number * 14));
        }
        heavy.sort_unstable();
        for (at, packets) in heavy.into_iter().chain([(60, 1)]) {
            table.push(format!("heavy,{at},,{packets}"));
        }
        Service::Trace(Trace::parse(table.join("\n").as_bytes()).expect("valid"))
    })
}

fn discipline() -> impl Strategy<Value = Discipline> {
    let red = (0.0..5.0_f64, 0.001..0.5_f64, any::<bool>()).prop_map(|(min, weight, gentle)| {
        Discipline::Red(red::Config {
            min_threshold: min,
            max_threshold: min * 2.0 + 1.0,
            max_probability: probability(0.2),
            weight: probability(weight),
            gentle,
            mean_packet: 500,
            ..Default::default()
        })
    });
    let codel = (1_u64..20, 20_u64..100).prop_map(|(target, interval)| {
        Discipline::CoDel(codel::Config {
            target: Duration::from_millis(target),
            interval: Duration::from_millis(interval),
            mtu: 100,
        })
    });
    let fair = (1_u32..2_000).prop_map(|quantum| Discipline::Fair(fair::Config { quantum }));
    let fq_codel = (1_u32..2_000, 1_u32..4, 1_u32..70, 1_u64..20, any::<bool>()).prop_map(
        |(quantum, flows, drop_batch, target, sees_all)| {
            let codel = codel::Config {
                target: Duration::from_millis(target),
                interval: Duration::from_millis(2 * target),
                mtu: 100,
            };
            let backlog = if sees_all { Backlog::All } else { Backlog::Own };
            Discipline::FqCoDel(fq_codel::Config { codel, quantum, flows, drop_batch, backlog })
        },
    );
    let pie = (1_u64..50, 1_u64..50, 0.0..2.0_f64, 0_u64..100).prop_map(
        |(target, update, alpha, max_burst)| {
            Discipline::Pie(pie::Config {
                target: Duration::from_millis(target),
                update: Duration::from_millis(update),
                alpha,
                beta: 10.0 * alpha,
                max_burst: Duration::from_millis(max_burst),
                ecn_threshold: probability(0.1),
                mean_packet: 40,
            })
        },
    );
    let dualpi2 = (0_u64..30, 1_u64..50, 0.1..3.0_f64, any::<bool>(), 0.0..0.9_f64).prop_map(
        |(target, update, coupling, is_wrr, share)| {
            Discipline::DualPi2(dualpi2::Config {
                target: Some(Duration::from_millis(target)),
                update: Some(Duration::from_millis(update)),
                alpha: Some(10.0),
                coupling,
                scheduler: if is_wrr { Scheduler::Wrr } else { Scheduler::TimeShifted },
                classic_protection: probability(share),
                ..dualpi2::Config::default()
            })
        },
    );
    let rate = prop::option::of((8_000_u64..800_000).prop_map(Rate::from_bps));
    let (tins, isolation) =
        (select(cake::Tins::ALL.to_vec()), select(cake::Isolation::ALL.to_vec()));
    let framing = select(cake::Framing::ALL.to_vec());
    let cake = (rate, 0_u32..100, framing, 1_u64..200, tins, isolation).prop_map(
        |(rate, overhead, framing, rtt, tins, isolation)| {
            let (mpu, rtt) = (64, Duration::from_millis(rtt));
            Discipline::Cake(cake::Config { rate, overhead, mpu, framing, rtt, tins, isolation })
        },
    );
    let usual = select(Kind::ALL.to_vec()).prop_map(|kind| Disciplines::default().of(kind));
    prop_oneof![usual, red, codel, fair, fq_codel, pie, dualpi2, cake]
}

fn losses() -> impl Strategy<Value = loss::Config> {
    let bernoulli = schedule((0.0..0.5_f64).prop_map(probability));
    let burst = (0.0..0.2_f64, 0.1..1.0_f64).prop_map(|(p, r)| gilbert_elliott::Config {
        p: probability(p),
        r: probability(r),
        loss_good: probability(0.01),
        loss_bad: probability(0.9),
    });
    let outage = (0_u64..1_000, 1_u64..500).prop_map(|(from, length)| {
        vec![
            Outage { from: at(from), to: at(from + length) },
            Outage { from: at(from + length + 10), to: at(from + length + 20) },
        ]
    });
    (prop::option::of(bernoulli), prop::option::of(burst), prop_oneof![Just(Vec::new()), outage])
        .prop_map(|(bernoulli, gilbert_elliott, outages)| loss::Config {
            bernoulli,
            gilbert_elliott,
            outages,
        })
}

prop_compose! {
    fn link()(
        service in service(),
        delay in schedule((0_u64..200).prop_map(Duration::from_millis)),
        discipline in discipline(),
        packets in prop::option::of(1_u32..20),
        bytes in prop::option::of(100_u64..20_000),
        marks in any::<bool>(),
        drop_arrivals in prop::collection::vec(0_u64..100, 0..5),
        loss in losses(),
    ) -> LinkConfig {
        let notice = if marks { Notice::Mark } else { Notice::Drop };
        let queue = queue::Config { limit: Limit { packets, bytes }, discipline, notice };
        let disorder = disorder::Config::default();
        LinkConfig { service, delay, queue, drop_arrivals, loss, disorder }
    }
}

fn traffic() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    prop::collection::vec((0_u64..30, 1_u32..1_600, any::<bool>()), 1..200)
}

/// What becomes of packets, watched from outside.
struct Watch {
    link: Link<Packet>,
    /// Which packets stay in order: all of the same number.
    order: fn(&Packet) -> usize,
    inside: VecDeque<Packet>,
    entered: Vec<Time>,
    delivered: usize,
    dropped: u64,
    marked: u64,
}

impl Watch {
    fn of(config: &LinkConfig) -> Self {
        let link = Link::new(config, 7, "test");
        let order: fn(&Packet) -> usize = match config.queue.discipline {
            Discipline::Fair(_) | Discipline::FqCoDel(_) | Discipline::Cake(_) => {
                |packet| packet.number % 3
            }
            Discipline::DualPi2(_) => |packet| usize::from(packet.is_l4s()),
            Discipline::DropTail
            | Discipline::Red(_)
            | Discipline::CoDel(_)
            | Discipline::Pie(_) => |_| 0,
        };
        Self {
            link,
            order,
            inside: VecDeque::new(),
            entered: Vec::new(),
            delivered: 0,
            dropped: 0,
            marked: 0,
        }
    }

    fn poll(&mut self, now: Time) {
        while let Some(output) = self.link.poll_output(now) {
            match output {
                Output::Delivered(packet) => {
                    let order = (self.order)(&packet);
                    let next = self.inside.iter().position(|other| (self.order)(other) == order);
                    let next = next.and_then(|place| self.inside.remove(place));
                    let next = next.expect("only what is inside is delivered");
                    assert_eq!(next.number, packet.number, "out of order at {now:?}");
                    assert!(!packet.is_marked || packet.is_capable);
                    assert!(packet.is_marked || !next.is_marked, "a mark is lost");
                    self.marked += u64::from(packet.is_marked && !next.is_marked);
                    self.delivered += 1;
                }
                Output::Duplicated(_) | Output::Corrupted(..) => {
                    unreachable!("the wire disorders nothing")
                }
                Output::Dropped(dropped) => {
                    let number = dropped.packet.number;
                    let place = self.inside.iter().position(|inside| inside.number == number);
                    let inside = place.and_then(|place| self.inside.remove(place));
                    let inside = inside.expect("only what is inside is dropped");
                    self.dropped += 1;
                    self.marked += u64::from(dropped.packet.is_marked && !inside.is_marked);
                }
            }
        }
        let due = self.link.poll_timeout();
        assert!(due.is_none_or(|due| due > now), "due at {due:?}, which is not after {now:?}");
    }

    /// Wakes the link whenever it asks, up to `until`.
    fn run(&mut self, until: Time) {
        while let Some(due) = self.link.poll_timeout().filter(|&due| due <= until) {
            self.poll(due);
        }
        self.poll(until);
    }

    fn enter(&mut self, now: Time, packet: Packet) {
        self.entered.push(now);
        match self.link.handle_input(now, packet) {
            Ok(()) => self.inside.push_back(packet),
            Err(dropped) => {
                assert_eq!(dropped.packet.number, packet.number);
                self.dropped += 1;
            }
        }
    }
}

/// A packet, which may have been marked on its way to the link (CE): it never leaves without.
fn packet((number, (_, bytes, is_capable)): (usize, &(u64, u32, bool))) -> Packet {
    let is_marked = *is_capable && number % 5 == 3;
    Packet { number, bytes: *bytes, is_capable: *is_capable, is_marked }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// In = out + dropped + inside, in order, whole, whatever the link is like.
    #[test]
    fn packets_are_conserved_in_order(config in link(), traffic in traffic()) {
        let (mut watch, mut now) = (Watch::of(&config), 0);
        for (number, step) in traffic.iter().enumerate() {
            now += step.0;
            watch.run(at(now));
            watch.enter(at(now), packet((number, step)));
            let inside = watch.link.in_flight();
            prop_assert_eq!(inside, watch.inside.len());
            prop_assert_eq!(number + 1, watch.delivered + watch.dropped as usize + inside);
        }
        let limits = config.queue.limit;
        let counters = watch.link.counters(at(now));
        prop_assert!(limits.packets.is_none_or(|limit| counters.queue_max <= limit));
        watch.run(at(100_000_000));
        let counters = watch.link.counters(at(100_000_000));
        prop_assert_eq!(watch.link.in_flight(), 0);
        prop_assert_eq!(traffic.len(), watch.delivered + watch.dropped as usize);
        prop_assert_eq!(counters.drops.total(), watch.dropped);
        prop_assert!(counters.marks >= watch.marked);
        let marks = config.queue.notice == Notice::Mark
            || matches!(config.queue.discipline, Discipline::DualPi2(_) | Discipline::Cake(_));
        prop_assert!(marks || counters.marks == 0);
        let used = watch.link.utilization(at(100_000_000));
        prop_assert!(used.is_none_or(|used| (0.0..=1.0).contains(&used)), "{:?}", used);
    }

    /// An early or a late wake changes nothing but when packets are looked at.
    #[test]
    fn when_it_is_polled_changes_nothing(config in link(), traffic in traffic()) {
        let run = |busy: bool| {
            let (mut watch, mut now) = (Watch::of(&config), 0);
            for (number, step) in traffic.iter().enumerate() {
                for millis in now..now + step.0 * u64::from(busy) {
                    watch.run(at(millis));
                }
                now += step.0;
                watch.enter(at(now), packet((number, step)));
            }
            watch.run(at(100_000_000));
            (watch.delivered, watch.link.counters(at(100_000_000)))
        };
        prop_assert_eq!(run(true), run(false));
    }

    /// The pipe is the fast path of the plain link: packet for packet, time for time.
    #[test]
    fn a_plain_link_is_a_pipe(
        kbps in prop::option::of(8_u64..800),
        delay in 0_u64..100,
        queue_limit in prop::option::of(1_u32..10),
        traffic in traffic(),
    ) {
        let rate = kbps.map(|kbps| Rate::from_bps(kbps * 1000));
        let limit = Limit { packets: queue_limit, bytes: None };
        let delay = Duration::from_millis(delay);
        let config = LinkConfig {
            service: Service::Rate(Schedule::constant(rate)),
            delay: Schedule::constant(delay),
            queue: queue::Config { limit, ..queue::Config::UNLIMITED },
            drop_arrivals: Vec::new(),
            loss: loss::Config::default(),
            disorder: disorder::Config::default(),
        };
        let plain = Config { rate, delay, queue_limit };
        prop_assert_eq!(config.as_pipe(), Some(plain));
        let (mut link, mut pipe) = (Link::new(&config, 1, "plain"), Pipe::new(&plain));
        let mut now = Time::ZERO;
        for (number, step) in traffic.iter().enumerate() {
            let then = now + Duration::from_millis(step.0);
            while let Some(due) = pipe.poll_timeout().filter(|&due| due <= then) {
                while link.poll_timeout().is_some_and(|turn| turn < due) {
                    prop_assert_eq!(link.poll_output(link.poll_timeout().unwrap_or(due)), None);
                }
                let packet = pipe.poll_output(due).map(Output::Delivered);
                prop_assert_eq!(link.poll_output(due), packet);
            }
            now = then;
            let packet = packet((number, step));
            let refused = pipe.handle_input(now, packet);
            prop_assert_eq!(link.handle_input(now, packet).map_err(|gone| gone.packet), refused);
            prop_assert_eq!(link.counters(now), pipe.counters(now));
            prop_assert_eq!(link.in_flight(), pipe.in_flight());
        }
    }
}

/// A course of values, and one that is alike before `change` and differs from then on.
fn courses<V: Copy + std::fmt::Debug>(
    value: impl Strategy<Value = V> + Clone,
    change: u64,
) -> impl Strategy<Value = [Schedule<V>; 2]> {
    let steps = || prop::collection::vec((0_u64..2_000, value.clone()), 0..4);
    (value.clone(), steps(), steps()).prop_map(move |(first, before, after)| {
        let of = |later: &[(u64, V)]| {
            let mut steps: Vec<_> = before.iter().filter(|step| step.0 < change).copied().collect();
            steps.extend(later.iter().filter(|step| step.0 >= change));
            steps.sort_by_key(|step| step.0);
            Schedule::new(first, steps.into_iter().map(|(ms, value)| (at(ms), value)).collect())
        };
        [of(&before), of(&after)]
    })
}

/// Outages at 1 to 2 s, and such as differ from `change` on.
fn outages(change: u64) -> impl Strategy<Value = [Vec<Outage>; 2]> {
    (0_u64..2_000, 1_u64..500, any::<bool>()).prop_map(move |(from, length, is_early)| {
        let outage = |from, to| Outage { from: at(from), to: at(to) };
        if is_early && from < change {
            // One that is under way is over at once, or lasts for longer.
            let end = (from + length).max(change);
            return [vec![outage(from, end + 100)], vec![outage(from, end)]];
        }
        [Vec::new(), vec![outage(change.max(from), change.max(from) + length)]]
    })
}

prop_compose! {
    /// A wire that disorders packets, without and with a change.
    fn disorders(change: u64)(
        jitters in courses((0_u64..50).prop_map(Duration::from_millis), change),
        chances in prop::collection::vec(
            courses(prop_oneof![Just(0.0), 0.0..0.5_f64].prop_map(probability), change),
            3,
        ),
        distribution in select(Distribution::ALL.to_vec()),
        order in select(Order::ALL.to_vec()),
        distance in 1_u32..5,
        hold in (0_u64..100).prop_map(Duration::from_millis),
    ) -> [disorder::Config; 2] {
        [0, 1].map(|which| disorder::Config {
            jitter: jitter::Config { extent: jitters[which].clone(), distribution, order },
            reorder: chances[0][which].clone(),
            distance,
            hold,
            duplicate: chances[1][which].clone(),
            corrupt: chances[2][which].clone(),
        })
    }
}

/// Nothing before `change`, and from then on what `disorder` does at last.
fn begun(disorder: &disorder::Config, change: u64) -> disorder::Config {
    let never = |course: &Schedule<_>| from(Probability::NEVER, course, change);
    let disorder::Config { jitter, reorder, duplicate, corrupt, .. } = disorder;
    disorder::Config {
        jitter: jitter::Config {
            extent: from(Duration::ZERO, &jitter.extent, change),
            ..jitter.clone()
        },
        reorder: never(reorder),
        duplicate: never(duplicate),
        corrupt: never(corrupt),
        ..disorder.clone()
    }
}

/// `none`, and from `change` on the last value of `course`.
fn from<V: Copy>(none: V, course: &Schedule<V>, change: u64) -> Schedule<V> {
    Schedule::new(none, vec![(at(change), course.at(at(100_000)))])
}

prop_compose! {
    /// When a link changes, and what it is like without and with the change.
    fn changes()(change in 0_u64..1_500)(
        rates in courses(prop::option::of((8_000_u64..800_000).prop_map(Rate::from_bps)), change),
        is_plain in any::<bool>(),
        delays in courses((0_u64..200).prop_map(Duration::from_millis), change),
        chances in courses(prop_oneof![Just(0.0), 0.0..0.5_f64].prop_map(probability), change),
        outages in outages(change),
        disorders in disorders(change),
        begins in any::<bool>(),
        link in link(),
        change in Just(change),
    ) -> (u64, [LinkConfig; 2]) {
        let [mut old, mut new] = [0, 1].map(|which| {
            let chance = &chances[which];
            let loses = chance.values().any(|chance| chance != Probability::NEVER);
            LinkConfig {
                service: match &link.service {
                    Service::Rate(_) => Service::Rate(rates[which].clone()),
                    trace @ Service::Trace(_) => trace.clone(),
                },
                delay: delays[which].clone(),
                loss: loss::Config {
                    bernoulli: loses.then(|| chance.clone()),
                    outages: outages[which].clone(),
                    ..link.loss.clone()
                },
                disorder: match (begins, which) {
                    (false, _) => disorders[which].clone(),
                    (true, 0) => disorder::Config::default(),
                    (true, _) => begun(&disorders[1], change),
                },
                ..link.clone()
            }
        });
        if is_plain {
            // What it is like ahead of the change is a pipe.
            let limit = Limit { bytes: None, ..old.queue.limit };
            old = LinkConfig {
                service: Service::Rate(rates[1].at(Time::ZERO).into()),
                delay: delays[1].at(Time::ZERO).into(),
                queue: queue::Config { limit, ..queue::Config::UNLIMITED },
                drop_arrivals: Vec::new(),
                loss: loss::Config::default(),
                disorder: disorder::Config::default(),
            };
            new = LinkConfig {
                service: Service::Rate(later(&rates[1], change)),
                delay: later(&delays[1], change),
                loss: loss::Config {
                    bernoulli: new.loss.bernoulli.map(|chance| {
                        let after = chance.at(at(change));
                        Schedule::new(Probability::NEVER, vec![(at(change), after)])
                    }),
                    gilbert_elliott: None,
                    outages: if outages[0].is_empty() { outages[1].clone() } else { Vec::new() },
                },
                disorder: begun(&disorders[1], change),
                ..old.clone()
            };
        }
        (change, [old, new])
    }
}

/// The first value, and from `change` on the last.
fn later<V: Copy>(course: &Schedule<V>, change: u64) -> Schedule<V> {
    let last = course.at(at(100_000));
    Schedule::new(course.at(Time::ZERO), vec![(at(change), last)])
}

/// What becomes of each packet and when, and the counters at the end.
fn outcomes(
    link: &mut Link<Packet>,
    traffic: &[(u64, u32, bool)],
    (from, to): (u64, u64),
) -> Vec<(Time, Output<Packet>)> {
    let mut seen = Vec::new();
    let mut run = |link: &mut Link<Packet>, until: Time| {
        while let Some(due) = link.poll_timeout().filter(|&due| due < until) {
            while let Some(output) = link.poll_output(due) {
                seen.push((due, output));
            }
        }
    };
    let mut now = 0;
    for (number, step) in traffic.iter().enumerate() {
        now += step.0;
        if !(from..to).contains(&now) {
            continue;
        }
        run(link, Time::from_nanos(at(now).as_nanos() + 1));
        // A refused packet shows in the counters.
        link.handle_input(at(now), packet((number, step))).ok();
    }
    run(link, at(to));
    seen
}

/// What becomes of each packet of `traffic` in a pipe up to `to`.
fn outcomes_of_pipe(
    pipe: &mut Pipe<Packet>,
    traffic: &[(u64, u32, bool)],
    to: u64,
) -> Vec<(Time, Output<Packet>)> {
    let mut seen = Vec::new();
    let mut run = |pipe: &mut Pipe<Packet>, until: Time| {
        while let Some(due) = pipe.poll_timeout().filter(|&due| due < until) {
            seen.extend(pipe.poll_output(due).map(|packet| (due, Output::Delivered(packet))));
        }
    };
    let mut now = 0;
    for (number, step) in traffic.iter().enumerate() {
        now += step.0;
        if now < to {
            run(pipe, Time::from_nanos(at(now).as_nanos() + 1));
            pipe.handle_input(at(now), packet((number, step))).ok();
        }
    }
    run(pipe, at(to));
    seen
}

const END: u64 = 100_000_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// A change is what a step of a schedule at its time is: packet for packet, time for time.
    #[test]
    fn a_change_is_a_step_of_a_schedule((change, [old, new]) in changes(), traffic in traffic()) {
        let mut known = Link::new(&new, 7, "test");
        let expect = outcomes(&mut known, &traffic, (0, END));
        let (mut link, mut seen);
        if let Some(plain) = old.as_pipe() {
            let mut pipe = Pipe::new(&plain);
            seen = outcomes_of_pipe(&mut pipe, &traffic, change);
            link = Link::of_pipe(at(change), pipe);
        } else {
            link = Link::new(&old, 7, "test");
            seen = outcomes(&mut link, &traffic, (0, change));
        }
        link.reconfigure(at(change), &new, 7, "test");
        seen.extend(outcomes(&mut link, &traffic, (change, END)));
        prop_assert_eq!(seen, expect);
        prop_assert_eq!(link.counters(at(END)), known.counters(at(END)));
        // One that a change made knows only what came after it.
        prop_assert!(link.disorder().is_none() || link.disorder() == known.disorder());
    }
}

/// Anything beyond a constant rate and a limit in packets takes the general link.
#[test]
fn what_no_pipe_can_do() {
    let plain = LinkConfig {
        service: Service::Rate(Schedule::constant(None)),
        delay: Schedule::constant(Duration::ZERO),
        queue: queue::Config::UNLIMITED,
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    assert!(plain.as_pipe().is_some());
    let step = |rate| vec![(at(1), rate)];
    let codel =
        codel::Config { target: Duration::ZERO, interval: Duration::from_millis(1), mtu: 1 };
    let fair = fair::Config { quantum: 1514 };
    let outage = Outage { from: at(1), to: at(2) };
    let trace = Trace::parse(b"1").expect("valid");
    let others = [
        LinkConfig { service: Service::Trace(trace), ..plain.clone() },
        LinkConfig {
            service: Service::Rate(Schedule::new(None, step(Some(Rate::from_bps(1))))),
            ..plain.clone()
        },
        LinkConfig {
            delay: Schedule::new(Duration::ZERO, vec![(at(1), Duration::from_millis(1))]),
            ..plain.clone()
        },
        LinkConfig {
            queue: queue::Config {
                limit: Limit { packets: None, bytes: Some(1) },
                ..queue::Config::UNLIMITED
            },
            ..plain.clone()
        },
        LinkConfig {
            queue: queue::Config {
                discipline: Discipline::CoDel(codel),
                ..queue::Config::UNLIMITED
            },
            ..plain.clone()
        },
        LinkConfig {
            queue: queue::Config { discipline: Discipline::Fair(fair), ..queue::Config::UNLIMITED },
            ..plain.clone()
        },
        LinkConfig { drop_arrivals: vec![3], ..plain.clone() },
        LinkConfig {
            loss: loss::Config { outages: vec![outage], ..loss::Config::default() },
            ..plain.clone()
        },
        LinkConfig {
            disorder: disorder::Config {
                duplicate: Schedule::new(Probability::NEVER, vec![(at(1), probability(0.1))]),
                ..disorder::Config::default()
            },
            ..plain.clone()
        },
    ];
    for other in others {
        assert_eq!(other.as_pipe(), None, "{other:?}");
    }
}

/// The listed packets and no others, counted without pure acknowledgements.
#[test]
fn the_list_counts_what_is_no_pure_acknowledgement() {
    let config = LinkConfig {
        service: Service::Rate(Schedule::constant(Some(Rate::from_bps(8_000)))),
        delay: Schedule::constant(Duration::from_millis(5)),
        queue: queue::Config::UNLIMITED,
        drop_arrivals: vec![2, 0],
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    let mut link = Link::new(&config, 1, "list");
    let sizes = [60, 40, 41, 40, 99, 99];
    let dropped = sizes.map(|bytes| {
        let packet = Packet { number: 0, bytes, is_capable: false, is_marked: false };
        link.handle_input(Time::ZERO, packet).err().map(|gone| gone.reason)
    });
    let list = Some(DropReason::List);
    assert_eq!(dropped, [list, None, None, None, list, None]);
    assert_eq!(link.counters(Time::ZERO).drops.list, 2);
}

/// What is lost on the wire took its time, and comes out when it would have arrived.
#[test]
fn losses_use_the_link() {
    let config = LinkConfig {
        service: Service::Rate(Schedule::constant(Some(Rate::from_bps(8_000)))),
        delay: Schedule::constant(Duration::from_millis(7)),
        queue: queue::Config::UNLIMITED,
        drop_arrivals: Vec::new(),
        loss: loss::Config {
            outages: vec![Outage { from: at(15), to: at(25) }],
            ..loss::Config::default()
        },
        disorder: disorder::Config::default(),
    };
    let mut link = Link::new(&config, 1, "out");
    let mut outputs = Vec::new();
    for number in 0..3 {
        let packet = Packet { number, bytes: 10, is_capable: false, is_marked: false };
        assert!(link.handle_input(Time::ZERO, packet).is_ok());
    }
    while let Some(due) = link.poll_timeout() {
        while let Some(output) = link.poll_output(due) {
            outputs.push((due, matches!(output, Output::Delivered(_))));
        }
    }
    assert_eq!(outputs, [(at(17), true), (at(27), false), (at(37), true)]);
    let counters = link.counters(at(30));
    assert_eq!((counters.drops.outage, counters.busy), (1, Duration::from_millis(30)));
}

/// What can carry a mark is marked and arrives; what cannot is dropped.
#[test]
fn marks_take_the_place_of_drops() {
    let red = red::Config {
        min_threshold: 1.0,
        max_threshold: 1000.0,
        max_probability: probability(1.0),
        weight: probability(1.0),
        gentle: true,
        mean_packet: 500,
        ..Default::default()
    };
    let codel = codel::Config {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(20),
        mtu: 40,
    };
    let fq_codel =
        fq_codel::Config { codel, quantum: 100, flows: 1, drop_batch: 64, ..Default::default() };
    let disciplines =
        [Discipline::Red(red), Discipline::CoDel(codel), Discipline::FqCoDel(fq_codel)];
    for discipline in disciplines {
        let run = |is_capable, notice| {
            let config = LinkConfig {
                service: Service::Rate(Schedule::constant(Some(Rate::from_bps(80_000)))),
                delay: Schedule::constant(Duration::ZERO),
                queue: queue::Config { discipline, notice, ..queue::Config::UNLIMITED },
                drop_arrivals: Vec::new(),
                loss: loss::Config::default(),
                disorder: disorder::Config::default(),
            };
            let mut watch = Watch::of(&config);
            for number in 0..200 {
                let packet = Packet { number, bytes: 100, is_capable, is_marked: false };
                watch.enter(at(0), packet);
            }
            watch.run(at(10_000));
            (watch.delivered, watch.marked, watch.dropped)
        };
        let (delivered, marked, dropped) = run(true, Notice::Mark);
        assert_eq!((delivered, dropped), (200, 0), "{discipline:?}");
        assert!(marked > 10, "{discipline:?}: {marked} marked");
        let deaf = run(false, Notice::Mark);
        assert!(deaf.1 == 0 && deaf.2 > 10, "{discipline:?}: {deaf:?}");
        assert_eq!(deaf, run(true, Notice::Drop), "{discipline:?}");
    }
}

/// A delay that falls lets no packet overtake.
#[test]
fn packets_do_not_overtake() {
    let delay = Schedule::new(Duration::from_millis(50), vec![(at(10), Duration::from_millis(5))]);
    let config = LinkConfig {
        service: Service::Rate(Schedule::constant(None)),
        delay,
        queue: queue::Config::UNLIMITED,
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    let mut link = Link::new(&config, 1, "order");
    let packet = |number| Packet { number, bytes: 10, is_capable: false, is_marked: false };
    assert!(link.handle_input(at(9), packet(0)).is_ok());
    assert!(link.handle_input(at(10), packet(1)).is_ok());
    assert_eq!(link.poll_timeout(), Some(at(59)));
    assert_eq!(link.poll_output(at(58)), None);
    assert_eq!(link.poll_output(at(59)), Some(Output::Delivered(packet(0))));
    assert_eq!(link.poll_output(at(59)), Some(Output::Delivered(packet(1))));
}
