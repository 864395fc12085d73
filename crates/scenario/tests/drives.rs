//! `radio.downlink.trace` and its like: a radio as it was recorded along a drive.

use base::{Direction, Duration, Rate, Schedule, Time};
use scenario::{Outside, Scenario, shipped};

/// Parses where some recordings can be read.
fn parse(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let read = &|path: &str| match path {
        "drive.csv" | "runs/drive.csv" => Ok(DRIVE.to_vec()),
        "runs/mcs.csv" => Ok(b"time_s,MCS\n0,0\n2,9\n5,27\n".to_vec()),
        "bad.csv" => Ok(b"# by hand\ntime_s,snr\n0,3\n1,good\n".to_vec()),
        "empty.csv" => Ok(Vec::new()),
        _ => Err("No such file or directory".to_owned()),
    };
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let outside = Outside { customs: &[], read };
    let text = shipped().iter().find(|shipped| shipped.name == text).map_or(text, |it| it.text);
    Scenario::parse_from(text, "runs/mine.toml", &settings, &outside)
        .map_err(|error| error.to_string())
}

const DRIVE: &[u8] = b"Timestamp,CellID,SNR,CQI\n2019.12.16_23.59.59,1,12,9\n\
                       2019.12.17_00.00.01,1,-,-\n2019.12.17_00.00.04,2,-3,2\n";

const LTE: &str = "[radio]\nkind = \"lte\"\n";

/// The rates of mobile number `ue`, downlink and uplink.
fn rates(scenario: &Scenario, ue: usize) -> [Schedule<Option<Rate>>; 2] {
    let radio = scenario.radio.as_ref().expect("it has a radio");
    radio.keys().rates(&scenario.radio_context(), ue).expect("it has rates")
}

/// Checks that both mobiles of a cell have the rates with a `file` that they have with `steps`.
fn check(file: &str, steps: &str) {
    let [seen, expect] = [file, steps].map(|toml| {
        let scenario = parse(&format!("{LTE}{toml}"), &[]);
        scenario.unwrap_or_else(|error| panic!("{error}"))
    });
    let rates = [rates(&seen, 0), rates(&seen, 1)];
    assert!(rates.iter().flatten().any(|rate| rate.as_constant().is_none()), "{file}");
    assert_eq!(rates, [self::rates(&expect, 0), self::rates(&expect, 1)], "{file}");
}

#[test]
fn a_drive_is_as_steps_of_its_ratio() {
    check(
        "ues = 2\ndownlink.trace = \"drive.csv\"\n",
        "ues = 2\ndownlink.snr = \"12 dB\"\ndownlink.snrs = [{at = \"5 s\", snr = \"-3 dB\"}]\n",
    );
    check(
        "ues = 2\nuplink.trace = \"drive.csv\"\ndownlink.trace = \"drive.csv\"\n\
         downlink.snrs = [{at = \"3 s\", snr = \"9 dB\"}]\n",
        "ues = 2\nuplink.snr = \"12 dB\"\nuplink.snrs = [{at = \"5 s\", snr = \"-3 dB\"}]\n\
         downlink.snr = \"12 dB\"\ndownlink.snrs = [{at = \"3 s\", snr = \"9 dB\"}]\n",
    );
}

#[test]
fn each_mobile_may_have_its_own_drive() {
    let steps = "snr = \"12 dB\"\ndownlink.snrs = [{at = \"5 s\", snr = \"-3 dB\"}]\n";
    check(
        "downlink.snr = \"20 dB\"\n[[radio.ue]]\nname = \"A\"\ndownlink.trace = \"drive.csv\"\n\
         [[radio.ue]]\nname = \"B\"\n",
        &format!(
            "downlink.snr = \"20 dB\"\n[[radio.ue]]\nname = \"A\"\ndownlink.{steps}\
             [[radio.ue]]\nname = \"B\"\n"
        ),
    );
    check(
        "downlink.trace = \"drive.csv\"\n[[radio.ue]]\nname = \"A\"\ndownlink.snr = \"5 dB\"\n\
         [[radio.ue]]\nname = \"B\"\n",
        &format!(
            "downlink.{steps}[[radio.ue]]\nname = \"A\"\ndownlink.snr = \"5 dB\"\n\
             [[radio.ue]]\nname = \"B\"\n"
        ),
    );
}

/// An index of modulation and coding stands for the ratio that it needs: the best that is allowed
/// there is of that index.
#[test]
fn an_index_has_the_rate_of_its_scheme() {
    for kind in ["lte", "nr"] {
        let radio = format!("[radio]\nkind = \"{kind}\"\n");
        let one =
            if kind == "nr" { "downlink.layers = 1\n" } else { "[radio.lte]\ncategory = \"1\"\n" };
        let of = |toml: &str| {
            let scenario = parse(&format!("{radio}{toml}{one}"), &[("radio.uplink.snr", "9 dB")]);
            rates(&scenario.unwrap_or_else(|error| panic!("{error}")), 0)[0].clone()
        };
        let drive = of("downlink.trace = \"mcs.csv\"\n");
        for (at, mcs) in [(0, 0), (2, 9), (5, 27)] {
            let fixed = of(&format!("downlink.mcs = {mcs}\n")).as_constant();
            let at = Time::ZERO + Duration::from_secs(at);
            assert_eq!(Some(drive.at(at)), fixed, "{kind}: {mcs}");
        }
    }
}

#[test]
fn a_setting_takes_the_place_of_what_a_file_says() {
    let snr = |text: &str, settings: &[(&str, &str)]| {
        let scenario = parse(text, settings).unwrap_or_else(|error| panic!("{error}"));
        let keys = scenario.radio.as_ref().expect("it has a radio").keys();
        let reception = keys.reception(Direction::Downlink).expect("it has a ratio");
        let at = |second| reception.snr_at(Time::ZERO + Duration::from_secs(second)).to_string();
        [0, 4, 5, 99].map(at).join(" ")
    };
    let drive = ("radio.downlink.trace", "drive.csv");
    for name in ["lte-cat4", "nr-tdd-100", "hsdpa-3.6"] {
        assert_eq!(snr(name, &[drive]), "12 12 -3 -3", "{name}");
    }
    assert_eq!(snr("lte-drive-test", &[("radio.downlink.snr", "7 dB")]), "7 7 7 7");
    let off = &[("radio.downlink.trace", "off")];
    assert_eq!(snr("lte-drive-test", off), "25 25 25 25");
    let beside = format!("{LTE}downlink.trace = \"drive.csv\"\n");
    assert_eq!(snr(&beside, &[]), "12 12 -3 -3");
}

#[test]
fn what_is_wrong_is_one_line() {
    let check = |file: &str, expect: &str| {
        let error = parse("lte-cat4", &[("radio.uplink.trace", file)]).expect_err("refused");
        assert_eq!(error, format!("--set radio.uplink.trace={file}: {expect}"));
    };
    check("none.csv", "cannot read none.csv: No such file or directory");
    check("bad.csv", "bad.csv: line 4: snr \"good\": expected a number from -100 to 100");
    check("empty.csv", "empty.csv: has no line: expected a header, such as time_s,snr_db");
    check(
        "shipped:lte-drive-up",
        "lte-drive-up: line 3: no column of times: expected time_s, time_ms or Timestamp",
    );
    let both = "downlink.trace = \"drive.csv\"\ndownlink.snr = \"3 dB\"\n";
    assert_eq!(
        parse(&format!("{LTE}{both}"), &[]).expect_err("refused"),
        "runs/mine.toml:4: radio.downlink.snr: give radio.downlink.snr or radio.downlink.trace, \
         not both"
    );
    let own = "[[radio.ue]]\nname = \"A\"\nuplink.trace = \"drive.csv\"\nuplink.snr = \"3 dB\"\n";
    let error = parse(&format!("{LTE}{own}"), &[]).expect_err("refused");
    assert!(error.ends_with("give radio.ue.A.uplink.snr or radio.ue.A.uplink.trace, not both"));
}
