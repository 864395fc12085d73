//! What happens where one satellite follows another.

use base::{Direction, Duration, Probability};
use radio::gprs::RadioBursts;
use radio::satellite::{Air, Change, Passing, SatelliteConfig};

use super::support::{Fate, Run, SHELL, at, config, ms};

const SLOT: u64 = 15_000;

/// Satellites that follow each other each 15 s, with up to 20 ms behind each of them.
fn following() -> SatelliteConfig {
    let mut config = config();
    config.path.air = Air::Passing(Passing { orbit: SHELL, slot: ms(SLOT), detour: ms(20) });
    config
}

/// Hands in 100 bytes at each `gap` milliseconds for a number of slots.
fn flow(config: &SatelliteConfig, seed: u64, gap: u64, slots: u64) -> Run {
    let mut run = Run::new(config, seed);
    for number in 0..slots * SLOT / gap {
        run.send(at(number * gap), Direction::Downlink, 100);
    }
    run.until(at((slots + 1) * SLOT));
    run
}

/// The way is as long behind a satellite for its whole slot: one way steps by more than geometry
/// has where slots end, by at most the detour and geometry together, and nowhere else.
#[test]
fn the_way_steps_where_satellites_change_and_nowhere_else() {
    let (mut config, slots) = (following(), 100);
    config.path.reorders = true;
    let run = flow(&config, 1, 500, slots);
    let mut delays = vec![0.0; run.exits.len()];
    for (time, _, number, _) in &run.exits {
        let spent = time.saturating_since(at(u64::from(*number) * 500));
        delays[*number as usize] = spent.as_secs_f64() * 1000.0;
    }
    let most = 20.0 + 3.9;
    let (mut sum, mut longest) = (0.0, 0.0_f64);
    for (number, pair) in (1..).zip(delays.windows(2)) {
        let step = (pair[1] - pair[0]).abs();
        if number * 500 % SLOT == 0 {
            assert!(step <= most, "{step}");
            (sum, longest) = (sum + step, longest.max(step));
        } else {
            assert!(step < 0.1, "{step} at {number}");
        }
    }
    // Two even draws differ by a third of their range on average.
    let mean = sum / (slots - 1) as f64;
    assert!((5.5..8.5).contains(&mean) && longest > 15.0, "{mean} {longest}");
}

/// A packet overtakes another where it may, and where the pause is shorter than the step.
#[test]
fn only_a_pause_shorter_than_the_step_lets_packets_overtake() {
    let overtakes = |reorders, pause| {
        let mut config = following();
        config.path.reorders = reorders;
        config.change.pause = ms(pause);
        (0..4).any(|seed| {
            let run = flow(&config, seed, 2, 4);
            !run.exits.iter().map(|exit| exit.2).collect::<Vec<_>>().is_sorted()
        })
    };
    assert!(overtakes(true, 0));
    assert!(overtakes(true, 2));
    assert!(!overtakes(false, 0));
    // No two ways differ by more.
    assert!(!overtakes(true, 24));
}

/// A bad state begins with each slot: losses cluster there, and others are between.
#[test]
fn losses_cluster_where_satellites_change() {
    let certain = |value| Probability::new(value).expect("in range");
    let slots = 400;
    let lost = |begins_bad| {
        let mut config = following();
        config.change = Change { begins_bad, ..Change::default() };
        config.bursts = Some(RadioBursts {
            good: certain(0.001),
            bad: certain(0.3),
            good_mean: Duration::from_secs(60),
            bad_mean: ms(400),
        });
        let run = flow(&config, 1, 5, slots);
        let mut counts = [0_u64; 2];
        for exit in run.exits.iter().filter(|exit| exit.3 == Fate::Lost) {
            let after = u64::from(exit.2) * 5 % SLOT;
            let is_first = u64::from(exit.2) * 5 < SLOT;
            counts[usize::from(after >= 2000 || is_first)] += 1;
        }
        let sent = (slots * SLOT / 5) as f64;
        counts.map(|count| 100.0 * count as f64 / sent)
    };
    let [near, between] = lost(true);
    // 400 ms of 15 s with 30 %, and what a steady flow loses between.
    assert!((0.7..0.9).contains(&near), "{near}");
    assert!((0.2..0.45).contains(&between), "{between}");
    let [near, between] = lost(false);
    assert!(near < between / 3.0, "{near} {between}");
}
