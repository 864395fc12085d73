//! Delayed duplicate acknowledgements: the third and later ones wait, in the hope that the radio
//! repairs the loss by itself.
//!
//! Vaidya, Mehta, Perkins and Montenegro, "Delayed duplicate acknowledgements: a TCP-unaware
//! approach to improve performance of TCP over wireless", Wireless Communications and Mobile
//! Computing 2(1), 2002. There the mobile's TCP waits; here the box does so in its place, so that
//! hosts stay as they are.

use std::collections::VecDeque;

use base::{Duration, Time};
use settings::{Always, OfTime, section};
use tcp::Payload;

use crate::follow::{Agreed, Disposition, Follow, Following, Heard, Load, Port, Progress};
use crate::{Managed, Packet, SchemeKeys, Setup};

/// A box that delays duplicate acknowledgements.
pub type DelayedDupacks<P> = Following<P, DelayedDupacksFlow<P>>;

/// Duplicates that pass at once (Vaidya et al.: the first two).
const PASSING: u32 = 2;

/// The most duplicates that wait; one more replaces the oldest.
const MOST_HELD: usize = 128;

section! {
    /// `[middlebox]` of delayed-dupacks.
    pub struct DelayedDupacksKeys {
        /// Duplicate acknowledgements that wait.
        pub delayed_dupacks: DelayedDupacksConfig as Always<DelayedDupacksConfig> =
            DelayedDupacksConfig::default();
    }
}

section! {
    /// `[middlebox.delayed_dupacks]`: duplicate acknowledgements that wait for the radio's own
    /// repairs.
    #[derive(Copy, Eq)]
    pub struct DelayedDupacksConfig {
        /// How long the third and later ones wait. Default: a few round trips of GPRS's RLC, of
        /// 120 to 200 ms each.
        pub delay: Duration as OfTime<1> = Duration::from_millis(600);
    }
}

impl SchemeKeys for DelayedDupacksKeys {
    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        setup.following::<P, DelayedDupacksFlow<P>>(self.delayed_dupacks)
    }
}

/// What is kept of one direction of a connection.
#[derive(Debug)]
pub struct DelayedDupacksFlow<P> {
    delay: Duration,
    progress: Progress,
    duplicates: u32,
    held: VecDeque<Packet<P>>,
    patience: Patience,
}

/// Whether further duplicates of an acknowledgement wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Patience {
    /// None has had to wait yet.
    Fresh,
    /// Until then.
    Until(Time),
    /// No repair came while they waited; they pass.
    Lost,
}

impl<P: Payload + Send> Follow<P> for DelayedDupacksFlow<P> {
    type Config = DelayedDupacksConfig;

    fn open(config: &DelayedDupacksConfig, agreed: &Agreed) -> Self {
        Self {
            delay: config.delay,
            progress: Progress::new(agreed),
            duplicates: 0,
            held: VecDeque::new(),
            patience: Patience::Fresh,
        }
    }

    fn handle_data(&mut self, packet: &mut Packet<P>, _port: &mut Port<'_, P>) -> Disposition {
        self.progress.handle_data(&packet.segment);
        Disposition::Forward
    }

    fn handle_ack(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        match self.progress.handle_ack(&packet.segment) {
            Heard::New(..) => {
                for _ in std::mem::take(&mut self.held) {
                    port.suppressed();
                }
                self.duplicates = 0;
                self.patience = Patience::Fresh;
                Disposition::Forward
            }
            Heard::Duplicate => self.handle_duplicate(packet, port),
            Heard::Again | Heard::Old | Heard::Nothing => Disposition::Forward,
        }
    }

    fn handle_timeout(&mut self, port: &mut Port<'_, P>) {
        for packet in std::mem::take(&mut self.held) {
            port.send(packet);
        }
        self.patience = Patience::Lost;
    }

    fn release(&mut self, port: &mut Port<'_, P>) {
        self.handle_timeout(port);
    }

    fn poll_timeout(&self) -> Option<Time> {
        match self.patience {
            Patience::Until(deadline) => Some(deadline),
            Patience::Fresh | Patience::Lost => None,
        }
    }

    fn load(&self) -> Load {
        Load {
            in_flight: self.progress.outstanding(),
            cwnd: self.progress.window,
            ..Load::default()
        }
    }
}

impl<P: Payload> DelayedDupacksFlow<P> {
    fn handle_duplicate(&mut self, packet: &Packet<P>, port: &mut Port<'_, P>) -> Disposition {
        self.duplicates = self.duplicates.saturating_add(1);
        if self.duplicates <= PASSING || self.patience == Patience::Lost {
            return Disposition::Forward;
        }
        if self.patience == Patience::Fresh {
            self.patience = Patience::Until(port.now + self.delay);
        }
        if self.held.len() == MOST_HELD {
            self.held.pop_front();
            port.suppressed();
        }
        self.held.push_back(packet.clone());
        Disposition::Keep
    }
}
