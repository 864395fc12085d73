//! What has to be done about a connection whose box fails.

use base::{Flags, Seq, TcpHeader, Timestamps};

use crate::Connection;

/// A connection that would hang if its box were gone: one of its ends believes that data were
/// delivered which were not. These are the numbers with which both can be reset in each other's
/// name (RFC 9293 §3.10.7.4, RFC 5961 §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exposure {
    /// As packets of its caller name it.
    pub connection: Connection,
    /// The number that the callee expects next of the caller, once everything that left the box has
    /// arrived.
    pub caller_next: Seq,
    /// What the caller itself has acknowledged so far, whatever the callee was told.
    pub caller_acked: Seq,
    /// The number that the caller expects next of the callee, once everything that left the box has
    /// arrived.
    pub callee_next: Seq,
    /// What the callee itself has acknowledged so far, whatever the caller was told.
    pub callee_acked: Seq,
}

impl Exposure {
    /// Segments without data that end it, those to the callee first: the direction of each, and its
    /// header.
    ///
    /// Each end gets a reset with the number that it expects if everything has arrived, and, where
    /// some may not have, one with the lowest that it can expect. Then comes a segment before all
    /// that it can expect: it answers with the number that it does expect (RFC 9293 §3.10.7.4), and
    /// the other end, which has been reset, answers that with a reset that fits. Without a stamp it
    /// might be dropped; an old one is answered as well (RFC 7323 §3.2 and §5.3).
    pub fn endings(&self) -> impl Iterator<Item = (Connection, TcpHeader)> {
        let Self { connection, caller_next, caller_acked, callee_next, callee_acked } = *self;
        [
            (connection, [caller_next, callee_acked], caller_acked),
            (connection.reversed(), [callee_next, caller_acked], callee_acked),
        ]
        .into_iter()
        .flat_map(|(way, [next, least], ack)| {
            let reset = move |seq| segment(way, seq, ack, Flags::RST | Flags::ACK);
            let again = (next != least).then(|| reset(least));
            let mut question = segment(way, least - 1, ack, Flags::ACK);
            question.options.timestamps = Some(Timestamps { value: 0, echo: 0 });
            let headers = [Some(reset(next)), again, Some(question)];
            headers.into_iter().flatten().map(move |header| (way, header))
        })
    }
}

fn segment(way: Connection, seq: Seq, ack: Seq, flags: Flags) -> TcpHeader {
    let Connection { source_port, destination_port, .. } = way;
    TcpHeader { source_port, destination_port, seq, ack, flags, ..TcpHeader::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Leg};

    fn endings(numbers: [u32; 4]) -> Vec<(u16, Flags, u32, u32)> {
        let numbers = numbers.map(Seq::new);
        let connection = Connection {
            source: Address { leg: Leg::Radio, host: 1 },
            destination: Address { leg: Leg::Wired, host: 2 },
            source_port: 40_000,
            destination_port: 443,
        };
        let of = Exposure {
            connection,
            caller_next: numbers[0],
            caller_acked: numbers[1],
            callee_next: numbers[2],
            callee_acked: numbers[3],
        };
        let told = |(way, header): (Connection, TcpHeader)| {
            assert_eq!(header.source_port, way.source_port);
            (header.destination_port, header.flags, header.seq.to_u32(), header.ack.to_u32())
        };
        of.endings().map(told).collect()
    }

    const RESET: Flags = Flags::from_bits(Flags::RST.bits() | Flags::ACK.bits());

    #[test]
    fn both_ends_get_every_number_that_may_be_next_and_are_asked_for_theirs() {
        let expected = [
            (443, RESET, 100, 400),
            (443, RESET, 90, 400),
            (443, Flags::ACK, 89, 400),
            (40_000, RESET, 500, 90),
            (40_000, RESET, 400, 90),
            (40_000, Flags::ACK, 399, 90),
        ];
        assert_eq!(endings([100, 400, 500, 90]), expected);
    }

    #[test]
    fn a_number_that_is_sure_is_sent_once() {
        let expected = [
            (443, RESET, 7, 9),
            (443, Flags::ACK, 6, 9),
            (40_000, RESET, 9, 7),
            (40_000, Flags::ACK, 8, 7),
        ];
        assert_eq!(endings([7, 9, 9, 7]), expected);
    }
}
