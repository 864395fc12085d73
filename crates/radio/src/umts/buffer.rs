//! A manager of the buffer ahead of the radio that knows the rate from RRC, named as future work in
//! Hynderick and Raes 2004 §VII.

use base::Duration;
use settings::{Factor, Fault, OfTime, Or, Table, Word, as_key, section, words};

use link::queue::Backlog;

use super::Blocks;
use super::keys::Missing;

/// Gives each flow the buffer space that suits the channel's rate, now or soon.
///
/// A flow may have as much waiting as its share of the channel carries in `factor` round-trip
/// times: of a bandwidth-delay product (BDP) that is shared evenly among the flows that have
/// something waiting. RRC gives it the rate, and planned changes of rate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct BufferManager {
    /// The round-trip time of the path without its queue.
    pub rtt: Duration,
    /// How many BDPs a flow may have waiting, by its class: those of the first, third, … flow of a
    /// direction and of the others.
    pub factors: [f64; 2],
    /// In which order what waits is sent.
    pub service: Service,
    /// How long ahead of a change of rate the coming rate counts.
    pub anticipation: Duration,
}

section! {
    /// `[radio.buffer]`: a manager of the queue ahead of the radio that knows the channel's rate
    /// from RRC. `[queue]` still bounds what it grants.
    pub struct Buffer {
        /// The manager that gives each flow its buffer space. Default: nothing, `[queue]` alone
        /// counts.
        pub manager: Manager as Word<Manager> = Manager::Off;
        /// The round-trip time of the path without its queue; required by `bdp`.
        pub rtt: Option<Duration> as Or<Missing, OfTime<1>> = None;
        /// The classes of the flows.
        pub class: Class as Word<Class> = Class::Bulk;
        /// How many bandwidth-delay products (BDP) a bulk flow may have waiting. Default: one
        /// (Villamizar and Song 1994).
        pub bulk: f64 as Factor = 1.0;
        /// How many an interactive flow may have waiting. Default: half of one, our choice.
        pub interactive: f64 as Factor = 0.5;
        /// In which order what waits is sent.
        pub service: Service as Word<Service> = Service::InOrder;
        /// How long ahead of a change of rate the coming rate counts. Default: one round trip, so
        /// that the senders have reacted when it comes.
        pub anticipation: Option<Duration> as Or<as_key::Rtt, OfTime> = None;
    }
    check(Self::check)
}

words! {
    /// What gives each flow its buffer space.
    pub enum Manager {
        /// Nothing.
        Off = "off",
        /// Its share of the channel's rate over a round-trip time, by class.
        Bdp = "bdp",
    }
}

words! {
    /// The classes of flows.
    pub enum Class {
        /// Throughput.
        Bulk = "bulk",
        /// Short waits.
        Interactive = "interactive",
        /// Bulk and interactive in turn, in the order in which the flows begin.
        Mixed = "mixed",
    }
}

words! {
    /// In which order what waits is sent.
    pub enum Service {
        /// As it came.
        InOrder = "in-order",
        /// The flows in turn, a packet each (RFC 970).
        InTurn = "in-turn",
    }
}

impl Buffer {
    fn check(&self, tree: &Table, at: &str) -> Result<(), Fault> {
        if self.manager == Manager::Bdp && self.rtt.is_none() {
            let message = format!("{at}.manager = bdp needs {at}.rtt, as in rtt = \"150 ms\"");
            return tree.clash_at(at, &["manager"], message);
        }
        Ok(())
    }

    /// The manager, if there is one.
    pub(super) fn config(&self) -> Option<BufferManager> {
        let rtt = match self.manager {
            Manager::Off => None,
            Manager::Bdp => self.rtt,
        }?;
        let factors = match self.class {
            Class::Bulk => [self.bulk; 2],
            Class::Interactive => [self.interactive; 2],
            Class::Mixed => [self.bulk, self.interactive],
        };
        let anticipation = self.anticipation.unwrap_or(rtt);
        Some(BufferManager { rtt, factors, service: self.service, anticipation })
    }
}

impl BufferManager {
    /// The bytes that the flow at `place` may have waiting, one of `flows` that wait.
    pub(crate) fn room(&self, bdp: f64, place: usize, flows: u32) -> f64 {
        self.factors[place % 2] * bdp / f64::from(flows.max(1))
    }

    /// True if an SDU of `bytes` fits in `room` in addition to what is `waiting` of its flow. Three
    /// always fit, so that a flow can go on at any rate.
    pub(crate) fn admits(room: f64, waiting: Backlog, bytes: u32) -> bool {
        waiting.packets < LEAST || (waiting.bytes + u64::from(bytes)) as f64 <= room
    }

    /// The bytes that `blocks` of `payload` bytes in each TTI carry in a round-trip time.
    pub(crate) fn bdp(&self, blocks: Blocks, payload: u32, tti: Duration) -> f64 {
        let ttis = self.rtt.as_secs_f64() / tti.as_secs_f64();
        blocks.mean() * f64::from(payload) * ttis
    }
}

/// How many SDUs a flow may always have waiting, including the one being sent: enough for the
/// duplicate acknowledgements of a fast retransmit (RFC 5681 §3.2).
const LEAST: u32 = 3;

#[cfg(test)]
mod tests {
    use base::Rate;

    use super::*;

    const TTI: Duration = Duration::from_millis(10);

    fn manager(factor: f64) -> BufferManager {
        let rtt = Duration::from_millis(200);
        let (factors, service) = ([factor, factor / 2.0], Service::InOrder);
        BufferManager { rtt, factors, service, anticipation: Duration::ZERO }
    }

    #[test]
    fn a_bdp_is_rate_times_round_trip_time() {
        let check = |kbps: u64, payload, expect: f64| {
            let blocks = Blocks::of_rate(Rate::from_bps(kbps * 1000), TTI, payload).expect("few");
            let bdp = manager(1.0).bdp(blocks, payload, TTI);
            assert!((bdp - expect).abs() < 1e-9, "{kbps} kbit/s: {bdp}");
        };
        check(384, 40, 9600.0);
        check(30, 60, 750.0);
        check(480, 60, 12_000.0);
    }

    #[test]
    fn flows_have_the_factors_in_turn() {
        let rooms = [0, 1, 2, 3].map(|place| manager(1.0).room(6000.0, place, 2) as u32);
        assert_eq!(rooms, [3000, 1500, 3000, 1500]);
    }

    #[test]
    fn each_flow_has_its_share_and_never_less_than_three() {
        let check = |factor, flows, packets, waiting: u64, expect| {
            let share = Backlog { packets, bytes: waiting };
            let room = manager(factor).room(6000.0, 0, flows);
            let admits = BufferManager::admits(room, share, 1500);
            assert_eq!(admits, expect, "{factor} of {flows} flows, {packets} wait");
        };
        check(1.0, 1, 3, 4500, true);
        check(1.0, 1, 3, 4501, false);
        check(1.0, 2, 3, 1500, true);
        check(1.0, 2, 3, 1501, false);
        check(1.0, 9, 2, 3000, true);
        check(1.0, 9, 3, 4500, false);
        check(0.0, 1, 0, 0, true);
        check(2.0, 1, 7, 10_500, true);
        check(0.5, 1, 3, 1500, true);
        check(0.5, 1, 3, 1501, false);
    }
}
