//! Trace files of ns-2: a line for each packet enqueued, dequeued, received or dropped at a link.
//! docs/ns2.md says what each column is.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};

use base::{Ecn, Flags, Time};
use world::NodeId;

use crate::transit::{Cargo, Kind, StreamPosition, Transit, TransitEventKind};
use crate::{FlowDirection, Metrics, Outcome};

/// What ns-2 writes in place of a missing number.
const NONE: i64 = -1;

/// Writes the trace file of `outcome`, which was recorded with [`crate::Recording::Ns2`]; of other
/// outcomes it is empty.
///
/// # Errors
/// The writer's.
pub fn write_ns2(outcome: &Outcome, mut writer: impl Write) -> io::Result<()> {
    let transits = outcome.trace.as_ref().and_then(|trace| trace.transits.as_ref());
    let flows = Flows::of(outcome);
    for step in transits.iter().flat_map(|transits| &transits.events) {
        let transit = transits.map(|transits| &transits.rows[step.transit as usize]);
        let Some(transit) = transit else { continue };
        let (letter, ecn) = match step.event {
            TransitEventKind::Enqueued => ('+', transit.ecn[0]),
            // A queue marks before the packet leaves it.
            TransitEventKind::Dequeued => ('-', transit.ecn[1]),
            TransitEventKind::Received => ('r', transit.ecn[1]),
            TransitEventKind::Dropped => ('d', transit.ecn[1]),
        };
        flows.write(&mut writer, letter, Seconds(step.time), transit, ecn)?;
    }
    writer.flush()
}

/// Writes the number of each node and address of a mobile, a line each.
///
/// # Errors
/// The writer's.
pub fn write_ns2_nodes(outcome: &Outcome, mut writer: impl Write) -> io::Result<()> {
    for (number, name) in outcome.nodes.iter().enumerate() {
        writeln!(writer, "{number} {name}")?;
    }
    writer.flush()
}

/// The flows of connections.
struct Flows<'a> {
    metrics: &'a Metrics,
    /// The number of the flow, and the bytes of its segments.
    by_way: BTreeMap<FlowDirection, (i64, u64)>,
    /// Higher numbers are addresses of mobiles.
    nodes: u32,
}

impl<'a> Flows<'a> {
    fn of(outcome: &'a Outcome) -> Self {
        let mut by_way = BTreeMap::new();
        let flows = outcome.metrics.flows();
        for row in outcome.trace.iter().flat_map(|trace| &trace.segments) {
            if let Some((flow, _)) = outcome.metrics.flow_of(row.endpoint) {
                let known = (flow as i64, u64::from(flows[flow].flow.mss));
                by_way.insert(row.way, known);
                by_way.insert(row.way.reversed(), known);
            }
        }
        Self { metrics: &outcome.metrics, by_way, nodes: outcome.nodes.len() as u32 }
    }

    fn write(
        &self,
        writer: &mut impl Write,
        letter: char,
        time: Seconds,
        transit: &Transit,
        ecn: Ecn,
    ) -> io::Result<()> {
        let Transit { uid, from, to, ends, bytes, cargo, .. } = *transit;
        let (name, [source_port, destination_port]) = match &cargo {
            Some(Cargo { kind: Kind::Data, way, .. }) => ("tcp", way.ports),
            Some(Cargo { kind: Kind::Acknowledgement, way, .. }) => ("ack", way.ports),
            Some(Cargo { kind: Kind::Datagram(_), way, .. }) => ("cbr", way.ports),
            None => ("message", [0, 0]),
        };
        let flow = cargo.and_then(|cargo| self.flow(&cargo));
        let (fid, number) = match (flow, cargo) {
            (Some((fid, mss)), Some(cargo)) => (fid, number(cargo.position, mss)),
            _ => (NONE, NONE),
        };
        let to = to.map_or(NONE, i64::from);
        let [source, destination] = [ends.source, ends.destination].map(|node| self.node(node));
        let flags = Letters { ecn, flags: cargo.map_or(Flags::NONE, |cargo| cargo.flags) };
        writeln!(
            writer,
            "{letter} {time} {from} {to} {name} {bytes} {flags} {fid} {source}.{source_port} \
             {destination}.{destination_port} {number} {uid}"
        )
    }

    /// The number of the flow, and the bytes of its segments; datagrams are counted one by one.
    fn flow(&self, cargo: &Cargo) -> Option<(i64, u64)> {
        match cargo.kind {
            Kind::Datagram(sender) => {
                self.metrics.flow_of(sender).map(|(flow, _)| (flow as i64, 1))
            }
            Kind::Data | Kind::Acknowledgement => self.by_way.get(&cargo.way).copied(),
        }
    }

    fn node(&self, NodeId(number): NodeId) -> i64 {
        if number < self.nodes { i64::from(number) } else { NONE }
    }
}

/// ns-2 counts segments: the SYN is 0, data are numbered from 1, and an acknowledgement bears the
/// number of the last segment that it covers.
const fn number(position: StreamPosition, mss: u64) -> i64 {
    let number = match position {
        StreamPosition::Syn => 0,
        StreamPosition::From(byte) => 1 + byte / mss,
        StreamPosition::UpTo(byte) => byte.div_ceil(mss),
        StreamPosition::Behind(byte) => 1 + byte.div_ceil(mss),
        StreamPosition::Number(number) => number,
    };
    number as i64
}

/// The letters of congestion notification in their columns.
struct Letters {
    ecn: Ecn,
    flags: Flags,
}

impl fmt::Display for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letter = |is_set: bool, letter| if is_set { letter } else { '-' };
        let echoes = letter(self.flags.contains(Flags::ECE), 'C');
        // On a SYN both bits only ask for ECN (RFC 3168 §6.1.1).
        let has_reduced = self.flags.contains(Flags::CWR) && !self.flags.contains(Flags::SYN);
        let reduced = letter(has_reduced, 'A');
        let experienced = letter(self.ecn == Ecn::Experienced, 'E');
        let capable = letter(self.ecn != Ecn::NotCapable, 'N');
        write!(f, "{echoes}--{reduced}{experienced}-{capable}")
    }
}

/// A time as ns-2 prints it: in seconds rounded to microseconds, by C's `%.15g`.
#[derive(Clone, Copy)]
struct Seconds(Time);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = (self.0.as_nanos() + 500) / 1_000;
        let (seconds, rest) = (micros / 1_000_000, micros % 1_000_000);
        match micros {
            // %g turns to exponents below 0.0001.
            1..10 => write!(f, "{micros}e-06"),
            10..100 if micros.is_multiple_of(10) => write!(f, "{}e-05", micros / 10),
            10..100 => write!(f, "{}.{}e-05", micros / 10, micros % 10),
            _ if rest == 0 => write!(f, "{seconds}"),
            _ => {
                let (mut digits, mut width) = (rest, 6);
                while digits % 10 == 0 {
                    digits /= 10;
                    width -= 1;
                }
                write!(f, "{seconds}.{digits:0width$}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of ns-2.35 itself.
    #[test]
    fn times_look_as_those_of_ns_2() {
        let check = |nanos, expected| {
            assert_eq!(Seconds(Time::from_nanos(nanos)).to_string(), expected);
        };
        check(0, "0");
        check(400, "0");
        check(500, "1e-06");
        check(20_000, "2e-05");
        check(33_200, "3.3e-05");
        check(99_990, "0.0001");
        check(101_000, "0.000101");
        check(122_840_000, "0.12284");
        check(500_000_000, "0.5");
        check(2_000_000_000, "2");
        check(1_999_999_983_000, "1999.999983");
        check(123_456_789_012_500, "123456.789013");
    }

    #[test]
    fn segments_are_counted_from_the_syn() {
        let check =
            |position, expected| assert_eq!(number(position, 1000), expected, "{position:?}");
        check(StreamPosition::Syn, 0);
        check(StreamPosition::From(0), 1);
        check(StreamPosition::From(999), 1);
        check(StreamPosition::From(1000), 2);
        check(StreamPosition::UpTo(0), 0);
        check(StreamPosition::UpTo(1000), 1);
        check(StreamPosition::UpTo(1001), 2);
        check(StreamPosition::Behind(0), 1);
        check(StreamPosition::Behind(2000), 3);
        check(StreamPosition::Behind(2001), 4);
    }

    #[test]
    fn letters_stand_where_ns_2_has_them() {
        let check = |ecn, flags, expected: &str| {
            assert_eq!(Letters { ecn, flags }.to_string(), expected);
        };
        check(Ecn::NotCapable, Flags::ACK, "-------");
        check(Ecn::NotCapable, Flags::SYN | Flags::ECE | Flags::CWR, "C------");
        check(Ecn::NotCapable, Flags::ACK | Flags::ECE, "C------");
        check(Ecn::Capable, Flags::ACK, "------N");
        check(Ecn::L4s, Flags::ACK, "------N");
        check(Ecn::Capable, Flags::ACK | Flags::CWR, "---A--N");
        check(Ecn::Experienced, Flags::ACK, "----E-N");
    }
}
