//! Header compression over a whole bearer.

use base::Direction::Downlink;
use base::{Duration, Flags, Probability, Rate, Seq, TcpHeader, Time};
use observe::Context;
use radio::umts::rlc::{RlcConfig, am};
use radio::umts::{self, Bearer, BlockErrorRate, Channel, DchConfig, Limit, Output, PdcpConfig};
use tcp::{Length, Segment};
use world::{Body, Ends, NodeId, Packet};

const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// 384 kbit/s down in 10 ms, 64 kbit/s up in 20 ms.
fn dch(tbler: f64, header_compression: bool, discard_timer: Option<Duration>) -> DchConfig {
    let probability = |value| Probability::new(value).expect("in range");
    let channel = |bps, tti| Channel {
        rate: Rate::from_bps(bps).into(),
        tti: millis(tti),
        tbler: BlockErrorRate::Constant(probability(tbler)).into(),
        limit: Limit::NONE,
    };
    let rlc = RlcConfig {
        discard_timer,
        reset: am::Repetition { timer: millis(300), max: None },
        move_window: am::Repetition { timer: millis(200), max: None },
        ..RlcConfig::default()
    };
    let pdcp = PdcpConfig { header_bytes: 1, header_compression };
    DchConfig::new(channel(384_000, 10), channel(64_000, 20), pdcp, rlc)
}

/// The numbers of those that have arrived at the other end by now.
fn delivered(bearer: &mut Bearer<Packet<Segment<Length>>>) -> impl Iterator<Item = u64> {
    std::iter::from_fn(|| bearer.poll_output()).filter_map(|(_, output)| match output {
        Output::Delivered(packet) => Some(packet.uid),
        Output::Discarded(_) | Output::Dropped(_) => None,
    })
}

/// A stream of 100 packets of 512 B, handed in one every 50 ms.
fn stream(config: &DchConfig) -> (Vec<u64>, umts::Counters) {
    let mut bearer = Bearer::new(0, config, 1, "stream");
    let mut arrived = Vec::new();
    for uid in 0..100 {
        let now = Time::ZERO + millis(uid * 50 + 1);
        let seq = Seq::new(uid as u32 * 512);
        let header = TcpHeader { seq, flags: Flags::ACK, ..TcpHeader::default() };
        let body = Segment { header, payload: Length(512), ..Segment::default() };
        let packet = Packet {
            uid,
            ends: Ends { source: NodeId(0), destination: NodeId(1) },
            bytes: body.bytes(),
            identification: uid as u16,
            dscp: 0,
            is_encrypted: false,
            is_corrupt: false,
            departed: Some(now),
            body: Box::new(body),
        };
        bearer
            .handle_input(&mut Context { now, observe: &mut () }, Downlink, packet)
            .expect("there is room");
        arrived.extend(delivered(&mut bearer));
    }
    while let Some(time) = bearer.poll_timeout() {
        bearer.handle_timeout(&mut Context { now: time, observe: &mut () });
        arrived.extend(delivered(&mut bearer));
    }
    (arrived, bearer.counters(Downlink))
}

/// 40 B of headers become 4: 517 B with the PDCP header are 13 blocks, not 14.
#[test]
fn compressed_headers_save_blocks() {
    let (arrived, counters) = stream(&dch(0.0, true, None));
    assert_eq!(arrived, (0..100).collect::<Vec<_>>());
    assert_eq!(counters.blocks_sent, 14 + 99 * 13);
    assert_eq!(stream(&dch(0.0, false, None)).1.blocks_sent, 1400);
    let (arrived, counters) = stream(&dch(0.2, true, None));
    assert_eq!(arrived, (0..100).collect::<Vec<_>>());
    assert_eq!(counters.discarded, 0);
}

/// Where SDUs get lost, those behind them cannot be restored; both are reported.
#[test]
fn a_broken_context_is_reported() {
    let (arrived, counters) = stream(&dch(0.3, true, Some(millis(100))));
    assert!(arrived.len() < 90 && arrived.is_sorted(), "{arrived:?}");
    assert_eq!(counters.delivered, arrived.len() as u64);
    assert_eq!(counters.delivered + counters.discarded, 100);
}
