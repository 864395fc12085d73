//! What is done when a worker is gone or hangs.

use std::io;

use middlebox::Exposure;
use serde_json::json;

use super::lane::{WorkerHandle, WorkerState};
use super::{Stage, Supervisor};
use crate::event::Event;
use crate::resets::Resets;
use crate::shared_status::{Word, WorkerWord};
use os::SetupError;

impl Supervisor {
    /// Switches packets of the mobiles of the worker in lane `at` to plain forwarding, resets the
    /// connections that would hang, and schedules the next worker. `event` is what happened to the
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
        self.status.note_end(lane.number);
        lane.host.bypass()?;
        let end = child.wait().map_or_else(|error| error.to_string(), |end| end.to_string());
        if let Stage::Leaving(_) = self.stage {
            lane.forward_waiting(self.config.on_failure);
            return Ok(());
        }
        let lived = now.saturating_since(started).as_secs_f64();
        let fields = json!({ "process": process, "end": end, "lived_seconds": lived });
        self.tell_of(at, event, fields);
        self.reset_exposed(at);
        let lane = &mut self.lanes[at];
        lane.forward_waiting(self.config.on_failure);
        self.status.count(Word::Of(lane.number, WorkerWord::Restarts));
        if self.stage == Stage::Serving {
            let next = lane.back_off.fail(started, self.clock.now());
            lane.worker = WorkerState::Awaited(next);
        }
        self.await_no_more(at);
        self.retire(at);
        self.forget_former(at);
        self.release_drained()
    }

    /// Resets both ends of the connections in the journal of lane `at`, whose writer is gone.
    fn reset_exposed(&mut self, at: usize) {
        let exposures = self.lanes[at].journal.exposed().collect();
        self.reset_all(exposures, Some(at));
        self.lanes[at].journal.clear();
    }

    /// Resets both ends of connections that a daemon has left.
    pub(super) fn reset_left(&mut self, exposures: Vec<Exposure>) {
        self.reset_all(exposures, None);
    }

    fn reset_all(&mut self, exposures: Vec<Exposure>, lane: Option<usize>) {
        if exposures.is_empty() {
            return;
        }
        let fields = match reset(&exposures) {
            Ok(unsent) => json!({ "flows": exposures.len(), "unsent": unsent }),
            Err(error) => json!({ "flows": 0, "why": error.to_string() }),
        };
        match lane {
            Some(at) => self.tell_of(at, Event::FlowsReset, fields),
            None => self.log.tell(Event::FlowsReset, &fields),
        }
        self.repeats.add(self.clock.now(), exposures);
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
