"""``thinpipe evaluate``: a congestion control by the criteria of RFC 9743."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.points import Counting, Jobs, Scheduler, Seeds, check_where, scheduled
from thinpipe.cli.settings import Settings
from thinpipe.controller import KEY
from thinpipe.counted import counted
from thinpipe.suggestion import suggestion
from thinpipe.sweep.grid import Grid

if TYPE_CHECKING:
    from thinpipe.evaluation.criteria import Criterion
    from thinpipe.evaluation.evaluate import Evaluation
    from thinpipe.evaluation.trials import Contestant

OUT: Final = Path("evaluation")
"""Where the page is written by default."""

BESIDE: Final = "reno,cubic,bbr"
"""Standard congestion controls (RFC 5681, RFC 9438), and the one most deployed beside them."""

SEEDS: Final = {False: "1..5", True: "1..10"}
"""Of the short form, and of the full one."""


def evaluate(  # noqa: PLR0913 - to typer, a parameter is an option
    controller: Annotated[
        str | None,
        typer.Argument(
            metavar="CONTROLLER",
            help="A congestion control that ships, or a class of yours, FILE.py:CLASS.",
        ),
    ] = None,
    *,
    beside: Annotated[
        str,
        typer.Option(metavar="NAME,…", help="The congestion controls that it is compared with."),
    ] = BESIDE,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="tcp.KEY=VALUE",
            help="A key of the endpoints of CONTROLLER, such as tcp.ecn=accurate.",
        ),
    ] = None,
    bearers: Annotated[
        str | None,
        typer.Option(metavar="NAME,…", help="Only these of the pipes that --list names."),
    ] = None,
    criteria: Annotated[
        str | None,
        typer.Option(metavar="SECTION,…", help="Only these sections of the RFC, as in 5.1,7.1."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Files of criteria of your own, in the place of those that ship."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Ten seeds, and more rates, delays, queues and flows.")
    ] = False,
    seeds: Seeds = None,
    jobs: Jobs = None,
    scheduler: Scheduler = None,
    listing: Annotated[bool, typer.Option("--list", help="List criteria and pipes.")] = False,
    out: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="Directory of evaluation.html, evaluation.json and the runs, from which the next "
            "evaluation takes those that have not changed. DIR.runs.partial keeps finished runs, "
            "from which the same command resumes.",
        ),
    ] = OUT,
) -> None:
    """Run what RFC 9743 asks of a new congestion control, and write a page of the results."""
    from thinpipe.evaluation.criteria import SHIPPED
    from thinpipe.evaluation.criteria import criteria as read
    from thinpipe.evaluation.evaluate import Evaluation
    from thinpipe.evaluation.trials import Form

    if not listing and controller is None:
        raise BadRequestError("CONTROLLER is missing; see `thinpipe evaluate --help`")
    check_where(jobs, scheduler)
    chosen = _of_sections(read(folder or SHIPPED), criteria)
    chosen = _in_pipes(chosen, bearers)
    if listing:
        _list(chosen)
        return
    asked = Settings.of(settings)
    with Settings(asked.pairs, {**asked.given, "seeds": "--seeds "}).named():
        contestants = _contestants(controller or "", beside, asked)
        form = Form(_seeds(seeds, full=full), full)
        evaluation = Evaluation.of(chosen, contestants, form)
    _run(evaluation, out, jobs, scheduler)


def _run(asked: Evaluation, out: Path, jobs: int | None, scheduler: str | None) -> None:
    from thinpipe.evaluation.evaluate import PAGE, journal_target
    from thinpipe.evaluation.evaluate import evaluate as run

    label, total = asked.subject, len(asked.trials)
    with Counting(label, total, journal_target(out)) as progress, scheduled(scheduler):
        found = run(asked, out, jobs=jobs, scheduler=scheduler, progress=progress)
    measured = sum(bool(each.lines) for each in found)
    typer.echo(
        f"{label} by RFC 9743: {counted(total, 'run')}, {measured} of {len(found)} criteria "
        f"measured; {out / PAGE}"
    )


def _contestants(controller: str, beside: str, settings: Settings) -> tuple[Contestant, ...]:
    from thinpipe.evaluation.trials import Contestant

    more = {}
    for key, value in settings.pairs:
        if not key.startswith("tcp."):
            raise BadRequestError(f"--set {key}={value}: expected a key of [tcp], as in tcp.ecn")
        if key == KEY:
            raise BadRequestError(f"--set {key}={value}: CONTROLLER {controller} says that")
        more[key.removeprefix("tcp.")] = value
    first = Contestant.of(controller, more)
    try:
        beside_it = list(map(Contestant.of, _words("--beside", beside)))
    except ScenarioError as error:
        raise ScenarioError(f"--beside {error}") from None
    others = [each for each in beside_it if each != first]
    names = [first.name, *(each.name for each in others)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise BadRequestError(f"--beside {beside}: two are called {twice}; give one another name")
    return (first, *others)


def _seeds(given: str | None, *, full: bool) -> tuple[int, ...]:
    grid = Grid.of({}, given or SEEDS[full])
    return tuple(seed for seed in grid.seeds if seed is not None)


def _of_sections(read: Sequence[Criterion], asked: str | None) -> list[Criterion]:
    """Return the criteria of the sections, and of those within them, that are asked for."""
    if asked is None:
        return [*read]
    known = {each.section for each in read}
    wanted = _words("--criteria", asked)
    for word in wanted:
        if not any(_is_within(each, word) for each in known):
            hint = suggestion(word, known, "see `thinpipe evaluate --list`")
            raise BadRequestError(f"--criteria {asked}: no section {word}{hint}")
    return [each for each in read if any(_is_within(each.section, word) for word in wanted)]


def _is_within(section: str, other: str) -> bool:
    return section == other or section.startswith(f"{other}.")


def _in_pipes(chosen: Sequence[Criterion], asked: str | None) -> list[Criterion]:
    """Return the criteria with the pipes that are asked for; those that have none of them go."""
    if asked is None:
        return [*chosen]
    known = {pipe.scenario.name for each in chosen for pipe in each.pipes}
    wanted = _words("--bearers", asked)
    for name in wanted:
        if name not in known:
            hint = suggestion(name, known, f"these criteria have {', '.join(sorted(known))}")
            raise BadRequestError(f"--bearers {asked}: no pipe {name}{hint}")
    left = [
        replace(each, pipes=tuple(p for p in each.pipes if p.scenario.name in wanted))
        for each in chosen
    ]
    return [each for each in left if each.pipes or each.reason]


def _words(option: str, text: str) -> list[str]:
    words = [word.strip() for word in text.split(",")]
    if "" in words:
        raise BadRequestError(f"{option} {text}: an empty name; expected names as in a,b")
    return list(dict.fromkeys(words))


def _list(chosen: Sequence[Criterion]) -> None:
    width = max(len(each.section) for each in chosen)
    for each in chosen:
        pipes = ", ".join(dict.fromkeys(pipe.scenario.name for pipe in each.pipes))
        typer.echo(f"{each.section:<{width}}  {each.title}: {pipes or f'no runs, {each.reason}'}")
