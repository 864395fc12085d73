//! Whether the manual names all there is.

use std::collections::BTreeSet;

use super::event::Event;
use super::fixtures::config;
use super::observation::Observation;
use super::stats::page;

const SHIPPED: &str = include_str!("../../../packaging/proxy.toml");

const MANUAL: &str = include_str!("../../../docs/proxy.md");

/// What the manual's tables show, word for word.
fn named() -> BTreeSet<&'static str> {
    let rows = MANUAL.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect()
}

fn missing<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let named = named();
    all.into_iter().filter(|name| !named.contains(name)).collect()
}

#[test]
fn every_event_is_in_the_manual() {
    assert!(missing(Event::ALL.iter().map(|event| event.name())).is_empty());
}

#[test]
fn every_metric_is_in_the_manual() {
    let text = page(Observation::example(1)).expect("a page");
    let samples = text.lines().filter(|line| !line.starts_with('#'));
    let names = samples.map(|line| line.split(['{', ' ']).next().expect("a name"));
    let of_histogram =
        |name: &&str| ["_bucket", "_sum", "_count"].iter().all(|suffix| !name.ends_with(suffix));
    let names: BTreeSet<_> = names.filter(of_histogram).collect();
    assert_eq!(missing(names), Vec::<&str>::new());
}

#[test]
fn every_reason_is_in_the_manual() {
    let snapshot = proxy::Gateway::new(&config("", ""), [1500; 2], 1).snapshot(base::Time::ZERO);
    assert_eq!(missing(snapshot.bypassed.iter().map(|it| &*it.reason)), Vec::<&str>::new());
    for it in snapshot.dropped.iter().chain(&snapshot.icmp) {
        assert!(MANUAL.contains(&format!("`{}`", it.reason)), "{}", it.reason);
    }
}

#[test]
fn every_key_is_in_the_manual() {
    let names = proxy::Config::keys().iter().map(|key| key.name.as_str());
    let own = names.filter(|name| !name.contains(".middlebox."));
    let own: Vec<_> = own.map(|name| name.replace("profile.NAME", "profile.*")).collect();
    assert!(own.len() > 20, "{own:?}");
    assert_eq!(missing(own.iter().map(String::as_str)), Vec::<&str>::new());
}

/// What the shipped file shows behind a `#`, before its profiles and after them, are defaults.
#[test]
fn the_shipped_file_shows_the_defaults() {
    let mut shown = Vec::new();
    let live: Vec<_> = SHIPPED
        .lines()
        .scan("", |table, line| {
            *table =
                if line.contains("[[profile") || line.starts_with('[') { line } else { *table };
            let setting = line.strip_prefix("# ").filter(|rest| rest.contains(" = "));
            let setting = setting.filter(|_| !table.contains("[[profile"));
            let setting = setting.filter(|rest| !rest.starts_with("user"));
            shown.extend(setting);
            Some(setting.unwrap_or(line))
        })
        .collect();
    assert!(shown.len() > 15, "{shown:?}");
    let values = |text: &str| {
        let config = proxy::Config::parse(text, "proxy.toml").expect("valid");
        config.values().into_iter().map(|key| (key.name, key.value)).collect::<Vec<_>>()
    };
    assert_eq!(values(SHIPPED), values(&live.join("\n")));
}
