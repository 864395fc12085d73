//! Stops of programs: both ends of a connection send nothing new from then on.

use base::Time;
use tcp::{Endpoint, Payload, State};

/// Stop of a program, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Stop {
    at: Option<Time>,
    has_come: bool,
    /// True if the endpoint has been told.
    is_told: bool,
}

impl Stop {
    /// Stop at that time, if ever.
    pub(crate) const fn at(at: Option<Time>) -> Self {
        Self { at, has_come: false, is_told: false }
    }

    /// True if it has stopped by `now`. At that moment what `endpoint` has never sent is taken
    /// back, and it closes; what it has sent still arrives. One that waits for its peer to open
    /// the connection closes after that: the peer has a connection to end, too.
    pub(crate) fn has_come<P: Payload>(&mut self, now: Time, endpoint: &mut Endpoint<P>) -> bool {
        self.has_come |= self.at.take_if(|at| *at <= now).is_some();
        if self.has_come && !self.is_told && endpoint.state() != State::Listen {
            self.is_told = true;
            endpoint.break_off();
        }
        self.has_come
    }

    /// True if it has stopped.
    pub(crate) const fn is_over(self) -> bool {
        self.has_come
    }

    pub(crate) const fn poll_timeout(self) -> Option<Time> {
        self.at
    }
}

/// The earlier of two times, where there are any.
pub(crate) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    [one, other].into_iter().flatten().min()
}
