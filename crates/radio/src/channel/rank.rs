//! Rank adaptation: a block has as many layers as carry most.

use crate::kit::decibel::to_db;

/// Modulation and coding over a number of layers, between which the power of the sender is shared.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scheme {
    /// The number of layers.
    pub(crate) layers: u16,
    /// The index of modulation and coding of each.
    pub(crate) mcs: u8,
    /// The ratio of signal to noise that all of them need together, in decibels.
    pub(crate) needed: f64,
}

impl Scheme {
    /// The scheme of `mcs` over so many layers, of which each needs the ratio that `needed` lists.
    pub(crate) fn new(layers: u16, mcs: u8, needed: &[f64]) -> Self {
        let needed = needed[usize::from(mcs)] + to_db(f64::from(layers));
        Self { layers, mcs, needed }
    }

    /// Of all over up to `layers` layers those that carry more `bits` than any other that needs as
    /// little, in the order of what they need. Over one layer each index needs what `needed` lists.
    pub(crate) fn adaptive(layers: u16, needed: &[f64], bits: impl Fn(Self) -> u32) -> Vec<Self> {
        let indices = || (0..).take(needed.len());
        let over = |layers| indices().map(move |mcs| Self::new(layers, mcs, needed));
        let mut schemes: Vec<_> = (1..=layers).flat_map(over).collect();
        schemes.sort_by(|one, other| one.needed.total_cmp(&other.needed));
        let mut most = 0;
        schemes.retain(|scheme| {
            let bits = bits(*scheme);
            let is_more = bits > most;
            most = most.max(bits);
            is_more
        });
        schemes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_carries_most_of_all_that_need_as_little() {
        let needed = [-5.0, 0.0, 10.0];
        let bits = |of: Scheme| u32::from(of.layers) * [10, 25, 60][usize::from(of.mcs)];
        let schemes = Scheme::adaptive(2, &needed, bits);
        let seen: Vec<_> = schemes.iter().map(|scheme| (scheme.layers, scheme.mcs)).collect();
        // Two layers of index 1 need 3 dB and carry 50, two of index 0 need -2 dB and carry 20.
        assert_eq!(seen, [(1, 0), (2, 0), (1, 1), (2, 1), (1, 2), (2, 2)]);
        let poor = |of: Scheme| u32::from(of.layers) * [10, 15, 60][usize::from(of.mcs)];
        let schemes = Scheme::adaptive(2, &needed, poor);
        let seen: Vec<_> = schemes.iter().map(|scheme| (scheme.layers, scheme.mcs)).collect();
        assert_eq!(seen, [(1, 0), (2, 0), (2, 1), (1, 2), (2, 2)]);
        assert!((Scheme::new(2, 0, &needed).needed + 1.99).abs() < 0.001);
    }
}
