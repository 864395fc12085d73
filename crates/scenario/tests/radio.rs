//! From `[radio]` and `[queue]` to a bearer: channels that change, spreading factors, limits.

use base::{Direction, Duration, Probability, Rate, Schedule, Time};
use radio::Radio;
use radio::umts::{BlockErrorRate, Coverage, DchConfig, Dpcch, End, Interruption, Limit, Scope};
use scenario::{Scenario, build, build_open};

const UMTS: &str = include_str!("../../../scenarios/umts-dch-384.toml");

fn scenario(settings: &[(&str, &str)]) -> Scenario {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Scenario::parse(UMTS, "mine", &settings.iter().map(owned).collect::<Vec<_>>()).expect("valid")
}

fn config(settings: &[(&str, &str)]) -> DchConfig {
    let scenario = scenario(settings);
    let Some(Radio::UmtsDch { keys }) = &scenario.radio else { panic!("dedicated channels") };
    keys.config(&scenario.radio_context(), "Uu")
}

fn at(seconds: u64) -> Time {
    Time::ZERO + Duration::from_secs(seconds)
}

fn kbps(kbps: u64) -> Rate {
    Rate::from_bps(kbps * 1000)
}

fn constant(value: f64) -> BlockErrorRate {
    Probability::new(value).expect("in range").into()
}

#[test]
fn a_schedule_is_for_the_downlink_both_directions_or_one() {
    let common = "[{at = '20 s', rate = '120 kbit/s'}, {at = '40 s', sf = 64, tbler = '10 %'}, \
                  {at = '50 s', coverage = false}, {at = '60 s', coverage = true, tbler = 1}]";
    let up = "[{at = '30 s', sf = 32}, {at = '40 s', tbler = '5 %'}]";
    let config = config(&[("radio.schedule", common), ("radio.uplink.schedule", up)]);
    let rates = vec![(at(20), kbps(120)), (at(40), kbps(60))];
    assert_eq!(config.downlink.rate, Schedule::new(kbps(384), rates));
    assert_eq!(config.uplink.rate, Schedule::new(kbps(64), vec![(at(30), kbps(60))]));
    let tblers = vec![(at(40), constant(0.1)), (at(60), constant(1.0))];
    assert_eq!(config.downlink.tbler, Schedule::new(constant(0.0), tblers));
    let tbler = |time| config.uplink.tbler.at(at(time));
    assert_eq!((tbler(39), tbler(40), tbler(60)), (constant(0.0), constant(0.05), constant(1.0)));
    let coverage = vec![(at(50), Coverage::Lost), (at(60), Coverage::There)];
    assert_eq!(config.coverage, Schedule::new(Coverage::There, coverage));
}

/// hynderick2004: 140 kbit/s asked by a mobile give it spreading factor 8, and all of its 240
/// kbit/s; what counts is the sum over its flows.
#[test]
fn the_sum_of_the_flows_rates_picks_the_spreading_factor() {
    let rates = |count, rate, table| {
        let settings = [
            ("radio.downlink.sf", "auto"),
            ("radio.uplink.sf", "auto"),
            ("radio.spreading", table),
            ("flow.count", count),
            ("flow.rate", rate),
        ];
        let config = config(&settings);
        [config.downlink.rate, config.uplink.rate].map(|rate| rate.at(at(0)))
    };
    assert_eq!(rates("1", "140 kbit/s", "module"), [kbps(240), kbps(240)]);
    assert_eq!(rates("2", "70 kbit/s", "module"), [kbps(240), kbps(240)]);
    assert_eq!(rates("1", "70 kbit/s", "module"), [kbps(120), kbps(120)]);
    assert_eq!(rates("3", "160 kbit/s", "module"), [kbps(480), kbps(480)]);
    let [down, up] = rates("1", "140 kbit/s", "standard");
    assert!(down < kbps(240) && down >= kbps(140) && up == kbps(240), "{down:?}");
}

#[test]
fn a_spreading_factor_stands_for_its_rate() {
    let table = |direction, sf: &str| {
        let key = match direction {
            Direction::Downlink => "radio.downlink.sf",
            Direction::Uplink => "radio.uplink.sf",
        };
        let config = config(&[(key, sf)]);
        match direction {
            Direction::Downlink => config.downlink.rate.at(at(0)).as_bps(),
            Direction::Uplink => config.uplink.rate.at(at(0)).as_bps(),
        }
    };
    let down = ["512", "256", "128", "64", "32", "16", "8", "4"];
    let rates = [7500, 15_000, 30_000, 60_000, 120_000, 240_000, 480_000, 960_000];
    for (sf, rate) in down.into_iter().zip(rates) {
        assert_eq!(table(Direction::Downlink, sf), rate, "{sf} down");
    }
    for (sf, rate) in down[1..].iter().zip(rates) {
        assert_eq!(table(Direction::Uplink, sf), rate, "{sf} up");
    }
    let built = build(&scenario(&[("radio.downlink.sf", "8")]));
    assert_eq!(built.flows[0].bottleneck, Some(kbps(480)), "throughput is compared with it");
}

/// Several data channels under one control channel carry the sum.
#[test]
fn rates_of_data_channels_add_up() {
    let rates = |settings: &[(&str, &str)]| {
        let config = config(settings);
        let rates = [config.downlink.rate, config.uplink.rate].map(|rate| rate.at(at(25)));
        (rates, config.dpdchs)
    };
    let of = |down, up| [("radio.downlink.dpdch", down), ("radio.uplink.dpdch", up)];
    let factors = [("radio.downlink.sf", "8"), ("radio.uplink.sf", "4")];
    let step = ("radio.schedule", "[{at = '20 s', sf = 16}]");
    let with = |down, up, more: &[_]| rates(&[&of(down, up), &factors[..], more].concat());
    assert_eq!(with("3", "6", &[]), ([kbps(1440), kbps(2880)], [3, 6]));
    assert_eq!(with("8", "1", &[step]), ([kbps(1920), kbps(480)], [8, 1]), "of the schedule too");
    assert_eq!(rates(&of("1", "1")), ([kbps(384), kbps(64)], [1, 1]), "one needs no factor");
}

#[test]
fn limits_of_error_rates_are_for_both_directions_or_one() {
    let check = |settings: &[(&str, &str)], expect: [BlockErrorRate; 2]| {
        let config = config(settings);
        let tblers = [config.downlink.tbler, config.uplink.tbler].map(|tbler| tbler.at(at(0)));
        assert_eq!(tblers, expect, "{settings:?}");
    };
    let of = |value| Probability::new(value).expect("in range");
    let drawn = |low, high| BlockErrorRate::Drawn { low: of(low), high: of(high) };
    let both = ("radio.tbler_limits", "[\"1 %\", \"10 %\"]");
    check(&[both], [drawn(0.01, 0.1); 2]);
    check(&[both, ("radio.uplink.tbler", "5 %")], [drawn(0.01, 0.1), constant(0.05)]);
    let up = ("radio.uplink.tbler_limits", "2 %,3 %");
    check(&[("radio.tbler", "5 %"), up], [constant(0.05), drawn(0.02, 0.03)]);
    check(&[both, up], [drawn(0.01, 0.1), drawn(0.02, 0.03)]);
}

#[test]
fn spikes_and_handovers_interrupt() {
    let config = config(&[
        ("radio.dpcch", "apart"),
        ("radio.spikes", "[{at = '10 s', lasts = '3 s'}]"),
        (
            "radio.handovers",
            "[{at = '30 s', gap = '1 s'}, {at = '40 s', kind = 'soft'}, {at = '50 s'}]",
        ),
    ]);
    let millis = Duration::from_millis;
    let gap = |from, lasts, end| Interruption { from: at(from), to: at(from) + millis(lasts), end };
    let expect = [
        gap(10, 3000, End::Continuation),
        gap(30, 1000, End::Relocation),
        gap(50, 200, End::Relocation),
    ];
    assert_eq!(config.interruptions, expect);
    assert_eq!(config.dpcch, Dpcch::Apart);
}

#[test]
fn a_queue_counts_packets_or_bytes_of_all_or_of_each_flow() {
    let limits = |settings: &[(&str, &str)]| {
        let config = config(settings);
        [config.downlink.limit, config.uplink.limit]
    };
    let limit = |packets, bytes, scope| Limit { packets, bytes, scope };
    assert_eq!(limits(&[("queue.packets", "unlimited")]), [Limit::NONE; 2]);
    let bytes = [("queue.packets", "unlimited"), ("queue.bytes", "9 kB")];
    assert_eq!(limits(&bytes), [limit(None, Some(9000), Scope::Direction); 2]);
    let each = [("queue.packets", "4"), ("queue.per_flow", "true"), ("queue.back.bytes", "1 kB")];
    let expect = [limit(Some(4), None, Scope::Flow), limit(Some(4), Some(1000), Scope::Flow)];
    assert_eq!(limits(&each), expect);
}

/// What an emulator drives is the same chain.
#[test]
fn an_open_world_takes_the_same_keys() {
    let scenario = scenario(&[
        ("radio.schedule", "[{at = '20 s', sf = 32}, {at = '30 s', coverage = false}]"),
        ("radio.handovers", "[{at = '40 s'}]"),
        ("queue.per_flow", "true"),
    ]);
    let (world, ends) = build_open::<world::Datagram>(&scenario);
    assert_ne!(ends[0], ends[1]);
    assert_eq!(world.poll_timeout(), None, "an idle radio costs nothing, whatever will change");
}
