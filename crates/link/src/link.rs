//! One direction of a link in general: a queue, a transmitter, a delay line and losses.

use std::collections::VecDeque;

use base::{DropReason, Duration, Schedule, Stream, Time};

use crate::loss::list::List;
use crate::loss::{self, Losses};
use crate::queue::codel::CoDel;
use crate::queue::red::Red;
use crate::queue::{self, Arrival, Backlog, Departure, Discipline, Notice, Verdict};
use crate::server::Server;
use crate::{Config, Counters, Load, Service};

/// One direction of a link.
#[derive(Clone, PartialEq, Debug)]
pub struct LinkConfig {
    /// How fast it sends.
    pub service: Service,
    /// From the last bit sent to the last bit received, one way, for what leaves at that time.
    pub delay: Schedule<Duration>,
    /// What waits ahead of it.
    pub queue: queue::Config,
    /// Packets that are dropped ahead of the queue, by their number of arrival (`loss::list`).
    pub drop_arrivals: Vec<u64>,
    /// What is lost on the wire.
    pub loss: loss::Config,
}

impl LinkConfig {
    /// The pipe that does the same at half the events, if there is one.
    pub fn as_pipe(&self) -> Option<Config> {
        let Self { service, delay, queue, drop_arrivals, loss } = self;
        let Service::Rate(rate) = service else { return None };
        let is_plain = drop_arrivals.is_empty() && *loss == loss::Config::default();
        match (queue.discipline, queue.limit.bytes) {
            (Discipline::DropTail, None) if is_plain => Some(Config {
                rate: rate.as_constant()?,
                delay: delay.as_constant()?,
                queue_limit: queue.limit.packets,
            }),
            (Discipline::DropTail | Discipline::Red(_) | Discipline::CoDel(_), _) => None,
        }
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
    /// A packet that was taken in and does not arrive. One that is lost on the wire comes out
    /// when it would have arrived.
    Dropped(Dropped<T>),
}

/// One direction of a link. Packets leave in the order in which they came.
///
/// A packet costs an event when it arrives, and one when the transmitter is done with it if
/// another waits by then.
#[derive(Debug)]
pub struct Link<T> {
    server: Server,
    delay: Schedule<Duration>,
    limit: queue::droptail::Limit,
    discipline: Active,
    notice: Notice,
    list: List,
    losses: Losses,
    /// What waits, oldest first, and its bytes.
    waiting: VecDeque<Waiting<T>>,
    waiting_bytes: u64,
    /// When the transmitter is or was done with the last packet, and that packet's bytes.
    busy_until: Time,
    sending_bytes: u32,
    /// What was dropped when it was its turn, and when.
    gone: VecDeque<(Time, Dropped<T>)>,
    /// What is being sent or on its way, oldest first: none is looked at before its turn, so that
    /// none overtakes.
    flight: VecDeque<Flight<T>>,
    sent_bytes: u64,
    counters: Counters,
}

/// The state of a [`Discipline`].
#[derive(Debug)]
enum Active {
    DropTail,
    Red(Box<Red>),
    CoDel(Box<CoDel>),
}

#[derive(Debug)]
struct Waiting<T> {
    since: Time,
    packet: T,
}

#[derive(Debug)]
struct Flight<T> {
    /// No sooner than then.
    arrives: Time,
    packet: T,
    lost: Option<DropReason>,
}

impl<T: Load> Link<T> {
    /// An idle link called `name`, by which its sources of chance go, with `seed`.
    pub fn new(config: &LinkConfig, seed: u64, name: &str) -> Self {
        let discipline = match config.queue.discipline {
            Discipline::DropTail => Active::DropTail,
            Discipline::Red(red) => {
                let chance = Stream::named(seed, &format!("{name} RED"));
                Active::Red(Box::new(Red::new(red, chance)))
            }
            Discipline::CoDel(codel) => Active::CoDel(Box::new(CoDel::new(codel))),
        };
        Self {
            server: Server::new(&config.service),
            delay: config.delay.clone(),
            limit: config.queue.limit,
            discipline,
            notice: config.queue.notice,
            list: List::new(config.drop_arrivals.clone()),
            losses: Losses::new(&config.loss, seed, name),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            busy_until: Time::ZERO,
            sending_bytes: 0,
            gone: VecDeque::new(),
            flight: VecDeque::new(),
            sent_bytes: 0,
            counters: Counters::default(),
        }
    }

    /// Takes in `packet`, or gives it back. Poll again afterwards.
    ///
    /// # Errors
    /// The packet, if it was dropped on arrival.
    pub fn handle_input(&mut self, now: Time, mut packet: T) -> Result<(), Dropped<T>> {
        self.serve(now);
        if let Some(reason) = self.refuse(now, &mut packet) {
            self.counters.drops.count(reason);
            return Err(Dropped { packet, reason });
        }
        self.counters.accepted += 1;
        self.waiting_bytes += u64::from(packet.bytes());
        self.waiting.push_back(Waiting { since: now, packet });
        self.counters.queue_max = self.counters.queue_max.max(self.backlog(now).packets);
        self.serve(now);
        Ok(())
    }

    /// The next packet that has arrived or is known to be lost by `now`.
    #[must_use]
    pub fn poll_output(&mut self, now: Time) -> Option<Output<T>> {
        self.serve(now);
        if let Some((_, dropped)) = self.gone.pop_front() {
            return Some(Output::Dropped(dropped));
        }
        if self.flight.front()?.arrives > now {
            return None;
        }
        let Flight { packet, lost, .. } = self.flight.pop_front()?;
        Some(match lost {
            None => Output::Delivered(packet),
            Some(reason) => {
                self.counters.drops.count(reason);
                Output::Dropped(Dropped { packet, reason })
            }
        })
    }

    /// When something happens next; `None` while the link is empty. Changed by
    /// [`Self::handle_input`] and [`Self::poll_output`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        let gone = self.gone.front().map(|(time, _)| *time);
        let turn = (!self.waiting.is_empty()).then_some(self.busy_until);
        let arrival = self.flight.front().map(|next| next.arrives);
        [gone, turn, arrival].into_iter().flatten().min()
    }

    /// The counters as they stand at `now`: time still to come is left out.
    pub fn counters(&self, now: Time) -> Counters {
        let mut counters = self.counters;
        let to_come = self.busy_until.saturating_since(now);
        counters.busy = counters.busy.saturating_sub(to_come);
        counters.queue_integral = counters.queue_integral.saturating_sub(to_come);
        for waiting in &self.waiting {
            counters.queue_integral += now.saturating_since(waiting.since);
        }
        counters
    }

    /// The share of time in which it was sending, or of a trace the share of its opportunities
    /// that carried something; `None` where sending takes no time.
    pub fn utilization(&self, now: Time) -> Option<f64> {
        let under_way = if self.busy_until > now { self.sending_bytes } else { 0 };
        let sent = self.sent_bytes - u64::from(under_way);
        self.server.utilization(now, &self.counters(now), sent)
    }

    /// Packets between entry and exit.
    pub fn in_flight(&self) -> usize {
        self.waiting.len() + self.gone.len() + self.flight.len()
    }

    /// The packets between entry and exit, each once.
    pub fn held(&self) -> impl Iterator<Item = &T> {
        let gone = self.gone.iter().map(|(_, dropped)| &dropped.packet);
        let flight = self.flight.iter().map(|flight| &flight.packet);
        flight.chain(gone).chain(self.waiting.iter().map(|waiting| &waiting.packet))
    }

    /// What is in the queue or in transmission.
    fn backlog(&self, now: Time) -> Backlog {
        let sending = self.busy_until > now;
        let bytes = if sending { self.sending_bytes } else { 0 };
        Backlog {
            packets: self.waiting.len() as u32 + u32::from(sending),
            bytes: self.waiting_bytes + u64::from(bytes),
        }
    }

    /// Why `packet` is dropped on arrival, if it is.
    fn refuse(&mut self, now: Time, packet: &mut T) -> Option<DropReason> {
        if !packet.is_pure_ack() && self.list.drops_next() {
            return Some(DropReason::List);
        }
        let backlog = self.backlog(now);
        let verdict = match &mut self.discipline {
            Active::DropTail | Active::CoDel(_) => Verdict::Pass,
            Active::Red(red) => {
                let idle = now.saturating_since(self.busy_until);
                let idle_packets = self
                    .server
                    .rate(now)
                    .map_or(u64::MAX, |rate| rate.bytes_in(idle) / u64::from(red.mean_packet()));
                red.on_arrival(Arrival { backlog, idle_packets })
            }
        };
        if !self.limit.admits(backlog, packet.bytes()) {
            return Some(DropReason::Queue);
        }
        self.has_to_go(verdict, packet).then_some(DropReason::Aqm)
    }

    /// Marks `packet` or says that it is to be dropped, as the verdict asks.
    fn has_to_go(&mut self, verdict: Verdict, packet: &mut T) -> bool {
        match (verdict, self.notice) {
            (Verdict::Pass, Notice::Drop | Notice::Mark) => false,
            (Verdict::Notify, Notice::Mark) => {
                let is_marked = packet.mark();
                self.counters.marks += u64::from(is_marked);
                !is_marked
            }
            (Verdict::Notify, Notice::Drop) | (Verdict::Drop, Notice::Drop | Notice::Mark) => true,
        }
    }

    /// Begins to send whatever can have begun by `now`.
    fn serve(&mut self, now: Time) {
        while self.busy_until <= now
            && let Some(Waiting { since, mut packet }) = self.waiting.pop_front()
        {
            let start = self.busy_until.max(since);
            self.waiting_bytes -= u64::from(packet.bytes());
            let verdict = match &mut self.discipline {
                Active::DropTail | Active::Red(_) => Verdict::Pass,
                Active::CoDel(codel) => {
                    let (sojourn, bytes_behind) = (start - since, self.waiting_bytes);
                    codel.on_departure(start, Departure { sojourn, bytes_behind })
                }
            };
            if self.has_to_go(verdict, &mut packet) {
                let reason = DropReason::Aqm;
                self.counters.drops.count(reason);
                self.counters.queue_integral += start - since;
                self.gone.push_back((start, Dropped { packet, reason }));
            } else {
                self.send(since, start, packet);
            }
        }
    }

    /// Sends `packet`, which came at `since`, from `start` on.
    fn send(&mut self, since: Time, start: Time, packet: T) {
        let bytes = packet.bytes();
        let departs = self.server.transmit(since, start, bytes);
        let arrives = departs + self.delay.at(departs);
        self.busy_until = departs;
        self.sending_bytes = bytes;
        self.sent_bytes += u64::from(bytes);
        self.counters.busy += departs - start;
        self.counters.queue_integral += departs - since;
        let lost = self.losses.of(departs);
        self.flight.push_back(Flight { arrives, packet, lost });
    }
}
