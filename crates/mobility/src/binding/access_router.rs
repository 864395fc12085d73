//! An access router: advertisements, answers to solicitations, and fast handovers if enabled.

use std::collections::VecDeque;

use base::{Duration, Stream, Time};
use observe::{Context, Observe};

use super::fast_router::{FastRouter, FastRouterConfig};
use super::outbox::Outbox;
use super::{
    Address, AgentRequest, Answer, Header, Message, MobilityAgent, Outgoing, PacketAction,
};

/// The configuration of an access router.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessRouterConfig {
    /// Its number.
    pub router: u32,
    /// Its address.
    pub address: Address,
    /// The MAP that it advertises (RFC 5380 §4).
    pub map: Option<Address>,
    /// How often it advertises to all on the link; `None` only answers.
    pub interval: Option<Interval>,
    /// The longest delay of a solicited advertisement. RFC 4861 §10: `MAX_RA_DELAY_TIME`, 0.5 s.
    pub answer_delay_max: Duration,
    /// Addresses that other hosts use on its link.
    pub taken: Vec<Address>,
    /// Its fast handovers, if enabled.
    pub fast: Option<FastRouterConfig>,
}

/// The time from one advertisement to the next, drawn evenly between two bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    /// RFC 4861 §6.2.1: `MinRtrAdvInterval`, 200 s; RFC 6275 §7.5 allows 0.03 s. Not zero.
    pub min: Duration,
    /// RFC 4861 §6.2.1: `MaxRtrAdvInterval`, 600 s; RFC 6275 §7.5 allows 0.07 s.
    pub max: Duration,
}

/// An access router.
#[derive(Debug)]
pub struct AccessRouter {
    config: AccessRouterConfig,
    outbox: Outbox,
    chance: Stream,
    advertises: Option<Time>,
    /// Solicited advertisements, and for whom.
    answers: VecDeque<(Time, Address)>,
    fast: Option<FastRouter>,
}

impl AccessRouter {
    /// Machine number `machine`; random streams by `seed`.
    pub fn new(machine: u32, config: AccessRouterConfig, seed: u64) -> Self {
        let mut chance = Stream::named(seed, &format!("advertisements of {}", config.router));
        let first = config.interval.map(|interval| Time::ZERO + draw(&mut chance, interval));
        let fast = config.fast.clone().map(|fast| FastRouter::new(machine, config.address, fast));
        let outbox = Outbox::new(machine);
        Self { config, outbox, chance, advertises: first, answers: VecDeque::new(), fast }
    }
}

impl MobilityAgent for AccessRouter {
    fn look(&mut self, now: Time, header: &Header) -> PacketAction {
        if header.destination == self.config.address {
            let is_for_it = header.is_message && header.wrap.is_none();
            return if is_for_it { PacketAction::Take } else { PacketAction::Pass };
        }
        self.fast.as_ref().map_or(PacketAction::Pass, |fast| fast.look(now, header))
    }

    fn handle_message(&mut self, cx: &mut Context<'_, impl Observe>, incoming: &Outgoing) {
        self.outbox.received(cx, incoming);
        let from = incoming.source;
        if incoming.message == Message::RouterSolicitation {
            let most = Interval { min: Duration::ZERO, max: self.config.answer_delay_max };
            let at = cx.now + draw(&mut self.chance, most);
            self.answers.push_back((at, from));
            self.handle_timeout(cx);
        } else if let Message::NeighborSolicitation { target } = incoming.message {
            if self.config.taken.contains(&target) {
                let message = Message::NeighborAdvertisement { target };
                let source = self.config.address;
                let answer = Outgoing { source, destination: from, message };
                self.outbox.send(cx, answer);
            }
        } else {
            self.handle_fast(cx, incoming);
        }
    }

    fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
        let (router, map) = (self.config.router, self.config.map);
        let advertisement = Message::RouterAdvertisement { router, map };
        let source = self.config.address;
        while let Some(place) = self.answers.iter().position(|(at, _)| *at <= cx.now) {
            if let Some((_, destination)) = self.answers.remove(place) {
                let answer = Outgoing { source, destination, message: advertisement };
                self.outbox.send(cx, answer);
            }
        }
        if let (Some(at), Some(interval)) = (self.advertises, self.config.interval)
            && at <= cx.now
        {
            self.outbox.send_quietly(source, Address::ALL_NODES, advertisement);
            self.advertises = Some(cx.now + draw(&mut self.chance, interval));
        }
        if let Some(fast) = &mut self.fast {
            fast.handle_timeout(cx);
        }
    }

    fn poll_output(&mut self) -> Option<Outgoing> {
        self.outbox.pop().or_else(|| self.fast.as_mut()?.poll_output())
    }

    fn poll_request(&mut self) -> Option<AgentRequest> {
        self.fast.as_mut()?.poll_request()
    }

    fn poll_timeout(&self) -> Option<Time> {
        let answer = self.answers.iter().map(|(at, _)| *at).min();
        let fast = self.fast.as_ref().and_then(FastRouter::poll_timeout);
        Time::earlier(self.advertises, Time::earlier(answer, fast))
    }
}

impl AccessRouter {
    fn handle_fast(&mut self, cx: &mut Context<'_, impl Observe>, incoming: &Outgoing) {
        let Some(fast) = &mut self.fast else { return };
        let from = incoming.source;
        if let Message::ProxySolicitation { next } = incoming.message {
            fast.asked(cx, next, from);
        } else if let Message::FastUpdate(update) = incoming.message {
            fast.updated(cx, update, from);
        } else if let Message::HandoverInitiate(update) = incoming.message {
            let is_taken = self.config.taken.contains(&update.new);
            let answer = if is_taken { Answer::Refused } else { Answer::Accepted };
            fast.announced(cx, update, (from, answer));
        } else if let Message::HandoverAcknowledge { home, sequence, answer } = incoming.message {
            fast.answered(cx, (home, sequence, answer));
        } else if let Message::Attached { home } = incoming.message {
            fast.arrived(cx, home);
        }
    }
}

/// Drawn evenly.
fn draw(chance: &mut Stream, interval: Interval) -> Duration {
    let span = interval.max.saturating_sub(interval.min).as_secs_f64();
    interval.min + Duration::from_secs_f64(span * chance.next_f64())
}
