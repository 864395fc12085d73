//! Profiles: named sets of defaults for `[tcp]` ([`Profile`]) or `[radio]`. Each is a scenario file
//! with nothing else.

use radio::umts;
use settings::{Fault, Form, Nothing, Or, Section, Table, Word};
use tcp::Profile;

use crate::schema::Scenario;

/// The keys of a profile of `[radio]`, each with its source, as TOML.
const fn radio_text(profile: umts::Profile) -> &'static str {
    match profile {
        umts::Profile::Standard => include_str!("../profiles/3gpp.toml"),
        umts::Profile::Thesis => include_str!("../profiles/thesis.toml"),
    }
}

/// Makes the values of `profile` those of the radio, if it is one of UMTS.
fn lay_under_radio(profile: umts::Profile, scenario: &mut Scenario) {
    if scenario.radio.get_or_insert_default().keys_mut().umts_mut().is_some() {
        overlay(scenario, radio_text(profile));
    }
    if let Some(umts) = scenario.radio.as_mut().and_then(|radio| radio.keys_mut().umts_mut()) {
        umts.profile = Some(profile);
    }
}

/// All profiles, by name, each as TOML.
pub fn profiles() -> Vec<(&'static str, &'static str)> {
    let of_tcp = Profile::ALL.iter().map(|profile| (profile.name(), profile.text()));
    let of_radio = umts::Profile::ALL.iter().map(|profile| (profile.name(), radio_text(*profile)));
    of_tcp.chain(of_radio).collect()
}

/// Makes the values of the profile of `[radio]` that `tree` asks for the defaults of `scenario`.
pub(crate) fn lay_asked_under(tree: &Table, scenario: &mut Scenario) -> Result<(), Fault> {
    let key = "radio.profile";
    let asked = tree
        .find(key)
        .map_or(Ok(None), |item| Or::<Nothing, Word<umts::Profile>>::read(item, key, &None))?;
    if let Some(profile) = asked {
        if let Some(kind) = tree.find("radio.kind") {
            let mut radio = Table::default();
            radio.set("kind", kind.clone());
            scenario.radio.get_or_insert_default().overlay(&radio, "radio")?;
        }
        lay_under_radio(profile, scenario);
    }
    Ok(())
}

/// Makes the values of the profile called `name` the defaults of `scenario`. False if there is no
/// such profile.
pub(crate) fn lay_under(name: &str, scenario: &mut Scenario) -> bool {
    if let Some(profile) = Profile::ALL.iter().find(|profile| profile.name() == name) {
        scenario.tcp = profile.over(&scenario.tcp);
    } else if let Some(profile) = umts::Profile::ALL.iter().find(|known| known.name() == name) {
        lay_under_radio(*profile, scenario);
    } else {
        return false;
    }
    true
}

fn overlay(scenario: &mut Scenario, text: &str) {
    Table::parse(text)
        .and_then(|tree| scenario.read(&tree, ""))
        .expect("a profile that ships is read by a test");
}
