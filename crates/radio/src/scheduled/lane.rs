//! One direction of one mobile's bearer.

use std::collections::VecDeque;
use std::iter;

use base::{Direction, Duration, Philox, Probability, Time};
use observe::{BlockFact, BlockKind, Observe};

use super::config::{Carrier, Config, Headers, UeConfig};
use super::frame::Part;
use super::harq::{Block, Harq};
use super::quality::Quality;
use super::reordering::Reordering;
use super::rlc::{self, Contents, Mode, Receiver, Sdus, Status, Transmitter};
use super::scheduler::Past;
use crate::intake::Intake;
use crate::{Counters, Output, Sdu};

/// A queue, link control with both its ends, and the blocks in flight.
#[derive(Debug)]
pub(super) struct Lane<T> {
    pub(super) direction: Direction,
    intake: Intake<T>,
    headers: Headers,
    discard: Option<Duration>,
    mode: Mode,
    /// No larger packet can be sent.
    largest: u64,
    pub(super) sdus: Sdus<T>,
    pub(super) transmitter: Transmitter,
    pub(super) receiver: Receiver,
    /// PDCP, where it puts in order what link control delivers.
    pub(super) reordering: Option<Reordering>,
    pub(super) harq: Harq,
    pub(super) quality: Quality,
    pub(super) past: Past,
    chance: Philox,
    /// By how many decibels reports are taken to be better than they say: so many, in the mean,
    /// that as many blocks err as are aimed at.
    correction: f64,
    odds: Odds,
    /// Whether the network looks at it in every slot.
    pub(super) is_active: bool,
    outputs: VecDeque<Output<T>>,
    counters: Counters,
}

/// The largest packet that can be sent: where a block is a whole one, that of the largest block.
fn largest(carrier: &Carrier, config: &Config) -> u64 {
    let sizes = &carrier.sizes;
    let scheme = carrier.scheme_at(f64::INFINITY);
    let bytes = sizes.bytes(scheme, sizes.width()).saturating_sub(config.headers.block);
    if config.rlc.mode == Mode::Tm { u64::from(bytes) } else { u64::MAX }
}

/// How often a block errs whose scheme needs a ratio, at a ratio of signal to noise, when it has
/// been sent so many times: it is mostly asked for the same again.
#[derive(Clone, Copy, Debug)]
struct Odds {
    needed: f64,
    snr: f64,
    transmissions: u8,
    rate: Probability,
}

/// What a slot needs of its network.
pub(super) struct Moment<'a, O> {
    pub(super) slot: u64,
    pub(super) now: Time,
    pub(super) machine: u32,
    pub(super) observe: &'a mut O,
}

/// What a mobile gets in a slot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) scheme: u8,
    pub(super) width: u16,
    pub(super) bytes: u32,
    pub(super) part: Part,
}

impl<T: Sdu> Lane<T> {
    pub(super) fn new(direction: Direction, config: &Config, ue: &UeConfig, seed: u64) -> Self {
        let name = format!("{}/{}", ue.name, direction.name());
        let [below, above] = &config.queues;
        let [down, up] = &ue.radios;
        Self {
            direction,
            intake: Intake::new(direction.of(below, above), seed, &name),
            headers: config.headers,
            discard: config.discard,
            mode: config.rlc.mode,
            largest: largest(&config.carriers[direction as usize], config),
            sdus: Sdus::new(),
            transmitter: Transmitter::new(&config.rlc, 0),
            receiver: Receiver::new(&config.rlc, 0),
            reordering: config.reordering.map(Reordering::new),
            harq: Harq::new(config.harq.processes),
            quality: Quality::new(direction.of(down, up).clone(), seed, &name, &ue.name),
            past: Past::default(),
            chance: Philox::named(seed, &format!("{name}/blocks")),
            correction: 0.0,
            odds: Odds { needed: f64::NAN, snr: 0.0, transmissions: 0, rate: Probability::NEVER },
            is_active: false,
            outputs: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// How many SDUs wait ahead of link control.
    pub(super) fn queued(&self) -> u32 {
        self.intake.len()
    }

    /// Takes in an SDU, or gives it back. `before` it so many waited, of which some may be in a
    /// block since: a slot that begins at `now` goes without it.
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
        let headers = u64::from(self.intake.len()) * u64::from(self.headers.sdu);
        let queued = self.intake.bytes() + headers;
        self.transmitter.waiting(self.sdus.end() + queued)
    }

    /// Whether anything is under way, or could be.
    pub(super) fn is_quiet(&self) -> bool {
        self.harq.is_quiet() && self.sdus.is_empty() && self.intake.is_empty()
    }

    /// The best scheme that what was reported allows.
    pub(super) fn scheme(&mut self, now: Time, carrier: &Carrier) -> u8 {
        if let Some(scheme) = carrier.scheme {
            return scheme;
        }
        carrier.scheme_at(self.quality.reported(now) + self.correction)
    }

    /// What it gets for `wanted` bytes of `left` resource blocks of a slot of which its direction
    /// has `part`.
    pub(super) fn assign(
        &mut self,
        now: Time,
        carrier: &Carrier,
        part: Part,
        wanted: u64,
        left: u16,
    ) -> Assignment {
        let sizes = carrier.sizes_of(part);
        let headers = u64::from(self.headers.block);
        // Where nothing fits nothing is sent, and link adaptation would learn nothing.
        let scheme = self.scheme(now, carrier);
        let scheme = carrier.scheme.unwrap_or_else(|| scheme.max(sizes.scheme_for(headers + 1)));
        let wanted = wanted + headers;
        let width = sizes.width_for(scheme, wanted).min(left);
        Assignment { scheme, width, bytes: sizes.bytes(scheme, width), part }
    }

    /// The block of an assignment, with the `status` of the other direction.
    pub(super) fn build(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        assigned: Assignment,
        status: Option<Status>,
    ) -> Block {
        let mut contents = Contents::empty();
        let reported = status.as_ref().map_or(0, Status::bytes);
        contents.status = status;
        let room = self.room(assigned).saturating_sub(reported);
        self.pull(moment, room);
        self.transmitter.fill(moment.now, &self.sdus, room, &mut contents);
        Block {
            contents,
            scheme: assigned.scheme,
            width: assigned.width,
            bytes: assigned.bytes,
            part: assigned.part,
            transmissions: 1,
            backlog: self.waiting(),
            built: moment.slot,
            slot: moment.slot,
        }
    }

    /// Room that a block has for link control.
    pub(super) fn room(&self, assigned: Assignment) -> u64 {
        u64::from(assigned.bytes.saturating_sub(self.headers.block))
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
            let waited = moment.now.saturating_since(turn.since);
            let is_too_large = u64::from(turn.packet.bytes()) > self.largest;
            if is_too_large || self.discard.is_some_and(|most| waited > most) {
                self.outputs.push_back(Output::Discarded(turn.packet));
                continue;
            }
            if O::DEQUEUES {
                moment.observe.dequeued(moment.now, moment.machine, turn.packet.uid());
            }
            let headers = if self.mode == Mode::Tm { 0 } else { self.headers.sdu };
            let bytes = u64::from(turn.packet.bytes() + headers);
            self.sdus.push(turn.packet, bytes);
        }
    }

    /// Whether `block`, which is sent now, errs.
    pub(super) fn draw(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        carrier: &Carrier,
        block: &Block,
    ) -> bool {
        let slot = moment.slot;
        let needed = carrier.needed[block.scheme as usize];
        let errs = self
            .rate(moment.now, needed, block.transmissions)
            .hit(self.chance.at([slot as u32, (slot >> 32) as u32, 0, 0])[0]);
        if block.transmissions == 1 {
            self.correct(errs);
        }
        self.count(moment, block, errs);
        errs
    }

    fn rate(&mut self, now: Time, needed: f64, transmissions: u8) -> Probability {
        if self.quality.is_out(now) {
            return Probability::ALWAYS;
        }
        let snr = self.quality.present(now);
        let same = Odds { needed, snr, transmissions, rate: self.odds.rate };
        if !same.is_of(&self.odds) {
            let rate = self.quality.error_rate(now, needed, u32::from(transmissions));
            self.odds =
                Odds { rate: Probability::new(rate).unwrap_or(Probability::ALWAYS), ..same };
        }
        self.odds.rate
    }

    /// Outer loop of link adaptation: one step down for an error, and so much up for a success that
    /// both balance at the share of errors that is aimed at.
    fn correct(&mut self, errs: bool) {
        const STEP: f64 = 0.5;
        const MOST: f64 = 10.0;
        let target = super::curve::TARGET;
        let step = if errs { -STEP } else { STEP * target / (1.0 - target) };
        self.correction = (self.correction + step).clamp(-MOST, MOST / 2.0);
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
        self.counters.bytes_sent += u64::from(block.bytes);
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

    /// A block has arrived: its data.
    pub(super) fn receive(&mut self, now: Time, contents: &Contents) {
        for range in contents.ranges() {
            self.receiver.receive(now, range);
            if let Some(reordering) = &mut self.reordering {
                let run = self.receiver.around(range.to - 1);
                self.sdus.last_in(run).into_iter().for_each(|end| reordering.note(end));
            }
        }
        if let Some(at) = contents.poll {
            self.receiver.receive_poll(at);
        }
        self.deliver(now);
    }

    /// HARQ has given up a block.
    pub(super) fn lose(&mut self, now: Time, contents: &Contents) {
        self.counters.harq_given_up += 1;
        for range in contents.ranges() {
            self.receiver.lose(now, range);
            // The next SDU would show the gap.
            if self.mode != Mode::Am
                && let Some(reordering) = &mut self.reordering
            {
                reordering.note(self.sdus.end_of(range.to - 1));
                reordering.settle(now, self.sdus.start());
            }
        }
    }

    /// SDUs that are complete, or of which part was passed over, come out.
    pub(super) fn deliver(&mut self, now: Time) {
        if self.reordering.is_some() {
            self.deliver_reordered(now);
        } else {
            self.deliver_in_order();
        }
    }

    fn deliver_in_order(&mut self) {
        while let Some(end) = self.sdus.first_end().filter(|end| *end <= self.receiver.floor()) {
            let is_whole = self.receiver.has_all(rlc::Range::new(self.sdus.start(), end));
            let Some(sdu) = self.sdus.pop() else { return };
            let output = if is_whole { Output::Delivered(sdu) } else { Output::Discarded(sdu) };
            self.outputs.push_back(output);
        }
    }

    /// The same where link control delivers as SDUs are complete: PDCP gives up a gap after a time
    /// (TS 38.323 §5.2.2.2).
    fn deliver_reordered(&mut self, now: Time) {
        let given_up = self.reordering.as_mut().and_then(|pdcp| pdcp.expire(now));
        self.take_out(given_up.unwrap_or(0));
        let start = self.sdus.start();
        self.reordering.iter_mut().for_each(|pdcp| pdcp.settle(now, start));
    }

    /// When something is due of link control and PDCP.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let reordering = self.reordering.as_ref().and_then(Reordering::poll_timeout);
        let timers = [self.receiver.poll_timeout(), self.transmitter.poll_timeout(), reordering];
        timers.into_iter().flatten().min()
    }

    /// Both ends of link control begin anew (TS 36.322 §5.4, TS 36.323 §5.2): in acknowledged mode
    /// with the first SDU that has not been delivered, else with the first that has not been sent.
    pub(super) fn establish(&mut self, now: Time) {
        self.harq.flush();
        let start = match self.mode {
            Mode::Am => self.sdus.start(),
            Mode::Um | Mode::Tm => self.sdus.end_of_begun(self.transmitter.next()),
        };
        self.transmitter.establish(start);
        self.receiver.establish(start);
        if let Some(reordering) = &mut self.reordering {
            reordering.establish(start);
            // Unacknowledged, what was begun comes out as far as it has arrived (TS 38.323 §5.1.2).
            self.take_out(start);
        }
        self.deliver(now);
    }

    /// SDUs come out in order: those that are complete, and those that begin before `given_up`.
    fn take_out(&mut self, given_up: u64) {
        while let Some(end) = self.sdus.first_end() {
            let start = self.sdus.start();
            let is_whole = self.receiver.has(rlc::Range::new(start, end));
            if !is_whole && start >= given_up {
                return;
            }
            self.receiver.forget(end);
            let Some(sdu) = self.sdus.pop() else { return };
            let output = if is_whole { Output::Delivered(sdu) } else { Output::Discarded(sdu) };
            self.outputs.push_back(output);
        }
    }

    /// Everything that waits or was sent in part is lost.
    pub(super) fn abandon(&mut self, now: Time) {
        while let Some(sdu) = self.sdus.pop() {
            self.outputs.push_back(Output::Discarded(sdu));
        }
        while let Some(turn) = self.intake.pop(now) {
            self.outputs.push_back(Output::Discarded(turn.packet));
        }
        self.take_dropped();
        self.harq.flush();
        self.transmitter.establish(self.sdus.end());
        self.receiver.establish(self.sdus.end());
        if let Some(reordering) = &mut self.reordering {
            reordering.establish(self.sdus.end());
        }
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

    /// Counts a failure of the radio link.
    pub(super) const fn count_failure(&mut self) {
        self.counters.resets += 1;
        self.counters.unrecoverable_errors += 1;
    }

    /// Counts a handover.
    pub(super) const fn count_handover(&mut self) {
        self.counters.relocations += 1;
    }
}

impl Odds {
    /// Whether both are of the same kind of block under the same conditions.
    fn is_of(&self, other: &Self) -> bool {
        let key = |odds: &Self| (odds.needed.to_bits(), odds.snr.to_bits(), odds.transmissions);
        key(self) == key(other)
    }
}
