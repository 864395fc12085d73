"""Run scenarios and hold their results."""

from __future__ import annotations

import dataclasses
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from thinpipe import _core
from thinpipe.arguments import check, check_snap
from thinpipe.controller import Starter, registered, starter
from thinpipe.files import write_file
from thinpipe.flows import Flows
from thinpipe.inputs import Inputs, Trace
from thinpipe.point import NO_SETTINGS, Point, Value
from thinpipe.recording import RESULT_FILE, SCENARIO_FILE, CompleteRecording
from thinpipe.result import Result
from thinpipe.scenario import Scenario, Source
from thinpipe.signals import signals_deferred
from thinpipe.tables import TRACED, NoTableError, frame

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

MOST_AT_ONCE: Final = 1 << 16
"""More than any machine can run side by side; a larger number means the same."""


class Run(CompleteRecording):
    """A finished run."""

    def __init__(
        self, core: _core.Run, point: Point, trace: Trace, snap: int | None = None
    ) -> None:
        self._core: Final = core
        self.point: Final = point
        self.trace: Final = trace
        self.snap: Final = snap
        self.wall_s = core.wall_s
        self._directory: Final = Path.cwd()

    @property
    def traced(self) -> bool:
        """Whether it has segments, blocks, hops and captures."""
        return self.trace is not False

    @cached_property
    def result(self) -> Result:
        """All metrics of the run."""
        rest = Result.from_json(self._core.json_without_flows())
        return dataclasses.replace(rest, flows=Flows(self._core))

    def json(self) -> str:
        """Return all metrics as ``thinpipe run --json`` prints them."""
        return self._core.json()

    def to_dict(self) -> dict[str, Any]:
        """Return all metrics as nested dicts and lists, as in ``thinpipe run --json``."""
        figures: dict[str, Any] = json.loads(self.json())
        return figures

    @property
    def scenario(self) -> Scenario:
        """What was run, without the settings."""
        return self.point.scenario

    def write_files(self, directory: Path) -> None:
        """Write the files of `save` into an existing directory.

        Raises
        ------
        OSError
            If a file cannot be written.
        """
        write_file(directory / RESULT_FILE, f"{self.json()}\n".encode())
        inputs = Inputs.of(self.point, trace=self.trace, snap=self.snap, directory=self._directory)
        inputs.write(directory)
        write_file(directory / SCENARIO_FILE, self.scenario.source.encode())
        for name, table in self._tables.items():
            content = BytesIO()
            table.write_parquet(content)
            write_file(directory / f"{name}.parquet", content.getbuffer())
        if self.traced:
            self._core.write_pcapng(str(directory), self.snap)
        if self._core.has_ns2():
            self._core.write_ns2(str(directory))

    def has(self, table: str) -> bool:
        """Return whether the run has a table of that name."""
        return table in self._tables

    @cached_property
    def _tables(self) -> Mapping[str, pl.DataFrame]:
        core, links = self._core, [link.name for link in self.links]
        classes = [] if self.middlebox is None else [of.name for of in self.middlebox.classes]
        with signals_deferred():
            return _Frames(core.tables(), (core.machines(), core.droppers(), links, classes))

    def _table(self, name: str) -> pl.DataFrame:
        if name in TRACED and not self.traced:
            raise NoTableError(f"the table {name!r} needs a run with trace=True")
        if name not in self._tables:
            raise NoTableError(
                f"the table {name!r} is not there: nothing of the kind was in the run"
            )
        return self._tables[name]


class _Frames(Mapping[str, "pl.DataFrame"]):
    """The tables of a run; each becomes a data frame when it is first looked at."""

    def __init__(
        self,
        columns: dict[str, dict[str, NDArray[np.generic[Any]]]],
        named: tuple[list[str], list[str], list[str], list[str]],
    ) -> None:
        self._names: Final = tuple(columns)
        self._columns: Final = columns
        self._named: Final = named
        self._made: Final[dict[str, pl.DataFrame]] = {}
        self._lock: Final = threading.Lock()

    def __getitem__(self, name: str) -> pl.DataFrame:
        # Rust, ours and polars', panics if its look for numpy is interrupted.
        with self._lock, signals_deferred():
            if name not in self._made:
                self._made[name] = frame(name, self._columns.pop(name), *self._named)
            return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def run(
    scenario: Source,
    settings: Mapping[str, Value] = NO_SETTINGS,
    *,
    trace: Trace = False,
    threads: int | None = None,
    progress: Callable[[float, float], None] | None = None,
    snap: int | None = None,
    **more: Value,
) -> Run:
    """Run a scenario.

    Parameters
    ----------
    scenario
        A name of `thinpipe.scenarios()` or `thinpipe.pipes()`, the path of a file, or nested
        dicts as in `Scenario.of`.
    settings
        Dotted keys and values; text may carry a unit: ``{"radio.tbler": "5 %"}``.
    trace
        Also record segments, radio blocks and the hops of each packet; ``"ns2"`` adds the trace
        file of ns-2 that `Run.save` writes.
    threads
        How many threads run mobiles that share nothing (`radio.ues` with bearers of their own);
        all processors by default. The results are the same for any number. A run with `trace`, and
        one with a congestion control in Python, has one.
    progress
        Called with the simulated and the total time in seconds, about ten times per second.
    snap
        How many bytes of each packet the captures that `Run.save` writes keep at most; all by
        default.
    **more
        Further settings, with ``__`` for the dot: ``tcp__mss=512``, ``duration="60 s"``.

    Raises
    ------
    ScenarioError
        If the scenario or a setting is wrong; the message names the key and the nearest valid one.
    OSError
        If the scenario's file cannot be read.
    Exception
        Whatever a congestion control in Python raises ends the run. A window that is not a number
        of bytes is a ValueError.
    TypeError
        If an argument has another type, or a value is neither text nor a number nor a list of them.
    ValueError
        If `trace` has another value, or `threads` is below 1, or `snap` is out of range or given
        without `trace`.

    Examples
    --------
    >>> vegas = run("umts-dch-384", {"tcp.variant": "vegas"}, radio__tbler="5 %", duration="10 s")
    >>> vegas.flows[0].variant
    'vegas'
    """
    point = Point.of(scenario, settings, **more)
    return run_point(point, trace=trace, threads=threads, progress=progress, snap=snap)


def run_point(
    point: Point,
    *,
    trace: Trace = False,
    threads: int | None = None,
    progress: Callable[[float, float], None] | None = None,
    snap: int | None = None,
) -> Run:
    """Run a point; arguments and errors are as in `run`."""
    check(trace=trace, threads=threads, progress=progress, snap=snap)
    check_snap(snap, None if trace else "a run without a trace has none")
    threads = _at_least_one("threads", threads)
    core = _core.run(*_row(point), trace=trace, threads=threads, progress=progress)
    return Run(core, point, trace, snap)


def run_many(
    points: Iterable[Point | Source],
    *,
    jobs: int | None = None,
    trace: Trace = False,
    progress: Callable[[int, int], None] | None = None,
) -> list[Run]:
    """Run many points in parallel; the results are in the order of the points.

    Parameters
    ----------
    points
        Points made by `Point.of`, which takes the arguments of `run`; or scenarios.
    jobs
        How many run in parallel; all processors if ``None``. The results do not depend on it.
        With a congestion control in Python, points run one after the other.
    trace
        As in `run`.
    progress
        Called with the number of points done and the total.

    Raises
    ------
    ScenarioError
        If a scenario or a setting is wrong.
    TypeError
        If an argument has another type, such as a single point in place of a list.
    ValueError
        If `jobs` is below 1, or `trace` has another value.
    """
    check(points=points, trace=trace, progress=progress)
    asked = [each if isinstance(each, Point) else Point.of(each) for each in points]
    done: dict[int, Run] = {}

    def keep(index: int, run: Run) -> None:
        done[index] = run
        if progress is not None:
            progress(len(done), len(asked))

    run_each(asked, keep, jobs=jobs, trace=trace)
    return [done[index] for index in range(len(asked))]


def run_each(
    points: Iterable[Point],
    each: Callable[[int, Run], None],
    *,
    jobs: int | None = None,
    trace: Trace = False,
) -> None:
    """Run many points in parallel and pass each run, with its index, to `each` when it is done.

    Finished runs do not stay in memory. `jobs`, `trace` and errors are as in `run_many`; an
    exception in `each` ends all runs.
    """
    check(jobs=jobs)
    jobs = _at_least_one("jobs", jobs)
    asked = [*points]
    _core.run_each(
        [_row(point) for point in asked],
        lambda index, core: each(index, Run(core, asked[index], trace)),
        jobs=jobs,
        trace=trace,
    )


def _row(
    point: Point,
) -> tuple[str, str, tuple[tuple[str, str], ...], list[tuple[str, Starter]]]:
    algorithms = (*point.algorithms, *registered())
    return (
        point.scenario.source,
        point.scenario.name,
        point.settings,
        [(name, starter(algorithm)) for name, algorithm in algorithms],
    )


def _at_least_one(name: str, number: int | None) -> int:
    """Return how many run side by side: by default as many as there are processors."""
    number = (os.cpu_count() or 1) if number is None else number
    if number < 1:
        raise ValueError(f"{name}: must be at least 1, not {number}")
    return min(number, MOST_AT_ONCE)
