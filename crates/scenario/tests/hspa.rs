//! `radio.kind = "umts-hs"`: what it makes of the keys, and which they refuse.

use radio::Radio;

use crate::shared_radio::{
    Refused, cells, each_refuses_in_one_line, is_refused, no_key_is_left_out, parse,
};

const NUMBER: &str = "must be a whole number from";
const TIME: &str = "a duration";

/// A value that each key refuses, and in which words.
const REFUSED: &[Refused] = &[
    ("radio.downlink.snr", "loud", "must be a ratio in dB"),
    ("radio.downlink.snrs", "[{at='2 s'}]", "snr is missing"),
    ("radio.downlink.trace", "none.csv", "cannot read none.csv"),
    ("radio.downlink.bler", "101 %", "must be a probability"),
    ("radio.uplink.rate", "30 kbit/s", "radio.uplink.rate must be at least 36 kbit/s"),
    ("radio.uplink.tti", "20 ms", "must be 2 ms or 10 ms"),
    ("radio.uplink.bler", "-1", "must be a probability"),
    ("radio.uplink.transmissions", "0", "must be a whole number from 1 to 16"),
    ("radio.hs.category", "9", "must be 6, 8 or 10"),
    ("radio.hs.cqi_period", "1 ms", TIME),
    ("radio.hs.cqi_age", "-1 ms", TIME),
    ("radio.hs.reordering", "1 ms", TIME),
    ("radio.hs.processes", "9", "must be a whole number from 1 to 8"),
    ("radio.hs.transmissions", "17", "must be a whole number from 1 to 16"),
    ("radio.hs.round_trip", "6 ms", TIME),
    ("radio.iub.delay", "6", TIME),
    ("radio.iub.period", "0 s", TIME),
    ("radio.iub.target", "0 s", TIME),
    ("radio.scheduler.policy", "fair", "must be round-robin, max-ci or proportional-fair"),
    ("radio.scheduler.memory", "0", NUMBER),
    ("radio.rlc.mode", "um", "umts-hs needs radio.rlc.mode = am"),
    ("radio.rlc.arq", "next-expected", "radio.rlc.arq = selective-repeat"),
    ("radio.rlc.pdu_payload", "1000 B", "no block of category 6 carries such a PDU"),
    ("radio.rlc.header", "17 B", "must be a size"),
    ("radio.rlc.window", "0", NUMBER),
    ("radio.rlc.concatenation", "some", "expected true or false"),
    ("radio.rlc.in_order", "some", "expected true or false"),
    ("radio.rlc.max_retransmissions", "-1", NUMBER),
    ("radio.rlc.on_limit", "stop", "must be reset or discard"),
    ("radio.rlc.discard_timer", "0 s", "must be above zero"),
    ("radio.rlc.recovery_timeout", "0 s", "must be above zero"),
    ("radio.rlc.retransmissions_first", "some", "expected true or false"),
    ("radio.rlc.poll.last_in_buffer", "some", "expected true or false"),
    ("radio.rlc.poll.last_in_retransmission_buffer", "some", "expected true or false"),
    ("radio.rlc.poll.every_pdus", "0", NUMBER),
    ("radio.rlc.poll.every_sdus", "0", NUMBER),
    ("radio.rlc.poll.window_utilization", "2", "must be"),
    ("radio.rlc.poll.timer", "0 s", "must be above zero"),
    ("radio.rlc.poll.prohibit", "0 s", "must be above zero"),
    ("radio.rlc.status.missing", "some", "expected true or false"),
    ("radio.rlc.status.periodic", "0 s", "must be above zero"),
    ("radio.rlc.status.prohibit", "0 s", "must be above zero"),
    ("radio.rlc.status.estimated_pdu_counter", "0 s", "must be above zero"),
    ("radio.rlc.reset.timer", "0 s", "must be above zero"),
    ("radio.rlc.reset.max", "0", NUMBER),
    ("radio.rlc.move_window.timer", "0 s", "must be above zero"),
    ("radio.rlc.move_window.max", "0", NUMBER),
    ("radio.pdcp.header_bytes", "4 B", "must be a size from 0 B to 3 B"),
    ("radio.pdcp.header_compression", "some", "expected true or false"),
    ("radio.power.cell_dch", "1", "W"),
    ("radio.power.downlink", "52", "nJ/bit"),
    ("radio.power.uplink", "x", "nJ/bit"),
    ("radio.outages", "[['5 s', '3 s']]", "must end after it begins"),
    ("radio.fading.deviation", "-3 dB", "must be a deviation in dB, from 0"),
    ("radio.fading.period", "0 s", TIME),
    ("radio.ues", "50001", "must be a whole number from 0 to 50000"),
];

#[test]
fn each_key_refuses_in_one_line_what_it_cannot_be() {
    each_refuses_in_one_line("hsdpa-3.6", REFUSED);
}

#[test]
fn no_key_of_hsdpa_is_left_out() {
    no_key_is_left_out("umts-hs", REFUSED);
}

#[test]
fn bad_input_is_one_line() {
    let check = |settings: &[(&str, &str)], expect: &str| is_refused("hsdpa-3.6", settings, expect);
    check(&[("queue.kind", "red")], "--set queue.kind=red: queue.kind = red needs [link]");
    check(
        &[("queue.kind", "cake"), ("queue.cake.rate", "1 Mbit/s")],
        "--set queue.cake.rate=1 Mbit/s: a radio has no shaper: queue.cake.rate needs [link] or \
         [[wired]]",
    );
    check(
        &[("radio.uplink.tti", "2 ms"), ("radio.uplink.rate", "150 kbit/s")],
        "--set radio.uplink.rate=150 kbit/s: radio.uplink.rate must be at least 180 kbit/s for a \
         PDU in each TTI",
    );
    check(
        &[("radio.tbler", "1 %")],
        "--set radio.tbler=1 %: radio.tbler is for radio.kind = umts-dch, umts-cell or gprs alone",
    );
}

/// Mobiles share a cell; one alone may have flows with hosts of their own.
#[test]
fn mobiles_share_a_cell() {
    let ten = parse("hsdpa-10", &[]).expect("it is valid");
    let Some(Radio::UmtsHs { keys }) = &ten.radio else { panic!("no HSDPA: {:?}", ten.radio) };
    assert_eq!(keys.config(&ten.radio_context()).ues.len(), 10);
    assert_eq!(cells(&ten), 1);
    for hosts in ["own", "shared"] {
        parse("hsdpa-3.6", &[("flow.hosts", hosts)]).expect("it is valid");
    }
}

/// Link control has timers for its longer loop; what throughput is compared with is the largest
/// block that the radio allows.
#[test]
fn defaults_are_those_of_a_fast_channel() {
    let plain = parse("umts-hs", &[]).expect("it is valid");
    let Some(Radio::UmtsHs { keys }) = &plain.radio else { panic!("no HSDPA") };
    let config = keys.config(&plain.radio_context());
    assert_eq!((config.formats.most(), config.grant), (21, 11));
    assert_eq!(config.timings.map(|timing| timing.round_trip), [6, 20]);
    assert_eq!(
        plain
            .radio
            .as_ref()
            .map(|radio| radio.keys().bottlenecks(&plain.radio_context(), 0)[0].as_bps()),
        Some(3_360_000)
    );
}
