//! Timers, examined once a TTI.

use base::Time;

/// True if a timer that runs out at `deadline` counts as run out in the TTI that starts at `now`:
/// also if it runs out at `now` itself.
pub(super) fn is_due(deadline: Option<Time>, now: Time) -> bool {
    deadline.is_some_and(|deadline| deadline <= now)
}
