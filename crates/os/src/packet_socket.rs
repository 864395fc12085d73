//! Packet sockets (packet(7)): whole Ethernet frames to and from an interface.

#![expect(unsafe_code, reason = "no safe library knows the options and addresses of packet(7)")]

use std::fmt;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::io::Errno;
use rustix::net::netdevice::name_to_index;
use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt};

use crate::{Device, Port};

/// A packet socket bound to one interface, which hears every frame while it lives.
pub struct PacketSocket {
    socket: OwnedFd,
    interface: String,
    dropped: AtomicU64,
}

/// Bytes that may wait to be received or sent.
const BUFFER: usize = 32 << 20;

/// Of a frame whose checksum hardware was to complete, and of one made of several TCP segments
/// (`linux/if_packet.h`).
const UNFINISHED: u32 = libc::TP_STATUS_CSUMNOTREADY | 1 << 8;

/// Bytes of a VLAN tag, and of the addresses ahead of it (IEEE 802.1Q).
const TAG: usize = 4;
const ADDRESSES: usize = 12;

impl PacketSocket {
    /// Bytes of an Ethernet header: two addresses and a type.
    pub const LINK_HEADER: usize = 14;

    /// Opens one on the interface called `interface` in the namespace of the calling thread.
    ///
    /// # Errors
    /// The kernel's: no such interface, no right to use it.
    pub fn open(interface: &str) -> io::Result<Self> {
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        // Without a protocol it hears nothing until it is bound.
        let socket = rustix::net::socket_with(AddressFamily::PACKET, SocketType::RAW, flags, None)?;
        let index = name_to_index(&socket, interface)? as i32;
        let on: libc::c_int = 1;
        set_option(&socket, libc::PACKET_IGNORE_OUTGOING, &on)?;
        set_option(&socket, libc::PACKET_AUXDATA, &on)?;
        let everything = libc::packet_mreq {
            mr_ifindex: index,
            mr_type: libc::PACKET_MR_PROMISC as u16,
            mr_alen: 0,
            mr_address: [0; 8],
        };
        set_option(&socket, libc::PACKET_ADD_MEMBERSHIP, &everything)?;
        // In a user namespace no more than net.core.rmem_max is to be had.
        sockopt::set_socket_recv_buffer_size_force(&socket, BUFFER)
            .or_else(|_| sockopt::set_socket_recv_buffer_size(&socket, BUFFER))?;
        sockopt::set_socket_send_buffer_size(&socket, BUFFER)?;
        bind(&socket, index)?;
        Ok(Self { socket, interface: interface.to_owned(), dropped: AtomicU64::new(0) })
    }

    /// A frame without its VLAN tag, and what the kernel knows about it.
    fn receive_message(
        &self,
        buffer: &mut [u8],
    ) -> io::Result<Option<(usize, libc::tpacket_auxdata)>> {
        let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
        // Aligned as the kernel's headers of control messages are.
        let mut control = [0_u64; 8];
        // SAFETY: plain C structures, for which zero is empty.
        let (mut message, mut about): (libc::msghdr, libc::tpacket_auxdata) =
            unsafe { (zeroed(), zeroed()) };
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = size_of::<[u64; 8]>();
        // SAFETY: the message names `buffer` and `control` with their true sizes; both outlive it.
        let bytes = unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut message, 0) };
        if bytes < 0 {
            return match Errno::from_io_error(&io::Error::last_os_error()) {
                Some(Errno::AGAIN | Errno::NETDOWN) => Ok(None),
                Some(error) => Err(error.into()),
                None => Err(io::ErrorKind::Other.into()),
            };
        }
        // SAFETY: the kernel has filled the control messages within the size it left in `message`,
        // and one of that type holds the structure, which may be unaligned.
        unsafe {
            let first = libc::CMSG_FIRSTHDR(&raw const message);
            if !first.is_null()
                && (*first).cmsg_level == libc::SOL_PACKET
                && (*first).cmsg_type == libc::PACKET_AUXDATA
            {
                about = libc::CMSG_DATA(first).cast::<libc::tpacket_auxdata>().read_unaligned();
            }
        }
        if message.msg_flags & libc::MSG_TRUNC != 0 {
            return Err(self.unfinished());
        }
        Ok(Some((bytes as usize, about)))
    }

    fn unfinished(&self) -> io::Error {
        let name = &self.interface;
        let line = format!(
            "interface {name} hands over frames that are merged or lack a checksum: say \
             `ethtool -K {name} gro off lro off rx off`, and at the other end of a veth pair \
             `ethtool -K INTERFACE tx off tso off gso off`"
        );
        io::Error::new(io::ErrorKind::InvalidData, line)
    }
}

impl Port for PacketSocket {
    /// None waits if the interface is down. `InvalidData` is what never was one frame on a wire:
    /// merged by the interface, or left for hardware to complete.
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        let Some((bytes, about)) = self.receive_message(buffer)? else { return Ok(None) };
        if about.tp_status & UNFINISHED != 0 {
            return Err(self.unfinished());
        }
        if about.tp_status & libc::TP_STATUS_VLAN_VALID == 0 || bytes < ADDRESSES {
            return Ok(Some(bytes));
        }
        // The kernel has taken the tag out of the frame.
        let Some(tagged) = buffer.get_mut(..bytes + TAG) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        tagged.copy_within(ADDRESSES..bytes, ADDRESSES + TAG);
        let is_protocol_told = about.tp_status & libc::TP_STATUS_VLAN_TPID_VALID != 0;
        let protocol = if is_protocol_told { about.tp_vlan_tpid } else { libc::ETH_P_8021Q as u16 };
        tagged[ADDRESSES..ADDRESSES + 2].copy_from_slice(&protocol.to_be_bytes());
        tagged[ADDRESSES + 2..ADDRESSES + TAG].copy_from_slice(&about.tp_vlan_tci.to_be_bytes());
        Ok(Some(bytes + TAG))
    }

    fn send(&self, frame: &[u8]) -> io::Result<()> {
        Ok(rustix::io::write(&self.socket, frame).map(drop)?)
    }
}

impl Device for PacketSocket {
    fn link_header_bytes(&self) -> usize {
        Self::LINK_HEADER
    }

    fn dropped(&self) -> io::Result<u64> {
        let mut since = libc::tpacket_stats { tp_packets: 0, tp_drops: 0 };
        let mut bytes = size_of::<libc::tpacket_stats>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `bytes` bytes to `since`, which has so many.
        let outcome = unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                (&raw mut since).cast(),
                &raw mut bytes,
            )
        };
        check(outcome)?;
        // Asking sets the kernel's counters to zero.
        let more = u64::from(since.tp_drops);
        Ok(self.dropped.fetch_add(more, Ordering::Relaxed) + more)
    }
}

fn set_option<T>(socket: &OwnedFd, option: libc::c_int, value: &T) -> io::Result<()> {
    // SAFETY: the kernel reads the bytes of `value`, a plain C structure, and no more.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            option,
            std::ptr::from_ref(value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    })
}

/// Has the socket hear every protocol on the interface of that index.
fn bind(socket: &OwnedFd, index: i32) -> io::Result<()> {
    // SAFETY: a plain C structure, for which zero is empty.
    let mut address: libc::sockaddr_ll = unsafe { zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
    address.sll_ifindex = index;
    // SAFETY: the address is whole and its size is told.
    check(unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            size_of::<libc::sockaddr_ll>() as libc::socklen_t,
        )
    })
}

fn check(outcome: libc::c_int) -> io::Result<()> {
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl fmt::Debug for PacketSocket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PacketSocket").field("interface", &self.interface).finish_non_exhaustive()
    }
}
