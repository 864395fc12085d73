//! What mobiles use, from the scenario to its numbers.

use std::ops::ControlFlow;

use scenario::{Scenario, shipped};
use sim::{Outcome, Recording, Summary, Threads, simulate};

fn run(name: &str, settings: &[(&str, &str)], recording: Recording, threads: Threads) -> Outcome {
    let text = shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text;
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    let scenario = Scenario::parse(text, name, &settings).expect("it is valid");
    simulate(&scenario, recording, threads, &mut |_| ControlFlow::Continue(())).expect("it ends")
}

fn summary(name: &str, settings: &[(&str, &str)]) -> Summary {
    run(name, settings, Recording::Series, Threads::MIN).summary
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

/// What holds of any run with mobiles whose energy is known.
fn check_laws(summary: &Summary) {
    let energy = summary.energy.as_ref().expect("it is known");
    let by_state: f64 = energy.states.iter().map(|state| state.energy_j).sum();
    assert!(close(by_state, energy.total_j), "states add up: {energy:?}");
    let time: f64 = energy.states.iter().map(|state| state.time_s).sum();
    assert!(close(time, summary.duration_s * summary.mobiles.len() as f64), "{energy:?}");
    let by_mobile: f64 = summary.mobiles.iter().map(|mobile| mobile.energy_j).sum();
    assert!(close(by_mobile, energy.total_j), "mobiles add up: {energy:?}");
    for mobile in &summary.mobiles {
        let time: f64 = mobile.states.iter().map(|state| state.time_s).sum();
        assert!(close(time, summary.duration_s), "{mobile:?}");
        let by_state: f64 = mobile.states.iter().map(|state| state.energy_j).sum();
        assert!(close(by_state, mobile.energy_j), "{mobile:?}");
    }
}

#[test]
fn a_dedicated_channel_draws_its_power_all_the_time() {
    let settings = [("duration", "20 s"), ("radio.power.cell_dch", "800 mW")];
    let summary = summary("umts-dch-384", &settings);
    check_laws(&summary);
    let energy = summary.energy.as_ref().expect("it is known");
    assert!(close(energy.total_j, 16.0), "{energy:?}");
    let names: Vec<_> = energy.states.iter().map(|state| &*state.name).collect();
    assert_eq!(names, ["cell-dch"]);
    let megabytes = summary.flows[0].goodput_bps.expect("it has begun") * 20.0 / 8e6;
    let expect = 16.0 / megabytes;
    let each = energy.per_megabyte_j.expect("it delivered");
    assert!((each / expect - 1.0).abs() < 0.01, "{each} J/MB, not {expect}");
    assert_eq!(summary.mobiles[0].per_megabyte_j, energy.per_megabyte_j);
}

#[test]
fn what_is_carried_takes_more() {
    let settings = [
        ("duration", "20 s"),
        ("radio.power.cell_dch", "0 W"),
        ("radio.power.downlink", "52 nJ/bit"),
        ("radio.power.uplink", "438 nJ/bit"),
    ];
    let summary = summary("umts-dch-384", &settings);
    check_laws(&summary);
    let radio = summary.radio.expect("a radio");
    let bits = |bytes: u64| bytes as f64 * 8.0;
    let expect = bits(radio.downlink.bytes_sent) * 52e-9 + bits(radio.uplink.bytes_sent) * 438e-9;
    assert!(close(summary.energy.expect("it is known").total_j, expect));
}

#[test]
fn mobiles_of_a_cell_use_what_their_states_draw() {
    let summary = summary("umts-cell-50", &[("duration", "120 s"), ("radio.power.idle", "5 mW")]);
    check_laws(&summary);
    assert_eq!(summary.mobiles.len(), 50);
    let share = summary.cell.as_ref().expect("a cell").time_share;
    let states = &summary.energy.as_ref().expect("it is known").states;
    let time = |names: &[&str]| -> f64 {
        let named = states.iter().filter(|state| names.contains(&&*state.name));
        named.map(|state| state.time_s).sum::<f64>() / (50.0 * 120.0)
    };
    assert!(close(time(&["cell-dch"]), share.cell_dch), "{states:?}");
    assert!(close(time(&["cell-fach", "dch-setup"]), share.cell_fach), "{states:?}");
    assert!(close(time(&["idle", "connection-setup"]), share.idle), "{states:?}");
    let delivered = |mobile: &sim::MobileSummary| {
        mobile.per_megabyte_j.map_or(0.0, |each| mobile.energy_j / each)
    };
    let megabytes: f64 = summary.mobiles.iter().map(delivered).sum();
    let energy = summary.energy.as_ref().expect("it is known");
    let each = energy.per_megabyte_j.expect("pages arrived");
    assert!(close(energy.total_j / megabytes, each), "each flow is one mobile's");
}

#[test]
fn an_idle_mobile_uses_idle_power() {
    let settings = [
        ("duration", "600 s"),
        ("radio.ues", "2"),
        ("flow.count", "1"),
        ("radio.power.idle", "10 mW"),
    ];
    let summary = summary("umts-cell-50", &settings);
    check_laws(&summary);
    let idle = &summary.mobiles[1];
    assert!(close(idle.energy_j, 6.0), "{idle:?}");
    assert_eq!(idle.per_megabyte_j, None);
    assert!(summary.mobiles[0].energy_j > 10.0, "{:?}", summary.mobiles[0]);
}

#[test]
fn energy_does_not_depend_on_what_is_recorded_or_on_threads() {
    let settings =
        [("radio.ues", "3"), ("flow.count", "5"), ("flow.hosts", "shared"), ("duration", "20 s")];
    let of = |recording, threads| {
        let threads = Threads::new(threads).expect("some");
        let summary = run("umts-dch-384", &settings, recording, threads).summary;
        check_laws(&summary);
        serde_json::to_string(&(summary.energy, summary.mobiles)).expect("numbers have a text")
    };
    let one = of(Recording::Series, 1);
    assert!(one.contains("\"name\":\"UE-2\""), "{one}");
    assert_eq!(one, of(Recording::Series, 3));
    assert_eq!(one, of(Recording::Everything, 1));
    let of = |recording| {
        let summary = run("umts-handover", &[], recording, Threads::MIN).summary;
        serde_json::to_string(&(summary.energy, summary.mobiles)).expect("numbers have a text")
    };
    assert_eq!(of(Recording::Series), of(Recording::Everything));
}

/// The table of powers, integrated, is the energy of the summary; nothing is carried for free.
#[test]
fn the_trace_of_powers_tells_the_same() {
    let settings = [("duration", "120 s"), ("radio.power.uplink", "400 nJ/bit")];
    let outcome = run("umts-cell-50", &settings, Recording::Everything, Threads::MIN);
    let trace = outcome.trace.expect("it was recorded");
    let rows = trace.power();
    assert!(rows.iter().all(|row| !row.state.is_empty()) && rows.len() > 100);
    assert!(rows.is_sorted_by_key(|row| row.time));
    for (number, mobile) in (0..).zip(&outcome.summary.mobiles) {
        let own: Vec<_> = rows.iter().filter(|row| row.mobile == number).collect();
        assert_eq!(own[0].time, base::Time::ZERO, "each begins in a state");
        let ends = own.iter().skip(1).map(|row| row.time.as_secs_f64()).chain([120.0]);
        let drawn: f64 = own
            .iter()
            .zip(ends)
            .map(|(row, end)| row.power.as_watts_f64() * (end - row.time.as_secs_f64()))
            .sum();
        let last = own[own.len() - 1].energy.as_joules_f64();
        assert!(drawn <= mobile.energy_j + 1e-9 && last <= mobile.energy_j + 1e-9, "{mobile:?}");
        let is_carried = own.len() > 1;
        assert!(!is_carried || drawn < mobile.energy_j, "{mobile:?}");
    }
}

#[test]
fn of_other_kinds_nothing_is_known() {
    for name in ["gprs-3+1", "plain-384", "hmipv6-handover"] {
        let outcome = run(name, &[("duration", "5 s")], Recording::Everything, Threads::MIN);
        assert_eq!(outcome.summary.energy, None, "{name}");
        assert!(outcome.summary.mobiles.is_empty(), "{name}");
        assert!(outcome.trace.expect("it was recorded").power().is_empty(), "{name}");
    }
}

/// Traffic that leaves ahead of the radio is no mobile's, of one mobile or of several.
#[test]
fn only_what_mobiles_carry_counts_for_a_megabyte() {
    for mobiles in ["1", "2"] {
        let settings = [
            ("duration", "60 s"),
            ("radio.ues", mobiles),
            ("flow.count", mobiles),
            ("flow.group.wired.to", "RNC"),
            ("flow.group.wired.bytes", "300 kB"),
        ];
        let summary = summary("umts-dch-384", &settings);
        check_laws(&summary);
        let (wired, carried): (Vec<_>, Vec<_>) =
            summary.flows.iter().partition(|flow| flow.group == "wired");
        assert_eq!(wired[0].bytes_acked, 300_000);
        let energy = summary.energy.as_ref().expect("it is known");
        let megabytes = energy.total_j / energy.per_megabyte_j.expect("it delivered");
        let acked: u64 = carried.iter().map(|flow| flow.bytes_acked).sum();
        // What was delivered may not all be acknowledged at the end of the run.
        let least = acked as f64 / 1e6;
        assert!((least..least + 0.1).contains(&megabytes), "{megabytes}, not {least}");
    }
}
