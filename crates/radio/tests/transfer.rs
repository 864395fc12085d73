//! Transfers over whole bearers, to the tick.

use base::Direction::{self, Downlink, Uplink};
use base::Time;
use observe::{BlockFact, BlockKind, Context, Observe};
use radio::umts::{Bearer, Output};

use crate::support::{Packet, at, dch, feed, millis, numbers, rlc, run, traffic};

/// Every block, with the millisecond at which its TTI starts.
#[derive(Default)]
struct Blocks(Vec<(u64, BlockFact)>);

impl Observe for Blocks {
    fn block(&mut self, now: Time, fact: BlockFact) {
        self.0.push((in_millis(now), fact));
    }
}

fn in_millis(time: Time) -> u64 {
    time.saturating_since(Time::ZERO).as_nanos() / 1_000_000
}

/// Hands one SDU in at `millis` and says on which tick, in ms, it is delivered.
fn delivery(direction: Direction, bytes: u32, handed_in: u64) -> u64 {
    let mut bearer = Bearer::new(0, &dch(0.0, rlc()), 1, "bearer");
    let packet = Packet { number: 0, bytes };
    bearer
        .handle_input(
            &mut Context { now: at(millis(handed_in)), observe: &mut () },
            direction,
            packet,
        )
        .expect("there is room");
    let deliveries = run(&mut bearer, at(millis(10_000)));
    assert_eq!(deliveries.len(), 1);
    assert_eq!((deliveries[0].direction, deliveries[0].packet), (direction, packet));
    assert_eq!(bearer.poll_timeout(), None, "idle at the end");
    in_millis(deliveries[0].time)
}

/// Equation 4 of lo2005: whole TTIs after the first tick.
#[test]
fn an_error_free_sdu_takes_whole_ttis() {
    assert_eq!(delivery(Downlink, 552, 5), 10 + 2 * 10);
    assert_eq!(delivery(Downlink, 40, 5), 10 + 10);
    assert_eq!(delivery(Uplink, 40, 5), 20 + 20);
    assert_eq!(delivery(Uplink, 552, 5), 20 + 4 * 20);
}

#[test]
fn an_sdu_on_a_tick_misses_it() {
    assert_eq!(delivery(Downlink, 40, 10), 20 + 10);
    assert_eq!(delivery(Uplink, 40, 20), 40 + 20);
    assert_eq!(delivery(Uplink, 40, 0), 20 + 20);
}

/// The first of two blocks is lost. The second arrives at 20 ms and is a gap and a poll; the
/// report goes with the next uplink TTI, at 40 ms, and arrives at 60 ms, on a tick that it misses;
/// the block goes again at 70 ms and is there at 80 ms.
#[test]
fn a_lost_block_costs_one_loop() {
    let lone_loss = |seed| {
        let (mut bearer, mut blocks) =
            (Bearer::new(0, &dch(0.1, rlc()), seed, "loop"), Blocks::default());
        bearer
            .handle_input(
                &mut Context { now: at(millis(5)), observe: &mut blocks },
                Downlink,
                Packet { number: 0, bytes: 40 },
            )
            .expect("there is room");
        let mut delivered = None;
        while let Some(time) = bearer.poll_timeout() {
            bearer.handle_timeout(&mut Context { now: time, observe: &mut blocks });
            let output = bearer.poll_output();
            assert!(!matches!(output, Some((_, Output::Discarded(_)))), "RLC never gives up");
            delivered = output.map(|_| in_millis(time)).or(delivered);
        }
        let lost: Vec<_> = blocks.0.iter().map(|(_, fact)| fact.error).collect();
        (lost.first() == Some(&true) && !lost[1..].contains(&true)).then_some((delivered, blocks.0))
    };
    let (delivered, blocks) = (0..1000).find_map(lone_loss).expect("a seed with such a loss");
    assert_eq!(delivered, Some(80));
    let blocks: Vec<_> = blocks
        .iter()
        .map(|(time, fact)| (*time, fact.direction, fact.sn, fact.kind, fact.poll))
        .collect();
    assert_eq!(
        blocks,
        [
            (10, Downlink, 0, BlockKind::Data, false),
            (10, Downlink, 1, BlockKind::Data, true),
            (40, Uplink, 0, BlockKind::Control, false),
            (70, Downlink, 0, BlockKind::Retransmission, true),
            (100, Uplink, 0, BlockKind::Control, false),
        ]
    );
}

/// What an observer sees is what the counters count, and seeing changes nothing.
#[test]
fn facts_and_counters_agree() {
    let mut bearer = Bearer::new(7, &dch(0.2, rlc()), 3, "facts");
    let mut blocks = Blocks::default();
    for (time, direction, packet) in traffic(4, 80, millis(60)) {
        bearer
            .handle_input(&mut Context { now: time, observe: &mut blocks }, direction, packet)
            .expect("there is room");
    }
    while let Some(time) = bearer.poll_timeout() {
        bearer.handle_timeout(&mut Context { now: time, observe: &mut blocks });
    }
    let mut unseen = Bearer::new(7, &dch(0.2, rlc()), 3, "facts");
    feed(&mut unseen, &traffic(4, 80, millis(60)), at(millis(100_000)));
    for direction in [Downlink, Uplink] {
        let count = |is: fn(&BlockFact) -> bool| {
            let of = blocks.0.iter().filter(|(_, fact)| fact.direction == direction && is(fact));
            of.count() as u64
        };
        let counters = bearer.counters(direction);
        assert_eq!(counters.blocks_sent, count(|_| true));
        assert_eq!(counters.blocks_in_error, count(|fact| fact.error));
        let again = count(|fact| fact.kind == BlockKind::Retransmission);
        assert_eq!(counters.retransmitted_blocks, again);
        assert_eq!(counters.status_pdus, count(|fact| fact.kind == BlockKind::Control));
        assert_eq!(counters.blocks_sent, unseen.counters(direction).blocks_sent);
    }
    assert!(blocks.0.iter().all(|(_, fact)| fact.machine == 7));
}

/// The radio's bound: (1 − TBLER) of the blocks get through, and nearly all of them are of use.
/// (Without errors the window closes every 4095 PDUs and waits 50 ms for the report.)
#[test]
fn a_saturated_downlink_wastes_next_to_nothing() {
    for (tbler, least) in [(0.0, 0.98), (0.05, 0.93), (0.3, 0.67)] {
        let mut bearer = Bearer::new(0, &dch(tbler, rlc()), 1, "full");
        let packets: Vec<_> =
            (0..6000).map(|number| (Time::ZERO, Downlink, Packet { number, bytes: 552 })).collect();
        let seconds = 60.0;
        let deliveries = feed(&mut bearer, &packets, at(millis(60_000)));
        let bits = numbers(&deliveries, Downlink).len() as f64 * 553.0 * 8.0;
        let share = bits / (384_000.0 * seconds);
        assert!(share > least && share <= 1.0 - tbler, "{tbler}: {share}");
    }
}
