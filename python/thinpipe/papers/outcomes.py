"""Run the points that a reproduction needs, each once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from thinpipe.run import Run, run_each
from thinpipe.tables import ALWAYS, APPLICATION, MIDDLEBOX, RADIO, TRACED, VEGAS

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.point import Point
    from thinpipe.result import Flow, Result


class Detail(IntEnum):
    """How much of a run to keep; each level includes the previous ones."""

    RESULT = 0
    TABLES = 1
    SEGMENTS = 2
    TRACE = 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """The kept results of a run."""

    result: Result
    tables: Mapping[str, pl.DataFrame]

    @property
    def flow(self) -> Flow:
        """The first flow."""
        return self.result.flows[0]

    @property
    def starved(self) -> bool:
        """Whether the machine was too busy to run it in time: never if it is simulated."""
        return False


def collect(
    wanted: Iterable[tuple[Point, Detail]],
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[Point, Outcome]:
    """Run each point once, in parallel, and keep the highest detail wanted of it.

    Raises
    ------
    ScenarioError
        If a point's scenario or setting is wrong.
    """
    details: dict[Point, Detail] = {}
    for point, detail in wanted:
        details[point] = max(detail, details.get(point, Detail.RESULT))
    found: dict[Point, Outcome] = {}
    for traced in (False, True):
        points = [
            point for point, detail in details.items() if (detail >= Detail.SEGMENTS) == traced
        ]

        def keep_one(index: int, run: Run, points: Sequence[Point] = points) -> None:
            found[points[index]] = _outcome(run, details[points[index]])
            if progress is not None:
                progress(len(found), len(details))

        run_each(points, keep_one, jobs=jobs, trace=traced)
    return {point: found[point] for point in details}


def _outcome(run: Run, detail: Detail) -> Outcome:
    names = {
        Detail.RESULT: (),
        Detail.TABLES: ALWAYS,
        Detail.SEGMENTS: (*ALWAYS, "segments"),
        Detail.TRACE: (*ALWAYS, *(name for name in TRACED if name not in RADIO)),
    }[detail]
    there = [name for name in (*APPLICATION, *MIDDLEBOX, *VEGAS) if names and run.has(name)]
    return Outcome(run.result, {name: getattr(run, name) for name in (*names, *there)})
