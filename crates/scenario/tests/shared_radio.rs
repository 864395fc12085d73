//! What holds of every kind of radio that mobiles share: each key refuses in one line, none is left
//! out, and there is one cell.

use scenario::{Scenario, build, keys, shipped};

/// A key, a value that it cannot have, and words of the line that says so.
pub(crate) type Refused = (&'static str, &'static str, &'static str);

/// Those of mobiles that are listed, of every kind.
const OF_ANY: &[Refused] = &[
    ("radio.ue.edge.name", "an edge", "a name of letters"),
    ("radio.ue.edge.count", "0", "must be a whole number from 1 to 50000"),
    ("radio.ue.edge.fading.deviation", "-3 dB", "must be a deviation in dB, from 0"),
    ("radio.ue.edge.fading.period", "0 s", "a duration"),
];

/// Those of kinds whose radio is a ratio of signal to noise.
const OF_RATIOS: &[Refused] = &[
    ("radio.ue.edge.downlink.snr", "loud", "must be a ratio in dB"),
    ("radio.ue.edge.downlink.snrs", "[{at='2 s'}]", "snr is missing"),
    ("radio.ue.edge.downlink.trace", "", "the path of a CSV file"),
    ("radio.ue.edge.downlink.bler", "101 %", "must be a probability"),
    ("radio.ue.edge.uplink.snr", "loud", "must be a ratio in dB"),
    ("radio.ue.edge.uplink.snrs", "[{snr=5}]", "at is missing"),
    ("radio.ue.edge.uplink.trace", "", "the path of a CSV file"),
    ("radio.ue.edge.uplink.bler", "-1", "must be a probability"),
];

/// Those of a kind whose radio is a coupling loss.
const OF_LOSSES: &[Refused] = &[
    ("radio.ue.edge.coupling_loss", "far", "must be a ratio in dB"),
    ("radio.ue.edge.coupling_losses", "[{coupling_loss='150 dB'}]", "at is missing"),
];

/// Those of journeys, of LTE and NR.
const OF_JOURNEYS: &[Refused] = &[
    ("radio.site.edge.name", "an edge", "a name of letters"),
    ("radio.site.edge.position", "['0 m']", "expected a place"),
    ("radio.journey.from", "here", "expected a place"),
    ("radio.journey.to", "there", "expected a place"),
    ("radio.journey.speed", "15 km", "m/s"),
    ("radio.journey.near", "0 m", "a length above zero"),
    ("radio.journey.decade", "steep", "must be a ratio in dB"),
    ("radio.journey.shadowing", "-1 dB", "must be a deviation in dB, from 0"),
    ("radio.journey.correlation", "0 m", "a length above zero"),
    ("radio.journey.load", "101 %", "to below 100 %"),
    ("radio.journey.measures", "0 s", "a duration"),
    ("radio.journey.error", "-1 dB", "must be a deviation in dB, from 0"),
    ("radio.journey.offset", "better", "must be a ratio in dB"),
    ("radio.journey.hysteresis", "some", "must be a ratio in dB"),
    ("radio.journey.time_to_trigger", "-1 s", "a duration"),
    ("radio.journey.out_of_sync", "bad", "must be a ratio in dB"),
    ("radio.journey.t310", "-1 s", "a duration"),
];

/// Those of bearers that are listed, of LTE and NR.
const OF_BEARERS: &[Refused] = &[
    ("radio.bearer.edge.name", "an edge", "a name of letters"),
    ("radio.bearer.edge.dscp", "64", "must be a whole number from 0 to 63"),
    ("radio.bearer.edge.priority", "0", "must be a whole number from 1 to 9"),
    ("radio.bearer.edge.guaranteed", "fast", "not a rate"),
    ("radio.bearer.edge.mode", "tm", "must be am or um"),
    ("radio.bearer.edge.queue.packets", "0", "must be a whole number from 1"),
    ("radio.bearer.edge.queue.bytes", "none", "a size"),
    ("radio.bearer.edge.discard", "0 s", "must be above zero, or off"),
];

fn of_listed(kind: &str) -> impl Iterator<Item = &'static Refused> {
    let is_scheduled = ["lte", "nr"].contains(&kind);
    let own: &[_] = if is_scheduled { &[OF_BEARERS, OF_JOURNEYS] } else { &[] };
    OF_ANY
        .iter()
        .chain(if kind == "nb-iot" { OF_LOSSES } else { OF_RATIOS })
        .chain(own.iter().copied().flatten())
}

/// The scenario `name`, which ships or is a kind of radio alone, with settings. A mobile, a
/// bearer or a site called edge is listed where one of them is of it.
pub(crate) fn parse(name: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let text = shipped().iter().find(|shipped| shipped.name == name).map(|shipped| shipped.text);
    let text = text.map_or_else(|| format!("[radio]\nkind = \"{name}\"\n"), str::to_owned);
    let is_asked = |list: &&str| {
        let of_it = format!("radio.{list}.edge.");
        settings.iter().any(|(key, _)| key.starts_with(&of_it))
    };
    let listed = ["ue", "bearer", "site"].into_iter().filter(is_asked);
    let listed = listed.map(|list| format!("\n[[radio.{list}]]\nname = \"edge\"\n"));
    let text = listed.fold(text, |text, list| text + &list);
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let settings: Vec<_> = settings.iter().map(owned).collect();
    Scenario::parse(&text, name, &settings).map_err(|error| error.to_string())
}

/// Checks that each key of the scenario `name` refuses in one line what it cannot be.
pub(crate) fn each_refuses_in_one_line(name: &str, refused: &[Refused]) {
    for (key, value, words) in refused {
        let error = parse(name, &[(key, value)]).expect_err(key);
        assert!(error.starts_with(&format!("--set {key}={value}: ")), "{error}");
        assert!(error.contains(words) && !error.contains('\n'), "{error}");
    }
}

/// Checks that no key of a kind of radio is left out, and those of mobiles that are listed.
pub(crate) fn no_key_is_left_out(kind: &str, refused: &[Refused]) {
    let of_listed: Vec<_> = of_listed(kind).copied().collect();
    each_refuses_in_one_line(kind, &of_listed);
    let refused: Vec<_> = refused.iter().chain(&of_listed).collect();
    let of_it = keys().iter().filter(|key| {
        let kinds = key.needs.iter().filter(|needs| needs.key == "radio.kind");
        kinds.flat_map(|needs| &needs.kinds).any(|own| *own == kind)
    });
    let names: Vec<_> = of_it.map(|key| key.name.replace("NAME", "edge")).collect();
    for name in &names {
        assert!(refused.iter().any(|(key, ..)| key == name), "{name}");
    }
    // All kinds of radio have `radio.ues`.
    assert_eq!(names.len() + 1, refused.len(), "{names:?}");
}

/// Checks that settings of the scenario `name` are refused with that line.
pub(crate) fn is_refused(name: &str, settings: &[(&str, &str)], expect: &str) {
    assert_eq!(parse(name, settings).expect_err("refused"), expect, "{settings:?}");
}

/// How many cells there are.
pub(crate) fn cells(scenario: &Scenario) -> usize {
    let world = build(scenario).world;
    world.machines().filter(|(.., machine)| machine.radio().is_some()).count()
}
