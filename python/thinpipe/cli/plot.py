"""``thinpipe plot``: plot a saved run or a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.times import seconds
from thinpipe.files import resolved
from thinpipe.plot.kinds import DEFAULT, KINDS, OF_MANY, taking
from thinpipe.signals import signals_deferred
from thinpipe.suggestion import either
from thinpipe.sweep.study import SUFFIXES

GOODPUT: Final = "goodput_bps"

PARAMETERS: Final = {"from": "start_s", "to": "end_s", "at": "at_s"}
"""Options whose parameter has another name."""

OF_ALL: Final = ("from", "to")
"""Options that every kind takes."""


LISTED: Final = "\n".join(
    [
        "\b",
        "Kinds, and + if several runs and connections may share the picture:",
        *(
            f"  {name:<13} {'+' if kind.shares else ' '} {kind.shows}"
            for name, kind in KINDS.items()
        ),
        "",
        "\b",
        "Kinds of many runs, a sweep's or those of several directories:",
        *(f"  {name:<13}   {shows}" for name, shows in OF_MANY.items()),
    ]
)
"""The kinds, a line each, as the end of a help text."""


def complete_kind(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the kinds that begin with a text, each with what it shows."""
    for name, shows in [*((kind.name, kind.shows) for kind in KINDS.values()), *OF_MANY.items()]:
        if name.startswith(incomplete):
            yield name, shows


def _of(option: str, help_: str) -> str:
    """Return an option's help that begins with the kinds that take it."""
    return f"With --kind {either(taking(option))}: {help_}"


def plot(  # noqa: PLR0913 - to typer, a parameter is an option
    sources: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN_DIR...|FILE.parquet|FILE.csv",
            help="What `thinpipe run --out` or `thinpipe sweep --out` wrote. Several runs go into "
            "one picture, of a kind marked + below.",
        ),
    ],
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help=f"What to draw, {DEFAULT} by default, of a sweep lines; the kinds are below.",
            autocompletion=complete_kind,
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Which connection, from 0; with a kind marked + also several, as 0,2, or all.",
        ),
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
        typer.Option(
            metavar="NUMBER",
            parser=arguments.whole("--modulo", 1),
            help=_of("modulo", "the modulus of the packet numbers, 60 by default."),
        ),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=_of("link", "which link; by default where the connection's packets waited most."),
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help=_of("at_s", "when; by default when mobiles first used most of the tree."),
        ),
    ] = None,
    cell: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=arguments.whole("--cell"),
            help=_of("cell", "which cell, from 0."),
        ),
    ] = None,
    mobile: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=arguments.whole("--mobile"),
            help=_of("mobile", "which mobile, from 0."),
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="For a sweep: the varied parameter on the x-axis; with --kind scatter a metric, "
            "network.delay_s.p95 by default.",
        ),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(metavar="MEASURE", help="For a sweep: the metric, goodput_bps by default."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY", help="For a sweep: one line per value of KEY; all by default."),
    ] = None,
    log: Annotated[
        str | None,
        typer.Option(metavar="AXES", help="For a sweep: which axes are logarithmic: x, y or xy."),
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
    """Plot saved runs, or a sweep: means over its seeds with confidence intervals, or each run."""
    of_kind = {"modulo": modulo, "link": link, "at": at, "cell": cell, "mobile": mobile}
    of_run = {"flow": flow, "from": start, "to": end, **of_kind}
    of_sweep = {"x": x, "y": y, "by": by[0] if by else None, "log": log}
    files = [each for each in sources if each.suffix in SUFFIXES]
    if files and len(sources) > 1:
        raise BadRequestError(f"{files[0]}: a sweep has a picture of its own")
    if files or kind in OF_MANY:
        _refuse(of_run, "a run")
        words = [*(_name(each) for each in sources), kind, (y or GOODPUT).replace("/", "-")]
        file = out or Path(f"{'-'.join(filter(None, words))}.png")
        _draw_many(sources, file, kind, of_sweep, by)
    else:
        _refuse(of_sweep, "many runs")
        kind = kind or DEFAULT
        file = Path(_default_name(sources, kind, flow, mobile)) if out is None else out
        _draw_runs(sources, file, kind, flow, {"from": start, "to": end, **of_kind})
    typer.echo(str(file))


def _refuse(options: Mapping[str, object], source: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise BadRequestError(f"--{name} {value}: only the picture of {source} takes it")


def _draw_many(
    sources: Sequence[Path],
    file: Path,
    kind: str | None,
    options: Mapping[str, str | None],
    by: Sequence[str] | None,
) -> None:
    with signals_deferred():
        from thinpipe.frame import read_study
        from thinpipe.plot.picture import write_sweep_picture

    keys = [(name, options[name]) for name in ("x", "y", "log")]
    keys += [("by", each) for each in by or ()]
    given = {f"{name}={value}": f"--{name} {value}:" for name, value in keys}
    given |= {"file": f"--out {file}:", f"kind={kind}": f"--kind {kind}:"}
    given |= {"by": f"--by {options['by']}:"}
    try:
        y = options["y"] or GOODPUT
        study = read_study(sources)
        log = options["log"] or ""
        write_sweep_picture(study, file, kind or "lines", x=options["x"], y=y, by=by, log=log)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None


def _draw_runs(
    directories: Sequence[Path],
    file: Path,
    kind: str,
    flow: str | None,
    view: Mapping[str, str | int | None],
) -> None:
    with signals_deferred():
        from thinpipe.plot.picture import write_picture, write_picture_of_several
        from thinpipe.recording import load

    given = {"file": f"--out {file}:", "flow": "--flow"}
    given |= dict.fromkeys(("kind", kind), f"--kind {kind}:")
    asked: dict[str, float | str] = {}
    for option, value in view.items():
        if value is None:
            continue
        parameter = PARAMETERS.get(option, option)
        if option not in OF_ALL and kind not in (kinds := taking(parameter)):
            only = f"only --kind {either(kinds)} takes it"
            raise BadRequestError(f"--{option} {value}: {only}")
        is_time = isinstance(value, str) and option in PARAMETERS
        asked[parameter] = seconds(f"--{option}", str(value)) if is_time else value
        given[parameter] = f"--{option} {value}:"
    flows = None if flow is None else _flows(flow)
    try:
        run, *others = map(load, directories)
        if others:
            write_picture_of_several([run, *others], file, kind, flow=flows, **asked)
        else:
            write_picture(run, file, kind, flow=flows, **asked)
    except ValueError as error:
        raise BadRequestError(_by_option(str(error), given)) from None


def _flows(text: str) -> int | list[int] | Literal["all"]:
    """Return the flows that a text names."""
    if text == "all":
        return "all"
    try:
        numbers = [int(each) for each in text.split(",")]
    except ValueError:
        reason = "must be a number from 0, several as in 0,2, or all"
        raise BadRequestError(f"--flow {text}: {reason}") from None
    return numbers if numbers[1:] else numbers[0]


def _default_name(
    directories: Sequence[Path], kind: str, flow: str | None, mobile: int | None
) -> str:
    """Return a name in the current directory: a run's own may hold only its files."""
    runs = "-".join(map(_name, directories))
    of_flow = {None: "", "0": "", "all": "-all"}.get(flow, f"-flow{flow}")
    of_mobile = f"-mobile{mobile}" if mobile else ""
    return f"{runs}-{kind}{of_flow}{of_mobile}.png"


def _name(source: Path) -> str:
    """Return the name of a file or directory, without the ending of a file."""
    return source.stem if source.suffix in SUFFIXES else resolved(source).name


def _by_option(reason: str, given: dict[str, str]) -> str:
    """Return an error about a parameter, as in ``file:`` or ``x=nosuch:``, with its option."""
    for parameter, option in given.items():
        if reason.startswith(f"{parameter}:"):
            return option + reason.removeprefix(f"{parameter}:")
    return reason
