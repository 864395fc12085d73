//! What a packet costs the scheduler of an aggregating proxy that it does not read, beside a bare
//! queue, and how much memory holds it.
//!
//! `cargo bench -p benches --bench others`. Each packet comes, waits, and leaves; the window is
//! full, and echo requests are answered after a round trip. Of `memory`, alloc and grow less
//! dealloc are the bytes that hold what waits.

use std::collections::VecDeque;
use std::hint::black_box;

use base::{Duration, Ecn, Rate, Time};
use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use middlebox::{
    Address, Aside, Atcp, AtcpConfig, Leg, Middlebox, Opaque, Reception, SplitConfig, Splitter,
};
use observe::BoxContext;
use tcp::Length;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

const HOST: Address = Address { leg: Leg::Wired, host: 1 };
const MOBILE: Address = Address { leg: Leg::Radio, host: 2 };

/// A packet each microsecond at the rate below.
const BYTES: u32 = 1_500;
const RATE: Rate = Rate::from_bps(12_000_000_000);
const ROUND_TRIP: Duration = Duration::from_millis(1);

/// Packets that come between two looks at what has left.
const BATCH: u32 = 1_000;

fn main() {
    divan::main();
}

/// A scheduler with packets that wait, and answers under way.
struct Scheduler {
    proxy: Splitter<Length, Atcp<Length>>,
    now: Time,
    next: u32,
    flows: u32,
    answers: VecDeque<(Time, u32)>,
    left: u64,
}

impl Scheduler {
    /// One in which a packet of each flow waits, within a budget.
    fn with(flows: u32, budget: u64) -> Self {
        let bdp = RATE.bytes_in(ROUND_TRIP);
        let config = AtcpConfig {
            clamp: bdp,
            rate: RATE,
            round_trip: ROUND_TRIP,
            budget,
            others_target: Some(Duration::from_secs(1_000)),
            ..AtcpConfig::default()
        };
        let proxy = Splitter::new(SplitConfig::PLAIN, Atcp::new(config));
        let answers = VecDeque::new();
        let mut scheduler = Self { proxy, now: Time::ZERO, next: 0, flows, answers, left: 0 };
        (0..flows).for_each(|_| scheduler.come());
        scheduler
    }

    /// The next packet comes.
    fn come(&mut self) {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        // Spread as a hash spreads them (2³² over the golden ratio).
        let flow = (number % self.flows).wrapping_mul(0x9E37_79B9);
        let packet = Opaque {
            number,
            source: HOST,
            destination: MOBILE,
            flow,
            ports: Some([443, 5_000]),
            dscp: 0,
            bytes: BYTES,
            ecn: Ecn::NotCapable,
        };
        let cx = &mut BoxContext { now: self.now, observe: &mut |_| {} };
        assert_eq!(self.proxy.handle_opaque(cx, &packet), Reception::Waits);
        self.poll();
    }

    fn poll(&mut self) {
        let cx = &mut BoxContext { now: self.now, observe: &mut |_| {} };
        while self.proxy.poll_output(cx).is_some() {}
        while let Some(aside) = self.proxy.poll_aside() {
            match aside {
                Aside::Packet(number, release) => {
                    black_box((number, release));
                    self.left += 1;
                }
                Aside::Echo(_, number) => self.answers.push_back((self.now + ROUND_TRIP, number)),
            }
        }
    }

    /// A packet comes after a packet's time, and answers whose time has come.
    fn step(&mut self) {
        self.now += Duration::from_micros(1);
        while let Some(&(at, number)) = self.answers.front()
            && at <= self.now
        {
            self.answers.pop_front();
            let cx = &mut BoxContext { now: self.now, observe: &mut |_| {} };
            self.proxy.handle_echo(cx, MOBILE, number);
            self.poll();
        }
        if self.proxy.poll_timeout().is_some_and(|at| at <= self.now) {
            let cx = &mut BoxContext { now: self.now, observe: &mut |_| {} };
            self.proxy.handle_timeout(cx);
            self.poll();
        }
        self.come();
    }
}

/// A packet comes and one leaves, of flows of one mobile in turn.
#[divan::bench(args = [10, 10_000, 100_000])]
fn scheduled(bencher: Bencher<'_, '_>, flows: u32) {
    let mut scheduler = Scheduler::with(flows, u64::from(u32::MAX));
    (0..20 * BATCH).for_each(|_| scheduler.step());
    let before = (scheduler.next, scheduler.left);
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        (0..BATCH).for_each(|_| scheduler.step());
    });
    let came = f64::from(scheduler.next - before.0);
    let ratio = (scheduler.left - before.1) as f64 / came;
    assert!((ratio - 1.0).abs() < 0.1, "{ratio} leave for each that comes");
}

/// The same without a scheduler: one queue for all.
#[divan::bench]
fn bare(bencher: Bencher<'_, '_>) {
    let mut queue: VecDeque<(u32, u32, Time)> =
        (0..10_000).map(|n| (n, BYTES, Time::ZERO)).collect();
    let mut now = Time::ZERO;
    bencher.counter(ItemsCount::new(BATCH)).bench_local(|| {
        for number in 0..BATCH {
            now += Duration::from_micros(1);
            queue.push_back(black_box((number, BYTES, now)));
            black_box(queue.pop_front());
        }
    });
}

/// A packet of each of so many flows waits, as far as the budget has room.
#[divan::bench(args = [10_000, 100_000], sample_count = 3, sample_size = 1)]
fn memory(bencher: Bencher<'_, '_>, flows: u32) {
    bencher.counter(ItemsCount::new(flows)).bench_local(|| Scheduler::with(flows, 128_000_000));
}
