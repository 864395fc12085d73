//! Connections through a box that splits them: what passes, what is answered, what is held.

use std::sync::Arc;

use base::{Duration, Ecn, Flags, Options, Seq, TcpHeader, Time, Timestamps};
use bytes::Bytes;
use middlebox::{
    Address, BothWays, Counters, IpFields, Itcp, Managed, MiddleboxLimits, Packet, PerFlow,
    PerFlowSplit, Routers, SocketBuffers, SplitConfig, Splitter, Uplink,
};
use observe::BoxContext;
use tcp::{Config, Segment, State};

use crate::support::{
    self, FIRST_MOBILE, Network, Opening, Pattern, PeerId, Shared, Way, fixed, mobile, modern,
};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(30_000, 30_000);

type Boxed = Splitter<Bytes, BothWays<Bytes, PerFlow<Bytes>>>;

fn boxed(config: SplitConfig) -> Boxed {
    let senders = || PerFlow::new(&Arc::new(modern()), BUFFERS);
    Splitter::new(config, BothWays::new(senders(), senders()))
}

fn network(uplink: Uplink) -> Network<Bytes> {
    Network::new(1, Box::new(boxed(SplitConfig { uplink, ..SplitConfig::PLAIN })))
}

/// Each with data towards hosts riding through, and split.
macro_rules! whatever_the_uplink {
    ($($name:ident,)*) => {
        mod rides {
            $(#[test] fn $name() { super::$name(super::Uplink::Rides); })*
        }

        mod split_uplink {
            $(#[test] fn $name() { super::$name(super::Uplink::Split); })*
        }
    };
}

whatever_the_uplink! {
    a_download_is_acknowledged_early_and_arrives_whole,
    every_handshake_leads_to_a_whole_transfer,
    a_handshake_survives_any_loss,
    a_refused_port_stays_refused,
    resets_go_through_either_way,
    forged_segments_are_challenged,
    acknowledgements_of_nothing_are_challenged,
    half_closed_connections_go_on_either_way,
    a_fin_waits_for_the_mobile,
    windows_close_and_open_again,
    a_paused_host_closes_the_mobiles_window,
    ports_can_be_used_again,
    strange_packets_pass_untouched,
    a_full_box_lets_connections_pass,
    released_connections_go_on_whole,
    idle_connections_are_forgotten_and_live_ones_are_not,
}

fn laws(net: &Network<Bytes>) {
    support::edges_never_move_back_either_way(&net.log);
    support::a_repeated_syn_takes_no_window_back(&net.log);
    support::nothing_unreceived_is_acknowledged(&net.log);
    support::fins_are_acknowledged_by_their_receiver(&net.log);
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// An established connection, with nothing under way.
fn established(net: &mut Network<Bytes>, opening: &Opening) -> (PeerId, PeerId) {
    let peers = net.open(opening);
    assert!(net.run_while(seconds(20), |net| net.state(peers.1) == State::Established));
    net.run_for(seconds(2));
    peers
}

/// Both close, all is read, and in the end nothing is left anywhere.
fn close_whole(net: &mut Network<Bytes>, (client, server): (PeerId, PeerId)) {
    net.close(client);
    net.close(server);
    assert!(net.run_while(seconds(600), |net| net.is_at_end(client) && net.is_at_end(server)));
    net.run_for(seconds(1_000));
    assert_eq!((net.state(client), net.state(server)), (State::Closed, State::Closed));
    assert_eq!((net.middlebox.poll_timeout(), net.middlebox.counters().held_bytes), (None, 0));
    laws(net);
}

fn segment(from: &Opening, seq: u32, ack: u32, flags: Flags, bytes: u64) -> Packet<Bytes> {
    let header = TcpHeader {
        source_port: from.client_port,
        destination_port: from.server_port,
        seq: Seq::new(seq),
        ack: Seq::new(ack),
        flags,
        window: 5_000,
        options: Options::default(),
    };
    Packet {
        source: from.client,
        destination: from.server,
        ip: IpFields::default(),
        segment: Segment { header, payload: Bytes::pattern(9, 0, bytes), ecn: Ecn::NotCapable },
    }
}

fn a_download_is_acknowledged_early_and_arrives_whole(uplink: Uplink) {
    let mut net = network(uplink);
    let (client, server) = established(&mut net, &Opening::of(5_000));
    net.write(server, 20_000);
    // The wire takes 40 ms there and back, the radio 600: long before a mobile could answer.
    net.run_for(Duration::from_millis(200));
    assert_eq!((net.endpoint(server).sender().unacknowledged(), net.read(client)), (0, 0));
    net.write(client, 300);
    net.write(server, 200_000);
    close_whole(&mut net, (client, server));
    let Counters { flows, bypassed, suppressed, .. } = net.middlebox.counters();
    assert_eq!((flows, bypassed), (1, 0));
    assert!(suppressed > 10, "{suppressed} acknowledgements of the mobile");
}

/// Who calls, what both offer, where numbers begin: each arrives whole, both ways.
fn every_handshake_leads_to_a_whole_transfer(uplink: Uplink) {
    let host = fixed(0);
    let callers = [(FIRST_MOBILE, host), (host, FIRST_MOBILE), (FIRST_MOBILE, mobile(1))];
    let offers = [(true, true), (true, false), (false, true), (false, false)];
    for (client, server) in callers {
        for (sack, timestamps) in offers {
            for receive_buffer in [5_392, 300_000] {
                for isn in [7, u32::MAX - 10_000] {
                    let config = Config {
                        sack: Some(sack),
                        timestamps,
                        receive_buffer: Some(receive_buffer),
                        ..modern()
                    };
                    let opening = Opening {
                        client,
                        server,
                        client_isn: Seq::new(isn),
                        server_isn: Seq::new(isn + 99),
                        client_config: config.clone(),
                        server_config: modern(),
                        ..Opening::of(5_000)
                    };
                    let mut net = network(uplink);
                    net.path(FIRST_MOBILE, Way::Out).lost = vec![5, 9];
                    let (client, server) = net.open(&opening);
                    net.write(client, 30_000);
                    net.write(server, 50_000);
                    close_whole(&mut net, (client, server));
                    assert_eq!(net.middlebox.counters().flows, 1, "{opening:?}");
                }
            }
        }
    }
}

/// Each segment of the handshake lost before and behind the box.
fn a_handshake_survives_any_loss(uplink: Uplink) {
    for host in [FIRST_MOBILE, fixed(0)] {
        for way in [Way::In, Way::Out] {
            for lost in 0..3 {
                for caller in [FIRST_MOBILE, fixed(0)] {
                    let mut net = network(uplink);
                    net.path(host, way).lost = vec![lost];
                    let callee = if caller == fixed(0) { FIRST_MOBILE } else { fixed(0) };
                    let opening = Opening { client: caller, server: callee, ..Opening::of(5_000) };
                    let (client, server) = net.open(&opening);
                    net.run_for(seconds(10));
                    net.write(server, 3_000);
                    close_whole(&mut net, (client, server));
                    assert_eq!(net.middlebox.counters().flows, 1, "{host:?} {way:?} {lost}");
                }
            }
        }
    }
}

fn a_refused_port_stays_refused(uplink: Uplink) {
    let mut net = network(uplink);
    let (client, server) = net.open(&Opening::of(5_000));
    net.abort(server);
    net.run_for(seconds(60));
    assert_eq!(net.state(client), State::Closed);
    assert_eq!((net.read(client), net.middlebox.counters().flows), (0, 0));
    assert_eq!(net.middlebox.poll_timeout(), None);
}

/// A reset in the midst of a transfer reaches the other end, and what waited is thrown away.
fn resets_go_through_either_way(uplink: Uplink) {
    for by_mobile in [false, true] {
        let mut net = network(uplink);
        net.path(FIRST_MOBILE, Way::Out).rate = Some(4_000);
        let (client, server) = established(&mut net, &Opening::of(5_000));
        net.write(server, 100_000);
        net.write(client, 2_000);
        net.run_for(seconds(5));
        assert!(net.middlebox.counters().held_bytes > 20_000);
        let (by, told) = if by_mobile { (client, server) } else { (server, client) };
        net.abort(by);
        net.run_for(seconds(60));
        assert_eq!(net.state(told), State::Closed, "by the mobile: {by_mobile}");
        let Counters { held_bytes, discarded_bytes, .. } = net.middlebox.counters();
        assert!(held_bytes == 0 && discarded_bytes > 20_000, "{held_bytes} {discarded_bytes}");
        net.run_for(seconds(300));
        assert_eq!(net.middlebox.poll_timeout(), None);
    }
}

/// RFC 5961 §3 and §4: the next number resets, another in the window is challenged, and one
/// beyond it is nothing; a forged SYN resets nothing.
fn forged_segments_are_challenged(uplink: Uplink) {
    let opening = Opening::of(5_000);
    let host = Opening {
        client: opening.server,
        server: opening.client,
        client_port: opening.server_port,
        server_port: opening.client_port,
        ..opening.clone()
    };
    let (mobile_next, host_next) = (1_005_001, 2_005_001);
    let check = |packet: Packet<Bytes>, resets: bool, answers: usize| {
        let mut net = network(uplink);
        let (client, server) = established(&mut net, &opening);
        let before = net.passed(packet.source, Way::Out).count();
        let source = packet.source;
        net.inject(packet.clone());
        let after = net.passed(source, Way::Out).count();
        assert_eq!(after - before, answers, "{packet:?}");
        net.run_for(seconds(5));
        let closed = State::Closed;
        assert_eq!(net.state(client) == closed || net.state(server) == closed, resets);
        if !resets {
            net.write(server, 5_000);
            close_whole(&mut net, (client, server));
        }
    };
    check(segment(&host, host_next, 0, Flags::RST, 0), true, 0);
    check(segment(&host, host_next + 1, 0, Flags::RST, 0), false, 1);
    check(segment(&host, host_next - 1, 0, Flags::RST, 0), false, 0);
    check(segment(&host, host_next + 100_000, 0, Flags::RST, 0), false, 0);
    check(segment(&opening, mobile_next, 0, Flags::RST, 0), true, 0);
    check(segment(&opening, mobile_next + 1, 0, Flags::RST, 0), false, 1);
    check(segment(&opening, mobile_next - 1, 0, Flags::RST, 0), false, 0);
    check(segment(&opening, mobile_next + 100_000, 0, Flags::RST, 0), false, 0);
}

/// RFC 5961 §5: what acknowledges data never sent is dropped and challenged.
fn acknowledgements_of_nothing_are_challenged(uplink: Uplink) {
    let plain = Config { sack: Some(false), timestamps: false, ..modern() };
    let opening =
        Opening { client_config: plain.clone(), server_config: plain, ..Opening::of(5_000) };
    let mut net = network(uplink);
    let peers = established(&mut net, &opening);
    let before = net.passed(FIRST_MOBILE, Way::Out).count();
    net.inject(segment(&opening, 1_005_001, 2_006_000, Flags::ACK, 0));
    net.inject(segment(&opening, 1_005_001, 2_006_000, Flags::ACK, 7));
    let answers: Vec<_> = net.passed(FIRST_MOBILE, Way::Out).skip(before).collect();
    assert_eq!(answers.len(), 1, "the second is too soon after the first");
    assert_eq!(answers[0].segment().header.ack, Seq::new(1_005_001));
    net.write(peers.1, 4_000);
    close_whole(&mut net, peers);
}

fn half_closed_connections_go_on_either_way(uplink: Uplink) {
    for mobile_first in [false, true] {
        let mut net = network(uplink);
        let (client, server) = established(&mut net, &Opening::of(5_000));
        let (first, second) = if mobile_first { (client, server) } else { (server, client) };
        net.write(first, 3_000);
        net.close(first);
        net.run_for(seconds(3_600));
        assert!(net.is_at_end(second));
        assert_eq!(net.state(first), State::FinWait2);
        net.write(second, 40_000);
        close_whole(&mut net, (client, server));
    }
}

/// While the mobile is away the server's FIN comes again and again, and is not acknowledged.
fn a_fin_waits_for_the_mobile(uplink: Uplink) {
    let mut net = network(uplink);
    let (client, server) = established(&mut net, &Opening::of(5_000));
    let (from, to) = (net.now, net.now + seconds(30));
    let outage = support::Outage { from, to, fate: support::OutageFate::Lost };
    net.path(FIRST_MOBILE, Way::Out).outages.push(outage);
    net.write(server, 10_000);
    net.close(server);
    net.run_for(seconds(25));
    assert_eq!(net.endpoint(server).sender().unacknowledged(), 0);
    assert_eq!(net.state(server), State::FinWait1);
    let fins = net.passed(fixed(0), Way::In).filter(|passage| passage.has(Flags::FIN)).count();
    assert!(fins > 3, "{fins} FINs");
    close_whole(&mut net, (client, server));
}

/// A mobile that does not read closes the window in the end; probes are answered, and when it
/// reads again all goes on.
fn windows_close_and_open_again(uplink: Uplink) {
    let mut net = network(uplink);
    let (client, server) = established(&mut net, &Opening::of(5_000));
    net.pause(client);
    net.write(server, 400_000);
    net.run_for(seconds(300));
    let counters = net.middlebox.counters();
    assert!(counters.zero_windows > 2, "{counters:?}");
    assert!(counters.held_bytes <= BUFFERS.first_bytes(), "{counters:?}");
    assert_eq!(net.state(server), State::Established);
    net.resume(client);
    close_whole(&mut net, (client, server));
}

fn a_paused_host_closes_the_mobiles_window(uplink: Uplink) {
    let mut net = network(uplink);
    let (client, server) = established(&mut net, &Opening::of(5_000));
    net.pause(server);
    net.write(client, 200_000);
    net.run_for(seconds(300));
    net.resume(server);
    close_whole(&mut net, (client, server));
}

/// A SYN with new numbers passes; once it is answered the old connection is no more.
fn ports_can_be_used_again(uplink: Uplink) {
    let mut net = network(uplink);
    let (client, server) = established(&mut net, &Opening::of(5_000));
    net.write(server, 5_000);
    net.run_for(seconds(5));
    // Both ends have lost all memory of it: new endpoints take their places.
    assert_eq!((net.state(client), net.state(server)), (State::Established, State::Established));
    let again = Opening {
        client_isn: Seq::new(77_000_000),
        server_isn: Seq::new(99_000_000),
        ..Opening::of(5_000)
    };
    let (client, server) = net.open(&again);
    net.write(client, 4_000);
    net.write(server, 40_000);
    net.close(client);
    net.close(server);
    assert!(net.run_while(seconds(60), |net| net.is_at_end(client) && net.is_at_end(server)));
    assert_eq!(net.middlebox.counters().flows, 2);
}

/// What is not the box's business comes out as it went in.
fn strange_packets_pass_untouched(uplink: Uplink) {
    let check = |packet: Packet<Bytes>, bypassed| {
        let mut net = network(uplink);
        net.inject(packet.clone());
        let out: Vec<_> = net.passed(packet.destination, Way::Out).collect();
        assert_eq!(out.len(), 1);
        assert_eq!(out[0].packet, packet);
        assert_eq!(
            (net.middlebox.counters().bypassed, net.middlebox.poll_timeout()),
            (bypassed, None)
        );
    };
    let opening = Opening::of(5_000);
    // No SYN was seen.
    check(segment(&opening, 5, 6, Flags::ACK, 100), 0);
    check(segment(&opening, 5, 6, Flags::RST, 0), 0);
    check(segment(&opening, 5, 6, Flags::SYN | Flags::ACK, 0), 0);
    // TCP Fast Open.
    check(segment(&opening, 5, 0, Flags::SYN, 100), 1);
    // No mobile.
    let wired = Opening { client: fixed(7), ..opening };
    check(segment(&wired, 5, 0, Flags::SYN, 0), 0);
}

/// A full box lets further connections pass, whole.
fn a_full_box_lets_connections_pass(uplink: Uplink) {
    let config = SplitConfig {
        limits: MiddleboxLimits { flows: 1, ..MiddleboxLimits::NONE },
        uplink,
        ..SplitConfig::PLAIN
    };
    let mut net = Network::new(1, Box::new(boxed(config)));
    let first = established(&mut net, &Opening::of(5_000));
    let (client, server) = established(&mut net, &Opening::of(5_001));
    net.write(server, 50_000);
    net.close(server);
    assert!(net.run_while(seconds(60), |net| net.is_at_end(client)));
    let Counters { flows, bypassed, .. } = net.middlebox.counters();
    assert_eq!((flows, bypassed), (1, 1));
    let _ = first;
}

/// A drained connection goes on whole, its packets as their ends made them.
fn released_connections_go_on_whole(uplink: Uplink) {
    for (offers, receive_buffer) in [(true, 300_000), (false, 20_000)] {
        let shared = Shared::new(boxed(SplitConfig { uplink, ..SplitConfig::PLAIN }));
        let mut net = Network::new(1, Box::new(shared.clone()));
        let (sack, receive_buffer) = (Some(offers), Some(receive_buffer));
        let config = Config { sack, timestamps: offers, receive_buffer, ..modern() };
        let opening =
            Opening { client_config: config.clone(), server_config: config, ..Opening::of(5_000) };
        let (client, server) = established(&mut net, &opening);
        net.write(server, 150_000);
        net.write(client, 20_000);
        net.run_for(seconds(2));
        shared.get().drain(&mut BoxContext { now: net.now, observe: &mut |_| {} });
        assert_eq!(net.middlebox.counters().released, 0, "data are under way");
        let rest = net.run_while(seconds(120), |net| net.middlebox.counters().released == 1);
        assert!(rest && shared.get().flows() == 0);
        let released_at = net.now;
        net.run_for(seconds(10));
        net.write(server, 150_000);
        net.write(client, 50_000);
        net.close(client);
        net.close(server);
        assert!(net.run_while(seconds(120), |net| net.is_at_end(client) && net.is_at_end(server)));
        laws(&net);
        // From then on what comes out is what came in.
        let later = |way| {
            let passages = net.log.iter().filter(move |passage| passage.way == way);
            let later = passages.filter(|passage| passage.at > released_at);
            later.map(|passage| passage.packet.clone()).collect::<Vec<_>>()
        };
        assert!(later(Way::In).len() > 200);
        assert_eq!(later(Way::In), later(Way::Out));
        // New connections pass.
        net.open(&Opening::of(5_001));
        net.run_for(seconds(3));
        assert_eq!(net.middlebox.counters().flows, 1);
    }
}

/// A mobile that is gone: after as many timeouts as configured both ends are reset.
#[test]
fn a_hopeless_mobile_resets_both() {
    let tcp = Arc::new(Config { max_retransmissions: Some(4), ..modern() });
    let middlebox = PerFlowSplit::<Bytes>::per_flow(SplitConfig::PLAIN, &tcp, BUFFERS);
    let mut net = Network::new(1, Box::new(middlebox));
    let (client, server) = established(&mut net, &Opening::of(5_000));
    let (from, to) = (net.now, net.now + seconds(100));
    let outage = support::Outage { from, to, fate: support::OutageFate::Lost };
    net.path(FIRST_MOBILE, Way::Out).outages.push(outage);
    net.write(server, 10_000);
    net.run_for(seconds(200));
    assert_eq!(net.state(server), State::Closed);
    assert_eq!(net.middlebox.counters().discarded_bytes, 10_000);
    // The mobile's reset was lost with the rest; it learns when it speaks.
    net.write(client, 10);
    net.run_for(seconds(10));
    assert_eq!(net.state(client), State::Closed);
}

/// Both SYNs' MSS, the windows that a mobile is told, DSCP, and clocks that are somebody's.
#[test]
fn headers_say_what_they_must() {
    let config = SplitConfig { uplink_clamp: Some(2_000), ..SplitConfig::PLAIN };
    let mut net = Network::new(1, Box::new(boxed(config)));
    // And 12 bytes of timestamps.
    let [client_config, server_config] = [(); 2].map(|()| Config { mss: 488, ..modern() });
    let (client, server) =
        net.open(&Opening { client_config, server_config, ..Opening::of(5_000) });
    net.set_dscp(server, 10);
    net.set_dscp(client, 46);
    net.write(client, 30_000);
    net.write(server, 60_000);
    close_whole(&mut net, (client, server));
    let clocks = |host: Address, way| {
        let stamps = net.passed(host, way).filter_map(|it| it.segment().header.options.timestamps);
        stamps.collect::<Vec<Timestamps>>()
    };
    for (from, to, dscp) in [(fixed(0), FIRST_MOBILE, 10), (FIRST_MOBILE, fixed(0), 46)] {
        let shown: Vec<u32> = clocks(from, Way::In).iter().map(|clock| clock.value).collect();
        let own: Vec<u32> = clocks(to, Way::In).iter().map(|clock| clock.value).collect();
        for Timestamps { value, echo } in clocks(to, Way::Out) {
            assert!(shown.contains(&value), "{value} is no time that {from:?} has shown");
            assert!(echo == 0 || own.contains(&echo), "{echo} is no time of {to:?}");
        }
        for passage in net.passed(to, Way::Out) {
            let Segment { header, payload, .. } = passage.segment();
            // The SYN left before it was set.
            assert!(passage.has(Flags::SYN) || passage.packet.ip.dscp == dscp);
            assert!(payload.len() <= 488, "{} bytes", payload.len());
            assert!(header.options.mss.is_none_or(|mss| mss == 500));
            // The clamp, and as much as is under way beyond the box.
            assert!(to == fixed(0) || header.window <= 4_000, "{}", header.window);
        }
    }
}

fn idle_connections_are_forgotten_and_live_ones_are_not(uplink: Uplink) {
    let config = SplitConfig {
        limits: MiddleboxLimits { idle: seconds(100), ..MiddleboxLimits::NONE },
        uplink,
        ..SplitConfig::PLAIN
    };
    let shared = Shared::new(boxed(config));
    let mut net = Network::new(1, Box::new(shared.clone()));
    let (_, server) = established(&mut net, &Opening::of(5_000));
    established(&mut net, &Opening::of(5_001));
    for _ in 0..3 {
        net.run_for(seconds(60));
        net.write(server, 10);
    }
    assert_eq!(shared.get().flows(), 1);
    net.run_for(seconds(200));
    assert_eq!(shared.get().flows(), 0);
    assert_eq!(net.middlebox.poll_timeout(), None);
}

/// I-TCP's handoff: everything waits for it, nothing is lost by it.
#[test]
fn a_handoff_holds_everything_up() {
    let splitter = Itcp::<Bytes>::indirect(SplitConfig::PLAIN, &Arc::new(modern()), BUFFERS);
    let shared = Shared::new(Routers::new(splitter, seconds(3)));
    let mut net = Network::new(1, Box::new(shared.clone()));
    let (client, server) = established(&mut net, &Opening::of(5_000));
    net.write(server, 100_000);
    net.write(client, 10_000);
    net.run_for(seconds(1));
    shared.get().hand_over(net.now, FIRST_MOBILE);
    let from = net.now;
    net.run_for(seconds(10));
    let frozen = |at: Time| at > from && at < from + seconds(3);
    assert_eq!(net.log.iter().filter(|it| it.way == Way::Out && frozen(it.at)).count(), 0);
    assert!(net.log.iter().any(|it| it.way == Way::In && frozen(it.at)));
    close_whole(&mut net, (client, server));
}
