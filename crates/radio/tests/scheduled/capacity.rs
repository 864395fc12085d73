//! How much a cell carries at a ratio of signal to noise, beside what TS 36.942 §A.1 says.

use base::{Direction, Duration, Time};
use radio::lte::{Category, LteKeys};

use super::facts::saturated;
use super::support::{Run, at, config};

const RATIOS: [i32; 6] = [-5, 0, 5, 10, 15, 20];

/// Throughput of link adaptation over one layer, in bit/s and Hz: a share of Shannon's bound.
fn bound(share: f64, most: f64, ratio: f64) -> f64 {
    (share * (1.0 + ratio).log2()).min(most)
}

fn linear(decibels: i32) -> f64 {
    10_f64.powf(f64::from(decibels) / 10.0)
}

/// What a mobile that wants as much as it can get is sent, in bit/s and Hz.
fn carried(category: Category, direction: Direction, blocks: u16, decibels: i32) -> f64 {
    let mut keys = LteKeys::default();
    (keys.lte.category, keys.lte.resource_blocks) = (category, blocks);
    keys.downlink.reception.snr = f64::from(decibels);
    keys.uplink.channel.reception.snr = f64::from(decibels);
    saturated(&config(&keys), direction, 4) * 1e6 / (180_000.0 * f64::from(blocks))
}

/// Checks that what is carried is 0.7 to 1.0 times the bound: schemes lie 1 to 2 dB apart, a tenth
/// of the first transmissions errs, and headers take some bytes.
fn check(what: &str, decibels: i32, carried: f64, bound: f64) {
    let share = carried / bound;
    assert!((0.7..1.0).contains(&share), "{what} at {decibels} dB: {share} of the bound");
}

/// §A.1 has 0.6 of Shannon's bound downlink, 4.4 bit/s and Hz at most, and 0.4 uplink, 2.0 at most.
/// Ours is 0.6 in both directions; uplink 16QAM carries 51.024 Mbit/s over 18 MHz at most.
#[test]
fn one_layer_carries_what_a_bound_says() {
    for decibels in RATIOS {
        let down = carried(Category::One, Direction::Downlink, 15, decibels);
        check("downlink", decibels, down, bound(0.6, 4.4, linear(decibels)));
        let up = carried(Category::Four, Direction::Uplink, 25, decibels);
        check("uplink", decibels, up, bound(0.6, 51.024 / 18.0, linear(decibels)));
    }
}

/// Two layers share the power: each has half of the ratio, so that at a low one they are no better
/// than one.
#[test]
fn two_layers_share_the_power() {
    for decibels in RATIOS {
        let two = carried(Category::Four, Direction::Downlink, 25, decibels);
        check("two layers", decibels, two, 2.0 * bound(0.6, 4.4, linear(decibels) / 2.0));
        let most = if decibels <= 0 { 1.2 } else { 1.4 };
        if decibels <= 5 {
            let share = two / bound(0.6, 4.4, linear(decibels));
            assert!(share < most, "{decibels} dB: {share} of one layer");
        }
    }
}

/// An uplink at 10 dB over so many resource blocks.
fn uplink(blocks: u16, headroom: Option<f64>) -> LteKeys {
    let mut keys = LteKeys::default();
    keys.lte.resource_blocks = blocks;
    keys.uplink.channel.reception.snr = 10.0;
    keys.uplink.power.headroom = headroom;
    keys
}

/// With a headroom of H decibels an uplink grows with the cell until about 10^(H/10) resource
/// blocks, and then only as far as the same power spread over more of them allows.
#[test]
fn a_mobile_without_more_power_gains_little_from_a_wider_cell() {
    let headroom = 10.0;
    let mut before = 0.0;
    for blocks in [6, 10, 15, 25, 50, 75, 100] {
        let sent = |headroom| saturated(&config(&uplink(blocks, headroom)), Direction::Uplink, 4);
        let (limited, free) = (sent(Some(headroom)), sent(None));
        assert!(limited > 0.97 * before, "{blocks}: {limited} after {before} Mbit/s");
        before = limited;
        let spread = (10.0 / f64::from(blocks)).min(1.0);
        let ratio = linear(10) * spread;
        let most = bound(0.6, 51.024 / 18.0, ratio) * 0.18 * f64::from(blocks);
        assert!((0.7 * most..most).contains(&limited), "{blocks}: {limited} of {most} Mbit/s");
        if blocks <= 10 {
            assert!((limited - free).abs() < 1e-9, "{blocks}: {limited} and {free} Mbit/s");
        } else {
            assert!(limited < free, "{blocks}: {limited} and {free} Mbit/s");
        }
    }
    assert!(before < 0.4 * saturated(&config(&uplink(100, None)), Direction::Uplink, 4));
}

/// A block that is narrow enough is sent as without a limit.
#[test]
fn a_narrow_grant_is_as_without_a_limit() {
    let arrivals = |headroom| {
        let mut keys = uplink(100, headroom);
        keys.lte.request_period = Duration::from_millis(1);
        let mut run = Run::new(&config(&keys), 1);
        let sent: Vec<_> =
            (1..200).map(|turn| run.send(at(turn * 50), 0, Direction::Uplink, 300)).collect();
        run.until(at(20_000));
        sent.iter().map(|number| run.delivered(*number)).collect::<Vec<Option<Time>>>()
    };
    let free = arrivals(None);
    assert!(free.iter().all(Option::is_some));
    assert_eq!(arrivals(Some(10.0)), free);
    assert_ne!(arrivals(Some(-10.0)), free, "there a single resource block lacks power");
}
