//! `[flow.tcp]` and `[flow.peer.tcp]`: endpoints that differ from others.

use std::marker::PhantomData;

use settings::{Fault, Field, Key, Scope, Section, Shared, Table, join};
use tcp::Config;

/// The table that another one lies over.
pub(crate) trait Parent {
    /// Its dotted key, where the other one stands under `at`.
    fn of(at: &str) -> String;
}

/// `[tcp]`, under `[flow.tcp]`.
pub(crate) struct OfAll;

impl Parent for OfAll {
    fn of(_: &str) -> String {
        "tcp".to_owned()
    }
}

/// `[flow.tcp]`, under `[flow.peer.tcp]`.
pub(crate) struct OfBoth;

impl Parent for OfBoth {
    fn of(at: &str) -> String {
        at.replacen(".peer.", ".", 1)
    }
}

/// The keys of `[tcp]` in a table that lies over that of `P`, without those of a mobile. It is read
/// twice: when all tables are, and over its parent, once that is known (`crate::endpoints`).
pub(crate) struct Differing<P>(PhantomData<P>);

impl<P: Parent> Field for Differing<P> {
    type Value = Option<Config>;

    fn overlay(
        value: &mut Option<Config>,
        outer: &Table,
        at: &str,
        name: &'static str,
    ) -> Result<(), Fault> {
        if outer.get(name).is_none() {
            return Ok(());
        }
        Shared::overlay(value.get_or_insert_default(), outer, at, name)
    }

    fn names(_: &Option<Config>, name: &'static str, names: &mut Vec<String>) {
        let mut own = Vec::new();
        Config::default().names(&mut own);
        own.retain(|own| !is_of_a_mobile(own));
        names.extend(own.iter().map(|own| join(name, own)));
    }

    fn visit(
        value: &Option<Config>,
        (at, name): (&str, &'static str),
        _: &str,
        scope: Scope,
        visit: &mut dyn FnMut(Key),
    ) {
        let table = join(at, name);
        let mut visit = |mut key: Key| {
            let own = key.name.strip_prefix(&table).and_then(|rest| rest.strip_prefix('.'));
            if let Some(own) = own.filter(|own| !is_of_a_mobile(own)) {
                key.inherits = Some(join(&P::of(&table), own));
                visit(key.within(&table));
            }
        };
        match (value, scope) {
            (Some(config), _) => config.visit(&table, scope, &mut visit),
            (None, Scope::Every) => Config::default().visit(&table, scope, &mut visit),
            (None, Scope::Present | Scope::Values) => {}
        }
    }

    fn check(
        value: &Option<Config>,
        tree: &Table,
        (at, name): (&str, &'static str),
    ) -> Result<(), Fault> {
        value.as_ref().map_or(Ok(()), |config| config.check(tree, &join(at, name)))
    }
}

/// `[tcp.freeze]` is what a mobile does about its radio, and alike for all that it runs.
fn is_of_a_mobile(key: &str) -> bool {
    key == "freeze" || key.starts_with("freeze.")
}
