"""``thinpipe sweep``: run a scenario over a grid of settings and seeds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli import arguments
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.points import Counting, Jobs, Scheduler, Seeds, check_where, scheduled
from thinpipe.cli.settings import Settings
from thinpipe.counted import counted
from thinpipe.point import Point
from thinpipe.run import run_many
from thinpipe.signals import signals_deferred
from thinpipe.suggestion import suggestion
from thinpipe.sweep.grid import Grid
from thinpipe.sweep.measures import is_measure
from thinpipe.sweep.metrics import metrics_of
from thinpipe.sweep.plan import Plan
from thinpipe.sweep.running import executor, run_plan
from thinpipe.sweep.study import SUFFIXES, Study, check_replaceable

if TYPE_CHECKING:
    from rich.console import Console

NO_TIME = "1 ns"
"""Duration of a run that only lists the metrics."""

GROUP_COUNT: Final = re.compile(r"flow\.(group\.[^.]+\.)?count")
"""The keys that say how many flows a group has, in the order of flows."""


def sweep(  # noqa: PLR0913 - to typer, a parameter is an option
    scenario: Annotated[str, arguments.SCENARIO],
    *,
    vary: Annotated[
        list[str],
        typer.Option(
            metavar="KEY=V1,V2,…",
            help="Values of a key, or a range such as 1..10; several keys give every combination.",
        ),
    ],
    settings: Annotated[list[str] | None, arguments.SETTINGS] = None,
    seeds: Seeds = None,
    duration: Annotated[
        str | None, typer.Option(metavar="TIME", help="Simulated time, such as 60s.")
    ] = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A metric for the table, a column of FILE; by default goodput_bps, rtt_s.mean, "
            "retransmits and timeouts.",
        ),
    ] = None,
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE.parquet|.csv",
            help="The table, one row per run, as Parquet or CSV. An earlier sweep's file is "
            "replaced; any other file is an error. FILE.parquet.partial keeps finished runs, from "
            "which the same command resumes.",
        ),
    ],
) -> None:
    """Run every combination of values with every seed; print means and confidence intervals."""
    check_where(jobs, scheduler)
    if out.suffix not in SUFFIXES:
        raise BadRequestError(f"--out {out}: must end in {' or '.join(SUFFIXES)}")
    fixed = Settings.of(settings, duration=duration)
    varied = [_pair(text) for text in vary]
    given = {**fixed.given, **{key: f"--vary {key}=" for key, _ in varied}, "seeds": "--seeds "}
    with Settings(fixed.pairs, given).named():
        plan = Plan.of(scenario, tuple(fixed.pairs), Grid.of(varied, seeds))
        measures = _measures(plan, measure)
    check_replaceable(out)
    for line in plan.made():
        typer.echo(line)
    with Counting(scenario, len(plan), out) as progress, scheduled(scheduler):
        study = run_plan(plan, out, executor(jobs, scheduler), progress)
    _print(study, measures, _window_of_flow_0(plan.values))


def _pair(text: str) -> tuple[str, str]:
    key, equals, values = text.partition("=")
    if not (equals and key.strip()):
        raise ScenarioError(f"--vary {text}: expected KEY=V1,V2,…, as in radio.tbler=0%,5%")
    return key.strip(), values.strip()


def _measures(plan: Plan, asked: Sequence[str] | None) -> list[str]:
    """Return the metrics of the table; those asked for must be of a run of some combination."""
    with signals_deferred():
        from thinpipe.sweep.words import MEASURES
    if not asked:
        return [*MEASURES]
    sought = {name for name in asked if is_measure(name)}
    names: dict[str, None] = {}
    for of_run in _names(plan):
        names.update(dict.fromkeys(of_run))
        if sought <= names.keys():
            break
    for name in asked:
        if name not in names:
            hint = suggestion(name, names, "see `thinpipe measures`")
            raise BadRequestError(f"--measure {name}: no figure of a run{hint}")
    return list(dict.fromkeys(asked))


def _names(plan: Plan) -> Iterator[list[str]]:
    """Yield the metrics of each combination, which a run of minimal duration has, too."""
    for point in plan.points():
        brief = Point(point.scenario, (*point.settings, ("duration", NO_TIME)), point.algorithms)
        [run] = run_many([brief])
        metrics = metrics_of(json.loads(run.json()))
        yield [name for name, value in metrics.items() if not isinstance(value, str)]


def _print(study: Study, measures: list[str], window: str) -> None:
    with signals_deferred():
        from thinpipe.cli.terminal import console, show
        from thinpipe.sweep.interval import CONFIDENCE
        from thinpipe.sweep.words import MARKS, estimate_text, metric_label, parameter_text

    seeds = study.frame["seed"].n_unique()
    found = list(study.estimates(measures))
    rows = [
        (
            *(
                parameter_text(value, study.units.get(key))
                for key, value in zip(study.varied, values, strict=True)
            ),
            *(estimate_text(each, name, seeds) for name, each in zip(measures, means, strict=True)),
        )
        for values, means in found
    ]
    screen: Console = console()
    columns = (*study.varied, *(metric_label(name) for name in measures))
    show(screen, columns, rows, text=frozenset(study.varied))
    scope = (
        f"mean ± {100 * CONFIDENCE:g} % confidence interval (Student's t) over {seeds} seeds"
        if seeds > 1
        else "one seed, so no confidence intervals"
    )
    lines = [f"{study.scenario}: {counted(len(study.frame), 'run')}, {_flow(study)}; {scope}"]
    notes = {each.note for _, means in found for each in means if each is not None}
    lines += [f"{mark} {note}" for note, mark in MARKS.items() if note in notes]
    if same := len(study.unaffected()):
        lines.append(f"seeds change nothing in {same:,} of {counted(len(rows), 'combination')}")
    lines += [
        f"{key} changes nothing: every metric is the same for all of its values"
        for key in study.without_effect()
    ]
    if limited := study.limited_by_window():
        lines.append(
            f"{window} limits flow 0 for most of the time in {counted(limited, 'run')}: congestion "
            "control decides only with a larger one, or a shorter queue"
        )
    for line in lines:
        screen.print(line, style="dim", soft_wrap=True)


def _window_of_flow_0(values: Mapping[str, str]) -> str:
    """Return the key of the window that flow 0 has: that of its group, or the common one."""
    counts = [key for key in values if GROUP_COUNT.fullmatch(key)]
    table = next((key.removesuffix("count") for key in counts if values[key] != "0"), "flow.")
    own = f"{table}tcp.window"
    return own if own in values else "tcp.window"


def _flow(study: Study) -> str:
    """Return which flow of how many the figures are of, unless they name others."""
    counts = [int(count) for count in study.complete["total.flows"].unique()]
    low, high = min(counts), max(counts)
    if high == 1:
        return "flow 0"
    return f"flow 0 of {low}" if low == high else f"flow 0 of {low} to {high}"
