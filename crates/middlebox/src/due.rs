//! Connections whose time has come.

use base::{Agenda, Time};

/// Takes out of `agenda` what is due by `now`, in the order of time, and within one instant in that
/// of `number`: a place is used again by whichever connection comes next, so that the order of
/// places would depend on other mobiles.
pub(crate) fn take_due(
    agenda: &mut Agenda,
    now: Time,
    due: &mut Vec<(Time, u32)>,
    number: impl Fn(u32) -> u32,
) {
    due.clear();
    due.extend(std::iter::from_fn(|| agenda.next(now)));
    due.sort_unstable_by_key(|&(time, place)| (time, number(place)));
}
