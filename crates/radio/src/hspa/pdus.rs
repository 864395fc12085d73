//! PDUs of link control on their way from one end to the other.

use std::collections::VecDeque;

use base::Time;

use crate::umts::mac::TransportBlocks;
use crate::umts::rlc::{Control, Entity, Run, Traffic};

/// What one end of link control sends the other.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A control PDU; boxed, as few are.
    Control(Box<Control>),
    /// Data PDUs with consecutive numbers.
    Data(Run),
}

impl Item {
    /// How many PDUs it is.
    pub(super) const fn pdus(&self) -> u32 {
        match self {
            Self::Control(_) => 1,
            Self::Data(run) => run.pdus,
        }
    }
}

/// Takes what an end has filled into a TTI.
pub(super) fn unpack(blocks: &mut TransportBlocks, mut take: impl FnMut(Item)) {
    blocks.control.drain(..).for_each(|control| take(Item::Control(Box::new(control))));
    blocks.data.drain(..).for_each(|run| take(Item::Data(run)));
}

/// Gives `items` to `receiver` in their order, and leaves none. Within a TTI control goes before
/// data, so that what comes behind data goes with the next.
pub(super) fn deliver(
    now: Time,
    items: &mut Vec<Item>,
    blocks: &mut TransportBlocks,
    receiver: &mut Entity,
    traffic: &mut Traffic<'_>,
) {
    blocks.begin(now, u32::MAX);
    for item in items.drain(..) {
        match item {
            Item::Control(control) => {
                if !blocks.data.is_empty() {
                    receiver.receive(now, blocks, traffic);
                    blocks.begin(now, u32::MAX);
                }
                blocks.push_control(*control);
            }
            Item::Data(run) => blocks.push_run(run),
        }
    }
    if blocks.used() > 0 {
        receiver.receive(now, blocks, traffic);
    }
}

/// PDUs that wait.
#[derive(Debug, Default)]
pub(super) struct PduQueue {
    items: VecDeque<Item>,
    pdus: u64,
}

impl PduQueue {
    /// How many wait.
    pub(super) const fn pdus(&self) -> u64 {
        self.pdus
    }

    pub(super) fn push(&mut self, item: Item) {
        self.pdus += u64::from(item.pdus());
        self.items.push_back(item);
    }

    /// Moves the first `most` PDUs to the end of `block`.
    pub(super) fn take(&mut self, most: u32, block: &mut Vec<Item>) {
        let mut left = most;
        while left > 0 {
            let Some(item) = self.items.pop_front() else { break };
            let item = match item {
                Item::Data(run) if run.pdus > left => {
                    let rest = Run { sn: run.sn + u64::from(left), pdus: run.pdus - left, ..run };
                    self.items.push_front(Item::Data(rest));
                    Item::Data(Run { pdus: left, poll: false, ..run })
                }
                whole => whole,
            };
            left -= item.pdus();
            self.pdus -= u64::from(item.pdus());
            block.push(item);
        }
    }

    /// Loses all.
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.pdus = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::umts::rlc::{DataKind, Sn};

    fn data(first: u64, pdus: u32, poll: bool) -> Item {
        Item::Data(Run { sn: Sn::new(first), pdus, kind: DataKind::New, poll })
    }

    fn show(block: &[Item]) -> String {
        let show = |item: &Item| match item {
            Item::Control(_) => "control".to_owned(),
            Item::Data(run) => {
                let poll = if run.poll { "?" } else { "" };
                format!("{}+{}{poll}", run.sn.wire(), run.pdus)
            }
        };
        block.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_block_takes_as_many_pdus_as_it_has_room_for() {
        let mut queue = PduQueue::default();
        queue.push(data(0, 30, true));
        queue.push(data(30, 4, false));
        let mut blocks = Vec::new();
        for _ in 0..4 {
            let mut block = Vec::new();
            queue.take(12, &mut block);
            blocks.push(format!("{} of {}", show(&block), queue.pdus()));
        }
        assert_eq!(blocks, ["0+12 of 22", "12+12 of 10", "24+6? 30+4 of 0", " of 0"]);
    }
}
