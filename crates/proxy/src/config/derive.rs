//! Keys of a profile that follow from others.

use ipnet::IpNet;
use middlebox::{RadioLink, SchemeKeys};
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

impl Config {
    /// True if packets to a mobile of `prefix`, or of a part of it, that are not TCP may have to
    /// wait for their turn.
    pub fn schedules_others(&self, prefix: &IpNet) -> bool {
        let holds = |other: &IpNet| other.contains(prefix) || prefix.contains(other);
        let is_its = |profile: &&Profile| profile.mobiles.iter().any(holds);
        self.profile.iter().filter(is_its).any(Profile::schedules_others)
    }
}

impl Profile {
    /// True if packets to its mobiles that are not TCP wait for their turn.
    pub fn schedules_others(&self) -> bool {
        self.middlebox.keys().is_some_and(SchemeKeys::schedules_others)
    }

    /// What is given of the radio.
    pub const fn radio_link(&self) -> RadioLink {
        let Self { rate, uplink_rate, round_trip, bdp, .. } = *self;
        RadioLink { rate, uplink_rate, round_trip, bdp }
    }
}
