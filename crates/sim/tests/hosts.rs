//! What hosts do beside sending, over a link of 4150 B/s with 1.4 s both ways: in integers.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{FlowSummary, Recording, Threads, simulate};

const LINK: &str = "duration = \"400 s\"\n[link]\nrate = \"33.2 kbit/s\"\ndelay = \"700 ms\"\n\
                    [queue]\npackets = \"unlimited\"\n[flow]\nbytes = \"200 kB\"\n\
                    [tcp]\nmss = \"1348 B\"\nwindow = 12\n";

fn flows(more: &str, settings: &[(&str, &str)]) -> Vec<FlowSummary> {
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse(&format!("{LINK}{more}"), "x", &settings).expect("valid");
    let watch = &mut |_: _| ControlFlow::Continue(());
    simulate(&scenario, Recording::Series, Threads::MIN, watch)
        .expect("nothing interrupts it")
        .summary
        .flows
}

/// Milliseconds until all was acknowledged, segments sent again, and timeouts, those of the
/// handshake included.
fn counts(flow: &FlowSummary) -> (u64, u64, u64) {
    let done = flow.completed_s.map_or(0, |time| (time * 1000.0) as u64);
    (done, flow.retransmits, timeouts(flow))
}

fn timeouts(flow: &FlowSummary) -> u64 {
    flow.timeouts + flow.handshake_timeouts
}

/// Warned two round trips ahead, or with three acknowledgements afterwards alone.
#[test]
fn a_frozen_sender_goes_on_after_an_outage_at_once() {
    let check = |settings: &[(&str, &str)], expect| {
        let settings = [&[("link.outages", "[[\"20 s\", \"45 s\"]]")], settings].concat();
        assert_eq!(counts(&flows("", &settings)[0]), expect, "{settings:?}");
    };
    check(&[], (110_702, 14, 4));
    check(&[("tcp.freeze.warning", "6 s")], (84_019, 2, 1));
    check(&[("tcp.freeze.warning", "0 s")], (81_009, 11, 1));
}

/// As soon as a window of 64 KB, at a quarter of its round-trip time. (The timeout is the SYN's.)
#[test]
fn wtcp_fills_the_link_with_a_short_queue() {
    let check = |settings: &[(&str, &str)], expect, rtt: u64| {
        let settings = [&[("tcp.window", "48")], settings].concat();
        let flow = &flows("", &settings)[0];
        let mean = flow.rtt_s.mean.map_or(0, |mean| (mean * 1000.0) as u64);
        assert_eq!((counts(flow), mean), (expect, rtt), "{settings:?}");
    };
    check(&[], (55_301, 0, 1), 11_066);
    check(&[("tcp.variant", "wtcp"), ("tcp.timestamps", "true")], (56_295, 0, 1), 2_725);
}

/// Whatever is lost, most of what the link lets through is new.
#[test]
fn wtcp_takes_losses_for_the_radios() {
    for (percent, seed) in
        [0, 1, 2, 5, 10, 15, 20].into_iter().flat_map(|p| [(p, "1"), (p, "2"), (p, "3")])
    {
        let settings = [
            ("link.loss", format!("{percent} %")),
            ("seed", seed.to_owned()),
            ("tcp.variant", "wtcp".to_owned()),
            ("tcp.timestamps", "true".to_owned()),
            ("tcp.window", "48".to_owned()),
            ("flow.bytes", "600 kB".to_owned()),
        ];
        let settings: Vec<_> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let flow = &flows("", &settings)[0];
        let arrives = 33_200.0 * 1_348.0 / 1_400.0 * f64::from(100 - percent) / 100.0;
        let part = flow.goodput_bps.map_or(0.0, |goodput| goodput / arrives);
        assert!(flow.completed_s.is_some() && part > 0.75, "{percent} %, seed {seed}: {part}");
    }
}

/// Of two flows the second: when it stands, and its timeouts.
#[test]
fn connections_learn_from_others() {
    let check = |share, interval, expect| {
        let settings = [
            ("tcp.share_state", share),
            ("flow.count", "2"),
            ("flow.interval", interval),
            ("tcp.window", "48"),
        ];
        let second = &flows("", &settings)[1];
        let established = second.established_s.map_or(0, |at| (at * 1000.0) as u64);
        assert_eq!((established, timeouts(second)), expect, "{share} after {interval}");
    };
    check("off", "20 s", (34_112, 5));
    check("temporal", "20 s", (34_112, 5));
    check("ensemble", "20 s", (34_112, 3));
    check("off", "70 s", (71_410, 1));
    check("temporal", "70 s", (71_410, 0));
    check("ensemble", "70 s", (71_410, 1));
}

/// The side that sends learns as well when the other opens: its second object takes a round trip
/// less, as it begins with the window that the first one ended with.
#[test]
fn who_listens_learns_too() {
    let check = |share, opener, expect| {
        let settings = [
            ("tcp.share_state", share),
            ("flow.opened_by", opener),
            ("flow.count", "2"),
            ("flow.interval", "60 s"),
            ("flow.bytes", "20 kB"),
        ];
        let second = &flows("", &settings)[1];
        let received = second.received_s.map_or(0, |at| (at * 1000.0) as u64 - 60_000);
        assert_eq!(received, expect, "{share}, opened by the {opener}");
    };
    check("off", "receiver", 9_902);
    check("temporal", "receiver", 7_774);
    check("off", "sender", 9_936);
    check("temporal", "sender", 7_074);
}

/// The first flow yields as soon as the second begins.
#[test]
fn flows_share_a_fair_queue() {
    let check = |kind, expect: [(u64, u64, u64); 2]| {
        let settings = [
            ("queue.kind", kind),
            ("flow.count", "2"),
            ("flow.interval", "20 s"),
            ("tcp.window", "48"),
        ];
        let flows = flows("", &settings);
        assert_eq!([counts(&flows[0]), counts(&flows[1])], expect, "{kind}");
    };
    check("droptail", [(56_051, 0, 1), (107_955, 2, 5)]);
    check("fair", [(86_112, 0, 1), (104_980, 0, 1)]);
}
