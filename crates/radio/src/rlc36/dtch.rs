//! One direction of a mobile's traffic, from the queue ahead of link control to what comes out of
//! PDCP.

use std::collections::VecDeque;
use std::iter;
use std::sync::Arc;

use base::{Direction, Duration, Time};
use link::queue;
use observe::{BlockFact, BlockKind, Observe};

use super::{
    Contents, Label, Mode, Range, Receiver, Reordering, Rlc36Config, Sdus, Status, Transmitter,
};
use crate::channel::{Quality, Radio};
use crate::kit::intake::Intake;
use crate::kit::moment::Moment;
use crate::kit::roster::CellMobile;
use crate::kit::slots::SlotMobile;
use crate::{Counters, Output, Sdu};

/// How one direction is set up.
#[derive(Debug)]
pub(crate) struct DtchConfig<'a> {
    /// What waits ahead of it.
    pub(crate) queue: &'a queue::Config,
    /// Link control.
    pub(crate) rlc: &'a Rlc36Config,
    /// Bytes of the headers of an SDU: PDCP, and its length in the PDU.
    pub(crate) sdu_header: u32,
    /// An SDU that has waited longer for its first transmission is discarded.
    pub(crate) discard: Option<Duration>,
    /// No larger packet can be sent.
    pub(crate) largest: u64,
    /// PDCP, where it puts in order what link control delivers.
    pub(crate) reordering: Option<Reordering>,
}

/// A dedicated traffic channel (TS 36.300 §6.1.2.2): a queue, and link control with both its ends.
#[derive(Debug)]
pub(crate) struct Dtch<T> {
    pub(crate) direction: Direction,
    intake: Intake<T>,
    sdu_header: u32,
    discard: Option<Duration>,
    mode: Mode,
    largest: u64,
    sdus: Sdus<T>,
    pub(crate) transmitter: Transmitter,
    pub(crate) receiver: Receiver,
    reordering: Option<Reordering>,
    outputs: VecDeque<Output<T>>,
    counters: Counters,
}

/// A block that was sent, as counters and facts tell it besides its contents.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SentBlock {
    pub(crate) bytes: u32,
    /// How often it has been sent.
    pub(crate) transmissions: u32,
    /// Whether it erred this time.
    pub(crate) error: bool,
}

impl<T: Sdu> Dtch<T> {
    /// A direction whose random streams are called `name`.
    pub(crate) fn new(direction: Direction, config: DtchConfig<'_>, seed: u64, name: &str) -> Self {
        let DtchConfig { queue, rlc, sdu_header, discard, largest, reordering } = config;
        Self {
            direction,
            intake: Intake::new(queue, seed, name),
            sdu_header,
            discard,
            mode: rlc.mode,
            largest,
            sdus: Sdus::new(),
            transmitter: Transmitter::new(rlc, 0),
            receiver: Receiver::new(rlc, 0),
            reordering,
            outputs: VecDeque::new(),
            counters: Counters::default(),
        }
    }

    /// How many SDUs wait ahead of link control.
    pub(crate) fn queued(&self) -> u32 {
        self.intake.len()
    }

    /// Takes in an SDU, or gives it back. `before` it so many waited, of which some may be in a
    /// block since: a slot that begins at `now` goes without it.
    pub(crate) fn push(&mut self, now: Time, sdu: T, before: u32) -> Result<(), T> {
        let taken = self.intake.push(now, sdu, before, &mut self.counters);
        self.take_dropped();
        taken
    }

    fn take_dropped(&mut self) {
        self.outputs.extend(iter::from_fn(|| self.intake.poll_dropped()));
    }

    /// How many bytes wait to be sent, headers of SDUs included.
    pub(crate) fn waiting(&self) -> u64 {
        let headers = u64::from(self.intake.len()) * u64::from(self.sdu_header);
        let queued = self.intake.bytes() + headers;
        self.transmitter.waiting(self.sdus.end() + queued)
    }

    /// Whether nothing waits, and nothing is under way or still to come out.
    pub(crate) fn is_empty(&self) -> bool {
        self.sdus.is_empty() && self.intake.is_empty()
    }

    /// What goes into `room` bytes of a block, after the `status` of the other direction.
    pub(crate) fn fill(
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
            let waited = moment.now.saturating_since(turn.since);
            let is_too_large = u64::from(turn.packet.bytes()) > self.largest;
            if is_too_large || self.discard.is_some_and(|most| waited > most) {
                self.outputs.push_back(Output::Discarded(turn.packet));
                continue;
            }
            if O::DEQUEUES {
                moment.observe.dequeued(moment.now, moment.machine, turn.packet.uid());
            }
            let headers = if self.mode == Mode::Tm { 0 } else { self.sdu_header };
            let bytes = u64::from(turn.packet.bytes() + headers);
            self.sdus.push(turn.packet, bytes);
        }
    }

    /// Counts a block that was sent, and tells of it.
    pub(crate) fn tell(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        label: Label,
        block: SentBlock,
    ) {
        let SentBlock { bytes, transmissions, error } = block;
        let kind = match (transmissions > 1 || label.is_again, label.has_data) {
            (true, _) => BlockKind::Retransmission,
            (false, true) => BlockKind::Data,
            (false, false) => BlockKind::Control,
        };
        self.counters.count_block(bytes, error);
        self.counters.count_transmission(transmissions, kind, label.is_report);
        let fact = BlockFact {
            machine: moment.machine,
            direction: self.direction,
            sn: (label.sn % (1 << 16)) as u16,
            kind,
            poll: label.is_poll,
            error,
        };
        moment.observe.block(moment.now, fact);
    }

    /// A block has arrived: its data.
    pub(crate) fn receive(&mut self, now: Time, contents: &Contents) {
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

    /// Counts a block that HARQ has given up.
    pub(crate) const fn count_given_up(&mut self) {
        self.counters.harq_given_up += 1;
    }

    /// HARQ has given up a block that carried `contents`, which the receiver knows.
    pub(crate) fn lose(&mut self, now: Time, contents: &Contents) {
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

    /// Timers of link control and PDCP run out.
    pub(crate) fn handle_timeout(&mut self, now: Time) {
        self.receiver.handle_timeout(now);
        self.deliver(now);
        self.transmitter.handle_timeout(now, &self.sdus);
    }

    /// When one does next.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let reordering = self.reordering.as_ref().and_then(Reordering::poll_timeout);
        let (receiver, transmitter) =
            (self.receiver.poll_timeout(), self.transmitter.poll_timeout());
        Time::earlier(Time::earlier(receiver, transmitter), reordering)
    }

    /// SDUs that are complete, or of which part was passed over, come out.
    fn deliver(&mut self, now: Time) {
        if self.reordering.is_some() {
            self.deliver_reordered(now);
        } else {
            self.deliver_in_order();
        }
    }

    fn deliver_in_order(&mut self) {
        while let Some(end) = self.sdus.first_end().filter(|end| *end <= self.receiver.floor()) {
            let is_whole = self.receiver.has_all(Range::new(self.sdus.start(), end));
            if !self.take_first(is_whole) {
                return;
            }
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

    /// SDUs come out in order: those that are complete, and those that begin before `given_up`.
    fn take_out(&mut self, given_up: u64) {
        while let Some(end) = self.sdus.first_end() {
            let start = self.sdus.start();
            let is_whole = self.receiver.has(Range::new(start, end));
            if !is_whole && start >= given_up {
                return;
            }
            self.receiver.forget(end);
            if !self.take_first(is_whole) {
                return;
            }
        }
    }

    /// The first SDU comes out. False if there is none.
    fn take_first(&mut self, is_whole: bool) -> bool {
        let sdu = self.sdus.pop();
        let output = sdu.map(if is_whole { Output::Delivered } else { Output::Discarded });
        let is_any = output.is_some();
        self.outputs.extend(output);
        is_any
    }

    /// Both ends of link control begin anew (TS 36.322 §5.4, TS 36.323 §5.2): in acknowledged mode
    /// with the first SDU that has not been delivered, else with the first that has not been sent.
    pub(crate) fn establish(&mut self, now: Time) {
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

    /// Everything that waits or was sent in part is lost.
    pub(crate) fn abandon(&mut self, now: Time) {
        while let Some(sdu) = self.sdus.pop() {
            self.outputs.push_back(Output::Discarded(sdu));
        }
        while let Some(turn) = self.intake.pop(now) {
            self.outputs.push_back(Output::Discarded(turn.packet));
        }
        self.take_dropped();
        self.transmitter.establish(self.sdus.end());
        self.receiver.establish(self.sdus.end());
        if let Some(reordering) = &mut self.reordering {
            reordering.establish(self.sdus.end());
        }
    }

    /// Whether link control has given up, so that its radio link has failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.transmitter.has_failed()
    }

    /// Counts a failure of the radio link.
    pub(crate) const fn count_failure(&mut self) {
        self.counters.resets += 1;
        self.counters.unrecoverable_errors += 1;
    }

    /// Counts a handover.
    pub(crate) const fn count_handover(&mut self) {
        self.counters.relocations += 1;
    }

    pub(crate) fn has_output(&self) -> bool {
        !self.outputs.is_empty()
    }

    /// The next SDU that has come out.
    pub(crate) fn poll_output(&mut self) -> Option<Output<T>> {
        let output = self.outputs.pop_front()?;
        self.counters.count(&output);
        Some(output)
    }

    /// The SDUs between entry and exit.
    pub(crate) fn held(&self) -> impl Iterator<Item = &T> {
        let out = self.outputs.iter().map(|output| match output {
            Output::Delivered(sdu) | Output::Discarded(sdu) => sdu,
            Output::Dropped(dropped) => &dropped.packet,
        });
        out.chain(self.sdus.iter()).chain(self.intake.held())
    }

    /// What has been counted of it.
    pub(crate) fn counters(&self) -> Counters {
        Counters { queue_max: self.intake.most(), ..self.counters }
    }

    /// The sum over SDUs of the time that each has waited by `now` ahead of link control.
    pub(crate) fn waited(&self, now: Time) -> Duration {
        self.intake.waited(now)
    }
}

/// A mobile whose traffic goes over a channel for each direction.
pub(crate) trait OverDtch {
    /// The packets that it carries.
    type Sdu: Sdu;

    /// The channels of `direction`.
    fn dtchs<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a Dtch<Self::Sdu>>
    where
        Self::Sdu: 'a;

    /// The channels of `direction`, to be changed.
    fn dtchs_mut<'a>(
        &'a mut self,
        direction: Direction,
    ) -> impl Iterator<Item = &'a mut Dtch<Self::Sdu>>
    where
        Self::Sdu: 'a;

    /// The channel of `direction` that `sdu` goes over.
    fn dtch_for(&mut self, direction: Direction, sdu: &Self::Sdu) -> &mut Dtch<Self::Sdu>;

    /// The radio of `direction` over time.
    fn quality_mut(&mut self, direction: Direction) -> &mut Quality;
}

impl<M: OverDtch> SlotMobile<M::Sdu> for M {
    fn push(
        &mut self,
        now: Time,
        direction: Direction,
        sdu: M::Sdu,
        before: u32,
    ) -> Result<(), M::Sdu> {
        self.dtch_for(direction, &sdu).push(now, sdu, before)
    }

    fn queued(&self, direction: Direction) -> u32 {
        self.dtchs(direction).map(Dtch::queued).sum()
    }

    fn has_output(&self) -> bool {
        Direction::BOTH.iter().any(|direction| self.dtchs(*direction).any(Dtch::has_output))
    }

    fn reconfigure(&mut self, radios: &[Arc<Radio>; 2]) {
        for (direction, radio) in Direction::BOTH.into_iter().zip(radios) {
            self.quality_mut(direction).reconfigure(radio.clone());
        }
    }
}

impl<M: OverDtch> CellMobile<M::Sdu> for M {
    fn poll_output(&mut self) -> Option<(Direction, Output<M::Sdu>)> {
        let output = |way| Some((way, self.dtchs_mut(way).find_map(Dtch::poll_output)?));
        Direction::BOTH.into_iter().find_map(output)
    }

    fn held<'a>(&'a self, direction: Direction) -> impl Iterator<Item = &'a M::Sdu>
    where
        M::Sdu: 'a,
    {
        self.dtchs(direction).flat_map(Dtch::held)
    }

    fn counters(&self, direction: Direction) -> Counters {
        self.dtchs(direction).map(Dtch::counters).sum()
    }

    fn waited(&self, direction: Direction, now: Time) -> Duration {
        self.dtchs(direction).map(|dtch| dtch.waited(now)).sum()
    }
}
