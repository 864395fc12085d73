//! Jitter, reordering, duplicates and bit errors that change.

use base::{Duration, Time};
use link::LinkStep;
use link::disorder::{Config, Keys};
use settings::{Chance, Leaf, OfTime};

use super::LiveKey;

/// The step at `at` in which `key` is as in `wanted`; one that changes nothing for another key.
pub(super) fn step(key: LiveKey, at: Duration, wanted: &Keys) -> LinkStep {
    let step = LinkStep { at, ..LinkStep::default() };
    match key {
        LiveKey::LinkJitter | LiveKey::BackJitter => {
            LinkStep { jitter: Some(wanted.jitter.jitter), ..step }
        }
        LiveKey::LinkReorder | LiveKey::BackReorder => {
            LinkStep { reorder: Some(wanted.reorder), ..step }
        }
        LiveKey::LinkDuplicate | LiveKey::BackDuplicate => {
            LinkStep { duplicate: Some(wanted.duplicate), ..step }
        }
        LiveKey::LinkCorrupt | LiveKey::BackCorrupt => {
            LinkStep { corrupt: Some(wanted.corrupt), ..step }
        }
        _ => step,
    }
}

/// The value of `key` at `now`, as in a scenario: of one of these keys.
pub(super) fn value(key: LiveKey, disorder: &Config, now: Time) -> String {
    let Config { jitter, reorder, duplicate, corrupt, .. } = disorder;
    let chance = match key {
        LiveKey::LinkReorder | LiveKey::BackReorder => reorder,
        LiveKey::LinkDuplicate | LiveKey::BackDuplicate => duplicate,
        LiveKey::LinkCorrupt | LiveKey::BackCorrupt => corrupt,
        _ => return OfTime::<0>::show(&jitter.extent.at(now)),
    };
    Chance::show(&chance.at(now))
}
