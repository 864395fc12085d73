"""What came of a sweep: a table with one row a run, in memory and as a Parquet file."""

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
from thinpipe.files import destination, refuse_unwritable, write_whole
from thinpipe.point import as_text
from thinpipe.signals import undisturbed
from thinpipe.sweep.parameters import column
from thinpipe.sweep.plan import Plan

if TYPE_CHECKING:
    import polars as pl

MARK: Final = "thinpipe.sweep"
"""The entry of a Parquet file's metadata by which it is known as a sweep's."""

SUFFIX: Final = ".parquet"

CHUNK: Final = 4096
"""Rows that are decoded at a time."""


@dataclass(frozen=True, slots=True)
class Study:
    """The table of a sweep, and what it is about.

    Attributes
    ----------
    frame
        One row a run, in the order of the grid: varied parameters, seed, figures, and then every
        other parameter of the scenario.
    scenario
        Its name.
    varied
        The keys that were varied.
    units
        Of parameters: ``s``, ``bit/s``, ``B``, or ``share``, of which 0.05 is 5 %.
    about
        All that the file says of itself: the program's version, the scenario's text and what was
        set besides.
    """

    frame: pl.DataFrame
    scenario: str
    varied: tuple[str, ...]
    units: dict[str, str]
    about: dict[str, Any]

    @classmethod
    def of(cls, plan: Plan, rows: Sequence[str]) -> Study:
        """Join the parameters of a plan and the rows of its points, which are JSON."""
        with undisturbed():
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
            # What was set and a result names again stands there once.
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
        """Read what a sweep wrote.

        Raises
        ------
        OSError
            If the file cannot be read or is none of a sweep.
        """
        content = file.read_bytes()
        with undisturbed():
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
        """Write the table: the same table is the same bytes.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        content = BytesIO()
        with undisturbed():
            about = json.dumps(self.about, ensure_ascii=False)
            self.frame.write_parquet(content, metadata={MARK: about})
        write_whole(file, content.getvalue())


def refuse_foreign(target: Path) -> None:
    """Check that a sweep can write `target`, before anything runs.

    Raises
    ------
    OSError
        If its directory is not there, it cannot be written, or it is a file that no sweep wrote.
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
    refuse_unwritable(target)


def _figures(rows: Sequence[str]) -> pl.DataFrame:
    """Return rows as columns. What is not a number in any run is a number that is not there."""
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
