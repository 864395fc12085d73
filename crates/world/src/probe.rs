//! Probing: single segments over an open connection, with a pause after each that is long enough
//! for a radio to release its channel, as for figure 1 of Chakravorty et al. 2003.

use std::sync::Arc;

use base::{Duration, Stream, Time};
use settings::{Bytes, Count, Fault, OfTime, Table, section};
use tcp::{Endpoint, Payload, State};

use crate::draws::between;

section! {
    /// `[flow.probe]`: single segments with pauses, uniform between two limits. Defaults: figure 1
    /// of chakravorty2003, 1000 packets more than 4 s apart.
    #[derive(Eq)]
    pub struct Probes {
        /// Payload of each: at most that of a segment.
        pub bytes: u32 as Bytes<u32, 1, 65_495> = 500;
        /// The shortest pause before one.
        pub least: Duration as OfTime = Duration::from_secs(4);
        /// The longest pause before one.
        pub most: Duration as OfTime<1> = Duration::from_secs(8);
        /// How many there are.
        pub count: u64 as Count<u64, 1, 1_000_000_000> = 1000;
    }
    check(Self::pauses)
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
    /// When the next comes; the first a pause after the connection is established.
    next: Option<Time>,
}

impl Probes {
    /// Bytes of all of them.
    pub const fn total(&self) -> u64 {
        self.bytes as u64 * self.count
    }

    fn pauses(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.least <= self.most {
            return Ok(());
        }
        let message = format!("{at}.least must not be longer than {at}.most");
        tree.clash_at(at, &["least", "most"], message)
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
        let pause = between([self.probes.least, self.probes.most], &mut self.chance);
        self.next = (self.left > 0).then(|| now + pause);
    }
}
