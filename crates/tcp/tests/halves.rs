//! The halves of a connection work alone, as a middlebox needs them.

use observe::Context;
use std::sync::Arc;

use base::{Duration, Ecn, Flags, Seq, Time, Timestamps};
use cc::{Ack, Controller, Custom, Limits, Loss, Reno, Vegas};
use tcp::{
    AckDue, AckOutcome, Acknowledgement, Agreement, Arrival, Config, Departure, EcnFeedback,
    Endpoint, Length, Payload, Receiver, Reports, RttSampling, Sender, Timeliness,
};

fn config() -> Config {
    Config {
        mss: 1_000,
        window: 32,
        initial_window: 4,
        receive_buffer: Some(20_000),
        rtt_sampling: RttSampling::EverySegment,
        ..Config::plain()
    }
}

#[test]
fn a_sender_and_a_receiver_without_a_handshake() {
    let config = Arc::new(config());
    let first = Seq::new(u32::MAX - 100_000);
    let mut sender = Sender::<Length>::new(0, &config, first);
    let mut receiver = Receiver::<Length>::new(1, config.mss, 20_000, None);
    let mut now = Time::ZERO;
    receiver.start(first);
    let agreement = Agreement {
        mss: config.mss,
        window: 20_000,
        initial_window: 4,
        sack: false,
        ecn: EcnFeedback::Off,
    };
    sender.start(&mut Context { now, observe: &mut () }, &agreement);
    sender.write(Length(300_500));
    sender.close();
    let mut arrived = 0;
    while !sender.is_finished() {
        now += Duration::from_millis(50);
        let mut flight = Vec::new();
        while let Some(departure) = sender.poll_output(&mut Context { now, observe: &mut () }) {
            flight.push(departure);
        }
        assert!(!flight.is_empty(), "it stalls at {now:?}");
        now += Duration::from_millis(50);
        for departure in flight {
            let fin = departure.flags.contains(Flags::FIN);
            let Departure { seq, payload, ecn, .. } = departure;
            let arrival = Arrival { seq, payload, fin, ecn, cwr: false };
            receiver.handle_data(&mut Context { now, observe: &mut () }, &arrival);
            while let Some(piece) = receiver.read() {
                arrived += piece.length();
            }
            assert_eq!(receiver.ack_due(), AckDue::Now);
            let (ack, window) = receiver.acknowledge();
            let (seq, window) = (Seq::new(0), u64::from(window));
            let acknowledgement =
                Acknowledgement { seq, ack, window, pure: true, ..Acknowledgement::default() };
            let outcome =
                sender.handle_ack(&mut Context { now, observe: &mut () }, &acknowledgement);
            assert_eq!(outcome, AckOutcome::Accepted);
        }
    }
    assert_eq!((arrived, receiver.is_finished()), (300_500, true));
    assert_eq!((sender.unacknowledged(), sender.poll_timeout()), (0, None));
}

#[test]
fn a_receiver_alone_reports_what_was_agreed_upon() {
    let first = Seq::new(u32::MAX - 500);
    let mut receiver = Receiver::<Length>::new(0, 1_000, 20_000, None);
    let now = Time::ZERO + Duration::from_millis(70);
    receiver.start(first);
    receiver.agree_on_sack(Reports::BlocksAndDuplicates);
    receiver.agree_on_timestamps(now, 5);
    receiver.agree_on_ecn(EcnFeedback::Classic);
    let mut arrive = |offset: u32, ecn, value| {
        let (seq, timestamps) = (first + offset, Some(Timestamps { value, echo: 0 }));
        assert_eq!(receiver.timeliness(now, timestamps), Timeliness::Timely);
        receiver.take_timestamps(now, seq, timestamps);
        let arrival = Arrival { seq, payload: Length(1_000), ecn, ..Arrival::default() };
        receiver.handle_data(&mut Context { now, observe: &mut () }, &arrival);
        let blocks = receiver.blocks();
        let blocks = blocks.as_slice().iter().map(|block| block.map(|edge| edge - first));
        let echo = receiver.timestamps(now).map(|stamp| (stamp.value, stamp.echo));
        let ack = receiver.acknowledge().0 - first;
        (ack, blocks.collect::<Vec<_>>(), echo, receiver.echo())
    };
    let check = |actual, ack, blocks: &[[u32; 2]], echo, flag| {
        assert_eq!(actual, (ack, blocks.to_vec(), Some((70, echo)), flag));
    };
    let (capable, marked) = (Ecn::Capable, Ecn::Experienced);
    check(arrive(1_000, capable, 6), 0, &[[1_000, 2_000]], 5, Flags::NONE);
    check(arrive(1_000, capable, 7), 0, &[[1_000, 2_000], [1_000, 2_000]], 5, Flags::NONE);
    check(arrive(0, marked, 8), 2_000, &[], 8, Flags::ECE);
    check(arrive(0, capable, 9), 2_000, &[[0, 1_000]], 9, Flags::ECE);
}

#[test]
fn an_idle_endpoint_is_small() {
    let endpoint = size_of::<Endpoint<Length>>();
    let controller = size_of::<Vegas>().max(size_of::<Reno>());
    assert!(endpoint + controller <= 1_150, "{endpoint} and {controller} bytes");
}

/// Counts in its window how often it was told that it was idle, and to start over.
#[derive(Debug)]
struct IdleCounter {
    window: u64,
}

impl Controller for IdleCounter {
    fn on_ack(&mut self, _ack: &Ack) {}

    fn on_loss(&mut self, _loss: &Loss) {}

    fn on_idle(&mut self, _now: Time) {
        self.window += 1_000;
    }

    fn on_restart(&mut self, _now: Time) {
        self.window += 10_000;
    }

    fn on_undo(&mut self, _now: Time) {}

    fn window(&self) -> u64 {
        self.window
    }

    fn ssthresh(&self) -> u64 {
        0
    }
}

#[test]
fn every_controller_hears_of_idle_times_and_restarts_only_where_configured() {
    let told = |limits: &Limits| -> Box<dyn Controller> {
        Box::new(IdleCounter { window: u64::from(limits.mss) })
    };
    let check = |slow_start_restart, expect| {
        let congestion_control = Some(Custom::new("told", told).into());
        let config = Arc::new(Config { congestion_control, slow_start_restart, ..config() });
        let mut sender = Sender::<Length>::new(0, &config, Seq::new(0));
        let (sack, ecn) = (false, EcnFeedback::Off);
        let agreement = Agreement { mss: 1_000, window: 60_000, initial_window: 4, sack, ecn };
        sender.start(&mut Context { now: Time::ZERO, observe: &mut () }, &agreement);
        sender.write(Length(1_000));
        assert!(sender.poll_output(&mut Context { now: Time::ZERO, observe: &mut () }).is_some());
        let now = Time::ZERO + Duration::from_millis(100);
        let ack = Acknowledgement {
            ack: Seq::new(1_000),
            window: 60_000,
            pure: true,
            ..Acknowledgement::default()
        };
        sender.handle_ack(&mut Context { now, observe: &mut () }, &ack);
        sender.write(Length(30_000));
        let now = now + Duration::from_secs(10);
        let departs =
            |_: &i32| sender.poll_output(&mut Context { now, observe: &mut () }).is_some();
        assert_eq!((0..30).take_while(departs).count(), expect, "{slow_start_restart}");
    };
    check(false, 2);
    check(true, 12);
}
