//! Laws of a bearer whose channels change: nothing is lost that the link control repairs, nothing
//! comes twice or out of order, and an idle bearer costs nothing.

use base::{Direction, Duration, Probability, Rate, Schedule, Stream, Time};
use link::Dropped;
use observe::Context;
use proptest::prelude::*;
use radio::umts::rlc::am::OnLimit;
use radio::umts::rlc::{Mode, RlcConfig};
use radio::umts::{
    Bearer, BlockErrorRate, Blocks, BufferManager, ChannelState, Coverage, DchConfig, End,
    Interruption, Limit, Output, Scope, Service,
};

use crate::support::{Packet, at, dch, feed, millis, numbers, probability, rlc, run, traffic};

const BOTH: [Direction; 2] = Direction::BOTH;
const LONG: Duration = Duration::from_secs(100_000);

fn state(blocks: u32, tbler: f64) -> ChannelState {
    ChannelState { blocks: blocks.into(), tbler: probability(tbler).into() }
}

fn seconds(seconds: u64) -> Time {
    at(Duration::from_secs(seconds))
}

fn downlink(number: u32, bytes: u32) -> (Direction, Packet) {
    (Direction::Downlink, Packet { number, bytes })
}

/// Runs `bearer` up to `end` with `per_second` packets of 552 B downlink, and says when which came.
fn stream(bearer: &mut Bearer<Packet>, per_second: u32, end: u64) -> Vec<(f64, u32)> {
    let packets: Vec<_> = (0..per_second * end as u32)
        .map(|number| {
            let time =
                at(Duration::from_nanos(1_000_000_000 * u64::from(number) / u64::from(per_second)));
            (time, Direction::Downlink, Packet { number, bytes: 552 })
        })
        .collect();
    let deliveries = feed(bearer, &packets, seconds(end));
    deliveries.iter().map(|d| (d.time.as_secs_f64(), d.packet.number)).collect()
}

fn arrived(deliveries: &[(f64, u32)], from: f64, to: f64) -> usize {
    deliveries.iter().filter(|(time, _)| (from..to).contains(time)).count()
}

#[test]
fn a_rate_holds_from_its_time_on() {
    let mut config = dch(0.0, rlc());
    let rate = |kbps: u64| Rate::from_bps(kbps * 1000);
    config.downlink.rate =
        Schedule::new(rate(240), vec![(seconds(20), rate(120)), (seconds(40), rate(60))]);
    let mut bearer = Bearer::new(0, &config, 1, "steps");
    let deliveries = stream(&mut bearer, 100, 60);
    let kbps =
        |from, to| arrived(&deliveries, from, to) as f64 * 552.0 * 8.0 / 1000.0 / (to - from);
    for (from, expect) in [(1.0, 240.0), (21.0, 120.0), (41.0, 60.0)] {
        let measured = kbps(from, from + 18.0);
        assert!((0.97 * expect..expect).contains(&measured), "{measured} of {expect} kbit/s");
    }
    assert_eq!(bearer.capacity(Direction::Downlink, Duration::from_secs(60)), 26_250);
    let fresh = Bearer::<Packet>::new(0, &config, 1, "steps");
    assert_eq!(fresh.capacity(Direction::Downlink, Duration::from_secs(60)), 26_250);
    assert_eq!(fresh.capacity(Direction::Downlink, Duration::from_secs(30)), 21_250 - 2500);
}

#[test]
fn what_is_on_the_air_arrives_as_it_was_sent() {
    let mut bearer = Bearer::new(0, &dch(0.0, rlc()), 1, "air");
    let (direction, packet) = downlink(0, 400);
    bearer
        .handle_input(&mut Context { now: at(millis(5)), observe: &mut () }, direction, packet)
        .expect("there is room");
    bearer.handle_timeout(&mut Context { now: at(millis(10)), observe: &mut () });
    bearer.set_channel(at(millis(15)), Direction::Downlink, state(0, 1.0));
    bearer.handle_timeout(&mut Context { now: at(millis(20)), observe: &mut () });
    assert_eq!(bearer.poll_output(), Some((direction, Output::Delivered(packet))));
}

#[test]
fn without_blocks_a_bearer_sleeps_until_it_is_set_again() {
    let mut bearer = Bearer::new(0, &dch(0.0, rlc()), 1, "sleep");
    for direction in BOTH {
        bearer.set_channel(Time::ZERO, direction, state(0, 0.0));
    }
    for number in 0..5 {
        let (direction, packet) = downlink(number, 552);
        bearer
            .handle_input(&mut Context { now: at(millis(3)), observe: &mut () }, direction, packet)
            .expect("there is room");
    }
    assert_eq!(bearer.poll_timeout(), None, "no event while nothing can be sent");
    assert_eq!(bearer.buffer_occupancy(Direction::Downlink), 5 * 553);
    let later = at(millis(5003));
    bearer.handle_timeout(&mut Context { now: later, observe: &mut () });
    bearer.set_channel(later, Direction::Downlink, state(14, 0.0));
    assert_eq!(bearer.poll_timeout(), Some(at(millis(5010))), "the TTI after");
    bearer.handle_timeout(&mut Context { now: at(millis(5010)), observe: &mut () });
    assert_eq!(bearer.buffer_occupancy(Direction::Downlink), 4 * 553 - 6, "six joined the PDU");
    let deliveries = run(&mut bearer, seconds(8));
    assert_eq!(numbers(&deliveries, Direction::Downlink), [0, 1, 2, 3, 4]);
    bearer.set_channel(seconds(8), Direction::Uplink, state(4, 0.0));
    run(&mut bearer, seconds(9));
    assert_eq!((bearer.poll_timeout(), bearer.held(Direction::Downlink).count()), (None, 0));
}

/// 30 kbit/s carry a PDU of 60 B each 16 ms, 15 kbit/s each 32 ms: none fits in a TTI of 10 ms.
#[test]
fn a_low_rate_is_exact_over_time() {
    for (kbps, pdus) in [(60, 3750), (30, 1875), (15, 937), (7, 437)] {
        let mut config = dch(0.0, RlcConfig { pdu_payload: 60, ..rlc() });
        config.downlink.rate = Rate::from_bps(kbps * 1000).into();
        let mut bearer = Bearer::new(0, &config, 1, "low");
        for number in 0..2000 {
            let (direction, packet) = downlink(number, 1000);
            bearer
                .handle_input(&mut Context { now: Time::ZERO, observe: &mut () }, direction, packet)
                .expect("there is room");
        }
        run(&mut bearer, seconds(30));
        let counters = bearer.counters(Direction::Downlink);
        assert_eq!(counters.blocks_sent, pdus, "at {kbps} kbit/s");
        assert_eq!(counters.bytes_sent, 60 * pdus);
        assert_eq!(counters.bytes_delivered, 1000 * counters.delivered);
    }
}

#[test]
fn a_spike_holds_everything_back_and_loses_nothing() {
    let mut config = dch(0.0, rlc());
    let spike = Interruption { from: seconds(10), to: seconds(13), end: End::Continuation };
    config.interruptions = vec![spike];
    let mut bearer = Bearer::new(0, &config, 1, "spike");
    let deliveries = stream(&mut bearer, 20, 30);
    assert_eq!(arrived(&deliveries, 10.02, 13.0), 0);
    assert_eq!(arrived(&deliveries, 13.0, 14.0), 80, "what had waited, and what came");
    assert!(deliveries.iter().map(|(_, number)| *number).eq(0..600));
    let counters = bearer.counters(Direction::Downlink);
    assert_eq!(counters.blocks_in_error, 0);
    assert!(counters.retransmitted_blocks <= 1, "but for a poll that waited too long");
}

#[test]
fn lost_coverage_loses_every_block_of_both_directions() {
    let mut config = dch(0.0, rlc());
    let coverage = vec![(seconds(5), Coverage::Lost), (seconds(20), Coverage::There)];
    config.coverage = Schedule::new(Coverage::There, coverage);
    let mut bearer = Bearer::new(0, &config, 1, "lost");
    let deliveries = stream(&mut bearer, 20, 30);
    assert_eq!(arrived(&deliveries, 5.03, 20.0), 0, "nothing passes");
    assert!(deliveries.iter().map(|(_, number)| *number).eq(0..600), "acknowledged mode repairs");
    let Counters { in_error, sent } = errors(&bearer, Direction::Downlink);
    assert!(in_error > 0 && in_error < sent);
    let mut before = Bearer::new(0, &config, 1, "lost");
    stream(&mut before, 20, 5);
    assert_eq!(errors(&before, Direction::Downlink).in_error, 0);
}

struct Counters {
    in_error: u64,
    sent: u64,
}

fn errors(bearer: &Bearer<Packet>, direction: Direction) -> Counters {
    let counters = bearer.counters(direction);
    Counters { in_error: counters.blocks_in_error, sent: counters.blocks_sent }
}

/// Each flow has its own room, so that one that fills its queue drops nothing of another.
#[test]
fn limits_hold_for_bytes_and_for_each_flow() {
    #[derive(Clone, Copy, Debug)]
    struct Flowing(u64);
    impl radio::Sdu for Flowing {}
    impl link::Load for Flowing {
        fn bytes(&self) -> u32 {
            500
        }
        fn flow(&self) -> u64 {
            self.0
        }
    }
    let taken = |limit: Limit, flows: &[u64]| {
        let mut config = dch(0.0, rlc());
        config.downlink.limit = limit;
        let mut bearer = Bearer::new(0, &config, 1, "limit");
        let input = |flow: &u64| {
            let sdu = Flowing(*flow);
            bearer
                .handle_input(
                    &mut Context { now: at(millis(1)), observe: &mut () },
                    Direction::Downlink,
                    sdu,
                )
                .is_ok()
        };
        flows.iter().map(input).collect::<Vec<_>>()
    };
    let limit = |packets, bytes, scope| Limit { packets, bytes, scope };
    let shared = limit(None, Some(1400), Scope::Direction);
    assert_eq!(taken(shared, &[1, 1, 2, 2]), [true, true, false, false]);
    let apart = limit(None, Some(1400), Scope::Flow);
    assert_eq!(taken(apart, &[1, 1, 1, 2, 2, 2]), [true, true, false, true, true, false]);
    let apart = limit(Some(1), None, Scope::Flow);
    assert_eq!(taken(apart, &[1, 1, 2, 2, 1]), [true, false, true, false, false]);
}

/// What waits is what the queue has room for: as it drains, more fits.
#[test]
fn a_queue_of_bytes_drains() {
    let mut config = dch(0.3, rlc());
    config.downlink.limit = Limit { packets: None, bytes: Some(3000), scope: Scope::Flow };
    let mut bearer = Bearer::new(0, &config, 1, "bytes");
    let (mut taken, mut dropped) = (0, 0);
    for number in 0..2000 {
        let now = at(millis(10) * u64::from(number) + millis(1));
        run(&mut bearer, now);
        let (direction, packet) = downlink(number, 552);
        match bearer.handle_input(&mut Context { now, observe: &mut () }, direction, packet) {
            Ok(()) => taken += 1,
            Err(_) => dropped += 1,
        }
        if number % 400 == 399 {
            bearer.relocate(now);
        }
    }
    run(&mut bearer, at(LONG));
    let counters = bearer.counters(Direction::Downlink);
    assert!(taken > 1000 && dropped > 200, "{taken} taken, {dropped} dropped");
    assert_eq!((counters.delivered, counters.dropped), (taken, dropped));
    assert_eq!(counters.relocations, 5);
}

#[test]
fn idle_bearers_cost_nothing() {
    let mut config = dch(0.1, rlc());
    let rates = (1..1000).map(|n| (seconds(n), Rate::from_bps(100_000 + 1000 * n)));
    config.downlink.rate = Schedule::new(Rate::from_bps(100_000), rates.collect());
    let gap = |n| Interruption { from: seconds(n), to: seconds(n + 1), end: End::Relocation };
    config.interruptions = (0..100).map(|n| gap(10 * n + 5)).collect();
    let mut bearer = Bearer::new(0, &config, 1, "idle");
    assert_eq!(bearer.poll_timeout(), None);
    let deliveries = feed(&mut bearer, &traffic(1, 30, millis(100)), seconds(500));
    assert_eq!((deliveries.len(), bearer.poll_timeout()), (60, None), "idle again");
    let now = seconds(900);
    let (direction, packet) = downlink(99, 552);
    bearer
        .handle_input(&mut Context { now, observe: &mut () }, direction, packet)
        .expect("there is room");
    assert_eq!(run(&mut bearer, seconds(1000)).len(), 1);
    let rate = bearer.channel(Direction::Downlink).blocks;
    assert_eq!(rate, Blocks::of_rate(Rate::from_bps(1_000_000), millis(10), 40).expect("few"));
}

/// What a walk does to a bearer at some moment.
#[derive(Clone, Copy, Debug)]
enum WalkStep {
    Set(Direction, ChannelState),
    Relocate,
}

/// Whether a walk goes to other places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ways {
    WithRelocations,
    InPlace,
}

/// A walk over channels: states of both directions, some of them without blocks or without hope,
/// and relocations; at the end all is well again.
fn walk(seed: u64, ways: Ways) -> Vec<(Time, WalkStep)> {
    let mut chance = Stream::named(seed, "walk");
    let mut time = Time::ZERO;
    let mut changes = Vec::new();
    for _ in 0..60 {
        time += Duration::from_micros(u64::from(chance.below(400_000)));
        let direction = BOTH[chance.below(2) as usize];
        changes.push((
            time,
            match chance.below(8) {
                0 if ways == Ways::WithRelocations => WalkStep::Relocate,
                1 => WalkStep::Set(direction, state(0, 0.1)),
                2 => WalkStep::Set(
                    direction,
                    ChannelState { blocks: 8.into(), tbler: BlockErrorRate::LOST },
                ),
                3 => WalkStep::Set(
                    direction,
                    ChannelState {
                        blocks: Blocks::of_rate(Rate::from_bps(20_000), millis(10), 40)
                            .expect("few"),
                        tbler: BlockErrorRate::Drawn {
                            low: Probability::NEVER,
                            high: probability(0.5),
                        },
                    },
                ),
                _ => WalkStep::Set(direction, state(1 + chance.below(40), 0.3 * chance.next_f64())),
            },
        ));
    }
    changes
        .extend(BOTH.map(|direction| (time + millis(1), WalkStep::Set(direction, state(6, 0.05)))));
    changes
}

/// Traffic of `seed` over a bearer that goes through `changes`.
fn transfer(config: &DchConfig, seed: u64, changes: &[(Time, WalkStep)]) -> Bearer<Packet> {
    let mut bearer = Bearer::new(0, config, seed, "walk");
    let packets = traffic(seed, 120, millis(120));
    let (mut changes, mut packets) = (changes.iter().peekable(), packets.iter().peekable());
    let mut arrivals = [Vec::new(), Vec::new()];
    let mut drain = |bearer: &mut Bearer<Packet>| {
        while let Some((direction, output)) = bearer.poll_output() {
            if let Output::Delivered(packet) = output {
                arrivals[usize::from(direction == Direction::Uplink)].push(packet.number);
            }
        }
    };
    loop {
        let times = [
            changes.peek().map(|change| change.0),
            packets.peek().map(|packet| packet.0),
            bearer.poll_timeout(),
        ];
        let Some(now) = times.into_iter().flatten().min() else { break };
        assert!(now < at(LONG), "it comes to an end");
        if times[0] == Some(now) {
            match changes.next().expect("peeked").1 {
                WalkStep::Set(direction, state) => bearer.set_channel(now, direction, state),
                WalkStep::Relocate => bearer.relocate(now),
            }
        } else if times[1] == Some(now) {
            let (_, direction, packet) = *packets.next().expect("peeked");
            bearer
                .handle_input(&mut Context { now, observe: &mut () }, direction, packet)
                .expect("there is room");
        } else {
            bearer.handle_timeout(&mut Context { now, observe: &mut () });
        }
        drain(&mut bearer);
    }
    for (direction, arrivals) in BOTH.into_iter().zip(&arrivals) {
        let counters = bearer.counters(direction);
        assert_eq!(counters.sdus, counters.delivered + counters.discarded + counters.dropped);
        assert_eq!(counters.blocks_sent, counters.blocks_in_error + counters.blocks_received);
        assert_eq!((bearer.held(direction).count(), bearer.buffer_occupancy(direction)), (0, 0));
        assert_eq!(arrivals.len() as u64, counters.delivered);
        let mut once = arrivals.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), arrivals.len(), "{direction:?}: none twice");
        assert!(arrivals.is_sorted() || !is_in_order(config), "{direction:?}: in order");
    }
    bearer
}

/// A manager with room for all.
fn roomy(service: Service) -> BufferManager {
    let (rtt, anticipation) = (millis(200), Duration::ZERO);
    BufferManager { rtt, factors: [1000.0; 2], service, anticipation }
}

fn is_in_order(config: &DchConfig) -> bool {
    config.rlc.mode == Mode::Am && config.rlc.in_order
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// Acknowledged mode loses no byte, through changes of rate, errors, outages and relocations.
    #[test]
    fn acknowledged_mode_loses_nothing_on_any_walk(
        seed in any::<u64>(),
        in_order in any::<bool>(),
        service in prop::sample::select(vec![Service::InOrder, Service::InTurn]),
    ) {
        let mut config = dch(0.05, RlcConfig { in_order, ..rlc() });
        config.buffer = Some(roomy(service));
        let bearer = transfer(&config, seed, &walk(seed, Ways::WithRelocations));
        for direction in BOTH {
            prop_assert_eq!(bearer.counters(direction).delivered, 120);
        }
    }

    /// With limits on retransmissions some are given up, and the laws hold all the same.
    #[test]
    fn a_link_that_gives_up_keeps_its_laws_on_any_walk(
        seed in any::<u64>(),
        max in 0_u32..4,
        resets in any::<bool>(),
        ways in prop::sample::select(vec![Ways::WithRelocations, Ways::InPlace]),
        in_order in any::<bool>(),
        service in prop::sample::select(vec![Service::InOrder, Service::InTurn]),
    ) {
        let config = RlcConfig {
            in_order,
            max_retransmissions: Some(max),
            on_limit: if resets { OnLimit::Reset } else { OnLimit::Discard },
            discard_timer: (!resets).then_some(millis(700)),
            ..rlc()
        };
        let config = DchConfig { buffer: Some(roomy(service)), ..dch(0.05, config) };
        transfer(&config, seed, &walk(seed, ways));
    }

    /// The same changes from the configuration and from outside give the same run, and a clock
    /// that comes late finds the same changes.
    #[test]
    fn a_schedule_is_what_setting_the_channel_at_its_times_is(seed in any::<u64>()) {
        let mut chance = Stream::named(seed, "schedule");
        let steps: Vec<_> = (1..20)
            .map(|n| (at(millis(70 * n)), Rate::from_bps(32_000 * u64::from(1 + chance.below(12)))))
            .collect();
        let mut config = dch(0.1, rlc());
        config.downlink.rate = Schedule::new(Rate::from_bps(384_000), steps.clone());
        let changes: Vec<_> = steps
            .iter()
            .map(|(time, rate)| {
                let blocks = Blocks::of_rate(*rate, millis(10), 40).expect("few");
                let tbler = probability(0.1).into();
                (*time, WalkStep::Set(Direction::Downlink, ChannelState { blocks, tbler }))
            })
            .collect();
        let scheduled = transfer(&config, seed, &[]);
        let set = transfer(&dch(0.1, rlc()), seed, &changes);
        for direction in BOTH {
            prop_assert_eq!(scheduled.counters(direction), set.counters(direction));
            let span = Duration::from_secs(10);
            prop_assert_eq!(scheduled.capacity(direction, span), set.capacity(direction, span));
        }
    }
}

/// A packet of a flow that comes waits for what the link control has begun, not for all that
/// another flow has waiting.
#[test]
fn flows_are_served_in_turn() {
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Of(u64, u32);
    impl radio::Sdu for Of {}
    impl link::Load for Of {
        fn bytes(&self) -> u32 {
            500
        }
        fn flow(&self) -> u64 {
            self.0
        }
    }
    let delivered = |service| {
        let mut config = dch(0.0, rlc());
        config.buffer = Some(roomy(service));
        let mut bearer = Bearer::new(0, &config, 1, "turns");
        let mut input = |millis_, sdu| {
            bearer.handle_input(
                &mut Context { now: at(millis(millis_)), observe: &mut () },
                Direction::Downlink,
                sdu,
            )
        };
        for number in 0..20 {
            input(1, Of(7, number)).expect("room for all");
        }
        input(2, Of(9, 20)).expect("a queue of its own");
        assert_eq!(bearer.held(Direction::Downlink).count(), 21);
        assert!(bearer.buffer_occupancy(Direction::Downlink) >= 21 * 500);
        bearer.handle_timeout(&mut Context { now: at(LONG), observe: &mut () });
        let mut numbers = Vec::new();
        while let Some((_, output)) = bearer.poll_output() {
            let (Output::Delivered(sdu)
            | Output::Discarded(sdu)
            | Output::Dropped(Dropped { packet: sdu, .. })) = output;
            numbers.push(sdu.1);
        }
        assert_eq!(bearer.held(Direction::Downlink).count(), 0);
        numbers
    };
    let place = |numbers: &[u32]| numbers.iter().position(|number| *number == 20);
    let (in_order, in_turn) = (delivered(Service::InOrder), delivered(Service::InTurn));
    assert_eq!(place(&in_order), Some(20));
    assert!(place(&in_turn) <= Some(3), "{in_turn:?}");
    let others: Vec<_> = in_turn.into_iter().filter(|number| *number != 20).collect();
    assert_eq!(others, (0..20).collect::<Vec<_>>());
}

/// The room of a flow is a BDP of the rate that comes, and never less than three packets.
#[test]
fn a_manager_gives_room_ahead_of_a_change_of_rate() {
    let room = |from: u64, anticipation| {
        let mut config = dch(0.0, rlc());
        let rates = [(10, 48_000), (20, 480_000)];
        let rates = rates.map(|(at, bps)| (seconds(at), Rate::from_bps(bps)));
        config.downlink.rate = Schedule::new(Rate::from_bps(240_000), rates.to_vec());
        let (rtt, service) = (millis(200), Service::InOrder);
        config.buffer = Some(BufferManager { rtt, factors: [1.0; 2], service, anticipation });
        let mut bearer = Bearer::new(0, &config, 1, "manager");
        let fits = |number: &u32| {
            let (direction, packet) = downlink(*number, 500);
            bearer
                .handle_input(
                    &mut Context { now: at(millis(from)), observe: &mut () },
                    direction,
                    packet,
                )
                .is_ok()
        };
        (0..100).take_while(fits).count()
    };
    let check = |millis_, ahead, expect| {
        assert_eq!(room(millis_, millis(ahead)), expect, "at {millis_} ms, {ahead} ms ahead");
    };
    check(1000, 0, 12);
    check(9900, 0, 12);
    check(9900, 200, 3);
    check(12_000, 200, 3);
    check(19_900, 0, 3);
    check(19_900, 200, 24);
    check(25_000, 200, 24);
}
