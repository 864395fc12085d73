use base::{Duration, Rate, Time};
use observe::{MiddleboxFact, RepairReason};

use super::config;
use super::pipe::{MSS, Pipe, Plan};
use crate::atcp::{AtcpConfig, Class};

const LONG: Duration = Duration::from_secs(1_000);

fn retransmissions(pipe: &Pipe) -> Vec<u64> {
    let offset = |fact: &(Time, MiddleboxFact)| match fact.1 {
        MiddleboxFact::Retransmitted { offset, reason: RepairReason::Skipped, .. } => Some(offset),
        _ => None,
    };
    pipe.facts.iter().filter_map(offset).collect()
}

/// §VI.C and P3: 600 kB in 155 s with any window of 10 kB or more, more below.
#[test]
fn six_hundred_kilobytes_take_as_long_as_the_radio_does() {
    let check = |clamp, least: f64, most: f64| {
        let mut pipe = Pipe::new(AtcpConfig { clamp, ..config() });
        pipe.open(Plan::of(600_000));
        let took = pipe.finish(LONG).as_secs_f64();
        assert!((least..most).contains(&took), "{clamp} B: {took} s");
    };
    check(10_000, 147.0, 163.0);
    check(16_000, 147.0, 163.0);
    check(32_000, 147.0, 163.0);
    check(6_000, 178.0, 240.0);
}

/// P8: with something queued the radio is never idle.
#[test]
fn the_radio_is_never_idle_with_a_backlog() {
    for flows in [1, 2, 8, 32] {
        let mut pipe = Pipe::new(config());
        for _ in 0..flows {
            pipe.open(Plan::of(1_200_000));
        }
        pipe.run_for(Duration::from_secs(5));
        pipe.measure();
        let before: u64 = pipe.sent.iter().map(|sent| sent.3).sum();
        pipe.run_for(Duration::from_secs(100));
        let bytes = pipe.sent.iter().map(|sent| sent.3).sum::<u64>() - before;
        let idle = pipe.radio.idle.as_secs_f64();
        assert!(idle < 1.0, "{flows} flows: {idle} s");
        // It is not idle for want of a backlog either: 4150 B/s but for headers.
        let payload = 4_150 * MSS / (MSS + 40);
        assert!(bytes >= payload * 99, "{flows} flows: {bytes} B in 100 s");
        assert!(pipe.committed_max <= config().budget, "{}", pipe.committed_max);
    }
}

/// P2: as tickets, and strictly by priority.
#[test]
fn flows_share_as_their_tickets_say() {
    let check = |tickets: [u32; 2], expect: f64| {
        let class = |port, tickets| Class { port: Some(port), tickets, ..Class::default() };
        let classes = vec![class(80, tickets[0]), class(20, tickets[1])];
        let mut pipe = Pipe::new(AtcpConfig { classes, ..config() });
        let flows = [80, 20].map(|port| pipe.open(Plan { port, ..Plan::of(2_000_000) }));
        pipe.run_for(Duration::from_secs(20));
        let before = flows.map(|flow| pipe.read(flow));
        pipe.run_for(Duration::from_secs(200));
        let [one, other] = [0, 1].map(|index| (pipe.read(flows[index]) - before[index]) as f64);
        let ratio = one / other;
        assert!((ratio / expect - 1.0).abs() < 0.1, "{tickets:?}: {ratio}");
    };
    check([1, 1], 1.0);
    check([2, 1], 2.0);
    check([3, 1], 3.0);
}

#[test]
fn an_interactive_flow_does_not_wait_for_others() {
    let classes = vec![Class { port: Some(23), priority: 1, ..Class::default() }];
    let mut pipe = Pipe::new(AtcpConfig { classes, ..config() });
    pipe.open(Plan::of(1_000_000));
    let telnet = pipe.open(Plan { port: 23, bytes: 0, ..Plan::of(0) });
    pipe.run_for(Duration::from_secs(30));
    for _ in 0..20 {
        let before = pipe.sent.len();
        pipe.write(telnet, 1);
        let sent = &pipe.sent[before..];
        assert_eq!(sent.first().map(|sent| (sent.1, sent.3)), Some((telnet, 1)));
        pipe.run_for(Duration::from_millis(3_300));
    }
}

/// P10: 100 writes of 100 bytes are less than 20 segments; for an interactive flow each is one.
#[test]
fn small_writes_become_full_segments() {
    let segments = |config: AtcpConfig| {
        let mut pipe = Pipe::new(config);
        let flow = pipe.open(Plan::of(0));
        for _ in 0..100 {
            pipe.write(flow, 100);
            pipe.run_for(Duration::from_millis(10));
        }
        pipe.run_for(Duration::from_secs(20));
        assert_eq!(pipe.read(flow), 10_000);
        pipe.sent.len()
    };
    let coalesced = segments(config());
    assert!(coalesced < 20, "{coalesced}");
    let classes = vec![Class { port: Some(80), priority: 1, ..Class::default() }];
    let interactive = segments(AtcpConfig { classes, ..config() });
    let off = segments(AtcpConfig { coalescing: false, ..config() });
    // What does not fit into the window waits, and is coalesced with or without a timer.
    assert_eq!((interactive, off), (100, 88));
}

#[test]
fn a_short_segment_waits_no_longer_than_it_may() {
    let mut pipe = Pipe::new(config());
    let flow = pipe.open(Plan::of(0));
    pipe.write(flow, 100);
    pipe.write(flow, 100);
    pipe.run_for(Duration::from_millis(199));
    assert_eq!(pipe.sent.len(), 1);
    pipe.run_for(Duration::from_millis(2));
    assert_eq!(pipe.sent.len(), 2);
    assert_eq!(pipe.sent[1].0, Time::ZERO + Duration::from_millis(200));
}

/// Burst losses are repaired from what arrives of all flows, each packet once.
#[test]
fn a_burst_of_losses_is_repaired_once_each() {
    for sack in [true, false] {
        let mut pipe = Pipe::new(config());
        for _ in 0..3 {
            pipe.open(Plan { sack, ..Plan::of(60_000) });
        }
        pipe.radio.lost = (20..23).collect();
        pipe.finish(LONG);
        let repaired = retransmissions(&pipe);
        assert_eq!(repaired.len(), 3, "SACK {sack}: {repaired:?}");
        assert_eq!(pipe.in_vain, 0);
    }
}

#[test]
fn a_mobile_without_sack_gets_everything_whatever_is_lost() {
    for lost in [vec![3, 5], vec![10, 12, 14], vec![0], vec![7, 8, 9, 10, 11], vec![40, 42]] {
        let mut pipe = Pipe::new(config());
        pipe.open(Plan { sack: false, ..Plan::of(80_000) });
        pipe.open(Plan { sack: true, ..Plan::of(80_000) });
        pipe.radio.lost = lost.into_iter().collect();
        pipe.finish(Duration::from_secs(120));
    }
}

/// What is in flight of a flow that was reset still fills the pipe.
#[test]
fn a_reset_flow_leaves_orphans() {
    let mut pipe = Pipe::new(config());
    let flow = pipe.open(Plan::of(1_000_000));
    pipe.run_for(Duration::from_secs(20));
    let in_flight = pipe.in_flight();
    assert!(in_flight > 8_000, "{in_flight}");
    let other = pipe.open(Plan::of(50_000));
    let held = pipe.remove(flow);
    assert!(held > in_flight, "{held}");
    let sent = pipe.sent.len();
    assert!(pipe.in_flight() > 8_000 && pipe.queued() < 12_000);
    pipe.run_for(Duration::from_millis(100));
    // One segment at most fits below the clamp before the orphans are gone.
    assert!(pipe.sent.len() <= sent + 1);
    pipe.run_for(Duration::from_secs(60));
    assert_eq!(pipe.read(other), 50_000);
    assert_eq!((pipe.queued(), pipe.in_flight()), (0, 0));
}

/// Where orphans leave no room for a packet whose arrival would show that they are gone, a round
/// trip shows it, not the timer.
#[test]
fn orphans_that_fill_the_pipe_are_gone_after_a_round_trip() {
    let (clamp, min_rto) = (6 * MSS, Duration::from_secs(60));
    let mut pipe = Pipe::new(AtcpConfig { clamp, min_rto, ..config() });
    let flow = pipe.open(Plan::of(1_000_000));
    pipe.run_for(Duration::from_secs(20));
    while pipe.in_flight() + MSS <= clamp {
        pipe.run_for(Duration::from_millis(1));
    }
    pipe.remove(flow);
    let other = pipe.open(Plan::of(20_000));
    pipe.run_for(Duration::from_secs(15));
    assert_eq!(pipe.read(other), 20_000);
}

/// The mobile's window, closed for a while, is probed and found open.
#[test]
fn a_closed_window_is_probed() {
    let mut pipe = Pipe::new(config());
    let flow = pipe.open(Plan { buffer: 5_392, ..Plan::of(60_000) });
    pipe.run_for(Duration::from_secs(5));
    pipe.pause(flow, true);
    pipe.run_for(Duration::from_secs(40));
    let stalls = |pipe: &Pipe| {
        pipe.facts.iter().filter(|fact| matches!(fact.1, MiddleboxFact::Stalled { .. })).count()
    };
    assert_eq!(stalls(&pipe), 0, "a closed window is no stall");
    assert!(pipe.sent.iter().any(|sent| sent.3 == 1), "it is probed with a byte");
    pipe.pause(flow, false);
    pipe.finish(LONG);
}

/// §IV.C: the first window leaves at the rate that it is shaped to.
#[test]
fn the_first_burst_is_shaped() {
    let rate = Rate::from_bps(1_000 * 8);
    let mut pipe = Pipe::new(AtcpConfig { shaping: Some(rate), ..config() });
    pipe.open(Plan::of(30_000));
    pipe.run_for(Duration::from_secs(1));
    let gaps: Vec<_> = pipe.sent.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.iter().all(|gap| *gap >= Duration::from_millis(1_348)), "{gaps:?}");
    let mut pipe = Pipe::new(config());
    pipe.open(Plan::of(30_000));
    pipe.run_for(Duration::from_secs(1));
    assert_eq!(pipe.sent.len(), 7);
}

/// A connection that waits for its other direction takes nothing of the budget.
#[test]
fn a_sender_that_has_closed_is_allowed_nothing_more() {
    let mut pipe = Pipe::new(config());
    let flow = pipe.open(Plan::of(30_000));
    pipe.run_for(Duration::from_secs(60));
    assert_eq!(pipe.read(flow), 30_000);
    assert_eq!(pipe.leg.aggregates[0].totals.committed(), 0);
}
