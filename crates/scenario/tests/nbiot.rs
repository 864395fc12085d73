//! `radio.kind = "nb-iot"`: what it makes of the keys, and which they refuse.

use radio::Radio;
use scenario::{Scenario, shipped};

use crate::shared_radio::{
    Refused, cells, each_refuses_in_one_line, is_refused, no_key_is_left_out, parse,
};

const NUMBER: &str = "must be a whole number from";
const TIME: &str = "a duration";

/// A value that each key refuses, and in which words.
const REFUSED: &[Refused] = &[
    ("radio.coupling_loss", "far", "must be a ratio in dB"),
    ("radio.coupling_losses", "[{coupling_loss='150 dB'}]", "at is missing"),
    ("radio.category", "m1", "must be nb1 or nb2"),
    ("radio.downlink.repetitions", "2049", "must be a whole number from 1 to 2048"),
    ("radio.downlink.bler", "101 %", "must be a probability"),
    ("radio.uplink.repetitions", "129", "must be a whole number from 1 to 128"),
    ("radio.uplink.tones", "2", "must be 3.75kHz, 1, 3, 6 or 12"),
    ("radio.uplink.bler", "-1", "must be a probability"),
    ("radio.npdcch.repetitions", "16", "must be at most radio.npdcch.max_repetitions, which is 2"),
    ("radio.npdcch.max_repetitions", "2049", "must be a whole number from 1 to 2048"),
    ("radio.npdcch.interval", "3", "must be 1.5, 2, 4, 8, 16, 32, 48 or 64"),
    ("radio.nprach.repetitions", "129", "must be a whole number from 1 to 128"),
    ("radio.nprach.period", "3 s", TIME),
    ("radio.nprach.format", "2", "must be 0 or 1"),
    ("radio.nprach.subcarriers", "49", "must be a whole number from 1 to 48"),
    ("radio.nprach.others", "1001", NUMBER),
    ("radio.nprach.contention_timer", "-1 s", TIME),
    ("radio.nprach.backoff", "1", TIME),
    ("radio.nprach.attempts", "0", "must be a whole number from 1 to 200"),
    ("radio.harq.repeats", "32", NUMBER),
    ("radio.rlc.poll_retransmit", "0 s", "must be above zero"),
    ("radio.rlc.max_retransmissions", "0", NUMBER),
    ("radio.rrc.synchronization", "-1 s", TIME),
    ("radio.rrc.exchanges", "0", NUMBER),
    ("radio.rrc.inactivity", "0 s", TIME),
    ("radio.rrc.retry", "0 s", TIME),
    ("radio.rrc.paging_cycle", "0 s", TIME),
    ("radio.edrx.cycle", "5 s", "must lie between radio.rrc.paging_cycle and radio.edrx.cycle"),
    ("radio.edrx.window", "2 s", "must lie between radio.rrc.paging_cycle and radio.edrx.cycle"),
    ("radio.psm.active", "54 min", "radio.psm.active must be less than radio.psm.update"),
    ("radio.psm.update", "0 s", TIME),
    ("radio.power.psm", "15", "W"),
    ("radio.power.idle", "x", "W"),
    ("radio.power.listen", "-1 W", "W"),
    ("radio.power.receive", "1", "W"),
    ("radio.power.transmit", "2000 W", "W"),
    ("radio.outages", "[['5 s', '3 s']]", "must end after it begins"),
    ("radio.fading.deviation", "-3 dB", "must be a deviation in dB, from 0"),
    ("radio.fading.period", "0 s", TIME),
    ("radio.ues", "50001", "must be a whole number from 0 to 50000"),
];

#[test]
fn each_key_refuses_in_one_line_what_it_cannot_be() {
    each_refuses_in_one_line("nb-iot", REFUSED);
}

#[test]
fn no_key_of_nb_iot_is_left_out() {
    no_key_is_left_out("nb-iot", REFUSED);
}

#[test]
fn bad_input_is_one_line() {
    let check = |settings: &[(&str, &str)], expect: &str| is_refused("nb-iot", settings, expect);
    check(&[("queue.kind", "red")], "--set queue.kind=red: queue.kind = red needs [link]");
    check(
        &[("queue.kind", "cake"), ("queue.cake.rate", "1 Mbit/s")],
        "--set queue.cake.rate=1 Mbit/s: a radio has no shaper: queue.cake.rate needs [link] or \
         [[wired]]",
    );
    check(
        &[("radio.npdcch.max_repetitions", "1"), ("radio.npdcch.interval", "1.5")],
        "--set radio.npdcch.max_repetitions=1: radio.npdcch.max_repetitions times \
         radio.npdcch.interval must be a whole number of subframes, 4 or more",
    );
    check(
        &[("radio.tbler", "1 %")],
        "--set radio.tbler=1 %: radio.tbler is for radio.kind = umts-dch, umts-cell or gprs alone",
    );
}

/// Mobiles of a list do not lose what sets them apart when their cell becomes a carrier.
#[test]
fn a_list_of_another_kind_is_refused() {
    let expect = "radio.ue.edge.downlink is for radio.kind = lte, nr or umts-hs alone";
    let settings = [("radio.kind".to_owned(), "nb-iot".to_owned())];
    let cell = shipped().iter().find(|shipped| shipped.name == "lte-edge-and-centre");
    let error = Scenario::parse(cell.expect("it is").text, "cell", &settings).unwrap_err();
    assert!(error.to_string().ends_with(expect), "{error}");
}

/// The coupling loss makes the level, and with it the rates to compare with.
#[test]
fn a_level_follows_from_the_coupling_loss() {
    let rate = |name| {
        let scenario = parse(name, &[]).expect("it is valid");
        let radio = scenario.radio.as_ref().expect("a radio");
        radio.keys().bottlenecks(&scenario.radio_context(), 0)[0].as_bps()
    };
    let rates = ["nb-iot", "nb-iot-1", "nb-iot-2"].map(rate);
    assert!(rates.is_sorted_by(|one, other| one > other), "{rates:?}");
    assert!((10_000..27_200).contains(&rates[0]) && rates[2] > 300, "{rates:?}");
}

/// Mobiles share a carrier.
#[test]
fn mobiles_share_a_carrier() {
    let three = parse("nb-iot", &[("radio.ues", "3"), ("flow.count", "3")]).expect("it is valid");
    let Some(Radio::NbIot { keys }) = &three.radio else { panic!("no NB-IoT: {:?}", three.radio) };
    assert_eq!(keys.config(&three.radio_context()).ues.len(), 3);
    assert_eq!(cells(&three), 1);
}
