//! Tahoe's window, round trip by round trip.

use base::Time;
use cc::{Ack, Controller, Limits, Loss, LossKind, Tahoe, WindowRules};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 512;

fn tahoe(initial_window: u32) -> Tahoe {
    let limits = Limits {
        mss: MSS as u32,
        initial_window,
        initial_ssthresh: 64,
        maximum_window: 64,
        rules: WindowRules::default(),
    };
    Tahoe::new(&limits)
}

/// The window in whole segments after each of `rounds` round trips, an acknowledgement a segment.
fn rounds(tahoe: &mut Tahoe, rounds: usize) -> Vec<u64> {
    let round = |_| {
        for _ in 0..tahoe.window() / MSS {
            tahoe.on_ack(&Ack { acked: MSS, delivered: MSS, ..ACK });
        }
        tahoe.window() / MSS
    };
    (0..rounds).map(round).collect()
}

#[test]
fn any_loss_starts_over_with_half_as_threshold() {
    let check = |cwnd, kind, ssthresh| {
        let mut tahoe = tahoe(cwnd);
        tahoe.on_loss(&Loss { kind, ..LOSS });
        let actual = (tahoe.window() / MSS, tahoe.ssthresh() / MSS);
        assert_eq!(actual, (1, ssthresh), "from {cwnd} by {kind:?}");
    };
    check(20, LossKind::DuplicateAcks, 10);
    check(20, LossKind::FineTimeout, 10);
    check(20, LossKind::Timeout, 10);
    check(20, LossKind::Ecn, 10);
    check(3, LossKind::DuplicateAcks, 2);
}

#[test]
fn slow_start_to_half_and_then_a_segment_a_round_trip() {
    let mut tahoe = tahoe(16);
    tahoe.on_loss(&LOSS);
    assert_eq!(rounds(&mut tahoe, 7), [2, 4, 8, 8, 9, 10, 11]);
}

#[test]
fn a_loss_that_was_none_is_taken_back() {
    let mut tahoe = tahoe(40);
    tahoe.on_loss(&LOSS);
    tahoe.on_undo(Time::ZERO);
    assert_eq!((tahoe.window() / MSS, tahoe.ssthresh() / MSS), (40, 64));
}
