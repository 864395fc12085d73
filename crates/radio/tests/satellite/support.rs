//! A bearer, and what comes out of it.

use base::{Direction, Duration, Rate, Schedule, Time};
use link::{Dropped, queue};
use observe::{Context, DropReason};
use radio::Output;
use radio::satellite::{
    Access, Air, Carrier, Change, Orbit, Passing, Path, SatelliteBearer, SatelliteConfig,
};

pub(crate) use crate::support::Packet;
pub(crate) use crate::support::cell::{at, ms};

/// The first shell of Starlink, with a gateway nearby.
pub(crate) const SHELL: Orbit = Orbit { altitude: 550_000.0, elevation: 25.0, gateway: 300_000.0 };

/// Satellites of that shell, another after each `slot`.
pub(crate) fn passing(slot: Duration) -> Air {
    Air::Passing(Passing { orbit: SHELL, slot, detour: Duration::ZERO })
}

/// 8 Mbit/s down, 800 kbit/s up, 100 ms of way.
pub(crate) fn config() -> SatelliteConfig {
    let carrier =
        |bps| Carrier { rate: Schedule::constant(Some(Rate::from_bps(bps))), access: Access::Own };
    SatelliteConfig {
        carriers: [carrier(8_000_000), carrier(800_000)],
        queues: [queue::Config::UNLIMITED; 2],
        path: Path { air: Air::Fixed(ms(90)), ground: Schedule::constant(ms(10)), reorders: false },
        gaps: Vec::new(),
        bursts: None,
        change: Change::default(),
    }
}

/// What became of a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fate {
    Delivered,
    /// At random.
    Lost,
    /// On its way when the satellite changed.
    CutOff,
    /// By a queue.
    Dropped,
}

/// A packet that came out: when, in which direction, and its number.
pub(crate) type Exit = (Time, Direction, u32, Fate);

/// A bearer with a log of what came out.
pub(crate) struct Run {
    pub(crate) bearer: SatelliteBearer<Packet>,
    pub(crate) exits: Vec<Exit>,
    numbers: u32,
}

impl Run {
    pub(crate) fn new(config: &SatelliteConfig, seed: u64) -> Self {
        Self { bearer: SatelliteBearer::new(0, config, seed, "Sat"), exits: Vec::new(), numbers: 0 }
    }

    /// Hands in a packet and says its number.
    pub(crate) fn send(&mut self, now: Time, direction: Direction, bytes: u32) -> u32 {
        self.until(now);
        let number = self.numbers;
        self.numbers += 1;
        let taken = self.bearer.handle_input(
            &mut Context { now, observe: &mut () },
            direction,
            Packet { number, bytes },
        );
        if taken.is_err() {
            self.exits.push((now, direction, number, Fate::Dropped));
        }
        self.drain(now);
        number
    }

    /// How many packets of `direction` had this fate.
    pub(crate) fn count(&self, direction: Direction, fate: Fate) -> u64 {
        let out = self.exits.iter().filter(|exit| exit.1 == direction && exit.3 == fate);
        out.count() as u64
    }

    /// Lets time pass.
    pub(crate) fn until(&mut self, end: Time) {
        while let Some(now) = self.bearer.poll_timeout().filter(|now| *now <= end) {
            self.bearer.handle_timeout(&mut Context { now, observe: &mut () });
            self.drain(now);
        }
    }

    fn drain(&mut self, time: Time) {
        while let Some((direction, output)) = self.bearer.poll_output() {
            let (packet, fate) = match output {
                Output::Delivered(packet) => (packet, Fate::Delivered),
                Output::Discarded(packet) => panic!("nobody gives up {packet:?}"),
                Output::Dropped(Dropped { packet, reason }) => match reason {
                    DropReason::Loss => (packet, Fate::Lost),
                    DropReason::Outage => (packet, Fate::CutOff),
                    reason => {
                        assert_eq!(reason, DropReason::Queue);
                        (packet, Fate::Dropped)
                    }
                },
            };
            self.exits.push((time, direction, packet.number, fate));
        }
    }

    /// Whether nothing is due any more.
    pub(crate) fn is_idle(&self) -> bool {
        self.bearer.poll_timeout().is_none()
    }
}
