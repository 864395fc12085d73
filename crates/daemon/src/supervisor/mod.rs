//! The process that watches the workers and configures the system.

mod failure;
mod lane;
mod orders;
mod reload;
mod stop;
mod workers;

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use base::{Duration, Time};
use middlebox::Exposure;
use proxy::Config;
use rustix::event::{PollFd, PollFlags};
use serde_json::{Value, json};

use super::event::Event;
use super::host::{Host, Legs};
use super::log::Log;
use super::message::Order;
use super::notify::Manager;
use super::observer::Listeners;
use super::peers::Mailbox;
use super::resets::Repeats;
use super::shared_status::SharedStatus;
use super::signals::{Request, Signals};
pub(super) use lane::Lane;
use lane::{Routing, WorkerState};
use os::interface::is_up;
use os::readable;
use os::{Clock, SetupError, setup_error};
use reload::Proposal;

/// How often the interfaces are looked at.
const LOOKS: Duration = Duration::from_secs(2);

/// A daemon apart from its workers: one thread that polls.
#[derive(Debug)]
pub(super) struct Supervisor {
    file: PathBuf,
    config: Config,
    /// Configurations that not all workers have confirmed yet, oldest first.
    proposed: VecDeque<Proposal>,
    /// Removed profiles that still have connections in a worker.
    retired: Vec<String>,
    legs: Legs,
    listeners: Listeners,
    mailboxes: Arc<[Mailbox]>,
    log: Arc<Log>,
    clock: Clock,
    signals: Signals,
    manager: Manager,
    status: Arc<SharedStatus>,
    repeats: Repeats,
    /// By the numbers of the workers.
    lanes: Vec<Lane>,
    stage: Stage,
    next_look: Time,
}

/// What is made before the daemon gives up its privileges.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) file: PathBuf,
    pub(super) config: Config,
    pub(super) lanes: Vec<Lane>,
    pub(super) legs: Legs,
    pub(super) listeners: Listeners,
    pub(super) log: Arc<Log>,
    pub(super) signals: Signals,
}

/// What is heard of the worker in a lane.
#[derive(Debug)]
struct Heard {
    at: usize,
    /// There are messages.
    has_spoken: bool,
    /// Its process is over.
    is_over: bool,
}

/// The stage of the shutdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Not shutting down.
    Serving,
    /// Connections may end by themselves until then.
    Draining(Time),
    /// Those that are left are being reset, until then.
    Ending(Time),
    /// Packets are forwarded plainly; the workers exit, until then.
    Leaving(Time),
}

impl Supervisor {
    /// With no worker yet. Connections that `left` names, of a daemon that was killed, are reset.
    pub(super) fn new(prepared: Prepared, left: Vec<Exposure>) -> Result<Self, SetupError> {
        let Prepared { file, config, lanes, legs, listeners, log, signals } = prepared;
        let clock = Clock::start();
        let now = clock.now();
        let failed = |error| setup_error!("no memory to share with a worker: {error}");
        let status = SharedStatus::new(now, config.workers).map_err(failed)?;
        let mailboxes = lanes.iter().map(|_| Mailbox::new());
        let mailboxes = mailboxes.collect::<io::Result<Vec<_>>>()?;
        let mut supervisor = Self {
            file,
            config,
            proposed: VecDeque::new(),
            retired: Vec::new(),
            legs,
            listeners,
            mailboxes: mailboxes.into(),
            log,
            clock,
            signals,
            manager: Manager::of_environment(),
            status: Arc::new(status),
            repeats: Repeats::default(),
            lanes,
            stage: Stage::Serving,
            next_look: now + LOOKS,
        };
        supervisor.reset_left(left);
        Ok(supervisor)
    }

    /// Serves until it is told to stop; then the workers are gone.
    ///
    /// # Errors
    /// Failures that make serving impossible. Packets are forwarded plainly as soon as the process
    /// has ended.
    pub(super) fn run(&mut self) -> Result<(), SetupError> {
        while !self.lanes.iter().all(Lane::is_gone) {
            let (request, heard) = self.wait()?;
            if request {
                self.handle_signals();
            }
            for Heard { at, has_spoken, is_over } in heard {
                if has_spoken {
                    self.listen(at)?;
                }
                if is_over {
                    self.reap_worker(at, Event::WorkerDied)?;
                }
            }
            self.check_heartbeats()?;
            self.enforce_deadlines()?;
            self.repeat_resets();
            self.spawn_workers();
            self.poll_interfaces();
        }
        Ok(())
    }

    /// What is left when it is over, to be taken away.
    pub(super) fn into_hosts(self) -> Vec<Host> {
        self.lanes.into_iter().map(Lane::into_host).collect()
    }

    /// Waits until something is to be done: whether there are signals, and what is heard of each
    /// worker.
    fn wait(&self) -> io::Result<(bool, Vec<Heard>)> {
        let patience = self.due().saturating_since(self.clock.now());
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        let mut running = Vec::new();
        for (at, lane) in self.lanes.iter().enumerate() {
            if let WorkerState::Running(handle, _) = &lane.worker {
                let is_waiting = handle.orders.is_waiting();
                let room = if is_waiting { PollFlags::OUT } else { PollFlags::empty() };
                fds.push(PollFd::new(&handle.orders.line, PollFlags::IN | room));
                fds.push(PollFd::new(&handle.child, PollFlags::IN));
                running.push(at);
            }
        }
        readable(&mut fds, patience)?;
        let mut heard = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = || heard.next().unwrap_or_default();
        let request = next();
        let heard = running.into_iter().map(|at| Heard { at, has_spoken: next(), is_over: next() });
        Ok((request, heard.collect()))
    }

    /// When something is to be done even without events.
    fn due(&self) -> Time {
        let stage = match self.stage {
            Stage::Serving => None,
            Stage::Draining(end) | Stage::Ending(end) | Stage::Leaving(end) => Some(end),
        };
        let earliest = [stage, self.manager.due(), self.repeats.due()].into_iter().flatten();
        let lanes = self.lanes.iter().filter_map(Lane::due);
        earliest.chain(lanes).fold(self.next_look, Ord::min)
    }

    fn handle_signals(&mut self) {
        while let Some(request) = self.signals.next().unwrap_or_default() {
            match request {
                Request::Stop => self.stop(),
                Request::Reload => self.reload(),
            }
        }
    }

    /// Sends `order` to all workers.
    fn order(&mut self, order: &Order) {
        for lane in &mut self.lanes {
            lane.order(order.clone());
        }
    }

    /// Whether each worker has served.
    fn is_ready(&self) -> bool {
        self.lanes.iter().all(|lane| lane.has_served)
    }

    /// Tells the manager that the daemon serves as its file says, if it does.
    fn tell_ready(&self) {
        if self.is_ready() && self.proposed.is_empty() && self.stage == Stage::Serving {
            self.manager.tell("READY=1");
        }
    }

    fn complain(&self, trouble: &SetupError) {
        self.log.tell(Event::Host, &json!({ "why": trouble.to_string() }));
    }

    /// Logs an event of the worker in lane `at`.
    fn tell_of(&self, at: usize, event: Event, fields: Value) {
        self.log.tell(event, &self.lanes[at].fields(self.config.workers, fields));
    }

    /// Checks whether the interfaces have changed.
    fn poll_interfaces(&mut self) {
        let now = self.clock.now();
        if now < self.next_look {
            return;
        }
        self.next_look = now + LOOKS;
        self.narrow();
        if self.legs.look() {
            let mtu = self.legs.mtu();
            self.log.tell(Event::MtuChanged, &mtu_fields(mtu));
            if let Err(trouble) = self.set_mtu(self.legs.largest()) {
                self.complain(&trouble);
            }
            self.order(&Order::Mtu(mtu));
        }
        for at in 0..self.lanes.len() {
            self.poll_device(at);
        }
    }

    fn set_mtu(&self, mtu: u16) -> Result<(), SetupError> {
        self.lanes.iter().try_for_each(|lane| lane.host.set_mtu(mtu))
    }

    fn poll_device(&mut self, at: usize) {
        let lane = &mut self.lanes[at];
        let device = lane.host.device();
        if let WorkerState::Running(_, routing) = &mut lane.worker
            && *routing == Routing::Diverted
            && !is_up(device)
        {
            // That removes its routes.
            *routing = Routing::Plain;
            self.status.set_serving(lane.number, false);
            let why = format!("{device} is down");
            self.log.tell(Event::Host, &json!({ "why": why }));
        }
    }
}

fn mtu_fields([wired, radio]: [u16; 2]) -> Value {
    json!({ "wired": wired, "radio": radio })
}
