//! TUN devices: IP packets to and from the kernel.

#![expect(
    clippy::disallowed_methods,
    reason = "an interface's counters are read from a file; this module talks to the system"
)]

use std::fmt;
use std::fs::File;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use tun_rs::{DeviceBuilder, Layer, SyncDevice};

use crate::{Device, Port};

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

/// A TUN device, there while it lives. Unless it is offloading, the kernel hands it no packet above
/// its MTU, segments and checksums being made before.
pub struct Tun {
    device: SyncDevice,
    name: String,
    room: u64,
    /// The counters of all interfaces in the namespace of the device.
    counters: File,
}

impl Tun {
    /// Makes the device in the namespace of the calling thread, with its address, and up. It ends
    /// with the process.
    ///
    /// # Errors
    /// The kernel's: no `/dev/net/tun`, no right to use it, or a name that is taken.
    pub fn open(config: &TunConfig) -> io::Result<Self> {
        let builder = builder(&config.name, config.mtu, config.queue);
        Self::build(
            &config.name,
            config.queue,
            match config.address {
                IpAddr::V4(address) => builder.ipv4(address, config.prefix, None),
                IpAddr::V6(address) => builder.ipv6(address, config.prefix),
            },
        )
    }

    /// Makes a device without an address, and down, in the namespace of the calling thread.
    ///
    /// # Errors
    /// As for [`Tun::open`].
    pub fn open_down(name: &str, mtu: u16, queue: u32) -> io::Result<Self> {
        Self::build(name, queue, builder(name, mtu, queue).enable(false))
    }

    /// As [`Tun::open_down`], and offloading if the kernel lets it: the kernel leaves it to the
    /// reader to make segments and checksums, and makes them of what is written.
    ///
    /// # Errors
    /// As for [`Tun::open`].
    pub fn open_offloading(name: &str, mtu: u16, queue: u32) -> io::Result<Self> {
        let offloading = builder(name, mtu, queue).enable(false).offload(true);
        Self::build(name, queue, offloading).or_else(|_| Self::open_down(name, mtu, queue))
    }

    fn build(name: &str, queue: u32, builder: DeviceBuilder) -> io::Result<Self> {
        let device = builder.build_sync()?;
        device.set_nonblocking(true)?;
        // Opened here, it tells of this namespace wherever it is read.
        let counters = File::open("/proc/thread-self/net/dev")?;
        Ok(Self { device, name: name.to_owned(), room: queue.into(), counters })
    }
}

impl Port for Tun {
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self.device.recv(buffer) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn send(&self, packet: &[u8]) -> io::Result<()> {
        self.device.send(packet).map(drop)
    }

    fn room(&self) -> Option<u64> {
        Some(self.room)
    }

    fn is_offloading(&self) -> bool {
        self.device.tcp_gso()
    }
}

impl Device for Tun {
    fn link_header_bytes(&self) -> usize {
        0
    }

    fn dropped(&self) -> io::Result<u64> {
        let mut listing = Vec::new();
        let mut chunk = [0; 4096];
        loop {
            match self.counters.read_at(&mut chunk, listing.len() as u64)? {
                0 => break,
                bytes => listing.extend_from_slice(&chunk[..bytes]),
            }
        }
        let listing = String::from_utf8_lossy(&listing);
        // It may have been given another name since.
        dropped(&listing, &self.device.name()?).ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

fn builder(name: &str, mtu: u16, queue: u32) -> DeviceBuilder {
    DeviceBuilder::new().name(name).layer(Layer::L3).mtu(mtu).tx_queue_len(queue)
}

/// Packets to be sent by the interface `name` that were dropped: in `/proc/net/dev` the fourth of
/// the eight columns for sending, which stand behind eight for receiving.
fn dropped(listing: &str, name: &str) -> Option<u64> {
    let mut lines = listing.lines().filter_map(|line| line.split_once(':'));
    let (_, counters) = lines.find(|(interface, _)| interface.trim() == name)?;
    counters.split_whitespace().nth(8 + 3)?.parse().ok()
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl fmt::Debug for Tun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tun").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::dropped;

    #[test]
    fn drops_are_the_fourth_counter_of_sending() {
        let listing = "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes\n\
            \x20   lo: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n\
            \x20thin0: 0 0 0 0 0 0 0 0 0 0 0 42 0 0 0 0\n";
        assert_eq!(dropped(listing, "lo"), Some(12));
        assert_eq!(dropped(listing, "thin0"), Some(42));
        assert_eq!(dropped(listing, "thin"), None);
        assert_eq!(dropped("thin0: 1", "thin0"), None);
    }
}
