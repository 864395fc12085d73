//! When the kernel lets a thread run.

use std::num::NonZeroU64;

use rustix::thread::set_current_timer_slack;
use schemars::JsonSchema;
use serde::Serialize;

/// How the kernel schedules a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scheduling {
    /// Ahead of every ordinary thread (`SCHED_FIFO`).
    Fifo,
    /// As any other.
    Normal,
}

/// Lets the calling thread run as soon as something is due for it, where that is permitted.
pub fn hurry() -> Scheduling {
    // The slack only groups the wakes of ordinary threads; to be refused it is no loss.
    set_current_timer_slack(NonZeroU64::new(1)).ok();
    let lowest = libc::sched_param { sched_priority: 1 };
    let policy = libc::SCHED_FIFO | libc::SCHED_RESET_ON_FORK;
    // SAFETY: the call reads `lowest`, which outlives it, and changes this thread's policy only.
    #[expect(unsafe_code, reason = "no safe wrapper has this call")]
    let outcome = unsafe { libc::sched_setscheduler(0, policy, &raw const lowest) };
    if outcome == 0 { Scheduling::Fifo } else { Scheduling::Normal }
}
