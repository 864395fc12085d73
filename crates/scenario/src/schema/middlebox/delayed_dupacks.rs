//! `[middlebox.delayed_dupacks]`: Vaidya et al. 2002.

use base::Duration;
use middlebox::DelayedDupacksConfig;

use settings::{OfTime, section};

section! {
    /// `[middlebox.delayed_dupacks]`: duplicate acknowledgements that wait for the radio's own
    /// repairs.
    pub struct DelayedDupacksKeys {
        /// How long the third and later ones wait. Default: a few round trips of GPRS's RLC, of
        /// 120 to 200 ms each.
        pub delay: Duration as OfTime<1> = Duration::from_millis(600);
    }
}

impl DelayedDupacksKeys {
    /// The same as the box takes it.
    pub(crate) const fn config(&self) -> DelayedDupacksConfig {
        DelayedDupacksConfig { delay: self.delay }
    }
}
