//! The text of a trace that depends on load: a table of comma-separated values. `series` says what
//! a line is, `at_ms` when, `ms` for how long or how late, `packets` how many of 1500 B.

use base::Duration;

use super::load::{LightOpportunity, Load, Recorded};
use super::{LONGEST_MS, OPPORTUNITY_BYTES, Trace, TraceError};

/// The first line that is no comment.
const HEADING: &str = "series,at_ms,ms,packets";

/// A thousand seconds, so that no delay overflows.
const LONGEST_DELAY_MS: u64 = 1_000_000;

/// The most packets of a line, so that a few lines cannot fill the memory.
const MOST_PACKETS: u64 = 10_000;

/// A text as far as it was read.
#[derive(Default)]
struct Table {
    idle: Option<Duration>,
    stamps: Vec<u64>,
    trains: Vec<Recorded>,
    opportunities: Vec<LightOpportunity>,
    delays: Vec<(Duration, Duration)>,
}

/// Whether `text` is one of ours: Mahimahi's has digits alone.
pub(super) fn is_table(text: &[u8]) -> bool {
    text.starts_with(b"#") || text.starts_with(b"series")
}

/// Reads a table.
pub(super) fn parse(text: &[u8]) -> Result<Trace, TraceError> {
    let mut table = Table::default();
    let mut is_headed = false;
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let read = std::str::from_utf8(line).map_err(|_| "expected plain text");
        let read = match read {
            Ok(line) if is_headed => table.take(line),
            Ok(HEADING) => Ok(()),
            Ok(_) => Err("expected the heading series,at_ms,ms,packets"),
            Err(message) => Err(message),
        };
        read.map_err(|message| TraceError::Line(number, message))?;
        is_headed = true;
    }
    table.trace().map_err(TraceError::Table)
}

impl Table {
    /// Takes in a line.
    fn take(&mut self, line: &str) -> Result<(), &'static str> {
        let mut fields = line.split(',').map(str::trim);
        let values = [(); 4].map(|()| fields.next());
        let ([Some(series), Some(at), Some(ms), Some(packets)], None) = (values, fields.next())
        else {
            return Err("expected four values: series, at_ms, ms and packets");
        };
        match series {
            "idle" => self.take_idle(at, ms, packets),
            "delay" => self.take_delay(at, ms, packets),
            "light" => self.take_light(at, ms, packets),
            "heavy" => self.take_heavy(at, ms, packets),
            _ => Err("unknown series: expected idle, delay, light or heavy"),
        }
    }

    fn take_idle(&mut self, at: &str, ms: &str, packets: &str) -> Result<(), &'static str> {
        if !at.is_empty() || !packets.is_empty() {
            return Err("idle has ms alone, as in idle,,100,");
        }
        let idle = millis(ms)?;
        if idle == Duration::ZERO {
            return Err("idle: ms must be above 0");
        }
        if self.idle.replace(idle).is_some() {
            return Err("idle: expected once");
        }
        Ok(())
    }

    fn take_delay(&mut self, at: &str, ms: &str, packets: &str) -> Result<(), &'static str> {
        if !packets.is_empty() {
            return Err("delay has at_ms and ms, as in delay,500,24.5,");
        }
        let at = Duration::from_millis(stamp(at)?);
        match self.delays.last() {
            None if at != Duration::ZERO => return Err("delay: the first must be at 0"),
            Some(last) if at <= last.0 => return Err("delay: at_ms must rise from line to line"),
            None | Some(_) => self.delays.push((at, millis(ms)?)),
        }
        Ok(())
    }

    fn take_light(&mut self, at: &str, ms: &str, packets: &str) -> Result<(), &'static str> {
        let at = Duration::from_millis(stamp(at)?);
        let (after, bytes) = (millis(ms)?, count(packets)? * OPPORTUNITY_BYTES);
        let opportunity = LightOpportunity { after, bytes };
        let place = self.opportunities.len();
        match self.trains.last_mut() {
            None if at != Duration::ZERO => return Err("light: the first must be at 0"),
            Some(train) if at == train.at => {
                if self.opportunities.last().is_some_and(|last| after < last.after) {
                    return Err("light: ms must not go back within an at_ms");
                }
                train.end += 1;
            }
            Some(train) if at < train.at => return Err("light: at_ms must not go back"),
            None | Some(_) => self.trains.push(Recorded { at, first: place, end: place + 1 }),
        }
        self.opportunities.push(opportunity);
        Ok(())
    }

    fn take_heavy(&mut self, at: &str, ms: &str, packets: &str) -> Result<(), &'static str> {
        if !ms.is_empty() {
            return Err("heavy has at_ms and packets, as in heavy,500,,3");
        }
        let at = stamp(at)?;
        if self.stamps.last().is_some_and(|&last| at < last) {
            return Err("heavy: at_ms must not go back");
        }
        self.stamps.extend((0..count(packets)?).map(|_| at));
        Ok(())
    }

    /// What was read, if that is whole.
    fn trace(self) -> Result<Trace, &'static str> {
        let Self { idle, stamps, trains, opportunities, delays } = self;
        let period = match stamps.last() {
            None | Some(0) => return Err("takes no time: its last heavy line must be above 0 ms"),
            Some(&last) => Duration::from_millis(last),
        };
        let last = [trains.last().map(|train| train.at), delays.last().map(|delay| delay.0)];
        if last.into_iter().flatten().any(|last| last >= period) {
            return Err("light and delay lines must lie before the last heavy line, its period");
        }
        if idle.is_some() == trains.is_empty() {
            return Err("light lines and an idle line, as in idle,,100, need each other");
        }
        let idle = idle.unwrap_or(Duration::ZERO);
        let load = Load { idle, trains, opportunities, delays };
        Ok(Trace { stamps: stamps.into(), load: Some(load.into()) })
    }
}

/// A time from the start.
fn stamp(text: &str) -> Result<u64, &'static str> {
    let stamp = digits(text).filter(|&stamp| stamp <= LONGEST_MS);
    stamp.ok_or("at_ms: not a number: expected whole milliseconds from the start")
}

/// A duration, of which microseconds count.
fn millis(text: &str) -> Result<Duration, &'static str> {
    let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
    let rest = format!("{rest:0<3}");
    let micros = digits(whole)
        .filter(|&whole| whole <= LONGEST_DELAY_MS)
        .zip(digits(&rest).filter(|_| rest.len() == 3))
        .map(|(whole, rest)| whole * 1000 + rest);
    let micros = micros.ok_or("ms: expected a number of milliseconds from 0, as in 24 or 24.125");
    micros.map(Duration::from_micros)
}

fn count(text: &str) -> Result<u32, &'static str> {
    let count = digits(text).filter(|count| (1..=MOST_PACKETS).contains(count));
    count.map(|count| count as u32).ok_or("packets: expected a whole number from 1 to 10000")
}

/// A number of digits alone.
fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAVY: &str = "heavy,5,,1\nheavy,9,,2";

    #[test]
    fn texts() {
        let check = |text: &str| parse(text.as_bytes()).map(|_| ()).map_err(|why| why.to_string());
        let whole = format!(
            "# a drive\r\nseries,at_ms,ms,packets\r\n\r\n# of mine\r\nidle,,100,\ndelay,0,20.25,\n\
             light,0,0,1\nlight,0,4.5,2\nlight, 3, 1, 10000\ndelay,4,0,\n{HEAVY}\n"
        );
        assert_eq!(check(&whole), Ok(()));
        assert_eq!(check(&format!("{HEADING}\n{HEAVY}")), Ok(()));
        let refused = |lines: &str, expect: &str| {
            let text = format!("{HEADING}\n{lines}");
            assert_eq!(check(&text), Err(expect.to_owned()), "{lines}");
        };
        let four = "line 2: expected four values: series, at_ms, ms and packets";
        for line in ["heavy", "heavy,1,2", "heavy,1,,2,3", "12"] {
            refused(line, four);
        }
        refused("Heavy,1,,2", "line 2: unknown series: expected idle, delay, light or heavy");
        let stamp = "line 2: at_ms: not a number: expected whole milliseconds from the start";
        for line in ["heavy,,,2", "heavy,1.5,,2", "heavy,-1,,2", "delay,x,3,", "light,1e3,3,1"] {
            refused(line, stamp);
        }
        refused("heavy,1000000000001,,1", stamp);
        let ms = "line 2: ms: expected a number of milliseconds from 0, as in 24 or 24.125";
        for line in ["delay,0,,", "delay,0,-1,", "delay,0,1.0001,", "light,0,1e3,1", "idle,,.5,"] {
            refused(line, ms);
        }
        refused("delay,0,1000001,", ms);
        let packets = "line 2: packets: expected a whole number from 1 to 10000";
        for line in ["heavy,1,,", "heavy,1,,0", "heavy,1,,1.5", "light,0,1,10001", "light,0,1,"] {
            refused(line, packets);
        }
        refused("heavy,1,0,2", "line 2: heavy has at_ms and packets, as in heavy,500,,3");
        refused("delay,0,1,2", "line 2: delay has at_ms and ms, as in delay,500,24.5,");
        refused("idle,0,100,", "line 2: idle has ms alone, as in idle,,100,");
        refused("idle,,100,1", "line 2: idle has ms alone, as in idle,,100,");
        refused("idle,,0,", "line 2: idle: ms must be above 0");
        refused("idle,,1,\nidle,,1,", "line 3: idle: expected once");
        refused("delay,3,1,", "line 2: delay: the first must be at 0");
        refused("light,3,1,1", "line 2: light: the first must be at 0");
        refused("delay,0,1,\ndelay,0,2,", "line 3: delay: at_ms must rise from line to line");
        refused("light,0,1,1\nlight,5,1,1\nlight,4,1,1", "line 4: light: at_ms must not go back");
        refused("light,0,2,1\nlight,0,1,1", "line 3: light: ms must not go back within an at_ms");
        refused("heavy,5,,1\nheavy,4,,1", "line 3: heavy: at_ms must not go back");
        let no_time = "takes no time: its last heavy line must be above 0 ms";
        refused("", no_time);
        refused("heavy,0,,3", no_time);
        let late = "light and delay lines must lie before the last heavy line, its period";
        refused(&format!("delay,0,1,\ndelay,9,1,\n{HEAVY}"), late);
        refused(&format!("idle,,1,\nlight,0,1,1\nlight,9,1,1\n{HEAVY}"), late);
        let alone = "light lines and an idle line, as in idle,,100, need each other";
        refused(&format!("idle,,1,\n{HEAVY}"), alone);
        refused(&format!("light,0,1,1\n{HEAVY}"), alone);
        let heading = "line 2: expected the heading series,at_ms,ms,packets";
        assert_eq!(check("# mine\nseries,at,ms"), Err(heading.to_owned()));
        assert_eq!(check("# mine\n5\n10"), Err(heading.to_owned()));
        let plain = Err(TraceError::Line(2, "expected plain text"));
        assert_eq!(parse(b"# mine\n\xff"), plain);
    }
}
