//! Laws over random networks, walks and traffic.

use std::collections::BTreeMap;

use base::{Direction, Duration, Time};
use link::queue::{self, Discipline};
use mobility::handover::{LinkChange, Mode};
use mobility::motion::{Leg, Motion, Position};
use proptest::prelude::*;
use radio::wlan::{Access, End, Loss, Output, WlanKeys};

use super::support::{Net, Packet, config, packets};

const BOTH: [Direction; 2] = Direction::BOTH;

/// What a test does, and how long after the step before in µs.
#[derive(Clone, Copy, Debug)]
enum Step {
    Down { point: u32, station: u32, bytes: u32 },
    Up { station: u32, point: Option<u32>, bytes: u32 },
    Hold { point: u32, station: u32 },
    Release { point: u32, station: u32 },
}

#[derive(Clone, Debug)]
struct Run {
    config: WlanKeys,
    queue: queue::Config,
    points: u32,
    stations: Vec<Motion>,
    steps: Vec<(u64, Step)>,
}

fn any_config() -> impl Strategy<Value = (WlanKeys, queue::Config)> {
    let access = prop_oneof![
        Just((Access::ContentionFree, (31, 1023))),
        (0..64_u32, 0..1100_u32).prop_map(|windows| (Access::CsmaCa, windows)),
    ];
    let codel = queue::Config {
        discipline: Discipline::CoDel(queue::codel::Config {
            target: Duration::from_millis(5),
            interval: Duration::from_millis(100),
            mtu: 1500,
        }),
        ..packets(30)
    };
    let queues = prop_oneof![(1..30_u32).prop_map(packets), Just(codel)];
    let handover = (any::<bool>(), 0..200_u64, 0..300_u64, prop::option::of(0..300_u64));
    let noise = prop::option::of(-80.0..-50.0_f64);
    let requests = prop::option::of(0..1600_u32);
    (access, queues, handover, noise, requests, 1..5_u32, 0..10_u32).prop_map(
        |(access, queue, handover, noise, rts_threshold, retry_limit, hold_limit)| {
            let (access, (cw_min, cw_max)) = access;
            let (make, trigger, switch, ahead) = handover;
            let mut config = WlanKeys {
                access,
                cw_min,
                cw_max,
                rts_threshold,
                retry_limit,
                hold_limit,
                ..config()
            };
            if let Some(noise_dbm) = noise {
                config.loss = Loss::FromPlace;
                config.noise = noise_dbm;
            }
            config.handover = if make { Mode::MakeBeforeBreak } else { Mode::BreakBeforeMake };
            config.time_to_trigger = Duration::from_millis(trigger);
            config.switch_time = Duration::from_millis(switch);
            config.anticipation = ahead.map(Duration::from_millis);
            (config, queue)
        },
    )
}

fn any_run() -> impl Strategy<Value = Run> {
    let corner = (-150.0..450.0_f64, -60.0..60.0_f64, 10.0..400.0_f64);
    let stations = prop::collection::vec(prop::collection::vec(corner, 1..5), 1..5);
    (any_config(), 1..4_u32, stations).prop_flat_map(|((config, queue), points, corners)| {
        let walk = |corners: &Vec<(f64, f64, f64)>| {
            let leg = |&(x, y, speed): &(f64, f64, f64)| Leg::new(Position::new(x, y), speed);
            let legs: Vec<_> = corners.iter().map(leg).collect();
            Motion::along(legs[0].to, &legs)
        };
        let stations: Vec<_> = corners.iter().map(walk).collect();
        let (point, station) = (0..points, 0..stations.len() as u32);
        let any = (point.clone(), station.clone(), 20..1500_u32);
        let down =
            any.clone().prop_map(|(point, station, bytes)| Step::Down { point, station, bytes });
        let some = (station.clone(), prop::option::of(point.clone()), 20..1500_u32);
        let up = some.prop_map(|(station, point, bytes)| Step::Up { station, point, bytes });
        let hold = any.clone().prop_map(|(point, station, _)| Step::Hold { point, station });
        let release = any.prop_map(|(point, station, _)| Step::Release { point, station });
        let step = prop_oneof![8 => down, 8 => up, 1 => hold, 1 => release];
        let steps = prop::collection::vec((0..8_000_u64, step), 0..400);
        steps.prop_map(move |steps| {
            let (config, stations) = (config.clone(), stations.clone());
            Run { config, queue, points, stations, steps }
        })
    })
}

/// The books of a run: what became of each packet, and the links that were told.
#[derive(Default)]
struct Ledger {
    /// Direction, station and access point (if it was said) of each packet under way.
    under_way: BTreeMap<u32, (Direction, u32, Option<u32>)>,
    /// The last packet that arrived of each direction, station and access point.
    last: BTreeMap<(u32, u32, u32), u32>,
    links: BTreeMap<u32, Vec<u32>>,
    delivered: [u64; 2],
    dropped: [u64; 2],
    refused: [u64; 2],
}

impl Ledger {
    fn enter(&mut self, output: &Output<Packet>) {
        match *output {
            Output::Delivered { at, access_point, station, sdu } => {
                let (direction, of, said) =
                    self.under_way.remove(&sdu.number).expect("each packet comes out once");
                assert_eq!(of, station);
                assert!(said.is_none_or(|said| said == access_point));
                let end = match direction {
                    Direction::Downlink => End::Station(station),
                    Direction::Uplink => End::AccessPoint(access_point),
                };
                assert_eq!(at, end);
                let links = self.links.get(&station).cloned().unwrap_or_default();
                assert!(links.contains(&access_point), "over a link that is there");
                self.delivered[direction as usize] += 1;
                let key = (direction as usize as u32, station, access_point);
                let before = self.last.insert(key, sdu.number);
                assert!(before.is_none_or(|before| before < sdu.number), "in order");
            }
            Output::Dropped(dropped) => {
                let packet = self.under_way.remove(&dropped.packet.number);
                let (direction, ..) = packet.expect("each packet comes out once");
                self.dropped[direction as usize] += 1;
            }
            Output::Link { station, event } => {
                let links = self.links.entry(station).or_default();
                match event {
                    LinkChange::Up { access_point } => {
                        links.retain(|link| *link != access_point);
                        links.push(access_point);
                    }
                    LinkChange::Down { access_point } => {
                        assert!(links.contains(&access_point));
                        links.retain(|link| *link != access_point);
                    }
                    LinkChange::Fading { next } => assert!(!links.contains(&next)),
                }
            }
        }
    }

    /// In = delivered + dropped + held, of each direction, by these books and by the machine's.
    fn balance(&self, net: &Net) {
        for direction in BOTH {
            let side = direction as usize;
            let held: Vec<_> = net.wlan.held(direction).map(|packet| packet.number).collect();
            let mut sorted = held.clone();
            sorted.sort_unstable();
            let mine = self.under_way.iter().filter(|(_, packet)| packet.0 == direction);
            assert_eq!(sorted, mine.map(|(number, _)| *number).collect::<Vec<_>>());
            let counters = net.wlan.counters(direction);
            assert_eq!(counters.delivered, self.delivered[side]);
            assert_eq!(counters.drops.total(), self.dropped[side] + self.refused[side]);
            let out = counters.delivered + counters.drops.total() + held.len() as u64;
            assert_eq!(counters.sdus, out);
            let on_air = counters.frames - counters.frame_errors - counters.collisions;
            assert!(on_air >= counters.delivered);
        }
    }
}

/// Whether the machine is woken between steps when nothing is due.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wakes {
    Due,
    DueAndEarly,
}

fn play(run: &Run, wakes: Wakes) -> (Net, Ledger) {
    let mut net = Net::with_queues(&run.config, run.queue, run.points, &run.stations);
    let (mut ledger, mut now, mut read) = (Ledger::default(), 0, 0);
    for (number, (pause, step)) in (0_u32..).zip(&run.steps) {
        now += pause;
        let time = Time::from_nanos(now * 1_000);
        if wakes == Wakes::DueAndEarly {
            let early = Time::from_nanos((now - pause / 2) * 1_000);
            net.run(early);
            net.wlan.handle_timeout(early);
            net.poll(early);
        }
        net.run(time);
        enter(&mut ledger, &net, &mut read);
        let packet = |bytes| Packet { number, bytes };
        let (direction, taken) = match *step {
            Step::Down { point, station, bytes } => {
                ledger.under_way.insert(number, (Direction::Downlink, station, Some(point)));
                let taken = net.wlan.handle_downlink(time, point, station, packet(bytes));
                (Direction::Downlink, taken)
            }
            Step::Up { station, point, bytes } => {
                ledger.under_way.insert(number, (Direction::Uplink, station, point));
                let taken = net.wlan.handle_uplink(time, station, point, packet(bytes));
                (Direction::Uplink, taken)
            }
            Step::Hold { point, station } => {
                net.wlan.hold(point, station);
                (Direction::Downlink, Ok(()))
            }
            Step::Release { point, station } => {
                net.wlan.release(time, point, station);
                (Direction::Downlink, Ok(()))
            }
        };
        if taken.is_err() {
            ledger.under_way.remove(&number);
            ledger.refused[direction as usize] += 1;
        }
        net.poll(time);
        enter(&mut ledger, &net, &mut read);
        ledger.balance(&net);
    }
    net.run(Time::from_nanos(now * 1_000 + 300_000_000_000));
    enter(&mut ledger, &net, &mut read);
    ledger.balance(&net);
    (net, ledger)
}

fn enter(ledger: &mut Ledger, net: &Net, read: &mut usize) {
    for event in &net.log[*read..] {
        ledger.enter(&event.output);
    }
    *read = net.log.len();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Each packet comes out once, in order, where it was to go; what is left is held for somebody.
    #[test]
    fn nothing_is_lost_or_made(run in any_run()) {
        let (mut net, ledger) = play(&run, Wakes::Due);
        let held = net.wlan.held(Direction::Downlink).count();
        prop_assert_eq!(net.wlan.held(Direction::Uplink).count(), 0);
        prop_assert_eq!(ledger.under_way.len(), held);
        prop_assert_eq!(net.wlan.poll_timeout(), None, "all rest");
        let later = Time::from_nanos(400_000_000_000);
        for point in 0..run.points {
            for station in 0..run.stations.len() as u32 {
                net.wlan.release(later, point, station);
            }
        }
        net.run(later + Duration::from_secs(100));
        prop_assert_eq!(net.wlan.held(Direction::Downlink).count(), 0);
    }

    /// Same seed, same run, also if the machine is woken when nothing is due.
    #[test]
    fn runs_repeat(run in any_run()) {
        let [one, other, woken] =
            [Wakes::Due, Wakes::Due, Wakes::DueAndEarly].map(|wakes| play(&run, wakes).0.log);
        prop_assert_eq!(&one, &other);
        prop_assert_eq!(&one, &woken);
    }
}
