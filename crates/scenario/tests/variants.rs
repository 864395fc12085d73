//! Variants are pairs of congestion control and loss recovery; profiles are sets of defaults.

use base::Duration;
use cc::{Algorithm, CongestionControl, Custom, Parameters};
use scenario::{Error, Outside, Scenario, keys, keys_under};
use tcp::{
    BackOff, Config, EcnFeedback, NewRenoRules, Pacing, PartialAckTimer, PartialAckWindow, Profile,
    ReceiverKind, RecoveryKind, SackRule, SpacingRtt, SpuriousTimeouts,
};

fn parse(tcp: &str, settings: &[(&str, &str)], customs: &[Custom]) -> Result<Scenario, String> {
    let source = format!("[link]\nrate = \"1 Mbit/s\"\n[tcp]\n{tcp}");
    let settings: Vec<_> =
        settings.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    let read = &|_: &str| Err("no file here".to_owned());
    Scenario::parse_from(&source, "x", &settings, &Outside { customs, read })
        .map_err(|error: Error| error.to_string())
}

fn config(tcp: &str, settings: &[(&str, &str)]) -> Config {
    parse(tcp, settings, &[]).expect("it is valid").tcp
}

/// The congestion control, the loss recovery and whether selective acknowledgements are offered.
fn halves(tcp: &str) -> (String, RecoveryKind, bool) {
    let config = config(tcp, &[]);
    (config.algorithm().name().to_owned(), config.recovery_kind(), config.offers().sack)
}

#[test]
fn a_variant_is_a_pair() {
    let check = |variant: &str, control: &str, recovery, sack| {
        let expect = (control.to_owned(), recovery, sack);
        assert_eq!(halves(&format!("variant = \"{variant}\"")), expect, "{variant}");
    };
    check("tahoe", "tahoe", RecoveryKind::Tahoe, false);
    check("reno", "reno", RecoveryKind::Reno, false);
    check("newreno", "reno", RecoveryKind::NewReno, false);
    check("sack", "reno", RecoveryKind::Sack, true);
    check("fack", "reno", RecoveryKind::Fack, true);
    check("vegas", "vegas", RecoveryKind::Vegas, false);
    check("westwood", "westwood", RecoveryKind::NewReno, false);
    check("cubic", "cubic", RecoveryKind::Sack, true);
    check("bbr", "bbr", RecoveryKind::Rack, true);
    check("copa", "copa", RecoveryKind::Rack, true);
}

#[test]
fn wtcp_probes_at_even_intervals_and_needs_clocks() {
    let tcp = "variant = \"wtcp\"\ntimestamps = true";
    assert_eq!(halves(tcp), ("wtcp".to_owned(), RecoveryKind::Rack, true));
    assert_eq!(config(tcp, &[]).back_off(), BackOff::Constant);
    let error = parse("variant = \"wtcp\"", &[], &[]).expect_err("without timestamps");
    assert!(error.ends_with("tcp.timestamps must be true"), "{error}");
}

#[test]
fn scalable_controls_need_to_hear_of_all_marks() {
    for (variant, recovery) in [("dctcp", RecoveryKind::Sack), ("prague", RecoveryKind::Rack)] {
        let accurate = format!("variant = \"{variant}\"\necn = \"accurate\"");
        assert_eq!(halves(&accurate), (variant.to_owned(), recovery, true));
        for ecn in ["", "ecn = true", "ecn = \"classic\"", "ecn = \"off\""] {
            let tcp = format!("variant = \"{variant}\"\n{ecn}");
            let error = parse(&tcp, &[], &[]).expect_err(ecn);
            assert!(error.ends_with("tcp.ecn must be accurate (RFC 9768)"), "{error}");
        }
    }
}

#[test]
fn how_marks_are_told_of_has_two_spellings() {
    let check = |value: &str, expect: EcnFeedback| {
        assert_eq!(config("", &[("tcp.ecn", value)]).ecn, expect, "{value}");
        let line = match value {
            "true" | "false" => format!("ecn = {value}"),
            word => format!("ecn = \"{word}\""),
        };
        assert_eq!(config(&line, &[]).ecn, expect, "{line}");
    };
    check("false", EcnFeedback::Off);
    check("off", EcnFeedback::Off);
    check("true", EcnFeedback::Classic);
    check("classic", EcnFeedback::Classic);
    check("accurate", EcnFeedback::Accurate);
}

#[test]
fn spacing_is_pacing_by_another_round_trip() {
    let check = |settings: &[(&str, &str)], pacing, rtt| {
        let config = config("", settings);
        assert_eq!(config.pace(), (pacing, rtt), "{settings:?}");
    };
    check(&[], Pacing::Off, None);
    check(&[("tcp.pacing", "slow-start")], Pacing::SlowStart, None);
    check(&[("tcp.spacing", "slow-start")], Pacing::SlowStart, Some(SpacingRtt::Current));
    check(&[("tcp.spacing", "always")], Pacing::Always, Some(SpacingRtt::Current));
    let by_base = [("tcp.spacing", "always"), ("tcp.spacing_rtt", "base")];
    check(&by_base, Pacing::Always, Some(SpacingRtt::Base));
}

#[test]
fn receivers_of_the_period() {
    let check = |receiver: &str, buffer, kind| {
        let tcp = format!("mss = \"1348 B\"\nwindow = 48\nreceiver = \"{receiver}\"");
        let config = config(&tcp, &[]);
        assert_eq!((config.receive_bytes(), config.receiver), (buffer, kind));
    };
    check("plain", 48 * 1348, ReceiverKind::Plain);
    check("linux-2.4", 65_535, ReceiverKind::Linux24);
    check("win2000", 13 * 1348, ReceiverKind::Windows2000);
    check("wince", 7 * 1348, ReceiverKind::WindowsCe);
    let ethernet = config("mss = \"1460 B\"\nreceiver = \"win2000\"", &[]);
    assert_eq!(ethernet.receive_bytes(), 17_520);
    let own = [("tcp.receiver", "wince"), ("tcp.receive_buffer", "9 kB")];
    assert_eq!(config("", &own).receive_bytes(), 9_000);
}

#[test]
fn halves_are_chosen_apart() {
    let check = |tcp: &str, control: &str, recovery, name: &str| {
        let (found, kind, _) = halves(tcp);
        assert_eq!((found.as_str(), kind), (control, recovery), "{tcp}");
        let scenario = parse(tcp, &[], &[]).expect("it is valid");
        assert_eq!(scenario.tcp.variant_name(), name, "{tcp}");
    };
    let newreno = RecoveryKind::NewReno;
    check("variant = \"vegas\"\nrecovery = \"sack\"", "vegas", RecoveryKind::Sack, "vegas+sack");
    check("variant = \"cubic\"\nrecovery = \"newreno\"", "cubic", newreno, "cubic+newreno");
    check("congestion_control = \"cubic\"", "cubic", RecoveryKind::Reno, "cubic+reno");
    check("recovery = \"newreno\"", "reno", newreno, "newreno");
    let sack1 = "variant = \"sack\"\nsack_rule = \"sack1\"";
    check(sack1, "reno", RecoveryKind::Sack, "sack");
    assert_eq!(config(sack1, &[]).sack_rule, SackRule::Sack1);
    let none = "congestion_control = \"variant\"\nrecovery = \"variant\"";
    check(none, "reno", RecoveryKind::Reno, "reno");
}

#[test]
fn a_variant_that_is_set_takes_the_place_of_the_files_halves() {
    let file = "congestion_control = \"cubic\"\nrecovery = \"sack\"";
    let name = |settings: &[(&str, &str)]| {
        parse(file, settings, &[]).expect("it is valid").tcp.variant_name()
    };
    assert_eq!(name(&[]), "cubic");
    assert_eq!(name(&[("tcp.variant", "tahoe")]), "tahoe");
    assert_eq!(name(&[("tcp.recovery", "fack"), ("tcp.variant", "vegas")]), "vegas+fack");
}

#[test]
fn selective_acknowledgements_are_offered_where_they_are_needed_or_asked_for() {
    let check = |tcp: &str, expect| assert_eq!(config(tcp, &[]).offers().sack, expect, "{tcp}");
    check("recovery = \"rack\"", true);
    check("recovery = \"reno\"", false);
    check("recovery = \"reno\"\nsack = true", true);
    check("recovery = \"newreno\"\nsack = false", false);
    check("recovery = \"sack\"\nsack = \"recovery\"", true);
}

#[test]
fn every_key_reaches_the_endpoint() {
    let check = |key: &str, value: &str, read: fn(&Config) -> String| {
        let [plain, set] = [&[][..], &[(key, value)]].map(|settings| read(&config("", settings)));
        assert_ne!(plain, set, "{key}");
    };
    check("tcp.timestamps", "true", |config| format!("{:?}", config.offers()));
    check("tcp.ecn", "true", |config| format!("{:?}", config.offers()));
    check("tcp.dsack", "true", |config| config.dsack.to_string());
    check("tcp.prr", "true", |config| config.prr.to_string());
    check("tcp.prr_after_marks", "true", |config| config.prr_after_marks.to_string());
    check("tcp.prr_unit", "segments", |config| format!("{:?}", config.prr_unit));
    check("tcp.back_off", "linear", |config| format!("{:?}", config.back_off()));
    check("tcp.max_retransmissions", "13", |config| format!("{:?}", config.max_retransmissions));
    check("tcp.spurious_timeouts", "f-rto", |config| format!("{:?}", config.spurious_timeouts));
    check("tcp.pacing", "slow-start", |config| format!("{:?}", config.pacing));
    check("tcp.pacing", "always", |config| format!("{:?}", config.pacing));
    check("tcp.back_off", "constant", |config| format!("{:?}", config.back_off()));
    check("tcp.share_state", "temporal", |config| format!("{:?}", config.share_state));
    check("tcp.share_state", "ensemble", |config| format!("{:?}", config.share_state));
    check("tcp.share_state", "careful", |config| format!("{:?}", config.share_state));
    check("tcp.resume_lifetime", "1 s", |config| format!("{:?}", config.resume_lifetime));
    check("tcp.freeze.notices", "1", |config| format!("{:?}", config.freeze));
    check("tcp.freeze.tr_acks", "false", |config| format!("{:?}", config.freeze));
    check("tcp.initial_window", "10", |config| config.first_window().to_string());
    let eifel = config("timestamps = true", &[("tcp.spurious_timeouts", "eifel")]);
    assert_eq!(eifel.spurious_timeouts, SpuriousTimeouts::Eifel);
}

#[test]
fn parameters_reach_the_algorithm() {
    let check = |variant: &str, key: &str, value: &str| {
        let read = |settings: &[_]| format!("{:?}", config("", settings).controller(1_000, 2));
        let usual = [("tcp.variant", variant), ("tcp.ecn", "accurate")];
        assert_ne!(read(&usual), read(&[usual[0], usual[1], (key, value)]), "{key}");
    };
    check("reno", "tcp.reno.halving", "exact");
    check("vegas", "tcp.vegas.delta", "exact");
    check("vegas", "tcp.vegas.base_rtt", "renewed-at-handover");
    check("vegas", "tcp.vegas.records", "ring");
    check("westwood", "tcp.westwood.alpha", "0.5");
    check("westwood", "tcp.westwood.minimum_rtt", "since-timeout");
    check("westwood", "tcp.westwood.shortest_sample", "50 ms");
    check("cubic", "tcp.cubic.c", "1");
    check("cubic", "tcp.cubic.beta", "0.5");
    check("cubic", "tcp.cubic.reduction", "whole-segments");
    check("cubic", "tcp.cubic.fast_convergence", "false");
    check("cubic", "tcp.cubic.reno_friendly", "false");
    check("cubic", "tcp.cubic.slow_start", "hystart");
    check("copa", "tcp.copa.delta", "0.1");
    check("copa", "tcp.copa.competes", "false");
    check("copa", "tcp.copa.min_rtt_span", "20 s");
    check("copa", "tcp.copa.current_rate", "at-arrival");
    check("bbr", "tcp.bbr.marks", "share");
    check("bbr", "tcp.bbr.marks", "l4s");
    check("dctcp", "tcp.dctcp.gain", "0.1");
    check("prague", "tcp.prague.gain", "0.1");
    check("prague", "tcp.prague.virtual_rtt", "10 ms");
    check("prague", "tcp.prague.transition", "0");
    check("prague", "tcp.prague.classic_fallback", "true");
}

/// What an endpoint does otherwise with Vegas.
#[test]
fn vegas_starts_as_it_is_told() {
    let check = |variant: &str, key: &str, value: &str, reaches: bool| {
        let read = |settings: &[_]| {
            let config = config("", settings);
            (config.first_window(), config.times_handshake(), config.has_limited_transmit())
        };
        let plain = read(&[("tcp.variant", variant)]);
        let set = read(&[("tcp.variant", variant), (key, value)]);
        assert_eq!(plain != set, reaches, "{variant}: {key}");
    };
    for key in ["tcp.vegas.times_handshake", "tcp.vegas.limited_transmit"] {
        check("vegas", key, "false", true);
        check("reno", key, "false", false);
    }
    check("vegas", "tcp.vegas.initial_window", "3", true);
    check("reno", "tcp.vegas.initial_window", "3", false);
}

/// Explicit keys, in the file or set, count more than a profile, and it more than the schema.
#[test]
fn a_profile_lies_between_the_schema_and_the_scenario() {
    let min_rto = |tcp: &str, settings: &[(&str, &str)]| {
        parse(tcp, settings, &[]).expect("it is valid").tcp.min_rto
    };
    let profile = ("tcp.profile", "ns2-2.35");
    assert_eq!(min_rto("", &[]), Duration::from_secs(1));
    assert_eq!(min_rto("", &[profile]), Duration::from_millis(200));
    assert_eq!(min_rto("profile = \"ns2-2.35\"", &[]), Duration::from_millis(200));
    assert_eq!(min_rto("profile = \"ns2-2.35\"", &[("tcp.profile", "none")]), min_rto("", &[]));
    assert_eq!(min_rto("min_rto = \"3 s\"", &[profile]), Duration::from_secs(3));
    assert_eq!(min_rto("", &[("tcp.min_rto", "4 s"), profile]), Duration::from_secs(4));
    let alpha =
        parse("[tcp.vegas]\nbeta = 4", &[profile], &[]).map(|it| it.tcp.control.vegas.alpha);
    assert_eq!(alpha, Ok(1.0), "a table that the scenario has in part");
}

#[test]
fn the_profile_of_1996() {
    let config = config("variant = \"newreno\"\nprofile = \"ns2-1996\"", &[]);
    let newreno = NewRenoRules {
        timer: PartialAckTimer::SlowButSteady,
        window: PartialAckWindow::Closes,
        burst: Some(2),
    };
    assert_eq!(config.repair.newreno, newreno);
    let seconds = [config.min_rto, config.max_rto, config.initial_rto].map(Duration::as_secs_f64);
    assert_eq!(seconds.map(|seconds| seconds as u32), [1, 64, 6]);
    assert_eq!((config.initial_window, config.initial_ssthresh), (2, None));
    assert!(!config.limited_transmit && !config.recover_guard && config.delayed_ack.is_none());
}

#[test]
fn the_profile_of_today() {
    let config = config("profile = \"modern\"", &[]);
    assert_eq!(config.algorithm(), Algorithm::Cubic.into());
    assert_eq!((config.recovery_kind(), config.initial_window), (RecoveryKind::Rack, 10));
    assert!(config.offers().sack && config.timestamps && config.delayed_ack.is_some());
}

/// A profile says the value of every key that an endpoint has, but for names of halves and what
/// only one algorithm has.
#[test]
fn profiles_leave_nothing_open() {
    let open = ["profile", "variant", "congestion_control", "recovery", "time_wait"];
    for profile in Profile::ALL {
        for key in keys() {
            let Some(name) = key.name.strip_prefix("tcp.") else { continue };
            if !name.contains('.') && !open.contains(&name) {
                let says = profile.text().lines().any(|line| {
                    line.strip_prefix(name).is_some_and(|rest| rest.starts_with(" = "))
                });
                assert!(says, "{}: {name}", profile.name());
            }
        }
        let listed = keys_under(profile.name()).expect("it is known");
        let key = listed.iter().find(|key| key.name == "tcp.profile").expect("it is a key");
        assert_eq!(key.value, profile.name());
    }
}

/// `3gpp` says what the defaults are; `thesis` is laid under `[radio]`.
#[test]
fn profiles_of_the_radio() {
    let defaults = keys();
    let listed = keys_under("3gpp").expect("it is known");
    let differs = defaults.iter().zip(&listed).filter(|(default, key)| default.value != key.value);
    assert_eq!(differs.map(|(_, key)| key.name.as_str()).collect::<Vec<_>>(), ["radio.profile"]);
    let thesis = keys_under("thesis").expect("it is known");
    let check = |name: &str, expect: &str| {
        let key = thesis.iter().find(|key| key.name == name).expect("it is a key");
        assert_eq!(key.value, expect, "{name}");
    };
    check("radio.profile", "thesis");
    check("radio.dpcch", "apart");
    check("radio.rlc.arq", "next-expected");
    check("radio.rlc.pdu_payload", "60 B");
    check("radio.rlc.header", "3 B");
    check("radio.rlc.recovery_timeout", "60 ms");
    check("radio.rlc.retransmissions_first", "false");
    check("radio.pdcp.header_bytes", "0 B");
    assert!(keys_under("1gpp").is_none());
}

#[test]
fn an_unknown_profile_names_the_nearest() {
    let expected = "must be ns2-1996, ns2-2.35, modern, linux-2.4 or satellite, or none; did you \
                    mean ns2-1996?";
    let line = format!("x:4: tcp.profile = \"ns2-1997\": {expected}");
    assert_eq!(parse("profile = \"ns2-1997\"", &[], &[]).err(), Some(line));
    let line = format!("--set tcp.profile=ns2-1997: {expected}");
    assert_eq!(parse("", &[("tcp.profile", "ns2-1997")], &[]).err(), Some(line));
}

#[test]
fn an_algorithm_of_the_callers_goes_by_its_name() {
    let mine =
        Custom::new("mine", |limits| Algorithm::Reno.controller(limits, &Parameters::default()));
    let set = [("tcp.congestion_control", "mine"), ("tcp.recovery", "newreno")];
    let scenario = parse("", &set, &[mine]).expect("it is handed in");
    assert!(matches!(scenario.tcp.congestion_control, Some(CongestionControl::Custom(_))));
    assert_eq!(scenario.tcp.variant_name(), "mine+newreno");
    let listed = keys();
    let key = listed.iter().find(|key| key.name == set[0].0).expect("it is a key");
    let line = format!("--set tcp.congestion_control=mine: must be {}", key.expected);
    assert_eq!(parse("", &set, &[]).err(), Some(line));
}
