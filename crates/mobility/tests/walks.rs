//! Random walks of mobiles among access routers, over a network that loses, delays and reorders
//! messages. The network itself checks at every step that nobody sends by a binding that is over,
//! that wraps and questions end, and that every deadline moves on.

use base::{Duration, Stream};
use mobility::binding::{Detection, LinkEvent, Overlap, Policy};
use proptest::prelude::*;

use crate::support::setup::{ROUTERS, Setup};
use crate::support::{CN, Network, home};

#[derive(Clone, Copy, Debug)]
enum Operation {
    Up(u32, u32),
    Down(u32, u32),
    Fading(u32, u32),
    /// To another router, with the links the one after the other or both at once.
    HandOver(u32, u32),
    /// Packets to and from a mobile.
    Talk(u32),
    /// Milliseconds pass.
    Wait(u64),
    /// Loss in percent from now on, and jitter in milliseconds.
    Weather(u32, u64),
}

const MOBILES: u32 = 2;

fn operation() -> impl Strategy<Value = Operation> {
    let place = || (0..MOBILES, 0..=ROUTERS);
    prop_oneof![
        1 => place().prop_map(|(mobile, router)| Operation::Up(mobile, router)),
        1 => place().prop_map(|(mobile, router)| Operation::Down(mobile, router)),
        1 => place().prop_map(|(mobile, router)| Operation::Fading(mobile, router)),
        3 => place().prop_map(|(mobile, router)| Operation::HandOver(mobile, router)),
        2 => (0..MOBILES).prop_map(Operation::Talk),
        3 => (0..3_000_u64).prop_map(Operation::Wait),
        1 => (0..60_000_u64).prop_map(Operation::Wait),
        1 => (0..60_u32, 0..400_u64).prop_map(|(loss, jitter)| Operation::Weather(loss, jitter)),
    ]
}

fn setup() -> impl Strategy<Value = Setup> {
    let detection =
        prop_oneof![Just(Detection::Standard), Just(Detection::Optimistic), Just(Detection::Off)];
    let two = prop_oneof![
        Just((Policy::One, Overlap::Newest)),
        Just((Policy::Both, Overlap::Both)),
        Just((Policy::One, Overlap::Both)),
    ];
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (1..=ROUTERS + 1, detection, two, flags, 15..420_u64, any::<u64>()).prop_map(
        |(domain_from, detection, (policy, overlap), flags, lifetime, seed)| {
            let (verifies, solicits, optimizes, fast) = flags;
            Setup {
                mobiles: MOBILES,
                domain_from,
                detection,
                anchor_detection: verifies.then_some(Duration::from_secs(1)),
                policy,
                overlap,
                solicits,
                optimizes,
                fast,
                lifetime: Duration::from_secs(lifetime),
                taken: Vec::new(),
                seed,
            }
        },
    )
}

/// A walk, and how much was sent on it.
struct Walk {
    network: Network,
    sent: u32,
}

impl Walk {
    fn step(&mut self, operation: Operation) {
        let network = &mut self.network;
        match operation {
            Operation::Up(mobile, router) => network.link(mobile, LinkEvent::Up { router }),
            Operation::Down(mobile, router) => network.link(mobile, LinkEvent::Down { router }),
            Operation::Fading(mobile, next) => network.link(mobile, LinkEvent::Fading { next }),
            Operation::HandOver(mobile, router) => {
                for other in (0..=ROUTERS).filter(|other| *other != router) {
                    if network.is_up(mobile, other) {
                        network.link(mobile, LinkEvent::Down { router: other });
                    }
                }
                network.link(mobile, LinkEvent::Up { router });
            }
            Operation::Talk(mobile) => self.talk(mobile),
            Operation::Wait(millis) => network.run(Duration::from_millis(millis)),
            Operation::Weather(loss, jitter) => {
                network.loss = f64::from(loss) / 100.0;
                network.jitter = Duration::from_millis(jitter);
            }
        }
    }

    /// With the correspondent and the next mobile.
    fn talk(&mut self, mobile: u32) {
        let next = home((mobile + 1) % MOBILES);
        let mobile = home(mobile);
        for (from, to) in [(CN, mobile), (mobile, CN), (mobile, next), (next, mobile)] {
            self.network.send(from, to, self.sent);
            self.sent += 1;
        }
    }

    /// Once the network is calm for a while, every mobile with a link is known to be there.
    fn ends_well(mut self, copies: usize) {
        self.network.loss = 0.0;
        for mobile in 0..MOBILES {
            if (0..=ROUTERS).all(|router| !self.network.is_up(mobile, router)) {
                self.network.link(mobile, LinkEvent::Up { router: 1 });
            }
        }
        // The longest wait is 32 s, for each of: MAP, home agent, tokens, correspondent.
        self.network.run(Duration::from_secs(200));
        let start = self.sent;
        for mobile in 0..MOBILES {
            // A binding may just be on its way to be renewed, which two that take turns can be at
            // every whole second that is looked at.
            for _ in 0..30 {
                if !self.network.mobile(mobile).is_settled() {
                    self.network.run(Duration::from_millis(1_700));
                }
            }
            let is_settled = self.network.mobile(mobile).is_settled();
            assert!(
                is_settled,
                "mobile {mobile}: {:#?} {:?}",
                self.network.seen.last(20),
                self.network.mobile(mobile)
            );
            self.talk(mobile);
            self.network.run(Duration::from_secs(5));
        }
        for number in start..self.sent {
            let came = self.network.copies(number);
            assert!((1..=copies).contains(&came), "{came} copies of {number}");
        }
        for number in 0..start {
            assert!(self.network.copies(number) <= copies, "data {number}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn a_calm_network_finds_every_mobile(
        setup in setup(),
        operations in prop::collection::vec(operation(), 1..120),
    ) {
        let mut walk = Walk { network: setup.build(), sent: 0 };
        for operation in operations {
            walk.step(operation);
        }
        walk.ends_well(if setup.policy == Policy::Both { 2 } else { 1 });
    }
}

/// A thousand handovers of each kind with a packet in each direction every 100 ms.
#[test]
fn a_thousand_handovers() {
    let base = Setup { mobiles: MOBILES, ..Setup::default() };
    let plain = Setup { mobiles: MOBILES, ..Setup::plain() };
    let quick = Setup { mobiles: MOBILES, ..Setup::quick() };
    let fast = Setup { fast: true, ..quick.clone() };
    let both = Setup { policy: Policy::Both, overlap: Overlap::Both, ..quick.clone() };
    let optimized = Setup { optimizes: true, ..quick.clone() };
    for (number, setup) in (0..).zip([base, plain, quick, fast, both, optimized]) {
        let mut chance = Stream::named(number, "a thousand handovers");
        let mut walk = Walk { network: setup.build(), sent: 0 };
        walk.network.loss = 0.05;
        walk.network.jitter = Duration::from_millis(30);
        for _ in 0..1_000 {
            let mobile = chance.below(MOBILES);
            let router = chance.below(ROUTERS + 1);
            walk.step(Operation::Fading(mobile, router));
            walk.step(Operation::Wait(u64::from(chance.below(150))));
            let makes_before_breaking = chance.below(2) == 0;
            if makes_before_breaking {
                walk.step(Operation::Up(mobile, router));
                walk.step(Operation::Wait(u64::from(chance.below(2_000))));
            }
            walk.step(Operation::HandOver(mobile, router));
            for _ in 0..chance.below(12) {
                walk.talk(mobile);
                walk.step(Operation::Wait(100));
            }
        }
        walk.ends_well(if setup.policy == Policy::Both { 2 } else { 1 });
    }
}
