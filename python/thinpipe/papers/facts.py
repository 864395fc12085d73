"""The statements of a paper as data, and the verdicts on our measurements."""

from __future__ import annotations

import math
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from statistics import fmean
from typing import TYPE_CHECKING, Any

from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


EXACT = 1e-9
"""Relative tolerance for the binary rounding of decimal numbers."""

TINY = 1e-6
"""A tolerance up to this, in the fact's unit, is shown as exact."""


DERIVED = "†"
"""Marks a number that the paper does not state but that follows from what it states."""

OWN = "‡"
"""Marks a fact of our own, which the paper does not state."""

COMPUTED = "computed"
"""The value of a fact that is computed from the paper's model."""


class Verdict(Enum):
    """The verdict on a fact."""

    HOLDS = "holds"
    DIFFERS = "differs"
    NOT_CLAIMED = "not claimed"
    NOT_JUDGED = "not judged"


class Basis(Enum):
    """The basis of a fact."""

    NUMBER = "numbers stated"
    WORDS = "words stated"
    DERIVED = "derived"
    OWN = "own"


CHOSEN_AFTER = "measure chosen after"
"""Label of a verdict whose measure or band was chosen after seeing a result."""

BUSY = f"{Verdict.NOT_JUDGED.value}: machine busy"
"""What is said of facts whose runs the machine was too busy for."""

AFTER = "§"
"""Marks such a verdict."""

MARKS = {Basis.NUMBER: "", Basis.WORDS: "", Basis.DERIVED: f" {DERIVED}", Basis.OWN: f" {OWN}"}


@dataclass(frozen=True, slots=True)
class Word:
    """The meaning of a quantity word, the same in every paper.

    `relative` is the tolerance relative to a number that the word qualifies. Without a number,
    `low` and `high` are the band: a count, or % of cases, of a difference or of a rate.
    """

    relative: float | None = None
    low: float = -math.inf
    high: float = math.inf

    def band(self, value: float | None) -> tuple[float, float]:
        """Return the widest band that the word allows around `value`."""
        if self.relative is None:
            return self.low, self.high
        if value is None:
            raise ValueError("a word that stands beside a number needs a value")
        room = abs(value) * (self.relative + EXACT)
        return value - room, value + room


WORDS = {
    "about": Word(relative=0.1),
    "one run": Word(relative=0.1),
    "single": Word(low=1.0, high=1.0),
    "a few": Word(low=2.0, high=5.0),
    "several": Word(low=3.0),
    "many": Word(low=5.0 + TINY),
    "tens": Word(low=20.0, high=99.0),
    "never": Word(low=0.0, high=0.0),
    "nearly none": Word(low=0.0, high=1.0),
    "rarely": Word(low=0.0, high=10.0),
    "most": Word(low=50.0 + TINY, high=100.0),
    "always": Word(low=100.0, high=100.0),
    "occurs": Word(low=1.0),
    "grows": Word(low=0.5, high=1.0),
    "falls": Word(low=-1.0, high=-0.5),
    "alike": Word(low=-5.0, high=5.0),
    "less": Word(high=-2.0),
    "more": Word(low=2.0),
    "significantly less": Word(high=-20.0),
    "significantly more": Word(low=20.0),
    "copes well": Word(low=75.0),
    "major difficulties": Word(high=75.0 - TINY),
}
"""Each word has one meaning (docs/facts.md). "about" is also approximately, around, roughly,
slightly over and ca.; "one run" is not a word but marks a number from one run of a random process;
"a few" is also some; "rarely" is also seldom, for a short period and in few cases; "most" is also
generally, likely and tends to; "grows" and "falls" are Kendall's tau."""


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
    basis
        Whether the paper states that number, says it in words, whether it follows from what the
        paper states, or is a prediction or observation of ours.
    low, high
        The band in which ours must lie, ends included.
    each
        Whether every run must lie in the band, or their mean.
    listed
        The expected list, where the paper gives a list of packets.
    word
        The paper's word that gives or limits the band: one of `WORDS`.
    room
        Without a word: why the band is wider than the paper's own precision.
    claimed, expected
        Whether we claim a verdict, and which one: by default that it holds.
    reading_of
        The fact of which this is a second reading, which claims nothing.
    set_by
        The keys that were set to the paper's number: a fact that reads them back claims nothing.
    shown_by
        The facts, of the same item, whose runs show the cause that the entry gives: there it is
        switched off.
    chosen_after
        Whether the measure, the band or the wrong model was chosen, or the band loosened, after
        seeing a result.
    wrong
        The wrong model that the band rejects, by its name in the paper's `wrong_models`.
    untimed
        Whether it holds on a busy machine as well, though it is measured on the real clock.
    derived, note
        How value and band follow from the text, and a note for readers.
    """

    id: str
    item: str
    says: str
    where: str
    value: float | None
    unit: str
    basis: Basis
    low: float
    high: float
    each: bool
    listed: tuple[float, ...]
    word: str
    room: str
    claimed: bool
    expected: Verdict
    reading_of: str
    set_by: str
    shown_by: tuple[str, ...]
    chosen_after: bool
    wrong: str
    untimed: bool
    derived: str
    note: str

    def paper(self) -> str:
        """Return the paper's number as text, marked if the paper does not state it."""
        known = bool(self.listed) or self.value is not None
        number = runs_of(self.listed) if self.listed else short(self.value, 5)
        return number + (MARKS[self.basis] if known or self.basis is Basis.OWN else "")

    def band(self) -> str:
        """Return the accepted values as text."""
        if not self.claimed:
            return "–"
        if self.listed:
            return "exactly these"
        if math.isinf(self.high):
            return f"≥ {short(self.low, 5)}"
        if math.isinf(self.low):
            return f"≤ {short(self.high, 5)}"
        if self.high - self.low <= 2.1 * max(EXACT * abs(self.low), TINY):
            return f"exactly {short((self.low + self.high) / 2, 5)}"
        return f"{short(self.low, 5)} – {short(self.high, 5)}"

    def why(self) -> str:
        """Return the reason of the band as text; empty if it is the paper's own precision."""
        if not self.claimed:
            return ""
        return f"“{self.word}”" if self.word else self.room


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact with our measurement, one value per run.

    `wrong` is the finding under the fact's wrong model, if that has run; `starved` is whether the
    machine was too busy for one of the runs.
    """

    fact: Fact
    values: tuple[float, ...]
    wrong: Finding | None = None
    starved: bool = False

    @property
    def mean(self) -> float:
        """The mean over runs; not a number without any."""
        return fmean(self.values) if self.values else math.nan

    @property
    def verdict(self) -> Verdict:
        """Whether our value lies in the fact's band."""
        if not self.fact.claimed:
            return Verdict.NOT_CLAIMED
        if self.starved and not self.fact.untimed:
            return Verdict.NOT_JUDGED
        if self.fact.listed:
            return Verdict.HOLDS if self.values == self.fact.listed else Verdict.DIFFERS
        judged = self.values if self.fact.each else (self.mean,)
        within = bool(judged) and all(self.fact.low <= value <= self.fact.high for value in judged)
        return Verdict.HOLDS if within else Verdict.DIFFERS

    @property
    def surprising(self) -> bool:
        """Whether there is a verdict, and not the expected one."""
        return self.verdict not in {self.fact.expected, Verdict.NOT_JUDGED}

    @property
    def passes_wrong_model(self) -> bool:
        """Whether the band fails to reject the wrong model."""
        return self.wrong is not None and self.wrong.verdict is Verdict.HOLDS

    def verdict_text(self) -> str:
        """Return the verdict as text, marked if its measure was chosen after seeing a result."""
        after = self.fact.chosen_after and self.verdict in {Verdict.HOLDS, Verdict.DIFFERS}
        return self.verdict.value + (f" {AFTER}" if after else "")

    def ours(self) -> str:
        """Return our mean or list as text; "never" without values."""
        if not self.values:
            return "never"
        return runs_of(self.values) if self.fact.listed else short(self.mean, 4)

    def spread(self) -> str:
        """Return the range of values as text; empty without a spread."""
        if self.fact.listed or len(set(self.values)) < 2:  # noqa: PLR2004 - one value has no spread
            return ""
        return f"{short(min(self.values), 4)} – {short(max(self.values), 4)}"

    def note(self) -> str:
        """Return the rank of the paper's number among our runs, if it is expected to differ."""
        fact = self.fact
        missed = fact.expected is not Verdict.HOLDS and fact.basis is Basis.NUMBER
        if fact.value is None or not missed or len(self.values) < 2:  # noqa: PLR2004 - no draw
            return ""
        return f"{below(self.values, fact.value)} of our {len(self.values)} runs lie below it"


def tally(findings: Sequence[Finding]) -> dict[Basis, Counter[str]]:
    """Count by basis the facts that hold, differ, or hold by a measure chosen after.

    Facts that are not claimed or not judged do not count.
    """
    counts: dict[Basis, Counter[str]] = {basis: Counter() for basis in Basis}
    for finding in findings:
        if finding.verdict in {Verdict.NOT_CLAIMED, Verdict.NOT_JUDGED}:
            continue
        holds = finding.verdict is Verdict.HOLDS
        after = holds and finding.fact.chosen_after
        counts[finding.fact.basis][CHOSEN_AFTER if after else finding.verdict.value] += 1
    return counts


def runs_of(values: Sequence[float]) -> str:
    """Return integers as text, with three or more consecutive ones as a range.

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


def load(
    source: Traversable, computed: Mapping[str, float], more: Iterable[dict[str, Any]] = ()
) -> tuple[Fact, ...]:
    """Read a paper's facts; `computed` has the values of computed facts, by id.

    `more` are further entries.

    Raises
    ------
    ValueError
        If a fact has an unknown field, lacks a band or the reason of a wide one, two share an id,
        a cause is shown by what is not judged beside it, or `computed` does not match the computed
        facts of the file.
    """
    text = source.read_text(encoding="utf-8")
    table = [*tomllib.loads(text, parse_float=Decimal)["fact"], *more]
    if {entry["id"] for entry in table if entry.get("value") == COMPUTED} != computed.keys():
        raise ValueError(f"the computed values are not those of {sorted(computed)}")
    facts = tuple(
        _fact({"basis": "derived", **entry, "value": computed[entry["id"]]})
        if entry["id"] in computed
        else _fact(entry)
        for entry in table
    )
    known = {fact.id: fact for fact in facts}
    if len(known) != len(facts):
        raise ValueError("two facts share an id")
    for fact in facts:
        if fact.reading_of and not known[fact.reading_of].claimed:
            raise ValueError(f"fact {fact.id!r} is a second reading of one that is not claimed")
        for name in fact.shown_by:
            shown = known.get(name)
            if shown is None or not shown.claimed or shown.item != fact.item:
                raise ValueError(f"fact {fact.id!r}: {name!r} is not claimed in its item")
    return facts


_FIELDS = frozenset(
    ("id", "item", "says", "where", "value", "unit", "basis", "tolerance", "band", "list", "word",
     "room", "of", "claim", "differs", "reading_of", "set_by", "shown_by", "chosen_after", "wrong",
     "untimed", "derived", "note")
)  # fmt: skip


def _fact(entry: dict[str, Any]) -> Fact:
    unknown = entry.keys() - _FIELDS
    if unknown:
        raise ValueError(f"fact {entry.get('id')!r}: unknown fields {sorted(unknown)}")
    basis = _basis(entry)
    low, high = _band(entry)
    value = entry.get("value")
    claimed = _is_claimed(entry)
    if claimed and basis is not Basis.OWN and not _is_justified(entry, low, high):
        raise ValueError(
            f"fact {entry['id']!r}: a band that is wider than the paper's precision has a word, "
            "or says why (room)"
        )
    if not claimed and basis is not Basis.OWN and not _UNCLAIMED & entry.keys():
        raise ValueError(
            f"fact {entry['id']!r}: what the paper says is claimed, differs, set a key, or reads "
            "another fact's sentence in a second way"
        )
    return Fact(
        id=entry["id"],
        item=entry["item"],
        says=entry["says"],
        where=entry["where"],
        value=None if value is None else float(value),
        unit=entry["unit"],
        basis=basis,
        low=low,
        high=high,
        each={"mean": False, "each": True}[entry.get("of", "mean")],
        listed=tuple(float(each) for each in entry.get("list", ())),
        word=entry.get("word", ""),
        room=entry.get("room", ""),
        claimed=claimed,
        expected=_expected(entry, claimed=claimed),
        reading_of=entry.get("reading_of", ""),
        set_by=entry.get("set_by", ""),
        shown_by=tuple(entry.get("shown_by", ())),
        chosen_after=entry.get("chosen_after", False),
        wrong=entry.get("wrong", ""),
        untimed=entry.get("untimed", False),
        derived=entry.get("derived", ""),
        note=entry.get("differs", entry.get("note", "")),
    )


_UNCLAIMED = frozenset(("reading_of", "set_by"))
"""Fields of what the paper says and we do not claim."""


def _is_claimed(entry: dict[str, Any]) -> bool:
    return bool(entry.get("claim", not _UNCLAIMED & entry.keys()))


def _is_justified(entry: dict[str, Any], low: float, high: float) -> bool:
    """Return whether the band has a reason, or is within the paper's last digit."""
    if "word" in entry or "room" in entry or "list" in entry:
        return True
    value = entry.get("value")
    if value is None:
        return False
    half = 0.5 * 10.0 ** int(Decimal(str(value)).as_tuple().exponent)
    room = half + EXACT * abs(float(value)) + TINY
    return max(float(value) - low, high - float(value)) <= room


def _basis(entry: dict[str, Any]) -> Basis:
    if "basis" in entry:
        return {"derived": Basis.DERIVED, "own": Basis.OWN}[entry["basis"]]
    return Basis.NUMBER if "value" in entry or "list" in entry else Basis.WORDS


def _expected(entry: dict[str, Any], *, claimed: bool) -> Verdict:
    if "differs" in entry:
        return Verdict.DIFFERS
    return Verdict.HOLDS if claimed else Verdict.NOT_CLAIMED


def _band(entry: dict[str, Any]) -> tuple[float, float]:
    widest = (-math.inf, math.inf)
    if "word" in entry:
        value = entry.get("value")
        widest = WORDS[entry["word"]].band(None if value is None else float(value))
    if "band" in entry:
        low, high = (float(each) for each in entry["band"])
    elif "tolerance" in entry:
        room = float(entry["tolerance"]) + EXACT * abs(float(entry["value"]))
        low, high = float(entry["value"]) - room, float(entry["value"]) + room
    elif "word" in entry or "list" in entry or not _is_claimed(entry):
        return widest
    else:
        raise ValueError(
            f"fact {entry['id']!r}: a claim needs a tolerance, a band, a word or a list"
        )
    if low < widest[0] or high > widest[1]:
        raise ValueError(f"fact {entry['id']!r}: the band is wider than its word allows")
    return low, high
