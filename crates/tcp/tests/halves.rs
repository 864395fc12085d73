//! The halves of a connection work alone, as a middlebox needs them.

use base::{Duration, Flags, Seq, Time};
use cc::{Reno, Vegas};
use tcp::{
    AckDue, AckOutcome, Acknowledgement, Arrival, Config, Endpoint, Length, Payload, Receiver,
    RtoConfig, RttSampling, Sender, Variant,
};

fn config() -> Config {
    Config {
        variant: Variant::RENO,
        mss: 1_000,
        window: 32,
        initial_window: 4,
        initial_ssthresh: None,
        receive_buffer: 20_000,
        rto: RtoConfig {
            tick: Duration::ZERO,
            min: Duration::from_secs(1),
            max: Duration::from_secs(60),
            initial: Duration::from_secs(3),
            max_retransmissions: None,
        },
        rtt_sampling: RttSampling::EverySegment,
        delayed_ack: None,
        limited_transmit: false,
        slow_start_restart: false,
        recover_guard: true,
        nagle: false,
        time_wait: Duration::from_secs(60),
    }
}

#[test]
fn a_sender_and_a_receiver_without_a_handshake() {
    let config = config();
    let first = Seq::new(u32::MAX - 100_000);
    let mut sender = Sender::<Length>::new(0, &config, first);
    let mut receiver = Receiver::<Length>::new(1, config.mss, 20_000, None);
    let mut now = Time::ZERO;
    receiver.start(first);
    sender.start(now, config.mss, 20_000, config.controller(config.mss, 4), &mut ());
    sender.write(Length(300_500));
    sender.close();
    let mut arrived = 0;
    while !sender.is_finished() {
        now += Duration::from_millis(50);
        let mut flight = Vec::new();
        while let Some(departure) = sender.poll_output(now, &mut ()) {
            flight.push(departure);
        }
        assert!(!flight.is_empty(), "it stalls at {now:?}");
        now += Duration::from_millis(50);
        for departure in flight {
            let fin = departure.flags.contains(Flags::FIN);
            let arrival = Arrival { seq: departure.seq, payload: departure.payload, fin };
            receiver.handle_data(now, &arrival, &mut ());
            while let Some(piece) = receiver.read() {
                arrived += piece.length();
            }
            assert_eq!(receiver.ack_due(), AckDue::Now);
            let (ack, window) = receiver.acknowledge();
            let (seq, window) = (Seq::new(0), u64::from(window));
            let acknowledgement = Acknowledgement { seq, ack, window, pure: true };
            let outcome = sender.handle_ack(now, &acknowledgement, &mut ());
            assert_eq!(outcome, AckOutcome::Accepted);
        }
    }
    assert_eq!((arrived, receiver.is_finished()), (300_500, true));
    assert_eq!((sender.unacknowledged(), sender.poll_timeout()), (0, None));
}

#[test]
fn an_idle_endpoint_is_small() {
    let endpoint = size_of::<Endpoint<Length>>();
    let controller = size_of::<Vegas>().max(size_of::<Reno>());
    assert!(endpoint + controller <= 1_100, "{endpoint} and {controller} bytes");
}
