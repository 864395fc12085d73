//! The shell of a cell whose time passes in slots.

use std::sync::Arc;

use base::{Direction, Duration, Rate, Time};
use observe::{Context, Observe};

use super::moment::Moment;
use super::roster::{CellMobile, Roster};
use crate::Sdu;
use crate::channel::Radio;
use crate::channel::flights::{Flight, Flights};

/// A mobile of a cell whose time passes in slots.
pub(crate) trait SlotMobile<T: Sdu>: CellMobile<T> {
    /// Takes in an SDU where `direction` begins, or gives it back. `before` it so many waited.
    fn push(&mut self, now: Time, direction: Direction, sdu: T, before: u32) -> Result<(), T>;

    /// The number of SDUs that wait ahead of link control.
    fn queued(&self, direction: Direction) -> u32;

    /// The number of SDUs that wait, those included that link control has not begun to send.
    fn waiting(&self, direction: Direction) -> u32 {
        self.queued(direction)
    }

    /// True if an SDU has come out.
    fn has_output(&self) -> bool;

    /// The radios of the mobile are these from now on, downlink and uplink.
    fn reconfigure(&mut self, radios: &[Arc<Radio>; 2]);
}

/// A cell whose time passes in slots: what comes from outside as one begins misses it, and there
/// are none while nothing is due.
pub(crate) trait Slotted<T: Sdu> {
    type Mobile: SlotMobile<T>;

    /// Its mobiles.
    fn mobiles(&mut self) -> &mut Roster<Self::Mobile>;

    /// The length of a slot.
    fn slot(&self) -> Duration;

    /// Something has been taken in for `ue`, that no other waits before.
    fn entered(
        &mut self,
        _slot: u64,
        _ue: u32,
        _direction: Direction,
        _observe: &mut impl Observe,
    ) {
    }

    /// One slot passes. It ends with [`Self::settle`].
    fn run(&mut self, moment: &mut Moment<'_, impl Observe>);

    /// The slot after `slot` in which something is due for `ue` alone.
    fn due(&mut self, slot: u64, ue: u32, observe: &mut impl Observe) -> Option<u64>;

    /// The slot after `slot` in which something is due on the air, or for mobiles that the cell
    /// looks at in every slot.
    fn next_slot(&self, _slot: u64) -> Option<u64> {
        None
    }

    /// The rate that `ue` could get downlink.
    fn rate_of(&mut self, ue: u32) -> Option<Rate>;

    /// The slot that begins at `time` or next, after `slot`.
    fn slot_from(&self, time: Time, slot: u64) -> u64 {
        let length = self.slot();
        time.saturating_since(Time::ZERO).ceil_to(length).whole(length).max(slot + 1)
    }

    /// After all that happened up to `slot`: when each mobile concerned is due, and when the cell
    /// is.
    fn settle(&mut self, slot: u64, observe: &mut impl Observe) {
        let length = self.slot();
        while let Some(ue) = self.mobiles().next_touched() {
            let due = self.due(slot, ue, observe);
            let mobiles = self.mobiles();
            mobiles.agenda.set(ue, due.map(|due| Time::ZERO + length * due));
            if mobiles[ue as usize].has_output() {
                mobiles.call(ue);
            }
        }
        let next = self.next_slot(slot).map(|next| Time::ZERO + length * next);
        let mobiles = self.mobiles();
        mobiles.next = Time::earlier(next, mobiles.agenda.peek());
    }

    /// Does what is due by now.
    fn advance_to_now(&mut self, cx: &mut Context<'_, impl Observe>) {
        while let Some(due) = self.mobiles().next.filter(|due| *due <= cx.now) {
            let slot = due.saturating_since(Time::ZERO).whole(self.slot());
            let machine = self.mobiles().machine;
            self.run(&mut Moment { slot, now: due, machine, observe: &mut *cx.observe });
        }
    }

    /// Takes in `sdu` of `ue` where `direction` begins, or gives it back if the queue is full.
    fn take_in(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        (ue, direction): (u32, Direction),
        sdu: T,
    ) -> Result<(), T> {
        let before = self.mobiles()[ue as usize].waiting(direction);
        self.advance_to_now(cx);
        let mobile = &mut self.mobiles()[ue as usize];
        let is_behind = mobile.queued(direction) > 0;
        let taken = mobile.push(cx.now, direction, sdu, before);
        // Behind others that wait it changes nothing, unless the queue dropped one.
        if !is_behind || mobile.has_output() {
            let slot = cx.now.saturating_since(Time::ZERO).whole(self.slot());
            self.entered(slot, ue, direction, cx.observe);
            self.mobiles().touch(ue);
            self.settle(slot, cx.observe);
        }
        taken
    }
}

/// A cell of slots that sends blocks by hybrid ARQ: what is sent in one slot arrives in another,
/// and its sender learns of it in a third.
pub(crate) trait HarqCell<T: Sdu>: Slotted<T> {
    /// Its blocks under way.
    fn flights(&mut self) -> &mut Flights;

    /// A block arrives without error.
    fn arrive(&mut self, moment: &mut Moment<'_, impl Observe>, way: Direction, flight: Flight);

    /// The sender of a block learns what became of it. True if something may be due by that.
    fn learn(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        way: Direction,
        flight: Flight,
    ) -> bool;

    /// Does what is due for `ue` alone.
    fn run_timers(&mut self, moment: &mut Moment<'_, impl Observe>, ue: u32);

    /// Decides who sends.
    fn schedule(&mut self, moment: &mut Moment<'_, impl Observe>);

    /// One slot passes: blocks arrive, senders learn, timers run out, and it is decided who sends.
    fn run_harq(&mut self, moment: &mut Moment<'_, impl Observe>) {
        while let Some((direction, flight)) = self.flights().next_arrived(moment.slot) {
            self.arrive(moment, direction, flight);
            self.mobiles().touch(flight.ue);
        }
        while let Some((direction, flight)) = self.flights().next_returned(moment.slot) {
            if self.learn(moment, direction, flight) {
                self.mobiles().touch(flight.ue);
            } else {
                self.mobiles().change(flight.ue);
            }
        }
        while let Some((_, ue)) = self.mobiles().agenda.next(moment.now) {
            self.run_timers(moment, ue);
            self.mobiles().touch(ue);
        }
        self.schedule(moment);
        self.settle(moment.slot, moment.observe);
    }
}

/// Public methods of every cell that is [`Slotted`].
macro_rules! slotted {
    ($sdu:ident, $config:ident) => {
        /// Takes in `sdu` of `ue` where `direction` begins, or gives it back if the queue is full.
        /// It misses a slot that begins now.
        ///
        /// # Errors
        /// The SDU that was dropped.
        pub fn handle_input(
            &mut self,
            cx: &mut observe::Context<'_, impl Observe>,
            ue: u32,
            direction: Direction,
            sdu: $sdu,
        ) -> Result<(), $sdu> {
            self.take_in(cx, (ue, direction), sdu)
        }

        /// Does what is due by now.
        pub fn handle_timeout(&mut self, cx: &mut observe::Context<'_, impl Observe>) {
            self.advance_to_now(cx);
        }

        /// The rate that a mobile could get if the cell were its own, if that has changed since the
        /// last report. Only mobiles that are sent to are reported.
        #[must_use]
        pub fn poll_report(&mut self) -> Option<(u32, $crate::RateReport)> {
            let ue = self.mobiles.next_report()?;
            Some((ue, $crate::RateReport { rate: self.rate_of(ue) }))
        }

        /// From now on the radios are those of `config`, which has the same mobiles.
        pub fn reconfigure(&mut self, _now: Time, config: &$config) {
            self.config.clone_from(config);
            for (mobile, ue) in self.mobiles.iter_mut().zip(&config.ues) {
                mobile.reconfigure(&ue.radios);
            }
            self.mobiles.change_all();
        }

        $crate::kit::roster::of_mobiles!($sdu);
    };
}

pub(crate) use slotted;
