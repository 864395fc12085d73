//! A beam that other users share.

use base::{Direction, Duration, Probability, Time};
use radio::satellite::{Access, Background, SatelliteConfig};

use super::support::{Run, at, config, ms};

/// Both directions in frames of 4/3 ms, of which others leave so many percent.
fn shared(left: u32) -> SatelliteConfig {
    let mut config = config();
    let left = Probability::new(f64::from(left) / 100.0).expect("in range");
    for carrier in &mut config.carriers {
        carrier.access =
            Access::Shared(Background { frame: Duration::from_nanos(1_333_333), left });
    }
    config
}

/// When packets come out that are handed in `gap` apart, less what a bearer of one's own takes.
fn waits(config: &SatelliteConfig, direction: Direction, gap: Duration) -> Vec<f64> {
    let mut run = Run::new(config, 1);
    let came: Vec<_> = (0..20_000).map(|number| Time::ZERO + gap * number).collect();
    for time in &came {
        run.send(*time, direction, 56);
    }
    run.until(at(10_000_000));
    let spent = run.exits.iter().map(|exit| exit.0.saturating_since(came[exit.2 as usize]));
    spent.map(|spent| spent.saturating_sub(ms(100)).as_secs_f64() * 1000.0).collect()
}

/// A long load gets the rate that others leave, within 3 %: its rate is the mean.
#[test]
fn others_take_their_share_of_the_rate() {
    for left in [5, 25, 80] {
        let mut run = Run::new(&shared(left), 1);
        for _ in 0..60_000 {
            run.send(Time::ZERO, Direction::Downlink, 1000);
        }
        run.until(at(1_000_000));
        assert_eq!(run.exits.len(), 60_000);
        let end = run.exits.iter().map(|exit| exit.0).max().expect("some came out");
        // Each takes a millisecond at the rate, and 100 ms of way follow.
        let span = end.saturating_since(at(100)).as_secs_f64();
        assert!((58.2..61.8).contains(&span), "{left} %: {span}");
    }
}

/// Within a frame of its own a terminal sends at the rate of the beam.
#[test]
fn a_frame_of_its_own_has_the_whole_beam() {
    let mut run = Run::new(&shared(25), 1);
    for _ in 0..200 {
        run.send(Time::ZERO, Direction::Downlink, 100);
    }
    run.until(at(10_000));
    let gaps = run.exits.windows(2).map(|pair| pair[1].0.saturating_since(pair[0].0));
    // 800 bits at 32 Mbit/s, or one frame of another user and more between.
    let within = gaps.clone().filter(|gap| *gap == Duration::from_micros(25)).count();
    let other = gaps.filter(|gap| *gap > Duration::from_micros(1300)).count();
    assert!(within + other == 199 && within > 150, "{within} {other}");
}

/// Round trips of idle packets differ from one to the next by 6.7 ms on average, as Huston measured
/// over Starlink, if others have three quarters of the frames: each way waits for a frame.
#[test]
fn waits_for_frames_are_the_jitter_that_was_measured() {
    let gap = Duration::from_nanos(50_300_000);
    let [down, up] = Direction::BOTH.map(|direction| waits(&shared(25), direction, gap));
    let round_trips: Vec<_> = down.iter().zip(&up).map(|(down, up)| down + up).collect();
    let steps = round_trips.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let jitter = steps.sum::<f64>() / (round_trips.len() - 1) as f64;
    assert!((6.4..7.0).contains(&jitter), "{jitter}");
    // Without other users nothing waits.
    let own = waits(&shared(100), Direction::Downlink, gap);
    assert!(own.iter().all(|wait| *wait < 0.06), "{:?}", own.first());
}
