//! Connections split by a relay with one sender each.

use std::sync::Arc;

use tcp::Payload;

use crate::split::{PerFlow, SocketBuffers, SplitConfig, Splitter};

/// What performance-enhancing proxies of today do (Caini, Firrincieli and Lacamera, `PEPsal`: a
/// Performance Enhancing Proxy Designed for TCP Satellite Connections, VTC 2006): each
/// connection is relayed between two sockets, with whatever congestion control the relay's system
/// has, CUBIC as a rule.
///
/// Unlike that program this box lets the handshake pass, holds FINs until the mobile has them, and
/// hands resets on (see [`Splitter`]).
pub type PerFlowSplit<P> = Splitter<P, PerFlow<P>>;

impl<P: Payload + Send> PerFlowSplit<P> {
    /// A relay whose senders towards mobiles are as `tcp` says.
    pub fn per_flow(config: SplitConfig, tcp: &Arc<tcp::Config>, buffers: SocketBuffers) -> Self {
        Self::new(config, PerFlow::new(tcp, buffers))
    }
}
