//! Echo requests that a box sends behind packets that nobody acknowledges to it: what was sent
//! before one has left the pipe once its answer comes, and the answer tells how long that takes.

use std::collections::VecDeque;

use base::{Duration, Time};

/// Bytes of an echo request over IPv4 with as much data as its number takes.
pub(super) const ECHO_BYTES: u64 = 32;

/// An echo request follows each quarter of a window of which no segment tells.
const PART_OF_WINDOW: u64 = 4;

/// So many that are not answered in a row, and the mobile is taken not to answer at all.
const SILENT: u32 = 3;

/// Number of those given up that are remembered: more than are under way at once.
const LATE: usize = 8;

/// After so long it is asked again.
const ASKED_AGAIN: Duration = Duration::from_secs(60);

/// For so long after an answer a mobile that does not answer is out of reach.
const TRUSTED: Duration = Duration::from_secs(30);

/// The echo requests to a mobile.
#[derive(Debug, Default)]
pub(super) struct Echoes {
    next: u32,
    /// Echo requests that are not answered, in their order.
    pending: VecDeque<Pending>,
    /// The latest that were given up: their answers may only be late.
    late: VecDeque<Pending>,
    /// Bytes let go since the last.
    bytes: u64,
    /// Number of those in a row that were not answered, and when the last was given up.
    silent: u32,
    given_up: Time,
    /// Time of the last answer.
    answered: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    number: u32,
    /// Place in the order of sending.
    pub(super) position: u64,
    pub(super) at: Time,
}

impl Echoes {
    /// Count of bytes that were let go, with which so many wait or are under way. True if an echo
    /// request is to follow them: if nothing else would tell (`is_blind`), the first; and in any
    /// case a quarter of a window without word. Once the mobile has answered, nothing has to be
    /// known of a flow that leaves room, and an answer costs power.
    pub(super) fn is_due(
        &mut self,
        now: Time,
        bytes: u64,
        window: u64,
        together: u64,
        is_blind: bool,
    ) -> bool {
        self.bytes += bytes;
        let answers =
            self.silent < SILENT || self.is_trusted(now) || now - self.given_up >= ASKED_AGAIN;
        // Of one that does not answer only one is asked for.
        let is_free = self.silent == 0 || self.pending.is_empty();
        let matters = self.answered.is_none() || together * PART_OF_WINDOW >= window;
        let is_first = is_blind && matters && self.pending.is_empty();
        answers && is_free && (is_first || self.bytes * PART_OF_WINDOW >= window)
    }

    /// A segment told what has left: an acknowledgement may be held back, but this one came.
    pub(super) const fn told(&mut self) {
        self.bytes = 0;
    }

    /// The number of the next.
    pub(super) const fn number(&mut self) -> u32 {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        number
    }

    /// One is sent. Its number.
    pub(super) fn send(&mut self, now: Time, position: u64) -> u32 {
        let number = self.number();
        self.bytes = 0;
        self.pending.push_back(Pending { number, position, at: now });
        number
    }

    /// The answer to one; those before it are lost. One that was given up tells of a mobile that
    /// woke up slowly, or of a queue that is longer than was thought: it does answer.
    pub(super) fn answer(&mut self, now: Time, number: u32) -> Option<Pending> {
        let of = |sent: &VecDeque<Pending>| sent.iter().position(|each| each.number == number);
        let (sent, index) = match (of(&self.pending), of(&self.late)) {
            (Some(index), _) => (&mut self.pending, index),
            (None, Some(index)) => (&mut self.late, index),
            (None, None) => return None,
        };
        self.silent = 0;
        self.answered = Some(now);
        sent.drain(..=index).next_back()
    }

    /// Gives up those that were not answered for `patience`.
    pub(super) fn expire(&mut self, now: Time, patience: Duration) {
        while let Some(&pending) = self.pending.front()
            && pending.at + patience <= now
        {
            self.pending.pop_front();
            if self.late.len() == LATE {
                self.late.pop_front();
            }
            self.late.push_back(pending);
            self.silent = self.silent.saturating_add(1);
            self.given_up = now;
        }
    }

    /// True if the answer to one may still come.
    pub(super) fn is_pending(&self, number: u32) -> bool {
        self.pending.iter().any(|pending| pending.number == number)
    }

    /// True if whoever is asked does not answer.
    pub(super) fn is_silent(&self, now: Time) -> bool {
        self.silent >= SILENT && !self.is_trusted(now)
    }

    /// Another is asked from now on, who gets one request.
    pub(super) const fn ask_another(&mut self) {
        self.silent = SILENT - 1;
    }

    /// True if the mobile has answered not long ago.
    pub(super) fn is_trusted(&self, now: Time) -> bool {
        self.answered.is_some_and(|answered| now - answered < TRUSTED)
    }

    /// The one that was sent longest ago.
    pub(super) fn oldest(&self) -> Option<Pending> {
        self.pending.front().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Time {
        Time::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn one_follows_each_quarter_of_a_window() {
        let mut echoes = Echoes::default();
        assert!(echoes.is_due(at(0), 100, 4_000, 100, true), "the first packet is measured");
        let number = echoes.send(at(0), 1);
        assert!(echoes.answer(at(0), number).is_some());
        assert!(!echoes.is_due(at(0), 100, 4_000, 900, true), "there is room");
        assert!(echoes.is_due(at(0), 100, 4_000, 1_000, true), "there is less");
        echoes.send(at(0), 1);
        for together in [900, 9_000] {
            let due = (0..4).map(|_| echoes.is_due(at(1), 300, 4_000, together, true));
            assert_eq!(due.collect::<Vec<_>>(), [false, false, false, true]);
            echoes.send(at(1), 2);
        }
    }

    /// Segments that tell keep echo requests away; those whose acknowledgements are held back do
    /// not.
    #[test]
    fn none_is_needed_while_segments_tell() {
        let check = |told: bool, expect: &[bool]| {
            let mut echoes = Echoes::default();
            let due = (0..8).map(|_| {
                if told {
                    echoes.told();
                }
                let due = echoes.is_due(at(0), 300, 4_000, 4_000, false);
                if due {
                    echoes.send(at(0), 1);
                }
                due
            });
            assert_eq!(due.collect::<Vec<_>>(), expect, "{told}");
        };
        check(true, &[false; 8]);
        check(false, &[false, false, false, true, false, false, false, true]);
    }

    #[test]
    fn an_answer_is_about_all_before_it() {
        let mut echoes = Echoes::default();
        let numbers = [1, 5, 9].map(|position| echoes.send(at(position), position));
        let answered = echoes.answer(at(10), numbers[1]).expect("it was sent");
        assert_eq!((answered.position, answered.at), (5, at(5)));
        assert!(echoes.answer(at(10), numbers[0]).is_none(), "it is lost");
        assert_eq!(echoes.oldest().map(|pending| pending.position), Some(9));
        assert!(echoes.answer(at(10), 77).is_none(), "nobody sent it");
    }

    /// A mobile whose answers all take longer than they may is one that answers.
    #[test]
    fn a_late_answer_ends_the_silence() {
        let mut echoes = Echoes::default();
        let numbers = [0, 1, 2, 3].map(|position| echoes.send(at(position), position));
        echoes.expire(at(200), Duration::from_millis(100));
        assert!(!echoes.is_due(at(200), 4_000, 4_000, 4_000, true), "it is taken for silent");
        let late = echoes.answer(at(300), numbers[1]).expect("it is known");
        assert_eq!((late.position, late.at), (1, at(1)));
        assert!(echoes.is_due(at(300), 4_000, 4_000, 4_000, true));
        assert!(echoes.is_trusted(at(301)));
        assert!(echoes.answer(at(302), numbers[1]).is_none(), "it was answered");
        assert!(echoes.answer(at(302), numbers[0]).is_none(), "a later one was");
        assert!(echoes.answer(at(302), numbers[3]).is_some());
    }

    #[test]
    fn who_never_answers_is_asked_once_a_minute() {
        let mut echoes = Echoes::default();
        let mut sent = 0;
        for millis in (0..200_000).step_by(100) {
            echoes.expire(at(millis), Duration::from_secs(1));
            if echoes.is_due(at(millis), 1_000, 4_000, 4_000, true) {
                echoes.send(at(millis), millis);
                sent += 1;
            }
        }
        // A second's worth, two more, and one a minute.
        assert!((10..=20).contains(&sent), "{sent}");
    }
}
