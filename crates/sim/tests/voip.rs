//! Calls over networks: what the E-model says of what a network, a queue or a box does to them.

use std::ops::ControlFlow;

use base::{Duration, Time};
use proptest::prelude::*;
use scenario::{Scenario, shipped};
use sim::{CallSummary, Outcome, Recording, Threads, simulate};
use world::{Codec, Voip, mos};

/// A link that has room for any codec.
const LINK: &str = "[flow]
application = \"voip\"
[link]
rate = \"128 kbit/s\"
delay = \"30 \
                    ms\"
back.rate = \"128 kbit/s\"
";

fn shipped_text(name: &str) -> &'static str {
    shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

fn run(text: &str, settings: &[(&str, &str)]) -> Outcome {
    let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let scenario = Scenario::parse(text, "mine", &settings).expect("it is valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("it ends")
}

fn call(outcome: &Outcome, flow: usize) -> &CallSummary {
    outcome.summary.flows[flow].voip.as_deref().expect("it is a call")
}

/// Frames that were sent are played, late, lost or not to be played yet, as the datagrams that
/// carried them were received, lost or under way.
fn conserve(outcome: &Outcome, flow: usize) {
    let (of, flow) = (call(outcome, flow), &outcome.summary.flows[flow]);
    let datagrams = flow.datagrams.as_deref().expect("a call has datagrams");
    assert_eq!(of.played + of.late + of.lost + of.pending, datagrams.sent, "{of:?}");
    assert!(of.lost <= datagrams.lost && of.played <= datagrams.received, "{of:?}");
    assert!(of.mos.is_none_or(|mos| (1.0..=4.5).contains(&mos)), "{of:?}");
}

/// A call that nothing disturbs has the rating of its codec at the delay of the path.
#[test]
fn a_call_alone_is_rated_as_its_codec() {
    for codec in Codec::ALL {
        for direction in ["downlink", "uplink"] {
            let interval = if codec == Codec::G7231 { "30 ms" } else { "20 ms" };
            let outcome = run(
                LINK,
                &[
                    ("flow.voip.codec", codec.name()),
                    ("flow.voip.interval", interval),
                    ("flow.direction", direction),
                    ("flow.start", "1234567 ns"),
                    ("duration", "20 s"),
                ],
            );
            conserve(&outcome, 0);
            let of = call(&outcome, 0);
            assert_eq!((of.late, of.lost, of.burst_ratio), (0, 0, None));
            let interval = Duration::from_millis(if codec == Codec::G7231 { 30 } else { 20 });
            let voip = Voip { codec, interval, ..Voip::default() };
            // IP, UDP, RTP and voice over 128 kbit/s, and the link's delay.
            let bits = 8 * u64::from(28 + voip.payload());
            let network =
                Duration::from_nanos(bits * 1_000_000_000 / 128_000) + Duration::from_millis(30);
            let r = voip.rating().r_factor(voip.delay_at_ends() + network, 0.0, 1.0);
            assert_eq!(of.playout_delay_s, Some(network.as_secs_f64()));
            assert_eq!((of.r_factor, of.mos), (Some(r), Some(mos(r))), "{codec:?}, {direction}");
            let rows = outcome.metrics.flows()[0].datagrams();
            let sent = |number: u64| Time::from_nanos(1_234_567) + interval * number;
            assert!(rows.iter().all(|row| row.sent == sent(row.number)));
            assert_eq!(rows.len() as u64, Duration::from_millis(19_998).whole(interval) + 1);
        }
    }
}

/// Over any path, and beside what fills it, no frame is lost without a trace.
#[test]
fn frames_are_played_late_lost_or_pending() {
    let beside = "\n[[flow.group]]\nname = \"call\"\napplication = \"voip\"\n";
    let paths: [(&str, &[(&str, &str)]); 7] = [
        ("link", &[("link.rate", "200 kbit/s"), ("link.loss", "5 %"), ("queue.packets", "20")]),
        ("link", &[("link.rate", "200 kbit/s"), ("queue.kind", "fq-codel")]),
        ("umts-dch-384", &[("radio.rlc.mode", "um"), ("radio.tbler", "5 %")]),
        ("umts-dch-384", &[("radio.tbler", "20 %")]),
        ("gprs-3+1", &[("flow.group.call.voip.codec", "amr-12.2")]),
        ("lte-cat4", &[]),
        ("hmipv6-handover", &[]),
    ];
    let (mut late, mut lost) = (0, 0);
    for (name, settings) in paths {
        for direction in ["downlink", "uplink"] {
            let text = format!("{}{beside}", shipped_text(name));
            let more = [("flow.group.call.direction", direction), ("duration", "30 s")];
            let outcome = run(&text, &[settings, &more].concat());
            let flow = outcome.summary.flows.len() - 1;
            conserve(&outcome, flow);
            late += call(&outcome, flow).late;
            lost += call(&outcome, flow).lost;
        }
    }
    assert!(late > 100 && lost > 100, "{late}, {lost}");
}

/// A call ends at its stop, and what it had sent is judged to the last.
#[test]
fn a_call_stops() {
    let outcome = run(LINK, &[("flow.stop", "10 s"), ("duration", "20 s")]);
    conserve(&outcome, 0);
    assert_eq!((call(&outcome, 0).played, call(&outcome, 0).pending), (500, 0));
}

/// Groups have calls with keys of their own, and the mean and the lowest of their scores.
#[test]
fn groups_have_mean_and_lowest_scores() {
    let groups = "[[flow.group]]\nname = \"calls\"\napplication = \"voip\"\ncount = \
                  3\nvoip.codec = \"g729a\"\n[[flow.group]]\nname = \"files\"\nbytes = \"1 MB\"\n";
    let text = format!("{LINK}{groups}");
    let settings = [("link.rate", "160 kbit/s"), ("duration", "20 s"), ("queue.packets", "20")];
    let outcome = run(&text, &settings);
    let scores: Vec<_> = (1..4).filter_map(|flow| call(&outcome, flow).mos).collect();
    let [alone, calls, files] = &*outcome.summary.groups else { panic!("there are three") };
    let of = calls.voip.as_ref().expect("they are calls");
    let mean = scores.iter().sum::<f64>() / 3.0;
    assert!(of.mos_mean.is_some_and(|of| (of - mean).abs() < 1e-12) && of.count == 3);
    assert_eq!(of.mos_min, scores.iter().copied().reduce(f64::min));
    assert!(of.mos_min < of.mos_mean);
    assert_eq!(alone.voip.as_ref().and_then(|of| of.mos_mean), call(&outcome, 0).mos);
    assert_eq!((&files.voip, outcome.summary.flows[4].voip.is_none()), (&None, true));
    assert_eq!(outcome.summary.total.voip.as_ref().map(|of| of.count), Some(4));
}

/// The score of a call over a link with so much loss and delay.
fn score(loss: &str, delay: u64, direction: &str, codec: Codec) -> f64 {
    let delay = format!("{delay} ms");
    let outcome = run(
        LINK,
        &[
            ("link.loss", loss),
            ("link.back.loss", loss),
            ("link.delay", &delay),
            ("flow.direction", direction),
            ("flow.voip.codec", codec.name()),
            ("duration", "60 s"),
        ],
    );
    conserve(&outcome, 0);
    call(&outcome, 0).mos.expect("it is rated")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// More loss or more delay never gives a call a better score.
    #[test]
    fn worse_networks_never_score_better(
        direction in prop::sample::select(&["downlink", "uplink"][..]),
        codec in prop::sample::select(&[Codec::G711, Codec::G729a, Codec::Amr122][..]),
        start in 0_u64..200,
    ) {
        let delays: Vec<_> = [0, 50, 150, 400].map(|more| start + more)
            .map(|delay| score("0 %", delay, direction, codec)).to_vec();
        prop_assert!(delays.is_sorted_by(|one, other| one > other), "{delays:?}");
        let losses: Vec<_> = ["0 %", "2 %", "5 %", "15 %"]
            .map(|loss| score(loss, start, direction, codec)).to_vec();
        prop_assert!(losses.is_sorted_by(|one, other| one > other), "{losses:?}");
    }
}

/// A full queue spoils a call beside it; a queue that keeps flows apart spares it.
#[test]
fn a_call_beside_transfers_tells_queues_apart() {
    let text = format!("{LINK}[[flow.group]]\nname = \"bulk\"\ncount = 2\n");
    let of = |queue| {
        let settings = [("link.rate", "384 kbit/s"), ("queue.kind", queue), ("duration", "30 s")];
        let outcome = run(&text, &settings);
        call(&outcome, 0).mos.expect("it is rated")
    };
    let [full, fair] = ["droptail", "fq-codel"].map(of);
    assert!(full < 3.0 && fair > 4.0, "{full}, {fair}");
}
