"""Run an evaluation and write its page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from thinpipe import _core
from thinpipe.evaluation.criteria import Criterion
from thinpipe.evaluation.findings import Finding, as_json, contestants, findings
from thinpipe.evaluation.trials import (
    RUNS_FILE,
    Contestant,
    Form,
    Trials,
    decoded,
    earlier_runs,
)
from thinpipe.files import atomic_directory, check_directory, write_file
from thinpipe.signals import signals_deferred
from thinpipe.sweep.journal import journal, journal_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from thinpipe.report.figures import PageFigure

PAGE: Final = "evaluation.html"
DATA: Final = "evaluation.json"
"""Names in the directory of an evaluation."""

OVER_DELAY: Final = (
    "Goodput over the 95th percentile of one-way delay, a flow alone in each pipe: a small mark a "
    "run, a large one the mean. Delay falls to the right, so that the further up and right, the "
    "better."
)
HARM: Final = (
    "What the flow that is there loses by one of each kind: a small mark a run, a large one the "
    "mean. The further left, the better."
)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What is evaluated, by what, and how much of it is run."""

    criteria: tuple[Criterion, ...]
    contestants: tuple[Contestant, ...]
    """The one that is evaluated first."""
    form: Form
    trials: Trials

    @classmethod
    def of(
        cls, criteria: Sequence[Criterion], contestants: Sequence[Contestant], form: Form
    ) -> Evaluation:
        """Plan an evaluation.

        Raises
        ------
        ScenarioError
            If a combination is invalid; the message begins with the criterion's file.
        """
        return cls(
            tuple(criteria), tuple(contestants), form, Trials.of(criteria, contestants, form)
        )

    @property
    def subject(self) -> str:
        """The name of the congestion control that is evaluated."""
        return self.contestants[0].name


def evaluate(
    asked: Evaluation,
    out: Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Finding, ...]:
    """Run what an earlier evaluation in `out` or an interrupted one has not, and write the page.

    Raises
    ------
    ConnectionError
        If no scheduler answers, or the connection is lost.
    OSError
        If `out` cannot be written, or holds other files.
    """
    check_directory(out)
    before = earlier_runs(out)
    partial = journal_of(journal_target(out))
    partial.parent.mkdir(parents=True, exist_ok=True)
    if before and not partial.exists():
        write_file(partial, before)
    with journal(journal_target(out)) as kept:
        rows = asked.trials.run(kept, jobs, scheduler, progress)
        found = findings(asked.criteria, asked.trials, rows)
        with signals_deferred():
            contents = _files(asked, found, rows)
        with atomic_directory(out) as directory:
            for name, content in contents:
                write_file(directory / name, content)
    return found


def journal_target(out: Path) -> Path:
    """Return what stands for the directory in the name of the journal beside it."""
    return Path(f"{out}.runs")


class Shown(NamedTuple):
    """A picture of the page, and what is said of it."""

    heading: str
    caption: str
    figure: PageFigure


def _files(
    asked: Evaluation, found: Sequence[Finding], rows: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    from thinpipe.report.drawn import figure_csv
    from thinpipe.report.figures import PageFigure, png

    yield RUNS_FILE, asked.trials.kept(rows)
    yield DATA, _json(asked, found)
    shown = []
    for name, heading, caption, drawn in _pictures(asked, found, rows):
        figure = PageFigure.named(name, drawn, f"thinpipe evaluate {asked.subject}")
        shown.append(Shown(heading, caption, figure))
        yield figure.image, png(drawn)
        yield figure.data, figure_csv(drawn, figure.command)
    yield PAGE, _page(asked, found, shown).encode()


def _pictures(
    asked: Evaluation, found: Sequence[Finding], rows: Sequence[str]
) -> Iterator[tuple[str, str, str, Figure]]:
    """Yield name, heading, caption and figure of each picture."""
    from thinpipe.evaluation.picture import harms, throughput_over_delay

    drawn = throughput_over_delay(asked.trials, decoded(rows))
    if drawn is not None:
        yield "throughput-delay", "Throughput over delay", OVER_DELAY, drawn
    for finding in found:
        drawn = harms([line for line in finding.lines if line.measure.is_drawn])
        if drawn is not None:
            yield f"harm-{anchor(finding)}", finding.criterion.title, HARM, drawn


def _json(asked: Evaluation, found: Sequence[Finding]) -> bytes:
    content: dict[str, Any] = {
        "version": _core.__version__,
        "reference": "RFC 9743",
        "controller": asked.subject,
        "beside": [each.name for each in asked.contestants[1:]],
        "seeds": list(asked.form.seeds),
        "full": asked.form.is_full,
        "criteria": as_json(found),
    }
    return f"{json.dumps(content, indent=1, ensure_ascii=False)}\n".encode()


def _page(asked: Evaluation, found: Sequence[Finding], shown: Sequence[Shown]) -> str:
    from thinpipe.report.page import rendered
    from thinpipe.sweep.words import MARKS

    return rendered(
        "evaluation.html.j2",
        {"contestants": contestants, "anchor": anchor},
        subject=asked.subject,
        rivals=[each.name for each in asked.contestants[1:]],
        seeds=asked.form.seeds,
        runs=f"{len(asked.trials):,}",
        found=found,
        shown=shown,
        marks=MARKS,
    )


def anchor(finding: Finding) -> str:
    """Return the name of a finding's place in the page: its file's."""
    return finding.criterion.file.removesuffix(".toml")
