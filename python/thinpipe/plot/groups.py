"""What groups of flows get of what they share: goodput over delay, and how long transfers take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.counted import counted
from thinpipe.plot.curves import distinct_colors, repeats
from thinpipe.plot.drawing import fit_unit, legend_above

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats, View
    from thinpipe.recording import Recording
    from thinpipe.result import Flow

DASHES: Final = ("-", (0, (6, 2)))
"""Of transfers, and of pages of the same group."""

SHAPES: Final = "osD^vP"
"""Marks of groups, in the order in which colours repeat."""

ROOM: Final = 1.1
"""How much longer axes are than what they have to show."""

MARKED: Final = 50
"""Maximum number of values of a curve that have marks."""


@dataclass(frozen=True, slots=True)
class Share:
    """A group: the flows that have a delay and a goodput, and the name with what it got in all."""

    name: str
    variant: str
    delay_s: Floats
    goodput_bps: Floats


@dataclass(frozen=True, slots=True)
class Times:
    """How long those of a group took that came to an end, in order, of `begun`."""

    group: str
    variant: str
    of: str
    taken_s: Floats
    begun: int

    @property
    def name(self) -> str:
        """What the legend says of it."""
        ended = f"{len(self.taken_s):,} of " if self.begun > len(self.taken_s) else ""
        return f"{self.group}: {ended}{counted(self.begun, self.of)}"


def shares(run: Recording) -> list[Share]:
    """Return the flows of each group of a run, by the 95th percentile of their one-way delay."""
    jain = {each.name: each for each in run.result.groups}
    found = []
    for group, flows in by_group(run).items():
        known = [
            (delay_s, goodput_bps)
            for flow in flows
            if (delay_s := flow.network.delay_s.p95) is not None
            and (goodput_bps := flow.goodput_bps) is not None
        ]
        if not known:
            continue
        delay_s, goodput_bps = np.array(known, dtype=np.float64).T
        of = jain[group]
        name = group if of.share is None else f"{group}: {100 * of.share:.1f} % of all"
        if of.jain_index is not None:
            name += f", Jain {of.jain_index:.3f}"
        found.append(Share(name, of.variant, delay_s, goodput_bps))
    return found


def draw_shares(ax: Axes, groups: Sequence[Share]) -> None:
    """Draw a small mark for each flow, and a large one at the mean of each group."""
    colors = distinct_colors([each.variant for each in groups])
    for group, color, shape in zip(groups, colors, shapes(colors), strict=True):
        small: dict[str, Any] = {"linestyle": "none", "alpha": 0.5, "markersize": 4}
        ax.plot(group.delay_s, group.goodput_bps / 1000, marker=shape, color=color, **small)
        means = np.mean(group.delay_s), np.mean(group.goodput_bps) / 1000
        large: dict[str, Any] = {"markeredgecolor": "white", "markersize": 11, "linestyle": "none"}
        ax.plot(*means, marker=shape, color=color, label=group.name, **large)
    ax.set(xlabel="95th percentile of the one-way delay (s)", ylabel="Goodput of a flow (kbit/s)")
    widest = max(float(np.max(group.delay_s)) for group in groups)
    highest = max(float(np.max(group.goodput_bps)) for group in groups) / 1000
    ax.set(xlim=(0, ROOM * widest), ylim=(0, ROOM * highest))
    fit_unit(ax.xaxis)
    fit_unit(ax.yaxis)
    legend_above(ax)


def times(run: Recording, view: View) -> list[Times]:
    """Return how long transfers and pages of each group took that began and ended in view."""
    pages = run.pages if any(flow.pages is not None for flow in run.flows) else None
    found: list[Times] = []
    for group, flows in by_group(run).items():
        variant = flows[0].variant
        ends = [(flow.started_s, flow.completed_s) for flow in flows if _is_transfer(flow)]
        begun = [(start, end) for start, end in ends if start is not None and _holds(view, start)]
        taken = [end - start for start, end in begun if end is not None and _holds(view, end)]
        if taken:
            found.append(Times(group, variant, "transfer", np.sort(taken), len(begun)))
        if pages is not None:
            rows = pages.filter(
                pages["flow"].is_in([flow.id for flow in flows]),
                pages["time_s"].is_between(view.start_s, view.end_s),
            )
            taken_s = np.sort(rows["response_s"].to_numpy())
            found += [Times(group, variant, "page", taken_s, len(rows))] if len(rows) else []
    return found


def draw_times(ax: Axes, of: Sequence[Times]) -> None:
    """Draw which share of those that began has come to an end within a time, a curve each."""
    kinds = list(dict.fromkeys((each.group, each.variant) for each in of))
    colors = distinct_colors([kind[1] for kind in kinds])
    looks = dict(zip(kinds, zip(colors, shapes(colors), strict=True), strict=True))
    for each in of:
        count = len(each.taken_s)
        color, shape = looks[each.group, each.variant]
        every = 1 if count <= MARKED else count // MARKED
        ax.step(
            np.r_[each.taken_s[:1], each.taken_s],
            100 * np.arange(count + 1) / each.begun,
            where="post",
            color=color,
            linestyle=DASHES[each.of == "page"],
            marker=shape if count <= MARKED or shape != SHAPES[0] else "none",
            markersize=4,
            markevery=slice(1, None, every),
            label=each.name,
        )
    ax.set(xlabel="Time from first to last (s)", ylabel="Share of those begun (%)", ylim=(0, 102))
    ax.set_xlim(left=0)
    fit_unit(ax.xaxis)
    legend_above(ax)


def shapes(colors: Sequence[str]) -> list[str]:
    """Return a mark each: another one where a colour comes again."""
    return [SHAPES[repeat % len(SHAPES)] for repeat in repeats(colors)]


def by_group(run: Recording) -> dict[str, list[Flow]]:
    """Return the flows of each group of a run, in the order of flows."""
    found: dict[str, list[Flow]] = {}
    for flow in run.flows:
        found.setdefault(flow.group, []).append(flow)
    return found


def _is_transfer(flow: Flow) -> bool:
    return flow.datagrams is None and flow.pages is None


def _holds(view: View, time_s: float) -> bool:
    return view.start_s <= time_s <= view.end_s
