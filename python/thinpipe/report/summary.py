"""The metrics of a run as small tables, for notebooks and terminals."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from thinpipe.report.numbers import percent, short
from thinpipe.result import Flow, Middlebox, Result

COLUMNS = (
    "flow",
    "variant",
    "goodput kbit/s",
    "throughput",
    "segments",
    "retransmitted",
    "timeouts",
    "spurious",
    "RTT s: min",
    "mean",
    "95 %",
    "max",
    "cwnd mean",
)


def flow_row(flow: Flow) -> tuple[str, ...]:
    """Return the cells of `COLUMNS` for one flow."""
    rtt = flow.rtt_s
    goodput = None if flow.goodput_bps is None else flow.goodput_bps / 1000
    return (
        str(flow.id),
        flow.variant,
        short(goodput, 4),
        percent(flow.normalized_throughput),
        short(flow.segments_sent, 9),
        short(flow.retransmits, 9),
        short(flow.timeouts, 9),
        short(flow.spurious_timeouts, 9),
        short(rtt.min),
        short(rtt.mean),
        short(rtt.p95),
        short(rtt.max),
        short(flow.cwnd_segments.mean),
    )


MIDDLEBOX_COLUMNS = (
    "middlebox",
    "at",
    "mobiles",
    "flows",
    "packets in",
    "out",
    "held kB: mean",
    "most",
    "retransmitted",
    "timeouts",
    "stalled s",
    "RTT s: mean",
    "95 %",
)


def middlebox_row(box: Middlebox) -> tuple[str, ...]:
    """Return the cells of `MIDDLEBOX_COLUMNS`; the backlog is that of all mobiles together."""
    return (
        box.kind,
        box.at,
        short(box.mobiles, 9),
        short(box.flows, 9),
        short(box.packets_in, 9),
        short(box.packets_out, 9),
        short(round(box.held_mean) / 1000),
        short(box.held_max_total / 1000),
        short(box.retransmissions, 9),
        short(box.timeouts, 9),
        short(box.stall_s),
        short(box.rtt_s.mean),
        short(box.rtt_s.p95),
    )


RESPONSE_COLUMNS = ("flow", "group", "times s", "count", "min", "mean", "95 %", "max")
"""Columns for flows whose application waits for responses."""


def response_rows(flows: Sequence[Flow]) -> list[tuple[str, ...]]:
    """Return the cells of `RESPONSE_COLUMNS` for pages, echoes and probes."""
    return [
        (
            str(flow.id),
            flow.group,
            what,
            str(times.samples),
            *(short(value) for value in (times.min, times.mean, times.p95, times.max)),
        )
        for flow in flows
        for what, times in (
            ("page", None if flow.pages is None else flow.pages.response_s),
            ("echo", flow.echo_s),
            ("probe, one way", flow.probe_s),
        )
        if times is not None
    ]


DATAGRAM_COLUMNS = (
    "flow",
    "group",
    "datagrams",
    "received",
    "lost",
    "under way",
    "loss",
    "delay s: min",
    "mean",
    "95 %",
    "max",
    "jitter s",
    "goodput kbit/s",
)
"""Columns for UDP flows."""


def datagram_rows(flows: Sequence[Flow]) -> list[tuple[str, ...]]:
    """Return the cells of `DATAGRAM_COLUMNS` for each flow that has datagrams."""
    return [
        (
            str(flow.id),
            flow.group,
            short(of.sent, 9),
            short(of.received, 9),
            short(of.lost, 9),
            short(of.under_way, 9),
            percent(of.loss),
            *(short(value) for value in (delay.min, delay.mean, delay.p95, delay.max)),
            short(of.jitter_s),
            short(None if flow.goodput_bps is None else flow.goodput_bps / 1000, 4),
        )
        for flow in flows
        if (of := flow.datagrams) is not None
        for delay in (flow.network.delay_s,)
    ]


def footer(result: Result, wall_s: float | None = None) -> str:
    """Return a one-line summary of the whole run; `wall_s` is how long it took, if it is known."""
    took = "" if wall_s is None else f" in {short(wall_s, 2)} s"
    parts = [
        f"{result.scenario}, seed {result.seed}: {short(result.duration_s, 6)} s simulated{took}, "
        f"{result.events:,} events"
    ]
    radio = result.radio
    if radio is not None and radio.blocks_sent:
        share = radio.blocks_in_error / radio.blocks_sent
        parts.append(f"{radio.blocks_sent:,} radio blocks, {percent(share, 2)} in error")
    if result.jain_index is not None:
        parts.append(f"Jain's index {short(result.jain_index)}")
    drops = sum(link.drops for link in result.links)
    if drops:
        parts.append(f"{drops:,} {'packet' if drops == 1 else 'packets'} dropped")
    given_up = [flow.given_up_s for flow in result.flows if flow.given_up_s is not None]
    if given_up:
        times = "connection" if len(given_up) == 1 else "connections"
        parts.append(f"{len(given_up):,} {times} given up, first at {short(min(given_up), 6)} s")
    return "; ".join(parts)


def run_as_html(result: Result, wall_s: float | None = None) -> str:
    """Return the tables, the footer and the hints as HTML."""
    connections = [flow_row(flow) for flow in result.flows if flow.datagrams is None]
    flows = _table_as_html(COLUMNS, connections) if connections else ""
    datagrams = datagram_rows(result.flows)
    sources = _table_as_html(DATAGRAM_COLUMNS, datagrams) if datagrams else ""
    responses = response_rows(result.flows)
    waits = _table_as_html(RESPONSE_COLUMNS, responses) if responses else ""
    box = result.middlebox
    boxes = "" if box is None else _table_as_html(MIDDLEBOX_COLUMNS, [middlebox_row(box)])
    hints = "".join(f"<p>Hint: {escape(hint)}</p>" for hint in result.hints)
    return f"{flows}{sources}{waits}{boxes}<p>{escape(footer(result, wall_s))}</p>{hints}"


def _table_as_html(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in cells
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
