//! Values at the limits of what keys take: such a scenario runs, or is refused in one line.

use std::ops::{Bound, ControlFlow};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use scenario::{Key, Scenario, shipped};
use sim::{Recording, Threads, simulate};

/// Applications, whose keys mean nothing to flows of another.
const APPLICATIONS: [&str; 7] = ["file", "web", "telnet", "probe", "udp", "mixed", "file"];

/// Words of a key, and numbers at and near its limits.
fn values(key: &Key) -> Vec<String> {
    let low = match key.takes.range.0 {
        Bound::Included(low) => low,
        Bound::Excluded(low) => low + 1e-6,
        Bound::Unbounded => -1e3,
    };
    let high = match key.takes.range.1 {
        Bound::Included(high) => high,
        Bound::Excluded(high) => high - 1e-6,
        Bound::Unbounded => 1e9,
    };
    let numbers = [low, low + 1.0, low + 10.0, high];
    let numbers = numbers.map(|number| format!("{number} {}", key.takes.unit).trim().to_owned());
    key.takes.words.iter().cloned().chain(numbers).collect()
}

/// A scenario that ships, and values of up to three of its keys, which are neighbours.
fn settings() -> impl Strategy<Value = (&'static str, &'static str, Vec<(String, String)>)> {
    let shipped = select((0..shipped().len()).collect::<Vec<_>>()).prop_map(|at| &shipped()[at]);
    let picks = prop::collection::vec((0..6_usize, any::<Index>()), 1..=3);
    (shipped, select(&APPLICATIONS[..]), any::<Index>(), picks).prop_map(
        |(shipped, application, first, picks)| {
            let usual = [("flow.application".to_owned(), application.to_owned())];
            let scenario = Scenario::parse(shipped.text, shipped.name, &usual);
            let keys = scenario.map(|scenario| scenario.values()).unwrap_or_default();
            let set = |(further, value): (usize, Index)| {
                let key = &keys[(first.index(keys.len()) + further) % keys.len()];
                let values = values(key);
                (key.name.clone(), values[value.index(values.len())].clone())
            };
            let picks = if keys.is_empty() { Vec::new() } else { picks };
            let brief = [("duration".to_owned(), "5 s".to_owned())];
            let set = usual.into_iter().chain(brief).chain(picks.into_iter().map(set)).collect();
            (shipped.name, shipped.text, set)
        },
    )
}

proptest! {
    #[test]
    fn no_value_that_a_key_takes_panics((name, text, settings) in settings()) {
        match Scenario::parse(text, name, &settings) {
            Err(error) => prop_assert_eq!(error.to_string().lines().count(), 1),
            Ok(scenario) => {
                let stop = &mut |_| ControlFlow::Break(());
                drop(simulate(&scenario, Recording::Series, Threads::MIN, stop));
            }
        }
    }
}
