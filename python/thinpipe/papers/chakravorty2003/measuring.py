"""Measures that several studies share."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.papers.chakravorty2003.setup import BDP, MSS, PACKET
from thinpipe.papers.series import Steps
from thinpipe.plot.series import FIN, SYN, acks_received, segments_sent, sending_end, unwrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

    Floats = NDArray[np.float64]
    Value = Callable[[Outcome], float]
    Measure = Callable[[Outcomes], Sequence[float]]

MOMENT_S: Final = 1e-6
"""Longer than rounding, shorter than anything that happens."""


def each(points: Iterable[Point], value: Value) -> Measure:
    """Measure one value per run."""
    points = tuple(points)
    return lambda outcomes: [float(value(outcomes[point])) for point in points]


def mean(outcomes: Outcomes, points: Iterable[Point], value: Value) -> float:
    """Return the mean of a value over runs."""
    return fmean(value(outcomes[point]) for point in points)


def jain(rates: Sequence[float]) -> float:
    """Return Jain's index of fairness: 1 if all are equal, 1/n if one has all.

    >>> jain((1, 1)), jain((1, 0))
    (1.0, 0.5)
    """
    squares = sum(rate * rate for rate in rates)
    return sum(rates) ** 2 / (len(rates) * squares) if squares else float("nan")


# --- Times of a flow ------------------------------------------------------------------------------


def opening_end(run: Outcome, flow: int = 0) -> pl.DataFrame:
    """Return the rows of the endpoint that opens a flow's connection, from its first SYN on."""
    segments = run.tables["segments"]
    mine = segments.filter(segments["flow"] == flow)
    return mine.filter(mine["endpoint"] == mine["endpoint"][0])


def connect_s(run: Outcome, flow: int = 0) -> float:
    """Return the time from the first SYN to its answer, in s; infinite if there was none."""
    rows = opening_end(run, flow)
    answers = rows.filter((rows["event"] == "received") & ((rows["flags"] & SYN) > 0))
    return float(answers["time_s"][0] - rows["time_s"][0]) if len(answers) else float("inf")


def syns_s(run: Outcome, flow: int = 0) -> Floats:
    """Return when the end that opens a flow's connection sent its SYNs, in s."""
    rows = opening_end(run, flow)
    return _floats(rows.filter((rows["event"] == "sent") & ((rows["flags"] & SYN) > 0)), "time_s")


def syn_again(run: Outcome, flow: int = 0) -> float:
    """Count the SYNs that were retransmitted."""
    return float(len(syns_s(run, flow)) - 1)


def closed_s(run: Outcome, flow: int = 0) -> float:
    """Return the time from the first SYN until the sender heard its FIN acknowledged, in s."""
    rows = sending_end(run.tables["segments"], flow=flow)
    sent, heard = segments_sent(rows), acks_received(rows)
    end = int(sent.last[(sent.flags & FIN) > 0].max()) + 1
    over = heard.time_s[heard.ack >= end]
    start_s = opening_end(run, flow)["time_s"][0]
    return float(over[0]) - start_s if len(over) else float("inf")


def received_s(run: Outcome, flow: int = 0, start_s: float = 0.0) -> float:
    """Return the time until the mobile had read the last byte, from when the flow began, in s."""
    last_s = run.result.flows[flow].received_s
    return float("inf") if last_s is None else last_s - start_s


def full_at(run: Outcome, flow: int = 0) -> float:
    """Return how long after the sender met the flow's SYN its window was 10 KB, in s."""
    table = run.tables["cwnd"]
    table = table.filter((table["flow"] == flow) & (table["cwnd_segments"] >= BDP / MSS))
    start_s = run.result.flows[flow].started_s or 0.0
    return float(table["time_s"][0]) - start_s if len(table) else float("inf")


def sent_until(run: Outcome, time_s: float, flow: int = 0) -> float:
    """Return the bytes that the flow had sent by a time since the sender met its SYN."""
    sent = segments_sent(sending_end(run.tables["segments"], flow=flow))
    start_s = run.result.flows[flow].started_s or 0.0
    return float(sent.last[sent.time_s <= start_s + time_s + MOMENT_S].max())


# --- Round-trip times -----------------------------------------------------------------------------


def rtts(run: Outcome, flow: int = 0) -> Floats:
    """Return the round-trip times of a flow's segments over the radio, in order, in s.

    Those of a box that sends what the flow carries, and so measures about as often as the sender
    (of an upload that it forwards, only the end); else those of the sender.
    """
    table = run.tables["rtt"]
    own = table.filter(table["flow"] == flow)
    box = run.tables.get("middlebox_rtt")
    if box is not None and len(box):
        taken = box.filter(box["connection"] == flow)
        if 2 * len(taken) > len(own):
            return _floats(taken, "rtt_s")
    return _floats(own, "rtt_s")


def mean_rtt(run: Outcome) -> float:
    """Return the mean round-trip time of the first flow over the radio, in s."""
    return float(rtts(run).mean())


def late_rtt(run: Outcome) -> float:
    """Return the median round-trip time of the second half of the segments, in s."""
    found = rtts(run)
    return float(np.median(found[len(found) // 2 :]))


# --- What arrives ---------------------------------------------------------------------------------


def mobile_end(segments: pl.DataFrame, flow: int = 0) -> pl.DataFrame:
    """Return the rows of the endpoint that receives a flow's data; a box is none."""
    sender = sending_end(segments, flow=flow)["endpoint"][0]
    mine = segments.filter((segments["flow"] == flow) & (segments["endpoint"] != sender))
    ends = mine["endpoint"].cast(str).str.contains(":")
    return mine.filter(ends)


def radio_end(segments: pl.DataFrame, flow: int = 0) -> pl.DataFrame:
    """Return the rows of the end that sends a flow's data over the radio: the box or the sender.

    Of a box, only what it sends towards the mobile and hears from there.
    """
    sender = sending_end(segments, flow=flow)
    if "towards" not in segments.columns:
        return sender
    mine = segments.filter(segments["flow"] == flow)
    box = mine.filter(~mine["endpoint"].cast(str).str.contains(":"))
    sent = (box["event"] == "sent") & (box["towards"] == "receiver")
    heard = (box["event"] == "received") & (box["towards"] == "sender")
    return box.filter(sent | heard) if sent.any() else sender


def delivered(run: Outcome, flow: int = 0) -> Steps:
    """Return the bytes that the receiver had acknowledged, by the time that it did."""
    rows = mobile_end(run.tables["segments"], flow)
    rows = rows.filter(rows["event"] == "sent")
    ack = unwrapped(rows["ack"].to_numpy().astype(np.int64)) - 1
    reached = np.maximum.accumulate(np.maximum(ack, 0)).astype(np.float64)
    time_s = rows["time_s"].to_numpy()
    return Steps(np.append(0.0, time_s), np.append(0.0, reached), run.result.duration_s)


def rate(run: Outcome, start_s: float, end_s: float, flow: int = 0) -> float:
    """Return the payload that a flow's receiver acknowledged in a time, in B/s."""
    first, last = delivered(run, flow).at(np.array([start_s, end_s]))
    return float((last - first) / (end_s - start_s))


def overlap_s(run: Outcome) -> tuple[float, float]:
    """Return from when to when all flows were established and none was complete, in s."""
    flows = run.result.flows
    start_s = max(flow.established_s or np.inf for flow in flows)
    end_s = min(flow.completed_s or run.result.duration_s for flow in flows)
    return float(start_s), float(end_s)


def line_rate(run: Outcome) -> float:
    """Return the rate of IP packets in the second half of a bulk flow, in B/s."""
    table = run.tables["rtt"]
    table = table.filter(table["flow"] == 0)
    offset, time_s = _floats(table, "offset"), _floats(table, "time_s")
    half = len(offset) // 2
    return float((offset[-1] - offset[half]) / (time_s[-1] - time_s[half]) * PACKET / MSS)


def acknowledged_early(run: Outcome, flow: int = 0) -> float:
    """Count the acknowledgements that the sender heard before the mobile had sent any as high."""
    heard = acks_received(sending_end(run.tables["segments"], flow=flow))
    mobile = delivered(run, flow)
    return float(np.sum(heard.ack > mobile.at(heard.time_s)))


# --- What is under way ----------------------------------------------------------------------------


def one_way(run: Outcome) -> pl.DataFrame:
    """Return each segment that arrived, with its delay: ``sent_s``, ``delay_s``, ``endpoint``."""
    table = run.tables["segments"]
    sent = table.filter(table["event"] == "sent")
    sent = sent.select("uid", "time_s", "flow", "flags", "payload_bytes")
    got = table.filter(table["event"] == "received").select("uid", "time_s", "endpoint")
    joined = sent.rename({"time_s": "sent_s"}).join(
        got.rename({"time_s": "got_s"}), on="uid", how="inner", maintain_order="left"
    )
    return joined.with_columns(delay_s=joined["got_s"] - joined["sent_s"])


def box_in_flight(run: Outcome) -> Steps:
    """Return the payload bytes that the box has in flight to the mobile."""
    return _backlog(run, "in_flight_bytes")


def box_window(run: Outcome) -> Steps:
    """Return the box's congestion window towards the mobile, in bytes."""
    return _backlog(run, "cwnd_bytes")


def box_queue(run: Outcome) -> Steps:
    """Return the payload bytes queued in the box."""
    return _backlog(run, "queued_bytes")


def time_mean(steps: Steps, start_s: float, end_s: float) -> float:
    """Return the mean of a step curve over a time."""
    edges = np.concatenate([[start_s], steps.time_s, [end_s]])
    edges = np.sort(np.clip(edges, start_s, end_s))
    values = steps.at(edges[:-1])
    return float(np.sum(values * np.diff(edges)) / (end_s - start_s))


def _backlog(run: Outcome, column: str) -> Steps:
    table = run.tables["middlebox_backlog"]
    table = table.filter(table["mobile"] == 0)
    return Steps(_floats(table, "time_s"), _floats(table, column), run.result.duration_s)


def _floats(table: pl.DataFrame, column: str) -> Floats:
    values: Floats = table[column].to_numpy().astype(np.float64)
    return values
