//! The connections of a capture, as a workload: when each began and what each side sent.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use base::{Duration, Seq};
use etherparse::{LaxNetSlice, LaxSlicedPacket, TcpSlice, TransportSlice};
use pcap_file::pcap::{PcapHeader, PcapReader};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::pcapng::{Block, PcapNgReader};
use pcap_file::{DataLink, PcapError, TsResolution};

/// A TCP connection that a capture saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// When its first packet passed, counted from the first packet of the capture.
    pub start: Duration,
    /// Which host opened it, numbered from 0 in order of appearance.
    pub client: u32,
    /// The other host's port.
    pub port: u16,
    /// Bytes of payload that the one who opened it sent, repetitions counted once.
    pub request: u64,
    /// Bytes of payload that the other sent, likewise.
    pub answer: u64,
}

/// Why a file is no capture of connections.
#[derive(Debug)]
pub enum CaptureError {
    /// It is neither pcap nor pcapng, or broken.
    Format(PcapError),
    /// Its packets begin with something other than an IP or Ethernet header.
    LinkLayer(DataLink),
    /// No TCP connection in it carries anything.
    Empty,
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(_) => f.write_str("not a whole pcap or pcapng file"),
            Self::LinkLayer(layer) => {
                write!(f, "a capture of {layer:?}: must be of Ethernet or of IP packets")
            }
            Self::Empty => f.write_str("no TCP connection that carries data"),
        }
    }
}

impl std::error::Error for CaptureError {}

impl From<PcapError> for CaptureError {
    fn from(error: PcapError) -> Self {
        Self::Format(error)
    }
}

/// The connections of `capture`, a pcap or pcapng file, that carried data, in order of their first
/// packets. If a SYN is missing, the sender of the first packet counts as the opener, unless that
/// came from the lower port. Packets may be cut short.
///
/// # Errors
/// What the file is instead.
pub fn arrivals(capture: &[u8]) -> Result<Vec<Arrival>, CaptureError> {
    let mut connections = Connections::default();
    if capture.starts_with(&PCAPNG) {
        read_pcapng(capture, &mut connections)?;
    } else {
        read_pcap(capture, &mut connections)?;
    }
    let arrivals = connections.arrivals();
    if arrivals.is_empty() { Err(CaptureError::Empty) } else { Ok(arrivals) }
}

/// The type of the block that a pcapng file begins with.
const PCAPNG: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];

fn read_pcap(capture: &[u8], connections: &mut Connections) -> Result<(), CaptureError> {
    let mut reader = PcapReader::new(capture)?;
    let PcapHeader { datalink, ts_resolution, .. } = reader.header();
    let fraction = match ts_resolution {
        TsResolution::MicroSecond => 1000,
        TsResolution::NanoSecond => 1,
    };
    // Raw, since pcap-file rejects packets that are cut short.
    while let Some(packet) = reader.next_raw_packet() {
        let packet = packet?;
        let nanos = u64::from(packet.ts_frac) * fraction;
        let time = Duration::from_secs(packet.ts_sec.into()) + Duration::from_nanos(nanos);
        connections.packet(time, datalink, &packet.data, packet.orig_len)?;
    }
    Ok(())
}

fn read_pcapng(capture: &[u8], connections: &mut Connections) -> Result<(), CaptureError> {
    let mut reader = PcapNgReader::new(capture)?;
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block? else { continue };
        let packet = packet.into_owned();
        let Some(interface) = reader.packet_interface(&packet) else { continue };
        let time = in_units_of(interface, packet.timestamp.as_nanos() as u64);
        connections.packet(time, interface.linktype, &packet.data, packet.original_len)?;
    }
    Ok(())
}

/// A stamp of `interface`: in microseconds unless it says otherwise (pcapng §4.2, `if_tsresol`).
fn in_units_of(interface: &InterfaceDescriptionBlock<'_>, stamp: u64) -> Duration {
    let resolution = interface.options.iter().find_map(|option| match option {
        InterfaceDescriptionOption::IfTsResol(resolution) => Some(*resolution),
        _ => None,
    });
    let resolution = resolution.unwrap_or(6);
    let exponent = u32::from(resolution & 0x7F);
    let unit = if resolution & 0x80 == 0 {
        10_u128.checked_pow(exponent)
    } else {
        1_u128.checked_shl(exponent)
    };
    let nanos = u128::from(stamp) * 1_000_000_000 / unit.unwrap_or(u128::MAX);
    Duration::from_nanos(nanos as u64)
}

/// An address and a port.
type End = (IpAddr, u16);

#[derive(Debug, Default)]
struct Connections {
    /// The time of the first packet.
    began: Option<Duration>,
    /// The hosts that opened connections, numbered in order of appearance.
    clients: BTreeMap<IpAddr, u32>,
    all: Vec<Connection>,
    /// The latest of each pair of ends, the lower end first.
    latest: BTreeMap<[End; 2], usize>,
}

#[derive(Debug)]
struct Connection {
    start: Duration,
    client: End,
    server: End,
    /// The initial sequence number of the one who opened it, where its SYN was seen.
    isn: Option<Seq>,
    /// From the client, from the server.
    streams: [Stream; 2],
}

/// What one side has sent.
#[derive(Clone, Copy, Debug, Default)]
struct Stream {
    /// The number after the highest byte.
    next: Option<Seq>,
    bytes: u64,
}

impl Stream {
    /// Bytes from `seq` on. Those before the first that was seen do not count, nor does a FIN.
    fn take(&mut self, seq: Seq, bytes: u64) {
        let next = *self.next.get_or_insert(seq);
        if bytes == 0 {
            return;
        }
        let end = seq + bytes as u32;
        if let fresh @ 1.. = end.distance(next) {
            self.bytes += fresh as u64;
            self.next = Some(end);
        }
    }
}

impl Connections {
    fn packet(
        &mut self,
        time: Duration,
        layer: DataLink,
        data: &[u8],
        original: u32,
    ) -> Result<(), CaptureError> {
        let began = *self.began.get_or_insert(time);
        let start = time.saturating_sub(began);
        let sliced = match layer {
            DataLink::ETHERNET => LaxSlicedPacket::from_ethernet(data).ok(),
            DataLink::RAW | DataLink::IPV4 | DataLink::IPV6 => LaxSlicedPacket::from_ip(data).ok(),
            other => return Err(CaptureError::LinkLayer(other)),
        };
        let Some(LaxSlicedPacket { net: Some(net), transport: Some(transport), .. }) = sliced
        else {
            return Ok(());
        };
        let TransportSlice::Tcp(tcp) = transport else { return Ok(()) };
        let addresses = match &net {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                [header.source_addr().into(), header.destination_addr().into()]
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                [header.source_addr().into(), header.destination_addr().into()]
            }
            LaxNetSlice::Arp(_) => return Ok(()),
        };
        let is_cut = net.ip_payload_ref().is_some_and(|payload| payload.incomplete);
        let missing = (original as usize).saturating_sub(data.len());
        let bytes = tcp.payload().len() + if is_cut { missing } else { 0 };
        self.segment(start, addresses, &tcp, bytes as u64);
        Ok(())
    }

    fn segment(&mut self, start: Duration, from_to: [IpAddr; 2], tcp: &TcpSlice<'_>, bytes: u64) {
        let from = (from_to[0], tcp.source_port());
        let to = (from_to[1], tcp.destination_port());
        let key = if from < to { [from, to] } else { [to, from] };
        let seq = Seq::new(tcp.sequence_number());
        let opens = tcp.syn() && !tcp.ack();
        let known = self.latest.get(&key).copied().filter(|&index| {
            let isn = self.all[index].isn;
            !opens || isn == Some(seq)
        });
        let index = known.unwrap_or_else(|| {
            let by_peer = !opens && (tcp.syn() || from.1 < to.1);
            let (client, server) = if by_peer { (to, from) } else { (from, to) };
            let isn = opens.then_some(seq);
            self.all.push(Connection {
                start,
                client,
                server,
                isn,
                streams: [Stream::default(); 2],
            });
            self.latest.insert(key, self.all.len() - 1);
            self.all.len() - 1
        });
        let connection = &mut self.all[index];
        let side = usize::from(from == connection.server);
        let first = if tcp.syn() { seq + 1 } else { seq };
        connection.streams[side].take(first, bytes);
    }

    fn arrivals(mut self) -> Vec<Arrival> {
        let all = std::mem::take(&mut self.all);
        let carries = all
            .into_iter()
            .filter(|connection| connection.streams.iter().any(|stream| stream.bytes > 0));
        carries
            .map(|connection| {
                let Connection { start, client, server, streams, .. } = connection;
                let [request, answer] = streams.map(|stream| stream.bytes);
                let (client, port) = (self.number(client.0), server.1);
                Arrival { start, client, port, request, answer }
            })
            .collect()
    }

    /// The number of a host that opened a connection.
    fn number(&mut self, address: IpAddr) -> u32 {
        let next = self.clients.len() as u32;
        *self.clients.entry(address).or_insert(next)
    }
}
