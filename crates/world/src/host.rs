//! A TCP endpoint at its node, with the program that uses it.

use std::sync::Arc;

use base::{Seq, Time};
use observe::{Context, Observe};
use tcp::{Endpoint, Payload, Retained, Segment, ShareState, Shared};

use crate::application::Progress;
use crate::disconnection::{ConnectivityChange, Forecast};
use crate::{AnyProgram, Disconnection, MachineId, NodeId, Program};

/// One TCP connection to be made between two nodes.
#[derive(Debug)]
pub struct Connection<'a> {
    /// Where the data come from.
    pub sender: NodeId,
    /// Where they go.
    pub receiver: NodeId,
    /// Settings of the sender's endpoint and of the receiver's.
    pub tcp: [&'a Arc<tcp::Config>; 2],
    /// Number of its group: connections of one may learn from each other.
    pub group: u32,
    /// Which side has a fixed port, ...
    pub server: Side,
    /// ... and that port. The other side takes its next free one.
    pub port: u16,
    /// Which side opens it.
    pub opener: Side,
    /// Whether both ends send short segments at once (`TCP_NODELAY`).
    pub no_delay: bool,
    /// The code point of the service that both ends ask for (DSCP, RFC 2474 §3).
    pub dscp: u8,
    /// True if middleboxes see nothing of its packets above IP but their ports.
    pub is_encrypted: bool,
    /// When it is opened.
    pub start: Time,
    /// When the receiver resets it, if it is open then.
    pub abort: Option<Time>,
    /// The initial sequence numbers of the sender and the receiver.
    pub isn: [Seq; 2],
}

/// An endpoint, its program and its place in the network.
#[derive(Debug)]
pub struct Host<P: Payload> {
    pub(crate) node: NodeId,
    pub(crate) peer: NodeId,
    /// Its own port and its peer's.
    pub(crate) ports: [u16; 2],
    /// The number of its group.
    pub(crate) group: u32,
    /// The code point of its packets.
    pub(crate) dscp: u8,
    /// True if middleboxes cannot read them.
    pub(crate) is_encrypted: bool,
    pub(crate) endpoint: Endpoint<P>,
    pub(crate) program: AnyProgram<P>,
    /// When it starts, if it has not yet.
    pub(crate) start: Option<Time>,
    /// When its program aborts, if it has not yet.
    abort: Option<Time>,
    /// The disconnections that it foresees.
    forecast: Option<Box<Forecast>>,
    /// Packets sent, which number the IP identification.
    pub(crate) sent: u16,
}

/// One of the two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// From where the data come.
    Sender,
    /// To where they go.
    Receiver,
}

impl Side {
    /// The other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}

impl<P: Payload> Host<P> {
    /// The endpoint of `connection` at this `side`, with the number `id` and its `program`; `ports`
    /// are the sender's and the receiver's.
    pub(crate) fn new(
        connection: &Connection<'_>,
        side: Side,
        program: AnyProgram<P>,
        id: MachineId,
        ports: [u16; 2],
    ) -> Self {
        let Connection { sender, receiver, tcp, start, abort, isn, .. } = connection;
        let (at, node, peer) = match side {
            Side::Sender => (0, *sender, *receiver),
            Side::Receiver => (1, *receiver, *sender),
        };
        let [local, remote] = [ports[at], ports[1 - at]];
        let connects = side == connection.opener;
        let mut endpoint = if connects {
            Endpoint::connect(id.0, tcp[at], local, remote, isn[at])
        } else {
            Endpoint::listen(id.0, tcp[at], local, remote, isn[at])
        };
        if connection.no_delay {
            endpoint.set_no_delay();
        }
        Self {
            node,
            peer,
            ports: [local, remote],
            group: connection.group,
            dscp: connection.dscp,
            is_encrypted: connection.is_encrypted,
            endpoint,
            program,
            start: connects.then_some(*start),
            abort: abort.filter(|_| side == Side::Receiver),
            forecast: None,
            sent: 0,
        }
    }

    /// Lets it foresee disconnections.
    pub(crate) fn foretell(&mut self, disconnections: &Arc<[Disconnection]>) {
        self.forecast = Some(Box::new(Forecast::new(disconnections)));
    }

    /// Takes over what an earlier connection knew; `is_taken` if careful resume may not, since
    /// another one uses it.
    pub(crate) fn remember(&mut self, before: &Shared, is_taken: bool) {
        let counts = match self.endpoint.learns() {
            ShareState::Off | ShareState::Ensemble => false,
            ShareState::Temporal => true,
            ShareState::Careful => !is_taken && matches!(before.retained, Retained::Path(_)),
        };
        if counts {
            self.endpoint.inherit(before);
        }
    }

    /// The endpoint.
    pub const fn endpoint(&self) -> &Endpoint<P> {
        &self.endpoint
    }

    /// Its node.
    pub const fn node(&self) -> NodeId {
        self.node
    }

    /// Its peer's node.
    pub const fn peer(&self) -> NodeId {
        self.peer
    }

    pub(crate) fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        if self.abort.is_some_and(|abort| abort <= cx.now) {
            return self.leave(cx);
        }
        if self.start.is_some_and(|start| start <= cx.now) {
            self.start = None;
        } else {
            self.endpoint.handle_timeout(cx);
        }
        self.look_ahead(cx.now);
        self.program.run(cx, &mut self.endpoint);
    }

    fn look_ahead(&mut self, now: Time) {
        let Some(forecast) = &mut self.forecast else { return };
        while let Some(turn) = forecast.take(now) {
            match turn {
                ConnectivityChange::Lost => self.endpoint.freeze(),
                ConnectivityChange::Restored => self.endpoint.thaw(),
            }
        }
    }

    /// Its program ends, and resets the connection if it is open.
    pub(crate) fn leave(&mut self, cx: &mut Context<'_, impl Observe>) {
        (self.start, self.abort) = (None, None);
        self.program = AnyProgram::Gone;
        self.endpoint.abort(cx);
    }

    /// The progress of its exchange, if its program asks.
    pub(crate) fn progress(&self) -> Option<Progress> {
        self.program.asker().map(|asker| asker.progress(self.endpoint.state()))
    }

    /// From now on `browser` is notified of the exchange's progress.
    pub(crate) const fn watch(&mut self, browser: MachineId) {
        if let AnyProgram::Asker(asker) = &mut self.program {
            asker.watch(browser);
        }
    }

    /// The browser to notify, if something may have changed.
    pub(crate) fn watched_by(&self) -> Option<MachineId> {
        self.program.asker().and_then(|asker| asker.watched_by(self.endpoint.state()))
    }

    pub(crate) fn handle_input(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        segment: &Segment<P>,
    ) {
        self.endpoint.handle_segment(cx, segment);
        self.program.run(cx, &mut self.endpoint);
    }

    pub(crate) fn poll_output(&mut self, cx: &mut Context<'_, impl Observe>) -> Option<Segment<P>> {
        if self.start.is_some() { None } else { self.endpoint.poll_output(cx) }
    }

    /// The identification of the next packet, one more than the one before.
    pub(crate) const fn next_identification(&mut self) -> u16 {
        self.sent = self.sent.wrapping_add(1);
        self.sent
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        if self.start.is_some() {
            return self.start;
        }
        let turn = self.forecast.as_ref().and_then(|forecast| forecast.deadline());
        let timers = Time::earlier(self.endpoint.poll_timeout(), self.program.poll_timeout());
        Time::earlier(timers, Time::earlier(self.abort, turn))
    }
}
