//! The least of `plain-384`: one flow over a link of 384 kbit/s and 60 ms.

use std::collections::VecDeque;

use crate::tcp::{Receiver, Sender};

const DELAY: u64 = 60_000_000;

/// Of a segment with headers of 40 B, and of an acknowledgement, at 384 kbit/s.
const SEGMENT: u64 = 552 * 8 * 1_000_000_000 / 384_000;
const ACK: u64 = 40 * 8 * 1_000_000_000 / 384_000;

/// Packets on their way over one direction of the link: when each arrives, and its number.
#[derive(Default)]
struct Link {
    packets: VecDeque<(u64, u64)>,
    free: u64,
}

impl Link {
    fn push(&mut self, now: u64, duration: u64, number: u64) {
        self.free = self.free.max(now) + duration;
        self.packets.push_back((self.free + DELAY, number));
    }

    fn arrival(&self) -> u64 {
        self.packets.front().map_or(u64::MAX, |(at, _)| *at)
    }
}

/// How many segments are acknowledged in so many seconds.
pub(crate) fn run(seconds: u64) -> u64 {
    let (mut sender, mut receiver) = (Sender::new(), Receiver::default());
    let (mut forth, mut back) = (Link::default(), Link::default());
    let (mut now, end) = (0, seconds * 1_000_000_000);
    while now <= end {
        while let Some(number) = sender.send(now) {
            forth.push(now, SEGMENT, number);
        }
        now = forth.arrival().min(back.arrival());
        if now == forth.arrival() {
            if let Some((_, number)) = forth.packets.pop_front() {
                back.push(now, ACK, receiver.receive(number));
            }
        } else if let Some((_, acked)) = back.packets.pop_front() {
            sender.ack(now, acked);
        }
    }
    sender.acked
}
