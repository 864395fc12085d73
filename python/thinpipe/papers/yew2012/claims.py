"""The paper's claims as tests over seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.paper import Table
from thinpipe.papers.yew2012 import setup
from thinpipe.papers.yew2012.measuring import (
    base_error,
    completion_s,
    delay_ms,
    dropped,
    efficiency,
    is_upper,
    kbps,
    largest_queue,
    latest_error,
    of,
    ratio,
    slow_start_end_s,
)
from thinpipe.papers.yew2012.printed import PACKET, RTTS, SIZES
from thinpipe.papers.yew2012.setup import ALWAYS, OFF, Plan, Points, begins_at_home
from thinpipe.papers.yew2012.verdicts import (
    Decision,
    Judgement,
    greater,
    less,
    mean_rank,
    mostly,
    oftener,
    rising,
    rising_each,
    together,
)

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes
    from thinpipe.papers.yew2012.measuring import Value

Judge = Callable[[Sequence[float], Sequence[float]], Judgement]

MIDDLE_RTT: Final = 100
"""ms: the RTT of Table I, and from here on the paper's upper boundary."""


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a claim in one setting: its runs and its judge."""

    where: str
    points: Points
    judge: Callable[[Outcomes], Judgement]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of the paper, and the tests that must all pass."""

    id: str
    says: str
    tests: tuple[Test, ...]

    @property
    def points(self) -> Points:
        """The points to run, each once."""
        return tuple(dict.fromkeys(point for test in self.tests for point in test.points))

    def verdict(self, outcomes: Outcomes) -> Decision:
        """Return the verdict over all tests."""
        return together([test.judge(outcomes) for test in self.tests])


def paired(where: str, judge: Judge, value: Value, one: Points, other: Points) -> Test:
    """Return a test that compares a value of two variants seed by seed."""
    return Test(
        where,
        (*one, *other),
        lambda outcomes: judge(of(outcomes, one, value), of(outcomes, other, value)),
    )


def spaced(plan: Plan, judge: Judge, value: Value) -> tuple[Test, ...]:
    """Return a test for each packet size, with spacing against without."""
    runs = plan.tables_2_3
    return tuple(
        paired(f"{size} B", judge, value, runs[size, ALWAYS], runs[size, OFF]) for size in SIZES
    )


def _sizes(plan: Plan, spacing: str) -> Points:
    return tuple(point for size in SIZES for point in plan.tables_2_3[size, spacing])


def _named(spacing: str) -> str:
    return "with spacing" if spacing == ALWAYS else "without spacing"


def delay_rises(plan: Plan, spacing: str) -> Test:
    """Test that delay grows with packet size."""

    def judge(outcomes: Outcomes) -> Judgement:
        runs = plan.tables_2_3
        return rising_each({size: of(outcomes, runs[size, spacing], delay_ms) for size in SIZES})

    return Test(_named(spacing), _sizes(plan, spacing), judge)


def apart(where: str, judge: Judge, value: Value, one: Points, other: Points) -> tuple[Test, ...]:
    """Return that test of transfers begun at home, and of those begun later."""
    return tuple(
        paired(
            f"{where}, {began}",
            judge,
            value,
            *(tuple(it for it in runs if begins_at_home(it) is at_home) for runs in (one, other)),
        )
        for at_home, began in ((True, "begun at home"), (False, "begun later"))
    )


def best_size(
    plan: Plan, where: str, judge: Judge, value: Value, spacing: str = ALWAYS
) -> Iterator[Test]:
    """Go through tests of 512 B against each other size: against the best one alone noise wins.

    What 1024 B do beside 512 B goes by where transfers began.
    """
    runs = plan.tables_2_3
    for size in SIZES:
        if size != PACKET:
            way = apart if size > PACKET else lambda *what: (paired(*what),)
            name = f"{where} than {size} B, {_named(spacing)}"
            yield from way(name, judge, value, runs[PACKET, spacing], runs[size, spacing])


def raises(where: str, here: Points, there: Points) -> Test:
    """Test that of the runs in the lower band there most are in the upper one here.

    How many are in the lower one is a matter of when transfers start; this is not.
    """

    def judge(outcomes: Outcomes) -> Judgement:
        pairs = zip(here, there, strict=True)
        return mostly([is_upper(outcomes[a]) for a, b in pairs if not is_upper(outcomes[b])])

    return Test(f"in the upper band of those in the lower {where}", (*here, *there), judge)


def oftener_upper(where: str, here: Points, there: Points) -> Test:
    """Test that more runs here are in the upper band than there, seed by seed."""
    return Test(
        f"oftener in the upper band than {where}",
        (*here, *there),
        lambda outcomes: oftener(
            *([is_upper(outcomes[it]) for it in runs] for runs in (here, there))
        ),
    )


def oftener_upper_at_long(plan: Plan) -> Test:
    """Test that of the runs that start at one time more are in the upper band at long RTTs."""

    def count(outcomes: Outcomes, rtts: Sequence[int]) -> list[float]:
        by_start = zip(*(plan.table_4[rtt, ALWAYS] for rtt in rtts), strict=True)
        return [float(sum(is_upper(outcomes[it]) for it in runs)) for runs in by_start]

    return Test(
        "more RTTs of a start in the upper band, from 100 ms on against below",
        _at(plan, RTTS, ALWAYS),
        lambda outcomes: greater(count(outcomes, LONG_RTTS), count(outcomes, SHORT_RTTS)),
    )


def delays_in_band(plan: Plan, outcomes: Outcomes, *, upper: bool) -> dict[int, list[float]]:
    """Return the delays of the runs of Table IV in one band, by RTT."""
    runs: dict[int, list[float]] = {}
    for rtt in RTTS:
        found = [outcomes[point] for point in plan.table_4[rtt, ALWAYS]]
        delays = [delay_ms(run) for run in found if is_upper(run) is upper]
        runs |= {rtt: delays} if delays else {}
    return runs


def rises_in_band(plan: Plan, *, upper: bool) -> Test:
    """Test that the delay grows with the RTT within a band."""

    def judge(outcomes: Outcomes) -> Judgement:
        return rising(delays_in_band(plan, outcomes, upper=upper))

    return Test("upper band" if upper else "lower band", _at(plan, RTTS, ALWAYS), judge)


def rises_across(plan: Plan) -> Test:
    """Test that it grows over the runs of each start, whatever their band."""

    def judge(outcomes: Outcomes) -> Judgement:
        return rising_each({rtt: of(outcomes, plan.table_4[rtt, ALWAYS], delay_ms) for rtt in RTTS})

    return Test("both bands", _at(plan, RTTS, ALWAYS), judge)


def slope(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return by how much the delay grows per ms of RTT in the upper band, by least squares."""
    return per_ms(delays_in_band(plan, outcomes, upper=True))


def per_ms(runs: Mapping[int, Sequence[float]]) -> list[float]:
    """Return the slope of values over a parameter, by least squares; nothing if there is one."""
    from scipy.stats import linregress

    xs = [x for x, values in runs.items() for _ in values]
    ys = [value for values in runs.values() for value in values]
    return [float(linregress(xs, ys).slope)] if len(runs) > 1 else []


def _at(plan: Plan, rtts: Sequence[int], spacing: str) -> Points:
    return tuple(point for rtt in rtts for point in plan.table_4[rtt, spacing])


def _buffered(plan: Plan, spacing: str) -> Points:
    return tuple(point for rtt in RTTS for point in plan.table_6[rtt, spacing])


LONG_RTTS: Final = tuple(rtt for rtt in RTTS if rtt >= MIDDLE_RTT)
SHORT_RTTS: Final = tuple(rtt for rtt in RTTS if rtt < MIDDLE_RTT)


def by_size(plan: Plan) -> Iterator[Claim]:
    """Yield the claims about packet sizes at a fixed RTT."""
    runs = plan.tables_2_3
    whole = plan.by_size(1024, ALWAYS, cap=None)
    yield Claim("c1", "Spacing lowers the network delay.", spaced(plan, less, delay_ms))
    yield Claim("c2", "Spacing raises the network throughput.", spaced(plan, greater, kbps))
    yield Claim("c3", "Spacing raises the network efficiency.", spaced(plan, greater, efficiency))
    yield Claim(
        "c4",
        "The delay grows with the packet size.",
        (delay_rises(plan, OFF), delay_rises(plan, ALWAYS)),
    )
    yield Claim(
        "c5",
        "Delay over throughput is least at 512 B.",
        (
            *best_size(plan, "less", less, ratio, OFF),
            *best_size(plan, "less", less, ratio, ALWAYS),
        ),
    )
    yield Claim(
        "c6",
        "Delay over throughput rises at 1024 B in that packets above 1000 B go in two.",
        (
            paired("1024 B, in two against whole", greater, ratio, runs[1024, ALWAYS], whole),
            *apart("whole: 1024 against 512 B", less, ratio, whole, runs[PACKET, ALWAYS]),
        ),
    )


def by_rtt(plan: Plan) -> Iterator[Claim]:
    """Yield the claims about RTTs and buffers."""
    long, long_plain = (_at(plan, LONG_RTTS, spacing) for spacing in (ALWAYS, OFF))
    usual, usual_plain = (_at(plan, RTTS, spacing) for spacing in (ALWAYS, OFF))
    small, small_plain = (_buffered(plan, spacing) for spacing in (ALWAYS, OFF))
    yield Claim(
        "c7-delay",
        "The delay grows with the RTT.",
        (rises_in_band(plan, upper=False), rises_in_band(plan, upper=True), rises_across(plan)),
    )
    yield Claim(
        "c8",
        "Spacing performs well from 100 ms on, and badly below.",
        (
            oftener_upper_at_long(plan),
            oftener_upper("without spacing, from 100 ms on", long, long_plain),
            raises("without spacing, from 100 ms on", long, long_plain),
        ),
    )
    yield Claim(
        "c9",
        "A buffer of 0.835 bandwidth-delay products gives the upper band.",
        (
            oftener_upper("with 50 packets, with spacing", small, usual),
            oftener_upper("with 50 packets, without spacing", small_plain, usual_plain),
            raises("with 50 packets, with spacing", small, usual),
            raises("with 50 packets, without spacing", small_plain, usual_plain),
        ),
    )


def grows_with_size(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return the mean rank correlation of delay and packet size, without and with spacing."""
    runs = plan.tables_2_3
    return [
        mean_rank({size: of(outcomes, runs[size, spacing], delay_ms) for size in SIZES})
        for spacing in (OFF, ALWAYS)
    ]


def grows_with_rtt(plan: Plan, outcomes: Outcomes) -> list[float]:
    """Return the mean rank correlation of delay and RTT over the runs of each start."""
    return [mean_rank({rtt: of(outcomes, plan.table_4[rtt, ALWAYS], delay_ms) for rtt in RTTS})]


def on_a_wire(plan: Plan) -> Points:
    """Return the runs of Vegas without mobile or radio."""
    return plan.wired((("tcp.variant", "vegas"),))


def less_than_wired(plan: Plan, outcomes: Outcomes, *, at_home: bool) -> list[float]:
    """Return by how much the throughput to the mobile is more than on a wire, in %, run by run.

    Of those that begin at home, or of those that begin later.
    """
    ways = plan.tables_2_3[PACKET, OFF], on_a_wire(plan)
    mobile, wired = (
        of(outcomes, [it for it in points if begins_at_home(it) is at_home], kbps)
        for points in ways
    )
    return [100 * (a / b - 1) for a, b in zip(mobile, wired, strict=True)]


def poorer_than_reno(plan: Plan) -> Test:
    """Test that Vegas has less throughput than Reno where the mobile moves under a transfer."""
    ways = plan.by_size(PACKET, OFF), plan.by_size(PACKET, OFF, setup.RENO)
    return apart("against Reno", less, kbps, *ways)[0]


def poorer_than_wired(plan: Plan) -> Test:
    """Test that it has less of Reno's throughput there than on a wire."""
    ways = tuple(
        tuple(filter(begins_at_home, points))
        for points in (
            plan.tables_2_3[PACKET, OFF],
            plan.by_size(PACKET, OFF, setup.RENO),
            on_a_wire(plan),
            plan.wired(setup.RENO),
        )
    )

    def judge(outcomes: Outcomes) -> Judgement:
        vegas, reno, wired_vegas, wired_reno = (of(outcomes, points, kbps) for points in ways)
        mobile = [a / b for a, b in zip(vegas, reno, strict=True)]
        return less(mobile, [a / b for a, b in zip(wired_vegas, wired_reno, strict=True)])

    return Test(
        "share of Reno's against that on a wire, begun at home",
        tuple(point for way in ways for point in way),
        judge,
    )


def of_tcp(plan: Plan) -> Iterator[Claim]:
    """Yield the claims about spacing and other aspects of Vegas."""
    yield Claim(
        "c12",
        "512 B has small loss, low delay and high link use.",
        (
            *best_size(plan, "more efficient", greater, efficiency),
            *best_size(plan, "less delay", less, delay_ms),
            *best_size(plan, "more throughput", greater, kbps),
        ),
    )
    yield Claim(
        "c13",
        "Vegas performs poorly over wireless IPv6, where a mobile moves under its transfer.",
        (poorer_than_reno(plan), poorer_than_wired(plan)),
    )
    yield Claim(
        "c14",
        "Spacing helps short transfers.",
        tuple(
            paired(f"{kb} kB", less, completion_s, plan.short(kb, ALWAYS), plan.short(kb, OFF))
            for kb in setup.SHORT_KB
        ),
    )


def claims(plan: Plan) -> tuple[Claim, ...]:
    """Return all but those that need more than results."""
    return (*by_size(plan), *by_rtt(plan), *of_tcp(plan))


def bursts(plan: Plan) -> Claim:
    """Return the one whose runs need their windows over time."""
    runs = plan.tables_2_3[PACKET, ALWAYS], plan.tables_2_3[PACKET, OFF]
    return Claim(
        "c10",
        "Spacing means a smaller queue, fewer losses and a later end of slow start.",
        (
            paired("largest queue of all links", less, largest_queue, *runs),
            paired("packets dropped", less, dropped, *runs),
            paired("end of slow start", greater, slow_start_end_s, *runs),
        ),
    )


def accuracy(plan: Plan, taken: Value = latest_error) -> Claim:
    """Return the one whose runs need their round-trip times, on the move as the paper has it."""
    current = plan.table_4[MIDDLE_RTT, ALWAYS]
    base = plan.by_rtt(MIDDLE_RTT, ALWAYS, setup.BASE)

    def judge(outcomes: Outcomes) -> Judgement:
        ways = (current, taken), (base, base_error)
        return less(*(of(outcomes, points, error) for points, error in ways))

    return Claim(
        "c11",
        "Spacing by the current RTT takes a more accurate RTT than by the base RTT.",
        (Test("error of the RTT that spacing takes, moving", (*current, *base), judge),),
    )


def points(of_claims: Iterable[Claim]) -> Points:
    """Return what must run for some claims, each once."""
    return tuple(dict.fromkeys(point for claim in of_claims for point in claim.points))


def table(outcomes: Outcomes, of_claims: Iterable[Claim]) -> tuple[Table, ...]:
    """Tabulate a verdict for each test, and one for each claim over all its tests."""
    rows = []
    for claim in of_claims:
        found = [(test.where, test.judge(outcomes)) for test in claim.tests]
        overall = together([judgement for _, judgement in found])
        rows.append((claim.id.upper(), claim.says, "all", overall.words))
        rows += [("", "", where, judgement.line()) for where, judgement in found]
    head = ("claim", "says", "tested", "verdict")
    caption = (
        "Claims over seeds: each test one-sided at 5 %, for the claim and against it, with "
        "uncorrected p-values; “all” is the verdict over the tests of a claim"
    )
    return (Table(caption, head, tuple(rows)),)
