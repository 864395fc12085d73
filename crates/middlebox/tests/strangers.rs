//! Segments that nobody at either end may have sent, ends that ask whether the other is there, and
//! boxes that take their leave.

use std::slice::from_ref;
use std::sync::Arc;

use base::{Duration, Flags, Options, Probability, Seq, Time};
use bytes::Bytes;
use middlebox::{
    DelayedDupacks, DelayedDupacksConfig, FdaLike, FdaLikeKeys, FlowControl, IpFields, MTcp,
    MTcpConfig, Managed, Middlebox, MiddleboxLimits, Packet, PerFlowSplit, Snoop, SnoopConfig,
    SocketBuffers, SplitConfig, WTcp, WTcpConfig,
};
use observe::BoxContext;
use tcp::State;

use crate::support::{
    FIRST_MOBILE, Network, Opening, Outage, OutageFate, Passing, UP, Way, down, fixed, modern, up,
};

const BUFFERS: SocketBuffers = SocketBuffers::fixed(30_000, 30_000);

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn boxed(config: SplitConfig) -> PerFlowSplit<Bytes> {
    PerFlowSplit::per_flow(config, &Arc::new(modern()), BUFFERS)
}

fn pass(middlebox: &mut dyn Managed<Bytes>, packet: Packet<Bytes>) -> Vec<Packet<Bytes>> {
    let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
    middlebox.handle_packet(cx, packet);
    std::iter::from_fn(|| middlebox.poll_output(cx)).collect()
}

/// SYN and SYN-ACK have passed.
fn opening() -> PerFlowSplit<Bytes> {
    let mut middlebox = boxed(SplitConfig::PLAIN);
    pass(&mut middlebox, up((100, 0), Flags::SYN, 0));
    pass(&mut middlebox, down((500, 101), Flags::SYN | Flags::ACK, 0));
    middlebox
}

fn standing() -> PerFlowSplit<Bytes> {
    let mut middlebox = opening();
    pass(&mut middlebox, up((101, 501), Flags::ACK, 0));
    assert_eq!(middlebox.counters().flows, 1);
    middlebox
}

/// Every reset of a handshake passes, and its end judges it. The box goes by those that an end
/// would believe (RFC 9293 §3.10.7.3, RFC 5961 §3.2).
#[test]
fn blind_resets_of_a_handshake_end_nothing() {
    let both = Flags::RST | Flags::ACK;
    let refusal = |reset: Packet<Bytes>, ends: bool| {
        let mut middlebox = boxed(SplitConfig::PLAIN);
        pass(&mut middlebox, up((100, 0), Flags::SYN, 0));
        assert_eq!(pass(&mut middlebox, reset.clone()), from_ref(&reset));
        assert_eq!(middlebox.knows(&UP), !ends, "{reset:?}");
    };
    refusal(down((0, 101), both, 0), true);
    refusal(down((0, 100), both, 0), false);
    refusal(down((0, 102), both, 0), false);
    refusal(down((101, 0), Flags::RST, 0), false);
    refusal(up((101, 0), Flags::RST, 0), true);
    refusal(up((102, 0), Flags::RST, 0), false);
    let abort = |reset: Packet<Bytes>, ends: bool| {
        let mut middlebox = opening();
        assert_eq!(pass(&mut middlebox, reset.clone()), from_ref(&reset));
        assert_eq!(middlebox.knows(&UP), !ends, "{reset:?}");
    };
    abort(up((101, 501), both, 0), true);
    abort(up((101, 0), Flags::RST, 0), true);
    abort(up((150, 501), both, 0), false);
    abort(down((501, 101), both, 0), true);
    abort(down((500, 101), both, 0), false);
    abort(down((0, 101), both, 0), false);
}

/// What the box sends bears the fields that the newest packet of its end had.
#[test]
fn packets_bear_the_fields_of_their_end() {
    let fields = |dscp, hop_limit, flow_label| IpFields { dscp, hop_limit, flow_label };
    let mut middlebox = boxed(SplitConfig::PLAIN);
    let mut say = |mut packet: Packet<Bytes>, ip| {
        packet.ip = ip;
        let out = pass(&mut middlebox, packet);
        out.into_iter().map(|packet| (packet.destination, packet.ip)).collect::<Vec<_>>()
    };
    let (host, mobile) = (fixed(0), FIRST_MOBILE);
    say(up((100, 0), Flags::SYN, 0), fields(1, 61, 7));
    say(down((500, 101), Flags::SYN | Flags::ACK, 0), fields(2, 52, 9));
    let said = say(up((101, 501), Flags::ACK, 0), fields(1, 62, 7));
    assert_eq!(said, [(host, fields(1, 62, 7))]);
    let said = say(down((501, 101), Flags::ACK, 900), fields(3, 53, 9));
    assert_eq!(said, [(mobile, fields(3, 53, 9)), (host, fields(1, 62, 7))]);
    // A reset connection still knows who is who.
    say(up((101, 1_401), Flags::RST, 0), fields(1, 62, 7));
    let said = say(down((1_401, 101), Flags::ACK, 10), fields(4, 54, 9));
    assert_eq!(said, [(host, fields(1, 62, 7))]);
}

/// A host asks whether the mobile is still there (RFC 9293 §3.8.4): the mobile answers, and not
/// the box; but where data wait for the mobile, the box is asking already.
#[test]
fn who_asks_is_answered_by_the_other_end() {
    for bytes in [0, 1] {
        let mut middlebox = standing();
        let question = || down((500, 101), Flags::ACK, bytes);
        let asked = pass(&mut middlebox, question());
        assert_eq!(asked.len(), 1, "{asked:?}");
        let header = &asked[0].segment.header;
        assert_eq!(
            (asked[0].destination, header.seq, header.ack),
            (FIRST_MOBILE, Seq::new(500), Seq::new(101))
        );
        assert_eq!((asked[0].segment.numbers(), header.flags), (0, Flags::ACK));
        let answer = pass(&mut middlebox, up((101, 501), Flags::ACK, 0));
        assert_eq!(answer.len(), 1, "{answer:?}");
        let header = &answer[0].segment.header;
        assert_eq!(
            (answer[0].destination, header.seq, header.ack),
            (fixed(0), Seq::new(101), Seq::new(501))
        );
        // Nobody has asked any more.
        assert_eq!(pass(&mut middlebox, up((101, 501), Flags::ACK, 0)), []);
        pass(&mut middlebox, down((501, 101), Flags::ACK, 700));
        let answer = pass(&mut middlebox, down((1_200, 101), Flags::ACK, bytes));
        assert!(answer.iter().all(|packet| packet.destination == fixed(0)), "{answer:?}");
        // A mobile asks, and its host answers.
        let mut middlebox = standing();
        let asked = pass(&mut middlebox, up((100, 501), Flags::ACK, bytes));
        assert_eq!(asked.iter().map(|it| it.destination).collect::<Vec<_>>(), [fixed(0)]);
        let answer = pass(&mut middlebox, down((501, 101), Flags::ACK, 0));
        assert_eq!(answer.iter().map(|it| it.destination).collect::<Vec<_>>(), [FIRST_MOBILE]);
    }
}

/// A mobile that is gone answers nobody, and its host is not deceived.
#[test]
fn who_is_gone_answers_nobody() {
    let mut net = Network::new(1, Box::new(boxed(SplitConfig::PLAIN)));
    let (_, server) = net.open(&Opening::of(5_000));
    net.run_for(seconds(3));
    assert_eq!(net.state(server), State::Established);
    net.path(FIRST_MOBILE, Way::Out).loss = Probability::ALWAYS;
    let newest = net.passed(fixed(0), Way::In).last().map(|it| it.packet.clone());
    let mut question = newest.expect("it has answered the SYN");
    question.segment.header.flags = Flags::ACK;
    question.segment.header.options =
        Options { timestamps: question.segment.header.options.timestamps, ..Options::default() };
    let before = net.passed(fixed(0), Way::Out).count();
    let to_mobile = net.passed(FIRST_MOBILE, Way::Out).count();
    for _ in 0..5 {
        net.inject(question.clone());
        net.run_for(seconds(75));
    }
    assert_eq!(net.passed(fixed(0), Way::Out).count(), before);
    assert_eq!(net.passed(FIRST_MOBILE, Way::Out).count(), to_mobile + 5);
}

/// Only what an end can have sent keeps a connection from being forgotten.
#[test]
fn strangers_keep_nothing_alive() {
    let limits = MiddleboxLimits { idle: seconds(100), ..MiddleboxLimits::NONE };
    let strange = [
        up((90_000, 501), Flags::RST, 0),
        down((90_000, 101), Flags::ACK, 100),
        down((501, 90_000), Flags::ACK, 0),
        up((101, 90_000), Flags::ACK, 0),
        down((501, 101), Flags::NONE, 100),
    ];
    for packet in strange {
        let mut middlebox = boxed(SplitConfig { limits, ..SplitConfig::PLAIN });
        pass(&mut middlebox, up((100, 0), Flags::SYN, 0));
        pass(&mut middlebox, down((500, 101), Flags::SYN | Flags::ACK, 0));
        pass(&mut middlebox, up((101, 501), Flags::ACK, 0));
        for round in 1..=20 {
            let now = Time::ZERO + seconds(10 * round);
            while let Some(due) = middlebox.poll_timeout().filter(|&due| due <= now) {
                let cx = &mut BoxContext { now: due, observe: &mut |_| {} };
                middlebox.handle_timeout(cx);
                while middlebox.poll_output(cx).is_some() {}
            }
            let cx = &mut BoxContext { now, observe: &mut |_| {} };
            middlebox.handle_packet(cx, packet.clone());
            while middlebox.poll_output(cx).is_some() {}
        }
        assert_eq!(middlebox.flows(), 0, "{packet:?}");
    }
}

fn drained(middlebox: &mut PerFlowSplit<Bytes>) -> Vec<Packet<Bytes>> {
    let cx = &mut BoxContext { now: Time::ZERO, observe: &mut |_| {} };
    middlebox.drain(cx);
    std::iter::from_fn(|| middlebox.poll_output(cx)).collect()
}

/// A connection at rest is handed back at once.
#[test]
fn a_connection_at_rest_is_released() {
    let mut middlebox = standing();
    pass(&mut middlebox, down((501, 101), Flags::ACK, 900));
    pass(&mut middlebox, up((101, 1_401), Flags::ACK, 0));
    pass(&mut middlebox, up((101, 1_401), Flags::ACK, 40));
    pass(&mut middlebox, down((1_401, 141), Flags::ACK, 0));
    assert_eq!(drained(&mut middlebox), []);
    let counters = middlebox.counters();
    assert_eq!((middlebox.flows(), counters.released), (0, 1), "{counters:?}");
    assert!(!middlebox.knows(&UP));
}

/// Data that the mobile has not acknowledged, and an acknowledgement that is owed.
#[test]
fn nothing_under_way_is_released() {
    let mut middlebox = standing();
    pass(&mut middlebox, down((501, 101), Flags::ACK, 900));
    assert_eq!(drained(&mut middlebox), []);
    assert_eq!(middlebox.flows(), 1);
    pass(&mut middlebox, up((101, 1_400), Flags::ACK, 0));
    assert_eq!(middlebox.flows(), 1, "a byte is missing");
    pass(&mut middlebox, up((101, 1_401), Flags::ACK, 0));
    assert_eq!((middlebox.flows(), middlebox.counters().released), (0, 1));
}

/// A FIN is released once its sender has been told that it has arrived.
#[test]
fn no_held_fin_is_released() {
    let fin = Flags::FIN | Flags::ACK;
    let mut middlebox = standing();
    pass(&mut middlebox, down((501, 101), fin, 0));
    assert_eq!(drained(&mut middlebox), []);
    assert_eq!(middlebox.flows(), 1);
    let out = pass(&mut middlebox, up((101, 502), Flags::ACK, 0));
    assert_eq!(out.iter().map(|it| it.segment.header.ack).collect::<Vec<_>>(), [Seq::new(502)]);
    assert_eq!((middlebox.flows(), middlebox.counters().released), (0, 1));
}

/// A host that was promised more than its mobile has room for is not left to the mobile before
/// that has as much.
#[test]
fn no_edge_beyond_the_mobiles_is_released() {
    let mut middlebox = standing();
    let out = pass(&mut middlebox, down((501, 101), Flags::ACK, 3_000));
    let told = out.iter().rfind(|it| it.destination == fixed(0)).expect("it was acknowledged");
    let header = told.segment.header;
    let edge = header.ack + u32::from(header.window);
    drained(&mut middlebox);
    let mut narrow = up((101, 3_501), Flags::ACK, 0);
    let short = (edge.distance(Seq::new(3_501)) - 1) as u16;
    narrow.segment.header.window = short;
    pass(&mut middlebox, narrow.clone());
    assert_eq!(middlebox.flows(), 1, "{edge:?}");
    narrow.segment.header.window = short + 1;
    pass(&mut middlebox, narrow);
    assert_eq!((middlebox.flows(), middlebox.counters().released), (0, 1));
}

fn followers() -> Vec<(&'static str, Box<dyn Managed<Bytes>>)> {
    let tick = Duration::from_millis(500);
    let snoop = SnoopConfig { cache_segments: 40, tick, max_tries: 10, threshold: 3 };
    let release = Duration::from_millis(100);
    let m_tcp = MTcpConfig { timeout: seconds(2), release };
    let w_tcp = WTcpConfig { window: 4_000, buffer_segments: 60, tick, threshold: 3 };
    let delay = Duration::from_millis(300);
    vec![
        ("snoop", Box::new(Snoop::new(snoop))),
        (
            "fda-like",
            Box::new(FdaLike::new(FdaLikeKeys { snoop, fda: FlowControl { target_queue: 8_000 } })),
        ),
        ("delayed-dupacks", Box::new(DelayedDupacks::new(DelayedDupacksConfig { delay }))),
        ("m-tcp", Box::new(MTcp::new(m_tcp))),
        ("w-tcp", Box::new(WTcp::new(w_tcp))),
    ]
}

/// What only follows connections may leave them at any time, in a transfer, in a stall, with
/// losses: it has nothing to reset, and all arrives.
#[test]
fn what_follows_may_leave_at_any_time() {
    for index in 0..followers().len() {
        for (percent, millis) in [(0, 1_500), (3, 4_000), (3, 15_000), (3, 30_000), (0, 100_000)] {
            let (name, middlebox) = followers().swap_remove(index);
            let case = format!("{name} {percent} {millis}");
            let mut net = Network::new(3, middlebox);
            let out = net.path(FIRST_MOBILE, Way::Out);
            out.rate = Some(4_000);
            out.loss = Probability::new(f64::from(percent) / 100.0).expect("a part of 100");
            let from = Time::ZERO + seconds(20);
            out.outages.push(Outage { from, to: from + seconds(20), fate: OutageFate::Lost });
            let (client, server) = net.open(&Opening::of(5_000));
            net.write(server, 200_000);
            net.write(client, 10_000);
            net.run_for(Duration::from_millis(millis));
            let now = net.now;
            assert_eq!(net.middlebox.flows(), 1, "{case}");
            net.middlebox.drain(&mut BoxContext { now, observe: &mut |_| {} });
            net.close(server);
            net.close(client);
            assert_eq!(net.middlebox.flows(), 0, "{case}");
            assert_eq!(net.middlebox.counters().released, 1, "{case}");
            net.middlebox = Box::<Passing<Bytes>>::default();
            let whole = |net: &Network<Bytes>| net.is_at_end(client) && net.is_at_end(server);
            assert!(net.run_while(seconds(1_000), whole), "{case}");
            assert!(net.log.iter().all(|passage| !passage.has(Flags::RST)), "{case}");
        }
    }
}
