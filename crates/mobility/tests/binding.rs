//! Scripts of agents that speak with each other: who is told what, when, and where packets go.

use base::Duration;
use mobility::binding::{Detection, LinkEvent, Message, Outer, Overlap, Policy, Wrap};
use observe::MobilityFact;

use crate::support::script::{at, bound, comes_back, ms, reaches};
use crate::support::setup::Setup;
use crate::support::{self, CN, HA, MAP, home, lcoa, rcoa};

/// Every node is 10 ms from the next: each step of a registration, to the millisecond.
#[test]
fn a_first_registration_takes_the_sum_of_its_parts() {
    let mut network = Setup::default().build();
    network.up(1);
    network.run(ms(5_000));
    let seen = &network.seen;
    let when = |fact| seen.times(fact).into_iter().collect::<Vec<_>>();
    // Solicitation there and advertisement back, each over the air.
    assert_eq!(when(MobilityFact::Advertised { router: 1 })[0], at(20));
    assert_eq!(when(MobilityFact::Tentative { address: lcoa(0, 1).0 }), [at(20)]);
    // Duplicate address detection: 1 s.
    assert_eq!(when(MobilityFact::Usable { address: lcoa(0, 1).0 }), [at(1_020)]);
    // To the MAP over the access router, 1 s there, and back.
    assert_eq!(when(MobilityFact::Tentative { address: rcoa(0).0 }), [at(1_040)]);
    assert_eq!(when(bound(rcoa(0).0, lcoa(0, 1).0)), [at(2_040)]);
    // Then, and no earlier, through the MAP to the home agent: air, MAP, home agent; 1 s there.
    let message = "binding update";
    let to_home = MobilityFact::Sent { message, to: HA.0, attempt: 1 };
    assert_eq!(when(to_home), [at(2_060)]);
    assert_eq!(when(bound(home(0).0, rcoa(0).0)), [at(3_090)]);
    // Both agents wait 1 s: less than the 1.5 s of first registrations.
    assert_eq!(network.seen.sent("binding update"), 2);
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 1, 1);
    comes_back(&mut network, 2);
    assert_eq!(network.depth, 2, "home agent's tunnel within the MAP's");
}

#[test]
fn an_optimistic_address_is_used_at_once() {
    let setup = Setup { detection: Detection::Optimistic, ..Setup::default() };
    let mut network = setup.build();
    network.up(1);
    network.run(ms(5_000));
    let usable = network.seen.times(MobilityFact::Usable { address: lcoa(0, 1).0 });
    assert_eq!(usable, [at(20)]);
    assert_eq!(network.seen.sent("neighbour solicitation"), 1);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn who_does_not_ask_waits_for_the_next_advertisement() {
    let mut network = Setup { solicits: false, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(4_000));
    assert_eq!(network.seen.times(MobilityFact::Advertised { router: 1 }), []);
    network.run(ms(4_000));
    assert_eq!(network.seen.sent("router solicitation"), 0);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn a_local_handover_is_told_to_the_map_alone() {
    let mut network = Setup::quick().build();
    network.up(1);
    network.run(ms(1_000));
    let before = network.seen.sent("binding update");
    network.down(1);
    network.up(2);
    network.run(ms(1_000));
    assert_eq!(network.seen.sent("binding update"), before + 1);
    assert_eq!(network.seen.times(bound(rcoa(0).0, lcoa(0, 2).0)).len(), 1);
    assert_eq!(network.seen.times(bound(home(0).0, rcoa(0).0)).len(), 1);
    reaches(&mut network, 1, 1);
    comes_back(&mut network, 2);
}

#[test]
fn without_a_map_the_home_agent_is_told_each_time() {
    let mut network = Setup { detection: Detection::Off, ..Setup::plain() }.build();
    for (number, router) in (0..).zip([1, 2, 1]) {
        network.up(router);
        network.run(ms(3_000));
        let care_of = Some(lcoa(0, router));
        assert_eq!(network.mobile(0).care_of(), care_of);
        reaches(&mut network, number, 1);
        network.down(router);
    }
    assert_eq!(network.depth, 1);
}

#[test]
fn back_home_the_binding_is_taken_back() {
    let mut network = Setup { detection: Detection::Off, ..Setup::plain() }.build();
    network.up(0);
    network.run(ms(1_000));
    assert_eq!(network.seen.sent("binding update"), 0, "at home there is nothing to tell");
    reaches(&mut network, 1, 1);
    network.down(0);
    network.up(1);
    network.run(ms(3_000));
    reaches(&mut network, 2, 1);
    network.down(1);
    network.up(0);
    network.run(ms(1_000));
    assert_eq!(network.seen.times(MobilityFact::Unbound { home: home(0).0 }).len(), 1);
    assert_eq!(network.mobile(0).care_of(), None);
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 3, 1);
    comes_back(&mut network, 4);
}

#[test]
fn a_lost_update_goes_again_after_a_second_and_a_half_then_three() {
    let mut network = Setup { detection: Detection::Off, ..Setup::plain() }.build();
    network.losses = vec![("binding update", 1), ("binding update", 2)];
    network.up(1);
    network.run(ms(10_000));
    let sent = |attempt| {
        let message = "binding update";
        network.seen.times(MobilityFact::Sent { message, to: HA.0, attempt })
    };
    assert_eq!([sent(1), sent(2), sent(3)], [[at(20)], [at(1_520)], [at(4_520)]]);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn a_lost_acknowledgement_costs_a_second_update() {
    let mut network = Setup::quick().build();
    network.losses = vec![("binding acknowledgement", 1)];
    network.up(1);
    network.run(ms(5_000));
    assert_eq!(network.seen.times(bound(rcoa(0).0, lcoa(0, 1).0)).len(), 2);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn lost_solicitations_are_sent_again_every_four_seconds() {
    let mut network = Setup::quick().build();
    network.losses = vec![("router solicitation", 1)];
    network.up(1);
    network.run(ms(4_500));
    let message = "router solicitation";
    let again = MobilityFact::Sent { message, to: support::access_router(1).0, attempt: 2 };
    assert_eq!(network.seen.times(again), [at(4_000)]);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn a_binding_that_nobody_renews_ends_to_the_nanosecond() {
    let setup = Setup { lifetime: Duration::from_secs(30), ..Setup::quick() };
    let mut network = setup.build();
    network.up(1);
    network.run(ms(1_000));
    network.down(1);
    network.run(ms(60_000));
    let map = network.seen.times(bound(rcoa(0).0, lcoa(0, 1).0));
    let over = network.seen.times(MobilityFact::Unbound { home: rcoa(0).0 });
    assert_eq!(over, [map[0] + Duration::from_secs(30)]);
    reaches(&mut network, 1, 0);
    // It comes back later, and is bound anew.
    network.up(1);
    network.run(ms(3_000));
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 2, 1);
}

#[test]
fn bindings_are_renewed_ten_seconds_before_they_end() {
    let setup = Setup { lifetime: Duration::from_secs(60), ..Setup::quick() };
    let mut network = setup.build();
    network.up(1);
    network.run(ms(300_000));
    assert_eq!(network.seen.times(MobilityFact::Unbound { home: rcoa(0).0 }), []);
    // Each 50 s after the one before, counted from when it was asked for.
    let message = "binding update";
    let to_map = network.seen.times(MobilityFact::Sent { message, to: MAP.0, attempt: 1 });
    let expect: Vec<_> = (0..6).map(|n| at(20 + 50_000 * n)).collect();
    assert_eq!(to_map, expect);
    reaches(&mut network, 1, 1);
}

#[test]
fn a_duplicate_local_address_is_not_used() {
    for detection in [Detection::Standard, Detection::Optimistic] {
        let taken = vec![lcoa(0, 1)];
        let mut network = Setup { detection, taken, ..Setup::default() }.build();
        network.up(1);
        network.run(ms(5_000));
        let address = lcoa(0, 1).0;
        assert_eq!(network.seen.times(MobilityFact::Duplicate { address }).len(), 1);
        reaches(&mut network, 1, 0);
        // At another router it is its own.
        network.up(2);
        network.run(ms(10_000));
        assert!(network.mobile(0).is_settled());
        reaches(&mut network, 2, 1);
    }
}

#[test]
fn a_duplicate_regional_address_leaves_the_local_one_to_the_home_agent() {
    let taken = vec![rcoa(0)];
    let mut network = Setup { taken, ..Setup::default() }.build();
    network.up(1);
    network.run(ms(5_000));
    assert_eq!(network.seen.times(MobilityFact::Duplicate { address: rcoa(0).0 }).len(), 1);
    assert_eq!(network.seen.times(MobilityFact::GivenUp { agent: MAP.0 }).len(), 1);
    assert_eq!(network.mobile(0).care_of(), Some(lcoa(0, 1)));
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 1, 1);
}

#[test]
fn in_an_overlap_packets_go_to_the_newest_address() {
    let mut network = Setup::quick().build();
    network.up(1);
    network.run(ms(1_000));
    network.up(2);
    network.run(ms(1_000));
    reaches(&mut network, 1, 1);
    assert_eq!(network.seen.times(bound(rcoa(0).0, lcoa(0, 2).0)).len(), 1);
    let before = network.seen.sent("binding update");
    network.down(1);
    network.run(ms(1_000));
    assert_eq!(network.seen.sent("binding update"), before, "nothing changes for the MAP");
    assert_eq!(network.seen.times(MobilityFact::Removed { address: lcoa(0, 1).0 }).len(), 1);
    // Back to the older one where the newer is lost.
    network.up(1);
    network.run(ms(1_000));
    network.down(1);
    network.run(ms(1_000));
    reaches(&mut network, 2, 1);
}

#[test]
fn in_an_overlap_the_older_address_is_used_again_where_its_link_is_better_again() {
    let mut network = Setup::quick().build();
    network.up(1);
    network.run(ms(1_000));
    network.up(2);
    network.run(ms(1_000));
    network.up(1);
    network.run(ms(1_000));
    assert_eq!(network.seen.times(bound(rcoa(0).0, lcoa(0, 1).0)).len(), 2);
    // The link that nothing goes by is lost without anybody's being told.
    let before = network.seen.sent("binding update");
    network.down(2);
    reaches(&mut network, 1, 1);
    assert_eq!(network.seen.sent("binding update"), before);
    // What is said once more changes nothing.
    network.up(1);
    network.run(ms(1_000));
    assert_eq!(network.seen.sent("binding update"), before);
}

#[test]
fn with_bicast_packets_go_to_both_addresses_until_one_is_lost() {
    let setup = Setup { policy: Policy::Both, overlap: Overlap::Both, ..Setup::quick() };
    let mut network = setup.build();
    network.up(1);
    network.run(ms(1_000));
    reaches(&mut network, 1, 1);
    network.up(2);
    network.run(ms(1_000));
    reaches(&mut network, 2, 2);
    comes_back(&mut network, 3);
    network.down(1);
    network.run(ms(1_000));
    reaches(&mut network, 4, 1);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn a_map_that_keeps_one_address_ignores_the_wish_for_two() {
    let setup = Setup { overlap: Overlap::Both, ..Setup::quick() };
    let mut network = setup.build();
    network.up(1);
    network.up(2);
    network.run(ms(2_000));
    reaches(&mut network, 1, 1);
}

#[test]
fn route_optimization_goes_around_the_home_agent() {
    let mut network = Setup { optimizes: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    assert_eq!(network.seen.times(bound(home(0).0, rcoa(0).0)).len(), 2, "home agent and CN");
    assert!(network.mobile(0).is_settled());
    let start = network.now;
    network.send(CN, home(0), 1);
    network.send(home(0), CN, 2);
    network.run(ms(500));
    // CN to MAP to access router to mobile, and the same back.
    let direct = start + ms(30);
    assert_eq!(network.delivered, [(1, direct), (2, direct)]);
}

/// While two links overlap, nothing that starts at the mobile is lost. On the way home the
/// withdrawal overtakes what is in the tunnel (RFC 6275 §10.4.5).
#[test]
fn in_an_overlap_a_mobile_can_always_send() {
    for setup in [Setup::default(), Setup::quick(), Setup::plain()] {
        for [from, to] in [[0, 1], [1, 2], [0, 3], [3, 1]] {
            let mut network = setup.build();
            network.up(from);
            network.run(ms(5_000));
            network.up(to);
            for number in 0..500 {
                network.send(home(0), CN, number);
                network.run(ms(10));
            }
            assert!(network.mobile(0).is_settled(), "{from} to {to}");
            network.run(ms(500));
            let lost: Vec<_> = (0..500).filter(|number| network.copies(*number) != 1).collect();
            assert!(lost.is_empty(), "{setup:?}, {from} to {to}: {lost:?}");
        }
    }
}

/// Each is the other's correspondent (RFC 6275 §9): away both, packets have a home address option
/// and a routing header and go nowhere near home.
#[test]
fn two_mobiles_write_to_each_other_directly() {
    let mut network = Setup { mobiles: 2, optimizes: true, ..Setup::quick() }.build();
    network.link(0, LinkEvent::Up { router: 1 });
    network.link(1, LinkEvent::Up { router: 2 });
    network.run(ms(2_000));
    for (mobile, peer) in [(0, 101), (1, 100)] {
        let times = network.seen.times(bound(home(mobile).0, rcoa(mobile).0));
        assert_eq!(times.len(), 3, "home agent, CN and mobile {peer}");
        assert!(network.mobile(mobile).is_settled());
    }
    network.depth = 0;
    let start = network.now;
    network.send(home(0), home(1), 1);
    network.send(home(1), home(0), 2);
    network.run(ms(500));
    // To access router, MAP, access router and mobile.
    let direct = start + ms(40);
    assert_eq!(network.delivered, [(1, direct), (2, direct)]);
    assert_eq!(network.depth, 3, "option, routing header and the tunnel of the MAP");
    // One goes home: to it without a routing header, from it without an option.
    network.link(1, LinkEvent::Down { router: 2 });
    network.link(1, LinkEvent::Up { router: 0 });
    network.run(ms(2_000));
    assert!(network.mobile(1).is_settled());
    network.depth = 0;
    let start = network.now;
    network.send(home(0), home(1), 3);
    network.send(home(1), home(0), 4);
    network.run(ms(500));
    // By access router, MAP and home agent, and the same back.
    let direct = start + ms(40);
    assert_eq!(network.delivered[2..], [(3, direct), (4, direct)]);
    assert_eq!(network.depth, 2, "option or routing header, and the tunnel of the MAP");
}

/// Without route optimization each packet goes by the home agent, in one tunnel there and another
/// onward.
#[test]
fn two_mobiles_reach_each_other_by_way_of_home() {
    let mut network = Setup { mobiles: 2, ..Setup::quick() }.build();
    network.link(0, LinkEvent::Up { router: 1 });
    network.link(1, LinkEvent::Up { router: 2 });
    network.run(ms(2_000));
    network.depth = 0;
    let start = network.now;
    network.send(home(0), home(1), 1);
    network.run(ms(500));
    // Access router, MAP, home agent, MAP, access router, mobile.
    assert_eq!(network.delivered, [(1, start + ms(60))]);
    assert_eq!(network.depth, 2);
}

/// What a mobile was told of is no more than that: a strange address opens no door there either.
#[test]
fn a_mobile_tells_of_bindings_that_it_does_not_know() {
    let mut network = Setup { mobiles: 2, optimizes: true, ..Setup::quick() }.build();
    network.link(0, LinkEvent::Up { router: 0 });
    network.link(1, LinkEvent::Up { router: 2 });
    network.run(ms(2_000));
    let before = network.seen.sent("binding update");
    let local = lcoa(1, 2);
    let option = Outer { source: local, destination: home(0), wrap: Wrap::HomeAddress };
    network.send_within(local, home(1), home(0), option, 1);
    network.run(ms(2_000));
    assert_eq!(network.delivered, []);
    let error = MobilityFact::Received { message: "binding error", from: home(0).0 };
    assert_eq!(network.seen.times(error).len(), 1);
    assert_eq!(network.seen.sent("binding update"), before + 1);
    assert!(network.mobile(1).is_settled());
}

#[test]
fn a_correspondent_that_forgot_is_told_again() {
    let mut network = Setup { optimizes: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    let before = network.seen.sent("binding update");
    network.say(CN, rcoa(0), Message::BindingError);
    network.run(ms(1_000));
    assert_eq!(network.seen.sent("binding update"), before + 1);
    assert_eq!(network.seen.sent("home test init"), 1, "the tokens are good still");
    assert!(network.mobile(0).is_settled());
}

#[test]
fn an_address_that_is_not_bound_opens_no_door() {
    let mut network = Setup { optimizes: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    let within = |source, destination, wrap| Outer { source, destination, wrap };
    let strange = lcoa(0, 2);
    network.send_within(strange, home(0), CN, within(strange, HA, Wrap::Tunnel), 1);
    network.send_within(strange, rcoa(0), CN, within(strange, MAP, Wrap::Tunnel), 2);
    // A correspondent knows the regional address, not the local one, and says so.
    let local = lcoa(0, 1);
    network.send_within(local, home(0), CN, within(local, CN, Wrap::HomeAddress), 3);
    network.run(ms(1_000));
    assert_eq!(network.delivered, []);
    let error = MobilityFact::Received { message: "binding error", from: CN.0 };
    assert_eq!(network.seen.times(error).len(), 1);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn a_lost_home_test_is_asked_for_again() {
    let mut network = Setup { optimizes: true, ..Setup::quick() }.build();
    network.losses = vec![("home test", 1), ("home test init", 2)];
    network.up(1);
    network.run(ms(800));
    assert!(!network.mobile(0).is_settled());
    network.run(ms(5_000));
    assert_eq!(network.seen.sent("home test init"), 3);
    assert_eq!(network.seen.sent("care-of test init"), 1);
    assert!(network.mobile(0).is_settled());
}

#[test]
fn a_home_token_serves_two_handovers_but_not_after_its_time() {
    let plain = Setup { detection: Detection::Off, anchor_detection: None, ..Setup::plain() };
    let mut network = Setup { optimizes: true, ..plain }.build();
    network.up(1);
    network.run(ms(3_000));
    network.down(1);
    network.up(2);
    network.run(ms(3_000));
    assert!(network.mobile(0).is_settled());
    assert_eq!(network.seen.sent("home test init"), 1);
    assert_eq!(network.seen.sent("care-of test init"), 2);
    network.run(ms(210_000));
    network.down(2);
    network.up(1);
    network.run(ms(3_000));
    assert!(network.mobile(0).is_settled());
    assert_eq!(network.seen.sent("home test init"), 2);
}

#[test]
fn a_correspondent_is_told_of_the_return_home() {
    let mut network = Setup { optimizes: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(3_000));
    network.down(1);
    network.up(0);
    network.run(ms(3_000));
    let over = network.seen.times(MobilityFact::Unbound { home: home(0).0 });
    assert_eq!(over.len(), 2, "home agent and correspondent");
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 1, 1);
}

/// Back home before the correspondent has heard of the absence, nothing is asked of it any more.
#[test]
fn at_home_no_token_is_asked_for_without_a_binding() {
    let mut network = Setup { optimizes: true, ..Setup::quick() }.build();
    network.losses = (1..=9).map(|number| ("home test", number)).collect();
    network.up(1);
    network.run(ms(2_000));
    let before = network.seen.sent("home test init");
    assert_eq!(before, 2);
    network.down(1);
    network.up(0);
    network.run(ms(60_000));
    assert_eq!(network.seen.sent("home test init"), before);
    assert!(network.mobile(0).is_settled());
}

/// Home, away and home again, before the correspondent has heard of either.
#[test]
fn a_binding_is_taken_back_again_after_a_short_absence() {
    let plain = Setup { detection: Detection::Off, anchor_detection: None, ..Setup::plain() };
    let mut network = Setup { optimizes: true, ..plain }.build();
    // To the home agent and the correspondent, then from home to both.
    network.losses = vec![("binding update", 4), ("care-of test init", 2)];
    network.up(1);
    network.run(ms(3_000));
    network.down(1);
    network.up(0);
    network.run(ms(200));
    assert_eq!(network.seen.sent("binding update"), 4);
    network.down(0);
    network.up(2);
    network.run(ms(300));
    assert_eq!(network.seen.sent("care-of test init"), 2);
    network.down(2);
    network.up(0);
    network.run(ms(5_000));
    assert!(network.mobile(0).is_settled());
    assert_eq!(network.seen.times(MobilityFact::Unbound { home: home(0).0 }).len(), 3);
    reaches(&mut network, 1, 1);
}

/// The token that would be needed to take it back came after the end of the binding.
#[test]
fn a_binding_that_ended_on_the_way_home_is_taken_back_once() {
    let lifetime = Duration::from_secs(47);
    let mut network = Setup { optimizes: true, lifetime, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(215_000));
    network.down(1);
    network.run(ms(60_000));
    let before = network.seen.sent("binding update");
    network.up(0);
    network.run(ms(10_000));
    assert_eq!(network.seen.sent("binding update"), before + 2, "to each");
    assert!(network.mobile(0).is_settled());
}
