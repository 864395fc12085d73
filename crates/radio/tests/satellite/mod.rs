//! Satellites: geometry, laws of the bearer, capacity on demand, shared beams, changes.

mod assignment;
mod beam;
mod changes;
mod geometry;
mod laws;
mod recording;
mod support;
