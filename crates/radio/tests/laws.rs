//! What holds for every bearer, whatever the radio does.

use observe::Context;
use std::ops::Range;

use base::{Direction, Duration};
use proptest::prelude::*;
use radio::umts::rlc::RlcConfig;
use radio::umts::rlc::am::{self, OnLimit, Repetition};
use radio::umts::{Bearer, Channel, Counters, DchConfig, Limit, Output};

use crate::support::{Delivery, Packet, at, dch, feed, millis, numbers, probability, rlc, traffic};

const BOTH: [Direction; 2] = Direction::BOTH;
const LOSS: [f64; 8] = [0.0, 0.01, 0.05, 0.1, 0.3, 0.5, 0.8, 0.95];
const SEEDS: u64 = 30;
const LONG: Duration = Duration::from_secs(20_000);

/// A finished transfer.
struct Outcome {
    context: String,
    handed_in: u32,
    deliveries: Vec<Delivery>,
    counters: [Counters; 2],
}

/// Runs `count` packets a direction through a bearer until it is idle.
fn transfer(rlc: &RlcConfig, tbler: f64, seed: u64, count: u32) -> Outcome {
    let context = format!("TBLER {tbler}, seed {seed}, {rlc:?}");
    let mut bearer = Bearer::new(0, &dch(tbler, rlc.clone()), seed, "law");
    let deliveries = feed(&mut bearer, &traffic(seed, count, millis(60)), at(LONG));
    assert_eq!(bearer.poll_timeout(), None, "idle at the end: {context}");
    let counters = BOTH.map(|direction| bearer.counters(direction));
    Outcome { context, handed_in: count, deliveries, counters }
}

/// Laws that no configuration breaks.
fn check_laws(outcome: &Outcome) {
    let Outcome { context, handed_in, deliveries, counters } = outcome;
    for (direction, counters) in BOTH.into_iter().zip(counters) {
        let mut numbers = numbers(deliveries, direction);
        let delivered = numbers.len();
        assert_eq!(counters.delivered, delivered as u64, "{context}");
        assert_eq!(counters.sdus, u64::from(*handed_in), "{context}");
        let gone = counters.dropped + counters.discarded;
        assert_eq!(counters.sdus, counters.delivered + gone, "gaps are reported: {context}");
        let received = counters.blocks_received + counters.blocks_in_error;
        assert_eq!(counters.blocks_sent, received, "{context}");
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), delivered, "nothing comes twice: {context}");
    }
}

fn check_in_order(outcome: &Outcome) {
    for direction in BOTH {
        assert!(numbers(&outcome.deliveries, direction).is_sorted(), "{}", outcome.context);
    }
}

fn check_complete(outcome: &Outcome) {
    for counters in outcome.counters {
        assert_eq!(counters.delivered, counters.sdus, "{}", outcome.context);
    }
}

#[test]
fn unlimited_retransmission_delivers_each_sdu_once_and_in_order() {
    for tbler in LOSS {
        for seed in 0..SEEDS {
            let outcome = transfer(&rlc(), tbler, seed, 60);
            check_laws(&outcome);
            check_in_order(&outcome);
            check_complete(&outcome);
        }
    }
}

#[test]
fn out_of_sequence_delivery_delivers_each_sdu_once() {
    let rlc = RlcConfig { in_order: false, ..rlc() };
    for tbler in LOSS {
        for seed in 0..SEEDS {
            let outcome = transfer(&rlc, tbler, seed, 60);
            check_laws(&outcome);
            check_complete(&outcome);
        }
    }
}

/// Small windows wrap often and close often.
#[test]
fn small_windows_hold_the_laws() {
    for (window, concatenation) in [(1, true), (7, false), (64, true), (2048, false)] {
        let rlc = RlcConfig { window, concatenation, ..rlc() };
        for tbler in [0.0, 0.1, 0.6] {
            for seed in 0..6 {
                let outcome = transfer(&rlc, tbler, seed, 40);
                check_laws(&outcome);
                check_in_order(&outcome);
                check_complete(&outcome);
            }
        }
    }
}

#[test]
fn gaps_equal_reported_discards() {
    let limits = [
        RlcConfig { discard_timer: Some(millis(400)), ..rlc() },
        RlcConfig {
            max_retransmissions: Some(2),
            on_limit: OnLimit::Discard,
            discard_timer: Some(millis(5000)),
            ..rlc()
        },
        RlcConfig { max_retransmissions: Some(3), on_limit: OnLimit::Reset, ..rlc() },
        RlcConfig {
            max_retransmissions: Some(3),
            on_limit: OnLimit::Reset,
            reset: Repetition { timer: millis(150), max: Some(2) },
            ..rlc()
        },
        RlcConfig {
            max_retransmissions: Some(0),
            on_limit: OnLimit::Discard,
            move_window: Repetition { timer: millis(100), max: Some(1) },
            ..rlc()
        },
    ];
    let mut discarded = [0; 5];
    for (limit, discarded) in limits.iter().zip(&mut discarded) {
        for in_order in [true, false] {
            let rlc = RlcConfig { in_order, ..limit.clone() };
            for tbler in LOSS {
                for seed in 0..SEEDS / 3 {
                    let outcome = transfer(&rlc, tbler, seed, 60);
                    check_laws(&outcome);
                    if in_order {
                        check_in_order(&outcome);
                    }
                    if tbler == 0.0 && limit.max_retransmissions > Some(1) {
                        check_complete(&outcome);
                    }
                    *discarded += outcome.counters.iter().map(|c| c.discarded).sum::<u64>();
                }
            }
        }
    }
    assert!(discarded.iter().all(|count| *count > 0), "{discarded:?}");
}

/// Polls on the last PDU alone would never come from a queue that is never empty: the PDU that
/// closes the window must ask.
#[test]
fn a_closed_window_opens_again() {
    let poll = am::Poll { last_in_retransmission_buffer: false, timer: None, ..rlc().poll };
    let status = am::Status { missing: false, prohibit: None, ..rlc().status };
    for window in [1, 12, 1024, 4095] {
        let rlc = RlcConfig { window, poll: poll.clone(), status: status.clone(), ..rlc() };
        let config = dch(0.0, rlc);
        let mut bearer = Bearer::new(0, &config, 1, "closed");
        let packets: Vec<_> = (0..2000)
            .map(|number| (at(millis(0)), Direction::Downlink, Packet { number, bytes: 552 }))
            .collect();
        let deliveries = feed(&mut bearer, &packets, at(LONG));
        assert_eq!(numbers(&deliveries, Direction::Downlink), (0..2000).collect::<Vec<_>>());
        let counters = bearer.counters(Direction::Downlink);
        assert_eq!(counters.retransmitted_blocks, 0, "window {window}");
    }
}

/// A poll at half the window, answered, must not be the last one before the window closes.
#[test]
fn a_poll_within_the_window_is_not_the_last() {
    let poll = am::Poll {
        last_in_retransmission_buffer: false,
        window_utilization: Some(probability(0.5)),
        ..rlc().poll
    };
    let status = am::Status { missing: false, prohibit: None, ..rlc().status };
    for seed in 0..SEEDS {
        let rlc = RlcConfig { window: 2, poll: poll.clone(), status: status.clone(), ..rlc() };
        check_complete(&transfer(&rlc, 0.1, seed, 25));
    }
}

#[test]
fn a_hopeless_radio_ends_when_time_does() {
    for tbler in [0.99, 1.0] {
        let config = dch(tbler, rlc());
        let mut bearer = Bearer::new(0, &config, 1, "hopeless");
        let end = at(Duration::from_secs(300));
        feed(&mut bearer, &traffic(1, 50, millis(100)), end);
        assert!(bearer.poll_timeout().is_some_and(|next| next > end), "still trying");
        let counters = bearer.counters(Direction::Downlink);
        assert!(counters.retransmitted_blocks > 1000, "{counters:?}");
        assert_eq!(counters.discarded, 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| {
        let mut bearer = Bearer::new(0, &dch(0.2, rlc()), seed, "again");
        feed(&mut bearer, &traffic(9, 100, millis(50)), at(LONG))
    };
    assert_eq!(run(4), run(4));
    assert_ne!(run(4), run(5));
}

#[test]
fn a_full_queue_drops_what_comes_next() {
    let DchConfig { uplink, .. } = dch(0.1, rlc());
    let uplink = Channel { limit: Limit::packets(5), ..uplink };
    let config = DchConfig { uplink, ..dch(0.1, rlc()) };
    let mut bearer = Bearer::new(0, &config, 1, "queue");
    for number in 0..20 {
        let packet = Packet { number, bytes: 552 };
        let taken = bearer.handle_input(
            &mut Context { now: at(millis(1)), observe: &mut () },
            Direction::Uplink,
            packet,
        );
        assert_eq!(taken.is_ok(), number < 5);
    }
    let deliveries = feed(&mut bearer, &[], at(LONG));
    assert_eq!(numbers(&deliveries, Direction::Uplink), [0, 1, 2, 3, 4]);
    let counters = bearer.counters(Direction::Uplink);
    assert_eq!((counters.dropped, counters.delivered, counters.queue_max), (15, 5, 5));
}

/// A clock that comes late finds the same run: each tick happens at its own time.
#[test]
fn lateness_changes_nothing_but_the_time_of_delivery() {
    let run = |lag| {
        let mut bearer = Bearer::new(0, &dch(0.2, rlc()), 3, "late");
        let mut order = Vec::new();
        for (time, direction, packet) in traffic(2, 60, millis(40)) {
            bearer
                .handle_input(&mut Context { now: time, observe: &mut () }, direction, packet)
                .expect("there is room");
            order.extend(std::iter::from_fn(|| bearer.poll_output()));
        }
        while let Some(next) = bearer.poll_timeout() {
            bearer.handle_timeout(&mut Context { now: next + lag, observe: &mut () });
            order.extend(std::iter::from_fn(|| bearer.poll_output()));
        }
        (order, BOTH.map(|direction| bearer.counters(direction)))
    };
    let (order, counters) = run(Duration::ZERO);
    let (late_order, late_counters) = run(millis(37));
    assert_eq!(counters, late_counters);
    let of = |order: &[(Direction, Output<Packet>)], direction| {
        order.iter().filter(|(d, _)| *d == direction).map(|(_, p)| *p).collect::<Vec<_>>()
    };
    for direction in BOTH {
        assert_eq!(of(&order, direction), of(&late_order, direction));
    }
}

fn some_millis(range: Range<u64>) -> impl Strategy<Value = Option<Duration>> {
    prop::option::of(range.prop_map(millis))
}

prop_compose! {
    fn any_poll()(
        buffers in any::<(bool, bool)>(),
        every_pdus in prop::option::of(1_u32..40),
        every_sdus in prop::option::of(1_u32..10),
        window_utilization in prop::option::of(0.0..=1.0_f64),
        timer in 30_u64..400,
        prohibit in some_millis(0..150),
    ) -> am::Poll {
        am::Poll {
            last_in_buffer: buffers.0,
            last_in_retransmission_buffer: buffers.1,
            every_pdus,
            every_sdus,
            window_utilization: window_utilization.map(probability),
            timer: Some(millis(timer)),
            prohibit,
        }
    }
}

prop_compose! {
    fn any_status()(
        missing in any::<bool>(),
        periodic in some_millis(20..500),
        prohibit in some_millis(0..200),
        estimated_pdu_counter in some_millis(0..300),
    ) -> am::Status {
        am::Status { missing, periodic, prohibit, estimated_pdu_counter }
    }
}

prop_compose! {
    fn any_rlc()(
        poll in any_poll(),
        status in any_status(),
        pdu_payload in prop::sample::select(vec![10_u32, 16, 40, 60, 124, 125, 150]),
        window in prop::sample::select(vec![1_u16, 2, 13, 64, 300, 2047, 4095]),
        flags in any::<(bool, bool, bool)>(),
        max_retransmissions in prop::option::of(0_u32..6),
        discard_timer in some_millis(20..3000),
        repetitions in prop::option::of(1_u32..4),
    ) -> RlcConfig {
        let (concatenation, in_order, resets) = flags;
        RlcConfig {
            pdu_payload,
            window,
            concatenation,
            in_order,
            max_retransmissions,
            on_limit: if resets { OnLimit::Reset } else { OnLimit::Discard },
            discard_timer,
            poll,
            status,
            reset: Repetition { timer: millis(150), max: repetitions },
            move_window: Repetition { timer: millis(130), max: repetitions },
            ..RlcConfig::default()
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Polls on the last PDU and from the window, repeated by the timer, are enough; any set of the
    /// other triggers may come on top.
    #[test]
    fn any_viable_configuration_holds_the_laws(
        mut rlc in any_rlc(),
        tbler in prop::sample::select(LOSS[..7].to_vec()),
        seed in any::<u64>(),
    ) {
        rlc.poll.last_in_buffer = true;
        rlc.poll.window_utilization = rlc.poll.window_utilization.or(Some(probability(1.0)));
        let outcome = transfer(&rlc, tbler, seed, 25);
        check_laws(&outcome);
        if rlc.in_order {
            check_in_order(&outcome);
        }
        if rlc.max_retransmissions.is_none() && rlc.discard_timer.is_none() {
            check_complete(&outcome);
        }
    }

    /// Without one, time may pass in vain, but nothing breaks.
    #[test]
    fn any_configuration_at_all_keeps_its_order(
        mut rlc in any_rlc(),
        tbler in prop::sample::select(LOSS.to_vec()),
        seed in any::<u64>(),
    ) {
        rlc.poll.timer = None;
        let mut bearer = Bearer::new(0, &dch(tbler, rlc.clone()), seed, "any");
        let end = at(Duration::from_secs(60));
        let deliveries = feed(&mut bearer, &traffic(seed, 25, millis(60)), end);
        for direction in BOTH {
            let numbers = numbers(&deliveries, direction);
            prop_assert!(!rlc.in_order || numbers.is_sorted());
            let counters = bearer.counters(direction);
            prop_assert_eq!(counters.delivered, numbers.len() as u64);
            prop_assert!(counters.delivered + counters.discarded <= counters.sdus);
        }
    }
}
