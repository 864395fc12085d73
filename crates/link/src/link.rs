//! One direction of a link in general: a queue, a transmitter, a delay line and losses.

mod change;

use std::collections::VecDeque;

use base::{Duration, Rate, Schedule, Time};
use observe::DropReason;

use crate::disorder::{self, Line, Sent};
use crate::loss::list::List;
use crate::loss::{self, Losses};
use crate::queue::{self, Backlog, Discipline, Queue, Queued, Transmission, droptail};
use crate::server::Server;
use crate::{Config, Counters, Load, Service};

/// One direction of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkConfig {
    /// How fast it sends.
    pub service: Service,
    /// One-way delay from the last bit sent to the last bit received, by time of departure. That of
    /// a trace comes on top.
    pub delay: Schedule<Duration>,
    /// What waits ahead of it.
    pub queue: queue::Config,
    /// Packets that are dropped ahead of the queue, by their number of arrival (`loss::list`).
    pub drop_arrivals: Vec<u64>,
    /// What is lost on the wire.
    pub loss: loss::Config,
    /// Jitter, reordering, duplicates and bit errors.
    pub disorder: disorder::Config,
}

impl LinkConfig {
    /// The pipe that does the same at half the events, if there is one.
    pub fn as_pipe(&self) -> Option<Config> {
        let Self { service, delay, queue, drop_arrivals, loss, disorder } = self;
        let Service::Rate(rate) = service else { return None };
        let loses = !drop_arrivals.is_empty() || *loss != loss::Config::default();
        let is_plain = !loses && disorder.is_none();
        if queue.discipline != Discipline::DropTail || queue.limit.bytes.is_some() || !is_plain {
            return None;
        }
        Some(Config {
            rate: rate.as_constant()?,
            delay: delay.as_constant()?,
            queue_limit: queue.limit.packets,
        })
    }
}

/// A packet that a link dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dropped<T> {
    /// The packet.
    pub packet: T,
    /// Why.
    pub reason: DropReason,
}

/// What comes out of a link.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<T> {
    /// A packet at the far end.
    Delivered(T),
    /// One that arrives twice.
    Duplicated(T),
    /// One that arrives with a wrong bit, which this draw picks.
    Corrupted(T, u32),
    /// A packet that was taken in and does not arrive. One that is lost on the wire comes out
    /// when it would have arrived.
    Dropped(Dropped<T>),
}

/// One direction of a link. Packets leave in the order in which they came, in a fair queue those of
/// a flow, unless the wire disorders them.
///
/// A packet costs an event when it arrives, and one when the transmitter is done with it if
/// another waits by then or the wire disorders it.
#[derive(Debug)]
pub struct Link<T> {
    server: Server,
    delay: Schedule<Duration>,
    list: List,
    losses: Losses,
    queue: Queue<T>,
    /// When the transmitter is or was done with the last packet, and that packet's bytes.
    busy_until: Time,
    sending_bytes: u32,
    /// What is being sent or on its way, oldest first: only the first is checked, so that none
    /// overtakes. With a `line` only what is being sent.
    flight: VecDeque<Flight<T>>,
    /// What is on its way, where the wire disorders it.
    line: Option<Box<Line<T>>>,
    /// How many at the front of `flight` [`Self::poll_dequeued`] has returned.
    told: usize,
    sent_bytes: u64,
    /// How many packets the losses have been asked about.
    sent_packets: u64,
    counters: Counters,
}

#[derive(Debug)]
struct Flight<T> {
    /// When its first bit is sent.
    starts: Time,
    /// The earliest time of its arrival, where there is a line at its beginning.
    arrives: Time,
    packet: T,
    lost: Option<DropReason>,
}

impl<T: Load> Link<T> {
    /// An idle link called `name`; that and `seed` determine its sources of chance.
    pub fn new(config: &LinkConfig, seed: u64, name: &str) -> Self {
        Self {
            server: Server::new(&config.service),
            delay: config.delay.clone(),
            list: List::new(config.drop_arrivals.clone()),
            losses: Losses::new(&config.loss, seed, name),
            queue: Queue::new(&config.queue, seed, name),
            busy_until: Time::ZERO,
            sending_bytes: 0,
            flight: VecDeque::new(),
            line: line(config, seed, name, 0),
            told: 0,
            sent_bytes: 0,
            sent_packets: 0,
            counters: Counters::default(),
        }
    }

    /// Takes in `packet`, or gives it back. Poll again afterwards.
    ///
    /// # Errors
    /// The packet, if it was dropped on arrival.
    pub fn handle_input(&mut self, now: Time, packet: T) -> Result<(), Dropped<T>> {
        self.serve(now);
        if !packet.is_pure_ack() && self.list.drops_next() {
            let reason = DropReason::List;
            self.counters.drops.count(reason);
            return Err(Dropped { packet, reason });
        }
        let transmission = self.transmission(now);
        self.queue.push(now, packet, transmission, &mut self.counters)?;
        self.serve(now);
        Ok(())
    }

    /// The next packet that has arrived or is known to be lost by `now`.
    #[must_use]
    pub fn poll_output(&mut self, now: Time) -> Option<Output<T>> {
        self.serve(now);
        if let Some(dropped) = self.queue.poll_gone() {
            return Some(Output::Dropped(dropped));
        }
        if self.line.is_some() {
            self.enter_line(now);
            let output = self.line.as_mut()?.poll_output(now)?;
            if let Output::Dropped(Dropped { reason, .. }) = &output {
                self.counters.drops.count(*reason);
            }
            return Some(output);
        }
        let Flight { packet, lost, .. } = self.land(now)?;
        Some(match lost {
            None => Output::Delivered(packet),
            Some(reason) => {
                self.counters.drops.count(reason);
                Output::Dropped(Dropped { packet, reason })
            }
        })
    }

    /// The next packet that has arrived, or begun its line, by `now`.
    fn land(&mut self, now: Time) -> Option<Flight<T>> {
        if self.flight.front()?.arrives > now {
            return None;
        }
        self.told = self.told.saturating_sub(1);
        self.flight.pop_front()
    }

    /// Hands what has left the transmitter by `now` to the line.
    fn enter_line(&mut self, now: Time) {
        while let Some(Flight { arrives: departs, packet, lost, .. }) = self.land(now) {
            let delay = self.delay(departs);
            if let Some(line) = &mut self.line {
                line.send(Sent { departs, delay, packet, lost });
            }
        }
    }

    /// The next packet that has left the queue by `now`, and when its first bit is sent. For
    /// observers; to be called after [`Self::handle_input`] and ahead of [`Self::poll_output`].
    #[must_use]
    pub fn poll_dequeued(&mut self, now: Time) -> Option<(Time, &T)> {
        self.serve(now);
        let Flight { starts, packet, .. } = self.flight.get(self.told)?;
        self.told += 1;
        Some((*starts, packet))
    }

    /// When something happens next; `None` while the link is empty. Changed by
    /// [`Self::handle_input`] and [`Self::poll_output`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let gone = self.queue.gone_since();
        let turn = (!self.queue.is_empty()).then_some(self.free());
        let arrival = self.flight.front().map(|next| next.arrives);
        let line = self.line.as_ref().and_then(|line| line.poll_timeout());
        [gone, turn, arrival, line].into_iter().flatten().min()
    }

    /// The counters at `now`: time still to come is left out.
    pub fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        let to_come = self.busy_until.saturating_since(now);
        counters.busy = counters.busy.saturating_sub(to_come);
        counters.queue_integral = counters.queue_integral.saturating_sub(to_come);
        counters.queue_integral += self.queue.waited(now);
        counters
    }

    /// The share of time in which it was sending, or for a trace the share of its opportunities
    /// that carried something; `None` where sending takes no time.
    pub fn utilization(&self, now: Time) -> Option<f64> {
        let under_way = if self.busy_until > now { self.sending_bytes } else { 0 };
        let sent = self.sent_bytes - u64::from(under_way);
        self.server.utilization(now, &self.counters(now), sent)
    }

    /// Its rate at `time`, or the mean of its trace; `None` if sending takes no time.
    pub fn rate(&self, time: Time) -> Option<Rate> {
        self.server.rate(time)
    }

    /// Whether sending never takes time.
    pub fn is_unlimited(&self) -> bool {
        self.server.is_unlimited()
    }

    /// What it could carry from each of these times on, up to `until`, in bit/s: its rate where
    /// that changes; of a trace the mean over each `step`. `None` is without limit.
    pub fn capacity(&self, until: Time, step: Duration) -> Vec<(Time, Option<u64>)> {
        self.server.capacity(until, step)
    }

    /// The one-way delay of what leaves at `time`.
    pub fn delay(&self, time: Time) -> Duration {
        self.delay.at(time) + self.server.delay(time)
    }

    /// The most that may wait or be sent.
    pub const fn limit(&self) -> droptail::Limit {
        self.queue.limit()
    }

    /// Packets between entry and exit.
    pub fn in_flight(&self) -> usize {
        let on_line = self.line.as_ref().map_or(0, |line| line.len());
        self.queue.len() + self.queue.gone() + self.flight.len() + on_line
    }

    /// The packets between entry and exit, each once.
    pub fn held(&self) -> impl Iterator<Item = &T> {
        let on_line = self.line.iter().flat_map(|line| line.packets());
        self.flight.iter().map(|flight| &flight.packet).chain(self.queue.held()).chain(on_line)
    }

    /// Packets that came out otherwise than they went in, where the wire may do that.
    pub fn disorder(&self) -> Option<disorder::Counts> {
        self.line.as_ref().map(|line| line.counts())
    }

    /// What the transmitter is doing.
    fn transmission(&self, now: Time) -> Transmission {
        if self.busy_until > now {
            let bytes = u64::from(self.sending_bytes);
            return Transmission { sending: Backlog { packets: 1, bytes }, idle_bytes: 0 };
        }
        if !self.queue.uses_idle_time() {
            return Transmission::default();
        }
        let idle = now - self.busy_until;
        let idle_bytes = self.server.rate(now).map_or(u64::MAX, |rate| rate.bytes_in(idle));
        Transmission { sending: Backlog::default(), idle_bytes }
    }

    /// Begins to send whatever can have begun by `now`.
    fn serve(&mut self, now: Time) {
        while let free = self.free()
            && free <= now
            && let Some(Queued { since, packet }) = self.queue.pop(free, &mut self.counters)
        {
            self.send(since, free.max(since), packet);
        }
    }

    /// Time from which on the transmitter may take a packet.
    fn free(&self) -> Time {
        self.busy_until.max(self.queue.opens())
    }

    /// Sends `packet`, which came at `since`, from `start` on.
    fn send(&mut self, since: Time, start: Time, packet: T) {
        let bytes = packet.bytes();
        let departs = self.server.transmit(since, start, bytes);
        let arrives = self.end_of_flight(departs);
        self.busy_until = departs;
        self.sending_bytes = bytes;
        self.sent_bytes += u64::from(bytes);
        self.sent_packets += 1;
        self.counters.busy += departs - start;
        self.counters.queue_integral += departs - since;
        let lost = self.losses.of(departs);
        self.flight.push_back(Flight { starts: start, arrives, packet, lost });
    }

    /// Arrival of a packet that departs at `departs`, or the beginning of its line.
    fn end_of_flight(&self, departs: Time) -> Time {
        if self.line.is_some() { departs } else { departs + self.delay(departs) }
    }
}

/// The line of a link with this `config`, if it disorders packets and `sent` have left before.
fn line<T>(config: &LinkConfig, seed: u64, name: &str, sent: u64) -> Option<Box<Line<T>>> {
    let disorder = &config.disorder;
    (!disorder.is_none()).then(|| Box::new(Line::new(disorder, seed, name, sent)))
}
