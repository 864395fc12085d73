//! `radio.kind = "lte"`: what it makes of the keys, and which they refuse.

use radio::Radio;
use scenario::{Scenario, build};

use crate::shared_radio::{
    Refused, cells, each_refuses_in_one_line, is_refused, no_key_is_left_out, parse,
};

const NUMBER: &str = "must be a whole number from";
const TIME: &str = "a duration";

/// A value that each key refuses, and in which words.
const REFUSED: &[Refused] = &[
    ("radio.downlink.snr", "loud", "must be a ratio in dB"),
    ("radio.downlink.snrs", "[{at='2 s'}]", "snr is missing"),
    ("radio.downlink.mcs", "29", NUMBER),
    ("radio.downlink.trace", "none.csv", "cannot read none.csv"),
    ("radio.downlink.bler", "101 %", "must be a probability"),
    ("radio.uplink.snr", "1001", "must be a ratio in dB"),
    ("radio.uplink.snrs", "[{snr=5}]", "at is missing"),
    ("radio.uplink.mcs", "best", NUMBER),
    ("radio.uplink.headroom", "much", "must be a ratio in dB"),
    ("radio.uplink.trace", "none.csv", "cannot read none.csv"),
    ("radio.uplink.bler", "-1", "must be a probability"),
    ("radio.lte.category", "5", "must be 1, 2, 3, 4 or m1"),
    ("radio.lte.duplex", "both", "must be full or half"),
    ("radio.lte.repetitions", "0", "must be a whole number from 1 to 2048"),
    ("radio.lte.resource_blocks", "5", "must be a whole number from 6 to 100"),
    ("radio.lte.request_period", "10", TIME),
    ("radio.lte.grant_delay", "50 ms", TIME),
    ("radio.lte.first_grant", "1 B", "must be a"),
    ("radio.lte.discard", "0 s", "must be above zero"),
    ("radio.lte.report_period", "0 s", TIME),
    ("radio.lte.report_age", "-1 ms", TIME),
    ("radio.harq.processes", "0", "must be a whole number from 1 to 32"),
    ("radio.harq.repeats", "32", NUMBER),
    ("radio.harq.round_trip", "64", "must be a whole number from 1 to 63"),
    ("radio.harq.decoding", "8", "radio.harq.decoding must be less than radio.harq.round_trip"),
    ("radio.lte.rlc.mode", "ack", "must be am, um or tm"),
    ("radio.lte.rlc.poll_pdus", "0", NUMBER),
    ("radio.lte.rlc.poll_bytes", "many", "not a size"),
    ("radio.lte.rlc.poll_retransmit", "0 s", "must be above zero"),
    ("radio.lte.rlc.max_retransmissions", "0", NUMBER),
    ("radio.lte.rlc.reordering", "0 s", "must be above zero"),
    ("radio.lte.rlc.status_prohibit", "-1 s", TIME),
    ("radio.lte.rlc.window", "0", NUMBER),
    ("radio.background", "100 %", "must be a share from 0 % to below 100 %"),
    ("radio.scheduler.policy", "fair", "must be round-robin, max-ci or proportional-fair"),
    ("radio.scheduler.memory", "0", NUMBER),
    ("radio.drx.inactivity", "0 s", TIME),
    ("radio.drx.short_cycle", "0 s", TIME),
    ("radio.drx.short_for", "x", TIME),
    ("radio.drx.long_cycle", "0 s", TIME),
    ("radio.drx.on", "0 s", TIME),
    ("radio.rrc.promotion", "260", TIME),
    ("radio.rrc.tail", "0 s", TIME),
    ("radio.rrc.paging_cycle", "0 s", TIME),
    ("radio.edrx.cycle", "5 s", "must lie between radio.rrc.paging_cycle and radio.edrx.cycle"),
    ("radio.edrx.window", "1 s", "must lie between radio.rrc.paging_cycle and radio.edrx.cycle"),
    ("radio.psm.active", "54 min", "radio.psm.active must be less than radio.psm.update"),
    ("radio.psm.update", "0 s", TIME),
    ("radio.power.psm", "15", "W"),
    ("radio.power.idle", "20", "W"),
    ("radio.power.promotion", "x", "W"),
    ("radio.power.active", "-1 W", "W"),
    ("radio.power.tail", "1", "W"),
    ("radio.power.downlink", "52", "nJ/bit"),
    ("radio.power.uplink", "x", "nJ/bit"),
    ("radio.handover.every", "0 s", TIME),
    ("radio.handover.gap", "20 s", "radio.handover.gap must be less than radio.handover.every"),
    ("radio.handover.at", "['2 s', '1 s']", "a list of times in order"),
    ("radio.handover.spread", "-1 s", TIME),
    ("radio.handover.forwarding", "some", "expected true or false"),
    ("radio.outages", "[['5 s', '3 s']]", "must end after it begins"),
    ("radio.fading.deviation", "-3 dB", "must be a deviation in dB, from 0"),
    ("radio.fading.period", "0 s", TIME),
    ("radio.ues", "50001", "must be a whole number from 0 to 50000"),
];

#[test]
fn each_key_refuses_in_one_line_what_it_cannot_be() {
    each_refuses_in_one_line("lte-cat4", REFUSED);
}

#[test]
fn no_key_of_lte_is_left_out() {
    no_key_is_left_out("lte", REFUSED);
}

#[test]
fn bad_input_is_one_line() {
    let check = |settings: &[(&str, &str)], expect: &str| is_refused("lte-cat4", settings, expect);
    check(&[("queue.kind", "red")], "--set queue.kind=red: queue.kind = red needs [link]");
    check(
        &[("queue.kind", "cake"), ("queue.cake.rate", "1 Mbit/s")],
        "--set queue.cake.rate=1 Mbit/s: a radio has no shaper: queue.cake.rate needs [link] or \
         [[wired]]",
    );
    check(
        &[("radio.lte.grant_delay", "8 ms")],
        "--set radio.lte.grant_delay=8 ms: radio.lte.grant_delay must be shorter than \
         radio.harq.round_trip, so that a repeat is known before others are granted its place",
    );
    is_refused(
        "lte-m-half",
        &[("radio.drx.on", "9 ms")],
        "--set radio.drx.on=9 ms: radio.drx.on must be at least 10 ms, the time in which a mobile \
         in half duplex receives and sends once",
    );
    check(
        &[("radio.tbler", "1 %")],
        "--set radio.tbler=1 %: radio.tbler is for radio.kind = umts-dch, umts-cell or gprs alone",
    );
}

/// A mobile that is always connected neither listens for pages nor saves power.
#[test]
fn without_connections_that_end_there_is_no_sleep() {
    let file = "[radio]\nkind = \"lte\"\n[radio.psm]\n";
    let error = Scenario::parse(file, "file", &[]).expect_err("it needs radio.rrc");
    assert_eq!(error.to_string(), "file:3: radio.psm: does nothing without [radio.rrc]");
    is_refused(
        "lte-cat4",
        &[("radio.inactive.resume", "15 ms")],
        "--set radio.inactive.resume=15 ms: radio.inactive is for radio.kind = nr alone",
    );
}

/// A journey is of a mobile alone, past a site at least.
#[test]
fn a_journey_needs_a_site_and_a_mobile_alone() {
    is_refused(
        "lte",
        &[("radio.journey.speed", "5 m/s")],
        "--set radio.journey.speed=5 m/s: radio.journey needs a [[radio.site]]",
    );
    is_refused(
        "lte-between-cells",
        &[("radio.journey.speed", "0 m/s")],
        "--set radio.journey.speed=0 m/s: radio.journey.speed must be above 0 m/s",
    );
    is_refused(
        "lte-between-cells",
        &[("radio.journey.to", "100 m,0 m")],
        "--set radio.journey.to=100 m,0 m: radio.journey.from and radio.journey.to must be two \
         places",
    );
    is_refused(
        "lte-between-cells",
        &[("radio.uplink.snrs", "[{at='5 s',snr='3 dB'}]")],
        "--set radio.uplink.snrs=[{at='5 s',snr='3 dB'}]: radio.journey says how the ratio \
         changes: radio.uplink.snrs and radio.uplink.trace must be left out",
    );
    let scenario = parse("lte-between-cells", &[]).expect("it ships");
    assert_eq!(scenario.live_keys(), [], "nor can the ratio be changed while it runs");
    is_refused(
        "lte-between-cells",
        &[("radio.ues", "2")],
        "--set radio.ues=2: radio.journey is of a mobile alone, which is none of [[radio.ue]]: \
         radio.ues must be 0 or 1",
    );
}

/// A journey says when the mobile moves, by an event that can be set up, and how often it measures.
#[test]
fn a_journey_is_such_as_events_are() {
    let scenario = "lte-between-cells";
    let refused = [
        ("decade", "-30 dB", "must be above 0 dB"),
        ("hysteresis", "-1 dB", "must be 0 to 15 dB"),
        ("offset", "16 dB", "must be -15 to 15 dB"),
    ];
    for (key, value, reason) in refused {
        let key = format!("radio.journey.{key}");
        let message = format!("--set {key}={value}: {key} {reason}");
        is_refused(scenario, &[(&key, value)], &message);
    }
    is_refused(
        scenario,
        &[("radio.journey.measures", "1 ms"), ("duration", "300 s")],
        "--set radio.journey.measures=1 ms: radio.journey.measures makes 300000 measurements of \
         the run, at most 200000 are possible: measure less often, or end the run earlier",
    );
    is_refused(
        scenario,
        &[("radio.handover.at", "['5 s']")],
        "--set radio.handover.at=['5 s']: radio.journey says when the mobile goes to another \
         cell: radio.handover.every, radio.handover.at and radio.handover.spread must be left out",
    );
    parse(scenario, &[("radio.handover.gap", "25 s")]).expect("its times do not count");
}

/// What is listed has a name of its own, and sites are for a journey.
#[test]
fn what_is_listed_is_told_apart() {
    let refused = |text: &str| {
        let text = format!("[radio]\nkind = \"lte\"\n{text}");
        Scenario::parse(&text, "mine.toml", &[])
    };
    let list = |table: &str, lines: [&str; 2]| {
        lines.map(|line| format!("[[radio.{table}]]\n{line}\n")).concat()
    };
    let named = |table: &str, name: &str| list(table, [&format!("name = \"{name}\""); 2]);
    for (text, message) in [
        (list("bearer", ["dscp = 4", "dscp = 5"]), "every [[radio.bearer]] needs a name"),
        (named("bearer", "a"), "two [[radio.bearer]] have the name a"),
        (list("site", [""; 2]) + "[radio.journey]\n", "every [[radio.site]] needs a name"),
        (named("site", "w") + "[radio.journey]\n", "two [[radio.site]] have the name w"),
        (named("ue", "u"), "two [[radio.ue]] have the name u"),
        (list("site", ["name = \"w\"", "name = \"e\""]), "[[radio.site]] needs [radio.journey]"),
    ] {
        let fault = refused(&text).expect_err(&text).to_string();
        assert!(fault.contains(message), "{fault}");
    }
}

/// A setting is of what the scenario lists.
#[test]
fn a_setting_of_what_is_not_listed_says_so() {
    for (key, list) in [("bearer.x.dscp", "bearer"), ("site.x.position", "site")] {
        let key = format!("radio.{key}");
        let message =
            format!("--set {key}=4: no [[radio.{list}]] of that name: the scenario lists none");
        is_refused("lte-cat4", &[(&key, "4")], &message);
    }
}

/// A code point has one bearer, and a mobile as many as one of LTE can have.
#[test]
fn bearers_are_told_apart() {
    let listed = |bearers: &[(usize, u8)]| {
        let one = |(number, dscp): &(usize, u8)| {
            format!("[[radio.bearer]]\nname = \"b{number}\"\ndscp = {dscp}\n")
        };
        let bearers: String = bearers.iter().map(one).collect();
        let file = format!("[radio]\nkind = \"lte\"\n{bearers}");
        Scenario::parse(&file, "file", &[]).map_err(|error| error.to_string())
    };
    let seven: Vec<_> = (0..7).map(|number| (number, number as u8)).collect();
    assert!(listed(&seven).is_ok());
    let error = listed(&[(0, 7), (1, 46), (2, 7)]).expect_err("alike");
    let words = "radio.bearer.b0.dscp and radio.bearer.b2.dscp are both 7";
    assert!(error.ends_with(words), "{error}");
    let eight: Vec<_> = (0..8).map(|number| (number, number as u8)).collect();
    let error = listed(&eight).expect_err("too many");
    assert!(error.ends_with("radio.bearer lists 8, at most 7 are possible"), "{error}");
}

/// Mobiles share a cell; one alone may have flows with hosts of their own.
#[test]
fn mobiles_share_a_cell() {
    let three = parse("lte-cat1", &[("radio.ues", "3"), ("flow.count", "3")]).expect("it is valid");
    let Some(Radio::Lte { keys }) = &three.radio else { panic!("no LTE: {:?}", three.radio) };
    assert_eq!(keys.config(&three.radio_context()).ues.len(), 3);
    assert_eq!(cells(&three), 1);
    for hosts in ["own", "shared"] {
        parse("lte-cat1", &[("flow.hosts", hosts)]).expect("it is valid");
    }
    let error =
        parse("lte-cat1", &[("radio.ues", "3"), ("flow.hosts", "own")]).expect_err("shared");
    assert!(error.contains("flow.hosts must be shared"), "{error}");
}

/// Throughput is compared with the direction of the flow: category 4 carries 150 Mbit/s down and
/// 51 up at most. Fading around a ratio that is hardly enough leaves more than the mean says.
#[test]
fn each_direction_has_its_own_rate() {
    let rate = |settings: &[(&str, &str)]| {
        let best = [("radio.fading.deviation", "0 dB"), ("radio.downlink.snr", "40 dB")];
        let settings: Vec<_> = best.iter().chain(settings).copied().collect();
        let scenario = parse("lte-cat4", &settings).expect("it is valid");
        build(&scenario).flows[0].bottleneck.expect("a radio has a rate").as_bps()
    };
    assert_eq!(rate(&[]), 149_776_000);
    assert_eq!(rate(&[("flow.direction", "uplink"), ("radio.uplink.snr", "40 dB")]), 51_024_000);
    let weak = ("radio.downlink.snr", "-5 dB");
    assert!(rate(&[weak, ("radio.fading.deviation", "8 dB")]) > 2 * rate(&[weak]));
}
