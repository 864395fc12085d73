//! What kept the senders of a flow from sending more.

use base::{Duration, Time};
use observe::SendLimit;
use schemars::JsonSchema;
use serde::Serialize;

/// What kept a flow's senders from sending more. Shares of the time in which their connections were
/// established and not yet complete; their sum is 1.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, JsonSchema)]
#[schemars(rename = "LimitedBy")]
pub struct LimitedBySummary {
    /// The congestion window.
    pub cwnd: f64,
    /// The most that the scenario allows in flight (`tcp.window`).
    pub window: f64,
    /// The window that the receiver advertised.
    pub receiver: f64,
    /// Pacing.
    pub pacing: f64,
    /// The application: all that it wrote had been sent, and some was not yet acknowledged.
    pub application: f64,
    /// There was nothing to send: all that the application wrote had been acknowledged.
    pub idle: f64,
}

/// For how long what has kept a flow's senders from sending more.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeLimited([Duration; SendLimit::ALL.len()]);

/// What keeps a connection's sender from sending more, and since when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitNow(Option<(SendLimit, Time)>);

impl LimitNow {
    /// Nothing is known yet.
    pub(crate) const NONE: Self = Self(None);

    /// From `now` on it is `next`, which is `None` of a connection that is over.
    pub(crate) fn change(&mut self, now: Time, next: Option<SendLimit>, total: &mut TimeLimited) {
        total.add(*self, now);
        self.0 = next.map(|by| (by, now));
    }
}

impl TimeLimited {
    /// What ends, or is not over, at `now`.
    pub(crate) fn add(&mut self, LimitNow(limit): LimitNow, now: Time) {
        if let Some((by, since)) = limit {
            self.0[by as usize] += now.saturating_since(since);
        }
    }

    /// The shares; `None` of no time.
    pub(crate) fn shares(&self) -> Option<LimitedBySummary> {
        let total: f64 = self.0.iter().map(|spent| spent.as_secs_f64()).sum();
        let share = |by: SendLimit| self.0[by as usize].as_secs_f64() / total;
        (total > 0.0).then(|| LimitedBySummary {
            cwnd: share(SendLimit::Cwnd),
            window: share(SendLimit::Window),
            receiver: share(SendLimit::Receiver),
            pacing: share(SendLimit::Pacing),
            application: share(SendLimit::Application),
            idle: share(SendLimit::Idle),
        })
    }
}
