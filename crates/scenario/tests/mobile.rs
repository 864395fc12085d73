//! What an IPv6 network through which mobiles move may be like, and what is told if it is not so.

use std::fmt::Write as _;

use base::{Duration, Time};
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
    let both = "HA cannot be both mobile_ip.home_agent and mobile_ip.map";
    check(&[("mobile_ip.map", "HA")], &format!("mobile_ip.map=HA: {both}"));
    let both = "MAP cannot be both mobile_ip.home_agent and mobile_ip.map";
    check(&[("mobile_ip.home_agent", "MAP")], &format!("mobile_ip.home_agent=MAP: {both}"));
    check(&[("mobile_ip.map", "X")], "X is no node of [[wired]]: there are AR1, AR2, CN,");
    check(&[("mobile_ip.correspondent", "N2")], "N2 is no node of [[wired]]");
    check(&[("wlan.access_point.HA.home", "true")], "HA.home=true: unknown key");
    check(&[("route.detour.via", "N1")], "this scenario has no [[route]]");
    check(&[("flow.hosts", "own")], "flows run between its correspondent and mobiles");
    check(
        &[("flow.direction", "between-mobiles")],
        "needs two mobiles or more, as in wlan.mobiles = 2",
    );
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
    check("[[wlan.access_point]]\nname = \"MAP\"", "MAP is mobile_ip.map already");
    check("[[wlan.access_point]]\nname = \"CN\"", "CN is mobile_ip.correspondent already");
    check(
        "[[wired]]\nname = \"WLAN\"\nbetween = [\"MAP\", \"X\"]",
        "stands for the link of [wlan]",
    );
    check("[[wlan.mobile]]\nname = \"CN\"", "the name CN stands for another already");
    check("[[wlan.mobile]]\nname = \"MN-0\"", "the name MN-0 stands for another already");
    let walk = |way: &str| format!("[[wlan.mobile]]\nname = \"B\"\nwalk = [{{ {way} }}]");
    let still = "at = \"1 s\", to = [\"1 m\", \"0 m\"], speed = \"0 m/s\"";
    check(&walk(still), "a speed is above zero, not 0 m/s");
    check(&walk("to = [\"1 m\", \"0 m\"]"), "at is missing");
    check(
        &walk("at = \"1 s\", speed = \"1 m/s\""),
        "walk[0] = a table: to is missing, as in to = [",
    );
    let slow = "at = \"5 s\", to = [\"1 m\", \"0 m\"]";
    check(&walk(slow), "speed is missing, as in speed = \"1 m/s\"");
    let [late, early] =
        [5, 3].map(|at| format!("at = \"{at} s\", to = ['1 m', '0 m'], speed = '1 m/s'"));
    check(
        &walk(&format!("{late} }}, {{ {early}")),
        "walk[1].at = \"3 s\": must not come before the one before it, at 5 s:",
    );
}

#[test]
fn numbers_have_their_bounds() {
    let check = |key: &str, within: &[&str], beyond: &[&str], bound: &str| {
        for value in within {
            let parsed = parse("", &[(key, value)]);
            assert!(parsed.is_ok(), "{parsed:?}");
        }
        for value in beyond {
            let error = parse("", &[(key, value)]).expect_err(value);
            assert!(error.starts_with(&format!("--set {key}={value}: ")), "{error}");
            assert!(error.ends_with(bound), "{error}");
        }
    };
    let frequency = "must be a frequency in GHz, from 0.3 to 300 GHz, as in 10 GHz";
    check("wlan.frequency", &["2.4 GHz"], &["0 GHz", "-1 GHz", "1e-9 GHz"], frequency);
    // A time unit (IEEE 802.11-2012 §8.4.1.3), and MinRtrAdvInterval (RFC 6275 §7.5).
    let beacon = "must be a duration from 1024 us";
    check("wlan.beacon_interval", &["1024 us"], &["1023 us", "1 ns", "0 s"], beacon);
    let advertisement = "must be a duration from 30 ms";
    check("mobile_ip.advertisement_interval", &["30 ms"], &["29 ms", "1 us"], advertisement);
    let lifetime = "must be a duration from 4 s to 4369 min";
    check("mobile_ip.lifetime", &["4 s", "262140 s"], &["3999 ms", "0 s", "262141 s"], lifetime);
    check("wlan.range", &["1e7 m"], &["1e8 m"], "up to 10000000 m, as in 500 m");
    check("wlan.power", &["20 dBm"], &["1e4 dBm"], "from -1000 to 1000 dBm, as in 10 dBm");
    let most = "must be at most 18446744073709551615";
    check("seed", &["18446744073709551615"], &["18446744073709551616", "1e99"], most);
    check("duration", &["1 min"], &["1e99 min"], "must be at most 100000000 s");
}

/// A rate may do without its space, as any other.
#[test]
fn rates_of_a_wlan_are_rates() {
    for rate in ["1Mbit/s", "2 Mbit/s", "5500 kbit/s", "11Mbit/s"] {
        for key in ["wlan.rate", "wlan.basic_rate"] {
            assert!(parse("", &[(key, rate)]).is_ok(), "{key}={rate}");
        }
    }
    let error = parse("", &[("wlan.rate", "54Mbit/s")]).expect_err("802.11g");
    let expected = "must be 1 Mbit/s, 2 Mbit/s, 5.5 Mbit/s or 11 Mbit/s";
    assert_eq!(error, format!("--set wlan.rate=54Mbit/s: {expected}"));
}

/// What does not go together is refused, in one line that names it.
#[test]
fn keys_that_do_not_go_together() {
    let csma = ("wlan.access", "csma-ca");
    let error =
        parse("", &[("wlan.cw_min", "63"), ("wlan.cw_max", "31"), csma]).expect_err("a range");
    let above = "wlan.cw_min, 63, must not be above wlan.cw_max, 31";
    assert_eq!(error, format!("--set wlan.cw_min=63: {above}"));
    let plain = ("mobile_ip.kind", "mipv6");
    let error = parse("", &[plain, ("mobile_ip.map", "X")]).expect_err("there is no X");
    assert!(error.starts_with("--set mobile_ip.map=X: X is no node of [[wired]]"), "{error}");
}

/// Of the delay's two keys a setting wins over the file, and two settings are one too many.
#[test]
fn the_delay_of_the_wan_is_said_once() {
    let delay = |text: &str, settings: &[(&str, &str)]| {
        let scenario = parse(text, settings)?;
        let wan = scenario.wired.iter().find(|wired| wired.name == "wan").expect("there is one");
        Ok(wan.delay.as_nanos() / 1_000_000)
    };
    let (rtt, way) = (("wan.rtt", "150 ms"), ("wired.wan.delay", "20 ms"));
    assert_eq!(delay("", &[rtt]), Ok(75));
    assert_eq!(delay("", &[way]), Ok(20));
    let both = "give wan.rtt or wired.wan.delay, not both".to_owned();
    assert_eq!(delay("", &[rtt, way]), Err(format!("--set wan.rtt=150 ms: {both}")));
    let file = "[wan]\nrtt = \"150 ms\"";
    assert_eq!(delay(file, &[way]), Ok(20), "what is set counts");
    assert_eq!(delay(file, &[("wan.rtt", "40 ms")]), Ok(20));
    assert!(delay(file, &[]).is_err_and(|error: String| error.ends_with(&both)));
}

/// What is cut can be joined again, and links take the pieces.
#[test]
fn a_cap_leaves_packets_that_can_be() {
    let parse = |size: &str, cap: &str, mtu: &str| {
        let settings = [("ftp.packet_size", size), ("ftp.cap", cap), ("mobile_ip.mtu", mtu)];
        parse("", &settings)
    };
    assert!(parse("1024", "16", "1500").is_ok(), "64 pieces");
    let error = parse("1024", "15", "1500").expect_err("69 pieces");
    assert!(error.ends_with("no more than 64 are joined: ftp.cap must be 16 B or more"), "{error}");
    assert!(parse("3000", "off", "1500").is_ok(), "cut to what links take");
    // The least header is 40 + 20 B; of pieces it is one of 40 + 8 + 60 B at most.
    for (size, cap, mtu, bytes) in [
        ("3000", "5000", "1500", 3_060),
        ("1441", "1441", "1500", 1_501),
        ("3000", "1393", "1500", 1_501),
    ] {
        let error = parse(size, cap, mtu).expect_err(size);
        assert!(error.contains(&format!("of {bytes} B, and mobile_ip.mtu is {mtu} B")), "{error}");
    }
    assert!(parse("1440", "1441", "1500").is_ok());
    assert!(parse("3000", "1392", "1500").is_ok());
}

/// They walk for as long as a run may last.
#[test]
fn counted_mobiles_never_rest() {
    let scenario = parse("", &[("wlan.mobiles", "3"), ("duration", "1e6 s")]).expect("valid");
    for (name, motion) in scenario.motions().into_iter().skip(1) {
        let at = |seconds| motion.at(Time::ZERO + Duration::from_secs(seconds));
        assert!(at(999_990).distance(at(999_995)) > 1.0, "{name}");
    }
}

/// A second way from N1 to the MAP, by N2, and routes `(name, at, to, via)` over it.
fn detour(routes: &[[&str; 4]]) -> String {
    let mut text = "[[wired]]\nname = \"N2\"\nbetween = [\"N1\", \"N2\"]\ndelay = \"60 ms\"\n\
                    [[wired]]\nname = \"N3\"\nbetween = [\"N2\", \"MAP\"]\ndelay = \"20 ms\"\n"
        .to_owned();
    for [name, at, to, via] in routes {
        let keys = [("name", name), ("at", at), ("to", to), ("via", via)];
        text.push_str("[[route]]\n");
        for (key, value) in keys.into_iter().filter(|(_, value)| !value.is_empty()) {
            writeln!(text, "{key} = \"{value}\"").expect("memory");
        }
    }
    text
}

#[test]
fn routes_that_lead_nowhere_are_told() {
    let check = |routes: &[[&str; 4]], expected: &str| {
        let error = parse(&detour(routes), &[]).expect_err(expected);
        assert!(error.contains(expected), "{error}");
        assert!(!error.contains('\n'), "{error}");
    };
    let good = ["a", "N1", "MAP", "N2"];
    assert_eq!(parse(&detour(&[good]), &[]).map(|scenario| scenario.route.len()), Ok(1));
    check(&[["", "N1", "MAP", "N2"]], "every [[route]] needs a name of its own");
    check(&[good, good], "every [[route]] needs a name of its own");
    check(&[["a", "", "MAP", "N2"]], "a needs a node: at is missing");
    check(&[["a", "N1", "", "N2"]], "a needs a node: to is missing");
    check(&[["a", "N1", "MAP", ""]], "a needs a node: via is missing");
    check(&[["a", "N9", "MAP", "N2"]], "route.a.at: N9 is no node of [[wired]]: there are AR1,");
    check(&[["a", "N1", "MN", "N2"]], "route.a.to: MN is no node of [[wired]]");
    check(&[["a", "N1", "MAP", "X"]], "route.a.via: X is no node of [[wired]]");
    check(&[["a", "N1", "N1", "N2"]], "a route to N1 at N1 would do nothing");
    check(&[["a", "N1", "MAP", "AR1"]], "route.a.via: AR1 is no neighbour of N1: no [[wired]]");
    check(&[good, ["b", "N1", "MAP", "MAP"]], "b is a second route at N1 to MAP, beside a");
    let round = "route.a.via: packets for MAP would go round: N1 → CN → N1";
    check(&[["a", "N1", "MAP", "CN"]], round);
    check(&[good, ["b", "N2", "MAP", "N1"]], "for MAP would go round: N1 → N2 → N1");
    // At N2 the least delay to AR1 is by the MAP, to CN by N1.
    assert!(parse(&detour(&[["a", "N1", "AR1", "N2"]]), &[]).is_ok());
    check(&[["a", "MAP", "CN", "AR1"]], "packets for CN would go round: MAP → AR1 → MAP");
}

/// A route may lead round only once links are as a setting has them.
#[test]
fn a_setting_may_make_a_circle() {
    let text = detour(&[["a", "N1", "MAP", "N2"]]);
    let near = |delay| parse(&text, &[("wired.N3.delay", delay)]);
    assert!(near("109 ms").is_ok());
    let error = near("111 ms").expect_err("by N1 it is 110 ms from N2 to the MAP");
    assert!(error.ends_with("packets for MAP would go round: N1 → N2 → N1"), "{error}");
    let error = parse(&text, &[("route.a.via", "CN")]).expect_err("CN leads back");
    assert_eq!(error, "--set route.a.via=CN: packets for MAP would go round: N1 → CN → N1");
}

/// Nothing is set needlessly.
#[test]
fn keys_of_mobiles_need_a_network_for_them() {
    let check = |more: &str, expected: &str| {
        let text = format!("[link]\nrate = \"1 Mbit/s\"\n{more}");
        let error = Scenario::parse(&text, "mine", &[]).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("[wlan]\nrange = \"9 m\"", "[wlan] needs [mobile_ip]");
    check("[ftp]\ncap = \"100 B\"", "ftp.cap: does nothing without [mobile_ip]");
    check("[[route]]\nname = \"a\"", "route: does nothing without [mobile_ip]");
}

/// Home is where the home agent is.
#[test]
fn any_access_point_may_be_home_or_none() {
    for home_agent in ["AR1", "N1"] {
        assert!(parse("", &[("mobile_ip.home_agent", home_agent)]).is_ok(), "{home_agent}");
    }
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
