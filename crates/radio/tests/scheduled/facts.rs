//! What LTE says of itself, seen from outside.

use base::{Direction, Duration, Probability, Time};
use radio::lte::{Category, LteKeys};
use radio::scheduled::{ScheduledConfig, rrc};

use super::support::{Run, at, config, ms};
use crate::support::mobiles;

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

/// Keeps the queue of `direction` full for `seconds`; the rate in Mbit/s of what arrives.
pub(crate) fn saturated(config: &ScheduledConfig, direction: Direction, seconds: u64) -> f64 {
    let mut run = Run::new(config, 1);
    let mut sent = 0;
    for millis in 0..seconds * 1000 {
        // 150 Mbit/s are 12.5 packets a millisecond.
        while sent * 1500 < millis * 20_000 {
            run.send(at(millis), 0, direction, 1500);
            sent += 1;
        }
        if sent * 1500 > run.bytes(0, direction) + 4_000_000 {
            run.until(at(millis));
        }
    }
    run.until(at(seconds * 1000));
    run.bytes(0, direction) as f64 * 8.0 / 1e6 / seconds as f64
}

/// Category 4 carries 149.776 Mbit/s of blocks down and 51.024 up, of which 99.7 % are packets:
/// headers take 4 bytes a packet and 5 a block.
#[test]
fn category_4_fills_its_peak_rates() {
    let keys = LteKeys::default();
    let down = saturated(&config(&keys), DOWN, 2);
    assert!((147.0..149.6).contains(&down), "{down} Mbit/s");
    let up = saturated(&config(&keys), UP, 2);
    assert!((49.5..51.0).contains(&up), "{up} Mbit/s");
}

#[test]
fn category_1_fills_its_peak_rate() {
    let mut keys = LteKeys::default();
    keys.lte.category = Category::One;
    let down = saturated(&config(&keys), DOWN, 2);
    assert!((10.0..10.27).contains(&down), "{down} Mbit/s");
}

/// With nothing else to do a packet goes out in the next subframe, takes it, and is decoded.
#[test]
fn a_packet_takes_a_few_subframes_down_and_a_request_up() {
    let mut keys = LteKeys::default();
    keys.lte.request_period = Duration::from_millis(1);
    let mut run = Run::new(&config(&keys), 1);
    let down = run.send(Time::from_nanos(100_300_000), 0, DOWN, 100);
    let up = run.send(Time::from_nanos(200_300_000), 0, UP, 60);
    run.until(at(1000));
    assert_eq!(run.delivered(down), Some(at(104)));
    // A request at 201, heard at 204, granted for 208, decoded at 211.
    assert_eq!(run.delivered(up), Some(at(211)));
}

/// A block that fails is sent again 8 ms later.
#[test]
fn a_repeat_costs_a_round_trip_of_harq() {
    let mut keys = LteKeys::default();
    keys.downlink.reception.bler = Probability::new(0.999);
    let mut run = Run::new(&config(&keys), 1);
    let packet = run.send(at(100), 0, DOWN, 100);
    run.until(at(2000));
    let arrived = run.delivered(packet).expect("it arrives");
    let late = arrived.saturating_since(at(104));
    assert!(late > ms(0) && late.as_nanos().is_multiple_of(ms(8).as_nanos()), "{late:?}");
}

/// An idle mobile is promoted in 260 ms, after a page where the network begins; it is released
/// 10 s after its last block, and then is promoted again.
#[test]
fn a_connection_comes_and_goes() {
    let mut keys = LteKeys::default();
    keys.station.rrc = Some(rrc::Keys::default());
    let mut run = Run::new(&config(&keys), 1);
    let took = |run: &mut Run, start: u64, direction| {
        let packet = run.send(at(start), 0, direction, 100);
        run.until(at(start + 5000));
        let end = run.delivered(packet).expect("it arrives");
        end.saturating_since(at(start)).as_nanos() / 1_000_000
    };
    let first = took(&mut run, 1, UP);
    assert!((270..295).contains(&first), "{first} ms");
    let connected = took(&mut run, 5_500, DOWN);
    assert!(connected < 5, "{connected} ms");
    let soon = took(&mut run, 15_000, UP);
    assert!(soon < 25, "{soon} ms");
    let paged: Vec<_> = (0..20).map(|turn| took(&mut run, 40_000 + turn * 20_777, DOWN)).collect();
    assert!(paged.iter().all(|took| (260..1280 + 275).contains(took)), "{paged:?}");
    let mean = paged.iter().sum::<u64>() / 20;
    assert!((700..1100).contains(&mean), "a page comes half a cycle later in the mean: {mean} ms");
}

/// An idle mobile that gets one packet is promoted for 260 ms, active for 100 ms after the subframe
/// of its last block, then asleep until its connection is released 10 s after that block (Huang et
/// al. 2012); its energy is that of its states, and of the bits that it carried.
#[test]
fn a_packet_costs_a_promotion_and_a_tail() {
    let mut keys = LteKeys::default();
    keys.station.rrc = Some(rrc::Keys::default());
    keys.station.drx = Some(radio::scheduled::drx::Keys::default());
    let mut run = Run::new(&config(&keys), 1);
    run.send(at(1000), 0, UP, 100);
    run.until(at(60_000));
    let used: Vec<_> = run.network.energy(at(60_000)).collect();
    let [mobile] = &used[..] else { panic!("one mobile") };
    let seconds: Vec<_> = mobile.states().iter().map(|state| state.time.as_secs_f64()).collect();
    let [idle, promotion, active, tail] = seconds[..] else { panic!("four states") };
    assert!((promotion - 0.260).abs() < 1e-9, "{promotion} s");
    assert!((0.100..0.130).contains(&active), "{active} s");
    assert!((tail - 9.899).abs() < 1e-9, "{tail} s");
    assert!((idle + promotion + active + tail - 60.0).abs() < 1e-9);
    let bytes = [DOWN, UP].map(|way| run.network.total(way).bytes_sent as f64);
    let states = 0.020 * idle + 1.21 * promotion + 1.288 * active + 1.06 * tail;
    let bits = 8.0 * (52e-9 * bytes[0] + 438e-9 * bytes[1]);
    assert!((mobile.total().as_joules_f64() - states - bits).abs() < 1e-9);
}

/// Mobiles that all want everything share the cell alike.
#[test]
fn mobiles_share_the_cell() {
    let keys = LteKeys { mobiles: mobiles(4), ..LteKeys::default() };
    let mut run = Run::new(&config(&keys), 1);
    for millis in 0..1000 {
        for ue in 0..4 {
            for _ in 0..8 {
                run.send(at(millis), ue, DOWN, 1500);
            }
        }
    }
    run.until(at(1000));
    let shares: Vec<_> = (0..4).map(|ue| run.bytes(ue, DOWN) as f64 * 8.0 / 1e6).collect();
    let sum: f64 = shares.iter().sum();
    assert!((145.0..149.6).contains(&sum), "{sum} Mbit/s");
    assert!(shares.iter().all(|share| (share * 4.0 / sum - 1.0).abs() < 0.02), "{shares:?}");
    let used = run.network.utilization(DOWN, Duration::from_secs(1)).expect("slots have passed");
    assert!((0.99..=1.0).contains(&used), "{used}");
}

/// In transparent mode a packet larger than the largest block is discarded, and the next one comes.
#[test]
fn what_fits_in_no_block_is_discarded() {
    let mut keys = LteKeys::default();
    (keys.lte.category, keys.lte.rlc.mode) = (Category::M1, radio::rlc36::Mode::Tm);
    let mut run = Run::new(&config(&keys), 1);
    let numbers = [121, 120, 1500, 60].map(|bytes| run.send(at(100), 0, DOWN, bytes));
    run.until(at(1000));
    assert_eq!(numbers.map(|number| run.delivered(number).is_some()), [false, true, false, true]);
    assert_eq!(run.network.total(DOWN).discarded, 2);
}
