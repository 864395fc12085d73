//! What changes of a link while it runs.

use base::Time;

use super::{Flight, Link, LinkConfig, line};
use crate::queue::{self, Discipline, Notice, Transmission, droptail};
use crate::server::Server;
use crate::{Config, Load, Pipe, Service, disorder, loss};

impl<T: Load> Link<T> {
    /// From `now` on rates, delays, independent losses, outages and disorder are those of `config`,
    /// as if they had been known from the start: the same packets arrive at the same times, if
    /// before `now` the old configuration and this one are alike. What has left the transmitter
    /// keeps its arrival; none overtakes. What was due before `now` must have been handled; `seed`
    /// and `name` are those of [`Self::new`].
    pub fn reconfigure(&mut self, now: Time, config: &LinkConfig, seed: u64, name: &str) {
        self.serve(just_before(now));
        if self.line.is_some() {
            self.enter_line(just_before(now));
        }
        self.delay = config.delay.clone();
        self.losses.change(&config.loss, self.sent_packets, seed, name);
        let is_sending = self.busy_until >= now && !self.flight.is_empty();
        self.change_disorder(config, usize::from(is_sending), seed, name);
        let before = if is_sending { self.busy_until } else { just_before(now) };
        let departs = self.server.change(now, before, &config.service);
        if !is_sending {
            return;
        }
        let arrives = self.end_of_flight(departs);
        let Some(last) = self.flight.back_mut() else { return };
        last.arrives = arrives;
        last.lost = self.losses.again(departs);
        // The time to send it counts from its start, and changes by as much as its end.
        for time in [&mut self.counters.busy, &mut self.counters.queue_integral] {
            *time += departs.saturating_since(before);
            *time = time.saturating_sub(before.saturating_since(departs));
        }
        self.busy_until = departs;
    }

    /// From now on the wire disorders packets as `config` says. `sending` counts those that are
    /// being sent: one or none.
    fn change_disorder(&mut self, config: &LinkConfig, sending: usize, seed: u64, name: &str) {
        if let Some(line) = &mut self.line {
            return line.change(&config.disorder);
        }
        let (on_way, first) =
            (self.flight.len() - sending, self.sent_packets - self.flight.len() as u64);
        let Some(mut line) = line(config, seed, name, first) else { return };
        for Flight { arrives, packet, lost, .. } in self.flight.drain(..on_way) {
            line.take_over(arrives, packet, lost);
        }
        self.told = self.told.saturating_sub(on_way);
        self.line = Some(line);
    }

    /// The link that goes on from `now` where `pipe` stands.
    pub fn of_pipe(now: Time, pipe: Pipe<T>) -> Self {
        let Config { rate, delay, queue_limit } = pipe.config();
        let mut link = Self::new(&plain(pipe.config()), 0, "");
        link.counters = pipe.counters(now);
        let (sent, waiting, remainder) = pipe.into_parts(now);
        link.server = Server::of_rate(rate, remainder);
        debug_assert!(queue_limit.is_none_or(|limit| waiting.len() <= limit as usize));
        for (starts, departs, packet) in sent {
            link.busy_until = departs;
            link.sending_bytes = packet.bytes();
            link.flight.push_back(Flight { starts, arrives: departs + delay, packet, lost: None });
        }
        // What leaves the queue of a pipe is told when it comes in.
        link.told = link.flight.len();
        let to_come = link.busy_until.saturating_since(now);
        link.counters.busy += to_come;
        link.counters.queue_integral += to_come;
        let accepted = link.counters.accepted;
        link.sent_packets = accepted - waiting.len() as u64;
        for packet in waiting {
            let taken = link.queue.push(now, packet, Transmission::default(), &mut link.counters);
            debug_assert!(taken.is_ok(), "what fits into a pipe fits into its link");
        }
        link.counters.accepted = accepted;
        link
    }
}

/// The link that does what a pipe does.
fn plain(Config { rate, delay, queue_limit }: Config) -> LinkConfig {
    LinkConfig {
        service: Service::Rate(rate.into()),
        delay: delay.into(),
        queue: queue::Config {
            limit: droptail::Limit { packets: queue_limit, bytes: None },
            discipline: Discipline::DropTail,
            notice: Notice::Drop,
        },
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    }
}

/// The last moment before `now`.
fn just_before(now: Time) -> Time {
    Time::from_nanos(now.as_nanos().saturating_sub(1))
}
