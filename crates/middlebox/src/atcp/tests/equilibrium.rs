use base::{Duration, Rate};

use super::config;
use super::pipe::{MSS, Pipe, Plan};
use crate::atcp::AtcpConfig;

/// (b + c) ÷ a of the queue, for any number of flows, near senders and far ones (§IV.D).
#[test]
fn the_queue_settles_where_the_equation_says() {
    let check = |flows: u64, [a, b, c]: [f64; 3], wire: u64, persist: u64| {
        let mut pipe = Pipe::new(AtcpConfig { a, b, c: Some(c), ..config() });
        for _ in 0..flows {
            let [wire, persist] = [wire, persist].map(Duration::from_millis);
            pipe.open(Plan { wire, persist, ..Plan::of(10_000_000) });
        }
        pipe.run_for(Duration::from_secs(400));
        pipe.measure();
        pipe.run_for(Duration::from_secs(400));
        let (mean, expect) = (pipe.mean_queue(), (b + c) / a);
        let off = mean / expect - 1.0;
        assert!(off.abs() < 0.1, "{flows} flows, {wire} ms, {a} {b} {c}: {mean:.0} of {expect}");
    };
    let (a, queue) = (0.25, 64_000.0);
    let control = [a, 0.0, a * queue];
    for flows in [1, 2, 4, 8, 16, 32] {
        check(flows, control, 20, 1_000);
        check(flows, control, 20, 200);
    }
    check(4, control, 500, 1_000);
    check(8, [0.1, 1_000.0, 3_000.0], 20, 1_000);
    check(1, [0.25, 0.0, 2_877.0], 20, 1_000);
}

/// Where a segment of each flow is more than that, it is a segment of each at most, which is waited
/// for as often as there.
#[test]
fn with_more_flows_than_segments_each_holds_one() {
    let mut pipe = Pipe::new(config());
    for _ in 0..32 {
        pipe.open(Plan::of(1_000_000));
    }
    pipe.run_for(Duration::from_secs(200));
    pipe.measure();
    pipe.run_for(Duration::from_secs(200));
    let mean = pipe.mean_queue();
    let of_each = mean / (32.0 * MSS as f64);
    assert!((0.4..1.05).contains(&of_each), "{of_each}");
    assert!(pipe.committed_max > 0 && pipe.committed_max <= config().budget);
}

/// The budget holds whatever the windows want, and nobody is left out.
#[test]
fn the_budget_is_kept_and_shared() {
    for (flows, budget) in [(4, 20_000), (32, 48_000), (64, 64_000)] {
        let mut pipe = Pipe::new(AtcpConfig { budget, ..config() });
        let ids: Vec<_> = (0..flows).map(|_| pipe.open(Plan::of(1_000_000))).collect();
        pipe.run_for(Duration::from_secs(400));
        let used = pipe.committed_max as f64 / budget as f64;
        assert!((0.5..=1.0).contains(&used), "{flows} flows: {used}");
        let read: Vec<_> = ids.iter().map(|&id| pipe.read(id)).collect();
        let least = read.iter().min().copied().unwrap_or(0);
        let fair = 400 * 4_000 / flows as u64;
        let most = read.iter().max().copied().unwrap_or(0);
        assert!(least > fair / 2 && most < fair * 2, "{flows} flows, {budget} B: {read:?}");
    }
}

/// Zero windows are for stalls (§IV.D: "a last resort"), also with senders that send less than a
/// segment when they have waited for long: a second (RFC 6298), or 200 ms (Linux).
#[test]
fn senders_never_see_a_window_of_zero() {
    for flows in [1, 2, 3, 4, 8, 16, 32] {
        // Nudges of whole units are few: with many flows they do not last through a long start.
        let scaled = if flows <= 4 { 5 } else { 0 };
        for (persist, scale) in [(1_000, 0), (200, 0), (1_000, scaled)] {
            let mut pipe = Pipe::new(config());
            for _ in 0..flows {
                let persist = Duration::from_millis(persist);
                pipe.open(Plan { scale, persist, ..Plan::of(1_000_000) });
            }
            pipe.run_for(Duration::from_secs(200));
            assert_eq!(pipe.zero_windows, [], "{flows} flows, {persist} ms, {scale}");
            let committed = pipe.committed_max;
            assert!(committed > 0 && committed <= config().budget, "{flows}: {committed}");
        }
    }
}

/// What was retransmitted in a minute, and how much of that needlessly, of flows whose mobile
/// delays its acknowledgements by `delay` ms over a radio of `rate` bytes/s that loses nothing.
fn sent_again(rate: u64, delay: u64, flows: u64, patience: u64) -> (u64, u64) {
    let mut pipe = Pipe::new(AtcpConfig {
        clamp: rate * 24 / 10,
        rate: Rate::from_bps(rate * 8),
        patience: Duration::from_millis(patience),
        budget: 2_000_000,
        ..config()
    });
    (pipe.radio.rate, pipe.radio.uplink_rate) = (rate, rate);
    for _ in 0..flows {
        let delayed_ack = Some(Duration::from_millis(delay));
        pipe.open(Plan { delayed_ack, ..Plan::of(300_000) });
    }
    pipe.run_for(Duration::from_secs(60));
    let again = pipe.leg.aggregates[0].repairs.retransmissions;
    (again, pipe.in_vain)
}

/// Three skips are no loss where acknowledgements are delayed by several segments' time and each
/// for itself. At the rates of GPRS they are not; at those of UMTS they are, and patience helps.
#[test]
fn delayed_acknowledgements_of_many_flows() {
    for delay in [100, 200, 500] {
        for flows in 1..=32 {
            assert_eq!(sent_again(4_150, delay, flows, 0), (0, 0), "{delay} ms, {flows} flows");
        }
        for flows in [1, 2, 4, 8, 16, 32] {
            assert_eq!(sent_again(48_000, delay, flows, 500), (0, 0), "{delay} ms, {flows} flows");
        }
    }
    let check = |delay, flows, least, most| {
        let (again, in_vain) = sent_again(48_000, delay, flows, 0);
        assert!((least..=most).contains(&again), "{delay} ms, {flows} flows: {again}");
        assert!(in_vain * 10 >= again * 9, "{in_vain} of {again} in vain");
    };
    assert_eq!(sent_again(48_000, 100, 4, 0), (3, 3));
    check(200, 4, 50, 200);
    check(500, 8, 300, 700);
    check(500, 16, 300, 900);
    check(500, 32, 300, 700);
}
