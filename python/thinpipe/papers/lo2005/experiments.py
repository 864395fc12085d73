"""What must run: the paper's set-up, its grid and the studies beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.outcomes import Outcome
from thinpipe.point import Point

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes

SCENARIO: Final = "umts-dch-384"
SEEDS: Final = range(1, 11)
VARIANTS: Final = ("vegas", "reno")
TBLERS: Final = (0, 5, 10, 15, 20, 25, 30)
BEYOND: Final = (40, 50)

Settings = tuple[tuple[str, str], ...]


def point(variant: str, tbler: int, seed: int, extra: Settings = ()) -> Point:
    """Return one run of the paper's set-up; `tbler` in percent."""
    settings = [("tcp.variant", variant), ("radio.tbler", f"{tbler} %"), ("seed", str(seed))]
    return Point.of(SCENARIO, [*settings, *extra])


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


@dataclass(frozen=True, slots=True)
class Study:
    """The paper's runs, or those with the same `extra` settings added to each."""

    outcomes: Outcomes
    extra: Settings = ()

    def runs(self, variant: str, tbler: int, extra: Settings = ()) -> list[Outcome]:
        """Return the runs of one variant at one block error rate (percent), in order of seed."""
        added = (*self.extra, *extra)
        return [self.outcomes[point(variant, tbler, seed, added)] for seed in SEEDS]


OUT_OF_ORDER: Final[Settings] = (("radio.rlc.in_order", "false"),)

ISOLATED: Final[Settings] = (
    ("tcp.window", "1"),
    ("radio.uplink.tbler", "0 %"),
    ("duration", "200 s"),
)
"""One packet at a time and no loss of reports: what a retransmission costs can be read off."""

SPLIT: Final[Settings] = (("duration", "100 s"),)
"""Long enough to see the delay at each interface, short enough to trace each packet."""

SPLIT_SEEDS: Final = (1, 2, 3)

TRACED_SEED: Final = 1
"""The run whose time-out Fig. 7(b) shows."""
