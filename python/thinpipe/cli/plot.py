"""``thinpipe plot``: a picture of a run that was saved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from thinpipe.cli.bad_request import BadRequestError
from thinpipe.signals import undisturbed

UNITS_S: Final = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0,
}  # fmt: skip


def plot(
    directory: Annotated[
        Path, typer.Argument(metavar="RUN_DIR", help="What `thinpipe run --out` wrote.")
    ],
    *,
    kind: Annotated[
        str,
        typer.Option(
            metavar="KIND",
            help="time-sequence, outstanding, rtt, throughput, cwnd, packets (at the bottleneck), "
            "goodput or rtt-histogram.",
        ),
    ] = "time-sequence",
    flow: Annotated[int, typer.Option(metavar="NUMBER", help="Which connection, from 0.")] = 0,
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
    """Draw a saved run."""
    with undisturbed():
        from thinpipe.plot.picture import write_picture
        from thinpipe.recording import load

    if modulo is not None and kind != "packets":
        raise BadRequestError(f"--modulo {modulo}: only --kind packets takes it")
    file = Path(_default_name(directory, kind, flow)) if out is None else out
    options = {
        "start_s": _seconds("--from", start),
        "end_s": _seconds("--to", end),
        "modulo": modulo,
    }
    asked = {name: value for name, value in options.items() if value is not None}
    given = {
        "kind": f"--kind {kind}:",
        "file": f"--out {out}:",
        "flow": "--flow",
        "start_s": f"--from {start}:",
        "end_s": f"--to {end}:",
        "modulo": f"--modulo {modulo}:",
    }
    try:
        write_picture(load(directory), file, kind, flow=flow, **asked)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None
    typer.echo(str(file))


def _default_name(directory: Path, kind: str, flow: int) -> str:
    """Return a name in the current directory: a run's own holds what the run wrote alone."""
    return f"{directory.resolve().name}-{kind}" + (f"-flow{flow}" if flow else "") + ".png"


def _seconds(option: str, text: str | None) -> float | None:
    """Return a time that was given with its unit, in seconds."""
    if text is None:
        return None
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*([a-zµ]*)\s*", text, re.ASCII | re.IGNORECASE)
    if found is None or found[2] not in UNITS_S:
        units = ", ".join(list(UNITS_S)[:-1])
        raise BadRequestError(f"{option} {text}: must be a time in {units} or min, as in 10s")
    return float(found[1]) * UNITS_S[found[2]]


def _by_option(reason: str, given: dict[str, str]) -> str:
    """Return what is wrong with a parameter with the option by which it was given."""
    parameter, colon, rest = reason.partition(":")
    return given[parameter] + rest if colon and parameter in given else reason
