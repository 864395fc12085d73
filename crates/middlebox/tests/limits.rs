//! What a box does not take upon itself: floods, full tables and full buffers harm whom they are
//! of, pass untouched, and are counted by their reason.

use std::sync::Arc;

use base::{Duration, Flags, Time};
use middlebox::{
    Address, Atcp, AtcpConfig, Bypass, Connection, Managed, MiddleboxLimits, Packet, PerFlowSplit,
    Snoop, SnoopConfig, SocketBuffers, SplitConfig, Splitter,
};
use observe::{BoxContext, MiddleboxFact};
use tcp::Length;

use crate::support::{aggregating, fixed, mobile, modern, packet};

type Any = Box<dyn Managed<Length>>;

const BUDGET: u64 = 50_000;
const BUFFERS: SocketBuffers = SocketBuffers::fixed(20_000, 10_000);
const SNOOP: SnoopConfig = SnoopConfig {
    cache_segments: 30,
    tick: Duration::from_millis(500),
    max_tries: 10,
    threshold: 3,
};

/// One of each family within `limits`.
fn boxes(limits: MiddleboxLimits) -> [Any; 3] {
    let config = SplitConfig { limits, ..SplitConfig::PLAIN };
    [
        Box::new(Splitter::new(config, Atcp::new(AtcpConfig { budget: BUDGET, ..aggregating() }))),
        Box::new(PerFlowSplit::per_flow(config, &Arc::new(modern()), BUFFERS)),
        Box::new(Snoop::within(limits, SNOOP)),
    ]
}

fn pass(middlebox: &mut Any, now: Time, packet: Packet<Length>) -> Vec<Packet<Length>> {
    let cx = &mut BoxContext { now, observe: &mut |_| {} };
    middlebox.handle_packet(cx, packet);
    std::iter::from_fn(|| middlebox.poll_output(cx)).collect()
}

const fn call(from: Address, port: u16) -> Connection {
    Connection { source: from, destination: fixed(0), source_port: port, destination_port: 80 }
}

/// A SYN goes by: whether the box takes part.
fn knock(middlebox: &mut Any, now: Time, from: Address, port: u16) -> bool {
    let way = call(from, port);
    let out = pass(middlebox, now, packet(way, (100, 0), Flags::SYN, 0));
    assert_eq!(out.len(), 1, "every SYN passes");
    middlebox.knows(&way)
}

/// A handshake goes by: whether the box takes part.
fn open(middlebox: &mut Any, now: Time, from: Address, port: u16) -> bool {
    let way = call(from, port);
    knock(middlebox, now, from, port);
    pass(middlebox, now, packet(way.reversed(), (500, 101), Flags::SYN | Flags::ACK, 0));
    pass(middlebox, now, packet(way, (101, 501), Flags::ACK, 0));
    middlebox.knows(&way)
}

fn wait(middlebox: &mut Any, end: Time) {
    while let Some(due) = middlebox.poll_timeout().filter(|&due| due <= end) {
        let cx = &mut BoxContext { now: due, observe: &mut |_| {} };
        middlebox.handle_timeout(cx);
        while middlebox.poll_output(cx).is_some() {}
    }
}

/// 50,000 SYNs of one mobile, and of as many that nobody has ever heard of: others are taken in as
/// before the one, and after the other once that is over.
#[test]
fn floods_hit_whom_they_come_from() {
    let limits = MiddleboxLimits {
        opening: 100,
        opening_per_mobile: 8,
        flows: 1_000,
        ..MiddleboxLimits::NONE
    };
    for mut middlebox in boxes(limits) {
        let taken = |middlebox: &mut Any, from: fn(u32) -> (Address, u16)| {
            let who = (0..50_000).map(from);
            who.filter(|&(from, port)| knock(middlebox, Time::ZERO, from, port)).count()
        };
        assert_eq!(taken(&mut middlebox, |nth| (mobile(1), nth as u16)), 8);
        assert!(open(&mut middlebox, Time::ZERO, mobile(2), 1));
        assert!(!open(&mut middlebox, Time::ZERO, mobile(1), 9_999));
        assert_eq!(taken(&mut middlebox, |nth| (mobile(3 + nth), 1)), 92);
        assert!(!open(&mut middlebox, Time::ZERO, mobile(200_000), 1));
        let counters = middlebox.counters();
        let of = |reason| counters.bypasses[reason];
        assert_eq!((of(Bypass::OpeningPerMobile), of(Bypass::Opening)), (49_993, 49_909));
        assert_eq!(counters.bypassed, 49_993 + 49_909);
        assert_eq!(middlebox.flows(), 101);
        // Half-open connections are forgotten.
        let later = Time::ZERO + MiddleboxLimits::NONE.transitory * 2;
        wait(&mut middlebox, later);
        assert_eq!(middlebox.flows(), 1);
        assert!(open(&mut middlebox, later, mobile(1), 1));
    }
}

/// Resets, or answers and resets, make room at once and leave nothing behind.
#[test]
fn a_flood_that_is_reset_takes_no_room() {
    let limits =
        MiddleboxLimits { opening: 10, opening_per_mobile: 4, flows: 20, ..MiddleboxLimits::NONE };
    for mut middlebox in boxes(limits) {
        for nth in 0..50_000_u32 {
            let (from, port) = (mobile(nth % 3), nth as u16);
            if nth % 2 == 0 {
                assert!(open(&mut middlebox, Time::ZERO, from, port), "{nth}");
            } else {
                assert!(knock(&mut middlebox, Time::ZERO, from, port), "{nth}");
            }
            pass(&mut middlebox, Time::ZERO, packet(call(from, port), (101, 0), Flags::RST, 0));
            assert_eq!(middlebox.flows(), 0);
        }
        assert_eq!(middlebox.counters().bypassed, 0);
    }
}

#[test]
fn tables_have_room_for_as_many_as_they_say() {
    let limits = MiddleboxLimits { flows: 5, flows_per_mobile: 3, ..MiddleboxLimits::NONE };
    for mut middlebox in boxes(limits) {
        let opened = |middlebox: &mut Any, of: u32| {
            (0..10).filter(|&port| open(middlebox, Time::ZERO, mobile(of), port)).count()
        };
        assert_eq!(opened(&mut middlebox, 1), 3);
        assert_eq!(opened(&mut middlebox, 2), 2);
        let counters = middlebox.counters();
        let of = |reason| counters.bypasses[reason];
        assert_eq!((of(Bypass::FlowsPerMobile), of(Bypass::Flows)), (7, 8));
        assert_eq!((middlebox.flows(), counters.bypassed), (5, 15));
    }
}

/// Whoever sends as much as windows allow, to mobiles that never answer: what is held stays below
/// the bound, and who would exceed it is let pass.
#[test]
fn what_is_held_never_exceeds_its_bound() {
    // Two mobiles with aggregates, three connections of a relay or of Snoop.
    let per_flow = BUFFERS.first_bytes();
    for (index, (bytes, expected)) in
        [(2 * BUDGET + 10, 2 * 4), (3 * per_flow + 10, 3), (3 * 30_001 + 10, 3)]
            .into_iter()
            .enumerate()
    {
        let mut middlebox =
            boxes(MiddleboxLimits { bytes, ..MiddleboxLimits::NONE }).into_iter().nth(index);
        let middlebox = middlebox.as_mut().expect("there are three");
        let who = || (0..4).flat_map(|number| (0..4).map(move |port| (mobile(number), port)));
        let taken = who().filter(|&(from, port)| open(middlebox, Time::ZERO, from, port)).count();
        assert_eq!(taken, expected, "{middlebox:?}");
        let counters = middlebox.counters();
        assert_eq!(counters.bypasses[Bypass::Bytes], 16 - expected as u64);
        for nth in 0..100 {
            for (from, port) in who() {
                let down = call(from, port).reversed();
                let data = packet(down, (501 + nth * 1_000, 101), Flags::ACK, 1_000);
                pass(middlebox, Time::ZERO, data);
                assert!(middlebox.counters().held_bytes <= bytes);
            }
        }
        assert!(middlebox.counters().held_bytes > bytes / 2, "{:?}", middlebox.counters());
    }
}

/// Connections that are over stand in nobody's way.
#[test]
fn what_is_over_makes_room() {
    let limits =
        MiddleboxLimits { flows: 4, flows_per_mobile: 2, opening: 2, ..MiddleboxLimits::NONE };
    for mut middlebox in boxes(limits) {
        for port in 0..5_000 {
            let way = call(mobile(1), port);
            assert!(open(&mut middlebox, Time::ZERO, mobile(1), port), "{port}");
            let fin = Flags::FIN | Flags::ACK;
            pass(&mut middlebox, Time::ZERO, packet(way.reversed(), (501, 101), fin, 0));
            pass(&mut middlebox, Time::ZERO, packet(way, (101, 502), fin, 0));
            pass(&mut middlebox, Time::ZERO, packet(way.reversed(), (502, 102), Flags::ACK, 0));
            assert_eq!(middlebox.flows(), 0, "{port}");
            let known = (0..=port).filter(|&port| middlebox.knows(&call(mobile(1), port))).count();
            assert!(known <= 3 || port > 100, "{known}");
        }
        assert_eq!(middlebox.counters().bypassed, 0);
    }
}

/// The numbers of mobiles that a box tells of while each of these opens a connection and resets it.
fn numbers(middlebox: &mut Any, hosts: impl Iterator<Item = u128>) -> Vec<u32> {
    let mut numbers = Vec::new();
    for host in hosts {
        let way = call(Address { host, ..mobile(0) }, 1);
        for packet in [
            packet(way, (100, 0), Flags::SYN, 0),
            packet(way.reversed(), (500, 101), Flags::SYN | Flags::ACK, 0),
            packet(way, (101, 501), Flags::ACK, 0),
            packet(way, (101, 0), Flags::RST, 0),
        ] {
            let observe = &mut |fact| {
                if let MiddleboxFact::Opened { mobile, .. } = fact {
                    numbers.push(mobile);
                }
            };
            let cx = &mut BoxContext { now: Time::ZERO, observe };
            middlebox.handle_packet(cx, packet);
            while middlebox.poll_output(cx).is_some() {}
        }
        assert_eq!(middlebox.flows(), 0);
    }
    numbers
}

/// A mobile that takes one address after the other, and many mobiles after each other: a box keeps
/// what it knows of as many as may have connections, and not of all that ever had.
#[test]
fn quiet_mobiles_take_bounded_room() {
    let limits = MiddleboxLimits { flows: 50, ..MiddleboxLimits::NONE };
    let prefix = 0x2001_0DB8_0045_0000_u128 << 64;
    for mut middlebox in boxes(limits) {
        let one = numbers(&mut middlebox, (1..5_000).map(|nth| prefix | nth));
        assert_eq!((one.len(), one.iter().all(|&number| number == 0)), (4_999, true));
    }
    for mut middlebox in boxes(limits) {
        let many = numbers(&mut middlebox, (1..5_000).map(|nth| prefix + (nth << 64)));
        assert_eq!((many.len(), many.iter().max()), (4_999, Some(&50)));
        let many = numbers(&mut middlebox, 1..5_000);
        assert_eq!((many.len(), many.iter().max()), (4_999, Some(&50)));
    }
}

/// Addresses of one mobile have one aggregate: one budget.
#[test]
fn addresses_of_one_mobile_share_what_is_held_for_it() {
    let [mut aggregating, ..] = boxes(MiddleboxLimits { bytes: BUDGET, ..MiddleboxLimits::NONE });
    let prefix = 0x2001_0DB8_0045_0000_u128 << 64;
    let address = |nth| Address { host: prefix | nth, ..mobile(0) };
    for nth in 1..5 {
        assert!(open(&mut aggregating, Time::ZERO, address(nth), 1));
    }
    for nth in 0..100 {
        for host in 1..5 {
            let down = call(address(host), 1).reversed();
            let data = packet(down, (501 + nth * 1_000, 101), Flags::ACK, 1_000);
            pass(&mut aggregating, Time::ZERO, data);
        }
    }
    let held = aggregating.counters().held_bytes;
    assert!((BUDGET / 2..=BUDGET).contains(&held), "{held}");
    assert!(!open(&mut aggregating, Time::ZERO, mobile(7), 1));
}
