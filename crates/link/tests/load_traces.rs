//! Laws of traces that depend on load.

use base::{Duration, Schedule, Time};
use link::queue::{self, droptail::Limit};
use link::{Link, LinkConfig, Load, OPPORTUNITY_BYTES, Output, Service, Trace, disorder, loss};
use proptest::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packet {
    number: usize,
    bytes: u32,
}

impl Load for Packet {
    fn bytes(&self) -> u32 {
        self.bytes
    }
}

const PERIOD_MS: u64 = 60;

const fn at(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}

fn link(trace: &str, delay_ms: u64, packets: Option<u32>) -> Link<Packet> {
    let limit = Limit { packets, bytes: None };
    let config = LinkConfig {
        service: Service::Trace(Trace::parse(trace.as_bytes()).expect("valid")),
        delay: Schedule::constant(Duration::from_millis(delay_ms)),
        queue: queue::Config { limit, ..queue::Config::UNLIMITED },
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    };
    Link::new(&config, 1, "test")
}

/// How many packets a saturated link can send in each millisecond of a period, the last at its end.
fn heavy() -> impl Strategy<Value = Vec<u32>> {
    let counts = prop_oneof![3 => Just(0), 1 => 1_u32..5];
    prop::collection::vec(counts, PERIOD_MS as usize).prop_map(|mut counts| {
        counts.push(1);
        counts
    })
}

/// Waits in milliseconds, often longer than an idle time, and bytes.
fn traffic() -> impl Strategy<Value = Vec<(u64, u32)>> {
    let wait = prop_oneof![4 => Just(0), 4 => 0_u64..6, 1 => 0_u64..200];
    prop::collection::vec((wait, 1_u32..4_000), 1..200)
}

fn mahimahi(heavy: &[u32]) -> String {
    let stamps = (0..).zip(heavy).flat_map(|(at, &count)| (0..count).map(move |_| at));
    stamps.map(|at: u64| at.to_string()).collect::<Vec<_>>().join("\n")
}

/// The lines of a table that say the same.
fn heavy_lines(heavy: &[u32]) -> impl Iterator<Item = String> {
    let some = heavy.iter().enumerate().filter(|(_, count)| **count > 0);
    some.map(|(at, count)| format!("heavy,{at},,{count}"))
}

/// A table with the opportunities of `heavy`, in which a burst meets the first `length` times of
/// just these, whenever it begins.
fn alike(heavy: &[u32], delay_ms: u64, idle_ms: u64, length: usize) -> String {
    let mut table = vec![format!("series,at_ms,ms,packets\nidle,,{idle_ms},\ndelay,0,{delay_ms},")];
    // What is at the end of a period is at the beginning of the next one, before what begins there.
    let ahead = |ms: u64| {
        let (end, within) = (heavy[PERIOD_MS as usize], ms % PERIOD_MS);
        let first = heavy[within as usize];
        if within == 0 && ms > 0 { end + first } else { first }
    };
    for begins in 0..PERIOD_MS {
        let times = (begins + 1..).filter(|&ms| ahead(ms) > 0).take(length);
        for ms in times {
            table.push(format!("light,{begins},{},{}", ms - begins, ahead(ms)));
        }
    }
    table.extend(heavy_lines(heavy));
    table.join("\n")
}

/// What comes out of `link`, and when: packets that enter as `traffic` says, at once if that is
/// refused.
fn events(link: &mut Link<Packet>, traffic: &[(u64, u32)]) -> Vec<(Time, Packet, bool)> {
    let (mut seen, mut now) = (Vec::new(), 0);
    let run = |link: &mut Link<Packet>, until: Time, seen: &mut Vec<_>| {
        while let Some(due) = link.poll_timeout().filter(|&due| due <= until) {
            while let Some(output) = link.poll_output(due) {
                match output {
                    Output::Delivered(packet) => seen.push((due, packet, true)),
                    Output::Dropped(dropped) => seen.push((due, dropped.packet, false)),
                    Output::Duplicated(_) | Output::Corrupted(..) => {
                        unreachable!("the wire disorders nothing")
                    }
                }
            }
        }
    };
    for (number, &(wait, bytes)) in traffic.iter().enumerate() {
        now += wait;
        run(link, at(now), &mut seen);
        if let Err(refused) = link.handle_input(at(now), Packet { number, bytes }) {
            seen.push((at(now), refused.packet, false));
        }
    }
    run(link, at(1_000_000), &mut seen);
    seen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Where bursts meet what a saturated link sends, and the delay is one, it is Mahimahi's link:
    /// packet for packet, time for time.
    #[test]
    fn alike_under_any_load_it_is_a_mahimahi_trace(
        heavy in heavy(),
        delays in (0_u64..40, 0_u64..40),
        idle in 1_u64..50,
        length in 1_usize..8,
        packets in prop::option::of(1_u32..20),
        traffic in traffic(),
    ) {
        let (whole, part) = (delays.0 + delays.1, delays.1);
        let mut plain = link(&mahimahi(&heavy), whole, packets);
        let mut answering = link(&alike(&heavy, delays.0, idle, length), part, packets);
        prop_assert_eq!(events(&mut answering, &traffic), events(&mut plain, &traffic));
        let end = at(1_000_000);
        prop_assert_eq!(answering.counters(end), plain.counters(end));
        prop_assert_eq!(answering.utilization(end), plain.utilization(end));
        prop_assert_eq!(answering.rate(end), plain.rate(end));
        prop_assert_eq!(answering.delay(end), plain.delay(end));
        let second = Duration::from_millis(1000);
        prop_assert_eq!(answering.capacity(end, second), plain.capacity(end, second));
    }

    /// A burst that fits into its train leaves with it, and is delayed as recorded; no packet comes
    /// before its delay is over.
    #[test]
    fn a_short_burst_gets_what_light_says(
        train in prop::collection::vec(0_u64..100, 1..20),
        heavy in heavy(),
        delay in 0_u64..50,
        starts in 0_u64..1_000,
    ) {
        let mut train = train;
        train.sort_unstable();
        let mut table = vec![format!("series,at_ms,ms,packets\nidle,,200,\ndelay,0,{delay},")];
        for after in &train {
            table.push(format!("light,0,{after},1"));
        }
        table.extend(heavy_lines(&heavy));
        let mut link = link(&table.join("\n"), 0, None);
        // Two bursts, an idle time apart.
        let rest = train[1..].iter().map(|_| (0, 1500));
        let burst = |wait| std::iter::once((wait, 1500)).chain(rest.clone());
        let again = train[train.len() - 1] + delay + 200;
        let traffic: Vec<_> = burst(starts).chain(burst(again)).collect();
        let arrivals: Vec<_> = events(&mut link, &traffic).iter().map(|event| event.0).collect();
        let expect = [starts, starts + again].into_iter();
        let expect: Vec<_> = expect
            .flat_map(|starts| train.iter().map(move |after| at(starts + after + delay)))
            .collect();
        prop_assert_eq!(arrivals, expect);
    }

    /// Once its train is at its end, a link that is never idle sends what heavy says, within a
    /// packet.
    #[test]
    fn a_saturated_link_gets_what_heavy_says(
        heavy in heavy(),
        light in (0_u64..30, 1_u32..5),
        sizes in prop::collection::vec(40_u32..1_500, 200..400),
    ) {
        let head = "series,at_ms,ms,packets\nidle,,10,";
        let mut table = vec![format!("{head}\nlight,0,{},{}", light.0, light.1)];
        table.extend(heavy_lines(&heavy));
        let offered = Trace::parse(mahimahi(&heavy).as_bytes()).expect("valid");
        let mut link = link(&table.join("\n"), 0, None);
        let traffic: Vec<_> = sizes.iter().map(|&bytes| (0, bytes)).collect();
        let mut sent = 0;
        let train = u64::from(light.1 * OPPORTUNITY_BYTES);
        let (first, packet) = (offered.opportunities(at(light.0)), u64::from(OPPORTUNITY_BYTES));
        for (now, of, _) in events(&mut link, &traffic) {
            sent += u64::from(of.bytes);
            if now > at(light.0) {
                let just_before = Time::from_nanos(now.as_nanos() - 1);
                let by = |time| train + (offered.opportunities(time) - first) * packet;
                prop_assert!(sent <= by(now), "{} B by {:?}", sent, now);
                prop_assert!(sent > by(just_before), "{} B by {:?}", sent, now);
            }
        }
    }

    /// The delay of a packet is at least the least that was recorded, over any traffic.
    #[test]
    fn no_packet_comes_before_its_base_delay(
        heavy in heavy(),
        delays in prop::collection::vec(0_u64..50, 1..6),
        traffic in traffic(),
    ) {
        let mut table = vec!["series,at_ms,ms,packets\nidle,,10,\nlight,0,0,3".to_owned()];
        for (number, delay) in delays.iter().enumerate() {
            table.push(format!("delay,{},{delay},", number * 10));
        }
        table.extend(heavy_lines(&heavy));
        let mut entered = Vec::new();
        let mut now = 0;
        for (wait, _) in &traffic {
            now += wait;
            entered.push(now);
        }
        let delay = |ms: u64| {
            let number = (ms % PERIOD_MS / 10) as usize;
            delays[number.min(delays.len() - 1)]
        };
        let seen = events(&mut link(&table.join("\n"), 0, None), &traffic);
        prop_assert_eq!(seen.len(), traffic.len());
        for (number, (arrived, packet, _)) in seen.into_iter().enumerate() {
            prop_assert_eq!(packet.number, number);
            let mut departures = entered[number]..=arrived.as_nanos() / 1_000_000;
            let can_be = departures.any(|ms| at(ms + delay(ms)) <= arrived);
            prop_assert!(can_be, "{:?} at {:?}", packet, arrived);
        }
    }
}
