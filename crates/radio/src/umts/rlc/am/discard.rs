//! SDU discard with explicit signalling (TS 25.322 §11.6): the sender gives SDUs up and tells the
//! receiver to move its window past them, until it hears that this has happened.

use base::{Duration, Time};

use super::Repetition;
use crate::umts::rlc::block::{WindowMove, WindowMoved};
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::timers::is_due;
use crate::umts::rlc::{RlcConfig, Sn};

/// The discard function of a transmitter.
#[derive(Debug)]
pub(super) struct Discard {
    /// How long an SDU may wait for its acknowledgement (`Timer_Discard`).
    timer: Option<Duration>,
    repetition: Repetition,
    /// Every SDU below has been given up or acknowledged.
    given_up: u64,
    moving: Option<Moving>,
}

/// A window move on its way.
#[derive(Clone, Copy, Debug)]
struct Moving {
    to: WindowMove,
    /// When the command is sent next.
    again: Time,
    sent: u32,
}

/// The command has reached its limit of transmissions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Unanswered;

impl Discard {
    pub(super) fn new(config: &RlcConfig) -> Self {
        Self {
            timer: config.discard_timer,
            repetition: config.move_window,
            given_up: 0,
            moving: None,
        }
    }

    /// If the oldest SDU has waited too long, the first one that has not.
    pub(super) fn first_fresh(&self, now: Time, sdus: &Sdus) -> Option<u64> {
        let timer = self.timer?;
        let is_old = |handed_in: &Time| is_due(Some(*handed_in + timer), now);
        let count = sdus.handed_in(self.given_up).take_while(is_old).count() as u64;
        (count > 0).then(|| sdus.first().max(self.given_up) + count)
    }

    /// SDUs below `sdu` have been given up, and the receiver must move `to` beyond them.
    pub(super) fn begin(&mut self, now: Time, sdu: u64, to: Option<WindowMove>) {
        self.given_up = self.given_up.max(sdu);
        if let Some(to) = to {
            self.moving = Some(Moving { to, again: now, sent: 0 });
        }
    }

    /// The command, if it is due in this TTI.
    pub(super) fn command(&mut self, now: Time) -> Result<Option<WindowMove>, Unanswered> {
        let Some(moving) = &mut self.moving else { return Ok(None) };
        if !is_due(Some(moving.again), now) {
            return Ok(None);
        }
        if self.repetition.max.is_some_and(|max| moving.sent >= max) {
            return Err(Unanswered);
        }
        moving.sent += 1;
        moving.again = now + self.repetition.timer;
        Ok(Some(moving.to))
    }

    /// The receiver has moved its window. The move that this ends, if it does: the window may
    /// also have been beyond already.
    pub(super) fn answered(&mut self, moved: WindowMoved) -> Option<WindowMove> {
        let to = self.moving?.to;
        if moved.sn < to.sn || (moved.sn == to.sn && moved.ends != to.ends) {
            return None;
        }
        self.moving = None;
        Some(to)
    }

    /// Where the receiver's window moves to.
    pub(super) fn moving_to(&self) -> Sn {
        self.moving.map_or(Sn::ZERO, |moving| moving.to.sn)
    }

    pub(super) fn poll_timeout(&self, now: Time, sdus: &Sdus) -> Option<Time> {
        let expiry = self.timer.and_then(|timer| {
            let oldest = sdus.handed_in(self.given_up).next()?;
            Some((oldest + timer).max(now))
        });
        let again = self.moving.map(|moving| moving.again.max(now));
        Time::earlier(expiry, again)
    }
}
