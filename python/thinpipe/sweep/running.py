"""Running a sweep: what is not finished yet, here or on a cluster, in whatever order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.point import Value
from thinpipe.run import Run, run_each
from thinpipe.scenario import Scenario
from thinpipe.sweep.figures import Figures, figures_of
from thinpipe.sweep.grid import Grid, Vary
from thinpipe.sweep.journal import encoded, journal
from thinpipe.sweep.plan import Job, Plan
from thinpipe.sweep.study import Study, refuse_foreign

if TYPE_CHECKING:
    import polars as pl

Keep = Callable[[Job, Figures], None]
Execute = Callable[[Iterable[Job], Keep], None]
"""Runs jobs, and hands over the figures of each as soon as it is done, in any order."""

CHUNK: Final = 1024
"""Points that are ready to run at a time."""


def sweep(  # noqa: PLR0913 - what to run, where, and where to
    scenario: str | os.PathLike[str] | Scenario,
    vary: Vary,
    settings: Mapping[str, Value] | Iterable[tuple[str, Value]] = (),
    *,
    seeds: str | int | Iterable[int] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> pl.DataFrame:
    """Run a scenario with every combination of values and every seed; one row a run.

    Parameters
    ----------
    scenario
        The name of a scenario that ships, or the path of a file.
    vary
        Values for keys: ``{"tcp.variant": ["reno", "vegas"], "radio.tbler": "0 %, 5 %"}``. The last
        key changes first, and the seed before it.
    settings
        What is the same in every run.
    seeds
        ``range(1, 11)`` or ``"1..10"``; the scenario's own if ``None``.
    out
        A Parquet file for the table. What is finished is kept beside it meanwhile, and the same
        call goes on after an interruption.
    jobs
        How many run at a time; all processors if ``None``.
    scheduler
        The address of a Dask scheduler, whose workers run them in the place of this machine.
    progress
        Told how many points are done, and of how many.

    Raises
    ------
    ScenarioError
        If the grid or a point of it makes no sense.
    ConnectionError
        If no scheduler answers, or it is lost.
    OSError
        If `out` cannot be written, or is a file that no sweep wrote.
    ValueError
        If `jobs` is below 1, or there are both jobs and a scheduler.

    Examples
    --------
    >>> frame = sweep("umts-dch-384", {"tcp.window": [2, 4]}, {"duration": "2 s"}, seeds="1..3")
    >>> frame.select("tcp.window", "seed", "retransmits").shape
    (6, 3)
    """
    if jobs is not None and scheduler is not None:
        raise ValueError("jobs and scheduler: the cluster decides how many run; give one of them")
    pairs = tuple(settings.items() if isinstance(settings, Mapping) else settings)
    plan = Plan.of(scenario, pairs, Grid.of(vary, seeds))
    file = None if out is None else Path(out)
    return run_plan(plan, file, executor(jobs, scheduler), progress).frame


def executor(jobs: int | None, scheduler: str | None) -> Execute:
    """Return what runs the points: this machine, or the cluster of a scheduler."""
    if scheduler is None:
        return lambda points, keep: _run_here(points, keep, jobs)
    from thinpipe.sweep.cluster import run_on

    return lambda points, keep: run_on(scheduler, points, keep)


def run_plan(
    plan: Plan,
    file: Path | None,
    execute: Execute,
    progress: Callable[[int, int], None] | None = None,
) -> Study:
    """Run what is not finished of a plan, and write its table if there is a file for it.

    Raises
    ------
    OSError
        If the file cannot be written, or no sweep wrote what stands there.
    """
    if file is not None:
        refuse_foreign(file)
    rows: list[str] = [""] * len(plan)
    done = 0
    with nullcontext() if file is None else journal(file) as kept:

        def count(job: Job, row: str) -> None:
            nonlocal done
            rows[job.index] = row
            done += 1
            if progress is not None:
                progress(done, len(plan))

        def left() -> Iterator[Job]:
            for job in plan.jobs():
                row = None if kept is None else kept.row(job.digest)
                if row is None:
                    yield job
                else:
                    count(job, row)

        def keep(job: Job, figures: Figures) -> None:
            row = encoded(figures)
            if kept is not None:
                kept.add(job.digest, row)
            count(job, row)

        execute(left(), keep)
        study = Study.of(plan, rows)
        if file is not None:
            study.write(file)
    return study


def _run_here(points: Iterable[Job], keep: Keep, jobs: int | None) -> None:
    waiting = iter(points)
    while chunk := [*islice(waiting, CHUNK)]:

        def hand_over(index: int, run: Run, chunk: list[Job] = chunk) -> None:
            keep(chunk[index], figures_of(run.json()))

        run_each([job.point for job in chunk], hand_over, jobs=jobs)
