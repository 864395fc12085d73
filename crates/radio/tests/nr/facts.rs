//! What NR says of itself, seen from outside.

use base::{Direction, Duration, Probability, Time};
use radio::nr::{McsTable, NrKeys, Pattern, Spacing, Tdd};
use radio::scheduled::ScheduledConfig;

use crate::scheduled::support::{Exit, Fate, Run, at, context, ms};

const DOWN: Direction = Direction::Downlink;
const UP: Direction = Direction::Uplink;

fn tdd(letters: &str) -> NrKeys {
    let mut keys = NrKeys::default();
    let pattern = Pattern::named(letters).expect("it is a pattern");
    keys.nr.tdd = Some(Tdd { pattern, ..Tdd::default() });
    keys
}

/// The best radio there is, for all schemes.
fn best(mut keys: NrKeys) -> NrKeys {
    (keys.downlink.reception.snr, keys.uplink.channel.reception.snr) = (60.0, 60.0);
    keys
}

/// A cell whose mobile always has something to send in `direction`, after `millis`.
fn saturated(config: &ScheduledConfig, direction: Direction, millis: u64) -> Run {
    let mut run = Run::new(config, 1);
    let mut sent = 0;
    for now in 0..millis {
        run.until(at(now));
        let most = run.bytes(0, direction) + 4_000_000;
        while sent < most {
            run.send(at(now), 0, direction, 1500);
            sent += 1500;
        }
    }
    run.until(at(millis));
    run
}

/// Mbit/s of what arrived in the last of `millis`, but for the first 100.
fn mbps(run: &Run, direction: Direction, millis: u64) -> f64 {
    let of_it = |exit: &&Exit| {
        exit.direction == direction && exit.fate == Fate::Delivered && exit.time >= at(100)
    };
    let bytes: u64 = run.exits.iter().filter(of_it).map(|exit| u64::from(exit.packet.bytes)).sum();
    bytes as f64 * 8.0 / 1e3 / (millis - 100) as f64
}

/// TS 38.306 §4.1.2: layers · bits per symbol · 948/1024 · resource blocks · 12 · symbols per
/// second · (1 − overhead), where 0.14 is the overhead of the downlink below 6 GHz, 0.18 above, and
/// 0.08 that of the uplink below.
fn peak_mbps(layers: f64, bits: f64, blocks: f64, spacing: Spacing, overhead: f64) -> f64 {
    let symbols = 14.0 / spacing.slot().as_secs_f64();
    layers * bits * 948.0 / 1024.0 * blocks * 12.0 * symbols * (1.0 - overhead) / 1e6
}

/// Both directions on carriers of their own reach the peak of TS 38.306 within 2 %, beside 0.7 % of
/// headers and the steps of block sizes.
#[test]
fn carriers_reach_the_peak_that_the_specification_works_out() {
    let mut keys = best(NrKeys::default());
    keys.nr.resource_blocks = 106;
    let down = mbps(&saturated(&keys.config(&context()), DOWN, 600), DOWN, 600);
    let peak = peak_mbps(2.0, 8.0, 106.0, Spacing::Khz30, 0.14);
    assert!((0.98..1.01).contains(&(down / peak)), "{down} of {peak} Mbit/s");
    let up = mbps(&saturated(&keys.config(&context()), UP, 600), UP, 600);
    let peak = peak_mbps(1.0, 6.0, 106.0, Spacing::Khz30, 0.08);
    assert!((0.98..1.01).contains(&(up / peak)), "{up} of {peak} Mbit/s");
    keys.nr.spacing = Spacing::Khz120;
    (keys.nr.resource_blocks, keys.nr.overhead) = (66, 6);
    keys.downlink.mcs_table = McsTable::Qam64;
    let down = mbps(&saturated(&keys.config(&context()), DOWN, 600), DOWN, 600);
    let peak = peak_mbps(2.0, 6.0, 66.0, Spacing::Khz120, 0.18);
    assert!((0.98..1.01).contains(&(down / peak)), "{down} of {peak} Mbit/s");
}

/// A saturated cell sends one block in each slot of its direction, no more and no less.
#[test]
fn time_division_carries_exactly_its_share() {
    for (letters, down, up) in
        [("DDDSU", 4, 2), ("DSUUU", 2, 4), ("DDDDDDDSUU", 8, 3), ("DU", 1, 1)]
    {
        let mut keys = best(tdd(letters));
        keys.nr.resource_blocks = 51;
        for (direction, share) in [(DOWN, down), (UP, up)] {
            let run = saturated(&keys.config(&context()), direction, 500);
            let from = at(200);
            let of_it = run.facts.blocks.0.iter().filter(|(time, fact)| {
                fact.direction == direction && (from..at(500)).contains(time)
            });
            let slots = 600 / letters.len();
            assert_eq!(of_it.count(), slots * share, "{letters} {direction:?}");
            let used = run.network.utilization(direction, Duration::from_millis(500));
            assert!(used.is_some_and(|used| used > 0.9 && used <= 1.0), "{letters} {used:?}");
        }
    }
    let whole = best(NrKeys::default());
    let part = best(tdd("DDDSU"));
    let rate = |keys: &NrKeys| mbps(&saturated(&keys.config(&context()), DOWN, 600), DOWN, 600);
    // A slot S has nine symbols for data in place of 13, one of them for reference signals.
    let share = rate(&part) / rate(&whole);
    assert!((share - (3.0 + 8.0 / 12.0) / 5.0).abs() < 0.01, "{share}");
}

/// A packet goes out in the next slot of its direction; it takes that slot, and one to decode it.
#[test]
fn a_packet_takes_two_slots_down_and_a_request_up() {
    let mut keys = NrKeys::default();
    keys.nr.request_period = Duration::from_micros(500);
    let mut run = Run::new(&keys.config(&context()), 1);
    let down = run.send(Time::from_nanos(100_300_000), 0, DOWN, 100);
    let up = run.send(Time::from_nanos(200_300_000), 0, UP, 60);
    run.until(at(1000));
    assert_eq!(run.delivered(down), Some(Time::from_nanos(101_500_000)));
    // A request at 200.5, heard at 201.5, granted for 202.5, decoded at 203.5.
    assert_eq!(run.delivered(up), Some(Time::from_nanos(203_500_000)));
    // With DDDSU: in a slot U at 102, as a period begins each 2.5 ms.
    let mut keys = tdd("DDDSU");
    keys.nr.request_period = Duration::from_micros(500);
    let mut run = Run::new(&keys.config(&context()), 1);
    let down = run.send(Time::from_nanos(101_900_000), 0, DOWN, 100);
    let up = run.send(Time::from_nanos(200_300_000), 0, UP, 60);
    run.until(at(1000));
    assert_eq!(run.delivered(down), Some(Time::from_nanos(103_500_000)), "102 is of the uplink");
    // A request in the slot S at 201.5, heard at 202.5, granted for the slot S at 204, decoded at
    // 205.
    assert_eq!(run.delivered(up), Some(at(205)));
}

/// A block that fails downlink: its mobile says so in the first uplink slot after two slots, and it
/// is sent again in the next downlink slot.
#[test]
fn a_repeat_waits_for_slots_of_both_directions() {
    let gap = |keys: &NrKeys, direction: Direction, start: u64| {
        let mut run = Run::new(&keys.config(&context()), 1);
        run.send(at(start), 0, direction, 100);
        run.until(at(start + 3000));
        let of_it = |block: &&(Time, _)| block.0 >= at(start);
        let times: Vec<_> = run
            .facts
            .blocks
            .0
            .iter()
            .filter(of_it)
            .map(|(time, _)| time.as_nanos() / 500_000)
            .collect();
        times[1] - times[0]
    };
    let always = |mut keys: NrKeys| {
        let bler = Probability::new(0.999_999);
        (keys.downlink.reception.bler, keys.uplink.channel.reception.bler) = (bler, bler);
        keys
    };
    // Slot 0 to 2, then 3; with DDDSU from slot 1 of a period over slot 3 to slot 5.
    assert_eq!(gap(&always(NrKeys::default()), DOWN, 100), 3);
    assert_eq!(gap(&always(tdd("DDDSU")), DOWN, 100), 4);
    // Decoded after two slots, granted for two later.
    assert_eq!(gap(&always(NrKeys::default()), UP, 100), 4);
}

/// One way down at 100 kbit/s takes less than 7 ms, of a network that is not standalone (Rohde &
/// Schwarz, 2022): the radio's part of it.
#[test]
fn a_thin_flow_is_quick() {
    let mut run = Run::new(&tdd("DDDSU").config(&context()), 1);
    let numbers: Vec<_> =
        (0..500).map(|step| (step, run.send(at(50 + step * 8), 0, DOWN, 100))).collect();
    run.until(at(10_000));
    for (step, number) in numbers {
        let came = run.delivered(number).expect("it comes");
        let took = came.saturating_since(at(50 + step * 8));
        assert!(took < ms(7), "{took:?}");
    }
}

/// What HARQ has given up is sent again after t-Reassembly, and PDCP waits no longer than
/// t-Reordering for it.
#[test]
fn pdcp_gives_up_a_gap_after_its_time() {
    let lost = |reordering: Option<Duration>| {
        let mut keys = NrKeys::default();
        (keys.nr.pdcp.reordering, keys.harq.repeats) = (reordering, 0);
        keys.mobiles.outages =
            vec![[Duration::from_micros(100_200), Duration::from_micros(100_700)]];
        let mut run = Run::new(&keys.config(&context()), 1);
        for micros in [99_900, 100_400, 100_900, 101_400] {
            run.send(Time::from_nanos(micros * 1000), 0, DOWN, 1000);
        }
        run.until(at(2000));
        run.exits
            .iter()
            .map(|exit| {
                (exit.packet.number, exit.fate == Fate::Delivered, exit.time.as_nanos() / 1000)
            })
            .collect::<Vec<_>>()
    };
    // The second is lost; the third comes at 102 ms, and 50 ms later the second is given up.
    let gave_up = [(0, true, 101_000), (1, false, 152_000), (2, true, 152_000), (3, true, 152_000)];
    assert_eq!(lost(Some(ms(50))), gave_up);
    let waited = lost(None);
    let came: Vec<_> = waited.iter().map(|(number, came, _)| (*number, *came)).collect();
    assert_eq!(came, [(0, true), (1, true), (2, true), (3, true)]);
    // Reported 50 ms after the third came; then a report and a repeat take some slots.
    let late = waited[1].2;
    assert!((152_000..170_000).contains(&late), "{late} us");
    assert!(waited[1..].iter().all(|(.., time)| *time == late), "all at once");
}
