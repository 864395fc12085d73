//! What is taken of the carrier.

use std::collections::VecDeque;

/// How many parts of 3.75 kHz the uplink has.
const PARTS: usize = 48;

/// The subframes that are taken, downlink and uplink.
#[derive(Debug)]
pub(super) struct Carrier {
    /// Downlink, which has room for one message at a time: from when to when, in order.
    down: VecDeque<[u64; 2]>,
    /// Uplink: from when each part is free.
    up: [u64; PARTS],
    /// What was used, in subframes of the whole carrier times [`PARTS`].
    used: [u64; 2],
}

impl Carrier {
    pub(super) const fn new() -> Self {
        Self { down: VecDeque::new(), up: [0; PARTS], used: [0; 2] }
    }

    /// The first subframe from `from` on from which `length` of the downlink are free.
    pub(super) fn free_from(&self, from: u64, length: u64) -> u64 {
        let mut at = from;
        for [begin, end] in &self.down {
            if at + length <= *begin {
                break;
            }
            at = at.max(*end);
        }
        at
    }

    /// Takes `length` subframes of the downlink from `from` on, which are free. What ended before
    /// `now` is forgotten.
    pub(super) fn take_down(&mut self, now: u64, from: u64, length: u64) {
        while self.down.front().is_some_and(|[_, end]| *end <= now) {
            self.down.pop_front();
        }
        debug_assert_eq!(self.free_from(from, length), from, "it is free");
        let place = self.down.partition_point(|[begin, _]| *begin < from);
        self.down.insert(place, [from, from + length]);
        self.used[0] += length * PARTS as u64;
    }

    /// Takes `length` subframes of `width` parts of the uplink from the first one at or after
    /// `from` on that is free, which it says.
    pub(super) fn take_up(&mut self, from: u64, width: usize, length: u64) -> u64 {
        let free = |parts: &[u64]| parts.iter().copied().max().unwrap_or(0).max(from);
        let groups = self.up.chunks_exact_mut(width);
        let Some(group) = groups.min_by_key(|group| free(group)) else { return from };
        let begin = free(group);
        group.fill(begin + length);
        self.used[1] += length * width as u64;
        begin
    }

    /// How many subframes of the whole carrier were used in a direction.
    pub(super) fn used(&self, direction: usize) -> f64 {
        self.used[direction] as f64 / PARTS as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_downlink_carries_one_message_at_a_time() {
        let mut carrier = Carrier::new();
        carrier.take_down(0, 10, 5);
        carrier.take_down(0, 30, 10);
        for (from, length, expect) in
            [(0, 10, 0), (0, 11, 15), (12, 15, 15), (12, 16, 40), (50, 9, 50)]
        {
            assert_eq!(carrier.free_from(from, length), expect, "{from} {length}");
        }
        carrier.take_down(20, 15, 3);
        assert_eq!(carrier.down, [[15, 18], [30, 40]]);
        assert!((carrier.used(0) - 18.0).abs() < 1e-9);
    }

    #[test]
    fn tones_share_the_uplink() {
        let mut carrier = Carrier::new();
        let starts: Vec<_> = (0..5).map(|_| carrier.take_up(8, 12, 100)).collect();
        assert_eq!(starts, [8, 8, 8, 8, 108]);
        assert_eq!(carrier.take_up(8, 48, 1), 208, "the whole carrier waits for all");
        assert!((carrier.used(1) - 126.0).abs() < 1e-9);
    }
}
