"""A table of runs that can be drawn, summarized, and kept as a Parquet or CSV file."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from errno import EEXIST
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from thinpipe import _core
from thinpipe.arguments import check
from thinpipe.files import ContentError, check_writable, destination, write_atomically
from thinpipe.signals import signals_deferred
from thinpipe.suggestion import suggestion
from thinpipe.sweep.interval import UNAFFECTED, Estimate, estimates, groups
from thinpipe.sweep.measures import is_measure
from thinpipe.sweep.parameters import column, is_parameter, unit_of
from thinpipe.sweep.plan import Plan
from thinpipe.sweep.table import SCENARIO, SEED, joined, split, table
from thinpipe.sweep.words import MEASURES
from thinpipe.values import as_text

if TYPE_CHECKING:
    import polars as pl

    from thinpipe.plot.sweep import SweepPlots

MARK: Final = "thinpipe.sweep"
"""The entry of Parquet metadata that marks a table of runs."""

SUFFIXES: Final = (".parquet", ".csv")
"""Of files that hold a table of runs."""

SEE: Final = "see `thinpipe measures`"

LEFT_OUT: Final = (
    "no run has this metric, or it does not vary and so is not in this table; a sweep's Parquet "
    "file and tp.sweep or tp.frame(…, complete=True) keep it"
)

WINDOW_SHARE: Final = "limited_by.window"
MOST: Final = 0.5
"""A share of time from which on the hints of a run name the limit, too."""


@dataclass(frozen=True)
class Study:
    """A table of runs, from `thinpipe.sweep` or `thinpipe.frame`, to draw or to summarize.

    Attributes
    ----------
    frame
        One row per run: scenario, varied parameters, seed, metrics, other parameters.
    constants
        Columns that are the same in every run, which a narrow frame leaves out.
    about
        What the metadata of a Parquet file hold besides.

    Raises
    ------
    ValueError
        If the frame is not such a table.
    """

    frame: pl.DataFrame
    constants: Mapping[str, Any] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check(frame=self.frame, constants=self.constants)
        frame = self.frame
        known = frame.columns[:1] == [SCENARIO] and SEED in frame.columns and not frame.is_empty()
        if not known or frame[SCENARIO].null_count():
            raise ValueError("frame: is no table of runs: from scenario to seed, and a row a run")

    @classmethod
    def of(cls, plan: Plan, rows: Sequence[str]) -> Study:
        """Join the parameters of a plan and the metrics of its points, given as JSON."""
        with signals_deferred():
            import polars as pl

            repeats = len(plan.grid.seeds)
            parameters = {
                key: pl.Series(
                    key,
                    [each for each in column(key, plan.texts(key)).values for _ in range(repeats)],
                )
                for key in plan.parameters()
            }
            scenarios = [plan.scenario.name] * len(plan)
            seeds = plan.seeds() * len(plan.changes)
            whole = table(scenarios, seeds, parameters, plan.varied, rows)
        return cls(
            *split(whole),
            {
                "source": plan.scenario.source,
                "set": [[key, as_text(key, value)] for key, value in plan.settings],
            },
        )

    @classmethod
    def read(cls, source: str | os.PathLike[str]) -> Study:
        """Read a file that `write` wrote.

        Raises
        ------
        OSError
            If the file cannot be read.
        ValueError
            If it holds no table of runs.
        """
        check(source=source)
        file = Path(source)
        content = file.read_bytes()
        with signals_deferred():
            import polars as pl

            try:
                if file.suffix == ".csv":
                    return cls(_from_csv(content))
                about = json.loads(pl.read_parquet_metadata(BytesIO(content))[MARK])
                read = cls(pl.read_parquet(content), about.pop("constants"), about)
                joined(read.frame.head(1), read.constants)
            except (pl.exceptions.PolarsError, AttributeError, KeyError, TypeError, ValueError):
                raise ContentError(f"{file}: is not the table of a sweep") from None
        return read

    def write(self, target: str | os.PathLike[str]) -> None:
        """Write the table, as CSV if the name ends so; equal tables give equal bytes.

        A Parquet file keeps everything in its metadata; CSV is the frame alone.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        check(target=target)
        file, content = Path(target), BytesIO()
        with signals_deferred():
            if file.suffix == ".csv":
                self.frame.write_csv(content)
            else:
                about = {
                    **self.about,
                    "version": _core.__version__,
                    "scenario": self.scenario,
                    "varied": self.varied,
                    "units": self.units,
                    "constants": self.constants,
                }
                metadata = {MARK: json.dumps(about, ensure_ascii=False)}
                self.frame.write_parquet(content, metadata=metadata)
        write_atomically(file, content.getvalue())

    @property
    def complete(self) -> pl.DataFrame:
        """The frame with all columns: those that are the same in every run at the end."""
        return joined(self.frame, self.constants)

    @cached_property
    def scenario(self) -> str:
        """The scenario's name; several with commas."""
        return ", ".join(self.frame[SCENARIO].unique(maintain_order=True))

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The parameters that distinguish runs: columns before the seed."""
        scenario = (SCENARIO,) if self.frame[SCENARIO].n_unique() > 1 else ()
        columns = self.frame.columns
        return (*scenario, *columns[1 : columns.index(SEED)])

    @cached_property
    def metrics(self) -> tuple[str, ...]:
        """The columns that are metrics of runs, such as ``goodput_bps``."""
        kinds = self.complete.schema
        texts = [name for name, kind in kinds.items() if str(kind) == "String"]
        return tuple(
            name
            for name in kinds
            if name not in (SEED, *texts, *self.varied) and not is_parameter(name)
        )

    @cached_property
    def units(self) -> dict[str, str]:
        """Units of parameters: ``s``, ``bit/s``, ``B``, or ``share`` (0.05 is 5 %)."""
        kinds = self.complete.schema
        found = {name: unit_of(name) for name, kind in kinds.items() if kind.is_numeric()}
        return {name: unit for name, unit in found.items() if unit is not None}

    @property
    def plot(self) -> SweepPlots:
        """Pictures of the runs, such as ``study.plot.scatter()``."""
        from thinpipe.plot.sweep import SweepPlots

        return SweepPlots(self)

    def check_metric(self, argument: str, name: str) -> None:
        """Check that the runs have a metric of this name, with numbers.

        Raises
        ------
        ValueError
            If they have not. The message begins with the argument and its value.
        """
        if name in self.metrics and self.complete[name].dtype.is_numeric():
            return
        if name in self.metrics or not is_measure(name):
            reason = f"no metric of these runs{suggestion(name, self.metrics, SEE)}"
        elif self.constants:
            reason = "none of these runs has this metric"
        else:
            reason = LEFT_OUT
        raise ValueError(f"{argument}={name}: {reason}")

    def estimates(
        self, metrics: Sequence[str] = MEASURES
    ) -> Iterator[tuple[tuple[object, ...], list[Estimate | None]]]:
        """Yield for each combination of `varied` an estimate of each metric.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        check(metrics=metrics)
        for name in metrics:
            self.check_metric("metrics", name)
        return estimates(self.complete, self.varied, metrics)

    def means(self, metrics: Sequence[str] = MEASURES) -> pl.DataFrame:
        """Return the mean of each metric over the seeds of each combination.

        The columns are those of `varied`, ``metric``, ``mean``, the ends ``low`` and ``high`` of
        the 95 % confidence interval (null for a single run), ``runs`` and ``note``: why not to
        trust the interval, or null.

        Raises
        ------
        ValueError
            If there is no such metric.
        """
        import polars as pl

        unaffected = self.unaffected()
        rows = [
            (*values, name, each.mean, each.low, each.high, each.count, note)
            for values, found in self.estimates(metrics)
            for name, each in zip(metrics, found, strict=True)
            if each is not None
            for note in (UNAFFECTED if values in unaffected else each.note,)
        ]
        schema = [
            *((name, self.frame.schema[name]) for name in self.varied),
            ("metric", pl.String()),
            *((name, pl.Float64()) for name in ("mean", "low", "high")),
            ("runs", pl.Int64()),
            ("note", pl.String()),
        ]
        return pl.DataFrame(rows, schema, orient="row")

    def unaffected(self) -> list[tuple[object, ...]]:
        """Return the combinations in which all seeds give the same results."""
        return [
            values
            for values, rows in groups(self.frame, self.varied)
            if rows[SEED].n_unique() > 1 and len(rows.drop(SEED).unique()) == 1
        ]

    def without_effect(self) -> list[str]:
        """Return the varied keys of whose values none changes a metric of any run."""
        keys, whole = (*self.varied, SEED), self.complete

        def changes_nothing(key: str) -> bool:
            others = [each for each in keys if each != key]
            rows = whole.select(*others, *self.metrics).n_unique()
            return whole[key].n_unique() > 1 and rows == whole.select(others).n_unique()

        return [key for key in self.varied if changes_nothing(key)]

    def limited_by_window(self) -> int:
        """Return in how many runs ``tcp.window`` limits the flow for most of the time."""
        if WINDOW_SHARE not in self.complete.columns:
            return 0
        return int((self.complete[WINDOW_SHARE] >= MOST).sum())


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
        except ContentError:
            reason = "is no sweep's file; choose another name"
            raise FileExistsError(EEXIST, reason, str(target)) from None
    check_writable(target)


def _from_csv(content: bytes) -> pl.DataFrame:
    """Return a frame; a column without values has the type of numbers."""
    import polars as pl

    kinds = {SCENARIO: pl.String, SEED: pl.UInt64}
    read = pl.read_csv(content, infer_schema_length=None, schema_overrides=kinds)
    empty = [each.name for each in read if each.null_count() == len(each)]
    return read.with_columns(pl.col(empty).cast(pl.Float64))
