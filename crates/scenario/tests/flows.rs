//! Groups of flows, their directions, ports and captures.

use base::{Duration, Ecn, Flags, Seq, TcpHeader, Time};
use scenario::{Network, Outside, Scenario, build, shipped};
use wire::{Addresses, Capture, Payload};
use world::Application;

const GROUPS: &str = "[flow]\ncount = 2\n[[flow.group]]\nname = \"typing\"\napplication = \
                      \"telnet\"\nstart = \"3 s\"\n[[flow.group]]\nname = \"pages\"\ncount = \
                      2\napplication = \"web\"\nport = 8080\nweb.protocol = \
                      \"http/1.0\"\n[link]\nrate = \"1 Mbit/s\"\n";

fn text(name: &str) -> &'static str {
    shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

/// Two connections of two clients, 200 ms apart.
pub(crate) fn capture() -> Vec<u8> {
    let mut capture = Capture::new(Vec::new(), "eth0").expect("a vector takes all");
    for (index, bytes) in [(0_u8, 700), (1, 900)] {
        let (source, destination) = ([10, 0, 0, 5 + index].into(), [10, 0, 0, 1].into());
        let addresses = Addresses::V4 { source, destination };
        let now = Time::ZERO + Duration::from_millis(200) * u64::from(index);
        for (seq, flags, payload) in [(1, Flags::SYN, 0), (2, Flags::ACK, bytes)] {
            let seq = Seq::new(seq);
            let header = TcpHeader {
                source_port: 4000,
                destination_port: 443,
                seq,
                flags,
                ..TcpHeader::default()
            };
            let payload = Payload::Zeros(payload);
            capture.write(now, &header, Ecn::NotCapable, &addresses, payload).expect("it fits");
        }
    }
    capture.finish().expect("a vector takes all")
}

fn parse(text: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let read = &|path: &str| match path {
        "two.pcapng" => Ok(capture()),
        "none.pcapng" => Ok(b"nothing".to_vec()),
        _ => Err("No such file or directory".to_owned()),
    };
    let outside = Outside { customs: &[], read };
    let parsed = Scenario::parse_from(text, "mine.toml", &settings, &outside);
    parsed.map_err(|error| error.to_string())
}

/// The names of the endpoints of each flow.
fn ends(network: &Network) -> Vec<[&str; 2]> {
    let name = |id| network.world.machines().find(|(other, ..)| *other == id).expect("it is").1;
    network.flows.iter().map(|flow| flow.ends.map(name)).collect()
}

#[test]
fn groups_are_numbered_on_and_go_by_name() {
    let scenario = parse(GROUPS, &[("flow.group.typing.telnet.count", "5")]).expect("valid");
    let network = build(&scenario);
    let groups: Vec<_> = network.flows.iter().map(|flow| flow.group.as_str()).collect();
    assert_eq!(groups, ["flow", "flow", "typing", "pages", "pages"]);
    assert_eq!(network.flows[2].bytes, Some(5));
    assert_eq!(network.flows[3].application, Application::Web);
    let names = ends(&network);
    assert_eq!(names[1], ["sender:9-receiver:1025", "receiver:1025-sender:9"]);
    assert_eq!(names[2], ["sender:23-receiver:1026", "receiver:1026-sender:23"]);
    assert_eq!(names[3], ["browser-3"; 2]);
}

/// What comes after the first group changes nothing of it.
#[test]
fn the_first_group_is_as_it_is_alone() {
    let file = "[flow]\nbytes = \"9 kB\"\n[link]\nrate = \"1 Mbit/s\"\n";
    let first = |text: &str| {
        let network = build(&parse(text, &[]).expect("valid"));
        let world::Machine::Host(host) = network.world.machine(network.flows[0].ends[0]) else {
            unreachable!("a file's sender is a host")
        };
        format!("{:?}", host.endpoint())
    };
    let group = "[[flow.group]]\nname = \"late\"\nstart = \"50 s\"\n";
    assert_eq!(first(file), first(&format!("{file}{group}")));
}

#[test]
fn directions_swap_ends() {
    let check = |settings: &[(&str, &str)], expect: [&str; 2]| {
        let scenario = parse(text("umts-cell-50"), settings).expect("valid");
        assert_eq!(ends(&build(&scenario))[0], expect, "{settings:?}");
    };
    let (ues, count) = (("radio.ues", "3"), ("flow.count", "3"));
    let file = ("flow.application", "file");
    let down = ["host:9-UE-0:1024", "UE-0:1024-host:9"];
    check(&[ues, count, file, ("flow.direction", "downlink")], down);
    let up = ["UE-0:1024-host:9", "host:9-UE-0:1024"];
    check(&[ues, count, file, ("flow.direction", "uplink")], up);
    let between = ["UE-0:9-UE-1:1024", "UE-1:1024-UE-0:9"];
    check(&[ues, count, file, ("flow.direction", "between-mobiles")], between);
    let web = ["UE-0:80-host:1024", "host:1024-UE-0:80"];
    check(&[ues, count, ("flow.application", "web"), ("flow.direction", "uplink")], web);
}

#[test]
fn a_capture_is_a_workload() {
    let settings = [("flow.arrivals", "two.pcapng"), ("flow.start", "1 s")];
    let network = build(&parse("[link]\nrate = \"1 Mbit/s\"", &settings).expect("valid"));
    assert_eq!(ends(&network)[1], ["sender:443-receiver:1025", "receiver:1025-sender:443"]);
    assert_eq!(network.flows[1].bytes, Some(0));
    assert_eq!(network.world.poll_timeout(), Some(Time::ZERO + Duration::from_secs(1)));
}

#[test]
fn limits_of_pages_are_in_order() {
    let wire = "[link]\nrate = \"1 Mbit/s\"";
    for (key, value, clash) in [
        ("main.max", "50 B", "main.min, 100 B, must not be above flow.web.main.max, 50 B"),
        ("main.min", "3 MB", "main.min, 3 MB, must not be above flow.web.main.max, 2 MB"),
        (
            "embedded.max",
            "10 B",
            "embedded.min, 50 B, must not be above flow.web.embedded.max, 10 B",
        ),
    ] {
        let key = format!("flow.web.{key}");
        let line = parse(wire, &[(&key, value)]).expect_err("out of order");
        assert_eq!(line, format!("--set {key}={value}: flow.web.{clash}"));
    }
}

#[test]
fn what_does_not_go_together() {
    let wire = "[link]\nrate = \"1 Mbit/s\"";
    let refuse = |text: &str, settings: &[(&str, &str)], expect: &str| {
        let line = parse(text, settings).expect_err(expect);
        assert_eq!(line, expect, "{settings:?}");
    };
    refuse(
        wire,
        &[("flow.direction", "between-mobiles")],
        "--set flow.direction=between-mobiles: flow.direction = between-mobiles needs two mobiles \
         or more, as in radio.ues = 2",
    );
    refuse(
        wire,
        &[("flow.arrivals", "two.pcapng"), ("flow.count", "3")],
        "--set flow.count=3: give flow.count or flow.arrivals, not both",
    );
    refuse(
        wire,
        &[("flow.arrivals", "none.pcapng")],
        "--set flow.arrivals=none.pcapng: none.pcapng: not a whole pcap or pcapng file",
    );
    refuse(
        wire,
        &[("flow.arrivals", "nowhere.pcap")],
        "--set flow.arrivals=nowhere.pcap: cannot read nowhere.pcap: No such file or directory",
    );
    refuse(
        wire,
        &[("flow.group.a b.bytes", "3 kB")],
        "--set flow.group.a b.bytes=3 kB: flow.group.NAME needs a name of letters, digits, - and _",
    );
    refuse(
        wire,
        &[("flow.count", "0")],
        "--set flow.count=0: there are no flows: flow.count or that of a [[flow.group]] must be 1 \
         or more",
    );
    refuse(
        GROUPS,
        &[("flow.group.typing.byte", "3 kB")],
        "--set flow.group.typing.byte=3 kB: unknown key; did you mean flow.group.typing.bytes?",
    );
    refuse(
        wire,
        &[("flow.count", "64513")],
        "--set flow.count=64513: 64513 flows at one mobile, which has 64512 ports: flow.count must \
         be lower, or flow.hosts own",
    );
    let probe = ("flow.application", "probe");
    refuse(
        wire,
        &[probe, ("tcp.mss", "400")],
        "--set tcp.mss=400: flow.probe.bytes must be at most tcp.mss: a probe is one segment",
    );
    refuse(
        wire,
        &[probe, ("flow.probe.least", "9 s")],
        "--set flow.probe.least=9 s: flow.probe.least, 9 s, must not be above flow.probe.most, 8 s",
    );
}

#[test]
fn names_of_groups_that_cannot_be() {
    let wire = "[link]\nrate = \"1 Mbit/s\"";
    let refuse = |text: &str, expect: &str| assert_eq!(parse(text, &[]).expect_err(text), expect);
    let group = |rest: &str| format!("{wire}\n[[flow.group]]\n{rest}");
    let unnamed = "mine.toml:3: flow.group: every [[flow.group]] needs a name, as in name = \
                   \"second\"";
    refuse(&group("bytes = \"3 kB\""), unnamed);
    let twice = "mine.toml:4: flow.group: two groups of flows have the name flow";
    refuse(&group("name = \"flow\""), twice);
    for taken in ["all", "3"] {
        let line = format!("the name {taken} stands for something else already");
        refuse(&group(&format!("name = \"{taken}\"")), &format!("mine.toml:4: flow.group: {line}"));
    }
    let long = format!("name = \"{}\"", "a".repeat(61));
    let line = "mine.toml:4: flow.group: the name of a group has at most 60 characters";
    refuse(&group(&long), line);
    let nested = "mine.toml:3: flow.group: b: a group of flows has no groups of its own";
    refuse(&group("name = \"b\"\n[[flow.group.group]]\nname = \"c\""), nested);
}

/// A fault that a setting made is told of the setting, with the group that it is of.
#[test]
fn faults_of_groups_are_those_of_the_setting() {
    let ports = |at: &str| {
        format!(
            "64517 flows at one mobile, which has 64512 ports: {at}.count must be lower, or \
             {at}.hosts own"
        )
    };
    let none = "there are no flows: flow.count or that of a [[flow.group]] must be 1 or more";
    let long = format!("flow.group.{}.count", "a".repeat(61));
    let probe = [("flow.group.x.application", "probe"), ("flow.group.x.probe.bytes", "2 kB")];
    let mss = |mss: &str| {
        format!("flow.group.x.probe.bytes must be at most {mss}: a probe is one segment")
    };
    let own = [probe[0], probe[1], ("flow.group.x.tcp.window", "9")];
    for (settings, at, expect) in [
        (&[("flow.group.x.count", "64512")][..], 0, &*ports("flow.group.x")),
        (&[("flow.group.typing.count", "64513")], 0, &ports("flow.group.typing")),
        (
            &[
                ("flow.group.typing.count", "0"),
                ("flow.group.pages.count", "0"),
                ("flow.count", "0"),
            ],
            2,
            none,
        ),
        (&[("flow.group.typing.name", "pages")], 0, "two groups of flows have the name pages"),
        (&[("flow.group.pages.name", "typing")], 0, "two groups of flows have the name typing"),
        (&[("flow.name", "pages")], 0, "two groups of flows have the name pages"),
        (&[("flow.group.pages.name", "all")], 0, "the name all stands for something else already"),
        (&[(&*long, "1")], 0, "the name of a group has at most 60 characters"),
        (&probe, 1, &mss("tcp.mss")),
        (&own, 1, &mss("flow.group.x.tcp.mss")),
    ] {
        let (key, value) = settings[at];
        let expect = format!("--set {key}={value}: {expect}");
        assert_eq!(parse(GROUPS, settings).expect_err(&expect), expect);
    }
}

#[test]
fn keys_of_udp_that_do_not_go_together() {
    let udp = ("flow.application", "udp");
    let check = |settings: &[(&str, &str)], expected: &str| {
        let settings = [&[udp], settings].concat();
        let parsed = parse("[link]\nrate = \"1 Mbit/s\"", &settings);
        assert_eq!(parsed.expect_err("it is wrong"), expected);
    };
    check(
        &[("flow.udp.off_time", "1 s"), ("flow.udp.on_time", "26 ms")],
        "--set flow.udp.on_time=26 ms: flow.udp.on_time must be at least 0.02625 s, the time of \
         one datagram at flow.udp.rate",
    );
    check(
        &[("flow.udp.payload", "65508 B")],
        "--set flow.udp.payload=65508 B: must be a size from 1 B to 65507 B",
    );
    check(&[("flow.udp.rate", "0 kbit/s")], "--set flow.udp.rate=0 kbit/s: must be above zero");
    check(
        &[("flow.udp.offtime", "1 s")],
        "--set flow.udp.offtime=1 s: unknown key; did you mean flow.udp.off_time?",
    );
}

/// Keys of a file that a setting of the application leaves without a meaning are passed over.
#[test]
fn a_setting_makes_datagrams_of_whatever_a_file_says() {
    let text = "[flow]\nopened_by = \"receiver\"\nabort = \"9 s\"\n[link]\nrate = \"1 Mbit/s\"";
    let network = build(&parse(text, &[("flow.application", "udp")]).expect("valid"));
    assert_eq!(
        ends(&network),
        [["sender:1024/udp-receiver:9/udp", "receiver:9/udp-sender:1024/udp"]]
    );
    assert_eq!(network.flows[0].application, Application::Udp);
}

/// A setting of one group takes away what the file says of it in other words, and of no other.
#[test]
fn settings_of_a_group_win_in_whatever_words() {
    let text = "[link]\nrate = \"1 Mbit/s\"\n[[flow.group]]\nname = \"a\"\nsegments = \
                3\n[[flow.group]]\nname = \"b\"\nsegments = 4";
    let scenario = parse(text, &[("flow.group.a.bytes", "77 B")]).expect("valid");
    let payload: Vec<_> = scenario.groups().map(|group| group.payload(10)).collect();
    assert_eq!(payload, [None, Some(77), Some(40)]);
}

#[test]
fn keys_of_calls_that_do_not_go_together() {
    let check = |settings: &[(&str, &str)], expected: &str| {
        let settings = [&[("flow.application", "voip")], settings].concat();
        let parsed = parse("[link]\nrate = \"1 Mbit/s\"", &settings);
        assert_eq!(parsed.expect_err("it is wrong"), expected);
    };
    let frames = "flow.voip.interval must be a multiple of";
    check(
        &[("flow.voip.codec", "g723.1")],
        &format!("--set flow.voip.codec=g723.1: {frames} 30 ms, the frame of g723.1"),
    );
    check(
        &[("flow.voip.interval", "25 ms"), ("flow.voip.codec", "g729a")],
        &format!("--set flow.voip.interval=25 ms: {frames} 10 ms, the frame of g729a"),
    );
    check(
        &[("flow.voip.interval", "100 us")],
        &format!("--set flow.voip.interval=100 us: {frames} 0.125 ms, the frame of g711"),
    );
    check(
        &[("flow.voip.interval", "1 s")],
        "--set flow.voip.interval=1 s: must be a duration from 1 ns to 200 ms",
    );
    check(
        &[("flow.voip.codec", "opus")],
        "--set flow.voip.codec=opus: must be g711, g711-without-plc, g729a, g723.1 or amr-12.2",
    );
    check(
        &[("flow.voip.buffer", "60")],
        "--set flow.voip.buffer=60: a duration needs its unit (ns, us, µs, ms, s, min, h or d), \
         as in 60 s",
    );
    check(
        &[("flow.voip.added_delay", "-1 ms")],
        "--set flow.voip.added_delay=-1 ms: must be a duration that is not negative",
    );
    check(
        &[("flow.voip.ie", "41")],
        "--set flow.voip.ie=41: must be a number from 0 to 40, or by codec",
    );
    check(
        &[("flow.voip.bpl", "0")],
        "--set flow.voip.bpl=0: must be a number from 1 to 40, or by codec",
    );
    check(
        &[("flow.voip.e_model.telr", "70 dB")],
        "--set flow.voip.e_model.telr=70 dB: must be a level from 5 dB to 65 dB, or none",
    );
    check(
        &[("flow.voip.e_model.slr", "8")],
        "--set flow.voip.e_model.slr=8: must be a level from 0 dB to 18 dB",
    );
    check(
        &[("flow.voip.e_model.qdu", "0")],
        "--set flow.voip.e_model.qdu=0: must be a whole number from 1 to 14",
    );
    check(
        &[("flow.voip.e_model.advantage", "21")],
        "--set flow.voip.e_model.advantage=21: must be a number from 0 to 20",
    );
    check(
        &[("flow.voip.e_model.delay_sensitivity", "high")],
        "--set flow.voip.e_model.delay_sensitivity=high: must be default, low or very-low",
    );
    check(
        &[("flow.voip.rate", "64 kbit/s")],
        "--set flow.voip.rate=64 kbit/s: unknown key; did you mean flow.udp.rate?",
    );
}

/// A call is a flow of datagrams to the port of RTP, with the keys of its group.
#[test]
fn a_group_of_calls_has_its_own_keys() {
    let text = "[link]\nrate = \"1 Mbit/s\"\n[[flow.group]]\nname \
                = \"calls\"\napplication = \"voip\"";
    let settings = [("flow.group.calls.voip.interval", "40 ms")];
    let scenario = parse(text, &settings).expect("valid");
    let calls = scenario.groups().find(|group| group.name == "calls").expect("there is one");
    assert_eq!(calls.applications.voip.interval, Duration::from_millis(40));
    let network = build(&scenario);
    let last = network.flows.last().expect("there are flows");
    assert_eq!((last.application, last.bytes), (Application::Voip, None));
    assert!(ends(&network).concat().iter().any(|end| end.contains(":5004/udp")));
}
