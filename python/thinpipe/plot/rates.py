"""Goodput and throughput of flows over time, before what their link could carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from thinpipe.plot.bottleneck import Capacity, capacity, draw_capacity
from thinpipe.plot.curves import Curve, Steps, draw_steps, looks, say_means, whole
from thinpipe.plot.datagrams import arrived_kbps
from thinpipe.plot.drawing import View, finish
from thinpipe.plot.histogram import MOST
from thinpipe.plot.series import Throughput, goodput_kbps, segments_sent, throughput
from thinpipe.plot.throughput import KBPS, draw_throughput

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.plot.shown import Shown


@dataclass(frozen=True, slots=True)
class Goodput:
    """Mean rates between edges, in kbit/s and seconds, of payload `counted` as what it says."""

    counted: str
    rates_kbps: Floats
    edges_s: Floats
    capacity: Capacity | None


@dataclass(frozen=True, slots=True)
class Sending:
    """The throughput of a flow's sender."""

    throughput: Throughput
    capacity: Capacity | None


def goodput(shown: Shown, interval_s: float | None, *, alone: bool) -> Goodput:
    """Return the goodput of a flow in intervals, by default of a length that fits.

    If it is `alone`, it comes with its link's capacity, which others would share.
    """
    view = shown.view
    if shown.flow.datagrams is None:
        times = shown.rows(shown.run.rtt)["time_s"].to_numpy()
    else:
        times = shown.rows(shown.run.datagrams)["arrived_s"].drop_nulls().to_numpy()
    count = interval_count(view.end_s - view.start_s, int(view.holds(times).sum()), interval_s)
    edges = np.linspace(view.start_s, view.end_s, count + 1)
    if shown.flow.datagrams is None:
        rates = goodput_kbps(shown.rows(shown.run.rtt), edges)
    else:
        rates = arrived_kbps(shown.flow, shown.rows(shown.run.datagrams), edges)
    counted = "Arrived" if shown.flow.datagrams is not None else "Acknowledged"
    return Goodput(counted, rates, edges, capacity(shown) if alone else None)


def draw_goodputs(ax: Axes, curves: Sequence[Curve[Goodput]]) -> None:
    """Draw the mean of each interval."""
    [first, *others] = curves
    if others:
        draw_steps(ax, curves, lambda of: Steps(of.edges_s[:-1], of.rates_kbps), looks(curves))
        say_means(ax, [float(np.diff(each.data.edges_s[:2])[0]) for each in curves])
    else:
        edges = first.data.edges_s
        name = f"{first.data.counted}, mean of {edges[1] - edges[0]:.3g} s each"
        [look] = looks(curves, name)
        ax.stairs(first.data.rates_kbps, edges, color=look.color, linewidth=1.2, label=look.label)
    draw_capacity(ax, curves, [each.data.capacity for each in curves])
    finish(ax, whole(curves), "Goodput (kbit/s)")


def sending(shown: Shown, *, alone: bool) -> Sending:
    """Return the throughput of a flow's sender, and if it is `alone` its link's capacity."""
    sent = throughput(segments_sent(shown.at_sender()))
    return Sending(sent, capacity(shown) if alone else None)


def draw_throughputs(ax: Axes, curves: Sequence[Curve[Sending]]) -> None:
    """Draw the sender's throughput and its means; of several, the mean of each interval."""
    if len(curves) == 1:
        draw_throughput(ax, curves[0].view, curves[0].data.throughput)
    else:
        means = [each.of(_by_interval(each.view, each.data.throughput)) for each in curves]
        draw_steps(ax, means, lambda of: of, looks(curves))
    draw_capacity(ax, curves, [each.data.capacity for each in curves])
    finish(ax, whole(curves), "Throughput (kbit/s)")


def _by_interval(view: View, data: Throughput) -> Steps:
    count = interval_count(view.end_s - view.start_s, int(view.holds(data.time_s).sum()))
    edges = np.linspace(view.start_s, view.end_s, count + 1)
    bits, _ = np.histogram(data.time_s, edges, weights=data.payload_bits)
    return Steps(edges[:-1], KBPS * bits / np.diff(edges))


def interval_count(duration_s: float, samples: int, interval_s: float | None = None) -> int:
    """Return into how many intervals a view with so many acknowledgements is divided.

    By default ten of them are in each on average, as far as that gives 10 to 100 intervals.

    Raises
    ------
    ValueError
        If they would be too many.
    """
    if interval_s is None:
        return min(max(samples // 10, 10), 100)
    if duration_s > MOST * interval_s:
        raise ValueError(
            f"interval_s: must be at least {duration_s / MOST:g} s, not {interval_s:g} s"
        )
    return max(1, round(duration_s / interval_s))
