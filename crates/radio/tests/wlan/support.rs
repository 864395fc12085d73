//! A small network, and what comes out of it when.

use base::{Duration, Time};
use link::{Dropped, queue};
use mobility::handover::{LinkChange, Mode};
use mobility::motion::{Leg, Motion, Position};
use radio::wlan::{AccessPoint, DataRate, End, Loss, Output, Wlan, WlanKeys};

pub(crate) use crate::support::Packet;

pub(crate) const fn micros(micros: u64) -> Time {
    Time::from_nanos(micros * 1_000)
}

pub(crate) const fn millis(millis: u64) -> Time {
    micros(millis * 1_000)
}

pub(crate) const fn packets(limit: u32) -> queue::Config {
    queue::Config {
        limit: queue::droptail::Limit { packets: Some(limit), bytes: None },
        ..queue::Config::UNLIMITED
    }
}

/// The usual values, without losses.
pub(crate) fn config() -> WlanKeys {
    WlanKeys {
        basic_rate: DataRate::Mbps1,
        loss: Loss::None,
        range: 100.0,
        hold_limit: 20,
        handover: Mode::BreakBeforeMake,
        hysteresis: 3.0,
        switch_time: Duration::from_nanos(123_456_789),
        ..WlanKeys::default()
    }
}

/// `count` access points in a row, 150 m apart: their ranges of 100 m overlap by 50 m.
pub(crate) fn row(count: u32) -> Vec<AccessPoint> {
    let point = |number| AccessPoint {
        name: format!("AP-{number}"),
        position: [f64::from(number) * 150.0, 0.0],
    };
    (0..count).map(point).collect()
}

pub(crate) fn resting(x: f64) -> Motion {
    Motion::resting(Position::new(x, 10.0))
}

/// From `start` to `end` along the row at `speed` m/s.
pub(crate) fn walking(start: f64, end: f64, speed: f64) -> Motion {
    let leg = Leg::new(Position::new(end, 0.0), speed);
    Motion::along(Position::new(start, 0.0), &[leg])
}

/// What happened, and when in ns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Event {
    pub(crate) time: Time,
    pub(crate) output: Output<Packet>,
}

/// A network and the log of what came out of it.
pub(crate) struct Net {
    pub(crate) wlan: Wlan<Packet>,
    pub(crate) log: Vec<Event>,
}

impl Net {
    pub(crate) fn new(config: &WlanKeys, points: u32, stations: &[Motion]) -> Self {
        Self::with_queues(config, packets(50), points, stations)
    }

    pub(crate) fn with_queues(
        config: &WlanKeys,
        queue: queue::Config,
        points: u32,
        stations: &[Motion],
    ) -> Self {
        let config = WlanKeys { access_point: row(points), ..config.clone() };
        let mut net = Self { wlan: Wlan::new(&config, [queue; 2], stations, 1), log: Vec::new() };
        net.poll(Time::ZERO);
        net
    }

    /// Takes out what has come out by `now`.
    pub(crate) fn poll(&mut self, time: Time) {
        while let Some(output) = self.wlan.poll_output() {
            self.log.push(Event { time, output });
        }
    }

    /// Lets time pass.
    pub(crate) fn run(&mut self, until: Time) {
        while let Some(due) = self.wlan.poll_timeout().filter(|due| *due <= until) {
            self.wlan.handle_timeout(due);
            self.poll(due);
        }
    }

    /// Hands in packets at `now`, to `station` by way of `point`.
    pub(crate) fn down(
        &mut self,
        now: Time,
        point: u32,
        station: u32,
        packet: Packet,
    ) -> Result<(), Dropped<Packet>> {
        self.run(now);
        let taken = self.wlan.handle_downlink(now, point, station, packet);
        self.poll(now);
        taken
    }

    /// From `station` by way of the access point that it prefers.
    pub(crate) fn up(
        &mut self,
        now: Time,
        station: u32,
        packet: Packet,
    ) -> Result<(), Dropped<Packet>> {
        self.run(now);
        let taken = self.wlan.handle_uplink(now, station, None, packet);
        self.poll(now);
        taken
    }

    /// When each packet arrived where, in ns.
    pub(crate) fn delivered(&self) -> Vec<(u64, End, u32)> {
        let of = |event: &Event| match event.output {
            Output::Delivered { at, sdu, .. } => Some((event.time.as_nanos(), at, sdu.number)),
            Output::Dropped(_) | Output::Link { .. } => None,
        };
        self.log.iter().filter_map(of).collect()
    }

    /// When each packet was dropped and why.
    pub(crate) fn dropped(&self) -> Vec<(u64, observe::DropReason, u32)> {
        let of = |event: &Event| match event.output {
            Output::Dropped(Dropped { packet, reason }) => {
                Some((event.time.as_nanos(), reason, packet.number))
            }
            Output::Delivered { .. } | Output::Link { .. } => None,
        };
        self.log.iter().filter_map(of).collect()
    }

    /// When links changed and how.
    pub(crate) fn links(&self) -> Vec<(u64, LinkChange)> {
        let of = |event: &Event| match event.output {
            Output::Link { event: change, .. } => Some((event.time.as_nanos(), change)),
            Output::Delivered { .. } | Output::Dropped(_) => None,
        };
        self.log.iter().filter_map(of).collect()
    }
}
