//! Careful resume, phase by phase, beside the numbers of RFC 9959 and of its examples.

use base::{Duration, Rate, Time};
use cc::{
    Ack, Algorithm, CarefulResume, Controller, Limits, LossKind, Parameters, Retained, SavedPath,
    WindowRules,
};
use proptest::prelude::*;

use crate::harness::{ACK, LOSS, seeded};

const MSS: u64 = 1_000;
const RTT: Duration = Duration::from_millis(100);
const LIFETIME: Duration = Duration::from_secs(300);
const LIMITS: Limits = Limits {
    mss: MSS as u32,
    initial_window: 10,
    initial_ssthresh: 10_000,
    maximum_window: 10_000,
    rules: WindowRules { growth: cc::Growth::Acknowledgements, cwnd_validation: false, abe: false },
};
/// Appendix A has a window of 300 segments.
const SAVED: SavedPath = SavedPath { at: Time::ZERO, cwnd: 300 * MSS, rtt: RTT };

/// A sender that always has more, as its controller hears of it. All in segments.
struct Sender {
    controller: CarefulResume,
    now: Time,
    una: u64,
    nxt: u64,
}

impl Sender {
    fn new(saved: Option<SavedPath>) -> Self {
        let inner = Algorithm::Reno.controller(&LIMITS, &Parameters::default());
        let controller = CarefulResume::new(inner, &LIMITS, LIFETIME, saved);
        Self { controller, now: Time::ZERO + RTT, una: 0, nxt: 10 }
    }

    fn window(&self) -> u64 {
        self.controller.window() / MSS
    }

    /// Fills the window.
    fn send(&mut self) {
        self.nxt = self.nxt.max(self.una + self.window());
    }

    /// So many acknowledgements in a row, each of one segment, and what they let go.
    fn ack(&mut self, segments: u64) {
        for _ in 0..segments {
            self.una += 1;
            self.ack_of(1);
            self.send();
        }
    }

    fn ack_of(&mut self, delivered: u64) {
        let in_flight = self.nxt - self.una;
        self.controller.on_ack(&Ack {
            now: self.now,
            acked: delivered * MSS,
            delivered: delivered * MSS,
            una: self.una * MSS,
            nxt: self.nxt * MSS,
            pipe: in_flight * MSS,
            rtt: Some(RTT),
            ..ACK
        });
    }

    fn lose(&mut self, kind: LossKind) {
        let in_flight = (self.nxt - self.una) * MSS;
        self.controller.on_loss(&cc::Loss { now: self.now, kind, in_flight, ..LOSS });
    }

    fn round(&mut self) {
        self.now += RTT;
    }
}

/// The initial window and the acknowledgements for it.
fn jumped() -> Sender {
    let mut sender = Sender::new(Some(SAVED));
    sender.ack(10);
    sender
}

#[test]
fn it_jumps_to_half_of_what_was_saved_over_a_round_trip() {
    let mut sender = Sender::new(Some(SAVED));
    sender.ack(9);
    assert_eq!((sender.window(), sender.controller.pacing_rate()), (19, None));
    sender.ack(1);
    let pace = Rate::from_bps(150 * MSS * 8 * 10);
    assert_eq!((sender.window(), sender.controller.pacing_rate()), (150, Some(pace)));
    assert!(sender.controller.paces_window());
    // 18 segments left before the jump, and their acknowledgements let nothing grow.
    sender.round();
    sender.ack(18);
    assert_eq!(sender.window(), 150);
    // The first that left in it: what is in flight is the window, and grows from there on.
    sender.ack(1);
    assert_eq!((sender.window(), sender.controller.pacing_rate()), (149, None));
    sender.ack(100);
    assert_eq!(sender.window(), 249);
}

/// The saved window is as it was, and a loss later is the controller's own affair.
#[test]
fn what_is_acknowledged_is_valid() {
    let mut sender = jumped();
    sender.round();
    sender.ack(18 + 151);
    let window = sender.window();
    sender.lose(LossKind::DuplicateAcks);
    assert_eq!(sender.window(), window / 2);
    assert!(matches!(sender.controller.retained(), Retained::Path(_)));
}

/// §3.3: an application that has little to send keeps what it showed.
#[test]
fn a_window_that_was_not_used_is_given_back() {
    let mut sender = jumped();
    sender.nxt = sender.una + 20;
    sender.round();
    for _ in 0..19 {
        sender.una += 1;
        sender.ack_of(1);
    }
    // 18 in flight before the jump, and 19 acknowledged since.
    assert_eq!((sender.window(), sender.controller.pacing_rate()), (18 + 19, None));
    sender.lose(LossKind::DuplicateAcks);
    assert_eq!(sender.window(), 18, "no retreat");
}

/// §3.5: half of what the path carried, until the last of the jump is acknowledged; ssthresh is
/// half of all that it carried by then.
#[test]
fn a_loss_leaves_half_of_what_the_path_carried() {
    for kind in [LossKind::DuplicateAcks, LossKind::Ecn] {
        let mut sender = jumped();
        sender.round();
        sender.ack(18 + 21);
        let (una, last) = (sender.una, sender.nxt);
        let pipe_size = 18 + 18 + 21;
        sender.lose(kind);
        assert_eq!((sender.window(), sender.controller.retained()), (28, Retained::Deleted));
        assert!(sender.controller.pacing_rate().is_some(), "no slow reduction (§4.5)");
        sender.lose(kind);
        // 100 more arrive, but the first of them is missing.
        for _ in 0..100 {
            sender.ack_of(1);
            assert_eq!(sender.window(), 28);
        }
        sender.una = last;
        sender.ack_of(1);
        assert_eq!(sender.window(), 28, "{kind:?}, from {una}");
        assert_eq!(sender.controller.ssthresh() / MSS, u64::midpoint(pipe_size, 101));
        sender.nxt = last + 28;
        sender.ack(10);
        assert_eq!(sender.window(), 38, "slow start");
    }
}

/// §3.7.
#[test]
fn a_timeout_ends_it() {
    for acks in [0, 5, 18 + 30] {
        let mut sender = jumped();
        sender.round();
        sender.ack(acks);
        sender.lose(LossKind::Timeout);
        assert_eq!((sender.window(), sender.controller.pacing_rate()), (1, None), "{acks}");
    }
}

#[test]
fn a_loss_that_was_none_takes_the_retreat_back() {
    let mut sender = jumped();
    sender.round();
    sender.ack(18 + 21);
    let window = sender.window();
    sender.lose(LossKind::DuplicateAcks);
    sender.controller.on_undo(sender.now);
    assert_eq!((sender.window(), sender.controller.pacing_rate()), (window, None));
}

/// §3.2 and §4.2.1: another path, another time, too little, or congestion.
#[test]
fn it_does_not_jump() {
    let check = |name: &str, saved: Option<SavedPath>, jumps: bool| {
        let mut sender = Sender::new(saved);
        sender.ack(10);
        assert_eq!(sender.controller.pacing_rate().is_some(), jumps, "{name}");
        assert_eq!(
            sender.window(),
            if jumps { saved.map_or(0, |saved| saved.cwnd) / 2 / MSS } else { 20 }
        );
    };
    let ns = Duration::from_nanos(1);
    let age = |age| SavedPath { at: Time::ZERO + RTT + RTT, ..age };
    check("nothing saved", None, false);
    check("the same", Some(SAVED), true);
    check("twice the round trip", Some(SavedPath { rtt: RTT * 2, ..SAVED }), false);
    check("a little less", Some(SavedPath { rtt: RTT * 2 - ns, ..SAVED }), true);
    check("a tenth", Some(SavedPath { rtt: Duration::from_millis(10), ..SAVED }), true);
    check("less", Some(SavedPath { rtt: Duration::from_millis(10) - ns, ..SAVED }), false);
    check("twice the window after it", Some(SavedPath { cwnd: 40 * MSS, ..SAVED }), false);
    check("more", Some(SavedPath { cwnd: 42 * MSS, ..SAVED }), true);
    check("saved since", Some(age(SAVED)), true);
    for (later, jumps) in [(LIFETIME - RTT, true), (LIFETIME, false)] {
        let mut sender = Sender::new(Some(SAVED));
        sender.now += later;
        sender.ack(10);
        assert_eq!(sender.controller.pacing_rate().is_some(), jumps, "after {later:?}");
    }
    let mut sender = Sender::new(Some(SAVED));
    sender.ack(5);
    sender.lose(LossKind::Ecn);
    sender.ack(30);
    assert_eq!(sender.controller.pacing_rate(), None, "congestion");
    let mut sender = Sender::new(Some(SAVED));
    sender.controller.on_path_change(sender.now);
    sender.ack(30);
    assert_eq!(sender.controller.pacing_rate(), None, "a handover");
}

/// §3.1: at least four initial windows in a round trip; the newest counts, with the shortest round
/// trip. Those of a sender without enough to send do not count.
#[test]
fn it_observes_what_arrives_in_a_round_trip() {
    let mut sender = Sender::new(None);
    assert_eq!(sender.controller.retained(), Retained::Nothing);
    for (window, saved) in [(10, 0), (20, 0), (40, 0), (80, 40), (160, 80)] {
        sender.ack(window);
        let found = match sender.controller.retained() {
            Retained::Path(path) => path.cwnd / MSS,
            Retained::Nothing | Retained::Deleted => 0,
        };
        assert_eq!(found, saved, "{window}");
        sender.round();
    }
    let before = sender.controller.retained();
    for _ in 0..3 {
        sender.una += 5;
        sender.nxt = sender.una;
        let una = sender.una * MSS;
        let (acked, delivered) = (5 * MSS, 5 * MSS);
        let ack = Ack { now: sender.now, acked, delivered, una, nxt: una, rtt: Some(RTT), ..ACK };
        sender.controller.on_ack(&Ack { window_limited: false, ..ack });
        sender.round();
    }
    assert_eq!(sender.controller.retained(), before);
}

proptest! {
    /// No more than the jump is in flight before the path has shown what it carries, and no more
    /// than half of what it carried after a loss.
    #[test]
    fn no_more_is_unsure_than_half(
        saved in 1..4_000_u64,
        acks in 1..200_u64,
        algorithm in prop::sample::select(&Algorithm::ALL[..]),
    ) {
        let parameters = seeded();
        let inner = || algorithm.controller(&LIMITS, &parameters);
        let cwnd = saved * MSS;
        let saved = SavedPath { cwnd, ..SAVED };
        let controller = CarefulResume::new(inner(), &LIMITS, LIFETIME, Some(saved));
        let mut sender = Sender { controller, ..Sender::new(None) };
        sender.ack(9);
        let first = sender.nxt;
        sender.ack(1);
        let (before, mut carried) = (sender.window(), first - sender.una);
        let alone = {
            let controller = CarefulResume::new(inner(), &LIMITS, LIFETIME, None);
            let mut alone = Sender { controller, ..Sender::new(None) };
            alone.ack(10);
            alone.window()
        };
        prop_assert_eq!(before, alone.max(cwnd / 2 / MSS), "{:?}", algorithm);
        sender.round();
        if before > alone {
            for _ in 0..acks.min(first - sender.una) {
                prop_assert!(sender.nxt - sender.una <= cwnd / 2 / MSS);
                sender.ack(1);
                carried += 1;
            }
            sender.lose(LossKind::DuplicateAcks);
            prop_assert!(sender.window() <= (carried / 2).max(2), "{:?}", algorithm);
        }
    }
}
