//! What is measured of each application, in whole runs.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use base::Flags;
use observe::PacketEvent;
use scenario::Scenario;
use sim::{Outcome, Recording, SegmentRow, Threads, Unfinished, simulate};

/// A link of 50 kbit/s with 300 ms one way.
const THIN: &str =
    "[tcp]\nprofile = \"modern\"\n[link]\nrate = \"50 kbit/s\"\ndelay = \"300 ms\"\n";

fn run(rest: &str, settings: &[(&str, &str)]) -> Outcome {
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse(&format!("{THIN}{rest}"), "thin", &settings).expect("valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

fn same(rest: &str, settings: &[(&str, &str)]) {
    let twice = [(); 2].map(|()| run(rest, settings).summary);
    assert_eq!(twice[0], twice[1], "the same scenario twice");
}

/// An end whose connection is over asks for no more turns: else time would stand still. Either the
/// receiver resets it, or both ends give up.
#[test]
fn time_goes_on_after_a_connection_is_over() {
    let reset = [("flow.abort", "20 s")].as_slice();
    let given_up = &[("tcp.max_retransmissions", "2"), ("link.outages", r#"[["20 s", "500 s"]]"#)];
    for (application, end) in ["file", "probe", "telnet", "web"]
        .into_iter()
        .flat_map(|application| [(application, reset), (application, given_up)])
    {
        let settings: Vec<_> = [("duration", "400 s"), ("flow.application", application)]
            .iter()
            .chain(end)
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let scenario = Scenario::parse(THIN, "thin", &settings).expect("valid");
        let mut latest = None;
        let mut pulse = |now| match latest.replace(now) {
            former if former == Some(now) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let ended = simulate(&scenario, Recording::Series, Threads::MIN, &mut pulse);
        assert!(ended.is_ok(), "{application}, {end:?}: stands still at {latest:?}");
    }
}

/// A transfer without end over a path that takes no time, from the beginning or from when its link
/// loses its rate, is told what it lacks. An end lets it go on.
#[test]
fn a_run_that_stays_in_one_instant_is_told_so() {
    let no_time = [("link.rate", "unlimited"), ("link.delay", "0 s"), ("tcp.window", "64")];
    let endless = ("flow.bytes", "unlimited");
    let later = ("link.schedule", r#"[{at = "3 s", rate = "unlimited"}]"#);
    for (settings, stands_at) in [
        ([no_time.as_slice(), &[endless]].concat(), Some(0.0)),
        (vec![("link.delay", "0 s"), endless, later], Some(3.0)),
        ([no_time.as_slice(), &[("flow.bytes", "20 MB")]].concat(), None),
    ] {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(owned).collect();
        let scenario = Scenario::parse(THIN, "thin", &settings).expect("valid");
        let ended =
            simulate(
                &scenario,
                Recording::Series,
                Threads::MIN,
                &mut |_| ControlFlow::Continue(()),
            );
        let stands = ended.err().map(|ended| match ended {
            Unfinished::Standstill(at) => at.as_secs_f64(),
            Unfinished::Interrupted => panic!("nothing interrupts it"),
        });
        assert_eq!(stands.map(f64::floor), stands_at, "{settings:?}");
    }
}

/// Pages fetched over one connection for all and over one for each object have the same sizes, and
/// where round trips are all that counts, one for each object takes longer.
#[test]
fn pages_of_either_protocol() {
    let pages = |protocol| {
        let settings = [
            ("duration", "600 s"),
            ("link.rate", "10 Mbit/s"),
            ("flow.application", "web"),
            ("flow.web.protocol", protocol),
            ("flow.web.reading", "1 s"),
        ];
        same("", &settings);
        let outcome = run("", &settings);
        let flow = &outcome.summary.flows[0];
        assert_eq!(flow.given_up_s, None, "{protocol}");
        let rows = outcome.metrics.flows()[0].pages.iter();
        let sizes: Vec<_> = rows.clone().map(|row| row.fact.bytes).collect();
        let times: Vec<_> = rows.map(|row| row.fact.response.as_secs_f64()).collect();
        (sizes, times, flow.clone())
    };
    let (persistent, quick, one) = pages("http/1.1");
    let (per_object, slow, many) = pages("http/1.0");
    let both = persistent.len().min(per_object.len());
    assert!(both > 10 && persistent[..both] == per_object[..both]);
    for (sizes, flow) in [(&persistent, &one), (&per_object, &many)] {
        let summary = flow.pages.as_ref().expect("it has pages");
        assert_eq!((summary.count, summary.bytes), (sizes.len() as u64, sizes.iter().sum()));
        assert!(flow.bytes_acked >= summary.bytes, "{} acknowledged", flow.bytes_acked);
    }
    let [quick, slow] = [quick, slow].map(|times| times[..both].iter().sum::<f64>());
    assert!(slow > quick, "a handshake for each object costs time: {slow} s and {quick} s");
}

/// An echo takes a round trip and what queues ahead of it.
#[test]
fn echoes_wait_behind_a_file() {
    let typing = "[[flow.group]]\nname = \"typing\"\napplication = \"telnet\"\n";
    let echo = |bytes| {
        // Without Nagle's algorithm, by which keystrokes wait for one another.
        let settings = [("duration", "120 s"), ("flow.bytes", bytes), ("tcp.nagle", "off")];
        let outcome = run(typing, &settings);
        let flow = &outcome.summary.flows[1];
        assert_eq!(flow.group, "typing");
        let echo = flow.echo_s.as_ref().expect("it has echoes");
        assert_eq!(echo.samples as usize, outcome.metrics.flows()[1].echoes.len());
        (echo.min.expect("there are some"), echo.mean.expect("there are some"))
    };
    let ((least, alone), (_, beside)) = (echo("1 B"), echo("2 MB"));
    assert!((0.6..0.63).contains(&least), "{least} s");
    assert!(alone < 0.65 && beside > 2.0 * alone, "{alone} s and {beside} s");
}

#[test]
fn probes_take_one_way() {
    let settings =
        [("duration", "200 s"), ("flow.application", "probe"), ("flow.probe.count", "20")];
    same("", &settings);
    let outcome = run("", &settings);
    let probes = outcome.summary.flows[0].probe_s.as_ref().expect("it has probes");
    assert_eq!(probes.samples, 20);
    let [least, most] = [probes.min, probes.max].map(|value| value.expect("there are some"));
    // 300 ms and 500 B with headers at 50 kbit/s.
    assert!(least > 0.386 && most - least < 0.003, "{least} s to {most} s");
    assert!(outcome.summary.flows[0].completed_s.is_some());
}

/// What is on its way when the reader goes keeps the link busy (fact T6 of chakravorty2003).
#[test]
fn what_is_in_flight_at_an_abort_goes_stale() {
    let outcome = run("", &[("duration", "120 s"), ("flow.abort", "20 s")]);
    let flow = &outcome.summary.flows[0];
    let given_up = flow.given_up_s.expect("it was reset");
    assert!((20.3..20.4).contains(&given_up), "{given_up} s");
    let busy = outcome.summary.links[0].utilization.expect("it has a rate") * 120.0;
    let window = flow.cwnd_segments.max.expect("it had one") * 1448.0 * 8.0 / 50_000.0;
    assert!(busy > 20.5 && busy < 21.0 + window, "{busy} s busy, {window} s in the window");
}

#[test]
fn data_go_up() {
    let settings = [
        ("duration", "60 s"),
        ("flow.direction", "uplink"),
        ("flow.bytes", "20 kB"),
        ("link.back.rate", "50 kbit/s"),
    ];
    let outcome = run("", &settings);
    assert_eq!(outcome.summary.flows[0].bytes_acked, 20_000);
    let [down, up] = [0, 1].map(|at| outcome.summary.links[at].utilization.expect("a rate"));
    assert!(up > 5.0 * down, "{up} up, {down} down");
}

/// What passes a link is at most its rate: of pages, which have no end, and both ways.
#[test]
fn no_flow_is_quicker_than_its_link() {
    for (application, protocol) in [("file", "http/1.1"), ("web", "http/1.1"), ("web", "http/1.0")]
    {
        for (direction, bps) in [("downlink", 50_000.0), ("uplink", 20_000.0)] {
            let outcome = run(
                "",
                &[
                    ("link.back.rate", "20 kbit/s"),
                    ("flow.application", application),
                    ("flow.web.protocol", protocol),
                    ("flow.web.reading", "1 s"),
                    ("flow.direction", direction),
                    ("flow.bytes", "20 kB"),
                    ("duration", "300 s"),
                ],
            );
            let [flow] = outcome.summary.flows.as_slice() else { panic!("one flow") };
            let case = format!("{application} {protocol} {direction}");
            let goodput = flow.goodput_bps.expect("it got some");
            let throughput = flow.normalized_throughput.expect("the link has a rate");
            assert!(goodput > 0.1 * bps && goodput < bps, "{case}: {goodput} bit/s");
            assert!(throughput > 0.0 && throughput < 1.0, "{case}: {throughput}");
        }
    }
}

/// Where sending takes no time there is nothing to compare with.
#[test]
fn throughput_over_a_link_without_a_rate_is_no_share() {
    let outcome = run("", &[("flow.direction", "uplink"), ("duration", "20 s")]);
    assert_eq!(outcome.summary.flows[0].normalized_throughput, None);
}

/// Until then it is the same as one that goes on; then both ends close, once all that was sent has
/// arrived, and no time later changes anything.
#[test]
fn a_sender_that_stops_closes_after_what_it_has_sent() {
    for application in ["file", "mixed"] {
        let of = |stop: &str, duration: &str| {
            let settings = [
                ("flow.application", application),
                ("flow.start", "1 s"),
                ("flow.stop", stop),
                ("link.loss", "2 %"),
                ("duration", duration),
            ];
            run("", &settings).summary.flows.remove(0)
        };
        let (going_on, stopped) = (of("off", "21 s"), of("20 s", "21 s"));
        assert_eq!(stopped.bytes_acked, going_on.bytes_acked, "until then");
        let ended = of("20 s", "60 s");
        assert!(ended.bytes_acked > stopped.bytes_acked && ended.completed_s.is_none());
        assert_eq!(of("20 s", "90 s").bytes_acked, ended.bytes_acked, "{application}");
        assert_eq!(of("1 h", "60 s"), of("off", "60 s"), "a stop after the end");
    }
}

/// A file that has been sent by then is not touched, and of one that has not only what was sent
/// arrives.
#[test]
fn a_file_ends_where_its_sender_stops() {
    let of = |bytes, stop, duration| {
        let settings = [("flow.bytes", bytes), ("flow.stop", stop), ("duration", duration)];
        run("", &settings).summary.flows.remove(0)
    };
    assert_eq!(of("20 kB", "30 s", "60 s"), of("20 kB", "off", "60 s"));
    let (cut, until) = (of("1 MB", "10 s", "60 s"), of("1 MB", "off", "10 s"));
    // The FIN may need one of its own.
    assert!(cut.segments_sent - until.segments_sent <= 1, "{cut:?}, {until:?}");
    assert!(cut.bytes_acked > until.bytes_acked && cut.completed_s.is_none());
}

/// Whatever runs over it, from then on no end sends a byte for the first time, and every connection
/// that was opened is closed by both ends, whether that is before, while or after it is
/// established. Until then it is the run that goes on.
#[test]
fn nothing_new_is_sent_after_a_stop() {
    let applications: [(&str, &[(&str, &str)]); 9] = [
        ("file", &[]),
        ("file", &[("flow.opened_by", "receiver")]),
        ("file", &[("flow.direction", "uplink")]),
        ("web", &[("flow.web.reading", "1 s")]),
        ("web", &[("flow.web.protocol", "http/1.0"), ("flow.web.reading", "1 s")]),
        ("mixed", &[("flow.count", "2"), ("flow.web.reading", "1 s")]),
        ("telnet", &[("flow.telnet.echo", "3 kB")]),
        ("probe", &[("flow.probe.least", "0.2 s"), ("flow.probe.most", "2 s")]),
        ("probe", &[("flow.opened_by", "receiver"), ("flow.probe.least", "1 s")]),
    ];
    for (application, more) in applications {
        for stop_s in [0.01, 0.7, 3.1, 20.0] {
            let [stop, until] = [format!("{stop_s} s"), format!("{} s", 1.0 + stop_s)];
            let of = |stop: &str, duration: &str| {
                let settings = [
                    ("flow.application", application),
                    ("flow.start", "1 s"),
                    ("flow.stop", stop),
                    ("link.loss", "5 %"),
                    ("duration", duration),
                ];
                record(&[&settings[..], more].concat())
            };
            let (outcome, before) = (of(&stop, "300 s"), of("off", &until));
            let what = format!("{application}, {more:?}, {stop}");
            let departed = || sent(&outcome);
            let is_new = |row: &&SegmentRow| row.payload > 0 && row.transmission == 1;
            let latest = departed().filter(is_new).map(|row| row.time.as_secs_f64()).last();
            assert!(latest.is_none_or(|at| at <= 1.0 + stop_s), "{what}: sent at {latest:?}");
            let ways = |of, flag| {
                let has = sent(of).filter(move |row| row.header.flags.contains(flag));
                has.map(|row| row.way).collect::<BTreeSet<_>>()
            };
            let [opened, closed] = [Flags::SYN, Flags::FIN].map(|flag| ways(&outcome, flag));
            assert_eq!(closed, opened, "{what}: both ends close");
            let given_up = outcome.summary.flows.iter().any(|flow| flow.given_up_s.is_some());
            assert!(!given_up, "{what}: it was stopped, not given up");
            // A late packet of a connection that has ended may have been refused before.
            assert_eq!(ways(&outcome, Flags::RST), ways(&before, Flags::RST), "{what}");
            let all = |outcome| {
                let early = sent(outcome).filter(|row| row.time.as_secs_f64() < 1.0 + stop_s);
                early.map(|row| (row.time, row.way, row.relative_seq)).collect::<Vec<_>>()
            };
            assert_eq!(all(&outcome), all(&before), "{what}: the same until then");
        }
    }
}

/// Pages, echoes and probes that were whole by then count, and one that was cut off does not.
#[test]
fn what_is_cut_off_by_a_stop_does_not_count() {
    for (application, more) in [
        ("web", ("flow.web.reading", "1 s")),
        ("web", ("flow.web.protocol", "http/1.0")),
        ("telnet", ("flow.telnet.interval", "2 s")),
        ("probe", ("flow.probe.least", "1 s")),
    ] {
        let counts = |stop: &str| {
            let settings = [("flow.application", application), ("flow.stop", stop), more];
            let outcome = run("", &[&settings[..], &[("duration", "300 s")]].concat());
            let flow = &outcome.metrics.flows()[0];
            [flow.pages.len(), flow.echoes.len(), flow.probes.len()].iter().sum::<usize>()
        };
        let (some, more, all) = (counts("40 s"), counts("100 s"), counts("off"));
        assert!(0 < some && some < more && more < all, "{application}: {some}, {more}, {all}");
    }
}

/// The segments that endpoints sent.
fn sent(outcome: &Outcome) -> impl Iterator<Item = &SegmentRow> {
    let trace = outcome.trace.as_ref().expect("it was recorded");
    trace.segments.iter().filter(|row| row.event == PacketEvent::Departed)
}

fn record(settings: &[(&str, &str)]) -> Outcome {
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse(THIN, "thin", &settings).expect("valid");
    let pulse = &mut |_| ControlFlow::Continue(());
    simulate(&scenario, Recording::Everything, Threads::MIN, pulse).expect("nothing interrupts it")
}
