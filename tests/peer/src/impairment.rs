//! What befalls packets on a wire that is no good: loss, repetition, disorder, delay.

use std::collections::BTreeMap;

use base::{Duration, Probability, Stream, Time};
use serde::Serialize;

/// How a wire treats packets.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Impairments {
    /// How long a packet is on its way.
    pub delay: Duration,
    /// A packet is lost.
    pub loss: Probability,
    /// A packet arrives twice.
    pub duplication: Probability,
    /// A packet is late, so that others overtake it.
    pub reordering: Probability,
    /// By how much a late packet is late, at most.
    pub lateness: Duration,
}

/// What befell the packets that came in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counters {
    /// All of them.
    pub packets: u64,
    /// Those lost.
    pub lost: u64,
    /// Those that were to arrive twice.
    pub twice: u64,
    /// Those that were late.
    pub late: u64,
}

/// One direction of a wire. What befalls the n-th packet is a function of the seed, the name and
/// n: each kind of mishap has its own stream, and every packet draws from all of them.
#[derive(Debug)]
pub struct ImpairedWire<T> {
    impairments: Impairments,
    loss: Stream,
    duplication: Stream,
    reordering: Stream,
    lateness: Stream,
    counters: Counters,
    /// Packets on their way, by when they arrive; at the same time, in the order in which they
    /// left.
    held: BTreeMap<(Time, u64), T>,
    left: u64,
}

impl<T: Clone> ImpairedWire<T> {
    /// The wire called `name`, empty.
    pub fn new(impairments: &Impairments, seed: u64, name: &str) -> Self {
        let stream = |kind| Stream::named(seed, &format!("{name}/{kind}"));
        Self {
            impairments: *impairments,
            loss: stream("loss"),
            duplication: stream("duplication"),
            reordering: stream("reordering"),
            lateness: stream("lateness"),
            counters: Counters::default(),
            held: BTreeMap::new(),
            left: 0,
        }
    }

    /// Takes in a packet.
    pub fn handle_input(&mut self, now: Time, packet: T) {
        let Impairments { delay, loss, duplication, reordering, lateness } = self.impairments;
        self.counters.packets += 1;
        let late = self.lateness.next_f64() * lateness.as_secs_f64();
        let is_late = reordering.hit(self.reordering.next_u32());
        let twice = duplication.hit(self.duplication.next_u32());
        if loss.hit(self.loss.next_u32()) {
            self.counters.lost += 1;
            return;
        }
        if twice {
            self.counters.twice += 1;
            self.hold(now + delay, packet.clone());
        }
        self.counters.late += u64::from(is_late);
        let late = if is_late { Duration::from_secs_f64(late) } else { Duration::ZERO };
        self.hold(now + delay + late, packet);
    }

    /// The next packet that has arrived by `now`.
    #[must_use]
    pub fn poll_output(&mut self, now: Time) -> Option<T> {
        let first = self.held.first_entry().filter(|first| first.key().0 <= now)?;
        Some(first.remove())
    }

    /// When the next packet arrives; `None` while none is on its way.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.held.first_key_value().map(|(&(arrives, _), _)| arrives)
    }

    /// What befell packets so far.
    pub const fn counters(&self) -> Counters {
        self.counters
    }

    fn hold(&mut self, arrives: Time, packet: T) {
        self.held.insert((arrives, self.left), packet);
        self.left += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: u32 = 100_000;
    const GAP: Duration = Duration::from_micros(100);
    const GOOD: Impairments = Impairments {
        delay: Duration::from_millis(5),
        loss: Probability::NEVER,
        duplication: Probability::NEVER,
        reordering: Probability::NEVER,
        lateness: Duration::from_millis(1),
    };

    /// What comes out of `COUNT` numbered packets.
    fn through(impairments: &Impairments) -> Vec<u32> {
        let mut wire = ImpairedWire::new(impairments, 1, "test");
        let mut out = Vec::new();
        for number in 0..COUNT {
            let now = Time::ZERO + GAP * u64::from(number);
            out.extend(std::iter::from_fn(|| wire.poll_output(now)));
            wire.handle_input(now, number);
        }
        while let Some(now) = wire.poll_timeout() {
            out.extend(wire.poll_output(now));
        }
        out
    }

    fn percent(value: f64) -> Probability {
        Probability::new(value / 100.0).expect("at most 100 %")
    }

    #[test]
    fn a_good_wire_keeps_all_in_order_and_takes_its_time() {
        assert!(through(&GOOD).into_iter().eq(0..COUNT));
        let mut wire = ImpairedWire::new(&GOOD, 1, "test");
        wire.handle_input(Time::ZERO, ());
        assert_eq!(wire.poll_timeout(), Some(Time::ZERO + GOOD.delay));
        assert_eq!(wire.poll_output(Time::ZERO), None);
    }

    #[test]
    fn each_mishap_befalls_as_many_as_it_should() {
        let near = |count: usize, expect: usize| assert!(count.abs_diff(expect) < 200, "{count}");
        let lossy = through(&Impairments { loss: percent(2.0), ..GOOD });
        near(lossy.len(), 98_000);
        assert!(lossy.is_sorted());
        let double = through(&Impairments { duplication: percent(2.0), ..GOOD });
        near(double.len(), 102_000);
        assert!(double.is_sorted());
        let disordered = through(&Impairments { reordering: percent(2.0), ..GOOD });
        assert_eq!(disordered.len(), COUNT as usize);
        // A tenth of the late ones is late by less than a gap.
        near(disordered.windows(2).filter(|pair| pair[0] > pair[1]).count(), 1_800);
    }

    #[test]
    fn mishaps_of_one_kind_do_not_shift_those_of_another() {
        let lossy = through(&Impairments { loss: percent(2.0), ..GOOD });
        let both = Impairments { loss: percent(2.0), duplication: percent(5.0), ..GOOD };
        let mut once = through(&both);
        once.dedup();
        assert_eq!(once, lossy);
    }
}
