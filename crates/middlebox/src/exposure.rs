//! What becomes of a connection whose box fails.

use base::Seq;

use crate::Connection;

/// A connection that would hang if its box were gone: one of its ends takes for delivered what is
/// not. These are the numbers with which both can be reset in each other's name (RFC 9293
/// §3.10.7.4, RFC 5961 §3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exposure {
    /// As packets of the one that opened it name it.
    pub connection: Connection,
    /// The number that the callee expects next of the caller, once all that left the box is there.
    pub caller_next: Seq,
    /// What the caller itself has acknowledged so far, whatever the callee was told.
    pub caller_acked: Seq,
    /// The number that the caller expects next of the callee, once all that left the box is there.
    pub callee_next: Seq,
    /// What the callee itself has acknowledged so far, whatever the caller was told.
    pub callee_acked: Seq,
}

impl Exposure {
    /// Resets that end it, those to the callee first: the way that each goes, its number, and what
    /// it acknowledges. Each end is sent one with the number that it expects, and, where not all
    /// may have arrived, one with the number that it expects at least. If it expects one between,
    /// it challenges them (RFC 5961 §3.2), and is reset by the other end, which is gone.
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
