//! From a profile to the box of its mobiles.

use std::sync::Arc;

use base::Stream;
use middlebox::{Admission, Journal, Limits, SplitConfig, Uplink};
use tcp::{Payload, Profile};

use super::{ProxyLimits, ProxyProfile};

impl ProxyProfile {
    /// The box of its mobiles, which lets connections in by `admission`. Its sources of chance go
    /// by `seed`.
    ///
    /// # Panics
    /// If it has no scheme, which cannot be in a parsed configuration.
    pub fn machine<P: Payload + Send + 'static>(
        &self,
        limits: &ProxyLimits,
        admission: &Admission,
        seed: u64,
    ) -> Box<dyn middlebox::Managed<P>> {
        let uplink = self.split_uplink.then(|| Arc::new(toward_hosts(seed)));
        let split = SplitConfig {
            uplink: if self.split_uplink { Uplink::Split } else { Uplink::Rides },
            limits: limits.of_box(),
            journal: Journal::Kept,
            ..SplitConfig::PLAIN
        };
        let machine = self.middlebox.machine_within(split, admission, uplink.as_ref(), seed);
        machine.expect("a configuration without a scheme is refused when it is parsed")
    }
}

/// Senders towards fixed hosts are as those of today.
fn toward_hosts(seed: u64) -> tcp::Config {
    let chance = Stream::named(seed, "proxy congestion control towards hosts").next_u32();
    Profile::Modern.config().seeded(u64::from(chance))
}

impl ProxyLimits {
    /// The same as a box takes them.
    pub const fn of_box(&self) -> Limits {
        Limits {
            flows: self.flows,
            flows_per_mobile: self.flows_per_mobile,
            opening: self.opening,
            opening_per_mobile: self.opening_per_mobile,
            opening_per_host: self.opening_per_host,
            bytes: self.bytes,
            idle: self.idle,
            transitory: self.transitory,
        }
    }
}
