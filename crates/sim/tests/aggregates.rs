//! The aggregating proxy from the scenario to its numbers: Chakravorty et al. 2003 §IV and §VI.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{FlowSummary, Metrics, Outcome, Recording, Threads, simulate};

/// Typing at port 23, above all else.
const CLASS: &str = r#"
[[middlebox.atcp.classes]]
name = "telnet"
port = 23
priority = 1
"#;

const TYPING: &str = r#"
[[flow.group]]
name = "typing"
application = "telnet"
port = 23
start = "10 s"
"#;

fn run(name: &str, more: &str, settings: &[(&str, &str)]) -> Outcome {
    let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = [("middlebox.kind", "atcp")].iter().chain(settings).map(owned).collect();
    let scenario = Scenario::parse(&format!("{text}{more}"), name, &settings).expect("it is valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("it ends")
}

fn mean(values: impl Iterator<Item = f64>) -> (f64, usize) {
    let values: Vec<_> = values.collect();
    (values.iter().sum::<f64>() / values.len() as f64, values.len())
}

/// The mean response to a keystroke in seconds, of 300 or more.
fn response(metrics: &Metrics) -> f64 {
    let seconds = metrics
        .flows()
        .iter()
        .flat_map(|flow| &flow.echoes)
        .map(|echo| echo.fact.response.as_secs_f64());
    let (mean, count) = mean(seconds);
    assert!(count >= 300, "{count}");
    mean
}

fn bulk(outcome: &Outcome) -> f64 {
    outcome.summary.flows[0].goodput_bps.expect("it has begun")
}

/// Within 1.2 times what it takes alone and a segment's time, for a twentieth of the file
/// transfer's rate.
#[test]
fn an_echo_takes_little_more_under_a_file_transfer() {
    for name in ["gprs-fifo", "gprs-3+1"] {
        let alone = [("flow.application", "telnet"), ("flow.port", "23")];
        let alone = response(&run(name, CLASS, &alone).metrics);
        let classes = format!("{TYPING}{CLASS}");
        let endless = [("flow.bytes", "unlimited")];
        let under = run(name, &classes, &endless);
        let bound = 1.2 * alone + 1_388.0 / 4_150.0;
        let echo = response(&under.metrics);
        assert!(echo <= bound, "{name}: {echo} s, {alone} s alone");
        let off = [endless[0], ("middlebox.atcp.deference", "off")];
        let off = run(name, &classes, &off);
        let without = response(&off.metrics);
        assert!(without > bound, "{name}: {without} s without deference, {bound} s with");
        let cost = 1.0 - bulk(&under) / bulk(&off);
        assert!(cost < 0.1, "{name}: {cost}");
    }
}

/// Tickets of the web and of file transfers, 3:1, while both have data.
#[test]
fn ports_are_served_as_their_tickets_say() {
    let classes = r#"
[[flow.group]]
name = "www"
bytes = "unlimited"
port = 80

[[middlebox.atcp.classes]]
name = "www"
port = 80
tickets = 3

[[middlebox.atcp.classes]]
name = "ftp"
port = 20
"#;
    for name in ["gprs-fifo", "gprs-3+1"] {
        let outcome = run(name, classes, &[("flow.bytes", "unlimited"), ("flow.port", "20")]);
        let bytes = |group: &str| {
            let of_group = |flow: &&FlowSummary| flow.group == group;
            outcome.summary.flows.iter().filter(of_group).map(|flow| flow.bytes_acked).sum::<u64>()
        };
        let ratio = bytes("www") as f64 / bytes("flow") as f64;
        assert!((ratio / 3.0 - 1.0).abs() < 0.1, "{name}: {ratio}");
    }
}

/// P3 and P4: seconds from the SYN to the last byte received, and the mean round-trip time.
fn transfer(clamp: &str) -> (f64, f64) {
    let outcome = run("gprs-fifo", "", &[("middlebox.atcp.clamp", clamp)]);
    let flow = &outcome.summary.flows[0];
    let took = flow.received_s.zip(flow.started_s).map(|(end, start)| end - start);
    let rtts = outcome.metrics.middlebox.rtt.rows().iter().map(|row| row.rtt.as_secs_f64());
    (took.expect("it is done"), mean(rtts).0)
}

#[test]
fn six_hundred_kilobytes_take_as_long_as_the_link_does() {
    for clamp in ["10 kB", "12 kB", "16 kB", "32 kB"] {
        let (took, _) = transfer(clamp);
        assert!((147.0..=163.0).contains(&took), "{clamp}: {took} s");
    }
    let (full, rtt) = transfer("10 kB");
    assert!(rtt < 3.0, "{rtt} s");
    let (less, _) = transfer("6 kB");
    assert!(less >= 1.15 * full, "{less} s of {full} s");
}

/// Nothing stalls, so no sender is ever told to stop.
#[test]
fn windows_of_zero_are_for_stalls() {
    for flows in ["1", "2", "4", "8", "16", "32"] {
        let settings = [("flow.bytes", "unlimited"), ("flow.count", flows), ("duration", "200 s")];
        let outcome = run("gprs-fifo", "", &settings);
        let summary = outcome.summary.middlebox.expect("there is a box");
        assert_eq!((summary.zero_windows, summary.timeouts), (0, 0), "{flows} flows");
        assert!(summary.held_max <= 128_000, "{flows} flows: {}", summary.held_max);
    }
}
