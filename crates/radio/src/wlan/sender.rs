//! Who sends on a medium: its access point, or a station.

use base::{Direction, Duration, Time};
use link::queue::{self, Backlog, Queue, Queued, Transmission};
use link::{Dropped, Load};

use super::counters::Counters;
use crate::Sdu;

/// An SDU, and the station from or to which it goes.
#[derive(Debug)]
pub(super) struct Frame<T> {
    pub(super) station: u32,
    pub(super) sdu: T,
}

impl<T: Sdu> Load for Frame<T> {
    fn bytes(&self) -> u32 {
        self.sdu.bytes()
    }

    fn mark(&mut self) -> bool {
        self.sdu.mark()
    }

    fn is_l4s(&self) -> bool {
        self.sdu.is_l4s()
    }

    fn flow(&self) -> u64 {
        self.sdu.flow()
    }

    fn hosts(&self) -> [u32; 2] {
        self.sdu.hosts()
    }

    fn dscp(&self) -> u8 {
        self.sdu.dscp()
    }
}

/// A frame that is being sent, or whose transmission failed.
#[derive(Debug)]
pub(super) struct Head<T> {
    /// When it was handed in.
    pub(super) since: Time,
    pub(super) frame: Frame<T>,
    /// How many transmissions failed.
    pub(super) retries: u32,
    /// Whether observers know that it has left the queue.
    pub(super) is_told: bool,
}

/// A sender and what waits at it.
#[derive(Debug)]
pub(super) struct Sender<T> {
    pub(super) direction: Direction,
    queue: Queue<Frame<T>>,
    pub(super) head: Option<Head<T>>,
}

impl<T: Sdu> Sender<T> {
    pub(super) fn new(direction: Direction, config: &queue::Config, seed: u64, name: &str) -> Self {
        Self { direction, queue: Queue::new(config, seed, name), head: None }
    }

    /// Takes in `frame`, or gives it back; `idle_bytes` could have been sent since the medium fell
    /// idle.
    pub(super) fn push(
        &mut self,
        now: Time,
        frame: Frame<T>,
        idle_bytes: u64,
        counters: &mut Counters,
    ) -> Result<(), Dropped<T>> {
        let sending = self.head.as_ref().map_or_else(Backlog::default, |head| Backlog {
            packets: 1,
            bytes: u64::from(head.frame.bytes()),
        });
        let mut counts = link::Counters::default();
        let transmission = Transmission { sending, idle_bytes };
        let pushed = self.queue.push(now, frame, transmission, &mut counts);
        counters.add(&counts);
        pushed.map_err(|Dropped { packet, reason }| Dropped { packet: packet.sdu, reason })
    }

    /// The next frame of the queue.
    pub(super) fn pop(&mut self, now: Time, counters: &mut Counters) -> Option<Head<T>> {
        let mut counts = link::Counters::default();
        let turn = self.queue.pop(now, &mut counts);
        counters.add(&counts);
        turn.map(|Queued { since, packet: frame }| Head {
            since,
            frame,
            retries: 0,
            is_told: false,
        })
    }

    /// The next SDU that the queue took in and dropped later.
    pub(super) fn poll_gone(&mut self) -> Option<Dropped<T>> {
        let Dropped { packet, reason } = self.queue.poll_gone()?;
        Some(Dropped { packet: packet.sdu, reason })
    }

    /// True if it has something to send.
    pub(super) fn has_more(&self) -> bool {
        self.head.is_some() || !self.queue.is_empty()
    }

    /// Whether it matters how long the medium was idle.
    pub(super) fn uses_idle_time(&self) -> bool {
        self.queue.uses_idle_time()
    }

    /// The sum over what it holds of the time that each has waited by `now`.
    pub(super) fn waited(&self, now: Time) -> Duration {
        let head = self.head.as_ref().map(|head| now.saturating_since(head.since));
        head.unwrap_or_default() + self.queue.waited(now)
    }

    /// What it holds.
    pub(super) fn held(&self) -> impl Iterator<Item = &T> {
        let head = self.head.iter().map(|head| &head.frame.sdu);
        head.chain(self.queue.held().map(|frame| &frame.sdu))
    }
}

impl Counters {
    /// The counters of its queue.
    fn add(&mut self, counts: &link::Counters) {
        self.marks += counts.marks;
        self.drops.queue += counts.drops.queue;
        self.drops.aqm += counts.drops.aqm;
        self.waiting_time += counts.queue_integral;
        self.queue_max = self.queue_max.max(counts.queue_max);
    }

    /// An SDU of `bytes` that was handed in `waited` ago has arrived.
    pub(super) fn deliver(&mut self, bytes: u32, waited: Duration) {
        self.delivered += 1;
        self.bytes_delivered += u64::from(bytes);
        self.waiting_time += waited;
    }
}
