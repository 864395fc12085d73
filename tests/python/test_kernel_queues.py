"""Queues compared with those of Linux 6.1, behind CUBIC and probes, and behind datagrams.

The kernel runs as a process (Debian's user-mode-linux) whose clock jumps over idle time, so that
its results do not depend on how busy the machine is.
"""

from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from itertools import islice
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
    "sch_red",
    "sch_cake",
    "sch_prio",
    "cls_u32",
    "veth",
)

RATE = 20_000_000
RTT_MS = 40
PACKET = 1500
APART_S = (0.28, 0.3, 0.32)
"""Between the starts of flows, in three runs whose mean is compared: what PIE draws differs."""
HASHED_APART_S = tuple(hundredths / 100 for hundredths in range(25, 35))
"""The same for flows whose queues are drawn in the kernel: two of them may share one."""
FROM_S, TO_S = 15, 35
FLOWS = 8

RATES_NEAR = 0.05
WAITS_NEAR = 0.10
COUNTS_NEAR = 0.15


@dataclass(frozen=True)
class Queue:
    """A queue of the kernel, and its like here."""

    qdisc: str
    settings: dict[str, str]
    says_ecn: bool = True
    """Whether it is told whether to mark: or it always does."""
    link_bps: int = RATE
    """The rate of the link: if it is more than `RATE`, the queue is a shaper."""
    apart_s: tuple[float, ...] = APART_S
    stray_ms: float = 0
    """How far acknowledgements stray on both sides: else windows step as they began to."""


QUEUES = {
    "codel": Queue("codel limit 1000", {"queue.kind": "codel", "queue.packets": "1000"}),
    "fq-codel": Queue(
        "fq_codel",
        {
            "queue.kind": "fq-codel",
            "queue.packets": "as kind",
            "queue.fq_codel.backlog": "all",
        },
        apart_s=HASHED_APART_S,
    ),
    # PIE's timer has ticks of 10 ms there: 15 ms, its default, would be 20 ms.
    "pie": Queue(
        "pie limit 1000 tupdate 20ms",
        {"queue.kind": "pie", "queue.packets": "1000", "queue.pie.update": "20 ms"},
    ),
    # Thresholds are 20 and 60 packets with their Ethernet headers, and the weight is 1/512 there;
    # here the packet in transmission counts, too.
    "red": Queue(
        "red limit 1514000 min 30280 max 90840 avpkt 1514 burst 120 probability 0.1",
        {
            "queue.kind": "red",
            "queue.packets": "1000",
            "queue.red.min_threshold": "21",
            "queue.red.max_threshold": "61",
            "queue.red.weight": "0.1953125 %",
            "queue.red.gentle": "false",
            "queue.red.count": "passed",
        },
    ),
    "cake": Queue(
        "cake unlimited",
        {"queue.kind": "cake", "queue.packets": "as kind"},
        says_ecn=False,
        stray_ms=1,
    ),
    "cake-shaper": Queue(
        "cake bandwidth 20Mbit overhead 0",
        {
            "queue.kind": "cake",
            "queue.packets": "as kind",
            "queue.cake.rate": f"{RATE} bit/s",
        },
        says_ecn=False,
        link_bps=1_000 * RATE,
        stray_ms=1,
    ),
}

WAITS_DIFFER = {("red", True), ("cake-shaper", True)}
"""Whose waits are not compared; docs/models/queues.md says why."""

CASES = [(queue, ecn) for ecn in (False, True) for queue in QUEUES]

LOAD = 24_000_000
"""At which datagrams come, in bit/s at the IP layer."""
DATAGRAM = PACKET - 28
"""Payload of a packet: without the headers of IP and UDP."""

ISOLATIONS = ("dual-srchost", "flows")
MANY = 4
"""Flows of a host, beside one of another."""
SHARES_NEAR = 0.02

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


def asked(name: str, *, ecn: bool) -> Iterator[dict[str, Any]]:
    """Yield the runs of a case in the kernel."""
    queue = QUEUES[name]
    marks = {(True, True): " ecn", (True, False): "" if name == "red" else " noecn"}
    for apart_s in queue.apart_s:
        yield {
            "flows": [("cubic", RTT_MS)] * FLOWS,
            "apart_s": apart_s,
            "from_s": FROM_S,
            "to_s": TO_S,
            "rate_bps": RATE,
            "packet": PACKET,
            "qdisc": queue.qdisc + marks.get((queue.says_ecn, ecn), ""),
            "is_shaper": queue.link_bps > RATE,
            "ecn": ecn,
            "ack_each": True,
            "stray_ms": queue.stray_ms,
        }


def loaded(name: str) -> dict[str, Any]:
    """Return the run in which datagrams load a queue in the kernel."""
    case = next(asked(name, ecn=False))
    datagrams = {"bytes": DATAGRAM, "every_s": PACKET * 8 / LOAD}
    return {**case, "flows": [], "datagrams": datagrams}


def of_hosts(isolation: str) -> dict[str, Any]:
    """Return the run in which a host has many flows, and another one."""
    case = next(asked("cake-shaper", ecn=True))
    return {
        **case,
        "stray_ms": 0,
        "flows": [("cubic", RTT_MS)] * (MANY + 1),
        "hosts": [2] * MANY + [3],
        "qdisc": f"{case['qdisc']} {isolation}",
    }


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Run all cases in one kernel, and then the loads."""
    cases = [each for queue, ecn in CASES for each in asked(queue, ecn=ecn)]
    cases += [*map(loaded, QUEUES), *map(of_hosts, ISOLATIONS)]
    folder = tmp_path_factory.mktemp("kernel")
    seen: list[dict[str, Any]] = uml.boot(
        PROGRAM, folder, timeout_s=3600, load=MODULES, cases=cases
    )
    return seen


@pytest.fixture(scope="module")
def kernel(found: list[dict[str, Any]]) -> dict[tuple[str, bool], Seen]:
    seen = map(theirs, found)
    return {(queue, ecn): mean(islice(seen, len(QUEUES[queue].apart_s))) for queue, ecn in CASES}


@pytest.fixture(scope="module")
def kernel_loaded(found: list[dict[str, Any]]) -> dict[str, Seen]:
    first = sum(len(QUEUES[queue].apart_s) for queue, _ in CASES)
    return dict(zip(QUEUES, map(theirs_loaded, found[first : first + len(QUEUES)]), strict=True))


@pytest.fixture(scope="module")
def kernel_shares(found: list[dict[str, Any]]) -> dict[str, float]:
    """Return the share of the host with one flow."""
    alone = [seen["bytes"][-1] / sum(seen["bytes"]) for seen in found[-len(ISOLATIONS) :]]
    return dict(zip(ISOLATIONS, alone, strict=True))


def theirs(seen: dict[str, Any]) -> Seen:
    """Return what a case in the kernel gave; its shaper waits after a packet, not for it."""
    return Seen(
        sum(seen["bytes"]) * 8 / (TO_S - FROM_S),
        seen["rtt_s"] - RTT_MS / 1e3,
        seen["drops"] + seen["marks"],
        seen["marks"],
    )


def theirs_loaded(seen: dict[str, Any]) -> Seen:
    """Return the same of datagrams."""
    rate = seen["datagrams"] * DATAGRAM * 8 / (TO_S - FROM_S)
    return Seen(rate, seen["delay_s"], seen["drops"], seen["marks"])


def ours(queue: str, *, ecn: bool, **more: str) -> Seen:
    """Return what a case gives here, in the mean of its runs."""
    return mean(run(queue, apart_s, ecn=ecn, **more) for apart_s in QUEUES[queue].apart_s)


def run(queue: str, apart_s: float, *, ecn: bool, **more: str) -> Seen:
    """Return what comes of flows between the two times."""
    settings = {
        **uml.ENDPOINTS,
        "tcp.delayed_ack": "off",  # or round trips would be those of pairs of segments
        "tcp.ecn": "classic" if ecn else "off",
        "flow.group.bulk.count": str(FLOWS),
        "flow.group.bulk.interval": f"{apart_s} s",
        "flow.group.probe.application": "udp",
        "flow.group.probe.udp.payload": "100 B",
        "flow.group.probe.udp.rate": "80 kbit/s",
    }
    if stray_ms := QUEUES[queue].stray_ms:
        settings["link.back.jitter"] = f"{stray_ms} ms"
        settings["link.back.jitter_order"] = "free"
    if QUEUES[queue].says_ecn:
        settings["queue.ecn"] = str(ecn).lower()
    return between(queue, settings | dotted(more), "bulk")


def ours_loaded(queue: str, **more: str) -> Seen:
    """Return what comes of datagrams here."""
    settings = {
        "flow.group.load.application": "udp",
        "flow.group.load.udp.payload": f"{DATAGRAM} B",
        "flow.group.load.udp.rate": f"{LOAD * DATAGRAM // PACKET} bit/s",
    }
    return between(queue, settings | dotted(more), "load")


def dotted(more: dict[str, str]) -> dict[str, str]:
    return {key.replace("__", "."): value for key, value in more.items()}


def results(queue: str, settings: dict[str, str]) -> list[tp.Result]:
    """Return what has come by each of the two times."""
    settings = {
        "link.rate": f"{QUEUES[queue].link_bps} bit/s",
        "link.delay": "0 ms",
        "link.back.delay": f"{RTT_MS} ms",
        "flow.count": "0",
        **QUEUES[queue].settings,
        **settings,
    }
    return [tp.run("link", settings, duration=f"{at_s} s").result for at_s in (FROM_S, TO_S)]


def between(queue: str, settings: dict[str, str], group: str) -> Seen:
    """Return what comes between the two times."""
    before, after = (told(result, group) for result in results(queue, settings))
    spans = {key: after[key] - before[key] for key in after}
    sending_s = PACKET * 8 / QUEUES[queue].link_bps
    return Seen(
        spans["bytes"] * 8 / (TO_S - FROM_S),
        spans["waits_s"] / spans["samples"] - sending_s,
        spans["drops"] + spans["marks"],
        spans["marks"],
    )


def told(result: tp.Result, of: str) -> dict[str, float]:
    """Return what a run counts of a group until its end, and of the queue."""
    [group] = (group for group in result.groups if group.name == of)
    [down] = (link for link in result.links if link.name.endswith("/down"))
    times, idle_s = (group.delay_s, 0) if of == "load" else (group.rtt_s, RTT_MS / 1e3)
    return {
        "bytes": sum(
            flow.datagrams.received * DATAGRAM if flow.datagrams else flow.bytes_acked
            for flow in result.flows
            if flow.group == of
        ),
        "samples": times.samples,
        "waits_s": times.samples * ((times.mean or 0) - idle_s),
        "drops": down.drops,
        "marks": down.marks,
    }


@pytest.mark.parametrize(("queue", "ecn"), CASES)
def test_a_queue(kernel: dict[tuple[str, bool], Seen], queue: str, ecn: bool):  # noqa: FBT001 - a parameter of pytest
    there, here = kernel[queue, ecn], ours(queue, ecn=ecn)
    assert here.rate_bps == pytest.approx(there.rate_bps, rel=RATES_NEAR)
    if (queue, ecn) not in WAITS_DIFFER:
        assert here.wait_s == pytest.approx(there.wait_s, rel=WAITS_NEAR)
    assert here.signals == pytest.approx(there.signals, rel=COUNTS_NEAR)
    assert (here.marks > 0) == (there.marks > 0) == ecn


@pytest.mark.parametrize("queue", QUEUES)
def test_datagrams_beyond_the_rate(kernel_loaded: dict[str, Seen], queue: str):
    there, here = kernel_loaded[queue], ours_loaded(queue)
    assert here.rate_bps == pytest.approx(there.rate_bps, rel=RATES_NEAR)
    assert here.wait_s == pytest.approx(there.wait_s, rel=WAITS_NEAR)
    assert here.signals == pytest.approx(there.signals, rel=COUNTS_NEAR)
    assert here.marks == there.marks == 0


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_host_with_one_flow(kernel_shares: dict[str, float], isolation: str):
    here = share_of_one(isolation)
    assert here == pytest.approx(kernel_shares[isolation], abs=SHARES_NEAR)


def share_of_one(isolation: str) -> float:
    """Return the share of a host with one flow beside one with many."""
    settings = {
        **uml.ENDPOINTS,
        "tcp.delayed_ack": "off",
        "tcp.ecn": "classic",
        "flow.group.many.count": str(MANY),
        "flow.group.many.interval": f"{APART_S[0]} s",
        "flow.group.many.return_delay": f"{RTT_MS} ms",
        "flow.group.one.start": f"{MANY * APART_S[0]} s",
        "flow.group.one.return_delay": f"{RTT_MS} ms",
        "link.back.delay": "0 ms",
        "queue.cake.isolation": isolation,
    }
    before, after = results("cake-shaper", settings)
    many, one = (
        told(after, group)["bytes"] - told(before, group)["bytes"] for group in ("many", "one")
    )
    return one / (many + one)


def test_packets_that_wait_alone(kernel: dict[tuple[str, bool], Seen]):
    """Linux's CoDel of one flow sees the bytes of all, and so drops what a flow has alone."""
    there = kernel["fq-codel", False].wait_s
    own = ours("fq-codel", ecn=False, queue__fq_codel__backlog="own").wait_s
    every = ours("fq-codel", ecn=False).wait_s
    assert abs(every - there) < abs(own - there) / 2


def test_reductions_after_marks(kernel: dict[tuple[str, bool], Seen]):
    """Linux reduces a window step by step after a mark, so that its queue may be marked again."""
    there = kernel["cake", True].signals
    at_once = ours("cake", ecn=True, tcp__prr_after_marks="false").signals
    step_by_step = ours("cake", ecn=True).signals
    assert abs(step_by_step - there) < abs(at_once - there)


@pytest.mark.parametrize("queue", ["red", "cake"])
def test_windows_of_whole_segments(kernel: dict[tuple[str, bool], Seen], queue: str):
    """Linux's CUBIC loses parts of a segment with each loss, and so needs fewer of them."""
    there = kernel[queue, False].signals
    exact = ours(queue, ecn=False, tcp__cubic__reduction="exact").signals
    whole = ours(queue, ecn=False).signals
    assert abs(whole - there) < abs(exact - there) / 2
