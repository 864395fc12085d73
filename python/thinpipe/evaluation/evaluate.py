"""Run an evaluation and write its page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

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

PAGE: Final = "evaluation.html"
DATA: Final = "evaluation.json"
PICTURE: Final = "throughput-delay"
"""Names in the directory of an evaluation."""


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


def _files(
    asked: Evaluation, found: Sequence[Finding], rows: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    from thinpipe.evaluation.picture import picture
    from thinpipe.report.drawn import figure_csv
    from thinpipe.report.figures import PageFigure, png

    yield RUNS_FILE, asked.trials.kept(rows)
    yield DATA, _json(asked, found)
    drawn = picture(asked.trials, decoded(rows))
    shown = None
    if drawn is not None:
        shown = PageFigure.named(PICTURE, drawn, f"thinpipe evaluate {asked.subject}")
        yield shown.image, png(drawn)
        yield shown.data, figure_csv(drawn, shown.command)
    yield PAGE, _page(asked, found, shown).encode()


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


def _page(asked: Evaluation, found: Sequence[Finding], shown: object) -> str:
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
        figure=shown,
        marks=MARKS,
    )


def anchor(finding: Finding) -> str:
    """Return the name of a finding's place in the page: its file's."""
    return finding.criterion.file.removesuffix(".toml")
