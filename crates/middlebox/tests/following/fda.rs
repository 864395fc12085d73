//! What the sender is told of its window.

use middlebox::{FdaLike, FdaLikeKeys, FlowControl, Middlebox};
use observe::MiddleboxFact;
use tcp::Length;

use super::script::{Offered, Script, ack};
use super::snoop;

const CONFIG: FdaLikeKeys =
    FdaLikeKeys { snoop: snoop::CONFIG, fda: FlowControl { target_queue: 6_000 } };

/// The mobile's SYN offers 6000 in place of 50000.
fn fda(shift: Option<u8>) -> Script<FdaLike<Length>> {
    Script::new(FdaLike::new(CONFIG), Offered { shift, window: 6_000, ..Offered::PLAIN })
}

/// By hand: of 4000 bytes 1000 are acknowledged after 1 s. No rate is known yet, 3000 wait, and the
/// sender may go 6000 − 3000 beyond 4000. The next 1000 come 2 s later: 500 B/s, of which the radio
/// holds 500 in its shortest round trip of 1 s and the wire takes 20 in its of 40 ms.
#[test]
fn the_window_is_what_the_queue_lacks() {
    let mut script = fda(None);
    (0..4).for_each(|segment| drop(script.data(segment * 1_000, 1_000)));
    script.wait(1_000);
    assert_eq!(script.ack(1_000), ["ack 1000 win 6000"]);
    script.wait(2_000);
    let edge = 4_000 + 6_000 + 20 - (2_000 - 500);
    let window = edge - 2_000;
    assert_eq!(script.packet(ack(2_000, 50_000)), [format!("ack 2000 win {window}")]);
    let fact = MiddleboxFact::Advertised { mobile: 0, connection: 0, window, edge };
    assert!(script.facts.contains(&fact));
}

#[test]
fn the_edge_moves_neither_back_nor_by_slivers() {
    let mut script = fda(None);
    (0..6).for_each(|segment| drop(script.data(segment * 1_000, 1_000)));
    script.wait(1_000);
    assert_eq!(script.ack(500), ["ack 500 win 5500"], "500 more would be a sliver");
    assert_eq!(script.ack(900), ["ack 900 win 5100"]);
    assert_eq!(script.ack(1_000), ["ack 1000 win 6000"]);
}

#[test]
fn the_mobiles_own_window_is_never_exceeded() {
    let mut script = fda(None);
    script.data(0, 1_000);
    assert_eq!(script.packet(ack(1_000, 700)), ["ack 1000 win 700"]);
    assert_eq!(script.packet(ack(1_000, 0)), ["ack 1000 win 0"]);
    assert_eq!(script.middlebox.counters().zero_windows, 0, "that one is the mobile's");
}

#[test]
fn a_scaled_window_is_rounded_so_that_the_edge_stays() {
    let mut script = fda(Some(7));
    (0..4).for_each(|segment| drop(script.data(segment * 1_000, 1_000)));
    script.wait(1_000);
    assert_eq!(script.ack(1_000), ["ack 1000 win 47"], "6000 / 128, rounded up");
}

/// A radio of 4000 B/s with a round trip of 1 s, a wire of 40 ms, and a sender that always has
/// more: what waits comes to rest at its target.
#[test]
fn the_queue_rests_at_its_target() {
    let mut script = fda(None);
    let (mut sent, mut edge) = (0_u64, 6_000_u64);
    let (mut queue, mut acks, mut data) = (Vec::new(), Vec::new(), Vec::new());
    let mut waits = 0;
    for tick in 0..60_000_u64 {
        while data.first() == Some(&tick) {
            data.remove(0);
            queue.extend(script.data(sent as u32, 500));
            sent += 500;
        }
        if tick % 125 == 0 && !queue.is_empty() {
            queue.remove(0);
            acks.push(tick + 1_000);
        }
        if acks.first() == Some(&tick) {
            acks.remove(0);
            let acked = sent - 500 * (queue.len() + acks.len()) as u64;
            let told = script.ack(acked as u32).remove(0);
            let window: u64 = told.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap();
            edge = acked + window;
        }
        let promised = sent + 500 * data.len() as u64;
        if tick == 0 || promised + 500 <= edge {
            data.extend(
                (promised..edge).step_by(500).filter(|at| at + 500 <= edge).map(|_| tick + 40),
            );
        }
        waits = 500 * queue.len() as u64;
        script.wait(1);
    }
    assert!((4_500..=7_500).contains(&waits), "{waits} bytes wait, 6000 should");
    assert!(script.middlebox.counters().held_max <= 8_000);
}
