//! Bearers of a mobile: what is sent first.

use base::{Direction, Duration, Rate};
use link::queue;

use super::config::ScheduledConfig;
use crate::Sdu;
use crate::channel::UeConfig;
use crate::rlc36::{self, Contents, Dtch, DtchConfig, Reordering};

/// The set-up of a bearer (TS 36.300 §13.1).
#[derive(Clone, PartialEq, Debug)]
pub struct BearerConfig {
    /// The name; `None` of the default bearer, which carries what no other does.
    pub(crate) name: Option<String>,
    /// The code point of the packets that it carries.
    pub(crate) dscp: Option<u8>,
    /// The priority: lower numbers are first.
    pub(crate) priority: u8,
    /// The rate up to which it has its priority; `None` is any.
    pub(crate) guaranteed: Option<Rate>,
    /// Link control.
    pub(crate) rlc: rlc36::Rlc36Config,
    /// The queues ahead of it, downlink and uplink.
    pub queues: [queue::Config; 2],
    /// An SDU that has waited longer for its first transmission is discarded.
    pub(crate) discard: Option<Duration>,
}

impl BearerConfig {
    /// The priority of the default bearer, and the last one (TS 23.203 table 6.1.7).
    pub(crate) const DEFAULT_PRIORITY: u8 = 9;
}

/// A bearer of a mobile in one direction.
#[derive(Debug)]
pub(super) struct Bearer<T> {
    pub(super) dtch: Dtch<T>,
    /// The part of it in the block of each process of hybrid ARQ.
    pub(super) parts: Box<[Contents]>,
    /// The code point that it is for.
    pub(super) dscp: Option<u8>,
    priority: u8,
    credit: Option<Credit>,
}

/// The rest of a guaranteed rate, in bytes (TS 36.321 §5.4.3.1: `Bj`).
#[derive(Clone, Copy, Debug)]
struct Credit {
    /// The bytes that a slot adds.
    each: f64,
    /// The most bytes that there are.
    most: f64,
    /// The bytes that there were in `slot`.
    left: f64,
    slot: u64,
}

impl Credit {
    /// The time for which it grows without being used (bucketSizeDuration). Our choice.
    const GROWS: Duration = Duration::from_millis(100);

    fn new(rate: Rate, slot: Duration) -> Self {
        let bytes = |time: Duration| rate.as_bps() as f64 / 8.0 * time.as_secs_f64();
        Self { each: bytes(slot), most: bytes(Self::GROWS), left: 0.0, slot: 0 }
    }

    fn at(&self, slot: u64) -> f64 {
        (self.left + self.each * slot.saturating_sub(self.slot) as f64).min(self.most)
    }
}

impl<T: Sdu> Bearer<T> {
    /// Bearer `of` a mobile.
    pub(super) fn new(
        direction: Direction,
        config: &ScheduledConfig,
        of: &BearerConfig,
        ue: &UeConfig,
        seed: u64,
    ) -> Self {
        let name = match &of.name {
            Some(own) => format!("{}/{}/{own}", ue.name, direction.name()),
            None => format!("{}/{}", ue.name, direction.name()),
        };
        let place = direction as usize;
        let dtch = DtchConfig {
            queue: &of.queues[place],
            rlc: &of.rlc,
            sdu_header: config.headers.sdu,
            discard: of.discard,
            largest: config.largest(direction, of),
            reordering: config.reordering.map(Reordering::new),
        };
        Self {
            dtch: Dtch::new(direction, dtch, seed, &name),
            parts: vec![Contents::empty(); config.harq.processes as usize].into(),
            dscp: of.dscp,
            priority: of.priority,
            credit: of.guaranteed.map(|rate| Credit::new(rate, config.slot)),
        }
    }

    /// True if it has its priority in `slot`: not beyond what is guaranteed.
    pub(super) fn is_due(&self, slot: u64) -> bool {
        self.credit.is_none_or(|credit| credit.at(slot) >= 0.0)
    }

    /// Its priority in `slot`.
    pub(super) fn priority(&self, slot: u64) -> u8 {
        if self.is_due(slot) { self.priority } else { BearerConfig::DEFAULT_PRIORITY }
    }

    /// It has sent `bytes` in `slot`.
    pub(super) fn take(&mut self, slot: u64, bytes: u64) {
        if let Some(credit) = &mut self.credit {
            (credit.left, credit.slot) = (credit.at(slot) - bytes as f64, slot);
        }
    }
}
