//! Connections whose time has come.

use base::{Agenda, Time};

/// Takes out of `agenda` the slots that are due by `now`, in the order of time, and within one
/// instant in that of `number`. The order of slots would depend on other mobiles: a slot is used
/// again by whichever connection comes next.
pub(crate) fn take_due(
    agenda: &mut Agenda,
    now: Time,
    due: &mut Vec<(Time, u32)>,
    number: impl Fn(u32) -> u32,
) {
    due.clear();
    due.extend(std::iter::from_fn(|| agenda.next(now)));
    due.sort_unstable_by_key(|&(time, slot)| (time, number(slot)));
}
