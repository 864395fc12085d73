//! What a proxy has counted and holds.

use std::borrow::Cow;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::Histogram;
use crate::merged::add_class;

/// All stats at one moment. Counters begin with the worker; what is in force now is a gauge and
/// says so.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Snapshot {
    /// The version of the program.
    pub version: Cow<'static, str>,
    /// Gauge: whether new connections are taken.
    pub draining: bool,
    /// All packets that came in.
    pub received: Volume,
    /// Packets that went out.
    pub sent: Volume,
    /// Packets that passed untouched, by reason.
    pub bypassed: Vec<Reason>,
    /// Packets that were dropped, by reason.
    pub dropped: Vec<Reason>,
    /// ICMP messages, by what was done with them.
    pub icmp: Vec<Reason>,
    /// Fragments of IPv4 datagrams.
    pub fragments: Fragments,
    /// Packets of a box that were cut into several, since they were larger than the leg allows.
    pub cut: u64,
    /// Segments whose urgent pointer or unknown options could not be kept (RFC 6093 §3).
    pub stripped: u64,
    /// Bytes that all boxes together may hold.
    pub limit_bytes: u64,
    /// Places of the journal.
    pub journal_places: u32,
    /// Profiles of the configuration in its order, then removed ones that still have connections.
    pub profiles: Vec<ProfileStats>,
}

/// A count by reason. There are few reasons, and all are always present.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// A word or two in lower case, joined by `_`.
    pub reason: Cow<'static, str>,
    /// How many packets.
    pub packets: u64,
}

/// Packets and their bytes, IP headers included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Volume {
    /// How many.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Fragments of IPv4 datagrams that carry TCP.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fragments {
    /// Fragments that came in.
    pub received: u64,
    /// Datagrams that were reassembled.
    pub completed: u64,
    /// Datagrams that were not in time, or whose fragments contradict each other.
    pub failed: u64,
    /// Gauge: fragments that wait for others.
    pub held: u64,
    /// Gauge: their bytes.
    pub held_bytes: u64,
}

/// Of one profile.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ProfileStats {
    /// Its name.
    pub name: String,
    /// The scheme of its box, as in the configuration.
    pub scheme: Cow<'static, str>,
    /// Side of the radio where it stands.
    pub role: Cow<'static, str>,
    /// Gauge: whether it has been taken out of the configuration.
    pub retired: bool,
    /// Gauge: connections by their state.
    pub flows: Flows,
    /// What became of connections.
    pub connections: Connections,
    /// What became of SYNs.
    pub syns: Syns,
    /// Where the fixed hosts are.
    pub wired: LegStats,
    /// Where the mobiles are.
    pub radio: LegStats,
    /// Times that nothing was heard of a mobile for too long.
    pub stalls: u64,
    /// The total time that mobiles were stalled.
    pub stalled_seconds: f64,
    /// Gauge: mobiles with connections that are stalled.
    pub stalled_mobiles: u64,
    /// Gauge: mobiles with established connections in this box. One that has some in the box of
    /// before a reload as well counts in both.
    pub mobiles: u64,
    /// Gauge: payload bytes that wait for the radio.
    pub queued_bytes: u64,
    /// Gauge: payload bytes on the radio leg, not acknowledged.
    pub in_flight_bytes: u64,
    /// Gauge: payload bytes allowed in flight.
    pub cwnd_bytes: u64,
    /// Gauge: payload bytes that the box has accepted and their receivers have not yet
    /// acknowledged.
    pub held_bytes: u64,
    /// The maximum that it ever held for one mobile.
    pub held_max_bytes: u64,
    /// Gauge: what the box may hold for one mobile; zero where its scheme has no such budget.
    pub budget_bytes: u64,
    /// Zero windows that were advertised to senders.
    pub zero_windows: u64,
    /// Retransmission timers of the radio leg that ran out.
    pub timeouts: u64,
    /// Acknowledgements that were withheld from a sender.
    pub suppressed_acks: u64,
    /// Payload bytes that were discarded because of a reset.
    pub discarded_bytes: u64,
    /// Packets to mobiles that are not TCP, or of connections that no box takes part in, by class;
    /// empty where they do not wait for their turn.
    pub others: Vec<ClassStats>,
    /// Echo requests that the box sends behind them.
    pub echoes: EchoStats,
}

impl ProfileStats {
    /// Packets that wait for their turn, and have, of all classes together.
    pub fn all_others(&self) -> ClassStats {
        let mut sum = ClassStats::default();
        self.others.iter().for_each(|class| add_class(&mut sum, class));
        sum
    }
}

/// Packets of a class that wait for their turn.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassStats {
    /// The name of the class; [`middlebox::Class::NONE`] of packets in none.
    pub name: String,
    /// Packets that came.
    pub received: Volume,
    /// Packets that went on.
    pub sent: Volume,
    /// Packets of these that were marked (RFC 3168).
    pub marked: u64,
    /// Packets that were dropped since they had waited too long.
    pub late: u64,
    /// Packets that were dropped for want of room.
    pub crowded: u64,
    /// Gauge: packets that wait.
    pub waiting: Volume,
    /// Waits of the packets that went on.
    pub waited: Histogram,
}

/// Echo requests to mobiles, and what came of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EchoStats {
    /// Requests that were sent.
    pub sent: u64,
    /// Requests that were answered.
    pub answered: u64,
}

/// Connections by their state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Flows {
    /// Their handshake is under way.
    pub opening: u64,
    /// Established, or closing.
    pub open: u64,
}

/// What became of connections.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Connections {
    /// Those that the box took part in.
    pub taken: u64,
    /// Those that passed untouched: by the box or before it.
    pub bypassed: u64,
    /// Those that were handed back to plain forwarding.
    pub released: u64,
    /// Those that ended with a reset, from either end or from the box.
    pub reset: u64,
}

/// What became of SYNs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Syns {
    /// All that came, repetitions included.
    pub seen: u64,
    /// Gauge: handshakes under way.
    pub held: u64,
    /// Those that were answered by a reset or by an ICMP error, which passed.
    pub refused: u64,
    /// Those whose handshakes gave way to newer ones, and go on without the box.
    pub displaced: u64,
}

/// One side of a profile's connections, of packets that its box took or made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LegStats {
    /// What came from there.
    pub received: Volume,
    /// What went there.
    pub sent: Volume,
    /// Segments that the box retransmitted there on its own.
    pub retransmissions: u64,
    /// Round-trip times. Of the radio leg: segments of the box to their acknowledgements. Of the
    /// wired leg: a mobile's SYN to the SYN-ACK, unless either was repeated.
    pub round_trip: Histogram,
}

/// A mobile in one box, for the status. Not for metrics: there may be many.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Mobile {
    /// Its address.
    pub address: IpAddr,
    /// Its profile.
    pub profile: String,
    /// Its established connections in the box.
    pub flows: u64,
    /// Payload bytes that wait for it.
    pub queued_bytes: u64,
    /// Payload bytes under way to it.
    pub in_flight_bytes: u64,
    /// Payload bytes allowed under way.
    pub cwnd_bytes: u64,
    /// Its smoothed round-trip time in seconds (RFC 6298 §2.3), once there was one.
    pub round_trip_seconds: Option<f64>,
    /// How long it has been stalled, in seconds, if it is.
    pub stalled_seconds: Option<f64>,
}

impl Volume {
    pub(crate) const fn add(&mut self, bytes: usize) {
        self.add_several(1, bytes);
    }

    /// One of those that are counted is there no longer.
    pub(crate) const fn take(&mut self, bytes: usize) {
        self.packets -= 1;
        self.bytes -= bytes as u64;
    }

    /// So many packets that have `bytes` together.
    pub(crate) const fn add_several(&mut self, packets: usize, bytes: usize) {
        self.packets += packets as u64;
        self.bytes += bytes as u64;
    }
}
