//! Workers that are started, heard, and trusted with packets.

use std::io;
use std::sync::Arc;

use base::Time;
use rustix::process::getpid;
use serde_json::json;

use super::lane::{Routing, WorkerHandle, WorkerState};
use super::orders::Orders;
use super::{LOOKS, Stage, Supervisor, mtu_fields};
use crate::child::Child;
use crate::event::Event;
use crate::heartbeat::{Liveness, Watchdog};
use crate::host::{self, Host};
use crate::machine::Shared;
use crate::message::{MessageSocket, WorkerEvent};
use crate::shared_status::{Word, WorkerWord};
use crate::worker::Worker;
use os::interface::is_up;
use os::{Device, SetupError, setup_error};

impl Supervisor {
    /// Hears what the worker in lane `at` has to say.
    pub(super) fn listen(&mut self, at: usize) -> Result<(), SetupError> {
        while let WorkerState::Running(handle, _) = &self.lanes[at].worker
            && let Some(word) = handle.orders.line.receive_message().unwrap_or_default()
        {
            match word {
                // The heartbeat is checked after this.
                WorkerEvent::Ready => {}
                WorkerEvent::Reloaded { retired } => self.confirm(at, &retired),
                WorkerEvent::Refused { why } => self.refuse(at, why),
                WorkerEvent::Retired => self.retire(at),
                WorkerEvent::Narrow => self.forget_former(at),
                WorkerEvent::Drained => {
                    self.lanes[at].is_drained = true;
                    self.release_drained()?;
                }
            }
        }
        if let WorkerState::Running(handle, _) = &mut self.lanes[at].worker {
            handle.orders.send();
        }
        Ok(())
    }

    /// Checks the heartbeats of all workers. The manager sees life while one of them is alive.
    pub(super) fn check_heartbeats(&mut self) -> Result<(), SetupError> {
        let mut is_any_alive = false;
        for at in 0..self.lanes.len() {
            is_any_alive |= self.check_heartbeat(at)?;
        }
        let now = self.clock.now();
        if is_any_alive && self.manager.due().is_some_and(|due| due <= now) {
            self.manager.show_life(now);
        }
        Ok(())
    }

    /// Returns whether the worker in lane `at` is alive.
    fn check_heartbeat(&mut self, at: usize) -> Result<bool, SetupError> {
        let now = self.clock.now();
        let lane = &mut self.lanes[at];
        let WorkerState::Running(handle, routing) = &mut lane.worker else { return Ok(false) };
        let beat = self.status.last_beat(lane.number);
        match handle.watchdog.check(now, beat, || handle.child.activity().ok()) {
            Liveness::Starting => return Ok(false),
            Liveness::Starved => {
                let process = handle.child.number();
                self.tell_of(at, Event::WorkerStarved, json!({ "process": process }));
                return Ok(true);
            }
            Liveness::Hung => {
                self.reap_worker(at, Event::WorkerHung)?;
                return Ok(false);
            }
            Liveness::Alive => {}
        }
        if *routing == Routing::Plain && self.stage == Stage::Serving && lane.next_try <= now {
            lane.next_try = now + LOOKS;
            if is_up(lane.host.device()) {
                self.divert(at);
            }
        }
        Ok(true)
    }

    /// Leads packets to the worker in lane `at`. If that cannot be done now, it is tried again
    /// later.
    fn divert(&mut self, at: usize) {
        let lane = &mut self.lanes[at];
        if let Err(trouble) = lane.host.divert(&self.config) {
            return self.complain(&trouble);
        }
        if let WorkerState::Running(_, routing) = &mut lane.worker {
            *routing = Routing::Diverted;
        }
        lane.has_served = true;
        self.status.set_serving(lane.number, true);
        self.tell_of(at, Event::Serving, mtu_fields(self.legs.mtu()));
        self.tell_ready();
    }

    /// Starts the workers whose time has come. If that cannot be done now, it is tried again later.
    pub(super) fn spawn_workers(&mut self) {
        let now = self.clock.now();
        for at in 0..self.lanes.len() {
            if !matches!(self.lanes[at].worker, WorkerState::Awaited(time) if time <= now) {
                continue;
            }
            let started = self.start(at, now);
            let lane = &mut self.lanes[at];
            lane.next_try = now;
            match started {
                Ok(handle) => lane.worker = WorkerState::Running(handle, Routing::Plain),
                Err(trouble) => {
                    lane.worker = WorkerState::Awaited(lane.back_off.fail(now, now));
                    self.complain(&trouble);
                }
            }
        }
    }

    fn start(&mut self, at: usize, now: Time) -> Result<WorkerHandle, SetupError> {
        let lane = &mut self.lanes[at];
        let number = lane.number;
        if lane.device.dropped().is_err() {
            lane.device = host::device(&self.config, number, &self.legs)?;
            lane.host = Host::set_up(&self.config, number, self.legs.largest())?;
        }
        let refused = |error: io::Error| setup_error!("cannot start a worker: {error}");
        let (near, far) = MessageSocket::pair().map_err(refused)?;
        lane.journal.clear();
        lane.is_drained = false;
        self.status.note(Word::Of(number, WorkerWord::Started), now);
        let lane = &self.lanes[at];
        let worker = Worker {
            supervisor: getpid(),
            config: self.last(),
            mtu: self.legs.mtu(),
            clock: self.clock,
            line: far,
            listeners: self.listeners.try_clone().map_err(refused)?,
            mailboxes: Arc::clone(&self.mailboxes),
            log: Arc::clone(&self.log),
            shared: Shared {
                number,
                journal: &lane.journal,
                status: Arc::clone(&self.status),
                device: &lane.device,
            },
        };
        let child = Child::start(|| worker.work()).map_err(refused)?;
        self.tell_of(at, Event::WorkerStarted, json!({ "process": child.number() }));
        let watchdog = Watchdog::new(now, self.config.heartbeat);
        Ok(WorkerHandle { child, orders: Orders::new(near), started: now, watchdog })
    }
}
