//! What is not TCP beside connections, in one window.

use base::{Duration, Ecn, Time};
use proptest::prelude::*;

use super::config;
use super::pipe::{Pipe, Plan};
use super::sources::{Offered, Source};
use crate::atcp::{AtcpConfig, Class, Estimation, Others};
use crate::{RadioLeg, Release};

/// A radio of 48 kB/s and a round trip of 0.2 s.
fn pipe(config: AtcpConfig) -> Pipe {
    let mut pipe = Pipe::new(config);
    pipe.radio.rate = 48_000;
    pipe.radio.delay = Duration::from_millis(80);
    (pipe.radio.uplink_rate, pipe.radio.uplink_delay) = (8_000, Duration::from_millis(80));
    pipe
}

fn scheduled() -> AtcpConfig {
    AtcpConfig {
        others: Others::Scheduled,
        rate: base::Rate::from_bps(384_000),
        round_trip: Duration::from_millis(200),
        clamp: 12_480,
        c: None,
        ..config()
    }
}

/// More than the radio carries.
fn flood(flow: u32) -> Source {
    let (ecn, dscp) = (Ecn::NotCapable, 0);
    Source { flow, bytes: 1_400, period: Duration::from_millis(20), ecn, dscp }
}

/// A call: 60 B each 20 ms, as G.729 has.
fn call(flow: u32) -> Source {
    Source { bytes: 60, ..flood(flow) }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Bytes of a source that left the box between two times.
fn carried(pipe: &Pipe, source: u32, bytes: u64, [from, to]: [Time; 2]) -> u64 {
    let has_left = |(at, release): (Time, Release)| !release.is_loss() && at >= from && at < to;
    let of_it = pipe.offered.iter().filter(|offered| offered.source == source);
    bytes * of_it.filter(|offered| offered.released.is_some_and(has_left)).count() as u64
}

/// Bytes of connections and floods in 100 s, of which the first flood has `tickets`.
fn carry(connections: u32, floods: u32, tickets: u32) -> Vec<u64> {
    let class = Class { name: "paid".into(), dscp: Some(10), tickets, ..Class::default() };
    let mut pipe = pipe(AtcpConfig { classes: vec![class], ..scheduled() });
    // A longer delay leaves gaps, whatever comes beside: docs/models/atcp.md.
    let plan = Plan { delayed_ack: Some(Duration::from_millis(40)), ..Plan::of(100_000_000) };
    let flows: Vec<u32> = (0..connections).map(|_| pipe.open(plan.clone())).collect();
    let sources: Vec<u32> = (0..floods)
        .map(|flow| pipe.offer(Source { dscp: if flow == 0 { 10 } else { 0 }, ..flood(flow) }))
        .collect();
    pipe.run_for(seconds(20));
    let read: Vec<u64> = flows.iter().map(|&flow| pipe.read(flow)).collect();
    let from = pipe.now;
    pipe.run_for(seconds(100));
    let spans = [from, pipe.now];
    let of_flows = flows.iter().zip(read).map(|(&flow, read)| pipe.read(flow) - read);
    let of_sources = sources.iter().map(|&source| carried(&pipe, source, 1_400, spans));
    of_flows.chain(of_sources).collect()
}

/// Shares of connections and floods are as their tickets say, and floods take nothing that would
/// otherwise be used.
#[test]
fn shares_are_as_tickets() {
    for (connections, floods, tickets) in
        [(1, 1, 1), (4, 1, 1), (1, 4, 1), (3, 3, 1), (2, 2, 3), (0, 1, 1), (0, 4, 2)]
    {
        let case = format!("{connections} {floods} {tickets}");
        let bytes = carry(connections, floods, tickets);
        let of = |index: usize| if index == connections as usize { tickets } else { 1 };
        let all: u32 = (0..bytes.len()).map(of).sum();
        let total: u64 = bytes.iter().sum();
        for (index, &bytes) in bytes.iter().enumerate() {
            let share = total as f64 * f64::from(of(index)) / f64::from(all);
            let ratio = bytes as f64 / share;
            assert!((ratio - 1.0).abs() < 0.1, "{case}: {ratio}");
        }
        let alone: u64 = carry(connections, 0, 1).iter().sum();
        assert!(total >= alone.min(4_700_000) * 98 / 100, "{case}: {total}, alone {alone}");
    }
}

/// A call waits for no more than what is being sent: a packet, and what the window lets stand
/// before the radio.
#[test]
fn a_call_waits_for_nobodys_queue() {
    for (connections, floods) in [(0, 0), (4, 0), (0, 4), (4, 4)] {
        let mut pipe = pipe(scheduled());
        for _ in 0..connections {
            pipe.open(Plan::of(100_000_000));
        }
        for flow in 0..floods {
            pipe.offer(flood(flow));
        }
        pipe.run_for(seconds(5));
        let call = pipe.offer(call(99));
        pipe.run_for(seconds(60));
        let of_it = pipe.offered.iter().filter(|offered| offered.source == call);
        let (mut waits, mut lost) = (Vec::new(), 0);
        for offered in of_it {
            match offered.released {
                Some((at, Release::Sent | Release::Marked)) => waits.push(at - offered.at),
                Some((_, Release::Late | Release::Crowded)) => lost += 1,
                None => {}
            }
        }
        let longest = waits.iter().max().copied().unwrap_or_default();
        assert_eq!(lost, 0, "{connections} {floods}");
        assert!(longest <= Duration::from_millis(75), "{connections} {floods}: {longest:?}");
    }
}

/// Waits before the radio of packets that left the box between two times.
fn before_radio(pipe: &Pipe, [from, to]: [Time; 2]) -> Vec<Duration> {
    let stood = |offered: &Offered| {
        let (at, _) = offered.released.filter(|&(at, _)| at >= from && at < to)?;
        Some(offered.arrived? - (at + pipe.radio.delay))
    };
    pipe.offered.iter().filter_map(stood).collect()
}

/// Without connections nothing is acknowledged. Where the mobile answers echo requests the window
/// holds, whatever the rate is said to be; else packets leave at the rate that is said.
#[test]
fn a_flood_alone_fills_the_radio_and_not_its_queue() {
    for (answers, said_bps, expected) in
        [(true, 384_000, 48_000.0), (true, 900_000, 48_000.0), (false, 300_000, 37_500.0)]
    {
        let rate = base::Rate::from_bps(said_bps);
        let mut pipe = pipe(AtcpConfig { rate, ..scheduled() });
        pipe.answers = answers;
        let source = pipe.offer(flood(0));
        pipe.run_for(seconds(60));
        let bytes = carried(&pipe, source, 1_400, [Time::ZERO, pipe.now]);
        let share = bytes as f64 / (expected * 60.0);
        assert!((0.96..1.03).contains(&share), "{answers} {said_bps}: {share}");
        // The window beyond what is on its way, and the quarter of it without an answer.
        let most = (12_480.0 * 1.25 + 1_400.0) / 48_000.0 - 0.16;
        let longest = before_radio(&pipe, [Time::ZERO, pipe.now]).into_iter().max();
        let longest = longest.expect("some were sent").as_secs_f64();
        assert!(longest < most, "{answers} {said_bps}: {longest} of {most}");
        let told = pipe.echoes * 32 * 50 < bytes;
        assert!(told, "{} echo requests for {bytes} bytes", pipe.echoes);
    }
}

/// The rate falls to a sixth and comes back: ten seconds later packets stand as long as a window
/// for that rate, and nine tenths of it are used.
#[test]
fn a_flood_alone_follows_the_rate() {
    let estimator = Estimation::Westwood;
    let mut pipe = pipe(AtcpConfig { estimator, ..scheduled() });
    let source = pipe.offer(flood(0));
    for (rate, most) in [(48_000, 0.2), (8_000, 1.0), (48_000, 0.2)] {
        pipe.radio.rate = rate;
        pipe.run_for(seconds(10));
        let from = pipe.now;
        pipe.run_for(seconds(30));
        let spans = [from, pipe.now];
        let share = carried(&pipe, source, 1_400, spans) as f64 / (rate as f64 * 30.0);
        let longest = before_radio(&pipe, spans).into_iter().max().unwrap_or_default();
        assert!(share > 0.9, "{rate}: {share}, {longest:?}");
        assert!(longest.as_secs_f64() < most, "{rate}: {longest:?}, {share}");
    }
}

/// Packets that understand marks are marked, and none is lost that `CoDel` asks for.
#[test]
fn marks_take_the_place_of_losses() {
    let share = |ecn| {
        let mut pipe = pipe(AtcpConfig { budget: 1 << 30, ..scheduled() });
        pipe.open(Plan::of(100_000_000));
        pipe.offer(Source { ecn, ..flood(0) });
        pipe.run_for(seconds(60));
        let count = |release| {
            let is_it = |&(_, other): &(Time, Release)| other == release;
            pipe.offered.iter().filter_map(|offered| offered.released).filter(is_it).count()
        };
        [count(Release::Marked), count(Release::Late)]
    };
    let [marked, dropped] = share(Ecn::Capable);
    assert!(marked > 10, "{marked}");
    assert_eq!(dropped, 0);
    let [marked, dropped] = share(Ecn::NotCapable);
    assert_eq!(marked, 0);
    assert!(dropped > 10, "{dropped}");
}

/// The box lets go of all that it does not read: connections that wait behind it go on.
#[test]
fn lanes_that_are_emptied_hold_nobody_up() {
    let mut pipe = pipe(scheduled());
    let flow = pipe.open(Plan::of(100_000_000));
    pipe.run_for(seconds(10));
    for lane in 0..40 {
        pipe.offer(Source { period: seconds(1_000), ..flood(lane) });
    }
    pipe.run_for(Duration::from_millis(50));
    assert!(pipe.leg.waits().1 > 10);
    pipe.leg.release_opaque();
    assert_eq!(pipe.leg.waits(), (0, 0));
    let read = pipe.read(flow);
    pipe.run_for(seconds(10));
    assert!(pipe.read(flow) - read > 200_000, "{}", pipe.read(flow) - read);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever comes: each packet is let go once, those of a flow in their order; what waits is
    /// within the budget, and no more is in flight than the window allows, and a packet.
    #[test]
    fn nothing_is_lost_or_told_twice(
        connections in 0_u32..4,
        sources in prop::collection::vec((0_u32..5, 1_u32..1_500, 1_u64..60), 0..6),
        outage in prop::option::of((1_u64..8, 1_u64..20)),
        budget in 20_000_u64..200_000,
    ) {
        let mut pipe = pipe(AtcpConfig { budget, ..scheduled() });
        let outage = outage.map(|(from, length)| (Time::ZERO + seconds(from), seconds(length)));
        pipe.radio.outage = outage.map(|(from, length)| (from, from + length));
        for _ in 0..connections {
            pipe.open(Plan::of(200_000));
        }
        for (flow, bytes, period) in sources {
            let period = Duration::from_millis(period);
            pipe.offer(Source { bytes, period, ..flood(flow) });
        }
        for _ in 0..40 {
            pipe.run_for(Duration::from_millis(500));
            let (waiting, _) = pipe.leg.waits();
            prop_assert!(waiting <= budget, "{} of {}", waiting, budget);
        }
        let mut last = std::collections::BTreeMap::new();
        for offered in &pipe.offered {
            let Some((at, release)) = offered.released else { continue };
            if !release.is_loss() {
                let before = last.insert(offered.source, at);
                prop_assert!(before.is_none_or(|before| before <= at));
            }
        }
        let unread = pipe.offered.iter().filter(|offered| offered.released.is_none()).count();
        prop_assert_eq!(unread, pipe.leg.waits().1);
    }
}
