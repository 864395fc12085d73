//! Packets that are too large for the tunnels of mobiles: who learns of it, and whether transfers
//! end whole.

use std::ops::ControlFlow;

use base::Time;
use observe::{DropReason, MobilityFact, Observe, PacketEvent, PacketFact};
use scenario::Scenario;
use sim::{Recording, Threads, simulate};
use tcp::Length;
use world::{Ends, Ipv6, Machine, TooBig, World};

const BYTES: u64 = 4_000_000;

/// What is seen of a transfer of [`BYTES`].
#[derive(Default)]
struct Seen {
    departed: u64,
    arrived: u64,
    dropped: u64,
    refused: u64,
    incomplete: u64,
    /// Packet Too Big messages, sent and received.
    sent: u64,
    received: u64,
    /// Bytes of the largest packet at a link.
    largest: u32,
}

impl Observe for Seen {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed => self.departed += 1,
            PacketEvent::Arrived => self.arrived += 1,
            PacketEvent::Dropped(reason) => {
                self.dropped += 1;
                self.refused += u64::from(reason == DropReason::TooBig);
                self.incomplete += u64::from(reason == DropReason::Incomplete);
            }
            PacketEvent::Entered => self.largest = self.largest.max(fact.bytes),
            PacketEvent::Left | PacketEvent::Duplicated(_) | PacketEvent::Corrupted => {}
        }
    }

    fn mobility(&mut self, _now: Time, _machine: u32, fact: MobilityFact) {
        if fact.message() == Some(TooBig::NAME) {
            let is_sent = matches!(fact, MobilityFact::Sent { .. });
            *(if is_sent { &mut self.sent } else { &mut self.received }) += 1;
        }
    }
}

fn scenario(settings: &[(&str, &str)]) -> Scenario {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "hmipv6-handover");
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(own).collect();
    let text = shipped.expect("it ships").text;
    Scenario::parse(text, "hmipv6-handover", &settings).expect("valid")
}

/// Runs a transfer, which has to end whole with every packet accounted for, and says what the
/// path took in the end from the one who sends.
fn transfer(settings: &[(&str, &str)]) -> (Seen, u32) {
    let size = BYTES.to_string();
    let always = [("duration", "300 s"), ("flow.bytes", &size), ("tcp.variant", "newreno")];
    let settings: Vec<_> = always.iter().chain(settings).copied().collect();
    let scenario = scenario(&settings);
    let mut world: World<Ipv6<Length>> = scenario::build_over(&scenario).world;
    let mut seen = Seen::default();
    let end = Time::ZERO + scenario.duration;
    while world.step(end, &mut seen).is_some() {}
    assert_eq!(seen.departed, seen.arrived + seen.dropped + world.held().count() as u64);
    assert_eq!((world.unroutable(), seen.sent), (0, seen.received));
    let hosts = world.machines().filter_map(|(_, _, machine)| {
        if let Machine::Host(host) = machine { Some(host) } else { None }
    });
    let hosts: Vec<_> = hosts.collect();
    for host in &hosts {
        assert!(host.endpoint().sender().is_finished(), "{settings:?}");
    }
    let host = hosts[0];
    let path = Ends { source: host.node(), destination: host.peer() };
    (seen, world.path_mtu(end, path))
}

#[test]
fn a_source_learns_what_the_tunnels_leave() {
    // It begins at home, where nothing is too large. Away there is one tunnel, or two of which one
    // is in the other.
    for (kind, mtu) in [("mipv6", 1_460), ("hmipv6", 1_420)] {
        for direction in ["downlink", "uplink"] {
            let (seen, path) = transfer(&[
                ("mobile_ip.kind", kind),
                ("flow.direction", direction),
                ("flow.start", "5 s"),
                ("ftp.packet_size", "1440"),
            ]);
            assert_eq!(path, mtu, "{kind} {direction}");
            assert_eq!((seen.largest, seen.incomplete), (1_500, 0), "{kind} {direction}");
            let relayed = seen.sent - seen.refused;
            assert_eq!(relayed > 0, kind == "hmipv6", "{kind} {direction}");
            assert!((1..200).contains(&seen.refused), "{} refused", seen.refused);
        }
    }
}

#[test]
fn what_every_link_takes_goes_through_in_pieces() {
    for direction in ["downlink", "uplink"] {
        let (seen, path) = transfer(&[
            ("flow.direction", direction),
            ("flow.start", "25 s"),
            ("mobile_ip.mtu", "1280"),
            ("ftp.packet_size", "1220"),
        ]);
        assert_eq!((path, seen.largest), (1_280, 1_280), "{direction}");
        assert_eq!((seen.refused, seen.sent), (0, 0), "{direction}");
        // A packet with 1220 bytes is cut in three.
        assert!(seen.departed > 3 * BYTES / 1_220, "{} packets", seen.departed);
    }
}

#[test]
fn a_host_counts_its_own_headers() {
    // Connected when the mobile is away and known to its correspondent: one tunnel, and the
    // routing header or the home address option.
    for direction in ["downlink", "uplink"] {
        let (seen, path) = transfer(&[
            ("flow.direction", direction),
            ("flow.start", "25 s"),
            ("mobile_ip.route_optimization", "true"),
            ("ftp.packet_size", "1440"),
        ]);
        assert_eq!((path, seen.largest), (1_500 - 40 - 24, 1_500), "{direction}");
    }
}

#[test]
fn a_later_connection_begins_with_what_is_known() {
    let refused = |count| {
        let (seen, _) = transfer(&[
            ("flow.start", "25 s"),
            ("flow.count", count),
            ("flow.interval", "60 s"),
            ("ftp.packet_size", "1440"),
        ]);
        seen.refused
    };
    assert_eq!(refused("2"), refused("1"));
}

/// Of a flow that starts when the mobile is away: how long it takes and what goes again.
fn flow(settings: &[(&str, &str)]) -> (f64, u64) {
    let always = [("flow.start", "25 s"), ("ftp.packet_size", "1440"), ("tcp.variant", "newreno")];
    let settings: Vec<_> = always.iter().chain(settings).copied().collect();
    let outcome = simulate(&scenario(&settings), Recording::Series, Threads::MIN, &mut |_| {
        ControlFlow::Continue(())
    });
    let flow = &outcome.expect("nothing interrupts it").summary.flows[0];
    let [started, completed] = [flow.started_s, flow.completed_s].map(|time| time.expect("whole"));
    (completed - started, flow.retransmits)
}

#[test]
fn what_a_mobile_finds_too_big_itself_goes_again_at_once() {
    let uplink = ("flow.direction", "uplink");
    let (seconds, again) = flow(&[("mobile_ip.kind", "mipv6"), uplink, ("flow.bytes", "1440")]);
    assert!(seconds < 0.5 && again > 0, "{seconds} s, {again} segments again");
}

#[test]
fn what_goes_in_pieces_does_not_go_again() {
    for direction in ["downlink", "uplink"] {
        let (_, again) = flow(&[
            ("mobile_ip.kind", "mipv6"),
            ("mobile_ip.route_optimization", "true"),
            ("flow.direction", direction),
            ("flow.bytes", "100 kB"),
        ]);
        assert_eq!(again, 0, "{direction}");
    }
}
