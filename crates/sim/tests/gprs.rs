//! TCP over GPRS from the scenario to its numbers: Chakravorty et al. 2003 §III and §VI.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{FlowSummary, Outcome, Recording, Threads, simulate};

fn run(name: &str, settings: &[(&str, &str)]) -> Outcome {
    let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let scenario = Scenario::parse(text, name, &settings).expect("it is valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("it ends")
}

fn flow(settings: &[(&str, &str)]) -> FlowSummary {
    run("gprs-3+1", settings).summary.flows[0].clone()
}

/// Seconds from the SYN to the acknowledgement of the last byte, and the mean round-trip time.
fn transfer(settings: &[(&str, &str)]) -> [f64; 2] {
    transfer_of("gprs-3+1", settings)
}

fn transfer_of(name: &str, settings: &[(&str, &str)]) -> [f64; 2] {
    let flow = run(name, settings).summary.flows[0].clone();
    let took = flow.completed_s.zip(flow.started_s).map(|(end, start)| end - start);
    [took.expect("it is done"), flow.rtt_s.mean.expect("there are samples")]
}

/// P3 and P4 for TCP's own window: 155 ± 8 s for 9.2 KB and more, longer for less.
#[test]
fn p3_any_window_from_10_kb_on_fills_the_pipe() {
    let mut before = 0.0;
    for segments in ["7", "8", "9", "12", "24", "48"] {
        for seed in ["1", "2", "3"] {
            let [took, _] = transfer(&[("tcp.window", segments), ("seed", seed)]);
            assert!((147.0..=163.0).contains(&took), "{segments} segments, seed {seed}: {took} s");
        }
        let [_, rtt] = transfer(&[("tcp.window", segments)]);
        assert!(rtt > before, "{segments} segments: {rtt} s");
        before = rtt;
    }
    let [full, _] = transfer(&[]);
    let [small, _] = transfer(&[("tcp.window", "4")]);
    assert!(small >= 1.15 * full, "{small} s with 5.4 KB, {full} s with 64 KB");
    let [_, rtt] = transfer(&[("tcp.window", "8")]);
    assert!(rtt <= 3.0, "{rtt} s with 10 KB");
}

/// Seconds until the mobile has 600 KB through the proxy, and the mean round-trip time of its radio
/// leg.
fn through_proxy(clamp: &str, seed: &str) -> [f64; 2] {
    let settings = [
        ("middlebox.kind", "atcp"),
        ("middlebox.at", "proxy"),
        ("middlebox.atcp.clamp", clamp),
        ("seed", seed),
    ];
    let summary = run("gprs-3+1", &settings).summary;
    let rtt = summary.middlebox.expect("there is a box").rtt_s.mean;
    let received = summary.flows[0].received_s;
    [received.expect("it is done"), rtt.expect("there are samples")]
}

/// P3 and P4 for the proxy: 155 ± 8 s for 10 kB and more, at least 15 % longer for 6 kB.
#[test]
fn p3_any_clamp_from_10_kb_on_fills_the_pipe() {
    let seeds: Vec<_> = (1..=10).map(|seed: u32| seed.to_string()).collect();
    for seed in &seeds {
        let [ten, rtt] = through_proxy("10 kB", seed);
        assert!(rtt <= 3.0, "seed {seed}: {rtt} s with 10 kB");
        let [six, _] = through_proxy("6 kB", seed);
        assert!(six >= 1.15 * ten, "seed {seed}: {six} s with 6 kB, {ten} s with 10 kB");
        for clamp in ["10 kB", "12 kB", "16 kB", "32 kB"] {
            let [took, _] = through_proxy(clamp, seed);
            assert!((147.0..=163.0).contains(&took), "{clamp}, seed {seed}: {took} s");
        }
    }
}

/// T1: more than 6 s until the window has 10 KB, here 5.5 to 7.5 s on average.
#[test]
fn t1_slow_start_takes_its_time() {
    let filled = |seed: u64| {
        let outcome = run("gprs-3+1", &[("seed", &seed.to_string()), ("duration", "30 s")]);
        let rows = outcome.metrics.flows()[0].cwnd();
        let filled = rows.iter().find(|row| row.cwnd >= 10_000).expect("it grows");
        filled.time.as_secs_f64()
    };
    let times: Vec<_> = (1..=20).map(filled).collect();
    let mean = times.iter().sum::<f64>() / 20.0;
    assert!((5.5..=7.5).contains(&mean), "{mean} s: {times:?}");
    assert!(times.iter().all(|seconds| (5.5..=9.0).contains(seconds)), "{times:?}");
}

/// T3: 64 KB under way are 14 to 17 s.
#[test]
fn t3_the_queue_fills() {
    let flow = flow(&[]);
    let rtt = flow.rtt_s.p50.expect("there are samples");
    assert!((14.0..=17.0).contains(&rtt), "{rtt} s");
}

#[test]
fn more_slots_and_better_codes_are_faster() {
    let took = |name| {
        let flow = run(name, &[]).summary.flows[0].clone();
        flow.completed_s.expect("it is done")
    };
    let times = ["gprs-3+1", "gprs-4+1", "gprs-8+1", "edge-4+1"].map(took);
    assert!(times.is_sorted_by(|slower, faster| slower > faster), "{times:?}");
}

/// 64 blocks are 160 ms of 8 slots, less than a report takes: the window of GPRS holds the line up
/// with every block that errs. One of twice its size would not.
#[test]
fn eight_slots_wait_for_the_window() {
    let took = |settings: &[_]| transfer_of("gprs-8+1", settings)[0];
    let standard = took(&[]);
    let (wider, faultless) = (took(&[("radio.gprs.window", "128")]), took(&[("radio.tbler", "0")]));
    assert!((78.0..=90.0).contains(&standard), "{standard} s");
    assert!(wider < 0.8 * standard, "{wider} s");
    assert!(faultless < 0.8 * standard, "{faultless} s");
}

#[test]
fn mobiles_have_bearers_of_their_own() {
    let outcome = run("gprs-3+1", &[("radio.ues", "3"), ("flow.count", "6")]);
    let links: Vec<_> = outcome.summary.links.iter().map(|link| link.name.as_str()).collect();
    assert!(["Um-0/down", "Um-1/up", "Um-2/down"].iter().all(|name| links.contains(name)));
    for flow in &outcome.summary.flows {
        assert!(flow.completed_s.is_some(), "{flow:?}");
    }
    let [one, two] = [0, 1].map(|flow: usize| outcome.summary.flows[flow].completed_s);
    assert_ne!(one, two, "each has its own radio");
}

#[test]
fn a_queue_may_be_managed() {
    let rtt = |kind| flow(&[("queue.kind", kind)]).rtt_s.p50.expect("there are samples");
    let (droptail, codel) = (rtt("droptail"), rtt("codel"));
    assert!(codel < droptail / 2.0, "{codel} s with CoDel, {droptail} s with drop-tail");
    assert!(rtt("fair") > 10.0, "one flow has nobody to take turns with");
}
