"""Running what a reproduction needs, each point once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from thinpipe.run import Run, run_many
from thinpipe.tables import ALWAYS, TRACED

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.point import Point
    from thinpipe.result import Flow, Result

BATCH = 64
"""Runs held in memory at a time, before what is not needed of them is dropped."""


class Keep(IntEnum):
    """What is needed of a run; each includes those before."""

    RESULT = 0
    TABLES = 1
    TRACE = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was kept of a run."""

    result: Result
    tables: Mapping[str, pl.DataFrame]

    @property
    def flow(self) -> Flow:
        """The first flow."""
        return self.result.flows[0]


def collect(
    wanted: Iterable[tuple[Point, Keep]],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Point, Outcome]:
    """Run each point once, in parallel, and keep the most that was wanted of it.

    Raises
    ------
    ScenarioError
        If a point's scenario or setting is wrong.
    """
    keeps: dict[Point, Keep] = {}
    for point, keep in wanted:
        keeps[point] = max(keep, keeps.get(point, Keep.RESULT))
    found: dict[Point, Outcome] = {}
    for traced in (False, True):
        points = [point for point, keep in keeps.items() if (keep is Keep.TRACE) == traced]
        for first in range(0, len(points), BATCH):
            batch = points[first : first + BATCH]
            runs = run_many(
                batch,
                jobs=jobs or os.cpu_count(),
                trace=traced,
                progress=_shifted(progress, len(found), len(keeps)),
            )
            found |= {p: _outcome(r, keeps[p]) for p, r in zip(batch, runs, strict=True)}
    return found


def _outcome(run: Run, keep: Keep) -> Outcome:
    names = {Keep.RESULT: (), Keep.TABLES: ALWAYS, Keep.TRACE: (*ALWAYS, *TRACED)}[keep]
    return Outcome(run.result, {name: getattr(run, name) for name in names})


def _shifted(
    progress: Callable[[int, int], None] | None, done: int, total: int
) -> Callable[[int, int], None] | None:
    if progress is None:
        return None
    return lambda of_batch, _: progress(done + of_batch, total)
