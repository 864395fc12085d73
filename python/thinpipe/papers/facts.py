"""What a paper states, as data, and the verdict on what we measure."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING, Any

from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


EXACT = 1e-9
"""Relative room for the binary form of decimal numbers."""

TINY = 1e-6
"""A tolerance up to this, in the fact's unit, is shown as none."""


DERIVED = "†"
"""Marks a number that the paper does not state but that follows from what it states."""

COMPUTED = "computed"
"""Stands in a facts file for a value that the paper's model gives."""


class Verdict(Enum):
    """What became of a fact."""

    HOLDS = "holds"
    DIFFERS = "differs"
    NOT_CLAIMED = "not claimed"


@dataclass(frozen=True, slots=True)
class Fact:
    """One number or statement of a paper, and what we accept as agreement.

    Attributes
    ----------
    id, item
        Its name, and the figure, table or study that it belongs to.
    says, where
        What the paper says, and in which section.
    value, unit
        The number to compare with; ``None`` where the text gives only a bound.
    stated
        Whether the paper states that number, or it follows from what the paper states.
    low, high
        The band in which ours must lie, ends included.
    each
        Whether every run must lie in the band, or their mean.
    claimed
        Whether we claim to reproduce it.
    derived, note
        How value and band were read out of the text, and what a reader should know beside.
    """

    id: str
    item: str
    says: str
    where: str
    value: float | None
    unit: str
    stated: bool
    low: float
    high: float
    each: bool
    claimed: bool
    derived: str
    note: str

    def paper(self) -> str:
        """Return the paper's number as text, with a dagger if the paper does not state it."""
        return short(self.value, 5) + ("" if self.stated or self.value is None else f" {DERIVED}")

    def band(self) -> str:
        """Return the accepted values as text."""
        if not self.claimed:
            return "–"
        if self.value is not None and self.high - self.low <= 2 * max(
            EXACT * abs(self.value), TINY
        ):
            return f"exactly {short(self.value, 5)}"
        if math.isinf(self.high):
            return f"≥ {short(self.low, 5)}"
        if math.isinf(self.low):
            return f"≤ {short(self.high, 5)}"
        return f"{short(self.low, 5)} – {short(self.high, 5)}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact with what we measured, one value a run."""

    fact: Fact
    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over runs; not a number without any."""
        return fmean(self.values) if self.values else math.nan

    @property
    def verdict(self) -> Verdict:
        """Whether ours lies within the fact's band."""
        if not self.fact.claimed:
            return Verdict.NOT_CLAIMED
        judged = self.values if self.fact.each else (self.mean,)
        within = bool(judged) and all(self.fact.low <= value <= self.fact.high for value in judged)
        return Verdict.HOLDS if within else Verdict.DIFFERS

    def spread(self) -> str:
        """Return the least and the greatest value; empty where there is no spread."""
        if len(set(self.values)) < 2:  # noqa: PLR2004 - one value has no spread
            return ""
        return f"{short(min(self.values), 4)} – {short(max(self.values), 4)}"

    def remark(self) -> str:
        """Return where the paper's number lies among ours, if it is a draw that we do not claim."""
        fact = self.fact
        draw = not fact.claimed and fact.stated and len(self.values) > 1
        if fact.value is None or not draw:
            return ""
        return f"{below(self.values, fact.value)} of our {len(self.values)} runs lie below it"


def below(values: Sequence[float], value: float) -> int:
    """Count the values below one."""
    return sum(each < value for each in values)


def load(source: Traversable, computed: Mapping[str, float]) -> tuple[Fact, ...]:
    """Read a paper's facts; `computed` has those values that stand there as computed, by id.

    Raises
    ------
    ValueError
        If a fact has an unknown field or lacks a band, two share an id, or what is computed and
        what the file says to be computed differ.
    """
    table = tomllib.loads(source.read_text(encoding="utf-8"))["fact"]
    if {entry["id"] for entry in table if entry.get("value") == COMPUTED} != computed.keys():
        raise ValueError(f"the computed values are not those of {sorted(computed)}")
    facts = tuple(
        _fact({**entry, "value": computed[entry["id"]], "stated": False})
        if entry["id"] in computed
        else _fact(entry)
        for entry in table
    )
    ids = [fact.id for fact in facts]
    if len(set(ids)) != len(ids):
        raise ValueError("two facts share an id")
    return facts


_FIELDS = frozenset(
    ("id", "item", "says", "where", "value", "stated", "unit", "tolerance", "band", "of", "claim",
     "derived", "note")
)  # fmt: skip


def _fact(entry: dict[str, Any]) -> Fact:
    unknown = entry.keys() - _FIELDS
    if unknown:
        raise ValueError(f"fact {entry.get('id')!r}: unknown fields {sorted(unknown)}")
    low, high = _band(entry)
    value = entry.get("value")
    return Fact(
        id=entry["id"],
        item=entry["item"],
        says=entry["says"],
        where=entry["where"],
        value=None if value is None else float(value),
        unit=entry["unit"],
        stated=entry.get("stated", True),
        low=low,
        high=high,
        each={"mean": False, "each": True}[entry.get("of", "mean")],
        claimed=entry["claim"],
        derived=entry.get("derived", ""),
        note=entry.get("note", ""),
    )


def _band(entry: dict[str, Any]) -> tuple[float, float]:
    if "band" in entry:
        low, high = entry["band"]
        return float(low), float(high)
    if "tolerance" in entry:
        room = float(entry["tolerance"]) + EXACT * abs(float(entry["value"]))
        return float(entry["value"]) - room, float(entry["value"]) + room
    if entry["claim"]:
        raise ValueError(f"fact {entry['id']!r}: a claim needs a tolerance or a band")
    return -math.inf, math.inf
