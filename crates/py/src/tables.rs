//! Rows to columns.

use std::collections::BTreeMap;

use base::{Duration, Time};
use numpy::{Element, PyArray1};
use observe::{
    BlockKind, CodeEvent, DropReason, HandoverEvent, PacketEvent, RrcEvent, RrcState, Subject,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::{
    CellMetrics, DatagramOutcome, DatagramRow, End, Event, Metrics, MiddleboxEvent,
    MiddleboxMetrics, MobilityRow, Outcome, Trace, Way,
};

/// A table under construction: a dict of numpy arrays of one length.
struct Table<'py>(Bound<'py, PyDict>);

impl<'py> Table<'py> {
    fn new(py: Python<'py>) -> Self {
        Self(PyDict::new(py))
    }

    /// Adds a column.
    fn column<T: Element>(self, name: &str, values: impl Iterator<Item = T>) -> PyResult<Self> {
        self.0.set_item(name, PyArray1::from_vec(self.0.py(), values.collect()))?;
        Ok(self)
    }

    fn time(self, values: impl Iterator<Item = Time>) -> PyResult<Self> {
        self.column("time_s", values.map(Time::as_secs_f64))
    }
}

/// `rtt`, `cwnd` and `events` of every flow; `base_rtt` where a controller has one, `pages`,
/// `echoes`, `probes` and `datagrams` where there are some; the tables of `cell` and `middlebox`,
/// where there is one, and `mobility` where something of it has happened.
pub(crate) fn series<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let (metrics, summary) = (&outcome.metrics, &outcome.summary);
    let tables = PyDict::new(py);
    let numbered = || metrics.rtt().enumerate();
    let rtt = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    let table = Table::new(py)
        .time(rtt().map(|(_, row)| row.time))?
        .column("flow", rtt().map(|(flow, _)| flow as u32))?
        .column("offset", rtt().map(|(_, row)| row.sample.offset))?
        .column("rtt_s", rtt().map(|(_, row)| row.sample.rtt.as_secs_f64()))?;
    tables.set_item("rtt", table.0)?;

    let flows = || metrics.cwnd().enumerate();
    let cwnd =
        || flows().flat_map(|(id, (flow, rows))| rows.iter().map(move |row| (id, flow.mss, row)));
    let segments = |bytes: u64, mss: u32| bytes as f64 / f64::from(mss);
    let table = Table::new(py)
        .time(cwnd().map(|(_, _, row)| row.time))?
        .column("flow", cwnd().map(|(id, ..)| id as u32))?
        .column("cwnd_segments", cwnd().map(|(_, mss, row)| segments(row.cwnd, mss)))?
        .column("ssthresh_segments", cwnd().map(|(_, mss, row)| segments(row.ssthresh, mss)))?;
    tables.set_item("cwnd", table.0)?;

    let numbered = || metrics.events().enumerate();
    let events = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    let code = |event| Event::ALL.iter().position(|&other| other == event).unwrap_or(0) as u8;
    let table = Table::new(py)
        .time(events().map(|(_, row)| row.time))?
        .column("flow", events().map(|(flow, _)| flow as u32))?
        .column("event", events().map(|(_, row)| code(row.event)))?
        .column("offset", events().map(|(_, row)| row.offset))?;
    tables.set_item("events", table.0)?;
    if metrics.base_rtt().any(|rows| !rows.is_empty()) {
        tables.set_item("base_rtt", base_rtt(py, metrics)?.0)?;
    }
    if metrics.pages().any(|rows| !rows.is_empty()) {
        tables.set_item("pages", pages(py, metrics)?.0)?;
    }
    if metrics.echoes().any(|rows| !rows.is_empty()) {
        tables.set_item("echoes", echoes(py, metrics)?.0)?;
    }
    if metrics.probes().any(|rows| !rows.is_empty()) {
        tables.set_item("probes", probes(py, metrics)?.0)?;
    }
    if metrics.datagrams().any(|rows| !rows.is_empty()) {
        tables.set_item("datagrams", datagrams(py, outcome)?.0)?;
    }
    if summary.cell.is_some() {
        network(&tables, metrics.cell())?;
    }
    if summary.middlebox.is_some() {
        between(&tables, metrics.middlebox())?;
    }
    if !metrics.mobility().rows().is_empty() {
        tables.set_item("mobility", mobility(py, outcome)?.0)?;
    }
    Ok(tables)
}

/// `base_rtt` of every flow.
fn base_rtt<'py>(py: Python<'py>, metrics: &Metrics) -> PyResult<Table<'py>> {
    let numbered = || metrics.base_rtt().enumerate();
    let bases = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    Table::new(py)
        .time(bases().map(|(_, row)| row.time))?
        .column("flow", bases().map(|(flow, _)| flow as u32))?
        .column("base_rtt_s", bases().map(|(_, row)| row.rtt.as_secs_f64()))
}

/// `pages` of every flow.
fn pages<'py>(py: Python<'py>, metrics: &Metrics) -> PyResult<Table<'py>> {
    let numbered = || metrics.pages().enumerate();
    let pages = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    Table::new(py)
        .time(pages().map(|(_, row)| row.time))?
        .column("flow", pages().map(|(flow, _)| flow as u32))?
        .column("bytes", pages().map(|(_, row)| row.fact.bytes))?
        .column("response_s", pages().map(|(_, row)| row.fact.response.as_secs_f64()))
}

/// `echoes` of every flow.
fn echoes<'py>(py: Python<'py>, metrics: &Metrics) -> PyResult<Table<'py>> {
    let numbered = || metrics.echoes().enumerate();
    let echoes = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    Table::new(py)
        .time(echoes().map(|(_, row)| row.time))?
        .column("flow", echoes().map(|(flow, _)| flow as u32))?
        .column("echo_s", echoes().map(|(_, row)| row.fact.response.as_secs_f64()))
}

/// `probes` of every flow.
fn probes<'py>(py: Python<'py>, metrics: &Metrics) -> PyResult<Table<'py>> {
    let numbered = || metrics.probes().enumerate();
    let probes = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    Table::new(py)
        .time(probes().map(|(_, row)| row.time))?
        .column("flow", probes().map(|(flow, _)| flow as u32))?
        .column("probe_s", probes().map(|(_, row)| row.delay.as_secs_f64()))
}

/// `datagrams` of every flow. What there is nothing of is NaN among times, and in columns of names
/// the number of names.
fn datagrams<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Table<'py>> {
    let (metrics, machines) = (&outcome.metrics, outcome.machines.len() as u32);
    let numbered = || metrics.datagrams().enumerate();
    let rows = || numbered().flat_map(|(flow, rows)| rows.iter().map(move |row| (flow, row)));
    let arrived = |row: &DatagramRow| match row.outcome {
        DatagramOutcome::Received { at } => Some(at),
        DatagramOutcome::UnderWay | DatagramOutcome::Lost { .. } => None,
    };
    let lost = |row: &DatagramRow| match row.outcome {
        DatagramOutcome::Lost { machine, reason } => Some((machine, reason)),
        DatagramOutcome::UnderWay | DatagramOutcome::Received { .. } => None,
    };
    let seconds = |time: Option<f64>| time.unwrap_or(f64::NAN);
    let delay = |row: &DatagramRow| arrived(row).map(|at| at.saturating_since(row.sent));
    let reason = |reason| DropReason::ALL.iter().position(|other| *other == reason);
    let all = DropReason::ALL.len();
    Table::new(py)
        .time(rows().map(|(_, row)| row.sent))?
        .column("flow", rows().map(|(flow, _)| flow as u32))?
        .column("number", numbered().flat_map(|(_, rows)| 0..rows.len() as u64))?
        .column("bytes", rows().map(|(_, row)| row.bytes))?
        .column("arrived_s", rows().map(|(_, row)| seconds(arrived(row).map(Time::as_secs_f64))))?
        .column("delay_s", rows().map(|(_, row)| seconds(delay(row).map(Duration::as_secs_f64))))?
        .column("lost_at", rows().map(|(_, row)| lost(row).map_or(machines, |(at, _)| at)))?
        .column(
            "lost_by",
            rows().map(|(_, row)| lost(row).and_then(|(_, by)| reason(by)).unwrap_or(all) as u8),
        )
}

/// Adds `rrc`, `codes`, `handovers` and `common` of a network of cells.
fn network(tables: &Bound<'_, PyDict>, cell: &CellMetrics) -> PyResult<()> {
    let py = tables.py();
    let place = |state| RrcState::ALL.iter().position(|other| *other == state).unwrap_or(0) as u8;
    let event = |event| RrcEvent::ALL.iter().position(|other| *other == event).unwrap_or(0) as u8;
    let rows = || cell.rrc.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("ue", rows().map(|row| row.fact.ue))?
        .column("from", rows().map(|row| place(row.fact.from)))?
        .column("to", rows().map(|row| place(row.fact.to)))?
        .column("event", rows().map(|row| event(row.fact.event)))?;
    tables.set_item("rrc", table.0)?;

    let event = |event| CodeEvent::ALL.iter().position(|other| *other == event).unwrap_or(0) as u8;
    let rows = || cell.codes.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("cell", rows().map(|row| row.fact.cell))?
        .column("ue", rows().map(|row| row.fact.ue))?
        .column("sf", rows().map(|row| row.fact.sf))?
        .column("code", rows().map(|row| row.fact.code))?
        .column("event", rows().map(|row| event(row.fact.event)))?;
    tables.set_item("codes", table.0)?;

    let event =
        |event| HandoverEvent::ALL.iter().position(|other| *other == event).unwrap_or(0) as u8;
    let rows = || cell.handovers.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("ue", rows().map(|row| row.fact.ue))?
        .column("cell", rows().map(|row| row.fact.cell))?
        .column("event", rows().map(|row| event(row.fact.event)))?;
    tables.set_item("handovers", table.0)?;

    let rows = || cell.common.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("cell", rows().map(|row| row.cell))?
        .column("direction", rows().map(|row| row.direction as u8))?
        .column("blocks", rows().map(|row| row.blocks))?
        .column("capacity", rows().map(|row| row.capacity))?;
    tables.set_item("common", table.0)
}

/// Adds `middlebox_backlog`, `middlebox_rtt` and `middlebox_events`.
fn between(tables: &Bound<'_, PyDict>, middlebox: &MiddleboxMetrics) -> PyResult<()> {
    let py = tables.py();
    let rows = || middlebox.backlog.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("mobile", rows().map(|row| row.mobile))?
        .column("queued_bytes", rows().map(|row| row.queued))?
        .column("in_flight_bytes", rows().map(|row| row.in_flight))?
        .column("cwnd_bytes", rows().map(|row| row.cwnd))?;
    tables.set_item("middlebox_backlog", table.0)?;

    let rows = || middlebox.rtt.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("mobile", rows().map(|row| row.mobile))?
        .column("connection", rows().map(|row| row.connection))?
        .column("rtt_s", rows().map(|row| row.rtt.as_secs_f64()))?;
    tables.set_item("middlebox_rtt", table.0)?;

    let event =
        |event| MiddleboxEvent::ALL.iter().position(|other| *other == event).unwrap_or(0) as u8;
    let rows = || middlebox.events.iter();
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("mobile", rows().map(|row| row.mobile))?
        .column("connection", rows().map(|row| row.connection.map_or(-1, i64::from)))?
        .column("event", rows().map(|row| event(row.event)))?
        .column("offset", rows().map(|row| row.offset))?;
    tables.set_item("middlebox_events", table.0)
}

/// `mobility`, with access routers, nodes and addresses by their names.
fn mobility<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Table<'py>> {
    let rows = || outcome.metrics.mobility().rows().iter();
    let routers = outcome.summary.mobility.iter().flat_map(|mobility| &mobility.routers);
    let routers: Vec<_> = routers.collect();
    let address = |number: u32| outcome.nodes.get(number as usize);
    let subject = |row: &MobilityRow| match row.fact.subject() {
        Subject::Router(number) => routers.get(number as usize).copied(),
        Subject::Address(number) => address(number),
    };
    let table = Table::new(py)
        .time(rows().map(|row| row.time))?
        .column("agent", rows().map(|row| row.machine))?
        .column("event", rows().map(|row| row.fact.code()))?;
    table.0.set_item("subject", rows().map(subject).collect::<Vec<_>>())?;
    table.0.set_item("message", rows().map(|row| row.fact.message()).collect::<Vec<_>>())?;
    let care_of = |row: &MobilityRow| row.fact.care_of().and_then(address);
    table.0.set_item("care_of", rows().map(care_of).collect::<Vec<_>>())?;
    Ok(table)
}

/// Of each segment of `trace` the flow and where it goes: 0 to the receiver, 1 to the sender.
/// A middlebox knows connections by their hosts and ports, as its flows' endpoints told before.
fn flows(trace: &Trace, metrics: &Metrics) -> Vec<(u32, u8)> {
    let mut by_way: BTreeMap<Way, (u32, u8)> = BTreeMap::new();
    let flow = |row: &sim::SegmentRow| {
        let Some((flow, end)) = metrics.flow_of(row.endpoint) else {
            return by_way.get(&row.way).copied().unwrap_or_default();
        };
        let towards = match (end, row.event == PacketEvent::Departed) {
            (End::Sender, true) | (End::Receiver, false) => 0,
            (End::Sender, false) | (End::Receiver, true) => 1,
        };
        by_way.insert(row.way, (flow as u32, towards));
        by_way.insert(row.way.reversed(), (flow as u32, 1 - towards));
        (flow as u32, towards)
    };
    trace.segments.iter().map(flow).collect()
}

/// Adds `segments`, `blocks` and `hops`.
pub(crate) fn recorded(
    tables: &Bound<'_, PyDict>,
    trace: &Trace,
    metrics: &Metrics,
) -> PyResult<()> {
    let py = tables.py();
    let segments = || trace.segments.iter();
    let flows = flows(trace, metrics);
    let table = Table::new(py)
        .time(segments().map(|row| row.time))?
        .column("flow", flows.iter().map(|(flow, _)| *flow))?
        .column("towards", flows.iter().map(|(_, towards)| *towards))?
        .column("endpoint", segments().map(|row| row.endpoint))?
        .column("event", segments().map(|row| u8::from(row.event == PacketEvent::Arrived)))?
        .column("uid", segments().map(|row| row.uid))?
        .column("seq", segments().map(|row| row.relative_seq))?
        .column("ack", segments().map(|row| row.relative_ack))?
        .column("payload_bytes", segments().map(|row| row.payload))?
        .column("flags", segments().map(|row| row.header.flags.bits()))?
        .column("window", segments().map(|row| row.window))?
        .column("sack_from", segments().map(|row| row.sack.map_or(0, |[from, _]| from)))?
        .column("sack_to", segments().map(|row| row.sack.map_or(0, |[_, to]| to)))?
        .column("transmission", segments().map(|row| row.transmission))?;
    tables.set_item("segments", table.0)?;

    let blocks = || trace.blocks.iter();
    let table = Table::new(py)
        .time(blocks().map(|row| row.time))?
        .column("direction", blocks().map(|row| row.fact.direction as u8))?
        .column("sn", blocks().map(|row| row.fact.sn))?
        .column("kind", blocks().map(|row| kind(row.fact.kind)))?
        .column("poll", blocks().map(|row| row.fact.poll))?
        .column("error", blocks().map(|row| row.fact.error))?;
    tables.set_item("blocks", table.0)?;

    let hops = || trace.hops.iter();
    let table = Table::new(py)
        .time(hops().map(|row| row.time))?
        .column("uid", hops().map(|row| row.uid))?
        .column("machine", hops().map(|row| row.machine))?
        .column("event", hops().map(|row| hop(row.event)))?;
    tables.set_item("hops", table.0)
}

const fn kind(kind: BlockKind) -> u8 {
    match kind {
        BlockKind::Data => 0,
        BlockKind::Retransmission => 1,
        BlockKind::Control => 2,
    }
}

const fn hop(event: PacketEvent) -> u8 {
    match event {
        PacketEvent::Entered | PacketEvent::Departed => 0,
        PacketEvent::Left | PacketEvent::Arrived => 1,
        PacketEvent::Dropped(_) => 2,
    }
}
