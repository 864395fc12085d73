//! What holds for the modes without polls, whatever the radio does; and what becomes of each SDU,
//! against a reference that knows only which blocks were lost.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use base::{Direction, Duration, Time};
use link::Dropped;
use observe::{BlockFact, BlockKind, Context, Observe};
use proptest::prelude::*;
use radio::umts::rlc::{Arq, Mode, RlcConfig};
use radio::umts::{Bearer, Counters, Output};

use crate::support::{Packet, at, dch, millis, traffic};

const BOTH: [Direction; 2] = Direction::BOTH;
const LOSS: [f64; 6] = [0.0, 0.01, 0.1, 0.3, 0.6, 0.9];
const LONG: Duration = Duration::from_secs(20_000);

/// What became of the SDUs of one direction, in the order of their fates.
#[derive(Default)]
struct Fates {
    delivered: Vec<u32>,
    discarded: Vec<u32>,
    held: Vec<u32>,
    /// The numbers of the data blocks that were lost.
    lost: BTreeSet<u16>,
    counters: Counters,
}

/// Both directions.
#[derive(Default)]
struct Both([Fates; 2]);

impl Both {
    fn of(&mut self, direction: Direction) -> &mut Fates {
        &mut self.0[usize::from(direction == Direction::Uplink)]
    }
}

impl Observe for Both {
    fn block(&mut self, _now: Time, fact: BlockFact) {
        if fact.error && fact.kind == BlockKind::Data {
            self.of(fact.direction).lost.insert(fact.sn);
        }
    }
}

/// Runs `packets` through a bearer until it is idle, with a relocation at each of `moves`.
fn transfer(
    rlc: RlcConfig,
    (tbler, seed): (f64, u64),
    packets: &[(Time, Direction, Packet)],
    moves: &[Time],
) -> [Fates; 2] {
    let mut config = dch(tbler, rlc);
    config.pdcp.header_bytes = 0;
    let mut bearer = Bearer::new(0, &config, seed, "law");
    let mut fates = Both::default();
    let (mut packets, mut moves) = (packets.iter().peekable(), moves.iter().peekable());
    loop {
        let coming = [packets.peek().map(|packet| packet.0), moves.peek().map(|time| **time)];
        let due = coming.into_iter().chain([bearer.poll_timeout()]).flatten().min();
        let Some(now) = due.filter(|now| *now <= at(LONG)) else { break };
        bearer.handle_timeout(&mut Context { now, observe: &mut fates });
        if let Some((_, direction, packet)) = packets.next_if(|packet| packet.0 == now) {
            bearer
                .handle_input(&mut Context { now, observe: &mut fates }, *direction, *packet)
                .expect("there is room");
        } else if moves.next_if(|time| **time == now).is_some() {
            bearer.relocate(now);
        }
        while let Some((direction, output)) = bearer.poll_output() {
            let fates = fates.of(direction);
            match output {
                Output::Delivered(packet) => fates.delivered.push(packet.number),
                Output::Discarded(packet) | Output::Dropped(Dropped { packet, .. }) => {
                    fates.discarded.push(packet.number);
                }
            }
        }
    }
    assert_eq!(bearer.poll_timeout(), None, "idle at the end");
    for (direction, fates) in BOTH.into_iter().zip(&mut fates.0) {
        fates.held.extend(bearer.held(direction).map(|packet| packet.number));
        fates.counters = bearer.counters(direction);
    }
    fates.0
}

/// Each of `count` SDUs has one fate, and the counters say so.
fn check_conservation(fates: &Fates, count: u32) {
    let Fates { delivered, discarded, held, counters, .. } = fates;
    let all: BTreeSet<_> = delivered.iter().chain(discarded).chain(held).copied().collect();
    assert!(all.iter().copied().eq(0..count), "all of them");
    assert_eq!(all.len(), delivered.len() + discarded.len() + held.len(), "each once");
    assert_eq!(counters.delivered, delivered.len() as u64);
    assert_eq!(counters.discarded, discarded.len() as u64);
    assert_eq!(counters.blocks_sent, counters.blocks_received + counters.blocks_in_error);
}

fn unacknowledged(concatenation: bool) -> RlcConfig {
    RlcConfig { mode: Mode::Um, concatenation, ..RlcConfig::default() }
}

fn module() -> RlcConfig {
    RlcConfig {
        arq: Arq::NextExpected,
        pdu_payload: 60,
        header: Some(3),
        recovery_timeout: millis(60),
        retransmissions_first: false,
        ..RlcConfig::default()
    }
}

#[test]
fn unacknowledged_mode_delivers_in_order_and_settles_each_sdu() {
    for concatenation in [true, false] {
        for tbler in LOSS {
            for seed in 0..10 {
                let packets = traffic(seed, 60, millis(60));
                let rlc = unacknowledged(concatenation);
                for fates in transfer(rlc, (tbler, seed), &packets, &[]) {
                    check_conservation(&fates, 60);
                    assert!(fates.delivered.is_sorted() && fates.held.is_empty());
                    assert_eq!(fates.discarded.is_empty(), fates.lost.is_empty());
                    assert_eq!(fates.counters.retransmitted_blocks, 0);
                    assert_eq!(fates.counters.status_pdus, 0);
                }
            }
        }
    }
}

/// In transparent mode an SDU arrives if it fits in a TTI (480 B down, 160 B up) and all of its
/// blocks arrive, which are numbered one after the other.
#[test]
fn transparent_mode_delivers_what_fits_and_arrives() {
    for tbler in LOSS {
        for seed in 0..20 {
            let packets = traffic(seed, 60, millis(60));
            let transparent = RlcConfig { mode: Mode::Tm, ..RlcConfig::default() };
            let all = transfer(transparent, (tbler, seed), &packets, &[]);
            for ((direction, fates), most) in BOTH.into_iter().zip(all).zip([480, 160]) {
                check_conservation(&fates, 60);
                assert!(fates.held.is_empty());
                let (mut block, mut expect) = (0, Vec::new());
                for (_, _, packet) in packets.iter().filter(|packet| packet.1 == direction) {
                    if packet.bytes <= most {
                        let blocks = block..block + packet.bytes.div_ceil(40) as u16;
                        block = blocks.end;
                        if !blocks.clone().any(|block| fates.lost.contains(&block)) {
                            expect.push(packet.number);
                        }
                    }
                }
                assert_eq!(fates.delivered, expect, "TBLER {tbler}, seed {seed}");
            }
        }
    }
}

/// All but a tail that no one knows of arrives, once and in order, through relocations too.
#[test]
fn the_recovery_of_the_module_loses_nothing() {
    let moves: Vec<_> = [300, 310, 1500, 1505, 2000].map(|time| at(millis(time))).to_vec();
    for tbler in LOSS {
        for seed in 0..10 {
            let packets = traffic(seed, 60, millis(60));
            for moves in [&[], &moves[..]] {
                for fates in transfer(module(), (tbler, seed), &packets, moves) {
                    check_conservation(&fates, 60);
                    let arrived = fates.delivered.len() as u32;
                    assert!(fates.delivered.iter().copied().eq(0..arrived), "in order");
                    assert!(fates.discarded.is_empty(), "nothing is given up");
                    assert!(tbler > 0.0 || arrived == 60);
                }
            }
        }
    }
}

#[test]
fn out_of_sequence_and_limited_recovery_settle_each_sdu_once() {
    let mut discarded = 0;
    for (in_order, max_retransmissions) in
        [(false, None), (true, Some(0)), (true, Some(2)), (false, Some(1))]
    {
        let rlc = RlcConfig { in_order, max_retransmissions, ..module() };
        for tbler in LOSS {
            for seed in 0..10 {
                for fates in
                    transfer(rlc.clone(), (tbler, seed), &traffic(seed, 60, millis(60)), &[])
                {
                    check_conservation(&fates, 60);
                    assert!(!in_order || fates.delivered.is_sorted());
                    assert!(max_retransmissions.is_some() || fates.discarded.is_empty());
                    discarded += fates.discarded.len();
                }
            }
        }
    }
    assert!(discarded > 100, "{discarded}");
}

proptest! {
    /// Model fuzz: without concatenation SDU n is the blocks after those of SDU n − 1; one more
    /// tells its end if its last block has no room for a length indicator. It arrives if all do.
    #[test]
    fn an_sdu_arrives_if_all_of_its_blocks_do(
        sizes in proptest::collection::vec(1..400_u32, 1..60),
        percent in 0..60_u32,
        seed: u64,
    ) {
        let tbler = f64::from(percent) / 100.0;
        let packets: Vec<_> = (0..).zip(&sizes).map(|(number, bytes)| {
            (Time::ZERO, Direction::Downlink, Packet { number, bytes: *bytes })
        }).collect();
        let rlc = unacknowledged(false);
        let [down, _] = transfer(rlc, (tbler, seed), &packets, &[]);
        let mut reference = Reference::default();
        let told: Vec<_> = sizes.iter().map(|bytes| reference.cut(*bytes)).collect();
        let arrives = |blocks: &RangeInclusive<u16>| {
            !blocks.clone().any(|block| down.lost.contains(&block))
        };
        let expect: Vec<u32> =
            (0..).zip(&told).filter(|(_, blocks)| arrives(blocks)).map(|(n, _)| n).collect();
        prop_assert_eq!(down.delivered, expect);
    }
}

/// Cuts SDUs into blocks of 40 bytes with length indicators of one byte.
#[derive(Default)]
struct Reference {
    block: u16,
    /// Bytes that the next block has lost to the indicator of the SDU before.
    taken: u32,
}

impl Reference {
    /// The blocks of an SDU, the one that tells its end the last.
    fn cut(&mut self, bytes: u32) -> RangeInclusive<u16> {
        let first = self.block;
        let used = self.taken + bytes;
        let last = first + ((used - 1) / 40) as u16;
        let left = 40 - ((used - 1) % 40 + 1);
        (self.block, self.taken) = (last + 1, u32::from(left == 0));
        first..=last + u16::from(left == 0)
    }
}
