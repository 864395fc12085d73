//! Shadowing of what is sent.

use base::Philox;
use mobility::motion::Position;

/// Log-normal shadowing: a map for each cell, fixed for a run, so that UEs at the same position
/// have the same shadowing, and a moving UE passes through it.
///
/// The map has a value of its own at each corner of a grid, the sum of twelve uniform draws (normal
/// but for tails beyond 6σ), and between corners the mean of four, weighted by nearness and scaled
/// back to the same variance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shadowing {
    chance: Philox,
    /// The standard deviation in dB; 0 is none.
    deviation_db: f64,
    /// The grid, in metres: places further apart have little in common.
    grid_m: f64,
}

impl Shadowing {
    /// The maps of the source of chance called `name` under `seed`.
    pub(crate) fn new(seed: u64, name: &str, deviation_db: f64, grid_m: f64) -> Self {
        Self { chance: Philox::named(seed, name), deviation_db, grid_m }
    }

    /// The shadowing loss of the signal of `cell` at `place`, in dB; negative if it is a gain.
    pub(crate) fn loss_db(&self, cell: u32, place: Position) -> f64 {
        if self.deviation_db == 0.0 {
            return 0.0;
        }
        let (x, y) = (place.x / self.grid_m, place.y / self.grid_m);
        let (east, north) = (x - x.floor(), y - y.floor());
        let corners = [
            (0, 0, (1.0 - east) * (1.0 - north)),
            (1, 0, east * (1.0 - north)),
            (0, 1, (1.0 - east) * north),
            (1, 1, east * north),
        ];
        let (mut sum, mut variance) = (0.0, 0.0);
        for (i, j, weight) in corners {
            let corner = [x.floor() as i32 + i, y.floor() as i32 + j];
            sum += weight * self.corner(cell, corner);
            variance += weight * weight;
        }
        self.deviation_db * sum / variance.sqrt()
    }

    /// A draw of mean 0 and variance 1.
    fn corner(&self, cell: u32, [i, j]: [i32; 2]) -> f64 {
        const UNIT: f64 = 1.0 / 4_294_967_296.0;
        let draws = (0..3).flat_map(|part| self.chance.at([cell, i as u32, j as u32, part]));
        draws.map(|draw| f64::from(draw) * UNIT).sum::<f64>() - 6.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::close;

    #[test]
    fn shadows_belong_to_places_and_have_their_deviation() {
        let shadowing = Shadowing::new(3, "net/shadowing", 8.0, 50.0);
        let at = |cell, x, y| shadowing.loss_db(cell, Position::new(x, y));
        assert_eq!(at(0, 12.0, -7.0).to_bits(), at(0, 12.0, -7.0).to_bits());
        assert!((at(0, 12.0, -7.0) - at(1, 12.0, -7.0)).abs() > 1e-6, "each cell has its own");
        assert!((at(0, 12.0, -7.0) - at(0, 12.1, -7.0)).abs() < 0.2, "no jump");
        let places = (0..4000_u32).map(|i| at(0, f64::from(i) * 61.3, f64::from(i % 63) * 47.7));
        let (sum, squares) = places.fold((0.0, 0.0), |(sum, sq), x| (sum + x, sq + x * x));
        close(sum / 4000.0, 0.0, 0.5);
        close((squares / 4000.0).sqrt(), 8.0, 0.4);
        let none = Shadowing::new(3, "net/shadowing", 0.0, 50.0);
        close(none.loss_db(0, Position::new(1.0, 1.0)), 0.0, 0.0);
    }
}
