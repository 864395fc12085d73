//! What holds whatever comes, and whatever the sky does.

use base::{Direction, Duration, Philox, Probability, Rate, Schedule, Time};
use proptest::prelude::*;
use radio::gprs::RadioBursts;
use radio::satellite::{
    Access, Air, Assignment, Background, Change, Passing, Path, SatelliteConfig,
};

use super::support::{Fate, Run, SHELL, at, config, ms, passing};

const BOTH: [Direction; 2] = Direction::BOTH;

/// Losses of 2.56 % of the time in bursts of 16.7 ms.
fn bursts() -> RadioBursts {
    let certain = |value| Probability::new(value).expect("in range");
    RadioBursts {
        good: certain(0.0),
        bad: certain(1.0),
        good_mean: Duration::from_nanos(635_600_000),
        bad_mean: Duration::from_nanos(16_700_000),
    }
}

fn skies() -> impl Strategy<Value = Path> {
    let recorded = vec![(at(700), ms(20)), (at(1500), ms(80)), (at(4000), ms(5))];
    let airs = prop_oneof![
        Just(Air::Fixed(ms(250))),
        Just(Air::Recorded(Schedule::new(ms(30), recorded))),
        (100_u64..3000, 0_u64..30).prop_map(|(slot, detour)| {
            Air::Passing(Passing { orbit: SHELL, slot: ms(slot), detour: ms(detour) })
        }),
    ];
    (airs, any::<bool>()).prop_map(|(air, reorders)| {
        let ground = Schedule::new(ms(10), vec![(at(2000), ms(40)), (at(3000), ms(2))]);
        Path { air, ground, reorders }
    })
}

/// Of some frames other users leave a share.
fn backgrounds() -> impl Strategy<Value = Option<Background>> {
    prop::option::of((1_u64..30, 1_u32..=100).prop_map(|(frame, left)| Background {
        frame: ms(frame),
        left: Probability::new(f64::from(left) / 100.0).expect("in range"),
    }))
}

fn configs() -> impl Strategy<Value = SatelliteConfig> {
    let demand = prop::option::of((1_u64..60, 0_u64..700, prop::option::of(8_000_u64..400_000)));
    let gaps = prop::collection::vec((1_u64..2000, 1_u64..1500), 0..4);
    (skies(), demand, backgrounds(), gaps, any::<[bool; 4]>(), 0_u64..60).prop_map(
        |(path, demand, background, gaps, [is_bursty, loses, begins_bad, is_rainy], pause)| {
            let mut config = SatelliteConfig { path, ..config() };
            let shared = background.map_or(Access::Own, Access::Shared);
            config.carriers[0].access = shared;
            config.carriers[1].access = demand.map_or(shared, |(frame, wait, committed)| {
                Access::OnDemand(Assignment {
                    frame: ms(frame),
                    wait: ms(wait),
                    committed: committed.map(Rate::from_bps),
                })
            });
            config.bursts = is_bursty.then(bursts);
            config.change = Change { pause: ms(pause), loses, begins_bad };
            config.queues[0].limit.bytes = Some(30_000);
            if is_rainy {
                let rates = vec![(at(900), None), (at(1400), Some(Rate::from_bps(300_000)))];
                config.carriers[0].rate = Schedule::new(Some(Rate::from_bps(5_000_000)), rates);
            }
            let mut end = 0;
            for (wait, lasts) in gaps {
                config.gaps.push([at(end + wait), at(end + wait + lasts)]);
                end += wait + lasts;
            }
            config
        },
    )
}

fn loads() -> impl Strategy<Value = Vec<(u64, u32, bool)>> {
    prop::collection::vec((0_u64..300, 20_u32..1600, any::<bool>()), 1..120)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Every packet comes out once, and not before it can; in order, unless the way may reorder;
    /// none is lost without a cause. Counts agree at every moment with what came out and what is
    /// held, and in the end nothing is held and nothing is due.
    #[test]
    fn every_packet_comes_out_once(config in configs(), loads in loads(), seed in 0_u64..4) {
        let mut run = Run::new(&config, seed);
        let mut now = Time::ZERO;
        let mut sent = Vec::new();
        for (pause, bytes, is_up) in loads {
            now += ms(pause);
            let direction = BOTH[usize::from(is_up)];
            sent.push((run.send(now, direction, bytes), direction, now));
            for direction in BOTH {
                let counters = run.bearer.counters(direction);
                let held = run.bearer.held(direction).count() as u64;
                let radio::Counters { dropped, lost, cut_off, delivered, .. } = counters;
                let out = dropped + lost + cut_off + delivered;
                prop_assert_eq!(counters.sdus, out + held, "{:?}", direction);
                let count = |fate| run.count(direction, fate);
                prop_assert_eq!(dropped, count(Fate::Dropped));
                prop_assert_eq!(lost, count(Fate::Lost));
                prop_assert_eq!(cut_off, count(Fate::CutOff));
                prop_assert_eq!(delivered, count(Fate::Delivered));
                prop_assert!(lost == 0 || config.bursts.is_some());
                let is_cut = config.change.loses && matches!(config.path.air, Air::Passing(..));
                prop_assert!(cut_off == 0 || is_cut);
            }
        }
        run.until(now + Duration::from_secs(60));
        prop_assert!(run.is_idle());
        let mut numbers: Vec<_> = run.exits.iter().map(|exit| exit.2).collect();
        numbers.sort_unstable();
        prop_assert_eq!(numbers, (0..sent.len() as u32).collect::<Vec<_>>());
        for (time, direction, number, fate) in &run.exits {
            let (_, of, came) = sent[*number as usize];
            prop_assert_eq!(of, *direction);
            prop_assert!(*fate == Fate::Dropped || *time >= came + ms(5));
        }
        for direction in BOTH {
            let out = run.exits.iter().filter(|exit| exit.1 == direction);
            let out = out.filter(|exit| exit.3 != Fate::Dropped);
            let order: Vec<_> = out.map(|exit| exit.2).collect();
            prop_assert!(config.path.reorders || order.is_sorted(), "{:?}", order);
            prop_assert_eq!(run.bearer.held(direction).count(), 0);
        }
    }

    /// Nothing is carried faster than the rate, which in frames of a shared beam is that of the
    /// beam: of what leaves in a time, less than the rate allows.
    #[test]
    fn no_more_is_carried_than_the_rate_allows(config in configs(), loads in loads()) {
        let config = SatelliteConfig { path: super::support::config().path, ..config };
        let mut run = Run::new(&config, 1);
        let (mut now, mut sizes) = (Time::ZERO, Vec::new());
        for (pause, bytes, is_up) in loads {
            now += ms(pause / 10);
            run.send(now, BOTH[usize::from(is_up)], bytes);
            sizes.push(bytes);
        }
        run.until(now + Duration::from_secs(60));
        for (direction, bps) in BOTH.into_iter().zip([8_000_000.0, 800_000.0]) {
            let bps = match config.carriers[direction as usize].access {
                Access::Shared(Background { left, .. }) => bps / left.value(),
                Access::Own | Access::OnDemand(_) => bps,
            };
            let out: Vec<_> = run.exits.iter().filter(|exit| exit.1 == direction).collect();
            let out: Vec<_> = out.into_iter().filter(|exit| exit.3 != Fate::Dropped).collect();
            let mut bits = 0.0;
            for pair in out.windows(2) {
                bits += f64::from(sizes[pair[1].2 as usize]) * 8.0;
                let span = pair[1].0.saturating_since(out[0].0).as_secs_f64();
                prop_assert!(bits <= bps * (span + 1e-6), "{bits} in {span} s");
            }
        }
    }

    /// Same seed, same packets: same bytes at the same time. What comes in one direction changes
    /// nothing in the other.
    #[test]
    fn it_is_deterministic(config in configs(), loads in loads(), seed in 0_u64..9) {
        let exits = |only_down: bool| {
            let mut run = Run::new(&config, seed);
            let (mut now, mut ours) = (Time::ZERO, Vec::new());
            for (pause, bytes, is_up) in &loads {
                now += ms(*pause);
                if !only_down || !is_up {
                    let number = run.send(now, BOTH[usize::from(*is_up)], *bytes);
                    if !is_up {
                        ours.push(number);
                    }
                }
            }
            run.until(now + Duration::from_secs(60));
            let down = run.exits.into_iter().filter(|exit| exit.1 == Direction::Downlink);
            let place = |number| ours.iter().position(|own| *own == number);
            down.map(|(time, _, number, fate)| (time, place(number), fate)).collect::<Vec<_>>()
        };
        prop_assert_eq!(exits(false), exits(false));
        prop_assert_eq!(exits(false), exits(true));
    }
}

/// How long packets are on their way through the air at `at`, by geometry.
fn geometry(seed: u64, slot: Duration, at: Time) -> Duration {
    let number = at.as_nanos() / slot.as_nanos();
    let pass = SHELL.pass(Philox::named(seed, "Sat/satellites"), number as u32, slot);
    SHELL.delay(&pass, Duration::from_nanos(at.as_nanos() % slot.as_nanos()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Where nothing waits, a packet takes its transmission and what geometry says, so that round
    /// trips step where slots end and nowhere else.
    #[test]
    fn an_idle_bearer_takes_what_geometry_says(slot in 100_u64..3000, seed in 0_u64..9) {
        let slot = ms(slot);
        let mut config = config();
        config.path.air = passing(slot);
        let mut run = Run::new(&config, seed);
        let came: Vec<_> = (0..200).map(|number| at(37 * number)).collect();
        for time in &came {
            run.send(*time, Direction::Downlink, 1000);
        }
        run.until(at(60_000));
        prop_assert_eq!(run.exits.len(), came.len());
        for (time, _, number, _) in &run.exits {
            let departs = came[*number as usize] + ms(1);
            prop_assert_eq!(*time, departs + ms(10) + geometry(seed, slot, departs));
        }
    }

    /// Whatever waits, is cut into frames or comes late: nothing arrives before propagation allows.
    #[test]
    fn nothing_arrives_before_propagation(
        config in configs(), loads in loads(), slot in 100_u64..3000, seed in 0_u64..9
    ) {
        let slot = ms(slot);
        let ground = Schedule::constant(ms(10));
        let path = Path { air: passing(slot), ground, ..config.path };
        let mut run = Run::new(&SatelliteConfig { path, ..config }, seed);
        let (mut now, mut came) = (Time::ZERO, Vec::new());
        for (pause, bytes, is_up) in loads {
            now += ms(pause);
            run.send(now, BOTH[usize::from(is_up)], bytes);
            came.push(now);
        }
        run.until(now + Duration::from_secs(60));
        for (time, _, number, fate) in &run.exits {
            if *fate == Fate::Dropped {
                continue;
            }
            // Departures lie between; both hops together change by less than 60 µs a second.
            let mut departs = came[*number as usize];
            let mut least = Duration::from_secs(1);
            while departs < *time {
                least = least.min(geometry(seed, slot, departs));
                departs += ms(20);
            }
            // A slot may begin between two of these.
            let slots = |time: Time| time.as_nanos() / slot.as_nanos();
            for begun in slots(came[*number as usize]) + 1..=slots(*time) {
                least = least.min(geometry(seed, slot, Time::ZERO + slot * begun));
            }
            let spent = time.saturating_since(came[*number as usize]);
            prop_assert!(spent + Duration::from_micros(2) >= ms(10) + least, "{spent:?} {least:?}");
        }
    }

    /// What is carried is a share of what the rate over time carries, however often it changes.
    #[test]
    fn utilization_is_what_was_carried_of_what_could_be(
        config in configs(), loads in loads(), changes in prop::collection::vec(1_u64..900, 0..4)
    ) {
        let mut run = Run::new(&config, 1);
        let (mut now, mut sent) = (Time::ZERO, [0_u64; 2]);
        let mut due = changes.iter().map(|gap| (gap, 1_000_000 + 1000 * gap));
        for (pause, bytes, is_up) in loads {
            now += ms(pause);
            if let Some((_, bps)) = due.next() {
                // The same schedule again, and another rate up.
                let mut other = config.clone();
                other.carriers[1].rate = Schedule::constant(Some(Rate::from_bps(bps)));
                run.until(now);
                run.bearer.reconfigure(now, &other);
            }
            run.send(now, BOTH[usize::from(is_up)], bytes);
            sent[usize::from(is_up)] += u64::from(bytes);
        }
        let span = (now + Duration::from_secs(60)).saturating_since(Time::ZERO);
        run.until(now + Duration::from_secs(60));
        let carried = run.bearer.counters(Direction::Downlink).bytes_sent as f64 * 8.0;
        let room = |from: f64, to: f64, bps: f64| bps * (to - from).max(0.0);
        let end = span.as_secs_f64();
        let down = match config.carriers[0].rate.as_constant() {
            Some(Some(rate)) => room(0.0, end, rate.as_bps() as f64),
            _ => room(0.0, end.min(0.9), 5e6) + room(1.4, end, 3e5),
        };
        let share = run.bearer.utilization(Direction::Downlink, span).expect("it has a rate");
        prop_assert!((share - carried / down).abs() < 1e-9, "{share} {carried} {down}");
        for (direction, sent) in BOTH.into_iter().zip(sent) {
            let counters = run.bearer.counters(direction);
            prop_assert!(counters.bytes_sent <= sent);
            prop_assert_eq!(counters.dropped > 0, counters.bytes_sent < sent);
            let share = run.bearer.utilization(direction, span).expect("it has a rate");
            prop_assert!((0.0..=1.0).contains(&share));
            prop_assert_eq!(share > 0.0, counters.bytes_sent > 0);
        }
    }
}

#[test]
fn bursts_take_their_share_of_a_steady_flow() {
    let config = SatelliteConfig { bursts: Some(bursts()), ..config() };
    let mut run = Run::new(&config, 3);
    for number in 0..200_000_u64 {
        run.send(at(number * 5), Direction::Downlink, 200);
    }
    run.until(at(2_000_000));
    let mut lost: Vec<_> = run.exits.iter().filter(|exit| exit.3 == Fate::Lost).collect();
    lost.sort_unstable_by_key(|exit| exit.2);
    let share = lost.len() as f64 / 200_000.0;
    assert!((0.0241..0.0271).contains(&share), "{share}");
    let begins = lost.windows(2).filter(|pair| pair[1].2 != pair[0].2 + 1).count() + 1;
    // A burst of exponential length holds 1 / (1 − exp(−5 / 16.7)) packets of 5 ms on average.
    let length = lost.len() as f64 / begins as f64;
    assert!((3.6..4.1).contains(&length), "{length}");
}

#[test]
fn a_step_to_a_nearer_satellite_reorders_only_where_that_is_allowed() {
    let steps = vec![(at(100), ms(20))];
    let order = |reorders| {
        let mut config = config();
        config.path = Path {
            air: Air::Recorded(Schedule::new(ms(80), steps.clone())),
            ground: Schedule::constant(ms(10)),
            reorders,
        };
        let mut run = Run::new(&config, 1);
        for number in 0..20 {
            run.send(at(10 * number), Direction::Downlink, 100);
        }
        run.until(at(1000));
        run.exits.iter().map(|exit| exit.2).collect::<Vec<_>>()
    };
    assert!(order(false).is_sorted());
    assert!(!order(true).is_sorted());
}

#[test]
fn what_is_in_the_air_at_a_change_is_lost_where_that_is_so() {
    let lost = |loses| {
        let mut config = config();
        config.path.air = passing(ms(1000));
        config.change = Change { pause: ms(100), loses, begins_bad: false };
        let mut run = Run::new(&config, 1);
        for number in 0..5000 {
            run.send(at(number), Direction::Downlink, 100);
        }
        run.until(at(10_000));
        // Nothing is sent for 100 ms after each change, and all comes in the end.
        for change in 1..=4 {
            let from = at(1000 * change) + ms(40);
            let within = |time: Time| time > from && time < from + ms(60);
            assert!(!run.exits.iter().any(|exit| within(exit.0)), "{change}");
        }
        run.exits.iter().filter(|exit| exit.3 == Fate::CutOff).count()
    };
    assert_eq!(lost(false), 0);
    // A packet a millisecond, of 10 ms and some in the air, at four changes.
    assert!((4 * 12..4 * 30).contains(&lost(true)), "{}", lost(true));
}
