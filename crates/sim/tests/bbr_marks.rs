//! BBR that answers marks by their share, as Google's code, on paths of less than 5 ms.

use std::ops::ControlFlow;

use scenario::Scenario;
use sim::{Recording, Summary, Threads, simulate};

/// Ten seconds over 50 Mbit/s and 2 ms there and back, in a queue whose marks rise by 1/190 a
/// packet unless `queue` says otherwise: BBR, and a rival if it has a name.
fn run(marks: &str, rival: &str, queue: &[(&str, &str)]) -> Summary {
    let usual = [
        ("flow.count", "0"),
        ("flow.group.bbr.tcp.variant", "bbr"),
        ("flow.group.bbr.tcp.bbr.marks", marks),
        ("flow.group.bbr.delay", "0.5 ms"),
        ("tcp.ecn", "accurate"),
        ("tcp.profile", "modern"),
        ("link.rate", "50 Mbit/s"),
        ("queue.kind", "red"),
        ("queue.ecn", "true"),
        ("queue.packets", "1000"),
        ("queue.red.weight", "1"),
        ("queue.red.min_threshold", "10"),
        ("queue.red.max_threshold", "200"),
        ("queue.red.max_probability", "100 %"),
        ("queue.red.gentle", "false"),
        ("duration", "10 s"),
    ];
    let beside = [("flow.group.rival.tcp.variant", rival), ("flow.group.rival.delay", "0.5 ms")];
    let beside = if rival.is_empty() { &[][..] } else { &beside };
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = usual.iter().chain(beside).chain(queue).map(owned).collect();
    let shipped = scenario::shipped().iter().find(|shipped| shipped.name == "link");
    let text = shipped.expect("it ships").text;
    let scenario = Scenario::parse(text, "link", &settings).expect("the settings are valid");
    let watch = &mut |_: _| ControlFlow::Continue(());
    let outcome = simulate(&scenario, Recording::Series, Threads::MIN, watch);
    outcome.expect("nothing interrupts it").summary
}

/// Marks are answered otherwise than losses, and neither starves: each has a fifth of the link or
/// more.
#[test]
fn neither_it_nor_others_that_go_by_shares_starve() {
    for rival in ["dctcp", "prague"] {
        let [as_loss, share] = ["as-loss", "share"].map(|marks| run(marks, rival, &[]));
        assert_ne!(as_loss.flows, share.flows, "{rival}");
        let mbps = [0, 1].map(|nth| share.flows[nth].bytes_acked as f64 * 8.0 / 10e6);
        assert!(mbps.iter().all(|mbps| *mbps > 10.0), "{rival}: {mbps:?}");
        assert!(mbps[0] + mbps[1] > 47.0 && share.links[0].drops == 0, "{rival}: {mbps:?}");
    }
}

/// ECT(1) leads into the queue of a millisecond, ECT(0) into that of fifteen.
#[test]
fn ect_1_is_in_the_queue_for_l4s() {
    let queue = [("queue.kind", "dualpi2"), ("queue.packets", "as kind")];
    let rtt = |marks| {
        let summary = run(marks, "cubic", &queue);
        assert_eq!(summary.links[0].drops, 0, "{marks}");
        summary.flows[0].rtt_s.mean.expect("it was measured")
    };
    let [share, l4s] = ["share", "l4s"].map(rtt);
    assert!(l4s < 0.004 && share > 0.012, "{l4s} and {share} s");
}

/// A path of 6 ms is too long: to the byte as with losses.
#[test]
fn a_longer_path_answers_as_to_losses() {
    let longer = [("flow.group.bbr.delay", "2.5 ms")];
    let [as_loss, share] = ["as-loss", "share"].map(|marks| run(marks, "", &longer));
    assert_eq!(as_loss.flows, share.flows);
}
