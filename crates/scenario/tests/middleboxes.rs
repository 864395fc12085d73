//! Middleboxes in a scenario: where they stand, what their senders are, and what cannot be.

use cc::Algorithm;
use middlebox::Scheme;
use scenario::{Scenario, build, shipped};

const WIRES: &str = r#"
[[wired]]
name = "Gi"
between = ["host", "GGSN"]

[[wired]]
name = "Gn"
between = ["GGSN", "SGSN"]
"#;

const LINK: &str = "[link]\nrate = \"33.2 kbit/s\"\n";

fn text(tables: &[&str]) -> String {
    tables.concat()
}

fn parse(source: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    Scenario::parse(source, "mine.toml", &settings).map_err(|error| error.to_string())
}

/// The names of the nodes with a middlebox.
fn places(source: &str, settings: &[(&str, &str)]) -> Vec<String> {
    let network = build(&parse(source, settings).expect(source));
    let world = &network.world;
    let boxes = world.machines().filter_map(|(_, _, machine)| machine.middlebox());
    boxes.map(|(_, at)| world.node(at).name().to_owned()).collect()
}

#[test]
fn a_box_stands_at_the_last_node_before_the_bottleneck_or_where_it_is_put() {
    let link = text(&[WIRES, LINK]);
    let radio = text(&[WIRES, "[radio]\n"]);
    let cells = text(&[WIRES, "[radio]\nkind = \"umts-cell\"\nues = 2\n"]);
    for source in [&link, &radio, &cells] {
        assert_eq!(places(source, &[]), [""; 0], "none unless asked for");
        assert_eq!(places(source, &[("middlebox.kind", "none")]), [""; 0]);
        assert_eq!(places(source, &[("middlebox.kind", "split")]), ["SGSN"]);
        let there = [("middlebox.kind", "split"), ("middlebox.at", "GGSN")];
        assert_eq!(places(source, &there), ["GGSN"]);
    }
    // Without a bottleneck the last node is the receiver.
    assert_eq!(places(WIRES, &[("middlebox.kind", "split")]), ["GGSN"]);
}

#[test]
fn every_kind_builds() {
    let schemes = Scheme::all();
    for kind in schemes.iter().map(Scheme::name).filter(|kind| *kind != "none") {
        let settings = [("middlebox.kind", kind)];
        assert_eq!(places(&text(&[WIRES, LINK]), &settings), ["SGSN"], "{kind}");
    }
}

#[test]
fn without_wires_there_is_a_node_for_it() {
    let settings = [("middlebox.kind", "snoop")];
    assert_eq!(places(&text(&[LINK]), &settings), ["proxy"]);
}

#[test]
fn where_a_box_cannot_stand() {
    let check = |tables: &[&str], settings: &[(&str, &str)], line: &str| {
        let settings = [&[("middlebox.kind", "split")], settings].concat();
        assert_eq!(parse(&text(tables), &settings).expect_err(line), line);
    };
    check(
        &[LINK],
        &[("middlebox.at", "host")],
        "--set middlebox.at=host: must be a node between the hosts: proxy",
    );
    check(
        &[WIRES, LINK],
        &[("middlebox.at", "host")],
        "--set middlebox.at=host: must be a node between the hosts: GGSN, SGSN",
    );
    check(
        &[WIRES, LINK],
        &[("middlebox.at", "RNC")],
        "--set middlebox.at=RNC: must be a node between the hosts: GGSN, SGSN",
    );
    // Without a bottleneck the last node is the receiver, by default as well.
    let receiver = "must be a node between the hosts: GGSN";
    check(&[WIRES], &[("middlebox.at", "SGSN")], &format!("--set middlebox.at=SGSN: {receiver}"));
    // Hosts of their own stand beside the first and the last node.
    let own = [("flow.hosts", "own"), ("middlebox.at", "host"), ("middlebox.kind", "split")];
    assert_eq!(places(&text(&[WIRES, LINK]), &own), ["host"]);
    let own = [("flow.hosts", "own"), ("middlebox.at", "SGSN"), ("middlebox.kind", "split")];
    assert_eq!(places(WIRES, &own), ["SGSN"]);
}

#[test]
fn a_budget_holds_what_may_be_in_flight() {
    let check = |settings: &[(&str, &str)], line: &str| {
        let settings = [&[("middlebox.kind", "atcp")], settings].concat();
        assert_eq!(parse(&text(&[WIRES, LINK]), &settings).err().unwrap_or_default(), line);
    };
    let (budget, clamp) = ("middlebox.atcp.budget", "middlebox.atcp.clamp");
    check(&[(budget, "10 kB"), (clamp, "10 kB")], "");
    check(
        &[(budget, "10 kB"), (clamp, "10001 B")],
        "--set middlebox.atcp.budget=10 kB: a budget of 10000 B cannot hold the 10001 B that may \
         be in flight",
    );
    check(
        &[(clamp, "128001 B")],
        "--set middlebox.atcp.clamp=128001 B: a budget of 128000 B cannot hold the 128001 B \
         that may be in flight",
    );
}

#[test]
fn a_subscribers_box_stands_at_mobiles_and_is_told_its_pipe() {
    let check = |settings: &[(&str, &str)], line: &str| {
        let role = [("middlebox.kind", "atcp"), ("middlebox.atcp.role", "subscriber")];
        let settings = [&role, settings].concat();
        assert_eq!(parse(&text(&[WIRES, LINK]), &settings).err().unwrap_or_default(), line);
    };
    let (rate, round_trip) = ("middlebox.atcp.uplink_rate", "middlebox.atcp.round_trip");
    check(&[], "");
    check(&[(rate, "1 Mbit/s"), (round_trip, "80 ms"), ("middlebox.atcp.clamp", "1 MB")], "");
    check(
        &[("middlebox.at", "SGSN")],
        "--set middlebox.at=SGSN: a subscriber's box stands at each mobile: needs no at",
    );
    check(
        &[(rate, "1 Mbit/s")],
        "--set middlebox.atcp.uplink_rate=1 Mbit/s: a subscriber's box needs round_trip beside \
         uplink_rate, what a ping takes alone",
    );
    check(
        &[("middlebox.atcp.uplink_clamp", "9 kB")],
        "--set middlebox.atcp.uplink_clamp=9 kB: a subscriber's box needs uplink_rate beside \
         uplink_clamp",
    );
    check(
        &[("middlebox.atcp.estimator", "radio")],
        "--set middlebox.atcp.estimator=radio: of radios only umts-dch reports its uplink to a \
         subscriber's box",
    );
    check(
        &[("middlebox.atcp.role", "modem")],
        "--set middlebox.atcp.role=modem: must be network or subscriber",
    );
}

#[test]
fn its_senders_are_as_the_hosts_but_for_what_the_kind_or_a_key_says() {
    let source = text(&["[tcp]\nvariant = \"vegas\"\nmss = \"1000 B\"\n", WIRES, LINK]);
    let controller = |settings: &[(&str, &str)]| {
        let scenario = parse(&source, settings).expect("valid");
        let tcp = match scenario.middlebox.expect("a middlebox").scheme {
            Scheme::ITcp { keys } => keys.relay.tcp,
            Scheme::Split { keys } => keys.relay.tcp,
            other => panic!("{}", other.name()),
        };
        assert_eq!(tcp.mss, 1000, "as the hosts have it");
        tcp.algorithm()
    };
    for (kind, expected) in [("i-tcp", Algorithm::Reno), ("split", Algorithm::Cubic)] {
        let of_kind = controller(&[("middlebox.kind", kind)]);
        assert_eq!(of_kind, expected.into(), "{kind}");
        let asked = controller(&[("middlebox.kind", kind), ("middlebox.tcp.variant", "westwood")]);
        assert_eq!(asked, Algorithm::Westwood.into(), "{kind}");
        let of_profile = controller(&[
            ("middlebox.kind", kind),
            ("middlebox.tcp.profile", "modern"),
            ("tcp.mss", "1000 B"),
            ("middlebox.tcp.mss", "1000 B"),
        ]);
        assert_eq!(of_profile, Algorithm::Cubic.into(), "{kind}");
    }
}

#[test]
fn its_senders_are_checked_as_the_hosts_are() {
    let line = |settings: &[(&str, &str)]| {
        let settings = [&[("middlebox.kind", "split")], settings].concat();
        parse(&text(&[WIRES, LINK]), &settings).expect_err("a fault")
    };
    assert_eq!(
        line(&[("middlebox.tcp.min_rto", "2 s"), ("middlebox.tcp.max_rto", "1 s")]),
        "--set middlebox.tcp.min_rto=2 s: middlebox.tcp.min_rto, 2 s, must not be above \
         middlebox.tcp.max_rto, 1 s"
    );
    assert_eq!(
        line(&[("middlebox.tcp.variant", "wtcp"), ("middlebox.tcp.timestamps", "false")]),
        "--set middlebox.tcp.variant=wtcp: wtcp reads separations off timestamps: \
         middlebox.tcp.timestamps must be true"
    );
    assert_eq!(
        line(&[("middlebox.tcp.varaint", "reno")]),
        "--set middlebox.tcp.varaint=reno: unknown key; did you mean middlebox.tcp.variant?"
    );
    assert_eq!(
        line(&[("middlebox.tcp.profile", "modem")]),
        "--set middlebox.tcp.profile=modem: must be ns2-1996, ns2-2.35, modern, linux-2.4 or \
         satellite, or none; did you mean modern?"
    );
}

#[test]
fn a_scenario_that_ships_has_no_box_of_its_own() {
    for shipped in shipped() {
        let scenario = Scenario::parse(shipped.text, shipped.name, &[]).expect(shipped.name);
        let scheme = scenario.middlebox.map(|middlebox| middlebox.scheme);
        assert!(matches!(scheme, None | Some(Scheme::None { .. })), "{}", shipped.name);
    }
}

#[test]
fn classes_that_are_none_are_refused() {
    let line = |classes: &str| {
        let text = format!("{}\n{classes}", text(&[WIRES, LINK]));
        parse(&text, &[("middlebox.kind", "atcp")]).expect_err(classes)
    };
    let class = |keys: &str| format!("[[middlebox.atcp.classes]]\n{keys}\n");
    assert!(line(&class("port = 20")).contains("needs a name"));
    let same = format!("{}{}", class("name = 'a'\nport = 20"), class("name = 'a'\nport = 80"));
    assert!(line(&same).ends_with("two classes have the name a"));
    let alike = format!("{}{}", class("name = 'a'\nport = 20"), class("name = 'b'\nport = 20"));
    assert!(line(&alike).ends_with("a and b are for the same flows"));
}

/// A setting makes the class that it names, as one of a file.
#[test]
fn settings_make_classes() {
    let kind = ("middlebox.kind", "atcp");
    let set = [
        kind,
        ("middlebox.atcp.classes.voice.dscp", "46"),
        ("middlebox.atcp.classes.voice.priority", "1"),
    ];
    let class = "[[middlebox.atcp.classes]]\nname = 'voice'\ndscp = 46\npriority = 1";
    let made = parse(&text(&[WIRES, LINK]), &set).expect("a class");
    let listed = parse(&text(&[WIRES, LINK, class]), &[kind]).expect("the same");
    assert_eq!(made.middlebox, listed.middlebox);
    let tickets = ("middlebox.atcp.classes.voic.tickets", "2");
    let of_none = parse(&text(&[WIRES, LINK, class]), &[kind, tickets]).expect_err("no flows");
    assert_eq!(
        of_none,
        "--set middlebox.atcp.classes.voic.tickets=2: voic needs a port or a dscp, and not both"
    );
}
