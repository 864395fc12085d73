//! Golden runs, in integers: whatever changes the course of a run shows here first.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

fn run(name: &str, settings: &[(&str, &str)]) -> Outcome {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == name);
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let text = shipped.expect("the scenario ships").text;
    let scenario = Scenario::parse(text, name, &settings).expect("the settings are valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// Segments sent, bytes acknowledged, retransmissions, time-outs, fast retransmits.
fn flow(outcome: &Outcome, index: usize) -> [u64; 5] {
    let flow = &outcome.summary.flows[index];
    [flow.segments_sent, flow.bytes_acked, flow.retransmits, flow.timeouts, flow.fast_retransmits]
}

/// Blocks sent, in error, sent again; status reports.
fn blocks(outcome: &Outcome) -> [u64; 4] {
    let radio = outcome.summary.radio.expect("the scenario has a radio").total;
    [radio.blocks_sent, radio.blocks_in_error, radio.retransmitted_blocks, radio.status_pdus]
}

#[test]
fn reno_over_an_error_free_dedicated_channel() {
    let outcome = run("umts-dch-384", &[("duration", "100 s")]);
    assert_eq!(flow(&outcome, 0), [8568, 4_354_048, 0, 0, 0]);
    assert_eq!(blocks(&outcome), [133_169, 0, 1, 1725]);
    assert_eq!(outcome.summary.events, 61_209);
}

#[test]
fn vegas_over_a_bad_dedicated_channel() {
    let settings = [("duration", "300 s"), ("tcp.variant", "vegas"), ("radio.tbler", "30 %")];
    let outcome = run("umts-dch-384", &settings);
    assert_eq!(flow(&outcome, 0), [1215, 617_472, 7, 3, 0]);
    assert_eq!(blocks(&outcome), [33_613, 10_036, 9676, 4782]);
    assert_eq!(outcome.summary.flows[0].spurious_timeouts, 3);
}

#[test]
fn reno_over_a_plain_link() {
    let outcome = run("plain-384", &[("duration", "100 s")]);
    assert_eq!(flow(&outcome, 0), [8718, 4_430_848, 0, 0, 0]);
}

#[test]
fn a_hundred_flows_share_a_link() {
    let outcome = run("dumbbell-100", &[("duration", "5 s")]);
    let total = |index: usize| (0..100).map(|id| flow(&outcome, id)[index]).sum::<u64>();
    assert_eq!([0, 1, 2, 3, 4].map(total), [84_875, 41_959_936, 1943, 118, 1034]);
    let bottleneck = &outcome.summary.links[0];
    assert_eq!((bottleneck.drops, bottleneck.queue_packets.max), (1541, 100));
}

#[test]
fn a_transfer_that_ends_completes_and_leaves_nothing_to_do() {
    let settings = [("flow.bytes", "100 kB"), ("radio.tbler", "10 %")];
    let outcome = run("umts-dch-384", &settings);
    let flow = &outcome.summary.flows[0];
    assert_eq!(flow.bytes_acked, 100_000);
    let completed = flow.completed_s.expect("it ends");
    let elapsed = completed - flow.started_s.expect("it began");
    let goodput = flow.goodput_bps.expect("it took time");
    assert!((goodput * elapsed - 800_000.0).abs() < 1.0, "{goodput} bit/s for {elapsed} s");
    assert_eq!(outcome.summary.events, 1512);
}

/// Rates that fall and rise, a black-out, a delay spike and a hard handover.
#[test]
fn reno_over_a_channel_that_changes() {
    let schedule = "[{at = '20 s', rate = '120 kbit/s'}, {at = '40 s', sf = 64, tbler = '10 %'}, \
                    {at = '60 s', coverage = false}, {at = '65 s', coverage = true, sf = 8}]";
    let settings = [
        ("duration", "100 s"),
        ("radio.downlink.sf", "16"),
        ("radio.schedule", schedule),
        ("radio.spikes", "[{at = '10 s', lasts = '3 s'}]"),
        ("radio.handovers", "[{at = '80 s', gap = '300 ms'}]"),
        ("queue.bytes", "20 kB"),
        ("queue.per_flow", "true"),
    ];
    let outcome = run("umts-dch-384", &settings);
    assert_eq!(flow(&outcome, 0), [4265, 2_097_152, 123, 5, 3]);
    assert_eq!(blocks(&outcome), [72_729, 5670, 5600, 2158]);
}
