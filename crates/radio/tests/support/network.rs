//! A network of cells with sources at its two sides.

use base::{Direction, Duration, Time};
use link::Dropped;
use mobility::motion::{Motion, Position};
use observe::{Context, Observe};
use radio::umts::cell::{CellConfig, Fach, Rach, UeConfig, UmtsCells};
use radio::umts::channels::{SpreadingFactor, SpreadingTable};
use radio::umts::handover::{Iur, Mobility, Site, Topology};
use radio::umts::interference::{Air, Antenna};
use radio::umts::rrc::{self, Dedicated, Inactivity, TrafficVolume};
use radio::umts::{AdmissionLimits, CellPower, Output};

use super::{Packet, dch, millis, probability, rlc};

pub const BOTH: [Direction; 2] = Direction::BOTH;

pub fn sf(chips: u32) -> SpreadingFactor {
    SpreadingFactor::new(chips, Direction::Downlink).expect("a factor")
}

pub fn rrc() -> rrc::RrcConfig {
    rrc::RrcConfig {
        release_delay: millis(100),
        update_delay: millis(100),
        paging_delay: millis(320),
        inactivity: Inactivity {
            dch: Some(Duration::from_secs(2)),
            fach: Some(Duration::from_secs(3)),
            pch: Some(Duration::from_secs(20)),
        },
        traffic_volume: TrafficVolume { pending_time: millis(1000), ..TrafficVolume::default() },
        updates_before_ura: Some(3),
        ..rrc::RrcConfig::default()
    }
}

pub fn ue(number: usize, motion: Motion, tbler: f64) -> UeConfig {
    let tbler = probability(tbler).into();
    UeConfig { name: format!("UE-{number}"), motion, flows: Vec::new(), tbler: [tbler; 2] }
}

/// `NodeB`s along a line, `metres` apart, each with an RNC of its own.
pub fn network(node_bs: u32, metres: f64, ues: Vec<UeConfig>) -> CellConfig {
    let antenna = |number: u32| Antenna {
        position: Position::new(metres * f64::from(number), 0.0),
        azimuth: None,
        node_b: number,
        carrier: 0,
    };
    let site = |number| Site { node_b: number, rnc: number, carrier: 0 };
    CellConfig {
        bearer: dch(0.0, rlc()),
        cells: (0..node_bs).map(antenna).collect(),
        ues,
        rrc: rrc(),
        power: CellPower::default().model(),
        dedicated: Dedicated { downlink: sf(16), uplink: sf(32) },
        spreading: SpreadingTable::Standard,
        fach: Fach { rate: base::Rate::from_bps(32_000), sf: sf(64) },
        rach: Rach { rate: base::Rate::from_bps(32_000), access_delay: millis(40) },
        admission: AdmissionLimits {
            downlink_sf: sf(32),
            uplink_sf: sf(64),
            ..AdmissionLimits::default()
        },
        interference: Air::default(),
        topology: Topology { cells: (0..node_bs).map(site).collect(), iur: Iur::Connected },
        mobility: Mobility::default(),
    }
}

/// Offers each packet at its time, runs to `end`, and holds the laws: time goes forward, every SDU
/// has one outcome or is still within, and in acknowledged mode none is lost, doubled or
/// overtaken. Says what arrived, UE by UE.
pub fn carry(
    cell: &mut UmtsCells<Packet>,
    offers: &[(Time, u32, Direction, Packet)],
    end: Time,
    observe: &mut impl Observe,
) -> Vec<(Time, u32, Direction, Packet)> {
    let mut delivered = Vec::new();
    let mut last = Time::ZERO;
    let mut offers = offers.iter().peekable();
    loop {
        let offer = offers.peek().map(|offer| offer.0);
        let timer = cell.poll_timeout();
        let Some(now) = offer.into_iter().chain(timer).min().filter(|now| *now <= end) else {
            break;
        };
        assert!(now >= last, "time went from {last:?} to {now:?}");
        last = now;
        cell.handle_timeout(&mut Context { now, observe: &mut *observe });
        while let Some((_, ue, direction, packet)) = offers.next_if(|offer| offer.0 <= now) {
            cell.handle_input(
                &mut Context { now, observe: &mut *observe },
                *ue,
                *direction,
                *packet,
            )
            .expect("no limit");
        }
        while let Some((ue, direction, output)) = cell.poll_output() {
            match output {
                Output::Delivered(packet) => delivered.push((now, ue, direction, packet)),
                Output::Discarded(packet) | Output::Dropped(Dropped { packet, .. }) => {
                    panic!("{packet:?} of UE {ue} given up")
                }
            }
        }
    }
    let held = BOTH.into_iter().map(|direction| cell.held(direction).count()).sum::<usize>();
    let taken = cell.total(BOTH[0]).sdus + cell.total(BOTH[1]).sdus;
    assert_eq!(taken, (delivered.len() + held) as u64, "every SDU is somewhere");
    for direction in BOTH {
        for ue in 0..cell.states().count() as u32 {
            let mine = delivered.iter().filter(|row| (row.1, row.2) == (ue, direction));
            let numbers: Vec<u32> = mine.map(|row| row.3.number).collect();
            assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{ue}: {numbers:?}");
        }
    }
    delivered
}
