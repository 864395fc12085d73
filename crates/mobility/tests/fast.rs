//! Scripts of fast handovers (RFC 5568).

use mobility::binding::AgentRequest;

use crate::support::script::{at, bound, ms, reaches};
use crate::support::setup::Setup;
use crate::support::{CN, home, lcoa};

#[test]
fn a_predictive_fast_handover_loses_nothing() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.fading(2);
    network.run(ms(200));
    // 20 ms for each of: solicitation and answer, initiate and acknowledge; 10 ms each way for the
    // update and its acknowledgement.
    let name = "fast binding acknowledgement";
    assert_eq!(network.seen.sent(name), 2, "on both links");
    assert_eq!(network.requests, [(at(2_040), AgentRequest::Hold { mobile: home(0) })]);
    network.down(1);
    // Nobody can be heard for half a second.
    for number in 10..15 {
        network.send(CN, home(0), number);
        network.run(ms(100));
    }
    let lost: Vec<_> = (10..15).filter(|number| network.copies(*number) == 0).collect();
    assert_eq!(lost, [10, 11, 12, 13, 14], "all wait at the new router");
    network.up(2);
    network.run(ms(500));
    for number in 10..15 {
        assert_eq!(network.copies(number), 1, "data {number}");
    }
    assert_eq!(network.requests.len(), 2, "held, and released");
    assert_eq!(network.seen.sent("router solicitation"), 1, "the new address is known already");
    assert!(network.mobile(0).is_settled());
    assert_eq!(network.depth, 3, "the router's tunnel around the MAP's around the home agent's");
}

#[test]
fn a_reactive_fast_handover_fetches_what_comes_to_the_old_router() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.fading(2);
    network.losses = vec![("fast binding update", 1)];
    network.run(ms(50));
    network.down(1);
    network.up(2);
    network.run(ms(60));
    assert_eq!(network.seen.sent("fast binding update"), 2);
    assert_eq!(network.requests, [], "the mobile is there: nothing has to wait");
    assert_eq!(network.seen.times(bound(lcoa(0, 1).0, lcoa(0, 2).0)).len(), 1);
    network.run(ms(1_000));
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 1, 1);
}

#[test]
fn to_and_fro_between_two_fast_routers_nothing_circles() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    for number in 0..20 {
        let (from, to) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
        network.fading(to);
        network.run(ms(70));
        network.down(from);
        network.send(CN, home(0), number);
        network.run(ms(30));
        network.up(to);
        network.run(ms(100));
    }
    network.run(ms(2_000));
    for number in 0..20 {
        assert_eq!(network.copies(number), 1, "data {number}");
    }
}

/// The old router asks the new one a second time, when the mobile is there already.
#[test]
fn an_announcement_that_comes_after_the_mobile_holds_nothing() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.losses = vec![("handover initiate", 1)];
    network.fading(2);
    network.run(ms(50));
    network.down(1);
    network.up(2);
    network.run(ms(200));
    assert_eq!(network.seen.sent("handover initiate"), 2);
    assert_eq!(network.requests, []);
    reaches(&mut network, 1, 1);
}

/// The answer takes longer than the router waits: it asks twice, and either answer is one.
#[test]
fn the_answer_to_the_first_of_two_initiates_is_heard() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.delay = ms(30);
    network.fading(2);
    network.run(ms(80));
    network.delay = ms(60);
    network.run(ms(600));
    assert_eq!(network.seen.sent("handover initiate"), 2);
    // Asked about the next router at 2,000 ms, told at 2,060; the update comes at 2,090.
    assert_eq!(network.seen.times(bound(lcoa(0, 1).0, lcoa(0, 2).0)), [at(2_210)]);
}

#[test]
fn packets_are_fetched_back_where_the_link_does_not_change() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.fading(2);
    network.run(ms(200));
    reaches(&mut network, 1, 0);
    // Three times the longest wait, 0.4 s, since it was prepared.
    network.run(ms(600));
    reaches(&mut network, 2, 1);
}

#[test]
fn who_is_back_at_the_old_router_gets_its_packets_there() {
    let mut network = Setup { fast: true, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.fading(2);
    network.run(ms(100));
    network.down(1);
    network.run(ms(100));
    network.up(1);
    network.run(ms(100));
    reaches(&mut network, 1, 1);
}

#[test]
fn a_fast_handover_that_is_refused_goes_the_ordinary_way() {
    let taken = vec![lcoa(0, 2)];
    let mut network = Setup { fast: true, taken, ..Setup::quick() }.build();
    network.up(1);
    network.run(ms(2_000));
    network.fading(2);
    network.run(ms(500));
    assert_eq!(network.requests, []);
    network.down(1);
    network.up(3);
    network.run(ms(2_000));
    assert!(network.mobile(0).is_settled());
    reaches(&mut network, 1, 1);
}
