//! Slot synchronisation, handover refresh and the set-up of block errors.

use base::{Direction, Duration, Schedule, Time};
use observe::{BlockFact, Context, Observe};
use radio::umts::{Bearer, BlockErrorRate, Coverage, DchConfig, Dpcch, End, Interruption};

use crate::support::{Packet, at, dch, feed, millis, numbers, probability, rlc, traffic};

fn seconds(seconds: u64) -> Time {
    at(Duration::from_secs(seconds))
}

/// Each downlink block's TTI and whether it was in error.
#[derive(Default)]
struct Blocks(Vec<(Time, bool)>);

impl Observe for Blocks {
    const ON: bool = true;

    fn block(&mut self, time: Time, fact: BlockFact) {
        if fact.direction == Direction::Downlink {
            self.0.push((time, fact.error));
        }
    }
}

/// The downlink blocks of 60 s with more to send than fits.
fn blocks(config: &DchConfig) -> Vec<(Time, bool)> {
    let mut bearer = Bearer::new(0, config, 1, "repair");
    let mut blocks = Blocks::default();
    for number in 0..6000 {
        let packet = Packet { number, bytes: 552 };
        bearer
            .handle_input(
                &mut Context { now: Time::ZERO, observe: &mut blocks },
                Direction::Downlink,
                packet,
            )
            .expect("room");
    }
    while let Some(now) = bearer.poll_timeout().filter(|now| *now < seconds(60)) {
        bearer.handle_timeout(&mut Context { now, observe: &mut blocks });
    }
    blocks.0
}

fn share_in_error(blocks: &[(Time, bool)]) -> f64 {
    blocks.iter().filter(|(_, error)| *error).count() as f64 / blocks.len() as f64
}

/// First set, the physical channel: data and control of a slot were in error apart, so that the
/// error rate was twice what was set. One draw decides over both; two can be asked for.
#[test]
fn data_and_control_of_a_slot_succeed_or_fail_together() {
    let together = share_in_error(&blocks(&dch(0.1, rlc())));
    assert!((0.09..0.11).contains(&together), "as set: {together}");
    let apart = DchConfig { dpcch: Dpcch::Apart, ..dch(0.1, rlc()) };
    let apart = share_in_error(&blocks(&apart));
    assert!((0.18..0.20).contains(&apart), "1 − 0.9²: {apart}");
}

/// First set, handover: the link control kept the state of the old cell, and the transfer stood
/// still. Both ends begin anew, and acknowledged mode sends again what had not arrived.
#[test]
fn a_handover_in_mid_transfer_refreshes_the_link_control_and_loses_nothing() {
    for tbler in [0.0, 0.1, 0.3] {
        let mut config = dch(tbler, rlc());
        let gap = |n: u64| Interruption {
            from: at(millis(700 * n)),
            to: at(millis(700 * n + 150)),
            end: End::Relocation,
        };
        config.interruptions = (1..8).map(gap).collect();
        let mut bearer = Bearer::new(0, &config, 1, "handover");
        let deliveries = feed(&mut bearer, &traffic(1, 100, millis(100)), seconds(1000));
        for direction in [Direction::Downlink, Direction::Uplink] {
            assert!(numbers(&deliveries, direction).into_iter().eq(0..100), "at {tbler}");
            let counters = bearer.counters(direction);
            assert_eq!((counters.relocations, counters.discarded), (7, 0));
        }
    }
}

/// Third set: the error rate came out of the interference in the cell, and none could be set. It
/// can be a constant, drawn for each frame between two limits, or change over time.
#[test]
fn the_error_rate_can_be_set() {
    let drawn = BlockErrorRate::Drawn { low: probability(0.0), high: probability(0.6) };
    let mut config = dch(0.0, rlc());
    config.downlink.tbler = drawn.into();
    let blocks_drawn = blocks(&config);
    let share = share_in_error(&blocks_drawn);
    assert!((0.28..0.32).contains(&share), "the middle of the limits: {share}");
    let mut frames: Vec<f64> = blocks_drawn
        .chunk_by(|one, next| one.0 == next.0)
        .filter(|frame| frame.len() == 12)
        .map(share_in_error)
        .collect();
    frames.sort_unstable_by(f64::total_cmp);
    let (low, high) = (frames[frames.len() / 10], frames[frames.len() * 9 / 10]);
    assert!(low < 0.1 && high > 0.5, "a frame has a rate of its own: {low} to {high}");

    let mut config = dch(0.0, rlc());
    let tblers = [(10, 0.2), (20, 0.0)].map(|(at, tbler)| (seconds(at), probability(tbler).into()));
    config.downlink.tbler = Schedule::new(probability(0.0).into(), tblers.to_vec());
    config.coverage = Schedule::new(
        Coverage::There,
        vec![(seconds(30), Coverage::Lost), (seconds(35), Coverage::There)],
    );
    let blocks = blocks(&config);
    let check = |from, to, low: f64, high: f64| {
        let span = |(time, _): &&(Time, bool)| (seconds(from)..seconds(to)).contains(time);
        let blocks: Vec<_> = blocks.iter().filter(span).copied().collect();
        let share = share_in_error(&blocks);
        assert!(!blocks.is_empty() && (low..=high).contains(&share), "{from} s: {share}");
    };
    check(0, 10, 0.0, 0.0);
    check(10, 20, 0.18, 0.22);
    check(20, 30, 0.0, 0.0);
    check(30, 35, 1.0, 1.0);
    check(35, 60, 0.0, 0.0);
}
