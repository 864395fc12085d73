//! The connections of captures.

use base::{Duration, Ecn, Flags, Seq, TcpHeader, Time};
use wire::{Addresses, Arrival, Capture, Payload, arrivals, emit};

const CLIENT: [u8; 4] = [10, 0, 0, 9];
const SERVER: [u8; 4] = [10, 0, 0, 1];

/// A segment: when, from whom to whom, ports, sequence number, flags and payload.
type Row = (u64, [u8; 4], [u8; 4], [u16; 2], u32, Flags, usize);

fn header(ports: [u16; 2], seq: u32, flags: Flags) -> TcpHeader {
    let [source_port, destination_port] = ports;
    TcpHeader { source_port, destination_port, seq: Seq::new(seq), flags, ..TcpHeader::default() }
}

fn pcapng(rows: &[Row]) -> Vec<u8> {
    let mut capture = Capture::new(Vec::new(), "eth0").expect("a vector takes all");
    for &(ms, source, destination, ports, seq, flags, bytes) in rows {
        let addresses = Addresses::V4 { source: source.into(), destination: destination.into() };
        let (now, header) = (Time::ZERO + Duration::from_millis(ms), header(ports, seq, flags));
        let payload = Payload::Zeros(bytes);
        capture.write(now, &header, Ecn::NotCapable, &addresses, payload).expect("it fits");
    }
    capture.finish().expect("a vector takes all")
}

/// The same as pcap with microseconds, of Ethernet, each packet cut after `most` bytes.
fn pcap(rows: &[Row], most: usize) -> Vec<u8> {
    let mut file = Vec::new();
    file.extend(0xA1B2_C3D4_u32.to_le_bytes());
    file.extend([2, 0, 4, 0].into_iter().chain([0; 8]));
    file.extend((most as u32).to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    for &(ms, source, destination, ports, seq, flags, bytes) in rows {
        let addresses = Addresses::V4 { source: source.into(), destination: destination.into() };
        let mut ip = Vec::new();
        let header = header(ports, seq, flags);
        emit(&header, Ecn::NotCapable, &addresses, Payload::Zeros(bytes), &mut ip).expect("short");
        let mut frame = vec![0; 12];
        frame.extend([8, 0]);
        frame.extend(ip);
        let cut = frame.len().min(most);
        for word in [7, ms as u32 * 1000, cut as u32, frame.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(&frame[..cut]);
    }
    file
}

fn rows() -> Vec<Row> {
    let syn_ack = Flags::SYN | Flags::ACK;
    let (up, down) = ([4000, 80], [80, 4000]);
    let top = u32::MAX - 500;
    vec![
        (100, CLIENT, SERVER, up, 5, Flags::SYN, 0),
        (110, SERVER, CLIENT, down, top, syn_ack, 0),
        (120, CLIENT, SERVER, up, 6, Flags::ACK, 300),
        (130, SERVER, CLIENT, down, top.wrapping_add(1), Flags::ACK, 1000),
        // Sent again, and the one after it; numbers wrap.
        (140, SERVER, CLIENT, down, top.wrapping_add(1), Flags::ACK, 1000),
        (150, SERVER, CLIENT, down, top.wrapping_add(1001), Flags::ACK, 234),
        // One that nobody uses.
        (160, CLIENT, SERVER, [4001, 80], 9, Flags::SYN, 0),
        // The same ports once more.
        (400, CLIENT, SERVER, up, 77, Flags::SYN, 0),
        (410, CLIENT, SERVER, up, 78, Flags::ACK, 10),
        // One that was open before.
        (500, SERVER, [10, 0, 0, 7], [23, 5000], 1, Flags::ACK, 40),
        (510, [10, 0, 0, 7], SERVER, [5000, 23], 1, Flags::ACK, 1),
    ]
}

fn expected() -> Vec<Arrival> {
    let of = |ms, client, port, request, answer| {
        let start = Duration::from_millis(ms);
        Arrival { start, client, port, request, answer }
    };
    vec![of(0, 0, 80, 300, 1234), of(300, 0, 80, 10, 0), of(400, 1, 23, 1, 40)]
}

#[test]
fn starts_and_bytes_of_each_connection() {
    assert_eq!(arrivals(&pcapng(&rows())).expect("a capture"), expected());
    assert_eq!(arrivals(&pcap(&rows(), 65_535)).expect("a capture"), expected());
}

#[test]
fn packets_that_are_cut_count_whole() {
    assert_eq!(arrivals(&pcap(&rows(), 68)).expect("a capture"), expected());
}

#[test]
fn what_is_no_capture() {
    let check = |file: &[u8], expect: &str| {
        assert_eq!(arrivals(file).expect_err(expect).to_string(), expect);
    };
    check(b"", "not a whole pcap or pcapng file");
    check(b"12\n24\n36\n", "not a whole pcap or pcapng file");
    let whole = pcap(&rows(), 65_535);
    check(&whole[..whole.len() - 1], "not a whole pcap or pcapng file");
    check(&pcap(&[], 65_535), "no TCP connection that carries data");
    check(&pcapng(&rows()[..1]), "no TCP connection that carries data");
    let mut wireless = whole;
    wireless[20] = 105;
    let line = "a capture of IEEE802_11: must be of Ethernet or of IP packets";
    check(&wireless, line);
}
