//! Packets in, packets out: a box between a host and a mobile, told line by line.
//!
//! Numbers are offsets: of the host's data from its first byte, of the mobile's likewise.

use base::{Duration, Flags, SackBlocks, Seq, TcpHeader, Time, Timestamps};
use middlebox::{IpFields, Middlebox, Packet, RadioReport};
use observe::{BoxContext, MiddleboxFact};
use tcp::{Length, Segment};

use crate::support::{FIRST_MOBILE, fixed};

/// Four bytes before the numbers wrap.
pub(crate) const HOST_FIRST: Seq = Seq::new(u32::MAX - 3);
pub(crate) const MOBILE_FIRST: Seq = Seq::new(500);

/// What both sides' SYNs offer.
#[derive(Clone, Copy)]
pub(crate) struct Offered {
    pub(crate) shift: Option<u8>,
    pub(crate) timestamps: bool,
    pub(crate) window: u16,
}

impl Offered {
    pub(crate) const PLAIN: Self = Self { shift: None, timestamps: false, window: 50_000 };
}

#[derive(Debug)]
pub(crate) struct Script<B> {
    pub(crate) now: Time,
    pub(crate) middlebox: B,
    pub(crate) facts: Vec<MiddleboxFact>,
}

impl<B: Middlebox<Length>> Script<B> {
    /// The mobile has called the host, and the host answered after 40 ms: it is 1 s past the start.
    pub(crate) fn new(middlebox: B, offered: Offered) -> Self {
        let now = Time::ZERO + Duration::from_millis(960);
        let mut script = Self { now, middlebox, facts: Vec::new() };
        for (packet, answer) in [(from_mobile(), Flags::NONE), (from_host(), Flags::ACK)] {
            let mut packet = packet;
            let header = &mut packet.segment.header;
            header.seq = header.seq - 1;
            header.flags = Flags::SYN | answer;
            header.window = offered.window;
            header.options.mss = Some(1_000);
            header.options.window_scale = offered.shift;
            let millis = (script.now - Time::ZERO).whole(Duration::from_millis(1)) as u32;
            if offered.timestamps {
                header.options.timestamps = Some(Timestamps { value: millis, echo: 0 });
            }
            let out = script.packet(packet);
            assert_eq!(out.len(), 1);
            script.now += Duration::from_millis(if answer == Flags::NONE { 40 } else { 0 });
        }
        script
    }

    /// A packet in; those that come out, told.
    pub(crate) fn packet(&mut self, packet: Packet<Length>) -> Vec<String> {
        self.call(|middlebox, cx| middlebox.handle_packet(cx, packet));
        self.out()
    }

    /// The host sends `length` bytes from `from` on.
    pub(crate) fn data(&mut self, from: u32, length: u64) -> Vec<String> {
        self.packet(data(from, length))
    }

    /// The mobile acknowledges up to `to`, with a window of 50000.
    pub(crate) fn ack(&mut self, to: u32) -> Vec<String> {
        self.packet(ack(to, 50_000))
    }

    /// Time passes; what comes out meanwhile, each with the milliseconds from now.
    pub(crate) fn wait(&mut self, millis: u64) -> Vec<String> {
        let (start, end) = (self.now, self.now + Duration::from_millis(millis));
        let mut lines = Vec::new();
        while let Some(due) = self.middlebox.poll_timeout().filter(|&due| due <= end) {
            assert!(due >= self.now, "{due:?} lies before {:?}", self.now);
            self.now = due;
            self.call(|middlebox, cx| middlebox.handle_timeout(cx));
            let after = (due - start).whole(Duration::from_millis(1));
            lines.extend(self.out().into_iter().map(|line| format!("{after}: {line}")));
        }
        self.now = end;
        lines
    }

    pub(crate) fn report(&mut self, report: RadioReport) -> Vec<String> {
        self.call(|middlebox, cx| middlebox.handle_report(cx, FIRST_MOBILE, report));
        self.out()
    }

    fn out(&mut self) -> Vec<String> {
        self.call(|middlebox, cx| {
            std::iter::from_fn(|| middlebox.poll_output(cx)).map(|packet| tell(&packet)).collect()
        })
    }

    /// Calls the box, and notes the facts that it reports.
    fn call<R>(&mut self, act: impl FnOnce(&mut B, &mut BoxContext<'_>) -> R) -> R {
        let Self { middlebox, now, facts, .. } = self;
        act(middlebox, &mut BoxContext { now: *now, observe: &mut |fact| facts.push(fact) })
    }
}

fn from_host() -> Packet<Length> {
    let header = TcpHeader {
        source_port: 80,
        destination_port: 5_000,
        seq: HOST_FIRST,
        ack: MOBILE_FIRST,
        flags: Flags::ACK,
        window: 50_000,
        ..TcpHeader::default()
    };
    let segment = Segment { header, ..Segment::default() };
    Packet { source: fixed(0), destination: FIRST_MOBILE, ip: IpFields::default(), segment }
}

fn from_mobile() -> Packet<Length> {
    let header = TcpHeader {
        source_port: 5_000,
        destination_port: 80,
        seq: MOBILE_FIRST,
        ack: HOST_FIRST,
        flags: Flags::ACK,
        window: 50_000,
        ..TcpHeader::default()
    };
    let segment = Segment { header, ..Segment::default() };
    Packet { source: FIRST_MOBILE, destination: fixed(0), ip: IpFields::default(), segment }
}

pub(crate) fn data(from: u32, length: u64) -> Packet<Length> {
    let mut packet = from_host();
    packet.segment.header.seq = HOST_FIRST + from;
    packet.segment.payload = Length(length);
    packet
}

pub(crate) fn fin(from: u32, length: u64) -> Packet<Length> {
    let mut packet = data(from, length);
    packet.segment.header.flags = Flags::ACK | Flags::FIN;
    packet
}

pub(crate) fn ack(to: u32, window: u16) -> Packet<Length> {
    let mut packet = from_mobile();
    packet.segment.header.ack = HOST_FIRST + to;
    packet.segment.header.window = window;
    packet
}

pub(crate) fn stamped(mut packet: Packet<Length>, value: u32, echo: u32) -> Packet<Length> {
    packet.segment.header.options.timestamps = Some(Timestamps { value, echo });
    packet
}

pub(crate) fn with_block(mut packet: Packet<Length>, left: u32, right: u32) -> Packet<Length> {
    let mut sack = SackBlocks::NONE;
    sack.push(HOST_FIRST + left, HOST_FIRST + right);
    packet.segment.header.options.sack = sack;
    packet
}

/// `data 1000+500`, `fin 1500+0`, `ack 1000 win 50000`, `reset`.
fn tell(packet: &Packet<Length>) -> String {
    let header = &packet.segment.header;
    let length = packet.segment.payload.0;
    if header.flags.contains(Flags::RST) {
        return "reset".to_owned();
    }
    if packet.source == fixed(0) {
        let kind = if header.flags.contains(Flags::FIN) { "fin" } else { "data" };
        return format!("{kind} {}+{length}", header.seq - HOST_FIRST);
    }
    let ack = header.ack - HOST_FIRST;
    let echo = header.options.timestamps.map(|stamps| format!(" echo {}", stamps.echo));
    format!("ack {ack} win {}{}", header.window, echo.unwrap_or_default())
}
