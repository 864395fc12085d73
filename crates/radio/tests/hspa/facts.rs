//! Rates and delays that follow from the specifications.

use base::{Direction, Duration, Probability};
use radio::channel::{Fading, Policy};
use radio::hspa::HsKeys;
use radio::hspa::formats::Category;

use super::support::{Run, at, config, ms};
use crate::support::mobiles;

const DOWN: Direction = Direction::Downlink;

/// A radio without errors, whose best block is always allowed.
fn perfect(category: Category) -> HsKeys {
    let mut keys = HsKeys::default();
    keys.downlink.reception.snr = 50.0;
    keys.downlink.reception.bler = Some(Probability::NEVER);
    keys.uplink.bler = Probability::NEVER;
    keys.hs.category = category;
    keys
}

/// Delivered bytes per second, mobile by mobile, where always something waits.
fn saturated(keys: &HsKeys, seconds: u64, packets_a_ms: u64) -> Vec<f64> {
    let config = config(keys);
    let mut run = Run::new(&config, 1);
    let ues = config.ues.len() as u32;
    for millis in 0..seconds * 1000 {
        for _ in 0..packets_a_ms {
            for ue in 0..ues {
                if millis.is_multiple_of(2) {
                    run.send(at(millis), ue, DOWN, 1000);
                }
            }
        }
    }
    run.until(at(seconds * 1000));
    let begin = at(1000);
    let of = |ue| {
        let exits = run.exits.iter().filter(|it| it.time >= begin && it.direction == DOWN);
        exits.filter(|it| it.ue == ue).map(|it| f64::from(it.packet.bytes)).sum::<f64>()
    };
    (0..ues).map(|ue| of(ue) / (seconds - 1) as f64).collect()
}

/// 21 PDUs of 320 bits in each TTI are 3.36 Mbit/s: 320 of 336 bits of what the block of category 6
/// carries; 42 PDUs of category 8, and 70 of 10, of which no block has more. PDCP takes a byte of
/// each packet, link control one or two for its end.
#[test]
fn a_category_has_its_peak_rate() {
    for (category, pdus) in [(Category::Six, 21), (Category::Eight, 42), (Category::Ten, 70)] {
        let mut keys = perfect(category);
        // Enough credits for a loop over Iub, and a window for the loop of link control.
        keys.rlc.status.prohibit = Some(ms(20));
        let [rate] = saturated(&keys, 6, 4)[..] else { panic!("one mobile") };
        let expected = f64::from(pdus * 320) / 8.0 * 500.0 * 1000.0 / 1002.5;
        assert!((rate / expected - 1.0).abs() < 0.02, "{category:?}: {rate} for {expected}");
    }
}

/// At the ratio of a CQI a tenth of the first transmissions errs.
#[test]
fn a_tenth_of_the_blocks_errs_at_the_ratio_of_their_cqi() {
    for cqi in [10, 16, 22] {
        let mut keys = HsKeys::default();
        keys.downlink.reception.snr = radio::hspa::formats::needed(cqi) + 1e-6;
        let config = config(&keys);
        let mut run = Run::new(&config, 1);
        for millis in 0..60_000 {
            run.send(at(millis), 0, DOWN, 500);
        }
        let down = run.cell.total(DOWN);
        let first = (down.blocks_sent - down.harq_repeats) as f64;
        let errs = (down.blocks_in_error - down.harq_given_up) as f64;
        // Repeats hardly ever err: energies add up to 3 dB more.
        assert!((errs / first - 0.1).abs() < 0.01, "CQI {cqi}: {errs} of {first}");
    }
}

/// A packet in one block: it waits for its TTI, crosses Iub, is on the air and decoded.
#[test]
fn a_packet_takes_iub_a_tti_and_decoding() {
    let mut run = Run::new(&config(&perfect(Category::Six)), 1);
    let number = run.send(at(101), 0, DOWN, 500);
    run.until(at(1000));
    // RLC at 102, NodeB at 108, on the air until 110, decoded at 114.
    assert_eq!(run.delivered(number), Some(at(114)));
}

/// `NodeB` and mobile know of an outage downlink: what would be lost waits.
#[test]
fn nothing_is_sent_to_a_mobile_that_does_not_report() {
    let mut keys = perfect(Category::Six);
    keys.mobiles.outages = vec![[ms(107), ms(109)]];
    let mut run = Run::new(&config(&keys), 1);
    let number = run.send(at(101), 0, DOWN, 500);
    run.until(at(1000));
    assert_eq!(run.delivered(number), Some(at(116)));
}

/// A block uplink that errs comes four TTIs of 10 ms later.
#[test]
fn a_repeat_takes_a_round_trip() {
    let mut keys = perfect(Category::Six);
    keys.mobiles.outages = vec![[ms(109), ms(111)]];
    let mut run = Run::new(&config(&keys), 1);
    let number = run.send(at(101), 0, Direction::Uplink, 100);
    run.until(at(1000));
    assert_eq!(run.delivered(number), Some(at(170)));
}

/// Uplink a packet waits for a TTI of 10 ms, is on the air for it, decoded, and crosses Iub.
#[test]
fn a_packet_uplink_takes_a_long_tti() {
    let mut run = Run::new(&config(&perfect(Category::Six)), 1);
    let number = run.send(at(101), 0, Direction::Uplink, 100);
    run.until(at(1000));
    // On the air from 110 to 120, decoded at 124, at the RNC at 130.
    assert_eq!(run.delivered(number), Some(at(130)));
}

/// Jain's index of fairness.
fn fairness(rates: &[f64]) -> f64 {
    let sum: f64 = rates.iter().sum();
    sum * sum / (rates.len() as f64 * rates.iter().map(|rate| rate * rate).sum::<f64>())
}

/// Under independent fading the total grows from round robin over proportional fair to the best
/// radio first, and fairness falls.
#[test]
fn schedulers_trade_fairness_for_rate() {
    let run = |policy| {
        let mut keys = HsKeys { mobiles: mobiles(6), ..HsKeys::default() };
        keys.downlink.reception.snr = 3.0;
        keys.mobiles.fading = Some(Fading { deviation: 4.0, period: Duration::from_secs(1) });
        // What waits must last for as long as a mobile is preferred.
        keys.iub.target = ms(500);
        keys.scheduler.policy = policy;
        saturated(&keys, 16, 1)
    };
    let [turns, fair, best] =
        [Policy::RoundRobin, Policy::ProportionalFair, Policy::MaxCi].map(run);
    let total = |rates: &[f64]| rates.iter().sum::<f64>();
    assert!(
        total(&turns) < total(&fair) && total(&fair) < total(&best),
        "{turns:?} {fair:?} {best:?}"
    );
    assert!(fairness(&best) < fairness(&fair), "{fair:?} {best:?}");
    assert!(fairness(&best) < fairness(&turns), "{turns:?} {best:?}");
}
