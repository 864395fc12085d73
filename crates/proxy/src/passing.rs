//! Packets that go on as they came.

use std::collections::VecDeque;

use wire::{hop_limit, set_hop_limit};

/// Packets on their way out, in buffers that are reused.
#[derive(Debug, Default)]
pub(crate) struct Passing {
    packets: VecDeque<Vec<u8>>,
    spare: Vec<Vec<u8>>,
}

/// Buffers that are kept: as many as a driver hands over in a row.
const SPARE: usize = 32;

impl Passing {
    /// An empty buffer.
    pub(crate) fn buffer(&mut self) -> Vec<u8> {
        let mut buffer = self.spare.pop().unwrap_or_default();
        buffer.clear();
        buffer
    }

    /// Queues a packet, with its hop limit raised by one: the hop to here does not count.
    pub(crate) fn push(&mut self, packet: &[u8]) {
        let mut buffer = self.buffer();
        buffer.extend_from_slice(packet);
        self.push_buffer(buffer);
    }

    /// Queues a packet that is in a [`Passing::buffer`], likewise.
    pub(crate) fn push_buffer(&mut self, mut buffer: Vec<u8>) {
        give_back_hop(&mut buffer);
        self.packets.push_back(buffer);
    }

    /// Takes back a buffer whose packet goes nowhere.
    pub(crate) fn recycle(&mut self, buffer: Vec<u8>) {
        if self.spare.len() < SPARE {
            self.spare.push(buffer);
        }
    }

    /// True if nothing is on its way out.
    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Puts the next one in `packet`, in place of what is there; false if there is none.
    pub(crate) fn pop(&mut self, packet: &mut Vec<u8>) -> bool {
        let Some(next) = self.packets.pop_front() else { return false };
        let buffer = std::mem::replace(packet, next);
        self.recycle(buffer);
        true
    }
}

fn give_back_hop(packet: &mut [u8]) {
    if let Some(hops) = hop_limit(packet) {
        set_hop_limit(packet, hops.saturating_add(1));
    }
}
