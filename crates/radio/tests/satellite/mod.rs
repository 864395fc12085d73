//! Satellites: geometry, laws of the bearer, capacity on demand.

mod assignment;
mod geometry;
mod laws;
mod recording;
mod support;
