//! From `[middlebox]` to a box.

use std::sync::Arc;

use base::{Duration, Stream};
use middlebox::{
    Admission, Atcp, BothWays, DelayedDupacks, FdaLike, Itcp, MTcp, PerFlow, RadioLeg, Snoop,
    SocketBuffers, SplitConfig, Splitter, WTcp,
};
use tcp::{Payload, Variant};

use crate::profile;
use crate::schema::{Middlebox, MiddleboxKind, Scenario, Split};
use settings::Fault;
use settings::Table;
use settings::{Always, Form};

impl Middlebox {
    /// The box that it describes; `None` where there is none. Its sources of chance go by `seed`.
    #[must_use]
    pub fn machine<P: Payload + Send + 'static>(
        &self,
        seed: u64,
    ) -> Option<Box<dyn middlebox::Managed<P>>> {
        let split = SplitConfig::PLAIN;
        self.machine_within(split, &Admission::new(split.limits), None, seed)
    }

    /// The same within the bounds of `split`, which `admission` sees to, with senders towards fixed
    /// hosts as `uplink` says where that is split as well.
    pub(crate) fn machine_within<P: Payload + Send + 'static>(
        &self,
        split: SplitConfig,
        admission: &Admission,
        uplink: Option<&Arc<tcp::Config>>,
        seed: u64,
    ) -> Option<Box<dyn middlebox::Managed<P>>> {
        let (limits, buffers) = (split.limits, self.split.buffers());
        let uplink = uplink.map(|tcp| PerFlow::new(tcp, buffers));
        let split = SplitConfig { min_mss: self.tcp.min_mss, ..split };
        let relaying = SplitConfig { delayed_ack: self.tcp.delayed_ack, ..split };
        let admission = admission.clone();
        Some(match self.kind {
            MiddleboxKind::None => return None,
            MiddleboxKind::Atcp => {
                let config = SplitConfig { uplink_clamp: self.atcp.uplink_clamp(), ..split };
                splitter(config, Atcp::new(self.atcp.config()), uplink, admission)
            }
            MiddleboxKind::Snoop => {
                Box::new(Snoop::within(limits, self.snoop.config()).sharing(admission))
            }
            MiddleboxKind::FdaLike => {
                let config = self.fda.config(self.snoop.config());
                Box::new(FdaLike::within(limits, config).sharing(admission))
            }
            MiddleboxKind::DelayedDupacks => {
                let config = self.delayed_dupacks.config();
                Box::new(DelayedDupacks::within(limits, config).sharing(admission))
            }
            MiddleboxKind::MTcp => {
                Box::new(MTcp::within(limits, self.m_tcp.config()).sharing(admission))
            }
            MiddleboxKind::WTcp => {
                Box::new(WTcp::within(limits, self.w_tcp.config()).sharing(admission))
            }
            // A box stands for one router: nobody moves to another.
            MiddleboxKind::ITcp => {
                let router = Itcp::new(relaying, &self.senders(seed), buffers, Duration::ZERO);
                Box::new(router.sharing(admission))
            }
            MiddleboxKind::Split => {
                splitter(relaying, PerFlow::new(&self.senders(seed), buffers), uplink, admission)
            }
        })
    }

    /// The senders towards mobiles.
    fn senders(&self, seed: u64) -> Arc<tcp::Config> {
        let chance = Stream::named(seed, "middlebox congestion control").next_u32();
        Arc::new(self.tcp.seeded(u64::from(chance)))
    }
}

/// A box with `radio` towards mobiles and, where there is an `uplink`, with that towards fixed
/// hosts.
fn splitter<P, L>(
    config: SplitConfig,
    radio: L,
    uplink: Option<PerFlow<P>>,
    admission: Admission,
) -> Box<dyn middlebox::Managed<P>>
where
    P: Payload + Send + 'static,
    L: RadioLeg<P> + 'static,
{
    match uplink {
        None => Box::new(Splitter::new(config, radio).sharing(admission)),
        Some(wired) => {
            Box::new(Splitter::new(config, BothWays::new(radio, wired)).sharing(admission))
        }
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

/// What senders of a box of this kind are, where others are as `tcp`.
pub(crate) fn under_box(kind: MiddleboxKind, tcp: &tcp::Config) -> tcp::Config {
    tcp::Config {
        variant: kind.variant(),
        congestion_control: None,
        recovery: None,
        // Whether a mobile acknowledges selectively, it says itself.
        sack: None,
        ..tcp.clone()
    }
}

/// Reads `middlebox.tcp` of `tree` anew: what is not given there is as in `[tcp]`, beside the
/// congestion control and the loss recovery.
pub(crate) fn take_over_tcp(scenario: &mut Scenario, tree: &Table) -> Result<(), Fault> {
    let Some(middlebox) = &mut scenario.middlebox else { return Ok(()) };
    middlebox.tcp = under_box(middlebox.kind, &scenario.tcp);
    profile::lay_asked_under_tcp(tree, "middlebox.tcp.profile", &mut middlebox.tcp)?;
    if let Some(item) = tree.find("middlebox.tcp") {
        middlebox.tcp = Always::<tcp::Config>::read(item, "middlebox.tcp", &middlebox.tcp)?;
    }
    Ok(())
}
