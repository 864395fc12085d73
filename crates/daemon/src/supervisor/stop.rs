//! The shutdown.

use base::{Duration, Time};
use serde_json::json;

use super::{Stage, Supervisor, WorkerState};
use crate::event::Event;
use crate::message::Order;
use os::SetupError;

/// How long a worker may take for orders that take no time.
const PATIENCE: Duration = Duration::from_secs(1);

/// The limit for the work after `drain`, including the rules of many prefixes.
const TO_END: Duration = Duration::from_secs(30);

impl Supervisor {
    /// Drains the worker; when asked once more, ends at once.
    pub(super) fn stop(&mut self) {
        let now = self.clock.now();
        match self.stage {
            Stage::Serving => {
                self.manager.tell("STOPPING=1");
                let limit = self.config.drain.as_secs_f64();
                self.manager.ask_for(self.config.drain + TO_END);
                self.log.tell(Event::Draining, &json!({ "limit_seconds": limit }));
                if matches!(self.worker, WorkerState::Awaited(_)) {
                    self.worker = WorkerState::Gone;
                }
                self.order(Order::Drain);
                self.stage = Stage::Draining(now + self.config.drain);
            }
            Stage::Draining(_) => self.end(now),
            Stage::Ending(_) | Stage::Leaving(_) => {}
        }
    }

    /// Does what is due during the shutdown.
    pub(super) fn enforce_deadlines(&mut self) -> Result<(), SetupError> {
        let now = self.clock.now();
        match self.stage {
            Stage::Draining(limit) if limit <= now => self.end(now),
            Stage::Ending(limit) | Stage::Leaving(limit) if limit <= now => {
                return self.reap_worker(Event::WorkerHung);
            }
            Stage::Serving | Stage::Draining(_) | Stage::Ending(_) | Stage::Leaving(_) => {}
        }
        Ok(())
    }

    /// The worker is no longer needed: packets are forwarded plainly, and it exits.
    pub(super) fn release(&mut self) -> Result<(), SetupError> {
        self.host.take_away()?;
        self.log.tell(Event::Drained, &json!({}));
        self.order(Order::Leave);
        self.stage = Stage::Leaving(self.clock.now() + PATIENCE);
        Ok(())
    }

    fn end(&mut self, now: Time) {
        self.order(Order::End);
        self.stage = Stage::Ending(now + PATIENCE);
    }
}
