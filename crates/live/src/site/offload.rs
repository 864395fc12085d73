//! What interfaces merge, split and check in the place of the kernel (ethtool(8)).

#![expect(unsafe_code, reason = "no safe library has the requests of ethtool")]

use std::io;
use std::os::fd::AsRawFd;

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
pub(super) fn switch_off(interface: &str) -> io::Result<()> {
    ask(interface, Request::SetTcpSegmentation, 0)?;
    ask(interface, Request::SetSegmentation, 0)?;
    ask(interface, Request::SetReceiveMerging, 0)?;
    ask(interface, Request::SetTransmitChecksums, 0).map(drop)
}

/// What merges the packets that the interface receives, as `ethtool -K` calls it. What cannot be
/// asked is off.
pub(super) fn merging(interface: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    if ask(interface, Request::GetReceiveMerging, 0).is_ok_and(|merges| merges != 0) {
        found.push("gro");
    }
    if ask(interface, Request::GetFlags, 0).is_ok_and(|flags| flags & LARGE_RECEIVE != 0) {
        found.push("lro");
    }
    found
}

fn ask(interface: &str, request: Request, data: u32) -> io::Result<u32> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, flags, None)?;
    let mut value = EthtoolValue { command: request as u32, data };
    // SAFETY: a plain C structure, for which zero is empty.
    let mut about: libc::ifreq = unsafe { std::mem::zeroed() };
    // One byte stays for the zero at the end.
    if interface.len() >= about.ifr_name.len() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (to, from) in about.ifr_name.iter_mut().zip(interface.bytes()) {
        *to = from as libc::c_char;
    }
    about.ifr_ifru.ifru_data = (&raw mut value).cast();
    // SAFETY: the request names an interface and a structure of its kind; both outlive the call.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut about) };
    if outcome == 0 { Ok(value.data) } else { Err(io::Error::last_os_error()) }
}
