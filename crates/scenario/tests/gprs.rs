//! `radio.kind = "gprs"`: what it makes of the keys, and which it refuses.

use base::{Duration, Rate, Time};
use radio::Radio;
use radio::gprs::{CodingScheme, Errors, GapKind};
use scenario::{Scenario, build, shipped};

fn parse(settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let text = shipped().iter().find(|shipped| shipped.name == "gprs-3+1").expect("it ships").text;
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    Scenario::parse(text, "gprs-3+1", &settings).map_err(|error| error.to_string())
}

fn config_of(scenario: &Scenario) -> radio::gprs::GprsConfig {
    let Some(Radio::Gprs { keys }) = &scenario.radio else { panic!("time slots") };
    keys.config(&scenario.radio_context(), "Um")
}

fn config(settings: &[(&str, &str)]) -> radio::gprs::GprsConfig {
    let scenario = parse(settings).expect("it is valid");
    config_of(&scenario)
}

#[test]
fn bad_input_is_one_line() {
    let check = |settings: &[(&str, &str)], expect: &str| {
        assert_eq!(parse(settings).expect_err("refused"), expect, "{settings:?}");
    };
    check(
        &[("radio.downlink.slots", "9")],
        "--set radio.downlink.slots=9: must be a whole number from 1 to 8",
    );
    check(
        &[("radio.gprs.coding_scheme", "cs-5")],
        "--set radio.gprs.coding_scheme=cs-5: must be cs-1, cs-2, cs-3, cs-4, mcs-1, mcs-2, mcs-3, \
         mcs-4, mcs-5, mcs-6, mcs-7, mcs-8 or mcs-9, or adaptive; did you mean cs-1?",
    );
    check(
        &[("radio.rlc.window", "64")],
        "--set radio.rlc.window=64: radio.rlc is for radio.kind = umts-dch, umts-cell, umts-hs \
         or nb-iot alone",
    );
    check(
        &[("radio.downlink.rate", "128 kbit/s")],
        "--set radio.downlink.rate=128 kbit/s: radio.downlink.rate is for radio.kind = \
         umts-dch, umts-cell, leo or geo alone",
    );
    check(&[("radio.ci", "12 dB")], "--set radio.ci=12 dB: give radio.tbler or radio.ci, not both");
    check(
        &[("radio.gprs.state", "bad")],
        "--set radio.gprs.state=bad: give radio.tbler or radio.gprs.state, not both",
    );
    check(
        &[("radio.gprs.tbf.access", "400 ms,150 ms")],
        "--set radio.gprs.tbf.access=400 ms,150 ms: the lower limit comes first",
    );
    check(
        &[("radio.resets", "50 s,20 s")],
        "--set radio.resets=50 s,20 s: expected a list of times in order, as in [\"50 s\", \
         \"2 min\"]",
    );
    check(
        &[("radio.outage.least", "50 s")],
        "--set radio.outage.least=50 s: radio.outage.least, 50 s, must not be above \
         radio.outage.most, 40 s",
    );
    check(&[("queue.kind", "red")], "--set queue.kind=red: queue.kind = red needs [link]");
    check(
        &[("queue.kind", "cake"), ("queue.cake.rate", "1 Mbit/s")],
        "--set queue.cake.rate=1 Mbit/s: a radio has no shaper: queue.cake.rate needs [link] or \
         [[wired]]",
    );
    check(
        &[("queue.per_flow", "true")],
        "--set queue.per_flow=true: the queue ahead of GPRS holds a mobile's flows together: \
         queue.per_flow must be false",
    );
}

#[test]
fn umts_has_no_time_slots() {
    let text = shipped().iter().find(|one| one.name == "umts-dch-384").expect("it ships").text;
    for key in ["radio.ci", "radio.downlink.slots", "radio.gprs.window"] {
        let value = if key == "radio.ci" { "12 dB" } else { "4" };
        let error = Scenario::parse(text, "umts", &[(key.to_owned(), value.to_owned())]);
        let error = error.expect_err("refused").to_string();
        assert!(error.ends_with("is for radio.kind = gprs alone"), "{error}");
    }
}

#[test]
fn windows_follow_the_standard() {
    let check = |scheme, expect| {
        let config = config(&[("radio.gprs.coding_scheme", scheme)]);
        assert_eq!(config.window(), expect, "{scheme}");
    };
    check("cs-2", 64);
    check("adaptive", 64);
    check("mcs-6", 448);
    assert_eq!(config(&[("radio.gprs.window", "32")]).window(), 32);
}

#[test]
fn gaps_come_in_order() {
    let config = config(&[
        ("radio.outages", "[[\"90 s\", \"100 s\"]]"),
        ("radio.reselections", "[{at = \"20 s\", lasts = \"3 s\"}]"),
        ("radio.resets", "95 s"),
    ]);
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let gaps: Vec<_> = config.gaps.iter().map(|gap| (gap.from, gap.to)).collect();
    assert_eq!(gaps, [(at(20), at(23)), (at(90), at(100)), (at(100), at(125))]);
    assert!(matches!(config.gaps[0].kind, GapKind::Reselection(_)));
    assert_eq!(config.gaps[2].kind, GapKind::Reset);
}

#[test]
fn random_outages_are_the_same_for_whoever_asks() {
    let scenario = parse(&[("radio.outage.every", "120 s")]).expect("it is valid");
    let (radio, context) =
        (scenario.radio.as_ref().expect("a radio").keys(), scenario.radio_context());
    let outages = radio.outages(&context, "Um");
    assert!(!outages.is_empty());
    let config = config_of(&scenario);
    let gaps: Vec<_> = config.gaps.iter().map(|gap| [gap.from, gap.to]).collect();
    assert_eq!(gaps, outages);
    assert_ne!(outages, radio.outages(&context, "Um-1"));
}

#[test]
fn shipped_scenarios_are_what_their_names_say() {
    let check = |name: &str, slots, scheme| {
        let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
        let scenario = Scenario::parse(text, name, &[]).expect("it is valid");
        let config = config_of(&scenario);
        assert_eq!(config.slots, [slots, 1], "{name}");
        assert_eq!(config.gprs.coding_scheme, Some(scheme), "{name}");
        assert!(matches!(config.errors, Errors::Constant(_)));
        let pause = Duration::from_secs(1);
        assert_eq!(config.gprs.tbf.coupling, Some(pause), "{name}");
    };
    check("gprs-3+1", 3, CodingScheme::Cs2);
    check("gprs-4+1", 4, CodingScheme::Cs2);
    check("gprs-8+1", 8, CodingScheme::Cs2);
    check("edge-4+1", 4, CodingScheme::Mcs6);
}

#[test]
fn throughput_is_compared_with_the_slots_of_its_direction() {
    let check = |direction, scheme, kbps| {
        let settings = [("flow.direction", direction), ("radio.gprs.coding_scheme", scheme)];
        let flows = build(&parse(&settings).expect("it is valid")).flows;
        assert_eq!(flows[0].bottleneck.map(Rate::as_bps), Some(kbps * 1000_u64), "{direction}");
    };
    // 30 B of payload in a block of 20 ms.
    check("downlink", "cs-2", 3 * 12);
    check("uplink", "cs-2", 12);
    // 50 B with CS-4, the fastest of those that follow the first one.
    check("downlink", "adaptive", 3 * 20);
}
