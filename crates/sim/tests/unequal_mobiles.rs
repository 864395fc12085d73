//! Mobiles of a cell whose radio is not that of the others.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Outcome, Recording, Threads, simulate};

fn scenario(text: &str, settings: &[(&str, &str)]) -> Scenario {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    Scenario::parse(text, "unequal", &settings).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn run(text: &str, settings: &[(&str, &str)]) -> Outcome {
    simulate(&scenario(text, settings), Recording::Everything, Threads::MIN, &mut |_| {
        ControlFlow::Continue(())
    })
    .expect("nothing interrupts it")
}

pub(crate) fn shipped(name: &str) -> &'static str {
    scenario::shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

/// All that is told of a run.
fn told(outcome: &Outcome) -> String {
    format!("{:#?}\n{:?}", outcome.summary, outcome.metrics.flows())
}

fn assert_same(one: &str, other: &str, what: &str) {
    let mut lines = one.lines().zip(other.lines());
    assert_eq!(lines.find(|(line, other)| line != other), None, "{what}");
    assert_eq!(one.len(), other.len(), "{what}");
}

/// The kinds whose mobiles may differ, each with a scenario.
const KINDS: [&str; 4] = ["lte-cat4", "nr-tdd-100", "hsdpa-3.6", "nb-iot"];

#[test]
fn mobiles_that_say_nothing_of_their_own_are_as_those_that_are_counted() {
    for name in KINDS {
        let settings = [("duration", "6 s"), ("flow.count", "3")];
        let counted = run(shipped(name), &[("radio.ues", "3"), settings[0], settings[1]]);
        let listed = format!("{}\n[[radio.ue]]\nname = 'UE'\ncount = 3\n", shipped(name));
        assert_same(&told(&run(&listed, &settings)), &told(&counted), name);
    }
}

#[test]
fn a_radio_of_its_own_is_as_that_of_the_cell() {
    let fading = "fading.deviation = '6 dB'\n";
    let cases = [
        ("lte-cat4", "downlink.snr = '3 dB'\n", ("radio.downlink.snr", "3 dB")),
        ("lte-cat4", "uplink.bler = '20 %'\n", ("radio.uplink.bler", "20 %")),
        ("nr-tdd-100", fading, ("radio.fading.deviation", "6 dB")),
        ("hsdpa-3.6", "downlink.snr = '1 dB'\n", ("radio.downlink.snr", "1 dB")),
        ("nb-iot", "coupling_loss = '160 dB'\n", ("radio.coupling_loss", "160 dB")),
    ];
    for (name, own, of_cell) in cases {
        let duration = ("duration", "6 s");
        let all = [of_cell, duration];
        let alone = format!("{}\n[[radio.ue]]\nname = 'UE'\n{own}", shipped(name));
        let expect = told(&run(shipped(name), &all));
        assert_same(&told(&run(&alone, &[duration])), &expect, own);
        assert_ne!(expect, told(&run(shipped(name), &[duration])), "{name} does not heed {own}");
    }
}

/// Those of the cell with steps and a level of its own do not follow the steps of the others.
#[test]
fn a_ratio_of_its_own_takes_the_place_of_all_steps() {
    let steps = ("radio.downlink.snrs", "[{at = '1 s', snr = '0 dB'}]");
    let text = |own: &str| format!("{}\n[[radio.ue]]\nname = 'UE'\n{own}", shipped("lte-cat4"));
    let with = |own, settings: &[(&str, &str)]| {
        let all: Vec<_> = settings.iter().copied().chain([("duration", "3 s")]).collect();
        told(&run(&text(own), &all))
    };
    assert_same(&with("downlink.snr = '15 dB'", &[steps]), &with("", &[]), "one for all the run");
    let own = "downlink.snrs = [{at = '1 s', snr = '0 dB'}]";
    assert_same(&with(own, &[]), &with("", &[steps]), "steps from the others' ratio");
}

/// ns-3.37 with its `LteHelper`, 5 MHz (24 of 25 resource blocks, of which its groups of two make
/// use), one layer, no fading and no block in error; UDP of 1,000 B, 20 Mbit/s offered to each of
/// two mobiles with MCS 18 and 8: Mbit/s of the far and the near one.
const NS3: [(&str, [f64; 2]); 3] =
    [("proportional-fair", [1.56, 3.86]), ("round-robin", [1.59, 3.73]), ("max-ci", [0.0, 7.47])];

#[test]
fn unequal_mobiles_share_as_in_ns_3() {
    let text = "
        duration = '10 s'
        seed = 1
        [radio]
        kind = 'lte'
        [radio.lte]
        category = '1'
        resource_blocks = 24
        [radio.downlink]
        bler = '0 %'
        [[radio.ue]]
        name = 'far'
        downlink.snr = '2 dB'
        [[radio.ue]]
        name = 'near'
        downlink.snr = '9 dB'
        [queue]
        packets = 'unlimited'
        bytes = '100 kB'
        [flow]
        name = 'far'
        mobiles = 'far'
        application = 'udp'
        udp.rate = '20 Mbit/s'
        udp.payload = '1000 B'
        [[flow.group]]
        name = 'near'
        mobiles = 'near'
        application = 'udp'
        udp.rate = '20 Mbit/s'
        udp.payload = '1000 B'
        [[wired]]
        name = 'core'
        between = ['host', 'eNB']
    ";
    for (policy, expect) in NS3 {
        let outcome = run(text, &[("radio.scheduler.policy", policy)]);
        for (flow, expect) in outcome.summary.flows.iter().zip(expect) {
            let mbps = flow.goodput_bps.unwrap_or(0.0) / 1e6;
            let is_near = (mbps - expect).abs() <= 0.05 * expect + 0.01;
            assert!(is_near, "{policy}, {}: {mbps} Mbit/s, ns-3 {expect}", flow.group);
        }
    }
}

#[test]
fn flows_go_to_the_mobiles_that_their_group_names() {
    let text = format!(
        "{}\n[[radio.ue]]\nname = 'near'\ncount = 2\n[[radio.ue]]\nname = 'far'\n\
         downlink.snr = '0 dB'\n[[flow.group]]\nname = 'others'\nmobiles = 'near'\ncount = 4\n",
        shipped("lte-cat4")
    );
    let outcome = run(&text, &[("radio.ues", "1"), ("flow.mobiles", "far"), ("duration", "3 s")]);
    let names: Vec<_> = outcome.summary.mobiles.iter().map(|mobile| &*mobile.name).collect();
    assert_eq!(names, ["near-0", "near-1", "far", "UE-3"]);
    let used: Vec<_> = outcome.summary.mobiles.iter().map(|it| it.per_megabyte_j).collect();
    let delivers = used.iter().map(Option::is_some).collect::<Vec<_>>();
    assert_eq!(delivers, [true, true, true, false]);
}

/// Each mobile is held against what its own radio carries.
#[test]
fn throughput_is_compared_with_the_rate_of_the_flow_s_mobile() {
    let built = scenario::build(&scenario(shipped("lte-edge-and-centre"), &[]));
    let rates: Vec<_> = built.flows.iter().map(|flow| flow.bottleneck).collect();
    let alone = |snr| {
        let settings =
            [("radio.lte.resource_blocks", "50"), ("radio.downlink.snr", snr), ("duration", "9 s")];
        scenario::build(&scenario(shipped("lte-cat4"), &settings)).flows[0].bottleneck
    };
    assert_eq!(rates, [alone("2 dB"), alone("20 dB")]);
}

#[test]
fn a_list_that_makes_no_sense_is_refused_in_one_line() {
    let refused = |more: &str, settings: &[(&str, &str)], name| {
        let text = format!("{}\n{more}", shipped(name));
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(owned).collect();
        let error = Scenario::parse(&text, "unequal", &settings).expect_err(more).to_string();
        assert!(!error.contains('\n'), "{error}");
        error
    };
    let one = "[[radio.ue]]\nname = 'edge'\n";
    for (more, settings, name, expect) in [
        (one, &[("flow.mobiles", "centre")][..], "lte-cat4", "those are called edge"),
        ("", &[("flow.mobiles", "edge")], "lte-cat4", "there are none"),
        ("[[radio.ue]]\nname = 'all'\n", &[], "lte-cat4", "stands for every mobile"),
        (
            one,
            &[("flow.mobiles", "edge"), ("flow.direction", "between-mobiles"), ("radio.ues", "3")],
            "lte-cat4",
            "flow.mobiles = edge is one",
        ),
        ("[[radio.ue]]\ncount = 2\n", &[], "lte-cat4", "needs a name"),
        (&format!("{one}{one}"), &[], "lte-cat4", "edge"),
        ("[[radio.ue]]\nname = 'eNB'\n", &[], "lte-cat4", "eNB"),
        (one, &[("radio.ue.edge.count", "0")], "nr-tdd-100", "whole number from 1"),
        (one, &[("radio.ue.edge.uplink.snr", "3 dB")], "hsdpa-3.6", "radio.ue.edge.uplink.bler"),
        (one, &[("radio.ue.edge.coupling_loss", "far")], "nb-iot", "ratio in dB"),
        (one, &[("radio.ue.edge.downlink.snr", "3 dB")], "nb-iot", "radio.ue.edge.downlink.snr"),
    ] {
        let error = refused(more, settings, name);
        assert!(error.contains(expect), "{more} {settings:?}: {error}");
    }
}
