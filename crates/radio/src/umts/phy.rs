//! The physical channel: which transport blocks arrive in error.

use base::{Philox, Probability};

/// Independent block errors. Whether a block is in error is a function of the seed, the channel's
/// name, the TTI and the block's place in it, and not of what is sent: every scenario with the
/// same seed meets the same radio, and a higher error rate only adds errors.
#[derive(Clone, Debug)]
pub(crate) struct BlockErrors {
    philox: Philox,
    tbler: Probability,
}

/// The blocks of one TTI that are in error.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorMask {
    words: Vec<u64>,
}

impl BlockErrors {
    pub(crate) fn new(seed: u64, name: &str, tbler: Probability) -> Self {
        Self { philox: Philox::named(seed, name), tbler }
    }

    /// Draws for the first `blocks` blocks of TTI number `tti`.
    pub(crate) fn draw(&self, tti: u64, blocks: u32, mask: &mut ErrorMask) {
        mask.words.clear();
        if !self.tbler.hit(0) {
            return;
        }
        mask.words.resize(blocks.div_ceil(64) as usize, 0);
        for group in 0..blocks.div_ceil(4) {
            let draws = self.philox.at([group, tti as u32, (tti >> 32) as u32, 0]);
            let [a, b, c, d] = draws.map(|draw| u64::from(self.tbler.hit(draw)));
            let errors = a | b << 1 | c << 2 | d << 3;
            mask.words[group as usize / 16] |= errors << (group % 16 * 4);
        }
        if let Some(last) = mask.words.last_mut()
            && !blocks.is_multiple_of(64)
        {
            *last &= u64::MAX >> (64 - blocks % 64);
        }
    }
}

impl ErrorMask {
    /// No errors.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// Block `first` and the 63 after it, the first lowest; a set bit is an error.
    pub(crate) fn from(&self, first: u32) -> u64 {
        if self.words.is_empty() {
            return 0;
        }
        let (word, shift) = (first as usize / 64, first % 64);
        let at = |index: usize| self.words.get(index).copied().unwrap_or(0);
        if shift == 0 { at(word) } else { at(word) >> shift | at(word + 1) << (64 - shift) }
    }

    /// How many blocks are in error.
    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(tbler: f64, tti: u64, blocks: u32) -> ErrorMask {
        let tbler = Probability::new(tbler).expect("in range");
        let mut mask = ErrorMask::default();
        BlockErrors::new(1, "bearer/downlink", tbler).draw(tti, blocks, &mut mask);
        mask
    }

    #[test]
    fn a_block_meets_the_same_radio_whatever_else_is_sent() {
        for tti in 0..50 {
            let all = draw(0.3, tti, 130);
            assert_eq!(draw(0.3, tti, 7).from(0), all.from(0) & 0x7F);
            assert_eq!(all.from(60) & 0xFF, (all.from(0) >> 60 | all.from(64) << 4) & 0xFF);
            assert_eq!(all.from(0) & !draw(0.5, tti, 130).from(0), 0, "errors are only added");
        }
    }

    #[test]
    fn errors_come_as_often_as_they_should() {
        let count = |tbler| (0..2000).map(|tti| draw(tbler, tti, 13).count()).sum::<u32>();
        assert_eq!(count(0.0), 0);
        assert_eq!(count(1.0), 26_000);
        assert!((7_500..8_100).contains(&count(0.3)), "{}", count(0.3));
    }
}
