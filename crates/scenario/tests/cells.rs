//! Networks of cells that make no sense, with the whole line that answers each.

use base::Probability;
use radio::Radio;
use radio::umts::rlc::Mode;
use scenario::{Scenario, build, shipped};

fn text(name: &str) -> &'static str {
    shipped().iter().find(|shipped| shipped.name == name).expect("it ships").text
}

fn refuse(name: &str, settings: &[(&str, &str)], expect: &str) {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let owned: Vec<_> = settings.iter().map(owned).collect();
    let error = Scenario::parse(text(name), "mine.toml", &owned).expect_err(expect);
    assert_eq!(error.to_string(), expect, "{settings:?}");
}

fn refuse_text(source: &str, expect: &str) {
    let error = Scenario::parse(source, "mine.toml", &[]).expect_err(expect);
    assert_eq!(error.to_string(), expect);
}

#[test]
fn mobiles() {
    refuse(
        "umts-cell-50",
        &[("radio.ues", "0")],
        "--set radio.ues=0: no mobile: needs radio.ues above zero, as in ues = 50, or [[radio.ue]]",
    );
    refuse(
        "umts-handover",
        &[("radio.ue.walker.position", "500 km, 0 m")],
        "--set radio.ue.walker.position=500 km, 0 m: walker is in no cell: its best pilot has \
         -86.6 dB, and radio.mobility.pilot_min is -18 dB",
    );
    refuse(
        "umts-handover",
        &[("radio.ue.walker.velocity", "fast")],
        "--set radio.ue.walker.velocity=fast: expected a velocity in m/s or km/h, from -10000000 \
         to 10000000 m/s, along x and y, as in [\"100 m/s\", \"-5 m/s\"]",
    );
}

#[test]
fn base_stations() {
    refuse(
        "umts-handover",
        &[("radio.node_b.B.rnc", "RNC-3")],
        "--set radio.node_b.B.rnc=RNC-3: B belongs to RNC-3, which is no RNC: radio.rncs has RNC, \
         RNC-2",
    );
    let twins = text("umts-handover").replace("name = \"B\"", "name = \"A\"");
    let line = twins.lines().position(|line| line == "[[radio.node_b]]").expect("there is one") + 1;
    refuse_text(
        &twins,
        &format!("mine.toml:{line}: radio.node_b: two [[radio.node_b]] have the name A"),
    );
}

#[test]
fn names_of_members() {
    let twice = "--set radio.rncs=[\"RNC\", \"RNC\"]: radio.rncs has RNC twice; names must differ";
    refuse("umts-handover", &[("radio.rncs", "[\"RNC\", \"RNC\"]")], twice);
    refuse(
        "umts-handover",
        &[("radio.ue.walkr.velocity", "1 m/s, 0 m/s")],
        "--set radio.ue.walkr.velocity=1 m/s, 0 m/s: no [[radio.ue]] of that name; did you mean \
         walker?",
    );
}

/// The factor is asked for when the others are not to be had, and has no rate uplink.
#[test]
fn the_thinnest_channel_uplink() {
    refuse(
        "umts-cell-50",
        &[("radio.admission.uplink_sf", "512")],
        "--set radio.admission.uplink_sf=512: spreading factor 512 uplink: must be 256 at most; \
         only the downlink has 512 (TS 25.211 §5.2.1.1)",
    );
}

/// What the file says of its own kind goes with it; what is set of another is refused.
#[test]
fn a_setting_of_the_kind_takes_the_keys_of_the_former_away() {
    let file = "[radio]\nschedule = [{at = \"3 s\", tbler = 0.1}]\ntbler = 0.05\n\
                [radio.downlink]\nrate = \"64 kbit/s\"\n[radio.rlc]\nmode = \"um\"";
    let parse = |settings: &[(&str, &str)]| {
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let settings: Vec<_> = settings.iter().map(owned).collect();
        Scenario::parse(file, "mine.toml", &settings).map_err(|error| error.to_string())
    };
    let gprs = parse(&[("radio.kind", "gprs")]).expect("nothing of UMTS is left");
    let Some(Radio::Gprs { keys }) = gprs.radio else { panic!("time slots") };
    assert_eq!(keys.tbler, Probability::new(0.05).expect("in range"), "both kinds have it");
    let cells = parse(&[("radio.kind", "umts-cell"), ("radio.ues", "2")]).expect("no schedule");
    let Some(Radio::UmtsCell { keys }) = cells.radio else { panic!("cells") };
    assert_eq!(keys.umts.rlc.mode, Mode::Um, "both kinds have it");
    let refused = parse(&[("radio.kind", "gprs"), ("radio.downlink.tti", "10 ms")]);
    let line = "--set radio.downlink.tti=10 ms: radio.downlink.tti is for radio.kind = umts-dch or \
                umts-cell alone";
    assert_eq!(refused.map(|_| ()), Err(line.to_owned()));
}

#[test]
fn what_is_for_other_radios() {
    for (key, value) in [
        ("radio.schedule", "[{at = '3 s', sf = 16}]"),
        ("radio.downlink.schedule", "[{at = '3 s', sf = 16}]"),
        ("radio.uplink.schedule", "[{at = '3 s', sf = 16}]"),
        ("radio.spikes", "[{at = '3 s', lasts = '1 s'}]"),
        ("radio.handovers", "[{at = '3 s'}]"),
    ] {
        let line = format!("--set {key}={value}: {key} is for radio.kind = umts-dch alone");
        refuse("umts-cell-50", &[(key, value)], &line);
    }
    let line = "--set radio.rncs=[\"A\"]: radio.rncs is for radio.kind = umts-cell alone";
    refuse("umts-384", &[("radio.rncs", "[\"A\"]")], line);
    let line = "--set radio.rrc.setup_delay=1s: radio.rrc is for radio.kind = umts-cell, lte, \
                nr or nb-iot alone";
    refuse("umts-384", &[("radio.rrc.setup_delay", "1s")], line);
    refuse_text(
        "[radio]\n[[radio.node_b]]\nname = \"A\"",
        "mine.toml:2: radio.node_b: radio.node_b is for radio.kind = umts-cell alone",
    );
    refuse(
        "umts-cell-50",
        &[("flow.hosts", "own")],
        "--set flow.hosts=own: flows of a network of cells run from one host to its mobiles: \
         flow.hosts must be shared",
    );
}

#[test]
fn flows_go_to_mobiles_in_turn() {
    let settings = [("radio.ues", "3"), ("flow.count", "5")];
    let owned = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let scenario = Scenario::parse(text("umts-cell-50"), "mine", &owned).expect("valid");
    let network = build(&scenario);
    let mobile = |flow: &scenario::NetworkFlow| {
        let node = network.world.machine(flow.ends[1]).node().expect("a receiver is an endpoint");
        network.world.node(node).name().to_owned()
    };
    let names: Vec<String> = network.flows.iter().map(mobile).collect();
    assert_eq!(names, ["UE-0", "UE-1", "UE-2", "UE-0", "UE-1"]);
}
