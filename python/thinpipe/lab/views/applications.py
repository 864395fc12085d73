"""What applications other than files got: datagrams, pages, echoes and probes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.lab.groups import Group, groups
from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.plot.datagrams import delays

if TYPE_CHECKING:
    import polars as pl


def datagrams(sight: Sight) -> list[Layer]:
    """Return the delay of each datagram of the flow, by when it was sent, and marks at losses."""
    if of_groups := _udp(sight):
        return [layer for group in of_groups for layer in _of_group(sight, group)]
    if sight.shown.flow.datagrams is None:
        return []
    of = delays(sight.shown)
    lost = sight.shown.rows(sight.run.datagrams).drop_nulls("lost_by")
    where = lost.select("bytes", "lost_at", "lost_by").iter_rows()
    return [
        *sight.samples("delay", of.delay.time_s, of.delay.values),
        *_played(sight, of.played_s),
        *sight.marks(
            "lost",
            of.lost_s,
            np.zeros(len(of.lost_s)),
            shape="cross",
            tone="drop",
            tips=[f"{size:,} B lost at {link}: {reason}" for size, link, reason in where],
        ),
    ]


def _played(sight: Sight, after_s: float | None) -> list[Layer]:
    """Return a line at the delay after which a call's packets are played: those above are late."""
    if after_s is None:
        return []
    times_s = np.array([sight.start_s, sight.end_s])
    return sight.steps("played", times_s, np.full(2, after_s), dotted=True)


def losses(sight: Sight) -> list[Layer]:
    """Return which share of the flow's datagrams sent so far was lost."""
    if of_groups := _udp(sight):
        return [
            layer
            for group in of_groups
            for layer in _lost(sight, group.name, group.rows(sight.run.datagrams), group.color)
        ]
    if sight.shown.flow.datagrams is None:
        return []
    return _lost(sight, "lost so far", sight.shown.rows(sight.run.datagrams))


def _lost(sight: Sight, label: str, rows: pl.DataFrame, color: str | None = None) -> list[Layer]:
    rows = rows.sort("time_s")
    lost = rows["lost_by"].is_not_null().to_numpy()
    if not len(lost):
        return []
    share = np.cumsum(lost) / np.arange(1, len(lost) + 1)
    look = {} if color is None else {"color": color}
    return sight.steps(label, rows["time_s"].to_numpy(), share, **look)


def _udp(sight: Sight) -> list[Group]:
    return [group for group in groups(sight) if group.is_udp]


def _of_group(sight: Sight, group: Group) -> list[Layer]:
    """Return the delay of each datagram of a group, and marks at losses."""
    rows = group.rows(sight.run.datagrams).sort("time_s")
    arrived, lost = rows.drop_nulls("delay_s"), rows.drop_nulls("lost_by")["time_s"].to_numpy()
    times = arrived["time_s"].to_numpy(), arrived["delay_s"].to_numpy()
    label, bottom = f"{group.name}: lost", np.zeros(len(lost))
    return [
        *sight.samples(group.name, *times, color=group.color),
        *sight.marks(label, lost, bottom, shape="cross", color=group.color),
    ]


def answers(table: str, label: str, column: str, sight: Sight) -> list[Layer]:
    """Return a mark for each row of a table: how long it took, at the time when it ended."""
    rows: pl.DataFrame = getattr(sight.run, table)
    rows = rows.sort("time_s")
    if of_groups := groups(sight):
        parts = [(f"{each.name}: {label}", each.rows(rows), each.color) for each in of_groups]
        return [
            layer for name, of, color in parts for layer in _dots(sight, name, column, of, color)
        ]
    return _dots(sight, label, column, rows)


def _dots(
    sight: Sight, label: str, column: str, rows: pl.DataFrame, color: str | None = None
) -> list[Layer]:
    took_s = rows[column].to_numpy()
    has_bytes = "bytes" in rows.columns
    size = [f", {each:,} B" for each in rows["bytes"]] if has_bytes else [""] * len(rows)
    return sight.marks(
        label,
        rows["time_s"].to_numpy(),
        took_s,
        shape="dot",
        tips=[
            f"flow {flow}{more}: {took:.4g} s"
            for flow, more, took in zip(rows["flow"], size, took_s.tolist(), strict=True)
        ],
        **({} if color is None else {"color": color}),
    )


def _kind(table: str, title: str, label: str, column: str) -> PanelKind:
    build: Callable[[Sight], list[Layer]] = partial(answers, table, label, column)
    return PanelKind(table, title, "s", build, there=has(table))


DATAGRAMS: Final = PanelKind(
    "datagrams", "One-way delay of datagrams", "s", datagrams, there=has("datagrams")
)
LOSSES: Final = PanelKind(
    "datagrams-lost", "Datagrams lost", "share", losses, usual=False, there=has("datagrams")
)
PAGES: Final = _kind("pages", "Response time of pages", "pages", "response_s")
ECHOES: Final = _kind("echoes", "Time to the echo of a keystroke", "echoes", "echo_s")
PROBES: Final = _kind("probes", "One-way delay of probes", "probes", "probe_s")
