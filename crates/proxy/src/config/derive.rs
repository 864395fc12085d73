//! Keys of a profile that follow from others.

use middlebox::{RadioLink, Scheme};
use settings::{Always, Fault, Form, Key, Scope, Section, Table, join};

use super::{Config, Profile};

/// Completes the scheme of each profile with the values of today's hosts, and with what is given of
/// the radio.
pub(super) fn lay_under(proxy: &mut Config, tree: &Table) -> Result<(), Fault> {
    let hosts = tcp::Profile::Modern.config();
    for profile in &mut proxy.profile {
        let at = format!("profile.{}.middlebox", profile.name);
        let radio = profile.radio_link();
        let middlebox = &mut profile.middlebox;
        if let Some(keys) = middlebox.keys_mut() {
            keys.take_over(&hosts);
        }
        if let Some(item) = tree.find(&at) {
            *middlebox = Always::<Scheme>::read(item, &at, middlebox)?;
        }
        if let Some(keys) = middlebox.keys_mut() {
            keys.fit_to(&radio, &|key| tree.find(&join(&at, key)).is_some());
        }
    }
    Ok(())
}

/// The values of today's hosts for the schemes at `at`, where nothing else is given.
pub(super) fn taken_over(at: &str) -> Vec<Key> {
    let hosts = tcp::Profile::Modern.config();
    let mut taken = Vec::new();
    for mut scheme in Scheme::all() {
        if let Some(keys) = scheme.keys_mut() {
            keys.take_over(&hosts);
        }
        scheme.visit(at, Scope::Present, &mut |key| taken.push(key));
    }
    taken.retain(|key| key.name.starts_with(&join(at, "tcp.")));
    taken
}

impl Profile {
    /// What is given of the radio.
    pub const fn radio_link(&self) -> RadioLink {
        let Self { rate, uplink_rate, round_trip, bdp, .. } = *self;
        RadioLink { rate, uplink_rate, round_trip, bdp }
    }
}
