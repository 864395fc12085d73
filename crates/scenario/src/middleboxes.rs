//! From `[middlebox]` to a box.

use std::sync::Arc;

use base::{Duration, Stream};
use middlebox::{
    Atcp, DelayedDupacks, FdaLike, Itcp, MTcp, PerFlowSplit, Snoop, SocketBuffers, SplitConfig,
    Splitter, WTcp,
};
use tcp::Payload;

use crate::error::Fault;
use crate::form::{Always, Form};
use crate::profile;
use crate::schema::{Middlebox, MiddleboxKind, Scenario, Split, Tcp, Variant};
use crate::tree::Table;

impl Middlebox {
    /// The box that it describes; `None` where there is none. Its sources of chance go by `seed`.
    #[must_use]
    pub fn machine<P: Payload + Send + 'static>(
        &self,
        seed: u64,
    ) -> Option<Box<dyn middlebox::Middlebox<P>>> {
        Some(match self.kind {
            MiddleboxKind::None => return None,
            MiddleboxKind::Atcp => {
                let uplink_clamp = self.atcp.uplink_clamp;
                let config = SplitConfig { uplink_clamp, ..SplitConfig::PLAIN };
                Box::new(Splitter::new(config, Atcp::new(self.atcp.config())))
            }
            MiddleboxKind::Snoop => Box::new(Snoop::new(self.snoop.config())),
            MiddleboxKind::FdaLike => Box::new(FdaLike::new(self.fda.config(self.snoop.config()))),
            MiddleboxKind::DelayedDupacks => {
                Box::new(DelayedDupacks::new(self.delayed_dupacks.config()))
            }
            MiddleboxKind::MTcp => Box::new(MTcp::new(self.m_tcp.config())),
            MiddleboxKind::WTcp => Box::new(WTcp::new(self.w_tcp.config())),
            MiddleboxKind::ITcp => {
                let (config, buffers) = (self.splitting(), self.split.buffers());
                // A box stands for one router: nobody moves to another.
                Box::new(Itcp::new(config, &self.senders(seed), buffers, Duration::ZERO))
            }
            MiddleboxKind::Split => {
                let (config, buffers) = (self.splitting(), self.split.buffers());
                Box::new(PerFlowSplit::per_flow(config, &self.senders(seed), buffers))
            }
        })
    }

    /// How connections are split.
    const fn splitting(&self) -> SplitConfig {
        SplitConfig { delayed_ack: self.tcp.delayed_ack, ..SplitConfig::PLAIN }
    }

    /// The senders towards mobiles.
    fn senders(&self, seed: u64) -> Arc<tcp::Config> {
        let chance = Stream::named(seed, "middlebox congestion control").next_u32();
        Arc::new(self.tcp.config_of(u64::from(chance)))
    }
}

impl Split {
    const fn buffers(&self) -> SocketBuffers {
        SocketBuffers { receive: self.receive_buffer, send: self.send_buffer }
    }
}

impl MiddleboxKind {
    /// What its own senders are, if it has any.
    const fn variant(self) -> Variant {
        match self {
            Self::None
            | Self::Atcp
            | Self::Snoop
            | Self::FdaLike
            | Self::DelayedDupacks
            | Self::MTcp
            | Self::WTcp
            | Self::ITcp => Variant::Reno,
            Self::Split => Variant::Cubic,
        }
    }
}

/// Reads `middlebox.tcp` of `tree` anew: what is not given there is as in `[tcp]`, beside the
/// congestion control and the loss recovery.
pub(crate) fn take_over_tcp(scenario: &mut Scenario, tree: &Table) -> Result<(), Fault> {
    let Some(middlebox) = &mut scenario.middlebox else { return Ok(()) };
    middlebox.tcp = Tcp {
        variant: middlebox.kind.variant(),
        congestion_control: None,
        recovery: None,
        // Whether a mobile acknowledges selectively, it says itself.
        sack: None,
        ..scenario.tcp.clone()
    };
    profile::lay_asked_under_tcp(tree, "middlebox.tcp.profile", &mut middlebox.tcp)?;
    if let Some(item) = tree.find("middlebox.tcp") {
        middlebox.tcp = Always::<Tcp>::read(item, "middlebox.tcp", &middlebox.tcp)?;
    }
    Ok(())
}
