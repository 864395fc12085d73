//! One end of an acknowledged-mode link.

use base::Time;

use super::receiver::Receiver;
use super::reset::{Action, Reset, State};
use super::transmitter::{Transmitter, WindowHealth};
use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::RlcConfig;
use crate::umts::rlc::block::Control;
use crate::umts::rlc::segmentation::Sdus;
use crate::umts::rlc::{Health, PeerChannel, Traffic};

/// One end: it sends the SDUs of one direction and receives those of the other.
#[derive(Debug)]
pub(crate) struct Entity {
    config: RlcConfig,
    transmitter: Transmitter,
    receiver: Receiver,
    reset: Reset,
    /// How often it began a reset.
    pub(crate) resets: u64,
}

impl Entity {
    /// An end that sends over `own` and hears its peer over `peer`.
    pub(crate) fn new(config: &RlcConfig, own: PeerChannel, peer: PeerChannel) -> Self {
        Self {
            transmitter: Transmitter::new(config, own.tti),
            receiver: Receiver::new(config, peer),
            reset: Reset::new(config.reset),
            resets: 0,
            config: config.clone(),
        }
    }

    /// How many PDUs wait to be sent again.
    pub(crate) const fn to_send_again(&self) -> u32 {
        self.transmitter.to_send_again()
    }

    /// The channel over which it hears its peer has changed.
    pub(crate) const fn set_peer(&mut self, peer: PeerChannel) {
        self.receiver.peer = peer;
    }

    /// Fills a TTI: reset, window move, status, retransmissions, a repeated poll, new data.
    pub(crate) fn fill(
        &mut self,
        traffic: &mut Traffic<'_>,
        blocks: &mut TransportBlocks,
    ) -> Health {
        let now = blocks.start;
        if self.reset.fill(blocks) == Action::Fail {
            return Health::UnrecoverableError;
        }
        if self.reset.state() == State::ResetPending {
            return Health::Well;
        }
        let health = self.transmitter.fill_control(traffic.own, blocks);
        if self.reset_if_needed(now, health) == State::ResetPending {
            return Health::Well;
        }
        self.receiver.fill(traffic.peer, blocks);
        self.transmitter.fill(traffic.own, blocks);
        let health = self.transmitter.apply_limit(now, traffic.own);
        self.reset_if_needed(now, health);
        Health::Well
    }

    /// Takes in a TTI that ended at `now`, without the blocks in error.
    pub(crate) fn receive(
        &mut self,
        now: Time,
        blocks: &TransportBlocks,
        traffic: &mut Traffic<'_>,
    ) {
        for (place, control) in (0..).zip(&blocks.control) {
            if blocks.errors.from(place) & 1 == 0 {
                self.handle_control(now, control, traffic);
            }
        }
        if self.reset.state() == State::Ready {
            for (place, run) in blocks.runs() {
                self.receiver.handle_data(run, blocks.errors.from(place), traffic.peer);
            }
            let health = self.transmitter.apply_limit(now, traffic.own);
            self.reset_if_needed(now, health);
        }
    }

    /// When there will be something to send, `now` at the earliest.
    pub(crate) fn poll_timeout(&self, now: Time, own: &Sdus, peer: &Sdus) -> Option<Time> {
        let reset = self.reset.poll_timeout(now);
        match self.reset.state() {
            State::ResetPending => reset,
            State::Ready => Time::earlier(
                reset,
                Time::earlier(
                    self.transmitter.poll_timeout(now, own),
                    self.receiver.poll_timeout(now, peer),
                ),
            ),
        }
    }

    /// Re-establishes the entity, as after establishment of the bearer.
    pub(crate) fn establish(&mut self, now: Time, traffic: &mut Traffic<'_>) {
        self.clear(now, traffic);
        self.reset = Reset::new(self.config.reset);
    }

    fn handle_control(&mut self, now: Time, control: &Control, traffic: &mut Traffic<'_>) {
        let is_ready = self.reset.state() == State::Ready;
        match control {
            Control::Reset(number) => {
                if self.reset.handle_reset(*number) == Action::ClearAndAcknowledge {
                    self.clear(now, traffic);
                }
            }
            Control::ResetAck(number) => {
                if self.reset.handle_ack(*number) == Action::Clear {
                    self.clear(now, traffic);
                }
            }
            Control::Status(report) if is_ready => {
                self.transmitter.handle_status(report, traffic.own);
            }
            Control::MoveWindow(to) if is_ready => self.receiver.handle_move(*to, traffic.peer),
            Control::MoveWindowAck(moved) if is_ready => {
                self.transmitter.handle_moved(*moved, traffic.own);
            }
            Control::Status(_) | Control::MoveWindow(_) | Control::MoveWindowAck(_) => {}
            Control::Expected(_) => unreachable!("both ends have the same mode"),
        }
    }

    fn clear(&mut self, now: Time, traffic: &mut Traffic<'_>) {
        self.transmitter.reset(now, &self.config, traffic.own);
        self.receiver.reset(&self.config);
    }

    /// Begins a reset if the transmitter needs one.
    fn reset_if_needed(&mut self, now: Time, health: WindowHealth) -> State {
        if health == WindowHealth::ResetNeeded && self.reset.begin(now) == Action::Begin {
            self.resets += 1;
        }
        self.reset.state()
    }
}
