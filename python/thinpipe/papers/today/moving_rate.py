"""A bandwidth-delay product that moves by ten within a second, and a window that follows it.

Chakravorty et al. (2003, §IX) leave the dynamic bandwidth-delay product for later.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from thinpipe.papers.today.setup import HEADROOM, SEEDS
from thinpipe.point import Point

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from thinpipe.papers.outcomes import Outcome
    from thinpipe.papers.paper import Outcomes

HIGH_DB: Final = 17.0
LOW_DB: Final = -1.0
"""At the one LTE of 20 MHz carries ten times what it carries at the other."""

STEP_S: Final = 0.05
PERIOD_S: Final = 4.0
"""A second at the high rate, one down, one at the low, one up."""

SECONDS: Final = 40

TTI_MS: Final = 1.0

CELL: Final = {"category": "4", "resource_blocks": 100}

WINDOWS: Final = {
    "idle": None,
    "cubic": None,
    "radio": {"estimator": "radio"},
    "westwood": {"estimator": "westwood"},
    "half": {"estimator": "radio", "round_trip": "18 ms"},
    "static": {"estimator": "static"},
}
"""What stands in front: nothing, without and with a download, or a window of atcp."""

TRACED: Final = ("cubic", "static", "radio", "westwood")
"""Those whose queue is drawn over time."""

HIGH_RATE: Final = "50 Mbit/s"
ROUND_TRIP: Final = "35 ms"
"""Of the radio alone, unloaded: what an operator measures."""


def ratio_db(at_s: float) -> float:
    """Return the ratio of signal to noise at a time."""
    phase = at_s % PERIOD_S
    if phase < 1:
        return HIGH_DB
    if phase < 2:  # noqa: PLR2004 - seconds of the period
        return HIGH_DB + (LOW_DB - HIGH_DB) * (phase - 1)
    if phase < 3:  # noqa: PLR2004
        return LOW_DB
    return LOW_DB + (HIGH_DB - LOW_DB) * (phase - 3)


def _ratios() -> list[dict[str, str]]:
    times = [step * STEP_S for step in range(round(SECONDS / STEP_S))]
    return [{"at": f"{at:.2f} s", "snr": f"{ratio_db(at):.2f} dB"} for at in times]


def _ping(name: str, direction: str) -> dict[str, Any]:
    udp = {"payload": "56 B", "rate": "8960 bit/s"}
    return {
        "name": name,
        "direction": direction,
        "application": "udp",
        "bytes": "unlimited",
        "udp": udp,
    }


def moving(name: str, seed: int) -> Point:
    """Return a run: a download through a window of that name, and pings both ways."""
    flows = [_ping("down", "downlink"), _ping("up", "uplink")]
    if name != "idle":
        flows.insert(0, {"name": "file", "bytes": "unlimited"})
    scenario: dict[str, Any] = {
        "duration": f"{SECONDS} s",
        "tcp": {"profile": "modern"},
        "flow": {**flows[0], "group": flows[1:]},
        "wired": [{"name": "core", "between": ["host", "eNB"], "delay": "15 ms"}],
        "queue": {"packets": "unlimited", "bytes": "3 MB", "back": {"bytes": "1 MB"}},
        "radio": {
            "kind": "lte",
            "lte": CELL,
            "downlink": {"snr": f"{HIGH_DB} dB", "snrs": _ratios()},
            "uplink": {"snr": "15 dB"},
        },
    }
    window = WINDOWS[name]
    if window is not None:
        known = {"rate": HIGH_RATE, "round_trip": ROUND_TRIP, "headroom": HEADROOM}
        more = {"clamp": "260 kB", "budget": "8 MB", "min_rto": "1 s"}
        scenario["middlebox"] = {"kind": "atcp", "atcp": {**known, **more, **window}}
    return Point.of(scenario, {"seed": seed})


def delays_ms(outcome: Outcome) -> float:
    """Return the mean of a ping, there and back, in ms."""
    means = [
        flow.network.delay_s.mean or 0.0
        for flow in outcome.result.flows
        if flow.group in ("down", "up")
    ]
    return 1000 * sum(means)


def goodput(outcome: Outcome) -> float:
    """Return the goodput of the download in bit/s."""
    return sum(flow.goodput_bps or 0.0 for flow in outcome.result.flows if flow.group == "file")


def allowed_ms(outcomes: Outcomes) -> float:
    """Return what a ping may take under load: 1.5 times the unloaded one, and a TTI, in ms."""
    idle = [delays_ms(outcomes[moving("idle", seed)]) for seed in SEEDS]
    return 1.5 * sum(idle) / len(idle) + TTI_MS


def _delay(outcomes: Outcomes, name: str) -> Sequence[float]:
    allowed = allowed_ms(outcomes)
    return [100 * delays_ms(outcomes[moving(name, seed)]) / allowed for seed in SEEDS]


def _goodput(outcomes: Outcomes, name: str) -> Sequence[float]:
    full = sum(goodput(outcomes[moving("cubic", seed)]) for seed in SEEDS) / len(SEEDS)
    return [100 * goodput(outcomes[moving(name, seed)]) / full for seed in SEEDS]


MEASURES: Final = {
    "moving-delay": partial(_delay, name="radio"),
    "moving-goodput": partial(_goodput, name="radio"),
    "moving-measured-delay": partial(_delay, name="westwood"),
    "moving-measured-goodput": partial(_goodput, name="westwood"),
}

POINTS: Final = tuple(moving(name, seed) for name in WINDOWS for seed in SEEDS)
