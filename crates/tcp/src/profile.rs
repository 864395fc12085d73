//! Profiles: named sets of defaults for `[tcp]`. Each is a scenario file with nothing else.

use settings::{Always, Form, Table, words};

use crate::Config;

words! {
    /// A named set of defaults for `[tcp]`.
    pub enum Profile {
        /// The ns-2 of Fall and Floyd 1996.
        Ns2Of1996 = "ns2-1996",
        /// ns-2.35 as it comes.
        Ns2 = "ns2-2.35",
        /// What the standards ask of an endpoint today.
        Modern = "modern",
        /// Linux 2.4, a host of around 2002.
        Linux24 = "linux-2.4",
        /// `modern` for one long transfer over a geostationary satellite.
        Satellite = "satellite",
    }
}

impl Profile {
    /// Its keys, each with its source, as TOML.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Ns2Of1996 => include_str!("../profiles/ns2-1996.toml"),
            Self::Ns2 => include_str!("../profiles/ns2-2.35.toml"),
            Self::Modern => include_str!("../profiles/modern.toml"),
            Self::Linux24 => include_str!("../profiles/linux-2.4.toml"),
            Self::Satellite => include_str!("../profiles/satellite.toml"),
        }
    }

    /// The defaults with the values that it has.
    #[must_use]
    pub fn config(self) -> Config {
        self.over(&Config::default())
    }

    /// `config` with the values that it has.
    ///
    /// # Panics
    /// If its text is wrong, which a test sees.
    #[must_use]
    pub fn over(self, config: &Config) -> Config {
        let tree = Table::parse(self.text()).expect("a profile that ships is read by a test");
        let tcp = tree.get("tcp").expect("it has the table");
        let config = Always::<Config>::read(tcp, "tcp", config).expect("its keys are valid");
        Config { profile: Some(self), ..config }
    }
}
