"""Black-outs amid errors (VI.E): what the variants make of them."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004.chapter6.blackouts import (
    PAYLOAD,
    SF,
    START_B_S,
    completed_s,
    dark,
    expired_s,
)
from thinpipe.papers.hynderick2004.chapter6.measuring import mean, percent_more, timeouts
from thinpipe.papers.hynderick2004.chapter6.setup import COMPARED, bearer, transfer
from thinpipe.papers.hynderick2004.tables import NAMES
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

BLER: Final = 0.1
QUEUE: Final = 4
"""Not stated; without drops the variants are the same."""

BELOW_S: Final = (5, 10, 20)
BEYOND_S: Final = (40, 50, 60)
"""Black-outs on either side of the 30 s beyond which the thesis sees no difference."""

LENGTHS_S: Final = (*BELOW_S, 30, *BEYOND_S)

MANY_SEEDS: Final = range(1, 41)
"""A backed-off timer waits 1 to 32 s by chance, so a mean of few runs says little."""


def lossy(variant: str, length_s: int, seed: int) -> Point:
    """Return a run with BLER 10 % around its black-out."""
    return transfer(
        bearer(SF),
        payload=PAYLOAD,
        bler=BLER,
        queue=QUEUE,
        variant=variant,
        seed=seed,
        more=dark([(START_B_S, START_B_S + length_s)]) if length_s else (),
    )


def lossies(variant: str, length_s: int) -> tuple[Point, ...]:
    """Return those of every seed."""
    return tuple(lossy(variant, length_s, seed) for seed in MANY_SEEDS)


POINTS: Final = tuple(
    point
    for variant, length_s in product(COMPARED, (0, *LENGTHS_S))
    for point in lossies(variant, length_s)
)

# --- Measures -------------------------------------------------------------------------------------


def sent(run: Outcome, _: int = 0) -> float:
    """Count packets sent."""
    return float(run.flow.segments_sent)


def dark_timeouts(run: Outcome, length_s: int) -> float:
    """Count the timeouts during a black-out."""
    return float(sum(START_B_S <= at_s < START_B_S + length_s for at_s in expired_s(run)))


def of_lengths(
    outcomes: Outcomes,
    variant: str,
    lengths_s: Sequence[int],
    value: Callable[[Outcome, int], float],
) -> float:
    """Return the mean of a value over seeds and black-outs of these lengths."""
    return fmean(
        value(outcomes[point], length_s)
        for length_s in lengths_s
        for point in lossies(variant, length_s)
    )


def beside_tahoe(value: Callable[[Outcome, int], float], lengths_s: Sequence[int]) -> Measure:
    """Measure a value of each other variant over Tahoe's, mean of black-outs and seeds."""
    return lambda outcomes: [
        of_lengths(outcomes, variant, lengths_s, value)
        / of_lengths(outcomes, "tahoe", lengths_s, value)
        for variant in COMPARED
        if variant != "tahoe"
    ]


def cost_s(outcomes: Outcomes, variant: str, lengths_s: Sequence[int]) -> float:
    """Return how much longer than without a black-out the transfer takes, mean of black-outs."""
    with_ = of_lengths(outcomes, variant, lengths_s, lambda run, _: completed_s(run))
    return with_ - mean(outcomes, lossies(variant, 0), completed_s)


def slowest_over_fastest(outcomes: Outcomes) -> list[float]:
    """Return the slowest variant's mean time of transfer over the fastest's, by black-out."""
    times_s = [
        [
            of_lengths(outcomes, variant, (length_s,), lambda run, _: completed_s(run))
            for variant in COMPARED
        ]
        for length_s in BEYOND_S
    ]
    return [max(variants) / min(variants) for variants in times_s]


MEASURES: Final[dict[str, Measure]] = {
    "e10-sent": percent_more(beside_tahoe(sent, BELOW_S)),
    "e10-timeouts": percent_more(beside_tahoe(lambda run, _: timeouts(run), BELOW_S)),
    "e10-timeouts-dark": percent_more(beside_tahoe(dark_timeouts, BELOW_S)),
    "e10-beyond": percent_more(slowest_over_fastest),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate the variants around a black-out at BLER 10 %."""
    values: tuple[tuple[str, Callable[[Outcome, int], float]], ...] = (
        ("transfer s", lambda run, _: completed_s(run)),
        ("packets sent", sent),
        ("timeouts", lambda run, _: timeouts(run)),
        ("timeouts in the black-out", dark_timeouts),
    )
    lengths_s = (0, *LENGTHS_S)
    rows = []
    for variant in COMPARED:
        for name, value in values:
            cells = (of_lengths(outcomes, variant, (length_s,), value) for length_s in lengths_s)
            rows.append((f"{NAMES[variant]}, {name}", *(short(cell, 4) for cell in cells)))
        lost = (cost_s(outcomes, variant, (length_s,)) for length_s in lengths_s)
        rows.append((f"{NAMES[variant]}, s lost", *(short(value, 4) for value in lost)))
    head = ("black-out", *("none" if s == 0 else f"{s} s" for s in lengths_s))
    caption = f"BLER 10 % before and after a black-out, mean of {len(MANY_SEEDS)} seeds"
    return (Table(caption, head, tuple(rows)),)
