//! Every kind of fault, with the whole line that answers it.

use scenario::{Scenario, keys};

const UMTS: &str = include_str!("../../../scenarios/umts-dch-384.toml");
const PLAIN: &str = include_str!("../../../scenarios/plain-384.toml");

fn in_file(source: &str, expect: &str) {
    let error = Scenario::parse(source, "mine.toml", &[]).expect_err(source);
    assert_eq!(error.to_string(), format!("mine.toml{expect}"), "{source}");
}

fn in_settings(source: &str, settings: &[(&str, &str)], expect: &str) {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let owned: Vec<_> = settings.iter().map(owned).collect();
    let error = Scenario::parse(source, "mine.toml", &owned).expect_err(expect);
    assert_eq!(error.to_string(), expect, "{settings:?}");
}

fn in_setting(setting: (&str, &str), expect: &str) {
    in_settings(UMTS, &[setting], &format!("--set {}={}: {expect}", setting.0, setting.1));
}

#[test]
fn text_that_is_not_toml() {
    in_file("seed = ", ":1: not TOML: string values must be quoted, expected literal string");
    in_file("seed = 1\n\nseed = 2", ":3: seed: not TOML: duplicate key");
    in_file("[tcp\nmss = 1", ":1: not TOML: unclosed table, expected `]`");
    let quotes = ":3: not TOML: string values must be quoted, expected literal string";
    in_file("\n\ntcp.mss = 512 B", quotes);
}

#[test]
fn unknown_keys() {
    in_file("tcp.windw = 3", ":1: tcp.windw: unknown key; did you mean tcp.window?");
    in_file("\n[radoi]\ntbler = 0", ":2: radoi: unknown key; did you mean radio?");
    in_file("tbler = 0", ":1: tbler: unknown key; did you mean radio.tbler?");
    in_file(
        "[[wired]]\nname = \"Gi\"\ndely = \"1 s\"",
        ":3: wired.Gi.dely: unknown key; did you mean wired.Gi.delay?",
    );
    in_setting(("tcp.windw", "3"), "unknown key; did you mean tcp.window?");
    in_setting(("radio.rlc.pol.timer", "3 s"), "unknown key; did you mean radio.rlc.poll.timer?");
    in_setting(("wired.Gi.dely", "3 ms"), "unknown key; did you mean wired.Gi.delay?");
    in_setting(("wired.Gj.delay", "3 ms"), "no [[wired]] of that name; did you mean Gi?");
    in_setting(("tcp..mss", "3"), "unknown key; did you mean tcp.mss?");
    in_setting(("tcp.copa.delta", "inf"), "must be a number above zero, and finite");
    in_setting(("tcp.copa.delta", "-1"), "must be a number above zero");
    in_setting(("queue.red.weigth", "0.1"), "unknown key; did you mean queue.red.weight?");
    in_setting(
        ("queue.red.maxp", "0.1"),
        "unknown key; queue.red has min_threshold, max_threshold, max_probability, weight, \
         gentle, mean_packet, count",
    );
    in_setting(
        ("queue.pie.foo", "1"),
        "unknown key; queue.pie has target, update, alpha, beta, max_burst, ecn_threshold, \
         mean_packet",
    );
    for key in ["", "..x", ".", ".\"a.b\".count", ".a b.count", ".ä.count"] {
        let key = &format!("flow.group{key}");
        let expect = if key == "flow.group" {
            "a table; set one of its keys, as in flow.group.NAME.count"
        } else {
            "flow.group.NAME needs a name of letters, digits, - and _"
        };
        in_setting((key, "1"), expect);
    }
    let line = "--set a\\nb=1: unknown key";
    in_settings(UMTS, &[("a\nb", "1")], line);
}

#[test]
fn tables_in_the_place_of_values_and_the_other_way_round() {
    in_file("tcp = 4", ":1: tcp = 4: expected a table, [tcp]");
    in_file("seed = [4]", ":1: seed = a list: expected a whole number from 0");
    in_file("[wired]\nname = \"Gi\"", ":1: wired = a table: expected a list of tables, [[wired]]");
    in_setting(("radio", "3"), "a table; set one of its keys, as in radio.kind");
    in_settings("tcp = 4", &[("tcp.mss", "5")], "mine.toml:1: tcp = 4: expected a table, [tcp]");
}

#[test]
fn tables_that_a_scenario_does_without() {
    let line = "--set radio.tbler=5%: this scenario has no [radio]";
    in_settings(PLAIN, &[("radio.tbler", "5%")], line);
    let line = "--set wired.Gi.delay=5 ms: this scenario has no [[wired]]";
    in_settings(PLAIN, &[("wired.Gi.delay", "5 ms")], line);
    in_setting(("link.rate", "5 kbit/s"), "this scenario has no [link]");
}

#[test]
fn units() {
    let missing = "a duration needs its unit (ns, us, µs, ms, s, min, h or d), as in 60 s";
    in_file("duration = 60", &format!(":1: duration = 60: {missing}"));
    in_setting(("duration", "60"), missing);
    in_setting(
        ("radio.downlink.rate", "384"),
        "a rate needs its unit (bit/s, kbit/s, Mbit/s or Gbit/s), as in 384 kbit/s",
    );
    in_file(
        "[radio.downlink]\nrate = \"384 kb/s\"",
        ":2: radio.downlink.rate = \"384 kb/s\": unknown unit kb/s: a rate is in bit/s, kbit/s, \
         Mbit/s or Gbit/s",
    );
    in_setting(
        ("tcp.mss", "512 bytes"),
        "unknown unit bytes: a size is in B, kB, KiB, MB, MiB, GB or GiB",
    );
    in_setting(
        ("radio.uplink.rate", "fast"),
        "not a rate: expected a number and a unit (bit/s, kbit/s, Mbit/s or Gbit/s)",
    );
    in_setting(
        ("tcp.delayed_ack", "soon"),
        "not a duration: expected a number and a unit (ns, us, µs, ms, s, min, h or d), or off",
    );
    in_setting(("tcp.tick", "0.1 ns"), "finer than a duration can be: 1 ns");
    in_setting(("tcp.window", "64 kB"), "must be a whole number from 1 to 1073741824");
}

#[test]
fn values_out_of_range() {
    in_file(
        "[radio.downlink]\nrate = \"-384 kbit/s\"",
        ":2: radio.downlink.rate = \"-384 kbit/s\": must be a rate that is not negative",
    );
    in_setting(("radio.downlink.rate", "0 kbit/s"), "must be above zero");
    in_setting(("radio.downlink.rate", "9999 Gbit/s"), "must be at most 1000 Gbit/s");
    in_setting(("duration", "0 s"), "must be above zero");
    in_setting(("duration", "-1 s"), "must be a duration that is not negative");
    in_setting(("duration", "9e9 s"), "must be at most 100000000 s");
    in_setting(("duration", "9e99 s"), "must be at most 100000000 s");
    in_file("[tcp]\nwindow = 0", ":2: tcp.window = 0: must be a whole number from 1 to 1073741824");
    in_setting(("tcp.initial_window", "0"), "must be a whole number from 1 to 1073741824");
    in_setting(("tcp.mss", "0"), "must be a size from 1 B to 65495 B");
    in_setting(("tcp.mss", "70 kB"), "must be a size from 1 B to 65495 B");
    in_setting(("tcp.delayed_ack", "0.6 s"), "must be a duration from 1 ns to 500 ms, or off");
    in_setting(("tcp.vegas.alpha", "-1"), "must be a number, not below zero");
    in_setting(
        ("queue.packets", "0"),
        "must be a whole number from 1 to 1000000000, or unlimited, or as kind",
    );
    in_setting(("radio.downlink.tti", "15 ms"), "must be 10 ms, 20 ms, 40 ms or 80 ms");
    in_setting(("radio.rlc.window", "4097"), "must be a whole number from 1 to 4096");
    in_setting(("radio.rlc.window", "0"), "must be a whole number from 1 to 4096");
    in_setting(("radio.rlc.pdu_payload", "5 B"), "must be a size from 10 B to 32000 B");
    in_setting(
        ("radio.rlc.poll.every_sdus", "0"),
        "must be a whole number from 1 to 1000000, or off",
    );
    in_setting(("radio.rlc.poll.timer", "0 s"), "must be above zero, or off");
    in_setting(("radio.pdcp.header_bytes", "9 B"), "must be a size from 0 B to 3 B");
    in_setting(("seed", "-1"), "must be a whole number from 0");
    in_setting(("seed", "18446744073709551616"), "must be at most 18446744073709551615");
}

#[test]
fn constant_block_error_rates() {
    let expect = "a constant block error rate must be from 0 % to below 100 %, as in 5 % or 0.05";
    for value in ["1", "1.0", "100 %", "5", "-1 %", "0.9999999999", "nan", "many"] {
        in_setting(("radio.tbler", value), expect);
    }
    in_file("radio.tbler = 1.0", &format!(":1: radio.tbler = 1.0: {expect}"));
    let expect = format!("{expect}, or as radio.tbler");
    in_setting(("radio.uplink.tbler", "120 %"), &expect);
}

#[test]
fn words() {
    let variant = keys().iter().find(|key| key.name == "tcp.variant").expect("it is a key");
    let expected = format!("must be {}; did you mean vegas?", variant.expected);
    in_file("tcp.variant = \"vgas\"", &format!(":1: tcp.variant = \"vgas\": {expected}"));
    in_setting(("tcp.vegas.delta", "round"), "must be rounded or exact; did you mean rounded?");
    in_setting(("radio.rlc.mode", "rm"), "must be tm, um or am; did you mean tm?");
    in_setting(("radio.rlc.in_order", "maybe"), "expected true or false");
    in_file("tcp.prr = \"true\"", ":1: tcp.prr = \"true\": expected no quotes");
    in_file("description = 4", ":1: description = 4: expected a text in quotes");
}

#[test]
fn values_that_do_not_go_together() {
    in_setting(("tcp.min_rto", "70 s"), "tcp.min_rto, 70 s, must not be above tcp.max_rto, 1 min");
    in_file(
        "[tcp]\nmax_rto = \"2 s\"\ninitial_rto = \"3 s\"",
        ":3: tcp.initial_rto: tcp.initial_rto, 3 s, must not be above tcp.max_rto, 2 s",
    );
    in_setting(
        ("tcp.spurious_timeouts", "eifel"),
        "eifel looks at timestamps: tcp.timestamps must be true (RFC 3522)",
    );
    in_file(
        "[tcp]\npacing = \"slow-start\"\nspacing = \"always\"",
        ":3: tcp.spacing: tcp.pacing and tcp.spacing exclude each other: both pace, from \
         different RTTs",
    );
    in_file(
        "[tcp]\nrecovery = \"rack\"\nsack = false",
        ":3: tcp.sack: tcp.recovery repairs from selective acknowledgements: tcp.sack must not be \
         false",
    );
    in_setting(("tcp.vegas.alpha", "4"), "tcp.vegas.alpha, 4, must not be above tcp.vegas.beta, 3");
    in_setting(
        ("tcp.window", "10000000"),
        "tcp.window times tcp.mss must be at most 1 GiB (RFC 7323 §2.3)",
    );
    in_setting(("tcp.receive_buffer", "511"), "must hold at least one segment of tcp.mss");
    in_file(
        "[radio]\n[flow]\nbytes = \"1 MB\"\nsegments = 3",
        ":4: flow.segments: give flow.bytes or flow.segments, not both",
    );
    let line = "--set flow.segments=3: give flow.bytes or flow.segments, not both";
    in_settings(PLAIN, &[("flow.bytes", "3 kB"), ("flow.segments", "3")], line);
    in_settings(
        PLAIN,
        &[("flow.count", "60000"), ("flow.interval", "10000 s")],
        "--set flow.interval=10000 s: the last flow would start too late: flow.start and \
         flow.interval times flow.count must be at most 100000000 s",
    );
}

#[test]
fn more_blocks_than_can_be_numbered() {
    in_setting(
        ("radio.uplink.rate", "1 Gbit/s"),
        "more than 4095 blocks in a TTI, which RLC cannot number: radio.uplink.rate must be at \
         most 65520 kbit/s",
    );
}

#[test]
fn spreading_factors_that_no_channel_has() {
    let sf = "must be a power of two from 4 to 512 (uplink to 256)";
    let either = format!("{sf}, or auto, or as rate");
    for value in ["3", "48", "1024", "0", "eight", "-8"] {
        in_setting(("radio.downlink.sf", value), &either);
    }
    in_setting(
        ("radio.uplink.sf", "512"),
        "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 (TS 25.211 \
         §5.2.1.1)",
    );
    in_setting(
        ("radio.uplink.schedule", "[{at = '3 s', sf = 512}]"),
        "spreading factor 512 uplink: must be 256 at most; only the downlink has 512 (TS 25.211 \
         §5.2.1.1)",
    );
    in_file(
        "[radio.downlink]\nrate = \"240 kbit/s\"\nsf = 8",
        ":3: radio.downlink.sf: give radio.downlink.rate or radio.downlink.sf, not both",
    );
    in_setting(
        ("radio.uplink.sf", "auto"),
        "radio.uplink.sf = auto needs flow.rate, as in rate = \"140 kbit/s\"",
    );
    in_settings(
        UMTS,
        &[("radio.uplink.sf", "auto"), ("flow.count", "4"), ("flow.rate", "140 kbit/s")],
        "--set flow.rate=140 kbit/s: radio.uplink.sf: 560 kbit/s asked uplink: no spreading factor \
         carries it; factor 4 carries 480 kbit/s at most",
    );
}

#[test]
fn data_channels_that_no_direction_has() {
    let uplink = |sf, dpdch, expected: &str| {
        let settings = [("radio.uplink.sf", sf), ("radio.uplink.dpdch", dpdch)];
        let start = format!("--set radio.uplink.dpdch={dpdch}: ");
        in_settings(UMTS, &settings, &(start + expected));
    };
    uplink(
        "8",
        "2",
        "2 DPDCHs of spreading factor 8 uplink: must be 1; only factor 4 goes \
         over several, 6 at most (TS 25.211 §5.2.1)",
    );
    uplink("4", "7", "7 DPDCHs of spreading factor 4 uplink: must be 1 to 6");
    in_setting(
        ("radio.downlink.dpdch", "2"),
        "several DPDCHs need a factor: radio.downlink.sf, as in sf = 4",
    );
    in_settings(
        UMTS,
        &[
            ("radio.kind", "umts-cell"),
            ("radio.ues", "1"),
            ("radio.downlink.sf", "8"),
            ("radio.downlink.dpdch", "2"),
        ],
        "--set radio.downlink.dpdch=2: radio.downlink.dpdch is for radio.kind = umts-dch alone",
    );
}

#[test]
fn limits_of_error_rates() {
    let expected = "expected a lower and an upper limit, as in [\"1 %\", \"10 %\"]";
    for value in ["5 %", "[\"1 %\"]", "1 %,2 %,3 %", "120 %,130 %"] {
        in_setting(("radio.tbler_limits", value), &format!("{expected}, or off"));
    }
    in_setting(("radio.tbler_limits", "10 %,1 %"), "the lower limit comes first");
    in_setting(
        ("radio.uplink.tbler_limits", "100 %,100 %"),
        "radio.uplink.tbler_limits: the lower limit must be below 100 %",
    );
    in_file(
        "[radio]\ntbler = 0.05\ntbler_limits = [\"1 %\", \"10 %\"]",
        ":3: radio.tbler_limits: give radio.tbler or radio.tbler_limits, not both",
    );
}

#[test]
fn schedules_of_a_radio_that_are_none() {
    let check = |key: &str, value: &str, expect: &str| {
        let start: String = value.chars().take(40).collect();
        let more = if start.len() < value.len() { "…" } else { "" };
        let line = format!("--set {key}={start}{more}: {key}{expect}");
        in_settings(UMTS, &[(key, value)], &line);
    };
    check(
        "radio.schedule",
        "[{at = '3 s'}]",
        "[0] changes nothing: give rate, sf, tbler or coverage",
    );
    check("radio.uplink.schedule", "[{at = '3 s'}]", "[0] changes nothing: give rate, sf or tbler");
    check("radio.schedule", "[{at='3 s',rate='9 kbit/s',sf=8}]", "[0]: give rate or sf, not both");
    check("radio.spikes", "[{at = '3 s'}]", "[0]: lasts is missing, as in lasts = \"3 s\"");
    check(
        "radio.spikes",
        "[{at='3s',lasts='2s'},{at='4s',lasts='1s'}]",
        "[1] must not begin before the last one ends",
    );
    check(
        "radio.handovers",
        "[{at='3s',gap='2s'},{at='4s'}]",
        "[1] must not begin before the last one ends",
    );
    check("radio.handovers", "[{at='3s',kind='soft',gap='2s'}]", "[0]: a soft handover has no gap");
    check(
        "radio.handovers",
        "[{at='3s',kind='sort'}]",
        "[0].kind: must be hard, soft or softer; did you mean soft?",
    );
    check(
        "radio.schedule",
        "[{at='3s',tbler=1},{at='2s',tbler=0}]",
        "[1].at: must not come before the one before it, at 3 s: the list is in order of time",
    );
    check(
        "radio.schedule",
        "[{at='3s',coverag=false}]",
        "[0].coverag: unknown key; did you mean coverage?",
    );
    let in_table = |text: &str, expect: &str| {
        in_file(&format!("[radio]\n{text}"), &format!(":2: radio.{expect}"));
    };
    in_table(
        "schedule = [{at = \"3 s\", tbler = 1}, {at = \"2 s\", tbler = 0}]",
        "schedule[1].at = \"2 s\": must not come before the one before it, at 3 s: the list is in \
         order of time",
    );
    in_table(
        "schedule = [{tbler = 1}]",
        "schedule[0] = a table: at is missing, as in at = \"20 s\"",
    );
    in_table(
        "schedule = [{at = \"3 s\", tbler = \"120 %\"}]",
        "schedule[0].tbler = \"120 %\": must be a probability from 0 % to 100 %, as in 5 % or \
         0.05, or as before",
    );
    in_table(
        "schedule = [{at = \"3 s\", rats = 1}]",
        "schedule[0].rats: unknown key; did you mean rate?",
    );
    in_table(
        "handovers = [{at = \"3 s\", gap = \"11 s\"}]",
        "handovers[0].gap = \"11 s\": must be a duration from 1 ns to 10 s, or as kind",
    );
    in_table(
        "handovers = [{at = \"3 s\", kind = \"sort\"}]",
        "handovers[0].kind = \"sort\": must be hard, soft or softer; did you mean soft?",
    );
}

#[test]
fn a_buffer_manager_that_knows_no_round_trip_time() {
    in_setting(
        ("radio.buffer.manager", "bdp"),
        "radio.buffer.manager = bdp needs radio.buffer.rtt, as in rtt = \"150 ms\"",
    );
    let words = "must be bulk, interactive or mixed; did you mean bulk?";
    in_setting(("radio.buffer.class", "bulky"), words);
}

#[test]
fn networks_that_are_none() {
    in_file("", ": no network: needs [radio], [link] or [[wired]]");
    in_file("[radio]\n[link]", ":2: link: give [link] or [radio], not both");
    in_file("[link]", ":1: link: link.rate is missing, as in rate = \"384 kbit/s\"");
}

#[test]
fn wired_links_that_are_no_chain() {
    let gi = "[[wired]]\nname = \"Gi\"\nbetween = [\"host\", \"GGSN\"]\n";
    let check = |more: &str, expect: &str| in_file(&format!("{gi}[[wired]]\n{more}"), expect);
    check(
        "name = \"Gn\"\nbetween = [\"SGSN\", \"RNC\"]",
        ":6: wired.Gn.between: Gn must begin where Gi ends, at GGSN: links go in order from the \
         fixed host",
    );
    check("name = \"Gi\"", ":1: wired: two [[wired]] have the name Gi");
    check("delay = \"1 s\"", ":1: wired: every [[wired]] needs a name, as in name = \"Gi\"");
    check(
        "name = \"Gn\"",
        ":5: wired.Gn.name: Gn needs two different nodes, as in between = [\"host\", \"GGSN\"]",
    );
    check(
        "name = \"Gn\"\nbetween = [\"SGSN\"]",
        ":6: wired.Gn.between = a list: expected the names of two nodes (letters, digits, - \
         and _), as in [\"host\", \"GGSN\"]",
    );
}

/// Names become files and keys, and a node is known by its name.
#[test]
fn names_that_cannot_be() {
    let check = |between: &str, expect: &str| {
        in_file(&format!("[[wired]]\nname = \"Gi\"\nbetween = {between}\n[radio]"), expect);
    };
    let expected = "expected the names of two nodes (letters, digits, - and _), as in \
                    [\"host\", \"GGSN\"]";
    for bad in ["[\"../evil\", \"x\"]", "[\"a/b\", \"x\"]", "[\"a b\", \"x\"]"] {
        check(bad, &format!(":3: wired.Gi.between = a list: {expected}"));
    }
    for taken in ["UE", "sender", "receiver", "sender-3"] {
        let line = format!("the name {taken} stands for another node already");
        check(&format!("[\"host\", \"{taken}\"]"), &format!(":3: wired.Gi.between: {line}"));
    }
    for (taken, hop) in [
        ("bottleneck", "[link]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\""),
        ("Uu", "[radio]"),
        ("Uu-3", "[radio]"),
    ] {
        in_file(
            &format!("[[wired]]\nname = \"{taken}\"\nbetween = [\"x\", \"y\"]\n{hop}\n"),
            &format!(":2: wired.{taken}.name: the name {taken} stands for another link already"),
        );
    }
    in_file(
        "[[wired]]\nname = \"a\"\nbetween = [\"x\", \"y\"]\n\
         [[wired]]\nname = \"b\"\nbetween = [\"y\", \"x\"]",
        ":6: wired.b.between: the name x stands for another node already",
    );
    in_file(
        "[[wired]]\nname = \"a.b\"\nbetween = [\"x\", \"y\"]",
        ":2: wired.a.b.name = \"a.b\": must be a name of letters, digits, - and _ in quotes",
    );
}
