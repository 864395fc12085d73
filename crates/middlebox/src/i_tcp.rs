//! I-TCP (Bakre and Badrinath, I-TCP: Indirect TCP for Mobile Hosts, ICDCS 1995).

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Duration, Time};
use settings::{Flat, section};
use tcp::{Payload, Variant};

use crate::split::{BothWays, PerFlow, Relay, SocketBuffers, SplitConfig, Splitter};
use crate::{
    Address, Admission, Bypasses, Connection, Counters, Exposure, Managed, Middlebox, Packet,
    PmtuHandler, RadioReport, SchemeKeys, Setup, Usage, Watch,
};

section! {
    /// `[middlebox]` of i-tcp.
    pub struct ItcpKeys {
        /// Its senders and sockets.
        pub relay: Relay as Flat<Relay> = Relay::default();
    }
}

impl SchemeKeys for ItcpKeys {
    fn sockets(&self) -> Option<&SocketBuffers> {
        Some(&self.relay.split)
    }

    fn bytes_of_connection(&self, _mss: u16) -> u64 {
        self.relay.split.bytes()
    }

    fn take_over(&mut self, hosts: &tcp::Config) {
        self.relay.take_over(Variant::Reno, hosts);
    }

    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        let (config, senders) = (self.relay.config(&setup), self.relay.senders(setup.seed));
        // A box stands for one router: nobody moves to another.
        let router = Itcp::new(config, &senders, self.relay.split, Duration::ZERO);
        Box::new(router.sharing(setup.admission))
    }
}

/// Indirect TCP: the mobile support router relays each connection between a socket towards the
/// fixed host, which is the mobile's image, and one towards the mobile, both with regular TCP and
/// buffers of fixed size. It has no answer to a stall of the radio leg but that the buffers run
/// full: the retransmission timer backs off, and the host sees a closed window.
///
/// When the mobile moves to another router, both sockets are frozen, their state and what is
/// buffered is transferred, and the new router resumes ([`Itcp::hand_over`]).
///
/// Known from the paper is the division of a connection and the handoff in these steps.
/// Reconstructed: the handshake passes instead of being answered by the router, and FIN and RST
/// keep their meaning from end to end, as for every [`Splitter`]; the paper acknowledges both
/// early.
#[derive(Debug)]
pub struct Itcp<P> {
    splitter: Splitter<P, BothWays<P, PerFlow<P>>>,
    handoff: Duration,
    /// Mobiles whose sockets are frozen, and until when.
    frozen: Vec<(Address, Time)>,
    /// What has come for or left the frozen sockets meanwhile, in its order.
    arrived: VecDeque<Packet<P>>,
    to_send: VecDeque<Packet<P>>,
}

impl<P: Payload + Send> Itcp<P> {
    /// A router whose senders towards mobiles are as `tcp` says. A handoff takes `handoff`.
    pub fn new(
        config: SplitConfig,
        tcp: &Arc<tcp::Config>,
        buffers: SocketBuffers,
        handoff: Duration,
    ) -> Self {
        let senders = || PerFlow::new(tcp, buffers);
        Self {
            splitter: Splitter::new(config, BothWays::new(senders(), senders())),
            handoff,
            frozen: Vec::new(),
            arrived: VecDeque::new(),
            to_send: VecDeque::new(),
        }
    }

    /// The same, which shares the bounds of others.
    #[must_use]
    pub fn sharing(mut self, admission: Admission) -> Self {
        self.splitter = self.splitter.sharing(admission);
        self
    }

    /// `mobile` moves to another router. Until its sockets are there, packets to and from it wait:
    /// the old router forwards what reaches it, and the new one goes on with all of it. What the
    /// sockets themselves want to send waits as well. This box stands for both routers.
    pub fn hand_over(&mut self, now: Time, mobile: Address) {
        self.frozen.retain(|&(other, _)| other != mobile);
        self.frozen.push((mobile, now + self.handoff));
    }

    fn is_frozen(&self, packet: &Packet<P>) -> bool {
        let concerns = |mobile| mobile == packet.source || mobile == packet.destination;
        self.frozen.iter().any(|&(mobile, _)| concerns(mobile))
    }
}

impl<P: Payload + Send> Middlebox<P> for Itcp<P> {
    fn handle_packet(&mut self, now: Time, packet: Packet<P>, watch: Watch<'_>) {
        if self.is_frozen(&packet) {
            self.arrived.push_back(packet);
        } else {
            self.splitter.handle_packet(now, packet, watch);
        }
    }

    fn handle_timeout(&mut self, now: Time, watch: Watch<'_>) {
        self.frozen.retain(|&(_, until)| until > now);
        for _ in 0..self.arrived.len() {
            if let Some(packet) = self.arrived.pop_front() {
                self.handle_packet(now, packet, watch);
            }
        }
        self.splitter.handle_timeout(now, watch);
    }

    fn handle_report(&mut self, now: Time, mobile: Address, report: RadioReport, watch: Watch<'_>) {
        self.splitter.handle_report(now, mobile, report, watch);
    }

    fn poll_output(&mut self, now: Time, watch: Watch<'_>) -> Option<Packet<P>> {
        if let Some(thawed) = self.to_send.iter().position(|packet| !self.is_frozen(packet)) {
            return self.to_send.remove(thawed);
        }
        while let Some(packet) = self.splitter.poll_output(now, watch) {
            if !self.is_frozen(&packet) {
                return Some(packet);
            }
            self.to_send.push_back(packet);
        }
        None
    }

    fn poll_timeout(&self) -> Option<Time> {
        let thaw = self.frozen.iter().map(|&(_, until)| until).min();
        thaw.into_iter().chain(self.splitter.poll_timeout()).min()
    }

    fn counters(&self) -> Counters {
        self.splitter.counters()
    }
}

impl<P: Payload + Send> Managed<P> for Itcp<P> {
    fn bypasses(&self) -> Bypasses {
        self.splitter.bypasses()
    }

    fn knows(&self, connection: &Connection) -> bool {
        self.splitter.knows(connection)
    }

    fn usage(&self) -> Usage {
        self.splitter.usage()
    }

    fn ignore(&mut self, connection: Connection) {
        self.splitter.ignore(connection);
    }

    fn forget_opening(&mut self, now: Time, connection: Connection) {
        self.splitter.forget_opening(now, connection);
    }

    fn handle_path_mtu(
        &mut self,
        now: Time,
        connection: Connection,
        mtu: u16,
        watch: Watch<'_>,
    ) -> PmtuHandler {
        self.splitter.handle_path_mtu(now, connection, mtu, watch)
    }

    fn drain(&mut self, now: Time, watch: Watch<'_>) {
        self.splitter.drain(now, watch);
    }

    fn reset_all(&mut self, now: Time, watch: Watch<'_>) {
        self.splitter.reset_all(now, watch);
    }

    fn poll_exposure(&mut self) -> Option<(u32, Option<Exposure>)> {
        self.splitter.poll_exposure()
    }
}
