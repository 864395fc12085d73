//! Each row of Snoop's rules, and what is not its business.

use base::{Duration, Flags};
use middlebox::{Middlebox, Snoop, SnoopConfig};
use observe::{MiddleboxFact, RepairReason};
use tcp::Length;

use super::script::{Offered, Script, ack, data, fin};

const NOTHING: [&str; 0] = [];

pub(crate) const CONFIG: SnoopConfig = SnoopConfig {
    cache_segments: 8,
    tick: Duration::from_millis(100),
    max_tries: 10,
    threshold: 1,
};

fn snoop(config: SnoopConfig) -> Script<Snoop<Length>> {
    Script::new(Snoop::new(config), Offered::PLAIN)
}

/// Five segments have passed, and the first is acknowledged after 200 ms: the timer waits for
/// 200 + 4 · 100 ms.
fn under_way() -> Script<Snoop<Length>> {
    let mut script = snoop(CONFIG);
    for from in [0, 1_000, 2_000, 3_000, 4_000] {
        assert_eq!(script.data(from, 1_000), [format!("data {from}+1000")]);
    }
    assert_eq!(script.wait(200), NOTHING);
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
    script
}

#[test]
fn a_new_acknowledgement_frees_and_tells_the_time() {
    let script = under_way();
    assert_eq!(script.middlebox.counters().held_bytes, 4_000);
    let rtt = Duration::from_millis(200);
    assert!(script.facts.contains(&MiddleboxFact::Rtt { mobile: 0, connection: 0, rtt }));
    assert_eq!(script.middlebox.poll_timeout(), Some(script.now + Duration::from_millis(600)));
}

#[test]
fn the_first_duplicate_passes_the_second_repairs_and_the_expected_are_kept_back() {
    let mut script = under_way();
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"], "below the threshold");
    assert_eq!(script.ack(1_000), ["data 1000+1000"], "three segments follow the one lost");
    assert_eq!(script.ack(1_000), NOTHING, "the third of three");
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"], "more than expected");
    let counters = script.middlebox.counters();
    assert_eq!((counters.suppressed, counters.retransmissions), (2, 1));
    assert!(script.facts.contains(&MiddleboxFact::Retransmitted {
        mobile: 0,
        connection: 0,
        offset: 1_000,
        reason: RepairReason::Duplicates,
    }));
    assert_eq!(script.ack(5_000), ["ack 5000 win 50000"]);
    assert_eq!(script.middlebox.counters().held_bytes, 0);
}

#[test]
fn a_new_acknowledgement_ends_what_was_expected() {
    let mut script = under_way();
    script.ack(1_000);
    assert_eq!(script.ack(1_000), ["data 1000+1000"]);
    assert_eq!(script.ack(3_000), ["ack 3000 win 50000"]);
    assert_eq!(script.ack(3_000), ["ack 3000 win 50000"], "the first of another loss");
    assert_eq!(script.ack(3_000), ["data 3000+1000"]);
}

#[test]
fn threshold_says_how_many_pass() {
    for threshold in 0..3 {
        let mut script = snoop(SnoopConfig { threshold, ..CONFIG });
        (0..5).for_each(|segment| drop(script.data(segment * 1_000, 1_000)));
        script.ack(1_000);
        for _ in 0..threshold {
            assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
        }
        assert_eq!(script.ack(1_000), ["data 1000+1000"]);
    }
}

#[test]
fn what_is_not_kept_is_the_senders_to_repair() {
    let mut script = snoop(CONFIG);
    script.data(0, 1_000);
    script.data(2_000, 1_000);
    script.ack(1_000);
    for _ in 0..4 {
        assert_eq!(script.ack(1_000), ["ack 1000 win 50000"], "1000..2000 never passed");
    }
    assert_eq!(script.wait(5_000), NOTHING);
}

#[test]
fn what_the_sender_sent_again_is_left_to_it() {
    let mut script = under_way();
    assert_eq!(script.data(1_000, 1_000), ["data 1000+1000"]);
    for _ in 0..4 {
        assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
    }
    let samples = script.facts.len();
    script.ack(5_000);
    let told = &script.facts[samples..];
    let is_rtt = |fact: &MiddleboxFact| matches!(fact, MiddleboxFact::Rtt { .. });
    assert!(!told.iter().any(is_rtt), "the last one waited at the mobile for the repair");
}

#[test]
fn what_comes_late_is_put_in_its_place() {
    let mut script = snoop(CONFIG);
    script.data(0, 1_000);
    script.data(2_000, 1_000);
    script.data(1_000, 1_000);
    assert_eq!(script.middlebox.counters().held_bytes, 3_000);
    script.ack(1_000);
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"], "its sender may know of it");
}

#[test]
fn a_full_cache_keeps_no_more() {
    let mut script = snoop(SnoopConfig { cache_segments: 2, ..CONFIG });
    for from in [0, 1_000, 2_000] {
        assert_eq!(script.data(from, 1_000), [format!("data {from}+1000")]);
    }
    assert_eq!(script.middlebox.counters().held_bytes, 2_000);
    script.ack(2_000);
    assert_eq!(script.ack(2_000), ["ack 2000 win 50000"]);
    assert_eq!(script.ack(2_000), ["ack 2000 win 50000"]);
    assert_eq!(script.data(3_000, 1_000), ["data 3000+1000"]);
    assert_eq!(script.middlebox.counters().held_bytes, 1_000);
}

#[test]
fn old_acknowledgements_and_new_windows_pass() {
    let mut script = under_way();
    assert_eq!(script.ack(500), ["ack 500 win 50000"]);
    for window in [40_000, 30_000, 20_000] {
        let out = script.packet(ack(1_000, window));
        assert_eq!(out, [format!("ack 1000 win {window}")]);
    }
    assert_eq!(script.middlebox.counters().suppressed, 0);
}

#[test]
fn data_below_the_acknowledgement_pass_and_are_not_kept() {
    let mut script = under_way();
    assert_eq!(script.data(0, 1_000), ["data 0+1000"]);
    assert_eq!(script.middlebox.counters().held_bytes, 4_000);
}

#[test]
fn the_timer_repairs_until_its_patience_ends() {
    let mut script = snoop(SnoopConfig { max_tries: 3, ..CONFIG });
    script.data(0, 1_000);
    script.data(1_000, 1_000);
    let again = ["1100: data 0+1000", "2200: data 0+1000", "3300: data 0+1000"];
    assert_eq!(script.wait(60_000), again);
    let counters = script.middlebox.counters();
    assert_eq!((counters.timeouts, counters.retransmissions), (3, 3));
    script.data(0, 1_000);
    assert_eq!(script.wait(1_100), ["1100: data 0+1000"], "its sender has sent it again");
}

#[test]
fn the_timer_waits_no_less_than_a_tick() {
    let mut script = snoop(CONFIG);
    for from in (0..8).map(|segment| segment * 1_000) {
        script.data(from, 1_000);
        script.wait(5);
        script.ack(from + 1_000);
    }
    script.data(8_000, 1_000);
    assert_eq!(script.wait(150), ["100: data 8000+1000"]);
}

#[test]
fn no_time_is_taken_of_what_was_sent_twice() {
    let mut script = snoop(CONFIG);
    script.data(0, 1_000);
    assert_eq!(script.wait(1_200), ["1100: data 0+1000"]);
    script.ack(1_000);
    assert!(!script.facts.iter().any(|fact| matches!(fact, MiddleboxFact::Rtt { .. })));
}

#[test]
fn duplicates_after_a_timeout_are_expected_as_well() {
    let mut script = under_way();
    assert_eq!(script.wait(600), ["600: data 1000+1000"]);
    script.ack(1_000);
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"], "it has been repaired");
    assert_eq!(script.ack(1_000), NOTHING);
}

#[test]
fn a_fin_is_kept_and_the_end_forgets_all() {
    let mut script = snoop(CONFIG);
    assert_eq!(script.packet(fin(0, 0)), ["fin 0+0"]);
    assert_eq!(script.wait(1_100), ["1100: fin 0+0"]);
    let mut last = ack(1, 50_000);
    last.segment.header.flags = Flags::ACK | Flags::FIN;
    script.packet(last);
    let mut end = data(1, 0);
    end.segment.header.ack = end.segment.header.ack + 1;
    script.packet(end);
    assert_eq!(script.middlebox.poll_timeout(), None);
    assert_eq!(script.middlebox.counters().held_bytes, 0);
}

#[test]
fn a_reset_passes_and_forgets_all() {
    let mut script = under_way();
    let mut reset = data(5_000, 0);
    reset.segment.header.flags = Flags::RST;
    assert_eq!(script.packet(reset), ["reset"]);
    let counters = script.middlebox.counters();
    assert_eq!((counters.held_bytes, counters.discarded_bytes), (0, 4_000));
    assert_eq!(script.middlebox.poll_timeout(), None);
    assert_eq!(script.data(5_000, 1_000), ["data 5000+1000"]);
    assert_eq!(script.middlebox.counters().held_bytes, 0);
}

#[test]
fn silence_of_two_hours_forgets() {
    let mut script = under_way();
    script.ack(5_000);
    let patience = Duration::from_secs(124 * 60);
    assert_eq!(script.middlebox.poll_timeout(), Some(script.now + patience));
    assert_eq!(script.wait(124 * 60 * 1_000), NOTHING);
    assert_eq!(script.middlebox.poll_timeout(), None);
}
