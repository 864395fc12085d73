//! Careful resume (RFC 9959) through real endpoints: two transfers over a geostationary satellite,
//! and what became of the path in between.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

const VARIANTS: [&str; 11] = [
    "reno", "newreno", "sack", "fack", "cubic", "vegas", "westwood", "bbr", "dctcp", "prague",
    "copa",
];
const BETWEEN: f64 = 60.0;

fn run(variant: &str, settings: &[(&str, &str)]) -> Outcome {
    let usual = [
        ("tcp.profile", "modern"),
        ("tcp.variant", variant),
        ("tcp.ecn", "accurate"),
        ("tcp.window", "20000"),
        ("flow.bytes", "2 MB"),
        ("flow.count", "2"),
        ("flow.interval", "60 s"),
        ("duration", "150 s"),
    ];
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "satellite-geo");
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = usual.iter().chain(settings).map(owned).collect();
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse(text, "x", &settings).expect("the settings are valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// Seconds that both transfers took, and timeouts of the second.
fn seconds(variant: &str, settings: &[(&str, &str)]) -> ([f64; 2], u64) {
    let flows = run(variant, settings).summary.flows;
    let took = |nth: usize| {
        let end = flows[nth].completed_s.unwrap_or(f64::INFINITY);
        end - BETWEEN * nth as f64
    };
    ([took(0), took(1)], flows[1].timeouts)
}

#[test]
fn a_first_connection_is_as_without() {
    for variant in VARIANTS {
        let first = |share| {
            let own = [("tcp.share_state", share), ("link.loss", "1 %"), ("flow.count", "1")];
            run(variant, &own).summary
        };
        assert_eq!(first("careful").flows, first("off").flows, "{variant}");
        assert_eq!(first("careful").links, first("off").links, "{variant}");
    }
}

/// §1.4 of the RFC: half of the time for 5.3 MB, where slow start takes 9 s. Here slow start needs
/// five round trips for 2 MB, and the jump leaves two of them out.
#[test]
fn the_second_transfer_takes_fewer_round_trips() {
    for variant in VARIANTS {
        let ([first, second], timeouts) = seconds(variant, &[("tcp.share_state", "careful")]);
        let rounds = (first - second) / 0.558;
        assert!(rounds > 2.0 && timeouts == 0, "{variant}: {rounds} of {first} s");
    }
}

/// A tenth of the rate, with a queue of as many seconds: what was saved is five times too much.
#[test]
fn a_path_that_became_a_tenth_is_no_collapse() {
    let narrow = "[{at = \"50 s\", rate = \"2 Mbit/s\"}]";
    for variant in VARIANTS {
        for queue in ["140 kB", "1395 kB"] {
            let second = |share| {
                let path = [("link.schedule", narrow), ("queue.bytes", queue)];
                let ([_, second], timeouts) =
                    seconds(variant, &[&path[..], &[("tcp.share_state", share)]].concat());
                (second, timeouts)
            };
            let ((off, before), (careful, timeouts)) = (second("off"), second("careful"));
            let name = format!("{variant}, {queue}: {careful} and {off} s, {timeouts}");
            assert!(careful < 1.15 * off && timeouts <= before, "{name}");
        }
    }
}

/// A longer path, or a much shorter one, is another (§4.2.1); so is one after five minutes.
#[test]
fn another_path_is_begun_as_any() {
    let second = |share, settings: &[(&str, &str)]| {
        let own = [&[("tcp.share_state", share)], settings].concat();
        seconds("cubic", &own).0[1]
    };
    let check = |settings: &[(&str, &str)], is_used: bool| {
        let (off, careful) = (second("off", settings), second("careful", settings));
        assert_eq!(careful < off, is_used, "{settings:?}: {careful} and {off} s");
        assert!(is_used || careful.to_bits() == off.to_bits(), "{settings:?}");
    };
    check(&[("link.schedule", "[{at = \"50 s\", delay = \"500 ms\"}]")], true);
    check(&[("link.schedule", "[{at = \"50 s\", delay = \"6 s\"}]")], false);
    check(&[("tcp.resume_lifetime", "61 s")], true);
    check(&[("tcp.resume_lifetime", "50 s")], false);
}

/// One connection at a time may use what was saved (§4.2).
#[test]
fn what_was_saved_is_used_by_one_at_a_time() {
    let ends = |count: &str, interval: &str, settings: &[(&str, &str)]| -> Vec<f64> {
        let flows = [("flow.count", count), ("flow.interval", interval)];
        let own = [&flows[..], &[("tcp.share_state", "careful")], settings].concat();
        let flows = run("sack", &own).summary.flows;
        let took = |flow: &sim::FlowSummary| Some(flow.completed_s? - flow.started_s?);
        flows.iter().map(|flow| took(flow).expect("it ends")).collect()
    };
    let took = ends("3", "20 s", &[]);
    assert!(took[1] < took[0] - 1.0 && took[2] < took[0] - 1.0, "one after the other: {took:?}");
    // Each takes some four seconds from the start: the second begins beside the first, the third
    // after it, and the fourth beside the third.
    let took = ends("4", "3 s", &[("flow.bytes", "1 MB")]);
    let resumes = [false, false, true, false];
    assert_eq!([0, 1, 2, 3].map(|nth| took[nth] < took[0] - 1.0), resumes, "{took:?}");
}
