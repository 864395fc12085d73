//! All that the mobiles of a subscriber send waits for its turn, ahead of a modem; what comes down
//! passes.

use std::net::{IpAddr, Ipv4Addr};

use base::{Duration, Flags, Time};
use etherparse::PacketBuilder;
use proxy::Config;

use crate::support::{Bed, HOST, MOBILE, RATE, Thin, from_host, from_mobile, hops_less};

/// Time through the modem, one way.
const ONE_WAY: Duration = Duration::from_millis(30);

fn config(keys: &str) -> Config {
    let text = format!(
        "[radio]\ninterfaces = ['lan0']\n[wired]\ninterfaces = ['modem0']\n[[profile]]\n\
         name = 'home'\nmobiles = ['10.45.0.0/16']\n{keys}\
         middlebox.atcp.role = 'subscriber'\n\
         middlebox.atcp.classes = [{{ name = 'call', dscp = 46, priority = 1 }}]\n"
    );
    Config::parse(&text, "proxy.toml").expect("a configuration")
}

const KNOWN: &str = "uplink_rate = '384 kbit/s'\nround_trip = '95 ms'\n";

/// A datagram to the host from port `from` of the mobile.
fn datagram(from: u16, bytes: usize) -> Vec<u8> {
    let (IpAddr::V4(mobile), IpAddr::V4(host)) = (MOBILE, HOST) else { panic!("IPv4") };
    let mut packet = Vec::new();
    PacketBuilder::ipv4(mobile.octets(), host.octets(), 9)
        .udp(from, 5_000)
        .write(&mut packet, &vec![0; bytes])
        .expect("to memory");
    packet
}

/// A gateway ahead of a modem.
fn bed_of(config: &Config) -> Bed {
    Bed::new(config, Thin::Up, ONE_WAY)
}

impl Bed {
    /// Delays of the packets of a port, each sent `every` ms after the one before.
    fn delays(&self, port: u16, every: u64) -> Vec<f64> {
        let is_its = |packet: &[u8]| {
            wire::headers(packet).and_then(|headers| headers.ports) == Some([port, 5_000])
        };
        let its = self.arrived.iter().filter(|(_, packet)| is_its(packet));
        its.zip(0..).map(|((time, _), number)| (*time - at(number * every)).as_secs_f64()).collect()
    }
}

const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

/// A flood up, of twice what the modem carries, and a thin flow beside it.
fn flood(bed: &mut Bed) {
    for number in 0..1_600_u64 {
        bed.send_at(at(number * 12), datagram(9, 1_172));
    }
    for number in 0..900_u64 {
        bed.send_at(at(number * 20), datagram(8, 40));
    }
    bed.run_until(at(20_000));
}

/// The thin flow waits for a window, a packet of the flood, and no queue; the modem is never idle.
#[test]
fn a_flood_up_waits_behind_others() {
    for answers in [true, false] {
        let mut bed = bed_of(&config(KNOWN));
        bed.answers = answers;
        flood(&mut bed);
        let delays = bed.delays(8, 20);
        let worst = delays.iter().copied().fold(0.0, f64::max);
        // One way, what is in the modem of a window for 95 ms, and the packet that is sent.
        assert!(delays.len() == 900 && worst < 0.16, "{answers}: {} {worst}", delays.len());
        let used: usize = bed.arrived.iter().map(|(_, packet)| packet.len()).sum();
        assert!(used as f64 > 0.9 * 19.0 * RATE as f64, "{answers}: {used}");
        let echoes = bed.profile().echoes;
        assert!(echoes.sent > 0 && (echoes.answered > 0) == answers, "{echoes:?}");
        assert!(bed.back.is_empty(), "answers to echo requests go no further");
    }
}

/// A box that knows no rate changes no byte and no time.
#[test]
fn without_a_rate_all_passes_at_once() {
    let mut bed = bed_of(&config(""));
    flood(&mut bed);
    assert_eq!(bed.arrived.len(), 2_500);
    assert_eq!(bed.tally("other_protocol"), 2_500);
    assert_eq!(bed.profile().echoes.sent, 0);
}

/// Segments of any connection wait like the rest, as they came, and those that come down pass.
#[test]
fn no_connection_is_taken() {
    let mut bed = bed_of(&config(KNOWN));
    let up = [from_mobile(Flags::SYN, 7, 0, &[]), from_mobile(Flags::ACK, 8, 100, &[1; 1_000])];
    for packet in &up {
        bed.send_at(at(1), packet.clone());
    }
    let down = from_host(Flags::SYN | Flags::ACK, 99, 8, &[]);
    bed.send_at(at(2), down.clone());
    bed.run_until(at(2_000));
    let went: Vec<_> = bed.arrived.iter().map(|(_, each)| hops_less(each.clone(), 1)).collect();
    assert_eq!(went, up);
    let profile = bed.profile();
    let received: u64 = profile.others.iter().map(|it| it.received.packets).sum();
    assert_eq!((received, profile.connections.taken, profile.syns.seen), (2, 0, 0));
    assert_eq!(bed.tally("subscriber"), 1);
    assert_eq!(bed.back.len(), 1);
    assert_eq!(hops_less(bed.back[0].clone(), 1), down);
    assert_eq!(bed.gateway.flows(), 0);
}

/// When the proxy stops, what waits is sent on at once; when the profile becomes another, in turn.
#[test]
fn what_waits_outlives_stops_and_reloads() {
    let mut bed = bed_of(&config(KNOWN));
    for _ in 0..50 {
        bed.send_at(at(1), datagram(9, 1_172));
    }
    bed.run_until(at(5));
    assert!(bed.profile().others[1].waiting.packets > 30);
    bed.gateway.drain(bed.now);
    bed.settle();
    assert_eq!((bed.arrived.len(), bed.gateway.flows()), (50, 0));
    bed.send_at(at(6), datagram(9, 1_172));
    bed.run_until(at(6));
    assert_eq!((bed.arrived.len(), bed.tally("other_protocol")), (51, 1));

    let mut bed = bed_of(&config(KNOWN));
    for _ in 0..50 {
        bed.send_at(at(1), datagram(9, 1_172));
    }
    bed.run_until(at(5));
    bed.gateway.reload(bed.now, &config(""));
    bed.run_until(at(5_000));
    let dropped = bed.gateway.snapshot(bed.now).dropped;
    let late: u64 = dropped.iter().filter(|it| it.reason == "late").map(|it| it.packets).sum();
    assert_eq!((bed.arrived.len() as u64 + late, bed.gateway.has_retired()), (50, false));
}

/// Another mobile behind the same modem waits in the same window.
#[test]
fn all_mobiles_share_the_modem() {
    let mut bed = bed_of(&config(KNOWN));
    let mut other = datagram(7, 1_172);
    other[12..16].copy_from_slice(&Ipv4Addr::new(10, 45, 0, 3).octets());
    for number in 0..200_u64 {
        bed.send_at(at(number * 25), datagram(9, 1_172));
        bed.send_at(at(number * 25), other.clone());
    }
    bed.run_until(at(5_000));
    let of = |port: u16| bed.delays(port, 25).len() as f64;
    assert!((0.9..1.1).contains(&(of(7) / of(9))), "{} {}", of(7), of(9));
    let waits = bed.free.saturating_since(bed.now);
    assert!(waits < Duration::from_millis(150), "{waits:?} in the modem");
}
