"""The papers of a report, and what became of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, Self

from thinpipe.papers.facts import BUSY, Verdict

if TYPE_CHECKING:
    from thinpipe.papers.facts import Finding
    from thinpipe.papers.paper import Item, Paper, Reproduction
    from thinpipe.papers.registry import PaperError

SURPRISES: Final = "surprises"
"""What is said of a fact whose verdict is not the expected one."""


class Status(Enum):
    """What became of a paper."""

    REPRODUCED = "reproduced"
    NOT_RUN_YET = "not run yet"
    LEFT_OUT = "left out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Chapter:
    """A paper in the report.

    Attributes
    ----------
    id, citation
        The paper's id and its source; the latter is empty if the paper could not be loaded.
    facts
        The number of facts of the chosen items.
    status, reason
        What became of it; why, if it was left out or failed.
    made
        Its results, if it was reproduced.
    """

    id: str
    citation: str
    facts: int
    status: Status
    reason: str = ""
    made: Reproduction | None = None

    @classmethod
    def of(cls, paper: Paper, items: Sequence[Item]) -> Self:
        """Return a paper that is to run."""
        chosen = {item.id for item in items}
        count = sum(fact.item in chosen for fact in paper.facts)
        return cls(paper.id, paper.citation, count, Status.NOT_RUN_YET)

    @classmethod
    def unloaded(cls, error: PaperError) -> Self:
        """Return a paper that could not be loaded."""
        return cls(error.paper, "", 0, Status.FAILED, str(error))

    def done(self, made: Reproduction) -> Self:
        """Return the chapter with the paper's results."""
        return replace(self, status=Status.REPRODUCED, made=made)

    def left_out(self, reason: str) -> Self:
        """Return the chapter of a paper that cannot run here."""
        return replace(self, status=Status.LEFT_OUT, reason=reason)

    def failed(self, error: PaperError) -> Self:
        """Return the chapter of a paper that could not be run."""
        return replace(self, status=Status.FAILED, reason=str(error))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Its facts with their verdicts, if it was reproduced."""
        return () if self.made is None else self.made.findings

    @property
    def counts(self) -> Counter[str]:
        """How many facts have each outcome."""
        return Counter(outcome(finding) for finding in self.findings)


def outcome(finding: Finding) -> str:
    """Return the verdict in one word; that it surprises comes first."""
    return SURPRISES if finding.surprising else finding.verdict.value


OUTCOMES: Final = {
    Verdict.HOLDS.value: "hold",
    Verdict.DIFFERS.value: "differ, as expected",
    SURPRISES: "surprise",
    Verdict.NOT_CLAIMED.value: "are not claimed",
    Verdict.NOT_JUDGED.value: f"are {BUSY}",
}
"""Each outcome, and how several facts are said to have it."""
