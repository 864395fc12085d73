//! Copa between a real queue and a real receiver, beside what its authors say of it (Arun and
//! Balakrishnan, NSDI 2018).

use std::ops::ControlFlow;

use base::{Duration, Time};
use scenario::Scenario;
use sim::{FlowMetrics, Outcome, Recording, Threads, simulate};

const MSS: f64 = 1_448.0;
/// On the wire.
const PACKET_BITS: f64 = 8.0 * 1_488.0;

fn simulated(name: &str, usual: &[(&str, &str)], settings: &[(&str, &str)]) -> Outcome {
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == name);
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = usual.iter().chain(settings).map(owned).collect();
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse(text, name, &settings).expect("the settings are valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("nothing interrupts it")
}

/// A minute over 20 Mbit/s and 40 ms there and back.
fn run(settings: &[(&str, &str)]) -> Outcome {
    let usual = [
        ("duration", "60 s"),
        ("flow.segments", "1000000"),
        ("link.rate", "20 Mbit/s"),
        ("link.delay", "19 ms"),
        ("queue.packets", "500"),
        ("tcp.variant", "copa"),
        ("tcp.mss", "1448 B"),
        ("tcp.window", "4000"),
        ("tcp.initial_window", "10"),
    ];
    simulated("bottleneck", &usual, settings)
}

/// Windows in segments from the twentieth second on, when its start is forgotten, at times that
/// are equally far from each other.
fn windows(flow: &FlowMetrics, step: Duration) -> Vec<f64> {
    let mut now = Time::ZERO + Duration::from_secs(20);
    let mut windows = Vec::new();
    while now < Time::ZERO + Duration::from_secs(60) {
        let at = flow.cwnd().partition_point(|row| row.time <= now) - 1;
        windows.push(flow.cwnd()[at].cwnd as f64 / MSS);
        now += step;
    }
    windows
}

/// §3: the queue goes from empty to 2.5/δ packets and back in five round trips; its mean is half of
/// that. So does the window above what the path holds.
#[test]
fn the_queue_swings_between_nothing_and_five_halves_of_the_target_in_five_round_trips() {
    for (delta, delay) in [(0.5, "19 ms"), (0.25, "19 ms"), (0.1, "49 ms")] {
        let name = format!("δ {delta}, {delay}");
        let outcome = run(&[("tcp.copa.delta", &delta.to_string()), ("link.delay", delay)]);
        let flow = &outcome.summary.flows[0];
        let rtt = flow.rtt_s.mean.expect("it was measured");
        let path = flow.rtt_s.min.expect("it was measured") * 20e6 / PACKET_BITS;
        let step = Duration::from_secs_f64(rtt / 20.0);
        let windows = windows(&outcome.metrics.flows()[0], step);
        let mean = windows.iter().sum::<f64>() / windows.len() as f64;
        let turns = windows.windows(2).filter(|pair| pair[0] < mean && pair[1] >= mean).count();
        let cycle = windows.len() as f64 / 20.0 / turns as f64;
        let mut sorted = windows;
        sorted.sort_by(f64::total_cmp);
        let [low, high] = [0.02, 0.98].map(|share| sorted[(share * sorted.len() as f64) as usize]);
        let mean = mean - path;
        assert!((mean - 1.25 / delta).abs() < 1.0, "{name}: {mean} packets");
        let swing = (high - low) * delta;
        assert!((swing / 2.5 - 1.0).abs() < 0.2, "{name}: {swing}/δ packets");
        assert!((cycle - 5.0).abs() < 0.5, "{name}: {cycle} round trips");
        assert!(flow.normalized_throughput > Some(0.96) && flow.retransmits == 0, "{name}");
    }
}

/// §3: of several flows 1/δ adds up, and each has the same rate. Each sends its segments in pairs,
/// of which the second waits for the first.
#[test]
fn flows_share_evenly_and_keep_the_queue_that_they_ask_for() {
    for flows in [2_u32, 10] {
        let outcome = run(&[("flow.count", &flows.to_string())]);
        let summary = &outcome.summary;
        assert!(summary.total.jain_index > Some(0.99), "{flows}: {:?}", summary.total.jain_index);
        assert_eq!(summary.total.retransmits, 0, "{flows}");
        let link = summary.links.iter().find(|link| link.name == "bottleneck/down");
        let queue = link.expect("it is there").queue_packets.mean;
        let asked = 1.25 * f64::from(flows) / 0.5;
        let pairs = f64::from(flows);
        assert!((asked..=asked + pairs + 0.1).contains(&queue), "{flows} flows: {queue} packets");
    }
}

/// Losses are no signal, and no recovery holds back what names its rate: what is lost is all that
/// is missing, with or without PRR.
#[test]
fn random_losses_take_what_they_lose() {
    let goodput = |settings: &[(&str, &str)]| {
        run(&[settings, &[("duration", "20 s")]].concat()).summary.flows[0]
            .normalized_throughput
            .expect("it has a share")
    };
    for (loss, p) in [("1 %", 0.01), ("10 %", 0.1)] {
        let share = goodput(&[("link.loss", loss)]);
        assert!(share > 0.98 * (1.0 - p), "{loss}: {share}");
    }
    let [with, without] = ["true", "false"]
        .map(|prr| goodput(&[("link.loss", "1 %"), ("tcp.recovery", "sack"), ("tcp.prr", prr)]));
    assert!((with - without).abs() < 1e-12, "PRR reduces it: {with}, {without}");
}

/// §2.2: beside a flow that fills the queue, 1/δ is as a Reno's window, and so is the share: no
/// less than Reno has beside CUBIC, no more than CUBIC. Without that mode it is next to nothing.
#[test]
fn it_competes_with_what_fills_the_queue() {
    for (delay, queue) in [("20 ms", "73"), ("48 ms", "166")] {
        let share = |variant: &str, competes: &str| {
            let usual = [
                ("duration", "60 s"),
                ("link.rate", "20 Mbit/s"),
                ("link.delay", delay),
                ("queue.packets", queue),
                ("flow.group.bbr.tcp.variant", variant),
                ("flow.group.bbr.tcp.copa.competes", competes),
            ];
            let outcome = simulated("bbr-beside-cubic", &usual, &[]);
            outcome.summary.groups[0].share.expect("something arrived")
        };
        let [reno, copa, meek] =
            [("reno", "true"), ("copa", "true"), ("copa", "false")].map(|(v, c)| share(v, c));
        assert!(reno <= copa && copa <= 0.5, "{delay}, {queue}: {copa}, Reno has {reno}");
        assert!(meek < copa / 3.0, "{delay}, {queue}: {meek} without the mode, {copa} with it");
    }
}

/// §3 assumes a path that is longer than the queue. Where it is not, cwnd at the arrival of an
/// acknowledgement settles with a queue that never empties, which is taken for competition; what
/// was in flight at the departure does not.
#[test]
fn a_queue_as_long_as_the_path_empties() {
    let rtt = |current_rate: &str| {
        let settings = [("link.rate", "1 Mbit/s"), ("tcp.copa.current_rate", current_rate)];
        run(&settings).summary.flows[0].rtt_s.mean.expect("it was measured")
    };
    // 40 ms, two packets of 12 ms, and half of a swing of five.
    let asked = 0.04 + (2.0 + 2.5) * PACKET_BITS / 1e6;
    let (departure, arrival) = (rtt("at-departure"), rtt("at-arrival"));
    assert!((departure / asked - 1.0).abs() < 0.1, "{departure} s, not {asked}");
    assert!(arrival > 5.0 * departure, "{arrival} s");
}
