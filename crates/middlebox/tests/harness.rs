//! The harness itself, around a box that does nothing.

mod support;

use std::collections::VecDeque;

use base::{Duration, Time};
use bytes::Bytes;
use middlebox::{Counters, Middlebox, Packet, Watch};
use support::{Network, Opening};

/// What goes in comes out.
#[derive(Debug, Default)]
struct Passing {
    packets: VecDeque<Packet<Bytes>>,
}

impl Middlebox<Bytes> for Passing {
    fn handle_packet(&mut self, _now: Time, packet: Packet<Bytes>, _watch: Watch<'_>) {
        self.packets.push_back(packet);
    }

    fn handle_timeout(&mut self, _now: Time, _watch: Watch<'_>) {}

    fn poll_output(&mut self, _now: Time, _watch: Watch<'_>) -> Option<Packet<Bytes>> {
        self.packets.pop_front()
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn counters(&self) -> Counters {
        Counters::default()
    }
}

#[test]
fn a_connection_through_a_box_that_does_nothing() {
    let mut net = Network::new(1, Box::<Passing>::default());
    let (client, server) = net.open(&Opening::of(5_000));
    net.write(client, 300);
    net.write(server, 100_000);
    net.close(server);
    net.close(client);
    let whole = |net: &Network<Bytes>| net.is_at_end(client) && net.is_at_end(server);
    assert!(net.run_while(Duration::from_secs(60), whole));
    support::edges_never_move_back(&net.log, |_| true);
    support::nothing_unreceived_is_acknowledged(&net.log);
    support::fins_are_acknowledged_by_their_receiver(&net.log);
}
