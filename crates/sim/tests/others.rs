//! What is not TCP beside connections, behind an aggregating proxy that schedules it and behind one
//! that lets it pass.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{GroupSummary, Recording, Threads, simulate};

/// A connection and a ping each second, for 90 s, and what the settings add.
fn groups(name: &str, settings: &[(&str, &str)]) -> Vec<GroupSummary> {
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
    let outcome =
        simulate(&scenario, Recording::Series, Threads::MIN, pulse).expect("nobody interrupts it");
    outcome.summary.groups
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
