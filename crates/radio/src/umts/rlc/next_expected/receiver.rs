//! The receiving half: it finds gaps, asks for what is missing, and gives up what never comes.

use std::collections::VecDeque;

use base::{Duration, Time};

use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::RlcConfig;
use crate::umts::rlc::bits::low_bits;
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::timers::is_due;
use crate::umts::rlc::{Control, Run, Sn};

/// The feedback of one TTI.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expected {
    /// Every PDU below has arrived.
    pub(crate) next: Sn,
    /// The PDUs that are asked for.
    pub(crate) asked: Vec<Sn>,
}

/// What has arrived, and what is missing.
#[derive(Debug)]
pub(super) struct Receiver {
    timeout: Duration,
    max_requests: Option<u32>,
    /// How many PDUs one feedback can name.
    most_asked: usize,
    /// The PDU after the highest that has arrived.
    highest: Sn,
    /// What has not arrived of those below, lowest first.
    missing: VecDeque<Missing>,
    /// When the next PDU of the SDU that is arriving counts as lost.
    silence: Option<Silence>,
}

/// A PDU that others have overtaken.
#[derive(Clone, Copy, Debug)]
struct Missing {
    sn: Sn,
    requests: u32,
    /// When it is asked for, first or again.
    due: Time,
}

/// The timer that each PDU restarts, except the last of an SDU: a complete transfer requests
/// nothing.
#[derive(Clone, Copy, Debug)]
struct Silence {
    requests: u32,
    due: Time,
}

impl Receiver {
    pub(super) fn new(config: &RlcConfig) -> Self {
        Self {
            timeout: config.recovery_timeout,
            max_requests: config.max_retransmissions,
            most_asked: most_asked(config.pdu_payload),
            highest: Sn::ZERO,
            missing: VecDeque::new(),
            silence: None,
        }
    }

    /// Takes in a run of PDUs at `now`, of which those in `errors` were lost.
    pub(super) fn handle_data(&mut self, now: Time, run: Run, errors: u64, sdus: &mut Sdus) {
        let mut intact = !errors & low_bits(run.pdus);
        if intact == 0 {
            return;
        }
        while intact != 0 {
            let sn = run.sn + u64::from(intact.trailing_zeros());
            if self.arrive(now, sn, sdus) && !sdus.is_in_order() {
                sdus.deliver_any_order(sn, |first, last| self.has_all(first, last));
            }
            intact &= intact - 1;
        }
        self.settle(sdus);
        self.silence = sdus
            .is_open_after(self.highest - 1)
            .then(|| Silence { requests: 0, due: now + self.timeout });
        sdus.acknowledge(self.next());
    }

    /// Puts the feedback that is due into the TTI. Feedback without requests is not sent.
    pub(super) fn fill(&mut self, sdus: &mut Sdus, blocks: &mut TransportBlocks) {
        let now = blocks.start;
        self.give_up(now, sdus);
        let mut asked = Vec::new();
        for missing in &mut self.missing {
            if asked.len() == self.most_asked {
                break;
            }
            if is_due(Some(missing.due), now) {
                missing.requests += 1;
                missing.due = (missing.due + self.timeout).max(now);
                asked.push(missing.sn);
            }
        }
        if let Some(silence) = &mut self.silence
            && is_due(Some(silence.due), now)
            && asked.len() < self.most_asked
        {
            silence.requests += 1;
            silence.due = now + self.timeout;
            asked.push(self.highest);
        }
        if !asked.is_empty() {
            blocks.push_control(Control::Expected(Expected { next: self.next(), asked }));
        }
    }

    /// When there will be something to send.
    pub(super) fn poll_timeout(&self, now: Time) -> Option<Time> {
        let missing = self.missing.iter().map(|missing| missing.due).min();
        Time::earlier(missing, self.silence.map(|silence| silence.due)).map(|due| due.max(now))
    }

    /// Forgets all.
    pub(super) fn reset(&mut self) {
        self.highest = Sn::ZERO;
        self.missing.clear();
        self.silence = None;
    }

    /// Every PDU below has arrived, or its SDU has been given up.
    fn next(&self) -> Sn {
        self.missing.front().map_or(self.highest, |missing| missing.sn)
    }

    /// True if every PDU of `first..=last` has arrived.
    fn has_all(&self, first: Sn, last: Sn) -> bool {
        let from = self.missing.partition_point(|missing| missing.sn < first);
        last < self.highest && self.missing.get(from).is_none_or(|missing| missing.sn > last)
    }

    /// Notes PDU `sn`. False if it is a duplicate: then it is discarded.
    fn arrive(&mut self, now: Time, sn: Sn, sdus: &Sdus) -> bool {
        if sn < self.highest {
            let place = self.missing.binary_search_by_key(&sn, |missing| missing.sn);
            return place.is_ok_and(|place| self.missing.remove(place).is_some());
        }
        while self.highest < sn {
            if self.max_requests.is_none() || sdus.wants(self.highest) {
                self.missing.push_back(Missing { sn: self.highest, requests: 0, due: now });
            }
            self.highest = self.highest + 1;
        }
        self.highest = sn + 1;
        true
    }

    /// In sequence: delivers what is whole.
    fn settle(&self, sdus: &mut Sdus) {
        sdus.deliver_in_order(self.next());
    }

    /// Discards the SDUs of PDUs that have reached the limit of requests.
    fn give_up(&mut self, now: Time, sdus: &mut Sdus) {
        let Some(max) = self.max_requests else { return };
        let is_over = |requests, due| requests >= max && is_due(Some(due), now);
        let lost = self.missing.iter().filter(|missing| is_over(missing.requests, missing.due));
        let mut lost: Vec<Sn> = lost.map(|missing| missing.sn).collect();
        if self.silence.is_some_and(|silence| is_over(silence.requests, silence.due)) {
            lost.push(self.highest);
            self.silence = None;
        }
        if lost.is_empty() {
            return;
        }
        for sn in lost {
            sdus.lose(sn);
        }
        self.missing.retain(|missing| sdus.wants(missing.sn));
        self.settle(sdus);
        sdus.acknowledge(self.next());
    }
}

/// How many numbers of 12 bits fit in a PDU of `bytes` beside the PDU expected next.
const fn most_asked(bytes: u32) -> usize {
    (bytes * 8 / 12 - 1) as usize
}
