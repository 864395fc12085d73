//! What holds whatever comes, and whatever the sky does.

use base::{Direction, Duration, Probability, Rate, Schedule, Time};
use proptest::prelude::*;
use radio::gprs::RadioBursts;
use radio::satellite::{Air, Assignment, Change, Config, Path};

use super::support::{Fate, Run, SHELL, at, config, ms};

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
        (100_u64..3000).prop_map(|slot| Air::Passing(SHELL, ms(slot))),
    ];
    (airs, any::<bool>()).prop_map(|(air, reorders)| {
        let ground = Schedule::new(ms(10), vec![(at(2000), ms(40)), (at(3000), ms(2))]);
        Path { air, ground, reorders }
    })
}

fn configs() -> impl Strategy<Value = Config> {
    let demand = prop::option::of((1_u64..60, 0_u64..700, prop::option::of(8_000_u64..400_000)));
    let gaps = prop::collection::vec((1_u64..2000, 1_u64..1500), 0..4);
    (skies(), demand, gaps, any::<[bool; 3]>(), 0_u64..60).prop_map(
        |(path, demand, gaps, [is_bursty, loses, is_rainy], pause)| {
            let mut config = Config { path, ..config() };
            config.carriers[1].assignment = demand.map(|(frame, wait, committed)| Assignment {
                frame: ms(frame),
                wait: ms(wait),
                committed: committed.map(Rate::from_bps),
            });
            config.bursts = is_bursty.then(bursts);
            config.change = Change { pause: ms(pause), loses };
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
    /// counts agree at every moment, and in the end nothing is held and nothing is due.
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
                let out = counters.dropped + counters.managed + counters.delivered
                    + counters.discarded;
                let held = run.bearer.held(direction).count() as u64;
                prop_assert_eq!(counters.sdus, out + held, "{:?}", direction);
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
            let out = run.exits.iter().filter(|exit| exit.1 == direction && exit.3 != Fate::Dropped);
            let order: Vec<_> = out.map(|exit| exit.2).collect();
            prop_assert!(config.path.reorders || order.is_sorted(), "{:?}", order);
            prop_assert_eq!(run.bearer.held(direction).count(), 0);
        }
    }

    /// Nothing is carried faster than the rate: of what leaves in a time, less than the rate allows.
    #[test]
    fn no_more_is_carried_than_the_rate_allows(config in configs(), loads in loads()) {
        let config = Config { path: super::support::config().path, ..config };
        let mut run = Run::new(&config, 1);
        let (mut now, mut sizes) = (Time::ZERO, Vec::new());
        for (pause, bytes, is_up) in loads {
            now += ms(pause / 10);
            run.send(now, BOTH[usize::from(is_up)], bytes);
            sizes.push(bytes);
        }
        run.until(now + Duration::from_secs(60));
        for (direction, bps) in BOTH.into_iter().zip([8_000_000.0, 800_000.0]) {
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

#[test]
fn bursts_take_their_share_of_a_steady_flow() {
    let config = Config { bursts: Some(bursts()), ..config() };
    let mut run = Run::new(&config, 3);
    for number in 0..200_000_u64 {
        run.send(at(number * 5), Direction::Downlink, 200);
    }
    run.until(at(2_000_000));
    let mut lost: Vec<_> = run.exits.iter().filter(|exit| exit.3 == Fate::Discarded).collect();
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
        config.path.air = Air::Passing(SHELL, ms(1000));
        config.change = Change { pause: ms(100), loses };
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
        run.exits.iter().filter(|exit| exit.3 == Fate::Discarded).count()
    };
    assert_eq!(lost(false), 0);
    // A packet a millisecond, of 10 ms and some in the air, at four changes.
    assert!((4 * 12..4 * 30).contains(&lost(true)), "{}", lost(true));
}
