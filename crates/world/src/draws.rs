//! What applications draw.

use base::{Duration, Stream, float};

/// Between 0 and 1, and neither.
pub(crate) fn uniform(chance: &mut Stream) -> f64 {
    (f64::from(chance.next_u32()) + 0.5) / 4_294_967_296.0
}

/// A standard normal draw by the polar method (Marsaglia and Bray 1964), which needs no angles.
pub(crate) fn normal(chance: &mut Stream) -> f64 {
    loop {
        let (x, y) = (2.0 * uniform(chance) - 1.0, 2.0 * uniform(chance) - 1.0);
        let square = x * x + y * y;
        if square < 1.0 {
            return x * (-2.0 * float::ln(square) / square).sqrt();
        }
    }
}

/// An exponential draw.
pub(crate) fn exponential(mean: Duration, chance: &mut Stream) -> Duration {
    Duration::from_nanos((-float::ln(uniform(chance)) * mean.as_nanos() as f64) as u64)
}

/// A draw between `least` and `most`, all alike.
pub(crate) fn between([least, most]: [Duration; 2], chance: &mut Stream) -> Duration {
    let span = most.as_nanos().saturating_sub(least.as_nanos());
    Duration::from_nanos(least.as_nanos() + (uniform(chance) * span as f64) as u64)
}
