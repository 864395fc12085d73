//! Every kind of middlebox on every thin pipe: each stream arrives whole, in a sensible time.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{Outcome, Recording, Threads, simulate};

const KINDS: [&str; 9] =
    ["none", "snoop", "fda-like", "delayed-dupacks", "m-tcp", "w-tcp", "i-tcp", "split", "atcp"];

const BYTES: u64 = 50_000;

fn run(name: &str, kind: &str, settings: &[(&str, &str)]) -> Outcome {
    let mut text =
        shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text.to_owned();
    if !text.contains("[[wired]]") {
        let wire = "[[wired]]\nname = \"LAN\"\nbetween = [\"host\", \"proxy\"]\ndelay = \"1 ms\"";
        text = text.replace("[link]\n", &format!("{wire}\n\n[link]\n"));
    }
    let bytes = format!("{BYTES} B");
    let common = [("middlebox.kind", kind), ("flow.bytes", &bytes), ("duration", "3000 s")];
    let settings: Vec<_> = common
        .iter()
        .chain(settings)
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let scenario = Scenario::parse(&text, name, &settings).expect("it is valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("it ends")
}

/// When the last of the flows has been read, if all have been.
fn last(outcome: &Outcome) -> Option<f64> {
    let read = outcome.summary.flows.iter().map(|flow| flow.received_s);
    read.collect::<Option<Vec<_>>>().map(|all| all.into_iter().fold(0.0, f64::max))
}

/// One, three and eight flows: no kind takes more than `most` times as long as no box, and a few
/// seconds for one more timeout. Kinds that are known to do worse have a limit of their own.
#[track_caller]
fn check(name: &str, settings: &[(&str, &str)], most: f64, known: &[(&str, f64)]) {
    for flows in ["1", "3", "8"] {
        let settings: Vec<_> = [("flow.count", flows)].iter().chain(settings).copied().collect();
        let plain = last(&run(name, "none", &settings)).expect("TCP delivers");
        for kind in KINDS {
            let outcome = run(name, kind, &settings);
            let told = format!("{name}, {kind}, {settings:?}: {:?}", outcome.summary.middlebox);
            let took = last(&outcome).unwrap_or_else(|| panic!("a stream is not whole: {told}"));
            let known = known.iter().find(|(worse, _)| *worse == kind);
            let most = known.map_or(most, |(_, most)| *most);
            assert!(took <= most * plain + 20.0, "{took} s instead of {plain} s: {told}");
            for flow in &outcome.summary.flows {
                assert_eq!(flow.bytes_acked, BYTES, "{told}");
            }
            let held = outcome.summary.middlebox.map_or(0, |middlebox| middlebox.held_bytes);
            assert_eq!(held, 0, "{name}, {kind}, {settings:?}");
        }
    }
}

/// Where each of many flows loses many segments of a window at once: Snoop repairs one of them a
/// round trip, and its timer does not back off.
const SLOW_SNOOP: [(&str, f64); 1] = [("snoop", 1.75)];

/// Where the radio loses: the sender that slept through that starts its timer anew when it wakes.
const LATE_M_TCP: [(&str, f64); 1] = [("m-tcp", 2.5)];

#[test]
fn plain_links() {
    for name in ["gprs-fifo", "gprs-live-40"] {
        check(name, &[], 1.25, &[]);
        check(name, &[("link.outages", r#"[["20 s", "30 s"]]"#)], 1.5, &LATE_M_TCP);
    }
    check("gprs-fifo", &[("tcp.variant", "newreno")], 1.25, &SLOW_SNOOP);
    check("gprs-fifo", &[("tcp.timestamps", "true")], 1.25, &[]);
}

#[test]
fn gprs() {
    check("gprs-3+1", &[], 1.25, &[]);
    check("gprs-3+1", &[("radio.outages", r#"[["20 s", "30 s"]]"#)], 1.5, &[]);
    check("gprs-3+1", &[("tcp.variant", "newreno")], 1.25, &SLOW_SNOOP);
    check("gprs-3+1", &[("tcp.timestamps", "true")], 1.25, &[]);
}

#[test]
fn umts() {
    for rate in ["0 %", "10 %", "30 %"] {
        check("umts-dch-384", &[("radio.tbler", rate)], 1.25, &[]);
    }
    let settings = [("radio.tbler", "10 %"), ("tcp.timestamps", "true")];
    check("umts-dch-384", &settings, 1.25, &[]);
}

/// Blocks are not repeated: of 14 to a segment one in a hundred is lost, so one segment in eight.
#[test]
fn a_radio_that_repeats_nothing() {
    let settings = [("radio.tbler", "1 %"), ("radio.rlc.mode", "um")];
    check("umts-dch-384", &settings, 1.5, &[("m-tcp", 3.0)]);
}

/// Three flows of 100 kB share 4.15 kB/s: 76 s for what they bring, with headers. A box that is
/// deceived by the queue that the others fill takes many times as long.
#[test]
fn timers_learn_of_the_queue_that_others_fill() {
    let settings = [("flow.count", "3"), ("flow.bytes", "100 kB"), ("flow.interval", "2 s")];
    let took = |kind| last(&run("gprs-fifo", kind, &settings)).expect("it is whole");
    for (kind, most) in [("w-tcp", 82.0), ("fda-like", 82.0), ("m-tcp", 120.0)] {
        assert!(took(kind) < most, "{kind}: {} s", took(kind));
    }
}

/// The sender sleeps through the outage, and repeats little of what the radio has kept.
#[test]
fn m_tcp_in_outages() {
    for (outage, most) in [(r#"[["20 s", "25 s"]]"#, 37.0), (r#"[["20 s", "50 s"]]"#, 71.0)] {
        for (name, key) in [("gprs-fifo", "link.outages"), ("gprs-3+1", "radio.outages")] {
            let settings = [("flow.bytes", "100 kB"), (key, outage)];
            let outcome = run(name, "m-tcp", &settings);
            let took = last(&outcome).expect("it is whole");
            assert!(took < most, "{name}, {outage}: {took} s");
            let timeouts = outcome.summary.flows[0].timeouts;
            assert!(timeouts <= 1, "{name}, {outage}: {timeouts} timeouts");
        }
    }
}
