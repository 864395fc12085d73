"""The report of reproductions: an HTML page, with the figures in files beside it."""

from __future__ import annotations

import platform
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from thinpipe.files import atomic_directory, write_file
from thinpipe.papers.facts import BUSY, runs_of
from thinpipe.report import counts
from thinpipe.report.chapters import OUTCOMES, outcome
from thinpipe.report.figures import WIDTH_PX, PageFigure
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from thinpipe.papers.facts import Finding
    from thinpipe.papers.paper import Reproduction
    from thinpipe.report.chapters import Chapter

NAME: Final = "report.html"
SHOWN_VERSIONS: Final = ("thinpipe", "numpy", "polars", "matplotlib")


def write_report(out: Path, chapters: Sequence[Chapter], figures: Mapping[str, bytes]) -> None:
    """Write the report and the files of its figures, in the place of an earlier report.

    Raises
    ------
    FileExistsError
        If the directory holds other or changed files.
    OSError
        If it cannot be written.
    """
    with atomic_directory(out) as directory:
        for name, content in {**figures, NAME: page(chapters).encode()}.items():
            write_file(directory / name, content)


def page(chapters: Sequence[Chapter]) -> str:
    """Return the report as HTML."""
    reproductions = [each.made for each in chapters if each.made is not None]
    return rendered(
        "report.html.j2",
        {"short": short, "ours": ours, "outcome": outcome, "runs_of": runs_of},
        chapters=chapters,
        reproductions=reproductions,
        anchors=_anchors(reproductions),
        totals=sum((each.counts for each in chapters), Counter()),
        outcomes=OUTCOMES,
        busy=BUSY,
        counts=counts,
        page_figure=PageFigure.of,
    )


def rendered(template: str, filters: Mapping[str, Callable[..., object]], **values: object) -> str:
    """Return a page of a template in this folder; it also knows versions, machine and command."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("thinpipe", "report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= filters
    return environment.get_template(template).render(
        width_px=WIDTH_PX,
        versions={name: version(name) for name in SHOWN_VERSIONS},
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        command=shlex.join(["thinpipe", *sys.argv[1:]]),
        **values,
    )


def _anchors(reproductions: Sequence[Reproduction]) -> dict[tuple[str, str], str]:
    """Return by paper and fact its id, or PAPER-ID if a fact of a paper before has that id."""
    anchors: dict[tuple[str, str], str] = {}
    taken: set[str] = set()
    for made in reproductions:
        for fact in (finding.fact for finding in made.findings):
            name = f"{made.paper.id}-{fact.id}" if fact.id in taken else fact.id
            taken.add(name)
            anchors[made.paper.id, fact.id] = name
    return anchors


def ours(finding: Finding) -> str:
    """Return our measurement: the mean, with the range over runs in brackets."""
    spread = finding.spread()
    return finding.ours() + (f" ({spread})" if spread else "")
