"""Run a saved run once more, and compare."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from thinpipe.arguments import check
from thinpipe.files import MANIFEST, listed
from thinpipe.inputs import INPUTS_FILE, Inputs
from thinpipe.recording import RESULT_FILE, load
from thinpipe.run import Run, run_point
from thinpipe.signals import signals_deferred

NOT_COMPARED: Final = frozenset({INPUTS_FILE})
"""Files whose content says where and by what it ran."""


def again(
    directory: str | os.PathLike[str],
    *,
    progress: Callable[[float, float], None] | None = None,
) -> Run:
    """Run once more what a directory of `Run.save` or ``thinpipe run --out`` is of.

    It runs in the directory where that ran, if it read files there.

    Parameters
    ----------
    directory
        Where the run was saved.
    progress
        As in `run`.

    Raises
    ------
    OSError
        If it is not the directory of a run, or a file that the run read cannot be read.
    ScenarioError
        If a file that the run read has changed since.

    Examples
    --------
    >>> once = run("plain-384", duration="1 s")
    >>> once.save("once")  # doctest: +SKIP
    >>> again("once").result == once.result  # doctest: +SKIP
    True
    """
    check(progress=progress)
    saved = load(directory)
    inputs = Inputs.read(saved.directory)
    with inputs.point(saved.scenario.source) as point:
        return run_point(point, trace=inputs.trace, progress=progress)


def differing(run: Run, directory: Path) -> list[str]:
    """Return the names of the files in which a saved run differs from another.

    Tables are compared by their values, since their bytes depend on the release of polars, and
    figures without the version of thinpipe, and digests by the files that they list.

    Raises
    ------
    OSError
        If a file cannot be read or written.
    """
    with TemporaryDirectory(prefix="thinpipe-") as folder:
        other = Path(folder, "run")
        run.save(other)
        sides = [
            {file.name: file for file in side.iterdir() if file.name not in NOT_COMPARED}
            for side in (directory, other)
        ]
        names = sorted(sides[0].keys() | sides[1].keys())
        return [name for name in names if not _same(sides[0].get(name), sides[1].get(name))]


def _same(one: Path | None, other: Path | None) -> bool:
    if one is None or other is None:
        return False
    contents = [one.read_bytes(), other.read_bytes()]
    if contents[0] == contents[1]:
        return True
    if one.suffix == ".parquet":
        return _equal_tables(*contents)
    if one.name == MANIFEST:
        return listed(one.parent).keys() == listed(other.parent).keys()
    if one.name == RESULT_FILE:
        figures = [json.loads(content) | {"version": ""} for content in contents]
        return bool(figures[0] == figures[1])
    return False


def _equal_tables(one: bytes, other: bytes) -> bool:
    with signals_deferred():  # Rust panics if its look for numpy is interrupted
        import polars as pl

    try:
        return pl.read_parquet(one).equals(pl.read_parquet(other))
    except pl.exceptions.PolarsError:
        return False
