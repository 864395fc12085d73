//! What a connection can learn from others between the same hosts (RFC 9040).

use base::{Duration, Time};
use cc::{CarefulResume, Controller, Limits, Retained};
use settings::words;

use crate::{Config, Endpoint, Payload, State};

words! {
    /// From which connections to the same host a new one learns.
    pub enum ShareState {
        /// From none.
        Off = "off",
        /// From the one that ended last (RFC 9040 §6.1, temporal sharing).
        Temporal = "temporal",
        /// From those that are open (§6.2, ensemble sharing).
        Ensemble = "ensemble",
        /// From the one that ended last, half of its window, once the path has shown to be the same
        /// (careful resume, RFC 9959).
        Careful = "careful",
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
    /// Knowledge that careful resume leaves to the next connection.
    pub retained: Retained,
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

    /// The limits of a connection that begins with this (RFC 9040 §6).
    pub(crate) fn over(&self, limits: &Limits) -> Limits {
        let segments =
            |bytes: u64| (bytes / u64::from(limits.mss)).min(u64::from(limits.maximum_window));
        let initial_ssthresh = segments(self.ssthresh).max(2) as u32;
        let initial_window = segments(self.cwnd).max(1) as u32;
        // RFC 5681 §3.1: one segment after a lost SYN.
        let has_lost_syn = limits.initial_window <= 1;
        let initial_window = if has_lost_syn { limits.initial_window } else { initial_window };
        Limits { initial_ssthresh, initial_window, ..*limits }
    }
}

impl Config {
    /// A controller that begins with what other connections know.
    pub(crate) fn first_controller(
        &self,
        limits: &Limits,
        shared: Option<&Shared>,
    ) -> Box<dyn Controller> {
        if self.share_state != ShareState::Careful {
            let limits = shared.map_or(*limits, |shared| shared.over(limits));
            return self.controller_within(&limits);
        }
        // The initial window is smaller where the handshake met congestion (RFC 9959 §3.2).
        let is_calm = limits.initial_window >= self.first_window();
        let saved = shared.filter(|_| is_calm).and_then(|shared| match shared.retained {
            Retained::Path(path) => Some(path),
            Retained::Nothing | Retained::Deleted => None,
        });
        let inner = self.controller_within(limits);
        Box::new(CarefulResume::new(inner, limits, self.resume_lifetime, saved))
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

    /// True if it uses what one connection at a time may use (RFC 9959 §4.2).
    pub fn resumes(&self) -> bool {
        self.config.share_state == ShareState::Careful && self.sender.has_inherited()
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
            retained: Retained::Nothing,
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
