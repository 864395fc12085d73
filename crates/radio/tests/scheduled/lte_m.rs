//! LTE-M, which sends each block so often, and receives and sends in turns.

use base::{Direction, Duration, Energy, Power, Probability, Time};
use proptest::prelude::*;
use radio::lte::{Category, Duplex, LteKeys};
use radio::scheduled::drx;

use super::support::{Run, at, config, ms};
use crate::support::mobiles;

const BOTH: [Direction; 2] = Direction::BOTH;
const DOWN: Direction = Direction::Downlink;

fn keys(duplex: Duplex, repetitions: u32) -> LteKeys {
    let mut keys = LteKeys::default();
    keys.lte.category = Category::M1;
    (keys.lte.duplex, keys.lte.repetitions) = (duplex, repetitions);
    keys
}

/// The rates in kbit/s of both directions, with all queues full for a minute. All mobiles together.
fn saturated(keys: &LteKeys) -> [f64; 2] {
    let config = config(keys);
    let mut run = Run::new(&config, 1);
    let mut sent = [0; 2];
    for second in 0..60 {
        for way in BOTH {
            while sent[way as usize] < (second + 1) * 125_000 * config.ues.len() as u64 {
                for ue in 0..config.ues.len() as u32 {
                    run.send(at(second * 1000), ue, way, 1000);
                    sent[way as usize] += 1000;
                }
            }
        }
    }
    run.until(at(60_000));
    let ues = 0..config.ues.len() as u32;
    BOTH.map(|way| ues.clone().map(|ue| run.bytes(ue, way)).sum::<u64>() as f64 * 8.0 / 60e3)
}

/// A mobile of LTE-M is no phone: it draws 90 mW while it listens, and 453 mW more while it sends a
/// block of 1000 bits, in each repetition. What is given holds for any device.
#[test]
fn power_is_that_of_the_device() {
    // Idle, connecting, active, in the tail; it neither saves power nor is suspended.
    let states = |keys: &LteKeys| {
        let [psm, idle, inactive, others @ ..] = config(keys).power.states;
        assert_eq!((psm, inactive), (None, None));
        let others = [idle].into_iter().chain(others).flatten();
        others.map(Power::as_microwatts).collect::<Vec<_>>()
    };
    let milliwatts = |powers: [u64; 4]| powers.map(|power| 1000 * power);
    assert_eq!(states(&LteKeys::default()), milliwatts([20, 1210, 1288, 1060]));
    for repetitions in [1, 32] {
        let mut keys = keys(Duplex::Full, repetitions);
        assert_eq!(states(&keys), milliwatts([5, 90, 90, 25]));
        let block = config(&keys).power.per_bit.map(|bit| bit.of_bytes(125));
        let lasts = ms(u64::from(repetitions));
        assert_eq!(block, [Energy::default(), Power::from_milliwatts(453) * lasts]);
        keys.power.active = Some(Power::from_milliwatts(100));
        assert_eq!(states(&keys), milliwatts([5, 90, 100, 25]));
    }
}

/// Blocks have 1000 bits: one a subframe; three in ten, both ways, in half duplex, as the 300
/// kbit/s that are said of it; with eight repetitions one in eight, and one in thirty. Headers are
/// 4 bytes of 1000, and 5 of each block of 125.
#[test]
fn rates_are_those_of_the_turns() {
    let net = 120.0 / 125.0 * 1000.0 / 1004.0;
    for (duplex, repetitions, peak) in [
        (Duplex::Full, 1, 1000.0),
        (Duplex::Full, 8, 125.0),
        (Duplex::Half, 1, 300.0),
        (Duplex::Half, 8, 1000.0 / 30.0),
        (Duplex::Half, 32, 1000.0 / 102.0),
    ] {
        for rate in saturated(&keys(duplex, repetitions)) {
            let share = rate / (peak * net);
            assert!((0.95..1.0).contains(&share), "{duplex:?} {repetitions}: {rate} kbit/s");
        }
    }
}

/// Each mobile takes its turns at a place of its own: ten have ten times the rate of one. A block
/// takes two of six resource blocks at this ratio.
#[test]
fn mobiles_in_half_duplex_fill_the_cell_together() {
    let keys = LteKeys { mobiles: mobiles(10), ..keys(Duplex::Half, 1) };
    for rate in saturated(&keys) {
        assert!(rate > 0.93 * 10.0 * 300.0 * 120.0 / 125.0, "{rate} kbit/s");
    }
}

/// A packet goes out in its mobile's turn; a block that fails is sent again in the next turn, ten
/// subframes later.
#[test]
fn a_packet_waits_for_its_turn() {
    let mut keys = keys(Duplex::Half, 1);
    keys.downlink.reception.bler = Probability::new(0.999);
    let mut run = Run::new(&config(&keys), 1);
    let packet = run.send(Time::from_nanos(100_300_000), 0, DOWN, 60);
    run.until(at(5000));
    let arrived = run.delivered(packet).expect("it arrives");
    let late = arrived.saturating_since(at(105));
    assert!(late > ms(0) && late.as_nanos().is_multiple_of(ms(10).as_nanos()), "{late:?}");
}

/// The energies of 32 repetitions are worth 15 dB: nothing arrives at -15 dB without them.
#[test]
fn repetitions_reach_further() {
    let arrive = |repetitions| {
        let mut keys = keys(Duplex::Half, repetitions);
        (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (-15.0, -15.0);
        keys.lte.rlc.reordering = Duration::from_secs(1);
        let mut run = Run::new(&config(&keys), 1);
        run.send(at(100), 0, DOWN, 100);
        run.until(at(60_000));
        run.bytes(0, DOWN)
    };
    assert_eq!((arrive(32), arrive(1)), (100, 0));
}

fn loads() -> impl Strategy<Value = Vec<(u64, bool, u32)>> {
    let pauses = prop_oneof![4 => 0_u64..3, 2 => 0_u64..100, 1 => 0_u64..3000];
    prop::collection::vec((pauses, any::<bool>(), 20_u32..1600), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// In half duplex a mobile never receives and sends at once, and takes a subframe to turn, or
    /// the rest of its slot; HARQ keeps to its processes, of which none waits for ever.
    #[test]
    fn a_mobile_turns_before_it_sends(
        loads in loads(),
        repetitions in prop_oneof![Just(1_u32), 2_u32..20],
        bler in 0.0_f64..0.5,
        sleeps in any::<bool>(),
        places in 1_u32..11,
    ) {
        let mut keys = LteKeys { mobiles: mobiles(places), ..keys(Duplex::Half, repetitions) };
        keys.downlink.reception.bler = Probability::new(bler);
        keys.uplink.channel.reception.bler = keys.downlink.reception.bler;
        keys.station.drx = sleeps.then(|| drx::Keys { on: ms(66), ..drx::Keys::default() });
        let config = config(&keys);
        let mut run = Run::new(&config, 1);
        let mut now = Time::ZERO;
        for (pause, is_up, bytes) in &loads {
            now += ms(*pause);
            run.send(now, places - 1, BOTH[usize::from(*is_up)], *bytes);
        }
        run.until(now + Duration::from_secs(1000));
        prop_assert_eq!(run.exits.len(), loads.len());
        prop_assert!(run.network.poll_timeout().is_none());
        let apart = if repetitions == 1 { config.slot * 2 } else { config.slot };
        for pair in run.facts.blocks.0.windows(2) {
            let [(before, one), (after, other)] = pair else { unreachable!("windows of two") };
            let turns = one.direction != other.direction;
            prop_assert!(!turns || after.saturating_since(*before) >= apart, "{pair:?}");
            prop_assert!(after > before, "{pair:?}");
        }
    }
}
