//! The path stands still for three seconds: the timer runs out though nothing is lost. Plain TCP
//! sends its window again, in slow start; F-RTO and Eifel send one segment again and go on.

use std::collections::VecDeque;
use std::sync::Arc;

use base::{Duration, Seq, Time};
use observe::{Context, Observe, TcpFact};
use tcp::{Config, Endpoint, Length, RecoveryKind, RttSampling, Segment, SpuriousTimeouts};

const SEGMENTS: u64 = 600;
const MSS: u32 = 1_000;
/// The bottleneck takes so long for a segment, either way takes so long beside.
const SEGMENT_TIME: Duration = Duration::from_millis(10);
const DELAY: Duration = Duration::from_millis(50);
/// When the bottleneck stands still.
const SPIKE: [Time; 2] = [Time::from_nanos(2_000_000_000), Time::from_nanos(5_000_000_000)];

#[derive(Debug, Default)]
struct Tally {
    resent: u32,
    timeouts: u32,
    /// In segments: before the spike, and the least from a round trip after it on.
    cwnd_before: u64,
    cwnd_least: u64,
    finished: Time,
}

impl Observe for Tally {
    fn tcp(&mut self, now: Time, endpoint: u32, fact: TcpFact) {
        match fact {
            TcpFact::Sent { transmission, .. } => self.resent += u32::from(transmission > 1),
            TcpFact::Timeout { .. } => self.timeouts += 1,
            TcpFact::Window { cwnd, .. } if endpoint == 0 => {
                let cwnd = cwnd / u64::from(MSS);
                if now < SPIKE[0] {
                    (self.cwnd_before, self.cwnd_least) = (cwnd, u64::MAX);
                } else if now > SPIKE[1] + DELAY * 3 {
                    self.cwnd_least = self.cwnd_least.min(cwnd);
                }
            }
            TcpFact::Data { delivered, .. } if delivered == SEGMENTS * u64::from(MSS) => {
                self.finished = now;
            }
            TcpFact::Window { .. }
            | TcpFact::Data { .. }
            | TcpFact::Established { .. }
            | TcpFact::Acked { .. }
            | TcpFact::Rtt(_)
            | TcpFact::BaseRtt { .. }
            | TcpFact::FastRetransmit { .. }
            | TcpFact::Limited { .. }
            | TcpFact::Closed { .. } => {}
        }
    }
}

/// The way there and the way back: what arrives, and when.
type Way = VecDeque<(Time, Segment<Length>)>;

fn run(recovery: RecoveryKind, spurious_timeouts: SpuriousTimeouts) -> Tally {
    let config = Arc::new(Config {
        recovery: Some(recovery),
        spurious_timeouts,
        mss: MSS,
        window: 30,
        receive_buffer: Some(60_000),
        initial_ssthresh: Some(15),
        rtt_sampling: RttSampling::EverySegment,
        sack: None,
        timestamps: true,
        ..Config::plain()
    });
    let mut sides = [
        Endpoint::connect(0, &config, 1, 2, Seq::new(7)),
        Endpoint::listen(1, &config, 2, 1, Seq::new(9)),
    ];
    sides[0].write(Length(SEGMENTS * u64::from(MSS)));
    let (mut ways, mut free, mut now) = ([Way::new(), Way::new()], Time::ZERO, Time::ZERO);
    let mut tally = Tally::default();
    while tally.finished == Time::ZERO {
        for side in 0..2 {
            while sides[side].read().is_some() {}
            while let Some(segment) =
                sides[side].poll_output(&mut Context { now, observe: &mut tally })
            {
                let arrival = if side == 0 { through_bottleneck(&mut free, now) } else { now };
                ways[side].push_back((arrival + DELAY, segment));
            }
        }
        let arrivals = ways.iter().filter_map(|way| way.front()).map(|&(time, _)| time);
        let timers = sides.iter().filter_map(Endpoint::poll_timeout);
        now = arrivals.chain(timers).min().expect("something is to happen").max(now);
        for side in 0..2 {
            while ways[side].front().is_some_and(|&(time, _)| time <= now)
                && let Some((_, segment)) = ways[side].pop_front()
            {
                sides[1 - side].handle_segment(&mut Context { now, observe: &mut tally }, &segment);
            }
            sides[side].handle_timeout(&mut Context { now, observe: &mut tally });
        }
    }
    tally
}

/// When a segment that arrives now has left the bottleneck.
fn through_bottleneck(free: &mut Time, now: Time) -> Time {
    let start = now.max(*free);
    let start = if start >= SPIKE[0] && start < SPIKE[1] { SPIKE[1] } else { start };
    *free = start + SEGMENT_TIME;
    *free
}

const RECOVERIES: [RecoveryKind; 7] = [
    RecoveryKind::Tahoe,
    RecoveryKind::Reno,
    RecoveryKind::NewReno,
    RecoveryKind::Sack,
    RecoveryKind::Fack,
    RecoveryKind::Rack,
    RecoveryKind::Vegas,
];

#[test]
fn plain_tcp_sends_its_window_again() {
    for recovery in RECOVERIES {
        let tally = run(recovery, SpuriousTimeouts::Unseen);
        assert!(tally.resent >= 20, "{recovery:?} {tally:?}");
    }
}

#[test]
fn only_the_oldest_is_sent_again_if_the_timeout_is_seen_through() {
    for recovery in RECOVERIES {
        for how in [SpuriousTimeouts::FRto, SpuriousTimeouts::Eifel] {
            let tally = run(recovery, how);
            // Rack's probe starts the timer anew, so that it runs out once only.
            let timeouts = if recovery == RecoveryKind::Rack { 1 } else { 2 };
            let counts = (tally.timeouts, tally.resent);
            assert_eq!(counts, (timeouts, timeouts), "{recovery:?} {how:?} {tally:?}");
            assert!(tally.cwnd_least >= tally.cwnd_before, "{recovery:?} {how:?} {tally:?}");
        }
    }
}
