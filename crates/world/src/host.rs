//! A TCP endpoint at its node, with the application that uses it.

use std::sync::Arc;

use base::{Observe, Seq, Time};
use tcp::{Endpoint, Payload, Segment};

use crate::{Application, NodeId};

/// One TCP connection to be made between two nodes. The side that sends also opens.
#[derive(Debug)]
pub struct Connection<'a, P> {
    /// Where the data come from.
    pub sender: NodeId,
    /// Where they go.
    pub receiver: NodeId,
    /// How both endpoints behave.
    pub tcp: &'a Arc<tcp::Config>,
    /// What is sent.
    pub data: P,
    /// Whether the connection ends with the data.
    pub close: bool,
    /// When the sender opens it.
    pub start: Time,
    /// The initial sequence numbers of the sender and the receiver.
    pub isn: [Seq; 2],
}

/// An endpoint, its application and its place in the network.
#[derive(Debug)]
pub struct Host<P: Payload> {
    pub(crate) node: NodeId,
    pub(crate) peer: NodeId,
    pub(crate) endpoint: Endpoint<P>,
    pub(crate) application: Application<P>,
    /// When it comes to life, while that lies ahead.
    pub(crate) start: Option<Time>,
    /// Packets sent, which number themselves in their IP headers.
    pub(crate) sent: u16,
}

impl<P: Payload> Host<P> {
    /// The endpoint.
    pub const fn endpoint(&self) -> &Endpoint<P> {
        &self.endpoint
    }

    /// The node where it lives.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// The node that it talks to.
    pub const fn peer(&self) -> NodeId {
        self.peer
    }

    pub(crate) fn handle_timeout(&mut self, now: Time, observe: &mut impl Observe) {
        if self.start.is_some_and(|start| start <= now) {
            self.start = None;
        } else {
            self.endpoint.handle_timeout(now, observe);
        }
        self.application.run(&mut self.endpoint);
    }

    pub(crate) fn handle_input(
        &mut self,
        now: Time,
        segment: Segment<P>,
        observe: &mut impl Observe,
    ) {
        self.endpoint.handle_segment(now, segment, observe);
        self.application.run(&mut self.endpoint);
    }

    pub(crate) fn poll_output(
        &mut self,
        now: Time,
        observe: &mut impl Observe,
    ) -> Option<Segment<P>> {
        if self.start.is_some() { None } else { self.endpoint.poll_output(now, observe) }
    }

    /// The identification of the next packet, one more than the one before.
    pub(crate) const fn next_identification(&mut self) -> u16 {
        self.sent = self.sent.wrapping_add(1);
        self.sent
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.start.or_else(|| self.endpoint.poll_timeout())
    }
}
