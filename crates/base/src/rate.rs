//! Rates in bit/s and the time that bytes take at them.

use crate::Duration;

/// A rate in bit/s, above zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Rate(u64);

impl Rate {
    /// `bits` bit/s.
    ///
    /// # Panics
    /// If `bits` is zero: a link that never sends is an outage, not a rate.
    pub const fn from_bps(bits: u64) -> Self {
        assert!(bits > 0, "a rate is above zero");
        Self(bits)
    }

    /// In bit/s.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// Whole bytes that fit in `span`.
    pub const fn bytes_in(self, span: Duration) -> u64 {
        (self.0 as u128 * span.as_nanos() as u128 / 8_000_000_000) as u64
    }
}

/// Turns bytes into transmission times at a rate and keeps the fraction of a nanosecond that is
/// left, so that a long busy period takes exactly bits ÷ rate. (Whole nanoseconds per byte would
/// drift by 16 ppm at 384 kbit/s.)
#[derive(Clone, Debug)]
pub struct Transmitter {
    rate: Rate,
    /// Unpaid bit·ns/s, below the rate.
    remainder: u64,
}

impl Transmitter {
    /// A transmitter at `rate`.
    pub const fn new(rate: Rate) -> Self {
        Self { rate, remainder: 0 }
    }

    /// The rate.
    pub const fn rate(&self) -> Rate {
        self.rate
    }

    /// How long `bytes` take, with the remainder of earlier calls paid.
    pub fn transmit(&mut self, bytes: u32) -> Duration {
        let work = u64::from(bytes) * 8_000_000_000 + self.remainder;
        self.remainder = work % self.rate.0;
        Duration::from_nanos(work / self.rate.0)
    }

    /// What is not paid yet, in bit·ns/s: below the rate.
    pub const fn remainder(&self) -> u64 {
        self.remainder
    }

    /// Takes back the last [`Self::transmit`], which was of so many `bytes`, and tells again how
    /// long they took.
    pub fn rewind(&mut self, bytes: u32) -> Duration {
        let work = u64::from(bytes) * 8_000_000_000;
        let nanos = work.saturating_sub(self.remainder).div_ceil(self.rate.0);
        self.remainder = nanos * self.rate.0 + self.remainder - work;
        Duration::from_nanos(nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_seconds_at_384_kbit_do_not_drift() {
        let mut transmitter = Transmitter::new(Rate::from_bps(384_000));
        let mut total = Duration::ZERO;
        for _ in 0..48_000_000 / 552 {
            total += transmitter.transmit(552);
        }
        let bits = 48_000_000 / 552 * 552 * 8;
        assert_eq!(total, Duration::from_nanos(bits * 1_000_000_000 / 384_000));
    }

    #[test]
    fn what_was_transmitted_is_taken_back() {
        for rate in [1, 7, 8_000, 384_000, 999_999_937, 1_000_000_000_000] {
            let mut transmitter = Transmitter::new(Rate::from_bps(rate));
            let sizes = [1, 40, 552, 1500, 3, 65_535, 1];
            let taken = sizes.map(|bytes| (transmitter.remainder(), transmitter.transmit(bytes)));
            for (bytes, expect) in sizes.into_iter().zip(taken).rev() {
                let took = transmitter.rewind(bytes);
                assert_eq!((transmitter.remainder(), took), expect, "{bytes} B at {rate} bit/s");
            }
        }
    }

    #[test]
    fn bytes_in_a_tti() {
        let tti = Duration::from_millis(10);
        assert_eq!(Rate::from_bps(384_000).bytes_in(tti), 480);
        assert_eq!(Rate::from_bps(64_000).bytes_in(tti * 2), 160);
    }
}
