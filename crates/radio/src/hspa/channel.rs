//! One direction of the radio of one mobile: hybrid ARQ, and blocks that err.

use base::Direction;
use observe::{BlockFact, BlockKind, Observe};

use super::config::Timing;
use super::pdus::Item;
use super::reordering::{Reordering, WINDOW};
use crate::Counters;
use crate::channel::Part;
use crate::channel::harq::{Block, Harq};
use crate::channel::scheduler::Past;
use crate::channel::{Quality, UeConfig};
use crate::kit::moment::Moment;
use crate::umts::rlc::DataKind;

/// What facts and counters say of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Label {
    /// Its number.
    tsn: u64,
    /// Of its first data PDU.
    sn: u16,
    kind: BlockKind,
    poll: bool,
    has_report: bool,
}

/// A block, whose PDUs stay with its process.
pub(super) type HsBlock = Block<Label>;

/// Hybrid ARQ of one direction, from the blocks of the sender to those in order at the receiver.
#[derive(Debug)]
pub(super) struct HsChannel {
    direction: Direction,
    timing: Timing,
    pub(super) harq: Harq<Label>,
    /// The PDUs of the block of each process.
    contents: Box<[Vec<Item>]>,
    /// The number of the next block.
    next: u64,
    pub(super) reordering: Reordering,
    pub(super) quality: Quality,
    pub(super) past: Past,
    counters: Counters,
}

impl HsChannel {
    pub(super) fn new(
        direction: Direction,
        timing: Timing,
        patience: u64,
        ue: &UeConfig,
        seed: u64,
    ) -> Self {
        let name = format!("{}/{}", ue.name, direction.name());
        Self {
            direction,
            timing,
            harq: Harq::new(timing.processes),
            contents: (0..timing.processes).map(|_| Vec::new()).collect(),
            next: 0,
            reordering: Reordering::new(patience),
            quality: Quality::new(ue.radios[direction as usize].clone(), seed, &name, &ue.name),
            past: Past::default(),
            counters: Counters::default(),
        }
    }

    /// Whether a new block keeps within the window of numbers.
    pub(super) fn has_number(&self) -> bool {
        let blocks = (0..self.timing.processes).filter_map(|process| self.harq.block(process));
        blocks.map(|block| block.label.tsn).min().is_none_or(|first| self.next < first + WINDOW)
    }

    /// The PDUs of the block that `process` is to have.
    pub(super) fn contents(&mut self, process: u32) -> &mut Vec<Item> {
        &mut self.contents[process as usize]
    }

    /// Gives `process` the block of its PDUs: `bytes` in the format `scheme`.
    pub(super) fn begin(&mut self, process: u32, slot: u64, scheme: u8, bytes: u32) -> HsBlock {
        let items = &self.contents[process as usize];
        let runs = || {
            items.iter().filter_map(|item| match item {
                Item::Data(run) => Some(run),
                Item::Control(_) => None,
            })
        };
        let is_report = |item: &Item| matches!(item, Item::Control(control) if control.is_report());
        let kind = match runs().next().map(|run| run.kind) {
            None => BlockKind::Control,
            Some(DataKind::New) => BlockKind::Data,
            Some(DataKind::Again) => BlockKind::Retransmission,
        };
        let label = Label {
            tsn: self.next,
            sn: runs().next().map_or(0, |run| run.sn.wire()),
            kind,
            poll: runs().any(|run| run.poll),
            has_report: items.iter().any(is_report),
        };
        self.next += 1;
        let (width, transmissions) = (0, 1);
        let block = Block {
            label,
            scheme,
            width,
            bytes,
            part: Part::Whole,
            transmissions,
            built: slot,
            slot,
        };
        self.harq.send(process, &block);
        block
    }

    /// The fate of `block` of mobile number `ue`, which is sent now and needs a ratio of `needed`:
    /// true if it errs.
    pub(super) fn draw(
        &mut self,
        moment: &mut Moment<'_, impl Observe>,
        ue: u32,
        block: &HsBlock,
        needed: f64,
    ) -> bool {
        let transmissions = block.transmissions.into();
        let error = self.quality.draw(moment, (ue, self.direction), needed, transmissions);
        let Label { sn, kind, poll, has_report, .. } = block.label;
        let kind = if block.transmissions > 1 { BlockKind::Retransmission } else { kind };
        self.counters.count_block(block.bytes, error);
        self.counters.count_transmission(transmissions, kind, has_report);
        let (machine, direction) = (moment.machine, self.direction);
        let fact = BlockFact { machine, direction, sn, kind, poll, error };
        moment.observe.block(moment.now, fact);
        error
    }

    /// The block that `process` sent in slot `sent` arrives in `slot`: what is in order now goes to
    /// the end of `out`.
    pub(super) fn arrive(&mut self, slot: u64, (process, sent): (u32, u64), out: &mut Vec<Item>) {
        let Some(block) = self.harq.sent(process, sent) else { return };
        let items = &mut self.contents[process as usize];
        self.reordering.take(slot, block.label.tsn, items, out);
    }

    /// The sender learns whether the block that `process` sent in slot `sent` erred. Returns
    /// whether it is to be sent again.
    pub(super) fn learn(&mut self, (process, sent): (u32, u64), errs: bool) -> bool {
        let Some(block) = self.harq.sent(process, sent) else { return false };
        let may_repeat = u32::from(block.transmissions) < self.timing.transmissions;
        if errs && may_repeat {
            self.harq.fail(process);
            return true;
        }
        self.harq.free(process);
        self.counters.harq_given_up += u64::from(errs);
        self.contents[process as usize].clear();
        false
    }

    /// Loses all blocks.
    pub(super) fn flush(&mut self) {
        self.harq.flush();
        self.contents.iter_mut().for_each(Vec::clear);
        self.reordering.restart(self.next);
    }

    pub(super) const fn counters(&self) -> &Counters {
        &self.counters
    }
}
