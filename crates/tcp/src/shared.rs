//! What a connection can learn from others between the same hosts (RFC 9040).

use base::{Duration, Time};
use settings::words;

use crate::{Endpoint, Payload, State};

words! {
    /// From which connections to the same host a new one learns.
    pub enum ShareState {
        /// From none.
        Off = "off",
        /// From the one that ended last (RFC 9040 §6.1, temporal sharing).
        Temporal = "temporal",
        /// From those that are open (§6.2, ensemble sharing).
        Ensemble = "ensemble",
    }
}

/// What a connection knows of the path to its peer (RFC 9040 §4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shared {
    /// When it last sent something.
    pub at: Time,
    /// SRTT of RFC 6298.
    pub srtt: Duration,
    /// RTTVAR of RFC 6298.
    pub rttvar: Duration,
    /// In bytes.
    pub ssthresh: u64,
    /// The congestion window in bytes, shared among several connections.
    pub cwnd: u64,
}

impl Shared {
    /// What a new connection learns from those that are open: as it was last measured, and an even
    /// part of all windows together (RFC 9040 §6.2). `None` if there are none.
    pub fn beside(open: impl Iterator<Item = Self>) -> Option<Self> {
        let (mut newest, mut connections, mut cwnd): (Option<Self>, u64, u64) = (None, 1, 0);
        for one in open {
            connections += 1;
            cwnd += one.cwnd;
            newest = newest.filter(|newest| newest.at >= one.at).or(Some(one));
        }
        newest.map(|newest| Self { cwnd: cwnd / connections, ..newest })
    }
}

impl<P: Payload> Endpoint<P> {
    /// What this connection knows, once it has measured a round trip of data.
    pub fn shared(&self) -> Option<Shared> {
        self.sender.shared()
    }

    /// Begins with what other connections know. Has no effect once the connection is established.
    pub fn inherit(&mut self, shared: &Shared) {
        if matches!(self.state, State::Listen | State::SynSent) {
            self.sender.inherit(shared);
        }
    }

    /// From which connections it would learn, if it is not too late.
    pub fn learns(&self) -> ShareState {
        let is_too_late = !matches!(self.state, State::Listen | State::SynSent);
        if is_too_late { ShareState::Off } else { self.config.share_state }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(at: u64, srtt: u64, cwnd: u64) -> Shared {
        Shared {
            at: Time::from_nanos(at),
            srtt: Duration::from_millis(srtt),
            rttvar: Duration::ZERO,
            ssthresh: 7_000,
            cwnd,
        }
    }

    #[test]
    fn the_newest_counts_and_windows_are_divided() {
        let check = |open: &[Shared], expect: Option<Shared>| {
            assert_eq!(Shared::beside(open.iter().copied()), expect);
            let turned = open.iter().rev().copied();
            assert_eq!(Shared::beside(turned), expect, "in any order");
        };
        check(&[], None);
        check(&[shared(1, 100, 8_000)], Some(shared(1, 100, 4_000)));
        let two = [shared(1, 100, 8_000), shared(2, 300, 1_000)];
        check(&two, Some(shared(2, 300, 3_000)));
    }
}
