//! A mark is never lost between link and sender: with accurate ECN (RFC 9768) a sender ends up with
//! the count of what was marked, whatever becomes of data and acknowledgements.

use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Duration, Ecn, Seq, Stream, Time};
use cc::Algorithm;
use observe::Context;
use proptest::prelude::*;
use tcp::{
    Config, EcnFeedback, Endpoint, Length, Payload, RecoveryKind, Segment, State, Timeliness,
};

/// What happens to segments on their way. Probabilities in 1/256.
#[derive(Clone, Copy, Debug)]
struct Path {
    seed: u64,
    data_loss: u32,
    ack_loss: u32,
    marking: u32,
    /// A segment is late by up to so many milliseconds, of a delay of 10.
    jitter_ms: u32,
}

#[derive(Clone, Copy, Debug)]
struct Ends {
    recovery: RecoveryKind,
    timestamps: bool,
    delays_acks: bool,
    offloads: bool,
    limited_transmit: bool,
}

const MSS: u32 = 1_000;

impl Ends {
    fn config(self) -> Arc<Config> {
        Arc::new(Config {
            mss: MSS,
            window: 40,
            initial_window: 10,
            congestion_control: Some(Algorithm::Reno.into()),
            recovery: Some(self.recovery),
            sack: Some(true),
            dsack: true,
            ecn: EcnFeedback::Accurate,
            timestamps: self.timestamps,
            delayed_ack: self.delays_acks.then_some(Duration::from_millis(100)),
            receive_offload: self.offloads,
            limited_transmit: self.limited_transmit,
            ..Config::plain()
        })
    }
}

struct Run {
    path: Path,
    chance: Stream,
    sides: [Endpoint<Length>; 2],
    way: BTreeMap<(Time, u64), (usize, Segment<Length>)>,
    sent: u64,
    now: Time,
    /// Packets that arrived with CE and were acceptable (RFC 9293 §3.10.7.4, first check; RFC 7323
    /// §5.3).
    marked: u64,
    /// True once the handshake is over.
    is_lossy: bool,
}

impl Run {
    fn new(path: Path, ends: Ends) -> Self {
        let config = ends.config();
        let (isn, other) = (Seq::new(u32::MAX - 9_000), Seq::new(7));
        Self {
            path,
            chance: Stream::named(path.seed, "path"),
            sides: [
                Endpoint::connect(0, &config, 1, 2, isn),
                Endpoint::listen(1, &config, 2, 1, other),
            ],
            way: BTreeMap::new(),
            sent: 0,
            now: Time::ZERO,
            marked: 0,
            is_lossy: false,
        }
    }

    fn pump(&mut self) {
        for side in 0..2 {
            while self.sides[side].read().is_some() {}
            while let Some(segment) =
                self.sides[side].poll_output(&mut Context { now: self.now, observe: &mut () })
            {
                self.carry(1 - side, segment);
            }
        }
    }

    fn carry(&mut self, to: usize, mut segment: Segment<Length>) {
        let Path { data_loss, ack_loss, marking, jitter_ms, .. } = self.path;
        let loss = if to == 1 { data_loss } else { ack_loss };
        if self.is_lossy && self.chance.below(256) < loss {
            return;
        }
        let before = segment.ecn;
        if self.is_lossy && self.chance.below(256) < marking {
            segment.ecn.mark();
        }
        assert!(before == Ecn::NotCapable || segment.payload.length() > 0, "data alone");
        let late = Duration::from_millis(u64::from(self.chance.below(jitter_ms + 1)));
        self.sent += 1;
        self.way.insert((self.now + Duration::from_millis(10) + late, self.sent), (to, segment));
    }

    fn arrive(&mut self, side: usize, segment: &Segment<Length>) {
        let receiver = self.sides[side].receiver();
        let start = i64::from(segment.header.seq.distance(receiver.next_seq()));
        let end = start + i64::from(segment.numbers());
        let timestamps = segment.header.options.timestamps;
        let is_timely = receiver.timeliness(self.now, timestamps) == Timeliness::Timely;
        let is_acceptable = is_timely && start < i64::from(receiver.window().max(1)) && end > 0;
        self.marked += u64::from(is_acceptable && segment.ecn == Ecn::Experienced);
        self.sides[side].handle_segment(&mut Context { now: self.now, observe: &mut () }, segment);
    }

    /// Until everything is acknowledged and nothing is on its way.
    fn finish(&mut self) {
        for _ in 0..200_000 {
            self.pump();
            let is_acknowledged = self.sides[0].sender().unacknowledged() == 0;
            if self.way.is_empty() && is_acknowledged && self.sides[1].poll_timeout().is_none() {
                return;
            }
            let arrival = self.way.keys().next().map(|&(time, _)| time);
            let timers = self.sides.each_ref().map(Endpoint::poll_timeout);
            let next = [arrival, timers[0], timers[1]].into_iter().flatten().min();
            self.now = self.now.max(next.expect("something is to happen"));
            if arrival == Some(self.now)
                && let Some((_, (side, segment))) = self.way.pop_first()
            {
                self.arrive(side, &segment);
            } else {
                for side in &mut self.sides {
                    side.handle_timeout(&mut Context { now: self.now, observe: &mut () });
                }
            }
        }
        panic!("it stalls");
    }
}

/// Marks that the link set on what was taken in, and those that the sender counts in the end.
fn marks(path: Path, ends: Ends, writes: &[u64]) -> [u64; 2] {
    let mut run = Run::new(path, ends);
    run.finish();
    assert_eq!(run.sides[0].state(), State::Established);
    run.is_lossy = true;
    for bytes in writes {
        run.sides[0].write(Length(*bytes));
        run.finish();
    }
    [run.marked, run.sides[0].sender().marked_packets()]
}

fn path() -> impl Strategy<Value = Path> {
    let marking = prop_oneof![0..40_u32, 0..=256_u32];
    (any::<u64>(), (0..40_u32, 0..120_u32, marking), 0..30_u32).prop_map(
        |(seed, (data_loss, ack_loss, marking), jitter_ms)| Path {
            seed,
            data_loss,
            ack_loss,
            marking,
            jitter_ms,
        },
    )
}

fn ends() -> impl Strategy<Value = Ends> {
    let kinds = [RecoveryKind::NewReno, RecoveryKind::Sack, RecoveryKind::Rack];
    (prop::sample::select(kinds.to_vec()), any::<[bool; 4]>()).prop_map(|(recovery, on)| Ends {
        recovery,
        timestamps: on[0],
        delays_acks: on[1],
        offloads: on[2],
        limited_transmit: on[3],
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.max(500),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_mark_is_lost(
        path in path(),
        ends in ends(),
        writes in prop::collection::vec(1..150_000_u64, 1..4),
    ) {
        let [set, counted] = marks(path, ends, &writes);
        prop_assert_eq!(counted, set);
    }
}

#[test]
fn every_packet_may_be_marked() {
    let path = Path { seed: 1, data_loss: 0, ack_loss: 128, marking: 256, jitter_ms: 0 };
    let ends = Ends {
        recovery: RecoveryKind::Sack,
        timestamps: true,
        delays_acks: true,
        offloads: false,
        limited_transmit: false,
    };
    assert_eq!(marks(path, ends, &[1_000 * u64::from(MSS)]), [1_000; 2]);
}
