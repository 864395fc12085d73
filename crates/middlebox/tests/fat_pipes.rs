//! A relay between long fat legs: its buffers grow as the connection needs, within the limits.

use std::sync::Arc;

use base::{Duration, Time};
use middlebox::{
    Counters, Itcp, Managed, MiddleboxLimits, PerFlowSplit, SocketBuffers, SplitConfig,
};
use tcp::{Config, Length};

use crate::support::{FIRST_MOBILE, Network, Opening, Passing, Way, fixed, modern};

/// Hosts, the mobile and the relay, none of which limits the connection.
fn unlimited() -> Config {
    Config { window: 8_000, receive_buffer: Some(8_000_000), initial_window: 10, ..modern() }
}

/// A path: the delay of wire and radio, one way in ms, and the radio's rate in bytes per second.
#[derive(Clone, Copy, Debug)]
struct Pipe {
    delays_ms: [u64; 2],
    rate: u64,
}

impl Pipe {
    /// What both legs hold, in bytes.
    const fn product(self) -> u64 {
        let [wired, radio] = self.delays_ms;
        2 * (wired + radio) * self.rate / 1_000
    }

    /// Downloads ten times [`Self::product`] by each of `flows` connections. Returns the time in
    /// seconds and what was counted.
    fn carry(self, middlebox: Box<dyn Managed<Length>>, flows: u16) -> (f64, Counters) {
        let mut net = Network::new(0, middlebox);
        for (host, delay) in [fixed(0), FIRST_MOBILE].into_iter().zip(self.delays_ms) {
            for way in [Way::In, Way::Out] {
                let path = net.path(host, way);
                // Segments never arrive at once, or one acknowledgement would tell of several.
                (path.delay, path.rate) = (Duration::from_millis(delay), Some(20 * self.rate));
            }
        }
        net.path(FIRST_MOBILE, Way::Out).rate = Some(self.rate);
        let bytes = 10 * self.product();
        let mut clients = Vec::new();
        for number in 0..flows {
            let of = Opening::of(5_000 + number);
            let opening = Opening { client_config: unlimited(), server_config: unlimited(), ..of };
            let (client, server) = net.open(&opening);
            net.write(server, bytes);
            net.close(server);
            clients.push((client, server));
        }
        let whole = |net: &Network<Length>| clients.iter().all(|&(it, _)| net.is_at_end(it));
        assert!(net.run_while(Duration::from_secs(1_000), whole), "{self:?}");
        let took = (net.now - Time::ZERO).as_secs_f64();
        for (client, _) in clients {
            net.close(client);
        }
        net.run_for(Duration::from_secs(10));
        (took, net.middlebox.counters())
    }
}

fn relays(limits: MiddleboxLimits) -> [Box<dyn Managed<Length>>; 2] {
    let config = SplitConfig { limits, ..SplitConfig::PLAIN };
    let (tcp, buffers) = (Arc::new(unlimited()), SocketBuffers::default());
    [
        Box::new(PerFlowSplit::per_flow(config, &tcp, buffers)),
        Box::new(Itcp::indirect(config, &tcp, buffers)),
    ]
}

/// Wherever the delay is, and whatever the rate.
#[test]
fn a_relay_fills_what_its_ends_fill() {
    for delays_ms in [[1, 300], [20, 280], [150, 150], [280, 20], [5, 50]] {
        for rate in [250_000, 1_250_000, 6_250_000] {
            let pipe = Pipe { delays_ms, rate };
            let (whole, _) = pipe.carry(Box::<Passing<Length>>::default(), 1);
            for relay in relays(MiddleboxLimits::NONE) {
                let (split, counters) = pipe.carry(relay, 1);
                assert!(split <= 1.05 * whole, "{pipe:?}: {split} s, {whole} s without it");
                assert_eq!(counters.held_bytes, 0);
            }
        }
    }
}

/// However many connections want more, a relay never holds more than it may.
#[test]
fn growth_keeps_within_the_limits() {
    let pipe = Pipe { delays_ms: [20, 280], rate: 1_250_000 };
    let least = SocketBuffers::default().first_bytes();
    for (flows, bytes) in [(1, 4_000_000), (8, 4_000_000), (8, 9 * least)] {
        for relay in relays(MiddleboxLimits { bytes, ..MiddleboxLimits::NONE }) {
            let (_, counters) = pipe.carry(relay, flows);
            assert_eq!(counters.flows, u64::from(flows));
            assert!(counters.held_max <= bytes, "{flows} {bytes} {counters:?}");
        }
    }
}
