//! Vegas's window, round trip by round trip.

use base::{Duration, Time};
use cc::{
    Ack, BaseRtt, Controller, Inflation, Limits, Loss, LossKind, Unmeasured, Vegas,
    VegasParameters, WindowRules,
};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 1_000;

fn vegas(initial_window: u32, initial_ssthresh: u32, parameters: VegasParameters) -> Vegas {
    let limits = Limits {
        mss: MSS as u32,
        initial_window,
        initial_ssthresh,
        maximum_window: 64,
        rules: WindowRules::default(),
    };
    Vegas::new(&limits, parameters)
}

/// A sender that keeps the window full, over a path of fixed delay and rate: one round trip
/// after the other.
struct Path {
    vegas: Vegas,
    now: Time,
    una: u64,
    nxt: u64,
    delay: Duration,
    /// Time that one segment takes at the bottleneck.
    service: Duration,
    /// The application sends no more than so many segments at a time.
    supply: u64,
}

impl Path {
    fn new(vegas: Vegas, delay_millis: u64, service_millis: u64) -> Self {
        let nxt = vegas.window() / MSS * MSS;
        let delay = Duration::from_millis(delay_millis);
        let service = Duration::from_millis(service_millis);
        Self { vegas, now: Time::ZERO, una: 0, nxt, delay, service, supply: u64::MAX }
    }

    /// The flight is acknowledged segment by segment, and the next one sent; says the window in
    /// whole segments.
    fn round(&mut self) -> u64 {
        let flight = (self.nxt - self.una) / MSS;
        let rtt = Duration::from_nanos(self.delay.as_nanos().max(self.service.as_nanos() * flight));
        self.now += rtt;
        for _ in 0..flight {
            self.una += MSS;
            let (now, una, nxt) = (self.now, self.una, self.nxt);
            self.vegas.on_ack(&Ack {
                now,
                acked: MSS,
                delivered: MSS,
                una,
                nxt,
                rtt: Some(rtt),
                ..ACK
            });
            let flight = (self.vegas.window() / MSS).min(self.supply);
            self.nxt = self.nxt.max(self.una + flight * MSS);
        }
        self.vegas.window() / MSS
    }

    fn rounds(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.round()).collect()
    }
}

#[test]
fn slow_start_doubles_every_other_round_trip_and_ends_with_an_eighth_off() {
    // The path holds ten segments: 16 of them leave six in its queue, which the second round
    // trip at that size sees.
    let mut path = Path::new(vegas(2, 64, VegasParameters::default()), 100, 10);
    let golden = [2, 4, 4, 8, 8, 16, 16, 14, 13, 12, 12, 12];
    assert_eq!(path.rounds(12), golden);
    assert_eq!(path.vegas.ssthresh() / MSS, 2);
}

#[test]
fn congestion_avoidance_settles_between_alpha_and_beta() {
    let check = |initial, service, expect: &[u64]| {
        let mut path = Path::new(vegas(initial, 2, VegasParameters::default()), 100, 5);
        path.rounds(1);
        path.service = Duration::from_millis(service);
        assert_eq!(path.rounds(expect.len()), expect, "from {initial}");
    };
    // Ten segments fit the path. What it measures is a round trip old: from below it grows to 12.
    check(8, 10, &[9, 10, 11, 12, 12]);
    // From above it shrinks to 12 as well: 12 · (1 − 100/120) = 2.
    check(18, 10, &[20, 19, 18, 17, 16, 15, 14, 13, 12, 12]);
}

#[test]
fn the_base_starts_anew_with_one_segment_in_a_round_trip() {
    // The path becomes longer, and the application sends one segment at a time, or two.
    let check = |supply, expect: &[u64]| {
        let mut path = Path::new(vegas(6, 2, VegasParameters::default()), 100, 1);
        path.round();
        path.delay = Duration::from_millis(300);
        path.supply = supply;
        path.rounds(4);
        path.supply = u64::MAX;
        path.round();
        assert_eq!(path.rounds(expect.len()), expect, "after {supply} at a time");
    };
    check(1, &[8, 9, 10]);
    check(2, &[6, 5, 5]);
}

/// The window and baseRTT in ms after a move from a way of 100 ms to one of 300 ms, with so many
/// rounds in between, the first of which brings acknowledgements of what was sent before the move.
fn moved(base_rtt: BaseRtt, rounds: usize) -> (u64, Option<u64>) {
    let parameters = VegasParameters { base_rtt, ..VegasParameters::default() };
    let mut path = Path::new(vegas(6, 2, parameters), 100, 1);
    path.rounds(3);
    path.vegas.on_path_change(path.now + Duration::from_millis(50));
    // On the way when it moved: longer than the old way, shorter than the new one.
    path.delay = Duration::from_millis(200);
    path.round();
    path.delay = Duration::from_millis(300);
    path.rounds(rounds);
    let base = path.vegas.base_rtt().map(|base| base.as_nanos() / 1_000_000);
    (path.vegas.window() / MSS, base)
}

#[test]
fn a_base_of_a_shorter_way_holds_the_window_down_unless_it_is_renewed() {
    // Of six segments 6 · (1 − 100/300) = 4 seem to wait in a queue, of five 3.3, rounded to β.
    assert_eq!(moved(BaseRtt::Kept, 20), (5, Some(100)));
    // The new base is 300 ms, not the 200 ms of what was under way, and the window grows on.
    assert_eq!(moved(BaseRtt::RenewedAtHandover, 20), (29, Some(300)));
    assert_eq!(moved(BaseRtt::RenewedAtHandover, 0).1, None);
}

/// ns-2's habit takes the time of a round without samples for its round-trip time. One that begins
/// and ends in an instant says nothing of the path.
#[test]
fn a_round_of_no_length_leaves_the_base() {
    let unmeasured = Unmeasured::RoundTime;
    let parameters = VegasParameters { unmeasured, ..VegasParameters::default() };
    let mut path = Path::new(vegas(8, 4, parameters), 100, 10);
    path.rounds(3);
    let before = path.vegas.base_rtt();
    for _ in 0..3 {
        let (una, nxt) = (path.nxt, path.nxt + 8 * MSS);
        (path.una, path.nxt) = (una, nxt);
        path.vegas.on_ack(&Ack { now: path.now, acked: MSS, delivered: MSS, una, nxt, ..ACK });
    }
    assert_eq!(path.vegas.base_rtt(), before);
}

#[test]
fn losses() {
    let check = |cwnd: u32, kind, transmissions, expect: (u64, u64)| {
        let mut vegas = vegas(cwnd, 64, VegasParameters::default());
        let sent = Time::from_nanos(5);
        let now = Time::from_nanos(9);
        vegas.on_loss(&Loss { now, kind, sent, transmissions, ..LOSS });
        let actual = (vegas.window() / MSS, vegas.ssthresh() / MSS);
        assert_eq!(actual, expect, "from {cwnd} by {kind:?}, sent {transmissions} times");
    };
    check(16, LossKind::DuplicateAcks, 1, (12, 2));
    check(7, LossKind::FineTimeout, 1, (6, 2));
    check(16, LossKind::DuplicateAcks, 2, (8, 2));
    check(5, LossKind::DuplicateAcks, 3, (2, 2));
    check(3, LossKind::DuplicateAcks, 1, (2, 2));
    check(1, LossKind::DuplicateAcks, 1, (2, 2));
    check(16, LossKind::Timeout, 1, (2, 8));
    check(3, LossKind::Timeout, 1, (2, 2));
}

#[test]
fn the_window_is_cut_once_for_what_was_sent_before_the_cut() {
    let mut vegas = vegas(16, 64, VegasParameters::default());
    let mut lose = |now, sent, expect| {
        vegas.on_loss(&Loss { now: Time::from_nanos(now), sent: Time::from_nanos(sent), ..LOSS });
        assert_eq!(vegas.window() / MSS, expect, "lost at {now}, sent at {sent}");
    };
    lose(100, 10, 12);
    lose(110, 20, 12);
    lose(120, 100, 12);
    lose(300, 101, 9);
}

/// A window of 16 segments that duplicates open itself.
fn inflating() -> Vegas {
    let limits = Limits {
        mss: MSS as u32,
        initial_window: 16,
        initial_ssthresh: 64,
        maximum_window: 16,
        rules: WindowRules::default(),
    };
    let inflation = Inflation::Window;
    Vegas::new(&limits, VegasParameters { inflation, ..VegasParameters::default() })
}

fn windows(vegas: &Vegas) -> (u64, u64) {
    (vegas.window() / MSS, vegas.ssthresh() / MSS)
}

#[test]
fn what_duplicates_have_opened_ends_where_the_last_cut_left_it() {
    let mut vegas = inflating();
    vegas.on_loss(&Loss { now: Time::from_nanos(9), sent: Time::from_nanos(5), ..LOSS });
    assert!(vegas.inflate(3));
    assert_eq!(windows(&vegas), (15, 64));
    assert!(vegas.inflate(2));
    vegas.deflate();
    assert_eq!(windows(&vegas), (12, 2));
}

#[test]
fn a_timeout_halves_what_duplicates_have_opened_and_leaves_nothing_to_come_back_to() {
    let mut vegas = inflating();
    vegas.on_loss(&Loss { now: Time::from_nanos(9), sent: Time::from_nanos(5), ..LOSS });
    assert!(vegas.inflate(3));
    vegas.on_loss(&Loss { kind: LossKind::Timeout, now: Time::from_nanos(20), ..LOSS });
    assert_eq!(windows(&vegas), (2, 7));
    assert!(vegas.inflate(1));
    vegas.deflate();
    assert_eq!(windows(&vegas), (0, 2));
    vegas.on_loss(&Loss { kind: LossKind::Timeout, now: Time::from_nanos(30), ..LOSS });
    assert_eq!(windows(&vegas), (2, 2));
}

#[test]
fn a_window_that_duplicates_do_not_open_stays_as_it_is() {
    let mut plain = vegas(16, 64, VegasParameters::default());
    assert!(!plain.inflate(3));
    assert_eq!(windows(&plain), (16, 64));
}
