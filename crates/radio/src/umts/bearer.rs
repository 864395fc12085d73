//! A bearer as one machine.

use std::collections::VecDeque;
use std::mem;

use base::{Direction, Duration, Observe, Time};

use super::mac::TransportBlocks;
use super::phy::BlockErrors;
use super::rlc::am::{Control, Entity, Health, Outcome, PeerChannel, Sdus, Traffic};
use super::{Channel, ConfigError, Counters, DchConfig};
use crate::Sdu;
use crate::umts::pdcp::Convergence;

/// A bearer of both directions over a dedicated channel, from PDCP to PDCP.
///
/// Time passes in ticks: each direction has its grid of TTIs, which starts at time 0. On a tick
/// the blocks of the TTIs that begin are sent first, from what was known before; then those of the
/// TTIs that end are received and SDUs delivered. So what arrives on a tick, by radio or by
/// [`Bearer::handle_input`], misses the TTI that begins there. There are no ticks while there is
/// nothing to send, to receive or to wait for.
#[derive(Debug)]
pub struct Bearer<T> {
    machine: u32,
    downlink: Lane<T>,
    uplink: Lane<T>,
    /// The end that sends downlink.
    network: Entity,
    /// The end that sends uplink.
    mobile: Entity,
    /// The next tick.
    next: Option<Time>,
}

/// What comes out of a bearer: every SDU that it took in, in the end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output<T> {
    /// An SDU at the far end.
    Delivered(T),
    /// An SDU that RLC gave up, or whose headers PDCP could not restore.
    Discarded(T),
}

/// One direction.
#[derive(Debug)]
struct Lane<T> {
    direction: Direction,
    tti: Duration,
    queue_limit: Option<u32>,
    errors: BlockErrors,
    pdcp: Convergence,
    sdus: Sdus,
    contents: Contents<T>,
    /// The TTI on the air; empty if there is none.
    air: TransportBlocks,
    /// The TTI that is being filled.
    next: TransportBlocks,
    counters: Counters,
}

/// The SDUs themselves, by number.
#[derive(Debug)]
struct Contents<T> {
    base: u64,
    sdus: VecDeque<Option<T>>,
}

impl<T: Sdu> Bearer<T> {
    /// A bearer whose facts bear the number `machine`. Its chance comes from `seed` and the
    /// streams `name/downlink` and `name/uplink`.
    pub fn new(
        machine: u32,
        config: &DchConfig,
        seed: u64,
        name: &str,
    ) -> Result<Self, ConfigError> {
        config.check()?;
        let payload = config.rlc.pdu_payload;
        let channel = |channel: &Channel| -> Result<PeerChannel, ConfigError> {
            Ok(PeerChannel { tti: channel.tti, blocks: channel.blocks_per_tti(payload)? })
        };
        let (down, up) = (channel(&config.downlink)?, channel(&config.uplink)?);
        Ok(Self {
            machine,
            downlink: Lane::new(Direction::Downlink, config, down, seed, name),
            uplink: Lane::new(Direction::Uplink, config, up, seed, name),
            network: Entity::new(&config.rlc, down, up),
            mobile: Entity::new(&config.rlc, up, down),
            next: None,
        })
    }

    /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue is full.
    /// It misses a TTI that begins at `now`.
    ///
    /// # Errors
    /// The SDU that was dropped.
    pub fn handle_input(
        &mut self,
        now: Time,
        direction: Direction,
        sdu: T,
        observe: &mut impl Observe,
    ) -> Result<(), T> {
        self.handle_timeout(now, observe);
        let lane = match direction {
            Direction::Downlink => &mut self.downlink,
            Direction::Uplink => &mut self.uplink,
        };
        lane.counters.sdus += 1;
        if lane.queue_limit.is_some_and(|limit| lane.sdus.waiting() >= limit) {
            lane.counters.dropped += 1;
            return Err(sdu);
        }
        let bytes = lane.pdcp.send(sdu.bytes(), || sdu.headers());
        lane.sdus.push(now, bytes);
        lane.contents.sdus.push_back(Some(sdu));
        lane.counters.queue_max = lane.counters.queue_max.max(lane.sdus.waiting());
        let tick = now.next_multiple(lane.tti);
        self.next = Some(self.next.map_or(tick, |next| next.min(tick)));
        Ok(())
    }

    /// Does what is due at or before `now`, tick by tick.
    pub fn handle_timeout(&mut self, now: Time, observe: &mut impl Observe) {
        while let Some(tick) = self.next.filter(|tick| *tick <= now) {
            self.tick(tick, observe);
            self.next = self.next_tick(tick);
        }
    }

    /// The next SDU that has been delivered or given up. To be called after each `handle_…` until
    /// it says `None`.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
        let lanes = [&mut self.downlink, &mut self.uplink];
        lanes.into_iter().find_map(|lane| Some((lane.direction, lane.poll_output()?)))
    }

    /// The next tick. It changes with each `handle_…`.
    #[must_use]
    pub const fn poll_timeout(&self) -> Option<Time> {
        self.next
    }

    /// The SDUs of `direction` between entry and exit, oldest first.
    pub fn held(&self, direction: Direction) -> impl Iterator<Item = &T> {
        let lane = match direction {
            Direction::Downlink => &self.downlink,
            Direction::Uplink => &self.uplink,
        };
        lane.contents.sdus.iter().flatten()
    }

    /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
    pub fn counters(&self, direction: Direction) -> Counters {
        let (lane, sender) = match direction {
            Direction::Downlink => (&self.downlink, &self.network),
            Direction::Uplink => (&self.uplink, &self.mobile),
        };
        Counters { resets: sender.resets(), waiting_time: lane.sdus.waiting_time, ..lane.counters }
    }

    /// How many blocks the whole TTIs of `span` have room for in `direction`.
    pub fn capacity(&self, direction: Direction, span: Duration) -> u64 {
        let (tti, blocks) = match direction {
            Direction::Downlink => (self.downlink.tti, self.downlink.air.capacity()),
            Direction::Uplink => (self.uplink.tti, self.uplink.air.capacity()),
        };
        span.whole(tti) * u64::from(blocks)
    }

    fn tick(&mut self, now: Time, observe: &mut impl Observe) {
        let is_down = now.is_multiple_of(self.downlink.tti);
        let is_up = now.is_multiple_of(self.uplink.tti);
        if is_down {
            let health = self.downlink.fill(now, &mut self.network, &mut self.uplink.sdus);
            self.downlink.send(self.machine, observe);
            self.heed(now, health, Direction::Downlink);
        }
        if is_up {
            let health = self.uplink.fill(now, &mut self.mobile, &mut self.downlink.sdus);
            self.uplink.send(self.machine, observe);
            self.heed(now, health, Direction::Uplink);
        }
        if is_down {
            self.downlink.receive(now, &mut self.mobile, &mut self.uplink.sdus);
        }
        if is_up {
            self.uplink.receive(now, &mut self.network, &mut self.downlink.sdus);
        }
    }

    /// After an unrecoverable error both ends are established anew at once; what was on the air
    /// goes unheard. (Signalling for this is not modelled.)
    fn heed(&mut self, now: Time, health: Health, direction: Direction) {
        if health == Health::Well {
            return;
        }
        let lane = match direction {
            Direction::Downlink => &mut self.downlink,
            Direction::Uplink => &mut self.uplink,
        };
        lane.counters.unrecoverable_errors += 1;
        let (down, up) = (&mut self.downlink, &mut self.uplink);
        for lane in [&mut *down, &mut *up] {
            lane.silence(now);
        }
        self.network.establish(now, &mut Traffic { own: &mut down.sdus, peer: &mut up.sdus });
        self.mobile.establish(now, &mut Traffic { own: &mut up.sdus, peer: &mut down.sdus });
    }

    fn next_tick(&self, now: Time) -> Option<Time> {
        let (down, up) = (&self.downlink, &self.uplink);
        let down = down.next_tick(now, &self.network, &self.uplink.sdus);
        let up = up.next_tick(now, &self.mobile, &self.downlink.sdus);
        match (down, up) {
            (Some(down), Some(up)) => Some(down.min(up)),
            (down, up) => down.or(up),
        }
    }
}

impl<T> Lane<T> {
    fn new(
        direction: Direction,
        config: &DchConfig,
        channel: PeerChannel,
        seed: u64,
        name: &str,
    ) -> Self {
        let (end, Channel { tbler, queue_limit, .. }) = match direction {
            Direction::Downlink => ("downlink", config.downlink),
            Direction::Uplink => ("uplink", config.uplink),
        };
        Self {
            direction,
            tti: channel.tti,
            queue_limit,
            errors: BlockErrors::new(seed, &format!("{name}/{end}"), tbler),
            pdcp: Convergence::new(config.pdcp),
            sdus: Sdus::new(&config.rlc),
            contents: Contents { base: 0, sdus: VecDeque::new() },
            air: TransportBlocks::new(channel.blocks),
            next: TransportBlocks::new(channel.blocks),
            counters: Counters::default(),
        }
    }

    /// Fills the TTI that begins.
    fn fill(&mut self, now: Time, sender: &mut Entity, peer: &mut Sdus) -> Health {
        self.next.begin(now);
        sender.fill(&mut Traffic { own: &mut self.sdus, peer }, &mut self.next)
    }

    /// Draws the errors of the TTI that begins.
    fn send<O: Observe>(&mut self, machine: u32, observe: &mut O) {
        let (blocks, counters) = (&mut self.next, &mut self.counters);
        if blocks.used() == 0 {
            return;
        }
        let tti = blocks.start.saturating_since(Time::ZERO).whole(self.tti);
        self.errors.draw(tti, blocks.used(), &mut blocks.errors);
        counters.blocks_sent += u64::from(blocks.used());
        counters.blocks_in_error += u64::from(blocks.errors.count());
        counters.retransmitted_blocks += u64::from(blocks.retransmissions());
        let is_status = |control: &&Control| matches!(control, Control::Status(_));
        counters.status_pdus += blocks.control.iter().filter(is_status).count() as u64;
        if O::ON {
            self.next.facts(machine, self.direction, observe);
        }
    }

    /// Hands the TTI that ends to its receiver, and puts the one that begins on the air.
    fn receive(&mut self, now: Time, receiver: &mut Entity, own: &mut Sdus) {
        if self.air.used() > 0 {
            self.counters.blocks_received += u64::from(self.air.intact());
            receiver.receive(now, &self.air, &mut Traffic { own, peer: &mut self.sdus });
        }
        self.air.begin(now);
        mem::swap(&mut self.air, &mut self.next);
    }

    /// What is on the air arrives, but no one listens.
    fn silence(&mut self, now: Time) {
        for blocks in [&mut self.air, &mut self.next] {
            self.counters.blocks_received += u64::from(blocks.intact());
            blocks.begin(now);
        }
    }

    /// When this direction's next TTI must be looked at.
    fn next_tick(&self, now: Time, sender: &Entity, peer: &Sdus) -> Option<Time> {
        let next = now.next_multiple(self.tti);
        if self.air.used() > 0 {
            return Some(next);
        }
        let time = sender.poll_timeout(now, &self.sdus, peer)?;
        let tick = if time.is_multiple_of(self.tti) { time } else { time.next_multiple(self.tti) };
        Some(tick.max(next))
    }
}

impl<T: Sdu> Lane<T> {
    fn poll_output(&mut self) -> Option<Output<T>> {
        let output = match self.sdus.poll_outcome()? {
            Outcome::Delivered(number) => {
                let sdu = self.contents.take(number);
                if self.pdcp.receive(number, || sdu.headers()) {
                    Output::Delivered(sdu)
                } else {
                    Output::Discarded(sdu)
                }
            }
            Outcome::Discarded(number) => {
                self.pdcp.forget(number);
                Output::Discarded(self.contents.take(number))
            }
        };
        match output {
            Output::Delivered(_) => self.counters.delivered += 1,
            Output::Discarded(_) => self.counters.discarded += 1,
        }
        Some(output)
    }
}

impl<T> Contents<T> {
    /// Takes out SDU `number`.
    fn take(&mut self, number: u64) -> T {
        let slot = &mut self.sdus[(number - self.base) as usize];
        let sdu = slot.take().expect("an SDU has one outcome");
        while matches!(self.sdus.front(), Some(None)) {
            self.sdus.pop_front();
            self.base += 1;
        }
        sdu
    }
}
