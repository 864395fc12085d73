"""Run a saved run once more, and compare."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from thinpipe.arguments import check
from thinpipe.files import MANIFEST, ContentError, listed, read_listed
from thinpipe.inputs import INPUTS_FILE, Inputs
from thinpipe.recording import RESULT_FILE, SCENARIO_FILE, run_directory
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
    path = run_directory(directory)
    try:
        _figures(read_listed(path, RESULT_FILE))
    except (TypeError, json.JSONDecodeError):
        raise ContentError(f"{path / RESULT_FILE}: does not hold the figures of a run") from None
    inputs = Inputs.read(path)
    with inputs.point(read_listed(path, SCENARIO_FILE).decode()) as point:
        return run_point(point, trace=inputs.trace, progress=progress, snap=inputs.snap)


def differing(run: Run, directory: Path) -> list[str]:
    """Return the names of the files in which a saved run differs from another.

    Tables are compared by their values, since their bytes depend on the release of polars, and
    figures without the version of thinpipe, and digests by the files that they list. That of the
    figures is followed by the first of those that differ.

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
        differ = [name for name in names if not _same(sides[0].get(name), sides[1].get(name))]
        if RESULT_FILE not in differ:
            return differ
        changed = _changed(*(_figures(side[RESULT_FILE].read_bytes()) for side in sides))
        return [f"{name} ({changed})" if name == RESULT_FILE else name for name in differ]


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
    return one.name == RESULT_FILE and _figures(contents[0]) == _figures(contents[1])


def _figures(content: bytes) -> dict[str, str]:
    """Return the figures of a result by their names, ``flows[0].timeouts``, as JSON."""
    return dict(_named(json.loads(content) | {"version": ""}, ""))


def _named(value: object, name: str) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            for key, each in value.items():
                yield from _named(each, f"{name}.{key}".removeprefix("."))
        case list():
            for place, each in enumerate(value):
                yield from _named(each, f"{name}[{place}]")
        case _:
            yield name, json.dumps(value, ensure_ascii=False)


def _changed(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the first figures that differ, with both values, and how many more do."""
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    told = [f"{name} {before.get(name, NONE)} → {after.get(name, NONE)}" for name in names[:SHOWN]]
    more = len(names) - SHOWN
    return ", ".join([*told, *([f"{more} more"] if more > 0 else [])])


SHOWN: Final = 3
"""Number of figures that are named where more differ."""

NONE: Final = "none"
"""Value of a figure that the other version does not have."""


def _equal_tables(one: bytes, other: bytes) -> bool:
    with signals_deferred():  # Rust panics if its look for numpy is interrupted
        import polars as pl

    try:
        return pl.read_parquet(one).equals(pl.read_parquet(other))
    except pl.exceptions.PolarsError:
        return False
