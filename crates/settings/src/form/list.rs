//! Lists: of numbers, of spans of time, and of tables without names.

use std::marker::PhantomData;

use base::{Duration, Probability};

use super::{Absent, Always, Chance, Form, Key, Leaf, OfTime, Scope, Section, Takes, join, table};
use crate::error::Fault;
use crate::form::Count;
use crate::nearest::nearest;
use crate::tree::{Item, Node, Scalar, Table};

/// Whole numbers: `[14, 28]`, or `14,28` in a setting.
pub struct Numbers;

type Number = Count<u64, 0, { u64::MAX }>;

impl Form for Numbers {
    type Value = Vec<u64>;

    fn read(item: &Item, key: &str, _default: &Vec<u64>) -> Result<Vec<u64>, Fault> {
        several::<Number>(item).ok_or_else(|| item.fault(key, format!("expected {NUMBERS}")))
    }

    fn visit(value: &Vec<u64>, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        visit(Key::new(key, format!("{value:?}"), NUMBERS, Takes::other(), doc));
    }
}

const NUMBERS: &str = "a list of whole numbers from 0, as in [14, 28]";

/// Spans of time, one after the other: `[["5 s", "20 s"]]`.
pub struct Spans;

impl Form for Spans {
    type Value = Vec<[Duration; 2]>;

    fn read(item: &Item, key: &str, _default: &Self::Value) -> Result<Self::Value, Fault> {
        let fault = |item: &Item| item.fault(key, format!("expected {SPANS}"));
        let Node::List(items) = &item.node else { return Err(fault(item)) };
        let mut spans: Vec<[Duration; 2]> = Vec::new();
        for item in items {
            let [from, to] = span(item).ok_or_else(|| fault(item))?;
            if from >= to {
                return Err(item.fault(key, "a span must end after it begins"));
            }
            if spans.last().is_some_and(|[_, end]| from < *end) {
                return Err(item.fault(key, "a span must not begin before the one before it ends"));
            }
            spans.push([from, to]);
        }
        Ok(spans)
    }

    fn visit(value: &Self::Value, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let pair = |span: &[Duration; 2]| format!("{:?}", span.map(|time| Instant::show(&time)));
        let pairs: Vec<_> = value.iter().map(pair).collect();
        visit(Key::new(key, format!("[{}]", pairs.join(", ")), SPANS, Takes::other(), doc));
    }
}

type Instant = OfTime;

const SPANS: &str = "a list of times from and to, in order, as in [[\"5 s\", \"20 s\"]]";

fn span(item: &Item) -> Option<[Duration; 2]> {
    let Node::List(ends) = &item.node else { return None };
    let time = |item: &Item| Instant::parse(item.scalar()?).ok();
    match ends.as_slice() {
        [from, to] => Some([time(from)?, time(to)?]),
        [] | [_] | [_, _, _, ..] => None,
    }
}

/// The word of `A` for `None`, else a lower and an upper limit of a probability:
/// `["1 %", "10 %"]`, or `1 %,10 %` in a setting.
pub struct ChanceBounds<A>(PhantomData<A>);

impl<A: Absent> Form for ChanceBounds<A> {
    type Value = Option<[Probability; 2]>;

    fn read(item: &Item, key: &str, _default: &Self::Value) -> Result<Self::Value, Fault> {
        if item.scalar().is_some_and(|scalar| scalar.text == A::WORD) {
            return Ok(None);
        }
        bounds::<Chance>(item, key, expected_limits::<A>).map(Some)
    }

    fn visit(value: &Self::Value, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let show = |limits: &[Probability; 2]| format!("{:?}", limits.map(|p| Chance::show(&p)));
        let value = value.as_ref().map_or_else(|| A::WORD.to_owned(), show);
        visit(Key::new(key, value, expected_limits::<A>(), Takes::other().or([A::WORD]), doc));
    }
}

fn expected_limits<A: Absent>() -> String {
    let word = A::WORD;
    format!("a lower and an upper limit, as in [\"1 %\", \"10 %\"], or {word}")
}

/// A lower and an upper limit: `["100 ms", "200 ms"]`, or `100 ms,200 ms` in a setting.
pub struct Bounds<L>(PhantomData<L>);

impl<L: Leaf<Value: PartialOrd + Copy>> Form for Bounds<L> {
    type Value = [L::Value; 2];

    fn read(item: &Item, key: &str, _default: &Self::Value) -> Result<Self::Value, Fault> {
        bounds::<L>(item, key, pair::<L>)
    }

    fn visit(value: &Self::Value, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let value = format!("{:?}", [&value[0], &value[1]].map(L::show));
        visit(Key::new(key, value, pair::<L>(), Takes::other(), doc));
    }
}

/// A lower and an upper limit, which are to be as `expected` says.
fn bounds<L: Leaf<Value: PartialOrd + Copy>>(
    item: &Item,
    key: &str,
    expected: fn() -> String,
) -> Result<[L::Value; 2], Fault> {
    match several::<L>(item).unwrap_or_default().as_slice() {
        [low, high] if low > high => Err(item.fault(key, "the lower limit comes first")),
        [low, high] => Ok([*low, *high]),
        [] | [_] | [_, _, _, ..] => Err(item.fault(key, format!("expected {}", expected()))),
    }
}

fn pair<L: Leaf>() -> String {
    format!("a lower and an upper limit, each {}", L::expected())
}

/// Moments in order: `["50 s", "2 min"]`, or `50 s,2 min` in a setting.
pub struct Moments;

impl Form for Moments {
    type Value = Vec<Duration>;

    fn read(item: &Item, key: &str, _default: &Self::Value) -> Result<Self::Value, Fault> {
        let moments = several::<Instant>(item);
        let moments = moments.filter(|moments| moments.is_sorted_by(|one, next| one < next));
        moments.ok_or_else(|| item.fault(key, format!("expected {MOMENTS}")))
    }

    fn visit(value: &Self::Value, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let times: Vec<_> = value.iter().map(Instant::show).collect();
        visit(Key::new(key, format!("{times:?}"), MOMENTS, Takes::other(), doc));
    }
}

const MOMENTS: &str = "a list of times in order, as in [\"50 s\", \"2 min\"]";

/// The values of a list, or of one text with commas between them.
pub(super) fn several<L: Leaf>(item: &Item) -> Option<Vec<L::Value>> {
    match &item.node {
        Node::Scalar(Scalar { text, kind }) => {
            let part = |text: &str| Scalar { text: text.trim().to_owned(), kind: *kind };
            text.split(',').map(|text| L::parse(&part(text)).ok()).collect()
        }
        Node::List(items) => items.iter().map(|item| L::parse(item.scalar()?).ok()).collect(),
        Node::Table(_) => None,
    }
}

/// A member of a list of tables that go by the time `at` from which they hold.
pub trait Timed {
    /// What it has to say, and an example of each.
    const NEEDED: &'static [(&'static str, &'static str)] = &[("at", "\"20 s\"")];

    /// From when it holds.
    fn at(&self) -> Duration;
}

/// Tables in order of time: `[{at = "20 s", rate = "120 kbit/s"}]`.
pub struct Steps<S>(PhantomData<S>);

impl<S: Section + Timed> Form for Steps<S> {
    type Value = Vec<S>;

    fn read(item: &Item, key: &str, _default: &Vec<S>) -> Result<Vec<S>, Fault> {
        let Node::List(items) = &item.node else {
            return Err(item.fault(key, format!("expected {}", expected::<S>())));
        };
        let mut steps: Vec<S> = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let key = format!("{key}[{index}]");
            let table = table(item, &key)?;
            refuse_unknown::<S>(table, &key)?;
            let is_missing = |(name, _): &&(&str, &str)| table.get(name).is_none();
            if let Some((name, example)) = S::NEEDED.iter().find(is_missing) {
                return Err(
                    item.fault(&key, format!("{name} is missing, as in {name} = {example}"))
                );
            }
            let step = Always::<S>::read(item, &key, &S::default())?;
            if let Some(before) = steps.last().filter(|before| step.at() < before.at()) {
                let before = Instant::show(&before.at());
                let message = format!(
                    "must not come before the one before it, at {before}: the list is in order of \
                     time"
                );
                return Err(table.get("at").unwrap_or(item).fault(&join(&key, "at"), message));
            }
            steps.push(step);
        }
        Ok(steps)
    }

    fn visit(value: &Vec<S>, key: &str, doc: &str, _: Scope, visit: &mut dyn FnMut(Key)) {
        let steps: Vec<_> = value.iter().map(inline).collect();
        let value = format!("[{}]", steps.join(", "));
        visit(Key::new(key, value, expected::<S>(), Takes::other(), doc));
    }
}

/// A step's keys are not among those of a scenario, so the nearest is one of its own.
fn refuse_unknown<S: Section>(table: &Table, at: &str) -> Result<(), Fault> {
    let mut known = Vec::new();
    S::default().names(&mut known);
    let Some((name, item)) =
        table.iter().find(|(name, _)| !known.iter().any(|known| known == name))
    else {
        return Ok(());
    };
    let near = nearest(name, known.iter().map(String::as_str));
    let meant = near.map_or_else(
        || format!("there are {}", known.join(", ")),
        |near| format!("did you mean {near}?"),
    );
    let message = format!("unknown key; {meant}");
    Err(Fault { origin: item.origin.clone(), subject: join(at, name), message })
}

/// What a step may have, with the forms of its values.
fn expected<S: Section>() -> String {
    let fields = keys_of(&S::default());
    let fields: Vec<_> =
        fields.iter().map(|key| format!("{}: {}", key.name, key.expected)).collect();
    format!(
        "a list of tables in order of time, as in [{{at = \"20 s\"}}], of {}",
        fields.join("; ")
    )
}

/// A table in one line, without what may be left out and is as it is by default.
fn inline<S: Section + Timed>(section: &S) -> String {
    let (fields, defaults) = (keys_of(section), keys_of(&S::default()));
    // What is a list stands for itself, all else as text.
    let value = |key: &Key| {
        if key.value.starts_with('[') { key.value.clone() } else { format!("{:?}", key.value) }
    };
    let given = |(key, default): (&Key, &Key)| {
        let is_needed = S::NEEDED.iter().any(|(name, _)| key.name == *name);
        let is_given = is_needed || key.value != default.value;
        is_given.then(|| format!("{} = {}", key.name, value(key)))
    };
    let given: Vec<_> = fields.iter().zip(&defaults).filter_map(given).collect();
    format!("{{{}}}", given.join(", "))
}

fn keys_of<S: Section>(section: &S) -> Vec<Key> {
    let mut keys = Vec::new();
    section.visit("", Scope::Present, &mut |key| keys.push(key));
    keys
}
