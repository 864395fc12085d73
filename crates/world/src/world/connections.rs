//! Connections: the endpoints of each, and the browsers that open more.

use std::sync::Arc;

use observe::{ConnectionFact, Context, Observe};

use crate::application::Progress;
use crate::{
    Answerer, AnyProgram, Asker, Body, Connection, Disconnection, Ends, Exchange, Fetching, Host,
    Machine, MachineId, NodeId, Packet, ParallelBrowser, Side, World,
};

/// Assembling.
impl<B: Body> World<B> {
    /// Adds the two endpoints of a connection, the sender's and the receiver's, each with its
    /// program.
    ///
    /// # Panics
    /// If the side that is not the server has no port left towards it.
    pub fn add_connection(
        &mut self,
        connection: &Connection<'_>,
        programs: [AnyProgram<B::Payload>; 2],
    ) -> [MachineId; 2] {
        let ports = self.ports(connection).expect("a port is free");
        self.add_between(ports, connection, programs)
    }

    /// The same between these ports.
    fn add_between(
        &mut self,
        ports: [u16; 2],
        connection: &Connection<'_>,
        [sending, receiving]: [AnyProgram<B::Payload>; 2],
    ) -> [MachineId; 2] {
        let first = self.machines.next_id();
        let ends = [first, MachineId(first.0 + 1)];
        let nodes = [connection.sender, connection.receiver];
        let [sender, receiver] =
            [0, 1].map(|at| format!("{}:{}", self.node(nodes[at]).name(), ports[at]));
        for (side, program, name) in [
            (Side::Sender, sending, format!("{sender}-{receiver}")),
            (Side::Receiver, receiving, format!("{receiver}-{sender}")),
        ] {
            let host = Host::new(connection, side, program, ends[side as usize], ports);
            self.machines.add(&name, Machine::Host(Box::new(host)));
        }
        self.bind(nodes, ports, ends);
        ends
    }

    /// Adds a browser that opens a connection for each object of its pages.
    pub fn add_browser(&mut self, name: &str, fetching: Fetching<B::Payload>) -> MachineId {
        let browser = ParallelBrowser::new(fetching);
        let id = self.machines.add(name, Machine::Browser(Box::new(browser)));
        self.machines.reschedule(id);
        id
    }

    /// The ports of the sender and the receiver; `None` if all are in use.
    fn ports(&mut self, connection: &Connection<'_>) -> Option<[u16; 2]> {
        let Connection { sender, receiver, port, .. } = *connection;
        let mut own = |node: NodeId, server| self.nodes[node].take_port(server, port);
        Some(match connection.server {
            Side::Sender => [port, own(receiver, sender)?],
            Side::Receiver => [own(sender, receiver)?, port],
        })
    }

    /// Routes packets of a connection to its endpoints, and wakes them.
    fn bind(&mut self, nodes: [NodeId; 2], ports: [u16; 2], ends: [MachineId; 2]) {
        for at in [0, 1] {
            let (id, peer) = (ends[at], 1 - at);
            let node = &mut self.nodes[nodes[at]];
            node.bind(ports[at], nodes[peer], ports[peer], id);
            self.machines.reschedule(id);
        }
    }
}

/// Running.
impl<B: Body> World<B> {
    /// Has a browser check its connections and open new ones.
    pub(crate) fn run_browser(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        let mut at = 0;
        while let Some(fetch) = self.browser(id).fetch(at) {
            let progress = self.progress(fetch.ends[1]);
            let is_over = self.browser(id).take_in(cx, id, at, progress);
            at += usize::from(!is_over);
        }
        if self.browser(id).goes(cx.now) {
            for end in self.browser(id).leave() {
                if let Some(host) = self.machines[end].host_mut() {
                    host.leave(cx);
                }
                self.run_host(cx, end);
            }
        }
        self.browser(id).handle_timeout(cx.now);
        while let Some(exchange) = self.browser(id).next_fetch(cx.now) {
            self.connect(cx, id, exchange);
        }
        self.machines.reschedule(id);
    }

    /// Opens a connection for `exchange` of browser `id`: between endpoints that are at rest, or
    /// between new ones. Where all ports are in use, the browser puts it off.
    fn connect(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId, exchange: Exchange) {
        let browser = self.browser(id);
        let (isn, resting) = (browser.isn(), browser.resting());
        let Fetching { server, reader, port, dscp, is_encrypted, tcp, group, data, stop, .. } =
            browser.fetching();
        let answerer = Answerer::new(exchange, data).stopping(*stop);
        let asker = Asker::new(exchange, data).stopping(*stop);
        let programs = [answerer.into(), asker.into()];
        let tcp = tcp.clone();
        let connection = Connection {
            sender: *server,
            receiver: *reader,
            tcp: tcp.each_ref(),
            group: *group,
            server: Side::Sender,
            port: *port,
            opener: Side::Receiver,
            no_delay: true,
            dscp: *dscp,
            is_encrypted: *is_encrypted,
            start: cx.now,
            abort: None,
            isn,
        };
        let resting = resting.filter(|ends| ends.iter().all(|end| self.is_closed(*end)));
        resting.into_iter().flatten().for_each(|end| self.free_ports(end));
        let Some(ports) = self.ports(&connection) else {
            return self.browser(id).put_off(cx.now, exchange);
        };
        let ends = match resting {
            Some(ends) => {
                self.browser(id).rouse();
                self.replace(ports, &connection, ends, programs);
                ends
            }
            None => self.add_between(ports, &connection, programs),
        };
        if let Some(host) = self.machines[ends[1]].host_mut() {
            host.watch(id);
        }
        let [sender, receiver] = ends.map(|end| end.0);
        let bytes = exchange.answer;
        let fact = ConnectionFact { application: id.0, sender, receiver, bytes };
        cx.observe.connection(cx.now, fact);
        self.browser(id).opened(exchange, ends);
    }

    /// Frees the ports of a closed endpoint for others.
    fn free_ports(&mut self, end: MachineId) {
        if let Some(host) = self.machines[end].host() {
            let ([local, remote], node, peer) = (host.ports, host.node, host.peer);
            self.nodes[node].release(local, peer, remote);
        }
    }

    /// Replaces the closed endpoints `ends`, whose ports are free, with those of `connection`.
    fn replace(
        &mut self,
        ports: [u16; 2],
        connection: &Connection<'_>,
        ends: [MachineId; 2],
        [sending, receiving]: [AnyProgram<B::Payload>; 2],
    ) {
        let nodes = [connection.sender, connection.receiver];
        for (side, program, at) in [(Side::Sender, sending, 0), (Side::Receiver, receiving, 1)] {
            let id = ends[at];
            if let Some(host) = self.machines[id].host_mut() {
                let before = host.endpoint.shared();
                *host = Host::new(connection, side, program, id, ports);
                let is_taken = self.is_resumed_beside(id);
                if let (Some(host), Some(before)) = (self.machines[id].host_mut(), before) {
                    host.remember(&before, is_taken);
                }
            }
        }
        self.bind(nodes, ports, ends);
    }

    /// Lets endpoint `id` foresee disconnections (Freeze-TCP).
    ///
    /// # Panics
    /// If the disconnections overlap or are not in order of time.
    pub fn foretell(&mut self, id: MachineId, disconnections: &Arc<[Disconnection]>) {
        if let Some(host) = self.machines[id].host_mut() {
            host.foretell(disconnections);
            self.machines.reschedule(id);
        }
    }

    /// Answers a packet without an endpoint, such as a late one for a connection that both sides
    /// have ended (RFC 9293 §3.10.7.1).
    pub(super) fn refuse(&mut self, cx: &mut Context<'_, impl Observe>, packet: Packet<B>) {
        let Ends { source, destination } = packet.ends;
        let refusal = packet.body.segment().and_then(|segment| tcp::refusal(&segment));
        self.packets.recycle(packet);
        if let Some(refusal) = refusal {
            let ends = Ends { source: destination, destination: source };
            self.handle_packet(cx, destination, source, B::from_segment(refusal, ends));
        }
    }

    fn browser(&mut self, id: MachineId) -> &mut ParallelBrowser<B::Payload> {
        let Machine::Browser(browser) = &mut self.machines[id] else {
            unreachable!("machine {} is a browser", id.0)
        };
        browser
    }

    /// The progress of the exchange whose asking end is `id`.
    fn progress(&self, id: MachineId) -> Progress {
        self.machines[id].host().and_then(Host::progress).unwrap_or(Progress::Failed)
    }

    fn is_closed(&self, id: MachineId) -> bool {
        self.machines[id].host().is_some_and(|host| host.endpoint().state() == tcp::State::Closed)
    }
}
