//! A network of cells from the scenario to its numbers.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{Outcome, Recording, Threads, simulate};

fn run(name: &str, settings: &[(&str, &str)]) -> Outcome {
    let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let scenario = Scenario::parse(text, name, &settings).expect("it is valid");
    simulate(&scenario, Recording::Series, Threads::MIN, &mut |_| ControlFlow::Continue(()))
        .expect("it ends")
}

fn text(outcome: &Outcome) -> String {
    serde_json::to_string_pretty(&outcome.summary).expect("numbers have a text")
}

#[test]
fn fifty_mobiles_share_a_cell() {
    let outcome = run("umts-cell-50", &[("duration", "120 s")]);
    let cell = outcome.summary.cell.clone().expect("there is a cell");
    assert_eq!(cell.ues, 50);
    assert!(cell.blocked.code > 0, "codes are scarce: {cell:?}");
    assert!(cell.state_changes > 200, "mobiles come and go: {cell:?}");
    let share = cell.time_share;
    let whole = share.idle + share.cell_dch + share.cell_fach + share.cell_pch + share.ura_pch;
    assert!((whole - 1.0).abs() < 1e-9, "{share:?}");
    assert!(share.cell_dch > 0.05 && share.cell_fach > 0.05, "{share:?}");
    assert!(cell.codes_in_use.occupancy <= 1.0 && cell.shared.fach > 0, "{cell:?}");
    let pages = |flow: &sim::FlowSummary| flow.pages.as_ref().map_or(0, |pages| pages.count);
    assert!(outcome.summary.flows.iter().map(pages).sum::<u64>() > 100);
}

#[test]
fn the_same_seed_makes_the_same_run_and_another_another() {
    let settings = |seed| [("duration", "40 s"), ("seed", seed)];
    let [first, second, other] =
        ["1", "1", "2"].map(|seed| text(&run("umts-cell-50", &settings(seed))));
    assert_eq!(first, second);
    assert_ne!(first, other);
}

#[test]
fn a_download_goes_on_through_every_kind_of_handover() {
    let handovers = |more: &[(&str, &str)]| {
        let outcome = run("umts-handover", more);
        let flow = &outcome.summary.flows[0];
        assert!(flow.goodput_bps.is_some_and(|bps| bps > 200_000.0), "{flow:?}");
        assert_eq!(outcome.summary.radio.expect("a radio").total.discarded_sdus, 0);
        let handovers = outcome.summary.cell.expect("cells").handovers;
        (handovers.soft > 0, handovers.hard, handovers.failed)
    };
    assert_eq!(handovers(&[]), (true, 0, 0));
    assert_eq!(handovers(&[("radio.mobility.handover", "hard")]), (false, 1, 0));
    assert_eq!(handovers(&[("radio.mobility.iur", "false")]), (false, 1, 0));
}

#[test]
fn cost_grows_with_those_who_are_active() {
    let events = |ues: &str| {
        let settings = [("radio.ues", ues), ("flow.count", "20"), ("duration", "60 s")];
        run("umts-cell-50", &settings).summary.events
    };
    let (few, many) = (events("20"), events("2000"));
    let most = few + few / 5;
    assert!(many <= most, "1,980 idle mobiles cost {many} events, not {few}");
}
