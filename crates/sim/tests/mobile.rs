//! Networks through which mobiles move: what becomes of packets, how long a handover takes, and
//! whether transfers survive a thousand of them.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use base::{Duration, Stream, Time};
use mobility::binding::{
    Acknowledgement, Address, Authority, Extent, Location, Message, Peer, Sequence, Status, Update,
};
use observe::{MobilityFact, Observe, PacketEvent, PacketFact};
use proptest::prelude::*;
use radio::wlan::{ACK_BYTES, DIFS, DataRate, Preamble, SIFS, frame_time};
use scenario::Scenario;
use sim::{HandoverSummary, Outcome, Recording, Threads, simulate};
use tcp::Length;
use world::{Ipv6, World};

fn scenario(more: &str, settings: &[(&str, &str)]) -> Scenario {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "hmipv6-handover");
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(own).collect();
    let text = format!("{}\n{more}", shipped.expect("it ships").text);
    Scenario::parse(&text, "hmipv6-handover", &settings).expect("valid")
}

fn run(scenario: &Scenario) -> Outcome {
    simulate(scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// A second way from N1 to the MAP that takes longer, by N2, and static routes `[at, to, via]`.
fn detour(routes: &[[&str; 3]]) -> String {
    let mut text = String::new();
    for (name, from, to) in [("N2", "N1", "N2"), ("N3", "N2", "MAP")] {
        let wire = format!("between = [\"{from}\", \"{to}\"]\nrate = \"2 Mbit/s\"");
        writeln!(text, "[[wired]]\nname = \"{name}\"\n{wire}\ndelay = \"40 ms\"").expect("memory");
    }
    for (number, [at, to, via]) in routes.iter().enumerate() {
        let ends = format!("at = \"{at}\"\nto = \"{to}\"\nvia = \"{via}\"");
        writeln!(text, "[[route]]\nname = \"route-{number}\"\n{ends}").expect("memory");
    }
    text
}

/// What became of packets.
#[derive(Default, Debug)]
struct Fates {
    departed: u64,
    arrived: u64,
    dropped: u64,
    duplicated: u64,
    corrupted: u64,
    entered: u64,
    left: u64,
    /// Bytes of the largest packet at a link.
    largest: u32,
}

impl Observe for Fates {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed => self.departed += 1,
            PacketEvent::Arrived => self.arrived += 1,
            PacketEvent::Dropped(_) => self.dropped += 1,
            PacketEvent::Entered => {
                self.entered += 1;
                self.largest = self.largest.max(fact.bytes);
            }
            PacketEvent::Left => self.left += 1,
            PacketEvent::Duplicated(_) => self.duplicated += 1,
            PacketEvent::Corrupted => self.corrupted += 1,
        }
    }
}

/// Every packet is somewhere: at its end, dropped, or under way. None is larger than links take.
fn is_conserved(scenario: &Scenario) -> Result<(), TestCaseError> {
    let mut world: World<Ipv6<Length>> = scenario::build_over(scenario).world;
    let mut fates = Fates::default();
    let until = Time::ZERO + scenario.duration;
    while world.step(until, &mut fates).is_some() {}
    let held = world.held().count() as u64;
    prop_assert!(fates.departed > 100);
    prop_assert_eq!(fates.departed + fates.duplicated, fates.arrived + fates.dropped + held);
    prop_assert_eq!(world.unroutable(), 0);
    prop_assert!(fates.largest <= scenario.mobile_ip.as_ref().expect("mobiles move").mtu);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn packets_are_conserved_whatever_moves(
        seed in 0..u64::MAX,
        mobiles in 0..4_u32,
        queue in 2..60_u32,
        words in (
            prop::sample::select(vec!["mipv6", "hmipv6"]),
            prop::sample::select(vec!["off", "standard", "optimistic"]),
            prop::sample::select(vec!["keep-last", "bicast"]),
            prop::sample::select(vec!["make-before-break", "break-before-make"]),
            prop::sample::select(vec!["contention-free", "csma-ca"]),
            prop::sample::select(vec!["downlink", "uplink", "between-mobiles"]),
        ),
        flags in prop::array::uniform4(any::<bool>()),
        sizes in (
            prop::sample::select(vec!["off", "100 B", "500 B"]),
            prop::sample::select(vec!["512 B", "1220 B", "1440 B", "2500 B"]),
            prop::sample::select(vec!["1280 B", "1300 B", "1500 B"]),
        ),
    ) {
        let (kind, detection, two, handover, access, direction) = words;
        let mobiles = mobiles.max(u32::from(direction == "between-mobiles"));
        let [route_optimization, reverse_tunnel, fast, detours] = flags;
        let (cap, packet_size, mtu) = sizes;
        let word = |flag: bool| if flag { "true" } else { "false" };
        let routes = [["N1", "MAP", "N2"], ["N1", "AR2", "N2"], ["MAP", "HA", "N2"]];
        let scenario = scenario(&detour(if detours { &routes } else { &[] }), &[
            ("seed", &seed.to_string()),
            ("duration", "90 s"),
            ("flow.count", &(mobiles + 1).to_string()),
            ("flow.direction", direction),
            ("wlan.mobiles", &mobiles.to_string()),
            ("queue.packets", &queue.to_string()),
            ("mobile_ip.kind", kind),
            ("mobile_ip.duplicate_address_detection", detection),
            ("mobile_ip.two_addresses", two),
            ("mobile_ip.route_optimization", word(route_optimization)),
            ("mobile_ip.reverse_tunnel", word(route_optimization || reverse_tunnel)),
            ("mobile_ip.fast_handovers", word(fast)),
            ("wlan.anticipation", if fast { "200 ms" } else { "off" }),
            ("wlan.hysteresis", if handover == "break-before-make" { "3 dB" } else { "-100 dB" }),
            ("wlan.handover", handover),
            ("wlan.access", access),
            ("ftp.cap", cap),
            ("ftp.packet_size", packet_size),
            ("mobile_ip.mtu", mtu),
        ]);
        is_conserved(&scenario)?;
    }
}

/// Agents take no message with a wrong bit, and tunnels carry copies and what comes out of order.
#[test]
fn wires_may_disorder_packets() {
    for kind in ["mipv6", "hmipv6"] {
        let mut settings = vec![("duration", "60 s"), ("mobile_ip.kind", kind)];
        settings.extend([
            ("wired.wan.jitter", "20 ms"),
            ("wired.wan.jitter_order", "free"),
            ("wired.wan.reorder", "2 %"),
            ("wired.wan.duplicate", "5 %"),
            ("wired.wan.corrupt", "3 %"),
            ("mobile_ip.mtu", "1280 B"),
            ("ftp.packet_size", "2500 B"),
        ]);
        let scenario = scenario("", &settings);
        let mut world: World<Ipv6<Length>> = scenario::build_over(&scenario).world;
        let (mut fates, until) = (Fates::default(), Time::ZERO + scenario.duration);
        while world.step(until, &mut fates).is_some() {}
        let held = world.held().count() as u64;
        assert_eq!(fates.departed + fates.duplicated, fates.arrived + fates.dropped + held);
        assert!(fates.duplicated > 20 && fates.corrupted > 20, "{fates:?}");
    }
}

/// From when a frame with a packet of `bytes` begins to when it is whole.
fn frame(bytes: u32) -> Duration {
    // MAC header, FCS and LLC/SNAP.
    frame_time(bytes + 36, DataRate::Mbps11, Preamble::Long)
}

/// The wire between the MAP and an access router.
fn wire(message: Message) -> Duration {
    Duration::from_millis(2) + Duration::from_micros(u64::from(message.bytes()) * 8)
}

/// Error-free, without other traffic: a local handover takes as long as its parts.
#[test]
fn a_handover_takes_the_sum_of_its_parts() {
    let address = Address(0);
    let sequence = Sequence(0);
    let lifetime = Duration::from_secs(420);
    let solicitation = Message::RouterSolicitation;
    let advertisement = Message::RouterAdvertisement { router: 2, map: Some(address) };
    let question = Message::NeighborSolicitation { target: address };
    let update = Message::BindingUpdate(Update {
        home: address,
        care_of: Address(1),
        sequence,
        lifetime,
        extent: Extent::Only,
        authority: Authority::Agent,
    });
    let answer = Message::BindingAcknowledgement(Acknowledgement {
        home: address,
        sequence,
        status: Status::Accepted,
        lifetime,
        location: Location::Away,
        by: Peer::Agent,
    });
    // After a frame the medium waits for its acknowledgement, and then some.
    let after = SIFS + frame_time(ACK_BYTES, DataRate::Mbps2, Preamble::Long) + DIFS;
    let heard = frame(solicitation.bytes()) + after + frame(advertisement.bytes());
    let bound = frame(update.bytes()) + wire(update) + wire(answer) + frame(answer.bytes());
    let asked = after + frame(question.bytes());
    let switch = Duration::from_millis(130);
    let second = Duration::from_secs(1);
    for (handover, ahead) in [("make-before-break", None), ("break-before-make", Some(switch))] {
        for (detection, usable, registers) in [
            ("off", Duration::ZERO, after + bound),
            ("optimistic", Duration::ZERO, asked + after + bound),
            ("standard", second, bound),
        ] {
            let outcome = run(&scenario(
                "",
                &[
                    ("duration", "500 s"),
                    ("flow.bytes", "1 kB"),
                    ("wlan.loss", "none"),
                    ("wlan.handover", handover),
                    ("wlan.hysteresis", if ahead.is_some() { "3 dB" } else { "-100 dB" }),
                    ("wlan.switch_time", "130 ms"),
                    ("mobile_ip.duplicate_address_detection", detection),
                    ("mobile_ip.advertisement_interval", "1000 s"),
                    ("mobile_ip.lifetime", "1000 s"),
                ],
            ));
            let mobility = outcome.summary.mobility.expect("mobiles move");
            let change = mobility.handovers.last().expect("a change");
            assert_eq!(change.router, 2, "{mobility:?}");
            let expected = ahead.unwrap_or_default() + heard + usable + registers;
            let latency = change.latency_s.expect("it is registered");
            let difference = (latency - expected.as_secs_f64()).abs();
            assert!(difference < 1e-9, "{handover} {detection}: {latency} s, {expected:?}");
            let gap = change.link_down_s.map(|down| change.link_up_s - down);
            let apart = gap.unwrap_or_default() - ahead.unwrap_or_default().as_secs_f64();
            assert!(apart.abs() < 1e-9, "{change:?}");
        }
    }
}

/// Transfers of a long run.
const FLOWS: u32 = 60;

/// To and fro between the access routers and home, at whatever speed, for hours: transfers go on,
/// and what they carry arrives whole.
fn a_thousand_handovers_lose_no_byte(seed: u64, fast: &str, anticipation: &str) {
    let mut chance = Stream::named(seed, "walk");
    let mut walk = String::new();
    let (mut at, mut place) = (0.0, 560.0);
    for turn in 0..1_000 {
        // Either side of the middle of the two cells, and sometimes home.
        let away = [f64::from(chance.below(100)) + 480.0, f64::from(chance.below(100)) + 740.0];
        let to = if chance.below(20) == 0 { 0.0 } else { away[turn % 2] };
        let velocity = 20.0 + f64::from(chance.below(60));
        writeln!(
            walk,
            "{{ at = \"{at} s\", to = [\"{to} m\", \"0 m\"], speed = \"{velocity} m/s\" }},"
        )
        .expect("memory");
        at += ((to - place).abs() / velocity).ceil() + f64::from(chance.below(8));
        place = to;
    }
    let runner = format!(
        "[[wlan.mobile]]\nname = \"runner\"\nposition = [\"560 m\", \"0 m\"]\n\
             walk = [\n{walk}]\n"
    );
    let outcome = run(&scenario(
        &runner,
        &[
            ("seed", &seed.to_string()),
            ("duration", &format!("{} s", at + 600.0)),
            // To the one that has its own walk and to the runner in turn, all along.
            ("flow.count", &FLOWS.to_string()),
            ("flow.interval", &format!("{} s", (at / f64::from(FLOWS)).floor())),
            ("flow.bytes", "9 MB"),
            ("wlan.rate", "1 Mbit/s"),
            ("tcp.variant", "newreno"),
            ("mobile_ip.fast_handovers", fast),
            ("wlan.anticipation", anticipation),
            ("mobile_ip.duplicate_address_detection", "optimistic"),
        ],
    ));
    let mobility = outcome.summary.mobility.expect("mobiles move");
    let of_runner = |change: &&HandoverSummary| change.mobile == "runner";
    assert!(mobility.handovers.iter().filter(of_runner).count() >= 1_000);
    for flow in &outcome.summary.flows {
        assert_eq!(flow.bytes_acked, 9_000_000, "flow {} of seed {seed}", flow.id);
        assert!(flow.received_s.is_some(), "flow {} of seed {seed}", flow.id);
    }
}

#[test]
fn a_thousand_plain_handovers_lose_no_byte() {
    a_thousand_handovers_lose_no_byte(1, "false", "off");
}

#[test]
fn a_thousand_fast_handovers_lose_no_byte() {
    a_thousand_handovers_lose_no_byte(2, "true", "100 ms");
}

/// Data, and what agents say, go as static routes have it, at the nodes and for the prefixes that
/// they name alone.
#[test]
fn packets_go_as_static_routes_say() {
    let check = |routes: &[[&str; 3]], settings: &[(&str, &str)], expected: &[&str]| {
        // The mobile is at AR1, and stays there.
        let always = [("duration", "60 s"), ("flow.start", "15 s")];
        let settings: Vec<_> = always.iter().chain(settings).copied().collect();
        let outcome = run(&scenario(&detour(routes), &settings));
        let links = outcome.summary.links.iter();
        let used = links.filter(|link| link.utilization.is_some_and(|share| share > 0.0));
        let mut used: Vec<_> = used.map(|link| link.name.as_str()).collect();
        used.retain(|name| ["N2/", "N3/", "wan/"].iter().any(|wire| name.starts_with(wire)));
        used.sort_unstable();
        assert_eq!(used, expected, "{routes:?} {settings:?}");
        assert!(outcome.summary.flows[0].bytes_acked > 1_000_000, "{routes:?} {settings:?}");
    };
    let plain = [("mobile_ip.kind", "mipv6")];
    let optimized = [("mobile_ip.route_optimization", "true")];
    let straight = ["wan/down", "wan/up"];
    let around = ["N2/down", "N3/down", "wan/up"];
    check(&[], &[], &straight);
    // To the regional address, from the home agent and from the correspondent.
    check(&[["N1", "MAP", "N2"]], &[], &around);
    check(&[["N1", "MAP", "N2"]], &optimized, &around);
    // To the local address, which is not the MAP's without one.
    check(&[["N1", "AR1", "N2"]], &plain, &around);
    check(&[["N1", "MAP", "N2"]], &plain, &straight);
    check(&[["N1", "AR1", "N2"]], &[], &straight);
    // Through the tunnel to the home agent.
    check(&[["MAP", "HA", "N2"]], &[], &["N2/up", "N3/up", "wan/down"]);
    let both = [["MAP", "HA", "N2"], ["N1", "MAP", "N2"]];
    check(&both, &[], &["N2/down", "N2/up", "N3/down", "N3/up"]);
}

/// What a mobile sends passes the home agent only if there is a tunnel to it, or it is at home.
#[test]
fn without_a_reverse_tunnel_what_a_mobile_sends_goes_straight() {
    for kind in ["mipv6", "hmipv6"] {
        let [tunnelled, straight] = ["true", "false"].map(|reverse_tunnel| {
            let settings = [
                ("duration", "60 s"),
                ("flow.start", "15 s"),
                ("flow.bytes", "100 kB"),
                ("flow.direction", "uplink"),
                ("mobile_ip.kind", kind),
                ("mobile_ip.reverse_tunnel", reverse_tunnel),
            ];
            let scenario = scenario("", &settings);
            is_conserved(&scenario).expect("every packet is somewhere");
            let flow = run(&scenario).summary.flows.swap_remove(0);
            assert_eq!(flow.bytes_acked, 100_000, "{kind}");
            flow.network.delay_s.min.expect("data arrived")
        });
        // Two wires of 2 ms, there and back, and less for tunnels' headers.
        let saved = tunnelled - straight;
        assert!(0.004 < saved && saved < 0.006, "{kind}: {saved} s");
    }
}

/// Each of two mobiles sends to the other while both move, one of them home and away again.
#[test]
fn between_mobiles_that_move_no_byte_is_lost() {
    let other = "[[wlan.mobile]]\nname = \"other\"\nposition = [\"900 m\", \"0 m\"]\nwalk = [\n\
                 { at = \"20 s\", to = [\"520 m\", \"0 m\"], speed = \"20 m/s\" },\n\
                 { at = \"60 s\", to = [\"0 m\", \"0 m\"], speed = \"100 m/s\" },\n\
                 { at = \"85 s\", to = [\"900 m\", \"0 m\"], speed = \"50 m/s\" },\n]\n";
    let load = |kind: &str, route_optimization: &str, fast: &str| {
        let scenario = scenario(
            other,
            &[
                ("duration", "600 s"),
                ("flow.direction", "between-mobiles"),
                ("flow.count", "2"),
                ("flow.start", "15 s"),
                ("flow.bytes", "10 MB"),
                ("tcp.variant", "newreno"),
                ("mobile_ip.kind", kind),
                ("mobile_ip.route_optimization", route_optimization),
                ("mobile_ip.fast_handovers", fast),
                ("wlan.anticipation", if fast == "true" { "100 ms" } else { "off" }),
                ("mobile_ip.duplicate_address_detection", "optimistic"),
            ],
        );
        is_conserved(&scenario).expect("every packet is somewhere");
        let summary = run(&scenario).summary;
        let mobility = summary.mobility.expect("mobiles move");
        for (name, least) in [("MN", 2), ("other", 4)] {
            let of_it = |change: &&HandoverSummary| change.mobile == name;
            let handovers = mobility.handovers.iter().filter(of_it).count();
            assert!(handovers >= least, "{handovers} of {name}");
        }
        for flow in &summary.flows {
            assert_eq!(flow.bytes_acked, 10_000_000, "{kind} {route_optimization} {fast}");
            assert!(flow.received_s.is_some(), "{kind} {route_optimization} {fast}");
        }
        let wan = summary.links.into_iter().find(|link| link.name == "wan/up");
        wan.and_then(|link| link.utilization).expect("a wire with a rate")
    };
    for kind in ["mipv6", "hmipv6"] {
        let by_way_of_home = load(kind, "false", "false");
        let directly = load(kind, "true", "false");
        // What is left is from when one was home.
        assert!(directly < by_way_of_home / 2.0, "{kind}: {directly}, {by_way_of_home}");
    }
    load("hmipv6", "true", "true");
}

/// Nobody is told that a mobile has moved because a binding is made anew.
#[test]
fn a_way_that_is_registered_again_is_the_same_way() {
    let registered = |lifetime: &str| {
        let settings = [("duration", "100 s"), ("mobile_ip.lifetime", lifetime)];
        let outcome = run(&scenario("", &settings));
        let rows = outcome.metrics.mobility.rows.iter();
        let registered = |row: &sim::MobilityRow| {
            let MobilityFact::Registered { agent, care_of } = row.fact else { return None };
            let name = |number: u32| outcome.nodes[number as usize].clone();
            Some(format!("{} {}", name(agent), name(care_of)))
        };
        let changes: Vec<_> = rows.filter_map(registered).collect();
        (changes, outcome.summary.mobility.expect("mobiles move").bindings)
    };
    let (changes, bindings) = registered("1000 s");
    assert_eq!(changes, ["MAP MN@AR1", "HA MN@MAP", "MAP MN@AR2"]);
    assert_eq!(bindings, 3);
    let (again, bindings) = registered("8 s");
    assert_eq!(again, changes);
    assert!(bindings > 20, "{bindings} bindings");
}

/// Of the three access points one is used at a time, by both directions.
#[test]
fn the_use_of_a_wlan_is_told() {
    let share = |rate: &str| {
        let summary = run(&scenario("", &[("duration", "60 s"), ("wlan.rate", rate)])).summary;
        let wlan = summary.links.iter().filter(|link| link.name.starts_with("WLAN/"));
        let shares: Vec<_> = wlan.filter_map(|link| link.utilization).collect();
        assert_eq!(shares, [shares[0]; 2]);
        shares[0]
    };
    let (fast, slow) = (share("11Mbit/s"), share("1Mbit/s"));
    assert!(0.0 < fast && fast < slow && slow < 1.0 / 3.0, "{fast} {slow}");
}

/// All of them hear of their first link at once, and answer.
#[test]
fn thousands_may_start_at_once() {
    let outcome = run(&scenario("", &[("wlan.mobiles", "5000"), ("duration", "1 s")]));
    assert!(outcome.summary.events > 5000);
}

/// A home agent that has no access point has no way to mobiles that it has not heard of.
#[test]
fn home_need_not_be_a_link() {
    let settings = [("mobile_ip.home_agent", "N1"), ("flow.bytes", "100 kB")];
    let scenario = scenario("", &settings);
    let outcome = run(&scenario);
    let mobility = outcome.summary.mobility.expect("mobiles move");
    assert!(mobility.lost.unreachable > 0);
    assert_eq!(outcome.summary.flows[0].bytes_acked, 100_000);
    is_conserved(&scenario).expect("every packet is somewhere");
}
