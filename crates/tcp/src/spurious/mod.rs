//! Spurious losses: how they are detected, and how they are undone (RFC 4015).
//!
//! A segment that is merely late makes the retransmission timer run out, and one that was overtaken
//! brings duplicate acknowledgements: what follows is as after a loss. If it turns out that the
//! first transmission arrived, the window is restored and nothing more is retransmitted.

mod dsack;
mod eifel;
mod frto;

pub(crate) use dsack::reported;
pub(crate) use frto::PROBES;

use std::iter::repeat_n;

use base::Time;
use settings::words;

use crate::recovery::RepairOrder;
use crate::scoreboard::{Scoreboard, Sent};

words! {
    /// Whether and how a spurious timeout is detected, and then undone (RFC 4015).
    pub enum SpuriousTimeouts {
        /// Not at all.
        Unseen = "unseen",
        /// By new data sent after it (RFC 5682).
        FRto = "f-rto",
        /// By the timestamp of the first acknowledgement after it (RFC 3522).
        Eifel = "eifel",
    }
}

/// Checks whether the last loss was spurious.
#[derive(Debug)]
pub(crate) struct SpuriousDetector {
    detection: SpuriousTimeouts,
    episode: Option<Episode>,
    /// Offsets of retransmissions that the peer may still report as duplicates: those of the
    /// episode, and those that were in flight when it began.
    unreported: Vec<u64>,
}

/// What counted as a loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cause {
    Timeout,
    Acknowledgements,
}

#[derive(Clone, Copy, Debug)]
struct Episode {
    cause: Cause,
    /// What was unacknowledged when it began, from and to.
    from: u64,
    recover: u64,
    test: Test,
    first_resent: Option<Resent>,
}

/// A retransmission: of what, and when it left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Resent {
    offset: u64,
    at: Time,
}

/// The detection under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    FRto(frto::FRtoStep),
    Eifel,
    /// It is over; only reports of duplicates may still show a spurious loss.
    Settled,
}

/// What an acknowledgement shows about the last loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// Nothing yet.
    Open,
    /// It was a loss.
    Genuine,
    /// It was a loss, and what F-RTO left out is to be retransmitted after all.
    GoBack,
    /// F-RTO would send new data now: see [`SpuriousDetector::probe`].
    Probe,
    /// It was spurious.
    Spurious,
}

/// The facts of an acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// Everything below was acknowledged.
    pub(crate) una: u64,
    /// This side's clock as it is echoed.
    pub(crate) echo: Option<u32>,
    /// The lowest offset that it acknowledges or selects of segments sent once.
    pub(crate) once: Option<u64>,
}

impl SpuriousDetector {
    pub(crate) fn new(detection: SpuriousTimeouts) -> Option<Box<Self>> {
        let detects = detection != SpuriousTimeouts::Unseen;
        detects.then(|| Box::new(Self { detection, episode: None, unreported: Vec::new() }))
    }

    /// A loss was detected while `una` to `max` was outstanding, as on the `board`. If the last one
    /// was of the same segment, the check goes on.
    pub(crate) fn begin(&mut self, cause: Cause, [una, max]: [u64; 2], board: &Scoreboard) {
        // RFC 5682 §2.1 step 1: no second test while what the last timeout found lost is repaired,
        // or each would repair one segment.
        let repairs = self.episode.is_some_and(|episode| {
            episode.cause == Cause::Timeout && (episode.from + 1..episode.recover).contains(&una)
        });
        let test = match (self.detection, cause) {
            (SpuriousTimeouts::FRto, Cause::Timeout) if !repairs => {
                Test::FRto(frto::FRtoStep::Waiting)
            }
            (SpuriousTimeouts::FRto | SpuriousTimeouts::Unseen, _) => Test::Settled,
            (SpuriousTimeouts::Eifel, _) => Test::Eifel,
        };
        let same = self.episode.filter(|episode| episode.from == una);
        if same.is_none() {
            self.unreported.clear();
            // What is in flight again already may have been lost before: a report about it says
            // nothing of this loss (RFC 3708 §2).
            let repeats = |segment: &Sent| usize::from(segment.transmissions.saturating_sub(1));
            let in_flight = board.flying();
            self.unreported.extend(in_flight.flat_map(|it| repeat_n(it.offset, repeats(it))));
        }
        let first_resent = same.and_then(|episode| episode.first_resent);
        self.episode = Some(Episode { cause, from: una, recover: max, test, first_resent });
    }

    /// A segment was retransmitted.
    pub(crate) fn on_resent(&mut self, now: Time, segment: &Sent) {
        if let Some(episode) = &mut self.episode
            && segment.offset >= episode.from
            && segment.offset < episode.recover
        {
            let resent = Resent { offset: segment.offset, at: now };
            episode.first_resent = episode.first_resent.or(Some(resent));
            self.unreported.push(segment.offset);
        }
    }

    /// Something new was acknowledged.
    pub(crate) fn on_new_ack(&mut self, evidence: &Evidence) -> Finding {
        let Some(episode) = &self.episode else { return Finding::Open };
        let finding = match episode.test {
            Test::FRto(step) => frto::on_new_ack(step, episode.recover, evidence),
            Test::Eifel => eifel::judge(episode.first_resent, evidence.una, evidence.echo),
            Test::Settled => Finding::Open,
        };
        self.note(finding)
    }

    /// A duplicate acknowledgement came.
    pub(crate) fn on_duplicate_ack(&mut self, order: RepairOrder, evidence: &Evidence) -> Finding {
        let Some(episode) = &self.episode else { return Finding::Open };
        let finding = match episode.test {
            Test::FRto(step) => frto::on_duplicate_ack(step, order, episode.recover, evidence),
            Test::Eifel | Test::Settled => Finding::Open,
        };
        self.note(finding)
    }

    fn note(&mut self, finding: Finding) -> Finding {
        if matches!(finding, Finding::Genuine | Finding::GoBack) {
            self.set_test(Test::Settled);
        }
        finding
    }

    fn set_test(&mut self, test: Test) {
        if let Some(episode) = &mut self.episode {
            episode.test = test;
        }
    }

    /// F-RTO sends new data, up to `allowance` bytes in the network; if no new data may be sent at
    /// once, the test is over.
    pub(crate) fn probe(&mut self, allowance: Option<u64>) {
        let probing = |allowance| Test::FRto(frto::FRtoStep::Probing { allowance });
        self.set_test(allowance.map_or(Test::Settled, probing));
    }

    /// The loss was spurious. True if the retransmission timer ran out on a segment that was merely
    /// late. If everything is acknowledged at once, acknowledgements may have been lost: then the
    /// time it took says nothing.
    pub(crate) fn take_back(&mut self, una: u64) -> bool {
        let late = |episode: Episode| episode.cause == Cause::Timeout && una < episode.recover;
        self.episode.take().is_some_and(late)
    }

    fn frto(&self) -> Option<frto::FRtoStep> {
        if let Test::FRto(step) = self.episode?.test { Some(step) } else { None }
    }

    /// What F-RTO allows in flight during its test, in bytes.
    pub(crate) fn allowance(&self, mss: u64) -> Option<u64> {
        match self.frto()? {
            frto::FRtoStep::Waiting => Some(mss),
            frto::FRtoStep::Probing { allowance } => Some(allowance),
        }
    }

    /// True while F-RTO sends new data instead of what is lost.
    pub(crate) fn probes(&self) -> bool {
        matches!(self.frto(), Some(frto::FRtoStep::Probing { .. }))
    }
}
