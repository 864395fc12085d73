//! Captures in pcapng, as Wireshark and tcptrace read them.

use std::borrow::Cow;
use std::io::{self, Write};

use base::{Duration, TcpHeader, Time, UdpDatagram};
use pcap_file::pcapng::PcapNgWriter;
use pcap_file::pcapng::blocks::enhanced_packet::{EnhancedPacketBlock, EnhancedPacketOption};
use pcap_file::pcapng::blocks::interface_description::{
    InterfaceDescriptionBlock, InterfaceDescriptionOption,
};
use pcap_file::{DataLink, Endianness, PcapError};

use crate::{Addresses, IpFields, Payload, TooLong, emit, emit_udp};

/// What captured packets begin with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkLayer {
    /// Their IP headers.
    Ip,
    /// Ethernet headers.
    Ethernet,
}

/// How a packet passed a node that has several interfaces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Passage {
    /// The interface, by its number in the order in which they were named.
    pub interface: u32,
    /// In or out.
    pub sense: Sense,
}

/// Which way a packet passed an interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sense {
    /// It came.
    In,
    /// It went.
    Out,
}

impl Sense {
    /// As in the flags of a block (draft-ietf-opsawg-pcapng §4.3.1).
    const fn bits(self) -> u32 {
        match self {
            Self::In => 1,
            Self::Out => 2,
        }
    }
}

/// A capture at one interface or several, written packet by packet. Stamps are in nanoseconds.
pub struct Capture<W: Write> {
    pcapng: PcapNgWriter<W>,
    packet: Vec<u8>,
    /// Comment on each packet from now on; none if empty.
    comment: String,
    bounds: Bounds,
}

/// Bounds of a capture: its time zero, and how much of a packet it keeps.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Time zero, counted from 1970.
    started: Duration,
    /// The snap length: the bytes of a packet that are kept at most.
    snap: Option<u32>,
}

impl<W: Write> Capture<W> {
    /// Begins a capture of IP packets in a simulation, which starts at second 1 of 1970, since
    /// tcptrace treats a time stamp of zero as none. The writer gets many small pieces, so it
    /// should be a buffered one.
    ///
    /// # Errors
    /// The writer's.
    pub fn new(writer: W, interface: &str) -> io::Result<Self> {
        Self::at(writer, interface, LinkLayer::Ip, Duration::from_secs(1), None)
    }

    /// As [`Self::new`], at several `interfaces` of a node. Of each packet it keeps the first
    /// `snap` bytes, or all.
    ///
    /// # Errors
    /// The writer's.
    pub fn at_all(writer: W, interfaces: &[String], snap: Option<u32>) -> io::Result<Self> {
        let bounds = Bounds { started: Duration::from_secs(1), snap };
        Self::begin(writer, interfaces, LinkLayer::Ip, bounds)
    }

    /// Begins a capture at an `interface` of `layer`, whose time zero was at `started`, counted
    /// from 1970. Of each packet it keeps the first `snap` bytes, or all.
    ///
    /// # Errors
    /// The writer's.
    pub fn at(
        writer: W,
        interface: &str,
        layer: LinkLayer,
        started: Duration,
        snap: Option<u32>,
    ) -> io::Result<Self> {
        Self::begin(writer, &[interface.to_owned()], layer, Bounds { started, snap })
    }

    fn begin(
        writer: W,
        interfaces: &[String],
        layer: LinkLayer,
        bounds: Bounds,
    ) -> io::Result<Self> {
        let mut pcapng =
            PcapNgWriter::with_endianness(writer, Endianness::Little).map_err(to_io)?;
        let nanoseconds = 9;
        for name in interfaces {
            let description = InterfaceDescriptionBlock {
                linktype: match layer {
                    LinkLayer::Ip => DataLink::RAW,
                    LinkLayer::Ethernet => DataLink::ETHERNET,
                },
                snaplen: bounds.snap.unwrap_or(0), // zero is no limit
                options: vec![
                    InterfaceDescriptionOption::IfName(Cow::Borrowed(name)),
                    InterfaceDescriptionOption::IfTsResol(nanoseconds),
                ],
            };
            pcapng.write_pcapng_block(description).map_err(to_io)?;
        }
        Ok(Self { pcapng, packet: Vec::new(), comment: String::new(), bounds })
    }

    /// Says `comment` of each packet that comes from now on, or nothing if it is empty.
    pub fn comment(&mut self, comment: &str) {
        self.comment.clear();
        self.comment.push_str(comment);
    }

    /// Adds a packet that passed at `now`.
    ///
    /// # Errors
    /// The writer's, or `InvalidInput` for a packet that IP cannot carry.
    pub fn write(
        &mut self,
        now: Time,
        header: &TcpHeader,
        ip: impl Into<IpFields>,
        addresses: &Addresses,
        payload: Payload<'_>,
    ) -> io::Result<()> {
        emit(header, ip, addresses, payload, &mut self.packet).map_err(invalid)?;
        put(&mut self.pcapng, (self.bounds, now), (None, &self.comment), &self.packet)
    }

    /// Adds a packet with a UDP `datagram` that passed at `now`.
    ///
    /// # Errors
    /// The writer's, or `InvalidInput` for a packet that IP cannot carry.
    pub fn write_udp(
        &mut self,
        now: Time,
        datagram: &UdpDatagram,
        ip: impl Into<IpFields>,
        addresses: &Addresses,
    ) -> io::Result<()> {
        emit_udp(datagram, ip, addresses, &mut self.packet).map_err(invalid)?;
        put(&mut self.pcapng, (self.bounds, now), (None, &self.comment), &self.packet)
    }

    /// Adds a packet that passed at `now`, as it was, with the header of its link layer.
    ///
    /// # Errors
    /// The writer's.
    pub fn write_packet(&mut self, now: Time, packet: &[u8]) -> io::Result<()> {
        put(&mut self.pcapng, (self.bounds, now), (None, &self.comment), packet)
    }

    /// Adds a packet that passed one of several interfaces at `now`.
    ///
    /// # Errors
    /// The writer's.
    pub fn write_passing(&mut self, now: Time, how: Passage, packet: &[u8]) -> io::Result<()> {
        put(&mut self.pcapng, (self.bounds, now), (Some(how), &self.comment), packet)
    }

    /// Lets readers see what is written so far.
    ///
    /// # Errors
    /// The writer's.
    pub fn flush(&mut self) -> io::Result<()> {
        self.pcapng.get_mut().flush()
    }

    /// Ends the capture and gives the writer back, flushed.
    ///
    /// # Errors
    /// The writer's.
    pub fn finish(self) -> io::Result<W> {
        let mut writer = self.pcapng.into_inner();
        writer.flush()?;
        Ok(writer)
    }
}

fn put<W: Write>(
    pcapng: &mut PcapNgWriter<W>,
    (bounds, now): (Bounds, Time),
    (how, comment): (Option<Passage>, &str),
    packet: &[u8],
) -> io::Result<()> {
    let kept = bounds.snap.map_or(packet.len(), |snap| packet.len().min(snap as usize));
    let comment =
        (!comment.is_empty()).then_some(EnhancedPacketOption::Comment(Cow::Borrowed(comment)));
    let flags = how.map(|how| EnhancedPacketOption::Flags(how.sense.bits()));
    let block = EnhancedPacketBlock {
        interface_id: how.map_or(0, |how| how.interface),
        timestamp: stamp(bounds.started, now),
        original_len: packet.len() as u32,
        data: Cow::Borrowed(&packet[..kept]),
        options: comment.into_iter().chain(flags).collect(),
    };
    pcapng.write_pcapng_block(block).map(drop).map_err(to_io)
}

#[expect(clippy::disallowed_types, reason = "pcap-file's stamps are std's; no clock is read")]
fn stamp(started: Duration, now: Time) -> std::time::Duration {
    std::time::Duration::from_nanos((now + started).as_nanos())
}

fn invalid(error: TooLong) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn to_io(error: PcapError) -> io::Error {
    match error {
        PcapError::IoError(error) => error,
        other => io::Error::other(other),
    }
}
