//! Runs over links that queue, lose and change: what happens to packets, in integers.

use std::ops::ControlFlow;

use base::Duration;
use observe::{DropReason, PacketEvent};
use scenario::{Outside, Scenario};
use sim::{DatagramOutcome, DropsSummary, LinkSummary, Outcome, Recording, Threads, simulate};

/// 1500 B every 12 ms: 1 Mbit/s.
const TRACE: &[u8] = b"12\n24\n36\n48\n60\n";

/// 1500 B every 6 ms for three seconds, and nothing for 27.
fn burst() -> Vec<u8> {
    let stamps = (1..=500).map(|count| 6 * count).chain([30_000]).map(|stamp| format!("{stamp}\n"));
    stamps.collect::<String>().into_bytes()
}

fn bottleneck(settings: &[(&str, &str)]) -> Outcome {
    run("bottleneck", settings)
}

fn run(name: &str, settings: &[(&str, &str)]) -> Outcome {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == name);
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let read = &|path: &str| match path {
        "1Mbit.trace" => Ok(TRACE.to_vec()),
        "burst.trace" => Ok(burst()),
        _ => Err("No such file or directory".to_owned()),
    };
    let outside = Outside { customs: &[], read };
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse_from(text, name, &settings, &outside).expect("valid");
    simulate(&scenario, Recording::Everything, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

fn link<'a>(outcome: &'a Outcome, name: &str) -> &'a LinkSummary {
    let links = &outcome.summary.links;
    links.iter().find(|link| link.name == name).expect("there is one of that name")
}

/// The relative sequence numbers of the packets that were dropped, in order of their loss.
fn dropped(outcome: &Outcome) -> Vec<u32> {
    let trace = outcome.trace.as_ref().expect("everything is recorded");
    let is_drop = |event| matches!(event, PacketEvent::Dropped(_));
    let seq = |uid| {
        let segment = trace.segments.iter().find(|row| row.uid == uid);
        segment.expect("an endpoint sent it").relative_seq
    };
    trace.hops.iter().filter(|hop| is_drop(hop.event)).map(|hop| seq(hop.uid)).collect()
}

/// Acknowledged bytes and drops towards the receiver.
fn check(settings: &[(&str, &str)], expect: DropsSummary) -> Outcome {
    let outcome = bottleneck(settings);
    let down = link(&outcome, "bottleneck/down");
    assert_eq!(down.drops_by_reason, expect, "{settings:?}");
    assert_eq!(outcome.summary.flows[0].bytes_acked, 200_000, "{settings:?}");
    let DropsSummary { queue, aqm, loss, list, outage, .. } = expect;
    let total = queue + aqm + loss + list + outage;
    assert_eq!(down.drops, total);
    let seen = dropped(&outcome).len() as u64;
    assert_eq!(seen, total + link(&outcome, "bottleneck/up").drops, "{settings:?}");
    outcome
}

const NONE: DropsSummary =
    DropsSummary { queue: 0, aqm: 0, loss: 0, list: 0, outage: 0, discarded: 0, unreachable: 0 };

#[test]
fn the_shipped_bottleneck_is_two_plain_pipes_and_drops_nothing_before_its_queue_is_full() {
    let outcome = check(&[("queue.packets", "unlimited")], NONE);
    let names: Vec<_> = outcome.machines.iter().map(String::as_str).collect();
    assert_eq!(names[..4], ["access/down", "access/up", "bottleneck/down", "bottleneck/up"]);
    assert_eq!(outcome.summary.flows[0].segments_sent, 200);
}

/// The SYN is 0 and data follow: packet n carries segment n, from 1, whatever acknowledgements
/// pass, until something is sent again.
#[test]
fn listed_arrivals_are_dropped_and_no_others() {
    let of = |list: &[u64]| DropsSummary { list: list.len() as u64, ..NONE };
    let lists: [&[u64]; 4] = [&[14], &[14, 28], &[14, 26, 28], &[14, 24, 26, 28]];
    for list in lists {
        let value = format!("{list:?}");
        let settings = [("link.drop_arrivals", value.as_str()), ("tcp.window", "28")];
        let outcome = check(&settings, of(list));
        let expect: Vec<_> = list.iter().map(|&number| (number as u32 - 1) * 1000 + 1).collect();
        assert_eq!(dropped(&outcome), expect);
    }
    let outcome = check(&[("link.drop_arrivals", "0,1"), ("tcp.window", "28")], of(&[0, 1]));
    assert_eq!(dropped(&outcome), [0, 0], "the SYN, twice");
}

#[test]
fn the_way_back_counts_no_pure_acknowledgement() {
    let outcome = bottleneck(&[("link.back.drop_arrivals", "[0, 1]")]);
    let up = link(&outcome, "bottleneck/up");
    assert_eq!((up.drops, up.drops_by_reason.list), (2, 2), "SYN and acknowledgement, twice");
    assert_eq!(dropped(&outcome), [0, 0]);
}

#[test]
fn queues() {
    check(&[("queue.packets", "30")], DropsSummary { queue: 15, ..NONE });
    let settings = [("queue.packets", "unlimited"), ("queue.bytes", "30 kB")];
    check(&settings, DropsSummary { queue: 17, ..NONE });
    let settings = [("queue.kind", "red"), ("queue.red.weight", "5 %")];
    check(&settings, DropsSummary { aqm: 31, ..NONE });
    check(&[("queue.kind", "codel")], DropsSummary { aqm: 3, ..NONE });
    check(&[("queue.kind", "fq-codel")], DropsSummary { aqm: 3, ..NONE });
    check(
        &[("queue.kind", "pie"), ("queue.pie.max_burst", "0 s")],
        DropsSummary { aqm: 14, ..NONE },
    );
    check(&[("queue.kind", "dualpi2")], DropsSummary { aqm: 20, ..NONE });
    check(&[("queue.kind", "cake")], DropsSummary { aqm: 3, ..NONE });
    // One of 12 is being sent: of the other 11 and the one that arrives, half go at once.
    let half = [("queue.kind", "fq-codel"), ("queue.packets", "12")];
    check(&half, DropsSummary { aqm: 2, queue: 6, ..NONE });
}

#[test]
fn losses() {
    check(&[("link.loss", "2 %")], DropsSummary { loss: 3, ..NONE });
    let settings = [("link.gilbert_elliott.p", "5 %"), ("link.gilbert_elliott.r", "50 %")];
    check(&settings, DropsSummary { loss: 9, ..NONE });
    check(&[("link.outages", "[['1 s', '1.1 s']]")], DropsSummary { outage: 5, ..NONE });
    let outcome = check(&[("link.back.loss", "10 %")], NONE);
    assert_eq!(link(&outcome, "bottleneck/up").drops_by_reason.loss, 28);
}

#[test]
fn a_schedule_changes_the_rate() {
    let completed = |settings: &[(&str, &str)]| {
        let outcome = check(settings, NONE);
        outcome.summary.flows[0].completed_s.expect("it ends")
    };
    let unlimited = ("queue.packets", "unlimited");
    let slow = completed(&[unlimited]);
    let schedule = "[{at = '1 s', rate = '8 Mbit/s'}, {at = '1.1 s', rate = '0.8 Mbit/s'}]";
    let faster = completed(&[unlimited, ("link.schedule", schedule)]);
    assert!(faster < slow, "{faster} s, not less than {slow} s");
    let same = completed(&[unlimited, ("link.schedule", "[{at = '1 s', rate = '800 kbit/s'}]")]);
    assert_eq!(same.to_bits(), slow.to_bits());
}

/// A wire that changes does what a link does whose two directions change.
#[test]
fn a_wire_changes_its_rate_as_a_link_does() {
    let steps = "[{at = '1 s', rate = '64 kbit/s'}, {at = '1.1 s'}, {at = '2 s', \
                 rate = '8 Mbit/s'}, {at = '3 s', rate = 'unlimited'}]";
    let flow = "[flow]\ncount = 2\nbytes = \"200 kB\"\n";
    let wire = "[[wired]]\nname = \"way\"\nbetween = [\"host\", \"end\"]\nrate = \"1 Mbit/s\"\n\
                delay = \"50 ms\"\nqueue.packets = 20\n";
    let link = "[link]\nname = \"way\"\nrate = \"1 Mbit/s\"\ndelay = \"50 ms\"\n\
                back.rate = \"1 Mbit/s\"\n[queue]\npackets = 20\n";
    let run = |text: &str, keys: &[&str]| {
        let text = format!("duration = \"20 s\"\nseed = 3\n{flow}{text}");
        let settings: Vec<_> = keys.iter().map(|&key| (key.to_owned(), steps.to_owned())).collect();
        let scenario = Scenario::parse(&text, "way", &settings).expect("valid");
        let pulse = &mut |_| ControlFlow::Continue(());
        let outcome = simulate(&scenario, Recording::Series, Threads::MIN, pulse);
        let summary = outcome.expect("nothing interrupts it").summary;
        let flows = summary.flows.iter();
        flows.map(|flow| (flow.completed_s.map(f64::to_bits), flow.retransmits)).collect::<Vec<_>>()
    };
    let of_wire = run(wire, &["wired.way.schedule"]);
    assert_eq!(of_wire, run(link, &["link.schedule", "link.back.schedule"]));
    assert_ne!(of_wire, run(wire, &[]));
    assert!(of_wire.iter().all(|(completed, _)| completed.is_some()), "{of_wire:?}");
}

/// 200 packets of 1040 B, the SYN and two pure acknowledgements, in opportunities of 1500 B.
#[test]
fn a_trace_gives_its_opportunities() {
    let settings = [
        ("link.trace.down", "1Mbit.trace"),
        ("link.trace.up", "1Mbit.trace"),
        ("queue.packets", "unlimited"),
    ];
    let outcome = check(&settings, NONE);
    let flow = &outcome.summary.flows[0];
    assert_eq!(flow.segments_sent, 200);
    let down = link(&outcome, "bottleneck/down");
    let sent = 200 * 1040 + 44 + 40 + 40;
    let opportunities = 60_000 / 12 * 1500;
    let expect = f64::from(sent) / f64::from(opportunities);
    assert!((down.utilization.expect("it has a rate") - expect).abs() < 1e-9);
}

/// Throughput is a part of what the link offered while the run lasted.
#[test]
fn no_flow_gets_more_than_a_trace_offers() {
    for duration in ["2 s", "4 s", "40 s"] {
        let settings = [("link.trace.down", "burst.trace"), ("duration", duration)];
        let flow = &bottleneck(&settings).summary.flows[0];
        let part = flow.normalized_throughput.expect("a trace has a rate");
        assert!(part > 0.0 && part <= 1.0, "{part} of it in {duration}");
    }
}

#[test]
fn the_same_seed_gives_the_same_run_and_another_another() {
    let run = |seed: &str| {
        let settings = [("link.loss", "5 %"), ("queue.kind", "red"), ("seed", seed)];
        bottleneck(&settings).summary
    };
    assert_eq!(run("1"), run("1"));
    assert_ne!(run("1").flows, run("2").flows);
}

/// After a tail of losses it is the window that holds the sender back, though nothing new waits:
/// CUBIC, which grows only then, is as fast as ever.
#[test]
fn a_lost_tail_is_repaired_in_slow_start() {
    let arrivals: Vec<String> = (20..=60).map(|arrival| arrival.to_string()).collect();
    let arrivals = format!("[{}]", arrivals.join(", "));
    let check = |recovery| {
        let outcome = bottleneck(&[
            ("tcp.congestion_control", "cubic"),
            ("tcp.recovery", recovery),
            ("tcp.initial_window", "60"),
            ("flow.segments", "60"),
            ("link.drop_arrivals", &arrivals),
        ]);
        let completed = outcome.summary.flows[0].completed_s.expect("it ends");
        assert!(completed < 4.0, "{recovery}: {completed} s");
    };
    check("newreno");
    check("sack");
}

/// Datagrams over a wire that disorders them: each arrives, is discarded for its checksum or is
/// under way, and the link has counted what it did.
#[test]
fn a_wire_that_disorders_datagrams() {
    let outcome = bottleneck(&[
        ("flow.application", "udp"),
        ("flow.udp.rate", "400 kbit/s"),
        ("link.delay", "50 ms"),
        ("link.jitter", "10 ms"),
        ("link.jitter_order", "free"),
        ("link.reorder", "1 %"),
        ("link.duplicate", "5 %"),
        ("link.corrupt", "4 %"),
        ("duration", "60 s"),
    ]);
    let trace = outcome.trace.as_ref().expect("it was recorded");
    let count = |event: fn(&PacketEvent) -> bool| {
        trace.hops.iter().filter(|row| event(&row.event)).count() as u64
    };
    let discarded = count(|event| *event == PacketEvent::Dropped(DropReason::Corrupt));
    let found = link(&outcome, "bottleneck/down").disorder.expect("it may");
    assert_eq!(found.corrupted, count(|event| *event == PacketEvent::Corrupted));
    assert_eq!(found.duplicated, count(|event| matches!(event, PacketEvent::Duplicated(_))));
    assert_eq!(found.corrupted, discarded);
    let datagrams = outcome.summary.flows[0].datagrams.as_deref().expect("it has some");
    assert_eq!(datagrams.lost, discarded);
    assert_eq!(datagrams.sent, datagrams.received + datagrams.lost + datagrams.under_way);
    let shares = [(found.duplicated, 0.05), (found.corrupted, 0.04)];
    for (found, expect) in shares {
        let (sent, found) = (datagrams.sent as f64, found as f64);
        let deviation = (sent * expect * (1.0 - expect)).sqrt();
        assert!((found - sent * expect).abs() < 4.0 * deviation, "{found} of {sent}");
    }
    assert!(found.reordered > 0);
    assert_eq!(link(&outcome, "bottleneck/up").disorder, None);
    let delays =
        outcome.metrics.flows()[0].datagrams().iter().filter_map(|row| match row.outcome {
            DatagramOutcome::Received { at } => Some(at.saturating_since(row.sent)),
            DatagramOutcome::UnderWay | DatagramOutcome::Lost { .. } => None,
        });
    let least = delays.min().expect("some arrived");
    assert!(least >= Duration::from_millis(40), "{least:?}");
}

/// TCP over the same, with and without middleboxes, which pass on what has a wrong bit: the file
/// arrives whole.
#[test]
fn a_file_arrives_over_a_wire_that_disorders_packets() {
    for middlebox in ["none", "atcp", "snoop", "split"] {
        let outcome = bottleneck(&[
            ("middlebox.kind", middlebox),
            ("flow.bytes", "300 kB"),
            ("link.delay", "50 ms"),
            ("link.jitter", "5 ms"),
            ("link.reorder", "2 %"),
            ("link.duplicate", "5 %"),
            ("link.corrupt", "2 %"),
            ("link.back.delay", "50 ms"),
            ("link.back.jitter", "50 ms"),
            ("link.back.jitter_order", "free"),
            ("link.back.duplicate", "5 %"),
            ("link.back.corrupt", "2 %"),
            ("duration", "200 s"),
        ]);
        let flow = &outcome.summary.flows[0];
        assert!(flow.completed_s.is_some(), "{middlebox}: {flow:?}");
        assert_eq!(flow.bytes_acked, 300_000, "{middlebox}");
        for name in ["bottleneck/down", "bottleneck/up"] {
            let found = link(&outcome, name).disorder.expect("it may");
            assert!(found.reordered > 0 && found.duplicated > 0 && found.corrupted > 0);
        }
    }
}

/// A group's own wire: only its packets stray.
#[test]
fn the_wire_of_a_group_strays_alone() {
    let outcome = bottleneck(&[
        ("flow.group.far.delay", "20 ms"),
        ("flow.group.far.jitter", "20 ms"),
        ("flow.group.far.jitter_order", "free"),
        ("flow.group.near.delay", "20 ms"),
        ("duration", "20 s"),
    ]);
    assert!(link(&outcome, "sender-far/out").disorder.is_some_and(|found| found.reordered > 0));
    assert_eq!(link(&outcome, "sender-near/out").disorder, None);
    assert_eq!(link(&outcome, "bottleneck/down").disorder, None);
}

/// Jitter of 5 ms that reorders most packets: RACK (RFC 8985) waits for what is late,
/// where three segments beyond a hole are a loss to SACK (RFC 6675).
#[test]
fn rack_keeps_its_rate_under_reordering() {
    let goodput = |recovery| {
        let settings = [
            ("tcp.profile", "modern"),
            ("tcp.mss", "1448"),
            ("tcp.variant", "cubic"),
            ("tcp.recovery", recovery),
            ("tcp.window", "2000"),
            ("link.rate", "20 Mbit/s"),
            ("link.delay", "20 ms"),
            ("link.jitter", "5 ms"),
            ("link.jitter_order", "free"),
            ("queue.packets", "100"),
            ("duration", "10 s"),
        ];
        let outcome = run("plain-384", &settings);
        let found = link(&outcome, "bottleneck/down").disorder.expect("it may");
        assert!(found.reordered > 500, "{found:?}");
        outcome.summary.flows[0].goodput_bps.expect("it sent")
    };
    let [rack, sack] = ["rack", "sack"].map(goodput);
    assert!(rack > 12e6 && sack < rack / 3.0, "{rack} and {sack} bit/s");
}
