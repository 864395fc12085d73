//! Any packets at any times to a proxy: what leaves is whole, true and no larger than it may be,
//! what is held stays in bounds, and in the end all is forgotten.
//!
//! An input is the number of a box, a byte that is its seed, and records (`records.rs`).

mod ends;
mod mishaps;
mod records;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use base::{Duration, Time};
use ipnet::IpNet;
use proxy::Gateway;
use wire::parse;

use ends::{CONNECTIONS, Connection, End};
use records::{Command, Event, Records, Shape};

/// Runs `input`, then waits until the proxy has forgotten all, and checks what it does meanwhile.
pub(crate) fn check(input: &[u8]) {
    let [which, seed, records @ ..] = input else { return };
    let mut run = Run::new(*which, u64::from(*seed));
    for record in Records(records) {
        run.now += record.since;
        run.wait();
        run.take(record.event);
    }
    run.finish();
}

/// A proxy between ends that do as the input says.
struct Run {
    gateway: Gateway,
    which: u8,
    now: Time,
    mtu: [u16; 2],
    ends: Vec<[End; 2]>,
    /// Packets that came in, but for what forwarding changes: so may they leave.
    untouched: BTreeSet<Vec<u8>>,
    /// Which places of the journal are in use.
    journal: BTreeSet<u32>,
    packet: Vec<u8>,
}

impl Run {
    fn new(which: u8, seed: u64) -> Self {
        let mtu = MTUS[0];
        let gateway = Gateway::new(&configuration(which, 0), mtu, seed);
        let ends = vec![<[End; 2]>::default(); CONNECTIONS.into()];
        Self {
            gateway,
            which,
            now: Time::ZERO,
            mtu,
            ends,
            untouched: BTreeSet::new(),
            journal: BTreeSet::new(),
            packet: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Segment(shape) => {
                let packet = self.send(&shape);
                self.handle_packet(&packet);
            }
            Event::Altered(shape, mishap) => {
                let packet = self.send(&shape);
                let connection = Connection::new(shape.connection);
                self.ends[connection.index()][usize::from(shape.from_host)].lied |=
                    mishaps::may_make_whole_lies(mishap);
                for packet in mishaps::befall(&packet, mishap) {
                    self.handle_packet(&packet);
                }
            }
            Event::Packet(packet) => self.handle_packet(packet),
            Event::Error { connection, to_mobile, kind, mtu } => {
                let ends = &self.ends[Connection::new(connection).index()];
                let about = &ends[usize::from(!to_mobile)].last;
                if let Some(error) = mishaps::error_about(about, kind, mtu) {
                    self.handle_packet(&error);
                }
            }
            Event::Command(command) => self.command(command),
        }
    }

    fn send(&mut self, shape: &Shape) -> Vec<u8> {
        let connection = Connection::new(shape.connection);
        let end = &mut self.ends[connection.index()][usize::from(shape.from_host)];
        ends::send(connection, end, shape, (self.now.as_nanos() / 1_000_000) as u32)
    }

    fn handle_packet(&mut self, packet: &[u8]) {
        self.untouched.insert(forwarded(packet));
        if let Ok(segment) = parse(packet)
            && let Some((connection, from_host)) = Connection::of(&segment)
        {
            let start = content_start(&segment);
            let is_true = is_true(connection, from_host, start, segment.payload);
            self.ends[connection.index()][usize::from(from_host)].lied |= !is_true;
        }
        self.gateway.handle_packet(self.now, packet);
        self.collect();
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Drain => self.gateway.drain(self.now),
            Command::End => self.gateway.reset_all(self.now),
            Command::Reload(how) => {
                self.gateway.reload(self.now, &configuration(self.which, how));
            }
            Command::Mtu(how) => {
                self.mtu = MTUS[usize::from(how) % MTUS.len()];
                self.gateway.set_mtu(self.mtu);
            }
        }
        self.collect();
    }

    /// Lets be done what is due by now.
    fn wait(&mut self) {
        let until = self.now;
        for step in 0.. {
            assert!(step < MOST_STEPS, "it never comes to rest");
            let Some(due) = self.gateway.poll_timeout().filter(|due| *due <= until) else { break };
            self.now = self.now.min(until).max(due.min(until));
            self.gateway.handle_timeout(due);
            self.collect();
        }
    }

    /// Takes what leaves.
    fn collect(&mut self) {
        self.note();
        let mut packet = std::mem::take(&mut self.packet);
        let mut sent = 0;
        while self.gateway.poll_packet(self.now, &mut packet) {
            self.leave(&packet);
            sent += 1;
            assert!(sent < MOST_AT_ONCE, "it sends for ever");
            self.note();
        }
        self.packet = packet;
        let stats = self.gateway.snapshot(self.now);
        let held: u64 = stats.profiles.iter().map(|profile| profile.held_bytes).sum();
        assert!(held <= stats.limit_bytes, "{held} bytes are held");
        assert!(self.gateway.flows() <= FLOWS, "{} connections", self.gateway.flows());
    }

    fn note(&mut self) {
        while let Some((place, exposure)) = self.gateway.poll_exposure() {
            assert!(place < self.gateway.journal_places());
            if exposure.is_some() {
                self.journal.insert(place);
            } else {
                self.journal.remove(&place);
            }
        }
    }

    /// A packet leaves.
    fn leave(&mut self, packet: &[u8]) {
        let segment = parse(packet);
        if let Ok(segment) = &segment
            && let Some((connection, from_host)) = Connection::of(segment)
        {
            let ends = &mut self.ends[connection.index()];
            let start = content_start(segment);
            let lied = ends[usize::from(from_host)].lied;
            assert!(
                lied || is_true(connection, from_host, start, segment.payload),
                "not what its sender sent: {:?}",
                segment.header
            );
            ends::receive(&mut ends[usize::from(!from_host)], segment, packet);
        }
        if self.untouched.contains(&forwarded(packet)) {
            return;
        }
        if is_echo(packet) {
            return;
        }
        let segment = segment.unwrap_or_else(|error| panic!("{error}: {packet:x?}"));
        let (_, destination) = ends::addresses(packet).expect("it was read");
        let mtu = self.mtu[usize::from(is_mobile(destination))];
        assert!(packet.len() <= mtu.into(), "{} bytes: {:?}", packet.len(), segment.header);
    }

    fn finish(mut self) {
        for _ in 0..HOURS {
            self.now += HOUR;
            self.wait();
        }
        assert_eq!(self.gateway.flows(), 0, "connections are forgotten");
        assert!(self.journal.is_empty(), "and so in the journal: {:?}", self.journal);
        assert_eq!(self.gateway.poll_timeout(), None, "nothing is left to do");
        let stats = self.gateway.snapshot(self.now);
        let held: u64 = stats.profiles.iter().map(|profile| profile.held_bytes).sum();
        assert_eq!((held, stats.fragments.held), (0, 0));
        for others in stats.profiles.iter().map(proxy::ProfileStats::all_others) {
            let gone = others.sent.packets + others.late + others.crowded;
            assert_eq!((others.waiting.packets, gone), (0, others.received.packets));
        }
    }
}

/// What is there of a stream from a segment on.
fn content_start(segment: &wire::Segment<'_>) -> u32 {
    let is_syn = segment.header.flags.contains(base::Flags::SYN);
    segment.header.seq.to_u32().wrapping_add(is_syn.into())
}

fn is_true(connection: Connection, from_host: bool, start: u32, payload: &[u8]) -> bool {
    let mut expected = (0..).map(|at| connection.byte(from_host, start.wrapping_add(at)));
    payload.iter().all(|byte| expected.next() == Some(*byte))
}

fn is_mobile(address: std::net::IpAddr) -> bool {
    MOBILES.iter().any(|prefix| prefix.parse::<IpNet>().expect("a prefix").contains(&address))
}

/// A packet without what forwarding changes: hop limit, header checksum, and a mark.
fn forwarded(packet: &[u8]) -> Vec<u8> {
    let mut packet = packet.to_vec();
    wire::mark(&mut packet);
    let changes: &[usize] = match packet.first().map(|byte| byte >> 4) {
        Some(4) => &[8, 10, 11],
        Some(6) => &[7],
        _ => &[],
    };
    for at in changes {
        if let Some(byte) = packet.get_mut(*at) {
            *byte = 0;
        }
    }
    packet
}

/// True of an echo request of a box, which is as small as can be.
fn is_echo(packet: &[u8]) -> bool {
    let (kind, ip) = match packet[0] >> 4 {
        4 => (8, 20),
        _ => (128, 40),
    };
    let of_mobile = wire::headers(packet).is_some_and(|of| {
        [of.addresses.source(), of.addresses.destination()].into_iter().any(is_mobile)
    });
    of_mobile && packet.len() == ip + 12 && packet[ip] == kind
}

/// More than the longest input needs, until it is forgotten.
const MOST_STEPS: u32 = 1_000_000;

/// More than all that may be held, in the smallest packets.
const MOST_AT_ONCE: u32 = 20_000;

const HOUR: Duration = Duration::from_secs(3600);

/// More than a connection may idle, and then be over.
const HOURS: u32 = 4;

/// Largest packets towards hosts and mobiles.
const MTUS: [[u16; 2]; 4] = [[1500, 1500], [1500, 1280], [1500, 576], [1300, 9000]];

const MOBILES: [&str; 2] = ["10.45.0.0/16", "2001:db8:45::/48"];

const FLOWS: u64 = 12;

/// Each box, and splitting what mobiles send, too.
const BOXES: [&str; 14] = [
    "kind = 'atcp'\natcp.budget = '48 kB'",
    "kind = 'atcp'\natcp.budget = '48 kB'\natcp.coalescing = false\n[[profile.middlebox.atcp.classes]]\n\
     name = 'short'\nport = 80\npriority = 1\ntickets = 3",
    "kind = 'split'",
    "kind = 'i-tcp'",
    "kind = 'snoop'",
    "kind = 'fda-like'",
    "kind = 'delayed-dupacks'",
    "kind = 'm-tcp'",
    "kind = 'w-tcp'\nw_tcp.buffer_segments = 100",
    "# split_uplink\nkind = 'atcp'\natcp.budget = '48 kB'",
    "# split_uplink\nkind = 'split'",
    "kind = 'atcp'\natcp.budget = '48 kB'\natcp.others = 'scheduled'",
    "kind = 'atcp'\natcp.budget = '12 kB'\natcp.others = 'scheduled'\natcp.others_target = '20 ms'\n\
     [[profile.middlebox.atcp.classes]]\nname = 'call'\ndscp = 46\npriority = 1",
    "# uplink\nkind = 'atcp'\natcp.budget = '12 kB'\natcp.role = 'subscriber'",
];

/// The configuration of a box, with plenty of room or little, as it is at first or one of its
/// successors. It is read once, so that fuzzing learns of packets, not of TOML.
fn configuration(which: u8, version: u8) -> proxy::Config {
    static READ: Mutex<BTreeMap<(u8, u8), proxy::Config>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    read.entry((which, version % 16)).or_insert_with(|| configured(which, version)).clone()
}

fn configured(which: u8, version: u8) -> proxy::Config {
    let middlebox = BOXES[usize::from(which) % BOXES.len()];
    let name = version % 2;
    let mobiles = if version % 4 < 2 { MOBILES } else { ["10.45.0.3/32", "2001:db8:45::3/128"] };
    let bytes = if usize::from(which) < BOXES.len() { 2_000 } else { 150 };
    let mss = ["'mtu'", "512", "1200", "88"][usize::from(version) / 4 % 4];
    let keys = if middlebox.starts_with("# uplink") {
        "uplink_rate = '40 kbit/s'".to_owned()
    } else {
        let split_uplink = middlebox.starts_with('#');
        format!("rate = '40 kbit/s'\nmss = {mss}\nsplit_uplink = {split_uplink}")
    };
    let text = format!(
        "[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n\
         [limits]\nflows = {FLOWS}\nflows_per_mobile = 6\nopening = 6\nopening_per_mobile = 3\n\
         bytes = '{bytes} kB'\n[never]\nhosts = ['203.0.113.0/24', '2001:db8:113::/48']\nports = [23]\n\
         [[profile]]\nname = 'fuzz-{name}'\nmobiles = {mobiles:?}\n{keys}\n\
         round_trip = '900 ms'\n\
         [profile.middlebox]\n{middlebox}\n"
    );
    proxy::Config::parse(&text, "fuzz").unwrap_or_else(|error| panic!("{error}\n{text}"))
}
