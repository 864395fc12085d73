//! The configuration of a proxy: `proxy.toml`.

mod check;
mod derive;
mod machine;
mod schema;

use std::sync::LazyLock;

pub use schema::{
    Control, Interfaces, Log, LogLevel, Metrics, Never, OnFailure, Proxy, ProxyLimits,
    ProxyProfile, Routing,
};

use crate::ScenarioError;
use crate::error::Fault;
use crate::form::{Key, MEMBER, Section};
use crate::schema::{AtcpClass, AtcpKeys, Middlebox};
use crate::tree::Table;

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
        static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| whole().values());
        &KEYS
    }

    /// Every key that this configuration has, with its value, in the order of the schema.
    pub fn values(&self) -> Vec<Key> {
        let mut values = Vec::new();
        self.visit("", &mut |key| values.push(key));
        values.retain(|key| !key.name.ends_with(".middlebox.at"));
        values
    }
}

fn read(source: &str) -> Result<Proxy, Fault> {
    let tree = Table::parse(source)?;
    let mut proxy = Proxy::default();
    proxy.overlay(&tree, "")?;
    check::names(&proxy, &tree)?;
    derive::lay_under(&mut proxy, &tree)?;
    check::whole(&proxy, &tree)?;
    Ok(proxy)
}

/// A configuration that has every table.
fn whole() -> Proxy {
    let class = AtcpClass { name: MEMBER.to_owned(), ..AtcpClass::default() };
    let atcp = AtcpKeys { classes: vec![class], ..AtcpKeys::default() };
    let name = MEMBER.to_owned();
    let mut profile = ProxyProfile { name, ..ProxyProfile::default() };
    profile.middlebox =
        Middlebox { atcp, tcp: derive::tcp(profile.middlebox.kind), ..profile.middlebox };
    Proxy { profile: vec![profile], ..Proxy::default() }
}
