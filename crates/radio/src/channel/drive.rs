//! The ratio of signal to noise as it was recorded along a drive: a CSV file.

use base::{Duration, Schedule, Time};
use settings::Content;

use super::curve;
use crate::kit::csv::{self, short};

/// A ratio of signal to noise over time, in decibels. Each line holds from its time on, the first
/// that has a value from the start, the last for ever.
#[derive(Clone, PartialEq, Debug)]
pub struct Drive(pub(crate) Schedule<f64>);

impl Content for Drive {
    const EXPECTED: &'static str = "the path of a CSV file with a column of times (time_s, time_ms \
                                    or Timestamp) and one of SNR, CQI or MCS, or shipped:NAME";
}

/// A column in which a mobile says how good its radio is: its names, and the scale of its values.
struct Signal {
    names: &'static [&'static str],
    scale: Scale,
}

/// The scale of a column's values.
enum Scale {
    /// Decibels.
    Ratio,
    /// Indices of these ratios in decibels.
    Index(Vec<f64>),
}

/// The form of times.
#[derive(Clone, Copy)]
enum Clock {
    /// As numbers, each of so many seconds.
    Numbers(f64),
    /// As G-NetTrack writes them, from the first line on.
    Stamps,
}

const CLOCKS: [(&str, Clock); 4] = [
    ("time_s", Clock::Numbers(1.0)),
    ("time_ms", Clock::Numbers(1e-3)),
    ("time", Clock::Numbers(1.0)),
    ("timestamp", Clock::Stamps),
];

/// No ratio is further from 1, in dB.
const MOST_DB: f64 = 100.0;

/// No time is later, in seconds.
const MOST_SECONDS: f64 = 1e9;

/// Bits per resource element of each indicator of channel quality, from 1 (TS 36.213 table 7.2.3-1,
/// TS 38.214 table 5.2.2.1-2).
const CQI: [f64; 15] = [
    0.1523, 0.2344, 0.3770, 0.6016, 0.8770, 1.1758, 1.4766, 1.9141, 2.4063, 2.7305, 3.3223, 3.9023,
    4.5234, 5.1152, 5.5547,
];

/// The ratio that CQI 0 stands for: out of range. Our choice, in which no block gets through.
const OUT_OF_RANGE: f64 = -20.0;

impl Drive {
    /// Reads a CSV file: a header, then a line for each time. A value of `-` or nothing is as the
    /// one before. Of SNR, CQI and MCS the first counts that has values; the ratio that an index of
    /// modulation and coding needs is one of `mcs`, in decibels. Other columns do not count.
    ///
    /// # Errors
    /// The fault, and its line.
    pub fn parse(text: &[u8], mcs: &[f64]) -> Result<Self, String> {
        let signals = signals(mcs);
        let mut header: Option<Header<'_>> = None;
        let mut last = 0.0;
        for line in csv::lines(text) {
            let (number, cells) = line?;
            let in_line = csv::in_line(number);
            let Some(header) = &mut header else {
                header = Some(Header::new(&cells, &signals).map_err(in_line)?);
                continue;
            };
            csv::check_width(&cells, &header.names).map_err(in_line)?;
            let seconds = header.seconds(&cells).map_err(in_line)?;
            if seconds < last {
                return Err(in_line(csv::BACKWARDS.to_owned()));
            }
            last = seconds;
            header.take(Time::ZERO + Duration::from_secs_f64(seconds), &cells).map_err(in_line)?;
        }
        let header = header.ok_or("has no line: expected a header, such as time_s,snr_db")?;
        let mut courses = header.columns.into_iter().map(|column| column.course);
        let course = courses.find(|course| !course.is_empty());
        let course = course.ok_or("has no value of SNR, CQI or MCS in any line")?;
        Ok(Self(Schedule::new(course[0].1, course[1..].to_vec())))
    }
}

/// A file's columns, and what they have said so far.
struct Header<'a> {
    names: Vec<String>,
    clock: Clock,
    /// The place of times in a line.
    clock_at: usize,
    /// The stamp of the first line, in seconds.
    begun: Option<u64>,
    columns: Vec<Column<'a>>,
}

/// A column of values.
struct Column<'a> {
    at: usize,
    scale: &'a Scale,
    course: Vec<(Time, f64)>,
}

impl<'a> Header<'a> {
    fn new(cells: &[&str], signals: &'a [Signal]) -> Result<Self, String> {
        let names: Vec<_> = cells.iter().map(|name| name.to_ascii_lowercase()).collect();
        let place = |known: &str| names.iter().position(|name| name == known);
        let mut clocks = CLOCKS.iter().filter_map(|(name, clock)| Some((place(name)?, *clock)));
        let (clock_at, clock) =
            clocks.next().ok_or("no column of times: expected time_s, time_ms or Timestamp")?;
        let column = |signal: &'a Signal| {
            let at = signal.names.iter().find_map(|name| place(name))?;
            Some(Column { at, scale: &signal.scale, course: Vec::new() })
        };
        let columns: Vec<_> = signals.iter().filter_map(column).collect();
        if columns.is_empty() {
            let known: Vec<_> = signals.iter().map(|signal| signal.names[0]).collect();
            return Err(format!("no column of the radio: expected {}", known.join(" or ")));
        }
        Ok(Self { names, clock, clock_at, begun: None, columns })
    }

    /// The time of a line.
    fn seconds(&mut self, cells: &[&str]) -> Result<f64, String> {
        let text = cells[self.clock_at];
        let wrong = |expected| {
            format!("{} {}: expected {expected}", self.names[self.clock_at], short(text))
        };
        match self.clock {
            Clock::Numbers(unit) => {
                let seconds = text.parse::<f64>().ok().map(|value| value * unit);
                let seconds = seconds.filter(|seconds| (0.0..=MOST_SECONDS).contains(seconds));
                seconds.ok_or_else(|| wrong(format!("a number from 0 to {}", MOST_SECONDS / unit)))
            }
            Clock::Stamps => {
                let example = "a time such as 2019.12.16_13.40.04";
                let stamp = stamp(text).ok_or_else(|| wrong(example.to_owned()))?;
                let begun = *self.begun.get_or_insert(stamp);
                let seconds = stamp.checked_sub(begun).ok_or(csv::BACKWARDS)?;
                Ok(seconds as f64)
            }
        }
    }

    /// Takes what a line says of the radio at its time.
    fn take(&mut self, time: Time, cells: &[&str]) -> Result<(), String> {
        for Column { at, scale, course } in &mut self.columns {
            let text = cells[*at];
            if !matches!(text, "" | "-") {
                let ratio = scale.ratio(text);
                let ratio = ratio.map_err(|expected| {
                    format!("{} {}: expected {expected}", self.names[*at], short(text))
                })?;
                course.push((time, ratio));
            }
        }
        Ok(())
    }
}

/// The columns that there may be; `mcs` has the ratio that each index needs.
fn signals(mcs: &[f64]) -> Vec<Signal> {
    let indicators = CQI.iter().map(|bits| curve::needed(*bits));
    let indicators = std::iter::once(OUT_OF_RANGE).chain(indicators).collect();
    let mut signals = vec![
        Signal { names: &["snr", "snr_db", "sinr", "sinr_db"], scale: Scale::Ratio },
        Signal { names: &["cqi"], scale: Scale::Index(indicators) },
    ];
    if !mcs.is_empty() {
        signals.push(Signal { names: &["mcs"], scale: Scale::Index(mcs.to_vec()) });
    }
    signals
}

impl Scale {
    /// The ratio that `text` stands for, or what is expected there.
    fn ratio(&self, text: &str) -> Result<f64, String> {
        match self {
            Self::Ratio => {
                let ratio = text.parse::<f64>().ok().filter(|ratio| ratio.abs() <= MOST_DB);
                ratio.ok_or_else(|| format!("a number from -{MOST_DB} to {MOST_DB}"))
            }
            Self::Index(ratios) => {
                let ratio = text.parse::<usize>().ok().and_then(|index| ratios.get(index));
                let last = ratios.len() - 1;
                ratio.copied().ok_or_else(|| format!("a whole number from 0 to {last}"))
            }
        }
    }
}

/// The seconds of a stamp since some day before it: year, month and day, hour, minute and second.
fn stamp(text: &str) -> Option<u64> {
    let (day, time) = text.split_once('_')?;
    let [year, month, day] = numbers(day)?;
    let [hour, minute, second] = numbers(time)?;
    let is_one = (1..=12).contains(&month) && (1..=31).contains(&day) && year <= 9999;
    if !is_one || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // A year that begins in March has its leap day at its end.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.max(1) - 1, month + 9) };
    let leap_days = year / 4 - year / 100 + year / 400;
    let days = 365 * year + leap_days + (153 * month + 2) / 5 + day;
    Some(((days * 24 + hour) * 60 + minute) * 60 + second)
}

/// Three numbers with dots between them.
fn numbers(text: &str) -> Option<[u64; 3]> {
    let numbers: Option<Vec<_>> = text.split('.').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::close;

    fn course(text: &str) -> Vec<(u64, f64)> {
        let Drive(snr) = Drive::parse(text.as_bytes(), &[-5.0, 0.0, 7.5]).expect("it is valid");
        let at = |time: Time| (time.as_nanos() / 1_000_000, snr.at(time));
        std::iter::once(Time::ZERO).chain(snr.changes()).map(at).collect()
    }

    #[test]
    fn what_is_missing_is_as_before() {
        let text = "Timestamp,Speed,SNR,CQI\n\
                    2019.12.16_13.40.04,0,-,-\n\
                    2019.12.16_13.40.05,0,12,3\n\
                    2019.12.16_13.40.06,7,-,4\n\
                    2019.12.16_13.40.09,7,-2.5,-\n";
        assert_eq!(course(text), [(0, 12.0), (5000, -2.5)]);
        assert_eq!(
            course("time_ms, snr_db\n500,1\n\n# pause\n700, \n900,2\n"),
            [(0, 1.0), (900, 2.0)]
        );
    }

    #[test]
    fn a_day_and_a_year_end() {
        let text = "SNR,Timestamp\n1,2019.12.31_23.59.58\n2,2020.01.01_00.00.01\n\
                    3,2020.03.01_00.00.01\n";
        let days = (31 + 29) * 86_400_000;
        assert_eq!(course(text), [(0, 1.0), (3000, 2.0), (3000 + days, 3.0)]);
    }

    #[test]
    fn the_first_column_with_values_counts() {
        let indicators = "time_s,SNR,CQI,MCS\n0,-,0,1\n1,-,1,2\n2,-,15,0\n";
        let ratios = course(indicators);
        close(ratios[0].1, OUT_OF_RANGE, 1e-9);
        // The ratio that the same bits need in a table of schemes.
        close(ratios[1].1, curve::needed(0.1523), 1e-9);
        close(ratios[2].1, curve::needed(5.5547), 1e-9);
        assert_eq!(course("time,MCS\n0,2\n3,0\n"), [(0, 7.5), (3000, -5.0)]);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Drive::parse(text.as_bytes(), &[1.0]).expect_err(text), expect);
        };
        check("", "has no line: expected a header, such as time_s,snr_db");
        check("time_s,snr\n", "has no value of SNR, CQI or MCS in any line");
        check("time_s,snr\n0,-\n", "has no value of SNR, CQI or MCS in any line");
        check("snr\n1\n", "line 1: no column of times: expected time_s, time_ms or Timestamp");
        check("time_s,rsrp\n0,-90\n", "line 1: no column of the radio: expected snr or cqi or mcs");
        check("time_s,snr\n0,1,2\n", "line 2: 3 values: expected 2, as in the header");
        check("time_s,snr\n0,1\n1,x\n", "line 3: snr \"x\": expected a number from -100 to 100");
        check("time_s,snr\n0,NaN\n", "line 2: snr \"NaN\": expected a number from -100 to 100");
        check("time_s,cqi\n0,16\n", "line 2: cqi \"16\": expected a whole number from 0 to 15");
        check("time_s,mcs\n0,1\n", "line 2: mcs \"1\": expected a whole number from 0 to 0");
        check("time_s,snr\n5,1\n4,1\n", &format!("line 3: {}", csv::BACKWARDS));
        let stamps = "Timestamp,snr\n2019.12.16_13.40.04,1\n";
        check(&format!("{stamps}2019.12.16_13.40.03,1\n"), &format!("line 3: {}", csv::BACKWARDS));
        check(
            &format!("{stamps}16.12.2019,1\n"),
            "line 3: timestamp \"16.12.2019\": expected a time such as 2019.12.16_13.40.04",
        );
        check(
            "time_s,snr\n-1,1\n",
            "line 2: time_s \"-1\": expected a number from 0 to 1000000000",
        );
    }
}
