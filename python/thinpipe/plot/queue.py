"""A link's queue over time: what waits, how long each packet waited, and what was dropped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.arguments import check
from thinpipe.plot.bottleneck import longest_wait
from thinpipe.plot.curves import (
    GREY,
    Curve,
    Kinds,
    Look,
    Steps,
    draw_events,
    draw_steps,
    looks,
    whole,
)
from thinpipe.plot.drawing import Mark, Unit, draw_samples, finish, keep_marks_whole
from thinpipe.plot.series import segments_sent
from thinpipe.plot.stack import label_time_once, stacked
from thinpipe.plot.style import COLORS

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from thinpipe.plot.series import Chosen, Floats
    from thinpipe.plot.shown import Shown
    from thinpipe.recording import Recording

REASONS: Final[Kinds] = {
    "queue": ("drop", "Queue full", Mark("x", 6)),
    "aqm": ("drop", "Dropped by AQM", Mark("+", 7)),
    "loss": ("drop", "Random loss", Mark("1", 7)),
    "list": ("drop", "Listed to be lost", Mark("2", 7)),
    "outage": ("drop", "Outage", Mark("|", 8)),
    "discarded": ("drop", "Given up by the radio", Mark("4", 7)),
    "unreachable": ("drop", "Unreachable", Mark("3", 7)),
    "incomplete": ("drop", "Fragment missing", Mark("*", 7)),
    "too_big": ("drop", "Too big", Mark("p", 6)),
    "corrupt": ("drop", "Wrong checksum", Mark("h", 6)),
}
"""Colour, name and mark of each reason for a drop."""

ALL: Final = Look(GREY, "-", 0.8, "All that wait there")
"""What waits, of the flow that is drawn and of others."""


@dataclass(frozen=True, slots=True)
class Queue:
    """What waits at a link, and the packets that waited.

    Attributes
    ----------
    packets, bytes
        Waiting, at each time after all changes: what leaves at once has not waited.
    delay
        How long each packet waited, in seconds, by when it left the queue.
    drops
        The packets waiting at each drop, by reason.
    of_flow
        Packets of the flow that wait: all, unless other flows have some there. Of UDP all count.
    of_round_trips
        How long each segment with data waited that the flow's sender sent, as `delay`: part of its
        round-trip time.
    """

    link: str
    packets: Steps
    bytes: Steps
    delay: Steps
    drops: dict[str, Steps]
    of_flow: Steps
    of_round_trips: Steps

    def is_same(self, other: Queue) -> bool:
        """Return whether it is the same queue of the same run."""
        mine, its = self.packets, other.packets
        return self.link == other.link and (
            np.array_equal(mine.time_s, its.time_s) and np.array_equal(mine.values, its.values)
        )


def queue(shown: Shown, link: str | None = None) -> Queue:
    """Return the queue of a link, by default of that where the flow's packets waited longest.

    Raises
    ------
    ValueError
        If there is no such link, or the run has no trace.
    """
    check(link=link)
    rows, links = shown.run.queue, [each.name for each in shown.run.links]
    if link is not None and link not in links:
        raise ValueError(f"link: {link!r} is none of {', '.join(links)}")
    link = link or longest_wait(shown)
    here = rows.filter(rows["link"] == link)
    left, dropped = ((here["event"] == event).to_numpy() for event in ("dequeued", "dropped"))
    time_s = here["time_s"].to_numpy()
    after = time_s != np.append(time_s[1:], np.inf)
    reasons = here["reason"]
    is_own, is_sent = _whose(shown, here)
    own = _own(here, is_own)
    return Queue(
        link,
        _steps(here, "packets", after),
        _steps(here, "bytes", after),
        _steps(here, "delay_s", left),
        {
            reason: _steps(here, "packets", dropped & reasons.eq_missing(reason).to_numpy())
            for reason in sorted(reasons.filter(dropped).drop_nulls().unique().cast(str))
        },
        Steps(time_s[after], own[after]),
        _steps(here, "delay_s", left & is_sent),
    )


@dataclass(frozen=True, slots=True)
class Part:
    """The part that some packets have of a queue: those that wait, how long, and drops of them.

    Its entries are as those of `Queue`; at a drop stand the packets of the part that wait.
    """

    packets: Steps
    delay: Steps
    drops: dict[str, Steps]


def part(run: Recording, link: str, uids: NDArray[np.uint64], *, others: bool = False) -> Part:
    """Return the part that packets of these numbers have of a link's queue, or all `others`."""
    here = run.queue.filter(run.queue["link"] == link)
    is_own = np.isin(here["uid"].to_numpy(), uids, invert=others)
    time_s = here["time_s"].to_numpy()
    after = time_s != np.append(time_s[1:], np.inf)
    own = _own(here, is_own)
    left = (here["event"] == "dequeued").to_numpy() & is_own
    drops = {}
    reasons = here["reason"].cast(str)
    for reason in sorted(reasons.drop_nulls().unique()):
        lost = (reasons == reason).fill_null(value=False).to_numpy() & is_own
        if lost.any():
            drops[reason] = Steps(time_s[lost], own[lost])
    return Part(Steps(time_s[after], own[after]), _steps(here, "delay_s", left), drops)


def _own(here: pl.DataFrame, is_own: Chosen) -> Floats:
    """Return how many of the packets wait that are chosen, after each row."""
    change = np.diff(here["packets"].to_numpy().astype(np.int64), prepend=0)
    return np.cumsum(np.where(is_own, change, 0)).astype(np.float64)


def _whose(shown: Shown, here: pl.DataFrame) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rows are of packets of a flow, and which of data that its sender sent."""
    segments = shown.run.segments
    of_flow = segments.filter((segments["flow"] == shown.flow.id) & (segments["event"] == "sent"))
    if len(of_flow) == 0 or "uid" not in here.columns:  # UDP, or a run that version 0.1 saved
        return np.ones(len(here), dtype=bool), np.zeros(len(here), dtype=bool)
    sent = segments_sent(shown.at_sender())
    uid = here["uid"].to_numpy()
    own, data = of_flow["uid"].to_numpy(), sent.only(sent.carries_data).uid
    return np.isin(uid, own), np.isin(uid, data)


def draw_queues(ax: Axes, curves: Sequence[Curve[Queue]]) -> None:
    """Draw packets and bytes waiting, and how long each packet waited, in panels."""
    packets, content, delay = stack = stacked(ax, 3)
    draw_waiting(packets, curves)
    view, (queues, drawn) = whole(curves), _distinct(curves)
    if _has_others(curves):
        drawn = [ALL]
    unit = Unit.of(max(each.data.bytes.values.max(initial=0.0) for each in queues))
    draw_steps(
        content,
        queues,
        lambda of: Steps(of.bytes.time_s, unit.of_bytes(of.bytes.values)),
        drawn,
    )
    finish(content, view, f"Waiting ({unit.name})")
    if len(queues) == 1:
        waited = queues[0].data.delay
        draw_samples(delay, view, waited.time_s, waited.values, "instant", "_")
    else:
        draw_steps(delay, queues, lambda of: of.delay, drawn)
    finish(delay, view, "Time waited (s)")
    for lower in stack[1:]:
        if (legend := lower.get_legend()) is not None:
            legend.remove()
    label_time_once(stack)


def draw_waiting(ax: Axes, curves: Sequence[Curve[Queue]]) -> None:
    """Draw the packets that wait, and a mark by reason at each drop.

    Of a single flow, these are its own, and all at the link are a pale line above.
    """
    queues, drawn = _distinct(curves)
    if _has_others(curves):
        draw_steps(ax, curves, lambda of: of.packets, [ALL])
        means = draw_steps(ax, curves, lambda of: of.of_flow, drawn)
    else:
        means = draw_steps(ax, queues, lambda of: of.packets, drawn)
    draw_events(ax, queues, lambda of: of.drops, REASONS, drawn, means)
    links = {each.data.link for each in queues}
    where = f" at\n{queues[0].data.link}" if len(links) == 1 else ""
    finish(ax, whole(curves), f"Packets waiting{where}")
    keep_marks_whole(ax)


def _has_others(curves: Sequence[Curve[Queue]]) -> bool:
    """Return whether others wait where the only flow that is drawn does."""
    if len(curves) != 1:
        return False
    queue = curves[0].data
    return not np.array_equal(queue.packets.values, queue.of_flow.values)


def _distinct(curves: Sequence[Curve[Queue]]) -> tuple[list[Curve[Queue]], list[Look]]:
    """Return each queue once, and how it is drawn: flows of a run may wait in the same."""
    used = [each for each in curves if len(each.data.packets.time_s)] or curves[:1]
    queues: list[Curve[Queue]] = []
    for curve in used:
        if not any(curve.data.is_same(each.data) for each in queues):
            queues.append(curve)
    if len(queues) == len(used):
        return queues, looks(queues, _name(queues[0]))
    if len(queues) == 1:
        return queues, [Look(COLORS["paper"], "-", 1.2, _name(queues[0]))]
    if len({each.data.link for each in queues}) == len(queues):
        queues = [replace(each, label=_name(each)) for each in queues]
    return queues, looks(queues)


def _name(curve: Curve[Queue]) -> str:
    return f"Waiting at {curve.data.link}"


def _steps(rows: pl.DataFrame, column: str, chosen: NDArray[np.bool_]) -> Steps:
    values = rows[column].to_numpy()[chosen].astype(np.float64)
    return Steps(rows["time_s"].to_numpy()[chosen], values)
