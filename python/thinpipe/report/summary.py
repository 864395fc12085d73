"""The figures of one run as a small table, for a notebook and for a terminal."""

from __future__ import annotations

from html import escape

from thinpipe.report.numbers import percent, short
from thinpipe.result import Flow, Result

COLUMNS = (
    "flow",
    "variant",
    "goodput kbit/s",
    "throughput",
    "segments",
    "sent again",
    "time-outs",
    "spurious",
    "RTT s: least",
    "mean",
    "95 %",
    "greatest",
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


def footer(result: Result) -> str:
    """Return what holds for the whole run, in one line."""
    parts = [
        f"{result.scenario}, seed {result.seed}: {short(result.duration_s, 6)} s simulated "
        f"in {short(result.wall_s, 2)} s, {result.events:,} events"
    ]
    radio = result.radio
    if radio is not None and radio.blocks_sent:
        share = radio.blocks_in_error / radio.blocks_sent
        parts.append(f"{radio.blocks_sent:,} radio blocks, {percent(share, 2)} in error")
    drops = sum(link.drops for link in result.links)
    if drops:
        parts.append(f"{drops:,} {'packet' if drops == 1 else 'packets'} dropped")
    given_up = [flow.given_up_s for flow in result.flows if flow.given_up_s is not None]
    if given_up:
        times = "connection" if len(given_up) == 1 else "connections"
        parts.append(f"{len(given_up):,} {times} given up, first at {short(min(given_up), 6)} s")
    return "; ".join(parts)


def run_as_html(result: Result) -> str:
    """Return the table as HTML."""
    head = "".join(f"<th>{escape(column)}</th>" for column in COLUMNS)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in flow_row(flow)) + "</tr>"
        for flow in result.flows
    )
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f"<p>{escape(footer(result))}</p>"
    )
