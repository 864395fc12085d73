use base::{Duration, Time};
use observe::{MiddleboxFact, RepairReason};

use super::config;
use super::pipe::{MSS, Pipe, Plan};
use crate::atcp::AtcpConfig;
use crate::{FlowId, RadioLeg};

const fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// A radio over which nothing passes from second `from` to second `to`, and nothing waits.
fn with_outage(from: u64, to: u64) -> Pipe {
    let mut pipe = Pipe::new(config());
    pipe.radio.outage = Some((Time::ZERO + secs(from), Time::ZERO + secs(to)));
    pipe.radio.flushed = true;
    pipe
}

fn after(pipe: &Pipe, from: Time) -> impl Iterator<Item = &(Time, MiddleboxFact)> {
    pipe.facts.iter().filter(move |fact| fact.0 >= from)
}

fn probes(pipe: &Pipe) -> Vec<Time> {
    let probe = |fact: &&(Time, MiddleboxFact)| {
        matches!(fact.1, MiddleboxFact::Retransmitted { reason: RepairReason::Timeout, .. })
    };
    pipe.facts.iter().filter(probe).map(|fact| fact.0).collect()
}

/// P6: an outage of 10 s in which packets wait: the probes, and nothing else retransmitted.
#[test]
fn an_outage_that_only_delays_costs_the_probes() {
    let mut pipe = Pipe::new(config());
    let outage = (Time::ZERO + secs(90), Time::ZERO + secs(100));
    pipe.radio.outage = Some(outage);
    pipe.open(Plan::of(600_000));
    let done = pipe.finish(secs(400));
    let again = pipe.leg.aggregates[0].repairs.retransmissions;
    assert!((1..=3).contains(&again), "{again}");
    assert_eq!(probes(&pipe).len() as u64, again);
    assert!(done < Time::ZERO + secs(172), "{done:?}");
    let recovered = after(&pipe, outage.0)
        .find(|fact| matches!(fact.1, MiddleboxFact::Recovered { .. }))
        .expect("it is heard again");
    assert!(recovered.0 < outage.1 + secs(2));
    // Edges stood still meanwhile; no window was advertised as zero before.
    assert!(pipe.zero_windows.iter().all(|at| *at > outage.0 && *at < recovered.0));
}

/// What was in flight is lost: it is found lost one round trip after the probe arrived.
#[test]
fn an_outage_that_swallows_everything_is_repaired_in_two_round_trips() {
    for (flows, lasts) in [(1, 10), (4, 10), (1, 35), (16, 35)] {
        let mut pipe = with_outage(60, 60 + lasts);
        for _ in 0..flows {
            pipe.open(Plan::of(600_000 / flows));
        }
        // What is acknowledged until the last acknowledgement lets more be sent, and lost.
        pipe.run_for(secs(63));
        let mut left = pipe.in_flight();
        let lost = pipe.sent.iter().rev().take_while(|sent| {
            let counts = left > 0;
            left = left.saturating_sub(sent.3);
            counts
        });
        let lost = lost.count() as u64;
        let done = pipe.finish(secs(400));
        let again = pipe.leg.aggregates[0].repairs.retransmissions;
        let most = lost + 2 + lasts / 3;
        assert!(again <= most, "{flows} flows, {lasts} s: {again} for {lost}");
        let limit = Time::ZERO + secs(155 + lasts + 12);
        assert!(done < limit, "{flows} flows, {lasts} s: {done:?}");
    }
}

/// Outages so long that each packet was a probe several times, and then new ones were: that one of
/// those arrives does not say that what was sent before only waits.
#[test]
fn after_a_long_outage_a_new_probe_does_not_tell_that_the_rest_waited() {
    for lasts in (60..150).step_by(4) {
        let mut pipe = with_outage(60, 60 + lasts);
        let end = Time::ZERO + secs(60 + lasts);
        let flow = pipe.open(Plan::of(300_000));
        pipe.run_for(secs(60 + lasts));
        let (read, timeouts) = (pipe.read(flow), pipe.leg.aggregates[0].repairs.timeouts);
        while pipe.read(flow) == read {
            pipe.run_for(secs(1));
        }
        // What the mobile lacked was the probe itself, or else comes after the acknowledgement of
        // a probe and 1.5 round-trip times of doubt.
        let is_back = |fact: &&(Time, MiddleboxFact)| {
            fact.0 >= end && matches!(fact.1, MiddleboxFact::Recovered { .. })
        };
        let back = pipe.facts.iter().find(is_back).map_or(pipe.now, |fact| fact.0);
        assert!(pipe.now <= back + secs(7), "{lasts} s: read on at {:?}", pipe.now);
        pipe.finish(secs(60));
        assert_eq!(pipe.leg.aggregates[0].repairs.timeouts, timeouts, "{lasts} s");
    }
}

/// The timeout, then a probe every 1.5 round-trip times, each of the packet that waited longest;
/// later after each eighth of the time since.
#[test]
fn probes_back_off() {
    let mut pipe = with_outage(60, 120);
    pipe.open(Plan::of(300_000));
    pipe.run_for(secs(119));
    let rtt = pipe.leg.aggregates[0].round_trip.smoothed().expect("it was measured");
    let times = probes(&pipe);
    assert!(times.len() > 8, "{times:?}");
    for pair in times.windows(2) {
        assert_eq!(pair[1] - pair[0], (rtt * 3 / 2).max((pair[0] - times[0]) / 8), "{times:?}");
    }
    let last = after(&pipe, Time::ZERO + secs(60))
        .filter(|fact| matches!(fact.1, MiddleboxFact::Rtt { .. }))
        .map(|fact| fact.0)
        .last();
    // 2 · 10,000 B ÷ 4150 B/s is more than 3 s.
    let wait = times[0] - last.expect("something came in time");
    assert_eq!(wait.as_nanos() / 1_000_000, 4_819);
    let offsets: Vec<_> = pipe.sent.iter().rev().take(3).map(|sent| sent.2).collect();
    assert!(offsets.windows(2).all(|pair| pair[0] == pair[1] + MSS), "{offsets:?}");
}

/// §IV.E: "a single packet is transmitted until an ACK is received", and at the usual times.
#[test]
fn a_single_probe_is_always_the_same_packet() {
    let probes_of = |single_probe| {
        let mut pipe = Pipe::new(AtcpConfig { single_probe, ..config() });
        pipe.radio.outage = Some((Time::ZERO + secs(60), Time::ZERO + secs(90)));
        pipe.radio.flushed = true;
        for _ in 0..3 {
            pipe.open(Plan::of(100_000));
        }
        pipe.run_for(secs(89));
        let times = probes(&pipe);
        let last = pipe.sent.iter().rev().take(times.len()).map(|sent| (sent.1, sent.2));
        let packets: std::collections::BTreeSet<_> = last.collect();
        pipe.finish(secs(400));
        (times, packets.len())
    };
    let (times, packets) = probes_of(true);
    let (usual, others) = probes_of(false);
    assert_eq!((times.as_slice(), packets), (usual.as_slice(), 1));
    assert_eq!(others, usual.len());
}

/// §IV.D: "upon recovery, we restore to the previously advertized window size", whatever waits.
#[test]
fn a_restored_window_is_open_at_once() {
    let opened_by = |restore_window| {
        let mut pipe = Pipe::new(AtcpConfig { restore_window, ..config() });
        pipe.radio.outage = Some((Time::ZERO + secs(60), Time::ZERO + secs(90)));
        let flow = pipe.open(Plan::of(400_000));
        pipe.run_for(secs(89));
        let edge = |pipe: &Pipe| pipe.leg.flows[flow].window.edge;
        let stood = edge(&pipe);
        while !pipe.facts.iter().any(|fact| matches!(fact.1, MiddleboxFact::Recovered { .. })) {
            pipe.run_for(Duration::from_millis(1));
        }
        let moved = edge(&pipe) - stood;
        pipe.finish(secs(400));
        moved
    };
    let window = config().initial_window() as u64;
    assert!(opened_by(true) >= window / MSS * MSS, "{}", opened_by(true));
    assert!(opened_by(false) <= 2 * MSS, "{}", opened_by(false));
}

/// A mobile that no longer knows one of its connections, and says nothing: the others go on, and
/// that one is given up.
#[test]
fn a_dead_connection_does_not_stall_the_others() {
    let mut pipe = Pipe::new(config());
    let dead = pipe.open(Plan::of(6_000));
    pipe.silence(dead);
    pipe.run_for(secs(12));
    let live = pipe.open(Plan::of(100_000));
    // It takes 26 s alone; needless retransmissions take more.
    pipe.run_for(secs(110));
    assert_eq!(pipe.read(live), 100_000);
    pipe.open(Plan::of(1_000_000));
    pipe.run_for(secs(200));
    assert_eq!(pipe.leg.poll_given_up(), Some(FlowId(dead)));
}

#[test]
fn the_tail_of_a_transfer_lost_in_an_outage_is_not_forgotten() {
    let mut pipe = with_outage(1, 20);
    let flow = pipe.open(Plan::of(9_000));
    let done = pipe.finish(secs(60));
    assert_eq!(pipe.read(flow), 9_000);
    assert!(done < Time::ZERO + secs(34), "{done:?}");
}

#[test]
fn a_stall_with_nothing_left_but_orphans_ends() {
    let mut pipe = with_outage(20, 40);
    let idle = pipe.open(Plan::of(1_000));
    let flow = pipe.open(Plan::of(600_000));
    pipe.run_for(secs(30));
    assert_eq!(pipe.read(idle), 1_000);
    assert!(pipe.leg.aggregates[0].recovery.is_stalled());
    pipe.remove(flow);
    pipe.run_for(secs(15));
    assert_eq!(pipe.in_flight(), 0);
    assert!(!pipe.leg.aggregates[0].recovery.is_stalled());
    let other = pipe.open(Plan::of(20_000));
    pipe.run_for(secs(15));
    assert_eq!(pipe.read(other), 20_000);
}

/// However short the round trip: the return of the radio is noticed after an eighth of the time
/// that it was away, and a round trip. Until then it gets few packets.
#[test]
fn probes_are_few_and_soon_notice_the_return() {
    for (lasts, most) in [(10, 30), (20, 40), (100, 55), (800, 75)] {
        let mut pipe = with_outage(20, 20 + lasts);
        (pipe.radio.rate, pipe.radio.uplink_rate) = (100_000, 100_000);
        (pipe.radio.delay, pipe.radio.uplink_delay) = (Duration::from_millis(20), Duration::ZERO);
        pipe.open(Plan::of(1_000_000_000));
        pipe.run_for(secs(20 + lasts));
        let silent = probes(&pipe).iter().filter(|at| **at >= Time::ZERO + secs(20)).count();
        assert!(silent <= most, "{lasts} s: {silent}");
        let back = pipe.now;
        pipe.run_for(secs(lasts / 8 + 1).min(secs(61)));
        let is_back = |fact: &(Time, MiddleboxFact)| {
            fact.0 >= back && matches!(fact.1, MiddleboxFact::Recovered { .. })
        };
        assert!(pipe.facts.iter().any(is_back), "{lasts} s");
    }
}

#[test]
fn a_mobile_that_never_comes_back_is_given_up() {
    let mut pipe = with_outage(20, 100_000);
    let flow = pipe.open(Plan::of(600_000));
    pipe.run_for(secs(900));
    assert_eq!(pipe.leg.poll_given_up(), None);
    pipe.run_for(secs(100));
    assert_eq!(pipe.leg.poll_given_up(), Some(FlowId(flow)));
    pipe.remove(flow);
    pipe.run_for(secs(100));
    assert_eq!(pipe.in_flight(), 0);
}
