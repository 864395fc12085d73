//! What is done when a worker is gone or hangs.

use std::io;

use base::Duration;
use middlebox::Exposure;
use serde_json::{Value, json};

use super::lane::{WorkerHandle, WorkerState};
use super::{Stage, Supervisor};
use crate::event::Event;
use crate::resets::Resets;
use crate::shared_status::{Word, WorkerWord};
use os::SetupError;

/// The limit for the end of a process that was killed, which first has to get a processor. It does
/// nothing of its own in that time.
const DEATH: Duration = Duration::from_millis(100);

impl Supervisor {
    /// Resets the connections of the worker in lane `at` that would hang, switches packets of its
    /// mobiles to plain forwarding, and schedules the next worker. `event` is what happened to the
    /// last one. Other workers go on undisturbed.
    ///
    /// # Errors
    /// Failures that leave packets diverted to no worker. They are forwarded plainly once this
    /// process has ended.
    pub(super) fn reap_worker(&mut self, at: usize, event: Event) -> Result<(), SetupError> {
        let now = self.clock.now();
        let lane = &mut self.lanes[at];
        let WorkerState::Running(handle, _) =
            std::mem::replace(&mut lane.worker, WorkerState::Gone)
        else {
            return Ok(());
        };
        let WorkerHandle { child, started, .. } = handle;
        let process = child.number();
        child.kill();
        child.await_end(DEATH)?;
        self.status.note_end(lane.number);
        let is_leaving = matches!(self.stage, Stage::Leaving(_));
        // First of all: what passes from now on changes the numbers that the ends expect.
        let reset = if is_leaving { None } else { self.reset_exposed(at) };
        let lane = &mut self.lanes[at];
        lane.host.bypass()?;
        let end = child.wait().map_or_else(|error| error.to_string(), |end| end.to_string());
        lane.forward_waiting(self.config.on_failure);
        if is_leaving {
            return Ok(());
        }
        self.status.count(Word::Of(lane.number, WorkerWord::Restarts));
        if self.stage == Stage::Serving {
            let next = lane.back_off.fail(started, self.clock.now());
            lane.worker = WorkerState::Awaited(next);
        }
        let lived = now.saturating_since(started).as_secs_f64();
        let fields = json!({ "process": process, "end": end, "lived_seconds": lived });
        self.tell_of(at, event, fields);
        if let Some(fields) = reset {
            self.tell_of(at, Event::FlowsReset, fields);
        }
        self.await_no_more(at);
        self.retire(at);
        self.forget_former(at);
        self.release_drained()
    }

    /// Resets both ends of the connections in the journal of lane `at`, whose writer is gone.
    fn reset_exposed(&mut self, at: usize) -> Option<Value> {
        let exposures = self.lanes[at].journal.exposed().collect();
        self.lanes[at].journal.clear();
        self.reset_all(exposures)
    }

    /// Resets both ends of connections that a daemon has left.
    pub(super) fn reset_left(&mut self, exposures: Vec<Exposure>) {
        if let Some(fields) = self.reset_all(exposures) {
            self.log.tell(Event::FlowsReset, &fields);
        }
    }

    /// Resets both ends of connections; returns the fields of the event, if there are any.
    fn reset_all(&mut self, exposures: Vec<Exposure>) -> Option<Value> {
        if exposures.is_empty() {
            return None;
        }
        let fields = match reset(&exposures) {
            Ok(unsent) => json!({ "flows": exposures.len(), "unsent": unsent }),
            Err(error) => json!({ "flows": 0, "why": error.to_string() }),
        };
        self.repeats.add(self.clock.now(), exposures);
        Some(fields)
    }

    /// Repeats resets that may have been lost.
    pub(super) fn repeat_resets(&mut self) {
        while let Some(exposures) = self.repeats.take(self.clock.now()) {
            // The first ones were logged.
            reset(&exposures).ok();
        }
    }
}

/// Resets both ends of connections; returns for how many not every packet was sent.
fn reset(exposures: &[Exposure]) -> io::Result<usize> {
    let resets = Resets::open()?;
    Ok(exposures.iter().filter(|each| !resets.reset(each)).count())
}
