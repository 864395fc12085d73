"""Sentences that count facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from thinpipe.papers.facts import Finding, Verdict

COUNTS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
          "eleven", "twelve", "thirteen")  # fmt: skip
"""Small numbers in a sentence."""


def counted(text: str, findings: Iterable[Finding]) -> str:
    """Fill in the counts of facts of a text: in "{c?-dev}" how many of those that match differ.

    A field may have several patterns of ids, apart by spaces. Facts that are not claimed or not
    judged do not count.

    Raises
    ------
    ValueError
        If no fact matches a field.
    """
    return text.format_map(_Differing(tuple(findings)))


@dataclass(frozen=True, slots=True)
class _Differing:
    """By patterns of ids, how many facts differ, as in "three of four"."""

    findings: tuple[Finding, ...]

    def __getitem__(self, patterns: str) -> str:
        verdicts = [
            finding.verdict
            for finding in self.findings
            if any(fnmatchcase(finding.fact.id, pattern) for pattern in patterns.split())
        ]
        if not verdicts:
            raise ValueError(f"no fact matches {{{patterns}}}")
        differ = verdicts.count(Verdict.DIFFERS)
        return f"{_spelled(differ)} of {_spelled(differ + verdicts.count(Verdict.HOLDS))}"


def _spelled(count: int) -> str:
    return COUNTS[count] if count < len(COUNTS) else str(count)
