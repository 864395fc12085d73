//! How a split connection's data get to the mobile.

use base::{Duration, Seq, Time};
use observe::BoxContext;
use tcp::{Acknowledgement, Departure, EcnFeedback, Payload};

use crate::{
    Address, Admission, Aside, Connection, Counters, Leg, Opaque, RadioReport, Reception, Reserve,
};

/// The number of one direction, towards a mobile, of a split connection. Numbers of flows that
/// ended are used again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowId(pub u32);

/// The numbers of a mobile and of a connection in [`observe::MiddleboxFact`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Numbers {
    /// Of the mobile.
    pub mobile: u32,
    /// Of the connection.
    pub connection: u32,
}

/// What a handshake agreed upon about data towards a mobile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Terms {
    /// The mobile.
    pub mobile: Address,
    /// The connection, as packets to the mobile name it.
    pub connection: Connection,
    /// Of the sender's packets (RFC 2474).
    pub dscp: u8,
    /// The number of the first byte, alike on both legs.
    pub first: Seq,
    /// Payload bytes of a full segment to the mobile.
    pub mss: u32,
    /// Payload bytes of a segment that every path to the mobile takes, if large packets may vanish
    /// without an ICMP message (RFC 4821).
    pub small_segment: Option<u32>,
    /// The mobile's window in bytes, scaled.
    pub window: u64,
    /// The shift of the windows that the sender's host is told (RFC 7323 §2.2).
    pub scale: u8,
    /// Whether the mobile acknowledges selectively.
    pub sack: bool,
    /// Whether the mobile understands ECN (RFC 3168).
    pub ecn: EcnFeedback,
    /// The offset up to which the sender may send since the handshake.
    pub promised: u64,
    /// What facts call mobile and connection.
    pub numbers: Numbers,
    /// From the SYN-ACK to the mobile to its acknowledgement, where it was sent once.
    pub rtt: Option<Duration>,
    /// The same of the sender's host.
    pub sender_rtt: Option<Duration>,
}

/// The sending half of split connections towards mobiles: one sender a connection, or one an
/// aggregate of all connections of a mobile.
///
/// What it holds of a flow is what was written and not yet acknowledged by the mobile. Offsets
/// count bytes of the stream from [`Terms::first`].
pub trait RadioLeg<P: Payload>: std::fmt::Debug + Send {
    /// The largest window in bytes that a SYN of `host` may advertise to the one that will send to
    /// it. It is the first right edge, and right edges never move back.
    fn syn_window(&self, _host: Address) -> u64 {
        u64::MAX
    }

    /// The most bytes that it can come to hold: for a mobile, and for each direction of a
    /// connection that ends on `leg`. That includes what its right edges allow, but not the
    /// rounding of windows.
    fn reserve(&self, leg: Leg) -> Reserve;

    /// What it comes to hold beyond [`Self::reserve`] it borrows from `admission`.
    fn draw_from(&mut self, _admission: &Admission) {}

    /// A connection is established.
    fn open(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, terms: &Terms);

    /// Takes in bytes that the sender's host has sent in order.
    fn write(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, payload: P);

    /// A FIN follows the last byte written.
    fn close(&mut self, now: Time, flow: FlowId);

    /// The connection is over, finished or reset: discards what is held of it. Returns how many
    /// bytes those were.
    fn remove(&mut self, cx: &mut BoxContext<'_>, flow: FlowId) -> u64;

    /// The mobile acknowledged.
    fn handle_ack(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, ack: &Acknowledgement);

    /// From now on no segment of the flow may carry more than `bytes`, since its path takes no
    /// more: what is under way and larger has not arrived.
    fn limit_segment(&mut self, cx: &mut BoxContext<'_>, flow: FlowId, bytes: u32);

    /// Time has passed.
    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>);

    /// The radio says how a mobile fares.
    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport);

    /// The next segment to send now, and of which flow.
    #[must_use]
    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<(FlowId, Departure<P>)>;

    /// The next deadline.
    #[must_use]
    fn poll_timeout(&self) -> Option<Time>;

    /// The offset up to which the sender's host may send: never less than it was before. It is
    /// advertised as it stands, rounded down to whole units of the window scale.
    fn right_edge(&mut self, now: Time, flow: FlowId) -> u64;

    /// The next flow whose right edge is to be announced to its host though no data came from
    /// there.
    #[must_use]
    fn poll_window_update(&mut self) -> Option<FlowId>;

    /// A flow whose mobile is taken to be gone: both ends will be reset, and the flow removed.
    #[must_use]
    fn poll_given_up(&mut self) -> Option<FlowId> {
        None
    }

    /// The offset below which the mobile has acknowledged everything; a FIN counts as a byte.
    fn acknowledged(&self, flow: FlowId) -> u64;

    /// A packet to the mobile, which facts call `mobile`, arrived that the box does not read.
    fn handle_opaque(
        &mut self,
        _cx: &mut BoxContext<'_>,
        _mobile: u32,
        _packet: &Opaque,
    ) -> Reception {
        Reception::Passes
    }

    /// [`crate::Middlebox::handle_echo`].
    fn handle_echo(&mut self, _cx: &mut BoxContext<'_>, _mobile: Address, _number: u32) {}

    /// [`crate::Middlebox::poll_aside`].
    #[must_use]
    fn poll_aside(&mut self) -> Option<Aside> {
        None
    }

    /// All that waits that the box does not read goes on at once.
    fn release_opaque(&mut self) {}

    /// The mobile has long had no flows and is forgotten; its number is reused.
    fn forget(&mut self, _number: u32, _mobile: Address) {}

    /// Bytes held for all flows of the mobile of `flow`.
    fn held_bytes(&self, flow: FlowId) -> u64;

    /// Adds what the leg has counted: bytes held, retransmissions and timeouts.
    fn count(&self, _counters: &mut Counters) {}
}
