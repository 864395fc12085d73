//! What an IPv6 network through which mobiles move may be like, and what is told if it is not so.

use base::Duration;
use scenario::{Scenario, shipped};

fn parse(more: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let text = shipped().iter().find(|shipped| shipped.name == "hmipv6-handover");
    let text = format!("{}\n{more}", text.expect("it ships").text);
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(own).collect();
    Scenario::parse(&text, "mine", &settings).map_err(|error| error.to_string())
}

#[test]
fn what_does_not_go_together_is_told() {
    let check = |settings: &[(&str, &str)], expected: &str| {
        let error = parse("", settings).expect_err(expected);
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains('\n'), "{error}");
    };
    check(&[("mobile_ip.map", "HA")], "mobile_ip.map=HA: HA has another task already");
    check(&[("mobile_ip.map", "X")], "X is no node of [[wired]]: there are AR1, AR2, CN,");
    check(&[("mobile_ip.correspondent", "N2")], "N2 is no node of [[wired]]");
    check(&[("wlan.access_point.AR1.home", "true")], "home is the access point at the home agent");
    check(&[("wlan.access_point.HA.home", "false")], "home is the access point at the home agent");
    check(&[("flow.hosts", "own")], "flows run between its correspondent and mobiles");
    check(&[("flow.direction", "between-mobiles")], "needs two mobiles or more");
    check(&[("ftp.packet_size", "512"), ("tcp.mss", "100")], "give ftp.packet_size or tcp.mss");
    check(&[("wired.wan.between", "['N3', 'MAP']")], "no way leads to");
    check(&[("wlan.handover", "break-before-make")], "wlan.hysteresis must not be below zero");
    check(&[("wlan.range", "0 m")], "a length above zero");
    check(&[("wlan.rate", "54 Mbit/s")], "wlan.rate");
    check(&[("mobile_ip.mtu", "500")], "mobile_ip.mtu");
}

#[test]
fn tables_that_are_wrong_are_told() {
    let check = |more: &str, expected: &str| {
        let error = parse(more, &[]).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    };
    for other in ["[link]\nrate = \"1 Mbit/s\"", "[middlebox]\nkind = \"snoop\"", "[radio]"] {
        check(other, "[mobile_ip] goes with [[wired]] and [wlan], not with [link]");
    }
    check("[[wlan.access_point]]\nname = \"AR1\"", "AR1");
    check("[[wlan.access_point]]\nname = \"AR3\"", "AR3 is no node of [[wired]]");
    check("[[wlan.access_point]]\nname = \"MAP\"", "MAP has another task already");
    check("[[wlan.mobile]]\nname = \"CN\"", "the name CN stands for another already");
    check("[[wlan.mobile]]\nname = \"MN-0\"", "the name MN-0 stands for another already");
    let walk = |way: &str| format!("[[wlan.mobile]]\nname = \"B\"\nwalk = [{{ {way} }}]");
    let still = "at = \"1 s\", to = [\"1 m\", \"0 m\"], speed = \"0 m/s\"";
    check(&walk(still), "a speed is above zero, not 0 m/s");
    check(&walk("to = [\"1 m\", \"0 m\"]"), "at is missing");
}

/// Nothing is set in vain.
#[test]
fn keys_of_mobiles_need_a_network_for_them() {
    let check = |more: &str, expected: &str| {
        let text = format!("[link]\nrate = \"1 Mbit/s\"\n{more}");
        let error = Scenario::parse(&text, "mine", &[]).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("[wlan]\nrange = \"9 m\"", "[wlan] needs [mobile_ip]");
    check("[ftp]\ncap = \"100 B\"", "ftp.cap cuts packets of IPv6: it needs [mobile_ip]");
}

/// Without a MAP an access point may stand where one would.
#[test]
fn no_map_is_needed_without_one() {
    let settings = [("mobile_ip.kind", "mipv6"), ("mobile_ip.map", "AR1")];
    assert!(parse("", &settings).is_ok());
}

#[test]
fn short_names_stand_for_other_keys() {
    let scenario = parse("", &[("wan.rtt", "150 ms"), ("ftp.packet_size", "64")]).expect("valid");
    let wan = scenario.wired.iter().find(|wired| wired.name == "wan").expect("there is one");
    assert_eq!(wan.delay, Duration::from_millis(75));
    assert_eq!(scenario.tcp.mss, 64);
    let alone = Scenario::parse("[link]\nrate = \"1 Mbit/s\"\n[wan]\nrtt = \"1 s\"", "mine", &[]);
    let error = alone.expect_err("there is no wan").to_string();
    assert!(error.contains("wan.rtt is twice the delay of a [[wired]] called wan"), "{error}");
}
