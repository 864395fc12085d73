//! Laws of a network of cells, over random walks of mobiles, traffic and radio.

use base::{Direction, Duration, Time};
use mobility::motion::{Leg, Motion, Position};
use observe::{
    CodeEvent, CodeFact, HandoverEvent, HandoverFact, Observe, PowerFact, RrcFact, RrcState,
};
use proptest::prelude::*;
use radio::umts::cell::{CellConfig, UmtsCells};
use radio::umts::handover::{Diversity, Iur};
use radio::umts::interference::ErrorRates;

use crate::energy;
use crate::support::network::{BOTH, carry, network, ue};
use crate::support::{self, Packet};

fn seconds(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

/// All facts, and that codes are had and given back in pairs.
#[derive(Default, PartialEq, Eq, Debug)]
pub(crate) struct Facts {
    pub(crate) rrc: Vec<(Time, RrcFact)>,
    pub(crate) power: Vec<(Time, PowerFact)>,
    codes: Vec<(Time, CodeFact)>,
    handovers: Vec<(Time, HandoverFact)>,
}

impl Observe for Facts {
    fn rrc(&mut self, now: Time, fact: RrcFact) {
        assert_ne!(fact.from, fact.to, "a change changes something");
        let before = self.rrc.iter().rev().find(|(_, other)| other.ue == fact.ue);
        assert!(before.is_none_or(|(_, other)| other.to == fact.from), "states follow each other");
        self.rrc.push((now, fact));
    }

    fn power(&mut self, now: Time, fact: PowerFact) {
        self.power.push((now, fact));
    }

    fn code(&mut self, now: Time, fact: CodeFact) {
        self.codes.push((now, fact));
    }

    fn handover(&mut self, now: Time, fact: HandoverFact) {
        self.handovers.push((now, fact));
    }
}

impl Facts {
    /// The codes that are in use at the end.
    fn in_use(&self) -> usize {
        let mut codes: Vec<(u32, u16, u16)> = Vec::new();
        for (_, fact) in &self.codes {
            let code = (fact.cell, fact.sf, fact.code);
            match fact.event {
                CodeEvent::Allocated => {
                    assert!(!codes.contains(&code), "{code:?} is had twice");
                    codes.push(code);
                }
                CodeEvent::Released => {
                    let place = codes.iter().position(|other| *other == code);
                    codes.remove(place.expect("what is given back was had"));
                }
                CodeEvent::NoCode | CodeEvent::NoPower | CodeEvent::NoUplink => {}
            }
        }
        codes.len()
    }

    fn handovers(&self, event: HandoverEvent) -> usize {
        self.handovers.iter().filter(|(_, fact)| fact.event == event).count()
    }
}

/// A steady stream of `count` packets to UE 0, one each `millis`.
fn download(count: u32, millis: u64) -> Vec<(Time, u32, Direction, Packet)> {
    let packet = |number| {
        let time = Time::ZERO + Duration::from_millis(millis) * u64::from(number);
        (time, 0, Direction::Downlink, Packet { number, bytes: 1000 })
    };
    (0..count).map(packet).collect()
}

/// A mobile that walks from one base station to another within 100 s.
fn walk() -> CellConfig {
    let motion = Motion::with_velocity(Position::new(20.0, 5.0), Position::new(3.6, 0.0));
    network(2, 400.0, vec![ue(0, motion, 0.05)])
}

fn downloaded(config: &CellConfig) -> Facts {
    let mut cell = UmtsCells::new(0, config, 1);
    let mut facts = Facts::default();
    let offers = download(1000, 100);
    let delivered = carry(&mut cell, &offers, seconds(130), &mut facts);
    assert_eq!(delivered.len(), offers.len(), "no byte is lost");
    assert_eq!(facts.in_use(), 0, "all codes are given back after a while of quiet");
    facts
}

#[test]
fn a_soft_handover_in_mid_transfer_loses_nothing() {
    let facts = downloaded(&walk());
    assert!(facts.handovers(HandoverEvent::Soft) >= 1, "{:?}", facts.handovers);
    assert!(facts.handovers(HandoverEvent::Removed) >= 1);
    assert_eq!(facts.handovers(HandoverEvent::Hard), 0);
    assert_eq!(facts.handovers(HandoverEvent::Relocated), 1, "the drift RNC becomes serving");
    assert_eq!(facts.handovers(HandoverEvent::Failed), 0);
}

#[test]
fn a_hard_handover_in_mid_transfer_loses_nothing() {
    for iur in [Iur::Connected, Iur::Absent] {
        let mut config = walk();
        config.mobility.handover = Diversity::Never;
        config.topology.iur = iur;
        let facts = downloaded(&config);
        assert_eq!(facts.handovers(HandoverEvent::Hard), 1, "{iur:?} {:?}", facts.handovers);
        assert_eq!(facts.handovers(HandoverEvent::Soft), 0);
    }
}

#[test]
fn who_leaves_coverage_and_comes_back_loses_nothing() {
    let mut config = walk();
    let far = Leg::new(Position::new(0.0, 60_000.0), 4000.0);
    let back = Leg::new(Position::new(0.0, 100.0), 4000.0);
    config.ues[0].motion = Motion::along(Position::new(0.0, 100.0), &[far, back]);
    let facts = downloaded(&config);
    assert_eq!(facts.handovers(HandoverEvent::Failed), 1, "{:?}", facts.handovers);
    assert_eq!(facts.handovers(HandoverEvent::Found), 1);
}

#[test]
fn a_blocked_ue_stays_on_the_shared_channels_and_asks_again() {
    let here = || Motion::resting(Position::new(100.0, 0.0));
    let mut config = network(1, 0.0, (0..12).map(|number| ue(number, here(), 0.0)).collect());
    let eight = support::network::sf(8);
    config.dedicated.downlink = eight;
    config.admission.downlink_sf = eight;
    let mut cell = UmtsCells::new(0, &config, 1);
    let packet = |ue| (Time::ZERO, ue, Direction::Downlink);
    let offers: Vec<_> = (0..12)
        .flat_map(|ue| (0..20).map(move |number| (ue, number)))
        .map(|(ue, number)| {
            let (time, ue, direction) = packet(ue);
            (time, ue, direction, Packet { number, bytes: 1500 })
        })
        .collect();
    let mut facts = Facts::default();
    let delivered = carry(&mut cell, &offers, seconds(60), &mut facts);
    assert_eq!(delivered.len(), offers.len());
    let blocked = facts.codes.iter().filter(|(_, fact)| fact.event == CodeEvent::NoCode).count();
    assert!(blocked >= 5, "seven codes of factor 8 are left for twelve: {blocked}");
    let dedicated =
        |ue| facts.rrc.iter().any(|(_, fact)| fact.ue == ue && fact.to == RrcState::CellDch);
    assert!((0..12).filter(|ue| dedicated(*ue)).count() >= 7);
}

#[test]
fn an_idle_network_has_nothing_to_do() {
    let walker = Motion::with_velocity(Position::new(20.0, 5.0), Position::new(3.6, 0.0));
    let ues = (0..100).map(|number| ue(number, walker.clone(), 0.1)).collect();
    let mut cell: UmtsCells<Packet> = UmtsCells::new(0, &network(2, 400.0, ues), 1);
    assert_eq!(cell.poll_timeout(), None);
    let mut facts = Facts::default();
    carry(&mut cell, &download(3, 10), seconds(100), &mut facts);
    assert_eq!(cell.poll_timeout(), None, "and again when all is idle");
    assert_eq!(facts.rrc.last().map(|(_, fact)| fact.to), Some(RrcState::Idle));
}

/// East and north in metres, and the speed towards there in m/s.
type Corner = (f64, f64, f64);

fn any_network() -> impl Strategy<Value = CellConfig> {
    let corner = (-300.0..900.0_f64, -9_000.0..9_000.0_f64, 1.0..2_000.0_f64);
    let walker = (prop::collection::vec(corner, 0..4), 0.0..0.6_f64);
    let walkers = prop::collection::vec(walker, 1..5);
    (walkers, any::<[bool; 4]>()).prop_map(|(walkers, [hard, iur, from_place, at_once])| {
        let ue = |(number, (corners, tbler)): (usize, (Vec<Corner>, f64))| {
            let leg = |&(x, y, speed): &Corner| Leg::new(Position::new(x, y), speed);
            let legs: Vec<Leg> = corners.iter().map(leg).collect();
            ue(number, Motion::along(Position::new(100.0, 10.0), &legs), tbler)
        };
        let ues = walkers.into_iter().enumerate().map(ue).collect();
        let mut config = network(2, 400.0, ues);
        config.mobility.handover = if hard { Diversity::Never } else { Diversity::Allowed };
        config.topology.iur = if iur { Iur::Connected } else { Iur::Absent };
        config.interference.error_rates =
            if from_place { ErrorRates::FromPlace } else { ErrorRates::Given };
        config.rrc.first_channel = if at_once {
            radio::umts::rrc::FirstChannel::Dedicated
        } else {
            radio::umts::rrc::FirstChannel::Shared
        };
        config
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Whatever mobiles do, packets are conserved and in order, states follow each other, codes
    /// are had once, and the same seed makes the same facts.
    #[test]
    fn random_walks_keep_the_laws(
        config in any_network(),
        seed in any::<u64>(),
        traffic in prop::collection::vec(
            (0_u64..60_000, 0_u32..8, any::<bool>(), 1_u32..1500),
            1..60,
        ),
    ) {
        let ues = config.ues.len() as u32;
        let mut traffic = traffic;
        traffic.sort_unstable();
        let offer = |(number, &(millis, ue, up, bytes)): (usize, &(u64, u32, bool, u32))| {
            let time = Time::ZERO + Duration::from_millis(millis);
            (time, ue % ues, BOTH[usize::from(up)], Packet { number: number as u32, bytes })
        };
        let offers: Vec<_> = traffic.iter().enumerate().map(offer).collect();
        let run = || {
            let mut cell = UmtsCells::new(0, &config, seed);
            let mut facts = Facts::default();
            let delivered = carry(&mut cell, &offers, seconds(120), &mut facts);
            facts.in_use();
            energy::check_laws(&cell, &config, &facts, seconds(120));
            (delivered, facts)
        };
        prop_assert_eq!(run(), run());
    }
}
