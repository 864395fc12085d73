"""Random lists of drops, compared with ns-2.35: retransmissions and transfer time."""

import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
import thinpipe as tp

NS2 = shutil.which("ns")
SCRIPT = Path(__file__).with_name("drops.tcl")
VARIANTS = ("tahoe", "reno", "newreno", "sack", "fack", "vegas")
PROFILES = ("2.35", "1996")
SEGMENTS = 300
LAST_DROP = 230
"""Drops end well before the transfer, because ns-2 sends no FIN."""

TIME = 0.01
"""Relative tolerance of the transfer time, compared with ns-2."""

AGREE = {"vegas": 0.9}
"""The share of lists on which both agree; docs/ns2.md explains the differences of Vegas."""

pytestmark = pytest.mark.skipif(NS2 is None, reason="needs ns2")


@dataclass(frozen=True)
class Case:
    """A link, a window and packets that are dropped; the SYN is packet 0."""

    variant: str
    profile: str
    kbps: int
    delay_ms: int
    window: int
    mss: int
    drops: tuple[int, ...]


@dataclass(frozen=True)
class Outcome:
    """Retransmitted segments, timeouts, and the time from the first segment to the last."""

    again: tuple[int, ...]
    timeouts: int
    lasted_s: float

    def agrees(self, other: "Outcome") -> bool:
        return (self.again, self.timeouts) == (
            other.again,
            other.timeouts,
        ) and self.lasted_s == pytest.approx(other.lasted_s, rel=TIME)


def draw(lists: int, seed: int) -> Iterator[Case]:
    """Draw lists of one to six drops near each other: retransmissions are dropped, too."""
    chance = random.Random(seed)
    for profile in PROFILES:
        for variant in VARIANTS:
            for _ in range(lists):
                span = chance.choice((3, 10, 30))
                drops = [chance.randint(1, 200)]
                for _ in range(chance.randrange(6)):
                    drops.append(drops[-1] + chance.randint(1, span))
                yield Case(
                    variant,
                    profile,
                    chance.choice((200, 400, 800, 2_000, 10_000)),
                    chance.choice((10, 50, 100, 250)),
                    chance.choice((4, 5, 6, 8, 12, 20, 28, 50)),
                    chance.choice((500, 1000, 1460)),
                    tuple(drop for drop in drops if drop <= LAST_DROP),
                )


def outcome(sent: list[tuple[float, int]], timeouts: int, end_s: float) -> Outcome:
    """Summarize a transfer from the times and numbers of segments sent."""
    times = Counter(segment for _, segment in sent)
    again = (times - Counter(times.keys())).elements()
    return Outcome(tuple(sorted(again)), timeouts, end_s - sent[0][0])


def ours(cases: list[Case]) -> list[Outcome]:
    """Run all cases on our simulator."""
    points = [
        tp.Point.of(
            "bottleneck",
            {
                "tcp.profile": f"ns2-{case.profile}",
                "tcp.variant": case.variant,
                "tcp.window": str(case.window),
                "tcp.mss": str(case.mss),
                "link.rate": f"{case.kbps} kbit/s",
                "link.delay": f"{case.delay_ms} ms",
                "link.drop_arrivals": str(list(case.drops)),
                "wired.access.rate": "8 Mbit/s",
                "wired.access.delay": "0.1 ms",
                "queue.packets": "unlimited",
                "flow.segments": str(SEGMENTS),
                "duration": "3600 s",
            },
        )
        for case in cases
    ]
    outcomes = []
    for case, run in zip(cases, tp.run_many(points, trace=True), strict=True):
        data = run.segments.filter(pl.col("event") == "sent", pl.col("payload_bytes") > 0)
        numbers = ((data["seq"] - 1) // case.mss).to_list()
        sent = list(zip(data["time_s"].to_list(), numbers, strict=True))
        flow = run.flows[0]
        assert flow.completed_s is not None
        outcomes.append(outcome(sent, flow.timeouts, flow.completed_s))
    return outcomes


def theirs(case: Case) -> Outcome:
    """Run one case on ns-2."""
    # Vegas sends two single packets in place of the handshake.
    ahead = 1 if case.variant == "vegas" else 0
    arguments = {
        "variant": case.variant,
        "profile": case.profile,
        "rate": f"{case.kbps}kb",
        "delay": f"{case.delay_ms}ms",
        "window": case.window,
        "mss": case.mss,
        "packets": SEGMENTS + 2 * ahead,
        "drops": " ".join(str(drop + ahead) for drop in case.drops),
    }
    command = [NS2 or "ns", str(SCRIPT), *(f"{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    lines = [line.split() for line in done.stdout.splitlines()]
    back_offs = [int(words[-1]) for words in lines if "backoff_" in words]
    doubled = sum(later > earlier for earlier, later in pairwise(back_offs))
    [[_, start_s, end_s, counted]] = [words for words in lines if words[0] == "done"]
    sent = [
        (float(words[1]) - float(start_s), int(words[10]) - 1 - ahead)
        for words in lines
        if words[0] == "+" and int(words[10]) > ahead
    ]
    # ns-2's Fack does not count timeouts.
    timeouts = doubled if case.variant == "fack" else int(counted)
    return outcome(sent, timeouts, float(end_s))


def check(lists: int, seed: int) -> None:
    cases = list(draw(lists, seed))
    with ThreadPoolExecutor(2) as pool:
        references = list(pool.map(theirs, cases))
    off: dict[tuple[str, str], list[str]] = {}
    twice = 0
    for case, mine, reference in zip(cases, ours(cases), references, strict=True):
        twice += len(set(reference.again)) < len(reference.again)
        if not mine.agrees(reference):
            lines = off.setdefault((case.profile, case.variant), [])
            lines.append(f"{case}: {mine} for {reference}")
    # At least every tenth list drops retransmissions.
    assert twice >= len(cases) / 10
    few = {
        key: lines
        for key, lines in off.items()
        if len(lines) > lists * (1 - AGREE.get(key[1], 0.95))
    }
    assert not few


def test_random_drops():
    check(lists=30, seed=1)


@pytest.mark.slow
def test_more_random_drops():
    check(lists=200, seed=2)
