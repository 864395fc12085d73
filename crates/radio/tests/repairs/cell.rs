//! Modification 13 of the third set and its neighbours: each UE meets its own block error rate,
//! and the spreading factor does not come from the first segment.

use base::{Direction, Duration, Rate, Time};
use mobility::motion::{Motion, Position};
use observe::{CodeEvent, CodeFact, Observe};
use radio::umts::cell::UmtsCells;

use crate::support::Packet;
use crate::support::network::{BOTH, carry, network, ue};

fn here() -> Motion {
    Motion::resting(Position::new(100.0, 0.0))
}

/// `count` packets of `bytes` at once for each of `ues`, in both directions.
fn burst(ues: u32, count: u32, bytes: u32) -> Vec<(Time, u32, Direction, Packet)> {
    let packet = |ue, direction, number| (Time::ZERO, ue, direction, Packet { number, bytes });
    (0..ues)
        .flat_map(|ue| BOTH.map(|direction| (ue, direction)))
        .flat_map(|(ue, direction)| (0..count).map(move |number| packet(ue, direction, number)))
        .collect()
}

#[test]
fn each_ue_has_its_own_block_error_rate() {
    let rates = [0.0, 0.3, 0.1];
    let ues = rates.iter().enumerate().map(|(number, rate)| ue(number, here(), *rate)).collect();
    let mut cell = UmtsCells::new(0, &network(1, 0.0, ues), 1);
    carry(&mut cell, &burst(3, 60, 1000), Time::ZERO + Duration::from_secs(60), &mut ());
    for (number, rate) in rates.into_iter().enumerate() {
        for direction in BOTH {
            let counters = cell.counters(number as u32, direction);
            let share = counters.blocks_in_error as f64 / counters.blocks_sent as f64;
            let spread = 4.0 * (rate * (1.0 - rate) / counters.blocks_sent as f64).sqrt();
            assert!((share - rate).abs() <= spread, "UE {number} {direction:?}: {share}, {rate}");
        }
    }
}

/// The spreading factors of the codes that were had.
#[derive(Default)]
struct Factors(Vec<u16>);

impl Observe for Factors {
    fn code(&mut self, _now: Time, fact: CodeFact) {
        if fact.event == CodeEvent::Allocated {
            self.0.push(fact.sf);
        }
    }
}

/// Flows of 64 and 140 kbit/s: 204 kbit/s together take factor 16 (216 kbit/s), whether a SYN of
/// 40 B or a full segment comes first.
#[test]
fn the_spreading_factor_comes_from_the_flows_and_not_from_the_first_segment() {
    let factors_with = |first: u32| {
        let mut ue = ue(0, here(), 0.0);
        ue.flows = [64_000, 140_000].map(|bps| (Direction::Downlink, Rate::from_bps(bps))).into();
        let mut cell = UmtsCells::new(0, &network(1, 0.0, vec![ue]), 1);
        let mut offers = burst(1, 20, 1500);
        offers.insert(0, (Time::ZERO, 0, Direction::Downlink, Packet { number: 0, bytes: first }));
        offers.iter_mut().skip(1).for_each(|offer| offer.3.number += 1);
        let mut seen = Factors::default();
        carry(&mut cell, &offers, Time::ZERO + Duration::from_secs(30), &mut seen);
        seen.0
    };
    assert_eq!(factors_with(40), [16]);
    assert_eq!(factors_with(1500), [16]);
}
