//! To the nanosecond, without errors.

use base::{Direction, Duration, Time};
use mobility::handover::{LinkChange, Mode};
use mobility::motion::{Leg, Motion, Position};
use observe::DropReason;
use radio::wlan::{Access, DataRate, End, Loss, WlanKeys};

use super::support::{Net, Packet, config, micros, millis, resting, walking};

/// 1500 bytes at 11 Mbit/s: 192 µs and 8 · 1536 / 11 µs, rounded up.
const DATA: u64 = 1_310_000;
/// SIFS, 14 bytes at 1 Mbit/s with their preamble, DIFS.
const AFTER: u64 = 10_000 + 304_000 + 50_000;

const fn full(number: u32) -> Packet {
    Packet { number, bytes: 1500 }
}

const UP_0: LinkChange = LinkChange::Up { access_point: 0 };
const UP_1: LinkChange = LinkChange::Up { access_point: 1 };
const DOWN_0: LinkChange = LinkChange::Down { access_point: 0 };

#[test]
fn frames_go_one_after_the_other() {
    let mut net = Net::new(&config(), 1, &[resting(10.0), resting(20.0)]);
    let start = millis(500);
    for number in 0..2 {
        net.down(start, 0, number, full(number)).expect("there is room");
    }
    net.up(start, 1, full(2)).expect("there is room");
    net.down(start, 0, 1, Packet { number: 3, bytes: 40 }).expect("there is room");
    net.run(millis(600));
    let begin = start.as_nanos();
    let turn = DATA + AFTER;
    let expect = [
        (begin + DATA, End::Station(0), 0),
        (begin + turn + DATA, End::Station(1), 1),
        (begin + 2 * turn + DATA, End::AccessPoint(0), 2),
        // 192 µs and 8 · 76 / 11 µs.
        (begin + 3 * turn + 248_000, End::Station(1), 3),
    ];
    assert_eq!(net.delivered(), expect);
    let counters = net.wlan.counters(Direction::Downlink);
    assert_eq!((counters.sdus, counters.delivered, counters.frames), (3, 3, 3));
    assert_eq!((counters.bytes_delivered, counters.queue_max), (3040, 3));
    let sifs_and_acknowledgement = AFTER - 50_000;
    let busy = 3 * DATA + 248_000 + 4 * sifs_and_acknowledgement;
    assert_eq!(net.wlan.busy(0, millis(600)), Duration::from_nanos(busy));
    let share = net.wlan.utilization(millis(600)).expect("time has passed");
    assert!((share - busy as f64 / 6e8).abs() < 1e-12, "{share}");
    assert_eq!(net.wlan.utilization(Time::ZERO), None);
    assert_eq!(net.wlan.poll_timeout(), None);
}

/// At each moment it has been in use for no longer than has passed.
#[test]
fn use_is_counted_as_it_goes_on() {
    let mut net = Net::new(&config(), 1, &[resting(10.0)]);
    net.down(Time::ZERO, 0, 0, full(0)).expect("there is room");
    let in_use = DATA + AFTER - 50_000;
    for nanos in [0, 1, DATA - 1, DATA, DATA + 1, in_use - 1, in_use, in_use + 1, DATA + AFTER] {
        let now = Time::from_nanos(nanos);
        net.run(now);
        assert_eq!(net.wlan.busy(0, now), Duration::from_nanos(nanos.min(in_use)), "{nanos} ns");
    }
}

/// Of frames that collide the longest counts.
#[test]
fn collisions_take_their_time_once() {
    let access = Access::CsmaCa;
    let config = WlanKeys { access, cw_min: 0, cw_max: 0, retry_limit: 1, ..config() };
    let mut net = Net::new(&config, 1, &[resting(10.0), resting(20.0), resting(30.0)]);
    net.down(Time::ZERO, 0, 0, full(0)).expect("there is room");
    let under_way = micros(100);
    net.up(under_way, 1, full(1)).expect("there is room");
    net.up(under_way, 2, Packet { number: 2, bytes: 40 }).expect("there is room");
    net.run(millis(10));
    assert_eq!(net.wlan.counters(Direction::Uplink).collisions, 2);
    let in_use = 2 * (DATA + AFTER - 50_000);
    assert_eq!(net.wlan.busy(0, millis(10)), Duration::from_nanos(in_use));
}

/// By hand, at 1 Mbit/s: 352 µs and 304 µs, each with SIFS.
#[test]
fn requests_precede_longer_frames_alone() {
    let ahead = 352_000 + 10_000 + 304_000 + 10_000;
    for (threshold, expected) in [(None, DATA), (Some(1_536), DATA), (Some(1_535), ahead + DATA)] {
        let config = WlanKeys { rts_threshold: threshold, ..config() };
        let mut net = Net::new(&config, 1, &[resting(10.0)]);
        net.down(Time::ZERO, 0, 0, full(0)).expect("there is room");
        net.run(millis(100));
        assert_eq!(net.delivered()[0].0, expected, "{threshold:?}");
    }
}

/// Of exchanges that collide only the requests are sent.
#[test]
fn requests_collide_and_not_data() {
    let (access, rts_threshold) = (Access::CsmaCa, Some(0));
    let config =
        WlanKeys { access, rts_threshold, cw_min: 0, cw_max: 0, retry_limit: 1, ..config() };
    let mut net = Net::new(&config, 1, &[resting(10.0), resting(20.0), resting(30.0)]);
    net.down(Time::ZERO, 0, 0, full(0)).expect("there is room");
    for station in 1..=2 {
        net.up(micros(100), station, full(station)).expect("there is room");
    }
    net.run(millis(10));
    assert_eq!(net.wlan.counters(Direction::Uplink).collisions, 2);
    let alone = 352_000 + 10_000 + 304_000 + 10_000 + DATA;
    let in_use = alone + 352_000 + 2 * (AFTER - 50_000);
    assert_eq!(net.wlan.busy(0, millis(10)), Duration::from_nanos(in_use));
}

/// IEEE 802.11-2012 §9.7.6.5.
#[test]
fn acknowledgements_are_no_faster_than_data() {
    let config = WlanKeys { rate: DataRate::Mbps1, basic_rate: DataRate::Mbps11, ..config() };
    let mut net = Net::new(&config, 1, &[resting(10.0)]);
    net.down(Time::ZERO, 0, 0, full(0)).expect("there is room");
    net.down(Time::ZERO, 0, 0, full(1)).expect("there is room");
    net.run(millis(100));
    let times: Vec<_> = net.delivered().iter().map(|(time, ..)| *time).collect();
    // 192 µs and 8 µs a byte.
    let data = 192_000 + 8_000 * 1_536;
    assert_eq!(times, [data, data + AFTER + data]);
}

/// Who has left with its turn still to come takes no slots from the others: 0 rests, the others
/// walk out of range and are found to be gone while the access point sends, with frames of theirs
/// before that of 0.
#[test]
fn a_turn_that_nobody_takes_leaves_the_others_their_slots() {
    let sends_at = |leaving: u32| {
        let mut stations = vec![resting(10.0)];
        stations.extend((0..8).map(|_| walking(95.0, 500.0, 100.0)));
        let mut net = Net::new(&WlanKeys { access: Access::CsmaCa, ..config() }, 1, &stations);
        net.down(micros(99_500), 0, 0, full(99)).expect("there is room");
        net.up(micros(99_900), 0, full(0)).expect("there is room");
        for station in 1..=leaving {
            net.up(micros(99_900), station, full(station)).expect("there is room");
        }
        net.run(millis(200));
        assert_eq!(net.dropped().len(), leaving as usize);
        net.delivered()[1]
    };
    for leaving in 1..=8 {
        assert_eq!(sends_at(leaving), sends_at(0), "{leaving} leave");
    }
}

/// After a frame the medium is free with DIFS over; before that the next one waits.
#[test]
fn a_frame_waits_for_the_acknowledgement_of_another() {
    let mut net = Net::new(&config(), 1, &[resting(10.0)]);
    net.down(Time::ZERO, 0, 0, full(0)).expect("there is room");
    net.down(Time::from_nanos(DATA + AFTER - 1), 0, 0, full(1)).expect("there is room");
    net.down(Time::from_nanos(2 * (DATA + AFTER)), 0, 0, full(2)).expect("there is room");
    net.down(Time::from_nanos(3 * (DATA + AFTER) + 7), 0, 0, full(3)).expect("there is room");
    net.run(millis(100));
    let times: Vec<_> = net.delivered().iter().map(|(time, ..)| *time).collect();
    let turn = DATA + AFTER;
    assert_eq!(times, [DATA, turn + DATA, 2 * turn + DATA, 3 * turn + 7 + DATA]);
}

#[test]
fn access_points_do_not_disturb_each_other() {
    let mut net = Net::new(&config(), 2, &[resting(10.0), resting(140.0)]);
    for (point, station) in [(0, 0), (1, 1)] {
        net.down(Time::ZERO, point, station, full(station)).expect("there is room");
    }
    net.run(millis(10));
    let times: Vec<_> = net.delivered().iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, [DATA, DATA]);
}

#[test]
fn a_queue_has_its_limit() {
    let mut net = Net::new(&config(), 1, &[resting(10.0)]);
    let refused = (0..60).filter(|number| net.down(Time::ZERO, 0, 0, full(*number)).is_err());
    assert_eq!(refused.collect::<Vec<_>>(), (50..60).collect::<Vec<_>>());
    assert_eq!(net.wlan.counters(Direction::Downlink).drops.queue, 10);
    assert_eq!(net.wlan.counters(Direction::Downlink).queue_max, 50);
}

/// A packet each 2 ms to `(millis, access point)` while a station walks at 10 m/s from the first
/// to the second.
fn walk(config: &WlanKeys, points: impl Fn(&Net) -> Vec<u32>) -> Net {
    let mut net = Net::new(config, 2, &[walking(0.0, 150.0, 10.0)]);
    for number in 0..7500 {
        let now = millis(2 * u64::from(number));
        net.run(now);
        for point in points(&net) {
            // It may be refused, where nobody is there.
            let _ = net.down(now, point, 0, Packet { number, bytes: 200 });
        }
    }
    net.run(millis(16_000));
    net
}

/// At 10 m/s the second is louder by 3 dB from 87.8 m on: 150 − x = x / 10^(3/20); at the beacon of
/// 8.8 s.
const CHANGE: u64 = 8_800_000_000;

#[test]
fn break_before_make_is_silent_for_the_switch_time() {
    let config = config();
    let switch = config.switch_time.as_nanos();
    let net = walk(&config, |_| vec![0, 1]);
    let links = [(0, UP_0), (CHANGE, DOWN_0), (CHANGE + switch, UP_1)];
    assert_eq!(net.links(), links);
    let times: Vec<_> = net.delivered().iter().map(|(time, ..)| *time).collect();
    let last = times.iter().rposition(|time| *time <= CHANGE).expect("some");
    // 236 bytes at 11 Mbit/s: 192 + 172 µs.
    let data = 364_000;
    assert_eq!(times[last], CHANGE - 2_000_000 + data);
    assert_eq!(times[last + 1], (CHANGE + switch).next_multiple_of(2_000_000) + data);
    assert_eq!(net.dropped(), [], "nothing was on its way");
}

#[test]
fn make_before_break_has_no_gap() {
    let mut config = config();
    config.handover = Mode::MakeBeforeBreak;
    let switch = config.switch_time.as_nanos();
    // It goes by the links: to the second as soon as there is one.
    let net = walk(&config, |net| net.wlan.attached(0).into_iter().collect());
    // Out of range of the first after 10 s: at the beacon of 10.1 s.
    let links = [(0, UP_0), (CHANGE + switch, UP_1), (10_100_000_000, DOWN_0)];
    assert_eq!(net.links(), links);
    let numbers: Vec<_> = net.delivered().iter().map(|(.., number)| *number).collect();
    assert_eq!(numbers, (0..7500).collect::<Vec<_>>(), "all, in order");
    let times: Vec<_> = net.delivered().iter().map(|(time, ..)| *time).collect();
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 2_000_000), "as if nothing had been");
}

#[test]
fn in_the_overlap_both_are_heard() {
    let mut config = config();
    config.handover = Mode::MakeBeforeBreak;
    let mut net = Net::new(&config, 2, &[walking(0.0, 150.0, 10.0)]);
    net.run(millis(9_500));
    assert!(net.wlan.is_attached(0, 0) && net.wlan.is_attached(0, 1));
    assert_eq!(net.wlan.attached(0), Some(1));
    let now = millis(9_500);
    for (number, point) in [(0, None), (1, Some(0)), (2, Some(1))] {
        net.wlan.handle_uplink(now, 0, point, full(number)).expect("there are links");
    }
    net.run(millis(9_600));
    let ends: Vec<_> = net.delivered().iter().map(|(_, end, number)| (*end, *number)).collect();
    let (first, second) = (End::AccessPoint(0), End::AccessPoint(1));
    assert_eq!(ends, [(first, 1), (second, 0), (second, 2)]);
    net.run(millis(12_000));
    let dropped = net.wlan.handle_uplink(millis(12_000), 0, Some(0), full(9));
    assert_eq!(dropped.expect_err("out of range").reason, DropReason::Unreachable);
}

/// Leaves the first access point with 30 packets in its queue.
fn leave(hold: &[u32]) -> Net {
    let mut net = Net::new(&config(), 2, &[walking(0.0, 150.0, 10.0)]);
    net.run(millis(8_791));
    for point in hold {
        net.wlan.hold(*point, 0);
    }
    for number in 0..30 {
        net.down(millis(8_791), 0, 0, full(number)).expect("there is room");
    }
    net
}

#[test]
fn what_waits_where_a_station_leaves_is_lost_at_its_turn() {
    let mut net = leave(&[]);
    net.run(millis(10_000));
    // 9 ms are five turns; the sixth frame is not heard to its end, then nobody is there.
    let delivered: Vec<_> = net.delivered().iter().map(|(.., number)| *number).collect();
    assert_eq!(delivered, [0, 1, 2, 3, 4]);
    let begin = millis(8_791).as_nanos();
    let sixth = begin + 5 * (DATA + AFTER) + DATA;
    let expect: Vec<_> = (5..30)
        .map(|number| {
            let time = if number == 5 { sixth } else { sixth + AFTER };
            (time, DropReason::Unreachable, number)
        })
        .collect();
    assert_eq!(net.dropped(), expect);
    let refused = net.down(millis(10_000), 0, 0, full(30)).expect_err("nobody is there");
    assert_eq!(refused.reason, DropReason::Unreachable);
}

#[test]
fn what_is_held_goes_when_released() {
    let mut net = leave(&[0, 1]);
    net.run(millis(8_850));
    assert_eq!(net.wlan.held(Direction::Downlink).count(), 20, "the limit");
    let dropped: Vec<_> = net.dropped().iter().map(|(_, why, number)| (*why, *number)).collect();
    assert_eq!(dropped, (25..30).map(|number| (DropReason::Queue, number)).collect::<Vec<_>>());
    // Forwarded to the second, ahead of the station.
    for number in 100..103 {
        net.down(millis(8_860), 1, 0, full(number)).expect("it is awaited");
    }
    net.run(millis(9_000));
    assert_eq!(net.wlan.attached(0), Some(1));
    assert_eq!(net.delivered().len(), 5, "it waits until released");
    net.down(millis(9_000), 1, 0, full(103)).expect("there is room");
    net.wlan.release(millis(9_000), 1, 0);
    net.poll(millis(9_000));
    net.down(millis(9_000), 1, 0, full(104)).expect("there is room");
    net.run(millis(9_100));
    let numbers: Vec<_> = net.delivered().iter().skip(5).map(|(.., number)| *number).collect();
    assert_eq!(numbers, [100, 101, 102, 103, 104]);
    assert_eq!(net.delivered()[5].0, millis(9_000).as_nanos() + DATA);
    net.wlan.release(millis(9_100), 0, 0);
    net.poll(millis(9_100));
    assert_eq!(net.wlan.held(Direction::Downlink).count(), 0);
    assert_eq!(net.dropped().len(), 5 + 20, "nobody is at the first any more");
}

#[test]
fn frames_out_of_range_are_sent_until_the_limit() {
    let mut net = Net::new(&config(), 1, &[walking(99.0, 500.0, 100.0)]);
    // Out of range after 10 ms; the beacon of 100 ms tells.
    net.down(millis(20), 0, 0, full(0)).expect("there is room");
    net.run(millis(200));
    let begin = millis(20).as_nanos();
    assert_eq!(net.dropped(), [(begin + 6 * (DATA + AFTER) + DATA, DropReason::Loss, 0)]);
    let counters = net.wlan.counters(Direction::Downlink);
    assert_eq!((counters.frames, counters.frame_errors, counters.drops.loss), (7, 7, 1));
    assert_eq!(net.links(), [(0, UP_0), (100_000_000, DOWN_0)]);
    let refused = net.up(millis(200), 0, full(1)).expect_err("nobody hears it");
    assert_eq!(refused.reason, DropReason::Unreachable);
}

#[test]
fn who_rests_in_range_costs_nothing() {
    let stations: Vec<_> = (0..100).map(|number| resting(f64::from(number))).collect();
    let mut net = Net::new(&config(), 2, &stations);
    net.run(millis(100));
    assert_eq!(net.wlan.poll_timeout(), None);
    let late = Leg::new(Position::new(100.0, 0.0), 100.0).not_before(millis(5_040));
    let late = Motion::along(Position::default(), &[late]);
    let mut net = Net::new(&config(), 2, &[late]);
    net.run(millis(4_000));
    assert_eq!(net.wlan.poll_timeout(), Some(millis(5_100)), "at the beacon after it has begun");
    net.run(millis(9_000));
    assert_eq!(net.wlan.poll_timeout(), None, "it rests again");
    assert_eq!(net.wlan.attached(0), Some(1));
}

#[test]
fn a_lone_frame_with_back_off_goes_in_the_next_slot() {
    let mut net = Net::new(&WlanKeys { access: Access::CsmaCa, ..config() }, 1, &[resting(10.0)]);
    net.down(micros(1_000_007), 0, 0, full(0)).expect("there is room");
    net.run(millis(1_100));
    assert_eq!(net.delivered()[0].0, 1_000_020_000 + DATA);
}

/// Golden: 2000 packets to a station 70 m away with loud noise, and 2000 back.
#[test]
fn losses_are_golden() {
    let mut config = WlanKeys { loss: Loss::FromPlace, ..config() };
    config.noise = -69.0;
    config.retry_limit = 3;
    let run = |access| {
        let mut net = Net::new(&WlanKeys { access, ..config.clone() }, 1, &[resting(70.0)]);
        for number in 0..2000 {
            let now = millis(10 * u64::from(number));
            net.down(now, 0, 0, full(number)).expect("there is room");
            net.up(now, 0, full(number)).expect("there is room");
        }
        net.run(millis(21_000));
        [Direction::Downlink, Direction::Uplink].map(|direction| {
            let counters = net.wlan.counters(direction);
            assert_eq!(counters.delivered + counters.drops.loss, 2000);
            assert_eq!(
                counters.frames - counters.frame_errors - counters.collisions,
                counters.delivered
            );
            [counters.frames, counters.frame_errors, counters.collisions, counters.drops.loss]
        })
    };
    let expect = [[3347, 1549, 0, 202], [3377, 1587, 0, 210]];
    assert_eq!(run(Access::ContentionFree), expect);
    assert_eq!(run(Access::CsmaCa), [[4431, 1420, 1385, 374], [4443, 1439, 1385, 381]]);
}
