//! The process that watches the worker and configures the system.

mod failure;
mod orders;
mod reload;
mod stop;

use std::collections::VecDeque;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use base::{Duration, Time};
use middlebox::Exposure;
use proxy::Config;
use rustix::event::{PollFd, PollFlags};
use rustix::process::getpid;
use serde_json::{Value, json};

use super::back_off::BackOff;
use super::child::Child;
use super::event::Event;
use super::heartbeat::{Liveness, Watchdog};
use super::host::{self, Host, Legs};
use super::journal::Journal;
use super::log::Log;
use super::machine::Shared;
use super::message::{MessageSocket, Order, WorkerEvent};
use super::notify::Manager;
use super::observer::Listeners;
use super::resets::Repeats;
use super::shared_status::{SharedStatus, Word};
use super::signals::{Request, Signals};
use super::worker::Worker;
use orders::Orders;
use os::interface::is_up;
use os::readable;
use os::{Clock, Device, SetupError, Tun, setup_error};

/// How often the interfaces are looked at.
const LOOKS: Duration = Duration::from_secs(2);

/// A daemon apart from its worker: one thread that polls.
#[derive(Debug)]
pub(super) struct Supervisor {
    file: PathBuf,
    config: Config,
    /// Configurations that were sent to the worker and not yet confirmed, oldest first.
    proposed: VecDeque<Config>,
    /// Removed profiles that still have connections in the worker.
    retired: Vec<String>,
    /// Whether the worker may have connections of mobiles that are in no profile any more.
    has_former: bool,
    device: Tun,
    host: Host,
    legs: Legs,
    listeners: Listeners,
    log: Arc<Log>,
    clock: Clock,
    signals: Signals,
    manager: Manager,
    /// Whether the manager was told that the daemon serves.
    is_ready: bool,
    status: Arc<SharedStatus>,
    journal: Journal,
    repeats: Repeats,
    worker: WorkerState,
    back_off: BackOff,
    stage: Stage,
    next_look: Time,
    /// When packets may next be led to the worker.
    next_try: Time,
}

/// What is made before the daemon gives up its privileges.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) file: PathBuf,
    pub(super) config: Config,
    pub(super) device: Tun,
    pub(super) host: Host,
    pub(super) legs: Legs,
    pub(super) listeners: Listeners,
    pub(super) journal: Journal,
    pub(super) log: Arc<Log>,
    pub(super) signals: Signals,
}

/// Who handles packets.
#[derive(Debug)]
enum WorkerState {
    /// A worker process, and whether packets are diverted to it.
    Running(WorkerHandle, Routing),
    /// No worker until then.
    Awaited(Time),
    /// No worker any more.
    Gone,
}

/// A worker as its supervisor sees it.
#[derive(Debug)]
struct WorkerHandle {
    child: Child,
    orders: Orders,
    started: Time,
    watchdog: Watchdog,
}

/// Where packets go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Routing {
    /// They are forwarded plainly, or rejected.
    Plain,
    /// To the worker.
    Diverted,
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
    /// Packets are forwarded plainly; the worker exits, until then.
    Leaving(Time),
}

impl Supervisor {
    /// With no worker yet. Connections that `left` names, of a daemon that was killed, are reset.
    pub(super) fn new(prepared: Prepared, left: Vec<Exposure>) -> Result<Self, SetupError> {
        let Prepared { file, config, device, host, legs, listeners, journal, log, signals } =
            prepared;
        let clock = Clock::start();
        let now = clock.now();
        let status = SharedStatus::new(now)
            .map_err(|error| setup_error!("no memory to share with a worker: {error}"))?;
        let mut supervisor = Self {
            file,
            proposed: VecDeque::new(),
            retired: Vec::new(),
            has_former: false,
            device,
            host,
            legs,
            listeners,
            log,
            clock,
            signals,
            manager: Manager::of_environment(),
            is_ready: false,
            status: Arc::new(status),
            journal,
            repeats: Repeats::default(),
            worker: WorkerState::Awaited(now),
            back_off: BackOff::new(),
            stage: Stage::Serving,
            next_look: now + LOOKS,
            next_try: now,
            config,
        };
        supervisor.reset_left(left);
        Ok(supervisor)
    }

    /// Serves until it is told to stop; then the worker is gone.
    ///
    /// # Errors
    /// Failures that make serving impossible. Packets are forwarded plainly as soon as the process
    /// has ended.
    pub(super) fn run(&mut self) -> Result<(), SetupError> {
        while !matches!(self.worker, WorkerState::Gone) {
            let [request, message, end] = self.wait()?;
            if request {
                self.handle_signals();
            }
            if message {
                self.listen()?;
            }
            if end {
                self.reap_worker(Event::WorkerDied)?;
            }
            self.check_heartbeat()?;
            self.enforce_deadlines()?;
            self.repeat_resets();
            self.spawn_worker();
            self.poll_interfaces();
        }
        Ok(())
    }

    /// What is left when it is over, to be taken away.
    pub(super) fn into_host(self) -> (Host, Listeners) {
        (self.host, self.listeners)
    }

    /// Waits until something is to be done: whether there are signals and messages of the worker,
    /// and whether it is over.
    fn wait(&self) -> io::Result<[bool; 3]> {
        let patience = self.due().saturating_since(self.clock.now());
        let mut fds = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if let WorkerState::Running(handle, _) = &self.worker {
            let room = if handle.orders.is_waiting() { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::new(&handle.orders.line, PollFlags::IN | room));
            fds.push(PollFd::new(&handle.child, PollFlags::IN));
        }
        readable(&mut fds, patience)?;
        let heard = |number: usize| fds.get(number).is_some_and(|fd| !fd.revents().is_empty());
        Ok([0, 1, 2].map(heard))
    }

    /// When something is to be done even without events.
    fn due(&self) -> Time {
        let worker = match &self.worker {
            WorkerState::Running(handle, _) => Some(handle.watchdog.due),
            WorkerState::Awaited(time) => Some(*time),
            WorkerState::Gone => None,
        };
        let stage = match self.stage {
            Stage::Serving => None,
            Stage::Draining(end) | Stage::Ending(end) | Stage::Leaving(end) => Some(end),
        };
        let earliest =
            [worker, stage, self.manager.due(), self.repeats.due()].into_iter().flatten();
        earliest.fold(self.next_look, Ord::min)
    }

    fn handle_signals(&mut self) {
        while let Some(request) = self.signals.next().unwrap_or_default() {
            match request {
                Request::Stop => self.stop(),
                Request::Reload => self.reload(),
            }
        }
    }

    fn listen(&mut self) -> Result<(), SetupError> {
        while let WorkerState::Running(handle, _) = &self.worker
            && let Some(word) = handle.orders.line.receive_message().unwrap_or_default()
        {
            match word {
                // The heartbeat is checked after this.
                WorkerEvent::Ready => {}
                WorkerEvent::Reloaded { retired } => self.apply_reload(retired),
                WorkerEvent::Refused { why } => self.abandon(&why),
                WorkerEvent::Retired => self.retire(),
                WorkerEvent::Narrow => self.apply_mtu(),
                WorkerEvent::Drained => self.release()?,
            }
        }
        if let WorkerState::Running(handle, _) = &mut self.worker {
            handle.orders.send();
        }
        Ok(())
    }

    /// Sends `order` to the worker; for what it replaces see [`Orders::give`]. A worker that does
    /// not read is found by its heartbeat.
    fn order(&mut self, order: Order) -> Option<Order> {
        match &mut self.worker {
            WorkerState::Running(handle, _) => handle.orders.give(order),
            WorkerState::Awaited(_) | WorkerState::Gone => None,
        }
    }

    /// Checks the heartbeat of the worker.
    fn check_heartbeat(&mut self) -> Result<(), SetupError> {
        let now = self.clock.now();
        let WorkerState::Running(handle, routing) = &mut self.worker else { return Ok(()) };
        match handle.watchdog.check(now, self.status.last_beat()) {
            Liveness::Starting => return Ok(()),
            Liveness::Hung => return self.reap_worker(Event::WorkerHung),
            Liveness::Alive => {}
        }
        if *routing == Routing::Plain && self.stage == Stage::Serving && self.next_try <= now {
            self.next_try = now + LOOKS;
            if is_up(&self.config.routing.device) {
                self.divert();
            }
        }
        if self.manager.due().is_some_and(|due| due <= now) {
            self.manager.show_life(now);
        }
        Ok(())
    }

    /// Leads packets to the worker. If that cannot be done now, it is tried again later.
    fn divert(&mut self) {
        if let Err(trouble) = self.host.divert(&self.config) {
            return self.complain(&trouble);
        }
        if let WorkerState::Running(_, routing) = &mut self.worker {
            *routing = Routing::Diverted;
        }
        self.log.tell(Event::Serving, &mtu_fields(self.legs.mtu()));
        self.is_ready = true;
        self.tell_ready();
    }

    /// Tells the manager that the daemon serves as its file says, if it does.
    fn tell_ready(&self) {
        if self.is_ready && self.proposed.is_empty() && self.stage == Stage::Serving {
            self.manager.tell("READY=1");
        }
    }

    fn complain(&self, trouble: &SetupError) {
        self.log.tell(Event::Host, &json!({ "why": trouble.to_string() }));
    }

    /// Starts a worker when its time has come. If that cannot be done now, it is tried again later.
    fn spawn_worker(&mut self) {
        let now = self.clock.now();
        if !matches!(self.worker, WorkerState::Awaited(time) if time <= now) {
            return;
        }
        self.worker = match self.start(now) {
            Ok(handle) => WorkerState::Running(handle, Routing::Plain),
            Err(trouble) => {
                self.complain(&trouble);
                WorkerState::Awaited(self.back_off.fail(now, now))
            }
        };
        self.next_try = now;
    }

    fn start(&mut self, now: Time) -> Result<WorkerHandle, SetupError> {
        if self.device.dropped().is_err() {
            self.device = host::device(&self.config, &self.legs)?;
            self.host = Host::set_up(&self.config, self.legs.largest())?;
        }
        let refused = |error: io::Error| setup_error!("cannot start a worker: {error}");
        let (line, far) = MessageSocket::pair().map_err(refused)?;
        self.journal.clear();
        self.status.note(Word::WorkerStarted, now);
        let worker = Worker {
            supervisor: getpid(),
            config: &self.config,
            mtu: self.legs.mtu(),
            clock: self.clock,
            line: far,
            listeners: self.listeners.try_clone().map_err(refused)?,
            log: Arc::clone(&self.log),
            shared: Shared {
                journal: &self.journal,
                status: Arc::clone(&self.status),
                device: &self.device,
            },
        };
        let child = Child::start(|| worker.work()).map_err(refused)?;
        self.log.tell(Event::WorkerStarted, &json!({ "process": child.number() }));
        let watchdog = Watchdog::new(now, self.config.heartbeat);
        Ok(WorkerHandle { child, orders: Orders::new(line), started: now, watchdog })
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
            if let Err(trouble) = self.host.set_mtu(self.legs.largest()) {
                self.complain(&trouble);
            }
            self.order(Order::Mtu(mtu));
        }
        let device = &self.config.routing.device;
        if let WorkerState::Running(_, routing) = &mut self.worker
            && *routing == Routing::Diverted
            && !is_up(device)
        {
            // That removes its routes.
            *routing = Routing::Plain;
            self.log.tell(Event::Host, &json!({ "why": format!("{device} is down") }));
        }
    }
}

fn mtu_fields([wired, radio]: [u16; 2]) -> Value {
    json!({ "wired": wired, "radio": radio })
}
