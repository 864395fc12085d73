//! A radio whose rate falls to a sixth and rises again: how soon an estimated window follows, and
//! how long a ping takes meanwhile.

use base::{Duration, Rate, Time};
use middlebox::{Atcp, AtcpConfig, Estimation, RadioReport, SplitConfig, Splitter};
use tcp::{Config, Length};

use crate::support::{FIRST_MOBILE, Network, Opening, Way, aggregating, modern};

/// An ICMP echo and its answer, in bytes.
const PING: u64 = 84;

/// A full segment, and the packet that bears it, in bytes.
const MSS: u64 = 1_448;
const PACKET: u64 = 1_500;

const WIDE: u64 = 384_000;
const NARROW: u64 = 64_000;
const UPLINK: u64 = 64_000;

/// How soon after a step the window has to fit, and from one step to the next.
const SETTLES: Duration = Duration::from_secs(10);
const STEP: Duration = Duration::from_secs(40);

/// What a step came to, once the window had to fit.
#[derive(Debug)]
struct RateStep {
    /// What the radio carried, of its rate.
    carried: f64,
    /// The mean of a ping, and of one of an idle radio, in seconds.
    ping: f64,
    unloaded: f64,
    /// How long the radio takes for a full packet, in seconds.
    packet: f64,
}

fn network(estimator: Estimation, clamp: u64, one_way: Duration) -> Network<Length> {
    let rate = Rate::from_bps(WIDE);
    let round_trip = one_way * 2 + Duration::from_millis(40);
    let c = Some(0.25 * 1.5 * rate.bytes_in(round_trip) as f64);
    let atcp = AtcpConfig { clamp, estimator, rate, round_trip, c, ..aggregating() };
    let mut net = Network::new(1, Box::new(Splitter::new(SplitConfig::PLAIN, Atcp::new(atcp))));
    for (way, rate) in [(Way::Out, WIDE), (Way::In, UPLINK)] {
        let path = net.path(FIRST_MOBILE, way);
        (path.rate, path.delay) = (Some(rate / 8), one_way);
    }
    net
}

/// The means of pings twice a second until `end`.
fn ping(net: &mut Network<Length>, end: Time) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    while net.now < end {
        let from = net.now;
        let there = net.path(FIRST_MOBILE, Way::Out).carry(from, PING).expect("it gets through");
        net.run_until(there);
        let back = net.path(FIRST_MOBILE, Way::In).carry(there, PING).expect("it gets through");
        (sum, count) = (sum + (back - from).as_secs_f64(), count + 1.0);
        net.run_until((from + Duration::from_millis(500)).max(net.now));
    }
    sum / count
}

/// A download without end from nothing, over a radio of these rates one after the other.
fn steps(estimator: Estimation, one_way: Duration, rates: &[u64]) -> Vec<RateStep> {
    let mut net = network(estimator, 2 * MSS, one_way);
    let config = Config { mss: MSS as u32, initial_window: 10, ..modern() };
    let configs =
        Opening { client_config: config.clone(), server_config: config, ..Opening::of(1) };
    let (client, server) = net.open(&configs);
    net.write(server, 100_000_000);
    let step = |(number, &rate): (usize, &u64)| {
        net.path(FIRST_MOBILE, Way::Out).rate = Some(rate / 8);
        net.run_until(net.now + Duration::from_secs(1));
        net.report(FIRST_MOBILE, RadioReport { rate: Some(Rate::from_bps(rate)) });
        net.run_until(Time::ZERO + STEP * number as u64 + SETTLES);
        let (from, read) = (net.now, net.read(client));
        let ping = ping(&mut net, Time::ZERO + STEP * (number as u64 + 1));
        let packets = (net.read(client) - read) as f64 / MSS as f64;
        let bits = packets * (PACKET * 8) as f64;
        let echo = (PING * 8) as f64;
        RateStep {
            carried: bits / (net.now - from).as_secs_f64() / rate as f64,
            ping,
            unloaded: 2.0 * one_way.as_secs_f64() + echo / rate as f64 + echo / UPLINK as f64,
            packet: (PACKET * 8) as f64 / rate as f64,
        }
    };
    rates.iter().enumerate().map(step).collect()
}

/// Each estimator that follows the radio carries 95 % of its rate within 10 s of each step, and a
/// ping takes 1.5 times what it takes alone and a segment's time, at most.
#[test]
fn estimates_follow_the_rate_and_keep_the_ping_short() {
    for estimator in [Estimation::Westwood, Estimation::Radio] {
        for one_way in [100, 300].map(Duration::from_millis) {
            for (number, step) in
                steps(estimator, one_way, &[WIDE, NARROW, WIDE]).iter().enumerate()
            {
                let case = format!("{estimator:?}, {one_way:?}, step {number}: {step:?}");
                assert!(step.carried >= 0.95 && step.carried <= 1.01, "{case}");
                assert!(step.ping <= 1.5 * step.unloaded + step.packet, "{case}");
            }
        }
    }
}
