//! What holds of every kind of radio that mobiles share: each key refuses in one line, none is left
//! out, and there is one cell.

use scenario::{Scenario, build, keys, shipped};

/// A key, a value that it cannot have, and words of the line that says so.
pub(crate) type Refused = (&'static str, &'static str, &'static str);

/// The scenario `name`, which ships or is a kind of radio alone, with settings.
pub(crate) fn parse(name: &str, settings: &[(&str, &str)]) -> Result<Scenario, String> {
    let text = shipped().iter().find(|shipped| shipped.name == name).map(|shipped| shipped.text);
    let text = text.map_or_else(|| format!("[radio]\nkind = \"{name}\"\n"), str::to_owned);
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

/// Checks that no key of a kind of radio is left out.
pub(crate) fn no_key_is_left_out(kind: &str, refused: &[Refused]) {
    let of_it = keys().iter().filter(|key| {
        let kinds = key.needs.iter().filter(|needs| needs.key == "radio.kind");
        kinds.flat_map(|needs| &needs.kinds).any(|own| *own == kind)
    });
    let names: Vec<_> = of_it.map(|key| key.name.as_str()).collect();
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
