//! What is told of mobiles and legs is theirs, and of now.

use std::net::IpAddr;

use base::{Duration, Flags, Seq, TcpHeader, Time};
use proxy::{Gateway, ProfileStats};

use crate::support::{HOST, MOBILE, Net, config, modern, profiled, segment};

const OTHER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 45, 0, 77));

const fn at(milliseconds: u64) -> Time {
    Time::from_nanos(milliseconds * 1_000_000)
}

/// Packets of hand-made connections to port 80 of [`HOST`]. Mobiles count from 100, the host from
/// 500.
struct Script(Gateway);

impl Script {
    fn new(scheme: &str) -> Self {
        Self(Gateway::new(&config(scheme), [1500, 1500], 1))
    }

    fn pass(&mut self, now: Time, packet: &[u8]) {
        self.0.handle_packet(now, packet);
        self.drain(now);
    }

    fn drain(&mut self, now: Time) {
        let mut packet = Vec::new();
        while self.0.poll_packet(now, &mut packet) {}
        while self.0.poll_exposure().is_some() {}
    }

    fn run_until(&mut self, end: Time) {
        while let Some(due) = self.0.poll_timeout().filter(|&due| due <= end) {
            self.0.handle_timeout(due);
            self.drain(due);
        }
    }

    fn mobile_says(&mut self, now: u64, host: IpAddr, port: u16, words: (Flags, u32, u32)) {
        let header = header([port, 80], words);
        self.pass(at(now), &segment([host, HOST], &header, b""));
    }

    fn host_says(
        &mut self,
        now: u64,
        host: IpAddr,
        port: u16,
        words: (Flags, u32, u32),
        data: &[u8],
    ) {
        let header = header([80, port], words);
        self.pass(at(now), &segment([HOST, host], &header, data));
    }

    fn open(&mut self, now: u64, host: IpAddr, port: u16) {
        self.mobile_says(now, host, port, (Flags::SYN, 100, 0));
        self.host_says(now, host, port, (Flags::SYN | Flags::ACK, 500, 101), b"");
        self.mobile_says(now, host, port, (Flags::ACK, 101, 501));
    }

    /// 1000 B to a mobile, which acknowledges them after 890 ms.
    fn transfer(&mut self, now: u64, host: IpAddr, port: u16) {
        self.host_says(now, host, port, (Flags::ACK, 501, 101), &[1; 1000]);
        self.mobile_says(now + 890, host, port, (Flags::ACK, 101, 1501));
    }

    fn profile(&self, now: u64) -> ProfileStats {
        self.0.snapshot(at(now)).profiles.swap_remove(0)
    }
}

fn header([source_port, destination_port]: [u16; 2], words: (Flags, u32, u32)) -> TcpHeader {
    let (flags, seq, ack) = words;
    let [seq, ack] = [seq, ack].map(Seq::new);
    let mut header =
        TcpHeader { source_port, destination_port, seq, ack, flags, ..TcpHeader::default() };
    header.window = 60_000;
    header.options.mss = flags.contains(Flags::SYN).then_some(1460);
    header
}

#[test]
fn a_mobile_that_has_acknowledged_nothing_is_one() {
    for scheme in ["atcp", "split", "i-tcp", "snoop"] {
        let mut script = Script::new(scheme);
        script.open(0, MOBILE, 4000);
        assert_eq!(script.profile(1).mobiles, 1, "{scheme}");
        script.host_says(10, MOBILE, 4000, (Flags::ACK, 501, 101), &[1; 1000]);
        let [mobile] = &script.0.mobiles(at(11), 9)[..] else { panic!("{scheme}") };
        assert_eq!((mobile.address, mobile.flows), (MOBILE, 1), "{scheme}");
        assert_eq!((mobile.queued_bytes, mobile.in_flight_bytes), (0, 1000), "{scheme}");
    }
}

#[test]
fn a_stall_ends_with_the_last_connection_and_is_nobody_elses() {
    for scheme in ["atcp", "split", "i-tcp", "m-tcp"] {
        let mut script = Script::new(scheme);
        script.open(0, MOBILE, 4000);
        script.transfer(10, MOBILE, 4000);
        script.host_says(1000, MOBILE, 4000, (Flags::ACK, 1501, 101), &[1; 1000]);
        script.run_until(at(60_000));
        let before = script.profile(60_000);
        assert_eq!((before.mobiles, before.stalled_mobiles, before.stalls), (1, 1, 1), "{scheme}");
        assert!((50.0..60.0).contains(&before.stalled_seconds), "{scheme}: {before:?}");
        script.host_says(60_000, MOBILE, 4000, (Flags::RST, 2501, 0), b"");
        let day = 24 * 3600 * 1000;
        script.run_until(at(day));
        let after = script.profile(day);
        assert_eq!((after.mobiles, after.stalled_mobiles), (0, 0), "{scheme}");
        assert_eq!(after.stalled_seconds.to_bits(), before.stalled_seconds.to_bits(), "{scheme}");
        // It has the number that the first one had.
        script.open(day, OTHER, 4001);
        let [other] = &script.0.mobiles(at(day), 9)[..] else { panic!("{scheme}") };
        assert_eq!((other.address, other.stalled_seconds), (OTHER, None), "{scheme}");
        assert_eq!(other.round_trip_seconds, None, "{scheme}");
        script.transfer(day + 10, OTHER, 4001);
        let [other] = &script.0.mobiles(at(day + 1000), 9)[..] else { panic!("{scheme}") };
        assert_eq!((other.address, other.stalled_seconds), (OTHER, None), "{scheme}");
        assert_eq!(other.round_trip_seconds, Some(0.89), "{scheme}");
        assert_eq!(script.profile(day + 1000).stalls, 1, "{scheme}");
    }
}

#[test]
fn after_a_reload_each_box_has_its_own_connections() {
    let mut script = Script::new("atcp");
    script.open(0, MOBILE, 4000);
    script.transfer(10, MOBILE, 4000);
    let other = profiled("atcp", "rate = '80 kbit/s'\nround_trip = '900 ms'");
    assert_eq!(script.0.reload(at(1000), &other), ["thin"]);
    script.drain(at(1000));
    let flows = |script: &Script| -> Vec<u64> {
        script.0.mobiles(at(4000), 9).iter().map(|mobile| mobile.flows).collect()
    };
    assert_eq!(flows(&script), [1]);
    script.open(2000, MOBILE, 4001);
    script.open(2000, MOBILE, 4002);
    let mut of_each = flows(&script);
    of_each.sort_unstable();
    assert_eq!(of_each, [1, 2]);
    script.host_says(3000, MOBILE, 4000, (Flags::RST, 1501, 0), b"");
    assert_eq!(flows(&script), [2]);
}

/// What is retransmitted is counted where it went.
#[test]
fn each_leg_has_its_own_retransmissions() {
    let check = |profile: &str, losses, [wired, radio]: [bool; 2]| {
        let mut net = Net::new(&profiled("atcp", profile), [1500, 1500]);
        net.losses = losses;
        let [mobile, host] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
        net.run_for(Duration::from_secs(3));
        net.write(mobile, 200_000);
        net.write(host, 200_000);
        net.run_for(Duration::from_secs(600));
        net.assert_read(host, mobile, 200_000);
        net.assert_read(mobile, host, 200_000);
        let seen = net.gateway.snapshot(net.now).profiles.swap_remove(0);
        let counts = [seen.wired.retransmissions, seen.radio.retransmissions];
        assert_eq!(
            counts.map(|count| count > 0),
            [wired, radio],
            "{profile} {losses:?}: {counts:?}"
        );
    };
    check("split_uplink = true", [100, 0], [true, false]);
    check("split_uplink = true", [0, 100], [false, true]);
    check("split_uplink = false", [100, 0], [false, false]);
    check("split_uplink = false", [0, 100], [false, true]);
}
