//! From a profile to the box of its mobiles.

use std::sync::Arc;

use base::Stream;
use middlebox::{Admission, Journal, LargePackets, Managed, MiddleboxLimits, Setup};
use tcp::Payload;

use super::Profile;

impl Profile {
    /// The box of its mobiles, which admits connections by `admission`. Its sources of chance use
    /// `seed`.
    ///
    /// # Panics
    /// If it has no scheme, which cannot be in a parsed configuration.
    pub fn machine<P: Payload + Send + 'static>(
        &self,
        limits: MiddleboxLimits,
        admission: &Admission,
        seed: u64,
    ) -> Box<dyn Managed<P>> {
        let setup = Setup {
            limits,
            admission: admission.clone(),
            uplink: self.split_uplink.then(|| Arc::new(toward_hosts(seed))),
            large_packets: LargePackets::Vanish,
            journal: Journal::Kept,
            seed,
            number: 0,
        };
        let machine = self.middlebox.build(setup);
        machine.expect("a configuration without a scheme is refused when it is parsed")
    }
}

/// Senders towards fixed hosts are as those of today.
fn toward_hosts(seed: u64) -> tcp::Config {
    let chance = Stream::named(seed, "proxy congestion control towards hosts").next_u32();
    tcp::Profile::Modern.config().seeded(u64::from(chance))
}
