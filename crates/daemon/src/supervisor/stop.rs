//! The shutdown.

use base::{Duration, Time};
use serde_json::json;

use super::lane::{Lane, WorkerState};
use super::{Stage, Supervisor};
use crate::event::Event;
use crate::message::Order;
use os::SetupError;

/// How long workers may take for orders that take no time.
const PATIENCE: Duration = Duration::from_secs(1);

/// The limit for the work after `drain`, including the rules of many prefixes.
const TO_END: Duration = Duration::from_secs(30);

impl Supervisor {
    /// Drains the workers; when asked once more, ends at once.
    pub(super) fn stop(&mut self) {
        let now = self.clock.now();
        match self.stage {
            Stage::Serving => {
                self.manager.tell("STOPPING=1");
                let limit = self.config.drain.as_secs_f64();
                self.manager.ask_for(self.config.drain + TO_END);
                self.log.tell(Event::Draining, &json!({ "limit_seconds": limit }));
                for lane in self.lanes.iter_mut().filter(|lane| !lane.is_running()) {
                    lane.worker = WorkerState::Gone;
                }
                self.order(&Order::Drain);
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
                let lanes = 0..self.lanes.len();
                return lanes
                    .into_iter()
                    .try_for_each(|at| self.reap_worker(at, Event::WorkerHung));
            }
            Stage::Serving | Stage::Draining(_) | Stage::Ending(_) | Stage::Leaving(_) => {}
        }
        Ok(())
    }

    /// Once no connection depends on a worker, they are no longer needed: packets are forwarded
    /// plainly, and they exit.
    pub(super) fn release_drained(&mut self) -> Result<(), SetupError> {
        let mut running = self.lanes.iter().filter(|lane| lane.is_running()).peekable();
        let is_drained = running.peek().is_some() && running.all(|lane| lane.is_drained);
        if !(is_drained && matches!(self.stage, Stage::Draining(_) | Stage::Ending(_))) {
            return Ok(());
        }
        self.lanes.iter_mut().try_for_each(|lane| lane.host.take_away())?;
        for Lane { number, .. } in &self.lanes {
            self.status.set_serving(*number, false);
        }
        self.log.tell(Event::Drained, &json!({}));
        self.order(&Order::Leave);
        self.stage = Stage::Leaving(self.clock.now() + PATIENCE);
        Ok(())
    }

    fn end(&mut self, now: Time) {
        self.order(&Order::End);
        self.stage = Stage::Ending(now + PATIENCE);
    }
}
