"""Counts of facts per paper: by basis and verdict, with measures chosen after apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from thinpipe.papers.facts import CHOSEN_AFTER, Basis, Verdict

if TYPE_CHECKING:
    from thinpipe.papers.paper import Reproduction

HEAD: Final = ("paper", *(basis.value for basis in Basis))
CELL: Final = f"{Verdict.HOLDS.value} / {Verdict.DIFFERS.value} / holds by a {CHOSEN_AFTER}"


def rows(reproductions: Sequence[Reproduction]) -> list[tuple[str, ...]]:
    """Return the cells under `HEAD`, one row per paper; `CELL` explains them."""
    return [
        (made.paper.id, *(_cell(made.tally[basis]) for basis in Basis)) for made in reproductions
    ]


def _cell(counts: dict[str, int]) -> str:
    words = (Verdict.HOLDS.value, Verdict.DIFFERS.value, CHOSEN_AFTER)
    return " / ".join(str(counts.get(word, 0)) for word in words) if counts else "–"
