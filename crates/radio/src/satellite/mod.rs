//! Satellites: a bearer between a gateway on the ground and one terminal.
//!
//! ```text
//!   gateway ─ queue ─ carrier ─ satellite ─ terminal
//!   gateway ─────── satellite ─ carrier, or frames on demand ─ queue ─ terminal
//! ```
//!
//! What is modelled in a simplified way:
//! * The satellite only repeats what it hears: nothing waits in it.
//! * One shell of satellites, evenly spread over the sky; any that both ends see serves, each with
//!   the same chance, from one slot's beginning to its end.
//! * A packet takes the rate at which it began to be sent. Requests for capacity are never lost.
//! * Terminals do not compete: each has rates of its own. Other users of a beam have a share of its
//!   frames; what they send is not simulated.

mod assignment;
mod beam;
mod bearer;
mod config;
mod keys;
mod lane;
mod orbit;
mod path;
mod recording;
mod sky;
mod turns;

pub use bearer::SatelliteBearer;
pub use config::{
    Access, Air, Assignment, Background, Carrier, Change, Passing, Path, SatelliteConfig,
};
pub(crate) use keys::{GeoKeys, LeoKeys, Satellite};
pub use orbit::Orbit;
pub use recording::Recording;
