//! What a packet costs: `cargo bench -p benches --bench link`. Each figure is for 100 000 packets
//! of 1000 B, eight of which are always on their way or waiting.

use base::{Duration, Probability, Rate, Schedule, Time};
use divan::Bencher;
use link::queue::{self, Discipline, codel};
use link::{Config, Link, LinkConfig, Load, Pipe, Service, Trace, disorder, loss};

fn main() {
    divan::main();
}

/// As large as a packet of the simulator.
#[derive(Debug)]
struct Packet {
    bytes: u32,
    _header: [u64; 12],
}

const PACKET: Packet = Packet { bytes: 1000, _header: [0; 12] };

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }
}

const PACKETS: u32 = 100_000;
const AHEAD: u32 = 8;

const RATE: Option<Rate> = Some(Rate::from_bps(8_000_000));
const DELAY: Duration = Duration::from_millis(2);

#[divan::bench(sample_count = 20, sample_size = 1)]
fn pipe(bencher: Bencher<'_, '_>) {
    bencher.bench_local(|| {
        let mut pipe = Pipe::new(&Config { rate: RATE, delay: DELAY, queue_limit: Some(50) });
        let mut entered = 0;
        while entered < AHEAD {
            entered += u32::from(pipe.handle_input(Time::ZERO, PACKET).is_ok());
        }
        while let Some(now) = pipe.poll_timeout() {
            while pipe.poll_output(now).is_some() {
                if entered < PACKETS {
                    entered += u32::from(pipe.handle_input(now, PACKET).is_ok());
                }
            }
        }
        pipe.counters(Time::ZERO)
    });
}

/// A link with the rate and delay of the pipe.
fn run(bencher: Bencher<'_, '_>, queue: queue::Config, loss: &loss::Config) {
    let service = Service::Rate(Schedule::constant(RATE));
    run_link(
        bencher,
        &LinkConfig {
            service,
            delay: Schedule::constant(DELAY),
            queue,
            drop_arrivals: Vec::new(),
            loss: loss.clone(),
            disorder: disorder::Config::default(),
        },
    );
}

/// A link by the trace that `text` is.
fn run_trace(bencher: Bencher<'_, '_>, text: &str) {
    let trace = Trace::parse(text.as_bytes()).expect("valid");
    run_link(
        bencher,
        &LinkConfig {
            service: Service::Trace(trace),
            delay: Schedule::constant(DELAY),
            queue: queue::Config::UNLIMITED,
            drop_arrivals: Vec::new(),
            loss: loss::Config::default(),
            disorder: disorder::Config::default(),
        },
    );
}

fn run_link(bencher: Bencher<'_, '_>, config: &LinkConfig) {
    bencher.bench_local(|| {
        let mut link = Link::new(config, 1, "bench");
        let mut entered = 0;
        while entered < AHEAD {
            entered += u32::from(link.handle_input(Time::ZERO, PACKET).is_ok());
        }
        while let Some(now) = link.poll_timeout() {
            while link.poll_output(now).is_some() {
                if entered < PACKETS {
                    entered += u32::from(link.handle_input(now, PACKET).is_ok());
                }
            }
        }
        link.counters(Time::ZERO)
    });
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn link(bencher: Bencher<'_, '_>) {
    run(bencher, queue::Config::UNLIMITED, &loss::Config::default());
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn link_with_codel_and_losses(bencher: Bencher<'_, '_>) {
    let codel = codel::Config {
        target: Duration::from_millis(5),
        interval: Duration::from_millis(100),
        mtu: 1500,
    };
    let queue = queue::Config { discipline: Discipline::CoDel(codel), ..queue::Config::UNLIMITED };
    let bernoulli = Probability::new(0.01).map(Schedule::constant);
    run(bencher, queue, &loss::Config { bernoulli, ..loss::Config::default() });
}

/// A thousand opportunities, one each 3 ms.
fn stamps() -> impl Iterator<Item = u32> {
    (1..=1000).map(|number| number * 3)
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn mahimahi_trace(bencher: Bencher<'_, '_>) {
    let lines: Vec<_> = stamps().map(|stamp| stamp.to_string()).collect();
    run_trace(bencher, &lines.join("\n"));
}

/// The same with delays; with an idle time below the pause between opportunities it is all bursts.
#[divan::bench(args = [100, 1], sample_count = 20, sample_size = 1)]
fn load_dependent_trace(bencher: Bencher<'_, '_>, idle_ms: u32) {
    let mut lines = vec![format!("series,at_ms,ms,packets\nidle,,{idle_ms},")];
    lines.extend((0..100).map(|number| format!("delay,{},{},", number * 20, number % 7)));
    lines.extend((0..100).map(|number| format!("light,{},1.5,1", number * 20)));
    lines.extend(stamps().map(|stamp| format!("heavy,{stamp},,1")));
    run_trace(bencher, &lines.join("\n"));
}
