//! The keys of a scenario, and what they take.

use std::ops::Bound;

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::batch::refused;

/// What a key takes: plain values, in the unit that it names.
#[derive(IntoPyObject)]
pub(crate) struct Takes {
    kind: &'static str,
    unit: &'static str,
    minimum: Option<f64>,
    maximum: Option<f64>,
    exclusive_minimum: bool,
    exclusive_maximum: bool,
    words: Vec<String>,
}

impl From<scenario::Takes> for Takes {
    fn from(takes: scenario::Takes) -> Self {
        let value = |bound: Bound<f64>| match bound {
            Bound::Included(value) | Bound::Excluded(value) => Some(value),
            Bound::Unbounded => None,
        };
        let (minimum, maximum) = takes.range;
        Self {
            kind: takes.kind.name(),
            unit: takes.unit,
            minimum: value(minimum),
            maximum: value(maximum),
            exclusive_minimum: matches!(minimum, Bound::Excluded(_)),
            exclusive_maximum: matches!(maximum, Bound::Excluded(_)),
            words: takes.words,
        }
    }
}

/// Words, each with kinds.
type ByKinds = Vec<(String, Vec<&'static str>)>;

/// A key's name, default, expected form and meaning, what it takes, with which kinds of which keys
/// it goes, other defaults with their kinds, when it does nothing, and whose value it has by
/// default.
type Row = (String, String, String, String, Takes, ByKinds, ByKinds, Vec<String>, Option<String>);

/// Every key of a scenario, with its default under `profile`, if one is named.
#[pyfunction]
#[pyo3(signature = (profile = None))]
pub(crate) fn keys(profile: Option<&str>) -> PyResult<Vec<Row>> {
    let keys = match profile {
        None => scenario::keys().to_vec(),
        Some(name) => {
            scenario::keys_under(name).ok_or_else(|| PyKeyError::new_err(name.to_owned()))?
        }
    };
    let row = |key: scenario::Key| {
        let needs = key.needs.into_iter().map(|needs| (needs.key, needs.kinds)).collect();
        let (takes, others) = (key.takes.into(), key.other_defaults);
        let idle = key.only_with.iter().map(ToString::to_string).collect();
        (key.name, key.value, key.expected, key.doc, takes, needs, others, idle, key.inherits)
    };
    Ok(keys.into_iter().map(row).collect())
}

/// The number that `text` is for `key`, in the unit of what the key takes; `None` if it is none.
#[pyfunction]
pub(crate) fn number(key: &str, text: &str) -> PyResult<Option<f64>> {
    scenario::number(key, text).map_err(|error| refused(&error))
}

/// Packets that fit into a queue of the `kind`, unless a key says so.
#[pyfunction]
pub(crate) fn queue_packets(kind: &str) -> PyResult<u32> {
    scenario::queue_packets(kind).ok_or_else(|| PyKeyError::new_err(kind.to_owned()))
}
