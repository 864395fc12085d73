//! Sums of stats: over profiles of the same name, that of the configuration and those that it has
//! replaced, and over workers.

use std::cmp::Reverse;

use crate::{
    ClassStats, Flows, Fragments, Histogram, LegStats, Mobile, ProfileStats, Reason, Snapshot,
    Volume,
};

impl Snapshot {
    /// Adds what another worker of the same proxy has counted and holds.
    pub fn add(&mut self, other: Self) {
        self.draining |= other.draining;
        add_volume(&mut self.received, other.received);
        add_volume(&mut self.sent, other.sent);
        for (reasons, more) in [
            (&mut self.bypassed, &other.bypassed),
            (&mut self.dropped, &other.dropped),
            (&mut self.icmp, &other.icmp),
        ] {
            add_reasons(reasons, more);
        }
        let Fragments { received, completed, failed, held, held_bytes } = other.fragments;
        self.fragments.received += received;
        self.fragments.completed += completed;
        self.fragments.failed += failed;
        self.fragments.held += held;
        self.fragments.held_bytes += held_bytes;
        self.cut += other.cut;
        self.stripped += other.stripped;
        self.limit_bytes += other.limit_bytes;
        self.journal_places += other.journal_places;
        self.profiles.extend(other.profiles);
        self.profiles = merged(&self.profiles);
    }
}

/// Leaves the `most` mobiles with the most bytes queued and in flight, in that order.
pub fn busiest(mobiles: &mut Vec<Mobile>, most: usize) {
    mobiles.sort_by_key(|it| (Reverse(it.queued_bytes + it.in_flight_bytes), it.address));
    mobiles.truncate(most);
}

/// One of each name, in the order in which they first come. A reload gives a profile that it
/// changes a new box under the old name, beside the one for established connections.
pub fn merged(profiles: &[ProfileStats]) -> Vec<ProfileStats> {
    let mut merged: Vec<ProfileStats> = Vec::new();
    for profile in profiles {
        match merged.iter_mut().find(|other| other.name == profile.name) {
            Some(other) => add(other, profile),
            None => merged.push(profile.clone()),
        }
    }
    merged
}

/// Name, scheme and budget of `sum` stay.
pub(crate) fn add(sum: &mut ProfileStats, other: &ProfileStats) {
    let counts = [
        (&mut sum.flows.opening, other.flows.opening),
        (&mut sum.flows.open, other.flows.open),
        (&mut sum.connections.taken, other.connections.taken),
        (&mut sum.connections.bypassed, other.connections.bypassed),
        (&mut sum.connections.released, other.connections.released),
        (&mut sum.connections.reset, other.connections.reset),
        (&mut sum.syns.seen, other.syns.seen),
        (&mut sum.syns.held, other.syns.held),
        (&mut sum.syns.refused, other.syns.refused),
        (&mut sum.syns.displaced, other.syns.displaced),
        (&mut sum.stalls, other.stalls),
        (&mut sum.stalled_mobiles, other.stalled_mobiles),
        (&mut sum.mobiles, other.mobiles),
        (&mut sum.queued_bytes, other.queued_bytes),
        (&mut sum.in_flight_bytes, other.in_flight_bytes),
        (&mut sum.cwnd_bytes, other.cwnd_bytes),
        (&mut sum.held_bytes, other.held_bytes),
        (&mut sum.zero_windows, other.zero_windows),
        (&mut sum.timeouts, other.timeouts),
        (&mut sum.suppressed_acks, other.suppressed_acks),
        (&mut sum.discarded_bytes, other.discarded_bytes),
    ];
    for (count, more) in counts {
        *count += more;
    }
    for more in &other.others {
        match sum.others.iter_mut().find(|class| class.name == more.name) {
            Some(class) => add_class(class, more),
            None => sum.others.push(more.clone()),
        }
    }
    sum.echoes.sent += other.echoes.sent;
    sum.echoes.answered += other.echoes.answered;
    sum.retired &= other.retired;
    sum.stalled_seconds += other.stalled_seconds;
    sum.held_max_bytes = sum.held_max_bytes.max(other.held_max_bytes);
    add_leg(&mut sum.wired, &other.wired);
    add_leg(&mut sum.radio, &other.radio);
}

/// What is left of a profile's box once it is gone: its counters.
pub(crate) fn counters(of: ProfileStats) -> ProfileStats {
    ProfileStats {
        flows: Flows::default(),
        stalled_mobiles: 0,
        mobiles: 0,
        queued_bytes: 0,
        in_flight_bytes: 0,
        cwnd_bytes: 0,
        held_bytes: 0,
        others: of.others.into_iter().map(at_rest).collect(),
        ..of
    }
}

/// A class of which nothing waits.
fn at_rest(of: ClassStats) -> ClassStats {
    ClassStats { waiting: Volume::default(), ..of }
}

pub(crate) fn add_class(sum: &mut ClassStats, other: &ClassStats) {
    add_volume(&mut sum.received, other.received);
    add_volume(&mut sum.sent, other.sent);
    add_volume(&mut sum.waiting, other.waiting);
    sum.marked += other.marked;
    sum.late += other.late;
    sum.crowded += other.crowded;
    add_times(&mut sum.waited, &other.waited);
}

fn add_leg(sum: &mut LegStats, other: &LegStats) {
    add_volume(&mut sum.received, other.received);
    add_volume(&mut sum.sent, other.sent);
    sum.retransmissions += other.retransmissions;
    add_times(&mut sum.round_trip, &other.round_trip);
}

fn add_reasons(sum: &mut [Reason], other: &[Reason]) {
    for more in other {
        let same = sum.iter_mut().find(|each| each.reason == more.reason);
        if let Some(each) = same {
            each.packets += more.packets;
        }
    }
}

fn add_volume(sum: &mut Volume, other: Volume) {
    sum.packets += other.packets;
    sum.bytes += other.bytes;
}

fn add_times(sum: &mut Histogram, other: &Histogram) {
    for (count, more) in sum.counts.iter_mut().zip(other.counts) {
        *count += more;
    }
    sum.sum_ns = sum.sum_ns.saturating_add(other.sum_ns);
}
