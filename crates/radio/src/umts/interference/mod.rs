//! Interference: from positions and rates to Eb/N0 and block errors.
//!
//! All dedicated channels of a network at one moment. Each link sends the power that its target
//! needs, up to its limit (closed-loop power control, TS 25.214 §5): its block error rate stays at
//! the target until power runs out. Powers are in mW, gains and ratios linear, unless a unit says
//! otherwise. Sources and simplifications are in `docs/models/umts-interference.md`.

mod air;
mod curve;
mod powers;
mod propagation;

use base::{Direction, Probability, Rate};
use mobility::motion::Position;

use crate::kit::decibel::{from_db, to_db};
use crate::kit::propagation::Shadowing;

pub use air::{Air, ErrorRates};
use curve::ErrorCurve;
pub use propagation::Antenna;
use propagation::PathLoss;

/// Chips a second, as a number (TS 25.201 §4.2.1).
const CHIP_RATE: f64 = super::channels::spreading::CHIP_RATE as f64;

/// Path loss over distance.
const PATH_LOSS: PathLoss = PathLoss::MACRO;

/// The rates that a link carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Rates {
    /// Towards the UE.
    pub(super) downlink: Rate,
    /// From the UE.
    pub(super) uplink: Rate,
}

/// The quality of one direction of a link.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Quality {
    /// Eb/N0 in dB: uplink of the best `NodeB`, downlink of all cells together.
    pub(super) ebn0_db: f64,
    /// The probability of a block error: uplink that no `NodeB` received it.
    pub(super) bler: Probability,
    /// What is sent, in dBm: by the UE, or by each cell of its active set.
    pub(super) power_dbm: f64,
}

/// The radio of a network.
#[derive(Clone, Debug)]
pub(super) struct Interference {
    air: Air,
    shadowing: Shadowing,
    cells: Vec<Cell>,
    /// In order of UE.
    links: Vec<Link>,
    uplink_noise: f64,
    downlink_noise: f64,
    common: f64,
    /// Block errors of a `NodeB`'s receiver.
    uplink_curve: ErrorCurve,
    /// Block errors of a UE's receiver.
    downlink_curve: ErrorCurve,
    /// Eb/N0 of the target.
    uplink_ebn0: f64,
    downlink_ebn0: f64,
}

#[derive(Clone, Debug)]
struct Cell {
    antenna: Antenna,
    /// Total received power, noise included.
    received: f64,
    /// Total transmitted power.
    sent: f64,
    /// The factor by which traffic power is scaled down where the links together need more than
    /// there is.
    scale: f64,
}

#[derive(Clone, Debug)]
struct Link {
    ue: u32,
    /// The gain to each cell of the network.
    gains: Vec<f64>,
    /// The active set.
    members: Vec<u32>,
    rates: Rates,
    /// Sent by the UE.
    uplink_power: f64,
    /// Sent by each member, before its scale.
    downlink_power: f64,
}

impl Interference {
    /// The radio of a network with a cell for each of `antennas`. Its shadowing comes from `seed`
    /// and the stream `name/shadowing`.
    pub(super) fn new(air: Air, antennas: &[Antenna], seed: u64, name: &str) -> Self {
        let stream = format!("{name}/shadowing");
        let common = from_db(air.common_power);
        let uplink_noise = from_db(air.uplink_noise);
        let curve = |ebn0_db| ErrorCurve { ebn0_db, bler: 0.1, decade_db: air.decade };
        let [uplink_curve, downlink_curve] = [air.uplink_ebn0, air.downlink_ebn0].map(curve);
        let cell = |antenna: &Antenna| Cell {
            antenna: *antenna,
            received: uplink_noise,
            sent: common,
            scale: 1.0,
        };
        Self {
            shadowing: Shadowing::new(seed, &stream, air.shadowing, air.shadowing_grid),
            cells: antennas.iter().map(cell).collect(),
            links: Vec::new(),
            uplink_noise,
            downlink_noise: from_db(air.downlink_noise),
            common,
            uplink_curve,
            downlink_curve,
            uplink_ebn0: uplink_curve.ebn0_for(air.target),
            downlink_ebn0: downlink_curve.ebn0_for(air.target),
            air,
        }
    }

    /// The gain between each cell and `place`, the same both ways.
    pub(super) fn gains(&self, place: Position) -> Vec<f64> {
        let gain = |(index, cell): (usize, &Cell)| {
            let antenna = &cell.antenna;
            let loss = PATH_LOSS.loss_db(antenna.position.distance(place))
                + antenna.off_axis_db(place)
                + self.shadowing.loss_db(index as u32, place)
                - self.air.antenna_gain;
            from_db(-loss.max(PATH_LOSS.least_db))
        };
        self.cells.iter().enumerate().map(gain).collect()
    }

    /// The pilots that a UE hears there: Ec/I0 of each cell in dB, against all that its carrier
    /// brings (TS 25.215 §5.1.5).
    pub(super) fn pilots_db(&self, gains: &[f64]) -> Vec<f64> {
        let pilot = from_db(self.air.pilot_power);
        let heard = |(cell, gain): (&Cell, &f64)| {
            to_db(pilot * gain / self.heard_downlink(cell.antenna.carrier, gains))
        };
        self.cells.iter().zip(gains).map(heard).collect()
    }

    /// A UE has dedicated channels of `rates` in the cells `members`, at least one, and its
    /// position has these `gains`. It begins at no power; one that has a link keeps its powers.
    ///
    /// # Panics
    /// If `members` is empty.
    pub(super) fn set_link(&mut self, ue: u32, gains: Vec<f64>, members: &[u32], rates: Rates) {
        assert!(!members.is_empty(), "a link has a cell");
        let members = members.to_vec();
        match self.find(ue) {
            Ok(index) => {
                let link = &mut self.links[index];
                (link.gains, link.members, link.rates) = (gains, members, rates);
            }
            Err(index) => {
                let (uplink_power, downlink_power) = (0.0, 0.0);
                let link = Link { ue, gains, members, rates, uplink_power, downlink_power };
                self.links.insert(index, link);
            }
        }
    }

    /// A UE has no dedicated channels any more.
    pub(super) fn drop_link(&mut self, ue: u32) {
        if let Ok(index) = self.find(ue) {
            self.links.remove(index);
        }
    }

    /// Downlink, what the radio does to the link of `ue`, if it has one.
    pub(super) fn quality(&self, ue: u32, direction: Direction) -> Option<Quality> {
        let link = &self.links[self.find(ue).ok()?];
        Some(match direction {
            Direction::Downlink => self.downlink_quality(link),
            Direction::Uplink => self.uplink_quality(link),
        })
    }

    /// The noise rise of a cell, in dB: 1/(1 − η) of the load factor η (Holma and Toskala, eq.
    /// 8.11).
    #[cfg(test)]
    fn noise_rise_db(&self, cell: u32) -> f64 {
        to_db(self.cells[cell as usize].received / self.uplink_noise)
    }

    /// The share of its power that a cell sends.
    #[cfg(test)]
    fn power_share(&self, cell: u32) -> f64 {
        self.cells[cell as usize].sent / from_db(self.air.cell_power)
    }

    /// The noise rise of a cell, in dB, after one more link of `rate`: 1/(1 − η − Δη) (Holma and
    /// Toskala, eq. 9.4 and 9.5); infinite if the load passes 1.
    pub(super) fn noise_rise_after_db(&self, cell: u32, rate: Rate) -> f64 {
        let load = 1.0 - self.uplink_noise / self.cells[cell as usize].received;
        let left = 1.0 - load - self.uplink_load(rate);
        if left > 0.0 { to_db(1.0 / left) } else { f64::INFINITY }
    }

    /// The share of a cell's power that it sends after one more link of `rate` to a UE at a
    /// position with these `gains`; infinite if the link needs more than a link may have.
    pub(super) fn power_share_after(&self, cell: u32, gains: &[f64], rate: Rate) -> f64 {
        let disturbance = self.disturbance(cell, gains, 0.0);
        let needed = self.downlink_need(rate) * disturbance / gains[cell as usize];
        if needed > from_db(self.air.link_power) {
            return f64::INFINITY;
        }
        let sent = self.cells[cell as usize].sent + self.air.activity * needed;
        sent / from_db(self.air.cell_power)
    }

    fn find(&self, ue: u32) -> Result<usize, usize> {
        self.links.binary_search_by_key(&ue, |link| link.ue)
    }
}

#[cfg(test)]
mod tests;
