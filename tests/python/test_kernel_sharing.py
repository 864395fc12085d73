"""Two flows in one drop-tail queue compared with Linux 6.1, which runs as a process (tests/uml)."""

from itertools import islice
from pathlib import Path
from statistics import fmean

import pytest

from tests import uml
from tests.two_flows import NEAR, PACKET, Pair, ours, queue, share

PROGRAM = Path(__file__).parents[1] / "uml_queues.py"
MODULES = ("sch_netem", "sch_htb", "sch_prio", "cls_u32", "veth")

RATE = 50_000_000
APART_S = (0.9, 1.3, 1.7)
"""Between the starts of both flows, in three runs whose mean is compared."""
STRAY_MS = 0.5
"""How far acknowledgements stray on both sides: with exact times who loses is who is in phase."""
FROM_S, TO_S = 60, 120

PAIRS: tuple[Pair, ...] = (
    (("reno", 20), ("cubic", 20)),
    (("reno", 80), ("cubic", 80)),
    (("cubic", 20), ("cubic", 80)),
    (("reno", 20), ("reno", 80)),
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(uml.MISSING), reason=f"needs {' '.join(uml.MISSING)}"),
]


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> dict[Pair, float]:
    """Run all pairs in one kernel, and return the mean share of the first flow."""
    cases = [
        {
            "flows": pair,
            "apart_s": apart_s,
            "from_s": FROM_S,
            "to_s": TO_S,
            "rate_bps": RATE,
            "packet": PACKET,
            "qdisc": f"pfifo limit {queue(pair, RATE)}",
            "ecn": False,
            "ack_each": True,
            "stray_ms": STRAY_MS,
        }
        for pair in PAIRS
        for apart_s in APART_S
    ]
    folder = tmp_path_factory.mktemp("kernel")
    found = uml.boot(PROGRAM, folder, timeout_s=3600, load=MODULES, cases=cases)
    shares = iter([share(seen["bytes"]) for seen in found])
    return {pair: fmean(islice(shares, len(APART_S))) for pair in PAIRS}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_share(kernel: dict[Pair, float], pair: Pair):
    common = {**uml.ENDPOINTS, "tcp.delayed_ack": "off", "link.delay": "0 ms"}
    stray = {"delay": "0 ms", "return_jitter": f"{STRAY_MS} ms"}
    of_each = [{**stray, "return_delay": f"{rtt_ms} ms"} for _, rtt_ms in pair]
    here = ours(pair, RATE, common, of_each, (FROM_S, TO_S))
    assert here == pytest.approx(kernel[pair], abs=NEAR)
