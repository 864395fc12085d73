//! Capacity on demand (EN 301 545-2, DVB-RCS2: volume-based and continuous assignment).

use std::collections::VecDeque;

use base::{Rate, Time};

use super::config::Assignment;

/// The frames of one terminal.
#[derive(Debug)]
pub(crate) struct Frames {
    assignment: Assignment,
    /// The first frame that has not passed.
    next: u64,
    /// Frames to come, and how many bytes each was granted, in order.
    granted: VecDeque<(u64, u64)>,
    /// The sum of those.
    promised: u64,
}

impl Frames {
    pub(crate) const fn new(assignment: Assignment) -> Self {
        Self { assignment, next: 0, granted: VecDeque::new(), promised: 0 }
    }

    /// The first beginning of a frame at or after `at` that has not passed.
    pub(crate) fn from(&self, at: Time) -> Time {
        let frame = at.as_nanos().div_ceil(self.assignment.frame.as_nanos());
        self.start(frame.max(self.next))
    }

    /// The end of the frame that begins at `start`.
    pub(crate) fn end(&self, start: Time) -> Time {
        start + self.assignment.frame
    }

    /// Whether frames to come were granted something.
    pub(crate) fn is_promised(&self) -> bool {
        self.promised > 0
    }

    /// The frame that begins at `start` opens, in which `rate` could be sent, while so many bytes
    /// are `waiting`: what waits beyond what it carries and what is promised is requested. Returns
    /// how many bytes it carries.
    pub(crate) fn open(&mut self, start: Time, rate: Rate, waiting: u64) -> u64 {
        let frame = start.as_nanos() / self.assignment.frame.as_nanos();
        self.next = frame + 1;
        let most = rate.bytes_in(self.assignment.frame);
        let committed = self.assignment.committed;
        let committed = committed.map_or(0, |rate| rate.bytes_in(self.assignment.frame)).min(most);
        let mut room = committed;
        // What was granted for frames in a gap comes after it.
        while let Some((_, bytes)) = self.granted.front().copied().filter(|(at, _)| *at <= frame) {
            self.granted.pop_front();
            self.promised -= bytes;
            room += bytes;
        }
        let room = room.min(most);
        self.request(frame, waiting.saturating_sub(room + self.promised), most - committed);
        room
    }

    /// Asks for `bytes` in `frame`. Each later one has room for `most`; the network promises no
    /// more than all frames until the first that answers.
    fn request(&mut self, frame: u64, bytes: u64, most: u64) {
        if most == 0 {
            return;
        }
        let wait =
            self.assignment.wait.as_nanos().div_ceil(self.assignment.frame.as_nanos()).max(1);
        let mut left = bytes.min((wait * most).saturating_sub(self.promised));
        let mut at = frame + wait;
        if let Some((last, granted)) = self.granted.back_mut().filter(|(last, _)| *last >= at) {
            let more = left.min(most - (*granted).min(most));
            *granted += more;
            self.promised += more;
            left -= more;
            at = *last + 1;
        }
        while left > 0 {
            let bytes = left.min(most);
            self.granted.push_back((at, bytes));
            self.promised += bytes;
            left -= bytes;
            at += 1;
        }
    }

    const fn start(&self, frame: u64) -> Time {
        Time::from_nanos(frame * self.assignment.frame.as_nanos())
    }
}
