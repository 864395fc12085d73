//! Stats of a gateway.

use base::Time;

use super::Gateway;
use crate::merged::{add, busiest};
use crate::served::{ProfileStatus, Served};
use crate::{Fragments, Mobile, ProfileStats, Snapshot};

impl Gateway {
    /// All stats, for metrics and status.
    pub fn snapshot(&self, now: Time) -> Snapshot {
        let tallies = &self.tallies;
        let fragments = Fragments {
            failed: tallies.fragments.failed + self.fragments.expired(),
            held: self.fragments.pieces(),
            held_bytes: self.fragments.bytes(),
            ..tallies.fragments
        };
        Snapshot {
            version: env!("CARGO_PKG_VERSION").into(),
            draining: self.draining,
            received: tallies.received,
            sent: tallies.sent,
            bypassed: tallies.bypasses.reasons().collect(),
            dropped: tallies.drops.reasons().collect(),
            icmp: tallies.icmp.reasons().collect(),
            fragments,
            cut: tallies.cut,
            stripped: tallies.stripped,
            limit_bytes: self.config.limits.bytes,
            journal_places: self.journal_places(),
            profiles: self
                .boxes
                .iter(&self.config)
                .map(|served| self.all_of(now, served))
                .collect(),
        }
    }

    /// Handshakes that have given way to newer ones.
    pub fn displaced(&self) -> u64 {
        let past = self.past.iter().map(|past| past.syns.displaced);
        self.boxes.each().map(|served| served.stats.counted.syns.displaced).chain(past).sum()
    }

    /// The stats of a box; one of the configuration continues the counters of earlier ones of its
    /// name.
    fn all_of(&self, now: Time, served: &Served) -> ProfileStats {
        let mut stats = stats(now, served);
        let is_its = |past: &&ProfileStats| !stats.retired && past.name == stats.name;
        if let Some(past) = self.past.iter().find(is_its) {
            add(&mut stats, past);
        }
        stats
    }

    /// The mobiles that have connections: at most `most`, those with the most waiting first.
    pub fn mobiles(&self, now: Time, most: usize) -> Vec<Mobile> {
        let mut mobiles: Vec<_> = self
            .boxes
            .each()
            .flat_map(|served| served.stats.mobiles(now, &served.profile.name))
            .collect();
        busiest(&mut mobiles, most);
        mobiles
    }
}

pub(super) fn stats(now: Time, served: &Served) -> ProfileStats {
    let Served { profile, machine, stats, status, .. } = served;
    let budget = profile.middlebox.keys().and_then(middlebox::SchemeKeys::budget);
    ProfileStats {
        name: profile.name.clone(),
        scheme: profile.middlebox.name().into(),
        role: profile.role().name().into(),
        retired: *status == ProfileStatus::Retired,
        budget_bytes: budget.map_or(0, |(_, bytes)| bytes),
        ..stats.report(now, &machine.counters(), machine.usage())
    }
}
