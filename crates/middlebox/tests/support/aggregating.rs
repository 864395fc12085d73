//! What tests and benches of an aggregating box begin with.

use middlebox::AtcpConfig;

/// As for the GPRS link of paper 004, each packet by itself and all mobiles alike.
pub(crate) fn aggregating() -> AtcpConfig {
    AtcpConfig { c: Some(2_880.0), coalescing: false, deference: None, ..AtcpConfig::default() }
}
