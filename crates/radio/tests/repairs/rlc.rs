//! Link control: modifications 2 to 5 of the first set and 1 of the second.

use base::{Direction, Time};
use observe::{BlockFact, BlockKind, Context, Observe};
use radio::umts::rlc::am::pdu::{ControlPdu, DataHeader, IndicatorWidth, ResetFields};
use radio::umts::rlc::{Arq, Mode, RlcConfig};
use radio::umts::{Bearer, BlockErrorRate, Counters, DchConfig, Output};

use crate::support::{Packet, at, dch, feed, millis, numbers, probability, rlc};

const DOWN: Direction = Direction::Downlink;

/// The module's recovery, whose requests are repeated after `timeout` milliseconds.
fn module(timeout: u64) -> RlcConfig {
    RlcConfig {
        arq: Arq::NextExpected,
        pdu_payload: 60,
        header: Some(3),
        recovery_timeout: millis(timeout),
        retransmissions_first: false,
        ..RlcConfig::default()
    }
}

/// Errors downlink only, so that what is asked for is known.
fn lossy(tbler: f64, rlc: RlcConfig) -> DchConfig {
    let mut config = dch(tbler, rlc);
    config.pdcp.header_bytes = 0;
    config.uplink.tbler = BlockErrorRate::Constant(probability(0.0)).into();
    config
}

/// `count` packets of 540 B, `gap` milliseconds apart.
fn packets(count: u32, gap: u64) -> Vec<(Time, Direction, Packet)> {
    let packet = |number| Packet { number, bytes: 540 };
    (0..count).map(|number| (at(millis(gap) * u64::from(number)), DOWN, packet(number))).collect()
}

/// What arrives of `packets`, and the counts, when all is over.
fn transfer(
    config: &DchConfig,
    seed: u64,
    packets: &[(Time, Direction, Packet)],
) -> (Vec<u32>, Counters) {
    let mut bearer = Bearer::new(0, config, seed, "repair");
    let deliveries = feed(&mut bearer, packets, at(millis(1_000_000)));
    assert_eq!(bearer.poll_timeout(), None, "idle at the end");
    (numbers(&deliveries, DOWN), bearer.counters(DOWN))
}

/// The downlink data blocks of a run, each with whether it was lost.
#[derive(Default)]
struct Blocks(Vec<BlockFact>);

impl Observe for Blocks {
    fn block(&mut self, _now: Time, fact: BlockFact) {
        if fact.direction == DOWN && fact.kind != BlockKind::Control {
            self.0.push(fact);
        }
    }
}

/// Hands one packet of 540 B in and runs until all is over: whether it arrives, and its blocks.
fn lone(config: &DchConfig, seed: u64) -> (bool, Vec<BlockFact>) {
    let mut bearer = Bearer::new(0, config, seed, "repair");
    let mut blocks = Blocks::default();
    let packet = Packet { number: 0, bytes: 540 };
    bearer
        .handle_input(&mut Context { now: Time::ZERO, observe: &mut blocks }, DOWN, packet)
        .expect("there is room");
    let mut arrives = false;
    while let Some(time) = bearer.poll_timeout() {
        bearer.handle_timeout(&mut Context { now: time, observe: &mut blocks });
        while let Some((_, output)) = bearer.poll_output() {
            arrives |= matches!(output, Output::Delivered(_));
        }
    }
    (arrives, blocks.0)
}

/// Modification 2. Requests are repeated sooner than a repair takes, so PDUs arrive several times;
/// their duplicates ask for nothing and disturb nothing.
#[test]
fn duplicates_are_cleared() {
    let mut most = 0;
    for seed in 0..20 {
        let (arrived, counters) = transfer(&lossy(0.3, module(10)), seed, &packets(100, 30));
        assert!(arrived.iter().copied().eq(0..arrived.len() as u32), "each once, in order");
        assert!(arrived.len() >= 99, "all but a tail that no one knows of");
        most = most.max(counters.retransmitted_blocks.saturating_sub(counters.blocks_in_error));
    }
    assert!(most > 100, "there were duplicates: {most}");
}

/// Modification 3. Without recovery a packet arrives if each of its PDUs does, and not only the
/// last.
#[test]
fn a_packet_is_put_together_only_if_every_pdu_arrived() {
    let um = RlcConfig {
        mode: Mode::Um,
        pdu_payload: 60,
        header: Some(3),
        concatenation: false,
        ..RlcConfig::default()
    };
    let (mut whole, mut only_last) = (0, 0);
    for seed in 0..300 {
        let (arrives, blocks) = lone(&lossy(0.1, um.clone()), seed);
        assert_eq!(blocks.len(), 9);
        assert_eq!(arrives, blocks.iter().all(|block| !block.error), "seed {seed}");
        whole += u32::from(arrives);
        only_last += u32::from(!arrives && !blocks[8].error);
    }
    assert!(whole > 80 && only_last > 80, "{whole} whole, {only_last} with their last PDU");
}

/// Modification 4. A complete transfer asks for nothing. The price is that a lone packet of one
/// PDU is lost for good, as a SYN is: the next to come brings it back.
#[test]
fn no_requests_follow_a_short_transfer_and_a_lost_syn_is_recovered() {
    let mut bearer = Bearer::new(0, &dch(0.0, module(60)), 1, "repair");
    let deliveries = feed(&mut bearer, &packets(3, 10), at(millis(10_000)));
    assert_eq!(numbers(&deliveries, DOWN), [0, 1, 2]);
    assert_eq!((bearer.poll_timeout(), bearer.counters(Direction::Uplink).blocks_sent), (None, 0));

    let syn = |number| Packet { number, bytes: 40 };
    let syns = [(at(millis(0)), DOWN, syn(0)), (at(millis(6000)), DOWN, syn(1))];
    let mut recovered = 0;
    for seed in 0..50 {
        let config = lossy(0.3, module(60));
        let (first, counters) = transfer(&config, seed, &syns[..1]);
        assert_eq!(counters.blocks_sent, 1, "never asked for");
        let (both, _) = transfer(&config, seed, &syns);
        assert!(both.is_sorted() && both.len() >= first.len(), "{both:?}");
        recovered += u32::from(first.is_empty() && both == [0, 1]);
        let (polled, _) = transfer(&lossy(0.3, rlc()), seed, &syns[..1]);
        assert_eq!(polled, [0], "with polls a lone packet is not lost");
    }
    assert!(recovered > 5, "{recovered}");
}

/// Modification 5. When a repair completes several packets at once, all of them are acknowledged:
/// each loss is sent again once, and nothing else is.
#[test]
fn the_last_packet_put_together_is_acknowledged() {
    for seed in 0..50 {
        let config = lossy(0.1, module(1000));
        let (arrived, counters) = transfer(&config, seed, &packets(60, 30));
        let tail = 60 - arrived.len() as u64;
        assert!(tail <= 1);
        assert!(counters.retransmitted_blocks <= counters.blocks_in_error, "seed {seed}");
        let unasked = counters.blocks_in_error - counters.retransmitted_blocks;
        assert!(unasked == 0 || tail == 1, "seed {seed}: {unasked}");
    }
}

/// Second set, modification 1. A TCP acknowledgement is as small as a link control's own; the
/// two are told apart by the header, whatever passes beside them.
#[test]
fn headers_are_unambiguous() {
    for sn in 0..4096 {
        let header = DataHeader { sn, poll: sn % 2 == 0, indicators: Vec::new() };
        let pdu = header.encode(IndicatorWidth::Seven);
        assert!(ControlPdu::decode(&pdu).is_none(), "{header:?}");
    }
    for number in [false, true] {
        let fields = ResetFields { number, hyper_frame: 7 };
        let control = ControlPdu::ResetAck(fields).encode(42).expect("fits");
        assert!(DataHeader::decode(&control, IndicatorWidth::Seven).is_none());
    }
    let acks = (0..200).map(|number| {
        let direction = if number % 2 == 0 { DOWN } else { Direction::Uplink };
        (at(millis(7) * u64::from(number)), direction, Packet { number, bytes: 40 })
    });
    let acks: Vec<_> = acks.collect();
    for seed in 0..10 {
        let mut bearer = Bearer::new(0, &dch(0.2, rlc()), seed, "repair");
        let deliveries = feed(&mut bearer, &acks, at(millis(100_000)));
        assert_eq!(numbers(&deliveries, DOWN).len(), 100);
        assert_eq!(numbers(&deliveries, Direction::Uplink).len(), 100);
    }
}
