//! The byte held back, the sender stopped and woken.

use base::{Duration, Rate};
use middlebox::{MTcp, MTcpConfig, Middlebox, RadioReport};
use observe::MiddleboxFact;
use tcp::Length;

use super::script::{Offered, Script, ack, data, fin, stamped, with_block};

const NOTHING: [&str; 0] = [];
const CONFIG: MTcpConfig =
    MTcpConfig { timeout: Duration::from_secs(4), release: Duration::from_millis(200) };
const COVERED: RadioReport = RadioReport { rate: Some(Rate::from_bps(30_000)) };
const UNCOVERED: RadioReport = RadioReport { rate: None };

/// Three segments have passed, one is acknowledged.
fn under_way() -> Script<MTcp<Length>> {
    let mut script = Script::new(MTcp::new(CONFIG), Offered::PLAIN);
    assert_eq!(script.ack(0), ["ack 0 win 50000"], "of the SYN alone nothing is held back");
    (0..3).for_each(|segment| drop(script.data(segment * 1_000, 1_000)));
    assert_eq!(script.ack(1_000), ["ack 999 win 50000"]);
    script
}

#[test]
fn the_last_byte_is_held_back_while_more_is_under_way() {
    let mut script = under_way();
    assert_eq!(script.ack(1_000), ["ack 999 win 50000"], "a duplicate is one to the sender too");
    assert_eq!(script.ack(2_000), ["ack 1999 win 50000"]);
    assert_eq!(script.wait(3_900), NOTHING);
    assert_eq!(script.ack(1_500), ["ack 1500 win 50000"], "an old one means nothing");
    let block = with_block(ack(2_000, 50_000), 2_500, 3_000);
    assert_eq!(script.packet(block), ["ack 1999 win 50000"]);
}

#[test]
fn a_quiet_flow_gets_its_last_byte() {
    let mut script = under_way();
    assert_eq!(script.ack(3_000), ["ack 2999 win 50000"]);
    assert_eq!(script.wait(10_000), ["200: ack 3000 win 50000"]);
    assert_eq!(script.ack(3_000), ["ack 3000 win 50000"], "what was told is not taken back");
    assert_eq!(script.middlebox.counters().zero_windows, 0);
}

#[test]
fn more_data_keep_the_byte_back() {
    let mut script = under_way();
    script.ack(3_000);
    script.wait(100);
    script.data(3_000, 1_000);
    assert_eq!(script.wait(3_999), NOTHING);
    assert_eq!(script.wait(1), ["1: ack 3000 win 0", "1: data 2999+0"]);
}

#[test]
fn a_sender_that_repeats_the_byte_held_back_is_told_of_it() {
    let mut script = under_way();
    assert_eq!(script.data(999, 1), ["ack 1000 win 50000"]);
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
    assert_eq!(script.ack(2_000), ["ack 1999 win 50000"]);
}

#[test]
fn a_fin_is_acknowledged_whole() {
    let mut script = under_way();
    script.packet(fin(3_000, 0));
    assert_eq!(script.ack(3_000), ["ack 2999 win 50000"]);
    assert_eq!(script.ack(3_001), ["ack 3001 win 50000"]);
    assert_eq!(script.wait(10_000), NOTHING);
}

#[test]
fn silence_stops_the_sender_and_a_word_wakes_it() {
    let mut script = under_way();
    let asked = ["4000: ack 1000 win 0", "4000: data 999+0", "8000: data 999+0"];
    assert_eq!(script.wait(9_000), asked, "the mobile has had that number");
    assert!(script.facts.contains(&MiddleboxFact::Stalled { mobile: 0 }));
    assert_eq!(script.data(1_000, 1), ["data 1000+1"], "a probe is for the mobile");
    assert_eq!(script.wait(2_000), NOTHING);
    assert_eq!(script.packet(ack(1_001, 40_000)), ["ack 1000 win 0"], "more may be coming");
    assert!(script.facts.contains(&MiddleboxFact::Recovered { mobile: 0 }));
    let counters = script.middlebox.counters();
    assert_eq!((counters.timeouts, counters.zero_windows), (1, 1));
    assert_eq!(script.wait(60_000), ["200: ack 1001 win 40000"], "the rest is lost");
    script.data(1_001, 999);
    assert_eq!(script.wait(4_000), ["4000: ack 1001 win 0", "4000: data 1000+0"], "once more");
}

#[test]
fn a_sender_wakes_when_the_radio_has_delivered_what_it_kept() {
    let mut script = under_way();
    assert_eq!(script.wait(4_000), ["4000: ack 1000 win 0", "4000: data 999+0"]);
    assert_eq!(script.ack(2_000), ["ack 1000 win 0"]);
    assert_eq!(script.wait(199), NOTHING);
    assert_eq!(script.ack(2_000), ["ack 1000 win 0"], "the answer to a probe");
    assert_eq!(script.ack(3_000), ["ack 3000 win 50000"], "nothing is left to be repeated");
    assert_eq!(script.wait(60_000), NOTHING);
}

#[test]
fn no_coverage_while_it_wakes_stops_it_again() {
    let mut script = under_way();
    script.report(UNCOVERED);
    assert_eq!(script.report(COVERED), NOTHING);
    assert_eq!(script.report(UNCOVERED), ["ack 1000 win 0"]);
    assert_eq!(script.wait(60_000), NOTHING);
    assert_eq!(script.ack(3_000), ["ack 3000 win 50000"]);
}

/// The handshake took 3 s: srtt 3 s and rttvar 1.5 s.
#[test]
fn on_a_slow_radio_silence_is_longer() {
    let mut script = Script::new(MTcp::new(CONFIG), Offered::PLAIN);
    script.wait(3_000);
    script.ack(0);
    script.data(0, 1_000);
    assert_eq!(script.wait(7_000), ["6000: ack 0 win 0", "6000: data 4294967295+0"]);
}

#[test]
fn nothing_owed_no_silence() {
    let mut script = under_way();
    script.ack(3_000);
    script.wait(200);
    assert_eq!(script.wait(60_000), NOTHING);
}

#[test]
fn the_radio_stops_and_wakes_as_well() {
    let mut script = under_way();
    assert_eq!(script.report(COVERED), NOTHING);
    assert_eq!(script.report(UNCOVERED), ["ack 1000 win 0"]);
    assert_eq!(script.report(UNCOVERED), NOTHING);
    assert_eq!(script.wait(60_000), NOTHING);
    assert_eq!(script.report(COVERED), NOTHING, "the radio may have kept something");
    assert_eq!(script.wait(60_000), ["200: ack 1000 win 50000"]);
    assert_eq!(script.report(COVERED), NOTHING);
    script.data(1_000, 1_000);
    assert_eq!(script.wait(4_000), ["4000: ack 1000 win 0", "4000: data 999+0"]);
    assert_eq!(script.report(COVERED), NOTHING, "the mobile has not spoken");
    assert_eq!(script.report(UNCOVERED), NOTHING, "it knows already");
    script.report(COVERED);
    assert_eq!(script.wait(4_000), ["200: ack 1000 win 50000"]);
}

#[test]
fn what_the_box_says_bears_the_mobiles_stamps_and_number() {
    let offered = Offered { timestamps: true, ..Offered::PLAIN };
    let mut script = Script::new(MTcp::new(CONFIG), offered);
    script.packet(stamped(data(0, 1_000), 70, 30));
    script.packet(stamped(data(1_000, 1_000), 71, 30));
    let said = script.packet(stamped(ack(1_000, 9_000), 40, 70));
    assert_eq!(said, ["ack 999 win 9000 echo 70"]);
    assert_eq!(script.wait(4_000), ["4000: ack 1000 win 0 echo 70", "4000: data 999+0"]);
}
