//! Packet data convergence (TS 25.323): a header on each SDU, and header compression.

use settings::{Bytes, Flag, section};

use crate::HeaderCompression;
use crate::Sdu;

section! {
    /// `[radio.pdcp]`: the convergence protocol (TS 25.323).
    pub struct PdcpConfig {
        // No header is longer than 3 bytes with a sequence number (TS 25.323 §8.2.3).
        /// Bytes in front of each packet. Default: lo2005 §4, a packet of 552 B makes 553 B.
        pub header_bytes: u32 as Bytes<u32, 0, 3> = 1;
        /// Compression of TCP/IP headers after RFC 2507.
        pub header_compression: bool as Flag = false;
    }
}

/// The convergence protocol of one direction.
#[derive(Debug)]
pub(crate) struct Convergence<T> {
    header_bytes: u32,
    compression: Option<Box<dyn HeaderCompression<T>>>,
}

impl<T: Sdu> Convergence<T> {
    pub(crate) fn new(config: &PdcpConfig) -> Self {
        let compression = if config.header_compression { T::header_compression() } else { None };
        Self { header_bytes: config.header_bytes, compression }
    }

    /// Compresses `sdu`, the next one: returns its bytes on the air.
    pub(crate) fn send(&mut self, sdu: &T) -> u32 {
        let saved = self.compression.as_mut().map_or(0, |ends| ends.compress(sdu));
        sdu.bytes() + self.header_bytes - saved
    }

    /// `sdu` has arrived, the one with `number`. False if its headers cannot be restored: its
    /// context was lost with an SDU before it.
    #[must_use]
    pub(crate) fn receive(&mut self, number: u64, sdu: &T) -> bool {
        self.compression.as_mut().is_none_or(|ends| ends.restore(number, sdu))
    }

    /// SDU `number` will never arrive.
    pub(crate) fn forget(&mut self, number: u64) {
        if let Some(ends) = &mut self.compression {
            ends.forget(number);
        }
    }
}
