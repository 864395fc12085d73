//! WTCP: separations in, a rate out.

use base::{Duration, Time};
use cc::{Ack, Clocks, Controller, Limits, Loss, LossKind, LostSegment, WindowRules, Wtcp};

use crate::harness::ACK;

const MSS: u64 = 1_000;

/// A sender of segments of 1000 B on a path of 500 ms.
struct Path {
    wtcp: Wtcp,
    clocks: Clocks,
    delivered: u64,
    /// Segments in flight.
    flight: u64,
}

impl Path {
    fn new() -> Self {
        let limits = Limits {
            mss: 1_000,
            initial_window: 2,
            initial_ssthresh: 64,
            maximum_window: 64,
            rules: WindowRules::default(),
        };
        let clocks = Clocks { sent: u32::MAX - 100, received: 7, ack: u32::MAX - 1_500 };
        let mut path = Self { wtcp: Wtcp::new(&limits), clocks, delivered: 0, flight: 10 };
        path.wtcp.on_clocks(&path.clocks);
        path
    }

    /// An acknowledgement of a segment that was sent and received so long after the one before.
    fn ack(&mut self, sent: u32, received: u32) {
        self.clocks = Clocks {
            sent: self.clocks.sent.wrapping_add(sent),
            received: self.clocks.received.wrapping_add(received),
            ack: self.clocks.ack.wrapping_add(MSS as u32),
        };
        self.wtcp.on_clocks(&self.clocks);
        self.delivered += MSS;
        self.wtcp.on_ack(&Ack {
            now: self.now(),
            acked: MSS,
            delivered: MSS,
            una: self.delivered,
            nxt: self.delivered + self.flight * MSS,
            pipe: self.flight * MSS,
            rtt: Some(Duration::from_millis(500)),
            recovering: false,
            window_limited: false,
            most_in_flight: 0,
            ..ACK
        });
    }

    fn now(&self) -> Time {
        Time::from_nanos(u64::from(self.clocks.received) * 1_000_000)
    }

    /// A round trip of ten segments, after which it decides.
    fn round(&mut self, sent: u32, received: u32) -> u64 {
        (0..10).for_each(|_| self.ack(sent, received));
        self.bytes_per_second()
    }

    fn lose(&mut self) {
        self.wtcp.on_lost_segment(&LostSegment {
            now: self.now(),
            bytes: MSS,
            prior: self.delivered,
            pipe_at_send: 0,
            lost: 0,
            app_limited: false,
        });
    }

    fn bytes_per_second(&self) -> u64 {
        self.wtcp.pacing_rate().map_or(0, |rate| rate.as_bps() / 8)
    }
}

/// Started by a pair that came 100 ms apart: 10 kB/s, a segment each 100 ms.
fn started() -> Path {
    let mut path = Path::new();
    assert_eq!((path.bytes_per_second(), path.wtcp.window()), (0, 2 * MSS));
    path.ack(0, 100);
    assert_eq!((path.bytes_per_second(), path.wtcp.window()), (10_000, 64 * MSS));
    (0..8).for_each(|_| path.ack(100, 100));
    path
}

#[test]
fn a_pair_that_is_not_pulled_apart_starts_at_twice_of_what_came() {
    let mut path = Path::new();
    path.ack(0, 0);
    assert_eq!(path.bytes_per_second(), 0, "the other one is still to come");
    path.ack(0, 0);
    assert_eq!(path.bytes_per_second(), 8_000, "twice 2000 B in 500 ms");
}

#[test]
fn the_ratio_of_separations_decides() {
    let check = |received, expect: [u64; 3]| {
        let mut path = started();
        let before = path.bytes_per_second();
        let found = [(); 3].map(|()| path.round(100, received));
        assert_eq!(found.map(|rate| rate * 100 / before), expect, "{received} ms after {before}");
    };
    // A segment a round trip more, each round trip.
    check(100, [116, 133, 150]);
    check(105, [116, 133, 150]);
    // A queue grows: 3/4 of the 5 kB/s that got through, however often.
    check(200, [31, 31, 31]);
    // A queue drains.
    check(80, [100, 100, 100]);
}

#[test]
fn losses_at_usual_intervals_are_the_radios() {
    let mut path = started();
    for _ in 0..6 {
        (0..4).for_each(|_| _ = path.round(100, 100));
        let before = path.bytes_per_second();
        path.lose();
        assert_eq!(path.bytes_per_second(), before);
    }
    (0..3).for_each(|_| path.ack(100, 100));
    let before = path.bytes_per_second();
    path.lose();
    assert_eq!(path.bytes_per_second(), before / 2, "far too soon");
    path.lose();
    assert_eq!(path.bytes_per_second(), before / 2, "once a round trip");
}

#[test]
fn a_loss_while_a_queue_grows_halves() {
    let mut path = started();
    let cut = path.round(100, 200);
    path.lose();
    assert_eq!(path.bytes_per_second(), cut, "what was sent before the cut");
    let before = path.round(100, 100);
    path.lose();
    assert_eq!(path.bytes_per_second(), before / 2);
}

/// Four pairs that leave 8 s apart, at 250 B/s, and are pulled apart by 100 ms on their way.
#[test]
fn a_rate_of_less_than_a_pair_a_round_trip_grows() {
    let check = |first: [u32; 2], second: [u32; 2]| {
        let mut path = Path { flight: 1, ..Path::new() };
        path.ack(0, 4_000);
        assert_eq!(path.bytes_per_second(), 250);
        for _ in 0..4 {
            path.ack(first[0], first[1]);
            path.ack(second[0], second[1]);
        }
        assert_eq!(path.bytes_per_second(), 2_250, "{first:?} {second:?}");
    };
    check([7_900, 7_900], [100, 100]);
    check([8_000, 7_900], [0, 100]);
    check([0, 100], [8_000, 7_900]);
}

/// While a segment is missing, the one before it is echoed.
#[test]
fn a_hole_does_not_look_like_a_queue() {
    let mut path = Path::new();
    for _ in 0..5 {
        path.clocks.received = path.clocks.received.wrapping_add(10);
        path.wtcp.on_clocks(&path.clocks);
    }
    path.ack(0, 50);
    assert_eq!(path.bytes_per_second(), 10_000, "100 ms after the one before the hole");
}

#[test]
fn after_a_blackout_the_rate_is_what_it_was() {
    let mut path = started();
    let before = path.bytes_per_second();
    for _ in 0..5 {
        path.wtcp.on_loss(&Loss {
            now: path.now(),
            kind: LossKind::Timeout,
            in_flight: 10 * MSS,
            sent: path.now(),
            transmissions: 1,
            after_mark: false,
        });
        assert_eq!((path.wtcp.window(), path.bytes_per_second()), (MSS, before));
    }
    path.ack(30_000, 30_000);
    assert_eq!((path.wtcp.window(), path.bytes_per_second()), (64 * MSS, before));
}
