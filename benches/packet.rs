//! What is sent through what is measured.

use link::Load;
use radio::Sdu;

/// As large as a packet of the simulator.
#[derive(Debug)]
pub(crate) struct Packet {
    bytes: u32,
    _header: [u64; 8],
}

impl Packet {
    pub(crate) const fn new(bytes: u32) -> Self {
        Self { bytes, _header: [0; 8] }
    }
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }
}

impl Sdu for Packet {}
