"""The table of runs: a row a run, its settings before its metrics."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from thinpipe.sweep.words import ALWAYS

if TYPE_CHECKING:
    import polars as pl

SCENARIO: Final = "scenario"
"""The first column. Between it and the seed are the parameters that distinguish the runs."""

SEED: Final = "seed"

CHUNK: Final = 4096
"""Rows that are decoded at a time."""


def table(
    scenarios: Sequence[str],
    seeds: Sequence[int],
    parameters: Mapping[str, pl.Series],
    varied: Sequence[str],
    rows: Sequence[str],
) -> pl.DataFrame:
    """Return scenario, varied parameters, seed, metrics, and all other parameters of runs.

    `rows` are the metrics of each run as JSON.
    """
    import polars as pl

    others = dict(parameters)
    front = {SCENARIO: pl.Series(SCENARIO, scenarios, dtype=pl.String)}
    front |= {key: others.pop(key) for key in varied if key in others}
    front[SEED] = pl.Series(SEED, seeds, dtype=pl.UInt64)
    # A parameter that the result repeats gets one column.
    known = {*front, *others}
    metrics = [each for each in _metrics(rows) if each.name not in known]
    return pl.DataFrame([*front.values(), *metrics, *others.values()])


def split(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return a table without the columns that are the same in every row, and their values.

    The columns up to the seed and the metrics in `ALWAYS` stay.
    """
    import polars as pl

    front = frame.columns[: frame.columns.index(SEED) + 1]
    [counts] = frame.select(pl.all().n_unique()).rows(named=True)
    same = [
        name
        for name, count in counts.items()
        if count <= 1 and name not in front and name not in ALWAYS
    ]
    return frame.drop(same), {name: frame[name][0] for name in same}


def joined(frame: pl.DataFrame, constants: Mapping[str, Any]) -> pl.DataFrame:
    """Return a table with columns that are the same in every row at its end."""
    import polars as pl

    kinds: dict[type, type[pl.DataType]] = {
        bool: pl.Boolean,
        int: pl.Int64,
        float: pl.Float64,
        str: pl.String,
        type(None): pl.Float64,
    }
    return frame.with_columns(
        pl.lit(value, dtype=kinds[type(value)]).alias(name) for name, value in constants.items()
    )


def _metrics(rows: Sequence[str]) -> pl.DataFrame:
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
