//! Scalable congestion controls between a real queue and a real receiver, beside numbers that do
//! not come from their code.

use std::ops::ControlFlow;

use base::Ecn;
use observe::PacketEvent;
use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

const SECONDS: f64 = 60.0;

/// One flow of `variant` for a minute over 20 Mbit/s, whose queue marks with a probability that
/// rises from 0 at 10 packets by 1/190 a packet.
fn run(variant: &str, delay: &str, settings: &[(&str, &str)]) -> Outcome {
    run_recording(Recording::Series, variant, delay, settings)
}

fn run_recording(
    recording: Recording,
    variant: &str,
    delay: &str,
    settings: &[(&str, &str)],
) -> Outcome {
    let usual = [
        ("duration", "60 s"),
        ("flow.segments", "1000000"),
        ("link.rate", "20 Mbit/s"),
        ("link.delay", delay),
        ("queue.packets", "500"),
        ("queue.kind", "red"),
        ("queue.ecn", "true"),
        ("queue.red.weight", "1"),
        ("queue.red.min_threshold", "10"),
        ("queue.red.max_threshold", "200"),
        ("queue.red.max_probability", "100 %"),
        ("queue.red.gentle", "false"),
        ("tcp.variant", variant),
        ("tcp.ecn", "accurate"),
        ("tcp.growth", "bytes"),
        ("tcp.mss", "1448 B"),
        ("tcp.window", "2000"),
        ("tcp.initial_ssthresh", "10"),
    ];
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "bottleneck");
    let settings: Vec<_> = usual
        .iter()
        .chain(settings)
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    let text = shipped.expect("the scenario ships").text;
    let scenario = Scenario::parse(text, "bottleneck", &settings).expect("the settings are valid");
    simulate(&scenario, recording, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// What grows by a segment in each round trip and gives up half of the share of marks balances at
/// two marks in each, at any rate and round trip: W · p = 2 (RFC 9332 §2.1).
#[test]
fn there_are_about_two_marks_in_each_round_trip() {
    for variant in ["dctcp", "prague"] {
        for delay in ["5 ms", "20 ms", "40 ms"] {
            let outcome = run(variant, delay, &[]);
            let flow = &outcome.summary.flows[0];
            let marks: u64 = outcome.summary.links.iter().map(|link| link.marks).sum();
            let rtt = flow.rtt_s.mean.expect("it was measured");
            let each = marks as f64 * rtt / SECONDS;
            assert!((1.5..2.5).contains(&each), "{variant}, {delay}: {each} marks");
            assert_eq!((flow.retransmits, flow.timeouts), (0, 0), "{variant}, {delay}");
        }
    }
}

/// Waiting for a pace that is the window's is no lack of data: where only a window grows that is
/// used (RFC 7661), that of a sender with data grows as well.
#[test]
fn a_paced_window_counts_as_used() {
    for variant in ["dctcp", "prague"] {
        let outcome = run(variant, "20 ms", &[("tcp.cwnd_validation", "true")]);
        let share = outcome.summary.flows[0].normalized_throughput.expect("it has a share");
        assert!(share > 0.9, "{variant}: {share}");
    }
}

/// What captures are written from: data leave as ECT(1), and arrive so or, as often as the queue
/// says, with CE; nothing else is ECN-capable.
#[test]
fn traces_have_the_codepoints() {
    let settings = [("duration", "5 s")];
    for (variant, codepoint) in [("prague", Ecn::L4s), ("dctcp", Ecn::Capable)] {
        let outcome = run_recording(Recording::Everything, variant, "5 ms", &settings);
        let trace = outcome.trace.as_ref().expect("it is recorded");
        let count = |event, ecn, has_data: bool| {
            let rows = trace.segments.iter();
            let is_it = |row: &&sim::SegmentRow| {
                (row.event, row.ecn, row.payload > 0) == (event, ecn, has_data)
            };
            rows.filter(is_it).count() as u64
        };
        let marks: u64 = outcome.summary.links.iter().map(|link| link.marks).sum();
        let inside = outcome.summary.flows[0].segments_sent
            - count(PacketEvent::Arrived, codepoint, true)
            - count(PacketEvent::Arrived, Ecn::Experienced, true);
        let arrived = count(PacketEvent::Arrived, Ecn::Experienced, true);
        assert!(arrived > 0 && arrived <= marks && marks <= arrived + inside, "{variant}");
        let [departed, arrived] = [PacketEvent::Departed, PacketEvent::Arrived];
        for (event, ecn, has_data) in [
            (departed, Ecn::NotCapable, true),
            (departed, Ecn::Experienced, true),
            (arrived, Ecn::NotCapable, true),
            (departed, codepoint, false),
            (arrived, Ecn::Experienced, false),
        ] {
            assert_eq!(count(event, ecn, has_data), 0, "{variant} {event:?} {ecn:?}");
        }
    }
}

/// With losses on the path, which are rarer than marks would be, both are Reno:
/// W = √(3/2p) segments on average (Mathis, Semke, Mahdavi and Ott 1997).
#[test]
fn losses_leave_the_window_that_renos_equation_says() {
    for variant in ["dctcp", "prague"] {
        for (loss, p) in [("0.1 %", 0.001), ("0.4 %", 0.004)] {
            let settings = [("link.loss", loss), ("tcp.recovery", "rack")];
            let outcome = run(variant, "20 ms", &settings);
            let flow = &outcome.summary.flows[0];
            let window = flow.cwnd_segments.mean.expect("it was measured");
            let expect = (1.5_f64 / p).sqrt();
            let error = window / expect - 1.0;
            assert!(error.abs() < 0.15, "{variant}, {loss}: {window}, not {expect}");
        }
    }
}
