"""A paper: what it states, what must run to check it, and how it is drawn."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from thinpipe.papers.facts import Basis, Fact, Finding, tally
from thinpipe.papers.outcomes import Detail, Outcome, collect
from thinpipe.papers.wrong import Altered, Asked, WrongModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.point import Point

Outcomes = Mapping["Point", Outcome]


class Collect(Protocol):
    """Runs each point once and keeps the most that was wanted of it."""

    def __call__(
        self,
        wanted: Iterable[tuple[Point, Detail]],
        *,
        jobs: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Outcomes:
        """Run what is wanted; `progress` hears how many points are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text, the first row its head."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A figure, table or study of a paper that can be asked for alone.

    Attributes
    ----------
    id, title, text
        Its name in ``PAPER/ITEM``, its heading, and paragraphs for the report.
    points, detail
        What must run, and what is needed of each run.
    traced
        Those of the points of which a trace is needed.
    draw, tabulate
        Make its figure and its tables.
    notes
        Makes paragraphs on what came out.
    """

    id: str
    title: str
    text: tuple[str, ...]
    points: tuple[Point, ...]
    detail: Detail
    draw: Callable[[Outcomes], Figure] | None = None
    tabulate: Callable[[Outcomes], Sequence[Table]] = lambda _: ()
    traced: tuple[Point, ...] = ()
    notes: Callable[[Outcomes], Sequence[str]] = lambda _: ()

    def wanted(self) -> tuple[tuple[Point, Detail], ...]:
        """Return each point with what is needed of it."""
        return (
            *((point, self.detail) for point in self.points),
            *((point, Detail.TRACE) for point in self.traced),
        )


@dataclass(frozen=True, slots=True)
class Paper:
    """A published paper and all that is needed to reproduce it.

    Attributes
    ----------
    id, citation, text
        Its name for ``thinpipe reproduce``, its source, and paragraphs for the report.
    items, facts
        What can be asked for alone, and what is judged.
    measures
        For the id of each fact the function that measures it: one value a run, in its unit.
    wrong_models
        Those that facts name.
    not_reproduced
        What could not be reproduced, and why.
    collect
        Runs what the items want.
    missing
        Returns why it cannot be run on this machine, in one line; ``None`` if it can.

    Raises
    ------
    ValueError
        If a fact belongs to no item, has no measure, or names a wrong model that there is not.
    """

    id: str
    citation: str
    text: tuple[str, ...]
    items: tuple[Item, ...]
    facts: tuple[Fact, ...]
    measures: Mapping[str, Callable[[Outcomes], Sequence[float]]]
    wrong_models: Mapping[str, WrongModel] = field(default_factory=dict)
    not_reproduced: str = ""
    collect: Collect = collect
    missing: Callable[[], str | None] = lambda: None

    def __post_init__(self) -> None:
        for fact in self.facts:
            if self.item(fact.item) is None:
                raise ValueError(f"fact {fact.id!r}: there is no item {fact.item!r}")
            if fact.id not in self.measures:
                raise ValueError(f"fact {fact.id!r} has no measure")
            if fact.wrong and fact.wrong not in self.wrong_models:
                raise ValueError(f"fact {fact.id!r}: there is no wrong model {fact.wrong!r}")

    def item(self, name: str) -> Item | None:
        """Return the item of that name."""
        return next((item for item in self.items if item.id == name), None)


@dataclass(frozen=True, slots=True)
class Section:
    """What came of one item."""

    item: Item
    findings: tuple[Finding, ...]
    figure: Figure | None
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came of a paper."""

    paper: Paper
    sections: tuple[Section, ...]
    runs: int
    simulated_s: float
    wall_s: float = field(compare=False)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All facts with their verdicts."""
        return tuple(finding for section in self.sections for finding in section.findings)

    @property
    def missed(self) -> str:
        """What of the paper could not be reproduced; nothing if only some of its items ran."""
        return self.paper.not_reproduced if len(self.sections) == len(self.paper.items) else ""

    @property
    def tally(self) -> Mapping[Basis, Counter[str]]:
        """How many facts hold, differ, or hold by a measure chosen after; by basis."""
        return tally(self.findings)


def reproduce(
    paper: Paper,
    items: Iterable[Item] | None = None,
    *,
    wrong_models: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Run what the items need (all items by default), measure their facts and draw their figures.

    With `wrong_models`, those that the facts name run as well and are judged beside ours.

    Raises
    ------
    ScenarioError
        If a scenario refuses a setting.
    """
    start = time.monotonic()
    chosen = tuple(paper.items if items is None else items)
    wanted = [each for item in chosen for each in item.wanted()]
    outcomes = paper.collect(wanted, jobs=jobs, progress=progress)
    wrongly: Outcomes = {}
    if wrong_models:
        asked = [each for item in chosen for each in _wanted_wrongly(paper, item, outcomes)]
        wrongly = paper.collect(asked, jobs=jobs, progress=progress)
    judge = partial(_finding, paper, outcomes, wrongly if wrong_models else None)
    return Reproduction(
        paper,
        tuple(_section(paper, item, outcomes, judge) for item in chosen),
        runs=len(outcomes) + len(wrongly),
        simulated_s=math.fsum(
            outcome.result.duration_s for outcome in (*outcomes.values(), *wrongly.values())
        ),
        wall_s=time.monotonic() - start,
    )


def _wanted_wrongly(paper: Paper, item: Item, outcomes: Outcomes) -> Iterator[tuple[Point, Detail]]:
    """Yield what the item's facts need to run under their wrong models: what they ask for."""
    details: dict[Point, Detail] = {}
    for point, detail in item.wanted():
        details[point] = max(detail, details.get(point, Detail.RESULT))
    for fact in paper.facts:
        if fact.item == item.id and fact.wrong:
            asked = Asked(outcomes)
            paper.measures[fact.id](asked)
            change = paper.wrong_models[fact.wrong].change
            yield from ((change(point), details[point]) for point in asked.points)


def _section(
    paper: Paper, item: Item, outcomes: Outcomes, judge: Callable[[Fact], Finding]
) -> Section:
    findings = tuple(judge(fact) for fact in paper.facts if fact.item == item.id)
    figure = None if item.draw is None else item.draw(outcomes)
    return Section(
        item, findings, figure, tuple(item.tabulate(outcomes)), tuple(item.notes(outcomes))
    )


def _finding(paper: Paper, outcomes: Outcomes, wrongly: Outcomes | None, fact: Fact) -> Finding:
    measure = paper.measures[fact.id]
    found = Finding(fact, tuple(float(value) for value in measure(outcomes)))
    if wrongly is None or not fact.wrong:
        return found
    model = paper.wrong_models[fact.wrong]
    measure = model.instead.get(fact.id, measure)
    values = model.values(measure(Altered(wrongly, model.change)))
    return replace(found, wrong=Finding(fact, tuple(float(value) for value in values)))
