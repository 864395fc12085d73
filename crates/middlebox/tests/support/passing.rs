//! What stands where a box has been.

use std::collections::VecDeque;

use base::Time;
use middlebox::{Counters, Managed, Middlebox, Packet};
use observe::BoxContext;
use tcp::Payload;

/// What goes in comes out.
#[derive(Debug)]
pub struct Passing<P>(VecDeque<Packet<P>>);

impl<P> Default for Passing<P> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<P: Payload + Send> Middlebox<P> for Passing<P> {
    fn handle_packet(&mut self, _cx: &mut BoxContext<'_>, packet: Packet<P>) {
        self.0.push_back(packet);
    }

    fn handle_timeout(&mut self, _cx: &mut BoxContext<'_>) {}

    fn poll_output(&mut self, _cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        self.0.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn counters(&self) -> Counters {
        Counters::default()
    }
}

impl<P: Payload + Send> Managed<P> for Passing<P> {}

/// What goes in is lost.
#[derive(Debug)]
pub struct Gone;

impl<P: Payload> Middlebox<P> for Gone {
    fn handle_packet(&mut self, _cx: &mut BoxContext<'_>, _packet: Packet<P>) {}

    fn handle_timeout(&mut self, _cx: &mut BoxContext<'_>) {}

    fn poll_output(&mut self, _cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn counters(&self) -> Counters {
        Counters::default()
    }
}

impl<P: Payload> Managed<P> for Gone {}
