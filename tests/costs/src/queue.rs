//! Packets through a queue.

use std::hint::black_box;

use base::{Duration, Ecn, Time};
use link::queue::{self, Disciplines, Kind, Notice, Queue, Transmission, droptail::Limit};
use link::{Counters, Load};

/// A packet of a flow, every other of them of L4S.
#[derive(Clone, Copy, Debug)]
struct Packet {
    flow: u64,
    ecn: Ecn,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        1500
    }

    fn mark(&mut self) -> bool {
        self.ecn.mark()
    }

    fn is_l4s(&self) -> bool {
        self.ecn.is_l4s()
    }

    fn flow(&self) -> u64 {
        self.flow
    }
}

/// A queue in which `waiting` packets are kept, of as many flows as are asked for.
#[derive(Debug)]
pub(crate) struct Stream {
    queue: Queue<Packet>,
    counters: Counters,
    flows: u32,
    waiting: usize,
    number: u32,
}

impl Stream {
    pub(crate) fn new(kind: Kind, flows: u32, waiting: usize) -> Self {
        let config = queue::Config {
            limit: Limit { packets: None, bytes: None },
            discipline: Disciplines::default().of(kind),
            notice: Notice::Mark,
        };
        let (queue, counters) = (Queue::new(&config, 1, "costs"), Counters::default());
        Self { queue, counters, flows, waiting, number: 0 }
    }

    /// One packet in, and the next out if that are too many: one each 100 us, 120 Mbit/s.
    pub(crate) fn packet(&mut self) {
        self.number += 1;
        let now = Time::ZERO + Duration::from_micros(100) * u64::from(self.number);
        let ecn = if self.number.is_multiple_of(2) { Ecn::L4s } else { Ecn::Capable };
        let packet = Packet { flow: u64::from(self.number % self.flows), ecn };
        let pushed = self.queue.push(now, packet, Transmission::default(), &mut self.counters);
        black_box(pushed).ok();
        while self.queue.len() > self.waiting {
            black_box(self.queue.pop(now, &mut self.counters));
        }
        while black_box(self.queue.poll_gone()).is_some() {}
    }
}
