"""Westwood+ compared with that of Linux 2.6 in ns-2.35, with the same packets dropped."""

import random
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import thinpipe as tp

NS2 = shutil.which("ns")
SCRIPT = Path(__file__).with_name("ns2_linux.tcl")
DURATION_S = 200
MSS = 1448
HEADERS = 40
# Linux closes the window when a loss is repaired, not when it is found, and filters twice.
BAND = 0.3

pytestmark = pytest.mark.skipif(NS2 is None, reason="needs ns2")


@dataclass(frozen=True)
class Case:
    """A link, and the losses before it."""

    kbps: int
    delay_ms: int
    loss: float

    @property
    def packets(self) -> int:
        """Return how many the link can carry."""
        return 125 * self.kbps * DURATION_S // (MSS + HEADERS)

    @property
    def queue(self) -> int:
        """Return the packets of a round trip, at least ten."""
        return max(125 * self.kbps * 2 * self.delay_ms // 1_000 // (MSS + HEADERS), 10)

    @property
    def drops(self) -> list[int]:
        """Return the packets that are lost, by number; the SYN, which is 0, is not."""
        chance = random.Random(1)
        return [packet for packet in range(1, self.packets) if chance.random() < self.loss]


CASES = [
    Case(kbps, delay_ms, loss)
    for kbps, delay_ms in ((384, 100), (384, 300), (1_000, 150), (2_000, 100), (10_000, 50))
    for loss in (0.001, 0.005, 0.01)
]


def settings(case: Case, congestion_control: str) -> dict[str, Any]:
    """Return the settings of a case."""
    return {
        "tcp.congestion_control": congestion_control,
        # It, too, detects lost retransmissions.
        "tcp.recovery": "rack",
        "tcp.tick": "1 ms",
        "tcp.window": 2_000,
        "tcp.mss": MSS,
        "link.rate": f"{case.kbps} kbit/s",
        "link.delay": f"{case.delay_ms} ms",
        "link.drop_arrivals": case.drops,
        "queue.packets": case.queue,
        "flow.segments": 10**8,
        "duration": f"{DURATION_S} s",
    }


def ours(cases: list[Case], congestion_control: str = "westwood") -> list[float]:
    """Run all cases on our simulator, and return their utilizations."""
    points = [tp.Point.of("bottleneck", settings(case, congestion_control)) for case in cases]
    return [
        flow.bytes_acked / MSS / case.packets
        for case, run in zip(cases, tp.run_many(points), strict=True)
        for flow in run.flows
    ]


def theirs(case: Case) -> float:
    """Run one case on ns-2."""
    arguments = {
        "congestion": "westwood",
        "rate": f"{case.kbps}kb",
        "delay": f"{case.delay_ms}ms",
        "queue": case.queue,
        "mss": MSS,
        "duration": DURATION_S,
        "drops": ",".join(str(packet) for packet in case.drops),
    }
    command = [NS2 or "ns", str(SCRIPT), *(f"{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    # The last line is about the agent's command.
    return int(done.stdout.splitlines()[0]) / case.packets


def test_throughput_under_random_losses():
    with ThreadPoolExecutor(2) as pool:
        references = list(pool.map(theirs, CASES))
    ratios = {
        case: mine / reference
        for case, mine, reference in zip(CASES, ours(CASES), references, strict=True)
    }
    assert not {case: ratio for case, ratio in ratios.items() if abs(ratio - 1) > BAND}


def test_a_difference_shows():
    """The band is narrow enough to distinguish it from Reno."""
    case = Case(2_000, 100, 0.01)
    [reno] = ours([case], "reno")
    assert reno < (1 - BAND) * theirs(case)
