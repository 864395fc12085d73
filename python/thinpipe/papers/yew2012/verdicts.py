"""Whether a claim holds over seeds: paired and rank tests, each with a verdict in one line.

Every test asks both ways: how likely the data would be were the claim no better than chance, and
were its opposite. What neither refutes cannot be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import median
from typing import Final

LEVEL: Final = 0.05
"""The greatest p-value that counts."""

NEGLIGIBLE: Final = 1e-9
"""A relative difference up to this is none."""


class Told(Enum):
    """What a test tells of a claim; the value is that of facts."""

    HOLDS = 1
    OPEN = 0
    FAILS = -1

    @property
    def words(self) -> str:
        """As the report says it."""
        names = {Told.HOLDS: "holds", Told.OPEN: "cannot be told", Told.FAILS: "does not hold"}
        return names[self]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of a test.

    Attributes
    ----------
    told, p_value
        The verdict, and the one-sided p-value of the claim.
    seeds
        How many runs, or pairs of runs, it rests on.
    effect
        What was found, in words: a median difference, a correlation, a share.
    """

    told: Told
    p_value: float
    seeds: int
    effect: str

    def line(self) -> str:
        """Return the verdict in one line."""
        p = "p < 0.001" if self.p_value < 0.001 else f"p = {self.p_value:.3f}"  # noqa: PLR2004
        return f"{self.told.words} ({p}, {self.seeds} seeds; {self.effect})"


def greater(more: Sequence[float], less: Sequence[float]) -> Judgement:
    """Judge that the first of each pair is greater: Wilcoxon's signed-rank test.

    Without a difference in any pair the claim does not hold.

    >>> greater([2, 3, 4, 5, 6.5], [1, 1, 1, 1, 1]).line()
    'holds (p = 0.031, 5 seeds; +3 in the median, +300 %)'
    """
    from scipy.stats import wilcoxon

    pairs = list(zip(more, less, strict=True))
    steps = [a - b if abs(a - b) > NEGLIGIBLE * max(abs(a), abs(b)) else 0.0 for a, b in pairs]
    effect = _change(steps, less)
    if not any(steps):
        return Judgement(Told.FAILS, 1.0, len(pairs), "no difference at all")
    kept = [step for step in steps if step]
    method = "exact" if len({abs(step) for step in kept}) == len(kept) else "approx"
    p_for, p_against = (
        float(wilcoxon(kept, alternative=way, method=method).pvalue) for way in ("greater", "less")
    )
    return Judgement(_told(p_for, p_against), p_for, len(pairs), effect)


def less(small: Sequence[float], large: Sequence[float]) -> Judgement:
    """Judge that the first of each pair is less; the effect is that of the first."""
    mirrored = greater([-value for value in small], [-value for value in large])
    steps = [a - b for a, b in zip(small, large, strict=True)]
    effect = (
        mirrored.effect if mirrored.p_value == 1.0 and not any(steps) else _change(steps, large)
    )
    return Judgement(mirrored.told, mirrored.p_value, mirrored.seeds, effect)


def rising(runs: Mapping[int, Sequence[float]]) -> Judgement:
    """Judge that a value grows with a parameter, over independent runs: Kendall's correlation."""
    from scipy.stats import kendalltau

    xs = [x for x, values in runs.items() for _ in values]
    ys = [value for values in runs.values() for value in values]
    if len(set(ys)) < 2:  # noqa: PLR2004 - one value has no order
        return Judgement(Told.FAILS, 1.0, len(ys), "no difference at all")
    found = {way: kendalltau(xs, ys, alternative=way) for way in ("greater", "less")}
    p_for, p_against = (float(found[way].pvalue) for way in ("greater", "less"))
    effect = f"rank correlation {float(found['greater'].statistic):+.2f}"
    return Judgement(_told(p_for, p_against), p_for, len(ys), effect)


def rising_each(runs: Mapping[int, Sequence[float]]) -> Judgement:
    """Judge the same where the runs of a seed belong together.

    Each seed has a rank correlation of its own, and these are compared with none.
    """
    from scipy.stats import kendalltau

    by_seed = zip(*runs.values(), strict=True)
    found = [float(kendalltau([*runs], values).statistic) for values in by_seed]
    judged = greater(found, [0.0] * len(found))
    effect = f"rank correlation {median(found):+.2f} in the median"
    return Judgement(judged.told, judged.p_value, judged.seeds, effect)


def mostly(yes: Sequence[bool], *, share: float = 0.5) -> Judgement:
    """Judge that more than a share of the runs are so: the exact binomial test."""
    from scipy.stats import binomtest

    count, total = sum(yes), len(yes)
    p_for, p_against = (
        float(binomtest(count, total, share, alternative=way).pvalue) for way in ("greater", "less")
    )
    return Judgement(_told(p_for, p_against), p_for, total, f"{count} of {total} runs")


def oftener(here: Sequence[bool], there: Sequence[bool]) -> Judgement:
    """Judge that more of the first runs are so than of the others: Fisher's exact test."""
    from scipy.stats import fisher_exact

    table = [[sum(runs), len(runs) - sum(runs)] for runs in (here, there)]
    p_for, p_against = (
        float(fisher_exact(table, alternative=way)[1]) for way in ("greater", "less")
    )
    effect = f"{table[0][0]} of {len(here)} runs against {table[1][0]} of {len(there)}"
    return Judgement(_told(p_for, p_against), p_for, len(here) + len(there), effect)


def together(judgements: Sequence[Judgement]) -> Told:
    """Return what holds of a claim that was tested in several places.

    It holds where each place says so, and does not where one place says that it does not. With so
    many tests that p-value counts which does after Holm's correction.
    """
    if any(each.told is Told.FAILS for each in judgements):
        return Told.FAILS
    ranked = sorted(each.p_value for each in judgements)
    holds = all(p * (len(ranked) - at) <= LEVEL for at, p in enumerate(ranked))
    return Told.HOLDS if holds else Told.OPEN


def _told(p_for: float, p_against: float) -> Told:
    if p_for <= LEVEL:
        return Told.HOLDS
    return Told.FAILS if p_against <= LEVEL else Told.OPEN


def _change(steps: Sequence[float], base: Sequence[float]) -> str:
    """Return the median change, and what it is of the median that it starts from."""
    from thinpipe.report.numbers import short

    step, start = median(steps), median(base)
    sign = "+" if step > 0 else ""
    share = f", {sign}{short(100 * step / abs(start), 2)} %" if start else ""
    return f"{sign}{short(step)} in the median{share}"
