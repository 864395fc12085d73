//! Where packets come from and go to, whatever the kernel offers.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use crate::{PacketSocket, Tun};

/// One port of the driver.
#[derive(Debug)]
pub enum Device {
    /// A TUN device: IP packets to and from the kernel here.
    Tun(Tun),
    /// A packet socket on an Ethernet interface: whole frames to and from what is behind it.
    Packet(PacketSocket),
}

impl Device {
    /// Receives a packet, with its link header, into `buffer` and tells its bytes; `None` if none
    /// waits. A buffer of [`Device::LARGEST`] bytes always suffices.
    ///
    /// # Errors
    /// The kernel's.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match self {
            Self::Tun(tun) => tun.receive(buffer),
            Self::Packet(socket) => socket.receive(buffer),
        }
    }

    /// Sends `packet`, with its link header, or hands it to the kernel.
    ///
    /// # Errors
    /// The kernel's, which then has not taken the packet.
    pub fn send(&self, packet: &[u8]) -> io::Result<()> {
        match self {
            Self::Tun(tun) => tun.send(packet),
            Self::Packet(socket) => socket.send(packet),
        }
    }

    /// Bytes ahead of the IP packet: 14 on Ethernet, 0 on a TUN device. In a frame with a VLAN tag
    /// the tag stands there, and the type before it says so.
    pub fn link_header_bytes(&self) -> usize {
        match self {
            Self::Tun(_) => 0,
            Self::Packet(_) => PacketSocket::LINK_HEADER,
        }
    }

    /// Packets that the kernel has dropped ahead of us since the device was opened.
    ///
    /// # Errors
    /// The kernel's.
    pub fn dropped(&self) -> io::Result<u64> {
        match self {
            Self::Tun(tun) => tun.dropped(),
            Self::Packet(socket) => socket.dropped(),
        }
    }

    /// Bytes of the largest packet: the length field of IP has 16 bits (RFC 791 §3.1), ahead of it
    /// an Ethernet header with a VLAN tag.
    pub const LARGEST: usize = 65_535 + PacketSocket::LINK_HEADER + 4;
}

impl AsFd for Device {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tun(tun) => tun.as_fd(),
            Self::Packet(socket) => socket.as_fd(),
        }
    }
}
