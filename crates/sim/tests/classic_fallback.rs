//! Prague beside CUBIC in one queue: one that marks as RFC 3168 asks, and one for L4S.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Recording, Threads, simulate};

/// Rates of both on 20 Mbit/s over 40 s, in Mbit/s: CUBIC and Prague, 20 ms there and back.
fn shares(queue: &[(&str, &str)], falls_back: &str) -> [f64; 2] {
    let groups = [
        ("flow.count", "0"),
        ("flow.group.cubic.tcp.congestion_control", "cubic"),
        ("flow.group.cubic.tcp.ecn", "classic"),
        ("flow.group.prague.tcp.congestion_control", "prague"),
        ("flow.group.prague.tcp.ecn", "accurate"),
        ("flow.group.prague.tcp.prague.classic_fallback", falls_back),
        ("flow.group.cubic.delay", "10 ms"),
        ("flow.group.prague.delay", "10 ms"),
        ("link.rate", "20 Mbit/s"),
        ("tcp.profile", "modern"),
        ("duration", "40 s"),
    ];
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = groups.iter().chain(queue).map(owned).collect();
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "link");
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse(text, "link", &settings).expect("the settings are valid");
    let watch = &mut |_: _| ControlFlow::Continue(());
    let outcome = simulate(&scenario, Recording::Series, Threads::MIN, watch);
    let flows = outcome.expect("nothing interrupts it").summary.flows;
    [0, 1].map(|nth| flows[nth].bytes_acked as f64 * 8.0 / 40e6)
}

/// Four to six times as much without it; with it neither has half more than the other.
#[test]
fn a_classic_queue_is_shared() {
    let red = [("queue.red.min_threshold", "20"), ("queue.red.max_threshold", "60")];
    for (kind, own) in [("pie", &[][..]), ("codel", &[]), ("red", &red)] {
        let queue = [&[("queue.kind", kind), ("queue.ecn", "true")], own].concat();
        let ([alone, rival], [cubic, prague]) = (shares(&queue, "false"), shares(&queue, "true"));
        assert!(rival > 4.0 * alone, "{kind}: {alone} and {rival}");
        let ratio = prague / cubic;
        assert!((1.0 / 1.5..1.5).contains(&ratio), "{kind}: {cubic} and {prague}");
        assert!(cubic + prague > 0.99 * (alone + rival), "{kind}: {cubic} and {prague}");
    }
}

/// To the byte.
#[test]
fn a_queue_for_l4s_is_none() {
    let queue = [("queue.kind", "dualpi2"), ("queue.packets", "as kind")];
    let [off, on] = ["false", "true"].map(|falls_back| shares(&queue, falls_back));
    assert_eq!(off.map(f64::to_bits), on.map(f64::to_bits), "{off:?} and {on:?}");
}
