//! Messages that nobody asked for, from anywhere: they may cost a while, and no more. Updates and
//! their acknowledgements are left out: those whom they concern know each other (RFC 6275 §5.1).

use base::{Duration, Time};
use mobility::binding::{Address, Answer, Fast, Message, Mode, Sequence};
use proptest::prelude::*;

use crate::support::script::{comes_back, ms, reaches};
use crate::support::setup::Setup;
use crate::support::{CN, HA, MAP, access_router, home, lcoa, rcoa};

/// Numbers of access routers; of the last two there are none.
const ROUTERS: [u32; 6] = [0, 1, 2, 3, 4, u32::MAX];

fn address() -> impl Strategy<Value = Address> {
    let routers = [1, 2, 3].map(access_router);
    let mobiles = [home(0), home(1), rcoa(0), lcoa(0, 1), lcoa(0, 2), lcoa(0, 3)];
    let all: Vec<_> = [CN, HA, MAP].into_iter().chain(routers).chain(mobiles).collect();
    prop::sample::select(all)
}

/// Of mobiles alone: whether an address is on its link a router is not told.
fn fast() -> impl Strategy<Value = Fast> {
    let home = prop::sample::select(vec![home(0), home(1)]);
    let care_of = || prop::sample::select(vec![lcoa(0, 1), lcoa(0, 2), lcoa(0, 3), lcoa(1, 1)]);
    let mode = prop::sample::select(vec![Mode::Predictive, Mode::Reactive]);
    let next = prop::sample::select(&ROUTERS[..]);
    (home, care_of(), care_of(), next, 0..4_u16, mode).prop_map(
        |(home, old, new, next, sequence, mode)| {
            let sequence = Sequence(sequence);
            Fast { home, old, new, next, sequence, mode }
        },
    )
}

fn message() -> impl Strategy<Value = Message> {
    let router = || prop::sample::select(&ROUTERS[..]);
    let answer = || prop::sample::select(vec![Answer::Accepted, Answer::Refused]);
    let sequence = || (0..4_u16).prop_map(Sequence);
    let test = || (0..4_u32, any::<u64>().prop_map(Time::from_nanos));
    prop_oneof![
        Just(Message::RouterSolicitation),
        (router(), prop::option::of(address()))
            .prop_map(|(router, map)| Message::RouterAdvertisement { router, map }),
        address().prop_map(|target| Message::NeighborSolicitation { target }),
        address().prop_map(|target| Message::NeighborAdvertisement { target }),
        Just(Message::BindingError),
        (0..4_u32).prop_map(|cookie| Message::HomeTestInit { cookie }),
        (0..4_u32).prop_map(|cookie| Message::CareOfTestInit { cookie }),
        test().prop_map(|(cookie, nonce)| Message::HomeTest { cookie, nonce }),
        test().prop_map(|(cookie, nonce)| Message::CareOfTest { cookie, nonce }),
        router().prop_map(|next| Message::ProxySolicitation { next }),
        router().prop_map(|next| Message::ProxyAdvertisement { next }),
        fast().prop_map(Message::FastUpdate),
        (sequence(), answer())
            .prop_map(|(sequence, answer)| Message::FastAcknowledgement { sequence, answer }),
        fast().prop_map(Message::HandoverInitiate),
        (address(), sequence(), answer()).prop_map(|(home, sequence, answer)| {
            Message::HandoverAcknowledge { home, sequence, answer }
        }),
        address().prop_map(|home| Message::Attached { home }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_strangers_say_is_over_soon(
        said in prop::collection::vec((address(), address(), message(), 0..300_u64), 1..60),
        optimizes in any::<bool>(),
    ) {
        let mut network = Setup { fast: true, optimizes, ..Setup::quick() }.build();
        network.up(1);
        for (number, (source, destination, message, wait)) in said.into_iter().enumerate() {
            if number % 20 == 10 {
                network.fading(2);
            } else if number % 20 == 15 {
                network.down(1);
                network.up(2);
            } else if number % 20 == 19 {
                network.down(2);
                network.up(1);
            }
            network.say(source, destination, message);
            network.run(ms(wait));
        }
        // The longest wait, 32 s, and the longest time from one advertisement to the next.
        network.run(Duration::from_secs(60));
        prop_assert!(network.mobile(0).is_settled(), "{:#?}", network.seen.last(20));
        reaches(&mut network, 1, 1);
        comes_back(&mut network, 2);
    }
}
