//! Resets in the name of both ends of connections whose worker is gone.

use std::collections::VecDeque;
use std::io;
use std::net::{SocketAddrV4, SocketAddrV6};
use std::os::fd::OwnedFd;
use std::rc::Rc;

use base::{Duration, Ecn, Time};
use middlebox::Exposure;
use proxy::addresses;
use rustix::net::ipproto::RAW;
use rustix::net::{
    AddressFamily, SendFlags, SocketFlags, SocketType, sendto, socket_with, sockopt,
};
use wire::{Addresses, Payload, emit};

/// Raw sockets (raw(7)), through which packets of any source leave as the main table says.
#[derive(Debug)]
pub(super) struct Resets {
    v4: OwnedFd,
    /// `None` where the kernel has no IPv6.
    v6: Option<OwnedFd>,
}

/// The send buffer in bytes: as many resets as there are connections, by the kernel's accounting.
const BUFFER: usize = 64 << 20;

impl Resets {
    /// # Errors
    /// The kernel's: no right to open them.
    pub(super) fn open() -> io::Result<Self> {
        let v6 = match open(AddressFamily::INET6) {
            Err(error) if error.kind() == io::ErrorKind::Unsupported => None,
            socket => Some(socket?),
        };
        Ok(Self { v4: open(AddressFamily::INET)?, v6 })
    }

    /// Resets both ends of a connection; true if every packet was sent.
    pub(super) fn reset(&self, exposure: &Exposure) -> bool {
        let mut packet = Vec::new();
        exposure.endings().fold(true, |all, (way, header)| {
            let Some(addresses) = addresses(way.source.host, way.destination.host) else {
                return false;
            };
            emit(&header, Ecn::NotCapable, &addresses, Payload::Bytes(b""), &mut packet)
                .expect("no payload and no options fit");
            all & self.send(&addresses, &packet).is_ok()
        })
    }

    fn send(&self, addresses: &Addresses, packet: &[u8]) -> io::Result<usize> {
        let sent = match (addresses, &self.v6) {
            (Addresses::V4 { destination, .. }, _) => {
                let to = SocketAddrV4::new(*destination, 0);
                sendto(&self.v4, packet, SendFlags::empty(), &to)
            }
            (Addresses::V6 { destination, .. }, Some(v6)) => {
                let to = SocketAddrV6::new(*destination, 0, 0, 0);
                sendto(v6, packet, SendFlags::empty(), &to)
            }
            (Addresses::V6 { .. }, None) => return Err(io::ErrorKind::Unsupported.into()),
        };
        sent.map_err(Into::into)
    }
}

/// When resets are repeated: a full queue of the radio may drop them, and an end that waits for
/// data sends nothing that would be answered.
const AGAIN: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(9)];

/// Resets that are to be repeated.
#[derive(Debug, Default)]
pub(super) struct Repeats(VecDeque<(Time, Rc<[Exposure]>)>);

impl Repeats {
    /// `exposures` have been reset.
    pub(super) fn add(&mut self, now: Time, exposures: Vec<Exposure>) {
        let exposures: Rc<[Exposure]> = exposures.into();
        self.0.extend(AGAIN.map(|after| (now + after, Rc::clone(&exposures))));
        self.0.make_contiguous().sort_by_key(|&(time, _)| time);
    }

    /// When the next are due.
    pub(super) fn due(&self) -> Option<Time> {
        self.0.front().map(|&(time, _)| time)
    }

    /// The next that are due by `now`.
    pub(super) fn take(&mut self, now: Time) -> Option<Rc<[Exposure]>> {
        self.0.front().filter(|&&(time, _)| time <= now)?;
        self.0.pop_front().map(|(_, exposures)| exposures)
    }
}

/// A socket for packets with their own headers, as protocol `IPPROTO_RAW` has it.
fn open(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::RAW, flags, Some(RAW))?;
    // Refused without the privilege to exceed the usual limit: then fewer are sent at once.
    sockopt::set_socket_send_buffer_size_force(&socket, BUFFER)
        .or_else(|_| sockopt::set_socket_send_buffer_size(&socket, BUFFER))?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use base::Seq;

    use super::*;
    use crate::fixtures::exposure;

    #[test]
    fn resets_are_sent_again_in_the_order_of_their_times() {
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let of = |number: u32| exposure(40_000, [number; 4]);
        let mut repeats = Repeats::default();
        assert_eq!(repeats.due(), None);
        repeats.add(at(0), vec![of(1), of(2)]);
        repeats.add(at(1), vec![of(3)]);
        let mut seen = Vec::new();
        for now in (0..20).map(at) {
            while let Some(exposures) = repeats.take(now) {
                seen.push((now, exposures.iter().map(|it| it.caller_next).collect::<Vec<_>>()));
            }
        }
        let [both, third] = [vec![Seq::new(1), Seq::new(2)], vec![Seq::new(3)]];
        let times = [(1, &both), (2, &third), (3, &both), (4, &third), (9, &both), (10, &third)];
        assert_eq!(seen, times.map(|(time, numbers)| (at(time), numbers.clone())));
        assert_eq!(repeats.due(), None);
    }
}
