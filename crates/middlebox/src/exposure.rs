//! What has to be done about a connection whose box fails.

use base::Seq;

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
    /// Resets that end it, those to the callee first: the direction of each, its number, and what
    /// it acknowledges. Each end is sent one with the number that it expects if everything has
    /// arrived, and, where some may not have, one with the lowest that it can expect. If it expects
    /// a number between, it challenges them (RFC 5961 §3.2), and the other end, which has been
    /// reset, answers with a reset.
    pub fn resets(&self) -> impl Iterator<Item = (Connection, Seq, Seq)> {
        let Self { connection, caller_next, caller_acked, callee_next, callee_acked } = *self;
        [
            (connection, [caller_next, callee_acked], caller_acked),
            (connection.reversed(), [callee_next, caller_acked], callee_acked),
        ]
        .into_iter()
        .flat_map(|(way, [next, least], ack)| {
            let again = (next != least).then_some(least);
            [Some(next), again].into_iter().flatten().map(move |seq| (way, seq, ack))
        })
    }
}
