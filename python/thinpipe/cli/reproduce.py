"""``thinpipe reproduce``: a paper's figures and facts, ours beside the paper's."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thinpipe._core import ScenarioError
from thinpipe.cli.progress import Bar
from thinpipe.files import whole_directory, write_file

if TYPE_CHECKING:
    from thinpipe.papers.facts import Finding
    from thinpipe.papers.paper import Item, Paper, Reproduction

SURPRISE = 1
"""Exit status if a fact's verdict is not the one that its file expects."""


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
            help="Where report.html and the figures go. The directory of a former report is "
            "replaced; one that holds anything else, or anything changed since, is left alone.",
        ),
    ] = Path("out"),
    wrong_models: Annotated[
        bool,
        typer.Option(
            "--wrong-models",
            help="Run beside ours the wrong model that each fact's band must fail.",
        ),
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the facts as JSON.")] = False,
) -> None:
    """Run papers' experiments and write a report.

    Exit status 1 if a fact's verdict surprises, or a wrong model passes.
    """
    from thinpipe.papers import papers
    from thinpipe.papers.paper import reproduce as reproduce_paper

    known = papers()
    if listing:
        _list(_choose(known, names or list(known)))
        return
    chosen = _choose(known, names or list(known))
    made = []
    with whole_directory(out) as directory:
        for paper, items in _possible(chosen, asked=bool(names)):
            with Bar(paper.id) as bar:
                made.append(reproduce_paper(paper, items, wrong_models=wrong_models, progress=bar))
        _write(made, directory)
    if json:
        import json as encoder

        typer.echo(encoder.dumps({"papers": [_as_json(each) for each in made]}, indent=1))
    else:
        from thinpipe.cli.findings import print_counts, print_reproduction

        for each in made:
            print_reproduction(each)
        print_counts(made)
        typer.echo(f"report: {out / 'report.html'}")
    found = [finding for each in made for finding in each.findings]
    if any(each.surprising or each.passes_wrong_model for each in found):
        raise typer.Exit(SURPRISE)


def _choose(known: dict[str, Paper], names: list[str]) -> list[tuple[Paper, list[Item]]]:
    chosen: dict[str, list[Item]] = {}
    for name in names:
        paper_name, slash, item_name = name.partition("/")
        paper = known.get(paper_name)
        if paper is None:
            raise ScenarioError(f"unknown paper {paper_name!r}{_nearest(paper_name, known)}")
        item = paper.item(item_name)
        if slash and item is None:
            items = [each.id for each in paper.items]
            raise ScenarioError(f"{paper.id} has no item {item_name!r}{_nearest(item_name, items)}")
        wanted = paper.items if item is None else (item,)
        already = chosen.setdefault(paper.id, [])
        already += [each for each in wanted if each not in already]
    return [(known[name], items) for name, items in chosen.items()]


def _possible(
    chosen: list[tuple[Paper, list[Item]]], *, asked: bool
) -> list[tuple[Paper, list[Item]]]:
    """Leave out what cannot be run here and say so; refuse it where it was asked for by name."""
    possible = []
    for paper, items in chosen:
        reason = paper.missing()
        if reason is None:
            possible.append((paper, items))
        elif asked:
            raise ScenarioError(f"{paper.id} cannot be run here: {reason}")
        else:
            typer.echo(f"{paper.id} is left out: {reason}", err=True)
    return possible


def _nearest(name: str, known: Any) -> str:  # noqa: ANN401 - any iterable of names
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.0)
    return f"; did you mean {near[0]!r}?" if near else ""


def _list(chosen: list[tuple[Paper, list[Item]]]) -> None:
    for paper, items in chosen:
        typer.echo(f"{paper.id}: {paper.citation}")
        width = max(len(item.id) for item in items)
        for item in items:
            typer.echo(f"  {paper.id}/{item.id:<{width}}  {item.title}")


def _write(made: list[Reproduction], directory: Path) -> None:
    from thinpipe.report.page import page, png

    for each in made:
        for section in each.sections:
            if section.figure is not None:
                name = f"{each.paper.id}-{section.item.id}.png"
                write_file(directory / name, png(section.figure))
    write_file(directory / "report.html", page(made).encode())


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
