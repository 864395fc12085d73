//! What the kernel tells of interfaces: their MTU, and what they merge, split and check in its
//! place (netdevice(7), ethtool(8)).

#![expect(unsafe_code, reason = "no safe library has these requests")]

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
    let about = send(libc::SIOCGIFMTU, naming(interface)?)?;
    // SAFETY: this is the field that the request has filled in.
    Ok(unsafe { about.ifr_ifru.ifru_mtu }.max(0) as u32)
}

/// Whether the interface is up; one that there is not is down.
pub fn is_up(interface: &str) -> bool {
    let about = naming(interface).and_then(|about| send(libc::SIOCGIFFLAGS, about));
    // SAFETY: this is the field that the request has filled in.
    let flags = about.map_or(0, |about| unsafe { about.ifr_ifru.ifru_flags });
    flags & libc::IFF_UP as libc::c_short != 0
}

fn ask(interface: &str, request: Request, data: u32) -> io::Result<u32> {
    let mut value = EthtoolValue { command: request as u32, data };
    let mut about = naming(interface)?;
    about.ifr_ifru.ifru_data = (&raw mut value).cast();
    send(libc::SIOCETHTOOL, about)?;
    Ok(value.data)
}

/// Makes a request, and returns it with what the kernel has filled in.
fn send(request: libc::Ioctl, mut about: libc::ifreq) -> io::Result<libc::ifreq> {
    let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
    // SAFETY: each request above names an interface, and that of ethtool a structure of its kind,
    // all of which outlive the call.
    let outcome = unsafe { libc::ioctl(socket.as_raw_fd(), request, &raw mut about) };
    if outcome == 0 { Ok(about) } else { Err(io::Error::last_os_error()) }
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
