//! Keys of a profile that follow from others.

use ipnet::IpNet;
use middlebox::{RadioLink, Role, SchemeKeys};
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

/// Packets of one way that come to the proxy, the fewest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Diverted {
    /// ICMP.
    Icmp,
    /// TCP, and ICMP, which quotes it.
    Tcp,
    /// All.
    All,
}

impl Config {
    /// Packets from and to a mobile of `prefix`, or of a part of it, that come to the proxy.
    pub fn diverted(&self, prefix: &IpNet) -> [Diverted; 2] {
        let holds = |other: &IpNet| other.contains(prefix) || prefix.contains(other);
        let is_its = |profile: &&Profile| profile.mobiles.iter().any(holds);
        let each = self.profile.iter().filter(is_its).map(Profile::diverted);
        let more =
            |one: [Diverted; 2], other: [Diverted; 2]| [one[0].max(other[0]), one[1].max(other[1])];
        each.reduce(more).unwrap_or([Diverted::Tcp; 2])
    }
}

impl Profile {
    /// True if packets to its mobiles that are not TCP wait for their turn.
    pub fn schedules_others(&self) -> bool {
        self.middlebox.keys().is_some_and(SchemeKeys::schedules_others)
    }

    /// Side of the radio where its box stands.
    pub fn role(&self) -> Role {
        self.middlebox.keys().map_or(Role::Network, SchemeKeys::role)
    }

    /// Packets from its mobiles, and to them, that come to the proxy. A subscriber's box asks
    /// hosts, whose answers come down.
    fn diverted(&self) -> [Diverted; 2] {
        match (self.role(), self.schedules_others()) {
            (Role::Subscriber, _) => [Diverted::All, Diverted::Icmp],
            (Role::Network, true) => [Diverted::Tcp, Diverted::All],
            (Role::Network, false) => [Diverted::Tcp; 2],
        }
    }

    /// What is given of the radio.
    pub const fn radio_link(&self) -> RadioLink {
        let Self { rate, uplink_rate, round_trip, bdp, .. } = *self;
        RadioLink { rate, uplink_rate, round_trip, bdp }
    }
}
