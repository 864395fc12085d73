//! Connections split by a relay with one sender each.

use std::sync::Arc;

use settings::{Flat, section};
use tcp::{Payload, Variant};

use crate::split::{PerFlow, Relay, SocketBuffers, SplitConfig, Splitter};
use crate::{Managed, RadioLink, SchemeKeys, Setup};

/// What performance-enhancing proxies of today do (Caini, Firrincieli and Lacamera, `PEPsal`: a
/// Performance Enhancing Proxy Designed for TCP Satellite Connections, VTC 2006): each
/// connection is relayed between two sockets, with whatever congestion control the relay's system
/// has, CUBIC as a rule.
///
/// Unlike that program this box lets the handshake pass, holds FINs until the mobile has them, and
/// passes resets on (see [`Splitter`]).
pub type PerFlowSplit<P> = Splitter<P, PerFlow<P>>;

impl<P: Payload + Send> PerFlowSplit<P> {
    /// A relay whose senders towards mobiles are as `tcp` says.
    pub fn per_flow(config: SplitConfig, tcp: &Arc<tcp::Config>, buffers: SocketBuffers) -> Self {
        Self::new(config, PerFlow::new(tcp, buffers))
    }
}

section! {
    /// `[middlebox]` of split.
    pub struct SplitKeys {
        /// Its senders and sockets.
        pub relay: Relay as Flat<Relay> = Relay::of(Variant::Cubic);
    }
}

impl SchemeKeys for SplitKeys {
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
        let (config, sockets) = (self.relay.config(&setup), self.relay.split);
        let radio = PerFlow::new(&self.relay.senders(setup.seed), sockets);
        setup.splitting(config, radio, sockets)
    }
}
