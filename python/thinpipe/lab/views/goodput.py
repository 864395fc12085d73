"""Goodput of all flows, stacked under the capacity, and how fairly they share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.lab.groups import Group, groups
from thinpipe.lab.panel import Layer, PanelKind, Sight
from thinpipe.plot.bottleneck import Capacity, capacity
from thinpipe.plot.datagrams import arrived_kbps
from thinpipe.plot.rates import interval_count
from thinpipe.plot.series import goodput_kbps
from thinpipe.plot.shown import flow_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

MOST_STACKED: Final = 12
"""Of more flows, the sum is drawn."""


def intervals(sight: Sight) -> Floats:
    """Return the edges of intervals, as many as pictures of goodput have."""
    times = sight.run.rtt["time_s"]
    if any(flow.datagrams is not None for flow in sight.run.flows):
        times = times.clone().append(sight.run.datagrams["arrived_s"].drop_nulls())
    samples = int(times.is_between(sight.start_s, sight.end_s).sum())
    count = interval_count(sight.end_s - sight.start_s, samples)
    return np.linspace(sight.start_s, sight.end_s, count + 1)


def rates_kbps(sight: Sight, edges_s: Floats) -> Floats:
    """Return the goodput of each flow in each interval: a row a flow."""
    run = sight.run
    rows = []
    for flow in run.flows:
        if flow.datagrams is None:
            rows.append(goodput_kbps(run.rtt.filter(run.rtt["flow"] == flow.id), edges_s))
        else:
            mine = run.datagrams.filter(run.datagrams["flow"] == flow.id)
            rows.append(arrived_kbps(flow, mine, edges_s))
    return np.array(rows)


def layers(sight: Sight) -> list[Layer]:
    """Return the capacity of the bottleneck and, before it, the goodput of each flow."""
    edges = intervals(sight)
    rates = rates_kbps(sight, edges)
    drawn: list[Layer] = []
    of_groups = groups(sight)
    if not sight.ghost and (link := _bottleneck(sight, of_groups)) is not None:
        drawn += sight.steps(
            f"Capacity of {link.link}",
            link.rate.time_s,
            link.rate.values,
            tone="capacity",
            filled=True,
        )
    if of_groups:
        return [*drawn, *stacked(sight, edges, rates, of_groups)]
    if sight.several or sight.ghost or len(rates) in range(2) or len(rates) > MOST_STACKED:
        total = rates.sum(axis=0)
        return [*drawn, *sight.steps("goodput", edges[:-1], total)]
    upper = np.cumsum(rates, axis=0)
    names = flow_names(sight.run.flows)
    for number, (name, high, own) in enumerate(zip(names, upper, rates, strict=True)):
        drawn.append(sight.layer("area", name, x=edges, low=high - own, high=high, shade=number))
    return drawn


def _bottleneck(sight: Sight, of_groups: Sequence[Group]) -> Capacity | None:
    """Return the capacity that the flows share; ``None`` where groups have other bottlenecks."""
    shared = [capacity(next(group.shown(sight))) for group in of_groups] or [capacity(sight.shown)]
    links = {None if each is None else each.link for each in shared}
    return shared[0] if len(links) == 1 else None


def stacked(sight: Sight, edges: Floats, rates: Floats, of_groups: Sequence[Group]) -> list[Layer]:
    """Return the goodput of each flow in the colour of its group, or of many that of each group."""
    ids = [flow.id for flow in sight.run.flows]
    low = np.zeros(len(edges) - 1)
    drawn: list[Layer] = []
    for group in of_groups:
        own = rates[np.isin(ids, group.ids)]
        of = [f"flow {number}, {group.name}" for number in group.ids]
        if len(rates) > MOST_STACKED or len(own) == 1:
            own, of = own.sum(axis=0, keepdims=True), [group.name]
        for shade, (name, rate) in enumerate(zip(of, own, strict=True)):
            high = low + rate
            look = {"shade": shade, "color": group.color}
            drawn.append(sight.layer("area", name, x=edges, low=low, high=high, **look))
            low = high
    return drawn


def are_several(sight: Sight) -> bool:
    """Return whether there is more than one flow."""
    return len(sight.run.flows) > 1


def fairness(sight: Sight) -> list[Layer]:
    """Return Jain's index of the flows' goodputs in each interval; none of a single flow."""
    if not are_several(sight):  # one alone is always fair
        return []
    edges = intervals(sight)
    rates = rates_kbps(sight, edges)
    of_groups = groups(sight)
    look = {"tone": "ink"} if of_groups else {}
    drawn = sight.steps("Jain's index", edges[:-1], jain(rates), **look)
    ids = [flow.id for flow in sight.run.flows]
    for group in of_groups:
        if len(group.flows) > 1:
            own = rates[np.isin(ids, group.ids)]
            drawn += sight.steps(
                f"within {group.name}", edges[:-1], jain(own), color=group.color, dotted=True
            )
    return drawn


def jain(rates: Floats) -> Floats:
    """Return Jain's index of the rates in each column; NaN where all are zero."""
    squares = (rates**2).sum(axis=0)
    sums = rates.sum(axis=0) ** 2
    nothing = np.full(len(squares), np.nan)
    index: Floats = np.divide(sums, len(rates) * squares, out=nothing, where=squares > 0)
    return index


GOODPUT: Final = PanelKind("goodput", "Goodput and capacity", "kbit/s", layers)
FAIRNESS: Final = PanelKind("fairness", "Jain's index", "1 is fair", fairness, there=are_several)
