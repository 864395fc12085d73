//! Networks through which mobiles move: what becomes of packets, how long a handover takes, and
//! whether transfers survive a thousand of them.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use base::{Duration, Observe, PacketEvent, PacketFact, Stream, Time};
use mobility::binding::{
    Acknowledgement, Address, Authority, Extent, Message, Peer, Place, Sequence, Status, Update,
};
use proptest::prelude::*;
use radio::wlan::{ACK_BYTES, DIFS, DataRate, Preamble, SIFS, frame_time};
use scenario::Scenario;
use sim::{HandoverSummary, Outcome, Recording, simulate};
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
    simulate(scenario, Recording::Series, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// What became of packets.
#[derive(Default)]
struct Fates {
    departed: u64,
    arrived: u64,
    dropped: u64,
    entered: u64,
    left: u64,
}

impl Observe for Fates {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed => self.departed += 1,
            PacketEvent::Arrived => self.arrived += 1,
            PacketEvent::Dropped(_) => self.dropped += 1,
            PacketEvent::Entered => self.entered += 1,
            PacketEvent::Left => self.left += 1,
        }
    }
}

/// Every packet is somewhere: at its end, dropped, or under way.
fn is_conserved(scenario: &Scenario) -> Result<(), TestCaseError> {
    let mut world: World<Ipv6<Length>> = scenario::build_over(scenario).world;
    let mut fates = Fates::default();
    let until = Time::ZERO + scenario.duration;
    while world.step(until, &mut fates).is_some() {}
    let held = world.held().count() as u64;
    prop_assert!(fates.departed > 100);
    prop_assert_eq!(fates.departed, fates.arrived + fates.dropped + held);
    prop_assert_eq!(world.unroutable(), 0);
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
        ),
        flags in prop::array::uniform3(any::<bool>()),
        cap in prop::sample::select(vec!["off", "100 B", "500 B"]),
    ) {
        let (kind, detection, two, handover, access) = words;
        let [route_optimization, fast, uplink] = flags;
        let word = |flag: bool| if flag { "true" } else { "false" };
        let scenario = scenario("", &[
            ("seed", &seed.to_string()),
            ("duration", "90 s"),
            ("flow.count", &(mobiles + 1).to_string()),
            ("flow.direction", if uplink { "uplink" } else { "downlink" }),
            ("wlan.mobiles", &mobiles.to_string()),
            ("queue.packets", &queue.to_string()),
            ("mobile_ip.kind", kind),
            ("mobile_ip.duplicate_address_detection", detection),
            ("mobile_ip.two_addresses", two),
            ("mobile_ip.route_optimization", word(route_optimization)),
            ("mobile_ip.fast_handovers", word(fast)),
            ("wlan.anticipation", if fast { "200 ms" } else { "off" }),
            ("wlan.hysteresis", if handover == "break-before-make" { "3 dB" } else { "-100 dB" }),
            ("wlan.handover", handover),
            ("wlan.access", access),
            ("ftp.cap", cap),
        ]);
        is_conserved(&scenario)?;
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
        place: Place::Away,
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
#[test]
fn a_thousand_handovers_lose_no_byte() {
    for seed in [1, 2] {
        let mut chance = Stream::named(seed, "walk");
        let mut walk = String::new();
        let (mut at, mut place) = (0.0, 560.0);
        for turn in 0..1_000 {
            // Either side of the middle of the two cells, and sometimes home.
            let away = [f64::from(chance.below(100)) + 480.0, f64::from(chance.below(100)) + 740.0];
            let to = if chance.below(20) == 0 { 0.0 } else { away[turn % 2] };
            let speed = 20.0 + f64::from(chance.below(60));
            writeln!(
                walk,
                "{{ at = \"{at} s\", to = [\"{to} m\", \"0 m\"], speed = \"{speed} m/s\" }},"
            )
            .expect("memory");
            at += ((to - place).abs() / speed).ceil() + f64::from(chance.below(8));
            place = to;
        }
        let runner = format!(
            "[[wlan.mobile]]\nname = \"runner\"\nposition = [\"560 m\", \"0 m\"]\n\
             walk = [\n{walk}]\n"
        );
        let fast = if seed == 1 { "false" } else { "true" };
        let outcome = run(&scenario(
            &runner,
            &[
                ("seed", &seed.to_string()),
                ("duration", &format!("{} s", at + 600.0)),
                // To the one that has its own walk and to the runner in turn, all along.
                ("flow.count", &FLOWS.to_string()),
                ("flow.interval", &format!("{} s", (at / f64::from(FLOWS)).floor())),
                ("flow.bytes", "15 MB"),
                ("tcp.variant", "newreno"),
                ("mobile_ip.fast_handovers", fast),
                ("wlan.anticipation", if seed == 1 { "off" } else { "100 ms" }),
                ("mobile_ip.duplicate_address_detection", "optimistic"),
            ],
        ));
        let mobility = outcome.summary.mobility.expect("mobiles move");
        let of_runner = |change: &&HandoverSummary| change.mobile == "runner";
        assert!(mobility.handovers.iter().filter(of_runner).count() >= 1_000);
        for flow in &outcome.summary.flows {
            assert_eq!(flow.bytes_acked, 15_000_000, "flow {} of seed {seed}", flow.id);
            assert!(flow.received_s.is_some(), "flow {} of seed {seed}", flow.id);
        }
    }
}
