"""Two flows in one drop-tail queue compared with Linux 6.1, which runs as a process (tests/uml)."""

from pathlib import Path
from statistics import fmean

import pytest
import thinpipe as tp

from tests import uml

PROGRAM = Path(__file__).parents[1] / "uml_queues.py"
MODULES = ("sch_netem", "sch_htb", "sch_prio", "cls_u32", "veth")

RATE = 50_000_000
PACKET = 1500
APART_S = 1.3
FROM_S, TO_S = 60, 120
SEEDS = range(1, 11)
"""Here times are exact, and who loses packets may be who is in phase: a mean of ten is compared."""
NEAR = 0.1
"""Between both shares of a flow: a tenth of what both carry."""

Pair = tuple[tuple[str, int], tuple[str, int]]
PAIRS: tuple[Pair, ...] = (
    (("reno", 80), ("cubic", 80)),
    (("cubic", 20), ("cubic", 80)),
    (("reno", 20), ("reno", 80)),
)
"""Congestion controls and round-trip times in ms of both flows; the first begins first."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(uml.MISSING), reason=f"needs {' '.join(uml.MISSING)}"),
]


def queue(pair: Pair) -> int:
    """Return the bandwidth-delay product of the shorter round trip, in packets."""
    return RATE // 8 * min(rtt_ms for _, rtt_ms in pair) // 1000 // PACKET


def share(delivered: list[int]) -> float:
    """Return that of the first flow."""
    return delivered[0] / sum(delivered)


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> dict[Pair, float]:
    """Run all pairs in one kernel, and return the share of the first flow."""
    cases = [
        {
            "flows": pair,
            "apart_s": APART_S,
            "from_s": FROM_S,
            "to_s": TO_S,
            "rate_bps": RATE,
            "packet": PACKET,
            "qdisc": f"pfifo limit {queue(pair)}",
            "ecn": False,
            "ack_each": True,
        }
        for pair in PAIRS
    ]
    folder = tmp_path_factory.mktemp("kernel")
    found = uml.boot(PROGRAM, folder, timeout_s=3600, load=MODULES, cases=cases)
    return {pair: share(seen["bytes"]) for pair, seen in zip(PAIRS, found, strict=True)}


def ours(pair: Pair) -> float:
    """Return the share of the first flow here, in the mean of seeds."""
    settings: dict[str, str | float] = {
        **uml.ENDPOINTS,
        "tcp.delayed_ack": "off",
        "link.rate": f"{RATE} bit/s",
        "link.delay": "0 ms",
        "queue.packets": queue(pair),
        "flow.count": 0,
    }
    for name, (control, rtt_ms) in zip("ab", pair, strict=True):
        group = f"flow.group.{name}"
        settings |= {
            f"{group}.delay": "0 ms",
            f"{group}.return_delay": f"{rtt_ms} ms",
            f"{group}.start": "spread over 5 s",
            f"{group}.tcp.congestion_control": control,
        }
    points = [
        tp.Point.of("link", settings, seed=seed, duration=f"{at_s} s")
        for seed in SEEDS
        for at_s in (FROM_S, TO_S)
    ]
    acked = [[flow.bytes_acked for flow in run.flows] for run in tp.run_many(points)]
    return fmean(
        share([last - first for first, last in zip(begin, end, strict=True)])
        for begin, end in zip(acked[::2], acked[1::2], strict=True)
    )


@pytest.mark.parametrize("pair", PAIRS)
def test_a_share(kernel: dict[Pair, float], pair: Pair):
    assert ours(pair) == pytest.approx(kernel[pair], abs=NEAR)
