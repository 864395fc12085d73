"""The profile `ns2-2.35` compared with ns-2.35, on random links."""

import random
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
import thinpipe as tp

NS2 = shutil.which("ns")
SCRIPT = Path(__file__).with_name("ns2_bottleneck.tcl")
VARIANTS = ("tahoe", "reno", "newreno", "sack", "fack", "vegas")
HEADERS = 40
FEW = 10
FEW_TIMEOUTS = 3

needs_ns2 = pytest.mark.skipif(NS2 is None, reason="needs ns2")


@dataclass(frozen=True)
class Case:
    """A link, a window, and a transfer."""

    variant: str
    kbps: int
    delay_ms: int
    queue: int
    window: int
    mss: int
    ack: str
    duration_s: int


@dataclass(frozen=True)
class Outcome:
    """The compared results."""

    utilisation: float
    retransmissions: int
    timeouts: int


def draw(links: int, seed: int) -> Iterator[Case]:
    """Return `links` random links, each for every variant."""
    chance = random.Random(seed)
    for _ in range(links):
        link = (
            chance.choice((40, 64, 128, 384, 800, 1_000, 2_000, 5_000, 10_000)),
            chance.choice((5, 20, 50, 100, 200)),
            chance.choice((5, 8, 10, 15, 20, 30, 50, 100)),
            chance.choice((4, 8, 12, 16, 20, 28, 32, 40, 64)),
            chance.choice((500, 512, 1000, 1460)),
            chance.choice(("each", "each", "delayed")),
        )
        for variant in VARIANTS:
            yield Case(variant, *link, 300 if link[0] < 5_000 else 100)


def ours(cases: list[Case]) -> list[Outcome]:
    """Run all cases on our simulator."""
    points = [
        tp.Point.of(
            "bottleneck",
            {
                "tcp.profile": "ns2-2.35",
                "tcp.variant": case.variant,
                "tcp.window": case.window,
                "tcp.mss": case.mss,
                "tcp.delayed_ack": "off" if case.ack == "each" else "100 ms",
                "link.rate": f"{case.kbps} kbit/s",
                "link.delay": f"{case.delay_ms} ms",
                "queue.packets": case.queue,
                "flow.segments": 10**8,
                "duration": f"{case.duration_s} s",
            },
        )
        for case in cases
    ]
    return [
        outcome(case, flow.bytes_acked // case.mss, flow.retransmits, flow.timeouts)
        for case, run in zip(cases, tp.run_many(points), strict=True)
        for flow in run.flows
    ]


def theirs(case: Case) -> Outcome:
    """Run one case on ns-2."""
    arguments = {
        "variant": case.variant,
        "rate": f"{case.kbps}kb",
        "delay": f"{case.delay_ms}ms",
        "queue": case.queue,
        "window": case.window,
        "mss": case.mss,
        "ack": case.ack,
        "duration": case.duration_s,
    }
    command = [NS2 or "ns", str(SCRIPT), *(f"{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return outcome(case, *(int(number) for number in done.stdout.split()))


def outcome(case: Case, segments: int, retransmissions: int, timeouts: int) -> Outcome:
    """Use the same header size for both."""
    bits = 8 * segments * (case.mss + HEADERS)
    return Outcome(bits / (1_000 * case.kbps * case.duration_s), retransmissions, timeouts)


def same_order(one: int, other: int, few: int) -> bool:
    """True within a factor of two, or where the difference is small."""
    return abs(one - other) <= few or max(one, other) <= 2 * min(one, other)


def disagreements(cases: list[Case]) -> list[str]:
    """Return one line per case outside the band."""
    with ThreadPoolExecutor(2) as pool:
        references = list(pool.map(theirs, cases))
    return [
        f"{case}: {mine} for {reference}"
        for case, mine, reference in zip(cases, ours(cases), references, strict=True)
        if abs(mine.utilisation - reference.utilisation) > 0.02
        or not same_order(mine.retransmissions, reference.retransmissions, FEW)
        # ns-2's Fack does not count timeouts.
        or (
            case.variant != "fack"
            and not same_order(mine.timeouts, reference.timeouts, FEW_TIMEOUTS)
        )
    ]


def test_orders_of_magnitude():
    assert same_order(0, FEW, FEW)
    assert same_order(40, 80, FEW)
    assert not same_order(0, FEW + 1, FEW)
    assert not same_order(40, 81, FEW)


@needs_ns2
def test_utilisation_retransmissions_and_timeouts():
    assert not disagreements(list(draw(links=8, seed=1)))


@needs_ns2
@pytest.mark.slow
def test_more_links():
    assert not disagreements(list(draw(links=200, seed=2)))


@needs_ns2
def test_a_difference_shows():
    """The band is narrow enough to distinguish the variants."""
    case = Case("reno", 128, 50, 5, 28, 1000, "each", 100)
    [mine] = ours([case])
    [other] = ours([Case("vegas", 128, 50, 5, 28, 1000, "each", 100)])
    assert same_order(mine.retransmissions, theirs(case).retransmissions, FEW)
    assert not same_order(other.retransmissions, theirs(case).retransmissions, FEW)
