//! Forged segments of split connections, whose sender knows who speaks but not with which numbers:
//! the box takes nothing from them (RFC 9293 §3.10.7.4, RFC 5961). And segments that only look
//! forged.

use std::sync::Arc;

use base::{Duration, Flags, Seq, Time, Timestamps};
use bytes::Bytes;
use middlebox::{
    BothWays, IpFields, Managed, Middlebox, Packet, PerFlow, PerFlowSplit, SocketBuffers,
    SplitConfig, Splitter, Uplink,
};
use observe::BoxContext;

use crate::support::{
    self, FIRST_MOBILE, Network, Opening, UP, WINDOW, Way, fixed, modern, packet,
};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(30_000, 30_000);

/// What either end's packets bear, and its clock.
const MOBILES: (IpFields, u32) = (IpFields { dscp: 1, hop_limit: 62, flow_label: 7 }, 1_001);
const HOSTS: (IpFields, u32) = (IpFields { dscp: 2, hop_limit: 52, flow_label: 9 }, 9_000);

/// What a forger's do.
const FORGED: (IpFields, u32) =
    (IpFields { dscp: 46, hop_limit: 1, flow_label: 3 }, 1_001 + (1 << 30));

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn says(mut packet: Packet<Bytes>, (ip, value): (IpFields, u32)) -> Packet<Bytes> {
    packet.ip = ip;
    packet.segment.header.options.timestamps = Some(Timestamps { value, echo: 0 });
    packet
}

fn up(numbers: (u32, u32), flags: Flags, bytes: u64) -> Packet<Bytes> {
    says(support::up(numbers, flags, bytes), MOBILES)
}

fn down(numbers: (u32, u32), flags: Flags, bytes: u64) -> Packet<Bytes> {
    says(support::down(numbers, flags, bytes), HOSTS)
}

fn pass(middlebox: &mut dyn Managed<Bytes>, packet: Packet<Bytes>) -> Vec<Packet<Bytes>> {
    let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
    middlebox.handle_packet(cx, packet);
    std::iter::from_fn(|| middlebox.poll_output(cx)).collect()
}

fn riding() -> PerFlowSplit<Bytes> {
    PerFlowSplit::per_flow(SplitConfig::PLAIN, &Arc::new(modern()), BUFFERS)
}

/// The same with data towards the host split as well.
fn both_ways() -> Splitter<Bytes, BothWays<Bytes, PerFlow<Bytes>>> {
    let leg = || PerFlow::new(&Arc::new(modern()), BUFFERS);
    let config = SplitConfig { uplink: Uplink::Split, ..SplitConfig::PLAIN };
    Splitter::new(config, BothWays::new(leg(), leg()))
}

/// Brings a connection to where 1000 B wait for the mobile.
fn waiting<M: Managed<Bytes>>(mut middlebox: M) -> M {
    pass(&mut middlebox, up((100, 0), Flags::SYN, 0));
    pass(&mut middlebox, down((500, 101), Flags::SYN | Flags::ACK, 0));
    pass(&mut middlebox, up((101, 501), Flags::ACK, 0));
    pass(&mut middlebox, down((501, 101), Flags::ACK, 1_000));
    assert_eq!(middlebox.counters().held_bytes, 1_000);
    middlebox
}

/// Fields and clocks that the box's packets bear, each once.
fn shown(out: &[Packet<Bytes>]) -> Vec<(IpFields, u32)> {
    let clock = |it: &Packet<Bytes>| it.segment.header.options.timestamps.map_or(0, |it| it.value);
    let mut shown: Vec<_> = out.iter().map(|it| (it.ip, clock(it))).collect();
    shown.dedup();
    shown
}

/// Neither what it acknowledges nor its clock nor its IP fields: the box goes on as if it had not
/// come, and whoever it claims to be of is asked, at most (RFC 5961).
#[test]
fn nothing_is_taken_from_a_strange_segment() {
    let both = Flags::SYN | Flags::ACK;
    let far = 3_000_000_000;
    let forged = |way, numbers, flags, bytes| says(packet(way, numbers, flags, bytes), FORGED);
    for segment in [
        forged(UP, (far, 2_000_000_000), Flags::ACK, 0),
        forged(UP, (far, 1_501), Flags::ACK, 0),
        forged(UP, (far, 1_501), Flags::ACK, 100),
        forged(UP, (101, 1_502), Flags::ACK, 0),
        forged(UP, (101, 1_502), Flags::ACK, 100),
        forged(UP, (101, 1_501), Flags::NONE, 100),
        forged(UP, (far, 1_501), Flags::FIN | Flags::ACK, 0),
        forged(UP, (102, 1_501), Flags::RST, 0),
        forged(UP, (far, 1_501), Flags::RST, 0),
        forged(UP, (100, 501), both, 0),
        forged(UP.reversed(), (far, 101), Flags::ACK, 0),
        forged(UP.reversed(), (far, 101), Flags::ACK, 100),
        forged(UP.reversed(), (1_501, 102), Flags::ACK, 100),
        forged(UP.reversed(), (1_502, 101), Flags::RST, 0),
    ] {
        check_strange(waiting(riding()), &segment);
        check_strange(waiting(both_ways()), &segment);
    }
    // Far before what is expected: no window reaches back to it.
    let old = forged(UP, (101_u32.wrapping_sub(1 << 30), 1_501), Flags::ACK, 0);
    check_strange(waiting(riding()), &old);
    check_strange(waiting(both_ways()), &old);
}

fn check_strange<M: Managed<Bytes>>(mut middlebox: M, segment: &Packet<Bytes>) {
    let answers = pass(&mut middlebox, segment.clone());
    assert!(answers.len() <= 1, "{segment:?}: {answers:?}");
    assert!(answers.iter().all(|it| it.destination == segment.source), "{segment:?}: {answers:?}");
    assert!(answers.iter().all(|it| it.ip != FORGED.0), "{segment:?}: {answers:?}");
    assert_eq!(middlebox.counters().held_bytes, 1_000, "{segment:?}");
    let out = pass(&mut middlebox, down((1_501, 101), Flags::ACK, 1_000));
    assert_eq!(shown(&out), [HOSTS, MOBILES], "{segment:?}");
    let out = pass(&mut middlebox, up((101, 2_501), Flags::ACK, 40));
    assert!(shown(&out).contains(&MOBILES), "{segment:?}: {out:?}");
    let carried: usize = out.iter().map(|it| it.segment.payload.len()).sum();
    pass(&mut middlebox, down((2_501, 141), Flags::ACK, 0));
    assert_eq!((carried, middlebox.counters().held_bytes), (40, 0), "{segment:?}");
}

/// Of data that ride through, the window is the one that the mobile was told of, as far back as a
/// window reaches, and a number more for a FIN or a probe.
#[test]
fn which_numbers_of_a_mobile_count() {
    let check = |seq: u32, counts: bool| {
        let mut middlebox = waiting(riding());
        let out = pass(&mut middlebox, up((seq, 1_501), Flags::ACK, 0));
        let held = if counts { 0 } else { 1_000 };
        assert_eq!(middlebox.counters().held_bytes, held, "{seq}");
        // What comes again, or asks, goes to the host.
        let rides = counts && Seq::new(seq).before(Seq::new(101));
        let to_host = out.iter().filter(|it| it.destination == fixed(0)).count();
        assert_eq!(to_host, usize::from(rides), "{seq}: {out:?}");
    };
    check(101, true);
    check(100, true);
    let window = u32::from(WINDOW);
    check(101 + window, true);
    check(101 + window + 1, true);
    check(101 + window + 2, false);
    check(101_u32.wrapping_sub(65_535), true);
    check(101_u32.wrapping_sub(65_536), false);
}

/// A window that closes takes nothing back of what the mobile was told: data that were on their
/// way then, a probe, a FIN behind them and what comes again ride through.
#[test]
fn a_closed_window_makes_nobody_a_stranger() {
    for (seq, flags, bytes) in [
        (1_101, Flags::ACK, 500),
        (1_101, Flags::ACK, 1),
        (1_100, Flags::ACK, 0),
        (1_101, Flags::ACK | Flags::FIN, 0),
        (101, Flags::ACK, 1_000),
        (2_101, Flags::ACK, 1_000),
    ] {
        let mut middlebox = waiting(riding());
        pass(&mut middlebox, up((101, 501), Flags::ACK, 1_000));
        let mut closed = down((1_501, 1_101), Flags::ACK, 0);
        closed.segment.header.window = 0;
        pass(&mut middlebox, closed);
        let out = pass(&mut middlebox, up((seq, 1_501), flags, bytes));
        let rode = out.iter().any(|it| {
            it.destination == fixed(0)
                && it.segment.header.seq == Seq::new(seq)
                && it.segment.payload.len() as u64 == bytes
        });
        assert!(rode, "{seq} {flags:?}: {out:?}");
        assert_eq!(middlebox.counters().held_bytes, 0, "{seq} {flags:?}");
    }
}

/// One packet with a clock far ahead must not come to the host in an acknowledgement of the box:
/// all that the mobile sends from then on would be too old (RFC 7323 §5.3).
#[test]
fn a_forged_clock_ends_no_upload() {
    let mut net = Network::new(1, Box::new(riding()));
    let (client, server) = net.open(&Opening::of(5_000));
    net.run_for(seconds(3));
    net.write(client, 2_000);
    net.write(server, 2_000);
    net.run_for(seconds(3));
    let latest = net.passed(FIRST_MOBILE, Way::In).last().expect("it has acknowledged");
    let clock = latest.segment().header.options.timestamps.expect("both have a clock").value;
    let forged = (IpFields::default(), clock.wrapping_add(0x7000_0000));
    net.inject(says(packet(UP, (3_000_000_000, 2_000_000_000), Flags::ACK, 0), forged));
    // The box acknowledges these in the mobile's name.
    net.write(server, 2_000);
    net.run_for(seconds(3));
    net.write(client, 50_000);
    net.run_for(seconds(60));
    assert_eq!((net.read(client), net.read(server)), (4_000, 52_000));
    support::clocks_are_somebodys(&net.log);
}

/// Who has not heard of a reset is told so with the fields that the connection had.
#[test]
fn a_reset_connection_takes_no_fields() {
    let mut middlebox = waiting(riding());
    pass(&mut middlebox, up((101, 501), Flags::RST, 0));
    pass(&mut middlebox, says(packet(UP, (9, 9), Flags::ACK, 0), FORGED));
    let out = pass(&mut middlebox, down((1_501, 101), Flags::ACK, 10));
    assert_eq!(out.iter().map(|it| it.ip).collect::<Vec<_>>(), [MOBILES.0]);
}

/// TCP Fast Open (RFC 7413) on the ports of a connection that is over: the old one is forgotten,
/// and the new one passes untouched.
#[test]
fn fast_open_on_old_ports_passes() {
    let (fin, both) = (Flags::FIN | Flags::ACK, Flags::SYN | Flags::ACK);
    for mobile_opens in [true, false] {
        let mut middlebox = waiting(riding());
        for packet in
            [up((101, 1_501), fin, 0), down((1_501, 102), fin, 0), up((102, 1_502), Flags::ACK, 0)]
        {
            pass(&mut middlebox, packet);
        }
        assert_eq!((middlebox.flows(), middlebox.knows(&UP)), (0, true));
        let (opens, answers): (Says, Says) = if mobile_opens { (up, down) } else { (down, up) };
        for packet in [
            opens((900_000, 0), Flags::SYN, 5),
            answers((7_000_000, 900_006), both, 0),
            opens((900_006, 7_000_001), Flags::ACK, 0),
            answers((7_000_001, 900_006), Flags::ACK, 500),
            opens((900_006, 7_000_501), fin, 0),
        ] {
            assert_eq!(pass(&mut middlebox, packet.clone()), [packet], "{mobile_opens}");
        }
        let counters = middlebox.counters();
        assert_eq!((counters.flows, counters.bypassed), (1, 1), "{mobile_opens}");
        assert!(!middlebox.knows(&UP));
    }
}

type Says = fn((u32, u32), Flags, u64) -> Packet<Bytes>;

/// On one that stands such a SYN ends nothing: the end that it claims to be for challenges it.
#[test]
fn fast_open_ends_no_connection_that_stands() {
    let mut middlebox = waiting(riding());
    let syn = up((900_000, 0), Flags::SYN, 5);
    assert_eq!(pass(&mut middlebox, syn.clone()), [syn]);
    assert_eq!(middlebox.flows(), 1);
    let out = pass(&mut middlebox, up((101, 1_501), Flags::ACK, 40));
    assert_eq!((shown(&out), middlebox.counters().held_bytes), (vec![MOBILES], 0));
}
