//! What a simulation costs at least: `cargo bench -p benches --bench bound`.
//!
//! Each work is done twice: by thinpipe, and by a loop that was written for this one work and does
//! no more than has to be done for each segment and each TTI. How many times as long thinpipe takes
//! is what generality and measurements cost. Both have to deliver the same number of segments,
//! within 1 %.
//!
//! The loops leave out: all that can be configured, recorded or measured; losses, block errors and
//! what repairs them (none happens here, but thinpipe looks for them); the handshake, headers and
//! routes; an agenda of any number of machines. Of RLC they keep the bytes of PDUs with their
//! length indicators, the window and the room that status reports take, but no state of single
//! PDUs; of TCP slow start and congestion avoidance, one timed segment per window, the timeout
//! that follows, and the receiver's count of what came in order.

#[path = "bound/tcp.rs"]
mod tcp;
#[path = "bound/umts.rs"]
mod umts;
#[path = "bound/wired.rs"]
mod wired;

use std::hint::black_box;
use std::ops::ControlFlow;

use divan::Bencher;
use scenario::Scenario;
use sim::{Recording, Threads, simulate};

/// Payload bytes of a segment in both works.
const MSS: u64 = 512;

/// Of both works, in simulated seconds.
const DURATION_S: u64 = 1000;

fn main() {
    for (name, bound) in
        [("umts-dch-384", umts::run(DURATION_S)), ("plain-384", wired::run(DURATION_S))]
    {
        let thinpipe = segments(&parse(name));
        let apart = bound.abs_diff(thinpipe) as f64 / thinpipe as f64;
        assert!(apart < 0.01, "{name}: {bound} segments by the bare loop, {thinpipe} by thinpipe");
    }
    divan::main();
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn umts_thinpipe(bencher: Bencher<'_, '_>) {
    let scenario = parse("umts-dch-384");
    bencher.bench(|| segments(&scenario));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn umts_bare(bencher: Bencher<'_, '_>) {
    bencher.bench(|| umts::run(black_box(DURATION_S)));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn wired_thinpipe(bencher: Bencher<'_, '_>) {
    let scenario = parse("plain-384");
    bencher.bench(|| segments(&scenario));
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn wired_bare(bencher: Bencher<'_, '_>) {
    bencher.bench(|| wired::run(black_box(DURATION_S)));
}

fn parse(name: &str) -> Scenario {
    let text = scenario::shipped().iter().find(|shipped| shipped.name == name).expect("it ships");
    let settings = [
        ("duration".to_owned(), format!("{DURATION_S} s")),
        ("tcp.mss".to_owned(), format!("{MSS} B")),
    ];
    Scenario::parse(text.text, name, &settings).unwrap_or_else(|error| panic!("{error}"))
}

/// How many segments are acknowledged in a run.
fn segments(scenario: &Scenario) -> u64 {
    let outcome =
        simulate(scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()));
    outcome.expect("nothing interrupts it").summary.flows[0].bytes_acked / MSS
}
