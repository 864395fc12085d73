//! Hybrid ARQ: blocks in flight, and those that are sent again.

use super::frame::Part;

/// Hybrid ARQ with soft combining.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct HarqConfig {
    /// How many blocks may be in flight in a direction of a mobile, up to 32.
    pub(crate) processes: u32,
    /// How often a block is sent again before link control has to repair the loss.
    pub(crate) repeats: u32,
    /// How many slots a receiver takes to decode a block after its slot.
    pub(crate) decoding: u32,
    /// When a sender learns what became of a block.
    pub(crate) feedback: Feedback,
}

/// When a sender learns what became of a block, and how it sends it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Feedback {
    /// So many slots later. Uplink it is sent again then, in the same resource blocks.
    Fixed {
        /// How many, fewer than grants are remembered for.
        round_trip: u32,
    },
    /// Downlink, from the first slot in which the mobile can answer. The base station knows of a
    /// block of the uplink when it has decoded it, and grants a repeat as it grants new blocks.
    Granted {
        /// From the slot of a block to the first one in which it may be answered.
        after: u32,
        /// From the slot of the answer to the one in which the block may be sent again; both
        /// together are more than decoding takes.
        then: u32,
    },
}

/// A transport block that has been sent and whose fate its sender does not know, or that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Block<L> {
    /// The words of its sender about its contents.
    pub(crate) label: L,
    /// With which scheme.
    pub(crate) scheme: u8,
    /// How many resource blocks it takes.
    pub(crate) width: u16,
    /// How many bytes it has.
    pub(crate) bytes: u32,
    /// How much of its slot its direction has: as much as each repeat needs at least.
    pub(crate) part: Part,
    /// How often it has been sent.
    pub(crate) transmissions: u8,
    /// The slot in which it was sent for the first time.
    pub(crate) built: u64,
    /// The slot in which it was sent last.
    pub(crate) slot: u64,
}

/// The processes of one direction of one mobile.
#[derive(Debug)]
pub(crate) struct Harq<L> {
    blocks: Box<[Option<Block<L>>]>,
    /// The processes that have no block.
    idle: u32,
    /// Those whose block failed and is to be sent again.
    failed: u32,
}

impl<L: Copy> Harq<L> {
    /// So many processes, at most 32.
    pub(crate) fn new(processes: u32) -> Self {
        let idle = ((1_u64 << processes) - 1) as u32;
        Self { blocks: vec![None; processes as usize].into_boxed_slice(), idle, failed: 0 }
    }

    /// A process that can take a block.
    pub(crate) const fn idle(&self) -> Option<u32> {
        if self.idle == 0 { None } else { Some(self.idle.trailing_zeros()) }
    }

    /// How many processes can take a block.
    pub(crate) const fn idle_count(&self) -> u32 {
        self.idle.count_ones()
    }

    /// Whether no block is in flight.
    pub(crate) const fn is_quiet(&self) -> bool {
        self.idle.count_ones() as usize == self.blocks.len()
    }

    /// A process whose block is to be sent again.
    pub(crate) const fn failed(&self) -> Option<u32> {
        if self.failed == 0 { None } else { Some(self.failed.trailing_zeros()) }
    }

    /// Gives `block` to an idle process.
    pub(crate) fn send(&mut self, process: u32, block: &Block<L>) {
        debug_assert!(self.idle >> process & 1 == 1, "a process has one block");
        self.idle &= !(1 << process);
        self.blocks[process as usize] = Some(*block);
    }

    /// The block of a process is sent again: what it is now.
    pub(crate) fn repeat(&mut self, process: u32, slot: u64) -> Option<Block<L>> {
        self.failed &= !(1 << process);
        let block = self.blocks[process as usize].as_mut()?;
        block.transmissions += 1;
        block.slot = slot;
        Some(*block)
    }

    /// The block of a process, if it has one.
    pub(crate) fn block(&self, process: u32) -> Option<&Block<L>> {
        self.blocks[process as usize].as_ref()
    }

    /// The block that a process sent in `slot`, if it has not been given up since.
    pub(crate) fn sent(&self, process: u32, slot: u64) -> Option<&Block<L>> {
        self.block(process).filter(|block| block.slot == slot)
    }

    /// The block of a process failed and is to be sent again.
    pub(crate) const fn fail(&mut self, process: u32) {
        self.failed |= 1 << process;
    }

    /// The block of a process will be sent again when its grant comes.
    pub(crate) const fn expect(&mut self, process: u32) {
        self.failed &= !(1 << process);
    }

    /// A process is done with its block: it has arrived, or was sent often enough.
    pub(crate) fn free(&mut self, process: u32) -> Option<Block<L>> {
        self.idle |= 1 << process;
        self.failed &= !(1 << process);
        self.blocks[process as usize].take()
    }

    /// Gives up all blocks.
    pub(crate) fn flush(&mut self) {
        self.blocks.fill(None);
        self.idle = ((1_u64 << self.blocks.len()) - 1) as u32;
        self.failed = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block<()> {
        Block {
            label: (),
            scheme: 1,
            width: 1,
            bytes: 10,
            part: Part::Whole,
            transmissions: 1,
            built: 5,
            slot: 5,
        }
    }

    #[test]
    fn there_are_as_many_blocks_in_flight_as_processes() {
        let mut harq = Harq::new(2);
        assert!(harq.is_quiet());
        for _ in 0..2 {
            let process = harq.idle().expect("a process is idle");
            harq.send(process, &block());
        }
        assert_eq!(harq.idle(), None);
        harq.fail(1);
        assert_eq!((harq.failed(), harq.idle()), (Some(1), None));
        let again = harq.repeat(1, 13).expect("it has a block");
        assert_eq!((again.transmissions, again.slot, harq.failed()), (2, 13, None));
        assert!(harq.free(0).is_some() && harq.idle() == Some(0));
        harq.flush();
        assert!(harq.is_quiet() && harq.block(1).is_none());
    }

    #[test]
    fn thirty_two_processes_fit() {
        let mut harq = Harq::new(32);
        for expected in 0..32 {
            assert_eq!(harq.idle(), Some(expected));
            harq.send(expected, &block());
        }
        assert_eq!(harq.idle(), None);
    }
}
