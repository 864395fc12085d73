//! Both ends of the convergence protocol in one direction.

use std::collections::VecDeque;
use std::mem;

use super::PdcpConfig;
use super::rfc2507::{Compressor, Decompressor, Headers, Packet};

/// The convergence protocol of one direction.
#[derive(Debug)]
pub(crate) struct Convergence {
    header_bytes: u32,
    compression: Option<Box<Compression>>,
}

#[derive(Debug)]
struct Compression {
    compressor: Compressor,
    decompressor: Decompressor,
    /// The SDUs on their way, by number.
    slots: VecDeque<Slot>,
    /// The number of the first.
    base: u64,
}

/// What stands in place of the headers of an SDU.
#[derive(Clone, Copy, Debug)]
enum Slot {
    /// Its own headers.
    Plain,
    /// Compressed ones.
    Compressed(Packet),
    /// It is not on its way any more.
    Gone,
}

impl Convergence {
    pub(crate) fn new(config: PdcpConfig) -> Self {
        let compression = config.header_compression.then(|| {
            Box::new(Compression {
                compressor: Compressor::new(),
                decompressor: Decompressor::new(),
                slots: VecDeque::new(),
                base: 0,
            })
        });
        Self { header_bytes: config.header_bytes, compression }
    }

    /// The next SDU is sent: `bytes` long, with `headers` if they can be compressed. How many
    /// bytes it has on the air.
    pub(crate) fn send(&mut self, bytes: u32, headers: impl FnOnce() -> Option<Headers>) -> u32 {
        let Some(compression) = &mut self.compression else { return bytes + self.header_bytes };
        let packet = headers().map(|headers| compression.compressor.compress(&headers));
        compression.slots.push_back(packet.map_or(Slot::Plain, Slot::Compressed));
        let saved = packet.map_or(0, |packet| packet.saved());
        bytes + self.header_bytes - saved
    }

    /// SDU `number` has arrived. False if its headers cannot be restored: its context was lost
    /// with an SDU before it.
    #[must_use]
    pub(crate) fn receive(
        &mut self,
        number: u64,
        headers: impl FnOnce() -> Option<Headers>,
    ) -> bool {
        let Some(compression) = &mut self.compression else { return true };
        let Slot::Compressed(packet) = compression.take(number) else { return true };
        let original = headers().expect("headers that were compressed");
        compression.decompressor.restores(&packet, &original)
    }

    /// SDU `number` will never arrive.
    pub(crate) fn forget(&mut self, number: u64) {
        if let Some(compression) = &mut self.compression {
            compression.take(number);
        }
    }
}

impl Compression {
    fn take(&mut self, number: u64) -> Slot {
        let slot = mem::replace(&mut self.slots[(number - self.base) as usize], Slot::Gone);
        while matches!(self.slots.front(), Some(Slot::Gone)) {
            self.slots.pop_front();
            self.base += 1;
        }
        slot
    }
}
