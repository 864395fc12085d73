//! The two socket buffers of a connection: of the size that is set, or as large as it needs.
//!
//! A send buffer has room for twice what is in flight, as in Linux (`tcp_sndbuf_expand`). A receive
//! buffer has room for four times what passes through it in a round trip of its leg (dynamic
//! right-sizing, Fisk and Feng, LACSI 2001; `tcp_rcv_space_adjust`): a host in slow start sends
//! twice as much in the next round trip, and learns a round trip later how much more it may send.
//! What has passed counts when the other leg has delivered it. Linux counts what the relay takes
//! out, so that its buffer also grows while a send buffer fills ahead of a thin pipe.

use base::{Duration, Time};
use settings::{Absent, Bytes, Or, section};

use crate::{Admission, RadioLink};

section! {
    /// `[middlebox.split]`: the two sockets that i-tcp and split have for a connection.
    #[derive(Copy, Eq)]
    pub struct SocketBuffers {
        /// Bytes of the socket towards the sender's host. auto begins with 87,380 B and grows to
        /// 6,291,456 B as needed, Linux's default and most of `tcp_rmem`. Default: Linux's.
        pub receive_buffer: Option<u64> as Or<Auto, Bytes<u64, 1, 1_073_741_824>> = None;
        /// Bytes of the socket towards the mobile. auto begins with 131,072 B, the most of
        /// `tcp_wmem` in Linux 2.4, and grows to 4,194,304 B as needed, its most today. Default:
        /// Linux's.
        pub send_buffer: Option<u64> as Or<Auto, Bytes<u64, 1, 1_073_741_824>> = None;
    }
}

/// `auto`.
pub(crate) struct Auto;

impl Absent for Auto {
    const WORD: &'static str = "auto";
}

/// Bytes that a buffer begins with, and the most that it grows to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BufferRange {
    /// At the start.
    pub(crate) first: u64,
    /// At most.
    pub(crate) most: u64,
}

/// Linux's `tcp_rmem`, default and most.
const RECEIVE: BufferRange = BufferRange { first: 87_380, most: 6_291_456 };

/// Linux's `tcp_wmem`: the most of Linux 2.4, and of today.
const SEND: BufferRange = BufferRange { first: 131_072, most: 4_194_304 };

/// Segments that a receive buffer has beside what a round trip brings (`tcp_rcv_space_adjust`).
const SPARE: u64 = 16;

impl SocketBuffers {
    /// Buffers of fixed sizes.
    pub const fn fixed(receive: u64, send: u64) -> Self {
        Self { receive_buffer: Some(receive), send_buffer: Some(send) }
    }

    /// The receive buffer's size.
    pub(crate) fn receive(&self) -> BufferRange {
        self.receive_buffer.map_or(RECEIVE, |bytes| BufferRange { first: bytes, most: bytes })
    }

    /// The send buffer's size.
    pub(crate) fn send(&self) -> BufferRange {
        self.send_buffer.map_or(SEND, |bytes| BufferRange { first: bytes, most: bytes })
    }

    /// Bytes of both at the start.
    pub fn first_bytes(&self) -> u64 {
        self.receive().first + self.send().first
    }

    /// A warning, if a connection with segments of `mss` bytes cannot fill `radio`: both buffers
    /// together hold what is under way.
    pub(crate) fn warning(&self, mss: u16, radio: &RadioLink) -> Option<String> {
        let (receive, send) = (self.receive().most, self.send().most);
        if receive < u64::from(mss) {
            return Some(format!(
                "middlebox.split.receive_buffer of {receive} B holds no segment of {mss} B: name a \
                 larger one, or auto"
            ));
        }
        let (product, most) = (radio.product()?, receive + send);
        (most < product).then(|| {
            format!(
                "middlebox.split.receive_buffer and send_buffer hold {most} B at most, and \
                 rate · round_trip is {product} B: no connection fills the radio. Name larger ones"
            )
        })
    }
}

/// The buffers of one connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sockets {
    /// Bytes of the socket towards the sender's host.
    pub(super) receive: u64,
    /// Bytes of the socket towards the receiver.
    pub(super) send: u64,
    keys: SocketBuffers,
    mss: u64,
    round: Round,
}

/// A round trip of the leg towards the sender's host.
#[derive(Clone, Copy, Debug)]
struct Round {
    length: Duration,
    ends: Time,
    /// The offset below which everything was delivered when the round began.
    from: u64,
}

impl Sockets {
    /// The buffers of a connection whose leg towards the sender's host has this `round_trip` and
    /// segments of up to `mss` bytes.
    pub(super) fn new(keys: SocketBuffers, now: Time, round_trip: Duration, mss: u64) -> Self {
        let (receive, send) = (keys.receive().first, keys.send().first);
        let round = Round { length: round_trip, ends: now + round_trip, from: 0 };
        Self { receive, send, keys, mss, round }
    }

    /// Bytes beyond those at the start.
    pub(super) fn grown(&self) -> u64 {
        self.receive + self.send - self.keys.first_bytes()
    }

    /// The right edge, with `written` bytes taken in, of which `delivered` have arrived. What the
    /// relay has not yet moved to the send buffer stays in the receive buffer.
    pub(super) fn edge(&self, written: u64, delivered: u64) -> u64 {
        written.min(delivered + self.send) + self.receive
    }

    /// Grows as far as the connection needs and `admission` permits: `delivered` bytes of it have
    /// arrived, and `in_flight` are under way.
    pub(super) fn grow(
        &mut self,
        now: Time,
        delivered: u64,
        in_flight: u64,
        admission: &Admission,
    ) {
        let send = (2 * in_flight).min(self.keys.send().most).max(self.send);
        let passing = self.passing(now, delivered);
        let receive = passing.min(self.keys.receive().most).max(self.receive);
        let (before, now) = (self.send + self.receive, send + receive);
        if now > before && admission.lend(before, now - before) {
            (self.receive, self.send) = (receive, send);
        }
    }

    /// The receive buffer that the round that ends now asks for, or none.
    fn passing(&mut self, now: Time, delivered: u64) -> u64 {
        if now < self.round.ends {
            return 0;
        }
        let passed = delivered - self.round.from;
        self.round = Round { ends: now + self.round.length, from: delivered, ..self.round };
        4 * passed + SPARE * self.mss
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MiddleboxLimits;

    const MSS: u64 = 1_000;

    /// Delivers `bytes` in each of `rounds` round trips of 100 ms.
    fn after(keys: SocketBuffers, bytes: u64, rounds: u64, limits: MiddleboxLimits) -> Sockets {
        let (round_trip, admission) = (Duration::from_millis(100), Admission::new(limits));
        let mut sockets = Sockets::new(keys, Time::ZERO, round_trip, MSS);
        for round in 1..=rounds {
            let now = Time::ZERO + round_trip * round;
            sockets.grow(now, round * bytes, bytes, &admission);
        }
        sockets
    }

    #[test]
    fn buffers_hold_what_a_connection_needs() {
        let check = |keys: SocketBuffers, bytes, rounds, expect: (u64, u64)| {
            let Sockets { receive, send, .. } = after(keys, bytes, rounds, MiddleboxLimits::NONE);
            assert_eq!((receive, send), expect, "{keys:?} {bytes} {rounds}");
        };
        let auto = SocketBuffers::default();
        check(auto, 0, 9, (87_380, 131_072));
        check(auto, 17_000, 9, (87_380, 131_072));
        check(auto, 18_000, 1, (88_000, 131_072));
        check(auto, 18_000, 9, (88_000, 131_072));
        check(auto, 1_000_000, 9, (4_016_000, 2_000_000));
        check(auto, 9_000_000, 9, (6_291_456, 4_194_304));
        check(SocketBuffers::fixed(20_000, 10_000), 1_000_000, 9, (20_000, 10_000));
        let receive = SocketBuffers { receive_buffer: Some(20_000), ..auto };
        check(receive, 1_000_000, 9, (20_000, 2_000_000));
    }

    /// An eighth of what is left of half the limit.
    #[test]
    fn buffers_grow_as_far_as_limits_permit() {
        let limits = |bytes| MiddleboxLimits { bytes, ..MiddleboxLimits::NONE };
        let keys = SocketBuffers { receive_buffer: Some(20_000), send_buffer: None };
        assert_eq!(after(keys, 100_000, 9, limits(3_520_000)).grown(), 68_928);
        assert_eq!(after(keys, 100_000, 9, limits(3_519_000)).grown(), 0);
    }
}
