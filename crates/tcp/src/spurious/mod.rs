//! Losses that were none: how they are found, and how they are taken back (RFC 4015).
//!
//! A segment that is merely late makes the retransmission timer run out, and one that was
//! overtaken brings duplicate acknowledgements: what follows is as after a loss. If it turns out
//! that the first transmission arrived, the window becomes what it was and nothing more is sent
//! again.

mod dsack;
mod eifel;
mod frto;

pub(crate) use dsack::reported;
pub(crate) use frto::PROBES;

use base::Time;
use settings::words;

use crate::recovery::Order;
use crate::scoreboard::Sent;

words! {
    /// Whether and how a timeout is found to have been in vain, and then undone (RFC 4015).
    pub enum SpuriousTimeouts {
        /// It never is.
        Unseen = "unseen",
        /// New data sent after it tell (RFC 5682).
        FRto = "f-rto",
        /// The timestamp of the first acknowledgement after it tells (RFC 3522).
        Eifel = "eifel",
    }
}

/// The last loss, as far as it may have been none.
#[derive(Debug)]
pub(crate) struct Doubt {
    detection: Detection,
    episode: Option<Episode>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Detection {
    FRto,
    Eifel,
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
    /// Retransmissions that the peer has not yet reported as duplicates.
    unreported: u32,
}

/// A retransmission: of what, and when it left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Resent {
    offset: u64,
    at: Time,
}

/// How it is being found out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Test {
    FRto(frto::Step),
    Eifel,
    /// It is over; only reports of duplicates may still tell.
    Settled,
}

/// What an acknowledgement tells of the last loss.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// Nothing: what comes next may.
    Open,
    /// It was one.
    Genuine,
    /// It was one, and what F-RTO left out is to be sent again after all.
    GoBack,
    /// F-RTO would send new data now: see [`Doubt::probe`].
    Probe,
    /// It was none.
    Spurious,
}

/// What an acknowledgement has to say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence {
    /// Everything below was acknowledged.
    pub(crate) una: u64,
    /// This side's clock as it is echoed.
    pub(crate) echo: Option<u32>,
    /// The lowest offset that it acknowledges or selects of segments sent once.
    pub(crate) once: Option<u64>,
}

impl Doubt {
    pub(crate) fn new(configured: SpuriousTimeouts) -> Option<Box<Self>> {
        let detection = match configured {
            SpuriousTimeouts::Unseen => return None,
            SpuriousTimeouts::FRto => Detection::FRto,
            SpuriousTimeouts::Eifel => Detection::Eifel,
        };
        Some(Box::new(Self { detection, episode: None }))
    }

    /// A loss, or what counts as one, of what is outstanding from `una` to `max`. If it is the
    /// oldest segment's as was the last, that goes on.
    pub(crate) fn begin(&mut self, cause: Cause, una: u64, max: u64) {
        // RFC 5682 §2.1 step 1: no second test while what the last timeout found lost is repaired,
        // or each would repair one segment.
        let repairs = self.episode.is_some_and(|episode| {
            episode.cause == Cause::Timeout && (episode.from + 1..episode.recover).contains(&una)
        });
        let test = match (self.detection, cause) {
            (Detection::FRto, Cause::Timeout) if !repairs => Test::FRto(frto::Step::Waiting),
            (Detection::FRto, Cause::Timeout | Cause::Acknowledgements) => Test::Settled,
            (Detection::Eifel, Cause::Timeout | Cause::Acknowledgements) => Test::Eifel,
        };
        let (first_resent, unreported) = match self.episode {
            Some(episode) if episode.from == una => (episode.first_resent, episode.unreported),
            Some(_) | None => (None, 0),
        };
        let recover = max;
        self.episode = Some(Episode { cause, from: una, recover, test, first_resent, unreported });
    }

    /// A segment was sent again.
    pub(crate) fn on_resent(&mut self, now: Time, segment: &Sent) {
        if let Some(episode) = &mut self.episode
            && segment.offset >= episode.from
            && segment.offset < episode.recover
        {
            let resent = Resent { offset: segment.offset, at: now };
            episode.first_resent = episode.first_resent.or(Some(resent));
            episode.unreported += 1;
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
    pub(crate) fn on_duplicate_ack(&mut self, order: Order, evidence: &Evidence) -> Finding {
        let Some(episode) = &self.episode else { return Finding::Open };
        let finding = match episode.test {
            Test::FRto(step) => frto::on_duplicate_ack(step, order, episode.recover, evidence),
            Test::Eifel | Test::Settled => Finding::Open,
        };
        self.note(finding)
    }

    fn note(&mut self, finding: Finding) -> Finding {
        match finding {
            Finding::Open | Finding::Probe | Finding::Spurious => {}
            Finding::Genuine | Finding::GoBack => self.set_test(Test::Settled),
        }
        finding
    }

    fn set_test(&mut self, test: Test) {
        if let Some(episode) = &mut self.episode {
            episode.test = test;
        }
    }

    /// F-RTO sends new data, up to `allowance` bytes in the network. Without any that may leave at
    /// once, there is nothing to find out with.
    pub(crate) fn probe(&mut self, allowance: Option<u64>) {
        let probing = |allowance| Test::FRto(frto::Step::Probing { allowance });
        self.set_test(allowance.map_or(Test::Settled, probing));
    }

    /// The loss was none. True if the retransmission timer ran out on a segment that was merely
    /// late. If everything is acknowledged at once, it may have been acknowledgements that were
    /// lost: the time it took tells nothing.
    pub(crate) fn take_back(&mut self, una: u64) -> bool {
        let late = |episode: Episode| episode.cause == Cause::Timeout && una < episode.recover;
        self.episode.take().is_some_and(late)
    }

    fn frto(&self) -> Option<frto::Step> {
        match self.episode?.test {
            Test::FRto(step) => Some(step),
            Test::Eifel | Test::Settled => None,
        }
    }

    /// What may be in flight while F-RTO finds out, in bytes.
    pub(crate) fn allowance(&self, mss: u64) -> Option<u64> {
        match self.frto()? {
            frto::Step::Waiting => Some(mss),
            frto::Step::Probing { allowance } => Some(allowance),
        }
    }

    /// True while F-RTO sends new data instead of what is lost.
    pub(crate) fn probes(&self) -> bool {
        matches!(self.frto(), Some(frto::Step::Probing { .. }))
    }
}
