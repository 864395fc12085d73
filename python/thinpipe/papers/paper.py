"""A paper: its facts, the runs that check them, and its figures."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from thinpipe.papers.counted import counted
from thinpipe.papers.facts import Basis, Fact, Finding, tally
from thinpipe.papers.outcomes import Detail, Outcome, collect
from thinpipe.papers.wrong import Altered, Tracked, WrongModel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.point import Point
    from thinpipe.testbed.container import Task

Outcomes = Mapping["Point", Outcome]


@dataclass(frozen=True, slots=True)
class Live:
    """Runs the points of a paper between real programs, on the real clock.

    Attributes
    ----------
    task
        Returns what carries a point, in a container of its own (`thinpipe.testbed.container`).
    outcome
        Makes an outcome of the task's result.
    missing
        Returns in one line why it cannot run on this machine; ``None`` if it can.
    """

    task: Callable[[Point], Task]
    outcome: Callable[[Point, Any], Outcome]
    missing: Callable[[], str | None]


Carried = Callable[[tuple[str, "Point"]], Any]
"""Waits for the result of a live paper's task, given the paper's id and the point."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text with a caption and column heads."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Item:
    """A figure, table or study of a paper that can be reproduced on its own.

    Attributes
    ----------
    id, title, text
        Its name as in ``PAPER/ITEM``, its heading, and its paragraphs in the report, which may
        count its own facts (`thinpipe.papers.counted.counted`).
    points, detail
        The points to run, and the detail to keep of each.
    traced
        Further points to run, with a trace.
    draw, tabulate
        Functions that make its figure and its tables.
    notes
        A function that makes paragraphs on the results.
    caption
        One or two sentences on what its figure shows, and what its marks mean.
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
    caption: str = ""

    def wanted(self) -> tuple[tuple[Point, Detail], ...]:
        """Return each point with the wanted detail."""
        return (
            *((point, self.detail) for point in self.points),
            *((point, Detail.TRACE) for point in self.traced),
        )


@dataclass(frozen=True, slots=True)
class Paper:
    """A published paper and everything needed to reproduce it.

    Attributes
    ----------
    id, citation, text
        Its name for ``thinpipe reproduce``, its source, and its paragraphs in the report.
    items, facts
        Its items, and the facts to judge.
    measures
        By fact id, the function that measures it: one value per run, in the fact's unit.
    wrong_models
        The wrong models that facts name.
    not_reproduced
        What could not be reproduced, and why; ``{c?-dev}`` counts the facts that differ of those
        so named (`thinpipe.papers.counted.counted`).
    live
        What runs its points if they are not simulated.

    Raises
    ------
    ValueError
        If a fact has no item or measure, its wrong model does not exist, or a text counts facts
        that do not.
    """

    id: str
    citation: str
    text: tuple[str, ...]
    items: tuple[Item, ...]
    facts: tuple[Fact, ...]
    measures: Mapping[str, Callable[[Outcomes], Sequence[float]]]
    wrong_models: Mapping[str, WrongModel] = field(default_factory=dict)
    not_reproduced: str = ""
    live: Live | None = None

    def __post_init__(self) -> None:
        for fact in self.facts:
            if self.item(fact.item) is None:
                raise ValueError(f"fact {fact.id!r}: there is no item {fact.item!r}")
            if fact.id not in self.measures:
                raise ValueError(f"fact {fact.id!r} has no measure")
            if fact.wrong and fact.wrong not in self.wrong_models:
                raise ValueError(f"fact {fact.id!r}: there is no wrong model {fact.wrong!r}")
        unmeasured = [Finding(fact, ()) for fact in self.facts]
        counted(self.not_reproduced, unmeasured)
        for item in self.items:
            own = [finding for finding in unmeasured if finding.fact.item == item.id]
            for text in item.text:
                counted(text, own)

    def item(self, name: str) -> Item | None:
        """Return the item of that name."""
        return next((item for item in self.items if item.id == name), None)


@dataclass(frozen=True, slots=True)
class Section:
    """The results of one item."""

    item: Item
    findings: tuple[Finding, ...]
    figure: Figure | None
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> tuple[str, ...]:
        """The item's paragraphs with their counts of facts."""
        return tuple(counted(text, self.findings) for text in self.item.text)


@dataclass(frozen=True, slots=True)
class Reproduction:
    """The results of a paper."""

    paper: Paper
    sections: tuple[Section, ...]
    runs: int
    seeds: tuple[int, ...]
    simulated_s: float
    wall_s: float = field(compare=False)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All facts with their verdicts."""
        return tuple(finding for section in self.sections for finding in section.findings)

    @property
    def missed(self) -> str:
        """What could not be reproduced of the paper; empty if only some items ran."""
        if len(self.sections) < len(self.paper.items):
            return ""
        return counted(self.paper.not_reproduced, self.findings)

    @property
    def tally(self) -> Mapping[Basis, Counter[str]]:
        """By basis, how many facts hold, differ, or hold by a measure chosen after."""
        return tally(self.findings)


@contextmanager
def carrying(asked: Iterable[tuple[Paper, Iterable[Item]]]) -> Iterator[Carried]:
    """Begin the points of live papers, all side by side, in the background.

    They end with the block, also those that are not done.
    """
    tasks = {
        (paper.id, point): paper.live.task(point)
        for paper, items in asked
        if paper.live is not None
        for point in _points(items)
    }
    if not tasks:
        yield tasks.__getitem__
        return
    from thinpipe.testbed.container import container

    with container(tasks) as results:
        yield results.wait


def reproduce(
    paper: Paper,
    items: Iterable[Item] | None = None,
    *,
    wrong_models: bool = False,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    carried: Carried | None = None,
) -> Reproduction:
    """Run items (by default all), measure their facts and draw their figures.

    Parameters
    ----------
    wrong_models
        Whether the wrong models of the facts run as well.
    progress
        Called with the number of points done and the total.
    carried
        What `carrying` has begun of these items; by default they begin now.

    Raises
    ------
    EmulationError
        If a live paper's programs failed.
    ScenarioError
        If a scenario or a setting is wrong.
    """
    start = time.monotonic()
    chosen = tuple(paper.items if items is None else items)
    with ExitStack() as stack:
        if carried is None:
            carried = stack.enter_context(carrying([(paper, chosen)]))
        run = partial(_collect, paper, carried=carried, jobs=jobs, progress=progress)
        outcomes = run(chain.from_iterable(map(_wanted, chosen)))
        wrongly: Outcomes = {}
        if wrong_models:
            asked = (_wanted_wrongly(paper, item, outcomes) for item in chosen)
            wrongly = run(chain.from_iterable(asked))
    judge = partial(_finding, paper, outcomes, wrongly if wrong_models else None)
    return Reproduction(
        paper,
        tuple(_section(paper, item, outcomes, judge) for item in chosen),
        runs=len(outcomes) + len(wrongly),
        seeds=tuple(sorted({outcome.result.seed for outcome in outcomes.values()})),
        simulated_s=math.fsum(
            outcome.result.duration_s for outcome in (*outcomes.values(), *wrongly.values())
        ),
        wall_s=time.monotonic() - start,
    )


class _Wanted(NamedTuple):
    """A point to run, and how much to keep of it.

    Of a live paper it is compared with what is carried of the point `live`: the same, but for wrong
    models.
    """

    point: Point
    detail: Detail
    live: Point


def _wanted(item: Item) -> Iterator[_Wanted]:
    """Yield the runs of an item."""
    return (_Wanted(point, detail, point) for point, detail in item.wanted())


def _wanted_wrongly(paper: Paper, item: Item, outcomes: Outcomes) -> Iterator[_Wanted]:
    """Yield the runs under wrong models that the item's facts use."""
    details: dict[Point, Detail] = {}
    for point, detail in item.wanted():
        details[point] = max(detail, details.get(point, Detail.RESULT))
    for fact in paper.facts:
        if fact.item == item.id and fact.wrong:
            asked = Tracked(outcomes)
            paper.measures[fact.id](asked)
            change = paper.wrong_models[fact.wrong].change
            yield from (_Wanted(change(point), details[point], point) for point in asked.points)


def _collect(
    paper: Paper,
    wanted: Iterable[_Wanted],
    *,
    carried: Carried,
    jobs: int | None,
    progress: Callable[[int, int], None] | None,
) -> Outcomes:
    """Run each point once."""
    if paper.live is None:
        runs = ((each.point, each.detail) for each in wanted)
        return collect(runs, jobs=jobs, progress=progress)
    live = {each.point: each.live for each in wanted}
    found: dict[Point, Outcome] = {}
    for point, compared in live.items():
        found[point] = paper.live.outcome(point, carried((paper.id, compared)))
        if progress is not None:
            progress(len(found), len(live))
    return found


def _points(items: Iterable[Item]) -> tuple[Point, ...]:
    """Return the points of items, each once."""
    return tuple(dict.fromkeys(point for item in items for point, _ in item.wanted()))


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
    used = Tracked(outcomes)
    values = tuple(float(value) for value in measure(used))
    starved = any(outcomes[point].starved for point in used.points)
    found = Finding(fact, values, starved=starved)
    if wrongly is None or not fact.wrong:
        return found
    model = paper.wrong_models[fact.wrong]
    measure = model.instead.get(fact.id, measure)
    wrong = model.values(measure(Altered(wrongly, model.change)))
    return replace(found, wrong=Finding(fact, tuple(float(value) for value in wrong)))
