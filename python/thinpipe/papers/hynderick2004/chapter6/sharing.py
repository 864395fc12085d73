"""A buffer for each flow: a bulk and an interactive flow share a bearer whose rate steps."""

from __future__ import annotations

from itertools import product
from math import sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Final, NamedTuple

from thinpipe.papers.hynderick2004.chapter6.buffers import RTT_S
from thinpipe.papers.hynderick2004.chapter6.setup import SEEDS, SF_OF, transfer
from thinpipe.papers.hynderick2004.tables import NAMES
from thinpipe.papers.paper import Outcomes, Table
from thinpipe.report.numbers import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.hynderick2004.chapter6.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]


class Place(NamedTuple):
    """Where a queue and the manager are compared."""

    rates: tuple[int, ...]
    """kbit/s, one after the other, each for `step_s`."""
    step_s: int
    payload: int
    variant: str

    def name(self) -> str:
        """Return it in words."""
        rates = "–".join(dict.fromkeys(str(rate) for rate in self.rates))
        return f"{rates} kbit/s, {self.payload} B, {NAMES[self.variant]}"


VARIED: Final = ((480, 60, 480, 120, 480, 240, 480, 60), 15)
TWO: Final = ((480, 60, 480, 60, 480, 60), 20)
"""The widest of the thesis's jumps, as far apart as its own."""

PLACES: Final = tuple(
    Place(rates, step_s, payload, variant)
    for (rates, step_s), payload, variant in product((VARIED, TWO), (500, 1500), ("tahoe", "sack"))
)
DRAWN: Final = PLACES[:2]

FINITE: Final = (2, 4, 6, 8, 10, 15, 20, 30, 50)
QUEUES: Final = (*FINITE, None)
"""Fixed sizes in packets; the last is unlimited."""

SERVICES: Final = ("in-order", "in-turn")
FACTORS: Final = (1, 2, 4, 8, 16, 1000)
"""BDPs that the bulk flow may have waiting; the last is more than its window."""

WINDOW: Final = 64
"""Packets of either flow."""

SHIFT_S: Final = 0.7
"""From one seed's first change of rate to the next one's."""

PAGE: Final = 400
REQUEST: Final = 100
"""Bytes of what the interactive flow gets, and of what it asks with: a packet each."""

_INTERACTIVE: Final[Settings] = (
    ("flow.application", "mixed"),
    ("flow.count", 2),
    ("flow.web.request", f"{REQUEST} B"),
    *((f"flow.web.main.{key}", f"{PAGE} B") for key in ("median", "min", "max")),
    ("flow.web.objects.scale", 1),
    ("flow.web.objects.most", 1),
    ("flow.web.reading", "1 s"),
)


def _runs(place: Place, queue: int | None, more: Settings) -> tuple[Point, ...]:
    first, *later = place.rates

    def run(seed: int) -> Point:
        schedule = [
            {"at": f"{place.step_s * number + SHIFT_S * seed:g} s", "sf": SF_OF[rate]}
            for number, rate in enumerate(later, 1)
        ]
        lasting: Settings = (
            ("tcp.window", WINDOW),
            ("duration", f"{place.step_s * len(place.rates)} s"),
            ("flow.bytes", "unlimited"),
            *_INTERACTIVE,
            *more,
        )
        channel = (("radio.downlink.sf", SF_OF[first]), ("radio.schedule", schedule))
        return transfer(
            channel,
            payload=place.payload,
            queue=queue,
            variant=place.variant,
            seed=seed,
            more=lasting,
        )

    return tuple(run(seed) for seed in SEEDS)


def fixed(place: Place, queue: int | None) -> tuple[Point, ...]:
    """Return the runs with one queue of a fixed size for both flows."""
    return _runs(place, queue, ())


def apart(place: Place, queue: int) -> tuple[Point, ...]:
    """Return the runs with a queue of a fixed size for each flow, served in turn."""
    more = (
        *_manager("in-turn", FACTORS[-1]),
        ("radio.buffer.interactive", FACTORS[-1]),
        ("queue.per_flow", True),
    )
    return _runs(place, queue, more)


def managed(place: Place, service: str, factor: float) -> tuple[Point, ...]:
    """Return the runs with the manager; the interactive flow may have half a BDP waiting."""
    return _runs(place, None, _manager(service, factor))


def _manager(service: str, factor: float) -> Settings:
    return (
        ("radio.buffer.manager", "bdp"),
        ("radio.buffer.rtt", f"{1000 * RTT_S:g} ms"),
        ("radio.buffer.class", "mixed"),
        ("radio.buffer.bulk", factor),
        ("radio.buffer.service", service),
    )


POINTS: Final = (
    *(point for place, queue in product(PLACES, FINITE) for point in apart(place, queue)),
    *(point for place, queue in product(PLACES, QUEUES) for point in fixed(place, queue)),
    *(
        point
        for place, service, factor in product(PLACES, SERVICES, FACTORS)
        for point in managed(place, service, factor)
    ),
)


def together_kbps(run: Outcome) -> float:
    """Return the payload that both flows got through, in kbit/s."""
    bulk, pages = run.result.flows
    payload = bulk.bytes_acked + (pages.pages.bytes if pages.pages else 0)
    return payload * 8 / run.result.duration_s / 1000


def response_ms(run: Outcome) -> float:
    """Return the mean time from a request to its answer in ms."""
    pages = run.result.flows[1].pages
    return 1000 * (pages.response_s.mean or float("nan")) if pages else float("nan")


def late_ms(run: Outcome) -> float:
    """Return the time to an answer that one in twenty exceeds, in ms."""
    pages = run.result.flows[1].pages
    return 1000 * (pages.response_s.p95 or float("nan")) if pages else float("nan")


def bulk_rtt_ms(run: Outcome) -> float:
    """Return the mean round-trip time of the bulk flow in ms."""
    return 1000 * (run.flow.rtt_s.mean or float("nan"))


CRITERIA: Final = ((together_kbps, 1), (response_ms, -1), (late_ms, -1))
"""The compared quantities, and whether more or less is better."""


def _gains(outcomes: Outcomes, ours: Sequence[Point], theirs: Sequence[Point]) -> list[list[float]]:
    """Return by how much ours are better on each criterion, seed by seed."""
    pairs = [(outcomes[a], outcomes[b]) for a, b in zip(ours, theirs, strict=True)]
    return [[sign * (value(a) - value(b)) for a, b in pairs] for value, sign in CRITERIA]


STUDENT: Final = 2.132
"""One-sided 95 % point of Student's t with four degrees of freedom: five seeds."""


def _surely(gains: Sequence[float]) -> bool:
    return bool(fmean(gains) > STUDENT * stdev(gains) / sqrt(len(gains)))


def beats(
    outcomes: Outcomes, ours: Sequence[Point], theirs: Sequence[Point], *, surely: bool = False
) -> bool:
    """Return whether ours are better on all criteria, by the mean or with 95 % confidence each."""
    gains = _gains(outcomes, ours, theirs)
    return all(_surely(gain) if surely else fmean(gain) > 0 for gain in gains)


def winners(
    outcomes: Outcomes, place: Place, queue: int | None, *, surely: bool = False
) -> list[tuple[str, int]]:
    """Return the services and factors that beat a fixed queue."""
    theirs = fixed(place, queue)
    return [
        (service, factor)
        for service, factor in product(SERVICES, FACTORS)
        if beats(outcomes, managed(place, service, factor), theirs, surely=surely)
    ]


def _count(queues: Sequence[int | None], services: Sequence[str], *, surely: bool) -> Measure:
    """Count the queues beaten, one value per place."""

    def measure(outcomes: Outcomes) -> list[float]:
        def is_beaten(place: Place, queue: int | None) -> bool:
            won = winners(outcomes, place, queue, surely=surely)
            return any(service in services for service, _ in won)

        return [float(sum(is_beaten(place, queue) for queue in queues)) for place in PLACES]

    return measure


def _of_unlimited(value: Callable[[Outcome], float]) -> Measure:
    """Measure the manager that serves in turn without a bound over the unlimited queue."""

    def measure(outcomes: Outcomes) -> list[float]:
        def mean(points: Sequence[Point]) -> float:
            return fmean(value(outcomes[point]) for point in points)

        return [
            mean(managed(place, "in-turn", FACTORS[-1])) / mean(fixed(place, None))
            for place in PLACES
        ]

    return measure


MEASURES: Final[dict[str, Measure]] = {
    "b12-shared": _count(FINITE, SERVICES, surely=False),
    "b12-shared-surely": _count(FINITE, SERVICES, surely=True),
    "b12-shared-fifo": _count(FINITE, SERVICES[:1], surely=False),
    "b12-unlimited-kbps": _of_unlimited(together_kbps),
    "b12-unlimited-wait": _of_unlimited(response_ms),
}


def table(outcomes: Outcomes) -> tuple[Table, ...]:
    """Tabulate where the manager beats each fixed queue, and what each gets."""
    return (_where(outcomes), *(_values(outcomes, place) for place in PLACES))


def _where(outcomes: Outcomes) -> Table:
    def cell(place: Place, queue: int | None, service: str) -> str:
        won = [factor for name, factor in winners(outcomes, place, queue) if name == service]
        surely = [
            factor
            for name, factor in winners(outcomes, place, queue, surely=True)
            if name == service
        ]
        return f"{surely[0]} *" if surely else str(won[0]) if won else "–"

    rows = [
        (f"{place.name()}, {service}", *(cell(place, queue, service) for queue in QUEUES))
        for place, service in product(PLACES, SERVICES)
    ]
    caption = (
        "A bulk and an interactive flow share the bearer: the smallest factor (BDPs for the bulk "
        "flow) with which the manager beats each fixed queue on the throughput of both, on the "
        "mean response time of the interactive flow and on the 95 % point of that. *: on each "
        f"with 95 % confidence, {len(SEEDS)} seeds; –: with none"
    )
    return Table(caption, ("", *(_named(queue) for queue in QUEUES)), tuple(rows))


def _named(queue: int | None) -> str:
    return "unlimited" if queue is None else f"queue {queue}"


def _values(outcomes: Outcomes, place: Place) -> Table:
    rows = [(_named(queue), fixed(place, queue)) for queue in QUEUES]
    rows += [(f"{_named(queue)} for each, in-turn", apart(place, queue)) for queue in FINITE]
    rows += [
        (f"manager, {service}, {factor} BDP", managed(place, service, factor))
        for service, factor in product(SERVICES, FACTORS)
    ]
    head = ("", "both, kbit/s", "response ms", "95 % of responses", "bulk RTT ms")
    values = (together_kbps, response_ms, late_ms, bulk_rtt_ms)
    return Table(
        f"{place.name()}: a bulk and an interactive flow",
        head,
        tuple(
            (name, *(short(fmean(value(outcomes[p]) for p in points), 4) for value in values))
            for name, points in rows
        ),
    )
