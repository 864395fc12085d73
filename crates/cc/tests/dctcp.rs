//! DCTCP's window and its share of marks, beside RFC 8257's equations.

use base::Time;
use cc::{
    Ack, Controller, Dctcp, DctcpParameters, EcnFeedback, Limits, Loss, LossKind, Marked,
    WindowRules,
};

use crate::harness::{ACK, LOSS};

const MSS: u64 = 1_000;

/// A connection whose whole window is acknowledged at once, segment by segment.
struct Path {
    dctcp: Dctcp,
    una: u64,
    nxt: u64,
}

impl Path {
    fn new(cwnd: u32, ssthresh: u32, feedback: EcnFeedback) -> Self {
        let limits = Limits {
            mss: MSS as u32,
            initial_window: cwnd,
            initial_ssthresh: ssthresh,
            maximum_window: 1_000,
            rules: WindowRules::default(),
        };
        let mut dctcp = Dctcp::new(&limits, DctcpParameters::default());
        dctcp.on_feedback(feedback);
        Self { dctcp, una: 0, nxt: u64::from(cwnd) * MSS }
    }

    /// The next segment arrives and another leaves for it.
    fn ack(&mut self, is_marked: bool) -> f64 {
        self.una += MSS;
        let marked = Marked { packets: u64::from(is_marked), bytes: u64::from(is_marked) * MSS };
        let (una, nxt) = (self.una, self.nxt);
        self.dctcp.on_ack(&Ack { acked: MSS, delivered: MSS, una, nxt, marked, ..ACK });
        self.nxt = self.nxt.max(self.una + self.dctcp.window() / MSS * MSS);
        self.cwnd()
    }

    fn cwnd(&self) -> f64 {
        self.dctcp.window() as f64 / MSS as f64
    }
}

fn near(actual: f64, expect: f64) {
    assert!((actual - expect).abs() < 0.002, "{actual}, not {expect}");
}

/// α ← (1 - g) · α + g · M once a window of data, by hand.
#[test]
fn the_share_of_marks_is_averaged_over_windows() {
    // The first acknowledgement ends a window of its own: α = 1 - 1/16 = 15/16, and without a mark
    // cwnd grows from 10 to 10 1/10. Of the next ten, nine up to the end of what was in flight and
    // one beyond it, three are marked: M = 3/10.
    let mut path = Path::new(10, 2, EcnFeedback::Accurate);
    path.ack(false);
    for nth in 0..10 {
        path.ack(nth < 3);
    }
    // Only the first of the three reduced it: by half of 15/16. The seven without a mark added
    // 1/cwnd each.
    let mut expect = 10.1 * (1.0 - 15.0 / 32.0);
    for _ in 0..7 {
        expect += 1.0 / expect;
    }
    near(path.cwnd(), expect);
    // The next mark is of the next window of data.
    let alpha = 15.0 / 16.0 * 15.0 / 16.0 + 0.3 / 16.0;
    near(path.ack(true), expect * (1.0 - alpha / 2.0));
}

/// Without marks α decays by 15/16 a window, so that a lone mark costs ever less (RFC 8257 §3.3).
#[test]
fn a_mark_after_a_long_time_costs_little() {
    let mut path = Path::new(20, 2, EcnFeedback::Accurate);
    let mut alpha: f64 = 1.0;
    let mut end = 0;
    for _ in 0..400 {
        let nxt = path.nxt;
        path.ack(false);
        if path.una > end {
            alpha *= 15.0 / 16.0;
            end = nxt;
        }
    }
    assert!(alpha < 0.5, "some windows have passed");
    let before = path.cwnd();
    let ends = path.una + MSS > end;
    let alpha = if ends { alpha * 15.0 / 16.0 } else { alpha };
    near(path.ack(true), before * (1.0 - alpha / 2.0));
}

/// With every byte marked α stays 1, and each window of data is half of the last: as with RFC 3168.
#[test]
fn with_every_byte_marked_it_is_reno() {
    let mut path = Path::new(32, 2, EcnFeedback::Accurate);
    let mut seen = vec![32.0];
    for _ in 0..100 {
        let cwnd = path.ack(true);
        if seen.last() != Some(&cwnd) {
            seen.push(cwnd);
        }
    }
    assert_eq!(seen, [32.0, 16.0, 8.0, 4.0, 2.0]);
}

#[test]
fn a_mark_ends_slow_start() {
    let mut path = Path::new(10, 100, EcnFeedback::Accurate);
    path.ack(false);
    near(path.cwnd(), 11.0);
    let left = 11.0 * (1.0 - 15.0 / 32.0);
    near(path.ack(true), left);
    near(path.dctcp.ssthresh() as f64 / MSS as f64, left);
    near(path.ack(false), left + 1.0 / left);
}

/// RFC 8257 §3.5: a loss halves the window, whatever α is, and a mark of the same window of data
/// adds nothing to that.
#[test]
fn a_loss_halves_the_window() {
    let mut path = Path::new(20, 2, EcnFeedback::Accurate);
    (0..5).for_each(|_| {
        path.ack(false);
    });
    let (now, in_flight) = (Time::ZERO, path.nxt - path.una);
    let loss = Loss { now, kind: LossKind::DuplicateAcks, in_flight, ..LOSS };
    path.dctcp.on_loss(&loss);
    near(path.cwnd(), 10.0);
    near(path.ack(true), 10.0);
    path.dctcp.on_loss(&Loss { kind: LossKind::Timeout, ..loss });
    near(path.cwnd(), 1.0);
}

/// An episode stands for what it has counted already, unless the peer counts nothing.
#[test]
fn an_episode_counts_with_a_classic_peer_alone() {
    for (feedback, expect) in [(EcnFeedback::Accurate, 20.0), (EcnFeedback::Classic, 10.0)] {
        let mut path = Path::new(20, 2, feedback);
        path.dctcp.on_loss(&Loss { kind: LossKind::Ecn, in_flight: 20 * MSS, ..LOSS });
        near(path.cwnd(), expect);
    }
}

/// Two segments are the least that a mark or a loss leaves; after a timeout there is one, and
/// neither makes it more.
#[test]
fn nothing_opens_the_window_of_a_timeout_but_what_arrives() {
    let mut path = Path::new(20, 2, EcnFeedback::Accurate);
    let loss = Loss { kind: LossKind::Timeout, in_flight: 0, ..LOSS };
    path.dctcp.on_loss(&loss);
    near(path.ack(true), 1.0);
    path.dctcp.on_loss(&Loss { kind: LossKind::DuplicateAcks, ..loss });
    near(path.cwnd(), 1.0);
}
