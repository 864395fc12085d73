//! Header compression of packets over a radio bearer (RFC 2507).

use std::collections::VecDeque;
use std::mem;

use radio::HeaderCompression;
use wire::rfc2507::{self, Compressor, Decompressor};

use crate::{Body, Packet};

/// Both ends of one direction.
#[derive(Debug, Default)]
pub(crate) struct Rfc2507 {
    compressor: Compressor,
    decompressor: Decompressor,
    /// The packets on their way, by number.
    slots: VecDeque<Slot>,
    /// The number of the first.
    base: u64,
}

/// How the headers of a packet are sent.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// Its own headers.
    Plain,
    /// Compressed ones.
    Compressed(rfc2507::Packet),
    /// It is no longer on its way.
    Gone,
}

impl<B: Body> HeaderCompression<Packet<B>> for Rfc2507 {
    fn compress(&mut self, packet: &Packet<B>) -> u32 {
        let compressed = packet.headers().map(|headers| self.compressor.compress(&headers));
        self.slots.push_back(compressed.map_or(Slot::Plain, Slot::Compressed));
        compressed.map_or(0, |compressed| compressed.saved())
    }

    fn restore(&mut self, number: u64, packet: &Packet<B>) -> bool {
        let Slot::Compressed(compressed) = self.take(number) else { return true };
        let original = packet.headers().expect("headers that were compressed");
        self.decompressor.restores(&compressed, &original)
    }

    fn forget(&mut self, number: u64) {
        self.take(number);
    }
}

impl Rfc2507 {
    fn take(&mut self, number: u64) -> Slot {
        let slot = mem::replace(&mut self.slots[(number - self.base) as usize], Slot::Gone);
        while matches!(self.slots.front(), Some(Slot::Gone)) {
            self.slots.pop_front();
            self.base += 1;
        }
        slot
    }
}
