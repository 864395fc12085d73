//! What one worker has: its process, and the way of its packets.

use base::Time;
use serde_json::{Value, json};

use super::orders::Orders;
use crate::back_off::BackOff;
use crate::child::Child;
use crate::heartbeat::Watchdog;
use crate::host::Host;
use crate::journal::Journal;
use crate::message::Order;
use os::{LARGEST_PACKET, Port, Tun};
use proxy::OnFailure;

/// The device of a worker, the routes that lead to it, and its process, if there is one.
#[derive(Debug)]
pub(crate) struct Lane {
    /// The number of the worker.
    pub(super) number: u32,
    pub(super) device: Tun,
    pub(super) host: Host,
    pub(super) journal: Journal,
    pub(super) worker: WorkerState,
    pub(super) back_off: BackOff,
    /// When packets may next be led to the worker.
    pub(super) next_try: Time,
    /// Whether packets were ever led to a worker here.
    pub(super) has_served: bool,
    /// Whether the worker may have connections of mobiles that are in no profile any more.
    pub(super) has_former: bool,
    /// Whether it has connections of removed profiles.
    pub(super) is_retiring: bool,
    /// Whether it has said that no connection depends on it.
    pub(super) is_drained: bool,
}

/// Who handles packets.
#[derive(Debug)]
pub(super) enum WorkerState {
    /// A worker process, and whether packets are diverted to it.
    Running(WorkerHandle, Routing),
    /// No worker until then.
    Awaited(Time),
    /// No worker any more.
    Gone,
}

/// A worker as its supervisor sees it.
#[derive(Debug)]
pub(super) struct WorkerHandle {
    pub(super) child: Child,
    pub(super) orders: Orders,
    pub(super) started: Time,
    pub(super) watchdog: Watchdog,
}

/// Where packets go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Routing {
    /// They are forwarded plainly, or rejected.
    Plain,
    /// To the worker.
    Diverted,
}

impl Lane {
    /// With no worker yet.
    pub(crate) const fn new(number: u32, device: Tun, host: Host, journal: Journal) -> Self {
        Self {
            number,
            device,
            host,
            journal,
            worker: WorkerState::Awaited(Time::ZERO),
            back_off: BackOff::new(),
            next_try: Time::ZERO,
            has_served: false,
            has_former: false,
            is_retiring: false,
            is_drained: false,
        }
    }

    pub(super) fn into_host(self) -> Host {
        self.host
    }

    pub(super) const fn is_running(&self) -> bool {
        matches!(self.worker, WorkerState::Running(..))
    }

    pub(super) const fn is_gone(&self) -> bool {
        matches!(self.worker, WorkerState::Gone)
    }

    /// When something is to be done for it.
    pub(super) fn due(&self) -> Option<Time> {
        match &self.worker {
            WorkerState::Running(handle, _) => Some(handle.watchdog.due),
            WorkerState::Awaited(time) => Some(*time),
            WorkerState::Gone => None,
        }
    }

    /// Sends `order` to the worker; for what it replaces see [`Orders::give`]. A worker that does
    /// not read is found by its heartbeat.
    pub(super) fn order(&mut self, order: Order) -> Option<Order> {
        match &mut self.worker {
            WorkerState::Running(handle, _) => handle.orders.give(order),
            WorkerState::Awaited(_) | WorkerState::Gone => None,
        }
    }

    /// Forwards packets that waited for the worker that is gone.
    pub(super) fn forward_waiting(&self, on_failure: OnFailure) {
        let mut packet = vec![0; LARGEST_PACKET];
        for _ in 0..self.device.room().unwrap_or_default() {
            let Ok(Some(bytes)) = self.device.receive(&mut packet) else { return };
            if on_failure == OnFailure::Bypass {
                self.device.send(&packet[..bytes]).ok();
            }
        }
    }

    /// The fields of an event about one worker of `workers`: `fields`, and its number if there are
    /// others.
    pub(super) fn fields(&self, workers: u32, mut fields: Value) -> Value {
        if workers > 1 {
            fields["worker"] = json!(self.number);
        }
        fields
    }
}
