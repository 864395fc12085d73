//! One direction of one mobile's bearer.

use std::collections::VecDeque;
use std::iter;

use base::{Direction, Duration, Philox, Probability, Time};
use observe::{BlockFact, BlockKind, Observe};

use super::config::{Config, UeConfig};
use super::format::Format;
use crate::intake::Intake;
use crate::scheduled::curve::TARGET;
use crate::scheduled::quality::Quality;
use crate::scheduled::rlc::{Contents, Range, Receiver, Sdus, Status, Transmitter};
use crate::{Counters, Output, Sdu};

/// PDCP with short numbers (TS 36.323 §6.2.4), and a length field of RLC (TS 36.322 §6.2.1.4).
const SDU_HEADER: u64 = 3;

/// RLC (TS 36.322 §6.2.1.4), and MAC with a report of what waits (TS 36.321 §6.1.2).
pub(super) const BLOCK_HEADER: u64 = 5;

/// A queue, and link control with both its ends.
#[derive(Debug)]
pub(super) struct Lane<T> {
    pub(super) direction: Direction,
    intake: Intake<T>,
    sdus: Sdus<T>,
    pub(super) transmitter: Transmitter,
    pub(super) receiver: Receiver,
    quality: Quality,
    chance: Philox,
    /// By how many decibels reports are taken to be better than they say: so many, in the mean,
    /// that as many blocks err as are aimed at; none where it is given how many do.
    correction: f64,
    is_corrected: bool,
    outputs: VecDeque<Output<T>>,
    counters: Counters,
}

/// A block that has been told of, or that failed and is to be sent again.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Block {
    pub(super) direction: Direction,
    /// What it carries of the bearer; nothing if it is one of the messages by which a mobile
    /// connects.
    pub(super) contents: Contents,
    pub(super) is_signalling: bool,
    pub(super) format: Format,
    /// How often it has been sent.
    pub(super) transmissions: u32,
    /// Uplink: how much the mobile has yet to send.
    pub(super) backlog: u64,
}

/// When something happens, and who watches.
pub(super) struct Moment<'a, O> {
    pub(super) slot: u64,
    pub(super) now: Time,
    pub(super) machine: u32,
    pub(super) observe: &'a mut O,
}

impl<T: Sdu> Lane<T> {
    pub(super) fn new(direction: Direction, config: &Config, ue: &UeConfig, seed: u64) -> Self {
        let name = format!("{}/{}", ue.name, direction.name());
        let [below, above] = &config.queues;
        let [down, up] = &config.radios;
        Self {
            direction,
            intake: Intake::new(direction.of(below, above), seed, &name),
            sdus: Sdus::new(),
            transmitter: Transmitter::new(&config.rlc, 0),
            receiver: Receiver::new(&config.rlc, 0),
            quality: Quality::new(direction.of(down, up).clone(), seed, &name, &ue.name),
            chance: Philox::named(seed, &format!("{name}/blocks")),
            correction: 0.0,
            is_corrected: direction.of(down, up).bler.is_none(),
            outputs: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// From now on its radio is that of `config`.
    pub(super) fn reconfigure(&mut self, config: &Config) {
        self.quality.reconfigure(config.radios[self.direction as usize].clone());
    }

    /// How many SDUs wait ahead of link control.
    pub(super) fn queued(&self) -> u32 {
        self.intake.len()
    }

    /// Takes in an SDU, or gives it back. `before` it so many waited, of which some may be in a
    /// block since.
    pub(super) fn push(&mut self, now: Time, sdu: T, before: u32) -> Result<(), T> {
        let taken = self.intake.push(now, sdu, before, &mut self.counters);
        self.take_dropped();
        taken
    }

    fn take_dropped(&mut self) {
        self.outputs.extend(iter::from_fn(|| self.intake.poll_dropped()));
    }

    /// How many bytes wait to be sent, headers of SDUs included.
    pub(super) fn waiting(&self) -> u64 {
        let queued = self.intake.bytes() + u64::from(self.intake.len()) * SDU_HEADER;
        self.transmitter.waiting(self.sdus.end() + queued)
    }

    /// Whether nothing waits, and nothing is left to be acknowledged or reported.
    pub(super) fn is_quiet(&self) -> bool {
        self.sdus.is_empty()
            && self.intake.is_empty()
            && self.transmitter.is_settled()
            && self.receiver.report_from().is_none()
    }

    /// The ratio of signal to noise that link adaptation counts on.
    pub(super) fn snr(&mut self, now: Time) -> f64 {
        self.quality.reported(now) + self.correction
    }

    /// Whether nothing gets through.
    pub(super) fn is_out(&self, now: Time) -> bool {
        self.quality.is_out(now)
    }

    /// Fills `room` bytes of a block after the `status` of the other direction.
    pub(super) fn build(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        room: u64,
        status: Option<Status>,
    ) -> Contents {
        let mut contents = Contents::empty();
        let room = room.saturating_sub(status.as_ref().map_or(0, Status::bytes));
        contents.status = status;
        self.pull(moment, room);
        self.transmitter.fill(moment.now, &self.sdus, room, &mut contents);
        contents
    }

    /// Takes SDUs from the queue until `room` bytes wait.
    fn pull<O: Observe>(&mut self, moment: &mut Moment<'_, O>, room: u64) {
        while self.transmitter.waiting(self.sdus.end()) < room
            && !self.intake.is_empty()
            && self.transmitter.has_room()
        {
            let turn = self.intake.pop(moment.now);
            self.take_dropped();
            let Some(turn) = turn else { return };
            if O::DEQUEUES {
                moment.observe.dequeued(moment.now, moment.machine, turn.packet.uid());
            }
            let bytes = u64::from(turn.packet.bytes()) + SDU_HEADER;
            self.sdus.push(turn.packet, bytes);
        }
    }

    /// Whether `block`, which ends now, errs.
    pub(super) fn draw(&mut self, moment: &mut Moment<'_, impl Observe>, block: &Block) -> bool {
        let slot = moment.slot;
        let rate = self.quality.error_rate(moment.now, block.format.needed, block.transmissions);
        let rate = Probability::new(rate).unwrap_or(Probability::ALWAYS);
        let errs = rate.hit(self.chance.at([slot as u32, (slot >> 32) as u32, 0, 0])[0]);
        if block.transmissions == 1 && self.is_corrected {
            self.correct(errs);
        }
        self.count(moment, block, errs);
        errs
    }

    /// Outer loop of link adaptation: one step down for an error, and so much up for a success that
    /// both balance at the share of errors that is aimed at.
    fn correct(&mut self, errs: bool) {
        const STEP: f64 = 0.5;
        const MOST: f64 = 5.0;
        let step = if errs { -STEP } else { STEP * TARGET / (1.0 - TARGET) };
        self.correction = (self.correction + step).clamp(-2.0 * MOST, MOST);
    }

    fn count(&mut self, moment: &mut Moment<'_, impl Observe>, block: &Block, error: bool) {
        let Contents { status, poll, sn, .. } = block.contents;
        let is_again = block.transmissions > 1 || block.contents.is_again();
        self.counters.blocks_sent += 1;
        self.counters.blocks_in_error += u64::from(error);
        self.counters.blocks_received += u64::from(!error);
        self.counters.harq_repeats += u64::from(block.transmissions > 1);
        self.counters.retransmitted_blocks += u64::from(is_again);
        self.counters.status_pdus += u64::from(status.is_some());
        self.counters.bytes_sent += u64::from(block.format.bytes);
        let kind = match (is_again, block.contents.has_data()) {
            (true, _) => BlockKind::Retransmission,
            (false, true) => BlockKind::Data,
            (false, false) => BlockKind::Control,
        };
        let fact = BlockFact {
            machine: moment.machine,
            direction: self.direction,
            sn: (sn % (1 << 16)) as u16,
            kind,
            poll: poll.is_some(),
            error,
        };
        moment.observe.block(moment.now, fact);
    }

    /// Counts a block that is not sent again.
    pub(super) const fn count_given_up(&mut self) {
        self.counters.harq_given_up += 1;
    }

    /// A block has arrived: its data.
    pub(super) fn receive(&mut self, now: Time, contents: &Contents) {
        for range in contents.ranges() {
            self.receiver.receive(now, range);
        }
        if let Some(at) = contents.poll {
            self.receiver.receive_poll(at);
        }
        self.deliver();
    }

    /// Timers of link control run out.
    pub(super) fn handle_timeout(&mut self, now: Time) {
        self.receiver.handle_timeout(now);
        self.transmitter.handle_timeout(now, &self.sdus);
    }

    /// When the next one does.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        Time::earlier(self.receiver.poll_timeout(), self.transmitter.poll_timeout())
    }

    /// SDUs that are complete come out.
    fn deliver(&mut self) {
        while let Some(end) = self.sdus.first_end().filter(|end| *end <= self.receiver.floor()) {
            let is_whole = self.receiver.has_all(Range::new(self.sdus.start(), end));
            let Some(sdu) = self.sdus.pop() else { return };
            let output = if is_whole { Output::Delivered(sdu) } else { Output::Discarded(sdu) };
            self.outputs.push_back(output);
        }
    }

    /// Both ends of link control begin anew with the first SDU that has not been delivered (TS
    /// 36.322 §5.4, TS 36.323 §5.2).
    pub(super) fn establish(&mut self) {
        let failures = u64::from(self.transmitter.has_failed());
        self.counters.resets += failures;
        self.counters.unrecoverable_errors += failures;
        let start = self.sdus.start();
        self.transmitter.establish(start);
        self.receiver.establish(start);
    }

    pub(super) fn has_output(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// The next SDU that has come out.
    pub(super) fn poll_output(&mut self) -> Option<Output<T>> {
        let output = self.outputs.pop_front()?;
        self.counters.count(&output);
        Some(output)
    }

    /// The SDUs between entry and exit.
    pub(super) fn held(&self) -> impl Iterator<Item = &T> {
        let out = self.outputs.iter().map(|output| match output {
            Output::Delivered(sdu) | Output::Discarded(sdu) => sdu,
            Output::Dropped(dropped) => &dropped.packet,
        });
        out.chain(self.sdus.iter()).chain(self.intake.held())
    }

    pub(super) fn counters(&self) -> Counters {
        Counters { queue_max: self.intake.most(), ..self.counters }
    }

    /// The sum over SDUs of the time that each has waited by `now` ahead of link control.
    pub(super) fn waited(&self, now: Time) -> Duration {
        self.intake.waited(now)
    }
}
