//! A bearer of either system.

use base::{Direction, Duration, Time};
use observe::Observe;

use crate::{Counters, DownlinkReport, Output, Sdu, gprs, umts};

/// What carries packets between the network and one mobile, in both directions.
#[derive(Debug)]
pub enum Bearer<T> {
    /// Dedicated channels of UMTS.
    Dch(Box<umts::Bearer<T>>),
    /// Time slots of GPRS or EDGE.
    Gprs(Box<gprs::Bearer<T>>),
}

impl<T> From<umts::Bearer<T>> for Bearer<T> {
    fn from(bearer: umts::Bearer<T>) -> Self {
        Self::Dch(Box::new(bearer))
    }
}

impl<T> From<gprs::Bearer<T>> for Bearer<T> {
    fn from(bearer: gprs::Bearer<T>) -> Self {
        Self::Gprs(Box::new(bearer))
    }
}

impl<T: Sdu> Bearer<T> {
    /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue is full.
    ///
    /// # Errors
    /// The SDU that was dropped.
    pub fn handle_input(
        &mut self,
        now: Time,
        direction: Direction,
        sdu: T,
        observe: &mut impl Observe,
    ) -> Result<(), T> {
        match self {
            Self::Dch(bearer) => bearer.handle_input(now, direction, sdu, observe),
            Self::Gprs(bearer) => bearer.handle_input(now, direction, sdu, observe),
        }
    }

    /// Does what is due at or before `now`.
    pub fn handle_timeout(&mut self, now: Time, observe: &mut impl Observe) {
        match self {
            Self::Dch(bearer) => bearer.handle_timeout(now, observe),
            Self::Gprs(bearer) => bearer.handle_timeout(now, observe),
        }
    }

    /// The next SDU that has come out. To be called after each `handle_…` until it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        match self {
            Self::Dch(bearer) => bearer.poll_output(),
            Self::Gprs(bearer) => bearer.poll_output(),
        }
    }

    /// When something is due next. It changes with each `handle_…` and `poll_…`.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        match self {
            Self::Dch(bearer) => bearer.poll_timeout(),
            Self::Gprs(bearer) => bearer.poll_timeout(),
        }
    }

    /// What the base station has to say of the mobile's downlink, if that has changed. A bearer
    /// says nothing while it sleeps.
    #[must_use]
    pub fn poll_report(&mut self) -> Option<DownlinkReport> {
        match self {
            Self::Dch(bearer) => bearer.poll_report(),
            Self::Gprs(bearer) => bearer.poll_report(),
        }
    }

    /// The SDUs of `direction` between entry and exit.
    pub fn held(&self, direction: Direction) -> Box<dyn Iterator<Item = &T> + '_> {
        match self {
            Self::Dch(bearer) => Box::new(bearer.held(direction)),
            Self::Gprs(bearer) => Box::new(bearer.held(direction)),
        }
    }

    /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
    pub fn counters(&self, direction: Direction) -> Counters {
        match self {
            Self::Dch(bearer) => bearer.counters(direction),
            Self::Gprs(bearer) => bearer.counters(direction),
        }
    }

    /// How many blocks the first `span` of the run had room for in `direction`.
    pub fn capacity(&self, direction: Direction, span: Duration) -> u64 {
        match self {
            Self::Dch(bearer) => bearer.capacity(direction, span),
            Self::Gprs(bearer) => bearer.capacity(direction, span),
        }
    }
}
