//! What scenarios and settings say is what the schema reads.

use base::{Duration, Probability, Rate};
use proptest::prelude::*;
use radio::Radio;
use radio::umts::{BlockErrorRate, DchKeys};
use scenario::{Error, Key, Scenario, keys, shipped};
use tcp::Variant;

const UMTS: &str = include_str!("../../../scenarios/umts-dch-384.toml");

fn parse(source: &str, settings: &[(&str, &str)]) -> Result<Scenario, Error> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Scenario::parse(source, "mine", &settings.iter().map(owned).collect::<Vec<_>>())
}

fn umts(settings: &[(&str, &str)]) -> Scenario {
    parse(UMTS, settings).expect("valid")
}

#[test]
fn shipped_scenarios_parse_under_their_names() {
    assert!(shipped().is_sorted_by_key(|shipped| shipped.name));
    for shipped in shipped() {
        let scenario = Scenario::parse(shipped.text, shipped.name, &[]).expect(shipped.name);
        assert_eq!(scenario.name, shipped.name);
        assert!(!scenario.description.is_empty());
    }
}

fn dch(scenario: Scenario) -> DchKeys {
    let Some(Radio::UmtsDch { keys }) = scenario.radio else { panic!("dedicated channels") };
    keys
}

#[test]
fn the_umts_set_up() {
    let scenario = umts(&[]);
    let delay = scenario.wired.iter().fold(Duration::ZERO, |sum, link| sum + link.delay);
    assert_eq!(delay, Duration::from_micros(25_400));
    assert_eq!((scenario.tcp.mss, scenario.tcp.window), (512, 64));
    let radio = dch(scenario);
    let [downlink, uplink] = [radio.downlink.channel, radio.uplink.channel];
    assert_eq!(downlink.rate.bytes_in(downlink.tti), 12 * 40);
    assert_eq!(uplink.rate.bytes_in(uplink.tti), 4 * 40);
    assert_eq!(radio.umts.rlc.window, 4095, "the paper's 4096");
}

#[test]
fn its_radio_is_the_default_but_for_one_poll() {
    let polls_late = umts(&[("radio.rlc.poll.window_utilization", "100 %")]);
    assert_eq!(polls_late.radio, parse("[radio]", &[]).expect("valid").radio);
}

#[test]
fn settings_need_neither_spaces_nor_quotes() {
    let rate = |text| dch(umts(&[("radio.downlink.rate", text)])).downlink.channel.rate;
    for text in ["768kbit/s", "768 kbit/s", "\"768 kbit/s\"", "'0.768 Mbit/s'", " 768e3 bit/s "] {
        assert_eq!(rate(text), Rate::from_bps(768_000), "{text}");
    }
    for text in ["vegas", "\"vegas\""] {
        assert_eq!(umts(&[("tcp.variant", text)]).tcp.variant, Variant::Vegas);
    }
}

#[test]
fn delayed_acknowledgements_are_a_time_or_a_switch() {
    let wait = |text| umts(&[("tcp.delayed_ack", text)]).tcp.delayed_ack;
    assert_eq!(wait("true"), Some(Duration::from_millis(100)));
    assert_eq!(wait("200 ms"), Some(Duration::from_millis(200)));
    assert_eq!((wait("off"), wait("false")), (None, None));
}

#[test]
fn a_block_error_rate_is_for_both_directions_or_one() {
    let check = |settings: &[(&str, &str)], downlink: f64, uplink: f64| {
        let source = UMTS.replace("tti = \"20 ms\"", "tti = \"20 ms\"\ntbler = \"7 %\"");
        let radio = dch(parse(&source, settings).expect("valid"));
        let channels = [&radio.downlink.channel, &radio.uplink.channel];
        let tblers = channels.map(|channel| radio.umts.errors(channel));
        let constant = |value| BlockErrorRate::Constant(Probability::new(value).expect("a share"));
        assert_eq!(tblers, [downlink, uplink].map(constant), "{settings:?}");
    };
    check(&[], 0.0, 0.07);
    check(&[("radio.tbler", "5%")], 0.05, 0.05);
    check(&[("radio.tbler", "0.05"), ("radio.uplink.tbler", "99 %")], 0.05, 0.99);
    check(&[("radio.uplink.tbler", "0"), ("radio.tbler", "5%")], 0.05, 0.0);
}

#[test]
fn a_setting_wins_over_the_file_in_whatever_words() {
    let payload = |settings: &[(&str, &str)]| {
        let source = "[link]\nrate = \"1 Mbit/s\"\n[flow]\nsegments = 200";
        parse(source, settings).expect("valid").flow.payload(512)
    };
    assert_eq!(payload(&[]), Some(102_400));
    assert_eq!(payload(&[("flow.bytes", "120 kB")]), Some(120_000));
    assert_eq!(payload(&[("flow.bytes", "unlimited")]), None);
    assert_eq!(payload(&[("flow.segments", "3"), ("flow.segments", "4")]), Some(2048));
}

#[test]
fn members_of_lists_go_by_name() {
    let scenario = umts(&[("wired.Gn.delay", "1 min"), ("wired.Iub.between", "['RNC', 'B']")]);
    assert_eq!(scenario.wired[1].delay, Duration::from_secs(60));
    assert_eq!(scenario.wired[3].between, ["RNC", "B"]);
}

#[test]
fn every_key_is_documented_once_with_a_default_that_is_valid() {
    let keys = keys();
    let mut names: Vec<_> = keys.iter().map(|key| key.name.as_str()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    for key in keys {
        assert!(!key.doc.is_empty() && !key.expected.is_empty(), "{}", key.name);
        let is_of_a_network = [
            "name",
            "between",
            "link",
            "node_b",
            "radio.ue.",
            "radio.bearer.",
            "radio.site.",
            "radio.journey.",
            "gilbert_elliott",
            "classes",
        ]
        .iter()
        .any(|word| key.name.contains(word));
        let is_of_a_mobile_network =
            ["mobile_ip.", "wlan.", "route."].iter().any(|table| key.name.starts_with(table));
        if !is_of_a_network && !is_of_a_mobile_network && !key.name.starts_with("flow") {
            let name = key.name.replace("NAME", "Gi");
            let kind = key.needs.iter().find(|needs| needs.key == "middlebox.kind");
            let kind = kind.map(|needs| ("middlebox.kind", needs.kinds[0]));
            let settings: Vec<_> = kind.into_iter().chain([(&*name, &*key.value)]).collect();
            let scenario = parse(radio_with(key), &settings).expect(&name);
            let value = scenario.values().into_iter().find(|value| value.name == name);
            assert_eq!(value.map(|value| value.value), Some(key.value.clone()), "{name}");
        }
    }
}

/// A scenario whose radio has `key`.
fn radio_with(key: &Key) -> &'static str {
    let needed = key.needs.iter().find(|needs| needs.key == "radio.kind");
    let kind = needed.map_or("umts-dch", |needs| needs.kinds[0]);
    let name = match kind {
        "umts-cell" => "umts-cell-50",
        "gprs" => "edge-4+1",
        "leo" => "leo-15s",
        "lte" => "lte-cat4",
        "umts-hs" => "hsdpa-3.6",
        "nb-iot" => "nb-iot",
        "nr" => "nr-tdd-100",
        "geo" => "geo-600",
        _ => return UMTS,
    };
    shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

#[test]
fn a_scenario_is_its_values() {
    for shipped in shipped() {
        let scenario = Scenario::parse(shipped.text, shipped.name, &[]).expect("valid");
        let values: Vec<_> =
            scenario.values().into_iter().map(|key| (key.name, key.value)).collect();
        let again = Scenario::parse(shipped.text, "another", &values).expect("its own values");
        assert_eq!(Scenario { idle: Vec::new(), ..again }, scenario);
    }
}

fn any_key() -> impl Strategy<Value = String> {
    let known: Vec<_> = keys().iter().map(|key| key.name.replace("NAME", "Gi")).collect();
    prop_oneof![prop::sample::select(known), "[a-zGi.]{0,12}", ".*"]
}

fn any_value() -> impl Strategy<Value = String> {
    let values =
        ["off", "unlimited", "window", "true", "vegas", "5 %", "3 ms", "1e9 kbit/s", "4 B"];
    prop_oneof![
        prop::sample::select(values.to_vec()).prop_map(str::to_owned),
        any::<i64>().prop_map(|value| value.to_string()),
        any::<f64>().prop_map(|value| value.to_string()),
        "-?[0-9.e]{0,8} ?[a-zA-Zµ/%]{0,6}",
        r#"\[["',a-z0-9]{0,8}\]?"#,
        ".*",
    ]
}

fn one_line(outcome: &Result<Scenario, Error>) -> bool {
    let line = |error: &Error| error.to_string();
    outcome.as_ref().err().map(line).is_none_or(|line| !line.contains(['\n', '\r']))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8000))]

    #[test]
    fn no_setting_is_too_odd(
        which in 0..shipped().len(),
        settings in prop::collection::vec((any_key(), any_value()), 0..4),
    ) {
        let shipped = &shipped()[which];
        prop_assert!(one_line(&Scenario::parse(shipped.text, shipped.name, &settings)));
    }

    #[test]
    fn no_file_is_too_odd(
        lines in prop::collection::vec((any_key(), any_value(), any::<bool>()), 0..6),
        text in ".*",
    ) {
        let line = |(key, value, quoted): &(String, String, bool)| {
            if *quoted { format!("{key} = {value:?}\n") } else { format!("{key} = {value}\n") }
        };
        let source: String = lines.iter().map(line).collect();
        prop_assert!(one_line(&Scenario::parse(&source, "mine", &[])));
        prop_assert!(one_line(&Scenario::parse(&text, "mine", &[])));
    }

    #[test]
    fn no_cut_or_changed_file_is_too_odd(cut in 0..UMTS.len(), letter in any::<char>()) {
        let at = (0..=cut).rev().find(|&at| UMTS.is_char_boundary(at)).unwrap_or(0);
        let changed = format!("{}{letter}{}", &UMTS[..at], &UMTS[at..]);
        prop_assert!(one_line(&Scenario::parse(&UMTS[..at], "mine", &[])));
        prop_assert!(one_line(&Scenario::parse(&changed, "mine", &[])));
    }
}
