//! What tests and benches of an aggregating box begin with.

use base::{Duration, Rate};
use middlebox::{AtcpConfig, Estimation, FlowControl, Fraction};

/// As for the GPRS link of paper 004, each packet by itself and all mobiles alike.
pub(crate) fn aggregating() -> AtcpConfig {
    AtcpConfig {
        clamp: 10_000,
        estimator: Estimation::Static,
        headroom: 1.3,
        rate: Rate::from_bps(33_200),
        round_trip: Duration::from_millis(1_850),
        overprovision: 1.5,
        budget: 128_000,
        flow_control: FlowControl { a: 0.25, b: 0.0, c: 2_880.0 },
        skip_threshold: 3,
        patience: Duration::ZERO,
        min_rto: Duration::from_secs(3),
        coalescing: None,
        shaping: None,
        deference: None,
        fraction: Fraction::Waits,
        classes: Vec::new(),
    }
}
