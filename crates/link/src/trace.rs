//! Links that were recorded: when each could send, as Mahimahi writes it (Netravali et al.:
//! Mahimahi: Accurate Record-and-Replay for HTTP, USENIX ATC 2015, §4.2; mm-link(1)), or with what
//! the first packets after an idle time met as well ([`load`]).

mod load;
mod table;

use std::fmt;
use std::sync::Arc;

use base::{Duration, Rate, Time};
use settings::Content;

use load::{Load, Train};

/// What one opportunity carries, IP headers included.
pub const OPPORTUNITY_BYTES: u32 = 1500;

/// When a link could send [`OPPORTUNITY_BYTES`]. It repeats when it ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trace {
    /// Milliseconds from the start, in order; the last, above zero, is its period.
    stamps: Arc<[u64]>,
    /// What depends on load, if that was recorded: the stamps are then those of a saturated link.
    load: Option<Arc<Load>>,
}

impl Content for Trace {
    const EXPECTED: &'static str = "the path of a trace, or shipped:NAME";
}

/// What is wrong with a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceError {
    /// This line, from 1, is not a whole number of milliseconds within the longest run.
    NotANumber(usize),
    /// This line, from 1, lies before the line above it.
    Backwards(usize),
    /// It has no line, or all its lines are 0.
    NoTime,
    /// What is valid in this line, from 1, of a table.
    Line(usize, &'static str),
    /// What a table lacks.
    Table(&'static str),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotANumber(line) => {
                write!(f, "line {line}: not a number: expected whole milliseconds from the start")
            }
            Self::Backwards(line) => {
                write!(f, "line {line}: before the line above it: times must not go back")
            }
            Self::NoTime => {
                f.write_str("takes no time: its last line must be above 0, in milliseconds")
            }
            Self::Line(line, message) => write!(f, "line {line}: {message}"),
            Self::Table(message) => f.write_str(message),
        }
    }
}

/// About 31 years, so that no time overflows.
const LONGEST_MS: u64 = 1_000_000_000_000;

impl Trace {
    /// Reads a text with one time in milliseconds per line, or the table of a trace that depends on
    /// load.
    pub fn parse(text: &[u8]) -> Result<Self, TraceError> {
        if table::is_table(text) { table::parse(text) } else { Self::of_mahimahi(text) }
    }

    fn of_mahimahi(text: &[u8]) -> Result<Self, TraceError> {
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let mut stamps = Vec::new();
        let lines = text.split(|&byte| byte == b'\n').take_while(|_| !text.is_empty());
        for (line, number) in lines.zip(1..) {
            let stamp = std::str::from_utf8(line.trim_ascii())
                .ok()
                .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok())
                .filter(|&stamp| stamp <= LONGEST_MS)
                .ok_or(TraceError::NotANumber(number))?;
            if stamps.last().is_some_and(|&last| stamp < last) {
                return Err(TraceError::Backwards(number));
            }
            stamps.push(stamp);
        }
        match stamps.last() {
            None | Some(0) => Err(TraceError::NoTime),
            Some(_) => Ok(Self { stamps: stamps.into(), load: None }),
        }
    }

    /// Its period.
    pub fn period(&self) -> Duration {
        Duration::from_millis(self.stamps[self.stamps.len() - 1])
    }

    /// The mean rate of its opportunities.
    pub fn mean_rate(&self) -> Rate {
        let bits = self.stamps.len() as u128 * u128::from(OPPORTUNITY_BYTES) * 8;
        let bps = bits * 1_000_000_000 / u128::from(self.period().as_nanos());
        Rate::from_bps(u64::try_from(bps).unwrap_or(u64::MAX).max(1))
    }

    /// The mean of its opportunities after `start`, for a time of `span`, in bit/s.
    pub(crate) fn bps(&self, start: Time, span: Duration) -> u64 {
        let count = self.opportunities(start + span) - self.opportunities(start);
        let bits = u128::from(count) * u128::from(OPPORTUNITY_BYTES) * 8;
        (bits * 1_000_000_000 / u128::from(span.as_nanos())) as u64
    }

    /// How many opportunities there are until `time`, itself included.
    pub fn opportunities(&self, time: Time) -> u64 {
        let next = self.first_from(time + Duration::from_nanos(1));
        next.round * self.stamps.len() as u64 + next.index as u64
    }

    /// The delay that was recorded of what leaves at `time`.
    pub(crate) fn delay(&self, time: Time) -> Duration {
        self.load.as_ref().map_or(Duration::ZERO, |load| load.delay(self.within(time)))
    }

    /// How far `time` lies within its period.
    fn within(&self, time: Time) -> Duration {
        Duration::from_nanos(time.as_nanos() % self.period().as_nanos())
    }

    /// The first opportunity at or after `time`.
    fn first_from(&self, time: Time) -> Opportunity {
        let (nanos, period) = (time.as_nanos(), self.period().as_nanos());
        let round = nanos.saturating_sub(1) / period;
        let within = Duration::from_nanos(nanos - round * period);
        let index = self.stamps.partition_point(|&stamp| Duration::from_millis(stamp) < within);
        Opportunity { round, index }
    }

    fn time(&self, opportunity: Opportunity) -> Time {
        let stamp = Duration::from_millis(self.stamps[opportunity.index]);
        Time::ZERO + self.period() * opportunity.round + stamp
    }

    fn after(&self, Opportunity { round, index }: Opportunity) -> Opportunity {
        if index + 1 < self.stamps.len() {
            Opportunity { round, index: index + 1 }
        } else {
            Opportunity { round: round + 1, index: 0 }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Opportunity {
    /// How often the trace had ended before.
    round: u64,
    index: usize,
}

/// A link's position in its trace.
#[derive(Debug)]
pub(crate) struct Cursor {
    trace: Trace,
    opportunity: Opportunity,
    /// What is left of it.
    left: u32,
    train: Train,
}

impl Cursor {
    pub(crate) fn new(trace: Trace) -> Self {
        let opportunity = Opportunity { round: 0, index: 0 };
        Self { trace, opportunity, left: OPPORTUNITY_BYTES, train: Train::default() }
    }

    pub(crate) const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// When the last of `bytes` leaves that are sent from `start` on. After an idle time a train of
    /// opportunities of its own comes first, if one was recorded.
    pub(crate) fn transmit(&mut self, since: Time, start: Time, bytes: u32) -> Time {
        let Some(load) = &self.trace.load else { return self.saturated(since, start, bytes) };
        if self.train.is_over(load, since) {
            self.train = load.train(self.trace.within(since), since);
        }
        let departs = match self.train.transmit(load, since, start, bytes) {
            Ok(departs) => departs,
            Err(rest) => {
                let end = self.train.end(load);
                self.saturated(since.max(end), start, rest)
            }
        };
        self.train.sent(departs);
        departs
    }

    /// The same by the opportunities of a saturated link. As in Mahimahi, a packet may take several
    /// opportunities, several small ones share one, and what comes at the very time of an
    /// opportunity, `since`, is too late for it.
    fn saturated(&mut self, since: Time, start: Time, mut bytes: u32) -> Time {
        let from = start.max(since + Duration::from_nanos(1));
        let missed = self.trace.time(self.opportunity) < from;
        if missed {
            self.opportunity = self.trace.first_from(from);
            self.left = OPPORTUNITY_BYTES;
        }
        if self.left == 0 {
            self.advance();
        }
        while bytes > self.left {
            bytes -= self.left;
            self.advance();
        }
        self.left -= bytes;
        self.trace.time(self.opportunity)
    }

    fn advance(&mut self) {
        self.opportunity = self.trace.after(self.opportunity);
        self.left = OPPORTUNITY_BYTES;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn trace(stamps: &[u64]) -> Trace {
        let lines: Vec<_> = stamps.iter().map(u64::to_string).collect();
        Trace::parse(lines.join("\n").as_bytes()).expect("valid")
    }

    const fn at(millis: u64) -> Time {
        Time::from_nanos(millis * 1_000_000)
    }

    #[test]
    fn texts() {
        let check = |text: &str, expect| {
            assert_eq!(Trace::parse(text.as_bytes()).map(|trace| trace.stamps.to_vec()), expect);
        };
        check("0\n5\n5\n9\n", Ok(vec![0, 5, 5, 9]));
        check("3\r\n4", Ok(vec![3, 4]));
        check("", Err(TraceError::NoTime));
        check("0\n0\n", Err(TraceError::NoTime));
        check("1\n\n2\n", Err(TraceError::NotANumber(2)));
        check("1\n+2\n", Err(TraceError::NotANumber(2)));
        check("1\n2\n2.5\n", Err(TraceError::NotANumber(3)));
        check("1\n99999999999999\n", Err(TraceError::NotANumber(2)));
        check("1\n3\n2\n", Err(TraceError::Backwards(3)));
        assert_eq!(Trace::parse(b"1\n\xff"), Err(TraceError::NotANumber(2)));
    }

    #[test]
    fn opportunities_and_the_mean_rate() {
        let trace = trace(&[0, 4, 4, 10]);
        assert_eq!(trace.mean_rate(), Rate::from_bps(4 * 1500 * 8 * 100));
        let counts = [0, 3, 4, 9, 10, 14].map(|ms| trace.opportunities(at(ms)));
        assert_eq!(counts, [1, 1, 3, 3, 5, 7]);
    }

    /// When packets of these (arrival, start, bytes) leave.
    fn check(stamps: &[u64], packets: &[(u64, u64, u32)], expect: &[u64]) {
        let mut cursor = Cursor::new(trace(stamps));
        let leave = |&(since, start, bytes): &_| cursor.transmit(at(since), at(start), bytes);
        let times: Vec<_> = packets.iter().map(leave).collect();
        assert_eq!(times, expect.iter().map(|&ms| at(ms)).collect::<Vec<_>>());
    }

    #[test]
    fn packets_take_and_share_opportunities() {
        check(&[5, 10], &[(1, 1, 1500), (1, 5, 1500), (1, 10, 1500)], &[5, 10, 15]);
        check(&[5, 10], &[(1, 1, 500), (1, 5, 1000), (1, 5, 1)], &[5, 5, 10]);
        check(&[5, 10], &[(1, 1, 3001), (1, 15, 1499)], &[15, 15]);
        check(&[5, 5, 10], &[(1, 1, 2000), (1, 5, 1000)], &[5, 5]);
    }

    /// When packets of these (arrival, start, bytes) leave, where bursts meet trains: in the first
    /// 50 ms 1 packet at once and 2 after 4 ms, then 1 after 30 ms. Saturated, it is 1 each 10 ms.
    fn check_bursts(packets: &[(u64, u64, u32)], expect: &[u64]) {
        let light = "series,at_ms,ms,packets\nidle,,20,\nlight,0,0,1\nlight,0,4,2\nlight,50,30,1\n";
        let heavy: Vec<_> = (1..=10).map(|tens| format!("heavy,{},,1\n", tens * 10)).collect();
        let trace = Trace::parse((light.to_owned() + &heavy.concat()).as_bytes()).expect("valid");
        let mut cursor = Cursor::new(trace);
        let leave = |&(since, start, bytes): &_| cursor.transmit(at(since), at(start), bytes);
        let times: Vec<_> = packets.iter().map(leave).collect();
        assert_eq!(times, expect.iter().map(|&ms| at(ms)).collect::<Vec<_>>(), "{packets:?}");
    }

    #[test]
    fn a_burst_is_sent_by_its_train_and_then_as_a_saturated_link_sends() {
        check_bursts(&[(3, 3, 1500), (3, 3, 1500), (3, 7, 1500)], &[3, 7, 7]);
        check_bursts(&[(3, 3, 1500), (3, 3, 3000), (3, 7, 1), (3, 10, 1500)], &[3, 7, 10, 20]);
        check_bursts(&[(3, 3, 6001)], &[20]);
        check_bursts(&[(6, 6, 4500), (6, 10, 1)], &[10, 20]);
        check_bursts(&[(55, 55, 1500), (55, 85, 1500)], &[85, 90]);
        check_bursts(&[(153, 153, 1500)], &[183]);
    }

    #[test]
    fn what_of_a_train_no_packet_waits_for_is_lost() {
        check_bursts(&[(3, 3, 100), (5, 5, 100)], &[3, 7]);
        check_bursts(&[(3, 3, 100), (7, 7, 100)], &[3, 10]);
        check_bursts(&[(3, 3, 100), (22, 22, 100)], &[3, 30]);
    }

    #[test]
    fn a_burst_begins_after_an_idle_time() {
        check_bursts(&[(3, 3, 100), (23, 23, 100)], &[3, 23]);
        check_bursts(&[(3, 3, 4500), (26, 26, 100)], &[7, 30]);
        check_bursts(&[(3, 3, 4500), (27, 27, 100)], &[7, 27]);
        check_bursts(&[(3, 3, 100), (47, 47, 100), (70, 70, 1)], &[3, 47, 100]);
    }

    #[test]
    fn delays_hold_from_their_times_on_in_each_period() {
        let table = "series,at_ms,ms,packets\ndelay,0,7,\ndelay,60,9.5,\nheavy,100,,1\n";
        let trace = Trace::parse(table.as_bytes()).expect("valid");
        let delays = [0, 59, 60, 99, 100, 160].map(|ms| trace.delay(at(ms)).as_nanos() / 100_000);
        assert_eq!(delays, [70, 70, 95, 95, 70, 95]);
    }

    #[test]
    fn what_comes_at_the_time_of_an_opportunity_is_too_late_for_it() {
        check(&[5, 10], &[(5, 5, 40)], &[10]);
        check(&[5, 10], &[(1, 1, 40), (5, 5, 40)], &[5, 10]);
        check(&[0, 10], &[(0, 0, 40), (10, 10, 40)], &[10, 20]);
    }

    proptest! {
        /// A link that is never idle sends exactly what its opportunities carry.
        #[test]
        fn capacity_is_the_sum_of_opportunities(
            mut stamps in prop::collection::vec(1_u64..50, 1..20),
            packets in prop::collection::vec(1_u32..4000, 1..100),
        ) {
            stamps.sort_unstable();
            let mut cursor = Cursor::new(trace(&stamps));
            let (mut now, mut sent) = (Time::ZERO, 0);
            for bytes in packets {
                let left = cursor.transmit(Time::ZERO, now, bytes);
                prop_assert!(left >= now);
                sent += u64::from(bytes);
                now = left;
                let carried = cursor.trace.opportunities(now) * u64::from(OPPORTUNITY_BYTES);
                let before = cursor.trace.opportunities(Time::from_nanos(now.as_nanos() - 1));
                prop_assert!(sent <= carried);
                prop_assert!(sent > before * u64::from(OPPORTUNITY_BYTES));
            }
        }
    }
}
