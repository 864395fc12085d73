//! Tins behind a shaper.

use base::{Rate, Stream, Time, Transmitter};

use super::Config;
use super::diffserv::Share;
use super::tin::Tin;
use crate::Load;
use crate::queue::{Queued, Verdict};

/// Packets by class of service, and when the next may leave.
#[derive(Debug)]
pub(in crate::queue) struct Cake<T> {
    config: Config,
    /// Clock of the whole, if that has a rate.
    clock: Option<Clock>,
    classes: Vec<Class<T>>,
    packets: u32,
    last_arrival: Time,
    /// The class whose packet came out last, and when.
    served: (usize, Time),
    /// True if that packet was dropped, so that another of its flow takes its place.
    is_dropped: bool,
    /// Chance of BLUE.
    chance: Stream,
}

/// A class of service.
#[derive(Debug)]
struct Class<T> {
    tin: Tin<T>,
    packets: u32,
    /// Clock of its share, if the whole has a rate.
    clock: Option<Clock>,
    /// Bytes that it may send in a turn, if it has not.
    quantum: i64,
    /// Bytes that it may still send in this turn.
    credits: i64,
}

/// A virtual clock: until when what was sent takes at a rate.
#[derive(Debug)]
struct Clock {
    transmitter: Transmitter,
    next: Time,
}

impl Clock {
    const fn new(rate: Rate) -> Self {
        Self { transmitter: Transmitter::new(rate), next: Time::ZERO }
    }

    /// The time before `now` that was not used is gone.
    fn catch_up(&mut self, now: Time) {
        self.next = self.next.max(now);
    }
}

impl<T: Load> Class<T> {
    fn new(config: &Config, share: Share) -> Self {
        Self {
            tin: Tin::new(config, share),
            packets: 0,
            clock: share.rate.map(Clock::new),
            quantum: i64::from(share.quantum),
            credits: 0,
        }
    }

    /// A packet that counts for `bytes` goes on at `now`: it is paid for by the time that was not
    /// used, or from `now` on (`sch_cake`: `cake_advance_shaper`).
    fn sent(&mut self, now: Time, bytes: u32) {
        self.tin.sent(bytes);
        self.credits -= i64::from(bytes);
        if let Some(Clock { transmitter, next }) = &mut self.clock {
            let takes = transmitter.transmit(bytes);
            *next = if *next < now { *next + takes } else { (*next).max(now + takes) };
        }
    }
}

impl<T: Load> Cake<T> {
    pub(in crate::queue) fn new(config: &Config, chance: Stream) -> Self {
        let shares = config.tins.shares(config.rate);
        Self {
            config: *config,
            clock: config.rate.map(Clock::new),
            classes: shares.into_iter().map(|share| Class::new(config, share)).collect(),
            packets: 0,
            last_arrival: Time::ZERO,
            served: (0, Time::ZERO),
            is_dropped: false,
            chance,
        }
    }

    /// Time before which no packet leaves.
    pub(in crate::queue) fn opens(&self) -> Time {
        self.clock.as_ref().map_or(Time::ZERO, |clock| clock.next)
    }

    pub(in crate::queue) fn iter(&self) -> impl Iterator<Item = &Queued<T>> {
        self.classes.iter().flat_map(|class| class.tin.iter())
    }

    /// Puts a packet behind what its queue has.
    pub(in crate::queue) fn push(&mut self, queued: Queued<T>) {
        let now = queued.since;
        let (class, key) = self.place(&queued.packet);
        let class = &mut self.classes[class];
        for (packets, clock) in
            [(&mut class.packets, &mut class.clock), (&mut self.packets, &mut self.clock)]
        {
            if *packets == 0
                && let Some(clock) = clock
            {
                clock.catch_up(now);
            }
            *packets += 1;
        }
        self.last_arrival = now;
        class.tin.push(key, queued);
    }

    /// The next packet if the transmitter is free from `free` on, and what is decided on it. If it
    /// goes on, [`Self::sent`] is to be called. What is dropped costs nothing.
    pub(in crate::queue) fn pop(&mut self, free: Time) -> Option<(Queued<T>, Verdict)> {
        let turn = if self.is_dropped {
            let (class, now) = self.served;
            self.classes[class].tin.pop_again(now, &mut self.chance)?
        } else {
            self.next(free.max(self.last_arrival))?
        };
        self.packets -= 1;
        self.classes[self.served.0].packets -= 1;
        self.is_dropped = turn.1 == Verdict::Drop;
        Some(turn)
    }

    /// The packet that came out last, of `bytes`, goes on.
    pub(in crate::queue) fn sent(&mut self, bytes: u32) {
        let bytes = self.config.counted(bytes);
        let (class, now) = self.served;
        self.classes[class].sent(now, bytes);
        if let Some(Clock { transmitter, next }) = &mut self.clock {
            *next += transmitter.transmit(bytes);
        }
    }

    /// The class and the index of the queue with most bytes, `packet`, which arrives, with them.
    /// `None` if it is the packet itself.
    pub(in crate::queue) fn longest(&self, packet: &T) -> Option<(usize, u32)> {
        let (of, key) = self.place(packet);
        let bytes = packet.bytes();
        let (mut longest, mut most) = (None, u64::from(bytes) - 1);
        for (number, class) in self.classes.iter().enumerate() {
            let arriving = (number == of).then_some((key, bytes));
            if let Some((place, length)) = class.tin.longest(arriving)
                && length > most
            {
                (longest, most) = (Some((number, place)), length);
            }
        }
        longest
    }

    /// The oldest packet of the queue at `place` of a class, which goes to make room.
    pub(in crate::queue) fn evict(
        &mut self,
        (class, place): (usize, u32),
        now: Time,
    ) -> Option<Queued<T>> {
        let class = &mut self.classes[class];
        let queued = class.tin.evict(place, now)?;
        class.packets -= 1;
        self.packets -= 1;
        Some(queued)
    }

    /// The class of `packet`, and the key of its queue there.
    fn place(&self, packet: &T) -> (usize, u64) {
        let Config { tins, isolation, .. } = self.config;
        (tins.of(packet.dscp()), isolation.key(packet))
    }

    fn next(&mut self, now: Time) -> Option<(Queued<T>, Verdict)> {
        let mut is_due = true;
        while self.packets > 0 {
            let class = if self.clock.is_some() { self.on_schedule(now) } else { self.in_turn() };
            self.served = (class, now);
            let turn = self.classes[class].tin.pop(now, &mut is_due, &mut self.chance);
            if turn.is_some() {
                return turn;
            }
        }
        None
    }

    /// Class of those that have something: the last that keeps within its rate, or that which will
    /// first.
    fn on_schedule(&self, now: Time) -> usize {
        let (mut best, mut earliest) = (0, None);
        for (number, class) in self.classes.iter().enumerate() {
            let Some(Clock { next, .. }) = &class.clock else { continue };
            let is_better = *next <= now || earliest.is_none_or(|earliest| *next <= earliest);
            if class.tin.is_active() && is_better {
                (best, earliest) = (number, Some(*next));
            }
        }
        best
    }

    /// The class whose turn it is, by deficit round robin.
    fn in_turn(&mut self) -> usize {
        let mut number = self.served.0;
        loop {
            let class = &mut self.classes[number];
            if class.tin.is_active() && class.credits >= 0 {
                return number;
            }
            if class.credits <= 0 {
                class.credits += class.quantum;
            }
            number = if number + 1 < self.classes.len() { number + 1 } else { 0 };
        }
    }
}
