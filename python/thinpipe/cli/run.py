"""``thinpipe run``: one scenario, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli.progress import Bar
from thinpipe.files import refuse_foreign
from thinpipe.run import Run, written_by_a_run
from thinpipe.run import run as run_scenario


def run(
    scenario: Annotated[str, typer.Argument(help="A scenario that ships, or a file.")],
    *,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a key of the scenario."),
    ] = None,
    seed: Annotated[str | None, typer.Option(help="Where chance starts.")] = None,
    duration: Annotated[str | None, typer.Option(help="Simulated time, such as 60s.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all figures as JSON.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Write figures, Parquet tables and a capture per host. The directory of a former "
            "run is replaced; one that holds anything else is left alone.",
        ),
    ] = None,
) -> None:
    """Run a scenario and print its figures."""
    pairs = [_pair(setting) for setting in settings or ()]
    pairs += [("seed", seed)] if seed is not None else []
    pairs += [("duration", duration)] if duration is not None else []
    if out is not None:
        refuse_foreign(out, written_by_a_run)
    with Bar(scenario) as bar:
        result = run_scenario(scenario, pairs, trace=out is not None, progress=bar)
    if out is not None:
        result.save(out)
    if json:
        typer.echo(result.json())
    else:
        _print(result)


def _pair(setting: str) -> tuple[str, str]:
    key, equals, value = setting.partition("=")
    if not equals:
        raise ScenarioError(f"--set {setting}: expected KEY=VALUE, as in radio.tbler=5%")
    return key.strip(), value.strip()


def _print(run: Run) -> None:
    from thinpipe.cli.terminal import console, table
    from thinpipe.report.summary import COLUMNS, flow_row, footer

    screen = console()
    rows = [flow_row(flow) for flow in run.flows]
    screen.print(table(COLUMNS, rows, text=frozenset({"variant"})))
    screen.print(footer(run.result), style="dim", highlight=False)
