//! Keys of boxes that relay each connection between two sockets.

use std::sync::Arc;

use base::Stream;
use settings::{Always, Over, section};
use tcp::Variant;

use super::{SocketBuffers, SplitConfig};
use crate::Setup;

section! {
    /// `[middlebox]` of i-tcp and split.
    pub struct Relay {
        /// The senders of i-tcp and split towards the mobile. What is not given here is as in
        /// [tcp], but the congestion control and the loss recovery are those of the kind: reno of
        /// i-tcp, cubic of split.
        pub tcp: tcp::Config as Over<tcp::Config, tcp::Config> = tcp::Config::default();
        /// The sockets of i-tcp and split.
        pub split: SocketBuffers as Always<SocketBuffers> = SocketBuffers::default();
    }
}

impl Relay {
    /// Keys of a box whose senders are such unless something else is given.
    pub(crate) fn of(variant: Variant) -> Self {
        Self { tcp: tcp::Config { variant, ..tcp::Config::default() }, ..Self::default() }
    }

    /// The senders towards mobiles.
    pub(crate) fn senders(&self, seed: u64) -> Arc<tcp::Config> {
        let chance = Stream::named(seed, "middlebox congestion control").next_u32();
        Arc::new(self.tcp.seeded(chance.into()))
    }

    /// How its box splits connections.
    pub(crate) fn config(&self, setup: &Setup) -> SplitConfig {
        let (min_mss, delayed_ack) = (self.tcp.min_mss, self.tcp.delayed_ack);
        SplitConfig { min_mss, delayed_ack, ..setup.split() }
    }
}
