//! Profiles: named sets of defaults for `[tcp]` ([`Profile`]) or `[radio]`. Each is a scenario file
//! with nothing else.

use settings::{Fault, Form, Nothing, Or, Section, Table, Word, Words, words};
use tcp::Profile;

use crate::schema::Scenario;

words! {
    /// A named set of defaults for `[radio]`.
    pub enum RadioProfile {
        /// Acknowledged mode of TS 25.322 as lo2005 has it.
        Standard = "3gpp",
        /// The UMTS module of Hynderick and Raes 2004.
        Thesis = "thesis",
    }
}

impl RadioProfile {
    /// Every profile of the radio.
    pub const ALL: &'static [Self] = <Self as Words>::ALL;

    /// Its keys, each with its source, as TOML.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Standard => include_str!("../profiles/3gpp.toml"),
            Self::Thesis => include_str!("../profiles/thesis.toml"),
        }
    }

    fn lay_under(self, scenario: &mut Scenario) {
        overlay(scenario, self.text());
        scenario.radio.get_or_insert_default().profile = Some(self);
    }
}

/// All profiles, by name, each as TOML.
pub fn profiles() -> Vec<(&'static str, &'static str)> {
    let of_tcp = Profile::ALL.iter().map(|profile| (profile.name(), profile.text()));
    let of_radio = RadioProfile::ALL.iter().map(|profile| (profile.name(), profile.text()));
    of_tcp.chain(of_radio).collect()
}

/// Makes the values of the profiles that `tree` asks for the defaults of `scenario`.
pub(crate) fn lay_asked_under(tree: &Table, scenario: &mut Scenario) -> Result<(), Fault> {
    lay_asked_under_tcp(tree, "tcp.profile", &mut scenario.tcp)?;
    if let Some(profile) = asked::<RadioProfile>(tree, "radio.profile")? {
        profile.lay_under(scenario);
    }
    Ok(())
}

/// Makes the values of the profile called `name` the defaults of `scenario`. False if there is no
/// such profile.
pub(crate) fn lay_under(name: &str, scenario: &mut Scenario) -> bool {
    if let Some(profile) = Profile::ALL.iter().find(|profile| profile.name() == name) {
        scenario.tcp = profile.over(&scenario.tcp);
    } else if let Some(profile) = RadioProfile::ALL.iter().find(|known| known.name() == name) {
        profile.lay_under(scenario);
    } else {
        return false;
    }
    true
}

/// Makes the values of the profile that `tree` asks for under `key` those of `tcp`.
pub(crate) fn lay_asked_under_tcp(
    tree: &Table,
    key: &str,
    tcp: &mut tcp::Config,
) -> Result<(), Fault> {
    if let Some(profile) = asked::<Profile>(tree, key)? {
        *tcp = profile.over(tcp);
    }
    Ok(())
}

fn asked<P: Words>(tree: &Table, key: &str) -> Result<Option<P>, Fault> {
    tree.find(key).map_or(Ok(None), |item| Or::<Nothing, Word<P>>::read(item, key, &None))
}

fn overlay(scenario: &mut Scenario, text: &str) {
    Table::parse(text)
        .and_then(|tree| scenario.read(&tree, ""))
        .expect("a profile that ships is read by a test");
}
