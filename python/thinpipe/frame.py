"""Many runs as one table: a row a run."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from thinpipe.arguments import check
from thinpipe.inputs import Inputs, values_of
from thinpipe.point import Point
from thinpipe.recording import SavedRun, distinct, load
from thinpipe.run import Run
from thinpipe.signals import signals_deferred
from thinpipe.sweep.journal import encoded
from thinpipe.sweep.metrics import metrics_of
from thinpipe.sweep.parameters import column, resolved
from thinpipe.sweep.study import SUFFIXES, Study
from thinpipe.sweep.table import split, table

if TYPE_CHECKING:
    import polars as pl


def frame(
    runs: Iterable[Run | SavedRun | str | os.PathLike[str]], *, complete: bool = False
) -> pl.DataFrame:
    """Return runs as a table: a row a run, with its settings and metrics.

    The columns are the scenario, the settings in which the runs differ, the seed, the metrics (as
    `thinpipe.sweep` names them) and other parameters. A column that is the same in every row is
    left out, unless it is the scenario, the seed or a main metric: ``goodput_bps``,
    ``rtt_s.mean``, ``retransmits``, ``timeouts`` and ``network.delay_s.p95``.

    Parameters
    ----------
    runs
        Runs, or directories where runs were saved.
    complete
        Return also the columns that are the same in every row, at the end.

    Raises
    ------
    OSError
        If a directory is not that of a run, or a file that the run read cannot be read.
    ScenarioError
        If a file that a saved run read has changed since.
    TypeError
        If `runs` is a single run.
    ValueError
        If there are no runs, or a directory is given twice.

    Examples
    --------
    >>> from thinpipe import run
    >>> runs = [run("plain-384", tcp__window=each, duration="2 s") for each in (2, 4)]
    >>> frame(runs).select("scenario", "tcp.window", "seed", "retransmits").rows()
    [('plain-384', 2, 1, 0), ('plain-384', 4, 1, 0)]
    """
    study = study_of(runs)
    return study.complete if complete else study.frame


def study_of(runs: Iterable[Run | SavedRun | str | os.PathLike[str]]) -> Study:
    """Return runs as a study; arguments and errors are those of `frame`."""
    check(runs=runs)
    values = cache(_values)  # a millisecond's work for each combination of settings
    rows = [_row(each, values) for each in distinct(map(_run, runs))]
    if not rows:
        raise ValueError("runs: there is none")
    with signals_deferred():
        import polars as pl

        keys = dict.fromkeys(key for row in rows for key in row.parameters)
        texts = {key: [row.parameters.get(key) for row in rows] for key in keys}
        parameters = {
            key: pl.Series(key, column(key, found).values) for key, found in texts.items()
        }
        varied = [key for key in _told(rows) if len(set(texts.get(key, ()))) > 1]
        whole = table(
            [row.scenario for row in rows],
            [row.seed for row in rows],
            parameters,
            varied,
            [row.metrics for row in rows],
        )
        return Study(*split(whole))


def read_study(sources: Sequence[Path]) -> Study:
    """Return directories of runs, or the file of a sweep, as a study.

    Raises
    ------
    OSError, ScenarioError
        As of `frame`, and if a file holds no table of runs.
    ValueError
        If there is anything beside a file.
    """
    files = [each for each in sources if each.suffix in SUFFIXES]
    if not files:
        return study_of(sources)
    if len(sources) > 1:
        raise ValueError(f"{files[0]}: a sweep is a table of its own")
    return Study.read(files[0])


@dataclass(frozen=True, slots=True)
class _Row:
    """A run: its scenario's name and text, the keys that were set, all values, and its metrics."""

    scenario: str
    source: str
    settings: Sequence[str]
    parameters: Mapping[str, str]
    seed: int
    metrics: str


def _run(source: Run | SavedRun | str | os.PathLike[str]) -> Run | SavedRun:
    if isinstance(source, Run | SavedRun):
        return source
    check(run=source)
    return load(source)


def _row(run: Run | SavedRun, values_without_seed: Callable[[Point], Mapping[str, str]]) -> _Row:
    source = run.scenario.source
    if isinstance(run, Run):
        settings, values = run.point.settings, values_without_seed(_without_seed(run.point))
    else:
        inputs = Inputs.read(run.directory)
        with inputs.point(source) as point:
            settings, values = point.settings, values_without_seed(_without_seed(point))
    figures = run.to_dict()
    metrics = encoded(metrics_of(figures))
    keys = [key.strip() for key, _ in settings]
    return _Row(figures["scenario"], source, keys, values, figures["seed"], metrics)


def _without_seed(point: Point) -> Point:
    settings = tuple((key, text) for key, text in point.settings if key.strip() != "seed")
    return dataclasses.replace(point, settings=settings)


def _values(point: Point) -> Mapping[str, str]:
    """Return all values of a point but the seed."""
    return {key: text for key, text in resolved(values_of(point)).items() if key != "seed"}


def _told(rows: Sequence[_Row]) -> Iterable[str]:
    """Return the keys by which runs may differ: those set, and all if scenarios' texts do."""
    asked = dict.fromkeys(key for row in rows for key in row.settings)
    if len({row.source for row in rows}) > len({row.scenario for row in rows}):
        asked |= dict.fromkeys(key for row in rows for key in row.parameters)
    return asked
