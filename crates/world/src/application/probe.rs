//! Probing: single segments over an open connection, with a pause after each that is long enough
//! for a radio to release its channel, as for figure 1 of Chakravorty et al. 2003.

use std::sync::Arc;

use base::{Duration, Stream, Time};
use observe::{Context, Observe};
use settings::{Bytes, Count, OfTime, section};
use tcp::{Endpoint, Length, Payload, State};

use super::draws::between;
use super::flow::{ENDLESS, NewFlow, Traffic};
use super::stop::{Stop, earlier};
use super::{Program, Sink};
use crate::{Body, MachineId};

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
    in_order(least, most)
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
    stop: Stop,
}

impl Traffic for Probes {
    /// discard (RFC 863).
    const PORT: u16 = 9;

    fn bytes(&self, _: Option<u64>) -> Option<u64> {
        Some(u64::from(self.bytes) * self.count)
    }

    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2] {
        let prober = Prober::new(&Arc::new(self.clone()), flow.chance("probes"), ENDLESS);
        let prober = prober.stopping(flow.stop);
        Self::connect(flow, prober, Sink)
    }
}

impl<P: Payload> Prober<P> {
    /// Pauses by `chance`. `data` is at least as long as a probe.
    pub fn new(probes: &Arc<Probes>, chance: Stream, data: P) -> Self {
        let probes = Arc::clone(probes);
        Self { left: probes.count, probes, chance, data, next: None, stop: Stop::default() }
    }

    /// The same, which sends no new probe from then on.
    #[must_use]
    pub fn stopping(self, at: Option<Time>) -> Self {
        Self { stop: Stop::at(at), ..self }
    }

    /// Draws when the next probe comes, if one is to come.
    fn pause(&mut self, now: Time) {
        let pause = between([self.probes.least, self.probes.most], &mut self.chance);
        self.next = (self.left > 0).then(|| now + pause);
    }
}

impl<P: Payload> Program<P> for Prober<P> {
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
        if self.stop.has_come(cx.now, endpoint) || endpoint.state() != State::Established {
            self.next = None;
            return;
        }
        match self.next {
            None if self.left > 0 => self.pause(cx.now),
            Some(next) if next <= cx.now => {
                endpoint.write(self.data.slice(0, self.probes.bytes.into()));
                self.left -= 1;
                self.pause(cx.now);
                if self.left == 0 {
                    endpoint.close();
                }
            }
            None | Some(_) => {}
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        earlier(self.next, self.stop.poll_timeout())
    }
}
