//! What holds whatever comes, and whatever the radio does.

use std::collections::BTreeMap;

use base::{Direction, Duration, Probability, Time};
use proptest::prelude::*;
use radio::channel::{Fading, Mobiles};
use radio::hspa::{HsConfig, HsKeys, formats::Category};

use super::support::{Exit, Fate, Run, at, config, ms};
use crate::support::cell::assert_every_block_ends;
use crate::support::mobiles;

const BOTH: [Direction; 2] = Direction::BOTH;

fn keys() -> impl Strategy<Value = HsKeys> {
    let radio = (prop::option::of(0.0_f64..0.7), -8.0_f64..30.0, any::<bool>(), 0.0_f64..0.5);
    let outages = prop::collection::vec((1_u64..3000, 1_u64..800), 0..3);
    let iub = (0_u64..20, 2_u64..30, 4_u64..100);
    let category = prop::sample::select(vec![Category::Six, Category::Eight, Category::Ten]);
    let harq = (1_u32..9, 1_u32..5, 4_u64..20, any::<bool>(), 10_u64..100);
    (radio, outages, iub, category, harq, 1_u32..4).prop_map(
        |((bler, snr, fades, up), outages, iub, category, harq, ues)| {
            let mut keys = HsKeys { mobiles: mobiles(ues), ..HsKeys::default() };
            keys.downlink.reception.bler = bler.and_then(Probability::new);
            keys.downlink.reception.snr = snr;
            keys.uplink.bler = Probability::new(up).expect("it is one");
            keys.mobiles.fading = fades.then(Fading::default);
            let mut end = 0;
            for (wait, lasts) in outages {
                keys.mobiles.outages.push([ms(end + wait), ms(end + wait + lasts)]);
                end += wait + lasts;
            }
            (keys.iub.delay, keys.iub.period, keys.iub.target) = (ms(iub.0), ms(iub.1), ms(iub.2));
            keys.hs.category = category;
            (keys.hs.processes, keys.hs.transmissions) = (harq.0, harq.1);
            keys.hs.round_trip = ms(2 * harq.2);
            if harq.3 {
                keys.uplink.tti = radio::hspa::UplinkTti::Short;
            }
            keys.hs.reordering = ms(harq.4);
            keys
        },
    )
}

/// A pause, a mobile, a direction and a size.
fn loads() -> impl Strategy<Value = Vec<(u64, u32, bool, u32)>> {
    let pauses = prop_oneof![4 => 0_u64..3, 2 => 0_u64..100, 1 => 0_u64..3000];
    prop::collection::vec((pauses, 0_u32..4, any::<bool>(), 20_u32..1600), 1..150)
}

/// Runs `loads` over a cell until nothing more happens.
fn run_of(config: &HsConfig, loads: &[(u64, u32, bool, u32)], seed: u64) -> (Run, Vec<u32>) {
    let mut run = Run::new(config, seed);
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    for (pause, ue, is_up, bytes) in loads {
        now += Duration::from_nanos(pause * 700_001);
        let ue = ue % config.ues.len() as u32;
        sent.push(run.send(now, ue, BOTH[usize::from(*is_up)], *bytes));
    }
    run.until(now + Duration::from_secs(200));
    (run, sent)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Every packet comes out once, all arrive and in order. Counts agree: each block that was sent
    /// arrived, was sent again or was given up. In the end nothing is due.
    #[test]
    fn every_packet_comes_out_once(keys in keys(), loads in loads(), seed in 0_u64..4) {
        let config = config(&keys);
        let (run, sent) = run_of(&config, &loads, seed);
        let mut numbers: Vec<_> = run.exits.iter().map(|exit| exit.packet.number).collect();
        numbers.sort_unstable();
        prop_assert_eq!(&numbers, &sent);
        let mut last = BTreeMap::new();
        for Exit { ue, direction, packet, fate, .. } in &run.exits {
            prop_assert_eq!(*fate, Fate::Delivered);
            let before = last.insert((*ue, *direction as u8), packet.number);
            prop_assert!(before < Some(packet.number), "{} after {:?}", packet.number, before);
        }
        assert_every_block_ends(&BOTH.map(|direction| run.cell.total(direction)));
        for direction in BOTH {
            let counters = run.cell.total(direction);
            prop_assert_eq!(counters.sdus, counters.delivered);
            prop_assert_eq!(counters.resets, 0);
            prop_assert_eq!(run.cell.held(direction).count(), 0);
        }
        prop_assert!(run.cell.poll_timeout().is_none(), "{:?}", run.cell.poll_timeout());
    }

    /// What comes out does not depend on when the cell is looked at, nor on who watches.
    #[test]
    fn the_same_comes_out_however_it_is_run(keys in keys(), loads in loads(), step in 1_u64..50) {
        let config = config(&keys);
        let (run, _) = run_of(&config, &loads, 1);
        let mut other = Run::new(&config, 1);
        let mut now = Time::ZERO;
        for (pause, ue, is_up, bytes) in &loads {
            let next = now + Duration::from_nanos(pause * 700_001);
            while now < next {
                now = (now + ms(step)).min(next);
                other.until(now);
            }
            other.send(now, ue % config.ues.len() as u32, BOTH[usize::from(*is_up)], *bytes);
        }
        other.until(now + Duration::from_secs(200));
        prop_assert_eq!(&run.exits, &other.exits);
        prop_assert_eq!(&run.blocks.0, &other.blocks.0);
    }

    /// No more blocks are on their way to or from a mobile than it has processes: within a round
    /// trip no more are sent.
    #[test]
    fn harq_keeps_to_its_processes(keys in keys(), loads in loads()) {
        let keys = HsKeys { mobiles: mobiles(1), ..keys };
        let config = config(&keys);
        let (run, _) = run_of(&config, &loads, 1);
        for direction in BOTH {
            let timing = config.timings[direction as usize];
            let blocks = run.blocks.0.iter().filter(|(_, fact)| fact.direction == direction);
            let times: Vec<_> = blocks.map(|(time, _)| *time).collect();
            for window in times.windows(timing.processes as usize + 1) {
                let span = window[timing.processes as usize].saturating_since(window[0]);
                prop_assert!(span >= ms(2) * timing.round_trip, "{direction:?} {window:?}");
            }
        }
    }

    /// A TTI of HS-DSCH has one block.
    #[test]
    fn mobiles_take_turns(keys in keys(), loads in loads()) {
        let (run, _) = run_of(&config(&keys), &loads, 1);
        let down = |fact: &observe::BlockFact| fact.direction == Direction::Downlink;
        let blocks: Vec<_> = run.blocks.0.iter().filter(|(_, fact)| down(fact)).collect();
        for pair in blocks.windows(2) {
            prop_assert!(pair[0].0 < pair[1].0, "{pair:?}");
        }
    }
}

/// Link control that fails again and again begins anew and delivers the rest.
#[test]
fn link_control_survives_long_outages() {
    let mut keys = HsKeys::default();
    keys.rlc.max_retransmissions = Some(2);
    keys.downlink.reception.bler = Probability::new(0.6);
    keys.hs.transmissions = 1;
    keys.rlc.reset.max = Some(3);
    keys.mobiles.outages =
        (1..10).map(|number| [ms(number * 4000), ms(number * 4000 + 2500)]).collect();
    let mut run = Run::new(&config(&keys), 1);
    for millis in 0..50_000 {
        if millis % 10 == 0 {
            run.send(at(millis), 0, BOTH[(millis / 10 % 2) as usize], 900);
        }
    }
    run.until(at(200_000));
    let down = run.cell.total(Direction::Downlink);
    assert!(down.resets > 0 && down.unrecoverable_errors > 0, "{down:?}");
    assert_eq!(run.exits.len(), 5000);
    let late = |exit: &&Exit| exit.time > at(40_000) && exit.fate == Fate::Delivered;
    assert!(run.exits.iter().filter(late).count() > 100);
    assert_eq!(run.cell.poll_timeout(), None);
}

/// A thousand mobiles without traffic have nothing due.
#[test]
fn idle_mobiles_cost_nothing() {
    let mut run = Run::new(&config(&HsKeys { mobiles: mobiles(1000), ..HsKeys::default() }), 1);
    assert_eq!(run.cell.poll_timeout(), None);
    run.send(at(100), 500, Direction::Uplink, 100);
    run.until(at(60_000));
    assert_eq!(run.cell.poll_timeout(), None);
    assert_eq!(run.exits.len(), 1);
}

/// A changed format is reported once until it is asked for, whoever asks.
#[test]
fn a_report_that_nobody_asks_for_takes_no_room() {
    let keys = HsKeys {
        mobiles: Mobiles { ues: 2, fading: Some(Fading::default()), ..Mobiles::default() },
        ..HsKeys::default()
    };
    let mut run = Run::new(&config(&keys), 1);
    for millis in 0..3000 {
        run.send(at(millis), (millis % 2) as u32, Direction::Downlink, 300);
    }
    let mut mobiles: Vec<_> =
        std::iter::from_fn(|| run.cell.poll_report()).map(|(ue, _)| ue).collect();
    mobiles.sort_unstable();
    assert_eq!(mobiles, [0, 1]);
}
