//! What every box can do.

use std::fmt::Debug;

use base::{MiddleboxFact, Rate, Time};
use tcp::Payload;

use crate::{Address, Counters, Packet};

/// Where the facts of a box go.
pub type Watch<'a> = &'a mut dyn FnMut(MiddleboxFact);

/// A box that all packets of some mobiles pass.
///
/// After every `handle_…`, poll [`Middlebox::poll_output`] until `None` and then read
/// [`Middlebox::poll_timeout`]. A packet that a box does not care for comes out as it went in.
pub trait Middlebox<P: Payload>: Debug + Send {
    /// A packet arrived from the leg of its source.
    fn handle_packet(&mut self, now: Time, packet: Packet<P>, watch: Watch<'_>);

    /// Time has passed. Before the deadline nothing happens.
    fn handle_timeout(&mut self, now: Time, watch: Watch<'_>);

    /// The radio says how `mobile` fares. Boxes that take no notice do nothing.
    fn handle_report(
        &mut self,
        _now: Time,
        _mobile: Address,
        _report: RadioReport,
        _watch: Watch<'_>,
    ) {
    }

    /// The next packet to send now, towards the leg of its destination.
    #[must_use]
    fn poll_output(&mut self, now: Time, watch: Watch<'_>) -> Option<Packet<P>>;

    /// The next deadline; `None` is never.
    #[must_use]
    fn poll_timeout(&self) -> Option<Time>;

    /// What has been counted.
    fn counters(&self) -> Counters;
}

/// What a radio node knows of a mobile's downlink.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RadioReport {
    /// What it can carry now; `None` while nothing gets through.
    pub rate: Option<Rate>,
}
