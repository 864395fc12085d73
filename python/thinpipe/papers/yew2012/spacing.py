"""Where pacing helps and where it harms: packet spacing with four controllers on five networks.

Aggarwal, Savage and Anderson ("Understanding the Performance of TCP Pacing", INFOCOM 2000) found
that pacing delays the signs of congestion and so often lowers throughput; the paper expects the
opposite of spacing. Each cell here compares the same transfers with and without it, run by run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from statistics import fmean
from typing import Final

from thinpipe.papers.outcomes import Detail, Outcome
from thinpipe.papers.paper import Item, Outcomes, Table
from thinpipe.papers.yew2012 import spacing_drawing
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, SLOW_START
from thinpipe.point import Point
from thinpipe.report.numbers import percent, short

Settings = tuple[tuple[str, str | int], ...]

SEEDS: Final = tuple(range(1, 11))
"""So many that few cells of the hundreds have all runs agree by chance."""
FLOWS: Final = (1, 8)

WAYS: Final = (OFF, ALWAYS, SLOW_START)

SPACED: Final = {"Vegas": "vegas", "Reno": "sack", "CUBIC": "cubic"}
"""Controllers that leave pacing to the sender, and the pairs that they run in. Losses are repaired
from selective acknowledgements, Vegas's with its own timer."""
BBR: Final = "BBR"
VARIANTS: Final = {**SPACED, BBR: "bbr"}

NEGLIGIBLE: Final = 0.01
"""A relative change below this counts as none."""


@dataclass(frozen=True, slots=True)
class Place:
    """A network. `lasts_s` is how long an endless transfer is watched; `delay` is a key and ms.

    The runs of a cell differ in that delay, so that where nothing is by chance none stands for all.
    """

    name: str
    scenario: str
    link: str
    lasts_s: int
    delay: tuple[str, int]
    settings: tuple[tuple[str, str], ...] = ()


_WIRED: Final = (
    ("link.rate", "2 Mbit/s"),
    ("tcp.mss", "512 B"),
)
"""The wide-area link and the packets of the paper."""
_WAY: Final = ("link.delay", 54)
"""One-way delay from CN to MN in the paper."""
_GI: Final = ("wired.Gi.delay", 15)

PLACES: Final = (
    Place(
        "wired,\n50 packets",
        "link",
        "bottleneck/down",
        60,
        _WAY,
        (*_WIRED, ("queue.packets", "50")),
    ),
    Place(
        "wired,\n12 packets",
        "link",
        "bottleneck/down",
        60,
        _WAY,
        (*_WIRED, ("queue.packets", "12")),
    ),
    Place("UMTS,\nno errors", "umts-384", "Uu/down", 120, _GI),
    Place("UMTS,\n10 % TBLER", "umts-384", "Uu/down", 120, _GI, (("radio.tbler", "10 %"),)),
    Place("GPRS,\n3 % TBLER", "gprs-3+1", "Um/down", 600, ("wired.VPN.delay", 10)),
)
"""One bandwidth-delay product ahead of the wire is 48 packets with their headers."""

MAX_S: Final = 1200
"""A short transfer is watched so long."""


@dataclass(frozen=True, slots=True)
class Case:
    """What a run is of, but for its spacing and its seed; `size` in bytes, `None` if unlimited."""

    place: Place
    flows: int
    variant: str
    size: int | None

    def points(self, way: str) -> tuple[Point, ...]:
        """Return the runs, one per seed."""
        size = "unlimited" if self.size is None else f"{self.size} B"
        lasts_s = self.place.lasts_s if self.size is None else MAX_S
        settings: Settings = (
            *self.place.settings,
            ("tcp.variant", VARIANTS[self.variant]),
            ("tcp.spacing", way),
            ("flow.count", self.flows),
            ("flow.bytes", size),
            ("duration", f"{lasts_s} s"),
        )
        return tuple(
            Point.of(self.place.scenario, dict([*settings, *self._seeded(seed)])) for seed in SEEDS
        )

    def _seeded(self, seed: int) -> Settings:
        """Return what the runs of a cell differ in."""
        key, delay_ms = self.place.delay
        delay = f"{delay_ms + seed - SEEDS[len(SEEDS) // 2]} ms"
        return (("seed", seed), (key, delay), ("flow.interval", f"{90 + 10 * seed} ms"))


@dataclass(frozen=True, slots=True)
class Aspect:
    """What is looked at: of transfers of `size` bytes the `measure` of a run, in `unit`."""

    name: str
    unit: str
    size: int | None
    measure: Callable[[Outcome, Place], float]
    more_is_better: bool = False


def _completion_s(run: Outcome, _place: Place) -> float:
    end_s = run.result.duration_s
    return fmean(
        (end_s if flow.completed_s is None else flow.completed_s) - (flow.started_s or 0.0)
        for flow in run.result.flows
    )


def _goodput_kbps(run: Outcome, _place: Place) -> float:
    return sum(flow.goodput_bps or 0.0 for flow in run.result.flows) / 1e3


def _queue(run: Outcome, place: Place, figure: str) -> float:
    link = next(link for link in run.result.links if link.name == place.link)
    return float(getattr(link.queue_packets, figure) or 0.0)


def _drops(run: Outcome, place: Place) -> float:
    return next(link.drops for link in run.result.links if link.name == place.link)


ASPECTS: Final = (
    *(
        Aspect(f"{size // 1000} kB: time", "s", size, _completion_s)
        for size in (10_000, 30_000, 100_000)
    ),
    Aspect("long: goodput", "kbit/s", None, _goodput_kbps, more_is_better=True),
    Aspect("long: mean queue", "packets", None, partial(_queue, figure="mean")),
    Aspect("long: largest queue", "packets", None, partial(_queue, figure="max")),
    Aspect("long: drops", "packets", None, _drops),
)

SIZES: Final = tuple(dict.fromkeys(aspect.size for aspect in ASPECTS))


def cases(variants: Sequence[str] = tuple(VARIANTS)) -> Iterator[Case]:
    """Go through all that runs with and without spacing."""
    for place, flows, variant, size in product(PLACES, FLOWS, variants, SIZES):
        yield Case(place, flows, variant, size)


POINTS: Final = tuple(point for case in cases() for way in WAYS for point in case.points(way))


@dataclass(frozen=True, slots=True)
class Change:
    """What became of an aspect, mean over the seeds, and whether each run says the same.

    Were there no effect, all of n runs would agree by chance in one cell of 2 ** (n - 1).
    """

    aspect: Aspect
    before: float
    after: float
    clear: bool

    @property
    def share(self) -> float:
        """The change as a share of what it was; infinite from nothing."""
        if self.before == self.after:
            return 0.0
        return self.after / self.before - 1 if self.before else float("inf")

    @property
    def gain(self) -> float:
        """The same, positive where it helps; 0 where runs disagree or the change is negligible."""
        if not self.clear or abs(self.share) < NEGLIGIBLE:
            return 0.0
        return self.share if self.aspect.more_is_better else -self.share


def values(outcomes: Outcomes, case: Case, aspect: Aspect, way: str) -> list[float]:
    """Return an aspect of each run."""
    runs = replace(case, size=aspect.size).points(way)
    return [aspect.measure(outcomes[point], case.place) for point in runs]


def change(
    outcomes: Outcomes, case: Case, aspect: Aspect, way: str, variant: str | None = None
) -> Change:
    """Compare an aspect under spacing with that without, which `variant` may be another's."""
    plain = replace(case, variant=variant or case.variant)
    before = values(outcomes, plain, aspect, OFF)
    after = values(outcomes, case, aspect, way)
    differences = [late - early for early, late in zip(before, after, strict=True)]
    clear = all(each > 0 for each in differences) or all(each < 0 for each in differences)
    return Change(aspect, fmean(before), fmean(after), clear)


@dataclass(frozen=True, slots=True)
class Cell:
    """A change and where it is."""

    place: Place
    flows: int
    variant: str
    way: str
    change: Change

    def __str__(self) -> str:
        """Return where it is, and by how much in per cent."""
        flows = "one flow" if self.flows == 1 else f"{self.flows} flows"
        where = f"{self.variant}, {self.place.name.replace(chr(10), ' ')}, {flows}"
        return f"{_signed(self.change)} ({where}, {self.change.aspect.name})"


def panel(
    outcomes: Outcomes, variant: str, way: str, against: str | None = None
) -> list[list[Cell]]:
    """Return the cells of a panel of the figure: a row an aspect, a column a place and flows."""
    return [
        [
            Cell(place, flows, variant, way, change(outcomes, case, aspect, way, against))
            for place, flows in product(PLACES, FLOWS)
            for case in (Case(place, flows, variant, None),)
        ]
        for aspect in ASPECTS
    ]


def _signed(of: Change) -> str:
    return "from none" if of.share == float("inf") else f"{100 * of.share:+.0f} %".replace("-", "−")


def _cells(outcomes: Outcomes, way: str) -> list[Cell]:
    panels = [panel(outcomes, variant, way) for variant in SPACED]
    return [cell for rows in panels for row in rows for cell in row]


def _balance(cells: Sequence[Cell], what: str) -> str:
    """Say in how many cells spacing helps and harms, and where most."""
    helped = [cell for cell in cells if cell.change.gain > 0]
    harmed = [cell for cell in cells if cell.change.gain < 0]
    text = f"{what}: helps in {len(helped)} of {len(cells)} cells, harms in {len(harmed)}."
    if helped:
        text += f" Best where all runs agree: {max(helped, key=lambda cell: cell.change.gain)}."
    if harmed:
        text += f" Worst where all runs agree: {min(harmed, key=lambda cell: cell.change.gain)}."
    return text


def notes(outcomes: Outcomes) -> tuple[str, ...]:
    """Answer the question in words."""
    always, slow_start = _cells(outcomes, ALWAYS), _cells(outcomes, SLOW_START)
    of = {aspect: [cell for cell in always if cell.change.aspect is aspect] for aspect in ASPECTS}
    times = [cell for aspect in ASPECTS if aspect.size is not None for cell in of[aspect]]
    answers = [_balance(times, "Time of short transfers, spacing always")]
    answers += [
        _balance(of[aspect], f"{aspect.name.removeprefix('long: ').capitalize()}, spacing always")
        for aspect in ASPECTS
        if aspect.size is None
    ]
    answers.append(_balance(slow_start, "Spacing in slow start only, all aspects"))
    chance = _by_chance([*always, *slow_start])
    return (*answers, _by_network(always), chance, _several(of), _own_rate(outcomes))


def _by_network(cells: Sequence[Cell]) -> str:
    """Say how often spacing helps and harms in each network."""
    counts = []
    for place in PLACES:
        gains = [cell.change.gain for cell in cells if cell.place is place]
        helps, harms = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
        counts.append(f"{place.name.replace(chr(10), ' ')} {helps} and {harms} of {len(gains)}")
    return f"Spacing always helps and harms, by network: {'; '.join(counts)}."


def _by_chance(cells: Sequence[Cell]) -> str:
    """Say how many cells would be clear were there no effect anywhere."""
    clear = sum(bool(cell.change.gain) for cell in cells)
    agree = 2 ** (len(SEEDS) - 1)
    return (
        f"Spacing, always or in slow start only, helps or harms {clear} of {len(cells)} cells. "
        f"Without an effect, the {len(SEEDS)} runs of a cell would agree by chance in one of "
        f"{agree} (exact two-sided sign test, not corrected): in at most "
        f"{short(len(cells) / agree, 2)} of these cells."
    )


def _several(of: dict[Aspect, list[Cell]]) -> str:
    """Say what sharing does to the effect on goodput."""
    goodput = next(cells for aspect, cells in of.items() if aspect.more_is_better)
    means = {
        flows: fmean(cell.change.share for cell in goodput if cell.flows == flows)
        for flows in FLOWS
    }
    return (
        f"Goodput changes by {percent(means[1], 2)} on average over networks and controllers with "
        f"one flow, and by {percent(means[FLOWS[-1]], 2)} with {FLOWS[-1]}."
    )


def _own_rate(outcomes: Outcomes) -> str:
    """Say whether spacing leaves a controller with a rate of its own alone."""
    runs = [
        (outcomes[plain].result, outcomes[spaced].result)
        for case in cases((BBR,))
        for way in (ALWAYS, SLOW_START)
        for plain, spaced in zip(case.points(OFF), case.points(way), strict=True)
    ]
    same = sum(plain.flows == spaced.flows for plain, spaced in runs)
    return (
        f"{BBR} sets its own rate: {same} of its {len(runs)} runs with spacing have exactly the "
        "results of those without. Its panel compares it with Reno in bursts."
    )


def tables(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate every aspect without spacing, always and in slow start."""
    head = ("network", "flows", "controller", *(f"{each.name} ({each.unit})" for each in ASPECTS))
    rows = [
        (
            place.name.replace("\n", " "),
            str(flows),
            variant,
            *(_row_cell(outcomes, Case(place, flows, variant, None), aspect) for aspect in ASPECTS),
        )
        for place, flows, variant in product(PLACES, FLOWS, VARIANTS)
    ]
    caption = (
        f"Without spacing / always / in slow start only, mean of {len(SEEDS)} runs; times are the "
        "mean of all flows, goodput is their sum"
    )
    return (Table(caption, head, tuple(rows)),)


def _row_cell(outcomes: Outcomes, case: Case, aspect: Aspect) -> str:
    means = (fmean(values(outcomes, case, aspect, way)) for way in WAYS)
    return " / ".join(short(mean) for mean in means)


ITEM: Final = Item(
    "pacing",
    "Beyond the paper: where pacing helps and where it harms",
    (
        "The same transfers with and without packet spacing by the current round-trip time "
        "(equation 3): one flow, or eight that share the bottleneck; three sizes of short "
        "transfers, and endless ones. Endpoints are those of the scenarios, except for the "
        "congestion control. The runs of a cell differ in seed, in 1 ms of one-way delay each, and "
        "in when flows begin. Aggarwal, Savage and Anderson (INFOCOM 2000) ask the same of wired "
        "paths.",
    ),
    POINTS,
    Detail.RESULT,
    draw=lambda outcomes: spacing_drawing.heat_map(
        {
            **{
                f"{variant}, {name}": panel(outcomes, variant, way)
                for way, name in ((ALWAYS, "spacing always"), (SLOW_START, "in slow start only"))
                for variant in SPACED
            },
            f"{BBR} at its own rate,\nagainst Reno in bursts": panel(outcomes, BBR, OFF, "Reno"),
        }
    ),
    tabulate=tables,
    notes=notes,
    caption=(
        "A cell is coloured if all runs agree on the direction and their mean changes by 1 % "
        "or more: blue is better with spacing, orange worse. Its number is the change of that "
        "mean in per cent."
    ),
)
