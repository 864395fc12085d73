//! The log of a proxy, one JSON object a line.

use std::collections::BTreeMap;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::{Mutex, PoisonError};

use base::{Duration, Time};
use proxy::LogLevel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::write;
use serde::Serialize;
use serde_json::{Map, Value};

use super::event::Event;
use os::Clock;
use os::timestamp;

/// What a pipe takes whole or not at all (`PIPE_BUF`, pipe(7)), in bytes.
const LONGEST_LINE: usize = 4096;

/// Lines on standard error, of supervisor and worker alike.
///
/// A line is one write, so that lines of two processes do not mix. A reader that does not keep up
/// never delays the proxy: lines for which there is no room are dropped and counted. So are lines
/// beyond an event's [`Allowance`]; the next line of that event has their number.
#[derive(Debug)]
pub(crate) struct Log<Sink = std::io::Stderr> {
    sink: Sink,
    clock: Clock,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    worker: Option<u32>,
    level: LogLevel,
    flows: bool,
    allowances: BTreeMap<Event, Allowance>,
}

/// How many more lines of one event may be written now.
#[derive(Debug)]
struct Allowance {
    lines: f64,
    since: Time,
    suppressed: u64,
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    level: &'static str,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    worker: Option<u32>,
    #[serde(flatten)]
    fields: &'a Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    suppressed: Option<u64>,
}

impl Log {
    /// What `config` lets through, on standard error.
    pub(crate) fn new(config: &proxy::Log) -> Self {
        Self::to(std::io::stderr(), config)
    }
}

impl<Sink: AsFd> Log<Sink> {
    fn to(sink: Sink, config: &proxy::Log) -> Self {
        let allowances = BTreeMap::new();
        let state = State { worker: None, level: config.level, flows: config.flows, allowances };
        Self { sink, clock: Clock::start(), state: Mutex::new(state) }
    }

    /// Lets through what `config` says from now on.
    pub(crate) fn set(&self, config: &proxy::Log) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.level = config.level;
        state.flows = config.flows;
    }

    /// From now on this process is worker `number`, and its lines say so.
    pub(crate) fn name_worker(&self, number: u32) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).worker = Some(number);
    }

    /// Logs that `event` has happened. `fields` is an object of `json!`; addresses belong in those
    /// of [`Event::FlowEnded`] alone.
    pub(crate) fn tell(&self, event: Event, fields: &Value) {
        self.tell_at(self.clock.now(), event, fields);
    }

    /// Logs how many lines were dropped since that was last logged.
    pub(crate) fn settle(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = state.worker;
        for (event, allowance) in &mut state.allowances {
            if allowance.suppressed > 0 && self.is_writable() {
                let suppressed = std::mem::take(&mut allowance.suppressed);
                self.write(*event, worker, &Map::new(), suppressed);
            }
        }
    }

    fn tell_at(&self, now: Time, event: Event, fields: &Value) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if event.level() > state.level || (event == Event::FlowEnded && !state.flows) {
            return;
        }
        let worker = state.worker;
        let allowance =
            state.allowances.entry(event).or_insert_with(|| Allowance::full(now, event));
        if !allowance.take(now, event) || !self.is_writable() {
            allowance.suppressed += 1;
            return;
        }
        let none = Map::new();
        let suppressed = std::mem::take(&mut allowance.suppressed);
        self.write(event, worker, fields.as_object().unwrap_or(&none), suppressed);
    }

    fn write(
        &self,
        event: Event,
        worker: Option<u32>,
        fields: &Map<String, Value>,
        suppressed: u64,
    ) {
        let mut line = Line {
            time: timestamp(),
            level: event.level().name(),
            event: event.name(),
            worker,
            fields,
            suppressed: (suppressed > 0).then_some(suppressed),
        };
        let mut text = json(&line);
        if text.len() > LONGEST_LINE {
            let none = Map::new();
            line.fields = &none;
            text = json(&line);
        }
        // There is nowhere to report that a line could not be written.
        let _ = write(&self.sink, text.as_bytes());
    }

    /// Whether a line can be written without waiting.
    fn is_writable(&self) -> bool {
        let sink: BorrowedFd<'_> = self.sink.as_fd();
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut ready = [PollFd::from_borrowed_fd(sink, PollFlags::OUT)];
        poll(&mut ready, Some(&at_once)).is_ok_and(|count| count > 0)
    }
}

fn json(line: &Line<'_>) -> String {
    let text = serde_json::to_string(line).expect("strings, numbers and their lists");
    text + "\n"
}

impl Allowance {
    fn full(now: Time, event: Event) -> Self {
        Self { lines: f64::from(event.burst()), since: now, suppressed: 0 }
    }

    /// A bucket that holds `burst` lines and fills within [`REFILL`].
    fn take(&mut self, now: Time, event: Event) -> bool {
        let burst = f64::from(event.burst());
        let elapsed = (now.saturating_since(self.since)).as_secs_f64();
        self.lines = (self.lines + elapsed * burst / REFILL.as_secs_f64()).min(burst);
        self.since = now;
        let is_enough = self.lines >= 1.0;
        if is_enough {
            self.lines -= 1.0;
        }
        is_enough
    }
}

/// How long an exhausted allowance takes to be full again.
const REFILL: Duration = Duration::from_secs(10);

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::Shutdown;
    use std::os::unix::net::UnixStream;

    use serde_json::json;

    use super::*;

    const FLOWS: proxy::Log = proxy::Log { level: LogLevel::Info, flows: true };

    /// What a log with this configuration writes while `tell` has it.
    fn written(config: &proxy::Log, tell: impl FnOnce(&Log<UnixStream>)) -> Vec<Value> {
        let (sink, mut source) = UnixStream::pair().expect("a pair of sockets");
        let log = Log::to(sink, config);
        tell(&log);
        log.sink.shutdown(Shutdown::Write).expect("its end");
        let mut text = String::new();
        source.read_to_string(&mut text).expect("what was written");
        assert!(text.is_empty() || text.ends_with('\n'));
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }

    #[test]
    fn a_line_has_its_time_level_event_and_fields() {
        let lines = written(&FLOWS, |log| log.tell(Event::WorkerDied, &json!({ "signal": 9 })));
        let [line] = &lines[..] else { panic!("{lines:?}") };
        let time = line["time"].as_str().expect("a time");
        assert!(humantime::parse_rfc3339(time).is_ok(), "{time}");
        assert_eq!(line["level"], "error");
        assert_eq!(line["event"], "worker died");
        assert_eq!(line["signal"], 9);
        assert_eq!(line.as_object().map(Map::len), Some(4), "{line}");
    }

    #[test]
    fn what_is_not_asked_for_is_not_told() {
        let told = |level, flows| {
            let lines = written(&proxy::Log { level, flows }, |log| {
                for &event in Event::ALL {
                    log.tell(event, &json!({}));
                }
            });
            let name = |line: &Value| line["event"].as_str().expect("a name").to_owned();
            lines.iter().map(name).collect::<Vec<_>>()
        };
        let names = |least, flows| {
            let asked =
                |event: &&Event| event.level() <= least && (flows || **event != Event::FlowEnded);
            Event::ALL.iter().filter(asked).map(|event| event.name()).collect::<Vec<_>>()
        };
        for level in [LogLevel::Error, LogLevel::Warning, LogLevel::Info] {
            assert_eq!(told(level, false), names(level, false));
        }
        assert_eq!(told(LogLevel::Info, true).len(), Event::ALL.len());
        assert_eq!(told(LogLevel::Error, true), names(LogLevel::Error, true));
    }

    #[test]
    fn a_stream_of_one_event_is_cut_and_counted() {
        let at = |seconds: u64| Time::from_nanos(seconds * 1_000_000_000);
        let burst = u64::from(Event::Host.burst());
        let lines = written(&FLOWS, |log| {
            for number in 0..burst + 30 {
                log.tell_at(at(1), Event::Host, &json!({ "number": number }));
            }
            log.tell_at(at(1), Event::WorkerDied, &json!({}));
            log.tell_at(at(100), Event::Host, &json!({}));
            log.tell_at(at(100), Event::Host, &json!({}));
        });
        assert_eq!(lines.len() as u64, burst + 3, "another event has lines of its own");
        let suppressed = lines.iter().filter_map(|line| line["suppressed"].as_u64());
        assert_eq!(suppressed.collect::<Vec<_>>(), [30], "told once");
    }

    #[test]
    fn what_was_left_out_is_told_in_the_end() {
        let lines = written(&FLOWS, |log| {
            for _ in 0..25 {
                log.tell_at(Time::from_nanos(1), Event::Host, &json!({}));
            }
            log.settle();
            log.settle();
        });
        assert_eq!(lines.len(), 21);
        assert_eq!(lines[20]["suppressed"], 5);
        assert_eq!(lines[20]["event"], "host");
    }

    #[test]
    fn a_reader_that_does_not_read_holds_nobody_up() {
        let (sink, mut source) = UnixStream::pair().expect("a pair of sockets");
        let log = Log::to(sink, &FLOWS);
        let field = "x".repeat(2000);
        for _ in 0..2000 {
            log.tell(Event::FlowEnded, &json!({ "reason": field }));
        }
        log.sink.shutdown(Shutdown::Write).expect("its end");
        let mut text = String::new();
        source.read_to_string(&mut text).expect("what was written");
        let whole = text.lines().filter(|line| serde_json::from_str::<Value>(line).is_ok());
        assert_eq!(whole.count(), text.lines().count(), "no line is cut");
        assert!(text.lines().count() < 2000, "four megabytes have room nowhere");
    }

    #[test]
    fn a_line_that_no_pipe_takes_whole_loses_its_fields() {
        let lines = written(&FLOWS, |log| {
            log.tell(Event::Host, &json!({ "what": "x".repeat(LONGEST_LINE) }));
        });
        assert_eq!(lines[0]["event"], "host");
        assert_eq!(lines[0].get("what"), None);
    }

    #[test]
    fn every_event_has_a_name_of_its_own() {
        let names: std::collections::BTreeSet<_> =
            Event::ALL.iter().map(|event| event.name()).collect();
        assert_eq!(names.len(), Event::ALL.len());
    }
}
