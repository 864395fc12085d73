//! A TCP endpoint at its node, with the application that uses it.

use std::sync::Arc;

use base::{Observe, Seq, Time};
use tcp::{Endpoint, Payload, Segment};

use crate::{Application, Browser, NodeId, Pages, Server};

/// One TCP connection to be made between two nodes.
#[derive(Debug)]
pub struct Connection<'a, P> {
    /// Where the data come from.
    pub sender: NodeId,
    /// Where they go.
    pub receiver: NodeId,
    /// How both endpoints behave.
    pub tcp: &'a Arc<tcp::Config>,
    /// What is sent, or what it is made of.
    pub data: P,
    /// What the data are sent for.
    pub traffic: Traffic,
    /// When it is opened: by the sender of a file, by the reader of pages.
    pub start: Time,
    /// The initial sequence numbers of the sender and the receiver.
    pub isn: [Seq; 2],
}

/// What uses a connection.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// One file: all data, and then the connection ends.
    File,
    /// All data, and then the connection rests.
    Stream,
    /// Pages, each of which the receiver asks for, cut from the data.
    Web(Pages),
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

/// One of the two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    /// From where the data come.
    Sender,
    /// To where they go.
    Receiver,
}

impl<P: Payload> Host<P> {
    /// One side of `connection`. The sender's endpoint has the number `first`, the receiver's the
    /// next; `ports` are theirs.
    pub(crate) fn new(
        connection: &Connection<'_, P>,
        side: Side,
        first: u32,
        ports: [u16; 2],
    ) -> Self {
        let Connection { sender, receiver, tcp, data, traffic, start, isn } = connection;
        let (at, node, peer) = match side {
            Side::Sender => (0, *sender, *receiver),
            Side::Receiver => (1, *receiver, *sender),
        };
        let (id, [local, remote]) = (first + at as u32, [ports[at], ports[1 - at]]);
        let connects = (side == Side::Receiver) == matches!(traffic, Traffic::Web(_));
        let endpoint = if connects {
            Endpoint::connect(id, tcp, local, remote, isn[at])
        } else {
            Endpoint::listen(id, tcp, local, remote, isn[at])
        };
        let source = |close| Application::Source { data: Some(data.clone()), close };
        let application = match (side, traffic) {
            (Side::Sender, Traffic::File) => source(true),
            (Side::Sender, Traffic::Stream) => source(false),
            (Side::Receiver, Traffic::File | Traffic::Stream) => Application::Sink,
            (Side::Sender, Traffic::Web(pages)) => {
                Application::Server(Server::new(pages.clone(), data.clone()))
            }
            (Side::Receiver, Traffic::Web(pages)) => {
                Application::Browser(Browser::new(id, pages.clone(), data.clone(), *start))
            }
        };
        let start = connects.then_some(*start);
        Self { node, peer, endpoint, application, start, sent: 0 }
    }

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
        self.application.run(now, &mut self.endpoint, observe);
    }

    pub(crate) fn handle_input(
        &mut self,
        now: Time,
        segment: Segment<P>,
        observe: &mut impl Observe,
    ) {
        self.endpoint.handle_segment(now, segment, observe);
        self.application.run(now, &mut self.endpoint, observe);
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
        let timers = [self.endpoint.poll_timeout(), self.application.poll_timeout()];
        self.start.or_else(|| timers.into_iter().flatten().min())
    }
}
