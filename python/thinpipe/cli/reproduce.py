"""``thinpipe reproduce``: our results beside a paper's figures and facts."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli.progress import Bar
from thinpipe.files import atomic_directory, write_file

if TYPE_CHECKING:
    from thinpipe.papers.facts import Finding
    from thinpipe.papers.paper import Item, Paper, Reproduction
    from thinpipe.papers.registry import PaperError, Registration

UNEXPECTED = 1
"""Exit status if a fact's verdict is not the expected one."""

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
        Path,
        typer.Option(
            metavar="DIR",
            help="Directory of report.html and the figures. An earlier report's directory is "
            "replaced; it is an error if it holds other or changed files.",
        ),
    ] = Path("out"),
    wrong_models: Annotated[
        bool,
        typer.Option(
            "--wrong-models",
            help="Also run the wrong model that each fact's band must reject.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Run papers' experiments and write a report.

    The exit status is 1 if a fact's verdict is not the expected one or a wrong model passes, and 2
    if a paper cannot be loaded or run; the other papers still run.
    """
    from thinpipe.papers.paper import reproduce as reproduce_paper
    from thinpipe.papers.registry import registrations
    from thinpipe.report.page import page

    errors: list[PaperError] = []
    chosen = _choose(registrations(), names or [], errors)
    made = []
    if listing:
        _list(chosen)
    elif chosen or not errors:
        with atomic_directory(out) as directory:
            possible = [each for each in chosen if _is_possible(each, errors, asked=bool(names))]
            for each in possible:
                with _collecting_errors(each.registration, errors), Bar(each.paper.id) as bar:
                    done = reproduce_paper(
                        each.paper, each.items, wrong_models=wrong_models, progress=bar
                    )
                    _write_figures(done, directory)
                    made.append(done)
            if errors and not made:
                raise errors.pop()
            write_file(directory / "report.html", page(made).encode())
        _print(made, out, json=json)
    for error in errors:
        typer.echo(f"thinpipe: {error}", err=True)
    if errors:
        raise typer.Exit(BROKEN)
    found = [finding for each in made for finding in each.findings]
    if any(each.surprising or each.passes_wrong_model for each in found):
        raise typer.Exit(UNEXPECTED)


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


def _is_possible(each: Chosen, errors: list[PaperError], *, asked: bool) -> bool:
    """Skip a paper that cannot run here, with a note; raise if it was asked for by name."""
    possible, reason = False, None
    with _collecting_errors(each.registration, errors):
        reason = each.paper.missing()
        possible = reason is None
    if reason is not None:
        if asked:
            raise ScenarioError(f"{each.paper.id} cannot be run here: {reason}")
        typer.echo(f"{each.paper.id} is left out: {reason}", err=True)
    return possible


@contextmanager
def _collecting_errors(registration: Registration, errors: list[PaperError]) -> Iterator[None]:
    """Collect any error of a paper, so that the others still run."""
    try:
        yield
    except BrokenPipeError:  # our standard streams
        raise
    except Exception as error:
        errors.append(registration.error(error))


def _nearest(name: str, known: Any) -> str:  # noqa: ANN401 - any iterable of names
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else "; see `thinpipe reproduce --list`"


def _list(chosen: list[Chosen]) -> None:
    for each in chosen:
        typer.echo(f"{each.paper.id}: {each.paper.citation}")
        width = max(len(item.id) for item in each.items)
        for item in each.items:
            typer.echo(f"  {each.paper.id}/{item.id:<{width}}  {item.title}")


def _write_figures(made: Reproduction, directory: Path) -> None:
    from thinpipe.report.page import png

    for section in made.sections:
        if section.figure is not None:
            name = f"{made.paper.id}-{section.item.id}.png"
            write_file(directory / name, png(section.figure))


def _print(made: list[Reproduction], out: Path, *, json: bool) -> None:
    if json:
        import json as encoder

        typer.echo(encoder.dumps({"papers": [_as_json(each) for each in made]}, indent=1))
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
