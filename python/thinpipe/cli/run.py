"""``thinpipe run``: run one scenario once."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.progress import Bar
from thinpipe.cli.settings import Settings
from thinpipe.controller import fault
from thinpipe.files import atomic_directory
from thinpipe.inputs import Inputs, Trace
from thinpipe.rerun import again as run_again
from thinpipe.rerun import differing
from thinpipe.run import Run
from thinpipe.run import run as run_scenario
from thinpipe.signals import signals_deferred


def run(  # noqa: PLR0913 - to typer, a parameter is an option
    scenario: Annotated[str | None, arguments.SCENARIO] = None,
    *,
    settings: Annotated[list[str] | None, arguments.SETTINGS] = None,
    seed: Annotated[
        str | None, typer.Option(metavar="NUMBER", help="Seed of the random numbers.")
    ] = None,
    duration: Annotated[
        str | None, typer.Option(metavar="TIME", help="Simulated time, such as 60s.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all metrics as JSON.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write metrics, Parquet tables, a capture per host (per node in an IPv6 "
            "network), what was run (scenario.toml, inputs.json), and their digests "
            "(thinpipe.sha256), which are the same for equal runs. An earlier run's directory is "
            "replaced; it is an error if it holds other or changed files.",
        ),
    ] = None,
    trace: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="Also write a trace file into --out DIR; ns2: ns2.tr, with node names in "
            "ns2.nodes.",
        ),
    ] = None,
    snap: arguments.Snap = None,
    threads: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            parser=arguments.whole("--threads", 1),
            help="Threads, where mobiles have bearers of their own and --out is not given; by "
            "default as many as processors. The results are the same for any number.",
        ),
    ] = None,
    again: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Run once more what --out DIR has kept, and say whether the files are the same; "
            "exit status 1 if not.",
        ),
    ] = None,
) -> None:
    """Run a scenario and print its metrics.

    Goodput is payload over the time of the transfer. Throughput includes headers, over the whole
    run, as a share of the rate of its direction of the radio or the link. Of more than 100
    flows each column shows how its numbers are spread; --json has every flow.
    """
    asked = Settings.of(settings, seed=seed, duration=duration)
    if again is not None:
        others = (scenario, trace, out, snap, threads)
        if asked.pairs or any(other is not None for other in others):
            raise BadRequestError(f"--again {again}: takes nothing but --json with it")
        _repeat(again, json=json)
        return
    if scenario is None:
        raise BadRequestError("missing argument 'SCENARIO'; see `thinpipe run --help`")
    _refuse(trace, snap, out)
    traced: Trace = "ns2" if trace else out is not None
    with nullcontext() if out is None else atomic_directory(out) as directory:
        with Bar(scenario) as bar, asked.named():
            done = _simulate(scenario, asked, (traced, snap), threads, bar)
        if directory is not None:
            done.write_files(directory)
    _show(done, json=json)


def _show(run: Run, *, json: bool) -> None:
    if json:
        typer.echo(run.json())
    else:
        _print(run)


def _simulate(
    scenario: str,
    asked: Settings,
    recording: tuple[Trace, int | None],
    threads: int | None,
    progress: Bar,
) -> Run:
    trace, snap = recording
    try:
        return run_scenario(
            scenario, dict(asked.pairs), trace=trace, threads=threads, progress=progress, snap=snap
        )
    except ValueError as error:
        if isinstance(error, ScenarioError) or fault(error):
            raise
        raise BadRequestError(str(error)) from None  # a controller's window that is none


def _repeat(directory: Path, *, json: bool) -> None:
    """Run once more what a directory keeps; say on standard error whether it is the same."""
    with Bar(str(directory)) as bar:
        done = run_again(directory, progress=bar)
    _show(done, json=json)
    differences = differing(done, directory)
    if not differences:
        typer.echo(f"the same as in {directory}", err=True)
        return
    outdated = Inputs.read(directory).outdated()
    since = f", which is of {' and '.join(outdated)}" if outdated else ""
    typer.echo(f"differs from {directory}{since}: {', '.join(differences)}", err=True)
    raise typer.Exit(1)


def _refuse(trace: str | None, snap: int | None, out: Path | None) -> None:
    if snap is not None and out is None:
        raise BadRequestError("--snap cuts the packets of captures: add --out DIR")
    if trace is None:
        return
    if trace != "ns2":
        raise BadRequestError(f"--trace {trace}: must be ns2")
    if out is None:
        raise BadRequestError(f"--trace {trace}: needs --out DIR, where the file goes")


def _print(run: Run) -> None:
    with signals_deferred():
        from thinpipe.cli.terminal import console, show
        from thinpipe.report.summary import summary

    screen = console()
    for line in run.result.made:
        screen.print(line, soft_wrap=True)
    shown = summary(run.result, run.wall_s)
    for place, table in enumerate(shown.tables):
        if place:
            screen.print()
        show(screen, table.columns, table.rows, text=table.text)
    screen.print(shown.footer, style="dim", soft_wrap=True)
    for hint in run.result.hints:
        screen.print(f"hint: {hint}", soft_wrap=True)
