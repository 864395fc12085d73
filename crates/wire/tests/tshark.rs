//! What Wireshark says of a capture.

use std::net::Ipv4Addr;

use base::{
    Duration, Ecn, EcnBytes, EcnOrder, Flags, Options, SackBlocks, Seq, TcpHeader, Time, Timestamps,
};
use wire::{Addresses, Capture, LinkLayer, Payload};

use crate::support::tshark;

const TO_MOBILE: Addresses =
    Addresses::V4 { source: Ipv4Addr::new(10, 0, 0, 1), destination: Ipv4Addr::new(10, 0, 0, 2) };
const TO_HOST: Addresses = TO_MOBILE.reversed();

/// A handshake, two segments of data with their acknowledgements, and both FINs.
fn capture() -> Vec<u8> {
    let mut capture = Capture::new(Vec::new(), "host").expect("memory");
    let ack = Flags::ACK;
    let (isn, peer) = (u32::MAX - 600, 9_000);
    let mut at = Time::ZERO;
    let mut send = |addresses: Addresses, flags, seq: u32, acked: u32, payload: usize| {
        let [source_port, destination_port] =
            if addresses == TO_MOBILE { [1024, 80] } else { [80, 1024] };
        let is_syn = flags == Flags::SYN || flags == Flags::SYN | ack;
        let options = Options { mss: Some(512), window_scale: Some(1), ..Options::default() };
        let header = TcpHeader {
            source_port,
            destination_port,
            seq: Seq::new(seq),
            ack: Seq::new(acked),
            flags,
            window: 0x4000,
            options: if is_syn { options } else { Options::default() },
        };
        capture
            .write(at, &header, Ecn::NotCapable, &addresses, Payload::Zeros(payload))
            .expect("memory");
        at += Duration::from_nanos(10_000_001);
    };
    let data = isn + 1;
    send(TO_MOBILE, Flags::SYN, isn, 0, 0);
    send(TO_HOST, Flags::SYN | ack, peer, data, 0);
    send(TO_MOBILE, ack, data, peer + 1, 0);
    send(TO_MOBILE, ack, data, peer + 1, 512);
    send(TO_MOBILE, ack | Flags::PSH, data + 512, peer + 1, 80);
    let end = data.wrapping_add(592);
    send(TO_HOST, ack, peer + 1, end, 0);
    send(TO_MOBILE, ack | Flags::FIN, end, peer + 1, 0);
    send(TO_HOST, ack | Flags::FIN, peer + 1, end.wrapping_add(1), 0);
    send(TO_MOBILE, ack, end.wrapping_add(1), peer + 2, 0);
    capture.finish().expect("memory")
}

#[test]
fn a_capture_is_the_same_bytes_each_time() {
    assert_eq!(capture(), capture());
}

#[test]
fn wireshark_finds_nothing_wrong() {
    let Some(rows) = tshark(&capture(), &CHECKS) else { return };
    let good = "1";
    assert_eq!(rows.len(), 9);
    for (index, row) in rows.iter().enumerate() {
        let [number, time, interface, ip, tcp, length, expert] = row.as_slice() else {
            panic!("{row:?}");
        };
        assert_eq!(*number, (index + 1).to_string());
        assert_eq!(*time, format!("0.{:09}", index * 10_000_001));
        assert_eq!(interface, "host");
        assert_eq!((ip.as_str(), tcp.as_str()), (good, good), "checksums of {row:?}");
        let payload = match index {
            3 => "512",
            4 => "80",
            _ => "0",
        };
        assert_eq!(length, payload);
        let severe = expert.split(',').filter_map(|severity| severity.parse().ok());
        assert!(severe.max().unwrap_or(0) < WARNING, "{row:?}");
    }
}

/// A SYN with every option, and an acknowledgement of two blocks on a packet that was marked.
#[test]
fn wireshark_reads_the_options() {
    let mut capture = Capture::new(Vec::new(), "host").expect("memory");
    let timestamps = Some(Timestamps { value: 0x0102_0304, echo: 5 });
    let syn = Options {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps,
        ..Options::default()
    };
    let mut sack = SackBlocks::NONE;
    sack.push(Seq::new(3_000), Seq::new(4_000));
    sack.push(Seq::new(1_000), Seq::new(2_000));
    let ack = Options { timestamps, sack, ..Options::default() };
    let sent = [
        (Flags::SYN | Flags::ECE | Flags::CWR, syn, Ecn::NotCapable),
        (Flags::ACK | Flags::ECE, ack, Ecn::Capable),
        (Flags::ACK | Flags::CWR, Options { sack, ..Options::default() }, Ecn::Experienced),
    ];
    for (flags, options, ecn) in sent {
        let header = TcpHeader { flags, options, seq: Seq::new(1), ..TcpHeader::default() };
        let payload = Payload::Zeros(0);
        capture.write(Time::ZERO, &header, ecn, &TO_HOST, payload).expect("memory");
    }
    let fields = [
        "tcp.hdr_len",
        "tcp.flags",
        "ip.dsfield.ecn",
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.timestamp.tsval",
        "tcp.options.timestamp.tsecr",
        "tcp.options.sack_le",
        "tcp.options.sack_re",
        "tcp.option_kind",
    ];
    let Some(rows) = tshark(&capture.finish().expect("memory"), &fields) else { return };
    let (value, echo) = ("16909060", "5");
    assert_eq!(rows[0], ["40", "0x00c2", "0", "1460", "7", value, echo, "", "", "2,4,8,1,3"]);
    let (left, right) = ("3000,1000", "4000,2000");
    let kinds = "1,1,8,1,1,5";
    assert_eq!(rows[1], ["52", "0x0050", "2", "", "", value, echo, left, right, kinds]);
    assert_eq!(rows[2], ["40", "0x0090", "3", "", "", "", "", left, right, "1,1,5"]);
}

#[test]
fn wireshark_reads_accurate_ecn() {
    let mut capture = Capture::new(Vec::new(), "host").expect("memory");
    let counts = EcnBytes::new(EcnOrder::Ect0First, 3, [1_449, 2_896, 1]);
    let option = |order, fields, counts| Some(EcnBytes::new(order, fields, counts));
    let sent = [
        (Flags::SYN | Flags::ACE, None, Ecn::NotCapable),
        (Flags::SYN | Flags::ACK | Flags::CWR, Some(counts), Ecn::NotCapable),
        (Flags::ACK | Flags::of_ace(4), option(EcnOrder::Ect0First, 2, [5, 6, 0]), Ecn::L4s),
        (
            Flags::ACK | Flags::of_ace(5),
            option(EcnOrder::Ect1First, 1, [0xAB_CDEF, 0, 0]),
            Ecn::L4s,
        ),
    ];
    for (flags, ecn_bytes, ecn) in sent {
        let options = Options { ecn_bytes, ..Options::default() };
        let header = TcpHeader { flags, options, seq: Seq::new(1), ..TcpHeader::default() };
        let payload = Payload::Zeros(0);
        capture.write(Time::ZERO, &header, ecn, &TO_HOST, payload).expect("memory");
    }
    let fields = [
        "tcp.hdr_len",
        "tcp.flags",
        "tcp.flags.ae",
        "tcp.flags.ace",
        "ip.dsfield.ecn",
        "tcp.option_kind",
        "tcp.options.acc_ecn.ee0b",
        "tcp.options.acc_ecn.eceb",
        "tcp.options.acc_ecn.ee1b",
    ];
    let Some(rows) = tshark(&capture.finish().expect("memory"), &fields) else { return };
    assert_eq!(rows[0], ["20", "0x01c2", "1", "", "0", "", "", "", ""]);
    assert_eq!(rows[1], ["32", "0x0092", "0", "", "0", "1,172", "1449", "2896", "1"]);
    assert_eq!(rows[2], ["28", "0x0110", "", "4", "1", "172", "5", "6", ""]);
    assert_eq!(rows[3], ["28", "0x0150", "", "5", "1", "1,1,1,174", "", "", "11259375"]);
}

#[test]
fn wireshark_would_find_a_wrong_checksum() {
    let mut bytes = capture();
    let last = bytes.len() - 1;
    bytes[last - 4 - 20 + 14] ^= 1;
    let Some(rows) = tshark(&bytes, &CHECKS) else { return };
    assert_eq!(rows[8][4], "0", "{:?}", rows[8]);
}

/// Wireshark's severity of a warning. Notes and chat, which lie below, tell of a connection's
/// opening and closing.
const WARNING: u32 = 0x0060_0000;

/// What to look at for whether anything is wrong.
const CHECKS: [&str; 7] = [
    "frame.number",
    "frame.time_relative",
    "frame.interface_name",
    "ip.checksum.status",
    "tcp.checksum.status",
    "tcp.len",
    "_ws.expert.severity",
];

#[test]
fn a_snap_length_cuts_packets_and_keeps_their_lengths() {
    let from = Duration::from_secs(1);
    let snapped = |snap| {
        let mut capture =
            Capture::at(Vec::new(), "host", LinkLayer::Ip, from, snap).expect("memory");
        for payload in [0, 500] {
            let (header, payload) = (TcpHeader::default(), Payload::Zeros(payload));
            capture
                .write(Time::ZERO, &header, Ecn::NotCapable, &TO_MOBILE, payload)
                .expect("memory");
        }
        capture.finish().expect("memory")
    };
    assert!(snapped(Some(96)).len() < snapped(Some(540)).len());
    for (snap, kept) in [(Some(96), ["40", "96"]), (Some(20), ["20", "20"]), (None, ["40", "540"])]
    {
        let Some(rows) = tshark(&snapped(snap), &["frame.len", "frame.cap_len"]) else { return };
        let expect = [["40", kept[0]], ["540", kept[1]]];
        assert_eq!(rows, expect, "{snap:?}");
    }
}
