//! Scenarios at random: one that ships, and values of some of its keys.

use std::fmt::{self, Display, Formatter, Write};
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

use scenario::{Key, Scenario, ValueKind, keys, shipped};

/// A scenario with settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Case {
    /// A scenario that ships.
    pub name: String,
    /// Keys and their values, in order.
    pub settings: Vec<(String, String)>,
}

/// A source of chance: uniform in 0..`bound`, which is above zero.
pub(crate) trait Chance {
    fn below(&mut self, bound: u32) -> u32;

    /// Uniform in 0..1.
    fn share(&mut self) -> f64 {
        f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }

    fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len() as u32) as usize]
    }
}

/// Keys of texts, and the one that is set first.
const LEFT_ALONE: [&str; 4] = ["name", "description", "reference", "duration"];

impl Case {
    /// A scenario that ships, with a duration, perhaps an application, a box, a queue or a
    /// direction, and up to ten keys more.
    pub(crate) fn draw(chance: &mut impl Chance) -> Self {
        let shipped = chance.one_of(shipped());
        let mut case = Self { name: shipped.name.to_owned(), settings: Vec::new() };
        let duration = chance.one_of(&[1, 3, 10, 40]);
        case.set(chance, "duration", format!("{duration} s"));
        for kind in ["flow.application", "middlebox.kind", "queue.kind", "flow.direction"] {
            if chance.below(4) == 0 {
                let key = keys().iter().find(|key| key.name == kind).expect("there is one");
                let word = chance.one_of(&key.takes.words).clone();
                case.set(chance, kind, word);
            }
        }
        let own = case.scenario().map(|scenario| scenario.values()).unwrap_or_default();
        for _ in 0..2 + chance.below(9) {
            let among = if own.is_empty() || chance.below(20) == 0 { keys() } else { &own };
            let key = chance.one_of(among);
            if !LEFT_ALONE.contains(&key.name.as_str()) && !key.name.contains("NAME") {
                let value = value(key, chance);
                case.set(chance, &key.name, value);
            }
        }
        case
    }

    /// Adds a setting. One for which the scenario is refused stays one time in twenty: refusals are
    /// lawful too, but soon told.
    fn set(&mut self, chance: &mut impl Chance, key: &str, value: String) {
        self.settings.push((key.to_owned(), value));
        if self.scenario().is_err() && chance.below(20) > 0 {
            self.settings.pop();
        }
    }

    /// What it says, or why that is refused.
    pub(crate) fn scenario(&self) -> Result<Scenario, scenario::Error> {
        let shipped = shipped().iter().find(|shipped| shipped.name == self.name);
        Scenario::parse(shipped.map_or("", |shipped| shipped.text), &self.name, &self.settings)
    }
}

/// A value of `key`: one of its words, its default, a limit, or a number near its default or
/// anywhere.
fn value(key: &Key, chance: &mut impl Chance) -> String {
    let takes = &key.takes;
    if !takes.words.is_empty() && (is_word(takes.kind) || chance.below(4) == 0) {
        return chance.one_of(&takes.words).clone();
    }
    if is_word(takes.kind) {
        return shifted(example(key), chance);
    }
    let (least, most) = usual(takes.kind);
    let low = match takes.range.0 {
        Bound::Included(low) => low,
        Bound::Excluded(low) => low + (least * 1e-3).max(1e-9),
        Bound::Unbounded => -most,
    };
    let high = match takes.range.1 {
        Bound::Included(high) | Bound::Excluded(high) => high,
        Bound::Unbounded => most,
    };
    let number = match chance.below(8) {
        0 => low,
        1 if high <= most => high,
        2 | 3 => takes.number(&key.value).unwrap_or(least) * (4.0 * chance.share() - 2.0).exp2(),
        4 if low < 0.0 => low.max(-most) * chance.share(),
        _ => {
            let (low, high) = (low.max(least), high.min(most));
            if low < high { low * (high / low).powf(chance.share()) } else { low }
        }
    };
    let number = match takes.kind {
        ValueKind::Whole | ValueKind::Size | ValueKind::Rate => number.round(),
        ValueKind::Duration => (number * 1e9).round() / 1e9,
        _ => format!("{number:.3e}").parse().unwrap_or(number),
    };
    let number = if takes.range.contains(&number) { number } else { low };
    format!("{number} {}", takes.unit).trim().to_owned()
}

/// Values of lists that are empty at first, by the last words of their keys.
const EXAMPLES: [(&str, &str); 16] = [
    ("link.schedule", r#"[{at="1 s", rate="64 kbit/s"}, {at="2 s", delay="80 ms", loss="0.05"}]"#),
    ("back.schedule", r#"[{at="1 s", rate="64 kbit/s"}, {at="2 s", loss="0.05"}]"#),
    (
        "radio.schedule",
        r#"[{at="1 s", tbler="0.3"}, {at="2 s", coverage=false}, {at="3 s", coverage=true}]"#,
    ),
    ("downlink.schedule", r#"[{at="1 s", rate="64 kbit/s"}, {at="2 s", tbler="0.3"}]"#),
    ("uplink.schedule", r#"[{at="1 s", rate="32 kbit/s"}, {at="2 s", tbler="0.3"}]"#),
    ("tbler_limits", r#"["0.1", "0.3"]"#),
    ("drop_arrivals", "[3, 7, 8]"),
    ("outages", r#"[["500 ms", "800 ms"], ["1 s", "3 s"]]"#),
    ("spikes", r#"[{at="1 s", lasts="2 s"}]"#),
    ("handovers", r#"[{at="1 s"}, {at="3 s", kind="soft"}]"#),
    ("reselections", r#"[{at="1 s", lasts="2 s", forward="0.5"}]"#),
    ("resets", r#"["1 s", "3 s"]"#),
    ("gateways", r#"[{at="1 s", ground="30 ms"}]"#),
    ("rain", r#"[{at="1 s", share="0.4"}, {at="4 s", share="1"}]"#),
    ("snrs", r#"[{at="1 s", snr="5 dB"}]"#),
    ("coupling_losses", r#"[{at="1 s", coupling_loss="150 dB"}]"#),
];

/// The value that the scenario has, or one in the place of an empty list.
fn example(key: &Key) -> &str {
    let is_empty = matches!(key.value.as_str(), "[]" | "off" | "none");
    let named = EXAMPLES.iter().find(|(name, _)| is_empty && key.name.ends_with(name));
    named.map_or(&key.value, |(_, example)| example)
}

/// A text with other numbers: all by one factor, or each by its own.
fn shifted(text: &str, chance: &mut impl Chance) -> String {
    let mut factor = (4.0 * chance.share() - 2.0).exp2();
    let each = chance.below(3) == 0;
    let mut shifted = String::new();
    let mut rest = text;
    while let Some(from) = rest.find(|letter: char| letter.is_ascii_digit()) {
        let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
        let to = rest[from..].find(|letter| !is_part(letter)).map_or(rest.len(), |to| from + to);
        let (before, number) = (&rest[..from], &rest[from..to]);
        // A digit in a name is part of the name.
        let is_name = before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '-');
        shifted.push_str(before);
        match number.parse::<f64>() {
            Ok(value) if !is_name => {
                if each {
                    factor = (4.0 * chance.share() - 2.0).exp2();
                }
                let digits = if number.contains('.') { 4 } else { 0 };
                write!(shifted, "{:.digits$}", value * factor).expect("a text takes all");
            }
            Ok(_) | Err(_) => shifted.push_str(number),
        }
        rest = &rest[to..];
    }
    shifted + rest
}

/// Whether values of `kind` are words alone, or texts and lists.
const fn is_word(kind: ValueKind) -> bool {
    matches!(kind, ValueKind::Choice | ValueKind::Flag | ValueKind::Other)
}

/// Limits between which numbers of `kind` are drawn, if the key has no narrower ones: small enough
/// for a run to end soon.
const fn usual(kind: ValueKind) -> (f64, f64) {
    match kind {
        ValueKind::Duration => (1e-6, 1e3),
        ValueKind::Rate => (1e3, 1e8),
        ValueKind::Size => (1.0, 1e7),
        ValueKind::Whole => (1.0, 300.0),
        ValueKind::Number => (1e-3, 1e3),
        ValueKind::Probability => (1e-4, 1.0),
        ValueKind::Choice | ValueKind::Flag | ValueKind::Other => (0.0, 0.0),
    }
}

/// The command that runs it.
impl Display for Case {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "thinpipe run {}", self.name)?;
        self.settings.iter().try_for_each(|(key, value)| write!(f, " --set {key}='{value}'"))
    }
}

impl FromStr for Case {
    type Err = String;

    fn from_str(command: &str) -> Result<Self, String> {
        let mut parts = command.trim().split(" --set ");
        let name = parts.next().and_then(|run| run.strip_prefix("thinpipe run "));
        let setting = |part: &str| {
            let (key, value) = part.split_once("='")?;
            Some((key.to_owned(), value.strip_suffix('\'')?.to_owned()))
        };
        let settings: Option<Vec<_>> = parts.map(setting).collect();
        match (name, settings) {
            (Some(name), Some(settings)) => Ok(Self { name: name.to_owned(), settings }),
            _ => Err(format!("not the command of a run: {command}")),
        }
    }
}
