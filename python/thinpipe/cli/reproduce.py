"""``thinpipe reproduce``: our results beside a paper's figures and facts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli.bad_request import BadRequestError
from thinpipe.cli.progress import Bar
from thinpipe.files import check_directory
from thinpipe.suggestion import suggestion

if TYPE_CHECKING:
    from thinpipe.papers.facts import Finding
    from thinpipe.papers.paper import Carried, Item, Paper, Reproduction
    from thinpipe.papers.registry import PaperError, Registration
    from thinpipe.report.chapters import Chapter

T = TypeVar("T")

UNEXPECTED = 1
"""Exit status if a fact's verdict is not the expected one."""

OUT = Path("out")
"""Where the report is written by default."""

SIMULATING = 10
"""Niceness of simulations beside runs on the real clock, which must not wait for a processor."""

BROKEN = 2
"""Exit status if a paper could not be loaded or run."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A paper, the requested items, and its registration."""

    paper: Paper
    items: list[Item]
    registration: Registration


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[PAPER | PAPER/ITEM]…", help="All by default.")
    ] = None,
    *,
    listing: Annotated[bool, typer.Option("--list", help="List papers and items.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Directory of report.html, the figures and their data, out by default. An "
            "earlier report's directory is replaced; it is an error if it holds other or changed "
            "files.",
        ),
    ] = None,
    wrong_models: Annotated[
        bool,
        typer.Option(
            "--wrong-models",
            help="Also run the wrong model that each fact's band must reject.",
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the facts, or the list, as JSON.")
    ] = False,
) -> None:
    """Run papers' experiments and write a report, which grows with each paper.

    The exit status is 1 if a fact's verdict is not the expected one or a wrong model passes, and 2
    if a paper cannot be loaded or run; the other papers still run.
    """
    from thinpipe.papers.registry import registrations

    if listing and (out is not None or wrong_models):
        given = "--wrong-models" if out is None else f"--out {out}"
        raise BadRequestError(f"{given}: --list runs nothing and writes no report")
    out = out or OUT
    errors: list[PaperError] = []
    chosen = _choose(registrations(), names or [], errors)
    made: list[Reproduction] = []
    if listing:
        _list(chosen, json=json)
    elif chosen or not errors:
        made = _reproduce(chosen, errors, out, asked=bool(names), wrong_models=wrong_models)
        _print(made, out, json=json)
    for error in errors:
        typer.echo(f"thinpipe: {error}", err=True)
    if errors:
        raise typer.Exit(BROKEN)
    found = [finding for each in made for finding in each.findings]
    if any(each.surprising or each.passes_wrong_model for each in found):
        raise typer.Exit(UNEXPECTED)


def _reproduce(
    chosen: Sequence[Chosen],
    errors: list[PaperError],
    out: Path,
    *,
    asked: bool,
    wrong_models: bool,
) -> list[Reproduction]:
    """Run the papers one after the other, and write the report anew after each.

    What is on the real clock runs in the background meanwhile, and has the processors first.

    There is no report as long as there is nothing but errors; the last of these is raised.
    """
    from thinpipe.papers.paper import carrying
    from thinpipe.papers.registry import PaperError
    from thinpipe.report.chapters import Chapter, Status
    from thinpipe.report.page import write_report

    check_directory(out)
    unloaded = [Chapter.unloaded(error) for error in errors]
    chapters = [_before(each, errors, asked=asked) for each in chosen]
    figures: dict[str, bytes] = {}
    possible = [
        (place, each)
        for place, each in enumerate(chosen)
        if chapters[place].status is Status.NOT_RUN_YET
    ]
    with carrying((each.paper, each.items) for _, each in possible) as carried:
        if any(map(_is_live, possible)):
            os.nice(SIMULATING)  # of what begins from here on
        for place, each in sorted(possible, key=_is_live):  # the longest wait comes last
            run = partial(_run, each, wrong_models=wrong_models, carried=carried)
            result = _attempt(each, run)
            if isinstance(result, PaperError):
                errors.append(result)
                chapters[place] = chapters[place].failed(result)
            else:
                done, files = result
                chapters[place] = chapters[place].done(done)
                figures |= files
            if any(chapter.made for chapter in chapters):
                write_report(out, [*chapters, *unloaded], figures)
    made = [chapter.made for chapter in chapters if chapter.made is not None]
    if errors and not made:
        raise errors.pop()
    if not made:
        write_report(out, chapters, figures)
    return made


def _is_live(placed: tuple[int, Chosen]) -> bool:
    return placed[1].paper.live is not None


def _before(each: Chosen, errors: list[PaperError], *, asked: bool) -> Chapter:
    """Return the chapter of a paper before it runs; raise if it was asked for and cannot run."""
    from thinpipe.papers.registry import PaperError
    from thinpipe.report.chapters import Chapter

    chapter = Chapter.of(each.paper, each.items)
    live = each.paper.live
    reason = None if live is None else _attempt(each, live.missing)
    if isinstance(reason, PaperError):
        errors.append(reason)
        return chapter.failed(reason)
    if reason is None:
        return chapter
    if asked:
        raise ScenarioError(f"{each.paper.id} cannot be run here: {reason}")
    typer.echo(f"{each.paper.id} is left out: {reason}", err=True)
    return chapter.left_out(reason)


def _run(
    each: Chosen, *, wrong_models: bool, carried: Carried
) -> tuple[Reproduction, dict[str, bytes]]:
    """Run a paper; return its results, and by name the files of its figures."""
    from thinpipe.papers.paper import reproduce as reproduce_paper
    from thinpipe.report.figures import figure_files

    with Bar(each.paper.id) as bar:
        done = reproduce_paper(
            each.paper, each.items, wrong_models=wrong_models, progress=bar, carried=carried
        )
        return done, figure_files(done)


def _attempt(each: Chosen, work: Callable[[], T]) -> T | PaperError:
    """Return what `work` does, or the error of the paper, so that the others still run."""
    try:
        return work()
    except BrokenPipeError:  # our standard streams
        raise
    except Exception as error:
        return each.registration.error(error)


def _choose(
    known: Sequence[Registration], names: Sequence[str], errors: list[PaperError]
) -> list[Chosen]:
    """Load the named papers, or all; errors of loading go to `errors`."""
    from thinpipe.papers.registry import PaperError

    by_id = {each.id: each for each in known if not each.first}
    wanted: dict[str, list[str | None]] = {}
    for name in names:
        paper_name, slash, item_name = name.partition("/")
        if paper_name not in by_id:
            raise ScenarioError(f"unknown paper {paper_name!r}{_nearest(paper_name, by_id)}")
        wanted.setdefault(paper_name, []).append(item_name if slash else None)
    chosen = []
    for registration in [by_id[name] for name in wanted] if names else known:
        try:
            paper = registration.load()
        except PaperError as error:
            errors.append(error)
        else:
            items = _items(paper, wanted.get(paper.id, [None]))
            chosen.append(Chosen(paper, items, registration))
    return chosen


def _items(paper: Paper, names: Sequence[str | None]) -> list[Item]:
    """Return the items of these names, each once; ``None`` means all."""
    chosen: list[Item] = []
    for name in names:
        item = None if name is None else paper.item(name)
        if name is not None and item is None:
            items = [each.id for each in paper.items]
            raise ScenarioError(f"{paper.id} has no item {name!r}{_nearest(name, items)}")
        wanted = paper.items if item is None else (item,)
        chosen += [each for each in wanted if each not in chosen]
    return chosen


def _nearest(name: str, known: Iterable[str]) -> str:
    return suggestion(name, known, "see `thinpipe reproduce --list`", likeness=0.5)


def _list(chosen: Sequence[Chosen], *, json: bool) -> None:
    if json:
        _echo_json({"papers": [_listed_as_json(each) for each in chosen]})
        return
    for each in chosen:
        typer.echo(f"{each.paper.id}: {each.paper.citation}")
        width = max(len(item.id) for item in each.items)
        for item in each.items:
            typer.echo(f"  {each.paper.id}/{item.id:<{width}}  {item.title}")


def _listed_as_json(each: Chosen) -> dict[str, Any]:
    items = [{"id": item.id, "title": item.title} for item in each.items]
    return {"paper": each.paper.id, "citation": each.paper.citation, "items": items}


def _echo_json(value: dict[str, Any]) -> None:
    import json

    typer.echo(json.dumps(value, indent=1, ensure_ascii=False))


def _print(made: list[Reproduction], out: Path, *, json: bool) -> None:
    if json:
        _echo_json({"papers": [_as_json(each) for each in made]})
        return
    from thinpipe.cli.findings import print_counts, print_reproduction

    for each in made:
        print_reproduction(each)
    print_counts(made)
    typer.echo(f"report: {out / 'report.html'}")


def _as_json(made: Reproduction) -> dict[str, Any]:
    return {
        "paper": made.paper.id,
        "runs": made.runs,
        "wall_s": made.wall_s,
        "counts": {basis.value: dict(counts) for basis, counts in made.tally.items()},
        "facts": [_fact_as_json(finding) for finding in made.findings],
    }


def _fact_as_json(finding: Finding) -> dict[str, Any]:
    fact = finding.fact
    return {
        "id": fact.id,
        "item": fact.item,
        "says": fact.says,
        "where": fact.where,
        "unit": fact.unit,
        "basis": fact.basis.value,
        "value": fact.value,
        "list": list(fact.listed) or None,
        "low": _finite(fact.low),
        "high": _finite(fact.high),
        "every_value": fact.each,
        "mean": _finite(finding.mean),
        "values": list(finding.values),
        "verdict": finding.verdict.value,
        "expected": fact.expected.value,
        "chosen_after": fact.chosen_after,
        "wrong_model": fact.wrong or None,
        "wrong_values": None if finding.wrong is None else list(finding.wrong.values),
    }


def _finite(value: float) -> float | None:
    import math

    return value if math.isfinite(value) else None
