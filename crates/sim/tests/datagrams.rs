//! UDP sources over every path: laws of what is sent, received and lost.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base::{Duration, Time};
use observe::DropReason;
use scenario::{Scenario, shipped};
use sim::{
    DatagramOutcome, DatagramRow, DatagramSummary, FlowMetrics, Keep, Metrics, Outcome, Recording,
    Threads, simulate,
};
use tcp::Length;
use world::{Body, Ipv4, Ipv6};

/// A link of 50 kbit/s with 300 ms one way.
const THIN: &str =
    "[flow]\napplication = \"udp\"\n[link]\nrate = \"50 kbit/s\"\ndelay = \"300 ms\"\n";

/// A UDP flow beside those of a scenario.
const BESIDE: &str = "\n[[flow.group]]\nname = \"datagrams\"\napplication = \"udp\"\n";

/// A wire ahead of a link, where boxes stand.
const WIRE: &str = "[[wired]]\nname = \"LAN\"\nbetween = [\"host\", \"proxy\"]\ndelay = \"1 ms\"\n";

fn text(name: &str) -> &'static str {
    shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

fn parse(text: &str, settings: &[(&str, &str)]) -> Scenario {
    let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    Scenario::parse(text, "mine", &settings).expect("it is valid")
}

fn run(text: &str, settings: &[(&str, &str)]) -> Outcome {
    let scenario = parse(text, settings);
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("it ends")
}

/// The datagrams of flow number `flow`.
fn rows(outcome: &Outcome, flow: usize) -> &[DatagramRow] {
    outcome.metrics.flows()[flow].datagrams()
}

fn summary(outcome: &Outcome, flow: usize) -> DatagramSummary {
    *outcome.summary.flows[flow].datagrams.clone().expect("it is UDP")
}

/// The paths that a scenario of the repository leads, each with settings that lose some.
const PATHS: [(&str, &[(&str, &str)]); 12] = [
    ("link", &[("link.rate", "50 kbit/s"), ("link.delay", "1 s"), ("queue.packets", "20")]),
    ("link", &[("link.loss", "10 %"), ("link.rate", "100 kbit/s"), ("queue.kind", "codel")]),
    ("link", &[("queue.kind", "fair"), ("link.rate", "50 kbit/s")]),
    ("umts-dch-384", &[("radio.rlc.mode", "tm"), ("radio.tbler", "5 %")]),
    ("umts-dch-384", &[("radio.rlc.mode", "um"), ("radio.tbler", "5 %")]),
    ("umts-dch-384", &[("radio.rlc.mode", "am"), ("radio.tbler", "20 %")]),
    ("umts-thesis", &[]),
    ("umts-cell-50", &[]),
    ("gprs-3+1", &[("radio.tbler", "20 %")]),
    ("edge-4+1", &[]),
    ("hmipv6-handover", &[]),
    ("hmipv6-handover", &[("flow.udp.payload", "3 kB"), ("mobile_ip.mtu", "1280")]),
];

/// What was sent is what arrived, what was dropped and what is on its way, which is all somewhere.
fn conserve<B: Body<Payload = Length>>(text: &str, settings: &[(&str, &str)]) -> [usize; 3] {
    let scenario = parse(text, settings);
    let mut network = scenario::build_over::<B>(&scenario);
    let flow = |flow: &scenario::NetworkFlow| sim::Flow {
        number: flow.number,
        sender: flow.ends[0].0,
        receiver: flow.ends[1].0,
        variant: "udp".to_owned(),
        mss: 1,
        window_bytes: 1,
        bytes: flow.bytes,
        group: flow.group.clone(),
        application: flow.application,
    };
    let mut metrics = Metrics::new(network.flows.iter().map(flow).collect(), Keep::Sample);
    let until = Time::ZERO + scenario.duration;
    while network.world.step(until, &mut metrics).is_some() {}
    let mut all = [0; 3];
    for (flow, measured) in network.flows.iter().zip(metrics.flows()) {
        let of_flow = |packet: &world::Packet<B>| {
            let udp = packet.body.udp().filter(|udp| udp.sender == flow.ends[0].0);
            udp.map(|udp| udp.number)
        };
        let held: BTreeSet<u64> = network.world.held().filter_map(of_flow).collect();
        let mut under_way = BTreeSet::new();
        for row in measured.datagrams() {
            match row.outcome {
                DatagramOutcome::Received { at } => assert!(at >= row.sent && at <= until),
                DatagramOutcome::Lost { .. } => all[1] += 1,
                DatagramOutcome::UnderWay => {
                    under_way.insert(row.number);
                }
            }
        }
        assert_eq!(under_way, held, "{settings:?}");
        all[0] += measured.datagrams().len();
        all[2] += held.len();
    }
    all
}

#[test]
fn nothing_is_lost_without_a_trace() {
    let (mut sent, mut lost, mut under_way) = (0, 0, 0);
    for (name, settings) in PATHS {
        for direction in ["downlink", "uplink"] {
            let udp = [
                ("flow.application", "udp"),
                ("flow.bytes", "unlimited"),
                ("flow.direction", direction),
                ("flow.udp.off_time", "200 ms"),
                ("duration", "40 s"),
            ];
            let settings: Vec<_> = udp.iter().chain(settings).copied().collect();
            let of = match name {
                "hmipv6-handover" => conserve::<Ipv6<Length>>(text(name), &settings),
                _ => conserve::<Ipv4<Length>>(text(name), &settings),
            };
            assert!(of[0] > 0, "{name}, {settings:?}");
            (sent, lost, under_way) = (sent + of[0], lost + of[1], under_way + of[2]);
        }
    }
    assert!(sent > 10_000 && lost > 100 && under_way > 10, "{sent}, {lost}, {under_way}");
}

/// From one datagram to the next it is payload over rate, whose remainder is kept.
#[test]
fn a_constant_rate_has_constant_gaps() {
    for (payload, bits) in [(210_u64, 64_000_u64), (1000, 384_000), (7, 1_000_003), (1, 9)] {
        let (size, rate) = (format!("{payload} B"), format!("{bits} bit/s"));
        let outcome = run(
            THIN,
            &[
                ("flow.udp.payload", &size),
                ("flow.udp.rate", &rate),
                ("flow.start", "1234567 ns"),
                ("duration", "30 s"),
            ],
        );
        let rows = rows(&outcome, 0);
        let seconds = (30_000_000_000 - 1_234_567) * bits / (payload * 8) / 1_000_000_000;
        assert_eq!(summary(&outcome, 0).sent, seconds + 1, "{payload} B at {bits} bit/s");
        for row in rows {
            let number = row.number;
            let after = number * payload * 8 * 1_000_000_000 / bits;
            assert_eq!(row.sent, Time::from_nanos(1_234_567 + after), "{number}");
        }
    }
}

/// In the long run the share of the on times is that of their means.
#[test]
fn on_and_off_times_give_the_mean_rate() {
    for times in ["constant", "exponential"] {
        for [on, off] in [[500_u32, 500], [100, 900], [2000, 100]] {
            let [on_time, off_time] = [on, off].map(|time| format!("{time} ms"));
            let outcome = run(
                THIN,
                &[
                    ("link.rate", "1 Mbit/s"),
                    ("flow.udp.payload", "500 B"),
                    ("flow.udp.on_time", &on_time),
                    ("flow.udp.off_time", &off_time),
                    ("flow.udp.times", times),
                    ("duration", "20000 s"),
                ],
            );
            let sent = summary(&outcome, 0).sent as f64;
            let expected = 20_000.0 * 16.0 * f64::from(on) / f64::from(on + off);
            assert!((sent / expected - 1.0).abs() < 0.025, "{times}, {on}, {off}: {sent}");
        }
    }
}

/// With 62.5 ms from one to the next, two are sent in each on time of 125 ms; what a longer one
/// leaves of a gap is paid in the next.
#[test]
fn constant_times_are_a_pattern() {
    let sent = |on: &str| {
        let outcome = run(
            THIN,
            &[
                ("flow.udp.payload", "500 B"),
                ("flow.udp.on_time", on),
                ("flow.udp.off_time", "500 ms"),
                ("flow.udp.times", "constant"),
                ("flow.bytes", "4750 B"),
            ],
        );
        let rows = rows(&outcome, 0);
        assert_eq!(rows.last().expect("ten").bytes, 250, "the rest");
        rows.iter().map(|row| (row.sent.as_secs_f64() * 1e4) as u64).collect::<Vec<_>>()
    };
    let in_pairs = [0, 625, 6250, 6875, 12_500, 13_125, 18_750, 19_375, 25_000, 25_625];
    assert_eq!(sent("125 ms"), in_pairs);
    assert_eq!(sent("130 ms")[..6], [0, 625, 1250, 6875, 7500, 13_125]);
}

#[test]
fn the_same_seed_sends_the_same() {
    let sent = |seed, off| {
        let outcome = run(THIN, &[("seed", seed), ("flow.udp.off_time", off)]);
        assert!(rows(&outcome, 0).len() > 100);
        outcome.metrics.flows().iter().flat_map(FlowMetrics::datagrams).copied().collect::<Vec<_>>()
    };
    assert_eq!(sent("1", "500 ms"), sent("1", "500 ms"));
    assert_ne!(sent("1", "500 ms"), sent("2", "500 ms"));
    assert_eq!(sent("1", "0 s"), sent("2", "0 s"));
}

/// A source that never sends changes nothing of TCP beside it.
#[test]
fn a_source_draws_from_a_stream_of_its_own() {
    for name in ["umts-dch-384", "link"] {
        let settings = [("duration", "50 s")];
        let alone = run(text(name), &settings);
        let beside = run(&format!("{}{BESIDE}start = \"1000 s\"\n", text(name)), &settings);
        assert_eq!(alone.summary.flows[0], beside.summary.flows[0], "{name}");
        assert_eq!(summary(&beside, 1).sent, 0, "{name}");
    }
}

/// On an idle link a datagram takes the time of its bytes, headers of 8 and 20 B included, and the
/// delay of the link; nothing varies.
#[test]
fn delay_on_an_idle_link() {
    let outcome = run(THIN, &[("flow.udp.rate", "10 kbit/s"), ("flow.udp.payload", "97 B")]);
    let flow = &outcome.summary.flows[0];
    let expected = Duration::from_nanos((97 + 28) * 8 * 1_000_000_000 / 50_000 + 300_000_000);
    let delay = &flow.network.delay_s;
    assert_eq!([delay.min, delay.max], [Some(expected.as_secs_f64()); 2]);
    assert_eq!(summary(&outcome, 0).jitter_s, Some(0.0));
    let received = summary(&outcome, 0).received;
    let throughput = received as f64 * 97.0 * 8.0 / outcome.summary.duration_s;
    assert!((flow.network.throughput_bps - throughput).abs() < 1e-6);
    // From the first departure to the last arrival.
    let span = Duration::from_nanos(97 * 8 * 100_000 * (received - 1)) + expected;
    let goodput = received as f64 * 97.0 * 8.0 / span.as_secs_f64();
    assert!((flow.goodput_bps.expect("some arrived") - goodput).abs() < 1e-6);
}

/// Each lost datagram is one that a link counted, under the same reason, and the other way round.
#[test]
fn losses_are_those_of_the_links() {
    let check = |settings: &[(&str, &str)], reasons: &[DropReason]| {
        let outcome = run(THIN, &[settings, &[("flow.udp.rate", "100 kbit/s")]].concat());
        let mut seen = BTreeSet::new();
        let mut by_reason = [0; DropReason::ALL.len()];
        for row in rows(&outcome, 0) {
            if let DatagramOutcome::Lost { machine, reason } = row.outcome {
                assert_eq!(outcome.machines[machine as usize], "bottleneck/down");
                seen.insert(reason.name());
                by_reason[reason as usize] += 1;
            }
        }
        let drops = outcome.summary.links[0].drops_by_reason;
        let counted = [drops.queue, drops.aqm, drops.loss, drops.list, drops.outage];
        assert_eq!(counted, by_reason[..5], "{settings:?}");
        assert_eq!(outcome.summary.links[0].drops, summary(&outcome, 0).lost);
        assert_eq!(seen, reasons.iter().map(|reason| reason.name()).collect(), "{settings:?}");
    };
    check(&[("queue.packets", "10")], &[DropReason::Queue]);
    check(&[("queue.kind", "codel"), ("queue.packets", "1000")], &[DropReason::Aqm]);
    check(&[("link.loss", "7 %"), ("link.rate", "1 Mbit/s")], &[DropReason::Loss]);
}

/// What is more than the link carries is dropped by its full queue: of datagrams of 500 B with
/// headers of 28 B at 100 kbit/s a link of 50 kbit/s carries 47.3 %.
#[test]
fn a_full_queue_drops_the_excess() {
    let settings = [
        ("flow.udp.rate", "100 kbit/s"),
        ("flow.udp.payload", "500 B"),
        ("queue.packets", "10"),
        ("duration", "1000 s"),
    ];
    let outcome = run(THIN, &settings);
    let loss = summary(&outcome, 0).loss.expect("some were sent");
    assert!((loss - (1.0 - 0.5 * 500.0 / 528.0)).abs() < 0.001, "{loss}");
    assert!(outcome.summary.links[0].utilization.expect("it has a rate") > 0.999);
    let longest = outcome.summary.flows[0].network.delay_s.max.expect("some arrived");
    assert!((longest - (0.3 + 10.0 * 528.0 * 8.0 / 50_000.0)).abs() < 1e-3, "{longest}");
}

/// RLC in unacknowledged mode loses what a block in error had a part of; in acknowledged mode it
/// sends that again.
#[test]
fn only_acknowledged_mode_restores_blocks_in_error() {
    let lost_share = |mode, tbler| {
        let settings = [
            ("flow.application", "udp"),
            ("radio.rlc.mode", mode),
            ("radio.tbler", tbler),
            ("duration", "300 s"),
        ];
        summary(&run(text("umts-dch-384"), &settings), 0).loss.expect("some were sent")
    };
    for mode in ["tm", "um", "am"] {
        assert!(lost_share(mode, "0 %") == 0.0, "{mode}");
    }
    // 238 B are in six or seven blocks, of which each is whole with 95 %.
    for mode in ["tm", "um"] {
        let share = lost_share(mode, "5 %");
        assert!((0.25..0.35).contains(&share), "{mode}: {share}");
    }
    assert!(lost_share("am", "5 %") == 0.0);
}

/// Whatever box helps TCP beside it, a datagram comes through as the one that was sent; the box
/// counts none of them.
#[test]
fn boxes_let_datagrams_pass() {
    let kinds = [
        "none",
        "snoop",
        "fda-like",
        "delayed-dupacks",
        "m-tcp",
        "w-tcp",
        "i-tcp",
        "split",
        "atcp",
    ];
    let link = format!("{}{BESIDE}", text("link").replace("[link]\n", &format!("{WIRE}[link]\n")));
    let gprs = format!("{}{BESIDE}", text("gprs-3+1"));
    for kind in kinds {
        let settings = [
            ("middlebox.kind", kind),
            ("flow.bytes", "100 kB"),
            ("flow.group.datagrams.bytes", "21 kB"),
            ("flow.group.datagrams.udp.rate", "4 kbit/s"),
            ("duration", "600 s"),
        ];
        let thin = [("link.rate", "50 kbit/s"), ("link.delay", "100 ms")];
        for (text, more) in [(&link, &thin[..]), (&gprs, &[])] {
            let outcome = run(text, &[&settings[..], more].concat());
            let flows = &outcome.summary.flows;
            assert_eq!(flows[0].bytes_acked, 100_000, "{kind}");
            let of = summary(&outcome, 1);
            assert_eq!([of.sent, of.received, of.lost], [100, 100, 0], "{kind}");
            assert_eq!(flows[1].network.delay_s.samples, 100, "{kind}: sent anew");
            assert!(flows[1].received_s.is_some_and(|at| at < 600.0), "{kind}");
            let seen = outcome.summary.middlebox.map(|middlebox| middlebox.bypassed);
            assert!(seen.is_none_or(|bypassed| bypassed == 0), "{kind}");
        }
    }
}

/// A burst fills the buffer ahead of a radio: what it holds is what arrives (chakravorty2003 §III).
#[test]
fn a_burst_shows_the_size_of_a_buffer() {
    let settings = [
        ("flow.application", "udp"),
        ("flow.bytes", "300 kB"),
        ("flow.udp.payload", "1000 B"),
        ("flow.udp.rate", "100 Mbit/s"),
        ("queue.kind", "droptail"),
        ("queue.packets", "unlimited"),
        ("queue.bytes", "123360 B"),
        ("duration", "300 s"),
    ];
    let outcome = run(text("link"), &[&settings[..], &[("link.rate", "30 kbit/s")]].concat());
    let of = summary(&outcome, 0);
    assert_eq!((of.sent, of.under_way), (300, 0));
    assert!((120..=121).contains(&of.received), "{of:?}");
}

/// Mobiles send to the fixed host and to each other, over bearers of their own.
#[test]
fn datagrams_go_either_way_and_between_mobiles() {
    for direction in ["downlink", "uplink", "between-mobiles"] {
        let settings = [
            ("flow.application", "udp"),
            ("flow.direction", direction),
            ("flow.count", "3"),
            ("flow.udp.rate", "8 kbit/s"),
            ("radio.ues", "2"),
            ("duration", "30 s"),
        ];
        let outcome = run(text("umts-dch-384"), &settings);
        for (flow, _) in outcome.summary.flows.iter().enumerate() {
            let of = summary(&outcome, flow);
            assert!(of.sent > 100 && of.lost == 0, "{direction}: {of:?}");
            assert!(of.under_way < 5, "{direction}: {of:?}");
        }
    }
}

/// What is larger than the links' packets goes in pieces, with the MTU of a tunnel as soon as its
/// entry has told (RFC 8201), and is joined again.
#[test]
fn large_datagrams_go_in_pieces_over_ipv6() {
    let settings = [
        ("flow.application", "udp"),
        ("flow.udp.payload", "3000 B"),
        ("flow.bytes", "unlimited"),
        ("wlan.loss", "none"),
        ("duration", "60 s"),
    ];
    let outcome = run(text("hmipv6-handover"), &settings);
    let of = summary(&outcome, 0);
    let lost = rows(&outcome, 0).iter().filter_map(|row| match row.outcome {
        DatagramOutcome::Lost { reason, .. } => Some(reason),
        DatagramOutcome::Received { .. } | DatagramOutcome::UnderWay => None,
    });
    let too_big = lost.filter(|reason| *reason == DropReason::TooBig).count();
    assert!(of.received > 100 && (1..5).contains(&too_big), "{of:?}, {too_big}");
}
