//! A beam that other users share.

use base::{Duration, Philox, Probability, Rate, Time};

use super::config::Background;

/// The frames of a beam in one direction: each is this terminal's or another user's.
#[derive(Debug)]
pub(crate) struct Beam {
    frame: Duration,
    /// The chance of a frame to be the terminal's.
    own: Probability,
    chance: Philox,
}

impl Beam {
    pub(crate) fn new(background: Background, seed: u64, name: &str) -> Self {
        let Background { frame, left } = background;
        Self { frame, own: left, chance: Philox::named(seed, &format!("{name}/frames")) }
    }

    /// The rate within a frame, if `rate` is the mean over all frames.
    pub(crate) fn rate(&self, rate: Rate) -> Rate {
        Rate::from_bps((rate.as_bps() as f64 / self.own.value()).round() as u64)
    }

    /// When the terminal's frames have lasted for `span` since `at`; for no time, the first time at
    /// or after `at` in one of them.
    pub(crate) fn after(&self, mut at: Time, mut span: Duration) -> Time {
        loop {
            let frame = at.as_nanos() / self.frame.as_nanos();
            let end = Time::from_nanos((frame + 1) * self.frame.as_nanos());
            if self.is_own(frame) {
                let room = end.saturating_since(at);
                if span <= room {
                    return at + span;
                }
                span = span.saturating_sub(room);
            }
            at = end;
        }
    }

    fn is_own(&self, frame: u64) -> bool {
        let [draw, ..] = self.chance.at([frame as u32, (frame >> 32) as u32, 0, 0]);
        self.own.hit(draw)
    }
}
