"""TCP compared with ns-3, with the same packets dropped."""

import random
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import thinpipe as tp

from tests.ns3 import MISSING, compiled

PROGRAM = Path(__file__).with_name("ns3_bottleneck.cc")
CONGESTION_CONTROL = {"sack": "Reno", "cubic": "Cubic", "westwood": "Westwood"}
LINKS = (
    *((384, delay_ms) for delay_ms in (10, 100, 300)),
    *((1_000, delay_ms) for delay_ms in (50, 150)),
    *((2_000, delay_ms) for delay_ms in (10, 100)),
    *((5_000, delay_ms) for delay_ms in (50, 150)),
    *((10_000, delay_ms) for delay_ms in (10, 50, 150)),
)
HEADERS = 40
# Variant, losses, and the tolerance of the throughput ratio.
BANDS = (
    ("sack", 0.0, 0.012),
    ("sack", 0.001, 0.02),
    ("sack", 0.01, 0.03),
    ("cubic", 0.0, 0.025),
    ("westwood", 0.0, 0.03),
)
# With many losses, one more timeout exceeds the band on shorter paths.
TIMEOUTS_MATTER_BELOW_MS = 50


pytestmark = pytest.mark.skipif(bool(MISSING), reason=f"needs {' '.join(MISSING)}")


@dataclass(frozen=True)
class Case:
    """A link, the losses before it, and a transfer."""

    variant: str
    kbps: int
    delay_ms: int
    queue: int
    loss: float = 0.0
    mss: int = 1448
    segments_per_ack: int = 1
    seed: int = 1

    @property
    def duration_s(self) -> int:
        """Return how long it runs."""
        return 100 if self.kbps <= 2_000 else 30

    @property
    def packets(self) -> int:
        """Return how many the link can carry."""
        return 125 * self.kbps * self.duration_s // (self.mss + HEADERS)

    @property
    def round_trip(self) -> int:
        """Return the packets of a round trip over an empty queue, at least two."""
        return max(125 * self.kbps * 2 * self.delay_ms // 1_000 // (self.mss + HEADERS), 2)

    @property
    def drops(self) -> list[int]:
        """Return the packets that are lost, by number; the SYN, which is 0, is not."""
        chance = random.Random(self.seed)
        return [packet for packet in range(1, self.packets) if chance.random() < self.loss]


def given(variant: str, loss: float = 0.0) -> list[Case]:
    """Return the fixed links, with queues of one bandwidth-delay product."""
    return [
        replace(case, queue=max(10, case.round_trip))
        for case in (Case(variant, kbps, delay_ms, 0, loss) for kbps, delay_ms in LINKS)
    ]


def draw(variant: str, loss: float, links: int, seed: int) -> Iterator[Case]:
    """Return random links."""
    chance = random.Random(seed)
    for _ in range(links):
        case = Case(
            variant,
            chance.choice((384, 800, 1_000, 2_000, 5_000, 10_000)),
            chance.choice((5, 20, 50, 100, 200, 300)),
            0,
            loss,
            mss=chance.choice((536, 1000, 1448)),
            segments_per_ack=chance.choice((1, 2)),
            seed=chance.randrange(1_000),
        )
        yield replace(case, queue=max(10, round(case.round_trip * chance.uniform(0.5, 1.5))))


def ssthresh(case: Case) -> int:
    """Return the window at which slow start ends: with half of the queue full."""
    return case.round_trip + case.queue // 2


def ours(cases: list[Case]) -> list[float]:
    """Run all cases on our simulator, and return their utilizations."""
    points = [
        tp.Point.of(
            "bottleneck",
            {
                "tcp.variant": case.variant,
                "tcp.recovery": "sack",
                "tcp.window": 2_000,
                "tcp.initial_ssthresh": ssthresh(case),
                "tcp.min_rto": "3 s",
                "tcp.tick": "1 ms",
                "tcp.rtt_sampling": "every-segment",
                "tcp.mss": case.mss,
                "tcp.delayed_ack": "off" if case.segments_per_ack == 1 else "100 ms",
                "link.rate": f"{case.kbps} kbit/s",
                "link.delay": f"{case.delay_ms} ms",
                "link.drop_arrivals": case.drops,
                "queue.packets": case.queue,
                "flow.segments": 10**8,
                "duration": f"{case.duration_s} s",
            },
        )
        for case in cases
    ]
    return [
        flow.bytes_acked / case.mss / case.packets
        for case, run in zip(cases, tp.run_many(points), strict=True)
        for flow in run.flows
    ]


@pytest.fixture(scope="module")
def ns3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile the program."""
    modules = ("internet", "traffic-control", "network", "core")
    return compiled(PROGRAM, tmp_path_factory.mktemp("ns3"), *modules)


def theirs(program: Path, case: Case) -> float:
    """Run one case on ns-3."""
    arguments = {
        "congestion": CONGESTION_CONTROL[case.variant],
        "rate": f"{case.kbps}kbps",
        "delay": f"{case.delay_ms}ms",
        "queue": case.queue,
        "window": 2_000,
        "ssthresh": ssthresh(case),
        "mss": case.mss,
        "segments-per-ack": case.segments_per_ack,
        "duration": f"{case.duration_s}s",
    }
    if case.drops:
        arguments["drops"] = ",".join(str(packet) for packet in case.drops)
    command = [str(program), *(f"--{key}={value}" for key, value in arguments.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    segments, _retransmissions, _timeouts = (int(number) for number in done.stdout.split())
    return segments / case.packets


def ratios(program: Path, cases: list[Case]) -> dict[Case, float]:
    """Return the throughput of each case over that in ns-3."""
    with ThreadPoolExecutor(2) as pool:
        references = list(pool.map(lambda case: theirs(program, case), cases))
    results = zip(cases, ours(cases), references, strict=True)
    return {case: mine / reference for case, mine, reference in results}


def outside(ratios: dict[Case, float], band: float) -> dict[Case, float]:
    """Return the ratios outside the band around one."""
    return {case: ratio for case, ratio in ratios.items() if abs(ratio - 1) > band}


def check(program: Path, cases: list[Case], band: float) -> None:
    compared = [
        case for case in cases if case.loss < 0.01 or case.delay_ms >= TIMEOUTS_MATTER_BELOW_MS
    ]
    assert not outside(ratios(program, compared), band)


@pytest.mark.parametrize(("variant", "loss", "band"), BANDS)
def test_throughput(ns3: Path, variant: str, loss: float, band: float):
    check(ns3, list(draw(variant, loss, links=6, seed=1)), band)


@pytest.mark.slow
@pytest.mark.parametrize(("variant", "loss", "band"), BANDS)
def test_throughput_of_given_links(ns3: Path, variant: str, loss: float, band: float):
    check(ns3, given(variant, loss), band)


def test_a_difference_shows(ns3: Path):
    """The bands are narrow enough to distinguish the congestion controls."""
    case = Case("sack", 10_000, 50, 84, loss=0.001)
    reno = theirs(ns3, case)
    [cubic, westwood] = ours([replace(case, variant=name) for name in ("cubic", "westwood")])
    assert cubic > 1.05 * reno
    assert westwood > 1.5 * reno
