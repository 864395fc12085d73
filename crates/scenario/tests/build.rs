//! What parses can be built and run.

use base::Time;
use observe::Context;
use proptest::prelude::*;
use scenario::{Scenario, build, build_open, build_over, shipped};
use tcp::Length;
use world::{Body, Datagram, Ipv6, World};

fn text(name: &str) -> &'static str {
    shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

/// Parses with `settings` and, if that is possible, builds and runs for two simulated seconds.
fn build_and_run(name: &str, settings: &[(&str, &str)]) -> Option<u64> {
    let settings: Vec<_> =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let scenario = Scenario::parse(text(name), name, &settings).ok()?;
    Some(match scenario.mobile_ip {
        None => run(build(&scenario).world),
        Some(_) => run(build_over::<Ipv6<Length>>(&scenario).world),
    })
}

fn run<B: Body>(mut world: World<B>) -> u64 {
    let end = Time::from_nanos(10_000_000_000);
    let mut events = 0;
    while events < 2_000_000 && world.step(end, &mut ()).is_some() {
        events += 1;
    }
    assert_eq!(world.unroutable(), 0);
    events
}

#[test]
fn every_scenario_that_ships_runs() {
    for shipped in shipped() {
        let events = build_and_run(shipped.name, &[]).expect("it is valid");
        assert!(events > 10, "{} woke machines only {events} times", shipped.name);
    }
}

#[test]
fn the_ends_of_every_range_run() {
    let check = |key, value| {
        let events = build_and_run("umts-dch-384", &[(key, value)]);
        assert!(events.is_some_and(|events| events > 5), "{key} = {value}: {events:?}");
    };
    check("radio.rlc.pdu_payload", "10 B");
    check("radio.rlc.window", "1");
    check("radio.rlc.window", "4096");
    check("radio.tbler", "99 %");
    check("radio.downlink.tti", "80 ms");
    check("radio.uplink.tti", "10 ms");
    check("radio.rlc.max_retransmissions", "0");
    check("radio.rlc.discard_timer", "10 ms");
    check("radio.rlc.status.estimated_pdu_counter", "120 ms");
    check("radio.rlc.poll.every_pdus", "1");
    check("radio.pdcp.header_compression", "true");
    check("queue.packets", "1");
    check("tcp.window", "1");
    check("tcp.mss", "1");
    check("tcp.mss", "65495");
    check("flow.count", "20");
    check("flow.hosts", "own");
    check("flow.bytes", "1 B");
}

/// Hosts of their own change who is who, not what happens: access links take no time.
#[test]
fn own_hosts_change_no_result() {
    let run = |hosts: &str| {
        let settings = [("flow.count", "7"), ("flow.bytes", "9 kB"), ("flow.hosts", hosts)];
        let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let scenario = Scenario::parse(text("umts-dch-384"), "umts", &settings).expect("valid");
        let network = build(&scenario);
        let (mut world, mut last) = (network.world, Time::ZERO);
        while let Some(now) = world.step(Time::from_nanos(1 << 60), &mut ()) {
            last = now;
        }
        (network.flows.len(), world.unroutable(), last)
    };
    assert_eq!(run("own"), run("shared"));
}

/// Packets from outside pass through every scenario that ships and is a chain, both ways.
#[test]
fn every_scenario_that_ships_lets_packets_through() {
    for shipped in shipped() {
        let scenario = Scenario::parse(shipped.text, shipped.name, &[]).expect("it is valid");
        if scenario.mobile_ip.is_some() {
            continue;
        }
        let (mut world, ends) = build_open::<Datagram>(&scenario);
        for number in 0..20 {
            let [from, to] = if number % 2 == 0 { ends } else { [ends[1], ends[0]] };
            let body = Datagram::new(vec![number; 100].into(), 0);
            world.handle_packet(&mut Context { now: Time::ZERO, observe: &mut () }, from, to, body);
        }
        while world.step(Time::from_nanos(60_000_000_000), &mut ()).is_some() {}
        let out: Vec<_> = std::iter::from_fn(|| world.poll_packet()).collect();
        assert!(out.len() > 10 && world.held().count() == 0, "{}: {}", shipped.name, out.len());
        let arrives = |end| out.iter().any(|delivery| delivery.at == end);
        assert!(ends.into_iter().all(arrives), "{}", shipped.name);
        assert_eq!(world.unroutable(), 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Any setting of any key is refused in one line or runs.
    #[test]
    fn any_value_is_refused_or_runs(
        index in any::<prop::sample::Index>(),
        value in prop::sample::select(vec![
            "0", "1", "2", "40", "4095", "100000", "-1", "0.5", "50 %", "99.9 %", "off", "true",
            "false", "unlimited", "1 ms", "10 ms", "3 s", "1 h", "1 B", "9 B", "1 MB", "1 kbit/s",
            "40 kbit/s", "10 Gbit/s", "reno", "vegas", "reset", "discard", "exact", "window",
        ]),
        name in prop::sample::select(vec!["umts-dch-384", "plain-384"]),
    ) {
        let keys = scenario::keys();
        let key = &keys[index.index(keys.len())].name.replace("NAME", "Gi");
        build_and_run(name, &[(key, value), ("flow.count", "1")]);
    }
}
