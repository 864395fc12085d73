//! Whole transfers over a bottleneck, in integers, and beside them what ns-2.35 counts on the
//! same link (`precisionReduce_` off, `minrto_` 1 s, all else its defaults).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use base::{Duration, Rate, Seq, Time, Transmitter};
use observe::{Context, Observe, TcpFact};
use tcp::{Config, Endpoint, Length, Payload, Segment, Variant};

const MSS: u32 = 512;
const DELAY: Duration = Duration::from_millis(60);
const END: Time = Time::from_nanos(300_000_000_000);

/// What a transfer comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    /// Segments that arrived in order.
    delivered: u64,
    retransmissions: u64,
    timeouts: u64,
    /// Windows cut: fast retransmissions and timeouts.
    cuts: u64,
}

impl Observe for Counts {
    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        match fact {
            TcpFact::Data { delivered, .. } => self.delivered = delivered / u64::from(MSS),
            TcpFact::Sent { transmission, .. } => {
                self.retransmissions += u64::from(transmission > 1);
            }
            TcpFact::Timeout { .. } => {
                self.timeouts += 1;
                self.cuts += 1;
            }
            TcpFact::FastRetransmit { .. } => self.cuts += 1,
            TcpFact::Established { .. }
            | TcpFact::Acked { .. }
            | TcpFact::Rtt(_)
            | TcpFact::BaseRtt { .. }
            | TcpFact::Window { .. }
            | TcpFact::Limited { .. }
            | TcpFact::Closed { .. } => {}
        }
    }
}

/// One direction: a rate, a delay, and a queue that drops its tail, the packet in transmission
/// counted.
struct Link {
    transmitter: Transmitter,
    free: Time,
    leaving: VecDeque<Time>,
    limit: usize,
}

impl Link {
    fn new(rate: u64, limit: usize) -> Self {
        let transmitter = Transmitter::new(Rate::from_bps(rate));
        Self { transmitter, free: Time::ZERO, leaving: VecDeque::new(), limit }
    }

    /// When a packet of `bytes` arrives at the other end, unless it is dropped.
    fn send(&mut self, now: Time, bytes: u32) -> Option<Time> {
        while self.leaving.front().is_some_and(|&time| time <= now) {
            self.leaving.pop_front();
        }
        if self.leaving.len() >= self.limit {
            return None;
        }
        self.free = self.free.max(now) + self.transmitter.transmit(bytes);
        self.leaving.push_back(self.free);
        Some(self.free + DELAY)
    }
}

/// A transfer without end over a link; `header` is what a data packet has beside its payload.
fn transfer(variant: Variant, header: u32, rate: u64, limit: usize, window: u32) -> Counts {
    let config = Arc::new(Config {
        variant,
        mss: MSS,
        window,
        tick: Duration::from_millis(10),
        limited_transmit: true,
        ..Config::plain()
    });
    let mut counts = Counts::default();
    let mut sides = [
        Endpoint::<Length>::connect(0, &config, 1, 2, Seq::new(u32::MAX - 1_000_000)),
        Endpoint::<Length>::listen(1, &config, 2, 1, Seq::new(7)),
    ];
    sides[0].write(Length(1 << 40));
    let mut links = [Link::new(rate, limit), Link::new(rate, limit)];
    let mut way: BTreeMap<(Time, u64), (usize, Segment<Length>)> = BTreeMap::new();
    let (mut now, mut packets) = (Time::ZERO, 0);
    while now <= END {
        for side in 0..2 {
            while let Some(segment) =
                sides[side].poll_output(&mut Context { now, observe: &mut counts })
            {
                let payload = segment.payload.length() as u32;
                let bytes = if payload == 0 { 40 } else { payload + header };
                if let Some(arrival) = links[side].send(now, bytes) {
                    packets += 1;
                    way.insert((arrival, packets), (1 - side, segment));
                }
            }
        }
        let arrival = way.keys().next().map(|&(time, _)| time);
        let timers = sides.each_ref().map(Endpoint::poll_timeout);
        now = [arrival, timers[0], timers[1]].into_iter().flatten().min().expect("it goes on");
        if arrival == Some(now)
            && let Some((_, (side, segment))) = way.pop_first()
        {
            sides[side].handle_segment(&mut Context { now, observe: &mut counts }, &segment);
            while sides[side].read().is_some() {}
        } else {
            for side in &mut sides {
                side.handle_timeout(&mut Context { now, observe: &mut counts });
            }
        }
    }
    counts
}

#[test]
fn transfers_come_to_what_ns2_counts() {
    let counts = |[delivered, retransmissions, timeouts, cuts]: [u64; 4]| Counts {
        delivered,
        retransmissions,
        timeouts,
        cuts,
    };
    let check = |variant: Variant, rate, limit, window, golden: [u64; 4], ns2: [u64; 4]| {
        // ns-2 sends Vegas's segments without a header.
        let header = if variant == Variant::Vegas { 0 } else { 40 };
        let actual = transfer(variant, header, rate, limit, window);
        assert_eq!(actual, counts(golden), "{rate} bit/s, queue {limit}, window {window}");
        let off = |actual: u64, expect: u64, margin: u64| actual.abs_diff(expect) > margin;
        let ns2 = counts(ns2);
        assert!(!off(actual.delivered, ns2.delivered, ns2.delivered / 400), "ns-2: {ns2:?}");
        assert!(!off(actual.retransmissions, ns2.retransmissions, 2), "ns-2: {ns2:?}");
        assert!(!off(actual.timeouts, ns2.timeouts, 0), "ns-2: {ns2:?}");
        assert!(!off(actual.cuts, ns2.cuts, 1), "ns-2: {ns2:?}");
    };
    check(Variant::Reno, 384_000, 100, 64, [26_051, 0, 0, 0], [26_045, 0, 0, 0]);
    check(Variant::Reno, 384_000, 20, 64, [25_874, 121, 1, 62], [25_874, 121, 1, 62]);
    check(Variant::Reno, 384_000, 8, 64, [24_846, 166, 1, 141], [24_840, 166, 1, 141]);
    check(Variant::Reno, 384_000, 8, 20, [20_508, 180, 1, 180], [20_502, 180, 1, 180]);
    check(Variant::Reno, 64_000, 20, 64, [4_294, 61, 1, 20], [4_293, 61, 1, 20]);
    check(Variant::Reno, 64_000, 8, 20, [4_316, 92, 1, 75], [4_316, 91, 1, 75]);
    check(Variant::Reno, 800_000, 10, 64, [49_637, 159, 1, 112], [49_638, 157, 1, 112]);
    check(Variant::Vegas, 384_000, 100, 64, [28_062, 0, 0, 0], [28_052, 0, 0, 0]);
    check(Variant::Vegas, 64_000, 8, 64, [4_683, 0, 0, 0], [4_680, 0, 0, 0]);
    check(Variant::Vegas, 800_000, 100, 64, [58_304, 0, 0, 0], [58_398, 0, 0, 0]);
}
