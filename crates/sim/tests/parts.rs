//! Mobiles with nothing in common run apart from each other: laws of what comes out.

use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::sample::select;
use scenario::{Part, Scenario, shipped};
use sim::{Outcome, Recording, Threads, Unfinished, simulate};

/// Scenarios of several mobiles, in which each has a bearer of its own.
const APART: [(&str, &[(&str, &str)]); 14] = [
    ("gprs-3+1", &[("flow.application", "web"), ("middlebox.kind", "atcp")]),
    ("gprs-3+1", &[("flow.application", "mixed"), ("middlebox.kind", "split")]),
    ("gprs-3+1", &[("flow.application", "web"), ("flow.web.protocol", "http/1.0")]),
    ("gprs-3+1", &[("flow.application", "udp"), ("radio.tbler", "20 %")]),
    ("umts-64", &[("flow.application", "udp"), ("middlebox.kind", "atcp")]),
    (
        "umts-64",
        &[
            ("flow.application", "udp"),
            ("flow.direction", "uplink"),
            ("middlebox.kind", "atcp"),
            ("middlebox.atcp.role", "subscriber"),
            ("middlebox.atcp.uplink_rate", "64 kbit/s"),
            ("middlebox.atcp.round_trip", "200 ms"),
        ],
    ),
    ("edge-4+1", &[("flow.direction", "uplink"), ("flow.bytes", "20 kB")]),
    ("umts-dch-384", &[("flow.application", "web"), ("middlebox.kind", "snoop")]),
    ("umts-dch-384", &[("middlebox.kind", "fda-like"), ("radio.tbler", "10 %")]),
    ("umts-dch-384", &[("middlebox.kind", "i-tcp"), ("flow.opened_by", "receiver")]),
    ("umts-384", &[("tcp.variant", "bbr"), ("flow.interval", "0 s"), ("radio.rlc.mode", "um")]),
    (
        "gprs-3+1",
        &[
            ("tcp.freeze.warning", "1 s"),
            ("radio.reselections", "[{at = \"5 s\", lasts = \"2 s\"}]"),
        ],
    ),
    ("gprs-3+1", &[("middlebox.kind", "m-tcp"), ("radio.outages", "[[\"1 s\", \"4 s\"]]")]),
    (
        "umts-384",
        &[("tcp.share_state", "ensemble"), ("flow.count", "40"), ("flow.interval", "333 ms")],
    ),
];

const SCHEMES: [&str; 9] =
    ["none", "atcp", "snoop", "fda-like", "delayed-dupacks", "m-tcp", "w-tcp", "i-tcp", "split"];

fn parse(name: &str, settings: &[(&str, &str)]) -> Scenario {
    let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
    let usual = [("duration", "20 s"), ("flow.count", "11"), ("radio.ues", "4")];
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = usual.iter().chain(settings).map(owned).collect();
    Scenario::parse(text, name, &settings).expect("it is valid")
}

fn run(scenario: &Scenario, recording: Recording, threads: usize) -> Outcome {
    let threads = Threads::new(threads).expect("there are some");
    simulate(scenario, recording, threads, &mut |_| ControlFlow::Continue(())).expect("it ends")
}

/// All results.
fn results(outcome: Outcome) -> String {
    let Outcome { summary, metrics, capacity, machines, droppers, .. } = outcome;
    let flows = metrics.flows().iter().map(|flow| {
        let series = (flow.rtt.rows(), flow.cwnd(), &flow.base_rtt, &flow.events, &flow.pages);
        format!("{series:?}\n{:?}\n", flow.datagrams().iter().map(|row| (row.sent, row.bytes)))
    });
    let flows: String = flows.collect();
    let middlebox = &metrics.middlebox;
    let (backlog, rtt) = (middlebox.backlog.rows(), middlebox.rtt.rows());
    let middlebox = format!("{backlog:?} {rtt:?} {:?}", middlebox.events);
    let droppers = &machines[..droppers];
    format!("{summary:#?}\n{capacity:?}\n{droppers:?}\n{flows}{middlebox}")
}

fn assert_same(one: &str, other: &str, what: &dyn std::fmt::Debug) {
    let difference = one.lines().zip(other.lines()).find(|(line, other)| line != other);
    if let Some((line, other)) = difference {
        panic!(
            "{what:?}: {} is not {}",
            &line[..line.len().min(900)],
            &other[..other.len().min(900)]
        );
    }
    assert_eq!(one.len(), other.len(), "{what:?}");
}

#[test]
fn apart_and_together_mobiles_have_the_same_results() {
    for (name, settings) in APART {
        let scenario = parse(name, settings);
        assert_eq!(Part::all(&scenario).len(), 4, "{name} {settings:?}");
        let together = results(run(&scenario, Recording::Everything, 1));
        let apart = results(run(&scenario, Recording::Series, 1));
        assert_same(&apart, &together, &(name, settings));
    }
}

/// A word of each list, and how many of each.
fn settings() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let words = (
        select(&["gprs-3+1", "edge-4+1", "umts-dch-384", "umts-384", "umts-64", "umts-thesis"][..]),
        select(&SCHEMES[..]),
        select(&["file", "web", "mixed", "telnet", "probe", "udp"][..]),
        select(&["http/1.0", "http/1.1"][..]),
        select(&["downlink", "uplink"][..]),
        select(&["reno", "sack", "vegas", "cubic", "bbr"][..]),
        select(&["modern", "ns2-2.35", "ns2-1996"][..]),
        select(&["off", "temporal", "ensemble"][..]),
    );
    let numbers = (2_u32..6, 1_u32..12, 0_u32..3_000, 0_u32..15, any::<u32>());
    (words, numbers).prop_map(
        |(
            (name, scheme, application, protocol, direction, variant, profile, shares),
            (ues, count, ms, percent, seed),
        )| {
            let is_download = application != "file" && application != "udp";
            let mut settings = vec![
                ("name", name.to_owned()),
                ("middlebox.kind", scheme.to_owned()),
                ("flow.application", application.to_owned()),
                ("flow.web.protocol", protocol.to_owned()),
                ("flow.direction", if is_download { "downlink" } else { direction }.to_owned()),
                ("tcp.variant", variant.to_owned()),
                ("tcp.profile", profile.to_owned()),
                ("tcp.share_state", shares.to_owned()),
                ("radio.ues", ues.to_string()),
                ("flow.count", count.to_string()),
                ("flow.interval", format!("{ms} ms")),
                ("radio.tbler", format!("{percent} %")),
                ("seed", seed.to_string()),
            ];
            if name.starts_with("umts") {
                let compresses = (seed % 2 == 0).to_string();
                settings.push(("radio.pdcp.header_compression", compresses));
            }
            settings
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    #[test]
    fn apart_and_together_any_mobiles_have_the_same_results(settings in settings()) {
        let ((_, name), settings) = settings.split_first().expect("there are some");
        let settings: Vec<_> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let scenario = parse(name, &settings);
        prop_assert!(Part::all(&scenario).len() > 1);
        let together = results(run(&scenario, Recording::Everything, 1));
        let apart = results(run(&scenario, Recording::Series, 3));
        assert_same(&apart, &together, &(name, settings));
    }
}

#[test]
fn any_number_of_threads_has_the_same_results() {
    let scenario = parse(APART[0].0, APART[0].1);
    let one = results(run(&scenario, Recording::Series, 1));
    for threads in [2, 3, 64, usize::MAX] {
        assert_same(&one, &results(run(&scenario, Recording::Series, threads)), &threads);
    }
}

#[test]
fn mobiles_with_something_in_common_stay_together() {
    for (name, settings) in [
        ("umts-cell-50", &[] as &[_]),
        ("umts-384", &[("wired.Gi.rate", "1 Mbit/s")]),
        ("umts-384", &[("radio.ues", "1")]),
    ] {
        assert_eq!(Part::all(&parse(name, settings)).len(), 0, "{name} {settings:?}");
    }
}

#[test]
fn a_run_of_parts_can_be_interrupted() {
    let scenario = parse(APART[0].0, APART[0].1);
    for threads in [1, 2] {
        let mut pulses = 0;
        let mut pulse = |_| {
            pulses += 1;
            if pulses > 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let threads = Threads::new(threads).expect("there are some");
        let ended = simulate(&scenario, Recording::Series, threads, &mut pulse);
        assert_eq!(ended.expect_err("it was told to stop"), Unfinished::Interrupted);
    }
}
