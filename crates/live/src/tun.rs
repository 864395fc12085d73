//! TUN devices: IP packets to and from the kernel.

use std::fmt;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};

use tun_rs::{DeviceBuilder, Layer, SyncDevice};

/// What a TUN device shall be like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TunConfig {
    /// The name of the interface, at most 15 bytes.
    pub name: String,
    /// The kernel's address at it.
    pub address: IpAddr,
    /// How many bits of the address are the network's, all of which is reached through it.
    pub prefix: u8,
    /// The largest IP packet in bytes.
    pub mtu: u16,
    /// Packets from the kernel that may wait to be received; more are dropped.
    pub queue: u32,
}

/// A TUN device, up while it lives. The kernel hands it no packet above its MTU, segments and
/// checksums being made before.
pub struct Tun {
    device: SyncDevice,
}

impl Tun {
    /// Makes the device in the namespace of the calling thread. It ends with the process.
    ///
    /// # Errors
    /// The kernel's: no `/dev/net/tun`, no right to use it, or a name that is taken.
    pub fn open(config: &TunConfig) -> io::Result<Self> {
        let builder = DeviceBuilder::new()
            .name(config.name.as_str())
            .layer(Layer::L3)
            .mtu(config.mtu)
            .tx_queue_len(config.queue);
        let device = match config.address {
            IpAddr::V4(address) => builder.ipv4(address, config.prefix, None),
            IpAddr::V6(address) => builder.ipv6(address, config.prefix),
        }
        .build_sync()?;
        device.set_nonblocking(true)?;
        Ok(Self { device })
    }

    /// Receives a packet into `buffer` and tells its bytes; `None` if none waits.
    ///
    /// # Errors
    /// The kernel's.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(buffer) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Hands `packet` to the kernel.
    ///
    /// # Errors
    /// The kernel's.
    pub fn send(&self, packet: &[u8]) -> io::Result<()> {
        self.device.send(packet).map(drop)
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl fmt::Debug for Tun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tun").field("name", &self.device.name()).finish()
    }
}
