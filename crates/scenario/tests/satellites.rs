//! `radio.kind = "leo"` and `"geo"`: what they make of the keys, and which they refuse.

use base::{Duration, Rate, Schedule, Time};
use radio::Radio;
use radio::satellite::{Air, SatelliteConfig};
use scenario::{Outside, Scenario, build, keys, shipped};

/// Parses where `seen.csv` and the files of wrong content can be read.
fn parse(name: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let read = &|path: &str| match path {
        "seen.csv" | "runs/seen.csv" => Ok(SEEN.to_vec()),
        "bad.csv" => Ok(b"time_s,rtt_ms\n0,30\n# more\n5,many\n".to_vec()),
        "back.csv" => Ok(b"time_s,rtt_ms\n5,30\n4,30\n".to_vec()),
        "odd.csv" => Ok(b"time_s,delay\n5,30\n".to_vec()),
        _ => Err("No such file or directory".to_owned()),
    };
    let text = shipped().iter().find(|shipped| shipped.name == name).map(|shipped| shipped.text);
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let outside = Outside { customs: &[], read };
    let (text, name) = text.map_or((SOURCE, "runs/mine.toml"), |text| (text, name));
    Scenario::parse_from(text, name, &settings, &outside).map_err(|error| error.to_string())
}

pub(crate) const SEEN: &[u8] = b"time_s,rtt_ms,up_mbps\n0,40,2\n10,60,0\n20,30,1.5\n";

const SOURCE: &str = "[radio]\nkind = \"geo\"\ntrace = \"seen.csv\"\n";

fn config_of(scenario: &Scenario) -> SatelliteConfig {
    match &scenario.radio {
        Some(Radio::Leo { keys }) => keys.config(&scenario.radio_context(), "Sat"),
        Some(Radio::Geo { keys }) => keys.config(&scenario.radio_context(), "Sat"),
        other => panic!("no satellite: {other:?}"),
    }
}

const TERMINALS: &str = "must be a whole number from 0 to 50000";
const DEGREES: &str = "must be a whole number from 0 to 90";

/// A value that each key refuses, and in which words.
const REFUSED: &[(&str, &str, &str)] = &[
    ("radio.downlink.rate", "50", "a rate needs its unit"),
    ("radio.uplink.rate", "0 kbit/s", "must be above zero"),
    ("radio.uplink.assignment.frame", "0 s", "must be a duration from 100 us"),
    ("radio.uplink.assignment.wait", "1", "a duration needs its unit"),
    ("radio.uplink.assignment.committed", "some", "not a rate"),
    ("radio.beam.background", "100 %", "must be a share from 0 % to below 100 %"),
    ("radio.beam.frame", "2 s", "must be a duration from 100 us to 1 s"),
    ("radio.ground", "-1 ms", "must be a duration that is not negative"),
    ("radio.gateways", "[{at='1 s', grund='1 s'}]", "unknown key; did you mean ground?"),
    ("radio.rain", "[{share='50 %'}]", "at is missing, as in at = \"20 s\""),
    ("radio.outages", "[['5 s', '3 s']]", "must end after it begins"),
    ("radio.gilbert_elliott.good", "2", "must be a probability"),
    ("radio.gilbert_elliott.bad", "x", "must be a probability"),
    ("radio.gilbert_elliott.good_mean", "999 ns", "a duration"),
    ("radio.gilbert_elliott.bad_mean", "5", "a duration needs its unit"),
    ("radio.recorded", "[{at='2 s'}]", "delay is missing"),
    ("radio.trace", "none.csv", "cannot read none.csv: No such file or directory"),
    ("radio.ues", "50001", TERMINALS),
    ("radio.leo.altitude", "high", "must be"),
    ("radio.leo.elevation", "4", "must be a whole number from 5 to 85"),
    ("radio.leo.gateway", "2000 km", "must be at most 1504 km, so that both ends see a satellite"),
    ("radio.leo.slot", "1 ms", "must be a duration from 100 ms"),
    ("radio.leo.detour", "20", "a duration needs its unit"),
    ("radio.leo.pause", "15 s", "radio.leo.pause must be less than radio.leo.slot"),
    ("radio.leo.loses", "some", "expected true or false"),
    ("radio.leo.begins_bad", "1", "expected true or false"),
    ("radio.leo.reorders", "2", "expected true or false"),
    ("radio.geo.elevation", "91", DEGREES),
    ("radio.geo.gateway_elevation", "-1", DEGREES),
];

#[test]
fn each_key_refuses_in_one_line_what_it_cannot_be() {
    for (key, value, words) in REFUSED {
        let name = if key.starts_with("radio.geo") { "geo-600" } else { "leo-15s" };
        let error = parse(name, &[(key, value)]).expect_err(key);
        assert!(error.starts_with(&format!("--set {key}={value}: ")), "{error}");
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}

#[test]
fn no_key_of_a_satellite_is_left_out() {
    let of_sky = keys().iter().filter(|key| {
        let kinds = key.needs.iter().filter(|needs| needs.key == "radio.kind");
        kinds.flat_map(|needs| &needs.kinds).any(|kind| ["leo", "geo"].contains(kind))
    });
    let names: Vec<_> = of_sky.map(|key| key.name.as_str()).collect();
    assert!(names.len() == 28, "{names:?}");
    for name in names {
        assert!(REFUSED.iter().any(|(key, ..)| *key == name), "{name}");
    }
}

#[test]
fn bad_input_is_one_line() {
    let check = |name, settings: &[(&str, &str)], expect: &str| {
        assert_eq!(parse(name, settings).expect_err("refused"), expect, "{settings:?}");
    };
    check(
        "leo-15s",
        &[("queue.kind", "red")],
        "--set queue.kind=red: queue.kind = red needs [link]",
    );
    check(
        "leo-15s",
        &[("queue.per_flow", "true")],
        "--set queue.per_flow=true: the queue ahead of satellites holds a mobile's flows together: \
         queue.per_flow must be false",
    );
    check(
        "geo-600",
        &[("radio.leo.slot", "15 s")],
        "--set radio.leo.slot=15 s: radio.leo is for radio.kind = leo alone",
    );
    check(
        "leo-15s",
        &[("radio.geo.elevation", "30")],
        "--set radio.geo.elevation=30: radio.geo is for radio.kind = geo alone",
    );
    check(
        "leo-15s",
        &[("radio.beam.background", "99.1 %")],
        "--set radio.beam.background=99.1 %: radio.beam.background must be at most 99 %",
    );
    check(
        "leo-calm",
        &[("radio.leo.begins_bad", "true")],
        "--set radio.leo.begins_bad=true: radio.leo.begins_bad needs radio.gilbert_elliott",
    );
    check(
        "geo-600",
        &[("radio.tbler", "1 %")],
        "--set radio.tbler=1 %: radio.tbler is for radio.kind = umts-dch, umts-cell or gprs alone",
    );
    check(
        "geo-600",
        &[("radio.trace", "seen.csv"), ("radio.gateways", "[{at='1 s', ground='1 s'}]")],
        "--set radio.trace=seen.csv: give radio.trace or radio.gateways, not both: a recorded \
         round trip has their way in it",
    );
}

#[test]
fn files_that_are_no_recordings_say_where() {
    let check = |file: &str, expect: &str| {
        let error = parse("leo-15s", &[("radio.trace", file)]).expect_err("refused");
        assert_eq!(error, format!("--set radio.trace={file}: {file}: {expect}"));
    };
    check("bad.csv", "line 4: rtt_ms \"many\": expected a number from 0 to 1000000");
    check("back.csv", "line 3: before the line above it: times must not go back");
    check(
        "odd.csv",
        "line 1: unknown column \"delay\": expected time_s, time_ms, rtt_s, rtt_ms, down_bps, \
         down_kbps, down_mbps, up_bps, up_kbps, up_mbps",
    );
}

/// A path in a file starts from that file; what is set wins over the file in whatever words.
#[test]
fn recordings_are_read_where_they_are_named() {
    let ms = Duration::from_millis;
    let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
    let delay = Schedule::new(ms(20), vec![(at(10), ms(30)), (at(20), ms(15))]);
    for (name, settings) in [
        ("mine", &[][..]),
        ("leo-15s", &[("radio.trace", "seen.csv")]),
        ("geo-600", &[("radio.trace", "seen.csv"), ("radio.ground", "1 s")]),
    ] {
        let scenario = parse(name, settings).expect("it is valid");
        let config = config_of(&scenario);
        assert_eq!(config.path.air, Air::Recorded(delay.clone()), "{name}");
        // The way on the ground is in the round trip.
        assert_eq!(config.path.ground, Schedule::constant(Duration::ZERO));
        let bps = |lane: usize, time| config.carriers[lane].rate.at(time).map(Rate::as_bps);
        assert_eq!(
            [0, 9, 10, 20].map(|time| bps(1, at(time))),
            [Some(2_000_000), Some(2_000_000), None, Some(1_500_000)]
        );
        // It has no rate down.
        assert!(bps(0, at(0)).is_some_and(|bps| bps >= 50_000_000));
        let keys = scenario.live_keys_of(["radio.uplink.rate"]);
        assert_eq!(
            keys.unwrap_err(),
            "radio.uplink.rate: cannot be changed while it runs; these can: radio.downlink.rate"
        );
    }
    let set = parse("mine", &[("radio.recorded", "[{at='0 s', delay='1 s'}]")]).expect("valid");
    assert_eq!(
        config_of(&set).path.air,
        Air::Recorded(Schedule::new(ms(1000), vec![(at(0), ms(1000))]))
    );
}

/// Other users take their part of what is given, and not of what was recorded with them there.
#[test]
fn other_users_leave_a_part_of_the_rates() {
    let settings = [("radio.trace", "seen.csv"), ("radio.beam.background", "60 %")];
    let config = config_of(&parse("leo-15s", &settings).expect("valid"));
    let bps = config.carriers.map(|carrier| carrier.rate.at(Time::ZERO).map(Rate::as_bps));
    assert_eq!(bps, [Some(80_000_000), Some(2_000_000)]);
}

#[test]
fn rain_falls_on_what_was_recorded() {
    let rain = ("radio.rain", "[{at='15 s', share='50 %'}, {at='25 s', share='1 %'}]");
    let config = config_of(&parse("geo-600", &[("radio.trace", "seen.csv"), rain]).expect("valid"));
    let bps = |lane: usize, seconds| {
        let rate = config.carriers[lane].rate.at(Time::ZERO + Duration::from_secs(seconds));
        rate.map_or(0, Rate::as_bps)
    };
    let up = [0, 12, 16, 20, 24, 25].map(|time| bps(1, time));
    assert_eq!(up, [2_000_000, 0, 0, 750_000, 750_000, 15_000]);
    let down = [0, 15, 25].map(|time| bps(0, time));
    assert_eq!(down, [100_000_000, 50_000_000, 1_000_000]);
}

#[test]
fn throughput_is_compared_with_the_mean_of_the_run_where_a_rate_is_recorded() {
    let lines = b"time_s,rtt_ms,down_kbps,up_kbps\n0,40,300,80\n10,40,0,0\n40,40,9000,9000\n";
    let read = &|_: &str| Ok(lines.to_vec());
    let outside = Outside { customs: &[], read };
    let check = |direction: &str, duration: &str, bps| {
        let given = [("flow.direction", direction), ("duration", duration)];
        let given = given.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let scenario = Scenario::parse_from(SOURCE, "x", &given, &outside).expect("valid");
        let bottleneck = build(&scenario).flows[0].bottleneck;
        assert_eq!(bottleneck, Some(Rate::from_bps(bps)), "{direction}, {duration}");
    };
    check("downlink", "40 s", 75_000);
    check("uplink", "40 s", 20_000);
    check("downlink", "60 s", 3_050_000);
}
