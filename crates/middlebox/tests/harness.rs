//! The harness itself, around a box that does nothing.

use base::Duration;
use bytes::Bytes;

use crate::support::{self, Network, Opening, Passing};

#[test]
fn a_connection_through_a_box_that_does_nothing() {
    let mut net = Network::new(1, Box::<Passing<Bytes>>::default());
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
