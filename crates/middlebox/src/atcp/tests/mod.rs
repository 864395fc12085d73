//! Whole aggregates over a pipe with a rate.

mod behaviour;
mod equilibrium;
mod pipe;
mod stalls;

use base::{Duration, Rate};

use super::{AtcpConfig, Estimation, FlowControl};

/// A radio of 4150 B/s with a clamp of 10 kB, as in §VI.
pub(super) fn config() -> AtcpConfig {
    let (a, window) = (0.25, 4_150.0 * 1.85 * 1.5);
    AtcpConfig {
        clamp: 10_000,
        estimator: Estimation::Static,
        headroom: 1.3,
        rate: Rate::from_bps(4_150 * 8),
        round_trip: Duration::from_millis(1_850),
        overprovision: 1.5,
        budget: 128_000,
        flow_control: FlowControl { a, b: 0.0, c: a * window },
        skip_threshold: 3,
        patience: Duration::ZERO,
        min_rto: Duration::from_secs(3),
        coalescing: Some(Duration::from_millis(200)),
        shaping: None,
        deference: Some(0.9),
        fraction: crate::Fraction::Waits,
        classes: Vec::new(),
    }
}
