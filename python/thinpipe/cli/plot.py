"""``thinpipe plot``: a picture of a run that was saved, or of a sweep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.times import seconds
from thinpipe.signals import undisturbed

GOODPUT: Final = "goodput_bps"

PARAMETERS: Final = {"from": "start_s", "to": "end_s", "at": "at_s"}
"""What options are called in Python, if not as here."""

KINDS_WITH: Final = {
    "modulo": ("packets",),
    "at": ("codes",),
    "cell": ("cell", "codes"),
    "mobile": ("middlebox", "handover"),
}
"""Which kinds take what the others do not."""


def plot(  # noqa: PLR0913 - to typer, a parameter is an option
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_DIR|FILE.parquet",
            help="What `thinpipe run --out` or `thinpipe sweep --out` wrote.",
        ),
    ],
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="time-sequence, outstanding, rtt, throughput, cwnd, packets (at the bottleneck), "
            "goodput, rtt-histogram, datagrams (delays and losses of UDP), middlebox (what it "
            "held, and its round trips), handover (links, addresses, messages and TCP's reaction), "
            "cell (states, codes and shared channels) or codes (the code tree at a time).",
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
            help="Where to end, such as 20s; otherwise with the connection, or the run.",
        ),
    ] = None,
    modulo: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Where packet numbers begin anew, 60 if not given."),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Of --kind codes: when; otherwise when mobiles first had most of the tree.",
        ),
    ] = None,
    cell: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", help="Of --kind cell and codes: which cell, from 0."),
    ] = None,
    mobile: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Of --kind middlebox and handover: which mobile, from 0."
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(metavar="KEY", help="Of a sweep: along the axis, a parameter that varies."),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(metavar="MEASURE", help="Of a sweep: up, goodput_bps if not given."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="Of a sweep: a line for each value, all if not given."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A .png, .svg or .pdf; otherwise RUN_DIR's name and the kind, as in "
            "out-time-sequence.png, here. A file of that name is replaced; directories that are "
            "missing are made.",
        ),
    ] = None,
) -> None:
    """Draw a saved run, or a sweep: means over its seeds with confidence intervals."""
    of_kind = {"modulo": modulo, "at": at, "cell": cell, "mobile": mobile}
    of_run = {"kind": kind, "flow": flow, "from": start, "to": end, **of_kind}
    of_sweep = {"x": x, "y": y, "by": by[0] if by else None}
    if source.suffix == ".parquet":
        _refuse(of_run, "a run")
        file = out or Path(f"{source.stem}-{(y or GOODPUT).replace('/', '-')}.png")
        _draw_sweep(source, file, of_sweep, by)
    else:
        _refuse(of_sweep, "a sweep")
        kind = kind or "time-sequence"
        file = Path(_default_name(source, kind, flow, mobile)) if out is None else out
        _draw_run(source, file, kind, flow, {"from": start, "to": end, **of_kind})
    typer.echo(str(file))


def _refuse(options: Mapping[str, object], source: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadRequestError(f"--{name} {value}: only the picture of {source} takes it")


def _draw_sweep(
    source: Path, file: Path, options: Mapping[str, str | None], by: Sequence[str] | None
) -> None:
    with undisturbed():
        from thinpipe.plot.picture import write_sweep_picture
        from thinpipe.sweep.study import Study

    given = {name: f"--{name} {value}:" for name, value in options.items() if value is not None}
    given["file"] = f"--out {file}:"
    try:
        y = options["y"] or GOODPUT
        write_sweep_picture(Study.read(source), file, x=options["x"], y=y, by=by)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None


def _draw_run(
    directory: Path,
    file: Path,
    kind: str,
    flow: int | None,
    view: Mapping[str, str | int | None],
) -> None:
    with undisturbed():
        from thinpipe.plot.picture import write_picture
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
        write_picture(load(directory), file, kind, flow=flow, **asked)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None


def _default_name(directory: Path, kind: str, flow: int | None, mobile: int | None) -> str:
    """Return a name in the current directory: a run's own holds what the run wrote alone."""
    of = (f"-{what}{number}" for what, number in (("flow", flow), ("mobile", mobile)) if number)
    return f"{directory.resolve().name}-{kind}{''.join(of)}.png"


def _by_option(reason: str, given: dict[str, str]) -> str:
    """Return what is wrong with a parameter with the option by which it was given."""
    parameter, colon, rest = reason.partition(":")
    return given[parameter] + rest if colon and parameter in given else reason
