"""The paper's claims as tests over seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.paper import Table
from thinpipe.papers.yew2012 import setup
from thinpipe.papers.yew2012.measuring import (
    completion_s,
    delay_ms,
    dropped,
    efficiency,
    is_upper,
    kbps,
    largest_queue,
    of,
    ratio,
    slow_start_end_s,
)
from thinpipe.papers.yew2012.printed import PACKET, RTTS, SIZES
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, TABLE_4, TABLE_6, TABLES_2_3
from thinpipe.papers.yew2012.verdicts import (
    Judgement,
    Told,
    greater,
    less,
    mostly,
    oftener,
    rising,
    rising_each,
    together,
)

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.measuring import Value
    from thinpipe.point import Point

Judge = Callable[[Sequence[float], Sequence[float]], Judgement]
Points = tuple["Point", ...]

MIDDLE_RTT: Final = 100
"""ms: the RTT of Table I, and from here on the paper's upper boundary."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a claim in one place: what must run, and what is judged of it."""

    where: str
    points: Points
    judge: Callable[[Outcomes], Judgement]


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper claims, and the tests that it must all pass."""

    id: str
    says: str
    tests: tuple[Test, ...]

    @property
    def points(self) -> Points:
        """What must run, each once."""
        return tuple(dict.fromkeys(point for test in self.tests for point in test.points))

    def told(self, outcomes: Outcomes) -> Told:
        """Return the verdict over all tests."""
        return together([test.judge(outcomes) for test in self.tests])


def paired(where: str, judge: Judge, value: Value, one: Points, other: Points) -> Test:
    """Return a test that compares a value of two variants seed by seed."""
    return Test(
        where,
        (*one, *other),
        lambda outcomes: judge(of(outcomes, one, value), of(outcomes, other, value)),
    )


def spaced(judge: Judge, value: Value) -> tuple[Test, ...]:
    """Return a test for each packet size, with spacing against without."""
    return tuple(
        paired(f"{size} B", judge, value, TABLES_2_3[size, ALWAYS], TABLES_2_3[size, OFF])
        for size in SIZES
    )


def _sizes(spacing: str) -> Points:
    return tuple(point for size in SIZES for point in TABLES_2_3[size, spacing])


def _named(spacing: str) -> str:
    return "with spacing" if spacing == ALWAYS else "without"


def delay_rises(spacing: str) -> Test:
    """Test that delay grows with packet size."""

    def judge(outcomes: Outcomes) -> Judgement:
        found = {size: of(outcomes, TABLES_2_3[size, spacing], delay_ms) for size in SIZES}
        return rising_each(found)

    return Test(_named(spacing), _sizes(spacing), judge)


def best_size(where: str, spacing: str, value: Value, pick: Callable[..., int]) -> Test:
    """Test that 512 B has the least or the greatest value in most runs."""

    def judge(outcomes: Outcomes) -> Judgement:
        found = {size: of(outcomes, TABLES_2_3[size, spacing], value) for size in SIZES}
        seeds = range(len(setup.SEEDS))
        best = [pick(found, key=lambda size, seed=seed: found[size][seed]) for seed in seeds]
        return mostly([size == PACKET for size in best])

    return Test(f"{where}, {_named(spacing)}", _sizes(spacing), judge)


def in_upper(where: str, points: Points) -> Test:
    """Test that most runs are in the upper band."""
    return Test(where, points, lambda outcomes: mostly([is_upper(outcomes[it]) for it in points]))


def oftener_upper(where: str, here: Points, there: Points) -> Test:
    """Test that more runs here are in the upper band than there."""
    return Test(
        where,
        (*here, *there),
        lambda outcomes: oftener(
            *([is_upper(outcomes[it]) for it in runs] for runs in (here, there))
        ),
    )


def delays_in_band(outcomes: Outcomes, *, upper: bool) -> dict[int, list[float]]:
    """Return the delays of the runs of Table IV in one band, by RTT."""
    runs: dict[int, list[float]] = {}
    for rtt in RTTS:
        found = [outcomes[point] for point in TABLE_4[rtt, ALWAYS]]
        delays = [delay_ms(run) for run in found if is_upper(run) is upper]
        runs |= {rtt: delays} if delays else {}
    return runs


def rises_in_band(*, upper: bool) -> Test:
    """Test that the delay grows with the RTT within a band."""

    def judge(outcomes: Outcomes) -> Judgement:
        return rising(delays_in_band(outcomes, upper=upper))

    return Test("upper band" if upper else "lower band", _at(RTTS, ALWAYS), judge)


def rises_across() -> Test:
    """Test that it grows over all runs, whatever their band."""

    def judge(outcomes: Outcomes) -> Judgement:
        return rising({rtt: of(outcomes, TABLE_4[rtt, ALWAYS], delay_ms) for rtt in RTTS})

    return Test("both bands", _at(RTTS, ALWAYS), judge)


def slope(outcomes: Outcomes, *, upper: bool) -> list[float]:
    """Return by how much the delay grows a ms of RTT within a band, by least squares."""
    from scipy.stats import linregress

    runs = delays_in_band(outcomes, upper=upper)
    xs = [rtt for rtt, delays in runs.items() for _ in delays]
    ys = [delay for delays in runs.values() for delay in delays]
    return [float(linregress(xs, ys).slope)] if len(runs) > 1 else []


def _at(rtts: Sequence[int], spacing: str) -> Points:
    return tuple(point for rtt in rtts for point in TABLE_4[rtt, spacing])


def _buffered(spacing: str) -> Points:
    return tuple(point for rtt in RTTS for point in TABLE_6[rtt, spacing])


LONG_RTTS: Final = tuple(rtt for rtt in RTTS if rtt >= MIDDLE_RTT)
SHORT_RTTS: Final = tuple(rtt for rtt in RTTS if rtt < MIDDLE_RTT)

WHOLE_1024: Final = setup.by_size(1024, ALWAYS, cap=None)
MOVING: Final = TABLE_4[MIDDLE_RTT, ALWAYS]
MOVING_BASE: Final = setup.by_rtt(MIDDLE_RTT, ALWAYS, setup.BASE)
AT_REST: Final = setup.by_size(PACKET, ALWAYS, setup.STILL)
AT_REST_BASE: Final = setup.by_size(PACKET, ALWAYS, (*setup.STILL, *setup.BASE))
VEGAS: Final = TABLES_2_3[PACKET, OFF]
RENO: Final = setup.by_size(PACKET, OFF, setup.RENO)
WIRED_VEGAS: Final = setup.wired((("tcp.variant", "vegas"),))
WIRED_RENO: Final = setup.wired(setup.RENO)


def poorer_than_wired() -> Test:
    """Test that Vegas has less of Reno's throughput on the way to the mobile than on a wire."""

    def judge(outcomes: Outcomes) -> Judgement:
        vegas, reno, wired_vegas, wired_reno = (
            of(outcomes, points, kbps) for points in (VEGAS, RENO, WIRED_VEGAS, WIRED_RENO)
        )
        mobile = [a / b for a, b in zip(vegas, reno, strict=True)]
        return less(mobile, [a / b for a, b in zip(wired_vegas, wired_reno, strict=True)])

    return Test("its share of Reno's", (*VEGAS, *RENO, *WIRED_VEGAS, *WIRED_RENO), judge)


def _claims() -> Iterator[Claim]:
    yield Claim("c1", "Spacing lowers the network delay.", spaced(less, delay_ms))
    yield Claim("c2", "Spacing raises the network throughput.", spaced(greater, kbps))
    yield Claim("c3", "Spacing raises the network efficiency.", spaced(greater, efficiency))
    yield Claim(
        "c4", "The delay grows with the packet size.", (delay_rises(OFF), delay_rises(ALWAYS))
    )
    yield Claim(
        "c5",
        "Delay over throughput is least at 512 B.",
        tuple(best_size("ratio", spacing, ratio, min) for spacing in (OFF, ALWAYS)),
    )
    yield Claim(
        "c6",
        "Delay over throughput rises at 1024 B because packets above 1000 B go in two.",
        (
            paired(
                "1024 B, in two against whole", greater, ratio, TABLES_2_3[1024, ALWAYS], WHOLE_1024
            ),
            paired(
                "whole: 1024 against 512 B", less, ratio, WHOLE_1024, TABLES_2_3[PACKET, ALWAYS]
            ),
        ),
    )
    yield Claim(
        "c7",
        "The delay grows with the RTT.",
        (rises_in_band(upper=False), rises_in_band(upper=True), rises_across()),
    )
    yield Claim(
        "c8",
        "Spacing performs well from 100 ms on, and badly below.",
        (
            in_upper("from 100 ms on", _at(LONG_RTTS, ALWAYS)),
            oftener_upper("against below", _at(LONG_RTTS, ALWAYS), _at(SHORT_RTTS, ALWAYS)),
            oftener_upper("against no spacing", _at(LONG_RTTS, ALWAYS), _at(LONG_RTTS, OFF)),
        ),
    )
    yield Claim(
        "c9",
        "A buffer of 0.835 bandwidth-delay products gives the upper band.",
        (
            in_upper("with spacing", _buffered(ALWAYS)),
            in_upper("without", _buffered(OFF)),
            oftener_upper("against 50 packets", _buffered(ALWAYS), _at(RTTS, ALWAYS)),
        ),
    )
    yield Claim(
        "c11",
        "The current RTT is a better base for spacing than the base RTT.",
        (
            paired("delay, moving", less, delay_ms, MOVING, MOVING_BASE),
            paired("throughput, moving", greater, kbps, MOVING, MOVING_BASE),
            paired("delay, at rest", less, delay_ms, AT_REST, AT_REST_BASE),
            paired("throughput, at rest", greater, kbps, AT_REST, AT_REST_BASE),
        ),
    )
    yield Claim(
        "c12",
        "512 B has small loss, low delay and high link use.",
        (
            best_size("highest efficiency", ALWAYS, efficiency, max),
            best_size("lowest delay", ALWAYS, delay_ms, min),
            in_upper("half of the link used", TABLES_2_3[PACKET, ALWAYS]),
        ),
    )
    yield Claim(
        "c13",
        "Vegas performs poorly over wireless IPv6.",
        (paired("against Reno", less, kbps, VEGAS, RENO), poorer_than_wired()),
    )
    yield Claim(
        "c14",
        "Spacing helps short transfers.",
        tuple(
            paired(f"{kb} kB", less, completion_s, setup.short(kb, ALWAYS), setup.short(kb, OFF))
            for kb in setup.SHORT_KB
        ),
    )


CLAIMS: Final = tuple(_claims())

_WITH, _WITHOUT = TABLES_2_3[PACKET, ALWAYS], TABLES_2_3[PACKET, OFF]

BURSTS: Final = Claim(
    "c10",
    "Spacing means a smaller queue, fewer losses and a later end of slow start.",
    (
        paired("largest queue", less, largest_queue, _WITH, _WITHOUT),
        paired("packets dropped", less, dropped, _WITH, _WITHOUT),
        paired("end of slow start", greater, slow_start_end_s, _WITH, _WITHOUT),
    ),
)
"""The one whose runs need their windows over time."""

POINTS: Final = tuple(dict.fromkeys(point for claim in CLAIMS for point in claim.points))


def table(outcomes: Outcomes, claims: Iterable[Claim]) -> tuple[Table, ...]:
    """Tabulate a verdict for each test, and one for each claim over all its tests."""
    rows = []
    for claim in claims:
        found = [(test.where, test.judge(outcomes)) for test in claim.tests]
        overall = together([judgement for _, judgement in found])
        rows.append((claim.id.upper(), claim.says, "all", overall.words))
        rows += [("", "", where, judgement.line()) for where, judgement in found]
    head = ("claim", "says", "tested", "verdict")
    return (Table("Claims over seeds, each test one-sided at 5 %", head, tuple(rows)),)
