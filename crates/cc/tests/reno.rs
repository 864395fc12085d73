//! Reno's window, round trip by round trip.

use base::Time;
use cc::{Ack, Controller, Limits, Loss, LossKind, Reno};

const MSS: u32 = 512;

fn reno(initial_window: u32, initial_ssthresh: u32, maximum_window: u32) -> Reno {
    Reno::new(&Limits { mss: MSS, initial_window, initial_ssthresh, maximum_window })
}

fn ack(acked: u64) -> Ack {
    Ack { now: Time::ZERO, acked, una: 0, nxt: 0, rtt: None }
}

fn loss(kind: LossKind) -> Loss {
    Loss { now: Time::ZERO, kind, in_flight: 0, sent: Time::ZERO, transmissions: 1 }
}

fn segments(bytes: u64) -> u64 {
    bytes / u64::from(MSS)
}

/// The window in whole segments after each of `rounds` round trips, an acknowledgement a segment.
fn rounds(reno: &mut Reno, rounds: usize) -> Vec<u64> {
    let round = |_| {
        (0..segments(reno.window())).for_each(|_| reno.on_ack(&ack(u64::from(MSS))));
        segments(reno.window())
    };
    (0..rounds).map(round).collect()
}

#[test]
fn slow_start_doubles_up_to_the_maximum_and_stays() {
    let mut reno = reno(2, 64, 64);
    assert_eq!(rounds(&mut reno, 8), [4, 8, 16, 32, 64, 64, 64, 64]);
    assert_eq!(reno.window(), 64 * u64::from(MSS), "not a byte above");
}

#[test]
fn congestion_avoidance_adds_a_segment_a_round_trip() {
    let mut reno = reno(4, 8, 64);
    assert_eq!(rounds(&mut reno, 6), [8, 8, 9, 10, 11, 12]);
}

#[test]
fn a_loss_halves_and_a_timeout_starts_over() {
    let check = |cwnd, kind, expect: (u64, u64)| {
        let mut reno = reno(cwnd, 64, 64);
        reno.on_loss(&loss(kind));
        let actual = (segments(reno.window()), segments(reno.ssthresh()));
        assert_eq!(actual, expect, "from {cwnd} by {kind:?}");
    };
    check(64, LossKind::DuplicateAcks, (32, 32));
    check(11, LossKind::DuplicateAcks, (5, 5));
    check(3, LossKind::DuplicateAcks, (2, 2));
    check(1, LossKind::DuplicateAcks, (2, 2));
    check(20, LossKind::FineTimeout, (10, 10));
    check(20, LossKind::Timeout, (1, 10));
    check(3, LossKind::Timeout, (1, 2));
}

#[test]
fn a_second_timeout_halves_once_more() {
    let mut reno = reno(20, 64, 64);
    (0..2).for_each(|_| reno.on_loss(&loss(LossKind::Timeout)));
    assert_eq!((segments(reno.window()), segments(reno.ssthresh())), (1, 2));
}

#[test]
fn a_segment_acknowledged_in_pieces_counts_once() {
    let (mut pieces, mut whole) = (reno(4, 64, 64), reno(4, 64, 64));
    (0..MSS).for_each(|_| pieces.on_ack(&ack(1)));
    whole.on_ack(&ack(u64::from(MSS)));
    assert_eq!(pieces.window(), whole.window());
    // And an acknowledgement of two segments is one acknowledgement (RFC 5681 equation 2).
    whole.on_ack(&ack(2 * u64::from(MSS)));
    assert_eq!(segments(whole.window()), 6);
}

#[test]
fn idling_falls_back_to_the_initial_window() {
    let check = |cwnd_acks, expect| {
        let mut reno = reno(3, 64, 64);
        (0..cwnd_acks).for_each(|_| reno.on_ack(&ack(u64::from(MSS))));
        reno.on_idle();
        assert_eq!(segments(reno.window()), expect);
    };
    check(20, 3);
    check(0, 3);
    let mut reno = reno(3, 64, 64);
    reno.on_loss(&loss(LossKind::Timeout));
    reno.on_idle();
    assert_eq!(segments(reno.window()), 1, "never upwards");
}
