"""What applications other than files got: datagrams, pages, echoes and probes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from thinpipe.lab.panel import Layer, PanelKind, Sight, has
from thinpipe.plot.datagrams import delays

if TYPE_CHECKING:
    import polars as pl


def datagrams(sight: Sight) -> list[Layer]:
    """Return the delay of each datagram of the flow, by when it was sent, and marks at losses."""
    if sight.shown.flow.datagrams is None:
        return []
    of = delays(sight.shown)
    lost = sight.shown.rows(sight.run.datagrams).drop_nulls("lost_by")
    where = lost.select("bytes", "lost_at", "lost_by").iter_rows()
    return [
        *sight.samples("delay", of.delay.time_s, of.delay.values),
        *sight.marks(
            "lost",
            of.lost_s,
            np.zeros(len(of.lost_s)),
            shape="cross",
            tone="drop",
            tips=[f"{size:,} B lost at {link}: {reason}" for size, link, reason in where],
        ),
    ]


def losses(sight: Sight) -> list[Layer]:
    """Return which share of the flow's datagrams sent so far was lost."""
    if sight.shown.flow.datagrams is None:
        return []
    rows = sight.shown.rows(sight.run.datagrams)
    lost = rows["lost_by"].is_not_null().to_numpy()
    if not len(lost):
        return []
    share = np.cumsum(lost) / np.arange(1, len(lost) + 1)
    return sight.steps("lost so far", rows["time_s"].to_numpy(), share)


def answers(table: str, label: str, column: str, sight: Sight) -> list[Layer]:
    """Return a mark for each row of a table: how long it took, at the time when it ended."""
    rows: pl.DataFrame = getattr(sight.run, table)
    rows = rows.sort("time_s")
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
