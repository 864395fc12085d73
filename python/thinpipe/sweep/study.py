"""The result of a sweep: a table with one row per run, in memory and as a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from errno import EEXIST, EINVAL
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from thinpipe import _core
from thinpipe.files import check_writable, destination, write_atomically
from thinpipe.signals import signals_deferred
from thinpipe.sweep.parameters import column
from thinpipe.sweep.plan import Plan
from thinpipe.values import as_text

if TYPE_CHECKING:
    import polars as pl

MARK: Final = "thinpipe.sweep"
"""The entry of Parquet metadata that marks a sweep's file."""

SUFFIX: Final = ".parquet"

CHUNK: Final = 4096
"""Rows that are decoded at a time."""


@dataclass(frozen=True, slots=True)
class Study:
    """The table of a sweep, with its metadata.

    Attributes
    ----------
    frame
        One row per run, in the order of the grid: varied parameters, seed, metrics, and then every
        other parameter of the scenario.
    scenario
        Its name.
    varied
        The keys that were varied.
    units
        Units of parameters: ``s``, ``bit/s``, ``B``, or ``share`` (0.05 is 5 %).
    about
        The file's metadata: also the program's version, the scenario's text and the settings.
    """

    frame: pl.DataFrame
    scenario: str
    varied: tuple[str, ...]
    units: dict[str, str]
    about: dict[str, Any]

    @classmethod
    def of(cls, plan: Plan, rows: Sequence[str]) -> Study:
        """Join the parameters of a plan and the rows of its points, given as JSON."""
        with signals_deferred():
            import polars as pl

            repeats = len(plan.grid.seeds)
            columns = {key: column(key, plan.texts(key)) for key in plan.parameters()}
            series = {
                key: pl.Series(key, [each for each in found.values for _ in range(repeats)])
                for key, found in columns.items()
            }
            seeds = plan.seeds() * len(plan.changes)
            front = {key: series.pop(key) for key in plan.varied if key in series}
            front["seed"] = pl.Series("seed", seeds, dtype=pl.UInt64)
            frame = pl.DataFrame(front)
            # A parameter that the result repeats gets one column.
            known = {*frame.columns, *series}
            figures = [each for each in _figures(rows) if each.name not in known]
            frame = frame.hstack(figures)
            frame = frame.hstack(list(series.values()))
        return cls._about(
            frame,
            {
                "version": _core.__version__,
                "scenario": plan.scenario.name,
                "source": plan.scenario.source,
                "set": [[key, as_text(key, value)] for key, value in plan.settings],
                "varied": list(plan.varied),
                "units": {key: each.unit for key, each in columns.items() if each.unit},
            },
        )

    @classmethod
    def read(cls, file: Path) -> Study:
        """Read a sweep's file.

        Raises
        ------
        OSError
            If the file cannot be read or is not a sweep's.
        """
        content = file.read_bytes()
        with signals_deferred():
            import polars as pl

            try:
                about = json.loads(pl.read_parquet_metadata(BytesIO(content))[MARK])
                return cls._about(pl.read_parquet(content), about)
            except (pl.exceptions.PolarsError, KeyError, ValueError):
                raise OSError(EINVAL, "is not the table of a sweep", str(file)) from None

    @classmethod
    def _about(cls, frame: pl.DataFrame, about: dict[str, Any]) -> Study:
        return cls(frame, about["scenario"], tuple(about["varied"]), about["units"], about)

    def write(self, file: Path) -> None:
        """Write the table; equal tables give equal bytes.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        content = BytesIO()
        with signals_deferred():
            about = json.dumps(self.about, ensure_ascii=False)
            self.frame.write_parquet(content, metadata={MARK: about})
        write_atomically(file, content.getvalue())


def check_replaceable(target: Path) -> None:
    """Check before the runs that a sweep can write `target`.

    Raises
    ------
    OSError
        If its directory is missing, it cannot be written, or it exists and is not a sweep's.
    """
    end = destination(target)
    if not target.parent.is_dir():
        raise FileNotFoundError(2, "No such directory", str(target.parent))
    if end.exists():
        try:
            Study.read(end)
        except OSError as error:
            if error.errno != EINVAL:
                raise
            reason = "is no sweep's file; choose another name"
            raise FileExistsError(EEXIST, reason, str(target)) from None
    check_writable(target)


def _figures(rows: Sequence[str]) -> pl.DataFrame:
    """Return rows as columns. A column that is null in all runs has the type of numbers."""
    import polars as pl

    waiting = iter(rows)
    frames = []
    while chunk := [*islice(waiting, CHUNK)]:
        columns: dict[str, list[Any]] = {}
        for number, row in enumerate(json.loads(text) for text in chunk):
            for name, value in row.items():
                values = columns.setdefault(name, [])
                values.extend([None] * (number - len(values)))
                values.append(value)
        frames.append(pl.DataFrame(list(_series(columns, len(chunk)))))
    whole = pl.concat(frames, how="diagonal_relaxed")
    missing = [name for name, kind in whole.schema.items() if kind == pl.Null]
    return whole.with_columns(pl.col(missing).cast(pl.Float64))


def _series(columns: dict[str, list[Any]], height: int) -> Iterator[pl.Series]:
    import polars as pl

    for name, values in columns.items():
        values.extend([None] * (height - len(values)))
        kinds = {type(value) for value in values} - {type(None)}
        yield pl.Series(name, values, dtype=pl.Float64 if kinds == {int, float} else None)
