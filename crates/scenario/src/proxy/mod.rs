//! The configuration of a proxy: `proxy.toml`.

mod check;
mod derive;
mod machine;
mod schema;

use std::sync::LazyLock;

pub use schema::{
    Control, Interfaces, Log, LogLevel, Metrics, Never, OnFailure, Proxy, ProxyProfile, Routing,
};

use crate::ScenarioError;
use settings::Fault;
use settings::Table;
use settings::{Key, MEMBER, Scope, Section};

impl Proxy {
    /// Reads a configuration that came from `name`.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn parse(source: &str, name: &str) -> Result<Self, ScenarioError> {
        read(source).map_err(|fault| fault.among(Self::keys()).of(name))
    }

    /// Every key there is, with its default, in the order of the schema.
    pub fn keys() -> &'static [Key] {
        static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
            let profile = ProxyProfile { name: MEMBER.to_owned(), ..ProxyProfile::default() };
            let mut keys = Proxy { profile: vec![profile], ..Proxy::default() }.shown(Scope::Every);
            let taken_over = derive::taken_over(&format!("profile.{MEMBER}.middlebox"));
            for key in &mut keys {
                if let Some(taken) = taken_over.iter().find(|taken| taken.name == key.name) {
                    key.value.clone_from(&taken.value);
                }
            }
            keys
        });
        &KEYS
    }

    /// Every key that this configuration has, with its value, in the order of the schema.
    pub fn values(&self) -> Vec<Key> {
        self.shown(Scope::Present)
    }

    fn shown(&self, scope: Scope) -> Vec<Key> {
        let mut values = Vec::new();
        self.visit("", scope, &mut |key| values.push(key));
        values
    }
}

fn read(source: &str) -> Result<Proxy, Fault> {
    let tree = Table::parse(source)?;
    let mut proxy = Proxy::default();
    proxy.read(&tree, "")?;
    check::names(&proxy, &tree)?;
    derive::lay_under(&mut proxy, &tree)?;
    check::whole(&proxy, &tree)?;
    Ok(proxy)
}
