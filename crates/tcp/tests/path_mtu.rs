//! A path that takes less than was agreed upon: what is too large is cut and sent again at once,
//! and congestion control hears nothing of it (RFC 1191 §6.4, RFC 8201 §5.4).

use observe::Context;
use std::collections::BTreeMap;
use std::sync::Arc;

use base::{Duration, Flags, Seq, Stream, Time};
use bytes::Bytes;
use cc::{Ack, Controller, Custom, Limits, Loss};
use proptest::prelude::*;
use tcp::{
    Acknowledgement, Agreement, Arrival, Config, Departure, EcnFeedback, Payload, Receiver,
    RecoveryKind, Reports, RttSampling, SackRule, Sender,
};

use crate::draw;

const FIRST: Seq = Seq::new(u32::MAX - 20_000);
const DELAY: Duration = Duration::from_millis(50);

/// What comes to an end of the path.
#[derive(Debug)]
enum Arriving {
    Data(Departure<Bytes>),
    Ack(Acknowledgement),
    TooLarge(u32),
}

/// A sender and a receiver, and a path between them.
#[derive(Debug)]
struct Path {
    now: Time,
    sender: Sender<Bytes>,
    receiver: Receiver<Bytes>,
    flying: BTreeMap<(Time, u64), Arriving>,
    /// From when on a segment may carry how much.
    limits: Vec<(Time, u32)>,
    /// Chance of 256 that something is lost.
    loss: u32,
    chance: Stream,
    count: u64,
    /// What the sender has been told, and the lengths of what has left since.
    told: u32,
    lengths: Vec<u64>,
    read: Vec<u8>,
}

fn stream(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at * 7 + at / 251) as u8).collect()
}

impl Path {
    fn new(config: &Config, seed: u64, loss: u32, limits: Vec<(Time, u32)>) -> Self {
        let config = Arc::new(config.clone());
        let mut sender = Sender::new(0, &config, FIRST);
        let mut receiver = Receiver::new(1, config.mss, 100_000, config.delayed_ack);
        receiver.start(FIRST);
        let sack = config.offers().sack;
        if sack {
            receiver.agree_on_sack(Reports::Blocks);
        }
        let agreement = Agreement {
            mss: config.mss,
            window: 65_535,
            initial_window: config.initial_window,
            sack,
            ecn: EcnFeedback::Off,
        };
        sender.start(&mut Context { now: Time::ZERO, observe: &mut () }, &agreement);
        let chance = Stream::named(seed, "path");
        Self {
            now: Time::ZERO,
            sender,
            receiver,
            flying: BTreeMap::new(),
            limits,
            loss,
            chance,
            count: 0,
            told: config.mss,
            lengths: Vec::new(),
            read: Vec::new(),
        }
    }

    fn limit(&self) -> u32 {
        let past = self.limits.iter().filter(|(from, _)| *from <= self.now);
        past.map(|&(_, limit)| limit).min().unwrap_or(u32::MAX)
    }

    fn fly(&mut self, arriving: Arriving) {
        self.count += 1;
        self.flying.insert((self.now + DELAY, self.count), arriving);
    }

    fn settle(&mut self) {
        while let Some(departure) =
            self.sender.poll_output(&mut Context { now: self.now, observe: &mut () })
        {
            let length = departure.payload.length();
            assert!(length <= u64::from(self.told), "{length} of {}", self.told);
            self.lengths.push(length);
            if length > u64::from(self.limit()) {
                self.fly(Arriving::TooLarge(self.limit()));
            } else if self.chance.next_u32() >> 24 >= self.loss {
                self.fly(Arriving::Data(departure));
            }
        }
    }

    fn arrive(&mut self, arriving: Arriving) {
        let now = self.now;
        match arriving {
            Arriving::Data(Departure { seq, flags, payload, ecn }) => {
                let fin = flags.contains(Flags::FIN);
                let arrival = Arrival { seq, fin, ecn, cwr: false, payload };
                self.receiver.handle_data(&mut Context { now, observe: &mut () }, &arrival);
                while let Some(piece) = self.receiver.read() {
                    self.read.extend_from_slice(&piece);
                }
                let (ack, window) = self.receiver.acknowledge();
                let (sack, window) = (self.receiver.blocks(), u64::from(window));
                let said =
                    Acknowledgement { ack, window, sack, pure: true, ..Acknowledgement::default() };
                if self.chance.next_u32() >> 24 >= self.loss {
                    self.fly(Arriving::Ack(said));
                }
            }
            Arriving::Ack(acknowledgement) => {
                self.sender.handle_ack(&mut Context { now, observe: &mut () }, &acknowledgement);
            }
            Arriving::TooLarge(limit) => {
                self.told = self.told.min(limit);
                self.sender.limit_segment(&mut Context { now, observe: &mut () }, limit);
            }
        }
    }

    /// Goes on until the stream has ended.
    fn run(&mut self, bytes: usize) {
        let whole = stream(bytes);
        self.sender.write(Bytes::from(whole.clone()));
        self.sender.close();
        self.settle();
        while !self.sender.is_finished() {
            let arrival = self.flying.keys().next().map(|&(time, _)| time);
            let next = arrival.into_iter().chain(self.sender.poll_timeout()).min();
            self.now = next.expect("it stalls").max(self.now);
            let due = |entry: &(Time, u64)| entry.0 <= self.now;
            if let Some(entry) = self.flying.first_entry().filter(|entry| due(entry.key())) {
                let arriving = entry.remove();
                self.arrive(arriving);
            } else {
                self.sender.handle_timeout(&mut Context { now: self.now, observe: &mut () });
            }
            self.settle();
            assert!(self.now < Time::ZERO + Duration::from_secs(100_000), "{self:?}");
        }
        assert_eq!(self.read, whole);
    }
}

/// Is told of losses, and of nothing else.
#[derive(Debug)]
struct Deaf {
    window: u64,
}

impl Controller for Deaf {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, loss: &Loss) {
        panic!("{loss:?}");
    }

    fn on_restart(&mut self, _now: Time) {}

    fn on_undo(&mut self, _now: Time) {}

    fn window(&self) -> u64 {
        self.window
    }

    fn ssthresh(&self) -> u64 {
        0
    }
}

/// Whatever repairs losses: all that flies is cut and leaves again as the limit becomes known, no
/// controller hears of a loss, and a second limit below the first does the same.
#[test]
fn what_is_too_large_goes_again_at_once() {
    let kinds = [
        (RecoveryKind::Tahoe, SackRule::Rfc6675),
        (RecoveryKind::Reno, SackRule::Rfc6675),
        (RecoveryKind::NewReno, SackRule::Rfc6675),
        (RecoveryKind::Sack, SackRule::Sack1),
        (RecoveryKind::Sack, SackRule::Rfc6675),
        (RecoveryKind::Rack, SackRule::Rfc6675),
        (RecoveryKind::Vegas, SackRule::Rfc6675),
    ];
    let deaf = |limits: &Limits| -> Box<dyn Controller> {
        Box::new(Deaf { window: u64::from(limits.mss) * 8 })
    };
    for (recovery, sack_rule) in kinds {
        for sack in [true, false] {
            let config = Config {
                congestion_control: Some(Custom::new("deaf", deaf).into()),
                recovery: Some(recovery),
                sack_rule,
                mss: 1_448,
                window: 40,
                initial_window: 8,
                sack: Some(sack),
                recover_guard: true,
                rtt_sampling: RttSampling::EverySegment,
                ..Config::plain()
            };
            let at = |millis| Time::ZERO + Duration::from_millis(millis);
            let limits = vec![(at(250), 536), (at(750), 200)];
            let mut path = Path::new(&config, 1, 0, limits);
            path.run(200_000);
            // 138 full segments, of which those are lost that left in the 100 ms from either limit
            // to the message: 8 and 20. All else is sent once, in the order of the stream 2 windows
            // more at most.
            let sent: u64 = path.lengths.iter().sum();
            let twice = sent - 200_000;
            assert!(
                (8 * 1_448..=6 * 8 * 1_448).contains(&twice),
                "{recovery:?} {sack_rule:?} {sack}: {twice}"
            );
        }
    }
}

/// The limit becomes known: what leaves at that moment.
#[test]
fn pieces_leave_in_order_and_the_fin_goes_with_the_last() {
    let config = Arc::new(Config {
        mss: 1_000,
        window: 40,
        initial_window: 4,
        recovery: Some(RecoveryKind::Sack),
        ..Config::plain()
    });
    let mut sender = Sender::<Bytes>::new(0, &config, Seq::new(0));
    let agreement = Agreement {
        mss: 1_000,
        window: 60_000,
        initial_window: 4,
        sack: true,
        ecn: EcnFeedback::Off,
    };
    let now = Time::ZERO;
    sender.start(&mut Context { now, observe: &mut () }, &agreement);
    sender.write(Bytes::from(stream(2_300)));
    sender.close();
    let leave = |sender: &mut Sender<Bytes>| {
        std::iter::from_fn(|| sender.poll_output(&mut Context { now, observe: &mut () }))
            .map(|it| (it.seq - Seq::new(0), it.payload.len(), it.flags.contains(Flags::FIN)))
            .collect::<Vec<_>>()
    };
    assert_eq!(leave(&mut sender), [(0, 1_000, false), (1_000, 1_000, false), (2_000, 300, true)]);
    sender.limit_segment(&mut Context { now, observe: &mut () }, 1_000);
    assert_eq!(leave(&mut sender), [], "it is no limit");
    sender.limit_segment(&mut Context { now, observe: &mut () }, 600);
    let pieces = [(0, 600, false), (600, 400, false), (1_000, 600, false), (1_600, 400, false)];
    assert_eq!(leave(&mut sender), pieces, "what was small enough stays under way");
    sender.limit_segment(&mut Context { now, observe: &mut () }, 150);
    let pieces = leave(&mut sender);
    assert_eq!(pieces.last(), Some(&(2_150, 150, true)));
    assert!(pieces.iter().all(|&(_, length, _)| length <= 150));
    assert_eq!(pieces.iter().map(|&(_, length, _)| length).sum::<usize>(), 2_300);
}

proptest! {
    /// Any sender, any losses, limits at any time: the stream arrives whole, and nothing leaves
    /// that is larger than what the sender has been told.
    #[test]
    fn streams_arrive_whole(
        config in draw::config(),
        seed in any::<u64>(),
        loss in 0_u32..60,
        limits in prop::collection::vec((0_u64..3_000, 1_u32..1_500), 1..4),
        bytes in 1_usize..60_000,
    ) {
        let limits = limits
            .into_iter()
            .map(|(millis, limit)| (Time::ZERO + Duration::from_millis(millis), limit.max(16)))
            .collect();
        Path::new(&config, seed, loss, limits).run(bytes);
    }
}
