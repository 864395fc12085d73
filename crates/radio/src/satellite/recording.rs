//! What a terminal was measured to have over time: a CSV file.

use base::{Duration, Rate, Schedule, Time};
use settings::Content;

use crate::kit::csv::{self, short};

/// Round-trip times and rates over time. Each line holds from its time on, the first from the
/// start, the last for ever.
#[derive(Clone, PartialEq, Debug)]
pub struct Recording {
    /// One way between terminal and gateway: half of a round trip.
    pub(crate) delay: Schedule<Duration>,
    /// Down and up, where the file has them; nothing is sent at `None`.
    pub(crate) rates: [Option<Schedule<Option<Rate>>>; 2],
    /// The time of the last line.
    end: Time,
}

impl Content for Recording {
    const EXPECTED: &'static str =
        "the path of a CSV file with the columns time_s, rtt_ms and, if known, down_mbps, up_mbps";
}

/// What a column may hold.
struct Quantity {
    /// Its name, without the unit.
    name: &'static str,
    /// Its units, and how much each is in s or bit/s.
    units: &'static [(&'static str, f64)],
    /// The most that it may be, in s or bit/s.
    most: f64,
}

const TIMES: &[(&str, f64)] = &[("s", 1.0), ("ms", 1e-3)];
const RATES: &[(&str, f64)] = &[("bps", 1.0), ("kbps", 1e3), ("mbps", 1e6)];
const DOWN: usize = 2;
const QUANTITIES: [Quantity; 4] = [
    Quantity { name: "time", units: TIMES, most: 1e9 },
    Quantity { name: "rtt", units: TIMES, most: 1e3 },
    Quantity { name: "down", units: RATES, most: 1e12 },
    Quantity { name: "up", units: RATES, most: 1e12 },
];

/// A column of the file: which quantity it has, and in which unit.
#[derive(Clone, Copy)]
struct Column {
    quantity: usize,
    unit: (&'static str, f64),
}

/// A line: time, round trip, and rates down and up, each in s or bit/s.
type Line = [f64; 4];

impl Recording {
    /// Reads a CSV file: a header that names quantities with their units, then a line for each
    /// time. Lines that begin with `#` are comments.
    ///
    /// # Errors
    /// What is wrong with it, and in which line.
    pub fn parse(text: &[u8]) -> Result<Self, String> {
        let (mut columns, mut lines): (Vec<Column>, Vec<Line>) = (Vec::new(), Vec::new());
        for line in csv::lines(text) {
            let (number, cells) = line?;
            let in_line = csv::in_line(number);
            if columns.is_empty() {
                columns = columns_of(&cells).map_err(in_line)?;
            } else {
                lines.push(values(&cells, &columns, lines.last()).map_err(in_line)?);
            }
        }
        let has = |quantity| columns.iter().any(|column| column.quantity == quantity);
        let rates = [DOWN, DOWN + 1].map(|quantity| {
            has(quantity).then(|| schedule(&lines, |line| rate(line[quantity])))?
        });
        let half = |[_, rtt, ..]: &Line| Duration::from_secs_f64(rtt / 2.0);
        let delay = schedule(&lines, half).ok_or(NOTHING)?;
        Ok(Self { delay, rates, end: lines.last().map_or(Time::ZERO, time) })
    }

    /// Whether it has rates of this direction, 0 down and 1 up.
    pub(crate) const fn has_rate(&self, direction: usize) -> bool {
        self.rates[direction].is_some()
    }
}

/// What `rate` carries from one time to another, in bit·ns/s.
pub(crate) fn work(rate: &Schedule<Option<Rate>>, from: Time, to: Time) -> u128 {
    let bps = |rate: Option<Rate>| Some(rate.map_or(0, Rate::as_bps));
    rate.sum(from, to, bps).unwrap_or(0)
}

const NOTHING: &str = "has no line with a time: expected a header, such as \
                       time_s,rtt_ms,down_mbps,up_mbps, and lines of numbers";

/// What `of` makes of each line, from its time on; `None` if there is no line.
fn schedule<V: Copy>(lines: &[Line], of: impl Fn(&Line) -> V) -> Option<Schedule<V>> {
    let (first, rest) = lines.split_first()?;
    Some(Schedule::new(of(first), rest.iter().map(|line| (time(line), of(line))).collect()))
}

fn time([time, ..]: &Line) -> Time {
    Time::ZERO + Duration::from_secs_f64(*time)
}

fn rate(bps: f64) -> Option<Rate> {
    (bps >= 1.0).then(|| Rate::from_bps(bps.round() as u64))
}

/// The columns that a header names.
fn columns_of(header: &[&str]) -> Result<Vec<Column>, String> {
    let mut columns: Vec<Column> = Vec::new();
    for name in header {
        let column = column(&name.to_ascii_lowercase()).ok_or_else(|| {
            format!("unknown column {}: expected {}", short(name), known().join(", "))
        })?;
        if columns.iter().any(|other| other.quantity == column.quantity) {
            return Err(format!("two columns of {}", QUANTITIES[column.quantity].name));
        }
        columns.push(column);
    }
    for (quantity, example) in [(0, "time_s"), (1, "rtt_ms")] {
        if !columns.iter().any(|column| column.quantity == quantity) {
            let name = QUANTITIES[quantity].name;
            return Err(format!("no column of {name}, such as {example}"));
        }
    }
    Ok(columns)
}

fn column(name: &str) -> Option<Column> {
    let (name, unit) = name.split_once('_')?;
    let quantity = QUANTITIES.iter().position(|quantity| quantity.name == name)?;
    let unit = *QUANTITIES[quantity].units.iter().find(|(known, _)| *known == unit)?;
    Some(Column { quantity, unit })
}

/// The names of all columns that there may be.
fn known() -> Vec<String> {
    let names = |quantity: &Quantity| {
        let Quantity { name, units, .. } = *quantity;
        units.iter().map(move |(unit, _)| format!("{name}_{unit}"))
    };
    QUANTITIES.iter().flat_map(names).collect()
}

/// The values of a line whose time must not be before that of the `last` one.
fn values(cells: &[&str], columns: &[Column], last: Option<&Line>) -> Result<Line, String> {
    csv::check_width(cells, columns)?;
    let mut values = [0.0; 4];
    for (text, Column { quantity, unit: (unit, factor) }) in cells.iter().zip(columns) {
        let Quantity { name, most, .. } = QUANTITIES[*quantity];
        let value = text.parse::<f64>().ok().map(|value| value * factor);
        let value = value.filter(|value| (0.0..=most).contains(value)).ok_or_else(|| {
            let most = most / factor;
            format!("{name}_{unit} {}: expected a number from 0 to {most}", short(text))
        })?;
        values[*quantity] = value;
    }
    if last.is_some_and(|last| values[0] < last[0]) {
        return Err(csv::BACKWARDS.to_owned());
    }
    Ok(values)
}
