//! What came of a connection.

use base::Time;
use observe::{Observe, TcpFact};
use serde_json::{Value, json};
use tcp::State;

use crate::Counters;

/// What came of a connection, as its endpoint saw it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The states in their order.
    pub states: Vec<State>,
    /// When the last of them began.
    pub ended: Time,
    /// Data segments sent.
    pub segments: u64,
    /// Those of them that were not sent for the first time.
    pub retransmissions: u64,
    /// Retransmission timeouts.
    pub timeouts: u64,
    /// Bytes that arrived more than once.
    pub repeated_bytes: u64,
    /// Packets that are not what they say: wrong lengths or checksums.
    pub unreadable: u64,
    /// What befell packets on their way to us.
    pub inward: Counters,
    /// What befell those from us.
    pub outward: Counters,
}

impl Report {
    /// The endpoint is in `state`.
    pub(crate) fn note(&mut self, now: Time, state: State) {
        if self.states.last() != Some(&state) {
            self.states.push(state);
            self.ended = now;
        }
    }

    /// As JSON; times in seconds.
    pub fn json(&self) -> Value {
        json!({
            "states": self.states.iter().map(|state| format!("{state:?}")).collect::<Vec<_>>(),
            "ended_s": self.ended.as_secs_f64(),
            "segments": self.segments,
            "retransmissions": self.retransmissions,
            "timeouts": self.timeouts,
            "repeated_bytes": self.repeated_bytes,
            "unreadable": self.unreadable,
            "inward": self.inward,
            "outward": self.outward,
        })
    }
}

impl Observe for Report {
    fn tcp(&mut self, _now: Time, _endpoint: u32, fact: TcpFact) {
        if let TcpFact::Sent { transmission, .. } = fact {
            self.segments += 1;
            self.retransmissions += u64::from(transmission > 1);
        }
        if let TcpFact::Timeout { .. } = fact {
            self.timeouts += 1;
        }
        if let TcpFact::Data { length, fresh, .. } = fact {
            self.repeated_bytes += u64::from(length - fresh);
        }
    }
}
