//! Senders that differ share a pipe: laws of groups.

use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use scenario::Scenario;
use sim::{FlowSummary, GroupSummary, Recording, Summary, Threads, simulate};

const PIPES: [&str; 3] = [
    "duration = \"8 s\"\n[link]\nrate = \"6 Mbit/s\"\ndelay = \"15 ms\"\n[queue]\npackets = 30\n",
    "duration = \"8 s\"\n[link]\nrate = \"6 Mbit/s\"\nloss = \"1 %\"\n[queue]\nkind = \"codel\"\n",
    "duration = \"8 s\"\n[radio]\nkind = \"umts-dch\"\nues = 2\ntbler = \"5 %\"\n",
];

/// Keys in which a group may differ.
const OWN: [(&str, &str); 9] = [
    ("tcp.variant", "cubic"),
    ("tcp.variant", "bbr"),
    ("tcp.profile", "modern"),
    ("tcp.mss", "900 B"),
    ("peer.tcp.delayed_ack", "200 ms"),
    ("delay", "40 ms"),
    ("return_delay", "7 ms"),
    ("start", "spread over 3 s"),
    ("count", "2"),
];

fn run(pipe: &str, settings: &[(String, String)]) -> Summary {
    let scenario = Scenario::parse(pipe, "x", settings).expect("it is valid");
    let watch = &mut |_: _| ControlFlow::Continue(());
    simulate(&scenario, Recording::Series, Threads::MIN, watch).expect("it ends").summary
}

/// Settings of the group called `name`, with the keys `own`.
fn group(name: &str, own: &[(&str, &str)]) -> Vec<(String, String)> {
    let named =
        |(key, value): &(&str, &str)| (format!("flow.group.{name}.{key}"), (*value).to_owned());
    let made = (format!("flow.group.{name}.application"), "file".to_owned());
    std::iter::once(made).chain(own.iter().map(named)).collect()
}

/// Flows under other names.
fn renamed(flows: &[FlowSummary], names: &[(&str, &str)]) -> Vec<FlowSummary> {
    let mut flows = flows.to_vec();
    for flow in &mut flows {
        let (_, other) = names.iter().find(|(name, _)| *name == flow.group).expect("it is named");
        (*other).clone_into(&mut flow.group);
    }
    flows
}

fn own() -> impl Strategy<Value = Vec<(&'static str, &'static str)>> {
    subsequence(OWN.to_vec(), 0..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Two groups are told apart by what they are told alone: which is called what is nothing.
    #[test]
    fn names_of_groups_change_nothing(pipe in select(&PIPES[..]), one in own(), two in own()) {
        let run = |names: [&str; 2]| {
            run(pipe, &[group(names[0], &one), group(names[1], &two)].concat()).flows
        };
        let (first, second) = (run(["a", "b"]), run(["b", "a"]));
        prop_assert_eq!(renamed(&first, &[("a", "b"), ("b", "a")]), second);
    }

    /// A last group without flows changes nothing of the others.
    #[test]
    fn a_group_without_flows_is_not_there(pipe in select(&PIPES[..]), one in own(), two in own()) {
        let alone = group("a", &one);
        let empty = [two, vec![("count", "0")]].concat();
        let beside = [alone.clone(), group("b", &empty)].concat();
        prop_assert_eq!(run(pipe, &alone).flows, run(pipe, &beside).flows);
    }

    /// The parts make up the whole.
    #[test]
    fn sums_are_those_of_the_parts(pipe in select(&PIPES[..]), one in own(), two in own()) {
        let summary = run(pipe, &[group("a", &one), group("b", &two)].concat());
        let Summary { total, groups, flows, .. } = summary;
        let parts = |value: fn(&GroupSummary) -> u64| groups.iter().map(value).sum::<u64>();
        let each = |value: fn(&FlowSummary) -> u64| flows.iter().map(value).sum::<u64>();
        let counts = [
            (parts(|it| it.segments_sent), each(|it| it.segments_sent), total.segments_sent),
            (parts(|it| it.retransmits), each(|it| it.retransmits), total.retransmits),
            (parts(|it| it.timeouts), each(|it| it.timeouts), total.timeouts),
            (parts(|it| it.rtt_s.samples), each(|it| it.rtt_s.samples), total.rtt_s.samples),
            (
                parts(|it| it.delay_s.samples),
                each(|it| it.network.delay_s.samples),
                total.delay_s.samples,
            ),
            (parts(|it| u64::from(it.flows)), flows.len() as u64, u64::from(total.flows)),
        ];
        for (groups, flows, total) in counts {
            prop_assert_eq!((groups, flows), (total, total));
        }
        let shares: f64 = groups.iter().filter_map(|group| group.share).sum();
        prop_assert!((shares - 1.0).abs() < 1e-9, "{}", shares);
        let longest = groups.iter().filter_map(|group| group.delay_s.max).fold(0.0, f64::max);
        prop_assert_eq!(total.delay_s.max, Some(longest));
    }

    /// `[flow.tcp]` for all flows is as if `[tcp]` said it.
    #[test]
    fn what_all_are_told_is_told_to_each(pipe in select(&PIPES[..]), own in own()) {
        let tcp = own.iter().filter(|(key, _)| key.starts_with("tcp."));
        let of = |table: &str| -> Vec<(String, String)> {
            let own = tcp.clone();
            let own = own.map(|(key, value)| (format!("{table}{key}"), (*value).to_owned()));
            std::iter::once(("flow.count".to_owned(), "2".to_owned())).chain(own).collect()
        };
        prop_assert_eq!(run(pipe, &of("")).flows, run(pipe, &of("flow.")).flows);
    }
}

/// The delay of a group is in its round trips, and in nobody else's.
#[test]
fn a_delay_is_in_the_round_trips_of_its_group() {
    let fast = "duration = \"2 s\"\n[link]\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n";
    let check = |own: &[(&str, &str)], expect: u64| {
        let settings = [group("near", &[("bytes", "5 kB")]), group("far", own)].concat();
        let flows = run(fast, &settings).flows;
        let ms = |flow: &FlowSummary| flow.rtt_s.min.map_or(0, |rtt| (rtt * 1e3) as u64);
        assert_eq!([ms(&flows[0]), ms(&flows[1])], [10, expect], "{own:?}");
    };
    check(&[("bytes", "5 kB"), ("delay", "100 ms")], 210);
    check(&[("bytes", "5 kB"), ("delay", "100 ms"), ("return_delay", "0 s")], 110);
    check(&[("bytes", "5 kB"), ("return_delay", "30 ms")], 40);
    check(&[("bytes", "5 kB"), ("delay", "100 ms"), ("direction", "uplink")], 210);
    check(&[("bytes", "5 kB"), ("delay", "100 ms"), ("hosts", "own")], 210);
}

/// Flows that are spread begin at moments of their own, the same for the same seed.
#[test]
fn starts_are_spread_by_the_seed() {
    let starts = |seed: u64| -> Vec<u64> {
        let pipe = format!("seed = {seed}\n{}", PIPES[0]);
        let own = [("start", "spread over 3 s"), ("count", "8"), ("bytes", "1 kB")];
        let flows = run(&pipe, &group("a", &own)).flows;
        flows.iter().map(|flow| (flow.started_s.expect("it starts") * 1e3) as u64).collect()
    };
    let [one, again, other] = [1, 1, 2].map(starts);
    assert_eq!(one, again);
    assert_ne!(one, other);
    assert!(one.iter().all(|start| *start < 3000), "{one:?}");
    assert!(one.iter().any(|start| *start < 1500) && one.iter().any(|start| *start > 1500));
}

/// State is shared within a group (RFC 9040), not with others between the same hosts.
#[test]
fn state_is_shared_within_a_group() {
    let rto = |settings: &[(String, String)]| {
        let flows = run(PIPES[0], settings).flows;
        flows.last().map(|flow| flow.cwnd_segments.max).expect("there are flows")
    };
    let share = ("tcp.share_state", "temporal");
    let first = [share, ("bytes", "300 kB")];
    let later = [share, ("bytes", "2 kB"), ("start", "4 s")];
    let alone = rto(&group("b", &later));
    let beside = rto(&[group("a", &first), group("b", &later)].concat());
    assert_eq!(alone, beside, "another group's");
    let two = [share, ("count", "2"), ("bytes", "300 kB"), ("interval", "4 s")];
    let one = [share, ("bytes", "300 kB")];
    assert_ne!(rto(&group("b", &two)), rto(&group("b", &one)), "its own");
}

/// Traffic of one hop shares the queue of that hop, and no other.
#[test]
fn cross_traffic_meets_one_hop() {
    let chain = "duration = \"20 s\"\n\
        [[wired]]\nname = \"one\"\nbetween = [\"host\", \"a\"]\nrate = \"8 Mbit/s\"\n\
        delay = \"5 ms\"\nqueue.packets = 30\n\
        [[wired]]\nname = \"two\"\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\n\
        delay = \"5 ms\"\nqueue.packets = 30\n\
        [[wired]]\nname = \"three\"\nbetween = [\"b\", \"mobile\"]\nrate = \"8 Mbit/s\"\n\
        delay = \"5 ms\"\nqueue.kind = \"codel\"\n";
    let used = |own: &[(&str, &str)]| {
        let summary = run(chain, &group("cross", own));
        ["one", "two", "three"].map(|name| {
            let is_it = |link: &&sim::LinkSummary| link.name == format!("{name}/down");
            let link = summary.links.iter().find(is_it).expect("it is there");
            assert_eq!(link.queue_packets.max > 0, link.utilization > Some(0.0), "{name}");
            link.utilization.is_some_and(|share| share > 0.5)
        })
    };
    assert_eq!(used(&[]), [true, true, true]);
    assert_eq!(used(&[("from", "a"), ("to", "b")]), [false, true, false]);
    assert_eq!(used(&[("from", "a")]), [false, true, true]);
    assert_eq!(used(&[("to", "b")]), [true, true, false]);
    assert_eq!(used(&[("to", "a"), ("delay", "10 ms")]), [true, false, false]);
    let summary = run(chain, &group("across", &[("tcp.variant", "cubic"), ("tcp.window", "400")]));
    let drops = |name: &str| {
        let link = summary.links.iter().find(|link| link.name == name).expect("it is there");
        link.drops
    };
    assert!(drops("one/down") > 0, "a queue of 30 packets fills");
    assert_eq!(drops("two/down"), 0, "what comes at its rate does not wait");
}

/// A window that holds flows back is named by the key that gives it.
#[test]
fn a_hint_names_the_window_of_the_group() {
    let wide = "duration = \"5 s\"\n[link]\nrate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n";
    let settings = [group("a", &[("tcp.window", "7")]), group("b", &[("bytes", "1 kB")])].concat();
    let hints = run(wide, &settings).hints;
    let start = "flow 0: limited by flow.group.a.tcp.window (7 segments) for ";
    assert!(hints.iter().any(|hint| hint.starts_with(start)), "{hints:?}");
    assert!(!hints.iter().any(|hint| hint.contains(" tcp.window")), "{hints:?}");
}

/// Hints about what a group is told by a key of its own name that key, and by the common one
/// otherwise.
#[test]
fn hints_name_the_keys_of_the_group() {
    let wide = "duration = \"90 s\"\n[tcp]\nprofile = \"modern\"\n[link]\nrate = \"100 Mbit/s\"\n\
                delay = \"50 ms\"\n";
    let has = |settings: &[(String, String)], words: &str| {
        let hints = run(wide, settings).hints;
        assert!(hints.iter().any(|hint| hint.contains(words)), "{words}: {hints:?}");
    };
    let buffer = |key| group("a", &[(key, "20 kB")]);
    has(
        &buffer("tcp.receive_buffer"),
        "flow 0: limited by the receiver's window (flow.group.a.tcp.receive_buffer)",
    );
    has(&buffer("peer.tcp.receive_buffer"), "(flow.group.a.peer.tcp.receive_buffer)");
    let common = [("tcp.receive_buffer".to_owned(), "20 kB".to_owned())];
    let both = [&common[..], &group("a", &[("count", "2")])].concat();
    has(&both, "2 of 2 flows: limited by the receiver's window (tcp.receive_buffer)");
    let files = [group("a", &[("bytes", "9 kB")]), group("b", &[("segments", "7")])].concat();
    has(&files, "flow 0: complete at ");
    has(&files, " as flow.group.a.bytes says");
    has(&files, " as flow.group.b.segments says");
    let few = [("application", "probe"), ("probe.count", "1"), ("probe.least", "1 s")];
    let few = few.map(|(key, value)| (format!("flow.group.a.{key}"), value.to_owned()));
    has(&few, " as flow.group.a.probe.count says");
    has(&[("flow.bytes".to_owned(), "9 kB".to_owned())], " as flow.bytes says");
}
