"""Radio blocks of the run in focus: a column a TTI, a cell a block, an arrow a repeat."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.lab.run_inputs import radio_mobiles

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]
    Chosen = NDArray[np.bool_]

MOST_BLOCKS: Final = 2_000
"""Of more in view, shares are drawn in the place of cells."""

MOST_SHARES: Final = 200
"""Intervals in which shares are counted."""

LONGEST_TTI_S: Final = 0.08
SHORTEST_TTI_S: Final = 0.01
"""TTIs of UMTS (TS 25.302 §6); a block period of GPRS is between them."""

KINDS: Final = {"data": "data", "retransmission": "retransmission", "control": "control"}
"""Each kind of blocks with its tone."""

GAP: Final = 0.07
"""Between cells, as a share of their height."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """The blocks of one direction, in order of time.

    Attributes
    ----------
    place
        Of each among the blocks of its TTI, from 0.
    before
        The row of the same block's transmission before; -1 of the first.
    """

    time_s: Floats
    place: Integers
    sn: Integers
    kind: NDArray[np.str_]
    poll: Chosen
    error: Chosen
    before: Integers
    tti_s: float

    @classmethod
    def of(cls, rows: pl.DataFrame, *, alone: bool) -> Blocks:
        """Return those of one direction; of several mobiles nobody knows which block is whose."""
        time_s = rows["time_s"].to_numpy()
        starts = np.flatnonzero(np.diff(time_s, prepend=-np.inf) > 0)
        sizes = np.diff(np.append(starts, len(time_s)))
        distinct = np.diff(time_s[starts])
        tti_s = float(distinct.min(initial=LONGEST_TTI_S)) if len(distinct) else SHORTEST_TTI_S
        kind, sn = rows["kind"].cast(str).to_numpy().astype(str), rows["sn"].to_numpy()
        before = np.full(len(time_s), -1)
        if alone:
            of_data = np.flatnonzero(kind != "control")
            order = of_data[np.argsort(sn[of_data], kind="stable")]
            again = (sn[order[1:]] == sn[order[:-1]]) & (kind[order[1:]] == "retransmission")
            before[order[1:][again]] = order[:-1][again]
        return cls(
            time_s,
            np.arange(len(time_s)) - np.repeat(starts, sizes),
            sn.astype(np.int64),
            kind,
            rows["poll"].to_numpy(),
            rows["error"].to_numpy(),
            before,
            tti_s,
        )

    def first(self, row: int) -> int:
        """Return the row of a block's first transmission."""
        while self.before[row] >= 0:
            row = int(self.before[row])
        return row


@dataclass(frozen=True, slots=True)
class Sending:
    """A segment whose first bit a bearer sends at `begin_s`, and that has arrived at `end_s`."""

    begin_s: float
    end_s: float
    uid: int
    name: str


def segments_on_air(run: Sight, direction: str) -> list[Sending]:
    """Return the segments that a bearer sends, by when it begins."""
    [(mobile, link)] = radio_mobiles(run.run).items()
    rows = run.run.segments.filter(run.run.segments["event"] == "sent")
    is_up = rows["endpoint"].cast(str).str.starts_with(f"{mobile}:")
    rows = rows.filter(is_up if direction == "up" else ~is_up)
    columns = ("uid", "seq", "ack", "payload_bytes")
    names = {uid: _named(*rest) for uid, *rest in rows.select(columns).iter_rows()}
    hops = run.run.hops.filter(run.run.hops["machine"].cast(str) == link)
    left = dict(hops.filter(hops["event"] != "entered").select("uid", "time_s").iter_rows())
    queue = run.run.queue.filter(run.run.queue["link"] == f"{link}/{direction}")
    if "uid" not in queue.columns:  # not in runs that version 0.1 saved
        return []
    begun = queue.filter(queue["event"] == "dequeued").select("time_s", "uid")
    found = [
        Sending(at, left.get(uid, np.inf), uid, names[uid])
        for at, uid in begun.iter_rows()
        if uid in names
    ]
    return sorted(found, key=lambda each: each.begin_s)


def carried(sent: Sequence[Sending], at_s: float, tti_s: float) -> list[Sending]:
    """Return the segments of which a block first sent in a TTI may have a part.

    One that began before and has not arrived, and those that begin in the TTI.
    """
    here, beyond = (
        bisect_left(sent, until_s - 1e-9, key=attrgetter("begin_s"))
        for until_s in (at_s, at_s + tti_s)
    )
    begun = [each for each in sent[max(here - 1, 0) : here] if each.end_s > at_s]
    return [*begun, *sent[here:beyond]]


def layers(direction: str, sight: Sight) -> list[Layer]:
    """Return a cell for each block and an arrow for each repeat, or shares of too many."""
    rows = sight.run.blocks.filter(sight.run.blocks["direction"] == direction)
    in_view = (rows["time_s"] >= sight.start_s) & (rows["time_s"] <= sight.end_s)
    if not in_view.any():
        return []
    if in_view.sum() > MOST_BLOCKS:
        return _shares(sight, rows.filter(in_view))
    shown, alone = np.flatnonzero(in_view.to_numpy()), len(radio_mobiles(sight.run)) == 1
    blocks = Blocks.of(rows, alone=alone)
    sent = segments_on_air(sight, direction) if alone else []
    within = {
        int(row): carried(sent, float(blocks.time_s[blocks.first(int(row))]), blocks.tti_s)
        for row in shown
        if sent and blocks.kind[row] != "control"
    }
    drawn = []
    for kind, tone in KINDS.items():
        for error in (False, True):
            some = shown[(blocks.kind[shown] == kind) & (blocks.error[shown] == error)]
            if len(some):
                what = f"{kind} in error" if error else kind
                label = f"{what} ({len(some):,})"
                drawn.append(_cells(sight, blocks, some, within, label, tone, hollow=error))
    return [*drawn, *_repeats(sight, blocks, shown)]


def _cells(
    sight: Sight,
    blocks: Blocks,
    rows: Integers,
    within: dict[int, list[Sending]],
    label: str,
    tone: str,
    *,
    hollow: bool,
) -> Layer:
    start_s, place = blocks.time_s[rows], blocks.place[rows]
    return sight.layer(
        "bars",
        label,
        x0=start_s,
        x1=np.minimum(start_s + (1 - GAP) * blocks.tti_s, sight.end_s),
        y0=place + GAP,
        y1=place + 1 - GAP,
        tone=tone,
        hollow=hollow,
        tips=[_tip(blocks, int(row), within.get(int(row), ())) for row in rows],
        of=[[each.uid for each in within.get(int(row), ())] for row in rows],
    )


def _repeats(sight: Sight, blocks: Blocks, shown: Integers) -> list[Layer]:
    """Return an arrow to each repeat from the transmission before it, if that is in view."""
    in_view = np.zeros(len(blocks.time_s), dtype=bool)
    in_view[shown] = True
    again = shown[blocks.before[shown] >= 0]
    again = again[in_view[blocks.before[again]]]
    drawn = []
    for error, label, tone in (
        (True, "repeat", "ink"),
        (False, "repeat of what had arrived", "timeout"),
    ):
        some = again[blocks.error[blocks.before[again]] == error]
        if len(some):
            ends = {"0": blocks.before[some], "1": some}
            places = {
                f"{axis}{end}": values
                for end, at in ends.items()
                for axis, values in (
                    ("x", np.minimum(blocks.time_s[at] + blocks.tti_s / 2, sight.end_s)),
                    ("y", blocks.place[at] + 0.5),
                )
            }
            drawn.append(
                sight.layer("arrows", f"{label} ({len(some):,})", **places, tone=tone, fine=True)
            )
    return drawn


def _shares(sight: Sight, rows: pl.DataFrame) -> list[Layer]:
    """Return which share of the blocks of each interval was in error, and which repeated."""
    edges = np.linspace(sight.start_s, sight.end_s, min(MOST_SHARES, sight.columns) + 1)
    time_s = rows["time_s"].to_numpy()
    count, _ = np.histogram(time_s, edges)
    drawn: list[Layer] = []
    for label, tone, chosen in (
        ("in error", "timeout", rows["error"]),
        ("repeated", "retransmission", rows["kind"] == "retransmission"),
    ):
        some, _ = np.histogram(time_s[chosen.to_numpy()], edges)
        share = np.divide(some, count, out=np.full(len(count), np.nan), where=count > 0)
        said = f"share {label} of {len(rows):,} blocks; zoom in to see each"
        drawn += sight.steps(said, edges[:-1], share, tone=tone)
    return drawn


def _named(seq: int, ack: int, payload: int) -> str:
    if payload:
        return f"bytes {seq - 1:,} to {seq - 1 + payload:,}"
    return f"the acknowledgement of {max(ack - 1, 0):,}"


def _tip(blocks: Blocks, row: int, within: Sequence[Sending]) -> str:
    kind = str(blocks.kind[row])
    said = ["control" if kind == "control" else f"{kind}, sn {blocks.sn[row]}"]
    said += ["poll"] if blocks.poll[row] else []
    said += ["in error"] if blocks.error[row] else []
    if within:
        names = [f"{each.name} (packet {each.uid})" for each in within[:3]]
        said.append(f"carries {' or '.join(names)}")
    return ", ".join(said)


def _kind(direction: str, title: str, *, usual: bool) -> PanelKind:
    build: Callable[[Sight], list[Layer]] = partial(layers, direction)
    return PanelKind(
        f"blocks-{direction}",
        title,
        "blocks of a TTI, or shares of many",
        build,
        runs="focus",
        usual=usual,
        traced=True,
        there=has("blocks"),
        wide=True,
    )


BLOCKS_DOWN: Final = _kind("down", "Radio blocks down", usual=True)
BLOCKS_UP: Final = _kind("up", "Radio blocks up", usual=False)
