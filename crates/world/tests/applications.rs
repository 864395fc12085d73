//! Applications: what each asks for arrives, over connections that keep apart.

use std::sync::Arc;

use base::{Duration, Flags, Seq, Stream, TcpHeader, Time};
use observe::{
    ConnectionFact, Context, EchoFact, Observe, PacketEvent, PacketFact, PageFact, TcpFact,
};
use proptest::prelude::*;
use tcp::{Length, Segment, State};
use world::{
    Answerer, AnyProgram, Asker, Connection, Echoer, Exchange, Fetching, Machine, MachineId,
    NodeId, Objects, Pages, Prober, Probes, Side, Sink, Sizes, Source, Telnet, Typist, Web, World,
};

type Net = World<Segment<Length>>;

const MSS: u32 = 500;

fn config() -> Arc<tcp::Config> {
    Arc::new(tcp::Config {
        mss: MSS,
        window: 32,
        initial_rto: Duration::from_secs(1),
        receive_buffer: Some(32 * MSS),
        time_wait: Duration::from_secs(1),
        ..tcp::Config::plain()
    })
}

/// A host and a mobile, joined by a link of `kbps` each way whose queues hold `packets`.
fn net(kbps: u64, packets: Option<u32>) -> (Net, [NodeId; 2]) {
    let mut world = World::new();
    let nodes = ["host", "UE"].map(|name| world.add_node(name));
    let rate = Some(base::Rate::from_bps(kbps * 1000));
    let delay = Duration::from_millis(40);
    let config = link::Config { rate, delay, queue_limit: packets };
    for [from, to] in [nodes, [nodes[1], nodes[0]]] {
        let pipe = world.add_pipe("pipe", &config, to);
        world.set_route(from, None, pipe);
    }
    (world, nodes)
}

/// What messages are cut from.
const DATA: Length = Length(1 << 40);

fn connection([sender, receiver]: [NodeId; 2], tcp: &Arc<tcp::Config>) -> Connection<'_> {
    Connection {
        sender,
        receiver,
        tcp: [tcp; 2],
        group: 0,
        server: Side::Sender,
        port: 80,
        opener: Side::Receiver,
        no_delay: false,
        dscp: 0,
        is_encrypted: false,
        start: Time::ZERO,
        abort: None,
        isn: [Seq::new(u32::MAX - 700), Seq::new(9)],
    }
}

fn exchange(request: u64, answer: u64) -> [AnyProgram<Length>; 2] {
    let exchange = Exchange { request, answer };
    [Answerer::new(exchange, &DATA).into(), Asker::new(exchange, &DATA).into()]
}

/// What was seen of a run.
#[derive(Default, Debug)]
struct Seen {
    departed: u64,
    arrived: u64,
    dropped: u64,
    resets: u64,
    /// Of each SYN of the one who opens: its port.
    ports: Vec<u16>,
    pages: Vec<PageFact>,
    echoes: Vec<EchoFact>,
    connections: Vec<ConnectionFact>,
    /// Bytes that arrived in order at each endpoint; of one that is used again together.
    delivered: u64,
    at: Vec<u64>,
}

impl Observe for Seen {
    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        match fact.event {
            PacketEvent::Departed => {
                self.departed += 1;
                let header = fact.header.expect("it is TCP");
                self.resets += u64::from(header.flags.contains(Flags::RST));
                if header.flags.contains(Flags::SYN) && !header.flags.contains(Flags::ACK) {
                    self.ports.push(header.source_port);
                }
            }
            PacketEvent::Arrived => self.arrived += 1,
            PacketEvent::Dropped(_) => self.dropped += 1,
            PacketEvent::Entered
            | PacketEvent::Left
            | PacketEvent::Duplicated(_)
            | PacketEvent::Corrupted => {}
        }
    }

    fn tcp(&mut self, _now: Time, endpoint: u32, fact: TcpFact) {
        let index = endpoint as usize;
        self.at.resize(self.at.len().max(index + 1), 0);
        match fact {
            TcpFact::Established { .. } => self.at[index] = 0,
            TcpFact::Data { delivered, .. } => {
                self.delivered += delivered - self.at[index];
                self.at[index] = delivered;
            }
            TcpFact::Sent { .. }
            | TcpFact::Acked { .. }
            | TcpFact::Rtt(_)
            | TcpFact::BaseRtt { .. }
            | TcpFact::Window { .. }
            | TcpFact::Timeout { .. }
            | TcpFact::FastRetransmit { .. }
            | TcpFact::Limited { .. }
            | TcpFact::Closed { .. } => {}
        }
    }

    fn page(&mut self, _now: Time, _endpoint: u32, fact: PageFact) {
        self.pages.push(fact);
    }

    fn echo(&mut self, _now: Time, _endpoint: u32, fact: EchoFact) {
        self.echoes.push(fact);
    }

    fn connection(&mut self, _now: Time, fact: ConnectionFact) {
        self.connections.push(fact);
    }
}

fn run(world: &mut Net, seconds: u64, mut each: impl FnMut(&Net)) -> Seen {
    let mut seen = Seen::default();
    while world.step(Time::ZERO + Duration::from_secs(seconds), &mut seen).is_some() {
        each(world);
    }
    assert_eq!(world.unroutable(), 0);
    seen
}

fn state(world: &Net, id: MachineId) -> State {
    let Machine::Host(host) = world.machine(id) else { unreachable!("{id:?} is an endpoint") };
    host.endpoint().state()
}

fn web(reading_s: u64) -> Arc<Web> {
    let sizes = |median| Sizes { median, sigma: 1.0, min: 1, max: 40_000 };
    Arc::new(Web {
        request: 300,
        main: sizes(4000),
        embedded: sizes(1500),
        objects: Objects { shape: 1.1, scale: 2, most: 30 },
        reading: Duration::from_secs(reading_s),
        ..Web::default()
    })
}

fn browse(world: &mut Net, [server, reader]: [NodeId; 2], connections: u32) -> MachineId {
    let fetching = Fetching {
        server,
        reader,
        port: 80,
        dscp: 0,
        is_encrypted: false,
        tcp: [config(), config()],
        group: 0,
        pages: Pages::new(&web(3), Stream::named(7, "flow 0/pages")),
        data: DATA,
        connections,
        isn: Stream::named(7, "isn"),
        start: Time::ZERO,
        stop: None,
        abort: None,
    };
    world.add_browser("browser", fetching)
}

fn in_use(world: &Net, browser: MachineId) -> usize {
    let Machine::Browser(browser) = world.machine(browser) else { unreachable!("it is a browser") };
    browser.connections()
}

/// Each object by a connection of its own, as many at a time as may be, and every byte.
#[test]
fn http_1_0_fetches_every_object_over_a_connection_of_its_own() {
    for limit in [1, 4] {
        let (mut world, nodes) = net(400, Some(12));
        let browser = browse(&mut world, nodes, limit);
        let mut most = 0;
        let seen = run(&mut world, 300, |world| most = most.max(in_use(world, browser)));
        assert_eq!(most, limit as usize);
        assert!(seen.pages.len() > 20 && seen.dropped > 0, "{} pages", seen.pages.len());
        let asked: u64 = seen.connections.iter().map(|fact| fact.bytes).sum();
        let paged: u64 = seen.pages.iter().map(|page| page.bytes).sum();
        let requests = 300 * seen.connections.len() as u64;
        assert!(paged <= asked && seen.delivered <= asked + requests, "{paged} of {asked}");
        // Nothing but the page that is on its way at the end may be missing.
        assert!(seen.delivered >= paged, "{} of {paged} bytes", seen.delivered);
        let mut ports = seen.ports.clone();
        ports.dedup();
        assert!(ports.len() >= seen.connections.len(), "every connection has a fresh port");
    }
}

#[test]
fn endpoints_that_are_closed_are_used_again() {
    let (mut world, nodes) = net(400, None);
    browse(&mut world, nodes, 4);
    let seen = run(&mut world, 300, |_| {});
    let hosts = world.machines().filter(|(.., machine)| matches!(machine, Machine::Host(_)));
    let pairs = hosts.count() / 2;
    assert!(seen.connections.len() > 3 * pairs, "{pairs} for {}", seen.connections.len());
    assert_eq!(seen.departed, seen.arrived + world.held().count() as u64);
}

#[test]
fn a_reader_who_goes_resets_what_is_open() {
    let (mut world, nodes) = net(100, None);
    let tcp = config();
    let abort = Some(Time::ZERO + Duration::from_secs(2));
    let stream = Connection { abort, ..connection(nodes, &tcp) };
    let ends = world.add_connection(&stream, [Source::stream(DATA).into(), Sink.into()]);
    let seen = run(&mut world, 60, |_| {});
    // One at once, and one for each segment that was on its way.
    assert!(seen.resets > 1, "{} resets", seen.resets);
    assert_eq!(ends.map(|end| state(&world, end)), [State::Closed; 2]);
    assert_eq!(world.poll_timeout(), None, "nothing is left to do");
    assert_eq!(seen.departed, seen.arrived);
}

/// Where other connections have all ports but two, it takes these in turn.
#[test]
fn a_browser_waits_for_a_port() {
    let (mut world, nodes) = net(400, None);
    let [server, reader] = nodes;
    for _ in 1024..65_534 {
        world.add_connection(
            &Connection {
                sender: server,
                receiver: reader,
                tcp: [&config(); 2],
                group: 0,
                server: Side::Sender,
                port: 80,
                opener: Side::Sender,
                no_delay: false,
                dscp: 0,
                is_encrypted: false,
                start: Time::ZERO + Duration::from_secs(1_000_000),
                abort: None,
                isn: [Seq::new(1), Seq::new(2)],
            },
            [Source::file(DATA).into(), Sink.into()],
        );
    }
    let browser = browse(&mut world, nodes, 4);
    let mut most = 0;
    let seen = run(&mut world, 300, |world| most = most.max(in_use(world, browser)));
    assert_eq!(most, 2);
    assert!(seen.pages.len() > 5, "{} pages", seen.pages.len());
}

#[test]
fn a_browser_that_goes_resets_all_its_connections() {
    let (mut world, nodes) = net(50, None);
    let fetching = Fetching {
        server: nodes[0],
        reader: nodes[1],
        port: 80,
        dscp: 0,
        is_encrypted: false,
        tcp: [config(), config()],
        group: 0,
        pages: Pages::new(&web(3), Stream::named(8, "flow 0/pages")),
        data: DATA,
        connections: 4,
        isn: Stream::named(7, "isn"),
        start: Time::ZERO,
        stop: None,
        abort: Some(Time::ZERO + Duration::from_millis(3500)),
    };
    let browser = world.add_browser("browser", fetching);
    let mut most = 0;
    let seen = run(&mut world, 60, |world| most = most.max(in_use(world, browser)));
    assert!(most > 0 && seen.resets > 0, "{most} in use, {} resets", seen.resets);
    assert_eq!(in_use(&world, browser), 0);
    assert_eq!(world.poll_timeout(), None, "nothing is left to do");
}

#[test]
fn every_keystroke_comes_back() {
    let (mut world, nodes) = net(100, Some(10));
    let (tcp, interval) = (config(), Duration::from_millis(300));
    let telnet = Arc::new(Telnet { keystroke: 1, echo: 3, interval, count: Some(200) });
    let typist = Typist::new(&telnet, Stream::named(3, "keystrokes"), DATA);
    let programs = [Echoer::new(&telnet, DATA).into(), typist.into()];
    let ends = world.add_connection(&connection(nodes, &tcp), programs);
    let seen = run(&mut world, 600, |_| {});
    assert_eq!((seen.echoes.len(), seen.delivered), (200, 200 * 4));
    let least = seen.echoes.iter().map(|echo| echo.response).min().expect("there are some");
    // Two ways of 40 ms, and the time that 41 and 43 bytes take to send.
    assert_eq!(least, Duration::from_micros(80_000 + 41 * 80 + 43 * 80));
    assert_eq!(ends.map(|end| state(&world, end)), [State::Closed; 2]);
}

#[test]
fn probes_are_single_segments_with_pauses() {
    let (mut world, nodes) = net(100, None);
    let (tcp, probes) = (config(), Probes { bytes: MSS, count: 20, ..Probes::default() });
    let pause = [probes.least, probes.most];
    let sending = Prober::new(&Arc::new(probes), Stream::named(3, "probes"), DATA);
    let opened = Connection { opener: Side::Sender, ..connection(nodes, &tcp) };
    let ends = world.add_connection(&opened, [sending.into(), Sink.into()]);
    let mut begun = Vec::new();
    let mut last = 0;
    let mut seen = Seen::default();
    while let Some(now) = world.step(Time::from_nanos(1 << 60), &mut seen) {
        if seen.delivered > last {
            assert_eq!(seen.delivered - last, u64::from(MSS));
            last = seen.delivered;
            begun.push(now);
        }
    }
    assert_eq!(begun.len(), 20);
    let gaps = begun.windows(2).map(|pair| pair[1].saturating_since(pair[0]));
    assert!(gaps.clone().all(|gap| (pause[0]..=pause[1]).contains(&gap)), "{:?}", gaps.max());
    assert_eq!(ends.map(|end| state(&world, end)), [State::Closed; 2]);
}

proptest! {
    /// What is asked and what is answered arrives whole, whichever side has the port and opens.
    #[test]
    fn exchanges_are_whole(
        sizes in prop::collection::vec((0_u64..3000, 0_u64..9000), 1..8),
        packets in prop::option::of(3_u32..9),
        server_is_sender: bool,
    ) {
        let (mut world, nodes) = net(300, packets);
        let tcp = config();
        let server = if server_is_sender { Side::Sender } else { Side::Receiver };
        let mut all = Vec::new();
        for &(request, answer) in &sizes {
            let one = Connection { server, ..connection(nodes, &tcp) };
            all.extend(world.add_connection(&one, exchange(request, answer)));
        }
        let seen = run(&mut world, 3600, |_| {});
        prop_assert_eq!(seen.delivered, sizes.iter().map(|(up, down)| up + down).sum::<u64>());
        prop_assert!(all.iter().all(|end| state(&world, *end) == State::Closed));
        prop_assert_eq!(seen.departed, seen.arrived + seen.dropped);
    }
}

/// A server has one port for all, so it may have more connections than there are ports.
#[test]
fn a_host_has_more_connections_than_ports_as_long_as_four_tuples_differ() {
    let mut world = Net::new();
    let host = world.add_node("host");
    let mobiles = [0, 1].map(|number| world.add_node(&format!("UE-{number}")));
    let tcp = config();
    for index in 0..70_000 {
        world.add_connection(&connection([host, mobiles[index % 2]], &tcp), exchange(1, 1));
    }
    let names: Vec<_> = world.machines().map(|(_, name, _)| name).collect();
    assert_eq!(
        names[..4],
        ["host:80-UE-0:1024", "UE-0:1024-host:80", "host:80-UE-1:1024", "UE-1:1024-host:80"]
    );
    assert_eq!(names[139_999], "UE-1:36023-host:80");
}

#[test]
#[should_panic(expected = "a port is free")]
fn between_two_hosts_ports_end() {
    let mut world = Net::new();
    let nodes = ["host", "UE"].map(|name| world.add_node(name));
    let tcp = config();
    for _ in 0..=64_512 {
        world.add_connection(&connection(nodes, &tcp), exchange(1, 1));
    }
}

/// The flags and numbers of the segments that leave a link.
#[derive(Default)]
struct Segments(Vec<(Flags, Seq)>);

impl Observe for Segments {
    const ON: bool = true;

    fn packet(&mut self, _now: Time, fact: &PacketFact<'_>) {
        if let (PacketEvent::Left, Some(header)) = (fact.event, fact.header) {
            self.0.push((header.flags, header.seq));
        }
    }
}

#[test]
fn what_finds_nobody_is_answered_by_a_reset_and_a_reset_by_nothing() {
    let (mut world, [host, mobile]) = net(50, None);
    let header = TcpHeader {
        seq: Seq::new(5),
        ack: Seq::new(77),
        flags: Flags::ACK,
        ..TcpHeader::default()
    };
    let segment = Segment { header, payload: Length(3), ..Segment::default() };
    world.handle_packet(&mut Context { now: Time::ZERO, observe: &mut () }, mobile, host, segment);
    let mut seen = Segments::default();
    while world.step(Time::ZERO + Duration::from_secs(9), &mut seen).is_some() {}
    assert_eq!(seen.0, [(Flags::ACK, Seq::new(5)), (Flags::RST, Seq::new(77))]);
}
