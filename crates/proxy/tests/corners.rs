//! What passes untouched, what is carried along, what is heeded and what is not.

use std::net::IpAddr;

use base::{Duration, Ecn, Flags, Seq, TcpHeader, Time};
use proxy::{Gateway, Snapshot};
use tcp::State;
use wire::IpFields;

use crate::support::{
    self, HOST, HOST6, MOBILE, MOBILE6, Net, Way, bypassed, config, configured, cut_up, drain,
    from_host, from_mobile, header, hops_less, icmp_unreachable, modern, one_more, pass, profiled,
    segment, too_big, udp, with_option, with_tcp_bytes,
};

const MTU: [u16; 2] = [1500, 1500];
const SYN_ACK: Flags = Flags::from_bits(0x12);

#[track_caller]
fn passes(gateway: &mut Gateway, packet: &[u8], reason: &str) {
    let before = bypassed(&gateway.snapshot(Time::ZERO), reason);
    assert_eq!(pass(gateway, packet), [one_more(packet)], "{reason}");
    let after = bypassed(&gateway.snapshot(Time::ZERO), reason);
    assert_eq!(after, before + 1, "{reason}");
}

#[test]
fn what_is_no_business_of_a_box_passes_untouched() {
    let never = "[never]\nhosts = ['203.0.113.0/24']\nports = [22]\n";
    for scheme in ["atcp", "snoop"] {
        let mut gateway = Gateway::new(&configured(scheme, never), MTU, 1);
        let mut check = |packet: &[u8], reason: &str| passes(&mut gateway, packet, reason);
        check(&[], "not_ip");
        check(&[0x45; 19], "not_ip");
        check(&[0x50; 60], "not_ip");
        check(&udp([HOST, MOBILE], b"QUIC"), "other_protocol");
        check(&udp([MOBILE6, HOST6], b"QUIC"), "other_protocol");
        let data = from_host(Flags::ACK, 5, 5, b"data");
        check(&data, "unknown_flow");
        check(&from_mobile(SYN_ACK, 5, 5, b""), "unknown_flow");
        check(&from_mobile(Flags::RST | Flags::SYN, 5, 5, b""), "unknown_flow");
        let mut wrong = from_mobile(Flags::SYN, 5, 0, b"");
        wrong[30] ^= 1;
        check(&wrong, "checksum");
        check(&with_tcp_bytes(data.clone(), &[(32, 0x40)]), "not_tcp");
        let strange: IpAddr = [192, 0, 2, 7].into();
        let syn = wire::parse(&from_mobile(Flags::SYN, 5, 0, b"")).expect("a SYN").header;
        check(&segment([HOST, strange], &syn, b""), "no_mobile");
        let [fenced, other]: [IpAddr; 2] = [[203, 0, 113, 7].into(), [10, 46, 0, 1].into()];
        check(&segment([MOBILE, fenced], &syn, b""), "never_host");
        check(&segment([other, HOST], &syn, b""), "no_mobile");
        let shell = TcpHeader { destination_port: 22, ..syn };
        check(&segment([MOBILE, HOST], &shell, b""), "never_port");
        // A mapped address is nobody's on a wire.
        let mapped = "::ffff:10.45.0.2".parse().expect("an address");
        check(&segment([mapped, HOST6], &syn, b""), "not_ip");
        check(&icmp_unreachable(&data), "icmp");
        check(&too_big(&data, 1_300), "icmp");
        assert_eq!(gateway.flows(), 0);
    }
}

/// So it is with routes that differ, and between mobiles of two workers.
#[test]
fn a_connection_of_which_one_direction_is_missing_passes_untouched() {
    for scheme in ["atcp", "split", "i-tcp", "snoop", "m-tcp", "w-tcp"] {
        let mut near = Gateway::new(&config(scheme), MTU, 1);
        let syn = from_mobile(Flags::SYN, 100, 0, b"");
        assert_eq!(pass(&mut near, &syn).len(), 1, "{scheme}");
        for packet in [
            from_mobile(Flags::ACK, 101, 501, b""),
            from_mobile(Flags::ACK, 101, 501, b"data"),
            from_mobile(Flags::ACK | Flags::FIN, 105, 501, b""),
        ] {
            assert_eq!(pass(&mut near, &packet), [one_more(&packet)], "{scheme}");
        }
        assert_eq!(near.snapshot(Time::ZERO).profiles[0].flows.open, 0, "{scheme}");
        let mut far = Gateway::new(&config(scheme), MTU, 1);
        passes(&mut far, &from_host(SYN_ACK, 500, 101, b""), "unknown_flow");
        passes(&mut far, &from_host(Flags::ACK, 501, 105, b"data"), "unknown_flow");
    }
}

/// MD5, AO, multipath, Fast Open, experiments and what is not known; and a SYN with data.
#[test]
fn connections_that_want_more_pass_untouched() {
    let options: [&[u8]; 6] = [
        &[19, 18, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1, 1],
        &[29, 4, 0, 0],
        &[30, 12, 0, 0x81, 1, 2, 3, 4, 5, 6, 7, 8],
        &[34, 2, 1, 1],
        &[254, 4, 0xF9, 0x89],
        &[77, 3, 1, 1],
    ];
    for scheme in ["atcp", "split", "snoop"] {
        let mut gateway = Gateway::new(&config(scheme), MTU, 1);
        for option in options {
            let syn = with_option(&from_mobile(Flags::SYN, 100, 0, b""), option);
            passes(&mut gateway, &syn, "option");
            passes(&mut gateway, &from_host(SYN_ACK, 500, 101, b""), "unknown_flow");
            let rest = with_option(&from_mobile(Flags::ACK, 101, 501, b"data"), option);
            passes(&mut gateway, &rest, "unknown_flow");
        }
        passes(&mut gateway, &from_mobile(Flags::SYN, 100, 0, b"data"), "data_on_syn");
        let strict = from_mobile(Flags::SYN, 100, 0, b"");
        let strict = with_ip_option(&strict);
        passes(&mut gateway, &strict, "option");
        assert_eq!(gateway.flows(), 0);
        let stats = gateway.snapshot(Time::ZERO);
        assert_eq!(stats.profiles[0].connections.bypassed, 8, "{scheme}");
        assert_eq!(stats.profiles[0].syns.seen, 8, "{scheme}");
    }
}

/// An IPv4 segment with a record route option (RFC 791 §3.1).
fn with_ip_option(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    packet.splice(20..20, [7, 3, 4, 0]);
    packet[0] = 0x46;
    packet[3] += 4;
    packet[10..12].fill(0);
    let words = packet[..24].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
    let sum = words.sum::<u32>();
    let sum = (sum & 0xFFFF) + (sum >> 16);
    packet[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    packet
}

/// Only the answer, or a repetition, wants more than is known.
#[test]
fn an_answer_that_wants_more_ends_the_matter() {
    for scheme in ["atcp", "split", "snoop"] {
        let mut gateway = Gateway::new(&config(scheme), MTU, 1);
        assert_eq!(pass(&mut gateway, &from_mobile(Flags::SYN, 100, 0, b"")).len(), 1);
        assert_eq!(gateway.flows(), 1, "{scheme}");
        let answer = with_option(&from_host(SYN_ACK, 500, 101, b""), &[29, 4, 0, 0]);
        passes(&mut gateway, &answer, "option");
        passes(&mut gateway, &from_mobile(Flags::ACK, 101, 501, b"data"), "unknown_flow");
        assert_eq!(gateway.flows(), 0, "{scheme}");
    }
}

#[test]
fn limits_let_pass_what_came() {
    let limits = "[limits]\nflows = 8\nflows_per_mobile = 2\n";
    for scheme in ["atcp", "split"] {
        let mut gateway = Gateway::new(&configured(scheme, limits), MTU, 1);
        let mut outcomes = Vec::new();
        for port in 0..5 {
            let syn = wire::parse(&from_mobile(Flags::SYN, 100, 0, b"")).expect("a SYN").header;
            let mut syn = TcpHeader { source_port: 5_000 + port, ..syn };
            // A box would write these in another order.
            syn.options.window_scale = Some(7);
            let packet = with_option(&segment([MOBILE, HOST], &syn, b""), &[1, 1, 4, 2]);
            let out = pass(&mut gateway, &packet);
            assert_eq!(out.len(), 1);
            outcomes.push(out[0] == one_more(&packet));
            for (ends, ports, flags, seq, ack) in [
                ([HOST, MOBILE], [80, syn.source_port], SYN_ACK, 500, 101),
                ([MOBILE, HOST], [syn.source_port, 80], Flags::ACK, 101, 501),
            ] {
                pass(&mut gateway, &segment(ends, &header(ports, flags, seq, ack), b""));
            }
        }
        assert_eq!(outcomes, [false, false, true, true, true], "{scheme}");
        let stats = gateway.snapshot(Time::ZERO);
        assert_eq!(bypassed(&stats, "limit_flows_per_mobile"), 3, "{scheme}");
        assert_eq!(stats.profiles[0].connections.bypassed, 3, "{scheme}");
    }
}

/// What both legs take, each family with its header, and no more than the profile says: of SYNs
/// and of their answers.
#[test]
fn syns_say_what_both_legs_take() {
    #[track_caller]
    fn check(line: &str, mtu: [u16; 2], expected: [u16; 2]) {
        for scheme in ["atcp", "split", "snoop"] {
            let mut gateway = Gateway::new(&profiled(scheme, line), mtu, 1);
            for (ends, expected) in [[MOBILE, HOST], [MOBILE6, HOST6]].into_iter().zip(expected) {
                let mut header =
                    wire::parse(&from_mobile(Flags::SYN, 5, 0, b"")).expect("it").header;
                header.options.mss = Some(1_460);
                let back = TcpHeader {
                    source_port: header.destination_port,
                    destination_port: header.source_port,
                    seq: Seq::new(9),
                    ack: Seq::new(6),
                    flags: SYN_ACK,
                    ..header
                };
                let syns = [segment(ends, &header, b""), segment([ends[1], ends[0]], &back, b"")];
                for syn in syns {
                    let [out] = &pass(&mut gateway, &syn)[..] else { panic!("one") };
                    let mss = wire::parse(out).expect("a SYN").header.options.mss;
                    assert_eq!(mss, Some(expected), "{scheme} {line} {mtu:?}");
                }
            }
        }
    }
    check("", [1_500, 1_500], [1_460, 1_440]);
    check("", [1_500, 1_280], [1_240, 1_220]);
    check("", [1_280, 9_000], [1_240, 1_220]);
    check("", [9_000, 9_000], [1_460, 1_460]);
    check("mss = 1200", [1_500, 1_500], [1_200, 1_200]);
    check("mss = 1230", [1_500, 1_280], [1_230, 1_220]);
}

/// A mobile that says it takes one byte at a time is sent segments of `tcp.min_mss`.
#[test]
fn a_tiny_mss_has_a_floor() {
    #[track_caller]
    fn check(scheme: &str, line: &str, expected: usize) {
        let mut gateway = Gateway::new(&profiled(scheme, line), MTU, 1);
        let tiny = |way: [u16; 2], flags, seq, ack| {
            let mut header = header(way, flags, seq, ack);
            header.options.mss = Some(1);
            header
        };
        pass(&mut gateway, &segment([MOBILE, HOST], &tiny([4000, 80], Flags::SYN, 5, 0), b""));
        pass(&mut gateway, &segment([HOST, MOBILE], &tiny([80, 4000], SYN_ACK, 9, 6), b""));
        pass(&mut gateway, &from_mobile(Flags::ACK, 6, 10, b""));
        let mut out = pass(&mut gateway, &from_host(Flags::ACK, 10, 6, &[7; 500]));
        // What is shorter is an acknowledgement, to the host.
        out.retain(|packet| packet.len() > 40);
        let full = wire::parse(&out[0]).expect("a segment").payload.len();
        assert_eq!(full, expected, "{scheme} {line}");
    }
    for scheme in ["atcp", "split", "i-tcp"] {
        check(scheme, "", 48);
        check(scheme, "[profile.middlebox.tcp]\nmin_mss = '88 B'", 88);
        check(scheme, "split_uplink = true", 48);
    }
}

/// RST and ICMP errors during the handshake come to the caller as without a proxy.
#[test]
fn refusals_pass_one_to_one() {
    for scheme in ["atcp", "split"] {
        let mut net = Net::new(&config(scheme), MTU);
        let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
        net.peers.remove(server.0);
        net.run_for(Duration::from_secs(1));
        let [syn] = &net.strays[..] else { panic!("{:?}", net.strays) };
        let syn = syn.clone();
        let isn = wire::parse(&syn).expect("a SYN").header.seq.to_u32();
        // Somebody blind does not refuse anything.
        let blind = from_host(Flags::RST | Flags::ACK, 0, isn.wrapping_add(7), b"");
        net.inject(&blind);
        net.run_for(Duration::from_millis(400));
        assert_eq!(net.state(client), State::SynSent, "{scheme}");
        let error = icmp_unreachable(&syn);
        net.inject(&error);
        net.run_for(Duration::from_millis(400));
        let stray = net.strays.last().expect("an error");
        assert_eq!(*stray, error, "{scheme}: one hop in, one out, one given back");
        let refused = |net: &Net| net.gateway.snapshot(net.now).profiles[0].syns;
        assert_eq!(refused(&net).refused, 1, "{scheme}");
        assert_eq!((refused(&net).held, net.gateway.flows()), (0, 0), "{scheme}");
        // The client tries again, and is refused.
        net.run_for(Duration::from_secs(3));
        net.inject(&from_host(Flags::RST | Flags::ACK, 0, isn.wrapping_add(1), b""));
        net.run_for(Duration::from_secs(1));
        assert_eq!(net.state(client), State::Closed, "{scheme}");
        assert_eq!((refused(&net).seen, refused(&net).refused), (2, 2), "{scheme}");
    }
}

/// An ICMP error ends a handshake if it quotes the number of the SYN (RFC 5927 §4.1), and another
/// SYN begins it anew.
#[test]
fn no_syn_is_held_that_an_error_answers() {
    for scheme in ["atcp", "split", "i-tcp", "snoop", "w-tcp"] {
        let mut gateway = Gateway::new(&config(scheme), MTU, 1);
        let syn = from_mobile(Flags::SYN, 5, 0, b"");
        let forged = icmp_unreachable(&from_mobile(Flags::SYN, 6, 0, b""));
        let error = icmp_unreachable(&syn);
        let mut check = |packet: &[u8], held| {
            assert_eq!(pass(&mut gateway, packet).len(), 1, "{scheme}");
            assert_eq!(gateway.flows(), held, "{scheme}");
        };
        check(&syn, 1);
        check(&forged, 1);
        check(&error, 0);
        check(&error, 0);
        check(&syn, 1);
        check(&from_host(SYN_ACK, 9, 6, b""), 1);
        check(&error, 1);
    }
}

#[test]
fn headers_are_carried_along() {
    for (ends, label) in [([MOBILE, HOST], 0), ([MOBILE6, HOST6], 0xABCDE)] {
        for scheme in ["atcp", "split", "snoop"] {
            let mut net = Net::new(&config(scheme), MTU);
            let [client, server] = net.open([&modern(), &modern()], (ends[0], 4000), (ends[1], 80));
            let of = |dscp, hop_limit, flow_label| IpFields {
                ecn: Ecn::NotCapable,
                dscp,
                hop_limit,
                flow_label,
            };
            net.peers[client.0].ip = of(46, 33, label);
            net.peers[server.0].ip = of(10, 255, label / 3);
            net.run_for(Duration::from_secs(1));
            net.write(client, 2_000);
            net.write(server, 50_000);
            net.run_for(Duration::from_secs(20));
            net.assert_read(client, server, 50_000);
            // A router stands between them, with a gateway or without.
            assert_eq!(net.peer(server).heard, Some(of(46, 32, label)), "{scheme}");
            assert_eq!(net.peer(client).heard, Some(of(10, 254, label / 3)), "{scheme}");
        }
    }
}

/// What a box makes of a segment has no place for an urgent pointer: the bytes stay in line.
#[test]
fn urgent_data_stay_in_line() {
    let mut gateway = Gateway::new(&config("atcp"), MTU, 1);
    pass(&mut gateway, &from_mobile(Flags::SYN, 100, 0, b""));
    pass(&mut gateway, &from_host(SYN_ACK, 500, 101, b""));
    pass(&mut gateway, &from_mobile(Flags::ACK, 101, 501, b""));
    let urgent = from_mobile(Flags::ACK | Flags::PSH, 101, 501, b"urgent");
    let urgent = with_tcp_bytes(urgent, &[(33, 0x38), (39, 6)]);
    let out = pass(&mut gateway, &urgent);
    let [out] = &out[..] else { panic!("{out:?}") };
    let seen = wire::parse(out).expect("a segment");
    assert_eq!((seen.payload, seen.unkept.urgent), (&b"urgent"[..], None));
    assert_eq!(gateway.snapshot(Time::ZERO).stripped, 1);
}

#[test]
fn pieces_are_put_together_for_a_box_alone() {
    let mut gateway = Gateway::new(&config("atcp"), [1500, 1000], 1);
    pass(&mut gateway, &from_mobile(Flags::SYN, 100, 0, b""));
    pass(&mut gateway, &from_host(SYN_ACK, 500, 101, b""));
    pass(&mut gateway, &from_mobile(Flags::ACK, 101, 501, b""));
    let data: Vec<u8> = (0..1_400).map(|at| (at % 253) as u8).collect();
    let whole = from_host(Flags::ACK, 501, 101, &data);
    let [first, second] = cut_up(&whole, 800);
    assert_eq!(pass(&mut gateway, &second), Vec::<Vec<u8>>::new());
    let mut out = pass(&mut gateway, &first);
    // The end of it may wait for more.
    let later = Time::ZERO + Duration::from_secs(1);
    gateway.handle_timeout(later);
    out.extend(drain(&mut gateway, later).into_iter().filter(|packet| packet.len() > 40));
    let mut read = Vec::new();
    for packet in &out {
        assert!(packet.len() <= 1000);
        read.extend_from_slice(wire::parse(packet).expect("a segment").payload);
    }
    assert!(read == data, "{} bytes", read.len());
    // Of a connection that nobody knows, the pieces go on.
    let strange = with_tcp_bytes(whole, &[(21, 81)]);
    let [first, second] = cut_up(&strange, 800);
    assert_eq!(pass(&mut gateway, &second), Vec::<Vec<u8>>::new());
    let out = pass(&mut gateway, &first);
    assert_eq!(out, [one_more(&first), one_more(&second)]);
    // The teardrop goes nowhere.
    assert_eq!(pass(&mut gateway, &first), Vec::<Vec<u8>>::new());
    let [_, overlapping] = cut_up(&strange, 792);
    assert_eq!(pass(&mut gateway, &overlapping), Vec::<Vec<u8>>::new());
    assert_eq!(pass(&mut gateway, &second), Vec::<Vec<u8>>::new());
    let stats = gateway.snapshot(Time::ZERO).fragments;
    assert_eq!((stats.received, stats.completed, stats.failed), (7, 2, 1));
    assert_eq!((stats.held, stats.held_bytes), (1, second.len() as u64));
    let deadline = Time::ZERO + wire::Fragments::PATIENCE;
    assert!(gateway.poll_timeout().is_some_and(|time| time <= deadline));
    gateway.handle_timeout(deadline);
    let stats = gateway.snapshot(deadline).fragments;
    assert_eq!((stats.failed, stats.held), (2, 0));
}

/// A connection of which the box has sent data to the mobile, not acknowledged yet, and the last
/// packet of those.
fn under_way(scheme: &str, ends: [IpAddr; 2]) -> (Net, Vec<u8>) {
    let mut net = Net::new(&config(scheme), MTU);
    let [client, server] = net.open([&modern(), &modern()], (ends[0], 4000), (ends[1], 80));
    net.run_for(Duration::from_secs(1));
    net.write(client, 10);
    net.run_for(Duration::from_secs(1));
    net.write(server, 40_000);
    net.run_for(Duration::from_millis(200));
    let data = |packet: &[u8]| wire::parse(packet).is_ok_and(|seen| seen.payload.len() > 1_000);
    let last = net.crossed(Way::Out, ends[0]).filter(|it| data(&it.packet)).last();
    let packet = last.expect("data are under way").packet.clone();
    (net, packet)
}

#[test]
fn a_narrow_path_is_heeded() {
    for (ends, mtu) in [([MOBILE, HOST], 900_u16), ([MOBILE6, HOST6], 1_300)] {
        for scheme in ["atcp", "split"] {
            let (mut net, packet) = under_way(scheme, ends);
            let strays = net.strays.len();
            net.inject(&hops_less(too_big(&packet, mtu), 1));
            let asked = net.now;
            net.run_for(Duration::from_secs(60));
            assert_eq!(net.strays.len(), strays, "{scheme}: the box has taken it");
            let late = net.crossed(Way::Out, ends[0]).filter(|crossing| crossing.at > asked);
            let largest = late.map(|crossing| crossing.packet.len()).max().expect("some");
            assert!(largest <= usize::from(mtu) && largest > usize::from(mtu) - 50, "{largest}");
            assert_eq!(net.peers[0].read.len(), 40_000, "{scheme}");
            let icmp = net.gateway.snapshot(net.now).icmp;
            assert_eq!((&*icmp[0].reason, icmp[0].packets), ("path_mtu", 1));
        }
    }
}

/// RFC 5927: errors that are about nothing under way, or ask for the impossible.
#[test]
fn blind_errors_and_resets_change_nothing() {
    for scheme in ["atcp", "split"] {
        for ends in [[MOBILE, HOST], [MOBILE6, HOST6]] {
            let (mut net, packet) = under_way(scheme, ends);
            let header = wire::parse(&packet).expect("a segment").header;
            let size = packet.len();
            let strays = net.strays.len();
            let old = TcpHeader { seq: header.seq - 100_000, ..header };
            let new = TcpHeader { seq: header.seq + 100_000, ..header };
            let mut injected = Vec::new();
            for wrong in [old, new] {
                let mtu = if ends[0] == MOBILE { 600 } else { 1_280 };
                let quoted = segment([ends[1], ends[0]], &wrong, &[0; 100]);
                injected.push(hops_less(too_big(&quoted, mtu), 1));
            }
            // Less than what any link has (RFC 8201 §4, RFC 791).
            let mtu = if ends[0] == MOBILE { 67 } else { 1_279 };
            injected.push(hops_less(too_big(&packet, mtu), 1));
            for error in &injected {
                net.inject(error);
                net.run_for(Duration::from_millis(100));
            }
            let mut expect: Vec<_> =
                injected.iter().map(|error| hops_less(one_more(error), 1)).collect();
            expect.sort();
            let mut came = net.strays[strays..].to_vec();
            came.sort();
            assert_eq!(came, expect, "{scheme}: they go where they are sent");
            // RFC 5961 §3: a reset that does not hit the next number is challenged.
            let reset = TcpHeader {
                flags: Flags::RST,
                seq: header.seq + 3_000_000,
                options: base::Options::default(),
                ..header
            };
            net.inject(&segment([ends[1], ends[0]], &reset, b""));
            net.run_for(Duration::from_secs(60));
            assert_eq!(net.peers[0].read.len(), 40_000, "{scheme}");
            let large = |crossing: &&support::Crossing| crossing.packet.len() == size;
            assert!(net.crossed(Way::Out, ends[0]).filter(large).count() > 10, "{scheme}");
        }
    }
}

/// The stats know each packet, whatever became of it.
#[track_caller]
fn books_balance(stats: &Snapshot) {
    let sum = |reasons: &[proxy::Reason]| reasons.iter().map(|each| each.packets).sum::<u64>();
    let path_mtu = stats.icmp[0].packets;
    let legs = |of: &dyn Fn(&proxy::LegStats) -> u64| {
        stats.profiles.iter().map(|it| of(&it.wired) + of(&it.radio)).sum::<u64>()
    };
    // Without pieces, of which many make one.
    assert_eq!(stats.fragments.received, 0);
    let shown = legs(&|leg| leg.received.packets);
    assert_eq!(stats.received.packets, sum(&stats.bypassed) + shown + path_mtu);
    let made = legs(&|leg| leg.sent.packets);
    assert_eq!(stats.sent.packets, sum(&stats.bypassed) + made);
}

#[test]
fn every_packet_is_in_the_books() {
    for scheme in ["atcp", "split", "snoop"] {
        let (mut net, packet) = under_way(scheme, [MOBILE, HOST]);
        net.inject(&too_big(&packet, 1_000));
        net.inject(&udp([HOST, MOBILE], b"QUIC"));
        net.inject(&from_mobile(Flags::SYN, 1, 0, b"data"));
        net.run_for(Duration::from_secs(100));
        books_balance(&net.gateway.snapshot(net.now));
    }
}

/// So many SYNs of so many mobiles take bounded room, and others go on.
#[test]
fn a_flood_of_syns_harms_nobody() {
    let mut net = Net::new(&config("atcp"), MTU);
    let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
    net.run_for(Duration::from_secs(1));
    net.write(server, 300_000);
    let syn = wire::parse(&from_mobile(Flags::SYN, 100, 0, b"")).expect("a SYN").header;
    for number in 0..100_000_u32 {
        let mobile: IpAddr = [10, 45, (number >> 8) as u8, number as u8].into();
        let source_port = 10_000 + (number / 5) as u16;
        let syn = TcpHeader { source_port, ..syn };
        net.gateway.handle_packet(net.now, &segment([mobile, HOST], &syn, b""));
        let out = drain(&mut net.gateway, net.now);
        assert!(!out.is_empty());
        assert!(net.gateway.flows() <= 4_096 + 1);
        if number % 1_000 == 0 {
            net.run_for(Duration::from_millis(50));
        }
    }
    let stats = net.gateway.snapshot(net.now);
    let profile = &stats.profiles[0];
    assert_eq!(profile.syns.displaced, 100_000 - 4_096);
    assert_eq!((profile.syns.held, profile.flows.opening, profile.flows.open), (4_096, 4_096, 1));
    // A mobile with established connections is served while the handshakes of others wait.
    net.run_for(Duration::from_secs(100));
    net.assert_read(client, server, 300_000);
    net.run_for(Duration::from_secs(500));
    assert_eq!(net.gateway.flows(), 1, "the others are forgotten");
}

/// A SYN that offers `AccECN` (RFC 9768) and that a box hands back goes on as it came.
#[test]
fn an_offer_of_accurate_ecn_passes_untouched() {
    let mut gateway = Gateway::new(&config("atcp"), MTU, 1);
    assert_eq!(pass(&mut gateway, &from_mobile(Flags::SYN, 1, 0, b"")).len(), 1);
    passes(&mut gateway, &from_mobile(Flags::SYN | Flags::ACE, 1, 0, b"early"), "handshake");
}
