//! What holds for every algorithm, whatever the path does.

use base::{Duration, Time};
use cc::{
    Ack, Algorithm, BbrParameters, CarefulResume, Controller, CubicParameters, Delta, EcnFeedback,
    Limits, Loss, LossKind, LostSegment, MarkAnswer, Marked, Parameters, PragueParameters,
    RateSample, SavedPath, SlowStart, VegasParameters, WindowRules,
};
use proptest::prelude::*;

use crate::harness::{ACK, LOSS, seeded};

const MSS: u64 = 1_000;

/// All of them, and those once more whose parameters lead elsewhere. WTCP has laws of its own: it
/// goes by clocks, which are not told here.
fn algorithms() -> Vec<(Algorithm, Parameters)> {
    let usual = seeded();
    let cubic = CubicParameters { slow_start: SlowStart::Hystart, ..usual.cubic };
    let vegas = VegasParameters { delta: Delta::Exact, ..usual.vegas };
    let prague = PragueParameters { classic_fallback: true, ..usual.prague };
    let marks = BbrParameters { marks: MarkAnswer::L4s, ecn_max_rtt: Duration::ZERO, ..usual.bbr };
    let others = [
        (Algorithm::Bbr, Parameters { bbr: marks, ..usual }),
        (Algorithm::Prague, Parameters { prague, ..usual }),
        (Algorithm::Vegas, Parameters { vegas, ..usual }),
        (Algorithm::Cubic, Parameters { cubic, ..usual }),
    ];
    let all = Algorithm::ALL.into_iter().filter(|algorithm| *algorithm != Algorithm::Wtcp);
    all.map(|algorithm| (algorithm, usual)).chain(others).collect()
}

fn limits(maximum_window: u32) -> Limits {
    Limits {
        mss: MSS as u32,
        initial_window: 10,
        initial_ssthresh: maximum_window,
        maximum_window,
        rules: WindowRules::default(),
    }
}

/// What may happen to a connection.
#[derive(Clone, Copy, Debug)]
enum Step {
    Ack {
        after: Duration,
        segments: u64,
        rtt: Option<Duration>,
        recovering: bool,
        limited: bool,
    },
    Select {
        segments: u64,
    },
    Loss(LossKind),
    /// The next acknowledgement says that so many segments were marked.
    Marks(u64),
    Idle,
    Undo,
}

/// From no time at all to weeks.
fn duration() -> impl Strategy<Value = Duration> {
    let weeks = Duration::from_secs(5_000_000).as_nanos();
    prop_oneof![Just(0), 1..100_u64, 1_000_000..1_000_000_000_u64, 0..weeks]
        .prop_map(Duration::from_nanos)
}

fn step() -> impl Strategy<Value = Step> {
    let kind = prop_oneof![
        Just(LossKind::DuplicateAcks),
        Just(LossKind::FineTimeout),
        Just(LossKind::Timeout),
        Just(LossKind::Ecn),
    ];
    let ack = (duration(), 1..40_u64, prop::option::of(duration()), any::<(bool, bool)>());
    prop_oneof![
        20 => ack.prop_map(|(after, segments, rtt, (recovering, limited))| {
            Step::Ack { after, segments, rtt, recovering, limited }
        }),
        2 => (1..10_u64).prop_map(|segments| Step::Select { segments }),
        3 => kind.prop_map(Step::Loss),
        3 => (1..40_u64).prop_map(Step::Marks),
        1 => Just(Step::Idle),
        1 => Just(Step::Undo),
    ]
}

/// A connection as its controller hears of it.
struct Connection {
    controller: Box<dyn Controller>,
    now: Time,
    una: u64,
    delivered: u64,
    marked: Marked,
}

impl Connection {
    fn new((algorithm, parameters): (Algorithm, Parameters), limits: &Limits) -> Self {
        Self::of(algorithm.controller(limits, &parameters))
    }

    /// One that begins with what another saved.
    fn resumed(
        (algorithm, parameters): (Algorithm, Parameters),
        limits: &Limits,
        saved: Option<SavedPath>,
    ) -> Self {
        let inner = algorithm.controller(limits, &parameters);
        let lifetime = Duration::from_secs(5_000_000);
        Self::of(Box::new(CarefulResume::new(inner, limits, lifetime, saved)))
    }

    fn of(mut controller: Box<dyn Controller>) -> Self {
        controller.on_feedback(EcnFeedback::Accurate);
        Self { controller, now: Time::ZERO, una: 0, delivered: 0, marked: Marked::NONE }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Ack { after, segments, rtt, recovering, limited } => {
                self.now += after;
                self.una += segments * MSS;
                let rtt = rtt.map(|rtt| rtt.min(self.now.saturating_since(Time::ZERO)));
                self.ack(segments * MSS, segments * MSS, rtt, (recovering, limited));
            }
            Step::Select { segments } => self.ack(0, segments * MSS, None, (true, true)),
            Step::Loss(kind) => self.lose(kind),
            Step::Marks(packets) => self.marked = Marked { packets, bytes: packets * MSS },
            Step::Idle => {
                self.controller.on_idle(self.now);
                self.controller.on_restart(self.now);
            }
            Step::Undo => self.controller.on_undo(self.now),
        }
    }

    fn ack(&mut self, acked: u64, new: u64, rtt: Option<Duration>, flags: (bool, bool)) {
        let prior = self.delivered.saturating_sub(self.controller.window());
        self.delivered += new;
        let pipe = self.controller.window();
        let (recovering, window_limited) = flags;
        let rate = rtt.map(|interval| RateSample {
            total: self.delivered,
            prior,
            interval,
            app_limited: !window_limited,
            pipe_at_send: pipe,
            lost: 0,
        });
        let (now, una, nxt) = (self.now, self.una, self.una + pipe);
        self.controller.on_ack(&Ack {
            now,
            acked,
            delivered: new,
            una,
            nxt,
            pipe,
            rtt,
            recovering,
            window_limited,
            most_in_flight: 0,
            rate,
            marked: std::mem::take(&mut self.marked),
        });
    }

    fn lose(&mut self, kind: LossKind) {
        let pipe_at_send = self.controller.window();
        self.controller.on_lost_segment(&LostSegment {
            now: self.now,
            bytes: MSS,
            prior: self.delivered.saturating_sub(pipe_at_send),
            pipe_at_send,
            lost: 3 * MSS,
            app_limited: false,
        });
        let (now, in_flight) = (self.now, pipe_at_send);
        self.controller.on_loss(&Loss { now, kind, in_flight, ..LOSS });
    }
}

/// Window and ssthresh are within their limits after each of `steps`.
fn stays_in_frame(
    mut connection: Connection,
    steps: &[Step],
    maximum: u32,
) -> Result<(), TestCaseError> {
    for step in steps {
        connection.take(*step);
        let (window, ssthresh) = (connection.controller.window(), connection.controller.ssthresh());
        let bounds = MSS..=u64::from(maximum) * MSS;
        prop_assert!(
            bounds.contains(&window),
            "{:?}: {window} after {step:?}",
            connection.controller
        );
        prop_assert!(ssthresh >= 2 * MSS, "{:?}: {ssthresh} after {step:?}", connection.controller);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_window_stays_within_its_frame(
        steps in prop::collection::vec(step(), 1..300),
        maximum in 4..200_u32,
    ) {
        for algorithm in algorithms() {
            let connection = Connection::new(algorithm, &limits(maximum));
            stays_in_frame(connection, &steps, maximum)?;
        }
    }

    #[test]
    fn the_window_stays_within_its_frame_after_a_jump(
        steps in prop::collection::vec(step(), 1..300),
        maximum in 4..200_u32,
        segments in 20..1_000_u64,
        rtt in duration(),
    ) {
        let saved = SavedPath { at: Time::ZERO, cwnd: segments * MSS, rtt };
        for algorithm in algorithms() {
            let connection = Connection::resumed(algorithm, &limits(maximum), Some(saved));
            stays_in_frame(connection, &steps, maximum)?;
        }
    }

    #[test]
    fn where_nothing_was_saved_nothing_changes(steps in prop::collection::vec(step(), 1..100)) {
        for algorithm in algorithms() {
            let run = |mut connection: Connection| {
                let step = |step: &Step| {
                    connection.take(*step);
                    let controller = &connection.controller;
                    (controller.window(), controller.ssthresh(), controller.pacing_rate())
                };
                steps.iter().map(step).collect::<Vec<_>>()
            };
            let resumed = Connection::resumed(algorithm, &limits(100), None);
            prop_assert_eq!(run(resumed), run(Connection::new(algorithm, &limits(100))));
        }
    }

    /// Tahoe begins with one segment after any loss, and BBR answers losses by their share.
    #[test]
    fn a_mark_and_a_loss_of_one_window_are_one(steps in prop::collection::vec(step(), 1..100)) {
        let own = [Algorithm::Tahoe, Algorithm::Bbr];
        for algorithm in algorithms().into_iter().filter(|(kind, _)| !own.contains(kind)) {
            let mut connection = Connection::new(algorithm, &limits(100));
            connection.controller.on_feedback(EcnFeedback::Classic);
            for step in &steps {
                connection.take(*step);
            }
            connection.lose(LossKind::Ecn);
            let controller = &mut connection.controller;
            let windows = |of: &dyn Controller| (of.window(), of.ssthresh());
            let after_mark = windows(&**controller);
            controller.on_loss(&Loss { now: connection.now, after_mark: true, ..LOSS });
            prop_assert_eq!(windows(&**controller), after_mark, "{:?}", controller);
            controller.on_undo(connection.now);
            prop_assert_eq!(windows(&**controller), after_mark, "{:?}", controller);
        }
    }

    #[test]
    fn a_loss_that_was_none_leaves_nothing_behind(
        steps in prop::collection::vec(step(), 1..100),
        timeouts in 0..4_usize,
    ) {
        for algorithm in algorithms() {
            let mut connection = Connection::new(algorithm, &limits(100));
            for step in &steps {
                connection.take(*step);
            }
            let after = Duration::from_millis(100);
            let (segments, rtt) = (1, Some(after));
            connection.take(Step::Ack { after, segments, rtt, recovering: false, limited: true });
            let before = connection.controller.window();
            connection.lose(LossKind::DuplicateAcks);
            (0..timeouts).for_each(|_| connection.lose(LossKind::Timeout));
            connection.controller.on_undo(connection.now);
            let after = connection.controller.window();
            // BBR goes back to what was before ProbeRTT as well, until the next acknowledgement.
            let exact = algorithm.0 != Algorithm::Bbr;
            prop_assert!(after == before || after > before && !exact, "{algorithm:?}: {after}");
        }
    }

    #[test]
    fn the_same_facts_give_the_same_window(steps in prop::collection::vec(step(), 1..100)) {
        for algorithm in algorithms() {
            let run = || {
                let mut connection = Connection::new(algorithm, &limits(100));
                let step = |step: &Step| {
                    connection.take(*step);
                    (connection.controller.window(), connection.controller.pacing_rate())
                };
                steps.iter().map(step).collect::<Vec<_>>()
            };
            prop_assert_eq!(run(), run());
        }
    }
}

#[test]
fn classic_windows_stand_still_while_losses_are_repaired() {
    for (algorithm, parameters) in algorithms() {
        if algorithm == Algorithm::Bbr {
            continue;
        }
        let mut controller = algorithm.controller(&limits(100), &parameters);
        for nth in 1..100 {
            let now = Time::ZERO + Duration::from_millis(10 * nth);
            let ack = Ack { now, acked: MSS, delivered: MSS, una: nth * MSS, ..ACK };
            controller.on_ack(&Ack { nxt: 200 * MSS, recovering: true, ..ack });
        }
        assert_eq!(controller.window(), 10 * MSS, "{algorithm:?}");
    }
}

#[test]
fn bbr_keeps_four_segments_in_flight_but_for_a_timeout() {
    let mut connection = Connection::new((Algorithm::Bbr, seeded()), &limits(100));
    let (after, rtt) = (Duration::from_secs(1), Some(Duration::from_nanos(1)));
    let ack = Step::Ack { after, segments: 1, rtt, recovering: true, limited: true };
    for _ in 0..50 {
        connection.lose(LossKind::DuplicateAcks);
        connection.take(ack);
        assert!(connection.controller.window() >= 4 * MSS);
    }
    connection.lose(LossKind::Timeout);
    assert_eq!(connection.controller.window(), MSS);
    connection.take(ack);
    assert!(connection.controller.window() >= 4 * MSS);
}
