//! Connections that are followed, not split: a box that watches both directions, keeps what it
//! needs of each, and helps without ever acknowledging what the mobile has not.
//!
//! [`Following`] knows the connections, and each scheme is a [`Follow`]: what it does with data
//! towards a mobile and with what the mobile answers. Since nothing is acknowledged early, a
//! connection may be forgotten at any time: its hosts then are on their own, as without a box.

mod agreed;
mod followed;
mod in_name;
mod machine;
mod port;
mod progress;

pub use agreed::Agreed;
pub(crate) use in_name::InName;
pub use machine::Following;
pub use port::Port;
pub(crate) use progress::{Heard, Progress};

use std::fmt::Debug;

use base::{TcpHeader, Time};
use tcp::Payload;

use crate::{Packet, RadioReport};

/// What is to be done with a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disposition {
    /// It goes on as it is now.
    Forward,
    /// It does not: the scheme keeps or drops it.
    Keep,
}

/// What a scheme has under way to a mobile for one connection, in payload bytes. A FIN counts as
/// one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Load {
    /// Waits in the box.
    pub queued: u64,
    /// Sent and not acknowledged.
    pub in_flight: u64,
    /// Allowed in flight.
    pub cwnd: u64,
    /// Is kept by the box, sent or not.
    pub held: u64,
    /// The mobile has been silent for too long.
    pub stalled: bool,
}

impl Load {
    /// Replaces `before` by `after` in a sum.
    pub(crate) const fn replace(&mut self, before: &Self, after: &Self) {
        self.queued = self.queued - before.queued + after.queued;
        self.in_flight = self.in_flight - before.in_flight + after.in_flight;
        self.cwnd = self.cwnd - before.cwnd + after.cwnd;
        self.held = self.held - before.held + after.held;
    }
}

/// What a scheme does for data from a host to a mobile, and what it keeps of that.
///
/// It sees neither SYNs nor resets. The time is its [`Port::now`]. Where both ends are mobiles,
/// each direction has one.
pub trait Follow<P: Payload>: Debug + Send {
    /// Its parameters.
    type Config: Debug + Send;

    /// A mobile's SYN passes.
    fn edit_syn(_config: &Self::Config, _header: &mut TcpHeader) {}

    /// Both SYNs have passed.
    fn open(config: &Self::Config, agreed: &Agreed) -> Self;

    /// A packet from the sender's host.
    fn handle_data(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition;

    /// A packet from the mobile.
    fn handle_ack(&mut self, packet: &mut Packet<P>, port: &mut Port<'_, P>) -> Disposition;

    /// Its deadline has come.
    fn handle_timeout(&mut self, port: &mut Port<'_, P>);

    /// The radio reports the state of the mobile.
    fn handle_report(&mut self, _report: RadioReport, _port: &mut Port<'_, P>) {}

    /// The mobile's path takes no segment of more than `bytes`, TCP header included, from now on.
    /// Its sender will learn of it and send smaller ones; larger segments that are kept will never
    /// arrive as they are.
    fn limit_segment(&mut self, _bytes: u64, _port: &mut Port<'_, P>) {}

    /// The box releases the connection, whose hosts are on their own from now on: packets that are
    /// held back are sent.
    fn release(&mut self, _port: &mut Port<'_, P>) {}

    /// The most payload bytes that it can hold.
    fn reserve(&self) -> u64 {
        0
    }

    /// Its next deadline; `None` is never.
    fn poll_timeout(&self) -> Option<Time>;

    /// What is under way.
    fn load(&self) -> Load;
}
