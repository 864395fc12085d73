"""The runs: the four-drop study, bursts, and paths with random loss for the formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from thinpipe.papers.hynderick2004.formulas import loss_of_packet
from thinpipe.papers.hynderick2004.trace import MSS, Trace
from thinpipe.papers.outcomes import Outcome
from thinpipe.point import Point

if TYPE_CHECKING:
    from thinpipe.papers.paper import Outcomes

SCENARIO: Final = "bottleneck"
HEADERS: Final = 40
"""Bytes of TCP and IP in front of each payload."""

COMPARED: Final = ("tahoe", "reno", "newreno", "sack")
"""The variants that the thesis compares."""

VARIANTS: Final = (*COMPARED, "fack")
"""Those, and the variant that it omitted because its ns-2 had no reliable one."""

OTHERS: Final = ("vegas", "westwood", "cubic", "bbr")
"""Variants beside the thesis's four-drop study, in tables alone."""

Settings = tuple[tuple[str, str], ...]

ACCESS: Final = "wired.access"
"""The link between the sender and the router."""

PERIOD: Final[Settings] = (("tcp.profile", "ns2-1996"), ("tcp.mss", f"{MSS} B"))
"""TCP as ns-2 had it when the study was made."""

TOPOLOGY: Final[Settings] = (
    (f"{ACCESS}.rate", "8 Mbit/s"),
    (f"{ACCESS}.delay", "0.1 ms"),
    ("link.rate", "0.8 Mbit/s"),
    ("link.delay", "100 ms"),
    ("queue.packets", "unlimited"),
)
"""Figure V.10; nothing overflows, the drops are those of the list."""

DROPS: Final = ((14,), (14, 28), (14, 26, 28), (14, 24, 26, 28))
"""Packets dropped, V.C: one to four."""


def four_drops(variant: str, drops: tuple[int, ...]) -> Point:
    """Return one run of the four-drop study."""
    return _dropping(variant, 28, drops)


def _dropping(variant: str, window: int, drops: tuple[int, ...], extra: Settings = ()) -> Point:
    more = (
        ("tcp.variant", variant),
        ("tcp.window", str(window)),
        ("flow.segments", "200"),
        ("link.drop_arrivals", str(list(drops))),
        ("duration", "60 s"),
    )
    return Point.of(SCENARIO, dict([*PERIOD, *TOPOLOGY, *more, *extra]))


# --- Bursts -------------------------------------------------------------------------------------

BURST_WINDOW: Final = 64
"""Wide enough for the windows 15–30 and 31–62 of slow start."""

BURSTS: Final = tuple(range(1, 11))
"""Packets dropped in a burst."""

MANY: Final = BURSTS[3:]
"""Bursts of many drops: as many as the four-drop study's most, and more."""

LOST_AGAIN: Final = (31, 63)
"""Packet 31 and, as 62 is the last packet before it, its retransmission."""


def one_window(count: int) -> tuple[int, ...]:
    """Return the first packets of the window 31–62."""
    return tuple(range(31, 31 + count))


def two_windows(count: int) -> tuple[int, ...]:
    """Return one half at the end of the window 15–30, the other at the end of the next.

    Each acknowledgement releases two packets, and the last one that comes is of 30 less the first
    half: so the next window ends at 62 less twice that half.
    """
    first, second = (count + 1) // 2, count // 2
    end = 62 - 2 * first
    return (*range(31 - first, 31), *range(end + 1 - second, end + 1))


GUARDED: Final[Settings] = (("tcp.recover_guard", "true"),)
"""What came later: duplicates of a packet sent before the last loss tell of no new one."""


def burst(variant: str, drops: tuple[int, ...], extra: Settings = ()) -> Point:
    """Return one run of the burst study."""
    return _dropping(variant, BURST_WINDOW, drops, extra)


VEGAS_DROPS: Final = ((12, 13), (40, 41))
"""Two neighbours, early and later: Reno waits for its timer after the later ones."""

VEGAS_BESIDE: Final = ("vegas", "reno")


def neighbours(variant: str, drops: tuple[int, ...]) -> Point:
    """Return one run of two neighbours dropped, for Vegas' retransmission (figure V.8)."""
    return _dropping(variant, 28, drops)


SMALL_WINDOW: Final = 3
"""Packets: after a drop too few follow for three duplicates."""

SMALL_DROPS: Final = (20, 30, 41)
"""Packets dropped in this window, one per run."""


def small_window(variant: str, drop: int) -> Point:
    """Return one run of a drop in a window too small for three duplicates."""
    return _dropping(variant, SMALL_WINDOW, (drop,))


# --- Random loss --------------------------------------------------------------------------------

SEEDS: Final = range(1, 6)
LOSSES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Probabilities of losing a packet."""

BITS: Final = (1e-7, 2e-7, 5e-7, 1e-6, 2e-6, 5e-6, 1e-5)
"""Probabilities of losing a bit."""

SIZES: Final = (250, 500, 1000, 1460)
"""Payloads of packets in bytes."""

FORMULA_WINDOW: Final = 16
"""W of Tahoe's factor: without loss, the window alone bounds the throughput."""

WIDE_WINDOW: Final = 128
"""A window that losses alone bound, for Mathis and PFTK."""

LASTING_S: Final = 500
"""Simulated time of a run with random loss."""


def lossy(variant: str, loss: float, seed: int, window: int, payload: int = MSS) -> Point:
    """Return one run of a fast link that loses packets independently of each other."""
    return Point.of(
        SCENARIO,
        {
            **dict(PERIOD),
            "tcp.mss": f"{payload} B",
            "tcp.variant": variant,
            "tcp.window": str(window),
            "link.rate": "10 Mbit/s",
            "link.delay": "100 ms",
            "queue.packets": "unlimited",
            "link.loss": repr(loss),
            "flow.bytes": "unlimited",
            "duration": f"{LASTING_S} s",
            "seed": str(seed),
        },
    )


def packet_bits(payload: int) -> int:
    """Return the bits of a packet on the wire, headers included."""
    return (payload + HEADERS) * 8


def lossy_bits(bit_loss: float, payload: int, seed: int) -> Point:
    """Return one run of Tahoe over a link that loses bits."""
    # Rounded, as the last digits of a logarithm are the platform's.
    loss = round(loss_of_packet(bit_loss, packet_bits(payload)), 12)
    return lossy("tahoe", loss, seed, FORMULA_WINDOW, payload)


def damaged(variant: str, loss: float, seed: int) -> Point:
    """Return one run over the study's own path with random loss instead of a list of drops."""
    return Point.of(
        SCENARIO,
        {
            **dict(PERIOD),
            **dict(TOPOLOGY),
            "tcp.variant": variant,
            "tcp.window": "28",
            "link.loss": repr(loss),
            "flow.bytes": "unlimited",
            "duration": f"{LASTING_S} s",
            "seed": str(seed),
        },
    )


DAMAGES: Final = (0.01, 0.05)
"""Losses that represent damaged packets."""

# --- Slow start ---------------------------------------------------------------------------------

OPENED: Final = (4, 8, 16, 32, 64)
"""Windows whose opening is timed."""

QUEUED: Final = (4, 8, 16)
"""Windows whose opening fills a buffer: those that the path holds without one."""


def opening(window: int) -> Point:
    """Return a run on a fast link without loss, in which only slow start takes time."""
    more = (("tcp.window", str(window)), ("link.delay", "100 ms"), ("link.rate", "100 Mbit/s"))
    return _lossless(more)


def queueing(window: int) -> Point:
    """Return a run over the study's own path, whose queue shows what slow start needs."""
    return _lossless((*TOPOLOGY, ("tcp.window", str(window))))


def avoiding() -> Point:
    """Return a run in congestion avoidance almost from the start, on a fast link."""
    more = (
        ("tcp.window", "64"),
        ("tcp.initial_ssthresh", "2"),
        ("link.delay", "100 ms"),
        ("link.rate", "100 Mbit/s"),
    )
    return _lossless(more)


def _lossless(more: Settings) -> Point:
    settings = (("tcp.variant", "reno"), ("flow.bytes", "unlimited"), ("duration", "10 s"))
    return Point.of(SCENARIO, dict([*PERIOD, *settings, *more]))


@dataclass(frozen=True, slots=True)
class Study:
    """The runs, looked up by what they are."""

    outcomes: Outcomes

    def dropped(self, variant: str, count: int) -> Outcome:
        """Return the run of the four-drop study with a number of drops."""
        return self.outcomes[four_drops(variant, DROPS[count - 1])]

    def trace(self, variant: str, count: int) -> Trace:
        """Return what that run's sender did."""
        return Trace.of(self.dropped(variant, count))

    def lossy(self, variant: str, loss: float, window: int) -> list[Outcome]:
        """Return the runs at one loss probability, in order of seed."""
        return [self.outcomes[lossy(variant, loss, seed, window)] for seed in SEEDS]
