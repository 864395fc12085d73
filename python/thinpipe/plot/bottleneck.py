"""The link that limits a flow, and what it could carry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

import numpy as np

from thinpipe.plot.curves import Curve, Steps, whole
from thinpipe.plot.series import opening_and_data, segments_sent, sent_towards_receiver
from thinpipe.plot.style import COLORS
from thinpipe.plot.throughput import KBPS
from thinpipe.tables import NoTableError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from thinpipe.plot.shown import Shown
    from thinpipe.recording import Recording


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a link could carry, in kbit/s; NaN where it has no limit."""

    link: str
    rate: Steps


_LINKS: Final[WeakKeyDictionary[Recording, dict[int, str]]] = WeakKeyDictionary()
"""What `longest_wait` found: panels of a run ask again."""


def longest_wait(shown: Shown) -> str:
    """Return the link where a flow's packets waited longest.

    Of UDP, and of a flow that sent nothing, it is where all packets waited longest.

    Raises
    ------
    NoTableError
        If the run has no trace.
    """
    known = _LINKS.setdefault(shown.run, {})
    if shown.flow.id not in known:
        known[shown.flow.id] = _longest_wait(shown)
    return known[shown.flow.id]


def _longest_wait(shown: Shown) -> str:
    run, queue = shown.run, shown.run.queue
    names = [each.name for each in run.links]
    waited_s = np.nan_to_num(queue["delay_s"].to_numpy())
    is_tcp = shown.flow.datagrams is None and shown.flow.started_s is not None
    if is_tcp and "uid" in queue.columns:  # not in runs that version 0.1 saved
        sent = segments_sent(sent_towards_receiver(run.segments, shown.flow.id))
        waited_s = waited_s * np.isin(queue["uid"].to_numpy(), opening_and_data(sent).uid)
    of = queue["link"].to_physical().to_numpy()
    return names[int(np.argmax(np.bincount(of, waited_s, len(names))))]


def capacity(shown: Shown) -> Capacity | None:
    """Return what the link could carry where a flow waited longest.

    Without a trace it is the link with the longest queue on average. ``None`` if the link has no
    capacity of its own.
    """
    try:
        link = longest_wait(shown)
    except NoTableError:
        link = max(shown.run.links, key=lambda each: each.queue_packets.mean).name
    rows = shown.run.capacity.filter(shown.run.capacity["link"] == link)
    if len(rows) == 0:
        return None
    rate_bps = rows["rate_bps"].fill_null(np.nan).to_numpy()
    return Capacity(link, Steps(rows["time_s"].to_numpy(), KBPS * rate_bps))


def draw_capacity(
    ax: Axes, curves: Sequence[Curve[Any]], capacities: Sequence[Capacity | None]
) -> None:
    """Draw the capacity of the link as an area behind curves, if it is the same for all."""
    [first, *others] = capacities
    if not ax.has_data() or first is None or not all(_is_same(first, each) for each in others):
        return
    times, rates = whole(curves).held(first.rate.time_s, first.rate.values)
    ax.fill_between(
        times,
        rates,
        step="post",
        color=COLORS["muted"],
        alpha=0.2,
        zorder=0.5,
        linewidth=0,
        label=f"Capacity of {first.link}",
    )


def _is_same(one: Capacity, other: Capacity | None) -> bool:
    return (
        other is not None
        and one.link == other.link
        and np.array_equal(one.rate.time_s, other.rate.time_s)
        and np.array_equal(one.rate.values, other.rate.values, equal_nan=True)
    )
