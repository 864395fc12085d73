//! What Chakravorty et al. 2003 §II measured on real links (L1 to L11), at the level of blocks.

use base::{Direction, Time};
use radio::gprs::{CodingScheme, GapKind, GprsConfig};

use super::support::{Fate, Run, at, chance, config, gap, ms};

const MTU: u32 = 1388;

/// Without timestamps: 1388 B carry 1348.
const ACK: u32 = 40;

/// As small as an echo request.
const SMALL: u32 = 84;

/// Bytes a second at the far end of a direction that always has packets to send.
fn saturated(config: &GprsConfig, direction: Direction) -> f64 {
    let mut run = Run::new(config, 1);
    for _ in 0..40 {
        run.send(Time::ZERO, direction, MTU);
    }
    for seen in 1..1000 {
        let now = run.until_exits(seen);
        run.send(now, direction, MTU);
    }
    let times: Vec<_> = run.exits.iter().map(|exit| exit.time.as_secs_f64()).collect();
    let (first, last) = (times[100], times[times.len() - 1]);
    (times.len() - 101) as f64 * f64::from(MTU) / (last - first)
}

#[test]
fn l1_rates() {
    let check = |slots, direction, expect: f64| {
        let rate = saturated(&config(slots), direction);
        let is_near = (rate / expect - 1.0).abs() <= 0.05;
        assert!(is_near, "{slots} slots, {direction:?}: {rate:.0} B/s, not {expect}");
    };
    check(3, Direction::Downlink, 4150.0);
    check(4, Direction::Downlink, 5500.0);
    check(3, Direction::Uplink, 1400.0);
}

/// When 1000 packets go in, more than 4 s apart.
fn moments() -> impl Iterator<Item = Time> {
    (0..1000_u64).map(|step| at(1000 + 8000 * step + step * 7919 % 3997))
}

/// The values at 1 %, the median and 99 %.
fn quantiles(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [0.01, 0.5, 0.99].map(|share| times[(share * times.len() as f64) as usize])
}

/// Of single packets: how long they are in flight, in seconds.
fn single(direction: Direction) -> [f64; 3] {
    let mut run = Run::new(&config(3), 1);
    let sent: Vec<_> = moments().map(|now| (run.send(now, direction, SMALL), now)).collect();
    run.until(at(8_100_000), &mut ());
    let flight = |(number, since)| run.delivered(number).saturating_since(since).as_secs_f64();
    quantiles(sent.into_iter().map(flight).collect())
}

#[test]
fn l2_single_packets() {
    let [least, _, most] = single(Direction::Downlink);
    assert!(least >= 0.6 && most <= 3.0, "downlink {least:.3} to {most:.3} s");
    let [least, _, most] = single(Direction::Uplink);
    assert!(least >= 0.4 && most <= 1.3, "uplink {least:.3} to {most:.3} s");
}

/// From the gateway to the mobile and back, with a packet each way, `count` times, each `pause`
/// milliseconds after the answer to the last.
fn round_trips(config: &GprsConfig, count: usize, pause: u64) -> Vec<f64> {
    let mut run = Run::new(config, 1);
    let mut now = at(1000);
    let trip = |_| {
        let start = now;
        let seen = run.exits.len();
        run.send(now, Direction::Downlink, SMALL);
        now = run.until_exits(seen + 1);
        run.send(now, Direction::Uplink, SMALL);
        let end = run.until_exits(seen + 2);
        now = end + ms(pause);
        end.saturating_since(start).as_secs_f64()
    };
    (0..count).map(trip).collect()
}

#[test]
fn l2_round_trips() {
    let [least, median, _] = quantiles(round_trips(&config(3), 1000, 4500));
    assert!(least >= 1.0, "{least:.3} s, median {median:.3} s");
}

/// How long packets are in flight downlink, those that begin a burst and the others, on average in
/// seconds: bursts of five packets that are 600 ms apart, with long pauses between.
fn bursts(config: &GprsConfig) -> [f64; 2] {
    let mut run = Run::new(config, 1);
    let mut sent = Vec::new();
    for burst in 0..300_u64 {
        for packet in 0..5 {
            let now = at(1000 + burst * 9_017 + packet * 600);
            sent.push((run.send(now, Direction::Downlink, SMALL), now));
        }
    }
    run.until(at(3_000_000), &mut ());
    let flight = |place: usize| {
        let (number, since) = sent[place];
        run.delivered(number).saturating_since(since).as_secs_f64()
    };
    let mean = |places: Vec<usize>| {
        let count = places.len() as f64;
        places.into_iter().map(flight).sum::<f64>() / count
    };
    let (first, rest) = (0..sent.len()).partition(|place| place % 5 == 0);
    [mean(first), mean(rest)]
}

#[test]
fn l3_the_first_packet_of_a_burst_is_slower() {
    let mut config = config(3);
    let paged = bursts(&config);
    config.gprs.paging = None;
    let [first, rest] = bursts(&config);
    let more = first - rest;
    assert!((0.1..=0.4).contains(&more), "{first:.3} s, and then {rest:.3} s");
    // Half of eight multiframes of 235 ms; some of those that follow find the first still waiting.
    let [waits, goes_on] = [paged[0] - first, paged[1] - rest];
    assert!((0.85..=1.0).contains(&waits), "for a paging block: {waits:.3} s");
    assert!((0.0..waits / 2.0).contains(&goes_on), "in a burst: {goes_on:.3} s");
}

#[test]
fn l3_a_delayed_release_saves_a_set_up() {
    let mut config = config(3);
    let [first, rest] = bursts(&config);
    config.gprs.tbf.delayed_release = ms(2000);
    let [kept_first, kept_rest] = bursts(&config);
    let overall = |first, rest| (first + 4.0 * rest) / 5.0;
    let saved = overall(first, rest) - overall(kept_first, kept_rest);
    assert!((0.05..=0.15).contains(&saved), "it saves {saved:.3} s");
}

/// 200 packets at once: the first that is lost finds more than 115 and less than 130 KB there.
#[test]
fn l4_buffer() {
    let mut run = Run::new(&config(3), 1);
    for _ in 0..200 {
        run.send(at(1000), Direction::Downlink, 1400);
    }
    run.until(at(300_000), &mut ());
    let is_lost = |number| run.exits.iter().any(|e| e.number == number && e.fate == Fate::Dropped);
    let first = (0..200).find(|number| is_lost(*number)).expect("some are lost");
    let bytes = first * 1400;
    assert!((115_000..130_000).contains(&bytes), "the first loss is after {bytes} B");
}

#[test]
fn l5_no_packet_is_lost_to_the_radio() {
    let mut config = config(3);
    for bler in [0.04, 0.4] {
        config.errors = radio::gprs::Errors::Constant(chance(bler));
        let mut run = Run::new(&config, 1);
        for step in 0..2000 {
            run.send(at(step * 1000), Direction::Downlink, 1000);
            run.send(at(step * 1000), Direction::Uplink, 400);
        }
        run.until(at(3_000_000), &mut ());
        assert_eq!(run.exits.len(), 4000);
        assert!(run.exits.iter().all(|exit| exit.fate == Fate::Delivered));
    }
}

/// What is lost of 60 packets, one every 500 ms, when the radio is out from 10 s on.
fn lost_in_outage(seconds: u64) -> Vec<u32> {
    let mut config = config(3);
    config.gaps = vec![gap(10_000, 10_000 + 1000 * seconds, GapKind::Outage)];
    let mut run = Run::new(&config, 1);
    for step in 0..60 {
        run.send(at(step * 500), Direction::Downlink, 1388);
    }
    run.until(at(200_000), &mut ());
    let lost = run.exits.iter().filter(|exit| exit.fate != Fate::Delivered);
    lost.map(|exit| exit.number).collect()
}

#[test]
fn l6_short_outages_delay_and_long_ones_lose_in_bursts() {
    assert_eq!(lost_in_outage(5), []);
    assert_eq!(lost_in_outage(10), [], "as long as the base station keeps what waits");
    assert_ne!(lost_in_outage(11), []);
    let lost = lost_in_outage(40);
    assert!(lost.len() >= 10, "{lost:?}");
    assert!(lost.windows(2).all(|pair| pair[1] == pair[0] + 1), "not in one burst: {lost:?}");
}

/// With 12 packets under way at all times, each answered at once: acknowledgements come out in
/// groups, in which they follow each other within 50 ms.
#[test]
fn l8_acknowledgements_come_in_groups() {
    let mut run = Run::new(&config(3), 1);
    for _ in 0..12 {
        run.send(at(1000), Direction::Downlink, MTU);
    }
    let (mut arrivals, mut groups) = (Vec::new(), vec![1_u32]);
    for seen in 1..4000 {
        let now = run.until_exits(seen);
        match run.exits[seen - 1].direction {
            Direction::Downlink => run.send(now, Direction::Uplink, ACK),
            Direction::Uplink => {
                arrivals.push(now);
                run.send(now, Direction::Downlink, MTU)
            }
        };
    }
    for pair in arrivals.windows(2) {
        if pair[1].saturating_since(pair[0]) <= ms(50) {
            *groups.last_mut().expect("there is one") += 1;
        } else {
            groups.push(1);
        }
    }
    let grouped: u32 = groups.iter().filter(|size| **size >= 3).sum();
    let share = f64::from(grouped) / arrivals.len() as f64;
    assert!(share >= 0.5, "{share:.2} of the acknowledgements come in groups of three or more");
}

/// Rate times the mean round-trip time of an idle link, a packet of full size down and a small one
/// up: about the same with the slower scheme.
#[test]
fn l9_bandwidth_delay_product() {
    let product = |scheme| {
        let mut config = config(3);
        config.gprs.coding_scheme = Some(scheme);
        let mut run = Run::new(&config, 1);
        let mut now = at(1000);
        let mut sum = 0.0;
        for turn in 0..200 {
            let start = now;
            run.send(now, Direction::Downlink, MTU);
            now = run.until_exits(2 * turn + 1);
            run.send(now, Direction::Uplink, ACK);
            now = run.until_exits(2 * turn + 2);
            sum += now.saturating_since(start).as_secs_f64();
            now += ms(4500);
        }
        saturated(&config, Direction::Downlink) * sum / 200.0
    };
    let (slow, fast) = (product(CodingScheme::Cs1), product(CodingScheme::Cs2));
    for product in [slow, fast] {
        let ratio = 2.0 * product / (slow + fast);
        assert!((0.7..=1.3).contains(&ratio), "{slow:.0} B with CS-1, {fast:.0} B with CS-2");
    }
}

/// From 10 s on the mobile hears nothing, until it begins anew at 40 s: what was sent before that
/// is lost.
#[test]
fn l10_link_reset() {
    let mut config = config(3);
    config.gaps = vec![gap(10_000, 40_000, GapKind::Reset)];
    let mut run = Run::new(&config, 1);
    let sent: Vec<_> = (0..120_u64)
        .map(|step| (run.send(at(step * 500), Direction::Downlink, 500), step * 500))
        .collect();
    run.until(at(200_000), &mut ());
    for (number, since) in sent {
        let exit = run.exits.iter().find(|exit| exit.number == number).expect("it came out");
        if !(8_000..=40_000).contains(&since) {
            assert_eq!(exit.fate, Fate::Delivered, "sent at {since} ms");
        } else if (10_000..39_000).contains(&since) {
            assert_eq!(exit.fate, Fate::Discarded, "sent at {since} ms");
        }
    }
}

#[test]
fn l11_nothing_is_reordered() {
    let mut config = config(3);
    config.gaps = vec![
        gap(100_000, 105_000, GapKind::Outage),
        gap(200_000, 203_000, GapKind::Reselection(chance(1.0))),
    ];
    let mut run = Run::new(&config, 1);
    for step in 0..1000_u64 {
        let now = at(step * 397 + step * 7919 % 300);
        run.send(now, Direction::Downlink, 100 + (step * 31 % 1200) as u32);
        run.send(now, Direction::Uplink, 40 + (step * 17 % 300) as u32);
    }
    run.until(at(1_000_000), &mut ());
    for direction in [Direction::Downlink, Direction::Uplink] {
        let of = run.exits.iter().filter(|exit| exit.direction == direction);
        let numbers: Vec<_> = of.map(|exit| exit.number).collect();
        assert_eq!(numbers.len(), 1000);
        assert!(numbers.is_sorted(), "{direction:?}");
    }
}
