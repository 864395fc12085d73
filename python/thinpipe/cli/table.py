"""``thinpipe table``: saved runs as one table, or one of the tables of a run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thinpipe.cli.bad_request import BadRequestError
from thinpipe.files import write_atomically
from thinpipe.frame import read_study
from thinpipe.recording import load
from thinpipe.signals import signals_deferred
from thinpipe.suggestion import suggestion
from thinpipe.sweep.study import SUFFIXES, Study
from thinpipe.tables import NAMES, NoTableError

if TYPE_CHECKING:
    import polars as pl


def table(
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN_DIR...|FILE.parquet|FILE.csv",
            help="What `thinpipe run --out` or `thinpipe sweep --out` wrote.",
        ),
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The table of this name that a run has recorded, such as rtt, cwnd or segments.",
        ),
    ] = None,
    complete: Annotated[
        bool,
        typer.Option("--complete", help="Also the columns that are the same in every row."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .csv or .parquet file, replaced if it exists; by default CSV on standard "
            "output.",
        ),
    ] = None,
) -> None:
    """Print saved runs or a sweep as a table, a row a run: what differs, and the main metrics.

    With --name, print a table that a run has recorded.
    """
    if out is not None and out.suffix not in SUFFIXES:
        raise BadRequestError(f"--out {out}: must end in {' or '.join(SUFFIXES)}")
    if name is not None:
        if len(sources) > 1 or complete:
            raise BadRequestError(f"--name {name}: takes one run, and all of its columns")
        _write(_recorded(sources[0], name), out)
        return
    try:
        study = read_study(sources)
    except ValueError as error:
        raise BadRequestError(str(error)) from None
    if complete:
        study = Study(study.complete, {}, study.about)
    if out is not None:
        study.write(out)
    else:
        _write(study.frame, None)


def _recorded(directory: Path, name: str) -> pl.DataFrame:
    """Return a table of a saved run."""
    run = load(directory)
    if name not in NAMES:
        has = [each for each in NAMES if (directory / f"{each}.parquet").exists()]
        hint = suggestion(name, NAMES, f"{directory} has {', '.join(has)}")
        raise BadRequestError(f"--name {name}: no table of a run{hint}")
    try:
        found: pl.DataFrame = getattr(run, name)
    except NoTableError as error:
        raise BadRequestError(f"--name {name}: {error}") from None
    return found


def _write(frame: pl.DataFrame, out: Path | None) -> None:
    content = BytesIO()
    with signals_deferred():
        if out is not None and out.suffix == ".parquet":
            frame.write_parquet(content)
        else:
            frame.write_csv(content)
    if out is None:
        typer.echo(content.getvalue(), nl=False)
    else:
        write_atomically(out, content.getvalue())
