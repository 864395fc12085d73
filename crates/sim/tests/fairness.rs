//! Two, ten and a hundred flows of each variant on one bottleneck, in integers: how they share it,
//! how well they fill it and what that costs.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

const MILLION: u128 = 1_000_000;
const RATE_BPS: u128 = 10_000_000;
const SECONDS: u128 = 30;
const MSS: u64 = 512;
const WINDOW: u64 = 128;
const HEADERS: u64 = 40;
/// Waiting or being sent.
const QUEUE: u64 = 50;

/// `flows` of `variant` over 10 Mbit/s and 20 ms, which begin 10 ms after each other.
fn run(variant: &str, flows: u64) -> Outcome {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "dumbbell-100");
    let settings = [
        ("tcp.variant", variant),
        ("tcp.window", &WINDOW.to_string()),
        ("flow.count", &flows.to_string()),
        ("flow.interval", "10 ms"),
        ("link.rate", &format!("{RATE_BPS} bit/s")),
        ("queue.packets", &QUEUE.to_string()),
        ("duration", &format!("{SECONDS} s")),
    ]
    .map(|(key, value)| (key.to_owned(), value.to_owned()));
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse(text, "dumbbell-100", &settings).expect("valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
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
    assert!(acked <= sent - repeated, "{name}: acknowledged unsent");
    let unacknowledged = sent - repeated - acked;
    assert!(unacknowledged <= WINDOW * flows, "{name}: {unacknowledged} segments in flight");
    assert!(acked + down.drops <= sent + 2 * flows, "{name}: neither dropped nor delivered");
    assert!(down.drops <= repeated + unacknowledged + 2 * flows, "{name}: drops unrepaired");
    assert!(u64::from(down.queue_packets.max) <= QUEUE, "{name}: the queue's limit");
    assert!(
        found[0] * u128::from(flows) >= MILLION && found[0] <= MILLION,
        "{name}: Jain's bounds"
    );
    assert!(found[1] <= MILLION, "{name}: more than the link carries");
}

#[test]
fn tahoe() {
    check("tahoe", 2, [999_778, 878_945, 115]);
    check("tahoe", 10, [999_908, 872_012, 632]);
    check("tahoe", 100, [827_634, 987_093, 8392]);
}

#[test]
fn reno() {
    check("reno", 2, [999_852, 911_536, 115]);
    check("reno", 10, [999_785, 925_637, 671]);
    check("reno", 100, [805_741, 970_828, 7038]);
}

#[test]
fn newreno() {
    check("newreno", 2, [999_886, 917_188, 117]);
    check("newreno", 10, [999_798, 959_184, 689]);
    check("newreno", 100, [866_457, 991_024, 7898]);
}

#[test]
fn sack() {
    check("sack", 2, [999_746, 956_019, 119]);
    check("sack", 10, [999_635, 964_410, 699]);
    check("sack", 100, [811_554, 991_848, 9097]);
}

#[test]
fn fack() {
    check("fack", 2, [999_825, 956_225, 119]);
    check("fack", 10, [999_627, 963_939, 692]);
    check("fack", 100, [804_708, 991_362, 8585]);
}

#[test]
fn vegas() {
    check("vegas", 2, [989_119, 981_191, 0]);
    check("vegas", 10, [868_514, 991_082, 36]);
    check("vegas", 100, [589_023, 991_951, 14_225]);
}

#[test]
fn westwood() {
    check("westwood", 2, [999_999, 925_475, 123]);
    check("westwood", 10, [993_951, 973_404, 770]);
    check("westwood", 100, [803_930, 990_611, 7594]);
}

#[test]
fn cubic() {
    check("cubic", 2, [998_846, 985_886, 142]);
    check("cubic", 10, [987_528, 992_466, 746]);
    check("cubic", 100, [634_389, 986_593, 7234]);
}

#[test]
fn bbr() {
    check("bbr", 2, [996_613, 971_755, 194]);
    check("bbr", 10, [989_939, 978_850, 2491]);
    check("bbr", 100, [960_244, 992_275, 30_101]);
}
