//! Whole aggregates over a pipe with a rate.

mod behaviour;
mod equilibrium;
mod others;
mod pipe;
mod sources;
mod stalls;

use super::AtcpConfig;

/// A radio of 4150 B/s with a clamp of 10 kB, as in §VI.
pub(super) fn config() -> AtcpConfig {
    AtcpConfig { c: Some(0.25 * 4_150.0 * 1.85 * 1.5), ..AtcpConfig::default() }
}
