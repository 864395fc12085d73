"""The log of an emulator: one row per packet, as JSON lines or Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.files import check_writable, destination, named_as
from thinpipe.signals import signals_deferred

if TYPE_CHECKING:
    import polars as pl

LINES: Final = ".jsonl"
PARQUET: Final = ".parquet"


@contextmanager
def atomic_log(given: Path) -> Iterator[Path]:
    """Yield a file for JSON lines, which becomes `given` when the block ends without an exception.

    An existing file is replaced.

    Raises
    ------
    ValueError
        If the name ends in neither ``.jsonl`` nor ``.parquet``.
    OSError
        If the file cannot be written; this is checked before the block begins.
    """
    if given.suffix not in (LINES, PARQUET):
        raise ValueError(f"{given}: a log is a {LINES} or a {PARQUET} file")
    check_writable(given)
    end = destination(given)
    lines, table = (_partial(end, suffix) for suffix in (LINES, PARQUET))
    with named_as(given, lines), named_as(given, table):
        try:
            lines.touch()
            yield lines
            if given.suffix == PARQUET:
                _convert(lines, table)
                table.replace(end)
            else:
                lines.replace(end)
        finally:
            with signals_deferred():
                lines.unlink(missing_ok=True)
                table.unlink(missing_ok=True)


def read_log(file: str | os.PathLike[str]) -> pl.DataFrame:
    """Read a log.

    Returns
    -------
    polars.DataFrame
        One row per packet, in the order in which packets left or were dropped:

        ``uid``
            The packet's number, from the first on.
        ``direction``
            ``down`` (towards the mobile) or ``up``.
        ``bytes``
            Length of the IP packet.
        ``protocol``
            The IP protocol number, such as 6 for TCP; null if the packet is not IP.
        ``entered_s``, ``due_s``, ``left_s``
            When it arrived, when it should have left by the model, and when it did, in seconds of
            the emulator's clock; null if it did not leave.
        ``fate``
            ``delivered``, ``queued`` (at the end), or the drop reason.
        ``backlog_packets``
            Packets queued or in transmission in its direction on arrival.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    import polars as pl

    path = Path(file)
    if path.suffix == PARQUET:
        return pl.read_parquet(path)
    return _scan(path).collect()


def _partial(end: Path, suffix: str) -> Path:
    return end.with_name(f".{end.name}.{os.getpid()}.partial{suffix}")


def _convert(lines: Path, table: Path) -> None:
    import polars as pl

    try:
        with signals_deferred():
            _scan(lines).sink_parquet(table)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).partition(" (os error")[0]
        raise OSError(EIO, reason, str(table)) from None


def _scan(lines: Path) -> pl.LazyFrame:
    import polars as pl

    columns: dict[str, pl.DataType] = {
        "uid": pl.UInt64(),
        "direction": pl.Enum(["down", "up"]),
        "bytes": pl.UInt32(),
        "protocol": pl.UInt8(),
        "entered_s": pl.Float64(),
        "due_s": pl.Float64(),
        "left_s": pl.Float64(),
        "fate": pl.String(),
        "backlog_packets": pl.UInt32(),
    }
    if not lines.stat().st_size:  # polars rejects an empty file
        return pl.LazyFrame(schema=columns)
    # polars' JSON reader knows few types; the others need a cast.
    wide = {name: pl.Int64() if kind.is_integer() else kind for name, kind in columns.items()}
    return pl.scan_ndjson(lines, schema={**wide, "direction": pl.String()}).cast(pl.Schema(columns))
