//! How much of what is sent arrives: path loss, antennas.

use mobility::motion::Position;

use crate::kit::decibel::log10;

/// Path loss `a + b log₁₀ R`, R in km.
#[derive(Clone, Copy, PartialEq, Debug)]
#[expect(clippy::struct_field_names, reason = "each is in decibels")]
pub(super) struct PathLoss {
    /// a, the loss at 1 km, in dB.
    pub(super) at_1_km_db: f64,
    /// b, in dB a decade of distance.
    pub(super) decade_db: f64,
    /// The minimum loss from antenna to antenna, at any distance (minimum coupling loss), in dB.
    pub(super) least_db: f64,
}

impl PathLoss {
    /// Macro cells: 128.1 + 37.6 log₁₀ R at 2 GHz with antennas 15 m above the roofs, and a
    /// minimum coupling loss of 70 dB (TR 25.942 §4.5.1.1, §5.1.4.2).
    pub(super) const MACRO: Self = Self { at_1_km_db: 128.1, decade_db: 37.6, least_db: 70.0 };

    /// The loss over `metres`, in dB.
    pub(super) fn loss_db(&self, metres: f64) -> f64 {
        (self.at_1_km_db + self.decade_db * log10(metres / 1000.0)).max(self.least_db)
    }
}

/// The antenna of one cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Antenna {
    /// Its position.
    pub position: Position,
    /// The direction of a sector, in degrees clockwise from north; `None` radiates all around.
    pub azimuth: Option<f64>,
    /// The `NodeB` it belongs to: what its sectors receive is combined before it is decoded.
    pub node_b: u32,
    /// Its pair of carriers: cells of others neither interfere nor hand over softly.
    pub carrier: u32,
}

impl Antenna {
    /// The attenuation of its pattern towards `place`, in dB: min(12 (θ/θ₃)², 20) with a beam of θ₃
    /// = 70° (TR 25.996 §4.5.1).
    pub(super) fn off_axis_db(&self, place: Position) -> f64 {
        const BEAM: f64 = 70.0;
        const BACK_DB: f64 = 20.0;
        let Some(azimuth) = self.azimuth else {
            return 0.0;
        };
        let (east, north) = (place.x - self.position.x, place.y - self.position.y);
        if east == 0.0 && north == 0.0 {
            return 0.0;
        }
        let off = (bearing(east, north) - azimuth).rem_euclid(360.0);
        let theta = off.min(360.0 - off) / BEAM;
        (12.0 * theta * theta).min(BACK_DB)
    }
}

/// The bearing of a direction in degrees clockwise from north, from −180 to 180.
fn bearing(east: f64, north: f64) -> f64 {
    let ratio = east.abs().min(north.abs()) / east.abs().max(north.abs());
    let angle = arctangent(ratio).to_degrees();
    let from_north = if east.abs() > north.abs() { 90.0 - angle } else { angle };
    let turned = if north < 0.0 { 180.0 - from_north } else { from_north };
    if east < 0.0 { -turned } else { turned }
}

/// The arctangent of `x` from 0 to 1: atan x = 2 atan(x / (1 + √(1 + x²))) twice, then its series.
fn arctangent(x: f64) -> f64 {
    let halve = |x: f64| x / (1.0 + (1.0 + x * x).sqrt());
    let x = halve(halve(x));
    let square = x * x;
    let series = (0..12_u32).rev().map(|term| 1.0 / f64::from(2 * term + 1));
    4.0 * x * series.fold(0.0, |sum, factor| factor - square * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::close;

    #[test]
    fn path_loss_follows_its_formula() {
        let check = |metres, db| close(PathLoss::MACRO.loss_db(metres), db, 1e-9);
        check(1000.0, 128.1);
        check(100.0, 90.5);
        check(10_000.0, 165.7);
        check(0.0, 70.0);
    }

    #[test]
    fn bearings_agree_with_the_library() {
        for (east, north) in [
            (0.0, 1.0),
            (1.0, 1.0),
            (1.0, 0.0),
            (1.0, -1.0),
            (0.0, -1.0),
            (-1.0, -2.0),
            (-3.0, 0.1),
            (-1.0, 7.0),
            (1e-6, 1e6),
            (5.0, 4.999),
        ] {
            let (east, north): (f64, f64) = (east, north);
            close(bearing(east, north), east.atan2(north).to_degrees(), 1e-9);
        }
    }

    #[test]
    fn a_sector_looks_one_way() {
        let position = Position::new(100.0, 100.0);
        let sector = Antenna { position, azimuth: Some(90.0), node_b: 0, carrier: 0 };
        let off = |x, y| sector.off_axis_db(Position::new(x, y));
        close(off(500.0, 100.0), 0.0, 1e-9);
        close(off(200.0, 200.0), 12.0 * (45.0_f64 / 70.0).powi(2), 1e-9);
        close(off(200.0, 0.0), off(200.0, 200.0), 1e-9);
        close(off(0.0, 100.0), 20.0, 1e-9);
        let round = Antenna { azimuth: None, ..sector };
        close(round.off_axis_db(Position::default()), 0.0, 0.0);
    }
}
