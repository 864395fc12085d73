//! Rows to columns.

use base::{Duration, Time};
use numpy::{Element, PyArray1};
use observe::{DropReason, PacketEvent, Subject};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sim::{
    CellMetrics, ClassSummary, DatagramOutcome, DatagramRow, FlowMetrics, Metrics,
    MiddleboxMetrics, MobilityRow, Outcome, QueueEvent, Trace, WaitMetrics, WaitRow,
};

/// A table under construction: a dict of numpy arrays of one length, one value a row.
struct Table<'py, R> {
    columns: Bound<'py, PyDict>,
    rows: R,
}

impl<'py, R: Iterator + Clone> Table<'py, R> {
    /// The one called `name` among `tables`.
    fn new(tables: &Bound<'py, PyDict>, name: &str, rows: R) -> PyResult<Self> {
        let columns = PyDict::new(tables.py());
        tables.set_item(name, &columns)?;
        Ok(Self { columns, rows })
    }

    /// Adds a column.
    fn column<T: Element>(self, name: &str, value: impl Fn(R::Item) -> T) -> PyResult<Self> {
        let values = self.rows.clone().map(value).collect();
        self.columns.set_item(name, PyArray1::from_vec(self.columns.py(), values))?;
        Ok(self)
    }

    fn time(self, time: impl Fn(R::Item) -> Time) -> PyResult<Self> {
        self.column("time_s", |row| time(row).as_secs_f64())
    }

    /// Adds a column of names.
    fn names<'a>(self, name: &str, value: impl Fn(R::Item) -> Option<&'a str>) -> PyResult<Self> {
        let values: Vec<_> = self.rows.clone().map(value).collect();
        self.columns.set_item(name, values)?;
        Ok(self)
    }
}

/// What `rows` says of every flow, with the number and the measurements of the flow.
fn of_flows<'a, T: 'a>(
    metrics: &'a Metrics,
    rows: fn(&FlowMetrics) -> &[T],
) -> impl Iterator<Item = (u32, &'a FlowMetrics, &'a T)> + Clone {
    let of_flow = move |(id, flow)| rows(flow).iter().map(move |row| (id, flow, row));
    (0..).zip(metrics.flows()).flat_map(of_flow)
}

/// `capacity` of links; `rtt`, `cwnd` and `events` of every flow; `base_rtt` where a controller has
/// one, `pages`, `echoes`, `probes` and `datagrams` where there are some; the tables of `cell` and
/// `middlebox`, where there is one, and `mobility` where something of it has happened.
pub(crate) fn series<'py>(py: Python<'py>, outcome: &Outcome) -> PyResult<Bound<'py, PyDict>> {
    let (metrics, summary) = (&outcome.metrics, &outcome.summary);
    let tables = PyDict::new(py);
    capacity(&tables, outcome)?;
    of_tcp(&tables, metrics)?;
    of_applications(&tables, metrics)?;
    if metrics.flows().iter().any(|flow| !flow.datagrams().is_empty()) {
        datagrams(&tables, outcome)?;
    }
    if summary.cell.is_some() {
        network(&tables, &metrics.cell)?;
    }
    if summary.cell.is_some() || !metrics.cell.handovers.is_empty() {
        handovers(&tables, &metrics.cell)?;
    }
    if let Some(middlebox) = &summary.middlebox {
        between(&tables, &metrics.middlebox)?;
        waits(&tables, &metrics.middlebox.waits, &middlebox.classes)?;
    }
    if !metrics.mobility.rows.is_empty() {
        mobility(&tables, outcome)?;
    }
    Ok(tables)
}

/// Adds `capacity`.
fn capacity(tables: &Bound<'_, PyDict>, outcome: &Outcome) -> PyResult<()> {
    Table::new(tables, "capacity", outcome.capacity.iter())?
        .time(|row| row.time)?
        .column("link", |row| row.link)?
        .column("rate_bps", |row| row.bps.map_or(f64::NAN, |bps| bps as f64))?;
    Ok(())
}

/// Adds `rtt`, `cwnd`, `events` and `base_rtt`.
fn of_tcp(tables: &Bound<'_, PyDict>, metrics: &Metrics) -> PyResult<()> {
    Table::new(tables, "rtt", of_flows(metrics, |flow| flow.rtt.rows()))?
        .time(|(.., row)| row.time)?
        .column("flow", |(id, ..)| id)?
        .column("offset", |(.., row)| row.fact.offset)?
        .column("rtt_s", |(.., row)| row.fact.rtt.as_secs_f64())?;

    let segments = |bytes: u64, of: &FlowMetrics| bytes as f64 / f64::from(of.flow.mss);
    Table::new(tables, "cwnd", of_flows(metrics, |flow| flow.cwnd()))?
        .time(|(.., row)| row.time)?
        .column("flow", |(id, ..)| id)?
        .column("cwnd_segments", |(_, of, row)| segments(row.cwnd, of))?
        .column("ssthresh_segments", |(_, of, row)| segments(row.ssthresh, of))?;

    Table::new(tables, "events", of_flows(metrics, |flow| &flow.events))?
        .time(|(.., row)| row.time)?
        .column("flow", |(id, ..)| id)?
        .column("event", |(.., row)| row.event as u8)?
        .column("offset", |(.., row)| row.offset)?;

    let rows = of_flows(metrics, |flow| &flow.base_rtt);
    if rows.clone().next().is_some() {
        Table::new(tables, "base_rtt", rows)?
            .time(|(.., row)| row.time)?
            .column("flow", |(id, ..)| id)?
            .column("base_rtt_s", |(.., row)| row.fact.as_secs_f64())?;
    }
    Ok(())
}

/// Adds `pages`, `echoes` and `probes`.
fn of_applications(tables: &Bound<'_, PyDict>, metrics: &Metrics) -> PyResult<()> {
    let rows = of_flows(metrics, |flow| &flow.pages);
    if rows.clone().next().is_some() {
        Table::new(tables, "pages", rows)?
            .time(|(.., row)| row.time)?
            .column("flow", |(id, ..)| id)?
            .column("bytes", |(.., row)| row.fact.bytes)?
            .column("response_s", |(.., row)| row.fact.response.as_secs_f64())?;
    }
    let rows = of_flows(metrics, |flow| &flow.echoes);
    if rows.clone().next().is_some() {
        Table::new(tables, "echoes", rows)?
            .time(|(.., row)| row.time)?
            .column("flow", |(id, ..)| id)?
            .column("echo_s", |(.., row)| row.fact.response.as_secs_f64())?;
    }
    let rows = of_flows(metrics, |flow| &flow.probes);
    if rows.clone().next().is_some() {
        Table::new(tables, "probes", rows)?
            .time(|(.., row)| row.time)?
            .column("flow", |(id, ..)| id)?
            .column("probe_s", |(.., row)| row.fact.as_secs_f64())?;
    }
    Ok(())
}

/// Adds `datagrams` of every flow. What there is nothing of is NaN among times, and in columns of
/// names the number of names.
fn datagrams(tables: &Bound<'_, PyDict>, outcome: &Outcome) -> PyResult<()> {
    let rows = (0_u32..)
        .zip(outcome.metrics.flows())
        .flat_map(|(id, flow)| flow.datagrams().iter().map(move |row| (id, row)));
    let arrived = |row: &DatagramRow| {
        if let DatagramOutcome::Received { at } = row.outcome { Some(at) } else { None }
    };
    let (droppers, all) = (outcome.droppers as u32, DropReason::ALL.len() as u8);
    let lost = |row: &DatagramRow| match row.outcome {
        DatagramOutcome::Lost { machine, reason } => (machine, reason as u8),
        DatagramOutcome::UnderWay | DatagramOutcome::Received { .. } => (droppers, all),
    };
    let seconds = |time: Option<f64>| time.unwrap_or(f64::NAN);
    let delay = |row: &DatagramRow| arrived(row).map(|at| at.saturating_since(row.sent));
    Table::new(tables, "datagrams", rows)?
        .time(|(.., row)| row.sent)?
        .column("flow", |(id, ..)| id)?
        .column("number", |(.., row)| row.number)?
        .column("bytes", |(.., row)| row.bytes)?
        .column("arrived_s", |(.., row)| seconds(arrived(row).map(Time::as_secs_f64)))?
        .column("delay_s", |(.., row)| seconds(delay(row).map(Duration::as_secs_f64)))?
        .column("lost_at", |(.., row)| lost(row).0)?
        .column("lost_by", |(.., row)| lost(row).1)?;
    Ok(())
}

/// Adds `rrc`, `codes` and `common` of a network of cells.
fn network(tables: &Bound<'_, PyDict>, cell: &CellMetrics) -> PyResult<()> {
    Table::new(tables, "rrc", cell.rrc.iter())?
        .time(|row| row.time)?
        .column("ue", |row| row.fact.ue)?
        .column("from", |row| row.fact.from as u8)?
        .column("to", |row| row.fact.to as u8)?
        .column("event", |row| row.fact.event as u8)?;

    Table::new(tables, "codes", cell.codes.iter())?
        .time(|row| row.time)?
        .column("cell", |row| row.fact.cell)?
        .column("ue", |row| row.fact.ue)?
        .column("sf", |row| row.fact.sf)?
        .column("code", |row| row.fact.code)?
        .column("event", |row| row.fact.event as u8)?;

    Table::new(tables, "common", cell.common.iter())?
        .time(|row| row.time)?
        .column("cell", |row| row.cell)?
        .column("direction", |row| row.direction as u8)?
        .column("blocks", |row| row.blocks)?
        .column("capacity", |row| row.capacity)?;
    Ok(())
}

/// Adds `handovers`.
fn handovers(tables: &Bound<'_, PyDict>, cell: &CellMetrics) -> PyResult<()> {
    Table::new(tables, "handovers", cell.handovers.iter())?
        .time(|row| row.time)?
        .column("ue", |row| row.fact.ue)?
        .column("cell", |row| row.fact.cell)?
        .column("event", |row| row.fact.event as u8)?;
    Ok(())
}

/// Adds `middlebox_backlog`, `middlebox_rtt` and `middlebox_events`.
fn between(tables: &Bound<'_, PyDict>, middlebox: &MiddleboxMetrics) -> PyResult<()> {
    Table::new(tables, "middlebox_backlog", middlebox.backlog.rows().iter())?
        .time(|row| row.time)?
        .column("mobile", |row| row.mobile)?
        .column("queued_bytes", |row| row.queued)?
        .column("in_flight_bytes", |row| row.in_flight)?
        .column("cwnd_bytes", |row| row.cwnd)?;

    Table::new(tables, "middlebox_rtt", middlebox.rtt.rows().iter())?
        .time(|row| row.time)?
        .column("mobile", |row| row.mobile)?
        .column("connection", |row| row.connection)?
        .column("rtt_s", |row| row.rtt.as_secs_f64())?;

    Table::new(tables, "middlebox_events", middlebox.events.iter())?
        .time(|row| row.time)?
        .column("mobile", |row| row.mobile)?
        .column("connection", |row| row.connection.map_or(-1, i64::from))?
        .column("event", |row| row.event as u8)?
        .column("offset", |row| row.offset)?;
    Ok(())
}

/// Adds `middlebox_waits`, `middlebox_echoes` and `middlebox_rates`, each where it has rows. The
/// last of `classes` is that of packets in none.
fn waits(
    tables: &Bound<'_, PyDict>,
    metrics: &WaitMetrics,
    classes: &[ClassSummary],
) -> PyResult<()> {
    let none = classes.len().saturating_sub(1);
    let class = |row: &WaitRow| row.class.map_or(none, |place| place as usize) as u32;
    let bps = |rate: Option<u64>| rate.map_or(f64::NAN, |bps| bps as f64);
    if !metrics.waits.rows().is_empty() {
        Table::new(tables, "middlebox_waits", metrics.waits.rows().iter())?
            .time(|row| row.time)?
            .column("mobile", |row| row.mobile)?
            .column("class", class)?
            .column("bytes", |row| row.bytes)?
            .column("waited_s", |row| row.waited.as_secs_f64())?
            .column("release", |row| row.release as u8)?;
    }
    if !metrics.echoes.rows().is_empty() {
        Table::new(tables, "middlebox_echoes", metrics.echoes.rows().iter())?
            .time(|row| row.time)?
            .column("mobile", |row| row.mobile)?
            .column("rtt_s", |row| row.rtt.as_secs_f64())?;
    }
    if !metrics.rates.rows().is_empty() {
        Table::new(tables, "middlebox_rates", metrics.rates.rows().iter())?
            .time(|row| row.time)?
            .column("mobile", |row| row.mobile)?
            .column("estimate_bps", |row| bps(row.estimate))?
            .column("reported_bps", |row| bps(row.reported))?;
    }
    Ok(())
}

/// Adds `mobility`, with access routers, nodes and addresses by their names.
fn mobility(tables: &Bound<'_, PyDict>, outcome: &Outcome) -> PyResult<()> {
    let routers = outcome.summary.mobility.as_ref().map_or(&[][..], |summary| &summary.routers);
    let address = |number: u32| outcome.nodes.get(number as usize).map(String::as_str);
    let subject = |row: &MobilityRow| match row.fact.subject() {
        Subject::Router(number) => routers.get(number as usize).map(String::as_str),
        Subject::Address(number) => address(number),
    };
    Table::new(tables, "mobility", outcome.metrics.mobility.rows.iter())?
        .time(|row| row.time)?
        .column("agent", |row| row.machine)?
        .column("event", |row| row.fact.code())?
        .names("subject", subject)?
        .names("message", |row| row.fact.message())?
        .names("care_of", |row| row.fact.care_of().and_then(address))?;
    Ok(())
}

/// Adds `segments`, `blocks`, `power`, `hops` and `queue`.
pub(crate) fn recorded(
    tables: &Bound<'_, PyDict>,
    trace: &Trace,
    metrics: &Metrics,
) -> PyResult<()> {
    let flows = trace.flows(metrics);
    Table::new(tables, "segments", trace.segments.iter().zip(&flows))?
        .time(|(row, _)| row.time)?
        .column("flow", |(_, (flow, _))| *flow)?
        .column("towards", |(_, (_, towards))| *towards)?
        .column("endpoint", |(row, _)| row.endpoint)?
        .column("event", |(row, _)| u8::from(row.event == PacketEvent::Arrived))?
        .column("uid", |(row, _)| row.uid)?
        .column("seq", |(row, _)| row.relative_seq)?
        .column("ack", |(row, _)| row.relative_ack)?
        .column("payload_bytes", |(row, _)| row.payload)?
        .column("flags", |(row, _)| row.header.flags.byte())?
        .column("window", |(row, _)| row.window)?
        .column("sack_from", |(row, _)| row.sack.map_or(0, |[from, _]| from))?
        .column("sack_to", |(row, _)| row.sack.map_or(0, |[_, to]| to))?
        .column("transmission", |(row, _)| row.transmission)?;
    Table::new(tables, "blocks", trace.blocks.iter())?
        .time(|row| row.time)?
        .column("direction", |row| row.fact.direction as u8)?
        .column("sn", |row| row.fact.sn)?
        .column("kind", |row| row.fact.kind as u8)?
        .column("poll", |row| row.fact.poll)?
        .column("error", |row| row.fact.error)?;
    ratios(tables, trace)?;
    power(tables, trace)?;
    Table::new(tables, "hops", trace.hops.iter())?
        .time(|row| row.time)?
        .column("uid", |row| row.uid)?
        .column("machine", |row| row.machine)?
        .column("event", |row| hop(row.event))?;
    Table::new(tables, "queue", trace.queues.iter())?
        .time(|row| row.time)?
        .column("uid", |row| row.uid)?
        .column("link", |row| row.link)?
        .column("event", |row| match row.event {
            QueueEvent::Entered => 0_u8,
            QueueEvent::Dequeued(_) => 1,
            QueueEvent::Dropped(_) => 2,
        })?
        .column("packets", |row| row.packets)?
        .column("bytes", |row| row.bytes)?
        .column("delay_s", |row| match row.event {
            QueueEvent::Dequeued(waited) => waited.as_secs_f64(),
            QueueEvent::Entered | QueueEvent::Dropped(_) => f64::NAN,
        })?
        .column("reason", |row| match row.event {
            QueueEvent::Dropped(reason) => reason as u8,
            QueueEvent::Entered | QueueEvent::Dequeued(_) => DropReason::ALL.len() as u8,
        })?;
    Ok(())
}

/// Adds `power`, where the powers of mobiles are known.
fn power(tables: &Bound<'_, PyDict>, trace: &Trace) -> PyResult<()> {
    if !trace.power().is_empty() {
        Table::new(tables, "power", trace.power().iter())?
            .time(|row| row.time)?
            .column("mobile", |row| row.mobile)?
            .names("state", |row| Some(row.state))?
            .column("power_w", |row| row.power.as_watts_f64())?
            .column("energy_j", |row| row.energy.as_joules_f64())?;
    }
    Ok(())
}

/// Adds `snr`, where radios have a ratio of signal to noise.
fn ratios(tables: &Bound<'_, PyDict>, trace: &Trace) -> PyResult<()> {
    if !trace.ratios.is_empty() {
        Table::new(tables, "snr", trace.ratios.iter())?
            .time(|row| row.time)?
            .column("ue", |row| row.fact.ue)?
            .column("direction", |row| row.fact.direction as u8)?
            .column("snr_db", |row| row.fact.snr)?;
    }
    Ok(())
}

const fn hop(event: PacketEvent) -> u8 {
    match event {
        PacketEvent::Entered | PacketEvent::Departed => 0,
        PacketEvent::Left | PacketEvent::Arrived => 1,
        PacketEvent::Dropped(_) => 2,
        PacketEvent::Duplicated(_) => 3,
        PacketEvent::Corrupted => 4,
    }
}
