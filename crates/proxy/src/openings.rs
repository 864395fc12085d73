//! The outcome of the SYNs of mobiles, for the stats.

use std::hash::BuildHasher;

use base::{Duration, Seq, Time};
use middlebox::Connection;
use rustc_hash::FxBuildHasher;

/// SYNs that are not answered yet. A hash table without chains: on a collision the newer one stays,
/// so that a flood costs only stats.
#[derive(Debug)]
pub(crate) struct Openings {
    places: Vec<Option<Opening>>,
}

#[derive(Clone, Copy, Debug)]
struct Opening {
    /// As the SYN names it.
    connection: Connection,
    isn: Seq,
    /// When it passed; `None` if more than once (Karn's algorithm).
    at: Option<Time>,
}

const PLACES: usize = 4_096;

impl Default for Openings {
    fn default() -> Self {
        Self { places: vec![None; PLACES] }
    }
}

impl Openings {
    /// A SYN passes.
    pub(crate) fn open(&mut self, now: Time, connection: Connection, isn: Seq) {
        let place = self.place(&connection);
        let again = place.is_some_and(|known| known.is(&connection, isn));
        *place = Some(Opening { connection, isn, at: (!again).then_some(now) });
    }

    /// A SYN-ACK passes that is an answer to `connection`: how long it took, if that is known.
    pub(crate) fn answer(
        &mut self,
        now: Time,
        connection: &Connection,
        ack: Seq,
    ) -> Option<Duration> {
        self.take(connection, ack)?.at.map(|at| now - at)
    }

    /// A reset or an ICMP error about the SYN passes: true if that SYN waits for an answer. An ICMP
    /// error quotes the SYN's own number.
    pub(crate) fn refuse(&mut self, connection: &Connection, ack: Seq) -> bool {
        self.take(connection, ack).is_some()
    }

    fn take(&mut self, connection: &Connection, ack: Seq) -> Option<Opening> {
        let place = self.place(connection);
        let opening = (*place).filter(|known| known.is(connection, ack - 1))?;
        *place = None;
        Some(opening)
    }

    fn place(&mut self, connection: &Connection) -> &mut Option<Opening> {
        let hash = FxBuildHasher.hash_one(connection) as usize;
        &mut self.places[hash % PLACES]
    }
}

impl Opening {
    fn is(&self, connection: &Connection, isn: Seq) -> bool {
        self.connection == *connection && self.isn == isn
    }
}
