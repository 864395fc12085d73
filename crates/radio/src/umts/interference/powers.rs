//! The powers of all links, as closed-loop power control sets them.
//!
//! Each step every link takes the power that its target needs against the interference of the step
//! before: a standard interference function, whose powers converge if there are powers that satisfy
//! all links (Yates, A Framework for Uplink Power Control in Cellular Radio Systems, IEEE JSAC
//! 1995), and rise to their limits if there are none.

use base::{Probability, Rate};

use super::{CHIP_RATE, Cell, Interference, Link, Quality};
use crate::kit::decibel::{from_db, to_db};

/// Power control steps in a radio frame: one a slot (TS 25.214 §5.1.2.2).
const STEPS: u32 = 15;

/// A frame needs no further step when no power changed by more than this share (0.0004 dB).
const SETTLED: f64 = 1e-4;

impl Interference {
    /// One radio frame of power control.
    pub(crate) fn settle(&mut self) {
        let limits = [self.air.ue_power, self.air.link_power].map(from_db);
        let [ue_limit, link_limit] = limits;
        for _ in 0..STEPS {
            let mut change: f64 = 0.0;
            for index in 0..self.links.len() {
                let link = &self.links[index];
                let up = self.uplink_want(link).min(ue_limit);
                let down = self.downlink_want(link).min(link_limit);
                change = change
                    .max((up - link.uplink_power).abs() / up)
                    .max((down - link.downlink_power).abs() / down);
                let link = &mut self.links[index];
                (link.uplink_power, link.downlink_power) = (up, down);
            }
            self.listen();
            if change < SETTLED {
                break;
            }
        }
    }

    /// The power that a UE sends for its target: what the `NodeB` that needs the least needs, since
    /// a UE in soft handover obeys any command to lower its power (TS 25.214 §5.1.2.2.2).
    fn uplink_want(&self, link: &Link) -> f64 {
        let need = self.uplink_ebn0 * per_chip(link.rates.uplink);
        need / self.uplink_paths(link).fold(0.0, f64::max)
    }

    /// The power that each cell of its active set sends to a UE for its target: the UE combines
    /// them.
    fn downlink_want(&self, link: &Link) -> f64 {
        let path = |cell: &u32| self.downlink_path(link, *cell);
        self.downlink_need(link.rates.downlink) / link.members.iter().map(path).sum::<f64>()
    }

    /// Power over disturbance that a link of `rate` needs.
    pub(super) fn downlink_need(&self, rate: Rate) -> f64 {
        self.downlink_ebn0 * per_chip(rate)
    }

    /// The part of the load factor that a link of `rate` adds: 1/(1 + W/(ρ R v)) (Holma and
    /// Toskala, eq. 8.9).
    pub(super) fn uplink_load(&self, rate: Rate) -> f64 {
        let own = self.uplink_ebn0 * per_chip(rate) * self.air.activity;
        own / (1.0 + own)
    }

    pub(super) fn uplink_quality(&self, link: &Link) -> Quality {
        let power = link.uplink_power;
        let (mut best, mut all_fail) = (0.0, 1.0);
        for path in self.uplink_paths(link) {
            let ebn0 = power * path / per_chip(link.rates.uplink);
            best = f64::max(best, ebn0);
            all_fail *= self.uplink_curve.bler(ebn0).value();
        }
        quality(best, all_fail, power)
    }

    pub(super) fn downlink_quality(&self, link: &Link) -> Quality {
        let path = |cell: &u32| self.cells[*cell as usize].scale * self.downlink_path(link, *cell);
        let paths: f64 = link.members.iter().map(path).sum();
        let ebn0 = link.downlink_power * paths / per_chip(link.rates.downlink);
        let bler = self.downlink_curve.bler(ebn0).value();
        let first = &self.cells[link.members[0] as usize];
        quality(ebn0, bler, first.scale * link.downlink_power)
    }

    /// Signal over disturbance, for each unit of power sent, at each `NodeB` of the active set: the
    /// sum of its sectors' (softer handover combines before it decodes).
    fn uplink_paths<'a>(&'a self, link: &'a Link) -> impl Iterator<Item = f64> + 'a {
        let node_b = |cell: u32| self.cells[cell as usize].antenna.node_b;
        let members = &link.members;
        let path = |cell: u32| {
            let gain = link.gains[cell as usize];
            let own = self.air.activity * link.uplink_power * gain;
            gain / (self.cells[cell as usize].received - own).max(self.uplink_noise)
        };
        let firsts = members.iter().enumerate().filter(move |(index, cell)| {
            !members[..*index].iter().any(|before| node_b(*before) == node_b(**cell))
        });
        firsts.map(move |(_, first)| {
            let same = members.iter().filter(|cell| node_b(**cell) == node_b(*first));
            same.map(|cell| path(*cell)).sum()
        })
    }

    /// Signal over disturbance at the UE, for each unit of power sent by `cell`.
    fn downlink_path(&self, link: &Link, cell: u32) -> f64 {
        let scale = self.cells[cell as usize].scale;
        let own = self.air.activity * scale * link.downlink_power;
        link.gains[cell as usize] / self.disturbance(cell, &link.gains, own)
    }

    /// The interference to the signal of `cell` at a position with these `gains`: the part of its
    /// other power that is not orthogonal (α: 1 if codes are orthogonal on arrival, 0 if multipath
    /// destroys that), all other cells of the carrier, noise (Holma and Toskala, §8.2.2.2, eq.
    /// 8.16).
    pub(super) fn disturbance(&self, cell: u32, gains: &[f64], own: f64) -> f64 {
        let Cell { antenna, sent, .. } = &self.cells[cell as usize];
        let gain = gains[cell as usize];
        let others = self.heard_downlink(antenna.carrier, gains) - sent * gain;
        let intra = (1.0 - self.air.orthogonality) * (sent - own).max(0.0) * gain;
        intra + others.max(self.downlink_noise)
    }

    /// All that a UE receives on a carrier, noise included.
    pub(super) fn heard_downlink(&self, carrier: u32, gains: &[f64]) -> f64 {
        let cells = self.cells.iter().zip(gains);
        let cells = cells.filter(|(cell, _)| cell.antenna.carrier == carrier);
        self.downlink_noise + cells.map(|(cell, gain)| cell.sent * gain).sum::<f64>()
    }

    /// Updates what each cell sends and receives with the present powers.
    fn listen(&mut self) {
        let activity = self.air.activity;
        let budget = (from_db(self.air.cell_power) - self.common).max(0.0);
        let carriers: Vec<u32> = self.cells.iter().map(|cell| cell.antenna.carrier).collect();
        for (index, cell) in self.cells.iter_mut().enumerate() {
            let (mut received, mut traffic) = (self.uplink_noise, 0.0);
            for link in &self.links {
                if link.members.contains(&(index as u32)) {
                    traffic += activity * link.downlink_power;
                }
                if carriers[link.members[0] as usize] == carriers[index] {
                    received += activity * link.uplink_power * link.gains[index];
                }
            }
            cell.received = received;
            cell.scale = if traffic > budget { budget / traffic } else { 1.0 };
            cell.sent = self.common + traffic.min(budget);
        }
    }
}

/// Bits a chip: the inverse of the processing gain W/R.
fn per_chip(rate: Rate) -> f64 {
    rate.as_bps() as f64 / CHIP_RATE
}

fn quality(ebn0: f64, bler: f64, power: f64) -> Quality {
    let bler = Probability::new(bler).expect("within 0 and 1");
    Quality { ebn0_db: to_db(ebn0), bler, power_dbm: to_db(power) }
}
