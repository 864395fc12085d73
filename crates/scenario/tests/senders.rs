//! Endpoints that differ from others: `[flow.tcp]`, `[flow.peer.tcp]`, and hosts of their own.

use base::Duration;
use scenario::{Scenario, build, shipped};

const LINK: &str = "[link]\nrate = \"1 Mbit/s\"\n";

fn parse(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(own).collect();
    Scenario::parse(text, "x", &settings).map_err(|error| error.to_string())
}

/// The variants of the flows of each group that has some, by its name.
fn variants(text: &str, settings: &[(&str, &str)]) -> Vec<(String, String)> {
    let scenario = parse(text, settings).expect("valid");
    let network = build(&scenario);
    network.flows.iter().map(|flow| (flow.group.clone(), flow.tcp.variant_name())).collect()
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(group, variant)| ((*group).to_owned(), (*variant).to_owned())).collect()
}

#[test]
fn a_setting_makes_a_group_with_a_sender_of_its_own() {
    let text = shipped().iter().find(|it| it.name == "bottleneck").expect("it ships").text;
    let setting = [("flow.group.a.tcp.variant", "bbr")];
    let scenario = parse(text, &setting).expect("valid");
    assert_eq!(
        scenario.made,
        ["flow.group.a is made by a setting: the scenario has none of that name"]
    );
    let both = variants(LINK, &[setting[0], ("flow.group.b.tcp.variant", "cubic")]);
    assert_eq!(both, named(&[("a", "bbr"), ("b", "cubic")]), "[flow] says nothing of its own");
    let both = variants(LINK, &[setting[0], ("flow.bytes", "1 MB")]);
    assert_eq!(both, named(&[("flow", "reno"), ("a", "bbr")]));
}

#[test]
fn a_name_that_is_nearly_that_of_another_group_is_told() {
    let text = format!("{LINK}[[flow.group]]\nname = \"typing\"\n");
    let scenario = parse(&text, &[("flow.group.typin.count", "2")]).expect("valid");
    assert_eq!(
        scenario.made,
        ["flow.group.typin is made by a setting: the scenario has none of that name; did you \
             mean typing?"]
    );
    assert_eq!(parse(&text, &[("flow.group.typing.count", "2")]).expect("valid").made, [""; 0]);
}

/// `[flow]` of a scenario of groups is one more, and its keys are not for the others.
#[test]
fn a_setting_that_gives_flow_itself_flows_is_told() {
    let group = "[[flow.group]]\nname = \"a\"\n";
    let made = |text: &str, key: &str, value: &str| {
        let made = parse(&format!("{LINK}{text}"), &[(key, value)]).expect("valid").made;
        made.iter().any(|line| line.starts_with("flow is made by a setting, as a group of its own"))
    };
    assert!(made(group, "flow.bytes", "1 MB"));
    assert!(made(group, "flow.count", "1"));
    assert!(!made(group, "flow.count", "0"));
    assert!(!made(group, "flow.group.a.bytes", "1 MB"));
    assert!(!made(&format!("[flow]\nbytes = \"2 MB\"\n{group}"), "flow.bytes", "1 MB"));
    assert!(!made("", "flow.bytes", "1 MB"));
}

/// The order: `[tcp]` with its profile, then the group's profile, then the group's keys.
#[test]
fn a_group_begins_with_what_holds_for_all() {
    let tcp = "[tcp]\nprofile = \"modern\"\nwindow = 99\nmax_retransmissions = 7\n";
    let group = "[[flow.group]]\nname = \"old\"\ntcp.profile = \"ns2-2.35\"\ntcp.window = 33\n";
    let plain = "[[flow.group]]\nname = \"plain\"\ntcp.mss = \"700 B\"\n";
    let scenario = parse(&[LINK, tcp, group, plain].concat(), &[]).expect("valid");
    let of = |index: usize| scenario.flow.group[index].endpoints(&scenario.tcp)[0];
    let ns2 = tcp::Profile::Ns2.config();
    assert_eq!((of(0).window, of(0).mss, of(0).prr), (33, ns2.mss, ns2.prr));
    assert_eq!(of(1).mss, 700);
    assert_eq!(tcp::Config { mss: scenario.tcp.mss, ..of(1).clone() }, scenario.tcp);
}

/// A pair of a group takes the place of what is inherited; single keys stay.
#[test]
fn a_variant_of_a_group_is_a_whole_pair() {
    let check = |tcp: &str, group: &[(&str, &str)], expect: &str| {
        let text = format!("{LINK}[tcp]\n{tcp}");
        let settings: Vec<_> =
            group.iter().map(|(key, value)| (format!("flow.group.a.tcp.{key}"), *value)).collect();
        let settings: Vec<_> = settings.iter().map(|(key, value)| (&**key, *value)).collect();
        assert_eq!(variants(&text, &settings), named(&[("a", expect)]), "{tcp} {group:?}");
    };
    let given = "congestion_control = \"westwood\"\nrecovery = \"rack\"\n";
    check(given, &[("window", "9")], "westwood+rack");
    check(given, &[("variant", "vegas")], "vegas");
    check(given, &[("variant", "sack"), ("congestion_control", "cubic")], "cubic");
    check(given, &[("congestion_control", "reno")], "reno+rack");
    check(given, &[("profile", "ns2-2.35")], "reno");
}

/// Receivers' own keys lie over those of both ends of the group.
#[test]
fn receivers_differ_from_their_senders() {
    let settings = [
        ("tcp.delayed_ack", "40 ms"),
        ("flow.group.a.tcp.mss", "1000 B"),
        ("flow.group.a.peer.tcp.delayed_ack", "200 ms"),
        ("flow.group.b.peer.tcp.sack", "true"),
    ];
    let scenario = parse(LINK, &settings).expect("valid");
    let of = |index: usize| scenario.flow.group[index].endpoints(&scenario.tcp);
    let [sender, receiver] = of(0);
    let ms = |ms| Some(Duration::from_millis(ms));
    assert_eq!((sender.mss, sender.delayed_ack), (1000, ms(40)));
    assert_eq!((receiver.mss, receiver.delayed_ack), (1000, ms(200)));
    let [sender, receiver] = of(1);
    assert_eq!((sender, receiver.sack), (&scenario.tcp, Some(true)));
}

/// An end may inherit a key that clashes with its own; the fault names the key that it can set too.
#[test]
fn a_receiver_without_marks_needs_a_variant_of_its_own() {
    let prague = [("tcp.variant", "prague"), ("tcp.ecn", "accurate")];
    let off = ("flow.group.a.peer.tcp.ecn", "off");
    let own = ("flow.group.a.peer.tcp.variant", "reno");
    let both = parse(LINK, &[&prague[..], &[off, own]].concat()).expect("valid");
    let [sender, receiver] = both.flow.group[0].endpoints(&both.tcp);
    assert_eq!((sender.variant_name(), receiver.variant_name()), ("prague".into(), "reno".into()));
    let at = "flow.group.a.peer.tcp";
    let expect = format!(
        "--set {at}.ecn=off: prague answers the share of marks: {at}.ecn must be accurate (RFC \
         9768), or {at}.variant another"
    );
    assert_eq!(parse(LINK, &[&prague[..], &[off]].concat()).expect_err("inherited"), expect);
    let said = parse(LINK, &[prague[0]]).expect_err("not inherited");
    assert!(said.ends_with("tcp.ecn must be accurate (RFC 9768)"), "{said}");
}

/// A delay gives a group a host of its own, beside the fixed one, where flows of it run alone.
#[test]
fn a_delay_gives_a_group_a_host_of_its_own() {
    let radio = "[radio]\nkind = \"umts-dch\"\nues = 3\n";
    for text in [LINK, radio] {
        let settings = [("flow.group.far.delay", "80 ms"), ("flow.group.far.count", "2")];
        let network = build(&parse(text, &settings).expect("valid"));
        let host = |flow: usize| {
            let end = network.flows[flow].ends[0];
            let mut machines = network.world.machines();
            let (_, _, machine) = machines.find(|(id, ..)| *id == end).expect("it was added");
            machine.host().expect("a TCP sender").node()
        };
        assert_eq!(network.world.node(host(0)).name(), "sender-far", "{text}");
        assert_eq!(host(0), host(1));
    }
}

#[test]
fn what_does_not_go_with_groups() {
    let refuse = |settings: &[(&str, &str)], expect: &str| {
        let line = parse(LINK, settings).expect_err(expect);
        assert_eq!(line, expect, "{settings:?}");
    };
    refuse(
        &[("flow.group.a.tcp.freeze.notices", "2")],
        "--set flow.group.a.tcp.freeze.notices=2: unknown key; did you mean tcp.freeze.notices?",
    );
    let line = parse(LINK, &[("flow.group.a.tcp.variant", "bbbr")]).expect_err("no such word");
    assert!(line.starts_with("--set flow.group.a.tcp.variant=bbbr: must be tahoe, "), "{line}");
    assert!(line.ends_with("; did you mean bbr?"), "{line}");
    refuse(
        &[("flow.group.a.tcp.recovery", "rack"), ("flow.group.a.tcp.sack", "false")],
        "--set flow.group.a.tcp.sack=false: flow.group.a.tcp.recovery repairs from selective \
         acknowledgements: flow.group.a.tcp.sack must not be false",
    );
    refuse(
        &[("flow.start", "spread over 5")],
        "--set flow.start=spread over 5: a duration needs its unit (ns, us, µs, ms, s, min, h or \
         d), as in 5 s",
    );
    let chain = format!(
        "{LINK}[[wired]]\nname = \"w\"\nbetween = [\"host\", \"a\"]\nrate = \"1 Mbit/s\"\n"
    );
    let refuse = |settings: &[(&str, &str)], expect: &str| {
        let line = parse(&chain, settings).expect_err(expect);
        assert_eq!(line, expect, "{settings:?}");
    };
    refuse(
        &[("flow.group.a.to", "b")],
        "--set flow.group.a.to=b: b is no node of [[wired]]: there are host, a",
    );
    refuse(
        &[("flow.group.a.to", "host")],
        "--set flow.group.a.to=host: flow.group.a.to must lie behind flow.group.a.from, on the way \
         to the mobile",
    );
    refuse(
        &[("flow.group.a.from", "a"), ("flow.group.a.hosts", "own")],
        "--set flow.group.a.from=a: give flow.group.a.hosts = own, or flow.group.a.from and \
         flow.group.a.to, not both",
    );
    refuse(
        &[("wired.w.queue.per_flow", "true")],
        "--set wired.w.queue.per_flow=true: unknown key; did you mean queue.per_flow?",
    );
    let radio = "[radio]\nkind = \"umts-dch\"\nues = 3\n";
    let line = parse(radio, &[("flow.group.a.hosts", "own")]).expect_err("several mobiles");
    assert_eq!(
        line,
        "--set flow.group.a.hosts=own: flows of several mobiles run from one host to them: \
         flow.group.a.hosts must be shared"
    );
}

/// What `ftp.cap` has to cut are the segments of every endpoint.
#[test]
fn pieces_of_any_endpoint_can_be_joined() {
    let text = shipped().iter().find(|it| it.name == "hmipv6-handover").expect("it ships").text;
    for key in ["flow.tcp.mss", "flow.group.a.tcp.mss", "flow.group.a.peer.tcp.mss"] {
        let line = parse(text, &[("ftp.cap", "100 B"), (key, "60000 B")]).expect_err(key);
        assert!(line.contains("would be cut into 600 pieces"), "{line}");
        assert!(line.starts_with("--set ") && !line.contains("--set mobile_ip"), "{line}");
    }
}
