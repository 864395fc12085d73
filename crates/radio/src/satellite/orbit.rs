//! Where satellites are, and how far.
//!
//! The ground is a sphere, an orbit is a circle, and directions are unit vectors from the middle of
//! the earth. A terminal is at the pole of these coordinates.

use base::{Duration, Philox, float};

/// Mean radius of the earth in metres (IUGG).
const EARTH: f64 = 6_371_008.8;
/// Gravitational constant times the mass of the earth in m³/s² (WGS 84).
const GRAVITY: f64 = 3.986_004_418e14;
/// Speed of light in m/s.
const LIGHT: f64 = 299_792_458.0;
/// After so many satellites that not both ends see, the last one that was drawn serves.
const ATTEMPTS: u32 = 4096;

type Vector = [f64; 3];

/// A shell of satellites, as a terminal and a gateway on the ground see it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Orbit {
    /// Above the ground, in metres.
    pub altitude: f64,
    /// The least elevation at which a satellite is used, in degrees.
    pub elevation: f64,
    /// From the terminal to the gateway along the ground, in metres.
    pub gateway: f64,
}

/// The satellite of a slot: where it is at the beginning, and which way it goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Pass {
    place: Vector,
    way: Vector,
}

impl Orbit {
    /// How far a satellite is at an elevation in degrees, in metres.
    pub fn slant(&self, elevation: f64) -> f64 {
        let up = EARTH * float::sine(elevation.to_radians());
        let radius = EARTH + self.altitude;
        (up * up + radius * radius - EARTH * EARTH).sqrt() - up
    }

    /// One way by a satellite that stands at one elevation for the terminal, and at one for the
    /// gateway.
    pub fn by(&self, terminal: f64, gateway: f64) -> Duration {
        Duration::from_secs_f64((self.slant(terminal) + self.slant(gateway)) / LIGHT)
    }

    /// The least cosine of the angle between a place and a satellite that it sees.
    fn reach(&self) -> f64 {
        let (radius, slant) = (EARTH + self.altitude, self.slant(self.elevation));
        (EARTH * EARTH + radius * radius - slant * slant) / (2.0 * EARTH * radius)
    }

    /// How far apart terminal and gateway may be, in metres: both see a satellite between them.
    pub fn farthest(&self) -> f64 {
        2.0 * EARTH * float::arc_cosine(self.reach())
    }

    /// One way from terminal to gateway by a satellite, in the time after a pass began.
    pub fn delay(&self, pass: &Pass, after: Duration) -> Duration {
        let at = self.place(pass, after);
        let metres = self.distance(at, TERMINAL) + self.distance(at, self.ground());
        Duration::from_secs_f64(metres / LIGHT)
    }

    /// The satellite of slot number `slot`, which lasts for `span`: any that both ends see from its
    /// beginning to its end, each with the same chance.
    pub fn pass(&self, chance: Philox, slot: u32, span: Duration) -> Pass {
        let draw = |attempt| self.drawn(chance.at([slot, attempt, 0, 0]));
        let mut drawn = (0..ATTEMPTS).map(draw);
        let serves = |pass: &Pass| self.sees(pass, Duration::ZERO) && self.sees(pass, span);
        drawn.find(serves).unwrap_or_else(|| draw(0))
    }

    /// The elevation of a pass at the terminal, in its sine.
    fn elevation_sine(&self, at: Vector, from: Vector) -> f64 {
        let radius = EARTH + self.altitude;
        (radius * dot(at, from) - EARTH) / self.distance(at, from)
    }

    fn sees(&self, pass: &Pass, after: Duration) -> bool {
        let (at, least) = (self.place(pass, after), float::sine(self.elevation.to_radians()));
        [TERMINAL, self.ground()].iter().all(|from| self.elevation_sine(at, *from) >= least)
    }

    /// Within the terminal's sight, equally dense over the sphere: then the cosine of the angle to
    /// the terminal is uniform, and so are the angles around it.
    fn drawn(&self, [height, around, heading, _]: [u32; 4]) -> Pass {
        let reach = self.reach();
        let cosine = reach + (1.0 - reach) * share(height);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let [x, y] = turn(share(around));
        let place = [sine * x, sine * y, cosine];
        // Two directions across the place: towards the terminal, and along the circle around it.
        let towards = [-cosine * x, -cosine * y, sine];
        let along = [-y, x, 0.0];
        let [a, b] = turn(share(heading));
        let way = std::array::from_fn(|axis| a * towards[axis] + b * along[axis]);
        Pass { place, way }
    }

    /// The direction of a satellite some time after its pass began, on its circle (Kepler).
    fn place(&self, Pass { place, way }: &Pass, after: Duration) -> Vector {
        let radius = EARTH + self.altitude;
        let angle = (GRAVITY / (radius * radius * radius)).sqrt() * after.as_secs_f64();
        let [cosine, sine] = [float::cosine(angle), float::sine(angle)];
        std::array::from_fn(|axis| cosine * place[axis] + sine * way[axis])
    }

    /// The direction of the gateway.
    fn ground(&self) -> Vector {
        let angle = self.gateway / EARTH;
        [float::sine(angle), 0.0, float::cosine(angle)]
    }

    /// How far a satellite at one direction is from a place on the ground at another.
    fn distance(&self, at: Vector, from: Vector) -> f64 {
        let radius = EARTH + self.altitude;
        (EARTH * EARTH + radius * radius - 2.0 * EARTH * radius * dot(at, from)).sqrt()
    }
}

const TERMINAL: Vector = [0.0, 0.0, 1.0];

fn dot(one: Vector, other: Vector) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// A draw as a share from 0 to 1.
fn share(draw: u32) -> f64 {
    (f64::from(draw) + 0.5) / 4_294_967_296.0
}

/// Cosine and sine of a share of a whole turn.
fn turn(share: f64) -> [f64; 2] {
    let angle = std::f64::consts::TAU * (share - 0.5);
    [float::cosine(angle), float::sine(angle)]
}
