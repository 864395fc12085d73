//! Frames of many segments through a gateway, beside the same segments one by one.

use std::collections::BTreeMap;
use std::net::IpAddr;

use base::{Flags, Time};
use proptest::prelude::*;
use proptest::sample::select;
use proxy::Gateway;
use wire::{Coalescer, Split, parse};

use crate::support::{HOST, HOST6, MOBILE, MOBILE6, config, drain, header, segment};

const SCHEMES: [&str; 5] = ["atcp", "split", "i-tcp", "snoop", "w-tcp"];
const FULL: usize = 1_460;

/// The first numbers of the host and of the mobile.
const HOSTS: u32 = 50_000;
const MOBILES: u32 = 100;

/// A connection through a gateway that is handed frames, or packets.
struct Connection {
    gateway: Gateway,
    ends: [IpAddr; 2],
    hands: fn(&mut Gateway, &[Vec<u8>]),
    /// What came to the mobile, by its numbers, and how far the host's data are acknowledged.
    data: BTreeMap<u32, Vec<u8>>,
    acked: u32,
    largest: usize,
}

/// Segments that the host sends in a row: how far from the next number, how many, how long.
type Row = (i32, usize, usize, Flags);

fn by_packets(gateway: &mut Gateway, packets: &[Vec<u8>]) {
    for packet in packets {
        gateway.handle_packet(Time::ZERO, packet);
    }
}

/// As few frames as the kernel would make of them.
fn by_frames(gateway: &mut Gateway, packets: &[Vec<u8>]) {
    let mut coalescer = Coalescer::default();
    for packet in packets {
        coalescer.push(packet);
    }
    coalescer.finish();
    let mut frame = Vec::new();
    while let Some(count) = coalescer.poll_frame(&mut frame) {
        assert_eq!(gateway.handle_frame(Time::ZERO, Split::new(&mut frame)), count);
    }
}

impl Connection {
    fn open(scheme: &str, ends: [IpAddr; 2], hands: fn(&mut Gateway, &[Vec<u8>])) -> Self {
        let gateway = Gateway::new(&config(scheme), [1_500, 1_500], 1);
        let (data, acked, largest) = (BTreeMap::new(), 0, 0);
        let mut opened = Self { gateway, ends, hands, data, acked, largest };
        opened.hand(&[opened.up(Flags::SYN, MOBILES, 0)]);
        opened.hand(&[opened.down(Flags::SYN | Flags::ACK, HOSTS, MOBILES + 1, &[])]);
        opened.hand(&[opened.up(Flags::ACK, MOBILES + 1, HOSTS + 1)]);
        opened
    }

    fn up(&self, flags: Flags, seq: u32, ack: u32) -> Vec<u8> {
        let [mobile, host] = self.ends;
        segment([mobile, host], &header([4_000, 80], flags, seq, ack), &[])
    }

    fn down(&self, flags: Flags, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
        let [mobile, host] = self.ends;
        segment([host, mobile], &header([80, 4_000], flags, seq, ack), payload)
    }

    /// Packets come in, and what comes out is noted.
    fn hand(&mut self, packets: &[Vec<u8>]) {
        (self.hands)(&mut self.gateway, packets);
        for packet in drain(&mut self.gateway, Time::ZERO) {
            let seen = parse(&packet).expect("a segment");
            if seen.header.destination_port == 80 {
                self.acked = seen.header.ack.to_u32();
            } else if seen.header.seq.to_u32() > HOSTS {
                self.largest = self.largest.max(seen.payload.len());
                self.data.insert(seen.header.seq.to_u32(), seen.payload.to_vec());
            }
        }
    }

    /// The host sends a row, and the mobile acknowledges what has come.
    fn send(&mut self, from: u32, &(gap, count, size, last): &Row) {
        let first = from.max(HOSTS + 1).wrapping_add_signed(gap);
        let packets: Vec<_> = (0..count)
            .map(|at| {
                let seq = first + (at * size) as u32;
                let bytes: Vec<_> = (seq..).take(size).map(|number| (number / 7) as u8).collect();
                let flags = if at + 1 == count { Flags::ACK | last } else { Flags::ACK };
                self.down(flags, seq, MOBILES + 1, &bytes)
            })
            .collect();
        self.hand(&packets);
        // Until nothing more comes of it: windows hold data back.
        for _ in 0..40 {
            let ack = self.up(Flags::ACK, MOBILES + 1, HOSTS + 1 + self.read().len() as u32);
            self.hand(&[ack]);
        }
    }

    /// What the mobile has read.
    fn read(&self) -> Vec<u8> {
        let mut read = Vec::new();
        for (&seq, bytes) in &self.data {
            let new = read.len().checked_sub((seq - HOSTS - 1) as usize);
            read.extend_from_slice(new.and_then(|new| bytes.get(new..)).unwrap_or_default());
        }
        read
    }
}

fn any_row() -> impl Strategy<Value = Row> {
    let gap = prop_oneof![8 => Just(0), 1 => -5_000..5_000_i32];
    let size = select(vec![1, 100, 536, 731, 1_300, FULL]);
    (gap, 1..44_usize, size, select(vec![Flags::NONE, Flags::PSH, Flags::FIN]))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_frame_does_what_its_packets_do(
        rows in proptest::collection::vec(any_row(), 1..8),
        scheme in select(&SCHEMES[..]),
        ends in select(vec![[MOBILE, HOST], [MOBILE6, HOST6]]),
    ) {
        let [mut one, mut other] =
            [by_packets, by_frames].map(|hands| Connection::open(scheme, ends, hands));
        for row in &rows {
            // What a sender may send depends on windows, which are told less often to a frame.
            let (gap, count, size, last) = *row;
            let row = (gap, count.min(8_000 / size), size, last);
            let from = one.acked;
            one.send(from, &row);
            other.send(from, &row);
            prop_assert_eq!(one.read(), other.read());
            // A delayed acknowledgement may leave earlier: how long segments are is learnt from
            // those that come alone.
            prop_assert!(one.acked <= other.acked);
        }
        prop_assert!(other.largest <= FULL, "{} B on the wire", other.largest);
        let [one, other] = [one, other].map(|it| it.gateway.snapshot(Time::ZERO));
        prop_assert_eq!(one.received, other.received);
        prop_assert_eq!(one.profiles[0].wired.received, other.profiles[0].wired.received);
        prop_assert_eq!(one.bypassed, other.bypassed);
    }
}

/// The length of a frame is not that of a segment: two segments behind it are acknowledged at once.
#[test]
fn every_second_segment_is_acknowledged_behind_a_frame() {
    for scheme in ["atcp", "split", "i-tcp"] {
        let mut connection = Connection::open(scheme, [MOBILE, HOST], by_frames);
        connection.send(0, &(0, 4, 800, Flags::NONE));
        let before = connection.acked;
        assert_eq!(before, HOSTS + 1 + 4 * 800, "{scheme}");
        let next = |at: u32| connection.down(Flags::ACK, before + at * 800, MOBILES + 1, &[1; 800]);
        let packets = [next(0), next(1)];
        (connection.hands)(&mut connection.gateway, &packets[..1]);
        connection.hand(&packets[1..]);
        assert_eq!(connection.acked, before + 1_600, "{scheme}");
    }
}
