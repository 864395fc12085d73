//! What holds whatever comes, and whatever the radio does.

use std::collections::BTreeMap;

use base::{Direction, Duration, Probability, Time};
use proptest::prelude::*;
use radio::channel::Fading;
use radio::lte::LteKeys;
use radio::rlc36::Mode;
use radio::scheduled::{Handover, ScheduledConfig, drx, rrc};
use radio::{EdrxKeys, PsmKeys};

use super::several::{bearers, handover, loses, order_of};
use super::support::{Fate, Run, at, config, ms};
use crate::support::cell::assert_every_block_ends;
use crate::support::mobiles;

const BOTH: [Direction; 2] = Direction::BOTH;

fn keys() -> impl Strategy<Value = LteKeys> {
    let power = (-5.0_f64..30.0, prop::option::of(0.0_f64..20.0));
    let radio = (prop::option::of(0.0_f64..0.7), power, any::<bool>());
    let states = (any::<[bool; 4]>(), prop::option::of(handover()));
    let outages = prop::collection::vec((1_u64..3000, 1_u64..800), 0..3);
    let modes = prop_oneof![Just(Mode::Am), Just(Mode::Am), Just(Mode::Um)];
    (radio, states, outages, (modes, bearers()), 1_u32..4, 0_u32..4).prop_map(
        |(
            (bler, (snr, headroom), fades),
            ([drx, rrc, edrx, psm], handover),
            outages,
            (mode, bearer),
            ues,
            repeats,
        )| {
            let mut keys = LteKeys { mobiles: mobiles(ues), ..LteKeys::default() };
            keys.downlink.reception.bler = bler.and_then(Probability::new);
            (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (snr, snr + 3.0);
            keys.uplink.power.headroom = headroom;
            keys.mobiles.fading = fades.then(Fading::default);
            keys.station.bearer = bearer;
            keys.station.drx = drx.then(drx::Keys::default);
            keys.station.rrc = rrc.then(|| rrc::Keys { tail: ms(700), ..rrc::Keys::default() });
            keys.station.edrx = (rrc && edrx).then(EdrxKeys::default);
            keys.station.psm = (rrc && psm).then(|| PsmKeys { active: ms(500), update: ms(9000) });
            keys.handover = handover;
            let mut end = 0;
            for (wait, lasts) in outages {
                keys.mobiles.outages.push([ms(end + wait), ms(end + wait + lasts)]);
                end += wait + lasts;
            }
            keys.lte.rlc.mode = mode;
            keys.harq.repeats = repeats;
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
fn run_of(config: &ScheduledConfig, loads: &[(u64, u32, bool, u32)], seed: u64) -> (Run, Vec<u32>) {
    let mut run = Run::new(config, seed);
    let (mut now, mut sent) = (Time::ZERO, Vec::new());
    for (pause, ue, is_up, bytes) in loads {
        now += Duration::from_nanos(pause * 700_001);
        let ue = ue % config.ues.len() as u32;
        sent.push(run.send(now, ue, BOTH[usize::from(*is_up)], *bytes));
    }
    run.until(now + Duration::from_secs(100));
    (run, sent)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Every packet comes out once; in acknowledged mode all arrive, in order, but for those that a
    /// handover without forwarding loses. Counts agree. In the end nothing is due but what wakes a
    /// mobile that sleeps.
    #[test]
    fn every_packet_comes_out_once(keys in keys(), loads in loads(), seed in 0_u64..4) {
        let config = config(&keys);
        let (run, sent) = run_of(&config, &loads, seed);
        let mut numbers: Vec<_> = run.exits.iter().map(|exit| exit.packet.number).collect();
        numbers.sort_unstable();
        prop_assert_eq!(&numbers, &sent);
        let mut last = BTreeMap::new();
        for exit in run.exits.iter().filter(|exit| exit.fate == Fate::Delivered) {
            let number = exit.packet.number;
            let before = last.insert(order_of(&keys.station.bearer, exit), number);
            prop_assert!(before < Some(number), "{number} after {before:?}");
        }
        let may_lose = keys.lte.rlc.mode != Mode::Am
            || loses(&keys.station.bearer)
            || keys.handover.as_ref().is_some_and(|handover| !handover.forwarding);
        let lost = run.exits.iter().filter(|exit| exit.fate != Fate::Delivered).count();
        prop_assert!(may_lose || lost == 0, "{lost} lost");
        assert_every_block_ends(&BOTH.map(|direction| run.network.total(direction)));
        for direction in BOTH {
            let counters = run.network.total(direction);
            prop_assert_eq!(counters.sdus, counters.delivered + counters.discarded);
            prop_assert_eq!(run.network.held(direction).count(), 0);
        }
        let due = run.network.poll_timeout();
        prop_assert!(keys.station.psm.is_some() || due.is_none(), "{due:?}");
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
        other.until(now + Duration::from_secs(100));
        prop_assert_eq!(&run.exits, &other.exits);
        prop_assert_eq!(&run.facts.blocks.0, &other.facts.blocks.0);
    }

    /// No more blocks are on their way in a direction of a mobile than it has processes: within a
    /// round trip no more are sent.
    #[test]
    fn harq_keeps_to_its_processes(keys in keys(), loads in loads(), processes in 1_u32..10) {
        // A handover forgets what was on its way.
        let mut keys = LteKeys { mobiles: mobiles(1), handover: None, ..keys };
        keys.harq.processes = processes;
        let (run, _) = run_of(&config(&keys), &loads, 1);
        for direction in BOTH {
            let blocks = run.facts.blocks.0.iter().filter(|(_, fact)| fact.direction == direction);
            let times: Vec<_> = blocks.map(|(time, _)| *time).collect();
            for window in times.windows(processes as usize + 1) {
                let span = window[processes as usize].saturating_since(window[0]);
                prop_assert!(span >= ms(8), "{direction:?} {window:?}");
            }
        }
    }
}

/// In acknowledged mode with forwarding, a thousand handovers lose nothing.
#[test]
fn a_thousand_handovers_lose_no_byte() {
    let handover =
        Handover { every: ms(97), gap: Some(ms(30)), forwarding: true, ..Handover::default() };
    let mut keys = LteKeys { handover: Some(handover), ..LteKeys::default() };
    (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (5.0, 5.0);
    keys.mobiles.fading = Some(Fading::default());
    let mut run = Run::new(&config(&keys), 1);
    let mut sent = [0_u64; 2];
    for millis in 0..98_000 {
        for direction in BOTH {
            if millis % 2 == direction as u64 {
                run.send(at(millis), 0, direction, 700);
                sent[direction as usize] += 700;
            }
        }
    }
    run.until(at(200_000));
    assert_eq!(BOTH.map(|direction| run.bytes(0, direction)), sent);
    assert!(run.network.total(Direction::Downlink).relocations >= 1000);
}

/// Handovers come at the listed times, of each mobile as much later as it is spread, and nothing is
/// sent in their gaps.
#[test]
fn handovers_come_when_they_are_listed() {
    let listed = [ms(500), ms(900), ms(2000)];
    let handover = |spread| Handover {
        at: listed.to_vec(),
        spread: ms(spread),
        gap: Some(ms(50)),
        ..Handover::default()
    };
    // When each of two mobiles was handed over: where no block follows for the length of a gap.
    let gaps = |spread| {
        let handover = Some(handover(spread));
        let keys = LteKeys { mobiles: mobiles(2), handover, ..LteKeys::default() };
        let mut run = Run::new(&config(&keys), 1);
        let mut pauses = [Vec::new(), Vec::new()];
        // The last slot in which each was sent something, and how many blocks it had had by then.
        let mut last = [(0, 0); 2];
        for millis in 0..3000 {
            run.until(at(millis));
            for ue in 0..2_u32 {
                run.send(at(millis), ue, Direction::Downlink, 1500);
                let blocks = run.network.counters(ue, Direction::Downlink).blocks_sent;
                let (since, before) = last[ue as usize];
                if blocks > before {
                    last[ue as usize] = (millis, blocks);
                    pauses[ue as usize].extend((since + 40 < millis).then_some(since));
                }
            }
        }
        let handed_over = |ue| run.network.counters(ue, Direction::Downlink).relocations;
        assert_eq!([0, 1].map(handed_over), [3, 3]);
        pauses
    };
    let [one, other] = gaps(0);
    assert_eq!(one, other, "both at once");
    let near = |times: &[u64], later: u64| {
        let listed = [500, 900, 2000].map(|time| time + later);
        times.iter().zip(listed).all(|(time, listed)| time.abs_diff(listed) <= 2)
    };
    assert!(one.len() == 3 && near(&one, 0), "{one:?}");
    let [one, other] = gaps(300);
    assert_ne!(one[0], other[0], "spread");
    assert!([&one, &other].iter().all(|times| near(times, times[0] - 500)), "{one:?} {other:?}");
}

/// Without forwarding what waits is lost, and nothing else.
#[test]
fn a_handover_without_forwarding_loses_what_waits() {
    let handover =
        Handover { every: ms(500), gap: Some(ms(30)), forwarding: false, ..Handover::default() };
    let keys = LteKeys { handover: Some(handover), ..LteKeys::default() };
    let mut run = Run::new(&config(&keys), 1);
    for millis in [100, 499, 700] {
        run.send(at(millis), 0, Direction::Downlink, 1000);
    }
    run.until(at(3000));
    let fates: Vec<_> = run.exits.iter().map(|exit| exit.fate).collect();
    assert_eq!(fates, [Fate::Delivered, Fate::Discarded, Fate::Delivered]);
}

/// A sleeping mobile gets new blocks only while it listens: in the 100 ms after the subframe of the
/// last new block of either direction, or at the beginning of a cycle.
#[test]
fn a_mobile_is_sent_to_only_while_it_listens() {
    let mut keys = LteKeys::default();
    keys.station.drx = Some(drx::Keys::default());
    let mut run = Run::new(&config(&keys), 1);
    let mut now = 0;
    for step in 0..400 {
        now += step * 7 % 330;
        run.send(at(now), 0, Direction::Downlink, 100);
    }
    run.until(at(now + 1000));
    let (mut last, mut woken) = (0, 0);
    for (time, _) in &run.facts.blocks.0 {
        let slot = time.as_nanos() / 1_000_000;
        if slot > last + 100 {
            assert!(slot % 20 < 2, "{slot} after {last}");
            assert!(slot <= last + 120 || slot % 40 < 2, "{slot} after {last}");
            woken += 1;
        }
        last = slot;
    }
    assert!(woken > 50, "{woken}");
}

/// A thousand mobiles without traffic have nothing due, connected or not.
#[test]
fn idle_mobiles_cost_nothing() {
    let mut keys = LteKeys {
        mobiles: mobiles(1000),
        handover: Some(Handover::default()),
        ..LteKeys::default()
    };
    keys.station.drx = Some(drx::Keys::default());
    for rrc in [None, Some(rrc::Keys::default())] {
        keys.station.rrc = rrc;
        let mut run = Run::new(&config(&keys), 1);
        assert_eq!(run.network.poll_timeout(), None);
        run.send(at(100), 500, Direction::Uplink, 100);
        run.until(at(60_000));
        assert_eq!(run.network.poll_timeout(), None);
        assert_eq!(run.exits.len(), 1);
    }
}

/// What a queue drops to make room comes out at once, also behind packets that wait.
#[test]
fn what_a_queue_drops_comes_out_at_once() {
    let mut config = config(&LteKeys::default());
    config.bearers[0].queues[0].discipline =
        link::queue::Discipline::Fair(link::queue::fair::Config {
            ..link::queue::fair::Config::default()
        });
    config.bearers[0].queues[0].limit.packets = Some(3);
    let mut run = Run::new(&config, 1);
    for number in 0..10 {
        run.send(at(100), 0, Direction::Downlink, 1000);
        let dropped = run.exits.iter().filter(|exit| exit.fate == Fate::Dropped).count();
        assert_eq!(dropped, (number + 1_usize).saturating_sub(3));
    }
}

/// A changed scheme is reported once until it is asked for, whoever asks.
#[test]
fn a_report_that_nobody_asks_for_takes_no_room() {
    let mut keys = LteKeys { mobiles: mobiles(2), ..LteKeys::default() };
    keys.mobiles.fading = Some(Fading::default());
    (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (10.0, 10.0);
    let mut run = Run::new(&config(&keys), 1);
    for millis in 0..3000 {
        run.send(at(millis), (millis % 2) as u32, Direction::Downlink, 1000);
    }
    let mut mobiles: Vec<_> =
        std::iter::from_fn(|| run.network.poll_report()).map(|(ue, _)| ue).collect();
    mobiles.sort_unstable();
    assert_eq!(mobiles, [0, 1]);
}
