//! What of a profile follows from the rest of it.

use middlebox::{RadioLink, Scheme};
use settings::{Always, Fault, Form, Key, Scope, Section, Table, join};

use super::{Config, Profile};

/// Gives each profile's scheme what it does not have of its own: what hosts of today have, and what
/// is said of the radio.
pub(super) fn lay_under(proxy: &mut Config, tree: &Table) -> Result<(), Fault> {
    let hosts = tcp::Profile::Modern.config();
    for profile in &mut proxy.profile {
        let at = format!("profile.{}.middlebox", profile.name);
        let Profile { rate, uplink_rate, round_trip, bdp, ref mut middlebox, .. } = *profile;
        if let Some(keys) = middlebox.keys_mut() {
            keys.take_over(&hosts);
        }
        if let Some(item) = tree.find(&at) {
            *middlebox = Always::<Scheme>::read(item, &at, middlebox)?;
        }
        if let Some(keys) = middlebox.keys_mut() {
            let radio = RadioLink { rate, uplink_rate, round_trip, bdp };
            keys.fit_to(&radio, &|key| tree.find(&join(&at, key)).is_some());
        }
    }
    Ok(())
}

/// What schemes that stand under `at` have of hosts of today where nothing else is said.
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
