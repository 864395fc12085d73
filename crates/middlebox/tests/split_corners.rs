//! Corners of connections that are split: odd handshakes, forgeries, small segments under large
//! scales, and what is left behind.

use std::sync::Arc;

use base::{Duration, Ecn, Flags, Options, Seq, TcpHeader, Time, Timestamps};
use bytes::Bytes;
use middlebox::{
    Address, Atcp, BothWays, Connection, IpFields, Managed, Middlebox, Packet, PerFlow,
    PerFlowSplit, SocketBuffers, SplitConfig, Splitter, Uplink,
};
use observe::{BoxContext, MiddleboxFact};
use tcp::{Config, EcnFeedback, Length, Payload as _, Segment, State};

use crate::support::{
    self, FIRST_MOBILE, Network, Opening, Outage, OutageFate, Passage, Pattern, Shared, UP, Way,
    aggregating, down, fixed, mobile, modern, packet, up,
};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(30_000, 30_000);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn boxed<P: Pattern>(config: SplitConfig) -> PerFlowSplit<P> {
    PerFlowSplit::per_flow(config, &Arc::new(modern()), BUFFERS)
}

fn network(config: SplitConfig) -> Network<Bytes> {
    Network::new(1, Box::new(boxed(config)))
}

/// All that comes out for what goes in.
fn pass<P: Pattern>(
    middlebox: &mut dyn Managed<P>,
    now: Time,
    packet: Packet<P>,
) -> Vec<Packet<P>> {
    let cx = &mut BoxContext { now, observe: &mut |_| {} };
    middlebox.handle_packet(cx, packet);
    std::iter::from_fn(|| middlebox.poll_output(cx)).collect()
}

/// The last acknowledgement of the handshake never comes: data, or a FIN, are the first that
/// acknowledge the callee, whoever calls.
#[test]
fn data_or_a_fin_may_complete_the_handshake() {
    for host_calls in [false, true] {
        for bytes in [0, 1, 3_000] {
            let (caller, other) =
                if host_calls { (fixed(0), FIRST_MOBILE) } else { (FIRST_MOBILE, fixed(0)) };
            let mut net = network(SplitConfig::PLAIN);
            // The SYN is its first packet.
            net.path(caller, Way::In).lost = vec![1];
            let opening = Opening { client: caller, server: other, ..Opening::of(5_000) };
            let (client, server) = net.open(&opening);
            if bytes > 0 {
                net.write(client, bytes);
            }
            net.close(client);
            net.write(server, 20_000);
            net.close(server);
            let whole = |net: &Network<Bytes>| net.is_at_end(client) && net.is_at_end(server);
            assert!(net.run_while(seconds(60), whole), "{host_calls} {bytes}");
            let counters = net.middlebox.counters();
            assert_eq!((counters.flows, counters.bypassed), (1, 0), "{host_calls} {bytes}");
            support::fins_are_acknowledged_by_their_receiver(&net.log);
        }
    }
}

/// One packet at a time: which first segment of the caller splits the connection.
#[test]
fn what_acknowledges_the_callee_splits() {
    let check = |first: Packet<Bytes>, flows: u64| {
        let mut middlebox = boxed::<Bytes>(SplitConfig::PLAIN);
        pass(&mut middlebox, Time::ZERO, up((100, 0), Flags::SYN, 0));
        pass(&mut middlebox, Time::ZERO, down((500, 101), Flags::SYN | Flags::ACK, 0));
        pass(&mut middlebox, Time::ZERO, first.clone());
        assert_eq!(middlebox.counters().flows, flows, "{first:?}");
        assert_eq!(middlebox.counters().bypassed, 0, "{first:?}");
    };
    check(up((101, 501), Flags::ACK, 0), 1);
    check(up((101, 501), Flags::ACK, 300), 1);
    check(up((101, 501), Flags::ACK | Flags::FIN, 0), 1);
    check(up((101, 501), Flags::ACK | Flags::FIN, 300), 1);
    // Those before it were lost.
    check(up((1_101, 501), Flags::ACK, 300), 1);
    check(up((1_101, 501), Flags::ACK | Flags::FIN, 0), 1);
    // A SYN-ACK that came again is acknowledged after a full window, which was lost.
    check(up((20_101, 501), Flags::ACK, 0), 1);
    // Nothing that an end would take.
    check(up((101, 502), Flags::ACK, 300), 0);
    check(up((101, 501), Flags::NONE, 300), 0);
    check(up((100_000, 501), Flags::ACK, 300), 0);
    check(up((90, 501), Flags::ACK, 5), 0);
}

/// RFC 9293 figure 7: both call at once.
#[test]
fn a_simultaneous_open_is_split() {
    let mut middlebox = boxed::<Bytes>(SplitConfig::PLAIN);
    let both = Flags::SYN | Flags::ACK;
    for packet in [
        up((100, 0), Flags::SYN, 0),
        down((500, 0), Flags::SYN, 0),
        up((100, 501), both, 0),
        down((500, 101), both, 0),
    ] {
        assert_eq!(pass(&mut middlebox, Time::ZERO, packet.clone()), [packet]);
    }
    assert_eq!(middlebox.counters().flows, 0);
    let out = pass(&mut middlebox, Time::ZERO, down((501, 101), Flags::ACK, 1_000));
    assert_eq!(middlebox.counters().flows, 1);
    let acknowledged = out.iter().any(|packet| packet.destination == fixed(0));
    let sent = out.iter().find(|packet| packet.segment.payload.len() == 1_000);
    assert!(acknowledged, "{out:?}");
    assert_eq!(sent.map(|packet| packet.segment.header.seq), Some(Seq::new(501)));
    let out = pass(&mut middlebox, Time::ZERO, up((101, 1_501), Flags::ACK, 40));
    assert_eq!(out[0].segment.header.ack, Seq::new(1_501));
    assert_eq!(middlebox.counters().held_bytes, 0);
}

/// What a SYN without a connection offers is agreed upon end to end: the box echoes a mark of the
/// wire itself, and sends with the codepoint on the radio. Ends that could count marks do no more
/// than the box.
#[test]
fn congestion_marks_end_at_the_box() {
    [EcnFeedback::Classic, EcnFeedback::Accurate].into_iter().for_each(marks_end_at_the_box);
}

fn marks_end_at_the_box(ecn: EcnFeedback) {
    let mut net = network(SplitConfig::PLAIN);
    let config = Config { ecn, ..modern() };
    let opening =
        Opening { client_config: config.clone(), server_config: config, ..Opening::of(5_000) };
    let (client, server) = net.open(&opening);
    net.run_for(seconds(3));
    let seq = net.passed(fixed(0), Way::In).map(|it| it.segment().header.seq).last();
    let first = seq.expect("the host has answered") + 1;
    let mut marked = Packet {
        source: fixed(0),
        destination: FIRST_MOBILE,
        ..packet(UP.reversed(), (0, 0), Flags::ACK, 0)
    };
    let last = net.passed(fixed(0), Way::Out).last().expect("it was acknowledged");
    marked.segment.header.seq = first;
    marked.segment.header.ack = last.segment().header.seq;
    marked.segment.header.options.timestamps =
        net.passed(fixed(0), Way::In).last().and_then(|it| it.segment().header.options.timestamps);
    marked.segment.payload = Bytes::pattern(1, 0, 500);
    marked.segment.ecn = Ecn::Experienced;
    let (to_host, to_mobile) =
        (net.passed(fixed(0), Way::Out).count(), net.passed(FIRST_MOBILE, Way::Out).count());
    net.write(server, 500);
    net.inject(marked);
    net.run_for(seconds(2));
    let echoes: Vec<_> = net.passed(fixed(0), Way::Out).skip(to_host).collect();
    assert!(echoes.iter().all(|it| it.has(Flags::ECE)) && !echoes.is_empty());
    let data = net.passed(FIRST_MOBILE, Way::Out).skip(to_mobile);
    let data: Vec<_> = data.filter(|it| !it.segment().payload.is_empty()).collect();
    assert!(data.iter().all(|it| it.segment().ecn == Ecn::Capable && !it.has(Flags::ECE)));
    assert!(!data.is_empty());
    // The host says that it reduced its window; the echo ends.
    net.write(server, 20_000);
    net.write(client, 3_000);
    net.close(client);
    net.close(server);
    assert!(net.run_while(seconds(60), |net| net.is_at_end(client) && net.is_at_end(server)));
    let last = net.passed(fixed(0), Way::Out).last().expect("there was one");
    assert!(!last.has(Flags::ECE));
    support::edges_never_move_back(&net.log, |_| true);
}

/// A connection with options that a box must not touch: nothing of it is changed from then on. One
/// that is split already stays so.
#[test]
fn a_bypassed_connection_passes_untouched() {
    for way in [UP, UP.reversed()] {
        let mut middlebox = boxed::<Bytes>(SplitConfig::PLAIN);
        let syn = up((100, 0), Flags::SYN, 0);
        assert_eq!(pass(&mut middlebox, Time::ZERO, syn.clone()), [syn]);
        middlebox.ignore(way);
        assert_eq!((middlebox.flows(), middlebox.counters().bypassed), (0, 1));
        middlebox.ignore(way);
        assert_eq!(middlebox.counters().bypassed, 1);
        for packet in [
            down((500, 101), Flags::SYN | Flags::ACK, 0),
            up((101, 501), Flags::ACK, 0),
            down((501, 101), Flags::ACK, 1_000),
            up((101, 1_501), Flags::ACK | Flags::FIN, 0),
        ] {
            assert_eq!(pass(&mut middlebox, Time::ZERO, packet.clone()), [packet]);
        }
        assert_eq!(middlebox.counters().flows, 0);
    }
    let mut middlebox = boxed::<Bytes>(SplitConfig::PLAIN);
    pass(&mut middlebox, Time::ZERO, up((100, 0), Flags::SYN, 0));
    pass(&mut middlebox, Time::ZERO, down((500, 101), Flags::SYN | Flags::ACK, 0));
    pass(&mut middlebox, Time::ZERO, up((101, 501), Flags::ACK, 0));
    middlebox.ignore(UP);
    assert_eq!((middlebox.flows(), middlebox.counters().bypassed), (1, 0));
}

/// RFC 5961 §4: a SYN on an established connection resets nothing. One with other numbers passes,
/// and the end that it claims to be for challenges it; an answer that nobody called for ends here.
#[test]
fn forged_syns_reset_nothing() {
    let opening = Opening::of(5_000);
    let (mobile_first, host_first) = (1_005_000, 2_005_000);
    let check = |packet: Packet<Bytes>| {
        let mut net = network(SplitConfig::PLAIN);
        let (client, server) = net.open(&opening);
        assert!(net.run_while(seconds(5), |net| net.state(server) == State::Established));
        net.write(server, 5_000);
        net.run_for(seconds(3));
        net.inject(packet.clone());
        net.run_for(seconds(5));
        net.write(server, 30_000);
        net.write(client, 3_000);
        net.close(client);
        net.close(server);
        let whole = |net: &Network<Bytes>| net.is_at_end(client) && net.is_at_end(server);
        assert!(net.run_while(seconds(60), whole), "{packet:?}");
        assert_eq!(net.middlebox.counters().flows, 1, "{packet:?}");
        assert_eq!(net.log.iter().filter(|it| it.has(Flags::RST)).count(), 0, "{packet:?}");
    };
    let both = Flags::SYN | Flags::ACK;
    check(up((mobile_first, 0), Flags::SYN, 0));
    check(up((mobile_first + 1, 0), Flags::SYN, 0));
    check(up((77, 0), Flags::SYN, 0));
    check(up((77, 5), both, 0));
    check(up((mobile_first + 1, host_first + 1), both, 0));
    check(down((host_first, 0), Flags::SYN, 0));
    check(down((host_first + 1, 0), Flags::SYN, 0));
    check(down((77, 0), Flags::SYN, 0));
    check(down((77, 5), both, 0));
    check(down((host_first + 3_000, mobile_first + 1), both, 0));
}

/// Segments smaller than a unit of the window's scale: what a sender is told ends less than a unit
/// beyond what the box has room for, and moves back by less than a unit.
#[test]
fn small_segments_do_not_carry_the_window_away() {
    for scale in [0, 4, 10, 14] {
        let mut middlebox = boxed::<Bytes>(SplitConfig::PLAIN);
        let mut syn = up((100, 0), Flags::SYN, 0);
        let mut answer = down((500, 101), Flags::SYN | Flags::ACK, 0);
        syn.segment.header.options.window_scale = Some(scale);
        answer.segment.header.options.window_scale = Some(0);
        pass(&mut middlebox, Time::ZERO, syn);
        pass(&mut middlebox, Time::ZERO, answer);
        pass(&mut middlebox, Time::ZERO, up((101, 501), Flags::ACK, 0));
        // The mobile never answers: the box fills.
        let (unit, mut received, mut edge) = (1_u64 << scale, 0, 0);
        while received < 200_000 {
            let seq = 501 + received as u32;
            let out = pass(&mut middlebox, Time::ZERO, down((seq, 101), Flags::ACK, 100));
            let last = out.iter().rfind(|packet| packet.destination == fixed(0));
            let header = &last.expect("each is acknowledged").segment.header;
            let acked = u64::from((header.ack + 0).distance(Seq::new(501)) as u32);
            let told = acked + (u64::from(header.window) << scale);
            assert!(told + unit > edge, "{scale}: from {edge} to {told}");
            edge = edge.max(told);
            assert!(edge < BUFFERS.first_bytes() + unit, "{scale}: {edge}");
            if acked == received {
                break;
            }
            received = acked;
        }
        let held = middlebox.counters().held_bytes;
        assert!(held < BUFFERS.first_bytes() + unit, "{scale}: {held}");
        assert!(held > 30_000, "{scale}: {held}");
    }
}

/// An end that takes next to nothing in a segment has no packet sent for each byte: those of the
/// size that an endpoint would send it at the least hold its options as well.
#[test]
fn a_tiny_mss_brings_no_tiny_segments() {
    let config = SplitConfig { uplink: Uplink::Split, min_mss: 48, ..SplitConfig::PLAIN };
    let wired = || PerFlow::new(&Arc::new(modern()), BUFFERS);
    let per_flow = || Splitter::new(config, BothWays::new(wired(), wired()));
    let atcp = || Splitter::new(config, BothWays::new(Atcp::new(aggregating()), wired()));
    let check = |middlebox: &mut dyn Managed<Bytes>, tiny: u16, clock, to: Address| {
        let say = |mut packet: Packet<Bytes>| {
            let options = &mut packet.segment.header.options;
            options.mss = options.mss.map(|_| tiny);
            options.timestamps = clock;
            packet
        };
        pass(middlebox, Time::ZERO, say(up((100, 0), Flags::SYN, 0)));
        pass(middlebox, Time::ZERO, say(down((500, 101), Flags::SYN | Flags::ACK, 0)));
        pass(middlebox, Time::ZERO, say(up((101, 501), Flags::ACK, 0)));
        let data = if to == FIRST_MOBILE {
            down((501, 101), Flags::ACK, 1_000)
        } else {
            up((101, 501), Flags::ACK, 1_000)
        };
        let mut out = pass(middlebox, Time::ZERO, say(data));
        out.retain(|it| it.destination == to && it.segment.payload.length() > 0);
        let options = if clock.is_some() { Timestamps::BYTES } else { 0 };
        let sizes: Vec<_> = out.iter().map(|it| it.segment.payload.length()).collect();
        let [full @ .., _] = &sizes[..] else { panic!("nothing is sent on") };
        assert!(full.len() >= 3, "{sizes:?}");
        assert!(
            full.iter().all(|&size| size == u64::from(48 - options)),
            "{tiny} {to:?} {sizes:?}"
        );
    };
    for tiny in [0, 1, 13, 47] {
        for clock in [None, Some(Timestamps { value: 7, echo: 0 })] {
            for to in [FIRST_MOBILE, fixed(0)] {
                check(&mut per_flow(), tiny, clock, to);
                check(&mut atcp(), tiny, clock, to);
            }
        }
    }
}

/// Under a clamp a mobile is told less than its host says, no more than that beyond what has come
/// from it, but no edge before one that it was told of: the host's own edges rise, and its reader
/// stops and goes on.
#[test]
fn clamped_edges_never_move_back() {
    for (clamp, receive_buffer) in [(2_000, 60_000), (9_999, 60_000), (5_001, 1_000_000)] {
        let config = SplitConfig { uplink_clamp: Some(clamp), ..SplitConfig::PLAIN };
        let mut net = network(config);
        let server_config = Config { receive_buffer: Some(receive_buffer), ..modern() };
        let (client, server) = net.open(&Opening { server_config, ..Opening::of(5_000) });
        net.write(client, 90_000);
        net.write(server, 30_000);
        net.run_for(seconds(5));
        net.pause(server);
        net.run_for(seconds(60));
        net.resume(server);
        net.close(client);
        net.close(server);
        assert!(net.run_while(seconds(200), |net| net.is_at_end(client) && net.is_at_end(server)));
        let scale = net.passed(FIRST_MOBILE, Way::Out).find(|it| it.has(Flags::SYN));
        let scale = scale.and_then(|it| it.segment().header.options.window_scale).unwrap_or(0);
        let (mut came, mut edge): (Option<Seq>, Option<Seq>) = (None, None);
        let with_mobile = |it: &&Passage<_>| it.host() == FIRST_MOBILE && !it.has(Flags::SYN);
        for passage in net.log.iter().filter(with_mobile) {
            let Segment { header, payload, .. } = passage.segment();
            if passage.way == Way::In {
                let end = header.seq + payload.length() as u32;
                came = Some(came.filter(|&came| end.before(came)).unwrap_or(end));
                continue;
            }
            let told = header.ack + (u32::from(header.window) << scale);
            assert!(edge.is_none_or(|edge| edge.before_or_at(told)), "{edge:?} to {told:?}");
            edge = Some(told);
            // To the nearest segment of 1000 bytes, and a unit.
            let most = came.map(|came| came + clamp + 500 + (1 << scale));
            assert!(most.is_none_or(|most| told.before(most)), "{told:?} of {clamp} over {came:?}");
        }
    }
}

/// A stall of the radio is told once, and its end; not where only one connection is silent.
#[test]
fn a_relay_tells_of_stalls() {
    let mut net = network(SplitConfig::PLAIN);
    let pairs = [5_000, 5_001].map(|port| net.open(&Opening::of(port)));
    net.run_for(seconds(3));
    let (from, to) = (net.now, net.now + seconds(20));
    net.path(FIRST_MOBILE, Way::Out).outages.push(Outage { from, to, fate: OutageFate::Lost });
    for (_, server) in pairs {
        net.write(server, 20_000);
    }
    net.run_for(seconds(60));
    assert!(pairs.iter().all(|&(client, _)| net.read(client) == 20_000));
    let told = |wanted: fn(&MiddleboxFact) -> bool| {
        let facts = net.facts.iter().filter(move |(_, fact)| wanted(fact));
        facts.map(|&(at, _)| at).collect::<Vec<_>>()
    };
    let stalled = told(|fact| matches!(fact, MiddleboxFact::Stalled { mobile: 0 }));
    let recovered = told(|fact| matches!(fact, MiddleboxFact::Recovered { mobile: 0 }));
    assert_eq!((stalled.len(), recovered.len()), (1, 1), "{stalled:?} {recovered:?}");
    assert!(stalled[0] > from && stalled[0] < from + seconds(4), "{stalled:?}");
    assert!(recovered[0] >= to, "{recovered:?}");
}

/// What is under way to a mobile is the sum over its connections.
#[test]
fn a_relay_tells_of_a_whole_mobile() {
    let mut net = network(SplitConfig::PLAIN);
    net.path(FIRST_MOBILE, Way::Out).rate = Some(3_000);
    let last = |net: &Network<Bytes>| {
        net.facts.iter().rev().find_map(|(_, fact)| {
            let MiddleboxFact::Backlog { queued, in_flight, cwnd, .. } = *fact else { return None };
            Some((queued + in_flight, cwnd))
        })
    };
    let pairs = [5_000, 5_001, 5_002].map(|port| net.open(&Opening::of(port)));
    net.run_for(seconds(3));
    // Three initial windows of four segments.
    assert_eq!(last(&net), Some((0, 3 * 4 * 1_000)));
    for (_, server) in pairs {
        net.write(server, 20_000);
    }
    net.run_for(seconds(1));
    let (held, _) = last(&net).expect("much is held");
    assert_eq!(held, net.middlebox.counters().held_bytes);
    assert!(held > 30_000);
    for (client, server) in pairs {
        net.close(client);
        net.close(server);
    }
    net.run_for(seconds(600));
    assert_eq!(last(&net), Some((0, 0)));
}

const fn number(seq: u32, ack: u32) -> (Seq, Seq) {
    (Seq::new(seq), Seq::new(ack))
}

/// A connection of one request and one response, from SYN to the last FIN's acknowledgement: the
/// number of its mobile.
fn short_flow(middlebox: &mut dyn Managed<Length>, now: Time, from: Address, port: u16) -> u32 {
    let mut number_of_mobile = u32::MAX;
    let observe = &mut |fact| {
        if let MiddleboxFact::Advertised { mobile, .. } = fact {
            number_of_mobile = mobile;
        }
    };
    let cx = &mut BoxContext { now, observe };
    let both = Flags::SYN | Flags::ACK;
    let fin = Flags::FIN | Flags::ACK;
    let script = [
        (true, number(100, 0), Flags::SYN, 0),
        (false, number(500, 101), both, 0),
        (true, number(101, 501), Flags::ACK, 80),
        (false, number(501, 181), Flags::ACK, 700),
        (true, number(181, 1_201), Flags::ACK, 0),
        (false, number(1_201, 181), fin, 0),
        (true, number(181, 1_202), fin, 0),
        (false, number(1_202, 182), Flags::ACK, 0),
    ];
    for (up, (seq, ack), flags, bytes) in script {
        let (source, destination) = if up { (from, fixed(0)) } else { (fixed(0), from) };
        let (source_port, destination_port) = if up { (port, 80) } else { (80, port) };
        let mss = flags.contains(Flags::SYN).then_some(1_000);
        let options = Options { mss, ..Options::default() };
        let header =
            TcpHeader { source_port, destination_port, seq, ack, flags, window: 20_000, options };
        let segment = Segment { header, payload: Length(bytes), ecn: Ecn::NotCapable };
        let packet = Packet { source, destination, ip: IpFields::default(), segment };
        middlebox.handle_packet(cx, packet);
        while middlebox.poll_output(cx).is_some() {}
    }
    number_of_mobile
}

/// Goes on to `end`.
fn wait(middlebox: &mut dyn Managed<Length>, end: Time) {
    while let Some(due) = middlebox.poll_timeout().filter(|&due| due <= end) {
        let cx = &mut BoxContext { now: due, observe: &mut |_| {} };
        middlebox.handle_timeout(cx);
        while middlebox.poll_output(cx).is_some() {}
    }
}

/// 100,000 short flows of ever other mobiles, one after the other: at no time does the box know
/// more than those of the last minutes, and nothing is left in the end.
#[test]
fn short_flows_leave_nothing_behind() {
    let per_flow = boxed::<Length>(SplitConfig::PLAIN);
    let atcp = Splitter::new(SplitConfig::PLAIN, Atcp::new(aggregating()));
    let (per_flow, atcp) = (Shared::new(per_flow), Shared::new(atcp));
    let standing: [&dyn Fn() -> u64; 2] = [&|| per_flow.get().flows(), &|| atcp.get().flows()];
    let name = |nth: u32| Connection {
        source: mobile(nth / 4),
        source_port: 5_000 + (nth % 4) as u16,
        ..UP
    };
    let knows: [&dyn Fn(u32) -> bool; 2] =
        [&|nth| per_flow.get().knows(&name(nth)), &|nth| atcp.get().knows(&name(nth))];
    let mut boxes: [Box<dyn Managed<Length>>; 2] =
        [Box::new(per_flow.clone()), Box::new(atcp.clone())];
    for ((middlebox, standing), knows) in boxes.iter_mut().zip(standing).zip(knows) {
        let mut now = Time::ZERO;
        for nth in 0..100_000 {
            now += seconds(1);
            wait(middlebox.as_mut(), now);
            let (mobile, port) = (mobile(nth / 4), 5_000 + (nth % 4) as u16);
            let number = short_flow(middlebox.as_mut(), now, mobile, port);
            // Of four minutes and a round; mobiles of two hours and a bit.
            assert_eq!(standing(), 0, "after {nth}");
            assert!(nth < 280 || !knows(nth - 280), "{nth}");
            assert!(knows(nth) && (nth < 230 || knows(nth - 230)), "{nth}");
            assert!(number <= 1_960, "mobile {number} after {nth}");
        }
        assert_eq!(middlebox.counters().flows, 100_000);
        let counters = middlebox.counters();
        assert!((700..=702).contains(&counters.held_max), "{counters:?}");
        wait(middlebox.as_mut(), now + seconds(300));
        assert_eq!((knows(99_999), middlebox.poll_timeout()), (false, None));
        let counters = middlebox.counters();
        assert_eq!((counters.held_bytes, counters.discarded_bytes, counters.bypassed), (0, 0, 0));
    }
}
