//! What errors and other users leave of a radio.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

type Settings<'a> = &'a [(&'a str, &'a str)];

fn run(name: &str, settings: &[Settings<'_>]) -> Outcome {
    let text = scenario::shipped().iter().find(|shipped| shipped.name == name);
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().copied().flatten().map(owned).collect();
    let scenario = Scenario::parse(text.expect("it ships").text, name, &settings);
    let scenario = scenario.unwrap_or_else(|error| panic!("{name}: {error}"));
    simulate(&scenario, Recording::Everything, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

fn goodput(outcome: &Outcome) -> f64 {
    outcome.summary.flows[0].goodput_bps.expect("something arrives")
}

const UDP: Settings<'_> = &[("flow.application", "udp"), ("flow.udp.payload", "472 B")];

/// A radio of each kind that takes an error rate, with more to send than it carries, and the key.
/// The window of GPRS, 64 blocks, stalls from 10 % on; here it does not.
const KINDS: [(&str, &str, Settings<'_>); 7] = [
    (
        "lte-cat4",
        "radio.downlink.bler",
        &[
            ("flow.udp.rate", "60 Mbit/s"),
            ("radio.lte.resource_blocks", "50"),
            ("queue.bytes", "500 kB"),
            ("duration", "4 s"),
        ],
    ),
    (
        "nr-tdd-100",
        "radio.downlink.bler",
        &[
            ("flow.udp.rate", "90 Mbit/s"),
            ("radio.nr.resource_blocks", "51"),
            ("queue.bytes", "600 kB"),
            ("duration", "3 s"),
        ],
    ),
    ("lte-m", "radio.downlink.bler", &[("flow.udp.rate", "3 Mbit/s"), ("duration", "20 s")]),
    (
        "nb-iot",
        "radio.uplink.bler",
        &[
            ("flow.udp.rate", "60 kbit/s"),
            ("flow.direction", "uplink"),
            ("flow.bytes", "unlimited"),
            ("duration", "300 s"),
        ],
    ),
    ("hsdpa-3.6", "radio.downlink.bler", &[("flow.udp.rate", "6 Mbit/s"), ("duration", "10 s")]),
    ("umts-384", "radio.tbler", &[("flow.udp.rate", "600 kbit/s"), ("duration", "30 s")]),
    (
        "gprs-3+1",
        "radio.tbler",
        &[
            ("flow.udp.rate", "60 kbit/s"),
            ("radio.gprs.window", "1024"),
            ("radio.gprs.poll_blocks", "8"),
            ("duration", "120 s"),
        ],
    ),
];

/// Link adaptation does not learn from errors that a key draws: no rate of them is a cliff. What is
/// carried is what arrives of the blocks on the air, repeats among them.
#[test]
fn what_is_carried_falls_as_the_share_of_blocks_that_arrive() {
    for (name, key, settings) in KINDS {
        let carried = |rate| {
            let outcome = run(name, &[UDP, settings, &[(key, rate)]]);
            let radio = outcome.summary.radio.as_ref().expect("a radio");
            let is_up = key.contains("uplink");
            let blocks = if is_up { &radio.uplink } else { &radio.downlink };
            let err = blocks.blocks_in_error as f64 / blocks.blocks_sent as f64;
            goodput(&outcome) / (1.0 - err)
        };
        let first = carried("1 %");
        for rate in ["9 %", "11 %", "30 %", "50 %"] {
            let share = carried(rate) / first;
            assert!((share - 1.0).abs() < 0.05, "{name} at {rate}: {share}");
        }
    }
}

#[test]
fn other_users_take_their_part_of_a_cell() {
    // One mobile of LTE-M does not fill its cell: a block has 1000 bits at most.
    for (name, _, settings) in &KINDS[..2] {
        let with = |part| {
            let outcome = run(name, &[UDP, settings, &[("radio.background", part)]]);
            (goodput(&outcome), outcome.summary.flows[0].normalized_throughput)
        };
        let (alone, of_alone) = with("0 %");
        for (part, left) in [("50 %", 0.5), ("90 %", 0.1)] {
            let (shared, of_left) = with(part);
            let share = shared / alone;
            assert!((share - left).abs() < 0.03, "{name} beside {part}: {share}");
            let [one, other] = [of_alone, of_left].map(|share| share.expect("there is a rate"));
            assert!((one - other).abs() < 0.1, "{name}: compared with what is left: {other}");
        }
    }
}

/// One packet each 20 ms, which begins with the run, meets occasions at any phase.
#[test]
fn requests_of_a_mobile_have_a_phase_of_their_own() {
    let delays: Vec<_> = (1..=20)
        .map(|seed: u32| {
            let settings = [
                ("flow.direction", "uplink"),
                ("flow.udp.rate", "12.8 kbit/s"),
                ("flow.udp.payload", "32 B"),
                ("duration", "3 s"),
                ("seed", &*seed.to_string()),
            ];
            let outcome = run("lte-cat4", &[UDP, &settings]);
            outcome.summary.flows[0].network.delay_s.p50.expect("packets arrive")
        })
        .collect();
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    let least = delays.iter().copied().fold(f64::INFINITY, f64::min);
    let most = delays.iter().copied().fold(0.0, f64::max);
    // Occasions are 10 ms apart.
    assert!((0.006..0.010).contains(&(most - least)), "{delays:?}");
    assert!((mean - f64::midpoint(least, most)).abs() < 0.003, "{delays:?}");
}
