"""CoDel, FQ-CoDel and PIE compared with those of Linux 6.1, behind CUBIC and probes.

The kernel runs as a process (Debian's user-mode-linux) whose clock jumps over idle time, so that
its results do not depend on how busy the machine is.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import thinpipe as tp

from tests import uml

PROGRAM = Path(__file__).parents[1] / "uml_queues.py"
MODULES = (
    "sch_netem",
    "sch_htb",
    "sch_codel",
    "sch_fq_codel",
    "sch_pie",
    "sch_prio",
    "cls_u32",
    "veth",
)
QDISCS = {"codel": "codel limit 1000", "fq-codel": "fq_codel", "pie": "pie limit 1000 tupdate 20ms"}
"""PIE's timer has ticks of 10 ms there: 15 ms, its default, would be 20 ms."""

RATE = 20_000_000
RTT_MS = 40
PACKET = 1500
TRANSMISSION_S = PACKET * 8 / RATE
APART_S = (0.28, 0.3, 0.32)
"""Between the starts of flows, in three runs whose mean is compared: what PIE draws differs."""
FROM_S, TO_S = 15, 35
FLOWS = 8

RATES_NEAR = 0.05
WAITS_NEAR = 0.10
COUNTS_NEAR = 0.15

AGREE = ("codel", "pie")
"""What is compared in all; docs/models/queues.md says why FQ-CoDel is not."""

CASES = [(queue, ecn) for ecn in (False, True) for queue in QDISCS]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(uml.MISSING), reason=f"needs {' '.join(uml.MISSING)}"),
]


@dataclass(frozen=True)
class Seen:
    """What eight flows carry, how long their packets wait, and what the queue did to them."""

    rate_bps: float
    wait_s: float
    """Round trips beyond those of an idle link, in the mean."""
    signals: float
    """Drops and marks."""
    marks: float


def mean(runs: Iterable[Seen]) -> Seen:
    return Seen(*map(fmean, zip(*map(astuple, runs), strict=True)))


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, bool], Seen]:
    """Run all cases in one kernel."""
    cases = [
        {
            "flows": [("cubic", RTT_MS)] * FLOWS,
            "apart_s": apart_s,
            "from_s": FROM_S,
            "to_s": TO_S,
            "rate_bps": RATE,
            "packet": PACKET,
            "qdisc": f"{QDISCS[queue]} {'ecn' if ecn else 'noecn'}",
            "ecn": ecn,
            "ack_each": True,
        }
        for queue, ecn in CASES
        for apart_s in APART_S
    ]
    found = uml.boot(
        PROGRAM,
        tmp_path_factory.mktemp("kernel"),
        timeout_s=3600,
        load=MODULES,
        cases=cases,
    )
    seen = list(map(theirs, found))
    runs = [seen[at : at + len(APART_S)] for at in range(0, len(seen), len(APART_S))]
    return {case: mean(of_it) for case, of_it in zip(CASES, runs, strict=True)}


def theirs(seen: dict[str, Any]) -> Seen:
    """Return what a case in the kernel gave; its shaper waits after a packet, not for it."""
    return Seen(
        sum(seen["bytes"]) * 8 / (TO_S - FROM_S),
        seen["rtt_s"] - RTT_MS / 1e3,
        seen["drops"] + seen["marks"],
        seen["marks"],
    )


def ours(queue: str, *, ecn: bool, **more: str) -> Seen:
    """Return what a case gives here, in the mean of its runs."""
    return mean(run(queue, apart_s, ecn=ecn, **more) for apart_s in APART_S)


def run(queue: str, apart_s: float, *, ecn: bool, **more: str) -> Seen:
    """Return what comes between the two times."""
    settings = {
        **uml.ENDPOINTS,
        "tcp.delayed_ack": "off",  # or round trips would be those of pairs of segments
        "link.rate": f"{RATE} bit/s",
        "link.delay": "0 ms",
        "link.back.delay": f"{RTT_MS} ms",
        "queue.kind": queue,
        "queue.packets": "as kind" if queue == "fq-codel" else "1000",
        "queue.ecn": str(ecn).lower(),
        "tcp.ecn": "classic" if ecn else "off",
        "flow.count": "0",
        "flow.group.bulk.count": str(FLOWS),
        "flow.group.bulk.interval": f"{apart_s} s",
        "flow.group.probe.application": "udp",
        "flow.group.probe.udp.payload": "100 B",
        "flow.group.probe.udp.rate": "80 kbit/s",
    }
    if queue == "pie":
        settings["queue.pie.update"] = "20 ms"
    settings |= {key.replace("__", "."): value for key, value in more.items()}
    results = [tp.run("link", settings, duration=f"{at_s} s").result for at_s in (FROM_S, TO_S)]
    (bytes_before, waits_before, down_before), (bytes_after, waits_after, down_after) = (
        (
            sum(flow.bytes_acked for flow in result.flows if flow.group == "bulk"),
            next(group.rtt_s for group in result.groups if group.name == "bulk"),
            next(link for link in result.links if link.name.endswith("/down")),
        )
        for result in results
    )
    samples = waits_after.samples - waits_before.samples
    total = waits_after.samples * (waits_after.mean or 0)
    total -= waits_before.samples * (waits_before.mean or 0)
    marks = down_after.marks - down_before.marks
    return Seen(
        (bytes_after - bytes_before) * 8 / (TO_S - FROM_S),
        total / samples - RTT_MS / 1e3 - TRANSMISSION_S,
        down_after.drops - down_before.drops + marks,
        marks,
    )


@pytest.mark.parametrize(("queue", "ecn"), CASES)
def test_a_queue(kernel: dict[tuple[str, bool], Seen], queue: str, ecn: bool):  # noqa: FBT001 - a parameter of pytest
    there, here = kernel[queue, ecn], ours(queue, ecn=ecn)
    assert here.rate_bps == pytest.approx(there.rate_bps, rel=RATES_NEAR)
    if queue in AGREE:
        assert here.wait_s == pytest.approx(there.wait_s, rel=WAITS_NEAR)
        assert here.signals == pytest.approx(there.signals, rel=COUNTS_NEAR)
    assert (here.marks > 0) == (there.marks > 0) == ecn


def test_packets_that_wait_alone(kernel: dict[tuple[str, bool], Seen]):
    """Linux's CoDel of one flow sees the bytes of all, and so is hardly ever held back by `mtu`."""
    there = kernel["fq-codel", False].wait_s
    held_back = ours("fq-codel", ecn=False).wait_s
    free = ours("fq-codel", ecn=False, queue__fq_codel__mtu="1 B").wait_s
    assert abs(free - there) < abs(held_back - there) / 2
