//! An endpoint whose peer sends anything at all: it neither panics nor falls silent with something
//! left to send. What acknowledges nothing that was sent changes nothing.

use observe::Context;
use std::sync::Arc;

use base::{
    Duration, Ecn, EcnBytes, EcnOrder, Flags, Options, SackBlocks, Seq, TcpHeader, Time, Timestamps,
};
use proptest::prelude::*;
use tcp::{Config, EcnFeedback, Endpoint, Length, Segment, State};

use crate::draw::config;

#[derive(Clone, Debug)]
enum Step {
    Arrive(Box<Forgery>),
    Wait(Duration),
    Write(u64),
    Read,
    Close,
}

/// A segment whose numbers count from what the endpoint expects.
#[derive(Clone, Debug)]
struct Forgery {
    seq: i32,
    /// From the highest number sent.
    ack: i32,
    flags: u16,
    window: u16,
    length: u64,
    mss: Option<u16>,
    window_scale: Option<u8>,
    sack_permitted: bool,
    timestamps: Option<(u32, u32)>,
    /// From the acknowledgement.
    blocks: Vec<(i32, i32)>,
    ecn: Ecn,
    ecn_bytes: Option<EcnBytes>,
}

/// Mostly near, now and then anywhere.
fn near(reach: i32) -> impl Strategy<Value = i32> {
    prop_oneof![6 => -reach..=reach, 3 => Just(0), 1 => any::<i32>()]
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let flags = prop_oneof![
        8 => Just(Flags::ACK.bits()),
        2 => Just((Flags::ACK | Flags::ECE).bits()),
        8 => (0..8_u8).prop_map(|ace| (Flags::ACK | Flags::of_ace(ace)).bits()),
        2 => Just((Flags::ACK | Flags::FIN).bits()),
        2 => Just((Flags::ACK | Flags::SYN).bits()),
        // A reset would only end it.
        1 => (0..0x200_u16).prop_map(|flags| flags & !Flags::RST.bits()),
    ];
    let window = prop_oneof![any::<u16>(), 0_u16..4, Just(u16::MAX)];
    let length = prop_oneof![3 => Just(0), 1 => 0_u64..3_000];
    let ecn = prop_oneof![Just(Ecn::NotCapable), Just(Ecn::Capable), Just(Ecn::Experienced)];
    let numbers = (near(3_000), near(6_000), flags, window, length, ecn);
    let syn = (any::<Option<u16>>(), any::<Option<u8>>(), any::<bool>());
    let stamps = prop::option::weighted(0.8, (0_u32..100_000, any::<u32>()));
    let blocks = prop::collection::vec((near(6_000), near(6_000)), 0..5);
    let order = prop_oneof![Just(EcnOrder::Ect0First), Just(EcnOrder::Ect1First)];
    let counts = prop::option::of((order, 0..=3_u8, any::<[u32; 3]>()));
    (numbers, syn, stamps, blocks, counts).prop_map(
        |(
            (seq, ack, flags, window, length, ecn),
            (mss, window_scale, sack_permitted),
            timestamps,
            blocks,
            counts,
        )| Forgery {
            seq,
            ack,
            flags,
            window,
            length,
            mss,
            window_scale,
            sack_permitted,
            timestamps,
            blocks,
            ecn,
            ecn_bytes: counts.map(|(order, fields, counts)| EcnBytes::new(order, fields, counts)),
        },
    )
}

fn step() -> impl Strategy<Value = Step> {
    let wait = prop_oneof![0_u64..300_000_000, Just(5_000_000_000), Just(3_000_000_000_000_000)];
    prop_oneof![
        12 => forgery().prop_map(|forgery| Step::Arrive(Box::new(forgery))),
        4 => wait.prop_map(|nanos| Step::Wait(Duration::from_nanos(nanos))),
        4 => (0_u64..20_000).prop_map(Step::Write),
        1 => Just(Step::Read),
        1 => Just(Step::Close),
    ]
}

struct Attack {
    endpoint: Endpoint<Length>,
    now: Time,
    /// What the endpoint expects, and the highest number that it sent.
    expects: Seq,
    sent: Seq,
    ecn: EcnFeedback,
}

impl Attack {
    fn new(config: Config, active: bool) -> Self {
        let ecn = config.ecn;
        let (config, isn) = (Arc::new(config), Seq::new(u32::MAX - 2_000));
        let endpoint = if active {
            Endpoint::connect(0, &config, 1, 2, isn)
        } else {
            Endpoint::listen(0, &config, 1, 2, isn)
        };
        Self { endpoint, now: Time::ZERO, expects: Seq::new(77), sent: isn, ecn }
    }

    /// A handshake with everything in it.
    fn open(&mut self) {
        let [asks, agrees, reflects] = match self.ecn {
            EcnFeedback::Off | EcnFeedback::Classic => {
                [Flags::ECE | Flags::CWR, Flags::ECE, Flags::NONE]
            }
            EcnFeedback::Accurate => [Flags::ACE, Flags::CWR, Flags::CWR],
        };
        let syn = Forgery {
            seq: 0,
            ack: 0,
            flags: (Flags::SYN | asks).bits(),
            window: u16::MAX,
            length: 0,
            mss: Some(1_460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some((0, 0)),
            blocks: Vec::new(),
            ecn: Ecn::NotCapable,
            ecn_bytes: None,
        };
        self.pump();
        let active = self.endpoint.state() == State::SynSent;
        let answer = (Flags::SYN | Flags::ACK | agrees).bits();
        let answer = if active { answer } else { syn.flags };
        self.arrive(&Forgery { flags: answer, ..syn.clone() });
        self.expects = Seq::new(78);
        self.pump();
        self.arrive(&Forgery { flags: (Flags::ACK | reflects).bits(), ..syn });
        self.pump();
        assert_eq!(self.endpoint.state(), State::Established);
    }

    fn arrive(&mut self, forgery: &Forgery) {
        let ack = self.sent + forgery.ack as u32;
        let mut sack = SackBlocks::NONE;
        for (left, right) in &forgery.blocks {
            sack.push(ack + *left as u32, ack + *right as u32);
        }
        let options = Options {
            mss: forgery.mss,
            window_scale: forgery.window_scale,
            sack_permitted: forgery.sack_permitted,
            timestamps: forgery.timestamps.map(|(value, echo)| Timestamps { value, echo }),
            sack,
            ecn_bytes: forgery.ecn_bytes,
        };
        let header = TcpHeader {
            source_port: 2,
            destination_port: 1,
            seq: self.expects + forgery.seq as u32,
            ack,
            flags: Flags::from_bits(forgery.flags),
            window: forgery.window,
            options,
        };
        let segment = Segment { header, payload: Length(forgery.length), ecn: forgery.ecn };
        self.endpoint.handle_segment(&mut Context { now: self.now, observe: &mut () }, &segment);
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Arrive(forgery) => self.arrive(forgery),
            Step::Wait(span) => self.wait(self.now + *span),
            Step::Write(bytes) => self.endpoint.write(Length(*bytes)),
            Step::Read => while self.endpoint.read().is_some() {},
            Step::Close => self.endpoint.close(),
        }
        self.pump();
    }

    /// Timers run out in their order, as far as a thousand of them go.
    fn wait(&mut self, until: Time) {
        for _ in 0..1_000 {
            let Some(next) = self.endpoint.poll_timeout().filter(|next| *next <= until) else {
                break;
            };
            self.now = self.now.max(next);
            self.endpoint.handle_timeout(&mut Context { now: self.now, observe: &mut () });
            self.pump();
        }
        self.now = until;
        self.endpoint.handle_timeout(&mut Context { now: self.now, observe: &mut () });
    }

    /// What leaves.
    fn pump(&mut self) -> Vec<Segment<Length>> {
        let mut left = Vec::new();
        for _ in 0..100_000 {
            let Some(segment) =
                self.endpoint.poll_output(&mut Context { now: self.now, observe: &mut () })
            else {
                return left;
            };
            left.push(segment.clone());
            let end = segment.header.seq + segment.numbers();
            if segment.has(Flags::RST) {
                continue;
            }
            if self.sent.before(end) {
                self.sent = end;
            }
            if segment.has(Flags::ACK) {
                self.expects = segment.header.ack;
            }
        }
        panic!("it sends for ever");
    }

    /// A timer runs while something waits.
    fn check(&self) {
        let (endpoint, sender) = (&self.endpoint, self.endpoint.sender());
        let waits = match endpoint.state() {
            State::Listen | State::Closed | State::FinWait2 => false,
            State::Established | State::CloseWait => sender.unacknowledged() > 0,
            State::SynSent
            | State::SynReceived
            | State::FinWait1
            | State::Closing
            | State::LastAck
            | State::TimeWait => true,
        };
        assert!(!waits || endpoint.poll_timeout().is_some(), "silent in {endpoint:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        // `PROPTEST_CASES` may ask for more.
        cases: ProptestConfig::default().cases.max(1_000),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn nothing_that_arrives_breaks_it(
        mut config in config(),
        max_retransmissions in prop::option::of(0_u32..5),
        active in any::<bool>(),
        opens in prop::bool::weighted(0.9),
        steps in prop::collection::vec(step(), 1..80),
    ) {
        config.max_retransmissions = max_retransmissions;
        let mut attack = Attack::new(config, active);
        if opens {
            attack.open();
        }
        for step in &steps {
            attack.take(step);
            attack.check();
        }
    }

    /// RFC 5961 §5: of two endpoints one gets forged segments beside, whose numbers fit but whose
    /// acknowledgements do not; afterwards both answer their peer alike.
    #[test]
    fn what_acknowledges_nothing_sent_changes_nothing(
        mut config in config(),
        forgeries in prop::collection::vec((forgery(), 0_i32..1_000, 1_i32..i32::MAX), 1..20),
        written in 0_u64..3_000,
        closes in any::<bool>(),
    ) {
        config.delayed_ack = None;
        config.receive_buffer = config.receive_buffer.max(Some(1_000));
        let [mut attacked, mut spared] = [(); 2].map(|()| {
            let mut twin = Attack::new(config.clone(), true);
            twin.open();
            twin.take(&Step::Write(written));
            if closes {
                twin.take(&Step::Close);
            }
            twin
        });
        for (forgery, seq, ack) in forgeries {
            attacked.arrive(&Forgery { seq, ack, ..forgery });
            attacked.pump();
        }
        let honest = Forgery {
            seq: 0,
            ack: 0,
            flags: Flags::ACK.bits(),
            window: u16::MAX,
            length: 100,
            mss: None,
            window_scale: None,
            sack_permitted: false,
            timestamps: Some((1, 0)),
            blocks: Vec::new(),
            ecn: Ecn::NotCapable,
            ecn_bytes: None,
        };
        for _ in 0..3 {
            attacked.arrive(&honest);
            spared.arrive(&honest);
            prop_assert_eq!(attacked.pump(), spared.pump());
            let readable = |attack: &Attack| attack.endpoint.receiver().readable();
            prop_assert_eq!(readable(&attacked), readable(&spared));
        }
    }
}
