//! Probing: single segments over an open connection, with so long a pause after each that a radio
//! has let go of its channel, as for figure 1 of Chakravorty et al. 2003.

use std::sync::Arc;

use base::{Duration, Stream, Time};
use tcp::{Endpoint, Payload, State};

use crate::draws::between;

/// What probes are like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probes {
    /// Bytes of payload in each, at most those of a segment.
    pub bytes: u32,
    /// The shortest and the longest pause before each; uniform.
    pub pause: [Duration; 2],
    /// How many there are.
    pub count: u64,
}

/// The end that sends them, and closes after the last.
#[derive(Debug)]
pub struct Prober<P> {
    probes: Arc<Probes>,
    chance: Stream,
    /// What they are made of.
    data: P,
    /// Probes to come.
    left: u64,
    /// When the next comes; the first a pause after the connection stands.
    next: Option<Time>,
}

impl Probes {
    /// Bytes of all of them.
    pub const fn total(&self) -> u64 {
        self.bytes as u64 * self.count
    }
}

impl<P: Payload> Prober<P> {
    /// Pauses by `chance`. `data` is at least as long as a probe.
    pub(crate) fn new(probes: &Arc<Probes>, chance: &Stream, data: P) -> Self {
        let (probes, chance) = (Arc::clone(probes), chance.clone());
        Self { left: probes.count, probes, chance, data, next: None }
    }

    pub(crate) fn run(&mut self, now: Time, endpoint: &mut Endpoint<P>) {
        if endpoint.state() != State::Established {
            return;
        }
        match self.next {
            None if self.left > 0 => self.pause(now),
            Some(next) if next <= now => {
                endpoint.write(self.data.slice(0, self.probes.bytes.into()));
                self.left -= 1;
                self.pause(now);
                if self.left == 0 {
                    endpoint.close();
                }
            }
            None | Some(_) => {}
        }
    }

    pub(crate) const fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    /// Draws when the next probe comes, if one is to come.
    fn pause(&mut self, now: Time) {
        let pause = between(self.probes.pause, &mut self.chance);
        self.next = (self.left > 0).then(|| now + pause);
    }
}
