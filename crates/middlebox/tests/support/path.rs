//! The way between a host and the box, one direction of it.

use base::{Duration, Probability, Stream, Time};

use super::Losses;

/// A path: first in, first out unless `jitter` disorders it.
#[derive(Debug)]
pub struct Path {
    /// From the last bit in to the last bit out.
    pub delay: Duration,
    /// A further delay, drawn anew for each packet from 0 to this: packets may overtake.
    pub jitter: Duration,
    /// Bytes per second; `None` is any number.
    pub rate: Option<u64>,
    /// How many bytes may wait for the rate; what comes on top is lost.
    pub queue: u64,
    /// The largest packet in bytes that it takes. Of a larger one an ICMP message tells.
    pub mtu: u64,
    /// Whether larger packets vanish without a message.
    pub vanish: bool,
    /// How likely a packet is lost.
    pub loss: Probability,
    /// Packets that are lost, counted from 0.
    pub lost: Vec<u64>,
    /// Transmissions of segments that are lost.
    pub losses: Option<Losses>,
    /// When nothing gets through.
    pub outages: Vec<Outage>,
    chance: Stream,
    packets: u64,
    free_at: Time,
}

/// A time when nothing gets through.
#[derive(Clone, Copy, Debug)]
pub struct Outage {
    /// Its begin.
    pub from: Time,
    /// Its end.
    pub to: Time,
    /// What becomes of packets meanwhile.
    pub fate: OutageFate,
}

/// What becomes of packets in an outage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OutageFate {
    /// They wait for its end.
    Held,
    /// They are lost.
    Lost,
}

impl Path {
    /// A path that only delays.
    pub fn new(seed: u64, name: &str, delay: Duration) -> Self {
        Self {
            delay,
            jitter: Duration::ZERO,
            rate: None,
            queue: u64::MAX,
            mtu: u64::MAX,
            vanish: false,
            loss: Probability::NEVER,
            lost: Vec::new(),
            losses: None,
            outages: Vec::new(),
            chance: Stream::named(seed, name),
            packets: 0,
            free_at: Time::ZERO,
        }
    }

    /// When a packet of `bytes` that enters now comes out, if it does.
    pub fn carry(&mut self, now: Time, bytes: u64) -> Option<Time> {
        let ordinal = self.packets;
        self.packets += 1;
        let [loss, jitter] = [self.chance.next_u32(), self.chance.next_u32()];
        if self.loss.hit(loss) || self.lost.contains(&ordinal) {
            return None;
        }
        let mut start = now.max(self.free_at);
        for outage in &self.outages {
            if start >= outage.from && start < outage.to {
                match outage.fate {
                    OutageFate::Held => start = outage.to,
                    OutageFate::Lost => return None,
                }
            }
        }
        if let Some(rate) = self.rate {
            let wait = self.free_at.saturating_since(now).as_nanos();
            if u128::from(wait) * u128::from(rate) / 1_000_000_000 > u128::from(self.queue) {
                return None;
            }
            start += Duration::from_nanos(bytes * 1_000_000_000 / rate);
        }
        self.free_at = start;
        let jitter = (u128::from(self.jitter.as_nanos()) * u128::from(jitter)) >> 32;
        Some(start + self.delay + Duration::from_nanos(jitter as u64))
    }
}
