//! Losses that were none: how they are found, and how they are taken back (RFC 4015).
//!
//! A segment that is merely late makes the retransmission timer run out, and one that was
//! overtaken brings duplicate acknowledgements: what follows is as after a loss. If it turns out
//! that the first transmission arrived, the window becomes what it was and nothing more is sent
//! again.

mod dsack;
mod eifel;
mod frto;

use base::{Duration, Time};

use crate::recovery::Order;
use crate::scoreboard::Sent;
use crate::{Payload, Sender, SpuriousTimeouts};

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Finding {
    /// What comes next will tell.
    Open(Test),
    Genuine,
    Spurious,
}

/// What an acknowledgement has to say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Evidence {
    /// This side's clock as it is echoed.
    pub(crate) echo: Option<u32>,
    /// The lowest offset that it acknowledges or selects of segments sent once.
    pub(crate) once: Option<u64>,
    /// The round-trip time that it shows.
    pub(crate) rtt: Option<Duration>,
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

    const fn frto(&self) -> Option<frto::Step> {
        match self.episode {
            Some(Episode { test: Test::FRto(step), .. }) => Some(step),
            Some(_) | None => None,
        }
    }
}

impl<P: Payload> Sender<P> {
    /// A loss begins, or what counts as one.
    pub(crate) fn doubt_loss(&mut self, cause: Cause) {
        if let Some(doubt) = &mut self.doubt {
            doubt.begin(cause, self.una, self.max);
        }
    }

    /// What may be in flight while F-RTO finds out, in bytes.
    pub(crate) fn frto_allowance(&self) -> Option<u64> {
        match self.doubt.as_ref()?.frto()? {
            frto::Step::Waiting => Some(u64::from(self.mss)),
            frto::Step::Probing { allowance } => Some(allowance),
        }
    }

    /// True while F-RTO sends new data instead of what is lost.
    pub(crate) fn frto_probes(&self) -> bool {
        let step = self.doubt.as_ref().and_then(|doubt| doubt.frto());
        matches!(step, Some(frto::Step::Probing { .. }))
    }

    /// Something new was acknowledged; loss recovery has not seen it yet.
    pub(crate) fn judge_new_ack(&mut self, now: Time, evidence: &Evidence) {
        let Some(episode) = self.doubted() else { return };
        let finding = match episode.test {
            Test::FRto(step) => self.frto_new_ack(step, episode.recover, evidence),
            Test::Eifel => eifel::judge(episode.first_resent, self.una, evidence.echo),
            Test::Settled => return,
        };
        self.conclude(finding, now, evidence);
    }

    /// A duplicate acknowledgement came; loss recovery has not seen it yet.
    pub(crate) fn judge_duplicate_ack(&mut self, now: Time, evidence: &Evidence) {
        let Some(episode) = self.doubted() else { return };
        if let Test::FRto(step) = episode.test {
            let finding = self.frto_duplicate_ack(step, episode.recover, evidence);
            self.conclude(finding, now, evidence);
        }
    }

    fn doubted(&self) -> Option<Episode> {
        self.doubt.as_ref()?.episode
    }

    fn set_test(&mut self, test: Test) {
        if let Some(doubt) = &mut self.doubt
            && let Some(episode) = &mut doubt.episode
        {
            episode.test = test;
        }
    }

    fn conclude(&mut self, finding: Finding, now: Time, evidence: &Evidence) {
        match finding {
            Finding::Open(test) => self.set_test(test),
            Finding::Genuine => self.set_test(Test::Settled),
            Finding::Spurious => self.take_back(now, evidence.rtt),
        }
    }

    /// RFC 4015 §3.2: the window becomes what it was, sending goes on with new data (step 7), and
    /// the retransmission timer becomes more patient (step 9).
    ///
    /// The window is restored whole (steps 8: ssthresh only, and cwnd from there on by slow
    /// start): the acknowledgements that were late still come one by one and clock what is sent.
    fn take_back(&mut self, now: Time, rtt: Option<Duration>) {
        let Some(doubt) = &mut self.doubt else { return };
        let Some(episode) = doubt.episode.take() else { return };
        self.controller.on_undo(now);
        self.prr = None;
        self.resend = false;
        match self.recovery.order(&self.board) {
            Order::Stream => self.nxt = self.max,
            Order::Lost { .. } => self.board.find_lost(),
        }
        self.recovery.on_undo(&self.board);
        // If everything is acknowledged at once, it may have been acknowledgements that were lost:
        // the time it took tells nothing.
        let late = episode.cause == Cause::Timeout && self.una < episode.recover;
        if let Some(rtt) = rtt.filter(|_| late) {
            self.rto.grow_patient(rtt);
        }
    }
}
