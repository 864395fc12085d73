//! What is done when a worker is gone or hangs.

use std::io;

use middlebox::Exposure;
use proxy::OnFailure;
use serde_json::json;

use super::{Stage, Supervisor, WorkerHandle, WorkerState};
use crate::event::Event;
use crate::resets::Resets;
use crate::shared_status::Word;
use os::{LARGEST_PACKET, Port, SetupError};

impl Supervisor {
    /// Switches packets to plain forwarding, resets the connections that would hang, and schedules
    /// the next worker. `event` is what happened to the last one.
    ///
    /// # Errors
    /// Failures that leave packets diverted to no worker. They are forwarded plainly once this
    /// process has ended.
    pub(super) fn reap_worker(&mut self, event: Event) -> Result<(), SetupError> {
        let now = self.clock.now();
        let WorkerState::Running(handle, _) =
            std::mem::replace(&mut self.worker, WorkerState::Gone)
        else {
            return Ok(());
        };
        let WorkerHandle { child, started, .. } = handle;
        let process = child.number();
        child.kill();
        self.host.bypass()?;
        let end = child.wait().map_or_else(|error| error.to_string(), |end| end.to_string());
        if let Stage::Leaving(_) = self.stage {
            self.forward_waiting();
            return Ok(());
        }
        let lived = now.saturating_since(started).as_secs_f64();
        self.log.tell(event, &json!({ "process": process, "end": end, "lived_seconds": lived }));
        self.reset_exposed();
        self.forward_waiting();
        self.status.count(Word::Restarts);
        self.settle_proposed();
        self.retire();
        self.apply_mtu();
        if self.stage == Stage::Serving {
            let next = self.back_off.fail(started, self.clock.now());
            self.worker = WorkerState::Awaited(next);
        }
        Ok(())
    }

    /// Resets both ends of the connections in the journal, whose writer is gone.
    fn reset_exposed(&mut self) {
        let exposures = self.journal.exposed().collect();
        self.reset_left(exposures);
        self.journal.clear();
    }

    /// Resets both ends of connections whose worker is gone.
    pub(super) fn reset_left(&mut self, exposures: Vec<Exposure>) {
        if exposures.is_empty() {
            return;
        }
        let fields = match reset(&exposures) {
            Ok(unsent) => json!({ "flows": exposures.len(), "unsent": unsent }),
            Err(error) => json!({ "flows": 0, "why": error.to_string() }),
        };
        self.log.tell(Event::FlowsReset, &fields);
        self.repeats.add(self.clock.now(), exposures);
    }

    /// Repeats resets that may have been lost.
    pub(super) fn repeat_resets(&mut self) {
        while let Some(exposures) = self.repeats.take(self.clock.now()) {
            // The first ones were logged.
            reset(&exposures).ok();
        }
    }

    /// Forwards packets that waited for the worker that is gone.
    fn forward_waiting(&self) {
        let mut packet = vec![0; LARGEST_PACKET];
        for _ in 0..self.device.room().unwrap_or_default() {
            let Ok(Some(bytes)) = self.device.receive(&mut packet) else { return };
            if self.config.on_failure == OnFailure::Bypass {
                self.device.send(&packet[..bytes]).ok();
            }
        }
    }
}

/// Resets both ends of connections; returns for how many not every packet was sent.
fn reset(exposures: &[Exposure]) -> io::Result<usize> {
    let resets = Resets::open()?;
    Ok(exposures.iter().filter(|each| !resets.reset(each)).count())
}
