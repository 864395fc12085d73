//! How a flow of an application is made.

use std::sync::Arc;

use base::{Seq, Stream, Time};
use tcp::Length;

use super::{AnyProgram, Application};
use crate::{Body, Connection, MachineId, NodeId, Side, World};

/// More than any run can transfer: what messages without end are cut from.
pub(super) const ENDLESS: Length = Length(1 << 60);

/// What an application is besides its keys.
pub trait Traffic {
    /// The usual port of the server (IANA).
    const PORT: u16;

    /// The side that asks, which opens the connection and whose peer is the server. `None` where
    /// nobody asks: the flow then says who opens, and who is the server.
    const CLIENT: Option<Side> = None;

    /// Whether both ends send short segments at once (`TCP_NODELAY`).
    const NO_DELAY: bool = false;

    /// Bytes that a flow transfers which is to have so much payload; `None` without end.
    fn bytes(&self, payload: Option<u64>) -> Option<u64> {
        payload
    }

    /// Adds `flow` to its world. Returns the machines of its sender and its receiver.
    fn add<B: Body<Payload = Length>>(&self, flow: NewFlow<'_, B>) -> [MachineId; 2];

    /// Adds `flow`, which is one of `application`.
    fn start<B: Body<Payload = Length>>(
        &self,
        application: Application,
        flow: NewFlow<'_, B>,
    ) -> AddedFlow {
        AddedFlow { application, bytes: self.bytes(flow.bytes), ends: self.add(flow) }
    }

    /// A TCP connection for `flow`, with programs at the sender's and at the receiver's end.
    fn connect<B: Body<Payload = Length>>(
        flow: NewFlow<'_, B>,
        sending: impl Into<AnyProgram<Length>>,
        receiving: impl Into<AnyProgram<Length>>,
    ) -> [MachineId; 2] {
        let NewFlow { sender, receiver, dscp, is_encrypted, start, abort, .. } = flow;
        let (tcp, isn) = flow.tcp.draw(flow.number);
        let connection = Connection {
            sender,
            receiver,
            tcp: tcp.each_ref(),
            group: flow.tcp.group,
            server: Self::CLIENT.map_or(flow.server, Side::other),
            port: flow.port.unwrap_or(Self::PORT),
            opener: Self::CLIENT.unwrap_or(flow.opener),
            no_delay: Self::NO_DELAY,
            dscp,
            is_encrypted,
            start,
            abort,
            isn,
        };
        flow.world.add_connection(&connection, [sending.into(), receiving.into()])
    }
}

/// A flow to be made.
#[derive(Debug)]
pub struct NewFlow<'a, B: Body> {
    /// Where.
    pub world: &'a mut World<B>,
    /// Its number among all flows, from 0, which names its machines and its chance.
    pub number: usize,
    /// Its number in its group, from 0.
    pub within: u32,
    /// The seed of all chance.
    pub seed: u64,
    /// Where the data come from.
    pub sender: NodeId,
    /// Where they go.
    pub receiver: NodeId,
    /// Which side has a fixed port where nobody asks, ...
    pub server: Side,
    /// ... and that port, if it is not the usual one.
    pub port: Option<u16>,
    /// Which side opens the connection where nobody asks.
    pub opener: Side,
    /// Payload; `None` without end.
    pub bytes: Option<u64>,
    /// The code point of the service that its packets ask for, in both directions.
    pub dscp: u8,
    /// True if middleboxes see nothing of its packets above IP but their ports.
    pub is_encrypted: bool,
    /// When it begins.
    pub start: Time,
    /// When the sender stops.
    pub stop: Option<Time>,
    /// When the receiver resets its connection, if that is open then.
    pub abort: Option<Time>,
    /// How endpoints of TCP behave.
    pub tcp: &'a TcpSource,
}

/// A flow that was made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AddedFlow {
    /// What it transfers.
    pub application: Application,
    /// Bytes to transfer; `None` without end.
    pub bytes: Option<u64>,
    /// The machines of its sender and its receiver.
    pub ends: [MachineId; 2],
}

/// What flows of TCP have in common, and what each draws for itself by its number: which flows are
/// made with it changes nothing.
#[derive(Debug)]
pub struct TcpSource {
    /// Settings of the endpoints of senders and of receivers.
    pub configs: [Arc<tcp::Config>; 2],
    /// The number of the group of these flows.
    pub group: u32,
    /// Where initial sequence numbers come from.
    pub isn: Stream,
    /// Where the seeds of congestion controls come from.
    pub chance: Stream,
}

impl<B: Body> NewFlow<'_, B> {
    /// Its source of chance called `what`.
    pub fn chance(&self, what: &str) -> Stream {
        Stream::named(self.seed, &format!("flow {}/{what}", self.number))
    }

    /// The one of `parts` whose turn it is.
    pub(super) fn turn(&self, parts: &[Application]) -> Application {
        parts[self.within as usize % parts.len()]
    }
}

impl TcpSource {
    /// How the endpoints of flow `number` behave, and their initial sequence numbers: the sender's
    /// and the receiver's.
    pub fn draw(&self, number: usize) -> ([Arc<tcp::Config>; 2], [Seq; 2]) {
        let configs = self.configs.each_ref().map(|config| {
            if !config.takes_chances() {
                return Arc::clone(config);
            }
            let seed = self.chance.clone().after(number as u64).next_u32();
            Arc::new(config.seeded(u64::from(seed)))
        });
        let mut isn = self.isn.clone().after(2 * number as u64);
        (configs, [(); 2].map(|()| Seq::new(isn.next_u32())))
    }
}
