"""Run the unfinished points of a sweep, here or on a cluster, in any order."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.arguments import check
from thinpipe.point import NO_SETTINGS, Value
from thinpipe.run import Run, run_each
from thinpipe.scenario import Source
from thinpipe.sweep.grid import Grid, Vary
from thinpipe.sweep.journal import Journal, encoded, journal
from thinpipe.sweep.metrics import Metrics, metrics_of
from thinpipe.sweep.plan import Job, Plan
from thinpipe.sweep.study import SUFFIXES, Study, check_replaceable

if TYPE_CHECKING:
    import polars as pl

Keep = Callable[[Job, Metrics], None]
Execute = Callable[[Iterable[Job], Keep], None]
"""Runs jobs and passes on the metrics of each when it is done, in any order."""

CHUNK: Final = 1024
"""Points handed to the runner at a time."""


def sweep(  # noqa: PLR0913 - what to run, where, and where to
    scenario: Source,
    vary: Vary,
    settings: Mapping[str, Value] = NO_SETTINGS,
    *,
    seeds: str | Iterable[int] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    complete: bool = False,
) -> pl.DataFrame:
    """Run a scenario with every combination of values and every seed; one row per run.

    The columns are those of `thinpipe.frame`.

    Parameters
    ----------
    scenario
        The name of a scenario that ships, or the path of a file.
    vary
        Values for keys: ``{"tcp.variant": ["reno", "vegas"], "radio.tbler": "0 %, 5 %"}``. The last
        key varies fastest after the seed.
    settings
        Settings of every run.
    seeds
        ``range(1, 11)`` or ``"1..10"``; the scenario's seed if ``None``.
    out
        A Parquet or CSV file for the table. A journal beside it keeps finished runs, from which
        the same call resumes after an interruption.
    jobs
        How many run in parallel; all processors if ``None``.
    scheduler
        The address of a Dask scheduler, whose workers run the points instead of this machine.
    progress
        Called with the number of points done and the total.
    complete
        Return also the columns that are the same in every run.

    Raises
    ------
    ScenarioError
        If the grid or a point of it is invalid.
    ConnectionError
        If no scheduler answers, or the connection is lost.
    OSError
        If `out` cannot be written, or is a file that no sweep wrote.
    ValueError
        If `jobs` is below 1, both `jobs` and `scheduler` are given, or `out` has another suffix.

    Examples
    --------
    >>> frame = sweep("umts-dch-384", {"tcp.window": [2, 4]}, {"duration": "2 s"}, seeds="1..3")
    >>> frame.select("tcp.window", "seed", "retransmits").shape
    (6, 3)
    """
    check(vary=vary, settings=settings, seeds=seeds, out=out, jobs=jobs)
    check(scheduler=scheduler, progress=progress)
    if jobs is not None and scheduler is not None:
        raise ValueError("jobs and scheduler: the cluster decides how many run; give one of them")
    plan = Plan.of(scenario, tuple(settings.items()), Grid.of(vary, seeds))
    file = None if out is None else Path(out)
    if file is not None and file.suffix not in SUFFIXES:
        raise ValueError(f"out: {file} must end in {' or '.join(SUFFIXES)}")
    study = run_plan(plan, file, executor(jobs, scheduler), progress)
    return study.complete if complete else study.frame


def executor(jobs: int | None, scheduler: str | None) -> Execute:
    """Return a function that runs points on this machine, or on the scheduler's cluster."""
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
    """Run the unfinished points of a plan, and write its table if a file is given.

    Raises
    ------
    OSError
        If the file cannot be written, or exists and is not a sweep's.
    """
    if file is not None:
        check_replaceable(file)
    with nullcontext() if file is None else journal(file) as kept:
        rows = run_jobs(plan.jobs(), len(plan), kept, execute, progress)
        study = Study.of(plan, rows)
        if file is not None:
            study.write(file)
    return study


def run_jobs(
    jobs: Iterable[Job],
    total: int,
    kept: Journal | None,
    execute: Execute,
    progress: Callable[[int, int], None] | None = None,
) -> list[str]:
    """Run jobs that a journal does not have; return the metrics of all as JSON, by their index."""
    rows: list[str] = [""] * total
    done = 0

    def count(job: Job, row: str) -> None:
        nonlocal done
        rows[job.index] = row
        done += 1
        if progress is not None:
            progress(done, total)

    def unfinished() -> Iterator[Job]:
        for job in jobs:
            row = None if kept is None else kept.row(job.digest)
            if row is None:
                yield job
            else:
                count(job, row)

    def keep(job: Job, metrics: Metrics) -> None:
        row = encoded(metrics)
        if kept is not None:
            kept.add(job.digest, row)
        count(job, row)

    execute(unfinished(), keep)
    return rows


def _run_here(points: Iterable[Job], keep: Keep, jobs: int | None) -> None:
    waiting = iter(points)
    while chunk := [*islice(waiting, CHUNK)]:

        def hand_over(index: int, run: Run, chunk: list[Job] = chunk) -> None:
            keep(chunk[index], metrics_of(json.loads(run.json())))

        run_each([job.point for job in chunk], hand_over, jobs=jobs)
