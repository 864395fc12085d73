//! Profiles: named sets of defaults for `[tcp]`. Each is a scenario file with nothing else.

use crate::error::Fault;
use crate::form::{Form, Nothing, Or, Section, Word, words};
use crate::schema::Scenario;
use crate::tree::Table;

words! {
    /// A named set of defaults for `[tcp]`.
    pub enum Profile {
        /// The ns-2 of Fall and Floyd 1996.
        Ns2Of1996 = "ns2-1996",
        /// ns-2.35 as it comes.
        Ns2 = "ns2-2.35",
        /// What the standards ask of an endpoint today.
        Modern = "modern",
    }
}

impl Profile {
    /// Every profile.
    pub const ALL: &'static [Self] = <Self as crate::form::Words>::ALL;

    /// Its keys, each with its source, as TOML.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Ns2Of1996 => include_str!("../profiles/ns2-1996.toml"),
            Self::Ns2 => include_str!("../profiles/ns2-2.35.toml"),
            Self::Modern => include_str!("../profiles/modern.toml"),
        }
    }

    /// The profile that `tree` asks for.
    pub(crate) fn of(tree: &Table) -> Result<Option<Self>, Fault> {
        let key = "tcp.profile";
        tree.find(key).map_or(Ok(None), |item| Or::<Nothing, Word<Self>>::read(item, key, &None))
    }

    /// Makes its values the defaults of `scenario`.
    pub(crate) fn lay_under(self, scenario: &mut Scenario) {
        Table::parse(self.text())
            .and_then(|tree| scenario.overlay(&tree, ""))
            .expect("a profile that ships is read by a test");
        scenario.tcp.profile = Some(self);
    }
}
