//! A connection through a gateway, packet by packet.

use std::hint::black_box;

use base::{Duration, Ecn, Flags, Options, Seq, TcpHeader, Time, Timestamps, UdpDatagram};
use proxy::Gateway;
use wire::{Addresses, Coalescer, Payload, Split, emit, emit_udp};

/// Payload bytes of each data packet.
pub const SEGMENT: u32 = 1_448;

/// Segments of a frame.
pub const FRAME: u32 = 10;

const HOST: u32 = 500;
const MOBILE: u32 = 100;

/// A window that never holds the flow back.
const ATCP: &str = "atcp.clamp = '100 kB'\natcp.rate = '1 Gbit/s'\natcp.round_trip = '10 ms'\n\
                    atcp.budget = '4 MB'\n";

/// A gateway whose box is of the kind `scheme`.
///
/// # Panics
/// If there is no such kind.
pub fn gateway(scheme: &str) -> Gateway {
    let text = format!(
        "[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n\
         [[profile]]\nname = 'thin'\nmobiles = ['10.45.0.0/16']\n\
         [profile.middlebox]\nkind = '{scheme}'\n{}",
        if scheme == "atcp" { ATCP } else { "" }
    );
    let config = proxy::Config::parse(&text, "bench").expect("a configuration");
    Gateway::new(&config, [1500, 1500], 1)
}

/// The packets of one connection, made beforehand but for what changes.
#[derive(Debug)]
pub struct Flow {
    /// What they go through.
    pub gateway: Gateway,
    /// The time.
    pub now: Time,
    seq: Seq,
    packet: Vec<u8>,
    out: Vec<u8>,
    coalescer: Coalescer,
}

impl Flow {
    /// An established connection through a box of the kind `scheme`.
    pub fn new(scheme: &str) -> Self {
        let mut flow = Self {
            gateway: gateway(scheme),
            now: Time::ZERO,
            seq: Seq::new(HOST + 1),
            packet: Vec::new(),
            out: Vec::new(),
            coalescer: Coalescer::default(),
        };
        flow.send(Way::Up, Flags::SYN, MOBILE, 0, 0);
        flow.send(Way::Down, Flags::SYN | Flags::ACK, HOST, MOBILE + 1, 0);
        flow.send(Way::Up, Flags::ACK, MOBILE + 1, HOST + 1, 0);
        flow
    }

    fn send(&mut self, way: Way, flags: Flags, seq: u32, ack: u32, bytes: u32) -> u32 {
        put(way, flags, [seq, ack], bytes, &mut self.packet);
        self.gateway.handle_packet(self.now, &self.packet);
        let mut count = 0;
        while self.gateway.poll_packet(self.now, &mut self.out) {
            while black_box(self.gateway.poll_exposure()).is_some() {}
            black_box(&self.out);
            count += 1;
        }
        count
    }

    /// The next one of [`Frames`] down, what comes of it joined again as the daemon does, and an
    /// acknowledgement up.
    pub fn frame(&mut self, frame: &mut [u8]) {
        self.now += Duration::from_micros(200);
        self.seq = self.seq + FRAME * SEGMENT;
        self.gateway.handle_frame(self.now, Split::new(frame));
        while self.gateway.poll_packet(self.now, &mut self.packet) {
            self.coalescer.push(&self.packet);
        }
        self.coalescer.finish();
        while black_box(self.coalescer.poll_frame(&mut self.out)).is_some() {}
        self.send(Way::Up, Flags::ACK, MOBILE + 1, self.seq.to_u32(), 0);
    }

    /// Two segments down, and an acknowledgement up; says how many packets came out.
    pub fn pair(&mut self) -> u32 {
        self.now += Duration::from_micros(20);
        let first = self.seq;
        self.seq = first + 2 * SEGMENT;
        let mut count = 0;
        for seq in [first, first + SEGMENT] {
            count += self.send(Way::Down, Flags::ACK, seq.to_u32(), MOBILE + 1, SEGMENT);
        }
        count + self.send(Way::Up, Flags::ACK, MOBILE + 1, self.seq.to_u32(), 0)
    }
}

/// Datagrams to a mobile that wait for their turn in a gateway, and leave at the rate that is said:
/// nobody answers echo requests.
#[derive(Debug)]
pub struct Datagrams {
    gateway: Gateway,
    now: Time,
    flows: u32,
    number: u32,
    packet: Vec<u8>,
    out: Vec<u8>,
}

impl Datagrams {
    /// Of so many flows, through a box that schedules them.
    pub fn new(flows: u32) -> Self {
        let (packet, out) = (Vec::new(), Vec::new());
        Self { gateway: gateway("atcp"), now: Time::ZERO, flows, number: 0, packet, out }
    }

    /// The next one, of the flow whose turn it is, and what leaves: 1 Gbit/s come in.
    ///
    /// # Panics
    /// If it does not fit into an IP packet.
    pub fn next(&mut self) {
        self.now += Duration::from_micros(12);
        let flow = self.number % self.flows;
        self.number += 1;
        let datagram = UdpDatagram {
            source_port: (flow % u32::from(u16::MAX)) as u16 + 1,
            destination_port: 4_000,
            payload: SEGMENT,
            sender: 0,
            number: 0,
        };
        let (source, destination) = ([198, 51, 100, 2].into(), [10, 45, 0, 2].into());
        let addresses = Addresses::V4 { source, destination };
        emit_udp(&datagram, Ecn::NotCapable, &addresses, &mut self.packet).expect("it fits");
        self.gateway.handle_timeout(self.now);
        self.gateway.handle_packet(self.now, &self.packet);
        while self.gateway.poll_packet(self.now, &mut self.out) {
            black_box(&self.out);
        }
    }
}

/// Frames of the connection's data, one after the other, as the kernel holds segments together.
#[derive(Debug, Default)]
pub struct Frames {
    number: u32,
    segment: Vec<u8>,
    frame: Vec<u8>,
    coalescer: Coalescer,
}

impl Frames {
    /// The next one.
    pub fn make(&mut self) -> &mut [u8] {
        for segment in self.number * FRAME..(self.number + 1) * FRAME {
            let seq = Seq::new(HOST + 1) + segment * SEGMENT;
            put(Way::Down, Flags::ACK, [seq.to_u32(), MOBILE + 1], SEGMENT, &mut self.segment);
            self.coalescer.push(&self.segment);
        }
        self.coalescer.finish();
        self.coalescer.poll_frame(&mut self.frame);
        self.number += 1;
        &mut self.frame
    }
}

/// Where a packet goes.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// From the mobile to the host.
    Up,
    /// From the host to the mobile.
    Down,
}

/// Writes a packet of the connection into `packet`; `numbers` are its sequence number and its
/// acknowledgement.
///
/// # Panics
/// If `bytes` of payload do not fit into an IP packet.
pub fn put(way: Way, flags: Flags, numbers: [u32; 2], bytes: u32, packet: &mut Vec<u8>) {
    let [seq, ack] = numbers;
    let (mobile, host) = ([10, 45, 0, 2].into(), [198, 51, 100, 2].into());
    let (addresses, ports) = match way {
        Way::Up => (Addresses::V4 { source: mobile, destination: host }, [4_000, 80]),
        Way::Down => (Addresses::V4 { source: host, destination: mobile }, [80, 4_000]),
    };
    let syn = flags.contains(Flags::SYN);
    let options = Options {
        mss: syn.then_some(1_460),
        window_scale: syn.then_some(7),
        sack_permitted: syn,
        timestamps: Some(Timestamps { value: 1, echo: 1 }),
        ..Options::default()
    };
    let header = TcpHeader {
        source_port: ports[0],
        destination_port: ports[1],
        seq: Seq::new(seq),
        ack: Seq::new(ack),
        flags,
        window: 60_000,
        options,
    };
    let payload = Payload::Zeros(bytes as usize);
    emit(&header, Ecn::NotCapable, &addresses, payload, packet).expect("it fits");
}
