//! The least of `umts-dch-384`: one flow over dedicated channels, with RLC in acknowledged mode.

use std::collections::VecDeque;

use crate::tcp::{Receiver, Sender};

const MS: u64 = 1_000_000;

/// Between host and base station.
const WIRED: u64 = 25_400_000;

/// Payload bytes of a PDU.
const PDU: u32 = 40;

/// A status report follows the last no sooner.
const PROHIBIT: u64 = 60 * MS;

/// PDUs that may be outstanding, at half of which the receiver is polled.
const WINDOW: u64 = 4095;

/// One direction of the channel: what waits, and the state of its RLC.
struct Channel {
    tti: u64,
    /// PDUs in a TTI.
    blocks: u32,
    /// The SDUs that wait: bytes that are left of each, and its number.
    waiting: VecDeque<(u32, u64)>,
    /// SDUs that are whole at the far end when their TTI ends, and when that is.
    arriving: VecDeque<(u64, u64)>,
    /// VT(S) and VT(A).
    sent: u64,
    acked: u64,
    /// When the receiver may next report, and whether it has to.
    may_report: u64,
    has_to_report: bool,
    /// When the next TTI begins in which there is something to send.
    tick: u64,
}

impl Channel {
    fn new(tti: u64, blocks: u32) -> Self {
        Self {
            tti,
            blocks,
            waiting: VecDeque::new(),
            arriving: VecDeque::new(),
            sent: 0,
            acked: 0,
            may_report: 0,
            has_to_report: false,
            tick: u64::MAX,
        }
    }

    fn push(&mut self, now: u64, bytes: u32, number: u64) {
        self.waiting.push_back((bytes, number));
        self.wake(now);
    }

    fn wake(&mut self, now: u64) {
        self.tick = self.tick.min((now / self.tti + 1) * self.tti);
    }

    fn arrival(&self) -> u64 {
        self.arriving.front().map_or(u64::MAX, |(at, _)| *at)
    }

    /// One TTI, in which so many PDUs are reports. True if the receiver was polled.
    fn send(&mut self, now: u64, reports: u32) -> bool {
        let room = (self.blocks - reports).min((WINDOW - (self.sent - self.acked)) as u32);
        let mut pdus = 0;
        let mut free = 0;
        while let Some((left, number)) = self.waiting.front_mut() {
            // What does not fit into the PDU that is begun goes on in more of them.
            if *left > free {
                let more = (*left - free).div_ceil(PDU).min(room - pdus);
                let taken = (free + more * PDU).min(*left);
                *left -= taken;
                pdus += more;
                free = free + more * PDU - taken;
            } else {
                free -= *left;
                *left = 0;
            }
            if *left > 0 {
                break;
            }
            // The length indicator.
            free = free.saturating_sub(1);
            self.arriving.push_back((now + self.tti, *number));
            self.waiting.pop_front();
            if free == 0 && pdus == room {
                break;
            }
        }
        self.sent += u64::from(pdus);
        self.tick = if self.waiting.is_empty() { u64::MAX } else { now + self.tti };
        pdus > 0 && (self.waiting.is_empty() || self.sent - self.acked >= WINDOW / 2)
    }
}

/// How many segments are acknowledged in so many seconds.
pub(crate) fn run(seconds: u64) -> u64 {
    let (mut sender, mut receiver) = (Sender::new(), Receiver::default());
    let (mut down, mut up) = (Channel::new(10 * MS, 12), Channel::new(20 * MS, 4));
    // Between host and base station, with the times at which they are there.
    let (mut forth, mut back) = (VecDeque::new(), VecDeque::new());
    let first = |queue: &VecDeque<(u64, u64)>| queue.front().map_or(u64::MAX, |(at, _)| *at);
    let (mut now, end) = (0, seconds * 1000 * MS);
    while now <= end {
        while let Some(number) = sender.send(now) {
            forth.push_back((now + WIRED, number));
        }
        let wired = first(&forth).min(first(&back));
        let radio = down.arrival().min(up.arrival()).min(down.tick).min(up.tick);
        now = wired.min(radio);
        if now == first(&back) {
            let (_, acked) = back.pop_front().expect("it is first");
            sender.ack(now, acked);
        } else if now == first(&forth) {
            let (_, number) = forth.pop_front().expect("it is first");
            down.push(now, 553, number);
        } else if now == down.arrival() {
            let (_, number) = down.arriving.pop_front().expect("it is first");
            up.push(now, 41, receiver.receive(number));
        } else if now == up.arrival() {
            back.push_back(
                up.arriving
                    .pop_front()
                    .map(|(_, acked)| (now + WIRED, acked))
                    .expect("it is first"),
            );
        } else if now == down.tick {
            turn(&mut down, &mut up, now);
        } else {
            turn(&mut up, &mut down, now);
        }
    }
    sender.acked
}

/// A TTI of `channel`, which also reports what has come over the `other` one.
fn turn(channel: &mut Channel, other: &mut Channel, now: u64) {
    let reports = other.has_to_report && other.may_report <= now;
    if reports {
        other.has_to_report = false;
        other.may_report = now + PROHIBIT;
        other.acked = other.sent;
    }
    if channel.send(now, u32::from(reports)) {
        channel.has_to_report = true;
        other.wake(channel.may_report.max(now));
    }
}
