//! A window of its own, and the sender's clock.

use base::{Duration, Flags};
use middlebox::{Middlebox, WTcp, WTcpConfig};
use tcp::Length;

use super::script::{Offered, Script, ack, data, stamped};

const NOTHING: [&str; 0] = [];
const CONFIG: WTcpConfig = WTcpConfig {
    window: 3_000,
    buffer_segments: 8,
    tick: Duration::from_millis(100),
    threshold: 1,
};

/// Five segments have come; three are in flight, one of them acknowledged after 200 ms: the timer
/// waits for 200 + 4 · 100 ms.
fn under_way() -> Script<WTcp<Length>> {
    let mut script = Script::new(WTcp::new(CONFIG), Offered::PLAIN);
    for from in [0, 1_000, 2_000] {
        assert_eq!(script.data(from, 1_000), [format!("data {from}+1000")]);
    }
    for from in [3_000, 4_000] {
        assert_eq!(script.data(from, 1_000), NOTHING, "the window is full");
    }
    script.wait(200);
    assert_eq!(script.ack(1_000), ["data 3000+1000", "ack 1000 win 50000"]);
    script
}

#[test]
fn only_the_mobile_acknowledges() {
    let mut script = under_way();
    assert_eq!(script.ack(4_000), ["data 4000+1000", "ack 4000 win 50000"]);
    assert_eq!(script.ack(5_000), ["ack 5000 win 50000"]);
    assert_eq!(script.middlebox.counters().held_bytes, 0);
}

#[test]
fn a_duplicate_repairs_and_the_window_stays() {
    let mut script = under_way();
    assert_eq!(script.ack(1_000), ["data 1000+1000"]);
    assert_eq!(script.ack(1_000), NOTHING, "once");
    assert_eq!(script.ack(3_000), ["data 4000+1000", "ack 3000 win 50000"]);
    assert_eq!(script.middlebox.counters().suppressed, 2);
}

#[test]
fn a_timeout_leaves_one_segment_until_the_mobile_is_heard() {
    let mut script = under_way();
    let again = ["600: data 1000+1000", "1800: data 1000+1000", "4200: data 1000+1000"];
    assert_eq!(script.wait(8_900), again, "twice as long each time");
    let again = ["100: data 1000+1000", "4900: data 1000+1000"];
    assert_eq!(script.wait(9_000), again, "eight times at most");
    assert_eq!(script.data(5_000, 1_000), NOTHING);
    let reopened = ["data 2000+1000", "data 3000+1000", "data 4000+1000", "ack 2000 win 50000"];
    assert_eq!(script.ack(2_000), reopened);
    let counters = script.middlebox.counters();
    assert_eq!((counters.timeouts, counters.retransmissions), (5, 7));
    assert_eq!(script.ack(4_000), ["data 5000+1000", "ack 4000 win 50000"]);
}

#[test]
fn one_that_arrives_late_spares_what_it_acknowledges() {
    let mut script = under_way();
    script.wait(600);
    assert_eq!(script.ack(3_000), ["data 4000+1000", "ack 3000 win 50000"]);
    assert_eq!(script.middlebox.counters().retransmissions, 1, "the rest is late as well");
    assert_eq!(script.ack(3_000), NOTHING, "of what was sent again in vain");
    assert_eq!(script.ack(3_000), ["data 3000+1000"], "a hole");
}

/// Ten connections fill a radio that takes 10 s then: the timeout comes to be longer than that.
#[test]
fn the_timeout_learns_a_longer_round_trip() {
    let mut script = under_way();
    for to in (4_000..60_000).step_by(3_000) {
        (1..4).for_each(|next| drop(script.data(to + next * 1_000, 1_000)));
        script.wait(9_000);
        script.ack(to - 1_000);
        script.ack(to);
    }
    assert_eq!(script.wait(9_000), NOTHING);
    assert!(script.middlebox.counters().timeouts < 8, "{:?}", script.middlebox.counters());
}

#[test]
fn a_hole_of_the_wire_is_the_senders() {
    let mut script = Script::new(WTcp::new(CONFIG), Offered::PLAIN);
    script.data(0, 1_000);
    assert_eq!(script.data(2_000, 1_000), ["data 2000+1000"]);
    script.ack(1_000);
    for _ in 0..3 {
        assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
    }
    assert_eq!(script.data(1_000, 1_000), ["data 1000+1000"]);
    assert_eq!(script.ack(3_000), ["ack 3000 win 50000"]);
}

#[test]
fn what_the_sender_sends_again_stays_here() {
    let mut script = under_way();
    assert_eq!(script.data(1_000, 1_000), NOTHING, "it is in flight");
    assert_eq!(script.data(4_000, 1_000), NOTHING, "it waits");
    assert_eq!(script.data(0, 1_000), ["ack 1000 win 50000"], "the mobile has it");
    assert_eq!(script.data(1_500, 4_000), ["data 1500+4000"], "cut in another way");
}

#[test]
fn a_full_buffer_loses_what_comes() {
    let mut script = Script::new(WTcp::new(CONFIG), Offered::PLAIN);
    for segment in 0..20 {
        script.data(segment * 1_000, 1_000);
    }
    assert_eq!(script.middlebox.counters().held_bytes, 8_000);
}

#[test]
fn a_reset_passes_at_once_and_empties_the_buffer() {
    let mut script = under_way();
    let mut reset = data(5_000, 0);
    reset.segment.header.flags = Flags::RST;
    assert_eq!(script.packet(reset), ["reset"]);
    assert_eq!(script.middlebox.counters().discarded_bytes, 4_000);
    assert_eq!(script.wait(60_000), NOTHING);
}

/// The host's clock shows 1000 with its SYN at 1000 ms and 1600 at 1600 ms. The fourth segment
/// waits 300 ms for room, until 1900 ms, and takes 200 ms.
#[test]
fn the_sender_does_not_see_how_long_data_wait_here() {
    let offered = Offered { timestamps: true, ..Offered::PLAIN };
    let mut script = Script::new(WTcp::new(CONFIG), offered);
    script.wait(600);
    for from in [0, 1_000, 2_000, 3_000] {
        script.packet(stamped(data(from, 1_000), 1_600, 5));
    }
    script.wait(300);
    let said = script.packet(stamped(ack(1_000, 50_000), 9, 1_600));
    assert_eq!(said[1], "ack 1000 win 50000 echo 1600", "it did not wait");
    script.wait(200);
    let said = script.packet(stamped(ack(4_000, 50_000), 9, 1_600));
    assert_eq!(said, ["ack 4000 win 50000 echo 1900"]);
}

/// It is retransmitted after the timeout of 1.1 s, at 2700 ms.
#[test]
fn the_sender_does_not_see_how_long_repairs_take() {
    let offered = Offered { timestamps: true, ..Offered::PLAIN };
    let mut script = Script::new(WTcp::new(CONFIG), offered);
    script.wait(600);
    script.packet(stamped(data(0, 1_000), 1_600, 5));
    assert_eq!(script.wait(1_300), ["1100: data 0+1000"]);
    let said = script.packet(stamped(ack(1_000, 50_000), 9, 1_600));
    assert_eq!(said, ["ack 1000 win 50000 echo 2700"]);
}

#[test]
fn nothing_is_hidden_before_the_clock_is_known_or_without_one() {
    let offered = Offered { timestamps: true, ..Offered::PLAIN };
    let mut script = Script::new(WTcp::new(CONFIG), offered);
    script.packet(stamped(data(0, 1_000), 1_000, 5));
    script.wait(2_000);
    let said = script.packet(stamped(ack(1_000, 50_000), 9, 1_000));
    assert_eq!(said, ["ack 1000 win 50000 echo 1000"]);
    let mut script = Script::new(WTcp::new(CONFIG), Offered::PLAIN);
    script.data(0, 1_000);
    script.wait(700);
    assert_eq!(script.ack(1_000), ["ack 1000 win 50000"]);
}
