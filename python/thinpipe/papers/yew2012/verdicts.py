"""Whether a claim holds over seeds: exact paired tests and rank correlation, one line a verdict.

Every test asks both ways: how likely the data would be were the claim no better than chance, and
were its opposite. What neither refutes cannot be told.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean, median
from typing import Final

LEVEL: Final = 0.05
"""The largest p-value that counts."""

NEGLIGIBLE: Final = 1e-9
"""Relative differences up to this count as zero."""


class Decision(Enum):
    """The verdict of a test on a claim; the values are those of facts."""

    HOLDS = 1
    OPEN = 0
    FAILS = -1

    @property
    def words(self) -> str:
        """The verdict in words for the report."""
        names = {
            Decision.HOLDS: "holds",
            Decision.OPEN: "cannot be told",
            Decision.FAILS: "does not hold",
        }
        return names[self]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The result of a test.

    Attributes
    ----------
    p_for, p_against
        The one-sided p-values of the claim and of its opposite.
    over
        The test and its number of runs or pairs, in words.
    effect
        The effect in words: a median difference, a correlation, a share.
    """

    p_for: float
    p_against: float
    over: str
    effect: str

    @property
    def verdict(self) -> Decision:
        """The verdict of this test alone."""
        if self.p_for <= LEVEL:
            return Decision.HOLDS
        return Decision.FAILS if self.p_against <= LEVEL else Decision.OPEN

    def line(self) -> str:
        """Return the verdict in one line."""
        chances = f"{_p(self.p_for)} for, {_p(self.p_against)} against"
        return f"{self.verdict.words} ({chances}; {self.over}; {self.effect})"


def signed_rank(steps: Sequence[float]) -> tuple[float, float]:
    """Return the p-values of steps being positive, and negative: Wilcoxon's signed-rank test.

    Both are exact with ties too, which share their mid-rank: each of the differences that there
    are has either sign with an even chance. Where there is none, the second is the chance of that
    were half of all pairs or more to differ as claimed, and the first is 1.

    >>> signed_rank([1, 1, 1, 0, 0])
    (0.125, 1.0)
    >>> signed_rank([0, 0, 0, 0, 0])
    (1.0, 0.03125)
    """
    import numpy as np
    from scipy.stats import rankdata

    there = [step for step in steps if step]
    if not there:
        return 1.0, 0.5 ** len(steps)
    doubled = [round(2 * rank) for rank in rankdata([abs(step) for step in there])]
    unit = math.gcd(*doubled)
    ranks = [rank // unit for rank in doubled]
    chance = np.ones(1)
    for rank in ranks:
        chance = (np.pad(chance, (0, rank)) + np.pad(chance, (rank, 0))) / 2
    found = sum(rank for rank, step in zip(ranks, there, strict=True) if step > 0)
    return min(1.0, float(chance[found:].sum())), min(1.0, float(chance[: found + 1].sum()))


def greater(more: Sequence[float], less: Sequence[float]) -> Judgement:
    """Judge that the first of each pair is greater: the signed-rank test.

    Raises
    ------
    ValueError
        If a value is not a number; the infinite ones count as the largest.

    >>> greater([2, 3, 4, 5, 6.5], [1, 1, 1, 1, 1]).line()
    'holds (p = 0.031 for, p = 1.000 against; signed rank, 5 pairs; +3 in the median, +300 %)'
    """
    steps = _steps(more, less)
    p_for, p_against = signed_rank(steps)
    return Judgement(p_for, p_against, f"signed rank, {len(steps)} pairs", _change(steps, less))


def less(small: Sequence[float], large: Sequence[float]) -> Judgement:
    """Judge that the first of each pair is less; the effect is that of the first."""
    mirrored = greater(large, small)
    effect = _change(_steps(small, large), large)
    return Judgement(mirrored.p_for, mirrored.p_against, mirrored.over, effect)


def rising(runs: Mapping[int, Sequence[float]]) -> Judgement:
    """Judge that a value grows with a parameter, over independent runs: Kendall's correlation.

    Its p-values are the normal approximation's. Of values that are all the same the second is that
    of runs taken two by two, none of which differ.
    """
    from scipy.stats import kendalltau

    ys = _numbers([value for values in runs.values() for value in values])
    xs = [x for x, values in runs.items() for _ in values]
    over = f"Kendall, {len(ys)} runs"
    if len(set(xs)) < 2:  # noqa: PLR2004 - one value has no order
        return Judgement(1.0, 1.0, over, "nothing to compare")
    if len(set(ys)) < 2:  # noqa: PLR2004 - as above
        return Judgement(1.0, 0.5 ** (len(ys) // 2), over, "no difference at all")
    found = {
        way: kendalltau(xs, ys, alternative=way, method="asymptotic") for way in ("greater", "less")
    }
    p_for, p_against = (float(found[way].pvalue) for way in ("greater", "less"))
    effect = f"rank correlation {float(found['greater'].statistic):+.2f}"
    return Judgement(p_for, p_against, over, effect)


def rising_each(runs: Mapping[int, Sequence[float]]) -> Judgement:
    """Judge the same where one run of each parameter belongs together: of a seed, or of a start.

    Each such group has a rank correlation of its own, and these are compared with none.
    """
    groups = [*zip(*runs.values(), strict=True)]
    found = [_correlation([*runs], values) for values in groups]
    judged = greater(found, [0.0] * len(found))
    effect = f"rank correlation {median(found):+.2f} in the median"
    over = f"signed rank of correlations, {len(found)} groups"
    return Judgement(judged.p_for, judged.p_against, over, effect)


def mean_rank(runs: Mapping[int, Sequence[float]]) -> float:
    """Return the mean of those groups' rank correlations."""
    return fmean(_correlation([*runs], values) for values in zip(*runs.values(), strict=True))


def mostly(yes: Sequence[bool]) -> Judgement:
    """Judge that more than half of the runs are so: the exact binomial test."""
    # Were each run so with an even chance, its sign would be that of a step.
    p_for, p_against = signed_rank([1.0 if each else -1.0 for each in yes])
    return Judgement(p_for, p_against, f"binomial, {len(yes)} runs", f"{sum(yes)} of them")


def oftener(here: Sequence[bool], there: Sequence[bool]) -> Judgement:
    """Judge that the first of each pair is so more often: McNemar's test.

    It is exact: the signed-rank test of steps that are all of one size, which is the binomial test
    over the pairs that differ.
    """
    steps = [float(a) - float(b) for a, b in zip(here, there, strict=True)]
    p_for, p_against = signed_rank(steps)
    effect = (
        f"{sum(here)} against {sum(there)}, alone in {steps.count(1.0)} against {steps.count(-1.0)}"
    )
    return Judgement(p_for, p_against, f"McNemar, {len(steps)} pairs", effect)


def together(judgements: Sequence[Judgement]) -> Decision:
    """Return what holds of a claim that was tested in several places.

    It holds where each place says so: to need them all makes a false claim no likelier to hold,
    and so no p-value is corrected. That it does not hold takes one place only, and the more there
    are, the likelier one does by chance: those p-values are corrected (Bonferroni, which for the
    least of them is Holm's).
    """
    if all(each.verdict is Decision.HOLDS for each in judgements):
        return Decision.HOLDS
    refuted = len(judgements) * min(each.p_against for each in judgements) <= LEVEL
    return Decision.FAILS if refuted else Decision.OPEN


def _steps(here: Sequence[float], there: Sequence[float]) -> list[float]:
    """Return the paired differences; negligible ones, or both infinite, are zero."""
    pairs = zip(_numbers(here), _numbers(there), strict=True)
    return [0.0 if math.isclose(a, b, rel_tol=NEGLIGIBLE) else a - b for a, b in pairs]


def _numbers(values: Sequence[float]) -> Sequence[float]:
    nowhere = [place for place, value in enumerate(values, 1) if math.isnan(value)]
    if nowhere:
        raise ValueError(f"value {nowhere[0]} of {len(values)} is not a number: a run without data")
    return values


def _correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return Kendall's rank correlation; none where all are the same."""
    from scipy.stats import kendalltau

    return float(kendalltau(xs, _numbers(ys)).statistic) if len(set(ys)) > 1 else 0.0


def _p(value: float) -> str:
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"  # noqa: PLR2004


def _change(steps: Sequence[float], base: Sequence[float]) -> str:
    """Return the median change, and what it is of the median that it starts from."""
    from thinpipe.report.numbers import short

    if not any(steps):
        return "no difference at all"
    step, start = median(steps), median(base)
    sign = "+" if step > 0 else ""
    known = start and math.isfinite(start) and math.isfinite(step)
    share = f", {sign}{short(100 * step / abs(start), 2)} %" if known else ""
    return f"{sign}{short(step)} in the median{share}"
