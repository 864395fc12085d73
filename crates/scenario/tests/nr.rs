//! `radio.kind = "nr"`: what it makes of the keys, and which they refuse.

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
    ("radio.downlink.mcs", "28", "radio.downlink.mcs must be at most 27 of this mcs_table"),
    ("radio.downlink.trace", "none.csv", "cannot read none.csv"),
    ("radio.downlink.bler", "101 %", "must be a probability"),
    ("radio.downlink.mcs_table", "16qam", "must be 64qam or 256qam"),
    ("radio.downlink.layers", "9", "must be a whole number from 1 to 8"),
    ("radio.uplink.snr", "1001", "must be a ratio in dB"),
    ("radio.uplink.snrs", "[{snr=5}]", "at is missing"),
    ("radio.uplink.mcs", "best", NUMBER),
    ("radio.uplink.headroom", "much", "must be a ratio in dB"),
    ("radio.uplink.trace", "none.csv", "cannot read none.csv"),
    ("radio.uplink.bler", "-1", "must be a probability"),
    ("radio.uplink.mcs_table", "qpsk", "must be 64qam or 256qam"),
    ("radio.uplink.layers", "5", "radio.uplink.layers must be at most 4"),
    ("radio.nr.spacing", "45 kHz", "must be 15 kHz, 30 kHz, 60 kHz or 120 kHz"),
    ("radio.nr.resource_blocks", "10", "must be a whole number from 11 to 275"),
    ("radio.nr.tdd.pattern", "DDX", "must be 1 to 40 letters D, S and U, as in DDDSU"),
    ("radio.nr.tdd.special_downlink", "13", "are more than 14 symbols"),
    ("radio.nr.tdd.special_uplink", "15", NUMBER),
    ("radio.nr.control_symbols", "4", NUMBER),
    ("radio.nr.dmrs", "73", NUMBER),
    ("radio.nr.overhead", "19", NUMBER),
    ("radio.nr.request_period", "10", TIME),
    ("radio.nr.grant_delay", "0", "must be a whole number from 1 to 20"),
    ("radio.nr.first_grant", "1 B", "must be a"),
    ("radio.nr.report_period", "0 s", TIME),
    ("radio.nr.report_age", "-1 ms", TIME),
    ("radio.harq.processes", "0", "must be a whole number from 1 to 32"),
    ("radio.harq.repeats", "32", NUMBER),
    ("radio.harq.feedback", "0", NUMBER),
    ("radio.harq.decoding", "3", "radio.harq.decoding must not be more than radio.harq.feedback"),
    ("radio.nr.rlc.mode", "tm", "must be am or um"),
    ("radio.nr.rlc.poll_pdus", "0", NUMBER),
    ("radio.nr.rlc.poll_bytes", "many", "not a size"),
    ("radio.nr.rlc.poll_retransmit", "0 s", "must be above zero"),
    ("radio.nr.rlc.max_retransmissions", "0", NUMBER),
    ("radio.nr.rlc.reassembly", "0 s", "must be above zero"),
    ("radio.nr.rlc.status_prohibit", "-1 s", TIME),
    ("radio.nr.rlc.window", "0", NUMBER),
    ("radio.nr.pdcp.reordering", "0 s", "must be above zero"),
    ("radio.nr.pdcp.discard", "0 s", "must be above zero"),
    ("radio.background", "100 %", "must be a share from 0 % to below 100 %"),
    ("radio.scheduler.policy", "fair", "must be round-robin, max-ci or proportional-fair"),
    ("radio.scheduler.memory", "0", NUMBER),
    ("radio.drx.inactivity", "0 s", TIME),
    ("radio.drx.short_cycle", "0 s", TIME),
    ("radio.drx.short_for", "x", TIME),
    ("radio.drx.long_cycle", "0 s", TIME),
    ("radio.drx.on", "2 ms", "must not be less than the period of radio.nr.tdd.pattern"),
    ("radio.rrc.promotion", "260", TIME),
    ("radio.rrc.tail", "0 s", TIME),
    ("radio.rrc.paging_cycle", "0 s", TIME),
    ("radio.edrx.cycle", "5 s", "must lie between radio.rrc.paging_cycle and radio.edrx.cycle"),
    ("radio.edrx.window", "1 s", "must lie between radio.rrc.paging_cycle and radio.edrx.cycle"),
    ("radio.psm.active", "54 min", "radio.psm.active must be less than radio.psm.update"),
    ("radio.psm.update", "0 s", TIME),
    ("radio.inactive.resume", "15", TIME),
    ("radio.inactive.paging_cycle", "0 s", TIME),
    ("radio.inactive.release", "0 s", TIME),
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
    ("radio.blockage.clear", "0 s", TIME),
    ("radio.blockage.blocked", "0 s", TIME),
    ("radio.blockage.loss", "-1 dB", "radio.blockage.loss must not be less than 0 dB"),
    ("radio.blockage.transition", "-1 s", TIME),
    ("radio.ues", "50001", "must be a whole number from 0 to 50000"),
];

#[test]
fn each_key_refuses_in_one_line_what_it_cannot_be() {
    each_refuses_in_one_line("nr-tdd-100", REFUSED);
}

#[test]
fn no_key_of_nr_is_left_out() {
    no_key_is_left_out("nr", REFUSED);
}

#[test]
fn bad_input_is_one_line() {
    let check =
        |settings: &[(&str, &str)], expect: &str| is_refused("nr-tdd-100", settings, expect);
    check(&[("queue.kind", "red")], "--set queue.kind=red: queue.kind = red needs [link]");
    check(
        &[("queue.kind", "cake"), ("queue.cake.rate", "1 Mbit/s")],
        "--set queue.cake.rate=1 Mbit/s: a radio has no shaper: queue.cake.rate needs [link] or \
         [[wired]]",
    );
    check(
        &[("radio.bearer.edge.dscp", "46"), ("radio.nr.pdcp.reordering", "off")],
        "--set radio.nr.pdcp.reordering=off: radio.nr.pdcp.reordering = off needs \
         radio.bearer.edge.mode = am: what is lost would be waited for without end",
    );
    check(
        &[("radio.nr.tdd.pattern", "DDD")],
        "--set radio.nr.tdd.pattern=DDD: radio.nr.tdd.pattern must have slots of both directions \
         that carry blocks",
    );
    check(
        &[("radio.nr.tdd.pattern", "DDS"), ("radio.nr.tdd.special_uplink", "1")],
        "--set radio.nr.tdd.pattern=DDS: radio.nr.tdd.pattern must have slots of both directions \
         that carry blocks",
    );
    check(
        &[("radio.nr.rlc.mode", "um"), ("radio.nr.pdcp.reordering", "off")],
        "--set radio.nr.pdcp.reordering=off: radio.nr.pdcp.reordering = off needs \
         radio.nr.rlc.mode = am: what is lost would be waited for without end",
    );
}

/// Each scenario is of NR, and its mobiles share a cell.
#[test]
fn mobiles_share_a_cell() {
    for name in ["nr-tdd-100", "nr-mmwave-blockage"] {
        let three = parse(name, &[("radio.ues", "3"), ("flow.count", "3")]).expect("it is valid");
        let Some(Radio::Nr { keys }) = &three.radio else { panic!("no NR: {:?}", three.radio) };
        assert_eq!(keys.config(&three.radio_context()).ues.len(), 3);
        assert_eq!(cells(&three), 1);
    }
}

/// What a file says for LTE and NR alike stays when the kind is set.
#[test]
fn lte_becomes_nr() {
    let settings = [("radio.kind", "nr"), ("radio.harq.processes", "4")];
    let nr = parse("lte-cat4", &settings).expect("it is valid");
    let Some(Radio::Nr { keys }) = &nr.radio else { panic!("no NR: {:?}", nr.radio) };
    assert_eq!((keys.harq.processes, keys.harq.feedback), (4, 2));
    assert!(keys.mobiles.fading.is_some() && keys.station.rrc.is_some());
}
