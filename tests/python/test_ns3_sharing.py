"""Two flows in one drop-tail queue compared with ns-3.44: who gets what, in the mean of seeds."""

import random
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean

import pytest
import thinpipe as tp

from tests.ns3 import compiled_with_wheel, lacking

PROGRAM = Path(__file__).with_name("ns3_sharing.cc")
CONGESTION_CONTROL = {"cubic": "Cubic", "reno": "LinuxReno"}
FROM_S, TO_S = 120, 180
SEEDS = range(1, 4)
OUR_SEEDS = range(1, 11)
MBPS = 50
DELAY_MS = 5
"""Of the link, one way; the rest of a round trip is on a flow's own wire."""
NEAR = 0.1
"""Between both means of a flow's share: a tenth of what both carry."""

Pair = tuple[tuple[str, int], tuple[str, int]]
PAIRS: tuple[Pair, ...] = (
    (("cubic", 20), ("cubic", 20)),
    (("cubic", 80), ("cubic", 80)),
    (("reno", 80), ("cubic", 80)),
    (("reno", 20), ("reno", 80)),
)
"""Congestion controls and round-trip times in ms of both flows.

CUBIC at 20 ms beside another is left to Linux (test_kernel_sharing.py), from which ns-3 differs.
"""

AS_THERE = {
    "tcp.cubic.slow_start": "ack-trains",
    "tcp.cubic.alpha": "constant",
    "tcp.recovery": "sack",
    "tcp.spurious_timeouts": "unseen",
}
"""ns-3 has no RACK, no probe of the tail and no undo."""


def queue(pair: Pair) -> int:
    """Return the bandwidth-delay product of the shorter round trip, in packets of 1500 B."""
    return MBPS * 125 * min(rtt_ms for _, rtt_ms in pair) // 1500


def share(delivered: list[int]) -> float:
    """Return that of the first flow."""
    return delivered[0] / sum(delivered)


def theirs(program: Path, pair: Pair, seed: int) -> float:
    """Return the share of the first flow in ns-3."""
    chance = random.Random(seed)
    flows = ",".join(
        f"{CONGESTION_CONTROL[control]}:{rtt_ms}ms:{chance.uniform(0, 5):.6f}s"
        for control, rtt_ms in pair
    )
    arguments = {
        "flows": flows,
        "rate": f"{MBPS}Mbps",
        "delay": f"{DELAY_MS}ms",
        "queue": queue(pair),
        "from": f"{FROM_S}s",
        "to": f"{TO_S}s",
    }
    command = [str(program), *(f"--{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=900)
    return share([int(line.split()[0]) for line in done.stdout.splitlines()])


def ours(pair: Pair) -> Iterator[float]:
    """Return the share of the first flow here, for each seed."""
    settings: dict[str, str | float] = {
        "link.rate": f"{MBPS} Mbit/s",
        "link.delay": f"{DELAY_MS} ms",
        "queue.packets": queue(pair),
        "tcp.profile": "modern",
        "flow.count": 0,
        **AS_THERE,
    }
    for name, (control, rtt_ms) in zip("ab", pair, strict=True):
        settings |= {
            f"flow.group.{name}.delay": f"{rtt_ms / 2 - DELAY_MS} ms",
            f"flow.group.{name}.start": "spread over 5 s",
            f"flow.group.{name}.tcp.congestion_control": control,
        }
    points = [
        tp.Point.of("link", settings, seed=seed, duration=f"{at_s} s")
        for seed in OUR_SEEDS
        for at_s in (FROM_S, TO_S)
    ]
    acked = [[flow.bytes_acked for flow in run.flows] for run in tp.run_many(points)]
    for begin, end in zip(acked[::2], acked[1::2], strict=True):
        yield share([last - first for first, last in zip(begin, end, strict=True)])


@pytest.fixture(scope="module")
def ns3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program, if there is what it needs."""
    if (package := lacking()) is not None:
        pytest.skip(f"needs {package}")
    modules = ("internet", "traffic-control", "network", "core")
    return compiled_with_wheel(PROGRAM, tmp_path_factory.mktemp("ns3"), *modules)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_shares(ns3: Path, pair: Pair):
    """Of like flows a share depends on the phase: the means of seeds are compared."""
    with ThreadPoolExecutor(2) as pool:
        there = list(pool.map(lambda seed: theirs(ns3, pair, seed), SEEDS))
    assert fmean(ours(pair)) == pytest.approx(fmean(there), abs=NEAR)
