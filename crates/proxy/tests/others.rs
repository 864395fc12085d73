//! Packets to mobiles that are not TCP: where `others = "scheduled"` each waits for its turn, and
//! what becomes of it is counted.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use base::{Duration, Flags, Time};
use etherparse::PacketBuilder;
use proptest::prelude::*;
use proxy::Config;

use crate::support::{Bed, HOST, HOST6, MOBILE, MOBILE6, RATE, Thin, from_host, hops_less};

const OTHER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 45, 0, 3));
/// Time over the radio, one way.
const ONE_WAY: Duration = Duration::from_millis(75);

fn config(others: &str, limits: &str) -> Config {
    let text = format!(
        "limits.others = '{limits}'\n[radio]\ninterfaces = ['wl0']\n[wired]\n\
         interfaces = ['eth0']\n[[profile]]\nname = 'thin'\n\
         mobiles = ['10.45.0.0/16', '2001:db8:45::/48']\nrate = '384 kbit/s'\n\
         round_trip = '200 ms'\n[profile.middlebox]\nkind = 'atcp'\natcp.others = '{others}'\n\
         [[profile.middlebox.atcp.classes]]\nname = 'call'\ndscp = 46\npriority = 1\n"
    );
    Config::parse(&text, "proxy.toml").expect("a configuration")
}

fn scheduled() -> Config {
    config("scheduled", "64 MB")
}

/// A datagram to `to` from port `from`, whose data begin with `mark`.
fn datagram(to: IpAddr, from: u16, mark: u32, bytes: usize, dscp: u8) -> Vec<u8> {
    let mut data = vec![0; bytes.max(4)];
    data[..4].copy_from_slice(&mark.to_be_bytes());
    let mut packet = Vec::new();
    let builder = match (HOST, HOST6, to) {
        (IpAddr::V4(host), _, IpAddr::V4(to)) => PacketBuilder::ipv4(host.octets(), to.octets(), 9),
        (_, IpAddr::V6(host), IpAddr::V6(to)) => PacketBuilder::ipv6(host.octets(), to.octets(), 9),
        _ => panic!("two families"),
    };
    builder.udp(from, 5_000).write(&mut packet, &data).expect("to memory");
    if packet[0] >> 4 == 4 {
        packet[1] = dscp << 2;
        packet[10..12].fill(0);
        let words = packet[..20].chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1]));
        let sum: u32 = words.sum();
        let folded = (sum & 0xFFFF) + (sum >> 16);
        packet[10..12]
            .copy_from_slice(&(!((folded & 0xFFFF) + (folded >> 16)) as u16).to_be_bytes());
    }
    packet
}

/// The mark of a datagram.
fn mark(packet: &[u8]) -> u32 {
    let at = if packet[0] >> 4 == 4 { 28 } else { 48 };
    u32::from_be_bytes(packet[at..at + 4].try_into().expect("four"))
}

/// A gateway ahead of a radio.
fn bed_of(config: &Config) -> Bed {
    Bed::new(config, Thin::Down, ONE_WAY)
}

const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// A datagram of a random mix: its time in ms, family, port, length and class.
fn mixed() -> impl Strategy<Value = (u64, bool, u16, usize, bool)> {
    (0_u64..3_000, any::<bool>(), 1_u16..6, 1_usize..1_400, any::<bool>())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Each packet goes on once, in the order of its flow and with the same bytes, or is counted as
    /// lost; nothing waits for ever.
    #[test]
    fn each_goes_on_once_or_is_counted(mut mix in prop::collection::vec(mixed(), 1..400)) {
        let mut bed = bed_of(&scheduled());
        mix.sort_by_key(|sent| sent.0);
        let mut sent = BTreeMap::new();
        for (number, (millis, six, port, bytes, is_call)) in (0_u32..).zip(mix) {
            let to = if six { MOBILE6 } else { MOBILE };
            let dscp = if is_call && !six { 46 } else { 0 };
            let packet = datagram(to, port, number, bytes, dscp);
            sent.insert(number, packet.clone());
            bed.send_at(at(millis), packet);
        }
        bed.run_until(at(300_000));
        let [received, gone, lost, waiting] = bed.counts();
        prop_assert_eq!((received, waiting), (sent.len() as u64, 0));
        prop_assert_eq!((gone, gone + lost), (bed.arrived.len() as u64, received));
        let mut last = BTreeMap::new();
        for (_, packet) in &bed.arrived {
            let number = mark(packet);
            let original = sent.remove(&number).expect("each once");
            prop_assert_eq!(&hops_less(packet.clone(), 1), &original);
            let headers = wire::headers(packet).expect("an IP packet");
            let flow = (headers.addresses.destination(), headers.ports, headers.dscp);
            let before = last.insert(flow, number);
            prop_assert!(before < Some(number), "{:?} before {}", before, number);
        }
        prop_assert!(bed.back.is_empty(), "answers to echo requests go no further");
        let echoes = bed.profile().echoes;
        prop_assert_eq!(echoes.sent, u64::from(bed.asked));
        prop_assert_eq!((echoes.answered, bed.tally("echo")), (echoes.sent, echoes.sent));
    }
}

/// A flood leaves a flow that takes less than its part alone, and a call ahead of both.
#[test]
fn a_flood_waits_behind_others() {
    let mut bed = bed_of(&scheduled());
    for number in 0..4_000_u32 {
        bed.send_at(at(u64::from(number) * 5), datagram(MOBILE, 9, number, 1_200, 0));
    }
    // A sixth of the radio, and a call.
    for number in 0..130_u32 {
        bed.send_at(at(u64::from(number) * 150), datagram(MOBILE, 7, number, 1_000, 0));
    }
    for number in 0..1_000_u32 {
        bed.send_at(at(u64::from(number) * 20), datagram(MOBILE, 8, number, 60, 46));
    }
    bed.run_until(at(20_000));
    let of = |port: u16| {
        let is_its = move |packet: &[u8]| {
            wire::headers(packet).and_then(|headers| headers.ports) == Some([port, 5_000])
        };
        bed.arrived.iter().filter(move |(_, packet)| is_its(packet))
    };
    let delays = |port: u16, every: u64| -> Vec<f64> {
        let sent = |packet: &[u8]| at(u64::from(mark(packet)) * every);
        of(port).map(|(time, packet)| (*time - sent(packet)).as_secs_f64()).collect()
    };
    let worst = |delays: &[f64]| delays.iter().copied().fold(0.0, f64::max);
    let (thin, call) = (delays(7, 150), delays(8, 20));
    assert!(thin.len() > 125 && worst(&thin) < 0.5, "{} {}", thin.len(), worst(&thin));
    // A packet of the flood is being sent, and a window is in the pipe: 130 ms at most.
    assert!(call.len() > 990 && worst(&call) < 0.35, "{} {}", call.len(), worst(&call));
    let used: usize = bed.arrived.iter().map(|(_, packet)| packet.len()).sum();
    assert!(used as f64 > 0.9 * 20.0 * RATE as f64, "{used} of {}", 20 * RATE);
    let profile = bed.profile();
    let names: Vec<_> = profile.others.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["call", "none"]);
    let [calls, rest] = &profile.others[..] else { panic!("two classes") };
    assert_eq!((calls.received.packets, calls.late + calls.crowded), (1_000, 0));
    assert!(rest.late > 0, "a flood loses by CoDel");
}

/// Answers to a host's own pings pass, whatever numbers they have.
#[test]
fn pings_of_hosts_are_answered() {
    let mut bed = bed_of(&scheduled());
    let [IpAddr::V4(mobile), IpAddr::V4(host)] = [MOBILE, HOST] else { panic!("IPv4") };
    for identifier in 0..64 {
        let mut reply = Vec::new();
        PacketBuilder::ipv4(mobile.octets(), host.octets(), 9)
            .icmpv4_echo_reply(identifier, 1)
            .write(&mut reply, &[0, 0, 0, 1])
            .expect("to memory");
        bed.send_at(at(1), reply);
    }
    bed.run_until(at(10));
    assert_eq!((bed.back.len(), bed.tally("echo")), (64, 0));
}

/// TCP of a connection that no box takes part in waits like the rest, and TCP of a box does not.
#[test]
fn connections_without_a_box_take_turns() {
    let mut bed = bed_of(&scheduled());
    bed.send_at(at(1), from_host(Flags::ACK, 1, 1, &[7; 100]));
    bed.run_until(at(1_000));
    assert_eq!(bed.counts(), [1, 1, 0, 0]);
    assert_eq!((bed.arrived.len(), bed.tally("unknown_flow")), (1, 0));
}

/// 100,000 flows to one mobile, of the smallest datagrams: they take bounded room, and another
/// mobile does not notice.
#[test]
fn many_flows_take_bounded_room() {
    let mut bed = bed_of(&scheduled());
    let mut most = 0;
    for number in 0..100_000_u32 {
        let port = 1 + (number % 65_000) as u16;
        let packet = datagram(MOBILE, port, number, 4, (number / 65_000) as u8);
        bed.gateway.handle_packet(bed.now, &packet);
        bed.settle();
        most = most.max(bed.profile_waiting());
    }
    let budget = bed.profile().budget_bytes;
    assert!(most <= budget, "{most} B wait of {budget}");
    bed.gateway.handle_packet(bed.now, &datagram(OTHER, 7, 1, 100, 0));
    bed.settle();
    let (_, packet) = bed.arrived.last().expect("it went on at once");
    assert_eq!(wire::headers(packet).expect("IP").addresses.destination(), OTHER);
}

/// Beyond `limits.others` packets pass at once: none is lost for want of memory of all.
#[test]
fn beyond_the_limit_packets_pass() {
    let mut bed = bed_of(&config("scheduled", "20 kB"));
    for number in 0..1_000_u32 {
        let mobile = Ipv4Addr::from_bits(0x0A2D_0100 + number % 20).into();
        bed.gateway.handle_packet(bed.now, &datagram(mobile, 7, number, 1_000, 0));
        bed.settle();
    }
    assert!(bed.tally("limit_others") > 500, "{}", bed.tally("limit_others"));
    bed.run_until(at(60_000));
    let [received, sent, lost, waiting] = bed.counts();
    assert_eq!((sent + lost, waiting), (received, 0));
    assert_eq!(bed.arrived.len() as u64 + lost, 1_000);
}

/// Whatever waits goes on when the profile is taken away, and when no more is taken.
#[test]
fn what_waits_goes_on_without_its_profile() {
    let check = |end: fn(&mut Bed)| {
        let mut bed = bed_of(&scheduled());
        for number in 0..50_u32 {
            bed.gateway.handle_packet(bed.now, &datagram(MOBILE, 7, number, 1_000, 0));
        }
        bed.settle();
        assert!(bed.counts()[3] > 20, "most wait");
        end(&mut bed);
        bed.settle();
        bed.run_until(at(60_000));
        let [received, sent, lost, waiting] = bed.counts();
        assert_eq!((received, sent + lost, waiting), (50, 50, 0));
        assert_eq!(bed.arrived.len() as u64, sent);
        bed.gateway.handle_packet(bed.now, &datagram(MOBILE, 7, 50, 1_000, 0));
        bed.settle();
        assert_eq!(bed.arrived.len() as u64, sent + 1, "later ones pass at once");
    };
    check(|bed| drop(bed.gateway.reload(bed.now, &config("around", "64 MB"))));
    check(|bed| bed.gateway.drain(bed.now));
}

impl Bed {
    /// Bytes that wait.
    fn profile_waiting(&self) -> u64 {
        self.profile().others.iter().map(|class| class.waiting.bytes).sum()
    }
}
