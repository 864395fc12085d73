"""Facts that others have measured of the pipes of today, and the runs that show ours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from thinpipe.papers.chakravorty2003.setup import point
from thinpipe.papers.today.setup import BEST_SNR, SEEDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from thinpipe.papers.chakravorty2003.setup import Settings
    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes
    from thinpipe.point import Point

    Measure = Callable[[Outcomes], Sequence[float]]

SATURATING: Final[Settings] = (
    ("flow.application", "udp"),
    ("flow.udp.payload", "1400 B"),
    ("flow.bytes", "unlimited"),
)

UPLINK: Final[Settings] = (("flow.direction", "uplink"),)

INACTIVITY_S: Final = 0.1
"""`radio.drx.inactivity` of lte-cat4."""

BASE_W: Final = 1.288
"""`radio.power.active` of lte-cat4."""

GROUND_MS: Final = 8.0
"""`radio.ground` of leo-calm."""


def lte(*parts: Settings) -> Point:
    """Return a run of lte-cat4 without fading."""
    return point("lte-cat4", (("radio.fading.deviation", "0 dB"),), *parts)


def _saturated(*parts: Settings) -> Point:
    rate = (("flow.udp.rate", "200 Mbit/s"), ("duration", "5 s"), ("flow.start", "0.5 s"))
    return lte(BEST_SNR, SATURATING, rate, *parts)


PROMOTED: Final = lte((("flow.application", "telnet"), ("duration", "3 s")), UPLINK)
SMALL: Final = lte((("flow.bytes", "10 kB"), ("duration", "30 s")))
PAGED: Final = lte(
    (
        ("flow.application", "probe"),
        ("flow.probe.least", "12 s"),
        ("flow.probe.most", "24 s"),
        ("duration", "4000 s"),
    )
)
DOZING: Final = lte(
    (
        ("flow.application", "probe"),
        ("flow.probe.least", "1 s"),
        ("flow.probe.most", "3 s"),
        ("duration", "1000 s"),
        ("radio.downlink.bler", "0 %"),
        ("radio.uplink.bler", "0 %"),
    )
)
DOWN: Final = _saturated()
UP: Final = _saturated(UPLINK)

REPAIRED: Final[Settings] = (
    ("flow.application", "udp"),
    ("flow.bytes", "unlimited"),
    ("flow.udp.payload", "100 B"),
    ("flow.udp.rate", "1600 bit/s"),
    ("flow.start", "2 s"),
    ("radio.fading.deviation", "0 dB"),
    ("radio.downlink.bler", "10 %"),
    ("radio.uplink.bler", "0 %"),
    ("radio.drx.inactivity", "10 s"),
    ("duration", "400 s"),
)
"""Datagrams half a second apart to a mobile that stays awake: a tenth needs a repair."""

BY_LINK_CONTROL: Final[Settings] = (("radio.harq.repeats", "0"),)

BY_HARQ: Final = point("lte-cat4", REPAIRED)
BY_POLL: Final = point("lte-cat4", REPAIRED, BY_LINK_CONTROL)
NR_BY_POLL: Final = point("nr-tdd-100", REPAIRED, BY_LINK_CONTROL)

LEO: Final = point(
    "leo-calm",
    (
        ("flow.application", "udp"),
        ("flow.bytes", "unlimited"),
        ("radio.leo.gateway", "1 m"),
        ("radio.leo.pause", "0 ms"),
        ("duration", "1500 s"),
    ),
)
LEO_UP: Final = point(
    "leo-calm",
    UPLINK,
    # A pause at a change is no queue: with it, what waits there waits longer.
    (("flow.bytes", "unlimited"), ("radio.leo.pause", "0 s"), ("duration", "60 s")),
)
GEO: Final = point("geo-600")
EDGE: Final = point("satcom-edge", (("flow.application", "probe"), ("radio.outages", "[]")))


SLOW_PROBES: Final[Settings] = (
    ("flow.application", "probe"),
    ("flow.bytes", "unlimited"),
    ("flow.direction", "uplink"),
    ("flow.probe.bytes", "100 B"),
    ("flow.probe.least", "60 s"),
    ("flow.probe.most", "120 s"),
    ("tcp.initial_rto", "60 s"),
    ("tcp.min_rto", "60 s"),
    ("duration", "6000 s"),
)
"""A hundred bytes now and then from an idle mobile, whose sender waits for the answer."""

FIRST_CONTACTS: Final = {level: point(f"nb-iot-{level}", SLOW_PROBES) for level in (1, 2)}

_LIGHT: Final = (("flow.udp.rate", "100 kbit/s"), ("flow.start", "2 s"), ("duration", "12 s"))

NR_LIGHT: Final = point("nr-tdd-100", SATURATING, _LIGHT)
NR_AWAKE: Final = point("nr-tdd-100", SATURATING, _LIGHT, (("radio.drx.inactivity", "150 ms"),))
"""The same to a mobile that does not sleep between two of them."""

NR_UP: Final = point(
    "nr-tdd-100",
    SATURATING,
    UPLINK,
    (("flow.udp.rate", "15 Mbit/s"), ("flow.start", "2 s"), ("duration", "12 s")),
)
NR_TCP: Final = point("nr-tdd-100", (("flow.bytes", "unlimited"),))


def lossy(scenario: str, seed: int) -> Point:
    """Return datagrams over a satellite that loses."""
    rate = (("flow.udp.rate", "256 kbit/s"), ("duration", "300 s"), ("radio.outages", "[]"))
    return point(scenario, SATURATING, rate, seed=seed)


def _state(outcome: Outcome, name: str) -> tuple[float, float]:
    """Return the time in a state of the radio and the energy of it, in s and J."""
    spent = outcome.result.energy
    states = () if spent is None else spent.states
    (found,) = (state for state in states if state.name == name)
    return found.time_s, found.energy_j


def _one(of: Point, value: Callable[[Outcome], float]) -> Measure:
    return lambda outcomes: [value(outcomes[of])]


def _promotion(outcome: Outcome) -> float:
    return 1000 * _state(outcome, "promotion")[0]


def _tail(outcome: Outcome) -> float:
    """Return the tail with the inactivity before it, which counts as active, in s."""
    return _state(outcome, "tail")[0] + INACTIVITY_S


def _waits(outcome: Outcome) -> float:
    """Return the longest wait of a probe beyond the shortest, in ms."""
    seen = outcome.flow.probe_s
    return math.nan if seen is None else 1000 * ((seen.max or 0) - (seen.min or 0))


def _after_the_last_byte(outcome: Outcome) -> float:
    return _state(outcome, "promotion")[1] + _state(outcome, "tail")[1]


def _power_slope(outcome: Outcome) -> float:
    """Return what a Mbit/s more on the air takes, in mW."""
    seconds, joules = _state(outcome, "active")
    mbit = outcome.result.radio.bytes_sent * 8e-6 if outcome.result.radio else math.nan
    return 1000 * (joules - BASE_W * seconds) / mbit


def _delivered(direction: str) -> Callable[[Outcome], float]:
    """Return what the radio delivers while it is saturated, in Mbit/s."""

    def rate(outcome: Outcome) -> float:
        radio = outcome.result.radio
        if radio is None:
            return math.nan
        delivered: int = getattr(radio, direction).bytes_delivered
        return delivered * 8e-6 / _state(outcome, "active")[0]

    return rate


def _leg(aspect: str) -> Callable[[Outcome], float]:
    """Return the least or the most time to the satellite and back, in ms."""

    def leg(outcome: Outcome) -> float:
        return 1000 * float(getattr(outcome.flow.network.delay_s, aspect)) - GROUND_MS

    return leg


def _queued(outcome: Outcome) -> float:
    delay = outcome.flow.network.delay_s
    return 1000 * ((delay.p99 or math.nan) - (delay.min or math.nan))


def _repair(outcome: Outcome) -> float:
    """Return how much later a datagram arrives that was repaired once, in ms."""
    delay = outcome.flow.network.delay_s
    return 1000 * ((delay.p95 or math.nan) - (delay.min or math.nan))


def _rtt(outcome: Outcome) -> float:
    return 1000 * (outcome.flow.rtt_s.min or math.nan)


def _usual_rtt_s(outcome: Outcome) -> float:
    return outcome.flow.rtt_s.p50 or math.nan


def _one_way(outcome: Outcome) -> float:
    return 1000 * (outcome.flow.network.delay_s.p50 or math.nan)


def _used(outcome: Outcome) -> float:
    return 100 * (outcome.flow.normalized_throughput or math.nan)


def _completed(outcome: Outcome) -> float:
    return outcome.flow.completed_s or math.nan


def _loss(scenario: str) -> Measure:
    def loss(outcome: Outcome) -> float:
        datagrams = outcome.flow.datagrams
        return 100 * (datagrams.loss or 0.0) if datagrams else math.nan

    return lambda outcomes: [loss(outcomes[lossy(scenario, seed)]) for seed in SEEDS]


MEASURES: Final[dict[str, Measure]] = {
    "lte-promotion": _one(PROMOTED, _promotion),
    "lte-tail": _one(SMALL, _tail),
    "lte-paging": _one(PAGED, _waits),
    "lte-drx": _one(DOZING, _waits),
    "lte-tail-energy": _one(SMALL, _after_the_last_byte),
    "lte-power-down": _one(DOWN, _power_slope),
    "lte-power-up": _one(UP, _power_slope),
    "lte-peak-down": _one(DOWN, _delivered("downlink")),
    "lte-peak-up": _one(UP, _delivered("uplink")),
    "lte-harq": _one(BY_HARQ, _repair),
    "lte-poll": _one(BY_POLL, _repair),
    "nr-poll": _one(NR_BY_POLL, _repair),
    "nr-down": _one(NR_LIGHT, _one_way),
    "nr-down-awake": _one(NR_AWAKE, _one_way),
    "nr-up": _one(NR_UP, _one_way),
    "nr-tcp": _one(NR_TCP, _used),
    "nbiot-2-s": _one(FIRST_CONTACTS[1], _usual_rtt_s),
    "nbiot-10-s": _one(FIRST_CONTACTS[2], _usual_rtt_s),
    "leo-overhead": _one(LEO, _leg("min")),
    "leo-low": _one(LEO, _leg("max")),
    "leo-queue": _one(LEO_UP, _queued),
    "geo-rtt": _one(GEO, _rtt),
    "geo-10-mb": _one(GEO, _completed),
    "geo-loss": _loss("geo-12-3-lossy"),
    "edge-loss": _loss("satcom-edge"),
    "edge-rtt": _one(EDGE, _rtt),
    "leo-off-grid": lambda _: [0.0],
}

POINTS: Final = {
    "lte": (PROMOTED, SMALL, PAGED, DOZING, DOWN, UP, BY_HARQ, BY_POLL),
    "nr": (NR_LIGHT, NR_AWAKE, NR_UP, NR_TCP, NR_BY_POLL),
    "iot": tuple(FIRST_CONTACTS.values()),
    "satellites": (
        LEO,
        LEO_UP,
        GEO,
        EDGE,
        *(lossy(name, seed) for name in ("geo-12-3-lossy", "satcom-edge") for seed in SEEDS),
    ),
}
