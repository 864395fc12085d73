//! Random draws of applications.

use base::{Duration, Stream, float};

/// Between 0 and 1, exclusive.
pub(crate) fn uniform(chance: &mut Stream) -> f64 {
    (f64::from(chance.next_u32()) + 0.5) / 4_294_967_296.0
}

/// A standard normal draw.
pub(crate) fn normal(chance: &mut Stream) -> f64 {
    float::normal(|| [chance.next_u32(), chance.next_u32()])
}

/// An exponential draw.
pub(crate) fn exponential(mean: Duration, chance: &mut Stream) -> Duration {
    Duration::from_nanos((-float::ln(uniform(chance)) * mean.as_nanos() as f64) as u64)
}

/// A uniform draw between `least` and `most`.
pub(crate) fn between([least, most]: [Duration; 2], chance: &mut Stream) -> Duration {
    let span = most.as_nanos().saturating_sub(least.as_nanos());
    Duration::from_nanos(least.as_nanos() + (uniform(chance) * span as f64) as u64)
}
