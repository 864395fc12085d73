"""The runs: the paper's set-up, its grid and further studies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.outcomes import Outcome
from thinpipe.point import Point

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes

SCENARIO: Final = "umts-dch-384"
SEEDS: Final = range(1, 11)
DRAW_SEEDS: Final = range(1, 101)
"""Seeds among which the paper's single draws are placed."""

VARIANTS: Final = ("vegas", "reno")
TBLERS: Final = (0, 5, 10, 15, 20, 25, 30)
BEYOND: Final = (40, 50)

Settings = tuple[tuple[str, str], ...]


def point(variant: str, tbler: int, seed: int, extra: Settings = ()) -> Point:
    """Return one run of the paper's set-up; `tbler` in percent."""
    settings = [("tcp.variant", variant), ("radio.tbler", f"{tbler} %"), ("seed", str(seed))]
    return Point.of(SCENARIO, dict([*settings, *extra]))


def grid(
    variants: tuple[str, ...], tblers: tuple[int, ...], extra: Settings = ()
) -> tuple[Point, ...]:
    """Return a run for each variant, block error rate and seed."""
    return tuple(
        point(variant, tbler, seed, extra)
        for variant in variants
        for tbler in tblers
        for seed in SEEDS
    )


def draws(tbler: int) -> tuple[Point, ...]:
    """Return a run of Vegas for each of many seeds."""
    return tuple(point("vegas", tbler, seed) for seed in DRAW_SEEDS)


@dataclass(frozen=True, slots=True)
class Study:
    """The paper's runs, or those with the same `extra` settings added to each."""

    outcomes: Outcomes
    extra: Settings = ()

    def runs(self, variant: str, tbler: int, extra: Settings = ()) -> list[Outcome]:
        """Return the runs of one variant at one block error rate (percent), in order of seed."""
        added = (*self.extra, *extra)
        return [self.outcomes[point(variant, tbler, seed, added)] for seed in SEEDS]

    def draws(self, tbler: int) -> list[Outcome]:
        """Return the runs of `draws`, in order of seed."""
        return [self.outcomes[point] for point in draws(tbler)]


OUT_OF_ORDER: Final[Settings] = (("radio.rlc.in_order", "false"),)

OFTEN_SPURIOUS: Final = (20, 25, 30)
"""Block error rates at which the paper has spurious timeouts of Vegas."""

NEVER_SPURIOUS: Final[Settings] = (("tcp.min_rto", "10 s"),)
"""No round trip of ours takes as long, so no timeout is spurious."""

ISOLATED: Final[Settings] = (
    ("tcp.window", "1"),
    ("radio.uplink.tbler", "0 %"),
    ("duration", "200 s"),
)
"""One packet at a time and no loss of reports: what a retransmission costs can be read off."""

TRACED_SEEDS: Final = (1, 2, 3)
"""Of the runs that are followed packet by packet."""

TRACED_SEED: Final = 1
"""The run whose timeout Fig. 7(b) shows."""
