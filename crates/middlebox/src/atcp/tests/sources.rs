//! Sources of packets that the box does not read.

use base::{Duration, Ecn, Time};

use super::pipe::{Event, Pipe};
use crate::{Address, Aside, Leg, Opaque, RadioLeg, Reception, Release};

/// A source of packets that the box does not read, which does not hear of losses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub(super) flow: u32,
    pub(super) bytes: u32,
    pub(super) period: Duration,
    pub(super) ecn: Ecn,
    pub(super) dscp: u8,
}

/// Fate of a packet that the box does not read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offered {
    pub(super) source: u32,
    /// Time at which it came to the box, and at which it left.
    pub(super) at: Time,
    pub(super) released: Option<(Time, Release)>,
    /// Time at which it is at the mobile.
    pub(super) arrived: Option<Time>,
}

impl Pipe {
    /// Begins to send what the box does not read.
    pub(super) fn offer(&mut self, source: Source) -> u32 {
        let number = self.sources.len() as u32;
        self.sources.push(source);
        self.post(self.now, Event::Offered(number));
        number
    }

    pub(super) fn offered(&mut self, number: u32) {
        let Source { flow, bytes, period, ecn, dscp } = self.sources[number as usize];
        let packet = Opaque {
            number: self.offered.len() as u32,
            source: Address { leg: Leg::Wired, host: 1 },
            destination: Address { leg: Leg::Radio, host: 9 },
            flow,
            ports: None,
            dscp,
            bytes,
            ecn,
        };
        let at = self.now;
        self.offered.push(Offered { source: number, at, released: None, arrived: None });
        let reception = self.call(|leg, cx| leg.handle_opaque(cx, 0, &packet));
        assert_eq!(reception, Reception::Waits);
        self.post(self.now + period, Event::Offered(number));
    }

    /// Transmission of what the box lets go that it does not read.
    pub(super) fn released(&mut self) {
        while let Some(aside) = self.leg.poll_aside() {
            let (number, release) = match aside {
                Aside::Packet(number, release) => (number, release),
                Aside::Echo(_, number) => {
                    self.echoes += 1;
                    if self.answers
                        && let Some(at) = self.carry(32)
                    {
                        self.post(at + self.radio.uplink_delay, Event::Echo(number));
                    }
                    continue;
                }
            };
            let offered = self.offered[number as usize];
            assert!(offered.released.is_none(), "each is let go once");
            let bytes = u64::from(self.sources[offered.source as usize].bytes);
            let arrived = (!release.is_loss()).then(|| self.carry(bytes)).flatten();
            let released = Some((self.now, release));
            self.offered[number as usize] = Offered { released, arrived, ..offered };
        }
    }
}
