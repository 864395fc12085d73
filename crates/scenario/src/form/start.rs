//! Starts of flows.

use base::{Duration, Stream};
use settings::{Leaf, OfTime, Scalar, Takes};

/// Start of the flows of a group, before their interval is added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// One for all.
    At(Duration),
    /// Each at a moment of its own, drawn evenly from the seed, before that time.
    SpreadOver(Duration),
}

/// Words before the time of [`Start::SpreadOver`].
const SPREAD: &str = "spread over ";

/// A time as for any other key, or `spread over 5 s`.
pub(crate) struct Starting;

impl Leaf for Starting {
    type Value = Start;

    fn expected() -> String {
        format!(
            "{}, or a time behind \"{}\", as in spread over 5 s",
            Time::expected(),
            SPREAD.trim()
        )
    }

    fn takes() -> Takes {
        Time::takes()
    }

    fn parse(scalar: &Scalar) -> Result<Start, String> {
        let Some(text) = scalar.text.strip_prefix(SPREAD) else {
            return Time::parse(scalar)
                .map(Start::At)
                .map_err(|_| format!("must be {}", Self::expected()));
        };
        let span = Scalar { text: text.trim().to_owned(), kind: scalar.kind };
        Time::parse(&span).map(Start::SpreadOver)
    }

    fn show(value: &Start) -> String {
        match value {
            Start::At(time) => Time::show(time),
            Start::SpreadOver(span) => format!("{SPREAD}{}", Time::show(span)),
        }
    }
}

type Time = OfTime;

impl Start {
    /// The latest that a flow begins.
    pub const fn latest(self) -> Duration {
        match self {
            Self::At(time) | Self::SpreadOver(time) => time,
        }
    }

    /// Start of a flow whose own source of chance `draw` makes.
    pub fn draw(self, draw: impl FnOnce() -> Stream) -> Duration {
        match self {
            Self::At(time) => time,
            Self::SpreadOver(span) => {
                Duration::from_nanos((span.as_nanos() as f64 * draw().next_f64()) as u64)
            }
        }
    }
}
