//! The interface of every box.

use std::fmt::Debug;

use base::{Rate, Time};
use observe::BoxContext;
use tcp::Payload;

use crate::{
    Address, Aside, Bypasses, Connection, Counters, Exposure, Opaque, Packet, Reception, Usage,
};

/// A box that all packets of some mobiles pass.
///
/// After every `handle_…`, poll [`Middlebox::poll_output`] until `None` and then read
/// [`Middlebox::poll_timeout`]. A packet that a box ignores comes out as it went in.
pub trait Middlebox<P: Payload>: Debug + Send {
    /// A packet arrived from the leg of its source.
    fn handle_packet(&mut self, cx: &mut BoxContext<'_>, packet: Packet<P>);

    /// A packet that the box does not read arrived from the leg of its source. By default it goes
    /// around the box.
    fn handle_opaque(&mut self, _cx: &mut BoxContext<'_>, _packet: &Opaque) -> Reception {
        Reception::Passes
    }

    /// `mobile` has answered the echo request of this number.
    fn handle_echo(&mut self, _cx: &mut BoxContext<'_>, _mobile: Address, _number: u32) {}

    /// Next of what leaves beside segments. Poll until `None` after each
    /// [`Middlebox::poll_output`], and send these ahead of what that returned.
    #[must_use]
    fn poll_aside(&mut self) -> Option<Aside> {
        None
    }

    /// Time has passed. Before the deadline nothing happens.
    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>);

    /// The radio reports the state of `mobile`. By default it is ignored.
    fn handle_report(&mut self, _cx: &mut BoxContext<'_>, _mobile: Address, _report: RadioReport) {}

    /// The next packet to send now, towards the leg of its destination.
    #[must_use]
    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<Packet<P>>;

    /// The next deadline; `None` is never.
    #[must_use]
    fn poll_timeout(&self) -> Option<Time>;

    /// What has been counted.
    fn counters(&self) -> Counters;
}

/// A box of a proxy, which lets it be bounded, looked at and ended. The defaults are those of a box
/// that takes part in no connection.
pub trait Managed<P: Payload>: Middlebox<P> {
    /// [`Counters::bypasses`]. Boxes tell it at once, however many mobiles there are.
    fn bypasses(&self) -> Bypasses {
        self.counters().bypasses
    }

    /// Whether it takes part in a connection, in whichever direction it is named.
    fn knows(&self, _connection: &Connection) -> bool {
        false
    }

    /// Whether segments of `size` bytes that the source of `connection` has sent in a row may come
    /// as one packet: what the box sends of them, and the acknowledgement, do not depend on where
    /// one ends and the next begins.
    fn takes_runs(&self, _connection: &Connection, _size: u32) -> bool {
        false
    }

    /// Connections that it takes part in, by how far they are.
    fn usage(&self) -> Usage {
        Usage::default()
    }

    /// All of them.
    fn flows(&self) -> u64 {
        self.usage().flows().into()
    }

    /// Ignores a half-open connection: its packets carry what a box must not touch.
    fn ignore(&mut self, _connection: Connection) {}

    /// Forgets a half-open connection: an ICMP error that quotes its SYN passes (RFC 5927 §4.1), or
    /// another one needs its place. If its caller tries again, it opens anew.
    fn forget_opening(&mut self, _now: Time, _connection: Connection) {}

    /// No packet to the destination of `connection` may have more than `mtu` bytes with its IP
    /// header from now on (RFC 1191, RFC 8201). An `mtu` below the minimum of every path is
    /// ignored.
    fn handle_path_mtu(
        &mut self,
        _cx: &mut BoxContext<'_>,
        _connection: Connection,
        _mtu: u16,
    ) -> PmtuHandler {
        PmtuHandler::Sender
    }

    /// Takes no new connections any more, and releases each that it can without harm to its ends.
    fn drain(&mut self, _cx: &mut BoxContext<'_>) {}

    /// Gives up all connections: those that cannot go on without the box are reset at both ends.
    fn reset_all(&mut self, _cx: &mut BoxContext<'_>) {}

    /// The next connection whose [`Exposure`] may have changed since it was last returned: its
    /// place in the box, and the present exposure. `None` once all have been returned.
    ///
    /// The keeper of a journal has to note these before a polled packet leaves.
    fn poll_exposure(&mut self) -> Option<(u32, Option<Exposure>)> {
        None
    }
}

/// Who has to send smaller packets once the MTU of a path falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PmtuHandler {
    /// The box, which made them; the sender's host is not involved.
    Box,
    /// Their sender, which has to be told.
    Sender,
}

/// What a radio node knows of a mobile's downlink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RadioReport {
    /// Its present rate; `None` while nothing gets through.
    pub rate: Option<Rate>,
}
