//! From `[wlan]` and `[queue]` to the configuration of the wireless access.

use base::{Stream, Time};
use link::queue::Queues;
use mobility::handover;
use mobility::motion::{Leg, Motion, Position};
use radio::wlan::{self, Air, DataRate, Loss, Preamble, Station, WlanConfig};

use crate::{
    AccessName, AccessPoint, DataRateName, MobileIp, MobileNode, PreambleName, Scenario, Wlan,
    WlanHandoverName, WlanLossName,
};

/// What results call it.
pub(crate) const ACCESS: &str = "WLAN";

/// MAC header with three addresses, FCS (IEEE 802.11-2012 §8.2.3) and LLC/SNAP.
const OVERHEAD_BYTES: u32 = 24 + 4 + 8;

/// The speeds of mobiles that are only counted: walkers and runners.
const SPEEDS: [f64; 2] = [1.0, 5.0];

impl Scenario {
    /// The names of the mobiles of `[wlan]`, and where each is when.
    pub fn motions(&self) -> Vec<(String, Motion)> {
        let (Some(wlan), Some(mobile_ip)) = (&self.wlan, &self.mobile_ip) else {
            return Vec::new();
        };
        let stations = wlan.stations(mobile_ip, self.seed).into_iter();
        stations.map(|(name, station)| (name, station.motion)).collect()
    }
}

impl Wlan {
    /// How many mobiles there are.
    pub(crate) fn count(&self) -> usize {
        self.mobile.len() + self.mobiles as usize
    }

    /// The parameters of all, with `queue` at access points and mobiles.
    pub(crate) fn config(&self, queue: &Queues) -> WlanConfig {
        WlanConfig {
            rate: self.rate.rate(),
            basic_rate: self.basic_rate.rate(),
            preamble: match self.preamble {
                PreambleName::Long => Preamble::Long,
                PreambleName::Short => Preamble::Short,
            },
            overhead_bytes: OVERHEAD_BYTES,
            access: match self.access {
                AccessName::ContentionFree => wlan::Access::ContentionFree,
                AccessName::CsmaCa => {
                    wlan::Access::CsmaCa { cw_min: self.cw_min, cw_max: self.cw_max }
                }
            },
            retry_limit: self.retry_limit,
            loss: match self.loss {
                WlanLossName::None => Loss::None,
                WlanLossName::FromPlace => Loss::FromPlace,
            },
            air: Air {
                power_dbm: self.power,
                frequency_ghz: self.frequency,
                noise_dbm: self.noise,
                range_m: self.range,
            },
            downlink: queue.forth(),
            uplink: queue.back(),
            hold_limit: self.hold_limit,
            handover: handover::Config {
                mode: match self.handover {
                    WlanHandoverName::BreakBeforeMake => handover::Mode::BreakBeforeMake,
                    WlanHandoverName::MakeBeforeBreak => handover::Mode::MakeBeforeBreak,
                },
                hysteresis_db: self.hysteresis,
                time_to_trigger: self.time_to_trigger,
                switch_time: self.switch_time,
                anticipation: self.anticipation,
            },
            beacon_interval: self.beacon_interval,
        }
    }

    /// The access points.
    pub(crate) fn points(&self) -> Vec<wlan::AccessPoint> {
        let point = |AccessPoint { name, position, .. }: &AccessPoint| wlan::AccessPoint {
            name: name.clone(),
            position: place(*position),
        };
        self.access_point.iter().map(point).collect()
    }

    /// The names of the mobiles and how they move.
    pub(crate) fn stations(&self, mobile_ip: &MobileIp, seed: u64) -> Vec<(String, Station)> {
        let named = self.mobile.iter().map(|mobile| {
            let station = Station { motion: mobile.motion() };
            (mobile.name.clone(), station)
        });
        let walkers = (0..self.mobiles).map(|number| self.walker(number, mobile_ip, seed));
        named.chain(walkers).collect()
    }

    /// The rate of data frames in bit/s.
    pub fn rate_bps(&self) -> u64 {
        self.rate.rate().bps()
    }

    /// A mobile that walks to and fro, a source of chance of its own.
    fn walker(&self, number: u32, mobile_ip: &MobileIp, seed: u64) -> (String, Station) {
        let name = format!("MN-{number}");
        let mut chance = Stream::named(seed, &format!("{name}/walk"));
        let mut away = self.access_point.iter().filter(|point| !mobile_ip.is_home(point));
        let first = away.next().map_or(Position::default(), |point| place(point.position));
        let last = away.next_back().map_or(first, |point| place(point.position));
        let along = |share: f64| {
            let (x, y) = (last.x - first.x, last.y - first.y);
            Position::new(first.x + x * share, first.y + y * share)
        };
        let [slowest, fastest] = SPEEDS;
        let pace = slowest + (fastest - slowest) * chance.next_f64();
        let start = along(chance.next_f64());
        (name, Station { motion: Motion::to_and_fro(start, [first, last], pace) })
    }
}

impl DataRateName {
    const fn rate(self) -> DataRate {
        match self {
            Self::Mbps1 => DataRate::Mbps1,
            Self::Mbps2 => DataRate::Mbps2,
            Self::Mbps5_5 => DataRate::Mbps5_5,
            Self::Mbps11 => DataRate::Mbps11,
        }
    }
}

impl MobileNode {
    fn motion(&self) -> Motion {
        let leg =
            |way: &crate::Way| Leg::new(place(way.to), way.speed).not_before(Time::ZERO + way.at);
        let legs: Vec<_> = self.walk.iter().map(leg).collect();
        Motion::along(place(self.position), &legs)
    }
}

const fn place([x, y]: [f64; 2]) -> Position {
    Position::new(x, y)
}
