//! What the kernel tells of interfaces: their MTU, and what they merge, split and check in its
//! place (netdevice(7), ethtool(8)).

#![expect(unsafe_code, reason = "no safe library has these requests")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::net::{AddressFamily, SocketFlags, SocketType, socket_with};

/// The requests of linux/ethtool.h that get and set one of these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    SetTransmitChecksums = 0x17,
    SetTcpSegmentation = 0x1f,
    SetSegmentation = 0x24,
    GetFlags = 0x25,
    GetReceiveMerging = 0x2b,
    SetReceiveMerging = 0x2c,
}

/// The flag for frames merged by the interface itself.
const LARGE_RECEIVE: u32 = 1 << 15;

/// `struct ethtool_value`.
#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// Has every packet of the interface sent as it shall be on a wire: whole, and with its checksum.
pub fn switch_off(interface: &str) -> io::Result<()> {
    ask(interface, Request::SetTcpSegmentation, 0)?;
    ask(interface, Request::SetSegmentation, 0)?;
    ask(interface, Request::SetReceiveMerging, 0)?;
    ask(interface, Request::SetTransmitChecksums, 0).map(drop)
}

/// What merges the packets that the interface receives, as `ethtool -K` calls it. What cannot be
/// asked is off.
pub fn merging(interface: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    if ask(interface, Request::GetReceiveMerging, 0).is_ok_and(|merges| merges != 0) {
        found.push("gro");
    }
    if ask(interface, Request::GetFlags, 0).is_ok_and(|flags| flags & LARGE_RECEIVE != 0) {
        found.push("lro");
    }
    found
}

/// The largest IP packet of the interface in bytes, in the network namespace of this thread.
pub fn mtu(interface: &str) -> io::Result<u32> {
    let mut about = naming(interface)?;
    let socket = socket()?;
    // SAFETY: the request names an interface in a structure that outlives the call.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFMTU, &raw mut about) };
    if outcome != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: this is the field that the request has filled in.
    Ok(unsafe { about.ifr_ifru.ifru_mtu }.max(0) as u32)
}

/// Whether the interface is up; one that there is not is down.
pub fn is_up(interface: &str) -> bool {
    let (Ok(mut about), Ok(socket)) = (naming(interface), socket()) else { return false };
    // SAFETY: the request names an interface in a structure that outlives the call.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCGIFFLAGS, &raw mut about) };
    // SAFETY: this is the field that the request has filled in.
    outcome == 0 && unsafe { about.ifr_ifru.ifru_flags } & libc::IFF_UP as libc::c_short != 0
}

fn ask(interface: &str, request: Request, data: u32) -> io::Result<u32> {
    let socket = socket()?;
    let mut value = EthtoolValue { command: request as u32, data };
    let mut about = naming(interface)?;
    about.ifr_ifru.ifru_data = (&raw mut value).cast();
    // SAFETY: the request names an interface and a structure of its kind; both outlive the call.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut about) };
    if outcome == 0 { Ok(value.data) } else { Err(io::Error::last_os_error()) }
}

fn socket() -> io::Result<OwnedFd> {
    Ok(socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?)
}

/// A request about an interface.
fn naming(interface: &str) -> io::Result<libc::ifreq> {
    // SAFETY: a plain C structure, for which zero is empty.
    let mut about: libc::ifreq = unsafe { std::mem::zeroed() };
    // One byte stays for the zero at the end.
    if interface.len() >= about.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in about.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    Ok(about)
}
