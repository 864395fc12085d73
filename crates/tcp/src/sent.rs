//! What is outstanding: every segment sent and not yet acknowledged.

use std::collections::VecDeque;

use base::Time;

/// A segment on its way, data or a FIN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    /// Stream offset of its first number.
    pub(crate) offset: u64,
    /// Numbers it occupies: its payload bytes, and one for a FIN.
    pub(crate) length: u32,
    /// How often it was sent.
    pub(crate) transmissions: u32,
    /// When it was sent first.
    pub(crate) first_at: Time,
    /// When it was sent last.
    pub(crate) last_at: Time,
}

impl Sent {
    pub(crate) const fn end(&self) -> u64 {
        self.offset + self.length as u64
    }

    pub(crate) const fn sent_again(&mut self, now: Time) {
        self.transmissions += 1;
        self.last_at = now;
    }
}

/// The outstanding segments in the order of the stream, without gaps.
#[derive(Debug, Default)]
pub(crate) struct Outstanding {
    segments: VecDeque<Sent>,
}

impl Outstanding {
    pub(crate) fn oldest(&self) -> Option<&Sent> {
        self.segments.front()
    }

    pub(crate) fn push(&mut self, segment: Sent) {
        debug_assert!(self.segments.back().is_none_or(|last| last.end() == segment.offset));
        self.segments.push_back(segment);
    }

    /// The segment that starts at `offset`.
    pub(crate) fn at(&mut self, offset: u64) -> &mut Sent {
        let index = match self.segments.front() {
            Some(oldest) if oldest.offset == offset => 0,
            _ => self.segments.partition_point(|segment| segment.offset < offset),
        };
        let segment = &mut self.segments[index];
        debug_assert_eq!(segment.offset, offset, "outstanding segments have no gaps");
        segment
    }

    /// Takes the oldest out if everything in it lies below `una`; else cuts off what does.
    pub(crate) fn pop_below(&mut self, una: u64) -> Option<Sent> {
        let oldest = self.segments.front_mut()?;
        if oldest.end() <= una {
            return self.segments.pop_front();
        }
        if oldest.offset < una {
            oldest.length -= (una - oldest.offset) as u32;
            oldest.offset = una;
        }
        None
    }
}
