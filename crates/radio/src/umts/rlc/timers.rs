//! Timers, examined once a TTI.

use base::Time;

/// True if a timer that runs out at `deadline` counts as run out in the TTI that starts at `now`:
/// also on the very tick.
pub(super) fn is_due(deadline: Option<Time>, now: Time) -> bool {
    deadline.is_some_and(|deadline| deadline <= now)
}
