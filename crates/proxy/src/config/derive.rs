//! Keys of a profile that follow from others.

use middlebox::RadioLink;
use settings::{Table, join};

use super::{Config, Profile};

/// Completes the scheme of each profile with what is given of the radio.
pub(super) fn fit(proxy: &mut Config, tree: &Table) {
    for profile in &mut proxy.profile {
        let at = format!("profile.{}.middlebox", profile.name);
        let radio = profile.radio_link();
        if let Some(keys) = profile.middlebox.keys_mut() {
            keys.fit_to(&radio, &|key| tree.find(&join(&at, key)).is_some());
        }
    }
}

impl Profile {
    /// What is given of the radio.
    pub const fn radio_link(&self) -> RadioLink {
        let Self { rate, uplink_rate, round_trip, bdp, .. } = *self;
        RadioLink { rate, uplink_rate, round_trip, bdp }
    }
}
