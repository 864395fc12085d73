//! A daemon's answer for people.

use std::fmt::{self, Write};

use proxy::{Histogram, Mobile, ProfileStats, Reason};

use super::observation::{Health, Look, Observation};
use os::{SetupError, setup_error};

/// A summary of a daemon: lines, then tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// About the daemon as a whole.
    pub lines: Vec<String>,
    /// Of its profiles, and of mobiles if they were asked for.
    pub tables: Vec<Table>,
}

/// Columns with a name each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Of each column.
    pub header: Vec<String>,
    /// As many cells as the header has.
    pub rows: Vec<Vec<String>>,
}

impl Summary {
    /// The summary of `answer`, the JSON of a daemon.
    ///
    /// # Errors
    /// It is no such answer: the daemon is of another version.
    pub fn of(answer: &str) -> Result<Self, SetupError> {
        let told: Observation = serde_json::from_str(answer).map_err(|error| {
            setup_error!("the proxy answers what is not understood here: {error}")
        })?;
        let mut tables = vec![profiles(&told.look.snapshot.profiles)];
        tables.extend(told.look.mobiles.as_deref().map(mobiles));
        Ok(Self { lines: lines(&told), tables })
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{line}")?;
        }
        for table in &self.tables {
            writeln!(f)?;
            table.fmt(f)?;
        }
        Ok(())
    }
}

/// Each column as wide as its widest cell: the first to the left, the others to the right.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.header).chain(&self.rows);
        let widths: Vec<usize> = (0..self.header.len())
            .map(|at| all().map(|row| row[at].chars().count()).max().unwrap_or(0))
            .collect();
        for row in all() {
            let mut line = String::new();
            for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                match at {
                    0 => write!(line, "{cell:<width$}")?,
                    _ => write!(line, "  {cell:>width$}")?,
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

fn lines(told: &Observation) -> Vec<String> {
    let Observation { state, health, look } = told;
    let Health { worker_restarts, reloads, reloads_refused, .. } = health;
    let Look { journal_flows, device_overflow_packets, snapshot, .. } = look;
    let [age, worker_age, silence] =
        [health.uptime_seconds, health.worker_uptime_seconds, health.heartbeat_age_seconds]
            .map(span);
    let workers = match health.workers {
        0 | 1 => format!("worker for {worker_age}, {worker_restarts} before it"),
        all => format!(
            "{} of {all} workers serve, the last for {worker_age}, {worker_restarts} died before",
            health.workers_serving
        ),
    };
    vec![
        format!(
            "thinpipe proxy {}: {state}, up {age}; {workers}, heartbeat {silence} ago",
            snapshot.version,
        ),
        format!(
            "packets: {} in ({}), {} out ({}), {device_overflow_packets} lost before the proxy",
            snapshot.received.packets,
            bytes(snapshot.received.bytes),
            snapshot.sent.packets,
            bytes(snapshot.sent.bytes),
        ),
        format!("untouched: {}", reasons(&snapshot.bypassed)),
        format!("dropped: {}", reasons(&snapshot.dropped)),
        format!(
            "reloads: {reloads}, refused {reloads_refused}; a failure now would reset \
             {journal_flows} connections",
        ),
    ]
}

fn reasons(all: &[Reason]) -> String {
    let told: Vec<_> = all
        .iter()
        .filter(|each| each.packets > 0)
        .map(|each| format!("{} {}", each.packets, each.reason.replace('_', " ")))
        .collect();
    if told.is_empty() { "none".to_owned() } else { told.join(", ") }
}

/// A column for each profile: there are few, with many stats.
fn profiles(all: &[ProfileStats]) -> Table {
    let columns: Vec<_> = all.iter().map(stats).collect();
    let name = |it: &ProfileStats| it.name.clone() + if it.retired { " (retired)" } else { "" };
    let header = [String::new()].into_iter().chain(all.iter().map(name)).collect();
    let names = columns.first().into_iter().flatten().map(|(name, _)| *name);
    let rows = names
        .enumerate()
        .map(|(at, name)| {
            let cells = columns.iter().map(|column| column[at].1.clone());
            [name.to_owned()].into_iter().chain(cells).collect()
        })
        .collect();
    Table { header, rows }
}

fn stats(it: &ProfileStats) -> Vec<(&'static str, String)> {
    let legs = |wired: String, radio: String| format!("{wired} / {radio}");
    let others = it.all_others();
    let again = (it.wired.retransmissions.to_string(), it.radio.retransmissions.to_string());
    vec![
        ("scheme", it.scheme.to_string()),
        ("at the side of the", it.role.to_string()),
        ("mobiles", it.mobiles.to_string()),
        ("of them stalled", it.stalled_mobiles.to_string()),
        ("connections open", it.flows.open.to_string()),
        ("opening", it.flows.opening.to_string()),
        ("taken since the worker started", it.connections.taken.to_string()),
        ("bypassed", it.connections.bypassed.to_string()),
        ("released", it.connections.released.to_string()),
        ("reset", it.connections.reset.to_string()),
        ("SYNs", it.syns.seen.to_string()),
        ("refused", it.syns.refused.to_string()),
        ("queued", bytes(it.queued_bytes)),
        ("in flight", bytes(it.in_flight_bytes)),
        ("cwnd", bytes(it.cwnd_bytes)),
        ("held", bytes(it.held_bytes)),
        ("stalls", format!("{}, {}", it.stalls, span(it.stalled_seconds))),
        ("zero windows", it.zero_windows.to_string()),
        (
            "received, wired / radio",
            legs(bytes(it.wired.received.bytes), bytes(it.radio.received.bytes)),
        ),
        ("sent, wired / radio", legs(bytes(it.wired.sent.bytes), bytes(it.radio.sent.bytes))),
        ("sent again, wired / radio", legs(again.0, again.1)),
        ("mean RTT, wired / radio", legs(mean(&it.wired.round_trip), mean(&it.radio.round_trip))),
        ("others waiting", bytes(others.waiting.bytes)),
        ("others sent", bytes(others.sent.bytes)),
        ("others marked", others.marked.to_string()),
        ("others dropped", (others.late + others.crowded).to_string()),
        ("others' mean wait", mean(&others.waited)),
    ]
}

fn mobiles(all: &[Mobile]) -> Table {
    let header =
        ["mobile", "profile", "connections", "queued", "in flight", "cwnd", "RTT", "stalled"];
    let row = |it: &Mobile| {
        vec![
            it.address.to_string(),
            it.profile.clone(),
            it.flows.to_string(),
            bytes(it.queued_bytes),
            bytes(it.in_flight_bytes),
            bytes(it.cwnd_bytes),
            it.round_trip_seconds.map_or_else(none, span),
            it.stalled_seconds.map_or_else(none, span),
        ]
    };
    Table { header: header.map(str::to_owned).into(), rows: all.iter().map(row).collect() }
}

fn mean(times: &Histogram) -> String {
    match times.count() {
        0 => none(),
        count => span(times.sum_ns as f64 / 1e9 / count as f64),
    }
}

fn none() -> String {
    "–".to_owned()
}

/// In the largest unit of which it is at least one, to three digits.
fn bytes(count: u64) -> String {
    let count = count as f64;
    let units = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    let unit = units.into_iter().find(|(size, _)| count >= *size);
    unit.map_or_else(
        || format!("{count} B"),
        |(size, name)| format!("{} {name}", short(count / size)),
    )
}

fn span(seconds: f64) -> String {
    let units = [(86400.0, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s")];
    match units.into_iter().find(|(size, _)| seconds >= *size) {
        Some((size, name)) => format!("{} {name}", short(seconds / size)),
        None => format!("{} ms", short(seconds * 1000.0)),
    }
}

fn short(value: f64) -> String {
    let digits = if value >= 100.0 || value == 0.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::super::control::{Control, Question};
    use super::super::observation::Observation;
    use super::super::poll_server::Handler;
    use super::*;

    fn summary(question: Question, mobiles: u64) -> Summary {
        let mut control = Control { look: |_| Some(Observation::example(mobiles)) };
        let line = format!("{}\n", question.name());
        let answer = control.answer(line.as_bytes()).expect("an answer");
        Summary::of(&String::from_utf8(answer).expect("text")).expect("a summary")
    }

    #[test]
    fn all_that_matters_is_told() {
        let text = summary(Question::Status, 2).to_string();
        let expect = "\
thinpipe proxy 1.2.3: serving, up 2.02 h; worker for 1.50 min, 3 before it, heartbeat 12.0 ms ago
packets: 12 in (3.46 kB), 11 out (3.21 kB), 7 lost before the proxy
untouched: 5 not tcp
dropped: 1 fragment
reloads: 4, refused 1; a failure now would reset 9 connections
";
        assert!(text.starts_with(expect), "{text}");
        for line in [
            "                                             gprs               umts",
            "scheme                                       atcp               atcp",
            "at the side of the                        network            network",
            "connections open                                2                  0",
            "queued                                    12.3 kB            12.3 kB",
            "mean RTT, wired / radio           1.00 s / 1.00 s    1.00 s / 1.00 s",
            "others waiting                              400 B              400 B",
            "others' mean wait                         30.0 ms            30.0 ms",
        ] {
            assert!(text.lines().any(|each| each == line), "no {line:?} in\n{text}");
        }
    }

    #[test]
    fn several_workers_are_counted() {
        let mut told = Observation::example(0);
        told.health.workers = 4;
        told.health.workers_serving = 3;
        let expect = "thinpipe proxy 1.2.3: serving, up 2.02 h; 3 of 4 workers serve, the last for \
                      1.50 min, 3 died before, heartbeat 12.0 ms ago";
        assert_eq!(lines(&told)[0], expect);
    }

    #[test]
    fn mobiles_have_a_table_of_their_own() {
        let summary = summary(Question::Mobiles, 2);
        let [_, mobiles] = &summary.tables[..] else { panic!("{summary:?}") };
        assert_eq!(mobiles.rows.len(), 2);
        let expect = ["10.45.0.1", "gprs", "1", "1.00 kB", "3.90 kB", "3.90 kB", "900 ms", "–"];
        assert_eq!(mobiles.rows[1], expect);
    }

    #[test]
    fn another_answer_is_refused_in_one_line() {
        for answer in ["", "{}", "[]", "{\"state\": 3}"] {
            let error = Summary::of(answer).expect_err("it is no answer").to_string();
            assert!(error.starts_with("the proxy answers what is not understood"), "{error}");
            assert!(!error.contains('\n'));
        }
    }

    #[test]
    fn units_fit() {
        let check = |told: String, expect: &str| assert_eq!(told, expect);
        check(bytes(0), "0 B");
        check(bytes(999), "999 B");
        check(bytes(1000), "1.00 kB");
        check(bytes(256_000_000), "256 MB");
        check(span(0.0), "0 ms");
        check(span(0.0123), "12.3 ms");
        check(span(59.94), "59.9 s");
        check(span(3600.0), "1.00 h");
        check(span(200_000.0), "2.31 d");
    }
}
