//! One end of a connection.

use observe::Context;
use std::net::IpAddr;
use std::sync::Arc;

use base::{Duration, Ecn, Seq, Time};
use bytes::Bytes;
use tcp::{Config, Endpoint, RttSampling, Segment, State, Variant};
use wire::{IpFields, Payload, emit, parse};

use super::packets::addresses;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PeerId(pub usize);

/// An endpoint and what its application does: it writes at once, reads at once, and closes when it
/// is told to, or once its peer has.
#[derive(Debug)]
pub struct Peer {
    pub endpoint: Endpoint<Bytes>,
    pub local: (IpAddr, u16),
    pub remote: (IpAddr, u16),
    pub ip: IpFields,
    pub read: Vec<u8>,
    pub closes: bool,
    /// The IP fields of what came last.
    pub heard: Option<IpFields>,
}

/// An endpoint as one finds it today: CUBIC, SACK, timestamps, window scale, an initial window of
/// ten.
pub fn modern() -> Config {
    Config {
        variant: Variant::Cubic,
        mss: 1_460,
        window: 300,
        initial_window: 10,
        receive_buffer: Some(400_000),
        rtt_sampling: RttSampling::EverySegment,
        sack: None,
        timestamps: true,
        delayed_ack: Some(Duration::from_millis(40)),
        limited_transmit: true,
        ..Config::plain()
    }
}

impl Peer {
    pub fn new(endpoint: Endpoint<Bytes>, local: (IpAddr, u16), remote: (IpAddr, u16)) -> Self {
        Self {
            endpoint,
            local,
            remote,
            ip: Ecn::NotCapable.into(),
            read: Vec::new(),
            closes: false,
            heard: None,
        }
    }

    pub fn pair(
        configs: [&Config; 2],
        client: (IpAddr, u16),
        server: (IpAddr, u16),
        number: u32,
    ) -> [Self; 2] {
        let [one, other] = configs.map(|config| Arc::new(config.clone()));
        // Not far from the wrap.
        let isn = |more: u32| Seq::new((u32::MAX - 5_000).wrapping_add(77 * number + more));
        let client_end = Endpoint::connect(2 * number, &one, client.1, server.1, isn(0));
        let server_end = Endpoint::listen(2 * number + 1, &other, server.1, client.1, isn(900_000));
        [Self::new(client_end, client, server), Self::new(server_end, server, client)]
    }

    pub fn is_for(&self, packet: &[u8]) -> bool {
        parse(packet).is_ok_and(|segment| {
            segment.addresses == addresses(self.remote.0, self.local.0)
                && segment.header.source_port == self.remote.1
                && segment.header.destination_port == self.local.1
        })
    }

    pub fn handle_packet(&mut self, now: Time, packet: &[u8]) {
        let segment = parse(packet).expect("a segment");
        self.heard = Some(segment.ip);
        let payload = Bytes::copy_from_slice(segment.payload);
        let (header, ecn) = (segment.header, segment.ip.ecn);
        self.endpoint.handle_segment(
            &mut Context { now, observe: &mut () },
            &Segment { header, payload, ecn },
        );
    }

    /// Reads all, closes if it is time, and says what it sends.
    pub fn act(&mut self, now: Time) -> Vec<Vec<u8>> {
        while let Some(piece) = self.endpoint.read() {
            self.read.extend_from_slice(&piece);
        }
        if self.closes && self.endpoint.state() != State::Listen {
            self.closes = false;
            self.endpoint.close();
        }
        let mut packets = Vec::new();
        while let Some(segment) = self.endpoint.poll_output(&mut Context { now, observe: &mut () })
        {
            let mut packet = Vec::new();
            let ip = IpFields { ecn: segment.ecn, ..self.ip };
            let ends = addresses(self.local.0, self.remote.0);
            let payload = Payload::Bytes(&segment.payload);
            emit(&segment.header, ip, &ends, payload, &mut packet).expect("it fits");
            packets.push(packet);
        }
        packets
    }
}
