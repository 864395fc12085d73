//! Where packets come from and go to, whatever the kernel offers.

use std::fmt::Debug;
use std::io;

use crate::{PacketSocket, Port};

/// A port of the driver: [`Tun`](crate::Tun), for IP packets to and from the kernel here, or
/// [`PacketSocket`], for whole frames to and from what is behind an Ethernet interface.
pub trait Device: Port + Debug + Send {
    /// Bytes ahead of the IP packet: 14 on Ethernet, 0 on a TUN device. In a frame with a VLAN tag
    /// the tag stands there, and the type before it says so.
    fn link_header_bytes(&self) -> usize;

    /// Packets that the kernel has dropped ahead of us, since none were received for too long,
    /// since the device was opened.
    ///
    /// # Errors
    /// The kernel's; `NotFound` once a TUN device was moved to another namespace.
    fn dropped(&self) -> io::Result<u64>;
}

/// Bytes of the largest packet with its link header: the length field of IP has 16 bits (RFC 791
/// §3.1), ahead of it an Ethernet header with a VLAN tag. The kernel limits the frames of a TUN
/// device that is offloading to 65,536 bytes behind a shorter header.
pub const LARGEST_PACKET: usize = 65_535 + PacketSocket::LINK_HEADER + 4;
