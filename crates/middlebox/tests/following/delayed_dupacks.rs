//! Two duplicates pass, the others wait.

use base::Duration;
use middlebox::{DelayedDupacks, DelayedDupacksConfig, Middlebox};
use tcp::Length;

use super::script::{Offered, Script, ack, with_block};

const NOTHING: [&str; 0] = [];
const DUPLICATE: &str = "ack 1000 win 50000";

/// Ten segments have passed, one is acknowledged, and two duplicates have come.
fn after_two() -> Script<DelayedDupacks<Length>> {
    let config = DelayedDupacksConfig { delay: Duration::from_millis(300) };
    let mut script = Script::new(DelayedDupacks::new(config), Offered::PLAIN);
    (0..10).for_each(|segment| drop(script.data(segment * 1_000, 1_000)));
    for _ in 0..3 {
        assert_eq!(script.ack(1_000), [DUPLICATE]);
    }
    script
}

#[test]
fn a_hole_filled_in_time_drops_what_waits() {
    let mut script = after_two();
    assert_eq!(script.ack(1_000), NOTHING);
    assert_eq!(script.wait(200), NOTHING);
    assert_eq!(script.ack(1_000), NOTHING);
    assert_eq!(script.wait(99), NOTHING);
    assert_eq!(script.ack(4_000), ["ack 4000 win 50000"]);
    assert_eq!(script.wait(1_000), NOTHING);
    assert_eq!(script.middlebox.counters().suppressed, 2);
    for _ in 0..2 {
        assert_eq!(script.ack(4_000), ["ack 4000 win 50000"]);
    }
    assert_eq!(script.ack(4_000), NOTHING, "they are counted anew");
}

#[test]
fn one_that_stays_open_lets_go_of_all() {
    let mut script = after_two();
    script.packet(with_block(ack(1_000, 50_000), 2_000, 3_000));
    script.wait(100);
    script.packet(ack(1_000, 50_000));
    let both = ["200: ack 1000 win 50000", "200: ack 1000 win 50000"];
    assert_eq!(script.wait(1_000), both);
    assert_eq!(script.ack(1_000), [DUPLICATE], "patience is lost");
    assert_eq!(script.middlebox.counters().suppressed, 0);
}

#[test]
fn a_new_window_does_not_wait() {
    let mut script = after_two();
    assert_eq!(script.packet(ack(1_000, 40_000)), ["ack 1000 win 40000"]);
    assert_eq!(script.packet(ack(1_000, 40_000)), NOTHING);
}

#[test]
fn what_waits_is_bounded() {
    let mut script = after_two();
    (0..1_000).for_each(|_| drop(script.ack(1_000)));
    assert_eq!(script.wait(300).len(), 128);
    assert_eq!(script.middlebox.counters().suppressed, 1_000 - 128);
}
