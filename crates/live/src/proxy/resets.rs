//! Resets in the name of both ends of connections whose worker is gone.

use std::io;
use std::net::{SocketAddrV4, SocketAddrV6};
use std::os::fd::OwnedFd;

use base::{Ecn, Flags, Seq, TcpHeader};
use middlebox::{Connection, Exposure};
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

/// Bytes that may wait to be sent: as many resets as there are connections, in the kernel's own
/// measure.
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
        exposure.resets().fold(true, |all, (way, seq, ack)| {
            let Some(addresses) = addresses(way.source.host, way.destination.host) else {
                return false;
            };
            emit(
                &header(&way, seq, ack),
                Ecn::NotCapable,
                &addresses,
                Payload::Bytes(b""),
                &mut packet,
            )
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

/// A socket for packets with their own headers, as protocol `IPPROTO_RAW` has it.
fn open(family: AddressFamily) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(family, SocketType::RAW, flags, Some(RAW))?;
    // Refused where only the usual limit may be had: fewer then are sent at once.
    sockopt::set_socket_send_buffer_size_force(&socket, BUFFER)
        .or_else(|_| sockopt::set_socket_send_buffer_size(&socket, BUFFER))?;
    Ok(socket)
}

fn header(connection: &Connection, seq: Seq, ack: Seq) -> TcpHeader {
    TcpHeader {
        source_port: connection.source_port,
        destination_port: connection.destination_port,
        seq,
        ack,
        flags: Flags::RST | Flags::ACK,
        ..TcpHeader::default()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use middlebox::{Address, Leg};

    use super::*;

    fn exposure(ends: [&str; 2], numbers: [u32; 4]) -> Exposure {
        let host = |text: &str| text.parse::<Ipv6Addr>().expect("an address").to_bits();
        let [source, destination] = ends.map(host);
        let numbers = numbers.map(Seq::new);
        Exposure {
            connection: Connection {
                source: Address { leg: Leg::Radio, host: source },
                destination: Address { leg: Leg::Wired, host: destination },
                source_port: 40_000,
                destination_port: 80,
            },
            caller_next: numbers[0],
            callee_acked: numbers[1],
            callee_next: numbers[2],
            caller_acked: numbers[3],
        }
    }

    #[test]
    fn both_ends_get_every_number_that_may_be_next() {
        let exposure = exposure(["::ffff:10.45.0.2", "::ffff:198.51.100.2"], [100, 90, 500, 400]);
        let sent = |(way, seq, ack)| {
            let header = header(&way, seq, ack);
            assert_eq!(header.flags, Flags::RST | Flags::ACK);
            assert_eq!(header.source_port, way.source_port);
            (header.destination_port, header.seq.to_u32(), header.ack.to_u32())
        };
        let sent: Vec<_> = exposure.resets().map(sent).collect();
        assert_eq!(sent, [(80, 100, 400), (80, 90, 400), (40_000, 500, 90), (40_000, 400, 90)]);
    }

    #[test]
    fn a_number_that_is_sure_is_sent_once() {
        let exposure = exposure(["2001:db8:45::2", "2001:db8:100::2"], [7, 7, 9, 9]);
        let sent: Vec<_> = exposure.resets().map(|(_, seq, _)| seq).collect();
        assert_eq!(sent, [Seq::new(7), Seq::new(9)]);
    }
}
