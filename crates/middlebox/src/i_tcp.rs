//! I-TCP (Bakre and Badrinath, I-TCP: Indirect TCP for Mobile Hosts, ICDCS 1995).

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Duration, Time};
use observe::BoxContext;
use settings::{Flat, section};
use tcp::{Payload, Variant};

use crate::split::{BothWays, PerFlow, Relay, SocketBuffers, SplitConfig, Splitter};
use crate::{
    Address, Counters, Managed, Middlebox, Packet, RadioLink, RadioReport, SchemeKeys, Setup,
};

section! {
    /// `[middlebox]` of i-tcp.
    pub struct ItcpKeys {
        /// Its senders and sockets.
        pub relay: Relay as Flat<Relay> = Relay::of(Variant::Reno);
    }
}

impl SchemeKeys for ItcpKeys {
    fn sockets(&self) -> Option<&SocketBuffers> {
        Some(&self.relay.split)
    }

    fn bytes_of_connection(&self, _mss: u16) -> u64 {
        self.relay.split.first_bytes()
    }

    fn warning(&self, mss: u16, radio: &RadioLink) -> Option<String> {
        self.relay.split.warning(mss, radio)
    }

    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>> {
        let (config, senders) = (self.relay.config(&setup), self.relay.senders(setup.seed));
        // A box stands for one router: nobody moves to another.
        Box::new(Itcp::indirect(config, &senders, self.relay.split).sharing(setup.admission))
    }
}

/// Indirect TCP: the mobile support router relays each connection between a socket towards the
/// fixed host, which is the mobile's image, and one towards the mobile, both with regular TCP. It
/// reacts to a stall of the radio leg only by full buffers: the
/// retransmission timer backs off, and the host sees a closed window.
///
/// When the mobile moves to another router, both sockets are frozen, their state and what is
/// buffered is transferred, and the new router resumes ([`Routers::hand_over`]).
///
/// The division of a connection and these steps of the handoff are known from the paper.
/// Reconstructed: the handshake passes instead of being answered by the router, and FIN and RST
/// keep their meaning from end to end, as for every [`Splitter`]; the paper acknowledges both
/// early.
pub type Itcp<P> = Splitter<P, BothWays<P, PerFlow<P>>>;

impl<P: Payload + Send> Itcp<P> {
    /// A router whose senders towards mobiles are as `tcp` says.
    pub fn indirect(config: SplitConfig, tcp: &Arc<tcp::Config>, buffers: SocketBuffers) -> Self {
        let senders = || PerFlow::new(tcp, buffers);
        Self::new(config, BothWays::new(senders(), senders()))
    }
}

/// Two routers with indirect TCP, between which mobiles move.
#[derive(Debug)]
pub struct Routers<P> {
    splitter: Itcp<P>,
    handoff: Duration,
    /// Mobiles whose sockets are frozen, and until when.
    frozen: Vec<(Address, Time)>,
    /// Packets to and from the frozen sockets, in order.
    arrived: VecDeque<Packet<P>>,
    to_send: VecDeque<Packet<P>>,
}

impl<P: Payload + Send> Routers<P> {
    /// Routers with `splitter`, for which a handoff takes `handoff`.
    pub const fn new(splitter: Itcp<P>, handoff: Duration) -> Self {
        Self {
            splitter,
            handoff,
            frozen: Vec::new(),
            arrived: VecDeque::new(),
            to_send: VecDeque::new(),
        }
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

impl<P: Payload + Send> Middlebox<P> for Routers<P> {
    fn handle_packet(&mut self, cx: &mut BoxContext<'_>, packet: Packet<P>) {
        if self.is_frozen(&packet) {
            self.arrived.push_back(packet);
        } else {
            self.splitter.handle_packet(cx, packet);
        }
    }

    fn handle_timeout(&mut self, cx: &mut BoxContext<'_>) {
        self.frozen.retain(|&(_, until)| until > cx.now);
        for _ in 0..self.arrived.len() {
            if let Some(packet) = self.arrived.pop_front() {
                self.handle_packet(cx, packet);
            }
        }
        self.splitter.handle_timeout(cx);
    }

    fn handle_report(&mut self, cx: &mut BoxContext<'_>, mobile: Address, report: RadioReport) {
        self.splitter.handle_report(cx, mobile, report);
    }

    fn poll_output(&mut self, cx: &mut BoxContext<'_>) -> Option<Packet<P>> {
        if let Some(thawed) = self.to_send.iter().position(|packet| !self.is_frozen(packet)) {
            return self.to_send.remove(thawed);
        }
        while let Some(packet) = self.splitter.poll_output(cx) {
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

/// A proxy is one router.
impl<P: Payload + Send> Managed<P> for Routers<P> {}
