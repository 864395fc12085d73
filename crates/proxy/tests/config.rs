//! `proxy.toml`: what it says, what follows from that, and every kind of fault with its line.

use base::{Duration, Rate};
use middlebox::{AtcpConfig, Scheme};
use proxy::{Config, LogLevel, OnFailure, Profile};

/// The least that is whole.
const LEAST: &str = r#"
radio.interfaces = ["wl0"]
wired.interfaces = ["eth0"]
[[profile]]
name = "gprs"
mobiles = ["10.45.0.0/16", "2001:db8:45::/48"]
"#;

fn proxy(source: &str) -> Config {
    Config::parse(source, "proxy.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn profile(lines: &str) -> Profile {
    proxy(&format!("{LEAST}{lines}")).profile.remove(0)
}

fn atcp(lines: &str) -> AtcpConfig {
    match profile(lines).middlebox {
        Scheme::Atcp { keys } => keys.atcp,
        other => panic!("{lines}: {}", other.name()),
    }
}

fn senders(lines: &str) -> tcp::Config {
    match profile(lines).middlebox {
        Scheme::ITcp { keys } => keys.relay.tcp,
        Scheme::Split { keys } => keys.relay.tcp,
        other => panic!("{lines}: {}", other.name()),
    }
}

/// `source` is refused with a line that ends in `expect`, from the number of its line.
fn refused(source: &str, expect: &str) {
    let error = Config::parse(source, "proxy.toml").expect_err(expect);
    assert_eq!(error.to_string(), format!("proxy.toml{expect}"), "{source}");
}

/// `lines` in front of the least configuration, which takes up as many lines.
fn refused_ahead(lines: &str, expect: &str) {
    refused(&format!("{lines}{LEAST}"), expect);
}

/// `lines` behind the least configuration, in its profile, from line 7 on.
fn refused_in_profile(lines: &str, expect: &str) {
    refused(&format!("{LEAST}{lines}"), expect);
}

#[test]
fn the_least_has_every_default() {
    let proxy = proxy(LEAST);
    assert_eq!(proxy.user, None);
    assert_eq!(proxy.on_failure, OnFailure::Bypass);
    assert_eq!(proxy.drain, Duration::from_secs(30));
    assert_eq!(proxy.heartbeat, Duration::from_secs(1));
    assert_eq!((proxy.routing.table, proxy.routing.priority), (101, 1_000));
    assert_eq!((proxy.routing.device.as_str(), proxy.routing.queue), ("thinpipe0", 1_000));
    assert!(proxy.tun.offload);
    assert_eq!((proxy.limits.flows, proxy.limits.bytes), (65_536, 256_000_000));
    assert_eq!(proxy.limits.idle, Duration::from_secs(7_440));
    assert_eq!(proxy.metrics.listen, "127.0.0.1:9464".parse().ok());
    assert_eq!(proxy.control.socket, "/run/thinpipe/control");
    assert_eq!((proxy.log.level, proxy.log.flows), (LogLevel::Info, false));
    assert_eq!(proxy.profile[0].middlebox.name(), "atcp");
    assert_eq!((proxy.profile[0].mss, proxy.profile[0].split_uplink), (None, false));
}

#[test]
fn all_of_it_is_read() {
    let proxy = proxy(
        r#"
        user = "thinpipe"
        on_failure = "block"
        drain = "5 s"
        heartbeat = "200 ms"
        radio.interfaces = ["wl0", "wl1"]
        wired.interfaces = ["eth0"]
        routing = { table = 200, priority = 77, device = "tp", queue = 10 }
        [limits]
        flows = 10
        flows_per_mobile = 2
        opening = 5
        opening_per_mobile = 1
        bytes = "1 MB"
        [never]
        hosts = ["198.51.100.0/24", "2001:db8::1"]
        ports = [22, 179]
        [metrics]
        listen = "off"
        [control]
        socket = "/tmp/c"
        [log]
        level = "warning"
        flows = true
        [[profile]]
        name = "gprs"
        mobiles = ["10.45.0.0/16"]
        mss = 1200
        [[profile]]
        name = "rest"
        mobiles = ["10.45.7.0/24"]
        mss = "mtu"
        split_uplink = true
        middlebox.kind = "split"
        "#,
    );
    assert_eq!(proxy.user.as_deref(), Some("thinpipe"));
    assert_eq!(proxy.on_failure, OnFailure::Block);
    assert_eq!(proxy.radio.interfaces, ["wl0", "wl1"]);
    assert_eq!((proxy.limits.opening_per_mobile, proxy.limits.bytes), (1, 1_000_000));
    let hosts: Vec<_> = proxy.never.hosts.iter().map(ToString::to_string).collect();
    assert_eq!(hosts, ["198.51.100.0/24", "2001:db8::1/128"]);
    assert_eq!(proxy.never.ports, [22, 179]);
    assert_eq!(proxy.metrics.listen, None);
    assert_eq!(proxy.log.level, LogLevel::Warning);
    assert_eq!((proxy.profile[0].mss, proxy.profile[1].mss), (Some(1200), None));
    assert!(proxy.profile[1].split_uplink);
}

#[test]
fn what_is_said_of_the_radio_reaches_the_aggregate() {
    let check = |lines: &str, clamp: u64, bps: u64, round_trip: Duration| {
        let atcp = atcp(lines);
        assert_eq!(atcp.clamp, clamp, "{lines}");
        assert_eq!((atcp.rate, atcp.round_trip), (Rate::from_bps(bps), round_trip), "{lines}");
        assert!(atcp.budget >= atcp.clamp, "{lines}");
    };
    let ms = Duration::from_millis;
    // Nothing said: the paper's.
    check("", 10_000, 33_200, ms(1_850));
    // 40 kbit/s · 0.9 s = 4500 B, of which 1.3 times are in flight.
    check("rate = \"40 kbit/s\"\nround_trip = \"900 ms\"", 5_850, 40_000, ms(900));
    check("rate = \"40 kbit/s\"\nbdp = \"3 kB\"", 3_900, 40_000, ms(600));
    check("round_trip = \"600 ms\"\nbdp = \"3 kB\"", 3_900, 40_000, ms(600));
    check("bdp = \"9250 B\"", 12_025, 40_000, ms(1_850));
    let own = "bdp = \"3 kB\"\nrate = \"40 kbit/s\"\n[profile.middlebox.atcp]\n";
    check(&format!("{own}clamp = \"8 kB\""), 8_000, 40_000, ms(600));
    check(&format!("{own}headroom = 2"), 6_000, 40_000, ms(600));
    check(&format!("{own}rate = \"20 kbit/s\""), 3_900, 20_000, ms(600));
    // What the scheme itself is told counts as given.
    check("rate = \"40 kbit/s\"\nmiddlebox.atcp.round_trip = \"0.9 s\"", 5_850, 40_000, ms(900));
    check("round_trip = \"0.9 s\"\nmiddlebox.atcp.rate = \"40 kbit/s\"", 5_850, 40_000, ms(900));
}

/// 1.3 times the uplink's rate × round-trip time, and a packet.
#[test]
fn the_uplink_is_clamped_where_its_rate_is_known() {
    let check = |lines: &str, kbps: Option<u64>, clamp: Option<u32>| {
        let rides = atcp(lines);
        assert_eq!(rides.uplink_rate, kbps.map(|kbps| Rate::from_bps(kbps * 1_000)), "{lines}");
        assert_eq!(rides.uplink_clamp(), clamp, "{lines}");
    };
    let gprs = "rate = \"40 kbit/s\"\nround_trip = \"900 ms\"\n";
    check(gprs, None, None);
    // 1.3 · (1750 B/s · (0.9 s − 0.3 s) + 1500 B) + 1500 B.
    check(&format!("{gprs}uplink_rate = \"14 kbit/s\""), Some(14), Some(4_815));
    let umts = "rate = \"384 kbit/s\"\nround_trip = \"250 ms\"\nuplink_rate = \"64 kbit/s\"\n";
    check(umts, Some(64), Some(5_725));
    check(&format!("{umts}middlebox.atcp.uplink_clamp = \"3 kB\""), Some(64), Some(3_000));
    check(&format!("{umts}middlebox.atcp.uplink_rate = \"off\""), None, None);
    check(&format!("{gprs}middlebox.atcp.uplink_clamp = \"3 kB\""), None, Some(3_000));
}

#[test]
fn a_thick_pipe_has_a_larger_budget() {
    let thick = atcp("rate = \"2 Mbit/s\"\nround_trip = \"400 ms\"");
    assert_eq!((thick.clamp, thick.budget), (130_000, 1_664_000));
    let line = "rate = \"2 Mbit/s\"\nround_trip = \"400 ms\"\nmiddlebox.atcp.budget = \"300 kB\"";
    assert_eq!(atcp(line).budget, 300_000);
}

#[test]
fn senders_towards_mobiles_are_of_today() {
    let tcp = senders("middlebox.kind = \"split\"");
    assert_eq!((tcp.variant.name(), tcp.initial_window), ("cubic", 10));
    assert_eq!(senders("middlebox.kind = \"i-tcp\"").variant.name(), "reno");
    let own = "variant = \"vegas\"\nprofile = \"ns2-1996\"";
    let tcp = senders(&format!("middlebox.kind = \"split\"\n[profile.middlebox.tcp]\n{own}"));
    assert_eq!((tcp.variant.name(), tcp.initial_window), ("vegas", 2));
}

#[test]
fn classes_are_those_of_a_scenario() {
    let classes = "[[profile.middlebox.atcp.classes]]\nname = \"ssh\"\nport = 22\npriority = 1\n";
    let read = atcp(classes).classes;
    assert_eq!((read.len(), read[0].port, read[0].priority), (1, Some(22), 1));
    refused_in_profile(
        &format!("{classes}tikets = 2\n"),
        ":11: profile.gprs.middlebox.atcp.classes.ssh.tikets: unknown key; did you mean \
         profile.gprs.middlebox.atcp.classes.ssh.tickets?",
    );
    refused_in_profile(
        &format!("{classes}dscp = 8\n"),
        ":9: profile.gprs.middlebox.atcp.classes.ssh.port: ssh needs a port or a dscp, and not \
         both",
    );
    let neither = classes.replace("port = 22\n", "");
    refused_in_profile(
        &neither,
        ":7: profile.gprs.middlebox.atcp.classes.ssh: ssh needs a port or a dscp, and not both",
    );
}

#[test]
fn unknown_keys_are_told_the_nearest() {
    refused_ahead("on_failur = 1", ":1: on_failur: unknown key; did you mean on_failure?");
    refused_ahead("table = 1", ":1: table: unknown key; did you mean routing.table?");
    refused_ahead("[rooting]\n", ":1: rooting: unknown key; did you mean routing?");
    refused_ahead("never.port = []", ":1: never.port: unknown key; did you mean never.ports?");
    refused_in_profile(
        "round_tripp = \"1 s\"",
        ":7: profile.gprs.round_tripp: unknown key; did you mean profile.gprs.round_trip?",
    );
    refused_in_profile(
        "middlebox.atpc.clamp = 3",
        ":7: profile.gprs.middlebox.atpc: unknown key; did you mean profile.gprs.middlebox.atcp?",
    );
    refused(
        "[[profile]]\nmobile = []",
        ":2: profile[0].mobile: unknown key; did you mean profile.NAME.mobiles?",
    );
}

#[test]
fn values_that_cannot_be() {
    refused_ahead(
        "drain = 30",
        ":1: drain = 30: a duration needs its unit (ns, us, µs, ms, s, min, h or d), as in 30 s",
    );
    refused_ahead(
        "heartbeat = \"100 ms\"",
        ":1: heartbeat = \"100 ms\": must be a duration from 200 ms to 1 min",
    );
    refused_ahead(
        "on_failure = \"pass\"",
        ":1: on_failure = \"pass\": must be bypass or block; did you mean bypass?",
    );
    refused_ahead(
        "routing.device = \"a-name-that-is-long\"",
        ":1: routing.device = \"a-name-that-is-long\": must be the name of an interface: 1 to 15 \
         bytes without spaces, /, : and %",
    );
    refused_ahead(
        "routing.device = \"tun%d\"",
        ":1: routing.device = \"tun%d\": must be the name of an interface: 1 to 15 bytes without \
         spaces, /, : and %",
    );
    refused_ahead(
        "routing.priority = 32766",
        ":1: routing.priority = 32766: must be a whole number from 1 to 32765",
    );
    refused_ahead(
        "never.hosts = [\"10.1.2.3/8\"]",
        ":1: never.hosts = \"10.1.2.3/8\": has bits beyond the first 8; did you mean 10.0.0.0/8?",
    );
    refused_ahead(
        "never.ports = [22, 0]",
        ":1: never.ports = 0: must be a whole number from 1 to 65535",
    );
    refused_ahead("never.ports = [22, 22]", ":1: never.ports = 22: stands in the list twice");
    refused_ahead(
        "never.ports = 22",
        ":1: never.ports = 22: expected a list, each member a whole number from 1 to 65535",
    );
    refused_ahead(
        "metrics.listen = \"9464\"",
        ":1: metrics.listen = \"9464\": must be an address and a port, as in 127.0.0.1:9464 or \
         [::1]:9464, or off",
    );
    refused_ahead(
        "control.socket = \"control\"",
        ":1: control.socket = \"control\": must be a path from /, of at most 107 bytes",
    );
    refused_ahead(
        "log.level = \"warn\"",
        ":1: log.level = \"warn\": must be error, warning or info; did you mean warning?",
    );
    refused("radio = 3", ":1: radio = 3: expected a table, [radio]");
    refused("profile = 3", ":1: profile = 3: expected a list of tables, [[profile]]");
    refused("seed = ", ":1: not TOML: string values must be quoted, expected literal string");
}

#[test]
fn keys_of_a_profile_that_cannot_be() {
    refused_in_profile(
        "mss = 40",
        ":7: profile.gprs.mss = 40: must be a whole number from 88 to 65495, or mtu",
    );
    for estimator in ["radio", "westwood", "auto"] {
        refused_in_profile(
            &format!("middlebox.atcp.estimator = \"{estimator}\""),
            ":7: profile.gprs.middlebox.atcp.estimator: must be static: no estimate keeps up with \
             every real radio",
        );
    }
    refused_in_profile(
        "middlebox.atcp.classes = [{ name = \"none\", port = 23 }]",
        ":7: profile.gprs.middlebox.atcp.classes: none stands for flows in no class",
    );
    let role = "middlebox.atcp.role = \"subscriber\"";
    let rate = "rate = \"40 kbit/s\"\nround_trip = \"900 ms\"";
    refused_in_profile(
        &format!("{role}\nmiddlebox.atcp.estimator = \"radio\""),
        ":8: profile.gprs.middlebox.atcp.estimator: must be static or westwood: no modem reports \
         its rate to a daemon",
    );
    for key in [rate, "bdp = 4000", "mss = 536", "split_uplink = true"] {
        let name = key.split(' ').next().expect("a key");
        let error = format!(":7: profile.gprs.{name}: does nothing for a subscriber's box");
        refused_in_profile(&format!("{key}\n{role}"), &error);
    }
    refused_in_profile(
        &format!("uplink_rate = \"14 kbit/s\"\n{role}"),
        ":7: profile.gprs.uplink_rate: needs round_trip beside it, what a ping takes alone",
    );
    refused(
        &format!("workers = 2\n{LEAST}{role}"),
        ":1: workers: a subscriber's box is for one pipe: needs workers = 1",
    );
    refused_in_profile(
        "middlebox.atcp.others = \"queued\"",
        ":7: profile.gprs.middlebox.atcp.others = \"queued\": must be around or scheduled",
    );
    for kind in ["split", "i-tcp", "snoop"] {
        refused_in_profile(
            &format!("uplink_rate = \"14 kbit/s\"\nmiddlebox.kind = \"{kind}\""),
            ":7: profile.gprs.uplink_rate: does nothing without profile.gprs.middlebox.kind = atcp",
        );
    }
}

#[test]
fn sides_need_interfaces_of_their_own() {
    let with =
        |sides: &str| format!("{sides}\n[[profile]]\nname = \"a\"\nmobiles = [\"10.0.0.0/8\"]");
    refused(&with(""), ": [radio] needs interfaces, as in interfaces = [\"eth0\"]");
    refused(
        &with("radio.interfaces = [\"wl0\"]\n[wired]"),
        ":2: wired: [wired] needs interfaces, as in interfaces = [\"eth0\"]",
    );
    refused(
        &with("radio.interfaces = [\"a\"]\nwired.interfaces = [\"b\", \"a\"]"),
        ":2: wired.interfaces: a cannot be of the radio and of the wired side",
    );
    refused(
        &with("radio.interfaces = [\"lo\"]\nwired.interfaces = [\"b\"]"),
        ":1: radio.interfaces: what goes over lo is not forwarded",
    );
    refused_ahead(
        "routing.device = \"eth0\"",
        ":1: routing.device: eth0 is to be the proxy's own device",
    );
}

#[test]
fn keys_that_do_not_go_together() {
    refused_ahead(
        "routing.table = 254",
        ":1: routing.table: 254, the kernel's own table main: take another",
    );
    refused_ahead(
        "routing.table = 250\nworkers = 4",
        ":1: routing.table: a worker's would be 253, the kernel's own table default: take another",
    );
    refused_ahead(
        "routing.device = \"fifteen-letters\"\nworkers = 2",
        ":1: routing.device: the last worker's device would be fifteen-letters1, which is too long",
    );
    refused_ahead(
        "workers = 2\nlimits.bytes = \"200 kB\"",
        ":2: limits.bytes: limits.bytes, 100000 B for each of 2 workers, cannot hold the budget of \
         one mobile of gprs, 128000 B",
    );
    refused_ahead(
        "limits = { idle = \"1 min\", transitory = \"2 min\" }",
        ":1: limits.transitory: limits.transitory, 2 min, must not be above limits.idle, 1 min",
    );
    refused_ahead(
        "limits.bytes = \"100 kB\"",
        ":1: limits.bytes: limits.bytes of 100000 B cannot hold the budget of one mobile of gprs, \
         128000 B",
    );
    refused_in_profile(
        "rate = \"1 Mbit/s\"",
        ":7: profile.gprs.rate: needs round_trip or bdp beside it",
    );
    refused_in_profile(
        "round_trip = \"1 s\"",
        ":7: profile.gprs.round_trip: needs rate or bdp beside it",
    );
    refused_in_profile(
        "bdp = 3000\nrate = \"40 kbit/s\"\nround_trip = \"1 s\"",
        ":7: profile.gprs.bdp: bdp is rate · round_trip: give two of the three",
    );
    refused_in_profile(
        "middlebox.at = \"PROXY\"",
        ":7: profile.gprs.middlebox.at: unknown key; did you mean profile.gprs.middlebox.atcp?",
    );
    refused_in_profile(
        "middlebox.kind = \"none\"",
        ":7: profile.gprs.middlebox.kind: a profile needs a scheme: list hosts without one in \
         never.hosts",
    );
    refused_in_profile(
        "middlebox.kind = \"snoop\"\nsplit_uplink = true",
        ":8: profile.gprs.split_uplink: snoop splits no connections",
    );
    refused_in_profile(
        "middlebox.atcp.budget = \"20 kB\"\nmiddlebox.atcp.clamp = \"30 kB\"",
        ":7: profile.gprs.middlebox.atcp.budget: a budget of 20000 B cannot hold the 30000 B \
         that may be in flight",
    );
    refused_in_profile(
        "middlebox.kind = \"split\"\n[profile.middlebox.tcp]\nmin_rto = \"90 s\"",
        ":9: profile.gprs.middlebox.tcp.min_rto: profile.gprs.middlebox.tcp.min_rto, 90 s, must \
         not be above profile.gprs.middlebox.tcp.max_rto, 1 min",
    );
}

#[test]
fn profiles_have_names_and_mobiles_of_their_own() {
    let sides = "radio.interfaces = [\"wl0\"]\nwired.interfaces = [\"eth0\"]\n";
    refused(sides, ": no [[profile]]: needs one, with name and mobiles");
    refused(
        &format!("{sides}[[profile]]\nmobiles = [\"10.0.0.0/8\"]"),
        ":3: profile: every [[profile]] needs a name, as in name = \"gprs\"",
    );
    refused(
        &format!("{sides}[[profile]]\nname = \"gprs\""),
        ":3: profile.gprs: needs mobiles, as in mobiles = [\"10.45.0.0/16\"]",
    );
    refused(
        &format!("{LEAST}[[profile]]\nname = \"gprs\"\nmobiles = [\"10.0.0.0/8\"]"),
        ":4: profile: two [[profile]] have the name gprs",
    );
    refused(
        &format!("{LEAST}[[profile]]\nname = \"b\"\nmobiles = [\"2001:db8:45::/48\"]"),
        ":9: profile.b.mobiles: 2001:db8:45::/48 is of profile gprs already",
    );
    refused_in_profile(
        "[[profile]]\nname = \"b\"\nmobiles = [\"0.0.0.0/0\"]",
        ":9: profile.b.mobiles: 0.0.0.0/0 holds fixed hosts as well: name the mobiles' own",
    );
    for prefix in ["224.0.0.0/8", "ff02::/16", "127.0.0.0/8", "::1/128", "::ffff:10.45.0.0/112"] {
        refused_in_profile(
            &format!("[[profile]]\nname = \"b\"\nmobiles = [\"{prefix}\"]"),
            &format!(":9: profile.b.mobiles: {prefix} holds no addresses of mobiles"),
        );
    }
    // One within another is none of two.
    let nested = format!("{LEAST}[[profile]]\nname = \"b\"\nmobiles = [\"10.45.7.0/24\"]");
    assert_eq!(proxy(&nested).profile.len(), 2);
}

#[test]
fn all_keys_are_listed_with_what_they_need() {
    let keys = Config::keys();
    let find = |name: &str| keys.iter().find(|key| key.name == name);
    assert_eq!(find("heartbeat").map(|key| key.value.as_str()), Some("1 s"));
    assert_eq!(find("profile.NAME.middlebox.kind").map(|key| key.value.as_str()), Some("atcp"));
    assert!(find("profile.NAME.middlebox.at").is_none());
    assert!(find("profile.NAME.middlebox.atcp.classes.NAME.tickets").is_some());
    for key in keys {
        assert!(!key.doc.is_empty() && !key.expected.is_empty(), "{}", key.name);
    }
}

#[test]
fn every_scheme_makes_a_box() {
    let schemes = Scheme::all();
    let kinds = schemes.iter().map(Scheme::name).filter(|kind| *kind != "none");
    let both_ways = ["atcp", "i-tcp", "split"].map(|kind| (kind, "split_uplink = true\n"));
    for (kind, uplink) in kinds.map(|kind| (kind, "")).chain(both_ways) {
        let proxy = proxy(&format!("{LEAST}{uplink}middlebox.kind = \"{kind}\""));
        let admission = middlebox::Admission::new(proxy.limits);
        let machine = proxy.profile[0].machine::<tcp::Length>(proxy.limits, &admission, 1);
        assert_eq!(machine.flows(), 0, "{kind}");
    }
}
