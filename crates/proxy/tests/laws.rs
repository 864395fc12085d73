//! What holds for whatever comes.

use base::{Duration, Flags, Options, SackBlocks, Seq, TcpHeader, Time, Timestamps};
use proptest::prelude::*;
use proxy::{Gateway, Snapshot};

use crate::support::{HOST, HOST6, MOBILE, MOBILE6, config, segment, too_big, udp};

/// What is done to a gateway.
#[derive(Clone, Debug)]
enum Operation {
    /// A segment from one end to the other; with one byte of it changed if there is one to change.
    Segment {
        up: bool,
        six: bool,
        port: u16,
        header: TcpHeader,
        payload: usize,
        harm: Option<u16>,
    },
    /// A router complains about the last packet that came out.
    TooBig(u16),
    Udp,
    Wait(u16),
    Mtu([u16; 2]),
    Reload(usize),
    Drain,
}

const SCHEMES: [&str; 4] = ["atcp", "split", "snoop", "w-tcp"];

fn any_header() -> impl Strategy<Value = TcpHeader> {
    // Numbers that meet each other now and then.
    let number = prop_oneof![Just(0_u32), Just(u32::MAX), 0..4_000_u32, any::<u32>()];
    let flags = prop_oneof![
        4 => Just(Flags::ACK),
        2 => Just(Flags::SYN),
        2 => Just(Flags::SYN | Flags::ACK),
        1 => Just(Flags::FIN | Flags::ACK),
        1 => Just(Flags::RST),
        1 => (0..0x200_u16).prop_map(Flags::from_bits),
    ];
    let options = (any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>(), any::<Option<u32>>());
    let blocks = prop::collection::vec((number.clone(), number.clone()), 0..=2);
    (number.clone(), number, flags, any::<u16>(), options, blocks).prop_map(
        |(seq, ack, flags, window, (mss, window_scale, sack_permitted, clock), blocks)| {
            let timestamps = clock.map(|value| Timestamps { value, echo: value / 2 });
            let mut sack = SackBlocks::NONE;
            if !flags.contains(Flags::SYN) {
                for (left, right) in blocks {
                    sack.push(Seq::new(left), Seq::new(right));
                }
            }
            let options =
                Options { mss, window_scale, sack_permitted, timestamps, sack, ecn_bytes: None };
            let (seq, ack) = (Seq::new(seq), Seq::new(ack));
            TcpHeader { seq, ack, flags, window, options, ..TcpHeader::default() }
        },
    )
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let of_segment = (
        any::<bool>(),
        any::<bool>(),
        0..3_u16,
        any_header(),
        0..3_000_usize,
        any::<Option<u16>>(),
    );
    let segment = of_segment.prop_map(|(up, six, port, header, payload, harm)| {
        let payload = if payload > 1_600 { 0 } else { payload };
        // One in some is harmed.
        let harm = harm.filter(|harm| harm % 8 == 0);
        Operation::Segment { up, six, port, header, payload, harm }
    });
    prop_oneof![
        20 => segment,
        1 => any::<u16>().prop_map(Operation::TooBig),
        1 => Just(Operation::Udp),
        4 => any::<u16>().prop_map(Operation::Wait),
        1 => [296..1_500_u16, 296..1_500_u16].prop_map(Operation::Mtu),
        1 => (0..SCHEMES.len()).prop_map(Operation::Reload),
        1 => Just(Operation::Drain),
    ]
}

struct Run {
    gateway: Gateway,
    now: Time,
    mtu: [u16; 2],
    /// What came last, and what left last.
    came: Vec<u8>,
    left: Vec<u8>,
}

impl Run {
    fn take(&mut self, packet: Vec<u8>) {
        self.gateway.handle_packet(self.now, &packet);
        self.came = packet;
    }

    fn act(&mut self, operation: &Operation) {
        match operation {
            Operation::Segment { up, six, port, header, payload, harm } => {
                let [mobile, host] = if *six { [MOBILE6, HOST6] } else { [MOBILE, HOST] };
                let ports = [4_000 + port, 80];
                let (ends, [source_port, destination_port]) = if *up {
                    ([mobile, host], ports)
                } else {
                    ([host, mobile], [ports[1], ports[0]])
                };
                let header = TcpHeader { source_port, destination_port, ..*header };
                let payload = vec![7; *payload];
                let mut packet = segment(ends, &header, &payload);
                if let Some(harm) = harm {
                    let at = usize::from(*harm) % packet.len();
                    packet[at] ^= 1 << (harm >> 13);
                }
                self.take(packet);
            }
            Operation::TooBig(mtu) => {
                if wire::parse(&self.left).is_ok() && self.left.len() >= 60 {
                    self.take(too_big(&self.left, *mtu));
                }
            }
            Operation::Udp => self.take(udp([HOST, MOBILE], b"QUIC")),
            Operation::Wait(ms) => {
                self.now += Duration::from_millis(u64::from(*ms) / 8);
                self.gateway.handle_timeout(self.now);
            }
            Operation::Mtu(mtu) => {
                self.mtu = *mtu;
                self.gateway.set_mtu(*mtu);
            }
            Operation::Reload(number) => {
                self.gateway.reload(self.now, &config(SCHEMES[*number]));
            }
            Operation::Drain => self.gateway.drain(self.now),
        }
    }

    /// All that comes out now; what is not as it came is whole and not too large.
    fn drain(&mut self) -> u64 {
        let mut count = 0;
        let mut packet = Vec::new();
        while self.gateway.poll_packet(self.now, &mut packet) {
            while let Some((place, _)) = self.gateway.poll_exposure() {
                assert!(place < self.gateway.journal_places());
            }
            count += 1;
            let untouched = is_same(&packet, &self.came);
            match wire::parse(&packet) {
                Ok(seen) => {
                    let radio = seen.addresses.destination();
                    let radio = radio == MOBILE || radio == MOBILE6;
                    let most = usize::from(self.mtu[usize::from(radio)]);
                    assert!(packet.len() <= most || untouched, "{} of {most}", packet.len());
                }
                Err(_) => assert!(untouched, "what cannot be read came like that"),
            }
            self.left.clone_from(&packet);
        }
        while self.gateway.poll_exposure().is_some() {}
        count
    }
}

/// The same but for the hop limit, which may be anything where checksums are wrong.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let plain = |packet: &[u8]| {
        let mut packet = packet.to_vec();
        wire::set_hop_limit(&mut packet, 1);
        packet
    };
    plain(one) == plain(other)
}

fn total(reasons: &[proxy::Reason]) -> u64 {
    reasons.iter().map(|each| each.packets).sum()
}

/// In = untouched + shown to boxes + heeded + put together; out = untouched + made by boxes.
fn balance(stats: &Snapshot, shown: [u64; 2]) {
    let [bypassed, fragments] = [total(&stats.bypassed), stats.fragments.received];
    assert_eq!(stats.received.packets, bypassed + shown[0] + stats.icmp[0].packets + fragments);
    assert_eq!(stats.sent.packets, bypassed + shown[1]);
}

proptest! {
    #[test]
    fn whatever_comes_goes_somewhere(
        scheme in 0..SCHEMES.len(),
        operations in prop::collection::vec(any_operation(), 1..120),
    ) {
        let mtu = [1500, 1500];
        let gateway = Gateway::new(&config(SCHEMES[scheme]), mtu, 1);
        let mut run = Run { gateway, now: Time::ZERO, mtu, came: Vec::new(), left: Vec::new() };
        let mut out = 0;
        let mut reloads = false;
        for operation in &operations {
            run.act(operation);
            reloads |= matches!(operation, Operation::Reload(_));
            out += run.drain();
        }
        let stats = run.gateway.snapshot(run.now);
        prop_assert_eq!(stats.sent.packets, out);
        // A box that is retired takes its stats with it.
        if !reloads {
            let legs = |of: fn(&proxy::LegStats) -> u64| {
                stats.profiles.iter().map(|it| of(&it.wired) + of(&it.radio)).sum()
            };
            let shown = [legs(|leg| leg.received.packets), legs(|leg| leg.sent.packets)];
            balance(&stats, shown);
        }
        // At the end nothing is left.
        run.gateway.reset_all(run.now);
        run.drain();
        run.now += Duration::from_secs(100_000);
        while run.gateway.poll_timeout().is_some_and(|time| time <= run.now) {
            run.gateway.handle_timeout(run.now);
            run.drain();
        }
        prop_assert_eq!(run.gateway.flows(), 0);
        let stats = run.gateway.snapshot(run.now);
        prop_assert!(stats.profiles.iter().all(|it| it.held_bytes == 0 && !it.retired));
    }
}
