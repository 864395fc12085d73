//! Journeys past several base stations, seen from outside.

use base::{Direction, Duration};
use radio::RadioContext;
use radio::lte::LteKeys;
use radio::nr::NrKeys;
use radio::scheduled::{Journey, ScheduledConfig, Site};

use super::support::{Run, at, context};

const BOTH: [Direction; 2] = Direction::BOTH;

fn site(name: &str, x: f64) -> Site {
    Site { name: name.to_owned(), position: [x, 50.0] }
}

/// A way of 800 m between two sites that are 1 km apart, in 40 s.
fn between() -> Journey {
    Journey {
        from: [100.0, 0.0],
        to: [900.0, 0.0],
        speed: 20.0,
        shadowing: 0.0,
        ..Journey::default()
    }
}

fn lte(journey: Journey, sites: &[f64]) -> LteKeys {
    let mut keys = LteKeys::default();
    (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (40.0, 35.0);
    keys.station.site =
        ["west", "east"].iter().zip(sites).map(|(name, x)| site(name, *x)).collect();
    keys.station.journey = Some(journey);
    keys
}

fn in_seconds(seconds: u64) -> RadioContext<'static> {
    RadioContext { duration: Duration::from_secs(seconds), ..context() }
}

/// A run of so many `seconds` with a packet each 5 ms in both directions, then until all is over.
fn run_of(config: &ScheduledConfig, seconds: u64) -> Run {
    let mut run = Run::new(config, 1);
    for millis in (0..1000 * seconds).step_by(5) {
        for way in BOTH {
            run.send(at(millis), 0, way, 500);
        }
    }
    run.until(at(1000 * seconds + 60_000));
    run
}

/// How often `run` was handed over, and how often its radio link failed.
fn moves(run: &Run) -> [u64; 2] {
    let counters = run.network.total(Direction::Downlink);
    [counters.relocations, counters.resets]
}

/// With a hysteresis a mobile between two cells is handed over once each way, without one and
/// without a time to trigger by each error of a measurement. No byte is lost.
#[test]
fn a_cell_must_be_better_for_long_enough() {
    for turns in 1..4 {
        let config = lte(between(), &[0.0, 1000.0]).config(&in_seconds(40 * turns));
        let run = run_of(&config, 40 * turns);
        assert_eq!(moves(&run), [turns, 0], "once each way");
        let sent = run.sent_at.len() as u64 / 2 * 500;
        assert_eq!(BOTH.map(|way| run.bytes(0, way)), [sent; 2]);
    }
    let eager = Journey { hysteresis: 0.0, time_to_trigger: Duration::ZERO, ..between() };
    let run = run_of(&lte(eager, &[0.0, 1000.0]).config(&in_seconds(40)), 40);
    let [handovers, failures] = moves(&run);
    assert!(handovers > 5 && failures == 0, "{handovers} {failures}");
}

/// Out of the reach of its only site the link fails, again and again, and is repaired on the way
/// back: what was sent in the end arrives, and nothing is lost.
#[test]
fn a_link_that_fails_is_repaired() {
    let journey = Journey { to: [30_000.0, 0.0], speed: 500.0, ..between() };
    let keys = lte(journey, &[0.0]);
    let run = run_of(&keys.config(&in_seconds(119)), 119);
    let [handovers, failures] = moves(&run);
    assert!(handovers == 0 && failures > 3, "{handovers} {failures}");
    let sent = run.sent_at.len() as u64 / 2 * 500;
    assert_eq!(BOTH.map(|way| run.bytes(0, way)), [sent; 2]);
    // Between two sites it goes to the other one instead, and does not fail.
    let both = lte(between(), &[0.0, 1000.0]).config(&in_seconds(40));
    assert_eq!(moves(&run_of(&both, 40))[1], 0);
}

/// What interferes lowers the rate, and a lone site has none: halfway to another, half of its
/// blocks leave 3 dB at most.
#[test]
fn other_sites_interfere() {
    let rate = |sites: &[f64], load: f64| {
        let resting = Journey {
            from: [500.0, 0.0],
            to: [500.0, 1.0],
            speed: 0.01,
            error: 0.0,
            load: crate::support::probability(load),
            ..between()
        };
        let config = lte(resting, sites).config(&in_seconds(4));
        let mut run = Run::new(&config, 1);
        for millis in 0..4000 {
            for _ in 0..14 {
                run.send(at(millis), 0, Direction::Downlink, 1500);
            }
        }
        run.until(at(4000));
        run.bytes(0, Direction::Downlink) as f64 * 8.0 / 4e6
    };
    let (alone, quiet) = (rate(&[0.0], 0.5), rate(&[0.0, 1000.0], 0.0));
    let [half, most] = [0.5, 0.9].map(|load| rate(&[0.0, 1000.0], load));
    assert!((alone / quiet - 1.0).abs() < 0.02, "{alone} {quiet}");
    assert!(half < 0.6 * alone && most < half, "{alone} {half} {most}");
}

/// NR has the same journeys, and the same journey is the same however often it is made.
#[test]
fn a_journey_is_the_same_each_time() {
    let mut keys = NrKeys::default();
    (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (40.0, 35.0);
    keys.station.site = vec![site("west", 0.0), site("east", 1000.0)];
    keys.station.journey = Some(Journey { shadowing: 6.0, ..between() });
    let config = keys.config(&in_seconds(80));
    assert_eq!(config, keys.config(&in_seconds(80)));
    let other = keys.config(&RadioContext { seed: 2, ..in_seconds(80) });
    assert_ne!(config, other, "another seed has other shadows");
    let run = run_of(&config, 80);
    assert!(moves(&run)[0] >= 2, "{:?}", moves(&run));
}
