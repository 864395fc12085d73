//! What is not TCP beside connections, behind an aggregating proxy that schedules it and behind one
//! that lets it pass.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{GroupSummary, MiddleboxSummary, Outcome, Recording, Threads, simulate};

/// A run with a connection and a ping each second, for 90 s, and what the settings add.
fn outcome(name: &str, settings: &[(&str, &str)]) -> Outcome {
    let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
    let common = [
        ("duration", "90 s"),
        ("tcp.profile", "modern"),
        ("flow.count", "0"),
        ("flow.group.connection.bytes", "unlimited"),
        ("flow.group.ping.application", "udp"),
        ("flow.group.ping.udp.payload", "56 B"),
        ("flow.group.ping.udp.rate", "448 bit/s"),
        ("flow.group.ping.udp.times", "constant"),
        ("middlebox.kind", "atcp"),
    ];
    let settings: Vec<_> = common
        .iter()
        .chain(settings)
        .map(|&(key, value)| (key.to_owned(), value.to_owned()))
        .collect();
    let scenario = Scenario::parse(text, name, &settings).expect("it is valid");
    let pulse = &mut |_| ControlFlow::Continue(());
    simulate(&scenario, Recording::Series, Threads::MIN, pulse).expect("nobody interrupts it")
}

fn groups(name: &str, settings: &[(&str, &str)]) -> Vec<GroupSummary> {
    outcome(name, settings).summary.groups
}

fn of<'a>(groups: &'a [GroupSummary], name: &str) -> &'a GroupSummary {
    groups.iter().find(|group| group.name == name).expect("it is there")
}

fn delay(groups: &[GroupSummary]) -> f64 {
    of(groups, "ping").delay_s.mean.expect("some arrived")
}

const ENCRYPTED: (&str, &str) = ("flow.group.other.encrypted", "true");

/// Beside a bulk flow that nobody can read a connection keeps its half, and a ping takes no longer
/// than beside the connection alone. Around the box the other flow takes most, and the ping waits
/// in its queue.
#[test]
fn a_connection_keeps_its_share_and_a_ping_its_time() {
    for name in ["umts-384", "gprs-live-40"] {
        let alone = delay(&groups(name, &[]));
        let both = |others| groups(name, &[ENCRYPTED, ("middlebox.atcp.others", others)]);
        let (around, scheduled) = (both("around"), both("scheduled"));
        let share = |groups| of(groups, "connection").share.expect("something arrived");
        assert!(share(&around) < 0.3, "{name}: {}", share(&around));
        assert!((share(&scheduled) - 0.5).abs() < 0.05, "{name}: {}", share(&scheduled));
        assert!(delay(&around) > 3.0 * alone, "{name}: {} s", delay(&around));
        let delay = delay(&scheduled);
        assert!(delay < 1.2 * alone, "{name}: {delay} s, {alone} s without the other flow");
    }
}

/// Without others, a box that would schedule them is the box that would not.
#[test]
fn who_is_not_there_changes_nothing() {
    let goodput = |others| {
        let settings = [("flow.group.ping.count", "0"), ("middlebox.atcp.others", others)];
        let groups = groups("umts-384", &settings);
        of(&groups, "connection").goodput_bps.expect("it carries").to_bits()
    };
    assert_eq!(goodput("around"), goodput("scheduled"));
}

/// Bulk flows alone, which nobody acknowledges to the box: echo requests hold the window, so that a
/// ping does not wait as it does where no box stands.
#[test]
fn without_connections_echo_requests_tell() {
    let with = |settings: &[(&str, &str)]| {
        let none = [("flow.group.connection.count", "0"), ENCRYPTED];
        let settings: Vec<_> = none.iter().chain(settings).copied().collect();
        groups("umts-384", &settings)
    };
    let around = with(&[("middlebox.atcp.others", "around")]);
    // More than the radio carries.
    let said = [("middlebox.atcp.rate", "900 kbit/s"), ("middlebox.atcp.round_trip", "200 ms")];
    let told = with(&said);
    assert!(delay(&told) < 0.25 * delay(&around), "{} {}", delay(&told), delay(&around));
    let carried = |groups| of(groups, "other").goodput_bps.expect("it carries");
    assert!(carried(&told) > 0.9 * carried(&around), "{} {}", carried(&told), carried(&around));
}

/// What came went on, was dropped or waits, by class as by mobile, and each end is a row.
fn check_ledger(outcome: &Outcome) -> &MiddleboxSummary {
    let middlebox = outcome.summary.middlebox.as_ref().expect("there is one");
    let rows = outcome.metrics.middlebox.waits.waits.rows();
    let (classes, mobiles) = (&middlebox.classes, &middlebox.by_mobile);
    for class in classes {
        let gone = class.sent + class.late + class.crowded;
        assert_eq!(class.packets, gone + class.waiting, "{class:?}");
        assert_eq!(class.waited_s.samples, class.sent, "{class:?}");
    }
    let sum = |count: fn(&sim::ClassSummary) -> u64| classes.iter().map(count).sum::<u64>();
    let (came, waiting) = (sum(|class| class.packets), sum(|class| class.waiting));
    assert_eq!(rows.len() as u64, came - waiting);
    assert_eq!(came, mobiles.iter().map(|mobile| mobile.packets).sum::<u64>());
    let dropped = sum(|class| class.late + class.crowded);
    assert_eq!(dropped, mobiles.iter().map(|mobile| mobile.dropped).sum::<u64>());
    for mobile in mobiles {
        let of = rows.iter().filter(|row| row.mobile == mobile.mobile && row.release.is_loss());
        assert_eq!(of.count() as u64, mobile.dropped, "{mobile:?}");
        assert!(mobile.echoes_answered <= mobile.echoes_sent, "{mobile:?}");
    }
    middlebox
}

/// Each of three mobiles has a window of its own, whatever its bearer: neither its connection nor
/// a flow that nobody can read gets less than a share, and its packets are in figures of its own.
/// A shared cell has a window for a third of its rate, of which a mobile may get more or less.
#[test]
fn each_mobile_has_a_window_of_its_own() {
    let check = |name: &str, least: f64, settings: &[(&str, &str)]| {
        let mobiles = [
            ENCRYPTED,
            ("radio.ues", "3"),
            ("flow.group.connection.count", "3"),
            ("flow.group.other.count", "3"),
            ("flow.group.ping.count", "3"),
            ("duration", "30 s"),
        ];
        let settings: Vec<_> = mobiles.iter().chain(settings).copied().collect();
        let outcome = outcome(name, &settings);
        let middlebox = check_ledger(&outcome);
        let numbers: Vec<_> = middlebox.by_mobile.iter().map(|mobile| mobile.mobile).collect();
        assert_eq!(numbers, [0, 1, 2], "{name}");
        let carried = |group: &str| {
            let flows = outcome.summary.flows.iter().filter(|flow| flow.group == group);
            flows.map(|flow| flow.goodput_bps.unwrap_or(0.0)).collect::<Vec<_>>()
        };
        let pairs = carried("connection").into_iter().zip(carried("other"));
        for ((connection, other), mobile) in pairs.zip(&middlebox.by_mobile) {
            let share = connection / (connection + other);
            assert!(share.min(1.0 - share) > least, "{name}: {share} of {mobile:?}");
            assert!(mobile.packets > 0 && mobile.window_bytes.is_some(), "{name}: {mobile:?}");
        }
    };
    check("gprs-3+1", 0.4, &[("duration", "180 s")]);
    let box_of = |rate, round_trip, clamp, duration| {
        [
            ("middlebox.atcp.rate", rate),
            ("middlebox.atcp.round_trip", round_trip),
            ("middlebox.atcp.clamp", clamp),
            ("middlebox.atcp.budget", "2 MB"),
            ("tcp.window", "2000"),
            ("duration", duration),
        ]
    };
    check("umts-384", 0.4, &box_of("384 kbit/s", "200 ms", "12480 B", "30 s"));
    // A third of what the cell carries.
    check("lte-cat4", 0.2, &box_of("24 Mbit/s", "60 ms", "234 kB", "10 s"));
    check("nr-tdd-100", 0.2, &box_of("130 Mbit/s", "30 ms", "634 kB", "4 s"));
}

/// Advice is given where it helps, and not where it was taken.
#[test]
fn hints_say_what_to_change() {
    let umts = [("middlebox.atcp.rate", "384 kbit/s"), ("middlebox.atcp.round_trip", "200 ms")];
    let usual = [ENCRYPTED, umts[0], umts[1], ("middlebox.atcp.clamp", "12480 B")];
    let call = ("flow.group.call.application", "voip");
    let class = [
        ("middlebox.atcp.classes.voice.port", "5004"),
        ("middlebox.atcp.classes.voice.priority", "1"),
    ];
    let on = |name: &str, settings: &[&[(&str, &str)]], expected: &[&str]| {
        let settings: Vec<_> = settings.concat();
        let hints = outcome(name, &settings).summary.hints;
        let found: Vec<_> = hints.iter().filter(|hint| hint.contains("middlebox.atcp")).collect();
        let is_said = |part: &&str| found.iter().any(|hint| hint.contains(part));
        assert!(expected.iter().all(is_said), "{expected:?}: {found:#?}");
        let box_window = "limited by the window of the middlebox";
        let others = found.iter().filter(|hint| !hint.contains(box_window)).count();
        assert_eq!(others, expected.len(), "{found:#?}");
    };
    let check =
        |settings: &[&[(&str, &str)]], expected: &[&str]| on("umts-384", settings, expected);
    check(&[&usual], &[]);
    check(&[&usual, &[call]], &["lets them go first ([[middlebox.atcp.classes]])"]);
    check(&[&usual, &[call], &class], &[]);
    let slow = ("middlebox.atcp.rate", "33 kbit/s");
    let starved = ["starves them", "less than the radio drains"];
    check(&[&usual, &[call, slow], &class], &starved);
    let crowd = ("flow.group.other.count", "20");
    check(&[&usual, &[crowd, ("middlebox.atcp.budget", "13 kB")]], &["budget is 13000 B"]);
    check(&[&usual, &[("middlebox.atcp.clamp", "60 kB")]], &["more than the radio drains"]);
    check(&[&usual, &[("middlebox.atcp.clamp", "1500 B")]], &["less than the radio drains"]);
    let silent = [ENCRYPTED, ("radio.outages", "[['0 s', '90 s']]")];
    on("gprs-3+1", &[&silent], &["mobile 0 answered no echo request"]);
}

/// Equal mobiles of one cell whose radio reports: their windows together hold little more than
/// what the cell carries in the round trip and a packet for each, and it carries as much as with
/// any window.
#[test]
fn windows_of_a_shared_cell_hold_what_it_does() {
    let (round_trip_s, headroom) = (0.04, 1.1);
    for (blocks, mobiles) in [("25", "4"), ("15", "2")] {
        let with = |estimator, clamp| {
            let settings = [
                ENCRYPTED,
                ("radio.ues", mobiles),
                ("radio.lte.resource_blocks", blocks),
                ("flow.group.connection.count", mobiles),
                ("flow.group.other.count", mobiles),
                ("flow.group.ping.count", mobiles),
                ("duration", "30 s"),
                ("middlebox.atcp.rate", "8.7 Mbit/s"),
                ("middlebox.atcp.round_trip", &format!("{round_trip_s} s")),
                ("middlebox.atcp.headroom", &headroom.to_string()),
                ("middlebox.atcp.estimator", estimator),
                ("middlebox.atcp.clamp", clamp),
                ("middlebox.atcp.budget", "1 MB"),
            ];
            let summary = outcome("lte-cat1", &settings).summary;
            let by_mobile = summary.middlebox.expect("there is one").by_mobile;
            let windows = by_mobile.iter().filter_map(|mobile| mobile.window_bytes).sum::<f64>();
            let carried = summary.groups.iter().filter_map(|group| group.goodput_bps).sum::<f64>();
            (windows, carried)
        };
        let (windows, carried) = with("radio", "10 kB");
        let packets = 1500.0 * mobiles.parse::<f64>().expect("a number");
        let most = 1.2 * (headroom * carried / 8.0 * round_trip_s + packets);
        assert!(windows <= most, "{mobiles}: {windows} B, {most} B");
        let (_, full) = with("static", "100 kB");
        assert!(carried >= 0.95 * full, "{mobiles}: {carried} bit/s of {full}");
    }
}

/// A mobile of LTE that was idle answers later than it may, as its radio has to connect: it is
/// asked on, and a ping beside a bulk flow that nobody can read waits for the window alone.
#[test]
fn a_mobile_that_wakes_slowly_is_not_taken_for_silent() {
    let with = |others| {
        let settings = [
            ("duration", "30 s"),
            ("flow.group.connection.count", "0"),
            ENCRYPTED,
            ("middlebox.atcp.others", others),
            // More than the radio carries; 97.5 kB of it are 0.09 s.
            ("middlebox.atcp.rate", "10 Mbit/s"),
            ("middlebox.atcp.round_trip", "60 ms"),
            ("middlebox.atcp.clamp", "97500 B"),
        ];
        groups("lte-cat1", &settings)
    };
    let (around, told) = (delay(&with("around")), delay(&with("scheduled")));
    assert!(told < 0.3 * around, "{told} s, {around} s around the box");
}
