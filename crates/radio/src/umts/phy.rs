//! The physical channel: which transport blocks arrive in error.

use base::{Duration, Philox, Probability};

use super::conditions::{BlockErrorRate, Dpcch, FRAME};

/// Independent block errors. Whether a block is in error is a function of the seed, the channel's
/// name, the TTI, the block's place in it and the error rate, independent of what is sent: every
/// scenario with the same seed has the same radio, and a higher error rate only adds errors.
#[derive(Clone, Debug)]
pub(crate) struct BlockErrors {
    /// Whether a block of the data channel is in error.
    data: Philox,
    /// The same of the control channel, where that fails on its own.
    control: Option<Philox>,
    /// How many blocks are sent in parallel, under one slot of the control channel.
    dpdchs: u32,
    /// The position of a frame's error rate within its limits.
    frames: Philox,
    frames_per_tti: u64,
}

/// The blocks of one TTI that are in error.
#[derive(Clone, Debug, Default)]
pub(crate) struct ErrorMask {
    words: Vec<u64>,
}

impl BlockErrors {
    /// Those of a channel of `dpdchs` DPDCHs.
    pub(crate) fn new(seed: u64, name: &str, tti: Duration, dpcch: Dpcch, dpdchs: u32) -> Self {
        Self {
            data: Philox::named(seed, name),
            control: match dpcch {
                Dpcch::WithData => None,
                Dpcch::Apart => Some(Philox::named(seed, &format!("{name}/DPCCH"))),
            },
            dpdchs,
            frames: Philox::named(seed, &format!("{name}/frames")),
            frames_per_tti: tti.whole(FRAME).max(1),
        }
    }

    /// Draws for the first `blocks` blocks of TTI number `tti`.
    pub(crate) fn draw(&self, tti: u64, blocks: u32, rate: BlockErrorRate, mask: &mut ErrorMask) {
        mask.words.clear();
        let tbler = match rate {
            BlockErrorRate::Constant(tbler) => tbler,
            BlockErrorRate::Drawn { low, high } => self.drawn(tti, low, high),
        };
        if !tbler.hit(0) {
            return;
        }
        mask.words.resize(blocks.div_ceil(64) as usize, 0);
        mask.add(self.data, tti, blocks, tbler);
        if let Some(control) = self.control {
            mask.add_slots(control, tti, blocks.div_ceil(self.dpdchs), self.dpdchs, tbler);
        }
        if let Some(last) = mask.words.last_mut()
            && !blocks.is_multiple_of(64)
        {
            *last &= u64::MAX >> (64 - blocks % 64);
        }
    }

    /// The mean of the rates of a TTI's frames, each uniform from `low` to `high`.
    fn drawn(&self, tti: u64, low: Probability, high: Probability) -> Probability {
        let frames = tti * self.frames_per_tti..(tti + 1) * self.frames_per_tti;
        let share = |frame: u64| {
            let [draw, ..] = self.frames.at([frame as u32, (frame >> 32) as u32, 0, 0]);
            f64::from(draw) / 4_294_967_296.0
        };
        let mean = frames.map(share).sum::<f64>() / self.frames_per_tti as f64;
        let value = low.value() + (high.value() - low.value()) * mean;
        Probability::new(value).expect("between two probabilities lies one")
    }
}

impl ErrorMask {
    /// No errors.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// The blocks at `places` and no others.
    #[cfg(test)]
    pub(crate) fn set(&mut self, places: &[u32]) {
        self.words.clear();
        self.words.resize(places.iter().max().map_or(0, |most| *most as usize / 64 + 1), 0);
        for place in places {
            self.words[*place as usize / 64] |= 1 << (place % 64);
        }
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

    /// Adds the errors that `philox` draws for TTI number `tti`, possibly some beyond `blocks`.
    fn add(&mut self, philox: Philox, tti: u64, blocks: u32, tbler: Probability) {
        for group in 0..blocks.div_ceil(4) {
            let draws = philox.at([group, tti as u32, (tti >> 32) as u32, 0]);
            let [a, b, c, d] = draws.map(|draw| u64::from(tbler.hit(draw)));
            let errors = a | b << 1 | c << 2 | d << 3;
            self.words[group as usize / 16] |= errors << (group % 16 * 4);
        }
    }

    /// The same of `slots` slots, each of which takes `dpdchs` blocks with it.
    fn add_slots(&mut self, philox: Philox, tti: u64, slots: u32, dpdchs: u32, tbler: Probability) {
        let slot = u64::MAX >> (64 - dpdchs);
        for group in 0..slots.div_ceil(4) {
            let draws = philox.at([group, tti as u32, (tti >> 32) as u32, 0]);
            let hits = (4 * group..slots).zip(draws).filter(|(_, draw)| tbler.hit(*draw));
            for (place, _) in hits {
                let (word, shift) = ((place * dpdchs / 64) as usize, place * dpdchs % 64);
                self.words[word] |= slot << shift;
                if let Some(next) = self.words.get_mut(word + 1) {
                    *next |= slot.checked_shr(64 - shift).unwrap_or(0);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::of;

    fn errors(millis: u64, dpcch: Dpcch) -> BlockErrors {
        BlockErrors::new(1, "bearer/downlink", Duration::from_millis(millis), dpcch, 1)
    }

    fn draw(tbler: f64, tti: u64, blocks: u32) -> ErrorMask {
        let mut mask = ErrorMask::default();
        errors(10, Dpcch::WithData).draw(tti, blocks, of(tbler).into(), &mut mask);
        mask
    }

    /// The share of blocks in error in 4000 TTIs of 50.
    fn share(errors: &BlockErrors, rate: BlockErrorRate) -> f64 {
        let mut mask = ErrorMask::default();
        let count = |tti| {
            errors.draw(tti, 50, rate, &mut mask);
            u64::from(mask.count())
        };
        (0..4000).map(count).sum::<u64>() as f64 / 200_000.0
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

    /// With two draws a block arrives with (1 − p)².
    #[test]
    fn a_control_channel_apart_only_adds_errors() {
        let (with, apart) = (errors(10, Dpcch::WithData), errors(10, Dpcch::Apart));
        let (mut one, mut both) = (ErrorMask::default(), ErrorMask::default());
        for tti in 0..200 {
            with.draw(tti, 64, of(0.2).into(), &mut one);
            apart.draw(tti, 64, of(0.2).into(), &mut both);
            assert_eq!(one.from(0) & !both.from(0), 0);
        }
        let share = share(&apart, of(0.1).into());
        assert!((0.188..0.192).contains(&share), "1 − 0.9² is 0.19, not {share}");
    }

    /// Under n DPDCHs the draw of slot k decides over the blocks from n · k to n · k + n − 1.
    #[test]
    fn a_slot_of_the_control_channel_decides_over_every_data_channel() {
        let errors = |dpcch, dpdchs| {
            BlockErrors::new(1, "bearer/downlink", Duration::from_millis(10), dpcch, dpdchs)
        };
        let drawn = |errors: &BlockErrors, tti| {
            let mut mask = ErrorMask::default();
            errors.draw(tti, 130, of(0.2).into(), &mut mask);
            (0..130).map(|block| mask.from(block) & 1 == 1).collect::<Vec<_>>()
        };
        let slots = BlockErrors {
            data: Philox::named(1, "bearer/downlink/DPCCH"),
            ..errors(Dpcch::WithData, 1)
        };
        for dpdchs in 1..=8 {
            let (with, apart) = (errors(Dpcch::WithData, dpdchs), errors(Dpcch::Apart, dpdchs));
            for tti in 0..50 {
                let (data, slot) = (drawn(&with, tti), drawn(&slots, tti));
                let either = |block: usize| data[block] || slot[block / dpdchs as usize];
                let expect: Vec<_> = (0..130).map(either).collect();
                assert_eq!(drawn(&apart, tti), expect, "{dpdchs} DPDCHs, TTI {tti}");
            }
        }
    }

    #[test]
    fn a_drawn_rate_keeps_its_limits_and_is_even_between_them() {
        let errors = errors(10, Dpcch::WithData);
        let rates: Vec<_> =
            (0..10_000).map(|tti| errors.drawn(tti, of(0.01), of(0.11)).value()).collect();
        assert!(rates.iter().all(|rate| (0.01..=0.11).contains(rate)));
        for tenth in 0..10 {
            let low = 0.01 + f64::from(tenth) * 0.01;
            let inside = rates.iter().filter(|rate| (low..low + 0.01).contains(*rate)).count();
            assert!((880..1120).contains(&inside), "{inside} from {low}");
        }
        let drawn = share(&errors, BlockErrorRate::Drawn { low: of(0.01), high: of(0.11) });
        assert!((0.057..0.063).contains(&drawn), "{drawn}");
        let constant = BlockErrorRate::Drawn { low: of(0.3), high: of(0.3) };
        let (drawn, fixed) = (share(&errors, constant), share(&errors, of(0.3).into()));
        assert!((drawn - fixed).abs() < 1e-12, "equal limits are a constant");
    }

    /// Two directions of one name and TTIs of different lengths see the frames that they span.
    #[test]
    fn a_longer_tti_has_the_mean_of_its_frames() {
        let (short, long) = (errors(10, Dpcch::WithData), errors(40, Dpcch::WithData));
        let (low, high) = (of(0.0), of(1.0));
        for tti in 0..50 {
            let frames = (4 * tti..4 * tti + 4).map(|frame| short.drawn(frame, low, high).value());
            let mean = frames.sum::<f64>() / 4.0;
            assert!((long.drawn(tti, low, high).value() - mean).abs() < 1e-12);
        }
    }
}
