//! Capacity on demand.

use base::{Direction, Duration, Rate, Time};
use radio::satellite::{Access, Assignment, SatelliteConfig};

use super::support::{Run, at, config, ms};

const UP: Direction = Direction::Uplink;

/// Frames of 25 ms with 2,500 bytes each, which come 500 ms after they were asked for.
fn on_demand(committed: Option<u64>) -> SatelliteConfig {
    let mut config = config();
    let committed = committed.map(Rate::from_bps);
    config.carriers[1].access =
        Access::OnDemand(Assignment { frame: ms(25), wait: ms(500), committed });
    config
}

fn exits(config: &SatelliteConfig, loads: &[(u64, u32)]) -> Vec<Time> {
    let mut run = Run::new(config, 1);
    for (millis, bytes) in loads {
        run.send(at(*millis), UP, *bytes);
    }
    run.until(at(100_000));
    assert!(run.is_idle());
    run.exits.iter().map(|exit| exit.0).collect()
}

#[test]
fn the_first_packet_waits_for_a_request_and_its_answer() {
    // It comes at 30 ms, is asked for at 50 ms and sent at 550 ms for 10 ms: 100 ms of way.
    assert_eq!(exits(&on_demand(None), &[(30, 1000)]), [at(660)]);
    // With 40 kbit/s of its own a frame has 125 bytes at once, and 100 bytes need no request.
    assert_eq!(exits(&on_demand(Some(40_000)), &[(30, 100)]), [at(151)]);
}

#[test]
fn a_packet_is_cut_where_a_frame_ends() {
    // 3,000 bytes: 2,500 in the frame of 550 ms, 500 in the next.
    assert_eq!(exits(&on_demand(None), &[(30, 3000)]), [at(575 + 5 + 100)]);
}

#[test]
fn what_comes_later_is_asked_for_later() {
    assert_eq!(exits(&on_demand(None), &[(30, 1000), (310, 500)]), [at(660), at(825 + 5 + 100)]);
}

#[test]
fn a_long_transfer_fills_the_frames() {
    let loads: Vec<_> = (0..2000).map(|number| (number / 40, 1000)).collect();
    let exits = exits(&on_demand(None), &loads);
    let span = exits[exits.len() - 1].saturating_since(exits[0]).as_secs_f64();
    let bps = 8.0 * 1000.0 * 1999.0 / span;
    assert!((792_000.0..=800_400.0).contains(&bps), "{bps}");
}

#[test]
fn frames_in_an_outage_come_after_it() {
    let mut config = on_demand(None);
    config.gaps = vec![[at(540), at(710)]];
    assert_eq!(exits(&config, &[(30, 1000)]), [at(725 + 10 + 100)]);
}

#[test]
fn nothing_is_due_while_nothing_waits() {
    let mut run = Run::new(&on_demand(Some(8_000)), 1);
    assert!(run.is_idle());
    run.send(at(3), UP, 10);
    run.until(at(1000));
    assert!(run.is_idle());
    assert_eq!(run.bearer.waited(UP, at(1000)), Duration::from_nanos(22_100_000));
}
