//! Whole transfers through a gateway, byte for byte.

use std::net::IpAddr;

use base::Duration;
use tcp::{Config, EcnFeedback, State};

use crate::support::{HOST, HOST6, MOBILE, MOBILE6, Net, config, modern};

const SCHEMES: [&str; 8] =
    ["atcp", "split", "i-tcp", "snoop", "fda-like", "delayed-dupacks", "m-tcp", "w-tcp"];

/// A mobile asks for 200 KB with 3 KB, and both close.
fn download(scheme: &str, mtu: [u16; 2], ends: [IpAddr; 2], configs: [&Config; 2]) -> Net {
    let mut net = Net::new(&config(scheme), mtu);
    let [client, server] = net.open(configs, (ends[0], 4000), (ends[1], 80));
    net.write(client, 3_000);
    net.write(server, 200_000);
    net.close(server);
    net.close(client);
    let over =
        |net: &Net| net.peer(client).endpoint.is_at_end() && net.peer(server).endpoint.is_at_end();
    assert!(net.run_while(Duration::from_secs(600), over), "{scheme}");
    net.assert_read(client, server, 200_000);
    net.assert_read(server, client, 3_000);
    let stats = net.gateway.snapshot(net.now);
    let profile = &stats.profiles[0];
    assert_eq!(profile.connections.taken, 1, "{scheme}: {stats:?}");
    assert!(profile.wired.received.bytes > 200_000, "{scheme}: the box has seen all");
    assert!(profile.radio.sent.bytes > 200_000, "{scheme}: {stats:?}");
    assert_eq!(profile.wired.round_trip.count(), 1, "{scheme}: of the handshake");
    assert_eq!((stats.stripped, stats.cut), (0, 0), "{scheme}");
    net
}

#[test]
fn every_scheme_carries_both_families() {
    for scheme in SCHEMES {
        download(scheme, [1500, 1500], [MOBILE, HOST], [&modern(), &modern()]);
        download(scheme, [1500, 1500], [MOBILE6, HOST6], [&modern(), &modern()]);
    }
}

#[test]
fn small_and_unequal_packets() {
    for scheme in SCHEMES {
        for mtu in [[576, 576], [1500, 576], [576, 1500], [1500, 296]] {
            download(scheme, mtu, [MOBILE, HOST], [&modern(), &modern()]);
        }
        download(scheme, [1500, 1280], [MOBILE6, HOST6], [&modern(), &modern()]);
    }
}

#[test]
fn hosts_of_every_kind() {
    let bare = Config { sack: Some(false), ..modern() };
    let (timestamps, receive_buffer) = (false, Some(32_000));
    let old = Config { timestamps, receive_buffer, initial_window: 2, ..bare.clone() };
    let plain = Config { timestamps, ..modern() };
    let narrow = Config { mss: 536, ..modern() };
    let marks = Config { ecn: EcnFeedback::Classic, ..modern() };
    for scheme in SCHEMES {
        for one in [&old, &bare, &plain, &narrow, &marks] {
            for configs in [[one, &modern()], [&modern(), one], [one, one]] {
                download(scheme, [1500, 1500], [MOBILE, HOST], configs);
            }
        }
    }
}

#[test]
fn a_host_may_call_a_mobile_and_speak_first() {
    for scheme in SCHEMES {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        let [client, server] = net.open([&modern(), &modern()], (HOST, 4000), (MOBILE, 22));
        net.write(server, 500);
        net.run_for(Duration::from_secs(5));
        net.assert_read(client, server, 500);
        net.write(client, 20_000);
        net.run_for(Duration::from_secs(30));
        net.assert_read(server, client, 20_000);
        let profile = &net.gateway.snapshot(net.now).profiles[0];
        let flows = profile.flows;
        assert_eq!((flows.open, flows.opening, profile.mobiles), (1, 0, 1), "{scheme}");
        let [mobile] = &net.gateway.mobiles(net.now, 9)[..] else { panic!("{scheme}") };
        assert_eq!((mobile.address, mobile.flows), (MOBILE, 1), "{scheme}");
        let round_trip = mobile.round_trip_seconds;
        assert!(round_trip.is_none_or(|time| time > 0.59), "{scheme}: {round_trip:?}");
        assert!(round_trip.is_some() || scheme == "delayed-dupacks", "{scheme} times nothing");
    }
}

/// The client has said all, and the server goes on for long.
#[test]
fn half_closed_connections_go_on() {
    for scheme in SCHEMES {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
        net.write(client, 700);
        net.close(client);
        net.run_for(Duration::from_secs(5));
        assert_eq!(net.state(client), State::FinWait2, "{scheme}");
        for part in 1..=5 {
            net.peers[server.0].endpoint.write(bytes::Bytes::from(vec![part; 10_000]));
            net.settle();
            net.run_for(Duration::from_secs(60));
            assert_eq!(net.peer(client).read.len(), usize::from(part) * 10_000, "{scheme}");
        }
        net.close(server);
        net.run_for(Duration::from_secs(5));
        assert_eq!(net.state(client), State::TimeWait, "{scheme}");
        assert_eq!(net.state(server), State::Closed, "{scheme}");
    }
}

/// 200 connections of 20 mobiles with loss on both legs; some are reset, some given up.
#[test]
fn many_connections_with_loss_resets_and_aborts() {
    for scheme in ["atcp", "split", "snoop"] {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        net.losses = [10, 20];
        let mut all = Vec::new();
        for number in 0..200_u16 {
            let mobile = IpAddr::from([10, 45, 0, 1 + (number % 20) as u8]);
            let ends = ((mobile, 5000 + number), (HOST, 80 + number % 3));
            let [client, server] = net.open([&modern(), &modern()], ends.0, ends.1);
            let size = 1_000 + usize::from(number) * 300;
            net.write(client, 300);
            net.write(server, size);
            match number % 10 {
                7 => {
                    net.run_for(Duration::from_millis(900));
                    net.abort(client);
                }
                8 => {
                    net.run_for(Duration::from_millis(900));
                    net.abort(server);
                }
                _ => {
                    net.close(server);
                    all.push((client, server, size));
                }
            }
            net.run_for(Duration::from_millis(50));
        }
        let done = |net: &Net| {
            all.iter().all(|&(client, server, size)| {
                net.peer(client).read.len() == size && net.peer(server).read.len() == 300
            })
        };
        assert!(net.run_while(Duration::from_secs(1_200), done), "{scheme}");
        for &(client, server, size) in &all {
            net.assert_read(client, server, size);
            net.assert_read(server, client, 300);
            net.close(client);
        }
        net.run_for(Duration::from_secs(1_200));
        let stats = net.gateway.snapshot(net.now);
        let profile = &stats.profiles[0];
        assert!(profile.radio.retransmissions > 0 && profile.connections.reset > 0, "{scheme}");
        assert_eq!(profile.held_bytes, 0, "{scheme}: {stats:?}");
        assert_eq!((net.gateway.flows(), net.journal.len()), (0, 0), "{scheme}");
        assert_eq!((profile.queued_bytes, profile.in_flight_bytes), (0, 0), "{scheme}");
        // Gauges are of mobiles that have connections, and none has.
        assert_eq!((profile.mobiles, profile.cwnd_bytes), (0, 0), "{scheme}");
    }
}

/// Links become narrower while a connection stands.
#[test]
fn nothing_is_larger_than_the_link_however_it_changes() {
    for scheme in SCHEMES {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
        net.write(server, 60_000);
        net.write(client, 60_000);
        net.run_for(Duration::from_secs(2));
        net.mtu = [1400, 700];
        net.gateway.set_mtu(net.mtu);
        net.write(server, 60_000);
        net.run_for(Duration::from_secs(300));
        assert_eq!(net.peer(client).read.len(), 120_000, "{scheme}");
        assert_eq!(net.peer(server).read.len(), 60_000, "{scheme}");
    }
}
