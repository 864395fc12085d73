//! Two, ten and a hundred flows of each variant on one bottleneck, in integers: how they share it,
//! how well they fill it and what that costs.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Outcome, Recording, simulate};

const MILLION: u128 = 1_000_000;
const RATE_BPS: u128 = 10_000_000;
const SECONDS: u128 = 30;
const MSS: u64 = 512;
const HEADERS: u64 = 40;
/// Waiting or being sent.
const QUEUE: u64 = 50;

/// `flows` of `variant` over 10 Mbit/s and 20 ms, which begin 10 ms after each other.
fn run(variant: &str, flows: u64) -> Outcome {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "dumbbell-100");
    let settings = [
        ("tcp.variant", variant),
        ("tcp.window", "128"),
        ("flow.count", &flows.to_string()),
        ("flow.interval", "10 ms"),
        ("link.rate", &format!("{RATE_BPS} bit/s")),
        ("queue.packets", &QUEUE.to_string()),
        ("duration", &format!("{SECONDS} s")),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse(text, "dumbbell-100", &settings).expect("valid");
    simulate(&scenario, Recording::Nothing, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// Jain's index (Σx)² / (n Σx²) of what the flows were acknowledged, in millionths.
fn jain(shares: &[u64]) -> u128 {
    let sum: u128 = shares.iter().map(|&share| u128::from(share)).sum();
    let squares: u128 = shares.iter().map(|&share| u128::from(share).pow(2)).sum();
    sum * sum * MILLION / (shares.len() as u128 * squares)
}

/// What arrived and was acknowledged, headers included, of what the link could carry, in
/// millionths.
fn utilisation(shares: &[u64]) -> u128 {
    let bytes: u64 = shares.iter().map(|share| share / MSS * (MSS + HEADERS)).sum();
    u128::from(bytes) * 8 * MILLION / (RATE_BPS * SECONDS)
}

/// Jain's index, utilisation and drops.
fn check(variant: &str, flows: u64, expect: [u128; 3]) {
    let outcome = run(variant, flows);
    let summary = &outcome.summary;
    let shares: Vec<u64> = summary.flows.iter().map(|flow| flow.bytes_acked).collect();
    let sent: u64 = summary.flows.iter().map(|flow| flow.segments_sent).sum();
    let repeated: u64 = summary.flows.iter().map(|flow| flow.retransmits).sum();
    let acked: u64 = shares.iter().map(|share| share / MSS).sum();
    let down = &summary.links[0];
    let found = [jain(&shares), utilisation(&shares), u128::from(down.drops)];
    assert_eq!(found, expect, "{variant}, {flows} flows");

    let name = format!("{variant}, {flows} flows");
    // Each flow also sends a SYN and an acknowledgement of the other side's.
    assert_eq!(down.packets_offered, sent + 2 * flows, "{name}: what is sent comes to the link");
    let inside = down.packets_offered - down.packets_delivered - down.drops;
    let flight = (RATE_BPS / 50 / 8) as u64 / (MSS + HEADERS) + 1;
    assert!(inside <= QUEUE + flight, "{name}: {inside} packets are neither here nor there");
    assert!(acked <= sent - repeated, "{name}: acknowledged unsent");
    assert!(repeated >= down.drops.saturating_sub(128 * flows), "{name}: drops unrepaired");
    assert!(
        found[0] * u128::from(flows) >= MILLION && found[0] <= MILLION,
        "{name}: Jain's bounds"
    );
    assert!(found[1] <= MILLION, "{name}: more than the link carries");
}
