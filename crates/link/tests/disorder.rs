//! Laws of wires that disorder packets, and the closed forms that they meet.

use base::{Duration, Probability, Rate, Schedule, Time};
use link::disorder::jitter::{self, Distribution, Order};
use link::disorder::{self, Counts};
use link::{Link, LinkConfig, Load, Output, Service, loss, queue};
use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Packet(usize);

impl Load for Packet {
    fn bytes(&self) -> u32 {
        100
    }
}

const fn micros(micros: u64) -> Duration {
    Duration::from_nanos(micros * 1_000)
}

fn chance(value: f64) -> Schedule<Probability> {
    Probability::new(value).expect("in range").into()
}

/// Packets that arrive, in that order, and what became of them.
#[derive(Default, PartialEq, Debug)]
struct Arrivals {
    /// Number and delay of each; of one that arrives twice twice.
    packets: Vec<(usize, Duration)>,
    corrupted: u64,
    lost: u64,
    counts: Counts,
}

/// Sends `count` packets of 100 B, one each `gap`, over a wire of 100 ms.
fn send(count: usize, gap: Duration, disorder: disorder::Config) -> Arrivals {
    let config = LinkConfig { disorder, ..plain() };
    let mut link = Link::new(&config, 7, "wire");
    let mut arrivals = Arrivals::default();
    let start = |number: usize| Time::ZERO + gap * number as u64;
    for number in 0..count {
        poll(&mut link, start(number), gap, &mut arrivals);
        assert_eq!(link.handle_input(start(number), Packet(number)), Ok(()));
        let copies = link.disorder().map_or(0, |counts| counts.duplicated) as usize;
        let seen = arrivals.packets.len() + arrivals.lost as usize;
        assert_eq!(number + 1 + copies, seen + link.in_flight());
    }
    poll(&mut link, start(count) + Duration::from_secs(100), gap, &mut arrivals);
    assert_eq!((link.in_flight(), link.poll_timeout()), (0, None));
    arrivals.counts = link.disorder().unwrap_or_default();
    arrivals
}

fn plain() -> LinkConfig {
    LinkConfig {
        service: Service::Rate(Schedule::constant(None)),
        delay: Duration::from_millis(100).into(),
        queue: queue::Config::UNLIMITED,
        drop_arrivals: Vec::new(),
        loss: loss::Config::default(),
        disorder: disorder::Config::default(),
    }
}

fn poll(link: &mut Link<Packet>, until: Time, gap: Duration, arrivals: &mut Arrivals) {
    while let Some(due) = link.poll_timeout().filter(|&due| due <= until) {
        while let Some(output) = link.poll_output(due) {
            let mut arrive = |packet: Packet| {
                let sent = Time::ZERO + gap * packet.0 as u64;
                arrivals.packets.push((packet.0, due.saturating_since(sent)));
            };
            match output {
                Output::Delivered(packet) => arrive(packet),
                Output::Duplicated(packet) => [packet; 2].into_iter().for_each(arrive),
                Output::Corrupted(packet, _) => {
                    arrive(packet);
                    arrivals.corrupted += 1;
                }
                Output::Dropped(_) => arrivals.lost += 1,
            }
        }
        assert!(link.poll_timeout().is_none_or(|next| next > due), "due at {due:?} again");
    }
}

/// Packets that arrived behind a later one (RFC 4737 §3.3), each once.
fn reordered(packets: &[(usize, Duration)]) -> Vec<usize> {
    let mut next = 0;
    let mut late: Vec<usize> = Vec::new();
    for &(number, _) in packets {
        if number < next && number + 1 != next && !late.contains(&number) {
            late.push(number);
        }
        next = next.max(number + 1);
    }
    late
}

/// By how many packets that were sent later each one was overtaken, each once.
fn overtakers(packets: &[(usize, Duration)], number: usize) -> usize {
    packets
        .iter()
        .take_while(|packet| packet.0 != number)
        .filter(|packet| packet.0 > number)
        .count()
}

fn jitter(millis: u64, distribution: Distribution, order: Order) -> jitter::Config {
    jitter::Config { extent: Duration::from_millis(millis).into(), distribution, order }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Nothing is lost and nothing arrives twice but what was duplicated, whatever the wire does.
    #[test]
    fn packets_are_conserved(
        gap in 0_u64..3_000,
        extent in 0_u64..20,
        distribution in select(Distribution::ALL.to_vec()),
        order in select(Order::ALL.to_vec()),
        [reorder, duplicate, corrupt] in [0.0..1.0_f64, 0.0..1.0, 0.0..1.0],
        distance in 1_u32..20,
        hold in 0_u64..50,
    ) {
        let config = disorder::Config {
            jitter: jitter(extent, distribution, order),
            reorder: chance(reorder),
            distance,
            hold: Duration::from_millis(hold),
            duplicate: chance(duplicate),
            corrupt: chance(corrupt),
        };
        let count = 300;
        let found = send(count, micros(gap), config.clone());
        let mut numbers: Vec<_> = found.packets.iter().map(|packet| packet.0).collect();
        prop_assert_eq!(reordered(&found.packets).len() as u64, found.counts.reordered);
        numbers.sort_unstable();
        numbers.dedup();
        prop_assert_eq!(&numbers, &(0..count).collect::<Vec<_>>());
        prop_assert_eq!(found.packets.len(), count + found.counts.duplicated as usize);
        prop_assert_eq!(found.corrupted, found.counts.corrupted);
        prop_assert_eq!(found.lost, 0);
        prop_assert_eq!(&found, &send(count, micros(gap), config));
    }

    /// Jitter that keeps the order lets no packet overtake, and none is early.
    #[test]
    fn kept_order_is_kept(
        gap in 0_u64..3_000,
        extent in 0_u64..26,
        distribution in select(Distribution::ALL.to_vec()),
    ) {
        let jitter = jitter(extent, distribution, Order::Kept);
        let config = disorder::Config { jitter, ..disorder::Config::default() };
        let found = send(300, micros(gap), config);
        prop_assert!(found.packets.is_sorted_by_key(|packet| packet.0));
        prop_assert_eq!(found.counts, Counts::default());
        let least = Duration::from_millis(100) - distribution.reach(Duration::from_millis(extent));
        prop_assert!(found.packets.iter().all(|packet| packet.1 >= least));
    }

    /// A chance of nothing and a jitter of nothing leave a link as it is.
    #[test]
    fn nothing_changes_nothing(
        gap in 0_u64..3_000, distance in 1_u32..9, order in select(Order::ALL.to_vec()),
    ) {
        let config = disorder::Config {
            jitter: jitter(0, Distribution::Normal, order),
            distance,
            ..disorder::Config::default()
        };
        let link = LinkConfig { disorder: config.clone(), ..plain() };
        prop_assert!(link.as_pipe().is_some());
        let delay = Duration::from_millis(100);
        let expect: Vec<_> = (0..100).map(|number| (number, delay)).collect();
        prop_assert_eq!(send(100, micros(gap), config).packets, expect);
    }
}

/// The share within four standard deviations of `expect`.
fn check_share(found: u64, of: usize, expect: f64) {
    let share = found as f64 / of as f64;
    let deviation = (expect * (1.0 - expect) / of as f64).sqrt();
    assert!((share - expect).abs() < 4.0 * deviation, "{share}, not {expect}");
}

#[test]
fn as_many_as_the_chances_say() {
    let count = 40_000;
    let config = disorder::Config {
        reorder: chance(0.02),
        duplicate: chance(0.01),
        corrupt: chance(0.005),
        ..disorder::Config::default()
    };
    let found = send(count, micros(1_000), config).counts;
    check_share(found.reordered, count, 0.02);
    check_share(found.corrupted, count, 0.005);
    // What is corrupted is not duplicated.
    check_share(found.duplicated, count, 0.01 * 0.995);
}

/// Of packets sent each `gap_ms`, some of which are held back, the greatest delay, and for each
/// late one by how many it was overtaken.
fn held(distance: u32, gap_ms: u64) -> (Duration, Vec<usize>) {
    let config =
        disorder::Config { reorder: chance(0.01), distance, ..disorder::Config::default() };
    let found = send(10_000, Duration::from_millis(gap_ms), config).packets;
    let late = reordered(&found).into_iter().filter(|number| number + 100 < 10_000);
    let late: Vec<_> = late.map(|number| overtakers(&found, number)).collect();
    (found.iter().map(|packet| packet.1).max().unwrap_or_default(), late)
}

/// A held packet is n-reordered (RFC 4737 §5) for n = `reorder_distance`.
#[test]
fn a_packet_is_held_for_a_distance() {
    for distance in [1, 3, 17] {
        let (_, late) = held(distance, 1);
        assert!(late.len() > 50, "{} are late", late.len());
        assert!(late.iter().all(|overtakers| *overtakers == distance as usize), "{late:?}");
    }
}

/// Where fewer follow within `reorder_hold`, it is let go at its end: 100 ms after the wire's 100.
#[test]
fn a_packet_is_held_for_no_longer_than_a_time() {
    let most = Duration::from_millis(200);
    let (greatest, late) = held(3, 40);
    assert_eq!(greatest, most);
    // Two follow in that time, of which one may be held itself.
    assert!(late.len() > 50 && late.iter().all(|overtakers| [1, 2].contains(overtakers)));
    assert_eq!(held(3, 200), (most, Vec::new()));
}

/// The closed form of reordering by jitter: packets at a distance g whose delays are uniform over a
/// width w. One of delay x is not reordered if none of those behind it has a delay below x - kg:
/// the share of reordered ones is 1 - 1/w · ∫ Π (1 - (x - kg)/w) dx over 0..w, with factors for all
/// k ≥ 1 with kg < x.
#[test]
fn jitter_reorders_as_many_as_the_closed_form() {
    let check = |gap_us: u64, millis: u64| {
        let width = 2.0 * millis as f64 * 1e3;
        let steps = 20_000;
        let kept = |x: f64| {
            let ahead =
                (1_u32..).map(|k| x - f64::from(k) * gap_us as f64).take_while(|rest| *rest > 0.0);
            ahead.map(|rest| 1.0 - rest / width).product::<f64>()
        };
        let middles = (0..steps).map(|step| (f64::from(step) + 0.5) / f64::from(steps) * width);
        let expect = 1.0 - middles.map(kept).sum::<f64>() / f64::from(steps);
        let jitter = jitter(millis, Distribution::Uniform, Order::Free);
        let config = disorder::Config { jitter, ..disorder::Config::default() };
        let count = 40_000;
        let found = send(count, micros(gap_us), config);
        let share = found.counts.reordered as f64 / count as f64;
        // Neighbours depend on each other: the share varies more than that of single draws.
        assert!((share - expect).abs() < 0.01, "{share}, not {expect}: {gap_us} us, {millis} ms");
        expect
    };
    // Two packets alone: (w - g)²/(2w²) at w ≤ 2g.
    let pair = check(6_000, 5);
    assert!((pair - 0.08).abs() < 1e-6, "{pair}");
    assert!(check(11_000, 5) < 1e-9);
    check(1_000, 5);
    check(100, 5);
    check(100, 1);
}

/// Jitter that keeps the order makes packets wait for those before them: the mean delay is that of
/// the largest of all delays so far, each less the time since.
#[test]
fn kept_jitter_waits_for_the_largest() {
    let jitter = jitter(10, Distribution::Uniform, Order::Kept);
    let config = disorder::Config { jitter, ..disorder::Config::default() };
    let mean = |gap: Duration| {
        let found = send(20_000, gap, config.clone()).packets;
        found.iter().map(|packet| packet.1.as_secs_f64() * 1e3).sum::<f64>() / found.len() as f64
    };
    let far = mean(Duration::from_millis(20));
    assert!((far - 100.0).abs() < 4.0 * 10.0 / (3.0_f64 * 20_000.0).sqrt(), "{far} ms");
    // Of two uniform delays over w at a distance g ≥ w/2, E max(X, Y - g) = w/2 + (w - g)³/(6w²).
    let near = mean(Duration::from_millis(10));
    assert!((near - (100.0 + 1000.0 / 2400.0)).abs() < 0.2, "{near} ms");
    assert!(mean(micros(10)) > 109.0);
}

/// Delays of a queue come on top: jitter is of the wire alone.
#[test]
fn jitter_is_of_the_wire_alone() {
    let jitter = jitter(10, Distribution::Uniform, Order::Free);
    let disorder = disorder::Config { jitter, ..disorder::Config::default() };
    let service = Service::Rate(Schedule::constant(Some(Rate::from_bps(800_000))));
    let config = LinkConfig { service, disorder, ..plain() };
    let mut link = Link::new(&config, 7, "wire");
    for number in 0..200 {
        assert_eq!(link.handle_input(Time::ZERO, Packet(number)), Ok(()));
    }
    let mut arrivals = Arrivals::default();
    poll(&mut link, Time::ZERO + Duration::from_secs(9), Duration::ZERO, &mut arrivals);
    for (number, delay) in arrivals.packets {
        let sent = Duration::from_millis(number as u64 + 1 + 90);
        assert!((sent..=sent + Duration::from_millis(20)).contains(&delay), "{number}: {delay:?}");
    }
    assert!(link.disorder().is_some_and(|counts| counts.reordered > 50));
}
