//! The configuration of a proxy: `proxy.toml`.

mod check;
mod derive;
mod forms;
mod machine;
mod schema;

use std::sync::LazyLock;

pub use derive::Diverted;
pub use schema::{
    Config, Control, Interfaces, Log, LogLevel, MOST_WORKERS, Metrics, Never, OnFailure, Profile,
    Routing, TunKeys,
};

use settings::{Error, Fault, Key, MEMBER, Parents, Schema, Scope, Section, Table, take_over};

impl Config {
    /// Reads a configuration that came from `name`.
    ///
    /// # Errors
    /// The first thing that is wrong, in one line.
    pub fn parse(source: &str, name: &str) -> Result<Self, Error> {
        read(source).map_err(|fault| fault.among(Self::keys()).of(name))
    }

    /// Every key there is, with its default, in the order of the schema.
    pub fn keys() -> &'static [Key] {
        static KEYS: LazyLock<Vec<Key>> = LazyLock::new(|| {
            let profile = Profile { name: MEMBER.to_owned(), ..Profile::default() };
            let mut keys =
                Config { profile: vec![profile], ..Config::default() }.shown(Scope::Every);
            let mut hosts = Vec::new();
            hosts_of_today().visit("tcp", Scope::Present, &mut |key| hosts.push(key));
            take_over(&mut keys, &hosts);
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

/// The endpoints of hosts, in the place of a scenario's `[tcp]`.
fn hosts_of_today() -> tcp::Config {
    tcp::Profile::Modern.config()
}

fn read(source: &str) -> Result<Config, Fault> {
    let tree = Table::parse(source)?;
    check::words(&tree)?;
    let mut proxy = Config::default();
    proxy.read(&tree, "")?;
    check::names(&proxy, &tree)?;
    proxy.inherit(&Config::default(), &tree, "", Parents(&[&hosts_of_today()]))?;
    derive::fit(&mut proxy, &tree);
    Schema { keys: Config::keys(), given: &[], grown: &[] }
        .idle(&proxy.shown(Scope::Values), &tree)?;
    check::whole(&proxy, &tree)?;
    Ok(proxy)
}
