"""What a flow and its bottleneck did, in panels with one axis of time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thinpipe.plot.curves import MEANS, NOTHING, Curve, Steps, looks, whole
from thinpipe.plot.cwnd import Window, draw_windows, window
from thinpipe.plot.datagrams import Delays, delays, draw_datagrams
from thinpipe.plot.drawing import ENVELOPE, FEW, View, legend_above
from thinpipe.plot.envelope import envelope_of_steps
from thinpipe.plot.queue import Queue, draw_waiting, queue
from thinpipe.plot.rates import Goodput, draw_goodputs, goodput
from thinpipe.plot.rtt import draw_rtts, round_trips
from thinpipe.plot.stack import GAP, label_time_once, make_room, stacked
from thinpipe.plot.style import COLORS
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.drawing import Floats
    from thinpipe.plot.shown import Shown


@dataclass(frozen=True, slots=True)
class Overview:
    """All that the panels show of a flow; empty where there is nothing of the kind."""

    window: Window
    delays: Delays
    trips: Steps
    queue: Queue
    goodput: Goodput


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel of the overview, which is left out if no flow has `times` for it."""

    name: str
    head: str
    draw: Callable[[Axes, Sequence[Curve[Overview]]], None]
    times: Callable[[Overview], Floats]
    absent: str


def _draw_trips(ax: Axes, curves: Sequence[Curve[Overview]]) -> None:
    """Draw round-trip times, and of a single flow the share of them that is the queue's."""
    if len(curves) == 1:
        _shade_waiting(ax, curves[0].view, curves[0].data.queue)
    draw_rtts(ax, [each.of(each.data.trips) for each in curves])


def _shade_waiting(ax: Axes, view: View, queue: Queue) -> None:
    """Shade what the flow's segments waited, of many the median of each column."""
    waited = queue.of_round_trips
    times, delay_s = view.held(waited.time_s, waited.values)
    if len(times) > FEW:
        columns = view.columns()
        delay_s = envelope_of_steps(columns, times, delay_s).median
        times, delay_s = columns, np.append(delay_s, delay_s[-1:])
    if len(times):
        label = f"Of the RTT, waiting at {queue.link}"
        color = COLORS["window"]
        ax.fill_between(
            times, delay_s, step="post", color=color, alpha=0.5, linewidth=0, label=label
        )


def _of(
    draw: Callable[[Axes, Sequence[Curve[Any]]], None], part: str
) -> Callable[[Axes, Sequence[Curve[Overview]]], None]:
    """Return what draws one part of an overview."""
    return lambda ax, curves: draw(ax, [each.of(getattr(each.data, part)) for each in curves])


PANELS: Final = (
    Panel(
        "window",
        "Window",
        _of(draw_windows, "window"),
        lambda of: of.window.cwnd.time_s,
        "it never opened",
    ),
    Panel(
        "datagrams",
        "Delay",
        _of(draw_datagrams, "delays"),
        lambda of: of.delays.delay.time_s,
        "none arrived",
    ),
    Panel(
        "round-trip times",
        "RTT",
        _draw_trips,
        lambda of: of.trips.time_s,
        "none was measured",
    ),
    Panel(
        "queue",
        "Waiting",
        _of(draw_waiting, "queue"),
        lambda of: of.queue.packets.time_s,
        "it needs a run with trace=True",
    ),
    Panel(
        "goodput",
        "Goodput",
        _of(draw_goodputs, "goodput"),
        lambda of: of.goodput.edges_s,
        "",
    ),
)
"""From the top."""


def overview(shown: Shown, *, alone: bool) -> Overview:
    """Return what there is of a flow; without a trace, nothing of the queue.

    If it is `alone`, it comes with its link's capacity, which others would share.
    """
    is_udp = shown.flow.datagrams is not None
    try:
        queued = queue(shown)
    except NoTableError:
        queued = Queue("", NOTHING, NOTHING, NOTHING, {}, NOTHING, NOTHING)
    return Overview(
        window(shown),
        delays(shown) if is_udp else Delays(NOTHING, NOTHING.time_s),
        round_trips(shown),
        queued,
        goodput(shown, None, alone=alone),
    )


def draw_overview(ax: Axes, curves: Sequence[Curve[Overview]]) -> None:
    """Draw a panel for each of `PANELS` of which there is something."""
    has_datagrams = any(len(each.data.delays.delay.time_s) for each in curves)
    there = [panel for panel in PANELS if any(len(panel.times(each.data)) for each in curves)]
    there = there or [PANELS[-1]]
    above = GAP / 2 if len(curves) > 1 else 0.0
    stack = stacked(ax, len(there), above)
    for panel, axes in zip(there, stack, strict=True):
        panel.draw(axes, curves)
        axes.set_ylabel(_two_lines(panel.head, axes.get_ylabel()))
        _end_at_tick(axes)
    label_time_once(stack)
    of_tcp = ("datagrams",) if not has_datagrams else ("window", "round-trip times")
    absent = [each for each in PANELS if each not in there and each.name not in of_tcp]
    notes = [f"no {each.name}: {each.absent}" for each in absent]
    if _hide_bands(stack):
        column_s = float(np.diff(whole(curves).columns()[:2])[0])
        notes.append(f"bands and lines: range and median of at most {column_s:.3g} s each")
    if notes:
        stack[-1].set_xlabel(f"Time (s)\n{'; '.join(notes)}")
    _name_once(ax, stack, curves)
    make_room(ax, stack, above)
    _raise_above(ax, stack[0])


def _two_lines(head: str, label: str) -> str:
    """Return a heading and the unit that a label names; without one it is of packets."""
    unit = label.rpartition("(")[2].removesuffix(")") if label.endswith(")") else "packets"
    return f"{head} ({unit})" if unit in ("s", "ms") else f"{head}\n({unit})"


def _end_at_tick(ax: Axes) -> None:
    """Extend the upper end of an axis to a tick if most of the way there is in view."""
    first, second, *_ = ax.get_yticks()
    top, step = ax.get_ylim()[1], second - first
    if top % step > step / 2:
        ax.set_ylim(top=step * np.ceil(top / step))


def _hide_bands(stack: Sequence[Axes]) -> bool:
    """Leave the bands of envelopes out of the legends; return whether there are any."""
    bands = [each for ax in stack for each in ax.patches if each.get_gid() == ENVELOPE]
    for band in bands:
        band.set_gid("")
    return bool(bands)


def _name_once(ax: Axes, stack: Sequence[Axes], curves: Sequence[Curve[Overview]]) -> None:
    """Name what the panels have in common above all, and the rest at each."""
    entries = [
        dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True)) for panel in stack
    ]
    counts = Counter(label for each in entries for label in each)
    names = {look.label for look in looks(curves)} if len(curves) > 1 else set()
    common = {
        label: handle
        for each in entries
        for label, handle in each.items()
        if label in names or (counts[label] > 1 and not label.startswith(MEANS))
    }
    for panel, each in zip(stack, entries, strict=True):
        if (legend := panel.get_legend()) is not None:
            legend.remove()
        legend_above(panel, {name: each[name] for name in each if name not in common})
    legend_above(ax, common)


def _raise_above(ax: Axes, panel: Axes) -> None:
    """Put the legend above that of the upper panel, which may need more rows than it has room."""
    legend, lower = ax.get_legend(), panel.get_legend()
    if legend is not None and lower is not None:
        top = lower.get_window_extent().y1
        place = ax.transAxes.inverted().transform((0.0, top))[1]
        legend.set_bbox_to_anchor((0.0, max(1.0, place)), ax.transAxes)
