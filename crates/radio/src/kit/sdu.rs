//! What a bearer carries.

use std::fmt::Debug;

use link::Load;

/// A service data unit: a packet as the radio sees it, of more than zero bytes.
pub trait Sdu: Load {
    /// The packet's number, by which observers identify it.
    fn uid(&self) -> u64 {
        0
    }

    /// Both ends of header compression in one direction; `None` for SDUs without compressible
    /// headers.
    fn header_compression() -> Option<Box<dyn HeaderCompression<Self>>> {
        None
    }
}

/// Both ends of header compression in one direction (TS 25.323 §5.1). SDUs are numbered from 0 in
/// the order in which they are compressed; each is restored or forgotten once.
pub trait HeaderCompression<T: ?Sized>: Debug + Send {
    /// `sdu`, the next one, is sent: how many bytes fewer it has on the air.
    fn compress(&mut self, sdu: &T) -> u32;

    /// `sdu` has arrived, the one with `number`. False if its headers cannot be restored.
    fn restore(&mut self, number: u64, sdu: &T) -> bool;

    /// SDU `number` will never arrive.
    fn forget(&mut self, number: u64);
}
