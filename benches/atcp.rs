//! What a packet costs the aggregating proxy, and what an idle connection holds.
//!
//! `cargo bench -p benches --bench atcp`. Of `idle_flows`, alloc and grow less dealloc are
//! the bytes that the connections hold: divided by their number, with eight a mobile, that is a
//! connection.

#[path = "../crates/middlebox/tests/support/aggregating.rs"]
mod aggregating;

use std::hint::black_box;

use aggregating::aggregating;
use base::{Duration, Flags, Seq, TcpHeader, Time};
use divan::{AllocProfiler, Bencher};
use middlebox::{
    Address, Atcp, AtcpConfig, IpFields, Journal, Leg, Managed, Middlebox, Packet, SplitConfig,
    Splitter,
};
use observe::BoxContext;
use tcp::{Length, Segment};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const MSS: u32 = 1_348;
const HOST: Address = Address { leg: Leg::Wired, host: 1 };

type Proxy = Splitter<Length, Atcp<Length>>;

fn main() {
    divan::main();
}

fn proxy() -> Proxy {
    proxy_with(Journal::Unkept)
}

fn proxy_with(journal: Journal) -> Proxy {
    let config = AtcpConfig { coalescing: true, ..aggregating() };
    Splitter::new(SplitConfig { journal, ..SplitConfig::PLAIN }, Atcp::new(config))
}

const fn mobile(number: u32) -> Address {
    Address { leg: Leg::Radio, host: 10_000 + number as u128 }
}

/// Hands a packet in and takes all out; says how many those were.
fn pass(proxy: &mut Proxy, now: Time, packet: Packet<Length>) -> u32 {
    let cx = &mut BoxContext { now, observe: &mut |_| {} };
    proxy.handle_packet(cx, packet);
    let mut count = 0;
    while let Some(packet) = proxy.poll_output(cx) {
        while let Some(exposure) = proxy.poll_exposure() {
            black_box(exposure);
        }
        black_box(packet);
        count += 1;
    }
    count
}

/// A packet between the host and the mobile's `port`.
fn packet(
    down: bool,
    number: u32,
    port: u16,
    flags: Flags,
    seq: u32,
    ack: u32,
    bytes: u32,
) -> Packet<Length> {
    let (source, destination) = if down { (HOST, mobile(number)) } else { (mobile(number), HOST) };
    let (source_port, destination_port) = if down { (80, port) } else { (port, 80) };
    let (seq, ack) = (Seq::new(seq), Seq::new(ack));
    let mut header = TcpHeader {
        source_port,
        destination_port,
        seq,
        ack,
        flags,
        window: 65_535,
        ..TcpHeader::default()
    };
    if flags.contains(Flags::SYN) {
        header.options.mss = Some(MSS as u16);
        header.options.sack_permitted = true;
    }
    let segment = Segment { header, payload: Length(u64::from(bytes)), ..Segment::default() };
    Packet { source, destination, ip: IpFields::default(), segment }
}

/// An established connection.
fn open(proxy: &mut Proxy, number: u32, port: u16) {
    let now = Time::ZERO;
    pass(proxy, now, packet(false, number, port, Flags::SYN, 0, 0, 0));
    pass(proxy, now, packet(true, number, port, Flags::SYN | Flags::ACK, 0, 1, 0));
    pass(proxy, now, packet(false, number, port, Flags::ACK, 1, 1, 0));
}

/// Segment `nth` comes from the host, goes to the mobile, and is acknowledged.
fn exchange(proxy: &mut Proxy, now: Time, number: u32, port: u16, nth: u32) -> u32 {
    let seq = 1 + nth * MSS;
    pass(proxy, now, packet(true, number, port, Flags::ACK, seq, 1, MSS))
        + pass(proxy, now, packet(false, number, port, Flags::ACK, 1, seq + MSS, 0))
}

/// A segment down and its acknowledgement up, mobiles in turn.
#[divan::bench(args = [1, 10, 1_000, 10_000])]
fn packets(bencher: Bencher<'_, '_>, mobiles: u32) {
    run(bencher, proxy(), mobiles);
}

fn run(bencher: Bencher<'_, '_>, mut proxy: Proxy, mobiles: u32) {
    (0..mobiles).for_each(|number| open(&mut proxy, number, 5_000));
    let mut nth = 0;
    bencher.counter(divan::counter::ItemsCount::new(2 * mobiles)).bench_local(|| {
        nth += 1;
        let now = Time::ZERO + Duration::from_millis(u64::from(nth));
        (0..mobiles).map(|number| exchange(&mut proxy, now, number, 5_000, nth - 1)).sum::<u32>()
    });
}

/// The same, and each exposure is asked for.
#[divan::bench(args = [1, 10, 1_000, 10_000])]
fn packets_with_a_journal(bencher: Bencher<'_, '_>, mobiles: u32) {
    run(bencher, proxy_with(Journal::Kept), mobiles);
}

/// So many mobiles with eight connections each, each with ten segments behind it. Tables double as
/// they grow: 1,000 mobiles nearly fill theirs, 1,025 have just doubled them.
#[divan::bench(args = [1_000, 1_025], sample_count = 3, sample_size = 1)]
fn idle_flows(bencher: Bencher<'_, '_>, mobiles: u32) {
    bencher.counter(divan::counter::ItemsCount::new(8 * mobiles)).bench_local(|| {
        let mut proxy = proxy();
        for number in 0..mobiles {
            for port in 5_000..5_008 {
                open(&mut proxy, number, port);
                for nth in 0..10 {
                    let now = Time::ZERO + Duration::from_millis(u64::from(nth));
                    exchange(&mut proxy, now, number, port, nth);
                }
            }
        }
        std::mem::forget(black_box(proxy));
    });
}
