"""``thinpipe plot``: plot a saved run or a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.times import seconds
from thinpipe.signals import signals_deferred

GOODPUT: Final = "goodput_bps"

PARAMETERS: Final = {"from": "start_s", "to": "end_s", "at": "at_s"}
"""Options whose parameter has another name."""

KINDS_WITH: Final = {
    "modulo": ("packets",),
    "at": ("codes",),
    "cell": ("cell", "codes"),
    "mobile": ("middlebox", "handover"),
}
"""Options that only these kinds take."""


def plot(  # noqa: PLR0913 - to typer, a parameter is an option
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN_DIR...|FILE.parquet",
            help="What `thinpipe run --out` or `thinpipe sweep --out` wrote. Several runs go into "
            "one picture, of kind cwnd or goodput.",
        ),
    ],
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="time-sequence, outstanding, rtt, throughput, cwnd, packets (at the bottleneck), "
            "goodput, rtt-histogram, datagrams (delays and losses of UDP), middlebox (its backlog "
            "and round-trip times), handover (links, addresses, messages and TCP's reaction), "
            "cell (states, codes and shared channels) or codes (the code tree at one time).",
        ),
    ] = None,
    flow: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Which connection, from 0.")
    ] = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="TIME", help="Where to begin, such as 10s.")
    ] = None,
    end: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="TIME",
            help="Where to end, such as 20s; by default the end of the connection or the run.",
        ),
    ] = None,
    modulo: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Modulus of the packet numbers, 60 by default."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="With --kind codes: when; by default when mobiles first used most of the tree.",
        ),
    ] = None,
    cell: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="With --kind cell and codes: which cell, from 0."),
    ] = None,
    mobile: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="With --kind middlebox and handover: which mobile, from 0."
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="For a sweep: the varied parameter on the x-axis."),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE", help="For a sweep: the metric on the y-axis, goodput_bps by default."
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="For a sweep: one line per value of KEY; all by default."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .png, .svg or .pdf file; by default named after RUN_DIR and the kind, as "
            "out-time-sequence.png, in the current directory. An existing file is replaced; "
            "missing directories are made.",
        ),
    ] = None,
) -> None:
    """Plot saved runs, or a sweep: means over its seeds with confidence intervals."""
    of_kind = {"modulo": modulo, "at": at, "cell": cell, "mobile": mobile}
    of_run = {"kind": kind, "flow": flow, "from": start, "to": end, **of_kind}
    of_sweep = {"x": x, "y": y, "by": by[0] if by else None}
    sweeps = [each for each in sources if each.suffix == ".parquet"]
    if sweeps:
        [sweep, *_] = sweeps
        if len(sources) > 1:
            raise BadRequestError(f"{sweep}: a sweep has a picture of its own")
        _refuse(of_run, "a run")
        file = out or Path(f"{sweep.stem}-{(y or GOODPUT).replace('/', '-')}.png")
        _draw_sweep(sweep, file, of_sweep, by)
    else:
        _refuse(of_sweep, "a sweep")
        kind = kind or ("time-sequence" if len(sources) == 1 else "cwnd")
        file = Path(_default_name(sources, kind, flow, mobile)) if out is None else out
        _draw_runs(sources, file, kind, flow, {"from": start, "to": end, **of_kind})
    typer.echo(str(file))


def _refuse(options: Mapping[str, object], source: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadRequestError(f"--{name} {value}: only the picture of {source} takes it")


def _draw_sweep(
    source: Path, file: Path, options: Mapping[str, str | None], by: Sequence[str] | None
) -> None:
    with signals_deferred():
        from thinpipe.plot.picture import write_sweep_picture
        from thinpipe.sweep.study import Study

    given = {name: f"--{name} {value}:" for name, value in options.items() if value is not None}
    given["file"] = f"--out {file}:"
    try:
        y = options["y"] or GOODPUT
        write_sweep_picture(Study.read(source), file, x=options["x"], y=y, by=by)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None


def _draw_runs(
    directories: Sequence[Path],
    file: Path,
    kind: str,
    flow: int | None,
    view: Mapping[str, str | int | None],
) -> None:
    with signals_deferred():
        from thinpipe.plot.picture import write_picture, write_picture_of_several
        from thinpipe.recording import load

    given = {"kind": f"--kind {kind}:", "file": f"--out {file}:", "flow": "--flow"}
    asked: dict[str, float] = {}
    for option, value in view.items():
        if value is None:
            continue
        kinds = KINDS_WITH.get(option, (kind,))
        if kind not in kinds:
            only = f"only --kind {' or '.join(kinds)} takes it"
            raise BadRequestError(f"--{option} {value}: {only}")
        parameter = PARAMETERS.get(option, option)
        asked[parameter] = seconds(f"--{option}", value) if isinstance(value, str) else value
        given[parameter] = f"--{option} {value}:"
    try:
        run, *others = map(load, directories)
        if others:
            write_picture_of_several([run, *others], file, kind, flow=flow, **asked)
        else:
            write_picture(run, file, kind, flow=flow, **asked)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None


def _default_name(
    directories: Sequence[Path], kind: str, flow: int | None, mobile: int | None
) -> str:
    """Return a name in the current directory: a run's own may hold only its files."""
    runs = "-".join(each.resolve().name for each in directories)
    of = (f"-{what}{number}" for what, number in (("flow", flow), ("mobile", mobile)) if number)
    return f"{runs}-{kind}{''.join(of)}.png"


def _by_option(reason: str, given: dict[str, str]) -> str:
    """Return an error about a parameter with the name of its option."""
    parameter, colon, rest = reason.partition(":")
    return given[parameter] + rest if colon and parameter in given else reason
