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

REFUTED = "differs"
"""Stands in a facts file for a claim that ours contradicts what the paper says; a note says why."""


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
    listed
        What to find in this order, where the paper gives a list of packets.
    claimed, expected
        Whether we claim anything of it, and what: that it holds, as a rule.
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
    listed: tuple[float, ...]
    claimed: bool
    expected: Verdict
    derived: str
    note: str

    def paper(self) -> str:
        """Return the paper's number as text, with a dagger if the paper does not state it."""
        known = bool(self.listed) or self.value is not None
        number = runs_of(self.listed) if self.listed else short(self.value, 5)
        return number + ("" if self.stated or not known else f" {DERIVED}")

    def band(self) -> str:
        """Return the accepted values as text."""
        if not self.claimed:
            return "–"
        if self.listed:
            return "exactly these"
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
        if self.fact.listed:
            return Verdict.HOLDS if self.values == self.fact.listed else Verdict.DIFFERS
        judged = self.values if self.fact.each else (self.mean,)
        within = bool(judged) and all(self.fact.low <= value <= self.fact.high for value in judged)
        return Verdict.HOLDS if within else Verdict.DIFFERS

    @property
    def surprising(self) -> bool:
        """Whether the verdict is another than the one expected."""
        return self.verdict is not self.fact.expected

    def ours(self) -> str:
        """Return what we measured: the mean, or the list; "never" without any."""
        if not self.values:
            return "never"
        return runs_of(self.values) if self.fact.listed else short(self.mean, 4)

    def spread(self) -> str:
        """Return the least and the greatest value; empty where there is no spread."""
        if self.fact.listed or len(set(self.values)) < 2:  # noqa: PLR2004 - one value has no spread
            return ""
        return f"{short(min(self.values), 4)} – {short(max(self.values), 4)}"

    def remark(self) -> str:
        """Return where the paper's number lies among ours, if it is a draw that we do not claim."""
        fact = self.fact
        draw = not fact.claimed and fact.stated and len(self.values) > 1
        if fact.value is None or not draw:
            return ""
        return f"{below(self.values, fact.value)} of our {len(self.values)} runs lie below it"


def runs_of(values: Sequence[float]) -> str:
    """Return whole numbers in their order, three or more that follow one another in short.

    >>> runs_of((26.0, 29.0, 30.0, 31.0))
    '26, 29–31'
    """
    runs: list[list[float]] = []
    for value in values:
        if runs and value == runs[-1][-1] + 1:
            runs[-1].append(value)
        else:
            runs.append([value])
    words: list[str] = []
    for run in runs:
        ends = [short(each, 9) for each in run]
        words += [f"{ends[0]}–{ends[-1]}"] if len(run) > 2 else ends  # noqa: PLR2004
    return ", ".join(words)


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
    ("id", "item", "says", "where", "value", "stated", "unit", "tolerance", "band", "list", "of",
     "claim", "derived", "note")
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
        listed=tuple(float(each) for each in entry.get("list", ())),
        claimed=entry["claim"] is not False,
        expected=_expected(entry),
        derived=entry.get("derived", ""),
        note=entry.get("note", ""),
    )


def _expected(entry: dict[str, Any]) -> Verdict:
    if entry["claim"] == REFUTED:
        if "note" not in entry:
            raise ValueError(f"fact {entry['id']!r}: what differs needs a note that says why")
        return Verdict.DIFFERS
    return {True: Verdict.HOLDS, False: Verdict.NOT_CLAIMED}[entry["claim"]]


def _band(entry: dict[str, Any]) -> tuple[float, float]:
    if "band" in entry:
        low, high = entry["band"]
        return float(low), float(high)
    if "tolerance" in entry:
        room = float(entry["tolerance"]) + EXACT * abs(float(entry["value"]))
        return float(entry["value"]) - room, float(entry["value"]) + room
    if entry["claim"] and "list" not in entry:
        raise ValueError(f"fact {entry['id']!r}: a claim needs a tolerance or a band, or a list")
    return -math.inf, math.inf
