//! One of our endpoints as the peer of a kernel's.

use observe::Context;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use base::{Duration, Seq, Stream, Time};
use bytes::Bytes;
use tcp::{Config, Endpoint, Segment, State};
use wire::{Addresses, ParseError, Payload, emit, parse};

use crate::capture::Captures;
use crate::{Application, ImpairedWire, Impairments, Report};
use os::Machine;

/// The two ends of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ends {
    /// Our endpoint's.
    pub local: SocketAddr,
    /// The kernel's.
    pub remote: SocketAddr,
}

impl Ends {
    /// The addresses of what our endpoint sends; `None` if the two are of different families.
    pub fn outward(&self) -> Option<Addresses> {
        Addresses::between(self.local.ip(), self.remote.ip())
    }
}

/// Who opens the connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Opening {
    /// Our endpoint does.
    #[default]
    Connect,
    /// The kernel does.
    Listen,
}

/// One side of a connection and the wire to the other: a [`Machine`] with one port.
#[derive(Debug)]
pub struct Peer {
    endpoint: Endpoint<Bytes>,
    application: Application,
    ports: [u16; 2],
    outward: Addresses,
    inward_wire: ImpairedWire<Segment<Bytes>>,
    outward_wire: ImpairedWire<Segment<Bytes>>,
    captures: Captures,
    report: Report,
    now: Time,
    /// When the peer is given up, whatever its state.
    limit: Option<Time>,
}

impl Peer {
    /// An endpoint at `ends` that sends `data`. Initial sequence number and mishaps follow from
    /// `seed`.
    ///
    /// # Errors
    /// `InvalidInput` for two ends of different families.
    pub fn new(
        opening: Opening,
        config: &Arc<Config>,
        ends: &Ends,
        application: Application,
        data: Bytes,
        seed: u64,
    ) -> io::Result<Self> {
        let outward = ends.outward().ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "both ends must be IPv4, or both IPv6")
        })?;
        let ports = [ends.local.port(), ends.remote.port()];
        let isn = Seq::new(Stream::named(seed, "initial sequence numbers").next_u32());
        let open = match opening {
            Opening::Connect => Endpoint::connect,
            Opening::Listen => Endpoint::listen,
        };
        let mut endpoint = open(0, config, ports[0], ports[1], isn);
        endpoint.write(data);
        Ok(Self {
            endpoint,
            application,
            ports,
            outward,
            inward_wire: ImpairedWire::new(&Impairments::default(), seed, "inward"),
            outward_wire: ImpairedWire::new(&Impairments::default(), seed, "outward"),
            captures: Captures::default(),
            report: Report::default(),
            now: Time::ZERO,
            limit: None,
        })
    }

    /// Puts it at the end of a wire on which `impairments` befall packets, in either direction.
    #[must_use]
    pub fn impaired(mut self, impairments: &Impairments, seed: u64) -> Self {
        self.inward_wire = ImpairedWire::new(impairments, seed, "inward");
        self.outward_wire = ImpairedWire::new(impairments, seed, "outward");
        self
    }

    /// Captures what passes.
    #[must_use]
    pub fn captured(mut self, captures: Captures) -> Self {
        self.captures = captures;
        self
    }

    /// Gives it up after `span`.
    #[must_use]
    pub fn limited(mut self, span: Option<Duration>) -> Self {
        self.limit = span.map(|span| Time::ZERO + span);
        self
    }

    /// Ends it, and says what came of it.
    ///
    /// # Errors
    /// The captures', or the sink's.
    pub fn finish(mut self) -> io::Result<Report> {
        self.application.finish()?;
        self.captures.finish()?;
        self.report.inward = self.inward_wire.counters();
        self.report.outward = self.outward_wire.counters();
        Ok(self.report)
    }

    /// Lets the endpoint do at `now` whatever it can.
    fn advance(&mut self, now: Time) -> io::Result<()> {
        self.now = now;
        while let Some(segment) = self.inward_wire.poll_output(now) {
            self.captures.at_endpoint(now, &segment, &self.outward.reversed())?;
            self.endpoint.handle_segment(&mut Context { now, observe: &mut self.report }, &segment);
            self.settle(now)?;
        }
        self.endpoint.handle_timeout(&mut Context { now, observe: &mut self.report });
        self.settle(now)
    }

    /// After an input: the application's turn, then what there is to send.
    fn settle(&mut self, now: Time) -> io::Result<()> {
        self.report.note(now, self.endpoint.state());
        self.application.act(now, &mut self.endpoint)?;
        self.report.note(now, self.endpoint.state());
        while let Some(segment) =
            self.endpoint.poll_output(&mut Context { now, observe: &mut self.report })
        {
            self.captures.at_endpoint(now, &segment, &self.outward)?;
            self.outward_wire.handle_input(now, segment);
        }
        Ok(())
    }

    fn is_given_up(&self) -> bool {
        self.limit.is_some_and(|limit| limit <= self.now)
    }
}

impl Machine for Peer {
    fn handle_packet(&mut self, now: Time, _port: usize, packet: &[u8]) -> io::Result<()> {
        match parse(packet) {
            Ok(segment) => {
                let ports = [segment.header.destination_port, segment.header.source_port];
                if segment.addresses == self.outward.reversed() && ports == self.ports {
                    self.captures.at_kernel(now, packet)?;
                    let payload = Bytes::copy_from_slice(segment.payload);
                    let segment = Segment { header: segment.header, payload, ecn: segment.ip.ecn };
                    self.inward_wire.handle_input(now, segment);
                }
            }
            Err(ParseError::NotTcp) => {}
            Err(ParseError::Ip | ParseError::Fragment | ParseError::Tcp | ParseError::Checksum) => {
                self.report.unreadable += 1;
            }
        }
        self.advance(now)
    }

    fn handle_timeout(&mut self, now: Time) -> io::Result<()> {
        self.advance(now)
    }

    fn poll_packet(&mut self, now: Time, packet: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let Some(segment) = self.outward_wire.poll_output(now) else { return Ok(None) };
        emit(&segment.header, segment.ecn, &self.outward, Payload::Bytes(&segment.payload), packet)
            .map_err(io::Error::other)?;
        self.captures.at_kernel(now, packet)?;
        Ok(Some(0))
    }

    fn poll_timeout(&self) -> Option<Time> {
        let deadlines = [
            self.endpoint.poll_timeout(),
            self.inward_wire.poll_timeout(),
            self.outward_wire.poll_timeout(),
            self.application.poll_timeout(self.now),
            self.limit,
        ];
        deadlines.into_iter().flatten().min()
    }

    fn is_over(&self) -> bool {
        let is_closed = self.endpoint.state() == State::Closed;
        is_closed && self.outward_wire.poll_timeout().is_none() || self.is_given_up()
    }
}
